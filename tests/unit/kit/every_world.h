/*
 * every_world.h - the network of every_run.h, a step of a node in it, and what
 * it adds to the amounts of the run.
 */
#ifndef EVERY_WORLD_H
#define EVERY_WORLD_H

#include <string.h>

#include "net/route.h"
#include "net/type.h"
#include "problems/election.h"
#include "tests/unit/kit/test.h"

enum {
    EVERY_NODES = 3,
    EVERY_DEPTH = 2000, /* copies of the world at one time */
    EVERY_MAILS = 12,   /* on one link */
    EVERY_SENDS = 16,   /* of one step */
    EVERY_CELLS = 8,
    EVERY_OWN = 4,    /* quantities of the problem and the protocol */
    EVERY_TIMES = 16, /* that a node does something which is counted */
    EVERY_NOBODY = UINT8_MAX,
};

/* Sums of what is sent; and what is found of a run. */
enum every_amount {
    EVERY_MESSAGES,
    EVERY_BITS,
    EVERY_KINDS,                               /* of each kind */
    EVERY_PASSES = EVERY_KINDS + FC_KINDS_MAX, /* of each name, from 0 on */
    EVERY_SUMS = EVERY_PASSES + EVERY_NODES + 1,
    EVERY_ELECTED = EVERY_SUMS, /* the same, until a leader is elected */
    EVERY_END = EVERY_ELECTED + EVERY_SUMS,
    EVERY_END_AFTER,
    EVERY_GOAL,
    EVERY_GOAL_AFTER,
    EVERY_GRANTING,
    EVERY_OVERTAKEN,
    EVERY_BY_ONE,
    EVERY_OWNS, /* those of the problem, then those of the protocol */
    EVERY_AMOUNTS = EVERY_OWNS + EVERY_OWN,
};

/* What may happen. */
struct every_rules {
    uint32_t requests; /* of each application; or 1: each node starts */
    bool any_start;    /* nodes may start, and need not */
    bool any_order;    /* links do not keep it */
    uint64_t until;    /* with time: the last tick; 0: all ticks */
    uint8_t crashes, losses, copies; /* without time */
};

struct every_node {
    uint8_t armed;
    bool down;
    uint8_t left; /* requests, or a start */
    enum fc_phase phase;
    uint64_t since;                /* it waits, or is inside */
    uint32_t entries[EVERY_NODES]; /* of others while it waits */
    uint64_t timer[FC_TIMERS];     /* steps that are left */
    uint64_t length, ends;         /* of its step: how long, at which tick */
    uint32_t counted[EVERY_OWN];   /* in all, or while it waits */
    uint64_t times[EVERY_TIMES];   /* ticks at which it was counted */
    uint32_t mails[EVERY_NODES];   /* by link */
    uint64_t last[EVERY_NODES];    /* arrival, by link */
    uint64_t arrives[EVERY_NODES][EVERY_MAILS];
};

struct every_world {
    struct every_node node[EVERY_NODES];
    uint64_t tick, last_event;
    uint64_t start, goal; /* 1 + the tick of the first start, of a leader */
    uint32_t cells[EVERY_CELLS];
    uint32_t sum[EVERY_SUMS], elected[EVERY_SUMS], own[EVERY_OWN];
    uint8_t crashes, losses, copies; /* left */
    uint8_t acting, stage;           /* with time: the node, its next act */
    uint8_t done;                    /* nodes that have acted at this tick */
    /* The states of all nodes, then the messages of all links. */
    _Alignas(8) uint8_t bytes[];
};

struct every_run {
    const struct net_type *type;
    const struct net *net;
    struct every_rules rules;
    struct net_names names;
    struct net_graph graph;
    bool timed;
    uint32_t nodes;
    size_t world_size, state_size, out_size;
    uint64_t most[EVERY_AMOUNTS], least[EVERY_AMOUNTS]; /* 1 + it; 0: none */
    uint64_t runs;
    uint8_t *copies;
    uint32_t copies_count;
};

static void every_next(struct every_run *e, const struct every_world *w);

/* A copy of the world, to be dropped before older ones are. */
static struct every_world *every_copy(struct every_run *e,
                                      const struct every_world *w)
{
    uint8_t *copy = e->copies + e->copies_count++ * e->world_size;

    assert_true(e->copies_count < EVERY_DEPTH);
    memcpy(copy, w, e->world_size);
    return (struct every_world *)(void *)copy;
}

static void every_drop(struct every_run *e)
{
    e->copies_count--;
}

