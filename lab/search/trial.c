/*
 * trial.c - see worst.h.
 */
#include "lab/search/worst.h"

#include <stdlib.h>
#include <string.h>

bool lab_trial_begin(struct lab_trial *t, const struct lab_space *space,
                     const struct lab_measure *measure, bool least)
{
    size_t n = space->nodes;

    *t =
        (struct lab_trial){.space = space, .measure = *measure, .least = least};
    t->names = calloc(n, sizeof *t->names);
    t->phases = calloc(n, sizeof *t->phases);
    t->wakes = calloc(n, sizeof *t->wakes);
    t->at = calloc(n, sizeof *t->at);
    if (measure->of->tallied)
        t->tally = calloc(1, sizeof *t->tally);
    return t->names && t->phases && t->wakes && t->at &&
           (t->tally || !measure->of->tallied);
}

void lab_trial_end(struct lab_trial *t)
{
    net_memory_free(&t->memory);
    free(t->names);
    free(t->phases);
    free(t->wakes);
    free(t->at);
    free(t->tally);
}

static uint64_t rank_at(const struct lab_space *s, const uint64_t *genes,
                        uint32_t place)
{
    const struct lab_range *names = &s->part[LAB_NAMES];

    return names->count ? genes[names->at + place] : s->ranks[place];
}

static void set_names(struct lab_trial *t, const uint64_t *genes)
{
    const struct lab_space *s = t->space;

    for (uint32_t i = 0; i < s->nodes; i++)
        t->names[i] = s->names[rank_at(s, genes, i)];
    t->setup.net.naming = NET_NAMES_LIST;
    t->setup.net.names = t->names;
}

/* A setup has its wake-ups sorted by name. */
static void set_wakes(struct lab_trial *t, const uint64_t *genes)
{
    const struct lab_space *s = t->space;
    const uint64_t *wake = genes + s->part[LAB_WAKES].at;
    struct net *net = &t->setup.net;
    uint32_t count = 0;

    for (uint32_t i = 0; i < s->nodes; i++)
        t->at[rank_at(s, genes, i)] = i;
    for (uint32_t rank = 0; rank < s->nodes; rank++)
        if (wake[t->at[rank]])
            t->wakes[count++] = (struct net_wake){
                .name = s->names[rank], .tick = wake[t->at[rank]] - 1};
    net->waking = NET_WAKE_LIST;
    net->wakes = t->wakes;
    net->wake_count = net->world.initiators = count;
}

static void set_up(struct lab_trial *t, const uint64_t *genes)
{
    const struct lab_space *s = t->space;
    const struct lab_range *part = s->part;
    struct net *net = &t->setup.net;

    t->setup =
        s->setups[part[LAB_SETTINGS].count ? genes[part[LAB_SETTINGS].at] : 0];
    if (part[LAB_NAMES].count)
        set_names(t, genes);
    if (part[LAB_WAKES].count)
        set_wakes(t, genes);
    if (part[LAB_STEPS].count) {
        net->clock = NET_CLOCK_LIST;
        net->steps = genes + part[LAB_STEPS].at;
    }
    for (uint32_t i = 0; i < part[LAB_PHASES].count; i++)
        t->phases[i] = genes[part[LAB_PHASES].at + i] % net->steps[i];
    if (part[LAB_PHASES].count)
        net->phases = t->phases;
    if (part[LAB_DELAYS].count)
        net->delays = genes + part[LAB_DELAYS].at;
}

enum sim_status lab_trial_run(struct lab_trial *t, const uint64_t *genes,
                              int64_t *score)
{
    const struct lab_range *seed = &t->space->part[LAB_SEED];
    struct sim_job job = {
        .seed = seed->count ? genes[seed->at] : t->space->seed,
        .memory = &t->memory,
        .progress = &t->progress,
        .tally = t->tally,
    };
    enum sim_status status;
    uint64_t value = 0;

    set_up(t, genes);
    if (t->tally)
        memset(t->tally, 0, sizeof *t->tally);
    status = sim_run(&t->setup, &job, &t->result);
    if (status != SIM_OK)
        return status;
    t->runs++;
    t->events += t->result.events;
    t->drawn |= t->result.coins || sim_drawn(&t->setup);
    *score = LAB_NONE;
    if (t->measure.of->of(&t->result, t->tally, t->measure.kind, &value))
        *score = t->least ? -(int64_t)value : (int64_t)value;
    return SIM_OK;
}
