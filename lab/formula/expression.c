/*
 * expression.c - see expression.h.
 *
 * A formula is evaluated while it is read, by recursive descent; none is so
 * long or so often needed that it would have to be compiled first.
 */
#include "lab/formula/expression.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef __int128 wide;

/* ---- Numbers ------------------------------------------------------------- */

static struct lab_number inexact(double value)
{
    return (struct lab_number){.value = value};
}

static wide magnitude(wide a)
{
    return a < 0 ? -a : a;
}

static wide divisor(wide a, wide b)
{
    while (b) {
        wide rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

/* In lowest terms, if those fit. */
static struct lab_number ratio(wide top, wide bottom)
{
    wide common = divisor(magnitude(top), magnitude(bottom));

    if (common > 1) {
        top /= common;
        bottom /= common;
    }
    if (bottom < 0) {
        top = -top;
        bottom = -bottom;
    }
    if (magnitude(top) > INT64_MAX || bottom > INT64_MAX)
        return inexact((double)top / (double)bottom);
    return (struct lab_number){true, (int64_t)top, (int64_t)bottom,
                               (double)top / (double)bottom};
}

struct lab_number lab_quotient(int64_t top, int64_t bottom)
{
    return ratio(top, bottom);
}

struct lab_number lab_whole(int64_t number)
{
    return ratio(number, 1);
}

int lab_compare(const struct lab_number *a, const struct lab_number *b)
{
    double near = 1e-9 * fmax(fabs(a->value), fabs(b->value));
    wide left, right;

    if (!a->exact || !b->exact)
        return a->value == b->value || fabs(a->value - b->value) <= near
                   ? 0
                   : (a->value > b->value) - (a->value < b->value);
    left = (wide)a->top * b->bottom;
    right = (wide)b->top * a->bottom;
    return (left > right) - (left < right);
}

bool lab_floor(const struct lab_number *a, int64_t *out)
{
    double below = floor(a->value);

    if (a->exact) {
        assert(a->bottom > 0);
        *out = a->top / a->bottom - (a->top % a->bottom < 0);
        return true;
    }
    if (!(fabs(below) < 9e18))
        return false;
    *out = (int64_t)below;
    return true;
}

static struct lab_number add(struct lab_number a, struct lab_number b)
{
    if (!a.exact || !b.exact)
        return inexact(a.value + b.value);
    /* Two products of 63 bits each, and their sum fits as well. */
    return ratio((wide)a.top * b.bottom + (wide)b.top * a.bottom,
                 (wide)a.bottom * b.bottom);
}

static struct lab_number negative(struct lab_number a)
{
    a.top = -a.top;
    a.value = -a.value;
    return a;
}

static struct lab_number times(struct lab_number a, struct lab_number b)
{
    if (!a.exact || !b.exact)
        return inexact(a.value * b.value);
    return ratio((wide)a.top * b.top, (wide)a.bottom * b.bottom);
}

static struct lab_number inverse(struct lab_number a)
{
    return a.exact ? ratio(a.bottom, a.top) : inexact(1 / a.value);
}

static bool is_zero(struct lab_number a)
{
    return a.exact ? a.top == 0 : a.value == 0;
}

/* A whole power by squaring; any other by the library. */
static struct lab_number power(struct lab_number a, struct lab_number b)
{
    struct lab_number square = a, out = lab_whole(1);
    uint64_t left;

    if (!b.exact || b.bottom != 1)
        return inexact(pow(a.value, b.value));
    for (left = (uint64_t)llabs(b.top); left; left >>= 1) {
        if (left & 1)
            out = times(out, square);
        if (left > 1)
            square = times(square, square);
    }
    return b.top < 0 ? inverse(out) : out;
}

static struct lab_number harmonic(int64_t n)
{
    enum { ADDED_MAX = 1000000 };
    const double euler = 0.57721566490153286;
    struct lab_number sum = lab_whole(0);

    if (n > ADDED_MAX)
        return inexact(log((double)n) + euler + 0.5 / (double)n);
    for (int64_t i = 1; i <= n; i++)
        sum = add(sum, lab_quotient(1, i));
    return sum;
}

/* 6 = 110 becomes 0.011 = 3/8. */
static struct lab_number mirror(uint64_t i)
{
    int64_t top = 0, bottom = 1;

    for (; i && bottom < INT64_C(1) << 61; i >>= 1) {
        top = 2 * top + (int64_t)(i & 1);
        bottom *= 2;
    }
    return lab_quotient(top, bottom);
}

/* ---- Reading ------------------------------------------------------------- */

enum { DEPTH_MAX = 100 };

struct reader {
    const char *at;
    const struct lab_scope *scope;
    const struct lab_number *summed; /* what i is, within sum() */
    struct net_why *why;
    bool failed;
    uint32_t depth;
};

static struct lab_number fail(struct reader *r, const char *what,
                              const char *where)
{
    if (!r->failed)
        net_refuse(r->why, "%s%s%.40s%s", what, where ? " '" : "",
                   where ? where : "", where ? "'" : "");
    r->failed = true;
    return lab_whole(0);
}

static bool take(struct reader *r, const char *sign)
{
    size_t length = strlen(sign);

    while (isspace((unsigned char)*r->at))
        r->at++;
    if (strncmp(r->at, sign, length) != 0)
        return false;
    r->at += length;
    return true;
}

static struct lab_number comparison(struct reader *r);

/* Exact, with a fraction and all, while it fits. */
static struct lab_number literal(struct reader *r)
{
    struct lab_number out = lab_whole(0), ten = lab_whole(10);
    struct lab_number scale = lab_whole(1);
    bool behind = false;

    for (; isdigit((unsigned char)*r->at) || (*r->at == '.' && !behind);
         r->at++) {
        if (*r->at == '.') {
            behind = true;
            continue;
        }
        out = add(times(out, ten), lab_whole(*r->at - '0'));
        if (behind)
            scale = times(scale, ten);
    }
    return times(out, inverse(scale));
}

/* ---- Functions ----------------------------------------------------------- */

static struct lab_number rounded(struct reader *r, struct lab_number a, bool up)
{
    struct lab_number turned = up ? negative(a) : a;
    int64_t whole;

    if (!lab_floor(&turned, &whole))
        return fail(r, "too large to be rounded", NULL);
    return lab_whole(up ? -whole : whole);
}

static struct lab_number f_floor(struct reader *r, const struct lab_number *a)
{
    return rounded(r, a[0], false);
}

static struct lab_number f_ceil(struct reader *r, const struct lab_number *a)
{
    return rounded(r, a[0], true);
}

static struct lab_number f_log2(struct reader *r, const struct lab_number *a)
{
    int64_t n = a[0].top;

    if (a[0].value <= 0)
        return fail(r, "log2 of what is not above 0", NULL);
    if (a[0].exact && a[0].bottom == 1 && (n & (n - 1)) == 0)
        return lab_whole(__builtin_ctzll((uint64_t)n));
    return inexact(log2(a[0].value));
}

/* A whole number from 0 on, or failure. */
static int64_t count(struct reader *r, const struct lab_number *a,
                     const char *what)
{
    if (a->exact && a->bottom == 1 && a->top >= 0)
        return a->top;
    (void)fail(r, what, NULL);
    return 0;
}

static struct lab_number f_harmonic(struct reader *r,
                                    const struct lab_number *a)
{
    return harmonic(count(r, a, "H takes a whole number"));
}

static struct lab_number f_mirror(struct reader *r, const struct lab_number *a)
{
    return mirror((uint64_t)count(r, a, "mirror takes a whole number"));
}

static struct lab_number f_exp(struct reader *r, const struct lab_number *a)
{
    (void)r;
    return inexact(exp(a[0].value));
}

static struct lab_number f_wait(struct reader *r, const struct lab_number *a)
{
    int64_t i = count(r, a, "f takes a whole number");
    struct lab_number out;

    if (!r->scope->wait)
        return fail(r, "there is no f here", NULL);
    return r->scope->wait(r->scope->of, i, &out)
               ? out
               : fail(r, "f has no value there", NULL);
}

static struct lab_number f_min(struct reader *r, const struct lab_number *a)
{
    (void)r;
    return lab_compare(&a[0], &a[1]) <= 0 ? a[0] : a[1];
}

static struct lab_number f_max(struct reader *r, const struct lab_number *a)
{
    (void)r;
    return lab_compare(&a[0], &a[1]) >= 0 ? a[0] : a[1];
}

static struct lab_number f_mod(struct reader *r, const struct lab_number *a)
{
    if (is_zero(a[1]))
        return fail(r, "a division by 0", NULL);
    return add(a[0], negative(times(
                         a[1], rounded(r, times(a[0], inverse(a[1])), false))));
}

static struct lab_number f_if(struct reader *r, const struct lab_number *a)
{
    (void)r;
    return is_zero(a[0]) ? a[2] : a[1];
}

enum { ARGUMENTS_MAX = 3 };

static const struct {
    const char *name;
    uint32_t arguments;
    struct lab_number (*is)(struct reader *r, const struct lab_number *a);
} functions[] = {
    {"floor", 1, f_floor}, {"ceil", 1, f_ceil}, {"log2", 1, f_log2},
    {"H", 1, f_harmonic},  {"min", 2, f_min},   {"max", 2, f_max},
    {"mod", 2, f_mod},     {"if", 3, f_if},     {"mirror", 1, f_mirror},
    {"exp", 1, f_exp},     {"f", 1, f_wait},
};

static struct lab_number call(struct reader *r, size_t which)
{
    struct lab_number a[ARGUMENTS_MAX];
    uint32_t wanted = functions[which].arguments;

    for (uint32_t i = 0; i < wanted; i++) {
        a[i] = comparison(r);
        if (!r->failed && !take(r, i + 1 < wanted ? "," : ")"))
            (void)fail(r, "a ',' or ')' is missing before", r->at);
    }
    return r->failed ? lab_whole(0) : functions[which].is(r, a);
}

/* The formula in brackets is read once for each name. */
static struct lab_number sum_over_names(struct reader *r)
{
    struct lab_number out = lab_whole(0), i;
    const struct lab_number *outer = r->summed;
    const char *begin = r->at;

    if (r->scope->last < r->scope->first)
        return fail(r, "there are no names to add up over", NULL);
    for (int64_t k = r->scope->first; k <= r->scope->last && !r->failed; k++) {
        i = lab_whole(k);
        r->summed = &i;
        r->at = begin;
        out = add(out, comparison(r));
    }
    r->summed = outer;
    if (!r->failed && !take(r, ")"))
        return fail(r, "a ')' is missing before", r->at);
    return out;
}

static struct lab_number letter(struct reader *r, const char *name)
{
    if (r->summed && strcmp(name, "i") == 0)
        return *r->summed;
    for (const struct lab_letter *l = r->scope->letters; l->name; l++)
        if (strcmp(l->name, name) == 0)
            return l->is;
    if (strcmp(name, "e") == 0)
        return inexact(exp(1));
    return fail(r, "there is no letter", name);
}

/* A letter, or a function of what follows in brackets. */
static struct lab_number word(struct reader *r)
{
    char name[24];
    size_t length = 0;

    while (isalnum((unsigned char)*r->at) || *r->at == '_' || *r->at == '@') {
        if (length + 1 < sizeof name)
            name[length++] = *r->at;
        r->at++;
    }
    name[length] = '\0';
    if (take(r, "(")) {
        if (strcmp(name, "sum") == 0)
            return sum_over_names(r);
        for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
            if (strcmp(functions[i].name, name) == 0)
                return call(r, i);
        return fail(r, "there is no function", name);
    }
    return letter(r, name);
}

/* ---- Operators, from the tightest to the loosest ------------------------- */

static struct lab_number primary(struct reader *r)
{
    struct lab_number out;

    if (take(r, "(")) {
        out = comparison(r);
        return r->failed || take(r, ")")
                   ? out
                   : fail(r, "a ')' is missing before", r->at);
    }
    if (isdigit((unsigned char)*r->at) ||
        (*r->at == '.' && isdigit((unsigned char)r->at[1])))
        return literal(r);
    if (isalpha((unsigned char)*r->at) || *r->at == '@')
        return word(r);
    return *r->at ? fail(r, "a number or a letter is missing before", r->at)
                  : fail(r, "it ends too early", NULL);
}

static struct lab_number signed_power(struct reader *r)
{
    struct lab_number base, exponent;

    if (r->failed || ++r->depth > DEPTH_MAX)
        return fail(r, "too many brackets", NULL);
    if (take(r, "-")) {
        base = negative(signed_power(r));
    } else {
        base = primary(r);
        if (!r->failed && take(r, "^")) {
            exponent = signed_power(r);
            base = !r->failed && is_zero(base) && exponent.value < 0
                       ? fail(r, "a division by 0", NULL)
                       : power(base, exponent);
        }
    }
    r->depth--;
    return base;
}

static struct lab_number product(struct reader *r)
{
    struct lab_number out = signed_power(r), by;

    while (!r->failed) {
        if (take(r, "*")) {
            out = times(out, signed_power(r));
        } else if (take(r, "/")) {
            by = signed_power(r);
            out = !r->failed && is_zero(by) ? fail(r, "a division by 0", NULL)
                                            : times(out, inverse(by));
        } else {
            break;
        }
    }
    return out;
}

static struct lab_number sum(struct reader *r)
{
    struct lab_number out = product(r);

    while (!r->failed) {
        if (take(r, "+"))
            out = add(out, product(r));
        else if (take(r, "-"))
            out = add(out, negative(product(r)));
        else
            break;
    }
    return out;
}

static struct lab_number comparison(struct reader *r)
{
    /* Longer ones first: "<" begins "<=". */
    static const struct {
        const char *sign;
        bool when[3]; /* less, the same, greater */
    } signs[] = {
        {"<=", {true, true, false}}, {">=", {false, true, true}},
        {"!=", {true, false, true}}, {"<", {true, false, false}},
        {">", {false, false, true}}, {"=", {false, true, false}},
    };
    struct lab_number left = sum(r), right;

    for (size_t i = 0; i < sizeof signs / sizeof signs[0] && !r->failed; i++)
        if (take(r, signs[i].sign)) {
            right = sum(r);
            return lab_whole(signs[i].when[lab_compare(&left, &right) + 1]);
        }
    return left;
}

bool lab_evaluate_in(const struct lab_scope *scope, const char *text,
                     struct lab_number *out, struct net_why *why)
{
    struct reader r = {.at = text, .scope = scope};

    r.why = why;
    *out = comparison(&r);
    (void)take(&r, ""); /* blanks */
    if (!r.failed && *r.at)
        (void)fail(&r, "what is", r.at);
    if (!r.failed && !isfinite(out->value))
        (void)fail(&r, "its value is too large", NULL);
    return !r.failed;
}

bool lab_evaluate(const char *text, const struct lab_letter *letters,
                  struct lab_number *out, struct net_why *why)
{
    const struct lab_scope scope = {.letters = letters, .first = 1};

    return lab_evaluate_in(&scope, text, out, why);
}
