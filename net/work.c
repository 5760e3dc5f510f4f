/*
 * work.c - see work.h.
 */
#include "net/work.h"

#include "core/text.h"
#include "net/random.h"

__extension__ typedef unsigned __int128 wide;

/* Longer ones would let ticks overflow. */
#define STEPS_MAX (UINT64_C(1) << 32)

/* -ln(draw / 2^64) in 2^-16ths, by squaring: the same on every machine, which
 * libm does not promise. */
static uint64_t minus_log(uint64_t draw)
{
    const uint64_t ln2 = 45426; /* in 2^-16ths */
    uint64_t x = draw | 1, log2;
    uint32_t shift = (uint32_t)__builtin_clzll(x);

    log2 = (uint64_t)(63 - shift) << 16;
    x = x << shift >> 32; /* the leading one and 31 digits behind it */
    for (uint32_t bit = 16; bit-- > 0;) {
        x = x * x >> 31;
        if (x >> 32) {
            x >>= 1;
            log2 |= UINT64_C(1) << bit;
        }
    }
    return ((UINT64_C(64) << 16) - log2) * ln2 >> 16;
}

static uint64_t at_least_one(uint64_t steps)
{
    return steps ? steps : 1;
}

/* Between two lengths: `part` of `whole` of the way. */
static uint64_t between(const struct net_duration *d, uint64_t part,
                        uint64_t whole)
{
    wide sum = (wide)d->least * (whole - part) + (wide)d->greatest * part;

    return (uint64_t)((sum + whole / 2) / whole);
}

uint64_t net_duration_draw(const struct net_duration *d, uint64_t draw,
                           uint64_t now)
{
    uint64_t within;

    switch (d->spread) {
    case NET_UNIFORM:
        return at_least_one(d->least +
                            net_below(draw, d->greatest - d->least + 1));
    case NET_EXPONENTIAL:
        return at_least_one(
            (d->least * minus_log(draw) + (UINT64_C(1) << 15)) >> 16);
    case NET_DRIFT:
        within = now % (2 * d->period);
        return at_least_one(
            between(d, within < d->period ? within : 2 * d->period - within,
                    d->period));
    case NET_JUMP:
        within = now % (2 * d->period);
        return at_least_one(within < d->period ? d->least : d->greatest);
    case NET_ALWAYS:
        break;
    }
    return at_least_one(d->least);
}

uint64_t net_duration_longest(const struct net_duration *d)
{
    if (d->spread == NET_EXPONENTIAL)
        return net_duration_draw(d, 1, 0);
    return at_least_one(d->spread != NET_ALWAYS && d->greatest > d->least
                            ? d->greatest
                            : d->least);
}

/* Reads "A:B" or "A:B:C". */
static bool read_parts(const char *text, uint64_t *const *parts, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        char word[24];
        uint32_t length = 0;

        for (; *text && *text != ':'; text++) {
            if (length + 1 == sizeof word)
                return false;
            word[length++] = *text;
        }
        word[length] = '\0';
        if (!fc_read_number(word, parts[i]) || *parts[i] > STEPS_MAX ||
            (*text == ':') != (i + 1 < count))
            return false;
        text += *text == ':';
    }
    return true;
}

bool net_duration_read(const char *text, struct net_duration *out)
{
    static const struct {
        const char *head;
        enum net_spread spread;
        uint32_t parts;
    } forms[] = {{"uniform:", NET_UNIFORM, 2},
                 {"exp:", NET_EXPONENTIAL, 1},
                 {"drift:", NET_DRIFT, 3},
                 {"jump:", NET_JUMP, 3}};
    uint64_t *const parts[] = {&out->least, &out->greatest, &out->period};
    uint32_t count = 1;

    *out = (struct net_duration){.spread = NET_ALWAYS};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        const char *rest = fc_after(text, forms[i].head);

        if (!rest)
            continue;
        out->spread = forms[i].spread;
        count = forms[i].parts;
        text = rest;
        break;
    }
    return read_parts(text, parts, count) &&
           (out->spread != NET_UNIFORM || out->least <= out->greatest) &&
           (count < 3 || out->period > 0);
}
