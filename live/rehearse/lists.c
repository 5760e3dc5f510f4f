/*
 * lists.c - a rehearsed cluster whose list of nodes changes while it runs (R1
 * to R7): machines beyond the first list, what each machine knows of the
 * others, as live/daemon/members.c has it, and what is judged of lists.
 *
 * A machine has one id for ever.  What operators do is in operators.c.
 */
#include "live/rehearse/world.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "live/mode/mode_proven_record.h"
#include "live/rehearse/choice.h"

enum {
    GUESTS = 12 + LISTS_GHOSTS,
    PATIENT = 5
}; /* leases without a change, to be at rest */

/* ---- Machines ------------------------------------------------------------ */

static bool is_wanted(const struct world *w)
{
    uint32_t faults = w->choices ? w->choices->faults : w->setup->faults;

    return faults >> LIVE_FAULT_CHANGE & 1;
}

/* Where all runs are looked at there is one, which adds a witness: nobody asks
 * for locks there. */
static void name_guests(struct world *w, struct live_config *c)
{
    for (uint32_t i = c->nodes_count; i < w->nodes; i++) {
        struct live_config_node *n = &c->nodes[i];

        *n = (struct live_config_node){
            .port = 7000, .witness = w->choices || world_chance(w, 1, 6)};
        snprintf(n->name, sizeof n->name, "new-%u", i);
        snprintf(n->host, sizeof n->host, "h%u", i);
    }
    c->nodes_count = w->nodes;
}

int lists_open(struct world *w)
{
    uint32_t first = w->config->nodes_count;
    uint32_t guests = w->choices ? 1 : GUESTS;

    if (!is_wanted(w))
        return 0;
    w->nodes = first + guests < LIVE_NODES_MAX ? first + guests
                                               : (uint32_t)LIVE_NODES_MAX;
    w->wide = malloc(sizeof *w->wide);
    w->known = calloc(w->nodes, sizeof *w->known);
    if (!w->wide || !w->known) {
        lists_close(w);
        return -1;
    }
    *w->wide = *w->config;
    name_guests(w, w->wide);
    w->config = w->wide;
    return 0;
}

void lists_close(struct world *w)
{
    free(w->wide);
    free(w->known);
}

bool lists_in_use(const struct machine *m)
{
    return m->began && !m->gone && !m->left;
}

void lists_begin(struct world *w, struct machine *m)
{
    world_story(w, "%s: a node that wants to join is started",
                w->config->nodes[m->id].name);
    m->began = true;
    keys_begin(w, m);
    world_post(w, w->now,
               (struct event){.kind = EV_START, .node = (uint8_t)m->id});
    for (uint32_t k = 0; k < w->setup->clients; k++)
        if (!w->config->nodes[m->id].witness)
            people_ask_later(w, m, k, 0);
}

bool lists_start(struct world *w, struct machine *m)
{
    struct live_config *c;

    if (!w->known)
        return true;
    if (!lists_in_use(m))
        return false;
    c = &w->known[m->id];
    *c = *w->setup->config;
    m->file = c;
    if (m->id < c->first_count)
        return true;
    c->nodes[m->id] = w->config->nodes[m->id];
    c->nodes_count = m->id + 1;
    return true;
}

/* ---- Who knows whom ------------------------------------------------------ */

bool lists_look(const struct world *w, const struct machine *m,
                struct live_lists_view *view)
{
    if (!lists_in_use(m) || !judge_is_running(w, &m->daemon) || !m->node.mode)
        return false;
    m->node.mode->kind->lists(m->node.mode, world_local_now(w, m), view);
    return true;
}

static void learn(const struct world *w, const struct machine *m, uint32_t id)
{
    struct live_config *c = &w->known[m->id];

    c->nodes[id] = w->config->nodes[id];
    if (c->nodes_count <= id)
        c->nodes_count = id + 1;
}

