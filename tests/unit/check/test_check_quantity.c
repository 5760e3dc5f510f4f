/*
 * test_check_quantity.c - the greatest and the least amounts over all runs: of
 * graphs that are drawn by hand, and of protocols where they are unbounded or
 * states are merged.  test_fact_runs.c compares them with every run.
 */
#include "tests/unit/kit/extremes.h"

static const struct fc_bounds none = {1, 1, 0, 0};

/* ---- Graphs, written down as they are ------------------------------------ */

enum { MOST = 64 };

struct drawn {
    struct check_weighted graph;
    uint32_t first[MOST], marks[MOST], to[MOST], cost[MOST], arcs_count;
};

/* A state; the arcs that follow are its own. */
static void place(struct drawn *d, uint32_t marks)
{
    d->marks[d->graph.states] = marks;
    d->first[d->graph.states++] = d->arcs_count;
    d->first[d->graph.states] = d->arcs_count;
}

static void arc(struct drawn *d, uint32_t to, uint32_t weight)
{
    d->to[d->arcs_count] = to;
    d->cost[d->arcs_count++] = weight << 8 | CHECK_ARC_EVENT;
    d->first[d->graph.states] = d->arcs_count;
    assert_true(d->arcs_count < MOST);
}

static struct check_amount amount_over(struct drawn *d, enum check_span span,
                                       bool greatest, struct check_track *track)
{
    struct check_memory memory = {.limit = 0};
    struct check_part part = {
        .graph = &d->graph, .span = span, .greatest = greatest};
    struct check_amount found;

    d->graph.initial = 1;
    d->graph.first = d->first;
    d->graph.marks = d->marks;
    d->graph.to = d->to;
    d->graph.cost = d->cost;
    assert_true(check_amount(&part, &memory, &found, track));
    assert_int_equal(memory.used, 0);
    return found;
}

static struct check_amount amount(struct drawn *d, bool greatest,
                                  struct check_track *track)
{
    return amount_over(d, CHECK_WHOLE, greatest, track);
}

/* A cycle that adds nothing is like a single state: what leaves it counts. */
TEST(test_a_cycle_without_weight_is_one_state)
{
    struct drawn d = {.arcs_count = 0};
    struct check_track track = {.first = 0};
    struct check_amount found;

    place(&d, 0); /* 0, 1 and 2 in a circle */
    arc(&d, 1, 0);
    place(&d, 0);
    arc(&d, 2, 0);
    arc(&d, 3, 2);
    place(&d, 0);
    arc(&d, 0, 0);
    arc(&d, 3, 5);
    place(&d, CHECK_RUN_ENDS);
    found = amount(&d, true, &track);
    assert_false(found.unbounded);
    assert_int_equal(found.value, 5);
    assert_int_equal(track.count, 3);
    free(track.arcs);
    track = (struct check_track){.first = 0};
    found = amount(&d, false, &track);
    assert_int_equal(found.value, 2);
    assert_int_equal(track.count, 2);
    free(track.arcs);
}

/* A cycle that adds something has no greatest amount, whether it can be left
 * or not; the least is another matter. */
TEST(test_a_cycle_with_weight_is_unbounded)
{
    struct drawn d = {.arcs_count = 0};
    struct check_track track = {.first = 0};
    struct check_amount found;

    place(&d, 0);
    arc(&d, 1, 7);
    arc(&d, 3, 9);
    place(&d, 0); /* 1 and 2 lead to each other */
    arc(&d, 2, 0);
    place(&d, 0);
    arc(&d, 1, 1);
    arc(&d, 3, 0);
    place(&d, CHECK_RUN_ENDS);
    found = amount(&d, true, &track);
    assert_true(found.unbounded);
    assert_int_equal(track.count, 4); /* 0, 1, 2, 1, 2 */
    assert_int_equal(track.loop_at, 2);
    free(track.arcs);
    assert_int_equal(amount(&d, false, NULL).value, 7);
}

/* Runs that cannot end have no least amount. */
TEST(test_what_never_ends_has_no_least)
{
    struct drawn d = {.arcs_count = 0};

    place(&d, 0);
    arc(&d, 0, 0);
    assert_true(amount(&d, false, NULL).none);
    assert_int_equal(amount(&d, true, NULL).value, 0);
}

/* Levels are not added: the greatest is that of one arc, also in a cycle.  The
 * least is that of the run whose highest level is lowest. */
