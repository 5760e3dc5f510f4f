/*
 * asked.c - see asked.h: the newest requests, of as many locks as there is room
 * for.
 */
#include "live/mode/asked.h"

#include <stdlib.h>

#include "live/config/config.h"

enum { PLACES = 256 };

/* Of one lock in one view; a number is 0 if none came. */
struct place {
    uint64_t lock;
    uint32_t view;
    live_node_set shared;
    uint32_t number[LIVE_NODES_MAX];
};

struct live_asked {
    struct place places[PLACES];
};

struct live_asked *live_asked_open(void)
{
    return calloc(1, sizeof(struct live_asked));
}

void live_asked_close(struct live_asked *asked)
{
    free(asked);
}

/* A lock is the hash of its name. */
static uint32_t place_of(uint64_t lock)
{
    return (uint32_t)(lock ^ lock >> 32) % PLACES;
}

void live_asked_note(struct live_asked *asked,
                     const struct live_asked_request *r)
{
    struct place *p;
    live_node_set who;

    if (!asked || r->from >= LIVE_NODES_MAX)
        return;
    p = &asked->places[place_of(r->lock)];
    if (p->lock != r->lock || p->view != r->view)
        *p = (struct place){.lock = r->lock, .view = r->view};
    who = live_only(r->from);
    p->number[r->from] = r->number;
    p->shared = r->shared ? p->shared | who : p->shared & ~who;
}

/* The next of a set in line: by number, then by node. */
static uint32_t next_of(const struct place *p, live_node_set set)
{
    uint32_t least = live_least(set);

    for (live_node_set rest = set & (set - 1); rest; rest &= rest - 1)
        if (p->number[live_least(rest)] < p->number[least])
            least = live_least(rest);
    return least;
}

live_node_set live_asked_first(const struct live_asked *asked, uint64_t lock,
                               uint32_t view, live_node_set set)
{
    static const struct place nothing;
    const struct place *p = asked ? &asked->places[place_of(lock)] : &nothing;
    live_node_set silent = 0, first = 0;
    uint32_t x;

    if (p->lock != lock || p->view != view)
        p = &nothing;
    for (live_node_set rest = set; rest; rest &= rest - 1)
        if (!p->number[live_least(rest)])
            silent |= live_only(live_least(rest));
    if (silent || !set) /* two that asked nobody cannot be told apart */
        return silent & (silent - 1) ? 0 : silent;
    do { /* one, or readers side by side */
        x = next_of(p, set);
        first |= live_only(x);
        set &= ~live_only(x);
    } while (set && live_has(p->shared, x) &&
             live_has(p->shared, next_of(p, set)));
    return first;
}
