/*
 * fence_store.h - a store for the tests of the fence, on a disk that fails.
 *
 * The calls by which a store changes anything are replaced here, so that each
 * of them can fail, or be the last one.  Beside them runs a small model of a
 * disk: what was not synced is lost when the power fails.
 */
#ifndef TESTS_FENCE_STORE_H
#define TESTS_FENCE_STORE_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/fence/fence.h"
#include "tests/unit/kit/testing.h"

/* ---- A disk that fails --------------------------------------------------- */

enum mishap {
    NO_MISHAP,
    FAILS,         /* the call, with EIO */
    IS_KILLED,     /* the process, before the call */
    NO_POWER,      /* the same, and what was not synced is as before */
    NO_POWER_MADE, /* names that were made are lost, removed ones stay so */
    NO_POWER_GONE, /* names that were removed are back, made ones stay */
};

enum { CRASHED = 77, DONE_YET = 78, SMALL = 256, PENDING_MAX = 64 };

/* A name that was made or removed, and its folder not synced since. */
struct pending {
    bool made;
    size_t size; /* of what was removed */
    char path[SMALL], bytes[SMALL];
};

static struct disk {
    enum mishap mishap;
    uint32_t at, steps; /* the step to fail, and those made */
    bool dirty;         /* an attempt has bytes that are not synced */
    bool too_early;     /* an entry appeared before its bytes were on disk */
    uint32_t crumbs;    /* bytes that a write takes at most, if not 0 */
    uint32_t writes;
    uint32_t count;
    struct pending list[PENDING_MAX];
} disk;

static inline void path_of(int folder, const char *name, char path[SMALL])
{
    char link[64];
    ssize_t size;

    snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    size = readlink(link, path, SMALL - 128);
    assert_true(size > 0);
    snprintf(path + size, SMALL - (size_t)size, "%s%s", name ? "/" : "",
             name ? name : "");
}

static inline bool is_attempt(int file)
{
    char path[SMALL];

    if (file <= STDERR_FILENO)
        return false;
    path_of(file, NULL, path);
    return strstr(path, "/new.") != NULL;
}

static inline void note(bool made, int folder, const char *name)
{
    struct pending *p = &disk.list[disk.count++];
    int file;

    assert_true(disk.count < PENDING_MAX);
    p->made = made;
    path_of(folder, name, p->path);
    if (made)
        return;
    file = open(p->path, O_RDONLY | O_NOFOLLOW);
    p->size = file < 0 ? 0 : (size_t)read(file, p->bytes, SMALL);
    if (file >= 0)
        close(file);
}

