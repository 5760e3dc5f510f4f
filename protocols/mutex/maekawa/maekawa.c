/*
 * maekawa.c - mutual exclusion by a committee for each site (Maekawa 1985).
 *
 * Each site has a committee of about sqrt(n) sites, itself among them, and any
 * two committees have a member in common.  A site enters when every member of
 * its committee is locked for it, and a member is locked for one at a time.  So
 * that sites which hold some locks and wait for others do not wait for ever,
 * requests have numbers: a member that is locked for a later request than one
 * that comes in inquires whether it can have its lock back, and gets it back
 * from a site that has been told that it must wait for another anyway.
 *
 * K members: 3(K-1) messages an entry without contention.
 *
 * Assumes reliable links; sites that do not crash; no bound on anything.  The
 * paper needs links that keep the order; here every message says which request
 * it is about, and any order will do.
 *
 * From: M. Maekawa, ACM TOCS 3(2), 1985.  rules=printed is that;
 * rules=sanders adds a message that B. Sanders, ACM TOCS 5(3), 1987, found
 * missing.
 */
#include "protocols/mutex/maekawa/maekawa.h"

#include "core/network.h"

#define TURN maekawa
#include "core/turn.inc"

enum {
    REQUEST = MAEKAWA_REQUEST,
    LOCKED = MAEKAWA_LOCKED,
    FAILED = MAEKAWA_FAILED,
    INQUIRE = MAEKAWA_INQUIRE,
    RELINQUISH = MAEKAWA_RELINQUISH,
    RELEASE = MAEKAWA_RELEASE,
};

/* ---- Committees ---------------------------------------------------------- */

/*
 * Lines of a finite projective plane of order q: n = q^2 + q + 1 sites, any two
 * lines meet in one.  The line of site i is i plus each of these q+1 numbers,
 * modulo n: each other number up to n-1 is the difference of exactly one pair
 * of them.
 */
enum { ORDER_MAX = 13 };
struct plane {
    uint16_t nodes, size;
    uint8_t line[ORDER_MAX + 1];
};

static const struct plane planes[] = {
    {3, 2, {0, 1}},
    {7, 3, {0, 1, 3}},
    {13, 4, {0, 1, 3, 9}},
    {21, 5, {0, 1, 4, 14, 16}},
    {31, 6, {0, 1, 3, 8, 12, 18}},
    {57, 8, {0, 1, 3, 13, 32, 36, 43, 52}},
    {73, 9, {0, 1, 3, 7, 15, 31, 36, 54, 63}},
    {91, 10, {0, 1, 3, 9, 27, 49, 56, 61, 77, 81}},
    {133, 12, {0, 1, 3, 12, 20, 34, 38, 81, 88, 94, 104, 109}},
    {183, 14, {0, 1, 3, 16, 23, 28, 42, 76, 82, 86, 119, 137, 154, 175}},
};

static inline const struct plane *plane_of(uint32_t nodes)
{
    for (uint32_t i = 0; i < sizeof planes / sizeof planes[0]; i++)
        if (planes[i].nodes == nodes)
            return &planes[i];
    return NULL;
}

static inline void line_of(const struct fc_member *me, struct fc_set *members)
{
    const struct plane *plane = plane_of(me->nodes);

    for (uint32_t i = 0; i < plane->size; i++)
        fc_set_add(members, (me->index + plane->line[i]) % me->nodes);
}

/* All sites of its own row and column.  If the last row is not full, others
 * meet it in its columns. */
static inline void cross_of(const struct fc_member *me, uint32_t width,
                            struct fc_set *members)
{
    for (uint32_t i = 0; i < me->nodes; i++)
        if (i / width == me->index / width || i % width == me->index % width)
            fc_set_add(members, i);
}

FC_API void maekawa_committee(const struct maekawa_params *p,
                              const struct fc_member *me,
                              struct fc_set *members)
{
    fc_set_clear(members);
    if (p->width == 0)
        line_of(me, members);
    else
        cross_of(me, p->width, members);
}

