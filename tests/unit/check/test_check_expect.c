/*
 * test_check_expect.c - expected amounts, at most and at least: of processes
 * that can be worked out by hand or by trying every scheduler, and of
 * protocols; and what is given.
 */
#include "tests/unit/kit/checking.h"
#include "tests/unit/kit/extremes.h"

#include <math.h>

#include "check/odds/expect.h"
#include "check/odds/given.h"
#include "check/odds/strategy.h"
#include "problems/election.h"
#include "tests/unit/kit/lockstep_coins.h"
#include "tests/unit/kit/processes.h"

static const struct fc_bounds none = {1, 1, 0, 0};

/* ---- Processes ----------------------------------------------------------- */

static void is_near(double found, double x, double off)
{
    assert_true(fabs(found - x) <= off);
}

static void weighs(struct drawn *d, uint32_t weight)
{
    d->weights[d->ways_count - 1] = weight;
}

static void sure_weighs(struct drawn *d, uint32_t to, uint32_t weight)
{
    sure(d, to);
    weighs(d, weight);
}

static void all_sums(struct drawn *d, enum check_asked runs, bool greatest,
                     struct check_expected *out)
{
    struct check_memory memory = {.limit = 0};
    struct check_aim aim = {.asked = runs, .greatest = greatest};

    close_process(d);
    assert_true(check_solve(&d->p, &memory, &aim, out, d->p.states));
    assert_int_equal(memory.used, 0);
}

static struct check_expected sum(struct drawn *d, enum check_asked runs,
                                 bool greatest)
{
    struct check_expected out[MOST];

    all_sums(d, runs, greatest, out);
    return out[0];
}

static void is(struct check_expected e, uint64_t over, uint64_t under)
{
    double x = (double)over / (double)under;

    assert_false(e.infinite);
    assert_int_equal(e.value.over, over);
    assert_int_equal(e.value.under, under);
    assert_true(e.value.least <= x && x <= e.value.most);
}

/* A coin is thrown until it falls well: twice, on average; each throw weighs
 * 1, or 3 with another coin that falls well one time in three. */
TEST(test_throwing_until_it_falls_well)
{
    struct drawn d = {.actions = 0};

    place(&d);
    coin(&d, 0, CHECK_GOOD_END);
    d.weights[0] = d.weights[1] = 1;
    action(&d);
    for (uint32_t i = 0; i < 3; i++) {
        way(&d, 3, i < 2 ? 0 : CHECK_GOOD_END);
        weighs(&d, 3);
    }
    is(sum(&d, CHECK_SUM_OF_ALL, true), 9, 1);
    is(sum(&d, CHECK_SUM_OF_ENDING, true), 9, 1);
    is(sum(&d, CHECK_SUM_OF_ENDING, false), 2, 1);
}

/* One can wait for ever without adding anything: of all runs that is nothing,
 * but it is no way to end with less. */
TEST(test_waiting_is_no_way_to_end)
{
    struct drawn d = {.actions = 0};

    place(&d); /* 0 and 1 lead to each other */
    sure(&d, 1);
    sure_weighs(&d, CHECK_GOOD_END, 7);
    place(&d);
    sure(&d, 0);
    sure_weighs(&d, CHECK_GOOD_END, 5);
    is(sum(&d, CHECK_SUM_OF_ALL, true), 7, 1);
    is(sum(&d, CHECK_SUM_OF_ENDING, false), 5, 1);
    assert_true(sum(&d, CHECK_SUM_OF_ENDING, true).infinite);
}

/* What can be added again and again is infinite, though it may end; what adds
 * nothing any more is not. */
TEST(test_what_goes_on_adding_is_infinite)
{
    struct drawn d = {.actions = 0};

    place(&d);
    sure_weighs(&d, 1, 2);
    place(&d); /* a trap in which nothing is added */
    sure(&d, 1);
    is(sum(&d, CHECK_SUM_OF_ALL, true), 2, 1);
    assert_true(sum(&d, CHECK_SUM_OF_ENDING, true).infinite);
    assert_true(sum(&d, CHECK_SUM_OF_ENDING, false).infinite);
    coin(&d, 0, 1); /* back */
    assert_true(sum(&d, CHECK_SUM_OF_ALL, true).infinite);
    sure_weighs(&d, CHECK_GOOD_END, 1);
    assert_true(sum(&d, CHECK_SUM_OF_ALL, true).infinite);
    is(sum(&d, CHECK_SUM_OF_ENDING, false), 3, 1);
}

