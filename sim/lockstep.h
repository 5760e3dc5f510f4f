/*
 * lockstep.h - the engine for synchronous rings, typed by inclusion.
 *
 * When every step lasts one tick and every message is read one tick after it
 * was sent, nothing need be queued: a node has at most one message to read, and
 * the ring is an array.  If many nodes have a message, they are in inbox[],
 * which is swept from the last node to the first: node v reads its own and
 * writes into that of v+1, which was emptied before.  If few have one, they
 * stand in a list, which is read and written in one go.  Timers: those for the
 * next tick likewise, the others in a timing wheel.
 *
 * It takes runs in which no node sends more than one message in a tick, all
 * start at tick 0, and nobody watches the order of events within a tick.  The
 * general engine gives the same result; a test compares them.
 *
 * Memory, per node: the state, 4 bytes of inbox, 4 of deadline if the protocol
 * has a timer, and less than 2 for lists.
 */
#include "sim/engine.h"

#define WHEEL_RECORD  uint32_t
#define WHEEL_CLASSES 1
#define WHEEL(name)   FC_PASTE(alarm_, name)
#include "sim/wheel.h"
#undef WHEEL_RECORD
#undef WHEEL_CLASSES
#undef WHEEL

/* The list holds up to an eighth of the nodes; above that a sweep is cheaper.
 * A sweep takes so many inboxes at a time.  What letters so far ahead need is
 * fetched from memory. */
enum { DENSE_SHIFT = 3, SWEEP_NODES = 256, FETCH_AHEAD = 16 };

enum { DUE_NONE = 0, DUE_LATE = 1, DUE_FIRST = 2 };

struct ring_letter {
    uint32_t to;
    struct P_(_msg) msg;
};

/* Timers that run off at the next tick. */
struct ring_soon {
    uint32_t *node;
    uint32_t count;
    bool dense; /* there are more: look at every deadline */
};

struct ring {
    const struct sim_setup *setup;
    const struct P_(_params) *params;
    const struct sim_job *job;
    struct sim_result *result;
    struct P *state;
    struct P_(_msg) *inbox; /* one more: to node 0, while others are read */
    struct ring_letter *list;
    uint32_t list_max;
    uint32_t sent; /* messages to be read at the next tick */
    bool dense;    /* they are in inbox[], not in the list */
    uint32_t nodes;
    uint32_t *due; /* DUE_FIRST + tick, or DUE_NONE, DUE_LATE */
    struct ring_soon soon, soon_next;
    uint32_t soon_max;
    struct alarm_wheel *alarms;
    uint64_t now, until;
    struct sim_names names;
    struct PROBLEM(_watch) watch;
    bool unfit;
};

/* ---- Messages ------------------------------------------------------------ */

/* Moves the list to the inboxes: it has become too long. */
static void ring_spill(struct ring *r)
{
    for (uint32_t i = 0; i < r->sent; i++)
        r->inbox[r->list[i].to] = r->list[i].msg;
    r->dense = true;
}

static inline void ring_count_message(struct sim_result *result,
                                      const struct P_(_msg) *m)
{
    result->by_kind[P_(_kind)(m)]++;
    result->paper_bits += P_(_paper_bits)(m);
    result->wire_bits += 8 * P_(_wire_bytes)(m);
}

/* Sends a message that is no answer to one read: those are in
 * ring_read_letters(). */
static inline void ring_post(struct ring *r, uint32_t from,
                             const struct P_(_msg) *m)
{
    uint32_t to = from + 1 == r->nodes ? 0 : from + 1;

    ring_count_message(r->result, m);
    if (r->dense) {
        assert(P_(_kind)(&r->inbox[to]) == 0);
        r->inbox[to] = *m;
        r->sent++;
    } else {
        r->list[r->sent] = (struct ring_letter){to, *m};
        if (++r->sent == r->list_max)
            ring_spill(r);
    }
}

/* ---- Timers -------------------------------------------------------------- */

