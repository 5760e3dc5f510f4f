/*
 * holders.c - see holders.h.
 *
 * The list is kept in memory, and each change is written through; the file is
 * never mapped, so that one which is cut, or has no room on its disk, costs the
 * next life its knowledge, and this one nothing.
 */
#include "live/door/holders_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live/process/cgroup.h"
#include "live/system/log.h"
#include "net/outside.h"
#include "net/whole.h"
#include "net/why.h"

struct live_holders {
    struct holders_notes notes;
    int folder, file; /* file -1: without one */
    bool told;        /* that it was cut */
    const char *node;
    char name[LIVE_NAME_MAX + 16]; /* in the folder */
    char path[LIVE_PATH_MAX + LIVE_NAME_MAX + 16];
};

static const char magic[8] = "FCHOLD2", magic_before[8] = "FCHOLD1";

_Static_assert(offsetof(struct holders_notes, places) == 256, "one page each");
_Static_assert(sizeof(struct holders_place) == 256, "one page each");

/* ---- What a former life has left ----------------------------------------- */

/* As an earlier program wrote it: of no node, no mark and no user. */
struct place_before {
    uint32_t used;
    int32_t group;
    uint64_t start, inode;
    char cgroup[232];
};
struct notes_before {
    char magic[8], boot[LIVE_BOOT_BYTES];
    uint64_t alive, deadline;
    struct place_before places[LIVE_CLIENTS_MAX];
};
_Static_assert(sizeof(struct notes_before) <= sizeof(struct holders_notes),
               "it is read into the same room");

/* False: it cannot be taken over. */
static bool take_over(struct holders_notes *n, const struct notes_before *old,
                      const char *node)
{
    memcpy(n->magic, magic, sizeof magic);
    memcpy(n->boot, old->boot, sizeof n->boot);
    snprintf(n->node, sizeof n->node, "%s", node);
    n->alive = old->alive;
    n->deadline = old->deadline;
    for (uint32_t i = 0; i < LIVE_CLIENTS_MAX; i++) {
        const struct place_before *p = &old->places[i];

        if (p->used && !memchr(p->cgroup, 0, HOLDERS_CGROUP))
            return false;
        n->places[i] = (struct holders_place){.used = p->used,
                                              .group = p->group,
                                              .start = p->start,
                                              .inode = p->inode};
        memcpy(n->places[i].cgroup, p->cgroup, HOLDERS_CGROUP);
    }
    return true;
}

/* Texts and numbers of a file that somebody else may have damaged. */
static bool is_whole(const struct holders_notes *n, const char *node)
{
    if (memcmp(n->magic, magic, sizeof magic) != 0 ||
        !memchr(n->boot, 0, sizeof n->boot) ||
        !memchr(n->node, 0, sizeof n->node) || strcmp(n->node, node) != 0)
        return false;
    for (uint32_t i = 0; i < LIVE_CLIENTS_MAX; i++) {
        const struct holders_place *p = &n->places[i];

        if (p->used &&
            (p->group <= 1 || !memchr(p->cgroup, 0, sizeof p->cgroup)))
            return false;
    }
    return true;
}

/* NULL, or why nothing is known by the file. */
static const char *read_notes(struct holders_notes *n, int file,
                              const char *node)
{
    struct notes_before *old;
    ssize_t size = net_read_whole(file, n, sizeof *n, 0);
    bool fine = true;

    if (size < 0)
        return strerror(errno);
    if ((size_t)size >= sizeof *old &&
        memcmp(n, magic_before, sizeof magic_before) == 0) {
        old = malloc(sizeof *old);
        if (!old)
            return "no memory for what an earlier program noted";
        memcpy(old, n, sizeof *old);
        fine = take_over(n, old, node);
        free(old);
    } else {
        fine = (size_t)size == sizeof *n;
    }
    return fine && is_whole(n, node) ? NULL
                                     : "it is damaged, or of another program";
}

/* Nothing is known of what the last run has left: it is said, and the start
 * goes on. */
static void do_without(const struct live_holders *h, const char *why)
{
    live_log("does not use %s: %s; if its last run left commands behind, they "
             "are not found",
             h->path, why);
}

/* False with a sentence. */
static bool end_left(struct live_holders *h, int file, uint64_t lease,
                     struct net_why *error)
{
    struct holders_left left = {.notes = &h->notes, .path = h->path};
    char boot[LIVE_BOOT_BYTES];
    struct stat is;
    const char *why = fstat(file, &is) ? strerror(errno)
                                       : read_notes(&h->notes, file, h->node);

    live_proc_boot(boot);
    if (why) {
        do_without(h, why);
        return true;
    }
    if (!boot[0] || strcmp(h->notes.boot, boot) != 0)
        return true; /* nothing lives longer than its machine */
    left.user = is.st_uid;
    return holders_end_left(&left, lease, error);
}

/* K11: of a list that others than root and the node's user could have written
 * nothing is believed. */
static bool clear_former(struct live_holders *h, uid_t user, uint64_t lease,
                         struct net_why *error)
{
    int file = outside_open(h->folder, h->name, O_RDONLY);
    bool ended = true;
    struct net_why doubt;

    if (file < 0 && errno == ENOENT)
        return true;
    if (file < 0 && (errno == ELOOP || errno == ENXIO)) {
        do_without(h, "it is not a regular file");
        return true;
    }
    if (file < 0)
        return net_fail(error,
                        "cannot read %s, the list of who held locks: %s; let "
                        "the user who starts the node read it",
                        h->path, strerror(errno));
    if (outside_trusted(file, user, &doubt))
        ended = end_left(h, file, lease, error);
    else
        do_without(h, doubt.text);
    close(file);
    return ended;
}

