/*
 * player.c - see player.h: the loop of the process, what it tells the stage and
 * is told by it, and the messages of the protocol.
 */
#include "live/play/player.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "live/common/clock.h"
#include "live/play/post.h"
#include "live/system/wake.h"
#include "live/wire/link.h"
#include "net/route.h"

/* A message that is held back. */
struct held {
    struct held *next;
    uint64_t at;
    struct live_send send;
    size_t size;
    uint8_t bytes[];
};

struct process {
    struct live_player is;
    uv_loop_t loop;
    uv_poll_t orders;
    struct live_wake wake;
    struct live_links *links;
    struct live_post *post;
    struct held *held;
    bool ready, plays, over;
    uint64_t linked; /* nodes, a bit each */
    uint64_t began, ping_at, planned;
    uint32_t answers[LIVE_PEERS_MAX];
    uint64_t round_trip, late;
    uint8_t *packet;
    uint64_t ends_at;               /* or 0 */
    uint8_t *words[LIVE_PEERS_MAX]; /* of peers, as far as they came */
    size_t words_size[LIVE_PEERS_MAX];
    uint8_t msg[FC_WIRE_MAX] __attribute__((aligned(8)));
};

/* ---- Time ---------------------------------------------------------------- */

static uint64_t tick_of(const struct process *p, uint64_t now)
{
    return now > p->is.start ? (now - p->is.start) / p->is.tick : 0;
}

static uint64_t time_of(const struct process *p, uint64_t tick)
{
    return tick > (UINT64_MAX / 2 - p->is.start) / p->is.tick
               ? UINT64_MAX
               : p->is.start + tick * p->is.tick;
}

static uint64_t since_start(const struct process *p, uint64_t now)
{
    return now > p->is.start ? now - p->is.start : 0;
}

enum {
    PING_EVERY_US = 4000,
    MEET_US = 2000000, /* without an answer for this long a node is not met */
    MEET_AGAIN_US = 200000, /* the same for a node that comes back */
    MEET_FAR_US = 60000000, /* and for one on another machine */
    LINGER_US = 200000,     /* so that the last word is acknowledged */
    ALONE_US = 10000000,    /* so long after the end, if nobody says that it is
                             * the end */
};

/* ---- To the stage -------------------------------------------------------- */

size_t live_note_max(const struct live_play *play)
{
    return sizeof(struct live_note) + play->type->msg_size +
           LIVE_SENDS_MAX * sizeof(struct live_send) + NET_WHY_SIZE;
}

/* Waits if the parent is slow.  If it is gone, so is this node. */
static void tell_parent(struct process *p, const void *packet, size_t size)
{
    struct pollfd room = {p->is.stage, POLLOUT, 0};

    while (send(p->is.stage, packet, size, MSG_NOSIGNAL) < 0) {
        if (errno == EAGAIN || errno == EINTR || errno == ENOBUFS)
            (void)poll(&room, 1, 10);
        else
            _exit(0);
    }
}

static void tell(struct process *p, const void *packet, size_t size)
{
    if (p->is.spread && p->is.node != 0) {
        live_post_word(p->post, 0, (uint32_t)live_links_life(p->links, 0),
                       packet, size, live_now());
        return;
    }
    tell_parent(p, packet, size);
}

static _Noreturn void fail(struct process *p, const char *sentence)
{
    struct live_note note = {.kind = LIVE_NOTE_FAILED, .node = p->is.node};
    size_t size = strlen(sentence) + 1;

    memcpy(p->packet, &note, sizeof note);
    memcpy(p->packet + sizeof note, sentence, size);
    tell_parent(p, p->packet, sizeof note + size);
    _exit(1);
}

/* ---- Messages ------------------------------------------------------------ */

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

static _Noreturn void no_memory(void *whom)
{
    fail(whom, "no memory for a message");
}

static void hold(struct process *p, const struct live_send *send,
                 const uint8_t *bytes, size_t size, uint64_t now)
{
    struct held *h = malloc(sizeof *h + size), **at = &p->held;

    if (!h) {
        no_memory(p);
        return; /* for cppcheck, which does not know that it exits */
    }
    *h = (struct held){
        .at = now + send->hold * p->is.tick, .send = *send, .size = size};
    memcpy(h->bytes, bytes, size);
    while (*at && (*at)->at <= h->at)
        at = &(*at)->next;
    h->next = *at;
    *at = h;
}

static void release(struct process *p, uint64_t now)
{
    while (p->held && p->held->at <= now) {
        struct held *h = p->held;

        p->held = h->next;
        put(p, &h->send, h->bytes, h->size, now);
        free(h);
    }
}

