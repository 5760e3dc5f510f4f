/*
 * test_ring_names.c - counting and naming with a leader on a ring: the rules,
 * the exact count, and all orders.
 */
#include "protocols/election/ring_names.h"
#include "tests/unit/kit/checking.h"
#include "tests/unit/kit/testing.h"

static const struct fc_no_params none;

static struct ring_names_out step(struct ring_names *s, struct fc_led me,
                                  struct ring_names_in in)
{
    struct ring_names twin = *s;
    struct ring_names_out out, other;

    memset(&out, 0xaa, sizeof out);
    memset(&out.fx, 0, offsetof(struct fc_effects, steps));
    memset(&other, 0x55, sizeof other);
    memset(&other.fx, 0, offsetof(struct fc_effects, steps));
    ring_names_step(s, &none, &me, &in, &out);
    ring_names_step(&twin, &none, &me, &in, &other);
    assert_memory_equal(s, &twin, sizeof twin);
    assert_null(ring_names_sane(s, &none, &me));
    return out;
}

static struct ring_names_in starts(void)
{
    return (struct ring_names_in){
        .event = {.kind = FC_COMMAND, .command = ELECTION_START}};
}

static struct ring_names_in reads(uint16_t port, fc_name number)
{
    return (struct ring_names_in){.event = {.kind = FC_MESSAGE, .port = port},
                                  .msg = fc_word(RING_NAMES_NUMBER, number)};
}

static void check_sent(const struct ring_names_out *out, uint16_t to,
                       fc_name number)
{
    assert_int_equal(out->fx.sends, 1);
    assert_int_equal(out->fx.to[0], to);
    assert_int_equal(out->send[0].bits,
                     fc_word(RING_NAMES_NUMBER, number).bits);
}

static void check_ignored(struct ring_names s, struct fc_led me,
                          struct ring_names_in in, uint32_t notes)
{
    struct ring_names before = s;
    struct ring_names_out out = step(&s, me, in);

    assert_memory_equal(&s, &before, sizeof s);
    assert_int_equal(out.fx.sends, 0);
    assert_int_equal(out.fx.notes, notes);
}

static void check_view(struct ring_names s, struct fc_led me,
                       enum election_role role, fc_name answer)
{
    struct election_view view;

    ring_names_view(&s, &me, &view);
    assert_int_equal(view.role, role);
    assert_int_equal(view.answer, answer);
    assert_int_equal(view.leader,
                     role == ELECTION_ASLEEP ? FC_NOBODY : ELECTION_SOMEBODY);
}

/* ---- Rules --------------------------------------------------------------- */

static const struct fc_led leader = {1, 1}, other = {0, 1};

/* RN-1. */
TEST(test_leader_sends_one)
{
    struct ring_names s = {0};
    struct ring_names_out out = step(&s, leader, starts());

    check_sent(&out, FC_NEXT, 1);
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW | FC_NOTE_STARTED);
    check_view(s, leader, ELECTION_LEADER, 0);
    check_ignored(s, leader, starts(), 0);
    check_ignored((struct ring_names){0}, other, starts(), 0);
}

/* RN-2. */
TEST(test_others_keep_the_number_and_send_the_next)
{
    struct ring_names s = {0};
    struct ring_names_out out = step(&s, other, reads(0, 7));

    check_sent(&out, FC_NEXT, 8);
    check_view(s, other, ELECTION_DONE, 7);
    check_ignored(s, other, reads(0, 9), FC_NOTE_DIES);
}

/* RN-3. */
TEST(test_what_comes_back_is_the_size)
{
    struct ring_names s = {.begun = 1};
    struct ring_names_out out = step(&s, leader, reads(0, 5));

    assert_int_equal(out.fx.sends, 0);
    check_view(s, leader, ELECTION_LEADER, 5);
    check_ignored(s, leader, reads(0, 9), FC_NOTE_DIES);
    check_ignored((struct ring_names){0}, leader, reads(0, 5), FC_NOTE_DIES);
}

/* ---- All together -------------------------------------------------------- */

/* N messages, whatever the time; right-answer is judged. */
TEST(test_cost_is_exact)
{
    static const enum net_time times[] = {NET_SYNC, NET_ARCHIMEDEAN, NET_ASYNC};

    for (uint32_t n = 2; n <= 300; n = n < 20 ? n + 1 : 2 * n)
        for (size_t i = 0; i < COUNT(times); i++) {
            struct sim_result r;
            struct lab lab;

            lab_open(&lab, "ring-names", n);
            if (times[i] != NET_SYNC)
                lab_bounds(&lab, 2, 7, 0, 11);
            lab.setup.net.time = times[i];
            lab_prepare(&lab);
            r = lab_run(&lab, n);
            assert_int_equal(r.broken, 0);
            assert_int_equal(r.messages, n);
            assert_int_equal(r.answer, n);
            lab_close(&lab);
        }
}

/* Every order of starts and messages, also on links that keep no order; how
 * many situations there are is pinned. */
TEST(test_all_orders)
{
    static const struct fc_bounds any;
    static const uint64_t states[] = {6, 12, 24, 48};

    for (uint32_t n = 2; n <= 5; n++)
        for (uint32_t any_order = 0; any_order < 2; any_order++) {
            struct check_result r;
            struct search s;

            search_open(&s, "ring-names", n, NET_ASYNC, any, "");
            s.sim.net.any_order = any_order;
            r = search_run(&s);
            assert_int_equal(r.verdict, CHECK_HOLDS);
            assert_int_equal(r.states, states[n - 2]);
            search_close(&s);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_leader_sends_one),
        cmocka_unit_test(test_others_keep_the_number_and_send_the_next),
        cmocka_unit_test(test_what_comes_back_is_the_size),
        cmocka_unit_test(test_cost_is_exact),
        cmocka_unit_test(test_all_orders),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
