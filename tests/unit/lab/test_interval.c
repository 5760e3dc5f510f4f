/*
 * test_interval.c - intervals against tables, and judges that are asked about
 * what is known.
 */
#include "lab/verdict/interval.h"

#include <math.h>

#include "tests/unit/kit/test.h"

static void assert_close(double is, double wanted)
{
    if (!(fabs(is - wanted) <= 1e-7 * fabs(wanted)))
        fail_msg("%.12g is not %.12g", is, wanted);
}

/* The first two are in every book; the others were computed to 25 digits. */
TEST(test_student)
{
    static const struct {
        double error, freedom, t;
    } table[] = {
        {0.05, 1, 12.7062047362},      {0.05, 10, 2.22813885199},
        {0.001, 9, 4.78091258593},     {1e-4, 1, 6366.19767132},
        {1e-8, 1, 63661977.2368},      {1e-8, 2, 9999.999925},
        {1e-8, 19, 9.60699152369},     {1e-6, 99, 5.21716420665},
        {1e-8, 199, 5.98353749805},    {1e-8, 9999, 5.73558126659},
        {2.5e-5, 49, 4.65467824532},   {0.5, 5, 0.7266868438},
        {1e-5, 1000000, 4.4171960642},
    };

    for (size_t i = 0; i < COUNT(table); i++)
        assert_close(lab_student(table[i].error, table[i].freedom), table[i].t);
}

TEST(test_shares)
{
    static const struct {
        uint64_t hits, runs;
        double error, low, high;
    } table[] = {
        {0, 10, 0.05, 0, 0.308497107819},
        {10, 10, 0.05, 0.691502892181, 1},
        {1, 10, 0.05, 0.00252857854446, 0.445016117028},
        {5, 20, 0.05, 0.0865714691014, 0.491045871708},
        {3, 1000, 1e-8, 3.11275781514e-6, 0.0270300962395},
        {500, 1000, 1e-6, 0.422643924, 0.577356076},
        {1, 100000, 1e-4, 5.00012500292e-10, 0.000125059517603},
        {99999, 100000, 1e-4, 0.999874940482, 0.9999999995},
        {1234, 5000, 1e-8, 0.212935661892, 0.282920115026},
    };

    for (size_t i = 0; i < COUNT(table); i++) {
        struct lab_interval is =
            lab_share_interval(table[i].hits, table[i].runs, table[i].error);

        assert_close(is.low, table[i].low);
        assert_close(is.high, table[i].high);
    }
}

/* Of few runs nothing is known; and a share of none is anything. */
TEST(test_few_runs)
{
    struct lab_sample s = {39, .mean = 5, .sd = 1, .least = 4, .greatest = 6};
    struct lab_interval is = lab_mean_interval(&s, 0.05);

    assert_true(isinf(is.low));
    assert_true(isinf(is.high));
    assert_int_equal(lab_judge(LAB_EQUAL, is, 5), LAB_UNDECIDED);
    assert_int_equal(lab_judge(LAB_AT_MOST, is, 5), LAB_UNDECIDED);
    s.runs = 40;
    assert_true(isfinite(lab_mean_interval(&s, 0.05).high));
    is = lab_share_interval(0, 0, 0.05);
    assert_true(is.low == 0);
    assert_true(is.high == 1);
}

/* Equal runs: what was never seen has a probability of at most `rare`. */
TEST(test_equal_runs)
{
    struct lab_sample s = {50, .mean = 5, .least = 5, .greatest = 5};
    struct lab_interval is = lab_mean_interval(&s, 0.001);
    double rare = 1 - pow(0.0005, 0.02);

    assert_close(is.high - 5, 5 * rare);
    assert_close(5 - is.low, 5 * rare);
    s.mean = s.least = s.greatest = 0;
    assert_close(lab_mean_interval(&s, 0.001).high, rare);
}

/* Without a tail that shows, it is Student's interval; with one to the right,
 * its right end is further away: by what the skewness adds to t, in the first
 * order of 1 by the root of the runs. */
