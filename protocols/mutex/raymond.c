/*
 * raymond.c - mutual exclusion by a token on a tree (Raymond 1989).
 *
 * Each site knows by which of its links the token is to be had.  It keeps a
 * queue of those who asked it, its neighbours and itself, and asks in that
 * direction on behalf of them all, once at a time.  The token goes to the
 * first in the queue of whoever has it, and if others wait there it is asked
 * back at once.  An entry at distance d from the token costs 2d messages; if
 * all want it always, four at most, whatever the tree.
 *
 * Assumes a tree whose root has the token at first; reliable links, in any
 * order; sites that do not crash; no bound on anything.
 *
 * From: K. Raymond, ACM TOCS 7(1), 1989; the names of its variables are in the
 * comments.  Ours: the token counts entries, which is a fencing token.
 */
#include "protocols/mutex/raymond.h"

/* At first link 0 of everybody but the root leads towards the token, and a
 * state of zero bytes must say so: the root counts its links from 1, and
 * itself as 0. */
static inline uint32_t holder_of(const struct raymond *s,
                                 const struct fc_rooted *me)
{
    if (!me->root)
        return s->holder;
    return s->holder ? s->holder - 1u : RAYMOND_SELF;
}

static inline void set_holder(struct raymond *s, const struct fc_rooted *me,
                              uint32_t who)
{
    if (me->root)
        who = who == RAYMOND_SELF ? 0 : who + 1;
    s->holder = (uint8_t)who;
}

static inline bool is_here(const struct raymond *s, const struct fc_rooted *me)
{
    return holder_of(s, me) == RAYMOND_SELF;
}

