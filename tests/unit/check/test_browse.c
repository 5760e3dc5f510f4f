/*
 * test_browse.c - the graph of states by hand agrees with the search.
 */
#include "tests/unit/kit/browses.h"
#include "tests/unit/kit/facts.h"

/* Of a search that is tried; with sanitizers fewer. */
enum { HOLDS_MAX = 40000, VIOLATED_MAX = 100000, SANITIZED_MAX = 6000 };

/* A search that is small enough; false: it is not. */
static bool search(const struct row *r, struct check_result *found)
{
    struct check_setup small = r->check;

    small.states_max = is_sanitized() ? SANITIZED_MAX
                       : r->holds     ? HOLDS_MAX
                                      : VIOLATED_MAX;
    check_run(&small, found);
    return found->verdict != CHECK_INCOMPLETE;
}

/* The nearest violation of all initial states, after looking at all. */
static struct check_distance nearest(struct check_browse *b, uint32_t *first)
{
    struct check_distance least = {CHECK_SAFE, UINT32_MAX}, d;

    for (uint32_t i = 0; i < check_browse_initial(b); i++) {
        d = distance(b, i);
        if (d.outlook == CHECK_EXACTLY && d.moves < least.moves) {
            least = d;
            *first = i;
        }
    }
    return least;
}

enum { MOVES_MAX = 400 };

/* The first move that leads one nearer to a violation, or stays on a run
 * without end; or the last. */
static uint32_t nearer(struct check_browse *b, uint32_t state, bool last)
{
    struct check_distance here = distance(b, state);
    uint32_t count, left = here.moves ? here.moves - 1 : 0;
    uint32_t found = UINT32_MAX;
    const struct check_enabled *e = check_browse_moves(b, state, &count);

    for (uint32_t i = 0; i < count && (last || found == UINT32_MAX); i++) {
        struct check_distance there = {here.outlook, left};

        if (!e[i].broken)
            there = distance(b, e[i].to);
        if (there.outlook == here.outlook && there.moves == left)
            found = i;
    }
    assert_true(found < count);
    return found;
}

/* Follows the first hint, or the last, until something is broken. */
static void check_hints(const struct row *r, struct check_browse *b,
                        uint32_t first, uint32_t length, bool last)
{
    uint32_t moves[MOVES_MAX], state = first, broken = 0, count;
    struct check_run_by_hand run = {first, moves, 0};
    struct check_state_now now;

    while (distance(b, state).moves > 0 && !broken) {
        uint32_t hint = nearer(b, state, last);
        const struct check_enabled *enabled =
            check_browse_moves(b, state, &count);

        assert_true(run.moves_count < MOVES_MAX);
        moves[run.moves_count++] = hint;
        broken = enabled[hint].broken;
        state = enabled[hint].to;
    }
    assert_int_equal(run.moves_count, length);
    assert_true(check_browse_look(b, state, &now));
    assert_true(broken || now.broken || (now.quiet && now.broken_at_end));
    check_trace_of(r, b, &run,
                   broken & ~UINT32_C(0) >> (32 - FC_PREDICATE_BIT));
}

/* ---- Rows ---------------------------------------------------------------- */

static void check_violated(const struct row *r,
                           const struct check_result *found)
{
    struct check_browse *b = open_row(r);
    struct check_known known;
    struct check_distance d;
    uint32_t first = 0, moves;

    do
        check_browse_explore(b, 4000, &known);
    while (nearest(b, &first).outlook != CHECK_EXACTLY && !known.all);
    d = nearest(b, &first);
    if (d.moves != found->moves_count)
        fail_msg("%s: %u, not %u", r->text, d.moves, found->moves_count);
    check_browse_way(b, first, &moves);
    assert_int_equal(moves, d.moves);
    check_hints(r, b, first, d.moves, false);
    check_hints(r, b, first, d.moves, true);
    check_browse_close(b);
}

