/*
 * test_faults.c - every fault does what docs/faults.md says of it, told by the
 * traces alone; and how elections are judged whose leaders may die.
 *
 * Most tests run a protocol of their own, beeper, on the general engine: it
 * does nothing but set a timer and send a numbered message when that runs off,
 * so that all there is to see comes from the engine.
 */
#include <math.h>

#include "core/word.h"
#include "tests/unit/kit/sent.h"

/* ---- Beeper -------------------------------------------------------------- */

enum { BEEP = 1 };

struct beeper {
    uint32_t beeps; /* so far */
};

struct beeper_params {
    uint32_t every; /* steps between two beeps */
    uint32_t beeps; /* the number of beeps */
};

#define beeper_msg      fc_word
#define beeper_site     fc_named
#define beeper_problem  election
#define beeper_topology FC_RING
#define beeper_timers   1
#define beeper_traits   FC_NO_TRAITS

FC_PROTOCOL(beeper);

FC_API void beeper_step(struct beeper *s, const struct beeper_params *p,
                        const struct fc_named *me, const struct beeper_in *in,
                        struct beeper_out *out)
{
    (void)me;
    if (in->event.kind == FC_MESSAGE)
        return;
    if (in->event.kind == FC_COMMAND)
        out->fx.notes |= FC_NOTE_STARTED;
    if (in->event.kind == FC_TIMEOUT)
        out->send[out->fx.sends++] = fc_word(BEEP, ++s->beeps);
    if (s->beeps < p->beeps) {
        out->fx.arm = 1;
        out->fx.steps[0] = p->every;
    }
}

FC_VIEW(beeper)
{
    *view = (struct election_view){.role = ELECTION_ASLEEP};
}

FC_INVARIANT(beeper)
{
    return s->beeps > p->beeps ? "nobody beeps more often than it should"
                               : NULL;
}

FC_WORD_MESSAGES(beeper, 2, 1u << BEEP)

#define P beeper
#include "sim/engine/engine.inc"

static uint64_t beeper_horizon(const void *params, const struct fc_world *w)
{
    const struct beeper_params *p = params;

    return fc_times(fc_times(p->every, p->beeps) + 2, w->bounds.rmax) +
           w->bounds.dmax;
}

static const struct fc_message_kind beeper_kinds[] = {
    [BEEP] = {"beep", "beep", FC_TELLS}};

const struct fc_protocol beeper_protocol = {
    .name = "beeper",
    FC_ENTRY(beeper, beeper_kinds),
    FC_TERMS(beeper, .winner = ELECTION_ANYBODY),
    .horizon = beeper_horizon,
};

static const struct sim_type beeper_type = {.protocol = &beeper_protocol,
                                            .run = engine_run};

/* ---- Running ------------------------------------------------------------- */

/* Beepers 1, 2, ... on a synchronous ring, all awake at tick 0. */
static struct sim_setup beepers(uint32_t nodes, const struct beeper_params *p)
{
    struct sim_setup s = {
        .type = &beeper_type,
        .net.protocol = beeper_type.protocol,
        .net.params = p,
        .net.world = {.nodes = nodes, .bounds = {1, 1, 0, 0}},
        .net.first_name = 1,
        .general = true,
    };

    sim_describe(&s);
    return s;
}

static void check_body(const struct sim_setup *setup, const char *expected)
{
    struct net_memory memory = {0};
    char *text, *body, *stop;

    (void)traced_run(setup, 1, &memory, &text);
    body = strstr(text, "----\n");
    stop = strstr(text, "\nend ");
    assert_non_null(body);
    assert_non_null(stop);
    stop[1] = '\0';
    assert_string_equal(body + 5, expected);
    free(text);
    net_memory_free(&memory);
}

/* ---- Crashes ------------------------------------------------------------- */

/* Two beepers; the second is down from tick 3 on, and back at 6. */
static void check_crash(enum net_fault_kind back, const char *expected)
{
    const struct beeper_params p = {.every = 2, .beeps = 3};
    const struct net_fault list[] = {
        {.kind = NET_FAULT_CRASH, .name = 2, .tick = 3},
        {.kind = NET_FAULT_CRASH, .name = 2, .tick = 4}, /* it is down */
        {.kind = NET_FAULT_PAUSE, .name = 2, .tick = 4, .ticks = 9},
        {.kind = back, .name = 2, .tick = 6},
        {.kind = back, .name = 2, .tick = 7}, /* it is up */
    };
    struct sim_setup s = beepers(2, &p);

    s.faults = (struct net_faults){.list = list, .count = COUNT(list)};
    check_body(&s, expected);
}

