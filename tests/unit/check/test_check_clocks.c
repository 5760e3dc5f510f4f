/*
 * test_check_clocks.c - the checker where nodes read clocks, keep a record, are
 * stopped by guards, share cells, pause and are cut off.
 *
 * As in test_check.c the numbers of states are pinned, and each rule that can
 * be left out is missed.
 */
#include "tests/unit/kit/checking.h"

#include "problems/election.h"
#include "problems/mutex.h"
#include "problems/store.h"

static const struct fc_bounds none = {1, 1, 0, 0};

/* Frames every third step, a lease of five, a silence of four. */
#define SHORT "tau=3 lease=5 silence=4 delta=2 "
#define LONG  "tau=3 lease=9 silence=4 delta=2 "

enum { SAFETY = MUTEX_EXCLUSION | MUTEX_TOKEN_GROWS };

static void open_view_lock(struct search *s, const char *settings,
                           uint32_t until)
{
    search_open(s, "view-lock", 3, NET_SYNC, none, settings);
    s->check.listed = 1u << 0 | 1u << 1;
    s->check.victims = 1u << 0;
    s->check.until = until;
    s->check.properties = SAFETY;
}

/* ---- The live lock ------------------------------------------------------- */

/* Whatever happens to the holder, nobody else is inside with it. */
TEST(test_the_live_lock_holds)
{
    static const struct {
        const char *settings;
        uint32_t until, pauses, crashes, cuts, losses, faults_from;
        uint64_t states;
    } pinned[] = {
        {SHORT, 14, 0, 0, 0, 0, 0, 25121},  {SHORT, 14, 1, 0, 0, 0, 9, 340583},
        {SHORT, 13, 0, 1, 0, 0, 11, 89534}, {SHORT, 14, 0, 0, 1, 0, 9, 270773},
        {SHORT, 13, 0, 0, 0, 1, 9, 167967},
    };

    for (size_t i = 0; i < COUNT(pinned); i++) {
        struct check_result r;
        struct search s;

        if (too_large(pinned[i].states))
            continue;
        open_view_lock(&s, pinned[i].settings, pinned[i].until);
        s.check.pauses = pinned[i].pauses;
        s.check.crashes = pinned[i].crashes;
        s.check.back = CHECK_RETURN_BLANK;
        s.check.cuts = pinned[i].cuts;
        s.check.losses = pinned[i].losses;
        s.check.faults_from = pinned[i].faults_from;
        r = search_run(&s);
        print_message("%zu: %lu states\n", i, (unsigned long)r.states);
        assert_int_equal(r.verdict, CHECK_HOLDS);
        assert_true(r.reached && r.cut_off && !r.cycles_known);
        assert_int_equal(r.states, pinned[i].states);
        search_close(&s);
    }
}

/* A rule is left out, and the shortest run that misses it is found. */
LONG_TEST(test_rules_of_the_live_lock_are_missed)
{
    static const struct {
        const char *settings;
        uint32_t until, pauses, faults_from, entries, askers;
        uint32_t broken, moves;
    } defects[] = {
        {SHORT "without=L5", 22, 1, 7, 1, 3, MUTEX_EXCLUSION, 60},
        {LONG "without=V3", 24, 1, 13, 1, 3, MUTEX_EXCLUSION, 79},
        {SHORT "without=F3", 24, 1, 9, 1, 3, MUTEX_EXCLUSION, 75},
        {SHORT "without=L3", 24, 0, 0, 2, 5, MUTEX_EXCLUSION, 98},
    };

    for (size_t i = 0; i < rounds(COUNT(defects)); i++) {
        struct check_result r;
        struct search s;

        open_view_lock(&s, defects[i].settings, defects[i].until);
        s.check.pauses = defects[i].pauses;
        s.check.faults_from = defects[i].faults_from;
        s.check.entries = defects[i].entries;
        s.check.listed = defects[i].askers;
        r = search_run(&s);
        print_message("%s\n", defects[i].settings);
        assert_int_equal(r.verdict, CHECK_VIOLATED);
        assert_int_equal(r.broken, defects[i].broken);
        assert_int_equal(r.moves_count, defects[i].moves);
        check_free(&r);
        search_close(&s);
    }
}

