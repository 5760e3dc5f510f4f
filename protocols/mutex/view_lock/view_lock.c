/*
 * view_lock.c - mutual exclusion that is safe whatever the network does.
 *
 * A view says whose consent is needed; inside a view it is Ricart and
 * Agrawala's, pair by pair, with consents kept until they are asked for.  A
 * node may hold a lock only under its lease: T own steps from the sending of
 * its newest frame that a majority took.  A view is made by a majority of
 * votes, each a promise on disk never to take a frame of a lower view; so a
 * node that is left out loses its lease, and is outwaited.  A token is the view
 * and the Lamport time of the entry, and grows over any crash.
 *
 * Assumes a list of configured nodes, a majority of them up and linked for
 * progress, and for safety only the ratio of clock rates: messages may be lost,
 * duplicated, out of order, late; nodes may pause, crash and come back with
 * nothing but their record.
 *
 * From: Ricart, Agrawala 1981; Carvalho, Roucairol 1983 (kept consents);
 * Lamport 1998 (promises of a majority); Gray, Cheriton 1989 (leases).
 */
#include "protocols/mutex/view_lock/view_lock.h"

#define TURN view_lock
#include "core/turn.inc"

enum { TIMER = 0 };

/* Its parts: each needs those before it. */
#include "protocols/mutex/view_lock/view_lock_confs.inc"

#include "protocols/mutex/view_lock/view_lock_frames.inc"

#include "protocols/mutex/view_lock/view_lock_joins.inc"

#include "protocols/mutex/view_lock/view_lock_views.inc"

#include "protocols/mutex/view_lock/view_lock_reasons.inc"

#include "protocols/mutex/view_lock/view_lock_entries.inc"

#include "protocols/mutex/view_lock/view_lock_letters.inc"

/* ---- Locks inside a view ------------------------------------------------- */

/* VL-L5 [S]: all have consented, those left out are surely quiet, and a
 * majority took a frame that was sent in this view. */
static inline void enter_if_allowed(struct turn *t, struct view_lock_one *lock)
{
    struct view_lock *s = t->s;

    if (lock->role != MUTEX_WAITS || !in_view(t) ||
        (other_members(t) & ~lock->ok) != 0)
        return;
    if (!s->clean && t->now < s->quiet_end)
        return;
    s->clean = 1;
    if (!lacks(t, VIEW_LOCK_WITHOUT_L5) &&
        (s->lease_from < s->install_at || t->now >= s->deadline))
        return;
    if (s->time >= VIEW_LOCK_TIME_MAX)
        return;
    s->time++;
    lock->token = view_lock_token(t->p->generation, s->view, s->time);
    lock->role = MUTEX_INSIDE;
    if (!lock->shared)
        lock->cache = other_members(t);
    seen(t);
}

/* VL-L1: ask all members whose consent is not kept. */
static inline void ask_if_wanted(struct turn *t, struct view_lock_one *lock)
{
    struct view_lock *s = t->s;

    if (!lock->wants || lock->role != MUTEX_IDLE || !in_view(t) ||
        s->time >= VIEW_LOCK_TIME_MAX)
        return;
    lock->wants = 0;
    lock->number = ++s->time;
    lock->ok = lock->cache;
    lock->role = MUTEX_WAITS;
    lock->request |= other_members(t) & (view_lock_set)~lock->ok;
    seen(t);
    enter_if_allowed(t, lock);
}

static inline bool conflicts(const struct view_lock_one *lock, bool shared)
{
    return !(lock->shared && shared);
}

/* VL-L3 [S]: "remove j from cache and DEFER; if mode = wait, the requests
 * conflict and j is in ok: remove j from ok and send j a request": its consent
 * came from the cache and has just been given away. */
static inline void give(struct turn *t, struct view_lock_one *lock, uint32_t to,
                        uint32_t number, bool shared)
{
    lock->clear |= only(to);
    lock->clear_number[to] = number;
    lock->deferred &= (view_lock_set)~only(to);
    lock->deferred_shared &= (view_lock_set)~only(to);
    lock->deferred_number[to] = 0;
    if (lacks(t, VIEW_LOCK_WITHOUT_L3))
        return;
    lock->cache &= (view_lock_set)~only(to);
    if (lock->role == MUTEX_WAITS && conflicts(lock, shared) &&
        has(lock->ok, to)) {
        lock->ok &= (view_lock_set)~only(to);
        lock->request |= only(to);
    }
}