#define UNTIL_IT_IS_BACK                                                       \
    "0 1 wake; arm 0 2\n"                                                      \
    "0 2 wake; arm 0 2\n"                                                      \
    "2 1 timeout 0; send #0 beep(1) to 2 arrives 3; arm 0 2\n"                 \
    "2 2 timeout 0; send #1 beep(1) to 1 arrives 3; arm 0 2\n"                 \
    "3 2 crash\n"                                                              \
    "3 2 misses #0 beep(1)\n"                                                  \
    "3 1 read #1 beep(1)\n"                                                    \
    "4 1 timeout 0; send #2 beep(2) to 2 arrives 5; arm 0 2\n"                 \
    "5 2 misses #2 beep(2)\n"

/* No timer of before, no message, no second crash, no pause: nothing. */
TEST(test_crashed_node_does_nothing_and_keeps_its_state)
{
    check_crash(NET_FAULT_RESTART, UNTIL_IT_IS_BACK
                "6 2 restart; arm 0 2\n"
                "6 1 timeout 0; send #3 beep(3) to 2 arrives 7\n"
                "7 2 read #3 beep(3)\n"
                "8 2 timeout 0; send #4 beep(2) to 1 arrives 9; arm 0 2\n"
                "9 1 read #4 beep(2)\n"
                "10 2 timeout 0; send #5 beep(3) to 1 arrives 11\n"
                "11 1 read #5 beep(3)\n");
}

/* The same, but it counts from the beginning. */
TEST(test_blank_restart_begins_with_zero_bytes)
{
    check_crash(NET_FAULT_RESTART_BLANK, UNTIL_IT_IS_BACK
                "6 2 restart, blank; arm 0 2\n"
                "6 1 timeout 0; send #3 beep(3) to 2 arrives 7\n"
                "7 2 read #3 beep(3)\n"
                "8 2 timeout 0; send #4 beep(1) to 1 arrives 9; arm 0 2\n"
                "9 1 read #4 beep(1)\n"
                "10 2 timeout 0; send #5 beep(2) to 1 arrives 11; arm 0 2\n"
                "11 1 read #5 beep(2)\n"
                "12 2 timeout 0; send #6 beep(3) to 1 arrives 13\n"
                "13 1 read #6 beep(3)\n");
}

/* At one tick a fault comes before the command, and coming back takes the
 * step: what arrives then is read in the next. */
TEST(test_fault_comes_first_in_its_tick)
{
    const struct beeper_params p = {.every = 1, .beeps = 1};
    const struct net_fault list[] = {
        {.kind = NET_FAULT_CRASH, .name = 2, .tick = 0},
        {.kind = NET_FAULT_RESTART, .name = 2, .tick = 2},
    };
    struct sim_setup s = beepers(2, &p);

    s.faults = (struct net_faults){.list = list, .count = COUNT(list)};
    check_body(&s, "0 2 crash\n"
                   "0 1 wake; arm 0 1\n"
                   "1 1 timeout 0; send #0 beep(1) to 2 arrives 2\n"
                   "2 2 restart; arm 0 1\n"
                   "3 2 read #0 beep(1)\n"
                   "3 2 timeout 0; send #1 beep(1) to 1 arrives 4\n"
                   "4 1 read #1 beep(1)\n");
}

/* ---- Pauses -------------------------------------------------------------- */

enum { STEP = 5 };

struct timeouts {
    uint32_t count;
    uint64_t tick[64];
};

static void note_timeout(void *whom, uint64_t tick, uint32_t node,
                         const char *what)
{
    struct timeouts *t = whom;

    if (node == 2 && strncmp(what, "timeout", 7) == 0 && t->count < 64)
        t->tick[t->count++] = tick;
}

/* Where steps of the second beeper end: multiples of STEP, and those from the
 * pause on are so many ticks later. */
static uint64_t reads_at(uint64_t arrives, uint64_t pause, uint64_t ticks)
{
    uint64_t end = 0;

    while (end + (end >= pause ? ticks : 0) < arrives)
        end += STEP;
    return end + (end >= pause ? ticks : 0);
}

