/*
 * daemon.c - see daemon.h: ties record, links, protocol and clients together,
 * says in the log what people want to know, and stops in order.
 */
#include "live/daemon/daemon.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "live/client/client.h"
#include "live/common/clock.h"
#include "live/daemon/driver.h"
#include "live/daemon/members.h"
#include "live/daemon/orders.h"
#include "live/door/holders.h"
#include "live/mode/mode_proven_engine.h"
#include "live/process/cgroup.h"
#include "live/process/proc.h"
#include "live/record/record.h"
#include "live/system/log.h"
#include "live/system/machine.h"
#include "live/system/notify.h"
#include "live/system/user.h"
#include "net/why.h"

enum {
    TICK_MS = 5,
    STOP_MAX_MS = 3000, /* until all are dead, beyond their grace */
    CLOCK_MS = 250,     /* between looks at how the clock is slewed */
};

struct node {
    struct live_config *config;
    uint32_t self;
    uv_loop_t loop;
    struct live_record *record;
    struct live_holders *holders;
    struct live_door *door;
    struct live_driver *driver;
    struct live_orders orders;
    struct live_members members;
    uv_signal_t signals[3];
    uv_timer_t stopping, clock;
    uint32_t slew;        /* of this clock, in millionths */
    uint64_t fit_at;      /* when it can be relied on again; 0: it can */
    uint64_t unfit;       /* how often it could not */
    uint64_t doubt_until; /* a peer was at two places; 0: none */
    uint64_t doubted;     /* how often */
    bool told_no_slew;    /* that the system does not tell */
    struct live_notify notify;
    uint64_t drain;       /* how long a stop waits for holders */
    uint64_t drain_until; /* 0: it does not */
    uint64_t stop_at;     /* when the stop began, or 0 */
    uint64_t told_at;     /* to the others; or 0: not yet */
    bool failed;
    bool began;   /* all that a node needs was there */
    bool created; /* its record, by this very start */
    struct net_why *error;
};

/* A node that cannot write its promises down makes none: it stops at once. */
static void broken(void *whom, const char *why)
{
    struct node *n = whom;

    live_log("stops: %s", why);
    net_fail(n->error, "%s", why);
    n->failed = true;
    uv_stop(&n->loop);
}

/* ---- Reasons not to take part -------------------------------------------- */

static void take_part(struct node *n)
{
    if (n->fit_at || n->doubt_until)
        return;
    live_log("takes part again");
    live_driver_unfit(n->driver, NULL);
}

/* P7: until whatever may rest on it is over. */
static void doubts(void *whom, const char *why)
{
    struct node *n = whom;

    if (!n->doubt_until) {
        n->doubted++;
        live_log("%s", why);
        live_driver_unfit(n->driver, why);
    }
    n->doubt_until = live_now() + live_config_quiet(n->config);
}

static void look_at_doubts(struct node *n, uint64_t now)
{
    if (!n->doubt_until || now < n->doubt_until)
        return;
    n->doubt_until = 0;
    take_part(n);
}

/* ---- The clock ----------------------------------------------------------- */

/* K6: a clock that is slewed by more than its half of the spread.  Whatever was
 * promised or heard by it is over when it has run well for as long as any of
 * that lasts; until then the node holds nothing and takes no part. */
static void look_at_clock(struct node *n, uint64_t now)
{
    uint32_t ppm = live_slew(), most = n->config->spread_ppm / 2;
    char why[LIVE_REASON_MAX];

    n->slew = ppm;
    if (ppm == UINT32_MAX) {
        if (!n->told_no_slew)
            live_log("cannot see how the clock is slewed: it is assumed to "
                     "keep to 'spread'; allow adjtimex(2)");
        n->told_no_slew = true;
    } else if (ppm > most) {
        if (!n->fit_at) {
            n->unfit++;
            snprintf(why, sizeof why,
                     "the clock of this machine is slewed by %u ppm, and "
                     "'spread' allows %u: this node takes no part until that "
                     "is over; see 'maxslewrate' of chrony",
                     ppm, most);
            live_log("%s", why);
            live_driver_unfit(n->driver, why);
        }
        n->fit_at = now + live_config_quiet(n->config);
    } else if (n->fit_at && now >= n->fit_at) {
        live_log("the clock can be relied on again");
        n->fit_at = 0;
        take_part(n);
    }
}

