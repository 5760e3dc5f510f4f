/*
 * watch.h - how late the watchers of a command wake up.
 *
 * Client and guard each wake up at a steady beat, although nothing is to be
 * done: a process that is woken late now would be late at the deadline as well.
 * Each shows the other when it last woke up, and how late it has been recently.
 * If both have been late by more than half of what killing may take, and the
 * daemon does not move the deadline on, the command is stopped before the
 * deadline, by as much as they were late.  After a pause of all three the
 * daemon is given a moment to do so, the other half of what killing may take.
 */
#ifndef LIVE_WATCH_H
#define LIVE_WATCH_H

#include <stdatomic.h>
#include <stdint.h>

enum live_watcher_who { LIVE_BY_CLIENT, LIVE_BY_GUARD, LIVE_WATCHERS };

/* In memory that both share; microseconds of live_now(). */
struct live_watch {
    struct {
        _Atomic uint64_t last; /* it was there */
        _Atomic uint64_t late; /* by so much at worst, lately */
    } of[LIVE_WATCHERS];
    _Atomic uint64_t gave_up; /* the guard stopped the command so long before
                               * its deadline; 0: it did not */
};

struct live_watcher {
    struct live_watch *shared;
    enum live_watcher_who who;
    uint64_t beat, allowed;
    uint64_t next;                  /* it wants to wake up; UINT64_MAX: never */
    uint64_t recent, before, until; /* lateness now and a while ago */
    uint64_t noticed;               /* when it was greater than ever */
    uint64_t count, worst;          /* of all that was not allowed */
};

/* `kill` is what killing may take; 0: it is not known, and nothing is
 * watched. */
void live_watcher_begin(struct live_watcher *watcher, struct live_watch *shared,
                        enum live_watcher_who who, uint64_t kill, uint64_t now);

/* After each wake-up, whatever its cause. */
void live_watcher_wake(struct live_watcher *watcher, uint64_t now);

/* It was told to stop watching, and was not late. */
void live_watcher_rested(struct live_watcher *watcher, uint64_t now);

/* How long before the deadline the command must be stopped. */
uint64_t live_watcher_margin(const struct live_watcher *watcher, uint64_t now);

#endif
