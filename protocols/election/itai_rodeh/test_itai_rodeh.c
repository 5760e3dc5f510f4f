/*
 * test_itai_rodeh.c - the rules of Itai and Rodeh's election without names.
 * The ring has four nodes.
 */
#include "tests/unit/kit/testing.h"

#include "protocols/election/itai_rodeh/itai_rodeh.h"

#define STATUS(name) ITAI_RODEH_##name

enum { NODES = 4 };

static const struct itai_rodeh_params with_rounds = {.rounds = 1};
static const struct itai_rodeh_params without = {.rounds = 0};

static struct itai_rodeh active(uint32_t round, uint32_t id)
{
    return (struct itai_rodeh){
        .round = round, .id = id, .status = STATUS(ACTIVE)};
}

static struct itai_rodeh in_status(enum itai_rodeh_status status)
{
    return (struct itai_rodeh){.status = (uint8_t)status};
}

static struct itai_rodeh_in start(void)
{
    return (struct itai_rodeh_in){
        .event = {.kind = FC_COMMAND, .command = ELECTION_START}};
}

static struct itai_rodeh_in choice(uint32_t value)
{
    return (struct itai_rodeh_in){.event = {.kind = FC_CHOICE, .value = value}};
}

static struct itai_rodeh_msg token(uint32_t round, uint32_t id, uint32_t hop,
                                   uint8_t unique)
{
    return (struct itai_rodeh_msg){.round = round,
                                   .id = id,
                                   .hop = hop,
                                   .kind = ITAI_RODEH_TOKEN,
                                   .unique = unique};
}

static struct itai_rodeh_in reads(struct itai_rodeh_msg m)
{
    return (struct itai_rodeh_in){.event = {.kind = FC_MESSAGE}, .msg = m};
}

static struct itai_rodeh_in elected(void)
{
    return reads((struct itai_rodeh_msg){.kind = ITAI_RODEH_ELECTED});
}

static struct itai_rodeh_out step(struct itai_rodeh *s,
                                  const struct itai_rodeh_params *p,
                                  struct itai_rodeh_in in)
{
    const struct fc_anonymous me = {NODES};
    struct itai_rodeh_out out;

    memset(&out, 0xaa, sizeof out);
    memset(&out.fx, 0, offsetof(struct fc_effects, steps));
    itai_rodeh_step(s, p, &me, &in, &out);
    assert_true(out.fx.sends <= COUNT(out.send));
    return out;
}

static void check_same(struct itai_rodeh is, struct itai_rodeh wanted)
{
    assert_memory_equal(&is, &wanted, sizeof is);
}

static void check_sends(const struct itai_rodeh_out *out,
                        struct itai_rodeh_msg wanted)
{
    assert_int_equal(out->fx.sends, 1);
    assert_memory_equal(&out->send[0], &wanted, sizeof wanted);
}

/* s reads `in`, becomes `then` and sends `wanted`. */
static void check_passes(struct itai_rodeh s, const struct itai_rodeh_params *p,
                         struct itai_rodeh_msg in, struct itai_rodeh then,
                         struct itai_rodeh_msg wanted)
{
    struct itai_rodeh_out out = step(&s, p, reads(in));

    check_sends(&out, wanted);
    check_same(s, then);
    assert_false(out.fx.notes & FC_NOTE_DIES);
    assert_int_equal(out.fx.choose, 0);
}

static void check_ignored(struct itai_rodeh s, struct itai_rodeh_in in,
                          uint32_t notes)
{
    static const struct fc_effects none;
    struct itai_rodeh before = s;
    struct itai_rodeh_out out = step(&s, &with_rounds, in);

    check_same(s, before);
    assert_int_equal(out.fx.notes, notes);
    out.fx.notes = 0;
    assert_memory_equal(&out.fx, &none, offsetof(struct fc_effects, steps));
}

static void check_view(struct itai_rodeh s, enum election_role role,
                       fc_name leader)
{
    struct election_view view;

    itai_rodeh_view(&s, &(struct fc_anonymous){NODES}, &view);
    assert_int_equal(view.role, role);
    assert_int_equal(view.leader, leader);
}

/* ---- Rules --------------------------------------------------------------- */

/* Round 1: draw, and send the token with the bit set. */
TEST(test_start_draws_and_sends)
{
    struct itai_rodeh s = {0};
    struct itai_rodeh_out out = step(&s, &with_rounds, start());

    assert_int_equal(out.fx.notes,
                     FC_NOTE_VIEW | FC_NOTE_STARTED | ELECTION_PHASE);
    assert_int_equal(out.fx.choose, NODES);
    assert_int_equal(out.fx.sends, 0);
    check_view(s, ELECTION_CANDIDATE, FC_NOBODY);
    out = step(&s, &with_rounds, choice(2));
    check_same(s, active(1, 3));
    check_sends(&out, token(1, 3, 1, 1));
}

