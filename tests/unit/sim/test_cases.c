/*
 * test_cases.c - every placement and every set of starters, each once.
 */
#include "tests/unit/kit/testing.h"

#include "sim/cases.h"

static const fc_name names[] = {2, 3, 5, 7, 11};

static struct sim_cases all_of(uint32_t nodes)
{
    return (struct sim_cases){names, nodes, true, true, 1};
}

/* As digits, so that the order of numbers is that of placements. */
static uint64_t number_of(const struct sim_case *one, uint32_t nodes)
{
    uint64_t number = 0;

    for (uint32_t i = 0; i < nodes; i++)
        number = 16 * number + one->names[i];
    return number;
}

static uint32_t set_of(const struct sim_case *one)
{
    uint32_t set = 0;

    for (uint32_t i = 0; i < one->wakes_count; i++) {
        assert_true(i == 0 || one->wakes[i - 1].name < one->wakes[i].name);
        assert_int_equal(one->wakes[i].tick, 0);
        set |= 1u << one->wakes[i].name;
    }
    return set;
}

/* Lexicographic, and n! of them: so there are all. */
TEST(test_every_placement_once)
{
    struct sim_case one;

    for (uint32_t nodes = 2; nodes <= 5; nodes++) {
        struct sim_cases c = all_of(nodes);
        uint64_t sets = sim_starters_count(&c), last = 0;

        for (uint64_t i = 0; i < sim_placements_count(&c); i++) {
            sim_case_find(&one, &c, i * sets);
            assert_true(number_of(&one, nodes) > last);
            last = number_of(&one, nodes);
        }
        for (uint32_t i = 0; i < nodes; i++) /* the last is descending */
            assert_int_equal(one.names[i], names[nodes - 1 - i]);
    }
    assert_int_equal(sim_placements_count(
                         &(struct sim_cases){.nodes = 5, .placements = true}),
                     120);
}

/* No two are the same, none is empty: so there are all 2^n - 1. */
TEST(test_every_set_once)
{
    struct sim_cases c = all_of(5);
    uint32_t seen[31], count = 0;
    struct sim_case one;

    for (uint32_t i = 0; i < 31; i++) {
        sim_case_find(&one, &c, 31 * 17 + i);
        seen[i] = set_of(&one);
        assert_true(seen[i] != 0);
        for (uint32_t j = 0; j < i; j++)
            count += seen[j] == seen[i];
    }
    assert_int_equal(sim_starters_count(&c), 31);
    assert_int_equal(count, 0);
}

/* What does not vary is left as it was. */
TEST(test_a_case_changes_what_varies)
{
    struct sim_cases c = all_of(3);
    struct sim_setup setup = {.net = {.naming = NET_NAMES_ASCENDING}};
    struct sim_case one;

    c.placements = false;
    sim_case_find(&one, &c, 4);
    sim_case_use(&one, &c, &setup);
    assert_int_equal(setup.net.naming, NET_NAMES_ASCENDING);
    assert_int_equal(setup.net.waking, NET_WAKE_LIST);
    assert_int_equal(setup.net.wake_count, 2);
    assert_int_equal(setup.net.world.initiators, 2);
    assert_int_equal(setup.net.wakes[0].name, 2);
    assert_int_equal(setup.net.wakes[1].name, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_placement_once),
        cmocka_unit_test(test_every_set_once),
        cmocka_unit_test(test_a_case_changes_what_varies),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
