/*
 * token_ring.c - one token on a ring, kept and restored by two timers a
 * station, from any state.
 *
 * A station's age is the number of its steps since it last passed a token on or
 * made one.  A token that comes to a station of age E or more is passed on; one
 * that comes earlier follows another too closely and is removed.  A station
 * whose age reaches T has waited too long: it makes a token.  With w steps for
 * one round and a jitter of j: E <= w-j, or the only token would be removed; 2E
 * > w+j, or two tokens opposite each other would both stay; T > w+j, or a
 * second would be made.  If all stations have the same T they may make and
 * remove tokens for ever; if one comes first, and the others wait one round
 * more, its token is the one that stays.
 *
 * One timer is not enough: what is too early for one token is not too late for
 * the next.  timers=one is that reading of the report, E = T: a token that
 * comes before the timer runs off is early.
 *
 * Assumes bounds on steps and delays, a ring of known size, one station that is
 * told to come first; nothing about the initial state.
 *
 * From: P. Vitanyi 1984, section 4 (token rings); the thresholds are ours, and
 * that 2E > w+j is needed was found by trying every state of small rings.
 */
#include "protocols/election/token_ring/token_ring.h"

#define TURN      token_ring
#define TURN_ROLE status
#include "core/turn.inc"

enum {
    OFF = TOKEN_RING_OFF,
    OLD = TOKEN_RING_OLD,
    YOUNG = TOKEN_RING_YOUNG,
    TOKEN = TOKEN_RING_TOKEN,
};

enum { TIMER_MAKE = 0, TIMER_OLD = 1 };

/* What a station that begins is drawing. */
enum { DRAWS_NOTHING, DRAWS_AGE, DRAWS_TOKEN };

/* T: the first maker's, or the others'. */
static inline uint32_t steps_to_make(const struct turn *t)
{
    bool first = t->me->name == t->p->first || t->p->makers == TOKEN_RING_EQUAL;

    return first ? t->p->create : t->p->create + t->p->later;
}

/* From here on the station has this age.  Messages are read before timers are
 * tested: to be old when the E-th step reads, it turns old in the one
 * before. */
static inline void set_age(struct turn *t, uint32_t age)
{
    bool young = age + 1 < t->p->expire;

    become(t, young ? YOUNG : OLD);
    start_timer(t, TIMER_MAKE, steps_to_make(t) - age);
    stop_timer(t, TIMER_OLD);
    if (young)
        start_timer(t, TIMER_OLD, t->p->expire - 1 - age);
}

static inline void send_token(struct turn *t)
{
    send_on(t, fc_word(TOKEN, FC_NOBODY));
}

/* ---- The state in which it begins ---------------------------------------- */

/* With a token or without. */
static inline void begin_with(struct turn *t, bool token)
{
    t->s->drawing = DRAWS_NOTHING;
    if (token)
        send_token(t);
}

static inline void find_token(struct turn *t)
{
    if (t->p->start == TOKEN_RING_ANY) {
        t->s->drawing = DRAWS_TOKEN;
        draw(t, 2);
    } else {
        begin_with(t, t->p->start == TOKEN_RING_ALL);
    }
}

static inline void on_start(struct turn *t)
{
    if (t->s->status != OFF)
        return;
    obeyed(t);
    set_age(t, 0);
    if (t->p->ages == TOKEN_RING_RANDOM) {
        t->s->drawing = DRAWS_AGE;
        draw(t, steps_to_make(t));
    } else {
        find_token(t);
    }
}

static inline void on_choice(struct turn *t)
{
    if (t->s->drawing == DRAWS_AGE) {
        set_age(t, t->event->value);
        find_token(t);
    } else if (t->s->drawing == DRAWS_TOKEN) {
        begin_with(t, t->event->value == 1);
    }
}

/* ---- The rules ----------------------------------------------------------- */

static inline void on_token(struct turn *t)
{
    if (t->s->status == YOUNG) {
        drop(t); /* TK-2: it comes to a younger one: it is removed */
        return;
    }
    set_age(t, 0); /* TK-1: "Age E or more: forward, age := 0" */
    send_token(t);
}

static inline void on_timeout(struct turn *t)
{
    if (t->event->timer == TIMER_OLD) {
        become(t, OLD);
        return;
    }
    set_age(t, 0); /* TK-3: "Age T: make a token, age := 0" */
    send_token(t);
}

