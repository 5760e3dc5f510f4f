/*
 * test_check_odds.c - probabilities at most and at least: of processes small
 * enough to be worked out by hand, and of protocols.
 */
#include "tests/unit/kit/checking.h"

#include "check/odds/expect.h"
#include "check/odds/sure.h"
#include "problems/election.h"
#include "tests/unit/kit/processes.h"

static const struct fc_bounds none = {1, 1, 0, 0};

/* ---- Processes, written down as they are --------------------------------- */

/* The probability of a bad end from each state. */
static void all_bad(struct drawn *d, bool greatest, struct check_chance *out)
{
    struct check_memory memory = {.limit = 0};
    struct check_aim aim = {
        .asked = CHECK_ODDS, .end = CHECK_BAD_END, .greatest = greatest};
    struct check_expected each[MOST];

    close_process(d);
    assert_true(check_solve(&d->p, &memory, &aim, each, d->p.states));
    assert_int_equal(memory.used, 0);
    for (uint32_t s = 0; s < d->p.states; s++) {
        out[s] = each[s].value;
        assert_true(!each[s].infinite && out[s].least <= out[s].most);
    }
}

/* From state 0. */
static struct check_chance bad(struct drawn *d, bool greatest)
{
    struct check_chance out[MOST];

    all_bad(d, greatest, out);
    return out[0];
}

static void find_sure(struct drawn *d, bool greatest, uint8_t *known)
{
    struct check_memory memory = {.limit = 0};

    close_process(d);
    assert_true(check_sure(&d->p, &memory, known, CHECK_BAD_END, greatest));
    assert_int_equal(memory.used, 0);
}

static void is(struct check_chance c, uint64_t over, uint64_t under)
{
    double x = (double)over / (double)under;

    assert_int_equal(c.over, over);
    assert_int_equal(c.under, under);
    assert_true(c.least <= x && x <= c.most);
    assert_true(c.most - c.least < 1e-12);
}

/* A coin, after a choice between it and another: no cycles. */
TEST(test_choices_are_the_best_or_the_worst)
{
    struct drawn d = {.actions = 0};

    place(&d); /* 0 */
    coin(&d, 1, CHECK_GOOD_END);
    coin(&d, 1, CHECK_BAD_END);
    place(&d); /* 1 */
    action(&d);
    way(&d, 3, CHECK_BAD_END);
    way(&d, 3, CHECK_GOOD_END);
    way(&d, 3, CHECK_GOOD_END);
    is(bad(&d, false), 1, 6);
    is(bad(&d, true), 2, 3);
}

/* A third of it by coins: they are thrown again until they decide. */
TEST(test_cycles_are_solved_exactly)
{
    struct drawn d = {.actions = 0};

    place(&d);
    coin(&d, 1, 2);
    place(&d);
    coin(&d, CHECK_BAD_END, CHECK_GOOD_END);
    place(&d);
    coin(&d, CHECK_GOOD_END, 0);
    is(bad(&d, false), 1, 3);
    is(bad(&d, true), 1, 3);
}

/* Whoever can wait for ever need not fail; and whoever wants to fail may go
 * round as long as he likes, but in the end takes the best way out. */
TEST(test_staying_for_ever_is_a_choice)
{
    struct drawn d = {.actions = 0};

    place(&d); /* 0 and 1 lead to each other */
    sure(&d, 1);
    coin(&d, CHECK_BAD_END, CHECK_GOOD_END);
    place(&d);
    sure(&d, 0);
    action(&d);
    for (uint32_t i = 0; i < 5; i++)
        way(&d, 5, i < 4 ? CHECK_BAD_END : CHECK_GOOD_END);
    is(bad(&d, true), 4, 5);
    is(bad(&d, false), 0, 1);
}

/* A walk between two ends, fair: as probable as it is near.  Iteration is slow
 * here, and its usual rule to stop does not know how wrong it is. */
TEST(test_a_fair_walk)
{
    struct drawn d = {.actions = 0};
    enum { LONG = 40 };

    place(&d); /* begins in the middle */
    coin(&d, LONG / 2 - 1, LONG / 2 + 1);
    for (uint32_t i = 1; i < LONG; i++) {
        uint32_t down = i == 1 ? CHECK_GOOD_END : i - 1;
        uint32_t up = i == LONG - 1 ? CHECK_BAD_END : i + 1;

        place(&d);
        coin(&d, down, up);
    }
    is(bad(&d, true), 1, 2);
    is(bad(&d, false), 1, 2);
}

/* A walk that is drawn to one end: 1/(2^40 - 1), too long a fraction to be
 * guessed, so there are bounds. */
