/*
 * test_spirakis_tampakas.c - the rules of Spirakis and Tampakas' election
 * without names, as repaired, and the variants.
 */
#include "protocols/election/spirakis_tampakas/test_spirakis_tampakas_node.h"

/* ---- Preparation --------------------------------------------------------- */

/* T = n*ceil((dmax+rmax)/rmin), TO = ceil(T(1+rmax/rmin)). */
TEST(test_waits_follow_from_the_bounds)
{
    static const struct fc_world uneven = {.nodes = 5, .bounds = {3, 7, 1, 12}};
    const char *const none[] = {NULL};
    struct spirakis_tampakas_params p = REPAIRED, q = prepared(&uneven, none);

    assert_true(p.period == T && p.silence == TO && p.last == T);
    assert_true(q.period == 5 * 7 && q.last == q.period);
    assert_true(q.silence == 35 + 82); /* 35*7/3 = 81.7 */
}

TEST(test_waits_that_do_not_fit_are_refused)
{
    static const struct fc_world wide = {
        .nodes = 1u << 20,
        .bounds = {1, UINT64_C(1) << 40, 1, UINT64_C(1) << 50}};
    struct spirakis_tampakas_params p = REPAIRED;

    assert_non_null(spirakis_tampakas_protocol.prepare(&p, &wide));
}

/* ---- Sleeping and awake -------------------------------------------------- */

/* ST-1.1, ST-1.2, ST-3.1: Wake-up-1. */
TEST(test_sleepers_and_next_timers_wake)
{
    check_wakes((struct spirakis_tampakas){0}, REPAIRED, start(),
                FC_NOTE_STARTED, 0);
    check_wakes((struct spirakis_tampakas){0}, REPAIRED, reads(ST(WAKEUP)), 0,
                0);
    check_wakes(in_status(ST(NEXT_TIMER)), REPAIRED, reads(ST(WAKEUP)), 0, 0);
}

TEST(test_only_sleepers_start)
{
    for (int i = ST(AWAKE); i <= ST(DEFEATED); i++)
        check_ignored(in_status((enum spirakis_tampakas_status)i), REPAIRED,
                      start(), 0);
}

/* ST-2.1, and the same for a candidate, of which the print says nothing. */
TEST(test_who_takes_part_ignores_wakeups)
{
    check_ignored(awake(0), REPAIRED, reads(ST(WAKEUP)), 0);
    check_ignored(awake(1), LITERAL, reads(ST(WAKEUP)), 0);
    check_ignored(candidate(), REPAIRED, reads(ST(WAKEUP)), 0);
    check_ignored(holder(), LITERAL, reads(ST(WAKEUP)), 0);
}

/* The number decides what the clock is for: ST-2.3, or ST-2.6. */
TEST(test_number_starts_the_clock)
{
    for (uint32_t value = 0; value < NODES; value++) {
        struct spirakis_tampakas s = awake(0);
        struct spirakis_tampakas_out out = step(&s, REPAIRED, choice(value));

        check_same(s, awake(value == 0));
        check_armed(&out, value == 0 ? T : TO);
        assert_int_equal(out.fx.sends, 0);
    }
    check_view(awake(1), ELECTION_AWAKE, FC_NOBODY, 0);
}

/* ST-2.3, ST-4.1. */
TEST(test_one_becomes_candidate_at_clock_t)
{
    struct spirakis_tampakas s = awake(1);
    struct spirakis_tampakas_out out = step(&s, REPAIRED, timeout());

    check_same(s, candidate());
    CHECK_SENDS(out, ST(CLAIM));
    assert_int_equal(out.send[0].hop, 0);
    check_armed(&out, T);
    check_view(s, ELECTION_CANDIDATE, FC_NOBODY, 0);
}

/* ST-2.4; the repair does not forward the claim. */
TEST(test_one_that_reads_a_claim_ends_the_phase)
{
    check_enters_next(awake(1), REPAIRED, reads(ST(CLAIM)));
    check_view(in_status(ST(NEXT_TIMER)), ELECTION_LOST, FC_NOBODY, 0);
}

/* ST-2.6: TO steps without a claim. */
TEST(test_silence_ends_the_phase)
{
    check_enters_next(awake(0), REPAIRED, timeout());
}

