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
    {"lamport", {0, 9, 9, 9}},
    {"ricart-agrawala", {0, 9, 1}},
    {"carvalho-roucairol", {0, 9, 1}},
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_messages_have_these_sizes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
