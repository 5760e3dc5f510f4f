/*
 * find.c - see client_parts.h: the node of this machine, for a program that is
 * not told where it listens.
 */
#include "live/client/client_parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "net/why.h"

#define FOLDER "/run/fulcrum"

enum { NAME_MOST = 90 }; /* bytes: no socket has a longer path */

/* Sockets that were found: their number, the first, and the names of all, as
 * far as there is room. */
struct found {
    uint32_t count;
    char first[LIVE_SOCKET_PATH], all[LIVE_SOCKET_PATH];
};

static void note(struct found *f, const char *name)
{
    size_t used = strlen(f->all);

    if (strlen(name) > NAME_MOST)
        return;
    if (f->count++ == 0)
        snprintf(f->first, sizeof f->first, FOLDER "/%.*s", NAME_MOST, name);
    snprintf(f->all + used, sizeof f->all - used, "%s%.*s", used ? ", " : "",
             NAME_MOST, name);
}

static void look(struct found *f, DIR *folder)
{
    const struct dirent *entry;
    struct stat there;

    while ((entry = readdir(folder)) != NULL)
        if (fstatat(dirfd(folder), entry->d_name, &there,
                    AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISSOCK(there.st_mode))
            note(f, entry->d_name);
}

/* The one socket of the folder.  Nobody but root makes that folder: root trusts
 * its owner. */
static int find_in_folder(char path[LIVE_SOCKET_PATH], uid_t *owner,
                          struct net_why *error)
{
    DIR *folder = opendir(FOLDER);
    struct found f = {0};
    struct stat is;

    if (folder) {
        look(&f, folder);
        if (fstat(dirfd(folder), &is) == 0)
            *owner = is.st_uid;
        (void)closedir(folder);
    }
    if (f.count == 1) {
        snprintf(path, LIVE_SOCKET_PATH, "%s", f.first);
        return 0;
    }
    if (f.count > 1)
        net_refuse(error,
                   "several nodes listen in " FOLDER
                   ": %s; name the socket of one, or let FULCRUM_SOCKET do so",
                   f.all);
    else
        net_refuse(error, "no node was found: there is no socket in " FOLDER
                          "; start one with 'fulcrum node', or name its socket "
                          "in FULCRUM_SOCKET");
    errno = f.count > 1 ? ENOTUNIQ : ENOENT;
    return -1;
}

int find_socket(char path[LIVE_SOCKET_PATH], uid_t *owner,
                struct net_why *error)
{
    const char *named = secure_getenv("FULCRUM_SOCKET");

    if (!named || !named[0])
        return find_in_folder(path, owner, error);
    if (strlen(named) < LIVE_SOCKET_PATH) {
        snprintf(path, LIVE_SOCKET_PATH, "%s", named);
        return 0;
    }
    net_refuse(error, "the path in FULCRUM_SOCKET is too long");
    errno = ENAMETOOLONG;
    return -1;
}
