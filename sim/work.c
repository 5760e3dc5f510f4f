/*
 * work.c - see work.h.
 */
#include "sim/work.h"

#include "core/text.h"
#include "net/random.h"

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

uint64_t sim_duration_draw(const struct sim_duration *d, uint64_t draw)
{
    switch (d->spread) {
    case SIM_UNIFORM:
        return at_least_one(d->least +
                            net_below(draw, d->greatest - d->least + 1));
    case SIM_EXPONENTIAL:
        return at_least_one(
            (d->least * minus_log(draw) + (UINT64_C(1) << 15)) >> 16);
    case SIM_ALWAYS:
        break;
    }
    return at_least_one(d->least);
}

uint64_t sim_duration_longest(const struct sim_duration *d)
{
    if (d->spread == SIM_EXPONENTIAL)
        return sim_duration_draw(d, 1);
    return at_least_one(d->spread == SIM_UNIFORM ? d->greatest : d->least);
}

bool sim_duration_read(const char *text, struct sim_duration *out)
{
    const char *uniform = fc_after(text, "uniform:");
    const char *mean = fc_after(text, "exp:");
    char least[24];
    uint32_t length = 0;

    *out = (struct sim_duration){.spread = SIM_ALWAYS};
    if (mean) {
        out->spread = SIM_EXPONENTIAL;
        text = mean;
    }
    if (!uniform)
        return fc_read_number(text, &out->least) && out->least <= STEPS_MAX;
    while (uniform[length] && uniform[length] != ':') {
        if (length + 1 == sizeof least)
            return false;
        least[length] = uniform[length];
        length++;
    }
    least[length] = '\0';
    out->spread = SIM_UNIFORM;
    return uniform[length] == ':' && fc_read_number(least, &out->least) &&
           fc_read_number(uniform + length + 1, &out->greatest) &&
           out->least <= out->greatest && out->greatest <= STEPS_MAX;
}
