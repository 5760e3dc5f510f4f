/*
 * setup.c - the setup of a run, and what follows from it (see sim.h).
 */
#include "sim/sim.h"

#include "core/text.h"
#include "net/type.h"
#include "protocols/all.h"
#include "sim/typed.h"

#define DECLARE(P) extern const struct sim_type P##_sim;
FC_PROTOCOLS(DECLARE)

#define ENTRY(P) &P##_sim,
const struct sim_type *const sim_types[] = {FC_PROTOCOLS(ENTRY) NULL};

const struct sim_type *sim_find(const char *name)
{
    for (uint32_t i = 0; sim_types[i]; i++)
        if (fc_same(sim_types[i]->protocol->name, name))
            return sim_types[i];
    return NULL;
}

static bool nodes_return(const struct sim_setup *s)
{
    bool some = s->net.returns || s->faults.crashes > 0;

    for (uint32_t i = 0; i < s->faults.count; i++) {
        enum net_fault_kind kind = s->faults.list[i].kind;

        some |= kind == NET_FAULT_RESTART || kind == NET_FAULT_RESTART_BLANK;
    }
    return some;
}

void sim_describe(struct sim_setup *s)
{
    net_describe(&s->net);
    s->net.world.returns = nodes_return(s);
}

void sim_use(struct sim_setup *s, const struct sim_type *type)
{
    s->type = type;
    s->net.protocol = type->protocol;
}

const char *const sim_drawn_words[SIM_DRAWN] = {"names", "links",  "wake-ups",
                                                "steps", "phases", "delays",
                                                "work",  "faults"};

static bool draws_delays(const struct net *net)
{
    const struct fc_bounds *b = &net->world.bounds;

    /* A delay of 0 is one of 1. */
    return net->time == NET_ASYNC ||
           (net->time == NET_ARCHIMEDEAN && !net->delays && b->dmax > 1 &&
            b->dmin != b->dmax);
}

static bool draws_work(const struct net_work *w)
{
    return net_duration_is_drawn(&w->section) ||
           net_duration_is_drawn(&w->think) ||
           (w->shared && w->shared >> 32 == 0);
}

uint32_t sim_drawn(const struct sim_setup *s)
{
    const struct net *net = &s->net;
    const struct fc_bounds *b = &net->world.bounds;
    bool own = net->time != NET_SYNC && net->clock <= NET_CLOCK_DRIFT;
    bool steps = own && (net->time == NET_ASYNC || b->rmin != b->rmax);
    const bool drawn[SIM_DRAWN] = {
        net->naming == NET_NAMES_RANDOM,
        net->protocol->topology == FC_TREE && net->tree == NET_TREE_RANDOM,
        net->waking == NET_WAKE_RANDOM || net->waking == NET_WAKE_SOME,
        steps,
        own && !net->phases && b->rmax > 1,
        draws_delays(net),
        net->protocol->problem->repeats && draws_work(&s->work),
        s->faults.crashes || s->faults.loss || s->faults.duplicate ||
            s->faults.reorder || s->faults.late,
    };
    uint32_t bits = 0;

    for (uint32_t i = 0; i < SIM_DRAWN; i++)
        bits |= (uint32_t)drawn[i] << i;
    return bits;
}

uint64_t sim_last_wake(const struct sim_setup *s)
{
    uint64_t last = 0;

    if (s->net.waking == NET_WAKE_RANDOM)
        return s->net.world.nodes;
    if (s->net.waking == NET_WAKE_LIST)
        for (uint32_t i = 0; i < s->net.wake_count; i++)
            if (s->net.wakes[i].tick > last)
                last = s->net.wakes[i].tick;
    return last;
}

static uint64_t last_fault(const struct sim_setup *s)
{
    uint64_t last = 0;

    for (uint32_t i = 0; i < s->faults.count; i++) {
        const struct net_fault *f = &s->faults.list[i];

        if (fc_add(f->tick, f->ticks) > last)
            last = fc_add(f->tick, f->ticks);
    }
    return last;
}

/* All entries one after the other, and all thoughts. */
static uint64_t work_horizon(const struct sim_setup *s, uint64_t one_entry)
{
    const struct net_work *w = &s->work;
    uint64_t entries = w->entries ? w->entries : 1;
    uint64_t rmax = s->net.world.bounds.rmax;
    uint64_t section = fc_times(net_duration_longest(&w->section) + 2, rmax);
    uint64_t thought = fc_times(net_duration_longest(&w->think) + 1, rmax);

    return fc_add(fc_times(fc_times(entries, s->net.world.nodes),
                           fc_add(one_entry, section)),
                  fc_times(entries, thought));
}

/* Ticks for which a link is busy with a message, and with those before it: at
 * most one of each node. */
static uint64_t longest_on_link(const struct sim_setup *s)
{
    uint64_t bits;

    if (!s->bits)
        return 0;
    bits = 8 * (uint64_t)net_type_of(&s->net)->wire_size;
    return fc_times(fc_times(bits, s->bits), s->net.world.nodes);
}

uint64_t sim_last_tick(const struct sim_setup *s)
{
    const struct fc_protocol *p = s->net.protocol;
    struct fc_world world = s->net.world;
    uint64_t horizon;

    if (s->until)
        return s->until;
    world.bounds.dmax = fc_add(world.bounds.dmax, longest_on_link(s));
    horizon = p->horizon(s->net.params, &world);
    if (p->problem->repeats)
        horizon = work_horizon(s, horizon);
    /* One step more for the phase; FC_NEVER itself is not a tick. */
    horizon =
        fc_add(fc_add(horizon, sim_last_wake(s)), s->net.world.bounds.rmax);
    /* After the last fault there is as much time again. */
    if (net_faults_any(&s->faults))
        horizon = fc_times(2, fc_add(horizon, last_fault(s)));
    return horizon == FC_NEVER ? FC_NEVER - 1 : horizon;
}
