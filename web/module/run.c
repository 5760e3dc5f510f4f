/*
 * run.c - a recorded run in the page: its head, its columns, and the state of
 * any node after any event, which replaying the trace gives.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "net/graph.h"
#include "trace/columns.h"
#include "trace/replay.h"
#include "web/libc/files.h"
#include "web/libc/host.h"
#include "web/module/say.h"

/* More bytes of states than this are not kept. */
enum { STATES_MAX = 256 << 20 };

static struct {
    struct trace trace;
    struct trace_columns *columns;
    struct net_made made; /* of the trace's network */
    bool network;         /* there is one, and the trace is its run */
    struct net_memory memory;
    struct net_names names;
    struct net_graph graph;
    size_t state_size;
    uint8_t *states; /* of its node after each event; NULL: not replayed */
    uint32_t *last;  /* event of each lane before an event, see previous() */
} run;

/* ---- Loading ------------------------------------------------------------- */

static void find_previous(void)
{
    uint32_t *newest = malloc(run.trace.nodes * sizeof *newest);

    run.last = malloc((run.trace.events_count + 1u) * sizeof *run.last);
    if (!newest || !run.last)
        abort();
    for (uint32_t i = 0; i < run.trace.nodes; i++)
        newest[i] = TRACE_NONE;
    for (uint32_t i = 0; i < run.trace.events_count; i++) {
        run.last[i] = newest[run.trace.events[i].lane];
        newest[run.trace.events[i].lane] = i;
    }
    free(newest);
}

/* What the trace says of itself may be refused; then there are no states. */
static void find_network(void)
{
    struct net_refusal refusal = {0};
    const struct net_type *type;

    run.network = trace_network(&run.trace, &run.made, &refusal);
    if (!run.network)
        return;
    type = net_type_of(&run.made.net);
    run.state_size = type->state_size;
    if (net_names_begin(&run.names, &run.made.net, run.trace.seed, true,
                        &run.memory) != 0 ||
        (type->protocol->topology == FC_TREE &&
         net_graph_begin(&run.graph, &run.made.net, run.trace.seed,
                         &run.memory) != 0))
        abort();
}

static void keep_state(void *self, const struct trace_visit *at)
{
    size_t i = (size_t)(at->event - run.trace.events);

    (void)self;
    memcpy(run.states + i * run.state_size, at->after, run.state_size);
}

static bool replay(void)
{
    struct trace_visitor visitor = {.visit = keep_state};
    struct trace_replay result;
    uint64_t size = (uint64_t)run.trace.events_count * run.state_size;
    enum trace_replayed how;

    if (run.states)
        return true;
    if (!run.network || size > STATES_MAX)
        return false;
    run.states = calloc(1, (size_t)size + 1);
    if (!run.states)
        return false;
    how = trace_replay_to(&run.made.net, &run.trace, &visitor, &result);
    if (how == TRACE_REPLAY_DIFFERS) {
        free(result.then);
        free(result.now);
    }
    return true;
}

/* Reads the trace in a file; answers with its head, or refuses. */
static const char *say_head(void);

WEB_EXPORT(run_load)
const char *web_run_load(const char *path)
{
    char error[TRACE_ERROR_SIZE];

    if (trace_read(&run.trace, path, error, sizeof error) < 0)
        return web_refuse("%s", error);
    run.columns = trace_columns_of(&run.trace);
    if (!run.columns)
        return web_refuse("there is no memory for the run");
    find_network();
    find_previous();
    return say_head();
}

/* ---- The head ------------------------------------------------------------ */

static json_t *bound(uint64_t ticks)
{
    return ticks == TRACE_NEVER ? json_null() : json_integer((json_int_t)ticks);
}

