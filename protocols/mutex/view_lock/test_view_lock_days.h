/*
 * test_view_lock_days.h - a run of the live lock with everything that can go
 * wrong, from a seed: what the tests of many runs share.
 */
#ifndef VIEW_LOCK_DAYS_H
#define VIEW_LOCK_DAYS_H

#include "protocols/mutex/view_lock/view_lock.h"
#include "sim/batch.h"
#include "tests/unit/kit/testing.h"

/* Times in ticks, but for the parameters of the protocol, which are steps. */
struct trouble {
    uint32_t nodes;
    struct fc_bounds bounds;
    enum net_clock clock;
    struct view_lock_params params;
    uint64_t until;
    uint32_t section, think; /* uniform, from 1 on */
    net_chance loss, duplicate, late;
    uint32_t late_ticks;
    uint32_t crashes, pauses, cuts; /* pauses and cuts: of each node */
    uint32_t longest;               /* of those */
    uint32_t changes; /* lists that are asked for, of those in params */
};

/* One run on these engines, with its own schedule of pauses, cuts and
 * crashes. */
static inline struct sim_result
play_on(const struct sim_type *type, const struct trouble *what, uint64_t seed)
{
    struct net_fault faults[64];
    struct dice dice = {seed};
    struct view_lock_params p = what->params;
    struct net_memory memory = {0};
    struct sim_job job = {.seed = seed, .memory = &memory};
    struct sim_result result;
    uint32_t count = 0, end = (uint32_t)what->until;
    uint32_t changes[FC_LISTS_MAX];
    struct sim_setup s = {
        .type = type,
        .net.protocol = &view_lock_protocol,
        .net.params = &p,
        .net.time = NET_ARCHIMEDEAN,
        .net.clock = what->clock,
        .net.any_order = true,
        .net.first_name = 1,
        .net.world = {.nodes = what->nodes, .bounds = what->bounds},
        .until = what->until,
        .work = {.entries = what->changes ? 1000 : 40,
                 .section = {NET_UNIFORM, 1, what->section, 0},
                 .think = {NET_UNIFORM, 1, what->think, 0},
                 .shared = UINT64_C(1) << 30},
        .faults = {.list = faults,
                   .loss = what->loss,
                   .duplicate = what->duplicate,
                   .late = what->late,
                   .late_ticks = what->late_ticks,
                   .crashes = what->crashes,
                   .blank = true},
    };

    for (uint32_t i = 0; i < what->changes; i++)
        changes[i] = end / 8 + throw_below(&dice, end / 2);
    /* They are sorted by name. */
    for (fc_name name = 1; name <= what->nodes; name++) {
        for (uint32_t i = 0; i < what->changes; i++)
            faults[count++] = (struct net_fault){
                NET_FAULT_CHANGE, {.name = name}, changes[i], i};
        for (uint32_t i = 0; i < what->pauses; i++)
            faults[count++] =
                (struct net_fault){NET_FAULT_PAUSE,
                                   {.name = name},
                                   throw_below(&dice, end - end / 6),
                                   1 + throw_below(&dice, what->longest)};
        for (uint32_t i = 0; i < what->cuts; i++) {
            uint32_t from = throw_below(&dice, end - end / 4);

            faults[count++] =
                (struct net_fault){NET_FAULT_CUT, {.name = name}, from, 0};
            faults[count++] = (struct net_fault){
                NET_FAULT_JOINED,
                {.name = name},
                from + 1 + throw_below(&dice, 2 * what->longest),
                0};
        }
    }
    s.faults.count = count;
    sim_describe(&s);
    assert_null(s.type->protocol->prepare(&p, &s.net.world));
    assert_int_equal(sim_run(&s, &job, &result), SIM_OK);
    net_memory_free(&memory);
    return result;
}

/* The same on those that fit; returns the properties that it broke. */
static inline uint32_t play(const struct trouble *what, uint64_t seed,
                            uint64_t *entries)
{
    struct sim_result result = play_on(sim_find("view-lock"), what, seed);

    *entries += result.entries;
    return result.broken;
}

#endif
