/*
 * lamport.c - mutual exclusion by a queue that everybody keeps (Lamport 1978).
 *
 * A site that wants to enter stamps a request with its logical clock, sends it
 * to everybody and puts it in its own queue.  Everybody puts it in theirs and
 * acknowledges it.  A site enters when its request is the first in its queue,
 * in the order of (number, site), and it has heard something later than that
 * request from everybody: then nobody can come up with an earlier one.  A site
 * that leaves tells everybody.  3(n-1) messages an entry.
 *
 * Sites that ask to read share the resource by the rule of Spirakis and
 * Tampakas (1989, section 3.1): "Readers never give a negative answer to a
 * request of another reader.  The writer follows the original protocol."  The
 * negative answer of this protocol is an earlier request in the queue.
 *
 * Assumes reliable links that keep the order of messages; sites that do not
 * crash; no bound on anything.
 *
 * From: L. Lamport, CACM 21(7), 1978, whose five rules are LA-1 to
 * LA-5.  acks=spared is his footnote to the second.
 */
#include "protocols/mutex/lamport/lamport.h"

#include "core/network.h"

#define TURN lamport
#include "core/turn.inc"

enum {
    REQUEST = LAMPORT_REQUEST,
    ACK = LAMPORT_ACK,
    RELEASE = LAMPORT_RELEASE,
    READ = LAMPORT_READ,
};

static inline bool is_request(const msg *m)
{
    return m->kind == REQUEST || m->kind == READ;
}

/* LA-5, first half: no request in the queue comes before its own.  LA-6: but a
 * reader may come after readers. */
static inline bool is_first(const struct turn *t)
{
    const struct lamport *s = t->s;

    for (uint32_t i = 0; i < t->me->nodes; i++)
        if (s->queue[i] && !(s->shared && fc_set_has(&s->readers, i)) &&
            mutex_before(s->queue[i], i, s->number, t->me->index))
            return false;
    return true;
}

/* LA-5, second half: "has received a message from every other process
 * timestamped later" than its request. */
static inline void enter_if_granted(struct turn *t)
{
    if (t->s->role != MUTEX_WAITS ||
        fc_set_count(&t->s->later) + 1 < t->me->nodes || !is_first(t))
        return;
    become(t, MUTEX_INSIDE);
    fc_set_clear(&t->s->later);
}

static inline void tell_everybody(struct turn *t, uint8_t kind)
{
    t->s->told = ++t->s->clock;
    send_all(t, (msg){.kind = kind, .number = t->s->told});
}

/* LA-1: the request goes to everybody, and into its own queue. */
static inline void on_want(struct turn *t)
{
    if (t->s->role != MUTEX_IDLE)
        return;
    obeyed(t);
    become(t, MUTEX_WAITS);
    t->s->shared = t->event->command == MUTEX_WANT_SHARED;
    tell_everybody(t, t->s->shared ? READ : REQUEST);
    t->s->number = t->s->told;
    enter_if_granted(t); /* alone in the world */
}

/* LA-3: the request leaves its own queue, and everybody is told. */
static inline void on_leave(struct turn *t)
{
    if (t->s->role != MUTEX_INSIDE)
        return;
    obeyed(t);
    become(t, MUTEX_IDLE);
    t->s->number = 0;
    t->s->shared = 0;
    tell_everybody(t, RELEASE);
}

/* LA-2: the request goes into the queue and is acknowledged.  The footnote:
 * that can be spared if something later is on its way to the same site; a site
 * knows this of what it sent to all. */
static inline void on_request(struct turn *t)
{
    uint64_t number = t->m->number;
    uint16_t from = t->event->port;

    t->s->queue[from] = number;
    if (t->m->kind == READ)
        fc_set_add(&t->s->readers, from);
    else
        fc_set_remove(&t->s->readers, from);
    if (t->p->acks == LAMPORT_SPARED &&
        mutex_before(number, from, t->s->told, t->me->index))
        return;
    answer(t, (msg){.kind = ACK, .number = ++t->s->clock});
}

/* LA-4: a release takes its sender's request out of the queue. */
static inline void on_release(struct turn *t)
{
    t->s->queue[t->event->port] = 0;
    fc_set_remove(&t->s->readers, t->event->port);
}

/* Every message moves the clock on, and may be the later one that LA-5 needs
 * of its sender. */
static inline void on_message(struct turn *t)
{
    struct lamport *s = t->s;
    uint64_t number = t->m->number;
    uint16_t from = t->event->port;

    if (number > s->clock)
        s->clock = number;
    if (is_request(t->m))
        on_request(t);
    else if (t->m->kind == RELEASE)
        on_release(t);
    if (s->role == MUTEX_WAITS &&
        mutex_before(s->number, t->me->index, number, from))
        fc_set_add(&s->later, from);
    enter_if_granted(t);
}

FC_STEP(lamport)
{
    if (t->event->kind == FC_MESSAGE)
        on_message(t);
    else if (t->event->kind == FC_COMMAND)
        t->event->command == MUTEX_LEAVE ? on_leave(t) : on_want(t);
}

FC_VIEW(lamport)
{
    *view = mutex_seen(s->role, s->number, me->index);
    view->shared = s->shared;
}