TEST(test_only_sleepers_start)
{
    check_ignored(active(1, 3), start(), 0);
    for (int i = STATUS(PASSIVE); i <= STATUS(DONE); i++)
        check_ignored(in_status((enum itai_rodeh_status)i), start(), 0);
}

/* A node that did not begin, or has lost, counts the hop and passes all on. */
TEST(test_relays_pass_every_token)
{
    struct itai_rodeh passive = in_status(STATUS(PASSIVE));

    check_passes((struct itai_rodeh){0}, &with_rounds, token(1, 2, 1, 1),
                 passive, token(1, 2, 2, 1));
    check_passes(passive, &with_rounds, token(2, 1, 2, 0), passive,
                 token(2, 1, 3, 0));
    check_view(passive, ELECTION_LOST, FC_NOBODY);
}

/* The round decides, then the id. */
TEST(test_greater_tokens_make_passive)
{
    struct itai_rodeh passive = in_status(STATUS(PASSIVE));

    check_passes(active(1, 2), &with_rounds, token(1, 3, 1, 1), passive,
                 token(1, 3, 2, 1));
    check_passes(active(1, 4), &with_rounds, token(2, 1, 1, 0), passive,
                 token(2, 1, 2, 0));
}

TEST(test_smaller_tokens_die)
{
    check_ignored(active(1, 3), reads(token(1, 2, 1, 1)), FC_NOTE_DIES);
    check_ignored(active(2, 1), reads(token(1, 4, 1, 1)), FC_NOTE_DIES);
}

/* Somebody else has the same: the owner must learn it. */
TEST(test_equal_tokens_lose_their_bit)
{
    check_passes(active(2, 3), &with_rounds, token(2, 3, 1, 1), active(2, 3),
                 token(2, 3, 2, 0));
}

/* n hops and the bit still set. */
TEST(test_unique_token_back_wins)
{
    struct itai_rodeh s = active(2, 3);
    struct itai_rodeh_out out =
        step(&s, &with_rounds, reads(token(2, 3, NODES, 1)));

    check_same(s, in_status(STATUS(LEADER)));
    check_sends(&out, (struct itai_rodeh_msg){.kind = ITAI_RODEH_ELECTED});
    assert_int_equal(out.fx.notes, FC_NOTE_VIEW);
    check_view(s, ELECTION_LEADER, ELECTION_SOMEBODY);
}

/* n hops and the bit cleared: a next round. */
TEST(test_token_back_without_bit_draws_anew)
{
    struct itai_rodeh s = active(2, 3);
    struct itai_rodeh_out out =
        step(&s, &with_rounds, reads(token(2, 3, NODES, 0)));

    assert_int_equal(out.fx.choose, NODES);
    assert_int_equal(out.fx.sends, 0);
    out = step(&s, &with_rounds, choice(0));
    check_same(s, active(3, 1));
    check_sends(&out, token(3, 1, 1, 1));
}

/* Everybody learns and passes it on; the leader absorbs it. */
TEST(test_elected_tells)
{
    struct itai_rodeh told[] = {{0}, active(1, 2), in_status(STATUS(PASSIVE))};

    for (size_t i = 0; i < COUNT(told); i++) {
        struct itai_rodeh_out out = step(&told[i], &with_rounds, elected());

        check_same(told[i], in_status(STATUS(DONE)));
        check_sends(&out, (struct itai_rodeh_msg){.kind = ITAI_RODEH_ELECTED});
        check_view(told[i], ELECTION_DONE, ELECTION_SOMEBODY);
    }
    for (int i = STATUS(LEADER); i <= STATUS(DONE); i++) {
        struct itai_rodeh s = in_status((enum itai_rodeh_status)i);

        check_ignored(s, elected(), 0);
        check_ignored(s, reads(token(9, 4, 1, 1)), FC_NOTE_DIES);
    }
}

/* rounds=no: only ids are compared, and no round is sent. */
TEST(test_without_rounds)
{
    struct itai_rodeh s = active(0, 3);
    struct itai_rodeh_out out;

    check_passes(s, &without, token(0, 3, 1, 1), s, token(0, 3, 2, 0));
    check_passes(s, &without, token(0, 4, 1, 1), in_status(STATUS(PASSIVE)),
                 token(0, 4, 2, 1));
    out = step(&s, &without, reads(token(0, 3, NODES, 0)));
    out = step(&s, &without, choice(1));
    check_sends(&out, token(0, 2, 1, 1));
}

