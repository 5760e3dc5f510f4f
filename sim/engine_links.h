/*
 * engine_links.h - the part of engine.h that sends messages: where they go, by
 * which link they come, when they arrive, and what may go wrong on the way.
 */

/* ---- Links --------------------------------------------------------------- */

/* Where a message goes that leaves `from` by `port`, and by which link it
 * comes there. */
static inline uint32_t run_receiver(const struct run *r, uint32_t from,
                                    uint16_t port, uint16_t *comes_by)
{
    uint32_t next = from + 1 == r->nodes_count ? 0 : from + 1, link;

    switch (TOPOLOGY) {
    case FC_COMPLETE:
        *comes_by = (uint16_t)from;
        return port;
    case FC_TREE:
        link = r->graph.first[from] + port;
        *comes_by = (uint16_t)r->graph.back[link];
        return r->graph.neighbour[link];
    case FC_RING_BOTH:
        *comes_by = port == FC_NEXT ? FC_PREVIOUS : FC_NEXT;
        if (port == FC_PREVIOUS)
            return from ? from - 1 : r->nodes_count - 1;
        return next;
    case FC_RING:
        break;
    }
    *comes_by = FC_PREVIOUS;
    return next;
}

/* When the last message on this link arrives: others may not overtake it. */
static inline uint64_t *run_last_arrival(struct run *r, uint32_t from,
                                         uint16_t port)
{
    switch (TOPOLOGY) {
    case FC_COMPLETE:
        return &r->links[(uint64_t)from * r->nodes_count + port];
    case FC_TREE:
        return &r->links[r->graph.first[from] + port];
    case FC_RING_BOTH:
        return &r->links[2 * (uint64_t)from + port];
    case FC_RING:
        break;
    }
    return &r->nodes[from].last_arrival;
}

static bool run_begin_links(struct run *r)
{
    uint64_t n = r->nodes_count, count = 0;

    if (TOPOLOGY == FC_TREE &&
        sim_graph_begin(&r->graph, r->setup, r->job->seed, r->job->memory) != 0)
        return false;
    if (TOPOLOGY == FC_COMPLETE)
        count = n * n;
    else if (TOPOLOGY != FC_RING)
        count = 2 * n;
    if (count == 0)
        return true;
    r->links = sim_memory_zero(r->job->memory, SIM_BUFFER_LINKS,
                               count * sizeof *r->links);
    return r->links != NULL;
}

/* A message in the queue carries the link it comes by; in a traced run its
 * number, and the link stands in a table. */
static inline uint32_t run_tag_of(struct run *r, uint64_t id, uint16_t comes_by)
{
    if (!r->trace)
        return comes_by;
    if (TOPOLOGY == FC_RING)
        return (uint32_t)id;
    if (id >= r->ports_room) {
        uint64_t room = r->ports_room ? 2 * r->ports_room : 1024;

        r->ports = sim_memory_grow(r->job->memory, SIM_BUFFER_PORTS,
                                   room * sizeof *r->ports);
        if (!r->ports) {
            r->failed = true;
            return 0;
        }
        r->ports_room = room;
    }
    r->ports[id] = comes_by;
    return (uint32_t)id;
}

static inline uint16_t run_link_of(const struct run *r, uint32_t tag)
{
    if (TOPOLOGY == FC_RING)
        return FC_PREVIOUS;
    return r->trace ? r->ports[tag] : (uint16_t)tag;
}

/* Keeps count of the tokens under way, where the problem asks for it. */
static inline void run_count_token(struct run *r, const struct P_(_msg) *m,
                                   int by)
{
    if (COUNTS_TOKENS &&
        r->setup->type->protocol->kinds[P_(_kind)(m)].meaning == FC_TOKEN)
        r->tokens += by;
}

