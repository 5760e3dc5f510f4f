/*
 * test_view_lock.c - the lock of the live runtime: its record, its frames and
 * leases, and its locks inside a view, each rule by itself.
 *
 * A test of a safety rule shows the rule at work, and that without it the same
 * events do what the rule forbids.
 */
#include "protocols/mutex/view_lock/test_view_lock_node.h"

/* ---- The record ---------------------------------------------------------- */

/* P1: what a vote or a proposal promises is written before it leaves. */
TEST(test_votes_and_proposals_are_saved)
{
    struct bench b = started(VIEW_LOCK_WHOLE);

    reads(&b, PEER, propose_of(VIEW));
    assert_non_null(sent(&b, VIEW_LOCK_VOTE, PEER));
    assert_true(b.fx.save);
    assert_int_equal(b.s.record.maxv, VIEW);
    b = started(VIEW_LOCK_WITHOUT_P1);
    reads(&b, PEER, propose_of(VIEW));
    assert_false(b.fx.save);

    b = started(VIEW_LOCK_WHOLE);
    b.now += 10 * DELTA;
    reads(&b, PEER, frame_of(0, 1, 0));
    reads(&b, OTHER, frame_of(0, 1, 0));
    times_out(&b);
    b.now += 2 * DELTA;
    times_out(&b);
    assert_non_null(sent(&b, VIEW_LOCK_PROPOSE, OTHER));
    assert_true(b.fx.save);
    assert_int_equal(b.s.record.maxv >> VIEW_LOCK_ID_BITS, 1);
    assert_int_equal(b.s.record.maxv & 63, ME);
}

/* A start with nothing but the record. */
static void start_again(struct bench *b)
{
    struct view_lock_record record = b->s.record;

    memset(&b->s, 0, sizeof b->s);
    b->s.record = record;
    happens(b, (struct view_lock_in){.event = {.kind = FC_BOOT}});
}

/* P1 in every life, not the first alone, for every vote of it and for its own
 * proposals. */
TEST(test_promises_of_later_lives_are_saved)
{
    for (uint32_t life = 1; life <= 4; life++) {
        struct bench b = started(VIEW_LOCK_WHOLE);

        for (uint32_t i = 1; i < life; i++)
            start_again(&b);
        assert_int_equal(b.s.inc, life);
        for (uint32_t view = VIEW; view <= 3 * VIEW; view += VIEW) {
            b.now += QUIET;
            reads(&b, PEER, propose_of(view));
            assert_non_null(sent(&b, VIEW_LOCK_VOTE, PEER));
            assert_true(b.fx.save);
            assert_int_equal(b.s.record.maxv, view);
        }
        b.now += 10 * DELTA;
        reads(&b, PEER, frame_of(0, 1, 0));
        reads(&b, OTHER, frame_of(0, 1, 0));
        times_out(&b);
        b.now += 2 * DELTA;
        times_out(&b);
        assert_non_null(sent(&b, VIEW_LOCK_PROPOSE, OTHER));
        assert_true(b.fx.save);
        assert_true(b.s.record.maxv > 3 * VIEW);
    }
}

/* P2: each start is another incarnation, and keeps nothing but the record. */
TEST(test_a_start_is_a_new_incarnation)
{
    struct bench b = holder(VIEW_LOCK_WHOLE);

    start_again(&b);
    assert_int_equal(b.s.inc, 2);
    assert_int_equal(b.s.record.maxv, VIEW);
    assert_int_equal(b.s.view, 0);
    assert_int_equal(role(&b), MUTEX_IDLE);
    assert_true(b.fx.save);
    b = holder(VIEW_LOCK_WITHOUT_P2);
    happens(&b, (struct view_lock_in){.event = {.kind = FC_BOOT}});
    assert_int_equal(b.s.inc, 1);
}

/* ---- Frames and leases --------------------------------------------------- */

/* F1: who voted for a higher view shows none, and renews nothing. */
TEST(test_no_view_is_shown_after_a_higher_vote)
{
    struct bench b = member(VIEW_LOCK_WHOLE);
    uint64_t end = b.s.lease_end;

    reads(&b, PEER, propose_of(HIGHER));
    b.now += TAU;
    times_out(&b);
    assert_int_equal(sent(&b, VIEW_LOCK_FRAME, OTHER)->view, 0);
    assert_true(b.s.lease_end == end);
    b = member(VIEW_LOCK_WITHOUT_F1);
    reads(&b, PEER, propose_of(HIGHER));
    b.now += TAU;
    times_out(&b);
    assert_int_equal(sent(&b, VIEW_LOCK_FRAME, OTHER)->view, VIEW);
}

