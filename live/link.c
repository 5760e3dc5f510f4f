/*
 * link.c - see link.h.
 *
 * The port is served by several sockets: one that is open to everybody, and one
 * for each peer that is connected to the peer's address, to which the system
 * gives what comes from there.  So a flood from elsewhere fills another buffer
 * than the peers' frames, and each is read in its turn, a few datagrams at a
 * time.  What is believed does not depend on the socket by which it came.
 */
#include "live/link.h"

#include <assert.h>
#include <netdb.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    HELLO_PAUSE_MS = 1,     /* between answers to what is not proven */
    SOCKET_BYTES = 1 << 20, /* each: for bursts while the loop is busy */
    HELD_BACK_MS = 10,
};

/* A sealed datagram that waits, for its time or for the system. */
struct waiting {
    uv_timer_t timer;
    uv_udp_send_t request;
    struct live_links *links;
    struct waiting *next, **here; /* those that wait for their time */
    uint32_t to;
    size_t size;
    uint8_t wire[LIVE_WIRE_MAX];
};

struct live_links {
    uv_udp_t udp;                    /* open to all, and all leaves by it */
    uv_udp_t direct[LIVE_NODES_MAX]; /* what comes from a peer's address */
    bool is_direct[LIVE_NODES_MAX];
    struct live_self self;
    struct live_channel channels[LIVE_NODES_MAX];
    struct sockaddr_storage addresses[LIVE_NODES_MAX];
    struct live_link_counts counts[LIVE_NODES_MAX];
    uint64_t hello_at[LIVE_NODES_MAX]; /* last answer, of uv_now() */
    live_receive *receive;
    void *whom;
    struct live_mishaps mishaps;
    struct waiting *delayed;
    uint32_t waiting_count;
    uint32_t handles; /* that the loop still knows */
    struct live_opened opened;
    uint8_t in[LIVE_WIRE_MAX + 1];
};

/* ---- Leaving ------------------------------------------------------------- */

static void release(struct live_links *links)
{
    if (--links->handles > 0)
        return;
    sodium_memzero(links, sizeof *links);
    free(links);
}

static struct waiting *wait_with(struct live_links *links, uint32_t to,
                                 const uint8_t *wire, size_t size)
{
    struct waiting *w =
        links->waiting_count < LIVE_QUEUE_MAX ? calloc(1, sizeof *w) : NULL;

    if (!w) {
        links->counts[to].dropped++;
        return NULL;
    }
    links->waiting_count++;
    w->links = links;
    w->to = to;
    w->size = size;
    memcpy(w->wire, wire, size);
    return w;
}

static void on_sent(uv_udp_send_t *request, int status)
{
    struct waiting *w = request->data;

    if (status < 0 && status != UV_ECANCELED)
        w->links->counts[w->to].dropped++;
    w->links->waiting_count--;
    free(w);
}

/* The system's queue is full: this one waits in libuv's. */
static void send_later(struct live_links *links, uint32_t to,
                       const uint8_t *wire, size_t size)
{
    struct waiting *w = wait_with(links, to, wire, size);
    uv_buf_t buffer;

    if (!w)
        return;
    buffer = uv_buf_init((char *)w->wire, (unsigned)size);
    w->request.data = w;
    if (uv_udp_send(&w->request, &links->udp, &buffer, 1,
                    (const struct sockaddr *)&links->addresses[to],
                    on_sent) != 0) {
        links->counts[to].dropped++;
        links->waiting_count--;
        free(w);
    }
}

static void transmit(struct live_links *links, uint32_t to, uint8_t *wire,
                     size_t size)
{
    uv_buf_t buffer = uv_buf_init((char *)wire, (unsigned)size);
    int code = uv_udp_try_send(&links->udp, &buffer, 1,
                               (const struct sockaddr *)&links->addresses[to]);

    if (code == UV_EAGAIN)
        send_later(links, to, wire, size);
    else if (code < 0)
        links->counts[to].dropped++;
}

/* ---- Mishaps ------------------------------------------------------------- */

static uint64_t draw(struct live_mishaps *m)
{
    uint64_t x = m->seed += UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ x >> 32) * UINT64_C(0xe9846af9b1a615d);
    x = (x ^ x >> 32) * UINT64_C(0xe9846af9b1a615d);
    return x ^ x >> 28;
}

