/*
 * batch.c - see batch.h.
 */
#include "sim/batch.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "net/await.h"
#include "net/sane.h"
#include "trace/write.h"

struct worker {
    struct shared *shared;
    pthread_t thread;
    struct sim_progress progress;
    struct sim_summary summary;
};

struct shared {
    const struct sim_batch *batch;
    atomic_uint_fast64_t next;   /* next run; relaxed: only a ticket */
    atomic_uint_fast64_t done;   /* runs completed; relaxed: to look at */
    atomic_uint_fast64_t events; /* of completed runs; likewise */
    pthread_mutex_t lock;        /* of `working` */
    pthread_cond_t changed;
    uint32_t working;
    /* Records are handed in one run after the other: */
    pthread_mutex_t desks; /* of these */
    pthread_cond_t turned;
    uint64_t turn; /* the run that is next */
    bool gap;      /* it will never come */
};

static uint64_t nanoseconds(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- Summaries ----------------------------------------------------------- */

static void count_leader(struct sim_summary *s, fc_name leader, bool vary)
{
    if (s->runs == 0) {
        s->leader = leader;
        s->leaders_vary = vary;
        return;
    }
    if (s->leader != leader || vary)
        s->leaders_vary = true;
    if (s->leaders_vary)
        s->leader = FC_NOBODY;
}

#define ADD_STAT(field) sim_stat_add_run(&s->field, r->field, run)
#define ADD_MESSAGES    ADD_STAT
#define ADD_GOAL(field)                                                        \
    if (r->field != FC_NEVER)                                                  \
    ADD_STAT(field)
#define ADD_SUM(field) s->field += r->field
#define ADD_MOST(field)                                                        \
    if (r->field > s->field)                                                   \
    s->field = r->field
#define ADD(kind, field, ...) ADD_##kind(field);

void sim_summary_add(struct sim_summary *s, const struct sim_result *r,
                     uint64_t run)
{
    count_leader(s, r->leader, false);
    s->lockstep = (s->runs == 0 || s->lockstep) && r->lockstep;
    s->runs++;
    s->ok += r->broken == 0;
    s->violated += r->broken != 0;
    s->cut += r->cut;
    s->coins |= r->coins;
    for (uint32_t i = 0; i < SIM_PROPERTIES_MAX; i++) {
        if (!(r->broken & 1u << i))
            continue;
        if (!s->broken_runs[i]++)
            s->broken_run[i] = run;
    }
    SIM_QUANTITIES(ADD)
    for (uint32_t k = 0; k < FC_KINDS_MAX; k++)
        sim_stat_add_run(&s->by_kind[k], r->by_kind[k], run);
    /* A sum: it matters which run has which hash, but not which finishes first.
     * A single run keeps its own hash. */
    s->hash += r->hash * (2 * run + 1);
}

#define MERGE_STAT(field) sim_stat_merge(&s->field, &o->field)
#define MERGE_MESSAGES    MERGE_STAT
#define MERGE_GOAL        MERGE_STAT
#define MERGE_SUM(field)  s->field += o->field
#define MERGE_MOST(field)                                                      \
    if (o->field > s->field)                                                   \
    s->field = o->field
#define MERGE(kind, field, ...) MERGE_##kind(field);

static void merge(struct sim_summary *s, const struct sim_summary *o)
{
    s->cpu_ns += o->cpu_ns;
    s->no_memory |= o->no_memory;
    if (o->runs == 0)
        return;
    count_leader(s, o->leader, o->leaders_vary);
    s->lockstep = (s->runs == 0 || s->lockstep) && o->lockstep;
    s->runs += o->runs;
    s->ok += o->ok;
    s->violated += o->violated;
    s->cut += o->cut;
    s->coins |= o->coins;
    for (uint32_t i = 0; i < SIM_PROPERTIES_MAX; i++) {
        if (!o->broken_runs[i])
            continue;
        if (!s->broken_runs[i] || o->broken_run[i] < s->broken_run[i])
            s->broken_run[i] = o->broken_run[i];
        s->broken_runs[i] += o->broken_runs[i];
    }
    SIM_QUANTITIES(MERGE)
    for (uint32_t k = 0; k < FC_KINDS_MAX; k++)
        sim_stat_merge(&s->by_kind[k], &o->by_kind[k]);
    sim_tally_merge(&s->tally, &o->tally);
    s->hash += o->hash;
}

/* Of a number that each run has one of, or at most one. */
static const char *sane_stat(const struct sim_summary *s,
                             const struct sim_stat *stat, bool each)
{
    if (each && stat->count != s->runs)
        return "every run is counted once";
    if (stat->count > s->runs)
        return "no more runs reach their goal than there are";
    return sim_stat_sane(stat);
}

#define SANE_STAT(field) sane_stat(s, &s->field, true)
#define SANE_MESSAGES    SANE_STAT
#define SANE_GOAL(field) sane_stat(s, &s->field, false)
#define SANE_SUM(field)  NULL
#define SANE_MOST(field) NULL
#define SANE(kind, field, ...)                                                 \
    if (!broken)                                                               \
        broken = SANE_##kind(field);

static const char *sane_stats(const struct sim_summary *s)
{
    const char *broken = NULL;
    sim_wide by_kind = 0;

    SIM_QUANTITIES(SANE)
    for (uint32_t k = 0; k < FC_KINDS_MAX; k++)
        by_kind += s->by_kind[k].sum;
    if (!broken && by_kind != s->messages.sum + s->frames.sum)
        broken = "every message is of one kind";
    return broken;
}

const char *sim_summary_sane(const struct sim_summary *s)
{
    uint64_t broken = 0;

    if (s->ok + s->violated != s->runs || s->cut > s->runs)
        return "a run is well, or violates something";
    for (uint32_t i = 0; i < SIM_PROPERTIES_MAX; i++) {
        if (s->broken_runs[i] > s->violated)
            return "a run that breaks a property violates something";
        broken += s->broken_runs[i];
    }
    if (broken < s->violated)
        return "a run that violates something breaks a property";
    if (sane_stats(s))
        return sane_stats(s);
    if (s->tally.messages.sum + s->tally.unbilled > s->messages.sum)
        return "a message is on one bill at most";
    return sim_tally_sane(&s->tally);
}

#define BY_COST(kind, field, key, label, of, ...)                              \
    if ((int)cost == (of))                                                     \
        return &s->field;

const struct sim_stat *sim_summary_cost(const struct sim_summary *s,
                                        enum fc_cost cost)
{
    SIM_COSTS(BY_COST)
    SIM_TIMES(BY_COST)
    return cost == FC_COST_PER_ENTRY  ? &s->tally.messages
           : cost == FC_COST_REFUSALS ? &s->tally.refusals
           : cost == FC_COST_GRANTING ? &s->tally.granting.stat
                                      : &s->tally.attempts.stat;
}

/* ---- Workers ------------------------------------------------------------- */

static bool wished_to_stop(const struct sim_batch *b)
{
    return b->stop && atomic_load_explicit(b->stop, memory_order_relaxed);
}

/* The records of a run: a thread that is faster waits for its turn. */
static bool record(struct worker *w, void *desk, uint64_t run,
                   const struct sim_records *records)
{
    struct shared *sh = w->shared;
    const struct sim_recorder *to = sh->batch->recorder;
    bool fine = to->take(desk, run, records);

    w->summary.no_memory |= !fine;
    pthread_mutex_lock(&sh->desks);
    while (fine && !sh->gap && sh->turn != run)
        pthread_cond_wait(&sh->turned, &sh->desks);
    fine = fine && !sh->gap && to->hand_in(desk);
    sh->turn = run + 1;
    sh->gap |= !fine;
    pthread_cond_broadcast(&sh->turned);
    pthread_mutex_unlock(&sh->desks);
    return fine;
}

/* A run that was begun is not there: nobody waits for its turn. */
static void leave_gap(struct shared *sh)
{
    pthread_mutex_lock(&sh->desks);
    sh->gap = true;
    pthread_cond_broadcast(&sh->turned);
    pthread_mutex_unlock(&sh->desks);
}

static void run_them(struct worker *w, struct sim_job *job, void *desk)
{
    struct shared *sh = w->shared;
    const struct sim_batch *b = sh->batch;
    struct sim_setup setup = *b->setup;
    struct sim_case one;

    while (!wished_to_stop(b)) {
        uint64_t run =
            atomic_fetch_add_explicit(&sh->next, 1, memory_order_relaxed);
        struct sim_result result;
        enum sim_status status;

        if (run >= b->runs)
            return;
        job->seed = sim_batch_seed(b, run);
        if (b->cases) {
            sim_case_find(&one, b->cases, run / b->cases->runs);
            sim_case_use(&one, b->cases, &setup);
        }
        status = sim_run(&setup, job, &result);
        if (status == SIM_NO_MEMORY)
            w->summary.no_memory = true;
        if (status != SIM_OK) {
            leave_gap(sh);
            return;
        }
        sim_tally_end_run(&w->summary.tally, run);
        sim_summary_add(&w->summary, &result, run);
        atomic_store_explicit(&w->progress.events, 0, memory_order_relaxed);
        atomic_fetch_add_explicit(&sh->events, result.events,
                                  memory_order_relaxed);
        atomic_fetch_add_explicit(&sh->done, 1, memory_order_relaxed);
        if (desk && !record(w, desk, run, job->records))
            return;
    }
}

static void *work(void *argument)
{
    struct worker *w = argument;
    struct shared *sh = w->shared;
    struct net_memory memory = {0};
    struct sim_job job = {
        .memory = &memory,
        .progress = &w->progress,
        .tally = &w->summary.tally,
    };
    const struct sim_recorder *recorder = sh->batch->recorder;
    struct sim_records records = {0};
    struct trace_listener *hashing = NULL;
    void *desk = recorder ? recorder->begin(recorder->whom) : NULL;

    job.records = recorder ? &records : NULL;
    job.trace = sh->batch->trace;
    if (sh->batch->hash && !job.trace)
        job.trace = hashing = trace_writer_new(NULL);
    if ((job.trace || !sh->batch->hash) && (desk || !recorder))
        run_them(w, &job, desk);
    else
        w->summary.no_memory = true;
    if (desk)
        recorder->end(desk);
    sim_records_free(&records);
    trace_writer_free(hashing);
    net_memory_free(&memory);
    w->summary.cpu_ns = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
    pthread_mutex_lock(&sh->lock);
    sh->working--;
    pthread_cond_signal(&sh->changed);
    pthread_mutex_unlock(&sh->lock);
    return NULL;
}

uint64_t sim_batch_seed(const struct sim_batch *b, uint64_t run)
{
    return b->seed + (b->cases ? run % b->cases->runs : run);
}

/* ---- The batch ----------------------------------------------------------- */

static void tell(struct shared *sh, struct worker *workers, uint32_t count,
                 uint64_t began)
{
    const struct sim_batch *b = sh->batch;
    struct sim_batch_progress p = {
        .runs_done = atomic_load_explicit(&sh->done, memory_order_relaxed),
        .runs = b->runs,
        .events = atomic_load_explicit(&sh->events, memory_order_relaxed),
        .seconds = (double)(nanoseconds(CLOCK_MONOTONIC) - began) / 1e9,
    };

    for (uint32_t i = 0; i < count; i++) {
        struct sim_progress *w = &workers[i].progress;

        p.events += atomic_load_explicit(&w->events, memory_order_relaxed);
        p.tick = atomic_load_explicit(&w->tick, memory_order_relaxed);
    }
    b->tell(b->whom, &p);
}

/* Waits until all workers are done; passes on progress and the request to
 * stop. */
static void wait_for(struct shared *sh, struct worker *workers, uint32_t count)
{
    const struct sim_batch *b = sh->batch;
    uint64_t began = nanoseconds(CLOCK_MONOTONIC);

    pthread_mutex_lock(&sh->lock);
    while (sh->working > 0) {
        net_await(&sh->changed, &sh->lock);
        if (wished_to_stop(b))
            for (uint32_t i = 0; i < count; i++)
                atomic_store_explicit(&workers[i].progress.stop, true,
                                      memory_order_relaxed);
        if (b->tell)
            tell(sh, workers, count, began);
    }
    pthread_mutex_unlock(&sh->lock);
}

int sim_batch(const struct sim_batch *batch, struct sim_summary *summary)
{
    struct worker *workers;
    struct shared shared = {
        .batch = batch,
        .lock = PTHREAD_MUTEX_INITIALIZER,
        .changed = PTHREAD_COND_INITIALIZER,
        .desks = PTHREAD_MUTEX_INITIALIZER,
        .turned = PTHREAD_COND_INITIALIZER,
    };
    uint32_t wanted = batch->threads, count = 0;

    *summary = (struct sim_summary){0};
    if (wanted > SIM_THREADS_MAX)
        wanted = SIM_THREADS_MAX;
    if (wanted > batch->runs)
        wanted = (uint32_t)batch->runs;
    workers = calloc(wanted, sizeof *workers);
    if (!workers)
        return -1;
    for (; count < wanted; count++) {
        struct worker *w = &workers[count];

        w->shared = &shared;
        pthread_mutex_lock(&shared.lock);
        shared.working++;
        pthread_mutex_unlock(&shared.lock);
        if (pthread_create(&w->thread, NULL, work, w) != 0) {
            pthread_mutex_lock(&shared.lock);
            shared.working--;
            pthread_mutex_unlock(&shared.lock);
            break;
        }
    }
    if (count == 0) {
        free(workers);
        return -1;
    }
    wait_for(&shared, workers, count);
    for (uint32_t i = 0; i < count; i++) {
        pthread_join(workers[i].thread, NULL);
        merge(summary, &workers[i].summary);
    }
    free(workers);
    summary->stopped = wished_to_stop(batch);
    if (!summary->stopped && !summary->no_memory)
        NET_ASSERT_SANE("the summary", sim_summary_sane(summary));
    return 0;
}
