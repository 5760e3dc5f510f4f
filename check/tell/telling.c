/*
 * telling.c - see telling.h.
 *
 * Two passes: the line of a sending says when the message arrives, which is
 * known only when it is read; and the network's copies are numbered where their
 * originals are.
 */
#include "check/tell/telling.h"

#include <stdlib.h>

#include "check/tell/listen.h"

/* A message in flight, beside its place in the model. */
struct under_way {
    struct check_mail mail;
    uint32_t birth; /* its serial number, not counting copies */
    bool copy;
};

/* What becomes of a message. */
struct fate {
    uint64_t arrives, copy_arrives;
    bool known, copied, copy_known;
};

/* When a node does nothing. */
struct pause {
    uint64_t from, ticks;
};

enum { UNDER_WAY_MAX = 512, BODY_MAX = 1 << 14 };

struct telling {
    struct check_model model;
    const struct check_result *result;
    const struct check_listener *listener; /* NULL: the first pass */
    struct check_spread now;
    uint64_t tick;
    struct under_way *link[CHECK_LINKS_MAX];
    uint32_t count[CHECK_LINKS_MAX];
    struct fate *fates;
    uint32_t births, fates_room;
    struct trace_letter *letters;
    uint32_t letters_count, letters_room;
    struct check_event event;
    uint32_t branch; /* of the outcome that is looked for */
    uint32_t cells[CHECK_CELLS_MAX];
    struct pause *pauses; /* how long each is, found in the first pass */
    uint32_t pauses_count, pauses_room;
    uint32_t paused[CHECK_NODES_MAX]; /* 1 + the number of its pause */
    bool failed;
};

/* ---- Messages in flight -------------------------------------------------- */

static void insert(struct telling *t, uint32_t link, struct under_way new)
{
    struct under_way *list = t->link[link];
    uint32_t at = t->count[link]++;

    for (; t->model.any_order && at > 0 &&
           check_mail_before(&t->model, &new.mail, &list[at - 1].mail);
         at--)
        list[at] = list[at - 1];
    list[at] = new;
}

static struct under_way take(struct telling *t, uint32_t link, uint32_t place)
{
    struct under_way *list = t->link[link], taken = list[place];

    memmove(list + place, list + place + 1,
            (--t->count[link] - place) * sizeof *list);
    return taken;
}

/* A list with room for one more element, new room being zero.  Without memory
 * the telling has failed, and the list is as it was. */
static void *grow(struct telling *t, void *list, uint32_t *room, uint32_t count,
                  size_t size)
{
    uint32_t more = 2 * *room + 64;
    uint8_t *grown;

    if (count < *room)
        return list;
    grown = realloc(list, more * size);
    if (!grown) {
        t->failed = true;
        return list;
    }
    memset(grown + *room * size, 0, (more - *room) * size);
    *room = more;
    return grown;
}

/* The tick by which a message has come, in this run. */
static uint64_t latest(const struct telling *t, const struct under_way *u)
{
    return t->tick - u->mail.age + t->model.dmax + u->mail.late;
}

static void settle(struct telling *t, const struct under_way *u, uint64_t at)
{
    struct fate *f = &t->fates[u->birth];

    if (t->listener)
        return;
    if (u->copy) {
        f->copy_arrives = at;
        f->copy_known = true;
    } else {
        f->arrives = at;
        f->known = true;
    }
}

/* A message is read now: it arrived no later than any that still waits must
 * have. */
static uint64_t arrival(const struct telling *t, uint32_t node,
                        const struct under_way *u)
{
    const struct check_model *m = &t->model;
    uint64_t at = t->tick;

    if (!m->timed)
        return at;
    if (latest(t, u) < at)
        at = latest(t, u);
    for (uint32_t l = m->first_in[node]; l < m->first_in[node + 1]; l++)
        for (uint32_t i = 0; i < t->count[l]; i++)
            if (latest(t, &t->link[l][i]) < at)
                at = latest(t, &t->link[l][i]);
    return at;
}

