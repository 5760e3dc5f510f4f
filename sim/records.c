/*
 * records.c - see records.h.
 */
#include "sim/records.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/clock.h"
#include "net/type.h"
#include "problems/problem.h"

const char *const sim_table_words[SIM_TABLES] = {"run", "entry", "name",
                                                 "phase"};

/* What is known of a node besides its entry. */
struct sim_recorded {
    uint64_t id; /* as people call it */
    uint64_t step;
    uint64_t passes, bits; /* of messages with its name */
    uint64_t woke, first; /* ticks of its first message, of one with its name */
    uint64_t refusals;    /* that its last entry met */
    size_t entry;         /* 1 + the present one, or 0 */
    uint32_t overtakes;   /* while another waits */
    uint32_t entries;
    uint32_t phase; /* from 1 on, or 0 */
    bool drawn;     /* in this phase */
};

struct sim_called {
    uint64_t id;
    uint32_t node;
};

struct sim_phase {
    uint64_t first, last; /* ticks at which nodes begin it */
    uint64_t bits;
    uint32_t starts, candidates;
    uint32_t *sent; /* messages, by node and kind; kept for the next run */
    size_t sent_room;
};

/* ---- Columns ------------------------------------------------------------- */

static const struct fc_quantity *phases_of(const struct fc_protocol *p)
{
    const struct net_type *type = net_find(p);

    for (uint32_t i = 0; type && i < type->quantities_count; i++)
        if (strcmp(type->quantities[i].name, "phases") == 0)
            return &type->quantities[i];
    return NULL;
}

static bool carries_names(const struct fc_protocol *p)
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
        return carries_names(p);
    case SIM_TABLE_PHASE:
        return phases_of(p) != NULL;
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

