/*
 * test_contract.c - what core/fc.h asks of every protocol, for every line of
 * protocols/all.h.
 *
 * Small networks with any parameters run in a random order of events, with
 * messages that are lost, doubled and out of order and with nodes that crash.
 * Whatever a protocol makes of that, it is a pure machine, announces what
 * others see, and its messages survive the wire.  P_sane() holds, with printed
 * and broken rules too; after events that make no sense it need not.  The
 * fields of its state have names.
 */
#include <stdio.h>
#include <stdlib.h>

#include "net/names.h"
#include "net/route.h"
#include "tests/unit/kit/drawn_net.h"
#include "tests/unit/kit/state_fields.h"

enum { MAIL_MAX = 4096, KEPT = 16, EVENTS = 600, NODES_MAX = 5 };
enum { RUNS = 60, ASTRAY = 40, SHOWN = 8 /* one state of so many */ };

struct mail {
    uint32_t to;
    uint16_t comes_by;
    uint8_t *msg;
};

/* A network in which everything happens in any order. */
struct chaos {
    const struct net_type *type;
    struct net_made made;
    struct net_memory memory;
    struct net_names names;
    struct net_graph graph;
    uint32_t nodes;
    uint8_t *states, *records, *buffer;
    uint32_t *cells;
    uint32_t armed[NODES_MAX];
    uint64_t clock[NODES_MAX];
    struct mail mail[MAIL_MAX];
    uint32_t mail_count, sent;
    uint8_t *kept; /* of the messages sent, the last KEPT */
    uint32_t node; /* that acts */
    uint32_t steps;
    uint8_t *marks; /* of state_fields.h */
    struct dice dice;
};

static uint8_t *state_of(struct chaos *c, uint32_t node)
{
    return c->states + node * c->type->state_size;
}

static struct net_place place_of(struct chaos *c, uint32_t node)
{
    return (struct net_place){&c->made.net, &c->names, &c->graph, node};
}

/* Links of the node that acts. */
static uint32_t ports_of(const struct chaos *c)
{
    return net_ports(c->type->protocol->topology, &c->graph, c->nodes, c->node);
}

static void *bytes(size_t size)
{
    void *got = calloc(1, size + 1);

    assert_non_null(got);
    return got;
}

/* ---- Effects ------------------------------------------------------------- */

static bool chaos_save(struct chaos *c)
{
    memcpy(c->records + c->node * c->type->record_size, state_of(c, c->node),
           c->type->record_size);
    return true;
}

/* What was unpacked packs to the same bytes: so no two messages look alike. */
static void check_same(const struct net_type *t, const uint8_t *msg,
                       const uint8_t *wire, size_t size)
{
    uint8_t again[FC_WIRE_MAX];

    assert_in_range(t->kind(msg), 1, t->protocol->kinds_count - 1);
    assert_int_equal(t->pack(msg, again), size);
    assert_memory_equal(again, wire, size);
}

/* A message with a bit changed on the wire; as it was, if that is refused. */
static void forge(struct chaos *c, uint8_t *forged, const uint8_t *msg)
{
    uint8_t wire[FC_WIRE_MAX];
    size_t size = c->type->pack(msg, wire);

    memcpy(forged, msg, c->type->msg_size);
    wire[throw_below(&c->dice, (uint32_t)size)] ^=
        (uint8_t)(1u << throw_below(&c->dice, 8));
    if (c->type->unpack(forged, wire, size) == 0)
        check_same(c->type, forged, wire, size);
}

static void check_wire(struct chaos *c, const uint8_t *msg)
{
    const struct net_type *t = c->type;
    uint8_t wire[FC_WIRE_MAX + 1], *again = bytes(t->msg_size);
    size_t size = t->pack(msg, wire);
    uint64_t fields[FC_FIELDS_MAX];

    assert_int_equal(size, t->wire_bytes(msg));
    assert_true(size > 0 && size <= t->wire_size);
    assert_int_equal(t->unpack(again, wire, size), 0);
    assert_memory_equal(again, msg, t->msg_size);
    wire[size] = 0;
    assert_int_equal(t->unpack(again, wire, size - 1), -1);
    assert_int_equal(t->unpack(again, wire, size + 1), -1);
    for (size_t other = 0; other < size; other++)
        if (t->unpack(again, wire, other) == 0)
            check_same(t, again, wire, other);
    forge(c, again, msg);
    assert_in_range(t->kind(msg), 1, t->protocol->kinds_count - 1);
    assert_non_null(t->protocol->kinds[t->kind(msg)].name);
    assert_true(t->fields(msg, fields) <= FC_FIELDS_MAX);
    assert_in_range(t->paper_bits(msg), 1, 8 * size);
    free(again);
}