TEST(test_bounds_where_a_fraction_is_too_long)
{
    struct drawn d = {.actions = 0};
    double x = 1.0 / ((double)(UINT64_C(1) << 40) - 1);
    enum { LONG = 40 };
    struct check_chance c;

    for (uint32_t i = 1; i < LONG; i++) {
        place(&d);
        action(&d);
        way(&d, 3, i == LONG - 1 ? CHECK_BAD_END : i);
        way(&d, 3, i == 1 ? CHECK_GOOD_END : i - 2);
        way(&d, 3, i == 1 ? CHECK_GOOD_END : i - 2);
    }
    for (uint32_t greatest = 0; greatest < 2; greatest++) {
        c = bad(&d, greatest);
        assert_int_equal(c.under, 0);
        assert_true(c.least <= x && x <= c.most);
        assert_true(c.most < 1e-9);
    }
}

/* A value just below 1/2, and one may wait before it: 1/2 solves the equations
 * as well, for whoever waits has what he has, but nobody attains it. */
TEST(test_a_solution_that_nobody_attains_is_none)
{
    struct drawn d = {.actions = 0};
    struct check_chance c;

    place(&d);
    sure(&d, 0);
    sure(&d, 1);
    place(&d);
    coin(&d, CHECK_GOOD_END, 2);
    for (uint32_t i = 2; i < 43; i++) {
        place(&d);
        coin(&d, CHECK_BAD_END, i < 42 ? i + 1 : CHECK_GOOD_END);
    }
    c = bad(&d, true);
    assert_true(c.under != 2);
    assert_true(c.least < 0.5);
    assert_true(c.most >= 0.5 - 0x1p-42);
}

/* Seventy coins in a row must fall alike before it goes on, to `last`. */
static void draw_patience(struct drawn *d, uint32_t last)
{
    for (uint32_t i = 0; i < 70; i++) {
        place(d);
        coin(d, 0, i < 69 ? i + 1 : last);
    }
}

/* It ends badly or well, but takes longer than anybody iterates: nothing is
 * said that is not known. */
TEST(test_what_hardly_changes_may_still_be_far)
{
    struct drawn d = {.actions = 0};

    draw_patience(&d, 70);
    place(&d);
    coin(&d, CHECK_BAD_END, CHECK_GOOD_END);
    for (uint32_t greatest = 0; greatest < 2; greatest++) {
        struct check_chance c = bad(&d, greatest);

        assert_true(c.least <= 0.5 && 0.5 <= c.most);
        assert_true(c.under == 0 || c.under == 2);
    }
}

/* However long it takes, what is sure is known from the graph alone. */
TEST(test_what_is_sure_needs_no_iteration)
{
    for (uint32_t ends_badly = 0; ends_badly < 2; ends_badly++) {
        struct drawn d = {.actions = 0};

        draw_patience(&d, ends_badly ? CHECK_BAD_END : CHECK_GOOD_END);
        is(bad(&d, true), ends_badly, 1);
        is(bad(&d, false), ends_badly, 1);
    }
}

/* The same with a choice: a bad end can be made sure, or avoided for ever, in a
 * component whose ways out lead to both ends. */
TEST(test_what_is_sure_among_what_is_not)
{
    struct drawn d = {.actions = 0};

    draw_patience(&d, CHECK_BAD_END);
    coin(&d, 70, 0); /* another choice of the last state */
    place(&d);
    sure(&d, 0);
    coin(&d, CHECK_BAD_END, CHECK_GOOD_END);
    is(bad(&d, true), 1, 1);
    is(bad(&d, false), 0, 1);
}

/* Two components with cycles, one after the other, numbered in either order:
 * the second is worked out first. */
TEST(test_components_are_solved_in_order)
{
    for (uint32_t from = 0; from < 2; from++) {
        struct drawn d = {.actions = 0};
        struct check_chance out[MOST];

        for (uint32_t i = 0; i < 2; i++) {
            place(&d);
            action(&d);
            way(&d, 3, i);
            way(&d, 3, i == from ? !from : CHECK_BAD_END);
            way(&d, 3, CHECK_GOOD_END);
        }
        all_bad(&d, true, out);
        is(out[from], 1, 4);
        is(out[!from], 1, 2);
    }
}

/* ---- Processes drawn at random, against every scheduler ------------------ */

/* The probability of a bad end if each state has one action, which is an
 * elimination in a system of few equations: x = m x + b. */
