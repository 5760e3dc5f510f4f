/*
 * fence.c - see fence.h.
 *
 * A mark is a line "TOKEN CRC", where the sum is of "NAME TOKEN": so one that
 * was damaged, cut, or copied from another name is found out, and never taken
 * for a lower one.  It is text, so that somebody who must repair a store can
 * read it.
 *
 * Files are made under the name `new`, synced, and renamed, and then their
 * folder is synced.  The order of one put is
 *
 *     new = mark, sync, rename to marks/NAME, sync marks/,
 *     new = content, sync, rename to files/NAME, sync files/
 *
 * Nothing in the store is followed if it is a link, or read if it is no file.
 */
#include "live/fence.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live/crc.h"
#include "live/fence_parts.h"

enum { MARK_MAX = 64 }; /* bytes of a mark; one needs 29 at most */

/* ---- Marks --------------------------------------------------------------- */

static enum live_fence_answer damaged(char *error, const char *name,
                                      const char *what)
{
    return fence_answer(
        LIVE_FENCE_DAMAGED, error,
        "%s: %s; nobody can write it until somebody who knows the "
        "highest token has repaired the store",
        name, what);
}

/* The line of a mark; returns its length. */
static size_t format_mark(char line[MARK_MAX], const char *name, uint64_t token)
{
    char summed[LIVE_FENCE_NAME_MAX + MARK_MAX];
    int size = snprintf(summed, sizeof summed, "%s %" PRIu64, name, token);

    return (size_t)snprintf(line, MARK_MAX, "%" PRIu64 " %08" PRIx32 "\n",
                            token, live_crc(summed, (size_t)size));
}

