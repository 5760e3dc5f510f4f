/*
 * records_tables.c - the tables of records.h: their columns, and the rows of a
 * run that is over.
 */
#include <stdio.h>
#include <string.h>

#include "net/sane.h"
#include "net/type.h"
#include "sim/records_parts.h"

const char *const sim_table_words[SIM_TABLES] = {"run", "entry", "name",
                                                 "phase"};

/* ---- Columns ------------------------------------------------------------- */

const struct fc_quantity *sim_records_phases_of(const struct fc_protocol *p)
{
    const struct net_type *type = net_find(p);

    for (uint32_t i = 0; type && i < type->quantities_count; i++)
        if (strcmp(type->quantities[i].name, "phases") == 0)
            return &type->quantities[i];
    return NULL;
}

bool sim_records_carry_names(const struct fc_protocol *p)
{
    return !p->anonymous && !p->problem->repeats &&
           (p->topology == FC_RING || p->topology == FC_RING_BOTH);
}

static bool has_table(const struct fc_protocol *p, enum sim_table_kind which)
{
    switch (which) {
    case SIM_TABLE_ENTRY:
        return p->problem->repeats;
    case SIM_TABLE_NAME:
        return sim_records_carry_names(p);
    case SIM_TABLE_PHASE:
        return sim_records_phases_of(p) != NULL;
    default:
        return true;
    }
}

/* "messages_read_request": formulas know no hyphen. */
static void add_kinds(struct sim_columns *out, const struct fc_protocol *p,
                      const char *head)
{
    for (uint32_t k = 1; k < p->kinds_count; k++) {
        char *name = out->name[out->count++];

        snprintf(name, SIM_COLUMN_SIZE, "%s_%s", head, p->kinds[k].name);
        for (; *name; name++)
            if (*name == '-')
                *name = '_';
    }
}

#define COLUMN(kind, field, ...) COLUMN_(__VA_ARGS__, )
#define COLUMN_(key, ...)        key,
#define CELL(kind, field, ...)   s->field,

void sim_columns(struct sim_columns *out, const struct fc_protocol *p,
                 enum sim_table_kind which)
{
    /* In the order of the functions that fill the rows. */
    static const char *const common[SIM_TABLES][20] = {
        {"leader", "step", "faster", "slower", "reached", "end",
         SIM_COSTS(COLUMN) SIM_COUNTS(COLUMN) "phases", "violated", "cut",
         "waking", "tour"},
        {"node", "number", "shared", "want", "wake", "ask", "enter", "leave",
         "messages", "refusals", "before", "awake", "overtaken", "by_one",
         "handoff", "attempts"},
        {"name", "place", "step", "passes", "bits"},
        {"phase", "first", "last", "over", "starts", "candidates", "messages",
         "bits"},
    };

    out->count = 0;
    if (!has_table(p, which))
        return;
    while (common[which][out->count]) {
        snprintf(out->name[out->count], SIM_COLUMN_SIZE, "%s",
                 common[which][out->count]);
        out->count++;
    }
    if (which == SIM_TABLE_RUN || which == SIM_TABLE_PHASE)
        add_kinds(out, p, "messages");
    if (which == SIM_TABLE_PHASE) {
        add_kinds(out, p, "least");
        add_kinds(out, p, "most");
    }
}

/* ---- Rows ---------------------------------------------------------------- */

/* A row of a table, or NULL. */
static uint64_t *add_row(struct sim_records *r, enum sim_table_kind which)
{
    struct sim_rows *t = &r->table[which];

    t->cell = sim_records_roomy(r, t->cell, &t->room, t->count,
                                t->width * sizeof *t->cell);
    return t->count < t->room ? t->cell + t->width * t->count++ : NULL;
}

/* The most entries of any one other while this one waited. */
static uint64_t most_of_one(struct sim_records *r, const struct sim_entry *e)
{
    uint32_t most = 0;

    for (size_t i = e->since; i < e->upto; i++) {
        uint32_t times = ++r->node[r->entered[i]].overtakes;

        most = times > most ? times : most;
    }
    for (size_t i = e->since; i < e->upto; i++)
        r->node[r->entered[i]].overtakes = 0;
    return most;
}

static void add_entries(struct sim_records *r)
{
    for (size_t i = 0; i < r->entries_count && !r->failed; i++) {
        struct sim_entry *e = &r->entries[i];
        struct sim_recorded *n = &r->node[e->node];
        uint64_t *to = add_row(r, SIM_TABLE_ENTRY);
        bool waits = e->enter == SIM_ABSENT && e->bill != SIM_NO_BILL;
        const uint64_t cells[] = {
            n->id,
            e->number,
            e->shared,
            e->want,
            e->wake,
            e->ask,
            e->enter,
            e->leave,
            e->messages,
            e->refusals,
            n->refusals,
            e->awake,
            (e->upto = waits ? r->entered_count : e->upto) - e->since,
            most_of_one(r, e),
            e->handoff,
            e->attempts,
        };

        if (to)
            memcpy(to, cells, sizeof cells);
        n->refusals = e->refusals;
    }
}