/* F1, F3: a node's own frame counts as taken by itself when it is sent. */
TEST(test_lease_counts_from_the_sending)
{
    struct bench b = member(VIEW_LOCK_WHOLE);
    uint64_t sent_at = b.now + TAU;

    b.now = sent_at;
    times_out(&b);
    b.now += 40; /* the echo takes its time */
    reads(&b, PEER, frame_of(VIEW, 2, sent_at));
    reads(&b, OTHER, frame_of(VIEW, 2, sent_at));
    assert_true(b.s.lease_end == sent_at + LEASE);
    reads(&b, PEER, frame_of(VIEW, 3, sent_at - 1)); /* an old echo */
    assert_true(b.s.lease_end == sent_at + LEASE);
    b = member(VIEW_LOCK_WITHOUT_F3);
    b.now = sent_at;
    times_out(&b);
    b.now += 40;
    reads(&b, PEER, frame_of(VIEW, 2, sent_at));
    reads(&b, OTHER, frame_of(VIEW, 2, sent_at));
    assert_true(b.s.lease_end > sent_at + LEASE);
}

/* An echo for another incarnation of this node says nothing. */
TEST(test_echo_of_another_life_is_ignored)
{
    struct bench b = member(VIEW_LOCK_WHOLE);
    struct view_lock_msg m = frame_of(VIEW, 2, b.now + TAU);
    uint64_t end = b.s.lease_end;

    b.now += TAU;
    times_out(&b);
    m.echo_inc = 7;
    reads(&b, PEER, m);
    reads(&b, OTHER, m);
    assert_true(b.s.lease_end == end);
}

/* F2: frames of views below a vote are not taken: not echoed, not aged. */
TEST(test_lower_views_are_not_taken_after_a_vote)
{
    for (int without = 0; without < 2; without++) {
        struct bench b =
            member(without ? VIEW_LOCK_WITHOUT_F2 : VIEW_LOCK_WHOLE);
        uint64_t took = b.s.peer[OTHER].took;

        reads(&b, PEER, propose_of(HIGHER));
        b.now += TAU;
        reads(&b, OTHER, frame_of(VIEW, 9, 0));
        assert_int_equal(b.s.peer[OTHER].echo_stamp, without ? 9 : 1);
        assert_true((b.s.peer[OTHER].took == took) == !without);
        reads(&b, OTHER, frame_of(HIGHER, 10, 0)); /* this one is */
        assert_int_equal(b.s.peer[OTHER].echo_stamp, 10);
        assert_true(b.s.est == HIGHER);
    }
}

/* A frame of an earlier life of a peer changes nothing. */
TEST(test_frames_of_an_earlier_life_die)
{
    struct bench b = member(VIEW_LOCK_WHOLE);
    struct view_lock_msg m = frame_of(VIEW, 50, 0);
    struct view_lock before;

    m.inc = 2;
    reads(&b, OTHER, m);
    before = b.s;
    m.inc = 1;
    m.stamp = 99;
    reads(&b, OTHER, m);
    assert_true(b.fx.notes & FC_NOTE_DIES);
    assert_memory_equal(&before.peer, &b.s.peer, sizeof before.peer);
}

/* F4: whoever wakes up after its deadline has lost its locks, before it reads
 * anything; and they are given on. */
TEST(test_a_lapsed_holder_abandons_first)
{
    struct bench b = holder(VIEW_LOCK_WHOLE);

    reads(&b, OTHER, request_of(VIEW, 5));
    assert_null(sent(&b, VIEW_LOCK_CLEAR, OTHER));
    b.now = b.s.deadline - 1;
    reads(&b, PEER, frame_of(VIEW, 2, 0));
    assert_int_equal(role(&b), MUTEX_INSIDE);
    b.now++;
    reads(&b, PEER, frame_of(VIEW, 3, 0));
    assert_int_equal(role(&b), MUTEX_IDLE);
    assert_non_null(sent(&b, VIEW_LOCK_CLEAR, OTHER));
    b = holder(VIEW_LOCK_WITHOUT_F4);
    b.now = b.s.deadline + 100;
    reads(&b, PEER, frame_of(VIEW, 3, 0));
    assert_int_equal(role(&b), MUTEX_INSIDE);
}

/* The view names the time at which the application is stopped: K before the
 * lease ends, and later with each renewal. */
