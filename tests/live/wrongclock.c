/*
 * wrongclock.c - a wall clock that somebody sets while a program runs, for
 * tests: preloaded, it adds the seconds in the file $WRONG_CLOCK to the time of
 * day.  The machine's clock stays as it is, and so do the clocks that nobody
 * can set.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static time_t shift(void)
{
    const char *path = getenv("WRONG_CLOCK");
    char text[24] = "";
    int file;

    if (!path || (file = open(path, O_RDONLY | O_CLOEXEC)) < 0)
        return 0;
    if (read(file, text, sizeof text - 1) < 0)
        text[0] = '\0';
    close(file);
    return (time_t)strtoll(text, NULL, 10);
}

int clock_gettime(clockid_t which, struct timespec *now)
{
    int code = (int)syscall(SYS_clock_gettime, which, now);

    if (code == 0 && (which == CLOCK_REALTIME || which == CLOCK_TAI ||
                      which == CLOCK_REALTIME_COARSE))
        now->tv_sec += shift();
    return code;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    struct timespec precise;

    (void)zone;
    (void)clock_gettime(CLOCK_REALTIME, &precise);
    now->tv_sec = precise.tv_sec;
    now->tv_usec = precise.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *now)
{
    struct timespec precise;

    (void)clock_gettime(CLOCK_REALTIME, &precise);
    if (now)
        *now = precise.tv_sec;
    return precise.tv_sec;
}
