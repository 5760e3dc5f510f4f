/*
 * daemon.c - see daemon.h: ties record, links, protocol and clients together,
 * says in the log what people want to know, and stops in order.
 */
#include "live/state.h"

#include "live/daemon.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "live/clock.h"
#include "live/desk.h"
#include "live/engine.h"
#include "live/log.h"
#include "live/notify.h"
#include "live/repair.h"
#include "live/user.h"

enum { TICK_MS = 5, STOP_MAX_MS = 3000 };

struct node {
    const struct live_config *config;
    uint32_t self;
    uv_loop_t loop;
    struct live_record *record;
    struct live_engine *engine;
    struct live_desk *desk;
    uv_signal_t term, interrupt;
    uv_timer_t stopping;
    struct live_notify notify;
    uint64_t stop_at; /* when the stop began, or 0 */
    uint64_t told_at; /* to the others; or 0: not yet */
    uint64_t latest;  /* wake-up, as last logged */
    uint32_t view;    /* likewise */
    bool leased;      /* likewise */
    bool failed;
    char *error;
};

/* ---- The log ------------------------------------------------------------- */

static void log_view(struct node *n, const struct view_lock *s)
{
    char text[256];
    size_t used = 0;

    for (uint32_t x = 0; x < n->config->nodes_count; x++)
        if (s->members >> x & 1u && used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, " %s",
                                     n->config->nodes[x].name);
    live_log("view %" PRIu32 ":%s", s->view, text);
}

/* One line for systemctl status. */
static void tell_manager(uint32_t view, bool leased)
{
    (void)live_notify_say("STATUS=view %" PRIu32 ", %s", view,
                          leased ? "with a lease: locks can be held here"
                                 : "no lease: no lock can be held here");
}

/* How many may be gone, in words. */
static void log_majority(const struct live_config *config, uint32_t self)
{
    uint32_t nodes = config->nodes_count, spare = (nodes - 1) / 2;

    if (nodes == 2)
        live_log("two nodes: both must run and hear each other, or there is no "
                 "lock; a third, which may be a witness, mends that");
    else if (nodes % 2 == 0)
        live_log("%u nodes: locks go on with up to %u gone; two halves that do "
                 "not hear each other both stop, and one node more, which may "
                 "be a witness, mends that",
                 nodes, spare);
    else
        live_log("%u nodes: locks go on with up to %u gone", nodes, spare);
    if (config->nodes[self].witness)
        live_log("is a witness: helps the others to a majority, and holds no "
                 "lock itself");
}

static void log_changes(struct node *n)
{
    const struct view_lock *s = live_engine_state(n->engine);
    const struct live_engine_counts *counts = live_engine_counts(n->engine);
    bool leased = live_now() < s->lease_end;

    if (s->view != n->view)
        log_view(n, s);
    if (leased != n->leased)
        live_log(leased ? "has a lease" : "has no lease any more");
    if (s->view != n->view || leased != n->leased)
        tell_manager(s->view, leased);
    if (counts->latest > n->latest)
        live_log("woke up %" PRIu64 " ms late, the most so far: paused, or too "
                 "busy a machine",
                 counts->latest / 1000);
    n->view = s->view;
    n->leased = leased;
    n->latest = counts->latest;
}

/* ---- The listener -------------------------------------------------------- */

static void before(void *whom, uint64_t now)
{
    struct node *n = whom;

    if (n->desk)
        live_desk_expire(n->desk, now);
}

static void after(void *whom)
{
    struct node *n = whom;

    if (!n->engine)
        return;
    log_changes(n);
    if (n->desk)
        live_desk_update(n->desk);
}

/* Whoever cannot write its promises down makes none: it stops at once. */
static void broken(void *whom, const char *why)
{
    struct node *n = whom;

    live_log("stops: %s", why);
    snprintf(n->error, LIVE_ERROR_SIZE, "%s", why);
    n->failed = true;
    if (n->desk)
        (void)live_desk_stop(n->desk, "the node cannot write its record");
    uv_stop(&n->loop);
}

