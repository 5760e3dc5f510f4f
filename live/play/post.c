/*
 * post.c - see post.h.
 */
#include "live/play/post.h"

#include <stdlib.h>
#include <string.h>

#include "core/wire.h"
#include "net/sane.h"

/* The first byte of a ping and of its answer: the courier has none like it. */
enum { PING = 0x80, PONG = 0x81, PING_BYTES = 9 };
enum { FREE = 1, WORD = 2, LAST = 4 }; /* flags of a letter */

/* From copy to copy: far beyond a round trip, far below a second. */
enum { REPEAT_US = 10000 };

/* No peer is taken for dead, and no round trip for too long. */
#define NEVER_US (UINT64_MAX / 4)

/* A message that came before one that was sent earlier. */
struct early {
    struct early *next;
    uint32_t order;
    uint8_t flags;
    struct live_mark mark;
    uint16_t port;
    size_t size;
    uint8_t bytes[];
};

struct peer {
    uint32_t to_life, given; /* of messages to it: the last number given */
    uint32_t life, taken;    /* of messages from it: the last number taken */
    struct early *early;
};

struct live_post {
    uint32_t nodes, self, life;
    struct live_post_owner owner;
    struct live_courier *courier;
    uint32_t from_life; /* of the datagram that is being read */
    struct peer peers[LIVE_PEERS_MAX];
};

/* ---- Leaving ------------------------------------------------------------- */

static void transmit(void *whom, uint32_t to, const uint8_t *bytes, size_t size)
{
    struct live_post *p = whom;

    p->owner.transmit(p->owner.whom, to, bytes, size);
}

static void put(struct live_post *p, const struct live_send *send,
                uint8_t flags, const uint8_t *bytes, size_t size, uint64_t now)
{
    struct peer *peer = &p->peers[send->to];
    uint8_t letter[LIVE_POST_HEADER + LIVE_POST_ROOM];

    /* One whose life is not known yet is in its first. */
    if (send->to_life && peer->to_life != send->to_life) {
        if (peer->to_life)
            peer->given = 0;
        peer->to_life = send->to_life;
    }
    letter[0] = flags;
    fc_put32(letter + 1, p->life);
    fc_put32(letter + 5, send->to_life);
    fc_put32(letter + 9, send->number);
    fc_put32(letter + 13, send->free ? 0 : ++peer->given);
    fc_put16(letter + 17, send->comes_by);
    memcpy(letter + LIVE_POST_HEADER, bytes, size);
    (void)live_courier_put(p->courier, send->to, letter,
                           LIVE_POST_HEADER + size, now);
}

void live_post_put(struct live_post *p, const struct live_send *send,
                   const uint8_t *bytes, size_t size, uint64_t now)
{
    put(p, send, send->free ? FREE : 0, bytes, size, now);
}

void live_post_word(struct live_post *p, uint32_t to, uint32_t to_life,
                    const void *bytes, size_t size, uint64_t now)
{
    struct live_send send = {.to = to, .to_life = to_life};
    const uint8_t *at = bytes;

    for (size_t part; size > 0; at += part, size -= part) {
        part = size < LIVE_POST_ROOM ? size : (size_t)LIVE_POST_ROOM;
        put(p, &send, part == size ? WORD | LAST : WORD, at, part, now);
    }
    live_courier_ship(p->courier, now);
}

void live_post_ship(struct live_post *p, uint64_t now)
{
    live_courier_ship(p->courier, now);
}

void live_post_ping(struct live_post *p, uint32_t to, uint64_t now)
{
    uint8_t bytes[PING_BYTES] = {PING};

    fc_put64(bytes + 1, now);
    p->owner.transmit(p->owner.whom, to, bytes, sizeof bytes);
}

/* ---- Arriving ------------------------------------------------------------ */

static void drop_early(struct peer *peer)
{
    while (peer->early) {
        struct early *e = peer->early;

        peer->early = e->next;
        free(e);
    }
}

static void hand_over(struct live_post *p, const struct live_mark *mark,
                      uint8_t flags, uint16_t port, const uint8_t *bytes,
                      size_t size)
{
    if (flags & WORD)
        p->owner.word(p->owner.whom, mark->from, bytes, size, flags & LAST);
    else
        p->owner.deliver(p->owner.whom, mark, port, bytes, size);
}

/* Those that came too early, as far as their turn has come. */
static void catch_up(struct live_post *p, struct peer *peer)
{
    struct early **at = &peer->early;

    while (*at) {
        struct early *e = *at;

        if (e->order != peer->taken + 1) {
            at = &e->next;
            continue;
        }
        *at = e->next;
        peer->taken++;
        hand_over(p, &e->mark, e->flags, e->port, e->bytes, e->size);
        free(e);
        at = &peer->early;
    }
}

static void keep(struct live_post *p, struct peer *peer,
                 const struct early *like, const uint8_t *bytes)
{
    struct early *e = malloc(sizeof *e + like->size);

    if (!e) {
        p->owner.no_memory(p->owner.whom);
        return;
    }
    *e = *like;
    e->next = peer->early;
    memcpy(e->bytes, bytes, like->size);
    peer->early = e;
}

