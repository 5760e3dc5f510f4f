/*
 * test_view_lock_runs.c - the live lock in many runs with everything that can
 * go wrong; and what the same runs show without one of its rules.
 */
#include "protocols/view_lock.h"
#include "sim/batch.h"
#include "tests/unit/testing.h"

/* ---- Everything that can go wrong ---------------------------------------- */

struct trouble {
    uint32_t nodes;
    sim_chance loss, duplicate, late;
    uint32_t crashes, pauses, cuts;
    enum sim_clock clock;
};

/* One run with its own schedule of pauses, cuts and crashes; returns the
 * properties that it broke. */
static uint32_t play(const struct trouble *what, uint64_t seed,
                     enum view_lock_without without, uint64_t *entries)
{
    struct sim_fault faults[32];
    struct dice dice = {seed};
    struct view_lock_params p = {.without = (uint8_t)without};
    struct sim_memory memory = {0};
    struct sim_job job = {.seed = seed, .memory = &memory};
    struct sim_result result;
    uint32_t count = 0;
    struct sim_setup s = {
        .type = sim_find("view-lock"),
        .params = &p,
        .time = SIM_ARCHIMEDEAN,
        .clock = what->clock,
        .any_order = true,
        .first_name = 1,
        .world = {.nodes = what->nodes, .bounds = {8, 10, 1, 50}},
        .until = 60000,
        .work = {.entries = 40,
                 .section = {SIM_UNIFORM, 1, 60},
                 .think = {SIM_UNIFORM, 1, 40},
                 .shared = UINT64_C(1) << 30},
        .faults = {.list = faults,
                   .loss = what->loss,
                   .duplicate = what->duplicate,
                   .late = what->late,
                   .late_ticks = 2000,
                   .crashes = what->crashes,
                   .blank = true},
    };

    for (fc_name name = 1; name <= what->nodes; name++) {
        for (uint32_t i = 0; i < what->pauses; i++)
            faults[count++] =
                (struct sim_fault){SIM_FAULT_PAUSE,
                                   {.name = name},
                                   throw_below(&dice, 50000),
                                   100 + throw_below(&dice, 4000)};
        for (uint32_t i = 0; i < what->cuts; i++) {
            uint32_t from = throw_below(&dice, 45000);

            faults[count++] =
                (struct sim_fault){SIM_FAULT_CUT, {.name = name}, from, 0};
            faults[count++] =
                (struct sim_fault){SIM_FAULT_JOINED,
                                   {.name = name},
                                   from + 100 + throw_below(&dice, 8000),
                                   0};
        }
    }
    s.faults.count = count;
    sim_describe(&s);
    assert_null(s.type->protocol->prepare(&p, &s.world));
    assert_int_equal(sim_run(&s, &job, &result), SIM_OK);
    *entries += result.entries;
    sim_memory_free(&memory);
    return result.broken;
}

static const struct trouble troubles[] = {
    {.nodes = 3},
    {.nodes = 3, .loss = 1u << 30, .clock = SIM_CLOCK_DRIFT},
    {.nodes = 3, .pauses = 3, .late = 1u << 29},
    {.nodes = 3, .cuts = 2, .pauses = 2, .loss = 1u << 28},
    {.nodes = 5, .cuts = 1, .crashes = 5, .duplicate = 1u << 29},
    {.nodes = 4, .pauses = 1, .crashes = 3, .loss = 1u << 29, .cuts = 1},
    {.nodes = 9, .pauses = 1, .cuts = 1, .loss = 1u << 27},
};

TEST(test_never_two_inside_whatever_goes_wrong)
{
    for (size_t i = 0; i < COUNT(troubles); i++) {
        uint64_t entries = 0;

        for (uint64_t seed = 1; seed <= rounds(60); seed++)
            assert_int_equal(
                play(&troubles[i], seed, VIEW_LOCK_WHOLE, &entries), 0);
        assert_true(entries > rounds(60) * 60); /* and they do get in */
    }
}

/* With half of all messages lost views of many nodes come about, and last long
 * enough to be used. */
TEST(test_half_of_all_messages_may_be_lost)
{
    static const struct trouble lossy[] = {
        {.nodes = 5, .loss = UINT32_C(1) << 31},
        {.nodes = 9, .loss = UINT32_C(1) << 31},
    };

    for (size_t i = 0; i < COUNT(lossy); i++) {
        uint64_t entries = 0;

        for (uint64_t seed = 1; seed <= rounds(12); seed++)
            assert_int_equal(play(&lossy[i], seed, VIEW_LOCK_WHOLE, &entries),
                             0);
        assert_true(entries > rounds(12) * 30);
    }
}

/* Without a rule the same runs show two inside, or a token that does not
 * grow.  (Some rules guard against what chance hardly ever brings about; the
 * tests above show those.) */
TEST(test_chance_finds_missing_rules)
{
    static const enum view_lock_without rules[] = {
        VIEW_LOCK_WITHOUT_L2, VIEW_LOCK_WITHOUT_L3, VIEW_LOCK_WITHOUT_L4,
        VIEW_LOCK_WITHOUT_V3, VIEW_LOCK_WITHOUT_F3, VIEW_LOCK_WITHOUT_P1,
        VIEW_LOCK_WITHOUT_F2, VIEW_LOCK_WITHOUT_V2};
    /* Under sanitizers, those that are found soon. */
    size_t count = rounds(3) == 3 ? COUNT(rules) : 4;

    for (size_t r = 0; r < count; r++) {
        uint32_t broken = 0;
        uint64_t entries = 0;

        for (uint64_t seed = 1; seed <= 400 && !broken; seed++)
            for (size_t i = 1; i < COUNT(troubles) - 1 && !broken; i++)
                broken = play(&troubles[i], seed, rules[r], &entries);
        assert_true(broken & (MUTEX_EXCLUSION | MUTEX_TOKEN_GROWS));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_never_two_inside_whatever_goes_wrong),
        cmocka_unit_test(test_half_of_all_messages_may_be_lost),
        cmocka_unit_test(test_chance_finds_missing_rules),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
