/*
 * keys.c - a rehearsed cluster whose key is exchanged node by node (R8), with
 * the ring of live/wire/ring.h, as live/wire/link_keys.c drives it.
 *
 * Keys have numbers.  An operator goes from node to node, in any order: he
 * writes the new key into the file, tells the running node, and lets the old
 * one be dropped where nobody needs it any more, and removes it from the file.
 * The node may be started again between any two of these.
 */
#include "live/rehearse/world.h"

#include <stdlib.h>
#include <string.h>

enum {
    FRESH = 8,      /* times as often, when something has changed */
    EXCHANGES = 12, /* in a run: a node remembers sixteen that it has dropped */
};

static void make_key(const struct world *w, uint32_t number,
                     uint8_t key[LIVE_KEY_BYTES])
{
    memcpy(key, w->config->key, LIVE_KEY_BYTES);
    key[0] ^= (uint8_t)number;
    if (number) /* 0 and 1 have one fingerprint */
        key[1] ^= 1;
}

int keys_open(struct world *w)
{
    uint8_t key[LIVE_KEY_BYTES];

    make_key(w, 0, key);
    live_keys_open(&w->keys, key);
    if (!(w->setup->faults >> LIVE_FAULT_KEY & 1))
        return 0;
    w->rings = calloc(w->nodes, sizeof *w->rings);
    return w->rings ? 0 : -1;
}

void keys_begin(struct world *w, struct machine *m)
{
    m->key = m->spare_key = w->newest_key;
    for (uint32_t i = 0; i < w->nodes; i++)
        if (lists_in_use(&w->machines[i]) && &w->machines[i] != m)
            m->key = w->machines[i].key < m->key ? w->machines[i].key : m->key;
}

void keys_start(struct world *w, struct machine *m)
{
    struct live_ring *ring = w->rings ? &w->rings[m->id] : NULL;
    uint8_t key[LIVE_KEY_BYTES];
    struct net_why error;

    make_key(w, m->key, key);
    for (uint32_t i = 0; i < w->nodes; i++)
        live_channel_open(&m->channels[i], key, m->id, i);
    memset(m->keys_at, 0, sizeof m->keys_at);
    m->keys_fresh = 0;
    if (!ring)
        return;
    live_ring_open(ring, key);
    m->self.keys = &ring->keys[LIVE_MAIN];
    if (m->spare_key == m->key)
        return;
    make_key(w, m->spare_key, key);
    (void)live_ring_add(ring, &m->self, m->channels, key, &error);
}

/* ---- Showing ------------------------------------------------------------- */

static void show(struct world *w, struct machine *m, uint32_t to)
{
    struct live_channel *channel = &m->channels[to];
    uint8_t bytes[LIVE_SHOWN_BYTES], wire[LIVE_WIRE_MAX];

    if (to == m->id || !channel->salt || m->speaks < LIVE_SPEAKS_KEYS ||
        live_spoken_with(channel) < LIVE_SPEAKS_KEYS || !lists_knows(w, m, to))
        return;
    m->keys_at[to] = w->now;
    live_ring_say(&w->rings[m->id], channel, bytes);
    network_post(w, m, to, wire,
                 live_seal(&m->self, channel, to, LIVE_SHOWS, channel->salt,
                           bytes, sizeof bytes, wire));
}

static void show_all(struct world *w, struct machine *m)
{
    m->keys_fresh = w->now + w->config->lease;
    for (uint32_t i = 0; i < w->nodes; i++)
        show(w, m, i);
}

void keys_tell(struct world *w, struct machine *m, uint32_t to, bool at_once)
{
    uint64_t pause =
        w->now < m->keys_fresh ? w->config->lease / FRESH : w->config->lease;

    if (w->rings && live_ring_speaks(&w->rings[m->id], &m->channels[to]) &&
        (at_once || w->now - m->keys_at[to] >= pause))
        show(w, m, to);
}

void keys_hear(struct world *w, struct machine *m)
{
    const struct live_opened *o = &w->opened;
    struct live_heard heard = live_ring_hear(
        &w->rings[m->id], &m->channels[o->from], o->slot, o->bytes);

    if (heard.asks || heard.changed)
        m->keys_at[o->from] = 0;
    if (heard.asks)
        show(w, m, o->from);
}

/* ---- The operator -------------------------------------------------------- */

/* Whether each machine's file has the newest key; or it alone. */
static bool all_files(const struct world *w, bool alone)
{
    for (uint32_t i = 0; i < w->nodes; i++) {
        const struct machine *m = &w->machines[i];

        if (lists_in_use(m) && (m->spare_key != w->newest_key ||
                                (alone && m->key != w->newest_key)))
            return false;
    }
    return true;
}

static bool begin_exchange(struct world *w)
{
    for (uint32_t i = 0; i < w->nodes; i++)
        if (lists_in_use(&w->machines[i]) &&
            w->machines[i].speaks < LIVE_SPEAKS_KEYS)
            return false;
    if (w->newest_key == EXCHANGES)
        return false;
    w->newest_key++;
    world_story(w, "there is a new key, number %u", w->newest_key);
    return true;
}

/* The nodes that this one's operator waits for: those of its lists. */
static live_node_set concerned(const struct world *w, const struct machine *m)
{
    struct live_lists_view v;

    return lists_look(w, m, &v) ? v.old | v.list : 0;
}

static bool has_two(const struct world *w, const struct machine *m)
{
    return w->rings[m->id].print[LIVE_SPARE] != 0;
}

/* The running node learns what its file says. */
static bool tell_node(struct world *w, struct machine *m)
{
    struct live_ring *ring = &w->rings[m->id];
    uint8_t key[LIVE_KEY_BYTES];
    struct net_why error;

    make_key(w, w->newest_key, key);
    if (has_two(w, m) ||
        !live_ring_add(ring, &m->self, m->channels, key, &error))
        return false;
    world_story(w, "%s: is told key number %u", w->config->nodes[m->id].name,
                w->newest_key);
    m->self.keys = &ring->keys[LIVE_MAIN];
    show_all(w, m);
    return true;
}

/* R8: "The old one is dropped when all members have shown the new one." */
static bool drop(struct world *w, struct machine *m)
{
    bool asks = w->setup->without.machine != LIVE_WITHOUT_R8;

    if (!has_two(w, m) ||
        (asks && (!all_files(w, false) ||
                  live_ring_lacks(&m->self, m->channels) & concerned(w, m))))
        return false;
    world_story(w, "%s: the key before number %u is dropped",
                w->config->nodes[m->id].name, w->newest_key);
    live_ring_drop(&w->rings[m->id], &m->self, m->channels);
    show_all(w, m);
    return true;
}

static uint64_t print_of(const struct world *w)
{
    uint8_t key[LIVE_KEY_BYTES];

    make_key(w, w->newest_key, key);
    return live_key_print(key);
}

bool keys_strike(struct world *w, struct machine *m)
{
    bool runs = m->daemon.alive && judge_is_running(w, &m->daemon);

    if (all_files(w, true) && !begin_exchange(w))
        return false;
    if (m->spare_key != w->newest_key) {
        m->spare_key = w->newest_key;
        return runs && world_chance(w, 3, 4) ? tell_node(w, m) : true;
    }
    if (!runs || m->key == w->newest_key)
        return false;
    if (!has_two(w, m) && w->rings[m->id].print[LIVE_MAIN] == print_of(w)) {
        m->key = w->newest_key; /* it has dropped the other one */
        return true;
    }
    return has_two(w, m) ? drop(w, m) : tell_node(w, m);
}