/* Lost, doubled, or put among those that are under way, in no order. */
static void chaos_send(struct chaos *c, uint32_t slot, uint16_t port)
{
    const uint8_t *msg = c->buffer + slot * c->type->msg_size;
    uint32_t fate = throw_below(&c->dice, 20);
    struct net_route route;

    assert_true(port < ports_of(c));
    route = net_route(c->type->protocol->topology, &c->graph, c->nodes, c->node,
                      port);
    check_wire(c, msg);
    memcpy(c->kept + c->sent++ % KEPT * c->type->msg_size, msg,
           c->type->msg_size);
    for (uint32_t i = 0; i < (fate == 0 ? 0u : fate == 1 ? 2u : 1u); i++) {
        struct mail m = {route.to, route.comes_by, bytes(c->type->msg_size)};

        memcpy(m.msg, msg, c->type->msg_size);
        if (c->mail_count == MAIL_MAX)
            free(m.msg); /* a flood: this one is lost */
        else
            c->mail[c->mail_count++] = m;
    }
}

static void chaos_store(struct chaos *c, uint32_t cell, uint32_t value)
{
    c->cells[cell] = value;
}

static void chaos_start(struct chaos *c, uint32_t timer, uint64_t steps)
{
    c->armed[c->node] &= ~(1u << timer);
    c->armed[c->node] |= (uint32_t)(steps != FC_NEVER) << timer;
}

static void chaos_stop(struct chaos *c, uint32_t timer)
{
    c->armed[c->node] &= ~(1u << timer);
}

#define OBEY(name)    FC_PASTE(chaos_, name)
#define OBEY_DRIVER   struct chaos
#define OBEY_TIMERS   d->type->timers
#define OBEY_TOPOLOGY d->type->protocol->topology
#define OBEY_SELF     d->node
#define OBEY_NODES    d->nodes
#include "core/obey.inc"

/* ---- One event ----------------------------------------------------------- */

/* A twin of the state that reads another outbox does the same. */
static void check_pure(struct chaos *c, const struct fc_event *event,
                       const uint8_t *msg, const uint8_t *before,
                       const uint8_t *after, const struct fc_effects *fx)
{
    const struct net_type *t = c->type;
    struct net_place place = place_of(c, c->node);
    uint8_t *twin = bytes(t->state_size), *sends = bytes(t->out_size);
    struct fc_effects other;

    memcpy(twin, before, t->state_size);
    t->step_over(&place, twin, event, msg, &other, sends, 0x55);
    assert_memory_equal(twin, after, t->state_size);
    assert_memory_equal(&other, fx, offsetof(struct fc_effects, steps));
    assert_memory_equal(sends, c->buffer, fx->sends * t->msg_size);
    for (uint32_t i = 0; i < t->timers; i++)
        if (fx->arm >> i & 1)
            assert_true(other.steps[i] == fx->steps[i]);
    for (uint32_t i = 0; i < fx->sends; i++) {
        if (t->protocol->topology != FC_RING)
            assert_int_equal(other.to[i], fx->to[i]);
        if (t->protocol->topology != FC_RING && fx->to[i] == FC_SET)
            assert_memory_equal(&other.set, &fx->set, sizeof fx->set);
    }
    free(twin);
    free(sends);
}

