/*
 * test_run_sweep.c - grids, tasks, and the rows of a sweep.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/run/schedule.h"
#include "lab/run/table.h"
#include "tests/unit/kit/test.h"

/* ---- Grids --------------------------------------------------------------- */

static struct lab_grid grid_of(const char *n, const char *gamma)
{
    struct lab_grid g = {.count = 2};
    struct net_why why = {0};

    g.axis[0].key = "n";
    g.axis[1].key = "gamma";
    assert_true(lab_axis_cut(&g.axis[0], lab_unrolled(n), ',', &why));
    assert_true(lab_axis_cut(&g.axis[1], strdup(gamma), ',', &why));
    return g;
}

/* Every combination once, the last axis first; a range is its numbers. */
TEST(test_cells_are_all_combinations)
{
    struct lab_grid g = grid_of("2..4,10", "1,1/2");
    static const char *const n[] = {"2", "2", "3", "3", "4", "4", "10", "10"};

    assert_int_equal(lab_grid_cells(&g), 8);
    for (uint32_t i = 0; i < 8; i++) {
        assert_string_equal(lab_grid_value(&g, i, 0), n[i]);
        assert_string_equal(lab_grid_value(&g, i, 1), i % 2 ? "1/2" : "1");
    }
    lab_grid_free(&g);
}

/* Too many are refused, and not counted modulo something. */
TEST(test_too_many_cells_are_refused)
{
    struct lab_grid g = {.count = 3};
    struct net_why why = {0};
    char *list = lab_unrolled("1..256,257");

    for (uint32_t i = 0; i < 3; i++)
        g.axis[i].count = 256;
    assert_int_equal(lab_grid_cells(&g), 0);
    g.count = 1;
    assert_false(lab_axis_cut(&(struct lab_axis){.key = "n"}, list, ',', &why));
    free(list);
}

/* ---- Tasks --------------------------------------------------------------- */

/* Workers that answer at once; the first answers to task 1 are these. */
struct fake {
    enum lab_end ends[8];
    uint32_t asked, queue[8], count, threads;
};

static uint32_t fake_room(void *whom)
{
    const struct fake *f = whom;

    return 4 - f->count;
}

static bool fake_start(void *whom, const char *command, uint32_t number,
                       uint32_t threads, struct net_why *why)
{
    struct fake *f = whom;

    (void)command;
    (void)why;
    f->threads = threads;
    f->queue[f->count++] = number;
    return true;
}

static int64_t fake_wait(void *whom, int milliseconds,
                         struct lab_answer *answer)
{
    struct fake *f = whom;
    uint32_t number;

    (void)milliseconds;
    if (!f->count)
        return -1;
    number = f->queue[--f->count];
    *answer = (struct lab_answer){.end = number == 1 ? f->ends[f->asked++]
                                                     : LAB_ENDED};
    if (answer->end == LAB_ENDED)
        answer->json = json_pack("{s:i}", "number", (int)number);
    return number;
}

static void fake_end(void *whom)
{
    (void)whom;
}

/* Makes three tasks; returns the answer to task 1. */
static const struct lab_answer *make_three(struct lab_schedule *s,
                                           struct fake *f)
{
    struct net_why why;

    *s = (struct lab_schedule){
        .notebook = lab_notebook_open(NULL, "v", false, &why),
        .workers = {f, fake_room, fake_start, fake_wait, fake_end},
    };
    assert_non_null(s->notebook);
    for (uint32_t i = 0; i < 3; i++)
        lab_schedule_ask(s, i, (const char *[]){"a", "b", "c"}[i]);
    assert_int_equal(lab_schedule_run(s, &why), LAB_ANSWERED);
    assert_int_equal(s->done, 3);
    return lab_notebook_find(s->notebook, "b");
}

static void end_three(struct lab_schedule *s)
{
    lab_notebook_close(s->notebook);
    lab_schedule_end(s);
}

/* Killed twice it is made a third time, and the answer of that counts. */
TEST(test_what_was_killed_is_made_again)
{
    struct fake f = {.ends = {LAB_KILLED, LAB_KILLED, LAB_ENDED}};
    struct lab_schedule s;

    assert_non_null(make_three(&s, &f)->json);
    assert_int_equal(s.repeated, 2);
    end_three(&s);
}

/* One that is always killed is not tried for ever. */
TEST(test_what_is_always_killed_has_no_result)
{
    struct fake f = {.ends = {LAB_KILLED, LAB_KILLED, LAB_KILLED, LAB_ENDED}};
    struct lab_schedule s;

    assert_null(make_three(&s, &f)->json);
    assert_int_equal(f.asked, LAB_KILLS_MAX);
    end_three(&s);
}

