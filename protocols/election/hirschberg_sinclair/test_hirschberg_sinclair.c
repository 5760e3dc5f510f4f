/*
 * test_hirschberg_sinclair.c - the rules of Hirschberg and Sinclair's election,
 * its switches, and its costs.  The node is called 5.
 */
#include "protocols/election/hirschberg_sinclair/hirschberg_sinclair.h"

#include "tests/unit/kit/testing.h"

#define STATUS(name) HIRSCHBERG_SINCLAIR_##name
#define KIND(name)   HIRSCHBERG_SINCLAIR_##name

/* Short, for these tests: the protocol's names are long. */
#define hs        hirschberg_sinclair
#define hs_params hirschberg_sinclair_params
#define hs_in     hirschberg_sinclair_in
#define hs_out    hirschberg_sinclair_out
#define hs_msg    hirschberg_sinclair_msg
#define hs_pack   hirschberg_sinclair_pack
#define hs_unpack hirschberg_sinclair_unpack

enum { ME = 5 };

static const struct hs_params plain = {.announce = 1};
static const struct hs_params silent = {.announce = 1, .silent = 1};

/* ---- One node ------------------------------------------------------------ */

static struct hs node(uint32_t status)
{
    return (struct hs){.status = (uint8_t)status};
}

/* A candidate within a round. */
static struct hs candidate(uint32_t reach, uint8_t heard, uint8_t refused)
{
    struct hs s = node(STATUS(CANDIDATE));

    s.reach = reach;
    s.heard = heard;
    s.refused = refused;
    return s;
}

static struct hs told(uint32_t status, fc_name leader)
{
    struct hs s = node(status);

    s.leader = leader;
    return s;
}

static struct hs_in start(void)
{
    return (struct hs_in){
        .event = {.kind = FC_COMMAND, .command = ELECTION_START}};
}

static struct hs_in reads(enum fc_port port, uint32_t kind, fc_name name,
                          uint32_t left)
{
    return (struct hs_in){
        .event = {.kind = FC_MESSAGE, .port = (uint16_t)port},
        .msg = {.name = name, .left = left, .kind = (uint8_t)kind}};
}

static struct hs_out step(struct hs *s, const struct hs_params *p,
                          struct hs_in in)
{
    const struct fc_named me = {ME};
    struct hs_out out;

    memset(&out, 0xaa, sizeof out);
    memset(&out.fx, 0, offsetof(struct fc_effects, steps));
    hirschberg_sinclair_step(s, p, &me, &in, &out);
    assert_true(out.fx.sends <= COUNT(out.send));
    return out;
}

static struct election_view view_of(const struct hs *s)
{
    struct election_view view;

    hirschberg_sinclair_view(s, &(struct fc_named){ME}, &view);
    return view;
}

static void check_view(const struct hs *s, enum election_role role,
                       fc_name leader)
{
    struct election_view view = view_of(s);

    assert_int_equal(view.role, role);
    assert_int_equal(view.leader, leader);
}

static void check_state(struct hs is, struct hs wanted)
{
    assert_memory_equal(&is, &wanted, sizeof is);
}

/* Message i of the outbox is this one. */
static void check_send(const struct hs_out *out, uint32_t i, enum fc_port to,
                       uint32_t kind, fc_name name, uint32_t left)
{
    const struct hs_msg wanted = {
        .name = name, .left = left, .kind = (uint8_t)kind};

    assert_true(i < out->fx.sends);
    assert_int_equal(out->fx.to[i], to);
    assert_memory_equal(&out->send[i], &wanted, sizeof wanted);
}

/* And it is the only one. */
static void check_one(const struct hs_out *out, enum fc_port to, uint32_t kind,
                      fc_name name, uint32_t left)
{
    assert_int_equal(out->fx.sends, 1);
    check_send(out, 0, to, kind, name, left);
}

/* My probes, both ways. */
static void check_both(const struct hs_out *out, uint32_t reach)
{
    assert_int_equal(out->fx.sends, 2);
    check_send(out, 0, FC_NEXT, KIND(PROBE), ME, reach);
    check_send(out, 1, FC_PREVIOUS, KIND(PROBE), ME, reach);
}

