/*
 * stamp.h - a message that is a kind with a number, a round and a site, as far
 * as the kind carries them.
 *
 * What most protocols for mutual exclusion send.  The link it came by tells
 * which node sent it.  On the wire: one byte for the kind, then eight, four and
 * two for what it carries.
 */
#ifndef FC_STAMP_H
#define FC_STAMP_H

#include "core/fc.h"
#include "core/wire.h"

struct fc_stamp {
    uint64_t number; /* a sequence number, a clock, a token */
    uint32_t round;
    uint16_t site; /* an index */
    uint8_t kind;  /* 0: no message */
    uint8_t unused;
};
_Static_assert(sizeof(struct fc_stamp) == 16, "flat, without padding");
enum { fc_stamp_wire = 1 + 8 + 4 + 2 };

/* What the kinds of a protocol carry: a bit for each kind. */
struct fc_stamp_shape {
    uint32_t kinds; /* number of kinds, 0 included */
    uint32_t numbered, rounded, sited;
};

static inline bool fc_stamp_carries(uint32_t which, const struct fc_stamp *m)
{
    return which >> m->kind & 1u;
}

static inline uint32_t fc_stamp_fields(const struct fc_stamp_shape *shape,
                                       const struct fc_stamp *m,
                                       uint64_t out[FC_FIELDS_MAX])
{
    uint32_t count = 0;

    if (fc_stamp_carries(shape->numbered, m))
        out[count++] = m->number;
    if (fc_stamp_carries(shape->rounded, m))
        out[count++] = m->round;
    if (fc_stamp_carries(shape->sited, m))
        out[count++] = m->site;
    return count;
}

static inline uint32_t fc_stamp_bytes(const struct fc_stamp_shape *shape,
                                      const struct fc_stamp *m)
{
    return 1u + 8u * fc_stamp_carries(shape->numbered, m) +
           4u * fc_stamp_carries(shape->rounded, m) +
           2u * fc_stamp_carries(shape->sited, m);
}

/* One bit for the kind, and the digits of what it carries. */
static inline uint32_t fc_stamp_paper_bits(const struct fc_stamp_shape *shape,
                                           const struct fc_stamp *m)
{
    uint64_t fields[FC_FIELDS_MAX];
    uint32_t count = fc_stamp_fields(shape, m, fields), bits = 1;

    for (uint32_t i = 0; i < count; i++)
        bits += fc_digits(fields[i]);
    return bits;
}

static inline size_t fc_stamp_pack(const struct fc_stamp_shape *shape,
                                   const struct fc_stamp *m,
                                   uint8_t wire[fc_stamp_wire])
{
    uint8_t *at = wire;

    *at++ = m->kind;
    if (fc_stamp_carries(shape->numbered, m)) {
        fc_put64(at, m->number);
        at += 8;
    }
    if (fc_stamp_carries(shape->rounded, m)) {
        fc_put32(at, m->round);
        at += 4;
    }
    if (fc_stamp_carries(shape->sited, m)) {
        fc_put16(at, m->site);
        at += 2;
    }
    return (size_t)(at - wire);
}

/* Refuses (-1) what no node can have sent: an unknown kind, another length, a
 * site that does not exist. */
static inline int fc_stamp_unpack(const struct fc_stamp_shape *shape,
                                  struct fc_stamp *m, const uint8_t *wire,
                                  size_t size)
{
    const uint8_t *at = wire + 1;
    struct fc_stamp got = {0};

    if (size < 1 || wire[0] == 0 || wire[0] >= shape->kinds)
        return -1;
    got.kind = wire[0];
    if (size != fc_stamp_bytes(shape, &got))
        return -1;
    if (fc_stamp_carries(shape->numbered, &got)) {
        got.number = fc_get64(at);
        at += 8;
    }
    if (fc_stamp_carries(shape->rounded, &got)) {
        got.round = fc_get32(at);
        at += 4;
    }
    if (fc_stamp_carries(shape->sited, &got))
        got.site = fc_get16(at);
    if (got.site >= FC_NODES_MAX)
        return -1;
    *m = got;
    return 0;
}

/* The functions on messages that fc.h asks of a protocol P whose messages are
 * stamps of this shape. */
#define FC_STAMP_MESSAGES(P, KINDS, NUMBERED, ROUNDED, SITED)                  \
    static const struct fc_stamp_shape P##_shape = {KINDS, NUMBERED, ROUNDED,  \
                                                    SITED};                    \
    FC_KIND(P)                                                                 \
    FC_API uint32_t P##_fields(const struct fc_stamp *m,                       \
                               uint64_t out[FC_FIELDS_MAX])                    \
    {                                                                          \
        return fc_stamp_fields(&P##_shape, m, out);                            \
    }                                                                          \
    FC_API uint32_t P##_paper_bits(const struct fc_stamp *m)                   \
    {                                                                          \
        return fc_stamp_paper_bits(&P##_shape, m);                             \
    }                                                                          \
    FC_API uint32_t P##_wire_bytes(const struct fc_stamp *m)                   \
    {                                                                          \
        return fc_stamp_bytes(&P##_shape, m);                                  \
    }                                                                          \
    FC_API size_t P##_pack(const struct fc_stamp *m, uint8_t wire[P##_wire])   \
    {                                                                          \
        return fc_stamp_pack(&P##_shape, m, wire);                             \
    }                                                                          \
    FC_API int P##_unpack(struct fc_stamp *m, const uint8_t *wire,             \
                          size_t size)                                         \
    {                                                                          \
        return fc_stamp_unpack(&P##_shape, m, wire, size);                     \
    }

/* P_relabel_msg() of such a protocol.  A message that carries no site has site
 * 0 there, which stays. */
#define FC_STAMP_RELABELS(P)                                                   \
    FC_API void P##_relabel_msg(struct fc_stamp *m, const uint16_t *to,        \
                                uint32_t nodes FC_UNUSED)                      \
    {                                                                          \
        m->site = to[m->site];                                                 \
    }

#endif
