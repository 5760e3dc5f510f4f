/*
 * fault.c - the faults of one run: scheduled, and drawn from the seed (see
 * typed.h and net/fault.h).
 */
#include "net/random.h"
#include "sim/typed.h"

/* The scheduled faults of the node called `name`, as faults of `node`. */
static uint32_t take_scheduled(const struct net_faults *f, fc_name name,
                               uint32_t node, struct net_fault *out)
{
    uint32_t low = 0, high = f->count, taken = 0;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (f->list[middle].name < name)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < f->count && f->list[low].name == name; low++) {
        out[taken] = f->list[low];
        out[taken++].node = node;
    }
    return taken;
}

/* Crashes drawn from the seed: of a random node at a random tick of the first
 * half of the run, back after a quarter of it at most. */
static uint32_t draw_crashes(const struct sim_setup *s, uint64_t seed,
                             uint64_t span, struct net_fault *out)
{
    uint64_t key = net_key(seed, NET_STREAM_FAULT) + 1;
    uint32_t taken = 0;

    for (uint32_t i = 0; i < s->faults.crashes; i++) {
        uint32_t node =
            (uint32_t)net_below(net_draw(key, i, 0), s->net.world.nodes);
        uint64_t tick = net_below(net_draw(key, i, 1), span / 2 + 1);
        uint64_t down = 1 + net_below(net_draw(key, i, 2), span / 4 + 1);

        out[taken++] = (struct net_fault){
            .kind = NET_FAULT_CRASH, .node = node, .tick = tick};
        out[taken++] = (struct net_fault){
            .kind =
                s->faults.blank ? NET_FAULT_RESTART_BLANK : NET_FAULT_RESTART,
            .node = node,
            .tick = tick + down,
        };
    }
    return taken;
}

const struct net_fault *sim_faults_begin(const struct sim_setup *setup,
                                         const struct net_names *names,
                                         uint64_t seed,
                                         struct net_memory *memory,
                                         uint32_t *count, bool *failed)
{
    const struct net_faults *f = &setup->faults;
    bool nameless = setup->net.protocol->anonymous;
    size_t room = f->count + 2 * (size_t)f->crashes;
    struct net_fault *out;

    *count = 0;
    if (room == 0)
        return NULL;
    out = net_memory_get(memory, NET_BUFFER_FAULTS, room * sizeof *out);
    if (!out) {
        *failed = true;
        return NULL;
    }
    for (uint32_t v = 0; v < setup->net.world.nodes && f->count; v++)
        *count += take_scheduled(f, nameless ? v + 1 : net_name(names, v), v,
                                 out + *count);
    *count += draw_crashes(setup, seed, sim_last_tick(setup) / 8, out + *count);
    return out;
}
