/*
 * sim_replay.h - fulcrum sim --replay.
 */
#ifndef CLI_SIM_REPLAY_H
#define CLI_SIM_REPLAY_H

#include <stdbool.h>

#include "net/net.h"

struct cli_replay {
    const char *path;
    const char *states; /* the node whose states are shown; "" is all, NULL is
                         * none */
    bool json, judge;
};

/* Replays what is written there.  Returns the exit code. */
int cli_replay(const struct cli_replay *wishes);

/* --judge: by all predicates of the protocol.  Complains if there are none. */
int cli_judge(struct net *net);

#endif
