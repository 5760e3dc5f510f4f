/*
 * components.c - see components.h.
 *
 * Tarjan's search (1972) in the form of D. Pearce (2016): a state is put on the
 * stack when it is left, not when it is entered.  So the states of a component
 * come off in the order in which they were left, and most of what a state leads
 * to stands before it; going through them in this order, numbers travel far in
 * one sweep.
 */
#include "check/odds/components.h"

/* In place of when a state was met: its component is complete. */
#define DONE UINT32_MAX

static size_t size_of(const struct check_components *c)
{
    return ((size_t)c->p->states + 1) * sizeof(uint32_t);
}

bool check_components_open(struct check_components *c,
                           const struct check_process *p, const uint8_t *known,
                           struct check_memory *memory)
{
    *c = (struct check_components){.p = p, .known = known};
    c->order = check_grow(memory, NULL, 0, size_of(c));
    c->met = check_grow(memory, NULL, 0, size_of(c));
    c->low = check_grow(memory, NULL, 0, size_of(c));
    c->next = check_grow(memory, NULL, 0, size_of(c));
    c->stack = check_grow(memory, NULL, 0, size_of(c));
    c->path = check_grow(memory, NULL, 0, size_of(c));
    return c->order && c->met && c->low && c->next && c->stack && c->path;
}

void check_components_trim(struct check_components *c,
                           struct check_memory *memory)
{
    check_release(memory, c->met, size_of(c));
    check_release(memory, c->low, size_of(c));
    check_release(memory, c->next, size_of(c));
    check_release(memory, c->stack, size_of(c));
    check_release(memory, c->path, size_of(c));
    c->met = c->low = c->next = c->stack = c->path = NULL;
}

void check_components_close(struct check_components *c,
                            struct check_memory *memory)
{
    check_components_trim(c, memory);
    check_release(memory, c->order, size_of(c));
    c->order = NULL;
}

static void enter(struct check_components *c, uint32_t state)
{
    c->met[state] = c->low[state] = ++c->met_count;
    c->next[state] = c->p->begin[c->p->first[state]];
}

/* All that a state leads to has been looked at.  If it reaches nothing earlier,
 * its component is itself and what is on the stack since it was met.  Returns
 * the first place of the component in the order, or the end of the order. */
static uint32_t leave(struct check_components *c, uint32_t state)
{
    uint32_t since = c->stack_count, begin = c->order_count;

    if (c->low[state] != c->met[state]) {
        c->stack[c->stack_count++] = state;
        return begin;
    }
    while (since > 0 && c->met[c->stack[since - 1]] > c->met[state])
        since--;
    for (uint32_t i = since; i < c->stack_count; i++)
        c->order[c->order_count++] = c->stack[i];
    c->stack_count = since;
    c->order[c->order_count++] = state;
    for (uint32_t i = begin; i < c->order_count; i++)
        c->met[c->order[i]] = DONE;
    return begin;
}

/* Where a state leads to next; itself: nowhere any more. */
static uint32_t next_of(struct check_components *c, uint32_t state)
{
    while (c->next[state] < c->p->begin[c->p->first[state + 1]]) {
        uint32_t to = c->p->ways[c->next[state]++].to;

        if (to != CHECK_BAD_END && to != CHECK_GOOD_END && to != state &&
            !c->known[to])
            return to;
    }
    return state;
}

void check_components(struct check_components *c,
                      void (*each)(void *whom, const uint32_t *states,
                                   uint32_t count),
                      void *whom)
{
    c->order_count = c->met_count = c->stack_count = 0;
    for (uint32_t s = 0; s < c->p->states; s++)
        c->met[s] = 0;
    for (uint32_t root = 0; root < c->p->states; root++) {
        uint32_t deep = 0;

        if (c->met[root] || c->known[root])
            continue;
        enter(c, root);
        c->path[deep++] = root;
        while (deep > 0) {
            uint32_t s = c->path[deep - 1], to = next_of(c, s), begin;

            if (to != s && !c->met[to]) {
                enter(c, to);
                c->path[deep++] = to;
            } else if (to != s) {
                if (c->met[to] < c->low[s])
                    c->low[s] = c->met[to];
            } else {
                deep--;
                if (deep > 0 && c->low[s] < c->low[c->path[deep - 1]])
                    c->low[c->path[deep - 1]] = c->low[s];
                begin = leave(c, s);
                if (begin < c->order_count)
                    each(whom, c->order + begin, c->order_count - begin);
            }
        }
    }
}