static bool vacate(void *whom, uint64_t lock)
{
    struct node *n = whom;

    return !n->desk || live_desk_vacate(n->desk, lock);
}

/* ---- Status -------------------------------------------------------------- */

static json_t *describe_link(const struct node *n, uint32_t x)
{
    const struct live_link_counts *c =
        live_links_counts(live_engine_links(n->engine), x);

    return json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "sent",
        (json_int_t)c->sent, "greeted", (json_int_t)c->greeted, "received",
        (json_int_t)c->received, "forged", (json_int_t)c->forged, "replayed",
        (json_int_t)c->replayed, "odd", (json_int_t)c->odd, "old",
        (json_int_t)c->old, "outlived", (json_int_t)c->outlived, "unproven",
        (json_int_t)c->unproven, "dropped", (json_int_t)c->dropped);
}

/* Microseconds beyond the quickest frame. */
static json_t *describe_delay(const struct node *n, uint32_t x)
{
    const struct live_delay *d = live_engine_delay(n->engine, x);

    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "last_us",
                     (json_int_t)d->last, "mean_us", (json_int_t)d->mean,
                     "greatest_us", (json_int_t)d->greatest, "limit_us",
                     (json_int_t)n->config->delay, "late", (json_int_t)d->late,
                     "round_trip_us", (json_int_t)d->round);
}

static json_t *describe_peer(const struct node *n, uint32_t x, uint64_t now)
{
    const struct view_lock_peer *p = &live_engine_state(n->engine)->peer[x];
    const struct live_node *node = &n->config->nodes[x];

    return json_pack("{s:s, s:s, s:i, s:b, s:b, s:I, s:I, s:I, s:b, s:b,"
                     " s:o, s:o}",
                     "name", node->name, "host", node->host, "port",
                     (int)node->port, "self", (int)(x == n->self), "witness",
                     (int)node->witness, "silent_us",
                     x == n->self  ? (json_int_t)0
                     : p->heard_at ? (json_int_t)(now - p->heard_at)
                                   : (json_int_t)-1,
                     "inc", (json_int_t)p->inc, "view", (json_int_t)p->view,
                     "ready", (int)!!(p->flags & VIEW_LOCK_READY), "leased",
                     (int)!!(p->flags & VIEW_LOCK_LEASED), "link",
                     describe_link(n, x), "delay", describe_delay(n, x));
}

/* What was not as the configuration hopes: it costs time, never safety. */
static json_t *describe_violations(const struct node *n)
{
    const struct live_engine_counts *c = live_engine_counts(n->engine);
    uint64_t late = 0, latest = 0;

    for (uint32_t x = 0; x < n->config->nodes_count; x++) {
        const struct live_delay *d = live_engine_delay(n->engine, x);

        late += d->late;
        latest = d->greatest > latest ? d->greatest : latest;
    }
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "late_wakeups",
                     (json_int_t)c->late, "latest_wakeup_us",
                     (json_int_t)c->latest, "late_frames", (json_int_t)late,
                     "latest_frame_us", (json_int_t)latest, "holders_lost",
                     (json_int_t)live_desk_counts(n->desk)->lost,
                     "views_delayed", (json_int_t)c->vacated);
}

