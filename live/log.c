/*
 * log.c - see log.h.  The time of day stands here and nowhere else: nothing is
 * decided by it.
 */
#include "live/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

static char node[32];

void live_log_name(const char *name)
{
    snprintf(node, sizeof node, "%s", name);
}

void live_log(const char *format, ...)
{
    char line[512], when[32] = "";
    struct timespec t = {0};
    struct tm parts;
    va_list arguments;

    (void)clock_gettime(CLOCK_REALTIME, &t);
    if (localtime_r(&t.tv_sec, &parts))
        strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &parts);
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    fprintf(stderr, "%s.%03ld %s: %s\n", when, t.tv_nsec / 1000000, node, line);
}
