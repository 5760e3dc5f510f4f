/*
 * number.c - numbers from text: strtoull() and its friends, and strtod(), which
 * is correct to the last bit.
 */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "web/libc/host.h"

/* ---- Whole numbers ------------------------------------------------------- */

long long llabs(long long x)
{
    return x < 0 ? -x : x;
}

static int digit_of(char c, int base)
{
    int value = isdigit(c)   ? c - '0'
                : isalpha(c) ? tolower(c) - 'a' + 10
                             : base;

    return value < base ? value : -1;
}

unsigned long long strtoull(const char *text, char **end, int base)
{
    const char *at = text;
    unsigned long long sum = 0;
    bool minus = false, many = false, any = false;

    while (isspace(*at))
        at++;
    if (*at == '-' || *at == '+')
        minus = *at++ == '-';
    if ((base == 0 || base == 16) && at[0] == '0' && tolower(at[1]) == 'x' &&
        isxdigit(at[2])) {
        at += 2;
        base = 16;
    }
    if (base == 0)
        base = *at == '0' ? 8 : 10;
    for (int digit; (digit = digit_of(*at, base)) >= 0; at++) {
        any = true;
        many |= __builtin_mul_overflow(sum, (unsigned)base, &sum) ||
                __builtin_add_overflow(sum, (unsigned)digit, &sum);
    }
    if (end)
        *end = (char *)(any ? at : text);
    if (many) {
        errno = ERANGE;
        return ~0ull;
    }
    return minus ? -sum : sum;
}

unsigned long strtoul(const char *text, char **end, int base)
{
    unsigned long long value = strtoull(text, end, base);

    if (value > ~0ul && -value > ~0ul) {
        errno = ERANGE;
        return ~0ul;
    }
    return (unsigned long)value;
}

/* ---- Numbers with a point ------------------------------------------------ */

/* A double from its bits without the sign. */
static double double_of(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t bits_of(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The number half way between the double of these bits and the next one. */
static void half_way(uint64_t bits, struct web_decimal *d)
{
    uint64_t m = bits & ((UINT64_C(1) << 52) - 1);
    int e = (int)(bits >> 52);

    if (e > 0)
        m |= UINT64_C(1) << 52;
    web_decimal_set(d, 2 * m + 1, (e > 0 ? e : 1) - 1075 - 1);
}

/* Near the decimal; how near does not matter. */
static double guess(const struct web_decimal *d)
{
    int32_t exponent = d->point;
    double value = 0, ten = 10;

    if (d->count == 0 || exponent < -330)
        return 0;
    if (exponent > 310)
        return double_of(UINT64_C(0x7fefffffffffffff));
    for (uint32_t i = 0; i < d->count && i < 17; i++, exponent--)
        value = value * 10 + d->digit[i];
    for (; exponent < -300; exponent++)
        value /= 10;
    for (uint32_t by = exponent < 0 ? (uint32_t)-exponent : (uint32_t)exponent;
         by; by /= 2) {
        if (by % 2)
            value = exponent < 0 ? value / ten : value * ten;
        ten *= ten;
    }
    return value < double_of(UINT64_C(0x7fefffffffffffff))
               ? value
               : double_of(UINT64_C(0x7fefffffffffffff));
}

/* The double that is nearest, the even one of two. */
static double nearest(const struct web_decimal *d)
{
    static struct web_decimal half; /* too large for the stack */
    uint64_t bits = bits_of(guess(d));

    for (;;) { /* upwards */
        int order;

        if (bits == UINT64_C(0x7ff) << 52)
            break;
        half_way(bits, &half);
        order = web_decimal_compare(d, &half);
        if (order < 0 || (order == 0 && bits % 2 == 0))
            break;
        bits++;
    }
    while (bits > 0) { /* downwards */
        int order;

        half_way(bits - 1, &half);
        order = web_decimal_compare(d, &half);
        if (order > 0 || (order == 0 && bits % 2 == 0))
            break;
        bits--;
    }
    return double_of(bits);
}

/* Reads "12.5e-3"; false if it does not begin so. */
static bool read_decimal(const char **text, struct web_decimal *d)
{
    const char *at = *text;
    bool any = false, point = false, more = false;
    int32_t exponent = 0;

    d->count = 0;
    d->point = 0;
    for (; isdigit(*at) || (*at == '.' && !point); at++) {
        if (*at == '.') {
            point = true;
            continue;
        }
        any = true;
        d->point += !point && (d->count > 0 || *at != '0');
        d->point -= point && d->count == 0 && *at == '0';
        if (d->count == 0 && *at == '0')
            continue;
        if (d->count < WEB_DIGITS - 1)
            d->digit[d->count++] = (uint8_t)(*at - '0');
        else
            more |= *at != '0';
    }
    if (!any)
        return false;
    if (more) /* any digit will do, so far behind */
        d->digit[d->count++] = 1;
    while (d->count > 0 && d->digit[d->count - 1] == 0)
        d->count--;
    if (tolower(*at) == 'e' &&
        isdigit(at[at[1] == '+' || at[1] == '-' ? 2 : 1])) {
        bool minus = *++at == '-';

        at += *at == '+' || *at == '-';
        for (; isdigit(*at); at++)
            if (exponent < 100000)
                exponent = exponent * 10 + (*at - '0');
        d->point += minus ? -exponent : exponent;
    }
    *text = at;
    return true;
}

/* Reads "inf", "infinity", "nan". */
static bool read_word(const char **text, double *value)
{
    static const struct {
        const char *word;
        double value;
    } words[] = {{"infinity", __builtin_inf()},
                 {"inf", __builtin_inf()},
                 {"nan", __builtin_nan("")}};

    for (uint32_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i].word), same = 0;

        while (same < length && tolower((*text)[same]) == words[i].word[same])
            same++;
        if (same == length) {
            *text += length;
            *value = words[i].value;
            return true;
        }
    }
    return false;
}

double strtod(const char *text, char **end)
{
    static struct web_decimal d;
    const char *at = text;
    double value = 0;
    bool minus = false;

    while (isspace(*at))
        at++;
    if (*at == '-' || *at == '+')
        minus = *at++ == '-';
    if (read_decimal(&at, &d)) {
        value = nearest(&d);
        if (__builtin_isinf(value))
            errno = ERANGE;
    } else if (!read_word(&at, &value)) {
        at = text;
    }
    if (end)
        *end = (char *)at;
    return minus ? -value : value;
}
