/*
 * engine_clock.h - the part of engine.h for protocols that read their own
 * clock, and for the guard that stops a holder whose time is over.
 *
 * An own clock counts own steps, and runs on while the node is paused or down.
 * The guard is whatever stops an application when the node itself cannot: a
 * process of its own, a timer of the system.  To the watch somebody is inside
 * until it leaves or until its guard acts, whichever comes first; that the node
 * is paused or dead does not matter.
 */

/* Tags of their events: no clock and no fault has so large a number. */
enum { BOOT = INT32_MAX, GUARD = INT32_MAX };

static inline uint64_t run_clock(const struct run *r, uint32_t node)
{
    const struct run_node *n = &r->nodes[node];

    return n->clock + (r->now - n->clock_tick) / n->step_ticks;
}

/* Before the length of steps changes. */
static inline void run_fold_clock(struct run *r, uint32_t node)
{
    struct run_node *n = &r->nodes[node];
    uint64_t steps = (r->now - n->clock_tick) / n->step_ticks;

    n->clock += steps;
    n->clock_tick += steps * n->step_ticks;
}

static inline const struct P_(_in) *run_with_clock(const struct run *r,
                                                   uint32_t node,
                                                   const struct P_(_in) *in,
                                                   struct P_(_in) *timed)
{
    *timed = *in;
    timed->event.now = run_clock(r, node);
    return timed;
}

/* Every node is told of its start, at its first step. */
static void run_begin_clocks(struct run *r)
{
    for (uint32_t i = 0; i < r->nodes_count; i++) {
        r->nodes[i].clock = 1;
        run_schedule(r, r->nodes[i].anchor, CLASS_COMMAND, i, BOOT);
    }
}

#if GUARDED
/* A tick, from a time of the node's own clock. */
static inline uint64_t run_tick_of(const struct run *r, uint32_t node,
                                   uint64_t clock)
{
    const struct run_node *n = &r->nodes[node];
    uint64_t steps = clock > n->clock ? clock - n->clock : 0;

    return n->clock_tick + steps * n->step_ticks;
}

/* The guard acts at the time that is known now. */
static void run_set_guard(struct run *r, uint32_t node)
{
    struct run_node *n = &r->nodes[node];

    n->stop_at = 0;
    if (PROBLEM(_phase)(&n->effective) != FC_INSIDE || !n->effective.until)
        return;
    n->stop_at = run_tick_of(r, node, n->effective.until);
    if (n->stop_at > r->now)
        run_schedule(r, n->stop_at, CLASS_FAULT, node, GUARD);
}

/* What is so of a node, to the watch: the view, but nobody is inside whose
 * guard has acted. */
static uint32_t run_tell_watch(struct run *r, uint32_t node,
                               const struct PROBLEM(_view) * view)
{
    struct run_node *n = &r->nodes[node];
    struct PROBLEM(_view) before = n->effective;
    uint32_t broken;

    n->effective = *view;
    if (PROBLEM(_phase)(view) == FC_INSIDE && view->until &&
        run_tick_of(r, node, view->until) <= r->now)
        memset(&n->effective, 0, sizeof n->effective);
    broken =
        PROBLEM(_changed)(&r->watch, node + 1, &before, &n->effective, r->now);
    run_set_guard(r, node);
    return broken;
}

static void run_on_guard(struct run *r, uint32_t node)
{
    static const struct PROBLEM(_view) outside;

    if (r->nodes[node].stop_at != r->now)
        return; /* its lease was renewed, or it has left */
    r->nodes[node].stop_at = 0;
    r->last = r->now;
    if (r->trace && !r->nodes[node].down)
        sim_trace_stopped(r->trace, r->now, node);
    (void)run_tell_watch(r, node, &outside);
}

/* The node is down: what it was inside runs on until the guard acts. */
static void run_leave_to_guard(struct run *r, uint32_t node)
{
    static const struct PROBLEM(_view) outside;

    if (PROBLEM(_phase)(&r->nodes[node].effective) != FC_INSIDE)
        (void)run_tell_watch(r, node, &outside);
}
#endif

static uint32_t run_act(struct run *r, uint32_t node, const struct P_(_in) *in);

static void run_boot(struct run *r, uint32_t node)
{
    struct P_(_in) in = {.event = {.kind = FC_BOOT}};

    if (r->nodes[node].down)
        return;
    if (r->trace)
        sim_trace_start(r->trace, r->now, node);
    (void)run_act(r, node, &in);
}
