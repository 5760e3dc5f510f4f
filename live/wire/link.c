/*
 * link.c - see link.h: what leaves and what arrives.
 */
#include "live/wire/link_parts.h"

#include <assert.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

enum {
    HELLO_PAUSE_MS = 1, /* between answers to unproven datagrams */
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

/* ---- Leaving ------------------------------------------------------------- */

void links_release(struct live_links *links)
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
    links_release(links);
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

void links_post(struct live_links *links, uint32_t to, uint8_t *wire,
                size_t sealed)
{
    struct live_mishaps *m = &links->mishaps;

    if ((m->cut_to >> to & 1) || happens(m, m->loss))
        return;
    if (happens(m, m->duplicate))
        dispatch(links, to, wire, sealed);
    dispatch(links, to, wire, sealed);
}

void live_links_send(struct live_links *links, uint32_t to,
                     const uint8_t *bytes, size_t size)
{
    uint8_t wire[LIVE_WIRE_MAX];

    assert(to < links->self.nodes_count && to != links->self.id);
    assert(size <= LIVE_DATAGRAM_MAX);
    links->counts[to].sent++;
    if (!links->places[to].known) {
        links->counts[to].dropped++;
        return;
    }
    links_post(links, to, wire,
               live_seal(&links->self, &links->channels[to], to, LIVE_DATA,
                         links->channels[to].salt, bytes, size, wire));
    links_tell_news(links, to);
}

/* ---- Arriving ------------------------------------------------------------ */

/* It says what we know of the peer, too; what the peer says of itself is proven
 * by its answer, and changes nothing before. */
void links_say_hello(struct live_links *links, uint32_t to, uint64_t echo,
                     enum live_slot slot)
{
    uint64_t now = uv_now(links->udp.loop);
    uint8_t wire[LIVE_WIRE_MAX];

    if (!links->places[to].known)
        return;
    if (links->hello_at[to] && now - links->hello_at[to] < HELLO_PAUSE_MS)
        return;
    links->hello_at[to] = now;
    links_post(links, to, wire,
               live_seal_answer(&links->self, &links->channels[to], to, echo,
                                slot, wire));
}

static void on_good(struct live_links *links, struct live_link_counts *counts,
                    bool greeting)
{
    const struct live_opened *o = &links->opened;

    links->troubles[o->from].good_at = uv_now(links->udp.loop);
    if (greeting) {
        counts->greeted++;
        if (links->told)
            links->told(links->whom, o->from, &o->known);
        return;
    }
    counts->received++;
    links->receive(links->whom, o->from, o->bytes, o->size);
}

void links_refuse(struct live_links *links, uint32_t of,
                  enum live_verdict verdict)
{
    static const enum live_trouble_kind kinds[] = {
        [LIVE_ODD] = LIVE_TROUBLE_ODD,
        [LIVE_FORGED] = LIVE_TROUBLE_KEY,
        [LIVE_FOREIGN] = LIVE_TROUBLE_CONFIGURATION,
        [LIVE_UNPROVEN] = LIVE_TROUBLE_KINDS, /* none: it is only new */
        [LIVE_OUTLIVED] = LIVE_TROUBLE_OUTLIVED,
        [LIVE_REPLAYED] = LIVE_TROUBLE_REPLAYED,
        [LIVE_UNSPOKEN] = LIVE_TROUBLE_VERSION,
        [LIVE_UNKNOWN] = LIVE_TROUBLE_KINDS,
    };
    struct live_link_counts *c = &links->counts[of];
    uint64_t *const counts[] = {
        [LIVE_ODD] = &c->odd,           [LIVE_FORGED] = &c->forged,
        [LIVE_FOREIGN] = &c->old,       [LIVE_UNPROVEN] = &c->unproven,
        [LIVE_OUTLIVED] = &c->outlived, [LIVE_REPLAYED] = &c->replayed,
        [LIVE_UNSPOKEN] = &c->odd,      [LIVE_UNKNOWN] = &c->unproven,
    };
    bool dropped = verdict == LIVE_FORGED && links->opened.dropped;

