/*
 * word.h - a message that is a kind and perhaps a name, in one 32-bit word.
 *
 * That is all the ring elections send.  On the wire: one byte for the kind, and
 * four for the name if the kind carries one.
 */
#ifndef FC_WORD_H
#define FC_WORD_H

#include "core/fc.h"
#include "core/wire.h"

/* No bit-fields: compilers write one as a byte and then read the word that it
 * is in, and the processor stalls, twice per message. */
struct fc_word {
    uint32_t bits; /* the name above, the kind below; kind 0: no message */
};
_Static_assert(sizeof(struct fc_word) == 4, "a word has no padding");

enum {
    FC_WORD_KIND_BITS = 2,
    FC_WORD_BARE = 1, /* bytes on the wire */
    FC_WORD_NAMED = 5,
    fc_word_wire = FC_WORD_NAMED,
};
_Static_assert((int)FC_WORD_KIND_BITS + (int)FC_NAME_BITS == 32,
               "kind and name fill it");

static inline struct fc_word fc_word(uint32_t kind, fc_name name)
{
    return (struct fc_word){.bits = name << FC_WORD_KIND_BITS | (kind & 3u)};
}

static inline uint32_t fc_word_kind(struct fc_word m)
{
    return m.bits & 3u;
}

static inline fc_name fc_word_name(struct fc_word m)
{
    return m.bits >> FC_WORD_KIND_BITS;
}

static inline size_t fc_word_pack(struct fc_word m, bool named,
                                  uint8_t wire[fc_word_wire])
{
    wire[0] = (uint8_t)fc_word_kind(m);
    if (!named)
        return FC_WORD_BARE;
    fc_put32(wire + 1, fc_word_name(m));
    return FC_WORD_NAMED;
}

/* Refuses (-1) what no node can have sent: an unknown kind, another length, a
 * name out of range. */
static inline int fc_word_unpack(struct fc_word *m, uint32_t kinds,
                                 uint32_t named, const uint8_t *wire,
                                 size_t size)
{
    uint32_t kind, name = FC_NOBODY;

    if (size < FC_WORD_BARE || wire[0] == 0 || wire[0] >= kinds)
        return -1;
    kind = wire[0];
    if (named & 1u << kind) {
        if (size != FC_WORD_NAMED)
            return -1;
        name = fc_get32(wire + 1);
        if (name == FC_NOBODY || name > FC_NAME_MAX)
            return -1;
    } else if (size != FC_WORD_BARE) {
        return -1;
    }
    *m = fc_word(kind, name);
    return 0;
}

/*
 * The functions on messages that fc.h asks of a protocol P whose messages are
 * words: KINDS counts the kinds with kind 0, NAMED has a bit for each kind
 * that carries a name.  A message without a name costs one paper bit.
 */
#define FC_WORD_MESSAGES(P, KINDS, NAMED)                                      \
    _Static_assert((int)(KINDS) <= 1 << FC_WORD_KIND_BITS,                     \
                   "a word has room for the kinds 1 to 3");                    \
    FC_API uint32_t P##_kind(const struct fc_word *m)                          \
    {                                                                          \
        return fc_word_kind(*m);                                               \
    }                                                                          \
    FC_API uint32_t P##_fields(const struct fc_word *m,                        \
                               uint64_t out[FC_FIELDS_MAX])                    \
    {                                                                          \
        out[0] = fc_word_name(*m);                                             \
        return (NAMED) >> fc_word_kind(*m) & 1u;                               \
    }                                                                          \
    FC_API uint32_t P##_paper_bits(const struct fc_word *m)                    \
    {                                                                          \
        return (NAMED) >> fc_word_kind(*m) & 1u                                \
                   ? fc_dyadic_digits(fc_word_name(*m))                        \
                   : 1;                                                        \
    }                                                                          \
    FC_API uint32_t P##_wire_bytes(const struct fc_word *m)                    \
    {                                                                          \
        return (NAMED) >> fc_word_kind(*m) & 1u ? FC_WORD_NAMED                \
                                                : FC_WORD_BARE;                \
    }                                                                          \
    FC_API size_t P##_pack(const struct fc_word *m, uint8_t wire[P##_wire])    \
    {                                                                          \
        return fc_word_pack(*m, (NAMED) >> fc_word_kind(*m) & 1u, wire);       \
    }                                                                          \
    FC_API int P##_unpack(struct fc_word *m, const uint8_t *wire, size_t size) \
    {                                                                          \
        return fc_word_unpack(m, (KINDS), (NAMED), wire, size);                \
    }

#endif
