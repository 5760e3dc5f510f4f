/*
 * engine_memory.h - the part of engine.h for problems whose nodes share memory:
 * cells that are loaded and stored one at a time, and an adversary that sees
 * every wait before it sets the clocks.
 */

static bool run_begin_memory(struct run *r)
{
    struct run_memory *m = &r->shared;

    m->count = r->setup->type->protocol->cells(r->setup->params);
    m->cells = sim_memory_zero(r->job->memory, SIM_BUFFER_CELLS,
                               m->count * sizeof *m->cells);
    return m->cells != NULL;
}

/* ---- The adversary ------------------------------------------------------- */

/*
 * It wants every read to meet a write.  Whoever arms a timer tells how many
 * steps it waits, so that the adversary knows the draws; and then says how long
 * those steps are, within the bounds:
 *
 *   - a write takes as long as it can;
 *   - while one is under way attempts to read are as short as they can be, so
 *     that many fail; before one they are as long as they can be;
 *   - a writer that waits wakes just when the first of the readers has begun,
 *     and a reader that waits begins just before the writer wakes, if that can
 *     be; a reader that cannot know because the writer is not done takes the
 *     middle, so that the writer, which then can, has most freedom.
 */
static uint64_t run_aim(const struct run *r, uint64_t steps, uint64_t target)
{
    const struct fc_bounds *b = &r->setup->world.bounds;
    uint64_t ticks = target > r->now ? (target - r->now) / steps : 0;

    if (ticks < b->rmin)
        return b->rmin;
    return ticks > b->rmax ? b->rmax : ticks;
}

/* When the first of the readers acts next, or FC_NEVER. */
static uint64_t run_next_reader(const struct run *r)
{
    uint64_t first = FC_NEVER;

    for (uint32_t i = 0; i < r->nodes_count; i++) {
        uint64_t due = r->nodes[i].due[0];

        if (i != r->shared.writer && due < first)
            first = due;
    }
    return first;
}

static void run_set_clock(struct run *r, uint32_t node, uint64_t steps)
{
    const struct fc_bounds *b = &r->setup->world.bounds;
    struct run_node *n = &r->nodes[node];
    const struct run_node *writer = &r->nodes[r->shared.writer];
    bool writes = r->shared.writes;
    uint64_t wakes = writer->due[0];

    if (node == r->shared.writer) {
        uint64_t reader = run_next_reader(r);

        n->step_ticks = steps == 1 ? b->rmax
                        : reader == FC_NEVER
                            ? b->rmin
                            : run_aim(r, steps, reader + b->rmin + steps);
    } else if (steps == 1) {
        n->step_ticks = writes ? b->rmin : b->rmax;
    } else if (writes || wakes == FC_NEVER) {
        n->step_ticks = b->rmin + (b->rmax - b->rmin) / 2;
    } else {
        n->step_ticks = run_aim(r, steps, wakes);
    }
    n->anchor = r->now;
}

/* ---- Access -------------------------------------------------------------- */

/* Stores, or remembers what the node that acts loads.  Its timers are set right
 * after this. */
static inline void run_take_access(struct run *r, uint32_t node,
                                   const struct fc_effects *fx)
{
    struct run_memory *m = &r->shared;
    bool arms = fx->arm & 1u;

    m->loading = fx->access == FC_LOAD;
    if (fx->access) {
        assert(fx->cell < m->count);
        m->loads = fx->cell;
    }
    if (fx->access == FC_STORE) {
        m->cells[fx->cell] = fx->stored;
        m->writer = node;
        m->writes = arms && fx->steps[0] == 1;
    }
    if (arms && r->setup->time == SIM_ARCHIMEDEAN &&
        r->setup->clock == SIM_CLOCK_ADVERSARY)
        run_set_clock(r, node, fx->steps[0]);
}

/* Gives the node what it loads, which is part of its step. */
static inline uint32_t run_use_memory(struct run *r, uint32_t node,
                                      uint32_t *choose)
{
    struct run_memory *m = &r->shared;
    uint32_t notes = 0;

    while (m->loading) {
        struct P_(_in) in = {
            .event = {.kind = FC_LOADED, .value = m->cells[m->loads]}};

        notes |= run_act_once(r, node, &in, choose);
    }
    return notes;
}
