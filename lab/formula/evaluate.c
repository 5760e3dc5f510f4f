/*
 * evaluate.c - the value of a formula that was read (see expression.h).
 */
#include <assert.h>
#include <math.h>

#include "lab/formula/terms.h"

struct evaluation {
    const struct lab_tree *formula;
    const struct lab_scope *scope; /* NULL: it has neither waits nor names */
    const struct lab_sight *sight;
    struct net_why *why;
    int64_t slot[LAB_VARIABLES_MAX + 1];
    bool failed, after;
};

static struct lab_number fail(struct evaluation *e, const char *what)
{
    if (!e->failed)
        net_refuse(e->why, "%s", what);
    e->failed = true;
    return lab_whole(0);
}

/* ---- Functions ----------------------------------------------------------- */

static struct lab_number rounded(struct evaluation *e, struct lab_number a,
                                 bool up)
{
    struct lab_number turned = up ? lab_negative(a) : a;
    int64_t whole;

    if (!lab_floor(&turned, &whole))
        return fail(e, "too large to be rounded");
    return lab_whole(up ? -whole : whole);
}

static struct lab_number f_floor(struct evaluation *e,
                                 const struct lab_number *a)
{
    return rounded(e, a[0], false);
}

static struct lab_number f_ceil(struct evaluation *e,
                                const struct lab_number *a)
{
    return rounded(e, a[0], true);
}

static struct lab_number f_log2(struct evaluation *e,
                                const struct lab_number *a)
{
    int64_t n = a[0].top;

    if (a[0].value <= 0)
        return fail(e, "log2 of what is not above 0");
    if (a[0].exact && a[0].bottom == 1 && (n & (n - 1)) == 0)
        return lab_whole(__builtin_ctzll((uint64_t)n));
    return lab_inexact(log2(a[0].value));
}

/* A whole number from 0 on, or failure. */
static int64_t count(struct evaluation *e, const struct lab_number *a,
                     const char *what)
{
    if (a->exact && a->bottom == 1 && a->top >= 0)
        return a->top;
    (void)fail(e, what);
    return 0;
}

static struct lab_number f_harmonic(struct evaluation *e,
                                    const struct lab_number *a)
{
    return lab_harmonic(count(e, a, "H takes a whole number"));
}

static struct lab_number f_mirror(struct evaluation *e,
                                  const struct lab_number *a)
{
    return lab_mirror((uint64_t)count(e, a, "mirror takes a whole number"));
}

static struct lab_number f_exp(struct evaluation *e, const struct lab_number *a)
{
    (void)e;
    return lab_inexact(exp(a[0].value));
}

static struct lab_number f_wait(struct evaluation *e,
                                const struct lab_number *a)
{
    int64_t i = count(e, a, "f takes a whole number");
    struct lab_number out;

    if (e->failed)
        return lab_whole(0);
    assert(e->scope && e->scope->wait);
    return e->scope->wait(e->scope->of, i, &out)
               ? out
               : fail(e, "f has no value there");
}

static struct lab_number f_min(struct evaluation *e, const struct lab_number *a)
{
    (void)e;
    return lab_compare(&a[0], &a[1]) <= 0 ? a[0] : a[1];
}

static struct lab_number f_max(struct evaluation *e, const struct lab_number *a)
{
    (void)e;
    return lab_compare(&a[0], &a[1]) >= 0 ? a[0] : a[1];
}

static struct lab_number f_mod(struct evaluation *e, const struct lab_number *a)
{
    if (lab_is_zero(&a[1]))
        return fail(e, "a division by 0");
    return lab_plus(
        a[0],
        lab_negative(lab_times(
            a[1], rounded(e, lab_times(a[0], lab_inverse(a[1])), false))));
}

static struct lab_number f_if(struct evaluation *e, const struct lab_number *a)
{
    (void)e;
    return lab_is_zero(&a[0]) ? a[2] : a[1];
}

const struct lab_common lab_common[] = {
    {"floor", 1},  {"ceil", 1}, {"log2", 1}, {"H", 1},
    {"min", 2},    {"max", 2},  {"mod", 2},  {"if", 3},
    {"mirror", 1}, {"exp", 1},  {"f", 1},
};
const uint32_t lab_common_count = sizeof lab_common / sizeof lab_common[0];

/* In the order of that table. */
static struct lab_number (*const functions[])(struct evaluation *e,
                                              const struct lab_number *a) = {
    f_floor, f_ceil, f_log2,   f_harmonic, f_min,  f_max,
    f_mod,   f_if,   f_mirror, f_exp,      f_wait,
};
_Static_assert(sizeof functions / sizeof functions[0] ==
                   sizeof lab_common / sizeof lab_common[0],
               "each has a name");

/* ---- Terms --------------------------------------------------------------- */

static struct lab_number term(struct evaluation *e, uint32_t at);

static bool is_true(struct evaluation *e, uint32_t at)
{
    struct lab_number is = term(e, at);

    return !lab_is_zero(&is);
}

static struct lab_number call(struct evaluation *e, const struct lab_term *t)
{
    struct lab_number a[LAB_ARGUMENTS_MAX];

    for (uint32_t i = 0; i < lab_common[t->which].arguments; i++)
        a[i] = term(e, t->part[i]);
    return e->failed ? lab_whole(0) : functions[t->which](e, a);
}

