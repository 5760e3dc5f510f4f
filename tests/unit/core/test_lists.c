/*
 * test_lists.c - lists of nodes as people type them.
 */
#include "core/lists.h"
#include "tests/unit/kit/testing.h"

TEST(test_lists_are_read)
{
    struct fc_lists l;

    assert_true(fc_lists_read(&l, "none"));
    assert_int_equal(l.count, 0);
    assert_true(fc_lists_read(&l, "1,3w,64:20/2"));
    assert_int_equal(l.count, 2);
    assert_true(l.list[0].nodes == (UINT64_C(1) << 63 | 5));
    assert_int_equal(l.list[0].marked, 4);
    assert_int_equal(l.list[0].number, 20);
    assert_int_equal(l.list[1].nodes, 2);
    assert_int_equal(l.list[1].number, 0);
    assert_true(fc_lists_read(&l, "1/1/1/1"));
    assert_int_equal(l.count, FC_LISTS_MAX);
}

TEST(test_what_is_no_list_changes_nothing)
{
    static const char *const wrong[] = {
        "",
        "0",
        "65",
        "1,",
        ",1",
        "1,1",
        "1:0",
        "1:",
        "1/",
        "/1",
        "nones",
        "1ww",
        "1 2",
        "w",
        "1:99999999999",
        "-1",
        "1,2w3",
        "1/1/1/1/1",
        "99999999999999999999",
    };
    struct fc_lists l = {.count = 7};

    for (size_t i = 0; i < COUNT(wrong); i++) {
        assert_false(fc_lists_read(&l, wrong[i]));
        assert_int_equal(l.count, 7);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists_are_read),
        cmocka_unit_test(test_what_is_no_list_changes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
