/*
 * naimi_trehel.h - mutual exclusion by a token that is sought along a path
 * which every request turns round (Naimi and Trehel 1987, 1996).
 *
 * The rules and the idea are in the .c file; the story is told in
 * docs/protocols/naimi-trehel.md.
 */
#ifndef NAIMI_TREHEL_H
#define NAIMI_TREHEL_H

#include "core/stamp.h"
#include "problems/mutex.h"

enum naimi_trehel_kind {
    NAIMI_TREHEL_REQUEST = 1, /* its site is who asks */
    NAIMI_TREHEL_TOKEN,       /* its number is that of entries so far */
    NAIMI_TREHEL_KINDS,
};

struct naimi_trehel {
    uint64_t number; /* of entries, while the token is here */
    uint16_t father; /* whom it takes for the last to ask; itself: it is */
    uint16_t next;   /* 1 + who gets the token after it, or 0 */
    uint8_t moved;   /* whether the token is here has changed since the start */
    uint8_t role;    /* enum mutex_role: idle, waits, inside */
    uint8_t unused[2];
};
_Static_assert(sizeof(struct naimi_trehel) == 16, "flat, without padding");

struct naimi_trehel_params {
    uint8_t unused;
};

#define naimi_trehel_msg       fc_stamp
#define naimi_trehel_site      fc_member
#define naimi_trehel_problem   mutex
#define naimi_trehel_symmetric 1 /* but for whoever has the token first */

enum {
    naimi_trehel_timers = 0,
    naimi_trehel_name_once = 0,
    naimi_trehel_topology = FC_COMPLETE,
    naimi_trehel_reads_all = 0,
};

struct naimi_trehel_in {
    struct fc_event event;
    struct naimi_trehel_msg msg;
};

struct naimi_trehel_out {
    struct fc_effects fx;
    struct naimi_trehel_msg send[FC_SENDS];
};

FC_API void naimi_trehel_step(struct naimi_trehel *s,
                              const struct naimi_trehel_params *p,
                              const struct fc_member *me,
                              const struct naimi_trehel_in *in,
                              struct naimi_trehel_out *out);

FC_API void naimi_trehel_view(const struct naimi_trehel *s,
                              const struct fc_member *me,
                              struct mutex_view *view);

FC_API void naimi_trehel_relabel(struct naimi_trehel *s, const uint16_t *to,
                                 uint32_t nodes);
FC_API void naimi_trehel_relabel_msg(struct naimi_trehel_msg *m,
                                     const uint16_t *to, uint32_t nodes);

FC_STAMP_PROTOTYPES(naimi_trehel);

extern const struct fc_protocol naimi_trehel_protocol;

#endif
