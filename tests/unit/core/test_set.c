/*
 * test_set.c - sets of sites, against an array of truths.
 */
#include "core/set.h"
#include "tests/unit/kit/testing.h"

static struct fc_set set_of(const bool has[FC_NODES_MAX])
{
    struct fc_set s = {0};

    for (uint32_t i = 0; i < FC_NODES_MAX; i++)
        if (has[i])
            fc_set_add(&s, i);
    return s;
}

static void check_same(const struct fc_set *s, const bool has[FC_NODES_MAX])
{
    uint32_t count = 0, least = FC_NODES_MAX;

    for (uint32_t i = FC_NODES_MAX; i-- > 0;) {
        assert_int_equal(fc_set_has(s, i), has[i]);
        count += has[i];
        least = has[i] ? i : least;
    }
    assert_int_equal(fc_set_count(s), count);
    assert_int_equal(fc_set_empty(s), count == 0);
    if (count > 0)
        assert_int_equal(fc_set_least(s), least);
}

/* A state of zero bytes has empty sets. */
TEST(test_zero_bytes_are_the_empty_set)
{
    const bool none[FC_NODES_MAX] = {0};
    struct fc_set s = {0};

    check_same(&s, none);
}

/* Each member by itself: the words and their ends. */
TEST(test_one_member)
{
    for (uint32_t i = 0; i < FC_NODES_MAX; i++) {
        bool has[FC_NODES_MAX] = {0};
        struct fc_set s = {0};

        has[i] = true;
        fc_set_add(&s, i);
        check_same(&s, has);
        fc_set_add(&s, i); /* again */
        check_same(&s, has);
        has[i] = false;
        fc_set_remove(&s, i);
        check_same(&s, has);
        fc_set_remove(&s, i);
        check_same(&s, has);
    }
}

/* Members come and go at random. */
TEST(test_random_members)
{
    struct dice dice = {8};
    bool has[FC_NODES_MAX] = {0};
    struct fc_set s = {0};

    for (uint32_t round = 0; round < rounds(3000); round++) {
        uint32_t i = throw_below(&dice, FC_NODES_MAX);

        has[i] = !has[i];
        if (has[i])
            fc_set_add(&s, i);
        else
            fc_set_remove(&s, i);
        check_same(&s, has);
    }
    fc_set_clear(&s);
    memset(has, 0, sizeof has);
    check_same(&s, has);
}

/* Equal sets are equal bytes, however they came about. */
TEST(test_equal_sets_are_equal_bytes)
{
    struct fc_set a = {0}, b = {0};

    for (uint32_t i = 0; i < FC_NODES_MAX; i += 3) {
        fc_set_add(&a, i);
        fc_set_add(&b, FC_NODES_MAX - 1 - i);
        fc_set_add(&b, i);
    }
    for (uint32_t i = 0; i < FC_NODES_MAX; i++)
        if (i % 3 != 0)
            fc_set_remove(&b, i);
    assert_memory_equal(&a, &b, sizeof a);
}

/* One member outside is enough, wherever it is. */
TEST(test_within)
{
    for (uint32_t i = 0; i < FC_NODES_MAX; i++) {
        bool has[FC_NODES_MAX] = {0};
        struct fc_set a, b;

        has[(i + 77) % FC_NODES_MAX] = has[(i + 200) % FC_NODES_MAX] = true;
        a = b = set_of(has);
        assert_true(fc_set_within(&a, &b));
        fc_set_add(&b, i);
        assert_true(fc_set_within(&a, &b));
        assert_false(fc_set_within(&b, &a));
        fc_set_clear(&a);
        assert_true(fc_set_within(&a, &b));
        assert_false(fc_set_within(&b, &a));
    }
}

/* All of n but one, whatever was in the set. */
TEST(test_others)
{
    static const uint32_t sizes[] = {1, 2, 63, 64, 65, 128, 200, FC_NODES_MAX};

    for (size_t k = 0; k < COUNT(sizes); k++)
        for (uint32_t me = 0; me < sizes[k]; me += 1 + sizes[k] / 7) {
            bool has[FC_NODES_MAX] = {0};
            struct fc_set s;

            memset(&s, 0xff, sizeof s);
            for (uint32_t i = 0; i < sizes[k]; i++)
                has[i] = i != me;
            fc_set_others(&s, sizes[k], me);
            check_same(&s, has);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_zero_bytes_are_the_empty_set),
        cmocka_unit_test(test_one_member),
        cmocka_unit_test(test_random_members),
        cmocka_unit_test(test_equal_sets_are_equal_bytes),
        cmocka_unit_test(test_within),
        cmocka_unit_test(test_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
