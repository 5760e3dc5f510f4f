/*
 * tidy.c - see state.h: what has no future is thrown out of a world, so that
 * worlds with the same future are the same.
 */
#include "live/rehearse/state.h"

#include <stdlib.h>
#include <string.h>

/* Of the timers of a daemon only those count that it waits for; and a message
 * for an earlier life of a process is not read. */
static bool is_stale(const struct world *w, size_t i)
{
    const struct event *e = &w->queue[i];
    const struct machine *m = &w->machines[e->node];

    switch (e->kind) {
    case EV_DESK_DUE:
        return !m->daemon.alive || e->life != m->life || e->token != m->desk_at;
    case EV_HOST_DUE:
        return !m->daemon.alive || e->life != m->life || e->token != m->host_at;
    case EV_GO_ON:
    case EV_LETTER:
    case EV_WRITTEN:
    case EV_LOOK:
    case EV_LEFT:
        return !m->daemon.alive || e->life != m->life;
    case EV_BEGIN:
    case EV_ANSWER:
    case EV_DEAD:
    case EV_END:
    case EV_WATCH:
    case EV_GUARD:
    case EV_THAW:
    case EV_ASK:
        return e->life != m->people[e->who].life;
    default:
        return false;
    }
}

static int by_time(const void *a, const void *b)
{
    return world_sooner(a, b) ? -1 : 1;
}

/* A timer that was set to another time and back has two events, of which the
 * second finds it not set. */
static bool is_double(const struct world *w, size_t i)
{
    const struct event *e = &w->queue[i], *other = e;

    if (e->kind != EV_DESK_DUE && e->kind != EV_HOST_DUE)
        return false;
    while (other-- > w->queue && other->at == e->at && other->kind == e->kind)
        if (other->node == e->node && other->token == e->token)
            return true;
    return false;
}

static void throw_out(struct world *w,
                      bool (*is_useless)(const struct world *w, size_t i))
{
    size_t kept = 0;

    for (size_t i = 0; i < w->queued; i++)
        if (is_useless(w, i))
            free(w->queue[i].bytes);
        else
            w->queue[kept++] = w->queue[i];
    w->queued = kept;
}

/* In the order in which they will come, which is a heap, too. */
static void tidy_queue(struct world *w)
{
    throw_out(w, is_stale);
    qsort(w->queue, w->queued, sizeof *w->queue, by_time);
    throw_out(w, is_double);
    for (size_t i = 0; i < w->queued; i++)
        w->queue[i].order = (uint32_t)i;
    w->order = (uint32_t)w->queued;
}

/* What earlier tries have left behind is set again before it is read. */
static void tidy_person(const struct machine *m, struct person *p)
{
    struct person keep = *p;

    if (!p->inside)
        p->ends_at = 0;
    if (p->state != AWAY && p->state != ASKS)
        return;
    *p = (struct person){
        .state = keep.state, .life = keep.life, .served_at = keep.served_at};
    if (p->state == AWAY)
        return;
    p->lock = keep.lock;
    p->shared = keep.shared;
    p->alone = keep.alone;
    p->patience = keep.patience;
    p->hold = keep.hold;
    p->connected = keep.connected;
    p->client = keep.client;
    p->guard = keep.guard;
    p->command = keep.command;
    p->page = keep.page;
    p->lost = keep.lost;
    if (keep.page.promised)
        p->token = keep.token;
    if (m->seats[keep.seat].used && m->seats[keep.seat].life == keep.life)
        p->seat = keep.seat;
}

/* Which numbers were taken does not matter where no datagram comes twice. */
static void tidy_window(struct live_window *window)
{
    memset(window->taken, 0, sizeof window->taken);
}

void state_tidy(struct world *w)
{
    tidy_queue(w);
    for (uint32_t i = 0; i < w->nodes; i++) {
        struct machine *m = &w->machines[i];

        for (uint32_t k = 0; k < w->nodes; k++)
            tidy_window(&m->channels[k].window);
        for (uint32_t k = 0; k < w->setup->clients; k++)
            tidy_person(m, &m->people[k]);
    }
}
