/*
 * view_lock_reasons.h - the part of view_lock.c about when to propose a view,
 * who does, and whom it names (rules W1 to W9).  Liveness only: whatever is
 * decided here, view_lock_views.h keeps safe.
 */

/* ---- When to propose ----------------------------------------------------- */

/* Each is in the other's heard-set. */
static inline bool linked(const struct turn *t, uint32_t a, uint32_t b)
{
    const struct view_lock_peer *peer = t->s->peer;
    uint32_t me = t->me->index;

    if (a == b)
        return true;
    if (!hears(t, a) || !hears(t, b))
        return false;
    if (a == me)
        return has(peer[b].heard, me);
    if (b == me)
        return has(peer[a].heard, me);
    return has(peer[a].heard, b) && has(peer[b].heard, a);
}

static inline bool linked_to_all(const struct turn *t, uint32_t a, uint16_t set)
{
    for (uint16_t rest = set; rest; rest &= (uint16_t)(rest - 1))
        if (!linked(t, a, least_of(rest)))
            return false;
    return true;
}

/* W1 (a): something is wrong with a member. */
static inline bool member_fails(const struct turn *t)
{
    const struct view_lock *s = t->s;

    for (uint16_t rest = other_members(t); rest; rest &= (uint16_t)(rest - 1)) {
        uint32_t x = least_of(rest);
        const struct view_lock_peer *peer = &s->peer[x];

        if (!hears(t, x) || peer->inc != s->member_inc[x] ||
            peer->flags & VIEW_LOCK_LEAVING ||
            (t->now - s->install_at >= t->p->silence &&
             peer->view != s->view) ||
            !linked_to_all(t, x, s->members))
            return true;
    }
    return false;
}

/* W5: H, for which a node must be linked before it joins. */
static inline uint64_t hold_down(const struct turn *t, uint32_t node)
{
    uint8_t flaps = flaps_of(t, node);

    return (uint64_t)t->p->silence << (flaps ? flaps - 1 : 0);
}

/* W1 (b): who has been linked to all members for the hold-down. */
static inline uint16_t joiners(struct turn *t)
{
    struct view_lock *s = t->s;
    uint16_t found = 0;

    for (uint32_t x = 0; x < t->me->nodes; x++) {
        struct view_lock_peer *peer = &s->peer[x];
        bool fit = !has(s->members, x) && x != t->me->index &&
                   peer->flags & VIEW_LOCK_READY && hears(t, x) &&
                   linked_to_all(t, x, s->members);

        if (!fit)
            peer->linked_at = 0;
        else if (!peer->linked_at)
            peer->linked_at = t->now;
        if (fit && t->now - peer->linked_at >= hold_down(t, x))
            found |= only(x);
    }
    return found;
}

/* W1 (c): nobody who is heard has a view that goes on. */
static inline bool nothing_better(const struct turn *t)
{
    for (uint32_t x = 0; x < t->me->nodes; x++) {
        const struct view_lock_peer *peer = &t->s->peer[x];

        if (x != t->me->index && hears(t, x) && peer->view &&
            peer->view >= t->s->record.maxv && peer->flags & VIEW_LOCK_LEASED)
            return false;
    }
    return true;
}

/* W4: all ready nodes that are heard; while two are not linked, the one with
 * most missing links goes: outsiders first, then larger ids, never itself. */
static inline uint16_t candidates(const struct turn *t)
{
    uint16_t set = 0;

    for (uint32_t x = 0; x < t->me->nodes; x++) {
        bool ready = x == t->me->index ? is_ready(t)
                                       : t->s->peer[x].flags & VIEW_LOCK_READY;

        if (ready && hears(t, x))
            set |= only(x);
    }
    for (;;) {
        uint32_t worst = 0, most = 0;

        for (uint32_t x = 0; x < t->me->nodes; x++) {
            uint32_t missing = 0;

            if (!has(set, x) || x == t->me->index)
                continue;
            for (uint32_t y = 0; y < t->me->nodes; y++)
                missing += has(set, y) && !linked(t, x, y);
            missing = missing ? 2 * missing + !has(t->s->members, x) : 0;
            if (missing && missing >= most) {
                most = missing;
                worst = x;
            }
        }
        if (!most)
            return set;
        set &= (uint16_t)~only(worst);
    }
}

/* Whether two nodes do not hear each other, as far as can be told from here: of
 * one that is not heard only the others speak. */
