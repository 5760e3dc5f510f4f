/*
 * test_check_tables.c - the tables of the checker: nothing lost, nothing
 * invented, and an honest word when memory ends.
 */
#include "tests/unit/kit/checking.h"

#include "check/search/components.h"
#include "check/store/intern.h"
#include "check/store/memo.h"
#include "check/store/pack.h"
#include "check/store/tree.h"

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Equal bytes have one number, others have others, and it keeps the bytes. */
TEST(test_interning_is_exact)
{
    struct check_memory memory = {.used = 0};
    struct check_intern t = {.bytes = NULL};
    char text[32];

    for (uint32_t round = 0; round < 2; round++)
        for (uint32_t i = 0; i < 5000; i++) {
            size_t length = (size_t)snprintf(text, sizeof text, "%u", i * i);

            assert_int_equal(check_intern(&t, &memory, text, length), i);
        }
    for (uint32_t i = 0; i < 5000; i++) {
        size_t size, length = (size_t)snprintf(text, sizeof text, "%u", i * i);
        const uint8_t *bytes = check_bytes(&t, i, &size);

        assert_int_equal(size, length);
        assert_memory_equal(bytes, text, size);
    }
    check_intern_free(&t, &memory);
    assert_int_equal(memory.used, 0);
}

enum { PACKED_STRINGS = 200 };

/* A string with this share of bytes that are not zero, in 256. */
static void fill(uint8_t *bytes, size_t size, uint32_t share, uint64_t *random)
{
    for (size_t i = 0; i < size; i++) {
        uint64_t dice = next_random(random);

        bytes[i] = dice % 256 < share ? (uint8_t)(dice >> 8) : 0;
    }
}

/* Whatever is packed comes out as it was, and never needs more than it may. */
TEST(test_packing_is_exact)
{
    static uint8_t bytes[2000], packed[CHECK_PACKED_MAX(2000)], again[2000 + 1];
    uint64_t random = 2463534242u;

    for (size_t size = 0; size < 2000; size += 1 + size / 16)
        for (uint32_t share = 0; share <= 256; share += 16) {
            fill(bytes, size, share, &random);
            memset(again, 0xa5, sizeof again);
            assert_true(check_pack(bytes, size, packed) <=
                        CHECK_PACKED_MAX(size));
            check_unpack(packed, again, size);
            assert_memory_equal(again, bytes, size);
            assert_int_equal(again[size], 0xa5); /* and nothing behind it */
        }
}

/* Zeros cost next to nothing, however many: also more than one run counts. */
TEST(test_zeros_are_packed_away)
{
    static uint8_t bytes[40000], packed[CHECK_PACKED_MAX(40000)], again[40000];

    assert_true(check_pack(bytes, sizeof bytes, packed) < 8);
    for (size_t at = 0; at < sizeof bytes; at += 4999) {
        memset(bytes, 0, sizeof bytes);
        bytes[at] = 1;
        assert_true(check_pack(bytes, sizeof bytes, packed) < 16);
        check_unpack(packed, again, sizeof again);
        assert_memory_equal(again, bytes, sizeof bytes);
    }
}

/* Strings of one size differ before one of them ends: that is how they are
 * put in order. */
TEST(test_no_packed_string_begins_another)
{
    static uint8_t packed[PACKED_STRINGS][CHECK_PACKED_MAX(300)];
    static uint8_t bytes[PACKED_STRINGS][300];
    size_t size[PACKED_STRINGS];
    uint64_t random = 88675123u;

    for (uint32_t i = 0; i < PACKED_STRINGS; i++) {
        fill(bytes[i], sizeof bytes[i], i % 8, &random);
        size[i] = check_pack(bytes[i], sizeof bytes[i], packed[i]);
    }
    for (uint32_t i = 0; i < PACKED_STRINGS; i++)
        for (uint32_t j = 0; j < i; j++) {
            size_t common = size[i] < size[j] ? size[i] : size[j];

            assert_int_equal(memcmp(packed[i], packed[j], common) == 0,
                             memcmp(bytes[i], bytes[j], sizeof bytes[i]) == 0);
        }
}

/* What was remembered is recalled, and nothing else. */
TEST(test_memo_recalls_what_it_was_told)
{
    struct check_memory memory = {.used = 0};
    struct check_memo memo = {.entries = NULL};

    for (uint64_t q = 0; q < 20000; q++) {
        assert_null(check_recall(&memo, q << 20 | 3));
        check_remember(&memo, &memory, q << 20 | 3, (uint32_t)(q * 7));
    }
    for (uint64_t q = 0; q < 20000; q++) {
        const uint32_t *answer = check_recall(&memo, q << 20 | 3);

        assert_non_null(answer);
        assert_int_equal(*answer, q * 7);
        assert_null(check_recall(&memo, q << 20 | 4));
    }
    check_memo_free(&memo, &memory);
    assert_int_equal(memory.used, 0);
}

enum { VECTORS = 3000 };

