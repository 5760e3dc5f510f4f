/*
 * test_check_reduce.c - trying fewer orders of events changes no verdict, and
 * finds every end; it only finds them in fewer states.
 */
#include "tests/unit/kit/checking.h"

#include "problems/election.h"
#include "problems/mutex.h"

static const struct fc_bounds none = {1, 1, 0, 0};

/* ---- With and without, everything comes out the same --------------------- */

struct pair {
    struct check_result full, reduced;
};

static struct pair run_both(struct search *s)
{
    struct pair p;

    s->check.reduce = false;
    p.full = search_run(s);
    s->check.reduce = true;
    p.reduced = search_run(s);
    return p;
}

/* What must not depend on the reduction. */
static void compare(const struct pair *p)
{
    assert_int_equal(p->reduced.verdict, p->full.verdict);
    if (p->full.verdict == CHECK_HOLDS) {
        assert_true(p->reduced.states <= p->full.states);
        assert_int_equal(p->reduced.terminal, p->full.terminal);
        assert_int_equal(p->reduced.reached, p->full.reached);
        assert_int_equal(p->reduced.cycles_known, p->full.cycles_known);
        assert_int_equal(p->reduced.acyclic, p->full.acyclic);
    } else if (!p->reduced.longer) {
        assert_int_equal(p->reduced.moves_count, p->full.moves_count);
        assert_int_equal(p->reduced.broken, p->full.broken);
    }
}

struct way {
    const char *name;
    enum net_time time;
    struct fc_bounds bounds;
    uint32_t nodes, entries, crashes, losses, copies, late;
    enum check_return back;
    bool drift, any_order, any_wake;
};

static const struct way ways[] = {
    {"async", NET_ASYNC, {1, 1, 0, 0}, .nodes = 3},
    {"async, whoever likes",
     NET_ASYNC,
     {1, 1, 0, 0},
     .nodes = 3,
     .any_wake = true},
    {"async, again", NET_ASYNC, {1, 1, 0, 0}, .nodes = 2, .entries = 2},
    {"any order", NET_ASYNC, {1, 1, 0, 0}, .nodes = 3, .any_order = true},
    {"crash",
     NET_ASYNC,
     {1, 1, 0, 0},
     .nodes = 2,
     .crashes = 1,
     .any_wake = true},
    {"crash and return",
     NET_ASYNC,
     {1, 1, 0, 0},
     .nodes = 2,
     .crashes = 1,
     .back = CHECK_RETURN_BLANK},
    {"loss", NET_ASYNC, {1, 1, 0, 0}, .nodes = 2, .losses = 1},
    {"copy", NET_ASYNC, {1, 1, 0, 0}, .nodes = 2, .copies = 1},
    {"three, crash", NET_ASYNC, {1, 1, 0, 0}, .nodes = 3, .crashes = 1},
    {"three, crash and return",
     NET_ASYNC,
     {1, 1, 0, 0},
     .nodes = 3,
     .crashes = 1,
     .back = CHECK_RETURN_SAME},
    {"three, loss", NET_ASYNC, {1, 1, 0, 0}, .nodes = 3, .losses = 1},
    {"three, losses",
     NET_ASYNC,
     {1, 1, 0, 0},
     .nodes = 3,
     .losses = 2,
     .any_wake = true},
    {"three, sync, loss", NET_SYNC, {1, 1, 0, 0}, .nodes = 3, .losses = 1},
    {"sync", NET_SYNC, {1, 1, 0, 0}, .nodes = 3},
    {"bounds", NET_ARCHIMEDEAN, {1, 2, 0, 1}, .nodes = 2, .any_wake = true},
    {"drift", NET_ARCHIMEDEAN, {1, 2, 0, 2}, .nodes = 2, .drift = true},
    {"bounds, any order",
     NET_ARCHIMEDEAN,
     {1, 1, 0, 2},
     .nodes = 3,
     .any_order = true},
    {"bounds, crash",
     NET_ARCHIMEDEAN,
     {1, 1, 0, 1},
     .nodes = 2,
     .crashes = 1,
     .back = CHECK_RETURN_SAME},
    {"bounds, late", NET_ARCHIMEDEAN, {1, 1, 0, 1}, .nodes = 2, .late = 1},
};

