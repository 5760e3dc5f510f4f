/*
 * test_check.c - the checker: how many states there are, what holds, and that
 * what is broken is found, by the shortest way.
 *
 * The numbers of chang-roberts and dolev-klawe-rodeh are also those of Spin
 * (bench/spin); all are pinned, so that a change of the semantics is seen.
 */
#include "tests/unit/kit/checking.h"

#include "problems/election.h"
#include "problems/mutex.h"

static const struct fc_bounds none = {1, 1, 0, 0};

/* ---- Numbers of states --------------------------------------------------- */

/* Everybody starts, or whoever likes at any moment, in every order. */
TEST(test_elections_have_so_many_states)
{
    static const struct {
        const char *protocol;
        uint32_t n;
        bool any;
        uint64_t states, transitions, terminal;
    } pinned[] = {
        {"lelann", 3, false, 42, 71, 1},
        {"lelann", 4, true, 532, 1022, 16},
        {"lelann", 5, true, 3012, 7164, 32},
        {"chang-roberts", 2, false, 10, 11, 1},
        {"chang-roberts", 3, false, 27, 42, 1},
        {"chang-roberts", 4, false, 80, 166, 1},
        {"chang-roberts", 5, false, 254, 662, 1},
        {"chang-roberts", 3, true, 73, 99, 8},
        {"chang-roberts", 5, true, 1263, 2757, 32},
        {"chang-roberts-max", 4, false, 59, 122, 1},
        {"chang-roberts-max", 5, true, 2800, 7237, 32},
        {"peterson", 4, false, 95, 203, 1},
        {"peterson", 5, true, 1722, 3752, 32},
        {"dolev-klawe-rodeh", 4, false, 95, 203, 1},
        {"dolev-klawe-rodeh", 5, true, 1722, 3752, 32},
        {"franklin", 4, false, 475, 1687, 1},
        {"franklin", 5, true, 12192, 45374, 32},
        {"hirschberg-sinclair", 3, true, 1542, 3557, 12},
        {"hirschberg-sinclair", 4, false, 5490, 21058, 4},
        {"tree", 4, false, 359, 1070, 3},
        {"tree", 5, true, 9887, 30613, 125},
        {"vitanyi", 4, false, 2558, 9554, 1},
        {"ring-sort", 4, false, 2566, 9562, 1},
    };

    for (size_t i = 0; i < COUNT(pinned); i++) {
        struct check_result r;
        struct search s;

        if (too_large(pinned[i].states))
            continue;
        search_open(&s, pinned[i].protocol, pinned[i].n, NET_ASYNC, none, "");
        if (pinned[i].any)
            s.check.waking = CHECK_WAKE_ANY;
        r = search_run(&s);
        print_message("%s %u\n", pinned[i].protocol, pinned[i].n);
        assert_int_equal(r.verdict, CHECK_HOLDS);
        assert_int_equal(r.states, pinned[i].states);
        assert_int_equal(r.transitions, pinned[i].transitions);
        assert_int_equal(r.terminal, pinned[i].terminal);
        assert_true(r.cycles_known && r.acyclic && r.reached);
        search_close(&s);
    }
}

TEST(test_mutexes_have_so_many_states)
{
    static const struct {
        const char *protocol;
        uint32_t n, entries;
        uint64_t states, transitions, terminal;
    } pinned[] = {
        {"ricart-agrawala", 2, 2, 151, 206, 20},
        {"ricart-agrawala", 3, 1, 2089, 5539, 20},
        {"suzuki-kasami", 3, 2, 17956, 55564, 237},
        {"raymond", 3, 2, 860, 1719, 55},
        {"naimi-trehel", 4, 1, 1386, 2980, 65},
        {"token-mutex", 3, 2, 725, 1613, 1},
        {"central", 4, 1, 746, 1580, 33},
        {"lamport", 2, 2, 1025, 1588, 90},
        {"maekawa", 3, 1, 457, 938, 17},
    };

    for (size_t i = 0; i < COUNT(pinned); i++) {
        struct check_result r;
        struct search s;

        if (too_large(pinned[i].states))
            continue;
        search_open(&s, pinned[i].protocol, pinned[i].n, NET_ASYNC, none, "");
        s.check.entries = pinned[i].entries;
        r = search_run(&s);
        print_message("%s %u\n", pinned[i].protocol, pinned[i].n);
        assert_int_equal(r.verdict, CHECK_HOLDS);
        assert_int_equal(r.states, pinned[i].states);
        assert_int_equal(r.transitions, pinned[i].transitions);
        assert_int_equal(r.terminal, pinned[i].terminal);
        search_close(&s);
    }
}

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
        {"suzuki-kasami", 4, 27302, 45},
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