static void on_clock(uv_timer_t *timer)
{
    look_at_clock(timer->data, live_now());
    look_at_doubts(timer->data, live_now());
    live_orders_due(&((struct node *)timer->data)->orders, live_now());
    live_log_flush();
}

static void watch_clock(struct node *n)
{
    n->clock.data = n;
    (void)uv_timer_init(&n->loop, &n->clock);
    (void)uv_timer_start(&n->clock, on_clock, CLOCK_MS, CLOCK_MS);
    uv_unref((uv_handle_t *)&n->clock);
    look_at_clock(n, live_now());
}

/* ---- Status -------------------------------------------------------------- */

static json_t *describe_peer(const struct node *n, uint32_t x, uint64_t now)
{
    const struct live_config_node *node = &n->config->nodes[x];
    const struct live_mode *mode = n->driver->node.mode;
    struct live_links *links = n->driver->links;
    char words[LIVE_TROUBLE_WORDS];
    const char *trouble = live_links_trouble(links, x, words);
    const struct live_link_counts *c = live_links_counts(links, x);
    json_t *o = json_pack("{s:s, s:s, s:i, s:b, s:b}", "name", node->name,
                          "host", node->host, "port", (int)node->port, "self",
                          (int)(x == n->self), "witness", (int)node->witness);

    json_object_set_new(
        o, "link",
        LIVE_NUMBERS(NULL, {"sent", c->sent}, {"received", c->received},
                     {"forged", c->forged}, {"replayed", c->replayed},
                     {"odd", c->odd}, {"old", c->old}, {"dropped", c->dropped},
                     {"greeted", c->greeted}, {"outlived", c->outlived},
                     {"unproven", c->unproven}));
    if (trouble)
        json_object_set_new(o, "trouble", json_string(trouble));
    if (x != n->self)
        live_orders_describe_peer(&n->orders, x, o);
    live_members_describe_peer(&n->members, x, now, o);
    mode->kind->describe_peer(mode, x, now, o);
    return o;
}

static void describe(void *whom, uint64_t now, json_t *o)
{
    const struct node *n = whom;
    const struct live_mode *mode = n->driver->node.mode;
    json_t *peers = json_array(), *clock;

    for (uint32_t x = 0; x < n->config->nodes_count; x++)
        if (live_config_knows(n->config, x))
            json_array_append_new(peers, describe_peer(n, x, now));
    json_object_set_new(o, "node", json_string(n->config->nodes[n->self].name));
    LIVE_NUMBERS(o, {"pid", (uint64_t)getpid()},
                 {"nodes", n->config->nodes_count}, /* unless the mode knows */
                 {"generation", n->config->generation});
    json_object_set_new(o, "mode", json_string(mode->kind->name));
    json_object_set_new(o, "witness",
                        json_boolean(n->config->nodes[n->self].witness));
    mode->kind->describe(mode, now, o);
    if (json_object_get(o, "violations"))
        LIVE_NUMBERS(json_object_get(o, "violations"),
                     {"holders_lost", n->driver->node.desk.counts.lost},
                     {"clock_slewed", n->unfit}, {"two_places", n->doubted});
    clock = LIVE_NUMBERS(
        NULL, {"slew_ppm", n->slew == UINT32_MAX ? UINT64_MAX : n->slew},
        {"limit_ppm", n->config->spread_ppm / 2});
    json_object_set_new(clock, "fit", json_boolean(!n->fit_at));
    json_object_set_new(o, "clock", clock);
    if (n->driver->node.elder[0])
        json_object_set_new(o, "defers", json_string(n->driver->node.elder));
    if (live_record_change(n->record).stays_from)
        LIVE_NUMBERS(o,
                     {"stays_from", live_record_change(n->record).stays_from});
    live_orders_describe(&n->orders, now, o);
    live_members_describe(&n->members, now, o);
    json_object_set_new(o, "peers", peers);
}

static enum live_ordered obey(void *whom, const struct live_order *order,
                              char answer[LIVE_REASON_MAX])
{
    struct node *n = whom;
    bool of_list = order->kind >= LIVE_NODE_ADD;
    enum live_ordered done = of_list
                                 ? live_members_obey(&n->members, order, answer)
                                 : live_orders_obey(&n->orders, order, answer);

    if (done != LIVE_ORDER_EARLY && !order->trial)
        live_log("user %u: cluster %s%s: %s%s", (unsigned)order->uid,
                 live_order_words(order->kind), order->forced ? " --force" : "",
                 done == LIVE_ORDER_DONE ? "" : "refused: ", answer);
    return done;
}

