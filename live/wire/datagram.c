/*
 * datagram.c - see datagram.h.
 */
#include "live/wire/datagram.h"

#include <assert.h>
#include <sodium.h>
#include <string.h>

#include "core/wire.h"

static const uint8_t magic[4] = {'F', 'u', 'D', '2'};

enum { NONCE_BYTES = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES };

_Static_assert(LIVE_KEY_BYTES == crypto_aead_xchacha20poly1305_ietf_KEYBYTES,
               "a key of a channel is one of the cipher");
_Static_assert(LIVE_TAG_BYTES == crypto_aead_xchacha20poly1305_ietf_ABYTES,
               "a tag is the cipher's");
enum { RANDOM_BYTES = LIVE_HEADER_BYTES - LIVE_AT_RANDOM };
_Static_assert(NONCE_BYTES == 8 + RANDOM_BYTES, "life and number, random");

/* ---- Keys ---------------------------------------------------------------- */

/* Each direction of each pair has its own, so that nothing can be sent back to
 * its sender or on to a third. */
static void direction_key(uint8_t out[LIVE_KEY_BYTES],
                          const uint8_t key[LIVE_KEY_BYTES], uint32_t from,
                          uint32_t to)
{
    uint8_t what[] = "fulcrum link 1 __";

    what[sizeof what - 3] = (uint8_t)from;
    what[sizeof what - 2] = (uint8_t)to;
    crypto_generichash(out, LIVE_KEY_BYTES, what, sizeof what, key,
                       LIVE_KEY_BYTES);
}

void live_channel_open(struct live_channel *channel,
                       const uint8_t key[LIVE_KEY_BYTES], uint32_t self,
                       uint32_t peer)
{
    memset(channel, 0, sizeof *channel);
    direction_key(channel->key_to, key, self, peer);
    direction_key(channel->key_from, key, peer, self);
}

void live_keys_open(struct live_keys *keys, const uint8_t key[LIVE_KEY_BYTES])
{
    for (uint32_t from = 0; from < LIVE_NODES_MAX; from++)
        for (uint32_t to = 0; to < LIVE_NODES_MAX; to++)
            direction_key(keys->key[from][to], key, from, to);
    crypto_generichash(keys->stranger, LIVE_KEY_BYTES,
                       (const uint8_t *)"fulcrum stranger 1", 18, key,
                       LIVE_KEY_BYTES);
    keys->sent = 0;
    keys->spare = NULL;
}

/* Used once, for two reasons: lives and numbers grow; and should a record or a
 * whole memory be set back, the random bytes are others.  They are drawn for
 * each datagram, because bytes kept in memory are set back with it. */
static void nonce_of(const uint8_t *header, uint8_t nonce[NONCE_BYTES])
{
    uint64_t life = fc_get64(header + LIVE_AT_LIFE);

    fc_put64(nonce, (life & 0xffffff) | fc_get64(header + LIVE_AT_NUMBER)
                                            << 24);
    memcpy(nonce + 8, header + LIVE_AT_RANDOM, RANDOM_BYTES);
}

/* ---- Both ends ----------------------------------------------------------- */

static uint64_t mark_of(const struct live_self *self, uint32_t id)
{
    return id < LIVE_NODES_MAX ? self->marks[id] : 0;
}

/* Of the configuration, and of either end that is not in it. */
static uint64_t hash_with(const struct live_self *self, uint32_t peer)
{
    return self->hash ^ mark_of(self, self->id) ^ mark_of(self, peer);
}

/* ---- Sealing ------------------------------------------------------------- */

