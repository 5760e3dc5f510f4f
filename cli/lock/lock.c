/*
 * lock.c - fulcrum lock NAME -- COMMAND: runs a command while holding a lock of
 * the cluster, and stops it when the lock cannot be held any longer.
 */
#include <getopt.h>

#include "cli/lock/lock.h"

enum {
    GRACE = 1000000, /* microseconds between SIGTERM and SIGKILL, if not told
                      * otherwise */
};
#define UNSAID UINT64_MAX
#define WISHES struct lock_wishes

static const struct cli_option options[] = {
    {"wait", 'w', "T", "give up after T seconds; 0: try once",
     SECONDS(wait, 0)},
    {NULL, 'n', NULL, "the same as --wait 0", AT(once)},
    {"hold", 't', "T", "stop COMMAND after T seconds with SIGTERM,",
     SECONDS(hold, 1)},
    {"grace", 0, "T", "and T seconds later, if it still runs, with SIGKILL [1]",
     SECONDS(grace, 0)},
    {"term-before", 0, "T",
     "send SIGTERM T seconds before SIGKILL when the lock is about to be lost "
     "[none; as long as 'kill' when the node stops]",
     SECONDS(term_before, 1)},
    {"after", 0, "LINE",
     "when COMMAND is dead, however it died, run LINE by the shell, before the "
     "lock can be another's if that is possible",
     AT(after)},
    {"lost-status", 0, "N", "exit with N instead of 125", NUMBER(lost, 0, 255)},
    {"verbose", 'v', NULL, "say how the command would be stopped", AT(verbose)},
    {"shared", 's', NULL, "share the lock with others that are shared, too",
     AT(shared)},
    {0},
};

static int run_lock(int argc, char **argv)
{
    struct lock_wishes w = {
        .wait = UINT64_MAX, .grace = UNSAID, .lost = LOCK_LOST};
    int code = cli_options_read(&cli_lock, &w, argc, argv);

    if (code != CLI_GO_ON)
        return code;
    if (argc - optind < 2)
        return cli_refuse(
            "name a lock and a command: fulcrum lock NAME -- COMMAND...");
    if (!live_lock_name_is_good(argv[optind]))
        return cli_refuse("a lock's name is 1 to %d bytes of text in UTF-8, "
                          "without control characters",
                          LIVE_LOCK_NAME_MAX);
    if (w.grace != UNSAID && !w.hold)
        return cli_refuse("--grace is the time after --hold; give both");
    if (w.grace == UNSAID)
        w.grace = GRACE;
    if (w.once)
        w.wait = 0;
    w.name = argv[optind];
    w.command = argv + optind + 1;
    return lock_run(&w);
}

const struct cli_verb cli_lock = {
    .name = "lock",
    .summary = "run a command while holding a lock of the cluster",
    .run = run_lock,
    .usage = "NAME [OPTIONS] [--] COMMAND [ARGUMENT...]",
    .about = "Runs COMMAND while holding the lock NAME of the cluster, under a "
             "token in FULCRUM_TOKEN that grows from holder to holder.",
    .exits =
        "that of COMMAND; 123 stopped by --hold; 124 not obtained in time; 125 "
        "lost: COMMAND was stopped, because its node could not keep the lock; "
        "126, 127 COMMAND cannot be run; 2 wrong usage; 3 the node refused, or "
        "a system error; 4 no node answers.",
    .examples = "fulcrum lock backup --wait 60 -- /usr/local/bin/backup",
    .options = {options, cli_place_options},
    .operands = {NULL, "@command"},
    .command = true,
};
