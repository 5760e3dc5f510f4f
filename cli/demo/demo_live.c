/*
 * demo_live.c - five nodes on loopback, in four acts: all want the same lock;
 * the node of its holder is killed; the leader's node is frozen; the leader's
 * whole machine is, and writes when it thaws.
 *
 * What happened is judged afterwards by what the holders wrote down themselves.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/demo/demo_cluster.h"
#include "draw/chart/timeline.h"
#include "draw/output.h"
#include "live/common/clock.h"

enum {
    TICK_NS = 3000000,
    PATIENCE_US = 20000000, /* for anything that must happen at last */
    ALIVE_US = 30000,       /* a holder whose last word is no older is inside */
    STAY_MS = 110,          /* in the fight */
    FOREVER_MS = 600000,    /* a leader */
    AGAIN_US = 20000,       /* from the end of a client to the next */
    INTERVALS_MAX = 2 * DEMO_ENTRIES_MAX,
};

static const char turn[] = "turn", leader[] = "leader";

/* All of a demo.  Not on the stack: the records are long. */
struct demo {
    struct demo_cluster cluster;
    struct demo_record record;
    uint64_t began;
    const char *wanted; /* the lock that all ask for, or NULL */
    uint32_t told;      /* entries that were printed */
    uint64_t asked[DEMO_NODES], ended[DEMO_NODES], up[DEMO_NODES];
    struct timeline_interval intervals[INTERVALS_MAX];
    size_t intervals_count;
    bool interrupted, failed;
};

/* ---- Words --------------------------------------------------------------- */

