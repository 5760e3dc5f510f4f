/*
 * courier.c - see courier.h.
 */
#include "live/wire/courier.h"

#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "core/wire.h"
#include "live/wire/window.h"

enum {
    HAS_PARCEL = 1u << 0, /* number, stamp; messages at the end */
    HAS_ACK = 1u << 1,    /* number, stamp */
    IS_MUTE = 1u << 2,    /* "I live, but cannot take it yet" */
    HAS_LEFT = 1u << 3,   /* "I take no part any more" */
    FLAGS = HAS_PARCEL | HAS_ACK | IS_MUTE | HAS_LEFT,
};

/* A parcel that is not acknowledged yet. */
struct under_way {
    TAILQ_ENTRY(under_way) in_peer;
    uint64_t number, first_at, repeat_at;
    uint64_t answers; /* the peer's parcel that made us send it, or 0 */
    size_t size;
    uint8_t bytes[LIVE_COURIER_ROOM];
};

TAILQ_HEAD(under_ways, under_way);

/* A number and the stamp of one copy. */
struct mark {
    uint64_t number, stamp;
};

struct peer {
    enum live_peer_state state;
    uint64_t life, heard_at;
    uint64_t sent;     /* the last number given */
    uint64_t first_at; /* when the first was */
    uint32_t count;
    struct under_ways list;    /* the oldest first */
    struct live_window window; /* numbers taken in that life */
    struct live_parcel parcel; /* for it, not sent yet */
};

struct live_courier {
    uint32_t nodes, self;
    struct live_courier_times times;
    struct live_courier_owner owner;
    struct live_courier_counts counts;
    bool left;
    struct peer peers[]; /* of each node */
};

struct live_courier *live_courier_open(uint32_t nodes, uint32_t self,
                                       const struct live_courier_times *times,
                                       const struct live_courier_owner *owner)
{
    struct live_courier *c = calloc(1, sizeof *c + nodes * sizeof c->peers[0]);

    if (!c)
        return NULL;
    c->nodes = nodes;
    c->self = self;
    c->times = *times;
    c->owner = *owner;
    for (uint32_t x = 0; x < nodes; x++)
        TAILQ_INIT(&c->peers[x].list);
    return c;
}

/* ---- Leaving ------------------------------------------------------------- */

/* One datagram, with what there is of a parcel and an acknowledgement. */
static void transmit(struct live_courier *c, uint32_t to, uint8_t more,
                     const struct under_way *u, const struct mark *ack,
                     uint64_t now)
{
    uint8_t wire[LIVE_DATAGRAM_MAX], *at = wire + 1;

    wire[0] = more;
    if (u) {
        wire[0] |= HAS_PARCEL;
        fc_put64(at, u->number);
        fc_put64(at + 8, now);
        at += 16;
    }
    if (ack) {
        wire[0] |= HAS_ACK;
        fc_put64(at, ack->number);
        fc_put64(at + 8, ack->stamp);
        at += 16;
    }
    if (u) {
        memcpy(at, u->bytes, u->size);
        at += u->size;
    }
    c->owner.transmit(c->owner.whom, to, wire, (size_t)(at - wire));
}

static void drop(struct peer *p, struct under_way *u)
{
    TAILQ_REMOVE(&p->list, u, in_peer);
    p->count--;
    free(u);
}

static void drop_all(struct peer *p)
{
    struct under_way *u, *after;

    for (u = TAILQ_FIRST(&p->list); u; u = after) {
        after = TAILQ_NEXT(u, in_peer);
        free(u);
    }
    TAILQ_INIT(&p->list);
    p->count = 0;
    p->parcel.size = 0;
}

/* No more numbers are under way than the peer tells apart. */
static bool is_full(const struct peer *p)
{
    const struct under_way *oldest = TAILQ_FIRST(&p->list);

    return p->count >= LIVE_UNDER_WAY_MAX ||
           (oldest && p->sent + 1 - oldest->number >= LIVE_WINDOW);
}

