/*
 * user.c - see user.h.
 */
#include "live/system/user.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "net/why.h"

uid_t live_user_number(const char *name)
{
    const struct passwd *found = name[0] ? getpwnam(name) : NULL;

    return found ? found->pw_uid : geteuid();
}

void live_user_own(char name[LIVE_NAME_MAX])
{
    const struct passwd *found = getpwuid(geteuid());

    if (found && strlen(found->pw_name) < LIVE_NAME_MAX)
        snprintf(name, LIVE_NAME_MAX, "%s", found->pw_name);
    else
        snprintf(name, LIVE_NAME_MAX, "%u", (unsigned)geteuid());
}

bool live_user_find(struct live_user *user, const char *name,
                    struct net_why *error)
{
    const struct passwd *found = getpwnam(name);

    if (!found || strlen(name) >= sizeof user->name)
        return net_refuse(
            error, "there is no user '%s' here; add it, or take another", name);
    snprintf(user->name, sizeof user->name, "%s", name);
    user->uid = found->pw_uid;
    user->gid = found->pw_gid;
    if (geteuid() != 0 && geteuid() != user->uid)
        return net_refuse(error,
                          "only root can become user '%s'; start the node as "
                          "root or as that user, or leave 'user' out",
                          name);
    return true;
}

static int keep_only_kill(void)
{
    struct __user_cap_header_struct header = {.version =
                                                  _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {{0}};

    sets[0].permitted = sets[0].effective = 1u << CAP_KILL;
    return (int)syscall(SYS_capset, &header, sets);
}

/* All of it or an errno.  Capabilities outlive the change of user only if that
 * is asked for. */
static int change(const struct live_user *user)
{
    if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) ||
        initgroups(user->name, user->gid) ||
        setresgid(user->gid, user->gid, user->gid) ||
        setresuid(user->uid, user->uid, user->uid) || keep_only_kill() ||
        prctl(PR_SET_KEEPCAPS, 0, 0, 0, 0) ||
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        return errno;
    return 0;
}

bool live_user_become(const struct live_user *user, struct net_why *error)
{
    int why;

    if (geteuid() == user->uid)
        return true;
    why = change(user);
    if (why == 0 && setuid(0) == 0)
        why = EPERM; /* what was dropped must stay so */
    if (why == 0)
        return true;
    return net_fail(error,
                    "cannot become user '%s': %s; leave 'user' out, or allow "
                    "CAP_SETUID, CAP_SETGID and CAP_KILL",
                    user->name, strerror(why));
}
