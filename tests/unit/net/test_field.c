/*
 * test_field.c - fields of states as people read them: every kind and form, on
 * a complete network, a tree and a ring without names.
 */
#include "net/field.h"

#include "net/make.h"
#include "tests/unit/kit/state_fields.h"

struct sample {
    struct fc_set set;
    uint64_t wide;
    uint64_t pair[4][4];
    uint32_t each[4], waiting[4];
    uint32_t name;
    uint16_t some, bits;
    uint8_t waits, word, flags, yes;
    int8_t below;
    uint8_t link, at;
    uint8_t unused;
    struct {
        uint32_t view;
        uint16_t heard, unused;
    } peer[4];
};

#define TURN sample

static const struct fc_field fields[] = {
    FIELD(NODES, set),
    FIELD(NUMBER, wide),
    FIELD_PAIRS(NUMBER, pair),
    FIELD_EACH(NUMBER, each),
    FIELD_QUEUE(NODE, waiting, waits),
    FIELD(NAME, name),
    FIELD(MAYBE, some),
    FIELD(NODES, bits),
    FIELD(NUMBER, waits),
    FIELD_WORD(word, "asleep", "awake"),
    FIELD_FLAGS(flags, "clean", "free", "busy"),
    FIELD(YES, yes),
    FIELD(SIGNED, below),
    FIELD(LINK, link),
    FIELD(CLOCK, at),
    FIELD_EACH_IN(NUMBER, peer, view),
    FIELD_EACH_IN(NODES, peer, heard),
};

/* Where a node is, in a network that the words describe. */
struct spot {
    struct net_made made;
    struct net_memory memory;
    struct net_names names;
    struct net_graph graph;
    struct net_place place;
};

static void open_spot(struct spot *at, const char *protocol, const char *names,
                      const char *tree, uint32_t node)
{
    struct net_words words = {
        .protocol = protocol, .nodes = "4", .names = names, .topology = tree};
    struct net_why why = {0};

    memset(at, 0, sizeof *at);
    if (!net_make(&at->made, &words, &why))
        fail_msg("%s", why.text);
    assert_int_equal(
        net_names_begin(&at->names, &at->made.net, 1, true, &at->memory), 0);
    if (tree)
        assert_int_equal(
            net_graph_begin(&at->graph, &at->made.net, 1, &at->memory), 0);
    at->place = (struct net_place){&at->made.net, &at->names, &at->graph, node};
}

static void close_spot(struct spot *at)
{
    net_memory_free(&at->memory);
    net_unmake(&at->made);
}

static const struct fc_field *find(const char *name)
{
    for (size_t i = 0; i < FC_COUNT(fields); i++)
        if (strcmp(fields[i].name, name) == 0)
            return &fields[i];
    fail_msg("there is no field %s", name);
    return NULL;
}

static void check_text(const struct spot *at, const struct sample *s,
                       const char *name, const char *text)
{
    char buffer[NET_FIELD_SIZE];
    size_t length =
        net_show_field(find(name), s, &at->place, buffer, sizeof buffer);

    assert_string_equal(buffer, text);
    assert_int_equal(length, strlen(text));
}

/* All zero bytes: nobody, nothing, no. */
TEST(test_a_zero_state)
{
    struct sample s = {.wide = 0};
    struct spot at;

    open_spot(&at, "central", NULL, NULL, 1);
    check_text(&at, &s, "set", "{}");
    check_text(&at, &s, "wide", "0");
    check_text(&at, &s, "pair", "{}");
    check_text(&at, &s, "each", "{}");
    check_text(&at, &s, "waiting", "[]");
    check_text(&at, &s, "name", "nobody");
    check_text(&at, &s, "some", "nobody");
    check_text(&at, &s, "word", "asleep");
    check_text(&at, &s, "flags", "{}");
    check_text(&at, &s, "yes", "no");
    close_spot(&at);
}

