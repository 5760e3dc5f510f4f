/*
 * contract_wire.h - messages survive the wire, and nothing else that comes
 * from there is taken for one.
 */
#ifndef TESTS_CONTRACT_WIRE_H
#define TESTS_CONTRACT_WIRE_H

#include "tests/unit/kit/contract_words.h"

/* Fails with a sentence about a message that is sent at this moment. */
static inline void blame_msg(const struct moment *m, const uint8_t *msg,
                             const char *sentence)
{
    struct words w = {.length = 0};

    say(&w, "%s: ", m->type->protocol->name);
    say_msg(&w, m->type, msg);
    say(&w, " %s", sentence);
    blame_with(&w, m);
}

static inline void check_kind(const struct net_type *t, const struct moment *m,
                              const uint8_t *msg, const char *whence)
{
    uint32_t kind = t->kind(msg), count = t->protocol->kinds_count;
    struct words w;

    if (kind > 0 && kind < count)
        return;
    w.length = 0;
    say(&w,
        "%s: a message %s is of kind %u, and kinds are 1 to %u (kind 0 is no "
        "message)",
        t->protocol->name, whence, kind, count - 1);
    blame_with(&w, m);
}

/* What was unpacked packs to the same bytes: so no two messages look alike. */
static inline void check_same(const struct net_type *t, const struct moment *m,
                              const uint8_t *msg, const uint8_t *wire,
                              size_t size)
{
    uint8_t again[FC_WIRE_MAX];
    struct words w;
    size_t length;

    check_kind(t, m, msg, "that P_unpack() accepts");
    length = t->pack(msg, again);
    if (length == size && memcmp(again, wire, size) == 0)
        return;
    w.length = 0;
    say(&w, "%s: P_unpack() accepts the bytes ", t->protocol->name);
    say_bytes(&w, wire, size);
    say(&w, " as ");
    say_msg(&w, t, msg);
    say(&w, ", which P_pack() writes as ");
    say_bytes(&w, again, length);
    say(&w, ": refuse what P_pack() never writes");
    blame_with(&w, m);
}

/* A message with a bit changed on the wire; as it was, if that is refused. */
static inline void forge(const struct moment *m, struct dice *dice,
                         uint8_t *forged, const uint8_t *msg)
{
    const struct net_type *t = m->type;
    uint8_t wire[FC_WIRE_MAX];
    size_t size = t->pack(msg, wire);

    memcpy(forged, msg, t->msg_size);
    wire[throw_below(dice, (uint32_t)size)] ^=
        (uint8_t)(1u << throw_below(dice, 8));
    if (t->unpack(forged, wire, size) == 0)
        check_same(t, m, forged, wire, size);
}

/* Packs and unpacks; returns the size on the wire. */
static inline size_t check_round(const struct moment *m, const uint8_t *msg,
                                 uint8_t wire[FC_WIRE_MAX + 1], uint8_t *again)
{
    const struct net_type *t = m->type;
    size_t size = t->pack(msg, wire);

    if (size != t->wire_bytes(msg))
        blame_msg(m, msg,
                  "has another length by P_wire_bytes() than P_pack() "
                  "writes");
    if (size == 0 || size > t->wire_size)
        blame_msg(m, msg, "takes more bytes than P_msg_wire says, or none");
    if (t->unpack(again, wire, size) != 0)
        blame_msg(m, msg, "is sent, packed, and then refused by P_unpack()");
    if (memcmp(again, msg, t->msg_size) != 0)
        blame_msg(m, msg,
                  "is another message when it was packed and unpacked: "
                  "a field is not packed, or an unused byte is not 0");
    return size;
}

/* `again` has room for a message. */
static inline void check_wire(const struct moment *m, const uint8_t *msg,
                              struct dice *dice, uint8_t *again)
{
    const struct net_type *t = m->type;
    uint8_t wire[FC_WIRE_MAX + 1];
    uint64_t fields[FC_FIELDS_MAX];
    uint32_t bits;
    size_t size;

    check_kind(t, m, msg, "that is sent");
    size = check_round(m, msg, wire, again);
    wire[size] = 0;
    if (t->unpack(again, wire, size - 1) != -1)
        blame_msg(m, msg, "without its last byte is accepted by P_unpack()");
    if (t->unpack(again, wire, size + 1) != -1)
        blame_msg(m, msg, "with a byte after it is accepted by P_unpack()");
    for (size_t other = 0; other < size; other++)
        if (t->unpack(again, wire, other) == 0)
            check_same(t, m, again, wire, other);
    forge(m, dice, again, msg);
    if (t->fields(msg, fields) > FC_FIELDS_MAX)
        blame_msg(m, msg, "has more numbers by P_fields() than FC_FIELDS_MAX");
    bits = t->paper_bits(msg);
    if (bits == 0 || bits > 8 * size)
        blame_msg(m, msg,
                  "has no paper bits by P_paper_bits(), or more than "
                  "on the wire");
}

#endif
