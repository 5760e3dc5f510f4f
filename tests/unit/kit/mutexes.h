/*
 * mutexes.h - what the tests of mutual exclusion share.
 *
 * Always: whole runs with a workload, one by one or in storms of seeds.
 *
 * With MUTEX set to a protocol's name and MUTEX_SOURCE to its .c file, which is
 * then included with room for MUTEX_NODES sites only: single steps, which are
 * checked to be pure, and an explorer of all orders in which a few sites can do
 * a few entries.
 *
 *     #define MUTEX        ricart_agrawala
 *     #define MUTEX_SOURCE "protocols/mutex/ricart_agrawala/ricart_agrawala.c"
 *     #include "tests/unit/kit/mutexes.h"
 */
#ifndef MUTEXES_H
#define MUTEXES_H

#ifdef MUTEX
#ifndef MUTEX_NODES
#define MUTEX_NODES 16
#endif
#define FC_NODES_MAX MUTEX_NODES
#endif

#include "problems/mutex.h"
#include "sim/tally.h"
#include "tests/unit/kit/testing.h"

#ifdef MUTEX
#undef FC_API
#define FC_API static inline
#define FC_TYPED
#include MUTEX_SOURCE
#undef FC_TYPED
#undef FC_API
#define FC_API
#endif

/* ---- Whole runs ---------------------------------------------------------- */

/* A setup with its parameters and memory, and what its runs cost. */
struct mutex_lab {
    struct sim_setup setup;
    uint64_t params[96];
    struct net_memory memory;
    struct sim_tally tally;
};

/* A synchronous network in which every site enters once, for one step. */
static inline void mutex_open(struct mutex_lab *lab, const char *protocol,
                              uint32_t n)
{
    memset(lab, 0, sizeof *lab);
    sim_use(&lab->setup, sim_find(protocol));
    assert_non_null(lab->setup.type);
    assert_true(lab->setup.net.protocol->params_size <= sizeof lab->params);
    lab->setup.net.params = lab->params;
    lab->setup.net.world.nodes = n;
    lab->setup.net.first_name = 1;
    lab->setup.net.world.bounds = (struct fc_bounds){1, 1, 0, 0};
    fc_params_default(lab->setup.net.protocol, lab->params);
}

static inline void mutex_set(struct mutex_lab *lab, const char *key,
                             const char *value)
{
    const char *file = NULL;
    struct fc_wait *wait = NULL;

    assert_int_equal(fc_params_set(lab->setup.net.protocol, lab->params, key,
                                   value, &file, &wait),
                     FC_SET_DONE);
}

static inline void mutex_bounds(struct mutex_lab *lab, struct fc_bounds bounds)
{
    lab->setup.net.time = NET_ARCHIMEDEAN;
    lab->setup.net.world.bounds = bounds;
}

/* Works out the world and the parameters, then runs. */
static inline struct sim_result mutex_run(struct mutex_lab *lab, uint64_t seed)
{
    const struct fc_protocol *p = lab->setup.net.protocol;
    struct sim_job job = {
        .seed = seed, .memory = &lab->memory, .tally = &lab->tally};
    struct sim_result result;

    sim_describe(&lab->setup);
    if (p->prepare)
        assert_null(p->prepare(lab->params, &lab->setup.net.world));
    assert_int_equal(sim_run(&lab->setup, &job, &result), SIM_OK);
    return result;
}

static inline void mutex_close(struct mutex_lab *lab)
{
    net_memory_free(&lab->memory);
}

/* Sites from..to of n, counted from 0, enter so often each; all others want
 * nothing.  The lab is open already. */
static inline struct sim_result mutex_compete(struct mutex_lab *lab,
                                              uint32_t from, uint32_t to,
                                              uint32_t entries)
{
    struct net_wake wakes[256];
    struct sim_result r;

    for (uint32_t i = from; i <= to; i++)
        wakes[i - from] = (struct net_wake){.name = i + 1};
    lab->setup.net.waking = NET_WAKE_LIST;
    lab->setup.net.wakes = wakes;
    lab->setup.net.wake_count = to - from + 1;
    lab->setup.work.entries = entries;
    mutex_bounds(lab, (struct fc_bounds){2, 3, 1, 4});
    r = mutex_run(lab, 1 + from + to);
    assert_int_equal(r.broken, 0);
    assert_int_equal(r.entries, (to - from + 1) * entries);
    return r;
}

/* Sizes to try, from 1 to 200: all small ones, and some large. */
static inline uint32_t next_size(uint32_t n)
{
    return n < 40 ? n + 1 : n + 20;
}

