/*
 * repair.c - a new record for a node that has lost its own (rule P3).
 *
 * The node has forgotten which views it voted for.  The node that proposed one
 * of them knows it, so the highest view that any other node voted for is high
 * enough, if all are asked.  While it asks, the node neither votes nor answers
 * leases: it only introduces itself, and listens.
 *
 * That an answer is new needs no care here: links deliver only what was sent
 * since they were opened.
 *
 * If the list has changed while the cluster ran, others than those of the file
 * may know more (R6a).  As soon as a node shows that, the record is made one of
 * a node that joins: it asks all nodes of the newest list itself when it runs,
 * and waits then.
 *
 * A life of this node must be above all before, which were in the record.  The
 * others say in their hellos which is the highest that they have met (P4), and
 * believe a higher one only.  So the links are reopened with a life above the
 * one told, until all answer; a node that has met none believes any.
 */
#include "live/daemon/daemon.h"

#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <uv.h>

#include "live/common/clock.h"
#include "live/mode/mode.h"
#include "live/record/record.h"
#include "live/system/log.h"
#include "live/system/notify.h"
#include "net/why.h"

enum {
    TICK_MS = 10,
    TELL_MS = 5000,          /* which nodes it still lacks */
    UNSEEN_STARTS = 1 << 16, /* of this node, by all but those that are off */
};

struct repair {
    const struct live_config *config;
    uint32_t self;
    uv_loop_t loop;
    uv_timer_t timer;
    uv_signal_t signals[2];
    struct live_links *links;
    uint64_t life;         /* with which the links are open */
    uint64_t met;          /* the highest that another has met */
    live_node_set lacking; /* nodes that have not answered */
    live_node_set off;     /* and those that need not, because they are off */
    uint64_t tell_at;      /* again, which nodes it lacks */
    uint64_t done_at;      /* 0: somebody is lacking */
    bool stopped, done;
    bool changed; /* the list, since the file */
    const struct live_mode_kind *kind;
    uint64_t highest; /* view that another knows of */
    struct net_why *error;
};

/* ---- What the others say ------------------------------------------------- */

static void learn(struct repair *r, uint64_t view)
{
    if (r->highest < view)
        r->highest = view;
}

static void on_datagram(void *whom, uint32_t from, const uint8_t *bytes,
                        size_t size)
{
    struct repair *r = whom;
    uint64_t view;
    bool changed;

    if (!r->kind->shows((struct live_unread){bytes, size}, &view, &changed))
        return;
    r->changed = r->changed || changed;
    if (live_has(r->off, from)) {
        net_refuse(
            r->error,
            "node '%s' answers, and is not off: what it has proposed may "
            "still be waiting for votes; stop it, or leave out --without",
            r->config->nodes[from].name);
        uv_stop(&r->loop);
        return;
    }
    r->lacking &= ~live_only(from);
    learn(r, view);
}

/* ---- Lives --------------------------------------------------------------- */

static void on_told(void *whom, uint32_t peer, const struct live_known *known)
{
    struct repair *r = whom;
    bool own =
        known->life == r->life && r->links &&
        !live_links_set_back(r->links, peer, known, UINT64_MAX, r->error);

    if (!own && known->life > r->met)
        r->met = known->life;
    learn(r, live_promised_view(known->maxv));
    r->changed = r->changed || live_promised_list(known->maxv);
}

/* Links with a life that nobody has met, as far as was told; false with a
 * sentence. */
static bool open_links(struct repair *r)
{
    if (r->links)
        live_links_close(r->links);
    r->links = NULL;
    if (r->met >= UINT32_MAX - 1 - UNSEEN_STARTS)
        return net_refuse(
            r->error,
            "another node knows of a later start of this one than can be "
            "counted; give the node a new name in the configuration");
    r->life = r->met + 1;
    r->links = live_links_open(&r->loop, r->config, r->self, r->life,
                               on_datagram, r, r->error);
    if (!r->links)
        return false;
    live_links_tell(r->links, on_told);
    return true;
}

/* ---- The loop ------------------------------------------------------------ */

static void tell(struct repair *r, uint64_t now)
{
    char names[LIVE_REASON_MAX];

    (void)live_mode_names(r->config, r->lacking, names);
    live_log("repairs its record: every other node must answer, and %s %s not; "
             "check that %s with its record, and that packets arrive",
             names, strchr(names, ',') ? "have" : "has",
             strchr(names, ',') ? "they run" : "it runs");
    (void)live_notify_say("STATUS=repairs its record, lacks %s", names);
    r->tell_at = now + UINT64_C(1000) * TELL_MS;
}