static inline void ring_set_alarm(struct ring *r, uint32_t node, uint64_t steps)
{
    uint64_t at = fc_add(r->now, steps);

    if (at > r->until) {
        r->due[node] = at == FC_NEVER ? DUE_NONE : DUE_LATE;
        return;
    }
    r->due[node] = (uint32_t)at + DUE_FIRST;
    if (steps > 1) {
        alarm_put(r->alarms, at, 0, node);
    } else if (r->soon_next.count < r->soon_max) {
        r->soon_next.node[r->soon_next.count++] = node;
    } else {
        r->soon_next.dense = true;
    }
}

/* ---- Events -------------------------------------------------------------- */

static inline bool ring_is_zero(const struct P *state)
{
    static const struct P zero;

    return memcmp(state, &zero, sizeof zero) == 0;
}

static inline void ring_notice(struct ring *r, uint32_t node,
                               const struct P *before,
                               const struct P_(_site) *me, uint32_t notes)
{
    struct PROBLEM(_view) old, new;

    if (notes & FC_NOTE_STARTED)
        PROBLEM(_started)(&r->watch, sim_name(&r->names, node));
    P_(_view)(before, me, &old);
    P_(_view)(&r->state[node], me, &new);
    if (!PROBLEM(_same)(&old, &new))
        (void)PROBLEM(_changed)(&r->watch, FC_NOBODY, &old, &new, r->now);
}

/* One event at one node.  What it sends is left to the caller. */
static inline void ring_handle(struct ring *r, uint32_t node,
                               const struct P_(_in) *in, struct P_(_out) *out)
{
    struct P before = r->state[node];
    struct sim_place place = {r->setup, &r->names, NULL, node};
    struct P_(_site) me;

    memset(&me, 0, sizeof me);
    if (!P_(_name_once) || ring_is_zero(&before))
        sim_fill_site(&me, &place);
    memset(&out->fx, 0, offsetof(struct fc_effects, steps));
    P_(_step)(&r->state[node], r->params, &me, in, out);
    if (out->fx.sends > 1 || out->fx.choose)
        r->unfit = true;
    if (P_(_timers) > 0) {
        if (out->fx.arm)
            ring_set_alarm(r, node, out->fx.steps[0]);
        else if (out->fx.disarm)
            r->due[node] = DUE_NONE;
    }
    if (out->fx.notes & (FC_NOTE_VIEW | FC_NOTE_STARTED))
        ring_notice(r, node, &before, &me, out->fx.notes);
}

/* An event other than a message. */
static inline void ring_happen(struct ring *r, uint32_t node,
                               const struct P_(_in) *in)
{
    struct P_(_out) out;

    r->result->events++;
    ring_handle(r, node, in, &out);
    if (out.fx.sends)
        ring_post(r, node, &out.send[0]);
}

static __attribute__((flatten)) void ring_alarm(struct ring *r, uint32_t node)
{
    struct P_(_in) in = {.event = {.kind = FC_TIMEOUT}};

    if (r->due[node] != (uint32_t)r->now + DUE_FIRST)
        return; /* stopped, or started anew */
    r->due[node] = DUE_NONE;
    ring_happen(r, node, &in);
}

/* ---- Ticks --------------------------------------------------------------- */

/* Fetches what the event of a later letter needs.  Inlined always, or the
 * compiler may find that it does nothing and drop it. */
static inline __attribute__((always_inline)) void
ring_fetch(const struct ring *r, uint32_t node)
{
    __builtin_prefetch(&r->state[node], 1);
    if (!P_(_name_once))
        __builtin_prefetch(&r->names.array[node]);
}

/* Nodes read their letters and send others: into the list, which may be the
 * one that is read, for nobody sends more than one for the one it read; or, if
 * dense, into the inboxes, where that of the last node goes behind all others
 * until node 0 has read its own.  Flat: the compiler knows the kind of event
 * and inlines all. */
