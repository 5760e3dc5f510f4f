/*
 * lax.c - preloaded, for tests: a process that wants to forbid itself new
 * rights does not; so that there is a command which its client may not kill.
 */
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int prctl(int what, ...)
{
    unsigned long argument;
    va_list rest;

    if (what == PR_SET_NO_NEW_PRIVS)
        return 0;
    va_start(rest, what);
    argument = va_arg(rest, unsigned long);
    va_end(rest);
    return (int)syscall(SYS_prctl, what, argument, 0, 0, 0);
}
