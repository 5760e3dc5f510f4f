/*
 * engine.h - the general engine, typed by inclusion.
 *
 * Define P, include the protocol's .c file with FC_TYPED, then this file: it
 * gives engine_run().  Any clock, any delays, any order of messages, any
 * wake-ups, with or without a trace.
 *
 * A node acts at the ends of its steps.  A message that arrives when its
 * receiver is just at the end of a step, and has read nothing in it, is
 * handled at once; otherwise it waits in the receiver's inbox and the queue
 * holds one reminder for the node.  Timers are in the queue by the tick at
 * which they run off; one that was stopped or started anew is recognised by a
 * `due` that is not now, and skipped.
 *
 * The event queue is sim/wheel.h, or whatever SIM_QUEUE_HEADER names, with the
 * same functions.
 */
#include <assert.h>
#include <string.h>

#include "sim/clock.h"
#include "sim/fault.h"
#include "sim/site.h"
#include "sim/tally.h"
#include "sim/trace.h"
#include "sim/typed.h"

#define P_(name)      FC_PASTE(P, name)
#define PROBLEM(name) FC_PASTE(FC_PASTE(P, _problem), name)
#define TOPOLOGY      ((enum fc_topology)P_(_topology))
#define READS_ALL     (P_(_reads_all) != 0)
#define REPEATS       PROBLEM(_repeats)
#define COUNTS_TOKENS PROBLEM(_counts_tokens)
#define HAS_CELLS     PROBLEM(_has_cells)
/* Most protocols do not define these: then they are 0. */
#define CLOCKED P_(_clocked)
#define DURABLE P_(_durable)
#define GUARDED P_(_guarded)

/* Classes of events at one tick, in their order. */
enum {
    CLASS_FAULT,
    CLASS_COMMAND,
    CLASS_ARRIVAL,
    CLASS_STEP,
    CLASS_TIMER,
    CLASSES
};

struct run_record {
    uint32_t node;
    uint32_t tag; /* of the message (see run_tag_of), or the timer */
    struct P_(_msg) msg;
};

#define WHEEL_RECORD  struct run_record
#define WHEEL_CLASSES CLASSES
#define WHEEL(name)   FC_PASTE(queue_, name)
#ifdef SIM_QUEUE_HEADER
#include SIM_QUEUE_HEADER
#else
#include "sim/wheel.h"
#endif
#undef WHEEL_RECORD
#undef WHEEL_CLASSES
#undef WHEEL

/* The clocks of a node: its timers, and that of its application, if that has
 * work to do. */
enum {
    TIMERS = P_(_timers) > 0 ? P_(_timers) : 1,
    WORK = TIMERS,
    CLOCKS = TIMERS + REPEATS,
};
#define NO_MAIL UINT32_MAX

/* How many events ahead memory is fetched. */
enum { FETCH_FAR = 16, FETCH_NEAR = 6 };

/* A message that waits for its receiver's step. */
struct run_mail {
    struct P_(_msg) msg;
    uint32_t tag;
    uint32_t next; /* in the inbox, or in the list of free ones */
};

struct run_node {
    struct P state;
    uint64_t due[CLOCKS];  /* tick at which it runs off, or never */
    uint64_t anchor;       /* the end of some step... */
    uint64_t step_ticks;   /* ...and the length of those that follow it */
    uint64_t last_arrival; /* of messages on its only link, in a FC_RING */
    uint64_t used;         /* 1 + tick of the last step that took an input */
    uint32_t acted, sent, chosen; /* counters of its random streams */
    uint32_t first, last;         /* of its inbox, or NO_MAIL */
    uint32_t waiting;             /* how many are in it */
    uint64_t reads_at;            /* tick of the reminder that counts */
    bool down, apart;             /* crashed; beyond a partition */
#if CLOCKED
    uint64_t clock, clock_tick; /* own steps at some tick */
#endif
#if DURABLE
    struct P_(_record) record; /* as last saved */
#endif
#if GUARDED
    struct PROBLEM(_view) effective; /* what the watch knows of it */
    uint64_t stop_at;                /* tick at which it is stopped */
#endif
};

#if HAS_CELLS
/* Memory that all share. */
struct run_memory {
    uint32_t *cells;
    uint32_t count;
    uint32_t loads;  /* the cell that the node which acts wants to see... */
    bool loading;    /* ...if it does */
    bool writes;     /* whoever last stored goes on in its next step */
    uint32_t writer; /* who that is */
};
#endif

