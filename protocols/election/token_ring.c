/*
 * token_ring.c - one token on a ring, kept and restored by two timers a
 * station, from any state.
 *
 * A station's age is the number of its steps since it last passed on or made a
 * token.  A token that comes to a station of age E or more is passed on; one
 * that comes earlier follows another too closely and is removed.  A station
 * whose age reaches T has waited too long: it makes a token.  With w steps for
 * one round and a jitter of j: E <= w-j, or the only token would be removed;
 * 2E > w+j, or two tokens opposite each other would both stay; T > w+j, or a
 * second would be made.  If all stations have the same T they may make and
 * remove tokens for ever; if one comes first, and the others wait one round
 * more, its token is the one that stays.
 *
 * One timer cannot do: what is too early for one token is not too late for the
 * next.
 *
 * Assumes bounds on steps and delays, a ring of known size, one station that
 * is told to come first; nothing of the state in which it begins.
 *
 * From: P. Vitanyi 1984, section 4 (token rings); the thresholds are ours, and
 * that 2E > w+j is needed was found by trying every state of small rings.
 */
#include "protocols/election/token_ring.h"

enum { TIMER_MAKE = 0, TIMER_OLD = 1 };

/* What a station that begins draws. */
enum { DRAWS_NOTHING, DRAWS_AGE, DRAWS_TOKEN };

static inline uint32_t steps_to_make(const struct token_ring_params *p,
                                     const struct fc_named *me)
{
    bool first = me->name == p->first || p->makers == TOKEN_RING_EQUAL;

    return first ? p->create : p->create + p->later;
}

static inline void send_token(struct token_ring_out *out)
{
    out->fx.sends = 1;
    out->send[0] = fc_word(TOKEN_RING_TOKEN, FC_NOBODY);
}

/* From here on the station has this age.  Messages are read before timers are
 * tested: to be old when the E-th step reads, it turns old in the one
 * before. */
static inline void set_age(struct token_ring *s,
                           const struct token_ring_params *p,
                           const struct fc_named *me, uint32_t age,
                           struct token_ring_out *out)
{
    s->status = TOKEN_RING_OLD;
    out->fx.arm = 1u << TIMER_MAKE;
    out->fx.disarm = 1u << TIMER_OLD;
    out->fx.steps[TIMER_MAKE] = steps_to_make(p, me) - age;
    out->fx.notes |= FC_NOTE_VIEW;
    if (age + 1 >= p->expire)
        return;
    s->status = TOKEN_RING_YOUNG;
    out->fx.arm |= 1u << TIMER_OLD;
    out->fx.steps[TIMER_OLD] = p->expire - 1 - age;
}

/* ---- The state in which it begins ---------------------------------------- */

static inline void on_start(struct token_ring *s,
                            const struct token_ring_params *p,
                            const struct fc_named *me,
                            struct token_ring_out *out)
{
    if (s->status != TOKEN_RING_OFF)
        return;
    out->fx.notes |= FC_NOTE_STARTED;
    set_age(s, p, me, 0, out);
    s->drawing = DRAWS_AGE;
    out->fx.choose = p->ages == TOKEN_RING_RANDOM ? steps_to_make(p, me) : 1;
}

static inline void on_choice(struct token_ring *s,
                             const struct token_ring_params *p,
                             const struct fc_named *me, uint32_t value,
                             struct token_ring_out *out)
{
    if (s->drawing == DRAWS_AGE) {
        set_age(s, p, me, value, out);
        s->drawing = DRAWS_TOKEN;
        out->fx.choose = p->start == TOKEN_RING_ANY ? 2 : 1;
    } else if (s->drawing == DRAWS_TOKEN) {
        s->drawing = DRAWS_NOTHING;
        if (p->start == TOKEN_RING_ALL || value == 1)
            send_token(out);
    }
}

/* ---- The rules ----------------------------------------------------------- */

/* "Age E or more: forward, age := 0.  Less: remove it." */
static inline void on_token(struct token_ring *s,
                            const struct token_ring_params *p,
                            const struct fc_named *me,
                            struct token_ring_out *out)
{
    if (s->status == TOKEN_RING_YOUNG) {
        out->fx.notes |= FC_NOTE_DIES;
        return;
    }
    set_age(s, p, me, 0, out);
    send_token(out);
}

/* "Age T: make a token, age := 0." */
static inline void on_timeout(struct token_ring *s,
                              const struct token_ring_params *p,
                              const struct fc_named *me, uint8_t timer,
                              struct token_ring_out *out)
{
    if (timer == TIMER_OLD) {
        s->status = TOKEN_RING_OLD;
        out->fx.notes |= FC_NOTE_VIEW;
        return;
    }
    set_age(s, p, me, 0, out);
    send_token(out);
}

FC_API void token_ring_step(struct token_ring *s,
                            const struct token_ring_params *p,
                            const struct fc_named *me,
                            const struct token_ring_in *in,
                            struct token_ring_out *out)
{
    switch (in->event.kind) {
    case FC_BOOT:
        set_age(s, p, me, 0, out);
        break;
    case FC_MESSAGE:
        on_token(s, p, me, out);
        break;
    case FC_TIMEOUT:
        on_timeout(s, p, me, in->event.timer, out);
        break;
    case FC_CHOICE:
        on_choice(s, p, me, in->event.value, out);
        break;
    case FC_COMMAND:
        on_start(s, p, me, out);
        break;
    default:
        break;
    }
}