/* VL-L3 for a lock that has no entry: nothing stands in the way. */
static inline void give_absent(struct turn *t, uint32_t to, const msg *m)
{
    t->s->out.clear = only(to);
    t->s->out.clear_number = m->number;
    t->s->out.clear_lock = m->lock;
}

/* VL-L2 [S]: "An inside node defers every conflicting request whatever the
 * numbers": it may be a holder of an older view. */
static inline void on_request(struct turn *t)
{
    uint32_t from = t->event->port;
    const msg *m = t->m;
    struct view_lock *s = t->s;
    struct view_lock_one *lock = find(t, m->lock);
    bool shared = m->flags & VIEW_LOCK_SHARED, before, first;

    if (m->view != s->view || !has(s->members, from) ||
        m->inc != s->member_inc[from]) {
        drop(t);
        return;
    }
    if (s->time < m->number)
        s->time = m->number;
    if (!lock) {
        give_absent(t, from, m);
        return;
    }
    before = mutex_before(lock->number, t->me->index, m->number, from);
    first = before || (holds(lock) && !lacks(t, VIEW_LOCK_WITHOUT_L2));
    if (lock->role == MUTEX_IDLE || !conflicts(lock, shared) || !first) {
        give(t, lock, from, m->number, shared);
        return;
    }
    lock->deferred |= only(from);
    lock->deferred_number[from] = m->number;
    if (shared)
        lock->deferred_shared |= only(from);
    be_silent(t);
}

/* VL-L4 [S]: "a consent counts for the request that it names". */
static inline void on_clear(struct turn *t)
{
    uint32_t from = t->event->port;
    const msg *m = t->m;
    struct view_lock *s = t->s;
    struct view_lock_one *lock = find(t, m->lock);
    bool mine =
        lock && (m->number == lock->number || lacks(t, VIEW_LOCK_WITHOUT_L4));

    if (m->view != s->view || !has(s->members, from) ||
        m->inc != s->member_inc[from] || !mine || lock->role != MUTEX_WAITS) {
        drop(t);
        return;
    }
    lock->ok |= only(from);
    if (s->time < m->time)
        s->time = m->time;
}

/* VL-L6: leave, or give up; allowed at any time. */
static inline void leave(struct turn *t, struct view_lock_one *lock)
{
    lock->role = MUTEX_IDLE;
    lock->token = 0;
    lock->number = 0;
    lock->ok = 0;
    lock->wants = 0;
    for (view_lock_set rest = lock->deferred; rest;
         rest &= (view_lock_set)(rest - 1)) {
        uint32_t to = least_of(rest);

        give(t, lock, to, lock->deferred_number[to],
             has(lock->deferred_shared, to));
    }
    lock->shared = 0;
    seen(t);
}

/* VL-F4 [S]: "whenever the loop wakes, and before handling any message, if not
 * leased every held lock is abandoned".  Its command is dead by then. */
static inline void lapse(struct turn *t)
{
    struct view_lock *s = t->s;

    if (t->now < s->deadline || lacks(t, VIEW_LOCK_WITHOUT_F4))
        return;
    for (uint32_t i = 0; i < s->used; i++)
        if (holds(&s->lock[i]))
            leave(t, &s->lock[i]);
}

/* ---- The timer ----------------------------------------------------------- */

/* An application whose node has no locks asks in vain, perhaps in every step:
 * that does not put off a timer that is due. */
static inline bool is_in_vain(const struct turn *t)
{
    return t->event->kind == FC_COMMAND && t->s->wake_at &&
           !(t->out->fx.notes & FC_NOTE_STARTED) && !has_locks(t);
}

