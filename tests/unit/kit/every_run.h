/*
 * every_run.h - every run of a small network, one after the other, to its end:
 * what the checker's quantities are compared with.
 *
 * It shares nothing with the checker: no states are compared or merged, and
 * with time the delay of a message is chosen when it is sent.  Links keep the
 * order, every step takes a tick, a node reads one message in a step, and its
 * application stays inside for one step.
 */
#ifndef EVERY_RUN_H
#define EVERY_RUN_H

#include <string.h>

#include "net/route.h"
#include "net/type.h"
#include "problems/election.h"
#include "tests/unit/kit/test.h"

enum {
    EVERY_NODES = 3,
    EVERY_STATE = 4608,
    EVERY_DEPTH = 400, /* copies of the world at one time */
    EVERY_MSG = 64,
    EVERY_MAILS = 12,
    EVERY_SENDS = 12,
    EVERY_OUT = 1024,
};

enum every_amount {
    EVERY_MESSAGES,
    EVERY_BITS,
    EVERY_END,
    EVERY_GOAL,
    EVERY_GRANTING,
    EVERY_OVERTAKEN,
    EVERY_BY_ONE,
    EVERY_KINDS,                               /* of each kind */
    EVERY_PASSES = EVERY_KINDS + FC_KINDS_MAX, /* of each name, from 0 on */
    EVERY_AMOUNTS = EVERY_PASSES + EVERY_NODES + 1,
};

struct every_mail {
    _Alignas(8) uint8_t msg[EVERY_MSG];
    uint64_t arrives;
};

struct every_world {
    _Alignas(8) uint8_t state[EVERY_NODES][EVERY_STATE];
    struct every_mail box[EVERY_NODES][EVERY_NODES][EVERY_MAILS]; /* by link */
    uint32_t count[EVERY_NODES][EVERY_NODES];
    uint64_t last[EVERY_NODES][EVERY_NODES]; /* arrival on a link */
    uint8_t armed[EVERY_NODES];
    uint8_t left[EVERY_NODES]; /* requests; or 1: it will start */
    bool started;              /* some node has */
    enum fc_phase phase[EVERY_NODES];
    uint64_t since[EVERY_NODES];                /* it waits, or is inside */
    uint32_t entries[EVERY_NODES][EVERY_NODES]; /* while one waits, by others */
    uint64_t tick, last_event, goal;
    uint32_t sum[EVERY_AMOUNTS];
};

struct every_run {
    const struct net_type *type;
    const struct net *net;
    struct net_names names;
    struct net_graph graph;
    uint64_t asks_until; /* with time: applications ask no later */
    bool timed, any_start;
    uint64_t most[EVERY_AMOUNTS], least[EVERY_AMOUNTS]; /* least: 1 + it */
    uint64_t runs;
    struct every_world *copies;
    uint32_t copies_count;
};

static void every_next(struct every_run *e, const struct every_world *w,
                       uint32_t node);

/* A copy of the world, to be dropped before older ones are. */
static struct every_world *every_copy(struct every_run *e,
                                      const struct every_world *w)
{
    struct every_world *copy = &e->copies[e->copies_count++];

    assert_true(e->copies_count < EVERY_DEPTH);
    memcpy(copy, w, sizeof *copy);
    return copy;
}

static void every_drop(struct every_run *e)
{
    e->copies_count--;
}

static void every_note_most(struct every_run *e, uint32_t what, uint64_t value)
{
    if (value > e->most[what])
        e->most[what] = value;
}

static void every_note(struct every_run *e, uint32_t what, uint64_t value)
{
    every_note_most(e, what, value);
    if (!e->least[what] || value + 1 < e->least[what])
        e->least[what] = value + 1;
}

/* ---- One step ------------------------------------------------------------ */

struct every_step {
    struct every_run *run;
    struct every_world *world;
    uint32_t node;
    uint8_t *sends; /* of the protocol's outbox */
    struct every_post {
        uint32_t to;
        uint16_t comes_by;
        uint8_t msg[EVERY_MSG];
    } post[EVERY_SENDS];
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
                                     e->net->world.nodes, d->node, port);
    uint64_t fields[FC_FIELDS_MAX];
    uint32_t *sum = d->world->sum;

    assert_true(d->posts < EVERY_SENDS);
    d->post[d->posts].to = way.to;
    d->post[d->posts].comes_by = way.comes_by;
    memcpy(d->post[d->posts++].msg, msg, e->type->msg_size);
    sum[EVERY_MESSAGES]++;
    sum[EVERY_BITS] += e->type->paper_bits(msg);
    sum[EVERY_KINDS + e->type->kind(msg)]++;
    if (e->type->fields(msg, fields) && fields[0] <= EVERY_NODES)
        sum[EVERY_PASSES + fields[0]]++;
}

