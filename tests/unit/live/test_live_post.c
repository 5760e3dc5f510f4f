/*
 * test_live_post.c - messages between nodes that play: each arrives once, in
 * the order of sending, and only in the life for which it was meant.
 */
#include "live/play/post.h"
#include "tests/unit/kit/testing.h"

enum { DATAGRAMS_MAX = 64 };

/* Two nodes, and what is on its way between them. */
static struct {
    struct live_post *post[2];
    struct {
        uint32_t from;
        size_t size;
        uint8_t bytes[LIVE_DATAGRAM_MAX];
    } wire[DATAGRAMS_MAX];
    uint32_t wire_count;
    uint32_t got[DATAGRAMS_MAX], got_count; /* numbers, by the second node */
    uint16_t port;
    uint64_t round_trip;
    uint8_t word[8192];
    size_t word_size;
    uint32_t words;
} w;

static const uint32_t ids[] = {0, 1};

static void transmit(void *whom, uint32_t to, const uint8_t *bytes, size_t size)
{
    uint32_t i = w.wire_count++;

    (void)to;
    assert_true(i < DATAGRAMS_MAX);
    w.wire[i].from = *(const uint32_t *)whom;
    w.wire[i].size = size;
    memcpy(w.wire[i].bytes, bytes, size);
}

static void deliver(void *whom, const struct live_mark *mark, uint16_t port,
                    const uint8_t *bytes, size_t size)
{
    assert_int_equal(*(const uint32_t *)whom, 1);
    assert_int_equal(mark->from, 0);
    assert_int_equal(size, 1);
    assert_int_equal(bytes[0], (uint8_t)mark->number);
    w.got[w.got_count++] = mark->number;
    w.port = port;
}

static void hear(void *whom, uint32_t from, const uint8_t *bytes, size_t size,
                 bool last)
{
    (void)whom;
    assert_int_equal(from, 0);
    memcpy(w.word + w.word_size, bytes, size);
    w.word_size += size;
    w.words += last;
}

static void answered(void *whom, uint32_t peer, uint64_t round_trip)
{
    (void)whom;
    (void)peer;
    w.round_trip = round_trip;
}

static void no_memory(void *whom)
{
    (void)whom;
    fail_msg("no memory");
}

static void overflow(void *whom, uint32_t peer)
{
    (void)whom;
    (void)peer;
    fail();
}

static struct live_post *open_post(uint32_t self, uint32_t life)
{
    struct live_post_owner owner = {.transmit = transmit,
                                    .deliver = deliver,
                                    .word = hear,
                                    .answered = answered,
                                    .overflow = overflow,
                                    .no_memory = no_memory,
                                    .whom = (void *)(uintptr_t)&ids[self]};

    return live_post_open(2, self, life, &owner);
}

static int begin(void **state)
{
    (void)state;
    memset(&w, 0, sizeof w);
    w.post[0] = open_post(0, 1);
    w.post[1] = open_post(1, 1);
    return 0;
}

static int end(void **state)
{
    (void)state;
    live_post_close(w.post[0]);
    live_post_close(w.post[1]);
    return 0;
}

/* The first sends message `number`, one a datagram. */
static void put(uint32_t number, uint32_t to_life, bool free)
{
    struct live_send send = {.to = 1,
                             .number = number,
                             .to_life = to_life,
                             .comes_by = 7,
                             .free = free};
    uint8_t byte = (uint8_t)number;

    live_post_put(w.post[0], &send, &byte, 1, 100);
    live_post_ship(w.post[0], 100);
}

/* One that is on its way arrives, from this life of its sender. */
static void arrive(uint32_t i, uint64_t life, uint64_t now)
{
    uint32_t to = 1 - w.wire[i].from;

    live_post_receive(w.post[to], w.wire[i].from, life, w.wire[i].bytes,
                      w.wire[i].size, now);
}