/* A task is not to blame for the rank that was lost with it. */
TEST(test_what_was_lost_is_made_again_however_often)
{
    struct fake f = {
        .ends = {LAB_LOST, LAB_LOST, LAB_LOST, LAB_LOST, LAB_LOST, LAB_ENDED}};
    struct lab_schedule s;

    assert_non_null(make_three(&s, &f)->json);
    assert_int_equal(s.repeated, 5);
    /* Nothing else was left to be started: it had all cores but one. */
    assert_int_equal(f.threads, 3);
    end_three(&s);
}

/* Those that wait, in the order in which they were told. */
struct waiters {
    struct lab_schedule schedule;
    uint32_t told[8], count, looks;
    bool again;
};

static void on_ready(void *whom, uint32_t waiter)
{
    struct waiters *w = whom;

    w->told[w->count++] = waiter;
    if (waiter == 7 && !w->again) {
        w->again = true;
        lab_schedule_ask(&w->schedule, 7, "d");
    }
}

static bool on_look(void *whom)
{
    struct waiters *w = whom;

    return ++w->looks < 2;
}

static void begin_waiters(struct waiters *w, struct fake *f)
{
    *w = (struct waiters){
        .schedule = {.notebook = lab_notebook_open(NULL, "v", false, NULL),
                     .workers = {f, fake_room, fake_start, fake_wait, fake_end},
                     .ready = on_ready,
                     .whom = w}};
    lab_schedule_ask(&w->schedule, 7, "a");
    lab_schedule_ask(&w->schedule, 7, "b");
    lab_schedule_ask(&w->schedule, 7, "b");
    lab_schedule_ask(&w->schedule, 2, "b");
}

/* A command is made once, however many ask for it; each waiter is told once
 * it has all; it may ask again. */
TEST(test_a_waiter_is_told_when_it_has_all)
{
    struct fake f = {.ends = {LAB_KILLED, LAB_ENDED}};
    struct waiters w;
    struct net_why why;

    begin_waiters(&w, &f);
    assert_int_equal(w.schedule.count, 2);
    assert_int_equal(lab_schedule_run(&w.schedule, &why), LAB_ANSWERED);
    assert_int_equal(w.schedule.done, 3);
    assert_int_equal(w.count, 3);
    assert_int_equal(w.told[0], 2); /* "b" comes before "a" */
    assert_int_equal(w.told[1], 7);
    assert_int_equal(w.told[2], 7);
    assert_non_null(lab_notebook_find(w.schedule.notebook, "d"));
    end_three(&w.schedule);
}

/* Nothing is begun once it is to stop, and nothing more once a look says so. */
TEST(test_a_schedule_stops)
{
    struct fake f = {.ends = {LAB_LOST, LAB_LOST, LAB_LOST, LAB_LOST}};
    struct waiters w;
    struct net_why why;
    atomic_bool stop = true;

    begin_waiters(&w, &f);
    w.schedule.stop = &stop;
    assert_int_equal(lab_schedule_run(&w.schedule, &why), LAB_STOPPED);
    assert_int_equal(f.count, 0);
    stop = false;
    w.schedule.look = on_look;
    assert_int_equal(lab_schedule_run(&w.schedule, &why), LAB_STOPPED);
    assert_int_equal(w.looks, 2);
    end_three(&w.schedule);
}

/* ---- Rows ---------------------------------------------------------------- */

static json_t *measured(int n)
{
    return json_pack(
        "{s:s,s:i,s:i,s:i,s:{s:f,s:i,s:i,s:f,s:s,s:{s:{s:f,s:i,s:i,s:f}}},"
        "s:{s:f,s:i,s:i,s:f,s:{s:f,s:f,s:i}},s:[{s:s,s:i}],"
        "s:[{s:s,s:s,s:i,s:s}],s:f}",
        "seed", "1", "runs", 100, "ok", 99, "violated", 1, "messages", "mean",
        3.5 * n, "min", n, "max", 4 * n, "sd", 1.5, "max_case", "fulcrum",
        "kinds", "M", "mean", 2.0, "min", 1, "max", 3, "sd", 0.5,
        "messages_per_entry", "mean", 6.0, "min", 5, "max", 7, "sd", 2.0,
        "of_runs", "mean", 6.25, "sd", 0.25, "runs", 90, "violations",
        "property", "one-leader", "runs", 1, "claims", "cost", "messages",
        "relation", "at most", "value", 5 * n, "formula", "5N", "cpu_s", 0.1);
}

/* What was measured stands in the rows, under the names of the JSON, and what
 * depends on the machine does not. */
