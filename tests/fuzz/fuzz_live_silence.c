/*
 * fuzz_live_silence.c - any datagrams, commands and times for a node in mode
 * silence: courier and sites, as the daemon runs them.  It may become useless,
 * but does nothing that C does not define, and stays sane; the floor of its
 * numbers never goes back, every number that it has used is below it, and
 * tokens of a lock grow.
 *
 * The first byte says how it is set up.  The rest is cut into events: what and
 * how much later, from whom or for which lock, how long, and then that many
 * bytes of a datagram.
 */
#include <stdlib.h>
#include <string.h>

#include "live/mode/sites.h"
#include "live/wire/courier.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { NODES = 3, ME = 1, LOCKS = 4 };

struct node {
    struct live_courier *courier;
    struct live_sites *sites;
    uint64_t now, floor;
    uint64_t token[LOCKS]; /* the last one */
    bool inside[LOCKS];
};

static void must(bool holds)
{
    if (!holds)
        abort();
}

/* ---- What courier and sites need ----------------------------------------- */

static void on_transmit(void *whom, uint32_t to, const uint8_t *bytes,
                        size_t size)
{
    (void)whom;
    must(to < NODES && to != ME);
    must(size > 0 && size <= LIVE_DATAGRAM_MAX);
    must(bytes[0] < 16); /* flags */
}

static bool on_take(void *whom, uint32_t from, struct live_unread messages)
{
    struct node *n = whom;

    return live_sites_take(n->sites, from, messages, n->now);
}

static void on_breach(void *whom, uint32_t peer, enum live_breach how,
                      uint64_t how_long)
{
    (void)whom;
    (void)how_long;
    must(peer < NODES && peer != ME && how <= LIVE_OVERFLOW);
}

static void on_gone(void *whom, uint32_t peer, bool by_itself, uint64_t silent)
{
    (void)whom;
    (void)by_itself;
    (void)silent;
    must(peer < NODES && peer != ME);
}

static bool on_save(void *whom, uint64_t floor)
{
    struct node *n = whom;

    must(floor > n->floor);
    n->floor = floor;
    return true;
}

static uint64_t on_send(void *whom, uint32_t to, const uint8_t *bytes,
                        size_t size)
{
    struct node *n = whom;

    must(to < NODES && to != ME);
    return live_courier_put(n->courier, to, bytes, size, n->now);
}

static bool on_settled(void *whom, uint32_t to, uint64_t sent)
{
    struct node *n = whom;

    return live_courier_settled(n->courier, to, sent);
}

static void on_insane(void *whom, const char *sentence)
{
    (void)whom;
    must(sentence == NULL);
}

/* ---- A life -------------------------------------------------------------- */

static void open_node(struct node *n, bool early)
{
    const struct live_courier_times courier = {30000, 1250, 150000};
    const struct live_sites_times sites = {30000, 100000, 1000000, 1000, early};
    const struct live_courier_owner post = {on_transmit, on_take, on_breach,
                                            on_gone, n};
    const struct live_sites_owner owner = {on_save, on_send, on_settled,
                                           on_insane, n};

    n->courier = live_courier_open(NODES, ME, &courier, &post);
    must(n->courier != NULL);
    n->sites = live_sites_open(NODES, ME, &sites, 1, n->floor, &owner, n->now);
    must(n->sites != NULL);
    memset(n->inside, 0, sizeof n->inside);
}

static void close_node(struct node *n)
{
    live_courier_close(n->courier);
    live_sites_close(n->sites);
}

/* After every event: what was put is sent, and the locks are looked at. */
static void look(struct node *n)
{
    live_courier_ship(n->courier, n->now);
    must(live_courier_next(n->courier) > 0);
    must(live_sites_next(n->sites, n->now) >= n->now);
    for (uint32_t i = 0; i < LOCKS; i++) {
        struct live_lock_view view = live_sites_look(n->sites, 1 + i);
        bool inside = view.phase == FC_INSIDE;

        must((view.token != 0) == inside);
        must(!((view.lacks | view.wanted) & (1u << ME)));
        if (inside && !n->inside[i]) {
            must(view.token > n->token[i]);
            must(view.token >> 56 == 1);
            must((view.token & UINT64_C(0xffffffffffffff)) >> 16 <= n->floor);
            n->token[i] = view.token;
        }
        must(!inside || view.token == n->token[i]);
        n->inside[i] = inside;
    }
}

static void tick(struct node *n, uint8_t which)
{
    if (which & 1)
        live_courier_tick(n->courier, n->now);
    if (which & 2)
        live_sites_tick(n->sites, n->now);
}

static void tell(struct node *n, uint8_t what)
{
    static const enum live_command commands[] = {LIVE_WANT, LIVE_WANT_SHARED,
                                                 LIVE_LEAVE, LIVE_GIVE_UP};
    enum live_command command = commands[what / LOCKS % 4];
    uint32_t lock = what % LOCKS;
    bool was_inside = n->inside[lock];
    bool obeyed = live_sites_command(n->sites, command, 1 + lock, n->now);

    if (command == LIVE_LEAVE)
        must(obeyed == was_inside);
    if (command == LIVE_GIVE_UP && obeyed)
        must(!was_inside);
}

static void begin_again(struct node *n, bool leaves)
{
    if (leaves) {
        live_courier_leave(n->courier);
        return;
    }
    close_node(n);
    open_node(n, n->now & 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct node n;

    if (size == 0)
        return 0;
    n = (struct node){.now = 1000000};
    open_node(&n, data[0] & 1);
    for (data++, size--; size >= 3;) {
        size_t length = data[2] < size - 3 ? data[2] : size - 3;
        uint32_t from = data[1] & 1 ? 0 : 2;
        uint64_t life = 1 + (data[1] >> 6);

        n.now += UINT64_C(1) << data[0] % 20;
        if (data[0] >= 240)
            begin_again(&n, data[1] & 1);
        else if (data[0] >= 180)
            tell(&n, data[1]);
        else if (data[0] >= 120)
            tick(&n, data[1]);
        else
            live_courier_receive(n.courier, from, life, data + 3, length,
                                 n.now);
        look(&n);
        data += 3 + length;
        size -= 3 + length;
    }
    close_node(&n);
    return 0;
}
