/*
 * test_view_lock_joins.c - a node that has no record, or has lost it, joins:
 * rules R6 and R6a, and what the others see of it.
 */
#include "protocols/mutex/view_lock/test_view_lock_node.h"

/* The list 0, 1, 2, 3, 4 becomes 0, 1, 2, 3; this node is 1 or 4. */
enum { LAST = 4, FIVE = 5, ALL_FIVE = 31, FOUR_OF_THEM = 15 };
enum { NOW = 1000 };

static struct bench joiner(uint32_t self, enum view_lock_without without)
{
    struct bench b = {
        .me = {self, FIVE},
        .p = {.tau = TAU,
              .lease = LEASE,
              .silence = SILENCE,
              .delta = DELTA,
              .quiet = QUIET,
              .list = ALL_FIVE,
              .changes = 1,
              .plan = {{.quiet = QUIET, .lease = LEASE, .list = FOUR_OF_THEM}},
              .without = (uint8_t)without},
        .now = NOW,
    };

    b.s.record =
        (struct view_lock_record){.starts = 1, .joins = VIEW_LOCK_LOST};
    happens(&b, (struct view_lock_in){.event = {.kind = FC_BOOT}});
    return b;
}

static struct view_lock_conf stable_of(uint32_t born, uint16_t list)
{
    return (struct view_lock_conf){.k = 2,
                                   .born = born,
                                   .at = born,
                                   .old = ALL_FIVE,
                                   .list = list,
                                   .lease = LEASE,
                                   .quiet = QUIET};
}

/* What a node says that is asked by life 2 of this one. */
static struct view_lock_msg answer(uint32_t maxv, struct view_lock_conf conf)
{
    return (struct view_lock_msg){.kind = VIEW_LOCK_REFUSE,
                                  .inc = 1,
                                  .echo_inc = 2,
                                  .flags = VIEW_LOCK_TELLS,
                                  .maxv = maxv,
                                  .conf = conf};
}

static const struct view_lock_conf at_first;

static bool may_vote_for(struct bench *b, uint32_t view)
{
    struct view_lock_msg m = propose_of(view);

    m.members = ALL_FIVE;
    m.conf = b->s.record.conf.k ? b->s.record.conf : at_first;
    reads(b, PEER, m);
    return sent(b, VIEW_LOCK_VOTE, PEER) != NULL;
}

/* ---- The node that joins ------------------------------------------------- */

TEST(test_who_joins_neither_votes_nor_takes_frames)
{
    struct bench b = joiner(ME, VIEW_LOCK_WHOLE);

    b.now += 10 * QUIET;
    times_out(&b);
    assert_true(sent(&b, VIEW_LOCK_FRAME, LAST)->flags & VIEW_LOCK_JOINS);
    assert_false(sent(&b, VIEW_LOCK_FRAME, LAST)->flags & VIEW_LOCK_READY);
    for (uint16_t x = 0; x < FIVE; x++)
        if (x != ME)
            reads(&b, x, frame_of(VIEW, 3, 0));
    assert_int_equal(b.s.peer[PEER].took, 0);
    assert_false(may_vote_for(&b, HIGHER));
    assert_int_equal(b.s.record.maxv, 0);
    b.now += 10 * QUIET;
    times_out(&b);
    assert_int_equal(b.s.proposal.view, 0);
    commands(&b, VIEW_LOCK_CHANGE);
    assert_false(b.fx.notes & FC_NOTE_STARTED);

    b = joiner(ME, VIEW_LOCK_WITHOUT_R6_JOINS);
    assert_true(may_vote_for(&b, HIGHER));
}

/* VL-R6a: it is in the list, so all others answer; then it waits. */
TEST(test_who_is_in_the_list_asks_all_others)
{
    static const uint16_t some[] = {0, 2, 3};
    struct bench b = joiner(ME, VIEW_LOCK_WHOLE);

    for (size_t i = 0; i < COUNT(some); i++)
        reads(&b, some[i], answer(VIEW + some[i], at_first));
    assert_int_equal(b.s.record.joins, VIEW_LOCK_LOST);
    reads(&b, LAST, answer(3 * VIEW, at_first));
    assert_int_equal(b.s.record.joins, 0);
    assert_int_equal(b.s.record.maxv, 3 * VIEW);
    assert_true(b.fx.save);
    b.now += QUIET - 1;
    assert_false(may_vote_for(&b, 4 * VIEW));
    reads(&b, PEER, frame_of(3 * VIEW, 3, 0));
    assert_int_equal(b.s.peer[PEER].took, 0);
    b.now++;
    reads(&b, PEER, frame_of(3 * VIEW, 4, 0));
    assert_true(b.s.peer[PEER].took == b.now);
    assert_true(may_vote_for(&b, 4 * VIEW));

    b = joiner(ME, VIEW_LOCK_WITHOUT_R6A);
    for (size_t i = 0; i < COUNT(some); i++)
        reads(&b, some[i], answer(VIEW, at_first));
    assert_int_equal(b.s.record.joins, 0);
}

