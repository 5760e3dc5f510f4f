/*
 * sim.c - <fulcrum/sim.h>: a batch of runs, and its numbers by their names.
 */
#include "include/fulcrum/sim.h"

#include <stdlib.h>
#include <string.h>

#include "api/net.h"
#include "net/fault_words.h"
#include "sim/batch.h"
#include "trace/write.h"

struct fulcrum_sim {
    const struct fc_protocol *protocol;
    uint64_t seed;
    struct sim_summary summary;
};

/* ---- Running ------------------------------------------------------------- */

static bool set_duration(struct fulcrum_net *net, enum api_key key,
                         struct net_duration *duration)
{
    const char *text = net->said[key];

    return !text || net_duration_read(text, duration) ||
           net_refuse(&net->why, "'%s' is no duration", text);
}

/* What applications do, where the problem lets them. */
static bool set_work(struct fulcrum_net *net, struct sim_setup *s)
{
    uint64_t entries = 10, burst = 1;

    if (!s->net.protocol->problem->repeats)
        return true;
    if (!api_number(net, API_ENTRIES, 1, 1000000000, &entries) ||
        !api_number(net, API_BURST, 1, 1000000, &burst))
        return false;
    s->work.entries = (uint32_t)entries;
    s->work.burst = (uint32_t)burst;
    return set_duration(net, API_SECTION, &s->work.section) &&
           set_duration(net, API_THINK, &s->work.think);
}

static bool set_faults(struct fulcrum_net *net, struct net_made *made,
                       struct net_faults *faults)
{
    char **what = net->faults.texts;

    for (uint32_t i = 0; i < net->faults.count; i++, what++)
        if (!net_read_fault(made, faults, *what, &net->why))
            return net_where(&net->why, "fault '%s': ", *what);
    if (faults->count)
        net_sort_faults(made, faults);
    return true;
}

static bool set_up(struct fulcrum_net *net, struct net_made *made,
                   struct sim_setup *s)
{
    const struct fc_protocol *p = net_choose(net->protocol, &net->why);
    bool complete = p && p->topology == FC_COMPLETE;
    struct net_words words = api_words(net, complete ? "5" : "8");

    if (!p || !api_fits(net, API_OF_CHECK, API_KEYS, "simulator") ||
        !net_make(made, &words, &net->why))
        return false;
    s->net = made->net;
    sim_use(s, sim_find(net->protocol));
    if (!api_number(net, API_UNTIL, 1, UINT64_C(1) << 62, &s->until) ||
        !set_work(net, s) || !set_faults(net, made, &s->faults))
        return false;
    sim_describe(s);
    return net_prepare(made, &s->net, &net->why);
}

/* The result now has what came of it. */
static bool run(struct fulcrum_net *net, const struct sim_batch *batch,
                struct fulcrum_sim *result)
{
    if (sim_batch(batch, &result->summary) != 0)
        return net_fail(&net->why, "no thread can be started");
    if (result->summary.no_memory)
        return net_no_memory(&net->why, "the runs");
    return true;
}

static bool run_to(struct fulcrum_net *net, const struct net_made *made,
                   struct sim_batch *batch, FILE *trace,
                   struct fulcrum_sim *result)
{
    bool fine;

    if (!trace)
        return run(net, batch, result);
    if (batch->runs != 1)
        return net_refuse(&net->why, "a trace is of one run, not of %u",
                          (unsigned)batch->runs);
    batch->trace = trace_writer_new(trace);
    if (!batch->trace)
        return net_no_memory(&net->why, "the trace");
    trace_write_head(batch->trace, made->set, "");
    fine = run(net, batch, result);
    trace_writer_free(batch->trace);
    return fine;
}

struct fulcrum_sim *fulcrum_sim_run(struct fulcrum_net *net, uint64_t seed,
                                    uint64_t runs, uint32_t threads,
                                    FILE *trace)
{
    struct net_made made = {.params = NULL};
    struct sim_setup setup = {.until = 0};
    struct sim_batch batch = {
        .setup = &setup, .seed = seed, .runs = runs, .threads = threads};
    struct fulcrum_sim *result = calloc(1, sizeof *result);
    bool fine = true;

    if (!result) {
        net_no_memory(&net->why, "the result");
        return NULL;
    }
    if (runs == 0 || threads == 0 || threads > SIM_THREADS_MAX)
        fine = net_refuse(&net->why, "1 run or more, on 1 to %d threads",
                          SIM_THREADS_MAX);
    fine = fine && set_up(net, &made, &setup) &&
           run_to(net, &made, &batch, trace, result);
    net_unmake(&made);
    if (fine) {
        result->protocol = setup.net.protocol;
        result->seed = seed;
        return result;
    }
    free(result);
    return NULL;
}

void fulcrum_sim_free(struct fulcrum_sim *sim)
{
    free(sim);
}

/* ---- What came of it ----------------------------------------------------- */

#define AT(field) offsetof(struct sim_summary, field)

static const struct api_number numbers[] = {
    {"runs", AT(runs)},
    {"ok", AT(ok)},
    {"violated", AT(violated)},
    {"cut", AT(cut)},
    {"events", AT(events)},
    {"queue_max", AT(queue_max)},
    {"entries", AT(entries)},
    {"overlaps", AT(overlaps)},
    {0},
};

#define ROW(kind, field, key, ...) {key, AT(field)},

static const struct api_number stats[] = {
    SIM_COSTS(ROW) /* sent */
    {"end", AT(end)},
    {"initiators", AT(initiators)},
    {0},
};

/* One number of a stat: its mean, "" or "mean", and so on. */
static int get_stat(const struct sim_stat *s, const char *which, double *value)
{
    if (!*which || strcmp(which, ".mean") == 0)
        *value = sim_stat_mean(s);
    else if (strcmp(which, ".sd") == 0)
        *value = sim_stat_sd(s);
    else if (strcmp(which, ".min") == 0)
        *value = (double)s->min;
    else if (strcmp(which, ".max") == 0)
        *value = (double)s->max;
    else
        return -1;
    return 0;
}

int fulcrum_sim_get(const struct fulcrum_sim *sim, const char *name,
                    double *value)
{
    const struct sim_summary *s = &sim->summary;
    size_t length = strcspn(name, ".");

    for (const struct api_number *n = stats; n->name; n++)
        if (strlen(n->name) == length && strncmp(name, n->name, length) == 0)
            return get_stat((const void *)((const char *)s + n->offset),
                            name + length, value);
    if (strcmp(name, "leader") == 0 && s->leader != FC_NOBODY) {
        *value = (double)s->leader;
        return 0;
    }
    return api_find_number(numbers, s, name, value);
}

const char *fulcrum_sim_broken(const struct fulcrum_sim *sim, size_t number,
                               uint64_t *runs, uint64_t *seed)
{
    const struct sim_summary *s = &sim->summary;

    for (uint32_t i = 0; i < SIM_PROPERTIES_MAX; i++) {
        if (s->broken_runs[i] == 0 || number-- > 0)
            continue;
        if (runs)
            *runs = s->broken_runs[i];
        if (seed)
            *seed = sim->seed + s->broken_run[i];
        return fc_property(sim->protocol, i);
    }
    return NULL;
}
