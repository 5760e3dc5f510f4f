/*
 * small_runs.h - runs of every protocol on four nodes, under all models of time
 * and with faults.
 */
#ifndef TESTS_SMALL_RUNS_H
#define TESTS_SMALL_RUNS_H

#include <string.h>

#include "net/make.h"
#include "sim/sim.h"
#include "tests/unit/kit/test.h"

static const struct net_fault small_faults[] = {
    {.kind = NET_FAULT_PAUSE, .name = 1, .tick = 5, .ticks = 7},
    {.kind = NET_FAULT_CUT, .name = 1, .tick = 9},
    {.kind = NET_FAULT_JOINED, .name = 1, .tick = 30},
    {.kind = NET_FAULT_CRASH, .name = 2, .tick = 20},
    {.kind = NET_FAULT_RESTART, .name = 2, .tick = 35},
};

static const struct small_model {
    const char *time, *bounds, *clock;
    struct net_faults faults;
} small_models[] = {
    {.time = "sync"},
    {.time = "async"},
    {.bounds = "2:3:1:4"},
    {.bounds = "1:4:0:9", .clock = "drift"},
    {.bounds = "1:9:0:2", .clock = "steps:3,1,2,3"},
    {.bounds = "1:3:0:4",
     .faults = {.crashes = 1,
                .blank = true,
                .loss = UINT32_MAX / 10,
                .duplicate = UINT32_MAX / 5}},
    {.bounds = "1:3:0:4",
     .faults = {.list = small_faults,
                .count = COUNT(small_faults),
                .late = UINT32_MAX / 5,
                .late_ticks = 5}},
};

/* A setup with its parameters and memory. */
struct small_run {
    struct net_made made;
    struct sim_setup setup;
    struct net_memory memory;
};

static inline void small_close(struct small_run *s)
{
    net_memory_free(&s->memory);
    net_unmake(&s->made);
}

/* False: this protocol refuses this model, as vitanyi refuses some; there is
 * nothing to close then. */
static inline bool small_open(struct small_run *s, const char *protocol,
                              const struct small_model *model)
{
    struct net_words words = {.protocol = protocol,
                              .nodes = "4",
                              .time = model->time,
                              .bounds = model->bounds,
                              .clock = model->clock};
    struct net_why why;

    memset(s, 0, sizeof *s);
    assert_true(net_make(&s->made, &words, &why));
    s->setup = (struct sim_setup){
        .net = s->made.net, .until = 300, .faults = model->faults};
    sim_use(&s->setup, sim_find(protocol));
    s->setup.work.entries = s->setup.work.burst = 2;
    sim_describe(&s->setup);
    if (net_prepare(&s->made, &s->setup.net, &why))
        return true;
    small_close(s);
    return false;
}

#endif
