/*
 * token_mutex.c - mutual exclusion by a token that goes round a logical ring
 * (Le Lann 1977).
 *
 * Whoever has the token may enter; whoever leaves, or does not want to enter,
 * passes it on.  It goes round for ever: if all want it always that is one
 * message an entry, and if nobody does it is all for nothing.
 *
 * With idle=rests, which is ours, the token stays where it was last wanted.
 * Whoever wants it sends a call the same way round, up to the one who has the
 * token or waits for it; the token then goes as far as the farthest who
 * called.  For one alone that is n messages together, or none if the token is
 * there already.
 *
 * Assumes a ring whose sites know their place in it; reliable links, in order
 * if the token rests; sites that do not crash; no bound on anything.
 *
 * From: G. Le Lann, IFIP Congress 1977.  Site 0 has the token at first.  Ours:
 * the token counts entries, which is a fencing token.
 */
#include "protocols/mutex/token_mutex.h"

static inline bool is_here(const struct token_mutex *s,
                           const struct fc_member *me)
{
    return s->moved != (me->index == 0);
}

static inline void send(struct token_mutex_out *out, uint8_t kind,
                        uint64_t number, uint32_t round)
{
    out->fx.to[out->fx.sends] = FC_NEXT;
    out->send[out->fx.sends++] = (struct token_mutex_msg){
        .kind = kind, .number = number, .round = round};
}

/* The token leaves, unless it may rest: nobody needs it that we know of. */
static inline void pass_on(struct token_mutex *s,
                           const struct token_mutex_params *p,
                           const struct fc_member *me,
                           struct token_mutex_out *out)
{
    uint32_t left = s->left > s->sought ? s->left : s->sought;

    if (p->idle == TOKEN_MUTEX_CIRCULATES)
        left = me->nodes;
    s->left = s->sought = 0;
    if (left == 0)
        return;
    send(out, TOKEN_MUTEX_TOKEN, s->number, left);
    s->number = 0;
    s->seen = 1;
    s->moved = !s->moved;
}

static inline void enter(struct token_mutex *s, struct token_mutex_out *out)
{
    s->role = MUTEX_INSIDE;
    s->number++;
    out->fx.notes |= FC_NOTE_VIEW;
}

/* A token that goes round comes by itself, once it is on its way. */
static inline void on_want(struct token_mutex *s,
                           const struct token_mutex_params *p,
                           const struct fc_member *me,
                           struct token_mutex_out *out)
{
    if (s->role != MUTEX_IDLE)
        return;
    out->fx.notes |= FC_NOTE_STARTED | FC_NOTE_VIEW;
    if (is_here(s, me)) {
        enter(s, out);
        return;
    }
    s->role = MUTEX_WAITS;
    if (p->idle == TOKEN_MUTEX_RESTS || !s->seen)
        send(out, TOKEN_MUTEX_CALL, 0, me->index);
}

static inline void on_leave(struct token_mutex *s,
                            const struct token_mutex_params *p,
                            const struct fc_member *me,
                            struct token_mutex_out *out)
{
    if (s->role != MUTEX_INSIDE)
        return;
    s->role = MUTEX_IDLE;
    out->fx.notes |= FC_NOTE_STARTED | FC_NOTE_VIEW;
    pass_on(s, p, me, out);
}

/*
 * Whoever has the token, or will have it before the caller, remembers how far
 * away that is.  All others pass the call on.  It cannot miss the token where
 * links keep the order: both go the same way, and neither overtakes the other.
 */
static inline void on_call(struct token_mutex *s,
                           const struct token_mutex_params *p,
                           const struct fc_member *me, uint32_t caller,
                           struct token_mutex_out *out)
{
    uint32_t away = caller >= me->index ? caller - me->index
                                        : me->nodes - me->index + caller;

    if (away == 0 || (p->idle == TOKEN_MUTEX_CIRCULATES && s->seen)) {
        out->fx.notes |= FC_NOTE_DIES; /* the token is on its way */
        return;
    }
    if (s->role == MUTEX_IDLE && !is_here(s, me)) {
        send(out, TOKEN_MUTEX_CALL, 0, caller);
        return;
    }
    if (away > s->sought)
        s->sought = away;
    if (s->role == MUTEX_IDLE)
        pass_on(s, p, me, out);
}

