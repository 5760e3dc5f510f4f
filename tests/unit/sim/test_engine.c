/*
 * test_engine.c - both engines: the same results from either, the properties
 * of every protocol under every clock, and traces that keep the model's rules.
 */
#include <stdio.h>
#include <stdlib.h>

#include "core/text.h"
#include "tests/unit/kit/testing.h"
#include "trace/write.h"

static const char *const protocols[] = {"vitanyi", "lelann", "chang-roberts",
                                        "chang-roberts-max"};

static void check_same(const struct sim_result *a, const struct sim_result *b)
{
    assert_int_equal(a->messages, b->messages);
    assert_memory_equal(a->by_kind, b->by_kind, sizeof a->by_kind);
    assert_int_equal(a->paper_bits, b->paper_bits);
    assert_int_equal(a->wire_bits, b->wire_bits);
    assert_int_equal(a->events, b->events);
    assert_int_equal(a->end, b->end);
    assert_true(a->reached_at == b->reached_at);
    assert_int_equal(a->leader, b->leader);
    assert_int_equal(a->initiators, b->initiators);
    assert_int_equal(a->broken, b->broken);
    assert_int_equal(a->cut, b->cut);
}

/* ---- Lockstep and general ------------------------------------------------ */

/* Runs a prepared synchronous setup on both engines. */
static void compare_engines(struct lab *lab, uint64_t seed)
{
    struct sim_result quick, thorough;

    lab->setup.general = false;
    quick = lab_run(lab, seed);
    lab->setup.general = true;
    thorough = lab_run(lab, seed);
    assert_true(quick.lockstep);
    assert_false(thorough.lockstep);
    check_same(&quick, &thorough);
    if (!lab->setup.until)
        assert_int_equal(quick.broken, 0);
}

/* All placements and wake-ups of one size. */
static void compare_rings(const char *protocol, const char *key,
                          const char *value, uint32_t n, uint32_t seeds)
{
    static const enum net_waking wakings[] = {NET_WAKE_ALL, NET_WAKE_FIRST,
                                              NET_WAKE_SOME};
    struct lab lab;

    lab_open(&lab, protocol, n);
    if (key)
        lab_set(&lab, key, value);
    for (int naming = NET_NAMES_ASCENDING; naming <= NET_NAMES_RANDOM; naming++)
        for (size_t w = 0; w < COUNT(wakings); w++)
            for (uint32_t seed = 0; seed < seeds; seed++) {
                bool random =
                    naming == NET_NAMES_RANDOM || wakings[w] == NET_WAKE_SOME;

                lab.setup.net.naming = (enum net_naming)naming;
                lab.setup.net.waking = wakings[w];
                lab.setup.net.wake_count = 1 + seed * 7 % n;
                lab_prepare(&lab);
                if (seed == 0 || random)
                    compare_engines(&lab, seed);
            }
    lab_close(&lab);
}

/* The lockstep engine is a shortcut, not another model. */
TEST(test_lockstep_gives_what_the_general_engine_gives)
{
    static const struct {
        uint32_t nodes, seeds;
    } sizes[] = {{2, 200},  {3, 200},  {5, 200}, {16, 100},
                 {17, 100}, {100, 40}, {1000, 2}};

    for (size_t p = 0; p < COUNT(protocols); p++)
        for (size_t i = 0; i < COUNT(sizes) - is_sanitized(); i++)
            compare_rings(protocols[p], NULL, NULL, sizes[i].nodes,
                          rounds(sizes[i].seeds));
}

/* Every rule of when a timer runs off. */
TEST(test_lockstep_agrees_for_all_waits)
{
    static const char *const switches[][2] = {
        {"f", "const:1"},        {"f", "const:2"},         {"f", "const:1500"},
        {"f", "pow:0.5"},        {"f", "pow:2"},           {"f", "exp:1.5"},
        {"f", "exp:3"},          {"f", "scaled:5"},        {"f", "minimal"},
        {"first-wait", "f"},     {"wakeup-counts", "yes"}, {"links", "any"},
        {"winner-guard", "yes"},
    };
    static const uint32_t sizes[] = {2, 3, 7, 40, 300};

    for (size_t s = 0; s < COUNT(switches); s++)
        for (size_t i = 0; i < COUNT(sizes); i++)
            compare_rings("vitanyi", switches[s][0], switches[s][1], sizes[i],
                          sizes[i] < 50 ? rounds(60) : rounds(10));
}