/* ---- One step ------------------------------------------------------------ */

/* A turn with two trays: what a site has to say to itself, because it is a
 * member of its own committee and no link leads there; and what goes to several
 * members when all else is said. */
enum { OWN_MAX = 4 };
struct desk {
    struct turn *t;
    struct maekawa *s;
    const struct fc_member *me;
    uint32_t own_count;
    msg own[OWN_MAX];
    struct fc_set several;
    msg to_several;
};

static inline void tell(struct desk *d, uint32_t to, msg m)
{
    if (to == d->me->index)
        d->own[d->own_count++] = m;
    else
        send_to(d->t, (uint16_t)to, m);
}

static inline void tell_several(struct desk *d, const struct fc_set *whom,
                                msg m)
{
    d->several = *whom;
    d->to_several = m;
    if (!fc_set_has(whom, d->me->index))
        return;
    fc_set_remove(&d->several, d->me->index);
    tell(d, d->me->index, m);
}

/* ---- As a member --------------------------------------------------------- */

/* 1 + the site whose request comes first in the queue, or 0. */
static inline uint32_t first_in_queue(const struct maekawa *s, uint32_t nodes)
{
    uint32_t first = 0;

    for (uint32_t i = 0; i < nodes; i++)
        if (s->queue[i] &&
            (first == 0 ||
             mutex_before(s->queue[i], i, s->queue[first - 1], first - 1)))
            first = i + 1;
    return first;
}

static inline void lock_for(struct desk *d, uint32_t who, uint64_t number)
{
    d->s->lock = (uint16_t)(who + 1);
    d->s->lock_number = number;
    d->s->inquires = 0;
    tell(d, who, (msg){.kind = LOCKED, .number = number});
}

/* MA-5: the lock is free: the first of those that wait gets it. */
static inline void unlock(struct desk *d)
{
    struct maekawa *s = d->s;
    uint32_t first = first_in_queue(s, d->me->nodes);

    s->lock = 0;
    s->lock_number = 0;
    s->inquires = 0;
    if (first == 0)
        return;
    lock_for(d, first - 1, s->queue[first - 1]);
    s->queue[first - 1] = 0;
}

/* MA-4: the request waits.  If the one it is locked for, or any that waits, is
 * before it: failed; if it is before all of them: inquire, once, of the site it
 * is locked for.
 *
 * MA-6: the one that was first so far is told failed as well (rules=sanders).
 * Why: (1) the member is locked for c; (2) b comes before c, and c is asked;
 * (3) a comes before b.  Now b waits for a, and does not know.  It may hold the
 * lock of another member, for which a waits, and will not give it back. */
static inline void enqueue(struct desk *d, uint32_t from, uint64_t number)
{
    struct maekawa *s = d->s;
    uint32_t first = first_in_queue(s, d->me->nodes);
    bool before_lock = mutex_before(number, from, s->lock_number, s->lock - 1u);
    bool before_all =
        first == 0 ||
        mutex_before(number, from, s->queue[first - 1], first - 1);

    s->queue[from] = number;
    if (!before_lock || !before_all) {
        tell(d, from, (msg){.kind = FAILED, .number = number});
        return;
    }
    if (s->inquires && first && d->t->p->rules == MAEKAWA_SANDERS)
        tell(d, first - 1,
             (msg){.kind = FAILED, .number = s->queue[first - 1]});
    if (!s->inquires)
        tell(d, s->lock - 1u, (msg){.kind = INQUIRE, .number = s->lock_number});
    s->inquires = 1;
}

/* MA-4: if it is not locked, it is locked for this one. */
static inline void on_request(struct desk *d, uint32_t from, uint64_t number)
{
    if (number > d->s->highest)
        d->s->highest = number;
    if (d->s->lock == 0)
        lock_for(d, from, number);
    else
        enqueue(d, from, number);
}

/* MA-5: release, or relinquish, which puts the request back among those that
 * wait. */
