/*
 * sim.c - what all runs have in common (see sim.h).
 */
#include "sim/sim.h"

#include "core/text.h"
#include "problems/election.h"
#include "protocols/all.h"
#include "sim/clock.h"
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

static void describe_names(struct sim_setup *s)
{
    struct fc_world *w = &s->world;

    w->least = s->first_name;
    w->greatest = s->first_name + w->nodes - 1;
    if (s->naming != SIM_NAMES_LIST)
        return;
    w->least = w->greatest = s->names[0];
    for (uint32_t i = 1; i < w->nodes; i++) {
        if (s->names[i] < w->least)
            w->least = s->names[i];
        if (s->names[i] > w->greatest)
            w->greatest = s->names[i];
    }
}

static bool nodes_return(const struct sim_setup *s)
{
    bool some = s->returns || s->faults.crashes > 0;

    for (uint32_t i = 0; i < s->faults.count; i++) {
        enum sim_fault_kind kind = s->faults.list[i].kind;

        some |= kind == SIM_FAULT_RESTART || kind == SIM_FAULT_RESTART_BLANK;
    }
    return some;
}

void sim_describe(struct sim_setup *s)
{
    struct fc_world *w = &s->world;

    describe_names(s);
    switch (s->waking) {
    case SIM_WAKE_ALL:
    case SIM_WAKE_RANDOM: /* at most */
        w->initiators = w->nodes;
        break;
    case SIM_WAKE_FIRST:
        w->initiators = 1;
        break;
    case SIM_WAKE_SOME:
    case SIM_WAKE_LIST:
        w->initiators = s->wake_count;
        break;
    }
    w->returns = nodes_return(s);
    w->bounded = s->time != SIM_ASYNC;
    if (s->time == SIM_SYNC)
        w->bounds = (struct fc_bounds){1, 1, 0, 0};
    else if (s->time == SIM_ASYNC)
        w->bounds = (struct fc_bounds){1, SIM_TAIL_MAX, 0, SIM_TAIL_MAX};
    /* Steps given one by one have bounds of their own. */
    if (s->time == SIM_ARCHIMEDEAN && s->clock == SIM_CLOCK_LIST) {
        w->bounds.rmin = w->bounds.rmax = s->steps[0];
        for (uint32_t i = 1; i < w->nodes; i++) {
            if (s->steps[i] < w->bounds.rmin)
                w->bounds.rmin = s->steps[i];
            if (s->steps[i] > w->bounds.rmax)
                w->bounds.rmax = s->steps[i];
        }
    }
}

static uint64_t last_wake(const struct sim_setup *s)
{
    uint64_t last = 0;

    if (s->waking == SIM_WAKE_RANDOM)
        return s->world.nodes;
    if (s->waking == SIM_WAKE_LIST)
        for (uint32_t i = 0; i < s->wake_count; i++)
            if (s->wakes[i].tick > last)
                last = s->wakes[i].tick;
    return last;
}

static uint64_t last_fault(const struct sim_setup *s)
{
    uint64_t last = 0;

    for (uint32_t i = 0; i < s->faults.count; i++) {
        const struct sim_fault *f = &s->faults.list[i];

        if (fc_add(f->tick, f->ticks) > last)
            last = fc_add(f->tick, f->ticks);
    }
    return last;
}

/* All entries one after the other, and all thoughts. */
static uint64_t work_horizon(const struct sim_setup *s, uint64_t one_entry)
{
    const struct sim_work *w = &s->work;
    uint64_t entries = w->entries ? w->entries : 1;
    uint64_t rmax = s->world.bounds.rmax;
    uint64_t section = fc_times(sim_duration_longest(&w->section) + 2, rmax);
    uint64_t thought = fc_times(sim_duration_longest(&w->think) + 1, rmax);

    return fc_add(
        fc_times(fc_times(entries, s->world.nodes), fc_add(one_entry, section)),
        fc_times(entries, thought));
}

