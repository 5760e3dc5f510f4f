/*
 * franklin.h - names greater than both neighbours survive (Franklin 1982).
 *
 * The rules and the idea are in the .c file; the story is told in
 * docs/protocols/franklin.md.
 */
#ifndef FRANKLIN_H
#define FRANKLIN_H

#include "core/fc.h"
#include "core/word.h"
#include "problems/election.h"

enum franklin_status {
    FRANKLIN_ASLEEP,
    FRANKLIN_RELAY, /* out of it, or never in it */
    FRANKLIN_ACTIVE,
    FRANKLIN_LEADER,
};

enum franklin_kind {
    FRANKLIN_NAME = 1,
    FRANKLIN_ELECTED,
    FRANKLIN_KINDS,
};

struct franklin {
    fc_name got[2]; /* by port: what came in this round */
    fc_name ahead;  /* came for the next round, where this one's is already */
    fc_name leader; /* or FC_NOBODY */
    uint32_t status;
};
_Static_assert(sizeof(struct franklin) == 20, "flat, without padding");

struct franklin_params {
    uint8_t announce;
};

#define franklin_msg     fc_word
#define franklin_site    fc_named
#define franklin_problem election

enum {
    franklin_timers = 0,
    franklin_name_once = 0,
    franklin_topology = FC_RING_BOTH,
    franklin_reads_all = 0,
};

struct franklin_in {
    struct fc_event event;
    struct franklin_msg msg;
};

struct franklin_out {
    struct fc_effects fx;
    struct franklin_msg send[2];
};

FC_API void franklin_step(struct franklin *s, const struct franklin_params *p,
                          const struct fc_named *me,
                          const struct franklin_in *in,
                          struct franklin_out *out);

FC_API void franklin_view(const struct franklin *s, const struct fc_named *me,
                          struct election_view *view);

FC_WORD_PROTOTYPES(franklin);

extern const struct fc_protocol franklin_protocol;

#endif
