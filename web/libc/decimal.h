/*
 * decimal.h - numbers of the form m * 2^e as decimals, exactly.
 */
#ifndef WEB_DECIMAL_H
#define WEB_DECIMAL_H

#include <stdint.h>

/* The greatest has 309 digits before the point, the least 1075 behind it. */
enum { WEB_WHOLE = 324, WEB_DIGITS = WEB_WHOLE + 1080 };

/* digit[0] stands at 10^(point - 1): a number below 1 begins with zeros if
 * point is 0 or less.  No zeros at either end; count 0: the number is 0. */
struct web_decimal {
    int32_t point;
    uint32_t count;
    uint8_t digit[WEB_DIGITS];
};

/* Sets it to m * 2^e, -1080 <= e <= 972. */
void web_decimal_set(struct web_decimal *d, uint64_t m, int e);

/* Rounds it to `behind` digits behind the point, below 0: before it; a tie to
 * the even digit. */
void web_decimal_round(struct web_decimal *d, int32_t behind);

/* -1, 0, 1 as a is less than, equal to or greater than b. */
int web_decimal_compare(const struct web_decimal *a,
                        const struct web_decimal *b);

#endif