/* Whether a content is there, whatever it is. */
static bool has_content(const struct live_fence *fence, const char *name)
{
    struct stat about;

    return fstatat(fence->files, name, &about, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Reads an open mark. */
static enum live_fence_answer read_mark(int file, const char *name,
                                        uint64_t *mark, char *error)
{
    char line[MARK_MAX + 1] = {0}, right[MARK_MAX];
    ssize_t size = read(file, line, MARK_MAX);

    if (size < 0)
        return fence_refused(error, name);
    *mark = strtoull(line, NULL, 10);
    if (*mark == 0 || *mark > LIVE_FENCE_TOKEN_MAX ||
        (size_t)size != format_mark(right, name, *mark) ||
        memcmp(line, right, (size_t)size) != 0)
        return damaged(error, name, "its mark is damaged");
    return LIVE_FENCE_DONE;
}

enum live_fence_answer fence_find_mark(const struct live_fence *fence,
                                       const char *name, uint64_t *mark,
                                       char *error)
{
    struct stat about;
    enum live_fence_answer result;
    int file = fence_open_file(fence->marks, name, &about);

    *mark = 0;
    if (file < 0 && errno == EMEDIUMTYPE)
        return damaged(error, name, "its mark is no file");
    if (file < 0 && errno != ENOENT)
        return fence_refused(error, name);
    if (file < 0 && has_content(fence, name))
        return damaged(error, name, "its mark is missing");
    if (file < 0)
        return LIVE_FENCE_DONE;
    result = read_mark(file, name, mark, error);
    close(file);
    return result;
}

/* The mark is at least `token`, and on disk.  That is waited for even if the
 * mark is there: whoever wrote it may have died before it was on disk. */
static enum live_fence_answer raise_mark(const struct live_fence *fence,
                                         const char *name, uint64_t mark,
                                         uint64_t token, char *error)
{
    char line[MARK_MAX];
    size_t size = format_mark(line, name, token);
    int code = mark == 0 ? fsync(fence->folder) : 0; /* so for the folders */

    if (code == 0)
        code = token > mark ? fence_place(fence, fence->marks, name, line, size)
                            : fsync(fence->marks);
    return code == 0 ? LIVE_FENCE_DONE : fence_refused(error, name);
}

/* ---- What may be asked for ----------------------------------------------- */

static enum live_fence_answer check_name(const char *name, char *error)
{
    if (fence_is_name(name))
        return LIVE_FENCE_DONE;
    return fence_answer(
        LIVE_FENCE_BAD, error,
        "'%.40s' is no name of a file; take 1 to %d letters, digits, "
        "'_', '-', '.', the first no '.'",
        name, LIVE_FENCE_NAME_MAX);
}

static enum live_fence_answer check_token(uint64_t token, char *error)
{
    if (token > 0 && token <= LIVE_FENCE_TOKEN_MAX)
        return LIVE_FENCE_DONE;
    return fence_answer(LIVE_FENCE_BAD, error,
                        "%" PRIu64 " is no token; tokens are 1 to %" PRIu64,
                        token, LIVE_FENCE_TOKEN_MAX);
}

/* ---- What it is for ------------------------------------------------------ */

/* The lock of the store is held. */
static enum live_fence_answer put_locked(const struct live_fence *fence,
                                         const char *name, uint64_t token,
                                         const void *bytes, size_t size,
                                         uint64_t *mark, char *error)
{
    enum live_fence_answer result = fence_find_mark(fence, name, mark, error);

    if (result != LIVE_FENCE_DONE)
        return result;
    if (token < *mark)
        return fence_answer(
            LIVE_FENCE_LOW, error,
            "%s: token %" PRIu64 " is lower than %" PRIu64
            ", which was here before: its holder has lost the lock, "
            "and nothing was written",
            name, token, *mark);
    result = raise_mark(fence, name, *mark, token, error);
    if (result != LIVE_FENCE_DONE)
        return result;
    *mark = token;
    if (fence_place(fence, fence->files, name, bytes, size) != 0)
        return fence_refused(error, name);
    return LIVE_FENCE_DONE;
}

enum live_fence_answer live_fence_put(struct live_fence *fence,
                                      const char *name, uint64_t token,
                                      const void *bytes, size_t size,
                                      uint64_t *mark, live_fence_error error)
{
    enum live_fence_answer result = check_name(name, error);

    *mark = 0;
    if (result == LIVE_FENCE_DONE)
        result = check_token(token, error);
    if (result == LIVE_FENCE_DONE && size > LIVE_FENCE_SIZE_MAX)
        result =
            fence_answer(LIVE_FENCE_BAD, error,
                         "%s: %zu bytes are too many; a content has at most %d",
                         name, size, LIVE_FENCE_SIZE_MAX);
    if (result == LIVE_FENCE_DONE)
        result = fence_lock(fence, error);
    if (result != LIVE_FENCE_DONE)
        return result;
    result = put_locked(fence, name, token, bytes, size, mark, error);
    fence_unlock(fence);
    return result;
}

static enum live_fence_answer get_locked(const struct live_fence *fence,
                                         const char *name, uint64_t token,
                                         int *file, char *error)
{
    uint64_t mark;
    struct stat about;
    enum live_fence_answer result = fence_find_mark(fence, name, &mark, error);

    if (result == LIVE_FENCE_DONE && token > 0)
        result = raise_mark(fence, name, mark, token, error);
    if (result != LIVE_FENCE_DONE)
        return result;
    *file = fence_open_file(fence->files, name, &about);
    if (*file >= 0)
        return LIVE_FENCE_DONE;
    if (errno == EMEDIUMTYPE)
        return damaged(error, name, "its content is no file");
    if (errno == ENOENT)
        return fence_answer(LIVE_FENCE_NOTHING, error,
                            "there is nothing under the name %s", name);
    return fence_refused(error, name);
}

enum live_fence_answer live_fence_get(struct live_fence *fence,
                                      const char *name, uint64_t token,
                                      int *file, live_fence_error error)
{
    enum live_fence_answer result = check_name(name, error);

    *file = -1;
    if (result == LIVE_FENCE_DONE && token > 0)
        result = check_token(token, error);
    if (result == LIVE_FENCE_DONE)
        result = fence_lock(fence, error);
    if (result != LIVE_FENCE_DONE)
        return result;
    result = get_locked(fence, name, token, file, error);
    fence_unlock(fence);
    return result;
}
