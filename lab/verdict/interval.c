/*
 * interval.c - see interval.h.
 */
#include "lab/verdict/interval.h"

#include <assert.h>
#include <math.h>

/* ---- The beta distribution ----------------------------------------------- */

/* A beta distribution, and a point in it as the logarithm of its odds: so that
 * points near 0 and near 1 are equally exact. */
struct beta {
    double a, b;
    double constant; /* log of the integral of x^(a-1) (1-x)^(b-1) */
};

static struct beta beta_of(double a, double b)
{
    int sign;

    return (struct beta){
        a, b, lgamma_r(a, &sign) + lgamma_r(b, &sign) - lgamma_r(a + b, &sign)};
}

/* log of x and of 1-x, from the odds. */
static double log_x(double odds)
{
    return odds < 0 ? odds - log1p(exp(odds)) : -log1p(exp(-odds));
}

/* log of x^a (1-x)^b, over the constant: the density in the odds. */
static double log_density(const struct beta *d, double odds)
{
    return d->a * log_x(odds) + d->b * log_x(-odds) - d->constant;
}

/* The continued fraction of the incomplete beta function by Lentz's method
 * (Abramowitz and Stegun 26.5.8).  It converges fast for x < (a+1)/(a+b+2). */
static double fraction(double a, double b, double x)
{
    enum { STEPS = 100000 };
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1), f;

    d = 1 / (fabs(d) < tiny ? tiny : d);
    f = d;
    for (int m = 1; m < STEPS; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd =
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        double factor = 1;

        for (int part = 0; part < 2; part++) {
            double term = part == 0 ? even : odd;

            d = 1 + term * d;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = 1 + term / c;
            c = fabs(c) < tiny ? tiny : c;
            factor *= c * d;
        }
        f *= factor;
        if (fabs(factor - 1) < 1e-15)
            break;
    }
    return f;
}

/* log of the probability of what lies below. */
static double log_below(const struct beta *d, double odds)
{
    double x = exp(log_x(odds)), y = exp(log_x(-odds));
    double density = log_density(d, odds);

    if (x < (d->a + 1) / (d->a + d->b + 2))
        return density - log(d->a) + log(fraction(d->a, d->b, x));
    return log1p(-exp(density - log(d->b)) * fraction(d->b, d->a, y));
}

/* The odds of the point below which a given probability lies.
 *
 * The logarithm of the probability is concave in the odds, because the
 * logarithm of the density is.  So Newton's method, from a point that is too
 * far left, climbs to the solution and never oversteps it; and the tangent at
 * minus infinity gives such a point. */
static double odds_below(const struct beta *d, double probability)
{
    enum { STEPS = 1000 };
    double aim = log(probability);
    double odds = (aim + log(d->a) + d->constant) / d->a;

    for (int i = 0; i < STEPS; i++) {
        double now = log_below(d, odds);
        double step = (aim - now) / exp(log_density(d, odds) - now);

        odds += step;
        if (fabs(step) <= 1e-13 * fmax(1, fabs(odds)))
            break;
    }
    return odds;
}

/* ---- Intervals ----------------------------------------------------------- */

double lab_error(uint64_t cells, uint64_t looks)
{
    assert(cells > 0);
    assert(looks > 0);
    return 1 / LAB_CLAIM_ONCE_IN / ((double)cells * (double)looks);
}

/* v/(v + t^2) has a beta distribution: t^2/v is the inverse of its odds. */
double lab_student(double error, double freedom)
{
    struct beta d = beta_of(freedom / 2, 0.5);

    assert(error > 0);
    assert(error < 1);
    return sqrt(freedom * exp(-odds_below(&d, error)));
}

/* The greatest skewness of numbers that reach `reach` standard deviations to
 * one side of their mean: two numbers, one of them there, have it. */
static double skew_most(double reach)
{
    const double exponential = 2;

    if (isnan(reach))
        return exponential;
    return reach > 1 ? reach - 1 / reach : 0;
}

/* How far beyond the mean an end lies, in standard deviations, if the numbers
 * have a long tail to that side.  A sample that missed its tail has too small a
 * mean and too small a deviation at once; P. Hall's transformation (Journal of
 * the Royal Statistical Society B 54, 1992) takes the skewness out of t. */
static double reach_with_tail(double reach, double skew, double runs)
{
    if (skew < 1e-6)
        return reach;
    return fmax(reach,
                3 / skew * (1 - cbrt(1 - skew * (reach + skew / (6 * runs)))));
}

