/*
 * host.c - see host.h: what is due, when, and what an act does.
 */
#include "live/play/host.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "live/common/crc.h"
#include "net/mishap.h"
#include "net/route.h"
#include "net/steps.h"

/* The clocks of a node: its timers, and its application's. */
enum { WORK = FC_TIMERS, CLOCKS };

/* A message that waits for the end of a step. */
struct waiting {
    struct waiting *next;
    struct live_mail mail;
    _Alignas(8) uint8_t msg[];
};

struct live_host {
    const struct live_play *play;
    const struct net_type *type;
    struct net_place place;
    struct net_clocks clocks;
    bool eager; /* what has arrived is read at once */
    uint8_t *state, *record, *buffer, *read;
    uint64_t due[CLOCKS]; /* ticks, or FC_NEVER */
    struct net_steps steps;
    uint64_t used; /* 1 + tick of the last step that took an input */
    struct net_own_clock clock;
    struct net_steps told; /* in the head of a trace */
    uint32_t acted, sent, chosen;
    bool starts;    /* it has yet to be told of its start */
    uint32_t woken; /* wake-ups of the list that were seen to */
    struct waiting *first, *last;
    uint64_t reads_at;
    uint64_t apart, fault_key, choice_key;
    struct live_app app;
    enum live_came came;
    struct live_send *sends;      /* room for one more than is allowed */
    uint8_t *sent_bytes;          /* of each of them */
    struct live_act *act;         /* that is being made */
    const struct live_act *again; /* that is being made once more, or NULL */
    live_part *part;
    void *whom;
};

/* ---- A new node ---------------------------------------------------------- */

static void begin_clock(struct live_host *h)
{
    const struct live_play *p = h->play;

    net_clocks_begin(&h->clocks, p->net, p->names, p->seed);
    h->eager = p->net->time == NET_ASYNC;
    if (h->eager)
        h->clocks.drifts = false;
    h->steps = h->eager ? (struct net_steps){0, 1}
                        : net_steps_begin(&h->clocks, h->place.node);
    h->told = h->steps;
    h->clock.steps = 1;
    h->starts = h->type->clocked;
}

struct live_host *live_host_new(const struct live_play *play, uint32_t node)
{
    struct live_host *h = calloc(1, sizeof *h);

    if (!h)
        return NULL;
    h->play = play;
    h->type = play->type;
    h->place = (struct net_place){play->net, play->names, play->graph, node};
    h->state = calloc(1, h->type->state_size);
    h->record = calloc(1, h->type->record_size + 1);
    h->buffer = calloc(1, h->type->out_size);
    h->read = calloc(1, h->type->msg_size);
    h->sends = calloc(LIVE_SENDS_MAX + 1, sizeof *h->sends);
    h->sent_bytes = calloc(LIVE_SENDS_MAX + 1, h->type->msg_size);
    if (!h->state || !h->record || !h->buffer || !h->read || !h->sends ||
        !h->sent_bytes) {
        live_host_free(h);
        return NULL;
    }
    begin_clock(h);
    for (uint32_t t = 0; t < CLOCKS; t++)
        h->due[t] = FC_NEVER;
    h->fault_key = net_key(play->seed, NET_STREAM_FAULT);
    h->choice_key = net_key(play->seed, NET_STREAM_CHOICE);
    if (h->type->repeats)
        live_app_begin(&h->app, h->type, play->work, play->seed, node);
    return h;
}

static void drop_mail(struct live_host *h)
{
    while (h->first) {
        struct waiting *w = h->first;

        h->first = w->next;
        free(w);
    }
    h->last = NULL;
}

void live_host_free(struct live_host *h)
{
    if (!h)
        return;
    drop_mail(h);
    free(h->state);
    free(h->record);
    free(h->buffer);
    free(h->read);
    free(h->sends);
    free(h->sent_bytes);
    free(h);
}

void live_host_watch(struct live_host *h, live_part *part, void *whom)
{
    h->part = part;
    h->whom = whom;
}

void live_host_apart(struct live_host *h, uint64_t apart)
{
    h->apart = apart;
}

/* ---- What others see of it ----------------------------------------------- */

const void *live_host_state(const struct live_host *h)
{
    return h->state;
}

const struct live_app *live_host_app(const struct live_host *h)
{
    return &h->app;
}

void live_host_view(const struct live_host *h, uint8_t view[NET_VIEW_SIZE],
                    enum fc_phase *phase)
{
    h->type->view(&h->place, h->state, view, phase);
}