FC_STEP(token_ring)
{
    switch (t->event->kind) {
    case FC_BOOT:
        set_age(t, 0);
        break;
    case FC_MESSAGE:
        on_token(t);
        break;
    case FC_TIMEOUT:
        on_timeout(t);
        break;
    case FC_CHOICE:
        on_choice(t);
        break;
    case FC_COMMAND:
        on_start(t);
        break;
    default:
        break;
    }
}

FC_VIEW(token_ring)
{
    *view = (struct token_view){.young = s->status == YOUNG};
}

FC_INVARIANT(token_ring)
{
    bool aged = s->drawing == DRAWS_TOKEN && p->ages == TOKEN_RING_RANDOM;

    if (s->status > YOUNG || s->drawing > DRAWS_TOKEN)
        return "the status is in range";
    if (s->drawing == DRAWS_AGE && p->ages != TOKEN_RING_RANDOM)
        return "an age is drawn only if any will do";
    if (s->drawing == DRAWS_TOKEN && p->start != TOKEN_RING_ANY)
        return "a token is drawn only if stations may have one or not";
    if (s->drawing && s->status == OFF)
        return "a station that draws has begun";
    if (s->drawing && !aged && s->status != YOUNG)
        return "a station that draws is young until it has drawn an age";
    return NULL;
}

FC_STATE_FIELDS(token_ring) = {
    FIELD_WORD(status, "off", "old", "young"),
    FIELD_WORD(drawing, "nothing", "age", "token"),
};

FC_WORD_MESSAGES(token_ring, TOKEN_RING_KINDS, 0)

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [TOKEN] = {"token", "token", FC_TOKEN},
};

static const struct fc_param params[] = {
    {"start", FC_PARAM_CHOICE, AT(start), "any", "any|none|all",
     "tokens at the beginning: each station has one or not, none, all"},
    {"ages", FC_PARAM_CHOICE, AT(ages), "any", "any|zero",
     "ages at the beginning: drawn below T, or 0"},
    {"makers", FC_PARAM_CHOICE, AT(makers), "one-first", "one-first|equal",
     "the least name makes a token first, or all wait equally long"},
    {"timers", FC_PARAM_CHOICE, AT(timers), "two", "two|one",
     "E and T apart, or one timer for both: T is E, and one round unless set"},
    {"expire", FC_PARAM_NUMBER, AT(expire), "0", "0..1000000000",
     "E: a token that comes to a younger station is removed; 0: from the "
     "bounds"},
    {"create", FC_PARAM_NUMBER, AT(create), "0", "0..1000000000",
     "T of the first maker; 0: as early as the bounds allow"},
    {"later", FC_PARAM_NUMBER, AT(later), "0", "0..1000000000",
     "steps the other makers wait longer; 0: one round and the clocks' "
     "difference"},
};

/* The longest and the shortest round, in ticks. */
static uint64_t longest_round(const struct fc_world *w)
{
    return fc_times(w->nodes, fc_hop(w));
}

static uint64_t shortest_round(const struct fc_world *w)
{
    return fc_times(w->nodes, w->bounds.dmin ? w->bounds.dmin : 1);
}

/* E: no round is shorter; above half of the longest if that can be, and then no
 * more, because the ring settles sooner. */
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
    bool one = p->timers == TOKEN_RING_ONE_TIMER;

    if (one)
        create--; /* a token that comes in the last step is in time */
    if (p->create)
        create = p->create;
    if (p->expire)
        expire = p->expire;
    if (one)
        expire = create;
    /* Later in ticks, whatever the clocks: T_0 rmax + w <= (T_0 + more) rmin */
    later = fc_add(fc_times(create, w->bounds.rmax - w->bounds.rmin),
                   longest_round(w)) /
                w->bounds.rmin +
            1;
    if (p->later)
        later = p->later;
    if (expire >= create && !one)
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
            "made again; one station is quicker to make it than the others.",
    .assumes = "bounds on steps and delays, known size of the ring, one "
               "station told to come first; any state at the beginning",
    .source = "P. Vitanyi, 16th STOC, 1984, section 4",
    FC_ENTRY(token_ring, kinds),
    /* Three stations fit the bounds of --time sync. */
    FC_SEARCH(.time = "sync"),
    .needs = FC_NEEDS_COUNT | FC_NEEDS_BOUNDS | FC_NEEDS_TIME,
    FC_PARAMS(params),
    .prepare = prepare,
    .horizon = horizon,
};

#endif
