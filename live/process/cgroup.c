/*
 * cgroup.c - see cgroup.h.
 */
#include "live/process/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "live/process/proc.h"

enum {
    PATH_BYTES = LIVE_CGROUP_PATH / 2,
    PATH_ROOM = LIVE_CGROUP_PATH + 48, /* with a name in it */
    NAMES = 100,                       /* that are tried */
    MAGIC = 0x63677270,                /* of the file system */
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

/* ---- Making -------------------------------------------------------------- */

static bool open_files(struct live_cgroup *cgroup, int folder)
{
    cgroup->kill = openat(folder, "cgroup.kill", O_WRONLY | O_CLOEXEC);
    cgroup->events = openat(folder, "cgroup.events", O_RDONLY | O_CLOEXEC);
    if (cgroup->kill >= 0 && cgroup->events >= 0)
        return true;
    live_cgroup_close(cgroup);
    return false;
}

/* A folder of this name, new or left behind by a process of this number.  If it
 * is in use, by one in another PID namespace, another name is tried. */
static bool make_folder(const char *own, char path[PATH_ROOM])
{
    for (int i = 0; i < NAMES; i++) {
        snprintf(path, PATH_ROOM, "%s/fulcrum.%d.%d", own, (int)getpid(), i);
        (void)rmdir(path);
        if (mkdir(path, 0755) == 0)
            return true;
        if (errno != EEXIST)
            return false;
    }
    return false;
}

/* A new cgroup below that of this process: its folder, or -1. */
static int make(struct live_cgroup *cgroup, char path[PATH_ROOM])
{
    char own[LIVE_CGROUP_PATH];
    int folder;

    if (!live_cgroup_folder(getpid(), own) || !make_folder(own, path))
        return -1;
    folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0 && open_files(cgroup, folder))
        return folder;
    if (folder >= 0)
        close(folder);
    (void)rmdir(path);
    return -1;
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
    char path[PATH_ROOM];
    int folder;
    pid_t child = -1;

    *cgroup = LIVE_NO_CGROUP;
    folder = make(cgroup, path);
    if (folder >= 0) {
        child = fork_into(folder);
        close(folder);
    }
    if (child >= 0)
        return child;
    live_cgroup_close(cgroup); /* an older kernel, or not allowed */
    return fork();
}

/* Whether its events say so: "populated 0" or "populated 1". */
static bool says(const struct live_cgroup *cgroup, const char *what)
{
    char text[128];
    ssize_t size = pread(cgroup->events, text, sizeof text - 1, 0);

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
        says(cgroup, "populated 1"))
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
    return says(cgroup, "populated 0");
}

/* Whether a path is that of a cgroup which live_cgroup_fork() made. */
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

void live_cgroup_remove(const char *folder)
{
    struct statfs system;

    if (is_own(folder) && statfs(folder, &system) == 0 &&
        system.f_type == MAGIC)
        (void)rmdir(folder); /* the kernel refuses unless it is empty */
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
