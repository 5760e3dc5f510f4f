/*
 * mutex_trial.h - many runs of a protocol for mutual exclusion, and what came
 * of all of them together; for archimedean and rw-preventive.
 */
#ifndef TESTS_MUTEX_TRIAL_H
#define TESTS_MUTEX_TRIAL_H

#include <stdlib.h>

#include "protocols/mutex/archimedean/archimedean.h"
#include "sim/tally.h"
#include "tests/unit/kit/testing.h"

enum { SETTINGS_MAX = 12 };

struct trial {
    const char *protocol;
    uint32_t nodes, entries, seeds;
    const char *section, *think; /* as typed; NULL: one step */
    struct fc_bounds bounds;
    enum net_time time;
    enum net_clock clock;
    bool any_order;
    uint32_t competitors; /* 0: all */
    double shared;        /* share of requests to read */
    struct net_faults faults;
    const char *set[SETTINGS_MAX]; /* key, value, key, value */
    uint64_t until;
};

struct verdict {
    uint32_t broken[MUTEX_PROPERTIES]; /* runs */
    uint32_t failed;                   /* runs, whatever they broke */
    uint64_t entries, overlaps, first; /* seed that let two in */
    uint64_t by_kind[FC_KINDS_MAX];
    uint64_t crashes;
    struct sim_tally tally;
};

static inline void prepare_trial(const struct trial *t, struct sim_setup *s,
                                 struct archimedean_params *p)
{
    const struct fc_protocol *protocol;
    const char *file;
    struct fc_wait *wait;

    memset(s, 0, sizeof *s);
    sim_use(s, sim_find(t->protocol ? t->protocol : "archimedean"));
    protocol = s->net.protocol;
    s->net.params = p;
    s->net.world.nodes = t->nodes;
    s->net.world.bounds = t->bounds;
    s->net.first_name = 1;
    s->net.time = t->time;
    s->net.clock = t->clock;
    s->net.any_order = t->any_order;
    s->faults = t->faults;
    s->until = t->until;
    s->work.entries = t->entries;
    s->work.shared = (uint64_t)(t->shared * 4294967296.0);
    assert_true(!t->section || net_duration_read(t->section, &s->work.section));
    assert_true(!t->think || net_duration_read(t->think, &s->work.think));
    if (t->competitors) {
        s->net.waking = NET_WAKE_SOME;
        s->net.wake_count = t->competitors;
    }
    fc_params_default(protocol, p);
    for (const char *const *at = t->set; *at; at += 2)
        assert_int_equal(fc_params_set(protocol, p, at[0], at[1], &file, &wait),
                         FC_SET_DONE);
    sim_describe(s);
    assert_null(protocol->prepare(p, &s->net.world));
}

/* Runs the seeds 1, 2, ... */
static inline struct verdict *judge(const struct trial *t)
{
    static struct verdict v;
    struct sim_setup setup;
    struct archimedean_params params;
    struct net_memory memory = {0};

    memset(&v, 0, sizeof v);
    prepare_trial(t, &setup, &params);
    for (uint64_t seed = 1; seed <= t->seeds; seed++) {
        struct sim_job job = {
            .seed = seed, .memory = &memory, .tally = &v.tally};
        struct sim_result r;

        assert_int_equal(sim_run(&setup, &job, &r), SIM_OK);
        for (uint32_t i = 0; i < MUTEX_PROPERTIES; i++)
            v.broken[i] += r.broken >> i & 1;
        v.failed += r.broken != 0;
        if (r.broken & MUTEX_EXCLUSION && !v.first)
            v.first = seed;
        v.entries += r.entries;
        v.overlaps += r.overlaps;
        v.crashes += r.crashes;
        for (uint32_t k = 0; k < FC_KINDS_MAX; k++)
            v.by_kind[k] += r.by_kind[k];
    }
    net_memory_free(&memory);
    return &v;
}

/* Runs in which two were inside. */
static inline uint32_t overlapping(struct trial t)
{
    return judge(&t)->broken[0];
}

/* Nothing broken, and all entries made. */
static inline struct verdict *check_safe(const struct trial *t)
{
    struct verdict *v = judge(t);
    uint32_t sites = t->competitors ? t->competitors : t->nodes;

    assert_int_equal(v->failed, 0);
    assert_int_equal(v->overlaps, 0);
    assert_int_equal(v->entries, (uint64_t)t->seeds * t->entries * sites);
    return v;
}

#endif