static inline void on_give_back(struct desk *d, uint32_t from, const msg *m)
{
    struct maekawa *s = d->s;

    if (s->lock != from + 1 || s->lock_number != m->number) {
        drop(d->t);
        return;
    }
    if (m->kind == RELINQUISH)
        s->queue[from] = m->number;
    unlock(d);
}

/* ---- As one that wants to enter ------------------------------------------ */

/* MA-1: request to the committee. */
static inline void on_want(struct desk *d)
{
    struct maekawa *s = d->s;
    struct fc_set members;

    if (s->role != MUTEX_IDLE)
        return;
    obeyed(d->t);
    become(d->t, MUTEX_WAITS);
    s->number = ++s->highest;
    maekawa_committee(d->t->p, d->me, &members);
    tell_several(d, &members, (msg){.kind = REQUEST, .number = s->number});
}

/* MA-2: release to all. */
static inline void on_leave(struct desk *d)
{
    struct maekawa *s = d->s;

    if (s->role != MUTEX_INSIDE)
        return;
    obeyed(d->t);
    become(d->t, MUTEX_IDLE);
    tell_several(d, &s->locked, (msg){.kind = RELEASE, .number = s->number});
    fc_set_clear(&s->locked);
    s->number = 0;
}

/* MA-3: if some member has said failed and has not been locked since,
 * relinquish to all that inquired.  Otherwise it may yet get all locks, and
 * keeps what it has. */
static inline void give_back(struct desk *d)
{
    struct maekawa *s = d->s;
    struct fc_set back = {0};

    if (fc_set_empty(&s->failed))
        return;
    for (uint32_t i = 0; i < FC_SET_WORDS; i++) {
        back.word[i] = s->inquired.word[i] & s->locked.word[i];
        s->inquired.word[i] &= ~back.word[i];
        s->locked.word[i] &= ~back.word[i];
        s->failed.word[i] |= back.word[i];
    }
    if (!fc_set_empty(&back))
        tell_several(d, &back, (msg){.kind = RELINQUISH, .number = s->number});
}

/* MA-2: locked by all: it enters. */
static inline void on_locked(struct desk *d, uint32_t from)
{
    struct maekawa *s = d->s;
    struct fc_set members;

    fc_set_add(&s->locked, from);
    fc_set_remove(&s->failed, from);
    maekawa_committee(d->t->p, d->me, &members);
    if (!fc_set_within(&members, &s->locked)) {
        give_back(d); /* the question may have overtaken the lock */
        return;
    }
    become(d->t, MUTEX_INSIDE);
    fc_set_clear(&s->inquired);
}

/* A refusal may be overtaken by the lock itself: it is old, then. */
static inline void on_failed(struct desk *d, uint32_t from)
{
    if (fc_set_has(&d->s->locked, from)) {
        drop(d->t);
        return;
    }
    fc_set_add(&d->s->failed, from);
    give_back(d);
}

/* MA-3: can you do without my lock? */
static inline void on_inquire(struct desk *d, uint32_t from)
{
    fc_set_add(&d->s->inquired, from);
    give_back(d);
}

/* What a member says of another request than the present one is old; and a site
 * that is inside will release soon enough. */
static inline void on_answer(struct desk *d, uint32_t from, const msg *m)
{
    if (d->s->role != MUTEX_WAITS || m->number != d->s->number)
        drop(d->t);
    else if (m->kind == LOCKED)
        on_locked(d, from);
    else if (m->kind == FAILED)
        on_failed(d, from);
    else
        on_inquire(d, from);
}

/* ---- Both ---------------------------------------------------------------- */

static inline void on_message(struct desk *d, uint32_t from, const msg *m)
{
    switch (m->kind) {
    case REQUEST:
        on_request(d, from, m->number);
        break;
    case RELINQUISH:
    case RELEASE:
        on_give_back(d, from, m);
        break;
    default:
        on_answer(d, from, m);
        break;
    }
}