/* The number that a message has in the trace. */
static uint32_t number_of(const struct telling *t, uint32_t birth, bool copy)
{
    uint32_t number = birth + copy;

    for (uint32_t i = 0; i < birth; i++)
        number += t->fates[i].copied;
    return number;
}

static void age_all(struct telling *t)
{
    const struct check_model *m = &t->model;

    for (uint32_t l = 0; l < m->links_count; l++) {
        uint32_t kept = 0, node = m->links[l].to;
        uint32_t local = t->now.id[m->local_at[node]];
        bool down = (check_info_of(m, node, local)->head.flags & CHECK_DOWN);

        for (uint32_t i = 0; i < t->count[l]; i++) {
            struct under_way u = t->link[l][i];

            if (down && u.mail.age >= m->dmax + u.mail.late) {
                settle(t, &u, t->tick);
                continue;
            }
            u.mail.age++;
            t->link[l][kept++] = u;
        }
        t->count[l] = kept;
    }
}

/* ---- A step, told part by part ------------------------------------------- */

static void send_one(struct telling *t, uint32_t node, uint32_t port,
                     uint32_t msg)
{
    struct check_model *m = &t->model;
    uint32_t link = m->out[node][port];
    struct under_way new = {.mail.msg = msg, .birth = t->births};
    struct check_budget budget = check_budget_of(m, t->now.id);
    const struct fate *f;

    t->fates = grow(t, t->fates, &t->fates_room, t->births, sizeof *t->fates);
    if (t->failed || t->count[link] + 1 >= UNDER_WAY_MAX)
        return;
    f = &t->fates[t->births];
    for (uint32_t copy = 0; copy < (f->copied ? 2u : 1u); copy++) {
        t->letters = grow(t, t->letters, &t->letters_room, t->letters_count,
                          sizeof *t->letters);
        if (t->failed)
            return;
        t->letters[t->letters_count++] = (struct trace_letter){
            .id = number_of(t, t->births, copy),
            .from = node,
            .to = m->links[link].to,
            .number = msg,
            .sent = t->tick,
            .arrives = copy ? f->copy_arrives : f->arrives,
            .copy = copy,
        };
    }
    t->births++;
    if (check_is_apart(&budget, node, m->links[link].to))
        settle(t, &new, FC_NEVER);
    else
        insert(t, link, new);
}

/* A part of a step: the first pass only looks for the branch. */
struct obeying {
    struct telling *t;
    uint32_t node;
    struct trace_part *part;
    uint32_t *armed; /* timers of the node, a bit each; NULL: nothing is told */
};

static bool tell_save(struct obeying *d)
{
    (void)d;
    return true;
}

static void tell_send(struct obeying *d, uint32_t slot, uint16_t port)
{
    struct check_model *m = &d->t->model;

    if (d->armed)
        send_one(d->t, d->node, port,
                 check_intern(&m->messages, &m->memory,
                              m->buffer + slot * m->type->msg_size,
                              m->type->msg_size));
}

static void tell_store(struct obeying *d, uint32_t cell, uint32_t value)
{
    d->t->cells[cell] = value;
}

static void tell_start(struct obeying *d, uint32_t timer, uint64_t steps)
{
    if (!d->armed)
        return;
    *d->armed &= ~(1u << timer);
    *d->armed |= (uint32_t)(steps != FC_NEVER) << timer;
}

static void tell_stop(struct obeying *d, uint32_t timer)
{
    if (!d->armed)
        return;
    d->part->stopped |= (uint8_t)(*d->armed & 1u << timer);
    *d->armed &= ~(1u << timer);
}

#define OBEY(name)    FC_PASTE(tell_, name)
#define OBEY_DRIVER   struct obeying
#define OBEY_TIMERS   d->t->model.type->timers
#define OBEY_TOPOLOGY d->t->model.type->protocol->topology
#define OBEY_SELF     d->node
#define OBEY_NODES    d->t->model.nodes
#include "core/obey.inc"

