/*
 * test_live_datagram.c - what is believed of a datagram: no socket here, every
 * byte is ours to change.
 */
#include <sodium.h>

#include "live/wire/datagram.h"
#include "tests/unit/kit/testing.h"

/* A node with its channels to all others. */
struct party {
    struct live_self self;
    struct live_channel channels[LIVE_NODES_MAX];
};

static uint8_t key[LIVE_KEY_BYTES] = "a key that everybody knows here";

static struct party party(uint32_t id, uint64_t life, uint64_t salt)
{
    struct party p = {.self = {.hash = 11,
                               .life = life,
                               .salt = salt,
                               .id = id,
                               .nodes_count = 3,
                               .first_count = 3}};

    for (uint32_t i = 0; i < 3; i++) {
        live_channel_open(&p.channels[i], key, id, i);
        p.channels[i].told = true; /* what this test is not about */
    }
    return p;
}

struct sealed {
    uint8_t wire[LIVE_WIRE_MAX];
    size_t size;
};

static struct sealed seal(struct party *from, uint32_t to, uint64_t echo,
                          const void *bytes, size_t size)
{
    struct sealed s;

    s.size = live_seal(&from->self, &from->channels[to], to, LIVE_DATA, echo,
                       bytes, size, s.wire);
    return s;
}

static struct sealed hello(struct party *from, uint32_t to, uint64_t echo)
{
    struct sealed s;

    s.size =
        live_seal_hello(&from->self, &from->channels[to], to, echo, s.wire);
    return s;
}

static struct live_opened opened;

static enum live_verdict open_at(struct party *p, const struct sealed *s)
{
    return live_open(&p->self, p->channels, s->wire, s->size, &opened);
}

/* Opens, and unless it is good, nothing of the party has changed. */
static enum live_verdict opens(struct party *p, const struct sealed *s)
{
    struct party before = *p;
    enum live_verdict verdict = open_at(p, s);

    if (verdict != LIVE_GOOD && verdict != LIVE_GREETED)
        assert_memory_equal(p, &before, sizeof before);
    return verdict;
}

/* ---- Honest ones --------------------------------------------------------- */

TEST(test_what_was_sealed_is_opened)
{
    static const size_t sizes[] = {0, 1, 63, 64, 65, 1199, LIVE_DATAGRAM_MAX};
    struct party a = party(0, 1, 100), b = party(1, 1, 200);
    uint8_t bytes[LIVE_DATAGRAM_MAX];

    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct sealed s;

        memset(bytes, (int)i + 1, sizeof bytes);
        s = seal(&a, 1, 200, bytes, sizes[i]);
        assert_int_equal(s.size, sizes[i] + LIVE_WIRE_MIN);
        assert_int_equal(opens(&b, &s), LIVE_GOOD);
        assert_int_equal(opened.from, 0);
        assert_int_equal(opened.size, sizes[i]);
        assert_memory_equal(opened.bytes, bytes, sizes[i]);
        assert_int_equal(opened.new_life, i == 0);
    }
}

/* What is repeated looks new, and what is inside cannot be read. */
TEST(test_sealed_bytes_are_never_the_same)
{
    struct party a = party(0, 1, 100), twin = party(0, 1, 101);
    struct sealed one = seal(&a, 1, 0, "the same text", 13);
    struct sealed two = seal(&a, 1, 0, "the same text", 13);
    struct sealed other = seal(&twin, 1, 0, "the same text", 13);

    assert_true(memcmp(one.wire + LIVE_HEADER_BYTES,
                       two.wire + LIVE_HEADER_BYTES, 13) != 0);
    assert_true(memcmp(one.wire + LIVE_HEADER_BYTES,
                       other.wire + LIVE_HEADER_BYTES, 13) != 0);
    assert_null(memmem(one.wire, one.size, "same", 4));
}

/* A machine that is resumed twice from one snapshot of its memory: the same
 * life, number, salt and keys, and nothing that was sealed can be compared. */
TEST(test_memory_set_back_seals_under_another_nonce)
{
    struct party a = party(0, 1, 100), twin;
    uint8_t one[LIVE_WIRE_MAX], two[LIVE_WIRE_MAX];
    struct sealed s;

    for (uint32_t round = 0; round < 100; round++) {
        s = seal(&a, 1, 0, "what was said", 13);
        memcpy(&twin, &a, sizeof twin);
        s = seal(&a, 1, 0, "the same text", 13);
        memcpy(one, s.wire, s.size);
        s = seal(&twin, 1, 0, "the same text", 13);
        memcpy(two, s.wire, s.size);
        assert_memory_equal(one, two, LIVE_AT_RANDOM);
        assert_true(memcmp(one + LIVE_AT_RANDOM, two + LIVE_AT_RANDOM,
                           LIVE_HEADER_BYTES - LIVE_AT_RANDOM) != 0);
        assert_true(
            memcmp(one + LIVE_HEADER_BYTES, two + LIVE_HEADER_BYTES, 13) != 0);
    }
}

