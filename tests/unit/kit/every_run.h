/*
 * every_run.h - every run of a small network, one after the other, to its end:
 * what the checker's quantities are compared with.
 *
 * It shares nothing with the checker: no states are compared or merged, delays
 * and lengths of steps are chosen when a message is sent and when a step
 * begins, and amounts are counted along the run.
 */
#ifndef EVERY_RUN_H
#define EVERY_RUN_H

#include "tests/unit/kit/every_world.h"

/* ---- What can happen ----------------------------------------------------- */

static void every_read(struct every_run *e, const struct every_world *w,
                       uint32_t node, uint32_t link, uint32_t at)
{
    struct fc_event event = {.kind = FC_MESSAGE, .port = (uint16_t)link};
    struct every_world *read = every_copy(e, w);
    uint8_t *msg = malloc(e->type->msg_size);

    memcpy(msg, every_mail(e, read, node, link, at), e->type->msg_size);
    every_take(e, read, node, link, at);
    if (!e->type->reads_all)
        read->stage = 2;
    every_act(e, read, node, event, msg);
    every_drop(e);
    free(msg);
}

static void every_ask(struct every_run *e, const struct every_world *w,
                      uint32_t node)
{
    struct fc_event event = {.kind = FC_COMMAND};
    struct every_world *asks = every_copy(e, w);

    asks->node[node].left--;
    asks->stage = 1;
    if (e->type->repeats)
        event.command = e->type->request(false);
    every_act(e, asks, node, event, NULL);
    every_drop(e);
}

static void every_leave(struct every_run *e, const struct every_world *w,
                        uint32_t node)
{
    struct fc_event event = {.kind = FC_COMMAND,
                             .command = e->type->farewell()};
    struct every_world *leaves = every_copy(e, w);

    leaves->stage = 1;
    every_act(e, leaves, node, event, NULL);
    every_drop(e);
}

static void every_ring(struct every_run *e, const struct every_world *w,
                       uint32_t node, uint32_t timer)
{
    struct fc_event event = {.kind = FC_TIMEOUT, .timer = (uint8_t)timer};
    struct every_world *rings = every_copy(e, w);

    rings->node[node].armed &= (uint8_t) ~(1u << timer);
    rings->stage = 2;
    every_act(e, rings, node, event, NULL);
    every_drop(e);
}

/* Nothing more must happen: a run, if all was asked for that is to be. */
static bool every_is_over(const struct every_run *e,
                          const struct every_world *w)
{
    for (uint32_t i = 0; i < e->nodes; i++) {
        const struct every_node *n = &w->node[i];

        if (n->down)
            continue;
        if (n->armed || n->phase == FC_INSIDE ||
            (n->left && (e->type->repeats || !e->rules.any_start)))
            return false;
        for (uint32_t l = 0; l < EVERY_NODES; l++)
            if (n->mails[l])
                return false;
    }
    return w->start != 0;
}

/* A run is over, or goes on beyond the last tick: then only what it has so far
 * is known. */
static void every_end(struct every_run *e, const struct every_world *w,
                      bool over)
{
    void (*note)(struct every_run *, uint32_t, uint64_t) =
        over ? every_note : every_note_most;
    const struct fc_quantity *q;

    e->runs++;
    for (uint32_t i = 0; i < EVERY_SUMS; i++)
        note(e, i, w->sum[i]);
    for (uint32_t i = 0; (q = every_own(e->type, i)); i++)
        if (q->over != FC_OVER_WAIT && q->over != FC_APART)
            note(e, EVERY_OWNS + i, w->own[i]);
    if (!over)
        return;
    every_note(e, EVERY_END, w->last_event);
    every_note(e, EVERY_END_AFTER, w->last_event + 1 - w->start);
}

/* Without time: a crash, a loss, a copy. */
static void every_fault(struct every_run *e, const struct every_world *w,
                        uint32_t node)
{
    struct every_world *then = every_copy(e, w);
    struct every_node *n = &then->node[node];

    if (w->crashes) {
        then->crashes--;
        n->down = true;
        n->armed = 0;
        n->phase = FC_IDLE;
        memset(every_state(e, then, node), 0, e->state_size);
        every_next(e, then);
    }
    for (uint32_t l = 0; l < EVERY_NODES; l++)
        for (uint32_t i = 0; i < w->node[node].mails[l]; i++) {
            if (w->losses) {
                memcpy(then, w, e->world_size);
                then->losses--;
                every_take(e, then, node, l, i);
                every_next(e, then);
            }
            if (w->copies) {
                memcpy(then, w, e->world_size);
                then->copies--;
                every_put(e, then, node, l, every_mail(e, then, node, l, i), 0);
                every_next(e, then);
            }
        }
    every_drop(e);
}

