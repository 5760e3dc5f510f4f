/*
 * state.c - see state.h.
 *
 * One walk over all fields both saves and loads, so that nothing can be in the
 * one and not in the other.  Fields are walked one by one, because the
 * padding between them means nothing; the protocol's state has none.
 */
#include "live/rehearse/state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- The tape ------------------------------------------------------------ */

static bool has_room(struct tape *t, size_t size)
{
    size_t room = t->room ? t->room : 16384;
    uint8_t *bytes;

    while (room - t->used < size)
        room *= 2;
    if (room == t->room)
        return true;
    bytes = realloc(t->bytes, room);
    if (!bytes)
        return false;
    t->bytes = bytes;
    t->room = room;
    return true;
}

static inline void pass(struct tape *t, void *field, size_t size)
{
    if (t->loading) {
        assert(t->used - t->at >= size);
        memcpy(field, t->bytes + t->at, size);
        t->at += size;
    } else if (t->room - t->used >= size || has_room(t, size)) {
        memcpy(t->bytes + t->used, field, size);
        t->used += size;
    } else {
        t->failed = true;
    }
}

#define PASS(field) pass(t, &(field), sizeof(field))

/* Of a text only the part before its end. */
static void pass_text(struct tape *t, char *text)
{
    uint16_t size = (uint16_t)(t->loading ? 0 : strlen(text));

    PASS(size);
    pass(t, text, size);
    if (t->loading)
        text[size] = 0;
}

/* Of what is kept only what counts. */
static void pass_kept(struct tape *t, struct live_kept *kept)
{
    PASS(kept->starts);
    PASS(kept->size);
    PASS(kept->quiet);
    pass(t, kept->bytes, kept->size);
    if (t->loading)
        memset(kept->bytes + kept->size, 0, sizeof kept->bytes - kept->size);
}

void state_tape_free(struct tape *t)
{
    free(t->bytes);
    *t = (struct tape){0};
}

/* ---- Nodes --------------------------------------------------------------- */

static void pass_desk_client(struct tape *t, struct live_desk_client *c)
{
    PASS(c->state);
    if (c->state == LIVE_CLIENT_FRESH) {
        *c = (struct live_desk_client){.state = LIVE_CLIENT_FRESH};
        return;
    }
    PASS(c->shared);
    PASS(c->process);
    PASS(c->told);
    PASS(c->gone);
    PASS(c->lock);
    PASS(c->next);
    PASS(c->asked_at);
    PASS(c->wait_until);
    PASS(c->hold);
    PASS(c->grace);
    PASS(c->leave_by);
    PASS(c->token);
    PASS(c->granted_at);
    PASS(c->deadline);
    PASS(c->limit);
    PASS(c->killed_at);
}

static void pass_desk_lock(struct tape *t, struct live_desk_lock *l)
{
    PASS(l->used);
    PASS(l->commanded);
    PASS(l->id);
    PASS(l->granted);
    PASS(l->first);
    PASS(l->last);
    PASS(l->seen.phase);
    PASS(l->seen.shared);
    PASS(l->seen.token);
    PASS(l->seen.lacks);
    PASS(l->seen.wanted);
}

/* Its counts are for people. */
static void pass_desk(struct tape *t, struct live_desk *d)
{
    uint16_t locks = d->locks_used, clients = d->clients_used;

    PASS(d->end);
    PASS(d->wake);
    pass_text(t, d->stopping);
    pass_text(t, d->draining);
    pass_text(t, d->held_up);
    PASS(d->leaves);
    PASS(d->locks_used);
    PASS(d->clients_used);
    for (uint32_t i = 0; i < d->clients_used; i++)
        pass_desk_client(t, &d->clients[i]);
    for (uint32_t i = d->clients_used; i < clients; i++)
        d->clients[i] = (struct live_desk_client){0};
    for (uint32_t i = 0; i < d->locks_used; i++)
        pass_desk_lock(t, &d->locks[i]);
    for (uint32_t i = d->locks_used; i < locks; i++)
        d->locks[i] = (struct live_desk_lock){0};
}

/* Up to a field of a struct without padding, and some elements of the array
 * that the field is: the others are zero in a cluster of this size. */
#define PASS_UP_TO(from, type, field, count)                                   \
    do {                                                                       \
        pass(t, (from), offsetof(type, field));                                \
        pass(t, (from)->field, (count) * sizeof *(from)->field);               \
    } while (0)

