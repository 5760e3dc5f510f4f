/*
 * lock.c - fulcrum lock NAME -- COMMAND: runs a command while holding a lock of
 * the cluster, and stops it when the lock cannot be held any longer.
 */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/lock/lock_run.h"

enum {
    GRACE = 1000000, /* microseconds between SIGTERM and SIGKILL, if not told
                      * otherwise */
};

static int run_lock(int argc, char **argv);
static int take_time(const struct cli_option *option, void *into,
                     const char *argument);
static int take_no_wait(const struct cli_option *option, void *into,
                        const char *argument);

#define AT(field) .offset = offsetof(struct lock_wishes, field)

static const struct cli_option options[] = {
    {"wait", 'w', "T", "give up after T seconds; 0: try once", AT(wait),
     .set = take_time},
    {NULL, 'n', NULL, "the same as --wait 0", .set = take_no_wait},
    {"hold", 't', "T", "stop COMMAND after T seconds with SIGTERM,", AT(hold),
     .least = 1, .set = take_time},
    {"grace", 0, "T", "and T seconds later, if it still runs, with SIGKILL [1]",
     AT(grace), .set = take_time},
    {"term-before", 0, "T",
     "SIGTERM so long before SIGKILL when the lock is about to be lost; by "
     "default there is none",
     AT(term_before), .least = 1, .set = take_time},
    {"lost-status", 0, "N", "exit with N instead of 125",
     CLI_NUMBER(struct lock_wishes, lost, 0, 255)},
    {"shared", 's', NULL, "beside others who say so, too", AT(shared)},
    {0},
};

const struct cli_verb cli_lock = {
    .name = "lock",
    .summary = "run a command while holding a lock of the cluster",
    .run = run_lock,
    .usage = "NAME [OPTIONS] [--] COMMAND [ARGUMENT...]",
    .about = "Runs COMMAND while holding the lock NAME of the cluster, under a "
             "token in FULCRUM_TOKEN that grows from holder to holder.",
    .exits =
        "that of COMMAND; 123 stopped by --hold; 124 not held in time; 125 "
        "lost: COMMAND was stopped, because its node could not keep the lock; "
        "126, 127 COMMAND cannot be run; 2 used wrongly; 3 the node or the "
        "system refuses; 4 no node answers.",
    .examples = "fulcrum lock backup --wait 60 -- /usr/local/bin/backup",
    .options = {options, cli_place_options},
    .operands = {NULL, "@command"},
    .command = true,
};

/* Seconds, with a fraction, into microseconds. */
static int take_time(const struct cli_option *option, void *into,
                     const char *argument)
{
    uint64_t *time = (void *)((char *)into + option->offset);
    char *end;
    double seconds = strtod(argument, &end);

    if (end != argument && !*end && seconds >= 0 && seconds <= 1e9) {
        *time = (uint64_t)llround(seconds * 1e6);
        if (*time >= option->least)
            return 0;
    }
    return cli_refuse("--%s takes seconds, such as 2.5%s", option->name,
                      option->least ? ", and more than 0" : "");
}

static int take_no_wait(const struct cli_option *option, void *into,
                        const char *argument)
{
    (void)option;
    (void)argument;
    ((struct lock_wishes *)into)->wait = 0;
    return 0;
}

static int run_lock(int argc, char **argv)
{
    struct lock_wishes w = {
        .wait = UINT64_MAX, .grace = GRACE, .lost = LOCK_LOST};
    int code = cli_options_read(&cli_lock, &w, argc, argv);

    if (code != CLI_GO_ON)
        return code;
    if (argc - optind < 2)
        return cli_refuse(
            "name a lock and a command: fulcrum lock NAME -- COMMAND...");
    w.name = argv[optind];
    w.command = argv + optind + 1;
    return lock_run(&w);
}