static void set_way(struct search *s, const struct way *w)
{
    s->sim.net.clock = w->drift ? NET_CLOCK_DRIFT : NET_CLOCK_FIXED;
    s->sim.net.any_order = w->any_order;
    s->check.waking = w->any_wake ? CHECK_WAKE_ANY : CHECK_WAKE_LISTED;
    s->check.entries = w->entries ? w->entries : 1;
    s->check.crashes = w->crashes;
    s->check.losses = w->losses;
    s->check.copies = w->copies;
    s->check.late_ticks = w->late;
    s->check.back = w->back;
    s->check.states_max = is_sanitized() ? 2000 : 20000;
}

/* Some protocols take few nodes only, or must know bounds: those are asked for
 * something else. */
static bool fits(struct search *s)
{
    const struct fc_protocol *p = s->sim.net.protocol;

    sim_describe(&s->sim);
    return !p->prepare || !p->prepare(s->params, &s->sim.net.world);
}

TEST(test_no_verdict_changes)
{
    uint32_t compared = 0, fewer = 0;

    for (uint32_t t = 0; net_types[t]; t++)
        for (size_t w = 0; w < COUNT(ways); w++) {
            const char *name = net_types[t]->protocol->name;
            struct search s;
            struct pair p;

            search_open(&s, name, ways[w].nodes, ways[w].time, ways[w].bounds,
                        strcmp(name, "spirakis-tampakas") == 0 ? "k=1" : "");
            set_way(&s, &ways[w]);
            s.check.net = s.sim.net;
            if (!check_irreducible(&s.check) && fits(&s)) {
                p.full = search_run(&s);
                if (p.full.verdict != CHECK_INCOMPLETE) {
                    s.check.reduce = true;
                    /* A violation may come later, in states. */
                    s.check.states_max *= 4;
                    p.reduced = search_run(&s);
                    print_message("%s, %s\n", name, ways[w].name);
                    compare(&p);
                    compared++;
                    fewer += p.reduced.states < p.full.states;
                    check_free(&p.reduced);
                }
                check_free(&p.full);
            }
            search_close(&s);
        }
    print_message("%u compared, %u with fewer states\n", compared, fewer);
    assert_true(compared > (is_sanitized() ? 100 : 200));
    assert_true(fewer > (is_sanitized() ? 50 : 100));
}

/* What may be seen is tried in every order: one leaves and one enters at the
 * same tick, and only if the second comes first both are inside. */
TEST(test_what_is_seen_is_not_put_in_order)
{
    /* Where cycles are looked for, more is seen; that must not be why. */
    for (uint32_t cycles = 0; cycles < 2; cycles++) {
        struct check_result r;
        struct search s;

        search_open(&s, "lamport", 2, NET_SYNC, none, "");
        s.check.losses = 1;
        s.check.properties = MUTEX_EXCLUSION;
        s.check.cycles = cycles;
        s.check.reduce = true;
        r = search_run(&s);
        assert_int_equal(r.verdict, CHECK_VIOLATED);
        assert_int_equal(r.broken, MUTEX_EXCLUSION);
        check_free(&r);
        search_close(&s);
    }
}

/* A node that is down may be back, and send on links that are empty now. */
TEST(test_who_is_down_is_not_gone)
{
    struct search s;
    struct pair p;

    search_open(&s, "chang-roberts", 3, NET_ASYNC, none, "");
    s.sim.net.any_order = true;
    s.check.crashes = s.check.losses = 1;
    s.check.back = CHECK_RETURN_BLANK;
    s.check.properties = ELECTION_ONE_LEADER | ELECTION_AGREEMENT;
    s.check.cycles = false;
    p = run_both(&s);
    assert_int_equal(p.full.verdict, CHECK_HOLDS);
    assert_int_equal(p.full.terminal, 132);
    compare(&p);
    search_close(&s);
}

/* A message that circles for ever is not put before all else for ever. */
TEST(test_nobody_is_put_off_for_ever)
{
    static const char *const rings[][2] = {
        {"chang-roberts-max", "coordinator=forwards"},
        {"itai-rodeh", "rounds=no"},
    };

    for (size_t i = 0; i < COUNT(rings); i++) {
        struct search s;
        struct pair p;

        search_open(&s, rings[i][0], 3, NET_ASYNC, none, rings[i][1]);
        s.check.waking = CHECK_WAKE_ANY;
        s.check.cycles = false;
        p = run_both(&s);
        assert_int_equal(p.full.verdict, CHECK_HOLDS);
        compare(&p);
        search_close(&s);
    }
}

