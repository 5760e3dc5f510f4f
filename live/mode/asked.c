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
    uint16_t shared;
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
    uint16_t who;

    if (!asked || r->from >= LIVE_NODES_MAX)
        return;
    p = &asked->places[place_of(r->lock)];
    if (p->lock != r->lock || p->view != r->view)
        *p = (struct place){.lock = r->lock, .view = r->view};
    who = (uint16_t)(1u << r->from);
    p->number[r->from] = r->number;
    p->shared = (uint16_t)(r->shared ? p->shared | who : p->shared & ~who);
}

static bool has(uint16_t set, uint32_t x)
{
    return (uint32_t)set >> x & 1u;
}

/* The next of a set in line: by number, then by node. */
static uint32_t next_of(const struct place *p, uint16_t set)
{
    uint32_t least = (uint32_t)__builtin_ctz(set);

    for (uint32_t x = least + 1; x < LIVE_NODES_MAX; x++)
        if (has(set, x) && p->number[x] < p->number[least])
            least = x;
    return least;
}

uint16_t live_asked_first(const struct live_asked *asked, uint64_t lock,
                          uint32_t view, uint16_t set)
{
    static const struct place nothing;
    const struct place *p = asked ? &asked->places[place_of(lock)] : &nothing;
    uint16_t silent = 0, first = 0;
    uint32_t x;

    if (p->lock != lock || p->view != view)
        p = &nothing;
    for (x = 0; x < LIVE_NODES_MAX; x++)
        if (has(set, x) && !p->number[x])
            silent |= (uint16_t)(1u << x);
    if (silent || !set) /* two that asked nobody cannot be told apart */
        return silent & (silent - 1) ? 0 : silent;
    do { /* one, or readers side by side */
        x = next_of(p, set);
        first |= (uint16_t)(1u << x);
        set &= (uint16_t) ~(1u << x);
    } while (set && has(p->shared, x) && has(p->shared, next_of(p, set)));
    return first;
}