TEST(test_the_view_names_the_deadline)
{
    struct bench b = holder(VIEW_LOCK_WHOLE);
    struct mutex_view view;

    view_lock_view(&b.s, &(struct fc_member){ME, NODES}, &view);
    assert_true(view.until == b.s.lease_end - KILL);
    b.now += TAU;
    times_out(&b);
    reads(&b, PEER, frame_of(VIEW, 2, b.now));
    assert_true(b.fx.notes & FC_NOTE_VIEW);
    view_lock_view(&b.s, &(struct fc_member){ME, NODES}, &view);
    assert_true(view.until == b.now + LEASE - KILL);
}

/* ---- Locks inside a view ------------------------------------------------- */

/* L1: outside a view a request waits; in a view all members are asked. */
TEST(test_asking_needs_a_view)
{
    struct bench b = started(VIEW_LOCK_WHOLE);

    commands(&b, MUTEX_WANT);
    assert_true(b.fx.notes & FC_NOTE_STARTED);
    assert_int_equal(role(&b), MUTEX_SLEEPS);
    assert_null(sent(&b, VIEW_LOCK_REQUEST, PEER));
    reads(&b, PEER, propose_of(VIEW));
    reads(&b, PEER, newview_of(VIEW, 0, 0));
    assert_int_equal(role(&b), MUTEX_WAITS);
    assert_int_equal(sent(&b, VIEW_LOCK_REQUEST, PEER)->number, 1);
    assert_int_equal(sent(&b, VIEW_LOCK_REQUEST, OTHER)->number, 1);
    b.now += TAU; /* and again until they consent */
    reads(&b, PEER, clear_of(VIEW, 1));
    times_out(&b);
    assert_null(sent(&b, VIEW_LOCK_REQUEST, PEER));
    assert_non_null(sent(&b, VIEW_LOCK_REQUEST, OTHER));
}

/* L2: of two that wait the earlier in (number, site) defers; inside defers
 * all, whatever the numbers. */
TEST(test_who_defers)
{
    struct bench b = member(VIEW_LOCK_WHOLE);

    commands(&b, MUTEX_WANT); /* (1, ME) */
    reads(&b, PEER, request_of(VIEW, 1));
    assert_non_null(sent(&b, VIEW_LOCK_CLEAR, PEER));
    reads(&b, OTHER, request_of(VIEW, 1));
    assert_null(sent(&b, VIEW_LOCK_CLEAR, OTHER));
    b = holder(VIEW_LOCK_WHOLE);
    reads(&b, PEER, request_of(VIEW, 1));
    assert_null(sent(&b, VIEW_LOCK_CLEAR, PEER));
    b = holder(VIEW_LOCK_WITHOUT_L2);
    reads(&b, PEER, request_of(VIEW, 1));
    assert_non_null(sent(&b, VIEW_LOCK_CLEAR, PEER));
}

/* L2: "L := max(L, k')": a node that has seen a number asks with a higher
 * one. */
TEST(test_numbers_grow_with_what_was_seen)
{
    struct bench b = member(VIEW_LOCK_WHOLE);

    reads(&b, PEER, request_of(VIEW, 40));
    commands(&b, MUTEX_WANT);
    assert_int_equal(sent(&b, VIEW_LOCK_REQUEST, PEER)->number, 41);
}

/* Requests of other views, and of nodes or lives that are no members, are not
 * answered. */
TEST(test_strange_requests_are_not_answered)
{
    struct bench b = member(VIEW_LOCK_WHOLE);
    struct view_lock_msg m = request_of(VIEW, 9);

    reads(&b, PEER, request_of(HIGHER, 9));
    assert_null(sent(&b, VIEW_LOCK_CLEAR, PEER));
    m.inc = 2;
    reads(&b, PEER, m);
    assert_null(sent(&b, VIEW_LOCK_CLEAR, PEER));
    b.s.members = 6;
    reads(&b, PEER, request_of(VIEW, 9));
    assert_null(sent(&b, VIEW_LOCK_CLEAR, PEER));
}

/* Readers do not wait for each other. */
TEST(test_readers_share)
{
    struct bench b = member(VIEW_LOCK_WHOLE);
    struct view_lock_msg reader = request_of(VIEW, 9);

    reader.flags = VIEW_LOCK_SHARED;
    commands(&b, MUTEX_WANT_SHARED);
    reads(&b, PEER, clear_of(VIEW, 1));
    reads(&b, OTHER, clear_of(VIEW, 1));
    assert_int_equal(role(&b), MUTEX_INSIDE);
    assert_int_equal(b.s.lock[0].cache, 0); /* shared entries keep nothing */
    reads(&b, PEER, reader);
    assert_non_null(sent(&b, VIEW_LOCK_CLEAR, PEER));
    reads(&b, OTHER, request_of(VIEW, 9));
    assert_null(sent(&b, VIEW_LOCK_CLEAR, OTHER));
}

