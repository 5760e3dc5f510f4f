/*
 * driver.h - a node in real time: its record, its links, its clients, its
 * timers, in a loop of libuv.
 *
 * Everything that the loop hears becomes one call of live/node/node.h, and the
 * list that comes back is carried out, from the first to the last.  Nothing
 * that is carried out calls the node: what follows from it waits for its turn.
 */
#ifndef LIVE_DRIVER_H
#define LIVE_DRIVER_H

#include "live/door/door.h"
#include "live/node/node.h"
#include "live/record/writer.h"
#include "live/system/wake.h"

struct live_driver_owner {
    /* The record cannot be written, or the state violates an invariant:
     * holders were stopped, nothing was sent, and nothing will be. */
    void (*broken)(void *whom, const char *why);
    /* P7: this node has relied on a record that is used at two places: it must
     * take no part for as long as anything lasts that was promised. */
    void (*doubts)(void *whom, const char *why);
    /* A configuration is in force; `links` are NULL before they are open.
     * NULL, or why this node is not to go on. */
    const char *(*lists)(void *whom, const struct live_mode *mode,
                         struct live_links *links);
    /* A node that nobody has listed; true: it may send. */
    bool (*guest)(void *whom, struct live_mode *mode, uint32_t id,
                  const struct live_config_node *node);
    void *whom;
};

struct live_driver {
    struct live_node node;
    struct live_effects effects;
    const struct live_config *config;
    struct live_record *record;
    struct live_writer *writer;
    struct live_links *links;
    struct live_door *door;       /* or NULL */
    struct live_holders *holders; /* or NULL */
    struct live_wake wake;        /* of the protocol */
    uv_poll_t timer;              /* of the desk */
    int timer_fd;
    uint64_t timer_at; /* UINT64_MAX: it does not run */
    uint64_t beaten;   /* the end that holders know */
    uint64_t slow_told_at, long_told_at;
    bool deferring;   /* P6: and it was told in the log */
    bool overtaken;   /* a write beside the loop, by one that was waited for */
    uint32_t closing; /* handles */
    bool failed;      /* for the reason below */
    char why[NET_WHY_SIZE];
    struct live_driver_owner owner;
};

/* Starts a life of the node: the record is written, the links are open.  Takes
 * over neither config nor record nor door; `door` may be NULL: then nobody can
 * ask for anything.  NULL with a sentence on failure: then nothing is open. */
struct live_driver_parts {
    uv_loop_t *loop;
    const struct live_config *config;
    uint32_t self;
    struct live_record *record;
    struct live_door *door;
    struct live_holders *holders;
    const struct live_driver_owner *owner;
};
struct live_driver *live_driver_open(const struct live_driver_parts *parts,
                                     struct net_why *error);

/* A client, for struct live_door_owner; `whom` is a driver. */
void live_driver_heard(void *whom, struct live_desk_in *in);

/* The node's own: LIVE_DRAINS and LIVE_STOPS; holders are to end by then, or
 * UINT64_MAX.  True when nobody holds any more. */
bool live_driver_tell(struct live_driver *driver, enum live_desk_event event,
                      uint64_t by, const char *why);
/* R4: false: not now. */
bool live_driver_change(struct live_driver *driver,
                        const struct live_change *change);
void live_driver_unfit(struct live_driver *driver, const char *why);
void live_driver_leave(struct live_driver *driver);

/* Closes links, timers and mode; its memory is freed when the loop has seen
 * it. */
void live_driver_close(struct live_driver *driver);

#endif
