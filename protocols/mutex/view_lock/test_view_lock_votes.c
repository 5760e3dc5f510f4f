/*
 * test_view_lock_votes.c - what a coordinator makes of votes: who becomes a
 * member, whom the new view outwaits, and below which view locks are given up
 * (see test_view_lock_views.c).
 */
#include "protocols/mutex/view_lock/test_view_lock_node.h"

/* V3: of a voter that was asked again the last vote counts, as a whole. */
TEST(test_the_last_vote_of_a_node_counts)
{
    struct bench b = proposer(VIEW_LOCK_WHOLE);
    struct view_lock_msg vote = vote_for(&b, 3);

    reads(&b, PEER, vote);
    assert_true(b.s.proposal.free & 1u << PEER);
    vote.flags = 0;
    vote.number = VIEW_LOCK_UNSETTLED;
    vote.each[OTHER] = 5;
    reads(&b, PEER, vote);
    assert_int_equal(b.s.proposal.voted, 1u << ME | 1u << PEER);
    assert_int_equal(b.s.proposal.free, 1u << ME);
    assert_int_equal(b.s.proposal.ready, 1u << ME);
    assert_true(b.s.proposal.est[PEER] == VIEW_LOCK_UNSETTLED);
    assert_int_equal(b.s.proposal.age[PEER][OTHER], 5);
}

/* V3: "Base := m-th smallest est among the votes": of three votes the middle
 * one.  The least would keep locks that a used view was told to outwait, the
 * greatest would abandon those that it need not. */
TEST(test_the_base_is_what_a_majority_has_seen)
{
    static const uint32_t est[][3] = {
        {192, 64, 128}, {64, 128, 192}, {128, 192, 64}, {64, 192, 128}};

    for (size_t i = 0; i < COUNT(est); i++) {
        struct bench b = proposer(VIEW_LOCK_WHOLE);
        struct view_lock_msg vote = vote_for(&b, 0);

        b.s.proposal.est[ME] = est[i][0];
        vote.number = est[i][1];
        reads(&b, PEER, vote);
        vote.number = est[i][2];
        reads(&b, OTHER, vote);
        assert_int_equal(b.s.news.base, 128);
        assert_int_equal(sent(&b, VIEW_LOCK_NEWVIEW, PEER)->number, 128);
    }
}

/* V3: the quiet time counts from the m-th largest age among the votes: two of
 * three must have been without a frame for so long. */
TEST(test_the_quiet_time_is_what_a_majority_knows)
{
    static const uint64_t age[][2] = {{10, 90}, {90, 10}, {40, 40}};

    for (size_t i = 0; i < COUNT(age); i++) {
        struct bench b = member(VIEW_LOCK_WHOLE);

        other_is_silent(&b, SILENCE + 1);
        other_is_silent(&b, DELTA);
        b.s.proposal.age[ME][OTHER] = age[i][0];
        reads(&b, PEER, vote_for(&b, age[i][1]));
        assert_true(b.s.news.quiet == QUIET - (i == 2 ? 40 : 10));
    }
}

/* V3: "for each configured x that is no member and whose own vote does not say
 * free": a node that is about to stop and holds nothing need not be
 * outwaited. */
TEST(test_who_is_free_is_not_outwaited)
{
    for (int free = 0; free < 2; free++) {
        struct bench b = proposer(VIEW_LOCK_WHOLE);
        struct view_lock_msg vote = vote_for(&b, 0);

        b.s.proposal.age[ME][OTHER] = 0;
        vote.flags = free ? VIEW_LOCK_FREE : 0; /* not ready: no member */
        reads(&b, OTHER, vote);
        reads(&b, PEER, vote_for(&b, 0));
        assert_int_equal(b.s.members, 1u << ME | 1u << PEER);
        assert_true(b.s.news.quiet == (free ? 0 : QUIET));
    }
}

/* V3: "M := C and ready voters": a voter that is not ready only helps, and so
 * does one that is no candidate. */
