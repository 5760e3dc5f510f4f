/*
 * test_maekawa.c - committees: that any two meet, the rules of a member and of
 * whoever asks it, Sanders' correction, the cost, all orders for a few sites,
 * many seeds for more.
 *
 * Sites of the rules are those of the plane of order 2: site i asks i, i+1 and
 * i+3 modulo 7.  The one looked at is number 2, with the committee 2, 3, 5.
 */
#define MUTEX        maekawa
#define MUTEX_SOURCE "protocols/mutex/maekawa/maekawa.c"
#define ORDERS_NODES 4
#include "tests/unit/kit/mutexes.h"

static const struct fc_member me = {2, 7};
static const struct maekawa_params sanders = {.rules = MAEKAWA_SANDERS},
                                   printed = {.rules = MAEKAWA_PRINTED};

static struct fc_stamp stamp(uint32_t kind, uint64_t number)
{
    return (struct fc_stamp){.kind = (uint8_t)kind, .number = number};
}

static struct maekawa_out step(struct maekawa *s, struct maekawa_in in)
{
    return try_event(s, &sanders, &me, in);
}

static void check_sent(const struct maekawa_out *out, uint32_t i, uint32_t to,
                       uint32_t kind, uint64_t number)
{
    struct fc_stamp wanted = stamp(kind, number);

    assert_true(i < out->fx.sends);
    assert_int_equal(out->fx.to[i], to);
    assert_memory_equal(&out->send[i], &wanted, sizeof wanted);
}

static void check_state(struct maekawa is, struct maekawa wanted)
{
    assert_memory_equal(&is, &wanted, sizeof is);
}

/* A member that is locked for request `number` of `who`. */
static struct maekawa member(uint32_t who, uint64_t number)
{
    return (struct maekawa){
        .lock = (uint16_t)(who + 1), .lock_number = number, .highest = 9};
}

/* Waits with request 9, its own lock, and those of `others`, a bit each. */
static struct maekawa asking(uint64_t others)
{
    struct maekawa s = member(2, 9);

    s.role = MUTEX_WAITS;
    s.number = 9;
    s.locked.word[0] = others | 1 << 2;
    return s;
}

/* ---- Committees ---------------------------------------------------------- */

static uint32_t count_common(const struct fc_set *a, const struct fc_set *b)
{
    struct fc_set common;

    for (uint32_t i = 0; i < FC_SET_WORDS; i++)
        common.word[i] = a->word[i] & b->word[i];
    return fc_set_count(&common);
}

/* Each site is in its own committee, and any two committees meet. */
TEST(test_small_committees_meet)
{
    for (uint32_t n = 1; n <= MUTEX_NODES; n++)
        for (uint32_t width = 0; width <= n; width++) {
            struct maekawa_params p = {.width = width};
            struct fc_set sets[MUTEX_NODES];

            if (width ? width * width < n || (width - 1) * (width - 1) >= n
                      : plane_of(n) == NULL)
                continue;
            for (uint32_t i = 0; i < n; i++) {
                maekawa_committee(&p, &(struct fc_member){i, n}, &sets[i]);
                assert_true(fc_set_has(&sets[i], i));
                for (uint32_t j = 0; j <= i; j++)
                    assert_true(count_common(&sets[i], &sets[j]) >= 1);
            }
        }
}

/* Every number below n is the difference of exactly one pair: any two lines
 * meet in one point, and every site is on as many lines as a line has. */
TEST(test_lines_are_perfect_difference_sets)
{
    for (size_t i = 0; i < COUNT(planes); i++) {
        const struct plane *p = &planes[i];
        uint32_t q = p->size - 1u, seen[256] = {0};

        assert_int_equal(p->nodes, q * q + q + 1);
        for (uint32_t a = 0; a < p->size; a++)
            for (uint32_t b = 0; b < p->size; b++)
                seen[(p->line[a] + p->nodes - p->line[b]) % p->nodes]++;
        assert_int_equal(seen[0], p->size);
        for (uint32_t d = 1; d < p->nodes; d++)
            assert_int_equal(seen[d], 1);
    }
}