/* ---- Storms -------------------------------------------------------------- */

/* Runs of all sorts, different with every seed: sizes, bounds, clocks, work,
 * competitors. */
struct storm {
    const char *protocol;
    const char *key, *value; /* a parameter, or NULL */
    enum net_time time;
    bool any_order;
    uint32_t least, greatest; /* sites; 0: 2 to 16 */
};

/* What came of them. */
struct stormed {
    uint32_t runs, violated; /* how many broke a property */
    uint32_t broken;         /* which, of all runs */
    uint64_t entries, messages;
    struct sim_tally tally;
};

static inline void storm_work(struct net_work *work, uint64_t seed)
{
    static const struct net_duration times[] = {
        {NET_ALWAYS, 1, 0, 0},
        {NET_UNIFORM, 1, 10, 0},
        {NET_EXPONENTIAL, 20, 0, 0},
    };

    work->entries = 1 + (uint32_t)(seed / 3) % 4;
    work->burst = 1 + (uint32_t)(seed / 23) % 2;
    work->section = times[seed / 5 % COUNT(times)];
    work->think = times[seed / 7 % COUNT(times)];
}

static inline void storm_open(struct mutex_lab *lab, const struct storm *storm,
                              uint64_t seed)
{
    static const struct fc_bounds bounds[] = {
        {1, 1, 0, 0}, {1, 3, 0, 0},  {5, 5, 2, 2},   {2, 9, 0, 20},
        {3, 4, 1, 1}, {1, 50, 1, 5}, {10, 20, 7, 90}};
    static const enum net_clock clocks[] = {NET_CLOCK_FIXED, NET_CLOCK_DRIFT,
                                            NET_CLOCK_ADVERSARY};
    static const enum net_waking wakings[] = {NET_WAKE_ALL, NET_WAKE_RANDOM,
                                              NET_WAKE_SOME, NET_WAKE_ALL};
    uint32_t least = storm->least ? storm->least : 2;
    uint32_t greatest = storm->greatest ? storm->greatest : 16;
    uint32_t n = least + (uint32_t)(seed % (greatest - least + 1));

    mutex_open(lab, storm->protocol, n);
    if (storm->key)
        mutex_set(lab, storm->key, storm->value);
    lab->setup.net.time = storm->time;
    lab->setup.net.world.bounds = bounds[seed / 19 % COUNT(bounds)];
    lab->setup.net.clock = clocks[seed / 11 % COUNT(clocks)];
    lab->setup.net.any_order = storm->any_order;
    lab->setup.net.waking = wakings[seed / 13 % COUNT(wakings)];
    lab->setup.net.wake_count = 1 + (uint32_t)(seed / 17) % n;
    storm_work(&lab->setup.work, seed);
}

/* A run that broke nothing did all its entries. */
static inline void storm_check(const struct sim_setup *setup,
                               const struct sim_result *r)
{
    uint32_t each = setup->work.entries;

    assert_true(r->overlaps == 0);
    assert_true(r->entries > 0 && r->entries % each == 0);
    if (setup->net.waking == NET_WAKE_ALL)
        assert_int_equal(r->entries, each * setup->net.world.nodes);
    else if (setup->net.waking == NET_WAKE_SOME)
        assert_int_equal(r->entries, each * setup->net.wake_count);
}

/* So many seeds. */
static inline struct stormed storm_runs(const struct storm *storm,
                                        uint32_t runs)
{
    static struct mutex_lab lab; /* large */
    struct stormed all = {.runs = runs};

    for (uint64_t seed = 1; seed <= runs; seed++) {
        struct sim_result r;

        storm_open(&lab, storm, seed);
        r = mutex_run(&lab, seed);
        all.broken |= r.broken;
        all.violated += r.broken != 0;
        all.entries += r.entries;
        all.messages += r.messages;
        if (!r.broken)
            storm_check(&lab.setup, &r);
        sim_tally_merge(&all.tally, &lab.tally);
        mutex_close(&lab);
    }
    return all;
}

/* Under every model of time, with and without order of messages, no run breaks
 * anything. */
static inline void check_storms(struct storm storm, bool any_order,
                                uint32_t runs)
{
    static const enum net_time times[] = {NET_SYNC, NET_ARCHIMEDEAN, NET_ASYNC};

    for (size_t i = 0; i < COUNT(times); i++)
        for (int any = 0; any <= any_order; any++) {
            struct stormed all;

            storm.time = times[i];
            storm.any_order = any;
            all = storm_runs(&storm, runs);
            assert_int_equal(all.broken, 0);
            assert_true(all.entries > 5 * all.runs);
        }
}