/* One part of a step; what it stores is in the cells then. */
static enum fc_then do_part(struct telling *t, const struct net_place *place,
                            uint8_t *state, const struct fc_event *event,
                            const void *msg, struct obeying *d)
{
    t->model.type->step(place, state, event, msg, &d->part->fx,
                        t->model.buffer);
    return tell_obey(d, &d->part->fx);
}

/* Goes through the choices of a step in the order of the search until it
 * reaches the outcome that is told. */
static bool find_parts(struct telling *t, const struct net_place *place,
                       const uint8_t *before, const struct fc_event *event,
                       const void *msg, uint32_t deep)
{
    const struct net_type *type = t->model.type;
    struct trace_part *part = &t->event.part[deep];
    _Alignas(8) uint8_t state[BODY_MAX];
    struct obeying quietly = {t, place->node, part, NULL};
    struct fc_event next = {.kind = FC_CHOICE, .now = event->now};
    enum fc_phase phase;
    enum fc_then then;

    if (deep + 1 == CHECK_PARTS_MAX)
        return false;
    memcpy(state, before, type->state_size);
    type->view(place, state, part->before, &phase);
    then = do_part(t, place, state, event, msg, &quietly);
    type->view(place, state, part->after, &phase);
    t->event.parts_count = deep + 1;
    part[1].value = part[1].range = 0;
    if (then == FC_THEN_DONE)
        return t->branch-- == 0;
    next.kind = then == FC_THEN_LOAD    ? FC_LOADED
                : then == FC_THEN_GO_ON ? FC_GO_ON
                                        : FC_CHOICE;
    part[1].kind = next.kind;
    if (then == FC_THEN_LOAD)
        next.value = part[1].value = t->cells[part->fx.cell];
    if (then != FC_THEN_CHOOSE)
        return find_parts(t, place, state, &next, NULL, deep + 1);
    for (; next.value < part->fx.choose; next.value++) {
        part[1].value = next.value;
        part[1].range = part->fx.choose;
        if (find_parts(t, place, state, &next, NULL, deep + 1))
            return true;
    }
    return false;
}

/* The same steps once more, now that the branch is known: their messages
 * leave. */
static void send_parts(struct telling *t, const struct net_place *place,
                       uint8_t *state, struct fc_event event, const void *msg)
{
    uint32_t node = place->node;
    uint32_t local = t->now.id[t->model.local_at[node]];
    uint32_t armed = check_info_of(&t->model, node, local)->armed;

    t->letters_count = 0;
    if (event.kind == FC_TIMEOUT)
        armed &= ~(1u << event.timer);
    for (uint32_t i = 0; i < t->event.parts_count; i++) {
        struct trace_part *part = &t->event.part[i];
        struct obeying aloud = {t, node, part, &armed};
        struct fc_event next = {
            .kind = part->kind, .value = part->value, .now = event.now};

        part->letters = t->letters_count;
        part->stopped = 0;
        (void)do_part(t, place, state, i ? &next : &event, i ? NULL : msg,
                      &aloud);
        part->letters_count = t->letters_count - part->letters;
    }
}

/* The shared cells as they are before a step. */
static void load_cells(struct telling *t)
{
    const struct check_model *m = &t->model;

    if (m->cells_count)
        memcpy(t->cells, check_bytes(&m->cells, t->now.id[m->cells_at], NULL),
               m->cells_count * sizeof t->cells[0]);
}

static void tell_step(struct telling *t, const struct check_move *move,
                      const void *msg)
{
    struct check_model *m = &t->model;
    struct net_place place = {&m->setup->net, &m->names, &m->graph, move->node};
    uint32_t local = t->now.id[m->local_at[move->node]];
    _Alignas(8) uint8_t bytes[BODY_MAX];
    uint8_t *state = bytes + sizeof(struct check_head);
    struct fc_event event;

    check_local_load(m, move->node, local, bytes);
    event = check_prepare(
        m, bytes, (enum check_move_kind)move->kind,
        move->kind == CHECK_READ ? m->links[move->link].comes_by : move->what);
    event.now = ((const struct check_head *)(void *)bytes)->clock;
    load_cells(t);
    t->branch = move->branch;
    t->event.part[0].range = 0;
    if (!find_parts(t, &place, state, &event, msg, 0)) {
        t->failed = true;
        return;
    }
    load_cells(t);
    send_parts(t, &place, state, event, msg);
}