static __attribute__((flatten, noinline)) void
ring_read_letters(struct ring *r, const struct ring_letter *letters,
                  uint32_t count)
{
    struct P_(_msg) *inbox = r->inbox;
    struct ring_letter *list = r->list;
    uint32_t sent = r->sent;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = letters[i].to;
        struct P_(_in) in = {.event = {.kind = FC_MESSAGE},
                             .msg = letters[i].msg};
        struct P_(_out) out;

        if (i + FETCH_AHEAD < count)
            ring_fetch(r, letters[i + FETCH_AHEAD].to);
        ring_handle(r, node, &in, &out);
        if (!out.fx.sends)
            continue;
        ring_count_message(r->result, &out.send[0]);
        if (r->dense) {
            assert(P_(_kind)(&inbox[node + 1]) == 0);
            inbox[node + 1] = out.send[0];
        } else {
            list[sent] = (struct ring_letter){
                node + 1 == r->nodes ? 0 : node + 1, out.send[0]};
        }
        sent++;
    }
    r->sent = sent;
    r->result->events += count;
}

/* Empties the inboxes first..end-1 into letters, without a branch that
 * depends on which of them are full. */
static inline uint32_t ring_empty_inboxes(struct ring *r, uint32_t first,
                                          uint32_t end,
                                          struct ring_letter *letters)
{
    uint32_t count = 0;

    for (uint32_t v = end; v-- > first;) {
        letters[count] = (struct ring_letter){v, r->inbox[v]};
        count += P_(_kind)(&r->inbox[v]) != 0;
    }
    memset(&r->inbox[first], 0, (end - first) * sizeof *r->inbox);
    return count;
}

static void ring_sweep(struct ring *r)
{
    struct ring_letter letters[SWEEP_NODES];
    uint32_t end = r->nodes, first;

    for (; end > 0; end = first) {
        first = end > SWEEP_NODES ? end - SWEEP_NODES : 0;
        ring_read_letters(r, letters,
                          ring_empty_inboxes(r, first, end, letters));
    }
    r->inbox[0] = r->inbox[r->nodes];
    memset(&r->inbox[r->nodes], 0, sizeof *r->inbox);
}

/* Reads all messages, those of the last tick; a sweep that will be the last
 * because there are few puts what is sent into the list again. */
static void ring_read_all(struct ring *r)
{
    uint32_t count = r->sent;

    if (count == 0)
        return;
    r->result->end = r->now;
    r->sent = 0;
    if (r->dense) {
        r->dense = count >= r->list_max;
        ring_sweep(r);
    } else {
        ring_read_letters(r, r->list, count);
    }
}

/* Timers that were set for the next tick are now for this one. */
static inline void ring_turn_over(struct ring *r)
{
    struct ring_soon soon = r->soon_next;

    r->soon_next = (struct ring_soon){.node = r->soon.node};
    r->soon = soon;
}

static void ring_alarms(struct ring *r)
{
    uint32_t node;

    if (r->soon.dense) {
        for (uint32_t v = 0; v < r->nodes; v++)
            ring_alarm(r, v);
    } else {
        for (uint32_t i = 0; i < r->soon.count; i++)
            ring_alarm(r, r->soon.node[i]);
    }
    while (alarm_pop_at(r->alarms, r->now, &node))
        ring_alarm(r, node);
}

static bool ring_begin(struct ring *r)
{
    struct sim_memory *m = r->job->memory;
    size_t n = r->nodes;

    r->list_max = (r->nodes >> DENSE_SHIFT) + 16;
    r->soon_max = r->list_max / 2;
    if (sim_names_begin(&r->names, r->setup, r->job->seed, !P_(_name_once),
                        m) != 0)
        return false;
    r->state = sim_memory_zero(m, SIM_BUFFER_NODES, n * sizeof *r->state);
    r->inbox = sim_memory_zero(m, SIM_BUFFER_INBOX, (n + 1) * sizeof *r->inbox);
    r->list = sim_memory_get(m, SIM_BUFFER_LIST, r->list_max * sizeof *r->list);
    if (!r->state || !r->inbox || !r->list)
        return false;
    r->alarms = alarm_open(m, SIM_BUFFER_TIMERS);
    if (!r->alarms)
        return false;
    if (P_(_timers) == 0)
        return true;
    r->due = sim_memory_zero(m, SIM_BUFFER_DUE, n * sizeof *r->due);
    r->soon.node =
        sim_memory_get(m, SIM_BUFFER_SOON, r->soon_max * sizeof *r->soon.node);
    r->soon_next.node = sim_memory_get(m, SIM_BUFFER_SOON_NEXT,
                                       r->soon_max * sizeof *r->soon.node);
    return r->due && r->soon.node && r->soon_next.node;
}

