/*
 * carvalho_roucairol.c - mutual exclusion by permissions that are kept
 * (Carvalho and Roucairol 1983).
 *
 * As Ricart and Agrawala, but a permission once given is good until it is asked
 * back: a site asks only those whose permission it does not have.  Of two sites
 * at most one has the other's.  Whoever wants to enter, and is asked by
 * somebody with an earlier request, gives that permission up and asks for it
 * in the same breath.  0 to 2(n-1) messages an entry: none for a site that
 * enters again before anybody else.
 *
 * Assumes reliable links, in any order; sites that do not crash; no bound on
 * anything.
 *
 * From: O. Carvalho, G. Roucairol, CACM 26(2), 1983.  At the beginning nobody
 * has a permission: the first entry of each site costs 2(n-1), or less if
 * others came before.
 */
#include "protocols/mutex/carvalho_roucairol.h"

static inline void send(struct carvalho_roucairol_out *out, uint16_t to,
                        uint8_t kind, uint64_t number)
{
    out->fx.to[out->fx.sends] = to;
    out->send[out->fx.sends++] =
        (struct carvalho_roucairol_msg){.kind = kind, .number = number};
}

static inline void enter_if_permitted(struct carvalho_roucairol *s,
                                      const struct fc_member *me,
                                      struct carvalho_roucairol_out *out)
{
    if (fc_set_count(&s->permitted) + 1 < me->nodes)
        return;
    s->role = MUTEX_INSIDE;
    out->fx.notes |= FC_NOTE_VIEW;
}

/* Whoever gets our permission has it instead of us having theirs. */
static inline void permit(struct carvalho_roucairol *s, uint16_t who,
                          struct carvalho_roucairol_out *out)
{
    fc_set_remove(&s->permitted, who);
    send(out, who, CARVALHO_ROUCAIROL_REPLY, 0);
}

/* Requests and replies to many; if they are more than fit in one outbox, a
 * choice among one is how the step goes on. */
static inline void send_on(struct carvalho_roucairol *s,
                           struct carvalho_roucairol_out *out)
{
    struct fc_set *rest = s->role == MUTEX_WAITS ? &s->asking : &s->deferred;

    if (s->role == MUTEX_INSIDE)
        return;
    while (!fc_set_empty(rest)) {
        uint16_t who = (uint16_t)fc_set_least(rest);

        if (out->fx.sends == FC_SENDS) {
            out->fx.choose = 1;
            return;
        }
        fc_set_remove(rest, who);
        if (s->role == MUTEX_WAITS)
            send(out, who, CARVALHO_ROUCAIROL_REQUEST, s->number);
        else
            permit(s, who, out);
    }
}

static inline void on_want(struct carvalho_roucairol *s,
                           const struct fc_member *me,
                           struct carvalho_roucairol_out *out)
{
    if (s->role != MUTEX_IDLE)
        return;
    s->number = ++s->highest;
    s->role = MUTEX_WAITS;
    out->fx.notes |= FC_NOTE_STARTED | FC_NOTE_VIEW;
    for (uint16_t i = 0; i < me->nodes; i++)
        if (i != me->index && !fc_set_has(&s->permitted, i))
            fc_set_add(&s->asking, i);
    send_on(s, out);
    enter_if_permitted(s, me, out);
}

static inline void on_leave(struct carvalho_roucairol *s,
                            struct carvalho_roucairol_out *out)
{
    if (s->role != MUTEX_INSIDE)
        return;
    s->role = MUTEX_IDLE;
    s->number = 0;
    out->fx.notes |= FC_NOTE_STARTED | FC_NOTE_VIEW;
    send_on(s, out);
}

/* Inside it defers, whatever the numbers: it may have entered without anybody
 * hearing of its request. */
static inline void on_request(struct carvalho_roucairol *s,
                              const struct fc_member *me,
                              const struct carvalho_roucairol_in *in,
                              struct carvalho_roucairol_out *out)
{
    uint64_t number = in->msg.number;
    uint16_t from = in->event.port;
    bool waits = s->role == MUTEX_WAITS;
    bool had_its = fc_set_has(&s->permitted, from);

