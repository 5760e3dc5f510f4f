/*
 * test_axis.c - what charts have in common.
 */
#include <math.h>

#include "draw/chart/axis.h"
#include "tests/unit/kit/testing.h"

static void check_round(double low, double high, bool logarithmic,
                        double round_low, double round_high)
{
    struct axis a = {low, high, 0, 100, logarithmic};

    axis_round(&a);
    assert_true(fabs(a.low - round_low) < 1e-9 * high);
    assert_true(fabs(a.high - round_high) < 1e-9 * high);
}

/* Linear axes begin at 0, or below; logarithmic ones at 1, 2, 5, 10, ... */
TEST(test_ends_are_round)
{
    check_round(3, 43, false, 0, 50);
    check_round(3, 50, false, 0, 50);
    check_round(-3, 11, false, -5, 15);
    check_round(3, 43, true, 2, 50);
    check_round(0.07, 1000, true, 0.05, 1000);
    check_round(7, 7, true, 5, 10);
    check_round(5, 5, true, 5, 10);
}

TEST(test_values_have_places)
{
    struct axis linear = {0, 50, 300, 100, false};
    struct axis logarithmic = {1, 100, 0, 10, true};
    struct axis one = {4, 4, 0, 10, true};

    assert_true(fabs(axis_at(&linear, 25) - 200) < 1e-9);
    assert_true(fabs(axis_at(&logarithmic, 10) - 5) < 1e-9);
    assert_true(fabs(axis_at(&one, 4) - 5) < 1e-9);
}

TEST(test_long_numbers_are_powers_of_ten)
{
    static const struct {
        double value;
        const char *says;
    } numbers[] = {{0, "0"},
                   {0.25, "0.25"},
                   {99999, "99999"},
                   {1e5, "10\u2075"},
                   {1e12, "10\u00b9\u00b2"},
                   {2.5e6, "2.5\u00b710\u2076"}};
    char text[AXIS_NUMBER_SIZE];

    for (size_t i = 0; i < COUNT(numbers); i++) {
        axis_number(text, numbers[i].value);
        assert_string_equal(text, numbers[i].says);
    }
}

/* Neighbours move apart by the same; both ends hold. */
TEST(test_names_keep_their_distance)
{
    struct axis_name two[] = {{50, 20}, {54, 20}};
    struct axis_name low[] = {{90, 20}, {95, 20}};

    axis_spread(two, 2, 0, 100);
    assert_true(fabs(two[0].y - 42) < 1e-9 && fabs(two[1].y - 62) < 1e-9);
    axis_spread(low, 2, 0, 100);
    assert_true(fabs(low[0].y - 60) < 1e-9 && fabs(low[1].y - 80) < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends_are_round),
        cmocka_unit_test(test_values_have_places),
        cmocka_unit_test(test_long_numbers_are_powers_of_ten),
        cmocka_unit_test(test_names_keep_their_distance),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
