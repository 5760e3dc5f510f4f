/*
 * replay.h - a trace made true: every event of it happens once more at its
 * node, and what the node does is compared with what is written.
 */
#ifndef CHECK_REPLAY_H
#define CHECK_REPLAY_H

#include "check/type.h"

enum check_replayed {
    CHECK_REPLAY_SAME,
    CHECK_REPLAY_DIFFERS,
    CHECK_REPLAY_UNREADABLE, /* the trace speaks of what cannot have been */
    CHECK_REPLAY_NO_MEMORY,
};

struct check_replay {
    uint32_t events;
    uint32_t line;      /* of the trace, where it differs or is unreadable */
    const char *what;   /* CHECK_REPLAY_UNREADABLE: a sentence */
    char *then, *now;   /* CHECK_REPLAY_DIFFERS: the line; to be freed */
    uint32_t broken;    /* properties that some event broke */
    uint32_t broken_at; /* the first line that did */
};

/* `text` is the trace from its line "----" on, which is line `first`. */
enum check_replayed check_replay(const struct sim_setup *setup,
                                 const char *text, uint32_t first,
                                 struct check_replay *out);

#endif
