/*
 * witness.c - a network followed event by event (see judge.h).
 */
#include <stdlib.h>
#include <string.h>

#include "net/judge.h"
#include "net/past.h"

/* In a complete network by reader and sender, and else as they are. */
static const struct fc_flying *sort(struct net_witness *w)
{
    uint32_t nodes = w->all.nodes, count = w->all.flying_count;
    uint32_t *first = w->first;

    for (uint32_t i = 0; i < count; i++)
        w->flying[i].msg = w->messages + i * w->msg_size;
    if (!first)
        return w->flying;
    memset(first, 0, (nodes * nodes + 2) * sizeof *first);
    for (uint32_t i = 0; i < count; i++)
        first[w->flying[i].to * nodes + w->flying[i].from + 2]++;
    for (uint32_t k = 1; k < nodes * nodes + 2; k++)
        first[k] += first[k - 1];
    for (uint32_t i = 0; i < count; i++)
        w->sorted[first[w->flying[i].to * nodes + w->flying[i].from + 1]++] =
            w->flying[i];
    return w->sorted;
}

static void look_at_states(struct net_witness *w)
{
    for (uint32_t i = 0; i < w->all.nodes; i++)
        w->states[i] = w->down[i] ? w->zero : w->at + i * w->stride;
}

/* As it is now, in w->all. */
static void look(struct net_witness *w)
{
    look_at_states(w);
    w->all.flying = sort(w);
}

struct net_witness *net_witness_new(const struct net_place *place,
                                    size_t msg_size, const void *states,
                                    size_t stride)
{
    struct net_witness *w = calloc(1, sizeof *w);
    size_t nodes = place->net->world.nodes;

    if (!w)
        return NULL;
    w->predicates = place->net->predicates;
    w->msg_size = msg_size;
    w->at = states;
    w->stride = stride;
    w->zero = calloc(1, stride);
    w->place = *place;
    w->states = calloc(nodes, sizeof *w->states);
    w->names = calloc(nodes, sizeof *w->names);
    w->down = calloc(nodes, sizeof *w->down);
    if (place->net->protocol->topology == FC_COMPLETE)
        w->first = calloc(nodes * nodes + 2, sizeof *w->first);
    if (!w->states || !w->names || !w->down || !w->zero ||
        (!w->first && place->net->protocol->topology == FC_COMPLETE)) {
        net_witness_free(w);
        return NULL;
    }
    for (uint32_t i = 0; i < nodes; i++)
        w->names[i] = net_name(place->names, i);
    w->all = net_network(&w->place);
    w->all.state = w->states;
    w->all.name = w->names;
    w->all.down = w->down;
    w->all.first = w->first;
    if (!net_asked(place->net))
        return w;
    look_at_states(w); /* and nothing is under way */
    w->past = net_past_new(place->net, &w->all, msg_size, stride);
    if (w->past)
        return w;
    net_witness_free(w);
    return NULL;
}

void net_witness_free(struct net_witness *w)
{
    if (!w)
        return;
    free(w->states);
    free(w->names);
    free(w->down);
    free(w->zero);
    free(w->first);
    free(w->flying);
    free(w->sorted);
    free(w->messages);
    net_past_free(w->past);
    free(w);
}

/* Larger, or as it was and false. */
static bool enlarge(void **block, size_t size)
{
    void *larger = realloc(*block, size);

    if (larger)
        *block = larger;
    return larger != NULL;
}

static bool grow(struct net_witness *w)
{
    uint32_t room = w->room ? 2 * w->room : 64;
    void *flying = w->flying, *sorted = w->sorted, *messages = w->messages;

    w->failed |= !enlarge(&flying, room * sizeof *w->flying);
    w->failed |= !enlarge(&sorted, room * sizeof *w->sorted);
    w->failed |= !enlarge(&messages, room * w->msg_size);
    w->flying = flying;
    w->sorted = sorted;
    w->messages = messages;
    if (!w->failed)
        w->room = room;
    return !w->failed;
}

void net_witness_send(struct net_witness *w, uint32_t from, uint32_t to,
                      uint16_t port, const void *msg)
{
    uint32_t count = w->all.flying_count;

    if (w->failed || (count == w->room && !grow(w)))
        return;
    memcpy(w->messages + count * w->msg_size, msg, w->msg_size);
    w->flying[count] = (struct fc_flying){.from = from, .to = to, .port = port};
    w->all.flying_count++;
}

/* Of equal messages on a link it makes no difference which is taken. */
void net_witness_take(struct net_witness *w, uint32_t to, uint16_t port,
                      const void *msg)
{
    uint32_t count = w->all.flying_count, i = 0;

    while (i < count &&
           (w->flying[i].to != to || w->flying[i].port != port ||
            memcmp(w->messages + i * w->msg_size, msg, w->msg_size) != 0))
        i++;
    if (i == count)
        return;
    count--;
    memmove(w->flying + i, w->flying + i + 1, (count - i) * sizeof *w->flying);
    memmove(w->messages + i * w->msg_size, w->messages + (i + 1) * w->msg_size,
            (count - i) * w->msg_size);
    w->all.flying_count = count;
}

uint32_t net_witness_step(struct net_witness *w)
{
    uint32_t broken;

    if (w->failed || !w->past)
        return 0;
    look(w);
    broken = net_past_step(w->past, &w->all);
    w->failed |= net_past_failed(w->past);
    return broken;
}

uint32_t net_witness_end(struct net_witness *w)
{
    if (w->failed || !w->past)
        return 0;
    look(w);
    return net_past_end(w->past, &w->all);
}

uint32_t net_witness_judge(struct net_witness *w)
{
    uint32_t broken = net_witness_step(w);

    if (w->failed)
        return 0;
    if (!w->past)
        look(w);
    return broken | net_judge(w->predicates, w->place.net->protocol, &w->all);
}
