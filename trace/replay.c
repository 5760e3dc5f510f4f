/*
 * replay.c - see replay.h.
 */
#include "trace/replay.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/judge.h"
#include "net/route.h"
#include "trace/part.h"
#include "trace/write.h"

/* Facts about a message, besides its contents. */
struct sent {
    uint64_t arrives;
    uint32_t to;
    uint16_t port; /* by which it comes */
    bool flying;
};

struct replay {
    const struct net_type *type;
    const struct net *net;
    const struct trace *then;        /* the run that is replayed */
    const struct trace_event *event; /* of it, that happens now */
    uint32_t sends, choices;         /* of it, that have been used */
    struct net_memory memory;
    struct net_names names;
    struct net_graph graph;
    struct net_scene scene;
    uint8_t *states, *before; /* of all nodes; of one, before the event */
    uint8_t *records;         /* of all nodes, as last saved */
    uint32_t *cells;          /* shared by all */
    uint32_t armed[NET_SCENE_MAX];
    uint8_t *messages;  /* by id */
    struct sent *known; /* of each */
    uint32_t sent, room;
    uint8_t *incoming; /* the message that is read */
    uint8_t *buffer;   /* for the messages of a step */
    struct trace_letter letters[256];
    struct net_witness *witness; /* of the whole network, if it is judged */
    struct trace_listener *trace;
    struct trace_replay *out;
    const struct trace_visitor *visitor; /* or NULL */
};

static bool refuse(struct replay *r, const char *what)
{
    r->out->what = what;
    return false;
}

static uint8_t *state_of(struct replay *r, uint32_t node)
{
    return r->states + node * r->type->state_size;
}

/* ---- Where messages go --------------------------------------------------- */

static bool room_for_one(struct replay *r)
{
    uint32_t room = r->room ? 2 * r->room : 64;
    uint8_t *messages;
    struct sent *known;

    if (r->sent < r->room)
        return true;
    messages = realloc(r->messages, room * r->type->msg_size);
    if (messages)
        r->messages = messages;
    known = realloc(r->known, room * sizeof *known);
    if (known)
        r->known = known;
    if (!messages || !known)
        return refuse(r, "it has too many messages for the memory");
    r->room = room;
    return true;
}

/* What the trace says of the next message of this event; false: nothing. */
static bool next_sent(const struct replay *r, struct trace_message *m)
{
    if (r->sends == r->event->sends)
        return false;
    *m = trace_message_at(r->then, r->event->sent + r->sends);
    return true;
}

/* A message, and the network's copies, which follow their original: when they
 * arrive is taken from the trace. */
static bool send_one(struct replay *r, uint32_t from, uint16_t port,
                     const uint8_t *msg, uint32_t *count)
{
    struct net_route way = net_route(r->type->protocol->topology, &r->graph,
                                     r->net->world.nodes, from, port);
    struct trace_message then;
    bool told = next_sent(r, &then), copy = false;

    do {
        if (!room_for_one(r))
            return false;
        if (*count == sizeof r->letters / sizeof r->letters[0])
            return refuse(r, "a step sends too many messages");
        memcpy(r->messages + r->sent * r->type->msg_size, msg,
               r->type->msg_size);
        r->known[r->sent] = (struct sent){
            .arrives = told ? then.arrives : FC_NEVER,
            .to = way.to,
            .port = way.comes_by,
            .flying = told && then.arrives != FC_NEVER,
        };
        if (r->witness && r->known[r->sent].flying)
            net_witness_send(r->witness, from, way.to, way.comes_by, msg);
        r->letters[(*count)++] = (struct trace_letter){
            .id = r->sent++,
            .from = from,
            .to = way.to,
            .msg = msg,
            .arrives = told ? then.arrives : FC_NEVER,
            .copy = copy,
        };
        r->sends += told;
        told = next_sent(r, &then);
        copy = told && then.flags & TRACE_COPY;
    } while (copy);
    trace_amounts_send(&r->out->amounts, r->type, r->net->world.nodes, msg);
    return true;
}

/* ---- Events -------------------------------------------------------------- */

