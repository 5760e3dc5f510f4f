/*
 * measure.c - see measure.h.
 */
#include "lab/formula/measure.h"

#include <string.h>

#include "core/text.h"

#define QUANTITY(name, expression, known)                                      \
    static bool name(const struct sim_result *r, const struct sim_tally *t,    \
                     uint32_t kind, uint64_t *out)                             \
    {                                                                          \
        (void)r;                                                               \
        (void)t;                                                               \
        (void)kind;                                                            \
        *out = (expression);                                                   \
        return known;                                                          \
    }

#define OF(kind, field, ...) QUANTITY(field, r->field, r->field != FC_NEVER)
SIM_COSTS(OF)
SIM_TIMES(OF)
QUANTITY(of_kind, r->by_kind[kind], true)
QUANTITY(queue, r->queue_max, true)
QUANTITY(granting, t->granting.stat.max, t->granting.stat.count > 0)
QUANTITY(handoff, t->handoff.stat.max, t->handoff.stat.count > 0)
QUANTITY(overtaken, t->overtaken.max, t->overtaken.count > 0)
QUANTITY(refusals, t->refusals.max, t->refusals.count > 0)
QUANTITY(attempts, t->attempts.stat.max, t->attempts.stat.count > 0)

static bool on_ring(const struct fc_protocol *p)
{
    return p->topology == FC_RING || p->topology == FC_RING_BOTH;
}

static bool elects(const struct fc_protocol *p)
{
    return p->problem->goal && fc_same(p->problem->goal, "elected");
}

static bool repeats(const struct fc_protocol *p)
{
    return p->problem->repeats;
}

static bool has_cells(const struct fc_protocol *p)
{
    return p->cells != NULL;
}

#define ROW_MESSAGES(field, key, label, cost, name, noun)                      \
    {name, noun, field, NULL, cost, true, false}, {"messages.KIND",            \
                                                   "messages of this kind",    \
                                                   of_kind,                    \
                                                   NULL,                       \
                                                   -1,                         \
                                                   true,                       \
                                                   false},                     \
        {"passes", "passes", messages, on_ring, cost, true, false},
#define ROW_STAT(field, key, label, cost, name, noun)                          \
    {name, noun, field, NULL, cost, true, false},
#define ROW_GOAL(field, key, label, cost, name, noun)                          \
    {name, noun, field, elects, cost, true, false},
#define ROW(kind, ...) ROW_##kind(__VA_ARGS__)

static const struct lab_quantity quantities[] = {
    SIM_COSTS(ROW) SIM_TIMES(ROW){"queue", "messages that wait at one node",
                                  queue, NULL, -1, false, false},
    {"granting-delay", "ticks from a request to its entry", granting, repeats,
     FC_COST_GRANTING, false, true},
    {"handoff", "ticks from an exit to the next entry", handoff, repeats, -1,
     false, true},
    {"overtaken", "entries of others while one waits", overtaken, repeats, -1,
     false, true},
    {"refusals", "refusals that an entry meets", refusals, repeats,
     FC_COST_REFUSALS, false, true},
    {"attempts", "attempts of one operation", attempts, has_cells,
     FC_COST_ATTEMPTS, false, true},
};

/* The next row after this one that the protocol has; the first after NULL. */
static const struct lab_quantity *next_of(const struct fc_protocol *p,
                                          const struct lab_quantity *q)
{
    for (q = q ? q + 1 : quantities; q < quantities + FC_COUNT(quantities); q++)
        if (q->name && (!q->fits || q->fits(p)))
            return q;
    return NULL;
}

/* The kind after "messages."; 0: there is none. */
static uint32_t find_kind(const struct fc_protocol *p, const char *name)
{
    const char *rest = fc_after(name, "messages.");

    for (uint32_t k = 1; rest && k < p->kinds_count; k++)
        if (strcmp(p->kinds[k].name, rest) == 0)
            return k;
    return 0;
}

bool lab_measure(const struct fc_protocol *p, const char *name,
                 struct lab_measure *out, struct net_why *why)
{
    uint32_t kind = find_kind(p, name);
    const char *row = kind ? "messages.KIND" : name;
    const struct lab_quantity *q;

    for (q = next_of(p, NULL); q; q = next_of(p, q))
        if (strcmp(q->name, row) == 0 && (kind || q->of != of_kind)) {
            *out = (struct lab_measure){q, kind};
            return true;
        }
    net_refuse(why, "of %s there are ", p->name);
    for (q = next_of(p, NULL); q; q = next_of(p, q))
        net_add(why, "%s%s", q == quantities ? "" : ", ", q->name);
    for (uint32_t k = 1; k < p->kinds_count; k++)
        net_add(why, "%s%s", k == 1 ? "; kinds of messages are " : ", ",
                p->kinds[k].name);
    return false;
}
