/*
 * test_values.c - formulas over records: what is summed up, what is left out.
 */
#include "lab/formula/values.h"

#include <math.h>

#include "protocols/election/vitanyi/vitanyi.h"
#include "tests/unit/kit/test.h"

static const struct vitanyi_params unset;
static const struct net ring = {
    .protocol = &vitanyi_protocol,
    .world = {.nodes = 3,
              .initiators = 3,
              .least = 1,
              .greatest = 3,
              .bounds = {1, 1, 0, 0},
              .bounded = true},
    .params = &unset,
};

static struct lab_value value_of(const char *text)
{
    struct lab_value v;
    struct net_why why;

    if (!lab_value_read(&v, text, &ring, &why))
        fail_msg("%s: %s", text, why.text);
    v.scope.letters = v.letters;
    return v;
}

/* Names: name, place, step, passes, bits. */
static void sum_up(const char *text, uint64_t (*rows)[5], size_t count,
                   uint64_t run, struct lab_value_sum *out)
{
    struct lab_value v = value_of(text);
    struct sim_records r = {0};

    r.table[SIM_TABLE_NAME] =
        (struct sim_rows){.cell = rows[0], .width = 5, .count = count};
    v.scope.letters = v.letters;
    lab_value_run(&v, &r, run, out);
}

/* What has no value is left out: a division by 0, a cell that is empty. */
TEST(test_records_without_a_value)
{
    uint64_t rows[][5] = {
        {1, 0, 1, 6, 2}, {2, 1, 1, 3, 0}, {3, 2, SIM_ABSENT, 9, 1}};
    struct lab_value_sum sum;

    sum_up("a=name:passes/bits", rows, 3, 7, &sum);
    assert_int_equal(sum.records.count, 2);
    assert_int_equal(sum.left_out, 1);
    assert_true(sum.records.mean == 6 && sum.records.max == 9);
    assert_int_equal(sum.records.max_run, 7);
    sum_up("a=name:step", rows, 3, 7, &sum);
    assert_int_equal(sum.records.count, 2);
    assert_int_equal(sum.left_out, 1);
    sum_up("a=name:N*name", rows, 3, 7, &sum);
    assert_true(sum.records.mean == 6);
    /* Those of which a condition is false, too. */
    sum_up("a=name:passes/(name = 2)", rows, 3, 7, &sum);
    assert_int_equal(sum.records.count, 1);
    assert_int_equal(sum.left_out, 2);
    assert_true(sum.records.mean == 3);
}

/* Each run counts as much as any other, however many records it has. */
TEST(test_runs_are_units_of_values)
{
    uint64_t rows[][5] = {{1, 0, 1, 4, 0}, {2, 1, 1, 6, 0}, {3, 2, 1, 11, 0}};
    struct lab_value_sum first, second, none, all = {0};

    sum_up("a=name:passes", rows, 2, 0, &first);
    sum_up("a=name:1/bits", rows, 3, 1, &none);
    sum_up("a=name:passes", rows + 2, 1, 2, &second);
    lab_value_merge(&all, &first);
    lab_value_merge(&all, &none);
    lab_value_merge(&all, &second);
    assert_int_equal(all.records.count, 3);
    assert_true(all.records.mean == 7);
    assert_true(fabs(lab_sum_sd(&all.records) - sqrt(13)) < 1e-12);
    assert_int_equal(all.runs.count, 2);
    assert_true(all.runs.mean == 8);
    assert_true(fabs(lab_sum_sd(&all.runs) - sqrt(18)) < 1e-12);
    assert_int_equal(all.left_out, 3);
    assert_int_equal(all.records.min_run, 0);
    assert_int_equal(all.records.max_run, 2);
}

TEST(test_odd_values_are_refused)
{
    static const char *const odd[] = {
        "",          "a",         "a=",
        "a=run",     "a=run:",    "=run:1",
        "a b=run:1", "a=entry:1", "a=runs:1",
        "a=name:q",  "a=name:1+", "a=name:name/0",
        "a=name:)(", "a=phase:1", "a-very-long-name-of-a-value-is-odd=run:1",
    };
    struct net_why why;
    struct lab_value v;

    for (size_t i = 0; i < COUNT(odd); i++)
        assert_false(lab_value_read(&v, odd[i], &ring, &why));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_records_without_a_value),
        cmocka_unit_test(test_runs_are_units_of_values),
        cmocka_unit_test(test_odd_values_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