/* Nodes are counted from 0, and called from 1 on. */
TEST(test_every_kind)
{
    struct sample s = {
        .set = {{UINT64_C(5)}},
        .wide = FC_NEVER,
        .pair = {[2][1] = 7},
        .each = {0, 17, 0, 4},
        .waiting = {2, 0, 3},
        .name = 30,
        .some = 4,
        .bits = 1u << 1,
        .waits = 2,
        .word = 1,
        .flags = 6,
        .yes = 1,
        .below = -3,
        .at = 9,
        .peer = {[3] = {.view = 6, .heard = 3}},
    };
    struct spot at;

    open_spot(&at, "central", NULL, NULL, 1);
    check_text(&at, &s, "set", "{1, 3}");
    check_text(&at, &s, "wide", "never");
    check_text(&at, &s, "pair", "{3-2: 7}");
    check_text(&at, &s, "each", "{2: 17, 4: 4}");
    check_text(&at, &s, "waiting", "[3, 1]");
    check_text(&at, &s, "name", "30");
    check_text(&at, &s, "some", "4");
    check_text(&at, &s, "bits", "{2}");
    check_text(&at, &s, "word", "awake");
    check_text(&at, &s, "flags", "{free, busy}");
    check_text(&at, &s, "yes", "yes");
    check_text(&at, &s, "below", "-3");
    check_text(&at, &s, "at", "9");
    check_text(&at, &s, "peer.view", "{4: 6}");
    check_text(&at, &s, "peer.heard", "{4: {1, 2}}");
    close_spot(&at);
}

/* What no state should have is marked, and the contract suite finds it. */
TEST(test_what_has_no_word_is_marked)
{
    struct sample s = {.word = 2, .flags = 8, .some = 5, .bits = 1u << 9};
    struct spot at;

    open_spot(&at, "central", NULL, NULL, 1);
    check_text(&at, &s, "word", "?2");
    check_text(&at, &s, "flags", "{?3}");
    check_text(&at, &s, "some", "?4");
    check_text(&at, &s, "bits", "{?9}");
    close_spot(&at);
}

/* A link is the node at its other end; what is not a link, the node itself. */
TEST(test_links)
{
    struct sample s = {.link = 0};
    struct spot at;

    open_spot(&at, "tree", "4,2,1,3", "star", 2);
    check_text(&at, &s, "link", "4");
    s.link = 255;
    check_text(&at, &s, "link", "1");
    close_spot(&at);
}

/* Nodes without names are counted from 0, as in a trace. */
TEST(test_without_names)
{
    struct sample s = {.some = 4};
    struct spot at;

    open_spot(&at, "itai-rodeh", NULL, NULL, 1);
    check_text(&at, &s, "some", "3");
    close_spot(&at);
}

/* Whatever the size of the buffer, the text ends, and says that it is cut. */
TEST(test_a_small_buffer)
{
    struct sample s = {.each = {1000, 1000, 1000, 1000}};
    const char *whole = "{1: 1000, 2: 1000, 3: 1000, 4: 1000}";
    struct spot at;

    open_spot(&at, "central", NULL, NULL, 1);
    for (size_t size = 4; size <= strlen(whole) + 1; size++) {
        char buffer[64];
        size_t length;

        memset(buffer, '#', sizeof buffer);
        length = net_show_field(find("each"), &s, &at.place, buffer, size);
        assert_int_equal(length, size - 1);
        assert_int_equal(length, strlen(buffer));
        assert_int_equal(buffer[size], '#');
        if (size <= strlen(whole))
            assert_string_equal(buffer + length - 3, "...");
        else
            assert_string_equal(buffer, whole);
    }
    close_spot(&at);
}

/* A queue that grew by a 0 has changed. */
TEST(test_same)
{
    struct sample a = {.waits = 1}, b = {.waits = 2};

    assert_true(net_field_same(find("waiting"), &a, &a));
    assert_false(net_field_same(find("waiting"), &a, &b));
    assert_true(net_field_same(find("peer.view"), &a, &b));
    b.peer[3].view = 1;
    assert_false(net_field_same(find("peer.view"), &a, &b));
    assert_true(net_field_same(find("peer.heard"), &a, &b));
}

/* The table above names all of the struct but its padding. */
TEST(test_the_whole_struct_is_named)
{
    static const struct fc_protocol sample_protocol = {.name = "sample"};
    struct net_type type = {.protocol = &sample_protocol,
                            .state_size = sizeof(struct sample),
                            .state_fields = fields,
                            .state_fields_count = FC_COUNT(fields)};
    uint8_t marks[sizeof(struct sample)];
    size_t unnamed = 0;

    check_state_fields(&type, marks);
    for (size_t at = 0; at < sizeof marks; at++)
        unnamed += !marks[at];
    assert_int_equal(unnamed, 1 + 4 * 2); /* the members called unused */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_zero_state),
        cmocka_unit_test(test_every_kind),
        cmocka_unit_test(test_what_has_no_word_is_marked),
        cmocka_unit_test(test_links),
        cmocka_unit_test(test_without_names),
        cmocka_unit_test(test_a_small_buffer),
        cmocka_unit_test(test_same),
        cmocka_unit_test(test_the_whole_struct_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
