/*
 * vitanyi.c - election on a ring by resting messages (Vitanyi 1984).
 *
 * Everybody sends a message with its own name round the ring.  A message with
 * name i rests f(i) steps at every processor on its way, and f grows fast: so
 * small names travel fast, and the least one overtakes and kills all others
 * before they get far.  Time bounds turn the N log N messages that unlimited
 * asynchrony needs into a constant times N.
 *
 * Assumes a unidirectional FIFO ring, distinct names, one message read per
 * step.  Correct under any timing whatever; cheap only within bounds.
 * Nobody knows how many there are.
 *
 * From: P.M.B. Vitanyi, Distributed elections in a ring of processors using
 * Archimedean time, report CS-R8416, CWI Amsterdam, 1984.  VI-R1 to VI-R9 are
 * the lines of its figure, VI-P1 to VI-P3 our repairs, as
 * README.md lists them.
 */
#include "protocols/election/vitanyi/vitanyi.h"

#include "core/network.h"

enum { TIMER = 0 };

#define TURN vitanyi
#include "core/turn.inc"

enum {
    ASLEEP = VITANYI_ASLEEP,
    AWAKE = VITANYI_AWAKE,
    CLOSING = VITANYI_CLOSING,
    DONE = VITANYI_DONE,
    WAKEUP = VITANYI_WAKEUP,
    M = VITANYI_M,
    SLEEPWELL = VITANYI_SLEEPWELL,
};

static inline void set_timer(struct turn *t, uint64_t steps)
{
    t->s->timing = 1;
    t->s->held = 0;
    start_timer(t, TIMER, steps);
}

static inline void forget_timer(struct turn *t)
{
    t->s->timing = 0;
    t->s->held = 0;
    stop_timer(t, TIMER);
}

/* VI-R1: k := i, timer := 1, send wakeup.  VI-P1: the first wait is f(i), as if
 * M_i had come from outside. */
static inline void wake(struct turn *t)
{
    const struct fc_wait *f = &t->p->f;
    uint64_t wait = 1;

    if (t->p->first_wait == VITANYI_FIRST_F && f->family != FC_WAIT_MINIMAL)
        wait = fc_wait(f, t->me->name);
    t->s->mode = AWAKE;
    t->s->k = t->me->name;
    t->s->mine = 1;
    set_timer(t, wait ? wait : 1);
    send_on(t, fc_word(WAKEUP, FC_NOBODY));
    seen(t);
}

static inline void on_start(struct turn *t)
{
    /* To the figure a processor that was told, or won, is asleep like any
     * other and may wake again.  VI-P2: not the winner before its sleepwell is
     * back.  VI-P3: a new election is a new run. */
    bool any_order = t->p->any_order;
    bool asleep = t->s->mode == ASLEEP || (t->s->mode == DONE && !any_order) ||
                  (t->s->mode == CLOSING && !any_order && !t->p->winner_guard);

    if (!asleep)
        return;
    obeyed(t);
    wake(t);
}

static inline void on_wakeup(struct turn *t)
{
    if (t->s->mode == AWAKE) {
        /* VI-R8: the unit does not count; VI-R8': it does. */
        if (t->s->timing && !t->p->wakeup_counts && t->s->held < UINT8_MAX)
            t->s->held++;
    } else if (t->s->mode == ASLEEP || !t->p->any_order) {
        wake(t);
    }
}

/* VI-R4.  In the minimal-time variant f(i,j) = floor(2^(j-i)) is 0 for every
 * j < i, and k is at most i.  To the letter a timer that is set to 0 is off
 * (VI-R9) and never becomes 0: then M_j stays for ever. */
static inline void let_rest(struct turn *t, fc_name j)
{
    uint64_t wait = fc_wait(&t->p->f, j);

    t->s->k = j;
    t->s->mine = 0;
    if (wait || t->p->zero_wait == VITANYI_ZERO_NEVER) {
        set_timer(t, wait ? wait : FC_NEVER);
    } else {
        forget_timer(t);
        send_on(t, fc_word(M, j)); /* VI-R4' */
    }
}

static inline void on_m(struct turn *t)
{
    fc_name j = fc_word_name(*t->m);

    if (t->s->mode == ASLEEP && t->p->any_order)
        wake(t); /* VI-P3: it overtook the wakeup before it */
    if (t->s->mode != AWAKE || j > t->s->k) {
        drop(t); /* VI-R3 */
        return;
    }
    seen(t);
    if (j < t->s->k) {
        let_rest(t, j);
        return;
    }
    /* VI-R5: only my own message can bring my k back, because a node that takes
     * over a foreign k sends it on before the same name can come again.
     */
    forget_timer(t);
    t->s->mode = CLOSING;
    send_on(t, fc_word(SLEEPWELL, FC_NOBODY));
}

static inline void on_sleepwell(struct turn *t)
{
    if (t->s->mode == AWAKE) { /* VI-R6 */
        forget_timer(t);
        t->s->mode = DONE;
        send_on(t, fc_word(SLEEPWELL, FC_NOBODY));
        seen(t);
    } else if (t->s->mode == CLOSING) { /* VI-R7 */
        t->s->mode = DONE;
        seen(t);
    }
}

