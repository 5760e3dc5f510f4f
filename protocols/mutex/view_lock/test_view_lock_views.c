/*
 * test_view_lock_views.c - changes of view, rule by rule (see
 * test_view_lock.c), and the messages on the wire.
 */
#include "protocols/mutex/view_lock/test_view_lock_node.h"

/* ---- Views --------------------------------------------------------------- */

/* V2: only higher views; others are refused with the highest one. */
TEST(test_votes_are_for_higher_views_only)
{
    for (int without = 0; without < 2; without++) {
        struct bench b =
            started(without ? VIEW_LOCK_WITHOUT_V2 : VIEW_LOCK_WHOLE);

        reads(&b, PEER, propose_of(HIGHER));
        assert_int_equal(sent(&b, VIEW_LOCK_VOTE, PEER)->view, HIGHER);
        reads(&b, OTHER, propose_of(VIEW));
        assert_true((sent(&b, VIEW_LOCK_VOTE, OTHER) != NULL) == without);
        if (!without)
            assert_int_equal(sent(&b, VIEW_LOCK_REFUSE, OTHER)->maxv, HIGHER);
    }
}

/* What a vote says: ages of all, itself included; free; est, unknown to one
 * that has just been started (K4), which is not ready either. */
TEST(test_what_a_vote_says)
{
    struct bench b = holder(VIEW_LOCK_WHOLE);
    const struct view_lock_msg *vote;

    b.now += 7;
    reads(&b, PEER, propose_of(HIGHER));
    vote = sent(&b, VIEW_LOCK_VOTE, PEER);
    assert_int_equal(vote->each[PEER], 7);
    assert_int_equal(vote->each[ME], 7);
    assert_int_equal(vote->each[OTHER], 7);
    assert_int_equal(vote->flags, VIEW_LOCK_READY); /* it holds: not free */
    assert_int_equal(vote->number, VIEW);
    for (int without = 0; without < 2; without++) {
        b = started(without ? VIEW_LOCK_WITHOUT_K4 : VIEW_LOCK_WHOLE);
        b.now = QUIET; /* one step too early */
        reads(&b, PEER, propose_of(VIEW));
        vote = sent(&b, VIEW_LOCK_VOTE, PEER);
        assert_int_equal(vote->flags,
                         without ? VIEW_LOCK_READY | VIEW_LOCK_FREE : 0);
        assert_true((vote->number == VIEW_LOCK_UNSETTLED) == !without);
        assert_int_equal(vote->each[OTHER], QUIET - 1); /* since the start */
    }
}

/* Has ME propose, and gives it PEER's vote; OTHER keeps silent. */
static void propose_without_other(struct bench *b, uint64_t age)
{
    struct view_lock_msg vote = {.kind = VIEW_LOCK_VOTE,
                                 .inc = 1,
                                 .echo_inc = 1,
                                 .number = VIEW,
                                 .count = NODES,
                                 .flags = VIEW_LOCK_READY | VIEW_LOCK_FREE};

    other_is_silent(b, SILENCE + 1);
    assert_null(sent(b, VIEW_LOCK_PROPOSE, PEER));
    other_is_silent(b, DELTA); /* PEER would have been the first to speak */
    assert_non_null(sent(b, VIEW_LOCK_PROPOSE, PEER));
    assert_int_equal(sent(b, VIEW_LOCK_PROPOSE, PEER)->members,
                     1u << ME | 1u << PEER);
    vote.view = b->s.record.maxv;
    vote.each[OTHER] = age;
    reads(b, PEER, vote);
}

/* V3: a node left out is outwaited: as long as the newest lease that a majority
 * may have given it can last. */
TEST(test_those_left_out_are_outwaited)
{
    for (int without = 0; without < 2; without++) {
        struct bench b =
            member(without ? VIEW_LOCK_WITHOUT_V3 : VIEW_LOCK_WHOLE);

        propose_without_other(&b, 40);
        assert_int_equal(b.s.members, 1u << ME | 1u << PEER);
        assert_int_equal(b.s.view >> VIEW_LOCK_ID_BITS, 2);
        assert_true(b.s.quiet_end - b.s.install_at == (without ? 0 : 86));
        assert_int_equal(sent(&b, VIEW_LOCK_NEWVIEW, PEER)->stamp,
                         without ? 0 : QUIET - 40);
        assert_null(sent(&b, VIEW_LOCK_NEWVIEW, OTHER));
    }
}

