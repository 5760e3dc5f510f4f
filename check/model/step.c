/*
 * step.c - what an event does to a local state: computed by the protocol once,
 * then remembered (see step.h).
 */
#include "check/model/step.h"

#include "check/model/links.h"
#include "net/route.h"

/* Whether a command is an operator's, and not an application's. */
static bool is_operators(const struct check_model *m, enum check_move_kind kind,
                         uint32_t what)
{
    const struct fc_protocol *p = m->type->protocol;

    return kind == CHECK_COMMAND && p->change && what >= p->change;
}

/* A step in progress: the local state, and what was sent so far. */
struct working {
    struct check_model *model;
    uint32_t node;
    const struct check_info *before;
    struct net_place place;
    enum check_move_kind kind;
    bool by_operator, obeyed, hit;
    uint32_t range;              /* of its first draw, if that matters */
    uint8_t counted;             /* notes of the protocol's own */
    uint32_t odds;               /* one in this number, by the choices so far */
    uint8_t seen[NET_VIEW_SIZE]; /* of the node, before the event */
    uint32_t cells[CHECK_CELLS_MAX];
    uint32_t sends_count;
    struct check_send sends[256];
};

enum { PARTS_MAX = 64 }; /* of one step */

static bool grow(struct check_model *m, uint32_t sends)
{
    if (m->outcomes_count == m->outcomes_room) {
        uint32_t room = (uint32_t)check_more(m->outcomes_room);
        struct check_outcome *list =
            check_grow(&m->memory, m->outcomes, m->outcomes_room * sizeof *list,
                       room * sizeof *list);

        if (!list)
            return false;
        m->outcomes = list;
        m->outcomes_room = room;
    }
    if (!m->sends || m->sends_count + sends > m->sends_room) {
        uint32_t room = (uint32_t)check_more(m->sends_room + sends);
        struct check_send *list =
            check_grow(&m->memory, m->sends, m->sends_room * sizeof *list,
                       room * sizeof *list);

        if (!list)
            return false;
        m->sends = list;
        m->sends_room = room;
    }
    return true;
}

/* Whether this change of a view breaks something, as another leader does. */
static bool breaks_alone(const struct check_model *m, uint32_t node,
                         uint32_t before, uint32_t after)
{
    struct net_scene scene = {
        .net = &m->setup->net, .nodes = 1, .actor[0].id = node + 1};
    struct net_news news;

    memcpy(scene.actor[0].view, check_bytes(&m->views, before, NULL),
           NET_VIEW_SIZE);
    m->type->change(&scene, 0, check_bytes(&m->views, after, NULL), &news);
    return (news.broken & m->setup->properties) != 0;
}

/* The steps after which a site that has just entered leaves at the latest. */
static void time_section(const struct working *w, uint8_t *local)
{
    struct check_head *head = (struct check_head *)(void *)local;
    uint8_t view[NET_VIEW_SIZE];
    enum fc_phase phase;

    w->model->type->view(&w->place, local + sizeof *head, view, &phase);
    if (phase != FC_INSIDE || (head->flags & CHECK_DOWN))
        head->section = 0;
    else if (w->before->phase != FC_INSIDE || w->kind == CHECK_RESTART)
        head->section = 1 + w->model->setup->section;
}

/* What the watch knows of a node with a guard: the view as it last changed,
 * except that a node whose time is over is not inside. */
static void tell_watch(const struct working *w, uint8_t *local)
{
    const struct check_model *m = w->model;
    const struct check_head *head = (const struct check_head *)(void *)local;
    uint8_t view[NET_VIEW_SIZE];
    enum fc_phase phase;
    uint64_t until;

    if (!m->told_at || !check_is_event(w->kind))
        return;
    m->type->view(&w->place, local + sizeof *head, view, &phase);
    if (memcmp(view, w->seen, sizeof view) == 0)
        return;
    if (m->type->inside(view, &until) && until && until <= head->clock)
        memset(view, 0, sizeof view);
    memcpy(local + m->told_at, view, sizeof view);
}

/* Its time is over: whatever the node does or cannot do, it is stopped. */
static void guard(const struct check_model *m, uint8_t *local)
{
    const struct check_head *head = (const struct check_head *)(void *)local;
    uint64_t until;

    if (m->told_at && m->type->inside(local + m->told_at, &until) && until &&
        until <= head->clock)
        memset(local + m->told_at, 0, NET_VIEW_SIZE);
}

