/*
 * growth.c - see growth.h.
 */
#include "lab/verdict/growth.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

#include "lab/verdict/interval.h"

/* Some of the points, and their numbers: the quotients, or the reciprocals of
 * the quotients. */
struct view {
    const struct lab_point *points;
    uint32_t count;
    bool exact;
    bool reciprocal;
};

/* How much is added per decade, around a place. */
struct slope {
    double low, value, high;
    double place; /* log10 x */
};

static struct lab_point point_of(const struct view *v, uint32_t i)
{
    struct lab_point p = v->points[i];

    if (!v->exact && p.low >= p.high) {
        p.low = (1 - LAB_DRAWN_PART) * p.value;
        p.high = (1 + LAB_DRAWN_PART) * p.value;
    }
    if (v->reciprocal)
        p = (struct lab_point){p.x, 1 / p.high, 1 / p.value, 1 / p.low};
    p.x = log10(p.x);
    return p;
}

/* The straight line through some points, by least squares.  Each end of the
 * slope's interval has every point at the end that makes it so. */
static struct slope slope_of(const struct view *v, uint32_t first,
                             uint32_t last)
{
    struct slope s = {0};
    double squares = 0, count = last - first + 1;

    for (uint32_t i = first; i <= last; i++)
        s.place += point_of(v, i).x / count;
    for (uint32_t i = first; i <= last; i++)
        squares += pow(point_of(v, i).x - s.place, 2);
    for (uint32_t i = first; i <= last; i++) {
        struct lab_point p = point_of(v, i);
        double weight = (p.x - s.place) / squares;

        s.value += weight * p.value;
        s.low += weight * (weight > 0 ? p.low : p.high);
        s.high += weight * (weight > 0 ? p.high : p.low);
    }
    return s;
}

/* The slopes of the lower, the middle and the upper third; each has at least
 * two points that differ in x. */
struct thirds {
    struct slope lower, middle, upper;
};

static struct thirds thirds_of(const struct view *v)
{
    uint32_t last = v->count - 1, a = 0, b = last;
    double from = point_of(v, 0).x, to = point_of(v, last).x;
    double part = (to - from) / 3 * (1 + 1e-9);

    while (point_of(v, a + 1).x <= from + part || point_of(v, a).x <= from)
        a++;
    while (point_of(v, b - 1).x >= to - part || point_of(v, b).x >= to)
        b--;
    return (struct thirds){
        slope_of(v, 0, a),
        a < b ? slope_of(v, a, b) : slope_of(v, 0, last),
        slope_of(v, b, last),
    };
}

/* The greatest change from some point on, as a part of the greatest value: what
 * there may be, or what was measured. */
static double change_of(const struct view *v, uint32_t first, bool may)
{
    double least = INFINITY, greatest = -INFINITY;

    for (uint32_t i = first; i < v->count; i++) {
        struct lab_point p = point_of(v, i);

        least = fmin(least, may ? p.low : p.value);
        greatest = fmax(greatest, may ? p.high : p.value);
    }
    return (greatest - least) / greatest;
}

static bool has_decades(const struct lab_point *points, uint32_t count)
{
    return points[count - 1].x / points[0].x >= 1000 * (1 - 1e-9);
}

static struct lab_growth unclear(const char *why)
{
    return (struct lab_growth){.why = why};
}

/* ---- What a rise is ------------------------------------------------------ */

/* The logarithm of the quotient of the slopes, upper by lower; an end is
 * infinite where a slope may vanish. */
static struct lab_interval turn_of(const struct thirds *t)
{
    double low = t->upper.low / t->lower.high;
    double high = t->upper.high / t->lower.low;

    return (struct lab_interval){
        t->upper.low > 0 && t->lower.high > 0 ? log10(low) : -INFINITY,
        t->lower.low <= 0   ? INFINITY
        : t->upper.high > 0 ? log10(high)
                            : -INFINITY,
    };
}

/* What makes a bend of a turn. */
static double decades_of(const struct thirds *t)
{
    return t->upper.place - t->lower.place;
}

static double bend_of(const struct thirds *t)
{
    return log10(t->upper.value / t->lower.value) / decades_of(t);
}

/* Turns below this one belong to what has a limit. */
static double limit_turn(const struct thirds *t)
{
    return fmax(LAB_SLOWS_DOWN * log10(t->upper.place / t->lower.place),
                LAB_BEND_LIMIT * decades_of(t));
}

