/*
 * crew.c - see crew.h.
 */
#include "lab/search/crew.h"

#include <stdlib.h>

#include "net/seconds.h"

int lab_crew_begin(struct lab_crew *c, const struct lab_quest *q)
{
    uint32_t genes = q->space->genes;

    *c = (struct lab_crew){
        .quest = q,
        .began = net_seconds(),
        .runs = q->budget,
    };
    c->workers = calloc(q->threads, sizeof *c->workers);
    if (!c->workers)
        return -1;
    for (; c->count < q->threads; c->count++) {
        struct lab_worker *w = &c->workers[c->count];

        w->crew = c;
        w->genes = calloc(genes + 1, sizeof *w->genes);
        w->best = calloc(genes + 1, sizeof *w->best);
        if (!lab_trial_begin(&w->trial, q->space, &q->measure, q->least) ||
            !w->genes || !w->best) {
            c->count++;
            return -1;
        }
    }
    return 0;
}

void lab_crew_end(struct lab_crew *c)
{
    for (uint32_t i = 0; i < c->count; i++) {
        lab_trial_end(&c->workers[i].trial);
        free(c->workers[i].genes);
        free(c->workers[i].best);
    }
    free(c->workers);
}

bool lab_crew_stopped(const struct lab_crew *c)
{
    return c->quest->stop &&
           atomic_load_explicit(c->quest->stop, memory_order_relaxed);
}

uint64_t lab_crew_runs(const struct lab_crew *c)
{
    uint64_t runs = 0;

    for (uint32_t i = 0; i < c->count; i++)
        runs += atomic_load_explicit(&c->workers[i].runs, memory_order_relaxed);
    return runs;
}

bool lab_worker_run(struct lab_worker *w, const uint64_t *genes, int64_t *score)
{
    enum sim_status status;

    if (lab_crew_stopped(w->crew) ||
        atomic_load_explicit(&w->crew->failed, memory_order_relaxed))
        return false;
    status = lab_trial_run(&w->trial, genes, score);
    if (status == SIM_NO_MEMORY)
        atomic_store_explicit(&w->crew->failed, true, memory_order_relaxed);
    atomic_store_explicit(&w->runs, w->trial.runs, memory_order_relaxed);
    atomic_store_explicit(&w->events, w->trial.events, memory_order_relaxed);
    return status == SIM_OK;
}

static bool do_task(void *whom, uint32_t member, uint64_t number)
{
    struct lab_crew *c = whom;

    return c->task(&c->workers[member], c->whom, number);
}

static void tell(const struct lab_crew *c)
{
    struct sim_batch_progress p = {
        .runs_done = lab_crew_runs(c),
        .runs = c->runs,
        .seconds = net_seconds() - c->began,
    };

    for (uint32_t i = 0; i < c->count; i++)
        p.events +=
            atomic_load_explicit(&c->workers[i].events, memory_order_relaxed);
    if (p.runs < p.runs_done)
        p.runs = p.runs_done;
    c->quest->tell(c->quest->whom, &p);
}

/* Passes on progress and the request to stop, which a long run looks for now
 * and then. */
static void look(void *whom, double seconds)
{
    struct lab_crew *c = whom;

    (void)seconds; /* of these tasks alone */
    if (lab_crew_stopped(c))
        for (uint32_t i = 0; i < c->count; i++)
            atomic_store_explicit(&c->workers[i].trial.progress.stop, true,
                                  memory_order_relaxed);
    if (c->quest->tell)
        tell(c);
}

int lab_crew_do(struct lab_crew *c,
                bool (*task)(struct lab_worker *w, void *whom, uint64_t number),
                void *whom, uint64_t count)
{
    const struct net_crew crew = {
        .members = c->count,
        .tasks = count,
        .task = do_task,
        .look = look,
        .whom = c,
    };

    c->task = task;
    c->whom = whom;
    return net_crew_run(&crew, NULL) || !count ? 0 : -1;
}
