/*
 * testing.h - what the tests of simulations share: rings that are set up in
 * one line, and permutations.
 */
#ifndef TESTING_H
#define TESTING_H

#include <string.h>

#include "core/params.h"
#include "core/wait.h"
#include "protocols/election/chang_roberts/chang_roberts.h"
#include "protocols/election/chang_roberts_max/chang_roberts_max.h"
#include "protocols/election/lelann/lelann.h"
#include "protocols/election/vitanyi/vitanyi.h"
#include "sim/sim.h"
#include "tests/unit/kit/test.h"

/* ---- Rings --------------------------------------------------------------- */

/* A setup with its parameters and memory.  Zero it only by lab_open(). */
struct lab {
    struct sim_setup setup;
    union {
        struct vitanyi_params vitanyi;
        struct lelann_params lelann;
        struct chang_roberts_params chang_roberts;
        struct chang_roberts_max_params chang_roberts_max;
    } params;
    struct net_memory memory;
    struct trace_listener *trace;
};

/* A synchronous ring of names 1..n ascending, all awake at tick 0. */
static inline void lab_open(struct lab *lab, const char *protocol, uint32_t n)
{
    memset(lab, 0, sizeof *lab);
    sim_use(&lab->setup, sim_find(protocol));
    assert_non_null(lab->setup.type);
    lab->setup.net.params = &lab->params;
    lab->setup.net.world.nodes = n;
    lab->setup.net.first_name = 1;
    lab->setup.net.world.bounds = (struct fc_bounds){1, 1, 0, 0};
    fc_params_default(lab->setup.net.protocol, &lab->params);
}

static inline void lab_set(struct lab *lab, const char *key, const char *value)
{
    const char *file = NULL;
    struct fc_wait *wait = NULL;

    assert_int_equal(fc_params_set(lab->setup.net.protocol, &lab->params, key,
                                   value, &file, &wait),
                     FC_SET_DONE);
}

static inline void lab_bounds(struct lab *lab, uint64_t rmin, uint64_t rmax,
                              uint64_t dmin, uint64_t dmax)
{
    lab->setup.net.time = NET_ARCHIMEDEAN;
    lab->setup.net.world.bounds = (struct fc_bounds){rmin, rmax, dmin, dmax};
}

/* Works out the world and the parameters that follow from it. */
static inline void lab_prepare(struct lab *lab)
{
    const struct fc_protocol *p = lab->setup.net.protocol;

    sim_describe(&lab->setup);
    if (p->prepare)
        assert_null(p->prepare(&lab->params, &lab->setup.net.world));
}

static inline struct sim_result lab_run(struct lab *lab, uint64_t seed)
{
    struct sim_job job = {
        .seed = seed, .memory = &lab->memory, .trace = lab->trace};
    struct sim_result result;

    assert_int_equal(sim_run(&lab->setup, &job, &result), SIM_OK);
    return result;
}

static inline void lab_close(struct lab *lab)
{
    net_memory_free(&lab->memory);
}

/* ---- Rings of all sorts -------------------------------------------------- */

/* A protocol under a model of time. */
struct plan {
    const char *protocol;
    enum net_time time;
    enum net_clock clock;
    bool any_order;
};

enum { RING_MAX = 20 };

/* A ring that depends on the seed: size, bounds, placement, wake-ups. */
static inline void plan_ring(struct lab *lab, const struct plan *plan,
                             uint64_t seed, uint64_t steps[RING_MAX])
{
    static const struct fc_bounds bounds[] = {
        {1, 1, 0, 0}, {1, 3, 0, 0},  {5, 5, 2, 2},   {2, 9, 0, 20},
        {3, 4, 1, 1}, {1, 50, 1, 5}, {10, 20, 7, 90}};
    static const enum net_waking wakings[] = {NET_WAKE_ALL, NET_WAKE_FIRST,
                                              NET_WAKE_SOME, NET_WAKE_RANDOM};
    uint32_t n = 2 + (uint32_t)(seed % (RING_MAX - 1));

    lab_open(lab, plan->protocol, n);
    lab->setup.net.world.bounds = bounds[seed / 19 % COUNT(bounds)];
    lab->setup.net.time = plan->time;
    lab->setup.net.clock = plan->clock;
    lab->setup.net.any_order = plan->any_order;
    if (plan->any_order && lab->setup.net.protocol == &vitanyi_protocol)
        lab_set(lab, "links", "any");
    lab->setup.net.naming = NET_NAMES_RANDOM;
    lab->setup.net.waking = wakings[seed / 3 % COUNT(wakings)];
    lab->setup.net.wake_count = 1 + (uint32_t)(seed / 5) % n;
    for (uint32_t i = 0; i < n; i++)
        steps[i] = 1 + (seed * 31 + i * i * 7) % 23;
    lab->setup.net.steps = steps;
    if (plan->clock == NET_CLOCK_LIST) /* the bounds follow from the steps */
        lab->setup.net.world.bounds.rmin = lab->setup.net.world.bounds.rmax = 0;
    lab_prepare(lab);
}

