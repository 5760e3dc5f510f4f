/*
 * ring_size.c - counting a ring by the leader's clock (Vitanyi 1984).
 *
 * In Vitanyi's election the winner's message M_l rests f(l) steps at each of
 * the N-1 others, while sleepwell, which follows it, rests nowhere.  Both make
 * the same tour over the same links.  So the winner, which measures both by its
 * own clock, knows how many nodes there are: if M_l leaves at step a and is
 * back at b, and sleepwell is back at c, then
 *
 *     A = b - a,  B = c - b,  N = 1 + (A - B) / f(l)
 *
 * and the unknown time that the links take cancels out.  It costs no message
 * more than the election itself.
 *
 * Assumes what the election assumes; and that all clocks are equally fast, all
 * links take the same time for both messages, and f(l) is not 0.  Clocks that
 * differ by a per cent or two spoil it: README.md shows how.
 *
 * From: P.M.B. Vitanyi, Distributed elections in a ring of processors using
 * Archimedean time, report CS-R8416, CWI Amsterdam, 1984, which says "by
 * counting time" and no more; the formula is ours.
 */
#include "protocols/election/ring_size/ring_size.h"

#define TURN ring_size
#include "core/turn.inc"

/*
 * A protocol reads no clock.  But it can have a timer expire after one step,
 * again and again, and count.  Candidates do so from when their own message
 * leaves until they lose; the winner goes on until sleepwell is back.
 */
enum { CLOCK = 1 };

static inline void start_clock(struct turn *t)
{
    t->s->counting = 1;
    t->s->steps = 0;
    start_timer(t, CLOCK, 1);
}

static inline void stop_clock(struct turn *t)
{
    t->s->counting = 0;
    t->s->steps = 0;
    stop_timer(t, CLOCK);
}

static inline void on_clock(struct turn *t)
{
    if (!t->s->counting)
        return;
    t->s->steps++;
    start_timer(t, CLOCK, 1);
}

/* Messages come before timers within a step: the step in which one is read is
 * not counted yet. */
static inline uint64_t steps_until_now(const struct turn *t)
{
    return t->s->steps + 1;
}

/*
 * N = 1 + (A - B) / f(l), to the nearest whole number; if in doubt the smaller.
 * In a ring that keeps the assumptions, at most one step is left over. (1) l
 * wakes; (2) its wakeup reaches the next processor just as that one wakes
 * spontaneously, and has to wait a step; (3) M_l, one step behind, waits too.
 * Any later there is a gap between two messages in which to catch up.  Where
 * f(l) is 1 that step is taken for one processor more.
 */
static inline uint32_t count_nodes(uint64_t a, uint64_t b, uint64_t f)
{
    uint64_t others;

    if (a <= b || f == 0)
        return 1;
    others = (a - b) / f;
    if ((a - b) % f > f / 2)
        others++;
    return others < FC_NAME_MAX ? 1u + (uint32_t)others : FC_NAME_MAX;
}

/* What the winner's clock has to do with a step of its election. */
static inline void keep_time(struct turn *t, const struct vitanyi *before)
{
    const struct vitanyi *now = &t->s->election;

    if (now->mode == VITANYI_AWAKE && before->timing && !now->timing &&
        now->mine) {
        start_clock(t); /* RS-1: a, its own message left */
    } else if (now->mode == VITANYI_CLOSING && before->mode == VITANYI_AWAKE) {
        t->s->tour = steps_until_now(t);
        start_clock(t); /* RS-3: b, it is back, and sleepwell leaves */
    } else if (now->mode == VITANYI_DONE && before->mode == VITANYI_CLOSING) {
        t->s->size = count_nodes(t->s->tour, steps_until_now(t),
                                 fc_wait(&t->p->f, now->k)); /* RS-4: c */
        stop_clock(t);
        seen(t);
    } else if (t->s->counting && !now->mine) {
        stop_clock(t); /* RS-2: lost */
    }
}

FC_STEP(ring_size)
{
    struct vitanyi before = t->s->election;
    struct vitanyi_in in = {*t->event, *t->m};

    if (t->event->kind == FC_TIMEOUT && t->event->timer == CLOCK) {
        on_clock(t);
        return;
    }
    /* RS-5: one election: a node that has taken part does not start another. */
    if (t->event->kind == FC_COMMAND && before.mode != VITANYI_ASLEEP)
        return;
    vitanyi_step(&t->s->election, t->p, t->me, &in, t->out);
    keep_time(t, &before);
}

FC_VIEW(ring_size)
{
    vitanyi_view(&s->election, me, view);
    view->answer = s->size;
}

FC_INVARIANT(ring_size)
{
    const char *broken = vitanyi_sane(&s->election, p, me);
    bool asleep = s->election.mode == VITANYI_ASLEEP;

    if (broken)
        return broken;
    if (s->counting > 1 || s->size > FC_NAME_MAX)
        return "flags and size are in range";
    if (s->steps && !s->counting)
        return "steps are counted only while the clock runs";
    if (s->size && !s->tour)
        return "a node that knows the size has measured the tour";
    if (asleep && (s->counting || s->tour))
        return "a sleeper has measured nothing";
    return NULL;
}

FC_STATE_FIELDS(ring_size) = {
    VITANYI_FIELDS,       FIELD(NUMBER, size), FIELD(YES, counting),
    FIELD(NUMBER, steps), FIELD(NUMBER, tour),
};

FC_WORD_MESSAGES(ring_size, VITANYI_KINDS, 1u << VITANYI_M)

#ifndef FC_TYPED

static const struct fc_param params[] = {
    {"f", FC_PARAM_WAIT, AT(f), "exp:2",
     "const:C|pow:E|exp:B|exp:auto|scaled:C|table:FILE",
     "steps that M_i rests: C, i^E, B^i, (2u/m)^i, C*2^i, a list"},
    {"first-wait", FC_PARAM_CHOICE, AT(first_wait), "one", "one|f",
     "steps before its own message leaves: 1 as printed, or f(i)"},
    {"wakeup-counts", FC_PARAM_CHOICE, AT(wakeup_counts), "no", "no|yes",
     "whether the unit in which a wakeup is read counts for the timer"},
};

static const char *prepare(void *params_out, const struct fc_world *world)
{
    const struct ring_size_params *p = params_out;
    const char *why = vitanyi_protocol.prepare(params_out, world);

    if (why)
        return why;
    if (fc_wait(&p->f, world->least) == 0)
        return "ring-size divides by f(l), l being the least name: take an f "
               "that is not 0 there";
    return NULL;
}

FC_COSTS(ring_size)
{
    return vitanyi_protocol.claims(params_in, w, out);
}

const struct fc_protocol ring_size_protocol = {
    .name = "ring-size",
    .title = "Vitanyi 1984: how many there are, by the leader's clock",
    .idea = "The winner's message rests f(l) steps at each of the others and "
            "sleepwell at none; the difference of their tours tells N.",
    .assumes = "as vitanyi, with FIFO links; and equal clocks, links of "
               "constant delay, f(l) not 0; N unknown",
    .source = "P.M.B. Vitanyi, CWI report CS-R8416, 1984",
    FC_ENTRY(ring_size, vitanyi_kinds),
    .needs = FC_NEEDS_FIFO | FC_NEEDS_BOUNDS | FC_NEEDS_TIME | FC_NEEDS_UNISON,
    FC_TERMS(ring_size, .winner = ELECTION_LEAST, .answer = ELECTION_SIZE),
    FC_PARAMS(params),
    .prepare = prepare,
    .horizon = vitanyi_horizon,
    FC_COSTS_OF(ring_size),
};

#endif