static void check_ignored(struct hs s, const struct hs_params *p,
                          struct hs_in in, uint32_t notes)
{
    struct hs before = s;
    struct hs_out out = step(&s, p, in);

    check_state(s, before);
    assert_int_equal(out.fx.sends, 0);
    assert_int_equal(out.fx.notes, notes);
}

/* ---- Rules --------------------------------------------------------------- */

/* Zeroes are asleep.  The first probes go one hop far. */
TEST(test_start_probes_both_neighbours)
{
    struct hs s = {0};
    struct hs_out out;

    check_view(&s, ELECTION_ASLEEP, FC_NOBODY);
    out = step(&s, &plain, start());
    check_state(s, candidate(1, 0, 0));
    check_both(&out, 1);
    assert_int_equal(out.fx.notes,
                     FC_NOTE_VIEW | FC_NOTE_STARTED | ELECTION_PHASE);
    check_view(&s, ELECTION_CANDIDATE, FC_NOBODY);
}

/* Nobody starts within an election it knows of, nor after it. */
TEST(test_only_a_sleeper_starts)
{
    for (uint32_t status = STATUS(RELAY); status <= STATUS(LEADER); status++)
        check_ignored(node(status), &plain, start(), 0);
    check_ignored(told(STATUS(RELAY), 8), &plain, start(), 0);
}

/* Whoever reads before it starts does not run, and does not compare. */
TEST(test_sleeper_becomes_a_relay)
{
    struct hs s = {0};
    struct hs_out out = step(&s, &plain, reads(FC_NEXT, KIND(PROBE), 3, 2));

    check_state(s, node(STATUS(RELAY)));
    check_one(&out, FC_PREVIOUS, KIND(PROBE), 3, 1);
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW);
    check_view(&s, ELECTION_LOST, FC_NOBODY);

    out = step(&s, &plain, reads(FC_PREVIOUS, KIND(PROBE), 3, 7));
    check_one(&out, FC_NEXT, KIND(PROBE), 3, 6);
    assert_int_equal(out.fx.notes, 0);
}

/* Where a probe ends it is granted. */
TEST(test_last_hop_replies_ok)
{
    struct hs s = {0};
    struct hs_out out = step(&s, &plain, reads(FC_NEXT, KIND(PROBE), 3, 1));

    check_one(&out, FC_NEXT, KIND(OK), 3, 0);
    s = node(STATUS(LOST));
    out = step(&s, &plain, reads(FC_PREVIOUS, KIND(PROBE), 8, 1));
    check_one(&out, FC_PREVIOUS, KIND(OK), 8, 0);
}

/* A greater name passes, and the candidate has lost. */
TEST(test_candidate_loses_to_a_greater_probe)
{
    struct hs s = candidate(2, 1, 0);
    struct hs_out out = step(&s, &plain, reads(FC_NEXT, KIND(PROBE), 8, 4));

    assert_int_equal(s.status, STATUS(LOST));
    check_one(&out, FC_PREVIOUS, KIND(PROBE), 8, 3);
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW);
    check_view(&s, ELECTION_LOST, FC_NOBODY);
}

/* Whoever has run refuses smaller names, even after it has lost. */
TEST(test_smaller_probe_is_refused)
{
    struct hs states[] = {candidate(2, 1, 0), node(STATUS(LOST)),
                          told(STATUS(LEADER), ME)};

    for (size_t i = 0; i < COUNT(states); i++) {
        struct hs before = states[i];
        struct hs_out out =
            step(&states[i], &plain, reads(FC_NEXT, KIND(PROBE), 3, 4));

        check_state(states[i], before);
        check_one(&out, FC_NEXT, KIND(NO), 3, 0);
        assert_int_equal(out.fx.notes, 0);
    }
}

/* refusal=silence: no message, and the other waits in vain. */
TEST(test_silence_refuses_too)
{
    check_ignored(candidate(2, 1, 0), &silent,
                  reads(FC_NEXT, KIND(PROBE), 3, 4),
                  FC_NOTE_DIES | FC_NOTE_SILENT);
    check_ignored(node(STATUS(LOST)), &silent,
                  reads(FC_NEXT, KIND(PROBE), 3, 1),
                  FC_NOTE_DIES | FC_NOTE_SILENT);
}

