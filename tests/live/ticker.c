/*
 * ticker.c - what a lock is held for, in tests: it writes down that it is
 * there.
 *
 *     ticker FILE WHO MS
 *
 * appends "TIME WHO" to FILE every millisecond, for MS of them; TIME is of
 * CLOCK_BOOTTIME, in microseconds.  With the set-user-ID bit it becomes its
 * owner for good first, as su(1) does.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static uint64_t now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_BOOTTIME, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

int main(int argc, char **argv)
{
    const struct timespec beat = {0, 1000000};
    uint64_t until;
    int file;

    if (argc != 4 ||
        (file = open(argv[1], O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC,
                     0666)) < 0)
        return 2;
    if (geteuid() != getuid() && setresuid(geteuid(), geteuid(), geteuid()))
        return 2;
    until = now_us() + 1000 * strtoull(argv[3], NULL, 10);
    while (now_us() < until) {
        char line[128];
        int size =
            snprintf(line, sizeof line, "%" PRIu64 " %s\n", now_us(), argv[2]);

        if (write(file, line, (size_t)size) != size)
            return 3;
        (void)nanosleep(&beat, NULL);
    }
    return 0;
}
