/*
 * view_lock_views.h - the part of view_lock.c about changes of view: votes, and
 * what follows from them (rules V1 to V4).  When to propose is decided in
 * view_lock_reasons.h.
 */

enum {
    ATTEMPTS_MAX = 4,  /* W2: the back-off is drawn from 2^4 Deltas at most */
    REFUSALS_MAX = 16, /* W8: and doubled so often, while it is refused */
    FLAPS_MAX = 6,     /* W5: the hold-down is 32 S at most */
    FORGETS = 32,      /* W5: and halved every 32 S without a flap */
};

/* ---- Votes --------------------------------------------------------------- */

/* What a vote says: how long ago each was heard in a lease, and what this node
 * is.  A start forgets what was taken, so est is unknown until settled. */
static inline struct view_lock_msg make_vote(struct turn *t)
{
    const struct view_lock *s = t->s;
    struct view_lock_msg m = {
        .kind = VIEW_LOCK_VOTE,
        .count = (uint8_t)t->me->nodes,
        .inc = s->inc,
        .view = s->vote_view,
        .echo_inc = s->vote_inc,
        .number = settled(t) ? s->est : VIEW_LOCK_UNSETTLED,
    };

    if (is_ready(t))
        m.flags |= VIEW_LOCK_READY;
    if (settled(t) && !holds_any(t))
        m.flags |= VIEW_LOCK_FREE;
    for (uint32_t x = 0; x < t->me->nodes; x++) {
        uint64_t took = s->peer[x].took;

        m.each[x] = t->now - (took > s->start ? took : s->start);
    }
    return m;
}

/* Of a voter that was asked again its last vote counts, as a whole. */
static inline void count_vote(struct turn *t, uint32_t from,
                              const struct view_lock_msg *m)
{
    struct view_lock_proposal *prop = &t->s->proposal;

    prop->voted |= only(from);
    prop->ready &= (uint16_t)~only(from);
    prop->free &= (uint16_t)~only(from);
    if (m->flags & VIEW_LOCK_READY)
        prop->ready |= only(from);
    if (m->flags & VIEW_LOCK_FREE)
        prop->free |= only(from);
    prop->est[from] = m->number;
    prop->inc[from] = m->inc;
    for (uint32_t x = 0; x < t->me->nodes; x++)
        prop->age[from][x] = m->each[x];
}

/* "maxv := w, sync": nothing leaves before it is written. */
static inline void promise(struct turn *t, uint32_t view)
{
    t->s->record.maxv = view;
    t->s->voted_at = t->now;
    if (t->s->seen < view)
        t->s->seen = view;
    if (!lacks(t, VIEW_LOCK_WITHOUT_P1))
        t->out->fx.save = 1;
}

/* V1 */
static inline void propose(struct turn *t, uint16_t candidates)
{
    struct view_lock *s = t->s;
    uint32_t above = s->seen > s->record.maxv ? s->seen : s->record.maxv;
    uint32_t view =
        ((above >> VIEW_LOCK_ID_BITS) + 1) << VIEW_LOCK_ID_BITS | t->me->index;
    struct view_lock_msg own;

    if (view <= above || view > VIEW_LOCK_VIEW_MAX)
        return; /* numbers are used up: better no view than a lower one */
    promise(t, view);
    s->proposal = (struct view_lock_proposal){
        .at = t->now, .view = view, .candidates = candidates};
    s->vote_view = view;
    s->vote_inc = s->inc;
    own = make_vote(t);
    count_vote(t, t->me->index, &own);
    s->out.propose = others(t);
    s->attempts += s->attempts < ATTEMPTS_MAX;
    s->backoff = t->now + 2 * delta_of(t);
    s->drawing = 1u << s->attempts;
    s->reason = 0;
}

/* W3: an outsider can never break a healthy view. */
static inline bool may_vote(const struct turn *t, uint32_t from,
                            uint16_t candidates)
{
    uint16_t members = t->s->members;
    bool more = (members & ~candidates) == 0 && members != candidates;

    return !(in_view(t) && leased(t)) || has(members, from) || more;
}

/* V2: it has voted for just this, and is asked again: the vote may have been
 * lost.  Sent again it says anew what is true now, and that is sound: a vote
 * counts on its promise being made before what it tells is measured, and on
 * nothing in between.  Since the promise nothing of a lower view was taken (F2)
 * or sent (F1), so the ages have grown by true silence and by nothing else; est
 * can only have grown, which is careful; and nothing can be entered out of a
 * view (L5), so one that is free stays so.  A later life never votes again: it
 * cannot know whom it voted for.  Nor does one that is in the view: it can
 * enter. */
static inline bool votes_again(const struct turn *t,
                               const struct view_lock_msg *m)
{
    const struct view_lock *s = t->s;

    return s->vote_view && m->view == s->vote_view &&
           m->view == s->record.maxv && m->inc == s->vote_inc && !in_view(t);
}