static inline void undo(const struct pending *p)
{
    int file;

    if (p->made) {
        char command[2 * SMALL];

        snprintf(command, sizeof command, "rm -rf '%s'", p->path);
        (void)!system(command);
        return;
    }
    file = open(p->path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    (void)!syscall(SYS_write, file, p->bytes, p->size);
    close(file);
}

/* The power fails. */
static inline void lose(void)
{
    while (disk.count-- > 0) {
        const struct pending *p = &disk.list[disk.count];

        if (disk.mishap == NO_POWER ||
            (disk.mishap == NO_POWER_MADE && p->made) ||
            (disk.mishap == NO_POWER_GONE && !p->made))
            undo(p);
    }
    disk.count = 0;
}

/* Counts a call; true if it must fail. */
static inline bool step_fails(void)
{
    if (disk.mishap == NO_MISHAP || ++disk.steps != disk.at)
        return false;
    if (disk.mishap == FAILS) {
        errno = EIO;
        return true;
    }
    lose();
    _exit(CRASHED);
}

int fsync(int file)
{
    char path[SMALL];
    uint32_t left = 0;
    size_t size;

    if (step_fails())
        return -1;
    path_of(file, NULL, path);
    size = strlen(path);
    for (uint32_t i = 0; i < disk.count; i++) /* all names in this folder */
        if (strncmp(disk.list[i].path, path, size) != 0 ||
            strrchr(disk.list[i].path, '/') != disk.list[i].path + size)
            disk.list[left++] = disk.list[i];
    disk.count = left;
    if (is_attempt(file))
        disk.dirty = false;
    return (int)syscall(SYS_fsync, file);
}

int openat(int folder, const char *name, int flags, ...)
{
    int file;

    if (!(flags & O_CREAT))
        return (int)syscall(SYS_openat, folder, name, flags);
    if (step_fails())
        return -1;
    file = (int)syscall(SYS_openat, folder, name, flags, 0600);
    if (file >= 0 && folder != AT_FDCWD && disk.mishap != NO_MISHAP)
        note(true, folder, name);
    return file;
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t at)
{
    if (is_attempt(file)) {
        if (step_fails())
            return -1;
        disk.dirty = true;
        if (disk.crumbs && size > disk.crumbs)
            size = disk.crumbs;
        if (disk.crumbs && disk.writes++ % 2 == 0) {
            errno = EINTR;
            return -1;
        }
    }
    return syscall(SYS_pwrite64, file, bytes, size, at);
}

int unlinkat(int folder, const char *name, int flags)
{
    if (step_fails())
        return -1;
    if (disk.mishap != NO_MISHAP &&
        faccessat(folder, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
        note(false, folder, name);
    return (int)syscall(SYS_unlinkat, folder, name, flags);
}

int mkdirat(int folder, const char *name, mode_t mode)
{
    int code;

    if (step_fails())
        return -1;
    code = (int)syscall(SYS_mkdirat, folder, name, mode);
    if (code == 0 && disk.mishap != NO_MISHAP)
        note(true, folder, name);
    return code;
}

int linkat(int from, const char *old, int folder, const char *name, int flags)
{
    int code;

    if (step_fails())
        return -1;
    if (disk.dirty)
        disk.too_early = true;
    code = (int)syscall(SYS_linkat, from, old, folder, name, flags);
    if (code == 0 && disk.mishap != NO_MISHAP)
        note(true, folder, name);
    return code;
}

/* ---- A store ------------------------------------------------------------- */

static char store[64];
static struct net_why error;

static inline void remove_store(void)
{
    char command[128];

    snprintf(command, sizeof command, "rm -rf '%s'", store);
    assert_int_equal(system(command), 0);
}

static inline int begin(void **state)
{
    (void)state;
    memset(&disk, 0, sizeof disk);
    /* In memory, if there is a place: the disk of this test is its own. */
    strcpy(store, access("/dev/shm", W_OK) == 0 ? "/dev/shm/fence-XXXXXX"
                                                : "/tmp/fence-XXXXXX");
    if (!mkdtemp(store))
        return -1;
    return live_fence_create(store, &error) == LIVE_FENCE_DONE ? 0 : -1;
}

static inline int end(void **state)
{
    (void)state;
    memset(&disk, 0, sizeof disk);
    remove_store();
    return 0;
}

static inline struct live_fence opened(void)
{
    struct live_fence fence;

    if (live_fence_open(&fence, store, &error) != LIVE_FENCE_DONE)
        fail_msg("%s", error.text);
    return fence;
}

/* Puts a text; what the store answers. */
static inline enum live_fence_answer put(const char *name, uint64_t token,
                                         const char *text)
{
    struct live_fence fence = opened();
    uint64_t mark;
    enum live_fence_answer answer;

    error.text[0] = 0;
    answer =
        live_fence_put(&fence, name, token, text, strlen(text), &mark, &error);
    live_fence_close(&fence);
    return answer;
}

static inline enum live_fence_answer get(const char *name, uint64_t token,
                                         char text[SMALL])
{
    struct live_fence fence = opened();
    int file;
    enum live_fence_answer answer =
        live_fence_get(&fence, name, token, &file, &error);

    memset(text, 0, SMALL);
    if (answer == LIVE_FENCE_DONE) {
        assert_true(read(file, text, SMALL - 1) >= 0);
        close(file);
    }
    live_fence_close(&fence);
    return answer;
}

static inline void check_content(const char *name, const char *wanted)
{
    char text[SMALL];

    assert_int_equal(get(name, 0, text), LIVE_FENCE_DONE);
    assert_string_equal(text, wanted);
}

/* The only name of a store; false if it has none. */
static inline bool only_entry(struct live_fence_entry *one)
{
    struct live_fence fence = opened();
    struct live_fence_entry *list;
    size_t count;

    assert_int_equal(live_fence_list(&fence, &list, &count, &error),
                     LIVE_FENCE_DONE);
    assert_true(count <= 1);
    *one = list[0];
    free(list);
    live_fence_close(&fence);
    return count == 1;
}

static inline void in_store(const char *name, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/%s", store, name);
}

static inline void plant(const char *name, const void *bytes, size_t size)
{
    char path[PATH_MAX];
    int file;

    in_store(name, path);
    file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(file >= 0);
    assert_int_equal(write(file, bytes, size), (ssize_t)size);
    close(file);
}

/* The path of an entry, within the store. */
static inline const char *entry(const char *name, uint64_t number)
{
    static char path[SMALL];

    snprintf(path, sizeof path, "names/%s/%020" PRIu64, name, number);
    return path;
}

/* How many files there are for a name. */
static inline uint32_t files_of(const char *name)
{
    char path[PATH_MAX], inside[SMALL];
    const struct dirent *found;
    uint32_t count = 0;
    DIR *list;

    snprintf(inside, sizeof inside, "names/%s", name);
    in_store(inside, path);
    list = opendir(path);
    while (list && (found = readdir(list)))
        count += found->d_name[0] != '.';
    if (list)
        closedir(list);
    return count;
}

#define FENCE_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

#endif
