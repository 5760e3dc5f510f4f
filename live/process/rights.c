/*
 * rights.c - see rights.h.
 *
 * A signal is allowed by the real user as well as by the effective one: so both
 * are changed, and the saved one stays root.  Capabilities go with the
 * effective one, and come back with it.
 */
#include "live/process/rights.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

enum { NO_GROUP = 65534 };

static gid_t group_of(uid_t user)
{
    const struct passwd *found = getpwuid(user);

    return found ? found->pw_gid : NO_GROUP;
}

int live_rights_lower(struct live_rights *rights, uid_t user)
{
    int why;

    rights->lowered = false;
    if (geteuid() != 0 || user == 0)
        return 0;
    rights->group = getegid();
    rights->count =
        getgroups((int)(sizeof rights->groups / sizeof rights->groups[0]),
                  rights->groups);
    if (rights->count < 0)
        return errno;
    rights->lowered = true;
    if (setgroups(0, NULL) == 0 && setegid(group_of(user)) == 0 &&
        setresuid(user, user, 0) == 0)
        return 0;
    why = errno;
    live_rights_raise(rights);
    rights->lowered = false;
    return why;
}

/* A process that stayed half a user could not be trusted with anything. */
void live_rights_raise(const struct live_rights *rights)
{
    if (!rights->lowered)
        return;
    if (setresuid(0, 0, 0) || setegid(rights->group) ||
        (setgroups((size_t)rights->count, rights->groups) && errno != EPERM))
        abort();
}