/* Lines where there are some, else a grid that is as square as can be. */
TEST(test_prepare_chooses_the_committees)
{
    static const struct {
        const char *quorum;
        uint32_t nodes, width; /* 99: refused */
    } cases[] = {{"auto", 7, 0},    {"auto", 8, 3},    {"grid", 7, 3},
                 {"plane", 7, 0},   {"plane", 8, 99},  {"auto", 183, 0},
                 {"auto", 256, 16}, {"auto", 257, 99}, {"auto", 1, 1},
                 {"grid", 9, 3},    {"grid", 10, 4}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct maekawa_params p;
        struct fc_world world = {.nodes = cases[i].nodes};
        const char *file, *refused;
        struct fc_wait *wait;

        fc_params_default(&maekawa_protocol, &p);
        assert_int_equal(p.rules, MAEKAWA_SANDERS);
        assert_int_equal(fc_params_set(&maekawa_protocol, &p, "quorum",
                                       cases[i].quorum, &file, &wait),
                         FC_SET_DONE);
        refused = maekawa_protocol.prepare(&p, &world);
        if (cases[i].width == 99)
            assert_non_null(refused);
        else
            assert_int_equal(p.width, cases[i].width);
    }
}

/* ---- A member ------------------------------------------------------------ */

TEST(test_free_member_is_locked_for_the_first)
{
    struct maekawa s = {0};
    struct maekawa_out out = step(&s, hears(6, stamp(REQUEST, 9)));

    assert_int_equal(look_at(&s, &me).role, MUTEX_IDLE);
    assert_int_equal(out.fx.sends, 1);
    check_sent(&out, 0, 6, LOCKED, 9);
    check_state(s, member(6, 9));
}

/* Later requests wait and are told so, by number and then by site. */
TEST(test_later_requests_are_refused)
{
    static const struct {
        uint32_t from;
        uint64_t number;
    } cases[] = {{6, 8}, {1, 8}, {5, 7}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct maekawa s = member(4, 7), wanted = member(4, 7);
        uint64_t number = cases[i].number;
        struct maekawa_out out =
            step(&s, hears(cases[i].from, stamp(REQUEST, number)));

        assert_int_equal(out.fx.sends, 1);
        check_sent(&out, 0, cases[i].from, FAILED, number);
        wanted.queue[cases[i].from] = number;
        check_state(s, wanted);
    }
}

/* An earlier one makes it ask for its lock: once. */
TEST(test_earlier_request_makes_it_inquire_once)
{
    struct maekawa s = member(4, 7), wanted = member(4, 7);
    struct maekawa_out out = step(&s, hears(1, stamp(REQUEST, 7)));

    assert_int_equal(out.fx.sends, 1);
    check_sent(&out, 0, 4, INQUIRE, 7);
    wanted.queue[1] = 7;
    wanted.inquires = 1;
    check_state(s, wanted);
    out = step(&s, hears(6, stamp(REQUEST, 6)));
    wanted.queue[6] = 6;
    check_state(s, wanted);
    assert_int_equal(out.fx.sends, 1); /* the one that was first is told */
    check_sent(&out, 0, 1, FAILED, 7);
    out = step(&s, hears(5, stamp(REQUEST, 6)));
    check_sent(&out, 0, 6, FAILED, 6);
    out = step(&s, hears(0, stamp(REQUEST, 7)));
    assert_int_equal(out.fx.sends, 1); /* it is not before all */
    check_sent(&out, 0, 0, FAILED, 7);
}

/* Without Sanders' correction the one that was first is not told. */
TEST(test_printed_rules_do_not_tell_who_was_first)
{
    struct maekawa s = member(4, 7);
    struct maekawa_out out;

    out = try_event(&s, &printed, &me, hears(1, stamp(REQUEST, 7)));
    check_sent(&out, 0, 4, INQUIRE, 7);
    out = try_event(&s, &printed, &me, hears(6, stamp(REQUEST, 6)));
    assert_int_equal(out.fx.sends, 0);
}

