/*
 * assume.h - what a protocol assumes, and what of it a run or a search breaks.
 */
#ifndef CLI_ASSUME_H
#define CLI_ASSUME_H

#include "net/net.h"

/* What can go wrong, in the order in which it is told. */
enum cli_wrong {
    CLI_LOST,
    CLI_COPIED,
    CLI_REORDERED,
    CLI_LATE,
    CLI_PAUSED,
    CLI_CRASHED,
    CLI_CUT,
    CLI_WRONGS,
};

struct cli_wrong_words {
    const char *what;       /* "messages lost" */
    const char *assumption; /* that it breaks: "reliable links" */
    enum fc_bears bears;    /* unless the protocol tolerates it */
};
extern const struct cli_wrong_words cli_wrongs[CLI_WRONGS];

/* The assumptions about time and links that a network breaks on its own, or by
 * faults, of which `counts` happened.  Returns the number of assumptions. */
enum { CLI_BROKEN_MAX = CLI_WRONGS + 4 };
uint32_t cli_broken(const struct net *net, const uint64_t counts[CLI_WRONGS],
                    const char *broken[CLI_BROKEN_MAX]);

#endif
