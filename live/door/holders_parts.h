/*
 * holders_parts.h - shared by the parts of the list of holders: holders.c (the
 * file and its lines) and holders_left.c (commands that a former life has
 * left).
 */
#ifndef LIVE_HOLDERS_PARTS_H
#define LIVE_HOLDERS_PARTS_H

#include "live/door/holders.h"

#include "live/desk/desk.h"
#include "live/process/proc.h"

/* A write of one place is of one page, and so whole, or it is not there. */
enum { HOLDERS_CGROUP = 220, HOLDERS_SPARE = 160 };

struct holders_place {
    uint32_t used;
    int32_t group;
    uint64_t start; /* of its leader */
    uint64_t inode; /* of the cgroup's folder; 0: none */
    uint64_t mark;  /* in the environment of all of it; 0: not known */
    uint32_t user;  /* whose client it was: root's may have changed its user */
    char cgroup[HOLDERS_CGROUP];
};

struct holders_notes {
    char magic[8];
    char boot[LIVE_BOOT_BYTES];
    char node[LIVE_NAME_MAX];
    uint64_t alive;    /* when the daemon lived for certain */
    uint64_t deadline; /* that it has promised at most */
    uint8_t spare[HOLDERS_SPARE];
    struct holders_place places[LIVE_CLIENTS_MAX];
};

/* The list of a former life, and the user that vouches for it: nothing is done
 * to a process, or a cgroup, that this user could not do. */
struct holders_left {
    const struct holders_notes *notes;
    uid_t user;
    const char *path; /* of the file */
};

/* Ends all of it; false with a sentence. */
bool holders_end_left(const struct holders_left *left, uint64_t lease,
                      struct net_why *error);

#endif