/* Wakes again for the next frames, or when something ends before. */
static inline void set_timer(struct turn *t)
{
    struct view_lock *s = t->s;
    uint64_t at;

    if (s->frame_at > t->now + pace(t))
        s->frame_at = t->now + pace(t);
    at = s->frame_at;
    for (uint32_t i = 0; i < s->used; i++) {
        if (holds(&s->lock[i]) && s->deadline < at)
            at = s->deadline;
        if (s->lock[i].role == MUTEX_WAITS && !s->clean &&
            t->now < s->quiet_end && s->quiet_end < at)
            at = s->quiet_end;
    }
    if (at <= t->now)
        at = t->now + 1;
    if (at == s->wake_at || is_in_vain(t))
        return;
    s->wake_at = at;
    start_timer(t, TIMER, at - t->now);
}

/* ---- Events -------------------------------------------------------------- */

/* The first event of a start: nothing is known but the record.  VL-P2 [S]:
 * "every start is a new incarnation". */
static inline void begin(struct turn *t)
{
    struct view_lock_record record = t->s->record;

    if (has_lost(t, &record)) /* what it knows of its life is from others */
        record = (struct view_lock_record){
            .starts = record.starts,
            .joins = record.starts ? VIEW_LOCK_LOST : VIEW_LOCK_FRESH};
    if (lacks(t, VIEW_LOCK_WITHOUT_R6_JOINS))
        record.joins = 0;
    *t->s = (struct view_lock){.record = record};
    if (lacks(t, VIEW_LOCK_WITHOUT_P2))
        t->s->record.starts = 1;
    else
        t->s->record.starts++;
    t->s->inc = t->s->record.starts;
    if (!record.conf.k)
        t->s->record.conf = first_conf(t);
    t->s->start = t->now;
    t->s->settled_at = t->now + t->s->record.conf.quiet;
    t->s->frame_at = t->now;
    t->s->seen = record.maxv;
    t->s->used = 1;
    save(t);
    seen(t);
}

/* VL-K1: its own pause is not others' silence: a node that was heard when the
 * pause began is heard, for as long as before, when it is over.  It does not
 * revive the dead.  The first event after a pause tells how late it is,
 * whatever it is: often a message is read before the timer, and sets it
 * again. */
static inline void forgive_own_pause(struct turn *t)
{
    uint64_t due = t->s->wake_at;

    if (!due || t->now <= due + t->p->tau)
        return;
    for (uint32_t x = 0; x < t->me->nodes; x++) {
        uint64_t *at = &t->s->peer[x].heard_at;

        if (*at && *at <= due && due - *at <= patience_with(t, x))
            *at += t->now - due;
    }
}

static inline void on_timeout(struct turn *t)
{
    struct view_lock *s = t->s;
    bool due = t->now >= s->frame_at;

    s->wake_at = 0;
    if (s->news.view != s->record.maxv)
        s->news = (struct view_lock_news){0}; /* something higher is made */
    if (due) {
        s->frame_at = t->now + pace(t);
        s->out.frame = audience(t);
        s->out.newview |= s->news.pending;
        for (uint32_t i = 0; i < s->used && in_view(t); i++)
            if (s->lock[i].role == MUTEX_WAITS)
                s->lock[i].request |=
                    other_members(t) & (view_lock_set)~s->lock[i].ok;
    }
    consider(t);
    establish(t);
    if (due && !audience(t) && shows_view(t))
        take_own_frame(t); /* it is alone in its list */
    if (due)
        s->out.propose |= unanswered(t);
}

static inline void on_message(struct turn *t)
{
    switch (t->m->kind) {
    case VIEW_LOCK_FRAME:
        on_frame(t);
        break;
    case VIEW_LOCK_PROPOSE:
        on_propose(t);
        break;
    case VIEW_LOCK_VOTE:
        on_vote(t);
        break;
    case VIEW_LOCK_REFUSE:
        on_refuse(t);
        break;
    case VIEW_LOCK_NEWVIEW:
        on_newview(t);
        break;
    case VIEW_LOCK_REQUEST:
        on_request(t);
        break;
    default:
        on_clear(t);
        break;
    }
}

/* VL-W6: the others shall make a view without this node, and need not outwait
 * it: it releases every lock. */
