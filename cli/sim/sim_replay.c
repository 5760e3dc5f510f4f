/*
 * sim_replay.c - see sim.h.
 */
#include "cli/sim/sim.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/json.h"
#include "net/field.h"
#include "net/judge.h"
#include "trace/read.h"
#include "trace/replay.h"

/* ---- The states of nodes ------------------------------------------------- */

#define ALL_NODES UINT32_MAX
enum { TEXT_SIZE = 4096 };

/* Shows what each event changes in the state of its node. */
struct onlooker {
    const struct trace *trace;
    const struct net_type *type;
    uint32_t node;    /* that is looked at, or ALL_NODES */
    const char *text; /* of the trace: the line to come */
    uint32_t line;    /* its number */
    json_t *events;   /* NULL: they are printed */
};

static const char *line_of(struct onlooker *o, uint32_t line)
{
    for (; o->line < line; o->line++)
        o->text += strcspn(o->text, "\n") + 1;
    return o->text;
}

/* Each field that changed, in the order of the protocol's table. */
static void look_at_fields(const struct onlooker *o,
                           const struct trace_visit *at, json_t *changed)
{
    char old[TEXT_SIZE], new[TEXT_SIZE];
    const char *comma = "    ";

    for (uint32_t i = 0; i < o->type->state_fields_count; i++) {
        const struct fc_field *f = &o->type->state_fields[i];

        if (net_field_same(f, at->before, at->after))
            continue;
        net_show_field(f, at->before, &at->place, old, sizeof old);
        net_show_field(f, at->after, &at->place, new, sizeof new);
        if (changed)
            json_object_set_new(changed, f->name, json_pack("[s,s]", old, new));
        else
            printf("%s%s %s -> %s", comma, f->name, old, new);
        comma = ", ";
    }
    if (!changed && *comma == ',')
        putchar('\n');
}

static void look(void *self, const struct trace_visit *at)
{
    struct onlooker *o = self;
    json_t *changed = o->events ? json_object() : NULL;

    if (o->node != ALL_NODES && o->node != at->event->lane) {
        json_decref(changed);
        return;
    }
    if (!o->events) {
        const char *text = line_of(o, at->line);

        printf("%.*s\n", (int)strcspn(text, "\n"), text);
    }
    look_at_fields(o, at, changed);
    if (o->events)
        json_array_append_new(
            o->events,
            json_pack(
                "{s:o,s:o,s:o,s:o}", "line", cli_json_number(at->line), "tick",
                cli_json_number(at->event->tick), "node",
                cli_json_number(trace_name(&o->trace->head, at->event->lane)),
                "changed", changed));
}

/* The lane of a node by its name, or by its index where nodes have none. */
static int find_node(const struct cli_replay *w, const struct trace *t,
                     uint32_t *node)
{
    char name[24];

    *node = ALL_NODES;
    for (uint32_t i = 0; i < t->head.nodes && *w->states; i++) {
        snprintf(name, sizeof name, "%" PRIu32, trace_name(&t->head, i));
        if (strcmp(name, w->states) == 0)
            *node = i;
    }
    if (!*w->states || *node != ALL_NODES)
        return 0;
    return cli_refuse("--states=%s: %s has no such node", w->states, w->path);
}

/* ---- What came of it ----------------------------------------------------- */

static int say_replayed(const struct trace_replay *r, bool differs,
                        const char *path, const struct net *net)
{
    int code = differs ? CLI_VIOLATED : CLI_FINE;

    if (differs)
        printf("%s, line %" PRIu32 ": the replay differs\n  then: %s\n"
               "  now:  %s\n",
               path, r->line, r->then, r->now);
    else
        printf("%s: %" PRIu32 " events, each as written\n", path, r->events);
    for (uint32_t i = 0; i <= FC_SANE_BIT && !differs; i++)
        if (r->broken >> i & 1) {
            printf("%s violated: %s, line %" PRIu32 "\n", cli_cross(),
                   net_property(net, i), r->broken_at);
            code = CLI_VIOLATED;
        }
    return code;
}

static void add_amount(json_t *o, const char *name, const char *of,
                       uint64_t value)
{
    char text[64];

    snprintf(text, sizeof text, "%s%s", name, of);
    json_object_set_new(o, text, cli_json_number(value));
}

/* What nodes sent, until something if `when` says so. */
static void add_sums(json_t *o, const struct trace_amounts *a,
                     const struct trace_sums *sums, const struct net *net,
                     const char *when)
{
    const struct fc_protocol *p = net->protocol;
    bool ring = !p->anonymous &&
                (p->topology == FC_RING || p->topology == FC_RING_BOTH);
    char name[64];

    add_amount(o, "messages", when, sums->messages);
    for (uint32_t kind = 1; kind < p->kinds_count; kind++) {
        snprintf(name, sizeof name, "messages.%s", p->kinds[kind].name);
        add_amount(o, name, when, sums->kinds[kind]);
    }
    add_amount(o, "paper-bits", when, sums->paper_bits);
    for (uint32_t i = 0; ring && i < net->world.nodes; i++) {
        snprintf(name, sizeof name, "passes.%" PRIu64, (uint64_t)a->name[i]);
        add_amount(o, name, when, sums->passes[i]);
    }
}

