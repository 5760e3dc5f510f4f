/*
 * given.c - first draws under the condition that a given number of them come
 * out in one way (see process.h, docs/check-inside.md).
 *
 * Every node draws a first time, alike, and independently of all that happened
 * before: so each number of draws that come out as asked has the same
 * probability whatever is chosen, and a condition on it means the same for
 * every scheduler.  Given that m of the r draws that are left come out so, the
 * next one does with probability m/r; the others of its outcomes share the rest
 * alike.  If no outcome is the one asked for, nothing is given, and they share
 * alike as ever.  Here as without the condition, a scheduler sees draws when
 * they are made.
 *
 * That every node draws, whatever is chosen, is not taken for granted: if it
 * were up to the scheduler whether a node draws, the condition would be too.
 */
#include "check/odds/given.h"

#include <stdlib.h>

#include "check/odds/process.h"

/* ---- Chances of one draw ------------------------------------------------- */

static uint32_t divisor(uint32_t a, uint32_t b)
{
    while (b) {
        uint32_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

struct check_odds_given check_given_odds(const struct check_model *m,
                                         const struct check_budget *b,
                                         const struct check_outcome *o)
{
    uint32_t left = m->nodes - b->drawn, rest = o->odds / o->range, common;
    uint32_t wanted = m->setup->given_count - b->hits;
    struct check_odds_given g = {wanted, left};

    if (m->setup->given_draw > o->range)
        return (struct check_odds_given){1, o->odds};
    if (!o->hit)
        g = (struct check_odds_given){left - wanted, left * (o->range - 1)};
    common = divisor(g.odds, g.times);
    g.times /= common;
    if (__builtin_mul_overflow(g.odds / common, rest, &g.odds))
        g.odds = 0;
    return g;
}

/* ---- Whether it means anything ------------------------------------------- */

/* Whether it comes to every node's first draw, from wherever runs begin. */
static bool all_draw(struct check_building *b, const char **refusal)
{
    struct check_memory *memory = &b->search.model.memory;
    size_t size = b->initial * sizeof(struct check_expected);
    struct check_expected *sure = check_grow(memory, NULL, 0, size);
    struct check_process p = check_built(b);
    struct check_aim aim = {.asked = CHECK_ODDS, .end = CHECK_GOOD_END};

    if (sure && check_solve(&p, memory, &aim, sure, b->initial))
        for (uint32_t i = 0; i < b->initial; i++)
            if (sure[i].value.under != 1 || sure[i].value.over != 1)
                *refusal = "not every node draws for sure, so that whether it "
                           "comes to that is up to the scheduler";
    check_release(memory, sure, size);
    return !memory->failed && !*refusal;
}

enum check_limit check_given(const struct check_setup *setup,
                             const char **refusal)
{
    struct check_building *b = calloc(1, sizeof *b);
    enum check_limit limit = CHECK_NO_LIMIT;

    *refusal = NULL;
    if (!b)
        return CHECK_MEMORY;
    b->trial = true;
    if (!check_build_begin(b, setup) || !check_build(b))
        limit = check_build_limit(b, refusal);
    else if (!all_draw(b, refusal))
        limit = *refusal ? CHECK_REFUSED : CHECK_MEMORY;
    check_build_end(b);
    free(b);
    return limit;
}