/* Without time: whatever is possible. */
static void every_untimed(struct every_run *e, const struct every_world *w)
{
    if (every_is_over(e, w))
        every_end(e, w, true);
    for (uint32_t i = 0; i < e->nodes; i++) {
        const struct every_node *n = &w->node[i];

        if (n->down)
            continue;
        every_fault(e, w, i);
        if (n->left && n->phase == FC_IDLE)
            every_ask(e, w, i);
        if (!e->type->repeats && n->left && !e->rules.any_start)
            continue; /* it starts before anything else */
        if (e->type->repeats && n->phase == FC_INSIDE)
            every_leave(e, w, i);
        for (uint32_t l = 0; l < EVERY_NODES; l++)
            for (uint32_t k = 0;
                 k < (e->rules.any_order ? n->mails[l] : n->mails[l] > 0); k++)
                every_read(e, w, i, l, k);
        for (uint32_t t = 0; t < e->type->timers; t++)
            if (n->armed >> t & 1)
                every_ring(e, w, i, t);
    }
}

/* ---- With time ----------------------------------------------------------- */

/* The arrival of the message that a node reads next; UINT64_MAX: none. */
static uint64_t every_first(const struct every_node *n)
{
    uint64_t first = UINT64_MAX;

    for (uint32_t l = 0; l < EVERY_NODES; l++)
        for (uint32_t i = 0; i < n->mails[l]; i++)
            if (n->arrives[l][i] < first)
                first = n->arrives[l][i];
    return first;
}

static bool every_may_ask(const struct every_node *n)
{
    return n->left && n->phase == FC_IDLE;
}

/* A node at the end of a step: its application may speak, then it reads, then
 * timers that are due expire. */
static void every_turn(struct every_run *e, const struct every_world *w)
{
    uint32_t node = w->acting;
    const struct every_node *n = &w->node[node];
    struct every_world *then = every_copy(e, w);
    uint64_t first = every_first(n);
    bool must = !e->type->repeats && n->left && !e->rules.any_start;

    if (w->stage == 0 && e->type->repeats && n->phase == FC_INSIDE) {
        every_leave(e, w, node);
    } else if (w->stage == 0) {
        if (every_may_ask(n))
            every_ask(e, w, node);
        then->stage = 1;
        if (!must)
            every_turn(e, then);
    } else if (w->stage == 1 && first <= w->tick) {
        for (uint32_t l = 0; l < EVERY_NODES; l++)
            for (uint32_t i = 0; i < n->mails[l]; i++)
                if (n->arrives[l][i] == first) {
                    every_read(e, w, node, l, i);
                    if (!e->rules.any_order)
                        break;
                }
    } else {
        bool due = false;

        for (uint32_t t = 0; t < e->type->timers; t++)
            if ((n->armed >> t & 1) && n->timer[t] == 0) {
                due = true;
                every_ring(e, w, node, t);
            }
        then->acting = EVERY_NOBODY;
        if (!due)
            every_next(e, then);
    }
    every_drop(e);
}

/* A node's step ends at this tick, and the next begins. */
static void every_step_ends(struct every_run *e, const struct every_world *w,
                            uint32_t node)
{
    const struct fc_bounds *b = &e->net->world.bounds;
    bool drifts =
        e->net->time == NET_ARCHIMEDEAN && e->net->clock == NET_CLOCK_DRIFT;
    uint64_t least = drifts ? b->rmin : w->node[node].length;
    uint64_t most = drifts ? b->rmax : w->node[node].length;

    for (uint64_t length = least; length <= most; length++) {
        struct every_world *then = every_copy(e, w);
        struct every_node *n = &then->node[node];

        then->done |= (uint8_t)(1u << node);
        then->acting = (uint8_t)node;
        then->stage = 0;
        n->ends = w->tick + length;
        for (uint32_t t = 0; t < FC_TIMERS; t++)
            n->timer[t] -= n->timer[t] > 0;
        every_turn(e, then);
        every_drop(e);
    }
}