/* What the trace says was chosen. */
static uint32_t chosen(struct replay *r, uint32_t range)
{
    const struct trace *t = r->then;

    if (range <= 1 || r->choices == t->choices_count ||
        t->choices[r->choices].event != r->event->row)
        return 0;
    return t->choices[r->choices++].value % range;
}

/* The clock of a node, whose steps are all equally long. */
static uint64_t clock_of(const struct replay *r, uint32_t node)
{
    const struct net *s = r->net;
    uint64_t length = s->time == NET_SYNC          ? 1
                      : s->clock == NET_CLOCK_LIST ? s->steps[node]
                                                   : s->world.bounds.rmin;

    return r->type->clocked ? 1 + r->event->tick / length : 0;
}

/* The guards of all nodes whose time is over have acted. */
static void let_guards_act(struct replay *r)
{
    uint64_t until;

    for (uint32_t i = 0; r->type->inside && i < r->scene.nodes; i++) {
        uint8_t *view = r->scene.actor[i].view;

        if (r->type->inside(view, &until) && until && until <= clock_of(r, i))
            memset(view, 0, NET_VIEW_SIZE);
    }
}

static void note(struct replay *r, uint32_t broken)
{
    if (broken && !r->out->broken)
        r->out->broken_at = r->out->line;
    r->out->broken |= broken;
}

/* A message is no longer in flight. */
static void take(struct replay *r, uint32_t id)
{
    struct sent *m = &r->known[id];

    if (r->witness && m->flying)
        net_witness_take(r->witness, m->to, m->port,
                         r->messages + id * r->type->msg_size);
    m->flying = false;
}

/* What the watch is told of a node. */
static void judge(struct replay *r, uint32_t node, const struct trace_part *p)
{
    uint8_t after[NET_VIEW_SIZE];
    struct net_news news;
    uint64_t until;

    memcpy(after, p->after, sizeof after);
    if (r->type->inside && memcmp(after, p->before, sizeof after) == 0)
        return;
    if (r->type->inside && r->type->inside(after, &until) && until &&
        until <= clock_of(r, node))
        memset(after, 0, sizeof after);
    r->type->change(&r->scene, node, after, &news);
    r->scene.memory = news.memory;
    memcpy(r->scene.actor[node].view, after, NET_VIEW_SIZE);
    r->scene.actor[node].returns = false;
    note(r, news.broken);
    if (news.reached && r->out->amounts.goal_at == FC_NEVER)
        r->out->amounts.goal_at = r->event->tick;
}

/* A part of a step at a node. */
struct obeying {
    struct replay *r;
    uint32_t node;
    struct trace_part *part;
    bool failed;
};

static bool replay_save(struct obeying *d)
{
    size_t size = d->r->type->record_size;

    memcpy(d->r->records + d->node * size, state_of(d->r, d->node), size);
    return true;
}

static void replay_send(struct obeying *d, uint32_t slot, uint16_t port)
{
    if (!d->failed)
        d->failed = !send_one(d->r, d->node, port,
                              d->r->buffer + slot * d->r->type->msg_size,
                              &d->part->letters_count);
}

static void replay_store(struct obeying *d, uint32_t cell, uint32_t value)
{
    d->r->cells[cell] = value;
}

static void replay_start(struct obeying *d, uint32_t timer, uint64_t steps)
{
    uint32_t *armed = &d->r->armed[d->node];

    *armed &= ~(1u << timer);
    *armed |= (uint32_t)(steps != FC_NEVER) << timer;
}

static void replay_stop(struct obeying *d, uint32_t timer)
{
    uint32_t *armed = &d->r->armed[d->node];

    d->part->stopped |= (uint8_t)(*armed & 1u << timer);
    *armed &= ~(1u << timer);
}

#define OBEY(name)    FC_PASTE(replay_, name)
#define OBEY_DRIVER   struct obeying
#define OBEY_TIMERS   d->r->type->timers
#define OBEY_TOPOLOGY d->r->type->protocol->topology
#define OBEY_SELF     d->node
#define OBEY_NODES    d->r->net->world.nodes
#include "core/obey.inc"

