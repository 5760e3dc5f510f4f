/*
 * engine_faults.h - the part of engine.h that makes nodes crash, come back,
 * pause, and lose sight of each other.
 */

/* What it had read or set is gone, and so is its mail. */
static void run_crash(struct run *r, uint32_t node)
{
    struct run_node *n = &r->nodes[node];
    struct PROBLEM(_view) view;

#if GUARDED
    run_leave_to_guard(r, node);
    (void)view;
#else
    run_view_of(r, node, &view);
    PROBLEM(_crashed)(&r->watch, &view);
#endif
    r->result->crashes++;
    n->down = true;
    for (uint32_t t = 0; t < CLOCKS; t++)
        n->due[t] = FC_NEVER;
    while (n->first != NO_MAIL) {
        uint32_t slot = n->first;

        n->first = r->mail[slot].next;
        run_count_token(r, &r->mail[slot].msg, -1);
        r->mail[slot].next = r->mail_free;
        r->mail_free = slot;
    }
    n->waiting = 0;
#if COUNTS_TOKENS
    PROBLEM(_flying)(&r->watch, r->tokens, r->now);
#endif
#if REPEATS
    run_lose_client(r, node);
#endif
}

static void run_restart(struct run *r, uint32_t node, bool blank)
{
    struct run_node *n = &r->nodes[node];
    struct P_(_in) in = {.event = {.kind = FC_BOOT}};
    struct PROBLEM(_view) view;

    n->down = false;
    if (blank)
        memset(&n->state, 0, sizeof n->state);
#if DURABLE
    if (blank)
        memcpy(&n->state, &n->record, sizeof n->record);
#endif
    n->anchor = r->now;
#if GUARDED
    (void)view;
#else
    run_view_of(r, node, &view);
    PROBLEM(_restarted)(&r->watch, &view);
#endif
    (void)run_act(r, node, &in);
    n->used = r->now + 1;
#if !GUARDED
    run_view_of(r, node, &view); /* after its first step */
    PROBLEM(_returned)(&r->watch, &view);
#endif
#if REPEATS
    run_resume_client(r, node);
#endif
}

/* The step under way takes so many ticks longer, and all that waits for later
 * steps comes later. */
static void run_pause_node(struct run *r, uint32_t node, uint64_t ticks)
{
    struct run_node *n = &r->nodes[node];

    if (ticks == 0)
        return;
    r->result->pauses++;
    n->anchor = run_step_end(n, r->now) + ticks;
    for (uint32_t t = 0; t < CLOCKS; t++) {
        if (n->due[t] == FC_NEVER)
            continue;
#if CLOCKED
        if (n->due[t] < n->anchor)
            n->due[t] = n->anchor; /* its clock runs on: it is overdue then */
#else
        n->due[t] = fc_add(n->due[t], ticks);
#endif
        run_schedule_clock(r, node, t);
    }
    if (n->first != NO_MAIL)
        run_remind(r, node, n->reads_at + ticks);
}

static void run_on_fault(struct run *r, const struct sim_fault *f)
{
    struct run_node *n = &r->nodes[f->node];
    bool back =
        f->kind == SIM_FAULT_RESTART || f->kind == SIM_FAULT_RESTART_BLANK;

    if (n->down != back && f->kind != SIM_FAULT_CUT &&
        f->kind != SIM_FAULT_JOINED)
        return; /* it is down already, or was never */
    r->last = r->now;
    if (r->trace)
        sim_trace_fault(r->trace, r->now, f);
    switch (f->kind) {
    case SIM_FAULT_CRASH:
        run_crash(r, f->node);
        break;
    case SIM_FAULT_RESTART:
    case SIM_FAULT_RESTART_BLANK:
        run_restart(r, f->node, f->kind == SIM_FAULT_RESTART_BLANK);
        break;
    case SIM_FAULT_PAUSE:
        run_pause_node(r, f->node, f->ticks);
        break;
    case SIM_FAULT_CUT:
    case SIM_FAULT_JOINED:
        n->apart = f->kind == SIM_FAULT_CUT;
        r->result->cuts += n->apart;
        break;
    }
}

/* Puts all faults in the queue, those of the schedule and those drawn. */
static void run_begin_faults(struct run *r)
{
    uint32_t count;

    r->faulty = sim_faults_any(&r->setup->faults);
    r->fault_key = sim_key(r->job->seed, SIM_STREAM_FAULT);
    r->faults = sim_faults_begin(r->setup, &r->names, r->job->seed,
                                 r->job->memory, &count, &r->failed);
    for (uint32_t i = 0; i < count; i++) {
        run_schedule(r, r->faults[i].tick, CLASS_FAULT, r->faults[i].node, i);
#if REPEATS
        if (r->faults[i].tick > r->last_fault)
            r->last_fault = r->faults[i].tick;
#endif
    }
}