/* W2: a proposal that nobody answered is not the last word: all its messages
 * may have been lost, and those of all others as well. */
TEST(test_an_unanswered_proposal_is_followed_by_another)
{
    struct bench b = started(VIEW_LOCK_WHOLE);
    uint32_t proposed = 0, last = 0;

    for (uint32_t i = 0; i < 60; i++) {
        const struct view_lock_msg *m;

        b.now += TAU;
        reads(&b, PEER, frame_of(0, b.now, 0));
        times_out(&b);
        m = sent(&b, VIEW_LOCK_PROPOSE, PEER);
        if (!m || m->view == last)
            continue;
        assert_true(m->view > last);
        last = m->view;
        proposed++;
    }
    assert_in_range(proposed, 2, 20); /* with ever longer pauses */
}

/* Proposals and votes get lost: a node that has not answered is asked again
 * with each frame, until it is time for another proposal. */
TEST(test_proposals_are_repeated)
{
    struct bench b = proposer(VIEW_LOCK_WHOLE);
    uint32_t view = b.s.record.maxv;

    a_frame_later(&b);
    assert_int_equal(sent(&b, VIEW_LOCK_PROPOSE, PEER)->view, view);
    assert_int_equal(sent(&b, VIEW_LOCK_PROPOSE, OTHER)->members, ALL);
    assert_false(b.fx.save);
    reads(&b, PEER, vote_for(&b, 0));
    reads(&b, OTHER, (struct view_lock_msg){.kind = VIEW_LOCK_REFUSE});
    a_frame_later(&b);
    assert_null(sent(&b, VIEW_LOCK_PROPOSE, PEER));
    assert_null(sent(&b, VIEW_LOCK_PROPOSE, OTHER));

    b = proposer(VIEW_LOCK_WHOLE);
    b.now = b.s.backoff;
    b.p.silence = 1; /* nobody is heard: there will be no other one */
    times_out(&b);
    assert_true(b.s.proposal.view == view);
    assert_null(sent(&b, VIEW_LOCK_PROPOSE, PEER));
}

/* A view is never proposed in the step that makes it. */
TEST(test_a_view_that_is_made_is_not_proposed)
{
    struct bench b = proposer(VIEW_LOCK_WHOLE);

    reads(&b, PEER, vote_for(&b, 0));
    b.now += 2 * DELTA;
    times_out(&b);
    assert_non_null(sent(&b, VIEW_LOCK_NEWVIEW, PEER));
    assert_null(sent(&b, VIEW_LOCK_PROPOSE, PEER));
    assert_null(sent(&b, VIEW_LOCK_PROPOSE, OTHER));
}

/* V2: asked again for the same vote, a node sends it again, with the ages and
 * the freedom of now; nothing is saved, and no patience begins anew. */
TEST(test_votes_are_repeated)
{
    struct bench b = holder(VIEW_LOCK_WHOLE);
    uint64_t voted_at = b.now;
    const struct view_lock_msg *vote;

    reads(&b, PEER, propose_of(HIGHER));
    assert_int_equal(sent(&b, VIEW_LOCK_VOTE, PEER)->flags, VIEW_LOCK_READY);
    b.now += 7;
    reads(&b, OTHER, frame_of(VIEW, 9, 0)); /* F2: not taken */
    commands(&b, MUTEX_LEAVE);
    reads(&b, PEER, propose_of(HIGHER));
    vote = sent(&b, VIEW_LOCK_VOTE, PEER);
    assert_int_equal(vote->view, HIGHER);
    assert_int_equal(vote->echo_inc, 1);
    assert_int_equal(vote->number, VIEW);
    assert_int_equal(vote->each[ME], 7);
    assert_int_equal(vote->each[OTHER], 7);
    assert_int_equal(vote->flags, VIEW_LOCK_READY | VIEW_LOCK_FREE);
    assert_false(b.fx.save);
    assert_true(b.s.voted_at == voted_at);
}

