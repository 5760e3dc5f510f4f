/*
 * view_lock_frames.h - the part of view_lock.c about frames and leases (rules
 * F1 to F4), and about what every other part needs.
 */

/* One step: all that its rules need. */
struct turn {
    struct view_lock *s;
    const struct view_lock_params *p;
    const struct fc_member *me;
    struct view_lock_out *out;
    uint64_t now;
};

static inline bool lacks(const struct turn *t, enum view_lock_without rule)
{
    return t->p->without == rule;
}

/* ---- Sets of nodes ------------------------------------------------------- */

static inline uint16_t only(uint32_t node)
{
    return (uint16_t)(1u << node);
}

static inline bool has(uint16_t set, uint32_t node)
{
    return (uint32_t)set >> node & 1u;
}

static inline uint32_t size_of(uint16_t set)
{
    uint32_t count = 0;

    for (; set; set &= (uint16_t)(set - 1))
        count++;
    return count;
}

static inline uint32_t least_of(uint16_t set)
{
    return (uint32_t)__builtin_ctz(set);
}

static inline uint16_t others(const struct turn *t)
{
    return (uint16_t)(((1u << t->me->nodes) - 1) & ~(1u << t->me->index));
}

static inline uint16_t other_members(const struct turn *t)
{
    return t->s->members & others(t);
}

static inline uint32_t majority(const struct turn *t)
{
    return t->me->nodes / 2 + 1;
}

/* The m-th largest of n numbers. */
static inline uint64_t mth_largest(const uint64_t *number, uint32_t n,
                                   uint32_t m)
{
    uint64_t found = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t as_large = 0;

        for (uint32_t j = 0; j < n; j++)
            as_large += number[j] >= number[i];
        if (as_large >= m && number[i] > found)
            found = number[i];
    }
    return found;
}

/* ---- What follows from the state ----------------------------------------- */

/* Whatever an earlier incarnation promised is over. */
static inline bool settled(const struct turn *t)
{
    return t->now - t->s->start >= t->p->quiet ||
           lacks(t, VIEW_LOCK_WITHOUT_K4);
}

static inline bool in_view(const struct turn *t)
{
    return t->s->view != 0 && t->s->view == t->s->record.maxv;
}

static inline bool leased(const struct turn *t)
{
    return t->now < t->s->lease_end;
}

/* Whether this node is why frames must be frequent: it has something to lose,
 * or waits for something that it can only get with the others' help. */
static inline bool is_busy(const struct turn *t)
{
    for (uint32_t i = 0; i < t->s->used; i++)
        if (t->s->lock[i].role != MUTEX_IDLE || t->s->lock[i].wants)
            return true;
    return t->s->leaving;
}

static inline bool holds(const struct view_lock_one *lock)
{
    return lock->role == MUTEX_INSIDE;
}

static inline bool holds_any(const struct turn *t)
{
    for (uint32_t i = 0; i < t->s->used; i++)
        if (holds(&t->s->lock[i]))
            return true;
    return false;
}

/* One that helps others to a majority, and never holds a lock itself. */
static inline bool is_witness(const struct turn *t)
{
    return has(t->p->witnesses, t->me->index);
}

/* Fit to be a member. */
static inline bool is_ready(const struct turn *t)
{
    return settled(t) && !t->s->leaving && !is_witness(t);
}

/* S, and what a peer that rests takes longer than tau until its next frame: it
 * has said so. */
static inline uint64_t patience_with(const struct turn *t, uint32_t node)
{
    uint32_t period = t->s->peer[node].period, tau = t->p->tau;

    if (period > t->p->idle)
        period = t->p->idle; /* no node rests for longer */
    return (uint64_t)t->p->silence + (period > tau ? period - tau : 0);
}

/* Who it has heard of lately; itself always. */
static inline bool hears(const struct turn *t, uint32_t node)
{
    uint64_t at = t->s->peer[node].heard_at;

    return node == t->me->index ||
           (at && t->now - at <= patience_with(t, node));
}

static inline uint16_t heard_set(const struct turn *t)
{
    uint16_t set = 0;

    for (uint32_t j = 0; j < t->me->nodes; j++)
        if (hears(t, j))
            set |= only(j);
    return set;
}

/* W9: a round trip and the slowest record of all; a disk that takes longer
 * than a lease is not waited for. */
static inline uint64_t delta_of(const struct turn *t)
{
    uint32_t slowest = t->p->sync;

    for (uint32_t x = 0; x < t->me->nodes; x++)
        if (t->s->peer[x].sync > slowest)
            slowest = t->s->peer[x].sync;
    if (slowest > t->p->lease)
        slowest = t->p->lease;
    return (uint64_t)t->p->delta + slowest;
}

/* How soon the next frame must follow.  While nobody holds or wants anything,
 * and all members are well, there is nothing to guard but the leases
 * themselves; who is about to hold says so at once, and everybody hurries. */