TEST(test_rows_hold_what_was_measured)
{
    struct lab_grid g = grid_of("10", "1,1/2");
    const struct lab_swept of = {"c", "p", "v", &g};
    struct lab_answer a = {.json = measured(10)};
    json_t *row = lab_table_row(&of, 1, "fulcrum sim p -n 10", &a);

    assert_int_equal(json_integer_value(json_object_get(row, "n")), 10);
    assert_string_equal(json_string_value(json_object_get(row, "gamma")),
                        "1/2");
    assert_true(json_real_value(json_object_get(row, "messages_mean")) > 34);
    assert_int_equal(
        json_integer_value(json_object_get(row, "messages_kinds_M_max")), 3);
    assert_int_equal(
        json_integer_value(json_object_get(row, "violated_one-leader")), 1);
    assert_int_equal(
        json_integer_value(json_object_get(row, "messages_claimed")), 50);
    assert_null(json_object_get(row, "cpu_s"));
    json_decref(row);
    lab_answer_free(&a);
    lab_grid_free(&g);
}

/* What is written is read, in the order of cells; a second writing leaves
 * nothing of the first. */
TEST(test_rows_are_read_as_written)
{
    struct lab_grid g = grid_of("10,20", "1");
    const struct lab_swept of = {"fulcrum sweep", "p", "v", &g};
    struct net_why why = {0};
    char path[] = "/tmp/fulcrum-sweep-XXXXXX";
    int fd = mkstemp(path);
    struct lab_notebook *n = lab_notebook_open(path, "v", false, &why);
    struct lab_answer a = {.json = measured(10)}, b = {.json = measured(20)};
    struct lab_answer bad = {.complaint = strdup("no\n"), .code = 2};
    json_t *rows = json_array(), *one = json_array(), *back;
    json_t *none = json_array();

    assert_non_null(n);
    json_array_append_new(rows, lab_table_row(&of, 0, "x", &a));
    json_array_append_new(rows, lab_table_row(&of, 1, "y", &b));
    json_array_append_new(one, lab_table_row(&of, 1, "it's", &bad));
    for (int round = 0; round < 3; round++) {
        json_t *now = round == 0 ? rows : round == 1 ? one : none;

        assert_true(lab_table_write(n, &of, now, &why));
        back = lab_table_read(path, &why);
        assert_non_null(back);
        assert_true(json_equal(json_object_get(back, "rows"), now));
        assert_int_equal(json_array_size(json_object_get(back, "axes")), 2);
        json_decref(back);
    }
    lab_notebook_close(n);
    json_decref(rows);
    json_decref(one);
    json_decref(none);
    lab_answer_free(&a);
    lab_answer_free(&b);
    lab_answer_free(&bad);
    lab_grid_free(&g);
    close(fd);
    unlink(path);
}

/* ---- Points -------------------------------------------------------------- */

/* The run is the unit of an interval, also of what is counted per entry; a
 * property that no run violates has the share 0. */
TEST(test_points_have_the_run_as_unit)
{
    struct lab_grid g = grid_of("10", "1");
    const struct lab_swept of = {"c", "p", "v", &g};
    struct lab_answer a = {.json = measured(10)};
    json_t *row = lab_table_row(&of, 0, "x", &a);
    struct lab_point p;

    assert_true(lab_point_read(&p, row, "messages_per_entry", 0.05));
    assert_int_equal(p.runs, 90);
    assert_true(p.mean > 6.2 && p.within.high - p.within.low < 0.2);
    assert_true(p.greatest > 6.9);
    assert_true(lab_point_read(&p, row, "messages", 0.05));
    assert_int_equal(p.runs, 100);
    assert_true(lab_point_read(&p, row, "violated_one-leader", 0.05));
    assert_true(p.share && p.mean > 0.009 && p.mean < 0.011);
    assert_true(lab_point_read(&p, row, "violated_agreement", 0.05));
    assert_true(p.share && p.mean <= 0 && p.within.high > 0.01);
    assert_false(lab_point_read(&p, row, "nothing", 0.05));
    json_decref(row);
    lab_answer_free(&a);
    lab_grid_free(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cells_are_all_combinations),
        cmocka_unit_test(test_too_many_cells_are_refused),
        cmocka_unit_test(test_what_was_killed_is_made_again),
        cmocka_unit_test(test_what_is_always_killed_has_no_result),
        cmocka_unit_test(test_what_was_lost_is_made_again_however_often),
        cmocka_unit_test(test_a_waiter_is_told_when_it_has_all),
        cmocka_unit_test(test_a_schedule_stops),
        cmocka_unit_test(test_rows_hold_what_was_measured),
        cmocka_unit_test(test_rows_are_read_as_written),
        cmocka_unit_test(test_points_have_the_run_as_unit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
