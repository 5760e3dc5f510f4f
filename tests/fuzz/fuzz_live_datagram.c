/*
 * fuzz_live_datagram.c - any bytes as a datagram, from somebody without the key
 * and from somebody with it.
 *
 * The first byte says which, or that it is a node of another generation, or one
 * that joins.
 * Without the key the bytes arrive as they are, and nothing may be believed or
 * changed.  With it they are cut into datagrams with a life, a number, a salt
 * and an echo, sealed with one of two keys, and what is believed must be new.
 */
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "core/wire.h"
#include "live/wire/datagram.h"
#include "live/wire/news.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ME = 1, PEER = 0, MY_SALT = 7, NAMED = 4 };

static void must(int holds)
{
    if (!holds)
        abort();
}

static struct live_keys keys;
static struct live_self self = {.hash = 11,
                                .life = 3,
                                .salt = MY_SALT,
                                .id = ME,
                                .nodes_count = 6,
                                .first_count = 3,
                                .absent = 1u << 4, /* one has left */
                                .marks = {[3] = 4711, [5] = 815},
                                .keys = &keys};

static const uint8_t key[LIVE_KEY_BYTES] = "the key of a fuzzer",
                     spare[LIVE_KEY_BYTES] = "its other key (R8)";

static void begin(struct live_channel channels[LIVE_NODES_MAX])
{
    static struct live_keys opened;
    static bool is_open;
    struct live_channel other;

    if (!keys.stranger[0]) {
        must(sodium_init() >= 0);
        live_keys_open(&keys, key);
    }
    keys.sent = 0;
    memset(channels, 0, LIVE_NODES_MAX * sizeof *channels);
    for (uint32_t i = 0; i < self.nodes_count; i++)
        live_channel_open(&channels[i], key, ME, i);
    live_channel_open(&other, spare, ME, PEER);
    channels[PEER].spare.used = true;
    memcpy(channels[PEER].spare.key_from, other.key_from, LIVE_KEY_BYTES);
}

static void without_key(const uint8_t *data, size_t size)
{
    struct live_channel channels[LIVE_NODES_MAX], before[LIVE_NODES_MAX];
    struct live_opened opened;
    enum live_verdict verdict;

    begin(channels);
    memcpy(before, channels, sizeof before);
    verdict = live_open(&self, channels, data, size, &opened);
    must(verdict == LIVE_ODD || verdict == LIVE_FORGED);
    must(memcmp(before, channels, sizeof before) == 0);
}

/* The same of every node. */
static const uint8_t *news_in(const uint8_t step[4])
{
    static uint8_t bytes[LIVE_NODES_MAX * LIVE_NAMED_BYTES];

    for (uint32_t i = 0; i < NAMED; i++) {
        uint8_t *at = bytes + (size_t)LIVE_NAMED_BYTES * i;

        fc_put64(at, i ? (uint64_t)step[1] << step[3] % 56 | step[2] : PEER);
        at += 8;
        fc_put64(at, step[0] >> 2 & 3);
        fc_put64(at + 8, step[1] & 3);
        fc_put64(at + 16, (uint64_t)step[2] << step[3] % 56);
        fc_put64(at + 24, step[3]);
    }
    return bytes;
}

/* What is kept of a node only grows. */
static void hear_news(struct live_channel *channel,
                      const struct live_opened *opened)
{
    const struct live_channel before = *channel;
    struct live_news news;
    uint32_t node;
    bool changed;

    must(live_news_count(opened) == NAMED);
    for (uint32_t i = 1; i < NAMED; i++)
        if (live_news_part(&self, opened, i, &node, &news))
            must(node < 6 && node != 4 && (node < 3 || self.marks[node]));
    must(live_news_part(&self, opened, 0, &node, &news) && node == PEER);
    changed = live_news_learn(channel, &news, 1000);
    must(channel->latest.life >= before.latest.life &&
         channel->latest.life >= news.life && channel->maxv >= before.maxv &&
         channel->maxv >= news.maxv);
    must(changed || (channel->latest.life == before.latest.life &&
                     channel->latest.salt == before.latest.salt));
    must(!live_news_learn(channel, &news, 1000));
}

/* The other end, which seals what the bytes say. */
static size_t seal(const uint8_t step[4], uint8_t wire[LIVE_WIRE_MAX])
{
    struct live_self other = {.hash = 11,
                              .life = step[0] % 4,
                              .salt = step[1] % 4,
                              .id = PEER,
                              .nodes_count = 3,
                              .first_count = 3};
    const uint8_t shown[LIVE_SHOWN_BYTES] = {step[2], step[3]};
    struct live_channel channel;

    uint64_t echo = step[1] & 128 ? MY_SALT - 1 : MY_SALT;

    live_channel_open(&channel, step[2] & 1 ? spare : key, PEER, ME);
    channel.sent = (uint64_t)step[2] << step[3] % 56;
    channel.told = step[3] & 128;
    channel.latest.life = step[3]; /* what it knows of us */
    if (step[1] & 32)
        return live_seal(&other, &channel, ME, LIVE_NEWS, echo, news_in(step),
                         (size_t)LIVE_NAMED_BYTES * NAMED, wire);
    if (step[1] & 16)
        return live_seal(&other, &channel, ME, LIVE_SHOWS, echo, shown,
                         sizeof shown, wire);
    if (step[1] & 64)
        return live_seal_hello(&other, &channel, ME, echo, wire);
    return live_seal(&other, &channel, ME, LIVE_DATA, echo, step, 4, wire);
}