/* ---- What is broken is found --------------------------------------------- */

struct defect {
    const char *protocol;
    uint64_t n;
    const char *settings;
    struct fc_bounds bounds;
    enum net_time time;
    enum check_return back;
    uint32_t entries, crashes, late;
    uint32_t only;   /* properties that count; 0: all */
    uint32_t broken; /* 0: it holds */
    uint32_t moves;  /* of the shortest run, ticks included */
    bool any_order, any_wake;
};

static void check_defect(const struct defect *d)
{
    struct check_result r;
    struct search s;

    search_open(&s, d->protocol, (uint32_t)d->n, d->time, d->bounds,
                d->settings);
    s.sim.net.any_order = d->any_order;
    s.check.waking = d->any_wake ? CHECK_WAKE_ANY : CHECK_WAKE_LISTED;
    s.check.entries = d->entries ? d->entries : 1;
    s.check.crashes = d->crashes;
    s.check.back = d->back;
    s.check.late_ticks = d->late;
    if (d->only)
        s.check.properties = d->only;
    r = search_run(&s);
    print_message("%s n=%u %s\n", d->protocol, (uint32_t)d->n, d->settings);
    assert_int_equal(r.verdict, d->broken ? CHECK_VIOLATED : CHECK_HOLDS);
    assert_int_equal(r.broken, d->broken);
    assert_int_equal(r.moves_count, d->moves);
    check_free(&r);
    search_close(&s);
}

TEST(test_defects_of_elections_are_found)
{
    static const struct defect defects[] = {
        /* The prose of the lecture, taken by its word. */
        {"chang-roberts", 3, "drop=smaller", .time = NET_ASYNC,
         .broken = ELECTION_RIGHT_LEADER, .moves = 11},
        {"chang-roberts", 3, "loser=stops", .time = NET_ASYNC,
         .broken = ELECTION_ELECTED | ELECTION_EVERYONE_TOLD, .moves = 8},
        {"chang-roberts", 2, "relays=own", .time = NET_ASYNC, .any_wake = true,
         .broken = ELECTION_ELECTED | ELECTION_EVERYONE_TOLD, .moves = 2},
        /* Its announcement circles for ever. */
        {"chang-roberts-max", 3, "coordinator=forwards", .time = NET_ASYNC,
         .broken = ELECTION_ENDS, .moves = 13},
        /* It needs links that keep the order. */
        {"lelann", 3, "", .time = NET_ASYNC, .any_order = true,
         .broken = ELECTION_ONE_LEADER | ELECTION_AGREEMENT, .moves = 9},
        /* A winner that wakes again before its sleepwell is back. */
        {"vitanyi", 2, "", .time = NET_ARCHIMEDEAN, .bounds = {1, 2, 0, 1},
         .any_wake = true, .broken = ELECTION_ONE_LEADER | ELECTION_AGREEMENT,
         .moves = 23},
        {"vitanyi", 2, "winner-guard=yes", .time = NET_ARCHIMEDEAN,
         .bounds = {1, 2, 0, 1}, .any_wake = true},
        /* Counting by clocks that differ. */
        {"ring-size", 3, "", .time = NET_ARCHIMEDEAN, .bounds = {3, 4, 1, 1},
         .broken = ELECTION_RIGHT_ANSWER, .moves = 51},
        {"ring-size", 3, "", .time = NET_ARCHIMEDEAN, .bounds = {1, 1, 2, 2}},
        /* Bully without bounds: a slow one is taken for dead. */
        {"bully", 2, "", .time = NET_ASYNC,
         .broken = ELECTION_ONE_LEADER | ELECTION_AGREEMENT, .moves = 4},
    };

    for (size_t i = 0; i < COUNT(defects); i++)
        check_defect(&defects[i]);
}

#define SMALL "mindelay=1 delaystep=0 predict=0 "

