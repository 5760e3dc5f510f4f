/*
 * test_fifth.c - a fifth problem takes a pair of files and nothing else: the
 * one of greeter.h, which has words of its own, is simulated, written down,
 * read again, replayed, drawn and checked.
 */
#include "tests/unit/kit/extremes.h"
#include "tests/unit/kit/same_columns.h"
#include "tests/unit/kit/testing.h"

#define P        greeter
#define P_SOURCE "tests/unit/kit/greeter.h"
#include "net/typed.c"
#include "sim/typed.c"

#include <stdlib.h>

#include "check/check.h"
#include "draw/svg/svg.h"
#include "draw/text/text.h"
#include "trace/read.h"
#include "trace/replay.h"
#include "trace/write.h"

enum { NODES = 4 };

static struct net network(const struct greeter_params *p, enum net_time time)
{
    struct net net = {
        .protocol = &greeter_protocol,
        .type = &greeter_type,
        .params = p,
        .time = time,
        .world = {.nodes = NODES, .bounds = {1, 2, 0, 2}},
        .first_name = 1,
    };

    net_describe(&net);
    return net;
}

static struct sim_result run(const struct greeter_params *p,
                             struct trace_listener *trace)
{
    struct sim_setup setup = {.type = &greeter_sim,
                              .net = network(p, NET_ARCHIMEDEAN)};
    struct net_memory memory = {0};
    struct sim_job job = {.seed = 7, .memory = &memory, .trace = trace};
    struct sim_result result;

    assert_int_equal(sim_run(&setup, &job, &result), SIM_OK);
    net_memory_free(&memory);
    return result;
}

TEST(test_it_is_simulated)
{
    const struct greeter_params fine = {0};
    struct sim_result r = run(&fine, NULL);

    assert_int_equal(r.broken, 0);
    assert_int_equal(r.messages, NODES);
    assert_true(r.reached_at != FC_NEVER);
}

/* The trace of a run, and its text, which is to be freed. */
static char *written(const struct greeter_params *p, struct trace *trace)
{
    struct net_why why = {0};
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    struct trace_listener *writer = trace_writer_new(file);

    (void)run(p, writer);
    trace_writer_free(writer);
    fclose(file);
    if (!trace_parse(trace, "greeter", text, size, &why))
        fail_msg("%s", why.text);
    return text;
}

/* Its role, its fact and its command are in no table of the format. */
TEST(test_its_trace_is_read)
{
    const struct greeter_params fine = {0};
    struct trace trace;
    char *text = written(&fine, &trace);
    uint32_t greeted = 0;

    assert_string_equal(trace.head.problem, "greeting");
    assert_int_equal(trace.messages_count, NODES);
    assert_string_equal(trace_role_said(&trace.head, trace.head.first_role),
                        "alone");
    for (uint32_t i = 0; i < trace.events_count; i++) {
        struct trace_event e = trace_event_at(&trace, i);

        greeted += e.turns &&
                   strcmp(trace_role_said(&trace.head, e.role), "greeted") == 0;
        if (e.what == TRACE_ASKED)
            assert_string_equal(trace.head.own_asks[e.timer], "greet");
    }
    assert_int_equal(greeted, NODES);
    assert_int_equal(trace.facts_count, NODES);
    assert_string_equal(trace.head.own_facts[trace.facts[0].fact - TRACE_FACTS],
                        "greetings");
    trace_free(&trace);
    free(text);
}

TEST(test_its_trace_is_replayed)
{
    const struct greeter_params fine = {0};
    struct net net = network(&fine, NET_ARCHIMEDEAN);
    struct trace_replay replay;
    struct trace trace;
    char *text = written(&fine, &trace);

    assert_int_equal(trace_replay(&net, &trace, &replay), TRACE_REPLAY_SAME);
    assert_int_equal(replay.events, trace.events_count);
    trace_free(&trace);
    free(text);
}