/* ST-2.7; the first claim stops the clock of ST-2.6 for this phase. */
TEST(test_claims_pass_every_time)
{
    struct spirakis_tampakas s = awake(0);
    struct spirakis_tampakas_out out = step(&s, REPAIRED, reads(ST(CLAIM)));

    CHECK_SENDS(out, ST(CLAIM));
    check_stopped(&out);
    assert_int_equal(s.seen, 1);
    out = step(&s, REPAIRED, reads(ST(CLAIM)));
    CHECK_SENDS(out, ST(CLAIM));
    assert_int_equal(out.fx.disarm, 0);
    check_ignored(s, REPAIRED, timeout(), 0);
}

/* ---- The next phase ------------------------------------------------------ */

/* ST-2.5, ST-4.7. */
TEST(test_nexttime_makes_next_timers)
{
    check_enters_next(awake(0), REPAIRED, reads(ST(NEXTTIME)));
    check_enters_next(awake(1), REPAIRED, reads(ST(NEXTTIME)));
    check_enters_next(candidate(), REPAIRED, reads(ST(NEXTTIME)));
    check_enters_next(holder(), REPAIRED, reads(ST(NEXTTIME)));
}

TEST(test_next_timer_absorbs)
{
    struct spirakis_tampakas s = in_status(ST(NEXT_TIMER));

    check_ignored(s, REPAIRED, reads(ST(NEXTTIME)), FC_NOTE_DIES);
    check_ignored(s, REPAIRED, reads(ST(CLAIM)), FC_NOTE_DIES);
    check_ignored(s, REPAIRED, timeout(), 0);
}

/* ---- Candidates ---------------------------------------------------------- */

/* ST-4.4. */
TEST(test_claim_while_holding_ends_the_phase)
{
    check_enters_next(holder(), REPAIRED, reads(ST(CLAIM)));
}

/* ST-4.5. */
TEST(test_second_claim_while_forwarding_ends_the_phase)
{
    struct spirakis_tampakas s = candidate();
    struct spirakis_tampakas_out out = step(&s, REPAIRED, reads(ST(CLAIM)));

    assert_int_equal(out.fx.sends, 0);
    assert_int_equal(s.received, 1);
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW);
    check_view(s, ELECTION_CANDIDATE, FC_NOBODY, 1);
    check_enters_next(s, REPAIRED, reads(ST(CLAIM)));
}

/* ST-4.5, ST-4.6: two claims, one of them from an earlier period. */
TEST(test_claim_at_a_full_buffer)
{
    struct spirakis_tampakas s = holder(), full;
    struct spirakis_tampakas_out out;

    s.holding = 0;
    check_enters_next(s, REPAIRED, reads(ST(CLAIM)));
    full = s;
    full.received = 1;
    step(&s, LITERAL, reads(ST(CLAIM)));
    check_same(s, full);
    /* Neither case of ST-4.6: nothing is sent, and one of them is gone. */
    step(&s, LITERAL, timeout());
    out = step(&s, LITERAL, choice(0));
    assert_int_equal(out.fx.sends, 0);
    assert_true(s.buffer && !s.received && !s.sent);
}

/* The reading in which the claim that was there goes on; the other is gone. */
TEST(test_claim_in_a_full_buffer_goes_on)
{
    for (uint32_t holds = 0; holds < 2; holds++) {
        struct spirakis_tampakas_params p = LITERAL;
        struct spirakis_tampakas s = holder();
        struct spirakis_tampakas_out out;

        p.reading.full_buffer = ST(GOES_ON);
        s.holding = 0;
        step(&s, p, reads(ST(CLAIM)));
        step(&s, p, timeout());
        out = step(&s, p, choice(holds));
        assert_int_equal(out.fx.sends, !holds);
        assert_true(s.buffer == holds && !s.received && s.sent == !holds);
    }
}

/* Its own claim must be back within T; else a rival has it. */
TEST(test_lost_claim)
{
    struct spirakis_tampakas s = candidate();

    check_enters_next(s, REPAIRED, timeout());
    step(&s, LITERAL, timeout());
    assert_int_equal(s.status, ST(CANDIDATE));
    assert_int_equal(s.stage, 1);
}

