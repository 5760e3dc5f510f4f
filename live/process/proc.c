/*
 * proc.c - see proc.h.
 */
#include "live/process/proc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { STAT_BYTES = 4096 }; /* several times what it can have */

char *live_proc_line(const char *path, const char *begins,
                     char line[LIVE_PROC_LINE])
{
    FILE *file = fopen(path, "re");
    char *found = NULL;

    while (file && !found && fgets(line, LIVE_PROC_LINE, file))
        if (strncmp(line, begins, strlen(begins)) == 0)
            found = line + strlen(begins);
    if (file)
        (void)fclose(file);
    if (found)
        found[strcspn(found, "\n")] = '\0';
    return found;
}

/* As many numbers as are there, up to `most`. */
static uint32_t read_numbers(const char *text, uint64_t *numbers, uint32_t most)
{
    uint32_t count = 0;
    char *end;

    for (; count < most; count++, text = end) {
        numbers[count] = (uint64_t)strtoll(text, &end, 10);
        if (end == text)
            break;
    }
    return count;
}

/* The name of a program is in brackets and may have any bytes, ends of lines
 * and brackets too; only numbers follow it.  So what follows begins after the
 * last bracket of all, with field 3, a letter. */
bool live_proc_parse(const char *text, struct live_proc *process)
{
    enum { PARENT, GROUP, SESSION, THREADS = 16, START = 18, FIELDS };
    uint64_t fields[FIELDS];
    const char *rest = strrchr(text, ')');
    bool over;

    if (!rest || strlen(rest) < 4 ||
        read_numbers(rest + 3, fields, FIELDS) < FIELDS)
        return false;
    over = rest[2] == 'Z' || rest[2] == 'X';
    *process = (struct live_proc){
        .parent = (pid_t)fields[PARENT],
        .group = (pid_t)fields[GROUP],
        .session = (pid_t)fields[SESSION],
        /* The letter is the first thread's: others may go on.  None at
         * all: it was taken away meanwhile, perhaps by another that executes a
         * program as this process. */
        .ended = over && fields[THREADS] == 1,
        .over = over,
        .stopped = rest[2] == 'T' || rest[2] == 't',
        .alone = fields[THREADS] == 1,
        .start = fields[START],
    };
    return true;
}

/* All of a file, as a text; false with errno. */
static bool read_whole(const char *path, char *text, size_t room)
{
    int file = open(path, O_RDONLY | O_CLOEXEC), why = 0;
    size_t size = 0;
    ssize_t more = 1;

    if (file < 0)
        return false;
    while (more > 0 && size < room - 1) {
        more = read(file, text + size, room - 1 - size);
        size += more > 0 ? (size_t)more : 0;
    }
    if (more < 0)
        why = errno;
    else if (more > 0) /* there may be more than there was room for */
        why = EFBIG;
    close(file);
    text[size] = '\0';
    errno = why;
    return why == 0;
}

bool live_proc_look(pid_t pid, struct live_proc *process)
{
    char path[64], text[STAT_BYTES];

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    if (!read_whole(path, text, sizeof text))
        return false;
    errno = EBADMSG;
    return live_proc_parse(text, process);
}

bool live_proc_is_gone(void)
{
    return errno == ENOENT || errno == ESRCH;
}

/* Thread by thread: the list of a process that is not there any more is empty,
 * and that has no thread that could do anything. */
static bool threads_stand_still(pid_t pid)
{
    char path[64], text[STAT_BYTES];
    DIR *all;
    const struct dirent *entry;
    struct live_proc thread;
    bool still = true;

    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    all = opendir(path);
    if (!all)
        return live_proc_is_gone();
    errno = 0;
    while (still && (entry = readdir(all))) {
        if (entry->d_name[0] != '.') {
            snprintf(path, sizeof path, "/proc/%d/task/%ld/stat", (int)pid,
                     strtol(entry->d_name, NULL, 10));
            if (!read_whole(path, text, sizeof text))
                still = live_proc_is_gone();
            else
                still = live_proc_parse(text, &thread) &&
                        (thread.stopped || thread.over);
        }
        errno = 0;
    }
    still &= errno == 0;
    (void)closedir(all);
    return still;
}

bool live_proc_stands_still(pid_t pid, const struct live_proc *seen)
{
    return seen->alone ? seen->stopped || seen->over : threads_stand_still(pid);
}