/* Replies go on to the one they are for. */
TEST(test_replies_of_others_pass)
{
    struct hs states[] = {candidate(2, 1, 0), node(STATUS(LOST)),
                          node(STATUS(RELAY))};

    for (size_t i = 0; i < COUNT(states); i++) {
        struct hs before = states[i];
        struct hs_out out =
            step(&states[i], &plain, reads(FC_NEXT, KIND(OK), 8, 0));

        check_one(&out, FC_PREVIOUS, KIND(OK), 8, 0);
        out = step(&states[i], &plain, reads(FC_PREVIOUS, KIND(NO), 3, 0));
        check_one(&out, FC_NEXT, KIND(NO), 3, 0);
        check_state(states[i], before);
    }
}

/* Two good replies: twice as far. */
TEST(test_two_good_replies_double_the_reach)
{
    struct hs s = candidate(4, 0, 0);
    struct hs_out out = step(&s, &plain, reads(FC_NEXT, KIND(OK), ME, 0));

    check_state(s, candidate(4, 1, 0));
    assert_int_equal(out.fx.sends, 0);
    out = step(&s, &plain, reads(FC_PREVIOUS, KIND(OK), ME, 0));
    check_state(s, candidate(8, 0, 0));
    check_both(&out, 8);

    s = candidate(HIRSCHBERG_SINCLAIR_FAR, 1, 0); /* no ring is as long */
    out = step(&s, &plain, reads(FC_NEXT, KIND(OK), ME, 0));
    check_both(&out, HIRSCHBERG_SINCLAIR_FAR);
}

/* One bad reply of two, whichever comes first. */
TEST(test_one_refusal_of_two_loses)
{
    static const uint8_t replies[][2] = {
        {KIND(NO), KIND(OK)}, {KIND(OK), KIND(NO)}, {KIND(NO), KIND(NO)}};

    for (size_t i = 0; i < COUNT(replies); i++) {
        struct hs s = candidate(4, 0, 0);

        step(&s, &plain, reads(FC_NEXT, replies[i][0], ME, 0));
        assert_int_equal(s.status, STATUS(CANDIDATE));
        struct hs_out out =
            step(&s, &plain, reads(FC_PREVIOUS, replies[i][1], ME, 0));

        assert_int_equal(s.status, STATUS(LOST));
        assert_int_equal(out.fx.sends, 0);
        assert_int_equal(out.fx.notes, FC_NOTE_VIEW);
        check_view(&s, ELECTION_LOST, FC_NOBODY);
        check_ignored(s, &plain, reads(FC_NEXT, KIND(OK), ME, 0), 0);
    }
}

/* All the way round: it has passed everybody.  The twin comes too, and later
 * its announcement. */
TEST(test_own_probe_back_leads)
{
    struct hs s = candidate(4, 0, 0);
    struct hs_out out = step(&s, &plain, reads(FC_NEXT, KIND(PROBE), ME, 1));

    assert_int_equal(s.status, STATUS(LEADER));
    check_one(&out, FC_NEXT, KIND(ELECTED), ME, 0);
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW);
    check_view(&s, ELECTION_LEADER, ME);
    check_ignored(s, &plain, reads(FC_PREVIOUS, KIND(PROBE), ME, 1),
                  FC_NOTE_DIES);
    check_ignored(s, &plain, reads(FC_PREVIOUS, KIND(ELECTED), ME, 0), 0);

    s = candidate(4, 0, 0); /* announce=no */
    out = step(&s, &(struct hs_params){0}, reads(FC_NEXT, KIND(PROBE), ME, 1));
    assert_int_equal(s.status, STATUS(LEADER));
    assert_int_equal(out.fx.sends, 0);
}

/* Everybody learns and passes it on; a sleeper wakes no more.  The winner's
 * second probe may still be under way. */