TEST(test_skewed_mean)
{
    struct lab_sample s = {.runs = 10000, .mean = 10, .sd = 100};
    double half = lab_student(0.01, 9999), skew = 4 - 0.25;
    struct lab_interval is;

    s.least = -90, s.greatest = 110;
    is = lab_mean_interval(&s, 0.01);
    assert_close(is.low, 10 - half);
    assert_close(is.high, 10 + half);
    s.greatest = 410;
    is = lab_mean_interval(&s, 0.01);
    assert_close(is.low, 10 - half);
    assert_true(
        fabs((is.high - 10 - half) / (skew * (2 * half * half + 1) / 600) - 1) <
        0.1);
    /* Extremes that are not known are not taken to be near. */
    s.least = s.greatest = NAN;
    is = lab_mean_interval(&s, 0.01);
    assert_true(is.low < 10 - 1.01 * half);
    assert_true(is.high > 10 + 1.01 * half);
}

/* Where one or two runs are all there is of a tail, the interval of the mean is
 * not narrower than that of the share. */
TEST(test_rare_runs)
{
    for (uint32_t hits = 1; hits < 4; hits++) {
        double share = hits / 200.0;
        struct lab_sample s = {200, .mean = share, .greatest = 1};

        s.sd = sqrt(share * (1 - share) * 200 / 199);
        assert_true(lab_mean_interval(&s, 1e-4).high >=
                    lab_share_interval(hits, 200, 1e-4).high);
        /* The same upside down. */
        s.mean = 1 - share;
        assert_true(lab_mean_interval(&s, 1e-4).low <=
                    lab_share_interval(200 - hits, 200, 1e-4).low);
    }
}

TEST(test_judge)
{
    static const struct {
        enum lab_relation relation;
        double low, high, bound;
        enum lab_verdict verdict;
    } cases[] = {
        {LAB_AT_MOST, 1, 2, 3, LAB_HOLDS},
        {LAB_AT_MOST, 1, 3, 3, LAB_HOLDS},
        {LAB_AT_MOST, 1, 3, 2, LAB_UNDECIDED},
        {LAB_AT_MOST, 2, 3, 2, LAB_UNDECIDED},
        {LAB_AT_MOST, 3, 4, 2, LAB_VIOLATED},
        {LAB_LESS, 1, 3, 3, LAB_UNDECIDED},
        {LAB_LESS, 3, 3, 3, LAB_VIOLATED},
        {LAB_LESS, 1, 2, 3, LAB_HOLDS},
        {LAB_AT_LEAST, 3, 4, 3, LAB_HOLDS},
        {LAB_AT_LEAST, 2, 3, 3, LAB_UNDECIDED},
        {LAB_AT_LEAST, 1, 2, 3, LAB_VIOLATED},
        {LAB_MORE, 3, 4, 3, LAB_UNDECIDED},
        {LAB_MORE, 3, 3, 3, LAB_VIOLATED},
        {LAB_MORE, 4, 5, 3, LAB_HOLDS},
        {LAB_EQUAL, 99, 101, 100, LAB_HOLDS},
        {LAB_EQUAL, 98.9, 101, 100, LAB_UNDECIDED},
        {LAB_EQUAL, 100.5, 101, 100, LAB_VIOLATED},
        {LAB_EQUAL, 98, 99, 100, LAB_VIOLATED},
        {LAB_EQUAL, 0, 0, 0, LAB_HOLDS},
        {LAB_EQUAL, 0, 0.001, 0, LAB_UNDECIDED},
        /* A third, and what a division made of it. */
        {LAB_EQUAL, 0.3333333333, 0.3333333333, 1.0 / 3, LAB_HOLDS},
        {LAB_AT_MOST, -INFINITY, INFINITY, 0, LAB_UNDECIDED},
        {LAB_AT_MOST, 1, 2, NAN, LAB_UNDECIDED},
        {LAB_EQUAL, NAN, NAN, 1, LAB_UNDECIDED},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct lab_interval is = {cases[i].low, cases[i].high};

        if (lab_judge(cases[i].relation, is, cases[i].bound) !=
            cases[i].verdict)
            fail_msg("case %zu", i);
    }
}

TEST(test_error_is_spread)
{
    assert_close(lab_error(1, 1), 0.00025);
    assert_close(lab_error(10, 4), 0.00000625);
}

/* ---- What is known ------------------------------------------------------- */