static void say(const struct demo *d, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* One line, at once, with the time since the beginning. */
static void say(const struct demo *d, const char *format, ...)
{
    va_list arguments;

    printf("  %6.3f s  ", (double)(live_now() - d->began) / 1e6);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
    (void)fflush(stdout);
}

static void title(const char *text)
{
    printf("\n%s\n", text);
    (void)fflush(stdout);
}

static const char *name_of(const struct demo_entry *e)
{
    return demo_names[e->node];
}

/* ---- What goes on beside ------------------------------------------------- */

static void mark(struct demo *d, uint32_t node, enum timeline_state state,
                 uint64_t from, uint64_t to)
{
    if (d->intervals_count < INTERVALS_MAX)
        d->intervals[d->intervals_count++] =
            (struct timeline_interval){node, state, from, to};
}

/* A client's wait is over, in one way or another. */
static void end_wait(struct demo *d, uint32_t node, uint64_t now)
{
    if (d->asked[node])
        mark(d, node, TIMELINE_WAITS, d->asked[node], now);
    d->asked[node] = 0;
}

static void tell_entries(struct demo *d)
{
    for (; d->told < d->record.count; d->told++) {
        const struct demo_entry *e = &d->record.entries[d->told];

        end_wait(d, e->node, e->from);
        say(d, "%s %s, token %" PRIu64, name_of(e),
            strcmp(e->lock, leader) == 0 ? "leads" : "is inside", e->token);
    }
}

static void reap(struct demo *d)
{
    struct demo_cluster before = d->cluster;
    int status;
    pid_t child;

    while ((child = demo_reap(&d->cluster, &status)))
        for (uint32_t i = 0; i < DEMO_NODES; i++) {
            if (before.client[i] == child) {
                end_wait(d, i, live_now());
                d->ended[i] = live_now();
            }
            if (before.node[i] == child && d->up[i]) {
                d->failed = true;
                (void)cli_fail("the node %s ended unexpectedly; see %s/%s.log",
                               demo_names[i], d->cluster.folder, demo_names[i]);
            }
        }
}

static void start_clients(struct demo *d)
{
    uint64_t now = live_now();

    for (uint32_t i = 0; i < DEMO_NODES && d->wanted; i++) {
        if (!d->up[i] || d->cluster.client[i] || d->cluster.frozen[i] ||
            now - d->ended[i] < AGAIN_US)
            continue;
        if (demo_client_start(&d->cluster, i, d->wanted,
                              d->wanted == leader ? FOREVER_MS : STAY_MS) != 0)
            d->failed = true;
        d->asked[i] = now;
    }
}

static sigset_t signals_heard(void)
{
    sigset_t signals;

    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    return signals;
}

/* A few milliseconds in which everything else goes on.  False: it is over, by a
 * signal or a failure. */
static bool tick(struct demo *d)
{
    const struct timespec pause = {0, TICK_NS};
    const sigset_t signals = signals_heard();

    if (sigtimedwait(&signals, NULL, &pause) > 0)
        d->interrupted = true;
    reap(d);
    demo_record_read(&d->record);
    tell_entries(d);
    start_clients(d);
    return !d->interrupted && !d->failed;
}

static bool go_on_for(struct demo *d, uint64_t ms)
{
    uint64_t until = live_now() + 1000 * ms;

    while (live_now() < until)
        if (!tick(d))
            return false;
    return true;
}

/* Complains of what does not come; false. */
static bool lose_patience(struct demo *d, const char *what)
{
    d->failed = true;
    (void)cli_fail("%s takes too long; is this machine very busy? See the logs "
                   "in %s",
                   what, d->cluster.folder);
    return false;
}

/* Goes on until something is so; complains if it does not come. */
static bool await(struct demo *d, bool (*is_so)(struct demo *),
                  const char *what)
{
    uint64_t until = live_now() + PATIENCE_US;

    while (!is_so(d)) {
        if (live_now() > until)
            return lose_patience(d, what);
        if (!tick(d))
            return false;
    }
    return true;
}

/* The holder of the wanted lock, by its own last word; or NULL. */
static const struct demo_entry *holder(const struct demo *d)
{
    const struct demo_entry *e = demo_record_last(&d->record, d->wanted);

    return e && !e->left && !d->cluster.frozen[e->node] && d->up[e->node] &&
                   live_now() - e->to < ALIVE_US
               ? e
               : NULL;
}

static bool somebody_is_inside(struct demo *d)
{
    return holder(d) != NULL;
}

/* And has signed in the store: from here on it needs nothing that others could
 * wait for while it is frozen. */
static bool somebody_has_signed(struct demo *d)
{
    const struct demo_entry *e = holder(d);

    return e && e->to > e->from;
}

/* Not one that is about to leave, nor one that has just come. */
static bool somebody_has_settled(struct demo *d)
{
    const struct demo_entry *e = holder(d);

    return e && e->to - e->from > STAY_MS * 1000 / 4 &&
           e->to - e->from < STAY_MS * 1000 / 2;
}

/* ---- The acts ------------------------------------------------------------ */

static bool all_agree(struct demo *d)
{
    for (uint32_t i = 0; i < DEMO_NODES; i++)
        if (demo_members(&d->cluster, i) != DEMO_NODES)
            return false;
    return true;
}

static bool all_were_inside(struct demo *d)
{
    uint32_t seen = 0;

    for (uint32_t i = 0; i < d->record.count; i++)
        seen |= 1u << d->record.entries[i].node;
    return seen == (1u << DEMO_NODES) - 1;
}

static bool start_node(struct demo *d, uint32_t node, bool first)
{
    if (demo_node_start(&d->cluster, node, first) != 0) {
        (void)cli_fail("cannot start a node: %s", strerror(errno));
        return false;
    }
    d->up[node] = live_now();
    return true;
}

static bool act_fight(struct demo *d)
{
    title("All want the same lock:");
    for (uint32_t i = 0; i < DEMO_NODES; i++)
        if (!start_node(d, i, true))
            return false;
    say(d, "five nodes are started");
    if (!await(d, all_agree, "the first view"))
        return false;
    say(d, "they agree on the members of the first view");
    d->wanted = turn;
    return await(d, all_were_inside, "an entry of each node");
}

static void kill_node(struct demo *d, uint32_t node)
{
    uint64_t now = live_now();

    mark(d, node, TIMELINE_UP, d->up[node], now);
    d->up[node] = 0;
    (void)kill(d->cluster.node[node], SIGKILL);
    say(d, "the node %s is killed while it holds the lock", demo_names[node]);
}

/* From a mishap at `when` to the next holder.  Commands run on until shortly
 * before the lease ends, unless they are frozen themselves. */
static void say_fail_over(const struct demo *d, const struct demo_entry *before,
                          uint64_t when, const char *mishap)
{
    const struct demo_entry *after = demo_record_last(&d->record, before->lock);
    const struct demo_entry *old = demo_record_find(&d->record, before);

    say(d, "that was %.0f ms after %s, %.0f ms after %s's last word",
        (double)(after->from - when) / 1000, mishap,
        (double)(after->from - old->to) / 1000, name_of(before));
}

static bool act_kill(struct demo *d)
{
    struct demo_entry before;
    uint64_t killed;

    title("The node of the holder dies:");
    if (!await(d, somebody_has_settled, "an entry"))
        return false;
    before = *holder(d);
    killed = live_now();
    kill_node(d, before.node);
    if (!await(d, somebody_is_inside, "the next holder"))
        return false;
    say_fail_over(d, &before, killed, "the kill");
    if (!go_on_for(d, 250) || !start_node(d, before.node, false))
        return false;
    mark(d, before.node, TIMELINE_DOWN, killed, live_now());
    say(d, "the node %s is started again", demo_names[before.node]);
    return go_on_for(d, 300);
}

static bool nobody_asks(struct demo *d)
{
    for (uint32_t i = 0; i < DEMO_NODES; i++)
        if (d->cluster.client[i])
            return false;
    return true;
}

/* All let go of one lock, and then ask for the leader's. */
static bool elect(struct demo *d)
{
    d->wanted = NULL;
    for (uint32_t i = 0; i < DEMO_NODES; i++)
        if (d->cluster.client[i])
            (void)kill(d->cluster.client[i], SIGTERM);
    if (!await(d, nobody_asks, "the end of the fight"))
        return false;
    d->wanted = leader;
    return await(d, somebody_has_signed, "the election") && go_on_for(d, 250);
}

/* Freezes a leader.  If its whole machine shall stand still, one that was being
 * killed just then does not count. */
static bool freeze_one(struct demo *d, bool all, struct demo_entry *whom,
                       uint64_t *when)
{
    uint64_t until = live_now() + PATIENCE_US;

    while (live_now() < until) {
        if (!await(d, somebody_has_signed, "a leader"))
            return false;
        *whom = *holder(d);
        *when = live_now();
        demo_freeze(&d->cluster, whom->node, all);
        if (!all)
            return true;
        if (!go_on_for(d, 10))
            return false;
        if (demo_is_stopped(whom->process))
            return true;
        demo_thaw(&d->cluster, whom->node);
    }
    return lose_patience(d, "a freeze of a leader's whole machine");
}

/* The same, until another leads; the frozen one is in *before. */
static bool freeze_leader(struct demo *d, bool all, struct demo_entry *before)
{
    uint64_t when;

    if (!freeze_one(d, all, before, &when))
        return false;
    say(d,
        all ? "the whole machine of %s freezes: node, client, guard, command"
            : "the node and the client of %s freeze; its guard does not",
        name_of(before));
    if (!await(d, somebody_has_signed, "the next leader"))
        return false;
    say_fail_over(d, before, when, "the freeze");
    if (!go_on_for(d, 200))
        return false;
    mark(d, before->node, TIMELINE_FROZEN, when, live_now());
    return true;
}

static bool act_freeze(struct demo *d)
{
    struct demo_entry before;

    title("A leader is the holder of a lock, and its token is the epoch:");
    if (!elect(d) || !freeze_leader(d, false, &before))
        return false;
    demo_thaw(&d->cluster, before.node);
    say(d, "%s thaws: its command is dead, and it is a candidate again",
        name_of(&before));
    return go_on_for(d, 250);
}

/* The entry of the machine that froze has heard from the store. */
static struct demo_entry late; /* as it was before the freeze */

static bool store_has_answered(struct demo *d)
{
    late = *demo_record_find(&d->record, &late);
    return late.refused || late.overwritten;
}

static bool act_late_write(struct demo *d)
{
    title("What no lock can prevent, and a token does:");
    if (!freeze_leader(d, true, &late))
        return false;
    (void)kill(late.process, SIGCONT); /* first, by bad luck */
    say(d, "%s thaws, takes itself for the leader, and writes", name_of(&late));
    if (!await(d, store_has_answered, "the late write"))
        return false;
    say(d, "the store has seen token %" PRIu64 " before,",
        demo_record_last(&d->record, leader)->token);
    say(d, "and %s its token %" PRIu64, late.refused ? "refuses" : "takes",
        late.token);
    demo_thaw(&d->cluster, late.node);
    return go_on_for(d, 250);
}

/* ---- The end ------------------------------------------------------------- */

static void collect(struct demo *d, uint64_t now)
{
    for (uint32_t i = 0; i < DEMO_NODES; i++) {
        end_wait(d, i, now);
        if (d->up[i])
            mark(d, i, TIMELINE_UP, d->up[i], now);
    }
    for (uint32_t i = 0; i < d->record.count; i++) {
        const struct demo_entry *e = &d->record.entries[i];

        mark(d, e->node,
             strcmp(e->lock, leader) == 0 ? TIMELINE_LEADS : TIMELINE_INSIDE,
             e->from, e->to);
    }
    for (size_t i = 0; i < d->intervals_count; i++) { /* from 0, for the axis */
        d->intervals[i].from -= d->began;
        d->intervals[i].to -= d->began;
    }
}

static int draw(const struct timeline *t, const char *path)
{
    struct output_file out;
    struct net_why why;
    FILE *file = output_open(&out, path, &why);

    if (file)
        timeline_svg(file, t);
    return file && output_commit(&out, &why) ? 0 : cli_refused(&why);
}

static int verdict(const struct demo *d)
{
    const char *wrong = demo_record_judge(&d->record);

    printf("\n%u entries, by what the holders wrote down themselves:\n",
           (unsigned)d->record.count);
    cli_print_verdict(!wrong, wrong ? wrong
                                    : "never two inside, and tokens grew from "
                                      "holder to holder");
    putchar('\n');
    cli_print_verdict(late.refused, late.refused
                                        ? "the late write was refused"
                                        : "the late write went through");
    putchar('\n');
    return wrong || !late.refused ? CLI_VIOLATED : CLI_FINE;
}

static int report(struct demo *d)
{
    char path[PATH_MAX + 32], subtitle[96], heading[96];
    uint64_t now = live_now();
    struct timeline t = {.title = heading,
                         .subtitle = subtitle,
                         .command = "fulcrum demo live",
                         .lanes = demo_names,
                         .lanes_count = DEMO_NODES,
                         .intervals = d->intervals,
                         .to = now - d->began,
                         .unit = 1000000,
                         .unit_name = "s"};
    int drawn, code;

    collect(d, now);
    t.intervals_count = d->intervals_count;
    snprintf(heading, sizeof heading, "Five nodes, %u entries: %s",
             (unsigned)d->record.count,
             demo_record_judge(&d->record) ? demo_record_judge(&d->record)
                                           : "never two inside");
    snprintf(subtitle, sizeof subtitle,
             "One node killed, two frozen; a lease is %d ms", DEMO_LEASE_MS);
    printf("\nWho held what when:\n\n");
    timeline_text(stdout, &t, 78, cli_is_utf8());
    code = verdict(d);
    snprintf(path, sizeof path, "%s.svg", d->cluster.folder);
    drawn = draw(&t, path);
    printf("\nThe same as a picture: %s\n"
           "Logs, records and configuration: %s\n",
           path, d->cluster.folder);
    return code ? code : drawn;
}

static int play(struct demo *d, const char *folder)
{
    char path[DEMO_PATH];
    bool whole;
    int code = demo_cluster_make(&d->cluster, folder);

    if (code)
        return code;
    if (demo_record_open(&d->record, demo_path(folder, DEMO_RECORD, path)))
        return cli_fail("%s: %s", path, strerror(errno));
    d->began = live_now();
    whole = act_fight(d) && act_kill(d) && act_freeze(d) && act_late_write(d);
    code = whole ? report(d) : d->interrupted ? CLI_INTERRUPTED : CLI_SYSTEM;
    demo_cluster_stop(&d->cluster);
    demo_record_close(&d->record);
    if (d->interrupted)
        (void)cli_complain(CLI_INTERRUPTED,
                           "stopped; so is all that was started");
    return code;
}

int demo_live(const char *folder)
{
    static struct demo d;
    const sigset_t signals = signals_heard();
    sigset_t before;
    int code;

    /* From here on they are only looked for, so that everything that was
     * started is stopped. */
    (void)sigprocmask(SIG_BLOCK, &signals, &before);
    printf("Five nodes on this machine, %d ms a lease. The same code as in "
           "the simulator,\nover real sockets:\n",
           DEMO_LEASE_MS);
    code = play(&d, folder);
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    return code;
}
