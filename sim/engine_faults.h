/*
 * engine_faults.h - the part of engine.h that makes nodes crash, come back,
 * pause, and lose sight of each other.
 */

static void view_of(const struct run *r, uint32_t node,
                    struct election_view *view)
{
    struct sim_place place = {r->setup, &r->names, &r->graph, node};
    struct P_(_site) me;

    sim_fill_site(&me, &place);
    P_(_view)(&r->nodes[node].state, &me, view);
}

/* What it had read or set is gone, and so is its mail. */
static void crash(struct run *r, uint32_t node)
{
    struct node *n = &r->nodes[node];
    struct election_view view;

    view_of(r, node, &view);
    election_crashed(&r->watch, &view);
    r->result->crashes++;
    n->down = true;
    for (uint32_t t = 0; t < TIMERS; t++)
        n->due[t] = FC_NEVER;
    while (n->first != NO_MAIL) {
        uint32_t slot = n->first;

        n->first = r->mail[slot].next;
        r->mail[slot].next = r->mail_free;
        r->mail_free = slot;
    }
    n->waiting = 0;
}

static void restart(struct run *r, uint32_t node, bool blank)
{
    struct node *n = &r->nodes[node];
    struct P_(_in) in = {.event = {.kind = FC_BOOT}};
    struct election_view view;

    n->down = false;
    if (blank)
        memset(&n->state, 0, sizeof n->state);
    n->anchor = r->now;
    view_of(r, node, &view);
    election_restarted(&r->watch, &view);
    (void)act(r, node, &in);
    n->used = r->now + 1;
}

/* The step under way takes so many ticks longer, and all that waits for later
 * steps comes later. */
static void pause_node(struct run *r, uint32_t node, uint64_t ticks)
{
    struct node *n = &r->nodes[node];

    if (ticks == 0)
        return;
    r->result->pauses++;
    n->anchor = step_end(n, r->now) + ticks;
    for (uint32_t t = 0; t < TIMERS; t++) {
        if (n->due[t] == FC_NEVER)
            continue;
        n->due[t] = fc_add(n->due[t], ticks);
        schedule(r, n->due[t], CLASS_TIMER, node, t);
    }
    if (n->first != NO_MAIL)
        remind(r, node, n->reads_at + ticks);
}

static void on_fault(struct run *r, const struct sim_fault *f)
{
    struct node *n = &r->nodes[f->node];
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
        crash(r, f->node);
        break;
    case SIM_FAULT_RESTART:
    case SIM_FAULT_RESTART_BLANK:
        restart(r, f->node, f->kind == SIM_FAULT_RESTART_BLANK);
        break;
    case SIM_FAULT_PAUSE:
        pause_node(r, f->node, f->ticks);
        break;
    case SIM_FAULT_CUT:
    case SIM_FAULT_JOINED:
        n->apart = f->kind == SIM_FAULT_CUT;
        r->result->cuts += n->apart;
        break;
    }
}

/* Leaders may have changed: what those alive think in the end decides. */
static void settle(struct run *r)
{
    for (uint32_t i = 0; i < r->nodes_count; i++) {
        struct election_view view;

        if (r->nodes[i].down)
            continue;
        view_of(r, i, &view);
        election_settled(&r->watch, id_of(r, i), &view);
    }
}

/* What the leader was used for: everybody's answer, clockwise from it. */
static void collect_answers(struct run *r)
{
    enum election_answer kind =
        (enum election_answer)r->setup->type->protocol->answer;
    uint32_t first = 0;
    uint64_t sum = 0;
    struct election_view view;

    for (uint32_t i = 0; i < r->nodes_count; i++) {
        view_of(r, i, &view);
        sum += sim_name(&r->names, i);
        if (view.role == ELECTION_LEADER)
            first = i;
    }
    for (uint32_t d = 0; d < r->nodes_count; d++) {
        view_of(r, (first + d) % r->nodes_count, &view);
        if (d == 0)
            r->result->answer = view.answer;
        election_answered(&r->watch, kind, d, view.answer, sum);
    }
}

/* Puts all faults in the queue, those of the schedule and those drawn. */
static void begin_faults(struct run *r)
{
    uint32_t count;

    r->faulty = sim_faults_any(&r->setup->faults);
    r->fault_key = sim_key(r->job->seed, SIM_STREAM_FAULT);
    r->faults = sim_faults_begin(r->setup, &r->names, r->job->seed,
                                 r->job->memory, &count, &r->failed);
    for (uint32_t i = 0; i < count; i++)
        schedule(r, r->faults[i].tick, CLASS_FAULT, r->faults[i].node, i);
}