/* The first of those who wait gets the lock. */
TEST(test_release_locks_for_the_first_in_the_queue)
{
    struct maekawa s = member(4, 7), wanted = member(5, 8);
    struct maekawa_out out;

    s.queue[6] = 8;
    s.queue[5] = 8;
    s.queue[1] = 9;
    s.inquires = 1;
    wanted.queue[6] = 8;
    wanted.queue[1] = 9;
    out = step(&s, hears(4, stamp(RELEASE, 7)));
    assert_int_equal(out.fx.sends, 1);
    check_sent(&out, 0, 5, LOCKED, 8);
    check_state(s, wanted);
    s = member(4, 7);
    out = step(&s, hears(4, stamp(RELEASE, 7)));
    assert_int_equal(out.fx.sends, 0);
    check_state(s, (struct maekawa){.highest = 9});
}

/* A request whose lock is given back is in the queue again. */
TEST(test_relinquish_queues_and_locks_for_the_first)
{
    struct maekawa s = member(4, 7), wanted = member(1, 6);
    struct maekawa_out out;

    s.queue[1] = 6;
    s.inquires = 1;
    wanted.queue[4] = 7;
    out = step(&s, hears(4, stamp(RELINQUISH, 7)));
    assert_int_equal(out.fx.sends, 1);
    check_sent(&out, 0, 1, LOCKED, 6);
    check_state(s, wanted);
}

/* From another than it is locked for, or about another request. */
TEST(test_strange_releases_die)
{
    struct maekawa s = member(4, 7);

    check_ignored(s, &sanders, &me, hears(5, stamp(RELEASE, 7)), FC_NOTE_DIES);
    check_ignored(s, &sanders, &me, hears(4, stamp(RELEASE, 6)), FC_NOTE_DIES);
    check_ignored(s, &sanders, &me, hears(4, stamp(RELINQUISH, 6)),
                  FC_NOTE_DIES);
    check_ignored((struct maekawa){0}, &sanders, &me,
                  hears(4, stamp(RELEASE, 0)), FC_NOTE_DIES);
}

/* ---- Whoever wants to enter ---------------------------------------------- */

/* The committee, of which it is itself a member and needs no message. */
TEST(test_want_asks_the_committee)
{
    struct maekawa s = {.highest = 8};
    struct maekawa_out out = step(&s, app_wants());

    check_sent_to_set(&out, 1 << 3 | 1 << 5);
    check_sent(&out, 0, FC_SET, REQUEST, 9);
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW | FC_NOTE_STARTED);
    check_state(s, asking(0));
}

TEST(test_all_locks_let_in)
{
    struct maekawa s = asking(0), wanted = asking(1 << 3 | 1 << 5);
    struct maekawa_out out = step(&s, hears(5, stamp(LOCKED, 9)));

    assert_int_equal(out.fx.notes, 0);
    out = step(&s, hears(3, stamp(LOCKED, 9)));
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW);
    wanted.role = MUTEX_INSIDE;
    check_state(s, wanted);
    assert_true(look_at(&s, &me).token == 0);
}

/* All members are told, the site itself, as a member, without a message; its
 * lock goes to whoever waits. */
TEST(test_leaving_releases_the_committee)
{
    struct maekawa s = asking(1 << 3 | 1 << 5), wanted = member(6, 10);
    struct maekawa_out out;

    s.role = MUTEX_INSIDE;
    s.queue[6] = 10;
    out = step(&s, app_leaves());
    assert_int_equal(out.fx.sends, 2);
    check_sent(&out, 0, 6, LOCKED, 10);
    check_sent(&out, 1, FC_SET, RELEASE, 9);
    assert_true(out.fx.set.word[0] == (1 << 3 | 1 << 5));
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW | FC_NOTE_STARTED);
    check_state(s, wanted);
}

