/*
 * test_view_lock_moves.c - the list of the live lock changes in many runs with
 * everything that can go wrong; and what the same runs show without a rule.
 */
#include "protocols/mutex/view_lock/test_view_lock_days.h"

/* Coarse: steps that are not short compared with the lease, and messages that
 * come after it, bring about much in few ticks. */
#define MOVES                                                                  \
    .bounds = {1, 1, 1, 3}, .until = 3000, .section = 40, .think = 20,         \
    .late_ticks = 60, .longest = 120,                                          \
    .params = {.tau = 4, .lease = 16, .silence = 20}
#define DRIFTS                                                                 \
    .bounds = {3, 4, 1, 8}, .clock = NET_CLOCK_DRIFT, .until = 6000,           \
    .section = 30, .think = 20, .late_ticks = 100, .longest = 200

/* By index, a bit each. */
struct move {
    struct trouble what;
    uint64_t first;
    struct fc_list lists[2];
};

static const struct move moves[] = {
    {{MOVES, .nodes = 4, .loss = 1u << 29, .cuts = 2, .changes = 2},
     7,
     {{.nodes = 11}, {.nodes = 7}}},
    {{MOVES, .nodes = 4, .late = 1u << 30, .pauses = 2, .crashes = 4,
      .changes = 2},
     7,
     {{.nodes = 12}, {.nodes = 3, .number = 24}}},
    {{MOVES, .nodes = 3, .cuts = 2, .crashes = 3, .changes = 2},
     3,
     {{.nodes = 6}, {.nodes = 7, .marked = 1}}},
    {{DRIFTS, .nodes = 3, .loss = 1u << 28, .cuts = 2, .changes = 2},
     7,
     {{.nodes = 3}, {.nodes = 7}}},
    {{DRIFTS, .nodes = 4, .cuts = 1, .pauses = 1, .crashes = 3,
      .late = 1u << 29, .changes = 2},
     7,
     {{.nodes = 8}, {.nodes = 14}}},
    {{DRIFTS, .nodes = 2, .cuts = 2, .loss = 1u << 29, .changes = 2},
     1,
     {{.nodes = 2}, {.nodes = 3, .number = 20}}},
};

static uint32_t play_move(const struct move *m, enum view_lock_without without,
                          uint64_t seed, uint64_t *entries)
{
    struct trouble what = m->what;

    what.params.without = (uint8_t)without;
    what.params.first = (struct fc_lists){1, 0, {{.nodes = m->first}}};
    what.params.wishes = (struct fc_lists){2, 0, {m->lists[0], m->lists[1]}};
    return play(&what, seed, entries);
}

TEST(test_never_two_inside_while_lists_change)
{
    for (size_t i = 0; i < COUNT(moves); i++) {
        uint64_t entries = 0;

        for (uint64_t seed = 1; seed <= rounds(170); seed++)
            assert_int_equal(
                play_move(&moves[i], VIEW_LOCK_WHOLE, seed, &entries), 0);
        assert_true(entries > rounds(170) * 10); /* and they do get in */
    }
}

/* The one rule that such runs need soon; those of facts.txt show the others. */
TEST(test_chance_finds_who_is_not_outwaited)
{
    uint32_t broken = 0;
    uint64_t entries = 0;

    for (uint64_t seed = 1; seed <= 100 && !broken; seed++)
        for (size_t i = 3; i < 5 && !broken; i++)
            broken =
                play_move(&moves[i], VIEW_LOCK_WITHOUT_R2_PREV, seed, &entries);
    assert_true(broken & (MUTEX_EXCLUSION | MUTEX_TOKEN_GROWS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_never_two_inside_while_lists_change),
        cmocka_unit_test(test_chance_finds_who_is_not_outwaited),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
