/*
 * test_fifth.c - a fifth problem takes a pair of files and nothing else: the
 * one of greeter.h is simulated, written down, read again and checked.
 */
#include "tests/unit/kit/testing.h"

#define P        greeter
#define P_SOURCE "tests/unit/kit/greeter.h"
#include "net/typed.c"
#include "sim/typed.c"

#include <stdlib.h>

#include "check/check.h"
#include "trace/read.h"
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

TEST(test_its_trace_is_read)
{
    const struct greeter_params fine = {0};
    char *text = NULL, error[TRACE_ERROR_SIZE];
    size_t size;
    FILE *file = open_memstream(&text, &size);
    struct trace_listener *writer = trace_writer_new(file);
    struct trace trace;

    (void)run(&fine, writer);
    trace_writer_free(writer);
    fclose(file);
    assert_int_equal(
        trace_parse(&trace, "greeter", text, size, error, sizeof error), 0);
    assert_int_equal(trace.messages_count, NODES);
    assert_string_equal(trace.problem, "greeting");
    trace_free(&trace);
    free(text);
}

static struct check_result check(const struct greeter_params *p,
                                 uint32_t crashes, uint32_t copies)
{
    struct check_setup setup = {
        .net = network(p, NET_ASYNC),
        .listed = 1,
        .crashes = crashes,
        .copies = copies,
        .victims = ~UINT32_C(0),
        .properties = ~UINT32_C(0),
        .cycles = true,
    };
    struct check_result r;

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_it_is_simulated),
        cmocka_unit_test(test_its_trace_is_read),
        cmocka_unit_test(test_it_is_checked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
