/*
 * stat.c - see stat.h.
 */
#include "sim/stat.h"

#include <math.h>
#include <stddef.h>

void sim_stat_add(struct sim_stat *s, uint64_t value)
{
    if (s->count == 0 || value < s->min)
        s->min = value;
    if (s->count == 0 || value > s->max)
        s->max = value;
    s->count++;
    s->sum += value;
    s->squares += (sim_wide)value * value;
}

void sim_stat_add_run(struct sim_stat *s, uint64_t value, uint64_t run)
{
    if (s->count == 0 || value < s->min)
        s->min_run = run;
    if (s->count == 0 || value > s->max)
        s->max_run = run;
    sim_stat_add(s, value);
}

void sim_stat_merge(struct sim_stat *s, const struct sim_stat *other)
{
    if (other->count == 0)
        return;
    if (s->count == 0 || other->min < s->min ||
        (other->min == s->min && other->min_run < s->min_run)) {
        s->min = other->min;
        s->min_run = other->min_run;
    }
    if (s->count == 0 || other->max > s->max ||
        (other->max == s->max && other->max_run < s->max_run)) {
        s->max = other->max;
        s->max_run = other->max_run;
    }
    s->count += other->count;
    s->sum += other->sum;
    s->squares += other->squares;
}

const char *sim_stat_sane(const struct sim_stat *s)
{
    if (s->count == 0)
        return s->sum || s->squares ? "no values have no sum" : NULL;
    if (s->sum < (sim_wide)s->min * s->count ||
        s->sum > (sim_wide)s->max * s->count)
        return "a mean is not below the least value, nor above the greatest";
    return NULL;
}

double sim_stat_mean(const struct sim_stat *s)
{
    return s->count ? (double)s->sum / (double)s->count : 0;
}

double sim_stat_sd(const struct sim_stat *s)
{
    double n = (double)s->count, mean = sim_stat_mean(s), variance;

    if (s->count < 2 || s->min == s->max)
        return 0;
    variance = ((double)s->squares - n * mean * mean) / (n - 1);
    return variance > 0 ? sqrt(variance) : 0;
}

/* a / b in parts of 2^-bits, rounded; a < 2^127 >> bits. */
static sim_wide in_parts(sim_wide a, uint64_t b, uint32_t bits)
{
    return ((a << bits) + b / 2) / b;
}

void sim_means_add(struct sim_means *m, sim_wide sum, uint64_t count)
{
    m->sum += in_parts(sum, count, 40);
    sim_stat_add(&m->near, (uint64_t)in_parts(sum, count, 20));
}

void sim_means_merge(struct sim_means *m, const struct sim_means *other)
{
    m->sum += other->sum;
    sim_stat_merge(&m->near, &other->near);
}

double sim_means_mean(const struct sim_means *m)
{
    return m->near.count ? ldexp((double)m->sum, -40) / (double)m->near.count
                         : 0;
}

double sim_means_sd(const struct sim_means *m)
{
    return ldexp(sim_stat_sd(&m->near), -20);
}
