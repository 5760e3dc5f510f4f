/*
 * lockstep.h - the engine for synchronous rings, typed by inclusion.
 *
 * When every step lasts one tick and every message is read one tick after it
 * was sent, nothing need be queued: a node has at most one message to read, and
 * the ring is an array.  If many nodes have a message, they are in inbox[],
 * which is swept from the last node to the first: node v reads its own and
 * writes into that of v+1, which was read just before.  If few have one, they
 * stand in a list.  Timers: those for the next tick likewise, the others in a
 * timing wheel.
 *
 * It takes runs in which no node sends more than one message in a tick, all
 * start at tick 0, and nobody watches the order of events within a tick.  The
 * general engine gives the same result; a test compares them.
 *
 * Memory, per node: the state, 4 bytes of inbox, 4 of deadline if the protocol
 * has a timer, and less than 2 for lists.
 */
#include "sim/engine.h"

#define WHEEL_RECORD uint32_t
#define WHEEL_CLASSES 1
#define WHEEL(name) FC_PASTE(alarm_, name)
#include "sim/wheel.h"
#undef WHEEL_RECORD
#undef WHEEL_CLASSES
#undef WHEEL

/* Lists hold up to a sixteenth of the nodes; above that a sweep is cheaper. */
enum { DENSE_SHIFT = 4, DUE_NONE = 0, DUE_LATE = 1, DUE_FIRST = 2 };

struct letter {
    uint32_t to;
    struct P_(_msg) msg;
};

/* Timers that run off at the next tick. */
struct soon {
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
    struct P_(_msg) * inbox;
    struct letter *reads, *sends; /* lists of this tick and the next */
    uint32_t reads_count, sends_count, list_max;
    bool reads_dense, sends_dense; /* they are in inbox[] */
    struct P_(_msg) wrapped;       /* to node 0, until it has read its own */
    bool sweeping;
    uint32_t nodes;
    uint32_t *due; /* DUE_FIRST + tick, or DUE_NONE, DUE_LATE */
    struct soon soon, soon_next;
    struct alarm_wheel *alarms;
    uint64_t now, until;
    struct sim_names names;
    struct election_watch watch;
    bool unfit;
};

/* ---- Messages ------------------------------------------------------------ */

/* Moves the list of sent messages to the inboxes: it has become too long. */
static void spill(struct ring *r)
{
    for (uint32_t i = 0; i < r->sends_count; i++)
        r->inbox[r->sends[i].to] = r->sends[i].msg;
    r->sends_dense = true;
}

static inline void post(struct ring *r, uint32_t from,
                        const struct P_(_msg) * m)
{
    uint32_t to = from + 1 == r->nodes ? 0 : from + 1;

    r->result->by_kind[P_(_kind)(m)]++;
    r->result->paper_bits += P_(_paper_bits)(m);
    r->result->wire_bits += 8 * P_(_wire_bytes)(m);
    if (to == 0 && r->sweeping) {
        r->wrapped = *m;
        return;
    }
    if (r->sends_dense) {
        assert(P_(_kind)(&r->inbox[to]) == 0);
        r->inbox[to] = *m;
    } else {
        r->sends[r->sends_count] = (struct letter){to, *m};
        if (++r->sends_count == r->list_max)
            spill(r);
    }
}

/* ---- Timers -------------------------------------------------------------- */

static inline void set_alarm(struct ring *r, uint32_t node, uint64_t steps)
{
    uint64_t at = fc_add(r->now, steps);

    if (at > r->until) {
        r->due[node] = at == FC_NEVER ? DUE_NONE : DUE_LATE;
        return;
    }
    r->due[node] = (uint32_t)at + DUE_FIRST;
    if (steps > 1) {
        alarm_put(r->alarms, at, 0, node);
    } else if (r->soon_next.count < r->list_max) {
        r->soon_next.node[r->soon_next.count++] = node;
    } else {
        r->soon_next.dense = true;
    }
}

