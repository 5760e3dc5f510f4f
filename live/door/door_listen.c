/*
 * door_listen.c - the socket of local clients: where it is made, whose it is,
 * and what may be replaced by it.
 *
 * Root makes none where somebody else could put another file in its place and
 * have that given away.  In a directory that the user of the node may write it
 * is made as that user, by whose rights alone; elsewhere by root, in a
 * directory that nobody else may change.
 *
 * Its permissions are those that it is made with, and nobody can connect before
 * it listens: until then it has its group.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "live/common/fail.h"
#include "live/door/door_parts.h"

enum { BACKLOG = 64 };

/* Where the socket is to be. */
struct place {
    const char *path;
    char folder[LIVE_PATH_MAX], name[LIVE_PATH_MAX];
    struct sockaddr_un address;
    int at; /* the folder */
    mode_t permissions;
    gid_t group; /* NOBODYS: that of who makes it */
};

#define NOBODYS ((gid_t)-1)

static int cannot(const struct place *p, const char *what, int why,
                  char error[LIVE_ERROR_SIZE])
{
    return live_fail(error, "cannot serve clients at %s: %s%s%s", p->path, what,
                     why ? ": " : "", why ? strerror(why) : "");
}

/* Who may connect. */
static int find_group(struct place *p, const struct live_config *config,
                      char error[LIVE_ERROR_SIZE])
{
    const struct group *found;

    p->permissions = config->permissions ? config->permissions : 0600;
    p->group = NOBODYS;
    if (!config->group[0])
        return 0;
    found = getgrnam(config->group);
    if (!found)
        return live_fail(error,
                         "there is no group '%s' here; add it, or take another "
                         "'group' in the configuration",
                         config->group);
    p->group = found->gr_gid;
    return 0;
}