static json_t *say_kinds(void)
{
    static const char *const meanings[] = {"asks",    "claims", "grants",
                                           "refuses", "calls",  "tells",
                                           "token",   "frame"};
    json_t *list = json_array();

    for (uint32_t i = 0; i < run.trace.kinds_count; i++)
        json_array_append_new(
            list, json_pack("{s:s,s:s,s:s}", "word", run.trace.kinds[i].word,
                            "label", run.trace.kinds[i].label, "meaning",
                            meanings[run.trace.kinds[i].meaning]));
    return list;
}

static json_t *say_names(void)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < run.trace.nodes; i++)
        json_array_append_new(list, json_integer(trace_name(&run.trace, i)));
    return list;
}

static json_t *say_steps(void)
{
    json_t *list = run.trace.steps ? json_array() : json_null();

    for (uint32_t i = 0; run.trace.steps && i < run.trace.nodes; i++)
        json_array_append_new(list, json_pack("{s:o,s:o}", "length",
                                              bound(run.trace.steps[i].length),
                                              "phase",
                                              bound(run.trace.steps[i].phase)));
    return list;
}

static json_t *say_links(void)
{
    json_t *list = json_array();

    if (!run.network || run.trace.topology != TRACE_TREE)
        return list;
    for (uint32_t i = 0; i < run.trace.nodes; i++)
        for (uint32_t k = run.graph.first[i]; k < run.graph.first[i + 1]; k++)
            if (i < run.graph.neighbour[k])
                json_array_append_new(
                    list, json_pack("[i,i]", i, run.graph.neighbour[k]));
    return list;
}

static json_t *say_violations(void)
{
    const struct trace_columns *c = run.columns;
    json_t *list = json_array();

    for (uint32_t i = 0; i < c->violations_count; i++) {
        const struct trace_violation_row *v = &c->violations[i];
        bool late = v->event == TRACE_NONE;

        json_array_append_new(
            list, json_pack("{s:o,s:I,s:i,s:s}", "tick", web_number(v->tick),
                            "event", (json_int_t)v->event, "lane",
                            late ? -1 : (int)c->event.lane[v->event],
                            "property", c->properties[v->property]));
    }
    return list;
}

static json_t *say_faults(void)
{
    static const char *const kinds[] = {"down", "pause", "cut"};
    const struct trace_columns *c = run.columns;
    json_t *list = json_array();

    for (uint32_t i = 0; i < c->faults_count; i++) {
        const struct trace_fault_row *f = &c->faults[i];

        json_array_append_new(
            list, json_pack("{s:i,s:o,s:o,s:s,s:b}", "lane", f->lane, "from",
                            web_number(f->from), "to", web_number(f->to),
                            "kind", kinds[f->kind], "blank", f->blank));
    }
    return list;
}

static json_t *say_timers(void)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < run.columns->timers_count; i++) {
        const struct trace_timer_row *t = &run.columns->timers[i];

        json_array_append_new(
            list, json_pack("{s:I,s:i,s:o}", "event", (json_int_t)t->event,
                            "timer", t->timer, "steps", web_number(t->steps)));
    }
    return list;
}

static json_t *say_choices(void)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < run.columns->choices_count; i++) {
        const struct trace_choice *c = &run.columns->choices[i];

        json_array_append_new(list, json_pack("{s:I,s:I,s:I}", "event",
                                              (json_int_t)c->event, "value",
                                              (json_int_t)c->value, "range",
                                              (json_int_t)c->range));
    }
    return list;
}