static void heard(void *whom, struct live_desk_in *in)
{
    const struct node *n = whom;

    live_driver_heard(n->driver, in);
}

/* ---- Stopping ------------------------------------------------------------ */

/* Nobody holds any more, and the others have heard of it: or have had the time
 * to. */
static bool is_over(struct node *n, uint64_t now)
{
    const struct live_mode *mode = n->driver->node.mode;

    if (!n->told_at) {
        if (!live_driver_tell(n->driver, LIVE_STOPS, UINT64_MAX,
                              "the node is about to stop"))
            return now - n->stop_at >
                   UINT64_C(1000) * STOP_MAX_MS + n->config->lease;
        n->told_at = now;
        live_driver_leave(n->driver);
    }
    return (mode->kind->parted && mode->kind->parted(mode)) ||
           now - n->told_at > mode->kind->farewell(mode);
}

static void begin_stop(struct node *n, uint64_t now)
{
    (void)live_notify_say("STOPPING=1\nSTATUS=stops, and hands over");
    n->stop_at = now;
}

static void on_tick(uv_timer_t *timer)
{
    struct node *n = timer->data;
    uint64_t now = live_now();

    if (!n->stop_at) {
        if (!live_driver_tell(n->driver, LIVE_DRAINS, n->drain_until,
                              "the node is about to stop; ask another one") &&
            now < n->drain_until)
            return;
        begin_stop(n, now);
    }
    if (is_over(n, now))
        uv_stop(&n->loop);
}

static void drain(struct node *n, uint64_t until)
{
    n->drain_until = until;
    live_log("grants nothing more%s, and stops when nobody holds a lock here%s",
             until == UINT64_MAX ? "" : ", tells holders to end",
             until == UINT64_MAX ? "" : ", or its time is over");
    (void)live_notify_say("STATUS=waits for holders, and stops then");
    (void)uv_timer_start(&n->stopping, on_tick, 0, TICK_MS);
}

/* SIGUSR1: let holders go on, and stop when they are done; nobody is told.
 * Otherwise each signal is more in earnest: drain, if that is wished; stop; at
 * once. */
static void on_signal(uv_signal_t *handle, int number)
{
    struct node *n = handle->data;
    uint64_t now = live_now();

    if (number == SIGUSR1) {
        if (!n->stop_at && !n->drain_until)
            drain(n, UINT64_MAX);
        return;
    }
    if (n->stop_at) {
        uv_stop(&n->loop);
        return;
    }
    live_log("stops: signal %d", number);
    if (n->drain && (!n->drain_until || n->drain_until == UINT64_MAX)) {
        drain(n, now + n->drain);
        return;
    }
    begin_stop(n, now);
    (void)uv_timer_start(&n->stopping, on_tick, 0, TICK_MS);
}

/* ---- The list of nodes --------------------------------------------------- */

/* A node that is in no list any more stops in order. */
static const char *lists(void *whom, const struct live_mode *mode,
                         struct live_links *links)
{
    struct node *n = whom;
    const char *why = live_members_apply(n->config, n->self, mode, links);

    if (!why || !links)
        return why;
    if (!n->stop_at) {
        begin_stop(n, live_now());
        (void)uv_timer_start(&n->stopping, on_tick, TICK_MS, TICK_MS);
    }
    return why;
}

static bool guest(void *whom, struct live_mode *mode, uint32_t id,
                  const struct live_config_node *node)
{
    struct node *n = whom;

    return live_members_guest(n->config, mode, id, node);
}

/* ---- Before the start ---------------------------------------------------- */

/* Makes a directory, but not its parents.  The advice on failure is to give it
 * to `owner`, which must write there: a state directory is best root's where
 * root starts the node, whatever user it becomes. */
static bool make_folder(const char *path, mode_t mode, const char *owner,
                        struct net_why *error)
{
    struct stat is;

    if (stat(path, &is) == 0 || mkdir(path, mode) == 0 || errno == EEXIST)
        return true;
    return net_fail(error,
                    "%s: there is no such directory, and it cannot be created "
                    "(%s); create it as root: install -d -m %o -o %s %s",
                    path, strerror(errno), (unsigned)mode, owner, path);
}

