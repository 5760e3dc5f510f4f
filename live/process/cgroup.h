/*
 * cgroup.h - a cgroup (version 2) of a command's own, where one can be made:
 * as root, or below a cgroup that was delegated.
 *
 * A process can leave its process group, but not its cgroup unless it is
 * allowed to.  The kernel kills all in it at once, also those that are being
 * born, and says when nobody is left.
 *
 * The client makes it below its own, so that limits of the client's still
 * count, and passes two open files to the daemon, which needs no rights there.
 */
#ifndef LIVE_CGROUP_H
#define LIVE_CGROUP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "live/common/letter.h"

#define LIVE_NO_CGROUP ((struct live_cgroup){-1, -1})

static inline bool live_cgroup_is(const struct live_cgroup *cgroup)
{
    return cgroup->kill >= 0;
}

/* Makes one and forks a process into it, as fork() does; in the child too the
 * files are open.  Without a cgroup if none can be made. -1 with errno. */
pid_t live_cgroup_fork(struct live_cgroup *cgroup);

/* Takes over files that came from somebody else; closes them if they are not
 * cgroup.kill and cgroup.events of the cgroup that process `leader` is in, and
 * can be used as such. */
void live_cgroup_adopt(struct live_cgroup *cgroup, const int files[2],
                       pid_t leader);

/* The folder of the cgroup that a process is in, as this process sees it;
 * false: none, or none that it sees. */
enum { LIVE_CGROUP_PATH = 1024 };
bool live_cgroup_folder(pid_t pid, char path[LIVE_CGROUP_PATH]);

void live_cgroup_kill(const struct live_cgroup *cgroup);

/* No process is left, except zombies. */
bool live_cgroup_is_empty(const struct live_cgroup *cgroup);

/* Closes the files, and removes the cgroup if it is empty and that is allowed.
 * None is fine. */
void live_cgroup_close(struct live_cgroup *cgroup);

/* ---- One of a former life ------------------------------------------------ */

/* The folder of the cgroup that was at this path and had this inode, open;
 * -1: it is gone, or something else is there, such as a folder that is none. */
int live_cgroup_find(const char *path, uint64_t inode);

/* Somebody in it, or below, lives. */
bool live_cgroup_is_populated(int folder);

/* Kills all in it, and below.  0 or an errno. */
int live_cgroup_end(int folder, const char *path);

/* Removes it if it was made by live_cgroup_fork(), is empty, and that is
 * allowed. */
void live_cgroup_remove(const char *path, uint64_t inode);

#endif