/* Not to another life of the coordinator, not in another life of its own, not
 * when it is in the view, not below another vote. */
TEST(test_votes_are_repeated_to_the_same_only)
{
    struct bench b = started(VIEW_LOCK_WHOLE);
    struct view_lock_msg m = propose_of(VIEW);
    struct view_lock_record record;

    reads(&b, PEER, m);
    m.inc = 2;
    reads(&b, PEER, m);
    assert_null(sent(&b, VIEW_LOCK_VOTE, PEER));
    assert_int_equal(sent(&b, VIEW_LOCK_REFUSE, PEER)->maxv, VIEW);

    record = b.s.record;
    b.s = (struct view_lock){.record = record};
    happens(&b, (struct view_lock_in){.event = {.kind = FC_BOOT}});
    for (m.inc = 0; m.inc < 3; m.inc++) { /* no node sends 0: hostile */
        reads(&b, PEER, m);
        assert_null(sent(&b, VIEW_LOCK_VOTE, PEER));
    }

    b = member(VIEW_LOCK_WHOLE);
    reads(&b, PEER, propose_of(VIEW));
    assert_null(sent(&b, VIEW_LOCK_VOTE, PEER));
    reads(&b, OTHER, propose_of(HIGHER));
    reads(&b, PEER, propose_of(VIEW));
    assert_null(sent(&b, VIEW_LOCK_VOTE, PEER));
}

/* V3: a candidate that has not voted is waited for, Delta at least, and half as
 * long again if it would have to be outwaited for longer. */
TEST(test_missing_votes_are_waited_for)
{
    for (int quiet = 0; quiet < 2; quiet++) {
        struct bench b = proposer(VIEW_LOCK_WHOLE);

        b.s.peer[OTHER].took = quiet ? 0 : b.now;
        for (uint32_t v = 0; v < NODES; v++)
            b.s.proposal.age[v][OTHER] = quiet ? QUIET : 0;
        reads(&b, PEER, vote_for(&b, quiet ? QUIET : 0));
        b.now += DELTA - 1;
        times_out(&b);
        assert_int_equal(b.s.view, 0);
        b.now++;
        times_out(&b);
        assert_true((b.s.view != 0) == quiet);
        b.now += DELTA / 2;
        times_out(&b);
        assert_int_equal(b.s.members, 1u << ME | 1u << PEER);
        assert_int_equal(b.s.quiet_end - b.s.install_at, quiet ? 0 : QUIET);
    }
}

/* A witness votes and takes frames; it is never ready, and asks for nothing. */
TEST(test_a_witness_only_helps)
{
    struct bench b = started(VIEW_LOCK_WHOLE);

    b.s.record.conf.witnesses = 1u << ME;
    reads(&b, PEER, propose_of(VIEW));
    assert_int_equal(sent(&b, VIEW_LOCK_VOTE, PEER)->flags, VIEW_LOCK_FREE);
    reads(&b, PEER, frame_of(VIEW, 55, 0));
    assert_int_equal(sent(&b, VIEW_LOCK_FRAME, PEER)->echo_stamp, 55);
    assert_int_equal(sent(&b, VIEW_LOCK_FRAME, PEER)->flags, 0);
    commands(&b, MUTEX_WANT);
    assert_false(b.fx.notes & FC_NOTE_STARTED);
    assert_int_equal(role(&b), MUTEX_IDLE);
}

/* As a coordinator it makes a view of the others. */
TEST(test_a_witness_makes_views_of_others)
{
    struct bench b = started(VIEW_LOCK_WHOLE);
    struct view_lock_msg vote = {.kind = VIEW_LOCK_VOTE,
                                 .inc = 1,
                                 .echo_inc = 1,
                                 .count = NODES,
                                 .flags = VIEW_LOCK_READY | VIEW_LOCK_FREE};

    b.s.record.conf.witnesses = 1u << ME;
    for (int i = 0; i < 3 && !b.s.proposal.view; i++) {
        reads(&b, OTHER, frame_of(0, (uint64_t)i + 1, 0));
        times_out(&b);
        b.now += DELTA;
    }
    assert_int_equal(sent(&b, VIEW_LOCK_PROPOSE, OTHER)->members, 1u << OTHER);
    vote.view = b.s.record.maxv;
    reads(&b, OTHER, vote);
    assert_int_equal(sent(&b, VIEW_LOCK_NEWVIEW, OTHER)->members, 1u << OTHER);
    assert_int_equal(b.s.view, 0);
}

