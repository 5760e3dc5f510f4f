/*
 * driver.c - see driver.h.
 */
#include "live/daemon/driver.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live/common/clock.h"
#include "live/door/holders.h"
#include "live/system/log.h"
#include "net/why.h"

enum {
    SYNC_LONG = 2000000, /* a write that lasts longer is logged */
    TELL_AGAIN = 60000000,
};

/* ---- Carrying out -------------------------------------------------------- */

/* Nothing more is sent, and holders are stopped. */
static void fail(struct live_driver *d, const char *why)
{
    d->failed = d->node.dead = true;
    snprintf(d->why, sizeof d->why, "%s", why);
}

/* A write that was begun beside the loop must end first, and the node does not
 * hear of it: all that it wrote is in this one, too. */
static bool write_here(struct live_driver *d)
{
    struct live_kept kept = d->node.mode->kind->record(d->node.mode);
    struct net_why error;

    d->overtaken = d->overtaken || live_writer_since(d->writer);
    if (live_writer_write_now(d->writer, &kept, &error))
        return true;
    fail(d, error.text);
    return false;
}

static void apply_lists(struct live_driver *d)
{
    const char *why =
        d->owner.lists ? d->owner.lists(d->owner.whom, d->node.mode, d->links)
                       : NULL;

    if (why)
        live_log("stops: %s", why);
}

/* False: the rest of the list must not be carried out. */
static bool carry_out_one(struct live_driver *d, const struct live_effect *e)
{
    struct live_kept kept;

    switch (e->kind) {
    case LIVE_DO_NOTHING:
        return true;
    case LIVE_DO_SEND:
        if (d->links)
            live_links_send(d->links, e->whom,
                            live_effect_bytes(&d->effects, e), e->size);
        return true;
    case LIVE_DO_WRITE:
        kept = d->node.mode->kind->record(d->node.mode);
        live_writer_write(d->writer, &kept);
        return true;
    case LIVE_DO_WRITE_HERE:
        return write_here(d);
    case LIVE_DO_LISTS:
        apply_lists(d);
        return true;
    case LIVE_DO_BREAK:
        fail(d, e->why);
        return false;
    default:
        if (d->door)
            live_door_do(d->door, e, live_effect_why(&d->effects, e));
        return true;
    }
}

static void carry_out_list(struct live_driver *d)
{
    for (size_t i = 0; i < d->effects.count; i++)
        if (!carry_out_one(d, &d->effects.list[i]))
            break;
    live_effects_clear(&d->effects);
}

/* Every holder the desk knows must be a client that the door can kill; if not,
 * this node stops. */
static void look_at_door(struct live_driver *d)
{
    const char *broken = d->door && !d->failed ? live_door_sane(d->door) : NULL;
    char why[NET_WHY_SIZE];

    if (!broken)
        return;
    snprintf(why, sizeof why, LIVE_INSANE, broken);
    fail(d, why);
}

/* What the node wanted to hear of a write that another one has overtaken. */
static void hear_of_write(struct live_driver *d)
{
    struct live_kept kept = d->node.mode->kind->record(d->node.mode);

    d->overtaken = false;
    live_node_written(&d->node, &kept, live_now(), &d->effects);
    carry_out_list(d);
}

/* What the list wants, and what follows from that. */
static void carry_out(struct live_driver *d)
{
    struct live_desk_in in;
    bool had_failed = d->failed;

    carry_out_list(d);
    while (d->overtaken && !d->failed)
        hear_of_write(d);
    while (d->door && live_door_next(d->door, live_now(), &in)) {
        live_node_serve(&d->node, &in, &d->effects);
        carry_out_list(d);
    }
    look_at_door(d);
    if (had_failed || !d->failed)
        return;
    /* `end` is 0: it cannot wait until they have ended. */
    in = (struct live_desk_in){
        .event = LIVE_STOPS, .now = live_now(), .why = d->why};
    live_node_serve(&d->node, &in, &d->effects);
    carry_out_list(d);
    d->owner.broken(d->owner.whom, d->why);
}

/* ---- Time ---------------------------------------------------------------- */