TEST(test_messages_come_in_the_order_of_sending)
{
    for (uint32_t number = 1; number <= 4; number++)
        put(number, 1, false);
    arrive(2, 1, 200);
    arrive(3, 1, 200);
    assert_int_equal(w.got_count, 0);
    arrive(0, 1, 200);
    assert_int_equal(w.got_count, 1);
    arrive(1, 1, 200);
    assert_int_equal(w.got_count, 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(w.got[i], i + 1);
    assert_int_equal(w.port, 7);
}

TEST(test_one_that_is_free_overtakes)
{
    put(1, 1, false);
    put(2, 1, true);
    arrive(1, 1, 200);
    assert_int_equal(w.got_count, 1);
    assert_int_equal(w.got[0], 2);
    arrive(0, 1, 200);
    assert_int_equal(w.got[1], 1);
}

TEST(test_a_datagram_that_comes_twice_is_one_message)
{
    put(1, 1, false);
    arrive(0, 1, 200);
    arrive(0, 1, 200);
    assert_int_equal(w.got_count, 1);
}

TEST(test_what_is_lost_is_repeated)
{
    put(1, 1, false);
    w.wire_count = 0; /* lost */
    assert_true(live_post_next(w.post[0]) > 100);
    live_post_tick(w.post[0], live_post_next(w.post[0]));
    assert_int_equal(w.wire_count, 1);
    arrive(0, 1, 90000);
    assert_int_equal(w.got_count, 1);
    arrive(1, 1, 90000); /* it was acknowledged */
    assert_int_equal(live_post_next(w.post[0]), UINT64_MAX);
}

/* The receiver was killed and is back: what was for its earlier life is not for
 * this one, and the count begins anew. */
TEST(test_another_life_of_the_receiver_reads_only_its_own)
{
    put(1, 1, false);
    put(2, 1, false);
    live_post_close(w.post[1]);
    w.post[1] = open_post(1, 2);
    arrive(0, 1, 200);
    arrive(1, 1, 200);
    assert_int_equal(w.got_count, 0);
    put(3, 2, false);
    arrive(w.wire_count - 1, 1, 200);
    assert_int_equal(w.got_count, 1);
    assert_int_equal(w.got[0], 3);
}

TEST(test_another_life_of_the_sender_counts_anew)
{
    put(1, 1, false);
    arrive(0, 1, 200);
    live_post_close(w.post[0]);
    w.post[0] = open_post(0, 2);
    put(9, 1, false);
    arrive(w.wire_count - 1, 2, 200);
    assert_int_equal(w.got_count, 2);
    assert_int_equal(w.got[1], 9);
}

/* Longer than a datagram, and between messages in their order. */
TEST(test_a_word_of_any_length_arrives_whole)
{
    uint8_t word[3000];

    for (size_t i = 0; i < sizeof word; i++)
        word[i] = (uint8_t)(i * 7);
    put(1, 1, false);
    live_post_word(w.post[0], 1, 1, word, sizeof word, 100);
    assert_int_equal(w.wire_count, 4);
    for (uint32_t i = 4; i-- > 0;)
        arrive(i, 1, 200);
    assert_int_equal(w.got_count, 1);
    assert_int_equal(w.words, 1);
    assert_int_equal(w.word_size, sizeof word);
    assert_memory_equal(w.word, word, sizeof word);
}

TEST(test_a_ping_measures_the_round_trip)
{
    live_post_ping(w.post[0], 1, 1000);
    arrive(0, 1, 1100);
    assert_int_equal(w.wire_count, 2);
    arrive(1, 1, 1250);
    assert_int_equal(w.round_trip, 250);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH(test_messages_come_in_the_order_of_sending),
        WITH(test_one_that_is_free_overtakes),
        WITH(test_a_datagram_that_comes_twice_is_one_message),
        WITH(test_what_is_lost_is_repeated),
        WITH(test_another_life_of_the_receiver_reads_only_its_own),
        WITH(test_another_life_of_the_sender_counts_anew),
        WITH(test_a_word_of_any_length_arrives_whole),
        WITH(test_a_ping_measures_the_round_trip),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
