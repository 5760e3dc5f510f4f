/*
 * replay.c - see replay.h.
 */
#include "trace/replay.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/route.h"
#include "trace/part.h"

enum { LINE_SIZE = 1 << 14 };

struct replay {
    const struct net_type *type;
    const struct net *net;
    struct net_memory memory;
    struct net_names names;
    struct net_graph graph;
    struct net_scene scene;
    uint8_t *states;  /* of all nodes */
    uint8_t *records; /* as last saved, likewise */
    uint32_t *cells;  /* shared by all */
    uint32_t armed[NET_SCENE_MAX];
    uint8_t *messages; /* by id */
    uint16_t *ports;   /* by which they come */
    uint32_t sent, room;
    uint8_t *buffer; /* for the messages of a step */
    struct trace_letter letters[256];
    struct trace_writer *trace;
    const char *rest; /* of the line that is read */
    uint64_t tick;    /* of that line */
    struct trace_replay *out;
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
    uint16_t *ports;

    if (r->sent < r->room)
        return true;
    messages = realloc(r->messages, room * r->type->msg_size);
    if (messages)
        r->messages = messages;
    ports = realloc(r->ports, room * sizeof *ports);
    if (ports)
        r->ports = ports;
    if (!messages || !ports)
        return refuse(r, "it has too many messages for the memory");
    r->room = room;
    return true;
}

/* The next message of the line: when it arrives is taken from there. */
static bool send_one(struct replay *r, uint32_t from, uint16_t port,
                     const uint8_t *msg, uint32_t *count)
{
    struct net_route way = net_route(r->type->protocol->topology, &r->graph,
                                     r->net->world.nodes, from, port);

    for (bool copy = false;; copy = true) {
        const char *at = strstr(r->rest, "send #"), *end, *arrives;
        uint64_t tick = FC_NEVER;

        if (!room_for_one(r))
            return false;
        if (*count == sizeof r->letters / sizeof r->letters[0])
            return refuse(r, "a step sends too many messages");
        if (at) {
            end = strstr(at, "; ");
            arrives = strstr(at, " arrives ");
            if (arrives && (!end || arrives < end))
                tick = strtoull(arrives + 9, NULL, 10);
            r->rest = end ? end : at + strlen(at);
        }
        memcpy(r->messages + r->sent * r->type->msg_size, msg,
               r->type->msg_size);
        r->ports[r->sent] = way.comes_by;
        r->letters[(*count)++] = (struct trace_letter){
            .id = r->sent++,
            .from = from,
            .to = way.to,
            .msg = msg,
            .arrives = tick,
            .copy = copy,
        };
        /* The network's copy follows its original. */
        at = strstr(r->rest, "send #");
        end = at ? strstr(at, "; ") : NULL;
        at = at ? strstr(at, ", copy") : NULL;
        if (!at || (end && at > end))
            return true;
    }
}

static bool send_all(struct replay *r, uint32_t node, struct trace_part *p)
{
    p->letters = 0;
    p->letters_count = 0;
    for (uint32_t i = 0; i < p->fx.sends; i++) {
        const uint8_t *msg = r->buffer + i * r->type->msg_size;
        uint16_t port =
            r->type->protocol->topology == FC_RING ? 0 : p->fx.to[i];

        for (uint32_t j = 0; j < r->net->world.nodes; j++) {
            if (port != FC_EVERYONE) {
                if (!send_one(r, node, port, msg, &p->letters_count))
                    return false;
                break;
            }
            if (j != node &&
                !send_one(r, node, (uint16_t)j, msg, &p->letters_count))
                return false;
        }
    }
    return true;
}

/* ---- Events -------------------------------------------------------------- */

/* What the trace says was chosen. */
static uint32_t chosen(struct replay *r, uint32_t range)
{
    const char *at = range > 1 ? strstr(r->rest, "; chooses ") : NULL;

    if (!at)
        return 0;
    r->rest = at + strlen("; chooses ");
    return (uint32_t)strtoul(r->rest, NULL, 10) % range;
}

