/*
 * link_strangers.c - see link_parts.h: nodes of other configurations (P6).
 *
 * A stranger's list may be another one: what it calls itself says nothing here,
 * so it is known by its address, and answered there.  A datagram is proof only
 * when it repeats our salt; any other is answered with our salt, a few times a
 * second, and nothing else follows from it.
 */
#include "live/wire/link_parts.h"

#include <netdb.h>
#include <stdio.h>
#include <string.h>

enum { ANSWER_PAUSE_MS = 10 };

static bool same_address(const struct sockaddr *a, const struct sockaddr *b)
{
    const struct sockaddr_in6 *a6 = (const void *)a, *b6 = (const void *)b;
    const struct sockaddr_in *a4 = (const void *)a, *b4 = (const void *)b;

    if (a->sa_family != b->sa_family)
        return false;
    if (a->sa_family == AF_INET6)
        return a6->sin6_port == b6->sin6_port &&
               memcmp(&a6->sin6_addr, &b6->sin6_addr, sizeof a6->sin6_addr) ==
                   0;
    return a->sa_family == AF_INET && a4->sin_port == b4->sin_port &&
           a4->sin_addr.s_addr == b4->sin_addr.s_addr;
}

/* The peer at an address; this node itself: there is none. */
static uint32_t peer_at(const struct live_links *links,
                        const struct sockaddr *address)
{
    for (uint32_t x = 0; x < links->self.nodes_count; x++)
        if (x != links->self.id && links->places[x].known &&
            same_address(address,
                         (const struct sockaddr *)&links->addresses[x]))
            return x;
    return links->self.id;
}

static void answer(struct live_links *links, uint32_t peer,
                   const struct sockaddr *to)
{
    uint8_t wires[LIVE_ANSWER_COUNT][LIVE_WIRE_MAX];
    uint32_t count =
        live_answer_stranger(&links->self, &links->opened.stranger, wires);

    for (uint32_t i = 0; i < count; i++) {
        uv_buf_t buffer = uv_buf_init((char *)wires[i], LIVE_HELLO_BYTES);

        if (peer != links->self.id)
            links_post(links, peer, wires[i], LIVE_HELLO_BYTES);
        else
            (void)uv_udp_try_send(&links->udp, &buffer, 1, to);
    }
}

static void tell(const struct live_links *links, enum live_standing standing,
                 uint32_t peer, const struct sockaddr *from)
{
    char host[NI_MAXHOST] = "?", port[NI_MAXSERV] = "?";
    char name[LIVE_HOST_MAX + NI_MAXSERV];

    if (!links->met_one)
        return;
    snprintf(name, sizeof name, "%s", links->config->nodes[peer].name);
    if (peer == links->self.id) {
        (void)getnameinfo(from,
                          from->sa_family == AF_INET6
                              ? sizeof(struct sockaddr_in6)
                              : sizeof(struct sockaddr_in),
                          host, sizeof host, port, sizeof port,
                          NI_NUMERICHOST | NI_NUMERICSERV);
        snprintf(name, sizeof name, "the node at %.100s port %.8s", host, port);
    }
    links->met_one(links->whom, standing, name,
                   links->opened.stranger.generation);
}

/* One that is no peer has no troubles to be noted. */
static void refuse(struct live_links *links, uint32_t of)
{
    if (of == links->self.id) {
        links->counts[of].old++;
        return;
    }
    links->troubles[of].generation = links->opened.stranger.generation;
    links_refuse(links, of, LIVE_FOREIGN);
}

void links_on_stranger(struct live_links *links, const struct sockaddr *from)
{
    const struct live_opened *o = &links->opened;
    uint32_t peer = peer_at(links, from),
             of = peer != links->self.id ? peer : o->from;
    enum live_standing standing =
        live_meet(&links->self, &links->met, &o->stranger);

    refuse(links, of);
    if (o->stranger.proven
            ? standing == LIVE_AHEAD
            : live_is_news(&links->met, &o->stranger, uv_now(links->udp.loop),
                           ANSWER_PAUSE_MS))
        answer(links, peer, from);
    if (standing != LIVE_NOTHING)
        tell(links, standing, of, from);
}

void live_links_meet(struct live_links *links, live_met_one *met,
                     uint32_t stays_from)
{
    links->met_one = met;
    links->self.stays_from = stays_from;
}