/* V2 */
static inline void on_propose(struct turn *t, uint32_t from,
                              const struct view_lock_msg *m)
{
    struct view_lock *s = t->s;
    bool higher = m->view > s->record.maxv || lacks(t, VIEW_LOCK_WITHOUT_V2);

    if (s->seen < m->view)
        s->seen = m->view;
    if (votes_again(t, m)) { /* nothing new to save: P1 was obeyed */
        s->out.vote = only(from);
        return;
    }
    if (!higher || !may_vote(t, from, m->members)) {
        s->out.refuse |= only(from);
        return;
    }
    promise(t, m->view);
    s->proposal = (struct view_lock_proposal){0};
    s->vote_view = m->view;
    s->vote_inc = m->inc;
    s->out.vote = only(from);
}

static inline void on_refuse(struct turn *t, uint32_t from,
                             const struct view_lock_msg *m)
{
    struct view_lock *s = t->s;

    if (s->seen < m->maxv)
        s->seen = m->maxv;
    if (!s->proposal.view)
        return;
    if (!s->proposal.refused) { /* W8: each refusal doubles the pause */
        uint64_t pause;

        s->refusals += s->refusals < REFUSALS_MAX;
        pause = 2 * delta_of(t) << s->refusals;
        if (s->backoff < t->now + pause)
            s->backoff = t->now + pause;
    }
    s->proposal.refused |= only(from);
}

/* Who is asked again for a vote: all that have not answered, until it is time
 * for another proposal.  A node that refused is left in peace: one in a healthy
 * view should not be asked just when its lease lapses for a moment. */
static inline uint16_t unanswered(const struct turn *t)
{
    const struct view_lock_proposal *prop = &t->s->proposal;
    uint64_t longest = ((1u << ATTEMPTS_MAX) + 2) * delta_of(t);

    if (!prop->view || t->now >= t->s->backoff || t->now - prop->at > longest)
        return 0;
    return others(t) & (uint16_t) ~(prop->voted | prop->refused);
}

/* ---- A new view ---------------------------------------------------------- */

/* A new view leaves of a lock that it is held, unless it is abandoned, or that
 * it is wanted.  What was about to be said of it in the old view is not said:
 * numbers begin again, and a consent to an old request would count for a new
 * one of the same number.  (1) A holder defers a request with number 1; (2) its
 * lease ends in the very step in which it reads of the new view, and F4 gives
 * the consent; (3) it would leave with the number of the new view, in which
 * this node may be inside again. */
static inline void carry_over(const struct turn *t, struct view_lock_one *lock,
                              bool abandon)
{
    bool asks = lock->role == MUTEX_WAITS;

    if (holds(lock) && abandon) {
        lock->role = MUTEX_IDLE;
        lock->token = 0;
    }
    lock->cache = lock->ok = lock->deferred = lock->deferred_shared = 0;
    for (uint32_t x = 0; x < VIEW_LOCK_NODES; x++)
        lock->deferred_number[x] = 0;
    lock->request = 0;
    if (!lacks(t, VIEW_LOCK_WITHOUT_L6)) {
        lock->clear = 0;
        for (uint32_t x = 0; x < VIEW_LOCK_NODES; x++)
            lock->clear_number[x] = 0;
    }
    if (asks) {
        lock->role = MUTEX_IDLE;
        lock->number = 0;
        lock->wants = 1;
    }
}

/* W5: who was a member and is none any more has been left out once more; with
 * each time it must be linked for twice as long before it may come back, and a
 * long time in peace halves that. */
static inline uint8_t flaps_of(const struct turn *t, uint32_t node)
{
    const struct view_lock_peer *peer = &t->s->peer[node];
    uint64_t calm =
        (t->now - peer->left_at) / (FORGETS * (uint64_t)t->p->silence + 1);

    return calm >= peer->flaps ? 0 : (uint8_t)(peer->flaps - calm);
}

static inline void count_flaps(struct turn *t, uint16_t members)
{
    struct view_lock *s = t->s;

    for (uint16_t rest = other_members(t) & (uint16_t)~members; rest;
         rest &= (uint16_t)(rest - 1)) {
        uint32_t x = least_of(rest);

        if (s->peer[x].flags & VIEW_LOCK_LEAVING)
            continue; /* it was stopped in order: W6 */
        s->peer[x].flaps = flaps_of(t, x);
        if (s->peer[x].flaps < FLAPS_MAX)
            s->peer[x].flaps++;
        s->peer[x].left_at = t->now;
    }
}

/* V4 [S]: "First, if view < base every held lock is abandoned."  All that was
 * only asked for is asked again.
 *
 * A lease must be by frames that show this view, and frames are told apart by
 * their stamps.  If one has left in the old view at this very time, stamps tell
 * from the next step on. */
