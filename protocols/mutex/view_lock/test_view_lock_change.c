/*
 * test_view_lock_change.c - the list of the live lock changes while it runs:
 * rules R1 to R7, one by one.
 */
#include "protocols/mutex/view_lock/test_view_lock_node.h"

/* The list 0, 1, 2 is to become 0, 1, 3; this node is 1. */
enum { NEW = 3, FOUR = 4, OLD_LIST = 7, NEW_LIST = 11, UNION = 15 };
enum { SECOND = 2 * VIEW, THIRD = 3 * VIEW, FOURTH = 4 * VIEW };

static struct bench node_of(uint32_t self, enum view_lock_without without)
{
    struct bench b = {
        .me = {self, FOUR},
        .p = {.tau = TAU,
              .lease = LEASE,
              .silence = SILENCE,
              .delta = DELTA,
              .quiet = QUIET,
              .list = OLD_LIST,
              .changes = 1,
              .plan = {{.quiet = QUIET, .lease = LEASE, .list = NEW_LIST}},
              .without = (uint8_t)without},
        .now = 1,
    };

    happens(&b, (struct view_lock_in){.event = {.kind = FC_BOOT}});
    b.now = 1000;
    return b;
}

static struct view_lock_conf joint(uint32_t born, uint32_t at)
{
    return (struct view_lock_conf){.k = 1,
                                   .born = born,
                                   .at = at,
                                   .old = OLD_LIST,
                                   .list = NEW_LIST,
                                   .lease = LEASE,
                                   .quiet = QUIET,
                                   .next_lease = LEASE,
                                   .next_quiet = QUIET};
}

static struct view_lock_conf stable(uint32_t born, uint32_t at)
{
    return (struct view_lock_conf){.k = 2,
                                   .born = born,
                                   .at = at,
                                   .old = OLD_LIST,
                                   .list = NEW_LIST,
                                   .lease = LEASE,
                                   .quiet = QUIET};
}

/* A frame names its configuration. */
static struct view_lock_msg frame_in(uint32_t view, uint64_t stamp,
                                     uint64_t echo, uint32_t k, uint32_t born)
{
    struct view_lock_msg m = frame_of(view, stamp, echo);

    m.members = OLD_LIST;
    m.heard = UNION;
    m.conf.k = k;
    m.conf.born = born;
    return m;
}

static struct view_lock_msg view_in(uint32_t view, uint16_t members,
                                    struct view_lock_conf conf)
{
    struct view_lock_msg m = newview_of(view, 0, 0);

    m.members = members;
    m.count = FOUR;
    m.each[NEW] = 1;
    m.conf = conf;
    return m;
}

static struct view_lock_msg told(struct view_lock_conf conf)
{
    return (struct view_lock_msg){.kind = VIEW_LOCK_REFUSE,
                                  .inc = 1,
                                  .flags = VIEW_LOCK_TELLS,
                                  .conf = conf};
}

/* In VIEW of the first list, leased by a frame sent now. */
static struct bench in_first(enum view_lock_without without)
{
    struct bench b = node_of(ME, without);

    reads(&b, PEER, propose_of(VIEW));
    reads(&b, PEER, newview_of(VIEW, 0, 0));
    reads(&b, PEER, frame_in(VIEW, 1, b.now, 0, 0));
    assert_true(b.s.lease_end == b.now + LEASE);
    return b;
}

/* In SECOND, the joint view. */
static struct bench in_joint(enum view_lock_without without)
{
    struct bench b = in_first(without);
    struct view_lock_msg m = propose_of(SECOND);

    b.now += TAU;
    m.conf = joint(SECOND, 0);
    reads(&b, PEER, m);
    reads(&b, PEER, view_in(SECOND, OLD_LIST, joint(SECOND, 0)));
    assert_int_equal(b.s.view, SECOND);
    return b;
}

/* ---- VL-R1 --------------------------------------------------------------- */

TEST(test_a_view_is_adopted_on_disk_before_it_is_helped)
{
    struct bench b = in_joint(VIEW_LOCK_WHOLE);

    assert_int_equal(b.s.record.conf.k, 1);
    assert_int_equal(b.s.record.conf.at, SECOND);
    assert_true(b.fx.save);

    b = in_joint(VIEW_LOCK_WITHOUT_R1_SYNC);
    assert_int_equal(b.s.record.conf.k, 1);
    assert_false(b.fx.save);
}