FC_STEP(maekawa)
{
    struct desk d = {.t = t, .s = t->s, .me = t->me};

    if (t->event->kind == FC_MESSAGE)
        on_message(&d, t->event->port, t->m);
    else if (t->event->kind == FC_COMMAND)
        t->event->command == MUTEX_LEAVE ? on_leave(&d) : on_want(&d);
    for (uint32_t i = 0; i < d.own_count; i++)
        on_message(&d, t->me->index, &d.own[i]);
    send_set(t, &d.several, d.to_several);
}

/* No token: numbers do not grow from entry to entry, because committees see
 * only some of them. */
FC_VIEW(maekawa)
{
    *view = (struct mutex_view){.role = s->role};
}

static inline bool have_common(const struct fc_set *a, const struct fc_set *b)
{
    for (uint32_t i = 0; i < FC_SET_WORDS; i++)
        if (a->word[i] & b->word[i])
            return true;
    return false;
}

static inline const char *asker_sane(const struct maekawa *s,
                                     const struct fc_set *members)
{
    bool waits = s->role == MUTEX_WAITS, idle = s->role == MUTEX_IDLE;

    if (!fc_set_within(&s->locked, members) ||
        !fc_set_within(&s->failed, members) ||
        !fc_set_within(&s->inquired, members))
        return "only members of its committee answer a site";
    if (have_common(&s->locked, &s->failed))
        return "a member is locked for a site, or has failed it";
    if (idle ? !fc_set_empty(&s->locked)
             : waits == fc_set_within(members, &s->locked))
        return "a site is inside exactly if it has all locks";
    if (!waits && (!fc_set_empty(&s->failed) || !fc_set_empty(&s->inquired)))
        return "only a site that waits remembers who failed it or inquired";
    if (!fc_set_empty(&s->failed) && have_common(&s->locked, &s->inquired))
        return "a site that must wait keeps no lock that was asked back";
    if (idle != (s->number == 0))
        return "a site has a number exactly while it wants to be inside";
    return NULL;
}

static inline const char *member_sane(const struct maekawa *s, uint32_t nodes)
{
    uint32_t first = first_in_queue(s, nodes);

    if (s->lock > nodes || s->inquires > 1)
        return "a member is locked for a site, and inquires or does not";
    if (s->lock == 0 && (s->lock_number || first))
        return "no site waits for a member that is free";
    if (s->inquires && first == 0)
        return "a member inquires only if a site waits";
    if (s->lock_number > s->highest)
        return "no request is above the highest number seen";
    for (uint32_t i = 0; i < nodes; i++)
        if (s->queue[i] > s->highest)
            return "no request is above the highest number seen";
    return NULL;
}

FC_INVARIANT(maekawa)
{
    struct fc_set members;
    const char *broken;

    maekawa_committee(p, me, &members);
    if (!mutex_role_is(s->role, MUTEX_IDLE, MUTEX_WAITS, MUTEX_INSIDE))
        return "a site is idle, waits, or is inside";
    if (s->number > s->highest)
        return "no request is above the highest number seen";
    broken = asker_sane(s, &members);
    return broken ? broken : member_sane(s, me->nodes);
}

FC_STATE_FIELDS(maekawa) = {
    FIELD(NUMBER, number),     FIELD(NUMBER, highest),
    FIELD(NODES, locked),      FIELD(NODES, failed),
    FIELD(NODES, inquired),    FIELD(NUMBER, lock_number),
    FIELD_EACH(NUMBER, queue), FIELD(MAYBE, lock),
    FIELD(YES, inquires),      FIELD_WORD(role, MUTEX_ROLES),
};

FC_STAMP_MESSAGES(maekawa, MAEKAWA_KINDS, (1u << MAEKAWA_KINDS) - 2, 0, 0)

/* Requests that wait; the one that it is locked for does not. */
static inline uint32_t queued(const struct maekawa *s)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < FC_NODES_MAX; i++)
        count += s->queue[i] != 0;
    return count;
}

