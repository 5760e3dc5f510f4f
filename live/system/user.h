/*
 * user.h - a node that was started by root goes on as another user.
 *
 * Of root's rights it keeps one, to send signals (CAP_KILL): it must be able to
 * kill the commands of every user that can open its socket, which are that user
 * and root.
 */
#ifndef LIVE_USER_H
#define LIVE_USER_H

#include <sys/types.h>

#include "live/config/config.h"

struct live_user {
    char name[LIVE_NAME_MAX];
    uid_t uid;
    gid_t gid;
};

/* The number of a user, or this process's if there is no such user. */
uid_t live_user_number(const char *name);

/* The name of this process's user, or its number where it has none. */
void live_user_own(char name[LIVE_NAME_MAX]);

/* Looks the user up, and whether this process can become it.  False with a
 * sentence. */
bool live_user_find(struct live_user *user, const char *name,
                    struct net_why *error);

/* Becomes the user with its group and supplementary groups, for good, and drops
 * all capabilities except CAP_KILL. Nothing is done if this process is that
 * user. False with a sentence: then it must not go on. */
bool live_user_become(const struct live_user *user, struct net_why *error);

#endif
