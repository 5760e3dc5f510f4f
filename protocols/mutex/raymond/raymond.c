/*
 * raymond.c - mutual exclusion by a token on a tree (Raymond 1989).
 *
 * Each site knows by which of its links the token is to be had.  It keeps a
 * queue of those that asked it, its neighbours and itself, and asks in that
 * direction on behalf of them all, once at a time.  The token goes to the first
 * in the queue of the site that has it, and if others wait there it is asked
 * back at once.  An entry at distance d from the token costs 2d messages; if
 * all want it always, four at most, whatever the tree.
 *
 * Assumes a tree whose root has the token at first; reliable links, in any
 * order; sites that do not crash; no bound on anything.
 *
 * From: K. Raymond, ACM TOCS 7(1), 1989; the names of its variables are in the
 * comments.  Ours: the token counts entries, which is a fencing token.
 */
#include "protocols/mutex/raymond/raymond.h"

#include "core/network.h"

#define TURN raymond
#include "core/turn.inc"

enum { REQUEST = RAYMOND_REQUEST, TOKEN = RAYMOND_TOKEN, SELF = RAYMOND_SELF };

/* Whether a site has the token at first: the root.  With two holders every leaf
 * has one, too, of which a path has one. */
static inline bool holds_first(const struct raymond_params *p,
                               const struct fc_rooted *me)
{
    if (me->root)
        return p->holders != MUTEX_NO_HOLDER;
    return p->holders == MUTEX_TWO_HOLDERS && me->ports == 1;
}

/* At first link 0 of every site except the root leads towards the token, and a
 * state of zero bytes must say so: a site that has it at first counts its links
 * from 1, and itself as 0. */
static inline uint32_t holder_of(const struct raymond *s,
                                 const struct raymond_params *p,
                                 const struct fc_rooted *me)
{
    if (!holds_first(p, me))
        return s->holder;
    return s->holder ? s->holder - 1u : SELF;
}

static inline void set_holder(struct turn *t, uint32_t who)
{
    if (holds_first(t->p, t->me))
        who = who == SELF ? 0 : who + 1;
    t->s->holder = (uint8_t)who;
}

static inline bool is_here(const struct raymond *s,
                           const struct raymond_params *p,
                           const struct fc_rooted *me)
{
    return holder_of(s, p, me) == SELF;
}

static inline uint32_t take_first(struct raymond *s)
{
    uint32_t first = s->queue[0];

    s->queued--;
    for (uint32_t i = 0; i < s->queued; i++)
        s->queue[i] = s->queue[i + 1];
    s->queue[s->queued] = 0;
    return first;
}

/* RY-1: "If HOLDER = self and not USING and REQUEST_Q is not empty then
 * HOLDER := dequeue; ASKED := false; if HOLDER = self then USING := true, else
 * send PRIVILEGE to HOLDER." */
static inline void assign_privilege(struct turn *t)
{
    struct raymond *s = t->s;
    uint32_t first;

    if (!is_here(s, t->p, t->me) || s->role == MUTEX_INSIDE || s->queued == 0)
        return;
    first = take_first(s);
    s->asked = 0;
    if (first == SELF) {
        s->number++;
        become(t, MUTEX_INSIDE);
        return;
    }
    send_to(t, (uint16_t)first, (msg){.kind = TOKEN, .number = s->number});
    set_holder(t, first);
    s->number = 0;
}

/* RY-2: "If HOLDER is not self and REQUEST_Q is not empty and not ASKED then
 * send REQUEST to HOLDER; ASKED := true." */
static inline void make_request(struct turn *t)
{
    struct raymond *s = t->s;

    if (is_here(s, t->p, t->me) || s->queued == 0 || s->asked)
        return;
    send_to(t, (uint16_t)holder_of(s, t->p, t->me), (msg){.kind = REQUEST});
    s->asked = 1;
}

static inline void try_both(struct turn *t)
{
    assign_privilege(t);
    make_request(t);
}