/* On doubly logarithmic paper a power is straight, or bends upwards if a
 * constant is added to it; powers of log x bend downwards. */
static bool is_power(const struct view *v)
{
    struct lab_point p[4] = {point_of(v, 0), point_of(v, 1),
                             point_of(v, v->count - 2),
                             point_of(v, v->count - 1)};

    return p[0].value > 0 &&
           log10(p[3].value / p[2].value) / (p[3].x - p[2].x) >
               0.8 * log10(p[1].value / p[0].value) / (p[1].x - p[0].x);
}

/* What rises by less than LAB_FLAT_PART rises only if it does so evenly. */
static bool is_even(const struct thirds *t)
{
    double least = fmin(fmin(t->lower.low, t->middle.low), t->upper.low);
    double most = fmax(fmax(t->lower.high, t->middle.high), t->upper.high);

    return least > 0.8 * most;
}

static struct lab_growth rise_of(const struct view *v, const struct thirds *t)
{
    struct lab_interval turn = turn_of(t);
    double decades = decades_of(t);
    struct lab_growth g = {.kind = LAB_GROWTH_MORE};

    if (turn.high <= limit_turn(t) ||
        (change_of(v, 0, false) <= LAB_FLAT_PART && !is_even(t)))
        g.kind = LAB_GROWTH_CONSTANT;
    else if (turn.low <= limit_turn(t) || t->middle.low <= 0)
        g = unclear("the intervals leave open whether it rises for ever");
    else if (turn.high < -LAB_BEND_LOG * decades)
        g = unclear("it rises, and ever more slowly");
    else if (turn.low > LAB_BEND_LOG * decades) {
        if (bend_of(t) >= LAB_BEND_POWER && is_power(v))
            g.kind = LAB_GROWTH_POWER;
    } else if (turn.high < 2 * LAB_BEND_POWER * decades)
        g.kind = LAB_GROWTH_LOG;
    if (g.kind == LAB_GROWTH_MORE && !has_decades(v->points, v->count))
        g = unclear("it rises, in no way that fits, on a short range");
    return g;
}

/* ---- Limits -------------------------------------------------------------- */

/* The last point that is not above a place. */
static const struct lab_point *point_at(const struct view *v, double place)
{
    uint32_t i = v->count - 1;

    while (i > 0 && point_of(v, i).x > place + 1e-9)
        i--;
    return &v->points[i];
}

/* Where exact points lead.  Two of them, a third of the range apart, are
 * continued as c + b/log x, if a third one agrees; else the three of them as
 * c + b x^-a.  Points that do not slow down lead nowhere. */
static double limit_of(const struct view *v)
{
    double to = point_of(v, v->count - 1).x;
    double part = (to - point_of(v, 0).x) / 3, u[4], q[4], slope[3], b, c;

    for (int i = 0; i < 4; i++) {
        const struct lab_point *p = point_at(v, to - (3 - i) * part);

        u[i] = log10(p->x);
        q[i] = p->value;
        if (!v->exact || p->low < p->high)
            return point_of(v, v->count - 1).value;
    }
    for (int i = 0; i < 3; i++) {
        slope[i] = (q[i + 1] - q[i]) / (u[i + 1] - u[i]);
        if (i > 0 &&
            !(slope[i] / slope[i - 1] > 0 && slope[i] / slope[i - 1] < 1))
            return q[3];
    }
    b = (q[2] - q[3]) / (1 / u[2] - 1 / u[3]);
    c = q[3] - b / u[3];
    if (fabs(c + b / u[1] - q[1]) > 0.03 * fabs(q[3] - q[1])) {
        /* It shrinks by a factor of 10^-a per decade. */
        double shrinks =
            pow(slope[2] / slope[1], 2 * (u[3] - u[2]) / (u[3] - u[1]));

        c = q[3] + (q[3] - q[2]) * shrinks / (1 - shrinks);
    }
    return c > 0 ? c : q[3];
}

/* ---- The whole ----------------------------------------------------------- */

static const char *too_little(const struct lab_point *points, uint32_t count,
                              bool exact)
{
    if (count < 4)
        return "fewer than four sizes";
    for (uint32_t i = 0; i < count; i++) {
        assert(i == 0 || points[i].x >= points[i - 1].x);
        if (!(points[i].x >= 1) || !(points[i].low > 0) ||
            !isfinite(points[i].high))
            return "a quotient is not a positive number";
    }
    if (!exact && !has_decades(points, count))
        return "less than three decades of sizes";
    if (points[count - 1].x / points[0].x < 4)
        return "the sizes are too near to each other";
    return NULL;
}