bool live_proc_users(pid_t pid, uid_t users[3])
{
    char path[64], line[LIVE_PROC_LINE];
    uint64_t numbers[3];
    const char *rest;

    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    rest = live_proc_line(path, "Uid:", line);
    if (!rest || read_numbers(rest, numbers, 3) < 3)
        return false;
    for (int i = 0; i < 3; i++)
        users[i] = (uid_t)numbers[i];
    return true;
}

uint64_t live_proc_started(pid_t pid)
{
    struct live_proc process;

    return live_proc_look(pid, &process) ? process.start : 0;
}

/* What shows up of a group. */
struct members {
    bool alive, ended;
};

/* One process of the list.  The kernel tells its group without a file: so a
 * process of another group need not be readable, and one of this group that
 * cannot be read counts as one that lives. */
static void look_at(pid_t pid, pid_t group, uint64_t before,
                    struct members *found)
{
    const uint64_t tick = 1000000 / (uint64_t)sysconf(_SC_CLK_TCK);
    pid_t its = getpgid(pid);
    struct live_proc process;

    if (its >= 0 ? its != group : errno == ESRCH)
        return;
    if (!live_proc_look(pid, &process))
        found->alive |= !live_proc_is_gone();
    else if (process.group == group && process.start <= before / tick)
        *(process.ended ? &found->ended : &found->alive) = true;
}

static struct members look_for(pid_t group, uint64_t before)
{
    DIR *all = opendir("/proc");
    const struct dirent *one;
    struct members found = {.alive = !all};

    errno = 0;
    while (!found.alive && (one = readdir(all))) {
        if (one->d_name[0] >= '1' && one->d_name[0] <= '9')
            look_at((pid_t)strtol(one->d_name, NULL, 10), group, before,
                    &found);
        errno = 0;
    }
    found.alive |= errno != 0; /* not all could be listed */
    if (all)
        (void)closedir(all);
    return found;
}

bool live_proc_group_lives(pid_t group, uint64_t before)
{
    return look_for(group, before).alive;
}

/* Where the first process is hidden, others are. */
bool live_proc_group_ended(pid_t group)
{
    struct members found = look_for(group, UINT64_MAX);
    struct live_proc first;

    return live_proc_look(1, &first) && found.ended && !found.alive;
}

/* A process has a number for each namespace from the one of /proc down to its
 * own. */
bool live_proc_is_own(void)
{
    char line[LIVE_PROC_LINE];
    uint64_t numbers[2];
    const char *rest = live_proc_line("/proc/self/status", "NSpid:", line);

    return rest && read_numbers(rest, numbers, 2) == 1 &&
           numbers[0] == (uint64_t)getpid();
}

void live_proc_boot(char boot[LIVE_BOOT_BYTES])
{
    char line[LIVE_PROC_LINE];
    const char *found =
        live_proc_line("/proc/sys/kernel/random/boot_id", "", line);

    snprintf(boot, LIVE_BOOT_BYTES, "%.*s", LIVE_BOOT_BYTES - 1,
             found ? found : "");
}

/* ---- By a file ----------------------------------------------------------- */

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

int live_pidfd_signal(int pidfd, int signal)
{
    return signal_by_file(pidfd, signal, 0);
}

static int signal_members(int pidfd, pid_t pid, int signal)
{
    if (signal_by_file(pidfd, signal, PIDFD_SIGNAL_PROCESS_GROUP) == 0)
        return 0;
    if (errno != EINVAL)
        return -1;
    /* An older kernel knows a group by its number alone.  It still means this
     * group if the leader has not been waited for, or if no process has it. */
    if (pid > 1 &&
        (!live_pidfd_is_reaped(pidfd) || (kill(pid, 0) && errno == ESRCH)))
        return kill(-pid, signal);
    errno = ESRCH;
    return -1;
}

/* A leader that comes and goes between two groups is killed in either. */
int live_pidfd_signal_group(int pidfd, pid_t pid, int signal)
{
    bool apart = signal == SIGKILL || getpgid(pid) != pid;
    bool dead = live_pidfd_is_dead(pidfd); /* before a signal that kills it */
    int own = apart && signal_by_file(pidfd, signal, 0) ? errno : 0;
    int why = signal_members(pidfd, pid, signal) ? errno : 0;

    if (apart && (own == EPERM || why == ESRCH) && !dead)
        why = own;
    errno = why;
    return why ? -1 : 0;
}