static void check_holds(const struct row *r, const struct check_result *found)
{
    struct check_browse *b = open_row(r);
    struct check_known known;

    check_browse_explore(b, UINT32_MAX, &known);
    assert_true(known.all);
    if (known.states != found->states)
        fail_msg("%s: %u, not %u", r->text, (unsigned)known.states,
                 (unsigned)found->states);
    assert_int_equal(known.levels, found->depth + 1);
    for (uint32_t i = 0; i < check_browse_initial(b); i++)
        assert_int_equal(distance(b, i).outlook, CHECK_SAFE);
    check_browse_close(b);
}

/* A run without end is no farther than the one that the search shows, and can
 * be gone on with. */
static void check_endless(const struct row *r, const struct check_result *found)
{
    struct check_browse *b = open_row(r);
    struct check_known known;
    uint32_t state = 0, count;

    check_browse_explore(b, UINT32_MAX, &known);
    assert_true(known.all);
    for (uint32_t i = 0; i < check_browse_initial(b); i++) {
        struct check_distance d = distance(b, i), best = distance(b, state);

        if (d.outlook == CHECK_ENDLESS &&
            (best.outlook != CHECK_ENDLESS || d.moves < best.moves))
            state = i;
    }
    if (distance(b, state).outlook != CHECK_ENDLESS ||
        distance(b, state).moves > found->loop_at)
        fail_msg("%s: %u, not %u", r->text, distance(b, state).moves,
                 found->loop_at);
    assert_non_null(check_browse_way(b, state, &count));
    assert_int_equal(count, distance(b, state).moves);
    for (uint32_t left = count, i = 0; i < count + 100; i++) {
        uint32_t hint = nearer(b, state, false);

        state = check_browse_moves(b, state, &count)[hint].to;
        left = left > 0 ? left - 1 : 0;
        assert_int_equal(distance(b, state).outlook, CHECK_ENDLESS);
        assert_int_equal(distance(b, state).moves, left);
    }
    check_browse_close(b);
}

/* A search that facts.txt tells of, with its numbers before the options.
 * Traces cannot tell nodes of equal names apart. */
static void compare_fact(const char *protocol, const char *kind,
                         const char *text)
{
    struct check_result found;
    const char *options = strstr(text, " -");
    char line[512];
    struct row r;

    assert_non_null(options);
    if (strstr(options, "--names equal:"))
        return;
    snprintf(line, sizeof line, "%s %s%s", kind, protocol, options);
    assert_true(row_open(&r, line));
    r.check.reduce = false; /* by hand all orders are shown */
    bool ok = search(&r, &found);
    if (ok && found.verdict == CHECK_HOLDS)
        check_holds(&r, &found);
    else if (ok && !found.endless)
        check_violated(&r, &found);
    else if (ok)
        check_endless(&r, &found);
    check_free(&found);
    row_close(&r);
}

LONG_TEST(test_distances_are_those_of_the_search)
{
    facts_each("holds", compare_fact);
    facts_each("violated", compare_fact);
}

/* ---- What is known, and when --------------------------------------------- */

static const char *const small[] = {
    "violated chang-roberts -n 3 --set drop=smaller",
    "violated lelann -n 3 --links any",
    "violated spirakis-tampakas -n 2 --bounds 1:1:0:1 --set rules=printed "
    "--set k=1 --set coins=k-1 --only one-leader",
    "violated archimedean -n 2 --bounds 1:1:0:1 --entries 2 --set noted=no "
    "--set mindelay=1 --set delaystep=0 --set predict=0",
    "violated bully -n 3 --bounds 1:1:0:1 --crashes 1 --restarts same --notice",
    "violated rw-optimistic -n 2 --bounds 1:2:0:0 --crashes 1 --victims 1 "
    "--set words=1 --set writes=asked",
    "holds archimedean -n 2 --bounds 1:1:0:1 --set window=2 --set mindelay=1 "
    "--set delaystep=0 --set predict=0",
};

static void explore_all(struct check_browse *b)
{
    struct check_known known;

    check_browse_explore(b, UINT32_MAX, &known);
    assert_true(known.all);
}

/* What is said of a part of the graph is true of the whole. */
static void check_said(struct check_distance said, struct check_distance is)
{
    bool never = is.outlook == CHECK_SAFE;

    assert_true(never || is.outlook == CHECK_EXACTLY);
    switch (said.outlook) {
    case CHECK_SAFE:
        assert_true(never);
        break;
    case CHECK_NOT_WITHIN:
        assert_true(never || is.moves > said.moves);
        break;
    case CHECK_AT_MOST:
        assert_true(!never && is.moves <= said.moves);
        break;
    case CHECK_EXACTLY:
        assert_true(!never && is.moves == said.moves);
        break;
    case CHECK_ENDLESS:
        fail();
    }
}