/* The own clock of a node, whose steps are all as long. */
static uint64_t clock_of(const struct replay *r, uint32_t node)
{
    const struct net *s = r->net;
    uint64_t length = s->time == NET_SYNC          ? 1
                      : s->clock == NET_CLOCK_LIST ? s->steps[node]
                                                   : s->world.bounds.rmin;

    return r->type->clocked ? 1 + r->tick / length : 0;
}

/* The guards of all whose time is over by now have acted. */
static void let_guards_act(struct replay *r)
{
    uint64_t until;

    for (uint32_t i = 0; r->type->inside && i < r->scene.nodes; i++) {
        uint8_t *view = r->scene.actor[i].view;

        if (r->type->inside(view, &until) && until && until <= clock_of(r, i))
            memset(view, 0, NET_VIEW_SIZE);
    }
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
    if (news.broken && !r->out->broken)
        r->out->broken_at = r->out->line;
    r->out->broken |= news.broken;
}

/* What a step does besides sending, and to its timers. */
static void obey(struct replay *r, uint32_t node, struct trace_part *p)
{
    const struct fc_effects *fx = &p->fx;
    size_t size = r->type->record_size;

    if (fx->save)
        memcpy(r->records + node * size, state_of(r, node), size);
    if (fx->access == FC_STORE)
        r->cells[fx->cell] = fx->stored;
    p->stopped = (uint8_t)(fx->disarm & ~fx->arm & r->armed[node]);
    r->armed[node] &= ~(uint32_t)fx->disarm;
    for (uint32_t t = 0; t < r->type->timers; t++)
        if (fx->arm >> t & 1) {
            r->armed[node] &= ~(1u << t);
            r->armed[node] |= (uint32_t)(fx->steps[t] != FC_NEVER) << t;
        }
}

static bool act(struct replay *r, uint32_t node, struct fc_event event,
                const void *msg)
{
    struct net_place place = {r->net, &r->names, &r->graph, node};
    struct trace_part part = {.range = 0};
    enum fc_phase phase;
    bool loads;

    do {
        event.now = clock_of(r, node);
        r->type->view(&place, state_of(r, node), part.before, &phase);
        r->type->step(&place, state_of(r, node), &event, msg, &part.fx,
                      r->buffer);
        r->type->view(&place, state_of(r, node), part.after, &phase);
        if (!send_all(r, node, &part))
            return false;
        obey(r, node, &part);
        trace_write_part(r->trace, r->type, &part, r->letters);
        judge(r, node, &part);
        loads = part.fx.access == FC_LOAD;
        part.range = loads ? 0 : part.fx.choose;
        part.value = chosen(r, part.range);
        event = (struct fc_event){.kind = FC_CHOICE, .value = part.value};
        if (loads)
            event = (struct fc_event){.kind = FC_LOADED,
                                      .value = r->cells[part.fx.cell]};
        msg = NULL;
    } while (part.range || loads);
    return true;
}

static bool read_message(struct replay *r, uint64_t tick, uint32_t node,
                         const char *text, bool missed)
{
    uint32_t id = (uint32_t)strtoul(text, NULL, 10), count;
    struct fc_event event = {.kind = FC_MESSAGE};
    uint64_t fields[FC_FIELDS_MAX];
    uint8_t msg[LINE_SIZE];

    if (id >= r->sent)
        return refuse(r, "a message is read that nobody has sent");
    memcpy(msg, r->messages + id * r->type->msg_size, r->type->msg_size);
    event.port = r->ports[id];
    count = r->type->fields(msg, fields);
    (missed ? trace_write_misses : trace_write_read)(
        r->trace, tick, node, id, r->type->kind(msg), fields, count);
    return missed || act(r, node, event, msg);
}

