/*
 * test_view_lock_runs.c - the live lock in many runs with everything that can
 * go wrong; and what the same runs show without one of its rules.
 */
#include "protocols/mutex/view_lock/test_view_lock_days.h"

#define DAYS                                                                   \
    .bounds = {8, 10, 1, 50}, .until = 60000, .section = 60, .think = 40,      \
    .late_ticks = 2000, .longest = 4000

static const struct trouble troubles[] = {
    {DAYS, .nodes = 3},
    {DAYS, .nodes = 3, .loss = 1u << 30, .clock = NET_CLOCK_DRIFT},
    {DAYS, .nodes = 3, .pauses = 3, .late = 1u << 29},
    {DAYS, .nodes = 3, .cuts = 2, .pauses = 2, .loss = 1u << 28},
    {DAYS, .nodes = 5, .cuts = 1, .crashes = 5, .duplicate = 1u << 29},
    {DAYS, .nodes = 4, .pauses = 1, .crashes = 3, .loss = 1u << 29, .cuts = 1},
    {DAYS, .nodes = 9, .pauses = 1, .cuts = 1, .loss = 1u << 27},
};

TEST(test_never_two_inside_whatever_goes_wrong)
{
    for (size_t i = 0; i < COUNT(troubles); i++) {
        uint64_t entries = 0;

        for (uint64_t seed = 1; seed <= rounds(60); seed++)
            assert_int_equal(play(&troubles[i], seed, &entries), 0);
        assert_true(entries > rounds(60) * 60); /* and they do get in */
    }
}

/* With half of all messages lost views of many nodes come about, and last long
 * enough to be used. */
TEST(test_half_of_all_messages_may_be_lost)
{
    static const struct trouble lossy[] = {
        {DAYS, .nodes = 5, .loss = UINT32_C(1) << 31},
        {DAYS, .nodes = 9, .loss = UINT32_C(1) << 31},
    };

    for (size_t i = 0; i < COUNT(lossy); i++) {
        uint64_t entries = 0;

        for (uint64_t seed = 1; seed <= rounds(12); seed++)
            assert_int_equal(play(&lossy[i], seed, &entries), 0);
        assert_true(entries > rounds(12) * 30);
    }
}

/* For more nodes than sixteen there are engines of their own, which do the same
 * for fewer. */
TEST(test_engines_for_many_nodes)
{
    static const struct trouble many = {DAYS, .nodes = 20, .pauses = 1,
                                        .cuts = 1, .crashes = 3};
    const struct sim_type *type = sim_find("view-lock");
    uint64_t entries = 0;

    assert_int_equal(type->most, 16);
    for (uint64_t seed = 1; seed <= rounds(3); seed++)
        assert_int_equal(play(&many, seed, &entries), 0);
    assert_true(entries > rounds(3) * 60);
    for (size_t i = 0; i < COUNT(troubles); i++) {
        struct sim_result few = play_on(type, &troubles[i], 1);
        struct sim_result wide = play_on(type->wide, &troubles[i], 1);

        assert_true(few.entries > 0);
        assert_int_equal(wide.entries, few.entries);
        assert_int_equal(wide.messages, few.messages);
        assert_int_equal(wide.frames, few.frames);
        assert_int_equal(wide.events, few.events);
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
            for (size_t i = 1; i < COUNT(troubles) - 1 && !broken; i++) {
                struct trouble what = troubles[i];

                what.params.without = (uint8_t)rules[r];
                broken = play(&what, seed, &entries);
            }
        assert_true(broken & (MUTEX_EXCLUSION | MUTEX_TOKEN_GROWS));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_never_two_inside_whatever_goes_wrong),
        cmocka_unit_test(test_half_of_all_messages_may_be_lost),
        cmocka_unit_test(test_engines_for_many_nodes),
        cmocka_unit_test(test_chance_finds_missing_rules),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