static void set_timers(struct live_driver *d)
{
    uint64_t now = live_now(), at = d->node.desk.wake, look;

    live_wake_at(&d->wake,
                 d->node.dead ? UINT64_MAX : live_node_wake(&d->node));
    look = d->door ? live_door_wake(d->door, now) : UINT64_MAX;
    at = look < at ? look : at;
    /* Sooner than it is set to: a wake-up too many does no harm. */
    if (at >= d->timer_at)
        return;
    d->timer_at = at;
    (void)live_timer_set(d->timer_fd, at);
}

static void tell_of(struct live_driver *d)
{
    uint64_t now = live_now();

    if (d->node.desk.end != d->beaten && d->holders) {
        uint64_t end = d->node.desk.end, kill = d->config->kill;

        live_holders_beat(d->holders, now, end > kill ? end - kill : 0);
    }
    d->beaten = d->node.desk.end;
    if (d->door)
        live_door_log(d->door, now);
    if (d->failed)
        return;
    d->node.mode->kind->log_changes(d->node.mode, now);
    if (d->deferring && !d->node.elder[0])
        live_log("nothing is heard of lower generations any more: takes part");
    d->deferring = d->node.elder[0];
}

/* After every call of the node. */
static void finish(struct live_driver *d)
{
    carry_out(d);
    tell_of(d);
    set_timers(d);
}

/* ---- What happens -------------------------------------------------------- */

static void on_timer(uv_poll_t *timer, int status, int events)
{
    struct live_driver *d = timer->data;
    struct live_desk_in in = {.event = LIVE_TIME};
    uint64_t times;

    (void)status;
    (void)events;
    while (read(d->timer_fd, &times, sizeof times) > 0)
        ;
    in.now = live_now();
    d->timer_at = UINT64_MAX;
    live_node_serve(&d->node, &in, &d->effects);
    finish(d);
}

static void on_datagram(void *whom, uint32_t from, const uint8_t *bytes,
                        size_t size)
{
    struct live_driver *d = whom;
    struct live_mode *mode = d->node.mode;

    live_wake_heard(&d->wake);
    live_node_take(&d->node, from, live_links_life(d->links, from),
                   (struct live_unread){bytes, size}, live_now(), &d->effects);
    live_links_know(d->links, from, mode->kind->shown(mode, from));
    finish(d);
}

/* W9: what others wait for is measured. */
static void look_at_disk(struct live_driver *d, uint64_t now)
{
    struct live_mode *mode = d->node.mode;
    uint64_t since = live_writer_since(d->writer);
    uint64_t sync = live_writer_slowest(d->writer, now);

    if (!mode->kind->disk)
        return;
    if (since && now - since > sync)
        sync = now - since; /* and it has not ended yet */
    mode->kind->disk(mode, sync);
    if (!since || now - since < SYNC_LONG || d->long_told_at == since)
        return;
    d->long_told_at = since;
    live_log("has been writing its record for %u s, and neither votes nor "
             "proposes until that is done: check the disk",
             (unsigned)((now - since) / 1000000));
}

static void tell_slow_disk(struct live_driver *d, uint64_t now)
{
    uint64_t took = live_writer_last(d->writer);

    if (took <= d->node.mode->patience / 4 ||
        (d->slow_told_at && now - d->slow_told_at < TELL_AGAIN))
        return;
    d->slow_told_at = now;
    live_log("writing the record took %u ms: the disk is slow",
             (unsigned)(took / 1000));
}

static void on_due(void *whom, uint64_t now)
{
    struct live_driver *d = whom;

    look_at_disk(d, now);
    live_node_due(&d->node, now, &d->effects);
    finish(d);
}

static void on_written(void *whom, const struct live_kept *kept,
                       const char *error)
{
    struct live_driver *d = whom;
    uint64_t now = live_now();

    if (d->failed)
        return;
    if (error) {
        live_effect_add(&d->effects, LIVE_DO_BREAK)->why = error;
    } else {
        look_at_disk(d, now);
        tell_slow_disk(d, now);
        live_node_written(&d->node, kept, now, &d->effects);
    }
    finish(d);
}

/* P4: a peer that knows more of this node than its record has the last word. */
static void on_told(void *whom, uint32_t peer, const struct live_known *known)
{
    struct live_driver *d = whom;
    struct live_mode *mode = d->node.mode;
    struct net_why error, why;

    if (d->failed || !live_links_set_back(d->links, peer, known,
                                          mode->kind->promised(mode), &why))
        return;
    live_writer_stop(d->writer);
    if (!live_record_distrust(d->record, &error))
        live_log("cannot note down that its record was set back: %s",
                 error.text);
    live_effect_add(&d->effects, LIVE_DO_BREAK)->why = why.text;
    finish(d);
}