/* VI-R2.  Units that did not count are waited for now. */
static inline void on_timeout(struct turn *t)
{
    if (!t->s->timing)
        return;
    if (t->s->held) {
        set_timer(t, t->s->held);
        return;
    }
    t->s->timing = 0;
    send_on(t, fc_word(M, t->s->k));
    seen(t);
}

FC_STEP(vitanyi)
{
    switch (t->event->kind) {
    case FC_COMMAND:
        on_start(t);
        break;
    case FC_TIMEOUT:
        on_timeout(t);
        break;
    case FC_MESSAGE:
        if (fc_word_kind(*t->m) == M)
            on_m(t);
        else if (fc_word_kind(*t->m) == WAKEUP)
            on_wakeup(t);
        else
            on_sleepwell(t);
        break;
    default:
        break;
    }
}

FC_VIEW(vitanyi)
{
    static const uint8_t roles[][2] = {
        /* k is another's, k is mine */
        [ASLEEP] = {ELECTION_ASLEEP, ELECTION_ASLEEP},
        [AWAKE] = {ELECTION_LOST, ELECTION_CANDIDATE},
        [CLOSING] = {ELECTION_LEADER, ELECTION_LEADER},
        [DONE] = {ELECTION_DONE, ELECTION_LEADER},
    };
    bool over = s->mode == CLOSING || s->mode == DONE;

    *view = (struct election_view){
        .leader = over ? s->k : FC_NOBODY,
        .role = roles[s->mode][s->mine],
        .rests = s->timing && !s->mine,
    };
}

FC_INVARIANT(vitanyi)
{
    if (s->mode > DONE || s->mine > 1 || s->timing > 1)
        return "mode and flags are in range";
    if ((s->mode == ASLEEP) != (s->k == FC_NOBODY))
        return "exactly a sleeper has seen no name";
    if (s->timing && s->mode != AWAKE)
        return "a message rests only at a node that is awake";
    if (s->held && !s->timing)
        return "units are held back only while the timer runs";
    if (s->mode == ASLEEP && s->mine)
        return "a sleeper has no name in the race";
    return NULL;
}

FC_STATE_FIELDS(vitanyi) = {VITANYI_FIELDS};

FC_WORD_MESSAGES(vitanyi, VITANYI_KINDS, 1u << M)

#ifndef FC_TYPED

const struct fc_message_kind vitanyi_kinds[] = {
    [WAKEUP] = {"wakeup", "wake-up", FC_CALLS},
    [M] = {"M", "M", FC_CLAIMS},
    [SLEEPWELL] = {"sleepwell", "sleepwell", FC_TELLS},
};

static const struct fc_param params[] = {
    {"f", FC_PARAM_WAIT, AT(f), "exp:2",
     "const:C|pow:E|exp:B|exp:auto|scaled:C|minimal|table:FILE",
     "steps that M_i rests: C, i^E, B^i, (2u/m)^i, C*2^i, none, a list"},
    {"first-wait", FC_PARAM_CHOICE, AT(first_wait), "one", "one|f",
     "steps before its own message leaves: 1 as printed, or f(i)"},
    {"wakeup-counts", FC_PARAM_CHOICE, AT(wakeup_counts), "no", "no|yes",
     "whether the unit in which a wakeup is read counts for the timer"},
    {"winner-guard", FC_PARAM_CHOICE, AT(winner_guard), "no", "no|yes",
     "the winner does not wake spontaneously before its sleepwell is back"},
    {"links", FC_PARAM_CHOICE, AT(any_order), "fifo", "fifo|any",
     "rules for links that keep the order of messages, or may not"},
    {"zero-wait", FC_PARAM_CHOICE, AT(zero_wait), "sends", "sends|never",
     "where f is 0: the message leaves at once, or, as printed, never"},
};

static uint64_t election_ticks(const struct vitanyi_params *p,
                               const struct fc_world *w)
{
    uint64_t wait = fc_wait(&p->f, w->least);

    return fc_times(fc_times(w->nodes, fc_hop(w)), fc_add(wait, 4));
}

static const char *prepare(void *params_out, const struct fc_world *world)
{
    struct vitanyi_params *p = params_out;
    const char *why = fc_wait_prepare(&p->f, world);

    if (why)
        return why;
    /* Waits saturate; that is exact only while the winner's do not. */
    if (election_ticks(p, world) >= UINT64_C(1) << 62)
        return "N*u*(f(l)+4) does not fit in 62 bits, l being the least name: "
               "take smaller names, or an f that grows more slowly";
    return NULL;
}

/* N*u*(f(l)+4) for the wake-up, the tour of M_l and sleepwell; as much again
 * for messages that queue up at a slow processor. */
uint64_t vitanyi_horizon(const void *params_in, const struct fc_world *world)
{
    return fc_times(2, election_ticks(params_in, world));
}