/* The step is complete: one outcome more. */
static void conclude(const struct working *w, uint8_t *local)
{
    struct check_model *m = w->model;
    struct check_head *head = (struct check_head *)(void *)local;
    struct check_outcome *o;
    uint32_t number;
    bool changes, insane;

    if (w->kind == CHECK_COMMAND && !w->by_operator) {
        if (w->obeyed)
            head->flags |= CHECK_STARTED;
        if (w->obeyed && m->timed && !m->type->reads_all)
            head->flags |= CHECK_CLOSED;
        if (m->type->repeats) { /* there, the starters do not matter */
            head->flags &= (uint8_t)~CHECK_STARTED;
            if (w->obeyed && w->before->phase == FC_IDLE &&
                m->setup->entries != CHECK_ENTRIES_ANY)
                head->left--;
        }
    }
    if (m->timed && m->type->repeats)
        time_section(w, local);
    tell_watch(w, local);
    if (m->type->forget)
        m->type->forget(local + sizeof *head);
    number = check_local(m, w->node, local);
    if (!grow(m, w->sends_count))
        return;
    changes = check_info_of(m, w->node, number)->view != w->before->view;
    insane = check_info_of(m, w->node, number)->insane;
    o = &m->outcomes[m->outcomes_count++];
    *o = (struct check_outcome){
        .local = number,
        .sends = m->sends_count,
        .odds = w->odds,
        .sends_count = (uint16_t)w->sends_count,
        .cells = m->cells_count
                     ? check_intern(&m->cells, &m->memory, w->cells,
                                    m->cells_count * sizeof w->cells[0])
                     : 0,
        /* A node that comes back as it was may find another in its place. */
        .seen = changes || insane || w->kind == CHECK_RESTART,
        .odd = insane,
        .obeyed = w->obeyed,
        .hit = w->hit,
        .range = w->range,
        .counted = w->counted,
    };
    check_fit(m, o->cells, CHECK_MESSAGE_BITS);
    if (changes && w->kind != CHECK_CRASH)
        o->odd |= breaks_alone(m, w->node, w->before->view,
                               check_info_of(m, w->node, number)->view);
    memcpy(m->sends + m->sends_count, w->sends,
           w->sends_count * sizeof w->sends[0]);
    m->sends_count += w->sends_count;
}

/* A part of a step: what it wants done, and where. */
struct obeying {
    struct working *w;
    uint8_t *local;
};

static struct check_head *head_of(const struct obeying *d)
{
    return (struct check_head *)(void *)d->local;
}

static bool step_save(struct obeying *d)
{
    struct check_model *m = d->w->model;

    if (m->record_at)
        memcpy(d->local + m->record_at, d->local + sizeof(struct check_head),
               m->type->record_size);
    return true;
}

static void step_send(struct obeying *d, uint32_t slot, uint16_t port)
{
    struct working *w = d->w;
    struct check_model *m = w->model;
    enum fc_topology shape = m->type->protocol->topology;

    if (shape == FC_COMPLETE && port == w->node)
        m->refusal = "a node sends a message to itself, and there is no "
                     "such link here; only the simulator has it";
    if (port >= net_ports(shape, &m->graph, m->nodes, w->node))
        m->refusal = "a node sends by a link that it does not have";
    else if (w->sends_count == sizeof w->sends / sizeof w->sends[0])
        m->refusal = "a step sends more than 256 messages";
    else
        w->sends[w->sends_count++] = (struct check_send){
            port, check_message(m, m->buffer + slot * m->type->msg_size)};
}

static void step_store(struct obeying *d, uint32_t cell, uint32_t value)
{
    d->w->cells[cell] = value;
}

static void step_start(struct obeying *d, uint32_t timer, uint64_t steps)
{
    struct check_model *m = d->w->model;

    if (steps == FC_NEVER)
        head_of(d)->timer[timer] = 0;
    else if (!m->timed)
        head_of(d)->timer[timer] = 1;
    else if (steps >= UINT32_MAX / 2)
        m->refusal = "it sets a timer of more than 2^31 steps, and every tick "
                     "is tried";
    else
        head_of(d)->timer[timer] = 1 + (uint32_t)steps;
}

static void step_stop(struct obeying *d, uint32_t timer)
{
    head_of(d)->timer[timer] = 0;
}

