/*
 * telling.c - see telling.h.
 *
 * Two passes: the line of a sending says when the message arrives, which is
 * known only when it is read; and the network's copies are numbered where their
 * originals are.
 */
#include "check/tell/telling.h"

#include <stdlib.h>

#include "check/model/expand.h"
#include "check/model/judge.h"
#include "check/model/links.h"
#include "check/tell/listen.h"
#include "check/tell/parts.h"

/* A message in flight, beside its place in the model. */
struct under_way {
    struct check_mail mail;
    uint32_t birth; /* its serial number, not counting copies */
    uint32_t copy;  /* 1 + the number of the copy; 0: it is the original */
};

/* A message that the network has copied.  A copy that is lost is not told. */
struct copy {
    uint64_t arrives;
    uint32_t birth;
};

/* When a node does nothing. */
struct pause {
    uint64_t from, ticks;
};

enum { UNDER_WAY_MAX = 512 };

struct telling {
    struct check_model *model;
    const struct check_result *result;
    const struct check_listener *listener; /* NULL: the first pass */
    struct check_spread now;
    uint64_t tick;
    struct under_way *link[CHECK_LINKS_MAX];
    uint32_t count[CHECK_LINKS_MAX];
    uint64_t *arrivals; /* of each message, found in the first pass */
    uint32_t births, arrivals_room;
    struct copy *copies; /* the same of all copies */
    uint32_t copies_count, copies_made, copies_room; /* made: so far */
    struct trace_letter *letters;
    uint32_t letters_count, letters_room;
    struct check_event event;
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

