/*
 * keygen.c - fulcrum keygen FILE: draws the key of a cluster.
 */
#include <getopt.h>

#include "cli/cli.h"
#include "live/config/config.h"

static int run_keygen(int argc, char **argv)
{
    struct net_why error;
    int code = cli_options_read(&cli_keygen, NULL, argc, argv);

    if (code != CLI_GO_ON)
        return code;
    if (optind + 1 != argc)
        return cli_refuse("name one file for the key, such as cluster.key");
    if (!live_key_create(argv[optind], &error))
        return cli_fail("%s", error.text);
    return CLI_FINE;
}

const struct cli_verb cli_keygen = {
    .name = "keygen",
    .summary = "draw the key of a cluster of live nodes",
    .run = run_keygen,
    .usage = "FILE",
    .about = "Makes a key and writes it into FILE, which must not exist yet; "
             "only its owner can read it. All nodes of a cluster share one "
             "key: make it once, and copy it to each over a channel that "
             "others cannot read.",
    .examples = "fulcrum keygen cluster.key",
    .operands = {"@files"},
};
