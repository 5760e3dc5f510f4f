/*
 * delay.c - see delay.h.
 */
#include "live/mode/delay.h"

enum {
    WINDOW = 2000000, /* as short as clocks whose rates differ ask for */
    SLOWNESS = 16,    /* of the mean */
};

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* A window is over: the next one begins with the present numbers. */
static void turn(struct live_delay *d, uint64_t now, int64_t apart)
{
    int gap = now - d->began >= (uint64_t)2 * WINDOW;

    d->quickest[1] = gap ? apart : d->quickest[0];
    d->rounds[1] = gap ? UINT64_MAX : d->rounds[0];
    d->quickest[0] = apart;
    d->rounds[0] = UINT64_MAX;
    d->began = now;
}

/* The first frame of a peer's life: its clock may be another. */
static void begin(struct live_delay *d, uint64_t inc, uint64_t now,
                  int64_t apart)
{
    d->inc = inc;
    d->frames = 0;
    d->began = now;
    d->quickest[0] = d->quickest[1] = apart;
    d->rounds[0] = d->rounds[1] = UINT64_MAX;
}

void live_delay_take(struct live_delay *d, uint64_t limit, uint64_t inc,
                     uint64_t now, uint64_t stamp, uint64_t echo)
{
    int64_t apart = (int64_t)(now - stamp), quickest;

    if (d->frames == 0 || inc != d->inc)
        begin(d, inc, now, apart);
    else if (now - d->began >= WINDOW)
        turn(d, now, apart);
    d->frames++;
    if (apart < d->quickest[0])
        d->quickest[0] = apart;
    if (echo && echo <= now)
        d->rounds[0] = least(d->rounds[0], now - echo);
    d->round = least(d->rounds[0], d->rounds[1]);
    if (d->round == UINT64_MAX)
        d->round = 0;
    quickest =
        d->quickest[0] < d->quickest[1] ? d->quickest[0] : d->quickest[1];
    d->last = (uint64_t)(apart - quickest);
    d->mean += d->last / SLOWNESS;
    d->mean -= d->mean / SLOWNESS;
    d->greatest = d->last > d->greatest ? d->last : d->greatest;
    d->late += d->last > limit;
}