static void pass_lock(struct tape *t, struct view_lock_one *lock,
                      uint32_t nodes)
{
    PASS_UP_TO(lock, struct view_lock_one, deferred_number, nodes);
    PASS(lock->request);
    PASS(lock->clear);
    pass(t, lock->clear_number, nodes * sizeof *lock->clear_number);
}

static void pass_protocol(struct tape *t, struct view_lock *s, uint32_t nodes)
{
    uint32_t used = s->used;

    PASS_UP_TO(s, struct view_lock, member_inc, nodes);
    pass(t, s->peer, nodes * sizeof *s->peer);
    PASS_UP_TO(&s->proposal, struct view_lock_proposal, est, nodes);
    pass(t, s->proposal.inc, nodes * sizeof *s->proposal.inc);
    for (uint32_t i = 0; i < nodes; i++)
        pass(t, s->proposal.age[i], nodes * sizeof **s->proposal.age);
    PASS_UP_TO(&s->news, struct view_lock_news, inc, nodes);
    for (uint32_t i = 0; i < s->used; i++)
        pass_lock(t, &s->lock[i], nodes);
    for (uint32_t i = s->used; i < used; i++)
        s->lock[i] = (struct view_lock_one){0};
}

static void pass_roster(struct tape *t, struct live_roster *r)
{
    PASS(r->hash);
    PASS(r->size);
    pass(t, r->bytes, r->hash ? r->size : 0);
}

/* Whom configurations name, and the change that is wished. */
static void pass_lists(struct tape *t, struct live_engine *e)
{
    struct view_lock_plan *plan = &e->params.plan[0];
    struct live_gathering *g = &e->lists.gathers;

    for (uint32_t i = 0; i < LIVE_LISTS_KNOWN; i++)
        pass_roster(t, &e->lists.known[i]);
    PASS(g->hash);
    if (g->hash) {
        PASS(g->parts);
        PASS(g->size);
        PASS(g->got);
        PASS(g->bytes);
    }
    PASS(e->me.nodes);
    PASS(e->told_k);
    PASS(e->told_born);
    PASS(e->long_record);
    PASS(e->params.tau);
    PASS(e->params.silence);
    PASS(e->params.delta);
    PASS(e->params.idle);
    PASS(plan->quiet);
    PASS(plan->names);
    PASS(plan->lease);
    PASS(plan->list);
    PASS(plan->witnesses);
}

/* Its counts and what it measures of delays are for people; parcels are empty
 * between events. */
static void pass_engine(struct tape *t, struct live_engine *e, uint32_t nodes)
{
    pass_protocol(t, &e->state, nodes);
    PASS(e->params.sync);
    PASS(e->disk);
    pass(t, e->shown, nodes * sizeof *e->shown);
    pass(t, e->shown_k, nodes * sizeof *e->shown_k);
    PASS(e->seed);
    PASS(e->wake_at);
    PASS(e->writing);
    PASS(e->mute);
    PASS(e->dead);
    for (uint32_t kind = 0; kind < LIVE_HELD_KINDS; kind++)
        for (uint32_t i = 0; i < nodes; i++) {
            struct view_lock_msg *m = &e->held[kind][i];

            PASS(m->view);
            if (m->view)
                PASS_UP_TO(m, struct view_lock_msg, each, nodes);
        }
}

/* The effects still to be carried out; their reasons are only words. */
static void pass_effects(struct tape *t, struct machine *m)
{
    struct live_effects *effects = &m->effects;
    uint32_t count = (uint32_t)(effects->count - m->next);

    PASS(count);
    if (t->loading) {
        live_effects_clear(effects);
        m->next = 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct live_effect one = {0};
        uint8_t bytes[LIVE_DATAGRAM_MAX];

        if (!t->loading)
            one = effects->list[m->next + i];
        PASS(one.kind);
        PASS(one.how);
        PASS(one.whom);
        PASS(one.lock);
        PASS(one.token);
        PASS(one.deadline);
        PASS(one.limit);
        if (one.kind != LIVE_DO_SEND) {
            one.why = one.kind == LIVE_DO_BREAK ? "it breaks" : NULL;
            one.at = one.size = 0;
            if (t->loading)
                *live_effect_add(effects, (enum live_effect_kind)one.kind) =
                    one;
            continue;
        }
        PASS(one.size);
        assert(one.size <= sizeof bytes);
        if (!t->loading)
            memcpy(bytes, live_effect_bytes(effects, &one), one.size);
        pass(t, bytes, one.size);
        if (t->loading)
            live_effect_send(effects, one.whom, bytes, one.size);
    }
}

