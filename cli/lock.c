/*
 * lock.c - fulcrum lock NAME -- COMMAND: runs a command while holding a lock of
 * the cluster, and stops it when the lock cannot be held any longer.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/live.h"
#include "live/clock.h"
#include "live/command.h"

static const char verb[] = "lock";

/* Besides the exit status of the command itself. */
enum {
    EXIT_SPENT = 123, /* stopped: held for as long as --hold allows */
    EXIT_LATE = 124,  /* not held within --wait */
    EXIT_LOST = 125,  /* stopped: the lock could not be held any longer */
};

enum {
    PATIENCE = 1000000, /* microseconds for a node that is late itself */
    GRACE = 1000000,    /* between SIGTERM and SIGKILL, if not told otherwise */
    LETTER_MS = 50,     /* for a letter that explains a death */
};

static void help(void)
{
    printf(
        "usage: fulcrum lock NAME [--wait T] [--hold T [--grace T]] "
        "[--shared]\n"
        "                    [-c FILE [-i NODE] | --socket PATH] [--] COMMAND\n"
        "                    [ARGUMENT...]\n\n"
        "Runs COMMAND while holding the lock NAME of the cluster, under a "
        "token in\n"
        "FULCRUM_TOKEN that grows from holder to holder.\n\n"
        "  -w, --wait T        give up after T seconds; 0: try once\n"
        "  -n                  the same as --wait 0\n"
        "  -t, --hold T        stop COMMAND after T seconds with SIGTERM,\n"
        "      --grace T       and T seconds later, if it still runs, with "
        "SIGKILL;\n"
        "                      default 1\n"
        "  -s, --shared        beside others who say so, too\n"
        "  -c, --config FILE   the cluster; default /etc/fulcrum.ini\n"
        "  -i, --node NAME     its node here; default: the first that "
        "answers\n"
        "      --socket PATH   of the node, instead of both\n\n"
        "Exit status: that of COMMAND; 123 stopped by --hold; 124 not held in "
        "time;\n"
        "125 lost: COMMAND was stopped, because its node could not keep the "
        "lock;\n"
        "126, 127 COMMAND cannot be run; 2 used wrongly; 3 no node, or it "
        "refuses.\n");
}

struct wishes {
    struct cli_place place;
    const char *name;
    char **command;
    uint64_t wait, hold, grace; /* hold 0: any time */
    bool shared;
};

/* All of one run. */
struct run {
    struct live_client client;
    struct live_command command;
    int signals, timer;
    bool holds;  /* the command runs */
    bool orphan; /* the daemon is gone */
    int code;    /* to exit with, once it is over */
    bool over;
    uint64_t hold;    /* from the grant to SIGTERM; 0: any time */
    uint64_t term_at; /* when it is sent; UINT64_MAX: never, or sent already */
    bool spent;       /* it was sent */
};

/* Seconds, with a fraction, into microseconds. */
static int parse_time(const char *text, uint64_t *time)
{
    char *end = NULL;
    double seconds = text ? strtod(text, &end) : -1;

    if (!end || end == text || *end || !(seconds >= 0) || seconds > 1e9)
        return -1;
    *time = (uint64_t)llround(seconds * 1e6);
    return 0;
}

/* --wait, --hold and --grace; false after a complaint. */
static bool take_time(struct wishes *w, int option)
{
    const char *name = option == 'w'   ? "wait"
                       : option == 't' ? "hold"
                                       : "grace";
    uint64_t *time = option == 'w'   ? &w->wait
                     : option == 't' ? &w->hold
                                     : &w->grace;

    if (parse_time(optarg, time) == 0 && (option != 't' || w->hold > 0))
        return true;
    (void)cli_complain(CLI_USAGE, verb, "--%s takes seconds, such as 2.5%s",
                       name, option == 't' ? ", and more than 0" : "");
    return false;
}

