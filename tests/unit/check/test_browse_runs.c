/*
 * test_browse_runs.c - what is in a state, and runs by hand as traces.
 */
#include "tests/unit/kit/browses.h"

#include "sim/sim.h"

/* Worlds with everything that moves can be. */
static const char *const worlds[] = {
    "holds chang-roberts -n 3 --links any --loss 1 --duplicate 1 --wake any",
    "holds ricart-agrawala -n 3 --entries 2 --loss 1 --duplicate 2 --crashes 1 "
    "--restarts blank --cuts 1",
    "holds itai-rodeh -n 3 --links any --set rounds=no --loss 1",
    "holds spirakis-tampakas -n 3 --bounds 1:2:0:2 --clock drift --links any "
    "--set k=2 --late 2 --duplicate 1",
    "holds vitanyi -n 3 --bounds 1:2:0:3 --loss 1 --duplicate 1 --late 2",
    "holds archimedean -n 2 --bounds 1:2:0:2 --entries 2 --crashes 1 "
    "--restarts same --pauses 1 --pause-max 3 --cuts 1 --cut-max 4 --late 2 "
    "--loss 1 --duplicate 1 --set mindelay=1 --set delaystep=0 --set predict=0",
    "holds bully -n 3 --bounds 1:2:0:2 --clock drift --crashes 2 --restarts "
    "same --notice --loss 1 --pauses 1 --pause-max 3",
    "holds rw-optimistic -n 2 --bounds 1:3:0:0 --clock drift --set words=2 "
    "--set writes=asked --entries 2",
    "holds view-lock -n 3 --time sync --until 30 --wake 1,2 --entries 2 "
    "--crashes 1 --restarts blank --pauses 1 --cuts 1 --loss 1 --duplicate 1 "
    "--set tau=3 --set lease=5 --set silence=4 --set delta=2",
};

/* No two moves of a state are called the same. */
static void check_labels(struct check_browse *b, uint32_t state)
{
    static char label[256][CHECK_LABEL_SIZE];
    uint32_t count;

    (void)check_browse_moves(b, state, &count);
    assert_true(count < COUNT(label));
    for (uint32_t i = 0; i < count; i++) {
        assert_int_not_equal(
            check_browse_label(b, state, i, label[i], sizeof label[i]), 0);
        for (uint32_t j = 0; j < i; j++)
            if (strcmp(label[i], label[j]) == 0)
                fail_msg("twice: %s", label[i]);
    }
}

/* However a walk goes, it can be written down, replayed and found again. */
TEST(test_every_walk_is_a_trace_and_back)
{
    for (size_t i = 0; i < COUNT(worlds); i++) {
        struct check_run_by_hand run;
        struct check_browse *b;
        uint32_t moves[120], end;
        struct row r;

        assert_true(row_open(&r, worlds[i]));
        b = open_row(&r);
        for (uint64_t seed = 1; seed <= rounds(30); seed++) {
            walk(b, seed, &run, moves, (uint32_t)(10 + 4 * (seed % 28)));
            check_trace_of(&r, b, &run, 0);
            assert_true(check_browse_follow(b, &run, &end, NULL));
            check_labels(b, end);
        }
        check_browse_close(b);
        row_close(&r);
    }
}

/* A run of the simulator, as a trace; to be freed. */
static char *simulate(const struct row *r, uint64_t seed)
{
    struct net_memory memory = {.segment_bytes = 0};
    struct sim_setup setup;
    struct sim_result result;
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    struct trace_listener *trace = trace_writer_new(file);
    struct sim_job job = {.seed = seed, .memory = &memory, .trace = trace};

    memset(&setup, 0, sizeof setup);
    sim_use(&setup, sim_find(r->made.net.protocol->name));
    setup.net = r->made.net;
    sim_describe(&setup);
    setup.work.entries = r->check.entries;
    assert_int_equal(sim_run(&setup, &job, &result), SIM_OK);
    trace_writer_free(trace);
    fclose(file);
    net_memory_free(&memory);
    return text;
}

/* Whatever the simulator draws is a run of the search within the same bounds:
 * from any of its events one can go on by hand. */
