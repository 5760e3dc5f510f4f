/*
 * rights.h - another user's rights for a while: what root does on the word of a
 * user must be no more than that user could do, and the kernel is the judge.
 */
#ifndef LIVE_RIGHTS_H
#define LIVE_RIGHTS_H

#include <stdbool.h>
#include <sys/types.h>

struct live_rights {
    bool lowered;
    gid_t group;
    int count;
    gid_t groups[64];
};

/* From now on this process can do what the user can: of all root's rights none
 * is left but that to take them back.  Nothing is done if it is not root, or if
 * the user is.  0 or an errno. */
int live_rights_lower(struct live_rights *rights, uid_t user);

void live_rights_raise(const struct live_rights *rights);

#endif