/* Nodes that are called otherwise do the same under their other names. */
static void check_relabelled(struct chaos *c, const struct fc_event *event,
                             const uint8_t *msg, const uint8_t *before)
{
    static const uint16_t to[NODES_MAX] = {0, 2, 1, 4, 3};
    const struct net_type *t = c->type;
    struct net_place there = place_of(c, to[c->node]);
    uint8_t *state = bytes(t->state_size), *after = bytes(t->state_size);
    uint8_t *heard = bytes(t->msg_size), *sends = bytes(t->out_size);
    struct fc_event same = *event;
    struct fc_effects fx;

    if (!t->relabel || (c->nodes != 3 && c->nodes != 5))
        goto done;
    memcpy(state, before, t->state_size);
    t->relabel(state, to, c->nodes);
    if (msg) {
        memcpy(heard, msg, t->msg_size);
        t->relabel_msg(heard, to, c->nodes);
        same.port = to[event->port];
    }
    t->step_over(&there, state, &same, msg ? heard : NULL, &fx, sends, 0);
    memcpy(after, state_of(c, c->node), t->state_size);
    t->relabel(after, to, c->nodes);
    assert_memory_equal(state, after, t->state_size);
done:
    free(state);
    free(after);
    free(heard);
    free(sends);
}

/* Protocols in which a step without effects changes nothing; `except` is a
 * setting with which it may. */
static const struct {
    const char *protocol, *except;
} overt[] = {
    {"lelann", "again=told"}, /* the leader closes its election in silence */
    {"chang-roberts-max", "?"},
    {"dolev-klawe-rodeh", "?"},
    {"peterson", "?"},
    {"vitanyi", "wakeup-counts=no"}, /* VI-R8 counts in silence */
};

static void check_overt(const struct chaos *c, const uint8_t *before,
                        const uint8_t *after, const struct fc_effects *fx)
{
    if (fx->sends + fx->arm + fx->disarm ||
        (fx->notes & ~(uint32_t)FC_NOTE_DIES))
        return;
    for (size_t i = 0; i < COUNT(overt); i++)
        if (strcmp(overt[i].protocol, c->type->protocol->name) == 0 &&
            !strstr(c->made.set, overt[i].except))
            assert_memory_equal(after, before, c->type->state_size);
}

/* A step by c->node in this state, which need not be its own. */
static void step_once(struct chaos *c, uint8_t *state,
                      const struct fc_event *event, const uint8_t *msg,
                      uint8_t *before, struct fc_effects *fx)
{
    const struct net_type *t = c->type;
    struct net_place place = place_of(c, c->node);
    uint8_t old[NET_VIEW_SIZE], new[NET_VIEW_SIZE];
    enum fc_phase phase;

    memcpy(before, state, t->state_size);
    t->view(&place, before, old, &phase);
    t->step_over(&place, state, event, msg, fx, c->buffer, 0xaa);
    check_pure(c, event, msg, before, state, fx);
    check_overt(c, before, state, fx);
    t->view(&place, state, new, &phase);
    if (memcmp(old, new, sizeof old) != 0)
        assert_true(fx->notes & FC_NOTE_VIEW);
}

static enum fc_then act_once(struct chaos *c, const struct fc_event *event,
                             const uint8_t *msg, struct fc_effects *fx)
{
    struct net_place place = place_of(c, c->node);
    uint8_t *before = bytes(c->type->state_size);
    const char *broken;

    step_once(c, state_of(c, c->node), event, msg, before, fx);
    check_relabelled(c, event, msg, before);
    free(before);
    broken = c->type->sane(&place, state_of(c, c->node));
    if (broken) {
        print_message("%s\n", c->made.set);
        fail_msg("%s: \"%s\" is not so", c->type->protocol->name, broken);
    }
    if (c->steps++ % SHOWN == 0) {
        check_padding(c->type, c->marks, state_of(c, c->node));
        check_shown(&place, c->type, state_of(c, c->node));
    }
    return chaos_obey(c, fx);
}

static void act(struct chaos *c, uint32_t node, struct fc_event event,
                const uint8_t *msg)
{
    struct fc_effects fx;
    enum fc_then then;

    c->node = node;
    if (c->type->clocked)
        event.now = c->clock[node] += 1 + throw_below(&c->dice, 40);
    while ((then = act_once(c, &event, msg, &fx)) != FC_THEN_DONE) {
        uint64_t now = event.now;

        event = (struct fc_event){.kind = FC_GO_ON, .now = now};
        if (then == FC_THEN_CHOOSE)
            event = (struct fc_event){.kind = FC_CHOICE,
                                      .value = throw_below(&c->dice, fx.choose),
                                      .now = now};
        else if (then == FC_THEN_LOAD)
            event = (struct fc_event){
                .kind = FC_LOADED, .value = c->cells[fx.cell], .now = now};
        msg = NULL;
    }
}

