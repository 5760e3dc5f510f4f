/*
 * lockstep_coins.h - an anonymous ring in lock step, in every way in which its
 * coins can fall: what probabilities and expected amounts are compared with.
 *
 * It shares nothing with the checker or the simulator.  Coins fall as a script
 * says; where it ends, the first way is taken, and the next script is the next
 * of an odometer.  So every run begins anew, and nothing is kept but sums.
 */
#ifndef LOCKSTEP_COINS_H
#define LOCKSTEP_COINS_H

#include <string.h>

#include "net/type.h"
#include "problems/election.h"
#include "tests/unit/kit/test.h"

enum { COINS_MAX = 64, COINS_NODES = 4, COINS_MAILS = 16, COINS_TICKS = 1000 };

/* Expected over all scripts in which the condition holds. */
struct coins_sum {
    double two_leaders, messages, end;
};

struct coins {
    const struct net *net;
    const struct net_type *type;
    struct net_names names;
    struct net_graph graph;
    uint32_t script[COINS_MAX], range[COINS_MAX], scripted, thrown;
    _Alignas(8) uint8_t state[COINS_NODES][64];
    uint8_t mail[COINS_NODES][COINS_MAILS][16]; /* to a node, oldest first */
    uint64_t sent[COINS_NODES][COINS_MAILS];
    uint32_t mails[COINS_NODES];
    uint64_t due[COINS_NODES];   /* its timer; 0: off */
    uint32_t first[COINS_NODES]; /* 1 + its first draw */
    uint64_t tick, last;
    uint32_t messages;
    bool two;
};

static inline uint32_t coins_throw(struct coins *c, uint32_t range)
{
    assert_true(c->thrown < COINS_MAX);
    if (c->thrown == c->scripted)
        c->script[c->scripted++] = 0;
    c->range[c->thrown] = range;
    return c->script[c->thrown++];
}

static inline bool coins_leads(struct coins *c, uint32_t node)
{
    struct net_place place = {c->net, &c->names, &c->graph, node};
    uint8_t bytes[NET_VIEW_SIZE];
    struct election_view view;
    enum fc_phase phase;

    c->type->view(&place, c->state[node], bytes, &phase);
    memcpy(&view, bytes, sizeof view);
    return view.role == ELECTION_LEADER;
}

static inline void coins_act(struct coins *c, uint32_t node,
                             struct fc_event event, const uint8_t *msg)
{
    struct net_place place = {c->net, &c->names, &c->graph, node};
    uint32_t to = (node + 1) % c->net->world.nodes, leaders = 0;
    uint8_t sends[256];
    struct fc_effects fx;

    c->last = c->tick;
    do {
        c->type->step(&place, c->state[node], &event, msg, &fx, sends);
        for (uint32_t i = 0; i < fx.sends; i++) {
            assert_true(c->mails[to] < COINS_MAILS);
            memcpy(c->mail[to][c->mails[to]], sends + i * c->type->msg_size,
                   c->type->msg_size);
            c->sent[to][c->mails[to]++] = c->tick;
            c->messages++;
        }
        if (fx.disarm & 1)
            c->due[node] = 0;
        if (fx.arm & 1)
            c->due[node] = c->tick + fx.steps[0];
        event = (struct fc_event){.kind = FC_CHOICE};
        msg = NULL;
        if (fx.choose) {
            event.value = coins_throw(c, fx.choose);
            if (!c->first[node])
                c->first[node] = 1 + event.value;
        }
    } while (fx.choose);
    for (uint32_t i = 0; i < c->net->world.nodes; i++)
        leaders += coins_leads(c, i);
    c->two |= leaders > 1;
}

/* A node at a tick: it is woken, or reads all that was sent before, and then
 * its timer may be due. */
static inline void coins_step(struct coins *c, uint32_t node)
{
    uint8_t msg[16];

    if (c->tick == 0)
        coins_act(c, node, (struct fc_event){.kind = FC_COMMAND}, NULL);
    while (c->mails[node] && c->sent[node][0] < c->tick) {
        memcpy(msg, c->mail[node][0], sizeof msg);
        c->mails[node]--;
        memmove(c->mail[node][0], c->mail[node][1],
                c->mails[node] * sizeof c->mail[node][0]);
        memmove(&c->sent[node][0], &c->sent[node][1],
                c->mails[node] * sizeof c->sent[node][0]);
        coins_act(c, node, (struct fc_event){.kind = FC_MESSAGE}, msg);
    }
    if (c->due[node] && c->due[node] <= c->tick) {
        c->due[node] = 0;
        coins_act(c, node, (struct fc_event){.kind = FC_TIMEOUT}, NULL);
    }
}

static inline void coins_run(struct coins *c)
{
    uint32_t n = c->net->world.nodes;
    bool busy = true;

    memset(c->state, 0, sizeof c->state);
    memset(c->mails, 0, sizeof c->mails);
    memset(c->due, 0, sizeof c->due);
    memset(c->first, 0, sizeof c->first);
    c->thrown = c->messages = 0;
    c->two = false;
    for (c->tick = 0; busy; c->tick++) {
        assert_true(c->tick < COINS_TICKS);
        for (uint32_t i = 0; i < n; i++)
            coins_step(c, i);
        busy = false;
        for (uint32_t i = 0; i < n; i++)
            busy |= c->mails[i] || c->due[i];
    }
}

/* The next script; false after the last. */
static inline bool coins_next(struct coins *c)
{
    c->scripted = c->thrown;
    while (c->scripted > 0 &&
           ++c->script[c->scripted - 1] == c->range[c->scripted - 1])
        c->scripted--;
    return c->scripted > 0;
}

/* Given that `count` of the first draws are `draw`, from 1 on; or, if that is
 * 0, nothing. */
static inline struct coins_sum coins_count(const struct net *net, uint32_t draw,
                                           uint32_t count)
{
    struct coins *c = calloc(1, sizeof *c);
    struct net_memory memory = {.segment_bytes = 0};
    struct coins_sum sum = {0};
    double all = 0;

    c->net = net;
    c->type = net_type_of(net);
    assert_true(c->type->state_size <= sizeof c->state[0]);
    assert_int_equal(net_names_begin(&c->names, net, 1, true, &memory), 0);
    do {
        uint32_t hits = 0;
        double p = 1;

        coins_run(c);
        for (uint32_t i = 0; i < c->thrown; i++)
            p /= c->range[i];
        for (uint32_t i = 0; i < net->world.nodes; i++)
            hits += c->first[i] == draw;
        if (draw && hits != count)
            continue;
        all += p;
        sum.two_leaders += p * c->two;
        sum.messages += p * c->messages;
        sum.end += p * (double)c->last;
    } while (coins_next(c));
    net_memory_free(&memory);
    free(c);
    sum.two_leaders /= all;
    sum.messages /= all;
    sum.end /= all;
    return sum;
}

#endif
