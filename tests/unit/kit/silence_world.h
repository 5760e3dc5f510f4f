/*
 * silence_world.h - nodes in mode silence over a network of the test's own, in
 * virtual time: sites and couriers as the daemon runs them, without sockets,
 * clocks and disks.
 *
 * What is inside is judged for each lock: never a writer beside anybody, and
 * greater and greater tokens.  The command of a node that is killed goes on for
 * a lease, as it may where nobody but its guard is left.
 */
#ifndef TESTS_SILENCE_WORLD_H
#define TESTS_SILENCE_WORLD_H

#include "tests/unit/kit/testing.h"

#include <stdio.h>
#include <stdlib.h>

#include "live/mode/sites.h"
#include "live/wire/courier.h"

enum {
    MS = 1000,
    DMAX = 20 * MS,
    STEP = 10 * MS,
    LEASE = 100 * MS,
    WINDOW = 2 * (DMAX + STEP),
    REPEAT = DMAX / 4,
    DEAD = LEASE + WINDOW + 16 * REPEAT,
    WORLD_NODES = 5,
    WORLD_LOCKS = 3,
    FLYING_MAX = 1024,
};

struct flying {
    bool used;
    uint32_t from, to;
    uint64_t due, life, to_life; /* to_life: as its sender knew it */
    size_t size;
    uint8_t bytes[LIVE_DATAGRAM_MAX];
};

/* What the application of a node does with one lock. */
struct app {
    uint64_t next_at;    /* the next thing it does; UINT64_MAX: it waits */
    uint64_t runs_until; /* a command that was left behind by a crash */
    uint64_t token;
    bool inside, shared;
    uint32_t entries;
};

struct world_node {
    struct world *world;
    uint32_t index;
    bool up;
    uint64_t life, floor;
    uint64_t knows[WORLD_NODES]; /* the lives of the others */
    struct live_courier *courier;
    struct live_sites *sites;
    struct live_courier_counts counted; /* of earlier lives */
    struct app apps[WORLD_LOCKS];
};

struct world {
    uint32_t nodes, locks;
    uint64_t now;
    struct dice dice;
    uint32_t loss;         /* percent */
    uint32_t late;         /* each `late`-th copy is beyond bounds; 0: none */
    uint32_t write;        /* percent of entries that are exclusive */
    bool early, busy;      /* busy: applications ask again and again */
    bool quick;            /* the network: no copy is ever sent twice */
    uint32_t generation;   /* of the configuration */
    uint32_t cut_a, cut_b; /* nodes between which nothing passes; or equal */
    uint64_t datagrams, breaches[3], gone, left;
    uint32_t entries, overlaps, backwards;
    uint64_t highest[WORLD_LOCKS]; /* token of a writer */
    struct world_node node[WORLD_NODES];
    struct flying flying[FLYING_MAX];
};

static inline uint64_t lock_number(uint32_t lock)
{
    return 1000 + lock;
}

/* ---- The network --------------------------------------------------------- */

static inline void world_transmit(void *whom, uint32_t to, const uint8_t *bytes,
                                  size_t size)
{
    struct world_node *n = whom;
    struct world *w = n->world;
    uint32_t i = 0;

    w->datagrams++;
    if (throw_below(&w->dice, 100) < w->loss ||
        (w->cut_a != w->cut_b &&
         (n->index == w->cut_a || n->index == w->cut_b) &&
         (to == w->cut_a || to == w->cut_b)))
        return;
    while (i < FLYING_MAX && w->flying[i].used)
        i++;
    assert_true(i < FLYING_MAX);
    w->flying[i] = (struct flying){
        .used = true,
        .from = n->index,
        .to = to,
        .due = w->now + 1 +
               throw_below(&w->dice, w->quick ? REPEAT / 3 : DMAX + STEP),
        .life = n->life,
        .to_life = n->knows[to],
        .size = size,
    };
    if (w->late && throw_below(&w->dice, w->late) == 0)
        w->flying[i].due += DMAX + STEP;
    memcpy(w->flying[i].bytes, bytes, size);
}

/* As the links do it: what was sent to another life only makes them meet. */
static inline void world_deliver(struct world *w, struct flying *f)
{
    struct world_node *from = &w->node[f->from], *to = &w->node[f->to];

    f->used = false;
    if (!to->up || f->life != from->life || !from->up)
        return;
    if (f->to_life != to->life) {
        from->knows[to->index] = to->life;
        to->knows[from->index] = from->life;
        return;
    }
    live_courier_receive(to->courier, from->index, from->life, f->bytes,
                         f->size, w->now);
    live_courier_ship(to->courier, w->now);
}

/* ---- What sites and couriers need ---------------------------------------- */

