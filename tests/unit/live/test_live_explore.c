/*
 * test_live_explore.c - all runs of a small cluster: what is saved of a world
 * is all of it, nothing that matters is left out by not looking twice, and what
 * is found can be shown again.
 */
#include "live/rehearse/explore.h"

#include <stdlib.h>
#include <string.h>

#include "live/rehearse/choice.h"
#include "live/rehearse/seen.h"
#include "live/rehearse/state.h"
#include "tests/unit/kit/test.h"

enum {
    SECOND = 1000000,
    ALL = (1 << LIVE_FAULT_GENERATION) - 1,
    CHANGE = 1 << LIVE_FAULT_CHANGE,
};

static struct live_config config;

static int read_config(void **state)
{
    struct net_why error;

    (void)state;
    return live_smallest_cluster(&config, &error) ? 0 : -1;
}

static struct live_rehearsal setup_of(double seconds, const char *without)
{
    struct live_rehearsal setup = {.config = &config,
                                   .seed = 1,
                                   .time = (uint64_t)(seconds * SECOND),
                                   .clients = 1,
                                   .locks = 1};

    if (without)
        assert_true(live_left_out_find(&setup.without, without, LIVE_PROVEN));
    return setup;
}

/* ---- Worlds -------------------------------------------------------------- */

struct theatre {
    struct live_rehearsal setup;
    struct live_rehearsed told;
    struct live_departure wanted[2];
    struct choices choices;
    struct world world;
    struct tape tape;
};

/* A departure of every run, before the one that is asked for; calm: none. */
static struct live_departure before;

static struct theatre *open_theatre(double seconds, uint64_t number,
                                    enum live_departure_kind kind)
{
    struct theatre *t = calloc(1, sizeof *t);
    uint32_t first = before.kind != LIVE_IF_CALM;

    assert_non_null(t);
    t->setup = setup_of(seconds, NULL);
    t->wanted[0] = before;
    t->wanted[first] = (struct live_departure){.number = number, .kind = kind};
    t->choices.faults = first ? ALL | CHANGE : ALL;
    t->choices.wanted = t->wanted;
    t->choices.wanted_count = 1 + first;
    assert_int_equal(explore_begin(&t->world, &t->setup, &t->choices, &t->told),
                     0);
    return t;
}

static void close_theatre(struct theatre *t)
{
    world_end(&t->world);
    state_tape_free(&t->tape);
    free(t);
}

static void same_worlds(struct theatre *a, struct theatre *b)
{
    state_save(&a->world, &a->tape);
    state_save(&b->world, &b->tape);
    assert_int_equal(a->tape.used, b->tape.used);
    assert_memory_equal(a->tape.bytes, b->tape.bytes, a->tape.used);
}

/* Of the calm run: every so many points, in every way that it can depart
 * there. */
static void for_departures(uint32_t every,
                           void (*one)(uint64_t number,
                                       enum live_departure_kind kind))
{
    struct theatre *t = open_theatre(6, UINT64_MAX, LIVE_IF_CALM);
    uint64_t number = 0;

    while (explore_step(&t->world))
        for (uint32_t i = 0; i < t->choices.count; i++, number++)
            for (uint32_t k = 0; k < t->choices.points[i].count; k++)
                if (number % every == 0)
                    one(number, (enum live_departure_kind)t->choices.points[i]
                                    .options[k]);
    assert_true(number > 200);
    close_theatre(t);
}

/* Whatever is not saved would be another in a world that has gone elsewhere, or
 * has gone nowhere. */
static void goes_on_equally(uint64_t number, enum live_departure_kind kind)
{
    struct theatre *a = open_theatre(6, number, kind);
    struct theatre *b = open_theatre(6, number / 2, LIVE_IF_CRASHED);
    uint32_t steps = 0;

    while (explore_step(&a->world) && a->world.now < 3 * SECOND)
        continue;
    while (number % 2 && explore_step(&b->world) && b->world.now < 5 * SECOND)
        continue;
    do {
        if (steps++ % 200 == 0) {
            state_save(&a->world, &a->tape);
            state_load(&b->world, &a->tape);
            b->choices.number = a->choices.number;
            b->choices.departed = a->choices.departed;
            memcpy(b->wanted, a->wanted, sizeof a->wanted);
            b->told = a->told;
        }
        if (steps % 20 == 0)
            same_worlds(a, b);
    } while (explore_step(&a->world) && explore_step(&b->world));
    assert_int_equal(a->told.broken, LIVE_KEPT);
    close_theatre(a);
    close_theatre(b);
}

