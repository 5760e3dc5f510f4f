/*
 * quantity.c - the table of quantities (see quantity.h).
 */
#include "check/quantity/quantity.h"

#include <stdio.h>
#include <string.h>

#include "check/quantity/weigh.h"
#include "core/text.h"

/* ---- Weights ------------------------------------------------------------- */

static const uint8_t *message(const struct check_weighing *w, uint32_t i)
{
    const struct check_model *m = w->model;

    return check_bytes(&m->messages, m->sends[w->outcome->sends + i].msg, NULL);
}

static uint32_t sends(const struct check_weighing *w)
{
    return w->outcome ? w->outcome->sends_count : 0;
}

static uint32_t of_kind(const struct check_weighing *w)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < sends(w); i++)
        count += w->model->type->kind(message(w, i)) == w->measure->argument;
    return count;
}

static uint32_t paper_bits(const struct check_weighing *w)
{
    uint32_t bits = 0;

    for (uint32_t i = 0; i < sends(w); i++)
        bits += w->model->type->paper_bits(message(w, i));
    return bits;
}

/* Messages whose first number is a name, as in a claim that is passed on. */
static uint32_t passes(const struct check_weighing *w)
{
    uint64_t fields[FC_FIELDS_MAX];
    uint32_t count = 0;

    for (uint32_t i = 0; i < sends(w); i++)
        count += w->model->type->fields(message(w, i), fields) > 0 &&
                 fields[0] == w->measure->argument;
    return count;
}

static uint32_t ticks(const struct check_weighing *w)
{
    return w->move->kind == CHECK_TICK;
}

/* Ticks since the first node started. */
static uint32_t ticks_since(const struct check_weighing *w)
{
    const struct check_model *m = w->model;
    bool started = false;

    for (uint32_t i = 0; i < m->nodes; i++)
        started |=
            (check_info_of(m, i, w->base->id[m->local_at[i]])->head.flags &
             CHECK_STARTED) != 0;
    return started ? ticks(w) : 0;
}

/* Of the problem or protocol: a note of the step, the change of a view, or the
 * level of the state after it. */
static uint32_t own(const struct check_weighing *w)
{
    const struct fc_quantity *q = w->measure->own;
    const struct check_model *m = w->model;
    _Alignas(8) uint8_t before[NET_VIEW_SIZE], after[NET_VIEW_SIZE];

    if (!w->outcome || !check_is_event((enum check_move_kind)w->move->kind))
        return 0;
    if (q->note)
        return check_counts(w->outcome, q);
    if (!w->measure->by_view)
        return check_level(w);
    memcpy(before, check_bytes(&m->views, w->before->view, NULL),
           sizeof before);
    memcpy(after, check_bytes(&m->views, w->after->view, NULL), sizeof after);
    return q->amount(before, after);
}

/* ---- The table ----------------------------------------------------------- */

static const struct check_quantity quantities[] = {
    {"messages", "messages", "messages that nodes send", CHECK_HAS_ALL,
     CHECK_WHOLE, .symmetric = true, .weight = sends},
    {"messages.KIND", "messages", "those of one kind", CHECK_HAS_ALL,
     CHECK_WHOLE, .symmetric = true, .weight = of_kind},
    {"paper-bits", "bits", "their bits, as the paper counts them",
     CHECK_HAS_ALL, CHECK_WHOLE, .weight = paper_bits},
    {"passes.NAME", "messages", "on a ring: messages that carry this name",
     CHECK_HAS_NAMES, CHECK_WHOLE, .weight = passes},
    {"end", "ticks", "the tick of the last event", CHECK_HAS_ALL, CHECK_TO_END,
     .timed = true, .symmetric = true, .weight = ticks},
    {"*-at", "ticks", "the tick at which the goal is reached", CHECK_HAS_GOAL,
     CHECK_TO_GOAL, .timed = true, .symmetric = true, .weight = ticks},
    {"end-after", "ticks", "ticks from the first start to the last event",
     CHECK_HAS_GOAL, CHECK_TO_END, .timed = true, .symmetric = true,
     .weight = ticks_since},
    {"*-after", "ticks", "ticks from the first start to the goal",
     CHECK_HAS_GOAL, CHECK_TO_GOAL, .timed = true, .symmetric = true,
     .weight = ticks_since},
    {"granting-delay", "ticks", "ticks from a request to its entry",
     CHECK_HAS_ENTRIES, CHECK_WAIT, .timed = true, .weight = ticks},
    {"overtaken", "entries", "entries of others while a node waits",
     CHECK_HAS_ENTRIES, CHECK_WAIT, .weight = NULL},
    {"overtaken.one", "entries", "those of a single other node",
     CHECK_HAS_ENTRIES, CHECK_WAIT, .of_one = true},
    {.name = NULL},
};

/* What quantities of problems and protocols are, by what they are over. */
static const struct check_quantity owns[] = {
    [FC_OVER_RUN] = {.span = CHECK_WHOLE, .weight = own},
    [FC_OVER_NODE] = {.span = CHECK_FURTHEST, .weight = own},
    [FC_OVER_WAIT] = {.span = CHECK_TURN, .weight = own},
    [FC_AT_ONCE] = {.span = CHECK_PEAK, .weight = own},
    [FC_APART] = {.span = CHECK_APART, .timed = true, .weight = ticks},
};

