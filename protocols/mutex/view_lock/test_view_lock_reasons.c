/*
 * test_view_lock_reasons.c - when the live lock proposes a view, who does, and
 * whom it names; what it makes of silence and of its own pauses; and how often
 * it sends frames.  Liveness only: see test_view_lock_views.c for what is safe.
 */
#include "protocols/mutex/view_lock/test_view_lock_node.h"

/* ---- Own pauses ---------------------------------------------------------- */

/* K1: a node that was paused itself does not take that for the others'
 * silence. */
TEST(test_the_own_pause_is_no_silence)
{
    struct bench b = member(VIEW_LOCK_WHOLE);

    b.now += 10 * SILENCE;
    times_out(&b);
    assert_int_equal(b.s.reason, 0);
    assert_null(sent(&b, VIEW_LOCK_PROPOSE, PEER));
}

/* K1: nor if what it reads first is a message, or what it is told. */
TEST(test_the_own_pause_is_no_silence_to_messages)
{
    for (int told = 0; told < 2; told++) {
        struct bench b = member(VIEW_LOCK_WHOLE);

        b.now += 10 * SILENCE;
        if (told)
            commands(&b, MUTEX_WANT);
        else
            reads(&b, PEER, frame_of(VIEW, 77, 0));
        times_out(&b);
        assert_int_equal(b.s.reason, 0);
        other_is_silent(&b, SILENCE + 1);
        assert_int_equal(b.s.reason, 'a'); /* this silence is OTHER's own */
    }
}

/* K1: a node that is late again and again still finds that another is dead:
 * its pause is forgiven only to those who were heard when it began. */
TEST(test_own_pauses_do_not_revive_the_dead)
{
    struct bench b = member(VIEW_LOCK_WHOLE);
    uint64_t died = b.now;

    while (!sent(&b, VIEW_LOCK_PROPOSE, PEER)) {
        b.now += 3 * TAU; /* two frames late, each time */
        reads(&b, PEER, frame_of(VIEW, b.now, b.s.peer[ME].took));
        times_out(&b);
        assert_true(b.now - died < 8 * SILENCE);
    }
    assert_int_equal(sent(&b, VIEW_LOCK_PROPOSE, PEER)->members,
                     1u << ME | 1u << PEER);
}

/* K1: nor is a peer that was dead for long before the pause heard after it. */
TEST(test_a_pause_does_not_bring_back_whom_it_did_not_hear)
{
    struct bench b = member(VIEW_LOCK_WHOLE);

    other_is_silent(&b, SILENCE + 1);
    b.now += 10 * SILENCE;
    reads(&b, PEER, frame_of(VIEW, b.now, 0));
    times_out(&b);
    assert_int_equal(sent(&b, VIEW_LOCK_FRAME, PEER)->heard,
                     1u << ME | 1u << PEER);
}

/* ---- Five nodes ---------------------------------------------------------- */

enum { FIVE = 5, EVERYBODY = 31 };

/* One of five, all in VIEW, leased; every link is fine. */
static struct bench one_of_five(uint32_t self)
{
    struct bench b = started(VIEW_LOCK_WHOLE);
    struct view_lock_msg m = newview_of(VIEW, 0, 0);

    b.me = (struct fc_member){self, FIVE};
    b.s.record.conf.old = b.s.record.conf.list = EVERYBODY;
    m.members = EVERYBODY;
    m.count = FIVE;
    for (uint32_t x = 0; x < FIVE; x++)
        m.each[x] = 1;
    reads(&b, self ? 0 : 1, propose_of(VIEW));
    reads(&b, self ? 0 : 1, m);
    assert_int_equal(b.s.members, EVERYBODY);
    return b;
}

/* Frames of those in `from`, each with whom it hears, for a while; those that
 * were proposed to in that time. */
static uint16_t goes_on(struct bench *b, uint64_t steps, uint16_t from,
                        const uint16_t hears[FIVE])
{
    uint16_t proposed = 0;

    for (uint64_t end = b->now + steps; b->now < end;) {
        b->now += TAU;
        for (uint16_t x = 0; x < FIVE; x++) {
            struct view_lock_msg m = frame_of(VIEW, b->now, b->now - TAU);

            m.members = EVERYBODY;
            m.flags |= VIEW_LOCK_LEASED;
            m.heard = hears[x];
            if (x != b->me.index && from >> x & 1)
                reads(b, x, m);
        }
        times_out(b);
        if (sent(b, VIEW_LOCK_PROPOSE, b->me.index ? 0 : 1))
            proposed |=
                sent(b, VIEW_LOCK_PROPOSE, b->me.index ? 0 : 1)->members;
    }
    return proposed;
}

