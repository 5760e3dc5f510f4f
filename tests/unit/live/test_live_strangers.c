/*
 * test_live_strangers.c - nodes of different generations (P6): what proves that
 * another one runs, and to whom.
 */
#include <sodium.h>

#include "live/wire/datagram.h"
#include "tests/unit/kit/testing.h"

/* A node with its channels; one of an earlier program has no other keys. */
struct party {
    struct live_self self;
    struct live_channel channels[LIVE_NODES_MAX];
    struct live_keys keys;
    struct live_met met;
};

static uint8_t key[LIVE_KEY_BYTES] = "a key that everybody knows here";

struct sealed {
    uint8_t wire[LIVE_WIRE_MAX];
    size_t size;
};

static struct live_opened opened;

/* Position `id` of the list of its generation; salts are 100 * life + id. */
static void open_party(struct party *p, uint32_t id, uint32_t generation,
                       uint64_t life)
{
    memset(p, 0, sizeof *p);
    p->self = (struct live_self){.hash = 1000 + generation,
                                 .life = life,
                                 .salt = 100 * life + id + 1,
                                 .id = id,
                                 .nodes_count = 3,
                                 .first_count = 3,
                                 .generation = generation,
                                 .keys = &p->keys};
    live_keys_open(&p->keys, key);
    for (uint32_t i = 0; i < 3; i++)
        live_channel_open(&p->channels[i], key, id, i);
}

static void open_earlier(struct party *p, uint32_t id, uint32_t generation,
                         uint64_t life)
{
    open_party(p, id, generation, life);
    p->self.keys = NULL;
}

/* What a node of the protocol sends to a position. */
static struct sealed frame(struct party *from, uint32_t to)
{
    struct sealed s;
    struct live_channel *channel = &from->channels[to];

    s.size = live_seal(&from->self, channel, to, LIVE_DATA, channel->salt,
                       (const uint8_t *)"frame", 5, s.wire);
    return s;
}

static enum live_verdict take(struct party *p, const struct sealed *s)
{
    return live_open(&p->self, p->channels, s->wire, s->size, &opened);
}

/* What a stranger's datagram means for a node. */
static enum live_standing meets(struct party *p, const struct sealed *s)
{
    if (take(p, s) != LIVE_FOREIGN)
        return LIVE_NOTHING;
    return live_meet(&p->self, &p->met, &opened.stranger);
}

/* What a node answers to what it has just opened. */
static uint32_t answers(struct party *p, struct sealed to[2])
{
    uint8_t wires[LIVE_ANSWER_COUNT][LIVE_WIRE_MAX];
    uint32_t count = live_answer_stranger(&p->self, &opened.stranger, wires);

    for (uint32_t i = 0; i < count; i++) {
        memcpy(to[i].wire, wires[i], LIVE_HELLO_BYTES);
        to[i].size = LIVE_HELLO_BYTES;
    }
    return count;
}

/* ---- Proof --------------------------------------------------------------- */

/* A frame proves nothing, the answer to the answer does: to both. */
TEST(test_strangers_prove_that_they_run)
{
    struct party low, high;
    struct sealed s, back[2], again[2];

    open_party(&low, 0, 1, 5);
    open_party(&high, 1, 2, 9);
    s = frame(&low, 1);
    assert_int_equal(meets(&high, &s), LIVE_NOTHING);
    assert_false(opened.stranger.proven);
    assert_int_equal(answers(&high, back), 2);
    assert_int_equal(meets(&low, &back[0]), LIVE_OUTDATED);
    assert_int_equal(opened.stranger.generation, 2);
    assert_int_equal(answers(&low, again), 0);

    s = frame(&high, 0);
    assert_int_equal(meets(&low, &s), LIVE_NOTHING);
    assert_int_equal(answers(&low, back), 2);
    assert_int_equal(meets(&high, &back[0]), LIVE_AHEAD);
    assert_int_equal(opened.stranger.generation, 1);
    assert_int_equal(answers(&high, again), 1);
    assert_int_equal(meets(&low, &again[0]), LIVE_OUTDATED);
}

/* The second answer is one that every program understands, and believes
 * nothing of; what it says to that is proof. */
