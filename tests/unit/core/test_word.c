/*
 * test_word.c - messages of one word: packed, unpacked, refused; and names in
 * dyadic digits.
 */
#include "tests/unit/kit/testing.h"

/* The messages of one protocol. */
struct codec {
    uint32_t kinds, named; /* as in FC_WORD_MESSAGES */
    size_t (*pack)(const struct fc_word *m, uint8_t wire[FC_WIRE_MAX]);
    int (*unpack)(struct fc_word *m, const uint8_t *wire, size_t size);
    uint32_t (*kind)(const struct fc_word *m);
    uint32_t (*fields)(const struct fc_word *m, uint64_t out[FC_FIELDS_MAX]);
    uint32_t (*paper_bits)(const struct fc_word *m);
    uint32_t (*wire_bytes)(const struct fc_word *m);
};

#define CODEC(P, KINDS, NAMED)                                                 \
    {                                                                          \
        KINDS, NAMED, P##_pack, P##_unpack, P##_kind, P##_fields,              \
            P##_paper_bits, P##_wire_bytes                                     \
    }

static const struct codec codecs[] = {
    CODEC(vitanyi, 4, 1u << VITANYI_M),
    CODEC(lelann, 3, 6),
    CODEC(chang_roberts, 3, 6),
    CODEC(chang_roberts_max, 3, 6),
};

static bool named(const struct codec *c, uint32_t kind)
{
    return c->named >> kind & 1u;
}

/* What goes out comes back, and has the length and bits it says. */
static void check_round_trip(const struct codec *c, uint32_t kind, fc_name name)
{
    struct fc_word m = fc_word(kind, name), back;
    uint8_t wire[FC_WIRE_MAX] = {0};
    uint64_t fields[FC_FIELDS_MAX] = {0};
    size_t size = c->pack(&m, wire);

    memset(&back, 0xff, sizeof back);
    assert_int_equal(size, named(c, kind) ? 5 : 1);
    assert_int_equal(size, c->wire_bytes(&m));
    assert_int_equal(c->unpack(&back, wire, size), 0);
    assert_memory_equal(&back, &m, sizeof m);
    assert_int_equal(c->kind(&back), kind);
    assert_int_equal(c->fields(&back, fields), named(c, kind));
    if (named(c, kind))
        assert_int_equal(fields[0], name);
    else
        assert_int_equal(c->paper_bits(&back), 1);
}

/* Every kind with every sort of name. */
TEST(test_packed_messages_come_back)
{
    struct dice dice = {1};

    for (size_t i = 0; i < COUNT(codecs); i++)
        for (uint32_t kind = 1; kind < codecs[i].kinds; kind++) {
            if (!named(&codecs[i], kind)) {
                check_round_trip(&codecs[i], kind, FC_NOBODY);
                continue;
            }
            check_round_trip(&codecs[i], kind, 1);
            check_round_trip(&codecs[i], kind, FC_NAME_MAX);
            for (fc_name bit = 1; bit <= FC_NAME_MAX; bit <<= 1)
                check_round_trip(&codecs[i], kind, bit);
            for (int n = 0; n < 1000; n++)
                check_round_trip(&codecs[i], kind,
                                 1 + throw_below(&dice, FC_NAME_MAX));
        }
}

/* Least significant byte first, on every machine. */
TEST(test_wire_is_little_endian)
{
    struct fc_word m = fc_word(VITANYI_M, 0x12345678);
    static const uint8_t expected[] = {2, 0x78, 0x56, 0x34, 0x12};
    uint8_t wire[FC_WIRE_MAX];

    assert_int_equal(vitanyi_pack(&m, wire), 5);
    assert_memory_equal(wire, expected, 5);
    assert_int_equal(fc_get32(wire + 1), 0x12345678);
}

static void check_refused(const struct codec *c, const uint8_t *wire,
                          size_t size)
{
    struct fc_word m, before;

    memset(&m, 0x5a, sizeof m);
    before = m;
    assert_int_equal(c->unpack(&m, wire, size), -1);
    assert_memory_equal(&m, &before, sizeof m);
}

/* Too short, too long, and nothing at all. */
TEST(test_wrong_lengths_are_refused)
{
    for (size_t i = 0; i < COUNT(codecs); i++)
        for (uint32_t kind = 1; kind < codecs[i].kinds; kind++)
            for (size_t size = 0; size <= 8; size++) {
                uint8_t wire[8] = {(uint8_t)kind, 1};
                struct fc_word m;

                if (size == (named(&codecs[i], kind) ? 5 : 1))
                    assert_int_equal(codecs[i].unpack(&m, wire, size), 0);
                else
                    check_refused(&codecs[i], wire, size);
            }
}