/* Whether there is such a quantity here. */
static bool fits(const struct check_quantity *q, const struct net *net)
{
    const struct fc_protocol *p = net->protocol;
    bool ring = p->topology == FC_RING || p->topology == FC_RING_BOTH;

    switch (q->has) {
    case CHECK_HAS_NAMES:
        return ring && !p->anonymous && p->problem->chosen.called;
    case CHECK_HAS_GOAL:
        return p->problem->goal != NULL;
    case CHECK_HAS_ENTRIES:
        return p->problem->repeats && !net_type_of(net)->momentary;
    case CHECK_HAS_ALL:
        break;
    }
    return true;
}

/* What it is called here. */
static void name_of(const struct check_quantity *q, const struct net *net,
                    char name[CHECK_QUANTITY_BYTES])
{
    bool goal = q->name[0] == '*';

    snprintf(name, CHECK_QUANTITY_BYTES, "%s%s",
             goal ? net->protocol->problem->goal : "", q->name + goal);
}

uint32_t
check_quantities(const struct net *net,
                 char names[CHECK_QUANTITIES_MAX][CHECK_QUANTITY_BYTES])
{
    const struct fc_problem *problem = net->protocol->problem;
    const struct net_type *type = net_type_of(net);
    uint32_t count = 0;

    for (const struct check_quantity *q = quantities; q->name; q++)
        if (fits(q, net))
            name_of(q, net, names[count++]);
    for (uint32_t i = 0; i < problem->quantities_count; i++)
        if (count < CHECK_QUANTITIES_MAX)
            snprintf(names[count++], CHECK_QUANTITY_BYTES, "%s",
                     problem->quantities[i].name);
    for (uint32_t i = 0; i < type->quantities_count; i++)
        if (count < CHECK_QUANTITIES_MAX)
            snprintf(names[count++], CHECK_QUANTITY_BYTES, "%s",
                     type->quantities[i].name);
    return count;
}

/* ---- Finding one --------------------------------------------------------- */

/* Reads what stands behind the dot. */
static bool read_argument(const struct check_quantity *q,
                          const struct fc_protocol *p, const char *word,
                          uint64_t *argument)
{
    if (q->weight == passes)
        return fc_read_number(word, argument);
    for (uint32_t kind = 0; kind < p->kinds_count; kind++)
        if (p->kinds[kind].name && strcmp(p->kinds[kind].name, word) == 0) {
            *argument = kind;
            return true;
        }
    return false;
}

static bool takes_argument(const struct check_quantity *q)
{
    return q->weight == passes || q->weight == of_kind;
}

/* Whether it is called so, up to the dot if something else follows it. */
static bool is_called(const struct check_quantity *q, const struct net *net,
                      const char *name)
{
    const char *dot = strchr(name, '.');
    char here[CHECK_QUANTITY_BYTES];

    name_of(q, net, here);
    if (!takes_argument(q))
        return strcmp(here, name) == 0;
    return dot && strncmp(q->name, name, (size_t)(dot - name) + 1) == 0;
}

static const struct fc_quantity *find_own(const struct fc_quantity *list,
                                          uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0)
            return &list[i];
    return NULL;
}

/* A row of the table, or of the problem's, or of the protocol's. */
static bool find(const struct net *net, const char *name,
                 struct check_measure *out)
{
    const struct fc_problem *problem = net->protocol->problem;
    const struct net_type *type = net_type_of(net);

    for (const struct check_quantity *q = quantities; q->name; q++)
        if (fits(q, net) && is_called(q, net, name)) {
            out->of = q;
            out->what = q->what;
            return true;
        }
    out->own = find_own(problem->quantities, problem->quantities_count, name);
    out->by_view = out->own != NULL;
    if (!out->own)
        out->own = find_own(type->quantities, type->quantities_count, name);
    if (!out->own)
        return false;
    out->of = &owns[out->own->over];
    out->what = out->own->unit;
    return true;
}

/* Whether it counts until the goal; the part in front of that. */
static bool drop_goal(const struct net *net, const char *name, char *base,
                      size_t size)
{
    const char *goal = net->protocol->problem->goal, *at = strchr(name, '@');
    bool until = goal && at && strcmp(at + 1, goal) == 0;

    snprintf(base, size, "%.*s", until ? (int)(at - name) : (int)strlen(name),
             name);
    return until;
}

const char *check_measure(const struct check_setup *setup, const char *name,
                          struct check_measure *out)
{
    const struct net *net = &setup->net;
    char base[CHECK_QUANTITY_BYTES];
    bool until_goal = drop_goal(net, name, base, sizeof base);
    const char *dot = strchr(base, '.');

    *out = (struct check_measure){.name = name};
    if (!find(net, base, out) ||
        (until_goal && (out->own || out->of->span != CHECK_WHOLE)))
        return "there is no such quantity here";
    out->span = until_goal ? CHECK_TO_GOAL : out->of->span;
    if (takes_argument(out->of) &&
        !read_argument(out->of, net->protocol, dot ? dot + 1 : "",
                       &out->argument))
        return out->of->weight == passes ? "a name is a number"
                                         : "no message is of this kind";
    if (out->of->timed && net->time == NET_ASYNC)
        return "it counts ticks, and --time async has none: use --time sync "
               "or --bounds";
    if (setup->symmetry && !out->of->symmetric)
        return "states that --symmetry merges may differ in it";
    return NULL;
}