void lists_know(struct world *w, struct machine *m, live_node_set set)
{
    struct live_config *c = &w->known[m->id];
    const struct live_config was = {
        .nodes_count = c->nodes_count, .tau = c->tau, .lease = c->lease};

    *c = *w->setup->config;
    for (; set; set &= set - 1)
        learn(w, m, live_least(set));
    c->nodes_count = was.nodes_count;
    c->tau = was.tau;
    c->lease = was.lease;
    m->file = c;
}

bool lists_apply(struct world *w, struct machine *m,
                 const struct live_mode *mode)
{
    struct live_lists_view v;
    live_node_set listed;

    if (!w->known)
        return true;
    mode->kind->lists(mode, world_local_now(w, m), &v);
    if (!v.number)
        return true;
    listed = v.roster ? live_roster_nodes(v.roster) : 0;
    for (; listed; listed &= listed - 1)
        if (live_least(listed) != m->id)
            learn(w, m, live_least(listed));
    w->known[m->id].tau = v.tau;
    w->known[m->id].lease = v.lease > v.next_lease ? v.lease : v.next_lease;
    world_story(w, "%s: configuration %u, %s", w->config->nodes[m->id].name,
                v.number, v.joint ? "joint" : "stable");
    return !live_lists_left(&v, w->setup->config, m->id);
}

bool lists_knows(const struct world *w, const struct machine *m, uint32_t id)
{
    return !w->known || live_config_knows(&w->known[m->id], id);
}

bool lists_admits(struct world *w, struct machine *m, uint32_t from)
{
    struct live_lists_view v;

    if (lists_knows(w, m, from))
        return true;
    if (m->speaks < LIVE_SPEAKS_CHANGES || !lists_look(w, m, &v) ||
        from < live_lists_next(&v, w->setup->config))
        return false;
    learn(w, m, from);
    m->node.mode->kind->meet(m->node.mode, from);
    return true;
}

bool lists_is_dream(const struct world *w, live_node_set list)
{
    return !w->choices && live_has(list, w->nodes - 1);
}

/* ---- All machines -------------------------------------------------------- */

/* What a machine has on disk, and what its node has in mind. */
struct claim {
    live_node_set sets[10]; /* lists that are in force there, or may soon be */
    uint32_t count;
    bool joins, restless;
};

static void claim_conf(struct claim *c, const struct view_lock_conf *conf)
{
    if (!conf->k)
        return;
    c->sets[c->count++] = conf->list;
    if (conf->k & 1)
        c->sets[c->count++] = conf->old;
}

static void claim_record(const struct world *w, struct claim *c, uint32_t id,
                         const struct view_lock_record *r)
{
    c->joins |= r->joins;
    c->restless |= r->conf.k & 1;
    claim_conf(c, &r->conf);
    if (!r->conf.k && id < w->config->first_count)
        c->sets[c->count++] = live_first(w->config->first_count);
}

static void claim_disk(const struct world *w, struct claim *c, uint32_t id,
                       const struct live_kept *kept)
{
    struct live_engine_past past;

    if (live_proven_unpack(kept, w->setup->config, id, &past))
        claim_record(w, c, id, &past.record);
}

/* While a write is awaited what was there before may be there again. */
static struct claim claim_of(const struct world *w, const struct machine *m)
{
    struct claim c = {.count = 0};
    const struct live_engine *e;

    if (w->now < m->sure_at)
        claim_disk(w, &c, m->id, &m->before);
    if (!m->daemon.alive) {
        claim_disk(w, &c, m->id, &m->disk);
        return c;
    }
    e = live_mode_engine(m->node.mode);
    c.restless =
        e->state.wish || e->state.proposal.conf.k > e->state.record.conf.k;
    if (e->state.wish && !lists_is_dream(w, e->params.plan[0].list))
        c.sets[c.count++] = e->params.plan[0].list;
    if (e->state.proposal.view)
        claim_conf(&c, &e->state.proposal.conf);
    claim_record(w, &c, m->id, &e->state.record);
    return c;
}