/* As long as it may get all locks, it keeps what it has; if it must wait for
 * somebody, it gives back what it is asked for; in either order. */
TEST(test_refused_one_gives_locks_back)
{
    for (int inquired_first = 0; inquired_first < 2; inquired_first++) {
        struct maekawa s = asking(1 << 3), wanted = asking(0);
        struct maekawa_out out;
        struct maekawa_in inquire = hears(3, stamp(INQUIRE, 9)),
                          failed = hears(5, stamp(FAILED, 9));

        out = step(&s, inquired_first ? inquire : failed);
        assert_int_equal(out.fx.sends, 0);
        assert_true(fc_set_has(&s.locked, 3));
        out = step(&s, inquired_first ? failed : inquire);
        check_sent_to_set(&out, 1 << 3);
        check_sent(&out, 0, FC_SET, RELINQUISH, 9);
        wanted.failed.word[0] = 1 << 3 | 1 << 5;
        check_state(s, wanted);
        /* And back again: a lock that was given back counts as refused. */
        out = step(&s, hears(5, stamp(LOCKED, 9)));
        out = step(&s, hears(5, stamp(INQUIRE, 9)));
        check_sent_to_set(&out, 1 << 5);
        check_sent(&out, 0, FC_SET, RELINQUISH, 9);
        out = step(&s, hears(3, stamp(LOCKED, 9)));
        out = step(&s, hears(5, stamp(LOCKED, 9)));
        assert_int_equal(look_at(&s, &me).role, MUTEX_INSIDE);
        assert_true(fc_set_empty(&s.failed) && fc_set_empty(&s.inquired));
    }
}

/* It is asked for its own lock, gives that back, and another gets it. */
TEST(test_own_lock_is_given_back_without_a_message)
{
    struct maekawa s = asking(0);
    struct maekawa_out out = step(&s, hears(6, stamp(REQUEST, 8)));

    assert_int_equal(out.fx.sends, 0);
    assert_true(fc_set_has(&s.inquired, 2));
    out = step(&s, hears(5, stamp(FAILED, 9)));
    assert_int_equal(out.fx.sends, 1);
    check_sent(&out, 0, 6, LOCKED, 8);
    assert_true(s.queue[2] == 9 && s.lock == 7);
    assert_false(fc_set_has(&s.locked, 2));
    out = step(&s, hears(6, stamp(RELEASE, 8)));
    assert_int_equal(out.fx.sends, 0);
    assert_true(fc_set_has(&s.locked, 2));
}

/* A site inside will release soon enough; and what is about an old request is
 * nothing. */
TEST(test_what_does_not_fit_is_ignored)
{
    struct maekawa inside = asking(1 << 3 | 1 << 5);

    inside.role = MUTEX_INSIDE;
    check_ignored(inside, &sanders, &me, hears(3, stamp(INQUIRE, 9)),
                  FC_NOTE_DIES);
    check_ignored(asking(0), &sanders, &me, hears(3, stamp(LOCKED, 8)),
                  FC_NOTE_DIES);
    check_ignored(asking(0), &sanders, &me, hears(3, stamp(FAILED, 8)),
                  FC_NOTE_DIES);
    check_ignored(asking(1 << 3), &sanders, &me, hears(3, stamp(INQUIRE, 8)),
                  FC_NOTE_DIES);
    check_ignored(asking(1 << 3), &sanders, &me, hears(3, stamp(FAILED, 9)),
                  FC_NOTE_DIES); /* overtaken by the lock */
    check_ignored(asking(0), &sanders, &me, app_wants(), 0);
    check_ignored(inside, &sanders, &me, app_wants(), 0);
    check_ignored(asking(0), &sanders, &me, app_leaves(), 0);
    check_ignored((struct maekawa){0}, &sanders, &me, app_leaves(), 0);
}

/* A question that overtakes the lock it is about is answered when that is
 * there. */