/* ---- One node ------------------------------------------------------------ */

#ifdef TESTED

/*
 * For the tests of a protocol's rules, which define TESTED as its name: a node
 * called 5, events, and what is expected of a step.
 */
#define T_(name) FC_PASTE(TESTED, name)

enum { ME = 5 };

static inline struct T_(_in) start(void)
{
    return (struct T_(_in)){
        .event = {.kind = FC_COMMAND, .command = ELECTION_START}};
}

static inline struct T_(_in) timeout(void)
{
    return (struct T_(_in)){.event = {.kind = FC_TIMEOUT}};
}

static inline struct T_(_in) reads(uint32_t kind, fc_name name)
{
    return (struct T_(_in)){.event = {.kind = FC_MESSAGE},
                            .msg = fc_word(kind, name)};
}

/* The same where a node has several links. */
static inline struct T_(_in)
    reads_by(uint32_t port, uint32_t kind, fc_name name)
{
    struct T_(_in) in = reads(kind, name);

    in.event.port = (uint16_t)port;
    return in;
}

/* A step, whose outbox begins dirty: drivers clear the effects up to steps[],
 * and nothing else. */
static inline struct T_(_out)
    step(struct TESTED *s, const struct T_(_params) * p, struct T_(_in) in)
{
    const struct fc_named me = {ME};
    struct T_(_out) out;

    memset(&out, 0xaa, sizeof out);
    memset(&out.fx, 0, offsetof(struct fc_effects, steps));
    T_(_step)(s, p, &me, &in, &out);
    assert_true(out.fx.sends <= COUNT(out.send));
    return out;
}

static inline struct election_view view_of(const struct TESTED *s)
{
    struct election_view view;

    T_(_view)(s, &(struct fc_named){ME}, &view);
    return view;
}

static inline void check_view(const struct TESTED *s, enum election_role role,
                              fc_name leader)
{
    struct election_view view = view_of(s);

    assert_int_equal(view.role, role);
    assert_int_equal(view.leader, leader);
}

/* Exactly one message left, this one. */
static inline void check_sends(const struct T_(_out) * out, uint32_t kind,
                               fc_name name)
{
    assert_int_equal(out->fx.sends, 1);
    assert_int_equal(fc_word_kind(out->send[0]), kind);
    assert_int_equal(fc_word_name(out->send[0]), name);
}

/* No effects at all, but for the notes, and the state as it was. */
static inline void check_ignored(struct TESTED s, const struct T_(_params) * p,
                                 struct T_(_in) in, uint32_t notes)
{
    static const struct fc_effects none;
    struct TESTED before = s;
    struct T_(_out) out = step(&s, p, in);

    assert_memory_equal(&s, &before, sizeof s);
    assert_int_equal(out.fx.notes, notes);
    out.fx.notes = 0;
    assert_memory_equal(&out.fx, &none, offsetof(struct fc_effects, steps));
}

#endif

/* ---- Orders -------------------------------------------------------------- */

/* The next permutation in lexical order; false after the last. */
static inline bool next_order(fc_name *order, uint32_t n)
{
    uint32_t i, j;

    for (i = n; i > 1 && order[i - 2] >= order[i - 1];)
        i--;
    if (i <= 1)
        return false;
    for (j = n; order[j - 1] <= order[i - 2];)
        j--;
    fc_name held = order[i - 2];

    order[i - 2] = order[j - 1];
    order[j - 1] = held;
    for (i--, j = n - 1; i < j; i++, j--) {
        held = order[i];
        order[i] = order[j];
        order[j] = held;
    }
    return true;
}

static inline void first_order(fc_name *order, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        order[i] = i + 1;
}

#endif
