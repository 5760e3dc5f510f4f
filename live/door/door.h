/*
 * door.h - the local clients of a daemon: their connections, their pages with a
 * deadline, and the processes that are killed for them.
 *
 * What clients say becomes events of the desk (live/desk/desk.h), and what the
 * desk wants of them is carried out here.
 */
#ifndef LIVE_DOOR_H
#define LIVE_DOOR_H

#include "live/node/node.h"
#include "live/system/user.h"

struct live_door_counts {
    uint64_t refused;     /* before the desk heard of it */
    uint64_t odd;         /* connections that were ended for what they said */
    uint64_t stuck;       /* commands that could not be killed */
    uint64_t turned_away; /* too many */
    uint64_t unread;      /* grants that could not be delivered */
};

struct live_door;
struct live_holders;

/* Writes the node's status into a JSON object, except what the door knows. */
typedef void live_describe(void *whom, uint64_t now, json_t *into);

/* Something for the desk.  Called from the loop only, never from
 * live_door_do(). */
typedef void live_heard(void *whom, struct live_desk_in *in);

/* What an operator wants, who may want it. */
struct live_order {
    enum live_order_kind kind;
    const char *name, *more; /* see letter.h */
    int file;                /* that came with it, or -1; the door closes it */
    bool forced;
    bool trial;    /* it is only asked what would follow */
    uint64_t wait; /* microseconds until it is to be carried out */
    uid_t uid;     /* who */
};

/* Carries it out, or not; `answer` says what follows, or why not; EARLY: it
 * may be asked again later. */
enum live_ordered { LIVE_ORDER_DONE, LIVE_ORDER_REFUSED, LIVE_ORDER_EARLY };
typedef enum live_ordered live_obey(void *whom, const struct live_order *order,
                                    char answer[LIVE_REASON_MAX]);

struct live_door_owner {
    live_describe *describe;
    live_heard *heard;
    live_obey *obey; /* NULL: takes no orders */
    void *whom;
};

/* Binds the socket, mode 0600; it belongs to `user`, if that is not NULL.  A
 * socket that nobody listens at is replaced, and nothing else.  NULL with a
 * sentence on failure. */
struct live_door *
live_door_open(uv_loop_t *loop, const struct live_config *config, uint32_t self,
               const char *path, const struct live_user *user,
               const struct live_door_owner *owner, struct net_why *error);

/* Before anybody can ask.  Holders are noted for the node's next life, unless
 * that is NULL. */
void live_door_serve(struct live_door *door, const struct live_node *node,
                     struct live_holders *holders);

/* Carries out what the desk wants, for that reason. */
void live_door_do(struct live_door *door, const struct live_effect *effect,
                  const char *why);

/* What follows from that, or has been found since: commands that are dead,
 * grants that could not be made.  False: nothing.  Call it until then. */
bool live_door_next(struct live_door *door, uint64_t now,
                    struct live_desk_in *in);

/* When to look again; UINT64_MAX: never. */
uint64_t live_door_wake(const struct live_door *door, uint64_t now);

/* Now and then: logs a summary of the last second. */
void live_door_log(struct live_door *door, uint64_t now);

/* NULL, or the rule that the door and its desk break when all that the desk
 * wanted is carried out. */
const char *live_door_sane(const struct live_door *door);

const struct live_door_counts *live_door_counts(const struct live_door *door);

/* Nobody is killed, and all connections are closed. */
void live_door_close(struct live_door *door);

#endif