size_t live_seal(const struct live_self *self, struct live_channel *channel,
                 uint32_t to, enum live_datagram_kind kind, uint64_t echo,
                 const uint8_t *bytes, size_t size, uint8_t wire[LIVE_WIRE_MAX])
{
    const uint8_t *key = live_channel_slot(channel) == LIVE_SPARE
                             ? channel->spare.key_to
                             : channel->key_to;
    uint8_t nonce[NONCE_BYTES];
    unsigned long long sealed = 0;

    assert(size <= LIVE_DATAGRAM_MAX);
    memcpy(wire, magic, sizeof magic);
    wire[LIVE_AT_FROM] = (uint8_t)self->id;
    wire[LIVE_AT_TO] = (uint8_t)to;
    wire[LIVE_AT_KIND] = (uint8_t)kind;
    wire[LIVE_AT_GENERATION] = (uint8_t)self->generation;
    fc_put64(wire + LIVE_AT_HASH, hash_with(self, to));
    fc_put64(wire + LIVE_AT_LIFE, self->life);
    fc_put64(wire + LIVE_AT_NUMBER,
             ((uint64_t)LIVE_LINK_LEAST << LIVE_LEAST_BITS) +
                 ((uint64_t)LIVE_LINK_VERSION << LIVE_NUMBER_BITS) +
                 ++channel->sent);
    fc_put64(wire + LIVE_AT_SALT, self->salt);
    fc_put64(wire + LIVE_AT_ECHO, echo);
    randombytes_buf(wire + LIVE_AT_RANDOM, RANDOM_BYTES);
    nonce_of(wire, nonce);
    crypto_aead_xchacha20poly1305_ietf_encrypt(
        wire + LIVE_HEADER_BYTES, &sealed, bytes, size, wire, LIVE_HEADER_BYTES,
        NULL, nonce, key);
    return LIVE_HEADER_BYTES + (size_t)sealed;
}

size_t live_seal_hello(const struct live_self *self,
                       struct live_channel *channel, uint32_t to, uint64_t echo,
                       uint8_t wire[LIVE_WIRE_MAX])
{
    uint8_t known[LIVE_KNOWN_BYTES];

    fc_put64(known, channel->latest.life);
    fc_put64(known + 8, channel->latest.salt);
    fc_put64(known + 16, channel->maxv);
    return live_seal(self, channel, to,
                     channel->told ? LIVE_HELLO : LIVE_ASKING, echo, known,
                     sizeof known, wire);
}

/* ---- Opening ------------------------------------------------------------- */

static bool fits_kind(uint8_t kind, size_t size)
{
    if (kind == LIVE_DATA)
        return true;
    if (kind == LIVE_NEWS)
        return (size - LIVE_WIRE_MIN) % LIVE_NEWS_BYTES == 0 ||
               (size - LIVE_WIRE_MIN) % LIVE_NAMED_BYTES == 0;
    if (kind == LIVE_SHOWS)
        return size >= LIVE_WIRE_MIN + LIVE_SHOWN_BYTES;
    if (kind == LIVE_JOINS)
        return size >= LIVE_WIRE_MIN + LIVE_CARD_MIN &&
               size <= LIVE_WIRE_MIN + LIVE_CARD_MAX;
    return kind != 0 && kind < LIVE_DATAGRAM_KINDS && size == LIVE_HELLO_BYTES;
}

static bool is_odd(const uint8_t *wire, size_t size)
{
    return size < LIVE_WIRE_MIN || size > LIVE_WIRE_MAX ||
           memcmp(wire, magic, sizeof magic) != 0 ||
           !fits_kind(wire[LIVE_AT_KIND], size);
}

/* Whether its positions belong to a peer and to this node. */
static bool fits_list(const struct live_self *self, const uint8_t *wire)
{
    return wire[LIVE_AT_TO] == self->id &&
           live_self_knows(self, wire[LIVE_AT_FROM]) &&
           wire[LIVE_AT_FROM] != self->id;
}

/* Whether its sender may be a node that joined later, for this one. */
static bool fits_later(const struct live_self *self, const uint8_t *wire)
{
    return wire[LIVE_AT_TO] == self->id && wire[LIVE_AT_FROM] != self->id &&
           wire[LIVE_AT_FROM] >= self->first_count &&
           wire[LIVE_AT_FROM] < LIVE_NODES_MAX &&
           wire[LIVE_AT_GENERATION] == self->generation;
}

/* The key of a slot that it may be sealed with; NULL: there is none, or nobody
 * here may receive it.  Among strangers of another list this node may have any
 * position; and a node that joined later may not be known yet. */
static const uint8_t *key_of(const struct live_self *self,
                             const struct live_channel *channels,
                             const uint8_t *wire, enum live_slot slot)
{
    uint8_t from = wire[LIVE_AT_FROM], to = wire[LIVE_AT_TO];
    const struct live_keys *keys =
        self->keys && slot == LIVE_SPARE ? self->keys->spare : self->keys;
    bool strange = keys && from < LIVE_NODES_MAX && to < LIVE_NODES_MAX &&
                   wire[LIVE_AT_GENERATION] != self->generation;

    if (wire[LIVE_AT_KIND] == LIVE_STRANGER)
        return strange ? keys->stranger : NULL;
    if (!fits_list(self, wire))
        return strange || (keys && fits_later(self, wire)) ? keys->key[from][to]
                                                           : NULL;
    if (slot == LIVE_MAIN)
        return channels[from].key_from;
    return channels[from].spare.used ? channels[from].spare.key_from : NULL;
}

