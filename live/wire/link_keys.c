/*
 * link_keys.c - see link_keys.h, and link_parts.h for what links do by
 * themselves.
 *
 * Keys are shown like news: behind what is sent anyway, once in a lease while
 * there are two, and more often for a while when something has changed.
 */
#include "live/wire/link_parts.h"

#include "live/system/log.h"

enum { LOG_PAUSE_MS = 100 }; /* between lines of one peer */

/* ---- Showing ------------------------------------------------------------- */

static void show(struct live_links *links, uint32_t to)
{
    struct live_channel *channel = &links->channels[to];
    uint8_t bytes[LIVE_SHOWN_BYTES], wire[LIVE_WIRE_MAX];

    if (!links->lives || to == links->self.id || !channel->salt ||
        channel->version < LIVE_SPEAKS_KEYS || !links->places[to].known)
        return;
    links->keys_at[to] = uv_now(links->udp.loop);
    live_ring_say(&links->ring, channel, bytes);
    links_post(links, to, wire,
               live_seal(&links->self, channel, to, LIVE_SHOWS, channel->salt,
                         bytes, sizeof bytes, wire));
}

void links_show_keys(struct live_links *links, uint32_t to)
{
    if (live_ring_speaks(&links->ring, &links->channels[to]))
        show(links, to);
}

static void show_all(struct live_links *links)
{
    links->fresh_at = uv_now(links->udp.loop);
    for (uint32_t x = 0; x < links->self.nodes_count; x++)
        show(links, x);
}

/* ---- Hearing ------------------------------------------------------------- */

static bool has(const uint64_t prints[LIVE_SLOTS], uint64_t print)
{
    return prints[0] == print || prints[1] == print;
}

/* What a peer can read now. */
static void tell(struct live_links *links, uint32_t peer)
{
    const struct live_channel *c = &links->channels[peer];
    const char *name = links->config->nodes[peer].name;
    const uint64_t *own = links->ring.print;
    char text[LIVE_PRINT_TEXT], other[LIVE_PRINT_TEXT];
    uint64_t now = uv_now(links->udp.loop);

    if (links->shown_at[peer] && now - links->shown_at[peer] < LOG_PAUSE_MS)
        return;
    links->shown_at[peer] = now;
    if (c->shown[1])
        live_log("%s can read the keys %s and %s", name,
                 live_print_text(c->shown[0], text),
                 live_print_text(c->shown[1], other));
    else
        live_log("%s can read the key %s alone", name,
                 live_print_text(c->shown[0], text));
    for (uint32_t i = 0; i < LIVE_SLOTS; i++)
        if (c->shown[i] && !has(own, c->shown[i]) && !own[LIVE_SPARE])
            live_log("this node cannot read the key %s: give it the file, by "
                     "'fulcrum cluster key add FILE'",
                     live_print_text(c->shown[i], text));
}

void links_on_keys(struct live_links *links)
{
    const struct live_opened *o = &links->opened;
    struct live_heard heard = live_ring_hear(
        &links->ring, &links->channels[o->from], o->slot, o->bytes);

    links->troubles[o->from].good_at = uv_now(links->udp.loop);
    if (heard.changed)
        tell(links, o->from);
    if (heard.asks || heard.changed)
        links->keys_at[o->from] = 0; /* with the next that is sent */
    if (heard.asks)
        show(links, o->from);
}

/* ---- The operator's word ------------------------------------------------- */

const struct live_ring *live_links_ring(const struct live_links *links)
{
    return &links->ring;
}

bool live_links_key_add(struct live_links *links,
                        const uint8_t key[LIVE_KEY_BYTES],
                        struct net_why *error)
{
    if (!live_ring_add(&links->ring, &links->self, links->channels, key, error))
        return false;
    show_all(links);
    return true;
}

void live_links_key_swap(struct live_links *links)
{
    live_ring_swap(&links->ring, &links->self, links->channels);
    show_all(links);
}

void live_links_key_drop(struct live_links *links)
{
    live_ring_drop(&links->ring, &links->self, links->channels);
    show_all(links);
}

uint64_t live_links_key_lacks(const struct live_links *links)
{
    return live_ring_lacks(&links->self, links->channels);
}

/* ---- What is known ------------------------------------------------------- */

struct live_link_shown live_links_shown(const struct live_links *links,
                                        uint32_t peer)
{
    const struct live_channel *c = &links->channels[peer];
    const uint64_t *own = links->ring.print;
    struct live_link_shown s = {
        .met = c->salt != 0,
        .least = c->least,
        .most = c->version,
        .reads = {c->shown[0], c->shown[1]},
        .sends = c->salt ? own[c->last] : 0,
        .gets = own[live_channel_slot(c)],
    };

    if (s.met && !s.reads[0]) /* it has said nothing: its datagrams do */
        for (uint32_t i = 0, n = 0; i < LIVE_SLOTS; i++)
            if (c->reads >> i & 1)
                s.reads[n++] = own[i];
    return s;
}

uint32_t live_links_spoken(const struct live_links *links, uint64_t among,
                           uint64_t *least)
{
    return live_spoken(&links->self, links->channels, among, least);
}