live_node_set lists_listed(const struct world *w)
{
    live_node_set listed = 0;

    if (!w->known)
        return live_first(w->nodes);
    for (uint32_t i = 0; i < w->nodes; i++) {
        struct claim c = claim_of(w, &w->machines[i]);

        for (uint32_t k = 0; k < c.count && lists_in_use(&w->machines[i]); k++)
            listed |= c.sets[k];
    }
    return listed;
}

live_node_set lists_troubled(const struct world *w, live_node_set wished)
{
    live_node_set listed = lists_listed(w) | wished, bad = 0;

    for (uint32_t i = 0; i < w->nodes; i++) {
        const struct machine *m = &w->machines[i];

        if (live_has(listed, i) &&
            (m->missing || m->set_back ||
             (w->known && (!lists_in_use(m) || claim_of(w, m).joins))))
            bad |= live_only(i);
    }
    return bad;
}

bool lists_alone(const struct world *w, uint32_t id)
{
    bool alone = false;

    for (uint32_t i = 0; w->known && i < w->nodes; i++) {
        struct claim c = claim_of(w, &w->machines[i]);

        for (uint32_t k = 0; k < c.count; k++)
            alone |= c.sets[k] == live_only(id);
    }
    return alone;
}

/* ---- What is judged ------------------------------------------------------ */

static const char *name_of(const struct world *w, uint32_t id)
{
    return w->config->nodes[id].name;
}

/* A node that is not in the list of a stable view, once others may enter by
 * that: its leases are over. */
static bool holds(const struct world *w, const struct machine *m)
{
    const struct view_lock *s;

    if (!m->daemon.alive)
        return false;
    s = &live_mode_engine(m->node.mode)->state;
    for (uint32_t i = 0; i < s->used && world_local_now(w, m) < s->lease_end;
         i++)
        if (s->lock[i].role == MUTEX_INSIDE)
            return true;
    return false;
}

static void judge_outsiders(struct world *w, struct machine *m)
{
    const struct view_lock *s = &live_mode_engine(m->node.mode)->state;
    uint64_t now = world_local_now(w, m);

    if (!s->of_view.k || s->of_view.k & 1 || now >= s->lease_end ||
        s->view != s->record.maxv || !(s->clean || now >= s->quiet_end) ||
        s->lease_from < s->install_at)
        return;
    for (uint32_t i = 0; i < w->nodes; i++)
        if (!live_has(s->of_view.list, i) && holds(w, &w->machines[i]))
            judge(w, LIVE_HELD_OUTSIDE,
                  "%s holds a lock, and is not in configuration %u, by which "
                  "%s may enter",
                  name_of(w, i), s->of_view.k, name_of(w, m->id));
}

void lists_judge_node(struct world *w, struct machine *m)
{
    struct claim c;

    if (!w->known || !m->daemon.alive)
        return;
    c = claim_of(w, m);
    if (c.restless)
        w->restless = w->now + PATIENT * w->config->lease;
    judge_outsiders(w, m);
}

static const struct view_lock_conf *conf_of(const struct machine *m)
{
    return &live_mode_engine(m->node.mode)->state.record.conf;
}

/* A running node with the newest configuration. */
static const struct machine *newest(const struct world *w)
{
    const struct machine *best = NULL;

    for (uint32_t i = 0; i < w->nodes; i++) {
        const struct machine *m = &w->machines[i];

        if (lists_in_use(m) && m->daemon.alive &&
            (!best || conf_of(m)->k > conf_of(best)->k))
            best = m;
    }
    return best;
}

