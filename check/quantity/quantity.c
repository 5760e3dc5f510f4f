/*
 * quantity.c - the table of quantities (see quantity.h).
 */
#include "check/quantity/quantity.h"

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
        count += w->model->type->kind(message(w, i)) == w->argument;
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
                 fields[0] == w->argument;
    return count;
}

static uint32_t ticks(const struct check_weighing *w)
{
    return w->move->kind == CHECK_TICK;
}

/* ---- The table ----------------------------------------------------------- */

const struct check_quantity check_quantities[] = {
    {"messages", "messages", "messages that nodes send", NULL, CHECK_WHOLE,
     .symmetric = true, .weight = sends},
    {"messages.KIND", "messages", "those of one kind", NULL, CHECK_WHOLE,
     .symmetric = true, .weight = of_kind},
    {"paper-bits", "bits", "their bits, as the paper counts them", NULL,
     CHECK_WHOLE, .weight = paper_bits},
    {"passes.NAME", "messages", "on a ring: messages that carry this name",
     "election", CHECK_WHOLE, .weight = passes},
    {"end", "ticks", "the tick of the last event", NULL, CHECK_TO_END,
     .timed = true, .symmetric = true, .weight = ticks},
    {"elected-at", "ticks", "the tick at which a leader is elected", "election",
     CHECK_TO_GOAL, .timed = true, .symmetric = true, .weight = ticks},
    {"granting-delay", "ticks", "ticks from a request to its entry", "mutex",
     CHECK_WAIT, .timed = true, .weight = ticks},
    {"overtaken", "entries", "entries of others while a node waits", "mutex",
     CHECK_WAIT, .weight = NULL},
    {"overtaken.one", "entries", "those of a single other node", "mutex",
     CHECK_WAIT, .of_one = true},
    {.name = NULL},
};

bool check_quantity_fits(const struct check_quantity *q, const struct net *net)
{
    const struct fc_protocol *p = net->protocol;
    bool ring = p->topology == FC_RING || p->topology == FC_RING_BOTH;

    if (q->problem && strcmp(q->problem, p->problem->name) != 0)
        return false;
    return q->weight != passes || (ring && !p->anonymous);
}

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
static bool is_called(const struct check_quantity *q, const char *name)
{
    const char *dot = strchr(name, '.');

    if (!takes_argument(q))
        return strcmp(q->name, name) == 0;
    return dot && strncmp(q->name, name, (size_t)(dot - name) + 1) == 0;
}

const char *check_measure(const struct check_setup *setup, const char *name,
                          struct check_measure *out)
{
    const struct net *net = &setup->net;
    const char *dot = strchr(name, '.');
    const struct check_quantity *q = check_quantities;

    *out = (struct check_measure){.name = name};
    while (q->name && !(check_quantity_fits(q, net) && is_called(q, name)))
        q++;
    if (!q->name)
        return "there is no such quantity here";
    if (takes_argument(q) &&
        !read_argument(q, net->protocol, dot ? dot + 1 : "", &out->argument))
        return q->weight == passes ? "a name is a number"
                                   : "no message is of this kind";
    if (q->timed && net->time == NET_ASYNC)
        return "it counts ticks, and --time async has none: use --time sync "
               "or --bounds";
    if (setup->symmetry && !q->symmetric)
        return "states that --symmetry merges may differ in it";
    out->of = q;
    return NULL;
}
