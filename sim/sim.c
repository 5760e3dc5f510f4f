/*
 * sim.c - what all runs have in common (see sim.h).
 */
#include "sim/sim.h"

#include "core/text.h"
#include "net/clock.h"
#include "net/type.h"
#include "problems/election.h"
#include "protocols/all.h"
#include "sim/fault.h"
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

static uint64_t last_wake(const struct sim_setup *s)
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
    horizon = fc_add(fc_add(horizon, last_wake(s)), s->net.world.bounds.rmax);
    /* After the last fault there is as much time again. */
    if (net_faults_any(&s->faults))
        horizon = fc_times(2, fc_add(horizon, last_fault(s)));
    return horizon == FC_NEVER ? FC_NEVER - 1 : horizon;
}

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

void sim_finish(const struct sim_setup *setup, uint32_t broken,
                const struct fc_outcome *outcome, struct sim_result *result)
{
    const struct fc_protocol *p = setup->net.protocol;

    /* Stopped where the user asked: that it had not ended says nothing. */
    if (setup->until)
        broken &= ~p->problem->ends;
    result->broken = broken;
    result->reached_at = outcome->reached_at;
    result->leader = outcome->chosen;
    result->answer = outcome->answer;
    result->initiators = outcome->started;
    result->overlaps = outcome->overlaps;
    for (uint32_t k = 1; k < p->kinds_count; k++)
        *(p->kinds[k].meaning == FC_FRAME ? &result->frames
                                          : &result->messages) +=
            result->by_kind[k];
}

/* Whether the lockstep engine may try. */
static bool in_lockstep(const struct sim_setup *s, const struct sim_job *job)
{
    if (!s->type->lockstep || s->general || s->bits || s->net.predicates ||
        job->trace || job->records || s->net.time != NET_SYNC ||
        net_faults_any(&s->faults))
        return false;
    if (s->net.waking == NET_WAKE_RANDOM)
        return false;
    return last_wake(s) == 0;
}

enum sim_status sim_run(const struct sim_setup *setup,
                        const struct sim_job *job, struct sim_result *result)
{
    enum sim_status status = SIM_UNFIT;

    if (in_lockstep(setup, job))
        status = setup->type->lockstep(setup, job, result);
    if (status == SIM_UNFIT)
        status = setup->type->run(setup, job, result);
    return status;
}
