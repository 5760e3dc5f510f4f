/*
 * holders_left.c - the commands that a former life of the node has left, and
 * their end.
 *
 * A cgroup is known again by its folder's inode; a process by its number and
 * the time of its start.  If the leader of a group is gone, its number stays
 * with the group as long as somebody is in it: so a process that is in that
 * group now, and was there already when the last daemon lived, shows that it is
 * the same.  A process that is anywhere else is hunted for by the mark of its
 * run, as the daemon that has died would have done (K8).
 *
 * The list tells root what to kill, so it is trusted no more than the user that
 * could have written it (K11): everything is done with that user's rights, and
 * a process is killed with the rights of the user whose client it was, or if it
 * is that user's.
 */
#include "live/door/holders_parts.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "live/common/clock.h"
#include "live/process/cgroup.h"
#include "live/process/hunt.h"
#include "live/process/rights.h"
#include "live/system/log.h"
#include "net/why.h"

enum {
    PATIENCE = 10000000, /* microseconds, until the killed are dead */
    LOOK_AGAIN_NS = 5000000,
};

/* ---- Processes that are still there -------------------------------------- */

/* The folder of its cgroup, or -1. */
static int open_cgroup(const struct holders_place *p)
{
    return p->inode ? live_cgroup_find(p->cgroup, p->inode) : -1;
}

/* Somebody in it lives. */
static bool cgroup_lives(const struct holders_place *p)
{
    int folder = open_cgroup(p);
    bool lives = folder >= 0 && live_cgroup_is_populated(folder);

    if (folder >= 0)
        close(folder);
    return lives;
}

/* A process of the group lives that was there before the last daemon died. */
static bool group_lives(const struct holders_place *p, uint64_t alive)
{
    return live_proc_group_lives(p->group, alive) &&
           (live_proc_started(p->group) == 0 ||
            live_proc_started(p->group) == p->start);
}

/* In whatever group it is now. */
static bool leader_lives(const struct holders_place *p)
{
    struct live_proc leader;

    return live_proc_look(p->group, &leader) && leader.start == p->start &&
           !leader.ended;
}

/* Its guard is dead, or needs no help. */
static struct live_quarry quarry_of(const struct holders_left *left,
                                    const struct holders_place *p)
{
    return (struct live_quarry){.leader = leader_lives(p) ? p->group : 0,
                                .born = p->start,
                                .mark = p->mark,
                                .user = left->user ? left->user : p->user,
                                .anybody = left->user == 0 && p->user == 0};
}

/* Somebody shows up whom that user may look at, or none can be looked at. */
static bool marked_lives(const struct holders_left *left,
                         const struct holders_place *p)
{
    const struct live_quarry quarry = quarry_of(left, p);
    struct live_rights rights;
    bool lives;

    if (!p->mark)
        return false;
    if (live_rights_lower(&rights, left->user))
        return true;
    lives = live_quarry_lives(&quarry);
    live_rights_raise(&rights);
    return lives;
}

static bool lives(const struct holders_left *left,
                  const struct holders_place *p)
{
    return p->used &&
           (cgroup_lives(p) || leader_lives(p) ||
            group_lives(p, left->notes->alive) || marked_lives(left, p));
}

static uint32_t count_living(const struct holders_left *left)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < LIVE_CLIENTS_MAX; i++)
        count += lives(left, &left->notes->places[i]);
    return count;
}

/* ---- Ending it ----------------------------------------------------------- */

/* An errno, or 0; so do those below. */
static int end_cgroup(const struct holders_place *p, uid_t user)
{
    struct live_rights rights;
    int folder = open_cgroup(p);
    int why = folder < 0 ? 0 : live_rights_lower(&rights, user);

    if (folder < 0)
        return 0;
    if (!why) {
        why = live_cgroup_end(folder, p->cgroup);
        live_rights_raise(&rights);
    }
    close(folder);
    return why;
}

static void rest(void)
{
    (void)nanosleep(&(struct timespec){0, LOOK_AGAIN_NS}, NULL);
}

/* Of a group that was known by its leader, and by nothing else once that is
 * dead. */
static void await_end(pid_t group)
{
    uint64_t until = live_now() + PATIENCE / 10;

    while (live_now() < until && live_proc_group_lives(group, UINT64_MAX))
        rest();
}