static bool happens(struct live_mishaps *m, uint32_t millionths)
{
    return millionths && draw(m) % 1000000 < millionths;
}

static void forget_delayed(uv_handle_t *handle)
{
    struct waiting *w = handle->data;
    struct live_links *links = w->links;

    links->waiting_count--;
    free(w);
    release(links);
}

static void drop_delayed(struct waiting *w)
{
    *w->here = w->next;
    if (w->next)
        w->next->here = w->here;
    uv_close((uv_handle_t *)&w->timer, forget_delayed);
}

static void on_due(uv_timer_t *timer)
{
    struct waiting *w = timer->data;

    transmit(w->links, w->to, w->wire, w->size);
    drop_delayed(w);
}

static void delay(struct live_links *links, uint32_t to, const uint8_t *wire,
                  size_t size, uint64_t ms)
{
    struct waiting *w = wait_with(links, to, wire, size);

    if (!w)
        return;
    uv_timer_init(links->udp.loop, &w->timer);
    w->timer.data = w;
    w->next = links->delayed;
    w->here = &links->delayed;
    if (w->next)
        w->next->here = &w->next;
    links->delayed = w;
    links->handles++;
    uv_timer_start(&w->timer, on_due, ms, 0);
}

/* One copy on its way, with all that can happen to it. */
static void dispatch(struct live_links *links, uint32_t to, uint8_t *wire,
                     size_t size)
{
    struct live_mishaps *m = &links->mishaps;
    uint64_t us = m->delay_min, ms;

    if (m->delay_max > m->delay_min)
        us += draw(m) % (m->delay_max - m->delay_min + 1);
    ms = (us + 999) / 1000;
    if (happens(m, m->reorder))
        ms += 1 + draw(m) % HELD_BACK_MS;
    if (ms)
        delay(links, to, wire, size, ms);
    else
        transmit(links, to, wire, size);
}

static void seal_and_send(struct live_links *links, uint32_t to,
                          enum live_datagram_kind kind, uint64_t echo,
                          const uint8_t *bytes, size_t size)
{
    struct live_mishaps *m = &links->mishaps;
    uint8_t wire[LIVE_WIRE_MAX];
    size_t sealed = live_seal(&links->self, &links->channels[to], to, kind,
                              echo, bytes, size, wire);

    if ((m->cut_to >> to & 1) || happens(m, m->loss))
        return;
    if (happens(m, m->duplicate))
        dispatch(links, to, wire, sealed);
    dispatch(links, to, wire, sealed);
}

void live_links_send(struct live_links *links, uint32_t to,
                     const uint8_t *bytes, size_t size)
{
    assert(to < links->self.nodes_count && to != links->self.id);
    assert(size <= LIVE_DATAGRAM_MAX);
    links->counts[to].sent++;
    seal_and_send(links, to, LIVE_DATA, links->channels[to].salt, bytes, size);
}

/* ---- Arriving ------------------------------------------------------------ */

/* Shows our salt to whoever may not know it; what it says of itself is proven
 * by its answer, and changes nothing before. */
static void say_hello(struct live_links *links, uint32_t to, uint64_t echo)
{
    uint64_t now = uv_now(links->udp.loop);

    if (links->hello_at[to] && now - links->hello_at[to] < HELLO_PAUSE_MS)
        return;
    links->hello_at[to] = now;
    seal_and_send(links, to, LIVE_HELLO, echo, NULL, 0);
}

static void on_good(struct live_links *links, struct live_link_counts *counts,
                    bool greeting)
{
    const struct live_opened *o = &links->opened;

    if (greeting) {
        counts->greeted++;
        if (o->new_life)
            say_hello(links, o->from, links->channels[o->from].salt);
        return;
    }
    counts->received++;
    links->receive(links->whom, o->from, o->bytes, o->size);
}

