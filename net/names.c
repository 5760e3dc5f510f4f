/*
 * names.c - see names.h.
 */
#include "net/names.h"

#include "net/random.h"

enum { ROUNDS = 6 };

/* The hashes that the rounds change a half by, from `hash` on: those of a round
 * stand in a row, by the other half.  A half has few values, and each is asked
 * for by many nodes. */
static void tabulate(const struct net_names *n, uint16_t *hash)
{
    for (uint32_t round = 0; round < ROUNDS; round++)
        for (uint32_t half = 0; half < UINT32_C(1) << n->right; half++)
            hash[round << n->right | half] =
                (uint16_t)net_draw(n->key, half, round);
}

/* A permutation of the numbers of left+right bits: each round, one half is
 * changed by a hash of the other, and the halves trade places. */
static inline uint32_t feistel(const struct net_names *n, uint32_t x)
{
    uint32_t low_bits = n->right, high_bits = n->left;
    uint32_t low = x & ((UINT32_C(1) << low_bits) - 1);
    uint32_t high = x >> low_bits;

    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint32_t mask = (UINT32_C(1) << high_bits) - 1;
        uint32_t mixed = (high ^ n->hash[round << n->right | low]) & mask;
        uint32_t bits = high_bits;

        high = low;
        low = mixed;
        high_bits = low_bits;
        low_bits = bits;
    }
    return high << low_bits | low;
}

/* Walking the cycle of a permutation until it is back in range is a
 * permutation of the range.  For `count` nodes, up to a row of them: those that
 * are not yet back take their next steps together, because the processor is
 * faster at many things that do not depend on each other than at guessing who
 * is back. */
static void place(const struct net_names *n, uint32_t node, uint32_t count,
                  fc_name *out)
{
    uint8_t away[NET_NAMES_ROW];

    for (uint32_t i = 0; i < count; i++) {
        out[i] = node + i;
        away[i] = (uint8_t)i;
    }
    for (uint32_t left = count; left > 0;) {
        uint32_t still = 0;

        for (uint32_t k = 0; k < left; k++) {
            uint8_t i = away[k];

            out[i] = feistel(n, out[i]);
            away[still] = i;
            still += out[i] >= n->nodes;
        }
        left = still;
    }
    for (uint32_t i = 0; i < count; i++)
        out[i] += n->first;
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
        place(n, node, 1, &x);
        return x;
    case NET_NAMES_LIST:
        return n->array[node];
    }
    return n->first + x;
}

/* Of the row that begins with this node. */
static uint32_t row_length(const struct net_names *n, uint32_t first)
{
    return n->nodes - first < NET_NAMES_ROW ? n->nodes - first : NET_NAMES_ROW;
}

void net_names_foresee(struct net_names *n, uint32_t node)
{
    uint32_t first = node - node % NET_NAMES_ROW;

    if (n->naming != NET_NAMES_RANDOM || n->array ||
        n->rows == node / NET_NAMES_ROW + 1)
        return;
    place(n, first, row_length(n, first), n->row);
    n->rows = node / NET_NAMES_ROW + 1;
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
    bool shuffled = random && nodes <= NET_SHUFFLED_MAX;
    uint16_t *hash = NULL;
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
    if (n->array)
        return 0;
    if (random && !shuffled) {
        hash = net_memory_get(memory, NET_BUFFER_HASHES,
                              ((uint64_t)ROUNDS << n->right) * sizeof *hash);
        if (!hash)
            return -1;
        tabulate(n, hash);
        n->hash = hash;
    }
    if (!often && !shuffled)
        return 0;
    array = net_memory_get(memory, NET_BUFFER_NAMES, nodes * sizeof *array);
    if (!array)
        return -1;
    if (shuffled)
        shuffle(array, nodes, n->first, n->key);
    else if (random)
        for (uint32_t i = 0; i < nodes; i += NET_NAMES_ROW)
            place(n, i, row_length(n, i), array + i);
    else
        for (uint32_t i = 0; i < nodes; i++)
            array[i] = net_name_compute(n, i);
    n->array = array;
    return 0;
}