    for (; t->model->any_order && at > 0 &&
           check_mail_before(t->model, &new.mail, &list[at - 1].mail);
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
    return t->tick - u->mail.age + t->model->dmax + u->mail.late;
}

static void settle(struct telling *t, const struct under_way *u, uint64_t at)
{
    if (t->listener)
        return;
    if (u->copy)
        t->copies[u->copy - 1].arrives = at;
    else
        t->arrivals[u->birth] = at;
}

/* A message is read now: it arrived no later than any that still waits must
 * have. */
static uint64_t arrival(const struct telling *t, uint32_t node,
                        const struct under_way *u)
{
    const struct check_model *m = t->model;
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

/* The number that a message has in the trace: copies follow their originals. */
static uint32_t number_of(const struct telling *t, uint32_t birth,
                          uint32_t copy)
{
    uint32_t number = birth;

    for (uint32_t i = 0; i < t->copies_count; i++)
        if (t->copies[i].arrives != FC_NEVER &&
            (t->copies[i].birth < birth ||
             (i < copy && t->copies[i].birth == birth)))
            number++;
    return number;
}

static void age_all(struct telling *t)
{
    const struct check_model *m = t->model;

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

static void add_letter(struct telling *t, const struct check_link *link,
                       uint32_t msg, uint64_t arrives, uint32_t copy)
{
    t->letters = grow(t, t->letters, &t->letters_room, t->letters_count,
                      sizeof *t->letters);
    if (!t->failed)
        t->letters[t->letters_count++] = (struct trace_letter){
            .id = number_of(t, t->births, copy),
            .from = link->from,
            .to = link->to,
            .number = msg,
            .sent = t->tick,
            .arrives = arrives,
            .copy = copy != 0,
        };
}

static void send_one(struct telling *t, uint32_t node, uint32_t port,
                     uint32_t msg)
{
    struct check_model *m = t->model;
    uint32_t number = m->out[node][port];
    const struct check_link *link = &m->links[number];
    struct under_way new = {.mail.msg = msg, .birth = t->births};
    struct check_budget budget = check_budget_of(m, t->now.id);

    t->arrivals =
        grow(t, t->arrivals, &t->arrivals_room, t->births, sizeof *t->arrivals);
    if (t->failed || t->count[number] + 1 >= UNDER_WAY_MAX)
        return;
    add_letter(t, link, msg, t->arrivals[t->births], 0);
    for (uint32_t i = 0; i < t->copies_count; i++)
        if (t->copies[i].birth == t->births && t->copies[i].arrives != FC_NEVER)
            add_letter(t, link, msg, t->copies[i].arrives, i + 1);
    t->births++;
    if (check_is_apart(&budget, node, link->to))
        settle(t, &new, FC_NEVER);
    else
        insert(t, number, new);
}

/* A part of a step: its messages leave. */
struct obeying {
    struct telling *t;
    uint32_t node;
    struct trace_part *part;
    uint32_t armed; /* timers of the node, a bit each */
};

static bool tell_save(struct obeying *d)
{
    (void)d;
    return true;
}

static void tell_send(struct obeying *d, uint32_t slot, uint16_t port)
{
    struct check_model *m = d->t->model;

    send_one(d->t, d->node, port,
             check_intern(&m->messages, &m->memory,
                          m->buffer + slot * m->type->msg_size,
                          m->type->msg_size));
}

static void tell_store(struct obeying *d, uint32_t cell, uint32_t value)
{
    (void)d; /* the value loaded is known from the parts */
    (void)cell;
    (void)value;
}

static void tell_start(struct obeying *d, uint32_t timer, uint64_t steps)
{
    d->armed &= ~(1u << timer);
    d->armed |= (uint32_t)(steps != FC_NEVER) << timer;
}

static void tell_stop(struct obeying *d, uint32_t timer)
{
    d->part->stopped |= (uint8_t)(d->armed & 1u << timer);
    d->armed &= ~(1u << timer);
}

#define OBEY(name)    FC_PASTE(tell_, name)
#define OBEY_DRIVER   struct obeying
#define OBEY_TIMERS   d->t->model->type->timers
#define OBEY_TOPOLOGY d->t->model->type->protocol->topology
#define OBEY_SELF     d->node
#define OBEY_NODES    d->t->model->nodes
#include "core/obey.inc"

/* The step once more, now that its parts are known. */
static void send_parts(struct telling *t, struct check_making *w)
{
    struct check_model *m = t->model;
    uint32_t node = w->place.node;
    uint32_t local = t->now.id[m->local_at[node]];
    struct obeying aloud = {t, node, NULL,
                            check_info_of(m, node, local)->armed};

    t->letters_count = 0;
    if (w->event.kind == FC_TIMEOUT)
        aloud.armed &= ~(1u << w->event.timer);
    for (uint32_t i = 0; i < t->event.parts_count; i++) {
        struct trace_part *part = &t->event.part[i];
        struct fc_event next = {
            .kind = part->kind, .value = part->value, .now = w->event.now};

        part->letters = t->letters_count;
        part->stopped = 0;
        aloud.part = part;
        m->type->step(&w->place, check_making_state(w), i ? &next : &w->event,
                      i ? NULL : w->msg, &part->fx, m->buffer);
        (void)tell_obey(&aloud, &part->fx);
        part->letters_count = t->letters_count - part->letters;
    }
}

static void tell_step(struct telling *t, const struct check_move *move,
                      const void *msg)
{
    struct check_making w;

    check_making_begin(&w, t->model, t->now.id, move, msg);
    t->event.parts_count = check_find_parts(&w, move->branch, t->event.part);
    if (t->event.parts_count)
        send_parts(t, &w);
    else
        t->failed = true;
}

/* ---- One move ------------------------------------------------------------ */

/* The message that a move is about. */
static void show_letter(struct telling *t, const struct check_move *move,
                        uint8_t *msg)
{
    const struct check_model *m = t->model;
    const struct under_way *u = &t->link[move->link][move->place];

    memcpy(msg, check_bytes(&m->messages, u->mail.msg, NULL),
           m->type->msg_size);
    t->event.read = (struct trace_letter){
        .id = number_of(t, u->birth, u->copy),
        .from = m->links[move->link].from,
        .to = m->links[move->link].to,
        .msg = msg,
    };
}

static void take_letter(struct telling *t, const struct check_move *move)
{
    struct under_way u = t->link[move->link][move->place];
    uint64_t at = move->kind == CHECK_MISS
                      ? t->tick
                      : arrival(t, t->model->links[move->link].to, &u);

    (void)take(t, move->link, move->place);
    settle(t, &u, at);
}

/* Makes another message of one that is in flight: it is sent again. */
static void copy(struct telling *t, struct under_way *u)
{
    t->copies =
        grow(t, t->copies, &t->copies_room, t->copies_made, sizeof *t->copies);
    if (t->failed)
        return;
    t->copies[t->copies_made].birth = u->birth;
    u->copy = ++t->copies_made;
    u->mail.age = u->mail.late = 0;
    if (!t->listener)
        t->copies_count = t->copies_made;
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
        copy(t, &u);
        if (!t->failed)
            insert(t, move->link, u);
        break;
    case CHECK_DELAY:
        if (t->model->any_order)
            u = take(t, move->link, move->place);
        u.mail.late = (uint16_t)t->model->setup->late_ticks;
        if (t->model->any_order)
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
    const struct check_model *m = t->model;

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
    const struct check_model *m = t->model;

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

static void tell_move(struct telling *t, const struct check_move *move)
{
    struct check_model *m = t->model;
    struct check_spread after, before = t->now;
    uint8_t msg[CHECK_LOCAL_MAX];
    struct net_news news;

    t->event.move = *move;
    t->event.tick = t->tick;
    t->event.parts_count = 0;
    t->event.broken = 0;
    t->event.read.msg = NULL;
    if (check_takes_mail((enum check_move_kind)move->kind))
        show_letter(t, move, msg);
    if (move->kind == CHECK_READ || move->kind == CHECK_MISS)
        take_letter(t, move);
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
    if (t->listener && move->kind != CHECK_TICK && move->kind != CHECK_STEP &&
        !(move->kind == CHECK_PAUSE && t->event.pause == 0)) /* it did not */
        t->listener->event(t->listener->whom, m, &t->event, t->letters);
    if (move->kind == CHECK_TICK) {
        age_all(t);
        t->tick++;
    } else if (!m->timed && check_is_told((enum check_move_kind)move->kind)) {
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
    const struct check_model *m = t->model;

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
    t->births = t->copies_made = 0;
    t->pauses_count = 0;
    memset(t->paused, 0, sizeof t->paused);
    memset(t->count, 0, sizeof t->count);
    check_tree_load(&t->model->tree, r->first, &t->now);
    if (t->listener)
        t->listener->begin(t->listener->whom, t->model, t->now.id);
    for (uint32_t i = 0; i < r->moves_count && !t->failed; i++) {
        if (t->listener && r->endless && i == r->loop_at)
            t->listener->loop(t->listener->whom);
        tell_move(t, &r->moves[i]);
    }
    end_pauses(t, true);
    if (!t->listener)
        settle_rest(t);
    else
        t->listener->end(t->listener->whom, t->model,
                         t->tick - (!t->model->timed && t->tick > 0), r);
}

bool check_tell_in(struct check_model *model, const struct check_result *result,
                   const struct check_listener *listener)
{
    struct telling *t = calloc(1, sizeof *t);
    struct under_way *places =
        calloc((size_t)CHECK_LINKS_MAX * UNDER_WAY_MAX, sizeof *places);
    bool told = false;

    if (t && places) {
        t->model = model;
        t->result = result;
        for (uint32_t l = 0; l < CHECK_LINKS_MAX; l++)
            t->link[l] = places + (size_t)l * UNDER_WAY_MAX;
        tell_once(t);
        t->listener = listener;
        if (!t->failed)
            tell_once(t);
        told = !t->failed;
        free(t->arrivals);
        free(t->copies);
        free(t->pauses);
        free(t->letters);
    }
    free(places);
    free(t);
    return told;
}

bool check_tell(const struct check_setup *setup,
                const struct check_result *result,
                const struct check_listener *listener)
{
    struct check_model *model = calloc(1, sizeof *model);
    struct check_setup free_of_limits = *setup;
    bool told = false;

    if (!model)
        return false;
    free_of_limits.memory_max = 0;
    if (check_model_begin(model, &free_of_limits)) {
        check_initial(model);
        told = check_tell_in(model, result, listener);
    }
    check_model_free(model);
    free(model);
    return told;
}