TEST(test_earlier_program_proves_that_it_runs)
{
    for (uint32_t older = 1; older < 4; older += 2) {
        struct party old, me;
        struct live_channel before;
        struct sealed s, back[2];
        uint64_t echo = 0;

        open_earlier(&old, 0, older, 5);
        open_party(&me, 1, 2, 9);
        s = frame(&old, 1);
        assert_int_equal(meets(&me, &s), LIVE_NOTHING);
        assert_int_equal(answers(&me, back), 2);
        assert_int_equal(take(&old, &back[0]), LIVE_ODD);
        before = old.channels[1];
        assert_int_equal(take(&old, &back[1]), LIVE_UNPROVEN);
        assert_memory_equal(&before, &old.channels[1], sizeof before);
        assert_true(
            live_greets_back(LIVE_UNPROVEN, &opened, old.channels, &echo));
        s.size = live_seal_hello(&old.self, &old.channels[1], 1, echo, s.wire);
        assert_int_equal(meets(&me, &s),
                         older < 2 ? LIVE_AHEAD : LIVE_OUTDATED);
        assert_int_equal(answers(&me, back), 0); /* and no more is needed */
    }
}

/* What somebody has recorded says nothing of today. */
TEST(test_recorded_strangers_prove_nothing)
{
    struct party low, high;
    struct sealed s, back[2], to_low[2];

    open_party(&low, 0, 1, 5);
    open_party(&high, 1, 2, 9);
    s = frame(&high, 0);
    (void)meets(&low, &s);
    (void)answers(&low, back);
    assert_int_equal(meets(&high, &back[0]), LIVE_AHEAD);
    assert_int_equal(meets(&high, &back[0]), LIVE_NOTHING); /* once */
    (void)answers(&high, to_low);
    assert_int_equal(meets(&low, &to_low[0]), LIVE_OUTDATED);
    assert_int_equal(meets(&low, &to_low[0]), LIVE_NOTHING);

    open_party(&low, 0, 1, 6); /* both have started again */
    open_party(&high, 1, 2, 10);
    assert_int_equal(meets(&high, &back[0]), LIVE_NOTHING);
    assert_int_equal(meets(&low, &to_low[0]), LIVE_NOTHING);
}

/* Nor does it keep what is sent now from being answered. */
TEST(test_recorded_strangers_are_not_answered_again)
{
    struct party low, high;
    struct sealed first, second;

    open_party(&low, 0, 1, 5);
    open_party(&high, 1, 2, 9);
    first = frame(&low, 1);
    second = frame(&low, 1);
    (void)meets(&high, &second);
    assert_true(live_is_news(&high.met, &opened.stranger, 100, 10));
    assert_false(live_is_news(&high.met, &opened.stranger, 200, 10));
    (void)meets(&high, &first);
    assert_false(live_is_news(&high.met, &opened.stranger, 300, 10));
    first = frame(&low, 1);
    (void)meets(&high, &first);
    assert_false(live_is_news(&high.met, &opened.stranger, 109, 10));
    assert_true(live_is_news(&high.met, &opened.stranger, 110, 10));
}

/* Every bit of it is sealed. */
TEST(test_changed_strangers_are_not_opened)
{
    struct party low, high;
    struct sealed s, back[2];

    open_party(&low, 0, 1, 5);
    open_party(&high, 1, 2, 9);
    s = frame(&low, 1);
    (void)meets(&high, &s);
    (void)answers(&high, back);
    for (uint32_t k = 0; k < 2; k++)
        for (size_t bit = 0; bit < 8 * back[k].size; bit++) {
            struct sealed changed = back[k];
            enum live_verdict verdict;

            changed.wire[bit / 8] ^= (uint8_t)(1 << bit % 8);
            verdict = take(&low, &changed);
            assert_true(verdict == LIVE_ODD || verdict == LIVE_FORGED);
        }
}

TEST(test_same_generation_is_no_stranger)
{
    struct party a, b;
    struct sealed s, back[2];

    open_party(&a, 0, 2, 5);
    open_party(&b, 1, 2, 9);
    b.self.hash++; /* a change that was not counted */
    s = frame(&a, 1);
    assert_int_equal(take(&b, &s), LIVE_FOREIGN);
    assert_int_equal(answers(&b, back), 0);
    assert_int_equal(meets(&b, &s), LIVE_NOTHING);
}

