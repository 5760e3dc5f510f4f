/*
 * orders.h - all orders in which a few sites can do a few entries, without any
 * time: whatever may happen next is tried, to the end.  Part of mutexes.h.
 *
 * For a protocol on another network than the complete one define ORDERS_LINKS
 * as the name of a header that gives orders_site() and orders_leads().
 */
#ifndef ORDERS_H
#define ORDERS_H

#include <stdlib.h>

#include "core/set.h"

#ifndef ORDERS_NODES
#define ORDERS_NODES 3 /* at most; small, for every situation has room for it */
#endif
enum { ORDERS_DEPTH = 8 };

/* One situation: all sites, all messages under way, all that is left. */
struct scene {
    struct MUTEX node[ORDERS_NODES];
    struct M_(_msg) mail[ORDERS_NODES][ORDERS_NODES][ORDERS_DEPTH];
    uint64_t token; /* the greatest under which anybody was inside */
    uint16_t port[ORDERS_NODES][ORDERS_NODES]; /* by which it comes */
    uint8_t count[ORDERS_NODES][ORDERS_NODES]; /* of mail from, to */
    uint8_t left[ORDERS_NODES];                /* entries still to begin */
    uint8_t armed[ORDERS_NODES];               /* timers, a bit each */
};

/* What was found. */
struct explored {
    uint64_t states, ends; /* situations; those with nothing left to happen */
    uint64_t stuck;        /* ends in which somebody still wants something */
    uint64_t overlaps;     /* more inside than may be */
    uint64_t unordered;    /* tokens that did not grow */
    uint64_t circles;      /* ways back to where one was */
};

struct exploration {
    const struct M_(_params) * params;
    uint32_t nodes, capacity;
    bool any_order;
    struct explored found;
    uint64_t *seen; /* hashes, a power of two of them; 0: free */
    uint8_t *open;  /* whether the way leads through it now */
    uint64_t room;
};

#ifdef ORDERS_LINKS
#include ORDERS_LINKS
#else
static inline struct fc_member orders_site(uint32_t nodes, uint32_t node)
{
    return (struct fc_member){node, nodes};
}

/* Where a link leads to, and by which link a message comes there. */
static inline uint32_t orders_leads(uint32_t nodes, uint32_t from,
                                    uint16_t port, uint16_t *comes_by)
{
    assert_true(port < nodes && port != from);
    *comes_by = (uint16_t)from;
    return port;
}
#endif

/* ---- What has been seen -------------------------------------------------- */