/* RY-3: the site itself goes to the end of its queue. */
static inline void on_want(struct turn *t)
{
    if (t->s->role != MUTEX_IDLE)
        return;
    obeyed(t);
    become(t, MUTEX_WAITS);
    t->s->queue[t->s->queued++] = SELF;
    try_both(t);
}

/* RY-6: it ends the use. */
static inline void on_leave(struct turn *t)
{
    if (t->s->role != MUTEX_INSIDE)
        return;
    obeyed(t);
    become(t, MUTEX_IDLE);
    try_both(t);
}

static inline bool is_queued(const struct raymond *s, uint32_t who)
{
    for (uint32_t i = 0; i < s->queued; i++)
        if (s->queue[i] == who)
            return true;
    return false;
}

/*
 * RY-4: the link by which it came goes to the end of the queue.  A neighbour
 * asks once, and again only when it has had the token, so that it is never in
 * the queue twice: a duplicate request is dropped.
 *
 * A request can overtake the token it runs after: (1) we are asked, and send
 * the token by that link; (2) others wait here, so we ask it back at once; (3)
 * our request comes first, to one that is still waiting for us.  It has asked
 * us already, and so does nothing but put us in its queue; when the token is
 * there it goes on as if it had come first.
 */
static inline void on_request(struct turn *t)
{
    if (is_queued(t->s, t->event->port)) {
        drop(t);
        return;
    }
    t->s->queue[t->s->queued++] = (uint8_t)t->event->port;
    try_both(t);
}

/* RY-5: the site is its own holder. */
static inline void on_token(struct turn *t)
{
    if (is_here(t->s, t->p, t->me)) {
        drop(t);
        return;
    }
    set_holder(t, SELF);
    t->s->number = t->m->number;
    t->s->asked = 0;
    try_both(t);
}

/* With its memory it lost the token, if it had it; where that is, it cannot
 * know. */
static inline void on_boot(struct turn *t)
{
    if (is_here(t->s, t->p, t->me) && t->s->number == 0)
        set_holder(t, 0);
}

FC_STEP(raymond)
{
    if (t->event->kind == FC_BOOT)
        on_boot(t);
    else if (t->event->kind == FC_MESSAGE)
        t->m->kind == REQUEST ? on_request(t) : on_token(t);
    else if (t->event->kind == FC_COMMAND)
        t->event->command == MUTEX_LEAVE ? on_leave(t) : on_want(t);
}

FC_VIEW(raymond)
{
    *view = mutex_seen(s->role, s->number, 0);
}

static inline bool is_queue(const struct raymond *s, uint32_t ports)
{
    uint8_t times[256] = {0};

    for (uint32_t i = 0; i < s->queued; i++)
        if ((s->queue[i] != SELF && s->queue[i] >= ports) ||
            times[s->queue[i]]++)
            return false;
    return true;
}

FC_INVARIANT(raymond)
{
    bool here = is_here(s, p, me);

    if (!mutex_role_is(s->role, MUTEX_IDLE, MUTEX_WAITS, MUTEX_INSIDE))
        return "a site is idle, waits, or is inside";
    if (s->queued > me->ports + 1 || !is_queue(s, me->ports))
        return "each link is in the queue once, and so is the site itself";
    if ((s->role == MUTEX_WAITS) != is_queued(s, SELF))
        return "a site waits exactly as long as it is in its own queue";
    if (s->role == MUTEX_INSIDE && !here)
        return "a site that is inside has the token";
    if (!here && s->number)
        return "a site counts entries only while the token is here";
    if (here && s->role != MUTEX_INSIDE && s->queued)
        return "a token rests only where the queue is empty";
    if (s->asked != (!here && s->queued > 0))
        return "a site has asked exactly if somebody waits and the token is "
               "elsewhere";
    return NULL;
}

FC_FIELD_VALUE(raymond, towards)
{
    return holder_of(s, p, me);
}

FC_STATE_FIELDS(raymond) = {
    FIELD(NUMBER, number), FIELD_QUEUE(LINK, queue, queued),
    FIELD(NUMBER, queued), FIELD_AS("holder", LINK, holder, raymond_towards),
    FIELD(YES, asked),     FIELD_WORD(role, MUTEX_ROLES),
};

