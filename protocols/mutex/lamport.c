/*
 * lamport.c - mutual exclusion by a queue that everybody keeps (Lamport 1978).
 *
 * A site that wants to enter stamps a request with its logical clock, sends it
 * to everybody and puts it in its own queue.  Everybody puts it in theirs and
 * acknowledges it.  A site enters when its request is the first in its queue,
 * in the order of (number, site), and it has heard something later than that
 * request from everybody: then nobody can come up with an earlier one.
 * Whoever leaves tells everybody.  3(n-1) messages an entry.
 *
 * Assumes reliable links that keep the order of messages; sites that do not
 * crash; no bound on anything.
 *
 * From: L. Lamport, CACM 21(7), 1978, whose five rules are named at the
 * branches.  acks=spared is his footnote to the second.
 */
#include "protocols/mutex/lamport.h"

static inline void send(struct lamport_out *out, uint16_t to, uint8_t kind,
                        uint64_t number)
{
    out->fx.to[out->fx.sends] = to;
    out->send[out->fx.sends++] =
        (struct lamport_msg){.kind = kind, .number = number};
}

/* Rule 5, first half: no request in the queue comes before the own one. */
static inline bool is_first(const struct lamport *s, const struct fc_member *me)
{
    for (uint32_t i = 0; i < me->nodes; i++)
        if (s->queue[i] && mutex_before(s->queue[i], i, s->number, me->index))
            return false;
    return true;
}

/* Rule 5, second half: and everybody was heard of after it. */
static inline void enter_if_granted(struct lamport *s,
                                    const struct fc_member *me,
                                    struct lamport_out *out)
{
    if (s->role != MUTEX_WAITS || fc_set_count(&s->later) + 1 < me->nodes ||
        !is_first(s, me))
        return;
    s->role = MUTEX_INSIDE;
    fc_set_clear(&s->later);
    out->fx.notes |= FC_NOTE_VIEW;
}

static inline void tell_everybody(struct lamport *s, uint8_t kind,
                                  struct lamport_out *out)
{
    s->told = ++s->clock;
    send(out, FC_EVERYONE, kind, s->told);
}

/* Rule 1: the request goes to everybody, and into the own queue. */
static inline void on_want(struct lamport *s, const struct fc_member *me,
                           struct lamport_out *out)
{
    if (s->role != MUTEX_IDLE)
        return;
    s->role = MUTEX_WAITS;
    out->fx.notes |= FC_NOTE_STARTED | FC_NOTE_VIEW;
    tell_everybody(s, LAMPORT_REQUEST, out);
    s->number = s->told;
    enter_if_granted(s, me, out); /* alone in the world */
}

/* Rule 3: the request leaves the own queue, and everybody is told. */
static inline void on_leave(struct lamport *s, struct lamport_out *out)
{
    if (s->role != MUTEX_INSIDE)
        return;
    s->role = MUTEX_IDLE;
    s->number = 0;
    out->fx.notes |= FC_NOTE_STARTED | FC_NOTE_VIEW;
    tell_everybody(s, LAMPORT_RELEASE, out);
}

/* Rule 2: the request goes into the queue and is acknowledged.  The footnote:
 * that can be spared if something later is on its way to the same site.  Of
 * what went to all, that is known. */
static inline void on_request(struct lamport *s, const struct lamport_params *p,
                              const struct fc_member *me,
                              const struct lamport_in *in,
                              struct lamport_out *out)
{
    uint64_t number = in->msg.number;
    uint16_t from = in->event.port;

    s->queue[from] = number;
    if (p->acks == LAMPORT_SPARED &&
        mutex_before(number, from, s->told, me->index))
        return;
    send(out, from, LAMPORT_ACK, ++s->clock);
}

/* Every message moves the clock on, and may be the later one that was
 * missing.  Rule 4: a release takes its sender's request out of the queue. */
static inline void on_message(struct lamport *s, const struct lamport_params *p,
                              const struct fc_member *me,
                              const struct lamport_in *in,
                              struct lamport_out *out)
{
    uint64_t number = in->msg.number;
    uint16_t from = in->event.port;

    if (number > s->clock)
        s->clock = number;
    if (in->msg.kind == LAMPORT_REQUEST)
        on_request(s, p, me, in, out);
    else if (in->msg.kind == LAMPORT_RELEASE)
        s->queue[from] = 0;
    if (s->role == MUTEX_WAITS &&
        mutex_before(s->number, me->index, number, from))
        fc_set_add(&s->later, from);
    enter_if_granted(s, me, out);
}

FC_API void lamport_step(struct lamport *s, const struct lamport_params *p,
                         const struct fc_member *me,
                         const struct lamport_in *in, struct lamport_out *out)
{
    switch (in->event.kind) {
    case FC_MESSAGE:
        on_message(s, p, me, in, out);
        break;
    case FC_COMMAND:
        if (in->event.command == MUTEX_LEAVE)
            on_leave(s, out);
        else
            on_want(s, me, out);
        break;
    default:
        break;
    }
}

FC_API void lamport_view(const struct lamport *s, const struct fc_member *me,
                         struct mutex_view *view)
{
    *view = mutex_seen(s->role, s->number, me->index);
}

FC_API const char *lamport_sane(const struct lamport *s,
                                const struct lamport_params *p,
                                const struct fc_member *me)
{
    (void)s;
    (void)p;
    (void)me;
    return NULL;
}

FC_STAMP_MESSAGES(lamport, LAMPORT_KINDS,
                  1u << LAMPORT_REQUEST | 1u << LAMPORT_ACK |
                      1u << LAMPORT_RELEASE,
                  0, 0)

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [LAMPORT_REQUEST] = {"request", "REQ", FC_ASKS},
    [LAMPORT_ACK] = {"ack", "ack", FC_GRANTS},
    [LAMPORT_RELEASE] = {"release", "REL", FC_TELLS},
};

static const struct fc_param params[] = {
    {"acks", FC_PARAM_CHOICE, offsetof(struct lamport_params, acks), "always",
     "always|spared",
     "a request is acknowledged always, or not if a later message has been "
     "sent there already"},
};

/* Exactly that, unless acknowledgements are spared. */
static uint32_t claims(const void *params_in, const struct fc_world *world,
                       struct fc_claim out[FC_CLAIMS_MAX])
{
    (void)params_in;
    out[0] = (struct fc_claim){FC_COST_PER_ENTRY, FC_AT_MOST,
                               3.0 * (world->nodes - 1), "3(n-1)"};
    return 1;
}

const struct fc_protocol lamport_protocol = {
    .name = "lamport",
    .title = "Lamport 1978",
    .idea = "Everybody keeps the queue of all requests; the first in it enters "
            "once it has heard something later from everybody.",
    .assumes = "reliable FIFO links, no crashes, no bounds",
    .survives = "any delay, in order; no death",
    .bears = FC_BEARS_DELAY | FC_BEARS_PAUSES,
    .source = "L. Lamport, CACM 21(7), 1978",
    .problem = &mutex_problem,
    .topology = FC_COMPLETE,
    .needs = FC_NEEDS_FIFO,
    .kinds = kinds,
    .kinds_count = LAMPORT_KINDS,
    .params = params,
    .params_count = sizeof params / sizeof params[0],
    .params_size = sizeof(struct lamport_params),
    .state_size = sizeof(struct lamport),
    .msg_size = sizeof(struct lamport_msg),
    .prepare = mutex_fits,
    .horizon = mutex_horizon,
    .claims = claims,
};

#endif
