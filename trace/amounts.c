/*
 * amounts.c - see amounts.h.
 */
#include "trace/amounts.h"

#include <string.h>

void trace_amounts_send(struct trace_amounts *a, const struct net_type *type,
                        uint32_t nodes, const void *msg)
{
    uint64_t fields[FC_FIELDS_MAX];
    uint32_t count = type->fields(msg, fields);

    a->sums.messages++;
    a->sums.paper_bits += type->paper_bits(msg);
    a->sums.kinds[type->kind(msg)]++;
    for (uint32_t i = 0; count && i < nodes; i++)
        a->sums.passes[i] += fields[0] == a->name[i];
}

static void raise(uint64_t *most, uint64_t value)
{
    if (value > *most)
        *most = value;
}

/* Another node enters while this one waits. */
static void overtake(struct trace_amounts *a, uint32_t nodes, uint32_t waits,
                     uint32_t enters)
{
    uint64_t all = 0;

    a->entries[waits][enters]++;
    for (uint32_t i = 0; i < nodes; i++)
        all += a->entries[waits][i];
    raise(&a->overtaken, all);
    raise(&a->overtaken_one, a->entries[waits][enters]);
}

void trace_amounts_phase(struct trace_amounts *a, uint32_t nodes, uint32_t node,
                         enum fc_phase phase, uint64_t tick)
{
    enum fc_phase before = a->phase[node];

    a->phase[node] = phase;
    if (phase == before)
        return;
    if (before == FC_IDLE) {
        a->since[node] = tick;
        memset(a->entries[node], 0, sizeof a->entries[node]);
    }
    if (phase != FC_INSIDE)
        return;
    raise(&a->granting, tick - a->since[node]);
    for (uint32_t i = 0; i < nodes; i++)
        if (i != node && a->phase[i] == FC_WAITING)
            overtake(a, nodes, i, node);
}

/* ---- Quantities of a problem and of a protocol --------------------------- */

const struct fc_quantity *trace_own_quantity(const struct net_type *type,
                                             uint32_t i)
{
    const struct fc_problem *problem = type->protocol->problem;

    if (i < problem->quantities_count)
        return &problem->quantities[i];
    i -= problem->quantities_count;
    return i < type->quantities_count ? &type->quantities[i] : NULL;
}

static uint64_t adds(const struct fc_quantity *q, bool by_view,
                     const struct trace_turn *s)
{
    _Alignas(8) uint8_t before[NET_VIEW_SIZE], after[NET_VIEW_SIZE];

    if (q->note)
        return (s->notes & q->note) != 0;
    if (!by_view)
        return q->amount(NULL, s->state);
    memcpy(before, s->before, sizeof before);
    memcpy(after, s->after, sizeof after);
    return q->amount(before, after);
}

/* The most of one node. */
static void add_at(struct trace_own *o, uint32_t node, uint64_t added)
{
    o->count[node] += added;
    raise(&o->value, o->count[node]);
}

static void add_in_wait(struct trace_own *o, bool momentary,
                        const struct trace_turn *s, uint64_t added)
{
    bool served = s->is == FC_INSIDE ||
                  (momentary && s->was == FC_WAITING && s->is == FC_IDLE);

    o->count[s->node] = s->was == FC_WAITING ? o->count[s->node] + added : 0;
    if (!served || o->count[s->node] == 0)
        return;
    raise(&o->value, o->count[s->node]);
    o->any = true;
}

/* A node does it once more: its i-th time.  The first node to come to i is
 * remembered, as long as it is not too far ahead. */
static void add_apart(struct trace_own *o, uint32_t nodes, uint32_t node,
                      uint64_t tick)
{
    uint64_t i = ++o->count[node], most = 0, least = UINT64_MAX;

    for (uint32_t k = 0; k < nodes; k++) {
        if (k != node)
            raise(&most, o->count[k]);
        if (o->count[k] < least)
            least = o->count[k];
    }
    if (i > most)
        o->first[i % TRACE_APART_MAX] = tick;
    else if (most - i >= TRACE_APART_MAX)
        return;
    if (least < i)
        return;
    raise(&o->value, tick - o->first[i % TRACE_APART_MAX]);
    o->any = true;
}

void trace_amounts_turn(struct trace_amounts *a, const struct net_type *type,
                        uint32_t nodes, const struct trace_turn *s)
{
    uint32_t of_problem = type->protocol->problem->quantities_count;
    const struct fc_quantity *q;

    if (a->goal_at == FC_NEVER || s->reaches)
        a->at_goal = a->sums;
    if ((s->notes & FC_NOTE_STARTED) && a->start_at == FC_NEVER)
        a->start_at = s->tick;

    for (uint32_t i = 0; i < TRACE_OWN_MAX && (q = trace_own_quantity(type, i));
         i++) {
        struct trace_own *o = &a->own[i];
        uint64_t added = adds(q, i < of_problem, s);

        switch (q->over) {
        case FC_OVER_RUN:
            o->value += added;
            break;
        case FC_OVER_NODE:
            add_at(o, s->node, added);
            break;
        case FC_OVER_WAIT:
            add_in_wait(o, type->momentary, s, added);
            break;
        case FC_AT_ONCE:
            raise(&o->value, added);
            break;
        case FC_APART:
            if (added)
                add_apart(o, nodes, s->node, s->tick);
            break;
        }
    }
}