TEST(test_elected_tells_and_goes_on)
{
    static const uint8_t then[][2] = {
        {STATUS(ASLEEP), STATUS(RELAY)},
        {STATUS(RELAY), STATUS(RELAY)},
        {STATUS(CANDIDATE), STATUS(LOST)},
        {STATUS(LOST), STATUS(LOST)},
    };

    for (size_t i = 0; i < COUNT(then); i++) {
        struct hs s = node(then[i][0]);
        struct hs_out out =
            step(&s, &plain, reads(FC_PREVIOUS, KIND(ELECTED), 8, 0));

        check_state(s, told(then[i][1], 8));
        check_one(&out, FC_NEXT, KIND(ELECTED), 8, 0);
        assert_int_equal(out.fx.notes, FC_NOTE_VIEW);
        check_view(&s, ELECTION_DONE, 8);
        out = step(&s, &plain, reads(FC_NEXT, KIND(PROBE), 8, 4));
        check_one(&out, FC_PREVIOUS, KIND(PROBE), 8, 3);
        check_state(s, told(then[i][1], 8));
    }
}

/* Nothing else means anything, nor does a link that is not there. */
TEST(test_other_events_are_ignored)
{
    struct hs_in boot = {.event = {.kind = FC_BOOT}};
    struct hs_in late = {.event = {.kind = FC_TIMEOUT}};
    struct hs_in nowhere = reads(FC_NEXT, KIND(PROBE), 3, 4);

    nowhere.event.port = 2;
    check_ignored(candidate(2, 1, 0), &plain, boot, 0);
    check_ignored(candidate(2, 1, 0), &plain, late, 0);
    check_ignored(candidate(2, 1, 0), &plain, nowhere, 0);
}

TEST(test_switches_are_set_by_name)
{
    struct lab lab;

    lab_open(&lab, "hirschberg-sinclair", 4);
    assert_memory_equal(&lab.params, &plain, sizeof plain);
    lab_set(&lab, "refusal", "silence");
    assert_memory_equal(&lab.params, &silent, sizeof silent);
    lab_set(&lab, "announce", "no");
    assert_int_equal(((struct hs_params *)&lab.params)->announce, 0);
}

/* ---- All together -------------------------------------------------------- */

/* Kind, fields and bits of a message. */
TEST(test_messages_show_what_they_carry)
{
    const struct hs_msg probe = {.name = 6, .left = 4, .kind = KIND(PROBE)};
    const struct hs_msg no = {.name = 6, .kind = KIND(NO)};
    uint64_t fields[FC_FIELDS_MAX];

    assert_int_equal(hirschberg_sinclair_kind(&probe), KIND(PROBE));
    assert_int_equal(hirschberg_sinclair_fields(&probe, fields), 2);
    assert_true(fields[0] == 6 && fields[1] == 4);
    assert_int_equal(hirschberg_sinclair_paper_bits(&probe), 2 + 2);
    assert_int_equal(hirschberg_sinclair_fields(&no, fields), 1);
    assert_int_equal(hirschberg_sinclair_paper_bits(&no), 2);
}

/* 10 nodes: at most 8N(1 + 4), and the announcement. */
TEST(test_claim_is_the_papers)
{
    const struct fc_world world = {10, 5, 1, 10, {2, 3, 1, 2}, true, false};
    struct fc_claim claims[FC_CLAIMS_MAX];

    assert_int_equal(
        hirschberg_sinclair_protocol.claims(&plain, &world, claims), 1);
    assert_int_equal(claims[0].relation, FC_AT_MOST);
    assert_true(claims[0].value == 8 * 10 * 5 + 10);
}

/* ---- Whole rings --------------------------------------------------------- */

/* Rounded up. */
static uint32_t log2_up(uint32_t n)
{
    return n < 2 ? 0 : 1 + log2_up((n + 1) / 2);
}

/* Probes and replies of a run in which all went well. */
static uint64_t cost(struct lab *lab, uint64_t seed)
{
    struct sim_result r;

    lab_prepare(lab);
    r = lab_run(lab, seed);
    assert_int_equal(r.broken, 0);
    assert_false(r.cut);
    assert_int_equal(r.by_kind[KIND(ELECTED)], lab->setup.net.world.nodes);
    return r.messages - r.by_kind[KIND(ELECTED)];
}

