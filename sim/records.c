/*
 * records.c - see records.h: what the engine tells is kept until the run is
 * over; records_tables.c makes the tables of it.
 */
#include "sim/records.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "net/clock.h"
#include "sim/records_parts.h"

struct sim_called {
    uint64_t id;
    uint32_t node;
};

/* ---- Memory -------------------------------------------------------------- */

void *sim_records_roomy(struct sim_records *r, void *array, size_t *room,
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

struct sim_recorded *sim_records_find(struct sim_records *r, uint64_t id)
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

    r->phases = sim_records_roomy(r, r->phases, &r->phases_room, number,
                                  sizeof *r->phases);
    if (r->phases_room > room)
        memset(r->phases + room, 0,
               (r->phases_room - room) * sizeof *r->phases);
    for (; r->phases_count <= number && !r->failed; r->phases_count++) {
        struct sim_phase *p = &r->phases[r->phases_count];

        *p = (struct sim_phase){.first = SIM_ABSENT,
                                .last = SIM_ABSENT,
                                .sent = p->sent,
                                .sent_room = p->sent_room};
        p->sent = sim_records_roomy(r, p->sent, &p->sent_room, cells,
                                    sizeof *p->sent);
        if (!r->failed)
            memset(p->sent, 0, cells * sizeof *p->sent);
    }
    return r->failed ? NULL : &r->phases[number];
}

bool sim_records_begin(struct sim_records *r, const struct sim_setup *setup,
                       const struct net_names *names, uint64_t seed)
{
    const struct fc_protocol *p = setup->net.protocol;
    const struct fc_quantity *phases = sim_records_phases_of(p);
    struct sim_columns columns;

    r->setup = setup;
    r->nodes = setup->net.world.nodes;
    r->phase_note = phases ? phases->note : 0;
    r->ring = sim_records_carry_names(p);
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
    r->node =
        sim_records_roomy(r, r->node, &r->node_room, r->nodes, sizeof *r->node);
    r->called = sim_records_roomy(r, r->called, &r->called_room, r->nodes,
                                  sizeof *r->called);
    if (!r->failed)
        begin_nodes(r, names, seed);
    return !r->failed;
}

/* ---- Messages and phases ------------------------------------------------- */

void sim_records_send(struct sim_records *r, uint32_t from, uint32_t kind,
                      uint32_t bits, uint64_t name, uint64_t now)
{
    uint32_t own = r->node[from].phase;
    struct sim_recorded *called =
        r->ring && name ? sim_records_find(r, name) : NULL;
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
    r->phase_of = sim_records_roomy(r, r->phase_of, &r->phase_of_room,
                                    (size_t)id, sizeof *r->phase_of);
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
    uint32_t wanted = r->setup->net.protocol->lot.draw;

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
    r->entries = sim_records_roomy(r, r->entries, &r->entries_room,
                                   r->entries_count, sizeof *r->entries);
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
    r->entered = sim_records_roomy(r, r->entered, &r->entered_room,
                                   r->entered_count, sizeof *r->entered);
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

/* ---- Rules between two events -------------------------------------------- */

/* Of an entry, whether or not it is over. */
static const char *sane_entry(const struct sim_records *r,
                              const struct sim_entry *e)
{
    bool entered = e->enter != SIM_ABSENT;

    if (e->since > e->upto || e->upto > r->entered_count)
        return "who overtakes an entry enters after its wish, and before it";
    if (entered && (e->enter < e->want || e->wake > e->enter ||
                    r->entered[e->upto] != e->node))
        return "a node that enters has wished to, and is awake";
    if (e->leave != SIM_ABSENT && (!entered || e->leave < e->enter))
        return "a node that leaves has entered";
    return NULL;
}

const char *sim_records_sane(const struct sim_records *r)
{
    uint32_t awake = 0;
    size_t entered = 0;

    for (uint32_t i = 0; i < r->nodes; i++) {
        size_t entry = r->node[i].entry;

        if (i > 0 && r->called[i - 1].id > r->called[i].id)
            return "nodes are sorted by name";
        if (entry > r->entries_count ||
            (entry && r->entries[entry - 1].node != i))
            return "the present entry of a node is its own";
        awake += entry && r->entries[entry - 1].wake != SIM_ABSENT;
    }
    if (awake != r->awake)
        return "those are awake that were woken, and whose entry is present";
    for (size_t i = 0; i < r->entries_count; i++) {
        const char *broken = sane_entry(r, &r->entries[i]);

        if (broken)
            return broken;
        entered += r->entries[i].enter != SIM_ABSENT;
    }
    return entered == r->entered_count ? NULL
                                       : "as many entries are made as enter";
}
