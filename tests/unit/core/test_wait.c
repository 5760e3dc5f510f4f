/*
 * test_wait.c - the function f of Vitanyi's election: every family, read,
 * tabulated and saturated.
 */
#include "tests/unit/kit/testing.h"

__extension__ typedef unsigned __int128 wide;

static const struct fc_world plain = {
    .nodes = 4,
    .least = 1,
    .greatest = 4,
    .bounds = {1, 1, 0, 0},
    .bounded = true,
};

static struct fc_wait wait_of(const char *text, const struct fc_world *world)
{
    struct fc_wait f;

    memset(&f, 0, sizeof f);
    assert_string_equal(fc_wait_parse(&f, text), "");
    assert_null(fc_wait_prepare(&f, world));
    return f;
}

/* ---- Numbers of any size, the slow way ----------------------------------- */

enum { LIMBS = 80 };

struct big {
    uint32_t limb[LIMBS]; /* least first */
};

static struct big big(uint64_t value)
{
    return (struct big){.limb = {(uint32_t)value, (uint32_t)(value >> 32)}};
}

/* By school; both factors are below 2^(16*LIMBS). */
static struct big big_times(const struct big *a, const struct big *b)
{
    struct big product = {{0}};

    for (uint32_t i = 0; i < LIMBS / 2; i++) {
        uint64_t carry = 0;

        for (uint32_t j = 0; j < LIMBS / 2 && a->limb[i]; j++) {
            carry += (uint64_t)a->limb[i] * b->limb[j] + product.limb[i + j];
            product.limb[i + j] = (uint32_t)carry;
            carry >>= 32;
        }
        product.limb[i + LIMBS / 2] += (uint32_t)carry;
    }
    return product;
}