/* In its own words, as text and as a picture. */
TEST(test_it_is_drawn)
{
    const struct greeter_params fine = {0};
    const struct text_options text_options = {.to = TRACE_NEVER, .columns = 80};
    const struct svg_options svg_options = {.to = TRACE_NEVER};
    struct net_why why = {0};
    char *text = NULL, *picture = NULL, *drawn = NULL;
    size_t size;
    struct svg_size pixels;
    struct trace trace;
    FILE *file;

    text = written(&fine, &trace);
    file = open_memstream(&drawn, &size);
    assert_true(text_draw(file, &trace, &text_options, &why));
    fclose(file);
    assert_non_null(strstr(drawn, "alone"));
    assert_non_null(strstr(drawn, "greeted"));
    file = open_memstream(&picture, &size);
    assert_true(svg_draw(file, &trace, &svg_options, &pixels, &why));
    fclose(file);
    assert_non_null(strstr(picture, "alone"));
    assert_non_null(strstr(picture, "greeted"));
    trace_free(&trace);
    free(text);
    free(drawn);
    free(picture);
}

/* A run that is heard has the same words. */
TEST(test_it_is_recorded)
{
    const struct greeter_params fine = {0};
    struct trace made, read;
    char *text = written(&fine, &read);

    trace_open(&made, "", "");
    (void)run(&fine, &made.listener);
    assert_string_equal(trace_role_said(&made.head, made.head.first_role),
                        "alone");
    assert_int_equal(trace_role_like(&made.head, made.head.first_role),
                     TRACE_ASLEEP);
    check_same(&made, &read);
    check_same_head(&made.head, &read.head);
    trace_free(&made);
    trace_free(&read);
    free(text);
}

static struct check_setup all_runs(const struct greeter_params *p,
                                   enum net_time time)
{
    return (struct check_setup){
        .net = network(p, time),
        .listed = 1,
        .victims = ~UINT32_C(0),
        .properties = ~UINT32_C(0),
        .cycles = true,
    };
}

static struct check_result check(const struct greeter_params *p,
                                 uint32_t crashes, uint32_t copies)
{
    struct check_setup setup = all_runs(p, NET_ASYNC);
    struct check_result r;

    setup.crashes = crashes;
    setup.copies = copies;
    check_run(&setup, &r);
    check_free(&r);
    return r;
}

TEST(test_it_is_checked)
{
    const struct greeter_params fine = {0}, wrong = {.twice = 1};
    struct check_result r = check(&fine, 0, 1);

    assert_int_equal(r.verdict, CHECK_HOLDS);
    assert_true(r.reached);
    r = check(&fine, 1, 0);
    assert_int_equal(r.verdict, CHECK_VIOLATED);
    assert_int_equal(r.broken, GREETING_EVERYONE);
    r = check(&wrong, 0, 1);
    assert_int_equal(r.verdict, CHECK_VIOLATED);
    assert_int_equal(r.broken, GREETING_ONCE);
}

static uint64_t greetings(enum net_time time, const char *name, bool greatest)
{
    const struct greeter_params fine = {0};
    struct check_setup setup = all_runs(&fine, time);
    struct check_measure measure;
    struct check_extreme found;

    assert_null(check_measure(&setup, name, &measure));
    check_extreme(&setup, &measure, greatest, &found);
    check_free(&found.run);
    assert_int_equal(found.limit, CHECK_NO_LIMIT);
    return found.value;
}

/* Its goal has a word, and quantities are called by it. */
TEST(test_what_comes_before_its_goal_is_counted)
{
    const struct greeter_params fine = {0};
    struct check_setup setup = all_runs(&fine, NET_ASYNC);
    struct check_measure measure;

    /* One node greets, and a node that is greeted greets the next. */
    assert_int_equal(greetings(NET_ASYNC, "messages@greeted", true), 2);
    assert_int_equal(greetings(NET_ASYNC, "messages", true), NODES);
    assert_int_equal(greetings(NET_SYNC, "greeted-at", true), 1);
    assert_int_equal(greetings(NET_SYNC, "greeted-after", true), 1);
    assert_int_equal(greetings(NET_SYNC, "end", true), NODES);
    assert_non_null(check_measure(&setup, "messages@elected", &measure));
    assert_non_null(check_measure(&setup, "elected-at", &measure));
    assert_non_null(check_measure(&setup, "overtaken", &measure));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_it_is_simulated),
        cmocka_unit_test(test_its_trace_is_read),
        cmocka_unit_test(test_its_trace_is_replayed),
        cmocka_unit_test(test_it_is_drawn),
        cmocka_unit_test(test_it_is_recorded),
        cmocka_unit_test(test_it_is_checked),
        cmocka_unit_test(test_what_comes_before_its_goal_is_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
