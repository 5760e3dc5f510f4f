/*
 * gains.c - where a sum can be made to grow without end (see sure.h).
 *
 * One can stay for ever in an end component: a strongly connected set of states
 * with actions none of which leaves the set (L. de Alfaro, Formal Verification
 * of Probabilistic Systems, 1997).  Actions that lead out of their component
 * are taken away, which may split it, until none does.  If one that is left
 * adds something, it is done again and again, with probability 1.
 */
#include "check/odds/sure.h"

struct gains {
    const struct check_process *p;
    struct check_memory *memory;
    uint8_t *alive;      /* actions that are left */
    uint32_t *component; /* of each state */
    uint32_t components;
    /* The part of the process that is left. */
    uint32_t *first, *begin;
    struct check_way *ways;
};

static void number_component(void *whom, const uint32_t *states, uint32_t count)
{
    struct gains *g = whom;

    for (uint32_t i = 0; i < count; i++)
        g->component[states[i]] = g->components;
    g->components++;
}

static struct check_process write_rest(struct gains *g)
{
    const struct check_process *p = g->p;
    uint32_t actions = 0, ways = 0;

    for (uint32_t s = 0; s < p->states; s++) {
        g->first[s] = actions;
        for (uint32_t a = p->first[s]; a < p->first[s + 1]; a++) {
            if (!g->alive[a])
                continue;
            g->begin[actions++] = ways;
            for (uint32_t i = p->begin[a]; i < p->begin[a + 1]; i++)
                g->ways[ways++] = p->ways[i];
        }
    }
    g->first[p->states] = actions;
    g->begin[actions] = ways;
    return (struct check_process){.states = p->states,
                                  .first = g->first,
                                  .begin = g->begin,
                                  .ways = g->ways};
}

static bool stays(const struct gains *g, uint32_t state, uint32_t action)
{
    for (uint32_t i = g->p->begin[action]; i < g->p->begin[action + 1]; i++) {
        uint32_t to = g->p->ways[i].to;

        if (to == CHECK_BAD_END || to == CHECK_GOOD_END ||
            g->component[to] != g->component[state])
            return false;
    }
    return true;
}

/* Takes away the actions that lead out of their components; false: there are
 * none. */
static bool take_away(struct gains *g)
{
    bool smaller = false;

    for (uint32_t s = 0; s < g->p->states; s++)
        for (uint32_t a = g->p->first[s]; a < g->p->first[s + 1]; a++)
            if (g->alive[a] && !stays(g, s, a)) {
                g->alive[a] = 0;
                smaller = true;
            }
    return smaller;
}

static bool find_end_components(struct gains *g)
{
    bool good;

    do {
        struct check_process rest = write_rest(g);

        g->components = 0;
        good = check_process_components(&rest, NULL, g->memory,
                                        number_component, g);
    } while (good && take_away(g));
    return good;
}

static bool adds(const struct check_process *p, uint32_t action)
{
    for (uint32_t i = p->begin[action]; i < p->begin[action + 1]; i++)
        if (p->weights[i] > 0)
            return true;
    return false;
}

static bool leads_there(const struct check_process *p, uint32_t state,
                        const uint8_t *marks)
{
    for (uint32_t i = p->begin[p->first[state]];
         i < p->begin[p->first[state + 1]]; i++) {
        uint32_t to = p->ways[i].to;

        if (to != CHECK_BAD_END && to != CHECK_GOOD_END && marks[to])
            return true;
    }
    return false;
}

static void mark(const struct gains *g, uint8_t *marks)
{
    const struct check_process *p = g->p;
    bool more;

    for (uint32_t s = 0; s < p->states; s++) {
        marks[s] = 0;
        for (uint32_t a = p->first[s]; a < p->first[s + 1]; a++)
            marks[s] |= g->alive[a] && adds(p, a);
    }
    do {
        more = false;
        for (uint32_t s = p->states; s-- > 0;)
            if (!marks[s] && leads_there(p, s, marks)) {
                marks[s] = 1;
                more = true;
            }
    } while (more);
}

bool check_gains(const struct check_process *p, struct check_memory *memory,
                 uint8_t *marks)
{
    size_t states = (size_t)p->states + 1, actions = p->first[p->states] + 1u;
    size_t ways = p->begin[p->first[p->states]] + 1u;
    struct gains g = {.p = p, .memory = memory};
    bool good;

    g.alive = check_grow(memory, NULL, 0, actions);
    g.component = check_grow(memory, NULL, 0, states * sizeof *g.component);
    g.first = check_grow(memory, NULL, 0, states * sizeof *g.first);
    g.begin = check_grow(memory, NULL, 0, actions * sizeof *g.begin);
    g.ways = check_grow(memory, NULL, 0, ways * sizeof *g.ways);
    good = g.alive && g.component && g.first && g.begin && g.ways;
    for (size_t a = 0; good && a < actions; a++)
        g.alive[a] = 1;
    good = good && find_end_components(&g);
    if (good)
        mark(&g, marks);
    check_release(memory, g.alive, actions);
    check_release(memory, g.component, states * sizeof *g.component);
    check_release(memory, g.first, states * sizeof *g.first);
    check_release(memory, g.begin, actions * sizeof *g.begin);
    check_release(memory, g.ways, ways * sizeof *g.ways);
    return good;
}
