/*
 * test_growth.c - functions whose growth is known, exact and with noise.
 */
#include "lab/verdict/growth.h"

#include <math.h>
#include <string.h>

#include "tests/unit/kit/test.h"

static double below_constant(double x)
{
    return 5 - 2 / x;
}

static double above_constant(double x)
{
    return 3 + 1 / log(x);
}

static double below_by_log(double x)
{
    return 3 - 1 / log2(x);
}

static double steady(double x)
{
    return 2.5 + 0 * x;
}

/* As the phases of some elections do, with the binary digits of x. */
static double wavy(double x)
{
    return 4 + 0.15 * sin(7 * log(x));
}

static double logarithm(double x)
{
    return log2(x);
}

static double logarithm_and_more(double x)
{
    return 10 + 0.5 * log2(x);
}

static double root(double x)
{
    return sqrt(x);
}

static double root_and_more(double x)
{
    return 3 + sqrt(x);
}

static double small_power(double x)
{
    return pow(x, 0.1);
}

static double squared_logarithm(double x)
{
    return log2(x) * log2(x);
}

static double iterated_logarithm(double x)
{
    return log2(log2(x));
}

static double falling_power(double x)
{
    return 7 / sqrt(x);
}

static double falling_logarithm(double x)
{
    return 1 / log2(x);
}

static double harmonic_by_logarithm(double x)
{
    double sum = 0;

    for (double i = 1; i <= x; i++)
        sum += 1 / i;
    return sum / log2(x);
}

enum { POINTS_MAX = 16 };

static const double decades[] = {10, 100, 1000, 10000};
static const double octaves[] = {8,   16,   32,   64,   128, 256,
                                 512, 1024, 2048, 4096, 8192};
static const double larger[] = {100, 300, 1000, 3000, 10000, 30000, 100000};
static const double small[] = {2, 3, 4, 5, 6, 7, 8, 9};

static struct lab_growth exact_growth(double (*f)(double), const double *x,
                                      uint32_t count)
{
    struct lab_point points[POINTS_MAX];

    for (uint32_t i = 0; i < count; i++)
        points[i] = (struct lab_point){x[i], f(x[i]), f(x[i]), f(x[i])};
    return lab_growth_of(points, count, true);
}

static void assert_growth(double (*f)(double), const double *x, uint32_t count,
                          const char *wanted)
{
    struct lab_growth g = exact_growth(f, x, count);
    char words[LAB_GROWTH_SIZE];

    lab_growth_words(&g, "N", words);
    assert_string_equal(words, wanted);
}

