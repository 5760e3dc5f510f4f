/*
 * test_course.c - a run in pieces is the run in one: of every protocol, under
 * all models of time and with faults, however often it is taken back.
 */
#include <stdio.h>
#include <stdlib.h>

#include "net/judge.h"
#include "sim/course.h"
#include "sim/tally.h"
#include "sim/typed.h"
#include "tests/unit/kit/same_columns.h"
#include "tests/unit/kit/small_runs.h"
#include "trace/write.h"

enum { PIECES_MAX = 2000, SAVED_MAX = 8, PIECE = 7 };

static void check_same_result(const struct sim_result *a,
                              const struct sim_result *b)
{
    assert_true(a->hash == b->hash);
    assert_true(a->events == b->events && a->end == b->end);
    assert_true(a->messages == b->messages && a->frames == b->frames);
    assert_true(a->paper_bits == b->paper_bits && a->wire_bits == b->wire_bits);
    assert_true(a->reached_at == b->reached_at && a->leader == b->leader);
    assert_true(a->entries == b->entries && a->overlaps == b->overlaps);
    assert_true(a->queue_max == b->queue_max && a->answer == b->answer);
    assert_true(a->lost == b->lost && a->copied == b->copied);
    assert_true(a->late == b->late && a->reordered == b->reordered);
    assert_true(a->crashes == b->crashes && a->pauses == b->pauses);
    assert_true(a->cuts == b->cuts && a->initiators == b->initiators);
    assert_true(a->broken == b->broken && a->cut == b->cut);
    assert_true(a->coins == b->coins);
    assert_memory_equal(a->by_kind, b->by_kind, sizeof a->by_kind);
}

static struct sim_course *open_course(struct small_run *run, uint64_t seed,
                                      struct trace_listener *listener,
                                      struct sim_tally *tally)
{
    struct sim_job job = {.seed = seed, .trace = listener, .tally = tally};
    struct sim_course *c = sim_course_open(&run->setup, &job);

    assert_non_null(c);
    return c;
}

/* ---- In pieces ----------------------------------------------------------- */

/* With the text of its trace. */
static struct sim_result in_pieces(struct small_run *run, uint64_t seed,
                                   uint64_t piece)
{
    struct trace_listener *writer = trace_writer_new(NULL);
    struct sim_course *c = open_course(run, seed, writer, NULL);
    struct sim_result result;
    enum sim_status status;
    uint64_t lines = 0;

    while ((status = sim_course_go(c, piece)) == SIM_PAUSED) {
        assert_true(sim_course_lines(c) >= lines + piece);
        lines = sim_course_lines(c);
        assert_null(sim_course_save(c)); /* text cannot be taken back */
    }
    assert_int_equal(status, SIM_OK);
    assert_int_equal(sim_course_go(c, piece), SIM_OK);
    result = *sim_course_result(c);
    sim_course_close(c);
    trace_writer_free(writer);
    return result;
}

static bool check_pieces(const char *protocol, const struct small_model *model,
                         uint64_t seed)
{
    static const uint64_t pieces[] = {1, PIECE, FC_NEVER};
    struct small_run run;
    struct sim_job job = {.seed = seed, .memory = &run.memory};
    struct sim_result whole;

    if (!small_open(&run, protocol, model))
        return false;
    job.trace = trace_writer_new(NULL);
    assert_int_equal(sim_run(&run.setup, &job, &whole), SIM_OK);
    trace_writer_free(job.trace);
    for (size_t i = 0; i < COUNT(pieces); i++) {
        struct sim_result parts = in_pieces(&run, seed, pieces[i]);

        check_same_result(&whole, &parts);
    }
    small_close(&run);
    return true;
}

TEST(test_pieces_make_the_whole)
{
    for (uint32_t i = 0; sim_types[i]; i++) {
        uint32_t count = 0;

        for (size_t m = 0; m < COUNT(small_models); m++)
            for (uint64_t seed = 1; seed <= rounds(5); seed++)
                count += check_pieces(sim_types[i]->protocol->name,
                                      &small_models[m], seed);
        assert_true(count > 0);
    }
}

/* ---- Back and forth ------------------------------------------------------ */

/* What a course was at each of its pauses, and snapshots of some. */
struct log {
    uint64_t hash[PIECES_MAX], tick[PIECES_MAX], lines[PIECES_MAX];
    uint32_t count;
    struct sim_saved *saved[SAVED_MAX];
    uint32_t saved_at[SAVED_MAX], saved_count;
    struct sim_result result;
};

