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
    pid_t parent, group;
    bool ended;     /* and waits to be buried */
    uint64_t start; /* ticks since the boot: tells lives of a number apart */
};

/* The first line of a file that begins so: what follows there, without its end;
 * or NULL. */
enum { LIVE_PROC_LINE = 1024 };
char *live_proc_line(const char *path, const char *begins,
                     char line[LIVE_PROC_LINE]);

/* False: there is no such process, or it is hidden. */
bool live_proc_look(pid_t pid, struct live_proc *process);

/* Its real, effective and saved user; false likewise. */
bool live_proc_users(pid_t pid, uid_t users[3]);

/* When it was started, as above; 0: there is none. */
uint64_t live_proc_started(pid_t pid);

/* Whether a process of that group shows up that has not ended, and was started
 * before a time of live_now(), or UINT64_MAX: at any time.  Looks at all
 * processes of the machine. */
bool live_proc_group_lives(pid_t group, uint64_t before);

/* Whether /proc is there and of this process's own PID namespace, so that its
 * numbers are those that kill() means. */
bool live_proc_is_own(void);

/* The boot that this machine runs since, as text; empty if it is not told. */
enum { LIVE_BOOT_BYTES = 40 };
void live_proc_boot(char boot[LIVE_BOOT_BYTES]);

#endif
