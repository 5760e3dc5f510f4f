/*
 * fence_chain.c - the entries of one name.  See fence.h.
 *
 *     names/NAME/00000000000000000013       an entry
 *     names/NAME/new.00000000000000000014.X an attempt at the next one
 *     names/NAME/used                       entries have been removed
 *
 * An entry begins with a line "NUMBER TOKEN SIZE CRC", where the sum is of
 * "NAME NUMBER TOKEN SIZE": so one that was damaged, cut, renamed, or copied
 * from another name is found out, and never taken for a lower one.  The content
 * follows.  The size is "-" if a holder has shown its token by reading, and
 * there was nothing to be read.  It is text, so that people who must repair a
 * store can read it.
 *
 * A writer that appends after entry k
 *
 *     (1) makes an attempt at k+1, an empty file,
 *     (2) looks whether k is still the last entry,
 *     (3) writes the attempt, and waits for the disk,
 *     (4) links it to the name k+1, and waits for the disk,
 *     (5) removes the attempt's name, all attempts up to k+1, and then all
 *         entries below k+1, the lowest first.
 *
 * It may be stopped anywhere in that, for any time.  Two things must hold.
 *
 * A number is given once. (4) fails if the entry is there.  If it was there
 * and has been removed, then by somebody who appended a higher one.  The
 * attempt is older than entry k+1, by (2), so that one has seen it and removed
 * it before the entry, by (5): there is nothing left to be linked, and (4)
 * fails.
 *
 * A reader finds an entry that was the last one while it looked.  A folder is
 * read piece by piece, so it may show neither an entry that was removed
 * meanwhile nor the one for which that was done.  But a writer that removes an
 * entry has removed all lower ones before, and knows all of them, since they
 * are older than its own.  So if the highest number that was seen can still be
 * opened afterwards, no higher one was removed; and if none was seen and there
 * is no file `used`, none was ever removed.  Otherwise the reader looks again.
 *
 * Links in the store are not followed, and only regular files are read.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "live/common/crc.h"
#include "live/fence/fence_parts.h"
#include "net/whole.h"

enum {
    HEAD_MAX = 96,     /* bytes of the first line; one needs 58 at most */
    DIGITS = 20,       /* of a number in a name */
    ATTEMPT_MAX = 48,  /* bytes of the name of an attempt */
    LOOKS_MAX = 10000, /* while others append; none needs more than a few */
    FOLDER_MODE = 0700,
    FILE_MODE = 0600,
};

static const char used[] = "used", attempt_start[] = "new.";

static enum live_fence_answer damaged(struct net_why *error, const char *name,
                                      const char *what)
{
    return fence_answer(
        LIVE_FENCE_DAMAGED, error,
        "%s: %s; nobody can write it until somebody who knows the "
        "highest token has repaired the store",
        name, what);
}

/* ---- Names of files ------------------------------------------------------ */

static const char *name_entry(uint64_t number, char name[DIGITS + 1])
{
    snprintf(name, DIGITS + 1, "%020" PRIu64, number);
    return name;
}

/* The number at the beginning of a text; 0 if there is none. */
static uint64_t read_digits(const char *text)
{
    char digits[DIGITS + 1] = {0};

    memcpy(digits, text, strnlen(text, DIGITS));
    if (strspn(digits, "0123456789") != DIGITS)
        return 0;
    return strtoull(digits, NULL, 10);
}

/* The number of an entry by its name; 0: it is not an entry. */
static uint64_t entry_of(const char *name)
{
    return strlen(name) == DIGITS ? read_digits(name) : 0;
}

static uint64_t attempt_of(const char *name)
{
    const size_t start = sizeof attempt_start - 1;

    return strncmp(name, attempt_start, start) == 0 ? read_digits(name + start)
                                                    : 0;
}

/* ---- The first line ------------------------------------------------------ */

/* Of the entry that is told; returns its length. */
static size_t format_head(char head[HEAD_MAX], const char *name,
                          uint64_t number, const struct fence_text *text)
{
    char line[HEAD_MAX], summed[LIVE_FENCE_NAME_MAX + 1 + HEAD_MAX];
    int size;

    size = snprintf(line, sizeof line, "%" PRIu64 " %" PRIu64 " ", number,
                    text->token);
    snprintf(line + size, sizeof line - (size_t)size, text->bytes ? "%zu" : "-",
             text->size);
    size = snprintf(summed, sizeof summed, "%s %s", name, line);
    return (size_t)snprintf(head, HEAD_MAX, "%.64s %08" PRIx32 "\n", line,
                            live_crc(summed, (size_t)size));
}

/* Whether the beginning of a file is the first line of this entry; the length
 * of the line, or 0. */
static size_t parse_head(const char *head, const char *name, uint64_t number,
                         struct fence_last *last)
{
    struct fence_text text = {.bytes = ""};
    char right[HEAD_MAX], *rest;
    size_t size;