/* ---- What is known of the receiver --------------------------------------- */

TEST(test_hello_tells_what_is_known)
{
    struct party a = party(0, 7, 100), b = party(1, 1, 200);
    struct sealed s;

    a.channels[1].latest.life = 9; /* a has met this one of b */
    a.channels[1].latest.salt = 77;
    a.channels[1].maxv = 6400;
    s = hello(&a, 1, 200);
    assert_int_equal(s.size, LIVE_WIRE_MIN + LIVE_KNOWN_BYTES);
    assert_int_equal(opens(&b, &s), LIVE_GREETED);
    assert_int_equal(opened.known.life, 9);
    assert_int_equal(opened.known.salt, 77);
    assert_int_equal(opened.known.maxv, 6400);
}

/* No node is believed before it says what it knows of us: one hello could be
 * lost, and with it the news that our record was set back. */
TEST(test_nothing_is_believed_of_one_who_has_not_told)
{
    struct party a = party(0, 7, 100), b = party(1, 1, 200);
    struct sealed s;

    a.channels[1].told = b.channels[0].told = false;
    s = seal(&a, 1, 200, "text", 4);
    assert_int_equal(opens(&b, &s), LIVE_UNPROVEN);
    s = hello(&b, 0, opened.salt);
    assert_int_equal(opens(&a, &s), LIVE_GREETED);
    assert_true(opened.asks);
    s = hello(&a, 1, a.channels[1].salt);
    assert_int_equal(opens(&b, &s), LIVE_GREETED);
    assert_false(opened.asks); /* b has told in its own */
    s = seal(&a, 1, 200, "text", 4);
    assert_int_equal(opens(&b, &s), LIVE_GOOD);
}

/* ---- Changed, cut, forged ------------------------------------------------ */

