/*
 * slewed.c - a clock that is being slewed, for tests, preloaded.
 *
 * With $SLEWED adjtimex() says the tick in that file, in microseconds for a
 * hundredth of a second; the clock itself stays as it is.  With $SLEWED_BY the
 * clock that nobody can set runs faster by some millionths, and timers of it
 * with it; and nobody is told.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

static int64_t ppm(void)
{
    const char *text = getenv("SLEWED_BY");

    return text ? strtoll(text, NULL, 10) : 0;
}

int adjtimex(struct timex *state)
{
    const char *path = getenv("SLEWED");
    char text[24] = "";
    int file, code = (int)syscall(SYS_adjtimex, state);

    if (!path || (file = open(path, O_RDONLY | O_CLOEXEC)) < 0)
        return code;
    if (read(file, text, sizeof text - 1) > 0 && state->modes == 0)
        state->tick = strtol(text, NULL, 10);
    close(file);
    return code;
}

/* A time of one clock by another that runs at another rate: 10^6 seconds are
 * more than any machine of tests is up. */
static struct timespec at_rate(struct timespec t, int64_t by, int64_t of)
{
    int64_t us = ((int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000) / 1000 * by /
                 of * 1000;

    us += ((int64_t)t.tv_nsec / 1000 % 1000) * by / of;
    return (struct timespec){us / 1000000, us % 1000000 * 1000};
}

int clock_gettime(clockid_t which, struct timespec *now)
{
    int code = (int)syscall(SYS_clock_gettime, which, now);

    if (code == 0 && which == CLOCK_BOOTTIME && ppm())
        *now = at_rate(*now, 1000000 + ppm(), 1000000);
    return code;
}

int timerfd_settime(int timer, int flags, const struct itimerspec *set,
                    struct itimerspec *before)
{
    struct itimerspec real = *set;

    if (ppm() && (set->it_value.tv_sec || set->it_value.tv_nsec)) {
        real.it_value = at_rate(set->it_value, 1000000, 1000000 + ppm());
        real.it_value.tv_nsec |= 1; /* never 0, which means never */
    }
    return (int)syscall(SYS_timerfd_settime, timer, flags, &real, before);
}
