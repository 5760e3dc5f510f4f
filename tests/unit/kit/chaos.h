/*
 * chaos.h - a small network with any parameters, in which everything happens
 * in any order: tests/unit/net/test_contract.c makes it happen.
 */
#ifndef TESTS_CHAOS_H
#define TESTS_CHAOS_H

#include <stdlib.h>

#include "net/route.h"
#include "tests/unit/kit/contract_words.h"
#include "tests/unit/kit/drawn_net.h"
#include "tests/unit/kit/state_fields.h"

enum { MAIL_MAX = 4096, KEPT = 16, NODES_MAX = 5 };

struct mail {
    uint32_t to;
    uint16_t comes_by;
    uint8_t *msg;
};

/* A network in which everything happens in any order. */
struct chaos {
    const struct net_type *type;
    struct net_made made;
    struct net_memory memory;
    struct net_names names;
    struct net_graph graph;
    uint32_t nodes;
    uint8_t *states, *records, *buffer;
    uint32_t *cells, cells_count;
    uint32_t armed[NODES_MAX];
    uint64_t clock[NODES_MAX];
    struct mail mail[MAIL_MAX];
    uint32_t mail_count, sent;
    uint8_t *kept;  /* of the messages sent, the last KEPT */
    uint8_t *spare; /* one message */
    uint32_t node;  /* that acts */
    uint32_t steps;
    uint8_t *marks; /* of state_fields.h */
    struct dice dice;
    struct moment moment;
};

static inline uint8_t *state_of(struct chaos *c, uint32_t node)
{
    return c->states + node * c->type->state_size;
}

static inline struct net_place place_of(struct chaos *c, uint32_t node)
{
    return (struct net_place){&c->made.net, &c->names, &c->graph, node};
}

/* Links of the node that acts. */
static inline uint32_t ports_of(const struct chaos *c)
{
    return net_ports(c->type->protocol->topology, &c->graph, c->nodes, c->node);
}

static inline void *bytes(size_t size)
{
    void *got = calloc(1, size + 1);

    assert_non_null(got);
    return got;
}

static inline bool open_chaos(struct chaos *c, const struct net_type *type,
                              struct settings *settings, uint32_t nodes,
                              uint64_t seed)
{
    const struct fc_protocol *p = type->protocol;
    const struct net *net = &c->made.net;

    memset(c, 0, sizeof *c);
    c->type = type;
    c->nodes = nodes;
    c->dice.state = seed;
    if (!draw_net(&c->made, settings, p, nodes, &c->dice))
        return false;
    c->moment = (struct moment){
        .type = type, .seed = seed, .set = c->made.set, .nodes = nodes};
    assert_int_equal(net_names_begin(&c->names, net, seed, true, &c->memory),
                     0);
    if (p->topology == FC_TREE)
        assert_int_equal(net_graph_begin(&c->graph, net, seed, &c->memory), 0);
    c->marks = bytes(type->state_size);
    check_state_fields(type, c->marks);
    c->states = bytes(nodes * type->state_size);
    c->records = bytes(nodes * type->record_size);
    c->buffer = bytes(type->out_size);
    c->kept = bytes(KEPT * type->msg_size);
    c->spare = bytes(type->msg_size);
    c->cells_count = p->cells ? p->cells(net->params) : 0;
    c->cells = bytes(sizeof *c->cells * c->cells_count);
    return true;
}

static inline void close_chaos(struct chaos *c)
{
    for (uint32_t i = 0; i < c->mail_count; i++)
        free(c->mail[i].msg);
    free(c->marks);
    free(c->states);
    free(c->records);
    free(c->buffer);
    free(c->kept);
    free(c->spare);
    free(c->cells);
    net_memory_free(&c->memory);
    net_unmake(&c->made);
}

#endif