#define OBEY(name)    FC_PASTE(step_, name)
#define OBEY_DRIVER   struct obeying
#define OBEY_TIMERS   d->w->model->type->timers
#define OBEY_TOPOLOGY d->w->model->type->protocol->topology
#define OBEY_SELF     d->w->node
#define OBEY_NODES    d->w->model->nodes
#include "core/obey.inc"

static void act(struct working *w, const uint8_t *before,
                const struct fc_event *event, const void *msg, uint32_t deep);

/* The step goes on with a choice, in all ways. */
static void choose(struct working *w, uint8_t *local, uint32_t range,
                   uint32_t deep)
{
    struct check_model *m = w->model;
    struct check_head *head = (struct check_head *)(void *)local;
    bool first = m->setup->given_draw && !(head->flags & CHECK_DREW);

    if (first) {
        head->flags |= CHECK_DREW;
        w->range = range;
    }
    for (uint32_t value = 0; value < range && !m->refusal; value++) {
        struct fc_event chosen = {.kind = FC_CHOICE, .value = value};

        if (first)
            w->hit = value + 1 == m->setup->given_draw;
        act(w, local, &chosen, NULL, deep + 1);
    }
    if (first) {
        w->range = 0;
        w->hit = false;
    }
}

/* One event, and everything its step goes on to, along every branch. */
static void act(struct working *w, const uint8_t *before,
                const struct fc_event *event, const void *msg, uint32_t deep)
{
    struct check_model *m = w->model;
    _Alignas(8) uint8_t local[CHECK_LOCAL_MAX];
    struct check_head *head = (struct check_head *)(void *)local;
    struct fc_event now = *event;
    struct fc_effects fx;
    uint32_t sends = w->sends_count, cells[CHECK_CELLS_MAX];
    uint32_t odds = w->odds;
    uint8_t counted = w->counted;
    bool obeyed = w->obeyed;
    enum fc_then then;

    memcpy(local, before, m->local_size);
    memcpy(cells, w->cells, m->cells_count * sizeof cells[0]);
    now.now = head->clock;
    m->type->step(&w->place, local + sizeof *head, &now, msg, &fx, m->buffer);
    then = step_obey(&(struct obeying){w, local}, &fx);
    w->obeyed |= (fx.notes & FC_NOTE_STARTED) != 0;
    w->counted |= (uint8_t)(fx.notes / FC_NOTE_OWN);
    m->coins |= fx.choose > 1;
    if (deep == PARTS_MAX || m->memory.failed)
        m->refusal =
            m->memory.failed ? m->refusal : "a step has more than 64 parts";
    else if (then == FC_THEN_LOAD)
        act(w, local,
            &(struct fc_event){.kind = FC_LOADED, .value = w->cells[fx.cell]},
            NULL, deep + 1);
    else if (then == FC_THEN_GO_ON)
        act(w, local, &(struct fc_event){.kind = FC_GO_ON}, NULL, deep + 1);
    else if (then == FC_THEN_DONE)
        conclude(w, local);
    else if (__builtin_mul_overflow(odds, fx.choose, &w->odds))
        m->refusal = "a step has more than 2^32 outcomes";
    else
        choose(w, local, fx.choose, deep);
    memcpy(w->cells, cells, m->cells_count * sizeof cells[0]);
    w->sends_count = sends;
    w->odds = odds;
    w->obeyed = obeyed;
    w->counted = counted;
}

static void count_step(struct check_head *head)
{
    for (uint32_t t = 0; t < FC_TIMERS; t++)
        if (head->timer[t] > 1)
            head->timer[t]--;
    if (head->section > 1)
        head->section--;
}

/* The end of a step: the node counts it once, whatever it does in it. */
static void begin_step(const struct check_model *m, struct check_head *head)
{
    bool acted = m->uniform ? head->age == 0 : head->ages == 1;

    head->flags &= (uint8_t)~CHECK_FRESH;
    if (!m->timed || acted)
        return;
    head->paused = 0;
    head->age = 0;
    head->ages = m->uniform ? 0 : 1;
    head->flags &= (uint8_t)~CHECK_CLOSED;
    count_step(head);
}

/* What the driver does to a local state before the protocol sees the event.
 * Returns the event's kind. */
static uint8_t prepare(const struct check_model *m, uint8_t *local,
                       enum check_move_kind kind, uint32_t what)
{
    struct check_head *head = (struct check_head *)(void *)local;