/* An unchecked value would hide a chosen one. */
TEST(test_a_proposal_makes_nobody_adopt)
{
    struct bench b = in_first(VIEW_LOCK_WHOLE);
    struct view_lock_msg m = propose_of(SECOND);

    m.conf = joint(SECOND, 0);
    reads(&b, PEER, m);
    assert_non_null(sent(&b, VIEW_LOCK_VOTE, PEER));
    assert_int_equal(sent(&b, VIEW_LOCK_VOTE, PEER)->conf.k, 0);
    assert_int_equal(b.s.record.conf.k, 0);
}

/* Frames only name a configuration: its lists are asked for first. */
TEST(test_a_frame_of_unknown_lists_is_not_taken)
{
    struct bench b = in_first(VIEW_LOCK_WHOLE);

    reads(&b, PEER, frame_in(SECOND, 5, 0, 1, SECOND));
    assert_int_equal(b.s.peer[PEER].echo_stamp, 1);
    assert_int_equal(sent(&b, VIEW_LOCK_REFUSE, PEER)->flags, VIEW_LOCK_TELLS);

    reads(&b, PEER, told(joint(SECOND, SECOND)));
    assert_int_equal(b.s.record.conf.k, 1);
    assert_true(b.fx.save);
    assert_null(sent(&b, VIEW_LOCK_REFUSE, PEER));
    reads(&b, PEER, frame_in(SECOND, 6, 0, 1, SECOND));
    assert_int_equal(b.s.peer[PEER].echo_stamp, 6);
}

/* A node that has voted for the joint view, and was not told of it, takes a
 * frame of it. */
static struct bench helps_joint(enum view_lock_without without)
{
    struct bench b = in_first(without);
    struct view_lock_msg m = propose_of(SECOND);

    m.conf = joint(SECOND, 0);
    reads(&b, PEER, m);
    reads(&b, PEER, frame_in(SECOND, 5, 0, 1, SECOND));
    assert_int_equal(b.s.peer[PEER].echo_stamp, 5);
    return b;
}

TEST(test_what_is_taken_is_adopted)
{
    struct bench b = helps_joint(VIEW_LOCK_WHOLE);

    assert_int_equal(b.s.record.conf.k, 1);
    assert_true(b.fx.save);
    b = helps_joint(VIEW_LOCK_WITHOUT_R1);
    assert_int_equal(b.s.record.conf.k, 0);
}

TEST(test_a_frame_of_a_newer_joint_view_is_written_down)
{
    struct bench b = in_joint(VIEW_LOCK_WHOLE);

    reads(&b, PEER, frame_in(SECOND, 5, 0, 1, SECOND));
    assert_false(b.fx.save);
    reads(&b, PEER, frame_in(THIRD, 6, 0, 1, SECOND));
    assert_int_equal(b.s.record.conf.at, THIRD);
    assert_true(b.fx.save);

    b = in_joint(VIEW_LOCK_WITHOUT_R1_AT);
    reads(&b, PEER, frame_in(THIRD, 6, 0, 1, SECOND));
    assert_false(b.fx.save);
}

/* A stable configuration has one value. */
TEST(test_a_stable_one_is_written_down_once)
{
    struct bench b = in_joint(VIEW_LOCK_WHOLE);

    reads(&b, PEER, told(stable(THIRD, THIRD)));
    assert_int_equal(b.s.record.conf.k, 2);
    assert_true(b.fx.save);
    reads(&b, PEER, frame_in(FOURTH, 6, 0, 2, THIRD));
    assert_int_equal(b.s.peer[PEER].echo_stamp, 6);
    assert_false(b.fx.save);
}