/* L3: a consent given is lost: one that was kept is asked for again. */
TEST(test_giving_takes_the_kept_consent_away)
{
    for (int without = 0; without < 2; without++) {
        struct bench b =
            holder(without ? VIEW_LOCK_WITHOUT_L3 : VIEW_LOCK_WHOLE);

        assert_int_equal(b.s.lock[0].cache, 1u << PEER | 1u << OTHER);
        commands(&b, MUTEX_LEAVE);
        reads(&b, PEER, request_of(VIEW, 9));
        assert_non_null(sent(&b, VIEW_LOCK_CLEAR, PEER));
        commands(&b, MUTEX_WANT);
        assert_int_equal(role(&b), without ? MUTEX_INSIDE : MUTEX_WAITS);
        assert_true((sent(&b, VIEW_LOCK_REQUEST, PEER) != NULL) == !without);
        assert_null(sent(&b, VIEW_LOCK_REQUEST, OTHER));
    }
    struct bench b = holder(VIEW_LOCK_WHOLE); /* and while it waits */

    commands(&b, MUTEX_LEAVE);
    reads(&b, OTHER, request_of(VIEW, 3));
    commands(&b, MUTEX_WANT); /* has PEER's, asks OTHER */
    reads(&b, PEER, request_of(VIEW, 1));
    assert_non_null(sent(&b, VIEW_LOCK_CLEAR, PEER));
    assert_non_null(sent(&b, VIEW_LOCK_REQUEST, PEER));
    reads(&b, OTHER, clear_of(VIEW, b.s.lock[0].number));
    assert_int_equal(role(&b), MUTEX_WAITS); /* PEER's is given away */
    reads(&b, PEER, clear_of(VIEW, b.s.lock[0].number));
    assert_int_equal(role(&b), MUTEX_INSIDE);
}

/* A repeated entry costs nothing while all consents are kept. */
TEST(test_a_repeated_entry_is_free)
{
    struct bench b = holder(VIEW_LOCK_WHOLE);
    uint64_t token = b.s.lock[0].token;

    commands(&b, MUTEX_LEAVE);
    assert_int_equal(b.sends, 0);
    commands(&b, MUTEX_WANT);
    assert_int_equal(b.sends, 0);
    assert_int_equal(role(&b), MUTEX_INSIDE);
    assert_true(b.s.lock[0].token > token);
}

/* L4: a consent counts for the request it names. */
TEST(test_consent_to_an_older_request_is_void)
{
    for (int without = 0; without < 2; without++) {
        struct bench b =
            member(without ? VIEW_LOCK_WITHOUT_L4 : VIEW_LOCK_WHOLE);

        b.s.time = 6;
        commands(&b, MUTEX_WANT); /* number 7 */
        reads(&b, PEER, clear_of(VIEW, 3));
        reads(&b, OTHER, clear_of(VIEW, 7));
        assert_int_equal(role(&b), without ? MUTEX_INSIDE : MUTEX_WAITS);
    }
}

/* L5: all consents are not enough: the quiet time must be over, and a majority
 * have taken a frame that was sent in this view. */
TEST(test_entering_needs_quiet_and_a_lease_of_this_view)
{
    for (int without = 0; without < 2; without++) {
        struct bench b =
            member(without ? VIEW_LOCK_WITHOUT_L5 : VIEW_LOCK_WHOLE);

        b.now += 2;
        reads(&b, PEER, propose_of(HIGHER));
        reads(&b, PEER, newview_of(HIGHER, 30, 0));
        commands(&b, MUTEX_WANT);
        reads(&b, PEER, clear_of(HIGHER, 1));
        reads(&b, OTHER, clear_of(HIGHER, 1));
        assert_int_equal(role(&b), MUTEX_WAITS); /* not yet quiet */
        b.now += 30;
        reads(&b, OTHER, clear_of(HIGHER, 1));
        /* Leased, but by frames of the old view. */
        assert_true(b.now < b.s.lease_end);
        assert_int_equal(role(&b), without ? MUTEX_INSIDE : MUTEX_WAITS);
        reads(&b, OTHER, frame_of(HIGHER, 5, b.s.install_at));
        assert_int_equal(role(&b), MUTEX_INSIDE);
    }
}

