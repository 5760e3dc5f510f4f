/*
 * naimi_trehel.c - mutual exclusion by a token that is sought along a path
 * which every request turns round (Naimi and Trehel 1987, 1996).
 *
 * Every site has a father, the site it takes for the last to ask; the last to
 * ask has none.  A request goes from father to father up to that one, and
 * everybody on the way takes the asker for its father: the path is turned
 * round, and the asker is now the last.  The one who was last before it sends
 * it the token when it leaves, or at once if it does not want it.  So the
 * fathers are a tree, and who waits stands in a queue of which each knows its
 * next.  About ln n messages an entry on average, at most n.
 *
 * Assumes reliable links, in any order; sites that do not crash; no bound on
 * anything.
 *
 * From: M. Naimi, M. Trehel, ICDCS 1987; with A. Arnold, J. Parallel Distrib.
 * Comput. 34, 1996.  Site 0 has the token at first.  Ours: the token counts
 * entries, which is a fencing token.
 */
#include "protocols/mutex/naimi_trehel.h"

static inline bool is_here(const struct naimi_trehel *s,
                           const struct fc_member *me)
{
    return s->moved != (me->index == 0);
}

/* "father = nil". */
static inline bool is_last(const struct naimi_trehel *s,
                           const struct fc_member *me)
{
    return s->father == me->index;
}

static inline void send(struct naimi_trehel_out *out, uint16_t to,
                        struct naimi_trehel_msg m)
{
    out->fx.to[out->fx.sends] = to;
    out->send[out->fx.sends++] = m;
}

static inline void send_request(struct naimi_trehel_out *out, uint16_t to,
                                uint32_t asker)
{
    send(out, to,
         (struct naimi_trehel_msg){.kind = NAIMI_TREHEL_REQUEST,
                                   .site = (uint16_t)asker});
}

static inline void send_token(struct naimi_trehel *s, uint16_t to,
                              struct naimi_trehel_out *out)
{
    send(out, to,
         (struct naimi_trehel_msg){.kind = NAIMI_TREHEL_TOKEN,
                                   .number = s->number});
    s->number = 0;
    s->moved = !s->moved;
}

static inline void enter(struct naimi_trehel *s, struct naimi_trehel_out *out)
{
    s->role = MUTEX_INSIDE;
    s->number++;
    out->fx.notes |= FC_NOTE_VIEW;
}

/* "If father is not nil, the request is sent to it, and father := nil." */
static inline void on_want(struct naimi_trehel *s, const struct fc_member *me,
                           struct naimi_trehel_out *out)
{
    if (s->role != MUTEX_IDLE)
        return;
    out->fx.notes |= FC_NOTE_STARTED | FC_NOTE_VIEW;
    if (is_here(s, me)) {
        enter(s, out);
        return;
    }
    s->role = MUTEX_WAITS;
    if (is_last(s, me))
        return; /* the token is lost, and nobody knows more */
    send_request(out, s->father, me->index);
    s->father = (uint16_t)me->index;
}

static inline void on_leave(struct naimi_trehel *s,
                            struct naimi_trehel_out *out)
{
    uint16_t next = s->next;

    if (s->role != MUTEX_INSIDE)
        return;
    s->role = MUTEX_IDLE;
    s->next = 0;
    out->fx.notes |= FC_NOTE_STARTED | FC_NOTE_VIEW;
    if (next)
        send_token(s, (uint16_t)(next - 1), out);
}

/* The last to ask keeps it until it leaves, or has no need of it; others pass
 * the request on.  In every case the asker is the last from now on. */
static inline void on_request(struct naimi_trehel *s,
                              const struct fc_member *me, uint16_t asker,
                              struct naimi_trehel_out *out)
{
    if (!is_last(s, me))
        send_request(out, s->father, asker);
    else if (s->role != MUTEX_IDLE)
        s->next = (uint16_t)(asker + 1);
    else if (is_here(s, me))
        send_token(s, asker, out);
    else
        out->fx.notes |= FC_NOTE_DIES; /* the token is lost */
    s->father = asker;
}