static uint8_t *every_state(const struct every_run *e, struct every_world *w,
                            uint32_t node)
{
    return w->bytes + node * e->state_size;
}

static uint8_t *every_mail(const struct every_run *e, struct every_world *w,
                           uint32_t node, uint32_t link, uint32_t at)
{
    return w->bytes + e->nodes * e->state_size +
           ((node * EVERY_NODES + link) * EVERY_MAILS + at) * e->type->msg_size;
}

static void every_note_most(struct every_run *e, uint32_t what, uint64_t value)
{
    if (value + 1 > e->most[what])
        e->most[what] = value + 1;
}

static void every_note(struct every_run *e, uint32_t what, uint64_t value)
{
    every_note_most(e, what, value);
    if (!e->least[what] || value + 1 < e->least[what])
        e->least[what] = value + 1;
}

/* ---- Amounts ------------------------------------------------------------- */

/* The i-th quantity of the problem and the protocol, or NULL. */
static const struct fc_quantity *every_own(const struct net_type *type,
                                           uint32_t i)
{
    const struct fc_problem *p = type->protocol->problem;

    if (i < p->quantities_count)
        return &p->quantities[i];
    i -= p->quantities_count;
    return i < type->quantities_count ? &type->quantities[i] : NULL;
}

/* One entry more while others wait. */
static void every_overtake(struct every_run *e, struct every_world *w,
                           uint32_t enters)
{
    for (uint32_t j = 0; j < e->nodes; j++) {
        struct every_node *waits = &w->node[j];
        uint32_t all = 0;

        if (j == enters || waits->phase != FC_WAITING)
            continue;
        waits->entries[enters]++;
        every_note_most(e, EVERY_BY_ONE, waits->entries[enters]);
        for (uint32_t k = 0; k < e->nodes; k++)
            all += waits->entries[k];
        every_note_most(e, EVERY_OVERTAKEN, all);
    }
}

/* A wait is over. */
static void every_enter(struct every_run *e, struct every_world *w,
                        uint32_t node)
{
    struct every_node *n = &w->node[node];
    uint32_t all = 0;

    every_note(e, EVERY_GRANTING, w->tick - n->since);
    for (uint32_t j = 0; j < e->nodes; j++) {
        all += n->entries[j];
        if (j != node)
            every_note(e, EVERY_BY_ONE, n->entries[j]);
    }
    every_note(e, EVERY_OVERTAKEN, all);
    every_overtake(e, w, node);
}

/* What the application of a node notices, after a part of a step. */
static void every_look(struct every_run *e, struct every_world *w,
                       uint32_t node, uint8_t view[NET_VIEW_SIZE])
{
    struct net_place place = {e->net, &e->names, &e->graph, node};
    struct every_node *n = &w->node[node];
    enum fc_phase phase, before = n->phase;

    e->type->view(&place, every_state(e, w, node), view, &phase);
    if (!e->type->repeats || phase == before)
        return;
    if (before == FC_IDLE) { /* it asks: a wait begins */
        n->since = w->tick;
        memset(n->entries, 0, sizeof n->entries);
        if (phase == FC_WAITING) {
            every_note_most(e, EVERY_OVERTAKEN, 0);
            every_note_most(e, EVERY_BY_ONE, 0);
        }
    }
    if (phase == FC_INSIDE)
        every_enter(e, w, node);
    n->phase = phase;
}

/* All nodes have done something the i-th time: how far apart. */
static void every_apart(struct every_run *e, const struct every_world *w,
                        uint32_t own, uint32_t i)
{
    uint64_t first = UINT64_MAX, last = 0;

    for (uint32_t j = 0; j < e->nodes; j++) {
        const struct every_node *n = &w->node[j];

        if (n->counted[own] <= i)
            return;
        first = n->times[i] < first ? n->times[i] : first;
        last = n->times[i] > last ? n->times[i] : last;
    }
    every_note(e, EVERY_OWNS + own, last - first);
}

static void every_count(struct every_run *e, struct every_world *w,
                        uint32_t node, uint32_t own, uint32_t added,
                        enum fc_phase was)
{
    struct every_node *n = &w->node[node];
    bool served = was == FC_WAITING && n->phase != FC_WAITING;