TEST(test_levels_are_not_added_up)
{
    struct drawn d = {.arcs_count = 0};
    struct check_track track = {.first = 0};
    struct check_amount found;

    place(&d, 0);
    arc(&d, 1, 4); /* 4 and 1, or 3 and 3 */
    arc(&d, 2, 3);
    place(&d, 0);
    arc(&d, 3, 1);
    place(&d, 0);
    arc(&d, 2, 1);
    arc(&d, 3, 3);
    place(&d, CHECK_RUN_ENDS);
    found = amount_over(&d, CHECK_PEAK, true, &track);
    assert_false(found.unbounded);
    assert_int_equal(found.value, 4);
    assert_int_equal(track.count, 2); /* to its end */
    free(track.arcs);
    track = (struct check_track){.first = 0};
    found = amount_over(&d, CHECK_PEAK, false, &track);
    assert_int_equal(found.value, 3);
    assert_int_equal(track.count, 2);
    assert_int_equal(track.arcs[0], 1);
    free(track.arcs);
}

/* ---- How far each node is ------------------------------------------------ */

/* An arc by which a node begins a phase, or one that takes a tick. */
static void begins(struct drawn *d, uint32_t to, uint32_t node)
{
    arc(d, to, 0);
    d->cost[d->arcs_count - 1] |= CHECK_ARC_DONE | (node + 1);
}

static struct check_unfolded unfold(struct drawn *d, enum check_span span,
                                    uint32_t nodes, struct check_memory *memory)
{
    struct check_unfolded out;

    d->graph.initial = 1;
    d->graph.first = d->first;
    d->graph.marks = d->marks;
    d->graph.to = d->to;
    d->graph.cost = d->cost;
    (void)check_unfold(&d->graph, span, nodes, memory, &out);
    return out;
}

static struct check_amount unfolded_amount(const struct check_unfolded *u,
                                           enum check_span span, bool greatest)
{
    struct check_memory memory = {.limit = 0};
    struct check_part part = {.graph = &u->graph,
                              .span = span,
                              .other = CHECK_NODES_MAX,
                              .greatest = greatest};
    struct check_amount found;

    assert_true(check_amount(&part, &memory, &found, NULL));
    return found;
}

/* Two nodes begin 2 phases and 1, by ways that meet in the same state: the most
 * of one node is 2, not 3. */
TEST(test_the_node_that_is_furthest_counts)
{
    struct check_memory memory = {.limit = 0};
    struct check_unfolded u;
    struct drawn d = {.arcs_count = 0};

    place(&d, 0);
    begins(&d, 1, 0);
    begins(&d, 1, 1);
    place(&d, 0);
    begins(&d, 2, 0);
    place(&d, CHECK_RUN_ENDS);
    u = unfold(&d, CHECK_FURTHEST, 2, &memory);
    assert_int_equal(u.graph.states, 5); /* one, and the other two twice */
    assert_int_equal(unfolded_amount(&u, CHECK_WHOLE, true).value, 2);
    assert_int_equal(unfolded_amount(&u, CHECK_WHOLE, false).value, 1);
    check_unfolded_free(&u, &memory);
    assert_int_equal(memory.used, 0);
}

/* Node 0 begins its second phase before node 1 begins its first.  The first
 * begins at 0 and at 2, the second at 1 and at 5. */
TEST(test_each_phase_has_a_spread_of_its_own)
{
    struct check_memory memory = {.limit = 0};
    struct check_unfolded u;
    struct drawn d = {.arcs_count = 0};

    place(&d, 0);
    begins(&d, 1, 0);
    place(&d, 0);
    arc(&d, 2, 1);
    place(&d, 0);
    begins(&d, 3, 0);
    place(&d, 0);
    arc(&d, 4, 1);
    place(&d, 0);
    begins(&d, 5, 1);
    place(&d, 0);
    arc(&d, 6, 3);
    place(&d, 0);
    begins(&d, 7, 1);
    place(&d, CHECK_RUN_ENDS);
    u = unfold(&d, CHECK_APART, 2, &memory);
    assert_int_equal(unfolded_amount(&u, CHECK_WAIT, true).value, 4);
    assert_int_equal(unfolded_amount(&u, CHECK_WAIT, false).value, 2);
    check_unfolded_free(&u, &memory);
    assert_int_equal(memory.used, 0);
}

/* One node goes round for ever: that is not a graph without end; and if the
 * other one then begins after all, it is refused. */
TEST(test_a_node_far_behind_is_lost)
{
    struct check_memory memory = {.limit = 0};
    struct check_unfolded u;
    struct drawn d = {.arcs_count = 0};

    place(&d, 0);
    begins(&d, 0, 0);
    u = unfold(&d, CHECK_FURTHEST, 2, &memory);
    assert_null(u.refusal);
    assert_true(unfolded_amount(&u, CHECK_WHOLE, true).unbounded);
    check_unfolded_free(&u, &memory);
    begins(&d, 0, 1);
    u = unfold(&d, CHECK_FURTHEST, 2, &memory);
    assert_non_null(u.refusal);
    check_unfolded_free(&u, &memory);
    assert_int_equal(memory.used, 0);
}

