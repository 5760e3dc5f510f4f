/*
 * engine_inbox.h - the part of engine.h by which messages are read: at once, or
 * from the inbox at the end of a step.
 */

static inline void run_read_message(struct run *r, uint32_t node,
                                    const struct P_(_msg) *msg, uint32_t tag)
{
    struct P_(_in) in = {
        .event = {.kind = FC_MESSAGE, .port = run_link_of(r, tag)},
        .msg = *msg};

    run_begin_step(r, node);
    r->nodes[node].used = r->now + 1;
    r->result->end = r->now;
    run_count_token(r, msg, -1);
    if (r->trace) {
        uint64_t fields[FC_FIELDS_MAX];
        uint32_t count = P_(_fields)(msg, fields);

        sim_trace_read(r->trace, r->now, node, tag, P_(_kind)(msg), fields,
                       count);
    }
    run_act(r, node, &in);
}

static bool run_more_mail(struct run *r)
{
    uint32_t room = r->mail_room ? 2 * r->mail_room : 64;

    r->mail = sim_memory_grow(r->job->memory, SIM_BUFFER_MAIL,
                              room * sizeof *r->mail);
    if (!r->mail) {
        r->failed = true;
        return false;
    }
    r->mail_room = room;
    return true;
}

static inline void run_wait_in_inbox(struct run *r, uint32_t node,
                                     const struct P_(_msg) *msg, uint32_t tag)
{
    struct run_node *n = &r->nodes[node];
    uint32_t slot = r->mail_free;

    if (slot != NO_MAIL)
        r->mail_free = r->mail[slot].next;
    else if (r->mail_count == r->mail_room && !run_more_mail(r))
        return;
    else
        slot = r->mail_count++;
    r->mail[slot] = (struct run_mail){*msg, tag, NO_MAIL};
    if (n->first == NO_MAIL)
        n->first = slot;
    else
        r->mail[n->last].next = slot;
    n->last = slot;
    if (++n->waiting > r->result->queue_max)
        r->result->queue_max = n->waiting;
}

/* A node with mail will read at the end of a step. */
static inline void run_remind(struct run *r, uint32_t node, uint64_t at)
{
    r->nodes[node].reads_at = at;
    run_schedule(r, at, CLASS_STEP, node, 0);
}

/* A message comes to a node that is down. */
static void run_miss(struct run *r, const struct run_record *rec)
{
    uint64_t fields[FC_FIELDS_MAX];
    uint32_t count = P_(_fields)(&rec->msg, fields);

    r->last = r->now;
    run_count_token(r, &rec->msg, -1);
#if COUNTS_TOKENS
    PROBLEM(_flying)(&r->watch, r->tokens, r->now);
#endif
    if (r->trace)
        sim_trace_misses(r->trace, r->now, rec->node, rec->tag,
                         P_(_kind)(&rec->msg), fields, count);
}

static inline void run_on_arrival(struct run *r, const struct run_record *rec)
{
    struct run_node *n = &r->nodes[rec->node];
    bool busy = !READS_ALL && n->used == r->now + 1;
    uint64_t at = run_step_end(n, r->now);

    if (r->faulty && n->down) {
        run_miss(r, rec);
        return;
    }
    if (n->first == NO_MAIL && !busy && at == r->now) {
        run_read_message(r, rec->node, &rec->msg, rec->tag);
        return;
    }
    if (n->first == NO_MAIL)
        run_remind(r, rec->node, busy ? r->now + n->step_ticks : at);
    run_wait_in_inbox(r, rec->node, &rec->msg, rec->tag);
}

/* The end of a step of a node with mail: it reads one, or all of it. */
static inline void run_on_step(struct run *r, uint32_t node)
{
    struct run_node *n = &r->nodes[node];

    if (r->faulty && (n->first == NO_MAIL || n->reads_at != r->now))
        return; /* it crashed or paused since */
    if (!READS_ALL && n->used == r->now + 1) {
        run_remind(r, node, r->now + n->step_ticks);
        return;
    }
    do {
        uint32_t slot = n->first;
        struct run_mail mail = r->mail[slot];

        n->first = mail.next;
        n->waiting--;
        r->mail[slot].next = r->mail_free;
        r->mail_free = slot;
        run_read_message(r, node, &mail.msg, mail.tag);
    } while (READS_ALL && n->first != NO_MAIL);
    if (n->first != NO_MAIL)
        run_remind(r, node, r->now + n->step_ticks);
}