static void add_names(struct sim_records *r)
{
    for (uint32_t i = 0; i < r->nodes && r->ring && !r->failed; i++) {
        const struct sim_recorded *n = &r->node[i];
        const uint64_t cells[] = {n->id, i, n->step, n->passes, n->bits};
        uint64_t *to = add_row(r, SIM_TABLE_NAME);

        if (to)
            memcpy(to, cells, sizeof cells);
    }
}

/* Messages of one kind in a phase: all; the least and the most of a node. */
static void count_kind(const struct sim_records *r, const struct sim_phase *p,
                       uint32_t kind, uint64_t out[3])
{
    uint32_t kinds = r->setup->net.protocol->kinds_count;

    out[0] = out[2] = 0;
    out[1] = UINT32_MAX;
    for (uint32_t i = 0; i < r->nodes; i++) {
        uint32_t sent = p->sent[(size_t)i * kinds + kind];

        out[0] += sent;
        out[1] = sent < out[1] ? sent : out[1];
        out[2] = sent > out[2] ? sent : out[2];
    }
}

static void add_phase(struct sim_records *r, size_t number, uint64_t over)
{
    const struct fc_protocol *protocol = r->setup->net.protocol;
    const struct sim_phase *p = &r->phases[number];
    uint32_t kinds = protocol->kinds_count - 1;
    uint64_t messages = 0, *to = add_row(r, SIM_TABLE_PHASE);
    uint64_t of[3];

    if (!to)
        return;
    for (uint32_t k = 0; k < kinds; k++) {
        count_kind(r, p, k + 1, of);
        messages += of[0];
        for (uint32_t i = 0; i < 3; i++)
            to[8 + i * kinds + k] = of[i];
    }
    to[0] = number;
    to[1] = p->first;
    to[2] = p->last;
    to[3] = over;
    to[4] = p->starts;
    to[5] = protocol->lot.draw ? p->candidates : p->starts;
    to[6] = messages;
    to[7] = p->bits;
}

static void add_phases(struct sim_records *r, const struct sim_result *result)
{
    for (size_t i = 0; i < r->phases_count && !r->failed; i++) {
        bool last = i + 1 == r->phases_count;

        if (i > 0 || r->phases[i].bits > 0)
            add_phase(r, i, last ? result->reached_at : r->phases[i + 1].first);
    }
}

static void add_run(struct sim_records *r, const struct sim_result *s)
{
    const struct fc_protocol *p = r->setup->net.protocol;
    uint64_t id = s->leader ? s->leader - p->anonymous : SIM_ABSENT;
    const struct sim_recorded *leader =
        s->leader ? sim_records_find(r, id) : NULL;
    uint64_t faster = 0, slower = 0, *to = add_row(r, SIM_TABLE_RUN);
    size_t phases = r->phases_count ? r->phases_count - 1 : 0;

    uint64_t first = SIM_ABSENT, last = 0;

    for (uint32_t i = 0; r->node && i < r->nodes; i++) {
        const struct sim_recorded *n = &r->node[i];

        faster += leader && n->step < leader->step;
        slower += leader && n->step > leader->step;
        first = n->woke < first ? n->woke : first;
        last = n->woke > last ? n->woke : last;
    }
    const uint64_t cells[] = {
        id,
        leader ? leader->step : SIM_ABSENT,
        leader ? faster : SIM_ABSENT,
        leader ? slower : SIM_ABSENT,
        s->reached_at,
        s->end,
        SIM_COSTS(CELL) SIM_COUNTS(CELL) r->phase_note ? phases : SIM_ABSENT,
        s->broken != 0,
        s->cut,
        last != SIM_ABSENT ? last - first : SIM_ABSENT,
        leader && leader->first <= s->reached_at && s->reached_at != SIM_ABSENT
            ? s->reached_at - leader->first
            : SIM_ABSENT,
    };

    if (!to)
        return;
    memcpy(to, cells, sizeof cells);
    for (uint32_t k = 1; k < p->kinds_count; k++)
        to[FC_COUNT(cells) + k - 1] = s->by_kind[k];
}

bool sim_records_end(struct sim_records *r, const struct sim_result *result)
{
    _Static_assert(SIM_ABSENT == FC_NEVER, "ticks are copied as they are");
    if (!r->failed)
        NET_ASSERT_SANE("the records", sim_records_sane(r));
    add_run(r, result);
    add_entries(r);
    add_names(r);
    add_phases(r, result);
    return !r->failed;
}