static inline bool world_take(void *whom, uint32_t from,
                              struct live_unread messages)
{
    struct world_node *n = whom;

    return live_sites_take(n->sites, from, messages, n->world->now);
}

static inline void world_breach(void *whom, uint32_t peer, enum live_breach how,
                                uint64_t how_long)
{
    struct world_node *n = whom;

    (void)peer;
    (void)how_long;
    n->world->breaches[how]++;
}

static inline void world_gone(void *whom, uint32_t peer, bool by_itself,
                              uint64_t silent)
{
    struct world_node *n = whom;

    (void)peer;
    (void)silent;
    n->world->gone += !by_itself;
    n->world->left += by_itself;
}

static inline bool world_save(void *whom, uint64_t floor)
{
    struct world_node *n = whom;

    assert_true(floor > n->floor);
    n->floor = floor;
    return true;
}

static inline uint64_t world_send(void *whom, uint32_t to, const uint8_t *bytes,
                                  size_t size)
{
    struct world_node *n = whom;

    return live_courier_put(n->courier, to, bytes, size, n->world->now);
}

static inline bool world_settled(void *whom, uint32_t to, uint64_t sent)
{
    struct world_node *n = whom;

    return live_courier_settled(n->courier, to, sent);
}

static inline void world_insane(void *whom, const char *sentence)
{
    (void)whom;
    fail_msg("a site is not sane: %s", sentence);
}

/* ---- Nodes --------------------------------------------------------------- */

static inline void start_node(struct world *w, uint32_t index)
{
    struct world_node *n = &w->node[index];
    struct live_courier_owner post = {world_transmit, world_take, world_breach,
                                      world_gone, n};
    struct live_sites_owner owner = {world_save, world_send, world_settled,
                                     world_insane, n};
    struct live_courier_times courier = {WINDOW, REPEAT, DEAD};
    struct live_sites_times sites = {WINDOW, LEASE, 5 * WINDOW, 10, w->early};

    n->world = w;
    n->index = index;
    n->up = true;
    n->life++;
    memset(n->knows, 0, sizeof n->knows);
    n->courier = live_courier_open(w->nodes, index, &courier, &post);
    n->sites = live_sites_open(w->nodes, index, &sites, w->generation, n->floor,
                               &owner, w->now);
    for (uint32_t i = 0; i < w->locks; i++)
        n->apps[i].next_at =
            w->busy ? w->now + throw_below(&w->dice, WINDOW) : UINT64_MAX;
}

static inline void kill_node(struct world *w, uint32_t index)
{
    struct world_node *n = &w->node[index];
    const struct live_courier_counts *c = live_courier_counts(n->courier);

    n->up = false;
    n->counted.acks += c->acks;
    n->counted.repeats += c->repeats;
    live_courier_close(n->courier);
    live_sites_close(n->sites);
    for (uint32_t i = 0; i < w->locks; i++)
        if (n->apps[i].inside) {
            n->apps[i].runs_until = w->now + LEASE;
            n->apps[i].inside = false;
        }
}

/* ---- Applications -------------------------------------------------------- */

static inline bool runs(const struct world *w, const struct app *a)
{
    return a->inside || a->runs_until > w->now;
}

/* Somebody is let in. */
static inline void judge_entry(struct world *w, uint32_t lock, struct app *mine)
{
    for (uint32_t x = 0; x < w->nodes; x++) {
        const struct app *a = &w->node[x].apps[lock];

        if (a != mine && runs(w, a) && !(a->shared && mine->shared))
            w->overlaps++;
        if (a == mine && a->runs_until > w->now && !a->shared)
            w->overlaps++;
    }
    if (mine->token <= w->highest[lock])
        w->backwards++;
    if (!mine->shared)
        w->highest[lock] = mine->token;
    w->entries++;
    mine->entries++;
}

static inline void look_at_lock(struct world *w, struct world_node *n,
                                uint32_t lock)
{
    struct app *a = &n->apps[lock];
    struct live_lock_view view = live_sites_look(n->sites, lock_number(lock));

    if (!a->inside && view.phase == FC_INSIDE) {
        a->token = view.token;
        a->shared = view.shared;
        judge_entry(w, lock, a);
        a->inside = true;
        a->next_at = w->now + throw_below(&w->dice, 2 * WINDOW);
    }
    if (a->inside && view.phase != FC_INSIDE) {
        fail_msg("a lock was lost");
    }
    if (w->now < a->next_at)
        return;
    a->next_at = UINT64_MAX;
    if (a->inside) {
        a->inside = false;
        assert_true(live_sites_command(n->sites, LIVE_LEAVE, lock_number(lock),
                                       w->now));
        if (w->busy)
            a->next_at = w->now + throw_below(&w->dice, 3 * WINDOW);
    } else if (view.phase == FC_IDLE) {
        bool writes = throw_below(&w->dice, 100) < w->write;

        assert_true(live_sites_command(n->sites,
                                       writes ? LIVE_WANT : LIVE_WANT_SHARED,
                                       lock_number(lock), w->now));
    }
}