static void check_size(uint32_t places, uint32_t left)
{
    static uint32_t vector[VECTORS][CHECK_PLACES_MAX];
    static uint32_t number[VECTORS];
    struct check_memory memory = {.used = 0};
    struct check_tree tree;
    uint64_t random = 88172645463325252u + places;
    const uint32_t vectors = is_sanitized() ? VECTORS / 4 : VECTORS;

    assert_true(check_tree_begin(&tree, &memory, places, left));
    for (uint32_t v = 0; v < vectors; v++) {
        struct check_spread s;
        uint64_t pair;
        bool fresh;

        for (uint32_t i = 0; i < places; i++)
            s.id[i] = vector[v][i] = (uint32_t)(next_random(&random) % 3);
        check_tree_touch(&tree, &s);
        check_tree_fold(&tree, &s);
        pair = check_pair(&tree, &s);
        number[v] = check_tree_put(&tree, pair, check_pair_hash(pair), &fresh);
        for (uint32_t w = 0; w < v; w++) {
            bool same =
                memcmp(vector[v], vector[w], places * sizeof vector[v][0]) == 0;

            if (same != (number[v] == number[w]))
                fail_msg("vectors %u and %u of %u places", v, w, places);
        }
    }
    for (uint32_t v = 0; v < vectors; v++) {
        struct check_spread s;

        check_tree_load(&tree, number[v], &s);
        assert_memory_equal(s.id, vector[v], places * sizeof s.id[0]);
    }
    check_tree_free(&tree);
    assert_int_equal(memory.used, 0);
}

/* Two states have the same number if and only if they are equal. */
TEST(test_tree_is_exact)
{
    static const uint32_t sizes[] = {4, 5, 7, 9, 16, 24, 33, 65, 256};

    for (size_t i = 0; i < COUNT(sizes); i++)
        check_size(sizes[i], sizes[i] / 2);
    /* Groups of one, two and three; halves of one group beside more. */
    for (uint32_t left = 1; left < 11; left++)
        check_size(11, left);
    check_size(40, 3);
}

/* Setting one place and folding is the same as storing the whole vector. */
TEST(test_folding_what_changed_is_enough)
{
    enum { PLACES = 21 };
    struct check_memory memory = {.used = 0};
    struct check_tree tree;
    struct check_spread s, whole;
    uint64_t random = 7;

    assert_true(check_tree_begin(&tree, &memory, PLACES, 10));
    memset(&s, 0, sizeof s);
    check_tree_touch(&tree, &s);
    check_tree_fold(&tree, &s);
    for (uint32_t i = 0; i < 10000; i++) {
        uint32_t place = (uint32_t)(next_random(&random) % PLACES);

        check_set(&tree, &s, place, (uint32_t)(next_random(&random) % 4));
        check_tree_fold(&tree, &s);
        memcpy(whole.id, s.id, PLACES * sizeof s.id[0]);
        check_tree_touch(&tree, &whole);
        check_tree_fold(&tree, &whole);
        assert_int_equal(check_pair(&tree, &s), check_pair(&tree, &whole));
    }
    check_tree_free(&tree);
}

/* Beyond the limit nothing is given, and everybody can see that. */
TEST(test_memory_ends_where_it_should)
{
    struct check_memory memory = {.limit = 100000};
    struct check_intern t = {.bytes = NULL};

    for (uint64_t i = 0; i < 100000; i++)
        (void)check_intern(&t, &memory, &i, sizeof i);
    assert_true(memory.failed);
    assert_true(memory.most <= memory.limit);
    check_intern_free(&t, &memory);
    assert_int_equal(memory.used, 0);
}

/* ---- Components ---------------------------------------------------------- */

/* A graph of few states: its arcs, and the components found in it. */
struct drawing {
    struct check_components c;
    bool arc[16][16];
    bool reaches[16][16];
    uint32_t component[16], components; /* 1 + which; 0: not complete */
};

static uint32_t drawn_next(void *whom, uint32_t state, uint32_t *at)
{
    const struct drawing *d = whom;

    while (*at < d->c.states)
        if (d->arc[state][(*at)++])
            return *at - 1;
    return CHECK_NO_STATE;
}

static void drawn_complete(void *whom, const uint32_t *states, uint32_t count)
{
    struct drawing *d = whom;

    d->components++;
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(d->component[states[i]], 0);
        d->component[states[i]] = d->components;
    }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t to = 0; to < d->c.states; to++)
            assert_true(!d->arc[states[i]][to] || d->component[to]);
}

/* Two states are in one component if each reaches the other; and a component is
 * complete after all that it leads to. */
TEST(test_components_reach_each_other)
{
    uint64_t random = 88172645463325252u;

    for (uint32_t round = 0; round < 500; round++) {
        struct check_memory memory = {.used = 0};
        struct drawing d = {.c = {.memory = &memory,
                                  .states = 1 + round % 16,
                                  .next = drawn_next,
                                  .complete = drawn_complete}};
        uint32_t n = d.c.states;

        d.c.whom = &d;
        for (uint32_t i = 0; i < n * n; i++)
            d.arc[i / n][i % n] = d.reaches[i / n][i % n] =
                next_random(&random) % n < 1 + round % 3;
        for (uint32_t k = 0; k < n; k++)
            for (uint32_t i = 0; i < n * n; i++)
                d.reaches[i / n][i % n] |=
                    d.reaches[i / n][k] && d.reaches[k][i % n];
        assert_true(check_components_begin(&d.c));
        for (uint32_t i = 0; i < n; i++)
            check_components_from(&d.c, i);
        check_components_end(&d.c);
        assert_int_equal(memory.used, 0);
        for (uint32_t i = 0; i < n * n; i++)
            if (i / n != i % n)
                assert_int_equal(d.component[i / n] == d.component[i % n],
                                 d.reaches[i / n][i % n] &&
                                     d.reaches[i % n][i / n]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_interning_is_exact),
        cmocka_unit_test(test_packing_is_exact),
        cmocka_unit_test(test_zeros_are_packed_away),
        cmocka_unit_test(test_no_packed_string_begins_another),
        cmocka_unit_test(test_memo_recalls_what_it_was_told),
        cmocka_unit_test(test_tree_is_exact),
        cmocka_unit_test(test_folding_what_changed_is_enough),
        cmocka_unit_test(test_memory_ends_where_it_should),
        cmocka_unit_test(test_components_reach_each_other),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
