/*
 * fuzz_live_datagram.c - any bytes as a datagram, from somebody without the key
 * and from somebody with it.
 *
 * The first byte says which, or that it is a node of another generation.
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

enum { ME = 1, PEER = 0, MY_SALT = 7 };

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
                                .nodes_count = 3,
                                .keys = &keys};

static const uint8_t key[LIVE_KEY_BYTES] = "the key of a fuzzer",
                     spare[LIVE_KEY_BYTES] = "its other key (R8)";

static void begin(struct live_channel channels[LIVE_NODES_MAX])
{
    struct live_channel other;

    must(sodium_init() >= 0);
    live_keys_open(&keys, key);
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
    static uint8_t bytes[LIVE_NODES_MAX * LIVE_NEWS_BYTES];

    for (uint32_t i = 0; i < self.nodes_count; i++) {
        uint8_t *at = bytes + (size_t)LIVE_NEWS_BYTES * i;

        fc_put64(at, step[0] >> 2 & 3);
        fc_put64(at + 8, step[1] & 3);
        fc_put64(at + 16, (uint64_t)step[2] << step[3] % 56);
        fc_put64(at + 24, step[3]);
    }
    return bytes;
}

/* What is kept of a node only grows. */
static void hear_news(struct live_channel *channel, const uint8_t *bytes)
{
    const struct live_news news = live_news_of(bytes, PEER);
    const struct live_channel before = *channel;
    bool changed = live_news_learn(channel, &news, 1000);

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
                              .nodes_count = 3};
    const uint8_t shown[LIVE_SHOWN_BYTES] = {step[2], step[3]};
    struct live_channel channel;

    uint64_t echo = step[1] & 128 ? MY_SALT - 1 : MY_SALT;

    live_channel_open(&channel, step[2] & 1 ? spare : key, PEER, ME);
    channel.sent = (uint64_t)step[2] << step[3] % 56;
    channel.told = step[3] & 128;
    channel.latest.life = step[3]; /* what it knows of us */
    if (step[1] & 32)
        return live_seal(&other, &channel, ME, LIVE_NEWS, echo, news_in(step),
                         (size_t)LIVE_NEWS_BYTES * self.nodes_count, wire);
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
        must(verdict != LIVE_ODD && verdict != LIVE_FORGED);
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
                hear_news(&channels[PEER], opened.bytes);
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    if (data[0] & 2)
        strangers(data + 1, size - 1);
    else if (data[0] & 1)
        with_key(data + 1, size - 1);
    else
        without_key(data + 1, size - 1);
    return 0;
}