    (void)strtoull(head, &rest, 10);
    text.token = strtoull(rest, &rest, 10);
    if (strncmp(rest, " - ", 3) == 0)
        text.bytes = NULL;
    else
        text.size = strtoull(rest, NULL, 10);
    size = format_head(right, name, number, &text);
    if (text.token == 0 || text.token > LIVE_FENCE_TOKEN_MAX ||
        text.size > LIVE_FENCE_SIZE_MAX || strncmp(head, right, size) != 0)
        return 0;
    *last = (struct fence_last){
        number, text.token, text.bytes ? (int64_t)text.size : -1, last->file};
    return size;
}

/* Reads an open entry, up to its content. */
static enum live_fence_answer read_entry(const char *name, uint64_t number,
                                         const struct stat *about,
                                         struct fence_last *last,
                                         struct net_why *error)
{
    char head[HEAD_MAX + 1] = {0};
    ssize_t got = pread(last->file, head, HEAD_MAX, 0);
    size_t size;

    if (got < 0)
        return fence_refused(error, name);
    size = parse_head(head, name, number, last);
    if (size == 0)
        return damaged(error, name, "its last entry is damaged");
    if ((uint64_t)about->st_size !=
        size + (last->size > 0 ? (uint64_t)last->size : 0))
        return damaged(error, name, "its content is cut, or too long");
    if (lseek(last->file, (off_t)size, SEEK_SET) < 0)
        return fence_refused(error, name);
    return LIVE_FENCE_DONE;
}

/* ---- Looking ------------------------------------------------------------- */

/* Opens something for reading, if it is a file. -1 with errno; EMEDIUMTYPE: it
 * is not a regular file. */
static int open_file(int folder, const char *name, struct stat *about)
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

/* Reads the folder of a name, and opens the highest entry.  *again: others were
 * at work, and nothing is known. */