static inline bool misses(const struct turn *t, uint32_t a, uint32_t b)
{
    uint32_t me = t->me->index;

    if (a == b)
        return false;
    if (hears(t, a) && hears(t, b))
        return !linked(t, a, b);
    if (a == me || b == me)
        return true;
    if (hears(t, a))
        return !has(t->s->peer[a].heard, b);
    return hears(t, b) && !has(t->s->peer[b].heard, a);
}

/* W4: "if self misses more links than any other, and more than one, it lets
 * n Delta pass first": the fault is here, and the others should make a view
 * without this node rather than this node one without two of them. */
static inline bool misses_most(const struct turn *t)
{
    uint16_t alive = heard_set(t);
    uint32_t mine = 0, most = 0;

    for (uint32_t x = 0; x < t->me->nodes; x++)
        if (x != t->me->index && hears(t, x))
            alive |= t->s->peer[x].heard;
    for (uint32_t x = 0; x < t->me->nodes; x++) {
        uint32_t missing = 0;

        for (uint32_t y = 0; y < t->me->nodes; y++)
            missing += has(alive, x) && has(alive, y) && misses(t, x, y);
        if (x == t->me->index)
            mine = missing;
        else if (missing > most)
            most = missing;
    }
    return mine > 1 && mine > most;
}

/* W3, as another will judge it by what its newest frame says. */
static inline bool would_refuse(const struct turn *t, uint32_t node,
                                uint16_t who)
{
    const struct view_lock_peer *peer = &t->s->peer[node];
    bool more = (peer->members & ~who) == 0 && peer->members != who;

    return peer->view && peer->flags & VIEW_LOCK_LEASED &&
           !has(peer->members, t->me->index) && !more;
}

/* W8: "Do not propose what W3 must refuse": it would cost a sync and a number
 * and bring nothing. */
static inline bool is_hopeless(const struct turn *t, uint16_t who)
{
    uint32_t votes = 1;

    for (uint32_t x = 0; x < t->me->nodes; x++)
        votes += x != t->me->index && hears(t, x) && !would_refuse(t, x, who);
    return votes < majority(t);
}

/* W2: how many with smaller ids would speak first. */
static inline uint32_t rank(const struct turn *t, bool of_members)
{
    uint32_t before = 0;

    for (uint32_t x = 0; x < t->me->index; x++)
        before += hears(t, x) &&
                  (!of_members ||
                   (has(t->s->members, x) && t->s->peer[x].view == t->s->view));
    return before;
}

/* The reason to propose just now, or 0. */
static inline char reason(struct turn *t, uint16_t *who)
{
    uint16_t more;

    if (size_of(heard_set(t)) < majority(t))
        return 0;
    if (in_view(t) && member_fails(t)) {
        *who = candidates(t);
        return 'a';
    }
    more = in_view(t) && leased(t) ? joiners(t) : 0;
    if (more) {
        *who = t->s->members | more;
        return 'b';
    }
    if (in_view(t) && t->s->time >= VIEW_LOCK_TIME_HIGH) { /* W7 */
        *who = t->s->members;
        return 'd';
    }
    if ((!in_view(t) ||
         (t->s->lapsed_at && t->now - t->s->lapsed_at >= t->p->silence)) &&
        nothing_better(t)) {
        *who = candidates(t);
        return 'c';
    }
    return 0;
}

/* W2: propose when the reason has lasted rank Deltas, nobody was voted for
 * lately, and the back-off is over.  An own proposal that got no majority in
 * that time is given up: its messages were lost, and nobody else may speak. */
static inline void consider(struct turn *t)
{
    struct view_lock *s = t->s;
    uint64_t delta = delta_of(t), first;
    uint16_t who = 0;
    char why;

    if (leased(t))
        s->lapsed_at = 0;
    else if (!s->lapsed_at)
        s->lapsed_at = t->now;
    why = reason(t, &who);
    if (!why || !who || is_hopeless(t, who)) {
        s->reason = 0;
        return;
    }
    if (s->reason != (uint8_t)why) {
        s->reason = (uint8_t)why;
        s->reason_at = t->now;
    }
    first = rank(t, why != 'c');
    if ((why == 'a' || why == 'c') && misses_most(t))
        first += t->me->nodes;
    if (t->now - s->reason_at < first * delta ||
        (s->voted_at && t->now - s->voted_at < 2 * delta) ||
        t->now < s->backoff)
        return;
    propose(t, who);
}
