/*
 * upgrade.c - a rehearsed cluster whose nodes are brought to this version one
 * by one (R9): what each shows of what it can speak, and what must not begin
 * before all can.
 *
 * All run the code of this version: what an earlier one would not do is not
 * done, and that it is never sent what it could not read is judged.
 */
#include "live/rehearse/world.h"

#include "core/wire.h"

/* What releases speak: 0.4.0; keys; changes. */
static const uint8_t releases[] = {LIVE_SPEAKS_FRAMES, LIVE_SPEAKS_KEYS,
                                   LIVE_SPEAKS_CHANGES};
enum { LAST = sizeof releases - 1 };

/* Two releases that follow each other, or this one alone: then changes begin
 * sooner. */
void upgrade_open(struct world *w)
{
    bool mixed = w->setup->faults >> LIVE_FAULT_UPGRADE & 1;
    uint64_t first = mixed ? world_draw_below(w, LAST + 1) : 0;

    for (uint32_t i = 0; i < w->nodes; i++) {
        struct machine *m = &w->machines[i];

        m->speaks = m->speaks_next = LIVE_SPEAKS_CHANGES;
        if (mixed && m->began)
            m->speaks = m->speaks_next =
                releases[first == LAST ? LAST : first + world_draw_below(w, 2)];
    }
}

bool upgrade_strike(struct world *w, struct machine *m)
{
    uint32_t at = 0;

    if (m->speaks_next == LIVE_SPEAKS_CHANGES)
        return false;
    while (at < LAST && releases[at] <= m->speaks_next)
        at++;
    m->speaks_next = releases[at];
    world_story(w, "%s: its next start will speak version %u",
                w->config->nodes[m->id].name, m->speaks_next);
    daemon_stop(w, m);
    return true;
}

/* In place of this program's version; 0.4.0 shows none. */
void upgrade_stamp(const struct machine *m, uint8_t *wire)
{
    uint64_t number = fc_get64(wire + LIVE_AT_NUMBER) &
                      ((UINT64_C(1) << LIVE_NUMBER_BITS) - 1);

    fc_put64(wire + LIVE_AT_NUMBER,
             number | (uint64_t)m->speaks << LIVE_NUMBER_BITS);
}

bool upgrade_allows(const struct world *w, const struct machine *m,
                    live_node_set set)
{
    if (w->setup->without.machine == LIVE_WITHOUT_R9)
        return true;
    for (set &= ~live_only(m->id); set; set &= set - 1)
        if (live_spoken_with(&m->channels[live_least(set)]) <
            LIVE_SPEAKS_CHANGES)
            return false;
    return m->speaks >= LIVE_SPEAKS_CHANGES;
}

void upgrade_judge(struct world *w, struct machine *m)
{
    const struct live_engine *e = live_mode_engine(m->node.mode);

    if (e && m->speaks < LIVE_SPEAKS_CHANGES && e->state.record.conf.k)
        judge(w, LIVE_NODE_BROKE,
              "%s is shown configuration %u, and its version %u knows of none",
              w->config->nodes[m->id].name, e->state.record.conf.k, m->speaks);
}