static void describe(void *whom, json_t *o)
{
    const struct node *n = whom;
    const struct view_lock *s = live_engine_state(n->engine);
    const struct live_engine_counts *c = live_engine_counts(n->engine);
    uint64_t now = live_now();
    json_t *members = json_array(), *peers = json_array();
    bool in_view = s->view && s->view == s->record.maxv;

    for (uint32_t x = 0; x < n->config->nodes_count; x++) {
        if (in_view && s->members >> x & 1u)
            json_array_append_new(members,
                                  json_string(n->config->nodes[x].name));
        json_array_append_new(peers, describe_peer(n, x, now));
    }
    json_object_set_new(o, "node", json_string(n->config->nodes[n->self].name));
    json_object_set_new(o, "pid", json_integer(getpid()));
    json_object_set_new(o, "nodes", json_integer(n->config->nodes_count));
    json_object_set_new(o, "witness",
                        json_boolean(n->config->nodes[n->self].witness));
    json_object_set_new(o, "majority",
                        json_integer(n->config->nodes_count / 2 + 1));
    json_object_set_new(o, "inc", json_integer((json_int_t)s->inc));
    json_object_set_new(o, "maxv", json_integer(s->record.maxv));
    json_object_set_new(o, "view", json_integer(in_view ? s->view : 0));
    json_object_set_new(o, "members", members);
    json_object_set_new(o, "leased", json_boolean(now < s->lease_end));
    json_object_set_new(o, "lease_left_us",
                        json_integer(now < s->lease_end
                                         ? (json_int_t)(s->lease_end - now)
                                         : 0));
    json_object_set_new(o, "clean",
                        json_boolean(s->clean || now >= s->quiet_end));
    json_object_set_new(o, "peers", peers);
    json_object_set_new(o, "violations", describe_violations(n));
    json_object_set_new(
        o, "counters",
        json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "events",
                  (json_int_t)c->events, "sent", (json_int_t)c->messages_sent,
                  "taken", (json_int_t)c->messages_taken, "odd",
                  (json_int_t)c->odd, "late", (json_int_t)c->late, "latest_us",
                  (json_int_t)c->latest, "syncs", (json_int_t)c->syncs));
}

/* ---- Stopping ------------------------------------------------------------ */

/* Nobody holds any more, and the others have made a view without this node: or
 * have had the time to. */
static bool is_over(struct node *n, uint64_t now)
{
    const struct view_lock_params *p = live_engine_params(n->engine);

    if (!n->told_at) {
        if (!live_desk_stop(n->desk, "the node is about to stop"))
            return now - n->stop_at > UINT64_C(1000) * STOP_MAX_MS;
        n->told_at = now;
        (void)live_engine_command(n->engine, VIEW_LOCK_STOP, 0);
    }
    return now - n->told_at > 4 * (uint64_t)p->delta + 2 * p->tau;
}

static void on_tick(uv_timer_t *timer)
{
    struct node *n = timer->data;

    if (is_over(n, live_now()))
        uv_stop(&n->loop);
}

static void on_signal(uv_signal_t *handle, int number)
{
    struct node *n = handle->data;

    if (n->stop_at) { /* the second time: at once */
        uv_stop(&n->loop);
        return;
    }
    live_log("stops: signal %d", number);
    (void)live_notify_say("STOPPING=1\nSTATUS=stops, and hands over");
    n->stop_at = live_now();
    (void)uv_timer_start(&n->stopping, on_tick, 0, TICK_MS);
}

/* ---- Beginning and end --------------------------------------------------- */

static int open_record(struct node *n, const struct live_options *options,
                       char error[LIVE_ERROR_SIZE])
{
    enum live_record_found found;

    if (options->create && live_record_create(n->config, n->self, error))
        return -1;
    if (options->repair && live_repair(n->config, n->self, error))
        return -1;
    found = options->adopt
                ? live_record_adopt(&n->record, n->config, n->self, error)
                : live_record_open(&n->record, n->config, n->self, error);
    return found == LIVE_RECORD_FINE ? 0 : -1;
}

/* What is swapped out comes back late.  Memory to come is locked only if that
 * can never fail; without the right to lock any the node does without. */
static void lock_memory(void)
{
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    bool unlimited = setrlimit(RLIMIT_MEMLOCK, &limit) == 0 ||
                     (getrlimit(RLIMIT_MEMLOCK, &limit) == 0 &&
                      limit.rlim_cur == RLIM_INFINITY);

    (void)mlockall(unlimited ? MCL_CURRENT | MCL_FUTURE : MCL_CURRENT);
}

