/*
 * desk.h - serves the local clients of a daemon: they ask for locks, wait, and
 * are stopped in time.
 *
 * Clients of one lock wait in the order in which they came; readers side by
 * side are let in together.  Passing on locally is to leave and to enter again:
 * a new token, and a client that waits at another node goes first.
 */
#ifndef LIVE_DESK_H
#define LIVE_DESK_H

#include "live/host/mode.h"
#include "live/node/user.h"

enum { LIVE_CLIENTS_MAX = 512 };

struct live_desk_counts {
    uint64_t grants, releases, lost, refused, timeouts;
    uint64_t odd;         /* connections that were ended for what they said */
    uint64_t stuck;       /* commands that could not be killed */
    uint64_t turned_away; /* too many */
    uint64_t unread;      /* grants that could not be delivered */
};

struct live_desk;
struct live_holders;

/* Writes the node's status into a JSON object, except the desk's part. */
typedef void live_describe(void *whom, json_t *into);

/* Binds the socket, mode 0600; it belongs to `user`, if that is not NULL.  A
 * socket that nobody listens at is replaced, and nothing else.  NULL with a
 * sentence on failure. */
struct live_desk *live_desk_open(uv_loop_t *loop,
                                 const struct live_config *config,
                                 uint32_t self, const char *path,
                                 const struct live_user *user,
                                 live_describe *describe, void *whom,
                                 char error[LIVE_ERROR_SIZE]);

/* Before anybody can ask.  Holders are noted for the node's next life, unless
 * that is NULL. */
void live_desk_serve(struct live_desk *desk, struct live_mode *mode,
                     struct live_holders *holders);

/* For struct live_listener: stops whose deadline is over; and does what follows
 * from the state of the protocol. */
void live_desk_expire(struct live_desk *desk, uint64_t now);
void live_desk_update(struct live_desk *desk);

/* Likewise: stops all holders of a lock.  True when they are dead. */
bool live_desk_vacate(struct live_desk *desk, uint64_t lock);

/* As long as there is a reason nothing is granted, and holders are stopped;
 * NULL: it is over. */
void live_desk_hold(struct live_desk *desk, const char *why);

/* No more grants, and all that wait are refused; holders may go on.  True when
 * nobody holds any more. */
bool live_desk_drain(struct live_desk *desk, const char *why);

/* No more grants: all that wait are refused, all that hold are stopped.  True
 * when nobody holds any more. */
bool live_desk_stop(struct live_desk *desk, const char *why);

const struct live_desk_counts *live_desk_counts(const struct live_desk *desk);

void live_desk_close(struct live_desk *desk);

#endif
