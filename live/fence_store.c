/*
 * fence_store.c - the store itself: its folders, its lock, files that appear
 * whole, and the list of all names.  See fence.h.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "live/clock.h"
#include "live/fence_parts.h"

enum {
    PATIENCE = 10000000,     /* microseconds for the lock of the store */
    LOCK_PAUSE_NS = 2000000, /* between two looks at it */
    FOLDER_MODE = 0700,
    FILE_MODE = 0600,
};

static const char fresh[] = "new";
static const char marks_folder[] = "marks", files_folder[] = "files";

/* ---- Complaints ---------------------------------------------------------- */

enum live_fence_answer fence_answer(enum live_fence_answer what, char *error,
                                    const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(error, LIVE_FENCE_ERROR_SIZE, format, arguments);
    va_end(arguments);
    return what;
}

enum live_fence_answer fence_refused(char *error, const char *what)
{
    return fence_answer(
        LIVE_FENCE_REFUSED, error,
        "%s: %s; make room in the store, and let this user read and "
        "write there",
        what, strerror(errno));
}

/* ---- The lock of the store ----------------------------------------------- */

/* A blocking flock() would wait without end for a process that is stopped. */
enum live_fence_answer fence_lock(const struct live_fence *fence, char *error)
{
    const struct timespec pause = {0, LOCK_PAUSE_NS};
    uint64_t until = live_now() + fence->patience;