/* Whether a node has nothing to do at the end of this step. */
static bool every_is_idle(const struct every_run *e,
                          const struct every_world *w, uint32_t node)
{
    const struct every_node *n = &w->node[node];

    for (uint32_t t = 0; t < e->type->timers; t++)
        if ((n->armed >> t & 1) && n->timer[t] <= 1)
            return false;
    return every_first(n) > w->tick && n->phase != FC_INSIDE &&
           !every_may_ask(n);
}

/* Nodes whose steps end at this tick act in every order; those that have
 * nothing to do come first. */
static void every_timed(struct every_run *e, const struct every_world *w)
{
    uint32_t now = 0;
    struct every_world *later;

    if (w->acting != EVERY_NOBODY) {
        every_turn(e, w);
        return;
    }
    for (uint32_t i = 0; i < e->nodes; i++)
        if (w->node[i].ends == w->tick && !(w->done >> i & 1)) {
            now |= 1u << i;
            if (every_is_idle(e, w, i)) {
                every_step_ends(e, w, i);
                return;
            }
        }
    for (uint32_t i = 0; i < e->nodes; i++)
        if (now >> i & 1)
            every_step_ends(e, w, i);
    if (now)
        return;
    if (every_is_over(e, w) || (e->rules.until && w->tick == e->rules.until)) {
        every_end(e, w, every_is_over(e, w));
        if (!e->rules.any_start || !every_is_over(e, w) ||
            w->tick == e->rules.until)
            return;
    }
    assert_true(w->tick < 200);
    later = every_copy(e, w);
    later->tick++;
    later->done = 0;
    every_timed(e, later);
    every_drop(e);
}

static void every_next(struct every_run *e, const struct every_world *w)
{
    if (e->timed)
        every_timed(e, w);
    else
        every_untimed(e, w);
}

/* Every length and age of the first steps of the nodes from this one on. */
static void every_begin(struct every_run *e, const struct every_world *w,
                        uint32_t node)
{
    const struct fc_bounds *b = &e->net->world.bounds;
    bool drifts = e->net->clock == NET_CLOCK_DRIFT;
    struct every_world *then = every_copy(e, w);
    struct every_node *n = &then->node[node];
    uint64_t least = drifts ? b->rmax : b->rmin;

    if (node == e->nodes || e->net->time != NET_ARCHIMEDEAN)
        every_next(e, w);
    else
        for (n->length = least; n->length <= b->rmax; n->length++)
            for (n->ends = 0; n->ends < n->length; n->ends++)
                every_begin(e, then, node + 1);
    every_drop(e);
}

/* Whether these rules can be followed for a protocol. */
static inline bool every_can(const struct net_type *type)
{
    return !type->clocked;
}

/* All runs. */
static inline void every_run(struct every_run *e, const struct net *net)
{
    struct net_memory memory = {.segment_bytes = 0};
    struct every_world *w;

    e->net = net;
    e->type = net_type_of(net);
    e->timed = net->time != NET_ASYNC;
    e->nodes = net->world.nodes;
    assert_true(every_can(e->type) && e->nodes <= EVERY_NODES);
    e->state_size = (e->type->state_size + 7) / 8 * 8;
    e->out_size = e->type->out_size;
    e->world_size =
        sizeof *w + e->nodes * e->state_size +
        (size_t)EVERY_NODES * EVERY_NODES * EVERY_MAILS * e->type->msg_size;
    e->world_size = (e->world_size + 7) / 8 * 8;
    w = calloc(1, e->world_size);
    e->copies = malloc(EVERY_DEPTH * e->world_size);
    assert_non_null(w);
    assert_non_null(e->copies);
    assert_int_equal(net_names_begin(&e->names, net, 1, true, &memory), 0);
    if (e->type->protocol->topology == FC_TREE)
        assert_int_equal(net_graph_begin(&e->graph, net, 1, &memory), 0);
    w->acting = EVERY_NOBODY;
    w->crashes = e->rules.crashes;
    w->losses = e->rules.losses;
    w->copies = e->rules.copies;
    for (uint32_t i = 0; i < e->nodes; i++) {
        w->node[i].left = (uint8_t)e->rules.requests;
        w->node[i].length = 1;
    }
    every_begin(e, w, 0);
    free(w);
    free(e->copies);
    net_memory_free(&memory);
}

#endif