/* Wherever a run is cut, both have done as much. */
LONG_TEST(test_lockstep_agrees_when_cut)
{
    for (size_t p = 0; p < COUNT(protocols); p++)
        for (uint32_t n = 2; n <= 40; n += 1 + n / 4)
            for (uint64_t until = 1; until < 5 * n; until++) {
                struct lab lab;

                lab_open(&lab, protocols[p], n);
                lab.setup.net.naming = NET_NAMES_RANDOM;
                lab.setup.until = until;
                lab_prepare(&lab);
                compare_engines(&lab, until);
                lab_close(&lab);
            }
}

/* Stopped where the user wished, and it says so. */
TEST(test_until_cuts_and_says_so)
{
    for (int general = 0; general < 2; general++) {
        struct lab lab;
        struct sim_result r;

        lab_open(&lab, "vitanyi", 10);
        lab.setup.general = general;
        lab.setup.until = 29;
        lab_prepare(&lab);
        r = lab_run(&lab, 1);
        assert_true(r.cut);
        assert_in_range(r.end, 1, 29);
        assert_true(r.reached_at == FC_NEVER); /* at 30 */
        assert_int_equal(r.broken, 0);
        lab.setup.until = 40; /* the last message is read */
        r = lab_run(&lab, 1);
        assert_false(r.cut);
        assert_int_equal(r.end, 40);
        assert_int_equal(r.leader, 1);
        lab_close(&lab);
    }
}

/* Somebody else wishes that it stop. */
TEST(test_stop_is_obeyed_and_memory_stays_good)
{
    for (int general = 0; general < 2; general++) {
        struct sim_progress progress = {.stop = true};
        struct sim_result result, before, after;
        struct lab lab;

        lab_open(&lab, "vitanyi", 50);
        lab.setup.general = general;
        lab_prepare(&lab);
        before = lab_run(&lab, 3);
        struct sim_job job = {
            .seed = 1, .memory = &lab.memory, .progress = &progress};

        assert_int_equal(sim_run(&lab.setup, &job, &result), SIM_STOPPED);
        after = lab_run(&lab, 3);
        check_same(&before, &after);
        lab_close(&lab);
    }
}

/* ---- Any clock ----------------------------------------------------------- */

static void check_plan(const struct plan *plan, uint32_t seeds)
{
    for (uint32_t seed = 0; seed < seeds; seed++) {
        uint64_t steps[RING_MAX];
        struct lab lab;
        struct sim_result r;

        plan_ring(&lab, plan, seed, steps);
        r = lab_run(&lab, seed);
        assert_int_equal(r.broken, 0);
        assert_false(r.cut);
        assert_int_not_equal(r.leader, FC_NOBODY);
        assert_true(r.reached_at <= r.end);
        lab_close(&lab);
    }
}

/* Elections are right under any clock whatever, a thousand times each. */
TEST(test_properties_hold_under_every_clock)
{
    for (size_t p = 0; p < COUNT(protocols); p++) {
        for (int clock = NET_CLOCK_FIXED; clock <= NET_CLOCK_LIST; clock++) {
            struct plan plan = {protocols[p], NET_ARCHIMEDEAN,
                                (enum net_clock)clock, false};

            check_plan(&plan, rounds(1000));
        }
        check_plan(
            &(struct plan){protocols[p], NET_ASYNC, NET_CLOCK_FIXED, false},
            rounds(1000));
        check_plan(
            &(struct plan){protocols[p], NET_SYNC, NET_CLOCK_FIXED, false},
            rounds(1000));
    }
}

/* Two of them promise as much for links that do not keep the order. */
TEST(test_properties_hold_in_any_order)
{
    static const char *const robust[] = {"vitanyi", "chang-roberts"};

    for (size_t p = 0; p < COUNT(robust); p++) {
        for (int clock = NET_CLOCK_FIXED; clock <= NET_CLOCK_LIST; clock++) {
            struct plan plan = {robust[p], NET_ARCHIMEDEAN,
                                (enum net_clock)clock, true};

            check_plan(&plan, rounds(1000));
        }
        check_plan(&(struct plan){robust[p], NET_ASYNC, NET_CLOCK_FIXED, true},
                   rounds(1000));
    }
}

