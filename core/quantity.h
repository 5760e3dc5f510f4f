/*
 * quantity.h - what a problem or a protocol counts, for fulcrum check --max: a
 * part of fc.h.
 */
#ifndef FC_QUANTITY_H
#define FC_QUANTITY_H

#include <stdint.h>

/* How much of something a run has.  The extremes over all runs are computed by
 * fulcrum check --max and --min. */
enum fc_over {
    FC_OVER_RUN,  /* all that happens in a run, at all nodes */
    FC_OVER_NODE, /* at one node: the one where it happens most often */
    FC_OVER_WAIT, /* at one node, from a request until it is served */
    FC_AT_ONCE,   /* a level: the highest at one node at one moment */
    FC_APART,     /* ticks between the first and the last node to come to it,
                   * each time that all do */
};

struct fc_quantity {
    const char *name;  /* one word, as it is typed after --max */
    const char *unit;  /* of what, in the plural */
    const char *about; /* a few words */
    enum fc_over over;
    uint32_t note; /* a step that has this note of its own counts 1; or 0: */
    /* Of a problem: what a change of a view adds.  Of a protocol: the level of
     * a state, which is `after`; FC_AT_ONCE. */
    uint32_t (*amount)(const void *before, const void *after);
};

/* A problem's table of quantities in its entry.  They are not for firmware,
 * which counts nothing. */
#ifdef FC_FIRMWARE
#define FC_MEASURES(TABLE) .quantities = NULL
#else
#define FC_MEASURES(TABLE)                                                     \
    .quantities = (TABLE), .quantities_count = FC_COUNT(TABLE)
#endif

/* Quantities that P adds to the list of fulcrum check --max, a line each;
 * P_traits has FC_MEASURED.  A rule that has `counts(t, NOTE)` in it is
 * counted. */
#define FC_QUANTITIES(P)                                                       \
    FC_UNUSED static const struct fc_quantity P##_quantities[]

/* The head of a function that tells the level of a state `s`, for such a
 * line. */
#define FC_LEVEL(P, NAME)                                                      \
    static inline uint32_t P##_##NAME##_of(const struct P *s);                 \
    FC_UNUSED static uint32_t P##_##NAME(const void *before FC_UNUSED,         \
                                         const void *after)                    \
    {                                                                          \
        return P##_##NAME##_of(after);                                         \
    }                                                                          \
    static inline uint32_t P##_##NAME##_of(const struct P *s)

#endif