/* W4: "if self misses more links than any other, and more than one, it lets
 * n Delta pass first".  Node 2 has lost its links to 0 and 1: it would make a
 * view without two that are well; one of those makes one without it. */
TEST(test_who_misses_most_links_lets_others_go_first)
{
    static const uint16_t seen[FIVE] = {27, 27, 28, 31, 31};
    struct bench b = one_of_five(2);
    static const uint16_t all[FIVE] = {31, 31, 31, 31, 31};

    assert_int_equal(goes_on(&b, 5 * TAU, EVERYBODY, all), 0);
    assert_int_equal(goes_on(&b, SILENCE + 4 * DELTA, 24, seen), 0);
    /* If nobody else makes a view it does at last. */
    assert_int_equal(goes_on(&b, FIVE * DELTA, 24, seen), 28);

    b = one_of_five(0); /* it misses one link, and speaks at once */
    assert_int_equal(goes_on(&b, 5 * TAU, EVERYBODY, all), 0);
    assert_int_equal(goes_on(&b, SILENCE + 2 * DELTA, 26, seen), 27);
}

/* Two that are dead are missed by everybody: nobody waits for that. */
TEST(test_dead_nodes_are_no_links_that_one_misses)
{
    static const uint16_t all[FIVE] = {31, 31, 31, 31, 31};
    static const uint16_t alive[FIVE] = {31, 31, 28, 28, 28};
    struct bench b = one_of_five(2);

    assert_int_equal(goes_on(&b, 5 * TAU, EVERYBODY, all), 0);
    assert_int_equal(goes_on(&b, SILENCE - 2 * TAU, 24, all), 0);
    assert_int_equal(goes_on(&b, 3 * TAU + DELTA, 24, alive), 28);
}

/* ---- Who comes and goes -------------------------------------------------- */

/* OTHER is linked to all for some time; what is then proposed, or 0. */
static uint16_t other_is_back(struct bench *b, uint64_t steps)
{
    uint16_t proposed = 0;

    for (uint64_t end = b->now + steps; b->now < end && !proposed;) {
        struct view_lock_msg m;

        b->now += TAU;
        m = frame_of(b->s.view, b->now, b->now - TAU);
        m.members = b->s.members;
        reads(b, PEER, m);
        reads(b, OTHER, frame_of(0, b->now, 0));
        times_out(b);
        if (sent(b, VIEW_LOCK_PROPOSE, OTHER))
            proposed = sent(b, VIEW_LOCK_PROPOSE, OTHER)->members;
    }
    return proposed;
}

/* A view without OTHER, and then one with it again. */
static void flap(struct bench *b)
{
    uint32_t view = ((b->s.view >> VIEW_LOCK_ID_BITS) + 1) << VIEW_LOCK_ID_BITS;

    for (int with = 0; with < 2; with++) {
        struct view_lock_msg m = newview_of(view, 0, 0);

        m.members = with ? ALL : 1u << ME | 1u << PEER;
        reads(b, PEER, propose_of(view));
        reads(b, PEER, m);
        assert_int_equal(b->s.members, m.members);
        view += VIEW;
    }
}

/* How long OTHER must be linked, after it was left out, until ME, whose turn it
 * is a Delta later, wants it in. */
static uint64_t comes_back_after(struct bench *b)
{
    uint32_t view = ((b->s.view >> VIEW_LOCK_ID_BITS) + 1) << VIEW_LOCK_ID_BITS;
    struct view_lock_msg m = newview_of(view, 0, 0);
    uint64_t from;

    m.members = 1u << ME | 1u << PEER;
    reads(b, PEER, propose_of(view));
    reads(b, PEER, m);
    from = b->now;
    assert_int_equal(other_is_back(b, 40 * SILENCE), ALL);
    return b->now - from;
}

/* W5: H is S, doubled each time the node is left out again, up to 32 S, and
 * halved in peace. */
TEST(test_who_flaps_waits_longer_each_time)
{
    struct bench b = member(VIEW_LOCK_WHOLE);
    uint64_t first, last = 0;

    first = comes_back_after(&b);
    assert_in_range(first, SILENCE, SILENCE + 6 * DELTA);
    for (uint32_t times = 1; times < 8; times++) {
        b = member(VIEW_LOCK_WHOLE);
        for (uint32_t i = 0; i < times; i++)
            flap(&b);
        last = comes_back_after(&b);
        assert_in_range(last, (uint64_t)SILENCE << (times < 5 ? times : 5),
                        ((uint64_t)SILENCE << (times < 5 ? times : 5)) +
                            6 * DELTA);
    }
    b = member(VIEW_LOCK_WHOLE);
    for (uint32_t i = 0; i < 3; i++)
        flap(&b);
    b.now += 33 * SILENCE; /* in peace: it counts for two */
    assert_in_range(comes_back_after(&b), 4 * SILENCE, 4 * SILENCE + 6 * DELTA);
}

