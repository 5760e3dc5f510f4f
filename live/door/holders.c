/*
 * holders.c - see holders.h.
 *
 * A cgroup is known again by its folder's inode; a process by its number and
 * the time of its start.  If the leader of a group is gone, its number stays
 * with the group as long as somebody is in it: so a process that is in that
 * group now, and was there already when the last daemon lived, shows that it is
 * the same.
 */
#include "live/door/holders.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "live/clock.h"
#include "live/desk/desk.h"
#include "live/fail.h"
#include "live/log.h"
#include "live/process/cgroup.h"
#include "live/process/proc.h"

enum {
    CGROUP_BYTES = 232,
    PATIENCE = 10000000, /* microseconds, until the killed are dead */
    LOOK_AGAIN_NS = 5000000,
};

struct place {
    uint32_t used;
    int32_t group;
    uint64_t start; /* of its leader */
    uint64_t inode; /* of the cgroup's folder; 0: none */
    char cgroup[CGROUP_BYTES];
};

struct notes {
    char magic[8]; /* whole, or the file is new */
    char boot[LIVE_BOOT_BYTES];
    uint64_t alive;    /* when the daemon lived for certain */
    uint64_t deadline; /* that it has promised at most */
    struct place places[LIVE_CLIENTS_MAX];
};

struct live_holders {
    struct notes *notes;
    char boot[LIVE_BOOT_BYTES];
    char path[LIVE_PATH_MAX + LIVE_NAME_MAX + 16];
};

static const char magic[8] = "FCHOLD1";

/* ---- What is still there ------------------------------------------------- */

static bool cgroup_is(const struct place *p)
{
    struct stat folder;

    return p->inode && stat(p->cgroup, &folder) == 0 &&
           (uint64_t)folder.st_ino == p->inode;
}

/* Somebody in it lives. */
static bool cgroup_lives(const struct place *p)
{
    char path[CGROUP_BYTES + 32], line[LIVE_PROC_LINE];
    const char *populated;

    if (!cgroup_is(p))
        return false;
    snprintf(path, sizeof path, "%s/cgroup.events", p->cgroup);
    populated = live_proc_line(path, "populated ", line);
    return populated && *populated == '1';
}

/* A process of the group lives that was there before the last daemon died. */
static bool group_lives(const struct place *p, uint64_t alive)
{
    return live_proc_group_lives(p->group, alive) &&
           (live_proc_started(p->group) == 0 ||
            live_proc_started(p->group) == p->start);
}

/* In whatever group it is now. */
static bool leader_lives(const struct place *p)
{
    struct live_proc leader;

    return live_proc_look(p->group, &leader) && leader.start == p->start &&
           !leader.ended;
}

static bool lives(const struct place *p, uint64_t alive)
{
    return p->used &&
           (cgroup_lives(p) || leader_lives(p) || group_lives(p, alive));
}

static uint32_t count_living(const struct notes *n)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < LIVE_CLIENTS_MAX; i++)
        count += lives(&n->places[i], n->alive);
    return count;
}

/* ---- Ending it ----------------------------------------------------------- */

/* Returns an errno, or 0. */
static int end_one(const struct place *p, uint64_t alive)
{
    char path[CGROUP_BYTES + 32];
    int file, why = 0;

    if (cgroup_lives(p)) {
        snprintf(path, sizeof path, "%s/cgroup.kill", p->cgroup);
        file = open(path, O_WRONLY | O_CLOEXEC);
        if (file < 0 || write(file, "1", 1) != 1)
            why = errno;
        if (file >= 0)
            close(file);
    }
    if (leader_lives(p) && kill(p->group, SIGKILL) && errno != ESRCH)
        why = errno;
    if (group_lives(p, alive) && kill(-p->group, SIGKILL) && errno != ESRCH)
        why = errno;
    return why;
}

static void rest(void)
{
    (void)nanosleep(&(struct timespec){0, LOOK_AGAIN_NS}, NULL);
}

/* Until the last deadline clients may end their commands themselves, and say
 * why. */
static void await_deadline(const struct notes *n, uint64_t longest)
{
    uint64_t until = n->deadline, most = live_now() + longest;

    if (until > most)
        until = most;
    while (live_now() < until && count_living(n) > 0)
        rest();
}

static int end_all(const struct notes *n, char error[LIVE_ERROR_SIZE])
{
    uint64_t until = live_now() + PATIENCE;
    const struct place *p = NULL;
    int why = 0;

    do {
        for (uint32_t i = 0; i < LIVE_CLIENTS_MAX; i++)
            if (lives(&n->places[i], n->alive)) {
                p = &n->places[i];
                why = end_one(p, n->alive);
            }
        if (count_living(n) == 0)
            return 0;
        rest();
    } while (live_now() < until && why != EPERM);
    return live_fail(
        error,
        "process group %d held a lock when this node was killed, and cannot be "
        "ended%s%s; end it, or start the node as root",
        p ? (int)p->group : 0, why ? ": " : "", why ? strerror(why) : "");
}

