/*
 * test_ring_names.c - counting and naming with a leader on a ring: the rules,
 * the exact count, and all orders.
 */
#include "protocols/election/ring_names/ring_names.h"
#include "tests/unit/kit/checking.h"
#include "tests/unit/kit/testing.h"

#define naming      ring_names
#define naming_in   ring_names_in
#define naming_out  ring_names_out
#define naming_step ring_names_step
#define naming_sane ring_names_sane
#define naming_view ring_names_view
#define NUMBER      RING_NAMES_NUMBER
#include "tests/unit/kit/naming.inc"

/* ---- Rules --------------------------------------------------------------- */

static const struct fc_marked leader = {1, 1}, other = {0, 1};

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