static void pass_channel(struct tape *t, struct live_channel *c)
{
    PASS(c->sent);
    PASS(c->life);
    PASS(c->salt);
    PASS(c->maxv);
    PASS(c->told);
    PASS(c->window.highest);
    if (!t->loading)
        return;
    memset(c->window.taken, 0, sizeof c->window.taken);
    /* Nobody hears of lives from others here. */
    c->latest = (struct live_latest){.life = c->life, .salt = c->salt};
    c->version = c->salt != 0;
}

static void pass_self(struct tape *t, struct live_self *s)
{
    PASS(s->hash);
    PASS(s->life);
    PASS(s->salt);
    PASS(s->id);
    PASS(s->nodes_count);
    PASS(s->generation);
}

static void pass_seats(struct tape *t, struct machine *m)
{
    uint64_t used = 0;

    for (uint32_t i = 0; i < SEATS; i++)
        used |= (uint64_t)m->seats[i].used << i;
    PASS(used);
    for (uint32_t i = 0; i < SEATS; i++) {
        struct seat *s = &m->seats[i];

        if (!(used >> i & 1)) {
            s->used = false;
            continue;
        }
        s->used = true;
        PASS(s->killed);
        PASS(s->who);
        PASS(s->life);
    }
}
_Static_assert(SEATS == 64, "a bit for each");

/* There is a node in the world that is loaded, if there was one. */
static void make_node(struct world *w, struct machine *m)
{
    struct net_why error;
    struct live_past past = {.kept = m->disk};
    struct live_mode *mode;

    if (m->node.mode)
        return;
    mode = live_mode_of(m->file)->open(m->file, m->id, &past, &error);
    if (mode)
        daemon_open(w, m, mode);
    else
        w->failed = true;
}

/* A daemon that runs. */
static void pass_daemon(struct tape *t, struct world *w, struct machine *m)
{
    if (t->loading)
        make_node(w, m);
    if (w->failed)
        return;
    PASS(m->node.over);
    PASS(m->node.dead);
    pass_desk(t, &m->node.desk);
    pass_engine(t, live_mode_engine(m->node.mode), w->nodes);
    if (w->known)
        pass_lists(t, live_mode_engine(m->node.mode));
    pass_effects(t, m);
    pass_self(t, &m->self);
    for (uint32_t i = 0; i < w->nodes; i++) {
        if (t->loading) /* the keys are those of all worlds */
            live_channel_open(&m->channels[i], w->config->key, m->id, i);
        pass_channel(t, &m->channels[i]);
        PASS(m->hello_at[i]);
    }
    PASS(m->host_at);
    PASS(m->desk_at);
    pass_seats(t, m);
    PASS(m->slowest);
    PASS(m->stop_at);
    PASS(m->told);
}

/* ---- Clients ------------------------------------------------------------- */

static void pass_process(struct tape *t, struct process *p)
{
    PASS(p->alive);
    PASS(p->frozen);
}

static void pass_watcher(struct tape *t, struct live_watcher *w,
                         struct person *p)
{
    w->shared = &p->watch;
    PASS(w->who);
    PASS(w->beat);
    PASS(w->allowed);
    PASS(w->next);
    PASS(w->recent);
    PASS(w->before);
    PASS(w->until);
    PASS(w->noticed);
}

/* What belongs to its command. */
static void pass_command(struct tape *t, struct person *p)
{
    PASS(p->watch);
    pass_watcher(t, &p->by_client, p);
    pass_watcher(t, &p->by_guard, p);
    PASS(p->start_deadline);
    PASS(p->ends_at);
    PASS(p->inside);
}

/* Its try, from the first letter on; a grant may be on its way. */
static void pass_try(struct tape *t, struct person *p)
{
    PASS(p->lock);
    PASS(p->shared);
    PASS(p->alone);
    PASS(p->patience);
    PASS(p->hold);
    PASS(p->connected);
    PASS(p->seat);
    pass_process(t, &p->client);
    pass_process(t, &p->guard);
    pass_process(t, &p->command);
    PASS(p->page);
    PASS(p->token);
    PASS(p->lost);
}

