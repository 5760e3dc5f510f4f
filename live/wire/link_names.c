/*
 * link_names.c - see link_parts.h: where the peers are.
 *
 * Only this node's own address must be known to start.  A peer whose name has
 * none yet is looked up again every few seconds, and so is one of which nothing
 * was heard for long: it may have moved.
 */
#include "live/wire/link_parts.h"

#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "live/system/bell.h"
#include "live/system/log.h"
#include "net/why.h"

enum {
    LOOK_MS = 5000,        /* whose address is not known */
    LOOK_AGAIN_MS = 30000, /* a peer that is silent for this long */
    STACK_BYTES = 256 * 1024,
};

/* How the address of a node is asked for: as a datagram's, of the family. */
struct question {
    const char *host;
    char port[8];
    struct addrinfo wished;
};

static struct question question_of(const struct live_config_node *node,
                                   int family, int flags)
{
    struct question q = {
        .host = node->host,
        .wished = {.ai_family = family,
                   .ai_socktype = SOCK_DGRAM,
                   .ai_flags = flags | (family == AF_INET6 ? AI_V4MAPPED : 0)}};

    snprintf(q.port, sizeof q.port, "%u", (unsigned)node->port);
    return q;
}

/* The address of a node, of the family given; a code of getaddrinfo(). */
static int resolve(const struct live_config_node *node, int family, int flags,
                   struct sockaddr_storage *to)
{
    struct question q = question_of(node, family, flags);
    struct addrinfo *found = NULL;
    int code = getaddrinfo(q.host, q.port, &q.wished, &found);

    if (code != 0)
        return code;
    memcpy(to, found->ai_addr, found->ai_addrlen);
    freeaddrinfo(found);
    return 0;
}

static bool refuse(const struct live_config_node *node, int family, int code,
                   struct net_why *error)
{
    return net_fail(error,
                    "node '%s': host '%s' has no address%s (%s); write one "
                    "that this node can reach",
                    node->name, node->host,
                    family == AF_INET    ? " in IPv4, as this node has"
                    : family == AF_INET6 ? " in IPv6, as this node has"
                                         : "",
                    gai_strerror(code));
}

static void begin_place(struct live_links *links, uint32_t peer, bool named)
{
    const struct live_config_node *node = &links->config->nodes[peer];
    struct place *place = &links->places[peer];

    *place = (struct place){.links = links,
                            .named = named,
                            .port = node->port,
                            .closing = place->closing};
    memcpy(place->host, node->host, sizeof place->host);
}

static bool find_place(struct live_links *links, uint32_t peer, int family,
                       struct net_why *error)
{
    const struct live_config_node *node = &links->config->nodes[peer];
    struct sockaddr_storage any;
    int code;

    begin_place(links, peer,
                resolve(node, AF_UNSPEC, AI_NUMERICHOST, &any) != 0);
    /* There silence is consent: nobody may be out of reach from the start. */
    if (links->places[peer].named && links->config->mode != LIVE_SILENCE)
        return true;
    code = resolve(node, family, 0, &links->addresses[peer]);
    if (code)
        return refuse(node, family, code, error);
    links->places[peer].known = true;
    return true;
}

bool links_find_places(struct live_links *links, struct net_why *error)
{
    uint32_t self = links->self.id;
    struct sockaddr_storage *own = &links->addresses[self];
    int code = resolve(&links->config->nodes[self], AF_UNSPEC, 0, own);

    if (code)
        return refuse(&links->config->nodes[self], AF_UNSPEC, code, error);
    for (uint32_t i = 0; i < links->self.nodes_count; i++)
        if (i != self && live_self_knows(&links->self, i) &&
            !find_place(links, i, own->ss_family, error))
            return false;
    return true;
}

/* ---- What was found ------------------------------------------------------ */

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

static void looked_up(struct place *place, int code,
                      const struct addrinfo *found)
{
    struct live_links *links = place->links;
    uint32_t peer = (uint32_t)(place - links->places);
    const struct live_config_node *node = &links->config->nodes[peer];
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
                 "tries again every %d s",
                 node->name, node->host, gai_strerror(code), LOOK_MS / 1000);
    live_trouble_note(trouble, LIVE_TROUBLE_NAME, node->name, now);
}

/* ---- Looking up beside the loop ------------------------------------------ */

/* In a thread of its own and not in the pool of libuv: a name server that does
 * not answer keeps neither the loop from going on nor the process from ending.
 * Loop and thread both know it; the one that leaves last frees it. */