#ifdef MUTEX

/* ---- One site ------------------------------------------------------------ */

#define M_(name) FC_PASTE(MUTEX, name)

static inline struct M_(_in) app_wants(void)
{
    return (struct M_(_in)){
        .event = {.kind = FC_COMMAND, .command = MUTEX_WANT}};
}

/* To read beside other readers. */
static inline struct M_(_in) app_wants_to_read(void)
{
    return (struct M_(_in)){
        .event = {.kind = FC_COMMAND, .command = MUTEX_WANT_SHARED}};
}

static inline struct M_(_in) app_leaves(void)
{
    return (struct M_(_in)){
        .event = {.kind = FC_COMMAND, .command = MUTEX_LEAVE}};
}

/* The step goes on: its outbox was full. */
static inline struct M_(_in) goes_on(void)
{
    return (struct M_(_in)){.event = {.kind = FC_GO_ON}};
}

static inline struct M_(_in) hears(uint32_t from, struct M_(_msg) m)
{
    return (struct M_(_in)){
        .event = {.kind = FC_MESSAGE, .port = (uint16_t)from}, .msg = m};
}

/* A step over `dirt`: drivers clear the effects up to steps[] alone. */
static inline struct M_(_out)
    step_over(int dirt, struct MUTEX *s, const struct M_(_params) * p,
              const struct M_(_site) * me, struct M_(_in) in)
{
    struct M_(_out) out;

    memset(&out, dirt, sizeof out);
    memset(&out.fx, 0, offsetof(struct fc_effects, steps));
    M_(_step)(s, p, me, &in, &out);
    assert_true(out.fx.sends <= COUNT(out.send));
    return out;
}

static inline struct mutex_view look_at(const struct MUTEX *s,
                                        const struct M_(_site) * me)
{
    struct mutex_view view;

    memset(&view, 0xaa, sizeof view);
    M_(_view)(s, me, &view);
    return view;
}

/* A pure machine: nothing but the state and the event decides, not even what
 * lies in the outbox.  And whatever others see is announced. */
static inline struct M_(_out)
    try_event(struct MUTEX *s, const struct M_(_params) * p,
              const struct M_(_site) * me, struct M_(_in) in)
{
    struct MUTEX before = *s, twin = *s;
    struct M_(_out) out = step_over(0xaa, s, p, me, in);
    struct M_(_out) other = step_over(0x55, &twin, p, me, in);
    struct mutex_view old = look_at(&before, me), new = look_at(s, me);

    assert_memory_equal(s, &twin, sizeof twin);
    assert_memory_equal(&out.fx, &other.fx, offsetof(struct fc_effects, steps));
    for (uint32_t t = 0; t < FC_TIMERS; t++)
        if (out.fx.arm & 1u << t)
            assert_true(out.fx.steps[t] == other.fx.steps[t]);
    for (uint32_t i = 0; i < out.fx.sends; i++)
        assert_int_equal(out.fx.to[i], other.fx.to[i]);
    for (uint32_t i = 0; i < out.fx.sends; i++)
        if (out.fx.to[i] == FC_SET)
            assert_memory_equal(&out.fx.set, &other.fx.set, sizeof out.fx.set);
    assert_memory_equal(out.send, other.send,
                        out.fx.sends * sizeof out.send[0]);
    if (memcmp(&old, &new, sizeof old) != 0)
        assert_true(out.fx.notes & FC_NOTE_VIEW);
    return out;
}

/* One message, to these of the first 64. */
static inline void check_sent_to_set(const struct M_(_out) * out, uint64_t whom)
{
    assert_int_equal(out->fx.sends, 1);
    assert_int_equal(out->fx.to[0], FC_SET);
    assert_true(out->fx.set.word[0] == whom);
    assert_int_equal(out->fx.choose + out->fx.go_on, 0);
}

/* No effects at all, but for the notes, and the state as it was. */
static inline void check_ignored(struct MUTEX s, const struct M_(_params) * p,
                                 const struct M_(_site) * me, struct M_(_in) in,
                                 uint32_t notes)
{
    static const struct fc_effects none;
    struct MUTEX before = s;
    struct M_(_out) out = try_event(&s, p, me, in);

    assert_memory_equal(&s, &before, sizeof s);
    assert_int_equal(out.fx.notes, notes);
    out.fx.notes = 0;
    assert_memory_equal(&out.fx, &none, offsetof(struct fc_effects, steps));
}

#include "tests/unit/kit/orders.h"

#endif
#endif
