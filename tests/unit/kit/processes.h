/*
 * processes.h - processes of choice and chance, written down as they are, and
 * drawn at random.
 */
#ifndef PROCESSES_H
#define PROCESSES_H

#include "check/odds/solve.h"
#include "tests/unit/kit/test.h"

enum { MOST = 256 };

struct drawn {
    struct check_process p;
    uint32_t first[MOST], begin[MOST], actions, ways_count;
    struct check_way ways[MOST];
    uint32_t weights[MOST];
};

static inline void place(struct drawn *d)
{
    d->first[d->p.states++] = d->actions;
    d->first[d->p.states] = d->actions;
}

static inline void action(struct drawn *d)
{
    d->begin[d->actions++] = d->ways_count;
    d->begin[d->actions] = d->ways_count;
    d->first[d->p.states] = d->actions;
}

static inline void way(struct drawn *d, uint32_t odds, uint32_t to)
{
    d->ways[d->ways_count++] = (struct check_way){to, odds};
    d->begin[d->actions] = d->ways_count;
    assert_true(d->ways_count < MOST && d->actions < MOST);
}

/* An action that goes two ways alike. */
static inline void coin(struct drawn *d, uint32_t one, uint32_t other)
{
    action(d);
    way(d, 2, one);
    way(d, 2, other);
}

static inline void sure(struct drawn *d, uint32_t to)
{
    action(d);
    way(d, 1, to);
}

static inline void close_process(struct drawn *d)
{
    d->p.first = d->first;
    d->p.begin = d->begin;
    d->p.ways = d->ways;
    d->p.weights = d->weights;
}

/* ---- Drawn at random ----------------------------------------------------- */

enum { FEW = 5 };

static inline uint32_t draw(uint64_t *seed, uint32_t below)
{
    *seed =
        *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33) % below;
}

static inline void draw_process(struct drawn *d, uint64_t *seed)
{
    uint32_t states = 1 + draw(seed, FEW), ends = 1 + draw(seed, 2);

    for (uint32_t s = 0; s < states; s++) {
        uint32_t actions = draw(seed, 8) ? 1 + draw(seed, 3) : 0;

        place(d);
        while (actions-- > 0) {
            uint32_t ways = draw(seed, 2) ? 1 : 2 + draw(seed, 2);

            action(d);
            for (uint32_t i = 0; i < ways; i++) {
                uint32_t to = draw(seed, states + ends);

                way(d, ways,
                    to < states    ? to
                    : to == states ? CHECK_BAD_END
                                   : CHECK_GOOD_END);
            }
        }
    }
}

#endif
