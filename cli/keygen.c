/*
 * keygen.c - fulcrum keygen FILE: draws the key of a cluster.
 */
#include <getopt.h>

#include "cli/cli.h"
#include "live/config/config.h"

static const char verb[] = "keygen";

static void help(void)
{
    printf(
        "usage: fulcrum keygen FILE\n\n"
        "Draws a key and writes it into FILE, which must not be there yet;\n"
        "only its owner can read it.  All nodes of a cluster share one key:\n"
        "make it once, and copy it to each by a way that others cannot\n"
        "read.\n\n"
        "Example: fulcrum keygen cluster.key\n");
}

int cli_keygen(int argc, char **argv)
{
    static const struct option options[] = {{"help", no_argument, NULL, 'h'},
                                            {0}};
    char error[LIVE_ERROR_SIZE];
    int option;

    while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        if (option != 'h')
            return cli_complain(CLI_USAGE, verb, "see 'fulcrum keygen --help'");
        help();
        return cli_flush(verb, CLI_FINE);
    }
    if (optind + 1 != argc)
        return cli_complain(CLI_USAGE, verb,
                            "name one file for the key, such as cluster.key");
    if (live_key_create(argv[optind], error))
        return cli_complain(CLI_SYSTEM, verb, "%s", error);
    return CLI_FINE;
}
