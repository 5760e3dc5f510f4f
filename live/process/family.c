/*
 * family.c - see family.h.
 */
#include "live/process/family.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/process/proc.h"

/* Numbers of processes with a blank after each; NULL: /proc does not tell. */
static FILE *children_of(pid_t parent)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)parent,
             (int)parent);
    return fopen(path, "re");
}

/* The next one; 0: that was all. */
static pid_t next_of(FILE *list)
{
    char number[16];
    size_t size = 0;
    int byte;

    while ((byte = getc(list)) >= '0' && byte <= '9' &&
           size < sizeof number - 1)
        number[size++] = (char)byte;
    number[size] = '\0';
    return (pid_t)strtol(number, NULL, 10);
}

static int note(struct live_family *family, pid_t child)
{
    pid_t *more =
        realloc(family->before, (family->count + 1) * sizeof *family->before);

    if (!more)
        return -1;
    family->before = more;
    family->before[family->count++] = child;
    return 0;
}

int live_family_note(struct live_family *family)
{
    FILE *list;
    pid_t child;
    int failed = 0;

    *family = (struct live_family){0};
    /* Numbers of another PID namespace would name others. */
    list = live_proc_is_own() ? children_of(getpid()) : NULL;
    if (!list)
        return 0;
    family->seen = true;
    while (!failed && (child = next_of(list)))
        failed = note(family, child);
    (void)fclose(list);
    return failed;
}

static bool is_among(pid_t one, const pid_t *all, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (all[i] == one)
            return true;
    return false;
}

/* A child of this process keeps its number until we have waited for it. */
static bool kill_own(pid_t child, int *why)
{
    siginfo_t end = {0};

    if (waitid(P_PID, (id_t)child, &end, WEXITED | WNOHANG) == 0 && end.si_pid)
        return false;
    *why = kill(child, SIGKILL) ? errno : 0;
    return true;
}

/* That of another may be waited for at any time: the file stays with it. */
static bool kill_of(pid_t child, pid_t parent, int *why)
{
    int file = live_pidfd_open(child);
    struct live_proc process;
    bool alive = file >= 0 && live_proc_look(child, &process) &&
                 process.parent == parent && !process.ended;

    if (alive)
        *why =
            syscall(SYS_pidfd_send_signal, file, SIGKILL, NULL, 0) ? errno : 0;
    if (file >= 0)
        close(file);
    return alive;
}

void live_family_sweep(const struct live_family *family, pid_t parent,
                       const pid_t *spared, size_t count,
                       struct live_rest *rest)
{
    FILE *list = family->seen ? children_of(parent) : NULL;
    pid_t child;

    if (!list)
        return;
    while ((child = next_of(list))) {
        int why = 0;

        if (is_among(child, spared, count) ||
            is_among(child, family->before, family->count))
            continue;
        if (parent == getpid() ? !kill_own(child, &why)
                               : !kill_of(child, parent, &why))
            continue;
        rest->alive++;
        if (why) {
            rest->who = child;
            rest->why = why;
        }
    }
    (void)fclose(list);
}

void live_family_forget(struct live_family *family)
{
    free(family->before);
    *family = (struct live_family){0};
}