static inline void on_token(struct naimi_trehel *s, const struct fc_member *me,
                            uint64_t number, struct naimi_trehel_out *out)
{
    if (is_here(s, me) || s->role != MUTEX_WAITS) {
        out->fx.notes |= FC_NOTE_DIES;
        return;
    }
    s->moved = !s->moved;
    s->number = number;
    enter(s, out);
}

/* With its memory it lost the token, if it had it. */
static inline void on_boot(struct naimi_trehel *s, const struct fc_member *me)
{
    if (is_here(s, me) && s->number == 0)
        s->moved = !s->moved;
}

FC_API void naimi_trehel_step(struct naimi_trehel *s,
                              const struct naimi_trehel_params *p,
                              const struct fc_member *me,
                              const struct naimi_trehel_in *in,
                              struct naimi_trehel_out *out)
{
    (void)p;
    switch (in->event.kind) {
    case FC_BOOT:
        on_boot(s, me);
        break;
    case FC_MESSAGE:
        if (in->msg.kind == NAIMI_TREHEL_REQUEST)
            on_request(s, me, in->msg.site, out);
        else
            on_token(s, me, in->msg.number, out);
        break;
    case FC_COMMAND:
        if (in->event.command == MUTEX_LEAVE)
            on_leave(s, out);
        else
            on_want(s, me, out);
        break;
    default:
        break;
    }
}

FC_API void naimi_trehel_view(const struct naimi_trehel *s,
                              const struct fc_member *me,
                              struct mutex_view *view)
{
    *view = mutex_seen(s->role, s->number, me->index);
}

FC_API const char *naimi_trehel_sane(const struct naimi_trehel *s,
                                     const struct naimi_trehel_params *p,
                                     const struct fc_member *me)
{
    (void)s;
    (void)p;
    (void)me;
    return NULL;
}

FC_API void naimi_trehel_relabel(struct naimi_trehel *s, const uint16_t *to,
                                 uint32_t nodes)
{
    (void)nodes;
    s->father = to[s->father];
    if (s->next)
        s->next = (uint16_t)(to[s->next - 1] + 1);
}

FC_API void naimi_trehel_relabel_msg(struct naimi_trehel_msg *m,
                                     const uint16_t *to, uint32_t nodes)
{
    (void)nodes;
    m->site = to[m->site]; /* a token names site 0, which stays */
}

FC_STAMP_MESSAGES(naimi_trehel, NAIMI_TREHEL_KINDS, 1u << NAIMI_TREHEL_TOKEN, 0,
                  1u << NAIMI_TREHEL_REQUEST)

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [NAIMI_TREHEL_REQUEST] = {"request", "REQ", FC_ASKS},
    [NAIMI_TREHEL_TOKEN] = {"token", "token", FC_TOKEN},
};

const struct fc_protocol naimi_trehel_protocol = {
    .name = "naimi-trehel",
    .title = "Naimi, Trehel 1987: path reversal",
    .idea = "a request goes from father to father to the last who asked, and "
            "turns the way it took towards the asker",
    .assumes = "reliable links in any order, no crashes, no bounds",
    .survives = "any delay; death off the path of the token",
    .bears = FC_BEARS_DELAY | FC_BEARS_PAUSES,
    .source = "M. Naimi, M. Trehel, ICDCS 1987; with A. Arnold, JPDC 34, 1996",
    .problem = &mutex_problem,
    .topology = FC_COMPLETE,
    .kinds = kinds,
    .kinds_count = NAIMI_TREHEL_KINDS,
    .params_size = sizeof(struct naimi_trehel_params),
    .state_size = sizeof(struct naimi_trehel),
    .msg_size = sizeof(struct naimi_trehel_msg),
    .prepare = mutex_fits,
    .horizon = mutex_horizon,
};

#endif