    ++*counts[verdict];
    if (kinds[verdict] != LIVE_TROUBLE_KINDS)
        live_trouble_note(&links->troubles[of],
                          dropped ? LIVE_TROUBLE_DROPPED : kinds[verdict],
                          links->config->nodes[of].name,
                          uv_now(links->udp.loop));
}

/* A datagram, whole as far as the system can tell. */
static void on_datagram(struct live_links *links, size_t size,
                        const struct sockaddr *from)
{
    struct live_opened *o = &links->opened;
    enum live_verdict verdict =
        live_open(&links->self, links->channels, links->in, size, o);
    uint32_t of = verdict == LIVE_ODD ? links->self.id : o->from;
    uint64_t echo;

    if (verdict != LIVE_ODD &&
        live_greets_back(verdict, o, links->channels, &echo))
        links_say_hello(links, of, echo, o->slot);
    if (verdict == LIVE_JOINING) {
        links_on_joining(links);
        return;
    }
    if (verdict == LIVE_INFORMED) {
        links_on_news(links);
        return;
    }
    if (verdict == LIVE_SHOWN) {
        links_on_keys(links);
        return;
    }
    if (verdict == LIVE_GREETED || verdict == LIVE_GOOD) {
        links_on_meeting(links, verdict == LIVE_GREETED);
        on_good(links, &links->counts[of], verdict == LIVE_GREETED);
        return;
    }
    if (verdict == LIVE_FOREIGN)
        links_on_stranger(links, from);
    else
        links_refuse(links, of, verdict);
}

static bool is_cut(const struct live_links *links, size_t size)
{
    return size > LIVE_AT_FROM && links->in[LIVE_AT_FROM] < LIVE_PEERS_MAX &&
           (links->mishaps.cut_from >> links->in[LIVE_AT_FROM] & 1);
}

void links_on_alloc(uv_handle_t *handle, size_t wished, uv_buf_t *buffer)
{
    struct live_links *links = handle->data;

    (void)wished;
    *buffer = uv_buf_init((char *)links->in, sizeof links->in);
}

void links_on_read(uv_udp_t *udp, ssize_t size, const uv_buf_t *buffer,
                   const struct sockaddr *from, unsigned flags)
{
    struct live_links *links = udp->data;

    (void)buffer;
    if (size < 0 || !from)
        return; /* nothing is there, or a report that a peer is not */
    if (is_cut(links, (size_t)size))
        return;
    if (flags & UV_UDP_PARTIAL)
        links_refuse(links, links->self.id, LIVE_ODD);
    else
        on_datagram(links, (size_t)size, from);
}

/* ---- What others see ----------------------------------------------------- */

void live_links_tell(struct live_links *links, live_told *told)
{
    links->told = told;
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

const char *live_links_trouble(const struct live_links *links, uint32_t peer,
                               char words[LIVE_TROUBLE_WORDS])
{
    return live_trouble_words(&links->troubles[peer], uv_now(links->udp.loop),
                              words);
}

uint64_t live_links_life(const struct live_links *links, uint32_t peer)
{
    return links->channels[peer].life;
}

void live_links_know(struct live_links *links, uint32_t peer, uint64_t maxv)
{
    if (links->channels[peer].maxv < maxv)
        links->channels[peer].maxv = maxv;
}

bool live_links_set_back(const struct live_links *links, uint32_t peer,
                         const struct live_known *known, uint64_t maxv,
                         struct net_why *error)
{
    const struct live_self *self = &links->self;
    const char *name = links->config->nodes[peer].name;

    switch (live_known_more(self, known, maxv)) {
    case LIVE_LATER_LIFE:
        net_refuse(error,
                   "the record was set back: node '%s' knows start number "
                   "%" PRIu64 " of this node, and this is number %" PRIu64
                   "; use --repair",
                   name, known->life, self->life);
        return true;
    case LIVE_OTHER_LIFE:
        net_refuse(error,
                   "the record was set back or copied: node '%s' knows another "
                   "start with this one's number, %" PRIu64 "; use --repair",
                   name, self->life);
        return true;
    case LIVE_LATER_VIEW:
        if (live_promised_list(known->maxv) > live_promised_list(maxv))
            net_refuse(
                error,
                "the record was set back, or its disk has lost a write: node "
                "'%s' knows that this node had configuration %u, and the "
                "record says %u; use --repair",
                name, live_promised_list(known->maxv),
                live_promised_list(maxv));
        else
            net_refuse(
                error,
                "the record was set back, or its disk has lost a write: node "
                "'%s' knows that this node voted for view %u, and the record "
                "says %u; use --repair",
                name, live_promised_view(known->maxv),
                live_promised_view(maxv));
        return true;
    default:
        return false;
    }
}

void links_drop_delayed(struct live_links *links)
{
    while (links->delayed)
        drop_delayed(links->delayed);
}
