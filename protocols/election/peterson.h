/*
 * peterson.h - temporary names, the greatest of three survives (Peterson 1982).
 *
 * The rules and the idea are in the .c file; the story is told in
 * docs/protocols/peterson.md.
 */
#ifndef PETERSON_H
#define PETERSON_H

#include "core/fc.h"
#include "core/word.h"
#include "problems/election.h"

enum peterson_status {
    PETERSON_ASLEEP,
    PETERSON_RELAY,  /* out of it, or never in it */
    PETERSON_FIRST,  /* active, waits for the name of the active one before */
    PETERSON_SECOND, /* active, waits for what that one has heard */
    PETERSON_ALONE,  /* the only active one; announces */
    PETERSON_LEADER,
};

enum peterson_kind {
    PETERSON_TID = 1,
    PETERSON_ELECTED,
    PETERSON_KINDS,
};

struct peterson {
    fc_name tid;    /* temporary name; the leader's, once told */
    fc_name ntid;   /* that of the active one before, in the second half */
    uint8_t status; /* enum peterson_status */
    uint8_t told;   /* knows the leader */
    uint16_t unused;
};
_Static_assert(sizeof(struct peterson) == 12, "flat, without padding");

/* Who finds out that it is over. */
enum peterson_test { PETERSON_TEST_ALONE, PETERSON_TEST_NAME };

struct peterson_params {
    uint8_t announce;
    uint8_t test; /* enum peterson_test */
};

#define peterson_msg     fc_word
#define peterson_site    fc_named
#define peterson_problem election

enum {
    peterson_timers = 0,
    peterson_name_once = 0,
    peterson_topology = FC_RING,
    peterson_reads_all = 0,
};

struct peterson_in {
    struct fc_event event;
    struct peterson_msg msg;
};

struct peterson_out {
    struct fc_effects fx;
    struct peterson_msg send[1];
};

FC_API void peterson_step(struct peterson *s, const struct peterson_params *p,
                          const struct fc_named *me,
                          const struct peterson_in *in,
                          struct peterson_out *out);

FC_API void peterson_view(const struct peterson *s, const struct fc_named *me,
                          struct election_view *view);

FC_WORD_PROTOTYPES(peterson);

extern const struct fc_protocol peterson_protocol;

#endif