static void note(struct log *log, struct sim_course *c)
{
    assert_true(log->count < PIECES_MAX);
    log->hash[log->count] = sim_course_hash(c);
    log->tick[log->count] = sim_course_tick(c);
    log->lines[log->count] = sim_course_lines(c);
    log->count++;
}

static void save(struct log *log, struct sim_course *c)
{
    if (log->saved_count == SAVED_MAX)
        return;
    log->saved[log->saved_count] = sim_course_save(c);
    assert_non_null(log->saved[log->saved_count]);
    log->saved_at[log->saved_count++] = log->count - 1;
}

/* The way there: notes all pauses, and saves every fourth. */
static void go_there(struct log *log, struct sim_course *c)
{
    log->count = log->saved_count = 0;
    note(log, c);
    save(log, c);
    while (sim_course_go(c, PIECE) == SIM_PAUSED) {
        note(log, c);
        if (log->count % 4 == 0)
            save(log, c);
    }
    assert_null(sim_course_save(c)); /* it is over */
    log->result = *sim_course_result(c);
}

static void check_noted(const struct log *log, uint32_t pause,
                        const struct sim_course *c)
{
    assert_true(pause < log->count);
    assert_true(sim_course_lines(c) == log->lines[pause]);
    assert_true(sim_course_tick(c) == log->tick[pause]);
    assert_true(sim_course_hash(c) == log->hash[pause]);
}

/* Some pauses on from a snapshot, or to the end if that comes first. */
static void go_again(const struct log *log, struct sim_course *c,
                     uint32_t which, uint32_t pauses)
{
    uint32_t pause = log->saved_at[which];

    assert_true(sim_course_load(c, log->saved[which]));
    check_noted(log, pause, c);
    for (uint32_t i = 0; i < pauses; i++) {
        if (sim_course_go(c, PIECE) != SIM_PAUSED) {
            assert_int_equal(pause + 1, log->count);
            check_same_result(&log->result, sim_course_result(c));
            return;
        }
        check_noted(log, ++pause, c);
    }
}

static void free_log(struct log *log)
{
    for (uint32_t i = 0; i < log->saved_count; i++)
        sim_saved_free(log->saved[i]);
}

/* Once to the end from each, then here and there. */
static void go_to_and_fro(const struct log *log, struct sim_course *c,
                          uint64_t seed)
{
    struct dice dice = {seed};

    for (uint32_t i = log->saved_count; i-- > 0;)
        go_again(log, c, i, PIECES_MAX);
    for (uint32_t i = 0; i < 20; i++)
        go_again(log, c, throw_below(&dice, log->saved_count),
                 throw_below(&dice, 6));
    go_again(log, c, throw_below(&dice, log->saved_count), PIECES_MAX);
}

/* Without a listener, but with a tally and all predicates judged; then with
 * columns, which must be the same in the end. */
static bool check_course(const char *protocol, const struct small_model *model,
                         uint64_t seed)
{
    static struct log log;
    static struct sim_tally tally, then;
    struct trace columns, whole;
    struct sim_course *c;
    struct small_run run;
    uint64_t hash;

    if (!small_open(&run, protocol, model))
        return false;
    if (!net_faults_any(&run.setup.faults) && !net_unmet(&run.setup.net))
        run.setup.net.predicates =
            net_predicates(run.setup.net.protocol, run.setup.net.params);
    memset(&tally, 0, sizeof tally);
    c = open_course(&run, seed, NULL, &tally);
    go_there(&log, c);
    then = tally;
    go_to_and_fro(&log, c, seed);
    assert_true(then.messages.count == tally.messages.count &&
                then.messages.sum == tally.messages.sum &&
                then.granting.stat.sum == tally.granting.stat.sum &&
                then.unbilled == tally.unbilled);
    free_log(&log);
    sim_course_close(c);
    hash = log.hash[log.count - 1];

    trace_open(&columns, "", "");
    trace_open(&whole, "", "");
    c = open_course(&run, seed, &whole.listener, NULL);
    assert_int_equal(sim_course_go(c, FC_NEVER), SIM_OK);
    assert_true(sim_course_lines(c) == whole.events_count);
    sim_course_close(c);
    c = open_course(&run, seed, &columns.listener, NULL);
    go_there(&log, c);
    assert_true(log.hash[log.count - 1] == hash);
    go_to_and_fro(&log, c, seed + 1);
    check_same(&columns, &whole);
    free_log(&log);
    sim_course_close(c);
    trace_free(&columns);
    trace_free(&whole);
    small_close(&run);
    return true;
}

