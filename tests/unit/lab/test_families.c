/*
 * test_families.c - families of networks: the file, and what its formulas make.
 */
#include "lab/search/families.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/kit/test.h"

static void read_all(struct lab_families *f, const char *text)
{
    struct net_why why = {0};

    if (!lab_families_read(f, text, &why))
        fail_msg("%s", why.text);
}

static const struct lab_family *find(const struct lab_families *f,
                                     const char *name)
{
    for (uint32_t i = 0; i < f->count; i++)
        if (strcmp(f->family[i].name, name) == 0)
            return &f->family[i];
    fail_msg("no family %s", name);
    return NULL;
}

/* N, with room for one more. */
static void place(const struct lab_family *f, uint32_t n, uint32_t *out)
{
    struct lab_letter letters[4] = {{"N", lab_whole(n)},
                                    {"gamma", lab_whole(1)}};
    struct net_why why = {0};

    if (!lab_family_place(f, letters, n, out, &why))
        fail_msg("%s", why.text);
}

/* protocols/election/vitanyi/worst-names.awk once more: its names less 1. */
static void hard_names(uint32_t n, uint32_t *at)
{
    bool *used = calloc(n + 1, sizeof *used);
    uint32_t largest = n;

    for (uint32_t p = 0; p < n; p++)
        at[p] = 0;
    at[0] = 1;
    for (uint32_t i = 2; i <= n && i < 31; i++) {
        uint32_t places =
                     (uint32_t)(3.0 * n / ((double)(UINT32_C(1) << i) + 1) +
                                0.5),
                 p;

        if (places < 1)
            break;
        for (p = n - places; p < n && at[p]; p++)
            ;
        if (p >= n)
            break;
        at[p] = i;
        used[i] = true;
    }
    for (uint32_t p = 0; p < n; p++)
        if (!at[p]) {
            while (used[largest])
                largest--;
            at[p] = largest--;
        }
    for (uint32_t p = 0; p < n; p++)
        at[p]--;
    free(used);
}

TEST(test_home_together_is_the_script)
{
    struct lab_families f;
    uint32_t ours[300], theirs[300];

    read_all(&f, lab_families_text);
    for (uint32_t n = 2; n <= 300; n += n < 40 ? 1 : 37) {
        place(find(&f, "home-together"), n, ours);
        hard_names(n, theirs);
        assert_memory_equal(ours, theirs, n * sizeof *ours);
    }
    lab_families_free(&f);
}

/* Whatever the formulas are, the result is a permutation. */
TEST(test_families_place_every_name_once)
{
    struct lab_families f;
    uint32_t at[40];

    read_all(&f, lab_families_text);
    assert_true(f.count >= 5);
    for (uint32_t i = 0; i < f.count; i++)
        for (uint32_t n = 2; n <= COUNT(at); n++) {
            struct lab_letter letters[8] = {
                {"N", lab_whole(n)},    {"gamma", lab_quotient(1, 2)},
                {"rmin", lab_whole(2)}, {"rmax", lab_whole(4)},
                {"dmin", lab_whole(0)}, {"dmax", lab_whole(3)},
            };
            uint64_t seen = 0;
            struct net_why why = {0};
            int64_t value;

            if (!lab_family_place(&f.family[i], letters, n, at, &why))
                fail_msg("%s", why.text);
            for (uint32_t p = 0; p < n; p++)
                seen |= UINT64_C(1) << at[p];
            assert_true(seen == (UINT64_C(1) << n) - 1);
            for (int which = LAB_WAKE; which < LAB_FORMULAS; which++)
                assert_true(lab_family_value(&f.family[i],
                                             (enum lab_formula)which, letters,
                                             n - 1, 7, &value, &why));
        }
    lab_families_free(&f);
}

TEST(test_orders)
{
    static const struct {
        const char *text;
        uint32_t at[4];
    } cases[] = {
        {"[a]\norder = i\n", {0, 1, 2, 3}},
        {"[a]\norder = -i # down\n", {3, 2, 1, 0}},
        {"[a]\norder = mirror(i)", {0, 2, 1, 3}},
        {"[a]\norder = 0", {0, 1, 2, 3}},
        {"[a]\nplace = 2", {2, 3, 0, 1}},         /* the next that is free */
        {"[a]\nplace = 2*j - 5\n", {0, 1, 2, 3}}, /* not before the first */
        {"[a]\nplace = 4 - j\norder = -i", {3, 2, 1, 0}},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct lab_families f;
        uint32_t at[4];

        read_all(&f, cases[i].text);
        place(find(&f, "a"), 4, at);
        assert_memory_equal(at, cases[i].at, sizeof at);
        lab_families_free(&f);
    }
}

TEST(test_values)
{
    struct lab_families f;
    struct lab_letter letters[4] = {{"N", lab_whole(4)}};
    struct net_why why = {0};
    int64_t value;

    read_all(&f, "[a]\nwake = if(i = 1, 0, -1)\n[values]\nk = 1 2\n");
    assert_int_equal(f.count, 1);
    assert_int_equal(f.values_count, 1);
    assert_string_equal(f.values[0].key, "k");
    assert_string_equal(f.values[0].list, "1 2");
    assert_true(
        lab_family_value(&f.family[0], LAB_WAKE, letters, 1, 9, &value, &why));
    assert_int_equal(value, 0);
    assert_true(
        lab_family_value(&f.family[0], LAB_WAKE, letters, 2, 9, &value, &why));
    assert_int_equal(value, -1);
    assert_true(
        lab_family_value(&f.family[0], LAB_STEP, letters, 2, 9, &value, &why));
    assert_int_equal(value, 9);
    lab_families_free(&f);
}

TEST(test_what_is_refused)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"order = i", "line 1: a [name] must come before order"},
        {"[a\n", "line 1: a section is written [name]"},
        {"[a]\n\norder i", "line 3: write KEY = VALUE"},
        {"[a]\nnames = i", "line 2: there are place, order"},
    };
    struct lab_letter letters[3] = {{"N", lab_whole(3)}};
    struct net_why why = {0};
    struct lab_families f;
    uint32_t at[3];

    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_false(lab_families_read(&f, cases[i].text, &why));
        if (!strstr(why.text, cases[i].says))
            fail_msg("%s: %s", cases[i].text, why.text);
        lab_families_free(&f);
    }
    read_all(&f, "[a]\norder = i/0\n");
    assert_false(lab_family_place(&f.family[0], letters, 3, at, &why));
    assert_string_equal(why.text, "a, order: a division by 0");
    lab_families_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_home_together_is_the_script),
        cmocka_unit_test(test_families_place_every_name_once),
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_what_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