/* ---- Protocols ----------------------------------------------------------- */

/* A token that is passed on for ever, coins that fall alike for ever, a node
 * that is woken again and again: the run that is shown comes back to where its
 * loop begins, and the least amount is bounded all the same. */
TEST(test_what_goes_on_for_ever_is_unbounded)
{
    static const struct {
        const char *protocol, *settings;
        bool any, least; /* some run ends */
    } runs[] = {
        {"token-mutex", "", false, false},
        {"itai-rodeh", "rounds=no", false, true},
        {"vitanyi", "", true, true},
        {"bully", "", false, true},
    };

    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        struct check_measure measure;
        struct check_extreme found;
        struct search s;

        search_open(&s, runs[i].protocol, 2, NET_ASYNC, none, runs[i].settings);
        s.check.waking = runs[i].any ? CHECK_WAKE_ANY : CHECK_WAKE_LISTED;
        search_prepare(&s);
        assert_null(check_measure(&s.check, "messages", &measure));
        check_extreme(&s.check, &measure, true, &found);
        assert_int_equal(found.limit, CHECK_NO_LIMIT);
        assert_true(found.unbounded);
        assert_true(found.run.endless);
        assert_true(found.run.loop_at < found.run.moves_count);
        check_free(&found.run);
        check_extreme(&s.check, &measure, false, &found);
        assert_int_equal(found.none, !runs[i].least);
        check_free(&found.run);
        search_close(&s);
    }
}

/* Merged states have the same amounts, and the run is one of the network as it
 * was set up. */
TEST(test_symmetry_changes_no_amount)
{
    static const char *const names[] = {"messages", "messages.request"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        uint64_t amount[2][2];

        for (uint32_t merged = 0; merged < 2; merged++) {
            struct search s;

            search_open(&s, "naimi-trehel", 4, NET_ASYNC, none, "");
            s.check.symmetry = merged;
            search_prepare(&s);
            amount[merged][0] = extreme(&s.check, names[i], false);
            amount[merged][1] = extreme(&s.check, names[i], true);
            search_close(&s);
        }
        assert_int_equal(amount[0][0], amount[1][0]);
        assert_int_equal(amount[0][1], amount[1][1]);
        assert_true(amount[0][0] < amount[0][1]);
    }
}

/* ---- Refusals and limits ------------------------------------------------- */

/* What is not there is refused with a sentence. */
TEST(test_what_does_not_fit_is_refused)
{
    struct check_measure measure;
    struct search s;

    search_open(&s, "chang-roberts", 3, NET_ASYNC, none, "");
    search_prepare(&s);
    assert_null(check_measure(&s.check, "messages", &measure));
    assert_null(check_measure(&s.check, "passes.2", &measure));
    assert_non_null(check_measure(&s.check, "passes.x", &measure));
    assert_non_null(check_measure(&s.check, "messages.x", &measure));
    assert_non_null(check_measure(&s.check, "messages.", &measure));
    assert_non_null(check_measure(&s.check, "overtaken", &measure));
    assert_non_null(check_measure(&s.check, "end", &measure));
    assert_non_null(check_measure(&s.check, "mess", &measure));
    search_close(&s);
}

/* A limit is not exceeded, and nothing is said. */
TEST(test_limits)
{
    struct check_measure measure;
    struct check_extreme found;
    struct search s;

    search_open(&s, "chang-roberts", 3, NET_ASYNC, none, "");
    s.check.states_max = 5;
    search_prepare(&s);
    assert_null(check_measure(&s.check, "messages", &measure));
    check_extreme(&s.check, &measure, true, &found);
    assert_int_equal(found.limit, CHECK_STATES);
    assert_null(found.run.moves);
    search_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_cycle_without_weight_is_one_state),
        cmocka_unit_test(test_a_cycle_with_weight_is_unbounded),
        cmocka_unit_test(test_what_never_ends_has_no_least),
        cmocka_unit_test(test_levels_are_not_added_up),
        cmocka_unit_test(test_the_node_that_is_furthest_counts),
        cmocka_unit_test(test_each_phase_has_a_spread_of_its_own),
        cmocka_unit_test(test_a_node_far_behind_is_lost),
        cmocka_unit_test(test_what_goes_on_for_ever_is_unbounded),
        cmocka_unit_test(test_symmetry_changes_no_amount),
        cmocka_unit_test(test_what_does_not_fit_is_refused),
        cmocka_unit_test(test_limits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
