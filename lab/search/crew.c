/*
 * crew.c - see crew.h.
 */
#include "lab/search/crew.h"

#include <stdlib.h>
#include <time.h>

#include "net/await.h"

static uint64_t now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

int lab_crew_begin(struct lab_crew *c, const struct lab_quest *q)
{
    uint32_t genes = q->space->genes;

    *c = (struct lab_crew){
        .quest = q,
        .began = now(),
        .runs = q->budget,
        .lock = PTHREAD_MUTEX_INITIALIZER,
        .changed = PTHREAD_COND_INITIALIZER,
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

static void *work(void *argument)
{
    struct lab_worker *w = argument;
    struct lab_crew *c = w->crew;
    uint64_t number;

    do
        number = atomic_fetch_add_explicit(&c->next, 1, memory_order_relaxed);
    while (number < c->tasks && c->task(w, c->whom, number));
    pthread_mutex_lock(&c->lock);
    c->working--;
    pthread_cond_signal(&c->changed);
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

static void tell(const struct lab_crew *c)
{
    struct sim_batch_progress p = {
        .runs_done = lab_crew_runs(c),
        .runs = c->runs,
        .seconds = (double)(now() - c->began) / 1e9,
    };

    for (uint32_t i = 0; i < c->count; i++)
        p.events +=
            atomic_load_explicit(&c->workers[i].events, memory_order_relaxed);
    if (p.runs < p.runs_done)
        p.runs = p.runs_done;
    c->quest->tell(c->quest->whom, &p);
}

/* Waits until all are done; passes on progress and the request to stop, which a
 * long run looks for now and then. */
static void wait_for(struct lab_crew *c, uint32_t started)
{
    pthread_mutex_lock(&c->lock);
    while (c->working > 0) {
        net_await(&c->changed, &c->lock);
        if (lab_crew_stopped(c))
            for (uint32_t i = 0; i < started; i++)
                atomic_store_explicit(&c->workers[i].trial.progress.stop, true,
                                      memory_order_relaxed);
        if (c->quest->tell)
            tell(c);
    }
    pthread_mutex_unlock(&c->lock);
}

int lab_crew_do(struct lab_crew *c,
                bool (*task)(struct lab_worker *w, void *whom, uint64_t number),
                void *whom, uint64_t count)
{
    uint32_t started = 0;

    c->task = task;
    c->whom = whom;
    c->tasks = count;
    atomic_store_explicit(&c->next, 0, memory_order_relaxed);
    for (; started < c->count && started < count; started++) {
        struct lab_worker *w = &c->workers[started];

        pthread_mutex_lock(&c->lock);
        c->working++;
        pthread_mutex_unlock(&c->lock);
        if (pthread_create(&w->thread, NULL, work, w) != 0) {
            pthread_mutex_lock(&c->lock);
            c->working--;
            pthread_mutex_unlock(&c->lock);
            break;
        }
    }
    wait_for(c, started);
    for (uint32_t i = 0; i < started; i++)
        pthread_join(c->workers[i].thread, NULL);
    return started || !count ? 0 : -1;
}