TEST(test_a_saved_world_goes_on_as_it_would_have)
{
    for_departures(is_sanitized() ? 97 : 13, goes_on_equally);
}

/* The first point of the calm run at which such a change can be asked for. */
static uint64_t change_begins(enum live_departure_kind change)
{
    struct theatre *t;
    uint64_t number = 0, found = 0;

    before = (struct live_departure){UINT64_MAX, 0, change, 0, 0};
    t = open_theatre(8, UINT64_MAX, LIVE_IF_CALM);
    while (!found && explore_step(&t->world))
        for (uint32_t i = 0; i < t->choices.count; i++, number++)
            if (memchr(t->choices.points[i].options, (int)change,
                       t->choices.points[i].count))
                found = number;
    close_theatre(t);
    before.number = found;
    return found;
}

/* While the list changes: rosters, wishes and what is asked of whom are in the
 * world, too. */
static void changes(enum live_departure_kind change, uint64_t every)
{
    static const enum live_departure_kind kinds[] = {
        LIVE_IF_CALM,   LIVE_IF_KILLED, LIVE_IF_UNWRITTEN,
        LIVE_IF_FORGOT, LIVE_IF_CUT,    LIVE_IF_CRASHED};
    uint64_t first = change_begins(change);

    assert_true(first > 0);
    for (uint64_t n = first + 1; n < first + 120; n += every)
        goes_on_equally(n, kinds[n % COUNT(kinds)]);
    before.kind = LIVE_IF_CALM;
}

TEST(test_nor_is_anything_of_a_change_forgotten)
{
    uint64_t every = is_sanitized() ? 79 : 37;

    changes(LIVE_IF_REPLACED, every);
    changes(LIVE_IF_REMOVED, every + 2);
    changes(LIVE_IF_RETIMED, every + 4);
}

/* Saving throws out what has no future: it must not be missed. */
static void run_until(struct theatre *t, uint64_t at, bool saves)
{
    do {
        if (saves)
            state_save(&t->world, &t->tape);
    } while (t->world.queued && t->world.queue[0].at <= at &&
             explore_step(&t->world));
}

static void is_neutral(uint64_t number, enum live_departure_kind kind)
{
    struct theatre *a = open_theatre(6, number, kind);
    struct theatre *b = open_theatre(6, number, kind);

    run_until(a, 6 * SECOND, false);
    run_until(b, 6 * SECOND, true);
    same_worlds(a, b);
    close_theatre(a);
    close_theatre(b);
}

TEST(test_saving_changes_nothing)
{
    for_departures(is_sanitized() ? 89 : 7, is_neutral);
}

/* ---- All runs ------------------------------------------------------------ */

static struct live_explored explored(double seconds, uint32_t departures,
                                     uint32_t faults, bool forgets)
{
    struct live_exploration what = {.setup = setup_of(seconds, NULL),
                                    .departures = departures,
                                    .forgets = forgets};
    struct live_explored result;

    what.setup.faults = faults;
    assert_int_equal(live_explore(&what, &result), 0);
    return result;
}

/* Runs that are not followed because their world was seen would have ended as
 * those that were. */
static void forgets_nothing(double seconds, uint32_t departures,
                            uint32_t faults)
{
    struct live_explored a = explored(seconds, departures, faults, false);
    struct live_explored b = explored(seconds, departures, faults, true);
    const struct live_level *with = &a.levels[departures];
    const struct live_level *without = &b.levels[departures];

    assert_int_equal(a.end, LIVE_EXPLORED);
    assert_int_equal(b.end, LIVE_EXPLORED);
    assert_true(with->runs <= without->runs);
    assert_true(with->ends > 1);
    assert_int_equal(with->ends, without->ends);
    assert_int_equal(with->sum, without->sum);
}

TEST(test_no_end_is_lost_by_not_looking_twice)
{
    forgets_nothing(is_sanitized() ? 3 : 6, 1, ALL);
}

TEST(test_nor_with_two_departures)
{
    forgets_nothing(5.6, 2, 1 << LIVE_FAULT_CLIENT);
    if (is_sanitized())
        return;
    forgets_nothing(5.6, 2, 1 << LIVE_FAULT_CUT);
    forgets_nothing(5.6, 2, 1 << LIVE_FAULT_KILL);
    forgets_nothing(2.1, 2, 1 << LIVE_FAULT_LOSS);
}

TEST(test_nor_when_the_list_changes)
{
    forgets_nothing(6, 1, CHANGE);
    if (!is_sanitized())
        forgets_nothing(3.6, 2, CHANGE | 1 << LIVE_FAULT_KILL);
}

