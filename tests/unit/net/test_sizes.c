/*
 * test_sizes.c - which messages carry a number: bytes on the wire by kind, for
 * the protocols whose messages have one size each.
 */
#include "net/type.h"
#include "tests/unit/kit/test.h"

#include <string.h>

/* By kind, which count from 1. */
static const struct {
    const char *protocol;
    size_t bytes[FC_KINDS_MAX];
} sizes[] = {
    {"bully", {0, 1, 1, 5}},
    {"tree", {0, 1, 5, 5}},
    {"central", {0, 1, 9, 1}},
    {"central-clock", {0, 1, 9, 9, 1}},
    {"lamport", {0, 9, 9, 9, 9}},
    {"ricart-agrawala", {0, 9, 1, 9}},
    {"carvalho-roucairol", {0, 9, 1, 9, 1}},
    {"maekawa", {0, 9, 9, 9, 9, 9, 9}},
    {"raymond-k", {0, 9, 5}},
    {"token-mutex", {0, 5, 13}},
    {"raymond", {0, 1, 9}},
    {"naimi-trehel", {0, 3, 9}},
};

/* A request of Ricart and Agrawala has a number, and the reply has none. */
TEST(test_messages_have_these_sizes)
{
    for (size_t i = 0; i < COUNT(sizes); i++) {
        const struct fc_protocol *p = net_protocol(sizes[i].protocol);
        const struct net_type *type = net_find(p);

        for (uint8_t kind = 1; kind < p->kinds_count; kind++) {
            uint8_t wire[FC_WIRE_MAX] = {kind, 1};
            uint64_t msg[256] = {0};
            size_t size = sizes[i].bytes[kind];

            assert_true(type->msg_size <= sizeof msg);
            assert_int_equal(type->unpack(msg, wire, size), 0);
            assert_int_equal(type->kind(msg), kind);
            assert_int_equal(type->wire_bytes(msg), size);
        }
        assert_int_equal(sizes[i].bytes[p->kinds_count], 0);
    }
}

/* A set of nodes has a bit for each node that there is room for, and no other:
 * 6 in the table of types, although the word on the wire has 16 bits. */
TEST(test_sets_have_no_foreign_nodes)
{
    const struct net_type *type = net_find(net_protocol("view-lock"));
    uint8_t propose[16] = {2}; /* ends with its members */
    uint64_t msg[256] = {0};

    assert_string_equal(type->protocol->kinds[propose[0]].name, "propose");
    assert_true(type->msg_size <= sizeof msg);
    for (uint32_t bit = 0; bit < 16; bit++) {
        propose[14] = (uint8_t)(1u << bit);
        propose[15] = (uint8_t)(1u << bit >> 8);
        assert_int_equal(type->unpack(msg, propose, sizeof propose),
                         bit < type->nodes_max ? 0 : -1);
    }
    assert_int_equal(type->nodes_max, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_messages_have_these_sizes),
        cmocka_unit_test(test_sets_have_no_foreign_nodes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