/* 0: go on; otherwise an exit code, one higher. */
static int parse(int argc, char **argv, struct wishes *w)
{
    static const struct option options[] = {
        {"wait", required_argument, NULL, 'w'},
        {"hold", required_argument, NULL, 't'},
        {"grace", required_argument, NULL, 'g'},
        {"shared", no_argument, NULL, 's'},
        {"config", required_argument, NULL, 'c'},
        {"node", required_argument, NULL, 'i'},
        {"socket", required_argument, NULL, 'S'},
        {"help", no_argument, NULL, 'h'},
        {0}};
    int option;

    /* A leading '-': the name may stand before the options, the command ends
     * them. */
    while ((option = getopt_long(argc, argv, "-w:t:nsc:i:h", options, NULL)) !=
           -1) {
        if (option == 1 && !w->name)
            w->name = optarg;
        else if (option == 1) {
            optind--;
            break;
        } else if (strchr("wtg", option)) {
            if (!take_time(w, option))
                return 1 + CLI_USAGE;
        } else if (option == 'n')
            w->wait = 0;
        else if (option == 's')
            w->shared = true;
        else if (option == 'c')
            w->place.config = optarg;
        else if (option == 'i')
            w->place.node = optarg;
        else if (option == 'S')
            w->place.socket = optarg;
        else if (option == 'h')
            return help(), 1 + cli_flush(verb, CLI_FINE);
        else if (option == '?')
            return 1 +
                   cli_complain(CLI_USAGE, verb, "see 'fulcrum lock --help'");
    }
    w->command = argv + optind;
    if (!w->name && optind < argc)
        w->name = *w->command++;
    if (!w->name || !*w->command)
        return 1 + cli_complain(CLI_USAGE, verb,
                                "name a lock and a command: fulcrum lock NAME "
                                "-- COMMAND...");
    return 0;
}

/* ---- What happens -------------------------------------------------------- */

static void finish(struct run *r, int code)
{
    if (!r->over)
        r->code = code;
    r->over = true;
}

static void complain_spent(struct run *r)
{
    finish(r, cli_complain((enum cli_exit)EXIT_SPENT, verb,
                           "the command was stopped: it held the lock for "
                           "%g s, as long as --hold allows",
                           (double)r->hold / 1e6));
}

/* The lock is lost, or never was ours. */
static void lose(struct run *r, const char *why)
{
    live_command_kill(&r->command);
    if (live_client_spent(&r->client)) {
        complain_spent(r);
        return;
    }
    finish(r, cli_complain((enum cli_exit)EXIT_LOST, verb,
                           "the lock is lost, and the command was stopped: %s",
                           why));
}

static void set_alarm(struct run *r)
{
    uint64_t at = live_client_deadline(&r->client);

    (void)live_timer_set(r->timer, at < r->term_at ? at : r->term_at);
}

/* Asks the command to end; the deadline that comes next does not ask. */
static void ask_to_end(struct run *r)
{
    r->spent = true;
    r->term_at = UINT64_MAX;
    (void)kill(-r->command.group, SIGTERM);
    (void)kill(-r->command.group, SIGCONT); /* who is stopped hears nothing */
}

static void on_granted(struct run *r)
{
    if (!live_client_holds(&r->client)) {
        lose(r, "its deadline was over when the grant arrived");
        return;
    }
    r->holds = true;
    r->term_at = r->hold ? live_now() + r->hold : UINT64_MAX;
    set_alarm(r);
    live_command_start(&r->command, &r->client);
}

static void on_letter(struct run *r)
{
    char error[LIVE_ERROR_SIZE];
    struct live_letter letter = {0};

    if (live_client_next(&r->client, &letter, error)) {
        r->orphan = true; /* the deadline does not move any more */
        if (!r->holds)
            finish(r, cli_complain(CLI_SYSTEM, verb, "%s", error));
        return;
    }
    switch (letter.kind) {
    case LIVE_GRANTED:
        on_granted(r);
        break;
    case LIVE_WAITING:
        fprintf(stderr, "fulcrum lock: waits: %s\n", letter.reason);
        break;
    case LIVE_REFUSED:
        finish(r, cli_complain(
                      letter.wait ? (enum cli_exit)EXIT_LATE : CLI_SYSTEM, verb,
                      "%s%s", letter.wait ? "not held in time: " : "",
                      letter.reason));
        break;
    case LIVE_LOST:
        lose(r, letter.reason);
        break;
    default:
        break;
    }
}

static void on_deadline(struct run *r)
{
    uint64_t times;

    (void)!read(r->timer, &times, sizeof times);
    if (!r->holds) {
        finish(r, cli_complain((enum cli_exit)EXIT_LATE, verb,
                               "not held in time: the node does not answer; it "
                               "is stopped, or too busy"));
        return;
    }
    if (!live_client_holds(&r->client)) {
        lose(r, r->orphan ? "its node has died"
                          : "its node did not renew its lease in time");
        return;
    }
    if (live_now() >= r->term_at)
        ask_to_end(r);
    set_alarm(r);
}