/* Walks ahead of the search see the same moves in the same order, and what is
 * said of the way is true, the sooner the search gets there the more. */
TEST(test_a_walk_ahead_agrees_with_the_whole_graph)
{
    for (size_t i = 0; i < COUNT(small); i++) {
        struct check_browse *all, *some;
        struct check_known known;
        struct row r;

        assert_true(row_open(&r, small[i]));
        all = open_row(&r);
        explore_all(all);
        for (uint64_t seed = 1; seed <= rounds(10); seed++) {
            uint32_t moves[60], ahead[60], behind[60];
            struct check_run_by_hand run;

            some = open_row(&r);
            walk(some, seed, &run, moves, COUNT(moves));
            do {
                uint32_t end;

                assert_true(check_browse_follow(some, &run, &end, ahead));
                assert_true(check_browse_follow(all, &run, &end, behind));
                explore_all(all); /* a walk may have gone beyond a violation */
                for (uint32_t m = 0; m < run.moves_count; m++)
                    if (distance(all, behind[m]).outlook == CHECK_SAFE ||
                        distance(all, behind[m]).outlook == CHECK_EXACTLY)
                        check_said(distance(some, ahead[m]),
                                   distance(all, behind[m]));
                check_browse_explore(some, 300, &known);
            } while (!known.all && known.looked_at < 3000);
            check_browse_close(some);
        }
        check_browse_close(all);
        row_close(&r);
    }
}

/* A run with detours to a violation that is `nearest` otherwise. */
static void stray_to_violation(struct check_browse *all, uint64_t seed,
                               struct check_run_by_hand *run, uint32_t *moves)
{
    uint64_t random = seed * 2654435761u + 88172645463325252u;
    uint32_t detours = (uint32_t)(seed % 12), at, count, first = 0;
    const uint32_t *way;

    (void)nearest(all, &first);
    *run = (struct check_run_by_hand){.first = first, .moves = moves};
    for (at = first; run->moves_count < detours; run->moves_count++) {
        const struct check_enabled *enabled =
            check_browse_moves(all, at, &count);
        uint32_t m = (uint32_t)(dice(&random) % (count + 1));

        if (m == count || enabled[m].broken ||
            distance(all, enabled[m].to).outlook != CHECK_EXACTLY)
            break;
        moves[run->moves_count] = m;
        at = check_browse_moves(all, at, &count)[m].to;
    }
    way = check_browse_way(all, at, &count);
    memcpy(moves + run->moves_count, way, count * sizeof *moves);
    run->moves_count += count;
}

/* A violation that was found by hand need not be the nearest, and that is
 * said until all that is as near is known. */
TEST(test_a_way_that_was_found_may_be_longer)
{
    uint32_t at_most = 0;

    for (size_t i = 0; i < COUNT(small) - 2; i++) {
        struct check_browse *all, *some;
        struct row r;

        assert_true(row_open(&r, small[i]));
        all = open_row(&r);
        explore_all(all);
        for (uint64_t seed = 1; seed <= rounds(40); seed++) {
            uint32_t moves[100], ahead[100], behind[100], end;
            struct check_run_by_hand run;

            stray_to_violation(all, seed, &run, moves);
            some = open_row(&r);
            assert_true(check_browse_follow(all, &run, &end, behind));
            assert_true(check_browse_follow(some, &run, &end, ahead));
            check_said(distance(some, run.first), distance(all, run.first));
            at_most += distance(some, run.first).outlook == CHECK_AT_MOST;
            for (uint32_t m = 0; m + 1 < run.moves_count; m++)
                check_said(distance(some, ahead[m]), distance(all, behind[m]));
            check_browse_close(some);
        }
        check_browse_close(all);
        row_close(&r);
    }
    assert_int_not_equal(at_most, 0);
}

/* One move brings a violation nearer by one at most, and hints are those that
 * do. */
