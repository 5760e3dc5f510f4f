/*
 * host_parts.h - what the files of a host share: host.c (what is due, and when)
 * and host_act.c (what an act does).
 */
#ifndef LIVE_PLAY_HOST_PARTS_H
#define LIVE_PLAY_HOST_PARTS_H

#include "live/play/host.h"
#include "net/steps.h"

/* The clocks of a node: its timers, and that of its application. */
enum { WORK = FC_TIMERS, CLOCKS };

/* A message that waits for the end of a step. */
struct waiting {
    struct waiting *next;
    struct live_mail mail;
    _Alignas(8) uint8_t msg[];
};

struct live_host {
    const struct live_play *play;
    const struct net_type *type;
    struct net_place place;
    struct net_clocks clocks;
    bool eager; /* what has arrived is read at once */
    uint8_t *state, *record, *buffer, *read;
    uint64_t due[CLOCKS]; /* ticks, or FC_NEVER */
    struct net_steps steps;
    uint64_t used; /* 1 + tick of the last step that took an input */
    struct net_own_clock clock;
    struct net_steps told; /* in the head of a trace */
    uint32_t acted, sent, chosen;
    bool starts;    /* it has yet to be told of its start */
    uint32_t woken; /* wake-ups of the list that were seen to */
    struct waiting *first, *last;
    uint64_t reads_at;
    uint64_t apart, fault_key, choice_key;
    struct live_app app;
    enum live_came came;
    struct live_send *sends;
    uint8_t *sent_bytes; /* of each of them */
    uint32_t sends_room;
    struct live_act *act;         /* that is being made */
    const struct live_act *again; /* that is being made once more, or NULL */
    live_part *part;
    void *whom;
};

/* One event, and all that its step goes on to.  Returns its notes. */
uint32_t host_perform(struct live_host *h, struct fc_event event,
                      const void *msg);

#endif