/* P6: commands are killed first, because the disk may be slow. */
static void outdate(struct live_driver *d, const char *name,
                    uint32_t generation)
{
    char why[NET_WHY_SIZE];
    struct net_why error;

    snprintf(why, sizeof why,
             "%s has generation %u of the configuration, and this node has "
             "generation %u: it stops, and starts again with a file of "
             "generation %u; or, if that is a mistake, with --stay",
             name, generation, d->config->generation, generation);
    live_effect_add(&d->effects, LIVE_DO_BREAK)->why = why;
    finish(d);
    live_writer_stop(d->writer);
    if (!live_record_outdate(d->record, generation, &error))
        live_log("cannot note down that there is a higher generation: %s",
                 error.text);
}

/* P6: how long the leases of lower generations last, at most, and until the
 * next frame of one would have come. */
static uint64_t deference(const struct live_driver *d)
{
    return live_record_change(d->record).quiet + live_config_idle(d->config);
}

static void defer(struct live_driver *d, const char *name, uint32_t generation)
{
    uint64_t now = live_now(), wait = deference(d);
    char why[LIVE_REASON_MAX];

    snprintf(why, sizeof why,
             "a node of the old list still runs: %.100s has generation %u, and "
             "this node has generation %u",
             name, generation, d->config->generation);
    live_node_defer(&d->node, why, wait, now, &d->effects);
    if (!d->deferring && d->node.elder[0])
        live_log("%s: takes no part until that has stopped, and for %" PRIu64
                 " ms after that",
                 why, wait / 1000);
    finish(d);
}

static void on_met(void *whom, enum live_standing standing, const char *name,
                   uint32_t generation)
{
    struct live_driver *d = whom;

    if (d->failed)
        return;
    if (standing == LIVE_OUTDATED)
        outdate(d, name, generation);
    else if (standing == LIVE_AHEAD)
        defer(d, name, generation);
}

/* P7: what an earlier life of a peer has said after a later one began rests on
 * a record that is used at two places. */
static void on_life(void *whom, uint32_t peer, uint64_t life, uint64_t began)
{
    struct live_driver *d = whom;
    struct live_mode *mode = d->node.mode;
    uint64_t now = live_now();
    char why[LIVE_REASON_MAX];

    if (d->failed || !d->owner.doubts || !mode->kind->relied ||
        mode->kind->relied(mode, peer, life, now) <= began)
        return;
    snprintf(why, sizeof why,
             "the record of node '%s' is used at two places: this node takes "
             "no part for the time of a lease; stop one of the two for good",
             d->config->nodes[peer].name);
    mode->kind->renounce(mode, now, &d->effects);
    finish(d);
    d->owner.doubts(d->owner.whom, why);
}

static bool on_guest(void *whom, uint32_t id,
                     const struct live_config_node *node)
{
    struct live_driver *d = whom;

    return !d->failed && d->node.mode->kind->meet &&
           d->owner.guest(d->owner.whom, d->node.mode, id, node);
}

void live_driver_heard(void *whom, struct live_desk_in *in)
{
    struct live_driver *d = whom;

    live_node_serve(&d->node, in, &d->effects);
    finish(d);
}

bool live_driver_tell(struct live_driver *d, enum live_desk_event event,
                      uint64_t by, const char *why)
{
    struct live_desk_in in = {
        .event = event, .now = live_now(), .end = by, .why = why};

    live_driver_heard(d, &in);
    return live_desk_idle(&d->node.desk);
}

bool live_driver_change(struct live_driver *d, const struct live_change *change)
{
    bool done = live_node_change(&d->node, change, live_now(), &d->effects);

    finish(d);
    return done;
}

void live_driver_unfit(struct live_driver *d, const char *why)
{
    live_node_unfit(&d->node, why, live_now(), &d->effects);
    finish(d);
}

void live_driver_leave(struct live_driver *d)
{
    live_node_leave(&d->node, live_now(), &d->effects);
    finish(d);
}

/* ---- Beginning and end --------------------------------------------------- */

