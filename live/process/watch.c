/*
 * watch.c - see watch.h.
 */
#include "live/process/watch.h"

enum {
    BEAT_MIN = 5000,   /* microseconds: more beats would be a load themselves */
    MEMORY = 10000000, /* lateness is forgotten after one to two of these */
};

void live_watcher_begin(struct live_watcher *watcher, struct live_watch *shared,
                        enum live_watcher_who who, uint64_t kill, uint64_t now)
{
    *watcher = (struct live_watcher){
        .shared = shared,
        .who = who,
        .beat = kill / 4 > BEAT_MIN ? kill / 4 : BEAT_MIN,
        .allowed = kill / 2,
        .next = UINT64_MAX,
        .until = now + MEMORY,
    };
    if (kill)
        watcher->next = now + watcher->beat;
    atomic_store(&shared->of[who].late, 0);
    atomic_store(&shared->of[who].last, now);
}

static uint64_t lately(const struct live_watcher *watcher)
{
    return watcher->recent > watcher->before ? watcher->recent
                                             : watcher->before;
}

static void forget(struct live_watcher *watcher, uint64_t now)
{
    if (now < watcher->until)
        return;
    watcher->before = now - watcher->until < MEMORY ? watcher->recent : 0;
    watcher->recent = 0;
    watcher->until = now + MEMORY;
}

void live_watcher_wake(struct live_watcher *watcher, uint64_t now)
{
    uint64_t late = now > watcher->next ? now - watcher->next : 0;

    if (watcher->next == UINT64_MAX)
        return;
    forget(watcher, now);
    if (late > watcher->allowed && late > lately(watcher))
        watcher->noticed = now;
    if (late > watcher->recent)
        watcher->recent = late;
    if (late > watcher->allowed) {
        watcher->count++;
        if (late > watcher->worst)
            watcher->worst = late;
    }
    if (now >= watcher->next)
        watcher->next = now + watcher->beat;
    /* Two numbers that need not match: each is only looked at for its age or
     * its size. */
    atomic_store(&watcher->shared->of[watcher->who].late, lately(watcher));
    atomic_store(&watcher->shared->of[watcher->who].last, now);
}

void live_watcher_rested(struct live_watcher *watcher, uint64_t now)
{
    if (watcher->next != UINT64_MAX)
        watcher->next = now + watcher->beat;
}

uint64_t live_watcher_margin(const struct live_watcher *watcher, uint64_t now)
{
    enum live_watcher_who who =
        watcher->who == LIVE_BY_CLIENT ? LIVE_BY_GUARD : LIVE_BY_CLIENT;
    uint64_t mine = lately(watcher);
    uint64_t last = atomic_load(&watcher->shared->of[who].last);
    uint64_t late = atomic_load(&watcher->shared->of[who].late);

    if (mine <= watcher->allowed || now < watcher->noticed + watcher->allowed)
        return 0;
    /* The other one is not there: its lateness means nothing. */
    if (now > last && now - last > watcher->beat + watcher->allowed)
        return mine;
    if (late <= watcher->allowed)
        return 0;
    return late < mine ? late : mine;
}
