/*
 * proc.h - what /proc says of processes.  Numbers are of the PID namespace that
 * it was mounted for, and mean something only while their process is known to
 * be there.
 */
#ifndef LIVE_PROC_H
#define LIVE_PROC_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct live_proc {
    pid_t parent, group, session;
    bool ended;     /* with all its threads; it waits to be reaped */
    bool over;      /* its first thread has ended */
    bool stopped;   /* that is stopped, by a signal or a tracer */
    bool alone;     /* that has no others beside it */
    uint64_t start; /* ticks since the boot: tells lives of a number apart */
};

/* The first line of a file that begins so: what follows there, without its end;
 * or NULL. */
enum { LIVE_PROC_LINE = 1024 };
char *live_proc_line(const char *path, const char *begins,
                     char line[LIVE_PROC_LINE]);

/* The text of /proc/PID/stat, which other users choose a part of; false: it is
 * not one. */
bool live_proc_parse(const char *text, struct live_proc *process);

/* False with errno: whether there is no such process says live_proc_is_gone();
 * any other cannot be read, and may live. */
bool live_proc_look(pid_t pid, struct live_proc *process);
bool live_proc_is_gone(void);

/* Whether all its threads are stopped or have ended, as it was seen a moment
 * ago. */
bool live_proc_stands_still(pid_t pid, const struct live_proc *seen);

/* Its real, effective and saved user; false: they cannot be read. */
bool live_proc_users(pid_t pid, uid_t users[3]);

/* When it was started, as above; 0: there is none. */
uint64_t live_proc_started(pid_t pid);

/* Whether a process of that group shows up that has not ended, and was started
 * before a time of live_now(), or UINT64_MAX: at any time; or that cannot be
 * seen.  Looks at all processes of the machine. */
bool live_proc_group_lives(pid_t group, uint64_t before);

/* Whether processes of that group show up, and all of them have ended.  If none
 * does, or processes are hidden, some may live. */
bool live_proc_group_ended(pid_t group);

/* Whether /proc is there and of this process's own PID namespace, so that its
 * numbers are those that kill() means. */
bool live_proc_is_own(void);

/* The boot that this machine runs since, as text; empty if it is not told. */
enum { LIVE_BOOT_BYTES = 40 };
void live_proc_boot(char boot[LIVE_BOOT_BYTES]);

/* ---- By a file ----------------------------------------------------------- */

/* A pidfd stays with its process, leader of a group of its own; the number may
 * be another process's by the time it is used.  The number of a group is not
 * given away while any process is in the group, nor while its leader has not
 * been waited for. */

/* Of a process that cannot be waited for meanwhile, such as a child; closed on
 * exec. -1 with errno. */
int live_pidfd_open(pid_t pid);

/* Its number in this PID namespace; 0: it is in another one, or has been waited
 * for, or the file is not a pidfd. */
pid_t live_pidfd_pid(int pidfd);

/* It has ended; perhaps nobody has waited for it yet. */
bool live_pidfd_is_dead(int pidfd);

/* It has ended and somebody has waited for it: the number may be anybody's. */
bool live_pidfd_is_reaped(int pidfd);

/* Sends it a signal, alone; -1 with errno. */
int live_pidfd_signal(int pidfd, int signal);

/* Sends a signal to all of the group whose leader it is or was, and to itself
 * if it has moved to another of its session; `pid` is what live_pidfd_pid()
 * said.  Signal 0 only asks.  -1 with errno: ESRCH nobody is left, EPERM there
 * are some and none of them may be signalled, or not the leader. */
int live_pidfd_signal_group(int pidfd, pid_t pid, int signal);

#endif
