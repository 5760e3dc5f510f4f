/*
 * test_why.c - the sentence of a failure, and whose fault it was.
 */
#include "net/why.h"

#include <errno.h>
#include <string.h>

#include "tests/unit/kit/test.h"

/* Where it happened comes before the sentence, and a list after it; whether the
 * system is to blame stays as it was. */
TEST(test_a_sentence_grows_at_both_ends)
{
    struct net_why why;

    errno = ERANGE;
    assert_false(net_refuse(&why, "of %s there are", "tree"));
    assert_false(why.system);
    net_add(&why, " %s", "a");
    net_add(&why, ", %s", "b");
    assert_false(net_where(&why, "line %d: ", 3));
    assert_string_equal(why.text, "line 3: of tree there are a, b");
    assert_false(why.system);
    assert_false(net_no_memory(&why, "the names"));
    assert_false(net_where(&why, "%s, ", "a file"));
    assert_string_equal(why.text, "a file, no memory for the names");
    assert_true(why.system);
    assert_int_equal(errno, ERANGE);
}

/* What is too long is cut; nobody needs to want the sentence. */
TEST(test_a_sentence_has_an_end)
{
    struct net_why why;
    char word[100];

    memset(word, 'x', sizeof word);
    net_refuse(&why, "%s", "");
    for (int i = 0; i < 2 * NET_WHY_SIZE / (int)sizeof word; i++)
        net_add(&why, "%.100s", word);
    net_where(&why, "here: ");
    assert_int_equal(strlen(why.text), NET_WHY_SIZE - 1);
    assert_memory_equal(why.text, "here: xxx", 9);
    assert_false(net_refuse(NULL, "%.100s", word));
    assert_false(net_where(NULL, "%.100s", word));
    net_add(NULL, "%.100s", word);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_sentence_grows_at_both_ends),
        cmocka_unit_test(test_a_sentence_has_an_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