/* ---- Seeds and memory ---------------------------------------------------- */

static struct sim_result hashed_run(const struct plan *plan, uint64_t ring,
                                    uint64_t seed)
{
    uint64_t steps[RING_MAX];
    struct lab lab;
    struct sim_result r;

    plan_ring(&lab, plan, ring, steps);
    lab.trace = trace_writer_new(NULL);
    r = lab_run(&lab, seed);
    trace_writer_free(lab.trace);
    lab_close(&lab);
    return r;
}

/* A seed is a run, and another seed another run. */
TEST(test_same_seed_same_trace)
{
    for (size_t p = 0; p < COUNT(protocols); p++)
        for (uint64_t seed = 0; seed < 100; seed++) {
            struct plan plan = {protocols[p], NET_ARCHIMEDEAN,
                                (enum net_clock)(seed % 2), false};
            uint64_t ring = 17 + 57 * 19; /* 19 nodes, wide bounds */
            struct sim_result once = hashed_run(&plan, ring, seed);
            struct sim_result again = hashed_run(&plan, ring, seed);
            struct sim_result other = hashed_run(&plan, ring, seed + 1000);

            check_same(&once, &again);
            assert_true(once.hash == again.hash);
            assert_true(once.hash != other.hash);
        }
}

/* Memory that has seen anything gives what fresh memory gives. */
TEST(test_memory_is_reused_without_a_trace)
{
    struct net_memory worn = {0};
    struct dice dice = {4};

    for (uint32_t round = 0; round < rounds(3000); round++) {
        struct plan plan = {protocols[throw_below(&dice, 4)],
                            (enum net_time)throw_below(&dice, 3),
                            (enum net_clock)throw_below(&dice, 4), false};
        uint64_t steps[RING_MAX], seed = throw_below(&dice, 1000);
        struct sim_result fresh, reused;
        struct sim_job job = {.seed = seed, .memory = &worn};
        struct lab lab;

        plan_ring(&lab, &plan, seed, steps);
        lab.setup.until = throw_below(&dice, 3) ? 0 : 1 + seed;
        fresh = lab_run(&lab, seed);
        assert_int_equal(sim_run(&lab.setup, &job, &reused), SIM_OK);
        check_same(&fresh, &reused);
        assert_int_equal(fresh.queue_max, reused.queue_max);
        lab_close(&lab);
    }
    net_memory_free(&worn);
}

/* ---- Traces -------------------------------------------------------------- */

enum { TRACE_IDS = 4096 };

/* What is known of a run while its trace is read. */
struct reading {
    struct fc_bounds bounds;
    uint32_t nodes, sent, read, overtaken;
    bool fixed; /* step lengths and phases stand in the head */
    uint64_t names[RING_MAX];
    uint64_t sent_at[TRACE_IDS], arrives[TRACE_IDS];
    struct {
        uint64_t after; /* the name of the next node */
        uint64_t step, phase;
        uint64_t free;    /* it takes no input before... */
        uint64_t soon;    /* ...and by then, if there is one */
        uint64_t due;     /* of its timer, or FC_NEVER: not before... */
        uint64_t late;    /* ...and not after */
        uint64_t next;    /* 1 + id of the message read last, or 0 */
    } node[RING_MAX + 1]; /* by name */
};

/* Reads a number, blanks before it skipped; returns what follows. */
static const char *number(const char *text, uint64_t *value)
{
    while (*text == ' ')
        text++;
    assert_in_range(*text, '0', '9');
    for (*value = 0; *text >= '0' && *text <= '9'; text++)
        *value = *value * 10 + (uint64_t)(*text - '0');
    return text;
}

/* "names 2,1,3" clockwise. */
static void read_names(struct reading *t, const char *line)
{
    for (uint32_t i = 0; i < t->nodes; i++) {
        line = number(line, &t->names[i]) + 1;
        assert_in_range(t->names[i], 1, t->nodes);
    }
    for (uint32_t i = 0; i < t->nodes; i++)
        t->node[t->names[i]].after = t->names[(i + 1) % t->nodes];
}

