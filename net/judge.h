/*
 * judge.h - predicates over a whole network (core/network.h), judged by its
 * driver.
 */
#ifndef NET_JUDGE_H
#define NET_JUDGE_H

#include "core/network.h"
#include "net/site.h"
#include "problems/problem.h"

/* The parts of a network that its driver does not have to fill in: all but
 * states, names, messages, and which nodes are down. */
struct fc_network net_network(const struct net_place *place);

/* The predicates, of those that are judged, that do not hold: as properties, a
 * bit each from 0 on. */
static inline uint32_t net_judge(uint32_t predicates,
                                 const struct fc_protocol *protocol,
                                 const struct fc_network *all)
{
    uint32_t broken = 0;

    for (uint32_t left = predicates; left; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(left);

        if (!protocol->predicates[i].holds(all))
            broken |= UINT32_C(1) << (FC_PREDICATE_BIT + i);
    }
    return broken;
}

/* The predicates that are stated of a protocol with these parameters; of NULL:
 * all. */
uint32_t net_predicates(const struct fc_protocol *protocol, const void *params);

struct net_past; /* net/past.h */

/* A network that is followed event by event: its messages in flight, and the
 * predicates that are judged. */
struct net_witness {
    uint32_t predicates; /* that are judged */
    size_t msg_size, stride;
    const char *at; /* where the states are, and how far apart */
    void *zero;     /* a state of a node that is down */
    struct net_place place;
    struct fc_network all;
    const void **states;
    fc_name *names;
    bool *down;
    struct fc_flying *flying, *sorted;
    uint32_t *first;
    uint8_t *messages; /* of those in flight, in the order of sending */
    uint32_t room;
    struct net_past *past; /* where properties were typed; or NULL */
    bool failed;           /* no memory: nothing can be said */
};

/* Begins before the first event; node i has its state at
 * `states + i * stride`.  NULL: no memory. */
struct net_witness *net_witness_new(const struct net_place *place,
                                    size_t msg_size, const void *states,
                                    size_t stride);
void net_witness_free(struct net_witness *w);

/* A message leaves; one is read, missed or lost. */
void net_witness_send(struct net_witness *w, uint32_t from, uint32_t to,
                      uint16_t port, const void *msg);
void net_witness_take(struct net_witness *w, uint32_t to, uint16_t port,
                      const void *msg);

/* The predicates that do not hold now, and the typed properties that the step
 * to here breaks, as properties; the latter alone; and at the end of a run in
 * which nothing is left to happen, those that never got what they wanted. */
uint32_t net_witness_judge(struct net_witness *w);
uint32_t net_witness_step(struct net_witness *w);
uint32_t net_witness_end(struct net_witness *w);

#endif