/* W6: a node that is stopped in order and started again has not flapped. */
TEST(test_an_orderly_stop_is_no_flap)
{
    struct bench b = member(VIEW_LOCK_WHOLE);

    for (uint32_t i = 0; i < 3; i++) {
        b.s.peer[OTHER].flags |= VIEW_LOCK_LEAVING;
        flap(&b);
    }
    b.s.peer[OTHER].flags |= VIEW_LOCK_LEAVING;
    assert_in_range(comes_back_after(&b), SILENCE, SILENCE + 6 * DELTA);
}

/* ---- What is not worth a proposal ---------------------------------------- */

/* A frame of a member of a healthy view without ME. */
static struct view_lock_msg healthy(const struct bench *b)
{
    struct view_lock_msg m = frame_of(VIEW, b->now, 0);

    m.members = 1u << PEER | 1u << OTHER;
    m.flags |= VIEW_LOCK_LEASED;
    return m;
}

/* W8: an outsider whose link to one of them is bad proposes nothing that they
 * must refuse, even if its own number is higher than theirs; it does when their
 * lease is over. */
TEST(test_an_outsider_rests)
{
    struct bench b = started(VIEW_LOCK_WHOLE);

    b.s.record.maxv = b.s.seen = 9 * VIEW; /* of refused ones, long ago */
    for (uint32_t i = 0; i < 100; i++) {
        struct view_lock_msg m = healthy(&b);

        b.now += TAU;
        m.heard = 1u << PEER | 1u << OTHER; /* and not us: not linked */
        reads(&b, PEER, m);
        reads(&b, OTHER, m);
        times_out(&b);
        assert_null(sent(&b, VIEW_LOCK_PROPOSE, PEER));
        assert_false(b.fx.save);
    }
    for (uint32_t i = 0; i < 10; i++) {
        b.now += TAU;
        reads(&b, PEER, frame_of(0, b.now, 0));
        times_out(&b);
    }
    assert_true(b.s.proposal.view > 9 * VIEW);
}

/* W8: each refusal doubles the pause before the next proposal. */
TEST(test_refusals_back_off_without_end)
{
    struct bench b = started(VIEW_LOCK_WHOLE);
    uint64_t last = 0;
    uint32_t proposed = 0;

    for (uint32_t i = 0; i < 4000; i++) {
        b.now += TAU;
        reads(&b, PEER, frame_of(0, b.now, 0)); /* it has lost its lease */
        times_out(&b);
        if (!b.fx.save)
            continue;
        proposed++;
        if (last)
            assert_true(b.now - last >=
                        ((uint64_t)2 * DELTA << (proposed - 1)));
        last = b.now;
        reads(&b, PEER,
              (struct view_lock_msg){.kind = VIEW_LOCK_REFUSE, .inc = 1});
    }
    assert_in_range(proposed, 6, 12);
}

/* W9: Delta covers the slowest record of all; one that takes longer than a
 * lease is not waited for. */
TEST(test_slow_records_are_waited_for)
{
    static const uint32_t sync[][2] = {{0, 0}, {30, 0}, {0, 30}, {0, 100000}};
    static const uint64_t extra[] = {0, 30, 30, LEASE};

    for (size_t i = 0; i < COUNT(sync); i++) {
        struct bench b = member(VIEW_LOCK_WHOLE);
        struct view_lock_msg m = frame_of(VIEW, 2, 0);
        uint64_t from;

        b.p.sync = sync[i][0];
        m.sync = sync[i][1];
        reads(&b, PEER, m);
        times_out(&b);
        b.s.peer[OTHER].heard_at = b.now - SILENCE - 1;
        b.s.voted_at = 0;
        from = b.now;
        while (!sent(&b, VIEW_LOCK_PROPOSE, PEER)) {
            b.now++;
            m.stamp = b.now;
            reads(&b, PEER, m);
            times_out(&b);
            assert_true(b.now - from < 1000);
        }
        /* PEER has rank 0: ME lets one Delta pass. */
        assert_in_range(b.now - from, DELTA + extra[i], DELTA + extra[i] + 2);
    }
}

/* W9: and frames tell it. */
TEST(test_frames_tell_how_slow_the_record_is)
{
    struct bench b = member(VIEW_LOCK_WHOLE);

    b.p.sync = 77;
    b.now += TAU;
    times_out(&b);
    assert_int_equal(sent(&b, VIEW_LOCK_FRAME, PEER)->sync, 77);
}