static inline void stop(struct turn *t)
{
    t->s->leaving = 1;
    t->s->frame_at = t->now;
    t->s->out.frame = audience(t);
    for (uint32_t i = 0; i < t->s->used; i++)
        leave(t, &t->s->lock[i]);
}

/* An application here wants a lock, which is asked for as soon as there is a
 * view. */
static inline void on_want(struct turn *t, struct view_lock_one *lock,
                           bool shared)
{
    if (!lock || lock->role != MUTEX_IDLE || lock->wants || t->s->leaving ||
        !has_locks(t))
        return;
    obeyed(t);
    if (t->s->told > t->p->tau) /* from now on everybody hurries */
        t->s->out.frame = audience(t);
    lock->wants = 1;
    lock->shared = shared;
    seen(t);
}

/* VL-R4, VL-R7: an operator asks for a planned list; one change at a time. */
static inline void on_change(struct turn *t, uint32_t number)
{
    const struct view_lock_conf *c = own_conf(t);

    if (number >= FC_LISTS_MAX || !t->p->plan[number].list || t->s->wish ||
        is_joint(c) || !lists_me(t, c) || is_witness(t) || !takes_part(t))
        return;
    t->s->wish = number + 1;
    obeyed(t);
}

/* The application asks; the message tells for which lock. */
static inline void on_command(struct turn *t)
{
    uint8_t command = t->event->command;
    uint64_t id = t->m->lock;
    struct view_lock_one *lock;

    if (command >= VIEW_LOCK_CHANGE) {
        on_change(t, command - VIEW_LOCK_CHANGE);
        return;
    }

    if (command <= MUTEX_WANT_SHARED) {
        on_want(t, entry(t, id), command == MUTEX_WANT_SHARED);
        return;
    }
    lock = find(t, id);
    if (command == VIEW_LOCK_STOP) {
        obeyed(t);
        stop(t);
        seen(t);
    } else if (lock && (command == MUTEX_LEAVE
                            ? holds(lock)
                            : command == VIEW_LOCK_GIVE_UP && !holds(lock))) {
        obeyed(t);
        leave(t, lock);
    }
}

/* VL-W2: then ever longer pauses. */
static inline void on_drawn(struct turn *t)
{
    t->s->backoff += t->event->value * delta_of(t);
    t->s->drawing = 0;
}

static inline void enter_all(struct turn *t)
{
    for (uint32_t i = 0; i < t->s->used; i++)
        enter_if_allowed(t, &t->s->lock[i]);
}

FC_STEP(view_lock)
{
    struct view_lock *s = t->s;

    if (t->event->kind == FC_BOOT || s->start == 0)
        begin(t);
    lapse(t);
    forgive_own_pause(t);
    switch (t->event->kind) {
    case FC_MESSAGE:
        on_message(t);
        break;
    case FC_TIMEOUT:
        on_timeout(t);
        break;
    case FC_COMMAND:
        on_command(t);
        break;
    case FC_CHOICE:
        on_drawn(t);
        break;
    default: /* FC_BOOT, FC_GO_ON */
        break;
    }
    for (uint32_t i = 0; i < s->used; i++)
        ask_if_wanted(t, &s->lock[i]);
    enter_all(t);
    send_letters(t);
    enter_all(t); /* its own frame may be the one that was missing */
    set_timer(t);
    forget_void(s);
}

FC_VIEW(view_lock)
{
    const struct view_lock_one *lock = &s->lock[0];
    bool inside = lock->role == MUTEX_INSIDE;

    *view = (struct mutex_view){
        .role = lock->wants ? MUTEX_SLEEPS : lock->role,
        .shared = lock->shared,
        .token = inside ? lock->token : 0,
        .until = inside ? s->deadline : 0,
    };
}

#include "protocols/mutex/view_lock/view_lock_sane.inc"

#include "protocols/mutex/view_lock/view_lock_fields.inc"

#include "protocols/mutex/view_lock/view_lock_wire.inc"

MUTEX_QUEUE(view_lock, size_of(s->lock[0].deferred));