/* ---- One move ------------------------------------------------------------ */

static void read_letter(struct telling *t, const struct check_move *move,
                        uint8_t *msg)
{
    struct check_model *m = &t->model;
    struct under_way u = t->link[move->link][move->place];
    uint64_t at = move->kind == CHECK_MISS
                      ? t->tick
                      : arrival(t, m->links[move->link].to, &u);

    (void)take(t, move->link, move->place);
    settle(t, &u, at);
    memcpy(msg, check_bytes(&m->messages, u.mail.msg, NULL), m->type->msg_size);
    t->event.read = (struct trace_letter){
        .id = number_of(t, u.birth, u.copy),
        .from = m->links[move->link].from,
        .to = m->links[move->link].to,
        .msg = msg,
    };
}

/* What the network does to a message without anybody noticing. */
static void disturb(struct telling *t, const struct check_move *move)
{
    struct under_way u = t->link[move->link][move->place];

    switch ((enum check_move_kind)move->kind) {
    case CHECK_LOSE:
        (void)take(t, move->link, move->place);
        settle(t, &u, FC_NEVER);
        break;
    case CHECK_COPY:
        t->fates[u.birth].copied = true;
        u.copy = true;
        u.mail.age = u.mail.late = 0;
        insert(t, move->link, u);
        break;
    case CHECK_DELAY:
        if (t->model.any_order)
            u = take(t, move->link, move->place);
        u.mail.late = (uint16_t)t->model.setup->late_ticks;
        if (t->model.any_order)
            insert(t, move->link, u);
        else
            t->link[move->link][move->place] = u;
        break;
    default:
        break;
    }
}

/* ---- Pauses, and guards -------------------------------------------------- */

static void begin_pause(struct telling *t, uint32_t node)
{
    t->pauses =
        grow(t, t->pauses, &t->pauses_room, t->pauses_count, sizeof *t->pauses);
    if (t->failed)
        return;
    t->event.pause = t->listener ? t->pauses[t->pauses_count].ticks : 0;
    t->pauses[t->pauses_count].from = t->tick;
    t->paused[node] = ++t->pauses_count;
}

/* Nodes that are no longer paused after a move: now it is known for how long
 * they were. */
static void end_pauses(struct telling *t, bool all)
{
    const struct check_model *m = &t->model;

    for (uint32_t i = 0; i < m->nodes; i++) {
        const struct check_info *info =
            check_info_of(m, i, t->now.id[m->local_at[i]]);
        struct pause *p;

        if (!t->paused[i] || (info->head.paused && !all))
            continue;
        p = &t->pauses[t->paused[i] - 1];
        p->ticks = t->tick - p->from + (all && info->head.paused);
        t->paused[i] = 0;
    }
}

/* Nodes that were stopped by their guards at this tick. */
static void tell_guards(struct telling *t, const struct check_spread *before)
{
    const struct check_model *m = &t->model;

    for (uint32_t i = 0; m->type->inside && i < m->nodes; i++) {
        const struct check_info *old =
            check_info_of(m, i, before->id[m->local_at[i]]);
        const struct check_info *new =
            check_info_of(m, i, t->now.id[m->local_at[i]]);

        if (old->view == new->view || (new->head.flags &CHECK_DOWN))
            continue;
        t->event.tick = t->tick;
        t->event.move.node = (uint16_t)i;
        t->listener->event(t->listener->whom, m, &t->event, t->letters);
    }
}

/* Whether it is a line of the trace, and without time a tick of its own. */
static bool is_told(enum check_move_kind kind)
{
    return kind != CHECK_TICK && kind != CHECK_STEP && kind != CHECK_LOSE &&
           kind != CHECK_COPY && kind != CHECK_DELAY;
}