/* ---- Nonsense ------------------------------------------------------------ */

/* One of the messages sent lately. */
static const uint8_t *one_of(struct chaos *c)
{
    uint32_t count = c->sent < KEPT ? c->sent : KEPT;

    return c->kept + throw_below(&c->dice, count) * c->type->msg_size;
}

static struct fc_event any_event(struct chaos *c)
{
    enum fc_topology topology = c->type->protocol->topology;
    uint32_t port = throw_below(&c->dice, ports_of(c));
    uint32_t timers = c->type->timers;

    if (topology == FC_COMPLETE && port == c->node)
        port = (port + 1) % c->nodes;
    if (topology == FC_RING)
        port = FC_PREVIOUS;
    return (struct fc_event){
        .kind = (uint8_t)throw_below(&c->dice, FC_GO_ON + 1),
        .timer = (uint8_t)throw_below(&c->dice, timers ? timers : 1),
        .port = (uint16_t)port,
        .command = (uint8_t)throw_below(&c->dice, 3),
        .value = throw_below(&c->dice, 4),
        .now = c->clock[c->node],
    };
}

/* Events that cannot happen, to a copy of a node: it is as pure as ever. */
static void go_astray(struct chaos *c, uint32_t node)
{
    const struct net_type *t = c->type;
    uint8_t *state = bytes(t->state_size), *before = bytes(t->state_size);
    uint8_t *msg = bytes(t->msg_size);

    c->node = node;
    memcpy(state, state_of(c, node), t->state_size);
    for (int i = 0; i < ASTRAY; i++) {
        struct fc_event event = any_event(c);
        struct fc_effects fx;

        if (event.kind == FC_MESSAGE && !c->sent)
            continue;
        if (event.kind == FC_MESSAGE)
            forge(c, msg, one_of(c));
        step_once(c, state, &event, event.kind == FC_MESSAGE ? msg : NULL,
                  before, &fx);
        if (event.kind == FC_TIMEOUT && t->timers == 0)
            assert_memory_equal(state, before, t->state_size);
    }
    free(state);
    free(before);
    free(msg);
}

/* ---- Runs ---------------------------------------------------------------- */

static void read_one(struct chaos *c)
{
    uint32_t i = throw_below(&c->dice, c->mail_count);
    struct mail m = c->mail[i];

    c->mail[i] = c->mail[--c->mail_count];
    act(c, m.to, (struct fc_event){.kind = FC_MESSAGE, .port = m.comes_by},
        m.msg);
    free(m.msg);
}

static void return_blank(struct chaos *c, uint32_t node)
{
    size_t size = c->type->record_size;

    memset(state_of(c, node), 0, c->type->state_size);
    memcpy(state_of(c, node), c->records + node * size, size);
    c->armed[node] = 0;
    act(c, node, (struct fc_event){.kind = FC_BOOT}, NULL);
}

static void happen(struct chaos *c)
{
    uint32_t node = throw_below(&c->dice, c->nodes);
    uint32_t what = throw_below(&c->dice, 100);
    uint32_t timer = throw_below(&c->dice, FC_TIMERS);
    struct fc_event command = {.kind = FC_COMMAND,
                               .command = c->type->request(what & 1)};

    if (what < 60 && c->mail_count) {
        read_one(c);
    } else if (what < 85 && (c->armed[node] >> timer & 1)) {
        c->armed[node] &= ~(1u << timer);
        act(c, node,
            (struct fc_event){.kind = FC_TIMEOUT, .timer = (uint8_t)timer},
            NULL);
    } else if (what < 97) {
        if (what & 2 && c->type->repeats)
            command.command = c->type->farewell();
        act(c, node, command, NULL);
    } else if (what < 98) {
        return_blank(c, node);
    } else {
        go_astray(c, node);
    }
}

static bool open_chaos(struct chaos *c, const struct net_type *type,
                       struct settings *settings, uint32_t nodes, uint64_t seed)
{
    const struct fc_protocol *p = type->protocol;
    const struct net *net = &c->made.net;

