/*
 * link_open.c - see link.h: sockets.
 *
 * The port is served by several sockets: one that is open to everybody, and one
 * for each peer that is connected to the peer's address, to which the system
 * gives all datagrams from there.  So a flood from elsewhere fills another
 * buffer than the peers' frames, and each is read in its turn, a few datagrams
 * at a time.  What is believed does not depend on the socket by which it came.
 */
#include "live/wire/link_parts.h"

#include <assert.h>
#include <sodium.h>
#include <stdlib.h>

#include "live/common/clock.h"
#include "net/why.h"

enum { SOCKET_BYTES = 1 << 20 }; /* each: for bursts while the loop is busy */

/* As much room as is allowed, or more for a process that may force it. */
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
    links_release(handle->data);
}

static void on_direct_closed(uv_handle_t *handle)
{
    struct live_links *links = handle->data;
    uint32_t peer = (uint32_t)((uv_udp_t *)handle - links->direct);

    links->places[peer].closing = false;
    if (links->places[peer].again && !links->closed) {
        links->places[peer].again = false;
        links_direct(links, peer);
    }
    links_release(links);
}

static void close_direct(struct live_links *links, uint32_t peer)
{
    if (!links->is_direct[peer])
        return;
    links->is_direct[peer] = false;
    links->places[peer].closing = true;
    uv_close((uv_handle_t *)&links->direct[peer], on_direct_closed);
}

static bool bind_own(struct live_links *links,
                     const struct live_config_node *node, struct net_why *error)
{
    int code;

    code = uv_udp_bind(
        &links->udp, (const struct sockaddr *)&links->addresses[links->self.id],
        0);
    if (code == 0)
        code = uv_udp_recv_start(&links->udp, links_on_alloc, links_on_read);
    if (code != 0)
        return net_fail(error,
                        "node '%s': cannot receive at %s, port %u (%s); let "
                        "host and port be free, and this machine's own",
                        node->name, node->host, (unsigned)node->port,
                        uv_strerror(code));
    widen(&links->udp);
    return true;
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
        uv_udp_recv_start(udp, links_on_alloc, links_on_read) != 0)
        close_direct(links, peer);
    else
        widen(udp);
}

/* The port is shared among these sockets, and with nobody else. */
void links_direct(struct live_links *links, uint32_t peer)
{
    if (links->is_direct[peer] || links->places[peer].closing) {
        links->places[peer].again = true;
        close_direct(links, peer);
        return;
    }
    share(&links->udp, 1);
    bind_direct(links, peer);
    share(&links->udp, 0);
}

void links_not_direct(struct live_links *links, uint32_t peer)
{
    close_direct(links, peer);
}

static void introduce(struct live_links *links,
                      const struct live_config *config, uint32_t self,
                      uint64_t life)
{
    struct net_why error; /* the same key twice was refused with the file */

    links->self = (struct live_self){.hash = config->hash,
                                     .life = life,
                                     .began = live_now(),
                                     .id = self,
                                     .nodes_count = config->nodes_count,
                                     .first_count = config->first_count,
                                     .generation = config->generation};
    while (!links->self.salt)
        randombytes_buf(&links->self.salt, sizeof links->self.salt);
    for (uint32_t i = 0; i < config->nodes_count; i++) {
        links->troubles[i].own_generation = config->generation;
        if (!live_config_knows(config, i)) {
            links->self.absent |= UINT64_C(1) << i;
            continue;
        }
        links->self.marks[i] = live_node_mark(config, i);
        links->met_ids |= UINT64_C(1) << i;
        live_channel_open(&links->channels[i], config->key, self, i);
    }
    live_ring_open(&links->ring, config->key);
    if (config->new_key_file[0])
        (void)live_ring_add(&links->ring, &links->self, links->channels,
                            config->new_key, &error);
    links->self.keys = &links->ring.keys[LIVE_MAIN];
    sodium_stackzero(1024); /* what the hash has left of the key */
}

struct live_links *live_links_open(uv_loop_t *loop,
                                   const struct live_config *config,
                                   uint32_t self, uint64_t life,
                                   live_receive *receive, void *whom,
                                   struct net_why *error)
{
    struct live_links *links;

    assert(live_config_knows(config, self));
    links = sodium_init() < 0 ? NULL : calloc(1, sizeof *links);
    if (!links || uv_udp_init(loop, &links->udp) != 0) {
        net_fail(error,
                 "the system gives no memory, socket or random numbers; free "
                 "some, and try again");
        free(links);
        return NULL;
    }
    links->handles = 3;
    links->udp.data = links->names.data = links->joins.data = links;
    links->config = config;
    (void)uv_timer_init(loop, &links->names);
    (void)uv_timer_init(loop, &links->joins);
    links->receive = receive;
    links->whom = whom;
    introduce(links, config, self, life);
    if (!links_find_places(links, error) ||
        !bind_own(links, &config->nodes[self], error)) {
        live_links_close(links);
        return NULL;
    }
    for (uint32_t i = 0; i < config->nodes_count; i++)
        if (i != self && links->places[i].known)
            links_direct(links, i);
    links_begin_names(links);
    links_begin_joining(links);
    return links;
}

void live_links_close(struct live_links *links)
{
    links->closed = true;
    links_drop_delayed(links);
    links_end_names(links);
    for (uint32_t i = 0; i < links->self.nodes_count; i++)
        close_direct(links, i);
    uv_close((uv_handle_t *)&links->names, on_closed);
    uv_close((uv_handle_t *)&links->joins, on_closed);
    uv_close((uv_handle_t *)&links->udp, on_closed);
}
