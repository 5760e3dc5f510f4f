/*
 * test_bully.c - the rules of the bully, every switch, its exact costs, and
 * what crashes and restarts do to it.
 *
 * The node of the rules is number 3 of 5.
 */
#include "protocols/election/bully/bully.h"
#include "tests/unit/kit/testing.h"

static const struct fc_member me = {2, 5}, highest = {4, 5};

enum { ANSWER_STEPS = 7, COORDINATOR_STEPS = 20 };
static const struct bully_params lecture = {
    .answer_steps = ANSWER_STEPS, .coordinator_steps = COORDINATOR_STEPS};

static struct bully node(enum bully_status status, fc_name leader)
{
    return (struct bully){.leader = leader, .status = (uint8_t)status};
}

static struct bully that_led(enum bully_status status, fc_name leader)
{
    struct bully s = node(status, leader);

    s.led = 1;
    return s;
}

static struct bully_in event(enum fc_event_kind kind)
{
    return (struct bully_in){.event = {.kind = (uint8_t)kind}};
}

static struct bully_in reads(enum bully_kind kind, uint32_t from, fc_name name)
{
    return (struct bully_in){
        .event = {.kind = FC_MESSAGE, .port = (uint16_t)from},
        .msg = fc_word(kind, name)};
}

/* A step over `dirt`: drivers clear the effects up to steps[] alone. */
static struct bully_out step_over(int dirt, struct bully *s,
                                  const struct bully_params *p,
                                  const struct fc_member *at,
                                  struct bully_in in)
{
    struct bully_out out;

    memset(&out, dirt, sizeof out);
    memset(&out.fx, 0, offsetof(struct fc_effects, steps));
    bully_step(s, p, at, &in, &out);
    assert_true(out.fx.sends <= COUNT(out.send));
    return out;
}

static struct bully_out step(struct bully *s, struct bully_in in)
{
    return step_over(0xaa, s, &lecture, &me, in);
}

static void check_state(struct bully is, struct bully wanted)
{
    assert_memory_equal(&is, &wanted, sizeof is);
}

static void check_view(const struct bully *s, enum election_role role,
                       fc_name leader)
{
    struct election_view view;

    bully_view(s, &me, &view);
    assert_int_equal(view.role, role);
    assert_int_equal(view.leader, leader);
    assert_int_equal(view.rests, 0);
}

static void check_send(const struct bully_out *out, uint32_t i,
                       enum bully_kind kind, uint32_t to, fc_name name)
{
    assert_true(i < out->fx.sends);
    assert_int_equal(fc_word_kind(out->send[i]), kind);
    assert_int_equal(fc_word_name(out->send[i]), name);
    assert_int_equal(out->fx.to[i], to);
}

/* From message `first` on: election to numbers 4 and 5, and the timer. */
static void check_calls(const struct bully_out *out, uint32_t first)
{
    assert_int_equal(out->fx.sends, first + 2);
    check_send(out, first, BULLY_ELECTION, 3, FC_NOBODY);
    check_send(out, first + 1, BULLY_ELECTION, 4, FC_NOBODY);
    assert_int_equal(out->fx.arm, 1);
    assert_true(out->fx.steps[0] == ANSWER_STEPS);
    assert_true(out->fx.notes & FC_NOTE_VIEW);
}

static void check_ignored(struct bully s, struct bully_in in, uint32_t notes)
{
    static const struct fc_effects none;
    struct bully before = s;
    struct bully_out out = step(&s, in);

    check_state(s, before);
    assert_int_equal(out.fx.notes, notes);
    out.fx.notes = 0;
    assert_memory_equal(&out.fx, &none, offsetof(struct fc_effects, steps));
}

/* ---- Rules --------------------------------------------------------------- */

