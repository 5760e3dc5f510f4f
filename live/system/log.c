/*
 * log.c - see log.h.  The time of day stands here and nowhere else: nothing is
 * decided by it.
 *
 * Standard error is shared with others, so that it is not made non-blocking: it
 * is asked whether it takes something just now.  A pipe that says so takes
 * PIPE_BUF bytes.
 */
#include "live/system/log.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { LINE_BYTES = 640, ROOM = 32768 };

_Static_assert(LINE_BYTES <= PIPE_BUF, "a line is written whole");

static char node[32];
static char kept[ROOM]; /* lines that nobody took yet */
static size_t kept_size;
static uint64_t dropped;

void live_log_name(const char *name)
{
    snprintf(node, sizeof node, "%s", name);
}

/* False if it would have to wait.  What cannot be written at all is gone. */
static bool written(const char *bytes, size_t size)
{
    struct pollfd end = {STDERR_FILENO, POLLOUT, 0};
    ssize_t done =
        send(STDERR_FILENO, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL);

    if (done < 0 && errno == ENOTSOCK) {
        if (poll(&end, 1, 0) == 0)
            return false;
        done = write(STDERR_FILENO, bytes, size);
    }
    return done >= 0 || errno != EAGAIN;
}

/* The bytes of the first line that is kept. */
static size_t first_line(void)
{
    const char *end = memchr(kept, '\n', kept_size);

    return end ? (size_t)(end - kept) + 1 : kept_size;
}

static size_t make_line(char line[LINE_BYTES], const char *text)
{
    struct timespec t = {0};
    struct tm parts;
    char when[32] = "";
    int size;

    (void)clock_gettime(CLOCK_REALTIME, &t);
    if (localtime_r(&t.tv_sec, &parts))
        strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &parts);
    size = snprintf(line, LINE_BYTES, "%s.%03ld %s: %s\n", when,
                    t.tv_nsec / 1000000, node, text);
    return (size_t)size < LINE_BYTES ? (size_t)size : LINE_BYTES - 1;
}

void live_log_flush(void)
{
    char line[LINE_BYTES], text[64];
    size_t size, done = 0;

    while (kept_size > 0) {
        size = first_line();
        if (!written(kept, size))
            return;
        kept_size -= size;
        memmove(kept, kept + size, kept_size);
        if (++done > ROOM / 64) /* not for ever */
            return;
    }
    if (dropped == 0)
        return;
    snprintf(text, sizeof text, "%" PRIu64 " lines were dropped here", dropped);
    if (written(line, make_line(line, text)))
        dropped = 0;
}

void live_log(const char *format, ...)
{
    char line[LINE_BYTES], text[512];
    va_list arguments;
    size_t size;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    size = make_line(line, text);
    live_log_flush();
    if (kept_size == 0 && dropped == 0 && written(line, size))
        return;
    if (dropped > 0 || kept_size + size > sizeof kept) {
        dropped++; /* whatever follows waits, so that the gap is in its place */
        return;
    }
    memcpy(kept + kept_size, line, size);
    kept_size += size;
}
