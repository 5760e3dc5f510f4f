/*
 * archimedean_wire.h - the messages of archimedean.c, which includes it: what
 * they show, what they cost, and how they are packed.
 *
 * On the wire: a byte for the kind, then eight for the number, four each for
 * the round and the epoch, one for the verdict, as far as the kind has them.
 */
#ifndef ARCHIMEDEAN_WIRE_H
#define ARCHIMEDEAN_WIRE_H

#include "protocols/archimedean.h"

/* What the kinds carry, a bit each; the epoch they all carry. */
enum {
    NUMBERED = 1u << ARCHIMEDEAN_REQ | 1u << ARCHIMEDEAN_NEG |
               1u << ARCHIMEDEAN_POS | 1u << ARCHIMEDEAN_HREP |
               1u << ARCHIMEDEAN_FRAME | 1u << ARCHIMEDEAN_READ |
               1u << ARCHIMEDEAN_HELLO_MSG,
    ROUNDED = 1u << ARCHIMEDEAN_REQ | 1u << ARCHIMEDEAN_NEG |
              1u << ARCHIMEDEAN_FRAME | 1u << ARCHIMEDEAN_READ,
    JUDGED = 1u << ARCHIMEDEAN_FRAME,
};

static inline bool carries(uint32_t which, const struct archimedean_msg *m)
{
    return which >> m->kind & 1u;
}

/* Replies of the print have none, nor has a hello that is told the number. */
static inline bool shows_number(const struct archimedean_msg *m)
{
    bool bare = m->kind == ARCHIMEDEAN_NEG || m->kind == ARCHIMEDEAN_POS ||
                m->kind == ARCHIMEDEAN_HELLO_MSG;

    return carries(NUMBERED, m) && (m->number > 0 || !bare);
}

FC_API uint32_t archimedean_kind(const struct archimedean_msg *m)
{
    return m->kind;
}

/* The number; then the round, or the verdict of a frame; then the epoch: what
 * is 0 at the end is left out. */
FC_API uint32_t archimedean_fields(const struct archimedean_msg *m,
                                   uint64_t out[FC_FIELDS_MAX])
{
    uint32_t count = 0;

    if (shows_number(m))
        out[count++] = m->number;
    if (carries(JUDGED, m))
        out[count++] = m->clear;
    else if (carries(ROUNDED, m) && (m->round || m->epoch))
        out[count++] = m->round;
    if (m->epoch)
        out[count++] = m->epoch;
    return count;
}

static inline uint32_t binary_digits(uint64_t value)
{
    return value ? 64u - (uint32_t)__builtin_clzll(value) : 1;
}

/* The paper has three kinds, and its requests carry a number and the sender;
 * that one is known by the link here. */
FC_API uint32_t archimedean_paper_bits(const struct archimedean_msg *m)
{
    return 2u + (shows_number(m) ? binary_digits(m->number) : 0) +
           (m->round ? binary_digits(m->round) : 0) +
           (m->epoch ? binary_digits(m->epoch) : 0) + carries(JUDGED, m);
}

FC_API uint32_t archimedean_wire_bytes(const struct archimedean_msg *m)
{
    return 5u + 8u * carries(NUMBERED, m) + 4u * carries(ROUNDED, m) +
           1u * carries(JUDGED, m);
}

FC_API size_t archimedean_pack(const struct archimedean_msg *m,
                               uint8_t wire[FC_WIRE_MAX])
{
    uint8_t *at = wire;

    *at++ = m->kind;
    fc_put32(at, m->epoch);
    at += 4;
    if (carries(NUMBERED, m)) {
        fc_put64(at, m->number);
        at += 8;
    }
    if (carries(ROUNDED, m)) {
        fc_put32(at, m->round);
        at += 4;
    }
    if (carries(JUDGED, m))
        *at++ = m->clear;
    return (size_t)(at - wire);
}

/* Refuses (-1) what no site can have sent. */
FC_API int archimedean_unpack_any(struct archimedean_msg *m,
                                  const uint8_t *wire, size_t size)
{
    const uint8_t *at = wire + 5;
    struct archimedean_msg got = {0};

    if (size < 5 || wire[0] == 0 || wire[0] >= ARCHIMEDEAN_RW_KINDS)
        return -1;
    got.kind = wire[0];
    got.epoch = fc_get32(wire + 1);
    if (size != archimedean_wire_bytes(&got))
        return -1;
    if (carries(NUMBERED, &got)) {
        got.number = fc_get64(at);
        at += 8;
    }
    if (carries(ROUNDED, &got)) {
        got.round = fc_get32(at);
        at += 4;
    }
    if (carries(JUDGED, &got))
        got.clear = *at;
    if (got.clear > 1)
        return -1;
    *m = got;
    return 0;
}

FC_API int archimedean_unpack(struct archimedean_msg *m, const uint8_t *wire,
                              size_t size)
{
    if (size > 0 && wire[0] == ARCHIMEDEAN_READ)
        return -1;
    return archimedean_unpack_any(m, wire, size);
}

#endif
