/*
 * central.c - mutual exclusion by a coordinator, which is site 0.
 *
 * A site that wants to enter asks the coordinator; that lets them in one at a
 * time, in the order in which it heard of them; a site that leaves tells it.
 * Three messages an entry, and none for the coordinator itself.
 *
 * Assumes reliable links, in any order; a coordinator that does not crash; no
 * bound on anything.
 *
 * From: folklore; lecture 16 names it ("central coordinator") among what was
 * reviewed.  That grants are numbered, so that an entry has a token, is ours.
 */
#include "protocols/mutex/central/central.h"

#include "core/network.h"

#define TURN central
#include "core/turn.inc"

enum { COORDINATOR = 0 };
enum {
    REQUEST = CENTRAL_REQUEST,
    GRANT = CENTRAL_GRANT,
    RELEASE = CENTRAL_RELEASE,
};

static inline bool coordinates(const struct turn *t)
{
    return t->me->index == COORDINATOR && t->p->coordinator != CENTRAL_NONE;
}

static inline void enter(struct turn *t, uint64_t number)
{
    t->s->number = number;
    become(t, MUTEX_INSIDE);
}

/* ---- The coordinator ----------------------------------------------------- */

/* Lets one in; itself without a message. */
static inline void grant(struct turn *t, uint16_t who)
{
    t->s->holder = (uint16_t)(who + 1);
    t->s->grants++;
    if (who == COORDINATOR)
        enter(t, t->s->grants);
    else
        send_to(t, who, (msg){.kind = GRANT, .number = t->s->grants});
}

static inline bool waits_already(const struct central *s, uint16_t who)
{
    for (uint32_t i = 0; i < s->waiting; i++)
        if (s->queue[i] == who)
            return true;
    return false;
}

/* CE-2: if nobody is inside, grant; otherwise the site waits at the end of a
 * queue.  On links that do not keep the order a request may overtake the
 * release of the same site: it waits like any other. */
static inline void on_request(struct turn *t, uint16_t from)
{
    if (waits_already(t->s, from))
        drop(t);
    else if (t->s->holder == 0)
        grant(t, from);
    else
        t->s->queue[t->s->waiting++] = from;
}

/* CE-5: the first of the queue gets a grant. */
static inline void on_release(struct turn *t, uint16_t from)
{
    struct central *s = t->s;
    uint16_t first = s->queue[0];

    if (s->holder != from + 1) {
        drop(t);
        return;
    }
    s->holder = 0;
    if (s->waiting == 0)
        return;
    s->waiting--;
    for (uint32_t i = 0; i < s->waiting; i++)
        s->queue[i] = s->queue[i + 1];
    s->queue[s->waiting] = 0;
    grant(t, first);
}

/* ---- A site that wants to enter ------------------------------------------ */

/* CE-1: request to the coordinator, which asks itself without a message. */
static inline void on_want(struct turn *t)
{
    if (t->s->role != MUTEX_IDLE)
        return;
    obeyed(t);
    become(t, MUTEX_WAITS);
    if (coordinates(t))
        on_request(t, COORDINATOR);
    else if (t->me->index != COORDINATOR) /* which has no link to itself */
        send_to(t, COORDINATOR, (msg){.kind = REQUEST});
}

/* CE-4: release to the coordinator. */
static inline void on_leave(struct turn *t)
{
    if (t->s->role != MUTEX_INSIDE)
        return;
    obeyed(t);
    become(t, MUTEX_IDLE);
    t->s->number = 0;
    if (coordinates(t))
        on_release(t, COORDINATOR);
    else if (t->me->index != COORDINATOR)
        send_to(t, COORDINATOR, (msg){.kind = RELEASE});
}

/* CE-3: grant: it enters. */
static inline void on_grant(struct turn *t)
{
    if (t->s->role == MUTEX_WAITS)
        enter(t, t->m->number);
    else
        drop(t);
}

/* ---- Both ---------------------------------------------------------------- */

static inline void on_message(struct turn *t)
{
    if (t->m->kind == REQUEST && coordinates(t))
        on_request(t, t->event->port);
    else if (t->m->kind == RELEASE && coordinates(t))
        on_release(t, t->event->port);
    else if (t->m->kind == GRANT && !coordinates(t))
        on_grant(t);
    else
        drop(t);
}

FC_STEP(central)
{
    if (t->event->kind == FC_MESSAGE)
        on_message(t);
    else if (t->event->kind == FC_COMMAND)
        t->event->command == MUTEX_LEAVE ? on_leave(t) : on_want(t);
}

FC_VIEW(central)
{
    *view = mutex_seen(s->role, s->number, me->index);
}

