/*
 * maekawa.c - mutual exclusion by a committee for each site (Maekawa 1985).
 *
 * Each site has a committee of about sqrt(n) sites, itself among them, and any
 * two committees have a member in common.  A site enters when every member of
 * its committee is locked for it, and a member is locked for one at a time.
 * So that sites which hold some locks and wait for others do not wait for ever,
 * requests have numbers: a member that is locked for a later request than one
 * that comes in inquires whether it can have its lock back, and gets it from
 * whoever has been told that it must wait for somebody else anyway.
 *
 * K members: 3(K-1) messages an entry if nobody is in the way.
 *
 * Assumes reliable links; sites that do not crash; no bound on anything.  The
 * paper needs links that keep the order; here every message says which request
 * it is about, and any order will do.
 *
 * From: M. Maekawa, ACM TOCS 3(2), 1985.  rules=printed is that;
 * rules=sanders adds a message that B. Sanders, ACM TOCS 5(3), 1987, found
 * missing.
 */
#include "protocols/mutex/maekawa.h"

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

/* All sites of the own row and of the own column.  If the last row is not
 * full, others meet it in its columns. */
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

/* What a step works with, and what a site has to say to itself: it is a member
 * of its own committee, and no link leads there. */
enum { OWN_MAX = 4 };
struct desk {
    struct maekawa *s;
    const struct maekawa_params *p;
    const struct fc_member *me;
    struct maekawa_out *out;
    uint32_t own_count;
    struct maekawa_msg own[OWN_MAX];
};

static inline void send(struct desk *d, uint32_t to, uint8_t kind,
                        uint64_t number)
{
    struct maekawa_msg m = {.kind = kind, .number = number};

    if (to == d->me->index) {
        d->own[d->own_count++] = m;
        return;
    }
    d->out->fx.to[d->out->fx.sends] = (uint16_t)to;
    d->out->send[d->out->fx.sends++] = m;
}

/* The kind `sending` goes to many.  If they are more than fit in one outbox, a
 * choice among one is how the step goes on. */
static inline void send_on(struct desk *d)
{
    struct maekawa *s = d->s;

    while (!fc_set_empty(&s->rest)) {
        uint32_t who = fc_set_least(&s->rest);

        if (d->out->fx.sends == FC_SENDS) {
            d->out->fx.choose = 1;
            return;
        }
        fc_set_remove(&s->rest, who);
        send(d, who, s->sending, s->number);
    }
    s->sending = 0;
    if (s->role == MUTEX_IDLE)
        s->number = 0;
}

/* To some of the committee, the own part of it at once. */
static inline void send_to(struct desk *d, const struct fc_set *whom,
                           uint8_t kind)
{
    d->s->rest = *whom;
    d->s->sending = kind;
    if (fc_set_has(whom, d->me->index)) {
        fc_set_remove(&d->s->rest, d->me->index);
        send(d, d->me->index, kind, d->s->number);
    }
}

/* ---- As a member --------------------------------------------------------- */

/* 1 + whose request in the queue comes first, or 0. */
static inline uint32_t first_in_queue(const struct maekawa *s,
                                      const struct fc_member *me)
{
    uint32_t first = 0;

    for (uint32_t i = 0; i < me->nodes; i++)
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
    send(d, who, MAEKAWA_LOCKED, number);
}

/* The lock is free: the first of those who wait gets it. */
static inline void unlock(struct desk *d)
{
    struct maekawa *s = d->s;
    uint32_t first = first_in_queue(s, d->me);

    s->lock = 0;
    s->lock_number = 0;
    s->inquires = 0;
    if (first == 0)
        return;
    lock_for(d, first - 1, s->queue[first - 1]);
    s->queue[first - 1] = 0;
}

/* It waits.  If somebody is before it, it is told so; if nobody is, whoever
 * has the lock is asked for it.
 *
 * Why the one that was first so far must be told (rules=sanders): (1) the
 * member is locked for c; (2) b comes before c, and c is asked; (3) a comes
 * before b.  Now b waits for a, and does not know.  It may hold the lock of
 * another member, for which a waits, and will not give it back. */