/* The same for the directory in which a file is. */
static bool make_folder_for(const char *file, mode_t mode, const char *owner,
                            struct net_why *error)
{
    const char *slash = strrchr(file, '/');
    char path[LIVE_PATH_MAX];

    if (!slash || slash == file)
        return true;
    snprintf(path, sizeof path, "%.*s", (int)(slash - file), file);
    return make_folder(path, mode, owner, error);
}

static void wait_until(uint64_t at)
{
    struct timespec when = {.tv_sec = (time_t)(at / 1000000),
                            .tv_nsec = (long)(at % 1000000) * 1000};

    while (clock_nanosleep(CLOCK_BOOTTIME, TIMER_ABSTIME, &when, NULL) == EINTR)
        ;
}

/* P5: the first start under a changed configuration.  Says in the log what has
 * changed, and waits until no lease is left that the new times would not
 * outwait.  Nothing is written before: a node that is stopped meanwhile waits
 * again. */
static void await_old_leases(const struct live_config *config,
                             const struct live_record *record)
{
    struct live_record_change change = live_record_change(record);
    uint64_t at = live_now() + change.wait;

    if (!change.changed)
        return;
    if (change.generation)
        live_log("takes its record over from generation %u to %u",
                 change.generation, config->generation);
    else
        live_log("takes over a record of an earlier version of this program, "
                 "into generation %u; if that had a longer lease, let all "
                 "nodes be stopped for as long first",
                 config->generation);
    if (!change.wait)
        return;
    live_log("waits %" PRIu64 " ms: leases were longer before",
             change.wait / 1000 + 1);
    (void)live_notify_say("EXTEND_TIMEOUT_USEC=%" PRIu64 "\nSTATUS=waits until "
                          "the leases of generation %u are over",
                          change.wait + UINT64_C(30000000), change.generation);
    wait_until(at + 1);
}

static bool open_record(struct node *n, const struct live_options *options,
                        struct net_why *error)
{
    const struct live_payload *payload = &live_mode_of(n->config)->payload;
    enum live_record_found found;

    char starter[LIVE_NAME_MAX];

    live_user_own(starter);
    if ((options->create || options->repair) &&
        !make_folder(n->config->state, 0700, starter, error))
        return false;
    if (options->create && !live_record_create(n->config, n->self, error))
        return false;
    n->created = options->create;
    if (options->repair &&
        !live_repair(n->config, n->self, options->without, error))
        return false;
    if (options->stay && !live_record_stay(n->config, n->self, payload, error))
        return false;
    found = (options->moved ? live_record_move : live_record_open)(
        &n->record, n->config, n->self, payload, error);
    if (found != LIVE_RECORD_FINE)
        return false;
    if (options->moved)
        live_log("its record belongs here from now on: the node must be off "
                 "wherever the record was before");
    if (live_record_damaged(n->record))
        live_log("a part of the record was damaged while the node was off; "
                 "the other part says the same, and it goes on: check the "
                 "disk");
    await_old_leases(n->config, n->record);
    return true;
}

/* ---- Beginning and end --------------------------------------------------- */

/* The code of live nodes lies together, far from the simulator's: it is all
 * between these functions, which are taken from many of its files. */
static void keep_in_memory(void)
{
    live_code *const of[] = {
        (live_code *)live_cgroup_kill,  (live_code *)live_client_open,
        (live_code *)live_config_quiet, (live_code *)live_desk_step,
        (live_code *)live_engine_open,  (live_code *)live_log,
        (live_code *)live_node_take,    (live_code *)live_pidfd_signal_group,
        (live_code *)live_record_write, (live_code *)live_client_holds,
    };

    live_machine_memory(of, sizeof of / sizeof of[0]);
}

static bool begin_node(struct node *n, const struct live_options *options,
                       struct net_why *error)
{
    static const int signals[] = {SIGUSR1, SIGTERM, SIGINT};
    const struct live_door_owner owner = {describe, heard, obey, n};
    const struct live_driver_owner driver_owner = {broken, doubts, lists, guest,
                                                   n};
    const char *wished = options->user ? options->user : n->config->user;
    struct live_user user = {.name = ""};
    char path[LIVE_PATH_MAX], starter[LIVE_NAME_MAX];