static int end_former(const struct notes *n, uint64_t lease,
                      char error[LIVE_ERROR_SIZE])
{
    uint32_t count;

    if (!live_proc_is_own()) {
        live_log("cannot see whether its last run left processes behind: its "
                 "/proc is not there, or of another PID namespace");
        return 0;
    }
    if (count_living(n) == 0)
        return 0;
    await_deadline(n, lease);
    count = count_living(n);
    if (count == 0)
        return 0;
    live_log("kills what its last run left behind: %u commands that held locks",
             count);
    return end_all(n, error);
}

/* A cgroup stays where client, guard and daemon were killed together, and its
 * name may be that of another command one day: only the inode tells. */
static void remove_cgroups(const struct notes *n)
{
    for (uint32_t i = 0; i < LIVE_CLIENTS_MAX; i++)
        if (n->places[i].used && cgroup_is(&n->places[i]))
            live_cgroup_remove(n->places[i].cgroup);
}

/* ---- The file ------------------------------------------------------------ */

static void *map(const char *path)
{
    const int both = PROT_READ | PROT_WRITE;
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    void *all = MAP_FAILED;

    if (file < 0)
        return NULL;
    /* With its room from the beginning: a full disk does no harm later. */
    errno = posix_fallocate(file, 0, sizeof(struct notes));
    if (errno == 0) {
        all = mmap(NULL, sizeof(struct notes), both, MAP_SHARED, file, 0);
    } else if (errno == ENOSPC || errno == EDQUOT) {
        live_log("cannot note in %s who holds locks: %s; the next start does "
                 "not find what this one leaves",
                 path, strerror(errno));
        (void)unlink(path); /* it had no room: it is new */
        all = mmap(NULL, sizeof(struct notes), both,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    }
    close(file);
    return all == MAP_FAILED ? NULL : all;
}

/* Texts of a file that somebody else may have damaged. */
static bool is_whole(const struct notes *n)
{
    if (memcmp(n->magic, magic, sizeof magic) != 0 ||
        !memchr(n->boot, 0, sizeof n->boot))
        return false;
    for (uint32_t i = 0; i < LIVE_CLIENTS_MAX; i++) {
        const struct place *p = &n->places[i];

        if (p->used &&
            (p->group <= 1 || !memchr(p->cgroup, 0, sizeof p->cgroup)))
            return false;
    }
    return true;
}

/* What a former life has left; -1 with a sentence. */
static int clear_former(const struct live_holders *h, uint64_t lease,
                        char error[LIVE_ERROR_SIZE])
{
    if (!is_whole(h->notes) || !h->boot[0] ||
        strcmp(h->notes->boot, h->boot) != 0)
        return 0;
    if (end_former(h->notes, lease, error))
        return -1;
    remove_cgroups(h->notes);
    return 0;
}

struct live_holders *live_holders_open(const struct live_config *config,
                                       uint32_t self,
                                       char error[LIVE_ERROR_SIZE])
{
    struct live_holders *h = calloc(1, sizeof *h);

    if (!h) {
        snprintf(error, LIVE_ERROR_SIZE, "no memory is left");
        return NULL;
    }
    snprintf(h->path, sizeof h->path, "%s/%s.holders", config->state,
             config->nodes[self].name);
    h->notes = map(h->path);
    if (!h->notes) {
        snprintf(error, LIVE_ERROR_SIZE,
                 "cannot note in %s who holds locks: %s; see who may write it",
                 h->path, strerror(errno));
        free(h);
        return NULL;
    }
    live_proc_boot(h->boot);
    if (clear_former(h, config->lease, error)) {
        live_holders_close(h);
        return NULL;
    }
    memset(h->notes, 0, sizeof *h->notes);
    memcpy(h->notes->boot, h->boot, sizeof h->boot);
    memcpy(h->notes->magic, magic, sizeof magic);
    return h;
}

int live_holders_note(struct live_holders *h, pid_t group, bool cgroup)
{
    char folder[LIVE_CGROUP_PATH];
    struct stat found;
    struct place *p;
    int i = 0;

    while (i < LIVE_CLIENTS_MAX && h->notes->places[i].used)
        i++;
    if (i == LIVE_CLIENTS_MAX)
        return -1;
    p = &h->notes->places[i];
    p->group = (int32_t)group;
    p->start = live_proc_started(group);
    p->inode = 0;
    p->cgroup[0] = '\0';
    if (cgroup && live_cgroup_folder(group, folder) &&
        strlen(folder) < sizeof p->cgroup && stat(folder, &found) == 0) {
        memcpy(p->cgroup, folder, strlen(folder) + 1);
        p->inode = (uint64_t)found.st_ino;
    }
    __atomic_store_n(&p->used, 1, __ATOMIC_RELEASE); /* whole, or not there */
    return i;
}

void live_holders_forget(struct live_holders *h, int place)
{
    __atomic_store_n(&h->notes->places[place].used, 0, __ATOMIC_RELEASE);
}

void live_holders_beat(struct live_holders *h, uint64_t now, uint64_t deadline)
{
    h->notes->alive = now;
    h->notes->deadline = deadline;
}

/* Nobody is left: neither need the file be. */
void live_holders_close(struct live_holders *h)
{
    bool used = false;

    if (!h)
        return;
    for (uint32_t i = 0; i < LIVE_CLIENTS_MAX; i++)
        used = used || h->notes->places[i].used;
    if (!used)
        (void)unlink(h->path);
    (void)munmap(h->notes, sizeof *h->notes);
    free(h);
}
