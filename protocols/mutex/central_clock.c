/*
 * central_clock.c - mutual exclusion by everybody's permission in the order of
 * one clock, which is at site 0.
 *
 * A site that wants to enter asks the clock for the time, and stamps its
 * request with that.  The rest is as with Ricart and Agrawala: whoever wants
 * nothing, or has a later stamp, replies at once; the others when they leave.
 * Whoever waits for its stamp cannot know yet, and holds requests until it has
 * it.  2n messages an entry, 2(n-1) for the site of the clock.
 *
 * Assumes reliable links, in any order; sites that do not crash; no bound on
 * anything.
 *
 * From: lecture 16 names it ("central physical clock") and no more: requests
 * are ordered by the time that one clock tells.  What is done with that order
 * is our choice.  The clock tells times that only grow: here it counts how
 * often it was asked, which gives the order in which the questions reach it,
 * as any finer clock would.
 */
#include "protocols/mutex/central_clock.h"

enum { CLOCK = 0 };

static inline void send(struct central_clock_out *out, uint16_t to,
                        uint8_t kind, uint64_t number)
{
    out->fx.to[out->fx.sends] = to;
    out->send[out->fx.sends++] =
        (struct central_clock_msg){.kind = kind, .number = number};
}

static inline void enter_if_all_replied(struct central_clock *s,
                                        struct central_clock_out *out)
{
    if (!fc_set_empty(&s->missing))
        return;
    s->role = MUTEX_INSIDE;
    out->fx.notes |= FC_NOTE_VIEW;
}

/* Replies to many; if they are more than fit in one outbox, a choice among one
 * is how the step goes on. */
static inline void reply_on(struct central_clock *s,
                            struct central_clock_out *out)
{
    while (!fc_set_empty(&s->replies)) {
        uint32_t who = fc_set_least(&s->replies);

        if (out->fx.sends == FC_SENDS) {
            out->fx.choose = 1;
            return;
        }
        fc_set_remove(&s->replies, who);
        send(out, (uint16_t)who, CENTRAL_CLOCK_REPLY, 0);
    }
}

/* Those who were held, and turn out to be first, get their reply now. */
static inline void judge_held(struct central_clock *s,
                              const struct fc_member *me)
{
    for (uint32_t i = 0; i < me->nodes; i++) {
        if (s->held[i] && s->held[i] < s->number) {
            fc_set_remove(&s->deferred, i);
            fc_set_add(&s->replies, i);
        }
        s->held[i] = 0;
    }
}

/* It has its stamp, and asks everybody. */
static inline void request(struct central_clock *s, const struct fc_member *me,
                           uint64_t number, struct central_clock_out *out)
{
    s->number = number;
    s->role = MUTEX_WAITS;
    out->fx.notes |= FC_NOTE_VIEW;
    fc_set_others(&s->missing, me->nodes, me->index);
    send(out, FC_EVERYONE, CENTRAL_CLOCK_REQUEST, number);
    enter_if_all_replied(s, out); /* alone in the world */
    judge_held(s, me);
    reply_on(s, out);
}

static inline void on_want(struct central_clock *s, const struct fc_member *me,
                           struct central_clock_out *out)
{
    if (s->role != MUTEX_IDLE)
        return;
    out->fx.notes |= FC_NOTE_STARTED | FC_NOTE_VIEW;
    if (me->index == CLOCK) {
        request(s, me, ++s->clock, out);
        return;
    }
    s->role = MUTEX_SLEEPS;
    send(out, CLOCK, CENTRAL_CLOCK_ASK, 0);
}

static inline void on_leave(struct central_clock *s,
                            struct central_clock_out *out)
{
    if (s->role != MUTEX_INSIDE)
        return;
    s->role = MUTEX_IDLE;
    s->number = 0;
    s->replies = s->deferred;
    fc_set_clear(&s->deferred);
    out->fx.notes |= FC_NOTE_STARTED | FC_NOTE_VIEW;
    reply_on(s, out);
}

/* Why a site without its stamp may not reply: (1) it asks the clock, which
 * stamps 1; (2) another asks, gets 2, and requests; (3) the stamp 1 is still
 * under way.  A reply would let the other in beside it. */
static inline void on_request(struct central_clock *s, uint16_t from,
                              uint64_t number, struct central_clock_out *out)
{
    bool sleeps = s->role == MUTEX_SLEEPS;

    if (s->role == MUTEX_IDLE || (!sleeps && number < s->number)) {
        send(out, from, CENTRAL_CLOCK_REPLY, 0);
        return;
    }
    fc_set_add(&s->deferred, from);
    if (sleeps)
        s->held[from] = number;
}