static void take_letter(struct live_post *p, uint32_t from,
                        struct live_unread letter)
{
    struct peer *peer = &p->peers[from];
    const uint8_t *bytes = letter.bytes + LIVE_POST_HEADER;
    size_t size = letter.size - LIVE_POST_HEADER;
    struct live_mark mark = {from, fc_get32(letter.bytes + 1),
                             fc_get32(letter.bytes + 9)};
    uint32_t order = fc_get32(letter.bytes + 13);
    uint16_t port = fc_get16(letter.bytes + 17);
    uint32_t to_life = fc_get32(letter.bytes + 5);

    if (mark.life != p->from_life || (to_life && to_life != p->life))
        return; /* from another life of its, or for another of ours */
    if (peer->life != mark.life) {
        drop_early(peer);
        peer->life = mark.life;
        peer->taken = 0;
    }
    if (!(letter.bytes[0] & FREE)) {
        if (order != peer->taken + 1) {
            struct early early = {.order = order,
                                  .flags = letter.bytes[0],
                                  .mark = mark,
                                  .port = port,
                                  .size = size};

            keep(p, peer, &early, bytes);
            return;
        }
        peer->taken++;
    }
    hand_over(p, &mark, letter.bytes[0], port, bytes, size);
    catch_up(p, peer);
}

static bool take(void *whom, uint32_t from, struct live_unread messages)
{
    struct live_post *p = whom;
    struct live_unread letter;

    while (live_parcel_next(&messages, &letter) == LIVE_PARCEL_MESSAGE)
        if (letter.size >= LIVE_POST_HEADER)
            take_letter(p, from, letter);
    return true;
}

void live_post_receive(struct live_post *p, uint32_t from, uint64_t life,
                       const uint8_t *bytes, size_t size, uint64_t now)
{
    uint8_t answer[PING_BYTES];

    p->from_life = (uint32_t)life;
    if (size != PING_BYTES || bytes[0] < PING) {
        live_courier_receive(p->courier, from, life, bytes, size, now);
    } else if (bytes[0] == PING) {
        memcpy(answer, bytes, sizeof answer);
        answer[0] = PONG;
        p->owner.transmit(p->owner.whom, from, answer, sizeof answer);
    } else if (fc_get64(bytes + 1) <= now) {
        p->owner.answered(p->owner.whom, from, now - fc_get64(bytes + 1));
    }
    NET_ASSERT_SANE("the post", live_post_sane(p));
}

/* ---- What is true between two calls -------------------------------------- */

const char *live_post_sane(const struct live_post *p)
{
    for (uint32_t i = 0; i < p->nodes; i++) {
        const struct peer *peer = &p->peers[i];

        for (const struct early *e = peer->early; e; e = e->next) {
            if (e->order <= peer->taken + 1)
                return "what came early waits for something";
            if (e->mark.life != peer->life || e->mark.from != i)
                return "what came early is of the present life of its sender";
            for (const struct early *o = e->next; o; o = o->next)
                if (o->order == e->order)
                    return "a message comes once";
        }
    }
    return live_courier_sane(p->courier);
}

/* ---- The courier's other calls ------------------------------------------- */

static void breach(void *whom, uint32_t peer, enum live_breach how,
                   uint64_t how_long)
{
    struct live_post *p = whom;

    (void)how_long;
    if (how == LIVE_OVERFLOW)
        p->owner.overflow(p->owner.whom, peer);
}

static void gone(void *whom, uint32_t peer, bool by_itself, uint64_t silent)
{
    (void)whom;
    (void)peer;
    (void)by_itself;
    (void)silent;
}

struct live_post *live_post_open(uint32_t nodes, uint32_t self, uint32_t life,
                                 const struct live_post_owner *owner)
{
    static const struct live_courier_times times = {
        .round_trip = NEVER_US, .repeat = REPEAT_US, .dead = NEVER_US};
    struct live_post *p = calloc(1, sizeof *p);
    struct live_courier_owner calls = {.transmit = transmit,
                                       .take = take,
                                       .breach = breach,
                                       .gone = gone,
                                       .whom = p};

    if (!p)
        return NULL;
    p->nodes = nodes;
    p->self = self;
    p->life = life;
    p->owner = *owner;
    p->courier = live_courier_open(nodes, self, &times, &calls);
    if (!p->courier) {
        free(p);
        return NULL;
    }
    return p;
}

void live_post_close(struct live_post *p)
{
    if (!p)
        return;
    for (uint32_t i = 0; i < p->nodes; i++)
        drop_early(&p->peers[i]);
    live_courier_close(p->courier);
    free(p);
}

void live_post_tick(struct live_post *p, uint64_t now)
{
    live_courier_tick(p->courier, now);
}

uint64_t live_post_next(const struct live_post *p)
{
    return live_courier_next(p->courier);
}