/* L5: nor before the quiet time is over, however well it is leased. */
TEST(test_entering_waits_for_quiet)
{
    struct bench b = member(VIEW_LOCK_WHOLE);

    b.now += 2;
    reads(&b, PEER, propose_of(HIGHER));
    reads(&b, PEER, newview_of(HIGHER, 30, 0));
    reads(&b, PEER, frame_of(HIGHER, 5, b.now));
    reads(&b, OTHER, frame_of(HIGHER, 5, b.now));
    commands(&b, MUTEX_WANT);
    reads(&b, PEER, clear_of(HIGHER, 1));
    b.now += 29;
    reads(&b, OTHER, clear_of(HIGHER, 1));
    assert_int_equal(role(&b), MUTEX_WAITS);
    assert_true(b.s.wake_at == b.now + 1); /* it will not be missed */
    b.now++;
    times_out(&b);
    assert_int_equal(role(&b), MUTEX_INSIDE);
}

/* A quiet time that is over is not waited for again: else a node that still
 * lacks a consent would wake at every step. */
TEST(test_quiet_time_that_is_over_sets_no_timer)
{
    struct bench b = started(VIEW_LOCK_WHOLE);

    reads(&b, PEER, propose_of(VIEW));
    reads(&b, PEER, newview_of(VIEW, QUIET, 0));
    commands(&b, MUTEX_WANT);
    assert_int_equal(role(&b), MUTEX_WAITS);
    for (b.now = b.s.quiet_end - TAU / 2; b.now < b.s.quiet_end + 3 * TAU;
         b.now += 3) {
        reads(&b, PEER, frame_of(VIEW, b.now, 0));
        times_out(&b);
        if (b.now < b.s.quiet_end)
            assert_true(b.s.wake_at <= b.s.quiet_end);
        else
            assert_true(b.s.wake_at > b.now + 1 || b.s.frame_at <= b.now + 1);
    }
    assert_int_equal(role(&b), MUTEX_WAITS);
}

/* L5: "leased", now: the last consent may come when the lease is over. */
TEST(test_entering_needs_a_lease_that_lasts)
{
    for (uint64_t late = 0; late < 2; late++) {
        struct bench b = member(VIEW_LOCK_WHOLE);

        commands(&b, MUTEX_WANT);
        reads(&b, PEER, clear_of(VIEW, 1));
        b.now = b.s.deadline - 1 + late;
        reads(&b, OTHER, clear_of(VIEW, 1));
        assert_int_equal(role(&b), late ? MUTEX_WAITS : MUTEX_INSIDE);
    }
}

/* V5: that a view is clean is a lasting fact, and told. */
TEST(test_cleanness_is_told)
{
    struct bench b = member(VIEW_LOCK_WHOLE);
    struct view_lock_msg m = frame_of(HIGHER, 5, 0);

    reads(&b, PEER, propose_of(HIGHER));
    reads(&b, PEER, newview_of(HIGHER, 30, 0));
    assert_false(b.s.clean);
    reads(&b, OTHER, m);
    assert_false(b.s.clean);
    m.flags |= VIEW_LOCK_CLEAN;
    m.stamp++;
    reads(&b, OTHER, m);
    assert_true(b.s.clean);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_votes_and_proposals_are_saved),
        cmocka_unit_test(test_promises_of_later_lives_are_saved),
        cmocka_unit_test(test_a_start_is_a_new_incarnation),
        cmocka_unit_test(test_no_view_is_shown_after_a_higher_vote),
        cmocka_unit_test(test_lease_counts_from_the_sending),
        cmocka_unit_test(test_echo_of_another_life_is_ignored),
        cmocka_unit_test(test_lower_views_are_not_taken_after_a_vote),
        cmocka_unit_test(test_frames_of_an_earlier_life_die),
        cmocka_unit_test(test_a_lapsed_holder_abandons_first),
        cmocka_unit_test(test_the_view_names_the_deadline),
        cmocka_unit_test(test_asking_needs_a_view),
        cmocka_unit_test(test_who_defers),
        cmocka_unit_test(test_numbers_grow_with_what_was_seen),
        cmocka_unit_test(test_strange_requests_are_not_answered),
        cmocka_unit_test(test_readers_share),
        cmocka_unit_test(test_giving_takes_the_kept_consent_away),
        cmocka_unit_test(test_a_repeated_entry_is_free),
        cmocka_unit_test(test_consent_to_an_older_request_is_void),
        cmocka_unit_test(test_entering_needs_quiet_and_a_lease_of_this_view),
        cmocka_unit_test(test_entering_waits_for_quiet),
        cmocka_unit_test(test_quiet_time_that_is_over_sets_no_timer),
        cmocka_unit_test(test_entering_needs_a_lease_that_lasts),
        cmocka_unit_test(test_cleanness_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
