/*
 * outside.c - see outside.h.
 *
 * A name is walked part by part, with no link followed at any of them and no
 * "..", so that every folder on the way is one that was beneath the first.
 * openat2(2) would do the same in one call, where the kernel has it and a
 * sandbox lets it through; this is the same everywhere.
 */
#include "net/outside.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Beneath a folder ---------------------------------------------------- */

/* Takes the first part off a name; false: it is none that leads down. */
static bool take_part(const char **name, char part[NAME_MAX + 1])
{
    size_t length = strcspn(*name, "/");

    if (length == 0 || length > NAME_MAX)
        return false;
    memcpy(part, *name, length);
    part[length] = '\0';
    *name += length + ((*name)[length] == '/');
    return strcmp(part, ".") != 0 && strcmp(part, "..") != 0;
}

static int nothing(int number)
{
    errno = number;
    return -1;
}

static int leave(int file, int number)
{
    close(file);
    return nothing(number);
}

/* Closes a folder; errno is as it was.  Returns `file`. */
static int close_folder(int folder, int file)
{
    int number = errno;

    close(folder);
    errno = number;
    return file;
}

/* The folder in which the last part of a name is, to be closed; the part is
 * left in `last`. */
static int walk(int folder, const char *name, char last[NAME_MAX + 1])
{
    size_t length = strlen(name);
    int at, next;

    if (length > 0 && name[length - 1] == '/')
        return nothing(ENOENT);
    at = fcntl(folder, F_DUPFD_CLOEXEC, 0);
    while (at >= 0) {
        if (!take_part(&name, last))
            return leave(at, ENOENT);
        if (!*name)
            return at;
        next = openat(at, last, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        close(at);
        at = next;
    }
    return -1;
}

/* Whether a regular file is there, or errno; nothing is opened that could
 * notice. */
static bool looks_regular(int at, const char *part, struct stat *seen)
{
    int file = openat(at, part, O_PATH | O_NOFOLLOW | O_CLOEXEC);

    if (file < 0)
        return false;
    if (fstat(file, seen) != 0)
        seen->st_mode = 0;
    close(file);
    errno = S_ISLNK(seen->st_mode) ? ELOOP : ENXIO;
    return S_ISREG(seen->st_mode);
}

/* The file that was looked at, and no other that has come in its place. */
static int open_seen(int at, const char *part, int how, const struct stat *seen)
{
    int file =
        openat(at, part, how | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat is;

    if (file < 0)
        return -1;
    if (fstat(file, &is) != 0 || is.st_dev != seen->st_dev ||
        is.st_ino != seen->st_ino)
        return leave(file, ENOENT);
    return file;
}

int outside_open(int folder, const char *name, int how)
{
    char last[NAME_MAX + 1];
    struct stat seen;
    int file = -1, at = walk(folder, name, last);

    if (at < 0)
        return -1;
    if (looks_regular(at, last, &seen))
        file = open_seen(at, last, how, &seen);
    return close_folder(at, file);
}

int outside_folder(int folder, const char *name)
{
    char last[NAME_MAX + 1];
    int at = walk(folder, name, last);

    if (at < 0)
        return -1;
    return close_folder(
        at, openat(at, last, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

int outside_create(int folder, const char *name)
{
    if (strchr(name, '/'))
        return nothing(ENOENT);
    return openat(folder, name,
                  O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

/* Opens the folder of a path; `name` gets the name within it.  The caller
 * closes. */
static int folder_of(const char *path, const char **name)
{
    const char *slash = strrchr(path, '/');
    char folder[PATH_MAX];

    *name = slash ? slash + 1 : path;
    if (slash && (size_t)(slash - path) >= sizeof folder)
        return nothing(ENAMETOOLONG);
    snprintf(folder, sizeof folder, "%.*s",
             slash ? (int)(slash - path) + (slash == path) : 1,
             slash ? path : ".");
    return open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

int outside_open_path(const char *path, int how)
{
    const char *name;
    int folder = folder_of(path, &name);

    if (folder < 0)
        return -1;
    return close_folder(folder, outside_open(folder, name, how));
}

int outside_renew_path(const char *path)
{
    const char *name;
    int folder = folder_of(path, &name);

    if (folder < 0)
        return -1;
    (void)unlinkat(folder, name, 0);
    return close_folder(folder, outside_create(folder, name));
}

bool outside_trusted(int file, uid_t user, struct net_why *why)
{
    struct stat is;

    if (fstat(file, &is) != 0)
        return net_fail(why, "%s", strerror(errno));
    if (!S_ISREG(is.st_mode))
        return net_refuse(why, "it is not a regular file");
    if (is.st_uid != 0 && is.st_uid != user)
        return net_refuse(why, "it belongs to user %u", (unsigned)is.st_uid);
    if (is.st_nlink != 1)
        return net_refuse(why, "it has %u names", (unsigned)is.st_nlink);
    if (is.st_mode & (S_IRWXG | S_IRWXO))
        return net_refuse(why, "others can read or write it (mode %04o)",
                          (unsigned)is.st_mode & 07777);
    return true;
}
