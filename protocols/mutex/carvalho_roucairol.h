/*
 * carvalho_roucairol.h - mutual exclusion by permissions that are kept
 * (Carvalho and Roucairol 1983).
 *
 * The rules and the idea are in the .c file; the story is told in
 * docs/protocols/carvalho-roucairol.md.
 */
#ifndef CARVALHO_ROUCAIROL_H
#define CARVALHO_ROUCAIROL_H

#include "core/set.h"
#include "core/stamp.h"
#include "problems/mutex.h"

enum carvalho_roucairol_kind {
    CARVALHO_ROUCAIROL_REQUEST = 1, /* its number is the request's */
    CARVALHO_ROUCAIROL_REPLY,
    CARVALHO_ROUCAIROL_KINDS,
};

struct carvalho_roucairol {
    uint64_t number;         /* of the own request */
    uint64_t highest;        /* seen in any request, the own ones included */
    struct fc_set permitted; /* whose permission it has */
    struct fc_set deferred;  /* who waits for ours */
    struct fc_set asking;    /* who is asked in the step under way */
    uint8_t role;            /* enum mutex_role: idle, waits, inside */
    uint8_t unused[7];
};

struct carvalho_roucairol_params {
    uint8_t unused;
};

#define carvalho_roucairol_msg     fc_stamp
#define carvalho_roucairol_site    fc_member
#define carvalho_roucairol_problem mutex

enum {
    carvalho_roucairol_timers = 0,
    carvalho_roucairol_name_once = 0,
    carvalho_roucairol_topology = FC_COMPLETE,
    carvalho_roucairol_reads_all = 0,
};

struct carvalho_roucairol_in {
    struct fc_event event;
    struct carvalho_roucairol_msg msg;
};

struct carvalho_roucairol_out {
    struct fc_effects fx;
    struct carvalho_roucairol_msg send[FC_SENDS];
};

FC_API void carvalho_roucairol_step(struct carvalho_roucairol *s,
                                    const struct carvalho_roucairol_params *p,
                                    const struct fc_member *me,
                                    const struct carvalho_roucairol_in *in,
                                    struct carvalho_roucairol_out *out);

FC_API void carvalho_roucairol_view(const struct carvalho_roucairol *s,
                                    const struct fc_member *me,
                                    struct mutex_view *view);

FC_STAMP_PROTOTYPES(carvalho_roucairol);

extern const struct fc_protocol carvalho_roucairol_protocol;

#endif
