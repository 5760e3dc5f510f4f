/*
 * test_live_status.c - what `fulcrum status` prints of a report.
 *
 * The command line is no library, so the files are taken as they are.
 */
#include "cli/node/status_health.c"
#include "cli/node/status_print.c"
#include "cli/node/status_read.c"
#include "cli/paragraph.c"

#include <stdlib.h>
#include <unistd.h>

#include "tests/unit/kit/testing.h"

static char *printed;

static int end(void **state)
{
    (void)state;
    free(printed);
    printed = NULL;
    return 0;
}

/* Prints a report of which the test gives some fields. */
static void print(const char *fields)
{
    char text[4096];
    size_t size;
    FILE *before = stdout;
    json_t *report;

    snprintf(text, sizeof text,
             "{\"node\": \"a\", \"nodes\": 3, \"inc\": 7, \"mode\": \"proven\","
             "\"view\": 65, \"members\": [\"a\", \"b\"], \"clean\": true,"
             "\"leased\": true, \"lease_left_us\": 734000, \"majority\": 2,"
             "\"heard\": [\"a\", \"b\"], \"clients\": {\"grants\": 3},"
             "\"counters\": {\"events\": 5} %s%s}",
             *fields ? "," : "", fields);
    report = json_loads(text, 0, NULL);
    assert_non_null(report);
    end(NULL);
    stdout = open_memstream(&printed, &size);
    status_print(report);
    fclose(stdout);
    stdout = before;
    json_decref(report);
}

static void check_says(const char *words)
{
    if (!strstr(printed, words))
        fail_msg("not said: %s\nbut:\n%s", words, printed);
}

static void check_silent_of(const char *words)
{
    if (strstr(printed, words))
        fail_msg("said: %s\nin:\n%s", words, printed);
}

/* A peer that is in no list of those heard was heard 23 s ago. */
TEST(test_peer_that_is_gone_is_called_so)
{
    print("\"peers\": [{\"name\": \"a\", \"self\": true},"
          "{\"name\": \"b\", \"silent_us\": 12000, \"view\": 65,"
          " \"leased\": true, \"ready\": true},"
          "{\"name\": \"c\", \"silent_us\": 23000000, \"view\": 64},"
          "{\"name\": \"d\", \"silent_us\": -1}]");
    check_says("  b            heard 12 ms ago, view 65, leased\n");
    check_says("  c            gone: not heard for 23 s; was in view 64\n");
    check_says("  d            never heard\n");
    check_silent_of("  a  ");
}

/* Two of five nodes in a view are not half of a cluster. */
TEST(test_view_says_who_is_not_in_it)
{
    print("\"peers\": [{\"name\": \"a\", \"self\": true}, {\"name\": \"b\"},"
          "{\"name\": \"c\", \"witness\": true}]");
    check_says("view 65: a, b\n");
    print("\"peers\": [{\"name\": \"a\", \"self\": true}, {\"name\": \"b\"},"
          "{\"name\": \"c\"}, {\"name\": \"d\"}]");
    check_says("view 65: a, b; not in it: c, d\n");
    print("\"peers\": [{\"name\": \"a\", \"self\": true}, {\"name\": \"b\"}],"
          "\"majority\": 3, \"nodes\": 5");
    check_says("view 65: a, b; a majority of the 5 nodes voted for it\n");
}

/* A node that has left is not one of those that are missing. */
TEST(test_change_of_the_list_is_told)
{
    print("\"nodes\": 9, \"peers\": [{\"name\": \"a\", \"self\": true},"
          "{\"name\": \"b\", \"listed\": \"yes\"},"
          "{\"name\": \"c\", \"listed\": \"no\", \"silent_us\": 900000},"
          "{\"name\": \"e\", \"listed\": \"no\", \"silent_us\": 9000}],"
          "\"heard\": [\"a\", \"b\", \"e\"],"
          "\"configuration\": {\"number\": 2, \"list\": [\"a\", \"b\"],"
          "\"heard\": 2, \"majority\": 2, \"asked\": \"add d h:1\","
          "\"waits_for\": \"d to join\"}");
    check_says("node a, one of 2, start number");
    check_says("view 65: a, b\n");
    check_says("configuration 2; asked for: add d h:1; waits for: d to join\n");
    check_says(
        "  c            has left the list of nodes\n  e            heard 9 "
        "ms ago, view ?, not in the list of nodes\n");
    print("\"configuration\": {\"number\": 3, \"joint\": true, \"list\":"
          "[\"a\", \"b\", \"c\", \"d\"], \"old\": [\"a\", \"b\", \"c\"],"
          "\"heard\": 2, \"majority\": 3, \"heard_of_old\": 2,"
          "\"majority_of_old\": 2}");
    check_says("configuration 3, joint: 2 of 3 old heard, 2 of 4 new\n");
    check_says("no majority: hears 2 of 3 nodes of the old list and 2 of 4 of "
               "the new one, and\n  needs 2 and 3\n");
    print("\"configuration\": {\"number\": 0, \"list\": [\"a\"],"
          "\"heard\": 1, \"majority\": 1}");
    check_silent_of("configuration");
}

TEST(test_trouble_of_a_peer_is_told)
{
    print("\"peers\": [{\"name\": \"b\", \"silent_us\": -1,"
          " \"trouble\": \"has another key\"},"
          "{\"name\": \"c\", \"silent_us\": -1,"
          " \"trouble\": \"knows a later start of this node\"}]");
    check_says("never heard\n               has another key\n");
    check_says("               knows a later start of this node\n");
}

