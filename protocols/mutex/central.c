/*
 * central.c - mutual exclusion by a coordinator, which is site 0.
 *
 * Whoever wants to enter asks the coordinator; that lets in one after the
 * other, in the order in which it heard of them; whoever leaves tells it.
 * Three messages an entry, and none for the coordinator itself.
 *
 * Assumes reliable links, in any order; a coordinator that does not crash; no
 * bound on anything.
 *
 * From: folklore; lecture 16 names it ("central coordinator") among what was
 * reviewed.  That grants are numbered, so that an entry has a token, is ours.
 */
#include "protocols/mutex/central.h"

enum { COORDINATOR = 0 };

static inline void send(struct central_out *out, uint16_t to, uint8_t kind,
                        uint64_t number)
{
    out->fx.to[out->fx.sends] = to;
    out->send[out->fx.sends++] =
        (struct central_msg){.kind = kind, .number = number};
}

static inline void enter(struct central *s, uint64_t number,
                         struct central_out *out)
{
    s->role = MUTEX_INSIDE;
    s->number = number;
    out->fx.notes |= FC_NOTE_VIEW;
}

/* ---- The coordinator ----------------------------------------------------- */

/* Lets somebody in; itself without a message. */
static inline void grant(struct central *s, uint16_t who,
                         struct central_out *out)
{
    s->holder = (uint16_t)(who + 1);
    s->grants++;
    if (who == COORDINATOR)
        enter(s, s->grants, out);
    else
        send(out, who, CENTRAL_GRANT, s->grants);
}

static inline bool waits_already(const struct central *s, uint16_t who)
{
    for (uint32_t i = 0; i < s->waiting; i++)
        if (s->queue[i] == who)
            return true;
    return false;
}

/* On links that do not keep the order a request may overtake the release of
 * the same site: it waits like any other. */
static inline void on_request(struct central *s, uint16_t from,
                              struct central_out *out)
{
    if (waits_already(s, from))
        out->fx.notes |= FC_NOTE_DIES;
    else if (s->holder == 0)
        grant(s, from, out);
    else
        s->queue[s->waiting++] = from;
}

static inline void on_release(struct central *s, uint16_t from,
                              struct central_out *out)
{
    uint16_t first = s->queue[0];

    if (s->holder != from + 1) {
        out->fx.notes |= FC_NOTE_DIES;
        return;
    }
    s->holder = 0;
    if (s->waiting == 0)
        return;
    s->waiting--;
    for (uint32_t i = 0; i < s->waiting; i++)
        s->queue[i] = s->queue[i + 1];
    s->queue[s->waiting] = 0;
    grant(s, first, out);
}

/* ---- Whoever wants to enter ---------------------------------------------- */

static inline void on_want(struct central *s, const struct fc_member *me,
                           struct central_out *out)
{
    if (s->role != MUTEX_IDLE)
        return;
    s->role = MUTEX_WAITS;
    out->fx.notes |= FC_NOTE_STARTED | FC_NOTE_VIEW;
    if (me->index == COORDINATOR)
        on_request(s, COORDINATOR, out);
    else
        send(out, COORDINATOR, CENTRAL_REQUEST, 0);
}

static inline void on_leave(struct central *s, const struct fc_member *me,
                            struct central_out *out)
{
    if (s->role != MUTEX_INSIDE)
        return;
    s->role = MUTEX_IDLE;
    s->number = 0;
    out->fx.notes |= FC_NOTE_STARTED | FC_NOTE_VIEW;
    if (me->index == COORDINATOR)
        on_release(s, COORDINATOR, out);
    else
        send(out, COORDINATOR, CENTRAL_RELEASE, 0);
}

static inline void on_grant(struct central *s, uint64_t number,
                            struct central_out *out)
{
    if (s->role == MUTEX_WAITS)
        enter(s, number, out);
    else
        out->fx.notes |= FC_NOTE_DIES;
}

/* ---- Both ---------------------------------------------------------------- */

static inline void on_message(struct central *s, const struct central_in *in,
                              const struct fc_member *me,
                              struct central_out *out)
{
    bool coordinates = me->index == COORDINATOR;

    if (in->msg.kind == CENTRAL_REQUEST && coordinates)
        on_request(s, in->event.port, out);
    else if (in->msg.kind == CENTRAL_RELEASE && coordinates)
        on_release(s, in->event.port, out);
    else if (in->msg.kind == CENTRAL_GRANT && !coordinates)
        on_grant(s, in->msg.number, out);
    else
        out->fx.notes |= FC_NOTE_DIES;
}

FC_API void central_step(struct central *s, const struct central_params *p,
                         const struct fc_member *me,
                         const struct central_in *in, struct central_out *out)
{
    (void)p;
    switch (in->event.kind) {
    case FC_MESSAGE:
        on_message(s, in, me, out);
        break;
    case FC_COMMAND:
        if (in->event.command == MUTEX_LEAVE)
            on_leave(s, me, out);
        else
            on_want(s, me, out);
        break;
    default:
        break;
    }
}

FC_API void central_view(const struct central *s, const struct fc_member *me,
                         struct mutex_view *view)
{
    *view = mutex_seen(s->role, s->number, me->index);
}

FC_API const char *central_sane(const struct central *s,
                                const struct central_params *p,
                                const struct fc_member *me)
{
    (void)s;
    (void)p;
    (void)me;
    return NULL;
}

FC_API void central_relabel(struct central *s, const uint16_t *to,
                            uint32_t nodes)
{
    (void)nodes;
    for (uint32_t i = 0; i < s->waiting; i++)
        s->queue[i] = to[s->queue[i]];
    if (s->holder)
        s->holder = (uint16_t)(to[s->holder - 1] + 1);
}

/* Messages name nobody. */
FC_API void central_relabel_msg(struct central_msg *m, const uint16_t *to,
                                uint32_t nodes)
{
    (void)m;
    (void)to;
    (void)nodes;
}

FC_STAMP_MESSAGES(central, CENTRAL_KINDS, 1u << CENTRAL_GRANT, 0, 0)

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [CENTRAL_REQUEST] = {"request", "REQ", FC_ASKS},
    [CENTRAL_GRANT] = {"grant", "ok", FC_GRANTS},
    [CENTRAL_RELEASE] = {"release", "REL", FC_TELLS},
};

static uint32_t claims(const void *params, const struct fc_world *world,
                       struct fc_claim out[FC_CLAIMS_MAX])
{
    (void)params;
    (void)world;
    out[0] = (struct fc_claim){FC_COST_PER_ENTRY, FC_AT_MOST, 3, "3"};
    return 1;
}

const struct fc_protocol central_protocol = {
    .name = "central",
    .title = "a coordinator, which is the first site",
    .idea = "Ask the coordinator, wait for its grant, and tell it when you "
            "leave.",
    .assumes = "reliable links in any order; the coordinator does not crash; "
               "no bounds",
    .survives = "any delay; not the death of the coordinator",
    .bears = FC_BEARS_DELAY | FC_BEARS_PAUSES,
    .source = "lecture 16: central coordinator",
    .problem = &mutex_problem,
    .topology = FC_COMPLETE,
    .kinds = kinds,
    .kinds_count = CENTRAL_KINDS,
    .params_size = sizeof(struct central_params),
    .state_size = sizeof(struct central),
    .msg_size = sizeof(struct central_msg),
    .prepare = mutex_fits,
    .horizon = mutex_horizon,
    .claims = claims,
};

#endif
