/*
 * network.c - datagrams of a rehearsal: they are lost, copied, late and out of
 * order, and links are cut, one way or both.
 */
#include "live/rehearse/world.h"

#include <stdlib.h>
#include <string.h>

enum { WAY_MIN = 50, WAY_MAX = 500, HELLO_PAUSE = 1000, MISSED_MAX = 3 };

/* Mode silence counts on one copy of sixteen, with its answer: so no more than
 * three packets in a row are lost each way. */
static bool is_lost(struct world *w, uint32_t from, uint32_t to)
{
    uint8_t *missed = &w->missed[from][to];

    if (live_has(w->cut[from], to))
        return true;
    if (!world_chance(w, w->loss, 1000) ||
        (world_is_silent(w) && *missed == MISSED_MAX)) {
        *missed = 0;
        return false;
    }
    *missed = world_is_silent(w) ? (uint8_t)(*missed + 1) : 0;
    return true;
}

static uint64_t longest_way(const struct world *w)
{
    return world_is_silent(w) && w->config->dmax < WAY_MAX ? w->config->dmax
                                                           : WAY_MAX;
}

static void dispatch(struct world *w, uint32_t from, uint32_t to,
                     const uint8_t *wire, size_t size)
{
    uint64_t most = longest_way(w);
    uint64_t way = world_draw_between(w, most < WAY_MIN ? most : WAY_MIN, most);
    struct event e = {.kind = EV_DATAGRAM,
                      .node = (uint8_t)to,
                      .what = (uint8_t)from,
                      .size = size};

    if (is_lost(w, from, to))
        return;
    if (world_chance(w, w->late, 1000))
        way += world_draw_below(
            w, world_is_silent(w) ? w->config->dmax - way + 1 : w->late_max);
    if (w->choices && !choice_datagram(w, from, to, &way))
        return;
    e.bytes = malloc(size);
    if (!e.bytes) {
        w->failed = true;
        return;
    }
    memcpy(e.bytes, wire, size);
    w->result->datagrams++;
    world_post(w, w->now + way, e);
}

void network_leave(struct world *w, uint32_t from, uint32_t to,
                   const uint8_t *wire, size_t size)
{
    dispatch(w, from, to, wire, size);
    if (world_chance(w, w->copies, 1000))
        dispatch(w, from, to, wire, size);
}

void network_post(struct world *w, const struct machine *from, uint32_t to,
                  uint8_t *wire, size_t size)
{
    if (!lists_knows(w, from, to))
        return; /* where it is */
    upgrade_stamp(from, wire);
    network_leave(w, from->id, to, wire, size);
}

void network_send(struct world *w, struct machine *from, uint32_t to,
                  const uint8_t *bytes, size_t size)
{
    struct live_channel *channel = &from->channels[to];
    uint8_t wire[LIVE_WIRE_MAX];

    network_post(w, from, to, wire,
                 live_seal(&from->self, channel, to, LIVE_DATA, channel->salt,
                           bytes, size, wire));
    keys_tell(w, from, to, false);
}

void network_hello(struct world *w, struct machine *from, uint32_t to,
                   uint64_t echo, enum live_slot slot)
{
    uint8_t wire[LIVE_WIRE_MAX];

    if (from->hello_at[to] && w->now - from->hello_at[to] < HELLO_PAUSE)
        return;
    from->hello_at[to] = w->now;
    network_post(w, from, to, wire,
                 live_seal_answer(&from->self, &from->channels[to], to, echo,
                                  slot, wire));
}