static inline void enqueue(struct desk *d, uint32_t from, uint64_t number)
{
    struct maekawa *s = d->s;
    uint32_t first = first_in_queue(s, d->me);
    bool before_lock = mutex_before(number, from, s->lock_number, s->lock - 1u);
    bool before_all =
        first == 0 ||
        mutex_before(number, from, s->queue[first - 1], first - 1);

    s->queue[from] = number;
    if (!before_lock || !before_all) {
        send(d, from, MAEKAWA_FAILED, number);
        return;
    }
    if (s->inquires && first && d->p->rules == MAEKAWA_SANDERS)
        send(d, first - 1, MAEKAWA_FAILED, s->queue[first - 1]);
    if (!s->inquires)
        send(d, s->lock - 1u, MAEKAWA_INQUIRE, s->lock_number);
    s->inquires = 1;
}

static inline void on_request(struct desk *d, uint32_t from, uint64_t number)
{
    if (number > d->s->highest)
        d->s->highest = number;
    if (d->s->lock == 0)
        lock_for(d, from, number);
    else
        enqueue(d, from, number);
}

/* Whoever gives a lock back waits again. */
static inline void on_give_back(struct desk *d, uint32_t from, uint64_t number,
                                bool waits)
{
    struct maekawa *s = d->s;

    if (s->lock != from + 1 || s->lock_number != number) {
        d->out->fx.notes |= FC_NOTE_DIES;
        return;
    }
    if (waits)
        s->queue[from] = number;
    unlock(d);
}

/* ---- As one who wants to enter ------------------------------------------- */

static inline void on_want(struct desk *d)
{
    struct maekawa *s = d->s;
    struct fc_set members;

    if (s->role != MUTEX_IDLE)
        return;
    s->number = ++s->highest;
    s->role = MUTEX_WAITS;
    d->out->fx.notes |= FC_NOTE_STARTED | FC_NOTE_VIEW;
    maekawa_committee(d->p, d->me, &members);
    send_to(d, &members, MAEKAWA_REQUEST);
}

static inline void on_leave(struct desk *d)
{
    struct maekawa *s = d->s;
    struct fc_set members = s->locked;

    if (s->role != MUTEX_INSIDE)
        return;
    s->role = MUTEX_IDLE;
    fc_set_clear(&s->locked);
    d->out->fx.notes |= FC_NOTE_STARTED | FC_NOTE_VIEW;
    send_to(d, &members, MAEKAWA_RELEASE);
}

/* Who must wait for somebody anyway gives back what it was asked for; who may
 * yet get all locks keeps what it has. */
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
        send_to(d, &back, MAEKAWA_RELINQUISH);
}

static inline void on_locked(struct desk *d, uint32_t from)
{
    struct maekawa *s = d->s;
    struct fc_set members;

    fc_set_add(&s->locked, from);
    fc_set_remove(&s->failed, from);
    maekawa_committee(d->p, d->me, &members);
    if (!fc_set_within(&members, &s->locked)) {
        give_back(d); /* the question may have overtaken the lock */
        return;
    }
    s->role = MUTEX_INSIDE;
    fc_set_clear(&s->inquired);
    d->out->fx.notes |= FC_NOTE_VIEW;
}

/* A refusal may be overtaken by the lock itself: it is old, then. */
static inline void on_failed(struct desk *d, uint32_t from)
{
    if (fc_set_has(&d->s->locked, from)) {
        d->out->fx.notes |= FC_NOTE_DIES;
        return;
    }
    fc_set_add(&d->s->failed, from);
    give_back(d);
}

static inline void on_inquire(struct desk *d, uint32_t from)
{
    fc_set_add(&d->s->inquired, from);
    give_back(d);
}

/* What a member says of another request than the present one is old; and who
 * is inside will release soon enough. */
static inline void on_answer(struct desk *d, uint32_t from,
                             const struct maekawa_msg *m)
{
    if (d->s->role != MUTEX_WAITS || m->number != d->s->number)
        d->out->fx.notes |= FC_NOTE_DIES;
    else if (m->kind == MAEKAWA_LOCKED)
        on_locked(d, from);
    else if (m->kind == MAEKAWA_FAILED)
        on_failed(d, from);
    else
        on_inquire(d, from);
}

/* ---- Both ---------------------------------------------------------------- */

