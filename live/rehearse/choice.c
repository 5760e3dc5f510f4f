/*
 * choice.c - see choice.h: the points of a run, and the ways to go on there.
 *
 * The ways to depart are few and nasty: shorter than a lease or longer, before
 * something is done or after it, and nothing between.  Faults that would break
 * an assumption are not offered (may_rest).
 */
#include "live/rehearse/choice.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *words;
    int fault; /* enum live_fault; -1: none, it may happen any day */
} kinds[LIVE_DEPARTURE_KINDS] = {
    [LIVE_IF_CALM] = {"calm", "", -1},
    [LIVE_IF_LOST] = {"lost", "a datagram is lost", LIVE_FAULT_LOSS},
    [LIVE_IF_LATE] = {"late", "a datagram is late by half a lease",
                      LIVE_FAULT_LOSS},
    [LIVE_IF_LATER] = {"later", "a datagram is late by a lease and a half",
                       LIVE_FAULT_LOSS},
    [LIVE_IF_CUT] = {"cut", "the link is cut for a lease and a half",
                     LIVE_FAULT_CUT},
    [LIVE_IF_ALONE] = {"alone", "is cut off for a lease and a half",
                       LIVE_FAULT_CUT},
    [LIVE_IF_KILLED] = {"killed", "its daemon is killed", LIVE_FAULT_KILL},
    [LIVE_IF_WRITTEN] = {"written",
                         "its daemon is killed when the write has just "
                         "come through",
                         LIVE_FAULT_KILL},
    [LIVE_IF_CRASHED] = {"crashed", "its machine crashes", LIVE_FAULT_CRASH},
    [LIVE_IF_STALLED] = {"stalled", "its daemon stands still for K",
                         LIVE_FAULT_STALL},
    [LIVE_IF_FROZEN] = {"frozen",
                        "its daemon stands still for a lease and a half",
                        LIVE_FAULT_FREEZE},
    [LIVE_IF_ASLEEP] = {"asleep", "its machine sleeps for a lease and a half",
                        LIVE_FAULT_SLEEP},
    [LIVE_IF_STOPPED] = {"stopped", "its daemon is stopped in order",
                         LIVE_FAULT_STOP},
    [LIVE_IF_FORGOT] = {"forgot", "its daemon is killed and its record is lost",
                        LIVE_FAULT_LOST},
    [LIVE_IF_SET_BACK] = {"set-back",
                          "its daemon is killed and its record set "
                          "back",
                          LIVE_FAULT_OLD},
    [LIVE_IF_SLOW_DISK] = {"slow-disk", "the record is written in half a lease",
                           LIVE_FAULT_DISK},
    [LIVE_IF_UNWRITTEN] = {"unwritten",
                           "its daemon is killed before the write comes "
                           "through for which it waits",
                           LIVE_FAULT_KILL},
    [LIVE_IF_REPLACED] = {"replaced",
                          "is asked to replace the witness by another",
                          LIVE_FAULT_CHANGE},
    [LIVE_IF_REMOVED] = {"removed", "is asked to remove the other node",
                         LIVE_FAULT_CHANGE},
    [LIVE_IF_RETIMED] = {"retimed",
                         "is asked for leases of three quarters of the time",
                         LIVE_FAULT_CHANGE},
    [LIVE_IF_FAST] = {"fast", "its clock is as fast as the spread allows",
                      LIVE_FAULT_CLOCK},
    [LIVE_IF_SLOW] = {"slow", "its clock is as slow as the spread allows",
                      LIVE_FAULT_CLOCK},
    [LIVE_IF_LONG] = {"long", "its command works for two leases and a half",
                      -1},
    [LIVE_IF_NO_CLIENT] = {"no-client", "the same, and its client is killed",
                           LIVE_FAULT_CLIENT},
    [LIVE_IF_NO_GUARD] = {"no-guard", "the same, and its guard is killed",
                          LIVE_FAULT_CLIENT},
    [LIVE_IF_CLIENT_FROZEN] = {"client-frozen",
                               "the same, and its client stands still for two "
                               "leases",
                               LIVE_FAULT_FREEZE},
    [LIVE_IF_GUARD_FROZEN] = {"guard-frozen",
                              "the same, and its guard stands still for two "
                              "leases",
                              LIVE_FAULT_FREEZE},
    [LIVE_IF_BOTH_FROZEN] =
        {"both-frozen",
         "the same, and client and guard stand still for two "
         "leases",
         LIVE_FAULT_FREEZE},
    [LIVE_IF_SLOW_DEATH] = {"slow-death",
                            "its killed command is dead K/2 later", -1},
};

const char *live_departure_name(enum live_departure_kind kind)
{
    return kinds[kind].name;
}