TEST(test_a_simulated_run_is_found)
{
    static const char *const rows[] = {
        "holds chang-roberts -n 5",
        "holds itai-rodeh -n 3 --links any",
        "holds vitanyi -n 4 --bounds 1:2:0:3",
        "holds vitanyi -n 4 --bounds 1:3:1:4 --clock drift",
        "holds spirakis-tampakas -n 3 --bounds 1:2:0:2",
        "holds ricart-agrawala -n 3 --bounds 1:1:1:2 --entries 2 --links any",
    };

    for (size_t i = 0; i < COUNT(rows); i++)
        for (uint64_t seed = 1; seed <= rounds(8); seed++) {
            struct net_why why = {0};
            char *text;
            struct check_run_by_hand run;
            struct check_browse *b;
            struct trace t;
            struct row r;

            assert_true(row_open(&r, rows[i]));
            text = simulate(&r, seed);
            assert_true(trace_parse(&t, "run", text, strlen(text), &why));
            b = open_row(&r);
            if (!check_browse_match(b, &t, &run))
                fail_msg("%s: %s\n%s", rows[i], check_browse_why(b), text);
            assert_true(run.moves_count >= t.events_count);
            check_browse_close(b);
            trace_free(&t);
            free(text);
            row_close(&r);
        }
}

/* ---- States, words, neighbours ------------------------------------------- */

/* The index of the move with this label. */
static uint32_t move_called(struct check_browse *b, uint32_t state,
                            const char *label)
{
    char said[CHECK_LABEL_SIZE];
    uint32_t count;

    (void)check_browse_moves(b, state, &count);
    for (uint32_t i = 0; i < count; i++)
        if (check_browse_label(b, state, i, said, sizeof said) &&
            strcmp(said, label) == 0)
            return i;
    fail_msg("nothing is called: %s", label);
    return 0;
}

static uint32_t go(struct check_browse *b, uint32_t state, const char *label)
{
    uint32_t index = move_called(b, state, label), count;

    return check_browse_moves(b, state, &count)[index].to;
}

TEST(test_a_state_is_shown_as_it_is)
{
    struct check_state_now now;
    struct check_browse *b;
    uint32_t at;
    struct row r;

    assert_true(row_open(&r, "holds ricart-agrawala -n 2 --loss 1 --crashes 1 "
                             "--restarts blank"));
    b = open_row(&r);
    assert_int_equal(check_browse_initial(b), 1);
    at = go(b, 0, "P1 is told: want");
    assert_true(check_browse_look(b, at, &now));
    assert_int_equal(now.nodes, 2);
    assert_int_equal(now.node[0].name, 1);
    assert_string_equal(now.node[0].shown.role, "waits");
    assert_string_equal(now.node[1].shown.role, "idle");
    assert_int_equal(now.node[0].left, 0);
    assert_int_equal(now.node[1].left, 1);
    assert_int_equal(now.mails, 1);
    assert_int_equal(now.mail[0].from, 0);
    assert_int_equal(now.mail[0].to, 1);
    assert_int_equal(now.mail[0].fields_count, 1);
    assert_int_equal(now.mail[0].field[0], 1);
    assert_false(now.quiet);
    (void)move_called(b, at, "P2 reads request(1) from P1");
    at = go(b, at, "the network loses request(1) from P1 to P2");
    assert_true(check_browse_look(b, at, &now));
    assert_int_equal(now.mails, 0);
    assert_int_equal(now.budget.losses, 0);
    assert_int_equal(now.budget.crashes, 1);
    assert_true(now.quiet);
    assert_int_not_equal(now.broken_at_end, 0);
    assert_int_equal(distance(b, at).outlook, CHECK_EXACTLY);
    assert_int_equal(distance(b, at).moves, 0);
    at = go(b, at, "P1 crashes");
    assert_true(check_browse_look(b, at, &now));
    assert_true(now.node[0].flags & CHECK_DOWN);
    (void)move_called(b, at, "P1 is back, its memory lost");
    assert_false(check_browse_look(b, UINT32_MAX, &now));
    assert_non_null(check_browse_why(b));
    check_browse_close(b);
    row_close(&r);
}

/* Addresses hold indices of moves: their order is part of the format. */
TEST(test_the_order_of_moves_stays)
{
    static const char *const labels[] = {
        "P1 crashes",
        "the network loses request(1) from P2 to P1",
        "the network copies request(1) from P2 to P1",
        "P1 reads request(1) from P2",
        "P2 crashes",
        "the network loses request(1) from P1 to P2",
        "the network copies request(1) from P1 to P2",
        "P2 reads request(1) from P1",
        "P1 is cut off",
        "P2 is cut off",
    };
    struct check_browse *b;
    uint32_t at, count;
    struct row r;

    assert_true(row_open(&r, "holds ricart-agrawala -n 2 --entries 1 --loss 1 "
                             "--duplicate 1 --crashes 1 --cuts 1"));
    b = open_row(&r);
    at = go(b, go(b, 0, "P1 is told: want"), "P2 is told: want");
    (void)check_browse_moves(b, at, &count);
    assert_int_equal(count, COUNT(labels));
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(move_called(b, at, labels[i]), i);
    check_browse_close(b);
    row_close(&r);
}