/* ST-4.3, ST-4.6: from forwarding to forwarding it goes on, else it stays. */
TEST(test_claim_goes_on_between_forwarding_periods_alone)
{
    for (uint32_t i = 0; i < 4; i++) {
        uint8_t before = i & 1, after = i >> 1 & 1, goes = i == 0;
        struct spirakis_tampakas s = {.status = ST(CANDIDATE),
                                      .holding = before};
        struct spirakis_tampakas_out out;

        s.received = !before;
        s.buffer = before;
        out = step(&s, REPAIRED, timeout());
        assert_int_equal(out.fx.choose, 2);
        assert_int_equal(out.fx.sends, 0);
        out = step(&s, REPAIRED, choice(after));
        assert_int_equal(out.fx.sends, goes);
        check_armed(&out, T);
        check_same(s, (struct spirakis_tampakas){.status = ST(CANDIDATE),
                                                 .stage = 1,
                                                 .holding = after,
                                                 .buffer = !goes,
                                                 .sent = goes});
        check_view(s, ELECTION_CANDIDATE, FC_NOBODY, !goes);
    }
}

/* ST-4.6: no claim in a forwarding period, and one in the buffer. */
TEST(test_buffered_claim_goes_on_later)
{
    struct spirakis_tampakas s = holder();
    struct spirakis_tampakas_out out;

    s.holding = 0;
    step(&s, REPAIRED, timeout());
    out = step(&s, REPAIRED, choice(0));
    CHECK_SENDS(out, ST(CLAIM));
    assert_true(s.sent && !s.buffer);
}

/* j = 0..k: k+1 periods, k coins. */
TEST(test_elected_after_k_coins)
{
    uint32_t periods, coins;

    count_stages(REPAIRED, &periods, &coins);
    assert_int_equal(periods, K + 1);
    assert_int_equal(coins, K);
    count_stages(WITH("k", "1"), &periods, &coins);
    assert_int_equal(coins, 1);
}

/* ---- The end ------------------------------------------------------------- */

static void check_defeated(struct spirakis_tampakas s,
                           struct spirakis_tampakas_params p)
{
    struct spirakis_tampakas_out out = step(&s, p, reads(ST(TERMINATION)));

    check_same(s, in_status(ST(DEFEATED)));
    CHECK_SENDS(out, ST(TERMINATION));
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW);
    check_stopped(&out);
    check_view(s, ELECTION_DONE, ELECTION_SOMEBODY, 0);
}

/* ST-2.2; the print has no rule for the others. */
TEST(test_termination_defeats)
{
    check_defeated(awake(0), LITERAL);
    check_defeated(awake(0), REPAIRED);
    check_defeated(awake(1), REPAIRED);
    check_defeated(candidate(), REPAIRED);
    check_defeated(holder(), REPAIRED);
    check_defeated(in_status(ST(NEXT_TIMER)), REPAIRED);
    check_defeated(in_status(ST(SLEEPING)), REPAIRED);
    check_ignored(candidate(), LITERAL, reads(ST(TERMINATION)), FC_NOTE_DIES);
    check_ignored(in_status(ST(NEXT_TIMER)), LITERAL, reads(ST(TERMINATION)),
                  FC_NOTE_DIES);
}

TEST(test_the_end_is_the_end)
{
    static const struct spirakis_tampakas_in events[] = {
        {.event = {.kind = FC_COMMAND}},
        {.event = {.kind = FC_BOOT}},
        {.event = {.kind = FC_TIMEOUT}},
        {.event = {.kind = FC_CHOICE}},
        {.event = {.kind = FC_MESSAGE}, .msg = {.kind = ST(WAKEUP)}},
        {.event = {.kind = FC_MESSAGE}, .msg = {.kind = ST(TERMINATION)}},
        {.event = {.kind = FC_MESSAGE}},
    };

    for (int i = ST(ELECTED); i <= ST(DEFEATED); i++) {
        struct spirakis_tampakas s =
            in_status((enum spirakis_tampakas_status)i);

        for (size_t j = 0; j < COUNT(events); j++)
            check_ignored(s, REPAIRED, events[j], 0);
        check_ignored(s, REPAIRED, reads(ST(CLAIM)), FC_NOTE_DIES);
        check_ignored(s, REPAIRED, reads(ST(NEXTTIME)), FC_NOTE_DIES);
    }
}

/* ---- Variants ------------------------------------------------------------ */