/* It asks all above and waits for an answer. */
TEST(test_noticing_a_failure_calls_an_election)
{
    static const fc_name before[] = {FC_NOBODY, 5};

    for (size_t i = 0; i < COUNT(before); i++) {
        struct bully s = node(BULLY_IDLE, before[i]);
        struct bully_out out = step(&s, event(FC_COMMAND));

        check_state(s, node(BULLY_ELECTING, FC_NOBODY));
        check_calls(&out, 0);
        assert_int_equal(out.fx.notes, FC_NOTE_VIEW | FC_NOTE_STARTED);
        check_view(&s, ELECTION_CANDIDATE, FC_NOBODY);
    }
}

/* A node that takes part knows, and one that leads is alive. */
TEST(test_only_the_idle_notice_failures)
{
    check_ignored(node(BULLY_ELECTING, 0), event(FC_COMMAND), 0);
    check_ignored(node(BULLY_WAITING, 0), event(FC_COMMAND), 0);
    check_ignored(node(BULLY_LEADER, 3), event(FC_COMMAND), 0);
}

/* Answer, and ask those above: so does a leader, whose own election is over. */
TEST(test_election_is_answered_and_begins_another)
{
    struct bully states[] = {node(BULLY_IDLE, 0), node(BULLY_IDLE, 5),
                             node(BULLY_LEADER, 3)};

    for (size_t i = 0; i < COUNT(states); i++) {
        struct bully_out out = step(&states[i], reads(BULLY_ELECTION, 1, 0));

        check_send(&out, 0, BULLY_ANSWER, 1, FC_NOBODY);
        check_calls(&out, 1);
        assert_int_equal(out.fx.notes, FC_NOTE_VIEW);
        check_state(states[i], node(BULLY_ELECTING, FC_NOBODY));
    }
}

/* "Unless it has already begun one." */
TEST(test_election_within_an_election_is_only_answered)
{
    struct bully states[] = {node(BULLY_ELECTING, 0), node(BULLY_WAITING, 0)};

    for (size_t i = 0; i < COUNT(states); i++) {
        struct bully before = states[i];
        struct bully_out out = step(&states[i], reads(BULLY_ELECTION, 0, 0));

        assert_int_equal(out.fx.sends, 1);
        check_send(&out, 0, BULLY_ANSWER, 0, FC_NOBODY);
        assert_int_equal(out.fx.arm | out.fx.disarm, 0);
        assert_int_equal(out.fx.notes, 0);
        check_state(states[i], before);
    }
}

/* It has lost, and waits for the coordinator. */
TEST(test_first_answer_ends_the_bid)
{
    struct bully s = node(BULLY_ELECTING, 0);
    struct bully_out out = step(&s, reads(BULLY_ANSWER, 3, 0));

    check_state(s, node(BULLY_WAITING, FC_NOBODY));
    assert_int_equal(out.fx.sends, 0);
    assert_int_equal(out.fx.arm, 1);
    assert_true(out.fx.steps[0] == COORDINATOR_STEPS);
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW);
    check_view(&s, ELECTION_LOST, FC_NOBODY);
}

/* More answers, one too late, a timeout that nobody waits for: nothing. */
TEST(test_other_answers_and_timeouts_are_ignored)
{
    check_ignored(node(BULLY_IDLE, 5), event(FC_TIMEOUT), 0);
    check_ignored(that_led(BULLY_LEADER, 3), event(FC_TIMEOUT), 0);
    check_ignored(node(BULLY_WAITING, 0), reads(BULLY_ANSWER, 4, 0), 0);
    check_ignored(node(BULLY_LEADER, 3), reads(BULLY_ANSWER, 4, 0),
                  FC_NOTE_DIES);
    check_ignored(node(BULLY_IDLE, 5), reads(BULLY_ANSWER, 4, 0), FC_NOTE_DIES);
}

/* No answer within the time: it leads, and tells all below. */
TEST(test_silence_from_above_elects)
{
    struct bully s = node(BULLY_ELECTING, 0);
    struct bully_out out = step(&s, event(FC_TIMEOUT));

    check_state(s, that_led(BULLY_LEADER, 3));
    assert_int_equal(out.fx.sends, 2);
    check_send(&out, 0, BULLY_COORDINATOR, 0, 3);
    check_send(&out, 1, BULLY_COORDINATOR, 1, 3);
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW);
    check_view(&s, ELECTION_LEADER, 3);
}