static bool act(struct replay *r, uint32_t node, struct fc_event event,
                const void *msg)
{
    struct net_place place = {r->net, &r->names, &r->graph, node};
    struct trace_part part = {.range = 0};
    uint8_t before[NET_VIEW_SIZE];
    struct trace_turn step = {.node = node,
                              .before = before,
                              .after = r->scene.actor[node].view,
                              .was = r->out->amounts.phase[node],
                              .state = state_of(r, node),
                              .tick = r->event->tick};
    bool reached = r->out->amounts.goal_at != FC_NEVER;
    enum fc_phase phase;
    enum fc_then then;

    memcpy(before, r->scene.actor[node].view, sizeof before);
    do {
        struct obeying turn = {r, node, &part, false};

        event.now = clock_of(r, node);
        r->type->view(&place, state_of(r, node), part.before, &phase);
        r->type->step(&place, state_of(r, node), &event, msg, &part.fx,
                      r->buffer);
        r->type->view(&place, state_of(r, node), part.after, &phase);
        trace_amounts_phase(&r->out->amounts, r->net->world.nodes, node, phase,
                            r->event->tick);
        part.letters_count = part.stopped = 0;
        then = replay_obey(&turn, &part.fx);
        if (turn.failed)
            return false;
        step.notes |= part.fx.notes;
        trace_tell_part(r->trace, r->type, &part, r->letters);
        judge(r, node, &part);
        if (r->type->sane(&place, state_of(r, node)))
            note(r, FC_SANE);
        part.range = then == FC_THEN_CHOOSE ? part.fx.choose : 0;
        part.value = chosen(r, part.range);
        event = (struct fc_event){.kind = FC_GO_ON};
        if (then == FC_THEN_CHOOSE)
            event = (struct fc_event){.kind = FC_CHOICE, .value = part.value};
        if (then == FC_THEN_LOAD)
            event = (struct fc_event){.kind = FC_LOADED,
                                      .value = r->cells[part.fx.cell]};
        msg = NULL;
    } while (then != FC_THEN_DONE);
    step.is = phase;
    step.reaches = !reached && r->out->amounts.goal_at != FC_NEVER;
    trace_amounts_turn(&r->out->amounts, r->type, r->net->world.nodes, &step);
    return true;
}

static bool read_message(struct replay *r, const struct trace_event *e)
{
    struct fc_event event = {.kind = FC_MESSAGE};
    uint64_t fields[FC_FIELDS_MAX];
    struct trace_content content;
    uint32_t id = e->message;
    bool missed = e->what == TRACE_MISSES;

    if (id >= r->sent)
        return refuse(r, "a message is read that nobody has sent");
    memcpy(r->incoming, r->messages + id * r->type->msg_size,
           r->type->msg_size);
    event.port = r->known[id].port;
    take(r, id);
    content = trace_content_of(r->type, r->incoming, id, fields);
    trace_tell_read(r->trace, e->tick, e->lane, missed, &content);
    return missed || act(r, e->lane, event, r->incoming);
}

/* Where there are guards, what a node was inside of goes on without it. */
static void go_down(struct replay *r, uint32_t node)
{
    struct net_actor *actor = &r->scene.actor[node];
    uint64_t until;

    r->armed[node] = 0;
    r->out->amounts.phase[node] = FC_IDLE;
    for (uint32_t id = 0; id < r->sent; id++) /* in its inbox */
        if (r->known[id].to == node && r->known[id].arrives <= r->event->tick)
            take(r, id);
    if (r->witness)
        r->witness->down[node] = true;
    if (!r->type->inside)
        actor->down = r->scene.crashed = true;
    else if (!r->type->inside(actor->view, &until))
        memset(actor->view, 0, NET_VIEW_SIZE);
}

static bool come_back(struct replay *r, uint32_t node, bool blank)
{
    struct net_actor *actor = &r->scene.actor[node];
    struct fc_event boot = {.kind = FC_BOOT};
    size_t size = r->type->record_size;

    if (r->witness)
        r->witness->down[node] = false;
    if (blank) {
        memset(state_of(r, node), 0, r->type->state_size);
        memcpy(state_of(r, node), r->records + node * size, size);
    }
    if (!r->type->inside) {
        if (blank)
            memset(actor->view, 0, NET_VIEW_SIZE);
        actor->down = false;
        actor->returns = true;
    }
    return act(r, node, boot, NULL);
}

static bool fault(struct replay *r, const struct trace_event *e,
                  enum net_fault_kind kind)
{
    bool blank = kind == NET_FAULT_RESTART_BLANK;