TEST(test_every_reason_to_refuse_is_counted)
{
    print("\"peers\": [{\"name\": \"b\", \"silent_us\": -1, \"link\":"
          "{\"sent\": 5, \"received\": 4, \"forged\": 1, \"replayed\": 2,"
          " \"odd\": 4, \"old\": 8, \"outlived\": 16, \"unproven\": 32}}]");
    check_says("sent 5, received 4, refused 63:");
    check_says("16 of an earlier start");
    check_says("32 perhaps from before");
    check_says("8 of another");
    print("\"peers\": [{\"name\": \"b\", \"silent_us\": 1, \"link\":"
          "{\"sent\": 5, \"received\": 4, \"forged\": 0}}]");
    check_says("sent 5, received 4, refused 0\n");
}

TEST(test_holder_is_shown_with_its_user_time_and_token)
{
    print("\"locks\": [{\"name\": \"job\", \"held\": true, \"deferred\":"
          "[\"b\"], \"holders\": [{\"state\": \"holds\", \"pid\": 4711,"
          "\"uid\": 0, \"token\": 1099511627778, \"held_us\": 42000000,"
          "\"left_us\": 700000, \"stopped_by\": \"cgroup\"}]}]");
    check_says("  job: held here, wanted at b\n");
    check_says("    holds process 4711 of root, for 42 s, token "
               "1099511627778, 700 ms left,\n      stopped by its cgroup\n");
}

TEST(test_holder_that_cannot_be_stopped_is_shown_so)
{
    print("\"locks\": [{\"name\": \"job\", \"held\": true, \"holders\":"
          "[{\"state\": \"holds\", \"pid\": 4711, \"uid\": 4000000000,"
          "\"token\": 5, \"left_us\": 700000, \"stopped_by\": \"group\","
          "\"stuck\": true, \"guard\": false}]}]");
    check_says("of user 4000000000");
    check_says("\n      cannot be stopped:");
    check_says("without a guard");
}

TEST(test_clock_and_disk_of_the_node_are_told)
{
    print("\"clock\": {\"fit\": false, \"slew_ppm\": 83333},"
          "\"sync_us\": 120400");
    check_says("takes no part: the clock of this machine is slewed by 83333 "
               "ppm");
    check_says("writing the record takes up to 120.40 ms\n");
}

/* A name may have anything in it that makes a terminal do tricks. */
TEST(test_terminal_gets_no_control_characters)
{
    print("\"locks\": [{\"name\": \"j\\u001b[2Jb\", \"held\": false}]");
    check_says("  j\\x1b[2Jb: asked for here\n");
}

static void check_width(void)
{
    for (const char *line = printed; *line;) {
        size_t size = strcspn(line, "\n");

        if (size > 80)
            fail_msg("wider than 80: %.*s", (int)size, line);
        line += size + (line[size] == '\n');
    }
}

TEST(test_it_fits_80_columns)
{
    print("\"peers\": [{\"name\": \"a-node-with-a-name-of-thirty-one\","
          " \"silent_us\": 86400000000, \"view\": 33554431, \"leased\": true,"
          " \"witness\": true, \"trouble\": \"has another configuration, of "
          "generation 3, while this node has generation 2 of its own\","
          " \"delay\": {\"mean_us\": 1234567, \"greatest_us\": 12345678,"
          " \"late\": 1234567, \"limit_us\": 1000000, \"round_trip_us\":"
          " 123456}, \"link\": {\"sent\": 123456789012, \"received\":"
          " 123456789012, \"forged\": 123456, \"replayed\": 234567,"
          " \"odd\": 456789, \"old\": 876543, \"outlived\": 163456,"
          " \"unproven\": 323456}}],"
          "\"locks\": [{\"name\": \"a lock with a long name that has many "
          "words in it and goes on and on and on and on\", \"held\": true,"
          " \"lacks\": [\"node-number-one\", \"node-number-two\","
          " \"node-number-three\", \"node-number-four\"], \"holders\":"
          "[{\"state\": \"holds\", \"pid\": 4194303, \"uid\": 4000000000,"
          "\"token\": 9151314442816847873, \"left_us\": 700000, \"shared\":"
          " true, \"held_us\": 86400000000, \"stopped_by\": \"cgroup\"}]}],"
          "\"violations\": {\"late_wakeups\": 123456789, \"latest_wakeup_us\":"
          " 1234567890123, \"late_frames\": 1, \"holders_lost\": 3}");
    check_width();
    check_says("gone: not heard for 24 h");
    check_says("frames later than delay: 1, by up to");
}

#define STATUS_TEST(name) cmocka_unit_test_teardown(name, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        STATUS_TEST(test_peer_that_is_gone_is_called_so),
        STATUS_TEST(test_view_says_who_is_not_in_it),
        STATUS_TEST(test_change_of_the_list_is_told),
        STATUS_TEST(test_trouble_of_a_peer_is_told),
        STATUS_TEST(test_every_reason_to_refuse_is_counted),
        STATUS_TEST(test_holder_is_shown_with_its_user_time_and_token),
        STATUS_TEST(test_holder_that_cannot_be_stopped_is_shown_so),
        STATUS_TEST(test_clock_and_disk_of_the_node_are_told),
        STATUS_TEST(test_terminal_gets_no_control_characters),
        STATUS_TEST(test_it_fits_80_columns),
    };

    return cmocka_run_group_tests_name("live_status", tests, NULL, NULL);
}
