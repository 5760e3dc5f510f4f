/*
 * hunt.c - see hunt.h.
 */
#include "live/process/hunt.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live/process/become.h"
#include "live/process/proc.h"

enum {
    ROUNDS = 20,           /* of looking, before those found are killed */
    STILL = 2,             /* looks in a row with nothing new */
    ENVIRON_MOST = 1 << 23 /* bytes that are looked at: more than is allowed */
};

struct live_found {
    pid_t pid;
    struct live_proc is;
    bool of;      /* the command */
    bool looked;  /* into its environment */
    bool stopped; /* it was sent SIGSTOP */
    bool killed;  /* it was sent SIGKILL */
};

/* All processes that may be of the command, by their numbers. */
struct all {
    struct live_found *of;
    size_t count, room;
    bool cut; /* some could not be read */
};

/* ---- All processes ------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
    const struct live_found *x = a, *y = b;

    return (x->pid > y->pid) - (x->pid < y->pid);
}

static struct live_found *find(const struct all *all, pid_t pid)
{
    const struct live_found key = {.pid = pid};

    return all->count
               ? bsearch(&key, all->of, all->count, sizeof key, by_number)
               : NULL;
}

static bool add(struct all *all, const struct live_found *one)
{
    if (all->count == all->room) {
        size_t room = all->room ? 2 * all->room : 256;
        struct live_found *more = realloc(all->of, room * sizeof *more);

        if (!more)
            return false;
        all->of = more;
        all->room = room;
    }
    all->of[all->count++] = *one;
    return true;
}

/* What was known of it; a number may be another's by now. */
static void remember(struct live_found *one, const struct all *before)
{
    const struct live_found *was = find(before, one->pid);

    if (!was || was->is.start != one->is.start)
        return;
    one->of = was->of;
    one->looked = was->looked;
    one->stopped = was->stopped;
    one->killed = was->killed;
}

static void look_round(struct all *all, const struct all *before,
                       const struct live_quarry *q)
{
    DIR *list = opendir("/proc");
    const struct dirent *entry;

    all->cut = !list;
    errno = 0;
    while (!all->cut && (entry = readdir(list))) {
        struct live_found one = {.pid = (pid_t)strtol(entry->d_name, NULL, 10)};

        if (one.pid > 1 && one.pid != getpid()) {
            if (!live_proc_look(one.pid, &one.is)) {
                all->cut =
                    errno == EMFILE || errno == ENFILE || errno == ENOMEM;
            } else if (one.is.start >= q->born || one.pid == q->guard) {
                /* The guard is older, and shows whose its children are. */
                remember(&one, before);
                all->cut = !add(all, &one);
            }
        }
        errno = 0;
    }
    all->cut |= errno != 0;
    if (list)
        (void)closedir(list);
    if (all->count)
        qsort(all->of, all->count, sizeof *all->of, by_number);
}

/* ---- Processes of the command -------------------------------------------- */

/* Whether the mark is in the value of one variable. */
static bool has_mark(const char *marks, const char *mark)
{
    size_t size = strlen(mark);

    for (; *marks; marks += strcspn(marks, ":"), marks += *marks == ':')
        if (strcspn(marks, ":") == size && !strncmp(marks, mark, size))
            return true;
    return false;
}

/* As a text of texts, with a zero more at its end.  NULL: not readable. */
static char *read_environ(pid_t pid, size_t *size)
{
    char path[64], *text = NULL, *more;
    ssize_t now = 1;
    int file;

    snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
    file = open(path, O_RDONLY | O_CLOEXEC);
    *size = 0;
    for (size_t room = 0; file >= 0 && now > 0 && *size < ENVIRON_MOST;) {
        if (*size + 1 >= room) {
            room = room ? 2 * room : 4096;
            more = realloc(text, room);
            if (!more)
                break;
            text = more;
        }
        now = read(file, text + *size, room - 1 - *size);
        *size += now > 0 ? (size_t)now : 0;
        text[*size] = '\0';
    }
    if (file >= 0)
        close(file);
    return text;
}

static bool is_marked(pid_t pid, const char *mark)
{
    static const char name[] = LIVE_MARK "=";
    size_t size, at = 0;
    char *text = read_environ(pid, &size);
    bool found = false;

    while (text && !found && at < size) {
        if (!strncmp(text + at, name, sizeof name - 1))
            found = has_mark(text + at + sizeof name - 1, mark);
        at += strlen(text + at) + 1;
    }
    free(text);
    return found;
}

static bool may_touch(const struct live_quarry *q, pid_t pid)
{
    uid_t users[3];

    return q->anybody || (live_proc_users(pid, users) && users[0] == q->user &&
                          users[1] == q->user && users[2] == q->user);
}

