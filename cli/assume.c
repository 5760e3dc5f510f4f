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

/* Clocks of one speed and links of one delay. */
static bool in_unison(const struct net *net)
{
    const struct fc_bounds *b = &net->world.bounds;

    /* What is sent is read at a later tick: a delay of 0 is one of 1. */
    return net->time != NET_ASYNC && b->rmin == b->rmax &&
           (b->dmin ? b->dmin : 1) == (b->dmax ? b->dmax : 1);
}

uint32_t cli_broken(const struct net *net, const uint64_t counts[CLI_WRONGS],
                    const char *broken[CLI_BROKEN_MAX])
{
    uint32_t needs = net_needs(net), count = 0;

    if (needs & FC_NEEDS_TIME && net->time == NET_ASYNC)
        broken[count++] = "bounded steps and delays";
    if (needs & FC_NEEDS_UNISON && !in_unison(net))
        broken[count++] = "clocks of one speed and links of one delay";
    if (needs & FC_NEEDS_FIFO && net->any_order)
        broken[count++] = "FIFO links";
    for (uint32_t i = 0; i < CLI_WRONGS; i++)
        if (counts[i] && !(net->protocol->bears & cli_wrongs[i].bears))
            broken[count++] = cli_wrongs[i].assumption;
    return count;
}