/* The first round leaves one; it goes on alone, there and back, and round. */
TEST(test_sorted_rings)
{
    for (uint32_t n = 2; n <= 64; n++) {
        for (int down = 0; down < 2; down++) {
            uint32_t alone = 4 * ((1u << log2_up(n)) - 2);
            struct lab lab;

            lab_open(&lab, "hirschberg-sinclair", n);
            if (down)
                lab.setup.net.naming = NET_NAMES_DESCENDING;
            assert_int_equal(cost(&lab, 1), 6 * n + alone);
            lab_set(&lab, "refusal", "silence");
            assert_int_equal(cost(&lab, 1), 5 * n + alone);
            lab_close(&lab);
        }
    }
}

/* The most that any placement of up to 8 costs, as measured. */
LONG_TEST(test_worst_placements)
{
    static const uint32_t most[] = {0, 2, 12, 26, 40, 62, 80, 96, 112};

    for (uint32_t n = 1; n <= (is_sanitized() ? 7 : 8); n++) {
        struct lab lab;
        fc_name names[8];
        uint64_t worst = 0;

        lab_open(&lab, "hirschberg-sinclair", n);
        lab.setup.net.naming = NET_NAMES_LIST;
        lab.setup.net.names = names;
        first_order(names, n);
        do {
            uint64_t passes = cost(&lab, 1);

            worst = passes > worst ? passes : worst;
        } while (next_order(names, n));
        assert_int_equal(worst, most[n]);
        assert_true(worst <= 8 * n * (1 + log2_up(n)));
        lab_close(&lab);
    }
}

/* Rings of all sizes, wake-ups and clocks; order is not needed. */
TEST(test_thousand_rings_of_all_sorts)
{
    static const struct plan plans[] = {
        {"hirschberg-sinclair", NET_ARCHIMEDEAN, NET_CLOCK_FIXED, false},
        {"hirschberg-sinclair", NET_ARCHIMEDEAN, NET_CLOCK_DRIFT, true},
        {"hirschberg-sinclair", NET_ASYNC, NET_CLOCK_FIXED, false},
        {"hirschberg-sinclair", NET_ASYNC, NET_CLOCK_FIXED, true},
    };

    for (size_t i = 0; i < COUNT(plans); i++) {
        for (uint64_t seed = 1; seed <= rounds(1000); seed++) {
            uint64_t steps[RING_MAX];
            struct lab lab;

            plan_ring(&lab, &plans[i], seed, steps);
            uint32_t n = lab.setup.net.world.nodes;

            assert_true(cost(&lab, seed) <= 8 * n * (1 + log2_up(n)));
            lab_set(&lab, "refusal", "silence");
            assert_true(cost(&lab, seed) <= 8 * n * (1 + log2_up(n)));
            lab_close(&lab);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_start_probes_both_neighbours),
        cmocka_unit_test(test_only_a_sleeper_starts),
        cmocka_unit_test(test_sleeper_becomes_a_relay),
        cmocka_unit_test(test_last_hop_replies_ok),
        cmocka_unit_test(test_candidate_loses_to_a_greater_probe),
        cmocka_unit_test(test_smaller_probe_is_refused),
        cmocka_unit_test(test_silence_refuses_too),
        cmocka_unit_test(test_replies_of_others_pass),
        cmocka_unit_test(test_two_good_replies_double_the_reach),
        cmocka_unit_test(test_one_refusal_of_two_loses),
        cmocka_unit_test(test_own_probe_back_leads),
        cmocka_unit_test(test_elected_tells_and_goes_on),
        cmocka_unit_test(test_other_events_are_ignored),
        cmocka_unit_test(test_switches_are_set_by_name),
        cmocka_unit_test(test_messages_show_what_they_carry),
        cmocka_unit_test(test_claim_is_the_papers),
        cmocka_unit_test(test_sorted_rings),
        cmocka_unit_test(test_worst_placements),
        cmocka_unit_test(test_thousand_rings_of_all_sorts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
