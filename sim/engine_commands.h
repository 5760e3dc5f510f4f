/*
 * engine_commands.h - the part of engine.h by which applications ask: what it
 * means to the step of a node, and when there is nothing left to ask.
 */

/* The application asks.  A command that is obeyed takes the step, as waking up
 * does in the papers: a message that is there already is read in the next. */
static inline bool run_command(struct run *r, uint32_t node, uint8_t what)
{
    struct P_(_in) in = {.event = {.kind = FC_COMMAND, .command = what}};

    run_begin_step(r, node);
    if (r->trace)
        sim_trace_command(r->trace, r->now, node, what);
    if (!(run_act(r, node, &in) & FC_NOTE_STARTED))
        return false;
    r->nodes[node].used = r->now + 1;
    return true;
}

#if REPEATS
/* Nothing that can still happen counts. */
static inline bool run_work_is_done(const struct run *r)
{
    return r->restless && r->at_work == 0 && r->now >= r->last_fault;
}

static inline void run_on_command(struct run *r, uint32_t node, uint32_t clock)
{
#if CLOCKED
    if (clock == BOOT) {
        run_boot(r, node);
        return;
    }
#endif
    if (clock != WORK)
        run_begin_work(r, node);
    else if (r->nodes[node].due[WORK] == r->now && !r->nodes[node].down)
        run_go_on_working(r, node);
}
#else
static inline bool run_work_is_done(const struct run *r)
{
    (void)r;
    return false;
}

static inline void run_on_command(struct run *r, uint32_t node, uint32_t clock)
{
    uint64_t at = run_step_end(&r->nodes[node], r->now);

    (void)clock;
    if (r->nodes[node].down)
        return;
    if (at != r->now)
        run_schedule(r, at, CLASS_COMMAND, node, 0);
    else
        (void)run_command(r, node, 0); /* the problem's first: to start */
}
#endif

/* Puts all wake-ups in the queue.  Those at tick 0 are put before the queue
 * has begun to turn, and come first. */
static void run_begin_wakes(struct run *r)
{
    uint32_t count;
    const struct sim_wake *wakes =
        sim_wakes(r->setup, r->job, &r->names, &count, &r->failed);

#if REPEATS
    r->at_work = count;
#endif
    if (!wakes)
        for (uint32_t i = 0; i < count; i++)
            queue_put(r->queue, 0, CLASS_COMMAND,
                      (struct run_record){.node = i});
    else
        for (uint32_t i = 0; i < count; i++)
            run_schedule(r, wakes[i].tick, CLASS_COMMAND, wakes[i].node, 0);
}