/* A coin's outcomes have chances and say what was chosen. */
TEST(test_outcomes_of_a_coin)
{
    const struct check_enabled *enabled;
    struct check_browse *b;
    uint32_t count;
    double sum = 0;
    struct row r;

    assert_true(row_open(&r, "holds itai-rodeh -n 3 --set rounds=no"));
    b = open_row(&r);
    enabled = check_browse_moves(b, 0, &count);
    assert_int_equal(count, 9);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(enabled[i].traits, CHECK_MOVE_COIN);
        assert_int_equal(enabled[i].move.node, 0);
        sum += enabled[i].chance;
    }
    assert_true(sum > 0.999 && sum < 1.001);
    assert_int_equal(move_called(b, 0, "P0 is told: wake, chooses 1 of 3"), 1);
    check_browse_close(b);
    row_close(&r);
}

/* An edge is its move and so many ticks; a state that only waits is on no
 * edge's end. */
TEST(test_near_by_ticks_are_folded)
{
    struct check_near near;
    struct check_browse *b;
    uint32_t folded = 0;
    struct row r;

    assert_true(row_open(&r, "holds archimedean -n 2 --bounds 1:1:0:1 --set "
                             "mindelay=1 --set delaystep=0 --set predict=0"));
    b = open_row(&r);
    assert_true(check_browse_near(b, 0, 6, 1000, &near));
    assert_true(near.states_count > 10);
    for (uint32_t e = 0; e < near.edges_count; e++) {
        const struct check_near_edge *edge = &near.edges[e];
        uint32_t at = near.states[edge->from].state, count;

        at = check_browse_moves(b, at, &count)[edge->index].to;
        for (uint32_t i = 0; i < edge->ticks; i++) {
            const struct check_enabled *only =
                check_browse_moves(b, at, &count);

            assert_int_equal(count, 1);
            assert_int_equal(only->traits, CHECK_MOVE_TICK);
            at = only->to;
        }
        assert_int_equal(at, near.states[edge->to].state);
        folded += edge->ticks;
    }
    assert_true(folded > 0);
    assert_true(check_browse_near(b, 0, 6, 5, &near));
    assert_int_equal(near.states_count, 5);
    check_browse_close(b);
    row_close(&r);
}

TEST(test_what_does_not_fit_is_refused)
{
    uint32_t moves[30], end;
    struct check_run_by_hand run = {0, moves, 1}, found;
    struct net_why bad = {0};
    char *text;
    struct check_browse *b, *other;
    const char *why = NULL;
    struct row r, else_;
    struct trace t;

    assert_true(row_open(&r, "holds ricart-agrawala -n 3 --crashes 1"));
    b = open_row(&r);
    moves[0] = 1000;
    assert_false(check_browse_follow(b, &run, &end, NULL));
    assert_non_null(check_browse_why(b));
    moves[0] = move_called(b, 0, "P2 crashes");
    text = write_down(&r, b, &run);
    assert_true(trace_parse(&t, "run", text, strlen(text), &bad));
    assert_true(check_browse_match(b, &t, &found));
    assert_int_equal(found.moves_count, 1);
    assert_true(row_open(&else_, "holds ricart-agrawala -n 3"));
    other = open_row(&else_);
    assert_false(check_browse_match(other, &t, &found));
    assert_string_equal(
        check_browse_why(other),
        "no run of this search goes on as line 16 of the trace says");
    check_browse_close(other);
    row_close(&else_);
    assert_true(row_open(&else_, "holds lamport -n 3"));
    other = open_row(&else_);
    assert_false(check_browse_match(other, &t, &found));
    assert_string_equal(check_browse_why(other),
                        "the trace is of another protocol");
    check_browse_close(other);
    row_close(&else_);
    trace_free(&t);
    free(text);
    check_browse_close(b);
    r.check.entries = CHECK_ENTRIES_ANY;
    assert_null(check_browse_open(&r.check, &why));
    assert_non_null(strstr(why, "--entries any has no end"));
    row_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_walk_is_a_trace_and_back),
        cmocka_unit_test(test_a_simulated_run_is_found),
        cmocka_unit_test(test_a_state_is_shown_as_it_is),
        cmocka_unit_test(test_the_order_of_moves_stays),
        cmocka_unit_test(test_outcomes_of_a_coin),
        cmocka_unit_test(test_near_by_ticks_are_folded),
        cmocka_unit_test(test_what_does_not_fit_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