struct lookup {
    struct live_bell ready;
    pthread_mutex_t mutex;
    int users;
    bool dropped; /* nobody waits any more */
    char host[LIVE_HOST_MAX];
    struct question question;
    struct addrinfo *found;
    int code;
    struct place *place;
};

static void leave(struct lookup *l)
{
    int users;

    (void)pthread_mutex_lock(&l->mutex);
    users = --l->users;
    (void)pthread_mutex_unlock(&l->mutex);
    if (users)
        return;
    if (l->found)
        freeaddrinfo(l->found);
    (void)pthread_mutex_destroy(&l->mutex);
    live_bell_close(&l->ready);
    free(l);
}

static void on_closed(uv_handle_t *handle)
{
    leave(handle->data);
}

static void on_ready(uv_poll_t *ready, int status, int events)
{
    struct lookup *l = ready->data;

    (void)status;
    (void)events;
    live_bell_hush(&l->ready);
    if (uv_is_closing((uv_handle_t *)ready))
        return;
    uv_close((uv_handle_t *)ready, on_closed);
    if (!l->dropped)
        looked_up(l->place, l->code, l->code ? NULL : l->found);
}

static void *look(void *whom)
{
    struct lookup *l = whom;
    struct addrinfo *found = NULL;
    int code =
        getaddrinfo(l->host, l->question.port, &l->question.wished, &found);

    (void)pthread_mutex_lock(&l->mutex);
    l->code = code;
    l->found = found;
    if (!l->dropped) /* the loop still has its handle */
        live_bell_ring(&l->ready);
    (void)pthread_mutex_unlock(&l->mutex);
    leave(l);
    return NULL;
}

/* Begins; NULL: no memory or thread. */
static struct lookup *start_lookup(uv_loop_t *loop, struct place *place,
                                   const struct question *question)
{
    struct lookup *l = calloc(1, sizeof *l);
    pthread_t thread;

    if (!l || live_bell_open(&l->ready, loop, on_ready, l) != 0) {
        free(l);
        return NULL;
    }
    (void)pthread_mutex_init(&l->mutex, NULL);
    l->users = 2;
    l->place = place;
    l->question = *question;
    snprintf(l->host, sizeof l->host, "%s", question->host);
    if (live_thread_start(&thread, STACK_BYTES, false, look, l)) {
        (void)pthread_detach(thread);
        return l;
    }
    l->dropped = true;
    l->users = 1;
    uv_close((uv_handle_t *)&l->ready.poll, on_closed);
    return NULL;
}

static void drop_lookup(struct lookup *l)
{
    (void)pthread_mutex_lock(&l->mutex);
    l->dropped = true;
    (void)pthread_mutex_unlock(&l->mutex);
    uv_close((uv_handle_t *)&l->ready.poll, on_closed);
}

/* ---- Names --------------------------------------------------------------- */

static void look_up(struct live_links *links, uint32_t peer)
{
    struct place *place = &links->places[peer];
    struct question q =
        question_of(&links->config->nodes[peer],
                    links->addresses[links->self.id].ss_family, 0);

    place->looked_at = uv_now(links->udp.loop);
    place->look = start_lookup(links->udp.loop, place, &q);
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
            drop_lookup(links->places[i].look);
            links->places[i].look = NULL;
        }
}

/* ---- A list that changes ------------------------------------------------- */

void links_no_place(struct live_links *links, uint32_t peer)
{
    struct place *place = &links->places[peer];

    if (place->look)
        drop_lookup(place->look);
    begin_place(links, peer, false);
    place->host[0] = 0;
    links_not_direct(links, peer);
}

/* Where it is written to be may be as it was: then nothing is looked up again,
 * and nothing lost meanwhile. */
bool links_place(struct live_links *links, uint32_t peer, struct net_why *error)
{
    struct sockaddr_storage at = {0}, any;
    const struct live_config_node *node = &links->config->nodes[peer];
    struct place *place = &links->places[peer];
    int family = links->addresses[links->self.id].ss_family;
    bool named = resolve(node, AF_UNSPEC, AI_NUMERICHOST, &any) != 0;
    int code = named ? 0 : resolve(node, family, 0, &at);

    if (code)
        return refuse(node, family, code, error);
    if (!strcmp(place->host, node->host) && place->port == node->port)
        return true;
    links_no_place(links, peer);
    begin_place(links, peer, named);
    links->addresses[peer] = at;
    place->known = !named;
    if (named)
        links_begin_names(links);
    else
        links_direct(links, peer);
    return true;
}
