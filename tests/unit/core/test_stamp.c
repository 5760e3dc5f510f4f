/*
 * test_stamp.c - messages with a number, a round and a site: what is shown,
 * what is counted, what goes over the wire, and what is refused.
 */
#include "core/stamp.h"
#include "tests/unit/kit/testing.h"

/* Kinds 1 to 7 carry every subset of the three but the empty one; kind 8 is
 * the empty one. */
static const struct fc_stamp_shape shape = {
    .kinds = 9,
    .numbered = 1u << 1 | 1u << 3 | 1u << 5 | 1u << 7,
    .rounded = 1u << 2 | 1u << 3 | 1u << 6 | 1u << 7,
    .sited = 1u << 4 | 1u << 5 | 1u << 6 | 1u << 7,
};

/* A message of this kind with all that it carries. */
static struct fc_stamp full(uint32_t kind, uint64_t number, uint32_t round,
                            uint16_t site)
{
    struct fc_stamp m = {.kind = (uint8_t)kind};

    if (kind & 1)
        m.number = number;
    if (kind & 2)
        m.round = round;
    if (kind & 4)
        m.site = site;
    return m;
}

/* In this order, and only what the kind carries. */
TEST(test_fields_are_number_round_site)
{
    for (uint32_t kind = 1; kind < 9; kind++) {
        struct fc_stamp m = full(kind, 70, 71, 72);
        uint64_t out[FC_FIELDS_MAX] = {0};
        uint32_t count = fc_stamp_fields(&shape, &m, out), at = 0;

        if (kind & 1)
            assert_true(out[at++] == 70);
        if (kind & 2)
            assert_true(out[at++] == 71);
        if (kind & 4)
            assert_true(out[at++] == 72);
        assert_int_equal(count, at);
    }
}

/* One for the kind, and binary digits; zero has one. */
TEST(test_paper_bits_are_digits)
{
    static const struct {
        uint64_t number;
        uint32_t digits;
    } cases[] = {{0, 1}, {1, 1}, {2, 2}, {255, 8}, {256, 9}, {UINT64_MAX, 64}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fc_stamp m = full(1, cases[i].number, 0, 0);

        assert_int_equal(fc_stamp_paper_bits(&shape, &m), 1 + cases[i].digits);
    }
    struct fc_stamp all = full(7, 4, 2, 1), none = full(8, 0, 0, 0);

    assert_int_equal(fc_stamp_paper_bits(&shape, &all), 1 + 3 + 2 + 1);
    assert_int_equal(fc_stamp_paper_bits(&shape, &none), 1);
}

/* Bytes in a known order: least significant first. */
TEST(test_wire_is_pinned)
{
    static const uint8_t wanted[] = {7, 8,  7,  6,  5, 4,   3, 2,
                                     1, 12, 11, 10, 9, 200, 0};
    struct fc_stamp m = full(7, UINT64_C(0x0102030405060708), 0x090a0b0c, 200);
    uint8_t wire[FC_WIRE_MAX];

    assert_int_equal(fc_stamp_pack(&shape, &m, wire), sizeof wanted);
    assert_memory_equal(wire, wanted, sizeof wanted);
}

/* There and back, at the ends of every field. */
TEST(test_pack_and_unpack)
{
    static const uint64_t numbers[] = {0, 1, UINT64_MAX};
    static const uint32_t turns[] = {0, 1, UINT32_MAX};
    static const uint16_t sites[] = {0, 1, FC_NODES_MAX - 1};

    for (uint32_t kind = 1; kind < 9; kind++)
        for (size_t i = 0; i < 27; i++) {
            struct fc_stamp m =
                full(kind, numbers[i % 3], turns[i / 3 % 3], sites[i / 9]);
            struct fc_stamp back;
            uint8_t wire[FC_WIRE_MAX];
            size_t size = fc_stamp_pack(&shape, &m, wire);

            memset(&back, 0xaa, sizeof back);
            assert_int_equal(size, fc_stamp_bytes(&shape, &m));
            assert_int_equal(fc_stamp_unpack(&shape, &back, wire, size), 0);
            assert_memory_equal(&back, &m, sizeof m);
        }
}

/* Nothing is written if it is refused. */
static void check_refused(const uint8_t *wire, size_t size)
{
    struct fc_stamp m, before;

    memset(&m, 0xaa, sizeof m);
    before = m;
    assert_int_equal(fc_stamp_unpack(&shape, &m, wire, size), -1);
    assert_memory_equal(&m, &before, sizeof m);
}

/* No kind, an unknown one, another length, a site that cannot be. */
TEST(test_what_no_node_sent_is_refused)
{
    static const uint8_t no_kind[] = {0}, unknown[] = {9}, last[] = {255};
    uint8_t wire[FC_WIRE_MAX] = {0};

    check_refused(no_kind, 0);
    check_refused(no_kind, 1);
    check_refused(unknown, 1);
    check_refused(last, 1);
    for (uint32_t kind = 1; kind < 9; kind++) {
        struct fc_stamp m = full(kind, 1, 1, 1);
        size_t right = fc_stamp_pack(&shape, &m, wire);

        for (size_t size = 0; size < 20; size++)
            if (size != right)
                check_refused(wire, size);
    }
    for (uint32_t site = FC_NODES_MAX; site <= UINT16_MAX; site += 251) {
        wire[0] = 4;
        fc_put16(wire + 1, (uint16_t)site);
        check_refused(wire, 3);
    }
}

/* Random bytes are refused, or are what packing them again gives. */
TEST(test_random_bytes)
{
    struct dice dice = {16};
    uint32_t taken = 0;

    for (uint32_t i = 0; i < rounds(100000); i++) {
        size_t size = throw_below(&dice, 17);
        uint8_t wire[FC_WIRE_MAX], again[FC_WIRE_MAX];
        struct fc_stamp m;

        for (size_t j = 0; j < size; j++)
            wire[j] = (uint8_t)throw_below(&dice, j ? 256 : 11);
        if (fc_stamp_unpack(&shape, &m, wire, size) != 0)
            continue;
        taken++;
        assert_int_equal(fc_stamp_pack(&shape, &m, again), size);
        assert_memory_equal(again, wire, size);
    }
    assert_true(taken > rounds(100000) / 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields_are_number_round_site),
        cmocka_unit_test(test_paper_bits_are_digits),
        cmocka_unit_test(test_wire_is_pinned),
        cmocka_unit_test(test_pack_and_unpack),
        cmocka_unit_test(test_what_no_node_sent_is_refused),
        cmocka_unit_test(test_random_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