static void finish(struct repair *r)
{
    struct live_kept kept = {.starts = (uint32_t)r->life};

    if (r->off || r->changed)
        kept.starts += UNSEEN_STARTS;
    r->kind->remind(&kept, r->highest);
    if (r->changed)
        r->kind->rejoin(&kept, r->config);
    if (!live_record_repair(r->config, r->self, &r->kind->payload, &kept,
                            r->error))
        return;
    live_log("has a new record: highest view %" PRIu64 ", start number %u%s",
             r->highest, kept.starts,
             r->changed ? "; the list of nodes is another one than that of the "
                          "file: it asks all of those when it runs"
                        : "");
    r->done = true;
}

static void on_tick(uv_timer_t *timer)
{
    struct repair *r = timer->data;
    uint64_t now = live_now();

    if (r->met >= r->life) {
        if (!open_links(r))
            uv_stop(&r->loop);
    } else if (r->lacking && !r->changed) {
        if (now >= r->tell_at)
            tell(r, now);
    } else if (!r->done_at && !r->changed) {
        r->done_at = now + live_config_quiet(r->config);
        live_log("all have answered: the highest view is %" PRIu64 "; waits %u "
                 "ms, until no lease is left that it may have given",
                 r->highest, (unsigned)((r->done_at - now + 999) / 1000));
    } else if (r->changed || now >= r->done_at) {
        finish(r);
        uv_stop(&r->loop);
    }
}

static void on_signal(uv_signal_t *handle, int number)
{
    struct repair *r = handle->data;

    (void)number;
    r->stopped = true;
    uv_stop(&r->loop);
}

static void run(struct repair *r)
{
    r->timer.data = r;
    (void)uv_timer_init(&r->loop, &r->timer);
    (void)uv_timer_start(&r->timer, on_tick, TICK_MS, TICK_MS);
    for (int i = 0; i < 2; i++) {
        r->signals[i].data = r;
        (void)uv_signal_init(&r->loop, &r->signals[i]);
        (void)uv_signal_start(&r->signals[i], on_signal, i ? SIGINT : SIGTERM);
    }
    if (open_links(r))
        (void)uv_run(&r->loop, UV_RUN_DEFAULT);
    if (r->links)
        live_links_close(r->links);
    uv_close((uv_handle_t *)&r->timer, NULL);
    for (int i = 0; i < 2; i++)
        uv_close((uv_handle_t *)&r->signals[i], NULL);
    (void)uv_run(&r->loop, UV_RUN_DEFAULT);
    (void)uv_loop_close(&r->loop);
}

/* Only a lost record is repaired. */
static bool look_at_record(const struct live_config *config, uint32_t self,
                           struct net_why *error)
{
    struct live_record *record;
    enum live_record_found found = live_record_open(
        &record, config, self, &live_mode_of(config)->payload, error);

    if (found == LIVE_RECORD_FINE) {
        live_record_close(record);
        net_refuse(error,
                   "the record is whole, and there is nothing to repair; start "
                   "the node without --repair");
    }
    return live_record_repairable(found);
}

static bool refuse_lack(const struct live_config *config, live_node_set off,
                        struct net_why *error)
{
    uint32_t most = live_record_may_lack(config->first_count);

    if (live_size(off) <= most)
        return true;
    return net_refuse(error,
                      "of %u nodes %u may be left out of a repair: the others "
                      "could be the only ones that know a view for which this "
                      "node has voted; start one of them",
                      config->first_count, most);
}

bool live_repair(const struct live_config *config, uint32_t self,
                 live_node_set off, struct net_why *error)
{
    struct repair r = {
        .config = config,
        .self = self,
        .kind = live_mode_of(config),
        .lacking = live_first(config->first_count) & ~live_only(self) & ~off,
        .off = off,
        .tell_at = live_now() + UINT64_C(1000000),
        .error = error,
    };

    if (!r.kind->shows)
        return net_refuse(
            error,
            "--repair is for mode = proven; in mode = %s stop all nodes, write "
            "a higher generation into the file of each, remove all records, "
            "and create them again with --init",
            r.kind->name);
    if (!refuse_lack(config, off, error) ||
        !look_at_record(config, self, error))
        return false;
    if (uv_loop_init(&r.loop))
        return net_fail(error, "no event loop can be made");
    live_log("repairs its record: asks every other node");
    run(&r);
    if (r.stopped)
        net_refuse(
            error,
            "the record was not repaired: told to stop before all others "
            "had answered");
    return r.done;
}