/* Of when it was served only this counts: before all were to be, or since. */
static void pass_person(struct tape *t, const struct world *w, struct person *p)
{
    bool served = p->served_at >= w->calm_at;

    PASS(p->state);
    PASS(p->life);
    PASS(served);
    p->served_at = served ? w->calm_at : 0;
    if (t->loading)
        *p = (struct person){
            .state = p->state, .life = p->life, .served_at = p->served_at};
    if (p->state != AWAY)
        pass_try(t, p);
    if (p->state != AWAY && p->state != ASKS)
        pass_command(t, p);
}

/* ---- The whole ----------------------------------------------------------- */

/* What it knows of others, and what it waits for. */
static void pass_change(struct tape *t, struct world *w, struct machine *m)
{
    struct live_config *c = &w->known[m->id];
    bool unsure = w->now < m->sure_at;
    live_node_set known = 0;

    for (uint32_t i = 0; i < c->nodes_count; i++)
        if (live_config_knows(c, i))
            known |= live_only(i);
    PASS(known);
    PASS(c->nodes_count);
    PASS(c->tau);
    PASS(c->lease);
    if (t->loading && c->nodes_count)
        lists_know(w, m, known);
    PASS(m->began);
    PASS(m->gone);
    PASS(m->left);
    PASS(unsure);
    if (unsure) {
        PASS(m->sure_at);
        pass_kept(t, &m->before);
    } else {
        m->sure_at = 0;
        m->before = (struct live_kept){.size = 0};
    }
}

static void pass_machine(struct tape *t, struct world *w, struct machine *m)
{
    if (w->known)
        pass_change(t, w, m);
    PASS(m->base);
    PASS(m->base_local);
    PASS(m->ppm);
    pass_process(t, &m->daemon);
    PASS(m->asleep);
    PASS(m->life);
    pass_kept(t, &m->disk);
    pass_kept(t, &m->old);
    PASS(m->writes);
    PASS(m->overtaken);
    if (!m->writes)
        m->written_at = 0;
    PASS(m->written_at);
    if (m->writes)
        pass_kept(t, &m->writing);
    PASS(m->missing);
    PASS(m->write_max);
    PASS(m->disk_full);
    PASS(m->set_back);
    PASS(m->repaired);
    PASS(m->may_break);
    if (m->daemon.alive) {
        pass_daemon(t, w, m);
    } else if (t->loading) {
        live_node_close(&m->node);
        live_effects_clear(&m->effects);
        m->next = 0;
    }
    for (uint32_t k = 0; k < w->setup->clients; k++)
        pass_person(t, w, &m->people[k]);
}

static void pass_event(struct tape *t, struct world *w, struct event *e)
{
    PASS(e->at);
    PASS(e->kind);
    PASS(e->node);
    PASS(e->who);
    PASS(e->what);
    PASS(e->life);
    PASS(e->token);
    PASS(e->size);
    if (!e->size)
        return;
    if (t->loading && !(e->bytes = malloc(e->size))) {
        w->failed = true;
        t->at += e->size;
        return;
    }
    pass(t, e->bytes, e->size);
}

static void pass_queue(struct tape *t, struct world *w)
{
    uint32_t count = (uint32_t)w->queued;

    PASS(count);
    for (uint32_t i = 0; i < count && !t->loading; i++)
        pass_event(t, w, &w->queue[i]);
    for (uint32_t i = 0; i < count && t->loading; i++) {
        struct event e = {0};

        pass_event(t, w, &e);
        world_post(w, e.at, e);
    }
}

static void pass_world(struct tape *t, struct world *w)
{
    PASS(w->now);
    PASS(w->seed);
    PASS(w->calm);
    pass(t, w->cut, w->nodes * sizeof *w->cut);
    pass(t, w->locks, w->setup->locks * sizeof *w->locks);
    for (uint32_t i = 0; i < w->nodes; i++)
        pass_machine(t, w, &w->machines[i]);
    pass_queue(t, w);
}

void state_save(struct world *w, struct tape *t)
{
    state_tidy(w);
    t->used = 0;
    t->loading = false;
    pass_world(t, w);
    w->failed = w->failed || t->failed;
}

void state_load(struct world *w, struct tape *t)
{
    for (size_t i = 0; i < w->queued; i++)
        free(w->queue[i].bytes);
    w->queued = 0;
    w->order = 0;
    w->still = 0;
    t->at = 0;
    t->loading = true;
    pass_world(t, w);
    assert(w->failed || t->at == t->used);
}