/* A restart forgets who has answered, and nothing else. */
TEST(test_who_starts_again_asks_again)
{
    struct bench b = joiner(ME, VIEW_LOCK_WHOLE);
    struct view_lock_record record;

    reads(&b, 0, answer(VIEW, stable_of(VIEW, FOUR_OF_THEM)));
    record = b.s.record;
    b.s = (struct view_lock){.record = record};
    happens(&b, (struct view_lock_in){.event = {.kind = FC_BOOT}});
    assert_int_equal(b.s.record.joins, VIEW_LOCK_LOST);
    assert_int_equal(b.s.record.conf.k, 2);
    assert_int_equal(b.s.answered, 0);
}

/* Who is not in the newest list that was shown asks a quorum of it. */
TEST(test_who_is_in_no_list_asks_a_quorum)
{
    const struct view_lock_conf c = stable_of(VIEW, FOUR_OF_THEM);
    struct bench b = joiner(LAST, VIEW_LOCK_WHOLE);

    reads(&b, 0, answer(VIEW, c));
    reads(&b, 2, answer(HIGHER, c));
    assert_int_equal(b.s.record.joins, VIEW_LOCK_LOST);
    reads(&b, 3, answer(VIEW, c));
    assert_int_equal(b.s.record.joins, 0);
    assert_int_equal(b.s.record.conf.k, 2);
    assert_int_equal(b.s.record.maxv, HIGHER);
}

/* An answer counts only if it shows the newest list; who shows an older one is
 * told, and answers again. */
TEST(test_an_answer_that_is_behind_does_not_count)
{
    const struct view_lock_conf c = stable_of(VIEW, FOUR_OF_THEM);
    struct bench b = joiner(ME, VIEW_LOCK_WHOLE);

    reads(&b, 0, answer(VIEW, at_first));
    reads(&b, 2, answer(VIEW, at_first));
    reads(&b, 3, answer(VIEW, c));
    assert_int_equal(b.s.record.joins, VIEW_LOCK_LOST);
    reads(&b, 0, answer(VIEW, at_first));
    assert_int_equal(sent(&b, VIEW_LOCK_REFUSE, 0)->conf.k, 2);
    assert_int_equal(sent(&b, VIEW_LOCK_REFUSE, 0)->echo_inc, 0);
    reads(&b, 2, answer(VIEW, at_first));
    assert_int_equal(b.s.record.joins, VIEW_LOCK_LOST);
    reads(&b, 0, answer(VIEW, c));
    assert_int_equal(b.s.record.joins, VIEW_LOCK_LOST);
    reads(&b, 2, answer(VIEW, c));
    assert_int_equal(b.s.record.joins, 0);
}

/* One to an earlier life may be from before a vote that is lost; and a node
 * that has lost its own record knows nothing. */
TEST(test_an_answer_is_to_this_life)
{
    struct bench b = joiner(ME, VIEW_LOCK_WHOLE);

    for (uint16_t x = 0; x < FIVE; x++)
        if (x != ME) {
            struct view_lock_msg m = answer(VIEW, at_first);

            m.echo_inc = x == LAST ? 1 : 2;
            reads(&b, x, m);
        }
    assert_int_equal(b.s.record.joins, VIEW_LOCK_LOST);
    reads(&b, LAST, answer(VIEW, at_first));
    assert_int_equal(b.s.record.joins, 0);
}

/* It has nobody to ask who knows what it has promised. */
TEST(test_who_is_alone_in_a_list_cannot_join)
{
    struct bench b = joiner(ME, VIEW_LOCK_WHOLE);

    for (uint16_t x = 0; x < FIVE; x++)
        if (x != ME)
            reads(&b, x, answer(VIEW, stable_of(VIEW, 1u << ME)));
    assert_int_equal(b.s.record.conf.k, 2);
    assert_int_equal(b.s.record.joins, VIEW_LOCK_LOST);
}

/* In the simulator a parameter says whose records are lost; at its first start
 * a node of the list has one. */
TEST(test_who_has_no_record_by_the_parameters)
{
    static const struct {
        uint16_t list;
        uint32_t starts, joins;
    } cases[] = {{ALL_FIVE, 0, 0},
                 {ALL_FIVE, 1, VIEW_LOCK_LOST},
                 {1, 0, VIEW_LOCK_FRESH},
                 {0, 0, 0}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct bench b = {.me = {ME, FIVE}, .now = 1};

        b.p = joiner(ME, VIEW_LOCK_WHOLE).p;
        b.p.list = cases[i].list;
        b.p.joins = (struct fc_lists){1, 0, {{.nodes = 1u << ME}}};
        b.s.record.starts = cases[i].starts;
        b.s.record.maxv = cases[i].starts ? VIEW : 0;
        happens(&b, (struct view_lock_in){.event = {.kind = FC_BOOT}});
        assert_int_equal(b.s.record.joins, cases[i].joins);
        assert_int_equal(b.s.record.maxv, cases[i].joins ? 0 : b.s.record.maxv);
        assert_int_equal(b.s.inc, cases[i].starts + 1);
    }
}

