/*
 * lelann.h - every token goes all the way round (Le Lann 1977).
 *
 * The rules and the idea are in the .c file; the story is told in
 * docs/protocols/lelann.md.
 */
#ifndef LELANN_H
#define LELANN_H

#include "core/fc.h"
#include "core/word.h"
#include "problems/election.h"

enum lelann_status {
    LELANN_ASLEEP,
    LELANN_RELAY, /* woken by a token: lost from the start */
    LELANN_CANDIDATE,
    LELANN_LOST,
    LELANN_LEADER,
};

enum lelann_kind { LELANN_TOKEN = 1, LELANN_ELECTED, LELANN_KINDS };

struct lelann {
    fc_name least;  /* of the names seen; the leader's, once told */
    uint8_t status; /* enum lelann_status */
    uint8_t told;   /* the elected message was here */
    uint16_t unused;
};
_Static_assert(sizeof(struct lelann) == 8, "flat and without padding");

struct lelann_params {
    uint8_t announce;
};

#define lelann_msg     fc_word
#define lelann_site    fc_named
#define lelann_problem election

enum {
    lelann_timers = 0,
    lelann_name_once = 0,
    lelann_topology = FC_RING,
    lelann_reads_all = 0,
};

struct lelann_in {
    struct fc_event event;
    struct lelann_msg msg;
};

struct lelann_out {
    struct fc_effects fx;
    struct lelann_msg send[1];
};

FC_API void lelann_step(struct lelann *s, const struct lelann_params *p,
                        const struct fc_named *me, const struct lelann_in *in,
                        struct lelann_out *out);

FC_API void lelann_view(const struct lelann *s, const struct fc_named *me,
                        struct election_view *view);

FC_WORD_PROTOTYPES(lelann);

extern const struct fc_protocol lelann_protocol;

#endif