/* A fraction too long for 64 bits: there are bounds, and they are right. */
LONG_TEST(test_bounds_where_a_fraction_is_too_long)
{
    struct drawn d = {.actions = 0};
    double x = 0;
    enum { LONG = 45 };

    for (uint32_t i = 0; i < LONG; i++) {
        place(&d);
        action(&d);
        for (uint32_t k = 0; k < 3; k++) {
            way(&d, 3, k ? 0 : i + 1 < LONG ? i + 1 : CHECK_GOOD_END);
            weighs(&d, k == 0);
        }
    }
    x = (pow(3, LONG) - 1) / 2; /* throws; a third of them weigh 1 */
    for (uint32_t i = 0; i < 3; i++) {
        struct check_expected e =
            sum(&d, i ? CHECK_SUM_OF_ENDING : CHECK_SUM_OF_ALL, i != 2);

        assert_false(e.infinite);
        assert_true(e.value.least <= x && x <= e.value.most);
    }
}

/* One scheduler, which chooses alike in the same state. */
struct chosen {
    const struct drawn *d;
    const uint32_t *action;
    bool reach[FEW][FEW]; /* one state from another */
};

#define EACH_WAY(c, s, i)                                                      \
    for (uint32_t i = (c)->d->begin[(c)->action[s]];                           \
         (c)->d->first[s] < (c)->d->first[(s) + 1] &&                          \
         i < (c)->d->begin[(c)->action[s] + 1];                                \
         i++)

static void find_reach(struct chosen *c)
{
    uint32_t n = c->d->p.states;

    for (uint32_t s = 0; s < n; s++) {
        c->reach[s][s] = true;
        EACH_WAY(c, s, i)
        if (c->d->ways[i].to < n)
            c->reach[s][c->d->ways[i].to] = true;
    }
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t s = 0; s < n; s++)
            for (uint32_t r = 0; r < n; r++)
                c->reach[s][r] |= c->reach[s][k] && c->reach[k][r];
}

/* Whether one stays for ever where one can come to from r; and, if so, whether
 * something is added there. */
static bool stays(const struct chosen *c, uint32_t r, bool *adds)
{
    bool leaves = false;

    *adds = false;
    for (uint32_t q = 0; q < c->d->p.states; q++)
        if (c->reach[r][q]) {
            leaves |= !c->reach[q][r];
            EACH_WAY(c, q, i)
            {
                leaves |= c->d->ways[i].to >= c->d->p.states;
                *adds |= c->d->weights[i] > 0;
            }
        }
    return !leaves;
}

/* As solve.h has it. */
static bool is_infinite(const struct chosen *c, uint32_t s,
                        enum check_asked runs)
{
    for (uint32_t r = 0; r < c->d->p.states; r++) {
        bool adds;

        if (c->reach[s][r] && stays(c, r, &adds) &&
            (runs == CHECK_SUM_OF_ENDING || adds))
            return true;
    }
    return false;
}

static bool is_nothing(const struct chosen *c, uint32_t s)
{
    for (uint32_t r = 0; r < c->d->p.states; r++)
        EACH_WAY(c, r, i)
    if (c->reach[s][r] && c->d->weights[i] > 0)
        return false;
    return true;
}

/* What it adds up to, by an elimination. */
static void follow(const struct drawn *d, const uint32_t *action,
                   enum check_asked runs, double *x)
{
    struct chosen c = {.d = d, .action = action};
    double m[FEW][FEW + 1] = {{0}};
    uint32_t n = d->p.states;

    find_reach(&c);
    for (uint32_t s = 0; s < n; s++) {
        x[s] = is_infinite(&c, s, runs) ? HUGE_VAL : 0;
        m[s][s] = 1;
        if (isinf(x[s]) || is_nothing(&c, s))
            continue;
        EACH_WAY(&c, s, i)
        {
            m[s][n] += (double)d->weights[i] / d->ways[i].odds;
            if (d->ways[i].to < n)
                m[s][d->ways[i].to] -= 1.0 / d->ways[i].odds;
        }
    }
    for (uint32_t s = 0; s < n; s++)
        for (uint32_t r = 0; r < n; r++) {
            double factor = m[r][s] / m[s][s];

            for (uint32_t i = s; r != s && i <= n; i++)
                m[r][i] -= factor * m[s][i];
        }
    for (uint32_t s = 0; s < n; s++)
        if (!isinf(x[s]))
            x[s] = m[s][n] / m[s][s];
}

static void try_all(const struct drawn *d, enum check_asked runs, bool greatest,
                    double *extreme)
{
    uint32_t chosen[FEW], n = d->p.states, s;
    double x[FEW];

    for (s = 0; s < n; s++) {
        chosen[s] = d->first[s];
        extreme[s] = greatest ? 0 : HUGE_VAL;
    }
    do {
        follow(d, chosen, runs, x);
        for (s = 0; s < n; s++)
            if (greatest ? x[s] > extreme[s] : x[s] < extreme[s])
                extreme[s] = x[s];
        for (s = 0; s < n && ++chosen[s] >= d->first[s + 1]; s++)
            chosen[s] = d->first[s];
    } while (s < n);
}

