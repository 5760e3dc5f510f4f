/*
 * ricart_agrawala.h - mutual exclusion by everybody's permission (Ricart and
 * Agrawala 1981).
 *
 * The rules and the idea are in the .c file; the story is told in
 * docs/protocols/ricart-agrawala.md.
 */
#ifndef RICART_AGRAWALA_H
#define RICART_AGRAWALA_H

#include "core/set.h"
#include "core/stamp.h"
#include "problems/mutex.h"

enum ricart_agrawala_kind {
    RICART_AGRAWALA_REQUEST = 1, /* its number is the request's */
    RICART_AGRAWALA_REPLY,
    RICART_AGRAWALA_KINDS,
};

struct ricart_agrawala {
    uint64_t number;        /* of the own request */
    uint64_t highest;       /* seen in any request */
    struct fc_set missing;  /* whose reply is missing */
    struct fc_set deferred; /* who waits for ours */
    uint8_t role;           /* enum mutex_role: idle, waits, inside */
    uint8_t unused[7];
};

struct ricart_agrawala_params {
    uint8_t unused;
};

#define ricart_agrawala_msg     fc_stamp
#define ricart_agrawala_site    fc_member
#define ricart_agrawala_problem mutex

enum {
    ricart_agrawala_timers = 0,
    ricart_agrawala_name_once = 0,
    ricart_agrawala_topology = FC_COMPLETE,
    ricart_agrawala_reads_all = 0,
};

struct ricart_agrawala_in {
    struct fc_event event;
    struct ricart_agrawala_msg msg;
};

struct ricart_agrawala_out {
    struct fc_effects fx;
    struct ricart_agrawala_msg send[FC_SENDS];
};

FC_API void ricart_agrawala_step(struct ricart_agrawala *s,
                                 const struct ricart_agrawala_params *p,
                                 const struct fc_member *me,
                                 const struct ricart_agrawala_in *in,
                                 struct ricart_agrawala_out *out);

FC_API void ricart_agrawala_view(const struct ricart_agrawala *s,
                                 const struct fc_member *me,
                                 struct mutex_view *view);

FC_STAMP_PROTOTYPES(ricart_agrawala);

extern const struct fc_protocol ricart_agrawala_protocol;

#endif