static void send_message(struct process *p, const struct live_send *send,
                         const void *msg, uint64_t now)
{
    const struct net_type *type = p->is.play->type;
    uint8_t wire[FC_WIRE_MAX];
    size_t size = type->pack(msg, wire);

    if (send->lost || p->is.down >> send->to & 1)
        return;
    if (size > LIVE_POST_ROOM)
        fail(p, "a message is longer than a datagram");
    if (send->hold)
        hold(p, send, wire, size, now);
    else
        put(p, send, wire, size, now);
}

static void transmit(void *whom, uint32_t to, const uint8_t *bytes, size_t size)
{
    struct process *p = whom;

    live_links_send(p->links, to, bytes, size);
}

static void deliver(void *whom, const struct live_mark *mark, uint16_t port,
                    const uint8_t *bytes, size_t size)
{
    struct process *p = whom;
    const struct live_play *play = p->is.play;
    uint64_t now = live_now();
    bool stepped = play->net->time != NET_ASYNC;
    struct live_mail mail = {.mark = *mark,
                             .port = port,
                             .arrived = since_start(p, now),
                             .tick = tick_of(p, now) + stepped,
                             .msg = p->msg};

    if (play->type->unpack(p->msg, bytes, size) != 0)
        fail(p, "a message of a peer means nothing to the protocol");
    if (!live_host_arrive(p->is.host, &mail))
        no_memory(p);
}

static void overflow(void *whom, uint32_t peer)
{
    struct process *p = whom;

    if (!(p->is.down >> peer & 1))
        fail(p, "more messages are under way to a node than can be kept; give "
                "it time by a longer --tick");
}

static void tell_act(struct process *p, const struct live_act *act)
{
    struct live_note note = {.kind = LIVE_NOTE_ACT,
                             .node = p->is.node,
                             .life = p->is.life,
                             .sends = act->sends};
    uint8_t *at = p->packet;
    size_t read = act->kind == LIVE_ACT_READ ? p->is.play->type->msg_size : 0;

    if (act->sends > LIVE_SENDS_MAX)
        fail(p, "a step sends more messages than can be told of");
    note.act = *act;
    memcpy(at, &note, sizeof note);
    at += sizeof note;
    if (act->sends)
        memcpy(at, live_host_sent(p->is.host, 0, NULL),
               act->sends * sizeof(struct live_send));
    at += act->sends * sizeof(struct live_send);
    memcpy(at, live_host_read(p->is.host), read);
    at += read;
    tell(p, p->packet, (size_t)(at - p->packet));
}

/* ---- Acts ---------------------------------------------------------------- */

/* In problems with shared memory one node acts at a time, and their times
 * differ: so the order of all accesses is known. */
static uint64_t enter(struct process *p)
{
    struct live_common *c = p->is.common;
    uint64_t now;

    if (c && pthread_mutex_lock(&c->lock) == EOWNERDEAD)
        (void)pthread_mutex_consistent(&c->lock);
    now = live_now();
    if (c && now <= c->last_at)
        now = c->last_at + 1;
    if (c)
        c->last_at = now;
    return now;
}

static void leave(struct process *p)
{
    if (p->is.common)
        (void)pthread_mutex_unlock(&p->is.common->lock);
}

/* An act was made: the stage hears of it, and then its messages leave. */
static void follow(struct process *p, struct live_act *act, uint64_t now)
{
    const void *msg;

    act->at = since_start(p, now);
    for (uint32_t i = 0; i < act->sends; i++) {
        uint32_t to = live_host_sent(p->is.host, i, NULL)->to;

        live_host_address(p->is.host, i,
                          (uint32_t)live_links_life(p->links, to));
    }
    tell_act(p, act);
    if (act->insane)
        _exit(1);
    for (uint32_t i = 0; i < act->sends; i++) {
        const struct live_send *s = live_host_sent(p->is.host, i, &msg);

        send_message(p, s, msg, now);
    }
}

static bool act_once(struct process *p)
{
    struct live_act act;
    uint64_t now;
    bool acted;

    if (live_host_next(p->is.host) > tick_of(p, live_now()))
        return false;
    now = enter(p);
    acted = live_host_step(p->is.host, tick_of(p, now), &act);
    leave(p);
    if (acted)
        follow(p, &act, now);
    return acted;
}

static void boot(struct process *p)
{
    struct live_act act;
    uint64_t now = enter(p);

    live_host_boot(p->is.host, tick_of(p, now), p->is.blank, &act);
    leave(p);
    p->is.boots = false;
    follow(p, &act, now);
}

/* ---- Meeting the peers --------------------------------------------------- */

