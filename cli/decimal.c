/*
 * decimal.c - a number with one decimal (see cli.h): apart, because a program
 * that prints none need not load the mathematical library.
 */
#include <math.h>
#include <stdio.h>

#include "cli/cli.h"

const char *cli_decimal(double number, char *buffer, size_t size)
{
    double rounded = round(number);

    if (fabs(number - rounded) < 0.05 || number >= 1e5) {
        if (rounded >= 0 && rounded < 1e18)
            return cli_grouped((uint64_t)rounded, buffer, size);
        snprintf(buffer, size, "%.3g", number);
        return buffer;
    }
    snprintf(buffer, size, "%.1f", number);
    return buffer;
}