TEST(test_inquiry_before_its_lock_waits_for_it)
{
    struct maekawa s = asking(0);
    struct maekawa_out out;

    (void)step(&s, hears(5, stamp(FAILED, 9)));
    out = step(&s, hears(3, stamp(INQUIRE, 9)));
    assert_int_equal(out.fx.sends, 0);
    out = step(&s, hears(3, stamp(LOCKED, 9)));
    check_sent_to_set(&out, 1 << 3);
    check_sent(&out, 0, FC_SET, RELINQUISH, 9);
}

/* However many members there are, one message to a set is enough. */
TEST(test_many_messages_leave_in_one_step)
{
    const struct fc_member at = {5, 16};
    const struct maekawa_params grid = {.width = 4};
    static const uint32_t members[] = {1, 4, 6, 7, 9, 13};
    struct maekawa s = {0};
    struct maekawa_out out = try_event(&s, &grid, &at, app_wants());

    for (uint32_t kind = REQUEST; kind <= RELEASE; kind += RELEASE - REQUEST) {
        check_sent_to_set(&out,
                          1 << 1 | 1 << 4 | 1 << 6 | 1 << 7 | 1 << 9 | 1 << 13);
        check_sent(&out, 0, FC_SET, kind, 1);
        for (uint32_t i = 0; kind == REQUEST && i < COUNT(members); i++)
            (void)try_event(&s, &grid, &at,
                            hears(members[i], stamp(LOCKED, 1)));
        out = try_event(&s, &grid, &at, app_leaves());
    }
    check_state(s, (struct maekawa){.highest = 1});
}

/* ---- Messages, claims ---------------------------------------------------- */

TEST(test_claims)
{
    struct fc_world world = {.nodes = 13};
    struct fc_claim claims[FC_CLAIMS_MAX];
    struct maekawa_params p = {0};

    assert_int_equal(maekawa_protocol.claims(&p, &world, claims), 1);
    assert_int_equal(claims[0].relation, FC_MEAN_AT_MOST);
    assert_true(claims[0].value == 5 * 3);
    p.width = 4;
    assert_int_equal(maekawa_protocol.claims(&p, &world, claims), 1);
    assert_true(claims[0].value == 5 * 6);
}

/* ---- Whole runs ---------------------------------------------------------- */

/* Others in the committee of site i of n, worked out apart from the code that
 * is tested: row and column, or a line. */
static uint32_t others_of(uint32_t n, uint32_t i)
{
    const struct plane *plane = plane_of(n);
    uint32_t width = 1, count = 0;

    if (plane)
        return plane->size - 1u;
    while (width * width < n)
        width++;
    for (uint32_t j = 0; j < n; j++)
        count += j != i && (j / width == i / width || j % width == i % width);
    return count;
}

static void check_cost(uint32_t n)
{
    static struct mutex_lab lab;
    uint32_t entries = n > 40 ? 2 : 5, site = n / 3, sum = 0;
    struct sim_result r;

    mutex_open(&lab, "maekawa", n);
    r = mutex_compete(&lab, site, site, 4);
    assert_int_equal(r.messages, 4 * 3 * others_of(n, site));
    assert_int_equal(lab.tally.messages.max, 3 * others_of(n, site));
    mutex_close(&lab);
    for (uint32_t i = 0; i < n; i++)
        sum += others_of(n, i);
    mutex_open(&lab, "maekawa", n);
    r = mutex_compete(&lab, 0, n - 1, entries);
    assert_int_equal(r.by_kind[REQUEST], entries * sum);
    assert_int_equal(r.by_kind[RELEASE], entries * sum);
    assert_int_equal(r.by_kind[LOCKED], entries * sum + r.by_kind[RELINQUISH]);
    assert_true(r.by_kind[RELINQUISH] <= r.by_kind[INQUIRE]);
    assert_true(r.messages >= 3 * entries * sum);
    assert_true(r.messages <= 5 * entries * sum);
    mutex_close(&lab);
}

/* One alone: three times the others of its committee.  With everybody, between
 * three and five times as many. */