static int big_compare(const struct big *a, const struct big *b)
{
    for (uint32_t i = LIMBS; i-- > 0;)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

static struct big big_power(uint64_t base, uint64_t exponent)
{
    struct big power = big(1), factor = big(base);

    for (uint64_t i = 0; i < exponent; i++)
        power = big_times(&power, &factor);
    return power;
}

/* floor(num^i / den^i) == value, told by value*den^i <= num^i. */
static bool is_quotient(uint64_t value, uint64_t num, uint64_t den, uint64_t i)
{
    struct big above = big_power(num, i), below = big_power(den, i);
    struct big low = big(value), high = big(value + 1);

    low = big_times(&low, &below);
    high = big_times(&high, &below);
    return big_compare(&low, &above) <= 0 && big_compare(&above, &high) < 0;
}

/* ---- Families ------------------------------------------------------------ */

/* The same for everybody. */
TEST(test_const)
{
    struct fc_wait one = wait_of("const:1", &plain);
    struct fc_wait most = wait_of("const:18446744073709551615", &plain);

    assert_int_equal(fc_wait(&one, 1), 1);
    assert_int_equal(fc_wait(&one, FC_NAME_MAX), 1);
    assert_true(fc_wait(&most, 1) == FC_NEVER);
}

/* r = floor(i^(h/2)) is the only r with r^2 <= i^h < (r+1)^2. */
static void check_halves(uint64_t i, uint64_t halves)
{
    uint64_t r = fc_power_of_halves(i, halves);
    struct big power = big_power(i, halves);
    struct big limit = big_power(2, 124);
    struct big low, high;

    if (r == FC_NEVER) {
        assert_true(big_compare(&power, &limit) > 0);
        return;
    }
    low = big_power(r, 2);
    high = big_power(r + 1, 2);
    assert_true(big_compare(&low, &power) <= 0);
    assert_true(big_compare(&power, &high) < 0);
}

/* Roots and powers to the last unit, for small names and large. */
TEST(test_pow_is_exact)
{
    struct dice dice = {5};

    for (uint64_t i = 1; i <= 3000; i += i < 300 ? 1 : 37)
        for (uint64_t halves = 0; halves <= 9; halves++)
            check_halves(i, halves);
    for (uint32_t round = 0; round < rounds(3000); round++)
        check_halves(1 + throw_below(&dice, FC_NAME_MAX),
                     throw_below(&dice, 7));
    /* Around whole squares rounding matters most. */
    for (uint64_t root = 2; root < 32768; root += 111) {
        check_halves(root * root - 1, 1);
        check_halves(root * root, 1);
        check_halves(root * root + 1, 3);
    }
}

/* What is below 2^62 is a number, however large the exponent. */
TEST(test_pow_saturates_late)
{
    assert_true(fc_power_of_halves(2, 122) == UINT64_C(1) << 61);
    assert_true(fc_power_of_halves(2, 200) == FC_NEVER);
    assert_true(fc_power_of_halves(FC_NAME_MAX, 4) ==
                (uint64_t)FC_NAME_MAX * FC_NAME_MAX);
    assert_true(fc_power_of_halves(FC_NAME_MAX, 5) == FC_NEVER);
    assert_true(fc_power_of_halves(1, 2000000) == 1);
    assert_true(fc_power_of_halves(3, 2000000) == FC_NEVER);
}

/* As typed: E in halves. */
TEST(test_pow_as_typed)
{
    struct fc_wait none = wait_of("pow:0", &plain);
    struct fc_wait half = wait_of("pow:0.5", &plain);
    struct fc_wait more = wait_of("pow:1.5", &plain);
    struct fc_wait cube = wait_of("pow:3", &plain);

    assert_int_equal(fc_wait(&none, 77), 1);
    assert_int_equal(fc_wait(&half, 99), 9);
    assert_int_equal(fc_wait(&half, 100), 10);
    assert_int_equal(fc_wait(&more, 4), 8);
    assert_int_equal(fc_wait(&more, 5), 11); /* 11.18 */
    assert_int_equal(fc_wait(&cube, 11), 1331);
}

/* B^i for whole B, until it does not fit. */
TEST(test_exp_of_whole_base_is_exact)
{
    static const uint64_t bases[] = {1,  2,  3,   4,    5,    7,      10,
                                     16, 99, 256, 1000, 4096, 1000000};

    for (size_t b = 0; b < COUNT(bases); b++) {
        struct fc_wait f = {.family = FC_WAIT_EXP,
                            .argument = bases[b] * FC_WAIT_SCALE};
        wide power = 1;

        assert_null(fc_wait_prepare(&f, &plain));
        for (fc_name i = 0; i < FC_WAIT_POWERS; i++) {
            assert_true(fc_wait(&f, i) ==
                        (power >> 64 ? FC_NEVER : (uint64_t)power));
            if (!(power >> 64))
                power *= bases[b];
        }
        if (bases[b] > 1)
            assert_true(fc_wait(&f, FC_NAME_MAX) == FC_NEVER);
    }
}

/* Only what does not fit is never: 1.001^1024 = 2.78 does, and is not in the
 * table, so such names are refused. */
TEST(test_exp_of_small_base_takes_small_names_only)
{
    struct fc_world small = plain, large = plain;
    struct fc_wait slow = wait_of("exp:1.001", &plain);

    small.greatest = FC_WAIT_POWERS - 1;
    large.greatest = FC_WAIT_POWERS;
    assert_null(fc_wait_prepare(&slow, &small));
    assert_true(fc_wait(&slow, FC_WAIT_POWERS - 1) == 2);
    assert_non_null(fc_wait_prepare(&slow, &large));
}

/* floor(B^i) for others, as long as 64 fractional bits tell. */
TEST(test_exp_of_broken_base_is_rounded_down)
{
    static const struct {
        const char *text;
        uint64_t num, den, last;
    } cases[] = {
        {"exp:1.5", 3, 2, 80},          {"exp:2.2", 11, 5, 40},
        {"exp:1.001", 1001, 1000, 120}, {"exp:2.999", 2999, 1000, 30},
        {"exp:1.25", 5, 4, 120},
    };

    for (size_t c = 0; c < COUNT(cases); c++) {
        struct fc_wait f = wait_of(cases[c].text, &plain);

        for (uint64_t i = 0; i <= cases[c].last; i++)
            assert_true(is_quotient(fc_wait(&f, (fc_name)i), cases[c].num,
                                    cases[c].den, i));
    }
}

/* Never smaller for a larger name, and FC_NEVER from some name on. */
TEST(test_exp_grows)
{
    static const char *const texts[] = {"exp:1.5", "exp:2", "exp:2.2",
                                        "exp:1000", "exp:1.05"};

    for (size_t t = 0; t < COUNT(texts); t++) {
        struct fc_wait f = wait_of(texts[t], &plain);

        assert_true(fc_wait(&f, 0) == 1);
        for (fc_name i = 1; i <= FC_WAIT_POWERS; i++)
            assert_true(fc_wait(&f, i) >= fc_wait(&f, i - 1));
        assert_true(fc_wait(&f, FC_WAIT_POWERS) == FC_NEVER);
    }
}

/* (2u/m)^i, u = rmax + dmax. */
TEST(test_auto_takes_its_base_from_the_bounds)
{
    static const struct {
        struct fc_bounds bounds;
        uint64_t num, den;
    } cases[] = {
        {{1, 1, 0, 0}, 2, 1},
        {{2, 3, 1, 2}, 5, 1},
        {{3, 4, 0, 1}, 10, 3},
        {{7, 7, 0, 0}, 2, 1},
        {{1000, 1001, 5, 6}, 1007, 500},
    };

    for (size_t c = 0; c < COUNT(cases); c++) {
        struct fc_world world = plain;
        struct fc_wait f;

        world.bounds = cases[c].bounds;
        f = wait_of("exp:auto", &world);
        for (uint64_t i = 0; i <= 25; i++)
            assert_true(is_quotient(fc_wait(&f, (fc_name)i), cases[c].num,
                                    cases[c].den, i));
    }
}

/* C * 2^i, saturated at the first bit that is lost. */
TEST(test_scaled)
{
    struct fc_wait one = wait_of("scaled:1", &plain);
    struct fc_wait three = wait_of("scaled:3", &plain);

    for (fc_name i = 0; i <= 63; i++)
        assert_true(fc_wait(&one, i) == UINT64_C(1) << i);
    assert_true(fc_wait(&one, 64) == FC_NEVER);
    assert_true(fc_wait(&one, FC_NAME_MAX) == FC_NEVER);
    assert_true(fc_wait(&three, 62) == UINT64_C(3) << 62);
    assert_true(fc_wait(&three, 63) == FC_NEVER);
}

/* 0 whenever a smaller name takes over, which is the only use. */
TEST(test_minimal_is_no_wait)
{
    struct fc_wait f = wait_of("minimal", &plain);

    assert_int_equal(fc_wait(&f, 1), 0);
    assert_int_equal(fc_wait(&f, FC_NAME_MAX), 0);
}

/* One number per name, from 1 on; none beyond the last. */
TEST(test_table)
{
    static const uint64_t numbers[] = {4, 0, FC_NEVER, 9};
    struct fc_world world = plain;
    struct fc_wait f = {.table = numbers, .table_count = 4};

    assert_string_equal(fc_wait_parse(&f, "table:waits.txt"), "waits.txt");
    assert_null(fc_wait_prepare(&f, &world));
    for (fc_name i = 1; i <= 4; i++)
        assert_true(fc_wait(&f, i) == numbers[i - 1]);
    assert_true(fc_wait(&f, 5) == FC_NEVER);
    world.greatest = 5;
    assert_non_null(fc_wait_prepare(&f, &world));
}

/* ---- Refusals ------------------------------------------------------------ */

/* What can be typed, and what it becomes. */
TEST(test_parse_accepts)
{
    static const struct {
        const char *text;
        enum fc_wait_family family;
        uint64_t argument;
    } cases[] = {
        {"const:1", FC_WAIT_CONST, 1},
        {"const:900", FC_WAIT_CONST, 900},
        {"scaled:1", FC_WAIT_SCALED, 1},
        {"pow:0", FC_WAIT_POW, 0},
        {"pow:0.5", FC_WAIT_POW, 500},
        {"pow:1000000", FC_WAIT_POW, 1000000000},
        {"exp:1", FC_WAIT_EXP, 1000},
        {"exp:1.001", FC_WAIT_EXP, 1001},
        {"exp:2", FC_WAIT_EXP, 2000},
        {"exp:1000000", FC_WAIT_EXP, 1000000000},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fc_wait f = {0};

        assert_string_equal(fc_wait_parse(&f, cases[i].text), "");
        assert_int_equal(f.family, cases[i].family);
        assert_true(f.argument == cases[i].argument);
    }
}

/* What cannot. */
TEST(test_parse_refuses)
{
    static const char *const texts[] = {
        "",          "const",     "const:",     "const:0",
        "const:-1",  "const:1.5", "const:x",    "const:18446744073709551616",
        "scaled:0",  "scaled:",   "scaled:0.5", "pow:",
        "pow:x",     "pow:-1",    "pow:1.2345", "pow:1000000.001",
        "exp:",      "exp:0",     "exp:0.999",  "exp:1000000.001",
        "exp:Auto",  "exp:autos", "exp:2 ",     " exp:2",
        "minimal:1", "minimally", "table:",     "2",
        "exp",       "EXP:2",     "pow:0.5.5",
    };

    for (size_t i = 0; i < COUNT(texts); i++) {
        struct fc_wait f = {0};

        assert_null(fc_wait_parse(&f, texts[i]));
    }
}

static const char *refusal(const char *text, const struct fc_world *world)
{
    struct fc_wait f = {0};

    assert_non_null(fc_wait_parse(&f, text));
    return fc_wait_prepare(&f, world);
}

/* What can be typed and cannot be used. */
TEST(test_prepare_refuses)
{
    struct fc_world unbounded = plain, huge = plain, fine = plain;

    assert_non_null(refusal("pow:0.3", &plain));
    assert_non_null(refusal("pow:1.001", &plain));
    unbounded.bounded = false;
    assert_non_null(refusal("exp:auto", &unbounded));
    assert_null(refusal("exp:2", &unbounded));
    huge.bounds.rmax = UINT64_C(1) << 32;
    assert_non_null(refusal("exp:auto", &huge));
    huge.bounds.rmax = UINT64_MAX;
    assert_non_null(refusal("exp:auto", &huge));
    fine.bounds.rmin = fine.bounds.rmax = UINT64_C(1) << 40;
    assert_null(refusal("exp:auto", &fine)); /* 2^41/2^40 is 2 */
}

/* f(i) >= 2^i, the premise of the linear bounds. */
TEST(test_doubles)
{
    static const struct {
        const char *text;
        bool doubles;
    } cases[] = {
        {"exp:2", true},    {"exp:1.999", false}, {"exp:2.001", true},
        {"exp:auto", true}, {"scaled:1", true},   {"const:99", false},
        {"minimal", false}, {"pow:9", false},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fc_wait f = wait_of(cases[i].text, &plain);

        assert_int_equal(fc_wait_doubles(&f), cases[i].doubles);
        for (fc_name name = 1; cases[i].doubles && name < 64; name++)
            assert_true(fc_wait(&f, name) >= UINT64_C(1) << name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_const),
        cmocka_unit_test(test_pow_is_exact),
        cmocka_unit_test(test_pow_saturates_late),
        cmocka_unit_test(test_pow_as_typed),
        cmocka_unit_test(test_exp_of_whole_base_is_exact),
        cmocka_unit_test(test_exp_of_small_base_takes_small_names_only),
        cmocka_unit_test(test_exp_of_broken_base_is_rounded_down),
        cmocka_unit_test(test_exp_grows),
        cmocka_unit_test(test_auto_takes_its_base_from_the_bounds),
        cmocka_unit_test(test_scaled),
        cmocka_unit_test(test_minimal_is_no_wait),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_parse_accepts),
        cmocka_unit_test(test_parse_refuses),
        cmocka_unit_test(test_prepare_refuses),
        cmocka_unit_test(test_doubles),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
