/*
 * fail.h - how a function of live/ fails: with -1 and a sentence that says what
 * happened and what helps.
 */
#ifndef LIVE_FAIL_H
#define LIVE_FAIL_H

#include <stdarg.h>
#include <stdio.h>

enum { LIVE_ERROR_SIZE = 512 };

/* Writes the sentence; returns -1.  errno stays as it is. */
__attribute__((format(printf, 2, 3))) static inline int
live_fail(char error[LIVE_ERROR_SIZE], const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(error, LIVE_ERROR_SIZE, format, arguments);
    va_end(arguments);
    return -1;
}

#endif