TEST(test_only_ready_candidates_become_members)
{
    struct bench b = proposer(VIEW_LOCK_WHOLE);
    struct view_lock_msg vote = vote_for(&b, 0);

    vote.flags = VIEW_LOCK_FREE;
    reads(&b, PEER, vote);
    reads(&b, OTHER, vote_for(&b, 0));
    assert_int_equal(b.s.members, 1u << ME | 1u << OTHER);
    b = proposer(VIEW_LOCK_WHOLE);
    b.s.proposal.candidates &= (uint16_t) ~(1u << OTHER);
    reads(&b, OTHER, vote_for(&b, 0));
    reads(&b, PEER, vote_for(&b, 0));
    assert_int_equal(b.s.members, 1u << ME | 1u << PEER);
}

/* V3: "with at least m votes": its own is not enough, however long it waits. */
TEST(test_a_view_needs_a_majority_of_votes)
{
    struct bench b = proposer(VIEW_LOCK_WHOLE);

    b.p.silence = 1; /* nobody is heard: there will be no other proposal */
    for (uint32_t i = 0; i < 10; i++) {
        b.now += DELTA;
        times_out(&b);
        assert_int_equal(b.s.view, 0);
        assert_null(sent(&b, VIEW_LOCK_NEWVIEW, PEER));
    }
    reads(&b, PEER, vote_for(&b, QUIET));
    assert_true(b.s.view != 0);
}

/* V3: "at least m votes for (w, this inc)": not for another view, nor for an
 * earlier life of the coordinator, which may have proposed the same. */
TEST(test_votes_for_something_else_do_not_count)
{
    struct bench b = proposer(VIEW_LOCK_WHOLE);
    struct view_lock_msg vote = vote_for(&b, 0);

    vote.echo_inc = 2;
    reads(&b, PEER, vote);
    assert_int_equal(b.s.proposal.voted, 1u << ME);
    vote.echo_inc = 1;
    vote.view += VIEW;
    reads(&b, PEER, vote);
    assert_int_equal(b.s.proposal.voted, 1u << ME);
    vote.view -= VIEW;
    reads(&b, PEER, vote);
    assert_int_equal(b.s.proposal.voted, 1u << ME | 1u << PEER);
}

/* V2: "drop an own lower proposal": a node that votes for another's makes
 * none. */
TEST(test_a_vote_ends_the_own_proposal)
{
    struct bench b = proposer(VIEW_LOCK_WHOLE);
    struct view_lock_msg vote = vote_for(&b, 0);

    reads(&b, PEER, propose_of(b.s.record.maxv + VIEW));
    assert_non_null(sent(&b, VIEW_LOCK_VOTE, PEER));
    assert_int_equal(b.s.proposal.view, 0);
    reads(&b, OTHER, vote);
    assert_null(sent(&b, VIEW_LOCK_NEWVIEW, OTHER));
    assert_int_equal(b.s.view, 0);
}

/* F1: a node's own lease frames count for est as those of others do. */
TEST(test_the_own_frames_tell_what_is_in_use)
{
    struct bench b = started(VIEW_LOCK_WHOLE);

    reads(&b, PEER, propose_of(VIEW));
    reads(&b, PEER, newview_of(VIEW, 0, 0));
    assert_int_equal(sent(&b, VIEW_LOCK_FRAME, PEER)->view, VIEW);
    reads(&b, PEER, propose_of(HIGHER));
    assert_int_equal(sent(&b, VIEW_LOCK_VOTE, PEER)->number, VIEW);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_last_vote_of_a_node_counts),
        cmocka_unit_test(test_the_base_is_what_a_majority_has_seen),
        cmocka_unit_test(test_the_quiet_time_is_what_a_majority_knows),
        cmocka_unit_test(test_who_is_free_is_not_outwaited),
        cmocka_unit_test(test_only_ready_candidates_become_members),
        cmocka_unit_test(test_a_view_needs_a_majority_of_votes),
        cmocka_unit_test(test_votes_for_something_else_do_not_count),
        cmocka_unit_test(test_a_vote_ends_the_own_proposal),
        cmocka_unit_test(test_the_own_frames_tell_what_is_in_use),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