/* What the coordinator knows of the others. */
static inline const char *books_sane(const struct central *s, uint32_t nodes)
{
    struct fc_set in_queue = {0};

    if (s->holder > nodes || s->waiting > nodes)
        return "no more sites are inside, or in the queue, than there are";
    if (s->waiting > 0 && s->holder == 0)
        return "no site waits in the queue while none is inside";
    for (uint32_t i = 0; i < s->waiting; i++) {
        if (s->queue[i] >= nodes || fc_set_has(&in_queue, s->queue[i]))
            return "each site is in the queue once";
        fc_set_add(&in_queue, s->queue[i]);
    }
    if ((s->role == MUTEX_WAITS) != fc_set_has(&in_queue, COORDINATOR))
        return "the coordinator waits in its own queue";
    if ((s->role == MUTEX_INSIDE) != (s->holder == COORDINATOR + 1))
        return "the coordinator is inside exactly if it has let itself in";
    if (s->number > s->grants)
        return "no entry has a greater number than there were grants";
    return NULL;
}

FC_INVARIANT(central)
{
    if (!mutex_role_is(s->role, MUTEX_IDLE, MUTEX_WAITS, MUTEX_INSIDE))
        return "a site is idle, waits, or is inside";
    if (s->role != MUTEX_INSIDE && s->number)
        return "only a site that is inside has the number of a grant";
    if (me->index == COORDINATOR && p->coordinator != CENTRAL_NONE)
        return books_sane(s, me->nodes);
    if (s->holder || s->waiting || s->grants)
        return "only the coordinator lets others in";
    return NULL;
}

FC_STATE_FIELDS(central) = {
    FIELD(NUMBER, number),
    FIELD(NUMBER, grants),
    FIELD_QUEUE(NODE, queue, waiting),
    FIELD(NUMBER, waiting),
    FIELD(MAYBE, holder),
    FIELD_WORD(role, MUTEX_ROLES),
};

FC_API void central_relabel(struct central *s, const uint16_t *to,
                            uint32_t nodes)
{
    (void)nodes;
    for (uint32_t i = 0; i < s->waiting; i++)
        s->queue[i] = to[s->queue[i]];
    if (s->holder)
        s->holder = (uint16_t)(to[s->holder - 1] + 1);
}

FC_STAMP_MESSAGES(central, CENTRAL_KINDS, 1u << GRANT, 0, 0)
FC_STAMP_RELABELS(central)

MUTEX_QUEUE(central, s->waiting);

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [REQUEST] = {"request", "REQ", FC_ASKS},
    [GRANT] = {"grant", "ok", FC_GRANTS},
    [RELEASE] = {"release", "REL", FC_TELLS},
};

FC_COSTS(central)
{
    (void)w;
    out[0] = (struct fc_claim){FC_COST_PER_ENTRY, FC_AT_MOST, 3, "3"};
    return 1;
}

static const struct fc_param params[] = {
    {"coordinator", FC_PARAM_CHOICE, AT(coordinator), "first", "first|none",
     "the first site coordinates, as it is made for, or none does"},
};

/* ---- The whole network --------------------------------------------------- */

FC_PREDICATE(central, grants)
{
    const struct central *books = FC_STATE(central, all, COORDINATOR);

    for (uint32_t i = 0; i < all->nodes; i++)
        if (fc_count_stamps(all, COORDINATOR, i, GRANT) +
                (FC_STATE(central, all, i)->role == MUTEX_INSIDE) +
                fc_count_stamps(all, i, COORDINATOR, RELEASE) !=
            (books->holder == i + 1))
            return false;
    return true;
}

FC_PREDICATE(central, requests)
{
    const struct central *books = FC_STATE(central, all, COORDINATOR);

    for (uint32_t i = 0; i < all->nodes; i++)
        if (fc_count_stamps(all, i, COORDINATOR, REQUEST) +
                waits_already(books, (uint16_t)i) +
                fc_count_stamps(all, COORDINATOR, i, GRANT) !=
            (FC_STATE(central, all, i)->role == MUTEX_WAITS))
            return false;
    return true;
}

/* They are about the protocol as it is made, with a coordinator. */
FC_UNUSED static bool has_coordinator(const void *params_in)
{
    const struct central_params *p = params_in;

    return p->coordinator != CENTRAL_NONE;
}

FC_UNUSED static const struct fc_predicate predicates[] = {
    {"grants",
     "the site that the coordinator let in is inside, or its grant or its "
     "release is under way; of no other site is any of these true",
     central_grants, has_coordinator},
    {"requests",
     "a site that waits is in the queue once, or its request or its grant is "
     "under way",
     central_requests, has_coordinator},
};

const struct fc_protocol central_protocol = {
    .name = "central",
    .title = "a coordinator, which is the first site",
    .idea = "Ask the coordinator, wait for its grant, and tell it when you "
            "leave.",
    .assumes = "reliable links in any order; the coordinator does not crash; "
               "no bounds",
    .survives = "any delay; not a crash of the coordinator",
    .bears = FC_BEARS_DELAY | FC_BEARS_PAUSES,
    .source = "lecture 16: central coordinator",
    FC_ENTRY(central, kinds),
    FC_PREDICATES(predicates),
    .awaits_all = true,
    FC_PARAMS(params),
    .prepare = mutex_fits,
    .horizon = mutex_horizon,
    FC_COSTS_OF(central),
};

#endif