/* Who was killed may have been killed by the daemon: its letter tells. */
static void ask_who_killed(struct run *r)
{
    struct pollfd wait = {r->client.socket, POLLIN, 0};

    if (!r->orphan && poll(&wait, 1, LETTER_MS) > 0)
        on_letter(r);
}

static void on_end(struct run *r, int status)
{
    int why = live_command_error(&r->command);

    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        ask_who_killed(r);
    if (r->spent && live_client_holds(&r->client))
        complain_spent(r);
    else if (why)
        finish(r, cli_complain((enum cli_exit)WEXITSTATUS(status), verb,
                               "cannot run the command: %s", strerror(why)));
    else if (WIFEXITED(status))
        finish(r, WEXITSTATUS(status));
    else if (live_client_holds(&r->client) || !r->holds)
        finish(r, 128 + WTERMSIG(status));
    else /* the guard or the daemon was quicker than this process */
        lose(r, "its deadline is over");
}

static void on_signal(struct run *r)
{
    struct signalfd_siginfo signal;
    int status;

    if (read(r->signals, &signal, sizeof signal) != (ssize_t)sizeof signal)
        return;
    if (signal.ssi_signo == SIGCHLD) {
        if (live_command_ended(&r->command, &status))
            on_end(r, status);
    } else if (r->holds) {
        (void)kill(-r->command.group, (int)signal.ssi_signo);
    } else {
        finish(r, 128 + (int)signal.ssi_signo);
    }
}

static void watch(struct run *r)
{
    while (!r->over) {
        struct pollfd wait[] = {
            {r->timer, POLLIN, 0},
            {r->signals, POLLIN, 0},
            {r->orphan ? -1 : r->client.socket, POLLIN, 0},
        };

        if (poll(wait, 3, -1) < 0)
            continue;
        if (wait[0].revents) /* first: who was stopped looks at the clock */
            on_deadline(r);
        if (wait[1].revents && !r->over)
            on_signal(r);
        if (wait[2].revents && !r->over)
            on_letter(r);
    }
}

/* What we hear of by a file, and not by a handler. */
static int open_signals(sigset_t *before)
{
    static const int forwarded[] = {SIGCHLD, SIGINT,  SIGTERM, SIGHUP,
                                    SIGQUIT, SIGUSR1, SIGUSR2};
    sigset_t set;

    sigemptyset(&set);
    for (size_t i = 0; i < sizeof forwarded / sizeof forwarded[0]; i++)
        sigaddset(&set, forwarded[i]);
    (void)sigprocmask(SIG_BLOCK, &set, before);
    (void)signal(SIGTTOU, SIG_IGN); /* to take the terminal back */
    (void)signal(SIGPIPE, SIG_IGN);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int cli_lock(int argc, char **argv)
{
    struct wishes w = {.wait = UINT64_MAX, .grace = GRACE};
    struct run r = {0};
    char error[LIVE_ERROR_SIZE];
    sigset_t before;
    int code = parse(argc, argv, &w);

    if (code)
        return code - 1;
    code = cli_connect(verb, &w.place, &r.client);
    if (code)
        return code;
    r.signals = open_signals(&before);
    r.timer = live_timer();
    r.hold = w.hold;
    r.client.hold = w.hold ? w.hold + w.grace : 0;
    if (r.signals < 0 || r.timer < 0)
        return cli_complain(CLI_SYSTEM, verb, "no timer, no signals: %s",
                            strerror(errno));
    if (live_command_prepare(&r.command, w.command, &before, error))
        return cli_complain(CLI_SYSTEM, verb, "%s", error);
    r.client.cgroup = &r.command.cgroup;
    if (live_client_ask(&r.client, w.name, w.shared, r.command.pidfd, w.wait,
                        error))
        finish(&r, cli_complain(CLI_SYSTEM, verb, "%s", error));
    if (w.wait < UINT64_MAX / 2) /* the node should be first to say it */
        (void)live_timer_set(r.timer, live_now() + w.wait + PATIENCE);
    watch(&r);
    live_command_kill(&r.command);
    if (!r.orphan && r.code != EXIT_LOST)
        (void)live_client_release(&r.client, error);
    live_command_close(&r.command);
    live_client_close(&r.client);
    return r.code;
}
