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
 * Archimedean time, report CS-R8416, CWI Amsterdam, 1984.  R1 to R9 are the
 * lines of its figure, P1 to P3 our repairs; docs/protocols/vitanyi.md lists
 * them.
 */
#include "protocols/election/vitanyi.h"

enum { TIMER = 0 };

static inline void send(struct vitanyi_out *out, enum vitanyi_kind kind,
                        fc_name name)
{
    out->send[out->fx.sends++] = fc_word(kind, name);
}

static inline void start_timer(struct vitanyi *s, struct vitanyi_out *out,
                               uint64_t steps)
{
    s->timing = 1;
    s->held = 0;
    out->fx.arm = 1u << TIMER;
    out->fx.steps[TIMER] = steps;
}

static inline void stop_timer(struct vitanyi *s, struct vitanyi_out *out)
{
    s->timing = 0;
    s->held = 0;
    out->fx.arm = 0;
    out->fx.disarm = 1u << TIMER;
}

/* R1: k := i, timer := 1, send wakeup.  P1: the first wait is f(i), as if M_i
 * had come from outside. */
static inline void wake(struct vitanyi *s, const struct vitanyi_params *p,
                        const struct fc_named *me, struct vitanyi_out *out)
{
    uint64_t wait = 1;

    if (p->first_wait == VITANYI_FIRST_F && p->f.family != FC_WAIT_MINIMAL)
        wait = fc_wait(&p->f, me->name);
    s->mode = VITANYI_AWAKE;
    s->k = me->name;
    s->mine = 1;
    start_timer(s, out, wait ? wait : 1);
    send(out, VITANYI_WAKEUP, FC_NOBODY);
    out->fx.notes |= FC_NOTE_VIEW;
}

static inline void on_start(struct vitanyi *s, const struct vitanyi_params *p,
                            const struct fc_named *me, struct vitanyi_out *out)
{
    /* To the figure a processor that was told, or won, is asleep like any
     * other and may wake again.  P2: not the winner before its sleepwell is
     * back.  P3: a new election is a new run. */
    bool asleep =
        s->mode == VITANYI_ASLEEP ||
        (s->mode == VITANYI_DONE && !p->any_order) ||
        (s->mode == VITANYI_CLOSING && !p->any_order && !p->winner_guard);

    if (!asleep)
        return;
    out->fx.notes |= FC_NOTE_STARTED;
    wake(s, p, me, out);
}

static inline void on_wakeup(struct vitanyi *s, const struct vitanyi_params *p,
                             const struct fc_named *me, struct vitanyi_out *out)
{
    if (s->mode == VITANYI_AWAKE) {
        /* R8: the unit does not count; R8': it does. */
        if (s->timing && !p->wakeup_counts && s->held < UINT8_MAX)
            s->held++;
    } else if (s->mode == VITANYI_ASLEEP || !p->any_order) {
        wake(s, p, me, out);
    }
}

static inline void on_m(struct vitanyi *s, const struct vitanyi_params *p,
                        const struct fc_named *me, fc_name j,
                        struct vitanyi_out *out)
{
    uint64_t wait;

    if (s->mode == VITANYI_ASLEEP && p->any_order)
        wake(s, p, me, out); /* P3: it overtook the wakeup before it */
    if (s->mode != VITANYI_AWAKE || j > s->k) {
        out->fx.notes |= FC_NOTE_DIES; /* R3 */
        return;
    }
    out->fx.notes |= FC_NOTE_VIEW;
    if (j < s->k) {
        /* R4.  In the minimal-time variant f(i,j) = floor(2^(j-i)) is 0 for
         * every j < i, and k is at most i. */
        s->k = j;
        s->mine = 0;
        wait = fc_wait(&p->f, j);
        if (wait) {
            start_timer(s, out, wait);
        } else {
            stop_timer(s, out);
            send(out, VITANYI_M, j); /* R4' */
        }
        return;
    }
    /* R5: only my own message can bring my k back, for whoever takes over a
     * foreign k sends it on before the same name can come again. */
    stop_timer(s, out);
    s->mode = VITANYI_CLOSING;
    send(out, VITANYI_SLEEPWELL, FC_NOBODY);
}

static inline void on_sleepwell(struct vitanyi *s, struct vitanyi_out *out)
{
    if (s->mode == VITANYI_AWAKE) { /* R6 */
        stop_timer(s, out);
        s->mode = VITANYI_DONE;
        send(out, VITANYI_SLEEPWELL, FC_NOBODY);
        out->fx.notes |= FC_NOTE_VIEW;
    } else if (s->mode == VITANYI_CLOSING) { /* R7 */
        s->mode = VITANYI_DONE;
        out->fx.notes |= FC_NOTE_VIEW;
    }
}

/* R2.  Units that did not count are waited for now. */
static inline void on_timeout(struct vitanyi *s, struct vitanyi_out *out)
{
    if (!s->timing)
        return;
    if (s->held) {
        start_timer(s, out, s->held);
        return;
    }
    s->timing = 0;
    send(out, VITANYI_M, s->k);
    out->fx.notes |= FC_NOTE_VIEW;
}