static bool decrypt(const uint8_t *wire, size_t size, const uint8_t *key,
                    struct live_opened *opened)
{
    uint8_t nonce[NONCE_BYTES];
    unsigned long long plain = 0;

    nonce_of(wire, nonce);
    if (!key ||
        crypto_aead_xchacha20poly1305_ietf_decrypt(
            opened->bytes, &plain, NULL, wire + LIVE_HEADER_BYTES,
            size - LIVE_HEADER_BYTES, wire, LIVE_HEADER_BYTES, nonce, key) != 0)
        return false;
    opened->size = (size_t)plain;
    return true;
}

/* With the key that its sender used last, or with the other one. */
static bool decrypt_any(const struct live_self *self,
                        const struct live_channel *channels,
                        const uint8_t *wire, size_t size,
                        struct live_opened *opened)
{
    enum live_slot first = channels[opened->from].last;

    for (uint32_t i = 0; i < LIVE_SLOTS; i++) {
        opened->slot = (enum live_slot)(first ^ i);
        if (decrypt(wire, size, key_of(self, channels, wire, opened->slot),
                    opened))
            return true;
    }
    return false;
}

/* R9, of a number. */
static uint32_t most_of(uint64_t number)
{
    return number >> LIVE_NUMBER_BITS & 0xff;
}

static uint32_t least_of(uint64_t number)
{
    return number >> LIVE_LEAST_BITS & 0xff;
}

/* Nothing is known any more of what its earlier life could read. */
static void begin_life(struct live_channel *channel, uint64_t life,
                       uint64_t salt, uint64_t number)
{
    channel->life = life;
    channel->salt = salt;
    channel->window = channel->spare.window = (struct live_window){0};
    channel->version = most_of(number);
    channel->least = least_of(number);
    channel->reads = 0;
    memset(channel->shown, 0, sizeof channel->shown);
}

/* Of a datagram that was surely sent since this node started. */
static enum live_verdict judge(struct live_channel *channel,
                               const uint8_t *wire, enum live_slot slot,
                               bool *new_life)
{
    static const enum live_verdict good[LIVE_DATAGRAM_KINDS] = {
        [LIVE_DATA] = LIVE_GOOD,      [LIVE_HELLO] = LIVE_GREETED,
        [LIVE_ASKING] = LIVE_GREETED, [LIVE_NEWS] = LIVE_INFORMED,
        [LIVE_SHOWS] = LIVE_SHOWN,
    };
    struct live_window *window =
        slot == LIVE_SPARE ? &channel->spare.window : &channel->window;
    uint64_t life = fc_get64(wire + LIVE_AT_LIFE),
             salt = fc_get64(wire + LIVE_AT_SALT);
    uint64_t number = fc_get64(wire + LIVE_AT_NUMBER);
    struct live_latest *latest = &channel->latest;

    *new_life = false;
    if ((latest->life || latest->salt) &&
        (life < latest->life || (life == latest->life && salt != latest->salt)))
        return LIVE_OUTLIVED;
    if (salt == 0 || number == 0)
        return LIVE_REPLAYED; /* no node ever gives them */
    if (!channel->salt || life > channel->life) {
        begin_life(channel, life, salt, number);
        if (life != latest->life || salt != latest->salt)
            *latest = (struct live_latest){.life = life, .salt = salt};
        *new_life = true;
    }
    if (live_window_has(window, number))
        return LIVE_REPLAYED;
    live_window_take(window, number);
    channel->reads |= (uint8_t)(1u << slot);
    channel->last = (uint8_t)slot;
    return good[wire[LIVE_AT_KIND]];
}

/* A hello that is believed. */
static void learn(struct live_channel *channel, const uint8_t *wire,
                  struct live_opened *opened)
{
    opened->asks = wire[LIVE_AT_KIND] == LIVE_ASKING;
    opened->known = (struct live_known){.life = fc_get64(opened->bytes),
                                        .salt = fc_get64(opened->bytes + 8),
                                        .maxv = fc_get64(opened->bytes + 16)};
    channel->told = true;
}