static const char *say_head(void)
{
    static const char *const topologies[] = {"ring", "ring-both", "complete",
                                             "tree"};
    const struct trace *t = &run.trace;
    const struct trace_bounds *b = &t->bounds;
    json_t *o = json_pack(
        "{s:s,s:s,s:s,s:s,s:I,s:o,s:b,s:o,s:o,s:o,s:i,s:I,s:s,s:s,s:o}",
        "protocol", t->protocol, "problem", t->problem, "topology",
        topologies[t->topology], "time", t->time, "nodes", (json_int_t)t->nodes,
        "names", say_names(), "named", t->names != NULL, "bounds",
        json_pack("{s:o,s:o,s:o,s:o}", "rmin", bound(b->rmin), "rmax",
                  bound(b->rmax), "dmin", bound(b->dmin), "dmax",
                  bound(b->dmax)),
        "steps", say_steps(), "kinds", say_kinds(), "firstRole",
        (int)run.columns->first_role, "seed", (json_int_t)t->seed, "set",
        t->set, "command", t->command, "links", say_links());

    return web_say(json_pack(
        "{s:o,s:o,s:o,s:o,s:o,s:o,s:b,s:b,s:b}", "head", o, "violations",
        say_violations(), "faults", say_faults(), "timers", say_timers(),
        "choices", say_choices(), "endTick", web_number(run.columns->end_tick),
        "ended", run.columns->ended, "quiet", run.columns->quiet, "states",
        run.network));
}

/* ---- The columns --------------------------------------------------------- */

/* Address and number of entries of each column, in the order of api.ts. */
WEB_EXPORT(run_columns)
const uint32_t *web_run_columns(void)
{
    const struct trace_columns *c = run.columns;
    uint32_t e = c->events_count, m = c->messages_count;
    const struct {
        const void *at;
        uint32_t count;
    } columns[] = {
        {c->event.tick, e},           {c->event.lane, e},
        {c->event.message, e},        {c->event.sent, e + 1},
        {c->event.what, e},           {c->event.role, e},
        {c->event.timer, e},          {c->event.flags, e},
        {c->message.arrives, m},      {c->message.by, m},
        {c->message.read, m},         {c->message.to, m},
        {c->message.field_at, m},     {c->message.kind, m},
        {c->message.flags, m},        {c->message.count, m},
        {c->fields, c->fields_count},
    };
    enum { COLUMNS = sizeof columns / sizeof *columns };
    static uint32_t table[2 * COLUMNS];

    for (uint32_t i = 0; i < COLUMNS; i++) {
        table[2 * i] = (uint32_t)(uintptr_t)columns[i].at;
        table[2 * i + 1] = columns[i].count;
    }
    return table;
}

/* ---- States -------------------------------------------------------------- */

/* The newest event of a lane, up to this one. */
static uint32_t newest(uint32_t event, uint32_t lane)
{
    while (event != TRACE_NONE && run.trace.events[event].lane != lane)
        event = event ? event - 1 : TRACE_NONE;
    return event;
}

/* Before the first event everything is zero. */
static const void *state_after(uint32_t event)
{
    static uint64_t nothing[1 << 12];

    if (run.state_size > sizeof nothing)
        abort();
    return event == TRACE_NONE ? (const void *)nothing
                               : run.states + event * run.state_size;
}

WEB_EXPORT(run_state)
const char *web_run_state(uint32_t event, uint32_t lane)
{
    struct net_place place = {&run.made.net, &run.names, &run.graph, lane};
    const char *insane;
    const void *now, *before = NULL;
    uint32_t at;

    if (lane >= run.trace.nodes ||
        (event != TRACE_NONE && event >= run.trace.events_count))
        return web_refuse("there is no such event or node");
    if (!replay())
        return web_refuse("the states of this run cannot be computed");
    at = newest(event, lane);
    now = state_after(at);
    if (at != TRACE_NONE && at == event)
        before = state_after(run.last[at]);
    insane = net_type_of(&run.made.net)->sane(&place, now);
    return web_say(json_pack("{s:o,s:o}", "fields",
                             web_fields(&place, before, now), "insane",
                             insane ? json_string(insane) : json_null()));
}

/* Of the states of all nodes after an event. */
WEB_EXPORT(run_hash)
const char *web_run_hash(uint32_t event)
{
    uint64_t hash = 0;
    char text[24];

    if (!replay())
        return web_refuse("the states of this run cannot be computed");
    for (uint32_t lane = 0; lane < run.trace.nodes; lane++)
        hash = XXH64(state_after(newest(event, lane)), run.state_size, hash);
    snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
    return web_say(json_pack("{s:s}", "hash", text));
}