/* A datagram, whole as far as the system can tell. */
static void on_datagram(struct live_links *links, size_t size)
{
    struct live_opened *o = &links->opened;
    struct live_link_counts *counts = &links->counts[links->self.id];
    enum live_verdict verdict =
        live_open(&links->self, links->channels, links->in, size, o);

    if (verdict != LIVE_ODD)
        counts = &links->counts[o->from];
    switch (verdict) {
    case LIVE_ODD:
        counts->odd++;
        break;
    case LIVE_FORGED:
        counts->forged++;
        break;
    case LIVE_FOREIGN:
        counts->old++;
        break;
    case LIVE_OUTLIVED:
        counts->outlived++;
        break;
    case LIVE_REPLAYED:
        counts->replayed++;
        break;
    case LIVE_UNPROVEN:
        counts->unproven++;
        say_hello(links, o->from, o->salt);
        break;
    case LIVE_GREETED:
    case LIVE_GOOD:
        on_good(links, counts, verdict == LIVE_GREETED);
        break;
    }
}

static bool is_cut(const struct live_links *links, size_t size)
{
    return size > LIVE_AT_FROM && links->in[LIVE_AT_FROM] < 16 &&
           (links->mishaps.cut_from >> links->in[LIVE_AT_FROM] & 1);
}

static void on_alloc(uv_handle_t *handle, size_t wished, uv_buf_t *buffer)
{
    struct live_links *links = handle->data;

    (void)wished;
    *buffer = uv_buf_init((char *)links->in, sizeof links->in);
}

static void on_read(uv_udp_t *udp, ssize_t size, const uv_buf_t *buffer,
                    const struct sockaddr *from, unsigned flags)
{
    struct live_links *links = udp->data;

    (void)buffer;
    if (size < 0 || !from)
        return; /* nothing is there, or a report that a peer is not */
    if (is_cut(links, (size_t)size))
        return;
    if (flags & UV_UDP_PARTIAL)
        links->counts[links->self.id].odd++;
    else
        on_datagram(links, (size_t)size);
}

/* ---- Opening and closing ------------------------------------------------- */

/* The address of a node, of the family given; -1 with a sentence. */
static int resolve(const struct live_node *node, int family,
                   struct sockaddr_storage *to, char error[LIVE_ERROR_SIZE])
{
    struct addrinfo *found = NULL;
    struct addrinfo wished = {.ai_family = family, .ai_socktype = SOCK_DGRAM};
    char port[8];
    int code;

    if (family == AF_INET6)
        wished.ai_flags = AI_V4MAPPED;
    snprintf(port, sizeof port, "%u", (unsigned)node->port);
    code = getaddrinfo(node->host, port, &wished, &found);
    if (code != 0) {
        snprintf(error, LIVE_ERROR_SIZE,
                 "node '%s': host '%s' has no address%s (%s); write one that "
                 "this node can reach",
                 node->name, node->host,
                 family == AF_INET    ? " in IPv4, as this node has"
                 : family == AF_INET6 ? " in IPv6, as this node has"
                                      : "",
                 gai_strerror(code));
        return -1;
    }
    memcpy(to, found->ai_addr, found->ai_addrlen);
    freeaddrinfo(found);
    return 0;
}

static int resolve_all(struct live_links *links,
                       const struct live_config *config, uint32_t self,
                       char error[LIVE_ERROR_SIZE])
{
    struct sockaddr_storage *own = &links->addresses[self];

    if (resolve(&config->nodes[self], AF_UNSPEC, own, error))
        return -1;
    for (uint32_t i = 0; i < config->nodes_count; i++)
        if (i != self && resolve(&config->nodes[i], own->ss_family,
                                 &links->addresses[i], error))
            return -1;
    return 0;
}

/* As much room as is allowed, and more for whoever may ask for it. */
static void widen(uv_udp_t *udp)
{
    int bytes = SOCKET_BYTES;
    uv_os_fd_t file;

    if (uv_fileno((const uv_handle_t *)udp, &file) == 0 &&
        setsockopt(file, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes) != 0)
        (void)uv_recv_buffer_size((uv_handle_t *)udp, &bytes);
}

static void on_closed(uv_handle_t *handle)
{
    release(handle->data);
}

static void close_direct(struct live_links *links, uint32_t peer)
{
    if (!links->is_direct[peer])
        return;
    links->is_direct[peer] = false;
    uv_close((uv_handle_t *)&links->direct[peer], on_closed);
}