/* ---- The last tick ------------------------------------------------------- */

/* Nothing is said of what comes after it: nobody has elected anybody by tick 2,
 * and that is no violation and no proof. */
TEST(test_the_last_tick_leaves_open_what_comes_later)
{
    struct check_result r;
    struct search s;

    search_open(&s, "chang-roberts", 3, NET_SYNC, none, "");
    s.check.until = 2;
    r = search_run(&s);
    assert_int_equal(r.verdict, CHECK_HOLDS);
    assert_true(r.cut_off && !r.cycles_known);
    assert_true(r.open & ELECTION_ELECTED && r.open & ELECTION_ENDS);
    assert_false(r.open & ELECTION_ONE_LEADER);
    /* If all runs are over by then, it is as if there were no such tick. */
    s.check.until = 100;
    r = search_run(&s);
    assert_int_equal(r.verdict, CHECK_HOLDS);
    assert_true(!r.cut_off && r.cycles_known && r.open == 0);
    assert_int_equal(r.terminal, 1);
    search_close(&s);
}

/* What breaks at a tick is found if runs are tried up to it, and not before. */
TEST(test_a_defect_at_a_tick_needs_that_tick)
{
    for (uint32_t until = 3; until <= 4; until++) {
        struct check_result r;
        struct search s;

        search_open(&s, "rw-optimistic", 2, NET_SYNC, none,
                    "words=2 writes=asked order=swapped waits=none");
        s.check.until = until;
        r = search_run(&s);
        assert_int_equal(r.verdict, until == 4 ? CHECK_VIOLATED : CHECK_HOLDS);
        check_free(&r);
        search_close(&s);
    }
}

/* What cannot be tried is refused, with a sentence, and never holds. */
TEST(test_what_cannot_be_tried_is_refused)
{
    struct check_result r;
    struct search s;

    search_open(&s, "view-lock", 3, NET_SYNC, none, SHORT);
    r = search_run(&s);
    assert_int_equal(r.verdict, CHECK_INCOMPLETE);
    assert_int_equal(r.limit, CHECK_REFUSED);
    assert_non_null(strstr(r.refusal, "--until"));
    search_close(&s);
}

/* ---- Shared cells -------------------------------------------------------- */

TEST(test_readers_have_so_many_states)
{
    static const struct {
        const char *settings;
        struct fc_bounds bounds;
        uint32_t n, entries;
        bool drifts;
        uint32_t broken; /* 0: it holds */
        uint64_t states;
    } pinned[] = {
        {"words=2 writes=asked", {1, 1, 0, 0}, 2, 2, false, 0, 1225},
        {"words=2 writes=asked", {1, 2, 0, 0}, 2, 2, false, 0, 13384},
        {"words=2 writes=asked", {1, 2, 0, 0}, 2, 2, true, 0, 6072},
        {"words=1 writes=asked", {1, 2, 0, 0}, 3, 1, false, 0, 37365},
        {"words=1 writes=asked waits=paper", {1, 1, 0, 0}, 2, 1, false, 0, 678},
        {"words=2 writes=asked order=swapped",
         {1, 2, 0, 0},
         2,
         2,
         true,
         STORE_NO_TORN_READ,
         256},
    };

    for (size_t i = 0; i < COUNT(pinned); i++) {
        struct check_result r;
        struct search s;

        if (too_large(pinned[i].states))
            continue;
        search_open(&s, "rw-optimistic", pinned[i].n, NET_ARCHIMEDEAN,
                    pinned[i].bounds, pinned[i].settings);
        s.sim.net.clock = pinned[i].drifts ? NET_CLOCK_DRIFT : NET_CLOCK_FIXED;
        s.check.entries = pinned[i].entries;
        r = search_run(&s);
        print_message("%s: %lu states\n", pinned[i].settings,
                      (unsigned long)r.states);
        assert_int_equal(r.broken, pinned[i].broken);
        assert_int_equal(r.states, pinned[i].states);
        assert_int_equal(r.verdict, r.broken ? CHECK_VIOLATED : CHECK_HOLDS);
        check_free(&r);
        search_close(&s);
    }
}

