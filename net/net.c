/*
 * net.c - see net.h.
 */
#include "net/net.h"

#include <assert.h>

#include "net/clock.h"

const char *const net_time_words[NET_TIMES] = {
    [NET_SYNC] = "sync",
    [NET_ARCHIMEDEAN] = "archimedean",
    [NET_ASYNC] = "async",
};

static void describe_names(struct net *s)
{
    struct fc_world *w = &s->world;

    w->least = s->first_name;
    w->greatest = s->first_name + w->nodes - 1;
    if (s->naming != NET_NAMES_LIST)
        return;
    w->least = w->greatest = s->names[0];
    for (uint32_t i = 1; i < w->nodes; i++) {
        if (s->names[i] < w->least)
            w->least = s->names[i];
        if (s->names[i] > w->greatest)
            w->greatest = s->names[i];
    }
}

/* Nodes know the bounds that were given; only without any do they follow from
 * the steps. */
static void describe_steps(struct net *s)
{
    struct fc_bounds *b = &s->world.bounds;
    bool given = b->rmax != 0;

    for (uint32_t i = 0; i < s->world.nodes; i++) {
        assert(!given || (s->steps[i] >= b->rmin && s->steps[i] <= b->rmax));
        if (!given && (i == 0 || s->steps[i] < b->rmin))
            b->rmin = s->steps[i];
        if (!given && (i == 0 || s->steps[i] > b->rmax))
            b->rmax = s->steps[i];
    }
}

/* Clocks of one speed and links of one delay. */
static bool in_unison(const struct net *net)
{
    const struct fc_bounds *b = &net->world.bounds;

    /* A message is read at a later tick than it was sent: a delay of 0 counts
     * as 1. */
    return net->time != NET_ASYNC && b->rmin == b->rmax &&
           (b->dmin ? b->dmin : 1) == (b->dmax ? b->dmax : 1);
}

uint32_t net_unmet(const struct net *net)
{
    uint32_t unmet = 0;

    if (net->time == NET_ASYNC)
        unmet |= FC_NEEDS_TIME;
    if (!in_unison(net))
        unmet |= FC_NEEDS_UNISON;
    if (net->any_order)
        unmet |= FC_NEEDS_FIFO;
    return unmet & net_needs(net);
}

void net_describe(struct net *s)
{
    struct fc_world *w = &s->world;

    describe_names(s);
    switch (s->waking) {
    case NET_WAKE_ALL:
    case NET_WAKE_RANDOM: /* at most */
        w->initiators = w->nodes;
        break;
    case NET_WAKE_FIRST:
        w->initiators = 1;
        break;
    case NET_WAKE_SOME:
    case NET_WAKE_LIST:
        w->initiators = s->wake_count;
        break;
    }
    w->returns = s->returns;
    w->bounded = s->time != NET_ASYNC;
    if (s->time == NET_SYNC)
        w->bounds = (struct fc_bounds){1, 1, 0, 0};
    else if (s->time == NET_ASYNC)
        w->bounds = (struct fc_bounds){1, NET_TAIL_MAX, 0, NET_TAIL_MAX};
    if (s->time == NET_ARCHIMEDEAN && s->clock == NET_CLOCK_LIST)
        describe_steps(s);
}