static inline void on_reply(struct central_clock *s, uint16_t from,
                            struct central_clock_out *out)
{
    if (s->role != MUTEX_WAITS || !fc_set_has(&s->missing, from)) {
        out->fx.notes |= FC_NOTE_DIES;
        return;
    }
    fc_set_remove(&s->missing, from);
    enter_if_all_replied(s, out);
}

static inline void on_message(struct central_clock *s,
                              const struct fc_member *me,
                              const struct central_clock_in *in,
                              struct central_clock_out *out)
{
    uint16_t from = in->event.port;

    switch (in->msg.kind) {
    case CENTRAL_CLOCK_ASK:
        send(out, from, CENTRAL_CLOCK_STAMP, ++s->clock);
        break;
    case CENTRAL_CLOCK_STAMP:
        if (s->role == MUTEX_SLEEPS)
            request(s, me, in->msg.number, out);
        else
            out->fx.notes |= FC_NOTE_DIES;
        break;
    case CENTRAL_CLOCK_REQUEST:
        on_request(s, from, in->msg.number, out);
        break;
    default:
        on_reply(s, from, out);
        break;
    }
}

FC_API void central_clock_step(struct central_clock *s,
                               const struct central_clock_params *p,
                               const struct fc_member *me,
                               const struct central_clock_in *in,
                               struct central_clock_out *out)
{
    (void)p;
    switch (in->event.kind) {
    case FC_MESSAGE:
        on_message(s, me, in, out);
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

FC_API void central_clock_view(const struct central_clock *s,
                               const struct fc_member *me,
                               struct mutex_view *view)
{
    *view = mutex_seen(s->role, s->number, me->index);
}

FC_API const char *central_clock_sane(const struct central_clock *s,
                                      const struct central_clock_params *p,
                                      const struct fc_member *me)
{
    (void)s;
    (void)p;
    (void)me;
    return NULL;
}

FC_API void central_clock_relabel(struct central_clock *s, const uint16_t *to,
                                  uint32_t nodes)
{
    uint64_t held[FC_NODES_MAX];

    fc_set_relabel(&s->missing, to, nodes);
    fc_set_relabel(&s->deferred, to, nodes);
    fc_set_relabel(&s->replies, to, nodes);
    for (uint32_t i = 0; i < nodes; i++)
        held[to[i]] = s->held[i];
    for (uint32_t i = 0; i < nodes; i++)
        s->held[i] = held[i];
}

/* Messages name nobody. */
FC_API void central_clock_relabel_msg(struct central_clock_msg *m,
                                      const uint16_t *to, uint32_t nodes)
{
    (void)m;
    (void)to;
    (void)nodes;
}

FC_STAMP_MESSAGES(central_clock, CENTRAL_CLOCK_KINDS,
                  1u << CENTRAL_CLOCK_STAMP | 1u << CENTRAL_CLOCK_REQUEST, 0, 0)

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [CENTRAL_CLOCK_ASK] = {"ask", "time?", FC_ASKS},
    [CENTRAL_CLOCK_STAMP] = {"stamp", "time", FC_GRANTS},
    [CENTRAL_CLOCK_REQUEST] = {"request", "REQ", FC_ASKS},
    [CENTRAL_CLOCK_REPLY] = {"reply", "ok", FC_GRANTS},
};

/* Exactly that for all but the site of the clock, which asks nobody. */
static uint32_t claims(const void *params, const struct fc_world *world,
                       struct fc_claim out[FC_CLAIMS_MAX])
{
    (void)params;
    out[0] = (struct fc_claim){FC_COST_PER_ENTRY, FC_AT_MOST,
                               2.0 * world->nodes, "2n"};
    return 1;
}

const struct fc_protocol central_clock_protocol = {
    .name = "central-clock",
    .title = "one clock for all, at the first site",
    .idea = "Stamp the request by a central clock, ask everybody; whoever has "
            "an earlier stamp replies when it leaves.",
    .assumes = "reliable links in any order, no crashes, no bounds; one site "
               "has the clock",
    .survives = "any delay and order; no death",
    .bears = FC_BEARS_DELAY | FC_BEARS_PAUSES | FC_BEARS_DISORDER,
    .source = "lecture 16: central physical clock",
    .problem = &mutex_problem,
    .topology = FC_COMPLETE,
    .kinds = kinds,
    .kinds_count = CENTRAL_CLOCK_KINDS,
    .params_size = sizeof(struct central_clock_params),
    .state_size = sizeof(struct central_clock),
    .msg_size = sizeof(struct central_clock_msg),
    .prepare = mutex_fits,
    .horizon = mutex_horizon,
    .claims = claims,
};

#endif