/* The numbers of runs at which a judge looks. */
static const uint32_t looks[] = {40, 120, 360};

static bool is_refused_coin(struct dice *d, double bias, double claimed)
{
    uint32_t runs = 0, hits = 0, below = (uint32_t)(bias * 0x1p32);

    for (size_t i = 0; i < COUNT(looks); i++) {
        struct lab_interval is;

        for (; runs < looks[i]; runs++)
            hits += (uint32_t)(throw_dice(d) >> 32) < below;
        is = lab_share_interval(hits, runs, lab_error(1, COUNT(looks)));
        if (lab_judge(LAB_EQUAL, is, claimed) == LAB_VIOLATED)
            return true;
    }
    return false;
}

/* However often one looks: at most once in 1000 times. */
TEST(test_coins)
{
    static const double biases[] = {0.5, 0.3, 0.01};
    uint32_t times = rounds(10000);
    struct dice d = {7};

    for (size_t b = 0; b < COUNT(biases); b++) {
        uint32_t wrongly = 0, rightly = 0;

        for (uint32_t i = 0; i < times; i++)
            wrongly += is_refused_coin(&d, biases[b], biases[b]);
        for (uint32_t i = 0; i < times / 100; i++)
            rightly += is_refused_coin(&d, biases[b], biases[b] + 0.2);
        assert_in_range(wrongly, 0, times / 1000);
        assert_int_equal(rightly, times / 100);
    }
}

/* How often one throws until it falls right, once in two or in eight times. */
static double throws_once_in_2(struct dice *d)
{
    return (double)__builtin_ctzll(throw_dice(d) | UINT64_C(1) << 63) + 1;
}

static double throws_once_in_8(struct dice *d)
{
    double thrown = 1;

    while (throw_dice(d) >> 61 != 0)
        thrown++;
    return thrown;
}

/* A coin, taken as a quantity: nothing in most runs. */
static double once_in_64(struct dice *d)
{
    return throw_dice(d) >> 58 == 0;
}

static bool is_refused_mean(struct dice *d, double (*draw)(struct dice *),
                            double claimed)
{
    struct lab_sample s = {.least = INFINITY, .greatest = 0};
    double sum = 0, squares = 0;

    for (size_t i = 0; i < COUNT(looks); i++) {
        for (; s.runs < looks[i]; s.runs++) {
            double x = draw(d);

            sum += x;
            squares += x * x;
            s.least = fmin(s.least, x);
            s.greatest = fmax(s.greatest, x);
        }
        s.mean = sum / (double)s.runs;
        s.sd = sqrt((squares - sum * s.mean) / (double)(s.runs - 1));
        if (lab_judge(LAB_EQUAL,
                      lab_mean_interval(&s, lab_error(1, COUNT(looks))),
                      claimed) == LAB_VIOLATED)
            return true;
    }
    return false;
}

/* By Student's t alone, each of them is refused much too often. */
TEST(test_skewed_means)
{
    static const struct {
        double (*draw)(struct dice *);
        double mean;
    } of[] = {
        {throws_once_in_2, 2}, {throws_once_in_8, 8}, {once_in_64, 1.0 / 64}};
    uint32_t times = rounds(10000);
    struct dice d = {11};

    for (size_t q = 0; q < COUNT(of); q++) {
        uint32_t wrongly = 0, rightly = 0;

        for (uint32_t i = 0; i < times; i++)
            wrongly += is_refused_mean(&d, of[q].draw, of[q].mean);
        for (uint32_t i = 0; i < times / 100; i++)
            rightly += is_refused_mean(&d, of[q].draw,
                                       i % 2 ? 2 * of[q].mean + 1
                                             : of[q].mean / 2 - 0.1);
        assert_in_range(wrongly, 0, times / 1000);
        assert_int_equal(rightly, times / 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_student),
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_few_runs),
        cmocka_unit_test(test_equal_runs),
        cmocka_unit_test(test_skewed_mean),
        cmocka_unit_test(test_rare_runs),
        cmocka_unit_test(test_judge),
        cmocka_unit_test(test_error_is_spread),
        cmocka_unit_test(test_coins),
        cmocka_unit_test(test_skewed_means),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