    trace_tell_fault(
        r->trace, e->tick, e->lane, kind,
        kind == NET_FAULT_PAUSE ? trace_fault_at(r->then, e->row)->ticks : 0);
    if (kind == NET_FAULT_CRASH)
        go_down(r, e->lane);
    if (kind != NET_FAULT_RESTART && !blank)
        return true;
    return come_back(r, e->lane, blank);
}

static bool timeout(struct replay *r, const struct trace_event *e)
{
    struct fc_event event = {.kind = FC_TIMEOUT, .timer = e->timer};

    if (e->timer >= r->type->timers)
        return refuse(r, "there is no such timer");
    r->armed[e->lane] &= ~(1u << e->timer);
    trace_tell_timeout(r->trace, e->tick, e->lane, e->timer);
    return act(r, e->lane, event, NULL);
}

/* What the application asks, in the words of its problem; where nodes read
 * clocks, they are told of their start. */
static bool command(struct replay *r, const struct trace_event *e,
                    const char *asks)
{
    const struct fc_protocol *p = r->net->protocol;
    const uint8_t commands[] = {
        r->type->request(false),  r->type->request(true),
        r->type->farewell(),      p->change,
        (uint8_t)(p->change + 1), (uint8_t)(p->change + 2),
        (uint8_t)(p->change + 3)};
    size_t count = p->change ? FC_COUNT(commands) : 3;
    struct fc_event event = {.kind = FC_COMMAND};

    if (r->type->clocked && e->what == TRACE_WAKE) {
        event.kind = FC_BOOT;
        trace_tell_start(r->trace, e->tick, e->lane);
        return act(r, e->lane, event, NULL);
    }
    for (size_t i = 0; i < count; i++) {
        event.command = commands[i];
        if (strcmp(fc_command_word(p, commands[i]), asks) != 0)
            continue;
        trace_tell_command(r->trace, e->tick, e->lane, event.command);
        return act(r, e->lane, event, NULL);
    }
    return refuse(r, "this is not an event");
}

/* What happens, and what the node makes of it. */
static bool happen(struct replay *r, const struct trace_event *e)
{
    r->event = e;
    r->sends = 0;
    r->out->events++;
    r->out->amounts.end = e->tick;
    let_guards_act(r);
    switch (e->what) {
    case TRACE_READ:
    case TRACE_MISSES:
        return read_message(r, e);
    case TRACE_TIMEOUT:
        return timeout(r, e);
    case TRACE_STOPPED:
        trace_tell_stopped(r->trace, e->tick, e->lane);
        return true;
    case TRACE_CRASH:
        return fault(r, e, NET_FAULT_CRASH);
    case TRACE_RESTART:
        return fault(r, e,
                     e->blank ? NET_FAULT_RESTART_BLANK : NET_FAULT_RESTART);
    case TRACE_PAUSE:
        return fault(r, e, NET_FAULT_PAUSE);
    case TRACE_CUT:
        return fault(r, e, NET_FAULT_CUT);
    case TRACE_JOINED:
        return fault(r, e, NET_FAULT_JOINED);
    case TRACE_WAKE:
    case TRACE_WANT:
    case TRACE_WANT_SHARED:
    case TRACE_LEAVE:
    case TRACE_ASKED:
        return command(r, e,
                       trace_asked_word(&r->then->head, e->what, e->timer));
    }
    return false;
}

/* ---- The whole trace ----------------------------------------------------- */

static bool begin_judging(struct replay *r)
{
    struct net_place place = {r->net, &r->names, &r->graph, 0};

    if (!trace_predicates(r->then, r->net) && !net_asked(r->net))
        return true;
    r->witness = net_witness_new(&place, r->type->msg_size, r->states,
                                 r->type->state_size);
    if (r->witness)
        r->witness->predicates = trace_predicates(r->then, r->net);
    return r->witness != NULL;
}