void live_departure_tell(const struct live_config *config,
                         const struct live_departure *d, char *text,
                         size_t size)
{
    const struct live_config_node *nodes = config->nodes;

    if (d->node == d->other)
        snprintf(text, size, "%s: %s", nodes[d->node].name,
                 kinds[d->kind].words);
    else
        snprintf(text, size, "%s to %s: %s", nodes[d->node].name,
                 nodes[d->other].name, kinds[d->kind].words);
}

/* ---- Points -------------------------------------------------------------- */

/* A point in the making. */
static struct point at(const struct machine *m, uint32_t other)
{
    return (struct point){.node = (uint8_t)m->id, .other = (uint8_t)other};
}

static void offer(const struct world *w, struct point *p,
                  enum live_departure_kind kind)
{
    int fault = kinds[kind].fault;

    assert(p->count < OPTIONS_MAX);
    if (fault < 0 || (w->choices->faults >> fault & 1))
        p->options[p->count++] = (uint8_t)kind;
}

static void tell(const struct world *w, const struct live_departure *d)
{
    char text[128];

    live_departure_tell(w->config, d, text, sizeof text);
    world_story(w, "%" PRIu64 ":%s  %s", d->number, kinds[d->kind].name, text);
}

/* The departure that is wanted here; calm if there is none, or it cannot be
 * had. */
static enum live_departure_kind choose(struct world *w, const struct point *p)
{
    struct choices *c = w->choices;
    struct live_departure d = {
        .at = w->now, .node = p->node, .other = p->other};

    if (w->calm || !p->count)
        return LIVE_IF_CALM;
    if (c->count == POINTS_MAX) {
        w->failed = true;
        return LIVE_IF_CALM;
    }
    c->points[c->count++] = *p;
    d.number = c->number++;
    if (c->departed >= c->wanted_count ||
        c->wanted[c->departed].number != d.number)
        return LIVE_IF_CALM;
    d.kind = c->wanted[c->departed].kind;
    if (!memchr(p->options, (int)d.kind, p->count))
        return LIVE_IF_CALM;
    c->path[c->departed++] = d;
    if (kinds[d.kind].fault >= 0)
        w->result->done[kinds[d.kind].fault]++;
    tell(w, &d);
    return d.kind;
}

uint64_t choice_span(const struct world *w, uint64_t least, uint64_t most)
{
    uint64_t span = w->choices->span;

    return span < least || span > most ? least : span;
}

/* Beyond the lease of a node that is not heard meanwhile. */
static uint64_t above_lease(const struct world *w)
{
    return w->config->lease + w->config->lease / 2;
}

/* ---- Daemons ------------------------------------------------------------- */

static void strike(struct world *w, struct machine *m, enum live_fault what,
                   uint64_t span)
{
    w->choices->span = span;
    (void)faults_strike(w, what, m);
    w->choices->span = 0;
}

static void suffer(struct world *w, struct machine *m,
                   enum live_departure_kind kind)
{
    switch (kind) {
    case LIVE_IF_WRITTEN:
        m->old = m->disk;
        m->disk = m->writing;
        m->writes = false;
        strike(w, m, LIVE_FAULT_KILL, 0);
        break;
    case LIVE_IF_STALLED:
        daemon_freeze(w, m, w->now + w->config->kill);
        break;
    case LIVE_IF_FROZEN:
        daemon_freeze(w, m, w->now + above_lease(w));
        break;
    case LIVE_IF_REPLACED:
    case LIVE_IF_REMOVED:
    case LIVE_IF_RETIMED:
        operators_do(w, m, (enum operators_change)(kind - LIVE_IF_REPLACED));
        break;
    case LIVE_IF_ASLEEP:
        strike(w, m, LIVE_FAULT_SLEEP, above_lease(w));
        break;
    default:
        if (kind != LIVE_IF_CALM)
            strike(w, m, (enum live_fault)kinds[kind].fault, 0);
        break;
    }
}

/* Before anything of what follows from an event, and between two such things;
 * what concerns the whole machine, or takes its time, only before. */
void choice_act(struct world *w, struct machine *m)
{
    struct point p = at(m, m->id);

    if (m->effects.list[m->next].kind == LIVE_DO_NOTHING || w->calm)
        return;
    if (faults_may_rest(w, m, &m->daemon)) {
        offer(w, &p, LIVE_IF_KILLED);
        if (m->writes)
            offer(w, &p, LIVE_IF_WRITTEN);
        offer(w, &p, LIVE_IF_STALLED);
        offer(w, &p, LIVE_IF_FROZEN);
    }
    offer(w, &p, LIVE_IF_CRASHED);
    if (m->next == 0) {
        offer(w, &p, LIVE_IF_ASLEEP);
        offer(w, &p, LIVE_IF_STOPPED);
        offer(w, &p, LIVE_IF_FORGOT);
        offer(w, &p, LIVE_IF_SET_BACK);
        for (uint32_t i = 0; i <= OPERATORS_RETIME; i++)
            if (operators_may(w, m, (enum operators_change)i))
                offer(w, &p, (enum live_departure_kind)(LIVE_IF_REPLACED + i));
    }
    suffer(w, m, choose(w, &p));
}

