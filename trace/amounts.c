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

    a->messages++;
    a->paper_bits += type->paper_bits(msg);
    a->kinds[type->kind(msg)]++;
    for (uint32_t i = 0; count && i < nodes; i++)
        a->passes[i] += fields[0] == a->name[i];
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
