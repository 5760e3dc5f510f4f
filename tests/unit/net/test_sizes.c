/*
 * test_sizes.c - which messages carry a number: bytes on the wire by kind, as
 * facts.txt says of protocols whose messages have one size each.
 */
#include "net/type.h"
#include "tests/unit/kit/facts.h"

#include <string.h>

/* "request 9  reply 1": each kind of message, in its order, and its bytes. */
static void check_sizes(const char *protocol, const char *fact,
                        const char *text)
{
    const struct fc_protocol *p = net_protocol(protocol);
    const struct net_type *type = net_find(p);
    char copy[256], *rest = copy;

    print_message("%s %s %s\n", protocol, fact, text);
    snprintf(copy, sizeof copy, "%s", text);
    for (uint8_t kind = 1; kind < p->kinds_count; kind++) {
        uint8_t wire[FC_WIRE_MAX] = {kind, 1};
        uint64_t msg[256] = {0};
        const char *name = strsep(&rest, " ");
        size_t size = strtoul(rest, &rest, 10);

        rest += strspn(rest, " ");
        assert_string_equal(name, p->kinds[kind].name);
        assert_true(type->msg_size <= sizeof msg);
        assert_int_equal(type->unpack(msg, wire, size), 0);
        assert_int_equal(type->kind(msg), kind);
        assert_int_equal(type->wire_bytes(msg), size);
    }
    assert_int_equal(*rest, 0);
}

/* A request of Ricart and Agrawala has a number, and the reply has none. */
TEST(test_messages_have_these_sizes)
{
    facts_each("wire", check_sizes);
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