static struct live_stranger stranger_of(const struct live_self *self,
                                        const uint8_t *wire)
{
    return (struct live_stranger){
        .kind = wire[LIVE_AT_KIND],
        .from = wire[LIVE_AT_FROM],
        .to = wire[LIVE_AT_TO],
        .generation = wire[LIVE_AT_GENERATION],
        .hash = fc_get64(wire + LIVE_AT_HASH),
        .life = fc_get64(wire + LIVE_AT_LIFE),
        .number = fc_get64(wire + LIVE_AT_NUMBER),
        .salt = fc_get64(wire + LIVE_AT_SALT),
        .proven = fc_get64(wire + LIVE_AT_ECHO) == self->salt,
    };
}

/* Only a hello is believed of a peer that has not said yet what it knows. */
static bool needs_hello(const struct live_channel *channel, uint8_t kind)
{
    return !channel->told && kind != LIVE_HELLO && kind != LIVE_ASKING;
}

/* News have a part for each node of the first list; those of later versions say
 * with each part of whom it is. */
static bool fits_news(const struct live_self *self, struct live_opened *opened)
{
    opened->named = most_of(opened->stranger.number) >= LIVE_SPEAKS_CHANGES;
    if (opened->named)
        return opened->size > 0 && opened->size % LIVE_NAMED_BYTES == 0;
    return opened->size == (size_t)LIVE_NEWS_BYTES * self->first_count;
}

/* Who says that it joined later: nothing proves that it was said just now.  One
 * that is known is greeted, as any other that has not heard of us. */
static enum live_verdict judge_joining(const struct live_self *self,
                                       const uint8_t *wire,
                                       struct live_opened *opened)
{
    uint32_t id = wire[LIVE_AT_FROM];
    uint64_t mark = live_card_mark(opened->bytes, opened->size);

    if (!live_card_unpack(&opened->guest, id, opened->bytes, opened->size) ||
        !opened->salt || least_of(opened->stranger.number) > LIVE_LINK_VERSION)
        return LIVE_ODD;
    if (opened->stranger.hash != (self->hash ^ mark_of(self, self->id) ^ mark))
        return LIVE_FOREIGN;
    opened->from = id;
    return live_self_knows(self, id) && mark_of(self, id) == mark
               ? LIVE_UNPROVEN
               : LIVE_JOINING;
}

/* From an id of a later node, which is not that of a peer, or to say who it is:
 * nothing of it is believed. */
static bool is_guest(const struct live_self *self, const uint8_t *wire)
{
    return fits_later(self, wire) &&
           (wire[LIVE_AT_KIND] == LIVE_JOINS || !fits_list(self, wire));
}

enum live_verdict live_open(const struct live_self *self,
                            struct live_channel *channels, const uint8_t *wire,
                            size_t size, struct live_opened *opened)
{
    struct live_channel *channel;
    enum live_verdict verdict;

    if (is_odd(wire, size) || !key_of(self, channels, wire, LIVE_MAIN))
        return LIVE_ODD;
    opened->from = self->id;
    if (wire[LIVE_AT_KIND] != LIVE_STRANGER && fits_list(self, wire))
        opened->from = wire[LIVE_AT_FROM];
    channel = &channels[opened->from];
    opened->dropped = false;
    if (!decrypt_any(self, channels, wire, size, opened)) {
        opened->dropped = channel->has_gone &&
                          decrypt(wire, size, channel->gone_from, opened);
        return opened->from == self->id ? LIVE_ODD : LIVE_FORGED;
    }
    opened->salt = fc_get64(wire + LIVE_AT_SALT);
    opened->stranger = stranger_of(self, wire);
    opened->stranger.slot = opened->slot;
    if (is_guest(self, wire))
        return wire[LIVE_AT_KIND] == LIVE_JOINS
                   ? judge_joining(self, wire, opened)
                   : LIVE_UNKNOWN;
    if (opened->stranger.hash !=
        (opened->from == self->id ? self->hash : hash_with(self, opened->from)))
        return LIVE_FOREIGN;
    if (opened->from == self->id || wire[LIVE_AT_KIND] == LIVE_JOINS ||
        (wire[LIVE_AT_KIND] == LIVE_NEWS && !fits_news(self, opened)))
        return LIVE_ODD;
    if (least_of(opened->stranger.number) > LIVE_LINK_VERSION)
        return LIVE_UNSPOKEN;
    if (fc_get64(wire + LIVE_AT_ECHO) != self->salt ||
        needs_hello(channel, wire[LIVE_AT_KIND]))
        return LIVE_UNPROVEN;
    verdict = judge(channel, wire, opened->slot, &opened->new_life);
    if (verdict == LIVE_GREETED)
        learn(channel, wire, opened);
    return verdict;
}

