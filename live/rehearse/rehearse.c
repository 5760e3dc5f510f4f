/*
 * rehearse.c - see rehearse.h: time, chance, and the whole.
 */
#include "live/rehearse/world.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/grow.h"
#include "net/sane.h"

enum {
    SECOND = 1000000,
    FIRST_CLOCK = 1000000000, /* the least that a clock shows at first */
    STILL_MAX = 1000000,      /* events at one time */
    SANE_EVERY = 16,          /* events, the world is judged */
};

/* ---- Chance -------------------------------------------------------------- */

uint64_t world_draw(struct world *w)
{
    uint64_t x = w->seed += UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

uint64_t world_draw_below(struct world *w, uint64_t count)
{
    return count && !w->choices ? world_draw(w) % count : 0;
}

uint64_t world_draw_between(struct world *w, uint64_t least, uint64_t most)
{
    return least + world_draw_below(w, most - least + 1);
}

uint64_t world_draw_span(struct world *w, uint64_t least, uint64_t most)
{
    uint32_t doublings = 0;
    uint64_t from;

    if (w->choices)
        return choice_span(w, least, most);
    while (least << (doublings + 1) <= most)
        doublings++;
    from = least << world_draw_below(w, doublings + 1);
    return world_draw_between(w, from, 2 * from < most ? 2 * from : most);
}

bool world_chance(struct world *w, uint32_t of, uint32_t out_of)
{
    return of && !w->choices && world_draw_below(w, out_of) < of;
}

bool world_is_silent(const struct world *w)
{
    return w->config->mode == LIVE_SILENCE;
}

/* ---- Rules between two steps --------------------------------------------- */

static const char *sane_machine(const struct machine *m)
{
    for (uint32_t i = 0; i < PEOPLE_MAX; i++) {
        const struct person *p = &m->people[i];

        if (p->inside && (p->state != WORKS || !p->command.alive || !p->token))
            return "a command that is inside lives, and has a token";
        if (p->page.deadline > p->page.promised)
            return "a deadline was promised";
    }
    return m->next <= m->effects.count ? NULL
                                       : "no effect is behind the last one";
}

const char *world_sane(const struct world *w)
{
    for (size_t i = 0; i < w->queued; i++) {
        if (w->queue[i].at < w->now)
            return "what is still to come is not of the past";
        if (i > 0 && world_sooner(&w->queue[i], &w->queue[(i - 1) / 2]))
            return "what comes next is first in the queue";
        if (w->queue[i].node >= w->nodes || w->queue[i].who >= PEOPLE_MAX)
            return "what happens, happens to somebody";
    }
    for (uint32_t i = 0; i < w->nodes; i++)
        if (sane_machine(&w->machines[i]))
            return sane_machine(&w->machines[i]);
    for (uint32_t i = 0; i < LOCKS_MAX; i++)
        if (w->locks[i].greatest_exclusive > w->locks[i].greatest)
            return "a writer's token is not above the greatest";
    return NULL;
}

/* ---- Time ---------------------------------------------------------------- */

bool world_sooner(const struct event *a, const struct event *b)
{
    if (a->at != b->at)
        return a->at < b->at;
    if (a->kind != b->kind)
        return a->kind < b->kind;
    return (int32_t)(a->order - b->order) < 0;
}

static void rise(struct event *queue, size_t i)
{
    struct event e = queue[i];

    for (; i > 0 && world_sooner(&e, &queue[(i - 1) / 2]); i = (i - 1) / 2)
        queue[i] = queue[(i - 1) / 2];
    queue[i] = e;
}

static void sink(struct event *queue, size_t count)
{
    struct event e = queue[0];
    size_t i = 0, child;

    while ((child = 2 * i + 1) < count) {
        if (child + 1 < count && world_sooner(&queue[child + 1], &queue[child]))
            child++;
        if (!world_sooner(&queue[child], &e))
            break;
        queue[i] = queue[child];
        i = child;
    }
    queue[i] = e;
}

static void put(struct world *w, const struct event *e)
{
    if (!net_grow(&w->queue, w->queued, sizeof *w->queue)) {
        w->failed = true;
        free(e->bytes);
        return;
    }
    w->queue[w->queued++] = *e;
    rise(w->queue, w->queued - 1);
}

static struct event take(struct world *w)
{
    struct event first = w->queue[0];

    w->queue[0] = w->queue[--w->queued];
    if (w->queued)
        sink(w->queue, w->queued);
    return first;
}

void world_post(struct world *w, uint64_t at, struct event e)
{
    e.at = at;
    e.order = w->order++;
    put(w, &e);
}

uint64_t world_local_now(const struct world *w, const struct machine *m)
{
    return world_local_at(m, w->now);
}

uint64_t world_local_at(const struct machine *m, uint64_t at)
{
    /* Times of the world are below 2^63 / 10^6: a hundred days. */
    int64_t past = (int64_t)(at - m->base);

    return m->base_local + (uint64_t)(past + past * m->ppm / 1000000);
}

uint64_t world_time(const struct world *w, const struct machine *m,
                    uint64_t local)
{
    uint64_t at;

    if (local <= world_local_now(w, m))
        return w->now;
    at = m->base +
         (local - m->base_local) * 1000000 / (uint64_t)(1000000 + m->ppm);
    while (world_local_at(m, at) < local)
        at++;
    return at;
}

void world_clock_change(struct world *w, struct machine *m)
{
    int64_t most = (int64_t)(w->config->spread_ppm / 2);
    int64_t ppm[] = {-most, most, 0};

    ppm[2] = (int64_t)world_draw_below(w, 2 * (uint64_t)most + 1) - most;
    m->base_local = world_local_now(w, m);
    m->base = w->now;
    m->ppm = ppm[world_draw_below(w, 3)];
}

void world_story(const struct world *w, const char *format, ...)
{
    va_list arguments;

    if (!w->setup->log)
        return;
    printf("%8" PRIu64 ".%06" PRIu64 "  ", w->now / SECOND, w->now % SECOND);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
}

/* ---- The whole ----------------------------------------------------------- */

static void happens(struct world *w, struct event *e)
{
    struct machine *m = &w->machines[e->node];

    w->result->events++;
    switch (e->kind) {
    case EV_GO_ON:
    case EV_DESK_DUE:
    case EV_DATAGRAM:
    case EV_LETTER:
    case EV_WRITTEN:
    case EV_LOOK:
    case EV_HOST_DUE:
    case EV_LEFT:
        daemon_event(w, m, e);
        break;
    case EV_START:
        daemon_start(w, m);
        break;
    case EV_FAULT:
        faults_next(w);
        break;
    case EV_FLAP:
        faults_flap(w);
        break;
    case EV_HEAL:
        faults_end(w, e);
        break;
    case EV_CALM:
        faults_heal(w);
        break;
    default:
        people_event(w, m, e);
        break;
    }
    free(e->bytes);
}

/* H, the hold-down of W5, is at most 32 S: the time for which a node may be
 * left out after its links are back.  Mode silence leaves out nobody. */
static uint64_t calm_time(const struct live_config *c)
{
    uint64_t silence = c->silence ? c->silence : live_config_quiet(c);

    return c->mode == LIVE_SILENCE ? 40 * c->lease + 20 * (uint64_t)SECOND
                                   : 40 * silence + 60 * (uint64_t)SECOND;
}

int world_begin(struct world *w)
{
    const struct live_rehearsal *setup = w->setup;

    w->config = setup->config;
    w->nodes = setup->config->nodes_count;
    if (lists_open(w))
        return -1;
    w->machines = calloc(w->nodes, sizeof *w->machines);
    if (!w->machines || keys_open(w)) {
        lists_close(w);
        free(w->machines);
        return -1;
    }
    w->file = w->config;
    for (uint32_t i = 0; i < w->nodes; i++) {
        struct machine *m = &w->machines[i];

        m->id = i;
        m->file = w->config;
        m->base_local = FIRST_CLOCK + world_draw_below(w, FIRST_CLOCK);
        m->write_max = 5000;
        world_clock_change(w, m);
        m->began = i < setup->config->nodes_count || w->choices;
        if (!m->began)
            continue;
        world_post(w, world_draw_below(w, SECOND),
                   (struct event){.kind = EV_START, .node = (uint8_t)i});
        for (uint32_t k = 0; k < setup->clients; k++)
            if (!w->config->nodes[i].witness)
                people_ask_later(w, m, k, 0);
    }
    upgrade_open(w);
    w->calm_at = setup->time;
    world_post(w, 2 * SECOND, (struct event){.kind = EV_FAULT});
    world_post(w, w->calm_at, (struct event){.kind = EV_CALM});
    return 0;
}

void world_end(struct world *w)
{
    for (size_t i = 0; i < w->queued; i++)
        free(w->queue[i].bytes);
    free(w->queue);
    for (uint32_t i = 0; i < w->nodes; i++) {
        live_node_close(&w->machines[i].node);
        live_effects_free(&w->machines[i].effects);
    }
    free(w->machines);
    free(w->files);
    free(w->rings);
    lists_close(w);
}

bool world_step(struct world *w)
{
    uint64_t until = w->setup->time + calm_time(w->config);
    struct event e;

    if (!w->queued || w->failed || w->result->broken != LIVE_KEPT)
        return false;
    e = take(w);
    if (e.at > until) {
        free(e.bytes);
        return false;
    }
    w->still = e.at == w->now ? w->still + 1 : 0;
    w->now = e.at;
    if (w->still > STILL_MAX)
        judge(w, LIVE_NODE_BROKE, "time stands still");
    happens(w, &e);
    if (w->order % SANE_EVERY == 0)
        NET_ASSERT_SANE("the world", world_sane(w));
    return true;
}

void world_judge(struct world *w)
{
    if (w->failed || w->result->broken != LIVE_KEPT)
        return;
    w->now = w->setup->time + calm_time(w->config);
    judge_calm(w);
}

int live_rehearse(const struct live_rehearsal *setup,
                  struct live_rehearsed *result)
{
    struct world w = {.setup = setup,
                      .result = result,
                      .seed = setup->seed * UINT64_C(0x2545f4914f6cdd1d)};

    memset(result, 0, sizeof *result);
    if (world_begin(&w))
        return -1;
    while (world_step(&w))
        continue;
    world_judge(&w);
    result->at = w.now;
    world_end(&w);
    return w.failed ? -1 : 0;
}