FC_API void token_ring_view(const struct token_ring *s,
                            const struct fc_named *me, struct token_view *view)
{
    (void)me;
    *view = (struct token_view){.young = s->status == TOKEN_RING_YOUNG};
}

FC_API const char *token_ring_sane(const struct token_ring *s,
                                   const struct token_ring_params *p,
                                   const struct fc_named *me)
{
    (void)s;
    (void)p;
    (void)me;
    return NULL;
}

FC_WORD_MESSAGES(token_ring, TOKEN_RING_KINDS, 0)

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [TOKEN_RING_TOKEN] = {"token", "token", FC_TOKEN},
};

#define AT(field) offsetof(struct token_ring_params, field)
static const struct fc_param params[] = {
    {"start", FC_PARAM_CHOICE, AT(start), "any", "any|none|all",
     "tokens at the beginning: each station has one or not, none, all"},
    {"ages", FC_PARAM_CHOICE, AT(ages), "any", "any|zero",
     "ages at the beginning: drawn below T, or 0"},
    {"makers", FC_PARAM_CHOICE, AT(makers), "one-first", "one-first|equal",
     "the least name makes a token first, or all wait equally long"},
    {"expire", FC_PARAM_NUMBER, AT(expire), "0", "0..1000000000",
     "E: a token that comes to a younger station is removed; 0: from the "
     "bounds"},
    {"create", FC_PARAM_NUMBER, AT(create), "0", "0..1000000000",
     "T of the first maker; 0: as early as the bounds allow"},
    {"later", FC_PARAM_NUMBER, AT(later), "0", "0..1000000000",
     "steps the other makers wait longer; 0: one round and the clocks' "
     "difference"},
};
#undef AT

/* The longest and the shortest round, in ticks. */
static uint64_t longest_round(const struct fc_world *w)
{
    return fc_times(w->nodes, fc_add(w->bounds.rmax, w->bounds.dmax));
}

static uint64_t shortest_round(const struct fc_world *w)
{
    return fc_times(w->nodes, w->bounds.dmin ? w->bounds.dmin : 1);
}

/* E: no round is shorter; above half of the longest if that can be, and then
 * not more, for the ring settles sooner. */
static uint64_t find_expire(const struct fc_world *w)
{
    uint64_t most = shortest_round(w) / w->bounds.rmax;
    uint64_t half = longest_round(w) / (2 * w->bounds.rmin) + 1;

    return half < most ? half : most;
}

static const char *prepare(void *params_in, const struct fc_world *w)
{
    struct token_ring_params *p = params_in;
    uint64_t expire = find_expire(w);
    uint64_t create = longest_round(w) / w->bounds.rmin + 1, later;

    if (p->create)
        create = p->create;
    if (p->expire)
        expire = p->expire;
    /* Later in ticks, whatever the clocks: T_0 rmax + w <= (T_0 + more) rmin */
    later = fc_add(fc_times(create, w->bounds.rmax - w->bounds.rmin),
                   longest_round(w)) /
                w->bounds.rmin +
            1;
    if (p->later)
        later = p->later;
    if (expire >= create)
        return "expire must be below create: a station would make a token "
               "before it lets one pass";
    if (expire < 2)
        return "a round may take less than two steps of a slow station: no "
               "threshold tells a second token from the first; take a larger "
               "ring, narrower bounds, or set expire";
    if (fc_add(create, later) > UINT32_MAX)
        return "a round is too long for the timers; take smaller bounds or a "
               "smaller ring";
    p->expire = (uint32_t)expire;
    p->create = (uint32_t)create;
    p->later = (uint32_t)later;
    p->first = w->least;
    return NULL;
}

/* Long enough to see that what was reached stays. */
static uint64_t horizon(const void *params_in, const struct fc_world *w)
{
    const struct token_ring_params *p = params_in;

    return fc_times(
        8 + w->nodes / 256,
        fc_add(fc_times(fc_add(p->create, p->later), w->bounds.rmax),
               longest_round(w)));
}

const struct fc_protocol token_ring_protocol = {
    .name = "token-ring",
    .title = "Vitanyi 1984, section 4: two timers keep one token",
    .idea = "A token that comes too early is removed, one that is overdue is "
            "made anew; one station is quicker to make it than the others.",
    .assumes = "bounds on steps and delays, known size of the ring, one "
               "station told to come first; any state at the beginning",
    .source = "P. Vitanyi, 16th STOC, 1984, section 4",
    .problem = &token_problem,
    .topology = FC_RING,
    .needs = FC_NEEDS_COUNT | FC_NEEDS_BOUNDS,
    .kinds = kinds,
    .kinds_count = TOKEN_RING_KINDS,
    .params = params,
    .params_count = sizeof params / sizeof params[0],
    .params_size = sizeof(struct token_ring_params),
    .state_size = sizeof(struct token_ring),
    .msg_size = sizeof(struct token_ring_msg),
    .prepare = prepare,
    .horizon = horizon,
};

#endif