/* ---- Pauses and cuts ----------------------------------------------------- */

/* A pause is a step that is too long: with a window that is just safe, one tick
 * is enough to mislead a site that takes silence for consent. */
TEST(test_pauses_mislead_whoever_trusts_the_bounds)
{
    for (uint32_t ticks = 0; ticks < 3; ticks++) {
        struct check_result r;
        struct search s;

        search_open(&s, "archimedean", 2, NET_ARCHIMEDEAN,
                    (struct fc_bounds){1, 1, 0, 1},
                    "mindelay=1 delaystep=0 predict=0 window=2");
        s.check.pauses = ticks > 0;
        s.check.pause_max = ticks;
        r = search_run(&s);
        assert_int_equal(r.broken, ticks ? SAFETY : 0);
        assert_int_equal(r.moves_count, ticks ? 13 : 0);
        assert_int_equal(r.verdict, ticks ? CHECK_VIOLATED : CHECK_HOLDS);
        check_free(&r);
        search_close(&s);
    }
}

/* Only nodes that may pause do, and nothing happens before its tick. */
TEST(test_faults_are_those_of_the_victims)
{
    static const struct {
        uint32_t victims, from, broken;
    } tried[] = {{3, 0, SAFETY}, {1, 2, SAFETY}, {0, 0, 0}, {3, 4, 0}};

    for (size_t i = 0; i < COUNT(tried); i++) {
        struct check_result r;
        struct search s;

        search_open(&s, "archimedean", 2, NET_ARCHIMEDEAN,
                    (struct fc_bounds){1, 1, 0, 1},
                    "mindelay=1 delaystep=0 predict=0 window=2");
        s.check.pauses = s.check.pause_max = 1;
        s.check.victims = tried[i].victims;
        s.check.faults_from = tried[i].from;
        s.check.until = 4;
        r = search_run(&s);
        assert_int_equal(r.broken, tried[i].broken);
        check_free(&r);
        search_close(&s);
    }
}

/* A ring of which one node is cut off loses what it passes on, and then nobody
 * is elected; with time and without. */
TEST(test_cuts_lose_what_is_sent)
{
    for (uint32_t timed = 0; timed < 2; timed++) {
        struct check_result r;
        struct search s;

        search_open(&s, "chang-roberts", 3, timed ? NET_SYNC : NET_ASYNC, none,
                    "");
        s.check.cuts = 1;
        s.check.cut_max = timed;
        r = search_run(&s);
        assert_int_equal(r.verdict, CHECK_VIOLATED);
        assert_true(r.at_end);
        assert_true(r.broken & ELECTION_ELECTED);
        assert_int_equal(r.moves_count, 6 + timed);
        check_free(&r);
        search_close(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_live_lock_holds),
        cmocka_unit_test(test_rules_of_the_live_lock_are_missed),
        cmocka_unit_test(test_the_last_tick_leaves_open_what_comes_later),
        cmocka_unit_test(test_a_defect_at_a_tick_needs_that_tick),
        cmocka_unit_test(test_what_cannot_be_tried_is_refused),
        cmocka_unit_test(test_readers_have_so_many_states),
        cmocka_unit_test(test_pauses_mislead_whoever_trusts_the_bounds),
        cmocka_unit_test(test_faults_are_those_of_the_victims),
        cmocka_unit_test(test_cuts_lose_what_is_sent),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
