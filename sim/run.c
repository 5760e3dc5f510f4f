/*
 * run.c - one run, on the engine that fits it (see sim.h).
 */
#include "problems/problem.h"
#include "sim/typed.h"

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

/* Whether the lockstep engine may try; it tells nobody what happens. */
static bool in_lockstep(const struct sim_setup *s, bool told)
{
    if (!sim_engines(s)->lockstep || s->general || s->bits ||
        s->net.predicates || net_asked(&s->net) || told ||
        s->net.time != NET_SYNC || net_faults_any(&s->faults))
        return false;
    if (s->net.waking == NET_WAKE_RANDOM)
        return false;
    return sim_last_wake(s) == 0 && s->type->lockstep_node(s) > 0;
}

uint64_t sim_least_bytes(const struct sim_setup *s, bool told, bool *lockstep)
{
    const struct sim_type *type = sim_engines(s);

    *lockstep = in_lockstep(s, told);
    return (uint64_t)s->net.world.nodes *
           (*lockstep ? type->lockstep_node(s) : type->node_bytes);
}

void sim_report(struct sim_progress *p, const struct sim_result *result,
                uint64_t tick)
{
    uint64_t messages = 0;

    for (uint32_t k = 1; k < FC_KINDS_MAX; k++)
        messages += result->by_kind[k];
    atomic_store_explicit(&p->events, result->events, memory_order_relaxed);
    atomic_store_explicit(&p->messages, messages, memory_order_relaxed);
    atomic_store_explicit(&p->tick, tick, memory_order_relaxed);
}

enum sim_status sim_run(const struct sim_setup *setup,
                        const struct sim_job *job, struct sim_result *result)
{
    const struct sim_type *type = sim_engines(setup);
    enum sim_status status = SIM_UNFIT;

    if (in_lockstep(setup, job->trace || job->records))
        status = type->lockstep(setup, job, result);
    if (status == SIM_UNFIT)
        status = type->run(setup, job, result);
    return status;
}