/* Turned rings are one state, and of these not all successors are tried. */
TEST(test_symmetry_and_reduction_go_together)
{
    struct search s;
    struct pair p;

    search_open(&s, "itai-rodeh", 4, NET_ASYNC, none, "rounds=no");
    s.check.symmetry = true;
    p = run_both(&s);
    compare(&p);
    assert_true(p.reduced.coins && !p.reduced.acyclic);
    assert_int_equal(p.full.states, 5478);
    /* How many exactly depends on which rotation stands for all. */
    assert_true(p.reduced.states < p.full.states);
    search_close(&s);
}

/* ---- Numbers of states --------------------------------------------------- */

TEST(test_reduced_searches_have_so_many_states)
{
    static const struct {
        const char *protocol, *settings;
        uint32_t n, entries;
        enum net_time time;
        uint64_t full, reduced, partly, terminal;
    } pinned[] = {
        {"chang-roberts", "", 8, 0, NET_ASYNC, 9940, 53, 35, 1},
        {"lelann", "", 5, 0, NET_ASYNC, 645, 36, 24, 1},
        {"tree", "", 5, 0, NET_ASYNC, 1569, 109, 47, 4},
        {"hirschberg-sinclair", "", 4, 0, NET_ASYNC, 5490, 2303, 1400, 4},
        {"maekawa", "", 3, 1, NET_ASYNC, 457, 441, 34, 17},
        {"lamport", "", 2, 2, NET_ASYNC, 1025, 801, 154, 90},
        {"ricart-agrawala", "", 3, 1, NET_SYNC, 2394, 1648, 417, 32},
        {"bully", "", 4, 0, NET_SYNC, 216, 38, 18, 1},
    };

    for (size_t i = 0; i < COUNT(pinned); i++) {
        struct search s;
        struct pair p;

        search_open(&s, pinned[i].protocol, pinned[i].n, pinned[i].time, none,
                    pinned[i].settings);
        s.check.entries = pinned[i].entries;
        p = run_both(&s);
        print_message("%s %u\n", pinned[i].protocol, pinned[i].n);
        compare(&p);
        assert_int_equal(p.reduced.verdict, CHECK_HOLDS);
        assert_int_equal(p.full.states, pinned[i].full);
        assert_int_equal(p.reduced.states, pinned[i].reduced);
        assert_int_equal(p.reduced.partly, pinned[i].partly);
        assert_int_equal(p.reduced.terminal, pinned[i].terminal);
        search_close(&s);
    }
}

/* What is left out depends on how faults count: a return is seen, and neither a
 * crash nor a loss nor a delay leads further down. */
TEST(test_reduced_searches_with_faults_have_so_many_states)
{
    static const struct {
        enum net_time time;
        uint32_t crashes, losses, late;
        enum check_return back;
        uint64_t full, reduced;
    } pinned[] = {
        {NET_ASYNC, 2, 0, 0, CHECK_RETURN_SAME, 385, 377},
        {NET_SYNC, 1, 0, 0, CHECK_RETURN_NEVER, 185, 182},
        {NET_SYNC, 1, 1, 0, CHECK_RETURN_NEVER, 314, 310},
        {NET_SYNC, 0, 0, 2, CHECK_RETURN_NEVER, 224, 220},
    };

    for (size_t i = 0; i < COUNT(pinned); i++) {
        struct search s;
        struct pair p;

        search_open(&s, "carvalho-roucairol", 2, pinned[i].time, none, "");
        s.check.crashes = pinned[i].crashes;
        s.check.losses = pinned[i].losses;
        s.check.late_ticks = pinned[i].late;
        s.check.back = pinned[i].back;
        s.check.properties = MUTEX_EXCLUSION | MUTEX_TOKEN_GROWS;
        s.check.cycles = false;
        p = run_both(&s);
        compare(&p);
        assert_int_equal(p.reduced.verdict, CHECK_HOLDS);
        assert_int_equal(p.full.states, pinned[i].full);
        assert_int_equal(p.reduced.states, pinned[i].reduced);
        search_close(&s);
    }
}

