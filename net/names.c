/*
 * names.c - see names.h.
 */
#include "net/names.h"

#include "net/random.h"

enum { ROUNDS = 6 };

/* A permutation of the numbers of left+right bits: each round, one half is
 * changed by a hash of the other, and the halves trade places. */
static uint32_t feistel(const struct net_names *n, uint32_t x)
{
    uint32_t low_bits = n->right, high_bits = n->left;
    uint32_t low = x & ((UINT32_C(1) << low_bits) - 1);
    uint32_t high = x >> low_bits;

    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint32_t mask = (UINT32_C(1) << high_bits) - 1;
        uint32_t mixed = (high ^ (uint32_t)net_draw(n->key, low, round)) & mask;
        uint32_t bits = high_bits;

        high = low;
        low = mixed;
        high_bits = low_bits;
        low_bits = bits;
    }
    return high << low_bits | low;
}

fc_name net_name_compute(const struct net_names *n, uint32_t node)
{
    uint32_t x = node;

    switch (n->naming) {
    case NET_NAMES_ASCENDING:
        break;
    case NET_NAMES_DESCENDING:
        x = node ? n->nodes - node : 0;
        break;
    case NET_NAMES_RANDOM:
        /* Walking the cycle of a permutation until it is back in range is a
         * permutation of the range. */
        do
            x = feistel(n, x);
        while (x >= n->nodes);
        break;
    case NET_NAMES_LIST:
        return n->array[node];
    }
    return n->first + x;
}

static void shuffle(fc_name *array, uint32_t nodes, fc_name first, uint64_t key)
{
    for (uint32_t i = 0; i < nodes; i++)
        array[i] = first + i;
    for (uint32_t i = nodes; i-- > 1;) {
        uint32_t j = (uint32_t)net_below(net_draw(key, i, 0), i + 1);
        fc_name held = array[i];

        array[i] = array[j];
        array[j] = held;
    }
}

int net_names_begin(struct net_names *n, const struct net *net, uint64_t seed,
                    bool often, struct net_memory *memory)
{
    uint32_t nodes = net->world.nodes, bits = 2;
    bool random = net->naming == NET_NAMES_RANDOM;
    fc_name *array;

    while (UINT64_C(1) << bits < nodes)
        bits++;
    *n = (struct net_names){
        .array = net->names,
        .naming = net->naming,
        .nodes = nodes,
        .first = net->first_name,
        .key = net_key(seed, NET_STREAM_NAMES),
        .left = bits / 2,
        .right = bits - bits / 2,
    };
    if (n->array || (!often && !(random && nodes <= NET_SHUFFLED_MAX)))
        return 0;
    array = net_memory_get(memory, NET_BUFFER_NAMES, nodes * sizeof *array);
    if (!array)
        return -1;
    if (random && nodes <= NET_SHUFFLED_MAX)
        shuffle(array, nodes, n->first, n->key);
    else
        for (uint32_t i = 0; i < nodes; i++)
            array[i] = net_name_compute(n, i);
    n->array = array;
    return 0;
}