/* ---- Events -------------------------------------------------------------- */

static inline struct fc_named site_of(const struct ring *r, uint32_t node,
                                      bool first)
{
    struct fc_named me = {FC_NOBODY};

    if (!P_(_name_once) || first)
        me.name = sim_name(&r->names, node);
    return me;
}

static inline bool is_zero(const struct P *state)
{
    static const struct P zero;

    return memcmp(state, &zero, sizeof zero) == 0;
}

static void notice(struct ring *r, uint32_t node, const struct P *before,
                   const struct fc_named *me, uint32_t notes)
{
    struct election_view old, new;

    if (notes & FC_NOTE_STARTED)
        election_started(&r->watch, sim_name(&r->names, node));
    P_(_view)(before, me, &old);
    P_(_view)(&r->state[node], me, &new);
    (void)election_changed(&r->watch, &old, &new, r->now);
}

static inline void happen(struct ring *r, uint32_t node,
                          const struct P_(_in) * in)
{
    struct P before = r->state[node];
    struct fc_named me = site_of(r, node, is_zero(&before));
    struct P_(_out) out;

    memset(&out.fx, 0, offsetof(struct fc_effects, steps));
    r->result->events++;
    P_(_step)(&r->state[node], r->params, &me, in, &out);
    if (out.fx.sends) {
        post(r, node, &out.send[0]);
        if (out.fx.sends > 1)
            r->unfit = true;
    }
    if (P_(_timers) > 0) {
        if (out.fx.arm)
            set_alarm(r, node, out.fx.steps[0]);
        else if (out.fx.disarm)
            r->due[node] = DUE_NONE;
    }
    if (out.fx.notes & (FC_NOTE_VIEW | FC_NOTE_STARTED))
        notice(r, node, &before, &me, out.fx.notes);
}

static inline void take(struct ring *r, uint32_t node, struct P_(_msg) msg)
{
    struct P_(_in) in = {.event = {.kind = FC_MESSAGE}, .msg = msg};

    happen(r, node, &in);
}

static inline void ring_alarm(struct ring *r, uint32_t node)
{
    struct P_(_in) in = {.event = {.kind = FC_TIMEOUT}};

    if (r->due[node] != (uint32_t)r->now + DUE_FIRST)
        return; /* stopped, or started anew */
    r->due[node] = DUE_NONE;
    happen(r, node, &in);
}

/* ---- Ticks --------------------------------------------------------------- */

static void sweep(struct ring *r)
{
    struct P_(_msg) none;

    memset(&none, 0, sizeof none);
    r->wrapped = none;
    r->sweeping = true;
    for (uint32_t v = r->nodes; v-- > 0;) {
        struct P_(_msg) m = r->inbox[v];

        if (P_(_kind)(&m)) {
            r->inbox[v] = none;
            take(r, v, m);
        }
    }
    r->sweeping = false;
    if (P_(_kind)(&r->wrapped)) {
        if (r->sends_dense) {
            r->inbox[0] = r->wrapped;
        } else {
            r->sends[r->sends_count] = (struct letter){0, r->wrapped};
            if (++r->sends_count == r->list_max)
                spill(r);
        }
    }
}

/* What was sent and set for the next tick is now for this one. */
static void turn_over(struct ring *r)
{
    struct letter *list = r->sends;
    struct soon soon = r->soon_next;

    r->sends = r->reads;
    r->reads = list;
    r->reads_count = r->sends_count;
    r->reads_dense = r->sends_dense;
    r->sends_count = 0;
    r->sends_dense = false;
    r->soon_next = (struct soon){.node = r->soon.node};
    r->soon = soon;
}