/* Whether it has a link to this node, or brings it words of the stage. */
static bool is_peer(const struct process *p, uint32_t i)
{
    return i != p->is.node && !(p->is.down >> i & 1) &&
           (p->linked >> i & 1 || (p->is.spread && !(i && p->is.node)));
}

static uint64_t linked_to(const struct live_play *play, uint32_t node)
{
    const struct net *net = play->net;
    enum fc_topology topology = net->protocol->topology;
    uint32_t nodes = net->world.nodes;
    uint64_t linked = 0;

    for (uint32_t i = 0; i < nodes; i++)
        for (uint32_t k = 0, n = net_ports(topology, play->graph, nodes, i);
             k < n; k++) {
            uint32_t to =
                net_route(topology, play->graph, nodes, i, (uint16_t)k).to;

            if (i == node)
                linked |= UINT64_C(1) << to;
            if (to == node)
                linked |= UINT64_C(1) << i;
        }
    return linked;
}

static bool has_met_all(const struct process *p)
{
    for (uint32_t i = 0; i < p->is.config->nodes_count; i++)
        if (is_peer(p, i) && p->answers[i] < p->is.pings)
            return false;
    return true;
}

static void answered(void *whom, uint32_t peer, uint64_t round_trip)
{
    struct process *p = whom;

    /* The first may have met a node that was not yet there. */
    if (p->answers[peer]++ && round_trip > p->round_trip)
        p->round_trip = round_trip;
}

static void become_ready(struct process *p)
{
    struct live_note note = {.kind = LIVE_NOTE_READY,
                             .node = p->is.node,
                             .life = p->is.life,
                             .round_trip = p->round_trip,
                             .late = p->late};

    p->ready = true;
    if (p->is.boots) {
        p->plays = true;
        boot(p);
    } else {
        tell(p, &note, sizeof note);
    }
}

static void meet(struct process *p, uint64_t now)
{
    if (has_met_all(p) || (p->is.boots && now - p->began > MEET_AGAIN_US)) {
        become_ready(p);
        return;
    }
    if (now - p->began > (p->is.spread ? MEET_FAR_US : MEET_US))
        fail(p, "a node does not hear the others");
    if (now < p->ping_at)
        return;
    for (uint32_t i = 0; i < p->is.config->nodes_count; i++)
        if (is_peer(p, i))
            live_post_ping(p->post, i, now);
    p->ping_at = now + PING_EVERY_US;
}

/* ---- The loop ------------------------------------------------------------ */

/* When this node must look again. */
static void plan(struct process *p)
{
    uint64_t at = live_post_next(p->post);

    if (p->ends_at && p->ends_at < at)
        at = p->ends_at;
    if (!p->ready && p->ping_at < at)
        at = p->ping_at;
    if (p->held && p->held->at < at)
        at = p->held->at;
    if (p->plays && live_host_next(p->is.host) != FC_NEVER) {
        uint64_t due = time_of(p, live_host_next(p->is.host));

        at = due < at ? due : at;
    }
    p->planned = at;
    live_wake_at(&p->wake, at);
}

static void look(struct process *p)
{
    uint64_t now = live_now();

    if (p->ends_at && now >= p->ends_at) {
        if (p->over)
            _exit(0);
        fail(p, "nobody says that it is over: the first node of the file is "
                "gone, or was never there");
    }
    if (!p->ready)
        meet(p, now);
    release(p, now);
    while (p->plays && act_once(p))
        live_post_ship(p->post, live_now());
    now = live_now();
    live_post_tick(p->post, now);
    live_post_ship(p->post, now);
    plan(p);
}

static void on_due(void *whom, uint64_t now)
{
    struct process *p = whom;

    if (!p->ready && p->planned != UINT64_MAX && now - p->planned > p->late)
        p->late = now - p->planned;
    look(p);
}

static void on_datagram(void *whom, uint32_t from, const uint8_t *bytes,
                        size_t size)
{
    struct process *p = whom;

    live_post_receive(p->post, from, live_links_life(p->links, from), bytes,
                      size, live_now());
    if (p->is.play->net->time != NET_ASYNC)
        live_wake_heard(&p->wake);
    plan(p);
}

/* The stage is beside the first node, and has a word for all others.  No two
 * machines show the same time: so the start is so far from now. */
static void pass_on(struct process *p, const struct live_order *order)
{
    uint64_t now = live_now();
    struct live_order far = *order;

    far.start = order->start > now ? order->start - now : 0;
    for (uint32_t i = 1; i < p->is.config->nodes_count; i++)
        live_post_word(p->post, i, (uint32_t)live_links_life(p->links, i), &far,
                       sizeof far, now);
}