/* The parcel for a peer leaves; NULL if there is nothing in it. */
static struct under_way *ship_to(struct live_courier *c, uint32_t to,
                                 uint64_t answers, const struct mark *ack,
                                 uint64_t now)
{
    struct peer *p = &c->peers[to];
    struct under_way *u;

    if (!p->parcel.size)
        return NULL;
    u = is_full(p) ? NULL : calloc(1, sizeof *u);
    if (!u) {
        p->parcel.size = 0;
        c->owner.breach(c->owner.whom, to, LIVE_OVERFLOW, p->count);
        return NULL;
    }
    if (p->sent == 0)
        p->first_at = now;
    u->number = ++p->sent;
    u->first_at = now;
    u->repeat_at = now + c->times.repeat;
    u->answers = answers;
    u->size = p->parcel.size;
    memcpy(u->bytes, p->parcel.bytes, p->parcel.size);
    p->parcel.size = 0;
    TAILQ_INSERT_TAIL(&p->list, u, in_peer);
    p->count++;
    c->counts.parcels++;
    transmit(c, to, 0, u, ack, now);
    return u;
}

uint64_t live_courier_put(struct live_courier *c, uint32_t to,
                          const uint8_t *message, size_t size, uint64_t now)
{
    struct peer *p = &c->peers[to];

    if (p->state != LIVE_PEER_HERE || c->left)
        return 0;
    if (p->parcel.size + LIVE_PARCEL_SIZE_BYTES + size > LIVE_COURIER_ROOM)
        (void)ship_to(c, to, 0, NULL, now);
    (void)live_parcel_add(&p->parcel, message, size);
    return p->sent + 1;
}

void live_courier_ship(struct live_courier *c, uint64_t now)
{
    for (uint32_t to = 0; to < c->nodes; to++)
        (void)ship_to(c, to, 0, NULL, now);
}

bool live_courier_settled(const struct live_courier *c, uint32_t to,
                          uint64_t number)
{
    const struct peer *p = &c->peers[to];
    const struct under_way *u;

    if (p->state != LIVE_PEER_HERE || number == 0)
        return true;
    if (number > p->sent)
        return false;
    TAILQ_FOREACH (u, &p->list, in_peer)
        if (u->number == number)
            return false;
    return true;
}

/* ---- Arriving ------------------------------------------------------------ */

/* What a datagram says. */
struct said {
    uint8_t flags;
    struct mark parcel, ack;
    struct live_unread messages;
};

static const uint8_t *read_mark(const uint8_t *at, struct mark *mark)
{
    mark->number = fc_get64(at);
    mark->stamp = fc_get64(at + 8);
    return at + 16;
}

static bool understand(struct said *s, const uint8_t *bytes, size_t size)
{
    const uint8_t *at = bytes + 1;
    size_t header;

    if (size < 1 || bytes[0] & ~(unsigned)FLAGS)
        return false;
    *s = (struct said){.flags = bytes[0]};
    header = 1u + (s->flags & HAS_PARCEL ? 16u : 0u) +
             (s->flags & HAS_ACK ? 16u : 0u);
    if (size < header || (size > header) != !!(s->flags & HAS_PARCEL))
        return false;
    if (s->flags & HAS_PARCEL)
        at = read_mark(at, &s->parcel);
    if (s->flags & HAS_ACK)
        at = read_mark(at, &s->ack);
    s->messages = (struct live_unread){at, size - header};
    return !(s->flags & HAS_PARCEL) || s->parcel.number > 0;
}

/* A peer that has restarted knows no number, and has taken nothing. */
static void begin_life(struct peer *p, uint64_t life, uint64_t now)
{
    struct under_way *u;

    p->state = LIVE_PEER_HERE;
    p->life = life;
    p->window = (struct live_window){0};
    TAILQ_FOREACH (u, &p->list, in_peer) {
        u->answers = 0;
        u->repeat_at = now;
    }
}

/* The peer repeats a number and a stamp of ours.  A pair that was never given
 * says nothing of delays, and acknowledges nothing. */
