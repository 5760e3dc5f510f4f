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

static const char verb[] = "lock";

enum {
    GRACE = 1000000, /* microseconds between SIGTERM and SIGKILL, if not told
                      * otherwise */
    STATUS_MAX = 255,
};

static void help(void)
{
    printf(
        "usage: fulcrum lock NAME [--wait T] [--hold T [--grace T]] "
        "[--shared]\n"
        "                    [--term-before T] [--lost-status N]\n"
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
        "      --term-before T SIGTERM so long before SIGKILL when the lock "
        "is\n"
        "                      about to be lost; by default there is none\n"
        "      --lost-status N exit with N instead of 125\n"
        "  -s, --shared        beside others who say so, too\n"
        "  -c, --config FILE   the cluster; default /etc/fulcrum.ini\n"
        "  -i, --node NAME     its node here; default: the first that "
        "answers\n"
        "      --socket PATH   of the node, instead of both\n\n"
        "Exit status: that of COMMAND; 123 stopped by --hold; 124 not held in "
        "time;\n"
        "125 lost: COMMAND was stopped, because its node could not keep the "
        "lock;\n"
        "126, 127 COMMAND cannot be run; 2 used wrongly; 3 the node or the "
        "system\n"
        "refuses; 4 no node answers.\n");
}

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

/* An option that takes a time; false after a complaint. */
static bool take_time(struct lock_wishes *w, int option)
{
    const struct {
        const char *name;
        uint64_t *time;
        int option;
        bool none; /* may be 0 */
    } all[] = {
        {"wait", &w->wait, 'w', true},
        {"hold", &w->hold, 't', false},
        {"grace", &w->grace, 'g', true},
        {"term-before", &w->term_before, 'b', false},
    };
    size_t i = 0;

    while (all[i].option != option)
        i++;
    if (parse_time(optarg, all[i].time) == 0 &&
        (all[i].none || *all[i].time > 0))
        return true;
    (void)cli_complain(CLI_USAGE, verb, "--%s takes seconds, such as 2.5%s",
                       all[i].name, all[i].none ? "" : ", and more than 0");
    return false;
}

static bool take_status(struct lock_wishes *w)
{
    char *end = NULL;
    unsigned long status = optarg ? strtoul(optarg, &end, 10) : 0;

    if (end && end != optarg && !*end && status <= STATUS_MAX) {
        w->lost = (int)status;
        return true;
    }
    (void)cli_complain(CLI_USAGE, verb, "--lost-status takes 0 to %d",
                       STATUS_MAX);
    return false;
}

static void take(struct lock_wishes *w, int option)
{
    if (option == 'n')
        w->wait = 0;
    else if (option == 's')
        w->shared = true;
    else if (option == 'c')
        w->place.config = optarg;
    else if (option == 'i')
        w->place.node = optarg;
    else if (option == 'S')
        w->place.socket = optarg;
}

/* 0: go on; otherwise an exit code, one higher. */
static int parse(int argc, char **argv, struct lock_wishes *w)
{
    static const struct option options[] = {
        {"wait", required_argument, NULL, 'w'},
        {"hold", required_argument, NULL, 't'},
        {"grace", required_argument, NULL, 'g'},
        {"term-before", required_argument, NULL, 'b'},
        {"lost-status", required_argument, NULL, 'l'},
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
        } else if (strchr("wtgb", option) ? !take_time(w, option)
                   : option == 'l'        ? !take_status(w)
                                          : false)
            return 1 + CLI_USAGE;
        else if (option == 'h')
            return help(), 1 + cli_flush(verb, CLI_FINE);
        else if (option == '?')
            return 1 +
                   cli_complain(CLI_USAGE, verb, "see 'fulcrum lock --help'");
        else
            take(w, option);
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

int cli_lock(int argc, char **argv)
{
    struct lock_wishes w = {
        .wait = UINT64_MAX, .grace = GRACE, .lost = LOCK_LOST};
    int code = parse(argc, argv, &w);

    return code ? code - 1 : lock_run(&w);
}