/* The next-time sweeps the ring for T steps before anybody wakes. */
TEST(test_flush_wakes_later)
{
    struct spirakis_tampakas_params p = WITH("rules", "flush");
    struct spirakis_tampakas s = awake(1);
    struct spirakis_tampakas_out out = step(&s, p, reads(ST(CLAIM)));

    CHECK_SENDS(out, ST(NEXTTIME));
    check_armed(&out, T);
    check_wakes(s, p, timeout(), 0, 0);
    check_wakes(s, p, reads(ST(WAKEUP)), 0, 0);
    s = candidate();
    out = step(&s, p, reads(ST(NEXTTIME)));
    CHECK_SENDS(out, ST(NEXTTIME));
    check_stopped(&out);
}

/* The other parity is a new phase; no next-time, no next-timer. */
TEST(test_bit_marks_phases)
{
    struct spirakis_tampakas_params p = WITH("rules", "bit");
    struct spirakis_tampakas s = awake(0), old = {0};

    check_wakes(s, p, timeout(), 0, 1);
    check_wakes(awake(1), p, reads_marked(ST(CLAIM), 0), 0, 1);
    check_wakes(holder(), p, reads_marked(ST(CLAIM), 0), 0, 1);
    check_wakes(s, p, reads_marked(ST(WAKEUP), 1), 0, 1);
    check_wakes(candidate(), p, reads_marked(ST(WAKEUP), 1), 0, 1);
    check_wakes(old, p, reads_marked(ST(WAKEUP), 0), 0, 0);
    check_wakes(old, p, reads_marked(ST(WAKEUP), 1), 0, 1);
    check_ignored(s, p, reads_marked(ST(WAKEUP), 0), 0);
    check_ignored(s, p, reads_marked(ST(CLAIM), 1), FC_NOTE_DIES);
    check_ignored(candidate(), p, reads_marked(ST(CLAIM), 1), FC_NOTE_DIES);
    check_ignored(s, p, reads(ST(NEXTTIME)), FC_NOTE_DIES);
}

TEST(test_bit_is_carried_by_wakeups_and_claims)
{
    struct spirakis_tampakas_params p = WITH("rules", "bit");
    struct spirakis_tampakas s = {.status = ST(AWAKE), .phase = 1};
    struct spirakis_tampakas_out out = step(&s, p, reads_marked(ST(CLAIM), 1));

    assert_int_equal(out.send[0].phase, 2);
    out = step(&s, p, reads_marked(ST(WAKEUP), 0));
    assert_int_equal(out.send[0].phase, 1);
    assert_int_equal(s.phase, 0);
    out = step(&s, p, reads(ST(TERMINATION)));
    assert_int_equal(out.send[0].phase, 0);
}

/* A claim that made n hops is its own. */
TEST(test_hop_count_knows_its_own_claim)
{
    struct spirakis_tampakas_params p = WITH("rules", "hop");
    struct spirakis_tampakas s = awake(1), relay = awake(0);
    struct spirakis_tampakas_out out = step(&s, p, timeout());

    CHECK_SENDS(out, ST(CLAIM));
    assert_int_equal(out.send[0].hop, 1);
    check_stopped(&out);
    check_ignored(s, p, timeout(), 0);
    out = step(&relay, p, reads_hop(1));
    assert_int_equal(out.send[0].hop, 2);
    for (uint32_t hop = 1; hop < NODES; hop++)
        check_enters_next(s, p, reads_hop(hop));
    check_enters_next(awake(1), p, reads_hop(2));
    out = step(&s, p, reads_hop(NODES));
    assert_int_equal(s.status, ST(ELECTED));
    CHECK_SENDS(out, ST(TERMINATION));
}

/* ---- Messages ------------------------------------------------------------ */

static void check_message(struct spirakis_tampakas_msg m, uint32_t bits,
                          uint32_t bytes, uint32_t fields, uint64_t shown)
{
    uint8_t wire[FC_WIRE_MAX];
    uint64_t out[FC_FIELDS_MAX];
    struct spirakis_tampakas_msg back;

    assert_int_equal(spirakis_tampakas_kind(&m), m.kind);
    assert_int_equal(spirakis_tampakas_paper_bits(&m), bits);
    assert_int_equal(spirakis_tampakas_wire_bytes(&m), bytes);
    assert_int_equal(spirakis_tampakas_fields(&m, out), fields);
    if (fields)
        assert_true(out[0] == shown);
    memset(&back, 0xaa, sizeof back);
    assert_int_equal(spirakis_tampakas_pack(&m, wire), bytes);
    assert_int_equal(spirakis_tampakas_unpack(&back, wire, bytes), 0);
    assert_memory_equal(&back, &m, sizeof m);
}