static void on_ack(struct live_courier *c, uint32_t from,
                   const struct mark *ack, uint64_t now)
{
    struct peer *p = &c->peers[from];
    uint64_t took = now - ack->stamp;
    struct under_way *u;

    TAILQ_FOREACH (u, &p->list, in_peer)
        if (u->number == ack->number)
            break;
    if (ack->number == 0 || ack->number > p->sent || ack->stamp > now ||
        ack->stamp < (u ? u->first_at : p->first_at)) {
        c->counts.odd++;
        return;
    }
    if (u)
        drop(p, u);
    if (took > c->counts.longest)
        c->counts.longest = took;
    if (took > c->times.round_trip)
        c->owner.breach(c->owner.whom, from, LIVE_LATE, took);
}

/* It was handled, but the peer does not know that.  If there was an answer of
 * which we do not know that it has arrived, the acknowledgement goes with it;
 * if there were several, it waits until all but one have arrived. */
static void acknowledge_again(struct live_courier *c, uint32_t from,
                              const struct mark *mark, uint64_t now)
{
    struct peer *p = &c->peers[from];
    struct under_way *u, *answer = NULL;
    uint32_t answers = 0;

    TAILQ_FOREACH (u, &p->list, in_peer)
        if (u->answers == mark->number) {
            answer = u;
            answers++;
        }
    if (answers > 1)
        return;
    if (answer) {
        answer->repeat_at = now + c->times.repeat;
        c->counts.repeats++;
    } else {
        c->counts.acks++;
    }
    transmit(c, from, 0, answer, mark, now);
}

static void on_parcel(struct live_courier *c, uint32_t from,
                      const struct said *said, uint64_t now)
{
    struct peer *p = &c->peers[from];
    uint64_t before = p->sent;

    if (live_window_has(&p->window, said->parcel.number)) {
        acknowledge_again(c, from, &said->parcel, now);
        return;
    }
    if (!c->owner.take(c->owner.whom, from, said->messages)) {
        transmit(c, from, IS_MUTE, NULL, NULL, now);
        return;
    }
    live_window_take(&p->window, said->parcel.number);
    if (p->sent != before) {
        /* Answers that needed more than one parcel, and part of them is on its
         * way already: see acknowledge_again(). */
        struct under_way *u;

        TAILQ_FOREACH (u, &p->list, in_peer)
            if (u->number > before)
                u->answers = said->parcel.number;
        (void)ship_to(c, from, said->parcel.number, NULL, now);
        return;
    }
    if (!ship_to(c, from, said->parcel.number, &said->parcel, now)) {
        c->counts.acks++;
        transmit(c, from, 0, NULL, &said->parcel, now);
    }
}

void live_courier_receive(struct live_courier *c, uint32_t from, uint64_t life,
                          const uint8_t *bytes, size_t size, uint64_t now)
{
    struct peer *p = &c->peers[from];
    struct said said;

    if (!understand(&said, bytes, size)) {
        c->counts.odd++;
        return;
    }
    if (c->left) {
        if (!(said.flags & HAS_LEFT))
            transmit(c, from, HAS_LEFT, NULL, NULL, now);
        return;
    }
    if (life != p->life) {
        begin_life(p, life, now);
    } else if (p->state == LIVE_PEER_DEAD) {
        c->owner.breach(c->owner.whom, from, LIVE_LIVES, now - p->heard_at);
        return;
    } else if (p->state == LIVE_PEER_LEFT) {
        return;
    }
    p->heard_at = now;
    if (said.flags & HAS_LEFT) {
        p->state = LIVE_PEER_LEFT;
        drop_all(p);
        c->owner.gone(c->owner.whom, from, true, 0);
        return;
    }
    /* An answer counts before the acknowledgement that came with it. */
    if (said.flags & HAS_PARCEL)
        on_parcel(c, from, &said, now);
    if (said.flags & HAS_ACK)
        on_ack(c, from, &said.ack, now);
}