uint64_t sim_last_tick(const struct sim_setup *s)
{
    const struct fc_protocol *p = s->type->protocol;
    uint64_t horizon;

    if (s->until)
        return s->until;
    horizon = p->horizon(s->params, &s->world);
    if (p->problem->repeats)
        horizon = work_horizon(s, horizon);
    /* A step more for the phase; FC_NEVER itself is no tick. */
    horizon = fc_add(fc_add(horizon, last_wake(s)), s->world.bounds.rmax);
    /* After the last fault there is as much time again. */
    if (sim_faults_any(&s->faults))
        horizon = fc_times(2, fc_add(horizon, last_fault(s)));
    return horizon == FC_NEVER ? FC_NEVER - 1 : horizon;
}

/* Chooses k of n nodes: each in turn with the probability that is left. */
static uint32_t choose_some(struct sim_wake *out, uint32_t n, uint32_t k,
                            uint64_t key)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < n && count < k; i++)
        if (sim_below(sim_draw(key, i, 0), n - i) < k - count)
            out[count++] = (struct sim_wake){.node = i};
    return count;
}

static uint32_t choose_half(struct sim_wake *out, uint32_t n, uint64_t key)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < n; i++)
        if (sim_draw(key, i, 0) >> 63)
            out[count++] = (struct sim_wake){
                .node = i, .tick = sim_below(sim_draw(key, i, 1), n)};
    if (count == 0)
        out[count++] = (struct sim_wake){.node = 0};
    return count;
}

/* Finds the nodes of the names that wake, each name in the sorted list.  Names
 * that nobody has are passed over. */
static uint32_t find_listed(struct sim_wake *out, const struct sim_setup *s,
                            const struct sim_names *names)
{
    uint32_t found = 0;

    for (uint32_t node = 0; node < s->world.nodes; node++) {
        fc_name name = sim_name(names, node);
        uint32_t low = 0, high = s->wake_count;

        while (low < high) {
            uint32_t middle = low + (high - low) / 2;

            if (s->wakes[middle].name < name)
                low = middle + 1;
            else
                high = middle;
        }
        for (; low < s->wake_count && s->wakes[low].name == name; low++)
            if (found < s->wake_count)
                out[found++] =
                    (struct sim_wake){.node = node, .tick = s->wakes[low].tick};
    }
    return found;
}

const struct sim_wake *sim_wakes(const struct sim_setup *setup,
                                 const struct sim_job *job,
                                 const struct sim_names *names, uint32_t *count,
                                 bool *failed)
{
    static const struct sim_wake first = {.node = 0, .tick = 0};
    uint64_t key = sim_key(job->seed, SIM_STREAM_WAKE);
    uint32_t n = setup->world.nodes;
    struct sim_wake *out;

    *count = n;
    if (setup->waking == SIM_WAKE_ALL)
        return NULL;
    if (setup->waking == SIM_WAKE_FIRST) {
        *count = 1;
        return &first;
    }
    out = sim_memory_get(
        job->memory, SIM_BUFFER_WAKES,
        (setup->waking == SIM_WAKE_RANDOM ? n : setup->wake_count + 1) *
            sizeof *out);
    if (!out) {
        *failed = true;
        *count = 0;
        return NULL;
    }
    if (setup->waking == SIM_WAKE_LIST)
        *count = find_listed(out, setup, names);
    else if (setup->waking == SIM_WAKE_SOME)
        *count = choose_some(out, n, setup->wake_count, key);
    else
        *count = choose_half(out, n, key);
    return out;
}

void sim_finish(const struct sim_setup *setup, uint32_t broken,
                const struct fc_outcome *outcome, struct sim_result *result)
{
    /* Stopped where the user wished: that it had not ended says nothing. */
    if (setup->until)
        broken &= ~setup->type->protocol->problem->ends;
    result->broken = broken;
    result->reached_at = outcome->reached_at;
    result->leader = outcome->leader;
    result->answer = outcome->answer;
    result->initiators = outcome->started;
    result->overlaps = outcome->overlaps;
    for (uint32_t k = 0; k < FC_KINDS_MAX; k++)
        result->messages += result->by_kind[k];
}

/* Whether the lockstep engine may try. */
static bool in_lockstep(const struct sim_setup *s, const struct sim_job *job)
{
    if (s->general || job->trace || s->time != SIM_SYNC ||
        sim_faults_any(&s->faults) || s->type->protocol->answer)
        return false;
    if (s->waking == SIM_WAKE_RANDOM)
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