static int find_place(struct place *p, const char *path,
                      char error[LIVE_ERROR_SIZE])
{
    char copy[LIVE_PATH_MAX];

    *p = (struct place){.path = path, .at = -1};
    p->address.sun_family = AF_UNIX;
    if (strlen(path) >= sizeof p->address.sun_path)
        return live_fail(error, "the path of the socket is too long");
    memcpy(p->address.sun_path, path, strlen(path) + 1);
    snprintf(copy, sizeof copy, "%s", path);
    snprintf(p->folder, sizeof p->folder, "%s", dirname(copy));
    snprintf(copy, sizeof copy, "%s", path);
    snprintf(p->name, sizeof p->name, "%s", basename(copy));
    p->at = open(p->folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (p->at < 0)
        return cannot(p, p->folder, errno, error);
    return 0;
}

/* Root makes nothing where others than root and `owner` could put another file
 * in its place. */
static int look_at_folder(const struct place *p, uid_t owner,
                          char error[LIVE_ERROR_SIZE])
{
    struct stat folder;

    if (fstat(p->at, &folder))
        return cannot(p, p->folder, errno, error);
    if ((folder.st_uid == 0 || folder.st_uid == owner) &&
        (!(folder.st_mode & (S_IWGRP | S_IWOTH)) || (folder.st_mode & S_ISVTX)))
        return 0;
    return live_fail(
        error,
        "root does not serve clients at %s: users other than root and the "
        "'user' of the node may change %s; use a directory of its own",
        p->path, p->folder);
}

/* Whether somebody listens there.  Who does not accept does listen: a node that
 * is stopped has a full queue. */
static bool is_served(const struct place *p)
{
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool served = fd >= 0 && (!connect(fd, (const struct sockaddr *)&p->address,
                                       sizeof p->address) ||
                              errno == EAGAIN);

    if (fd >= 0)
        close(fd);
    return served;
}

/* Removes a socket that was left behind, and nothing else. */
static int clear(const struct place *p, char error[LIVE_ERROR_SIZE])
{
    struct stat there;

    if (fstatat(p->at, p->name, &there, AT_SYMLINK_NOFOLLOW))
        return errno == ENOENT ? 0 : cannot(p, "it", errno, error);
    if (!S_ISSOCK(there.st_mode))
        return live_fail(error,
                         "%s exists and is not a socket; move it away, or "
                         "choose another 'socket' in the configuration",
                         p->path);
    if (is_served(p))
        return live_fail(error,
                         "%s is in use by another node; stop it, or choose "
                         "another 'socket' in the configuration",
                         p->path);
    if (unlinkat(p->at, p->name, 0) && errno != ENOENT && errno != EACCES &&
        errno != EPERM) /* then binding fails, and is told */
        return cannot(p, "what was left there", errno, error);
    return 0;
}

static int bind_there(int fd, const struct place *p)
{
    mode_t before = umask(0777 & ~p->permissions); /* from its first moment */
    int failed =
        bind(fd, (const struct sockaddr *)&p->address, sizeof p->address);

    umask(before);
    return failed;
}

/* As the user, for a moment; errno is that of the bind. */
static int bind_as(int fd, const struct place *p, const struct live_user *user,
                   char error[LIVE_ERROR_SIZE])
{
    int failed, why;

    if (setegid(p->group == NOBODYS ? user->gid : p->group) ||
        seteuid(user->uid)) {
        why = errno;
        (void)!setegid(0);
        errno = why;
        return -1;
    }
    failed = clear(p, error) || bind_there(fd, p);
    why = errno;
    if (seteuid(0) || setegid(0))
        failed = -1;
    errno = why;
    return failed;
}

/* Gives away what is in a folder that nobody else may change; a link is not
 * followed. */
static int give(const struct place *p, const struct live_user *user,
                char error[LIVE_ERROR_SIZE])
{
    uid_t owner = user ? user->uid : (uid_t)-1;
    gid_t group = p->group != NOBODYS ? p->group : user ? user->gid : NOBODYS;

    if (fchownat(p->at, p->name, owner, group, AT_SYMLINK_NOFOLLOW) == 0)
        return 0;
    if (user)
        return live_fail(error, "cannot give %s to user '%s': %s", p->path,
                         user->name, strerror(errno));
    return live_fail(error,
                     "cannot give %s to group %u: %s; start the node as a "
                     "member of the 'group' of the configuration, or as root",
                     p->path, (unsigned)group, strerror(errno));
}

/* By the user of this process, for that user or another. */
static int bind_for(int fd, const struct place *p, const struct live_user *user,
                    char error[LIVE_ERROR_SIZE])
{
    if (clear(p, error))
        return -1;
    if (bind_there(fd, p))
        return cannot(p, "binding", errno, error);
    return give(p, user, error);
}

static int make(int fd, const struct place *p, const struct live_user *user,
                char error[LIVE_ERROR_SIZE])
{
    bool other = user && user->uid != 0;

    if (geteuid() != 0)
        return bind_for(fd, p, NULL, error);
    if (look_at_folder(p, other ? user->uid : 0, error))
        return -1;
    if (!other)
        return bind_for(fd, p, NULL, error);
    error[0] = '\0';
    if (bind_as(fd, p, user, error) == 0)
        return 0;
    if (error[0])
        return -1;
    if (errno != EACCES && errno != EADDRINUSE)
        return cannot(p, "binding", errno, error);
    /* The user may not write there. */
    if (look_at_folder(p, 0, error))
        return -1;
    return bind_for(fd, p, user, error);
}

/* What was made is the node's: it alone is removed at the end. */
static int remember(struct live_door *door, const struct place *p,
                    char error[LIVE_ERROR_SIZE])
{
    struct stat there;

    if (fstatat(p->at, p->name, &there, AT_SYMLINK_NOFOLLOW) ||
        !S_ISSOCK(there.st_mode))
        return cannot(p, "somebody has put something else in its place", 0,
                      error);
    if (p->group != NOBODYS && there.st_gid != p->group)
        return cannot(p, "its directory gives it another group", 0, error);
    door->socket_device = there.st_dev;
    door->socket_inode = there.st_ino;
    return 0;
}

/* The listening socket, or -1 with a sentence.  The user that started the node
 * listens: clients look at that. */
static int listen_at(struct live_door *door, const struct place *p,
                     const struct live_user *user, char error[LIVE_ERROR_SIZE])
{
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (fd < 0)
        return cannot(p, "no socket", errno, error);
    if (make(fd, p, user, error) || remember(door, p, error) ||
        (listen(fd, BACKLOG) && cannot(p, "listening", errno, error))) {
        close(fd);
        return -1;
    }
    return fd;
}

int listen_open(struct live_door *door, const struct live_user *user,
                char error[LIVE_ERROR_SIZE])
{
    struct place p;
    int fd = -1;

    if (find_place(&p, door->path, error) == 0 &&
        find_group(&p, door->config, error) == 0)
        fd = listen_at(door, &p, user, error);
    if (p.at >= 0)
        close(p.at);
    return fd;
}

void listen_close(struct live_door *door)
{
    struct stat there;

    if (lstat(door->path, &there) == 0 && S_ISSOCK(there.st_mode) &&
        there.st_dev == door->socket_device &&
        there.st_ino == door->socket_inode)
        (void)unlink(door->path);
    close(door->listener_fd);
}