static void every_store(struct every_step *d, uint32_t cell, uint32_t value)
{
    (void)d;
    (void)cell;
    (void)value;
    fail();
}

static void every_start(struct every_step *d, uint32_t timer, uint64_t steps)
{
    (void)steps;
    assert_false(d->run->timed);
    d->world->armed[d->node] |= (uint8_t)(1u << timer);
}

static void every_stop(struct every_step *d, uint32_t timer)
{
    d->world->armed[d->node] &= (uint8_t) ~(1u << timer);
}

#define OBEY(name)    FC_PASTE(every_, name)
#define OBEY_DRIVER   struct every_step
#define OBEY_TIMERS   d->run->type->timers
#define OBEY_TOPOLOGY d->run->type->protocol->topology
#define OBEY_SELF     d->node
#define OBEY_NODES    d->run->net->world.nodes
#include "core/obey.inc"

/* What a node's application notices, and the amounts that follow. */
static void every_look(struct every_run *e, struct every_world *w,
                       uint32_t node)
{
    struct net_place place = {e->net, &e->names, &e->graph, node};
    uint8_t view[NET_VIEW_SIZE];
    struct election_view election;
    enum fc_phase phase;

    e->type->view(&place, w->state[node], view, &phase);
    memcpy(&election, view, sizeof election);
    if (!e->type->repeats && election.role == ELECTION_LEADER && !w->goal) {
        w->goal = 1 + w->tick;
        every_note(e, EVERY_GOAL, w->tick);
    }
    if (!e->type->repeats || phase == w->phase[node])
        return;
    if (w->phase[node] == FC_IDLE) { /* it asks: a wait begins */
        w->since[node] = w->tick;
        memset(w->entries[node], 0, sizeof w->entries[node]);
    }
    if (phase == FC_INSIDE) {
        uint32_t all = 0;

        every_note(e, EVERY_GRANTING, w->tick - w->since[node]);
        for (uint32_t j = 0; j < e->net->world.nodes; j++) {
            all += w->entries[node][j];
            if (j != node)
                every_note(e, EVERY_BY_ONE, w->entries[node][j]);
        }
        every_note(e, EVERY_OVERTAKEN, all);
        w->since[node] = w->tick;
        for (uint32_t j = 0; j < e->net->world.nodes; j++) {
            if (j == node || w->phase[j] != FC_WAITING)
                continue;
            w->entries[j][node]++;
            every_note_most(e, EVERY_BY_ONE, w->entries[j][node]);
            all = 0;
            for (uint32_t k = 0; k < e->net->world.nodes; k++)
                all += w->entries[j][k];
            every_note_most(e, EVERY_OVERTAKEN, all);
        }
    }
    w->phase[node] = phase;
}

/* Messages from the i-th on are sent, with every delay; then it goes on. */
static void every_post(struct every_run *e, const struct every_world *w,
                       const struct every_step *step, uint32_t i,
                       uint32_t then);

/* A part of a step, and those that follow; a choice goes all ways. */
static void every_part(struct every_run *e, const struct every_step *before,
                       struct fc_event event, const void *msg, uint32_t then)
{
    struct net_place place = {e->net, &e->names, &e->graph, before->node};
    _Alignas(8) uint8_t sends[EVERY_OUT];
    struct every_step step = *before;
    struct every_world *w = every_copy(e, before->world);
    struct fc_effects fx;
    enum fc_then more;

    step.world = w;
    step.sends = sends;
    e->type->step(&place, w->state[step.node], &event, msg, &fx, sends);
    more = every_obey(&step, &fx);
    every_look(e, w, step.node);
    /* A command that is obeyed takes the step: nothing is read in it. */
    if (e->timed && event.kind == FC_COMMAND && fx.notes & FC_NOTE_STARTED)
        then++;
    if (more == FC_THEN_DONE)
        every_post(e, w, &step, 0, then);
    event = (struct fc_event){.kind = FC_GO_ON};
    if (more == FC_THEN_GO_ON)
        every_part(e, &step, event, NULL, then);
    event.kind = FC_CHOICE;
    for (; more == FC_THEN_CHOOSE && event.value < fx.choose; event.value++)
        every_part(e, &step, event, NULL, then);
    assert_true(more != FC_THEN_LOAD && more != FC_THEN_FAILED);
    every_drop(e);
}