static bool open_mode(struct live_driver *d, uint32_t self,
                      struct net_why *error)
{
    struct live_past past = {.kept = live_record_kept(d->record)};
    struct live_mode *mode;

    (void)uv_random(NULL, NULL, &past.seed, sizeof past.seed, 0, NULL);
    mode = live_mode_of(d->config)->open(d->config, self, &past, error);
    if (!mode)
        return false;
    live_node_open(&d->node, mode, LIVE_DESK_WHOLE);
    return true;
}

/* The start is counted on disk before there are links.  While these are opened
 * time passes: names are looked up. */
static bool begin_life(struct live_driver *d, uv_loop_t *loop, uint32_t self,
                       struct net_why *error)
{
    struct live_mode *mode = d->node.mode;
    struct live_kept kept;
    const char *why;

    live_node_boot(&d->node, live_now(), &d->effects);
    for (size_t i = 0; i < d->effects.count; i++)
        if (d->effects.list[i].kind == LIVE_DO_BREAK)
            return net_refuse(error, "%s", d->effects.list[i].why);
    kept = mode->kind->record(mode);
    if (!live_writer_write_now(d->writer, &kept, error))
        return false;
    live_effects_clear(&d->effects);
    why = d->owner.lists ? d->owner.lists(d->owner.whom, mode, NULL) : NULL;
    if (why)
        return net_refuse(error, "%s", why);
    d->links = live_links_open(loop, d->config, self, kept.starts, on_datagram,
                               d, error);
    if (!d->links)
        return false;
    mode->links = d->links;
    live_links_tell(d->links, on_told);
    live_links_meet(d->links, on_met, live_record_change(d->record).stays_from);
    live_links_watch(d->links, on_life);
    if (d->owner.guest)
        live_links_guests(d->links, on_guest, d);
    live_node_written(&d->node, &kept, live_now(), &d->effects);
    return true;
}

static bool open_all(struct live_driver *d, uv_loop_t *loop, uint32_t self,
                     struct net_why *error)
{
    d->timer_fd = live_timer();
    if (d->timer_fd < 0)
        return net_fail(error, "cannot make a timer: %s", strerror(errno));
    d->timer.data = d;
    (void)uv_poll_init(loop, &d->timer, d->timer_fd);
    (void)uv_poll_start(&d->timer, UV_READABLE, on_timer);
    d->closing++;
    if (!live_wake_open(&d->wake, loop, on_due, d, error))
        return false;
    d->closing++;
    d->writer = live_writer_open(loop, d->record, on_written, d, error);
    if (!d->writer || !open_mode(d, self, error))
        return false;
    return begin_life(d, loop, self, error);
}

struct live_driver *live_driver_open(const struct live_driver_parts *parts,
                                     struct net_why *error)
{
    struct live_driver *d = calloc(1, sizeof *d);

    if (!d) {
        net_no_memory(error, "a node");
        return NULL;
    }
    d->config = parts->config;
    d->record = parts->record;
    d->door = parts->door;
    d->holders = parts->holders;
    d->owner = *parts->owner;
    d->timer_at = UINT64_MAX;
    if (!open_all(d, parts->loop, parts->self, error)) {
        live_driver_close(d);
        return NULL;
    }
    if (d->door)
        live_door_serve(d->door, &d->node, d->holders);
    finish(d);
    return d;
}

static void release(struct live_driver *d)
{
    if (d->closing > 0)
        return;
    if (d->timer_fd >= 0)
        close(d->timer_fd);
    live_effects_free(&d->effects);
    free(d);
}

static void on_timer_closed(uv_handle_t *handle)
{
    struct live_driver *d = handle->data;

    d->closing--;
    release(d);
}

static void on_wake_closed(void *whom)
{
    struct live_driver *d = whom;

    d->closing--;
    release(d);
}

void live_driver_close(struct live_driver *d)
{
    bool has_timer = d->closing > 0, has_wake = d->closing > 1;

    d->failed = d->node.dead = true;
    if (d->links)
        live_links_close(d->links);
    d->links = NULL;
    if (d->writer)
        live_writer_close(d->writer);
    d->writer = NULL;
    live_node_close(&d->node);
    if (has_timer)
        uv_close((uv_handle_t *)&d->timer, on_timer_closed);
    if (has_wake)
        live_wake_close(&d->wake, on_wake_closed);
    release(d);
}