static struct lab_growth fall_of(struct view v)
{
    struct lab_growth g;
    struct thirds t;

    v.reciprocal = true;
    t = thirds_of(&v);
    g = rise_of(&v, &t);
    if (g.kind == LAB_GROWTH_UNCLEAR)
        g.why = "it falls, perhaps to nothing";
    else if (change_of(&v, 0, false) <= LAB_FLAT_PART)
        g.kind = LAB_GROWTH_CONSTANT;
    else if (g.kind != LAB_GROWTH_CONSTANT) {
        g.exponent = g.kind == LAB_GROWTH_POWER ? -bend_of(&t) : 0;
        g.kind = LAB_GROWTH_FALLS;
    }
    g.bounded = true;
    return g;
}

/* Whether the upper third stays below what was measured in the lower one. */
static bool stays_below(const struct lab_point *points, uint32_t count)
{
    double before = 0, after = 0;

    for (uint32_t i = 0; i < count; i++)
        if (i < count / 3)
            before = fmax(before, points[i].low);
        else if (i >= count - count / 3)
            after = fmax(after, points[i].high);
    return after < before;
}

static struct lab_growth kind_of(const struct view *v)
{
    struct thirds t = thirds_of(v);
    struct lab_growth g = unclear("the intervals leave open whether it rises");
    /* Divisions leave a trend in the last digits, too. */
    bool varies = change_of(v, 0, true) > 1e-6;

    if (varies && t.lower.high < 0 && t.upper.high < 0)
        g = fall_of(*v);
    else if (varies && t.lower.low > 0 &&
             (t.upper.low > 0 || turn_of(&t).high <= limit_turn(&t)))
        g = rise_of(v, &t);
    else if (change_of(v, 0, true) <= LAB_FLAT_PART)
        g.kind = LAB_GROWTH_CONSTANT;
    else
        g.bounded = t.upper.low <= 0 && stays_below(v->points, v->count);
    /* The smallest third may be as it likes. */
    if (g.kind == LAB_GROWTH_UNCLEAR && !(t.upper.low > 0) &&
        change_of(v, v->count / 3, true) <= LAB_FLAT_PART)
        g.kind = LAB_GROWTH_CONSTANT;
    return g;
}

struct lab_growth lab_growth_of(const struct lab_point *points, uint32_t count,
                                bool exact)
{
    struct view v = {points, count, exact, false};
    struct lab_growth g = unclear(too_little(points, count, exact));

    if (g.why != NULL)
        return g;
    g = kind_of(&v);
    if (g.kind != LAB_GROWTH_UNCLEAR)
        g.why = NULL;
    if (g.kind == LAB_GROWTH_CONSTANT) {
        g.bounded = true;
        g.constant = limit_of(&v);
    } else if (g.kind == LAB_GROWTH_LOG) {
        g.constant = slope_of(&v, 0, count - 1).value * log10(2);
    } else if (g.kind == LAB_GROWTH_POWER) {
        struct thirds t = thirds_of(&v);

        g.exponent = bend_of(&t);
    }
    return g;
}

void lab_growth_words(const struct lab_growth *g, const char *x,
                      char out[LAB_GROWTH_SIZE])
{
    switch (g->kind) {
    case LAB_GROWTH_CONSTANT:
        snprintf(out, LAB_GROWTH_SIZE, "constant %.3g", g->constant);
        break;
    case LAB_GROWTH_LOG:
        snprintf(out, LAB_GROWTH_SIZE, "grows as %.3g log2 %s", g->constant, x);
        break;
    case LAB_GROWTH_POWER:
        snprintf(out, LAB_GROWTH_SIZE, "grows as %s^%.2f", x, g->exponent);
        break;
    case LAB_GROWTH_MORE:
        snprintf(out, LAB_GROWTH_SIZE, "grows at least as log %s", x);
        break;
    case LAB_GROWTH_FALLS:
        if (g->exponent < 0)
            snprintf(out, LAB_GROWTH_SIZE, "falls as %s^%.2f", x, g->exponent);
        else
            snprintf(out, LAB_GROWTH_SIZE, "falls at least as 1/log %s", x);
        break;
    case LAB_GROWTH_UNCLEAR:
    default:
        snprintf(out, LAB_GROWTH_SIZE, "unclear: %s", g->why);
        break;
    }
}