/* ---- Time ---------------------------------------------------------------- */

/* Since when a peer owes us a word. */
static uint64_t silent_since(const struct peer *p)
{
    uint64_t asked = TAILQ_FIRST(&p->list)->first_at;

    return asked > p->heard_at ? asked : p->heard_at;
}

void live_courier_tick(struct live_courier *c, uint64_t now)
{
    for (uint32_t x = 0; x < c->nodes; x++) {
        struct peer *p = &c->peers[x];
        struct under_way *u;

        if (TAILQ_EMPTY(&p->list))
            continue;
        if (now - silent_since(p) >= c->times.dead) {
            uint64_t silent = now - silent_since(p);

            p->state = LIVE_PEER_DEAD;
            drop_all(p);
            c->owner.gone(c->owner.whom, x, false, silent);
            continue;
        }
        TAILQ_FOREACH (u, &p->list, in_peer)
            if (u->repeat_at <= now) {
                u->repeat_at = now + c->times.repeat;
                c->counts.repeats++;
                transmit(c, x, 0, u, NULL, now);
            }
    }
}

uint64_t live_courier_next(const struct live_courier *c)
{
    uint64_t at = UINT64_MAX;

    for (uint32_t x = 0; x < c->nodes; x++) {
        const struct peer *p = &c->peers[x];
        const struct under_way *u;

        TAILQ_FOREACH (u, &p->list, in_peer)
            if (u->repeat_at < at)
                at = u->repeat_at;
        if (!TAILQ_EMPTY(&p->list) && silent_since(p) + c->times.dead < at)
            at = silent_since(p) + c->times.dead;
    }
    return at;
}

/* ---- What is true between two calls -------------------------------------- */

static const char *sane_peer(const struct peer *p)
{
    uint64_t before = 0;
    uint32_t count = 0;
    const struct under_way *u;

    TAILQ_FOREACH (u, &p->list, in_peer) {
        if (u->number <= before || u->number > p->sent)
            return "parcels are under way in the order of their numbers";
        if (u->size == 0 || u->size > LIVE_COURIER_ROOM)
            return "a parcel that is under way has messages, and fits";
        if (u->answers > p->window.highest)
            return "a parcel answers one that was taken";
        if (p->sent - u->number >= LIVE_WINDOW)
            return "no number is under way that the peer takes for an old one";
        before = u->number;
        if (++count > LIVE_UNDER_WAY_MAX)
            break;
    }
    if (count != p->count || count > LIVE_UNDER_WAY_MAX)
        return "as many parcels are under way as are counted";
    if (p->state != LIVE_PEER_HERE && (count || p->parcel.size))
        return "nothing is sent to a peer that is gone";
    return live_window_sane(&p->window);
}

const char *live_courier_sane(const struct live_courier *c)
{
    const char *broken = NULL;

    if (c->peers[c->self].sent)
        return "a node sends nothing to itself";
    for (uint32_t x = 0; x < c->nodes && !broken; x++)
        broken = sane_peer(&c->peers[x]);
    return broken;
}

/* ---- The end ------------------------------------------------------------- */

void live_courier_leave(struct live_courier *c)
{
    c->left = true;
    for (uint32_t x = 0; x < c->nodes; x++) {
        drop_all(&c->peers[x]);
        if (x != c->self && c->peers[x].state == LIVE_PEER_HERE)
            transmit(c, x, HAS_LEFT, NULL, NULL, 0);
    }
}

enum live_peer_state live_courier_peer(const struct live_courier *c,
                                       uint32_t peer, uint64_t *heard_at)
{
    *heard_at = c->peers[peer].heard_at;
    return c->peers[peer].state;
}

const struct live_courier_counts *
live_courier_counts(const struct live_courier *c)
{
    return &c->counts;
}

void live_courier_close(struct live_courier *c)
{
    if (!c)
        return;
    for (uint32_t x = 0; x < c->nodes; x++)
        drop_all(&c->peers[x]);
    free(c);
}