uint64_t live_host_step_ticks(const struct live_host *h)
{
    return h->told.ticks;
}

uint64_t live_host_phase(const struct live_host *h)
{
    return h->told.anchor;
}

uint64_t live_host_clock(const struct live_host *h, uint64_t tick)
{
    return net_clock_at(&h->clock, &h->steps, tick);
}

uint64_t live_host_tick_of(const struct live_host *h, uint64_t clock)
{
    return net_clock_shows(&h->clock, &h->steps, clock);
}

enum live_came live_host_came(const struct live_host *h)
{
    return h->came;
}

const void *live_host_read(const struct live_host *h)
{
    return h->read;
}

const struct live_send *live_host_sent(const struct live_host *h, uint32_t i,
                                       const void **msg)
{
    if (msg)
        *msg = h->sent_bytes + i * h->type->msg_size;
    return &h->sends[i];
}

void live_host_address(struct live_host *h, uint32_t i, uint32_t life)
{
    h->sends[i].to_life = life;
}

/* ---- Steps --------------------------------------------------------------- */

/* The node acts at the end of a step: with a drifting clock its next steps get
 * a new length, and what it waits for a new tick. */
static void begin_step(struct live_host *h, uint64_t now)
{
    uint64_t old = h->steps.ticks;

    if (!h->clocks.drifts || h->steps.anchor == now)
        return;
    net_clock_fold(&h->clock, &h->steps, now);
    h->steps.ticks = net_step_ticks(&h->clocks, h->place.node, ++h->acted);
    for (uint32_t t = 0; t < CLOCKS; t++)
        if (h->due[t] != FC_NEVER && h->due[t] > now)
            h->due[t] = net_due_redrawn(&h->steps, h->due[t], now, old);
    h->steps.anchor = now;
}

/* A step has ended so late: what comes after it does, too. */
static void shift(struct live_host *h, uint64_t now, uint64_t late)
{
    for (uint32_t t = 0; t < CLOCKS; t++)
        h->due[t] = net_due_late(h->due[t], now, late, h->type->clocked);
    if (h->first && h->reads_at < now)
        h->reads_at = now;
    h->steps.anchor = now;
}

/* ---- Messages ------------------------------------------------------------ */

bool live_host_arrive(struct live_host *h, const struct live_mail *mail)
{
    struct waiting *w = malloc(sizeof *w + h->type->msg_size);

    if (!w)
        return false;
    w->next = NULL;
    w->mail = *mail;
    w->mail.overdue = fc_add(live_host_next(h), 1) < mail->tick;
    memcpy(w->msg, mail->msg, h->type->msg_size);
    if (h->first)
        h->last->next = w;
    else
        h->first = w;
    if (h->first == w)
        h->reads_at =
            h->eager ? mail->tick : net_step_end(&h->steps, mail->tick);
    h->last = w;
    return true;
}

static void begin_act(struct live_host *h, struct live_act *act,
                      enum live_act_kind kind, uint64_t now, uint64_t late)
{
    *act = (struct live_act){
        .kind = (uint8_t)kind, .tick = now, .late = h->eager ? 0 : late};
    h->act = act;
    h->came = LIVE_CAME_NOTHING;
    if (late && !h->eager)
        shift(h, now, late);
    begin_step(h, now);
}

/* ---- Messages ------------------------------------------------------------ */

/* What the faults that were asked for make of a message. */
static void meet_mishaps(const struct live_host *h, struct live_send *s)
{
    const struct net *net = h->play->net;
    const struct net_faults *f = h->play->faults;
    uint32_t node = h->place.node;
    uint64_t dmax = net->world.bounds.dmax ? net->world.bounds.dmax : 1;
    struct net_mishap m = net_mishap(f, h->fault_key, node, s->number);

    net_strike(
        f, net->protocol->anonymous ? node + 1 : net_name(h->play->names, node),
        s->number, &m);
    s->lost = m.lost || ((h->apart >> node ^ h->apart >> s->to) & 1);
    s->copied = m.copied && !s->lost;
    s->free = m.reordered;
    if (m.later)
        s->hold = dmax + m.later - 1;
    if (m.delay)
        s->hold = m.delay - 1;
}

static bool host_save(struct live_host *h)
{
    memcpy(h->record, h->state, h->type->record_size);
    return true;
}

