/*
 * chance.c - see chance.h.
 */
#include "check/odds/chance.h"

__extension__ typedef unsigned __int128 wide;

static wide divisor(wide a, wide b)
{
    while (b) {
        wide rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

static struct check_fraction lowest(wide over, wide under)
{
    struct check_fraction f = {0, 0};
    wide d;

    if (over == 0)
        return (struct check_fraction){0, 1};
    d = divisor(under, over);
    over /= d;
    under /= d;
    if (under <= UINT64_MAX && over <= UINT64_MAX)
        f = (struct check_fraction){(uint64_t)over, (uint64_t)under};
    return f;
}

struct check_fraction check_plus(struct check_fraction sum,
                                 struct check_fraction f, uint32_t odds)
{
    struct check_fraction part = {0, 0};
    wide over;

    if (f.under)
        part = odds == 1 ? f : lowest(f.over, (wide)f.under * odds);
    if (!part.under || !sum.under)
        return (struct check_fraction){0, 0};
    if (part.over == 0)
        return sum;
    if (sum.over == 0)
        return part;
    if (__builtin_add_overflow((wide)sum.over * part.under,
                               (wide)part.over * sum.under, &over))
        return (struct check_fraction){0, 0};
    return lowest(over, (wide)sum.under * part.under);
}

int check_compare(struct check_fraction a, struct check_fraction b)
{
    wide x = (wide)a.over * b.under, y = (wide)b.over * a.under;

    return (x > y) - (x < y);
}

struct check_chance check_number_of(struct check_fraction f)
{
    double x = (double)f.over / (double)f.under;

    return (struct check_chance){x * (1 - CHECK_ROUNDING),
                                 x * (1 + CHECK_ROUNDING), f.over, f.under};
}

struct check_chance check_chance_of(struct check_fraction f)
{
    struct check_chance c = check_number_of(f);

    if (f.over == f.under)
        c.least = 1;
    if (c.most > 1)
        c.most = 1;
    return c;
}

static struct check_fraction fraction_of(const struct check_chance *c)
{
    return (struct check_fraction){c->over, c->under};
}

struct check_fraction check_simplest_near(double x, double near)
{
    uint64_t over[2] = {0, 1}, under[2] = {1, 0};
    double rest = x;

    for (uint32_t i = 0; i < 40; i++) {
        uint64_t a, p, q;
        double off;

        if (rest > 1e15)
            break;
        a = (uint64_t)rest;
        p = a * over[1] + over[0];
        q = a * under[1] + under[0];
        if (q > (UINT64_C(1) << 31))
            break;
        over[0] = over[1];
        over[1] = p;
        under[0] = under[1];
        under[1] = q;
        off = (double)p / (double)q - x;
        if (off <= near && off >= -near)
            return (struct check_fraction){p, q};
        if (rest - (double)a <= 0)
            break;
        rest = 1 / (rest - (double)a);
    }
    return (struct check_fraction){0, 0};
}

bool check_less(const struct check_chance *a, const struct check_chance *b)
{
    return a->under && b->under
               ? check_compare(fraction_of(a), fraction_of(b)) < 0
               : a->least + a->most < b->least + b->most;
}

struct check_chance check_other(struct check_chance a)
{
    struct check_chance other = {.least = 1 - a.most, .most = 1 - a.least};

    return a.under ? check_chance_of(
                         (struct check_fraction){a.under - a.over, a.under})
                   : other;
}
