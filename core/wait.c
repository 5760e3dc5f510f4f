/*
 * wait.c - reading and tabulating the function f (see wait.h).
 */
#include "core/wait.h"

#include "core/text.h"

/* 128 bits, which a 32-bit compiler does not have. */
struct wide {
    uint64_t high, low;
};

static struct wide product(uint64_t a, uint64_t b)
{
    uint64_t low = (a & UINT32_MAX) * (b & UINT32_MAX);
    uint64_t middle = (a >> 32) * (b & UINT32_MAX) + (low >> 32);
    uint64_t other = (a & UINT32_MAX) * (b >> 32) + (middle & UINT32_MAX);

    return (struct wide){
        .high = (a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32),
        .low = other << 32 | (low & UINT32_MAX),
    };
}

const char *fc_wait_parse(struct fc_wait *f, const char *text)
{
    static const struct {
        const char *prefix;
        enum fc_wait_family family;
        uint64_t least;
    } forms[] = {
        {"pow:", FC_WAIT_POW, 0},
        {"exp:", FC_WAIT_EXP, FC_WAIT_SCALE},
    };
    const char *rest;

    if (fc_same(text, "minimal")) {
        f->family = FC_WAIT_MINIMAL;
        return "";
    }
    if (fc_same(text, "exp:auto")) {
        f->family = FC_WAIT_AUTO;
        return "";
    }
    if ((rest = fc_after(text, "table:"))) {
        f->family = FC_WAIT_TABLE;
        return *rest ? rest : NULL;
    }
    if ((rest = fc_after(text, "const:")) ||
        (rest = fc_after(text, "scaled:"))) {
        f->family = text[0] == 'c' ? FC_WAIT_CONST : FC_WAIT_SCALED;
        return fc_read_number(rest, &f->argument) && f->argument ? "" : NULL;
    }
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (!(rest = fc_after(text, forms[i].prefix)))
            continue;
        f->family = forms[i].family;
        if (!fc_read_thousandths(rest, &f->argument) ||
            f->argument < forms[i].least || f->argument > 1000000000)
            return NULL;
        return "";
    }
    return NULL;
}

/* power[i] := floor(base^i), the power itself kept in 64.64 fixed point: whole
 * and fraction.  Each product is cut to 64 fractional bits. */
static void tabulate(struct fc_wait *f, uint64_t num, uint64_t den)
{
    uint64_t whole = 1, fraction = 0;

    for (uint32_t i = 0; i < FC_WAIT_POWERS; i++) {
        f->power[i] = whole;
        if (whole == FC_NEVER)
            continue;
        /* (whole + fraction/2^64) * num / den, in 32-bit pieces, so that no
         * division is wider than 64 bits. */
        struct wide times_whole = product(whole, num);
        struct wide times_fraction = product(fraction, num);

        times_whole.low += times_fraction.high;
        if (times_whole.high || times_whole.low < times_fraction.high) {
            whole = FC_NEVER;
            continue;
        }
        uint64_t rest = times_whole.low % den;
        uint64_t low = times_fraction.low;
        uint64_t high = rest << 32 | low >> 32;

        whole = times_whole.low / den;
        fraction = high / den << 32;
        fraction |= ((high % den) << 32 | (low & UINT32_MAX)) / den;
    }
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

const char *fc_wait_prepare(struct fc_wait *f, const struct fc_world *world)
{
    uint64_t num = f->argument, den = FC_WAIT_SCALE, shared;

    if (f->family == FC_WAIT_POW && f->argument % (FC_WAIT_SCALE / 2))
        return "f=pow:E takes multiples of 0.5, such as pow:1.5";
    if (f->family == FC_WAIT_TABLE && world->greatest > f->table_count)
        return "f=table:FILE has fewer lines than the greatest name: add a "
               "line for every name";
    if (f->family == FC_WAIT_AUTO && !world->bounded)
        return "f=exp:auto needs bounds: use --time archimedean with --bounds";
    if (f->family == FC_WAIT_AUTO) {
        num = fc_times(2, fc_hop(world));
        den = world->bounds.rmin;
    } else if (f->family != FC_WAIT_EXP) {
        return NULL;
    }
    shared = common_divisor(num, den);
    if (num / shared > UINT32_MAX || den / shared > UINT32_MAX)
        return "f=exp needs a base below 4294967296 with as small a "
               "denominator: choose simpler bounds or f=exp:B";
    tabulate(f, num / shared, den / shared);
    /* Only a wait that does not fit may be FC_NEVER. */
    if (f->power[FC_WAIT_POWERS - 1] != FC_NEVER &&
        world->greatest >= FC_WAIT_POWERS)
        return "f=exp:B with so small a B takes names below " FC_QUOTE(
            FC_WAIT_POWERS) ": use a larger base, or const:C or pow:E";
    return NULL;
}

bool fc_wait_doubles(const struct fc_wait *f)
{
    switch (f->family) {
    case FC_WAIT_EXP:
        return f->argument >= 2 * FC_WAIT_SCALE;
    case FC_WAIT_AUTO:
    case FC_WAIT_SCALED:
        return true;
    default:
        return false;
    }
}

/* i^(halves/2) = (i^halves)^(1/2), if i^halves is below 2^126. */
uint64_t fc_power_of_halves(uint64_t i, uint64_t halves)
{
    struct wide power = {0, 1};
    uint64_t root = 0;

    for (uint64_t h = 0; h < halves && i > 1; h++) {
        struct wide high = product(power.high, i), low = product(power.low, i);

        power = (struct wide){high.low + low.high, low.low};
        if (high.high || power.high < low.high || power.high >> 62)
            return FC_NEVER;
    }
    for (uint64_t bit = UINT64_C(1) << 62; bit; bit >>= 1) {
        struct wide square = product(root | bit, root | bit);

        if (square.high < power.high ||
            (square.high == power.high && square.low <= power.low))
            root |= bit;
    }
    return root;
}
