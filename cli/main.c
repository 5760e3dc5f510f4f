/*
 * main.c - fulcrum VERB ...: finds the verb and hands over.
 */
#include <locale.h>
#include <string.h>

#include "cli/cli.h"

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
} verbs[] = {
    {"list", cli_list, "the protocols, what they assume, their parameters"},
    {"sim", cli_sim, "run a protocol, count its costs, judge the outcome"},
    {"check", cli_check, "try every behaviour within the bounds"},
    {"compare", cli_compare, "all protocols for a problem, one table"},
    {"draw", cli_draw, "draw a trace as a space-time diagram"},
#ifdef FULCRUM_LIVE
    {"keygen", cli_keygen, "draw the key of a cluster of live nodes"},
    {"node", cli_node, "run a live node of a cluster"},
    {"lock", cli_lock, "run a command while holding a lock of the cluster"},
    {"status", cli_status, "what a live node knows: peers, view, locks"},
    {"fence", cli_fence, "a store of files that refuses former holders"},
#endif
    {"demo", cli_demo, "three elections, and five live nodes, with pictures"},
};
enum { VERBS = sizeof verbs / sizeof verbs[0] };

static void help(FILE *to)
{
    fprintf(to, "usage: fulcrum VERB [OPTIONS]\n\n"
                "Distributed coordination under known time bounds.\n\n");
    for (int i = 0; i < VERBS; i++)
        fprintf(to, "  %-8s %s\n", verbs[i].name, verbs[i].summary);
    fprintf(to,
            "\n'fulcrum VERB --help' tells more, 'man fulcrum' everything.\n"
            "Try: fulcrum sim vitanyi -n 8 --trace run.trace\n"
            "     fulcrum draw run.trace --text\n");
}

int main(int argc, char **argv)
{
    setlocale(LC_CTYPE, "");
    if (argc < 2) {
        help(stderr);
        return CLI_USAGE;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "help")) {
        help(stdout);
        return cli_flush("help", CLI_FINE);
    }
    if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "version")) {
        printf("fulcrum %s\n", FULCRUM_VERSION);
        return cli_flush("version", CLI_FINE);
    }
    for (int i = 0; i < VERBS; i++) {
        static char name[32]; /* how getopt calls us when it complains */

        if (strcmp(argv[1], verbs[i].name) != 0)
            continue;
        snprintf(name, sizeof name, "fulcrum %s", verbs[i].name);
        argv[1] = name;
        return verbs[i].run(argc - 1, argv + 1);
    }
    fprintf(stderr,
            "fulcrum: there is no verb '%s'; 'fulcrum help' lists "
            "them\n",
            argv[1]);
    return CLI_USAGE;
}