    switch (every_own(e->type, own)->over) {
    case FC_OVER_RUN:
        w->own[own] += added;
        break;
    case FC_OVER_NODE:
        n->counted[own] += added;
        if (n->counted[own] > w->own[own])
            w->own[own] = n->counted[own];
        break;
    case FC_AT_ONCE:
        if (added > w->own[own])
            w->own[own] = added;
        break;
    case FC_OVER_WAIT: /* readers only: a write counts nothing */
        n->counted[own] = was == FC_WAITING ? n->counted[own] + added : 0;
        if (served && n->counted[own])
            every_note(e, EVERY_OWNS + own, n->counted[own]);
        break;
    case FC_APART:
        if (!added)
            break;
        assert_true(n->counted[own] < EVERY_TIMES);
        n->times[n->counted[own]++] = w->tick;
        every_apart(e, w, own, n->counted[own] - 1);
        break;
    }
}

/* ---- One step ------------------------------------------------------------ */

struct every_step {
    struct every_run *run;
    struct every_world *world;
    uint32_t node, notes;
    enum fc_phase was;
    _Alignas(8) uint8_t seen[NET_VIEW_SIZE]; /* before it */
    uint8_t *sends;                          /* of the protocol's outbox */
    struct every_post {
        uint32_t to;
        uint16_t comes_by;
    } post[EVERY_SENDS];
    uint8_t *msgs; /* that it has sent so far */
    uint32_t posts;
};

static bool every_save(struct every_step *d)
{
    (void)d;
    return true;
}

static void every_send(struct every_step *d, uint32_t slot, uint16_t port)
{
    const struct every_run *e = d->run;
    const uint8_t *msg = d->sends + slot * e->type->msg_size;
    struct net_route way = net_route(e->type->protocol->topology, &e->graph,
                                     e->nodes, d->node, port);
    uint64_t fields[FC_FIELDS_MAX];
    uint32_t *sum = d->world->sum;

    assert_true(d->posts < EVERY_SENDS);
    d->post[d->posts].to = way.to;
    d->post[d->posts].comes_by = way.comes_by;
    memcpy(d->msgs + d->posts++ * e->type->msg_size, msg, e->type->msg_size);
    sum[EVERY_MESSAGES]++;
    sum[EVERY_BITS] += e->type->paper_bits(msg);
    sum[EVERY_KINDS + e->type->kind(msg)]++;
    if (e->type->fields(msg, fields) && fields[0] <= EVERY_NODES)
        sum[EVERY_PASSES + fields[0]]++;
}

static void every_store(struct every_step *d, uint32_t cell, uint32_t value)
{
    assert_true(cell < EVERY_CELLS);
    d->world->cells[cell] = value;
}

static void every_start(struct every_step *d, uint32_t timer, uint64_t steps)
{
    struct every_node *n = &d->world->node[d->node];

    n->armed &= (uint8_t) ~(1u << timer);
    if (steps == FC_NEVER)
        return;
    n->armed |= (uint8_t)(1u << timer);
    n->timer[timer] = steps;
}

static void every_stop(struct every_step *d, uint32_t timer)
{
    d->world->node[d->node].armed &= (uint8_t) ~(1u << timer);
}

#define OBEY(name)    FC_PASTE(every_, name)
#define OBEY_DRIVER   struct every_step
#define OBEY_TIMERS   d->run->type->timers
#define OBEY_TOPOLOGY d->run->type->protocol->topology
#define OBEY_SELF     d->node
#define OBEY_NODES    d->run->nodes
#include "core/obey.inc"

static void every_put(struct every_run *e, struct every_world *w, uint32_t node,
                      uint32_t link, const uint8_t *msg, uint64_t arrives)
{
    struct every_node *n = &w->node[node];
    uint32_t at = n->mails[link]++;

    assert_true(at < EVERY_MAILS);
    memcpy(every_mail(e, w, node, link, at), msg, e->type->msg_size);
    n->arrives[link][at] = arrives;
}

static void every_take(struct every_run *e, struct every_world *w,
                       uint32_t node, uint32_t link, uint32_t at)
{
    struct every_node *n = &w->node[node];
    uint32_t behind = --n->mails[link] - at;

    memmove(every_mail(e, w, node, link, at),
            every_mail(e, w, node, link, at + 1), behind * e->type->msg_size);
    memmove(&n->arrives[link][at], &n->arrives[link][at + 1],
            behind * sizeof n->arrives[link][at]);
}

