/*
 * host_act.c - what an act of a host does: the protocol's step, and the
 * functions that core/obey.inc asks for (see host_parts.h).
 */
#include <stdlib.h>
#include <string.h>

#include "live/play/host_parts.h"
#include "net/mishap.h"
#include "net/route.h"

/* ---- Messages ------------------------------------------------------------ */

/* Room for one more message that leaves; its place, or NULL. */
static struct live_send *one_more(struct live_host *h, uint32_t count)
{
    uint32_t room = h->sends_room ? 2 * h->sends_room : 32;
    struct live_send *sends;
    uint8_t *bytes;

    if (count < h->sends_room)
        return &h->sends[count];
    sends = realloc(h->sends, room * sizeof *sends);
    if (sends)
        h->sends = sends;
    bytes = realloc(h->sent_bytes, room * h->type->msg_size);
    if (bytes)
        h->sent_bytes = bytes;
    if (!sends || !bytes)
        return NULL;
    h->sends_room = room;
    return &h->sends[count];
}

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
    struct live_send *s = one_more(h, h->act->sends);
    uint64_t dmin = net->time == NET_ARCHIMEDEAN ? net->world.bounds.dmin : 0;

    if (!s)
        abort();
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
        abort(); /* no protocol makes so many in one step */
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

uint32_t host_perform(struct live_host *h, struct fc_event event,
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
