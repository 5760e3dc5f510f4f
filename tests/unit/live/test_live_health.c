/*
 * test_live_health.c - what `fulcrum status --health` makes of a report.
 *
 * The command line is no library, so the file is taken as it is.
 */
#include "cli/node/status_health.c"
#include "cli/node/status_read.c"

#include "tests/unit/kit/testing.h"

static char line[LIVE_REASON_MAX];

static int health(const char *fields)
{
    char text[2048];
    json_t *report;
    int code;

    snprintf(text, sizeof text,
             "{\"node\": \"a\", \"nodes\": 3, \"majority\": 2, %s}", fields);
    report = json_loads(text, 0, NULL);
    assert_non_null(report);
    code = status_health(report, line);
    json_decref(report);
    assert_null(strchr(line, '\n'));
    return code;
}

#define PEERS                                                                  \
    "\"peers\": [{\"name\": \"a\", \"self\": true}, {\"name\": \"b\"}, "       \
    "{\"name\": \"c\"}]"

TEST(test_each_state_has_its_code)
{
    assert_int_equal(
        health("\"leased\": true, \"heard\": [\"a\", \"b\", \"c\"], " PEERS),
        0);
    assert_string_equal(line, "healthy: has a lease, hears 3 of 3 nodes");
    assert_int_equal(
        health("\"leased\": true, \"heard\": [\"a\", \"b\"], " PEERS), 0);
    assert_string_equal(
        line, "healthy: has a lease, hears 2 of 3 nodes; not heard: c");
    assert_int_equal(
        health("\"leased\": false, \"heard\": [\"a\", \"b\"], " PEERS), 5);
    assert_non_null(strstr(line, "no lease"));
    assert_int_equal(health("\"leased\": true, \"heard\": [\"a\"], " PEERS), 6);
    assert_string_equal(line, "no majority: hears 1 of 3 nodes (a), needs 2");
}

TEST(test_witness_needs_no_lease)
{
    assert_int_equal(health("\"witness\": true, \"leased\": false, "
                            "\"heard\": [\"a\", \"b\"], " PEERS),
                     0);
    assert_int_equal(health("\"witness\": true, \"leased\": false, "
                            "\"heard\": [\"a\"], " PEERS),
                     6);
}

/* While the list changes a majority of each is needed; a node that has left is
 * not missed, and one that waits to be added takes no part. */
#define LISTED(of_a)                                                           \
    "\"heard\": [\"a\", \"d\"], \"leased\": true, "                            \
    "\"peers\": [{\"name\": \"a\", \"self\": true, \"listed\": " of_a "}, "    \
    "{\"name\": \"b\", \"listed\": \"no\"}, "                                  \
    "{\"name\": \"c\", \"listed\": \"old\"}, "                                 \
    "{\"name\": \"d\", \"listed\": \"new\"}], "

TEST(test_lists_of_the_configuration_count)
{
    assert_int_equal(
        health(LISTED("\"yes\"") "\"configuration\": {\"joint\": false, "
                                 "\"list\": [\"a\", \"c\"], \"heard\": 2, "
                                 "\"majority\": 2}"),
        0);
    assert_string_equal(
        line, "healthy: has a lease, hears 2 of 2 nodes; not heard: c");
    assert_int_equal(
        health(LISTED("\"yes\"") "\"configuration\": {\"joint\": true, "
                                 "\"list\": [\"a\", \"d\"], \"old\": "
                                 "[\"a\", \"c\"], \"heard\": 2, "
                                 "\"majority\": 2, \"heard_of_old\": 1, "
                                 "\"majority_of_old\": 2}"),
        6);
    assert_string_equal(line,
                        "no majority: hears 1 of 2 nodes of the old list and 2 "
                        "of 2 of the new one (a, d), needs 2 and 2");
    assert_int_equal(
        health(LISTED("\"no\"") "\"configuration\": {\"joint\": false, "
                                "\"list\": [\"c\"], \"heard\": 0, "
                                "\"majority\": 1}"),
        7);
    assert_non_null(strstr(line, "not in the list of nodes"));
}

/* Whatever else is well. */
TEST(test_clock_that_is_slewed_is_told_first)
{
    assert_int_equal(
        health("\"clock\": {\"fit\": false, \"slew_ppm\": 83333}, "
               "\"leased\": true, \"heard\": [\"a\", \"b\", \"c\"]"),
        7);
    assert_non_null(strstr(line, "83333 ppm"));
}

TEST(test_mode_silence)
{
    assert_int_equal(health("\"bounds\": {}, \"over\": null, \"ready\": true"),
                     0);
    assert_int_equal(health("\"bounds\": {}, \"over\": null, \"ready\": false"),
                     5);
    assert_int_equal(
        health("\"bounds\": {}, \"over\": \"too late\", \"ready\": true"), 7);
    assert_non_null(strstr(line, "too late"));
}

/* A report comes from a process: what is not in it is not there. */
TEST(test_a_report_of_nothing_is_not_healthy)
{
    json_t *names = json_array(), *o = json_object();

    assert_int_not_equal(status_health(o, line), 0);
    for (int i = 0; i < 100; i++)
        json_array_append_new(names,
                              json_string("a-name-of-thirty-characters-"));
    json_object_set_new(o, "heard", names);
    json_object_set_new(o, "majority", json_integer(200));
    assert_int_equal(status_health(o, line), 6);
    json_decref(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_state_has_its_code),
        cmocka_unit_test(test_witness_needs_no_lease),
        cmocka_unit_test(test_lists_of_the_configuration_count),
        cmocka_unit_test(test_clock_that_is_slewed_is_told_first),
        cmocka_unit_test(test_mode_silence),
        cmocka_unit_test(test_a_report_of_nothing_is_not_healthy),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
