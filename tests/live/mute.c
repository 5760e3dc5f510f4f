/*
 * mute.c - preloaded, for tests: a process that makes itself the leader of a
 * group stays there for ever, if there is a file $MUTE; so does a guard, which
 * then never says that it watches.
 */
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int setpgid(pid_t pid, pid_t group)
{
    const char *file = getenv("MUTE");

    while (pid == 0 && group == 0 && file && access(file, F_OK) == 0)
        sleep(60);
    return (int)syscall(SYS_setpgid, pid, group);
}