TEST(test_it_never_goes_back)
{
    struct bench b = in_joint(VIEW_LOCK_WHOLE);

    reads(&b, PEER, told(joint(THIRD, VIEW)));
    assert_int_equal(b.s.record.conf.born, SECOND);
    /* Of another value of the same number no frame is taken that is older. */
    b.s.record.conf.at = FOURTH;
    b.s.told_of = joint(THIRD, THIRD);
    reads(&b, PEER, frame_in(THIRD, 7, 0, 1, THIRD));
    assert_true(b.s.peer[PEER].echo_stamp != 7);
    /* And who is behind is told. */
    reads(&b, OTHER, told((struct view_lock_conf){.k = 0}));
    assert_int_equal(sent(&b, VIEW_LOCK_REFUSE, OTHER)->conf.born, SECOND);
}

/* ---- VL-R2, VL-R2a ------------------------------------------------------- */

/* A lease in a joint view: the old list with OTHER, the new one with NEW. */
static uint64_t leased_until(struct bench *b, bool by_old, bool by_new)
{
    uint64_t from = b->now;

    b->now++;
    if (by_old)
        reads(b, OTHER, frame_in(SECOND, 9, from, 1, SECOND));
    if (by_new)
        reads(b, NEW, frame_in(SECOND, 9, from, 1, SECOND));
    return b->s.lease_from ? b->s.lease_end - from : 0;
}

TEST(test_a_lease_needs_a_majority_of_each_list)
{
    struct bench b = in_joint(VIEW_LOCK_WHOLE);

    assert_int_equal(leased_until(&b, true, false), 0);
    b = in_joint(VIEW_LOCK_WHOLE);
    assert_int_equal(leased_until(&b, false, true), 0);
    b = in_joint(VIEW_LOCK_WHOLE);
    assert_int_equal(leased_until(&b, true, true), LEASE);
    b = in_joint(VIEW_LOCK_WITHOUT_R2);
    assert_int_equal(leased_until(&b, false, true), LEASE);
    b = in_joint(VIEW_LOCK_WITHOUT_R2_OLD);
    assert_int_equal(leased_until(&b, true, false), LEASE);
    b = in_joint(VIEW_LOCK_WITHOUT_R2_LEASE);
    assert_int_equal(leased_until(&b, true, false), LEASE);
}

/* The lease of the old view keeps its end; its frames no longer count. */
TEST(test_the_lease_in_hand_keeps_its_end)
{
    struct bench b = in_joint(VIEW_LOCK_WHOLE);

    assert_true(b.s.lease_end == 1000 + LEASE);
    reads(&b, OTHER, frame_in(SECOND, 9, 1000, 1, SECOND));
    reads(&b, NEW, frame_in(SECOND, 9, 1000, 1, SECOND));
    reads(&b, PEER, frame_in(SECOND, 9, 1000, 1, SECOND));
    assert_true(b.s.lease_from == 0);
    assert_true(b.s.lease_end == 1000 + LEASE);

    b = in_joint(VIEW_LOCK_WITHOUT_R2A);
    reads(&b, NEW, frame_in(SECOND, 9, 1000, 1, SECOND));
    assert_true(b.s.lease_from == 1000);
}

/* Proposes the joint view, with the votes of 0, 1 and NEW; 2 was last heard as
 * long ago as each says.  Its quiet time, and its base. */
static struct bench joins(enum view_lock_without without, const uint64_t age[4],
                          const uint32_t est[4])
{
    struct bench b = in_first(without);
    const uint16_t voters[] = {PEER, NEW};

    commands(&b, VIEW_LOCK_CHANGE);
    for (uint64_t end = b.now + QUIET + 3 * TAU; b.now < end; b.now += TAU) {
        for (uint16_t x = 0; x < FOUR; x++)
            if (x != ME && (x != OTHER || b.now + 2 * TAU < end))
                reads(&b, x,
                      frame_in(x == NEW ? 0 : VIEW, b.now, b.now - 1, 0, 0));
        times_out(&b);
        if (b.s.proposal.view)
            break;
    }
    assert_int_equal(b.s.proposal.conf.k, 1);
    b.s.proposal.candidates &= (uint16_t) ~(1u << OTHER);
    b.s.proposal.age[ME][OTHER] = age[ME];
    b.s.proposal.est[ME] = est[ME];
    b.s.peer[OTHER].flags = 0;
    for (uint32_t i = 0; i < 2; i++) {
        struct view_lock_msg m = vote_for(&b, age[voters[i]]);

        m.count = FOUR;
        m.number = est[voters[i]];
        reads(&b, voters[i], m);
    }
    return b;
}

