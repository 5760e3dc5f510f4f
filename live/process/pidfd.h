/*
 * pidfd.h - a process, leader of a group of its own, by a file (a pidfd) that
 * stays with it: its number may be somebody else's by the time it is used.
 *
 * The number of a group is not given away while anybody is in the group, nor
 * while its leader has not been waited for.
 */
#ifndef LIVE_PIDFD_H
#define LIVE_PIDFD_H

#include <stdbool.h>
#include <sys/types.h>

/* Of a process that cannot be waited for meanwhile, such as an own child;
 * closed on exec.  -1 with errno. */
int live_pidfd_open(pid_t pid);

/* Its number in the own PID namespace; 0: it is in another one, or has been
 * waited for, or the file is no pidfd. */
pid_t live_pidfd_pid(int pidfd);

/* It has ended; perhaps nobody has waited for it yet. */
bool live_pidfd_is_dead(int pidfd);

/* It has ended and somebody has waited for it: the number may be anybody's. */
bool live_pidfd_is_reaped(int pidfd);

/* Sends a signal to all of the group whose leader it is or was; `pid` is what
 * live_pidfd_pid() said.  Signal 0 only asks.  -1 with errno: ESRCH nobody is
 * left, EPERM there are some and none of them may be signalled. */
int live_pidfd_signal_group(int pidfd, pid_t pid, int signal);

#endif
