/*
 * family.c - see family.h.
 */
#include "live/process/family.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/process/proc.h"

/* ---- The list ------------------------------------------------------------ */

/* Numbers of processes with a blank after each.  The file is open from the
 * beginning: there may be none left to open when it is needed. */
struct list {
    int file;
    char bytes[1024];
    size_t size, at;
    int why; /* it could not be read; 0: it could */
};

static int open_list(pid_t parent)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)parent,
             (int)parent);
    return open(path, O_RDONLY | O_CLOEXEC);
}

static void begin(struct list *list, int file)
{
    list->file = file;
    list->size = list->at = 0;
    list->why = lseek(file, 0, SEEK_SET) ? errno : 0;
}

/* The next byte; -1: that was all. */
static int byte_of(struct list *list)
{
    ssize_t size;

    if (list->at == list->size) {
        size =
            list->why ? 0 : read(list->file, list->bytes, sizeof list->bytes);
        if (size < 0)
            list->why = errno;
        list->at = 0;
        list->size = size > 0 ? (size_t)size : 0;
    }
    return list->at < list->size ? list->bytes[list->at++] : -1;
}

/* The next one; 0: that was all. */
static pid_t next_of(struct list *list)
{
    pid_t number = 0;
    int byte;

    while ((byte = byte_of(list)) >= '0' && byte <= '9')
        number = 10 * number + (byte - '0');
    return number;
}

/* ---- Before the command -------------------------------------------------- */

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
    struct list list;
    pid_t child;
    int failed = 0;

    *family = (struct live_family){.list = -1};
    /* Numbers of another PID namespace would name others. */
    if (!live_proc_is_own())
        return 0;
    family->list = open_list(getpid());
    if (family->list < 0)
        return errno == ENOENT ? 0 : -1;
    begin(&list, family->list);
    while (!failed && (child = next_of(&list)))
        failed = note(family, child);
    if (list.why)
        errno = list.why;
    return failed || list.why ? -1 : 0;
}

int live_family_inherit(struct live_family *family, pid_t parent)
{
    if (family->list < 0)
        return 0;
    close(family->list);
    family->list = open_list(parent);
    return family->list < 0 ? -1 : 0;
}

int live_family_of(struct live_family *family, pid_t parent)
{
    *family = (struct live_family){.list = -1};
    if (!live_proc_is_own())
        return 0;
    family->list = open_list(parent);
    return family->list < 0 && errno != ENOENT ? -1 : 0;
}

void live_family_forget(struct live_family *family)
{
    if (family->list >= 0)
        close(family->list);
    free(family->before);
    *family = (struct live_family){.list = -1};
}

/* ---- Ending it ----------------------------------------------------------- */

static bool is_among(pid_t one, const pid_t *all, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (all[i] == one)
            return true;
    return false;
}

/* The next one of the list that is not to be spared; 0: that was all. */
static pid_t next_victim(const struct live_family *family, struct list *list,
                         const pid_t *spared, size_t count)
{
    pid_t child;

    do
        child = next_of(list);
    while (child && (is_among(child, spared, count) ||
                     is_among(child, family->before, family->count)));
    return child;
}

/* Whether a child of this process had ended.  Until then its number is its
 * own. */
static bool reap(pid_t child)
{
    siginfo_t end = {0};

    return waitid(P_PID, (id_t)child, &end, WEXITED | WNOHANG) == 0 &&
           end.si_pid;
}

/* A group that it leads is of the command, too, and dies at once.  Otherwise
 * each generation of a deep tree would have to become ours before it can be
 * killed.  False: it had ended, and is reaped. */
static bool kill_own(pid_t child, int *why)
{
    (void)kill(-child, SIGKILL);
    if (reap(child))
        return false;
    *why = kill(child, SIGKILL) ? errno : 0;
    return true;
}

/* The child of another may be waited for at any time: the file stays with it.
 * Whether it lives, or may. */
static bool kill_of(pid_t child, pid_t parent, int *why)
{
    int file = live_pidfd_open(child);
    struct live_proc process;
    bool alive, known;

    if (file < 0) {
        *why = errno == ESRCH ? 0 : errno;
        return *why != 0;
    }
    known = live_proc_look(child, &process);
    alive = !live_pidfd_is_dead(file) && (!known || process.parent == parent);
    if (alive && !known)
        *why = EACCES; /* it is hidden */
    else if (alive && live_pidfd_signal_group(file, child, SIGKILL))
        *why = errno == ESRCH ? 0 : errno;
    close(file);
    return alive;
}

void live_family_sweep(const struct live_family *family, pid_t parent,
                       const pid_t *spared, size_t count,
                       struct live_rest *rest)
{
    struct list list;
    pid_t child;

    if (family->list < 0 || parent == 0)
        return;
    begin(&list, family->list);
    while ((child = next_victim(family, &list, spared, count))) {
        int why = 0;

        if (parent != getpid())
            rest->alive += kill_of(child, parent, &why);
        else if (kill_own(child, &why))
            rest->alive++;
        else
            rest->reaped++;
        if (why) {
            rest->who = child;
            rest->why = why;
        }
    }
    rest->alive += list.why != 0;
    rest->why = list.why ? list.why : rest->why;
}

void live_family_reap(const struct live_family *family, const pid_t *spared,
                      size_t count)
{
    struct list list;
    pid_t child;

    if (family->list < 0)
        return;
    begin(&list, family->list);
    while ((child = next_victim(family, &list, spared, count)))
        (void)reap(child);
}