/* Of the old list 0 and 1 have voted: the second largest age counts; of the new
 * one 0, 1 and 3. */
TEST(test_the_safest_answer_of_both_lists_counts)
{
    const uint64_t age[] = {50, 60, 0, 70};
    const uint32_t est[] = {VIEW, VIEW - 1, 0, VIEW - 2};
    struct bench b = joins(VIEW_LOCK_WHOLE, age, est);

    assert_int_equal(b.s.view, b.s.of_view.born);
    assert_int_equal(b.s.quiet_end - b.s.install_at, QUIET - 50);
    assert_int_equal(b.s.news.base, VIEW);
    b = joins(VIEW_LOCK_WITHOUT_R2_QUIET, age, est);
    assert_int_equal(b.s.quiet_end - b.s.install_at, QUIET - 60);
    b = joins(VIEW_LOCK_WITHOUT_R2_BASE, age, est);
    assert_int_equal(b.s.news.base, VIEW - 1);
}

/* ---- VL-R3 --------------------------------------------------------------- */

/* Proposes a view of what it has, and reads a vote that shows another. */
static struct bench hears_of(enum view_lock_without without,
                             struct view_lock_conf conf, bool heard)
{
    struct bench b = node_of(ME, without);
    struct view_lock_msg m;

    for (int i = 0; i < 2; i++) {
        reads(&b, PEER, frame_in(0, (uint64_t)i + 1, 0, 0, 0));
        reads(&b, OTHER, frame_in(0, (uint64_t)i + 1, 0, 0, 0));
        if (heard)
            reads(&b, NEW, frame_in(0, (uint64_t)i + 1, 0, 0, 0));
        times_out(&b);
        b.now += i ? 0 : DELTA;
    }
    assert_non_null(sent(&b, VIEW_LOCK_PROPOSE, OTHER));
    m = vote_for(&b, 0);
    m.conf = conf;
    b.now++;
    reads(&b, OTHER, m);
    return b;
}

TEST(test_a_newer_configuration_that_a_vote_shows_is_adopted)
{
    struct bench b = hears_of(VIEW_LOCK_WHOLE, joint(7, SECOND), true);

    assert_int_equal(b.s.record.conf.born, 7);
    assert_int_equal(b.s.record.conf.at, SECOND);
    assert_int_equal(b.s.proposal.view, 0);
    assert_int_equal(b.s.view, 0);

    b = hears_of(VIEW_LOCK_WITHOUT_R3, joint(7, SECOND), true);
    assert_int_equal(b.s.record.conf.k, 0);
}

/* Where nobody would agree to it, the vote does not count. */
TEST(test_a_vote_without_hope_is_set_apart)
{
    struct view_lock_conf alone = joint(7, SECOND);
    struct bench b;

    alone.list = 1u << NEW;
    b = hears_of(VIEW_LOCK_WHOLE, alone, false);
    assert_int_equal(b.s.record.conf.k, 0);
    assert_int_equal(b.s.proposal.apart, 1u << OTHER);
    assert_int_equal(b.s.view, 0);
    b.now++;
    reads(&b, PEER, vote_for(&b, 0));
    b.now += 2 * DELTA;
    times_out(&b);
    assert_int_equal(b.s.view & 63, ME);
    assert_int_equal(b.s.members, 1u << ME | 1u << PEER);
}

/* A node that is left, and was not told, proposes what was before, with more
 * nodes: the view that is there stays, leased or not, and that node is told. */
TEST(test_what_was_before_does_not_break_a_view)
{
    struct bench b = in_joint(VIEW_LOCK_WHOLE);
    struct view_lock_msg m = propose_of(THIRD);

    m.members = UNION;
    reads(&b, OTHER, m);
    assert_null(sent(&b, VIEW_LOCK_VOTE, OTHER));
    assert_int_equal(sent(&b, VIEW_LOCK_REFUSE, OTHER)->conf.k, 1);
    b.now += 2 * LEASE;
    reads(&b, OTHER, m);
    assert_null(sent(&b, VIEW_LOCK_VOTE, OTHER));
    m.conf = joint(SECOND, SECOND);
    reads(&b, OTHER, m);
    assert_non_null(sent(&b, VIEW_LOCK_VOTE, OTHER));
}

