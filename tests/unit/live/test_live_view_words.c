/*
 * test_live_view_words.c - a view in words: nodes that left, joined, and that
 * are not in it.
 */
#include "live/mode/view_words.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/kit/testing.h"

static struct live_config config;
static char text[LIVE_VIEW_WORDS];

static void configure(uint32_t nodes)
{
    config = (struct live_config){.nodes_count = nodes};
    for (uint32_t x = 0; x < nodes; x++)
        snprintf(config.nodes[x].name, LIVE_NAME_MAX, "n%u", x + 1);
}

static const char *words(live_node_set members, live_node_set before,
                         live_node_set heard)
{
    const struct live_view_change change = {live_first(config.nodes_count),
                                            members, before, heard};

    return live_view_words(&config, &change, text);
}

TEST(test_a_whole_view_is_its_members)
{
    configure(3);
    assert_string_equal(words(7, 0, 7), "n1, n2, n3");
    assert_string_equal(words(7, 7, 7), "n1, n2, n3");
    assert_string_equal(words(7, 3, 7), "n1, n2, n3; joined: n3");
}

TEST(test_who_left_is_said_with_the_reason)
{
    configure(5);
    assert_string_equal(words(0x1e, 0x1f, 0x1e),
                        "n2, n3, n4, n5; left: n1; not heard: n1");
    assert_string_equal(words(0x1e, 0x1f, 0x1f),
                        "n2, n3, n4, n5; left: n1; heard, and not in it: n1");
}

/* At the first start, two of five: it is not half of a cluster. */
TEST(test_a_small_view_has_the_votes_of_a_majority)
{
    configure(5);
    assert_string_equal(words(3, 0, 7),
                        "n1, n2; heard, and not in it: n3; not heard: n4, n5; "
                        "a majority of the 5 nodes voted for it");
    configure(3);
    assert_string_equal(words(3, 0, 3), "n1, n2; not heard: n3");
}

TEST(test_a_witness_is_never_missed)
{
    configure(3);
    config.nodes[2].witness = true;
    assert_string_equal(words(3, 3, 3), "n1, n2");
    assert_string_equal(words(1, 3, 5), "n1; left: n2; not heard: n2; a "
                                        "majority of the 3 nodes voted for it");
}

TEST(test_the_longest_names_fit)
{
    configure(LIVE_NODES_MAX);
    for (uint32_t x = 0; x < LIVE_NODES_MAX; x++)
        memset(config.nodes[x].name, '0' + (int)x, LIVE_NAME_MAX - 1);
    (void)words(live_first(30), ~live_first(30), live_first(40));
    assert_non_null(strstr(text, "; not heard: XXX"));
    assert_non_null(strstr(text, "ooo; a majority"));
    assert_non_null(strstr(text, "voted for it"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_whole_view_is_its_members),
        cmocka_unit_test(test_who_left_is_said_with_the_reason),
        cmocka_unit_test(test_a_small_view_has_the_votes_of_a_majority),
        cmocka_unit_test(test_a_witness_is_never_missed),
        cmocka_unit_test(test_the_longest_names_fit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