static void host_send(struct live_host *h, uint32_t slot, uint16_t port)
{
    const struct net *net = h->play->net;
    struct net_route way = net_route(net->protocol->topology, h->place.graph,
                                     net->world.nodes, h->place.node, port);
    struct live_send *s = &h->sends[h->act->sends];
    uint64_t dmin = net->time == NET_ARCHIMEDEAN ? net->world.bounds.dmin : 0;

    if (h->act->sends > LIVE_SENDS_MAX)
        return; /* that they are too many is seen by their number */
    *s = (struct live_send){.to = way.to,
                            .number = ++h->sent,
                            .comes_by = way.comes_by,
                            .free = net->any_order,
                            .hold = dmin > 1 ? dmin - 1 : 0};
    if (net_faults_any(h->play->faults))
        meet_mishaps(h, s);
    memcpy(h->sent_bytes + h->act->sends++ * h->type->msg_size,
           h->buffer + slot * h->type->msg_size, h->type->msg_size);
}

static void host_store(struct live_host *h, uint32_t cell, uint32_t value)
{
    if (!h->again)
        h->play->cells[cell] = value;
}

static void host_start(struct live_host *h, uint32_t timer, uint64_t steps)
{
    h->due[timer] = net_steps_after(&h->steps, h->act->tick, steps);
}

static void host_stop(struct live_host *h, uint32_t timer)
{
    h->due[timer] = FC_NEVER;
}

#define OBEY(name)    FC_PASTE(host_, name)
#define OBEY_DRIVER   struct live_host
#define OBEY_TIMERS   d->type->timers
#define OBEY_TOPOLOGY d->type->protocol->topology
#define OBEY_SELF     d->place.node
#define OBEY_NODES    d->play->net->world.nodes
#include "core/obey.inc"

/* ---- One act ------------------------------------------------------------- */

/* The answer to a choice or a load: as it was, if this happened before. */
static uint32_t answer(struct live_host *h, enum fc_then then,
                       const struct fc_effects *fx)
{
    struct live_act *act = h->act;
    uint32_t i = act->answers_count++, value = 0;

    if (i >= LIVE_ANSWERS_MAX)
        abort(); /* no protocol makes that many acts in one step */
    if (then == FC_THEN_CHOOSE) {
        value = (uint32_t)net_below(
            net_draw(h->choice_key, h->place.node, h->chosen++), fx->choose);
    } else if (!h->again) {
        value = h->play->cells[fx->cell];
    }
    if (h->again)
        value = i < h->again->answers_count ? h->again->answers[i] : 0;
    act->answers[i] = value;
    return value;
}

static struct fc_event next_event(struct live_host *h, enum fc_then then,
                                  const struct fc_effects *fx,
                                  struct trace_part *part)
{
    struct fc_event event = {.kind = FC_GO_ON};

    part->range = 0;
    if (then == FC_THEN_CHOOSE || then == FC_THEN_LOAD) {
        event.kind = then == FC_THEN_CHOOSE ? FC_CHOICE : FC_LOADED;
        event.value = answer(h, then, fx);
    }
    if (then == FC_THEN_CHOOSE) {
        part->range = fx->choose;
        part->value = event.value;
    }
    return event;
}

/* Which timers that run a part of an act stops. */
static uint8_t stops(const struct live_host *h, const struct fc_effects *fx)
{
    uint8_t stopped = 0;

    for (uint32_t t = 0; t < h->type->timers; t++)
        if ((fx->disarm & ~fx->arm) >> t & 1 && h->due[t] != FC_NEVER)
            stopped |= (uint8_t)(1u << t);
    return stopped;
}

/* A state that violates an invariant: nothing of what it wants is done, and
 * nobody hears of it.  What others see of the node stays for the judge. */
static void judge_sanity(struct live_host *h, struct fc_effects *fx)
{
    uint32_t notes = fx->notes;

    if (!h->type->sane(&h->place, h->state))
        return;
    h->act->insane = true;
    fc_empty(fx);
    fx->notes = notes;
}

static uint32_t perform(struct live_host *h, struct fc_event event,
                        const void *msg)
{
    struct live_act *act = h->act;
    struct trace_part part = {.range = 0};
    enum fc_phase phase;
    enum fc_then then;
    uint64_t steps = 0;
    uint32_t notes = 0;

    do {
        event.now = h->type->clocked ? live_host_clock(h, act->tick) : 0;
        live_host_view(h, part.before, &phase);
        h->type->step(&h->place, h->state, &event, msg, &part.fx, h->buffer);
        live_host_view(h, part.after, &phase);
        judge_sanity(h, &part.fx);
        part.letters = act->sends;
        part.stopped = stops(h, &part.fx);
        then = host_obey(h, &part.fx);
        part.letters_count = act->sends - part.letters;
        notes |= part.fx.notes;
        if (h->part)
            h->part(h->whom, &part);
        event = next_event(h, then, &part.fx, &part);
        msg = NULL;
    } while (then != FC_THEN_DONE);
    if (h->type->repeats && notes & FC_NOTE_VIEW)
        h->came = live_app_follow(&h->app, phase, act->tick, &steps);
    if (h->came)
        h->due[WORK] =
            steps ? net_steps_after(&h->steps, act->tick, steps) : FC_NEVER;
    return notes;
}