TEST(test_a_run_is_taken_back)
{
    for (uint32_t i = 0; sim_types[i]; i++)
        for (size_t m = 0; m < COUNT(small_models); m++)
            for (uint64_t seed = 1; seed <= rounds(3); seed++)
                (void)check_course(sim_types[i]->protocol->name,
                                   &small_models[m], seed);
}

/* Columns that were taken back are those of a run that came only so far. */
static void check_forgotten(const char *protocol,
                            const struct small_model *model)
{
    static struct log log;
    struct trace far;
    struct sim_course *c;
    struct small_run run;

    if (!small_open(&run, protocol, model))
        return;
    trace_open(&far, "", "");
    c = open_course(&run, 1, &far.listener, NULL);
    go_there(&log, c);
    for (uint32_t i = log.saved_count; i-- > 0;) {
        struct trace near;
        struct sim_course *other;

        trace_open(&near, "", "");
        other = open_course(&run, 1, &near.listener, NULL);
        (void)sim_course_go(other, log.lines[log.saved_at[i]]);
        assert_true(sim_course_load(c, log.saved[i]));
        check_same(&far, &near);
        sim_course_close(other);
        trace_free(&near);
    }
    free_log(&log);
    sim_course_close(c);
    trace_free(&far);
    small_close(&run);
}

TEST(test_columns_forget_what_is_taken_back)
{
    for (uint32_t i = 0; sim_types[i]; i++)
        for (size_t m = 0; m < COUNT(small_models); m++)
            check_forgotten(sim_types[i]->protocol->name, &small_models[m]);
}

/* ---- What is seen on the way --------------------------------------------- */

/* After every line the columns have it, and the views of nodes are the roles
 * that it states. */
TEST(test_a_course_shows_what_its_lines_say)
{
    struct trace columns;
    const struct trace_event_columns *e = &columns.event;
    struct sim_course *c;
    struct small_run run;
    uint32_t turns = 0;

    trace_open(&columns, "", "");
    assert_true(small_open(&run, "vitanyi", &small_models[2]));
    c = open_course(&run, 3, &columns.listener, NULL);
    while (sim_course_go(c, 1) == SIM_PAUSED) {
        uint32_t row = columns.events_count - 1;
        struct fc_shown shown;

        assert_true(sim_course_lines(c) == columns.events_count);
        assert_true(sim_course_tick(c) == e->tick[row]);
        if (!(e->flags[row] & TRACE_ROW_TURNS))
            continue;
        sim_course_view(c, e->lane[row], &shown);
        assert_string_equal(shown.role, trace_role_word(e->role[row]));
        turns++;
    }
    assert_true(turns > 4);
    assert_true(sim_course_state(c, 1) != sim_course_state(c, 0));
    sim_course_close(c);
    trace_free(&columns);
    small_close(&run);
}

/* A snapshot has what there is, not the empty slots of the queue. */
TEST(test_snapshots_are_small)
{
    struct sim_course *c;
    struct sim_saved *saved;
    struct small_run run;

    assert_true(small_open(&run, "vitanyi", &small_models[2]));
    c = open_course(&run, 3, NULL, NULL);
    assert_int_equal(sim_course_go(c, 5), SIM_PAUSED);
    saved = sim_course_save(c);
    assert_non_null(saved);
    assert_true(sim_saved_size(saved) < 4096);
    sim_saved_free(saved);
    sim_course_close(c);
    small_close(&run);
}

/* Nothing is done for no lines, and a run that is told to stop stops. */
TEST(test_a_course_stops_when_told)
{
    struct sim_progress progress = {.stop = true};
    struct sim_job job = {.seed = 1, .progress = &progress};
    struct sim_course *c;
    struct small_run run;

    assert_true(small_open(&run, "vitanyi", &small_models[2]));
    c = sim_course_open(&run.setup, &job);
    assert_int_equal(sim_course_go(c, 0), SIM_PAUSED);
    assert_true(sim_course_lines(c) == 0);
    assert_int_equal(sim_course_go(c, 10), SIM_STOPPED);
    assert_null(sim_course_save(c));
    sim_course_close(c);
    small_close(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces_make_the_whole),
        cmocka_unit_test(test_a_run_is_taken_back),
        cmocka_unit_test(test_columns_forget_what_is_taken_back),
        cmocka_unit_test(test_a_course_shows_what_its_lines_say),
        cmocka_unit_test(test_snapshots_are_small),
        cmocka_unit_test(test_a_course_stops_when_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