/* The process that answered has died: all anew. */
TEST(test_silence_of_the_coordinator_begins_another_election)
{
    struct bully s = node(BULLY_WAITING, 0);
    struct bully_out out = step(&s, event(FC_TIMEOUT));

    check_state(s, node(BULLY_ELECTING, FC_NOBODY));
    check_calls(&out, 0);
}

/* "It accepts the new coordinator", in any state. */
TEST(test_coordinator_is_accepted)
{
    for (int status = BULLY_IDLE; status <= BULLY_LEADER; status++) {
        struct bully s = node((enum bully_status)status, 3);
        struct bully_out out = step(&s, reads(BULLY_COORDINATOR, 4, 5));

        check_state(s, node(BULLY_IDLE, 5));
        assert_int_equal(out.fx.sends, 0);
        assert_int_equal(out.fx.disarm, 1);
        assert_int_equal(out.fx.notes, FC_NOTE_VIEW);
        check_view(&s, ELECTION_DONE, 5);
    }
}

/* overruled=tells: those whom it told hear of the higher one from it, too,
 * and of whoever comes after. */
TEST(test_overruled_leader_tells_those_below)
{
    struct bully_params p = lecture;
    struct bully s = that_led(BULLY_LEADER, 3);
    struct bully_out out;

    p.overruled = BULLY_TELLS;
    for (fc_name name = 4; name <= 5; name++) {
        struct bully_in in = reads(BULLY_COORDINATOR, name - 1, name);

        out = step_over(0, &s, &p, &me, in);
        check_state(s, that_led(BULLY_IDLE, name));
        assert_int_equal(out.fx.sends, 2);
        check_send(&out, 0, BULLY_COORDINATOR, 0, name);
        check_send(&out, 1, BULLY_COORDINATOR, 1, name);
        out = step_over(0, &s, &p, &me, in);
        assert_int_equal(out.fx.sends, 0);
    }
    s = node(BULLY_IDLE, 4);
    out = step_over(0, &s, &p, &me, reads(BULLY_COORDINATOR, 4, 5));
    assert_int_equal(out.fx.sends, 0);
}

/* With its memory or without: what it knew is out of date. */
TEST(test_restart_calls_an_election)
{
    for (int status = BULLY_IDLE; status <= BULLY_LEADER; status++) {
        struct bully s = node((enum bully_status)status, 3);
        struct bully_out out = step(&s, event(FC_BOOT));

        check_state(s, node(BULLY_ELECTING, FC_NOBODY));
        check_calls(&out, 0);
    }
}

/* The highest one "just sends out coordinator messages".  restart=election: it
 * waits for nobody's answer first. */
TEST(test_restarted_highest_announces_itself)
{
    struct bully_params calls = lecture;
    struct bully s = {0};
    struct bully_out out = step_over(0, &s, &lecture, &highest, event(FC_BOOT));

    check_state(s, that_led(BULLY_LEADER, 5));
    assert_int_equal(out.fx.sends, 4);
    for (uint32_t i = 0; i < 4; i++)
        check_send(&out, i, BULLY_COORDINATOR, i, 5);
    assert_int_equal(out.fx.arm, 0);
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW);
    calls.restart = BULLY_CALLS;
    out = step_over(0, &s, &calls, &highest, event(FC_BOOT));
    check_state(s, node(BULLY_ELECTING, FC_NOBODY));
    assert_int_equal(out.fx.sends, 0);
    assert_int_equal(out.fx.arm, 1);
    out = step_over(0, &s, &calls, &highest, event(FC_TIMEOUT));
    check_state(s, that_led(BULLY_LEADER, 5));
    assert_int_equal(out.fx.sends, 4);
}