static inline void send(struct raymond_out *out, uint32_t link, uint8_t kind,
                        uint64_t number)
{
    out->fx.to[out->fx.sends] = (uint16_t)link;
    out->send[out->fx.sends++] =
        (struct raymond_msg){.kind = kind, .number = number};
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

/* "If HOLDER = self and not USING and REQUEST_Q is not empty then HOLDER :=
 * dequeue; ASKED := false; if HOLDER = self then USING := true, else send
 * PRIVILEGE to HOLDER." */
static inline void assign_privilege(struct raymond *s,
                                    const struct fc_rooted *me,
                                    struct raymond_out *out)
{
    uint32_t first;

    if (!is_here(s, me) || s->role == MUTEX_INSIDE || s->queued == 0)
        return;
    first = take_first(s);
    s->asked = 0;
    if (first == RAYMOND_SELF) {
        s->role = MUTEX_INSIDE;
        s->number++;
        out->fx.notes |= FC_NOTE_VIEW;
        return;
    }
    send(out, first, RAYMOND_TOKEN, s->number);
    set_holder(s, me, first);
    s->number = 0;
}

/* "If HOLDER is not self and REQUEST_Q is not empty and not ASKED then send
 * REQUEST to HOLDER; ASKED := true." */
static inline void make_request(struct raymond *s, const struct fc_rooted *me,
                                struct raymond_out *out)
{
    if (is_here(s, me) || s->queued == 0 || s->asked)
        return;
    send(out, holder_of(s, me), RAYMOND_REQUEST, 0);
    s->asked = 1;
}

static inline void on_want(struct raymond *s, const struct fc_rooted *me,
                           struct raymond_out *out)
{
    if (s->role != MUTEX_IDLE)
        return;
    s->role = MUTEX_WAITS;
    out->fx.notes |= FC_NOTE_STARTED | FC_NOTE_VIEW;
    s->queue[s->queued++] = RAYMOND_SELF;
    assign_privilege(s, me, out);
    make_request(s, me, out);
}

static inline void on_leave(struct raymond *s, const struct fc_rooted *me,
                            struct raymond_out *out)
{
    if (s->role != MUTEX_INSIDE)
        return;
    s->role = MUTEX_IDLE;
    out->fx.notes |= FC_NOTE_STARTED | FC_NOTE_VIEW;
    assign_privilege(s, me, out);
    make_request(s, me, out);
}

static inline bool is_queued(const struct raymond *s, uint32_t link)
{
    for (uint32_t i = 0; i < s->queued; i++)
        if (s->queue[i] == link)
            return true;
    return false;
}

/*
 * A neighbour asks once, and again only when it has had the token, so that it
 * is never in the queue twice: a doubled request is dropped.
 *
 * A request can overtake the token it runs after: (1) we are asked, and send
 * the token by that link; (2) others wait here, so we ask it back at once; (3)
 * our request comes first, to one that is still waiting for us.  It has asked
 * us already, and so does nothing but put us in its queue; when the token is
 * there it goes on as if it had come first.
 */
static inline void on_request(struct raymond *s, const struct fc_rooted *me,
                              uint16_t from, struct raymond_out *out)
{
    if (is_queued(s, from)) {
        out->fx.notes |= FC_NOTE_DIES;
        return;
    }
    s->queue[s->queued++] = (uint8_t)from;
    assign_privilege(s, me, out);
    make_request(s, me, out);
}

static inline void on_token(struct raymond *s, const struct fc_rooted *me,
                            uint64_t number, struct raymond_out *out)
{
    if (is_here(s, me)) {
        out->fx.notes |= FC_NOTE_DIES;
        return;
    }
    set_holder(s, me, RAYMOND_SELF);
    s->number = number;
    s->asked = 0;
    assign_privilege(s, me, out);
    make_request(s, me, out);
}

/* With its memory it lost the token, if it had it; where that is, it cannot
 * know. */
static inline void on_boot(struct raymond *s, const struct fc_rooted *me)
{
    if (is_here(s, me) && s->number == 0)
        set_holder(s, me, 0);
}

FC_API void raymond_step(struct raymond *s, const struct raymond_params *p,
                         const struct fc_rooted *me,
                         const struct raymond_in *in, struct raymond_out *out)
{
    (void)p;
    if (in->event.kind == FC_MESSAGE) {
        if (in->msg.kind == RAYMOND_REQUEST)
            on_request(s, me, in->event.port, out);
        else
            on_token(s, me, in->msg.number, out);
    } else if (in->event.kind == FC_COMMAND) {
        if (in->event.command == MUTEX_LEAVE)
            on_leave(s, me, out);
        else
            on_want(s, me, out);
    } else if (in->event.kind == FC_BOOT) {
        on_boot(s, me);
    }
}

FC_API void raymond_view(const struct raymond *s, const struct fc_rooted *me,
                         struct mutex_view *view)
{
    (void)me;
    *view = mutex_seen(s->role, s->number, 0);
}

FC_API const char *raymond_sane(const struct raymond *s,
                                const struct raymond_params *p,
                                const struct fc_rooted *me)
{
    (void)s;
    (void)p;
    (void)me;
    return NULL;
}

FC_STAMP_MESSAGES(raymond, RAYMOND_KINDS, 1u << RAYMOND_TOKEN, 0, 0)

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [RAYMOND_REQUEST] = {"request", "REQ", FC_ASKS},
    [RAYMOND_TOKEN] = {"token", "token", FC_TOKEN},
};

/* A request and the token each go by every link between two sites, once. */
static uint32_t claims(const void *params, const struct fc_world *world,
                       struct fc_claim out[FC_CLAIMS_MAX])
{
    (void)params;
    out[0] = (struct fc_claim){FC_COST_PER_ENTRY, FC_MEAN_AT_MOST,
                               2.0 * (world->nodes - 1), "2(n-1), on a path"};
    return 1;
}

const struct fc_protocol raymond_protocol = {
    .name = "raymond",
    .title = "Raymond 1989: token on a tree",
    .idea = "each site asks its neighbour in the direction of the token, on "
            "behalf of all who asked it",
    .assumes = "a tree, rooted at the site that has the token at first; "
               "reliable links in any order, no crashes, no bounds",
    .survives = "any delay; death off the path of the token",
    .bears = FC_BEARS_DELAY | FC_BEARS_PAUSES,
    .source = "K. Raymond, ACM TOCS 7(1), 1989",
    .problem = &mutex_problem,
    .topology = FC_TREE,
    .links_max = RAYMOND_PORTS_MAX,
    .kinds = kinds,
    .kinds_count = RAYMOND_KINDS,
    .params_size = sizeof(struct raymond_params),
    .state_size = sizeof(struct raymond),
    .msg_size = sizeof(struct raymond_msg),
    .horizon = mutex_horizon,
    .claims = claims,
};

#endif
