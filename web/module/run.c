/*
 * run.c - a recorded run, as the page is told of it: see run.h.
 */
#include "web/module/run.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "web/libc/host.h"
#include "web/module/cite.h"
#include "web/module/say.h"

struct web_run web_run;

bool web_run_place(uint64_t seed)
{
    const struct net *net = web_run.net;

    return net_names_begin(&web_run.names, net, seed, true, &web_run.memory) ==
               0 &&
           (net->protocol->topology != FC_TREE ||
            net_graph_begin(&web_run.graph, net, seed, &web_run.memory) == 0);
}

/* ---- The head ------------------------------------------------------------ */

/* JSON knows no infinity. */
static json_t *bound(uint64_t ticks)
{
    return ticks == TRACE_NEVER ? json_null() : json_integer((json_int_t)ticks);
}

static json_t *say_kinds(void)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < web_run.trace.head.kinds_count; i++)
        json_array_append_new(
            list,
            json_pack(
                "{s:s,s:s,s:s}", "word", web_run.trace.head.kinds[i].word,
                "label", web_run.trace.head.kinds[i].label, "meaning",
                trace_meaning_words[web_run.trace.head.kinds[i].meaning]));
    return list;
}

/* What each role of the problem's own is drawn like: the page has no words of
 * its own for them. */
static json_t *say_likes(void)
{
    const struct trace_head *h = &web_run.trace.head;
    json_t *list = json_array();

    for (uint32_t i = 0; i < h->own_roles_count; i++)
        json_array_append_new(list, json_integer((int)h->own_roles[i].like));
    return list;
}

static json_t *say_links(void)
{
    json_t *list = json_array();

    if (!web_run.net || web_run.trace.head.topology != TRACE_TREE)
        return list;
    for (uint32_t i = 0; i < web_run.trace.head.nodes; i++)
        for (uint32_t k = web_run.graph.first[i];
             k < web_run.graph.first[i + 1]; k++)
            if (i < web_run.graph.neighbour[k])
                json_array_append_new(
                    list, json_pack("[i,i]", i, web_run.graph.neighbour[k]));
    return list;
}

static json_t *say_violations(void)
{
    const struct trace *c = &web_run.trace;
    json_t *list = json_array();

    for (uint32_t i = 0; i < c->violations_count; i++) {
        const struct trace_violation *v = &c->violations[i];
        bool late = v->event == TRACE_NONE;

        json_array_append_new(
            list, json_pack("{s:o,s:I,s:i,s:s}", "tick", bound(v->tick),
                            "event", (json_int_t)v->event, "lane",
                            late ? -1 : (int)c->event.lane[v->event],
                            "property", trace_violated(c, v)));
    }
    return list;
}

static json_t *say_faults(void)
{
    static const char *const kinds[] = {"down", "pause", "cut"};
    const struct trace *c = &web_run.trace;
    json_t *list = json_array();

    for (uint32_t i = 0; i < c->faults_count; i++) {
        const struct trace_fault *f = &c->faults[i];

        json_array_append_new(
            list, json_pack("{s:i,s:o,s:o,s:s,s:b}", "lane", f->lane, "from",
                            bound(f->from), "to", bound(f->to), "kind",
                            kinds[f->kind], "blank", f->blank));
    }
    return list;
}

/* The field whose values have letters, or NULL. */
static const struct fc_field *lettered_field(void)
{
    const struct net_type *type = net_type_of(web_run.net);

    for (uint32_t i = 0; i < type->state_fields_count; i++)
        if (type->state_fields[i].letters)
            return &type->state_fields[i];
    return NULL;
}

/* The rules that events went by: labels of each set, as columns refer to it. */
static json_t *say_rules(void)
{
    json_t *list = json_array();
    const char *labels;

    for (uint32_t i = 0; (labels = web_cited_set(i)); i++)
        json_array_append_new(list, json_string(labels));
    return list;
}

const char *web_run_say(void)
{
    const struct trace_head *t = &web_run.trace.head;
    const struct trace_bounds *b = &t->bounds;
    json_t *o = json_pack(
        "{s:s,s:s,s:s,s:s,s:I,s:b,s:o,s:o,s:i,s:o,s:I,s:s,s:s,s:o,s:o,s:b}",
        "protocol", t->protocol, "problem", t->problem, "topology",
        trace_topology_words[t->topology], "time", t->time, "nodes",
        (json_int_t)t->nodes, "named", t->names != NULL, "bounds",
        json_pack("{s:o,s:o,s:o,s:o}", "rmin", bound(b->rmin), "rmax",
                  bound(b->rmax), "dmin", bound(b->dmin), "dmax",
                  bound(b->dmax)),
        "kinds", say_kinds(), "firstRole",
        (int)trace_role_like(t, t->first_role), "likes", say_likes(), "seed",
        (json_int_t)t->seed, "set", t->set, "command", t->command, "links",
        say_links(), "rules", say_rules(), "letters",
        web_run.net && lettered_field());

    return web_say(
        json_pack("{s:o,s:o,s:o,s:o,s:b,s:b,s:b}", "head", o, "violations",
                  say_violations(), "faults", say_faults(), "endTick",
                  bound(web_run.trace.end_tick), "ended", web_run.trace.ended,
                  "quiet", web_run.trace.quiet, "states", web_run.net != NULL));
}

