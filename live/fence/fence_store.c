/*
 * fence_store.c - the store itself: its folder, and the list of all names.  See
 * fence.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live/fence/fence_parts.h"
#include "net/grow.h"

enum { FOLDER_MODE = 0700 };

static const char names_folder[] = "names";
static const char former_folder[] = "marks"; /* of stores with a lock */

/* ---- Complaints ---------------------------------------------------------- */

enum live_fence_answer fence_answer(enum live_fence_answer what,
                                    struct net_why *error, const char *format,
                                    ...)
{
    va_list arguments;

    va_start(arguments, format);
    error->system = what == LIVE_FENCE_REFUSED;
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return what;
}

enum live_fence_answer fence_refused(struct net_why *error, const char *what)
{
    return fence_answer(
        LIVE_FENCE_REFUSED, error,
        "%s: %s; make room in the store, and let this user read and "
        "write there",
        what, strerror(errno));
}

/* ---- Folders ------------------------------------------------------------- */

int fence_open_folder(int at, const char *name)
{
    return openat(at, name,
                  O_RDONLY | O_DIRECTORY | O_CLOEXEC |
                      (at == AT_FDCWD ? 0 : O_NOFOLLOW));
}

DIR *fence_read_folder(int at, const char *name)
{
    int folder = fence_open_folder(at, name);
    DIR *list = folder < 0 ? NULL : fdopendir(folder);

    if (!list && folder >= 0)
        close(folder);
    return list;
}

/* Whether a folder has nothing in it.  -1 with errno. */
static int is_empty(int folder)
{
    DIR *list = fence_read_folder(folder, ".");
    const struct dirent *entry;
    int result = 1;

    if (!list)
        return -1;
    while ((entry = readdir(list)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            result = 0;
    closedir(list);
    return result;
}

/* The name of the store itself is on disk; -1 with errno.  A process that may
 * not read the folder above has not made the store in it. */
static int sync_above(int folder)
{
    int code, above = fence_open_folder(folder, "..");

    if (above < 0)
        return errno == EACCES ? 0 : -1;
    code = fsync(above);
    close(above);
    return code;
}

/* ---- A store ------------------------------------------------------------- */

static enum live_fence_answer no_store(const struct live_fence *fence,
                                       struct net_why *error, const char *path)
{
    if (errno != ENOENT && errno != ENOTDIR)
        return fence_refused(error, path);
    if (fence->folder >= 0 &&
        faccessat(fence->folder, former_folder, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
        return fence_answer(
            LIVE_FENCE_REFUSED, error,
            "%s was made by an earlier fulcrum, whose files are others; make "
            "a new store, and write each content there under the token that "
            "its 'fence %s show' tells",
            path, path);
    return fence_answer(
        LIVE_FENCE_NOTHING, error,
        "%s is not a store; create one once with 'fulcrum fence %s init', and "
        "never to replace one that was lost",
        path, path);
}

/* One call makes the store: it is there, or it is not. */
static enum live_fence_answer create_in(int folder, const char *path,
                                        struct net_why *error)
{
    int found = is_empty(folder);

    if (found > 0 && sync_above(folder) == 0 &&
        mkdirat(folder, names_folder, FOLDER_MODE) == 0 && fsync(folder) == 0)
        return LIVE_FENCE_DONE;
    if (found == 0 || errno == EEXIST)
        return fence_answer(
            LIVE_FENCE_REFUSED, error,
            "%s is a store already, or has other files; take a new "
            "folder",
            path);
    return fence_refused(error, path);
}

enum live_fence_answer live_fence_create(const char *path,
                                         struct net_why *error)
{
    enum live_fence_answer result;
    int folder;

    if (mkdir(path, FOLDER_MODE) != 0 && errno != EEXIST)
        return fence_refused(error, path);
    folder = fence_open_folder(AT_FDCWD, path);
    if (folder < 0)
        return fence_refused(error, path);
    result = create_in(folder, path, error);
    close(folder);
    return result;
}

enum live_fence_answer live_fence_open(struct live_fence *fence,
                                       const char *path, struct net_why *error)
{
    enum live_fence_answer result;

    *fence = (struct live_fence){-1, -1};
    fence->folder = fence_open_folder(AT_FDCWD, path);
    if (fence->folder >= 0)
        fence->names = fence_open_folder(fence->folder, names_folder);
    if (fence->names >= 0)
        return LIVE_FENCE_DONE;
    result = no_store(fence, error, path);
    live_fence_close(fence);
    return result;
}

void live_fence_close(struct live_fence *fence)
{
    if (fence->names >= 0)
        close(fence->names);
    if (fence->folder >= 0)
        close(fence->folder);
    *fence = (struct live_fence){-1, -1};
}

/* ---- Names --------------------------------------------------------------- */

bool fence_is_name(const char *name)
{
    size_t size = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrst"
                               "uvwxyz0123456789_.-");

    return size > 0 && size <= LIVE_FENCE_NAME_MAX && !name[size] &&
           *name != '.';
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
    struct net_why ignored;
    struct fence_last last;

    entry->damaged =
        fence_find_last(fence, entry->name, &last, &ignored) != LIVE_FENCE_DONE;
    entry->mark = entry->damaged ? 0 : last.token;
    entry->size = entry->damaged ? -1 : last.size;
    if (last.file >= 0)
        close(last.file);
}

/* Adds a name under which something was written; false: out of memory. */
static bool add_name(const struct live_fence *fence, const char *name,
                     struct live_fence_entry **list, size_t *count)
{
    struct live_fence_entry entry = {.mark = 0};

    memcpy(entry.name, name, strlen(name));
    look_at(fence, &entry);
    if (entry.mark == 0 && !entry.damaged)
        return true;
    if (!net_grow(list, *count, sizeof entry))
        return false;
    (*list)[(*count)++] = entry;
    return true;
}

/* -1: out of memory, or errno. */
static int list_all(const struct live_fence *fence,
                    struct live_fence_entry **list, size_t *count)
{
    DIR *names = fence_read_folder(fence->folder, names_folder);
    const struct dirent *found;
    bool room = true;

    *list = calloc(1, sizeof **list); /* an empty list is not NULL */
    *count = 0;
    while (names && *list && room && (found = readdir(names)))
        if (fence_is_name(found->d_name))
            room = add_name(fence, found->d_name, list, count);
    if (names)
        closedir(names);
    if (!names || !*list || !room)
        return -1;
    qsort(*list, *count, sizeof **list, by_name);
    return 0;
}

enum live_fence_answer live_fence_list(struct live_fence *fence,
                                       struct live_fence_entry **list,
                                       size_t *count, struct net_why *error)
{
    if (list_all(fence, list, count) == 0)
        return LIVE_FENCE_DONE;
    free(*list);
    *list = NULL;
    return fence_refused(error, "cannot list the store");
}
