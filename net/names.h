/*
 * names.h - the names of the nodes.
 *
 * Names come from a rule or a list.  Random placements are permutations of
 * first..first+n-1: shuffled for up to NET_SHUFFLED_MAX nodes, and beyond that
 * computed one by one from the seed (a Feistel network walked until it stays
 * within range), so that a ring of hundreds of millions needs no array.  Which
 * of the two it is depends on n alone, never on how they are kept.
 */
#ifndef NET_NAMES_H
#define NET_NAMES_H

#include "net/memory.h"
#include "net/net.h"

enum { NET_SHUFFLED_MAX = 1 << 16, NET_NAMES_ROW = 64 };

struct net_names {
    const fc_name *array; /* of all names, or NULL: compute */
    enum net_naming naming;
    uint32_t nodes;
    fc_name first;
    uint64_t key;
    uint32_t left, right; /* bits of the two halves */
    const uint16_t *hash; /* of a half, by round; or NULL: not needed */
    /* The names of one row of nodes, if net_names_foresee() was asked. */
    fc_name row[NET_NAMES_ROW];
    uint32_t rows; /* up to and with that one, or 0 */
};

/* Names of the run `seed`.  In an array if they are shuffled or listed, or if
 * `often`: the protocol asks for them in every step.  -1: no memory. */
int net_names_begin(struct net_names *names, const struct net *net,
                    uint64_t seed, bool often, struct net_memory *memory);

/* The name at position `node`, computed. */
fc_name net_name_compute(const struct net_names *names, uint32_t node);

/* Nodes will be asked for in ascending order, this one first: names that are
 * computed are cheaper by the row. */
void net_names_foresee(struct net_names *names, uint32_t node);

static inline fc_name net_name(const struct net_names *names, uint32_t node)
{
    if (names->array)
        return names->array[node];
    if (node / NET_NAMES_ROW + 1 == names->rows)
        return names->row[node % NET_NAMES_ROW];
    return net_name_compute(names, node);
}

#endif