/* ---- VL-R4, VL-R5, VL-R7 ------------------------------------------------- */

/* Frames of these for a while; true if it proposes. */
static bool proposes_within(struct bench *b, uint64_t steps, uint16_t from)
{
    for (uint64_t end = b->now + steps; b->now < end;) {
        b->now += end - b->now < TAU ? end - b->now : TAU;
        for (uint16_t x = 0; x < FOUR; x++)
            if (x != ME && from >> x & 1)
                reads(b, x,
                      frame_in(x == NEW ? 0 : b->s.view, b->now, b->now - 1,
                               b->s.of_view.k, b->s.of_view.born));
        times_out(b);
        if (b->s.proposal.view)
            return true;
    }
    return false;
}

TEST(test_a_change_waits_until_older_leases_are_over)
{
    struct bench b = in_first(VIEW_LOCK_WHOLE);

    commands(&b, VIEW_LOCK_CHANGE);
    assert_true(b.fx.notes & FC_NOTE_STARTED);
    assert_false(proposes_within(&b, QUIET - 1, UNION));
    assert_true(proposes_within(&b, 3 * TAU + DELTA, UNION));
    assert_int_equal(b.s.proposal.conf.k, 1);
    assert_int_equal(b.s.proposal.conf.born, b.s.proposal.view);
    assert_int_equal(b.s.proposal.conf.old, OLD_LIST);
    assert_int_equal(b.s.proposal.conf.list, NEW_LIST);

    b = in_first(VIEW_LOCK_WITHOUT_R4_WAIT);
    commands(&b, VIEW_LOCK_CHANGE);
    assert_true(proposes_within(&b, 3 * TAU + DELTA, UNION));
}

/* Every node of a joint view goes on to the stable one. */
TEST(test_a_joint_view_is_left_as_soon_as_it_may_be)
{
    struct bench b = in_joint(VIEW_LOCK_WHOLE);

    assert_true(leased_until(&b, true, true) > 0);
    assert_false(proposes_within(&b, QUIET - 2 * TAU, UNION & ~8));
    (void)leased_until(&b, true, true);
    b.s.members = OLD_LIST;
    assert_true(b.s.ripe_at != 0);
}

TEST(test_one_change_at_a_time)
{
    struct bench b = in_first(VIEW_LOCK_WHOLE);

    commands(&b, VIEW_LOCK_CHANGE);
    commands(&b, VIEW_LOCK_CHANGE);
    assert_false(b.fx.notes & FC_NOTE_STARTED);
    b = in_joint(VIEW_LOCK_WHOLE);
    commands(&b, VIEW_LOCK_CHANGE);
    assert_false(b.fx.notes & FC_NOTE_STARTED);
    commands(&b, VIEW_LOCK_CHANGE + 1); /* not planned */
    assert_false(b.fx.notes & FC_NOTE_STARTED);
}

/* A change that could not end is not begun: of the new list 0, 1 and 3 two must
 * be heard. */
TEST(test_a_change_needs_a_majority_of_the_new_list)
{
    struct bench b = in_first(VIEW_LOCK_WHOLE);

    b.p.plan[0].list = 1u << NEW | 1u << ME;
    commands(&b, VIEW_LOCK_CHANGE);
    assert_false(proposes_within(&b, 3 * QUIET, OLD_LIST));
    assert_true(proposes_within(&b, 3 * TAU + DELTA, UNION));

    b = in_first(VIEW_LOCK_WITHOUT_R7);
    b.p.plan[0].list = 1u << NEW | 1u << ME;
    commands(&b, VIEW_LOCK_CHANGE);
    assert_true(proposes_within(&b, 3 * QUIET, OLD_LIST));
}

/* The new list alone cannot make the joint view: of the old one 0 or 2 must
 * vote. */