/* The same answer wherever one looks. */
TEST(test_known_functions)
{
    static const struct {
        double (*f)(double);
        const char *words;
    } cases[] = {
        {below_constant, "constant 5"},
        {above_constant, "constant 3"},
        {below_by_log, "constant 3"},
        {steady, "constant 2.5"},
        {harmonic_by_logarithm, "constant 0.693"},
        {logarithm, "grows as 1 log2 N"},
        {logarithm_and_more, "grows as 0.5 log2 N"},
        {root, "grows as N^0.50"},
        {root_and_more, "grows as N^0.50"},
        {small_power, "grows as N^0.10"},
        {squared_logarithm, "grows at least as log N"},
        {falling_power, "falls as N^-0.50"},
        {falling_logarithm, "falls at least as 1/log N"},
        {iterated_logarithm, "unclear: it rises, and ever more slowly"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_growth(cases[i].f, decades, COUNT(decades), cases[i].words);
        assert_growth(cases[i].f, octaves, COUNT(octaves), cases[i].words);
        assert_growth(cases[i].f, larger, COUNT(larger), cases[i].words);
    }
}

/* Whether it is bounded is known even where its limit is not. */
TEST(test_bounded)
{
    struct lab_point falls[] = {{10, 13.3, 13.3, 13.3},
                                {100, 9, 9, 9},
                                {1000, 6, 7, 8},
                                {10000, 5.5, 6.5, 7.5}};
    struct lab_growth g = lab_growth_of(falls, COUNT(falls), false);

    assert_int_equal(g.kind, LAB_GROWTH_UNCLEAR);
    assert_true(g.bounded);
    assert_true(exact_growth(below_constant, decades, 4).bounded);
    assert_true(exact_growth(falling_power, decades, 4).bounded);
    assert_false(exact_growth(logarithm, decades, 4).bounded);
    assert_false(exact_growth(iterated_logarithm, decades, 4).bounded);
    /* It first falls, and then rises higher than it was. */
    falls[3] = (struct lab_point){10000, 14, 14, 14};
    assert_false(lab_growth_of(falls, COUNT(falls), false).bounded);
}

/* What goes up and down by a few per cent does not grow. */
TEST(test_waves)
{
    struct lab_growth g = exact_growth(wavy, octaves, COUNT(octaves));

    assert_int_equal(g.kind, LAB_GROWTH_CONSTANT);
    assert_true(fabs(g.constant - 4) <= 0.15);
    g = exact_growth(wavy, decades, COUNT(decades));
    assert_int_equal(g.kind, LAB_GROWTH_CONSTANT);
    assert_true(fabs(g.constant - 4) <= 0.15);
}

/* Three rises that are not one: the middle goes down. */
TEST(test_ups_and_downs)
{
    static const double high[] = {4, 6, 3, 5}, low[] = {4.0, 4.02, 4.01, 4.03};
    struct lab_point points[4];

    for (uint32_t i = 0; i < 4; i++)
        points[i] = (struct lab_point){decades[i], high[i], high[i], high[i]};
    assert_int_equal(lab_growth_of(points, 4, true).kind, LAB_GROWTH_UNCLEAR);
    for (uint32_t i = 0; i < 4; i++)
        points[i] = (struct lab_point){decades[i], low[i], low[i], low[i]};
    assert_int_equal(lab_growth_of(points, 4, true).kind, LAB_GROWTH_CONSTANT);
}

/* Exact maxima of all sizes up to 9 tell a constant from a logarithm; what was
 * drawn needs three decades. */
TEST(test_short_ranges)
{
    struct lab_point points[COUNT(small)];
    struct lab_growth g;

    assert_growth(below_constant, small, COUNT(small), "constant 5");
    assert_growth(logarithm, small, COUNT(small), "grows as 1 log2 N");
    assert_int_equal(exact_growth(root, small, COUNT(small)).kind,
                     LAB_GROWTH_POWER);
    assert_growth(squared_logarithm, small, COUNT(small),
                  "unclear: it rises, in no way that fits, on a short range");
    assert_growth(steady, small, 3, "unclear: fewer than four sizes");
    assert_growth(steady, octaves + 8, 3, "unclear: fewer than four sizes");
    assert_growth(steady, small + 4, 4,
                  "unclear: the sizes are too near to each other");
    for (size_t i = 0; i < COUNT(small); i++)
        points[i] = (struct lab_point){10 * small[i], 2, 2, 2};
    g = lab_growth_of(points, COUNT(small), false);
    assert_string_equal(g.why, "less than three decades of sizes");
    points[7].x = 19000;
    g = lab_growth_of(points, COUNT(small), false);
    assert_string_equal(g.why, "less than three decades of sizes");
    points[7].x = 20000;
    assert_int_equal(lab_growth_of(points, COUNT(small), false).kind,
                     LAB_GROWTH_CONSTANT);
    points[3].low = 0;
    g = lab_growth_of(points, COUNT(small), false);
    assert_string_equal(g.why, "a quotient is not a positive number");
}

/* A function seen through intervals that contain it. */
static struct lab_growth noisy_growth(struct dice *d, double (*f)(double),
                                      double noise)
{
    struct lab_point points[COUNT(larger)];

    for (size_t i = 0; i < COUNT(larger); i++) {
        double off = throw_below(d, 2001) / 1000.0 - 1;
        double value = f(larger[i]) * (1 + noise * off);

        points[i] = (struct lab_point){larger[i], value / (1 + noise), value,
                                       value / (1 - noise)};
    }
    return lab_growth_of(points, COUNT(larger), false);
}

static bool grows(const struct lab_growth *g)
{
    return g->kind == LAB_GROWTH_LOG || g->kind == LAB_GROWTH_POWER ||
           g->kind == LAB_GROWTH_MORE;
}

/* With noise it may be unclear, but never wrong: no bound is refused that
 * holds, and none that grows by half is believed. */
TEST(test_noise_does_not_mislead)
{
    static const double noises[] = {0.0001, 0.001, 0.01, 0.03, 0.1};
    static double (*const bounded[])(double) = {
        below_constant, above_constant, below_by_log,
        steady,         falling_power,  falling_logarithm};
    static double (*const growing[])(double) = {logarithm, root, root_and_more,
                                                small_power, squared_logarithm};
    struct dice d = {3};

    for (uint32_t i = 0; i < rounds(3000); i++) {
        double noise = noises[i % COUNT(noises)];

        for (size_t k = 0; k < COUNT(bounded); k++) {
            struct lab_growth g = noisy_growth(&d, bounded[k], noise);

            assert_false(grows(&g));
        }
        for (size_t k = 0; k < COUNT(growing); k++)
            assert_false(noisy_growth(&d, growing[k], noise).bounded);
        assert_int_not_equal(noisy_growth(&d, falling_power, noise).kind,
                             LAB_GROWTH_CONSTANT);
    }
}

/* Maxima of runs have no interval, and are no more exact for that: without one
 * they are taken to be off by some per cent. */
TEST(test_drawn_maxima)
{
    struct lab_point points[COUNT(decades)];
    struct dice d = {9};

    for (uint32_t i = 0; i < rounds(3000); i++) {
        double (*f)(double) = i % 2 ? steady : logarithm;
        struct lab_growth g;

        for (size_t k = 0; k < COUNT(decades); k++) {
            double off = throw_below(&d, 2001) / 1000.0 - 1;
            double value = f(decades[k]) * (1 + 0.029 * off);

            points[k] = (struct lab_point){decades[k], value, value, value};
        }
        g = lab_growth_of(points, COUNT(decades), false);
        assert_int_equal(grows(&g), f == logarithm);
    }
    /* They end at what was measured, and not where it leads. */
    for (size_t k = 0; k < COUNT(decades); k++) {
        double value = above_constant(decades[k]);

        points[k] = (struct lab_point){decades[k], value, value, value};
    }
    assert_true(fabs(lab_growth_of(points, 4, true).constant - 3) < 1e-6);
    assert_true(lab_growth_of(points, 4, false).constant == points[3].value);
}

/* A little noise does not hide what there is. */
TEST(test_noise_does_not_hide)
{
    struct dice d = {5};

    for (uint32_t i = 0; i < rounds(300); i++) {
        struct lab_growth g = noisy_growth(&d, below_constant, 0.01);

        assert_int_equal(g.kind, LAB_GROWTH_CONSTANT);
        assert_true(fabs(g.constant - 5) < 0.06);
        g = noisy_growth(&d, logarithm, 0.01);
        assert_true(grows(&g));
        g = noisy_growth(&d, root, 0.01);
        assert_int_equal(g.kind, LAB_GROWTH_POWER);
        assert_true(fabs(g.exponent - 0.5) < 0.03);
        g = noisy_growth(&d, falling_power, 0.01);
        assert_int_equal(g.kind, LAB_GROWTH_FALLS);
        assert_true(fabs(g.exponent + 0.5) < 0.03);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_functions),
        cmocka_unit_test(test_bounded),
        cmocka_unit_test(test_waves),
        cmocka_unit_test(test_ups_and_downs),
        cmocka_unit_test(test_short_ranges),
        cmocka_unit_test(test_noise_does_not_mislead),
        cmocka_unit_test(test_drawn_maxima),
        cmocka_unit_test(test_noise_does_not_hide),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