    if (kind != CHECK_RESTART)
        begin_step(m, head);
    switch (kind) {
    case CHECK_COMMAND:
        if (!is_operators(m, kind, what))
            head->flags &= (uint8_t) ~(CHECK_STARTS | CHECK_MAY_START);
        return FC_COMMAND;
    case CHECK_TIMEOUT:
        head->timer[what] = 0;
        if (m->timed)
            head->flags |= CHECK_CLOSED;
        return FC_TIMEOUT;
    case CHECK_START:
        head->flags &= (uint8_t)~CHECK_STARTS;
        head->flags |= CHECK_FRESH;
        return FC_BOOT;
    case CHECK_RESTART:
        if (m->record_at)
            memcpy(local + sizeof *head, local + m->record_at,
                   m->type->record_size);
        head->flags &= (uint8_t)~CHECK_DOWN;
        if (m->timed) {
            if (!m->type->reads_all)
                head->flags |= CHECK_CLOSED;
            head->age = 0;
            head->ages = m->uniform ? 0 : 1;
        }
        return FC_BOOT;
    default:
        if (m->timed && !m->type->reads_all)
            head->flags |= CHECK_CLOSED;
        return FC_MESSAGE;
    }
}

/* All is lost except the record; what the node was inside of runs on until its
 * guard acts. */
static void crash(const struct check_model *m, uint8_t *local)
{
    struct check_head *head = (struct check_head *)(void *)local;
    uint64_t until;

    head->flags =
        (uint8_t)((head->flags & (CHECK_STARTED | CHECK_DREW)) | CHECK_DOWN);
    memset(head->timer, 0, sizeof head->timer);
    head->age = 0;
    head->ages = 0;
    head->paused = 0;
    if (m->setup->back != CHECK_RETURN_SAME) /* nobody asks */
        memset(local + sizeof *head, 0, m->type->state_size);
    if (m->told_at && !m->type->inside(local + m->told_at, &until))
        memset(local + m->told_at, 0, NET_VIEW_SIZE);
}

/* A node that only counts, pauses or crashes asks the protocol nothing. */
static bool silent(struct working *w, uint8_t *local, enum check_move_kind kind)
{
    struct check_head *head = (struct check_head *)(void *)local;

    if (kind == CHECK_STEP) {
        begin_step(w->model, head);
        head->flags |= CHECK_CLOSED;
    } else if (kind == CHECK_PAUSE) {
        head->paused = 1;
        if (!w->model->uniform) /* it has come to the end of its step */
            head->ages = UINT32_C(1) << w->model->setup->net.world.bounds.rmax;
    } else if (kind == CHECK_CRASH) {
        crash(w->model, local);
    } else {
        return false;
    }
    conclude(w, local);
    return true;
}

/* The event, as the protocol is told of it. */
static struct fc_event event_of(uint8_t kind, uint32_t what)
{
    struct fc_event event = {.kind = kind};

    if (kind == FC_MESSAGE)
        event.port = (uint16_t)what;
    else if (kind == FC_TIMEOUT)
        event.timer = (uint8_t)what;
    else if (kind == FC_COMMAND)
        event.command = (uint8_t)what;
    return event;
}

struct fc_event check_prepare(const struct check_model *m, uint8_t *local,
                              enum check_move_kind kind, uint32_t what)
{
    return event_of(prepare(m, local, kind, what), what);
}

static void ask_protocol(struct working *w, uint8_t *local, uint32_t what,
                         uint32_t msg)
{
    struct check_model *m = w->model;
    struct fc_event event = check_prepare(m, local, w->kind, what);
    uint8_t bytes[CHECK_LOCAL_MAX];
    enum fc_phase phase;
    bool reads = event.kind == FC_MESSAGE;

    if (reads)
        memcpy(bytes, check_bytes(&m->messages, msg, NULL), m->type->msg_size);
    else if (m->cells_count)
        memcpy(w->cells, check_bytes(&m->cells, msg, NULL),
               m->cells_count * sizeof w->cells[0]);
    if (m->told_at)
        m->type->view(&w->place, local + sizeof(struct check_head), w->seen,
                      &phase);
    act(w, local, &event, reads ? bytes : NULL, 0);
}

/* A question about a node: the effect of an event, or whether its step may end
 * when a tick passes. */
struct asked {
    uint32_t node, local;
    enum check_move_kind kind;
    uint32_t what, msg;
    bool may_end;
};

