/*
 * time.h - the clock of the host.
 */
#ifndef WEB_TIME_H
#define WEB_TIME_H

typedef long long time_t;
typedef int clockid_t;

struct timespec {
    time_t tv_sec;
    long tv_nsec;
};

enum {
    CLOCK_REALTIME,
    CLOCK_MONOTONIC,
    CLOCK_PROCESS_CPUTIME_ID,
    CLOCK_THREAD_CPUTIME_ID,
};

int clock_gettime(clockid_t clock, struct timespec *now);

#endif
