/*
 * test_scan.c - taking a line of text apart.
 */
#include "tests/unit/kit/testing.h"
#include "trace/reader.h"

/* A word is taken whole, or nothing is: also where the line ends within it. */
TEST(test_a_word_ends_with_its_line)
{
    static const char text[] = "send #1";
    struct scan s = {text, text + 3};

    assert_false(scan_literal(&s, "send"));
    assert_ptr_equal(s.at, text);
    s.end = text + 4;
    assert_false(scan_literal(&s, "sent"));
    assert_ptr_equal(s.at, text);
    assert_true(scan_literal(&s, "send"));
    assert_ptr_equal(s.at, s.end);
    assert_false(scan_literal(&s, " "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_word_ends_with_its_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