/* Every scheduler of some thousand small processes.  Here all ends are good. */
TEST(test_all_schedulers_agree)
{
    static const struct {
        enum check_asked runs;
        bool greatest;
    } asked[] = {{CHECK_SUM_OF_ALL, true},
                 {CHECK_SUM_OF_ENDING, true},
                 {CHECK_SUM_OF_ENDING, false}};
    const uint32_t most = is_sanitized() ? 500 : 5000;
    uint64_t seed = 3;
    uint32_t finite = 0, infinite = 0;

    for (uint32_t round = 0; round < most; round++) {
        struct drawn d = {.actions = 0};
        struct check_expected out[MOST];
        double x[FEW] = {0};

        draw_process(&d, &seed);
        for (uint32_t i = 0; i < d.ways_count; i++) {
            d.weights[i] = draw(&seed, 2) ? draw(&seed, 4) : 0;
            if (d.ways[i].to == CHECK_BAD_END)
                d.ways[i].to = CHECK_GOOD_END;
        }
        for (uint32_t i = 0; i < COUNT(asked); i++) {
            try_all(&d, asked[i].runs, asked[i].greatest, x);
            all_sums(&d, asked[i].runs, asked[i].greatest, out);
            for (uint32_t s = 0; s < d.p.states; s++) {
                assert_int_equal(out[s].infinite, isinf(x[s]));
                infinite += out[s].infinite;
                if (out[s].infinite)
                    continue;
                finite++;
                assert_true(out[s].value.under != 0);
                assert_true(out[s].value.least <= x[s] + 1e-9 * (1 + x[s]));
                assert_true(out[s].value.most >= x[s] - 1e-9 * (1 + x[s]));
            }
        }
    }
    assert_true(finite > most / 2 && infinite > most / 2);
}

/* ---- What is given ------------------------------------------------------- */

static void give(struct search *s, uint32_t draw, uint32_t count)
{
    s->check.given_draw = draw;
    s->check.given_count = count;
}

static struct check_measure measure(const struct search *s, const char *name)
{
    struct check_measure m;

    assert_null(check_measure(&s->check, name, &m));
    return m;
}

static double worst_of(struct search *s)
{
    struct check_expect w;

    check_expect(&s->check, NULL, &w, NULL);
    assert_int_equal(w.limit, CHECK_NO_LIMIT);
    assert_true(w.most.value.under != 0);
    assert_true(
        check_compare(
            (struct check_fraction){w.most.value.over, w.most.value.under},
            (struct check_fraction){w.least.value.over, w.least.value.under}) ==
        0);
    return (double)w.most.value.over / (double)w.most.value.under;
}

static double expected_of(struct search *s, const char *name)
{
    struct check_measure m = measure(s, name);
    struct check_expect e;

    check_expect(&s->check, &m, &e, NULL);
    assert_int_equal(e.limit, CHECK_NO_LIMIT);
    assert_false(e.most.infinite || e.least.infinite);
    assert_true(e.most.value.over == e.least.value.over &&
                e.most.value.under == e.least.value.under);
    return (double)e.most.value.over / (double)e.most.value.under;
}

/* In lock step nothing is left to choose: all is as counting every way in which
 * coins can fall has it, given every number of first draws. */
TEST(test_lock_step_beside_all_coins)
{
    static const struct {
        uint32_t n;
        const char *settings;
    } tried[] = {
        {2, "k=2 phases=1"},       {2, "k=1 phases=2"},
        {3, "k=1 phases=1"},       {2, "k=2 phases=1 rules=printed"},
        {2, "rules=hop phases=2"},
    };

    for (size_t i = 0; i < COUNT(tried); i++)
        for (uint32_t draw = 0; draw <= 2; draw++)
            for (uint32_t count = 0; count <= (draw ? tried[i].n : 0);
                 count++) {
                const char *why;
                struct coins_sum all;
                struct search s;

                search_open(&s, "spirakis-tampakas", tried[i].n, NET_SYNC, none,
                            tried[i].settings);
                s.check.properties = ELECTION_ONE_LEADER;
                give(&s, draw, count);
                search_prepare(&s);
                all = coins_count(&s.check.net, draw, count);
                if (draw)
                    assert_int_equal(check_given(&s.check, &why),
                                     CHECK_NO_LIMIT);
                is_near(worst_of(&s), all.two_leaders, 1e-12);
                is_near(expected_of(&s, "messages"), all.messages, 1e-10);
                is_near(expected_of(&s, "end"), all.end, 1e-10);
                search_close(&s);
            }
}