TEST(test_a_joint_view_needs_votes_of_both_lists)
{
    struct bench b = in_first(VIEW_LOCK_WHOLE);

    b.p.plan[0].list = 1u << NEW | 1u << ME;
    commands(&b, VIEW_LOCK_CHANGE);
    assert_true(proposes_within(&b, QUIET + 3 * TAU + DELTA, UNION));
    reads(&b, NEW, vote_for(&b, 0));
    b.now += 2 * DELTA;
    times_out(&b);
    assert_int_equal(b.s.view, VIEW);
    reads(&b, PEER, vote_for(&b, 0));
    assert_int_equal(b.s.of_view.k, 1);
}

/* "Joint: T the smaller, Wfull from the larger." */
TEST(test_a_joint_view_has_the_safer_times)
{
    static const struct {
        enum view_lock_without without;
        uint32_t lease, joint_lease;
        uint64_t joint_quiet;
    } cases[] = {
        {VIEW_LOCK_WHOLE, 2 * LEASE, LEASE, 2 * QUIET},
        {VIEW_LOCK_WHOLE, LEASE / 2, LEASE / 2, QUIET},
        {VIEW_LOCK_WITHOUT_R5, LEASE / 2, LEASE, QUIET},
        {VIEW_LOCK_WITHOUT_R5_QUIET, LEASE / 2, LEASE / 2, QUIET / 2},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct bench b = in_first(cases[i].without);

        b.p.plan[0].lease = cases[i].lease;
        b.p.plan[0].quiet = (uint64_t)QUIET * cases[i].lease / LEASE;
        commands(&b, VIEW_LOCK_CHANGE);
        assert_true(proposes_within(&b, QUIET + 3 * TAU + DELTA, UNION));
        assert_int_equal(b.s.proposal.conf.lease, cases[i].joint_lease);
        assert_int_equal(b.s.proposal.conf.quiet, cases[i].joint_quiet);
        assert_int_equal(b.s.proposal.conf.next_lease, cases[i].lease);
    }
}

/* ---- VL-R6 --------------------------------------------------------------- */

TEST(test_who_is_in_no_list_has_no_say)
{
    struct bench b = node_of(NEW, VIEW_LOCK_WHOLE);
    struct view_lock_msg m = propose_of(VIEW);

    m.members = OLD_LIST;
    reads(&b, PEER, m);
    assert_int_equal(b.sends, 0);
    reads(&b, PEER, frame_in(VIEW, 5, 0, 0, 0));
    assert_int_equal(b.s.peer[PEER].took, 0);
    b.now += 5 * SILENCE;
    times_out(&b);
    assert_int_equal(b.s.proposal.view, 0);
    commands(&b, MUTEX_WANT);
    assert_false(b.fx.notes & FC_NOTE_STARTED);

    /* But it votes for the view that admits it. */
    m = propose_of(SECOND);
    m.conf = joint(SECOND, 0);
    reads(&b, PEER, m);
    assert_non_null(sent(&b, VIEW_LOCK_VOTE, PEER));
    reads(&b, PEER, frame_in(SECOND, 6, 0, 1, SECOND));
    assert_int_equal(b.s.record.conf.k, 1);

    b = node_of(NEW, VIEW_LOCK_WITHOUT_R6);
    reads(&b, PEER, propose_of(VIEW));
    assert_non_null(sent(&b, VIEW_LOCK_VOTE, PEER));
}

TEST(test_who_was_removed_is_silent)
{
    struct bench b = node_of(OTHER, VIEW_LOCK_WHOLE);
    struct view_lock_msg m = propose_of(FOURTH);

    reads(&b, PEER, told(stable(THIRD, THIRD)));
    assert_int_equal(b.s.record.conf.k, 2);
    b.now += 2 * TAU;
    times_out(&b);
    assert_int_equal(b.sends, 0);
    commands(&b, MUTEX_WANT);
    assert_false(b.fx.notes & FC_NOTE_STARTED);
    m.conf = stable(THIRD, THIRD);
    reads(&b, PEER, m);
    assert_int_equal(b.sends, 0);
    /* Who does not know it is told by a vote that cannot count. */
    reads(&b, PEER, propose_of(FOURTH));
    assert_int_equal(sent(&b, VIEW_LOCK_VOTE, PEER)->conf.k, 2);
}

