/*
 * engine.c - see engine.h.
 *
 * The protocol is driven by the one interface of core/fc.h.  Messages of one
 * event to one peer travel in as few datagrams as they fit in (parcel.h).
 *
 * P1: a vote or a proposal leaves when its view is on disk, and nothing that
 * leaves before shows a higher view than is on disk.  To the others a message
 * that waits for the disk is one that the network has delayed; should the node
 * crash meanwhile, it was lost.  Everything else goes on (W9).
 */
#define FC_TYPED /* its own copy of the protocol, with many locks */

#include "live/host/engine.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "live/clock.h"
#include "live/fail.h"
#include "live/host/writer.h"
#include "live/log.h"

#include "protocols/mutex/view_lock.c"

_Static_assert((int)LIVE_GENERATION_MAX == (int)VIEW_LOCK_GENERATION_MAX,
               "a token has room for every generation");

enum {
    SYNC_MIN = 5000, /* what writing the record takes, at least: for delta */
    SYNC_LONG = 2000000, /* a write that lasts so long is told of */
    TELL_AGAIN = 60000000,
    LOOK_AGAIN = 1000, /* whether a holder that must go is dead */
};

/* ---- What leaves --------------------------------------------------------- */

static void ship(struct live_engine *e, uint32_t to)
{
    struct live_parcel *parcel = &e->parcels[to];

    if (parcel->size && e->links)
        live_links_send(e->links, to, parcel->bytes, parcel->size);
    parcel->size = 0;
}

/* P1: these say that the view is on disk. */
static bool promises(const struct view_lock_msg *m)
{
    return m->kind == VIEW_LOCK_VOTE || m->kind == VIEW_LOCK_PROPOSE;
}

static void pack_for(struct live_engine *e, uint32_t to,
                     const struct view_lock_msg *m)
{
    struct live_parcel *parcel = &e->parcels[to];
    uint8_t wire[view_lock_wire];
    size_t size = view_lock_pack(m, wire);

    assert(!promises(m) || m->view <= e->disk.maxv);
    while (!live_parcel_add(parcel, wire, size)) {
        assert(parcel->size > 0); /* an empty one has room for any message */
        ship(e, to);
    }
    e->counts.messages_sent++;
    e->counts.sent_of[view_lock_kind(m)]++;
}

/* Sends what may be sent now; a vote or proposal that waits replaces an older
 * one, which is obsolete. */
static void send_or_hold(struct live_engine *e, uint32_t to,
                         const struct view_lock_msg *wanted)
{
    struct view_lock_msg m = *wanted;

    if (promises(&m) && m.view > e->disk.maxv) {
        e->held[m.kind == VIEW_LOCK_VOTE][to] = m;
        return;
    }
    if (m.maxv > e->disk.maxv)
        m.maxv = e->disk.maxv;
    pack_for(e, to, &m);
}

static void ship_all(struct live_engine *e)
{
    for (uint32_t to = 0; to < e->me.nodes; to++)
        ship(e, to);
}

/* ---- The record ---------------------------------------------------------- */

static void stop_for(struct live_engine *e, const char *why)
{
    if (why != e->why)
        snprintf(e->why, sizeof e->why, "%s", why);
    e->dead = true;
    e->listener.broken(e->listener.whom, e->why);
}

/* W9: what others wait for is measured. */
static void look_at_disk(struct live_engine *e, uint64_t now)
{
    uint64_t since = live_writer_since(e->writer);
    uint64_t sync = live_writer_slowest(e->writer, now);

    if (since && now - since > sync)
        sync = now - since; /* and it has not ended yet */
    e->counts.slowest = sync;
    e->params.sync = sync < SYNC_MIN     ? (uint32_t)SYNC_MIN
                     : sync > UINT32_MAX ? UINT32_MAX
                                         : (uint32_t)sync;
    if (!since || now - since < SYNC_LONG || e->long_told_at == since)
        return;
    e->long_told_at = since;
    live_log("has been writing its record for %u s, and neither votes nor "
             "proposes until that is done: check the disk",
             (unsigned)((now - since) / 1000000));
}

static void tell_slow_disk(struct live_engine *e, uint64_t now)
{
    uint64_t took = live_writer_last(e->writer);

    if (took <= e->params.delta / 4 ||
        (e->slow_told_at && now - e->slow_told_at < TELL_AGAIN))
        return;
    e->slow_told_at = now;
    live_log("writing the record took %u ms: the disk is slow",
             (unsigned)(took / 1000));
}

/* The start of a node is counted before anything else; later it goes on while
 * the disk is busy.  False if the record cannot be written. */