/* ---- What is broken is found, and by the shortest way -------------------- */

struct defect {
    const char *protocol, *settings;
    uint64_t n;
    struct fc_bounds bounds;
    enum net_time time;
    uint32_t broken, moves;
    bool any_order, any_wake;
    uint8_t unused[2];
};

static void check_defect(const struct defect *d)
{
    struct check_result r;
    struct search s;

    search_open(&s, d->protocol, (uint32_t)d->n, d->time, d->bounds,
                d->settings);
    s.sim.net.any_order = d->any_order;
    s.check.waking = d->any_wake ? CHECK_WAKE_ANY : CHECK_WAKE_LISTED;
    s.check.reduce = true;
    r = search_run(&s);
    print_message("%s %s\n", d->protocol, d->settings);
    assert_int_equal(r.verdict, CHECK_VIOLATED);
    assert_int_equal(r.broken, d->broken);
    assert_int_equal(r.moves_count, d->moves);
    assert_false(r.longer);
    check_free(&r);
    search_close(&s);
}

TEST(test_defects_are_found)
{
    static const struct defect defects[] = {
        {"chang-roberts", "drop=smaller", 3, .time = NET_ASYNC,
         .broken = ELECTION_RIGHT_LEADER, .moves = 11},
        {"chang-roberts", "relays=own", 2, .time = NET_ASYNC, .any_wake = true,
         .broken = ELECTION_ELECTED | ELECTION_EVERYONE_TOLD, .moves = 2},
        {"lelann", "", 3, .time = NET_ASYNC, .any_order = true,
         .broken = ELECTION_ONE_LEADER | ELECTION_AGREEMENT, .moves = 9},
        {"vitanyi", "", 2, .time = NET_ARCHIMEDEAN, .bounds = {1, 2, 0, 1},
         .any_wake = true, .broken = ELECTION_ONE_LEADER | ELECTION_AGREEMENT,
         .moves = 23},
        {"maekawa", "rules=printed", 4, .time = NET_ASYNC,
         .broken = MUTEX_EVERYONE_ENTERS, .moves = 14},
        {"archimedean", "mindelay=1 delaystep=0 predict=0 window=3", 3,
         .time = NET_ARCHIMEDEAN, .bounds = {1, 1, 0, 1},
         .broken = MUTEX_EXCLUSION, .moves = 26},
    };

    for (size_t i = 0; i < COUNT(defects); i++)
        check_defect(&defects[i]);
}

/* An announcement that circles for ever is found, though each of its hops may
 * be put before all else. */
TEST(test_runs_without_end_are_found)
{
    struct check_result r;
    struct search s;

    search_open(&s, "chang-roberts-max", 3, NET_ASYNC, none,
                "coordinator=forwards");
    s.check.reduce = true;
    r = search_run(&s);
    assert_int_equal(r.verdict, CHECK_VIOLATED);
    assert_int_equal(r.broken, ELECTION_ENDS);
    assert_true(r.endless && r.longer);
    check_free(&r);
    search_close(&s);
}

/* Where everything is seen, nothing is left out, and it is said. */
TEST(test_what_cannot_be_reduced_is_refused)
{
    struct check_result r;
    struct search s;

    search_open(&s, "token-ring", 3, NET_SYNC, none, "");
    s.check.reduce = true;
    s.check.net = s.sim.net;
    assert_non_null(check_irreducible(&s.check));
    r = search_run(&s);
    assert_int_equal(r.verdict, CHECK_INCOMPLETE);
    assert_int_equal(r.limit, CHECK_REFUSED);
    search_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_verdict_changes),
        cmocka_unit_test(test_what_is_seen_is_not_put_in_order),
        cmocka_unit_test(test_who_is_down_is_not_gone),
        cmocka_unit_test(test_nobody_is_put_off_for_ever),
        cmocka_unit_test(test_symmetry_and_reduction_go_together),
        cmocka_unit_test(test_reduced_searches_have_so_many_states),
        cmocka_unit_test(test_reduced_searches_with_faults_have_so_many_states),
        cmocka_unit_test(test_defects_are_found),
        cmocka_unit_test(test_runs_without_end_are_found),
        cmocka_unit_test(test_what_cannot_be_reduced_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