struct run {
    const struct sim_setup *setup;
    const struct P_(_params) *params;
    const struct sim_job *job;
    struct sim_trace *trace;
    struct queue_wheel *queue;
    struct run_node *nodes;
    uint32_t nodes_count;
    struct run_mail *mail;
    uint32_t mail_count, mail_room, mail_free;
    uint64_t now, until;
    uint64_t last; /* tick of the last event */
    uint64_t sent; /* messages so far: ids for the trace */
    struct sim_names names;
    struct sim_clocks clocks;
    struct sim_graph graph;
    uint64_t *links; /* last arrival by link, where there are many */
    uint16_t *ports; /* by which link a message comes, if traced */
    uint64_t ports_room;
    uint64_t choice_key, fault_key;
    const struct sim_fault *faults;
    bool faulty; /* something may go wrong */
    struct PROBLEM(_watch) watch;
    int64_t tokens; /* under way */
#if REPEATS
    struct run_client *clients; /* the applications, one a node */
    uint64_t work_key, entries, left_at;
    uint64_t last_fault; /* tick */
    uint32_t at_work;    /* applications with entries to make */
    bool restless;       /* the run is over when there are none */
#endif
#if HAS_CELLS
    struct run_memory shared;
#endif
    struct sim_result *result;
    bool failed;
};

/* The first end of a step at or after tick t. */
static inline uint64_t run_step_end(const struct run_node *n, uint64_t t)
{
    uint64_t behind;

    if (t <= n->anchor)
        return n->anchor;
    if (n->step_ticks == 1)
        return t;
    behind = (t - n->anchor) % n->step_ticks;
    return behind ? t + n->step_ticks - behind : t;
}

static inline void run_schedule(struct run *r, uint64_t at, uint32_t rank,
                                uint32_t node, uint32_t tag)
{
    if (at <= r->until)
        queue_put(r->queue, at, rank,
                  (struct run_record){.node = node, .tag = tag});
    else if (rank != CLASS_TIMER) /* those are looked for at the end */
        r->result->cut = true;
}

/* Puts a clock of a node in the queue, by its `due`. */
static inline void run_schedule_clock(struct run *r, uint32_t node,
                                      uint32_t clock)
{
    run_schedule(r, r->nodes[node].due[clock],
                 clock == WORK ? CLASS_COMMAND : CLASS_TIMER, node, clock);
}

#if CLOCKED
#include "sim/engine_clock.h"
#endif
#if REPEATS
static void run_account(struct run *r, uint32_t from, uint32_t to,
                        uint32_t kind);
#endif
#include "sim/engine_links.h"
#include "sim/engine_watch.h"
#if REPEATS
#include "sim/engine_work.h"
#endif

#if HAS_CELLS
static uint32_t run_act_once(struct run *r, uint32_t node,
                             const struct P_(_in) *in, uint32_t *choose);
#include "sim/engine_memory.h"
#endif

/* ---- Effects ------------------------------------------------------------- */

static inline void run_set_timers(struct run *r, uint32_t node,
                                  const struct fc_effects *fx)
{
    struct run_node *n = &r->nodes[node];

    for (uint32_t t = 0; t < TIMERS; t++) {
        if (fx->arm & 1u << t) {
            uint64_t wait = fc_times(fx->steps[t], n->step_ticks);

            n->due[t] = fc_add(r->now, wait);
            run_schedule_clock(r, node, t);
            if (r->trace)
                sim_trace_arm(r->trace, t, fx->steps[t]);
        } else if (fx->disarm & 1u << t) {
            if (r->trace && n->due[t] != FC_NEVER)
                sim_trace_stop(r->trace, t);
            n->due[t] = FC_NEVER;
        }
    }
}

/* One event at one node, and what it wants done.  Returns its notes. */
static inline uint32_t run_act_once(struct run *r, uint32_t node,
                                    const struct P_(_in) *in, uint32_t *choose)
{
    struct run_node *n = &r->nodes[node];
    struct sim_place place = {r->setup, &r->names, &r->graph, node};
    struct P_(_site) me;
    struct run_past past;
    struct P_(_out) out;
#if CLOCKED
    struct P_(_in) timed;
#endif

    sim_fill_site(&me, &place);
    run_remember(&past, &n->state, &me);
    memset(&out.fx, 0, offsetof(struct fc_effects, steps));
#if CLOCKED
    in = run_with_clock(r, node, in, &timed);
#endif
    P_(_step)(&n->state, r->params, &me, in, &out);
#if DURABLE
    if (out.fx.save)
        memcpy(&n->record, &n->state, sizeof n->record);
#endif
    run_send_all(r, node, &out);
#if HAS_CELLS
    run_take_access(r, node, &out.fx);
#endif
    run_set_timers(r, node, &out.fx);
    if (r->trace && out.fx.notes)
        sim_trace_notes(r->trace, out.fx.notes);
    if (out.fx.notes & FC_NOTE_STARTED)
        PROBLEM(_started)(&r->watch, run_id_of(r, node));
    if (out.fx.notes & FC_NOTE_VIEW)
        run_look(r, node, &past, &me);
#ifdef SIM_PARANOID
    else
        run_assert_same_view(&past, &n->state, &me);
#endif
    *choose = out.fx.choose;
    return out.fx.notes;
}

