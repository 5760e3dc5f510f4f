/*
 * desk.h - which client of a node gets which lock, until when, and which is
 * stopped.  Pure: time and everything else come in as events, and actions go
 * out as effects (live/common/effect.h).
 *
 * Clients of one lock wait in the order in which they came; readers side by
 * side are let in together.  Passing on locally is to leave and to enter again:
 * a new token, and a client that waits at another node goes first.
 *
 * A client is a number that its driver chose.  It is unknown here until it
 * asks, and again when it was refused, has released, or rests
 * (LIVE_DO_REFUSE, LIVE_DO_RELEASE, LIVE_DO_REST).
 */
#ifndef LIVE_DESK_H
#define LIVE_DESK_H

#include "live/common/effect.h"
#include "live/common/letter.h"
#include "live/common/lock.h"

enum {
    LIVE_CLIENTS_MAX = 512,
    LIVE_CLIENTS_EXTRA = 8, /* beyond that, which may ask for status alone */
    LIVE_CLIENTS = LIVE_CLIENTS_MAX + LIVE_CLIENTS_EXTRA,
};

enum live_desk_event {
    LIVE_TIME,     /* has passed */
    LIVE_ASKED,    /* client, lock, shared, wait, hold, grace, process */
    LIVE_GAVE,     /* client: its command is gone, and it releases the lock */
    LIVE_VANISHED, /* client: its connection is closed */
    LIVE_DIED,     /* client: the command that was killed is dead */
    LIVE_UNREAD,   /* client: it does not read that it holds the lock */
    LIVE_UNABLE,   /* client: its grant cannot be made, for the reason */
    LIVE_CHANGED,  /* lock: this is its view now */
    LIVE_OBEYED,   /* lock: the same, after LIVE_DO_COMMAND; `full`: there was
                    * no room for it in the protocol */
    LIVE_LEASED,   /* whatever is held may be held until `end` */
    LIVE_VACATES,  /* lock: its holders must go, though the lease lasts: each
                    * is told to end, and killed when its grace is over */
    LIVE_HELD_UP,  /* nothing is granted, for the reason; NULL: it is over */
    LIVE_DRAINS,   /* nothing more is granted; holders are told to end by `end`,
                    * or may go on: UINT64_MAX */
    LIVE_STOPS,    /* the node itself stops: as LIVE_DRAINS, and no holder has
                    * more than its grace */
    LIVE_ENDS,     /* the mode has ended: holders are stopped at once, and the
                    * node remains */
};

struct live_desk_in {
    enum live_desk_event event;
    uint64_t now;
    uint32_t client;
    uint64_t lock;
    bool shared, process; /* process: there is a command to be killed */
    uint64_t wait, hold;  /* hold 0: for as long as the lease lasts */
    uint64_t grace; /* K8: between SIGTERM and SIGKILL, if there is time */
    struct live_lock_view view;
    bool full;
    uint64_t end;
    const char *why;
};

enum live_client_state {
    LIVE_CLIENT_FRESH,  /* has asked for nothing */
    LIVE_CLIENT_QUEUED, /* waits for its lock */
    LIVE_CLIENT_HOLDS,
    LIVE_CLIENT_DYING, /* its command is killed, and may not be dead yet */
};

struct live_desk_client {
    uint8_t state;
    bool shared, process;
    bool told; /* why it waits */
    bool gone; /* its connection is closed */
    uint16_t lock;
    uint16_t next; /* that came after it; LIVE_NOBODY: none */
    uint64_t asked_at, wait_until, hold, grace;
    uint64_t token, granted_at, deadline, limit, killed_at;
    uint64_t leave_by; /* it was told to end by then; 0: it was not */
};

enum { LIVE_NOBODY = UINT16_MAX };

struct live_desk_lock {
    uint64_t id;
    uint64_t granted; /* the token of the last grant */
    struct live_lock_view seen;
    uint16_t first, last; /* of its clients, as they came */
    bool used;
    bool commanded; /* and LIVE_OBEYED has not come yet */
};

struct live_desk_counts {
    uint64_t grants, releases, lost, refused, timeouts;
};

/* A rule that is left out, to see what it is for. */
enum live_desk_without {
    LIVE_DESK_WHOLE,
    LIVE_DESK_WITHOUT_K,       /* commands are stopped at the end of the lease,
                               * not K before */
    LIVE_DESK_WITHOUT_FIRST_K, /* the first deadline of a grant is not */
    LIVE_DESK_WITHOUT_EXPIRY,  /* the node does not stop holders in time */
    LIVE_DESK_WITHOUT_DEATH,   /* a killed command counts as dead */
    LIVE_DESK_WITHOUT_ONCE,    /* a token is granted again */
};

struct live_desk_params {
    uint64_t kill;     /* K: commands are stopped this long before the end */
    uint64_t patience; /* what a try takes at least */
    bool witness;
    uint8_t without; /* enum live_desk_without */
};

struct live_desk {
    struct live_desk_params params;
    struct live_desk_counts counts;
    uint64_t end;  /* until when whatever is held may be held */
    uint64_t wake; /* when it wants LIVE_TIME; UINT64_MAX: never */
    char stopping[LIVE_REASON_MAX]; /* why; empty: it is not */
    char draining[LIVE_REASON_MAX]; /* why; empty: it does not */
    char held_up[LIVE_REASON_MAX];  /* why nothing is granted; or empty */
    bool leaves;                    /* the node itself stops */
    uint16_t locks_used;            /* none is used from here on */
    uint16_t clients_used;          /* all are fresh from here on */
    struct live_desk_client clients[LIVE_CLIENTS];
    struct live_desk_lock locks[LIVE_LOCKS_MAX];
};

void live_desk_open(struct live_desk *desk,
                    const struct live_desk_params *params);

/* An event, and the actions that follow.  Every LIVE_DO_COMMAND is answered by
 * LIVE_OBEYED. */
void live_desk_step(struct live_desk *desk, const struct live_desk_in *in,
                    struct live_effects *out);

/* Whether nobody holds a lock here, and no killed command may live. */
bool live_desk_idle(const struct live_desk *desk);

/* An invariant that is violated, or NULL. */
const char *live_desk_sane(const struct live_desk *desk);

/* The number of a lock of that name, which is not 0.  Two names with one number
 * would be one lock: they exclude each other, which is slow and safe. */
uint64_t live_lock_number(const char *name);

#endif