static void check_pause(uint64_t pause, uint64_t ticks, const uint64_t *steps)
{
    const struct beeper_params p = {.every = 3, .beeps = 10};
    const struct net_fault fault = {
        .kind = NET_FAULT_PAUSE, .name = 2, .tick = pause, .ticks = ticks};
    struct timeouts t = {0};
    struct sim_setup s = beepers(2, &p);
    struct net_memory memory = {0};
    struct sim_result r;
    uint64_t next = pause ? 1 : ticks + 1; /* waking takes a step */
    char *text;

    s.net.time = NET_ARCHIMEDEAN;
    s.net.clock = NET_CLOCK_LIST;
    s.net.steps = steps;
    s.net.world.bounds = (struct fc_bounds){0, 0, 2, 2}; /* by the steps */
    sim_describe(&s);
    s.faults = (struct net_faults){.list = &fault, .count = 1};
    r = traced_run(&s, 1, &memory, &text);
    each_line(text, &t, note_timeout);
    assert_int_equal(r.pauses, 1);
    assert_int_equal(t.count, p.beeps);
    for (uint64_t i = 0; i < t.count; i++) {
        uint64_t due = (i + 1) * 3 * STEP; /* armed before tick 0 is over */

        if (due >= pause) /* at 0 the wake-up waits as well */
            due += ticks;
        assert_true(t.tick[i] == due);
    }
    for (uint32_t i = 0; i < sent_count; i++) {
        uint64_t ready = sent[i].arrives > next ? sent[i].arrives : next;

        if (sent[i].to != 2)
            continue;
        assert_true(sent[i].read == reads_at(ready, pause, ticks));
        next = sent[i].read + 1; /* one message a step */
    }
    free(text);
    net_memory_free(&memory);
}

/* All it does from then on comes so many ticks later, and not one more. */
TEST(test_pause_shifts_steps_and_timers_by_its_ticks)
{
    static const uint64_t lengths[] = {1, 4, 5, 7, 23, 500};
    static const uint64_t steps[] = {7, STEP};

    for (uint64_t pause = 0; pause < 60; pause++)
        for (size_t i = 0; i < COUNT(lengths); i++)
            check_pause(pause, lengths[i], steps);
}

/* ---- Cuts ---------------------------------------------------------------- */

static void nothing(void *whom, uint64_t tick, uint32_t node, const char *what)
{
    (void)whom, (void)tick, (void)node, (void)what;
}

/* From the first tick to the one before the last; what is under way already
 * gets through. */
TEST(test_cut_loses_what_is_sent_between_the_sides)
{
    const struct beeper_params p = {.every = 1, .beeps = 12};
    const struct net_fault list[] = {
        {.kind = NET_FAULT_CUT, .name = 2, .tick = 5},
        {.kind = NET_FAULT_JOINED, .name = 2, .tick = 9},
        {.kind = NET_FAULT_CUT, .name = 3, .tick = 5},
        {.kind = NET_FAULT_JOINED, .name = 3, .tick = 9},
    };
    struct sim_setup s = beepers(4, &p);
    struct net_memory memory = {0};
    uint32_t lost = 0;
    struct sim_result r;
    char *text;

    s.faults = (struct net_faults){.list = list, .count = COUNT(list)};
    r = traced_run(&s, 1, &memory, &text);
    each_line(text, NULL, nothing);
    assert_int_equal(sent_count, 4 * p.beeps);
    for (uint32_t i = 0; i < sent_count; i++) {
        bool crosses = sent[i].from == 1 || sent[i].from == 3;

        assert_int_equal(sent[i].lost,
                         crosses && sent[i].tick >= 5 && sent[i].tick < 9);
        assert_int_equal(sent[i].read != FC_NEVER, !sent[i].lost);
        lost += sent[i].lost;
    }
    assert_int_equal(r.lost, lost);
    assert_int_equal(r.cuts, 2);
    free(text);
    net_memory_free(&memory);
}

/* ---- Chance -------------------------------------------------------------- */

enum { MANY = 30000, DMAX = 9, LATE = 40 };

#define SHARE(p) ((net_chance)((p)*4294967296.0))

/* One beeper sends MANY messages to another. */
static void send_many(const struct net_faults *faults, bool any_order,
                      struct sim_result *r)
{
    const struct beeper_params p = {.every = 1, .beeps = MANY};
    struct sim_setup s = beepers(2, &p);
    struct net_memory memory = {0};
    char *text;

    s.net.time = NET_ARCHIMEDEAN;
    s.net.world.bounds = (struct fc_bounds){1, 1, 1, DMAX};
    s.net.waking = NET_WAKE_FIRST;
    s.net.any_order = any_order;
    sim_describe(&s);
    s.faults = *faults;
    *r = traced_run(&s, 7, &memory, &text);
    each_line(text, NULL, nothing);
    assert_int_equal(r->messages, MANY);
    assert_int_equal(sent_count, MANY + r->copied);
    assert_false(r->cut);
    free(text);
    net_memory_free(&memory);
}