/* Where there are guards, what a node was inside goes on without it. */
static void go_down(struct replay *r, uint32_t node)
{
    struct net_actor *actor = &r->scene.actor[node];
    uint64_t until;

    r->armed[node] = 0;
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

static bool fault(struct replay *r, uint64_t tick, uint32_t node,
                  const char *event)
{
    static const struct {
        const char *word;
        enum net_fault_kind kind;
    } words[] = {
        {"crash", NET_FAULT_CRASH},
        {"restart, blank", NET_FAULT_RESTART_BLANK},
        {"restart", NET_FAULT_RESTART},
        {"pause ", NET_FAULT_PAUSE},
        {"cut", NET_FAULT_CUT},
        {"joined", NET_FAULT_JOINED},
    };

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        enum net_fault_kind kind = words[i].kind;
        uint64_t ticks = 0;

        if (strncmp(event, words[i].word, strlen(words[i].word)) != 0)
            continue;
        if (kind == NET_FAULT_PAUSE)
            ticks = strtoull(event + strlen(words[i].word), NULL, 10);
        trace_write_fault(r->trace, tick, node, kind, ticks);
        if (kind == NET_FAULT_CRASH)
            go_down(r, node);
        if (kind != NET_FAULT_RESTART && kind != NET_FAULT_RESTART_BLANK)
            return true;
        return come_back(r, node, kind == NET_FAULT_RESTART_BLANK);
    }
    return refuse(r, "this is no event");
}

static bool find_node(const struct replay *r, uint64_t name, uint32_t *node)
{
    for (*node = 0; *node < r->net->world.nodes; ++*node)
        if (name ==
            (r->type->protocol->anonymous ? *node : net_name(&r->names, *node)))
            return true;
    return false;
}

/* One line: what happens, and what the node makes of it. */
static bool happen(struct replay *r, const char *line)
{
    const struct fc_problem *problem = r->type->protocol->problem;
    const uint8_t commands[] = {r->type->request(false), r->type->request(true),
                                r->type->farewell()};
    struct fc_event event = {.kind = FC_COMMAND};
    char *end;
    uint64_t tick = strtoull(line, &end, 10), name = strtoull(end, &end, 10);
    const char *what = end + (*end == ' ');
    uint32_t node, length = (uint32_t)strcspn(what, ";");

    r->rest = what;
    r->tick = tick;
    r->out->events++;
    let_guards_act(r);
    if (!find_node(r, name, &node))
        return refuse(r, "it speaks of a node that is not there");
    while (length > 0 && what[length - 1] == ' ')
        length--;
    if (strncmp(what, "read #", 6) == 0)
        return read_message(r, tick, node, what + 6, false);
    if (strncmp(what, "misses #", 8) == 0)
        return read_message(r, tick, node, what + 8, true);
    if (strncmp(what, "timeout ", 8) == 0) {
        event.kind = FC_TIMEOUT;
        event.timer = (uint8_t)strtoul(what + 8, NULL, 10);
        r->armed[node] &= ~(1u << event.timer % 8);
        trace_write_timeout(r->trace, tick, node, event.timer);
        return act(r, node, event, NULL);
    }
    if (r->type->clocked && strncmp(what, "wake", 4) == 0) {
        event.kind = FC_BOOT;
        trace_write_start(r->trace, tick, node);
        return act(r, node, event, NULL);
    }
    if (strncmp(what, "stopped", 7) == 0) {
        trace_write_stopped(r->trace, tick, node);
        return true;
    }
    for (size_t i = 0; i < sizeof commands; i++) {
        const char *word = problem->commands[commands[i]];

        if (strlen(word) != length || strncmp(what, word, length) != 0)
            continue;
        event.command = commands[i];
        trace_write_command(r->trace, tick, node, event.command);
        return act(r, node, event, NULL);
    }
    return fault(r, tick, node, what);
}

/* ---- The whole trace ----------------------------------------------------- */