/* One that was removed while it was cut off is told when it speaks. */
TEST(test_a_stranger_is_told_the_list)
{
    struct bench b = in_joint(VIEW_LOCK_WHOLE);

    reads(&b, PEER, told(stable(THIRD, THIRD)));
    b.s.record.conf.old = NEW_LIST; /* as after one more change */
    reads(&b, OTHER, frame_in(0, 3, 0, 0, 0));
    assert_int_equal(sent(&b, VIEW_LOCK_REFUSE, OTHER)->conf.k, 2);
}

/* ---- On the wire --------------------------------------------------------- */

TEST(test_configurations_on_the_wire)
{
    struct view_lock_msg m = view_in(SECOND, OLD_LIST, joint(SECOND, VIEW));
    struct view_lock_msg got, frame = frame_in(SECOND, 5, 6, 1, SECOND);
    uint8_t wire[view_lock_wire];
    size_t size = view_lock_pack(&m, wire);

    assert_int_equal(size, view_lock_wire_bytes(&m));
    assert_int_equal(view_lock_unpack(&got, wire, size), 0);
    assert_memory_equal(&got, &m, sizeof m);
    assert_int_equal(view_lock_unpack(&got, wire, size - 1), -1);
    /* A frame only names it; one of configuration 0 does not. */
    size = view_lock_pack(&frame, wire);
    assert_int_equal(size, VIEW_LOCK_FRAME_WIRE + VIEW_LOCK_CONF_NAME_WIRE);
    assert_int_equal(view_lock_unpack(&got, wire, size), 0);
    assert_memory_equal(&got, &frame, sizeof frame);
    frame.conf = (struct view_lock_conf){.k = 0};
    assert_int_equal(view_lock_pack(&frame, wire), VIEW_LOCK_FRAME_WIRE);
}

TEST(test_configurations_that_nobody_proposed)
{
    const struct view_lock_conf good = joint(SECOND, VIEW);
    struct view_lock_conf bad[] = {good, good, good, good, good, good};
    uint8_t wire[view_lock_wire];
    struct view_lock_msg got;

    bad[0].born = 0;
    bad[1].list = 0;
    bad[2].next_lease = 0;
    bad[3].lease = 0;
    bad[4].quiet = LEASE - 1;
    bad[5].k = 2;
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct view_lock_msg m = told(bad[i]);
        size_t size = view_lock_pack(&m, wire);

        assert_int_equal(view_lock_unpack(&got, wire, size), -1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_view_is_adopted_on_disk_before_it_is_helped),
        cmocka_unit_test(test_a_proposal_makes_nobody_adopt),
        cmocka_unit_test(test_a_frame_of_unknown_lists_is_not_taken),
        cmocka_unit_test(test_what_is_taken_is_adopted),
        cmocka_unit_test(test_a_frame_of_a_newer_joint_view_is_written_down),
        cmocka_unit_test(test_a_stable_one_is_written_down_once),
        cmocka_unit_test(test_it_never_goes_back),
        cmocka_unit_test(test_a_lease_needs_a_majority_of_each_list),
        cmocka_unit_test(test_the_lease_in_hand_keeps_its_end),
        cmocka_unit_test(test_the_safest_answer_of_both_lists_counts),
        cmocka_unit_test(
            test_a_newer_configuration_that_a_vote_shows_is_adopted),
        cmocka_unit_test(test_a_vote_without_hope_is_set_apart),
        cmocka_unit_test(test_what_was_before_does_not_break_a_view),
        cmocka_unit_test(test_a_change_waits_until_older_leases_are_over),
        cmocka_unit_test(test_a_joint_view_is_left_as_soon_as_it_may_be),
        cmocka_unit_test(test_one_change_at_a_time),
        cmocka_unit_test(test_a_change_needs_a_majority_of_the_new_list),
        cmocka_unit_test(test_a_joint_view_needs_votes_of_both_lists),
        cmocka_unit_test(test_a_joint_view_has_the_safer_times),
        cmocka_unit_test(test_who_is_in_no_list_has_no_say),
        cmocka_unit_test(test_who_was_removed_is_silent),
        cmocka_unit_test(test_a_stranger_is_told_the_list),
        cmocka_unit_test(test_configurations_on_the_wire),
        cmocka_unit_test(test_configurations_that_nobody_proposed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