/* ---- The file ------------------------------------------------------------ */

/* From now on nobody is noted there. */
static void lose(struct live_holders *h, const char *why)
{
    live_log("cannot note in %s who holds locks: %s; the next start does not "
             "find what this one leaves",
             h->path, why);
    if (h->file >= 0)
        close(h->file);
    h->file = -1;
}

/* Writes a part of the notes through.  A file that was cut is written anew; one
 * that is not there any more is done without. */
static void put(struct live_holders *h, const void *what, size_t size)
{
    const char *from = what;
    off_t at = (off_t)(from - (const char *)&h->notes);
    struct stat is;

    if (h->file < 0)
        return;
    if (fstat(h->file, &is) || is.st_nlink == 0) {
        lose(h, "it was removed");
        return;
    }
    if (is.st_size < (off_t)sizeof h->notes) {
        if (!h->told)
            live_log("%s was cut while the node runs: it is written anew; see "
                     "who writes in the state directory",
                     h->path);
        h->told = true;
        from = (const char *)&h->notes;
        size = sizeof h->notes;
        at = 0;
    }
    if (net_write_whole(h->file, from, size, at))
        lose(h, strerror(errno));
}

/* A new one, with its room from the beginning: a full disk does no harm later,
 * except where a change takes new room, and then it is told.  -1 with errno. */
static int create(struct live_holders *h)
{
    int why;

    (void)unlinkat(h->folder, h->name, 0);
    h->file = outside_create(h->folder, h->name);
    if (h->file < 0)
        return -1;
    why = posix_fallocate(h->file, 0, sizeof h->notes);
    if (!why && net_write_whole(h->file, &h->notes, sizeof h->notes, 0))
        why = errno;
    if (!why)
        return 0;
    (void)unlinkat(h->folder, h->name, 0);
    close(h->file);
    h->file = -1;
    errno = why;
    return -1;
}

static bool begin(struct live_holders *h, struct net_why *error)
{
    struct holders_notes *n = &h->notes;

    memset(n, 0, sizeof *n);
    live_proc_boot(n->boot);
    memcpy(n->magic, magic, sizeof magic);
    snprintf(n->node, sizeof n->node, "%s", h->node);
    if (create(h) == 0)
        return true;
    if (errno != ENOSPC && errno != EDQUOT && errno != EFBIG)
        return net_fail(error,
                        "cannot note in %s who holds locks: %s; see who may "
                        "write it",
                        h->path, strerror(errno));
    lose(h, strerror(errno));
    return true;
}

struct live_holders *live_holders_open(const struct live_config *config,
                                       uint32_t self, uid_t user,
                                       struct net_why *error)
{
    struct live_holders *h = calloc(1, sizeof *h);

    if (!h) {
        net_no_memory(error, "the list of who holds locks");
        return NULL;
    }
    h->file = -1;
    h->node = config->nodes[self].name;
    snprintf(h->name, sizeof h->name, "%s.holders", h->node);
    snprintf(h->path, sizeof h->path, "%s/%s", config->state, h->name);
    h->folder = open(config->state, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (h->folder < 0)
        net_fail(error, "%s: %s; name a directory as 'state'", config->state,
                 strerror(errno));
    else if (clear_former(h, user, config->lease, error) && begin(h, error))
        return h;
    if (h->folder >= 0)
        close(h->folder);
    free(h);
    return NULL;
}

/* ---- While the node runs ------------------------------------------------- */

int live_holders_note(struct live_holders *h, pid_t group, uid_t user,
                      bool cgroup, uint64_t mark)
{
    struct holders_place *p = h->notes.places;
    char folder[LIVE_CGROUP_PATH];
    struct stat found;
    int i = 0;

    while (i < LIVE_CLIENTS_MAX && p[i].used)
        i++;
    if (i == LIVE_CLIENTS_MAX)
        return -1;
    p += i;
    *p = (struct holders_place){.used = 1,
                                .group = (int32_t)group,
                                .start = live_proc_started(group),
                                .mark = mark,
                                .user = (uint32_t)user};
    if (cgroup && live_cgroup_folder(group, folder) &&
        strlen(folder) < sizeof p->cgroup && stat(folder, &found) == 0) {
        memcpy(p->cgroup, folder, strlen(folder) + 1);
        p->inode = (uint64_t)found.st_ino;
    }
    put(h, p, sizeof *p);
    return i;
}

void live_holders_forget(struct live_holders *h, int place)
{
    struct holders_place *p = &h->notes.places[place];

    p->used = 0;
    put(h, &p->used, sizeof p->used);
}

void live_holders_beat(struct live_holders *h, uint64_t now, uint64_t deadline)
{
    h->notes.alive = now;
    h->notes.deadline = deadline;
    put(h, &h->notes.alive, sizeof h->notes.alive + sizeof h->notes.deadline);
}

/* Nobody is left: neither need the file be. */
void live_holders_close(struct live_holders *h)
{
    struct stat is, there;
    bool used = false;

    if (!h)
        return;
    for (uint32_t i = 0; i < LIVE_CLIENTS_MAX; i++)
        used = used || h->notes.places[i].used;
    if (!used && h->file >= 0 && fstat(h->file, &is) == 0 &&
        fstatat(h->folder, h->name, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
        is.st_ino == there.st_ino && is.st_dev == there.st_dev)
        (void)unlinkat(h->folder, h->name, 0);
    if (h->file >= 0)
        close(h->file);
    close(h->folder);
    free(h);
}
