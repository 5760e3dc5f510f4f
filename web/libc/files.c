/*
 * files.c - the files, and what a system says of them (see host.h).
 */
#include "web/libc/host.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct web_file *files;
static unsigned numbers = 3; /* after the standard streams */

/* What the system says of its memory: a page gets no more than this. */
static struct web_file meminfo = {
    .name = "/proc/meminfo",
    .bytes = "MemAvailable: 524288 kB\n",
    .size = sizeof "MemAvailable: 524288 kB\n" - 1,
};

struct web_file *web_file_find(const char *name, bool make)
{
    struct web_file *f;

    if (strcmp(name, meminfo.name) == 0)
        return &meminfo;
    for (f = files; f; f = f->next)
        if (f->name && strcmp(f->name, name) == 0)
            return f;
    if (!make)
        return NULL;
    f = calloc(1, sizeof *f);
    if (!f || !(f->name = strdup(name))) {
        free(f);
        return NULL;
    }
    f->number = numbers++;
    f->next = files;
    files = f;
    return f;
}

bool web_file_reserve(struct web_file *f, size_t size)
{
    size_t room = f->room ? f->room : 256;
    char *bytes;

    while (room < size)
        room *= 2;
    if (room == f->room)
        return true;
    bytes = realloc(f->bytes, room);
    if (!bytes)
        return false;
    f->bytes = bytes;
    f->room = room;
    return true;
}

int unlink(const char *path)
{
    struct web_file *f = web_file_find(path, false);

    if (!f) {
        errno = ENOENT;
        return -1;
    }
    free(f->name);
    f->name = NULL;
    return 0;
}

int rename(const char *from, const char *to)
{
    struct web_file *f = web_file_find(from, false);
    char *name = strdup(to);

    if (!f || !name) {
        errno = f ? ENOMEM : ENOENT;
        free(name);
        return -1;
    }
    if (web_file_find(to, false))
        (void)unlink(to);
    free(f->name);
    f->name = name;
    return 0;
}

int access(const char *path, int how)
{
    (void)how;
    if (web_file_find(path, false))
        return 0;
    errno = ENOENT;
    return -1;
}

static int tell(const struct web_file *f, struct stat *info)
{
    if (!f) {
        errno = ENOENT;
        return -1;
    }
    memset(info, 0, sizeof *info);
    info->st_mode = S_IFREG;
    info->st_size = (off_t)f->size;
    info->st_ino = f->number;
    return 0;
}

int stat(const char *path, struct stat *info)
{
    return tell(web_file_find(path, false), info);
}

int fstat(int descriptor, struct stat *info)
{
    const struct web_file *f = files;

    while (f && f->number != (unsigned)descriptor)
        f = f->next;
    return tell(f, info);
}
