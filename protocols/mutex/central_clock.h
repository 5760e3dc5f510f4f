/*
 * central_clock.h - mutual exclusion by everybody's permission in the order of
 * one clock, which is at site 0.
 *
 * The rules and the idea are in the .c file; the story is told in
 * docs/protocols/central-clock.md.
 */
#ifndef CENTRAL_CLOCK_H
#define CENTRAL_CLOCK_H

#include "core/set.h"
#include "core/stamp.h"
#include "problems/mutex.h"

enum central_clock_kind {
    CENTRAL_CLOCK_ASK = 1, /* what time is it? */
    CENTRAL_CLOCK_STAMP,   /* its number is the time */
    CENTRAL_CLOCK_REQUEST, /* its number is the request's stamp */
    CENTRAL_CLOCK_REPLY,
    CENTRAL_CLOCK_KINDS,
};

struct central_clock {
    uint64_t number;             /* the stamp of the own request */
    uint64_t clock;              /* site 0: the last time that was told */
    struct fc_set missing;       /* whose reply is missing */
    struct fc_set deferred;      /* who waits for ours */
    struct fc_set replies;       /* who gets one in the step under way */
    uint64_t held[FC_NODES_MAX]; /* stamps of those who asked while ours was
                                  * under way */
    uint8_t role; /* enum mutex_role: idle, sleeps (no stamp yet), waits,
                   * inside */
    uint8_t unused[7];
};

struct central_clock_params {
    uint8_t unused;
};

#define central_clock_msg       fc_stamp
#define central_clock_site      fc_member
#define central_clock_problem   mutex
#define central_clock_symmetric 1 /* but for the site of the clock */

enum {
    central_clock_timers = 0,
    central_clock_name_once = 0,
    central_clock_topology = FC_COMPLETE,
    central_clock_reads_all = 0,
};

struct central_clock_in {
    struct fc_event event;
    struct central_clock_msg msg;
};

struct central_clock_out {
    struct fc_effects fx;
    struct central_clock_msg send[FC_SENDS];
};

FC_API void central_clock_step(struct central_clock *s,
                               const struct central_clock_params *p,
                               const struct fc_member *me,
                               const struct central_clock_in *in,
                               struct central_clock_out *out);

FC_API void central_clock_view(const struct central_clock *s,
                               const struct fc_member *me,
                               struct mutex_view *view);

FC_API void central_clock_relabel(struct central_clock *s, const uint16_t *to,
                                  uint32_t nodes);
FC_API void central_clock_relabel_msg(struct central_clock_msg *m,
                                      const uint16_t *to, uint32_t nodes);

FC_STAMP_PROTOTYPES(central_clock);

extern const struct fc_protocol central_clock_protocol;

#endif
