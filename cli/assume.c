/*
 * assume.c - see assume.h.
 */
#include "cli/assume.h"

const struct cli_wrong_words cli_wrongs[CLI_WRONGS] = {
    [CLI_LOST] = {"messages lost", "reliable links", FC_BEARS_LOSS},
    [CLI_COPIED] = {"messages doubled", "each message once", FC_BEARS_COPIES},
    [CLI_REORDERED] = {"messages out of order", "FIFO links",
                       FC_BEARS_DISORDER},
    [CLI_LATE] = {"messages late", "delays up to dmax", FC_BEARS_DELAY},
    [CLI_PAUSED] = {"pauses", "steps up to rmax", FC_BEARS_PAUSES},
    [CLI_CRASHED] = {"crashes", "nodes that do not crash", FC_BEARS_CRASHES},
    [CLI_CUT] = {"nodes cut off", "a connected network", FC_BEARS_CUTS},
};

uint32_t cli_broken(const struct net *net, const uint64_t counts[CLI_WRONGS],
                    const char *broken[CLI_BROKEN_MAX])
{
    uint32_t unmet = net_unmet(net), count = 0;

    if (unmet & FC_NEEDS_TIME)
        broken[count++] = "bounded steps and delays";
    if (unmet & FC_NEEDS_UNISON)
        broken[count++] = "clocks of one speed and links of one delay";
    if (unmet & FC_NEEDS_FIFO)
        broken[count++] = "FIFO links";
    if (net->equal)
        broken[count++] = "distinct names";
    for (uint32_t i = 0; i < CLI_WRONGS; i++)
        if (counts[i] && !(net->protocol->bears & cli_wrongs[i].bears))
            broken[count++] = cli_wrongs[i].assumption;
    return count;
}