/* A node is one of those that there are; other arguments are whole numbers. */
static struct lab_number call_own(struct evaluation *e,
                                  const struct lab_term *t)
{
    int64_t a[LAB_ARGUMENTS_MAX];
    struct lab_number out = lab_whole(0);

    for (uint32_t i = 0; i < t->own->arguments; i++) {
        struct lab_number is = term(e, t->part[i]);

        if (e->failed)
            return out;
        if (!is.exact || is.bottom != 1)
            return fail(e, "it asks for a node or a place that is no whole "
                           "number");
        a[i] = is.top;
        if ((t->own->nodes >> i & 1) &&
            (a[i] < 0 || a[i] >= (int64_t)e->formula->nodes))
            return fail(e, "it asks for a node that there is not: they are "
                           "counted from 0");
    }
    return e->sight->value(e->sight->whom, t->own, a, e->after, &out)
               ? out
               : fail(e, "it asks for what has no value");
}

/* The body once for each node; stops when the answer is known. */
static struct lab_number over_nodes(struct evaluation *e,
                                    const struct lab_term *t)
{
    int64_t counted = 0;

    for (uint32_t i = 0; i < e->formula->nodes && !e->failed; i++) {
        bool holds;

        e->slot[t->which] = i;
        holds = is_true(e, t->part[0]);
        if (t->op == LAB_SOME && holds)
            return lab_whole(1);
        if (t->op == LAB_EVERY && !holds)
            return lab_whole(0);
        counted += holds;
    }
    return lab_whole(t->op == LAB_EVERY ? 1 : t->op == LAB_SOME ? 0 : counted);
}

static struct lab_number over_names(struct evaluation *e,
                                    const struct lab_term *t)
{
    struct lab_number out = lab_whole(0);
    int64_t outer = e->slot[t->which];

    assert(e->scope);
    for (int64_t k = e->scope->first; k <= e->scope->last && !e->failed; k++) {
        e->slot[t->which] = k;
        out = lab_plus(out, term(e, t->part[0]));
    }
    e->slot[t->which] = outer;
    return out;
}

static struct lab_number compared(struct evaluation *e,
                                  const struct lab_term *t)
{
    static const bool when[LAB_SIGNS][3] = {
        /* less, the same, greater */
        [LAB_AT_MOST] = {true, true, false},
        [LAB_AT_LEAST] = {false, true, true},
        [LAB_DIFFERS] = {true, false, true},
        [LAB_LESS] = {true, false, false},
        [LAB_MORE] = {false, false, true},
        [LAB_SAME] = {false, true, false},
    };
    struct lab_number a = term(e, t->part[0]), b = term(e, t->part[1]);

    return lab_whole(when[t->which][lab_compare(&a, &b) + 1]);
}

static struct lab_number arithmetic(struct evaluation *e,
                                    const struct lab_term *t)
{
    struct lab_number a = term(e, t->part[0]), b = term(e, t->part[1]);

    if (e->failed)
        return lab_whole(0);
    switch ((enum lab_op)t->op) {
    case LAB_PLUS:
        return lab_plus(a, b);
    case LAB_MINUS:
        return lab_plus(a, lab_negative(b));
    case LAB_TIMES:
        return lab_times(a, b);
    case LAB_OVER:
        return lab_is_zero(&b) ? fail(e, "a division by 0")
                               : lab_times(a, lab_inverse(b));
    default:
        return lab_is_zero(&a) && b.value < 0 ? fail(e, "a division by 0")
                                              : lab_power(a, b);
    }
}

static struct lab_number after(struct evaluation *e, const struct lab_term *t)
{
    struct lab_number out;

    e->after = true;
    out = term(e, t->part[0]);
    e->after = false;
    return out;
}

static struct lab_number term(struct evaluation *e, uint32_t at)
{
    const struct lab_term *t = &e->formula->term[at];

    if (e->failed)
        return lab_whole(0);
    switch ((enum lab_op)t->op) {
    case LAB_NUMBER:
        return t->number;
    case LAB_VARIABLE:
        return lab_whole(e->slot[t->which]);
    case LAB_NEGATIVE:
        return lab_negative(term(e, t->part[0]));
    case LAB_COMPARED:
        return compared(e, t);
    case LAB_NOT:
        return lab_whole(!is_true(e, t->part[0]));
    case LAB_AND:
        return lab_whole(is_true(e, t->part[0]) && is_true(e, t->part[1]));
    case LAB_OR:
        return lab_whole(is_true(e, t->part[0]) || is_true(e, t->part[1]));
    case LAB_IMPLIES:
        return lab_whole(!is_true(e, t->part[0]) || is_true(e, t->part[1]));
    case LAB_SOME:
    case LAB_EVERY:
    case LAB_COUNT:
        return over_nodes(e, t);
    case LAB_NEXT:
        return after(e, t);
    case LAB_SUM:
        return over_names(e, t);
    case LAB_CALL:
        return call(e, t);
    case LAB_OWN:
        return call_own(e, t);
    default:
        return arithmetic(e, t);
    }
}

bool lab_compute(const struct lab_tree *f, const struct lab_scope *scope,
                 const struct lab_sight *sight, const int64_t *bound,
                 struct lab_number *out, struct net_why *why)
{
    struct evaluation e = {.formula = f, .scope = scope, .sight = sight};

    e.why = why;
    for (uint32_t i = 0; bound && i < LAB_VARIABLES_MAX; i++)
        e.slot[i] = bound[i];
    *out = term(&e, f->root);
    if (!e.failed && !isfinite(out->value))
        (void)fail(&e, "its value is too large");
    return !e.failed;
}

bool lab_value_of(const struct lab_tree *f, const struct lab_sight *sight,
                  const int64_t *bound, struct lab_number *out)
{
    return lab_compute(f, NULL, sight, bound, out, NULL);
}