/* What the run amounts to, under the names of fulcrum check --max. */
static json_t *amounts_json(const struct trace_amounts *a,
                            const struct net *net)
{
    const struct fc_protocol *p = net->protocol;
    bool enters = p->problem->repeats && !net_type_of(net)->momentary;
    const char *goal = p->problem->goal;
    const struct fc_quantity *q;
    char name[64];
    json_t *o = json_object();

    add_sums(o, a, &a->sums, net, "");
    if (goal && a->goal_at != FC_NEVER) {
        snprintf(name, sizeof name, "@%s", goal);
        add_sums(o, a, &a->at_goal, net, name);
    }
    if (enters) {
        add_amount(o, "overtaken", "", a->overtaken);
        add_amount(o, "overtaken.one", "", a->overtaken_one);
    }
    for (uint32_t i = 0;
         i < TRACE_OWN_MAX && (q = trace_own_quantity(net_type_of(net), i));
         i++)
        if (a->own[i].any || (q->over != FC_OVER_WAIT && q->over != FC_APART))
            add_amount(o, q->name, "", a->own[i].value);
    if (net->time == NET_ASYNC)
        return o;
    add_amount(o, "end", "", a->end);
    if (enters)
        add_amount(o, "granting-delay", "", a->granting);
    if (!goal || a->start_at == FC_NEVER)
        return o;
    add_amount(o, "end-after", "", a->end - a->start_at);
    if (a->goal_at == FC_NEVER)
        return o;
    add_amount(o, goal, "-at", a->goal_at);
    add_amount(o, goal, "-after", a->goal_at - a->start_at);
    return o;
}

static int say_replayed_json(const struct trace_replay *r, bool differs,
                             const char *path, const struct net *net,
                             json_t *states)
{
    json_t *o = json_pack("{s:s,s:b}", "trace", path, "same", !differs);
    json_t *violated = json_array();
    int code = differs ? CLI_VIOLATED : CLI_FINE;

    if (differs)
        json_object_set_new(o, "differs",
                            json_pack("{s:o,s:s,s:s}", "line",
                                      cli_json_number(r->line), "then", r->then,
                                      "now", r->now));
    else
        json_object_set_new(o, "events", cli_json_number(r->events));
    if (!differs)
        json_object_set_new(o, "amounts", amounts_json(&r->amounts, net));
    for (uint32_t i = 0; i <= FC_SANE_BIT && !differs; i++)
        if (r->broken >> i & 1) {
            json_array_append_new(violated,
                                  json_pack("{s:s,s:o}", "property",
                                            net_property(net, i), "line",
                                            cli_json_number(r->broken_at)));
            code = CLI_VIOLATED;
        }
    json_object_set_new(o, "violations", violated);
    if (states)
        json_object_set(o, "states", states);
    cli_json_print(o, 0);
    return code;
}

static int report(enum trace_replayed how, struct trace_replay *r,
                  const struct cli_replay *w, const struct net *net,
                  json_t *states)
{
    bool differs = how == TRACE_REPLAY_DIFFERS;
    int code;

    if (how == TRACE_REPLAY_UNREADABLE)
        return cli_refuse("%s, line %" PRIu32 ": %s", w->path, r->line,
                          r->what);
    if (how == TRACE_REPLAY_NO_MEMORY)
        return cli_no_memory("the replay");
    code = w->json ? say_replayed_json(r, differs, w->path, net, states)
                   : say_replayed(r, differs, w->path, net);
    free(r->then);
    free(r->now);
    return code;
}

/* ---- Replaying ----------------------------------------------------------- */

int cli_judge(struct net *net)
{
    net->predicates = net_predicates(net->protocol, net->params);
    return net->predicates
               ? 0
               : cli_refuse("--judge: %s states no predicates over the whole "
                            "network with these parameters",
                            net->protocol->name);
}

int cli_judge_all(struct net *net, const char *const *texts, uint32_t count,
                  struct lab_asked **asked)
{
    const char *typed[CLI_REPEATS_MAX];
    uint32_t typed_count = 0;
    int code = 0;

    for (uint32_t i = 0; i < count && !code; i++)
        if (*texts[i])
            typed[typed_count++] = texts[i];
        else
            code = cli_judge(net);
    if (!code)
        code = cli_ask(asked, net, "--judge", typed, typed_count);
    /* Where the checker keeps states in less room, they are not read alike. */
    if (!code && *asked &&
        net_type_of(net)->state_size != net->protocol->state_size)
        code = cli_refuse("--judge: states of %s are kept differently here: "
                          "judge it by fulcrum check --property",
                          net->protocol->name);
    return code;
}

static int replay_on(const struct cli_replay *w, const struct trace *t,
                     struct net *net)
{
    struct onlooker o = {.trace = t,
                         .type = net_type_of(net),
                         .text = t->body,
                         .line = t->body_line};
    struct trace_visitor visitor = {look, &o};
    struct trace_replay result;
    struct lab_asked *asked = NULL;
    enum trace_replayed how;
    int code = cli_judge_all(net, w->judge, w->judge_count, &asked);

    if (!code && w->states)
        code = find_node(w, t, &o.node);
    if (!code) {
        if (w->states && w->json)
            o.events = json_array();
        how = trace_replay_to(net, t, w->states ? &visitor : NULL, &result);
        code = report(how, &result, w, net, o.events);
        json_decref(o.events);
    }
    free(asked);
    return code == CLI_GO_ON ? CLI_FINE : code;
}

int cli_replay(const struct cli_replay *w)
{
    struct trace trace;
    struct net_made made;
    struct net_why why = {0};
    int code;

    if (!trace_read(&trace, w->path, &why))
        return cli_refused(&why);
    if (trace_network(&trace, &made, &why))
        code = replay_on(w, &trace, &made.net);
    else
        code = cli_complain(why.system ? CLI_SYSTEM : CLI_USAGE, "%s: %s",
                            w->path, why.text);
    net_unmake(&made);
    trace_free(&trace);
    return code;
}
