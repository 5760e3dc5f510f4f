/*
 * app.h - the application of a node, in problems where it asks again and
 * again: it wants the resource, keeps it for a while, leaves, thinks, and wants
 * it again.
 *
 * The same rules and the same random numbers as in the simulator
 * (sim/engine/work.inc).  Pure: the host asks it what to do, and tells it the
 * view of the node.
 */
#ifndef LIVE_PLAY_APP_H
#define LIVE_PLAY_APP_H

#include "net/type.h"
#include "net/work.h"

struct live_app {
    const struct net_work *work;
    const struct net_type *type;
    uint64_t key; /* of its random stream */
    uint32_t node;
    uint32_t left;      /* entries still to make */
    uint32_t queue;     /* local clients whose turn has not come */
    uint32_t drawn;     /* counter of its random stream */
    uint8_t phase;      /* of enum fc_phase, when last seen */
    bool wants, shared; /* a request is pending; of which kind */
    bool leaves;        /* it was told to */
};

/* What a change of the node's view means to its application. */
enum live_came {
    LIVE_CAME_NOTHING,
    LIVE_CAME_IN,   /* it has entered */
    LIVE_CAME_OUT,  /* its entry is complete */
    LIVE_CAME_AWAY, /* the node gave up on its own: to be tried again */
    LIVE_CAME_DONE, /* a momentary operation is done: in and out */
};

void live_app_begin(struct live_app *c, const struct net_type *type,
                    const struct net_work *work, uint64_t seed, uint32_t node);

/* It is woken: it has entries to make from now on. */
void live_app_wake(struct live_app *c);

/* Its clock has expired: the command it gives now. */
uint8_t live_app_ask(struct live_app *c);

/* Whether the command was obeyed.  Returns the steps until it acts again, or 0:
 * when something has happened. */
uint64_t live_app_asked(const struct live_app *c, uint8_t command, bool obeyed);

/* The node shows this phase.  *steps: the steps until the application acts
 * again, 0: never, or as before if nothing came of it. */
enum live_came live_app_follow(struct live_app *c, enum fc_phase phase,
                               uint64_t now, uint64_t *steps);

/* Its node is back, and shows this phase.  Returns the steps until it acts, or
 * 0. */
uint64_t live_app_resume(struct live_app *c, enum fc_phase phase, uint64_t now);

#endif