static inline uint64_t orders_mix(uint64_t hash, const void *what, size_t size)
{
    const uint8_t *bytes = what;

    for (size_t i = 0; i < size; i += 8) {
        uint64_t word = 0;

        memcpy(&word, bytes + i, size - i < 8 ? size - i : 8);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash;
}

/* Of all that is there; mail beyond the count is not. */
static inline uint64_t orders_hash(const struct exploration *x,
                                   const struct scene *at)
{
    uint32_t n = x->nodes;
    uint64_t hash = orders_mix(1981, at->node, n * sizeof at->node[0]);

    hash = orders_mix(hash, &at->token, sizeof at->token);
    hash = orders_mix(hash, at->count, sizeof at->count);
    hash = orders_mix(hash, at->left, sizeof at->left);
    hash = orders_mix(hash, at->armed, sizeof at->armed);
    for (uint32_t i = 0; i < n * n; i++)
        hash = orders_mix(hash, at->mail[i / n][i % n],
                          at->count[i / n][i % n] * sizeof at->mail[0][0][0]);
    return hash ? hash : 1;
}

static inline uint64_t orders_slot(const struct exploration *x, uint64_t hash)
{
    uint64_t at = (hash >> 20) & (x->room - 1);

    while (x->seen[at] && x->seen[at] != hash)
        at = (at + 1) & (x->room - 1);
    return at;
}

static inline void orders_make_room(struct exploration *x, uint64_t room)
{
    struct exploration old = *x;

    x->room = room;
    x->seen = calloc(room, sizeof *x->seen);
    x->open = calloc(room, 1);
    assert_non_null(x->seen);
    assert_non_null(x->open);
    for (uint64_t i = 0; i < old.room; i++)
        if (old.seen[i]) {
            uint64_t at = orders_slot(x, old.seen[i]);

            x->seen[at] = old.seen[i];
            x->open[at] = old.open[i];
        }
    free(old.seen);
    free(old.open);
}

/* ---- What may happen ----------------------------------------------------- */

/* Links that keep the order: at the end.  Otherwise equal situations shall be
 * equal bytes: sorted. */
static inline void orders_post(struct exploration *x, struct scene *at,
                               uint32_t from, uint16_t port,
                               const struct M_(_msg) * m)
{
    uint16_t comes_by;
    uint32_t to = orders_leads(x->nodes, from, port, &comes_by);
    struct M_(_msg) *box = at->mail[from][to];
    uint32_t i = at->count[from][to]++;

    assert_true(i < ORDERS_DEPTH);
    at->port[from][to] = comes_by;
    for (; x->any_order && i > 0 && memcmp(&box[i - 1], m, sizeof *m) > 0; i--)
        box[i] = box[i - 1];
    box[i] = *m;
}

static inline void orders_send(struct exploration *x, struct scene *at,
                               uint32_t from, const struct M_(_out) * out)
{
    for (uint32_t i = 0; i < out->fx.sends; i++) {
        uint16_t where = out->fx.to[i];

        if (where < FC_SET) {
            orders_post(x, at, from, where, &out->send[i]);
            continue;
        }
        for (uint32_t to = 0; to < x->nodes; to++)
            if (to != from &&
                (where == FC_EVERYONE || fc_set_has(&out->fx.set, to)))
                orders_post(x, at, from, (uint16_t)to, &out->send[i]);
    }
}

static inline void orders_judge(struct exploration *x, struct scene *at,
                                uint32_t node, struct mutex_view before)
{
    struct M_(_site) me;
    struct mutex_view after;
    uint32_t inside = 0;

    for (uint32_t i = 0; i < x->nodes; i++) {
        me = orders_site(x->nodes, i);
        inside += look_at(&at->node[i], &me).role == MUTEX_INSIDE;
    }
    x->found.overlaps += inside > x->capacity;
    me = orders_site(x->nodes, node);
    after = look_at(&at->node[node], &me);
    if (before.role == MUTEX_INSIDE || after.role != MUTEX_INSIDE ||
        after.token == 0)
        return;
    x->found.unordered += after.token <= at->token;
    at->token = after.token;
}

/* One event at one site, with the choices it leads to. */
static inline uint32_t orders_act(struct exploration *x, struct scene *at,
                                  uint32_t node, struct M_(_in) in)
{
    struct M_(_site) me = orders_site(x->nodes, node);
    struct mutex_view before = look_at(&at->node[node], &me);
    uint32_t notes = 0;
    struct M_(_out) out;

    do {
        out = step_over(0, &at->node[node], x->params, &me, in);
        orders_send(x, at, node, &out);
        at->armed[node] &= (uint8_t)~out.fx.disarm;
        at->armed[node] |= out.fx.arm;
        notes |= out.fx.notes;
        assert_true(out.fx.choose <= 1);
        assert_null(M_(_sane)(&at->node[node], x->params, &me));
        in = goes_on();
    } while (out.fx.choose || out.fx.go_on);
    orders_judge(x, at, node, before);
    return notes;
}

/* The application of a site acts, if there is anything to do. */
static inline bool orders_work(struct exploration *x, struct scene *at,
                               uint32_t node)
{
    struct M_(_site) me = orders_site(x->nodes, node);
    struct mutex_view view = look_at(&at->node[node], &me);

    if (view.role == MUTEX_INSIDE)
        return orders_act(x, at, node, app_leaves()) & FC_NOTE_STARTED;
    if (view.role != MUTEX_IDLE || at->left[node] == 0)
        return false;
    at->left[node]--;
    return orders_act(x, at, node, app_wants()) & FC_NOTE_STARTED;
}

/* The i-th message from one to another is read. */
static inline bool orders_read(struct exploration *x, struct scene *at,
                               uint32_t from, uint32_t to, uint32_t i)
{
    struct M_(_msg) *box = at->mail[from][to], m = box[i];
    uint32_t last = at->count[from][to];

    if (i >= last || (i > 0 && !x->any_order))
        return false;
    if (i > 0 && memcmp(&box[i - 1], &m, sizeof m) == 0)
        return false; /* one of two that are equal is enough */
    for (; i + 1 < last; i++)
        box[i] = box[i + 1];
    memset(&box[i], 0, sizeof box[i]);
    at->count[from][to]--;
    (void)orders_act(x, at, to, hears(at->port[from][to], m));
    return true;
}

static inline bool orders_timeout(struct exploration *x, struct scene *at,
                                  uint32_t node, uint32_t timer)
{
    struct M_(_in)
        in = {.event = {.kind = FC_TIMEOUT, .timer = (uint8_t)timer}};

    if (!(at->armed[node] & 1u << timer))
        return false;
    at->armed[node] &= (uint8_t) ~(1u << timer);
    (void)orders_act(x, at, node, in);
    return true;
}

/* Whether it is worth a copy of the situation to try event number e. */
static inline bool orders_may(const struct exploration *x,
                              const struct scene *at, uint32_t e)
{
    uint32_t n = x->nodes, first_read = n + n * FC_TIMERS;

    if (e < first_read)
        return e < n || at->armed[(e - n) / FC_TIMERS];
    e -= first_read;
    return e / (n * n) < at->count[e / n % n][e % n];
}

/* Event number e; false if it cannot happen. */
static inline bool orders_event(struct exploration *x, struct scene *at,
                                uint32_t e)
{
    uint32_t n = x->nodes, i;

    if (e < n)
        return orders_work(x, at, e);
    e -= n;
    if (e < n * FC_TIMERS)
        return orders_timeout(x, at, e / FC_TIMERS, e % FC_TIMERS);
    e -= n * FC_TIMERS;
    i = e / (n * n);
    return orders_read(x, at, e / n % n, e % n, i);
}

/* ---- All of it ----------------------------------------------------------- */

static inline bool orders_content(const struct exploration *x,
                                  const struct scene *at)
{
    for (uint32_t i = 0; i < x->nodes; i++) {
        struct M_(_site) me = orders_site(x->nodes, i);

        if (at->left[i] || look_at(&at->node[i], &me).role != MUTEX_IDLE)
            return false;
    }
    return true;
}

/* Goes on from here in every way, if it was not here before. */
static inline void orders_visit(struct exploration *x, const struct scene *at)
{
    uint32_t n = x->nodes, ways = 0;
    uint32_t events = n + n * FC_TIMERS + n * n * ORDERS_DEPTH;
    uint64_t hash = orders_hash(x, at), slot = orders_slot(x, hash);
    struct scene next;

    if (x->seen[slot]) {
        x->found.circles += x->open[slot];
        return;
    }
    if (++x->found.states > x->room / 2) {
        orders_make_room(x, 2 * x->room);
        slot = orders_slot(x, hash);
    }
    x->seen[slot] = hash;
    x->open[slot] = 1;
    for (uint32_t e = 0; e < events; e++) {
        if (!orders_may(x, at, e))
            continue;
        memcpy(&next, at, sizeof next);
        if (!orders_event(x, &next, e))
            continue;
        ways++;
        orders_visit(x, &next);
    }
    x->open[orders_slot(x, hash)] = 0;
    if (ways > 0)
        return;
    x->found.ends++;
    x->found.stuck += !orders_content(x, at);
}

/* All that can happen when each of `nodes` sites enters so often. */
static inline struct explored explore(const struct M_(_params) * params,
                                      uint32_t nodes, const uint8_t *entries,
                                      uint32_t capacity, bool any_order)
{
    struct exploration x = {.params = params,
                            .nodes = nodes,
                            .capacity = capacity,
                            .any_order = any_order};
    struct scene start;

    assert_true(nodes <= ORDERS_NODES);
    memset(&start, 0, sizeof start);
    for (uint32_t i = 0; i < nodes; i++)
        start.left[i] = entries[i];
    orders_make_room(&x, 1 << 12);
    orders_visit(&x, &start);
    free(x.seen);
    free(x.open);
    return x.found;
}

/* What to try, and how many situations that must be: change the number only if
 * you can explain it. */
struct orders {
    uint32_t nodes;
    uint8_t entries[ORDERS_NODES];
    bool any_order;
    uint64_t states;
};

/* Nothing bad, whatever the order. */
static inline void check_orders(const struct M_(_params) * params,
                                uint32_t capacity, const struct orders *o)
{
    struct explored found;

    if (is_sanitized() && o->states > 20000)
        return;
    found = explore(params, o->nodes, o->entries, capacity, o->any_order);
    assert_true(found.overlaps == 0);
    assert_true(found.unordered == 0);
    assert_true(found.stuck == 0);
    assert_true(found.circles == 0);
    assert_true(found.ends >= 1);
    assert_int_equal(found.states, o->states);
}

#endif
