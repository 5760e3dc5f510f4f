/*
 * player_mail.c - the messages of a node that plays: sent, held back for a
 * fault that was asked for, and taken in.
 */
#include <stdlib.h>
#include <string.h>

#include "live/common/clock.h"
#include "live/play/player_parts.h"

static void put(struct process *p, const struct live_send *send,
                const uint8_t *bytes, size_t size, uint64_t now)
{
    struct live_send copy = *send;

    live_post_put(p->post, send, bytes, size, now);
    if (!send->copied)
        return;
    copy.number |= LIVE_MARK_COPY;
    copy.free = true;
    live_post_put(p->post, &copy, bytes, size, now);
}

static void hold(struct process *p, const struct live_send *send,
                 const uint8_t *bytes, size_t size, uint64_t now)
{
    struct held *h = malloc(sizeof *h + size), **at = &p->held;

    if (!h)
        abort();
    *h = (struct held){
        .at = now + send->hold * p->is.tick, .send = *send, .size = size};
    memcpy(h->bytes, bytes, size);
    while (*at && (*at)->at <= h->at)
        at = &(*at)->next;
    h->next = *at;
    *at = h;
}

void player_release(struct process *p, uint64_t now)
{
    while (p->held && p->held->at <= now) {
        struct held *h = p->held;

        p->held = h->next;
        put(p, &h->send, h->bytes, h->size, now);
        free(h);
    }
}

void player_send(struct process *p, const struct live_send *send,
                 const void *msg, uint64_t now)
{
    const struct net_type *type = p->is.play->type;
    uint8_t wire[FC_WIRE_MAX];
    size_t size = type->pack(msg, wire);

    if (send->lost || p->is.down >> send->to & 1)
        return;
    if (size > LIVE_POST_ROOM)
        player_fail(p, "a message is longer than a datagram");
    if (send->hold)
        hold(p, send, wire, size, now);
    else
        put(p, send, wire, size, now);
}

void player_transmit(void *whom, uint32_t to, const uint8_t *bytes, size_t size)
{
    struct process *p = whom;

    live_links_send(p->links, to, bytes, size);
}

void player_deliver(void *whom, const struct live_mark *mark, uint16_t port,
                    const uint8_t *bytes, size_t size)
{
    struct process *p = whom;
    const struct live_play *play = p->is.play;
    uint64_t now = live_now();
    bool stepped = play->net->time != NET_ASYNC;
    struct live_mail mail = {.mark = *mark,
                             .port = port,
                             .arrived = player_since_start(p, now),
                             .tick = player_tick_of(p, now) + stepped,
                             .msg = p->msg};

    if (play->type->unpack(p->msg, bytes, size) != 0)
        player_fail(p, "a message of a peer means nothing to the protocol");
    if (!live_host_arrive(p->is.host, &mail))
        player_fail(p, "no memory for a message");
}

void player_overflow(void *whom, uint32_t peer)
{
    struct process *p = whom;

    if (!(p->is.down >> peer & 1))
        player_fail(
            p, "more messages are under way to a node than can be kept; give "
               "it time by a longer --tick");
}