/* Puts one message on its way; FC_NEVER: it is lost. */
static inline void run_post_one(struct run *r, uint32_t to, uint16_t comes_by,
                                const struct P_(_msg) *m, uint64_t arrives,
                                bool copy)
{
    uint32_t tag = run_tag_of(r, r->sent, comes_by);

    if (r->trace) {
        uint64_t fields[FC_FIELDS_MAX];
        uint32_t count = P_(_fields)(m, fields);

        sim_trace_send(r->trace, (uint32_t)r->sent, P_(_kind)(m), fields, count,
                       to, arrives, copy);
    }
    if (arrives != FC_NEVER)
        run_count_token(r, m, 1);
    if (arrives <= r->until)
        queue_put(r->queue, arrives, CLASS_ARRIVAL,
                  (struct run_record){.node = to, .tag = tag, .msg = *m});
    else if (arrives != FC_NEVER)
        r->result->cut = true;
    r->sent++;
}

/* The tick at which a message arrives that is so long under way.  Readable
 * strictly after it was sent, however short the way. */
static inline uint64_t run_arrival(struct run *r, uint32_t from, uint16_t port,
                                   uint64_t delay, bool in_order)
{
    uint64_t arrives = r->now + (delay ? delay : 1);

    if (in_order) {
        uint64_t *last = run_last_arrival(r, from, port);

        if (arrives < *last)
            arrives = *last;
        *last = arrives;
    }
    return arrives;
}

/* A message where something may go wrong. */
static void run_post_with_mishaps(struct run *r, uint32_t from, uint16_t port,
                                  uint32_t to, uint16_t comes_by,
                                  const struct P_(_msg) *m, uint64_t delay)
{
    struct sim_mishap mishap =
        sim_mishap(&r->setup->faults, r->fault_key, from, r->nodes[from].sent);
    uint64_t dmax = r->setup->world.bounds.dmax, arrives;

    if (r->nodes[from].apart != r->nodes[to].apart || mishap.lost) {
        r->result->lost++;
        run_post_one(r, to, comes_by, m, FC_NEVER, false);
        return;
    }
    if (mishap.later)
        delay = (dmax ? dmax : 1) + mishap.later;
    arrives = run_arrival(r, from, port, delay,
                          !r->setup->any_order && !mishap.reordered);
    r->result->late += mishap.later > 0;
    r->result->reordered += mishap.reordered;
    run_post_one(r, to, comes_by, m, arrives, false);
    if (mishap.copied) {
        uint64_t more = sim_below(sim_mix(arrives ^ r->fault_key), dmax + 1);

        r->result->copied++;
        run_post_one(r, to, comes_by, m, arrives + 1 + more, true);
    }
}

static inline void run_send_one(struct run *r, uint32_t from, uint16_t port,
                                const struct P_(_msg) *m)
{
    uint16_t comes_by;
    uint32_t to = run_receiver(r, from, port, &comes_by);
    uint64_t delay = sim_delay_ticks(&r->clocks, from, r->nodes[from].sent++);

#if REPEATS
    run_account(r, from, to, P_(_kind)(m));
#endif
    r->result->by_kind[P_(_kind)(m)]++;
    r->result->paper_bits += P_(_paper_bits)(m);
    r->result->wire_bits += 8 * P_(_wire_bytes)(m);
    if (r->faulty)
        run_post_with_mishaps(r, from, port, to, comes_by, m, delay);
    else
        run_post_one(r, to, comes_by, m,
                     run_arrival(r, from, port, delay, !r->setup->any_order),
                     false);
}

static inline void run_send_all(struct run *r, uint32_t from,
                                const struct P_(_out) *out)
{
    for (uint32_t i = 0; i < out->fx.sends; i++) {
        uint16_t port = TOPOLOGY == FC_RING ? 0 : out->fx.to[i];

        if (port != FC_EVERYONE) {
            run_send_one(r, from, port, &out->send[i]);
            continue;
        }
        for (uint32_t j = 0; j < r->nodes_count; j++)
            if (j != from)
                run_send_one(r, from, (uint16_t)j, &out->send[i]);
    }
}