static inline void on_token(struct token_mutex *s,
                            const struct token_mutex_params *p,
                            const struct fc_member *me,
                            const struct token_mutex_msg *m,
                            struct token_mutex_out *out)
{
    if (is_here(s, me)) {
        out->fx.notes |= FC_NOTE_DIES;
        return;
    }
    s->moved = !s->moved;
    s->seen = 1;
    s->number = m->number;
    s->left = m->round ? m->round - 1 : 0;
    if (s->role == MUTEX_WAITS)
        enter(s, out);
    else
        pass_on(s, p, me, out);
}

/* With its memory it lost the token, if it had it. */
static inline void on_boot(struct token_mutex *s, const struct fc_member *me)
{
    if (is_here(s, me) && s->number == 0)
        s->moved = !s->moved;
}

FC_API void token_mutex_step(struct token_mutex *s,
                             const struct token_mutex_params *p,
                             const struct fc_member *me,
                             const struct token_mutex_in *in,
                             struct token_mutex_out *out)
{
    switch (in->event.kind) {
    case FC_BOOT:
        on_boot(s, me);
        break;
    case FC_MESSAGE:
        if (in->msg.kind == TOKEN_MUTEX_CALL)
            on_call(s, p, me, in->msg.round, out);
        else
            on_token(s, p, me, &in->msg, out);
        break;
    case FC_COMMAND:
        if (in->event.command == MUTEX_LEAVE)
            on_leave(s, p, me, out);
        else
            on_want(s, p, me, out);
        break;
    default:
        break;
    }
}

FC_API void token_mutex_view(const struct token_mutex *s,
                             const struct fc_member *me,
                             struct mutex_view *view)
{
    (void)me;
    *view = mutex_seen(s->role, s->number, 0);
}

FC_API const char *token_mutex_sane(const struct token_mutex *s,
                                    const struct token_mutex_params *p,
                                    const struct fc_member *me)
{
    (void)s;
    (void)p;
    (void)me;
    return NULL;
}

FC_STAMP_MESSAGES(token_mutex, TOKEN_MUTEX_KINDS, 1u << TOKEN_MUTEX_TOKEN,
                  1u << TOKEN_MUTEX_CALL | 1u << TOKEN_MUTEX_TOKEN, 0)

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [TOKEN_MUTEX_CALL] = {"call", "call", FC_ASKS},
    [TOKEN_MUTEX_TOKEN] = {"token", "token", FC_TOKEN},
};

#define AT(field) offsetof(struct token_mutex_params, field)
static const struct fc_param params[] = {
    {"idle", FC_PARAM_CHOICE, AT(idle), "circulates", "circulates|rests",
     "a token that nobody wants: goes round for ever, or rests until called"},
};

static bool restless(const void *params_in)
{
    const struct token_mutex_params *p = params_in;

    return p->idle == TOKEN_MUTEX_CIRCULATES;
}

/* A call and the token together go round once for an entry, or less far if
 * others want it as well. */
static uint32_t claims(const void *params_in, const struct fc_world *world,
                       struct fc_claim out[FC_CLAIMS_MAX])
{
    if (restless(params_in))
        return 0;
    out[0] = (struct fc_claim){FC_COST_PER_ENTRY, FC_MEAN_AT_MOST,
                               (double)world->nodes, "n"};
    return 1;
}

const struct fc_protocol token_mutex_protocol = {
    .name = "token-mutex",
    .title = "Le Lann 1977: token on a logical ring",
    .idea = "a token goes round; whoever has it may enter, then passes it on",
    .assumes = "a ring whose sites know their place; reliable links, FIFO if "
               "the token rests; no crashes, no bounds",
    .survives = "any delay; no death",
    .bears = FC_BEARS_DELAY | FC_BEARS_PAUSES,
    .source = "G. Le Lann, IFIP Congress 1977",
    .problem = &mutex_problem,
    .topology = FC_RING,
    .needs = FC_NEEDS_FIFO,
    .kinds = kinds,
    .kinds_count = TOKEN_MUTEX_KINDS,
    .params = params,
    .params_count = sizeof params / sizeof params[0],
    .params_size = sizeof(struct token_mutex_params),
    .state_size = sizeof(struct token_mutex),
    .msg_size = sizeof(struct token_mutex_msg),
    .horizon = mutex_horizon,
    .restless = restless,
    .claims = claims,
};

#endif