/* What does not fit in one outbox goes on. */
TEST(test_many_messages_leave_in_one_step)
{
    const struct fc_member at = {1, 60};
    struct bully s = {0};
    uint32_t next = 2;
    struct bully_out out = step_over(0, &s, &lecture, &at, event(FC_COMMAND));

    for (;;) {
        for (uint32_t i = 0; i < out.fx.sends; i++)
            check_send(&out, i, BULLY_ELECTION, next++, FC_NOBODY);
        if (!out.fx.go_on)
            break;
        assert_int_equal(out.fx.sends, FC_SENDS);
        out = step_over(0xaa, &s, &lecture, &at, event(FC_GO_ON));
    }
    assert_int_equal(next, 60);
    check_state(s, node(BULLY_ELECTING, FC_NOBODY));
    check_ignored(s, event(FC_GO_ON), 0);
}

/* ---- Messages, parameters, claims ---------------------------------------- */

static struct fc_world world_of(uint32_t n, struct fc_bounds bounds)
{
    return (struct fc_world){n, 1, 1, n, bounds, true, false};
}

/* 2u = 14 ticks there and back; then 7 steps of 3, and 14 ticks again. */
TEST(test_timeouts_follow_from_the_bounds)
{
    static const uint64_t wanted[][2] = {
        [BULLY_AUTO] = {7, 18}, [BULLY_HALF] = {4, 9}, [BULLY_LONG] = {14, 36}};
    struct fc_world world = world_of(5, (struct fc_bounds){2, 3, 1, 4});

    for (size_t timeout = 0; timeout < COUNT(wanted); timeout++) {
        struct bully_params p = {.timeout = (uint8_t)timeout};

        assert_null(bully_protocol.prepare(&p, &world));
        assert_true(p.answer_steps == wanted[timeout][0]);
        assert_true(p.coordinator_steps == wanted[timeout][1]);
        assert_true(bully_protocol.horizon(&p, &world) > 100);
    }
}

TEST(test_worlds_that_do_not_fit_are_refused)
{
    struct bully_params p = {0};
    struct fc_world many = world_of(65536, (struct fc_bounds){1, 1, 0, 0});
    struct fc_world slow =
        world_of(5, (struct fc_bounds){1, UINT64_C(1) << 40, 0, 0});

    assert_non_null(bully_protocol.prepare(&p, &many));
    assert_non_null(bully_protocol.prepare(&p, &slow));
    many.nodes = 65535;
    assert_null(bully_protocol.prepare(&p, &many));
}

/* One that notices costs less than N^2; of more, nothing is claimed. */
TEST(test_claims)
{
    struct fc_world world = world_of(5, (struct fc_bounds){2, 3, 1, 4});
    struct bully_params p = lecture;
    struct fc_claim claims[FC_CLAIMS_MAX];

    assert_int_equal(bully_protocol.claims(&p, &world, claims), 1);
    assert_true(claims[0].value == 24);
    p.timeout = BULLY_HALF;
    assert_int_equal(bully_protocol.claims(&p, &world, claims), 0);
    p.timeout = BULLY_LONG;
    world.initiators = 2;
    assert_int_equal(bully_protocol.claims(&p, &world, claims), 0);
}

/* ---- Whole elections ----------------------------------------------------- */

enum { NETWORK_MAX = 50 };

/* N processes, the highest of them dead if wished; `from`..`to` notice. */
struct scene {
    uint32_t n, from, to;
    bool dead;
};

static struct sim_result play(struct lab *lab, struct scene at, uint64_t seed)
{
    struct net_fault crash = {.kind = NET_FAULT_CRASH, .name = at.n, .tick = 0};
    struct net_wake wakes[NETWORK_MAX];
    struct sim_result result;

    for (uint32_t i = at.from; i <= at.to; i++)
        wakes[i - at.from] = (struct net_wake){.name = i, .tick = 0};
    lab->setup.net.waking = NET_WAKE_LIST;
    lab->setup.net.wakes = wakes;
    lab->setup.net.wake_count = at.to - at.from + 1;
    if (at.dead)
        lab->setup.faults = (struct net_faults){.list = &crash, .count = 1};
    lab_prepare(lab);
    result = lab_run(lab, seed);
    assert_int_equal(result.broken, 0);
    assert_int_equal(result.leader, at.dead ? at.n - 1 : at.n);
    return result;
}