/* A node whose stage is elsewhere does not play for ever if that is gone. */
static void set_end(struct process *p)
{
    uint64_t length = fc_times(fc_add(p->is.until, 1), p->is.tick);

    if (length > p->is.patience)
        length = p->is.patience;
    if (p->is.spread && p->is.node != 0)
        p->ends_at = p->is.start + length + ALONE_US;
}

static void obey(struct process *p, const struct live_order *order)
{
    if (p->is.spread && p->is.node == 0)
        pass_on(p, order);
    if (order->kind == LIVE_ORDER_END) {
        p->plays = false;
        p->over = true;
        if (p->is.node != 0) /* that one is the stage's own */
            p->ends_at = live_now() + LINGER_US;
        return;
    }
    p->is.down = order->down;
    p->is.apart = order->apart;
    live_host_apart(p->is.host, order->apart);
    if (order->kind == LIVE_ORDER_GO) {
        p->is.start = order->start;
        p->is.tick = order->tick;
        p->plays = true;
        set_end(p);
    }
}

/* Links between the two sides of a partition carry nothing. */
static void cut_links(struct process *p)
{
    struct live_mishaps m = {.seed = 1};
    uint64_t own = p->is.apart >> p->is.node & 1;

    for (uint32_t i = 0; i < p->is.config->nodes_count; i++)
        if ((p->is.apart >> i & 1) != own)
            m.cut_to |= UINT64_C(1) << i;
    m.cut_from = m.cut_to;
    live_links_mishaps(p->links, &m);
}

static void on_far_order(struct process *p, const uint8_t *bytes, size_t size)
{
    struct live_order order;

    if (size != sizeof order)
        return;
    memcpy(&order, bytes, sizeof order);
    order.start += live_now();
    obey(p, &order);
    cut_links(p);
}

/* A word of a peer: to the first node, for the stage; from it, an order. */
static void hear(void *whom, uint32_t from, const uint8_t *bytes, size_t size,
                 bool last)
{
    struct process *p = whom;
    size_t *had = &p->words_size[from];

    if (!p->words[from])
        p->words[from] = malloc(live_note_max(p->is.play));
    if (!p->words[from] || *had + size > live_note_max(p->is.play))
        fail(p, "a word of a peer is too long");
    memcpy(p->words[from] + *had, bytes, size);
    *had += size;
    if (!last)
        return;
    if (p->is.node == 0)
        tell(p, p->words[from], *had);
    else
        on_far_order(p, p->words[from], *had);
    *had = 0;
}

static void on_order(uv_poll_t *poll, int status, int events)
{
    struct process *p = poll->data;
    struct live_order order;
    ssize_t size;

    (void)status;
    (void)events;
    while ((size = recv(p->is.stage, &order, sizeof order, 0)) ==
           (ssize_t)sizeof order) {
        obey(p, &order);
        cut_links(p);
    }
    if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR))
        _exit(0); /* the stage is gone, or needs this node no more */
    plan(p);
}

static void open_all(struct process *p)
{
    struct live_post_owner owner = {.transmit = transmit,
                                    .deliver = deliver,
                                    .word = hear,
                                    .answered = answered,
                                    .overflow = overflow,
                                    .no_memory = no_memory,
                                    .whom = p};
    struct net_why error;

    p->packet = malloc(live_note_max(p->is.play));
    p->post = live_post_open(p->is.config->nodes_count, p->is.node, p->is.life,
                             &owner);
    if (!p->packet)
        _exit(3);
    if (!p->post || uv_loop_init(&p->loop) != 0)
        fail(p, "the system gives no memory or descriptors for a node");
    if (!live_wake_open(&p->wake, &p->loop, on_due, p, &error))
        fail(p, error.text);
    p->links = live_links_open(&p->loop, p->is.config, p->is.node, p->is.life,
                               on_datagram, p, &error);
    if (!p->links)
        fail(p, error.text);
    p->orders.data = p;
    if (uv_poll_init(&p->loop, &p->orders, p->is.stage) != 0 ||
        uv_poll_start(&p->orders, UV_READABLE, on_order) != 0)
        fail(p, "the system does not let a node listen to the stage");
    cut_links(p);
}

_Noreturn void live_player_run(const struct live_player *player)
{
    struct process *p = calloc(1, sizeof *p);

    if (!p)
        _exit(3);
    p->is = *player;
    p->linked = linked_to(p->is.play, p->is.node);
    live_host_apart(p->is.host, p->is.apart);
    open_all(p);
    p->began = p->ping_at = live_now();
    if (p->is.spread && p->is.node != 0)
        p->ends_at = p->began + MEET_FAR_US + ALONE_US; /* without a signal */
    plan(p);
    (void)uv_run(&p->loop, UV_RUN_DEFAULT);
    _exit(0);
}
