/*
 * cgroup.c - see cgroup.h.
 */
#include "live/process/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "live/process/proc.h"
#include "net/outside.h"

enum {
    PATH_BYTES = LIVE_CGROUP_PATH / 2,
    NAME_BYTES = 48,
    MAGIC = 0x63677270, /* of the file system */
    DEPTH = 32,         /* of folders below a command's, that are looked into */
};

/* ---- Where --------------------------------------------------------------- */

/* Where version 2 is mounted; a system in transition has it beside the first
 * one.  NULL: nowhere. */
static const char *mount_point(void)
{
    static const char *const usual[] = {"/sys/fs/cgroup",
                                        "/sys/fs/cgroup/unified"};

    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
        struct statfs found;

        if (statfs(usual[i], &found) == 0 && found.f_type == MAGIC)
            return usual[i];
    }
    return NULL;
}

bool live_cgroup_folder(pid_t pid, char path[LIVE_CGROUP_PATH])
{
    const char *mount = mount_point(), *own;
    char file[64], line[LIVE_PROC_LINE];

    snprintf(file, sizeof file, "/proc/%d/cgroup", (int)pid);
    own = mount ? live_proc_line(file, "0::", line) : NULL;
    /* A longer one may be cut. */
    if (!own || own[0] != '/' || strlen(own) >= PATH_BYTES)
        return false;
    snprintf(path, LIVE_CGROUP_PATH, "%s%s", mount,
             strcmp(own, "/") != 0 ? own : "");
    return true;
}

/* A folder of the tree of version 2, by its whole path and by no link; -1:
 * there is none. */
static int open_path(const char *path)
{
    int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    int folder = root >= 0 ? outside_folder(root, path + 1) : -1;
    struct statfs system;

    if (root >= 0)
        close(root);
    if (folder < 0 || (fstatfs(folder, &system) == 0 && system.f_type == MAGIC))
        return folder;
    close(folder);
    return -1;
}

/* ---- Making -------------------------------------------------------------- */

static bool open_files(struct live_cgroup *cgroup, int folder)
{
    cgroup->kill = outside_open(folder, "cgroup.kill", O_WRONLY);
    cgroup->events = outside_open(folder, "cgroup.events", O_RDONLY);
    if (cgroup->kill >= 0 && cgroup->events >= 0)
        return true;
    live_cgroup_close(cgroup);
    return false;
}

/* A new folder, below this process's: open, or -1.  No other client has its
 * name, not even one of the same number in another PID namespace: so the folder
 * that is opened is the one that was made. */
static int make_folder(int own, char name[NAME_BYTES])
{
    uint64_t number;

    if (getrandom(&number, sizeof number, GRND_NONBLOCK) != sizeof number)
        return -1;
    snprintf(name, NAME_BYTES, "fulcrum.%d.%016" PRIx64, (int)getpid(), number);
    return mkdirat(own, name, 0755) == 0 ? outside_folder(own, name) : -1;
}

/* A new cgroup below this process's: its folder, or -1. */
static int make(struct live_cgroup *cgroup)
{
    char path[LIVE_CGROUP_PATH], name[NAME_BYTES];
    int own = live_cgroup_folder(getpid(), path) ? open_path(path) : -1;
    int folder = own >= 0 ? make_folder(own, name) : -1;

    if (folder >= 0 && !open_files(cgroup, folder)) {
        close(folder);
        folder = -1;
        (void)unlinkat(own, name, AT_REMOVEDIR);
    }
    if (own >= 0)
        close(own);
    return folder;
}

/* Born into the cgroup: to move a process later would stop the forks of the
 * whole machine for a moment. */
static pid_t fork_into(int folder)
{
    struct clone_args how = {.flags = CLONE_INTO_CGROUP,
                             .exit_signal = SIGCHLD,
                             .cgroup = (unsigned)folder};

    return (pid_t)syscall(SYS_clone3, &how, sizeof how);
}

pid_t live_cgroup_fork(struct live_cgroup *cgroup)
{
    pid_t child = -1;
    int folder;

    *cgroup = LIVE_NO_CGROUP;
    folder = make(cgroup);
    if (folder >= 0) {
        child = fork_into(folder);
        close(folder);
    }
    if (child >= 0)
        return child;
    live_cgroup_close(cgroup); /* an older kernel, or not allowed */
    return fork();
}

/* Whether the events of one say so: "populated 0" or "populated 1". */
static bool says(int events, const char *what)
{
    char text[128];
    ssize_t size = pread(events, text, sizeof text - 1, 0);

    text[size > 0 ? size : 0] = '\0';
    /* Without the folder there is nobody in it. */
    if (size < 0 && errno == ENODEV)
        snprintf(text, sizeof text, "populated 0");
    return strstr(text, what) != NULL;
}

/* Whether an open file is the one of this name in a folder.  There is one tree
 * of cgroups of version 2, so a number of an inode is enough, also where a
 * container has mounted it another time. */
static bool is_file(int file, const char *folder, const char *name)
{
    char path[LIVE_CGROUP_PATH + 32];
    struct statfs system;
    struct stat open, there;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return fstatfs(file, &system) == 0 && system.f_type == MAGIC &&
           fstat(file, &open) == 0 && stat(path, &there) == 0 &&
           open.st_ino == there.st_ino;
}

/* As opened with the right to write. */
static bool is_writable(int file)
{
    int flags = fcntl(file, F_GETFL);

    return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY && !(flags & O_PATH);
}

