/*
 * test_contract.c - what core/fc.h asks of every protocol, for every line of
 * protocols/all.h.
 *
 * Small networks with any parameters run in a random order of events, with
 * messages that are lost, doubled and out of order and with nodes that crash.
 * Whatever a protocol makes of that, it is a pure machine, announces what
 * others see, and its messages survive the wire.  P_sane() holds, with printed
 * and broken rules too; after events that make no sense it need not.  The
 * fields of its state have names.  Whoever breaks one of these rules is told
 * which, by a sentence (tests/unit/kit/contract_words.h).
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/kit/contract_entry.h"
#include "tests/unit/kit/contract_step.h"
#include "tests/unit/kit/contract_wire.h"

enum {
    RUNS = 60,
    EVENTS = 600,
    ASTRAY = 40,
    SHOWN = 8 /* every 8th state is looked at */
};
enum { PARTS_MAX = 10000 /* of a step that goes on */ };

/* ---- Effects ------------------------------------------------------------- */

static bool chaos_save(struct chaos *c)
{
    memcpy(c->records + c->node * c->type->record_size, state_of(c, c->node),
           c->type->record_size);
    return true;
}

/* Protocols that send to themselves when messages are doubled, which they do
 * not bear. */
static const char *const to_itself[] = {
    "naimi-trehel", /* is the next after itself */
};

static bool may_send_to_itself(const struct chaos *c)
{
    for (size_t i = 0; i < COUNT(to_itself); i++)
        if (strcmp(to_itself[i], c->type->protocol->name) == 0)
            return true;
    return false;
}

/* A link that this node has. */
static void check_port(struct chaos *c, uint16_t port)
{
    uint32_t ports = ports_of(c);

    if (port >= ports)
        blame(&c->moment, "sends by link %u, and has links 0 to %u", port,
              ports - 1);
    if (c->type->protocol->topology == FC_COMPLETE && port == c->node &&
        !may_send_to_itself(c))
        blame(&c->moment,
              "sends by link %u to itself; a complete network has no such link",
              port);
}