/* ---- --stay -------------------------------------------------------------- */

TEST(test_refused_generation_stops_nobody_and_others_do)
{
    struct party low, high;
    struct sealed s, back[2];

    open_party(&low, 0, 1, 5);
    low.self.stays_from = 20;
    for (uint32_t generation = 19; generation < 22; generation++) {
        open_party(&high, 1, generation, 9);
        s = frame(&low, 1);
        (void)meets(&high, &s);
        assert_int_equal(answers(&high, back), 2);
        assert_int_equal(meets(&low, &back[0]),
                         generation == 20 ? LIVE_STAYS : LIVE_OUTDATED);
    }
}

/* The one that was a mistake hears that others stay. */
TEST(test_refused_generation_is_answered)
{
    struct party low, high;
    struct sealed s, back[2];

    open_party(&low, 0, 1, 5);
    open_party(&high, 1, 20, 9);
    low.self.stays_from = 20;
    s = frame(&high, 0);
    (void)meets(&low, &s);
    assert_int_equal(answers(&low, back), 2);
    assert_int_equal(meets(&high, &back[0]), LIVE_AHEAD);
}

/* ---- Other lists --------------------------------------------------------- */

/* In the stranger's list this node has another position. */
TEST(test_strangers_of_another_list_prove_that_they_run)
{
    struct party low, high;
    struct sealed s, back[2];

    open_party(&low, 2, 1, 5);
    open_party(&high, 0, 2, 9);
    s = frame(&high, 1); /* that is what it takes the other for */
    assert_int_equal(meets(&low, &s), LIVE_NOTHING);
    assert_int_equal(opened.from, 2);
    assert_int_equal(answers(&low, back), 2);
    assert_int_equal(meets(&high, &back[0]), LIVE_AHEAD);
    assert_int_equal(take(&high, &back[1]), LIVE_UNPROVEN);
    assert_int_equal(opened.from, 1); /* whose address it has */
    s.size =
        live_seal_hello(&high.self, &high.channels[1], 1, opened.salt, s.wire);
    assert_int_equal(meets(&low, &s), LIVE_OUTDATED);
}

/* A node that answers from a position that is not its own is not believed to be
 * the one that has it, wherever the answers are sent. */
TEST(test_answers_are_believed_by_no_node_of_the_same_list)
{
    struct party low, high, others[3];
    struct sealed s, back[2];

    open_party(&low, 2, 1, 5);
    open_party(&high, 0, 2, 9);
    s = frame(&high, 1);
    (void)meets(&low, &s);
    assert_int_equal(answers(&low, back), 2);
    for (uint32_t generation = 1; generation < 3; generation++)
        for (uint32_t id = 0; id < 3; id++)
            for (uint32_t k = 0; k < 2; k++) {
                struct live_channel before[LIVE_NODES_MAX];
                enum live_verdict verdict;

                open_party(&others[id], id, generation, 3);
                others[id].self.salt = high.self.salt; /* at the worst */
                memcpy(before, others[id].channels, sizeof before);
                verdict = take(&others[id], &back[k]);
                assert_true(verdict != LIVE_GOOD && verdict != LIVE_GREETED);
                assert_memory_equal(before, others[id].channels, sizeof before);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strangers_prove_that_they_run),
        cmocka_unit_test(test_earlier_program_proves_that_it_runs),
        cmocka_unit_test(test_recorded_strangers_prove_nothing),
        cmocka_unit_test(test_recorded_strangers_are_not_answered_again),
        cmocka_unit_test(test_changed_strangers_are_not_opened),
        cmocka_unit_test(test_same_generation_is_no_stranger),
        cmocka_unit_test(test_refused_generation_stops_nobody_and_others_do),
        cmocka_unit_test(test_refused_generation_is_answered),
        cmocka_unit_test(test_strangers_of_another_list_prove_that_they_run),
        cmocka_unit_test(test_answers_are_believed_by_no_node_of_the_same_list),
    };

    if (sodium_init() < 0)
        return 1;
    return cmocka_run_group_tests_name("live_strangers", tests, NULL, NULL);
}
