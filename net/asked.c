/*
 * asked.c - see asked.h.
 */
#include "net/asked.h"

#include <string.h>

const char net_no_value[] =
    "a property that was typed has no value in a state that is reached: it "
    "divides by 0, or asks for a node or a place that there is not";

uint32_t net_asked_broken(const struct net_asked *asked,
                          const struct net_moment *now,
                          const struct net_moment *next, bool *failed)
{
    uint32_t broken = 0;

    for (uint32_t i = 0; i < asked->count; i++) {
        const struct net_property *p = &asked->property[i];
        bool holds = true;

        if (p->form == NET_LEADS_TO || (p->form == NET_OF_STEPS && !now) ||
            (next->over && !p->sees_end))
            continue;
        if (!p->holds(p, p->form == NET_OF_STEPS ? now : next, next, &holds))
            *failed = true;
        else if (!holds)
            broken |= UINT32_C(1) << (NET_ASKED_BIT + i);
    }
    return broken;
}

const char *net_property_name(const struct fc_protocol *p,
                              const struct net_asked *asked, uint32_t bit)
{
    uint32_t i = bit - NET_ASKED_BIT;

    return asked && bit >= NET_ASKED_BIT && i < asked->count
               ? asked->property[i].name
               : fc_property(p, bit);
}

void net_moment_view(const struct net_moment *m, uint32_t node,
                     uint8_t view[NET_VIEW_SIZE])
{
    struct net_place place = *(const struct net_place *)m->all->place;
    enum fc_phase phase;

    if (m->views) {
        memcpy(view, m->views[node], NET_VIEW_SIZE);
        return;
    }
    place.node = node;
    m->type->view(&place, m->all->state[node], view, &phase);
}