static bool save(struct live_engine *e)
{
    if (live_writer_since(e->writer))
        return true; /* the next write has it */
    e->counts.syncs++;
    if (e->links) {
        live_writer_write(e->writer, &e->state.record);
        return true;
    }
    if (live_writer_write_now(e->writer, &e->state.record, e->why)) {
        stop_for(e, e->why);
        return false;
    }
    e->disk = e->state.record;
    return true;
}

static void on_written(void *whom, const struct view_lock_record *values,
                       const char *error)
{
    struct live_engine *e = whom;
    uint64_t now = live_now();

    if (e->dead)
        return;
    if (error) {
        stop_for(e, error);
        return;
    }
    e->disk = *values;
    look_at_disk(e, now);
    tell_slow_disk(e, now);
    if (e->mute) { /* K6: what it has promised it does not tell */
        memset(e->held, 0, sizeof e->held);
        return;
    }
    if (e->state.record.maxv > e->disk.maxv)
        (void)save(e);
    for (uint32_t to = 0; to < e->me.nodes; to++)
        for (uint32_t kind = 0; kind < LIVE_HELD_KINDS; kind++) {
            struct view_lock_msg *m = &e->held[kind][to];

            if (!m->view || m->view > e->disk.maxv)
                continue;
            send_or_hold(e, to, m);
            m->view = 0;
        }
    ship_all(e);
}

/* P4: a peer that knows more of this node than its record has the last word. */
static void on_told(void *whom, uint32_t peer, const struct live_known *known)
{
    struct live_engine *e = whom;
    char error[LIVE_ERROR_SIZE];

    if (e->dead ||
        !live_links_set_back(e->links, peer, known, e->disk.maxv, e->why))
        return;
    live_writer_stop(e->writer);
    if (live_record_distrust(e->record, error))
        live_log("cannot note down that its record was set back: %s", error);
    stop_for(e, e->why);
}

/* What a message shows of the record of its sender. */
static void learn(struct live_engine *e, uint32_t from,
                  const struct view_lock_msg *m)
{
    if (m->kind == VIEW_LOCK_FRAME || m->kind == VIEW_LOCK_REFUSE)
        live_links_know(e->links, from, m->maxv);
    else if (promises(m))
        live_links_know(e->links, from, m->view);
}

/* ---- Events -------------------------------------------------------------- */

static uint32_t draw_below(uint32_t count)
{
    uint32_t number = 0;

    (void)uv_random(NULL, NULL, &number, sizeof number, 0, NULL);
    return number % count;
}

/* Called before the timer is forgotten or set again, with the time of that
 * moment: a message that is read first after a pause sets it as well, and a
 * pause may come after the timer fired and before it is handled. */
static void look_whether_late(struct live_engine *e, uint64_t now)
{
    uint64_t late = e->wake_at && now > e->wake_at ? now - e->wake_at : 0;

    if (late <= e->params.tau)
        return;
    e->counts.late++;
    if (e->counts.latest < late)
        e->counts.latest = late;
}

static void set_timer_to(struct live_engine *e, uint64_t at, uint64_t now)
{
    look_whether_late(e, now);
    e->wake_at = at;
    live_wake_at(&e->wake, at);
}

/* A part of an event, and what it wants done. */
struct engine_turn {
    struct live_engine *e;
    const struct view_lock_out *out;
    uint64_t now;
};

static bool engine_save(struct engine_turn *d)
{
    return save(d->e);
}

static void engine_send(struct engine_turn *d, uint32_t slot, uint16_t port)
{
    send_or_hold(d->e, port, &d->out->send[slot]);
}

static void engine_store(struct engine_turn *d, uint32_t cell, uint32_t value)
{
    (void)d;
    (void)cell;
    (void)value;
    assert(false && "nodes share no memory");
}

static void engine_start(struct engine_turn *d, uint32_t timer, uint64_t steps)
{
    (void)timer;
    set_timer_to(d->e, d->now + steps, d->now);
}

static void engine_stop(struct engine_turn *d, uint32_t timer)
{
    (void)timer;
    set_timer_to(d->e, 0, d->now);
}

#define OBEY(name)    FC_PASTE(engine_, name)
#define OBEY_DRIVER   struct engine_turn
#define OBEY_TIMERS   view_lock_timers
#define OBEY_TOPOLOGY view_lock_topology
#define OBEY_SELF     d->e->me.index
#define OBEY_NODES    d->e->me.nodes
#include "core/obey.inc"

/* ---- Holders that must go first ------------------------------------------ */

