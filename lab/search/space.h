/*
 * space.h - the networks among which a worst one is looked for.
 *
 * A case is a setup of the simulator with some of it replaced: the names of the
 * nodes, when each starts, how long each node's steps last and how long each
 * link takes, which parameters, which seed.  It is kept as a flat list of
 * numbers, its genes, one part after the other; parts that do not vary are not
 * there.
 */
#ifndef LAB_SPACE_H
#define LAB_SPACE_H

#include "lab/formula/letters.h"
#include "lab/search/families.h"
#include "net/random.h"
#include "sim/sim.h"

enum lab_part {
    LAB_NAMES,    /* a gene for each place: the rank of its name, from 0 */
    LAB_WAKES,    /* for each place: 1 + the tick at which it starts, or 0 */
    LAB_STEPS,    /* for each place: ticks */
    LAB_PHASES,   /* for each place: ticks, of which whole steps do not count */
    LAB_DELAYS,   /* for each link: ticks */
    LAB_SETTINGS, /* one: which of the setups */
    LAB_SEED,     /* one: of the run */
    LAB_PARTS,
};

struct lab_range {
    uint32_t at, count;       /* of its genes */
    uint64_t least, greatest; /* of each; 0 genes: the part does not vary */
};

struct lab_space {
    const struct sim_setup *setups; /* they differ in their parameters */
    uint32_t nodes;
    uint64_t seed;         /* of the runs, if that does not vary */
    const fc_name *names;  /* sorted */
    const uint32_t *ranks; /* of the names at each place, as it is set up */
    struct lab_range part[LAB_PARTS];
    uint32_t genes;
    bool rotates; /* a ring that is turned is the same case: the least name
                   * comes first */
};

/* Works out where genes stand, and whether turned rings are the same.  The
 * ranges of values are filled in, and each part counts its genes. */
void lab_space_arrange(struct lab_space *s);

/* The number of cases; UINT64_MAX if they cannot be counted. */
uint64_t lab_space_count(const struct lab_space *s);

/* Cases have numbers below this, which are not all cases. */
uint64_t lab_space_numbers(const struct lab_space *s);

/* The case of this number; false: it is none, because nobody starts at tick
 * 0. */
bool lab_space_case(const struct lab_space *s, uint64_t number,
                    uint64_t *genes);

/* A stream of random numbers. */
struct lab_random {
    uint64_t state;
};

static inline uint64_t lab_below(struct lab_random *r, uint64_t range)
{
    return net_below(net_mix(r->state++), range);
}

void lab_space_random(const struct lab_space *s, struct lab_random *r,
                      uint64_t *genes);

/* Changes a case a little. */
void lab_space_mutate(const struct lab_space *s, struct lab_random *r,
                      uint64_t *genes);

/* The case of a family; what its formulas do not say is all at tick 0 and as
 * fast as can be. */
bool lab_space_family(const struct lab_space *s, const struct lab_family *f,
                      uint64_t *genes, struct net_why *why);

/* Turns a ring so that its least name comes first. */
void lab_space_turn(const struct lab_space *s, uint64_t *genes);

/* Completes genes that are nearly a case: some node starts at tick 0. */
void lab_space_mend(const struct lab_space *s, uint64_t *genes);

/* The case of a ring with one node less: that at `place` leaves. */
void lab_space_without(const struct lab_space *s, uint32_t place,
                       const struct lab_space *larger, const uint64_t *genes,
                       uint64_t *out);

#endif