/* The print of the Archimedean mutual exclusion, and its repair. */
TEST(test_defects_of_the_archimedean_mutex_are_found)
{
    static const struct defect defects[] = {
        {"archimedean", 2, SMALL "rules=printed", .time = NET_ARCHIMEDEAN,
         .bounds = {1, 1, 0, 1}, .broken = MUTEX_EXCLUSION, .moves = 13},
        {"archimedean", 2, SMALL "number=apart", .time = NET_ARCHIMEDEAN,
         .bounds = {1, 1, 0, 1}, .broken = MUTEX_EXCLUSION | MUTEX_TOKEN_GROWS,
         .moves = 25},
        {"archimedean", 2, SMALL, .time = NET_ARCHIMEDEAN,
         .bounds = {1, 1, 0, 1}, .entries = 2},
        {"archimedean", 2, SMALL "restart=goes-on", .time = NET_ARCHIMEDEAN,
         .bounds = {1, 1, 0, 1}, .crashes = 1, .back = CHECK_RETURN_BLANK,
         .broken = MUTEX_TOKEN_GROWS, .moves = 27},
        {"archimedean", 2, SMALL, .time = NET_ARCHIMEDEAN,
         .bounds = {1, 1, 0, 1}, .crashes = 1, .back = CHECK_RETURN_BLANK},
        {"archimedean", 3, SMALL "giveup=2", .time = NET_ARCHIMEDEAN,
         .bounds = {1, 1, 0, 1}, .crashes = 1, .broken = MUTEX_EXCLUSION,
         .moves = 37},
        /* The window: the least that is safe, and one step less. */
        {"archimedean", 2, SMALL "window=2", .time = NET_ARCHIMEDEAN,
         .bounds = {1, 1, 0, 1}},
        {"archimedean", 2, SMALL "window=1", .time = NET_ARCHIMEDEAN,
         .bounds = {1, 1, 0, 1}, .broken = MUTEX_EXCLUSION, .moves = 10},
        {"archimedean", 3, SMALL "window=4", .time = NET_ARCHIMEDEAN,
         .bounds = {1, 1, 0, 1}},
        {"archimedean", 3, SMALL "window=3", .time = NET_ARCHIMEDEAN,
         .bounds = {1, 1, 0, 1}, .broken = MUTEX_EXCLUSION, .moves = 26},
        /* Where sites come back, a hello-reply may be ahead of a request. */
        {"archimedean", 2, SMALL "window=2", .time = NET_ARCHIMEDEAN,
         .bounds = {1, 1, 0, 1}, .entries = 2},
        {"archimedean", 2, SMALL "window=2", .time = NET_ARCHIMEDEAN,
         .bounds = {1, 1, 0, 1}, .entries = 2, .crashes = 1,
         .back = CHECK_RETURN_BLANK, .only = MUTEX_EXCLUSION,
         .broken = MUTEX_EXCLUSION, .moves = 35},
        {"archimedean", 2, SMALL "window=3", .time = NET_ARCHIMEDEAN,
         .bounds = {1, 1, 0, 1}, .entries = 2, .crashes = 1,
         .back = CHECK_RETURN_BLANK, .only = MUTEX_EXCLUSION},
        /* One message, one tick late. */
        {"archimedean", 2, SMALL "window=2", .time = NET_ARCHIMEDEAN,
         .bounds = {1, 1, 0, 1}, .late = 1, .broken = MUTEX_EXCLUSION,
         .moves = 12},
    };

    for (size_t i = 0; i < COUNT(defects); i++)
        check_defect(&defects[i]);
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
        cmocka_unit_test(test_elections_have_so_many_states),
        cmocka_unit_test(test_mutexes_have_so_many_states),
        cmocka_unit_test(test_states_are_small),
        cmocka_unit_test(test_symmetry_changes_only_the_number),
        cmocka_unit_test(test_defects_of_elections_are_found),
        cmocka_unit_test(test_defects_of_the_archimedean_mutex_are_found),
        cmocka_unit_test(test_the_order_of_tokens_is_judged_each_time),
        cmocka_unit_test(test_limits_make_it_incomplete),
        cmocka_unit_test(test_a_defect_is_found_within_the_limit),
        cmocka_unit_test(test_nobody_sends_to_itself),
        cmocka_unit_test(test_a_link_that_is_not_there_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