/* Five standard deviations: once in two million honest tries. */
static void check_rate(uint64_t count, double tries, double chance)
{
    double sigma = sqrt(tries * chance * (1 - chance));

    assert_true(fabs((double)count - tries * chance) <= 5 * sigma);
}

TEST(test_loss_has_its_rate)
{
    struct net_faults f = {.loss = SHARE(0.2)};
    struct sim_result r;
    uint32_t lost = 0;

    send_many(&f, false, &r);
    for (uint32_t i = 0; i < sent_count; i++)
        lost += sent[i].lost;
    assert_int_equal(r.lost, lost);
    check_rate(lost, MANY, 0.2);
    assert_true(r.copied + r.late + r.reordered + r.crashes == 0);
}

/* A copy says the same, to the same node, and comes later. */
TEST(test_duplicates_have_their_rate_and_contents)
{
    struct net_faults f = {.duplicate = SHARE(0.3)};
    struct sim_result r;
    uint32_t copies = 0;

    send_many(&f, false, &r);
    for (uint32_t i = 1; i < sent_count; i++) {
        const struct sent *copy = &sent[i], *of = &sent[i - 1];

        copies += copy->copy;
        if (!copy->copy)
            continue;
        assert_true(copy->field == of->field && copy->to == of->to);
        assert_true(copy->tick == of->tick && !of->copy);
        assert_in_range(copy->arrives, of->arrives + 1, of->arrives + 1 + DMAX);
        assert_true(copy->read != FC_NEVER && of->read != FC_NEVER);
    }
    assert_int_equal(r.copied, copies);
    check_rate(copies, MANY, 0.3);
}

static uint32_t overtakings(void)
{
    uint32_t count = 0;

    for (uint32_t i = 1; i < sent_count; i++)
        count += sent[i].arrives < sent[i - 1].arrives;
    return count;
}

/* Only these leave the order; and without them it is kept. */
TEST(test_reordering_has_its_rate_and_overtakes)
{
    struct net_faults f = {.loss = 1}; /* next to nothing */
    struct sim_result r;

    send_many(&f, false, &r);
    assert_int_equal(overtakings(), 0);
    f.reorder = SHARE(0.25);
    send_many(&f, false, &r);
    check_rate(r.reordered, MANY, 0.25);
    assert_in_range(overtakings(), r.reordered / 4, r.reordered);
}

/* Late is later than dmax, and nothing else is. */
TEST(test_late_messages_have_their_rate_and_are_late)
{
    struct net_faults f = {.late = SHARE(0.15), .late_ticks = LATE};
    struct sim_result r;
    uint32_t late = 0;

    send_many(&f, true, &r);
    for (uint32_t i = 0; i < sent_count; i++) {
        uint64_t under_way = sent[i].arrives - sent[i].tick;

        late += under_way > DMAX;
        assert_in_range(under_way, 1, DMAX + LATE);
    }
    assert_int_equal(r.late, late);
    check_rate(late, MANY, 0.15);
}

/* Each is drawn for itself. */
TEST(test_mishaps_are_independent)
{
    struct net_faults f = {.loss = SHARE(0.3),
                           .duplicate = SHARE(0.3),
                           .reorder = SHARE(0.3),
                           .late = SHARE(0.3),
                           .late_ticks = LATE};
    struct sim_result r;

    send_many(&f, true, &r);
    check_rate(r.lost, MANY, 0.3);
    check_rate(r.copied, MANY, 0.7 * 0.3);
    check_rate(r.reordered, MANY, 0.7 * 0.3);
    check_rate(r.late, MANY, 0.7 * 0.3);
}

/* ---- The watch ----------------------------------------------------------- */

static const struct election_view nobody = {.role = ELECTION_CANDIDATE};
static const struct election_view lead3 = {.leader = 3,
                                           .role = ELECTION_LEADER};
static const struct election_view follow3 = {.leader = 3,
                                             .role = ELECTION_DONE};
static const struct election_view lead2 = {.leader = 2,
                                           .role = ELECTION_LEADER};
static const struct election_view follow2 = {.leader = 2,
                                             .role = ELECTION_DONE};

static const struct fc_world three = {
    .nodes = 3, .initiators = 3, .least = 1, .greatest = 3};

/* Three nodes; 3 leads, and all know it. */
static struct election_watch led_by_3(void)
{
    const struct election_terms terms = {.winner = ELECTION_GREATEST_ALIVE};
    const struct fc_protocol p = {.problem = &election_problem,
                                  .terms = &terms};
    struct election_watch w;