static inline uint32_t pace(const struct turn *t)
{
    const struct view_lock *s = t->s;

    if (!in_view(t) || is_busy(t) || s->reason || s->proposal.view ||
        s->news.pending || t->p->idle <= t->p->tau)
        return t->p->tau;
    for (uint32_t x = 0; x < t->me->nodes; x++) {
        const struct view_lock_peer *peer = &s->peer[x];

        if (x != t->me->index &&
            ((has(s->members, x) && peer->view != s->view) ||
             (hears(t, x) && peer->flags & VIEW_LOCK_BUSY)))
            return t->p->tau;
    }
    return t->p->idle;
}

/* ---- Leases -------------------------------------------------------------- */

/* The lease is T from the sending of the newest frame that a majority took. */
static inline void renew_lease(struct turn *t)
{
    struct view_lock *s = t->s;
    uint64_t acked[VIEW_LOCK_NODES];

    for (uint32_t j = 0; j < t->me->nodes; j++)
        acked[j] = s->peer[j].acked;
    s->lease_from = mth_largest(acked, t->me->nodes, majority(t));
    s->lease_end = s->lease_from ? s->lease_from + t->p->lease : 0;
    s->deadline = s->lease_end > t->p->kill ? s->lease_end - t->p->kill : 0;
    if (holds_any(t))
        t->out->fx.notes |= FC_NOTE_VIEW;
}

/* A frame to one peer.  F1: "Sending a frame with view not 0 sets took[self],
 * acked[self] and est"; one that voted for a higher view sends view = 0. */
static inline struct view_lock_msg make_frame(struct turn *t, uint32_t to)
{
    struct view_lock *s = t->s;
    struct view_lock_peer *me = &s->peer[t->me->index];
    bool shows = in_view(t) || (s->view && lacks(t, VIEW_LOCK_WITHOUT_F1));
    struct view_lock_msg m = {
        .kind = VIEW_LOCK_FRAME,
        .inc = s->inc,
        .maxv = s->record.maxv,
        .stamp = t->now,
        .echo_inc = s->peer[to].echo_inc,
        .echo_stamp = s->peer[to].echo_stamp,
        .heard = heard_set(t),
        .time = s->time,
        .sync = t->p->sync,
        .period = pace(t),
    };

    s->told = m.period;
    if (is_ready(t))
        m.flags |= VIEW_LOCK_READY;
    if (s->leaving)
        m.flags |= VIEW_LOCK_LEAVING;
    if (is_busy(t))
        m.flags |= VIEW_LOCK_BUSY;
    if (!shows)
        return m;
    m.view = s->view;
    m.members = s->members;
    if (leased(t))
        m.flags |= VIEW_LOCK_LEASED;
    if (s->clean)
        m.flags |= VIEW_LOCK_CLEAN;
    me->took = me->acked = t->now;
    if (s->est < s->view)
        s->est = s->view;
    renew_lease(t);
    return m;
}

/* F2: "taken iff u >= maxv.  Lower views are never taken again after a vote."
 * The first one in a view is echoed at once. */
static inline void take_frame(struct turn *t, uint32_t from,
                              const struct view_lock_msg *m)
{
    struct view_lock_peer *x = &t->s->peer[from];

    if (m->view == 0 ||
        (m->view < t->s->record.maxv && !lacks(t, VIEW_LOCK_WITHOUT_F2)))
        return;
    if (x->view != m->view)
        t->s->out.frame |= only(from);
    x->took = t->now;
    if (t->s->est < m->view)
        t->s->est = m->view;
    if (m->inc > x->echo_inc ||
        (m->inc == x->echo_inc && m->stamp > x->echo_stamp)) {
        x->echo_inc = m->inc;
        x->echo_stamp = m->stamp;
    }
}

/* F3: "The lease counts from the sending, not from the echo." */
static inline void take_echo(struct turn *t, uint32_t from,
                             const struct view_lock_msg *m)
{
    struct view_lock_peer *x = &t->s->peer[from];
    uint64_t stamp = m->echo_stamp;

    if (m->echo_inc != t->s->inc || stamp <= x->acked)
        return;
    x->acked = lacks(t, VIEW_LOCK_WITHOUT_F3) ? t->now : stamp;
    renew_lease(t);
}

static inline void on_frame(struct turn *t, uint32_t from,
                            const struct view_lock_msg *m)
{
    struct view_lock *s = t->s;
    struct view_lock_peer *x = &s->peer[from];

    if (m->inc < x->inc) {
        t->out->fx.notes |= FC_NOTE_DIES; /* of an earlier life */
        return;
    }
    take_frame(t, from, m);
    take_echo(t, from, m);
    x->inc = m->inc;
    x->heard_at = t->now;
    x->heard = m->heard;
    x->members = m->members;
    x->view = m->view;
    x->sync = m->sync;
    x->period = m->period;
    x->flags = m->flags;
    if (s->seen < m->maxv)
        s->seen = m->maxv;
    if (m->view && m->view == s->news.view)
        s->news.pending &= (uint16_t)~only(from);
    if (!in_view(t) || m->view != s->view)
        return;
    if (m->flags & VIEW_LOCK_CLEAN) /* V5: a lasting fact */
        s->clean = 1;
    if (s->time < m->time)
        s->time = m->time;
}