static uint32_t compute(struct check_model *m, const void *asked)
{
    const struct asked *a = asked;
    _Alignas(8) uint8_t local[CHECK_LOCAL_MAX];
    struct check_info before = *check_info_of(m, a->node, a->local);
    struct working w = {
        .model = m,
        .node = a->node,
        .before = &before,
        .place = {&m->setup->net, &m->names, &m->graph, a->node},
        .kind = a->kind,
        .by_operator = is_operators(m, a->kind, a->what),
        .odds = 1,
    };
    uint32_t first = m->outcomes_count, sends = m->sends_count;

    if (m->type->msg_size > CHECK_LOCAL_MAX) {
        m->refusal = "its messages are too large";
        return CHECK_NO_OUTCOME;
    }
    check_local_load(m, a->node, a->local, local);
    if (!silent(&w, local, a->kind))
        ask_protocol(&w, local, a->what, a->msg);
    if (m->memory.failed || m->refusal || m->outcomes_count == first) {
        m->outcomes_count = first; /* nobody knows of them */
        m->sends_count = sends;
        return CHECK_NO_OUTCOME;
    }
    m->outcomes[m->outcomes_count - 1].last = true;
    /* Asking in vain changes nothing, and an application that may ask need not;
     * but a node that reads its clock may find that its time is over. */
    if (a->kind == CHECK_COMMAND && !m->type->clocked &&
        !(before.head.flags & CHECK_STARTS) && !m->outcomes[first].obeyed)
        return CHECK_NO_OUTCOME;
    return first;
}

/* A tick passes.  Where steps differ in length and nothing is counted, a node
 * has a set of ages that its step may have: of those that must not end now,
 * and, if the step may end without anything being done, of one that begins. */
static void grow_older(const struct check_model *m, struct check_head *head,
                       bool may_end)
{
    uint32_t pause_max = m->setup->pause_max;
    const struct fc_bounds *b = &m->setup->net.world.bounds;
    uint32_t ends = head->ages >> b->rmin;

    head->flags &= (uint8_t) ~(CHECK_CLOSED | CHECK_FRESH);
    if (head->flags & CHECK_DOWN)
        return;
    if (head->paused) {
        if (pause_max && ++head->paused > pause_max)
            head->paused = 0;
        return;
    }
    if (!m->uniform) {
        head->ages = (head->ages & ~(UINT32_C(1) << b->rmax)) << 1;
        if (may_end && ends)
            head->ages |= 2;
        return;
    }
    if (head->age < head->length) {
        head->age++;
        return;
    }
    head->age = 1;
    count_step(head);
}

/* Its own clock runs on, whatever becomes of the node; and its timers come
 * nearer while it is paused. */
static void run_clock(const struct check_model *m, struct check_head *head)
{
    if (!m->type->clocked || ++head->clock_age < head->length)
        return;
    head->clock_age = 0;
    head->clock++;
    if (!head->paused)
        return;
    for (uint32_t t = 0; t < FC_TIMERS; t++)
        if (head->timer[t] > 2)
            head->timer[t]--;
    if (head->section > 2)
        head->section--;
}

static uint32_t compute_older(struct check_model *m, const void *asked)
{
    const struct asked *a = asked;
    _Alignas(8) uint8_t bytes[CHECK_LOCAL_MAX];

    check_local_load(m, a->node, a->local, bytes);
    run_clock(m, (struct check_head *)(void *)bytes);
    guard(m, bytes);
    grow_older(m, (struct check_head *)(void *)bytes, a->may_end);
    return check_local(m, a->node, bytes);
}

uint32_t check_grown_older(struct check_model *m, uint32_t node, uint32_t local,
                           bool may_end)
{
    uint64_t question =
        (uint64_t)local << 36 | (uint64_t)CHECK_TICK << 32 | may_end;
    const struct check_memo *steps = &check_locals_of(m, node)->steps;
    const uint32_t *known = check_recall(steps, question);
    struct asked asked = {.node = node, .local = local, .may_end = may_end};

    return known ? *known
                 : check_memoised(m, steps, question, compute_older, &asked);
}

uint32_t check_compute_step(struct check_model *m, uint32_t node,
                            uint32_t local, enum check_move_kind kind,
                            uint32_t what, uint32_t msg)
{
    struct asked asked = {node, local, kind, what, msg, false};

    return check_memoised(m, &check_locals_of(m, node)->steps,
                          check_step_question(local, kind, what, msg), compute,
                          &asked);
}