void live_cgroup_adopt(struct live_cgroup *cgroup, const int files[2],
                       pid_t leader)
{
    char folder[LIVE_CGROUP_PATH];

    *cgroup = (struct live_cgroup){files[0], files[1]};
    if (files[0] >= 0 && files[1] >= 0 && live_cgroup_folder(leader, folder) &&
        is_file(files[0], folder, "cgroup.kill") && is_writable(files[0]) &&
        is_file(files[1], folder, "cgroup.events") &&
        says(files[1], "populated 1"))
        return;
    if (files[0] >= 0)
        close(files[0]);
    if (files[1] >= 0)
        close(files[1]);
    *cgroup = LIVE_NO_CGROUP;
}

/* ---- Ending -------------------------------------------------------------- */

void live_cgroup_kill(const struct live_cgroup *cgroup)
{
    if (live_cgroup_is(cgroup))
        (void)!write(cgroup->kill, "1", 1);
}

bool live_cgroup_is_empty(const struct live_cgroup *cgroup)
{
    return says(cgroup->events, "populated 0");
}

/* Whether a path belongs to a cgroup which live_cgroup_fork() made. */
static bool is_own(const char *folder)
{
    const char *slash = strrchr(folder, '/');

    return slash && !strncmp(slash, "/fulcrum.", 9);
}

/* The folder of an open file in it. */
static bool folder_of(int file, char path[LIVE_CGROUP_PATH])
{
    char link[64], *slash;
    ssize_t size;

    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    size = readlink(link, path, LIVE_CGROUP_PATH - 1);
    if (size <= 0)
        return false;
    path[size] = '\0';
    slash = strrchr(path, '/');
    if (!slash)
        return false;
    *slash = '\0';
    return is_own(path);
}

void live_cgroup_close(struct live_cgroup *cgroup)
{
    char path[LIVE_CGROUP_PATH];

    if (cgroup->kill >= 0 && folder_of(cgroup->kill, path))
        (void)rmdir(path); /* the kernel refuses unless it is empty */
    if (cgroup->kill >= 0)
        close(cgroup->kill);
    if (cgroup->events >= 0)
        close(cgroup->events);
    *cgroup = LIVE_NO_CGROUP;
}

/* ---- One of a former life ------------------------------------------------ */

int live_cgroup_find(const char *path, uint64_t inode)
{
    int folder = path[0] == '/' ? open_path(path) : -1;
    struct stat is;

    if (folder < 0 || (fstat(folder, &is) == 0 && is.st_ino == inode))
        return folder;
    close(folder);
    return -1;
}

bool live_cgroup_is_populated(int folder)
{
    int events = outside_open(folder, "cgroup.events", O_RDONLY);
    bool populated = events >= 0 && says(events, "populated 1");

    if (events >= 0)
        close(events);
    return populated;
}

/* Whether a process is in the cgroup of this path, or below. */
static bool is_member(pid_t pid, const char *path)
{
    char own[LIVE_CGROUP_PATH];
    size_t length = strlen(path);

    return live_cgroup_folder(pid, own) && !strncmp(own, path, length) &&
           (own[length] == '\0' || own[length] == '/');
}

/* By a pidfd: a number that is another process's meanwhile is not in there, or
 * not the one that was opened.  An errno, or 0; so do those below. */
static int end_member(pid_t pid, const char *path)
{
    int why = 0, pidfd = live_pidfd_open(pid);

    if (pidfd < 0)
        return errno == ESRCH ? 0 : errno;
    if (is_member(pid, path) && live_pidfd_signal(pidfd, SIGKILL) &&
        errno != ESRCH)
        why = errno;
    close(pidfd);
    return why;
}

static int end_members(int folder, const char *path)
{
    int why = 0, one, file = outside_open(folder, "cgroup.procs", O_RDONLY);
    FILE *list = file >= 0 ? fdopen(file, "r") : NULL;
    char line[32];

    if (!list) {
        why = errno;
        if (file >= 0)
            close(file);
        return why;
    }
    while (fgets(line, sizeof line, list)) {
        pid_t pid = (pid_t)strtol(line, NULL, 10);

        one = pid > 1 ? end_member(pid, path) : 0;
        why = one ? one : why;
    }
    (void)fclose(list);
    return why;
}

static int end_tree(int folder, const char *path, int depth)
{
    int below, one, why = end_members(folder, path), copy = dup(folder);
    DIR *all = copy >= 0 ? fdopendir(copy) : NULL;
    const struct dirent *entry;

    if (!all && copy >= 0)
        close(copy);
    while (all && depth > 0 && (entry = readdir(all))) {
        below = entry->d_type == DT_DIR && entry->d_name[0] != '.'
                    ? outside_folder(folder, entry->d_name)
                    : -1;
        if (below < 0)
            continue;
        one = end_tree(below, path, depth - 1);
        why = one ? one : why;
        close(below);
    }
    if (all)
        (void)closedir(all);
    return why;
}

/* Where the tree cannot be written, each process can be killed. */
int live_cgroup_end(int folder, const char *path)
{
    int file = outside_open(folder, "cgroup.kill", O_WRONLY);
    bool done = file >= 0 && write(file, "1", 1) == 1;

    if (file >= 0)
        close(file);
    return done ? 0 : end_tree(folder, path, DEPTH);
}

void live_cgroup_remove(const char *path, uint64_t inode)
{
    int folder = is_own(path) ? live_cgroup_find(path, inode) : -1;

    if (folder < 0)
        return;
    (void)rmdir(path); /* the kernel refuses unless it is empty */
    close(folder);
}
