/* why.c - see why.h. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "net/why.h"

static void say(struct net_why *why, bool system, const char *format,
                va_list arguments)
{
    int kept = errno;

    if (!why)
        return;
    why->system = system;
    vsnprintf(why->text, sizeof why->text, format, arguments);
    errno = kept;
}

bool net_refuse(struct net_why *why, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    say(why, false, format, arguments);
    va_end(arguments);
    return false;
}

bool net_fail(struct net_why *why, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    say(why, true, format, arguments);
    va_end(arguments);
    return false;
}

void net_add(struct net_why *why, const char *format, ...)
{
    size_t used = why ? strlen(why->text) : 0;
    va_list arguments;

    if (!why)
        return;
    va_start(arguments, format);
    vsnprintf(why->text + used, sizeof why->text - used, format, arguments);
    va_end(arguments);
}

bool net_where(struct net_why *why, const char *format, ...)
{
    struct net_why whole = {0};
    va_list arguments;

    if (!why)
        return false;
    va_start(arguments, format);
    say(&whole, why->system, format, arguments);
    va_end(arguments);
    net_add(&whole, "%s", why->text);
    *why = whole;
    return false;
}

bool net_no_memory(struct net_why *why, const char *what)
{
    return net_fail(why, "no memory for %s", what);
}