static inline void on_message(struct desk *d, uint32_t from,
                              const struct maekawa_msg *m)
{
    switch (m->kind) {
    case MAEKAWA_REQUEST:
        on_request(d, from, m->number);
        break;
    case MAEKAWA_RELINQUISH:
    case MAEKAWA_RELEASE:
        on_give_back(d, from, m->number, m->kind == MAEKAWA_RELINQUISH);
        break;
    default:
        on_answer(d, from, m);
        break;
    }
}

FC_API void maekawa_step(struct maekawa *s, const struct maekawa_params *p,
                         const struct fc_member *me,
                         const struct maekawa_in *in, struct maekawa_out *out)
{
    struct desk d = {.s = s, .p = p, .me = me, .out = out};

    switch (in->event.kind) {
    case FC_MESSAGE:
        on_message(&d, in->event.port, &in->msg);
        break;
    case FC_COMMAND:
        if (in->event.command == MUTEX_LEAVE)
            on_leave(&d);
        else
            on_want(&d);
        break;
    default:
        break;
    }
    for (uint32_t i = 0; i < d.own_count; i++)
        on_message(&d, me->index, &d.own[i]);
    if (s->sending)
        send_on(&d);
}

/* No token: numbers do not grow from entry to entry, for committees see only
 * some of them. */
FC_API void maekawa_view(const struct maekawa *s, const struct fc_member *me,
                         struct mutex_view *view)
{
    (void)me;
    *view = (struct mutex_view){.role = s->role};
}

FC_API const char *maekawa_sane(const struct maekawa *s,
                                const struct maekawa_params *p,
                                const struct fc_member *me)
{
    (void)s;
    (void)p;
    (void)me;
    return NULL;
}

FC_STAMP_MESSAGES(maekawa, MAEKAWA_KINDS, (1u << MAEKAWA_KINDS) - 2, 0, 0)

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [MAEKAWA_REQUEST] = {"request", "REQ", FC_ASKS},
    [MAEKAWA_LOCKED] = {"locked", "ok", FC_GRANTS},
    [MAEKAWA_FAILED] = {"failed", "no", FC_REFUSES},
    [MAEKAWA_INQUIRE] = {"inquire", "INQ", FC_CALLS},
    [MAEKAWA_RELINQUISH] = {"relinquish", "back", FC_TELLS},
    [MAEKAWA_RELEASE] = {"release", "REL", FC_TELLS},
};

#define AT(field) offsetof(struct maekawa_params, field)
static const struct fc_param params[] = {
    {"quorum", FC_PARAM_CHOICE, AT(quorum), "auto", "auto|grid|plane",
     "committees: row and column of a grid, or lines of a projective plane; "
     "auto: lines if there is a plane of this size"},
    {"rules", FC_PARAM_CHOICE, AT(rules), "sanders", "sanders|printed",
     "whether one that was first and is no longer is told so"},
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

static uint32_t claims(const void *params_in, const struct fc_world *world,
                       struct fc_claim out[FC_CLAIMS_MAX])
{
    uint32_t others = largest_committee(params_in, world) - 1;

    out[0] = (struct fc_claim){FC_COST_PER_ENTRY, FC_MEAN_AT_MOST, 5.0 * others,
                               "5(K-1)"};
    return 1;
}

const struct fc_protocol maekawa_protocol = {
    .name = "maekawa",
    .title = "Maekawa 1985",
    .idea = "Lock your committee of about sqrt(n) sites; any two committees "
            "have a member in common.",
    .assumes = "reliable links in any order, no crashes, no bounds",
    .survives = "any delay and order; death outside the quorum",
    .bears = FC_BEARS_DELAY | FC_BEARS_PAUSES | FC_BEARS_DISORDER,
    .source = "M. Maekawa, ACM TOCS 3(2), 1985; B. Sanders, ACM TOCS 5(3), "
              "1987",
    .problem = &mutex_problem,
    .topology = FC_COMPLETE,
    .kinds = kinds,
    .kinds_count = MAEKAWA_KINDS,
    .params = params,
    .params_count = sizeof params / sizeof params[0],
    .params_size = sizeof(struct maekawa_params),
    .state_size = sizeof(struct maekawa),
    .msg_size = sizeof(struct maekawa_msg),
    .prepare = prepare,
    .horizon = mutex_horizon,
    .claims = claims,
};

#endif