static bool ring_start_all(struct ring *r)
{
    struct P_(_in) in = {
        .event = {.kind = FC_COMMAND, .command = 0}}; /* to start */
    bool failed = false;
    uint32_t count;
    const struct sim_wake *wakes =
        sim_wakes(r->setup, r->job, &r->names, &count, &failed);

    for (uint32_t i = 0; i < count && !failed; i++)
        ring_happen(r, wakes ? wakes[i].node : i, &in);
    return !failed;
}

/* The next tick at which something happens, or UINT64_MAX. */
static inline uint64_t ring_next_tick(struct ring *r)
{
    if (r->sent || r->soon_next.count)
        return r->now + 1;
    return P_(_timers) > 0 ? alarm_next_tick(r->alarms) : UINT64_MAX;
}

static inline bool ring_go_on(struct ring *r, uint64_t *next_report)
{
    struct sim_progress *p = r->job->progress;

    if (r->result->events < *next_report || !p)
        return true;
    *next_report = r->result->events + (1u << 16);
    atomic_store_explicit(&p->events, r->result->events, memory_order_relaxed);
    atomic_store_explicit(&p->tick, r->now, memory_order_relaxed);
    return !atomic_load_explicit(&p->stop, memory_order_relaxed);
}

static void ring_end(struct ring *r)
{
    struct fc_outcome outcome;
    uint32_t broken;

    if (P_(_timers) > 0)
        for (uint32_t v = 0; v < r->nodes && !r->result->cut; v++)
            r->result->cut = r->due[v] != DUE_NONE;
    r->result->lockstep = true;
    broken = r->watch.broken | PROBLEM(_end)(&r->watch, !r->result->cut);
    PROBLEM(_outcome)(&r->watch, &outcome);
    sim_finish(r->setup, broken, &outcome, r->result);
    r->result->bytes = sim_memory_bytes(r->job->memory);
}

static enum sim_status lockstep_run(const struct sim_setup *setup,
                                    const struct sim_job *job,
                                    struct sim_result *result)
{
    struct ring ring, *r = &ring;
    uint64_t next_report = 0;

    *r = (struct ring){
        .setup = setup,
        .params = setup->params,
        .job = job,
        .result = result,
        .nodes = setup->world.nodes,
        .until = sim_last_tick(setup),
    };
    *result = (struct sim_result){.seed = job->seed};
    if (TOPOLOGY != FC_RING || READS_ALL || P_(_timers) > 1 || REPEATS ||
        COUNTS_TOKENS || setup->type->protocol->anonymous)
        return SIM_UNFIT;
    if (r->until >= UINT32_MAX - DUE_FIRST)
        return SIM_UNFIT;
    PROBLEM(_begin)
    (&r->watch, setup->type->protocol, setup->params, &setup->world);
    if (!ring_begin(r) || !ring_start_all(r))
        return SIM_NO_MEMORY;
    while (!r->unfit) {
        uint64_t tick = ring_next_tick(r);

        if (tick > r->until) {
            result->cut = tick != UINT64_MAX;
            ring_end(r);
            return r->alarms->failed ? SIM_NO_MEMORY : SIM_OK;
        }
        r->now = tick;
        ring_turn_over(r);
        ring_read_all(r);
        if (P_(_timers) > 0)
            ring_alarms(r);
        if (!ring_go_on(r, &next_report))
            return SIM_STOPPED;
    }
    return SIM_UNFIT;
}
