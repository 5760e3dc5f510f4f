/*
 * link_guests.c - see link.h: nodes that join while others run, and leave.
 *
 * A node that joined later is in the file of none of the others.  It introduces
 * itself to all that it knows, until they answer; they ask their owner, whose
 * list says who has which id.
 *
 * An introduction proves that somebody with the key has made it, not when: it
 * may be an old one that is repeated.  So it never takes the place of a node
 * that is heard, and owners are asked seldom.
 */
#include "live/wire/link_parts.h"

#include <assert.h>
#include <string.h>

#include "live/system/log.h"

enum {
    ASK_PAUSE_MS = 100, /* between two questions to the owner about an id */
    HEARD_MS = 60000,   /* who was believed for the last time since is there */
    JOIN_MS = 1000,     /* between two introductions */
    SILENT_MS = 5000,   /* a peer may have forgotten this node */
};

void live_links_guests(struct live_links *links, live_guest *guest, void *whom)
{
    links->guest = guest;
    links->guest_whom = whom;
}

/* ---- A list that changes ------------------------------------------------- */

/* Another node has this id than before.  Numbers are counted on: they are of a
 * key, and that is the id's. */
static void begin_channel(struct live_links *links, uint32_t id)
{
    struct live_channel *channel = &links->channels[id];
    uint64_t sent = channel->sent;

    memset(channel, 0, sizeof *channel);
    live_ring_join(&links->ring, &links->self, channel, id);
    channel->sent = sent;
    links->troubles[id] =
        (struct live_trouble){.own_generation = links->self.generation};
    links->hello_at[id] = links->news_at[id] = 0;
    links->keys_at[id] = links->shown_at[id] = 0;
}

bool live_links_add(struct live_links *links, uint32_t id,
                    struct net_why *error)
{
    const struct live_config *config = links->config;
    struct live_self *self = &links->self;
    uint64_t mark = live_node_mark(config, id);

    assert(live_config_knows(config, id) && id != self->id);
    if (!links_place(links, id, error))
        return false;
    for (uint32_t x = self->nodes_count; x < id; x++)
        self->absent |= UINT64_C(1) << x;
    if (self->nodes_count <= id)
        self->nodes_count = id + 1;
    self->absent &= ~(UINT64_C(1) << id);
    if (links->met_ids >> id & 1 && self->marks[id] == mark)
        return true; /* it is the same one: what came from it came from it */
    links->met_ids |= UINT64_C(1) << id;
    self->marks[id] = mark;
    begin_channel(links, id);
    return true;
}

void live_links_remove(struct live_links *links, uint32_t id)
{
    assert(id != links->self.id);
    if (!live_self_knows(&links->self, id))
        return;
    links->self.absent |= UINT64_C(1) << id;
    links->troubles[id] =
        (struct live_trouble){.own_generation = links->self.generation};
    links_no_place(links, id);
}

/* ---- Those who join ------------------------------------------------------ */

/* Whether a node of this id is there, as far as this one can tell. */
static bool is_heard(const struct live_links *links, uint32_t id, uint64_t now)
{
    uint64_t at = links->troubles[id].good_at;

    return live_self_knows(&links->self, id) && at && now - at < HEARD_MS;
}

static bool is_welcome(struct live_links *links, uint32_t id)
{
    uint64_t now = uv_now(links->udp.loop);

    if (!links->guest || is_heard(links, id, now) ||
        (links->asked_at[id] && now - links->asked_at[id] < ASK_PAUSE_MS))
        return false;
    links->asked_at[id] = now;
    return links->guest(links->guest_whom, id, &links->opened.guest);
}

/* Two operators have given one id to two nodes, or a file is an old one. */
static void tell_alias(struct live_links *links)
{
    const struct live_opened *o = &links->opened;
    const struct live_config_node *is = &links->config->nodes[o->from];
    uint64_t now = uv_now(links->udp.loop), *told = &links->alias_at[o->from];

    if (!live_config_knows(links->config, o->from) ||
        strcmp(is->name, o->guest.name) == 0 ||
        (*told && now - *told < HEARD_MS))
        return;
    *told = now;
    live_log("a node that calls itself '%s', at %s port %u, wants the number "
             "%u, which is that of %s: it needs another file, by 'fulcrum "
             "cluster add %s HOST:PORT --ini'",
             o->guest.name, o->guest.host, o->guest.port, o->from, is->name,
             o->guest.name);
}

void links_on_joining(struct live_links *links)
{
    const struct live_opened *o = &links->opened;
    struct net_why error;

    if (!is_welcome(links, o->from)) {
        tell_alias(links);
        links->counts[links->self.id].unproven++;
        return;
    }
    if (live_links_add(links, o->from, &error))
        links_say_hello(links, o->from, o->salt, o->slot);
    else
        live_log("%s", error.text);
}

/* ---- This node joins ----------------------------------------------------- */

/* Versions that know nothing of it would find it odd. */
static bool must_be_told(const struct live_links *links, uint32_t x,
                         uint64_t now)
{
    const struct live_channel *channel = &links->channels[x];

    if (x == links->self.id || !links->places[x].known)
        return false;
    if (!channel->salt)
        return true;
    return channel->version >= LIVE_SPEAKS_CHANGES &&
           now - links->troubles[x].good_at >= SILENT_MS;
}

static void on_time(uv_timer_t *timer)
{
    struct live_links *links = timer->data;
    uint32_t self = links->self.id;
    uint8_t card[LIVE_CARD_MAX], wire[LIVE_WIRE_MAX];
    size_t size = live_card_pack(&links->card, self, card);

    for (uint32_t x = 0; x < links->self.nodes_count; x++)
        if (must_be_told(links, x, uv_now(timer->loop)))
            links_post(links, x, wire,
                       live_seal(&links->self, &links->channels[x], x,
                                 LIVE_JOINS, links->channels[x].salt, card,
                                 size, wire));
}

void links_begin_joining(struct live_links *links)
{
    links->card = links->config->nodes[links->self.id];
    if (links->self.id >= links->self.first_count)
        (void)uv_timer_start(&links->joins, on_time, 0, JOIN_MS);
}