static void every_act(struct every_run *e, const struct every_world *before,
                      uint32_t node, struct fc_event event, const void *msg,
                      uint32_t then)
{
    struct every_world *w = every_copy(e, before);
    struct every_step step = {.run = e, .world = w, .node = node};

    w->last_event = w->tick;
    every_part(e, &step, event, msg, then);
    every_drop(e);
}

static void every_post(struct every_run *e, const struct every_world *w,
                       const struct every_step *step, uint32_t i, uint32_t then)
{
    const struct fc_bounds *b = &e->net->world.bounds;
    const struct every_post *p = &step->post[i];
    uint64_t least = b->dmin ? b->dmin : 1, most = e->timed ? b->dmax : least;

    if (i == step->posts) {
        every_next(e, w, then);
        return;
    }
    for (uint64_t delay = least; delay <= most; delay++) {
        struct every_world *then_world = every_copy(e, w);
        struct every_mail *mail;
        uint64_t *last;

        last = &then_world->last[p->to][p->comes_by];
        assert_true(then_world->count[p->to][p->comes_by] < EVERY_MAILS);
        mail = &then_world->box[p->to][p->comes_by]
                               [then_world->count[p->to][p->comes_by]++];
        memcpy(mail->msg, p->msg, e->type->msg_size);
        mail->arrives = w->tick + delay > *last ? w->tick + delay : *last;
        *last = mail->arrives;
        every_post(e, then_world, step, i + 1, then);
        every_drop(e);
    }
}

/* ---- What can happen ----------------------------------------------------- */

static void every_read(struct every_run *e, const struct every_world *w,
                       uint32_t node, uint16_t link, uint32_t then)
{
    struct fc_event event = {.kind = FC_MESSAGE, .port = link};
    struct every_world *read = every_copy(e, w);
    _Alignas(8) uint8_t msg[EVERY_MSG];

    memcpy(msg, w->box[node][link][0].msg, sizeof msg);
    read->count[node][link]--;
    memmove(read->box[node][link], read->box[node][link] + 1,
            read->count[node][link] * sizeof read->box[node][link][0]);
    every_act(e, read, node, event, msg, then);
    every_drop(e);
}

static void every_ask(struct every_run *e, const struct every_world *w,
                      uint32_t node, uint32_t then)
{
    struct fc_event event = {.kind = FC_COMMAND};
    struct every_world *asks = every_copy(e, w);

    asks->left[node]--;
    asks->started = true;
    if (e->type->repeats)
        event.command = e->type->request(false);
    every_act(e, asks, node, event, NULL, then);
    every_drop(e);
}

static void every_leave(struct every_run *e, const struct every_world *w,
                        uint32_t node, uint32_t then)
{
    struct fc_event event = {.kind = FC_COMMAND,
                             .command = e->type->farewell()};

    every_act(e, w, node, event, NULL, then);
}

/* Nothing more must happen: a run, if all was asked for that is to be. */
static bool every_is_over(const struct every_run *e,
                          const struct every_world *w)
{
    for (uint32_t i = 0; i < e->net->world.nodes; i++) {
        if (w->armed[i] || w->phase[i] == FC_INSIDE ||
            (w->left[i] && !e->any_start))
            return false;
        for (uint32_t l = 0; l < EVERY_NODES; l++)
            if (w->count[i][l])
                return false;
    }
    return w->started;
}

static void every_end(struct every_run *e, const struct every_world *w)
{
    e->runs++;
    every_note(e, EVERY_END, w->last_event);
    every_note(e, EVERY_MESSAGES, w->sum[EVERY_MESSAGES]);
    every_note(e, EVERY_BITS, w->sum[EVERY_BITS]);
    for (uint32_t i = EVERY_KINDS; i < EVERY_AMOUNTS; i++)
        every_note(e, i, w->sum[i]);
}