/* One event, and the choices it leads to, which are part of it. */
static inline uint32_t run_act(struct run *r, uint32_t node,
                               const struct P_(_in) *in)
{
    struct run_node *n = &r->nodes[node];
    uint32_t choose, notes = run_act_once(r, node, in, &choose);

    r->result->events++;
    r->last = r->now;
#if HAS_CELLS
    notes |= run_use_memory(r, node, &choose);
#endif
    while (choose) {
        uint64_t draw = sim_draw(r->choice_key, node, n->chosen++);
        uint32_t value = (uint32_t)sim_below(draw, choose);
        struct P_(_in) chosen = {.event = {.kind = FC_CHOICE, .value = value}};

        if (r->trace)
            sim_trace_choice(r->trace, value, choose);
        notes |= run_act_once(r, node, &chosen, &choose);
#if HAS_CELLS
        notes |= run_use_memory(r, node, &choose);
#endif
    }
#if COUNTS_TOKENS
    PROBLEM(_flying)(&r->watch, r->tokens, r->now);
#endif
#if REPEATS
    if (notes & FC_NOTE_VIEW)
        run_follow(r, node);
#endif
    return notes;
}

/* ---- Steps --------------------------------------------------------------- */

/* A node is about to act at the end of a step: with a drifting clock its next
 * steps get a new length, and its timers a new tick. */
static inline void run_begin_step(struct run *r, uint32_t node)
{
    struct run_node *n = &r->nodes[node];
    uint64_t old = n->step_ticks;

    if (!r->clocks.drifts || n->anchor == r->now)
        return;
#if CLOCKED
    run_fold_clock(r, node);
#endif
    n->step_ticks = sim_step_ticks(&r->clocks, node, ++n->acted);
    for (uint32_t t = 0; t < CLOCKS; t++) {
        if (n->due[t] == FC_NEVER || n->due[t] == r->now)
            continue;
        uint64_t left = (n->due[t] - r->now + old - 1) / old;

        n->due[t] = fc_add(r->now, fc_times(left, n->step_ticks));
        run_schedule_clock(r, node, t);
    }
    n->anchor = r->now;
#if GUARDED
    run_set_guard(r, node);
    /* A clock that has become quicker may show the deadline by this. */
    if (n->stop_at && n->stop_at <= r->now) {
        n->stop_at = r->now;
        run_on_guard(r, node);
    }
#endif
}

#include "sim/engine_inbox.h"

static inline void run_on_timer(struct run *r, uint32_t node, uint32_t timer)
{
    struct run_node *n = &r->nodes[node];
    struct P_(_in) in = {
        .event = {.kind = FC_TIMEOUT, .timer = (uint8_t)timer}};

    if (n->due[timer] != r->now)
        return; /* stopped, or started anew */
    run_begin_step(r, node);
    n->due[timer] = FC_NEVER;
    if (r->trace)
        sim_trace_timeout(r->trace, r->now, node, timer);
    run_act(r, node, &in);
}

#include "sim/engine_commands.h"
#include "sim/engine_faults.h"

/* ---- A run --------------------------------------------------------------- */

static bool run_begin_nodes(struct run *r)
{
    r->nodes = sim_memory_zero(r->job->memory, SIM_BUFFER_NODES,
                               r->nodes_count * sizeof *r->nodes);
    if (!r->nodes)
        return false;
    for (uint32_t i = 0; i < r->nodes_count; i++) {
        struct run_node *n = &r->nodes[i];

        n->step_ticks = sim_step_ticks(&r->clocks, i, 0);
        n->anchor = sim_phase(&r->clocks, i, n->step_ticks);
        n->first = n->last = NO_MAIL;
        for (uint32_t t = 0; t < CLOCKS; t++)
            n->due[t] = FC_NEVER;
        if (r->trace)
            sim_trace_step(r->trace, i, n->step_ticks, n->anchor);
    }
    return true;
}