static void follow(const struct drawn *d, const uint32_t *chosen, double *x)
{
    double m[FEW][FEW + 1] = {{0}};
    bool can[FEW] = {false};
    uint32_t n = d->p.states;

    for (uint32_t round = 0; round < n; round++)
        for (uint32_t s = 0; s < n; s++)
            for (uint32_t i = d->begin[chosen[s]];
                 d->first[s] < d->first[s + 1] && i < d->begin[chosen[s] + 1];
                 i++)
                can[s] |= d->ways[i].to == CHECK_BAD_END ||
                          (d->ways[i].to < n && can[d->ways[i].to]);
    for (uint32_t s = 0; s < n; s++) {
        m[s][s] = 1;
        for (uint32_t i = d->begin[chosen[s]];
             can[s] && i < d->begin[chosen[s] + 1]; i++)
            if (d->ways[i].to == CHECK_BAD_END)
                m[s][n] += 1.0 / d->ways[i].odds;
            else if (d->ways[i].to < n)
                m[s][d->ways[i].to] -= 1.0 / d->ways[i].odds;
    }
    for (uint32_t s = 0; s < n; s++)
        for (uint32_t r = 0; r < n; r++) {
            double factor = m[r][s] / m[s][s];

            for (uint32_t i = s; r != s && i <= n; i++)
                m[r][i] -= factor * m[s][i];
        }
    for (uint32_t s = 0; s < n; s++)
        x[s] = m[s][n] / m[s][s];
}

/* The extreme of all schedulers that choose alike whenever they come to the
 * same state; no others are better. */
static void try_all(const struct drawn *d, bool greatest, double *extreme)
{
    uint32_t chosen[FEW], n = d->p.states, s;
    double x[FEW];

    for (s = 0; s < n; s++) {
        chosen[s] = d->first[s];
        extreme[s] = greatest ? 0 : 1;
    }
    do {
        follow(d, chosen, x);
        for (s = 0; s < n; s++)
            if (greatest ? x[s] > extreme[s] : x[s] < extreme[s])
                extreme[s] = x[s];
        for (s = 0; s < n && ++chosen[s] >= d->first[s + 1]; s++)
            chosen[s] = d->first[s];
    } while (s < n);
}

/* Every scheduler of some thousand small processes: values are right, and those
 * that are 0 or 1 are known before anything is iterated. */
TEST(test_all_schedulers_agree)
{
    const uint32_t most = is_sanitized() ? 2000 : 20000;
    uint64_t seed = 1;
    uint32_t between = 0;

    for (uint32_t round = 0; round < most; round++) {
        struct drawn d = {.actions = 0};
        struct check_chance out[MOST];
        double x[FEW] = {0};

        draw_process(&d, &seed);
        for (uint32_t greatest = 0; greatest < 2; greatest++) {
            uint8_t known[FEW] = {0};

            try_all(&d, greatest, x);
            all_bad(&d, greatest, out);
            find_sure(&d, greatest, known);
            for (uint32_t s = 0; s < d.p.states; s++) {
                assert_true(out[s].least <= x[s] + 1e-9);
                assert_true(out[s].most >= x[s] - 1e-9);
                assert_true(out[s].under != 0);
                assert_int_equal(known[s] == CHECK_NEVER, x[s] < 1e-6);
                assert_int_equal(known[s] == CHECK_SURELY, x[s] > 1 - 1e-6);
                between += !known[s];
            }
        }
    }
    assert_true(between > most / 2);
}

/* ---- Protocols ----------------------------------------------------------- */

static struct check_expect worst(struct search *s)
{
    struct check_expect w;

    search_prepare(s);
    check_expect(&s->check, NULL, &w, NULL);
    assert_int_equal(w.limit, CHECK_NO_LIMIT);
    return w;
}

/* Two nodes and one coin each, in lock step: both draw 1 (1/4) and their coins
 * agree (1/2): two leaders.  If none draws 1 (1/4), all begins anew.  If the
 * coins differ they are a tick apart from then on, and do not err any more.  So
 * p = 1/8 + p/4. */
TEST(test_two_leaders_by_coins)
{
    static const struct {
        uint32_t n, k;
        struct fc_bounds bounds;
        uint64_t worst[2], best[2];
    } pinned[] = {
        {2, 1, {1, 1, 0, 0}, {1, 6}, {1, 6}},
        {2, 2, {1, 1, 0, 0}, {1, 8}, {1, 8}},
        {2, 3, {1, 1, 0, 0}, {1, 12}, {1, 12}},
        {2, 1, {1, 2, 0, 1}, {1, 6}, {0, 1}},
        {3, 1, {1, 1, 0, 0}, {13, 76}, {13, 76}},
        {3, 2, {1, 1, 0, 0}, {77, 608}, {77, 608}},
    };

    for (size_t i = 0; i < COUNT(pinned); i++) {
        struct check_expect w;
        struct search s;
        char k[16];

        snprintf(k, sizeof k, "k=%u", pinned[i].k);
        search_open(&s, "spirakis-tampakas", pinned[i].n,
                    pinned[i].bounds.rmax > 1 ? NET_ARCHIMEDEAN : NET_SYNC,
                    pinned[i].bounds, k);
        s.check.properties = ELECTION_ONE_LEADER;
        w = worst(&s);
        assert_false(w.endless);
        is(w.most.value, pinned[i].worst[0], pinned[i].worst[1]);
        is(w.least.value, pinned[i].best[0], pinned[i].best[1]);
        search_close(&s);
    }
}