live_node_set lists_served(const struct world *w)
{
    const struct machine *m = w->known ? newest(w) : NULL;
    const struct view_lock_conf *c = m ? conf_of(m) : NULL;
    live_node_set set = 0;

    for (uint32_t i = 0; i < w->nodes; i++)
        if (!w->config->nodes[i].witness && i < w->file->nodes_count &&
            (!w->known || lists_in_use(&w->machines[i])) &&
            (!c || !c->k ? i < w->config->first_count : live_has(c->list, i)))
            set |= live_only(i);
    return set;
}

static void judge_end(struct world *w, const struct machine *m, uint32_t k)
{
    const struct view_lock_conf *c = conf_of(m);
    uint64_t calm = (w->now - w->calm_at) / 1000000;
    struct live_lists_view v;

    if (!lists_look(w, m, &v))
        return;
    world_story(w,
                "%s: configuration %u born in %u, list %" PRIx64
                ", heard %" PRIx64 ", of those joining %" PRIx64
                ", answered %" PRIx64,
                name_of(w, m->id), c->k, c->born, v.list, v.heard, v.joins,
                (uint64_t)live_mode_engine(m->node.mode)->state.answered);
    if (c->k & 1)
        judge(w, LIVE_NOT_CHANGED,
              "configuration %u is still joint at %s, though nothing was wrong "
              "for %" PRIu64 " s",
              c->k, name_of(w, m->id), calm);
    else if (c->k < k && live_has(v.list, m->id))
        judge(w, LIVE_NOT_CHANGED,
              "%s has not been told of configuration %u, though nothing was "
              "wrong for %" PRIu64 " s",
              name_of(w, m->id), k, calm);
    else if (v.asked && live_has(v.list, m->id) &&
             live_lists_can_end(
                 &v, live_mode_engine(m->node.mode)->params.plan[0].list))
        judge(w, LIVE_NOT_CHANGED,
              "the change that %s was asked for has not begun, though nothing "
              "was wrong for %" PRIu64 " s",
              name_of(w, m->id), calm);
}

static bool knows_any(const struct world *w, const struct machine *m,
                      live_node_set set)
{
    for (; set; set &= set - 1)
        if (lists_knows(w, m, live_least(set)))
            return true;
    return false;
}

/* Nodes that hear of the newest list in the end: not one that was passed by, or
 * removed in a change before the last one, while nobody heard it; nor one that
 * was away until all whom it knew had left. */
static live_node_set reached(const struct world *w, const struct machine *m)
{
    struct live_lists_view v;
    live_node_set set = live_first(w->config->first_count);

    m->node.mode->kind->lists(m->node.mode, world_local_now(w, m), &v);
    for (uint32_t i = live_lists_next(&v, w->setup->config); i < w->nodes; i++)
        set |= live_only(i);
    if (v.roster)
        set |= live_roster_nodes(v.roster);
    for (uint32_t i = 0; i < w->nodes; i++)
        if (!knows_any(w, &w->machines[i], v.list))
            set &= ~live_only(i);
    return set;
}

bool lists_at_rest(const struct world *w)
{
    const struct machine *m = w->known ? newest(w) : NULL;
    live_node_set set = m ? reached(w, m) : 0;

    for (uint32_t i = 0; i < w->nodes; i++) {
        const struct machine *o = &w->machines[i];

        if (live_has(set, i) && lists_in_use(o) &&
            (!o->daemon.alive || conf_of(o)->k & 1 ||
             conf_of(o)->k < conf_of(m)->k ||
             live_mode_engine(o->node.mode)->state.wish))
            return false;
    }
    return true;
}

void lists_judge(struct world *w)
{
    const struct machine *m = w->known ? newest(w) : NULL;
    live_node_set set;
    uint32_t k;

    if (!m)
        return;
    set = reached(w, m);
    k = conf_of(m)->k;
    w->result->changes += k / 2;
    for (uint32_t i = 0; i < w->nodes; i++)
        if (live_has(set, i) && lists_in_use(&w->machines[i]) &&
            w->machines[i].daemon.alive)
            judge_end(w, &w->machines[i], k);
}
