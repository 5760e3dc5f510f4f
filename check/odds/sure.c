/*
 * sure.c - see sure.h.
 *
 * Whether a probability is 0 or 1 does not depend on how coins are weighted
 * (C. Baier and J.-P. Katoen, Principles of Model Checking, 2008, chapter 10).
 * Components are decided one after the other, those first to which others lead;
 * all states of a component reach each other, and that settles most of them as
 * a whole:
 *
 *  - Greatest: 0 if all ways out of the component lead to states with 0, or
 *    there are none; 1 if all ways out lead to states with 1, because random
 *    choices leave the component.  If it has ways out of both kinds, the states
 *    with 1 are the largest set in which each has a path to a state with 1 by
 *    actions that cannot leave the set other than to states with 1.
 *  - Least: 0 for the largest set of states each of which has an action that
 *    surely stays in the set or leads to states with 0.  1 for all states of
 *    the component if that set is empty and all ways out lead to states with 1:
 *    otherwise each of them may come to a state with less.
 */
#include "check/odds/sure.h"

#include "check/search/components.h"

/* ---- Components ---------------------------------------------------------- */

struct graph {
    struct check_components components;
    const struct check_process *p;
    const uint8_t *known;
    void (*complete)(void *whom, const uint32_t *states, uint32_t count);
    void *whom;
};

static uint32_t next_of(void *whom, uint32_t state, uint32_t *at)
{
    const struct graph *g = whom;
    const uint32_t *begin = g->p->begin, *first = &g->p->first[state];

    for (uint32_t i; (i = begin[first[0]] + *at) < begin[first[1]];) {
        uint32_t to = g->p->ways[i].to;

        ++*at;
        if (to != CHECK_BAD_END && to != CHECK_GOOD_END &&
            !check_is_complete(&g->components, to) &&
            !(g->known && g->known[to]))
            return to;
    }
    return CHECK_NO_STATE;
}

static void complete(void *whom, const uint32_t *states, uint32_t count)
{
    const struct graph *g = whom;

    g->complete(g->whom, states, count);
}

bool check_process_components(const struct check_process *p,
                              const uint8_t *known, struct check_memory *memory,
                              void (*each)(void *whom, const uint32_t *states,
                                           uint32_t count),
                              void *whom)
{
    struct graph g = {.components = {.memory = memory,
                                     .states = p->states,
                                     .next = next_of,
                                     .complete = complete,
                                     .whom = &g},
                      .p = p,
                      .known = known,
                      .complete = each,
                      .whom = whom};
    struct check_components *c = &g.components;
    bool good = check_components_begin(c);

    for (uint32_t root = 0; good && root < p->states; root++)
        if (!known || !known[root])
            check_components_from(c, root);
    good = good && !c->stopped;
    check_components_end(c);
    return good;
}

/* ---- Sure, or never ------------------------------------------------------ */

/* While a component is looked at: its states that may be in the set, and of
 * these the ones that are known to have a path out. */
enum { HERE = 4, NEAR = 8 };

struct sure {
    const struct check_process *p;
    uint8_t *known;
    uint32_t end;
    bool greatest;
    const uint32_t *states; /* of the component */
    uint32_t count;
};

static uint8_t known_at(const struct sure *u, uint32_t to)
{
    if (to == CHECK_BAD_END || to == CHECK_GOOD_END)
        return to == u->end ? CHECK_SURELY : CHECK_NEVER;
    return u->known[to];
}

static bool all_ways(const struct sure *u, uint32_t action, uint8_t among)
{
    for (uint32_t i = u->p->begin[action]; i < u->p->begin[action + 1]; i++)
        if (!(known_at(u, u->p->ways[i].to) & among))
            return false;
    return true;
}

static bool some_way(const struct sure *u, uint32_t action, uint8_t among)
{
    for (uint32_t i = u->p->begin[action]; i < u->p->begin[action + 1]; i++)
        if (known_at(u, u->p->ways[i].to) & among)
            return true;
    return false;
}

/* Whether a state has an action that goes surely to `among`, and perhaps to
 * `also`. */
static bool has_action(const struct sure *u, uint32_t state, uint8_t among,
                       uint8_t also)
{
    for (uint32_t a = u->p->first[state]; a < u->p->first[state + 1]; a++)
        if (all_ways(u, a, among) && some_way(u, a, also))
            return true;
    return false;
}

/* Whether all ways of the component lead to `among`. */
static bool leads_only(const struct sure *u, uint8_t among)
{
    for (uint32_t i = 0; i < u->count; i++) {
        uint32_t s = u->states[i];

        for (uint32_t a = u->p->first[s]; a < u->p->first[s + 1]; a++)
            if (!all_ways(u, a, among))
                return false;
    }
    return true;
}

/* States that are HERE get the mark if they have such an action, or lose it if
 * they have none, until nothing changes: in sweeps, forwards and backwards in
 * turn.  Returns the number of changes. */
static uint32_t settle(const struct sure *u, uint8_t mark, bool gets,
                       uint8_t among, uint8_t also)
{
    uint32_t changed = 0, before;
    bool back = false;

    do {
        before = changed;
        for (uint32_t i = 0; i < u->count; i++) {
            uint32_t s = u->states[back ? u->count - 1 - i : i];

            if (!(u->known[s] & HERE) || !(u->known[s] & mark) != gets ||
                has_action(u, s, among, also) != gets)
                continue;
            u->known[s] ^= mark;
            changed++;
        }
        back = !back;
    } while (changed != before);
    return changed;
}

/* HERE shrinks to the states in which the probability can be made 1. */
static void keep_sure(const struct sure *u)
{
    bool smaller;

    do {
        settle(u, HERE, false, CHECK_SURELY | HERE, CHECK_SURELY | HERE);
        settle(u, NEAR, true, CHECK_SURELY | HERE, CHECK_SURELY | NEAR);
        smaller = false;
        for (uint32_t i = 0; i < u->count; i++) {
            uint8_t *k = &u->known[u->states[i]];

            smaller |= *k == HERE;
            *k = *k & NEAR ? HERE : 0;
        }
    } while (smaller);
}

/* Whether it is a state in which nothing can be chosen. */
static bool is_stuck(const struct sure *u)
{
    return u->p->first[u->states[0]] == u->p->first[u->states[0] + 1];
}

static void decide(void *whom, const uint32_t *states, uint32_t count)
{
    struct sure *u = whom;
    uint8_t is = CHECK_NEVER; /* what the states are that stay HERE */
    bool only_surely;

    u->states = states;
    u->count = count;
    for (uint32_t i = 0; i < count; i++)
        u->known[states[i]] = HERE;
    only_surely = leads_only(u, CHECK_SURELY | HERE);
    if (!u->greatest && !is_stuck(u)) {
        uint32_t lost =
            settle(u, HERE, false, CHECK_NEVER | HERE, CHECK_NEVER | HERE);

        if (lost == count && only_surely) {
            for (uint32_t i = 0; i < count; i++)
                u->known[states[i]] = HERE;
            is = CHECK_SURELY;
        }
    } else if (!leads_only(u, CHECK_NEVER | HERE)) {
        is = CHECK_SURELY;
        if (!only_surely)
            keep_sure(u);
    }
    for (uint32_t i = 0; i < count; i++)
        u->known[states[i]] = u->known[states[i]] & HERE ? is : 0;
}

bool check_sure(const struct check_process *p, struct check_memory *memory,
                uint8_t *known, uint32_t end, bool greatest)
{
    struct sure u = {.p = p, .known = known, .end = end, .greatest = greatest};

    return check_process_components(p, known, memory, decide, &u);
}
