/*
 * client.h - a local client of a daemon: asks for one lock at a time.
 *
 * A grant is good until its deadline, which the daemon moves forward while the
 * node has its lease.  A program that works in this process calls
 * live_client_holds() before each use of what the lock protects; one that works
 * in a process group passes a pidfd of its leader when asking, and the group is
 * killed at the deadline even if this process is stopped.  A whole machine that
 * freezes can be late all the same: pass the token on, and let the resource
 * refuse lower ones.
 */
#ifndef LIVE_CLIENT_H
#define LIVE_CLIENT_H

#include <stdbool.h>
#include <sys/types.h>

#include "live/common/letter.h"
#include "net/why.h"

/*
 * live_client_holds(), live_client_deadline() and live_client_spent() may be
 * called by any thread, and by a signal handler, at any time from opening to
 * closing.  The other calls may come from several threads, too, one of which
 * reads letters at a time.  Opening and closing are for one thread, when no
 * other uses the client.
 *
 * A connection belongs to the process that opened it.  In a child that it forks
 * nothing is held, and everything but closing is refused; closing there leaves
 * the parent's lock alone.
 */
struct live_client {
    int socket;             /* to be polled for a letter */
    struct live_page *page; /* of the last grant, to be read; or NULL */
    uint64_t token;         /* of the last grant; 0: that cannot be used */
    /* To be set before asking, if wished */
    uint64_t hold;  /* the limit, in microseconds; 0: any time */
    uint64_t grace; /* microseconds to end in when it is told to; 0: `kill` */
    const struct live_cgroup *cgroup; /* where the group runs, to be killed */
    uint64_t mark; /* of the command, in its environment; 0: none */
    int *pass;     /* where the file of the page is put when it is granted, to
                    * be passed on and closed; NULL: nowhere */
    bool interruptible; /* live_client_next() fails with EINTR when a signal is
                         * handled meanwhile; nothing is lost by that */
    /* The library's own */
    struct live_claim *claim;
    struct live_page *pages[2];
};

/* Returns 0, or -1 with errno and a sentence; then nothing is open: ENOENT and
 * ECONNREFUSED if nobody serves there, EAGAIN if the node takes no more clients
 * for two seconds.  Without a path it is the node of this machine: what
 * FULCRUM_SOCKET says, or else the only socket in /run/fulcrum; ENOTUNIQ if
 * there are several.  The server must be root, this user, or `owner`, if that
 * is known: anybody could grant anything at a path in a directory that others
 * may write. */
int live_client_open(struct live_client *client, const char *path,
                     struct net_why *error);
int live_client_open_of(struct live_client *client, const char *path,
                        uid_t owner, struct net_why *error);

/* The same if the node must have taken it within `wait` microseconds. */
int live_client_open_within(struct live_client *client, const char *path,
                            uid_t owner, uint64_t wait, struct net_why *error);

/* Asks; the answer comes by live_client_next().  `pidfd` is of a child that
 * leads a process group of its own, which the daemon may kill, or -1; do not
 * wait for the child before the release.  `wait` in microseconds, or
 * UINT64_MAX.  EBUSY, and nothing is lost, while this connection holds a lock,
 * waits for one or has lost one: that is released first. */
int live_client_ask(struct live_client *client, const char *name, bool shared,
                    int pidfd, uint64_t wait, struct net_why *error);

/* Waits for a letter of the daemon; a grant is noted in `client`. -1 with a
 * sentence: ECONNRESET if the daemon is gone, and a grant stays good until its
 * deadline; or if a grant cannot be used, and then there is none. */
int live_client_next(struct live_client *client, struct live_letter *letter,
                     struct net_why *error);

/* Whether the lock is still held, now. */
bool live_client_holds(const struct live_client *client);

/* When it will not be any more, as far as is known; 0 without a grant, or when
 * it was taken away. */
uint64_t live_client_deadline(const struct live_client *client);

/* Whether it has ended because it was held for as long as `hold` allows. */
bool live_client_spent(const struct live_client *client);

/* Gives back what was asked for, if anything, and waits a moment for the daemon
 * to say so.  The caller has stopped using it; from now on nothing is held. */
int live_client_release(struct live_client *client, struct net_why *error);

/* A file with the daemon's status in JSON, to be closed by the caller; or -1
 * with a sentence: EBUSY if this connection is used for a lock. */
int live_client_status(struct live_client *client, struct net_why *error);

/* Closes; a lock that is still held is given back by the daemon. */
void live_client_close(struct live_client *client);

#endif