static int end_processes(const struct holders_place *p, uint64_t alive,
                         uid_t user)
{
    bool leader = leader_lives(p);
    /* As long as the leader is there its group is the same, and processes that
     * came to it after the last beat of the daemon belong to the command,
     * too. */
    bool group = leader || group_lives(p, alive);
    struct live_rights rights;
    int why = live_rights_lower(&rights, user);

    if (why)
        return why;
    if (leader && kill(p->group, SIGKILL) && errno != ESRCH)
        why = errno;
    if (group && kill(-p->group, SIGKILL) && errno != ESRCH)
        why = errno;
    live_rights_raise(&rights);
    if (leader && !why)
        await_end(p->group);
    return why;
}

static int end_marked(const struct holders_left *left,
                      const struct holders_place *p, struct live_prey *prey)
{
    const struct live_quarry quarry = quarry_of(left, p);
    struct live_rights rights;
    int why = p->mark ? live_rights_lower(&rights, left->user) : 0;

    if (!p->mark || why)
        return why;
    (void)live_hunt(&quarry, prey);
    live_rights_raise(&rights);
    return 0;
}

/* First the processes that are known by others, while these live. */
static int end_one(const struct holders_left *left,
                   const struct holders_place *p, struct live_prey *prey)
{
    int marked = end_marked(left, p, prey);
    int cgroup = cgroup_lives(p) ? end_cgroup(p, left->user) : 0;
    int processes =
        end_processes(p, left->notes->alive, left->user ? left->user : p->user);

    return processes ? processes : cgroup ? cgroup : marked;
}

/* Until the last deadline clients may end their commands themselves, and say
 * why. */
static void await_deadline(const struct holders_left *left, uint64_t longest)
{
    uint64_t until = left->notes->deadline, most = live_now() + longest;

    if (until > most)
        until = most;
    while (live_now() < until && count_living(left) > 0)
        rest();
}

static bool cannot_end(const struct holders_left *left,
                       const struct holders_place *p, int why,
                       struct net_why *error)
{
    int group = (int)p->group;
    const char *colon = why ? ": " : "", *words = why ? strerror(why) : "";

    if (geteuid() == 0 && left->user)
        return net_refuse(error,
                          "process group %d held a lock when this node was "
                          "killed, and is not ended%s%s: so says %s, which "
                          "belongs to user %u, who may not end it; end it, or "
                          "remove the file if it never held one",
                          group, colon, words, left->path,
                          (unsigned)left->user);
    return net_refuse(error,
                      "process group %d held a lock when this node was killed, "
                      "and cannot be ended%s%s; end it%s",
                      group, colon, words,
                      geteuid() == 0 ? "" : ", or start the node as root");
}

static bool end_all(const struct holders_left *left, struct net_why *error)
{
    struct live_prey prey[LIVE_CLIENTS_MAX] = {0};
    uint64_t until = live_now() + PATIENCE;
    const struct holders_place *last;
    int why = 0;

    do {
        last = NULL;
        for (uint32_t i = 0; i < LIVE_CLIENTS_MAX; i++) {
            const struct holders_place *p = &left->notes->places[i];

            if (prey[i].count || lives(left, p)) {
                last = p;
                why = end_one(left, p, &prey[i]);
            }
        }
        if (last)
            rest();
    } while (last && live_now() < until && why != EPERM);
    for (uint32_t i = 0; i < LIVE_CLIENTS_MAX; i++)
        live_prey_forget(&prey[i]);
    return !last || cannot_end(left, last, why, error);
}

/* A cgroup stays where client, guard and daemon were killed together, and
 * another command may get its name one day: only the inode tells. */
static void remove_cgroups(const struct holders_left *left)
{
    struct live_rights rights;

    if (live_rights_lower(&rights, left->user))
        return;
    for (uint32_t i = 0; i < LIVE_CLIENTS_MAX; i++) {
        const struct holders_place *p = &left->notes->places[i];

        if (p->used && p->inode)
            live_cgroup_remove(p->cgroup, p->inode);
    }
    live_rights_raise(&rights);
}

static bool end_former(const struct holders_left *left, uint64_t lease,
                       struct net_why *error)
{
    uint32_t count;

    if (!live_proc_is_own()) {
        live_log("cannot see whether its last run left processes behind: its "
                 "/proc is not there, or of another PID namespace");
        return true;
    }
    if (count_living(left) == 0)
        return true;
    await_deadline(left, lease);
    count = count_living(left);
    if (count == 0)
        return true;
    live_log("kills what its last run left behind: %u commands that held locks",
             count);
    return end_all(left, error);
}

bool holders_end_left(const struct holders_left *left, uint64_t lease,
                      struct net_why *error)
{
    if (!end_former(left, lease, error))
        return false;
    remove_cgroups(left);
    return true;
}