/* That nobody draws what there is not is no condition: nothing changes. */
TEST(test_what_is_sure_changes_nothing)
{
    double expected[2];

    for (uint32_t given = 0; given < 2; given++) {
        struct search s;

        search_open(&s, "spirakis-tampakas", 3, NET_SYNC, none, "k=1 phases=1");
        if (given)
            give(&s, 5, 0); /* they draw 1 or 2 */
        search_prepare(&s);
        expected[given] = expected_of(&s, "messages");
        search_close(&s);
    }
    is_near(expected[1], expected[0], 1e-10);
}

/* A condition that is up to the scheduler, or to nobody, is refused. */
TEST(test_what_cannot_be_given_is_refused)
{
    static const struct {
        const char *protocol;
        uint32_t draw, count, crashes;
        const char *why;
    } tried[] = {
        {"spirakis-tampakas", 1, 1, 0, NULL},
        {"spirakis-tampakas", 3, 0, 0, NULL},
        {"spirakis-tampakas", 3, 1, 0, "never"},
        {"spirakis-tampakas", 1, 1, 1, "not every node draws"},
        {"chang-roberts", 1, 1, 0, "not every node draws"},
    };

    for (size_t i = 0; i < COUNT(tried); i++) {
        enum check_limit limit;
        struct search s;
        const char *why;

        search_open(&s, tried[i].protocol, 2, NET_SYNC, none,
                    i < 4 ? "k=1 phases=1" : "");
        give(&s, tried[i].draw, tried[i].count);
        s.check.crashes = tried[i].crashes;
        search_prepare(&s);
        limit = check_given(&s.check, &why);
        assert_int_equal(limit, tried[i].why ? CHECK_REFUSED : CHECK_NO_LIMIT);
        if (tried[i].why)
            assert_non_null(strstr(why, tried[i].why));
        search_close(&s);
    }
}

/* Amounts of --max and --min are those of the runs that are left, too. */
TEST(test_extremes_are_of_the_runs_that_are_left)
{
    uint64_t most[3], all = 0;

    for (uint32_t count = 0; count <= 3; count++) {
        struct check_extreme e;
        struct check_measure m;
        struct search s;

        search_open(&s, "spirakis-tampakas", 2, NET_SYNC, none, "k=1 phases=1");
        if (count < 3)
            give(&s, 1, count);
        search_prepare(&s);
        m = measure(&s, "messages.claim");
        check_extreme(&s.check, &m, true, &e);
        assert_int_equal(e.limit, CHECK_NO_LIMIT);
        if (count < 3)
            most[count] = e.value;
        all = e.value;
        check_free(&e.run);
        search_close(&s);
    }
    assert_int_equal(most[0], 0); /* nobody claims anything */
    assert_int_equal(most[1], 4); /* round, and round again: both forward */
    assert_true(most[2] > 0 && all == (most[2] > 4 ? most[2] : 4));
}

/* A limit leaves nothing half known. */
TEST(test_limits)
{
    struct check_measure m;
    struct search s;

    search_open(&s, "spirakis-tampakas", 2, NET_SYNC, none, "k=2");
    give(&s, 1, 2);
    search_prepare(&s);
    m = measure(&s, "messages");
    for (uint64_t kilobytes = 1; kilobytes < 400; kilobytes += 11) {
        struct check_scheduler attains[2] = {{.known = false}};
        struct check_expect e;
        const char *why;

        s.check.memory_max = kilobytes << 10;
        check_expect(&s.check, &m, &e, attains);
        assert_true(e.limit == CHECK_MEMORY || e.limit == CHECK_NO_LIMIT);
        if (e.limit == CHECK_NO_LIMIT)
            assert_true(e.most.value.under != 0 && attains[0].known);
        assert_true(check_given(&s.check, &why) != CHECK_REFUSED);
        check_scheduler_free(&attains[0]);
        check_scheduler_free(&attains[1]);
    }
    search_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_throwing_until_it_falls_well),
        cmocka_unit_test(test_waiting_is_no_way_to_end),
        cmocka_unit_test(test_what_goes_on_adding_is_infinite),
        cmocka_unit_test(test_bounds_where_a_fraction_is_too_long),
        cmocka_unit_test(test_all_schedulers_agree),
        cmocka_unit_test(test_lock_step_beside_all_coins),
        cmocka_unit_test(test_what_is_sure_changes_nothing),
        cmocka_unit_test(test_what_cannot_be_given_is_refused),
        cmocka_unit_test(test_extremes_are_of_the_runs_that_are_left),
        cmocka_unit_test(test_limits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