static inline void install(struct turn *t, const struct view_lock_news *n)
{
    struct view_lock *s = t->s;
    bool abandon = s->view < n->base && !lacks(t, VIEW_LOCK_WITHOUT_V4);

    if (s->record.maxv != n->view || s->view >= n->view ||
        !has(n->members, t->me->index) || n->inc[t->me->index] != s->inc)
        return;
    for (uint32_t i = 0; i < s->used; i++)
        carry_over(t, &s->lock[i], abandon);
    count_flaps(t, n->members);
    s->view = n->view;
    s->members = n->members;
    for (uint32_t x = 0; x < VIEW_LOCK_NODES; x++)
        s->member_inc[x] = n->inc[x];
    s->install_at = t->now + (s->peer[t->me->index].took == t->now);
    s->quiet_end = t->now + n->quiet;
    s->clean = n->quiet == 0;
    s->time = 0;
    s->proposal = (struct view_lock_proposal){0};
    s->attempts = s->refusals = 0;
    s->reason = 0;
    s->out.clear = 0;
    s->out.frame = others(t);
    s->frame_at = t->now + t->p->tau;
    if (s->install_at > t->now)
        s->frame_at = s->install_at;
    t->out->fx.notes |= FC_NOTE_VIEW;
}

/* How long those left out must be outwaited: until the newest lease that a
 * majority may have given them is over.  A vote that says free needs none. */
static inline uint64_t quiet_time(const struct turn *t, uint16_t members)
{
    const struct view_lock_proposal *prop = &t->s->proposal;
    uint64_t longest = 0;

    for (uint32_t x = 0; x < t->me->nodes; x++) {
        uint64_t ages[VIEW_LOCK_NODES], age;
        uint32_t count = 0;

        if (has(members, x) || has(prop->free, x))
            continue;
        for (uint32_t v = 0; v < t->me->nodes; v++)
            if (has(prop->voted, v))
                ages[count++] = prop->age[v][x];
        age = mth_largest(ages, count, majority(t));
        if (age < t->p->quiet && t->p->quiet - age > longest)
            longest = t->p->quiet - age;
    }
    return lacks(t, VIEW_LOCK_WITHOUT_V3) ? 0 : longest;
}

/* The m-th smallest est among the votes. */
static inline uint32_t base_of(const struct turn *t)
{
    const struct view_lock_proposal *prop = &t->s->proposal;
    uint64_t below[VIEW_LOCK_NODES];
    uint32_t count = 0;

    for (uint32_t v = 0; v < t->me->nodes; v++)
        if (has(prop->voted, v))
            below[count++] = VIEW_LOCK_UNSETTLED - prop->est[v];
    return VIEW_LOCK_UNSETTLED -
           (uint32_t)mth_largest(below, count, majority(t));
}

/* Those who are about to stop: their votes say that nobody needs to outwait
 * them. */
static inline uint16_t leaving(const struct turn *t)
{
    uint16_t set = 0;

    for (uint32_t x = 0; x < t->me->nodes; x++)
        if (hears(t, x) && t->s->peer[x].flags & VIEW_LOCK_LEAVING)
            set |= only(x);
    return set;
}

/* Whether votes that are still missing are worth waiting for: those of
 * candidates, and of those who leave, for Delta; and for half of it more while
 * to leave them out would cost a longer quiet time than was waited.  By then,
 * 2 Delta after they voted, others may propose. */
static inline bool waits_for_votes(const struct turn *t, uint16_t members)
{
    const struct view_lock_proposal *prop = &t->s->proposal;
    uint64_t waited = t->now - prop->at, delta = delta_of(t);

    if (((prop->candidates | leaving(t)) & ~prop->voted) == 0)
        return false;
    return waited < delta ||
           (waited < delta + delta / 2 && waited < quiet_time(t, members));
}

/* V3: once, with a majority of votes. */
static inline void establish(struct turn *t)
{
    struct view_lock *s = t->s;
    struct view_lock_proposal *prop = &s->proposal;
    uint16_t members = prop->candidates & prop->ready;

    if (!prop->view || size_of(prop->voted) < majority(t) || !members ||
        waits_for_votes(t, members))
        return;
    s->news = (struct view_lock_news){
        .quiet = quiet_time(t, members),
        .view = prop->view,
        .base = base_of(t),
        .members = members,
        .pending = members & others(t),
    };
    for (uint32_t x = 0; x < VIEW_LOCK_NODES; x++)
        if (has(members, x))
            s->news.inc[x] = prop->inc[x];
    *prop = (struct view_lock_proposal){0};
    s->out.newview = s->news.pending;
    install(t, &s->news);
}

static inline void on_vote(struct turn *t, uint32_t from,
                           const struct view_lock_msg *m)
{
    const struct view_lock_proposal *prop = &t->s->proposal;

    if (!prop->view || m->view != prop->view || m->echo_inc != t->s->inc) {
        t->out->fx.notes |= FC_NOTE_DIES;
        return;
    }
    count_vote(t, from, m);
    establish(t);
}

static inline void on_newview(struct turn *t, const struct view_lock_msg *m)
{
    struct view_lock_news n = {
        .quiet = m->stamp,
        .view = m->view,
        .base = m->number,
        .members = m->members,
    };

    for (uint32_t x = 0; x < VIEW_LOCK_NODES; x++)
        n.inc[x] = m->each[x];
    install(t, &n);
}
