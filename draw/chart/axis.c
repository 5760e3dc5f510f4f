/*
 * axis.c - see axis.h.
 */
#include "draw/chart/axis.h"

#include <math.h>

#include "draw/svg/pen.h"

double axis_at(const struct axis *a, double value)
{
    double part = 0.5;

    if (a->high > a->low)
        part = a->logarithmic ? log(value / a->low) / log(a->high / a->low)
                              : (value - a->low) / (a->high - a->low);
    return a->from + part * (a->to - a->from);
}

static const double parts[] = {1, 2, 5, 10};

/* The power of ten that a value is a part of, from 1 to 10. */
static double power_of(double value)
{
    return pow(10, floor(log10(value) + 1e-9));
}

double axis_above(double value)
{
    double power = power_of(value);
    unsigned i = 0;

    while (i < 3 && parts[i] * (1 + 1e-9) < value / power)
        i++;
    return power * parts[i];
}

/* The next one that is not above it. */
static double below(double value)
{
    double power = power_of(value);
    unsigned i = 2;

    while (i > 0 && parts[i] * (1 - 1e-9) > value / power)
        i--;
    return power * parts[i];
}

/* From line to line of a linear axis. */
static double step_of(const struct axis *a)
{
    return axis_above(fmax(a->high, -a->low) / 5);
}

void axis_round(struct axis *a)
{
    double step = step_of(a);

    if (a->logarithmic) {
        a->low = below(a->low);
        a->high = axis_above(a->high);
        if (a->high <= a->low)
            a->high = axis_above(2 * a->low);
    } else {
        a->low = fmin(0, step * floor(a->low / step));
        a->high = step * ceil(a->high / step - 1e-9);
    }
}

void axis_number(char out[AXIS_NUMBER_SIZE], double value)
{
    static const char *const digits[] = {"\u2070", "\u00b9", "\u00b2", "\u00b3",
                                         "\u2074", "\u2075", "\u2076", "\u2077",
                                         "\u2078", "\u2079"};
    int power = value != 0 ? (int)floor(log10(fabs(value)) + 1e-9) : 0;
    double part = value / pow(10, power);

    out[0] = '\0';
    if (power < 5)
        pen_add(out, AXIS_NUMBER_SIZE,
                value < round(value) || value > round(value) ? "%.3g" : "%.0f",
                value);
    else if (fabs(part - 1) > 1e-9)
        pen_add(out, AXIS_NUMBER_SIZE, "%.3g\u00b7", part);
    if (power >= 5)
        pen_add(out, AXIS_NUMBER_SIZE, "10%s%s",
                power >= 10 ? digits[power / 10 % 10] : "", digits[power % 10]);
}

void axis_line(FILE *file, double left, double right, double y,
               const char *number)
{
    pen(file, "<line class='grid' x1='@' x2='@' y1='@' y2='@'/>\n", left, right,
        y, y);
    pen_line(file, "tick", left - 12, y + 4, "end", number);
}

void axis_lines(FILE *file, const struct axis *a, double left, double right,
                bool per_cent)
{
    double step = step_of(a), decades = log10(a->high / a->low), value;
    unsigned each = decades > 6 ? 6 : decades > 2 ? 3 : 1;
    char number[AXIS_NUMBER_SIZE];

    for (unsigned i = 0;; i++) {
        unsigned part = i * each % 3, decade = i * each / 3;

        value = a->logarithmic
                    ? power_of(a->low) * parts[part] * pow(10, decade)
                    : a->low + i * step;
        if (value > a->high + (a->high - a->low) / 1000)
            break;
        if (value < a->low * 0.999)
            continue;
        axis_number(number, per_cent ? 100 * value : value);
        pen_add(number, sizeof number, "%s", per_cent ? " %" : "");
        axis_line(file, left, right, axis_at(a, value), number);
    }
}

void axis_spread(struct axis_name *names, uint32_t count, double top,
                 double bottom)
{
    enum { ROUNDS = 400 };

    for (unsigned round = 0; round < ROUNDS; round++)
        for (uint32_t i = 1; i < count; i++) {
            struct axis_name *upper = &names[i - 1], *lower = &names[i];
            double lacks = upper->height - (lower->y - upper->y);

            if (lacks <= 0)
                continue;
            upper->y -= lacks / 2;
            lower->y += lacks / 2;
        }
    for (uint32_t i = 0; i < count; i++)
        names[i].y = fmax(names[i].y,
                          i > 0 ? names[i - 1].y + names[i - 1].height : top);
    for (uint32_t i = count; i-- > 0;)
        names[i].y =
            fmin(names[i].y,
                 (i + 1 < count ? names[i + 1].y : bottom) - names[i].height);
}
