/*
 * merge_parts.h - what the files of the merge share: merge.c (the order of
 * events, and what became of messages), merge_tell.c (telling and judging) and
 * merge_work.c (what entries cost).
 */
#ifndef LIVE_PLAY_MERGE_PARTS_H
#define LIVE_PLAY_MERGE_PARTS_H

#include "live/play/merge.h"
#include "net/judge.h"

/* Something that happened: an act, or a blow. */
struct item {
    uint64_t at;
    uint32_t rank; /* among those of one time */
    const struct live_logged *act;
    const struct live_blow *blow;
};

/* A message that was sent, or the copy of one. */
struct message {
    const struct live_logged *sent_by, *read_by; /* read_by NULL: nobody */
    const struct live_send *send;
    uint32_t from;
    uint32_t id; /* in the trace */
    uint32_t kind;
    uint32_t bill;    /* of the entry for which its sender acted */
    uint64_t arrives; /* tick, or FC_NEVER */
    uint64_t sent;    /* tick */
    bool told;        /* it has been sent by now */
    bool missed;      /* its receiver is down; to be told */
    bool flies;       /* sent, and neither read nor missed */
    uint64_t fields[FC_FIELDS_MAX];
    uint32_t fields_count;
};

/* The messages of a node, by their number. */
struct sender {
    struct message *list;
    uint32_t count;
};

struct merge {
    const struct live_play *play;
    const struct net_type *type;
    const struct live_log *log;
    struct trace_listener *trace;
    struct live_result *result;
    uint32_t nodes;
    struct item *items;
    uint32_t items_count, at; /* the item that is told */
    struct message *messages; /* and behind them a copy of each */
    uint32_t copies, messages_sent;
    uint32_t misses; /* messages that are missed, and not told yet */
    struct sender senders[LIVE_PEERS_MAX];
    struct live_host *hosts[LIVE_PEERS_MAX];
    struct watched {
        struct merge *m;
        uint32_t node;
    } watched[LIVE_PEERS_MAX];
    bool down[LIVE_PEERS_MAX];
    uint32_t life[LIVE_PEERS_MAX];
    uint64_t paused_until[LIVE_PEERS_MAX];            /* ticks */
    uint8_t effective[LIVE_PEERS_MAX][NET_VIEW_SIZE]; /* as guards have it */
    void *watch;
    struct net_witness *witness; /* of the whole network, if it is judged */
    uint8_t *states, *bytes;     /* for it: of all nodes, of all messages */
    uint64_t tick;               /* of what was told last */
    int64_t tokens;              /* under way */
    bool boots; /* the first part of a return is still to come */
    struct trace_letter *letters;
    /* What entries cost. */
    uint32_t bill[LIVE_PEERS_MAX]; /* of its present or next entry */
    uint64_t wanted_at[LIVE_PEERS_MAX], entries_then[LIVE_PEERS_MAX];
    bool wanted[LIVE_PEERS_MAX];
    uint64_t entries, left_at;
    uint32_t *asked; /* by reader and sender: 1 + the bill of its request */
    bool failed;
};

/* ---- merge.c ------------------------------------------------------------- */

/* When a message that is being sent arrives, and whether it is missed. */
void merge_fate(struct merge *m, struct message *s);

/* ---- merge_tell.c -------------------------------------------------------- */

/* What people call a node: its name; 1 + its index where it has none. */
fc_name merge_id(const struct merge *m, uint32_t node);

/* Begins to follow the acts of a node. */
void merge_watch(struct merge *m, uint32_t node);

void merge_tell(struct merge *m, const struct item *item);

/* Messages that came to nodes that were down, before this tick; or all of one
 * node. */
void merge_tell_misses(struct merge *m, uint64_t before, uint32_t node);

/* ---- merge_work.c -------------------------------------------------------- */

uint32_t merge_open_bill(struct merge *m);

/* A message is sent, is read; an act of this node is over. */
void merge_bill_send(struct merge *m, struct message *s);
void merge_bill_read(struct merge *m, uint32_t node, const struct message *s);
void merge_follow_work(struct merge *m, uint32_t node,
                       const struct live_act *act);
void merge_settle(struct merge *m);

#endif
