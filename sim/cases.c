/*
 * cases.c - see cases.h.
 */
#include "sim/cases.h"

#include <assert.h>
#include <string.h>

uint64_t sim_placements_count(const struct sim_cases *c)
{
    uint64_t count = 1;

    for (uint32_t i = 2; c->placements && i <= c->nodes; i++)
        count *= i;
    return count;
}

uint64_t sim_starters_count(const struct sim_cases *c)
{
    return c->starters ? (UINT64_C(1) << c->nodes) - 1 : 1;
}

/* The digits of the number, in the factorial base, say which of the names that
 * are left comes next. */
static void place(struct sim_case *one, const struct sim_cases *c,
                  uint64_t number)
{
    fc_name left[SIM_PLACED_MAX];
    uint64_t rest = sim_placements_count(c);

    assert(c->nodes <= SIM_PLACED_MAX && number < rest);
    memcpy(left, c->names, c->nodes * sizeof *left);
    for (uint32_t i = 0; i < c->nodes; i++) {
        uint32_t count = c->nodes - i, which;

        rest /= count;
        which = (uint32_t)(number / rest);
        number %= rest;
        one->names[i] = left[which];
        memmove(left + which, left + which + 1,
                (count - which - 1) * sizeof *left);
    }
}

void sim_case_find(struct sim_case *one, const struct sim_cases *c,
                   uint64_t number)
{
    uint64_t sets = sim_starters_count(c), set = number % sets + 1;

    if (c->placements)
        place(one, c, number / sets);
    one->wakes_count = 0;
    for (uint32_t i = 0; c->starters && i < c->nodes; i++)
        if (set >> i & 1)
            one->wakes[one->wakes_count++] =
                (struct net_wake){.name = c->names[i], .tick = 0};
}

void sim_case_use(const struct sim_case *one, const struct sim_cases *c,
                  struct sim_setup *setup)
{
    struct net *net = &setup->net;

    if (c->placements) {
        net->naming = NET_NAMES_LIST;
        net->names = one->names;
    }
    if (c->starters) {
        net->waking = NET_WAKE_LIST;
        net->wakes = one->wakes;
        net->wake_count = net->world.initiators = one->wakes_count;
    }
}