TEST(test_every_flipped_bit_is_refused)
{
    struct party a = party(0, 1, 100), b = party(1, 1, 200);
    struct sealed s = seal(&a, 1, 200, "twenty bytes of text", 20);

    for (size_t bit = 0; bit < 8 * s.size; bit++) {
        enum live_verdict verdict;

        s.wire[bit / 8] ^= (uint8_t)(1u << bit % 8);
        verdict = opens(&b, &s);
        assert_true(verdict == LIVE_ODD || verdict == LIVE_FORGED);
        s.wire[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    assert_int_equal(opens(&b, &s), LIVE_GOOD);
}

TEST(test_every_other_length_is_refused)
{
    struct party a = party(0, 1, 100), b = party(1, 1, 200);
    struct sealed s = seal(&a, 1, 200, "twenty bytes of text", 20), other = s;

    for (other.size = 0; other.size < LIVE_WIRE_MAX; other.size++) {
        enum live_verdict wanted =
            other.size < LIVE_WIRE_MIN ? LIVE_ODD : LIVE_FORGED;

        if (other.size != s.size)
            assert_int_equal(opens(&b, &other), wanted);
    }
    assert_int_equal(
        live_open(&b.self, b.channels, other.wire, LIVE_WIRE_MAX + 1, &opened),
        LIVE_ODD);
    assert_int_equal(opens(&b, &s), LIVE_GOOD);
}

TEST(test_another_key_is_refused)
{
    struct party a, b = party(1, 1, 200);
    struct sealed s;

    key[31] ^= 1;
    a = party(0, 1, 100);
    key[31] ^= 1;
    s = seal(&a, 1, 200, "text", 4);
    assert_int_equal(opens(&b, &s), LIVE_FORGED);
}

/* One that has the key, but another list of nodes or other times. */
TEST(test_another_configuration_is_told_apart)
{
    struct party a = party(0, 1, 100), b = party(1, 1, 200);
    struct sealed s;

    a.self.hash++;
    a.self.generation = 3;
    s = seal(&a, 1, 200, "text", 4);
    assert_int_equal(opens(&b, &s), LIVE_FOREIGN);
    assert_int_equal(opened.stranger.generation, 3);
}

/* Back to its sender, or on to a third, whatever is written over the names. */
TEST(test_datagram_is_for_one_receiver)
{
    struct party a = party(0, 1, 100), c = party(2, 1, 200);
    struct sealed s = seal(&a, 1, 200, "text", 4);

    assert_int_equal(opens(&a, &s), LIVE_ODD);
    assert_int_equal(opens(&c, &s), LIVE_ODD);
    s.wire[LIVE_AT_TO] = 2;
    assert_int_equal(opens(&c, &s), LIVE_FORGED);
    s.wire[LIVE_AT_FROM] = 1;
    assert_int_equal(opens(&c, &s), LIVE_FORGED);
    s.wire[LIVE_AT_TO] = 0;
    assert_int_equal(opens(&a, &s), LIVE_FORGED);
    s.wire[LIVE_AT_FROM] = 3;
    assert_int_equal(opens(&a, &s), LIVE_ODD);
}

TEST(test_random_bytes_are_refused)
{
    struct party b = party(1, 1, 200);
    struct dice dice = {9};

    for (uint32_t round = 0; round < rounds(30000); round++) {
        struct sealed s = {.size = throw_below(&dice, LIVE_WIRE_MAX + 1)};
        enum live_verdict verdict;

        for (size_t i = 0; i < s.size; i++)
            s.wire[i] = (uint8_t)throw_below(&dice, 256);
        if (round % 2) { /* past the first door */
            memcpy(s.wire, "FuD2\0\1\1\0", 8);
            s.wire[LIVE_AT_FROM] = (uint8_t)(2 * throw_below(&dice, 2));
        }
        verdict = opens(&b, &s);
        assert_true(verdict == LIVE_ODD || verdict == LIVE_FORGED);
    }
}

/* ---- Lives --------------------------------------------------------------- */

/* What does not show that it was sent since our start changes nothing. */
TEST(test_nothing_from_before_the_start_is_believed)
{
    struct party a = party(0, 7, 100), b = party(1, 1, 200);
    struct sealed early = seal(&a, 1, 0, "text", 4);
    struct sealed old = seal(&a, 1, 199, "text", 4); /* to b's earlier life */
    struct sealed greeting = hello(&a, 1, 199);

    assert_int_equal(opens(&b, &early), LIVE_UNPROVEN);
    assert_int_equal(opened.salt, 100);
    assert_int_equal(opens(&b, &old), LIVE_UNPROVEN);
    assert_int_equal(opens(&b, &greeting), LIVE_UNPROVEN);
    assert_int_equal(b.channels[0].salt, 0);
}

/* Two that know nothing of each other, and one round trip. */
TEST(test_a_hello_introduces)
{
    struct party a = party(0, 1, 100), b = party(1, 1, 200);
    struct sealed s = seal(&a, 1, a.channels[1].salt, "lost", 4);

    assert_int_equal(opens(&b, &s), LIVE_UNPROVEN);
    s = hello(&b, 0, opened.salt);
    assert_int_equal(opens(&a, &s), LIVE_GREETED);
    assert_true(opened.new_life);
    assert_int_equal(opens(&a, &s), LIVE_REPLAYED);
    s = seal(&a, 1, a.channels[1].salt, "found", 5);
    assert_int_equal(opens(&b, &s), LIVE_GOOD);
    s = seal(&b, 0, b.channels[0].salt, "found", 5);
    assert_int_equal(opens(&a, &s), LIVE_GOOD);
    assert_false(opened.new_life);
}

TEST(test_earlier_lives_are_refused)
{
    struct party b = party(1, 1, 200);
    struct party old = party(0, 3, 100), next = party(0, 4, 101);
    struct sealed first = seal(&old, 1, 200, "text", 4);
    struct sealed late = seal(&old, 1, 200, "text", 4);
    struct sealed s = seal(&next, 1, 200, "text", 4);

    assert_int_equal(opens(&b, &first), LIVE_GOOD);
    assert_int_equal(opens(&b, &s), LIVE_GOOD);
    assert_true(opened.new_life);
    assert_int_equal(b.channels[0].life, 4);
    assert_int_equal(opens(&b, &late), LIVE_OUTLIVED);
    assert_int_equal(opens(&b, &first), LIVE_OUTLIVED);
    assert_int_equal(opens(&b, &s), LIVE_REPLAYED);
}

/* A copy of a node, or one whose record was set back. */
TEST(test_same_life_twice_is_refused)
{
    struct party b = party(1, 1, 200);
    struct party one = party(0, 3, 100), twin = party(0, 3, 101);
    struct sealed s = seal(&one, 1, 200, "text", 4);

    assert_int_equal(opens(&b, &s), LIVE_GOOD);
    s = seal(&twin, 1, 200, "text", 4);
    assert_int_equal(opens(&b, &s), LIVE_OUTLIVED);
    s = seal(&one, 1, 200, "text", 4);
    assert_int_equal(opens(&b, &s), LIVE_GOOD);
}

/* ---- Numbers ------------------------------------------------------------- */

/* Against a plain list of what was taken. */
TEST(test_each_number_is_taken_once_and_old_ones_not)
{
    enum { NUMBERS = 6000 };
    static bool taken[NUMBERS + 1];
    struct party a = party(0, 1, 100), b = party(1, 1, 200);
    struct dice dice = {4};
    uint64_t highest = 0, front = 1, good = 0;

    memset(taken, 0, sizeof taken);
    for (uint32_t round = 0; round < 40000 && front < NUMBERS; round++) {
        uint64_t back = throw_below(&dice, LIVE_WINDOW + 40);
        uint64_t number = front > back ? front - back : front;
        struct sealed s;
        bool wanted;

        if (throw_below(&dice, 4) == 0)
            front += throw_below(&dice, 500) ? 1 : throw_below(&dice, 1500);
        if (front > NUMBERS)
            break;
        a.channels[1].sent = number - 1;
        s = seal(&a, 1, 200, "x", 1);
        wanted = number > highest ||
                 (highest - number < LIVE_WINDOW && !taken[number]);
        assert_int_equal(opens(&b, &s), wanted ? LIVE_GOOD : LIVE_REPLAYED);
        taken[number] = true;
        good += wanted;
        highest = number > highest ? number : highest;
    }
    assert_true(good > 500);
}

TEST(test_numbers_far_apart_are_taken)
{
    const uint64_t beyond = (UINT64_C(1) << LIVE_NUMBER_BITS) - 1;
    struct party a = party(0, 1, 100), b = party(1, 1, 200);
    struct sealed s;

    a.channels[1].sent = beyond - 5000;
    s = seal(&a, 1, 200, "x", 1);
    assert_int_equal(opens(&b, &s), LIVE_GOOD);
    assert_int_equal(opens(&b, &s), LIVE_REPLAYED);
    a.channels[1].sent = beyond - 1;
    s = seal(&a, 1, 200, "x", 1);
    assert_int_equal(opens(&b, &s), LIVE_GOOD);
    a.channels[1].sent = 4;
    s = seal(&a, 1, 200, "x", 1);
    assert_int_equal(opens(&b, &s), LIVE_REPLAYED);
}

/* Only somebody with the key can make these; they are refused all the same. */
TEST(test_no_number_and_no_salt_are_refused)
{
    struct party a = party(0, 1, 0), b = party(1, 1, 200);
    struct sealed s = seal(&a, 1, 200, "x", 1);

    assert_int_equal(opens(&b, &s), LIVE_REPLAYED);
    a = party(0, 1, 100);
    a.channels[1].sent =
        0 - ((uint64_t)LIVE_LINK_VERSION << LIVE_NUMBER_BITS) - 1;
    s = seal(&a, 1, 200, "x", 1);
    assert_int_equal(opens(&b, &s), LIVE_REPLAYED);
}

static int prepare(void **state)
{
    (void)state;
    return sodium_init() < 0 ? -1 : 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_was_sealed_is_opened),
        cmocka_unit_test(test_sealed_bytes_are_never_the_same),
        cmocka_unit_test(test_memory_set_back_seals_under_another_nonce),
        cmocka_unit_test(test_hello_tells_what_is_known),
        cmocka_unit_test(test_nothing_is_believed_of_one_who_has_not_told),
        cmocka_unit_test(test_every_flipped_bit_is_refused),
        cmocka_unit_test(test_every_other_length_is_refused),
        cmocka_unit_test(test_another_key_is_refused),
        cmocka_unit_test(test_another_configuration_is_told_apart),
        cmocka_unit_test(test_datagram_is_for_one_receiver),
        cmocka_unit_test(test_random_bytes_are_refused),
        cmocka_unit_test(test_nothing_from_before_the_start_is_believed),
        cmocka_unit_test(test_a_hello_introduces),
        cmocka_unit_test(test_earlier_lives_are_refused),
        cmocka_unit_test(test_same_life_twice_is_refused),
        cmocka_unit_test(test_each_number_is_taken_once_and_old_ones_not),
        cmocka_unit_test(test_numbers_far_apart_are_taken),
        cmocka_unit_test(test_no_number_and_no_salt_are_refused),
    };

    return cmocka_run_group_tests_name("live_datagram", tests, prepare, NULL);
}