static bool begin(struct replay *r)
{
    const struct net *s = r->net;
    const struct fc_protocol *p = r->type->protocol;
    enum fc_phase phase;

    r->records = calloc(s->world.nodes, r->type->record_size + 1);
    r->cells = calloc(p->cells ? p->cells(s->params) : 1, sizeof *r->cells);
    r->states = calloc(s->world.nodes, r->type->state_size);
    r->buffer = calloc(1, r->type->out_size);
    r->incoming = calloc(1, r->type->msg_size);
    r->before = calloc(1, r->type->state_size);
    if (!r->states || !r->records || !r->cells || !r->buffer || !r->incoming ||
        !r->before || net_names_begin(&r->names, s, 1, true, &r->memory) != 0 ||
        (p->topology == FC_TREE &&
         net_graph_begin(&r->graph, s, r->then->head.seed, &r->memory) != 0))
        return false;
    r->scene.net = s;
    r->scene.nodes = s->world.nodes;
    for (uint32_t i = 0; i < s->world.nodes; i++) {
        struct net_place place = {s, &r->names, &r->graph, i};

        r->scene.actor[i].id = p->anonymous ? i + 1 : net_name(&r->names, i);
        r->out->amounts.name[i] = r->scene.actor[i].id;
        r->type->view(&place, state_of(r, i), r->scene.actor[i].view, &phase);
    }
    return begin_judging(r);
}

/* One event of the trace, for the visitor too. */
static bool happen_visited(struct replay *r, const struct trace_event *e)
{
    struct net_place place = {r->net, &r->names, &r->graph, e->lane};
    const uint8_t *after = state_of(r, e->lane);
    struct trace_visit at = {e, r->out->line, place, r->before, after};

    memcpy(r->before, after, r->type->state_size);
    if (!happen(r, e))
        return false;
    if (r->visitor)
        r->visitor->visit(r->visitor->self, &at);
    return true;
}

/* The events of the trace happen again, and are written down again. */
static bool write_anew(struct replay *r, FILE *to)
{
    bool fine = (r->trace = trace_writer_new(to)) != NULL;

    if (fine) {
        trace_tell_begin(r->trace, r->net, &r->names, 1);
        trace_tell_body(r->trace);
    }
    for (uint32_t i = 0; fine && i < r->then->events_count; i++) {
        struct trace_event e = trace_event_at(r->then, i);

        r->out->line = r->then->body_line + i;
        fine = happen_visited(r, &e);
        if (r->witness)
            note(r, net_witness_judge(r->witness));
    }
    if (fine && r->witness && r->then->quiet)
        note(r, net_witness_end(r->witness));
    if (fine)
        (void)trace_tell_end(r->trace, 0, true, 0);
    trace_writer_free(r->trace);
    return fine;
}

static void free_replay(struct replay *r)
{
    free(r->states);
    free(r->records);
    free(r->cells);
    free(r->messages);
    free(r->known);
    net_witness_free(r->witness);
    free(r->buffer);
    free(r->incoming);
    free(r->before);
    net_memory_free(&r->memory);
    free(r);
}

enum trace_replayed trace_replay(const struct net *net, const struct trace *t,
                                 struct trace_replay *out)
{
    return trace_replay_to(net, t, NULL, out);
}

enum trace_replayed trace_replay_to(const struct net *net,
                                    const struct trace *t,
                                    const struct trace_visitor *visitor,
                                    struct trace_replay *out)
{
    struct replay *r = calloc(1, sizeof *r);
    enum trace_replayed result = TRACE_REPLAY_NO_MEMORY;
    char *anew = NULL;
    size_t size;
    FILE *to = open_memstream(&anew, &size);
    bool written = false;

    assert(net->world.nodes == t->head.nodes && t->head.nodes <= NET_SCENE_MAX);
    *out = (struct trace_replay){
        .line = t->body_line,
        .amounts = {.goal_at = FC_NEVER, .start_at = FC_NEVER}};
    if (r && to) {
        r->type = net_type_of(net);
        r->net = net;
        r->then = t;
        r->out = out;
        r->visitor = visitor;
        written = begin(r) && write_anew(r, to);
    }
    if (to && fclose(to) != 0)
        written = false;
    if (written) {
        const char *body = strstr(anew, "\n----\n");

        result = trace_compare(t, body ? body + 6 : "", out);
    } else if (out->what) {
        result = TRACE_REPLAY_UNREADABLE;
    }
    if (r)
        free_replay(r);
    free(anew);
    return result;
}