static void tell_move(struct telling *t, const struct check_move *move)
{
    struct check_model *m = &t->model;
    struct check_spread after, before = t->now;
    uint8_t msg[BODY_MAX];
    struct net_news news;

    t->event.move = *move;
    t->event.tick = t->tick;
    t->event.parts_count = 0;
    t->event.broken = 0;
    if (move->kind == CHECK_READ || move->kind == CHECK_MISS)
        read_letter(t, move, msg);
    if (check_is_event((enum check_move_kind)move->kind))
        tell_step(t, move, msg);
    check_apply(m, &t->now, move, &after);
    check_judge(m, t->now.id, move, after.id, &news);
    t->event.broken = news.broken;
    if (move->kind == CHECK_PAUSE)
        begin_pause(t, move->node);
    if (move->kind == CHECK_LOSE || move->kind == CHECK_COPY ||
        move->kind == CHECK_DELAY)
        disturb(t, move);
    for (uint32_t i = 0; i < t->letters_count; i++)
        t->letters[i].msg =
            check_bytes(&m->messages, t->letters[i].number, NULL);
    if (t->listener && move->kind != CHECK_TICK && move->kind != CHECK_STEP)
        t->listener->event(t->listener->whom, m, &t->event, t->letters);
    if (move->kind == CHECK_TICK) {
        age_all(t);
        t->tick++;
    } else if (!m->timed && is_told((enum check_move_kind)move->kind)) {
        t->tick++;
    }
    t->now = after;
    end_pauses(t, false);
    if (t->listener && move->kind == CHECK_TICK)
        tell_guards(t, &before);
}

/* Messages still in flight at the end arrive in time, but after it. */
static void settle_rest(struct telling *t)
{
    const struct check_model *m = &t->model;

    for (uint32_t l = 0; l < m->links_count; l++)
        for (uint32_t i = 0; i < t->count[l]; i++) {
            const struct under_way *u = &t->link[l][i];
            uint64_t at = t->tick + 1;

            if (m->timed && u->mail.age + UINT64_C(1) < m->dmin)
                at = t->tick - u->mail.age + m->dmin;
            if (m->timed && latest(t, u) < at)
                at = latest(t, u);
            settle(t, u, at);
        }
}

static void tell_once(struct telling *t)
{
    const struct check_result *r = t->result;

    t->tick = 0;
    t->births = 0;
    t->pauses_count = 0;
    memset(t->paused, 0, sizeof t->paused);
    memset(t->count, 0, sizeof t->count);
    check_tree_load(&t->model.tree, r->first, &t->now);
    if (t->listener)
        t->listener->begin(t->listener->whom, &t->model, t->now.id);
    for (uint32_t i = 0; i < r->moves_count && !t->failed; i++) {
        if (t->listener && r->endless && i == r->loop_at)
            t->listener->loop(t->listener->whom);
        tell_move(t, &r->moves[i]);
    }
    end_pauses(t, true);
    if (!t->listener)
        settle_rest(t);
    else
        t->listener->end(t->listener->whom, &t->model,
                         t->tick - (!t->model.timed && t->tick > 0), r);
}

bool check_tell(const struct check_setup *setup,
                const struct check_result *result,
                const struct check_listener *listener)
{
    struct telling *t = calloc(1, sizeof *t);
    struct check_setup free_of_limits = *setup;
    struct under_way *places;
    bool told = false;

    if (!t)
        return false;
    free_of_limits.memory_max = 0;
    t->result = result;
    places = calloc((size_t)CHECK_LINKS_MAX * UNDER_WAY_MAX, sizeof *places);
    for (uint32_t l = 0; places && l < CHECK_LINKS_MAX; l++)
        t->link[l] = places + (size_t)l * UNDER_WAY_MAX;
    if (places && check_model_begin(&t->model, &free_of_limits) &&
        t->model.type->state_size < BODY_MAX &&
        t->model.type->msg_size < BODY_MAX) {
        check_initial(&t->model);
        tell_once(t);
        t->listener = listener;
        if (!t->failed)
            tell_once(t);
        told = !t->failed;
    }
    check_model_free(&t->model);
    free(places);
    free(t->fates);
    free(t->pauses);
    free(t->letters);
    free(t);
    return told;
}