void sim_columns(struct sim_columns *out, const struct fc_protocol *p,
                 enum sim_table_kind which)
{
    /* The order is that of the functions that fill the rows. */
    static const char *const common[SIM_TABLES][20] = {
        {"leader", "step", "faster", "slower", "reached", "end", "messages",
         "frames", "paper_bits", "wire_bits", "initiators", "entries",
         "overlaps", "queue", "phases", "violated", "cut", "waking", "tour"},
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

/* ---- Memory -------------------------------------------------------------- */

/* The array, with room for one more behind `count`.  If there is no memory it
 * is as it was, and r->failed. */
static void *roomy(struct sim_records *r, void *array, size_t *room,
                   size_t count, size_t size)
{
    size_t more = 2 * count + 64;
    void *grown;

    if (count < *room)
        return array;
    grown = realloc(array, more * size);
    if (!grown) {
        r->failed = true;
        return array;
    }
    *room = more;
    return grown;
}

void sim_records_free(struct sim_records *r)
{
    for (uint32_t i = 0; i < SIM_TABLES; i++)
        free(r->table[i].cell);
    for (size_t i = 0; i < r->phases_room; i++)
        free(r->phases[i].sent);
    free(r->entries);
    free(r->entered);
    free(r->node);
    free(r->called);
    free(r->phases);
    free(r->phase_of);
    *r = (struct sim_records){0};
}

/* A row of a table, or NULL. */
static uint64_t *add_row(struct sim_records *r, enum sim_table_kind which)
{
    struct sim_rows *t = &r->table[which];

    t->cell = roomy(r, t->cell, &t->room, t->count, t->width * sizeof *t->cell);
    return t->count < t->room ? t->cell + t->width * t->count++ : NULL;
}

/* ---- A run --------------------------------------------------------------- */

static int by_id(const void *a, const void *b)
{
    const struct sim_called *x = a, *y = b;

    return (x->id > y->id) - (x->id < y->id);
}

static void begin_nodes(struct sim_records *r, const struct net_names *names,
                        uint64_t seed)
{
    bool anonymous = r->setup->net.protocol->anonymous;
    struct net_clocks clocks;

    net_clocks_begin(&clocks, &r->setup->net, names, seed);
    for (uint32_t i = 0; i < r->nodes; i++) {
        uint64_t id = anonymous ? i : net_name(names, i);

        r->node[i] = (struct sim_recorded){
            .id = id,
            .step = net_step_ticks(&clocks, i, 0),
            .refusals = SIM_ABSENT,
            .woke = SIM_ABSENT,
            .first = SIM_ABSENT,
        };
        r->called[i] = (struct sim_called){id, i};
    }
    qsort(r->called, r->nodes, sizeof *r->called, by_id);
}

/* The node of this name, or NULL. */
static struct sim_recorded *find(struct sim_records *r, uint64_t id)
{
    const struct sim_called wanted = {.id = id};
    const struct sim_called *found =
        bsearch(&wanted, r->called, r->nodes, sizeof wanted, by_id);

    return found ? &r->node[found->node] : NULL;
}

/* The phase of this number, from 0 on; NULL: no memory. */
static struct sim_phase *phase_at(struct sim_records *r, size_t number)
{
    uint32_t kinds = r->setup->net.protocol->kinds_count;
    size_t room = r->phases_room, cells = (size_t)r->nodes * kinds;

    r->phases = roomy(r, r->phases, &r->phases_room, number, sizeof *r->phases);
    if (r->phases_room > room)
        memset(r->phases + room, 0,
               (r->phases_room - room) * sizeof *r->phases);
    for (; r->phases_count <= number && !r->failed; r->phases_count++) {
        struct sim_phase *p = &r->phases[r->phases_count];

        *p = (struct sim_phase){.first = SIM_ABSENT,
                                .last = SIM_ABSENT,
                                .sent = p->sent,
                                .sent_room = p->sent_room};
        p->sent = roomy(r, p->sent, &p->sent_room, cells, sizeof *p->sent);
        if (!r->failed)
            memset(p->sent, 0, cells * sizeof *p->sent);
    }
    return r->failed ? NULL : &r->phases[number];
}

bool sim_records_begin(struct sim_records *r, const struct sim_setup *setup,
                       const struct net_names *names, uint64_t seed)
{
    const struct fc_protocol *p = setup->net.protocol;
    const struct fc_quantity *phases = phases_of(p);
    struct sim_columns columns;

    r->setup = setup;
    r->nodes = setup->net.world.nodes;
    r->phase_note = phases ? phases->note : 0;
    r->ring = carries_names(p);
    r->entries_count = r->entered_count = r->phases_count = 0;
    r->awake = r->cause = 0;
    r->failed = false;
    for (enum sim_table_kind i = 0; i < SIM_TABLES; i++) {
        uint32_t width = r->table[i].width;

        sim_columns(&columns, p, i);
        assert(!width || width == columns.count);
        r->table[i].width = columns.count;
        r->table[i].count = 0;
    }
    r->node = roomy(r, r->node, &r->node_room, r->nodes, sizeof *r->node);
    r->called =
        roomy(r, r->called, &r->called_room, r->nodes, sizeof *r->called);
    if (!r->failed)
        begin_nodes(r, names, seed);
    return !r->failed;
}

/* ---- Messages and phases ------------------------------------------------- */

void sim_records_send(struct sim_records *r, uint32_t from, uint32_t kind,
                      uint32_t bits, uint64_t name, uint64_t now)
{
    uint32_t own = r->node[from].phase;
    struct sim_recorded *called = r->ring && name ? find(r, name) : NULL;
    struct sim_phase *phase;

    if (now < r->node[from].woke)
        r->node[from].woke = now;
    if (called) {
        called->first = now < called->first ? now : called->first;
        called->passes++;
        called->bits += bits;
    }
    if (!r->phase_note)
        return;
    r->phase = r->cause > own ? r->cause : own;
    phase = phase_at(r, r->phase);
    if (!phase)
        return;
    phase->bits += bits;
    phase->sent[(size_t)from * r->setup->net.protocol->kinds_count + kind]++;
}

void sim_records_number(struct sim_records *r, uint64_t id)
{
    if (!r->phase_note)
        return;
    r->phase_of = roomy(r, r->phase_of, &r->phase_of_room, (size_t)id,
                        sizeof *r->phase_of);
    if (!r->failed)
        r->phase_of[id] = r->phase;
}

void sim_records_read(struct sim_records *r, uint64_t id)
{
    r->cause = r->phase_note && !r->failed ? r->phase_of[id] : 0;
}

void sim_records_own(struct sim_records *r)
{
    r->cause = 0;
}

void sim_records_phase(struct sim_records *r, uint32_t node, uint64_t now)
{
    struct sim_phase *p = phase_at(r, ++r->node[node].phase);

    r->node[node].drawn = false;
    if (!p)
        return;
    if (p->starts++ == 0)
        p->first = now;
    p->last = now;
}

void sim_records_draw(struct sim_records *r, uint32_t node, uint32_t drawn)
{
    struct sim_recorded *n = &r->node[node];
    uint32_t wanted = r->setup->net.protocol->candidate;

    if (!n->drawn && wanted && drawn + 1 == wanted &&
        n->phase < r->phases_count)
        r->phases[n->phase].candidates++;
    n->drawn = true;
}

/* ---- Entries ------------------------------------------------------------- */

/* The present entry of a node, or NULL. */
static struct sim_entry *present(struct sim_records *r, uint32_t node)
{
    size_t entry = r->node[node].entry;

    return entry ? &r->entries[entry - 1] : NULL;
}

void sim_records_want(struct sim_records *r, uint32_t node, uint64_t now,
                      bool shared, uint32_t bill)
{
    r->entries = roomy(r, r->entries, &r->entries_room, r->entries_count,
                       sizeof *r->entries);
    if (r->failed)
        return;
    r->entries[r->entries_count++] = (struct sim_entry){
        .want = now,
        .wake = SIM_ABSENT,
        .ask = SIM_ABSENT,
        .enter = SIM_ABSENT,
        .leave = SIM_ABSENT,
        .awake = SIM_ABSENT,
        .handoff = SIM_ABSENT,
        .attempts = SIM_ABSENT,
        .messages = SIM_ABSENT,
        .refusals = SIM_ABSENT,
        .since = r->entered_count,
        .upto = r->entered_count,
        .node = node,
        .number = ++r->node[node].entries,
        .bill = bill,
        .shared = shared,
    };
    r->node[node].entry = r->entries_count;
}

void sim_records_wake(struct sim_records *r, uint32_t node, uint64_t now)
{
    struct sim_entry *e = present(r, node);

    if (!e || e->wake != SIM_ABSENT)
        return;
    e->wake = now;
    e->awake = r->awake++;
}

void sim_records_ask(struct sim_records *r, uint32_t node, uint64_t now)
{
    struct sim_entry *e = present(r, node);

    if (e && e->ask == SIM_ABSENT && e->enter == SIM_ABSENT)
        e->ask = now;
}

void sim_records_enter(struct sim_records *r, uint32_t node, uint64_t now,
                       uint64_t left_at)
{
    struct sim_entry *e = present(r, node);

    sim_records_wake(r, node, now); /* if nobody has seen it awake */
    r->entered = roomy(r, r->entered, &r->entered_room, r->entered_count,
                       sizeof *r->entered);
    if (!e || r->failed)
        return;
    e->enter = now;
    e->upto = r->entered_count;
    if (left_at != FC_NEVER && e->want <= left_at)
        e->handoff = now - left_at;
    r->entered[r->entered_count++] = node;
}

/* The node has no entry any more. */
static void close_entry(struct sim_records *r, uint32_t node)
{
    const struct sim_entry *e = present(r, node);

    if (e && e->wake != SIM_ABSENT)
        r->awake--;
    r->node[node].entry = 0;
}

void sim_records_leave(struct sim_records *r, uint32_t node, uint64_t now,
                       uint64_t attempts)
{
    struct sim_entry *e = present(r, node);

    if (!e)
        return;
    e->leave = now;
    e->attempts = attempts;
    close_entry(r, node);
}

void sim_records_drop(struct sim_records *r, uint32_t node)
{
    struct sim_entry *e = present(r, node);

    if (!e)
        return;
    e->bill = SIM_NO_BILL; /* the next entry goes on with it */
    if (e->enter == SIM_ABSENT)
        e->upto = r->entered_count;
    close_entry(r, node);
}

void sim_records_overtakers(const struct sim_records *r, size_t row,
                            void (*tell)(void *whom, uint64_t id), void *whom)
{
    const struct sim_entry *e = &r->entries[row];

    for (size_t i = e->since; i < e->upto; i++)
        tell(whom, r->node[r->entered[i]].id);
}

/* ---- Rows ---------------------------------------------------------------- */

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
    to[5] = protocol->candidate ? p->candidates : p->starts;
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
    const struct sim_recorded *leader = s->leader ? find(r, id) : NULL;
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
        s->messages,
        s->frames,
        s->paper_bits,
        s->wire_bits,
        s->initiators,
        s->entries,
        s->overlaps,
        s->queue_max,
        r->phase_note ? phases : SIM_ABSENT,
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
    add_run(r, result);
    add_entries(r);
    add_names(r);
    add_phases(r, result);
    return !r->failed;
}
