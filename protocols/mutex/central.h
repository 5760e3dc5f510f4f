/*
 * central.h - mutual exclusion by a coordinator, which is site 0.
 *
 * The rules and the idea are in the .c file; the story is told in
 * docs/protocols/central.md.
 */
#ifndef CENTRAL_H
#define CENTRAL_H

#include "core/set.h"
#include "core/stamp.h"
#include "problems/mutex.h"

enum central_kind {
    CENTRAL_REQUEST = 1,
    CENTRAL_GRANT, /* its number counts the grants */
    CENTRAL_RELEASE,
    CENTRAL_KINDS,
};

/* Who is inside and who waits is known to the coordinator alone. */
struct central {
    uint64_t number;              /* of the grant under which it is inside */
    uint64_t grants;              /* that the coordinator gave so far */
    uint16_t queue[FC_NODES_MAX]; /* who waits, the first one first */
    uint16_t waiting;             /* how many those are */
    uint16_t holder;              /* 1 + whoever is inside, or 0 */
    uint8_t role;                 /* enum mutex_role: idle, waits, inside */
    uint8_t unused[3];
};

struct central_params {
    uint8_t unused;
};

#define central_msg       fc_stamp
#define central_site      fc_member
#define central_problem   mutex
#define central_symmetric 1 /* but for the coordinator */

enum {
    central_timers = 0,
    central_name_once = 0,
    central_topology = FC_COMPLETE,
    central_reads_all = 0,
};

struct central_in {
    struct fc_event event;
    struct central_msg msg;
};

struct central_out {
    struct fc_effects fx;
    struct central_msg send[FC_SENDS];
};

FC_API void central_step(struct central *s, const struct central_params *p,
                         const struct fc_member *me,
                         const struct central_in *in, struct central_out *out);

FC_API void central_view(const struct central *s, const struct fc_member *me,
                         struct mutex_view *view);

FC_API void central_relabel(struct central *s, const uint16_t *to,
                            uint32_t nodes);
FC_API void central_relabel_msg(struct central_msg *m, const uint16_t *to,
                                uint32_t nodes);

FC_STAMP_PROTOTYPES(central);

extern const struct fc_protocol central_protocol;

#endif