/* ---- How often frames leave ---------------------------------------------- */

enum { IDLE = 20 };

/* A frame of a member that is well, and echoes what it may. */
static struct view_lock_msg calm(const struct bench *b, uint32_t period)
{
    struct view_lock_msg m = frame_of(VIEW, b->now, b->now - 1);

    m.period = period;
    return m;
}

static struct bench resting(void)
{
    struct bench b = member(VIEW_LOCK_WHOLE);

    b.p.idle = IDLE;
    b.now = b.s.frame_at;
    reads(&b, PEER, calm(&b, IDLE));
    reads(&b, OTHER, calm(&b, IDLE));
    times_out(&b);
    return b;
}

/* While nobody holds or wants anything frames leave every `idle`, and say
 * so. */
TEST(test_frames_rest_while_there_is_nothing_to_guard)
{
    struct bench b = resting();

    assert_int_equal(sent(&b, VIEW_LOCK_FRAME, PEER)->period, IDLE);
    assert_true(b.s.wake_at == b.now + IDLE);
    b.now += TAU;
    times_out(&b);
    assert_null(sent(&b, VIEW_LOCK_FRAME, PEER));
    b.now += IDLE - TAU;
    times_out(&b);
    assert_non_null(sent(&b, VIEW_LOCK_FRAME, PEER));
}

/* A node that begins to want says so at once, and everybody goes at tau. */
TEST(test_a_wish_makes_everybody_hurry)
{
    struct bench b = resting();
    struct view_lock_msg m;

    commands(&b, MUTEX_WANT);
    assert_true(sent(&b, VIEW_LOCK_FRAME, PEER)->flags & VIEW_LOCK_BUSY);
    assert_int_equal(sent(&b, VIEW_LOCK_FRAME, OTHER)->period, TAU);
    assert_true(b.s.wake_at <= b.now + TAU);
    commands(&b, VIEW_LOCK_GIVE_UP);
    commands(&b, MUTEX_WANT); /* they know: nothing more to say */
    assert_null(sent(&b, VIEW_LOCK_FRAME, OTHER));

    b = resting();
    m = calm(&b, TAU);
    m.flags |= VIEW_LOCK_BUSY;
    reads(&b, OTHER, m);
    assert_true(b.s.wake_at <= b.now + TAU);
}

/* A node that has said that it rests is not suspected for resting; and not
 * heard any longer than that. */
TEST(test_who_rests_is_heard_for_longer)
{
    for (int rests = 0; rests < 2; rests++) {
        struct bench b = resting();
        uint64_t longest = SILENCE + (rests ? IDLE - TAU : 0);
        uint64_t heard = b.now;

        reads(&b, OTHER, calm(&b, rests ? IDLE : TAU));
        for (; b.now < heard + longest; b.now++)
            reads(&b, PEER, calm(&b, TAU));
        times_out(&b);
        assert_int_equal(b.s.reason, 0);
        b.now++;
        times_out(&b);
        assert_int_equal(b.s.reason, 'a');
    }
}

/* Nobody rests for longer than the configuration says, whatever it claims. */
TEST(test_a_claimed_rest_has_a_limit)
{
    struct bench b = resting();
    uint64_t heard = b.now;

    reads(&b, OTHER, calm(&b, UINT32_MAX));
    for (; b.now <= heard + SILENCE + IDLE - TAU; b.now++)
        reads(&b, PEER, calm(&b, TAU));
    times_out(&b);
    assert_int_equal(b.s.reason, 'a');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_own_pause_is_no_silence),
        cmocka_unit_test(test_the_own_pause_is_no_silence_to_messages),
        cmocka_unit_test(test_own_pauses_do_not_revive_the_dead),
        cmocka_unit_test(test_a_pause_does_not_bring_back_whom_it_did_not_hear),
        cmocka_unit_test(test_who_misses_most_links_lets_others_go_first),
        cmocka_unit_test(test_dead_nodes_are_no_links_that_one_misses),
        cmocka_unit_test(test_who_flaps_waits_longer_each_time),
        cmocka_unit_test(test_an_orderly_stop_is_no_flap),
        cmocka_unit_test(test_an_outsider_rests),
        cmocka_unit_test(test_refusals_back_off_without_end),
        cmocka_unit_test(test_slow_records_are_waited_for),
        cmocka_unit_test(test_frames_tell_how_slow_the_record_is),
        cmocka_unit_test(test_frames_rest_while_there_is_nothing_to_guard),
        cmocka_unit_test(test_a_wish_makes_everybody_hurry),
        cmocka_unit_test(test_who_rests_is_heard_for_longer),
        cmocka_unit_test(test_a_claimed_rest_has_a_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