/* What only root could open is open: from now on it is another's. */
static int drop_rights(const struct live_user *user, const char *socket,
                       char error[LIVE_ERROR_SIZE])
{
    if (!user->name[0])
        return 0;
    if (geteuid() == 0 && chown(socket, user->uid, user->gid)) {
        snprintf(error, LIVE_ERROR_SIZE, "cannot give %s to user '%s': %s",
                 socket, user->name, strerror(errno));
        return -1;
    }
    if (live_user_become(user, error))
        return -1;
    live_log("is user '%s'", user->name);
    return 0;
}

static int begin_node(struct node *n, const struct live_options *options,
                      char error[LIVE_ERROR_SIZE])
{
    struct live_listener listener = {before, after, broken, vacate, n};
    const char *wished = options->user ? options->user : n->config->user;
    struct live_user user = {.name = ""};
    char path[LIVE_PATH_MAX];

    live_config_socket(n->config, n->self, path);
    if (options->socket)
        snprintf(path, sizeof path, "%s", options->socket);
    if ((wished[0] && live_user_find(&user, wished, error)) ||
        open_record(n, options, error))
        return -1;
    n->desk =
        live_desk_open(&n->loop, n->config, n->self, path, describe, n, error);
    if (!n->desk)
        return -1;
    n->engine = live_engine_open(&n->loop, n->config, n->self, n->record,
                                 &listener, error);
    if (!n->engine)
        return -1;
    live_desk_serve(n->desk, n->engine);
    if (options->mishaps)
        live_links_mishaps(live_engine_links(n->engine), options->mishaps);
    n->term.data = n->interrupt.data = n->stopping.data = n;
    (void)uv_signal_init(&n->loop, &n->term);
    (void)uv_signal_init(&n->loop, &n->interrupt);
    (void)uv_signal_start(&n->term, on_signal, SIGTERM);
    (void)uv_signal_start(&n->interrupt, on_signal, SIGINT);
    (void)uv_timer_init(&n->loop, &n->stopping);
    live_notify_open(&n->notify, &n->loop);
    lock_memory();
    return drop_rights(&user, path, error);
}

static void end_node(struct node *n)
{
    if (n->engine) {
        uv_close((uv_handle_t *)&n->term, NULL);
        uv_close((uv_handle_t *)&n->interrupt, NULL);
        uv_close((uv_handle_t *)&n->stopping, NULL);
    }
    live_notify_close(&n->notify);
    if (n->desk)
        live_desk_close(n->desk);
    n->desk = NULL;
    if (n->engine)
        live_engine_close(n->engine);
    n->engine = NULL;
    while (uv_run(&n->loop, UV_RUN_DEFAULT)) /* it may be told to stop yet */
        ;
    (void)uv_loop_close(&n->loop);
    live_record_close(n->record);
}

int live_daemon(const struct live_config *config, uint32_t self,
                const struct live_options *options, char error[LIVE_ERROR_SIZE])
{
    struct node n = {.config = config, .self = self, .error = error};
    int failed;

    error[0] = '\0';
    live_log_name(config->nodes[self].name);
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN); /* a record that cannot grow is told */
    if (uv_loop_init(&n.loop)) {
        snprintf(error, LIVE_ERROR_SIZE, "no event loop can be made");
        return -1;
    }
    failed = begin_node(&n, options, error);
    if (!failed) {
        live_log("starts: node %u of %u at %s port %u, start number %" PRIu64,
                 self + 1, config->nodes_count, config->nodes[self].host,
                 config->nodes[self].port, live_engine_state(n.engine)->inc);
        log_majority(config, self);
        (void)live_notify_say("READY=1"); /* clients are served */
        tell_manager(0, false);
        (void)uv_run(&n.loop, UV_RUN_DEFAULT);
        live_log("has stopped");
    }
    end_node(&n);
    return failed || n.failed ? -1 : 0;
}