/* The greatest mean of numbers between 0 and 1 of which such a sample, or one
 * further off, is as rare as half the error says: Chernoff's bound in the form
 * of Hoeffding (1963), which needs nothing but the range. */
static double mean_in_range(double sample, double runs, double error)
{
    double most = log(2 / error) / runs, low = sample, high = 1;

    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        double rare = (sample > 0 ? sample * log(sample / middle) : 0) +
                      (1 - sample) * log((1 - sample) / (1 - middle));

        if (rare < most)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* From the mean to the end of its interval; `near` and `far` are the extremes
 * of the sample, as distances from the mean, the far one on the side of the
 * end. */
static double mean_to_end(const struct lab_sample *s, double near, double far,
                          double error)
{
    double runs = (double)s->runs, skew = skew_most(far / s->sd);
    double reach = lab_student(error, runs - 1) / sqrt(runs);
    double range = near + far;

    /* A transformation that is large rests on one or two runs: the range
     * promises more. */
    if (skew * reach > 1 && range > 0)
        return fmax(s->sd * reach,
                    range * mean_in_range(near / range, runs, error) - near);
    return s->sd * reach_with_tail(reach, skew, runs);
}

struct lab_interval lab_mean_interval(const struct lab_sample *s, double error)
{
    double below = s->mean - s->least, above = s->greatest - s->mean, unseen;

    if (s->runs < LAB_RUNS_LEAST)
        return (struct lab_interval){-INFINITY, INFINITY};
    if (s->sd > 0)
        return (struct lab_interval){
            s->mean - mean_to_end(s, above, below, error),
            s->mean + mean_to_end(s, below, above, error),
        };
    unseen = fmax(1, fabs(s->mean)) * mean_in_range(0, (double)s->runs, error);
    return (struct lab_interval){s->mean - unseen, s->mean + unseen};
}

/* The least share for which `hits` hits or more are as rare as half the error
 * says. */
static double least_share(uint64_t hits, uint64_t runs, double error)
{
    struct beta d = beta_of((double)hits, (double)(runs - hits) + 1);

    return exp(log_x(odds_below(&d, error / 2)));
}

/* The greatest share of hits is what the least share of misses leaves; it is
 * computed from the odds, which loses nothing if it is small. */
static double greatest_share(uint64_t hits, uint64_t runs, double error)
{
    struct beta d = beta_of((double)(runs - hits), (double)hits + 1);

    return exp(log_x(-odds_below(&d, error / 2)));
}

struct lab_interval lab_share_interval(uint64_t hits, uint64_t runs,
                                       double error)
{
    assert(hits <= runs);
    return (struct lab_interval){
        hits == 0 ? 0 : least_share(hits, runs, error),
        hits == runs ? 1 : greatest_share(hits, runs, error),
    };
}

/* ---- Judging ------------------------------------------------------------- */

/* -1, 0 or 1. */
static int order(double a, double b)
{
    if (a == b || (isfinite(a) && isfinite(b) &&
                   fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b))))
        return 0;
    return a < b ? -1 : 1;
}

static enum lab_verdict judge_equal(struct lab_interval is, double bound)
{
    if (order(is.high, bound) < 0 || order(is.low, bound) > 0)
        return LAB_VIOLATED;
    return order(is.high - is.low, LAB_EQUAL_PART * fabs(bound)) <= 0
               ? LAB_HOLDS
               : LAB_UNDECIDED;
}

enum lab_verdict lab_judge(enum lab_relation relation, struct lab_interval is,
                           double bound)
{
    int low = order(is.low, bound), high = order(is.high, bound);
    bool holds, violated;

    /* What has no value decides nothing. */
    if (isnan(is.low) || isnan(is.high) || isnan(bound))
        return LAB_UNDECIDED;
    switch (relation) {
    case LAB_LESS:
        holds = high < 0, violated = low >= 0;
        break;
    case LAB_AT_MOST:
        holds = high <= 0, violated = low > 0;
        break;
    case LAB_AT_LEAST:
        holds = low >= 0, violated = high < 0;
        break;
    case LAB_MORE:
        holds = low > 0, violated = high <= 0;
        break;
    case LAB_EQUAL:
    default:
        return judge_equal(is, bound);
    }
    return holds ? LAB_HOLDS : violated ? LAB_VIOLATED : LAB_UNDECIDED;
}
