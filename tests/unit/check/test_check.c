/*
 * test_check.c - the checker: what a state costs, what it judges, its limits,
 * and what it refuses.  How many states the networks of a protocol have, and
 * what is broken in them, its facts.txt says (tests/facts.sh).
 */
#include "tests/unit/kit/checking.h"

#include "problems/mutex.h"

static const struct fc_bounds none = {1, 1, 0, 0};

/* ---- Numbers of states --------------------------------------------------- */

/* A state costs a few dozen bytes in all, whatever room the protocol's own
 * states have for larger networks, also while cycles are looked for. */
TEST(test_states_are_small)
{
    static const struct {
        const char *protocol;
        uint32_t n;
        uint64_t states, bytes_each;
    } pinned[] = {
        {"maekawa", 4, 127963, 43},
        {"archimedean", 3, 108571, 37},
    };

    for (size_t i = 0; i < COUNT(pinned); i++) {
        struct check_result r;
        struct search s;

        if (too_large(pinned[i].states))
            continue;
        search_open(&s, pinned[i].protocol, pinned[i].n, NET_SYNC, none, "");
        r = search_run(&s);
        print_message("%s %u\n", pinned[i].protocol, pinned[i].n);
        assert_int_equal(r.verdict, CHECK_HOLDS);
        assert_true(r.cycles_known);
        assert_int_equal(r.states, pinned[i].states);
        assert_true(r.bytes < r.states * pinned[i].bytes_each);
        search_close(&s);
    }
}

/* Rotations of a ring without names are one state: up to n times fewer, and
 * the verdict is the same. */
TEST(test_symmetry_changes_only_the_number)
{
    uint64_t states[2];

    for (uint32_t symmetry = 0; symmetry < 2; symmetry++) {
        struct check_result r;
        struct search s;

        search_open(&s, "itai-rodeh", 4, NET_ASYNC, none, "rounds=no");
        s.check.symmetry = symmetry;
        r = search_run(&s);
        assert_int_equal(r.verdict, CHECK_HOLDS);
        assert_true(r.coins && r.cycles_known && !r.acyclic);
        states[symmetry] = r.states;
        search_close(&s);
    }
    assert_int_equal(states[0], 21729);
    assert_int_equal(states[1], 5478);
}

/* Two orders of entering lead to the same state, and only one is wrong: it is
 * judged though the state is known. */
TEST(test_the_order_of_tokens_is_judged_each_time)
{
    struct check_result r;
    struct search s;

    search_open(&s, "central", 2, NET_ASYNC, none, "");
    s.check.crashes = 1;
    s.check.back = CHECK_RETURN_BLANK;
    s.check.properties = MUTEX_TOKEN_GROWS;
    r = search_run(&s);
    assert_int_equal(r.verdict, CHECK_VIOLATED);
    assert_int_equal(r.broken, MUTEX_TOKEN_GROWS);
    assert_int_equal(r.moves_count, 6);
    check_free(&r);
    search_close(&s);
}

/* ---- Limits -------------------------------------------------------------- */

/* A search that was cut short never says that something holds. */
TEST(test_limits_make_it_incomplete)
{
    struct check_result r;
    struct search s;
    atomic_bool stop = true;

    search_open(&s, "chang-roberts", 8, NET_ASYNC, none, "");
    s.check.states_max = 100;
    r = search_run(&s);
    assert_int_equal(r.verdict, CHECK_INCOMPLETE);
    assert_int_equal(r.limit, CHECK_STATES);
    s.check.states_max = 0;
    s.check.depth_max = 5;
    r = search_run(&s);
    assert_int_equal(r.verdict, CHECK_INCOMPLETE);
    assert_int_equal(r.limit, CHECK_DEPTH);
    s.check.depth_max = 0;
    s.check.stop = &stop;
    r = search_run(&s);
    assert_int_equal(r.verdict, CHECK_INCOMPLETE);
    assert_int_equal(r.limit, CHECK_STOPPED);
    s.check.stop = NULL;
    /* Wherever the memory ends: while searching, or while tables grow. */
    for (uint64_t kilobytes = 1; kilobytes < 700; kilobytes += 17) {
        s.check.memory_max = kilobytes << 10;
        r = search_run(&s);
        if (r.verdict == CHECK_HOLDS)
            assert_int_equal(r.states, 9940);
        else
            assert_int_equal(r.limit, CHECK_MEMORY);
        assert_true(r.verdict != CHECK_VIOLATED);
    }
    search_close(&s);
}

/* A defect beyond the limit stays unknown; before it, it is found. */
TEST(test_a_defect_is_found_within_the_limit)
{
    struct check_result r;
    struct search s;

    search_open(&s, "lelann", 3, NET_ASYNC, none, "");
    s.sim.net.any_order = true;
    s.check.depth_max = 8;
    r = search_run(&s);
    assert_int_equal(r.verdict, CHECK_INCOMPLETE);
    s.check.depth_max = 9;
    r = search_run(&s);
    assert_int_equal(r.verdict, CHECK_VIOLATED);
    check_free(&r);
    search_close(&s);
}

/* A copied request makes a site the next after itself.  In a complete network
 * of the checker there is no link for what it then sends. */
TEST(test_nobody_sends_to_itself)
{
    struct check_result r;
    struct search s;

    search_open(&s, "naimi-trehel", 3, NET_ASYNC, none, "");
    s.check.copies = 1;
    s.check.properties = MUTEX_EXCLUSION;
    r = search_run(&s);
    assert_int_equal(r.verdict, CHECK_INCOMPLETE);
    assert_int_equal(r.limit, CHECK_REFUSED);
    assert_non_null(strstr(r.refusal, "to itself"));
    check_free(&r);
    search_close(&s);
}

static void step_by_link_7(const struct net_place *place, void *state,
                           const struct fc_event *event, const void *msg,
                           struct fc_effects *fx, void *sends)
{
    net_find(place->net->protocol)->step(place, state, event, msg, fx, sends);
    for (uint32_t i = 0; i < fx->sends; i++)
        fx->to[i] = 7;
}

/* What would be sent by a link that is not there is not sent by another. */
TEST(test_a_link_that_is_not_there_is_refused)
{
    static const char *const some[] = {"franklin", "tree", "ricart-agrawala"};

    for (size_t i = 0; i < COUNT(some); i++) {
        struct check_result r;
        struct net_type type;
        struct search s;

        search_open(&s, some[i], 3, NET_ASYNC, none, "");
        type = *net_find(s.sim.net.protocol);
        type.step = step_by_link_7;
        s.sim.net.type = &type;
        r = search_run(&s);
        assert_int_equal(r.verdict, CHECK_INCOMPLETE);
        assert_int_equal(r.limit, CHECK_REFUSED);
        assert_non_null(strstr(r.refusal, "by a link that it does not have"));
        check_free(&r);
        search_close(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_states_are_small),
        cmocka_unit_test(test_symmetry_changes_only_the_number),
        cmocka_unit_test(test_the_order_of_tokens_is_judged_each_time),
        cmocka_unit_test(test_limits_make_it_incomplete),
        cmocka_unit_test(test_a_defect_is_found_within_the_limit),
        cmocka_unit_test(test_nobody_sends_to_itself),
        cmocka_unit_test(test_a_link_that_is_not_there_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
