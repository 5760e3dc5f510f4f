/*
 * ring_sort.h - sorting a ring with the leader's help (Vitanyi 1984).
 *
 * The rules and the idea are in the .c file; the story is told in
 * docs/protocols/ring-sort.md.
 */
#ifndef RING_SORT_H
#define RING_SORT_H

#include "protocols/election/vitanyi.h"

/* A message is flat, so the longest list has a length. */
enum { RING_SORT_MAX = 64 };

struct ring_sort {
    struct vitanyi election;
    uint32_t place; /* clockwise from the leader, who is 1; 0: not known yet */
    fc_name kept;   /* the entry of the table for this place; or 0 */
};
_Static_assert(sizeof(struct ring_sort) == 16, "flat and without padding");

enum ring_sort_kind {
    RING_SORT_WAKEUP = VITANYI_WAKEUP,
    RING_SORT_M = VITANYI_M,
    RING_SORT_SLEEPWELL = VITANYI_SLEEPWELL,
    RING_SORT_GATHER, /* values of the leader and of all so far, in order */
    RING_SORT_TABLE,  /* all values, in order */
    RING_SORT_KINDS,
};

struct ring_sort_msg {
    uint32_t kind;
    uint32_t count;               /* of values: M carries one, its name */
    fc_name value[RING_SORT_MAX]; /* ascending; 0 beyond the count */
};
_Static_assert(sizeof(struct ring_sort_msg) == 8 + 4 * RING_SORT_MAX,
               "flat and without padding");

#define ring_sort_site    fc_named
#define ring_sort_problem election
#define ring_sort_params  vitanyi_params

enum {
    ring_sort_timers = vitanyi_timers,
    ring_sort_name_once = 0,
    ring_sort_topology = FC_RING,
    ring_sort_reads_all = 0,
};

struct ring_sort_in {
    struct fc_event event;
    struct ring_sort_msg msg;
};

struct ring_sort_out {
    struct fc_effects fx;
    struct ring_sort_msg send[2];
};

FC_API void ring_sort_step(struct ring_sort *s,
                           const struct ring_sort_params *p,
                           const struct fc_named *me,
                           const struct ring_sort_in *in,
                           struct ring_sort_out *out);

FC_API void ring_sort_view(const struct ring_sort *s, const struct fc_named *me,
                           struct election_view *view);

FC_API uint32_t ring_sort_kind(const struct ring_sort_msg *m);
FC_API uint32_t ring_sort_fields(const struct ring_sort_msg *m,
                                 uint64_t out[FC_FIELDS_MAX]);
FC_API uint32_t ring_sort_paper_bits(const struct ring_sort_msg *m);
FC_API uint32_t ring_sort_wire_bytes(const struct ring_sort_msg *m);
FC_API size_t ring_sort_pack(const struct ring_sort_msg *m,
                             uint8_t wire[FC_WIRE_MAX]);
FC_API int ring_sort_unpack(struct ring_sort_msg *m, const uint8_t *wire,
                            size_t size);

extern const struct fc_protocol ring_sort_protocol;

#endif