/* A ring may be turned: nothing changes but the number of states. */
TEST(test_symmetry_changes_no_probability)
{
    struct check_expect w[2];

    for (uint32_t i = 0; i < 2; i++) {
        struct search s;

        search_open(&s, "spirakis-tampakas", 3, NET_SYNC, none, "k=1");
        s.check.properties = ELECTION_ONE_LEADER;
        s.check.symmetry = i;
        w[i] = worst(&s);
        is(w[i].most.value, 13, 76);
        is(w[i].least.value, 13, 76);
        search_close(&s);
    }
    assert_true(w[1].states < w[0].states);
}

/* Runs of any length, but they end: with probability 1. */
TEST(test_runs_end_by_chance)
{
    struct check_expect w;
    struct search s;

    search_open(&s, "spirakis-tampakas", 2, NET_SYNC, none, "k=1");
    s.check.properties = ELECTION_ENDS;
    w = worst(&s);
    assert_true(w.endless);
    is(w.most.value, 0, 1);
    search_close(&s);
    search_open(&s, "spirakis-tampakas", 2, NET_ARCHIMEDEAN,
                (struct fc_bounds){1, 1, 0, 1},
                "rules=printed k=1 next-timer-forwards=yes");
    s.check.properties = ELECTION_ENDS;
    w = worst(&s);
    assert_true(w.endless && w.most.value.under && w.most.value.over > 0);
    search_close(&s);
}

/* Without coins a property fails for sure, if somebody wants it. */
TEST(test_without_coins_it_is_a_matter_of_choice)
{
    struct check_expect w;
    struct search s;

    search_open(&s, "lelann", 3, NET_ASYNC, none, "");
    s.sim.net.any_order = true;
    w = worst(&s);
    is(w.most.value, 1, 1);
    is(w.least.value, 0, 1);
    s.sim.net.any_order = false;
    w = worst(&s);
    is(w.most.value, 0, 1);
    search_close(&s);
    search_open(&s, "chang-roberts", 3, NET_ASYNC, none, "drop=smaller");
    w = worst(&s);
    is(w.most.value, 1, 1);
    is(w.least.value, 1, 1);
    search_close(&s);
}

/* A limit leaves nothing half known. */
TEST(test_limits)
{
    struct check_expect w;
    struct search s;

    search_open(&s, "spirakis-tampakas", 2, NET_SYNC, none, "k=3");
    search_prepare(&s);
    s.check.states_max = 100;
    check_expect(&s.check, NULL, &w, NULL);
    assert_int_equal(w.limit, CHECK_STATES);
    s.check.states_max = 0;
    for (uint64_t kilobytes = 1; kilobytes < 200; kilobytes += 7) {
        s.check.memory_max = kilobytes << 10;
        check_expect(&s.check, NULL, &w, NULL);
        assert_true(w.limit == CHECK_MEMORY || w.limit == CHECK_NO_LIMIT);
        if (w.limit == CHECK_NO_LIMIT)
            assert_true(w.most.value.under != 0);
    }
    search_close(&s);
    search_open(&s, "token-ring", 3, NET_SYNC, none, "");
    search_prepare(&s);
    assert_non_null(check_no_odds(&s.check));
    check_expect(&s.check, NULL, &w, NULL);
    assert_int_equal(w.limit, CHECK_REFUSED);
    search_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choices_are_the_best_or_the_worst),
        cmocka_unit_test(test_cycles_are_solved_exactly),
        cmocka_unit_test(test_staying_for_ever_is_a_choice),
        cmocka_unit_test(test_a_fair_walk),
        cmocka_unit_test(test_bounds_where_a_fraction_is_too_long),
        cmocka_unit_test(test_a_solution_that_nobody_attains_is_none),
        cmocka_unit_test(test_what_hardly_changes_may_still_be_far),
        cmocka_unit_test(test_what_is_sure_needs_no_iteration),
        cmocka_unit_test(test_what_is_sure_among_what_is_not),
        cmocka_unit_test(test_components_are_solved_in_order),
        cmocka_unit_test(test_all_schedulers_agree),
        cmocka_unit_test(test_two_leaders_by_coins),
        cmocka_unit_test(test_symmetry_changes_no_probability),
        cmocka_unit_test(test_runs_end_by_chance),
        cmocka_unit_test(test_without_coins_it_is_a_matter_of_choice),
        cmocka_unit_test(test_limits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