/* ---- Events that are due ------------------------------------------------- */

static uint64_t wake_tick(const struct live_host *h, uint32_t i)
{
    const struct live_play *p = h->play;
    uint32_t seen = 0;

    if (!p->wakes)
        return i == 0 ? 0 : FC_NEVER;
    for (uint32_t k = 0; k < p->wakes_count; k++)
        if (p->wakes[k].node == h->place.node && seen++ == i)
            return p->wakes[k].tick;
    return FC_NEVER;
}

static uint64_t next_wake(const struct live_host *h)
{
    uint64_t tick = wake_tick(h, h->woken);

    return tick == FC_NEVER ? FC_NEVER : net_step_end(&h->steps, tick);
}

static uint64_t next_read(const struct live_host *h)
{
    return h->first ? h->reads_at : FC_NEVER;
}

/* The event that is due first; of equals, in this order. */
enum { DUE_START, DUE_WAKE, DUE_WORK, DUE_READ, DUE_TIMER, DUES = 6 };
_Static_assert(DUES == DUE_TIMER + FC_TIMERS, "each timer has one");

static uint64_t first_due(const struct live_host *h, uint32_t *which)
{
    const uint64_t at[] = {h->starts ? h->steps.anchor : FC_NEVER,
                           next_wake(h),
                           h->due[WORK],
                           next_read(h),
                           h->due[0],
                           h->due[1]};

    *which = 0;
    for (uint32_t i = 1; i < DUES; i++)
        if (at[i] < at[*which])
            *which = i;
    return at[*which];
}

uint64_t live_host_next(const struct live_host *h)
{
    uint32_t which;

    return first_due(h, &which);
}

static void end_act(struct live_host *h)
{
    h->act->waits = live_host_next(h) != FC_NEVER;
    if (h->type->repeats)
        h->act->left = h->app.left + (next_wake(h) != FC_NEVER);
    h->act->check = live_crc(h->state, h->type->state_size);
    h->act = NULL;
}

/* The application acts. */
static void command(struct live_host *h, struct live_act *act)
{
    struct fc_event event = {.kind = FC_COMMAND};
    uint64_t steps;
    bool obeyed;

    if (h->type->repeats) {
        h->due[WORK] = FC_NEVER;
        event.command = live_app_ask(&h->app);
    }
    act->command = event.command;
    obeyed = perform(h, event, NULL) & FC_NOTE_STARTED;
    if (obeyed)
        h->used = act->tick + 1;
    steps =
        h->type->repeats ? live_app_asked(&h->app, event.command, obeyed) : 0;
    if (steps)
        h->due[WORK] = net_steps_after(&h->steps, act->tick, steps);
}

static void take_mail(struct live_host *h, struct live_act *act)
{
    struct waiting *w = h->first;

    act->mark = w->mail.mark;
    act->port = w->mail.port;
    act->arrived = w->mail.arrived;
    act->arrived_tick = w->mail.tick;
    act->overdue = w->mail.overdue;
    memcpy(h->read, w->msg, h->type->msg_size);
    h->first = w->next;
    free(w);
}

static void read_one(struct live_host *h, struct live_act *act)
{
    struct fc_event event = {.kind = FC_MESSAGE, .port = act->port};
    bool together = h->eager || h->type->reads_all;

    h->used = act->tick + 1;
    if (h->first) {
        uint64_t at = net_step_end(&h->steps, h->first->mail.tick);

        h->reads_at = together ? (at > act->tick ? at : act->tick)
                               : act->tick + h->steps.ticks;
        if (!together && at > h->reads_at)
            h->reads_at = at;
    }
    (void)perform(h, event, h->read);
}

static void expire(struct live_host *h, struct live_act *act, uint32_t timer)
{
    struct fc_event event = {.kind = FC_TIMEOUT, .timer = (uint8_t)timer};

    act->timer = (uint8_t)timer;
    h->due[timer] = FC_NEVER;
    (void)perform(h, event, NULL);
}

static void start(struct live_host *h)
{
    struct fc_event event = {.kind = FC_BOOT};

    h->starts = false;
    (void)perform(h, event, NULL);
}

