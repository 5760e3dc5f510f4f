/*
 * decimal.c - numbers of the form m * 2^e as decimals, exactly (see host.h).
 *
 * Words of nine digits: those before the point come from dividing, those behind
 * it from multiplying.  Nothing is rounded that nobody asked to round.
 */
#include "web/libc/host.h"

#include <stdbool.h>
#include <string.h>

#define BASE 1000000000u
enum { WORD_DIGITS = 9, WORDS = WEB_DIGITS / WORD_DIGITS };

/* The last of these is the least. */
struct words {
    uint32_t word[WORDS];
    uint32_t count;
};

/* Times 2^by, by at most 29: the count grows at the front. */
static void double_words(struct words *w, uint32_t by)
{
    uint64_t carry = 0;

    for (uint32_t i = w->count; i-- > 0;) {
        uint64_t v = ((uint64_t)w->word[i] << by) + carry;

        w->word[i] = (uint32_t)(v % BASE);
        carry = v / BASE;
    }
    if (carry) {
        memmove(w->word + 1, w->word, w->count * sizeof *w->word);
        w->word[0] = (uint32_t)carry;
        w->count++;
    }
}

/* Divided by 2^by, by at most 9, so that the rest takes one more word. */
static void halve_words(struct words *w, uint32_t by)
{
    uint32_t rest = 0;

    for (uint32_t i = 0; i < w->count; i++) {
        uint64_t v = (uint64_t)rest * BASE + w->word[i];

        w->word[i] = (uint32_t)(v >> by);
        rest = (uint32_t)(v & ((1u << by) - 1));
    }
    if (rest)
        w->word[w->count++] = (uint32_t)(((uint64_t)rest * BASE) >> by);
}

static void set_digits(struct web_decimal *d, const struct words *w,
                       uint32_t whole)
{
    uint32_t used = 0, first;

    for (uint32_t i = 0; i < w->count; i++) {
        uint32_t rest = w->word[i];

        for (uint32_t k = WORD_DIGITS; k-- > 0; rest /= 10)
            d->digit[used + k] = (uint8_t)(rest % 10);
        used += WORD_DIGITS;
    }
    for (first = 0; first < used && d->digit[first] == 0; first++)
        continue;
    while (used > first && d->digit[used - 1] == 0)
        used--;
    d->count = used - first;
    d->point = (int32_t)(whole * WORD_DIGITS) - (int32_t)first;
    memmove(d->digit, d->digit + first, d->count);
}

void web_decimal_set(struct web_decimal *d, uint64_t m, int e)
{
    struct words w = {.count = 0};
    uint32_t whole;

    w.word[w.count++] = (uint32_t)(m / BASE / BASE);
    w.word[w.count++] = (uint32_t)(m / BASE % BASE);
    w.word[w.count++] = (uint32_t)(m % BASE);
    for (; e > 0; e -= e < 29 ? e : 29)
        double_words(&w, e < 29 ? (uint32_t)e : 29);
    whole = w.count;
    for (; e<0; e += e> - 9 ? -e : 9)
        halve_words(&w, e > -9 ? (uint32_t)-e : 9);
    set_digits(d, &w, whole);
}

void web_decimal_round(struct web_decimal *d, int32_t behind)
{
    int32_t keep = d->point + behind;
    uint32_t last;
    bool up;

    if (keep >= (int32_t)d->count)
        return;
    if (keep < 0) {
        d->count = 0;
        return;
    }
    last = (uint32_t)keep;
    up = d->digit[last] > 5 ||
         (d->digit[last] == 5 &&
          (d->count > last + 1 || (last > 0 && d->digit[last - 1] % 2)));
    d->count = last;
    while (up && last > 0 && d->digit[last - 1] == 9)
        last--;
    if (up && last > 0) {
        d->digit[last - 1]++;
        d->count = last;
    } else if (up) {
        d->digit[0] = 1;
        d->count = 1;
        d->point++;
    }
    while (d->count > 0 && d->digit[d->count - 1] == 0)
        d->count--;
}

int web_decimal_compare(const struct web_decimal *a,
                        const struct web_decimal *b)
{
    uint32_t least = a->count < b->count ? a->count : b->count;
    int order;

    if (!a->count || !b->count)
        return (a->count > 0) - (b->count > 0);
    if (a->point != b->point)
        return a->point < b->point ? -1 : 1;
    order = memcmp(a->digit, b->digit, least);
    if (order)
        return order < 0 ? -1 : 1;
    return (a->count > b->count) - (a->count < b->count);
}
