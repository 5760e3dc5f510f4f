/*
 * chang_roberts.h - hopeless tokens are dropped, least initiator (Chang and
 * Roberts 1979).
 *
 * The rules and the idea are in the .c file; the story is told in
 * docs/protocols/chang-roberts.md.
 */
#ifndef CHANG_ROBERTS_H
#define CHANG_ROBERTS_H

#include "core/fc.h"
#include "core/word.h"
#include "problems/election.h"

enum chang_roberts_status {
    CHANG_ROBERTS_ASLEEP,
    CHANG_ROBERTS_RELAY, /* woken by a token: lost from the start */
    CHANG_ROBERTS_CANDIDATE,
    CHANG_ROBERTS_LOST,
    CHANG_ROBERTS_LEADER,
};

enum chang_roberts_kind {
    CHANG_ROBERTS_TOKEN = 1,
    CHANG_ROBERTS_ELECTED,
    CHANG_ROBERTS_KINDS,
};

struct chang_roberts {
    fc_name least;  /* of the names seen; the leader's, once told */
    uint8_t status; /* enum chang_roberts_status */
    uint8_t told;   /* the elected message was here */
    uint16_t unused;
};
_Static_assert(sizeof(struct chang_roberts) == 8, "flat, without padding");

/* What the lecture's prose and code leave open, a switch each. */
enum chang_roberts_drop { CHANG_ROBERTS_LARGER, CHANG_ROBERTS_SMALLER };
enum chang_roberts_compare { CHANG_ROBERTS_OWN, CHANG_ROBERTS_LEAST };
enum chang_roberts_loser {
    CHANG_ROBERTS_FILTERS,
    CHANG_ROBERTS_FORWARDS,
    CHANG_ROBERTS_STOPS,
};
enum chang_roberts_relays {
    CHANG_ROBERTS_RELAY_ALL,
    CHANG_ROBERTS_RELAY_OWN,
    CHANG_ROBERTS_RELAY_LEAST,
};

struct chang_roberts_params {
    uint8_t announce;
    uint8_t drop;
    uint8_t compare;
    uint8_t loser;
    uint8_t relays;
};

#define chang_roberts_msg     fc_word
#define chang_roberts_site    fc_named
#define chang_roberts_problem election

enum {
    chang_roberts_timers = 0,
    chang_roberts_name_once = 0,
    chang_roberts_topology = FC_RING,
    chang_roberts_reads_all = 0,
};

struct chang_roberts_in {
    struct fc_event event;
    struct chang_roberts_msg msg;
};

struct chang_roberts_out {
    struct fc_effects fx;
    struct chang_roberts_msg send[1];
};

FC_API void chang_roberts_step(struct chang_roberts *s,
                               const struct chang_roberts_params *p,
                               const struct fc_named *me,
                               const struct chang_roberts_in *in,
                               struct chang_roberts_out *out);

FC_API void chang_roberts_view(const struct chang_roberts *s,
                               const struct fc_named *me,
                               struct election_view *view);

FC_WORD_PROTOTYPES(chang_roberts);

extern const struct fc_protocol chang_roberts_protocol;

#endif
