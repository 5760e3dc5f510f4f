/*
 * pidfd.c - see pidfd.h.
 */
#include "live/process/pidfd.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "live/process/proc.h"

#ifndef PIDFD_SIGNAL_PROCESS_GROUP /* Linux 6.9 */
#define PIDFD_SIGNAL_PROCESS_GROUP (1U << 2)
#endif

int live_pidfd_open(pid_t pid)
{
    return (int)syscall(SYS_pidfd_open, pid, 0);
}

static int signal_by_file(int pidfd, int signal, unsigned flags)
{
    return (int)syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, flags);
}

pid_t live_pidfd_pid(int pidfd)
{
    char path[64], line[LIVE_PROC_LINE];
    const char *rest;
    long pid;

    snprintf(path, sizeof path, "/proc/self/fdinfo/%d", pidfd);
    rest = live_proc_line(path, "Pid:", line);
    pid = rest ? strtol(rest, NULL, 10) : 0;
    return pid > 0 ? (pid_t)pid : 0;
}

bool live_pidfd_is_dead(int pidfd)
{
    struct pollfd process = {pidfd, POLLIN, 0};

    return poll(&process, 1, 0) == 1;
}

bool live_pidfd_is_reaped(int pidfd)
{
    return signal_by_file(pidfd, 0, 0) && errno == ESRCH;
}

int live_pidfd_signal_group(int pidfd, pid_t pid, int signal)
{
    if (signal_by_file(pidfd, signal, PIDFD_SIGNAL_PROCESS_GROUP) == 0)
        return 0;
    if (errno != EINVAL)
        return -1;
    /* An older kernel knows a group by its number alone.  It is still that of
     * this group if the leader has not been waited for, or if no process has
     * it: whoever got it anew would be one. */
    if (pid > 1 &&
        (!live_pidfd_is_reaped(pidfd) || (kill(pid, 0) && errno == ESRCH)))
        return kill(-pid, signal);
    errno = ESRCH;
    return -1;
}