/* ---- The columns --------------------------------------------------------- */

/* What people call each node, for columns: NULL if there is no memory. */
static const uint32_t *names_of(void)
{
    static uint32_t *names;

    if (!names)
        names = calloc(web_run.trace.head.nodes, sizeof *names);
    for (uint32_t i = 0; names && i < web_run.trace.head.nodes; i++)
        names[i] = trace_name(&web_run.trace.head, i);
    return names;
}

/* Address and number of entries of each column, in the order of recording.ts;
 * in the three before the last an entry is a row of several numbers. */
WEB_EXPORT(run_columns)
const uint32_t *web_run_columns(void)
{
    _Static_assert(sizeof(struct trace_step) == 16 &&
                       sizeof(struct trace_timer) == 16 &&
                       sizeof(struct trace_choice) == 12,
                   "as recording.ts has them");
    const struct trace *c = &web_run.trace;
    uint32_t e = c->events_count, m = c->messages_count;
    uint32_t cited = web_cited_up_to(e) ? e : 0;
    const struct {
        const void *at;
        uint32_t count;
    } columns[] = {
        {c->event.tick, e},
        {c->event.lane, e},
        {c->event.message, e},
        {c->event.sent, e + 1},
        {c->event.what, e},
        {c->event.role, e},
        {c->event.timer, e},
        {c->event.flags, e},
        {c->message.arrives, m},
        {c->message.by, m},
        {c->message.read, m},
        {c->message.to, m},
        {c->message.field_at, m},
        {c->message.kind, m},
        {c->message.flags, m},
        {c->message.count, m},
        {c->fields, c->fields_count},
        {names_of(), web_run.trace.head.nodes},
        {web_run.trace.head.steps,
         web_run.trace.head.steps ? web_run.trace.head.nodes : 0},
        {c->timers, c->timers_count},
        {c->choices, c->choices_count},
        {web_cited.rules, cited},
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

static const char *no_states(void)
{
    return web_refuse("the states of this run cannot be computed: the trace "
                      "does not fit its protocol, or there is no memory");
}

WEB_EXPORT(run_state)
const char *web_run_state(uint32_t event, uint32_t lane)
{
    struct net_place place = {web_run.net, &web_run.names, &web_run.graph,
                              lane};
    const void *before, *now;
    const char *insane;

    if (lane >= web_run.trace.head.nodes ||
        (event != TRACE_NONE && event >= web_run.trace.events_count))
        return web_refuse("there is no such event or node");
    if (!web_run.net || !web_run.state(event, lane, &before, &now))
        return no_states();
    insane = net_type_of(web_run.net)->sane(&place, now);
    return web_say(json_pack("{s:o,s:o}", "fields",
                             web_fields(&place, before, now), "insane",
                             insane ? json_string(insane) : json_null()));
}

/* The letter of a field in the state of its node after an event; 0: there is
 * none. */
static char letter_after(const struct fc_field *f, uint32_t event)
{
    const void *before, *now;
    uint8_t value;

    if (!web_run.state(event, web_run.trace.event.lane[event], &before, &now) ||
        !now)
        return 0;
    value = ((const uint8_t *)now)[f->offset];
    if (value >= strlen(f->letters))
        return ' ';
    return f->letters[value];
}

/* The letter of its node after each event. */
WEB_EXPORT(run_letters)
const char *web_run_letters(void)
{
    const struct fc_field *f = web_run.net ? lettered_field() : NULL;
    uint32_t count = f ? web_run.trace.events_count : 0, e = 0;
    char *letters = calloc(count + 1u, 1);
    const char *said;

    for (; letters && e < count; e++) {
        letters[e] = letter_after(f, e);
        if (!letters[e])
            break;
    }
    said = letters && f && e == count
               ? web_say(json_pack("{s:s}", "letters", letters))
               : no_states();
    free(letters);
    return said;
}

/* Of the states of all nodes after an event. */
WEB_EXPORT(run_hash)
const char *web_run_hash(uint32_t event)
{
    const void *before, *now = NULL;
    uint64_t hash = 0;
    char text[24];

    for (uint32_t lane = 0; lane < web_run.trace.head.nodes; lane++) {
        if (!web_run.net || !web_run.state(event, lane, &before, &now) || !now)
            return no_states();
        hash = XXH64(now, net_type_of(web_run.net)->state_size, hash);
    }
    snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
    return web_say(json_pack("{s:s}", "hash", text));
}
