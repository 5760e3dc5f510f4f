/*
 * parts.c - see parts.h.
 */
#include "check/tell/parts.h"

#include "check/model/step.h"

void check_making_begin(struct check_making *w, struct check_model *m,
                        const uint32_t *vector, const struct check_move *move,
                        const void *msg)
{
    bool reads = move->kind == CHECK_READ;

    w->model = m;
    w->place =
        (struct net_place){&m->setup->net, &m->names, &m->graph, move->node};
    w->msg = msg;
    check_local_load(m, move->node, vector[m->local_at[move->node]], w->local);
    w->event =
        check_prepare(m, w->local, (enum check_move_kind)move->kind,
                      reads ? m->links[move->link].comes_by : move->what);
    w->event.now = ((const struct check_head *)(void *)w->local)->clock;
    if (m->cells_count)
        memcpy(w->cells, check_bytes(&m->cells, vector[m->cells_at], NULL),
               m->cells_count * sizeof w->cells[0]);
}

struct seeking {
    const struct check_making *making;
    struct trace_part *part;
    uint32_t branch; /* outcomes that come before the one that is wanted */
    uint32_t count;
};

/* One part of a step: of its effects only the cells matter for the next. */
struct obeying {
    const struct check_making *making;
    uint32_t *cells;
};

static bool seek_save(struct obeying *d)
{
    (void)d;
    return true;
}

static void seek_send(struct obeying *d, uint32_t slot, uint16_t port)
{
    (void)d;
    (void)slot;
    (void)port;
}

static void seek_store(struct obeying *d, uint32_t cell, uint32_t value)
{
    d->cells[cell] = value;
}

static void seek_start(struct obeying *d, uint32_t timer, uint64_t steps)
{
    (void)d;
    (void)timer;
    (void)steps;
}

static void seek_stop(struct obeying *d, uint32_t timer)
{
    (void)d;
    (void)timer;
}

#define OBEY(name)    FC_PASTE(seek_, name)
#define OBEY_DRIVER   struct obeying
#define OBEY_TIMERS   d->making->model->type->timers
#define OBEY_TOPOLOGY d->making->model->type->protocol->topology
#define OBEY_SELF     d->making->place.node
#define OBEY_NODES    d->making->model->nodes
#include "core/obey.inc"

static bool seek(struct seeking *s, const uint8_t *before,
                 const uint32_t *cells_before, const struct fc_event *event,
                 const void *msg, uint32_t deep)
{
    struct check_model *m = s->making->model;
    const struct net_place *place = &s->making->place;
    struct trace_part *part = &s->part[deep];
    _Alignas(8) uint8_t state[CHECK_LOCAL_MAX];
    uint32_t cells[CHECK_CELLS_MAX];
    struct fc_event next = {.now = event->now};
    enum fc_phase phase;
    enum fc_then then;

    if (deep + 1 == CHECK_PARTS_MAX)
        return false;
    memcpy(state, before, m->type->state_size);
    memcpy(cells, cells_before, m->cells_count * sizeof cells[0]);
    m->type->view(place, state, part->before, &phase);
    m->type->step(place, state, event, msg, &part->fx, m->buffer);
    then = seek_obey(&(struct obeying){s->making, cells}, &part->fx);
    m->type->view(place, state, part->after, &phase);
    s->count = deep + 1;
    if (then == FC_THEN_DONE)
        return s->branch-- == 0;
    next.kind = then == FC_THEN_LOAD    ? FC_LOADED
                : then == FC_THEN_GO_ON ? FC_GO_ON
                                        : FC_CHOICE;
    part[1] = (struct trace_part){.kind = next.kind};
    if (then == FC_THEN_LOAD)
        next.value = part[1].value = cells[part->fx.cell];
    if (then != FC_THEN_CHOOSE)
        return seek(s, state, cells, &next, NULL, deep + 1);
    for (; next.value < part->fx.choose; next.value++) {
        part[1].value = next.value;
        part[1].range = part->fx.choose;
        if (seek(s, state, cells, &next, NULL, deep + 1))
            return true;
    }
    return false;
}

uint32_t check_find_parts(const struct check_making *w, uint32_t branch,
                          struct trace_part part[CHECK_PARTS_MAX])
{
    struct seeking s = {w, part, branch, 0};

    part[0].value = part[0].range = 0;
    return seek(&s, w->local + sizeof(struct check_head), w->cells, &w->event,
                w->msg, 0)
               ? s.count
               : 0;
}