/* ---- Time ---------------------------------------------------------------- */

static inline void least(uint64_t *at, uint64_t other)
{
    if (other < *at)
        *at = other;
}

static inline uint64_t next_in(const struct world *w)
{
    uint64_t at = UINT64_MAX;

    for (uint32_t i = 0; i < FLYING_MAX; i++)
        if (w->flying[i].used)
            least(&at, w->flying[i].due);
    for (uint32_t x = 0; x < w->nodes; x++) {
        const struct world_node *n = &w->node[x];

        if (!n->up)
            continue;
        least(&at, live_courier_next(n->courier));
        least(&at, live_sites_next(n->sites, w->now));
        for (uint32_t i = 0; i < w->locks; i++)
            least(&at, n->apps[i].next_at);
    }
    return at > w->now ? at : w->now + 1;
}

static inline void run_node(struct world *w, struct world_node *n)
{
    live_courier_tick(n->courier, w->now);
    live_sites_tick(n->sites, w->now);
    for (uint32_t i = 0; i < w->locks; i++)
        look_at_lock(w, n, i);
    live_courier_ship(n->courier, w->now);
}

/* What has arrived is read before a timer is tested. */
static inline void run_until(struct world *w, uint64_t end)
{
    while (w->now < end) {
        uint64_t at = next_in(w);

        w->now = at < end ? at : end;
        for (uint32_t i = 0; i < FLYING_MAX; i++)
            if (w->flying[i].used && w->flying[i].due <= w->now)
                world_deliver(w, &w->flying[i]);
        for (uint32_t x = 0; x < w->nodes; x++)
            if (w->node[x].up)
                run_node(w, &w->node[x]);
    }
}

static inline void run_for(struct world *w, uint64_t ms)
{
    run_until(w, w->now + ms * MS);
}

static inline struct world *make_world(uint32_t nodes, uint32_t locks,
                                       uint64_t seed)
{
    struct world *w = calloc(1, sizeof *w);

    assert_non_null(w);
    w->nodes = nodes;
    w->locks = locks;
    w->dice.state = seed;
    w->write = 100;
    w->generation = 1;
    w->now = 1000000;
    return w;
}

static inline void start_all(struct world *w)
{
    for (uint32_t x = 0; x < w->nodes; x++)
        start_node(w, x);
}

static inline bool all_ready(const struct world *w)
{
    for (uint32_t x = 0; x < w->nodes; x++)
        if (!w->node[x].up || !live_sites_ready(w->node[x].sites))
            return false;
    return true;
}

static inline void end_world(struct world *w)
{
    for (uint32_t x = 0; x < w->nodes; x++)
        if (w->node[x].up)
            kill_node(w, x);
    free(w);
}

/* ---- Entries ------------------------------------------------------------- */

/* One entry of a node, from wish to leave. */
static inline void enter_once(struct world *w, uint32_t node)
{
    uint32_t before = w->entries;

    w->node[node].apps[0].next_at = w->now;
    for (uint32_t i = 0; i < 100 && w->entries == before; i++)
        run_for(w, 10);
    assert_int_equal(w->entries, before + 1);
    run_for(w, 2 * WINDOW / MS + DMAX / MS + STEP / MS);
    assert_false(w->node[node].apps[0].inside);
}

static inline uint32_t least_entries(const struct world *w)
{
    uint32_t least_of = UINT32_MAX;

    for (uint32_t x = 0; x < w->nodes; x++)
        for (uint32_t i = 0; i < w->locks; i++)
            if (w->node[x].apps[i].entries < least_of)
                least_of = w->node[x].apps[i].entries;
    return least_of;
}

/* ---- Sums ---------------------------------------------------------------- */

struct sums {
    uint64_t sent, requests, refusals, grants, acks, repeats, datagrams;
};

static inline struct sums sums_of(const struct world *w)
{
    struct sums s = {.datagrams = w->datagrams};

    for (uint32_t x = 0; x < w->nodes; x++) {
        const struct live_sites_counts *n = live_sites_counts(w->node[x].sites);
        const struct live_courier_counts *c =
            live_courier_counts(w->node[x].courier);

        s.sent += n->sent;
        s.requests += n->requests;
        s.refusals += n->refusals;
        s.grants += n->grants;
        s.acks += c->acks;
        s.repeats += c->repeats;
    }
    return s;
}

#endif
