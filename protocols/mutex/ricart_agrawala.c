/*
 * ricart_agrawala.c - mutual exclusion by everybody's permission (Ricart and
 * Agrawala 1981).
 *
 * A site that wants to enter takes a number greater than all it has seen and
 * asks everybody.  Whoever does not want to enter replies at once; so does
 * whoever wants to, with a request that comes later in the order of (number,
 * site); the others reply when they leave.  With all replies it enters.
 * 2(n-1) messages an entry, always.
 *
 * Assumes reliable links, in any order; sites that do not crash; no bound on
 * anything.
 *
 * From: G. Ricart, A. Agrawala, CACM 24(1), 1981.
 */
#include "protocols/mutex/ricart_agrawala.h"

static inline void send(struct ricart_agrawala_out *out, uint16_t to,
                        uint8_t kind, uint64_t number)
{
    out->fx.to[out->fx.sends] = to;
    out->send[out->fx.sends++] =
        (struct ricart_agrawala_msg){.kind = kind, .number = number};
}

static inline void enter_if_all_replied(struct ricart_agrawala *s,
                                        struct ricart_agrawala_out *out)
{
    if (!fc_set_empty(&s->missing))
        return;
    s->role = MUTEX_INSIDE;
    out->fx.notes |= FC_NOTE_VIEW;
}

static inline void on_want(struct ricart_agrawala *s,
                           const struct fc_member *me,
                           struct ricart_agrawala_out *out)
{
    if (s->role != MUTEX_IDLE)
        return;
    s->number = ++s->highest;
    s->role = MUTEX_WAITS;
    out->fx.notes |= FC_NOTE_STARTED | FC_NOTE_VIEW;
    fc_set_others(&s->missing, me->nodes, me->index);
    send(out, FC_EVERYONE, RICART_AGRAWALA_REQUEST, s->number);
    enter_if_all_replied(s, out); /* alone in the world */
}

/* Replies to those who waited; if they are more than fit in one outbox, a
 * choice among one is how the step goes on. */
static inline void reply_on(struct ricart_agrawala *s,
                            struct ricart_agrawala_out *out)
{
    while (!fc_set_empty(&s->deferred)) {
        uint32_t who = fc_set_least(&s->deferred);

        if (out->fx.sends == FC_SENDS) {
            out->fx.choose = 1;
            return;
        }
        fc_set_remove(&s->deferred, who);
        send(out, (uint16_t)who, RICART_AGRAWALA_REPLY, 0);
    }
}

static inline void on_leave(struct ricart_agrawala *s,
                            struct ricart_agrawala_out *out)
{
    if (s->role != MUTEX_INSIDE)
        return;
    s->role = MUTEX_IDLE;
    s->number = 0;
    out->fx.notes |= FC_NOTE_STARTED | FC_NOTE_VIEW;
    reply_on(s, out);
}

/* Whoever is inside, or waits with a request that comes first, defers the
 * reply until it leaves. */
static inline void on_request(struct ricart_agrawala *s,
                              const struct fc_member *me,
                              const struct ricart_agrawala_in *in,
                              struct ricart_agrawala_out *out)
{
    uint64_t number = in->msg.number;
    uint16_t from = in->event.port;
    bool first = mutex_before(s->number, me->index, number, from);

    if (number > s->highest)
        s->highest = number;
    if (s->role != MUTEX_IDLE && first)
        fc_set_add(&s->deferred, from);
    else
        send(out, from, RICART_AGRAWALA_REPLY, 0);
}

static inline void on_reply(struct ricart_agrawala *s, uint16_t from,
                            struct ricart_agrawala_out *out)
{
    if (s->role != MUTEX_WAITS || !fc_set_has(&s->missing, from)) {
        out->fx.notes |= FC_NOTE_DIES;
        return;
    }
    fc_set_remove(&s->missing, from);
    enter_if_all_replied(s, out);
}

FC_API void ricart_agrawala_step(struct ricart_agrawala *s,
                                 const struct ricart_agrawala_params *p,
                                 const struct fc_member *me,
                                 const struct ricart_agrawala_in *in,
                                 struct ricart_agrawala_out *out)
{
    (void)p;
    switch (in->event.kind) {
    case FC_MESSAGE:
        if (in->msg.kind == RICART_AGRAWALA_REQUEST)
            on_request(s, me, in, out);
        else
            on_reply(s, in->event.port, out);
        break;
    case FC_COMMAND:
        if (in->event.command == MUTEX_LEAVE)
            on_leave(s, out);
        else
            on_want(s, me, out);
        break;
    case FC_CHOICE:
        reply_on(s, out);
        break;
    default:
        break;
    }
}

FC_API void ricart_agrawala_view(const struct ricart_agrawala *s,
                                 const struct fc_member *me,
                                 struct mutex_view *view)
{
    *view = mutex_seen(s->role, s->number, me->index);
}

FC_STAMP_MESSAGES(ricart_agrawala, RICART_AGRAWALA_KINDS,
                  1u << RICART_AGRAWALA_REQUEST, 0, 0)

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [RICART_AGRAWALA_REQUEST] = {"request", "REQ", FC_ASKS},
    [RICART_AGRAWALA_REPLY] = {"reply", "ok", FC_GRANTS},
};

static uint32_t claims(const void *params, const struct fc_world *world,
                       struct fc_claim out[FC_CLAIMS_MAX])
{
    (void)params;
    out[0] = (struct fc_claim){FC_COST_PER_ENTRY, FC_EXACTLY,
                               2.0 * (world->nodes - 1), "2(n-1)"};
    return 1;
}

const struct fc_protocol ricart_agrawala_protocol = {
    .name = "ricart-agrawala",
    .title = "Ricart, Agrawala 1981",
    .idea = "ask everybody; whoever is before you replies when it leaves",
    .assumes = "reliable links in any order, no crashes, no bounds",
    .survives = "any delay and order; no death",
    .bears = FC_BEARS_DELAY | FC_BEARS_PAUSES | FC_BEARS_DISORDER,
    .source = "G. Ricart, A. Agrawala, CACM 24(1), 1981",
    .problem = &mutex_problem,
    .topology = FC_COMPLETE,
    .kinds = kinds,
    .kinds_count = RICART_AGRAWALA_KINDS,
    .params_size = sizeof(struct ricart_agrawala_params),
    .state_size = sizeof(struct ricart_agrawala),
    .msg_size = sizeof(struct ricart_agrawala_msg),
    .prepare = mutex_fits,
    .horizon = mutex_horizon,
    .claims = claims,
};

#endif
