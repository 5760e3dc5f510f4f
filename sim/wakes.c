/*
 * wakes.c - which nodes of a run wake, and when (see typed.h).
 */
#include "net/random.h"
#include "sim/typed.h"

/* Chooses k of n nodes: each in turn with the probability that is left. */
static uint32_t choose_some(struct net_wake *out, uint32_t n, uint32_t k,
                            uint64_t key)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < n && count < k; i++)
        if (net_below(net_draw(key, i, 0), n - i) < k - count)
            out[count++] = (struct net_wake){.node = i};
    return count;
}

static uint32_t choose_half(struct net_wake *out, uint32_t n, uint64_t key)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < n; i++)
        if (net_draw(key, i, 0) >> 63)
            out[count++] = (struct net_wake){
                .node = i, .tick = net_below(net_draw(key, i, 1), n)};
    if (count == 0)
        out[count++] = (struct net_wake){.node = 0};
    return count;
}

/* Finds the nodes of the names that wake, each name in the sorted list.  Names
 * that no node has are skipped. */
static uint32_t find_listed(struct net_wake *out, const struct sim_setup *s,
                            const struct net_names *names)
{
    uint32_t found = 0;

    for (uint32_t node = 0; node < s->net.world.nodes; node++) {
        fc_name name = net_name(names, node);
        uint32_t low = 0, high = s->net.wake_count;

        while (low < high) {
            uint32_t middle = low + (high - low) / 2;

            if (s->net.wakes[middle].name < name)
                low = middle + 1;
            else
                high = middle;
        }
        for (; low < s->net.wake_count && s->net.wakes[low].name == name; low++)
            if (found < s->net.wake_count)
                out[found++] = (struct net_wake){
                    .node = node, .tick = s->net.wakes[low].tick};
    }
    return found;
}

const struct net_wake *sim_wakes(const struct sim_setup *setup,
                                 const struct sim_job *job,
                                 const struct net_names *names, uint32_t *count,
                                 bool *failed)
{
    static const struct net_wake first = {.node = 0, .tick = 0};
    uint64_t key = net_key(job->seed, NET_STREAM_WAKE);
    uint32_t n = setup->net.world.nodes;
    struct net_wake *out;

    *count = n;
    if (setup->net.waking == NET_WAKE_ALL)
        return NULL;
    if (setup->net.waking == NET_WAKE_FIRST) {
        *count = 1;
        return &first;
    }
    out = net_memory_get(
        job->memory, NET_BUFFER_WAKES,
        (setup->net.waking == NET_WAKE_RANDOM ? n : setup->net.wake_count + 1) *
            sizeof *out);
    if (!out) {
        *failed = true;
        *count = 0;
        return NULL;
    }
    if (setup->net.waking == NET_WAKE_LIST)
        *count = find_listed(out, setup, names);
    else if (setup->net.waking == NET_WAKE_SOME)
        *count = choose_some(out, n, setup->net.wake_count, key);
    else
        *count = choose_half(out, n, key);
    return out;
}
