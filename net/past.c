/*
 * past.c - see past.h.
 */
#include "net/past.h"

#include <stdlib.h>
#include <string.h>

struct net_past {
    const struct net_asked *asked;
    const struct net_type *type;
    size_t state_size, msg_size;
    struct fc_network all; /* as it was */
    const void **states;
    uint8_t *bytes; /* of the states */
    bool *down;
    struct fc_flying *flying;
    uint8_t *messages;
    uint32_t room;                 /* for messages */
    uint8_t *waits[NET_ASKED_MAX]; /* of each instance: it waits */
    uint32_t broken;               /* at the beginning, and not reported yet */
    bool failed;
};

static struct net_moment moment(const struct net_past *p,
                                const struct fc_network *all, bool over)
{
    return (struct net_moment){.all = all,
                               .type = p->type,
                               .fields = p->type->state_fields,
                               .over = over};
}

static bool make_room(struct net_past *p, uint32_t messages)
{
    struct fc_flying *flying;
    uint8_t *bytes;

    if (messages <= p->room)
        return true;
    messages *= 2;
    flying = realloc(p->flying, messages * sizeof *flying);
    if (flying)
        p->flying = flying;
    bytes = realloc(p->messages, messages * p->msg_size);
    if (bytes)
        p->messages = bytes;
    if (!flying || !bytes) {
        p->failed = true;
        return false;
    }
    p->room = messages;
    return true;
}

/* Keeps a copy; the order of its messages is not kept track of. */
static void remember(struct net_past *p, const struct fc_network *all)
{
    if (!make_room(p, all->flying_count))
        return;
    p->all = *all;
    p->all.state = p->states;
    p->all.down = p->down;
    p->all.flying = p->flying;
    p->all.first = NULL;
    memcpy(p->down, all->down, all->nodes * sizeof *p->down);
    for (uint32_t i = 0; i < all->nodes; i++)
        memcpy(p->bytes + i * p->state_size, all->state[i],
               p->type->state_size);
    for (uint32_t i = 0; i < all->flying_count; i++) {
        uint8_t *at = p->messages + i * p->msg_size;

        memcpy(at, all->flying[i].msg, p->msg_size);
        p->flying[i] = all->flying[i];
        p->flying[i].msg = at;
    }
}

/* Who wants something now, and who has it; the bits of those that wait if this
 * is the end. */
static uint32_t follow(struct net_past *p, const struct net_moment *now,
                       bool first)
{
    uint32_t waiting = 0;

    for (uint32_t i = 0; i < p->asked->count; i++) {
        const struct net_property *of = &p->asked->property[i];

        for (uint32_t k = 0; p->waits[i] && k < of->instances; k++) {
            bool wants = false, gets = false;

            p->failed |= !of->stands(of, k, now, &wants, &gets);
            wants = of->at_start ? first : wants;
            p->waits[i][k] = (p->waits[i][k] || wants) && !gets;
            if (p->waits[i][k])
                waiting |= UINT32_C(1) << (NET_ASKED_BIT + i);
        }
    }
    return waiting;
}

struct net_past *net_past_new(const struct net *net,
                              const struct fc_network *all, size_t msg_size,
                              size_t stride)
{
    struct net_past *p = calloc(1, sizeof *p);
    struct net_moment now;
    bool fine = p != NULL;

    if (!p)
        return NULL;
    p->asked = net_asked(net);
    p->type = net_type_of(net);
    p->msg_size = msg_size;
    p->state_size = (stride + 7) & ~(size_t)7;
    p->states = calloc(all->nodes, sizeof *p->states);
    p->bytes = calloc(all->nodes, p->state_size);
    p->down = calloc(all->nodes, sizeof *p->down);
    for (uint32_t i = 0; i < p->asked->count; i++)
        if (p->asked->property[i].form == NET_LEADS_TO) {
            p->waits[i] = calloc(p->asked->property[i].instances, 1);
            fine = fine && p->waits[i];
        }
    if (!fine || !p->states || !p->bytes || !p->down) {
        net_past_free(p);
        return NULL;
    }
    for (uint32_t i = 0; i < all->nodes; i++)
        p->states[i] = p->bytes + i * p->state_size;
    now = moment(p, all, false);
    p->broken = net_asked_broken(p->asked, NULL, &now, &p->failed);
    (void)follow(p, &now, true);
    remember(p, all);
    return p;
}

void net_past_free(struct net_past *p)
{
    if (!p)
        return;
    for (uint32_t i = 0; i < NET_ASKED_MAX; i++)
        free(p->waits[i]);
    free(p->states);
    free(p->bytes);
    free(p->down);
    free(p->flying);
    free(p->messages);
    free(p);
}

uint32_t net_past_step(struct net_past *p, const struct fc_network *all)
{
    struct net_moment then = moment(p, &p->all, false);
    struct net_moment now = moment(p, all, false);
    uint32_t broken =
        p->broken | net_asked_broken(p->asked, &then, &now, &p->failed);

    p->broken = 0;
    (void)follow(p, &now, false);
    remember(p, all);
    return broken;
}

uint32_t net_past_end(struct net_past *p, const struct fc_network *all)
{
    struct net_moment now = moment(p, all, true);

    return p->broken | follow(p, &now, false) |
           net_asked_broken(p->asked, NULL, &now, &p->failed);
}

bool net_past_failed(const struct net_past *p)
{
    return p->failed;
}
