/*
 * stat.c - see stat.h.
 */
#include "sim/stat.h"

#include <math.h>

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

void sim_stat_merge(struct sim_stat *s, const struct sim_stat *other)
{
    if (other->count == 0)
        return;
    if (s->count == 0 || other->min < s->min)
        s->min = other->min;
    if (s->count == 0 || other->max > s->max)
        s->max = other->max;
    s->count += other->count;
    s->sum += other->sum;
    s->squares += other->squares;
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