/* Only these events can install a view. */
static bool may_install(const struct live_engine *e,
                        const struct view_lock_in *in)
{
    if (in->event.kind == FC_MESSAGE && in->msg.kind == VIEW_LOCK_NEWVIEW)
        return true;
    return e->state.proposal.view &&
           (in->event.kind == FC_TIMEOUT ||
            (in->event.kind == FC_MESSAGE && in->msg.kind == VIEW_LOCK_VOTE));
}

/* Rule V4 says of a held lock that it is abandoned, and the node may consent to
 * others in the same step: so its command must be dead before.  The event is
 * tried on a copy; if it takes a lock away, the holders are stopped, and it
 * has not happened: a new view is told again every tau, and so is a vote, which
 * the node asks for again; the timer comes back.  Once the lease is over nobody
 * is waited for: its commands were stopped K before. */
static bool must_wait(struct live_engine *e, struct view_lock_in in,
                      uint64_t now)
{
    struct view_lock_out out;
    bool wait = false;

    if (!may_install(e, &in) || now >= e->state.deadline)
        return false;
    e->trial = e->state;
    memset(&out, 0, sizeof out);
    in.event.now = now;
    view_lock_step(&e->trial, &e->params, &e->me, &in, &out);
    for (uint32_t i = 0; i < e->state.used; i++) {
        const struct view_lock_one *lock = &e->state.lock[i], *then;

        if (lock->role != MUTEX_INSIDE)
            continue;
        then = view_lock_find(&e->trial, lock->id);
        if (!(then && then->role == MUTEX_INSIDE) &&
            !e->listener.vacate(e->listener.whom, lock->id))
            wait = true;
    }
    e->counts.vacated += wait;
    return wait;
}

/* A node whose state violates an invariant does not send anything any more. */
static bool is_sane(struct live_engine *e)
{
    const char *broken = view_lock_sane(&e->state, &e->params, &e->me);

    if (!broken)
        return true;
    snprintf(e->why, sizeof e->why, LIVE_INSANE, broken);
    stop_for(e, e->why);
    return false;
}

/* One event with its continuations; returns its notes. */
static uint32_t happens(struct live_engine *e, struct view_lock_in in)
{
    uint32_t notes = 0;
    enum fc_then then;

    if (e->dead || e->mute)
        return 0;
    if (must_wait(e, in, live_now())) {
        if (in.event.kind == FC_TIMEOUT)
            set_timer_to(e, live_now() + LOOK_AGAIN, live_now());
        return 0;
    }
    e->counts.events++;
    do {
        struct view_lock_out out;
        struct engine_turn turn = {e, &out, live_now()};

        memset(&out, 0, sizeof out);
        in.event.now = turn.now;
        e->listener.before(e->listener.whom, turn.now);
        view_lock_step(&e->state, &e->params, &e->me, &in, &out);
        notes |= out.fx.notes;
        if (!is_sane(e))
            return notes;
        then = engine_obey(&turn, &out.fx);
        if (then == FC_THEN_FAILED)
            return notes;
        in = (struct view_lock_in){.event = {.kind = FC_GO_ON}};
        if (then == FC_THEN_CHOOSE)
            in.event = (struct fc_event){.kind = FC_CHOICE,
                                         .value = draw_below(out.fx.choose)};
    } while (then != FC_THEN_DONE);
    ship_all(e);
    e->listener.after(e->listener.whom);
    return notes;
}

static void measure(struct live_engine *e, uint32_t from,
                    const struct view_lock_msg *m)
{
    if (m->kind == VIEW_LOCK_FRAME)
        live_delay_take(&e->delays[from], e->delay, m->inc, live_now(),
                        m->stamp,
                        m->echo_inc == e->state.inc ? m->echo_stamp : 0);
}

/* A frame that repeats a stamp which this life of the node cannot have given: a
 * lease would count from it. */
static bool is_absurd(const struct live_engine *e,
                      const struct view_lock_msg *m)
{
    return m->kind == VIEW_LOCK_FRAME && m->echo_inc == e->state.inc &&
           (m->echo_stamp < e->state.start || m->echo_stamp > live_now());
}

/* Whatever does not look like messages of the protocol is dropped from there
 * on. */
