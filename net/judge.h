/*
 * judge.h - predicates over a whole network (core/network.h), judged by
 * whatever drives it.
 */
#ifndef NET_JUDGE_H
#define NET_JUDGE_H

#include "core/network.h"
#include "net/site.h"
#include "problems/problem.h"

/* The parts of a network that its driver does not have to fill in: all but
 * states, names, messages, and which nodes are down. */
struct fc_network net_network(const struct net_place *place);

/* Of the predicates that the network is judged by, a bit each from 0 on, those
 * that do not hold; as properties. */
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

#endif