void choice_start(struct world *w, struct machine *m)
{
    int64_t most = (int64_t)(w->config->spread_ppm / 2);
    struct point p = at(m, m->id);
    enum live_departure_kind kind;

    offer(w, &p, LIVE_IF_FAST);
    offer(w, &p, LIVE_IF_SLOW);
    kind = choose(w, &p);
    m->ppm = kind == LIVE_IF_FAST ? most : kind == LIVE_IF_SLOW ? -most : 0;
}

uint64_t choice_write(struct world *w, const struct machine *m)
{
    enum { SOON = 100 };
    struct point p = at(m, m->id);

    offer(w, &p, LIVE_IF_SLOW_DISK);
    return choose(w, &p) == LIVE_IF_SLOW_DISK ? w->config->lease / 2
                                              : (uint64_t)SOON;
}

bool choice_write_here(struct world *w, struct machine *m)
{
    struct point p = at(m, m->id);

    if (faults_may_rest(w, m, &m->daemon))
        offer(w, &p, LIVE_IF_UNWRITTEN);
    if (choose(w, &p) == LIVE_IF_CALM)
        return true;
    strike(w, m, LIVE_FAULT_KILL, 0);
    return false;
}

/* ---- Links --------------------------------------------------------------- */

static void cut_off(struct world *w, uint32_t a, uint32_t b)
{
    w->cut[a] |= live_only(b);
    w->cut[b] |= live_only(a);
    world_post(w, w->now + above_lease(w),
               (struct event){.kind = EV_HEAL, .what = LIVE_FAULT_CUT});
}

bool choice_datagram(struct world *w, uint32_t from, uint32_t to,
                     uint64_t *late)
{
    struct point p = at(&w->machines[from], to);

    offer(w, &p, LIVE_IF_LOST);
    offer(w, &p, LIVE_IF_LATE);
    offer(w, &p, LIVE_IF_LATER);
    if (from < to)
        offer(w, &p, LIVE_IF_CUT);
    if (to == (from == 0))
        offer(w, &p, LIVE_IF_ALONE);
    switch (choose(w, &p)) {
    case LIVE_IF_LOST:
        return false;
    case LIVE_IF_LATE:
        *late += w->config->lease / 2;
        return true;
    case LIVE_IF_LATER:
        *late += above_lease(w);
        return true;
    case LIVE_IF_CUT:
        cut_off(w, from, to);
        return false;
    case LIVE_IF_ALONE:
        for (uint32_t i = 0; i < w->nodes; i++)
            if (i != from)
                cut_off(w, from, i);
        return false;
    default:
        return true;
    }
}

/* ---- Clients and commands ------------------------------------------------ */

/* Between the grant and the start of the command. */
void choice_granted(struct world *w, struct machine *m)
{
    struct point p = at(m, m->id);

    offer(w, &p, LIVE_IF_ASLEEP);
    suffer(w, m, choose(w, &p));
}

static void freeze(struct world *w, struct machine *m, struct person *p,
                   struct process *which)
{
    if (faults_may_rest(w, m, which))
        people_freeze(w, m, (uint32_t)(p - m->people), which,
                      w->now + 2 * w->config->lease);
}

uint64_t choice_hold(struct world *w, struct machine *m, struct person *p)
{
    struct point at_start = at(m, m->id);
    enum live_departure_kind kind;

    offer(w, &at_start, LIVE_IF_LONG);
    offer(w, &at_start, LIVE_IF_NO_CLIENT);
    offer(w, &at_start, LIVE_IF_NO_GUARD);
    offer(w, &at_start, LIVE_IF_CLIENT_FROZEN);
    offer(w, &at_start, LIVE_IF_GUARD_FROZEN);
    offer(w, &at_start, LIVE_IF_BOTH_FROZEN);
    kind = choose(w, &at_start);
    if (kind == LIVE_IF_NO_CLIENT && faults_may_rest(w, m, &p->client))
        people_die(w, m, (uint32_t)(p - m->people));
    if (kind == LIVE_IF_NO_GUARD && faults_may_rest(w, m, &p->guard))
        p->guard.alive = false;
    if (kind == LIVE_IF_CLIENT_FROZEN || kind == LIVE_IF_BOTH_FROZEN)
        freeze(w, m, p, &p->client);
    if (kind == LIVE_IF_GUARD_FROZEN || kind == LIVE_IF_BOTH_FROZEN)
        freeze(w, m, p, &p->guard);
    return kind == LIVE_IF_CALM ? w->config->lease / 4
                                : 5 * w->config->lease / 2;
}

uint64_t choice_death(struct world *w, const struct machine *m)
{
    struct point p = at(m, m->id);

    offer(w, &p, LIVE_IF_SLOW_DEATH);
    return choose(w, &p) == LIVE_IF_SLOW_DEATH ? w->config->kill / 2 - 1 : 0;
}
