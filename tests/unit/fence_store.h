/*
 * fence_store.h - a store for the tests of the fence, on a disk that fails.
 *
 * The calls by which a store changes anything are replaced here, so that each
 * of them can fail, or be the last one.  Beside them runs a small model of a
 * disk: what was not synced is lost when the power fails.
 */
#ifndef TESTS_FENCE_STORE_H
#define TESTS_FENCE_STORE_H

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/fence.h"
#include "tests/unit/testing.h"

/* ---- A disk that fails --------------------------------------------------- */

enum mishap {
    NO_MISHAP,
    FAILS,     /* the call, with EIO */
    IS_KILLED, /* the process, before the call */
    NO_POWER,  /* the same, and what was not synced is lost */
};

enum { CRASHED = 77, SMALL = 256 };

/* A name that was given to another file, and its folder not synced since. */
struct pending {
    bool is, had; /* had: there was a file before, with these bytes */
    size_t size;
    char path[PATH_MAX], bytes[SMALL];
};

static struct disk {
    enum mishap mishap;
    uint32_t at, steps; /* the step to fail, and those made */
    bool dirty;         /* the file `new` has bytes that are not synced */
    bool too_early;     /* a content appeared before its mark was on disk */
    uint32_t crumbs;    /* bytes that a write takes at most, if not 0 */
    uint32_t writes;
    struct pending marks, files;
} disk;

static inline void path_of(int folder, const char *name, char path[PATH_MAX])
{
    char link[64];
    ssize_t size;

    snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    size = readlink(link, path, PATH_MAX - SMALL);
    assert_true(size > 0);
    snprintf(path + size, SMALL, "%s%s", name ? "/" : "", name ? name : "");
}

static inline bool is_folder(int file, const char *name)
{
    char path[PATH_MAX];

    path_of(file, NULL, path);
    return strcmp(strrchr(path, '/') + 1, name) == 0;
}

static inline void lose(const struct pending *p)
{
    int file;

    if (!p->is)
        return;
    (void)unlink(p->path);
    if (!p->had)
        return;
    file = open(p->path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    (void)!syscall(SYS_write, file, p->bytes, p->size);
    close(file);
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
    if (disk.mishap == NO_POWER) {
        lose(&disk.marks);
        lose(&disk.files);
    }
    _exit(CRASHED);
}

int fsync(int file)
{
    if (step_fails())
        return -1;
    if (is_folder(file, "marks"))
        disk.marks.is = false;
    else if (is_folder(file, "files"))
        disk.files.is = false;
    else if (is_folder(file, "new"))
        disk.dirty = false;
    return (int)syscall(SYS_fsync, file);
}

ssize_t write(int file, const void *bytes, size_t size)
{
    if (file > STDERR_FILENO && is_folder(file, "new")) {
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
    return syscall(SYS_write, file, bytes, size);
}

int unlinkat(int folder, const char *name, int flags)
{
    if (step_fails())
        return -1;
    return (int)syscall(SYS_unlinkat, folder, name, flags);
}

int mkdirat(int folder, const char *name, mode_t mode)
{
    if (step_fails())
        return -1;
    return (int)syscall(SYS_mkdirat, folder, name, mode);
}

int renameat(int from_folder, const char *from, int folder, const char *name)
{
    bool mark = is_folder(folder, "marks");
    struct pending *p = mark ? &disk.marks : &disk.files;
    int file;

    if (step_fails())
        return -1;
    if (!mark && (disk.marks.is || disk.dirty))
        disk.too_early = true;
    path_of(folder, name, p->path);
    file = open(p->path, O_RDONLY | O_NOFOLLOW);
    p->had = file >= 0;
    p->size = p->had ? (size_t)read(file, p->bytes, SMALL) : 0;
    p->is = true;
    if (p->had)
        close(file);
    return (int)syscall(SYS_renameat, from_folder, from, folder, name);
}

/* ---- A store ------------------------------------------------------------- */

static char store[64];
static live_fence_error error;

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
    return live_fence_create(store, error) == LIVE_FENCE_DONE ? 0 : -1;
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

    if (live_fence_open(&fence, store, error) != LIVE_FENCE_DONE)
        fail_msg("%s", error);
    return fence;
}

/* Puts a text; what the store answers. */
static inline enum live_fence_answer put(const char *name, uint64_t token,
                                         const char *text)
{
    struct live_fence fence = opened();
    uint64_t mark;
    enum live_fence_answer answer;

    error[0] = 0;
    answer =
        live_fence_put(&fence, name, token, text, strlen(text), &mark, error);
    live_fence_close(&fence);
    return answer;
}

static inline enum live_fence_answer get(const char *name, uint64_t token,
                                         char text[SMALL])
{
    struct live_fence fence = opened();
    int file;
    enum live_fence_answer answer =
        live_fence_get(&fence, name, token, &file, error);

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
static inline bool only_entry(struct live_fence_entry *entry)
{
    struct live_fence fence = opened();
    struct live_fence_entry *list;
    size_t count;

    assert_int_equal(live_fence_list(&fence, &list, &count, error),
                     LIVE_FENCE_DONE);
    assert_true(count <= 1);
    *entry = list[0];
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

#define FENCE_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

#endif