/* Four kinds in two bits, and what the variants add. */
TEST(test_messages_are_two_bits)
{
    for (int kind = 1; kind < ST(KINDS); kind++)
        check_message((struct spirakis_tampakas_msg){.kind = (uint8_t)kind}, 2,
                      1, 0, 0);
    for (uint8_t parity = 0; parity < 2; parity++) {
        uint8_t mark = (uint8_t)(1 + parity);

        check_message(
            (struct spirakis_tampakas_msg){.kind = ST(WAKEUP), .phase = mark},
            3, 1, 1, parity);
        check_message(
            (struct spirakis_tampakas_msg){.kind = ST(CLAIM), .phase = mark}, 3,
            1, 1, parity);
    }
    check_message((struct spirakis_tampakas_msg){.kind = ST(CLAIM), .hop = 1},
                  3, 5, 1, 1);
    check_message((struct spirakis_tampakas_msg){.kind = ST(CLAIM), .hop = 7},
                  5, 5, 1, 7);
    check_message(
        (struct spirakis_tampakas_msg){.kind = ST(CLAIM), .hop = FC_NAME_MAX},
        32, 5, 1, FC_NAME_MAX);
}

TEST(test_unpack_refuses)
{
    static const struct {
        uint8_t wire[6];
        size_t size;
    } cases[] = {
        {{0}, 0},        {{0}, 1},
        {{5}, 1},        {{8}, 1},
        {{8 + 3}, 1},    {{16 + 4}, 1},
        {{24 + 1}, 1},   {{1, 0}, 2},
        {{2, 0}, 5},     {{1, 1}, 5},
        {{8 + 2, 1}, 5}, {{2, 1}, 6},
        {{4, 1}, 5},     {{2, 0, 0, 0, 0x40}, 5},
    };
    struct spirakis_tampakas_msg m;

    for (size_t i = 0; i < COUNT(cases); i++)
        assert_int_equal(
            spirakis_tampakas_unpack(&m, cases[i].wire, cases[i].size), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_waits_follow_from_the_bounds),
        cmocka_unit_test(test_waits_that_do_not_fit_are_refused),
        cmocka_unit_test(test_sleepers_and_next_timers_wake),
        cmocka_unit_test(test_only_sleepers_start),
        cmocka_unit_test(test_who_takes_part_ignores_wakeups),
        cmocka_unit_test(test_number_starts_the_clock),
        cmocka_unit_test(test_one_becomes_candidate_at_clock_t),
        cmocka_unit_test(test_one_that_reads_a_claim_ends_the_phase),
        cmocka_unit_test(test_silence_ends_the_phase),
        cmocka_unit_test(test_claims_pass_every_time),
        cmocka_unit_test(test_nexttime_makes_next_timers),
        cmocka_unit_test(test_next_timer_absorbs),
        cmocka_unit_test(test_claim_while_holding_ends_the_phase),
        cmocka_unit_test(test_second_claim_while_forwarding_ends_the_phase),
        cmocka_unit_test(test_claim_at_a_full_buffer),
        cmocka_unit_test(test_claim_in_a_full_buffer_goes_on),
        cmocka_unit_test(test_lost_claim),
        cmocka_unit_test(test_claim_goes_on_between_forwarding_periods_alone),
        cmocka_unit_test(test_buffered_claim_goes_on_later),
        cmocka_unit_test(test_elected_after_k_coins),
        cmocka_unit_test(test_termination_defeats),
        cmocka_unit_test(test_the_end_is_the_end),
        cmocka_unit_test(test_flush_wakes_later),
        cmocka_unit_test(test_bit_marks_phases),
        cmocka_unit_test(test_bit_is_carried_by_wakeups_and_claims),
        cmocka_unit_test(test_hop_count_knows_its_own_claim),
        cmocka_unit_test(test_messages_are_two_bits),
        cmocka_unit_test(test_unpack_refuses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