/* Kind 0 is no message, and a word has room for three kinds. */
TEST(test_unknown_kinds_are_refused)
{
    for (size_t i = 0; i < COUNT(codecs); i++)
        for (uint32_t kind = 0; kind < 256; kind++) {
            uint8_t wire[5] = {(uint8_t)kind, 1};

            if (kind > 0 && kind < codecs[i].kinds)
                continue;
            check_refused(&codecs[i], wire, 1);
            check_refused(&codecs[i], wire, 5);
        }
}

/* 0 is nobody, and names have 30 bits. */
TEST(test_impossible_names_are_refused)
{
    static const uint32_t names[] = {0, FC_NAME_MAX + 1, FC_NAME_MAX + 2,
                                     UINT32_C(1) << 31, UINT32_MAX};

    for (size_t i = 0; i < COUNT(codecs); i++)
        for (uint32_t kind = 1; kind < codecs[i].kinds; kind++)
            for (size_t n = 0; n < COUNT(names); n++) {
                uint8_t wire[5] = {(uint8_t)kind};

                if (!named(&codecs[i], kind))
                    continue;
                fc_put32(wire + 1, names[n]);
                check_refused(&codecs[i], wire, 5);
            }
}

/* A message has one form on the wire: accepted bytes are packed the same. */
TEST(test_random_bytes_are_refused_or_come_back)
{
    struct dice dice = {2};
    uint32_t accepted = 0;

    for (uint32_t round = 0; round < 100000; round++) {
        const struct codec *c = &codecs[throw_below(&dice, COUNT(codecs))];
        uint64_t random = throw_dice(&dice);
        size_t size = throw_below(&dice, 8);
        uint8_t wire[8], again[FC_WIRE_MAX];
        struct fc_word m;

        memcpy(wire, &random, sizeof wire);
        if (throw_below(&dice, 2)) /* or hardly any would be accepted */
            wire[0] &= 3;
        if (c->unpack(&m, wire, size) != 0)
            continue;
        accepted++;
        assert_int_equal(c->pack(&m, again), size);
        assert_memory_equal(again, wire, size);
    }
    assert_in_range(accepted, 1000, 99000);
}

/* ---- Dyadic digits ------------------------------------------------------- */

/* Digits 1 and 2, by repeated division. */
static uint32_t digits_of(uint32_t number)
{
    uint32_t digits = 0;

    for (; number; number = (number - 1) / 2)
        digits++;
    return digits;
}

/* 1, 2, 11, 12, 21, 22, 111, ... */
TEST(test_dyadic_digits)
{
    struct dice dice = {3};

    assert_int_equal(fc_dyadic_digits(1), 1);
    assert_int_equal(fc_dyadic_digits(2), 1);
    assert_int_equal(fc_dyadic_digits(3), 2);
    assert_int_equal(fc_dyadic_digits(6), 2);
    assert_int_equal(fc_dyadic_digits(7), 3);
    for (fc_name name = 1; name <= 1000; name++)
        assert_int_equal(fc_dyadic_digits(name), digits_of(name));
    for (int i = 0; i < 10000; i++) {
        fc_name name = 1 + throw_below(&dice, FC_NAME_MAX);

        assert_int_equal(fc_dyadic_digits(name), digits_of(name));
    }
    assert_int_equal(fc_dyadic_digits(FC_NAME_MAX), digits_of(FC_NAME_MAX));
}

/* Paper bits: the digits of the name, or one. */
TEST(test_paper_bits)
{
    struct fc_word wakeup = fc_word(VITANYI_WAKEUP, 0);
    struct fc_word m = fc_word(VITANYI_M, 1000);

    assert_int_equal(vitanyi_paper_bits(&wakeup), 1);
    assert_int_equal(vitanyi_paper_bits(&m), 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_packed_messages_come_back),
        cmocka_unit_test(test_wire_is_little_endian),
        cmocka_unit_test(test_wrong_lengths_are_refused),
        cmocka_unit_test(test_unknown_kinds_are_refused),
        cmocka_unit_test(test_impossible_names_are_refused),
        cmocka_unit_test(test_random_bytes_are_refused_or_come_back),
        cmocka_unit_test(test_dyadic_digits),
        cmocka_unit_test(test_paper_bits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