    memset(c, 0, sizeof *c);
    c->type = type;
    c->nodes = nodes;
    c->dice.state = seed;
    if (!draw_net(&c->made, settings, p, nodes, &c->dice))
        return false;
    assert_int_equal(net_names_begin(&c->names, net, seed, true, &c->memory),
                     0);
    if (p->topology == FC_TREE)
        assert_int_equal(net_graph_begin(&c->graph, net, seed, &c->memory), 0);
    c->marks = bytes(type->state_size);
    check_state_fields(type, c->marks);
    c->states = bytes(nodes * type->state_size);
    c->records = bytes(nodes * type->record_size);
    c->buffer = bytes(type->out_size);
    c->kept = bytes(KEPT * type->msg_size);
    c->cells = bytes(sizeof *c->cells *
                     (p->cells ? p->cells(net->params) : UINT32_C(1)));
    return true;
}

static void close_chaos(struct chaos *c)
{
    for (uint32_t i = 0; i < c->mail_count; i++)
        free(c->mail[i].msg);
    free(c->marks);
    free(c->states);
    free(c->records);
    free(c->buffer);
    free(c->kept);
    free(c->cells);
    net_memory_free(&c->memory);
    net_unmake(&c->made);
}

/* A node before its first event is all zero bytes.  It is sane, and others see
 * nothing of it: it is asleep or idle, and knows no leader. */
static void begin(struct chaos *c)
{
    static const uint8_t nothing[NET_VIEW_SIZE];

    for (uint32_t i = 0; i < c->nodes; i++) {
        struct net_place place = place_of(c, i);
        uint8_t view[NET_VIEW_SIZE];
        enum fc_phase phase;

        assert_null(c->type->sane(&place, state_of(c, i)));
        c->type->view(&place, state_of(c, i), view, &phase);
        assert_memory_equal(view, nothing, sizeof view);
        assert_int_equal(phase, FC_IDLE);
        if (c->type->clocked)
            act(c, i, (struct fc_event){.kind = FC_BOOT}, NULL);
    }
}

/* CONTRACT_OF=NAME in the environment: that protocol alone. */
static bool is_meant(const struct fc_protocol *p)
{
    const char *only = getenv("CONTRACT_OF");

    return !only || strcmp(only, p->name) == 0;
}

TEST(test_every_protocol_keeps_the_contract)
{
    const uint64_t most = is_sanitized() ? RUNS / 4 : RUNS;
    static struct chaos c;

    for (uint32_t t = 0; net_types[t]; t++) {
        uint32_t sent = 0, runs = 0, varied = 0;
        struct settings settings = {0};

        if (!is_meant(net_types[t]->protocol))
            continue;
        for (uint64_t seed = 1; seed <= most; seed++) {
            uint32_t nodes = 2 + (uint32_t)(seed % (NODES_MAX - 1));

            if (open_chaos(&c, net_types[t], &settings, nodes, seed)) {
                varied += settings.count > 0;
                begin(&c);
                for (uint32_t i = 0; i < EVENTS; i++)
                    happen(&c);
                runs++;
                sent += c.sent;
            }
            close_chaos(&c);
        }
        print_message("%s: %u runs, %u varied, %u messages\n",
                      net_types[t]->protocol->name, runs, varied, sent);
        assert_true(runs >= 4);
        if (net_types[t]->protocol->params)
            assert_true(varied > runs / 4);
        if (!net_types[t]->protocol->cells)
            assert_true(sent > (net_types[t]->protocol->led ? 2 : 10) * runs);
    }
}

/* Bytes from anywhere are refused, or are a message that packs to the same. */
TEST(test_foreign_bytes)
{
    struct dice dice = {7};

    for (uint32_t t = 0; net_types[t]; t++) {
        const struct net_type *type = net_types[t];
        uint8_t *msg;

        if (!is_meant(type->protocol))
            continue;
        msg = bytes(type->msg_size);
        for (uint32_t i = 0; i < rounds(20000); i++) {
            uint8_t wire[FC_WIRE_MAX];
            size_t size = throw_below(&dice, i % 8 ? 40 : FC_WIRE_MAX);

            for (size_t b = 0; b < size; b++)
                wire[b] = (uint8_t)throw_below(&dice, b && i % 3 ? 256 : 8);
            if (type->unpack(msg, wire, size) == 0)
                check_same(type, msg, wire, size);
        }
        free(msg);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_protocol_keeps_the_contract),
        cmocka_unit_test(test_foreign_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
