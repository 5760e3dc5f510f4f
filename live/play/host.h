/*
 * host.h - one node of any protocol of the table in real time: events come in
 * with the tick at which they happen, and acts come out.
 *
 * A node acts at the ends of its steps, as in the simulator: its steps are as
 * long as the network says, it reads one message in each, and waits are counted
 * in steps.  The driver says which tick it is.  If that is later than the tick
 * at which something was due, the step has lasted too long: the ticks in excess
 * are told, and everything else that the node waits for comes later by them, as
 * after a pause in the simulator.  Where time has no bounds (async) a message
 * is read as soon as it is there, and a step for waits and work is one tick.
 *
 * Every act can be done again from its record, at a node of the same past: so a
 * node that was killed comes back with the state it had, and a whole run is
 * judged after it was made.
 *
 * No sockets and no clock here, so that every order of events can be tried.
 */
#ifndef LIVE_PLAY_HOST_H
#define LIVE_PLAY_HOST_H

#include "live/play/app.h"
#include "net/clock.h"
#include "net/fault.h"
#include "net/type.h"
#include "trace/part.h"

/* What all nodes of a run have in common. */
struct live_play {
    const struct net *net;
    const struct net_type *type;
    const struct net_names *names;
    const struct net_graph *graph;
    const struct net_work *work;
    const struct net_faults *faults;
    const struct net_wake *wakes; /* by node; NULL: all at tick 0 */
    uint32_t wakes_count;
    uint64_t seed;
    uint32_t *cells; /* that all share, where the problem has them */
};

enum live_act_kind {
    LIVE_ACT_START,   /* told of its start: where nodes read clocks */
    LIVE_ACT_COMMAND, /* its application asks */
    LIVE_ACT_READ,
    LIVE_ACT_TIMEOUT,
    LIVE_ACT_BOOT, /* back after a crash */
};

/* Which message: the number-th of one life of its sender, from 1. */
struct live_mark {
    uint32_t from, life, number;
};

/* In its number: a copy that a fault has made. */
#define LIVE_MARK_COPY (UINT32_C(1) << 31)

enum { LIVE_ANSWERS_MAX = 32, LIVE_SENDS_MAX = 1024 };

/* One event at one node: all that is needed to make it happen again. */
struct live_act {
    uint64_t at;   /* microseconds since the start; the driver's */
    uint64_t tick; /* at which it happened */
    uint64_t late; /* ticks after the end of the step that was meant for it */
    uint8_t kind, command, timer;
    bool blank;            /* LIVE_ACT_BOOT: without its memory */
    uint16_t port;         /* LIVE_ACT_READ: as the node counts links */
    bool insane;           /* the state contradicts its invariant */
    bool waits;            /* something is due later */
    struct live_mark mark; /* LIVE_ACT_READ */
    uint64_t arrived;      /* LIVE_ACT_READ: microseconds; the driver's */
    uint64_t arrived_tick;
    bool overdue;   /* LIVE_ACT_READ: it came when the node was late already */
    uint32_t left;  /* entries that its application has yet to make */
    uint32_t sends; /* messages; above LIVE_SENDS_MAX: too many */
    uint32_t check; /* of the state afterwards */
    uint32_t answers_count;
    uint32_t answers[LIVE_ANSWERS_MAX]; /* choices and what was loaded */
};

/* A message that leaves. */
struct live_send {
    uint32_t to, number;
    uint32_t to_life;  /* of the receiver; the driver's */
    uint16_t comes_by; /* the link's number there */
    bool lost;         /* by a fault that was asked for */
    bool copied;       /* by a fault that was asked for */
    bool free;         /* it may overtake others */
    uint64_t hold;     /* ticks for which it is held back */
};

/* A message that has come. */
struct live_mail {
    struct live_mark mark;
    uint16_t port;
    uint64_t arrived, tick; /* microseconds, and when it can be read */
    bool overdue;           /* set by the host: it was late itself then */
    const void *msg;
};

struct live_host;

/* Told of every part of every act, for a trace. */
typedef void live_part(void *whom, const struct trace_part *part);

/* A node before its first event.  NULL: no memory. */
struct live_host *live_host_new(const struct live_play *play, uint32_t node);
void live_host_free(struct live_host *h);
void live_host_watch(struct live_host *h, live_part *part, void *whom);

/* The nodes that are beyond a partition, a bit each. */
void live_host_apart(struct live_host *h, uint64_t apart);

/* A message has arrived; false: no memory. */
bool live_host_arrive(struct live_host *h, const struct live_mail *mail);

/* The tick at which it acts next, or FC_NEVER. */
uint64_t live_host_next(const struct live_host *h);

/* It acts, if something is due at tick `now`; false: nothing is.  Then
 * live_host_sent() has the messages that it sends. */
bool live_host_step(struct live_host *h, uint64_t now, struct live_act *act);

/* The same act once more; of LIVE_ACT_READ with its message.  False: it cannot
 * have happened here. */
bool live_host_redo(struct live_host *h, const struct live_act *act,
                    const void *msg);

/* The message that was read by the last act, and those that it sent: as many as
 * act->sends, the bytes of each as the protocol has them. */
const void *live_host_read(const struct live_host *h);
const struct live_send *live_host_sent(const struct live_host *h, uint32_t i,
                                       const void **msg);

/* The life of its receiver to which the i-th goes. */
void live_host_address(struct live_host *h, uint32_t i, uint32_t life);

/* The node is down: timers and mail are gone.  It is back. */
void live_host_crash(struct live_host *h);
void live_host_boot(struct live_host *h, uint64_t now, bool blank,
                    struct live_act *act);

/* The lengths of its steps, and when the first ended. */
uint64_t live_host_step_ticks(const struct live_host *h);
uint64_t live_host_phase(const struct live_host *h);

const void *live_host_state(const struct live_host *h);
const struct live_app *live_host_app(const struct live_host *h);
void live_host_view(const struct live_host *h, uint8_t view[NET_VIEW_SIZE],
                    enum fc_phase *phase);
/* What the last act meant to its application. */
enum live_came live_host_came(const struct live_host *h);
/* Its own clock at a tick, where it reads one; and the tick at which it shows
 * that. */
uint64_t live_host_clock(const struct live_host *h, uint64_t tick);
uint64_t live_host_tick_of(const struct live_host *h, uint64_t clock);

#endif