/* The sum of 1/f(i) over the names l..l+N-1. */
static double inverse_sum(const struct vitanyi_params *p,
                          const struct fc_world *w)
{
    double sum = 0;

    for (fc_name i = w->least; i <= w->greatest; i++) {
        uint64_t wait = fc_wait(&p->f, i);

        if (wait == FC_NEVER)
            break;
        sum += 1.0 / (double)wait;
    }
    return sum;
}

FC_COSTS(vitanyi)
{
    const struct vitanyi_params *p = params_in;
    double n = (double)w->nodes;
    double u = (double)w->bounds.rmax + (double)w->bounds.dmax;
    double s = u / (double)w->bounds.rmin;
    double wait = (double)fc_wait(&p->f, w->least);
    bool dense = w->greatest - w->least + 1 == w->nodes;
    uint32_t count = 0;

    if (p->f.family == FC_WAIT_MINIMAL)
        return 0;
    if (p->f.family == FC_WAIT_AUTO)
        out[count++] =
            (struct fc_claim){FC_COST_MESSAGES, FC_BELOW, 5 * n, "5N"};
    else if (fc_wait_doubles(&p->f))
        out[count++] = (struct fc_claim){FC_COST_MESSAGES, FC_AT_MOST,
                                         2 * n + 3 * n * s, "2N + 3Nu/m"};
    else if (dense && w->nodes <= 1u << 20 && wait > 0)
        out[count++] =
            (struct fc_claim){FC_COST_MESSAGES, FC_AT_MOST,
                              2 * n + n * s * (wait + 1) * inverse_sum(p, w),
                              "bound (2) of the report"};
    if (p->f.family == FC_WAIT_EXP && p->f.argument == 2 * FC_WAIT_SCALE)
        out[count++] = (struct fc_claim){FC_COST_TICKS, FC_AT_MOST,
                                         n * u * (wait + 2), "Nu(2^l + 2)"};
    return count;
}

static uint32_t needs_with(const void *params_in)
{
    const struct vitanyi_params *p = params_in;

    return p->any_order ? FC_NEEDS_BOUNDS : FC_NEEDS_BOUNDS | FC_NEEDS_FIFO;
}

/* ---- The whole network --------------------------------------------------- */

/* In how many places the message with this name is: it rests, or is under
 * way. */
static uint32_t places(const struct fc_network *all, fc_name name)
{
    uint32_t count = fc_count_named(all, M, name);

    for (uint32_t i = 0; i < all->nodes; i++)
        count += FC_STATE(vitanyi, all, i)->timing &&
                 FC_STATE(vitanyi, all, i)->k == name;
    return count;
}

FC_PREDICATE(vitanyi, one_place)
{
    for (uint32_t i = 0; i < all->nodes; i++)
        if (places(all, all->name[i]) > 1)
            return false;
    return true;
}

/* Until a node has won; the figure lets nodes wake once more after that. */
FC_PREDICATE(vitanyi, least_survives)
{
    uint32_t least = all->nodes;

    for (uint32_t i = 0; i < all->nodes; i++) {
        if (FC_STATE(vitanyi, all, i)->mode >= CLOSING)
            return true;
        if (FC_STATE(vitanyi, all, i)->mode == AWAKE &&
            (least == all->nodes || all->name[i] < all->name[least]))
            least = i;
    }
    return least == all->nodes || places(all, all->name[least]) == 1;
}

/* VI-R5: "M_i" is back at i.  To the figure a node that was told may wake once
 * more, before the winner knows that all were. */
FC_PREDICATE(vitanyi, alone)
{
    uint32_t names = 0;
    bool closing = false;

    for (uint32_t i = 0; i < all->nodes; i++) {
        closing |= FC_STATE(vitanyi, all, i)->mode == CLOSING;
        names += places(all, all->name[i]);
    }
    return !closing || !all->fifo || !all->together || names == 0;
}

FC_UNUSED static const struct fc_predicate predicates[] = {
    {"one-place", "the message of each name rests at one node, or is under way",
     vitanyi_one_place, NULL},
    {"least-survives",
     "before a node has won, the message of the least that is awake is there",
     vitanyi_least_survives, NULL},
    {"alone", "while the winner closes the election no name is under way",
     vitanyi_alone, NULL},
};

const struct fc_protocol vitanyi_protocol = {
    .name = "vitanyi",
    .title = "Vitanyi 1984: resting messages, least name",
    .idea = "A message with name i rests f(i) steps at every processor, so "
            "small names overtake and kill all others.",
    .assumes = "distinct names, FIFO links (or links=any), one direction; N "
               "unknown; correct under any timing, O(N u/m) messages within "
               "bounds",
    .source = "P.M.B. Vitanyi, CWI report CS-R8416, 1984",
    FC_ENTRY(vitanyi, vitanyi_kinds),
    FC_PREDICATES(predicates),
    .needs = FC_NEEDS_FIFO | FC_NEEDS_BOUNDS,
    .needs_with = needs_with,
    FC_TERMS(vitanyi, .winner = ELECTION_LEAST),
    FC_PARAMS(params),
    .prepare = prepare,
    .horizon = vitanyi_horizon,
    FC_COSTS_OF(vitanyi),
};

#endif