static void with_key(const uint8_t *data, size_t size)
{
    struct live_channel channels[LIVE_NODES_MAX], before;
    uint8_t wire[LIVE_WIRE_MAX];
    struct live_opened opened;

    begin(channels);
    for (; size >= 4; data += 4, size -= 4) {
        size_t length = seal(data, wire);
        enum live_verdict verdict;

        before = channels[PEER];
        verdict = live_open(&self, channels, wire, length, &opened);
        must(verdict != LIVE_FORGED);
        must(verdict != LIVE_ODD || /* news in the form of another version */
             (data[1] & 32 && wire[LIVE_AT_NUMBER + LIVE_NUMBER_BITS / 8] <
                                  LIVE_SPEAKS_CHANGES));
        must(channels[PEER].life >= before.life);
        if (verdict == LIVE_GOOD || verdict == LIVE_GREETED ||
            verdict == LIVE_INFORMED || verdict == LIVE_SHOWN) {
            must(channels[PEER].last == (data[2] & 1));
            must(channels[PEER].reads >> (data[2] & 1) & 1);
            must((data[1] & 128) == 0);
            must(channels[PEER].told);
            if (verdict == LIVE_GREETED)
                must(opened.known.life == data[3] &&
                     opened.asks == !(data[3] & 128));
            else
                must(before.told);
            must(channels[PEER].life == data[0] % 4u);
            must(live_open(&self, channels, wire, length, &opened) ==
                 LIVE_REPLAYED);
            if (verdict == LIVE_INFORMED)
                hear_news(&channels[PEER], &opened);
        } else {
            must(memcmp(&before, &channels[PEER], sizeof before) == 0);
        }
    }
}

/* A node of another generation, with any positions and any salt of ours: it is
 * proven by the right one alone, and changes nothing. */
static void strangers(const uint8_t *data, size_t size)
{
    struct live_channel channels[LIVE_NODES_MAX], before[LIVE_NODES_MAX];
    uint8_t wires[LIVE_ANSWER_COUNT][LIVE_WIRE_MAX];
    struct live_keys other_keys;
    struct live_opened opened;
    struct live_met met = {0};

    begin(channels);
    other_keys = keys;
    memcpy(before, channels, sizeof before);
    for (; size >= 4; data += 4, size -= 4) {
        struct live_self other = {.hash = 11u + data[0],
                                  .life = data[0] % 4,
                                  .salt = data[1],
                                  .id = data[2] % LIVE_NODES_MAX,
                                  .nodes_count = LIVE_NODES_MAX,
                                  .generation = data[0],
                                  .keys = &other_keys};
        struct live_stranger me = {.from = data[3] % LIVE_NODES_MAX,
                                   .to = (uint8_t)other.id,
                                   .hash = self.hash,
                                   .salt = data[3] % 16};
        bool is_mine = me.salt == MY_SALT;

        if (!live_answer_stranger(&other, &me, wires))
            continue;
        must(live_open(&self, channels, wires[0], LIVE_HELLO_BYTES, &opened) ==
             LIVE_FOREIGN);
        must(opened.stranger.proven == is_mine);
        must(is_mine || !live_meet(&self, &met, &opened.stranger));
        (void)live_meet(&self, &met, &opened.stranger);
        must(live_meet(&self, &met, &opened.stranger) == LIVE_NOTHING);
        must(live_answer_stranger(&self, &opened.stranger, wires) <= 1);
        must(memcmp(before, channels, sizeof before) == 0);
    }
}

/* Somebody with the key says who it is: the first bytes are its id, whether its
 * hash is that of what it says, its salt and kind; the rest is a card, perhaps
 * made right. */
static void guests(const uint8_t *data, size_t size)
{
    struct live_channel channels[LIVE_NODES_MAX], before[LIVE_NODES_MAX], to;
    uint8_t wire[LIVE_WIRE_MAX], card[LIVE_CARD_MAX], again[LIVE_CARD_MAX];
    struct live_self other = {.hash = 11, .life = 1, .salt = data[2]};
    size_t length = size - 4 < sizeof card ? size - 4 : sizeof card;
    bool is_joining = !(data[3] & 7);
    struct live_opened opened;
    enum live_verdict verdict;

    begin(channels);
    memcpy(before, channels, sizeof before);
    other.id = data[0] % (LIVE_NODES_MAX + 2);
    memcpy(card, data + 4, length);
    if (data[1] & 1 && length >= LIVE_CARD_MIN) {
        fc_put32(card, other.id);
        card[6] = (uint8_t)(card[6] % (length - LIVE_CARD_HEAD));
        card[7] = (uint8_t)(length - LIVE_CARD_HEAD - card[6]);
    }
    if (data[1] & 2)
        other.hash ^= live_card_mark(card, length);
    live_channel_open(&to, data[1] & 4 ? spare : key, other.id, ME);
    to.told = data[1] & 8;
    verdict = live_open(
        &self, channels, wire,
        live_seal(&other, &to, ME, is_joining ? LIVE_JOINS : LIVE_DATA,
                  data[1] & 16 ? MY_SALT : 0, card, length, wire),
        &opened);
    must(memcmp(before, channels, sizeof before) == 0);
    if (verdict == LIVE_UNKNOWN)
        must(!is_joining && (other.id == 4 || other.id >= 6));
    if (verdict != LIVE_JOINING)
        return;
    must(is_joining && data[1] & 2 && !(data[1] & 4) && data[2]);
    must(opened.from == other.id && other.id >= 3 && other.id < LIVE_NODES_MAX);
    must(live_config_fits(&opened.guest));
    must(live_card_pack(&opened.guest, other.id, again) == length &&
         memcmp(card, again, length) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    if (data[0] & 4 && size > 5)
        guests(data + 1, size - 1);
    else if (data[0] & 2)
        strangers(data + 1, size - 1);
    else if (data[0] & 1)
        with_key(data + 1, size - 1);
    else
        without_key(data + 1, size - 1);
    return 0;
}