/* The news is repeated until the member shows the view. */
TEST(test_news_is_repeated)
{
    struct bench b = member(VIEW_LOCK_WHOLE);

    propose_without_other(&b, 200);
    b.now += TAU;
    times_out(&b);
    assert_non_null(sent(&b, VIEW_LOCK_NEWVIEW, PEER));
    reads(&b, PEER, frame_of(b.s.view, 90, 0));
    b.now += TAU;
    times_out(&b);
    assert_null(sent(&b, VIEW_LOCK_NEWVIEW, PEER));
}

/* V4: a lock is kept over a change of view, with its token, unless a view in
 * between may have been used without its holder. */
TEST(test_a_lock_is_kept_unless_below_the_base)
{
    struct bench b = holder(VIEW_LOCK_WHOLE);
    uint64_t token = b.s.lock[0].token;

    reads(&b, PEER, propose_of(HIGHER));
    reads(&b, PEER, newview_of(HIGHER, 0, VIEW));
    assert_int_equal(role(&b), MUTEX_INSIDE);
    assert_true(b.s.lock[0].token == token);
    assert_int_equal(b.s.lock[0].cache, 0);
    for (int without = 0; without < 2; without++) {
        b = holder(without ? VIEW_LOCK_WITHOUT_V4 : VIEW_LOCK_WHOLE);
        reads(&b, PEER, propose_of(HIGHER));
        reads(&b, PEER, newview_of(HIGHER, 0, VIEW + 1));
        assert_int_equal(role(&b), without ? MUTEX_INSIDE : MUTEX_IDLE);
    }
}

/* V4: nothing that is queued in one view leaves in another.  The lease ends in
 * the very step in which the holder reads of the new view: F4 gives what it had
 * deferred its consent, and numbers begin again in the new view, in which the
 * other may have asked under the same one. */
TEST(test_no_consent_of_an_old_view_leaves_in_the_new)
{
    struct bench b;

    for (int without = 0; without < 2; without++) {
        b = holder(without ? VIEW_LOCK_WITHOUT_L6 : VIEW_LOCK_WHOLE);
        reads(&b, OTHER, request_of(VIEW, 2));
        assert_int_equal(b.s.lock[0].deferred, 1u << OTHER);
        reads(&b, PEER, propose_of(HIGHER));
        b.now = b.s.deadline;
        reads(&b, PEER, newview_of(HIGHER, 0, 0));
        assert_int_equal(b.s.view, HIGHER);
        assert_int_equal(role(&b), MUTEX_IDLE);
        assert_true((sent(&b, VIEW_LOCK_CLEAR, OTHER) != NULL) == without);
    }
    b = holder(VIEW_LOCK_WHOLE); /* in its own view it does leave */
    reads(&b, OTHER, request_of(VIEW, 2));
    reads(&b, PEER, propose_of(HIGHER));
    b.now = b.s.deadline;
    reads(&b, PEER, frame_of(0, 9, 0));
    assert_int_equal(sent(&b, VIEW_LOCK_CLEAR, OTHER)->view, VIEW);
}

/* Likewise what is to be asked again: who is no member is not asked. */
TEST(test_no_request_of_an_old_view_leaves_in_the_new)
{
    struct bench b = member(VIEW_LOCK_WHOLE);

    commands(&b, MUTEX_WANT);
    other_is_silent(&b, SILENCE + 1);
    other_is_silent(&b, DELTA);
    assert_non_null(sent(&b, VIEW_LOCK_PROPOSE, PEER));
    b.s.proposal.voted |= 1u << PEER;
    b.s.proposal.ready |= 1u << PEER;
    b.s.proposal.free |= 1u << PEER;
    b.s.proposal.inc[PEER] = 1;
    a_frame_later(&b); /* repeats requests, and then makes the view */
    assert_int_equal(b.s.members, 1u << ME | 1u << PEER);
    assert_int_equal(sent(&b, VIEW_LOCK_REQUEST, PEER)->view, b.s.view);
    assert_null(sent(&b, VIEW_LOCK_REQUEST, OTHER));
}

