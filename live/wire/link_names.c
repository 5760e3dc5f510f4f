/*
 * link_names.c - see link_parts.h: where the peers are.
 *
 * Only the own address must be known to start.  A peer whose name has none yet
 * is looked up again every few seconds, and so is one of which nothing was
 * heard for long: it may have moved.
 */
#include "live/wire/link_parts.h"

#include <stdio.h>
#include <string.h>

#include "live/fail.h"
#include "live/log.h"

enum {
    LOOK_MS = 5000,        /* whose address is not known */
    LOOK_AGAIN_MS = 30000, /* who is silent for so long */
};

static void port_of(const struct live_node *node, char port[8])
{
    snprintf(port, 8, "%u", (unsigned)node->port);
}

/* The address of a node, of the family given; a code of getaddrinfo(). */
static int resolve(const struct live_node *node, int family, int flags,
                   struct sockaddr_storage *to)
{
    struct addrinfo *found = NULL;
    struct addrinfo wished = {
        .ai_family = family, .ai_socktype = SOCK_DGRAM, .ai_flags = flags};
    char port[8];
    int code;

    if (family == AF_INET6)
        wished.ai_flags |= AI_V4MAPPED;
    port_of(node, port);
    code = getaddrinfo(node->host, port, &wished, &found);
    if (code != 0)
        return code;
    memcpy(to, found->ai_addr, found->ai_addrlen);
    freeaddrinfo(found);
    return 0;
}

static int refuse(const struct live_node *node, int family, int code,
                  char error[LIVE_ERROR_SIZE])
{
    return live_fail(error,
                     "node '%s': host '%s' has no address%s (%s); write one "
                     "that this node can reach",
                     node->name, node->host,
                     family == AF_INET    ? " in IPv4, as this node has"
                     : family == AF_INET6 ? " in IPv6, as this node has"
                                          : "",
                     gai_strerror(code));
}

static int find_place(struct live_links *links, uint32_t peer, int family,
                      char error[LIVE_ERROR_SIZE])
{
    const struct live_node *node = &links->config->nodes[peer];
    struct sockaddr_storage any;
    int code;

    links->places[peer].links = links;
    links->places[peer].named =
        resolve(node, AF_UNSPEC, AI_NUMERICHOST, &any) != 0;
    /* There silence is consent: nobody may be out of reach from the start. */
    if (links->places[peer].named && links->config->mode != LIVE_SILENCE)
        return 0;
    code = resolve(node, family, 0, &links->addresses[peer]);
    if (code)
        return refuse(node, family, code, error);
    links->places[peer].known = true;
    return 0;
}

int links_find_places(struct live_links *links, char error[LIVE_ERROR_SIZE])
{
    uint32_t self = links->self.id;
    struct sockaddr_storage *own = &links->addresses[self];
    int code = resolve(&links->config->nodes[self], AF_UNSPEC, 0, own);

    if (code)
        return refuse(&links->config->nodes[self], AF_UNSPEC, code, error);
    for (uint32_t i = 0; i < links->self.nodes_count; i++)
        if (i != self && find_place(links, i, own->ss_family, error))
            return -1;
    return 0;
}

/* ---- Names --------------------------------------------------------------- */

/* A peer is somewhere, or somewhere else. */
static void move(struct live_links *links, uint32_t peer,
                 const struct addrinfo *found)
{
    struct sockaddr_storage *at = &links->addresses[peer];
    char text[NI_MAXHOST] = "?";

    if (links->places[peer].known &&
        memcmp(at, found->ai_addr, found->ai_addrlen) == 0)
        return;
    memset(at, 0, sizeof *at);
    memcpy(at, found->ai_addr, found->ai_addrlen);
    links->places[peer].known = true;
    (void)getnameinfo(found->ai_addr, found->ai_addrlen, text, sizeof text,
                      NULL, 0, NI_NUMERICHOST);
    live_log("%s is at %s", links->config->nodes[peer].name, text);
    links_direct(links, peer);
}

static void on_looked_up(void *whom, int code, const struct addrinfo *found)
{
    struct place *place = whom;
    struct live_links *links = place->links;
    uint32_t peer = (uint32_t)(place - links->places);
    const struct live_node *node = &links->config->nodes[peer];
    uint64_t now = uv_now(links->udp.loop);
    struct live_trouble *trouble = &links->troubles[peer];

    place->look = NULL;
    if (found)
        move(links, peer, found);
    if (found || place->known)
        return;
    if (!trouble->told_at[LIVE_TROUBLE_NAME] ||
        now - trouble->told_at[LIVE_TROUBLE_NAME] >= 60000)
        live_log("goes on without %s, whose host '%s' has no address (%s), and "
                 "looks again every %d s",
                 node->name, node->host, gai_strerror(code), LOOK_MS / 1000);
    live_trouble_note(trouble, LIVE_TROUBLE_NAME, node->name, now);
}

static void look_up(struct live_links *links, uint32_t peer)
{
    const struct live_node *node = &links->config->nodes[peer];
    struct place *place = &links->places[peer];
    char port[8];

    port_of(node, port);
    place->looked_at = uv_now(links->udp.loop);
    place->look = live_lookup_start(links->udp.loop, node->host, port,
                                    links->addresses[links->self.id].ss_family,
                                    on_looked_up, place);
}

static void on_time(uv_timer_t *timer)
{
    struct live_links *links = timer->data;
    uint64_t now = uv_now(links->udp.loop);

    for (uint32_t i = 0; i < links->self.nodes_count; i++) {
        const struct place *place = &links->places[i];
        uint64_t last = links->troubles[i].good_at > place->looked_at
                            ? links->troubles[i].good_at
                            : place->looked_at;

        if (place->named && !place->look &&
            (!place->known || now - last >= LOOK_AGAIN_MS))
            look_up(links, i);
    }
}

/* From the loop on: by then the daemon is the user that it should be. */
void links_begin_names(struct live_links *links)
{
    for (uint32_t i = 0; i < links->self.nodes_count; i++)
        if (links->places[i].named) {
            (void)uv_timer_start(&links->names, on_time, 0, LOOK_MS);
            return;
        }
}

void links_end_names(struct live_links *links)
{
    for (uint32_t i = 0; i < links->self.nodes_count; i++)
        if (links->places[i].look) {
            live_lookup_drop(links->places[i].look);
            links->places[i].look = NULL;
        }
}
