/*
 * batch.c - see batch.h.
 */
#include "sim/batch.h"

#include <pthread.h>
#include <stdlib.h>

#include "net/crew.h"
#include "net/sane.h"
#include "trace/write.h"

/* What a member of the crew has of its own. */
struct worker {
    struct sim_progress progress;
    struct net_memory memory;
    struct sim_records records;
    struct sim_setup setup;
    struct sim_job job;
    struct trace_listener *hashing;
    void *desk;
    struct sim_summary summary;
};

struct shared {
    const struct sim_batch *batch;
    struct worker *workers;
    uint32_t count;
    atomic_uint_fast64_t done;   /* runs completed; relaxed: to look at */
    atomic_uint_fast64_t events; /* of completed runs; relaxed, too */
    /* Records are handed in one run after the other: */
    pthread_mutex_t desks; /* of these */
    pthread_cond_t turned;
    uint64_t turn; /* the run that is next */
    bool gap;      /* it will never come */
};

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

/* The records of a run: a thread that is faster waits for its turn. */
static bool record(struct shared *sh, struct worker *w, uint64_t run)
{
    const struct sim_recorder *to = sh->batch->recorder;
    bool fine = to->take(w->desk, run, &w->records);

    w->summary.no_memory |= !fine;
    pthread_mutex_lock(&sh->desks);
    while (fine && !sh->gap && sh->turn != run)
        pthread_cond_wait(&sh->turned, &sh->desks);
    fine = fine && !sh->gap && to->hand_in(w->desk);
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

static bool run_one(void *whom, uint32_t member, uint64_t run)
{
    struct shared *sh = whom;
    struct worker *w = &sh->workers[member];
    const struct sim_batch *b = sh->batch;
    struct sim_result result;
    struct sim_case one;
    enum sim_status status;

    w->job.seed = sim_batch_seed(b, run);
    if (b->cases) {
        sim_case_find(&one, b->cases, run / b->cases->runs);
        sim_case_use(&one, b->cases, &w->setup);
    }
    status = sim_run(&w->setup, &w->job, &result);
    if (status == SIM_NO_MEMORY)
        w->summary.no_memory = true;
    if (status != SIM_OK) {
        leave_gap(sh);
        return false;
    }
    sim_tally_end_run(&w->summary.tally, run);
    sim_summary_add(&w->summary, &result, run);
    atomic_store_explicit(&w->progress.events, 0, memory_order_relaxed);
    atomic_fetch_add_explicit(&sh->events, result.events, memory_order_relaxed);
    atomic_fetch_add_explicit(&sh->done, 1, memory_order_relaxed);
    return !w->desk || record(sh, w, run);
}

/* False: no memory.  To be ended in either case. */
static bool begin_worker(struct worker *w, const struct sim_batch *b)
{
    w->setup = *b->setup;
    w->desk = b->recorder ? b->recorder->begin(b->recorder->whom) : NULL;
    w->hashing = b->hash && !b->trace ? trace_writer_new(NULL) : NULL;
    w->job = (struct sim_job){
        .memory = &w->memory,
        .progress = &w->progress,
        .tally = &w->summary.tally,
        .records = b->recorder ? &w->records : NULL,
        .trace = b->trace ? b->trace : w->hashing,
    };
    return (w->desk || !b->recorder) && (w->job.trace || !b->hash);
}

static void end_worker(struct worker *w, const struct sim_batch *b)
{
    if (w->desk)
        b->recorder->end(w->desk);
    sim_records_free(&w->records);
    trace_writer_free(w->hashing);
    net_memory_free(&w->memory);
}

uint64_t sim_batch_seed(const struct sim_batch *b, uint64_t run)
{
    return b->seed + (b->cases ? run % b->cases->runs : run);
}

/* ---- The batch ----------------------------------------------------------- */

static void tell(struct shared *sh, double seconds)
{
    const struct sim_batch *b = sh->batch;
    struct sim_batch_progress p = {
        .runs_done = atomic_load_explicit(&sh->done, memory_order_relaxed),
        .runs = b->runs,
        .events = atomic_load_explicit(&sh->events, memory_order_relaxed),
        .seconds = seconds,
    };

    for (uint32_t i = 0; i < sh->count; i++) {
        struct sim_progress *w = &sh->workers[i].progress;

        p.events += atomic_load_explicit(&w->events, memory_order_relaxed);
        p.tick = atomic_load_explicit(&w->tick, memory_order_relaxed);
        p.messages = atomic_load_explicit(&w->messages, memory_order_relaxed);
    }
    b->tell(b->whom, &p);
}

/* Passes on progress, and the request to stop to runs in progress. */
static void look(void *whom, double seconds)
{
    struct shared *sh = whom;
    const struct sim_batch *b = sh->batch;

    if (b->stop && atomic_load_explicit(b->stop, memory_order_relaxed))
        for (uint32_t i = 0; i < sh->count; i++)
            atomic_store_explicit(&sh->workers[i].progress.stop, true,
                                  memory_order_relaxed);
    if (b->tell)
        tell(sh, seconds);
}

int sim_batch(const struct sim_batch *batch, struct sim_summary *summary)
{
    struct shared shared = {
        .batch = batch,
        .desks = PTHREAD_MUTEX_INITIALIZER,
        .turned = PTHREAD_COND_INITIALIZER,
    };
    struct net_crew crew = {
        .members =
            batch->threads < SIM_THREADS_MAX ? batch->threads : SIM_THREADS_MAX,
        .tasks = batch->runs,
        .task = run_one,
        .look = look,
        .whom = &shared,
        .stop = batch->stop,
    };
    double cpu_seconds = 0;
    bool fine = true, some = true;

    *summary = (struct sim_summary){0};
    if (crew.members > crew.tasks)
        crew.members = (uint32_t)crew.tasks;
    shared.workers = calloc(crew.members, sizeof *shared.workers);
    if (!shared.workers)
        return -1;
    while (fine && shared.count < crew.members)
        fine = begin_worker(&shared.workers[shared.count++], batch);
    summary->no_memory = !fine;
    if (fine)
        some = net_crew_run(&crew, &cpu_seconds) > 0;
    for (uint32_t i = 0; i < shared.count; i++) {
        merge(summary, &shared.workers[i].summary);
        end_worker(&shared.workers[i], batch);
    }
    free(shared.workers);
    summary->cpu_ns = (uint64_t)(cpu_seconds * 1e9);
    summary->stopped = net_crew_stopped(&crew);
    if (some && !summary->stopped && !summary->no_memory)
        NET_ASSERT_SANE("the summary", sim_summary_sane(summary));
    return some ? 0 : -1;
}