/* L5: a lease must rest on frames that show the view.  One that left in the old
 * view at the very time of the install has the same stamp as one of the new. */
TEST(test_a_stamp_tells_the_view)
{
    struct bench b = member(VIEW_LOCK_WHOLE);
    uint64_t stamp;

    b.now += TAU;
    times_out(&b); /* frames of the old view leave now */
    stamp = sent(&b, VIEW_LOCK_FRAME, PEER)->stamp;
    commands(&b, MUTEX_WANT);
    reads(&b, PEER, propose_of(HIGHER));
    reads(&b, PEER, newview_of(HIGHER, 0, VIEW));
    reads(&b, PEER, clear_of(HIGHER, 1));
    reads(&b, OTHER, clear_of(HIGHER, 1));
    b.now++;
    reads(&b, PEER, frame_of(HIGHER, 5, stamp));
    assert_int_equal(role(&b), MUTEX_WAITS);
    times_out(&b); /* the next step's frame is of the new view for sure */
    stamp = sent(&b, VIEW_LOCK_FRAME, PEER)->stamp;
    assert_true(stamp == b.now);
    reads(&b, PEER, frame_of(HIGHER, 6, stamp));
    assert_int_equal(role(&b), MUTEX_INSIDE);
}

/* V4: not for another life of this node, not below a vote, not twice. */
TEST(test_strange_news_is_ignored)
{
    struct bench b = member(VIEW_LOCK_WHOLE);
    struct view_lock_msg m = newview_of(HIGHER, 0, 0);
    uint64_t installed;

    reads(&b, PEER, m); /* it did not vote for it */
    assert_int_equal(b.s.view, VIEW);
    reads(&b, PEER, propose_of(HIGHER));
    m.each[ME] = 2;
    reads(&b, PEER, m);
    assert_int_equal(b.s.view, VIEW);
    m.each[ME] = 1;
    m.members = 5;
    reads(&b, PEER, m);
    assert_int_equal(b.s.view, VIEW);
    m.members = ALL;
    reads(&b, PEER, m);
    assert_int_equal(b.s.view, HIGHER);
    installed = b.s.install_at;
    b.now += 5;
    reads(&b, PEER, m);
    assert_true(b.s.install_at == installed);
}

/* A waiting request is asked again in the new view, with a new number. */
TEST(test_waiting_requests_are_asked_again)
{
    struct bench b = member(VIEW_LOCK_WHOLE);

    b.s.time = 40;
    commands(&b, MUTEX_WANT);
    reads(&b, PEER, clear_of(VIEW, 41));
    reads(&b, PEER, propose_of(HIGHER));
    reads(&b, PEER, newview_of(HIGHER, 0, VIEW));
    assert_int_equal(role(&b), MUTEX_WAITS);
    assert_int_equal(sent(&b, VIEW_LOCK_REQUEST, PEER)->number, 1);
    assert_int_equal(sent(&b, VIEW_LOCK_REQUEST, PEER)->view, HIGHER);
}

/* W3: an outsider cannot break a healthy view, unless it only adds to it. */
TEST(test_outsiders_do_not_break_a_healthy_view)
{
    struct bench b = member(VIEW_LOCK_WHOLE);
    struct view_lock_msg m = propose_of(HIGHER);

    b.s.members = 1u << ME | 1u << PEER;
    m.members = 1u << ME | 1u << OTHER;
    reads(&b, OTHER, m);
    assert_null(sent(&b, VIEW_LOCK_VOTE, OTHER));
    m.members = ALL;
    reads(&b, OTHER, m);
    assert_non_null(sent(&b, VIEW_LOCK_VOTE, OTHER));
}

