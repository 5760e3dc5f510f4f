/*
 * door_process.c - the process that a client wants to have killed when its time
 * is over: that it is the client's to have killed, that it can be killed, that
 * it is, and that it is dead (rule K7).
 *
 * A node that has the right to kill anybody must not be talked into killing
 * others than its client could kill itself.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "live/door/door_parts.h"

#include "live/common/clock.h"
#include "live/process/proc.h"
#include "live/system/log.h"

enum {
    LOOK_AGAIN = 200000, /* at all processes: it takes its time */
    HUNT_AGAIN = 5000,   /* at first, twice as long every time */
    HUNT_SHARE = 3,      /* of its time a node does other things */
};

/* ---- Whose it is --------------------------------------------------------- */

/* Whether it runs as the client's user, and has not changed that. */
static bool is_of_user(const struct client *client, pid_t pid)
{
    uid_t users[3];

    return live_proc_users(pid, users) && users[0] == client->uid &&
           users[1] == client->uid && users[2] == client->uid;
}

/* The guard that has started the process for the client, or 0: then the client
 * is its parent itself, or not above it. */
static pid_t guard_of(const struct client *client, pid_t parent)
{
    struct live_proc process;

    return client->pid > 1 && parent > 1 && parent != client->pid &&
                   live_proc_look(parent, &process) &&
                   process.parent == client->pid
               ? parent
               : 0;
}

/* Root may have anything killed; others a child of theirs, or of a child of
 * theirs, that have not changed their user. */
static bool may_have_killed(const struct client *client, pid_t pid)
{
    struct live_proc process;
    pid_t guard;

    if (client->uid == 0)
        return true;
    if (client->pid <= 0 || !live_proc_look(pid, &process) ||
        !is_of_user(client, pid))
        return false;
    guard = guard_of(client, process.parent);
    return process.parent == client->pid ||
           (guard && is_of_user(client, guard));
}

/* ---- Taking it over ------------------------------------------------------ */

static int refuse(char reason[LIVE_REASON_MAX], const char *why)
{
    snprintf(reason, LIVE_REASON_MAX, "%s", why);
    return -1;
}

/* The number of a process that this client may have killed; -1 with a reason.
 * As long as its pidfd shows a number that is nobody else's. */
static pid_t number_of(const struct client *client, int pidfd,
                       char reason[LIVE_REASON_MAX])
{
    int flags = fcntl(pidfd, F_GETFL);
    pid_t pid = live_pidfd_pid(pidfd);

    if (!client->door->sees_processes)
        return refuse(reason,
                      "the node cannot see processes: its /proc is not there, "
                      "or of another PID namespace; mount its own");
    if (pid == 0)
        return refuse(reason,
                      "your command is in a PID namespace that the node does "
                      "not see, or has ended; run a node there");
    /* One of a thread would call a process dead whose other threads run. */
    if (pid <= 1 || flags < 0 || (flags & O_EXCL) || pid == getpgrp() ||
        getpgid(pid) != pid)
        return refuse(reason,
                      "your command does not lead a process group of its own");
    if (!may_have_killed(client, pid))
        return refuse(
            reason,
            "the command is neither a child of yours, nor of a child of yours, "
            "that run as your user; make it so, or be root");
    if (live_pidfd_pid(pidfd) != pid)
        return refuse(reason, "your command has ended");
    return pid;
}

/* The other signs by which it will be hunted if it must be.  A client that
 * knows of marks has a guard whose only children are its command's. */
static void note_quarry(struct client *client, uint64_t mark)
{
    struct live_proc process = {0};
    pid_t guard = 0;

    if (mark && live_proc_look(client->group, &process))
        guard = guard_of(client, process.parent);
    client->quarry = (struct live_quarry){
        .leader = client->group,
        .born = process.start,
        .guard = guard,
        .guard_born = guard ? live_proc_started(guard) : 0,
        .mark = mark,
        .user = client->uid,
        .anybody = client->uid == 0,
    };
}

int door_process_take(struct client *client, uint64_t mark,
                      int files[LIVE_FILES_MAX], char reason[LIVE_REASON_MAX])
{
    pid_t pid;

    if (files[0] < 0)
        return 0;
    pid = number_of(client, files[0], reason);
    if (pid < 0)
        return -1;
    if (live_pidfd_signal_group(files[0], pid, 0)) {
        snprintf(reason, LIVE_REASON_MAX,
                 "the node could not stop your command: %s; run it as the same "
                 "user, or as root",
                 strerror(errno));
        return -1;
    }
    client->pidfd = files[0];
    client->group = pid;
    note_quarry(client, mark);
    live_cgroup_adopt(&client->cgroup, files + 1, pid);
    files[0] = files[1] = files[2] = -1;
    if (!live_cgroup_is(&client->cgroup) && !client->door->told_groups) {
        client->door->told_groups = true;
        live_log(
            "process %d has no cgroup for its command: it is stopped process "
            "by process",
            (int)client->pid);
    }
    return 0;
}