/* The i-th message of a step is sent, with every delay; then what follows. */
static void every_post(struct every_run *e, const struct every_world *w,
                       const struct every_step *step, uint32_t i)
{
    const struct fc_bounds *b = &e->net->world.bounds;
    uint64_t least = b->dmin ? b->dmin : 1, most = b->dmax ? b->dmax : 1;

    if (i == step->posts) {
        every_next(e, w);
        return;
    }
    for (uint64_t delay = least; delay <= (e->timed ? most : least); delay++) {
        struct every_world *then = every_copy(e, w);
        uint32_t to = step->post[i].to, link = step->post[i].comes_by;
        uint64_t *last = &then->node[to].last[link], at = w->tick + delay;

        if (!e->rules.any_order && at < *last)
            at = *last;
        *last = at;
        every_put(e, then, to, link, step->msgs + i * e->type->msg_size, at);
        every_post(e, then, step, i + 1);
        every_drop(e);
    }
}

/* The step is complete: what it adds. */
static void every_conclude(struct every_run *e, struct every_step *step,
                           const uint8_t seen[NET_VIEW_SIZE])
{
    struct every_world *w = step->world;
    struct election_view view;
    const struct fc_quantity *q;

    memcpy(&view, seen, sizeof view);
    for (uint32_t i = 0; (q = every_own(e->type, i)); i++) {
        bool by_view = i < e->type->protocol->problem->quantities_count;
        uint32_t added = q->note ? (step->notes & q->note) != 0
                         : by_view
                             ? q->amount(step->seen, seen)
                             : q->amount(NULL, every_state(e, w, step->node));

        assert_true(i < EVERY_OWN);
        every_count(e, w, step->node, i, added, step->was);
    }
    if (!w->start && step->notes & FC_NOTE_STARTED)
        w->start = 1 + w->tick;
    if (w->goal || strcmp(e->type->protocol->problem->name, "election") != 0 ||
        view.role != ELECTION_LEADER)
        return;
    w->goal = 1 + w->tick;
    every_note(e, EVERY_GOAL, w->tick);
    every_note(e, EVERY_GOAL_AFTER, w->goal - w->start);
    for (uint32_t i = 0; i < EVERY_SUMS; i++)
        every_note(e, EVERY_ELECTED + i, w->sum[i]);
}

/* A part of a step, and those that follow; a choice goes all ways. */
static void every_part(struct every_run *e, const struct every_step *before,
                       struct fc_event event, const void *msg)
{
    struct net_place place = {e->net, &e->names, &e->graph, before->node};
    _Alignas(8) uint8_t seen[NET_VIEW_SIZE];
    uint8_t *sends = calloc(1, e->out_size);
    uint8_t *msgs = calloc(EVERY_SENDS, e->type->msg_size);
    struct every_step step = *before;
    struct every_world *w = every_copy(e, before->world);
    struct fc_effects fx;
    enum fc_then more;
    bool ignored; /* then nothing has happened, and this is not a run */

    if (before->msgs)
        memcpy(msgs, before->msgs, before->posts * e->type->msg_size);
    step.world = w;
    step.sends = sends;
    step.msgs = msgs;
    e->type->step(&place, every_state(e, w, step.node), &event, msg, &fx,
                  sends);
    more = every_obey(&step, &fx);
    step.notes |= fx.notes;
    ignored = event.kind == FC_COMMAND && !(fx.notes & FC_NOTE_STARTED);
    every_look(e, w, step.node, seen);
    /* A command that is obeyed takes the step: nothing is read in it. */
    if (event.kind == FC_COMMAND && !e->type->reads_all &&
        fx.notes & FC_NOTE_STARTED)
        w->stage = 2;
    if (more == FC_THEN_DONE && !ignored) {
        every_conclude(e, &step, seen);
        every_post(e, w, &step, 0);
    }
    event = (struct fc_event){.kind = FC_GO_ON};
    if (more == FC_THEN_LOAD)
        event =
            (struct fc_event){.kind = FC_LOADED, .value = w->cells[fx.cell]};
    if (more == FC_THEN_GO_ON || more == FC_THEN_LOAD)
        every_part(e, &step, event, NULL);
    event.kind = FC_CHOICE;
    for (; more == FC_THEN_CHOOSE && event.value < fx.choose; event.value++)
        every_part(e, &step, event, NULL);
    assert_true(more != FC_THEN_FAILED);
    every_drop(e);
    free(sends);
    free(msgs);
}

static void every_act(struct every_run *e, const struct every_world *before,
                      uint32_t node, struct fc_event event, const void *msg)
{
    struct net_place place = {e->net, &e->names, &e->graph, node};
    struct every_world *w = every_copy(e, before);
    struct every_step step = {
        .run = e, .world = w, .node = node, .was = w->node[node].phase};
    enum fc_phase phase;

    e->type->view(&place, every_state(e, w, node), step.seen, &phase);
    w->last_event = w->tick;
    every_part(e, &step, event, msg);
    every_drop(e);
}

#endif