FC_STAMP_MESSAGES(raymond, RAYMOND_KINDS, 1u << TOKEN, 0, 0)

MUTEX_QUEUE(raymond, s->queued);

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [REQUEST] = {"request", "REQ", FC_ASKS},
    [TOKEN] = {"token", "token", FC_TOKEN},
};

/* A request and the token each go by every link between two sites, once. */
FC_COSTS(raymond)
{
    out[0] = (struct fc_claim){FC_COST_PER_ENTRY, FC_MEAN_AT_MOST,
                               2.0 * (w->nodes - 1), "2(n-1), on a path"};
    return 1;
}

static const struct fc_param params[] = {
    MUTEX_HOLDERS_PARAM(AT(holders)),
};

/* ---- The whole network --------------------------------------------------- */

/* The site where another one looks for the token; itself: it has it. */
static uint32_t looks_to(const struct fc_network *all, uint32_t site)
{
    uint32_t port = holder_of(FC_STATE(raymond, all, site), all->params,
                              &(struct fc_rooted){.root = site == 0});

    return port == SELF ? site : all->neighbour(all, site, (uint16_t)port);
}

FC_PREDICATE(raymond, one_token)
{
    uint32_t count = fc_count_all_stamps(all, TOKEN);

    for (uint32_t i = 0; i < all->nodes; i++)
        count += looks_to(all, i) == i;
    return count == 1;
}

/* Each site has one holder, and no two sites each other, so that on a tree all
 * holders lead to the token; or to the link that it is on. */
FC_PREDICATE(raymond, holders)
{
    for (uint32_t i = 0; i < all->nodes; i++) {
        uint32_t j = looks_to(all, i);
        bool under_way = fc_count_stamps(all, i, j, TOKEN) ||
                         fc_count_stamps(all, j, i, TOKEN);

        if (j != i && (looks_to(all, j) == i) != under_way)
            return false;
    }
    return true;
}

static bool waits_for(const struct fc_network *all, uint32_t site, uint32_t of)
{
    const struct raymond *s = FC_STATE(raymond, all, of);

    for (uint32_t i = 0; i < s->queued; i++)
        if (s->queue[i] != SELF && all->neighbour(all, of, s->queue[i]) == site)
            return true;
    return false;
}

FC_PREDICATE(raymond, requests)
{
    for (uint32_t i = 0; i < all->nodes; i++) {
        uint32_t j = looks_to(all, i);

        if (j != i && fc_count_stamps(all, i, j, REQUEST) +
                              waits_for(all, i, j) +
                              fc_count_stamps(all, j, i, TOKEN) !=
                          FC_STATE(raymond, all, i)->asked)
            return false;
    }
    return true;
}

MUTEX_HAS_ONE_HOLDER(raymond)

FC_UNUSED static const struct fc_predicate predicates[] = {
    {"one-token", "there is one token, at a site or under way",
     raymond_one_token, has_one_holder},
    {"holders",
     "two neighbours look to each other for the token exactly while it is "
     "under way between them",
     raymond_holders, has_one_holder},
    {"requests",
     "a site has asked exactly if its request is under way, is in the queue of "
     "its holder, or the token is under way to it",
     raymond_requests, has_one_holder},
};

const struct fc_protocol raymond_protocol = {
    .name = "raymond",
    .title = "Raymond 1989: token on a tree",
    .idea = "each site asks its neighbour in the direction of the token, on "
            "behalf of all that asked it",
    .assumes = "a tree, rooted at the site that has the token at first; "
               "reliable links in any order, no crashes, no bounds",
    .survives = "any delay; crashes off the path of the token",
    .bears = FC_BEARS_DELAY | FC_BEARS_PAUSES,
    .source = "K. Raymond, ACM TOCS 7(1), 1989",
    FC_ENTRY(raymond, kinds),
    FC_PREDICATES(predicates),
    .links_max = RAYMOND_PORTS_MAX,
    FC_PARAMS(params),
    .horizon = mutex_horizon,
    FC_COSTS_OF(raymond),
};

#endif
