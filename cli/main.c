/*
 * main.c - fulcrum VERB ...: finds the verb and hands over.
 */
#include <errno.h>
#include <locale.h>
#include <string.h>

#include "cli/cli.h"

const struct cli_verb *const cli_verbs[] = {
    &cli_list,   &cli_sim,        &cli_check, &cli_compare, &cli_draw,
#ifdef FULCRUM_LIVE
    &cli_keygen, &cli_node,       &cli_lock,  &cli_status,  &cli_fence,
#endif
    &cli_demo,   &cli_completion, NULL,
};

static void help(FILE *to)
{
    fprintf(to, "usage: fulcrum VERB [OPTIONS]\n\n"
                "Distributed coordination under known time bounds.\n\n");
    for (int i = 0; cli_verbs[i]; i++)
        if (cli_verbs[i]->summary)
            fprintf(to, "  %-8s %s\n", cli_verbs[i]->name,
                    cli_verbs[i]->summary);
    fprintf(to,
            "\n'fulcrum VERB --help' tells more, 'man fulcrum' everything.\n"
            "Try: fulcrum sim vitanyi -n 8 --trace run.trace\n"
            "     fulcrum draw run.trace --text\n");
}

static int run(int argc, char **argv)
{
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "help")) {
        help(stdout);
        return CLI_FINE;
    }
    if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "version")) {
        printf("fulcrum %s\n", FULCRUM_VERSION);
        return CLI_FINE;
    }
    for (int i = 0; cli_verbs[i]; i++)
        if (strcmp(argv[1], cli_verbs[i]->name) == 0)
            return cli_verbs[i]->run(argc - 1, argv + 1);
    fprintf(stderr,
            "fulcrum: there is no verb '%s'; 'fulcrum help' lists them\n",
            argv[1]);
    return CLI_USAGE;
}

int main(int argc, char **argv)
{
    int code;

    setlocale(LC_CTYPE, "");
    if (argc < 2) {
        help(stderr);
        return CLI_USAGE;
    }
    cli_speaker = argv[1];
    code = run(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout))
        return cli_fail("cannot write to standard output: %s; make room, or "
                        "send it elsewhere",
                        strerror(errno));
    return code;
}
