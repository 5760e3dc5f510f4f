/*
 * sweep_row.c - see sweep_row.h.
 */
#include "lab/run/sweep_row.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The number in QUANTITY_ENDING; NaN: there is none. */
static double number_at(json_t *row, const char *quantity, const char *ending)
{
    char column[200];
    json_t *value;

    snprintf(column, sizeof column, "%s%s", quantity, ending);
    value = json_object_get(row, column);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static bool read_share(struct lab_point *p, json_t *row, const char *quantity,
                       double error)
{
    double runs = number_at(row, "runs", ""),
           hits = number_at(row, quantity, "");
    uint64_t of = (uint64_t)runs, hit = isnan(hits) ? 0 : (uint64_t)hits;

    if (!(runs >= 1) || hit > of)
        return false;
    *p = (struct lab_point){
        .mean = (double)hit / runs,
        .within = lab_share_interval(hit, of, error),
        .greatest = NAN,
        .runs = of,
        .share = true,
    };
    return true;
}

bool lab_point_read(struct lab_point *p, json_t *row, const char *quantity,
                    double error)
{
    double mean = number_at(row, quantity, "_of_runs_mean");
    bool each = isnan(mean); /* run has one, and not each entry */
    double runs = each ? number_at(row, "runs", "")
                       : number_at(row, quantity, "_of_runs_runs");
    struct lab_sample s;

    if (strncmp(quantity, "violated", 8) == 0)
        return read_share(p, row, quantity, error);
    if (each)
        mean = number_at(row, quantity, "_mean");
    if (isnan(mean) || !(runs >= 1))
        return false;
    s = (struct lab_sample){
        .runs = (uint64_t)runs,
        .mean = mean,
        .sd = number_at(row, quantity, each ? "_sd" : "_of_runs_sd"),
        .least = each ? number_at(row, quantity, "_min") : NAN,
        .greatest = each ? number_at(row, quantity, "_max") : NAN,
    };
    *p = (struct lab_point){
        .mean = mean,
        .within = lab_mean_interval(&s, error),
        .greatest = number_at(row, quantity, "_max"),
        .runs = s.runs,
    };
    return true;
}