FC_INVARIANT(lamport)
{
    struct fc_set others;

    fc_set_others(&others, me->nodes, me->index);
    if (!mutex_role_is(s->role, MUTEX_IDLE, MUTEX_WAITS, MUTEX_INSIDE))
        return "a site is idle, waits, or is inside";
    if (s->number != (s->role == MUTEX_IDLE ? 0 : s->told))
        return "the last message to all of a site that wants in is its request";
    if (s->told > s->clock)
        return "the clock is not behind what was told";
    if (!fc_set_within(&s->later, &others))
        return "later messages come from others";
    if (s->role != MUTEX_WAITS && !fc_set_empty(&s->later))
        return "only a site that waits counts later messages";
    if (s->role == MUTEX_IDLE && s->shared)
        return "an idle site does not read";
    if (s->queue[me->index])
        return "its own request is not among those of others";
    for (uint32_t i = 0; i < me->nodes; i++)
        if (s->queue[i] > s->clock)
            return "the clock is not behind any request";
    for (uint32_t i = 0; i < me->nodes; i++)
        if (fc_set_has(&s->readers, i) && !s->queue[i])
            return "a request to read is in the queue";
    return NULL;
}

FC_STATE_FIELDS(lamport) = {
    FIELD(NUMBER, clock),          FIELD(NUMBER, number), FIELD(NUMBER, told),
    FIELD_EACH(NUMBER, queue),     FIELD(NODES, readers), FIELD(NODES, later),
    FIELD_WORD(role, MUTEX_ROLES), FIELD(YES, shared),
};

FC_STAMP_MESSAGES(lamport, LAMPORT_KINDS,
                  1u << REQUEST | 1u << ACK | 1u << RELEASE | 1u << READ, 0, 0)

/* Its own request stands in it as well. */
static inline uint32_t queued(const struct lamport *s)
{
    uint32_t count = s->number != 0;

    for (uint32_t i = 0; i < FC_NODES_MAX; i++)
        count += s->queue[i] != 0;
    return count;
}

MUTEX_QUEUE(lamport, queued(s));

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [REQUEST] = {"request", "REQ", FC_ASKS},
    [ACK] = {"ack", "ack", FC_GRANTS},
    [RELEASE] = {"release", "REL", FC_TELLS},
    [READ] = {"read-request", "READ", FC_ASKS},
};

static const struct fc_param params[] = {
    {"acks", FC_PARAM_CHOICE, AT(acks), "always", "always|spared",
     "a request is acknowledged always, or not if a later message has been "
     "sent there already"},
};

/* Exactly that, unless acknowledgements are spared. */
FC_COSTS(lamport)
{
    out[0] = (struct fc_claim){FC_COST_PER_ENTRY, FC_AT_MOST,
                               3.0 * (w->nodes - 1), "3(n-1)"};
    return 1;
}

/* ---- The whole network --------------------------------------------------- */

/* What a site will have in its queue of another when it has read all that is
 * under way from there; links keep the order. */
static uint64_t queued_at_last(const struct fc_network *all, uint32_t site,
                               uint32_t other)
{
    uint64_t number = FC_STATE(lamport, all, site)->queue[other];

    for (uint32_t i = 0; i < all->flying_count; i++) {
        const struct fc_stamp *m = FC_FLYING(lamport, all, i);

        if (all->flying[i].from != other || all->flying[i].to != site)
            continue;
        if (m->kind != ACK)
            number = is_request(m) ? m->number : 0;
    }
    return number;
}

FC_PREDICATE(lamport, queues)
{
    for (uint32_t i = 0; i < all->nodes; i++)
        for (uint32_t j = 0; j < all->nodes; j++)
            if (i != j &&
                queued_at_last(all, i, j) != FC_STATE(lamport, all, j)->number)
                return false;
    return true;
}

FC_PREDICATE(lamport, order)
{
    for (uint32_t i = 0; i < all->nodes; i++)
        for (uint32_t j = 0; j < all->nodes; j++) {
            const struct lamport *a = FC_STATE(lamport, all, i);
            const struct lamport *b = FC_STATE(lamport, all, j);

            if (i != j && a->role == MUTEX_INSIDE && b->number &&
                !(a->shared && b->shared) &&
                !mutex_before(a->number, i, b->number, j))
                return false;
        }
    return true;
}

FC_UNUSED static const struct fc_predicate predicates[] = {
    {"queues",
     "with what is under way read, each queue has exactly the open requests",
     lamport_queues, NULL},
    {"order",
     "no open request comes before that of a site inside, unless both read",
     lamport_order, NULL},
};

const struct fc_protocol lamport_protocol = {
    .name = "lamport",
    .title = "Lamport 1978",
    .idea = "Everybody keeps the queue of all requests; the first in it enters "
            "once it has heard something later from everybody.",
    .assumes = "reliable FIFO links, no crashes, no bounds",
    .survives = "any delay, in order; no crash",
    .bears = FC_BEARS_DELAY | FC_BEARS_PAUSES,
    .source = "L. Lamport, CACM 21(7), 1978",
    FC_ENTRY(lamport, kinds),
    FC_PREDICATES(predicates),
    .needs = FC_NEEDS_FIFO,
    FC_TERMS(lamport, .shares = MUTEX_SHARES_ON_REQUEST),
    FC_PARAMS(params),
    .prepare = mutex_fits,
    .horizon = mutex_horizon,
    FC_COSTS_OF(lamport),
};

#endif
