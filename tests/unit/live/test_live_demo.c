/*
 * test_live_demo.c - the judge of the demo: it must find two holders at once.
 *
 * The command line is no library, so the file is taken as it is.
 */
#include "cli/demo/demo_record.c"

#include <stdlib.h>

#include "tests/unit/kit/testing.h"

const char *const demo_names[DEMO_NODES] = {"north", "east", "south", "west",
                                            "centre"};

static struct demo_record record;
static char path[] = "/tmp/fulcrum-demo-XXXXXX";

static int begin(void **state)
{
    int file;

    (void)state;
    strcpy(path, "/tmp/fulcrum-demo-XXXXXX");
    file = mkstemp(path);
    if (file < 0)
        return -1;
    close(file);
    return demo_record_open(&record, path);
}

static int end(void **state)
{
    (void)state;
    demo_record_close(&record);
    return unlink(path);
}

/* Appends, and reads what is new. */
static void holders_write(const char *text)
{
    int file = open(path, O_WRONLY | O_APPEND);

    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
    demo_record_read(&record);
}

static void check_wrong(const char *words)
{
    const char *wrong = demo_record_judge(&record);

    assert_non_null(wrong);
    assert_non_null(strstr(wrong, words));
}

TEST(test_one_after_the_other_is_right)
{
    holders_write("turn 5 north in 100 1\nturn 5 north is 150 1\n"
                  "turn 5 north out 200 1\nturn 6 east in 201 2\n");
    assert_null(demo_record_judge(&record));
    assert_int_equal(record.count, 2);
    assert_true(record.entries[0].left);
    assert_int_equal(record.entries[0].to, 200);
    assert_false(record.entries[1].left);
    assert_int_equal(demo_record_last(&record, "turn")->node, 1);
    assert_null(demo_record_last(&record, "leader"));
}

TEST(test_two_inside_are_found)
{
    holders_write("turn 5 north in 100 1\nturn 6 east in 150 2\n"
                  "turn 5 north is 151 1\n");
    check_wrong("two were inside");
}

TEST(test_same_instant_is_found)
{
    holders_write("turn 5 north in 100 1\nturn 5 north is 150 1\n"
                  "turn 6 east in 150 2\n");
    check_wrong("two were inside");
}

TEST(test_tokens_that_go_back_are_found)
{
    holders_write("turn 6 north in 100 1\nturn 5 east in 150 2\n");
    check_wrong("did not grow");
}

TEST(test_token_given_twice_is_found)
{
    holders_write("turn 5 north in 100 1\nturn 5 east in 150 2\n");
    check_wrong("twice");
}

TEST(test_locks_are_judged_apart)
{
    holders_write("turn 6 north in 100 1\nleader 5 east in 100 2\n"
                  "turn 6 north is 150 1\nleader 5 east is 150 2\n");
    assert_null(demo_record_judge(&record));
}

TEST(test_word_of_nobody_is_found)
{
    holders_write("turn 5 north is 100 1\n");
    check_wrong("never entered");
}

TEST(test_lines_may_come_in_pieces)
{
    holders_write("turn 5 no");
    assert_int_equal(record.count, 0);
    holders_write("rth in 100 1\nturn 5 north i");
    assert_int_equal(record.count, 1);
    holders_write("s 170 1\n");
    assert_int_equal(record.entries[0].to, 170);
    holders_write("nonsense\n");
    check_wrong("cut");
}

/* What a thawed holder tried is no stay: the store decides on it. */
TEST(test_late_write_is_noted_and_moves_no_end)
{
    holders_write("leader 5 north in 100 1\nleader 6 east in 150 2\n"
                  "leader 5 north late 200 1\nleader 6 east lost 300 2\n");
    assert_null(demo_record_judge(&record));
    assert_true(record.entries[0].refused);
    assert_int_equal(record.entries[0].to, 100);
    assert_true(demo_record_find(&record, &record.entries[1])->overwritten);
}

#define DEMO_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        DEMO_TEST(test_one_after_the_other_is_right),
        DEMO_TEST(test_two_inside_are_found),
        DEMO_TEST(test_same_instant_is_found),
        DEMO_TEST(test_tokens_that_go_back_are_found),
        DEMO_TEST(test_token_given_twice_is_found),
        DEMO_TEST(test_locks_are_judged_apart),
        DEMO_TEST(test_word_of_nobody_is_found),
        DEMO_TEST(test_lines_may_come_in_pieces),
        DEMO_TEST(test_late_write_is_noted_and_moves_no_end),
    };

    return cmocka_run_group_tests_name("live_demo", tests, NULL, NULL);
}