/* The line without what it says of properties: that is judged, not done. */
static void strip(char *line)
{
    char *at = strstr(line, "; violated");

    if (at)
        *at = '\0';
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
    if (!r->states || !r->records || !r->cells || !r->buffer ||
        net_names_begin(&r->names, s, 1, true, &r->memory) != 0 ||
        (r->type->protocol->topology == FC_TREE &&
         net_graph_begin(&r->graph, s, 1, &r->memory) != 0))
        return false;
    r->scene.net = s;
    r->scene.nodes = s->world.nodes;
    for (uint32_t i = 0; i < s->world.nodes; i++) {
        struct net_place place = {s, &r->names, &r->graph, i};

        r->scene.actor[i].id =
            r->type->protocol->anonymous ? i + 1 : net_name(&r->names, i);
        r->type->view(&place, state_of(r, i), r->scene.actor[i].view, &phase);
    }
    return true;
}

/* The events of the trace happen, and are written down anew. */
static bool write_anew(struct replay *r, const char *text, FILE *to)
{
    char *line = malloc(LINE_SIZE);
    bool fine = line && (r->trace = trace_writer_new(to)) != NULL;

    if (fine) {
        trace_write_begin(r->trace, r->net, &r->names, 1);
        trace_write_body(r->trace);
    }
    while (fine && *text && strncmp(text, "end ", 4) != 0) {
        size_t length = strcspn(text, "\n");

        r->out->line++;
        snprintf(line, LINE_SIZE, "%.*s", (int)length, text);
        strip(line);
        fine = happen(r, line);
        text += length + (text[length] == '\n');
    }
    if (fine)
        (void)trace_write_end(r->trace, 0, true, 0);
    trace_writer_free(r->trace);
    free(line);
    return fine;
}

/* Compares line by line, from "----" on. */
static enum trace_replayed compare(const char *then, const char *now,
                                   uint32_t first, struct trace_replay *out)
{
    out->line = first;
    while (*then && strncmp(then, "end ", 4) != 0) {
        size_t old = strcspn(then, "\n"), new = strcspn(now, "\n");
        char *a = strndup(then, old), *b = strndup(now, new);

        out->line++;
        if (!a || !b) {
            free(a);
            free(b);
            return TRACE_REPLAY_NO_MEMORY;
        }
        strip(a);
        if (strcmp(a, b) != 0) {
            out->then = a;
            out->now = b;
            return TRACE_REPLAY_DIFFERS;
        }
        free(a);
        free(b);
        then += old + (then[old] == '\n');
        now += new + (now[new] == '\n');
    }
    return TRACE_REPLAY_SAME;
}

static void free_replay(struct replay *r)
{
    free(r->states);
    free(r->records);
    free(r->cells);
    free(r->messages);
    free(r->ports);
    free(r->buffer);
    net_memory_free(&r->memory);
    free(r);
}

enum trace_replayed trace_replay(const struct net *net, const char *text,
                                 uint32_t first, struct trace_replay *out)
{
    struct replay *r = calloc(1, sizeof *r);
    enum trace_replayed result = TRACE_REPLAY_NO_MEMORY;
    char *anew = NULL;
    size_t size;
    FILE *to = open_memstream(&anew, &size);
    bool written = false;

    *out = (struct trace_replay){.line = first};
    text += strcspn(text, "\n") + 1;
    if (r && to) {
        r->type = net_find(net->protocol);
        r->net = net;
        r->out = out;
        written = begin(r) && write_anew(r, text, to);
    }
    if (to && fclose(to) != 0)
        written = false;
    if (written) {
        const char *body = strstr(anew, "\n----\n");

        result = compare(text, body ? body + 6 : "", first, out);
    } else if (out->what) {
        result = TRACE_REPLAY_UNREADABLE;
    }
    if (r)
        free_replay(r);
    free(anew);
    return result;
}
