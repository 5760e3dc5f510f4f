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

#include "live/door/door_parts.h"
#include "net/why.h"

enum { BACKLOG = 64 };

/* Where the socket is to be. */
struct place {
    const char *path;
    char folder[LIVE_PATH_MAX], name[LIVE_PATH_MAX];
    struct sockaddr_un address;
    int at; /* the folder */
    mode_t permissions;
    gid_t group; /* NOBODYS: the user that makes it */
};

#define NOBODYS ((gid_t)-1)

static bool cannot(const struct place *p, const char *what, int why,
                   struct net_why *error)
{
    return net_fail(error, "cannot serve clients at %s: %s%s%s", p->path, what,
                    why ? ": " : "", why ? strerror(why) : "");
}

/* The permissions to connect. */
static bool find_group(struct place *p, const struct live_config *config,
                       struct net_why *error)
{
    const struct group *found;

    p->permissions = config->permissions ? config->permissions : 0600;
    p->group = NOBODYS;
    if (!config->group[0])
        return true;
    found = getgrnam(config->group);
    if (!found)
        return net_refuse(
            error,
            "there is no group '%s' here; add it, or take another "
            "'group' in the configuration",
            config->group);
    p->group = found->gr_gid;
    return true;
}

static bool find_place(struct place *p, const char *path, struct net_why *error)
{
    char copy[LIVE_PATH_MAX];

    *p = (struct place){.path = path, .at = -1};
    p->address.sun_family = AF_UNIX;
    if (strlen(path) >= sizeof p->address.sun_path)
        return net_refuse(error, "the path of the socket is too long");
    memcpy(p->address.sun_path, path, strlen(path) + 1);
    snprintf(copy, sizeof copy, "%s", path);
    snprintf(p->folder, sizeof p->folder, "%s", dirname(copy));
    snprintf(copy, sizeof copy, "%s", path);
    snprintf(p->name, sizeof p->name, "%s", basename(copy));
    p->at = open(p->folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (p->at < 0)
        return cannot(p, p->folder, errno, error);
    return true;
}

/* Root makes nothing where others than root and `owner` could put another file
 * in its place. */
static bool look_at_folder(const struct place *p, uid_t owner,
                           struct net_why *error)
{
    struct stat folder;

    if (fstat(p->at, &folder))
        return cannot(p, p->folder, errno, error);
    if ((folder.st_uid == 0 || folder.st_uid == owner) &&
        (!(folder.st_mode & (S_IWGRP | S_IWOTH)) || (folder.st_mode & S_ISVTX)))
        return true;
    return net_refuse(
        error,
        "root does not serve clients at %s: users other than root and the "
        "'user' of the node may change %s; use a directory of its own",
        p->path, p->folder);
}

/* Whether somebody listens there.  A process that does not accept still
 * listens: a node that is stopped has a full queue. */
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
static bool clear(const struct place *p, struct net_why *error)
{
    struct stat there;

    if (fstatat(p->at, p->name, &there, AT_SYMLINK_NOFOLLOW))
        return errno == ENOENT || cannot(p, "it", errno, error);
    if (!S_ISSOCK(there.st_mode))
        return net_refuse(error,
                          "%s exists and is not a socket; move it away, or "
                          "choose another 'socket' in the configuration",
                          p->path);
    if (is_served(p))
        return net_refuse(error,
                          "%s is in use by another node; stop it, or choose "
                          "another 'socket' in the configuration",
                          p->path);
    if (unlinkat(p->at, p->name, 0) && errno != ENOENT && errno != EACCES &&
        errno != EPERM) /* then binding fails, and is told */
        return cannot(p, "what was left there", errno, error);
    return true;
}

static int bind_there(int fd, const struct place *p)
{
    mode_t before = umask(0777 & ~p->permissions); /* from its first moment */
    int failed =
        bind(fd, (const struct sockaddr *)&p->address, sizeof p->address);

    umask(before);
    return failed;
}

/* As the user, for a moment; errno comes from bind(). */
static bool bind_as(int fd, const struct place *p, const struct live_user *user,
                    struct net_why *error)
{
    bool bound;
    int why;

    if (setegid(p->group == NOBODYS ? user->gid : p->group) ||
        seteuid(user->uid)) {
        why = errno;
        (void)!setegid(0);
        errno = why;
        return false;
    }
    bound = clear(p, error) && bind_there(fd, p) == 0;
    why = errno;
    if (seteuid(0) || setegid(0))
        bound = false;
    errno = why;
    return bound;
}

/* Gives away a file in a folder that nobody else may change; a link is not
 * followed. */
static bool give(const struct place *p, const struct live_user *user,
                 struct net_why *error)
{
    uid_t owner = user ? user->uid : (uid_t)-1;
    gid_t group = p->group != NOBODYS ? p->group : user ? user->gid : NOBODYS;

    if (fchownat(p->at, p->name, owner, group, AT_SYMLINK_NOFOLLOW) == 0)
        return true;
    if (user)
        return net_fail(error, "cannot give %s to user '%s': %s", p->path,
                        user->name, strerror(errno));
    return net_fail(error,
                    "cannot give %s to group %u: %s; start the node as a "
                    "member of the 'group' of the configuration, or as root",
                    p->path, (unsigned)group, strerror(errno));
}

/* By the user of this process, for that user or another. */
static bool bind_for(int fd, const struct place *p,
                     const struct live_user *user, struct net_why *error)
{
    if (!clear(p, error))
        return false;
    if (bind_there(fd, p))
        return cannot(p, "binding", errno, error);
    return give(p, user, error);
}

static bool make(int fd, const struct place *p, const struct live_user *user,
                 struct net_why *error)
{
    bool other = user && user->uid != 0;

    if (geteuid() != 0)
        return bind_for(fd, p, NULL, error);
    if (!look_at_folder(p, other ? user->uid : 0, error))
        return false;
    if (!other)
        return bind_for(fd, p, NULL, error);
    error->text[0] = '\0';
    if (bind_as(fd, p, user, error))
        return true;
    if (error->text[0])
        return false;
    if (errno != EACCES && errno != EADDRINUSE)
        return cannot(p, "binding", errno, error);
    /* The user may not write there. */
    if (!look_at_folder(p, 0, error))
        return false;
    return bind_for(fd, p, user, error);
}

/* What was made is the node's: it alone is removed at the end. */
static bool remember(struct live_door *door, const struct place *p,
                     struct net_why *error)
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
    return true;
}

/* The listening socket, or -1 with a sentence.  The user that started the node
 * listens: clients look at that. */
static int listen_at(struct live_door *door, const struct place *p,
                     const struct live_user *user, struct net_why *error)
{
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (fd < 0) {
        cannot(p, "no socket", errno, error);
        return -1;
    }
    if (!make(fd, p, user, error) || !remember(door, p, error) ||
        (listen(fd, BACKLOG) && !cannot(p, "listening", errno, error))) {
        close(fd);
        return -1;
    }
    return fd;
}

int door_listen_open(struct live_door *door, const struct live_user *user,
                     struct net_why *error)
{
    struct place p;
    int fd = -1;

    if (find_place(&p, door->path, error) &&
        find_group(&p, door->config, error))
        fd = listen_at(door, &p, user, error);
    if (p.at >= 0)
        close(p.at);
    return fd;
}

void door_listen_close(struct live_door *door)
{
    struct stat there;

    if (lstat(door->path, &there) == 0 && S_ISSOCK(there.st_mode) &&
        there.st_dev == door->socket_device &&
        there.st_ino == door->socket_inode)
        (void)unlink(door->path);
    close(door->listener_fd);
}