/* Numbers that are used up: no view is better than one that is lower. */
TEST(test_view_numbers_never_go_back)
{
    struct bench b = started(VIEW_LOCK_WHOLE);
    struct view_lock_msg m = frame_of(0, 1, 0);

    m.maxv = VIEW_LOCK_VIEW_MAX;
    b.now += 10 * DELTA;
    reads(&b, PEER, m);
    reads(&b, OTHER, m);
    times_out(&b);
    b.now += 2 * DELTA;
    times_out(&b);
    assert_null(sent(&b, VIEW_LOCK_PROPOSE, OTHER));
    assert_int_equal(b.s.record.maxv, 0);
}

/* ---- On the wire --------------------------------------------------------- */

/* With room for all nodes, as a live node has it; the contract has room for
 * six. */
TEST(test_messages_pack_and_unpack)
{
    struct dice dice = {3};

    for (uint32_t i = 0; i < 20000; i++) {
        uint8_t wire[FC_WIRE_MAX], again[FC_WIRE_MAX];
        struct view_lock_msg m, back;
        size_t size = throw_below(&dice, 160);

        for (size_t j = 0; j < size; j++)
            wire[j] = (uint8_t)throw_dice(&dice);
        wire[0] = (uint8_t)(1 + throw_below(&dice, VIEW_LOCK_KINDS));
        wire[1] &= 31;
        if (view_lock_unpack(&m, wire, size) != 0)
            continue;
        assert_int_equal(view_lock_pack(&m, again), size);
        assert_memory_equal(wire, again, size);
        assert_int_equal(view_lock_wire_bytes(&m), size);
        assert_int_equal(view_lock_unpack(&back, again, size), 0);
        assert_memory_equal(&m, &back, sizeof m);
        assert_int_equal(view_lock_unpack(&m, wire, size - 1), -1);
    }
}

/* This build has no room for nodes beyond the first sixteen. */
TEST(test_wide_sets_are_refused)
{
    static const uint8_t wide[22] = {
        VIEW_LOCK_PROPOSE | 0x40, [10] = 64, /* the view */
        [14] = 7,                            /* its members */
        [16] = 1};
    uint8_t wire[22];
    struct view_lock_msg m;

    memcpy(wire, wide, sizeof wire);
    assert_int_equal(view_lock_unpack(&m, wire, 22), -1);
    wire[0] &= (uint8_t)~0x40u;
    assert_int_equal(view_lock_unpack(&m, wire, 22), -1);
    assert_int_equal(view_lock_unpack(&m, wire, 16), 0);
    assert_int_equal(m.members, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_votes_are_for_higher_views_only),
        cmocka_unit_test(test_what_a_vote_says),
        cmocka_unit_test(test_those_left_out_are_outwaited),
        cmocka_unit_test(test_an_unanswered_proposal_is_followed_by_another),
        cmocka_unit_test(test_proposals_are_repeated),
        cmocka_unit_test(test_a_view_that_is_made_is_not_proposed),
        cmocka_unit_test(test_votes_are_repeated),
        cmocka_unit_test(test_votes_are_repeated_to_the_same_only),
        cmocka_unit_test(test_missing_votes_are_waited_for),
        cmocka_unit_test(test_a_witness_only_helps),
        cmocka_unit_test(test_a_witness_makes_views_of_others),
        cmocka_unit_test(test_news_is_repeated),
        cmocka_unit_test(test_a_lock_is_kept_unless_below_the_base),
        cmocka_unit_test(test_no_consent_of_an_old_view_leaves_in_the_new),
        cmocka_unit_test(test_no_request_of_an_old_view_leaves_in_the_new),
        cmocka_unit_test(test_a_stamp_tells_the_view),
        cmocka_unit_test(test_strange_news_is_ignored),
        cmocka_unit_test(test_waiting_requests_are_asked_again),
        cmocka_unit_test(test_outsiders_do_not_break_a_healthy_view),
        cmocka_unit_test(test_view_numbers_never_go_back),
        cmocka_unit_test(test_messages_pack_and_unpack),
        cmocka_unit_test(test_wide_sets_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