/* ---- Strangers ----------------------------------------------------------- */

/* A hello that says nothing of its receiver. */
static void seal_empty(const struct live_self *as, struct live_keys *keys,
                       const uint8_t key[LIVE_KEY_BYTES], uint32_t to,
                       enum live_datagram_kind kind, uint64_t echo,
                       uint8_t wire[LIVE_WIRE_MAX])
{
    static const uint8_t nothing[LIVE_KNOWN_BYTES];
    struct live_channel channel = {.sent = keys->sent};

    memcpy(channel.key_to, key, LIVE_KEY_BYTES);
    (void)live_seal(as, &channel, to, kind, echo, nothing, sizeof nothing,
                    wire);
    keys->sent = channel.sent;
    sodium_memzero(&channel, sizeof channel);
}

uint32_t live_answer_stranger(const struct live_self *self,
                              const struct live_stranger *s,
                              uint8_t wires[LIVE_ANSWER_COUNT][LIVE_WIRE_MAX])
{
    struct live_self as = *self; /* hashes are as they are: of the whole */
    struct live_keys *keys =
        self->keys && s->slot == LIVE_SPARE ? self->keys->spare : self->keys;

    if (!keys || s->generation == self->generation ||
        (s->proven &&
         (s->kind != LIVE_STRANGER || s->generation > self->generation)))
        return 0; /* both know, or have been told */
    memset(as.marks, 0, sizeof as.marks);
    seal_empty(&as, keys, keys->stranger, s->from, LIVE_STRANGER, s->salt,
               wires[0]);
    if (s->proven || s->kind == LIVE_STRANGER)
        return 1;
    as.id = s->to;
    as.hash = s->hash;
    as.generation = s->generation;
    seal_empty(&as, keys, keys->key[s->to][s->from], s->from, LIVE_ASKING, 0,
               wires[1]);
    return 2;
}

/* Of another configuration, or sent later: nothing that was recorded is. */
static bool is_later(const struct live_seen *last,
                     const struct live_stranger *s)
{
    return last->hash != s->hash || s->life > last->life ||
           (s->life == last->life && s->number > last->number);
}

bool live_is_news(struct live_met *met, const struct live_stranger *s,
                  uint64_t now, uint64_t pause)
{
    uint32_t form = s->kind == LIVE_STRANGER, from = s->from % LIVE_NODES_MAX;
    uint64_t *at = &met->answered_at[form][from];

    if (!is_later(&met->answered[form][from], s) || (*at && now - *at < pause))
        return false;
    met->answered[form][from] = (struct live_seen){s->hash, s->life, s->number};
    *at = now;
    return true;
}

enum live_standing live_meet(const struct live_self *self, struct live_met *met,
                             const struct live_stranger *s)
{
    struct live_seen *last =
        &met->proven[s->kind == LIVE_STRANGER][s->from % LIVE_NODES_MAX];

    if (!s->proven || s->generation == self->generation || !is_later(last, s))
        return LIVE_NOTHING;
    *last = (struct live_seen){s->hash, s->life, s->number};
    if (s->generation < self->generation)
        return LIVE_AHEAD;
    return s->generation == self->stays_from ? LIVE_STAYS : LIVE_OUTDATED;
}

/* ---- What follows from it ------------------------------------------------ */

enum live_memory live_known_more(const struct live_self *self,
                                 const struct live_known *known, uint64_t maxv)
{
    if (known->life > self->life)
        return LIVE_LATER_LIFE;
    if (known->life == self->life && known->salt != self->salt)
        return LIVE_OTHER_LIFE;
    return known->maxv > maxv ? LIVE_LATER_VIEW : LIVE_NO_MORE;
}

bool live_greets_back(enum live_verdict verdict,
                      const struct live_opened *opened,
                      const struct live_channel *channels, uint64_t *echo)
{
    if (verdict == LIVE_GREETED) {
        *echo = channels[opened->from].salt;
        return opened->new_life || opened->asks;
    }
    *echo = opened->salt;
    return verdict == LIVE_OUTLIVED || verdict == LIVE_UNPROVEN;
}