    while (flock(fence->folder, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return fence_refused(error, "cannot lock the store");
        if (live_now() >= until)
            return fence_answer(LIVE_FENCE_REFUSED, error,
                                "the store is busy: another process has had it "
                                "locked for %" PRIu64
                                " ms; see whether that is "
                                "stopped",
                                fence->patience / 1000);
        (void)nanosleep(&pause, NULL);
    }
    return LIVE_FENCE_DONE;
}

void fence_unlock(const struct live_fence *fence)
{
    (void)flock(fence->folder, LOCK_UN);
}

/* ---- Files --------------------------------------------------------------- */

/* Writes all of it, and waits for the disk; -1 with errno. */
static int write_all(int file, const uint8_t *bytes, size_t size)
{
    size_t done = 0;

    while (done < size) {
        ssize_t put = write(file, bytes + done, size - done);

        if (put < 0 && errno == EINTR)
            continue;
        if (put == 0)
            errno = ENOSPC;
        if (put <= 0)
            return -1;
        done += (size_t)put;
    }
    return fsync(file);
}

int fence_place(const struct live_fence *fence, int folder, const char *name,
                const void *bytes, size_t size)
{
    int code, why, file;

    if (unlinkat(fence->folder, fresh, 0) != 0 && errno != ENOENT)
        return -1;
    file =
        openat(fence->folder, fresh,
               O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, FILE_MODE);
    if (file < 0)
        return -1;
    code = write_all(file, bytes, size);
    why = errno;
    if (close(file) != 0 && code == 0) {
        code = -1;
        why = errno;
    }
    errno = why;
    if (code != 0 || renameat(fence->folder, fresh, folder, name) != 0) {
        why = errno;
        (void)unlinkat(fence->folder, fresh, 0);
        errno = why;
        return -1;
    }
    return fsync(folder);
}

int fence_open_file(int folder, const char *name, struct stat *about)
{
    /* Not blocking: it might be a pipe that nobody writes to. */
    int file =
        openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

    if (file < 0) {
        if (errno == ELOOP || errno == ENXIO)
            errno = EMEDIUMTYPE;
        return -1;
    }
    if (fstat(file, about) == 0 && S_ISREG(about->st_mode))
        return file;
    close(file);
    errno = EMEDIUMTYPE;
    return -1;
}

/* ---- A store ------------------------------------------------------------- */

static enum live_fence_answer no_store(char *error, const char *path)
{
    if (errno == ENOENT || errno == ENOTDIR)
        return fence_answer(
            LIVE_FENCE_NOTHING, error,
            "%s is no store; make one once with 'fulcrum fence %s "
            "init', and never to replace one that was lost",
            path, path);
    return fence_refused(error, path);
}

/* The path of the store may be a link; its own folders may not. */
static int open_folder(int at, const char *name)
{
    return openat(at, name,
                  O_RDONLY | O_DIRECTORY | O_CLOEXEC |
                      (at == AT_FDCWD ? 0 : O_NOFOLLOW));
}

/* A list of its names, from the beginning; NULL with errno. */
static DIR *read_folder(int folder)
{
    int copy = open_folder(folder, ".");
    DIR *list = copy < 0 ? NULL : fdopendir(copy);

    if (!list && copy >= 0)
        close(copy);
    return list;
}

/* Whether a folder has nothing but what an unfinished start has left.  -1 with
 * errno. */
static int is_fresh(int folder)
{
    DIR *list = read_folder(folder);
    const struct dirent *entry;
    int result = 1;

    if (!list)
        return -1;
    while ((entry = readdir(list)))
        if (strcmp(entry->d_name, ".") != 0 &&
            strcmp(entry->d_name, "..") != 0 &&
            strcmp(entry->d_name, files_folder) != 0)
            result = 0;
    closedir(list);
    return result;
}

/* The name of the store itself is on disk; -1 with errno.  Whoever may not read
 * the folder above has not made the store in it. */
static int sync_above(int folder)
{
    int code, above = open_folder(folder, "..");

    if (above < 0)
        return errno == EACCES ? 0 : -1;
    code = fsync(above);
    close(above);
    return code;
}

/* Makes a folder in the store, on disk when it returns; -1 with errno. */
static int make_folder(int folder, const char *name)
{
    if (mkdirat(folder, name, FOLDER_MODE) != 0 && errno != EEXIST)
        return -1;
    return fsync(folder);
}

/* The folder of marks comes last: with it, it is a store. */
static enum live_fence_answer create_in(const struct live_fence *fence,
                                        const char *path, char *error)
{
    int found = is_fresh(fence->folder);

    if (found == 0)
        return fence_answer(
            LIVE_FENCE_REFUSED, error,
            "%s is a store already, or has other files; take a new "
            "folder",
            path);
    if (found < 0 || sync_above(fence->folder) != 0 ||
        make_folder(fence->folder, files_folder) != 0 ||
        make_folder(fence->folder, marks_folder) != 0)
        return fence_refused(error, path);
    return LIVE_FENCE_DONE;
}

enum live_fence_answer live_fence_create(const char *path,
                                         live_fence_error error)
{
    struct live_fence fence = {.patience = PATIENCE};
    enum live_fence_answer result;

    if (mkdir(path, FOLDER_MODE) != 0 && errno != EEXIST)
        return fence_refused(error, path);
    fence.folder = open_folder(AT_FDCWD, path);
    if (fence.folder < 0)
        return fence_refused(error, path);
    result = fence_lock(&fence, error);
    if (result == LIVE_FENCE_DONE)
        result = create_in(&fence, path, error);
    close(fence.folder);
    return result;
}

enum live_fence_answer live_fence_open(struct live_fence *fence,
                                       const char *path, live_fence_error error)
{
    enum live_fence_answer result;

    *fence = (struct live_fence){-1, -1, -1, PATIENCE};
    fence->folder = open_folder(AT_FDCWD, path);
    if (fence->folder >= 0)
        fence->marks = open_folder(fence->folder, marks_folder);
    if (fence->marks >= 0)
        fence->files = open_folder(fence->folder, files_folder);
    if (fence->files >= 0)
        return LIVE_FENCE_DONE;
    result = no_store(error, path);
    live_fence_close(fence);
    return result;
}

void live_fence_close(struct live_fence *fence)
{
    const int open[] = {fence->files, fence->marks, fence->folder};

    for (size_t i = 0; i < sizeof open / sizeof open[0]; i++)
        if (open[i] >= 0)
            close(open[i]);
    *fence = (struct live_fence){-1, -1, -1, PATIENCE};
}

/* ---- Names --------------------------------------------------------------- */

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

bool fence_is_name(const char *name)
{
    size_t size = strnlen(name, LIVE_FENCE_NAME_MAX + 1);

    if (size == 0 || size > LIVE_FENCE_NAME_MAX || *name == '.')
        return false;
    for (size_t i = 0; i < size; i++)
        if (!is_plain(name[i]))
            return false;
    return true;
}

/* ---- All of it ----------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct live_fence_entry *)a)->name,
                  ((const struct live_fence_entry *)b)->name);
}

static void look_at(const struct live_fence *fence,
                    struct live_fence_entry *entry)
{
    live_fence_error ignored;
    struct stat about;
    int file = fence_open_file(fence->files, entry->name, &about);

    entry->size = file < 0 ? -1 : (int64_t)about.st_size;
    entry->damaged = (file < 0 && errno != ENOENT) ||
                     fence_find_mark(fence, entry->name, &entry->mark,
                                     ignored) != LIVE_FENCE_DONE;
    if (entry->damaged)
        entry->mark = 0;
    if (file >= 0)
        close(file);
}

/* Names of a folder that are not in the list yet; -1: out of memory, or
 * errno. */
static int add_names(int folder, struct live_fence_entry **list, size_t *count)
{
    DIR *names = read_folder(folder);
    const struct dirent *found;
    size_t known = *count;

    if (!names)
        return -1;
    while ((found = readdir(names))) {
        struct live_fence_entry entry = {.mark = 0}, *longer;

        if (!fence_is_name(found->d_name))
            continue;
        memcpy(entry.name, found->d_name, strlen(found->d_name));
        if (known && bsearch(&entry, *list, known, sizeof entry, by_name))
            continue;
        longer = realloc(*list, (*count + 1) * sizeof entry);
        if (!longer) {
            closedir(names);
            return -1;
        }
        *list = longer;
        longer[(*count)++] = entry;
    }
    closedir(names);
    qsort(*list, *count, sizeof **list, by_name);
    return 0;
}

static int list_all(const struct live_fence *fence,
                    struct live_fence_entry **list, size_t *count)
{
    *list = calloc(1, sizeof **list); /* an empty list is one, too */
    *count = 0;
    if (!*list || add_names(fence->marks, list, count) != 0 ||
        add_names(fence->files, list, count) != 0)
        return -1;
    for (size_t i = 0; i < *count; i++)
        look_at(fence, *list + i);
    return 0;
}

enum live_fence_answer live_fence_list(struct live_fence *fence,
                                       struct live_fence_entry **list,
                                       size_t *count, live_fence_error error)
{
    enum live_fence_answer result = fence_lock(fence, error);

    if (result != LIVE_FENCE_DONE)
        return result;
    if (list_all(fence, list, count) != 0) {
        result = fence_refused(error, "cannot list the store");
        free(*list);
        *list = NULL;
    }
    fence_unlock(fence);
    return result;
}