/* By itself. */
static bool is_known(struct live_found *one, const struct all *all,
                     const struct live_quarry *q, const char *mark)
{
    const struct live_found *leader = find(all, q->leader);
    const struct live_found *guard = q->guard ? find(all, q->guard) : NULL;
    bool same = !leader || !q->born || leader->is.start == q->born;

    if (q->leader && same &&
        (one->pid == q->leader || one->is.group == q->leader))
        return true;
    if (guard && guard->is.start == q->guard_born && one->is.parent == q->guard)
        return true;
    if (one->looked || !q->mark || one->is.ended || !may_touch(q, one->pid))
        return false;
    one->looked = true;
    return is_marked(one->pid, mark);
}

/* By another: its leader or its parent, which is at least as old. */
static bool follows(const struct live_found *one, const struct all *all,
                    pid_t other)
{
    const struct live_found *o = find(all, other);

    return o && o->of && o->pid != one->pid && o->is.start <= one->is.start;
}

static void tell_apart(struct all *all, const struct live_quarry *q)
{
    char mark[LIVE_MARK_TEXT];
    bool more = true;

    live_mark_write(q->mark, mark);
    for (size_t i = 0; i < all->count; i++)
        if (!all->of[i].of)
            all->of[i].of = is_known(&all->of[i], all, q, mark);
    while (more) {
        more = false;
        for (size_t i = 0; i < all->count; i++) {
            struct live_found *one = &all->of[i];

            if (one->of ||
                (one->pid == q->guard && one->is.start == q->guard_born))
                continue;
            one->of = follows(one, all, one->is.parent) ||
                      follows(one, all, one->is.group) ||
                      follows(one, all, one->is.session);
            more |= one->of;
        }
    }
}

bool live_quarry_lives(const struct live_quarry *q)
{
    const struct all nobody = {0};
    struct all all = {0};
    bool lives;

    look_round(&all, &nobody, q);
    tell_apart(&all, q);
    lives = all.cut;
    for (size_t i = 0; i < all.count; i++)
        lives |= all.of[i].of && !all.of[i].is.ended;
    free(all.of);
    return lives;
}

/* ---- Its end ------------------------------------------------------------- */

/* The file stays with the process that was looked at, or none is signalled;
 * whether it was. */
static bool send(const struct live_found *one, const struct live_quarry *q,
                 int signal)
{
    int file = live_pidfd_open(one->pid);
    struct live_proc now;
    bool sent;

    if (file < 0)
        return false;
    sent = live_proc_look(one->pid, &now) && now.start == one->is.start &&
           may_touch(q, one->pid) && live_pidfd_signal(file, signal) == 0;
    close(file);
    return sent;
}

/* Whether nobody new shows up, and all stand still: one that was sent SIGSTOP
 * may still be making another process. */
static bool stop_all(struct all *all, const struct live_quarry *q)
{
    bool still = true;

    for (size_t i = 0; i < all->count; i++) {
        struct live_found *one = &all->of[i];

        if (!one->of || one->is.ended || one->killed)
            continue;
        still &= one->stopped && live_proc_stands_still(one->pid, &one->is);
        if (!one->stopped)
            (void)send(one, q, SIGSTOP);
        one->stopped = true;
    }
    return still;
}

static int kill_found(struct all *all, const struct live_quarry *q)
{
    int count = 0;

    for (size_t i = 0; i < all->count; i++)
        if (all->of[i].of && !all->of[i].is.ended) {
            all->of[i].killed |= send(&all->of[i], q, SIGKILL);
            count++;
        }
    return count;
}

/* ---- From one look to the next ------------------------------------------- */

/* Those that a look which was cut did not come to are where they were. */
static void keep_unseen(struct all *all, const struct all *before)
{
    size_t seen = all->count;

    for (size_t i = 0; i < before->count; i++) {
        const struct all those = {.of = all->of, .count = seen};

        if (before->of[i].of && !find(&those, before->of[i].pid))
            (void)add(all, &before->of[i]);
    }
    if (all->count)
        qsort(all->of, all->count, sizeof *all->of, by_number);
}

/* All others are forgotten. */
static void keep_prey(struct live_prey *prey, const struct all *all)
{
    size_t count = 0;

    for (size_t i = 0; i < all->count; i++)
        if (all->of[i].of && !all->of[i].is.ended)
            all->of[count++] = all->of[i];
    *prey = (struct live_prey){all->of, count};
    if (count == 0)
        live_prey_forget(prey);
}

int live_hunt(const struct live_quarry *q, struct live_prey *prey)
{
    struct all all = {.of = prey->of, .count = prey->count}, before;
    int count, still = 0;

    for (int i = 0; i < ROUNDS && still < STILL && !all.cut; i++) {
        before = all;
        all = (struct all){0};
        look_round(&all, &before, q);
        if (all.cut)
            keep_unseen(&all, &before);
        free(before.of);
        tell_apart(&all, q);
        still = stop_all(&all, q) ? still + 1 : 0;
    }
    count = kill_found(&all, q);
    if (count == 0 && all.cut)
        count = -1;
    keep_prey(prey, &all);
    return count;
}

void live_prey_forget(struct live_prey *prey)
{
    free(prey->of);
    *prey = (struct live_prey){0};
}