TEST(test_other_events_are_ignored)
{
    struct itai_rodeh s = active(1, 2);

    check_ignored(s, (struct itai_rodeh_in){.event = {.kind = FC_BOOT}}, 0);
    check_ignored(s, (struct itai_rodeh_in){.event = {.kind = FC_TIMEOUT}}, 0);
    check_ignored(s, choice(3), 0);
    check_ignored(s, reads((struct itai_rodeh_msg){0}), 0);
}

/* ---- Messages ------------------------------------------------------------ */

static void check_message(struct itai_rodeh_msg m, uint32_t bits,
                          uint32_t bytes, uint32_t fields)
{
    uint8_t wire[FC_WIRE_MAX];
    uint64_t out[FC_FIELDS_MAX];
    struct itai_rodeh_msg back;

    assert_int_equal(itai_rodeh_kind(&m), m.kind);
    assert_int_equal(itai_rodeh_paper_bits(&m), bits);
    assert_int_equal(itai_rodeh_wire_bytes(&m), bytes);
    assert_int_equal(itai_rodeh_fields(&m, out), fields);
    if (fields)
        assert_true(out[0] == m.id && out[1] == m.hop && out[2] == m.unique);
    memset(&back, 0xaa, sizeof back);
    assert_int_equal(itai_rodeh_pack(&m, wire), bytes);
    assert_int_equal(itai_rodeh_unpack(&back, wire, bytes), 0);
    assert_memory_equal(&back, &m, sizeof m);
}

TEST(test_messages_survive_the_wire)
{
    check_message((struct itai_rodeh_msg){.kind = ITAI_RODEH_ELECTED}, 1, 1, 0);
    check_message(token(1, 3, 7, 1), 1 + 2 + 3 + 1, 13, 4);
    check_message(token(0, 3, 7, 0), 2 + 3 + 1, 9, 3);
    check_message(token(FC_NAME_MAX, FC_NAME_MAX, FC_NAME_MAX, 1), 91, 13, 4);
}

/* ---- All together -------------------------------------------------------- */

static struct sim_result run_ring(struct itai_rodeh_params p, uint32_t seed)
{
    static const struct fc_bounds sorts[] = {
        {1, 1, 0, 0}, {2, 3, 1, 4}, {1, 10, 1, 10}, {5, 5, 2, 2}};
    static const enum net_waking wakings[] = {NET_WAKE_ALL, NET_WAKE_FIRST,
                                              NET_WAKE_RANDOM};
    struct sim_setup setup = {
        .type = sim_find("itai-rodeh"),
        .net.protocol = &itai_rodeh_protocol,
        .net.params = &p,
        .net.time = NET_ARCHIMEDEAN,
        .net.first_name = 1,
        .net.waking = wakings[seed % COUNT(wakings)],
        .net.any_order = p.rounds && seed % 2,
        .net.world = {.nodes = 2 + seed % 17,
                      .bounds = sorts[seed % COUNT(sorts)]},
    };
    struct net_memory memory = {0};
    struct sim_job job = {.seed = seed, .memory = &memory};
    struct sim_result result;

    sim_describe(&setup);
    assert_int_equal(sim_run(&setup, &job, &result), SIM_OK);
    net_memory_free(&memory);
    return result;
}

/* One leader, always; a lone initiator needs one tour, whatever it draws. */
TEST(test_elects_one_with_any_initiators)
{
    for (uint32_t seed = 0; seed < rounds(1200); seed++) {
        struct sim_result r = run_ring(with_rounds, seed);
        uint32_t n = 2 + seed % 17;

        assert_int_equal(r.broken, 0);
        assert_int_equal(r.by_kind[ITAI_RODEH_ELECTED], n);
        assert_true(r.by_kind[ITAI_RODEH_TOKEN] >= n);
        if (r.initiators == 1)
            assert_int_equal(r.by_kind[ITAI_RODEH_TOKEN], n);
        assert_int_equal(run_ring(without, seed).broken, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_start_draws_and_sends),
        cmocka_unit_test(test_only_sleepers_start),
        cmocka_unit_test(test_relays_pass_every_token),
        cmocka_unit_test(test_greater_tokens_make_passive),
        cmocka_unit_test(test_smaller_tokens_die),
        cmocka_unit_test(test_equal_tokens_lose_their_bit),
        cmocka_unit_test(test_unique_token_back_wins),
        cmocka_unit_test(test_token_back_without_bit_draws_anew),
        cmocka_unit_test(test_elected_tells),
        cmocka_unit_test(test_without_rounds),
        cmocka_unit_test(test_other_events_are_ignored),
        cmocka_unit_test(test_messages_survive_the_wire),
        cmocka_unit_test(test_elects_one_with_any_initiators),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