/* Lost, doubled, or put among those that are under way, in no order. */
static void chaos_send(struct chaos *c, uint32_t slot, uint16_t port)
{
    const uint8_t *msg = c->buffer + slot * c->type->msg_size;
    uint32_t fate = throw_below(&c->dice, 20);
    struct net_route route;

    check_port(c, port);
    route = net_route(c->type->protocol->topology, &c->graph, c->nodes, c->node,
                      port);
    check_wire(&c->moment, msg, &c->dice, c->spare);
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

static void check_cell(const struct chaos *c, uint32_t cell)
{
    if (cell >= c->cells_count)
        blame(&c->moment,
              "loads or stores cell %u, and by .cells of its entry there are "
              "%u",
              cell, c->cells_count);
}

static void chaos_store(struct chaos *c, uint32_t cell, uint32_t value)
{
    check_cell(c, cell);
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
    c->moment.place = place;
    c->moment.event = event;
    c->moment.msg = msg;
    c->moment.before = before;
    c->moment.after = NULL;
    t->view(&place, before, old, &phase);
    t->step_over(&place, state, event, msg, fx, c->buffer, DIRT);
    c->moment.after = state;
    check_wishes(c, fx);
    check_pure(c, event, msg, before, state, fx);
    check_overt(c, before, state, fx);
    t->view(&place, state, new, &phase);
    if (memcmp(old, new, sizeof old) != 0 && !(fx->notes & FC_NOTE_VIEW))
        blame(&c->moment, "what P_view() shows changed and was not announced: "
                          "call seen() or become() in the rule");
}

/* What it was about is no longer there. */
static void end_step(struct moment *m)
{
    m->event = NULL;
    m->msg = m->before = m->after = NULL;
}

static enum fc_then act_once(struct chaos *c, const struct fc_event *event,
                             const uint8_t *msg, struct fc_effects *fx)
{
    struct net_place place = place_of(c, c->node);
    uint8_t *before = bytes(c->type->state_size);
    const char *broken;
    enum fc_then then;

    step_once(c, state_of(c, c->node), event, msg, before, fx);
    check_relabelled(c, event, msg, before);
    broken = c->type->sane(&place, state_of(c, c->node));
    if (broken)
        blame(&c->moment,
              "\"%s\" is not so\n  (here messages are lost, doubled and out "
              "of order, and nodes crash: P_sane() holds even so)",
              broken);
    check_obeyed(c, fx);
    if (c->steps++ % SHOWN == 0) {
        check_padding(c->type, c->marks, state_of(c, c->node));
        check_shown(&place, c->type, state_of(c, c->node));
    }
    then = chaos_obey(c, fx);
    free(before);
    end_step(&c->moment);
    return then;
}

static void act(struct chaos *c, uint32_t node, struct fc_event event,
                const uint8_t *msg)
{
    struct fc_effects fx;
    enum fc_then then;
    uint32_t parts = 0;

    c->node = node;
    if (c->type->clocked)
        event.now = c->clock[node] += 1 + throw_below(&c->dice, 40);
    while ((then = act_once(c, &event, msg, &fx)) != FC_THEN_DONE) {
        uint64_t now = event.now;

        c->moment.event = &event;
        c->moment.msg = msg;
        if (++parts > PARTS_MAX)
            blame(&c->moment,
                  "one step goes on and on: go_on(), a choice or "
                  "a load, %d times",
                  PARTS_MAX);
        event = (struct fc_event){.kind = FC_GO_ON, .now = now};
        if (then == FC_THEN_CHOOSE)
            event = (struct fc_event){.kind = FC_CHOICE,
                                      .value = throw_below(&c->dice, fx.choose),
                                      .now = now};
        else if (then == FC_THEN_LOAD) {
            check_cell(c, fx.cell);
            event = (struct fc_event){
                .kind = FC_LOADED, .value = c->cells[fx.cell], .now = now};
        }
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
    c->moment.astray = true;
    memcpy(state, state_of(c, node), t->state_size);
    for (int i = 0; i < ASTRAY; i++) {
        struct fc_event event = any_event(c);
        struct fc_effects fx;

        if (event.kind == FC_MESSAGE && !c->sent)
            continue;
        if (event.kind == FC_MESSAGE)
            forge(&c->moment, &c->dice, msg, one_of(c));
        step_once(c, state, &event, event.kind == FC_MESSAGE ? msg : NULL,
                  before, &fx);
        if (event.kind == FC_TIMEOUT && t->timers == 0 &&
            memcmp(state, before, t->state_size) != 0)
            blame(&c->moment, "an event of no rule changed the state: look at "
                              "the kind of every event");
        end_step(&c->moment);
    }
    c->moment.astray = false;
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

/* A node before its first event is all zero bytes.  It is sane, and others see
 * nothing of it: it is asleep or idle, and knows no leader. */
static void begin(struct chaos *c)
{
    static const uint8_t nothing[NET_VIEW_SIZE];

    for (uint32_t i = 0; i < c->nodes; i++) {
        struct net_place place = place_of(c, i);
        _Alignas(8) uint8_t view[NET_VIEW_SIZE];
        struct fc_shown shown;
        enum fc_phase phase;
        const char *broken;

        c->moment.place = place;
        broken = c->type->sane(&place, state_of(c, i));
        if (broken)
            blame(&c->moment,
                  "all zero bytes are a node before its first event, of which "
                  "\"%s\" is not so",
                  broken);
        c->type->view(&place, state_of(c, i), view, &phase);
        c->type->show(view, &shown);
        if (phase != FC_IDLE || memcmp(view, nothing, sizeof view) != 0)
            blame(&c->moment,
                  "all zero bytes are a node before its first event, and "
                  "P_view() shows it as %s: 0 is to mean asleep or idle, and "
                  "that it knows nothing",
                  shown.role);
        if (c->type->clocked)
            act(c, i, (struct fc_event){.kind = FC_BOOT}, NULL);
    }
}

/* A step that ends the program is the protocol's, too.  Outside of one, to
 * abort is what cmocka may do about a failure. */
static const struct moment *looked_at;

static void on_signal(int number)
{
    bool within = looked_at->before && !looked_at->after;

    if (number == SIGABRT && !within) {
        signal(number, SIG_DFL);
        raise(number);
        return;
    }
    blame(looked_at, "ended the program (%s)%s", strsignal(number),
          number == SIGFPE
              ? ""
              : "; to send more than FC_SENDS messages in a step does that: "
                "outbox_full() and go_on()");
}

/* Sanitizers say more. */
static void catch_signals(const struct chaos *c)
{
    static const int signals[] = {SIGABRT, SIGBUS,  SIGFPE,
                                  SIGILL,  SIGSEGV, SIGTRAP};

    looked_at = &c->moment;
    for (size_t i = 0; i < COUNT(signals) && !is_sanitized(); i++)
        signal(signals[i], on_signal);
}

/* What came of all runs of a protocol. */
struct tally {
    uint32_t sent, runs, varied;
};

static void check_tally(const struct fc_protocol *p, struct tally all)
{
    uint32_t enough = p->marked ? 2 : 10;

    print_message("%s: %u runs, %u varied, %u messages\n", p->name, all.runs,
                  all.varied, all.sent);
    if (all.runs < 4)
        fail_msg("%s: of 2 to 5 nodes there are only %u networks: .prepare or "
                 "the parameters refuse the others",
                 p->name, all.runs);
    if (p->params && all.varied <= all.runs / 4)
        fail_msg("%s: its defaults are accepted and little else: %u of %u runs "
                 "have other parameters",
                 p->name, all.varied, all.runs);
    if (!p->cells && all.sent == 0)
        fail_msg("%s: nothing starts: no message in %u runs", p->name,
                 all.runs);
    if (!p->cells && all.sent <= enough * all.runs)
        fail_msg("%s: hardly anything happens: %u messages in %u runs", p->name,
                 all.sent, all.runs);
}

TEST(test_every_protocol_has_a_line_and_an_entry)
{
    check_lines();
    for (uint32_t t = 0; net_types[t]; t++)
        if (is_meant(t))
            check_entry(net_types[t]->protocol, listed[t]);
}

TEST(test_every_protocol_keeps_the_contract)
{
    const uint64_t most = is_sanitized() ? RUNS / 4 : RUNS;
    static struct chaos c;

    catch_signals(&c);
    for (uint32_t t = 0; net_types[t]; t++) {
        struct tally all = {0};
        struct settings settings = {0};

        if (!is_meant(t))
            continue;
        for (uint64_t seed = 1; seed <= most; seed++) {
            uint32_t nodes = 2 + (uint32_t)(seed % (NODES_MAX - 1));

            if (open_chaos(&c, net_types[t], &settings, nodes, seed)) {
                all.varied += settings.count > 0;
                begin(&c);
                for (uint32_t i = 0; i < EVENTS; i++)
                    happen(&c);
                all.runs++;
                all.sent += c.sent;
            }
            close_chaos(&c);
        }
        check_tally(net_types[t]->protocol, all);
    }
}

/* Bytes from anywhere are refused, or are a message that packs to the same. */
TEST(test_foreign_bytes)
{
    struct dice dice = {7};

    for (uint32_t t = 0; net_types[t]; t++) {
        const struct net_type *type = net_types[t];
        uint8_t *msg;

        if (!is_meant(t))
            continue;
        msg = bytes(type->msg_size);
        for (uint32_t i = 0; i < rounds(20000); i++) {
            uint8_t wire[FC_WIRE_MAX];
            size_t size = throw_below(&dice, i % 8 ? 40 : FC_WIRE_MAX);

            for (size_t b = 0; b < size; b++)
                wire[b] = (uint8_t)throw_below(&dice, b && i % 3 ? 256 : 8);
            if (type->unpack(msg, wire, size) == 0)
                check_same(type, NULL, msg, wire, size);
        }
        free(msg);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_protocol_has_a_line_and_an_entry),
        cmocka_unit_test(test_every_protocol_keeps_the_contract),
        cmocka_unit_test(test_foreign_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