    if (number > s->highest)
        s->highest = number;
    if (s->role == MUTEX_INSIDE ||
        (waits && mutex_before(s->number, me->index, number, from))) {
        fc_set_add(&s->deferred, from);
        return;
    }
    permit(s, from, out);
    /* Only a permission from before its own request can be lost now; it has
     * not asked for that one, and does. */
    if (waits && had_its)
        send(out, from, CARVALHO_ROUCAIROL_REQUEST, s->number);
}

static inline void on_reply(struct carvalho_roucairol *s,
                            const struct fc_member *me, uint16_t from,
                            struct carvalho_roucairol_out *out)
{
    if (s->role != MUTEX_WAITS || fc_set_has(&s->permitted, from)) {
        out->fx.notes |= FC_NOTE_DIES;
        return;
    }
    fc_set_add(&s->permitted, from);
    enter_if_permitted(s, me, out);
}

FC_API void carvalho_roucairol_step(struct carvalho_roucairol *s,
                                    const struct carvalho_roucairol_params *p,
                                    const struct fc_member *me,
                                    const struct carvalho_roucairol_in *in,
                                    struct carvalho_roucairol_out *out)
{
    (void)p;
    switch (in->event.kind) {
    case FC_MESSAGE:
        if (in->msg.kind == CARVALHO_ROUCAIROL_REQUEST)
            on_request(s, me, in, out);
        else
            on_reply(s, me, in->event.port, out);
        break;
    case FC_COMMAND:
        if (in->event.command == MUTEX_LEAVE)
            on_leave(s, out);
        else
            on_want(s, me, out);
        break;
    case FC_CHOICE:
        send_on(s, out);
        break;
    default:
        break;
    }
}

/* No token: numbers do not grow from entry to entry, for who enters without
 * asking takes one that nobody hears of. */
FC_API void carvalho_roucairol_view(const struct carvalho_roucairol *s,
                                    const struct fc_member *me,
                                    struct mutex_view *view)
{
    (void)me;
    *view = (struct mutex_view){.role = s->role};
}

FC_API const char *
carvalho_roucairol_sane(const struct carvalho_roucairol *s,
                        const struct carvalho_roucairol_params *p,
                        const struct fc_member *me)
{
    (void)s;
    (void)p;
    (void)me;
    return NULL;
}

FC_STAMP_MESSAGES(carvalho_roucairol, CARVALHO_ROUCAIROL_KINDS,
                  1u << CARVALHO_ROUCAIROL_REQUEST, 0, 0)

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [CARVALHO_ROUCAIROL_REQUEST] = {"request", "REQ", FC_ASKS},
    [CARVALHO_ROUCAIROL_REPLY] = {"reply", "ok", FC_GRANTS},
};

static uint32_t claims(const void *params, const struct fc_world *world,
                       struct fc_claim out[FC_CLAIMS_MAX])
{
    (void)params;
    out[0] = (struct fc_claim){FC_COST_PER_ENTRY, FC_AT_MOST,
                               2.0 * (world->nodes - 1), "2(n-1)"};
    return 1;
}

const struct fc_protocol carvalho_roucairol_protocol = {
    .name = "carvalho-roucairol",
    .title = "Carvalho, Roucairol 1983",
    .idea = "As Ricart and Agrawala, but a permission is good until it is "
            "asked back.",
    .assumes = "reliable links in any order, no crashes, no bounds",
    .survives = "any delay and order; no death",
    .bears = FC_BEARS_DELAY | FC_BEARS_PAUSES | FC_BEARS_DISORDER,
    .source = "O. Carvalho, G. Roucairol, CACM 26(2), 1983",
    .problem = &mutex_problem,
    .topology = FC_COMPLETE,
    .kinds = kinds,
    .kinds_count = CARVALHO_ROUCAIROL_KINDS,
    .params_size = sizeof(struct carvalho_roucairol_params),
    .state_size = sizeof(struct carvalho_roucairol),
    .msg_size = sizeof(struct carvalho_roucairol_msg),
    .prepare = mutex_fits,
    .horizon = mutex_horizon,
    .claims = claims,
};

#endif
