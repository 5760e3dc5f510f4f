/*
 * engine_watch.h - the part of engine.h that tells the problem's watch what
 * changed, and asks it for its judgement.
 */

/* How people call a node: its name; 1 + its index where it has none. */
static inline fc_name run_id_of(const struct run *r, uint32_t node)
{
    return r->setup->type->protocol->anonymous ? node + 1
                                               : sim_name(&r->names, node);
}

/* What was before a step, in case others see a change: the state if it is
 * small, for a copy costs less than a look; else what others see. */
enum { SMALL_STATE = 64, COPIES = sizeof(struct P) <= SMALL_STATE };
struct run_past {
    union {
        char bytes[COPIES ? sizeof(struct P) : 1];
        struct PROBLEM(_view) view;
    };
};

static inline void run_remember(struct run_past *past, const struct P *state,
                                const struct P_(_site) *me)
{
    if (COPIES)
        memcpy(past->bytes, state, sizeof past->bytes);
    else
        P_(_view)(state, me, &past->view);
}

static inline void run_recall(const struct run_past *past,
                              const struct P_(_site) *me,
                              struct PROBLEM(_view) * view)
{
    struct P state;

    if (!COPIES) {
        *view = past->view;
        return;
    }
    memcpy(&state, past->bytes, COPIES ? sizeof state : 0);
    P_(_view)(&state, me, view);
}

static inline void run_look(struct run *r, uint32_t node,
                            const struct run_past *past,
                            const struct P_(_site) *me)
{
    struct PROBLEM(_view) old, new;
    struct fc_shown before, after;
    uint32_t broken;
    bool same;

    run_recall(past, me, &old);
    P_(_view)(&r->nodes[node].state, me, &new);
    same = PROBLEM(_same)(&old, &new);
    if (!r->trace && same)
        return;
#if GUARDED
    /* After a restart the view says idle and what runs on is not: a trace must
     * not end it. */
    broken = same ? 0 : run_tell_watch(r, node, &new);
#else
    (void)same;
    broken =
        PROBLEM(_changed)(&r->watch, run_id_of(r, node), &old, &new, r->now);
#endif
    if (r->trace) {
        PROBLEM(_show)(&old, &before);
        PROBLEM(_show)(&new, &after);
        sim_trace_view(r->trace, &before, &after);
        if (broken)
            sim_trace_broken(r->trace, broken);
    }
}

#ifdef SIM_PARANOID
/* Without the note, nothing that others see may have changed. */
static inline void run_assert_same_view(const struct run_past *past,
                                        const struct P *after,
                                        const struct P_(_site) *me)
{
    struct PROBLEM(_view) old, new;

    run_recall(past, me, &old);
    P_(_view)(after, me, &new);
    assert(memcmp(&old, &new, sizeof old) == 0);
}
#endif

static inline void run_view_of(const struct run *r, uint32_t node,
                               struct PROBLEM(_view) * view)
{
    struct sim_place place = {r->setup, &r->names, &r->graph, node};
    struct P_(_site) me;

    sim_fill_site(&me, &place);
    P_(_view)(&r->nodes[node].state, &me, view);
}

/* The judgement at the end, and what came of it. */
static void run_finish(const struct sim_setup *setup, struct run *r,
                       struct sim_result *result)
{
    struct fc_outcome outcome;
    uint32_t broken;

    for (uint32_t i = 0; PROBLEM(_settles)(&r->watch) && i < r->nodes_count;
         i++) {
        struct PROBLEM(_view) view;

        if (r->nodes[i].down)
            continue;
        run_view_of(r, i, &view);
        PROBLEM(_settled)(&r->watch, run_id_of(r, i), &view);
    }
    broken = r->watch.broken | PROBLEM(_end)(&r->watch, !result->cut);
    PROBLEM(_outcome)(&r->watch, &outcome);
    sim_finish(setup, broken, &outcome, result);
}