/* The same of a line "steps 3+1,4+0,...". */
static void read_steps(struct reading *t, const char *line)
{
    for (uint32_t i = 0; i < t->nodes; i++) {
        line = number(line, &t->node[t->names[i]].step);
        assert_int_equal(*line, '+');
        line = number(line + 1, &t->node[t->names[i]].phase) + 1;
    }
    t->fixed = true;
}

/* The first end of a step at or after `tick`. */
static uint64_t step_after(const struct reading *t, uint64_t name,
                           uint64_t tick)
{
    uint64_t at = t->node[name].phase;

    while (at < tick)
        at += t->node[name].step;
    return at;
}

/* A step of the node lasts from so long to so long. */
static uint64_t shortest(const struct reading *t, uint64_t name)
{
    return t->fixed ? t->node[name].step : t->bounds.rmin;
}

static uint64_t longest(const struct reading *t, uint64_t name)
{
    return t->fixed ? t->node[name].step : t->bounds.rmax;
}

/* A message is read at the first step that is free. */
static void on_read(struct reading *t, uint64_t tick, uint64_t name,
                    uint64_t id)
{
    uint64_t ready = t->arrives[id], free_at = t->node[name].free;
    uint64_t least = t->bounds.dmin ? t->bounds.dmin : 1;
    uint64_t most = t->bounds.dmax ? t->bounds.dmax : 1;

    assert_in_range(ready, t->sent_at[id] + least, t->sent_at[id] + most);
    assert_true(tick >= ready);
    assert_true(tick >= free_at);
    if (t->fixed)
        assert_true(tick ==
                    step_after(t, name, ready > free_at ? ready : free_at));
    else
        assert_true(tick < ready + t->bounds.rmax ||
                    tick <= t->node[name].soon);
    if (id + 1 < t->node[name].next)
        t->overtaken++;
    t->node[name].next = id + 1;
    t->read++;
}

static void on_send(struct reading *t, uint64_t tick, uint64_t name,
                    const char *text)
{
    uint64_t id, to, arrives;

    text = strstr(number(text, &id), " to ");
    assert_non_null(text);
    text = fc_after(number(text + 4, &to), " arrives ");
    assert_non_null(text);
    (void)number(text, &arrives);
    assert_int_equal(id, t->sent);
    assert_in_range(id, 0, TRACE_IDS - 1);
    assert_int_equal(to, t->node[name].after);
    t->sent_at[id] = tick;
    t->arrives[id] = arrives;
    t->sent++;
}

static void on_effect(struct reading *t, uint64_t tick, uint64_t name,
                      const char *effect)
{
    const char *rest;
    uint64_t steps;

    if ((rest = fc_after(effect, " send #"))) {
        on_send(t, tick, name, rest);
    } else if ((rest = fc_after(effect, " arm 0 "))) {
        (void)number(rest, &steps);
        t->node[name].due = tick + steps * shortest(t, name);
        t->node[name].late = tick + steps * longest(t, name);
    } else if (fc_same(effect, " stop 0")) {
        t->node[name].due = FC_NEVER;
    }
}

/* One line: the event, then its effects. */
static void on_line(struct reading *t, char *line)
{
    bool effects = strchr(line, ';') != NULL;
    char *rest = NULL, *part = strtok_r(line, ";", &rest);
    uint64_t tick, name, id;
    const char *verb = number(number(part, &tick), &name), *message;

    assert_in_range(name, 1, t->nodes);
    if (t->fixed)
        assert_true(step_after(t, name, tick) == tick);
    if ((message = fc_after(verb, " read #"))) {
        (void)number(message, &id);
        on_read(t, tick, name, id);
    }
    if (fc_same(verb, " timeout 0")) {
        assert_in_range(tick, t->node[name].due, t->node[name].late);
        t->node[name].due = FC_NEVER;
    } else if (message || effects) {
        /* A message takes the step, and a command that is obeyed. */
        assert_true(message || fc_same(verb, " wake"));
        t->node[name].free = tick + shortest(t, name);
        t->node[name].soon = tick + longest(t, name);
    }
    while ((part = strtok_r(NULL, ";", &rest)))
        on_effect(t, tick, name, part);
}

