/*
 * cell.c - where one hand-in is judged: namespaces, a user, limits and a folder
 * of its own (see grade.h).
 *
 * Where the system gives namespaces, the cell's first process is process 1 of
 * its own: when it is killed, all that it has started ends, however it hid.
 * Under root each cell is another user without rights, so that the limit of
 * processes counts its own alone; other users get a user namespace, which does
 * the same.  Where neither is given, the limits are those of a process.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/grade/grade.h"
#include "net/seconds.h"

enum {
    FIRST_USER = 1600000000, /* beyond users of people and of containers */
    SLOTS_MAX = 64,
    PIDS_MASK = 0x3fffff, /* no system has greater ones */
    PROCESSES_MAX = 48,
    FILES_MAX = 128,
    WRITTEN_MAX = 128 << 20,
    FOLDERS_MAX = 32,
};

/* Cells of two gradings at once are different users, too: the grader is known
 * by its process. */
static uid_t user_of(uint32_t slot)
{
    return FIRST_USER + slot;
}

/* ---- Folders ------------------------------------------------------------- */

static bool make_folder(struct grade_cell *cell, struct net_why *why)
{
    const char *at = getenv("TMPDIR");

    if (!at || strlen(at) > sizeof cell->folder - 32)
        at = "/tmp";
    snprintf(cell->folder, sizeof cell->folder, "%s/fulcrum-grade-XXXXXX", at);
    if (!mkdtemp(cell->folder) ||
        (geteuid() == 0 &&
         chown(cell->folder, user_of(cell->slot), user_of(cell->slot)) != 0))
        return net_fail(why, "cannot make the folder %s: %s", cell->folder,
                        strerror(errno));
    return true;
}

static int take_away(const char *path, const struct stat *info, int kind,
                     struct FTW *where)
{
    (void)info;
    (void)kind;
    (void)where;
    (void)remove(path);
    return 0;
}

/* ---- Inside -------------------------------------------------------------- */

static void limit(int what, uint64_t most)
{
    struct rlimit r = {most, most};

    (void)setrlimit((__rlimit_resource_t)what, &r);
}

static void set_limits(const struct grade_limits *l, bool own_processes)
{
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, l->seconds);
    limit(RLIMIT_FSIZE, WRITTEN_MAX);
    limit(RLIMIT_NOFILE, FILES_MAX);
#ifndef FC_PARANOID /* sanitizers map more than there is */
    limit(RLIMIT_AS, (uint64_t)l->memory << 20);
#endif
    if (own_processes)
        limit(RLIMIT_NPROC, PROCESSES_MAX);
}

static bool write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");
    bool fine = file && fputs(text, file) >= 0;

    return file && fclose(file) == 0 && fine;
}

/* The same user in the new namespace as outside. */
static bool map_user(uid_t user, gid_t group)
{
    char line[64];

    (void)write_text("/proc/self/setgroups", "deny");
    snprintf(line, sizeof line, "%u %u 1\n", user, user);
    if (!write_text("/proc/self/uid_map", line))
        return false;
    snprintf(line, sizeof line, "%u %u 1\n", group, group);
    return write_text("/proc/self/gid_map", line);
}

static bool leave_root(uint32_t slot)
{
    uid_t user = user_of(slot);

    return setgroups(0, NULL) == 0 && setresgid(user, user, user) == 0 &&
           setresuid(user, user, user) == 0 && geteuid() != 0;
}

struct inside {
    const struct grade_cell *cell;
    const struct grade_limits *limits;
    void (*work)(void *whom, int out);
    void *whom;
    uid_t user;
    gid_t group;
    bool root, own_users;
};

static _Noreturn void live(const struct inside *in, int out)
{
    bool fine = true;

    (void)setpgid(0, 0);
    if (in->own_users)
        fine = map_user(in->user, in->group);
    if (in->root)
        fine = leave_root(in->cell->slot);
    fine = fine && prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 &&
           prctl(PR_SET_CHILD_SUBREAPER, 1) == 0 &&
           prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           chdir(in->cell->folder) == 0;
    if (fine) {
        set_limits(in->limits, in->root || in->own_users);
        (void)signal(SIGINT, SIG_IGN);
        in->work(in->whom, out);
    }
    _exit(fine ? 0 : 1);
}

/* ---- From outside -------------------------------------------------------- */

/* A child in new namespaces, or without: `apart` says which.  A sandbox cannot
 * begin where /proc tells of other processes than its own: it has the namespace
 * of processes itself, and ends with the cell. */
static pid_t fork_apart(bool root, bool boxed, bool *apart)
{
    unsigned long flags = CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS |
                          (boxed ? 0 : CLONE_NEWPID) |
                          (root ? 0 : CLONE_NEWUSER);
    long pid;

    (void)fflush(NULL);
    *apart = true;
    pid = syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);
    if (pid >= 0)
        return (pid_t)pid;
    *apart = false;
    return fork();
}

bool grade_cell_begin(struct grade_cell *cell, uint32_t slot,
                      const struct grade_limits *limits, double seconds,
                      void (*work)(void *whom, int out), void *whom,
                      struct net_why *why)
{
    struct inside in = {cell,     limits,   work,           whom,
                        getuid(), getgid(), geteuid() == 0, false};
    int pair[2];

    assert(slot < SLOTS_MAX);
    slot += SLOTS_MAX * ((uint32_t)getpid() & PIDS_MASK);
    *cell = (struct grade_cell){.out = -1, .slot = slot};
    if (!make_folder(cell, why))
        return false;
    if (pipe2(pair, O_CLOEXEC) != 0)
        return net_fail(why, "cannot make a pipe: %s", strerror(errno));
    /* Known on both sides, since the child has a copy of all this. */
    cell->pid = fork_apart(in.root, limits->boxed, &cell->apart);
    if (cell->pid == 0) {
        close(pair[0]);
        in.own_users = cell->apart && !in.root;
        live(&in, pair[1]);
    }
    close(pair[1]);
    if (cell->pid < 0) {
        close(pair[0]);
        cell->pid = 0;
        return net_fail(why, "cannot start a process: %s", strerror(errno));
    }
    cell->out = pair[0];
    cell->deadline = net_seconds() + seconds;
    return true;
}

/* All processes of the user that this cell is: one that is this user asks. */
static void end_user(uint32_t slot)
{
    pid_t pid = fork();

    if (pid == 0) {
        if (leave_root(slot))
            (void)kill(-1, SIGKILL);
        _exit(0);
    }
    if (pid > 0)
        (void)waitpid(pid, NULL, 0);
}

int grade_cell_end(struct grade_cell *cell)
{
    int status = 0;

    if (cell->pid) {
        (void)kill(cell->pid, SIGKILL);
        (void)kill(-cell->pid, SIGKILL);
        while (waitpid(cell->pid, &status, 0) < 0 && errno == EINTR)
            ;
        if (geteuid() == 0)
            end_user(cell->slot);
    }
    if (cell->out >= 0)
        close(cell->out);
    (void)nftw(cell->folder, take_away, FOLDERS_MAX, FTW_DEPTH | FTW_PHYS);
    cell->pid = 0;
    cell->out = -1;
    return status;
}
