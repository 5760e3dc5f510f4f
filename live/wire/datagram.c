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

/* Used once, for two reasons: lives and numbers grow; and should a record or a
 * whole memory be set back, the random bytes are others.  They are drawn for
 * each datagram, because what is kept in memory is set back with it. */
static void nonce_of(const uint8_t *header, uint8_t nonce[NONCE_BYTES])
{
    uint64_t life = fc_get64(header + LIVE_AT_LIFE);

    fc_put64(nonce, (life & 0xffffff) | fc_get64(header + LIVE_AT_NUMBER)
                                            << 24);
    memcpy(nonce + 8, header + LIVE_AT_RANDOM, RANDOM_BYTES);
}

/* ---- Sealing ------------------------------------------------------------- */

size_t live_seal(const struct live_self *self, struct live_channel *channel,
                 uint32_t to, enum live_datagram_kind kind, uint64_t echo,
                 const uint8_t *bytes, size_t size, uint8_t wire[LIVE_WIRE_MAX])
{
    uint8_t nonce[NONCE_BYTES];
    unsigned long long sealed = 0;

    assert(size <= LIVE_DATAGRAM_MAX);
    memcpy(wire, magic, sizeof magic);
    wire[LIVE_AT_FROM] = (uint8_t)self->id;
    wire[LIVE_AT_TO] = (uint8_t)to;
    wire[LIVE_AT_KIND] = (uint8_t)kind;
    wire[LIVE_AT_GENERATION] = (uint8_t)self->generation;
    fc_put64(wire + LIVE_AT_HASH, self->hash);
    fc_put64(wire + LIVE_AT_LIFE, self->life);
    fc_put64(wire + LIVE_AT_NUMBER, ++channel->sent);
    fc_put64(wire + LIVE_AT_SALT, self->salt);
    fc_put64(wire + LIVE_AT_ECHO, echo);
    randombytes_buf(wire + LIVE_AT_RANDOM, RANDOM_BYTES);
    nonce_of(wire, nonce);
    crypto_aead_xchacha20poly1305_ietf_encrypt(
        wire + LIVE_HEADER_BYTES, &sealed, bytes, size, wire, LIVE_HEADER_BYTES,
        NULL, nonce, channel->key_to);
    return LIVE_HEADER_BYTES + (size_t)sealed;
}

size_t live_seal_hello(const struct live_self *self,
                       struct live_channel *channel, uint32_t to, uint64_t echo,
                       uint8_t wire[LIVE_WIRE_MAX])
{
    uint8_t known[LIVE_KNOWN_BYTES];

    fc_put64(known, channel->life);
    fc_put64(known + 8, channel->salt);
    fc_put64(known + 16, channel->maxv);
    return live_seal(self, channel, to,
                     channel->told ? LIVE_HELLO : LIVE_ASKING, echo, known,
                     sizeof known, wire);
}

/* ---- Opening ------------------------------------------------------------- */

static bool is_odd(const struct live_self *self, const uint8_t *wire,
                   size_t size)
{
    return size < LIVE_WIRE_MIN || size > LIVE_WIRE_MAX ||
           memcmp(wire, magic, sizeof magic) != 0 || wire[LIVE_AT_KIND] == 0 ||
           wire[LIVE_AT_KIND] >= LIVE_DATAGRAM_KINDS ||
           wire[LIVE_AT_TO] != self->id ||
           wire[LIVE_AT_FROM] >= self->nodes_count ||
           wire[LIVE_AT_FROM] == self->id ||
           (wire[LIVE_AT_KIND] != LIVE_DATA &&
            size != LIVE_WIRE_MIN + LIVE_KNOWN_BYTES);
}

/* Of a datagram that was surely sent since this node started. */
static enum live_verdict judge(struct live_channel *channel,
                               const uint8_t *wire, bool *new_life)
{
    uint64_t life = fc_get64(wire + LIVE_AT_LIFE),
             salt = fc_get64(wire + LIVE_AT_SALT);
    uint64_t number = fc_get64(wire + LIVE_AT_NUMBER);

    *new_life = false;
    if (channel->salt && (life < channel->life ||
                          (life == channel->life && salt != channel->salt)))
        return LIVE_OUTLIVED;
    if (salt == 0 || number == 0)
        return LIVE_REPLAYED; /* no node ever gives them */
    if (!channel->salt || life > channel->life) {
        channel->life = life;
        channel->salt = salt;
        channel->window = (struct live_window){0};
        *new_life = true;
    }
    if (live_window_has(&channel->window, number))
        return LIVE_REPLAYED;
    live_window_take(&channel->window, number);
    return wire[LIVE_AT_KIND] == LIVE_DATA ? LIVE_GOOD : LIVE_GREETED;
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

enum live_verdict live_open(const struct live_self *self,
                            struct live_channel *channels, const uint8_t *wire,
                            size_t size, struct live_opened *opened)
{
    uint8_t nonce[NONCE_BYTES];
    unsigned long long plain = 0;
    struct live_channel *channel;
    enum live_verdict verdict;

    if (is_odd(self, wire, size))
        return LIVE_ODD;
    opened->from = wire[LIVE_AT_FROM];
    channel = &channels[opened->from];
    nonce_of(wire, nonce);
    if (crypto_aead_xchacha20poly1305_ietf_decrypt(
            opened->bytes, &plain, NULL, wire + LIVE_HEADER_BYTES,
            size - LIVE_HEADER_BYTES, wire, LIVE_HEADER_BYTES, nonce,
            channel->key_from) != 0)
        return LIVE_FORGED;
    opened->size = (size_t)plain;
    opened->salt = fc_get64(wire + LIVE_AT_SALT);
    opened->generation = wire[LIVE_AT_GENERATION];
    if (fc_get64(wire + LIVE_AT_HASH) != self->hash)
        return LIVE_FOREIGN;
    if (fc_get64(wire + LIVE_AT_ECHO) != self->salt ||
        (wire[LIVE_AT_KIND] == LIVE_DATA && !channel->told))
        return LIVE_UNPROVEN;
    verdict = judge(channel, wire, &opened->new_life);
    if (verdict == LIVE_GREETED)
        learn(channel, wire, opened);
    return verdict;
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