    election_begin(&w, &p, NULL, &three);
    election_started(&w, 1);
    assert_int_equal(election_changed(&w, 3, &nobody, &lead3, 5), 0);
    assert_int_equal(election_changed(&w, 1, &nobody, &follow3, 6), 0);
    assert_int_equal(election_changed(&w, 2, &nobody, &follow3, 6), 0);
    return w;
}

static uint32_t end(struct election_watch *w)
{
    return election_end(w, true);
}

/* A node that is down counts neither as leader nor as told. */
TEST(test_watch_counts_those_alive)
{
    struct election_watch w = led_by_3();

    election_crashed(&w, &lead3);
    election_crashed(&w, &follow3);
    assert_int_equal(w.down, 2);
    assert_int_equal(w.leaders, 0);
    assert_int_equal(w.told, 1);
    election_restarted(&w, &lead3);
    election_restarted(&w, &nobody); /* its memory lost */
    assert_int_equal(w.down, 0);
    assert_int_equal(w.leaders, 1);
    assert_int_equal(w.told, 2);
}

/* After a crash another may lead; before it, none. */
TEST(test_leaders_may_change_after_a_crash_only)
{
    struct election_watch calm = led_by_3(), w = led_by_3();

    assert_int_equal(election_changed(&calm, 2, &follow3, &lead2, 9),
                     ELECTION_ONE_LEADER | ELECTION_AGREEMENT);
    election_crashed(&w, &lead3);
    assert_int_equal(election_changed(&w, 2, &follow3, &lead2, 9), 0);
    assert_int_equal(election_changed(&w, 1, &follow3, &follow2, 10), 0);
    election_settled(&w, 1, &follow2);
    election_settled(&w, 2, &lead2);
    assert_int_equal(w.leader, 2); /* not the node that led first */
    assert_int_equal(w.greatest_alive, 2);
    assert_int_equal(end(&w), 0);
    assert_int_equal(w.elected_at, 5);
}

/* What those alive think in the end decides, all of it. */
TEST(test_end_after_a_crash_is_judged_by_those_alive)
{
    struct election_watch w = led_by_3();

    election_crashed(&w, &lead3);
    election_settled(&w, 1, &follow3);
    election_settled(&w, 2, &follow3);
    assert_true(end(&w) & ELECTION_ELECTED); /* they follow the dead */

    w = led_by_3(); /* two leaders, and each has its people */
    election_crashed(&w, &lead3);
    assert_int_equal(election_changed(&w, 2, &follow3, &lead2, 9), 0);
    election_restarted(&w, &lead3);
    election_settled(&w, 1, &follow3);
    election_settled(&w, 2, &lead2);
    election_settled(&w, 3, &lead3);
    assert_int_equal(end(&w), ELECTION_ONE_LEADER | ELECTION_AGREEMENT);

    w = led_by_3(); /* 3 is back, knows nothing, and should lead */
    election_crashed(&w, &lead3);
    assert_int_equal(election_changed(&w, 2, &follow3, &lead2, 9), 0);
    assert_int_equal(election_changed(&w, 1, &follow3, &follow2, 9), 0);
    election_restarted(&w, &nobody);
    election_settled(&w, 1, &follow2);
    election_settled(&w, 2, &lead2);
    election_settled(&w, 3, &nobody);
    assert_int_equal(end(&w), ELECTION_RIGHT_LEADER | ELECTION_EVERYONE_TOLD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_crashed_node_does_nothing_and_keeps_its_state),
        cmocka_unit_test(test_blank_restart_begins_with_zero_bytes),
        cmocka_unit_test(test_fault_comes_first_in_its_tick),
        cmocka_unit_test(test_pause_shifts_steps_and_timers_by_its_ticks),
        cmocka_unit_test(test_cut_loses_what_is_sent_between_the_sides),
        cmocka_unit_test(test_loss_has_its_rate),
        cmocka_unit_test(test_duplicates_have_their_rate_and_contents),
        cmocka_unit_test(test_reordering_has_its_rate_and_overtakes),
        cmocka_unit_test(test_late_messages_have_their_rate_and_are_late),
        cmocka_unit_test(test_mishaps_are_independent),
        cmocka_unit_test(test_watch_counts_those_alive),
        cmocka_unit_test(test_leaders_may_change_after_a_crash_only),
        cmocka_unit_test(test_end_after_a_crash_is_judged_by_those_alive),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