TEST(test_a_move_leads_one_nearer_at_most)
{
    for (size_t i = 0; i < COUNT(small); i++) {
        struct check_browse *b;
        struct check_known known;
        struct row r;

        assert_true(row_open(&r, small[i]));
        b = open_row(&r);
        explore_all(b);
        check_browse_explore(b, 0, &known);
        for (uint32_t at = 0; at < known.states; at += 7) {
            struct check_distance here = distance(b, at);
            const struct check_enabled *enabled;
            uint32_t count, way;

            if (here.outlook != CHECK_EXACTLY && here.outlook != CHECK_SAFE)
                continue; /* beyond a violation */
            (void)check_browse_way(b, at, &way);
            assert_int_equal(way, here.outlook == CHECK_SAFE ? 0 : here.moves);
            enabled = check_browse_moves(b, at, &count);
            for (uint32_t m = 0; m < count; m++) {
                struct check_distance there = distance(b, enabled[m].to);

                if (enabled[m].broken) {
                    assert_true(here.moves <= 1 &&
                                here.outlook == CHECK_EXACTLY);
                    continue;
                }
                if (here.outlook == CHECK_SAFE)
                    assert_int_equal(there.outlook, CHECK_SAFE);
                else if (there.outlook == CHECK_EXACTLY)
                    assert_true(there.moves + 1 >= here.moves);
            }
        }
        check_browse_close(b);
        row_close(&r);
    }
}

/* Predicates over the whole network are judged in every state, as the search
 * does: distances count them, from the initial states on. */
TEST(test_predicates_count)
{
    static const char *const rows[] = {
        "violated ricart-agrawala -n 2 --loss 1",
        "violated raymond -n 3 --duplicate 1",
        "holds naimi-trehel -n 3",
        "violated lamport -n 2 --links any",
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct check_result found;
        struct row r;

        assert_true(row_open(&r, rows[i]));
        r.check.net.predicates =
            net_predicates(r.made.net.protocol, r.made.net.params);
        assert_int_not_equal(r.check.net.predicates, 0);
        assert_true(search(&r, &found));
        if (found.verdict == CHECK_HOLDS)
            check_holds(&r, &found);
        else
            check_violated(&r, &found);
        check_free(&found);
        row_close(&r);
    }
}

/* ---- Limits and refusals ------------------------------------------------- */

/* The search stops at its limits; by hand one goes on. */
TEST(test_limits_are_those_of_the_search)
{
    static const enum check_limit limits[] = {CHECK_STATES, CHECK_DEPTH,
                                              CHECK_MEMORY};

    for (size_t i = 0; i < COUNT(limits); i++) {
        struct check_run_by_hand run;
        struct check_browse *b;
        struct check_known known;
        uint32_t moves[40];
        struct row r;

        assert_true(row_open(&r, "holds ricart-agrawala -n 3"));
        r.check.states_max = limits[i] == CHECK_STATES ? 100 : 0;
        r.check.depth_max = limits[i] == CHECK_DEPTH ? 4 : 0;
        r.check.memory_max = limits[i] == CHECK_MEMORY ? 100000 : 0;
        b = open_row(&r);
        check_browse_explore(b, UINT32_MAX, &known);
        assert_int_equal(known.limit, limits[i]);
        assert_false(known.all);
        assert_int_equal(distance(b, 0).outlook, CHECK_NOT_WITHIN);
        if (limits[i] == CHECK_DEPTH)
            assert_int_equal(known.levels, 4);
        assert_int_equal(distance(b, 0).moves + 1, known.levels);
        for (uint64_t seed = 1; seed < 20; seed++)
            walk(b, seed, &run, moves, COUNT(moves));
        assert_true(run.moves_count > 10);
        check_browse_close(b);
        row_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distances_are_those_of_the_search),
        cmocka_unit_test(test_a_walk_ahead_agrees_with_the_whole_graph),
        cmocka_unit_test(test_a_way_that_was_found_may_be_longer),
        cmocka_unit_test(test_a_move_leads_one_nearer_at_most),
        cmocka_unit_test(test_predicates_count),
        cmocka_unit_test(test_limits_are_those_of_the_search),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