/* With M = N - i processes above the least that notices: M(M+1)/2 questions;
 * as many answers, but the dead one's; and the coordinator's to all below. */
static void check_counts(const struct sim_result *r, struct scene at)
{
    uint64_t above = at.n - at.from, dead = at.dead;

    assert_true(r->by_kind[BULLY_ELECTION] == above * (above + 1) / 2);
    assert_true(r->by_kind[BULLY_ANSWER] ==
                (above - dead) * (above - dead + 1) / 2);
    assert_true(r->by_kind[BULLY_COORDINATOR] == at.n - 1 - dead);
    assert_true(r->messages == (dead ? above * above + at.n - 2
                                     : above * (above + 1) + at.n - 1));
}

/* Every N up to 50 and every process that notices, alone or with all above. */
LONG_TEST(test_costs_are_exact_in_lockstep)
{
    for (uint32_t n = 3; n <= NETWORK_MAX; n++) {
        struct lab lab;

        for (uint32_t i = 1; i < 4 * n - 4; i++) {
            struct scene at = {n, 1 + i / 4, 1 + i / 4, i & 1};
            struct sim_result r;

            lab_open(&lab, "bully", n);
            if (i & 2)
                at.to = n - 1;
            r = play(&lab, at, 1);
            check_counts(&r, at);
            lab_close(&lab);
        }
    }
}

/* The timeouts are just long enough: whatever the bounds, not one message
 * more if one process notices. */
TEST(test_costs_of_one_that_notices_are_exact_within_bounds)
{
    static const struct fc_bounds bounds[] = {
        {1, 1, 0, 0}, {1, 3, 0, 0},  {5, 5, 2, 2},   {2, 9, 0, 20},
        {3, 4, 1, 1}, {1, 50, 1, 5}, {10, 20, 7, 90}};
    static const enum net_clock clocks[] = {NET_CLOCK_FIXED, NET_CLOCK_DRIFT,
                                            NET_CLOCK_ADVERSARY};

    for (uint64_t seed = 0; seed < rounds(9000); seed++) {
        uint32_t n = 3 + (uint32_t)seed % 14;
        struct fc_bounds b = bounds[seed / 14 % COUNT(bounds)];
        struct scene at = {n, 0, 0, seed / 7 % 2};
        struct lab lab;
        struct sim_result r;

        at.from = at.to = 1 + (uint32_t)(seed / 11) % (n - 1);
        lab_open(&lab, "bully", n);
        lab_bounds(&lab, b.rmin, b.rmax, b.dmin, b.dmax);
        lab.setup.net.clock = clocks[seed / 5 % COUNT(clocks)];
        r = play(&lab, at, seed);
        check_counts(&r, at);
        lab_close(&lab);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_noticing_a_failure_calls_an_election),
        cmocka_unit_test(test_only_the_idle_notice_failures),
        cmocka_unit_test(test_election_is_answered_and_begins_another),
        cmocka_unit_test(test_election_within_an_election_is_only_answered),
        cmocka_unit_test(test_first_answer_ends_the_bid),
        cmocka_unit_test(test_other_answers_and_timeouts_are_ignored),
        cmocka_unit_test(test_silence_from_above_elects),
        cmocka_unit_test(
            test_silence_of_the_coordinator_begins_another_election),
        cmocka_unit_test(test_coordinator_is_accepted),
        cmocka_unit_test(test_overruled_leader_tells_those_below),
        cmocka_unit_test(test_restart_calls_an_election),
        cmocka_unit_test(test_restarted_highest_announces_itself),
        cmocka_unit_test(test_many_messages_leave_in_one_step),
        cmocka_unit_test(test_timeouts_follow_from_the_bounds),
        cmocka_unit_test(test_worlds_that_do_not_fit_are_refused),
        cmocka_unit_test(test_claims),
        cmocka_unit_test(test_costs_are_exact_in_lockstep),
        cmocka_unit_test(
            test_costs_of_one_that_notices_are_exact_within_bounds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