/* It was listed before it had asked: it has promised nothing, and does not wait
 * for one that may be asking, too. */
TEST(test_who_is_fresh_asks_a_majority)
{
    struct bench b = joiner(ME, VIEW_LOCK_WHOLE);

    b.s.record.joins = VIEW_LOCK_FRESH;
    reads(&b, 0, answer(VIEW, at_first));
    assert_int_equal(b.s.record.joins, VIEW_LOCK_FRESH);
    reads(&b, 2, answer(2 * VIEW, at_first)); /* and itself: three of five */
    assert_int_equal(b.s.record.joins, VIEW_LOCK_JOINED);
    assert_int_equal(b.s.record.maxv, 2 * VIEW);
    assert_false(may_vote_for(&b, 4 * VIEW)); /* for Wfull */
}

/* ---- The others ---------------------------------------------------------- */

static struct bench member_of_five(enum view_lock_without without)
{
    struct bench b = joiner(ME, without);

    b.s = (struct view_lock){.start = 0};
    b.now = 1;
    happens(&b, (struct view_lock_in){.event = {.kind = FC_BOOT}});
    b.now = NOW;
    return b;
}

static struct view_lock_msg joins_now(void)
{
    struct view_lock_msg m = frame_of(0, 7, 0);

    m.inc = 3;
    m.heard = ALL_FIVE;
    m.flags = VIEW_LOCK_JOINS;
    return m;
}

TEST(test_who_joins_is_told_for_its_life)
{
    struct bench b = member_of_five(VIEW_LOCK_WHOLE);
    const struct view_lock_msg *m;

    b.s.record.maxv = b.s.seen = HIGHER;
    reads(&b, LAST, joins_now());
    m = sent(&b, VIEW_LOCK_REFUSE, LAST);
    assert_int_equal(m->flags, VIEW_LOCK_TELLS);
    assert_true(m->echo_inc == 3);
    assert_int_equal(m->maxv, HIGHER);
    assert_int_equal(b.s.peer[LAST].took, 0);
    /* Others are told nothing while there was no change. */
    reads(&b, OTHER, frame_of(0, 8, 0));
    assert_null(sent(&b, VIEW_LOCK_REFUSE, OTHER));
}

/* VL-R7, VL-W8: it is up and linked, and no vote can be had of it. */
TEST(test_who_joins_is_no_voter)
{
    struct bench b = member_of_five(VIEW_LOCK_WHOLE);

    for (int i = 0; i < 10; i++, b.now += TAU) {
        struct view_lock_msg m = joins_now(), f = frame_of(0, b.now, 0);

        f.heard = ALL_FIVE;
        m.stamp = b.now;
        reads(&b, PEER, f);
        reads(&b, LAST, m);
        reads(&b, 3, m);
        times_out(&b);
    }
    assert_int_equal(b.s.proposal.view, 0);
    for (int i = 0; i < 10 && !b.s.proposal.view; i++, b.now += TAU) {
        struct view_lock_msg m = frame_of(0, b.now, 0);

        m.inc = 3;
        m.heard = ALL_FIVE;
        reads(&b, PEER, frame_of(0, b.now, 0));
        reads(&b, LAST, m);
        times_out(&b);
    }
    assert_true(b.s.proposal.view != 0);
}

TEST(test_an_answer_on_the_wire)
{
    struct view_lock_msg m = answer(VIEW, at_first), got;
    uint8_t wire[view_lock_wire];
    size_t size = view_lock_pack(&m, wire), without;

    assert_int_equal(view_lock_unpack(&got, wire, size), 0);
    assert_memory_equal(&got, &m, sizeof m);
    m.flags = 0;
    m.echo_inc = 0;
    without = view_lock_pack(&m, wire);
    assert_int_equal(size, without + 8);
    assert_int_equal(view_lock_unpack(&got, wire, size), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_who_joins_neither_votes_nor_takes_frames),
        cmocka_unit_test(test_who_is_in_the_list_asks_all_others),
        cmocka_unit_test(test_who_starts_again_asks_again),
        cmocka_unit_test(test_who_is_in_no_list_asks_a_quorum),
        cmocka_unit_test(test_an_answer_that_is_behind_does_not_count),
        cmocka_unit_test(test_an_answer_is_to_this_life),
        cmocka_unit_test(test_who_is_alone_in_a_list_cannot_join),
        cmocka_unit_test(test_who_has_no_record_by_the_parameters),
        cmocka_unit_test(test_who_is_fresh_asks_a_majority),
        cmocka_unit_test(test_who_joins_is_told_for_its_life),
        cmocka_unit_test(test_who_joins_is_no_voter),
        cmocka_unit_test(test_an_answer_on_the_wire),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
