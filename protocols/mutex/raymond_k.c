/*
 * raymond_k.c - k at once, by the permission of all but k-1 (Raymond 1989).
 *
 * As Ricart and Agrawala: a number greater than all seen, a request to
 * everybody, and whoever is before it replies when it leaves.  But a site
 * enters when all but k-1 of the others have replied: those who have not may be
 * inside.  Their replies come later, perhaps after it has left and asked
 * again; so everybody counts how many replies each owes it, and whoever owes
 * several sends them as one.  At most 2(n-1) messages an entry on the average.
 *
 * Assumes reliable links, in any order; sites that do not crash; no bound on
 * anything.
 *
 * From: K. Raymond, Information Processing Letters 30(4), 1989.
 */
#include "protocols/mutex/raymond_k.h"

static inline void send(struct raymond_k_out *out, uint16_t to,
                        struct raymond_k_msg msg)
{
    out->fx.to[out->fx.sends] = to;
    out->send[out->fx.sends++] = msg;
}

static inline void reply(struct raymond_k_out *out, uint16_t to, uint32_t count)
{
    send(out, to,
         (struct raymond_k_msg){.kind = RAYMOND_K_REPLY, .round = count});
}

static inline void enter_if_few_owe(struct raymond_k *s,
                                    const struct raymond_k_params *p,
                                    struct raymond_k_out *out)
{
    if (s->role != MUTEX_WAITS || s->owing >= p->k)
        return;
    s->role = MUTEX_INSIDE;
    out->fx.notes |= FC_NOTE_VIEW;
}

static inline void on_want(struct raymond_k *s,
                           const struct raymond_k_params *p,
                           const struct fc_member *me,
                           struct raymond_k_out *out)
{
    if (s->role != MUTEX_IDLE)
        return;
    s->number = ++s->highest;
    s->role = MUTEX_WAITS;
    s->owing = me->nodes - 1;
    for (uint32_t i = 0; i < me->nodes; i++)
        s->missing[i] += i != me->index;
    out->fx.notes |= FC_NOTE_STARTED | FC_NOTE_VIEW;
    send(
        out, FC_EVERYONE,
        (struct raymond_k_msg){.kind = RAYMOND_K_REQUEST, .number = s->number});
    enter_if_few_owe(s, p, out); /* as many as there are may enter */
}

/* Replies to those who waited, to all requests of one in one message; if they
 * are more than fit in one outbox, a choice among one is how the step goes
 * on. */
static inline void reply_on(struct raymond_k *s, const struct fc_member *me,
                            struct raymond_k_out *out)
{
    if (s->role != MUTEX_IDLE)
        return;
    for (uint16_t i = 0; i < me->nodes; i++) {
        if (s->deferred[i] == 0)
            continue;
        if (out->fx.sends == FC_SENDS) {
            out->fx.choose = 1;
            return;
        }
        reply(out, i, s->deferred[i]);
        s->deferred[i] = 0;
    }
}

static inline void on_leave(struct raymond_k *s, const struct fc_member *me,
                            struct raymond_k_out *out)
{
    if (s->role != MUTEX_INSIDE)
        return;
    s->role = MUTEX_IDLE;
    s->number = 0;
    out->fx.notes |= FC_NOTE_STARTED | FC_NOTE_VIEW;
    reply_on(s, me, out);
}

static inline void on_request(struct raymond_k *s, const struct fc_member *me,
                              const struct raymond_k_in *in,
                              struct raymond_k_out *out)
{
    uint64_t number = in->msg.number;
    uint16_t from = in->event.port;
    bool first = mutex_before(s->number, me->index, number, from);

    if (number > s->highest)
        s->highest = number;
    if (s->role != MUTEX_IDLE && first)
        s->deferred[from]++;
    else
        reply(out, from, 1);
}

/* Some may come when it is inside, or has left: they count all the same. */
static inline void on_reply(struct raymond_k *s,
                            const struct raymond_k_params *p, uint16_t from,
                            uint32_t count, struct raymond_k_out *out)
{
    if (count == 0 || count > s->missing[from]) {
        out->fx.notes |= FC_NOTE_DIES;
        return;
    }
    s->missing[from] -= count;
    if (s->missing[from] > 0)
        return;
    s->owing--;
    enter_if_few_owe(s, p, out);
}

FC_API void raymond_k_step(struct raymond_k *s,
                           const struct raymond_k_params *p,
                           const struct fc_member *me,
                           const struct raymond_k_in *in,
                           struct raymond_k_out *out)
{
    switch (in->event.kind) {
    case FC_MESSAGE:
        if (in->msg.kind == RAYMOND_K_REQUEST)
            on_request(s, me, in, out);
        else
            on_reply(s, p, in->event.port, in->msg.round, out);
        break;
    case FC_COMMAND:
        if (in->event.command == MUTEX_LEAVE)
            on_leave(s, me, out);
        else
            on_want(s, p, me, out);
        break;
    case FC_CHOICE:
        reply_on(s, me, out);
        break;
    default:
        break;
    }
}

/* No token: of several inside, none is the last to have entered. */
FC_API void raymond_k_view(const struct raymond_k *s,
                           const struct fc_member *me, struct mutex_view *view)
{
    (void)me;
    *view = (struct mutex_view){.role = s->role};
}

FC_API const char *raymond_k_sane(const struct raymond_k *s,
                                  const struct raymond_k_params *p,
                                  const struct fc_member *me)
{
    (void)s;
    (void)p;
    (void)me;
    return NULL;
}

FC_STAMP_MESSAGES(raymond_k, RAYMOND_K_KINDS, 1u << RAYMOND_K_REQUEST,
                  1u << RAYMOND_K_REPLY, 0)

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [RAYMOND_K_REQUEST] = {"request", "REQ", FC_ASKS},
    [RAYMOND_K_REPLY] = {"reply", "ok", FC_GRANTS},
};

static const struct fc_param params[] = {
    {"k", FC_PARAM_NUMBER, offsetof(struct raymond_k_params, k), "2", "1..256",
     "how many may be inside together"},
};

static uint32_t capacity(const void *params_in)
{
    const struct raymond_k_params *p = params_in;

    return p->k;
}

/* Each request leads to one reply at the most, which may come late. */
static uint32_t claims(const void *params_in, const struct fc_world *world,
                       struct fc_claim out[FC_CLAIMS_MAX])
{
    (void)params_in;
    out[0] = (struct fc_claim){FC_COST_PER_ENTRY, FC_AT_MOST,
                               2.0 * (world->nodes - 1), "2(n-1)"};
    return 1;
}

const struct fc_protocol raymond_k_protocol = {
    .name = "raymond-k",
    .title = "Raymond 1989: k at once",
    .idea = "As Ricart and Agrawala, but enter when all but k-1 have replied.",
    .assumes = "reliable links in any order, no crashes, no bounds",
    .survives = "any delay and order; k-1 deaths",
    .bears = FC_BEARS_DELAY | FC_BEARS_PAUSES | FC_BEARS_DISORDER,
    .source = "K. Raymond, Information Processing Letters 30(4), 1989",
    .problem = &mutex_problem,
    .topology = FC_COMPLETE,
    .kinds = kinds,
    .kinds_count = RAYMOND_K_KINDS,
    .params = params,
    .params_count = sizeof params / sizeof params[0],
    .params_size = sizeof(struct raymond_k_params),
    .state_size = sizeof(struct raymond_k),
    .msg_size = sizeof(struct raymond_k_msg),
    .prepare = mutex_fits,
    .horizon = mutex_horizon,
    .capacity = capacity,
    .claims = claims,
};

#endif
