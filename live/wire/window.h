/*
 * window.h - which numbers of a peer's present life were taken: those near the
 * highest, a bit each.  Numbers begin with 1; all zero bytes is a new life.
 */
#ifndef LIVE_WINDOW_H
#define LIVE_WINDOW_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { LIVE_WINDOW = 1024 }; /* numbers that are told apart */

struct live_window {
    uint64_t highest;                 /* number taken */
    uint64_t taken[LIVE_WINDOW / 64]; /* number % LIVE_WINDOW, a bit each */
};

/* A number far behind the highest counts as taken. */
static inline bool live_window_has(const struct live_window *w, uint64_t number)
{
    uint64_t bit = number % LIVE_WINDOW;

    if (number > w->highest)
        return false;
    return w->highest - number >= LIVE_WINDOW ||
           (w->taken[bit / 64] >> bit % 64 & 1);
}

static inline void live_window_take(struct live_window *w, uint64_t number)
{
    uint64_t bit = number % LIVE_WINDOW;

    if (number > w->highest && number - w->highest >= LIVE_WINDOW)
        memset(w->taken, 0, sizeof w->taken);
    else
        for (uint64_t n = w->highest + 1; n < number; n++)
            w->taken[n % LIVE_WINDOW / 64] &= ~(UINT64_C(1) << n % 64);
    if (number > w->highest)
        w->highest = number;
    w->taken[bit / 64] |= UINT64_C(1) << bit % 64;
}

/* NULL, or the rule that it breaks. */
static inline const char *live_window_sane(const struct live_window *w)
{
    uint64_t some = 0;

    for (uint32_t i = 0; i < LIVE_WINDOW / 64; i++)
        some |= w->taken[i];
    if (w->highest == 0)
        return some ? "nothing is taken before the first number" : NULL;
    return live_window_has(w, w->highest) ? NULL
                                          : "the highest number was taken";
}

#endif