MUTEX_QUEUE(maekawa, queued(s));

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [REQUEST] = {"request", "REQ", FC_ASKS},
    [LOCKED] = {"locked", "ok", FC_GRANTS},
    [FAILED] = {"failed", "no", FC_REFUSES},
    [INQUIRE] = {"inquire", "INQ", FC_CALLS},
    [RELINQUISH] = {"relinquish", "back", FC_TELLS},
    [RELEASE] = {"release", "REL", FC_TELLS},
};

static const struct fc_param params[] = {
    {"quorum", FC_PARAM_CHOICE, AT(quorum), "auto", "auto|grid|plane",
     "committees: row and column of a grid, or lines of a projective plane; "
     "auto: lines if there is a plane of this size"},
    {"rules", FC_PARAM_CHOICE, AT(rules), "sanders", "sanders|printed",
     "whether a site that was first and no longer is gets told so"},
};

static const char *prepare(void *params_out, const struct fc_world *world)
{
    struct maekawa_params *p = params_out;
    bool plane = plane_of(world->nodes) != NULL;

    p->width = 0;
    if (p->quorum == MAEKAWA_PLANE && !plane)
        return "there is no plane of this size: take 3, 7, 13, 21, 31, 57, "
               "73, 91, 133 or 183 nodes";
    if (p->quorum == MAEKAWA_GRID || !plane)
        while (p->width * p->width < world->nodes)
            p->width++;
    return mutex_fits(params_out, world);
}

static uint32_t largest_committee(const struct maekawa_params *p,
                                  const struct fc_world *world)
{
    struct fc_set members;
    uint32_t largest = 0;

    for (uint32_t i = 0; i < world->nodes; i++) {
        maekawa_committee(p, &(struct fc_member){i, world->nodes}, &members);
        if (fc_set_count(&members) > largest)
            largest = fc_set_count(&members);
    }
    return largest;
}

FC_COSTS(maekawa)
{
    uint32_t others = largest_committee(params_in, w) - 1;

    out[0] = (struct fc_claim){FC_COST_PER_ENTRY, FC_MEAN_AT_MOST, 5.0 * others,
                               "5(K-1)"};
    return 1;
}

/* ---- The whole network --------------------------------------------------- */

/* In how many places the lock of a member for a site is: there, or under way,
 * or on its way back. */
static uint32_t places(const struct fc_network *all, uint32_t member,
                       uint32_t site)
{
    return fc_set_has(&FC_STATE(maekawa, all, site)->locked, member) +
           fc_count_stamps(all, member, site, LOCKED) +
           fc_count_stamps(all, site, member, RELINQUISH) +
           fc_count_stamps(all, site, member, RELEASE);
}

FC_PREDICATE(maekawa, one_vote)
{
    for (uint32_t i = 0; i < all->nodes; i++)
        for (uint32_t j = 0; j < all->nodes; j++)
            if (places(all, i, j) != (FC_STATE(maekawa, all, i)->lock == j + 1))
                return false;
    return true;
}

FC_UNUSED static const struct fc_predicate predicates[] = {
    {"one-vote",
     "the lock of a member is at one place: with the site it is locked for, or "
     "under way between the two",
     maekawa_one_vote, NULL},
};

const struct fc_protocol maekawa_protocol = {
    .name = "maekawa",
    .title = "Maekawa 1985",
    .idea = "Lock your committee of about sqrt(n) sites; any two committees "
            "have a member in common.",
    .assumes = "reliable links in any order, no crashes, no bounds",
    .survives = "any delay and order; crashes outside the quorum",
    .bears = FC_BEARS_DELAY | FC_BEARS_PAUSES | FC_BEARS_DISORDER,
    .source = "M. Maekawa, ACM TOCS 3(2), 1985; B. Sanders, ACM TOCS 5(3), "
              "1987",
    FC_ENTRY(maekawa, kinds),
    FC_PREDICATES(predicates),
    FC_PARAMS(params),
    .awaits_all = true,
    .prepare = prepare,
    .horizon = mutex_horizon,
    FC_COSTS_OF(maekawa),
};

#endif
