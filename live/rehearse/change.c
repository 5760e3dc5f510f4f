/*
 * change.c - a rehearsed cluster whose list changes, node by node: P6.
 *
 * Each change is a file of the next generation.  It has a majority of the
 * nodes, or all of them, in turn; so every other one loses as many nodes as it
 * can without losing a majority of its list.  Nodes that are not in the latest
 * list go on with the file that they have, until everything is healed.
 *
 * In every other run nodes with the first file run an earlier program, which
 * does not know P6: such a node does not stop, and then all rests on the
 * others, which wait for it.
 */
#include "live/rehearse/world.h"

#include <stdlib.h>

enum { FILES_MAX = 16, ANSWER_PAUSE = 10000 };

/* Whether every node of the latest list runs with it. */
static bool is_complete(const struct world *w)
{
    for (uint32_t i = 0; i < w->file->nodes_count; i++) {
        const struct machine *m = &w->machines[i];

        if (m->file != w->file || !m->daemon.alive ||
            m->node.mode->config != w->file)
            return false;
    }
    return true;
}

/* False: there are no more. */
static bool next_file(struct world *w)
{
    struct live_config *next;

    if (!w->files) {
        w->files = calloc(FILES_MAX, sizeof *w->files);
        w->earlier = world_chance(w, 1, 2);
    }
    if (!w->files) {
        w->failed = true;
        return false;
    }
    if (w->files_count == FILES_MAX ||
        w->file->generation == LIVE_GENERATION_MAX)
        return false;
    next = &w->files[w->files_count++];
    *next = *w->config;
    next->generation = w->file->generation + 1;
    if (w->file->nodes_count == w->nodes)
        next->first_count = next->nodes_count = w->nodes / 2 + 1;
    world_story(w, "a file of generation %u has %u nodes", next->generation,
                next->nodes_count);
    w->file = next;
    return true;
}

bool change_strike(struct world *w, struct machine *m)
{
    if (m->missing || (is_complete(w) && !next_file(w)) || m->file == w->file ||
        m->id >= w->file->nodes_count)
        return false;
    m->file = w->file;
    daemon_stop(w, m);
    return true;
}

void change_finish(struct world *w)
{
    for (uint32_t i = 0; i < w->nodes && !w->known; i++) {
        struct machine *m = &w->machines[i];

        if (m->file == w->file)
            continue;
        m->file = w->file;
        daemon_stop(w, m);
    }
}

bool change_allows(const struct machine *m)
{
    return m->id < m->file->nodes_count &&
           m->outdated_by <= m->file->generation;
}

void change_meet(struct world *w, struct machine *m, uint32_t from,
                 const struct live_stranger *s)
{
    uint8_t wires[LIVE_ANSWER_COUNT][LIVE_WIRE_MAX];
    uint64_t now = world_local_now(w, m);
    enum live_standing standing;
    uint32_t count = 0;

    if (w->setup->without.machine == LIVE_WITHOUT_P6 ||
        (w->earlier && m->node.mode->config == w->config))
        return;
    standing = live_meet(&m->self, &m->met, s);
    if (s->proven ? standing == LIVE_AHEAD
                  : live_is_news(&m->met, s, w->now, ANSWER_PAUSE))
        count = live_answer_stranger(&m->self, s, wires);
    for (uint32_t i = 0; i < count; i++)
        network_leave(w, m->id, from, wires[i], LIVE_HELLO_BYTES);
    if (standing == LIVE_AHEAD) {
        live_node_defer(&m->node, "a node of the old list still runs",
                        live_config_quiet(w->config) +
                            live_config_idle(w->config),
                        now, &m->effects);
    } else if (standing == LIVE_OUTDATED) {
        m->outdated_by = s->generation;
        m->may_break = true;
        live_effect_add(&m->effects, LIVE_DO_BREAK)->why = "it is outdated";
    }
}