LONG_TEST(test_cost_is_within_the_bounds)
{
    for (uint32_t n = 1; n <= 200; n = next_size(n))
        check_cost(n);
}

TEST(test_many_seeds_break_nothing)
{
    check_storms((struct storm){.protocol = "maekawa"}, true, rounds(800));
    check_storms((struct storm){"maekawa", "quorum", "grid", 0, false, 0, 0},
                 true, rounds(400));
}

/* The printed rules let nobody in beside another, but some wait for ever. */
TEST(test_printed_rules_may_wait_for_ever)
{
    struct storm storm = {"maekawa", "rules", "printed", NET_ARCHIMEDEAN,
                          false,     7,       7};
    struct stormed all = storm_runs(&storm, 120);

    assert_int_equal(all.broken, MUTEX_EVERYONE_ENTERS);
    storm.value = "sanders";
    all = storm_runs(&storm, rounds(1200));
    assert_int_equal(all.broken, 0);
}

/* Whatever the order of events; how many situations there are is pinned. */
TEST(test_all_orders_of_a_few_entries)
{
    static const struct orders cases[] = {
        {2, {2, 2}, false, 264},          {2, {2, 2}, true, 1181},
        {3, {1, 1, 1}, false, 457},       {3, {1, 1, 1}, true, 549},
        {3, {2, 1, 1}, false, 1148},      {3, {2, 2, 2}, true, 68082},
        {4, {1, 1, 1, 1}, false, 227970}, {4, {1, 1, 1, 0}, true, 15810},
        {4, {1, 1, 1, 0}, false, 7965},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct maekawa_params p = {.width = cases[i].nodes == 3 ? 0 : 2};

        check_orders(&p, 1, &cases[i]);
    }
}

/* The least that gets stuck: a grid of two by two, one entry each. */
LONG_TEST(test_printed_rules_get_stuck_in_a_grid_of_four)
{
    const struct maekawa_params p = {.width = 2, .rules = MAEKAWA_PRINTED};
    struct explored found = explore(&p, 4, (uint8_t[]){1, 1, 1, 1}, 1, false);

    assert_true(found.stuck > 0);
    assert_true(found.overlaps == 0);
    found = explore(&p, 4, (uint8_t[]){2, 1, 1, 0}, 1, false);
    assert_true(found.stuck == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_committees_meet),
        cmocka_unit_test(test_lines_are_perfect_difference_sets),
        cmocka_unit_test(test_prepare_chooses_the_committees),
        cmocka_unit_test(test_free_member_is_locked_for_the_first),
        cmocka_unit_test(test_later_requests_are_refused),
        cmocka_unit_test(test_earlier_request_makes_it_inquire_once),
        cmocka_unit_test(test_printed_rules_do_not_tell_who_was_first),
        cmocka_unit_test(test_release_locks_for_the_first_in_the_queue),
        cmocka_unit_test(test_relinquish_queues_and_locks_for_the_first),
        cmocka_unit_test(test_strange_releases_die),
        cmocka_unit_test(test_want_asks_the_committee),
        cmocka_unit_test(test_all_locks_let_in),
        cmocka_unit_test(test_leaving_releases_the_committee),
        cmocka_unit_test(test_refused_one_gives_locks_back),
        cmocka_unit_test(test_own_lock_is_given_back_without_a_message),
        cmocka_unit_test(test_what_does_not_fit_is_ignored),
        cmocka_unit_test(test_inquiry_before_its_lock_waits_for_it),
        cmocka_unit_test(test_many_messages_leave_in_one_step),
        cmocka_unit_test(test_claims),
        cmocka_unit_test(test_cost_is_within_the_bounds),
        cmocka_unit_test(test_many_seeds_break_nothing),
        cmocka_unit_test(test_printed_rules_may_wait_for_ever),
        cmocka_unit_test(test_all_orders_of_a_few_entries),
        cmocka_unit_test(test_printed_rules_get_stuck_in_a_grid_of_four),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