    live_user_own(starter);
    live_config_socket(n->config, n->self, path);
    if (options->socket)
        snprintf(path, sizeof path, "%s", options->socket);
    if ((wished[0] && !live_user_find(&user, wished, error)) ||
        !open_record(n, options, error) ||
        !make_folder_for(path, 0755, wished[0] ? wished : starter, error))
        return false;
    n->holders = live_holders_open(n->config, n->self,
                                   user.name[0] ? user.uid : geteuid(), error);
    if (!n->holders)
        return false;
    n->door = live_door_open(&n->loop, n->config, n->self, path,
                             user.name[0] ? &user : NULL, &owner, error);
    if (!n->door)
        return false;
    n->driver = live_driver_open(
        &(struct live_driver_parts){&n->loop, n->config, n->self, n->record,
                                    n->door, n->holders, &driver_owner},
        error);
    if (!n->driver)
        return false;
    n->orders = (struct live_orders){.config = n->config,
                                     .links = n->driver->links,
                                     .mode = n->driver->node.mode};
    n->members = (struct live_members){
        .config = n->config, .self = n->self, .driver = n->driver};
    live_orders_tell(&n->orders);
    sodium_memzero(n->config->key, sizeof n->config->key);
    sodium_memzero(n->config->new_key, sizeof n->config->new_key);
    if (options->mishaps)
        live_links_mishaps(n->driver->links, options->mishaps);
    n->stopping.data = n;
    n->drain = options->drain;
    for (int i = 0; i < 3; i++) {
        n->signals[i].data = n;
        (void)uv_signal_init(&n->loop, &n->signals[i]);
        (void)uv_signal_start(&n->signals[i], on_signal, signals[i]);
    }
    (void)uv_timer_init(&n->loop, &n->stopping);
    watch_clock(n);
    live_notify_open(&n->notify, &n->loop);
    keep_in_memory();
    live_machine_priority();
    /* What only root could open is open: from now on the node is its user. */
    if (!user.name[0])
        return true;
    if (!live_user_become(&user, error))
        return false;
    live_log("runs as user '%s'", user.name);
    return true;
}

/* What it knows it leaves in both halves of its record. */
static void stop_record(struct node *n)
{
    struct net_why error;

    if (!live_record_stop(n->record, &error))
        live_log("cannot note in its record that it stopped: %s", error.text);
}

static void end_node(struct node *n)
{
    if (n->driver) {
        for (int i = 0; i < 3; i++)
            uv_close((uv_handle_t *)&n->signals[i], NULL);
        uv_close((uv_handle_t *)&n->stopping, NULL);
        uv_close((uv_handle_t *)&n->clock, NULL);
    }
    live_notify_close(&n->notify);
    if (n->door)
        live_door_close(n->door);
    n->door = NULL;
    if (n->driver)
        live_driver_close(n->driver);
    n->driver = NULL;
    while (uv_run(&n->loop, UV_RUN_DEFAULT)) /* it may be told to stop yet */
        ;
    (void)uv_loop_close(&n->loop);
    live_holders_close(n->holders);
    if (n->began && !n->failed)
        stop_record(n);
    live_record_close(n->record);
}

bool live_daemon(struct live_config *config, uint32_t self,
                 const struct live_options *options, struct net_why *error)
{
    struct node n = {.config = config, .self = self, .error = error};
    bool failed;

    error->text[0] = '\0';
    live_log_name(config->nodes[self].name);
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN); /* a record that cannot grow is told */
    live_machine_files();
    if (uv_loop_init(&n.loop))
        return net_fail(error, "no event loop can be made");
    failed = !begin_node(&n, options, error);
    n.began = !failed;
    if (!failed) {
        live_log("starts: node %u of %u at %s port %u", self + 1,
                 config->nodes_count, config->nodes[self].host,
                 config->nodes[self].port);
        (void)live_notify_say("READY=1"); /* clients are served */
        n.driver->node.mode->kind->log_start(n.driver->node.mode);
        (void)uv_run(&n.loop, UV_RUN_DEFAULT);
        live_log("has stopped");
    }
    end_node(&n);
    if (failed && n.created) /* nothing was said yet: all is as it was */
        live_record_discard(config, self);
    return !(failed || n.failed);
}