/* A wake-up of the list: the application has work from now on, or the node is
 * to begin.  True: that is the act. */
static bool wake(struct live_host *h)
{
    h->woken++;
    if (!h->type->repeats)
        return true;
    live_app_wake(&h->app);
    return false;
}

/* In this step something was taken in already: mail waits for the next. */
static bool must_wait(struct live_host *h, uint64_t now)
{
    if (h->eager || h->type->reads_all || h->used != now + 1)
        return false;
    h->reads_at = now + h->steps.ticks;
    return true;
}

bool live_host_step(struct live_host *h, uint64_t now, struct live_act *act)
{
    uint32_t which;
    uint64_t due = first_due(h, &which);

    while (due <= now) {
        if (which == DUE_READ && must_wait(h, now)) {
            due = first_due(h, &which);
            continue;
        }
        if (which == DUE_WAKE && h->type->repeats) {
            (void)wake(h);
            h->due[WORK] = due;
            due = first_due(h, &which);
            continue;
        }
        static const enum live_act_kind kinds[] = {
            [DUE_START] = LIVE_ACT_START,   [DUE_WAKE] = LIVE_ACT_COMMAND,
            [DUE_WORK] = LIVE_ACT_COMMAND,  [DUE_READ] = LIVE_ACT_READ,
            [DUE_TIMER] = LIVE_ACT_TIMEOUT, [DUE_TIMER + 1] = LIVE_ACT_TIMEOUT};

        begin_act(h, act, kinds[which], now, now - due);
        if (which == DUE_START)
            start(h);
        else if (which == DUE_READ) {
            take_mail(h, act);
            read_one(h, act);
        } else if (which >= DUE_TIMER)
            expire(h, act, which - DUE_TIMER);
        else {
            if (which == DUE_WAKE)
                (void)wake(h);
            command(h, act);
        }
        end_act(h);
        return true;
    }
    return false;
}

/* ---- Crashes ------------------------------------------------------------- */

void live_host_crash(struct live_host *h)
{
    drop_mail(h);
    for (uint32_t t = 0; t < CLOCKS; t++)
        h->due[t] = FC_NEVER;
    h->starts = false;
}

static void boot(struct live_host *h, struct live_act *act)
{
    struct fc_event event = {.kind = FC_BOOT};
    uint8_t view[NET_VIEW_SIZE];
    enum fc_phase phase;
    uint64_t steps;

    if (act->blank) {
        memset(h->state, 0, h->type->state_size);
        memcpy(h->state, h->record, h->type->record_size);
    }
    h->steps.anchor = act->tick;
    /* What it slept through: an application begins now. */
    while (wake_tick(h, h->woken) <= act->tick)
        (void)wake(h);
    (void)perform(h, event, NULL);
    h->used = act->tick + 1;
    h->due[WORK] = FC_NEVER;
    if (!h->type->repeats)
        return;
    live_host_view(h, view, &phase);
    steps = live_app_resume(&h->app, phase, act->tick);
    if (steps)
        h->due[WORK] = net_steps_after(&h->steps, act->tick, steps);
}

void live_host_boot(struct live_host *h, uint64_t now, bool blank,
                    struct live_act *act)
{
    live_host_crash(h);
    begin_act(h, act, LIVE_ACT_BOOT, now, 0);
    act->blank = blank;
    boot(h, act);
    end_act(h);
}

/* ---- Once more ----------------------------------------------------------- */

bool live_host_redo(struct live_host *h, const struct live_act *act,
                    const void *msg)
{
    struct live_act now;

    h->again = act;
    if (act->kind == LIVE_ACT_BOOT)
        live_host_crash(h);
    begin_act(h, &now, (enum live_act_kind)act->kind, act->tick, act->late);
    now.blank = act->blank;
    now.port = act->port;
    switch ((enum live_act_kind)act->kind) {
    case LIVE_ACT_START:
        start(h);
        break;
    case LIVE_ACT_COMMAND:
        while (next_wake(h) <= act->tick && !wake(h))
            ;
        command(h, &now);
        break;
    case LIVE_ACT_READ:
        memcpy(h->read, msg, h->type->msg_size);
        read_one(h, &now);
        break;
    case LIVE_ACT_TIMEOUT:
        expire(h, &now, act->timer);
        break;
    case LIVE_ACT_BOOT:
        boot(h, &now);
        break;
    }
    end_act(h);
    h->again = NULL;
    return now.check == act->check && now.sends == act->sends;
}