static bool run_begin(struct run *r, const struct sim_setup *setup,
                      const struct sim_job *job, struct sim_result *result)
{
    *r = (struct run){
        .setup = setup,
        .params = setup->params,
        .job = job,
        .trace = job->trace,
        .nodes_count = setup->world.nodes,
        .mail_free = NO_MAIL,
        .until = sim_last_tick(setup),
        .result = result,
    };
    if (sim_names_begin(&r->names, setup, job->seed, true, job->memory) != 0)
        return false;
    sim_clocks_begin(&r->clocks, setup, &r->names, job->seed);
    r->choice_key = sim_key(job->seed, SIM_STREAM_CHOICE);
    if (!run_begin_links(r))
        return false;
    r->queue = queue_open(job->memory, SIM_BUFFER_QUEUE);
    if (!r->queue)
        return false;
    if (r->trace)
        sim_trace_begin(r->trace, setup, &r->names, job->seed);
    PROBLEM(_begin)
    (&r->watch, setup->type->protocol, setup->params, &setup->world);
    if (!run_begin_nodes(r))
        return false;
#if REPEATS
    if (!run_begin_clients(r))
        return false;
#endif
#if HAS_CELLS
    if (!run_begin_memory(r))
        return false;
#endif
    if (r->trace)
        sim_trace_body(r->trace);
    run_begin_faults(r);
#if CLOCKED
    run_begin_clocks(r);
#endif
    run_begin_wakes(r);
    return !r->failed;
}

/* Tells how far it is and asks whether to go on, every few thousand events. */
static inline bool run_report(struct run *r, uint64_t *next)
{
    struct sim_progress *p = r->job->progress;

    *next = r->result->events + (1u << 14);
    if (!p)
        return true;
    atomic_store_explicit(&p->events, r->result->events, memory_order_relaxed);
    atomic_store_explicit(&p->tick, r->now, memory_order_relaxed);
    return !atomic_load_explicit(&p->stop, memory_order_relaxed);
}

/* Fetches from memory what the events after this one will need, as far as the
 * queue knows them: the node, and nearer to its turn the message it reads.
 * Inlined always, or the compiler finds that it does nothing and drops it. */
static inline __attribute__((always_inline)) void
run_fetch_ahead(const struct run *r, uint32_t rank)
{
    const struct run_record *far = queue_peek(r->queue, FETCH_FAR);
    const struct run_record *near = queue_peek(r->queue, FETCH_NEAR);

    if (far) {
        __builtin_prefetch(&r->nodes[far->node], 1);
        __builtin_prefetch((const char *)(&r->nodes[far->node] + 1) - 1, 1);
    }
    if (rank == CLASS_STEP && near && r->nodes[near->node].first != NO_MAIL)
        __builtin_prefetch(&r->mail[r->nodes[near->node].first]);
}

static bool run_handle_all(struct run *r)
{
    struct run_record rec;
    uint32_t rank;
    uint64_t next_report = 0;

    while (!run_work_is_done(r) && queue_pop(r->queue, &r->now, &rank, &rec)) {
        run_fetch_ahead(r, rank);
        switch (rank) {
        case CLASS_FAULT:
#if GUARDED
            if (rec.tag == GUARD) {
                run_on_guard(r, rec.node);
                break;
            }
#endif
            run_on_fault(r, &r->faults[rec.tag]);
            break;
        case CLASS_COMMAND:
            run_on_command(r, rec.node, rec.tag);
            break;
        case CLASS_ARRIVAL:
            run_on_arrival(r, &rec);
            break;
        case CLASS_STEP:
            run_on_step(r, rec.node);
            break;
        default:
            run_on_timer(r, rec.node, rec.tag);
            break;
        }
        if (r->result->events >= next_report && !run_report(r, &next_report))
            return false;
    }
    return true;
}

/* Whether some timer would still run off, had the run gone on. */
static bool run_timer_left(const struct run *r)
{
    for (uint32_t i = 0; i < r->nodes_count; i++)
        for (uint32_t t = 0; t < CLOCKS; t++)
            if (r->nodes[i].due[t] != FC_NEVER)
                return true;
    return false;
}

static enum sim_status engine_run(const struct sim_setup *setup,
                                  const struct sim_job *job,
                                  struct sim_result *result)
{
    struct run run, *r = &run;
    uint32_t earlier; /* properties that events broke */
    bool quiet;

    *result = (struct sim_result){.seed = job->seed};
    if (!run_begin(r, setup, job, result))
        return SIM_NO_MEMORY;
    if (!run_handle_all(r))
        return SIM_STOPPED;
    if (r->failed || r->queue->failed)
        return SIM_NO_MEMORY;
    result->cut |= !run_work_is_done(r) && run_timer_left(r);
    quiet = !result->cut;
    earlier = r->watch.broken;
    run_finish(setup, r, result);
    result->bytes = sim_memory_bytes(job->memory);
    if (r->trace)
        result->hash =
            sim_trace_end(r->trace, r->last, quiet, result->broken & ~earlier);
    return SIM_OK;
}