static int bind_own(struct live_links *links, const struct live_node *node,
                    char error[LIVE_ERROR_SIZE])
{
    int code;

    code = uv_udp_bind(
        &links->udp, (const struct sockaddr *)&links->addresses[links->self.id],
        0);
    if (code == 0)
        code = uv_udp_recv_start(&links->udp, on_alloc, on_read);
    if (code != 0) {
        snprintf(error, LIVE_ERROR_SIZE,
                 "node '%s': cannot receive at %s, port %u (%s); let host and "
                 "port be free, and this machine's own",
                 node->name, node->host, (unsigned)node->port,
                 uv_strerror(code));
        return -1;
    }
    widen(&links->udp);
    return 0;
}

/* Whether others may bind the port that this socket has. */
static void share(uv_udp_t *udp, int yes)
{
    uv_os_fd_t file;

    if (uv_fileno((const uv_handle_t *)udp, &file) == 0)
        (void)setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
}

/* Takes what comes from one peer's address.  If the system does not want that,
 * it comes by the open socket. */
static void bind_direct(struct live_links *links, uint32_t peer)
{
    uv_udp_t *udp = &links->direct[peer];
    const struct sockaddr *own =
        (const struct sockaddr *)&links->addresses[links->self.id];
    const struct sockaddr *there =
        (const struct sockaddr *)&links->addresses[peer];

    if (uv_udp_init(links->udp.loop, udp) != 0)
        return;
    links->is_direct[peer] = true;
    links->handles++;
    udp->data = links;
    if (uv_udp_bind(udp, own, UV_UDP_REUSEADDR) != 0 ||
        uv_udp_connect(udp, there) != 0 ||
        uv_udp_recv_start(udp, on_alloc, on_read) != 0)
        close_direct(links, peer);
    else
        widen(udp);
}

/* The port is shared among these sockets, and with nobody else. */
static void bind_all_direct(struct live_links *links)
{
    share(&links->udp, 1);
    for (uint32_t i = 0; i < links->self.nodes_count; i++)
        if (i != links->self.id)
            bind_direct(links, i);
    share(&links->udp, 0);
}

static void introduce(struct live_links *links,
                      const struct live_config *config, uint32_t self,
                      uint64_t life)
{
    links->self = (struct live_self){.hash = config->hash,
                                     .life = life,
                                     .id = self,
                                     .nodes_count = config->nodes_count};
    while (!links->self.salt)
        randombytes_buf(&links->self.salt, sizeof links->self.salt);
    for (uint32_t i = 0; i < config->nodes_count; i++)
        live_channel_open(&links->channels[i], config->key, self, i);
}

struct live_links *live_links_open(uv_loop_t *loop,
                                   const struct live_config *config,
                                   uint32_t self, uint64_t life,
                                   live_receive *receive, void *whom,
                                   char error[LIVE_ERROR_SIZE])
{
    struct live_links *links;

    assert(self < config->nodes_count);
    links = sodium_init() < 0 ? NULL : calloc(1, sizeof *links);
    if (!links || uv_udp_init(loop, &links->udp) != 0) {
        snprintf(error, LIVE_ERROR_SIZE,
                 "the system gives no memory, socket or random numbers; free "
                 "some, and try again");
        free(links);
        return NULL;
    }
    links->handles = 1;
    links->udp.data = links;
    links->receive = receive;
    links->whom = whom;
    introduce(links, config, self, life);
    if (resolve_all(links, config, self, error) ||
        bind_own(links, &config->nodes[self], error)) {
        live_links_close(links);
        return NULL;
    }
    bind_all_direct(links);
    return links;
}

void live_links_mishaps(struct live_links *links,
                        const struct live_mishaps *mishaps)
{
    links->mishaps = *mishaps;
}

const struct live_link_counts *live_links_counts(const struct live_links *links,
                                                 uint32_t peer)
{
    return &links->counts[peer];
}

uint64_t live_links_life(const struct live_links *links, uint32_t peer)
{
    return links->channels[peer].life;
}

void live_links_close(struct live_links *links)
{
    while (links->delayed)
        drop_delayed(links->delayed);
    for (uint32_t i = 0; i < links->self.nodes_count; i++)
        close_direct(links, i);
    uv_close((uv_handle_t *)&links->udp, on_closed);
}