/* Reads a whole trace. */
static void read_trace(struct reading *t, char *text)
{
    char *rest = NULL;
    bool body = false;

    for (char *line = strtok_r(text, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        if (strncmp(line, "names ", 6) == 0)
            read_names(t, line + 6);
        else if (strncmp(line, "steps ", 6) == 0)
            read_steps(t, line + 6);
        else if (strcmp(line, "----") == 0)
            body = true;
        else if (strncmp(line, "end ", 4) == 0)
            return;
        else if (body)
            on_line(t, line);
    }
    fail_msg("a trace without an end");
}

/* Runs a ring and reads its trace. */
static void check_trace(struct reading *t, const struct plan *plan,
                        uint64_t seed)
{
    uint64_t steps[RING_MAX];
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    struct sim_result r;
    struct lab lab;

    plan_ring(&lab, plan, seed, steps);
    lab.trace = trace_writer_new(file);
    r = lab_run(&lab, seed);
    fclose(file);
    *t = (struct reading){.bounds = lab.setup.net.world.bounds,
                          .nodes = lab.setup.net.world.nodes};
    for (uint32_t i = 0; i <= RING_MAX; i++)
        t->node[i].due = FC_NEVER;
    read_trace(t, text);
    assert_int_equal(t->sent, r.messages);
    assert_int_equal(t->read, r.messages);
    for (uint32_t i = 1; i <= t->nodes; i++)
        assert_true(t->node[i].due == FC_NEVER);
    trace_writer_free(lab.trace);
    lab_close(&lab);
    free(text);
}

/* The model: step grid, one input a step, delays within bounds, order of
 * links, timers to the tick.  Told by the trace alone. */
TEST(test_traces_keep_the_rules_of_the_model)
{
    static struct reading t;

    for (size_t p = 0; p < COUNT(protocols); p++)
        for (uint32_t seed = 0; seed < rounds(800); seed++) {
            struct plan plan = {protocols[p], NET_ARCHIMEDEAN,
                                (enum net_clock)(seed % 4), false};

            check_trace(&t, &plan, seed);
            assert_int_equal(t.overtaken, 0);
            assert_int_equal(t.fixed, plan.clock != NET_CLOCK_DRIFT);
            plan.time = NET_SYNC;
            check_trace(&t, &plan, seed);
            assert_int_equal(t.overtaken, 0);
        }
}

/* Without order, messages do overtake each other. */
TEST(test_any_order_overtakes)
{
    static struct reading t;
    uint32_t overtaken = 0;

    for (uint32_t seed = 0; seed < 200; seed++) {
        struct plan plan = {"chang-roberts", NET_ARCHIMEDEAN, NET_CLOCK_FIXED,
                            true};

        check_trace(&t, &plan, seed);
        overtaken += t.overtaken;
    }
    assert_true(overtaken > 20);
}

/* Before a large run its engine is asked what it takes for the nodes alone:
 * never more than the run takes, and more than half of it. */
TEST(test_least_bytes_are_what_nodes_take)
{
    struct lab lab;
    bool lockstep;

    lab_open(&lab, "vitanyi", 100000);
    lab_prepare(&lab);
    for (int general = 0; general < 2; general++) {
        struct sim_result r;
        uint64_t least;

        lab.setup.general = general;
        least = sim_least_bytes(&lab.setup, false, &lockstep);
        net_memory_free(&lab.memory);
        lab.memory = (struct net_memory){0};
        r = lab_run(&lab, 1);
        assert_true(least <= r.bytes && r.bytes < 2 * least);
    }
    lab.setup.general = false;
    assert_true(sim_least_bytes(&lab.setup, true, &lockstep) >
                2 * sim_least_bytes(&lab.setup, false, &lockstep));
    lab_close(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lockstep_gives_what_the_general_engine_gives),
        cmocka_unit_test(test_lockstep_agrees_for_all_waits),
        cmocka_unit_test(test_lockstep_agrees_when_cut),
        cmocka_unit_test(test_until_cuts_and_says_so),
        cmocka_unit_test(test_stop_is_obeyed_and_memory_stays_good),
        cmocka_unit_test(test_properties_hold_under_every_clock),
        cmocka_unit_test(test_properties_hold_in_any_order),
        cmocka_unit_test(test_same_seed_same_trace),
        cmocka_unit_test(test_memory_is_reused_without_a_trace),
        cmocka_unit_test(test_traces_keep_the_rules_of_the_model),
        cmocka_unit_test(test_any_order_overtakes),
        cmocka_unit_test(test_least_bytes_are_what_nodes_take),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
