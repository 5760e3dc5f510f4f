/*
 * slew.c - see slew.h.
 */
#include "live/node/slew.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/timex.h>

enum {
    TICK = 10000,   /* microseconds that a hundredth of a second should be */
    TICK_PPM = 100, /* for each microsecond of it */
    ONCE_PPM = 500, /* adjtime(), as long as something is left to correct */
    PLL_SHIFT = 2,  /* of the kernel's loop: each second it corrects so much */
    CONSTANT_MAX = 10, /* of the rest, and less by its time constant */
};

/* What the kernel's own loop corrects in this second, in microseconds. */
static uint64_t of_loop(const struct timex *state)
{
    uint64_t rest = (uint64_t)labs(state->offset);
    long constant = state->constant;

    if (!(state->status & STA_PLL))
        return 0;
    if (constant < 0 || constant > CONSTANT_MAX)
        constant = constant < 0 ? 0 : CONSTANT_MAX;
    if (state->status & STA_NANO)
        rest /= 1000;
    return rest >> (PLL_SHIFT + constant);
}

uint32_t live_slew(void)
{
    struct timex state = {.modes = 0};
    struct timex once = {.modes = ADJ_OFFSET_SS_READ};
    uint64_t ppm;

    if (adjtimex(&state) < 0)
        return UINT32_MAX;
    ppm = (uint64_t)labs(state.tick - TICK) * TICK_PPM +
          (uint64_t)labs(state.freq) / 65536 + of_loop(&state);
    if (adjtimex(&once) >= 0 && once.offset != 0)
        ppm += ONCE_PPM;
    return ppm < UINT32_MAX ? (uint32_t)ppm : UINT32_MAX - 1;
}