/* ---- Its end ------------------------------------------------------------- */

static void cannot_be_stopped(struct client *client, bool denied)
{
    if (client->stuck)
        return;
    client->stuck = true;
    client->door->counts.stuck++;
    live_log("lock %s: process group %d of process %d cannot be stopped: it "
             "%s; its lock is not passed on while it runs and this node has "
             "its lease; stop it",
             client->name, (int)client->group, (int)client->pid,
             denied ? "runs as another user now"
                    : "is killed and does not die");
}

/* Its group, and what runs in the background of a shell as well; a process that
 * is stopped would not notice. */
void door_process_tell(struct client *client)
{
    if (!client->group)
        return;
    (void)live_pidfd_signal_group(client->pidfd, client->group, SIGTERM);
    (void)live_pidfd_signal_group(client->pidfd, client->group, SIGCONT);
}

static bool guard_lives(const struct client *client)
{
    const struct live_quarry *q = &client->quarry;
    struct live_proc guard;

    return q->guard && live_proc_look(q->guard, &guard) &&
           guard.start == q->guard_born && !guard.ended;
}

/* All processes of the machine are looked at: that is no more than a part of
 * what the node does.  Whether nobody is left. */
static bool hunt(struct client *client)
{
    struct live_door *door = client->door;
    uint64_t begin = live_now();
    bool none;

    if (begin < door->hunt_at)
        return false;
    none = live_hunt(&client->quarry, &client->prey) == 0;
    door->hunt_at = live_now() + HUNT_SHARE * (live_now() - begin);
    return none;
}

/* Without a guard above it nobody inherits its orphans, and only living
 * processes of the command lead to the others: so all are looked for before any
 * dies.  If the client is gone its guard may be about to go, too. */
void door_process_kill(struct client *client)
{
    if (client->quarry.mark && (client->gone || !guard_lives(client)))
        (void)hunt(client);
    live_cgroup_kill(&client->cgroup);
    if (client->group &&
        live_pidfd_signal_group(client->pidfd, client->group, SIGKILL) &&
        errno == EPERM && !live_cgroup_is(&client->cgroup))
        cannot_be_stopped(client, true);
}

/* Whether nobody is left anywhere (rule K8).  Guard and client know better
 * where to look, and come first: they have a quarter of what killing may take,
 * unless they have ended.  To look at all processes takes its time, so each
 * time is later than the last.  Nobody can come after nobody was left. */
static bool hunted_down(struct client *client, uint64_t now, bool over)
{
    uint64_t first = client->killed_at + client->door->config->kill / 4;

    if (client->hunted || !client->quarry.mark)
        return true;
    if (now < client->hunt_at ||
        (now < first && !(over && !guard_lives(client))))
        return false;
    client->hunted = hunt(client);
    client->hunt_pause =
        client->hunt_pause ? 2 * client->hunt_pause : HUNT_AGAIN;
    if (client->hunt_pause > LOOK_AGAIN)
        client->hunt_pause = LOOK_AGAIN;
    client->hunt_at = live_now() + client->hunt_pause;
    return client->hunted;
}

/* Nobody is left in its cgroup. */
static bool cgroup_is_dead(const struct client *client)
{
    return !live_cgroup_is(&client->cgroup) ||
           live_cgroup_is_empty(&client->cgroup);
}

/* An orphan that nobody reaps stays in its group for ever: that is looked for K
 * after the kill.  A process that is seen alive then, or cannot be seen, is not
 * taken for dead, and is killed once more: it may have come there after the
 * kill. */
bool door_process_is_dead(struct client *client, uint64_t now)
{
    bool dead = live_pidfd_is_dead(client->pidfd) && cgroup_is_dead(client);
    int why =
        live_pidfd_signal_group(client->pidfd, client->group, 0) ? errno : 0;
    bool over = why && why != EPERM && dead;
    bool alone = hunted_down(client, now, over);

    if (over && alone)
        return true;
    /* No difference: `now` may have been read before the kill. */
    if (now < client->killed_at + client->door->config->kill ||
        now < client->look_at)
        return false;
    client->look_at = now + LOOK_AGAIN;
    if (dead && alone && (over || live_proc_group_ended(client->group)))
        return true;
    cannot_be_stopped(client, why == EPERM);
    door_process_kill(client);
    return false;
}

void door_process_forget(struct client *client)
{
    live_cgroup_close(&client->cgroup);
    if (client->pidfd >= 0)
        close(client->pidfd);
    client->pidfd = -1;
    client->group = 0;
    client->stuck = false;
    client->look_at = client->hunt_at = client->hunt_pause = 0;
    client->hunted = false;
    client->quarry = (struct live_quarry){0};
    live_prey_forget(&client->prey);
}