static void on_datagram(void *whom, uint32_t from, const uint8_t *bytes,
                        size_t size)
{
    struct live_engine *e = whom;
    struct live_unread unread = {bytes, size}, message;
    enum live_parcel_found found;

    live_wake_heard(&e->wake);
    if (from >= e->me.nodes || from == e->me.index)
        return;
    while ((found = live_parcel_next(&unread, &message)) ==
           LIVE_PARCEL_MESSAGE) {
        struct view_lock_in in = {
            .event = {.kind = FC_MESSAGE, .port = (uint16_t)from}};

        if (view_lock_unpack(&in.msg, message.bytes, message.size) ||
            is_absurd(e, &in.msg))
            break;
        e->counts.messages_taken++;
        learn(e, from, &in.msg);
        measure(e, from, &in.msg);
        happens(e, in);
    }
    if (found != LIVE_PARCEL_END)
        e->counts.odd++;
}

/* ---- The loop ------------------------------------------------------------ */

static void on_due(void *whom, uint64_t now)
{
    struct live_engine *e = whom;
    uint64_t due = e->wake_at;

    look_at_disk(e, now);
    happens(e, (struct view_lock_in){.event = {.kind = FC_TIMEOUT}});
    if (e->wake_at == due) { /* nothing has set it again */
        look_whether_late(e, live_now());
        e->wake_at = 0;
    }
}

/* The parameters of the protocol.  Its own K is 0: it lets go at the end of the
 * lease, and commands are stopped K before. */
static int set_params(struct live_engine *e, const struct live_config *c,
                      char error[LIVE_ERROR_SIZE])
{
    uint64_t quiet = live_config_quiet(c);
    uint64_t silence = c->silence ? c->silence : quiet;
    /* A round trip, and two more tries if something is lost.  What writing the
     * record takes is measured, and added by the protocol. */
    uint64_t delta = 2 * c->delay + 2 * c->tau;

    if (c->tau > UINT32_MAX || c->lease > UINT32_MAX || silence > UINT32_MAX ||
        delta > UINT32_MAX)
        return live_fail(error,
                         "a time is above 71 minutes; choose shorter ones");
    e->params = (struct view_lock_params){
        .tau = (uint32_t)c->tau,
        .lease = (uint32_t)c->lease,
        .silence = (uint32_t)silence,
        .delta = (uint32_t)delta,
        .quiet = quiet,
        .sync = SYNC_MIN,
        .idle = (uint32_t)live_config_idle(c),
        .generation = (uint8_t)c->generation,
    };
    for (uint32_t x = 0; x < c->nodes_count; x++)
        if (c->nodes[x].witness)
            e->params.witnesses |= (uint16_t)(1u << x);
    return 0;
}

struct live_engine *live_engine_open(uv_loop_t *loop,
                                     const struct live_config *config,
                                     uint32_t self, struct live_record *record,
                                     const struct live_listener *listener,
                                     char error[LIVE_ERROR_SIZE])
{
    struct live_engine *e = calloc(1, sizeof *e);

    if (!e) {
        snprintf(error, LIVE_ERROR_SIZE, "no memory is left");
        return NULL;
    }
    e->me = (struct fc_member){self, config->nodes_count};
    e->record = record;
    e->delay = config->delay;
    e->listener = *listener;
    e->state.record = e->disk = live_record_values(record);
    if (set_params(e, config, error) ||
        live_wake_open(&e->wake, loop, on_due, e, error)) {
        free(e);
        return NULL;
    }
    e->writer = live_writer_open(loop, record, on_written, e, error);
    if (!e->writer) {
        live_engine_close(e);
        return NULL;
    }
    /* The first event sends nothing, but counts the start. */
    happens(e, (struct view_lock_in){.event = {.kind = FC_BOOT}});
    if (!e->dead)
        e->links = live_links_open(loop, config, self, e->state.inc,
                                   on_datagram, e, error);
    else
        snprintf(error, LIVE_ERROR_SIZE, "%s", e->why);
    if (!e->links) {
        live_engine_close(e);
        return NULL;
    }
    live_links_tell(e->links, on_told);
    return e;
}

bool live_engine_command(struct live_engine *e, uint8_t command, uint64_t lock)
{
    struct view_lock_in in = {.event = {.kind = FC_COMMAND, .command = command},
                              .msg = {.lock = lock}};

    return happens(e, in) & FC_NOTE_STARTED;
}

const struct view_lock_one *live_engine_lock(const struct live_engine *e,
                                             uint64_t lock)
{
    return view_lock_find(&e->state, lock);
}

void live_engine_mute(struct live_engine *e, bool mute)
{
    if (e->mute && !mute)
        set_timer_to(e, live_now(), live_now());
    e->mute = mute;
}

void live_engine_close(struct live_engine *e)
{
    e->dead = true;
    if (e->links)
        live_links_close(e->links);
    e->links = NULL;
    if (e->writer)
        live_writer_close(e->writer);
    e->writer = NULL;
    live_wake_close(&e->wake, free);
}