/* Without time: whatever is possible. */
static void every_untimed(struct every_run *e, const struct every_world *w)
{
    if (every_is_over(e, w))
        every_end(e, w);
    for (uint32_t i = 0; i < e->net->world.nodes; i++) {
        bool starts = !e->type->repeats && w->left[i];

        if (w->left[i] && w->phase[i] == FC_IDLE)
            every_ask(e, w, i, 0);
        if (starts && !e->any_start)
            continue;
        if (e->type->repeats && w->phase[i] == FC_INSIDE)
            every_leave(e, w, i, 0);
        for (uint16_t l = 0; l < EVERY_NODES; l++)
            if (w->count[i][l])
                every_read(e, w, i, l, 0);
        for (uint32_t t = 0; t < e->type->timers; t++)
            if (w->armed[i] >> t & 1) {
                struct fc_event event = {.kind = FC_TIMEOUT,
                                         .timer = (uint8_t)t};
                struct every_world *rings = every_copy(e, w);

                rings->armed[i] &= (uint8_t) ~(1u << t);
                every_act(e, rings, i, event, NULL, 0);
                every_drop(e);
            }
    }
}

/* With time, `turn` counts what nodes do in a tick: each may speak, then read
 * what came first. */
static void every_timed(struct every_run *e, const struct every_world *w,
                        uint32_t turn)
{
    uint32_t n = e->net->world.nodes, node = turn / 2;
    uint64_t first = UINT64_MAX;

    if (turn == 2 * n) {
        struct every_world *later = every_copy(e, w);

        if (every_is_over(e, w)) {
            every_end(e, w);
        } else if (w->tick < 200) {
            later->tick++;
            every_timed(e, later, 0);
        }
        every_drop(e);
        return;
    }
    if (turn % 2 == 0) {
        if (e->type->repeats && w->phase[node] == FC_INSIDE) {
            every_leave(e, w, node, turn + 1);
            return;
        }
        if (w->left[node] && w->phase[node] == FC_IDLE)
            every_ask(e, w, node, turn + 1);
        if (!w->left[node] || w->phase[node] != FC_IDLE ||
            (e->type->repeats && w->tick < e->asks_until))
            every_timed(e, w, turn + 1);
        return;
    }
    for (uint32_t l = 0; l < EVERY_NODES; l++)
        if (w->count[node][l] && w->box[node][l][0].arrives < first)
            first = w->box[node][l][0].arrives;
    if (first > w->tick) {
        every_timed(e, w, turn + 1);
        return;
    }
    for (uint16_t l = 0; l < EVERY_NODES; l++)
        if (w->count[node][l] && w->box[node][l][0].arrives == first)
            every_read(e, w, node, l, turn + 1);
}

static void every_next(struct every_run *e, const struct every_world *w,
                       uint32_t then)
{
    if (e->timed)
        every_timed(e, w, then);
    else
        every_untimed(e, w);
}

/* Whether its messages and states have room, and its rules are followed. */
static inline bool every_can(const struct net_type *type)
{
    return type->state_size <= EVERY_STATE && type->msg_size <= EVERY_MSG &&
           type->out_size <= EVERY_OUT && !type->clocked &&
           !type->counts_tokens && !type->protocol->cells;
}

/* All runs in which each application asks so often, or each node starts. */
static inline void every_run(struct every_run *e, const struct net *net,
                             uint32_t requests)
{
    struct net_memory memory = {.segment_bytes = 0};
    struct every_world *w = calloc(1, sizeof *w);

    e->copies = calloc(EVERY_DEPTH, sizeof *e->copies);
    assert_non_null(w);
    assert_non_null(e->copies);
    e->net = net;
    e->type = net_type_of(net);
    e->timed = net->time != NET_ASYNC;
    assert_true(e->type->state_size <= EVERY_STATE);
    assert_true(e->type->msg_size <= EVERY_MSG);
    assert_true(e->type->out_size <= EVERY_OUT);
    assert_true(net->world.nodes <= EVERY_NODES);
    assert_false(e->timed && (e->type->timers || e->type->reads_all));
    assert_int_equal(net_names_begin(&e->names, net, 1, true, &memory), 0);
    if (e->type->protocol->topology == FC_TREE)
        assert_int_equal(net_graph_begin(&e->graph, net, 1, &memory), 0);
    for (uint32_t i = 0; i < net->world.nodes; i++)
        w->left[i] = (uint8_t)requests;
    every_next(e, w, 0);
    free(w);
    free(e->copies);
    net_memory_free(&memory);
}

#endif
