/*
 * judge.c - see judge.h.
 */
#include "net/judge.h"

#include "net/route.h"

uint32_t net_predicates(const struct fc_protocol *protocol, const void *params)
{
    uint32_t stated = 0;

    for (uint32_t i = 0; i < protocol->predicates_count; i++)
        if (!params || !protocol->predicates[i].stated ||
            protocol->predicates[i].stated(params))
            stated |= UINT32_C(1) << i;
    return stated;
}

static uint32_t neighbour(const struct fc_network *all, uint32_t node,
                          uint16_t port)
{
    const struct net_place *place = all->place;

    return net_route(place->net->protocol->topology, place->graph, all->nodes,
                     node, port)
        .to;
}

static uint32_t link_to(const struct fc_network *all, uint32_t node,
                        uint32_t to)
{
    const struct net_place *place = all->place;
    uint32_t ports = net_ports(place->net->protocol->topology, place->graph,
                               all->nodes, node);

    for (uint32_t port = 0; port < ports; port++)
        if (neighbour(all, node, (uint16_t)port) == to)
            return port;
    return FC_EVERYONE;
}

static bool all_wake_at_once(const struct net *net)
{
    for (uint32_t i = 0; net->waking == NET_WAKE_LIST && i < net->wake_count;
         i++)
        if (net->wakes[i].tick > 0)
            return false;
    return net->waking != NET_WAKE_RANDOM;
}

struct fc_network net_network(const struct net_place *place)
{
    const struct net *net = place->net;

    return (struct fc_network){
        .nodes = net->world.nodes,
        .params = net->params,
        .world = &net->world,
        .fifo = !net->any_order,
        .together = all_wake_at_once(net),
        .neighbour = neighbour,
        .link = link_to,
        .place = place,
    };
}