static void read_all(struct ring *r)
{
    if (r->reads_count)
        r->result->end = r->now;
    if (r->reads_dense)
        sweep(r);
    else
        for (uint32_t i = 0; i < r->reads_count; i++)
            take(r, r->reads[i].to, r->reads[i].msg);
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

static bool begin_ring(struct ring *r)
{
    struct sim_memory *m = r->job->memory;
    size_t n = r->nodes;

    r->list_max = (r->nodes >> DENSE_SHIFT) + 16;
    if (sim_names_begin(&r->names, r->setup, r->job->seed, !P_(_name_once),
                        m) != 0)
        return false;
    r->state = sim_memory_zero(m, SIM_BUFFER_NODES, n * sizeof *r->state);
    r->inbox = sim_memory_zero(m, SIM_BUFFER_INBOX, n * sizeof *r->inbox);
    r->reads = sim_memory_get(m, SIM_BUFFER_LIST_A,
                              r->list_max * sizeof *r->reads);
    r->sends = sim_memory_get(m, SIM_BUFFER_LIST_B,
                              r->list_max * sizeof *r->sends);
    if (!r->state || !r->inbox || !r->reads || !r->sends)
        return false;
    r->alarms = alarm_open(m, SIM_BUFFER_TIMERS);
    if (!r->alarms)
        return false;
    if (P_(_timers) == 0)
        return true;
    r->due = sim_memory_zero(m, SIM_BUFFER_DUE, n * sizeof *r->due);
    r->soon.node = sim_memory_get(m, SIM_BUFFER_SOON,
                                  r->list_max * sizeof *r->soon.node);
    r->soon_next.node = sim_memory_get(m, SIM_BUFFER_SOON_NEXT,
                                       r->list_max * sizeof *r->soon.node);
    return r->due && r->soon.node && r->soon_next.node;
}

static bool start_all(struct ring *r)
{
    struct P_(_in) in = {
        .event = {.kind = FC_COMMAND, .command = ELECTION_START}};
    bool failed = false;
    uint32_t count;
    const struct sim_wake *wakes =
        sim_wakes(r->setup, r->job, &r->names, &count, &failed);

    for (uint32_t i = 0; i < count && !failed; i++)
        happen(r, wakes ? wakes[i].node : i, &in);
    return !failed;
}

/* The next tick at which something happens, or UINT64_MAX. */
static inline uint64_t next_tick(struct ring *r)
{
    if (r->sends_count || r->soon_next.count)
        return r->now + 1;
    return P_(_timers) > 0 ? alarm_next_tick(r->alarms) : UINT64_MAX;
}

static inline bool go_on(struct ring *r, uint64_t *next_report)
{
    struct sim_progress *p = r->job->progress;

    if (r->result->events < *next_report || !p)
        return true;
    *next_report = r->result->events + (1u << 16);
    atomic_store_explicit(&p->events, r->result->events, memory_order_relaxed);
    atomic_store_explicit(&p->tick, r->now, memory_order_relaxed);
    return !atomic_load_explicit(&p->stop, memory_order_relaxed);
}

static void end_ring(struct ring *r)
{
    if (P_(_timers) > 0)
        for (uint32_t v = 0; v < r->nodes && !r->result->cut; v++)
            r->result->cut = r->due[v] != DUE_NONE;
    r->result->lockstep = true;
    sim_finish(r->setup, &r->watch, r->result);
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
    if (r->until >= UINT32_MAX - DUE_FIRST)
        return SIM_UNFIT;
    election_begin(&r->watch, r->nodes);
    if (!begin_ring(r) || !start_all(r))
        return SIM_NO_MEMORY;
    while (!r->unfit) {
        uint64_t tick = next_tick(r);

        if (tick > r->until) {
            result->cut = tick != UINT64_MAX;
            end_ring(r);
            return r->alarms->failed ? SIM_NO_MEMORY : SIM_OK;
        }
        r->now = tick;
        turn_over(r);
        read_all(r);
        if (P_(_timers) > 0)
            ring_alarms(r);
        if (!go_on(r, &next_report))
            return SIM_STOPPED;
    }
    return SIM_UNFIT;
}