FC_API void vitanyi_step(struct vitanyi *s, const struct vitanyi_params *p,
                         const struct fc_named *me, const struct vitanyi_in *in,
                         struct vitanyi_out *out)
{
    switch (in->event.kind) {
    case FC_COMMAND:
        on_start(s, p, me, out);
        break;
    case FC_TIMEOUT:
        on_timeout(s, out);
        break;
    case FC_MESSAGE:
        if (fc_word_kind(in->msg) == VITANYI_M)
            on_m(s, p, me, fc_word_name(in->msg), out);
        else if (fc_word_kind(in->msg) == VITANYI_WAKEUP)
            on_wakeup(s, p, me, out);
        else
            on_sleepwell(s, out);
        break;
    default:
        break;
    }
}

FC_API void vitanyi_view(const struct vitanyi *s, const struct fc_named *me,
                         struct election_view *view)
{
    static const uint8_t roles[][2] = {
        /* k is another's, k is mine */
        [VITANYI_ASLEEP] = {ELECTION_ASLEEP, ELECTION_ASLEEP},
        [VITANYI_AWAKE] = {ELECTION_LOST, ELECTION_CANDIDATE},
        [VITANYI_CLOSING] = {ELECTION_LEADER, ELECTION_LEADER},
        [VITANYI_DONE] = {ELECTION_DONE, ELECTION_LEADER},
    };
    bool over = s->mode == VITANYI_CLOSING || s->mode == VITANYI_DONE;

    (void)me;
    *view = (struct election_view){
        .leader = over ? s->k : FC_NOBODY,
        .role = roles[s->mode][s->mine],
        .rests = s->timing && !s->mine,
    };
}

FC_WORD_MESSAGES(vitanyi, VITANYI_KINDS, 1u << VITANYI_M)

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [VITANYI_WAKEUP] = {"wakeup", "wake-up", FC_CALLS},
    [VITANYI_M] = {"M", "M", FC_CLAIMS},
    [VITANYI_SLEEPWELL] = {"sleepwell", "sleepwell", FC_TELLS},
};

#define AT(field) offsetof(struct vitanyi_params, field)
static const struct fc_param params[] = {
    {"f", FC_PARAM_WAIT, AT(f), "exp:2",
     "const:C|pow:E|exp:B|exp:auto|scaled:C|minimal|table:FILE",
     "steps that M_i rests: C, i^E, B^i, (2u/m)^i, C*2^i, none, a list"},
    {"first-wait", FC_PARAM_CHOICE, AT(first_wait), "one", "one|f",
     "steps before the own message leaves: 1 as printed, or f(i)"},
    {"wakeup-counts", FC_PARAM_CHOICE, AT(wakeup_counts), "no", "no|yes",
     "whether the unit in which a wakeup is read counts for the timer"},
    {"winner-guard", FC_PARAM_CHOICE, AT(winner_guard), "no", "no|yes",
     "the winner does not wake by itself before its sleepwell is back"},
    {"links", FC_PARAM_CHOICE, AT(any_order), "fifo", "fifo|any",
     "rules for links that keep the order of messages, or may not"},
};

static uint64_t election_ticks(const struct vitanyi_params *p,
                               const struct fc_world *w)
{
    uint64_t u = fc_add(w->bounds.rmax, w->bounds.dmax);
    uint64_t wait = fc_wait(&p->f, w->least);

    return fc_times(fc_times(w->nodes, u), fc_add(wait, 4));
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
 * for messages that queue up before a slow processor. */
static uint64_t horizon(const void *params_in, const struct fc_world *world)
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

static uint32_t claims(const void *params_in, const struct fc_world *w,
                       struct fc_claim out[FC_CLAIMS_MAX])
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

const struct fc_protocol vitanyi_protocol = {
    .name = "vitanyi",
    .title = "Vitanyi 1984: resting messages, least name",
    .idea = "A message with name i rests f(i) steps at every processor, so "
            "small names overtake and kill all others.",
    .assumes = "distinct names, FIFO links (or links=any), one direction; N "
               "unknown; correct under any timing, O(N u/m) messages within "
               "bounds",
    .source = "P.M.B. Vitanyi, CWI report CS-R8416, 1984",
    .problem = &election_problem,
    .topology = FC_RING,
    .needs = FC_NEEDS_FIFO | FC_NEEDS_BOUNDS,
    .winner = ELECTION_LEAST,
    .kinds = kinds,
    .kinds_count = VITANYI_KINDS,
    .params = params,
    .params_count = sizeof params / sizeof params[0],
    .params_size = sizeof(struct vitanyi_params),
    .state_size = sizeof(struct vitanyi),
    .msg_size = sizeof(struct vitanyi_msg),
    .prepare = prepare,
    .horizon = horizon,
    .claims = claims,
};

#endif