static enum live_fence_answer look(const struct live_fence *fence,
                                   const char *name, struct fence_last *last,
                                   bool *again, struct net_why *error)
{
    DIR *list = fence_read_folder(fence->names, name);
    enum live_fence_answer result = LIVE_FENCE_DONE;
    const struct dirent *found;
    uint64_t highest = 0, number;
    char entry[DIGITS + 1];
    struct stat about;

    if (!list && errno == ENOENT)
        return LIVE_FENCE_DONE;
    if (!list && (errno == ELOOP || errno == ENOTDIR))
        return damaged(error, name, "its folder is not a folder");
    if (!list)
        return fence_refused(error, name);
    while ((found = readdir(list)))
        if ((number = entry_of(found->d_name)) > highest)
            highest = number;
    if (highest == 0) {
        *again = faccessat(dirfd(list), used, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
    } else {
        last->file = open_file(dirfd(list), name_entry(highest, entry), &about);
        if (last->file >= 0)
            result = read_entry(name, highest, &about, last, error);
        else if (errno == ENOENT)
            *again = true;
        else if (errno == EMEDIUMTYPE)
            result = damaged(error, name, "its last entry is not a file");
        else
            result = fence_refused(error, name);
    }
    closedir(list);
    return result;
}

enum live_fence_answer fence_find_last(const struct live_fence *fence,
                                       const char *name,
                                       struct fence_last *last,
                                       struct net_why *error)
{
    for (uint32_t looks = 0; looks < LOOKS_MAX; looks++) {
        enum live_fence_answer result;
        bool again = false;

        *last = (struct fence_last){.size = -1, .file = -1};
        result = look(fence, name, last, &again, error);
        if (again)
            continue;
        if (result != LIVE_FENCE_DONE && last->file >= 0) {
            close(last->file);
            last->file = -1;
        }
        return result;
    }
    return damaged(error, name, "its entries are missing");
}

/* ---- Removing what no longer counts -------------------------------------- */

/* Whether there was, or is now, a file that says: entries have been removed. */
static bool note_removal(int folder)
{
    int file = openat(folder, used, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
                      FILE_MODE);

    if (file >= 0)
        close(file);
    return file >= 0;
}

/* Removes attempts up to `own`, an entry that this process has appended and
 * that is on disk.  False if that fails. */
static bool sweep_attempts(DIR *list, uint64_t own)
{
    const struct dirent *found;
    uint64_t attempt;

    while ((found = readdir(list)))
        if ((attempt = attempt_of(found->d_name)) && attempt <= own &&
            unlinkat(dirfd(list), found->d_name, 0) != 0 && errno != ENOENT)
            return false;
    return true;
}

/* The lowest entry, or `own` if there is none below it.  One that is there all
 * the while is seen, and none that is lower than `own` is ever added. */
static uint64_t lowest_entry(DIR *list, uint64_t own)
{
    const struct dirent *found;
    uint64_t lowest = own, entry;

    rewinddir(list);
    while ((found = readdir(list)))
        if ((entry = entry_of(found->d_name)) && entry < lowest)
            lowest = entry;
    return lowest;
}

/* What cannot be removed now is so after the next write. */
static void sweep(const struct live_fence *fence, const char *name,
                  uint64_t own)
{
    DIR *list = fence_read_folder(fence->names, name);
    char entry[DIGITS + 1];
    uint64_t lowest, last = 0;

    if (!list)
        return;
    for (bool good = sweep_attempts(list, own); good; last = lowest) {
        lowest = lowest_entry(list, own);
        good = lowest > last && lowest < own && note_removal(dirfd(list)) &&
               (unlinkat(dirfd(list), name_entry(lowest, entry), 0) == 0 ||
                errno == ENOENT);
    }
    closedir(list);
}

/* ---- Appending ----------------------------------------------------------- */

/* The folder of a name, made if nothing was ever written there, and on disk;
 * -1 with errno. */
static int open_name(const struct live_fence *fence, const char *name,
                     bool first)
{
    if (first &&
        ((mkdirat(fence->names, name, FOLDER_MODE) != 0 && errno != EEXIST) ||
         fsync(fence->folder) != 0 || fsync(fence->names) != 0))
        return -1;
    return fence_open_folder(fence->names, name);
}

/* An attempt at a number; -1 with errno. */
static int make_attempt(int folder, uint64_t number, char name[ATTEMPT_MAX])
{
    uint64_t draw;

    if (getrandom(&draw, sizeof draw, 0) != sizeof draw)
        return -1;
    snprintf(name, ATTEMPT_MAX, "%s%020" PRIu64 ".%016" PRIx64, attempt_start,
             number, draw);
    return openat(folder, name,
                  O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                  FILE_MODE);
}

/* Steps (2) and (3). */
static enum live_fence_answer fill_attempt(const struct live_fence *fence,
                                           const char *name, int file,
                                           const struct fence_last *last,
                                           const struct fence_text *text,
                                           bool *beaten, struct net_why *error)
{
    char head[HEAD_MAX];
    size_t size = format_head(head, name, last->number + 1, text);
    struct fence_last now;
    enum live_fence_answer result = fence_find_last(fence, name, &now, error);

    if (now.file >= 0)
        close(now.file);
    if (result != LIVE_FENCE_DONE)
        return result;
    *beaten = now.number != last->number;
    if (*beaten)
        return LIVE_FENCE_DONE;
    if (net_write_whole(file, head, size, 0) != 0 ||
        (text->bytes &&
         net_write_whole(file, text->bytes, text->size, (off_t)size) != 0) ||
        fsync(file) != 0)
        return fence_refused(error, name);
    return LIVE_FENCE_DONE;
}

/* The attempt becomes the entry, unless somebody has been faster: then either
 * the entry is there, or the attempt is not there any more. */
static enum live_fence_answer publish(int folder, const char *attempt,
                                      const char *name, uint64_t number,
                                      bool *beaten, struct net_why *error)
{
    char entry[DIGITS + 1];

    if (linkat(folder, attempt, folder, name_entry(number, entry), 0) == 0)
        return fsync(folder) == 0 ? LIVE_FENCE_DONE
                                  : fence_refused(error, name);
    *beaten = errno == EEXIST || errno == ENOENT;
    return *beaten ? LIVE_FENCE_DONE : fence_refused(error, name);
}

enum live_fence_answer fence_append(const struct live_fence *fence,
                                    const char *name,
                                    const struct fence_last *last,
                                    const struct fence_text *text, bool *beaten,
                                    struct net_why *error)
{
    const uint64_t number = last->number + 1;
    int folder = open_name(fence, name, last->number == 0), file;
    char attempt[ATTEMPT_MAX];
    enum live_fence_answer result;

    *beaten = false;
    if (folder < 0)
        return fence_refused(error, name);
    file = make_attempt(folder, number, attempt);
    if (file < 0) {
        result = fence_refused(error, name);
        close(folder);
        return result;
    }
    result = fill_attempt(fence, name, file, last, text, beaten, error);
    if (close(file) != 0 && result == LIVE_FENCE_DONE)
        result = fence_refused(error, name);
    if (result == LIVE_FENCE_DONE && !*beaten)
        result = publish(folder, attempt, name, number, beaten, error);
    (void)unlinkat(folder, attempt, 0);
    close(folder);
    if (result == LIVE_FENCE_DONE && !*beaten)
        sweep(fence, name, number);
    return result;
}

enum live_fence_answer fence_sync(const struct live_fence *fence,
                                  const char *name, struct net_why *error)
{
    int folder = fence_open_folder(fence->names, name);
    int code = folder < 0 ? -1 : fsync(folder);
    enum live_fence_answer result =
        code == 0 ? LIVE_FENCE_DONE : fence_refused(error, name);

    if (folder >= 0)
        close(folder);
    return result;
}