LONG_TEST(test_counts_are_the_same_everywhere)
{
    struct live_explored r = explored(3, 1, ALL, false);

    assert_int_equal(r.levels[0].runs, 1);
    assert_int_equal(r.levels[1].runs, 537);
    assert_int_equal(r.levels[1].merged, 103);
    assert_int_equal(r.levels[1].worlds, 455);
    assert_int_equal(r.levels[1].points, 108);
    assert_int_equal(r.levels[1].ends, 434);
    /* Two departures in one event are among these. */
    r = explored(1.1, 2, 1 << LIVE_FAULT_LOSS, false);
    assert_int_equal(r.levels[2].runs, 2647);
    assert_int_equal(r.levels[2].merged, 204);
    assert_int_equal(r.levels[2].ends, 2443);
}

/* What is found is found with the fewest departures, and is there again. */
TEST(test_a_violation_is_shown_again)
{
    struct live_exploration what = {.setup = setup_of(6, "V3"),
                                    .departures = 2};
    struct live_explored r;
    struct live_rehearsed again;

    what.setup.faults = ALL;
    assert_int_equal(live_explore(&what, &r), 0);
    assert_int_equal(r.end, LIVE_VIOLATED);
    assert_int_equal(r.departures, 1);
    assert_int_equal(r.path_count, 1);
    assert_int_equal(r.first.broken, LIVE_TWO_INSIDE);
    assert_int_equal(live_replay(&what.setup, r.path, 1, &again), 1);
    assert_int_equal(again.broken, LIVE_TWO_INSIDE);
    assert_int_equal(again.at, r.first.at);
    assert_string_equal(again.why, r.first.why);
    assert_int_equal(live_replay(&what.setup, NULL, 0, &again), 0);
    assert_int_equal(again.broken, LIVE_KEPT);
}

TEST(test_memory_is_bounded)
{
    struct live_exploration what = {
        .setup = setup_of(6, NULL), .departures = 2, .memory = 1000};
    struct live_explored r;

    what.setup.faults = ALL;
    assert_int_equal(live_explore(&what, &r), 0);
    assert_int_equal(r.end, LIVE_NO_ROOM);
    assert_int_equal(r.departures, 0);
    assert_true(r.bytes <= what.memory);
}

/* ---- The table ----------------------------------------------------------- */

TEST(test_seen_with_as_many_left_is_enough)
{
    struct seen seen = {0};
    struct seen_hash h = seen_hash("world", 5);

    assert_int_equal(seen_add(&seen, h, 1), SEEN_NEVER);
    assert_int_equal(seen_add(&seen, h, 1), SEEN_ENOUGH);
    assert_int_equal(seen_add(&seen, h, 0), SEEN_ENOUGH);
    assert_int_equal(seen_add(&seen, h, 2), SEEN_WITH_LESS);
    assert_int_equal(seen_add(&seen, h, 1), SEEN_ENOUGH);
    assert_int_equal(seen.count, 1);
    seen_clear(&seen);
    assert_int_equal(seen_add(&seen, h, 0), SEEN_NEVER);
    seen_free(&seen);
}

TEST(test_seen_grows_and_is_full)
{
    struct seen seen = {.bytes_max = 1 << 20};
    uint32_t count = 0;

    for (; !seen.full; count++)
        (void)seen_add(&seen, seen_hash(&count, sizeof count), count % 3);
    assert_in_range(count, 40000, 65536);
    assert_true(seen_bytes(&seen) <= seen.bytes_max);
    seen.bytes_max = 0;
    for (uint32_t i = 0; i + 1 < count; i++)
        assert_int_equal(seen_add(&seen, seen_hash(&i, sizeof i), i % 3),
                         SEEN_ENOUGH);
    seen_free(&seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_saved_world_goes_on_as_it_would_have),
        cmocka_unit_test(test_nor_is_anything_of_a_change_forgotten),
        cmocka_unit_test(test_saving_changes_nothing),
        cmocka_unit_test(test_no_end_is_lost_by_not_looking_twice),
        cmocka_unit_test(test_nor_with_two_departures),
        cmocka_unit_test(test_nor_when_the_list_changes),
        cmocka_unit_test(test_counts_are_the_same_everywhere),
        cmocka_unit_test(test_a_violation_is_shown_again),
        cmocka_unit_test(test_memory_is_bounded),
        cmocka_unit_test(test_seen_with_as_many_left_is_enough),
        cmocka_unit_test(test_seen_grows_and_is_full),
    };

    return cmocka_run_group_tests(tests, read_config, NULL);
}
