/*
 * spirakis_tampakas.c - election without names on an Archimedean ring
 * (Spirakis and Tampakas 1989).
 *
 * In each phase everybody draws a number in 1..n; who draws 1 sends a claim
 * round the ring.  Claims look alike, so a candidate that gets one cannot know
 * whose it is.  For k periods, each long enough for a full circle, it
 * therefore flips a coin: hold the claim back, or let it go on.  Who holds and
 * still gets a claim is not alone; then a next-time goes round and everybody
 * draws again.  Who was never contradicted is elected; two are with a
 * probability that falls exponentially in k.
 *
 * Assumes a unidirectional FIFO ring (rules flush and bit: any order), n and
 * the bounds known to all, a step that reads all that has arrived.  Without
 * the bounds nothing is right.
 *
 * From: P. Spirakis, B. Tampakas, Efficient distributed algorithms by using
 * the Archimedean time assumption, RAIRO Theoretical Informatics 23 (1989).
 * Numbers like 2.4 are the rules of its Appendix A.  What they leave open is a
 * field of `reading`; docs/protocols/spirakis-tampakas.md lists the readings
 * and tells which of them make the repaired rules.
 */
#include "protocols/election/spirakis_tampakas.h"

#define ST(name) SPIRAKIS_TAMPAKAS_##name

enum { TIMER = 0 };

static inline void send(const struct spirakis_tampakas *s,
                        const struct spirakis_tampakas_params *p,
                        struct spirakis_tampakas_out *out,
                        enum spirakis_tampakas_kind kind, uint32_t hop)
{
    bool marked =
        p->rules == ST(BIT) && (kind == ST(WAKEUP) || kind == ST(CLAIM));

    out->send[out->fx.sends++] = (struct spirakis_tampakas_msg){
        .kind = (uint8_t)kind,
        .phase = (uint8_t)(marked ? 1 + s->phase : 0),
        .hop = p->rules == ST(HOP) && kind == ST(CLAIM) ? hop : 0,
    };
}

static inline void start_timer(struct spirakis_tampakas_out *out,
                               uint64_t steps)
{
    out->fx.arm = 1u << TIMER;
    out->fx.steps[TIMER] = steps;
}

/* Takes on a status with nothing remembered but the parity. */
static inline void become(struct spirakis_tampakas *s,
                          enum spirakis_tampakas_status status,
                          struct spirakis_tampakas_out *out)
{
    *s = (struct spirakis_tampakas){.status = (uint8_t)status,
                                    .phase = s->phase};
    out->fx.arm = 0;
    out->fx.disarm = 1u << TIMER;
    out->fx.notes |= FC_NOTE_VIEW;
}

/* ---- Phases -------------------------------------------------------------- */

/* Wake-up-1: choose a number at random in 1..n, set clock = 0 and send a
 * wake-up.  The number comes as the next event. */
static inline void wake(struct spirakis_tampakas *s,
                        const struct spirakis_tampakas_params *p,
                        const struct fc_anonymous *me,
                        struct spirakis_tampakas_out *out)
{
    become(s, ST(AWAKE), out);
    send(s, p, out, ST(WAKEUP), 0);
    out->fx.choose = me->nodes;
}

static inline void on_number(struct spirakis_tampakas *s,
                             const struct spirakis_tampakas_params *p,
                             uint32_t number, struct spirakis_tampakas_out *out)
{
    s->one = number == 1;
    start_timer(out, s->one ? p->period : p->silence);
}

/* Becomes a next-timer (2.4 to 2.6, 4.4, 4.5, 4.7) and generates a wake-up
 * (3.3); `detects`: by itself, and not because it was told. */
static inline void enter_next(struct spirakis_tampakas *s,
                              const struct spirakis_tampakas_params *p,
                              bool detects, struct spirakis_tampakas_out *out)
{
    const struct spirakis_tampakas_reading *r = &p->reading;

    become(s, ST(NEXT_TIMER), out);
    s->passes = r->next_timer_passes == ST(PASS_FIRST) ||
                (r->next_timer_passes == ST(PASS_DETECTOR) && detects);
    send(s, p, out, ST(NEXTTIME), 0);
    if (r->wake_sender == ST(WAKES_NEXT_TIMER) ||
        (r->wake_sender == ST(WAKES_DETECTOR) && detects))
        send(s, p, out, ST(WAKEUP), 0);
    else if (r->wake_sender == ST(WAKES_LATER) && detects)
        start_timer(out, p->period);
}

/* It is certain that not exactly one node drew 1: a new phase. */
static inline void detect(struct spirakis_tampakas *s,
                          const struct spirakis_tampakas_params *p,
                          const struct fc_anonymous *me,
                          struct spirakis_tampakas_out *out)
{
    if (p->rules == ST(BIT)) {
        s->phase ^= 1;
        wake(s, p, me, out);
    } else {
        enter_next(s, p, true, out);
    }
}

static inline void elect(struct spirakis_tampakas *s,
                         const struct spirakis_tampakas_params *p,
                         struct spirakis_tampakas_out *out)
{
    become(s, ST(ELECTED), out);
    send(s, p, out, ST(TERMINATION), 0);
}

/* ---- Candidates ---------------------------------------------------------- */

/* 2.3, 4.1: timer and j are 0, the first period is forwarding. */
static inline void become_candidate(struct spirakis_tampakas *s,
                                    const struct spirakis_tampakas_params *p,
                                    struct spirakis_tampakas_out *out)
{
    become(s, ST(CANDIDATE), out);
    s->sent = 1;
    send(s, p, out, ST(CLAIM), 1);
    if (p->rules != ST(HOP))
        start_timer(out, p->period);
}

/* 4.8: the wait after the k stages, or none. */
static inline void start_period(struct spirakis_tampakas *s,
                                const struct spirakis_tampakas_params *p,
                                struct spirakis_tampakas_out *out)
{
    if (s->stage < p->k)
        start_timer(out, p->period);
    else if (p->last > 0)
        start_timer(out, p->last);
    else
        elect(s, p, out);
}

/* 4.3, 4.6: the claim goes on only from one forwarding period into another.
 * One that met a full buffer has no rule: it vanishes, the other stays. */
static inline void on_coin(struct spirakis_tampakas *s,
                           const struct spirakis_tampakas_params *p,
                           uint8_t holding, struct spirakis_tampakas_out *out)
{
    bool full = s->buffer && s->received, token = s->buffer || s->received;
    bool goes = !s->holding && !holding && token && !full;

    s->holding = holding;
    s->buffer = token && !goes;
    s->received = 0;
    s->sent = goes;
    out->fx.notes |= FC_NOTE_VIEW;
    if (goes)
        send(s, p, out, ST(CLAIM), 1);
    start_period(s, p, out);
}

static inline void end_period(struct spirakis_tampakas *s,
                              const struct spirakis_tampakas_params *p,
                              const struct fc_anonymous *me,
                              struct spirakis_tampakas_out *out)
{
    const struct spirakis_tampakas_reading *r = &p->reading;
    bool lost = !s->holding && s->sent && !s->received;

    if (p->rules == ST(HOP))
        return;
    if (lost && r->lost_claim == ST(DETECT)) {
        detect(s, p, me, out); /* somebody else has it */
        return;
    }
    if (s->stage >= p->k) {
        elect(s, p, out);
        return;
    }
    s->stage++;
    if (s->stage == p->k && r->coins == ST(COINS_K_LESS_1)) {
        s->sent = 0;
        start_period(s, p, out);
    } else {
        out->fx.choose = 2;
    }
}

static inline void
candidate_reads_claim(struct spirakis_tampakas *s,
                      const struct spirakis_tampakas_params *p,
                      const struct fc_anonymous *me, uint32_t hop,
                      struct spirakis_tampakas_out *out)
{
    const struct spirakis_tampakas_reading *r = &p->reading;
    bool over = s->stage == p->k && r->coins == ST(COINS_K_LESS_1);

    if (p->rules == ST(HOP) && hop == me->nodes) {
        elect(s, p, out); /* all the others have passed it on */
    } else if (over && p->rules != ST(HOP)) {
        out->fx.notes |= FC_NOTE_DIES; /* no period, no rule */
    } else if (p->rules == ST(HOP) || s->holding || s->received ||
               (s->buffer && r->full_buffer == ST(DETECT))) {
        detect(s, p, me, out); /* 4.4, 4.5 */
    } else {
        s->received = 1;
        out->fx.notes |= FC_NOTE_VIEW;
    }
}

/* ---- Messages ------------------------------------------------------------ */

/* 2.4: two have drawn 1.  By 2.7 it "always forwards" the claim. */
static inline void rival_reads_claim(struct spirakis_tampakas *s,
                                     const struct spirakis_tampakas_params *p,
                                     const struct fc_anonymous *me,
                                     uint32_t hop,
                                     struct spirakis_tampakas_out *out)
{
    if (p->reading.stale_claim == ST(STALE_BEFORE))
        send(s, p, out, ST(CLAIM), hop + 1);
    detect(s, p, me, out);
    if (p->reading.stale_claim == ST(STALE_AFTER))
        send(s, p, out, ST(CLAIM), hop + 1);
}

/* 2.7; and 2.6 is off for good, or begins to count anew. */
static inline void pass_claim(struct spirakis_tampakas *s,
                              const struct spirakis_tampakas_params *p,
                              uint32_t hop, struct spirakis_tampakas_out *out)
{
    if (p->reading.window == ST(SLIDING))
        start_timer(out, p->silence);
    else if (!s->seen)
        out->fx.disarm = 1u << TIMER;
    s->seen = 1;
    send(s, p, out, ST(CLAIM), hop + 1);
}

static inline void on_claim(struct spirakis_tampakas *s,
                            const struct spirakis_tampakas_params *p,
                            const struct fc_anonymous *me,
                            const struct spirakis_tampakas_msg *m,
                            struct spirakis_tampakas_out *out)
{
    bool old = p->rules == ST(BIT) && m->phase != 1 + s->phase;

    if (s->status == ST(AWAKE) && s->one && !old)
        rival_reads_claim(s, p, me, m->hop, out);
    else if (s->status == ST(AWAKE) && !old)
        pass_claim(s, p, m->hop, out);
    else if (s->status == ST(CANDIDATE) && !old)
        candidate_reads_claim(s, p, me, m->hop, out);
    else
        out->fx.notes |= FC_NOTE_DIES;
}

/* 1.2, 2.1, 3.1.  With a phase bit the other parity is a new phase. */
static inline void on_wakeup(struct spirakis_tampakas *s,
                             const struct spirakis_tampakas_params *p,
                             const struct fc_anonymous *me,
                             const struct spirakis_tampakas_msg *m,
                             struct spirakis_tampakas_out *out)
{
    bool marked = p->rules == ST(BIT) && m->phase != 0;
    bool other = marked && m->phase != 1 + s->phase;

    if (s->status == ST(SLEEPING) || s->status == ST(NEXT_TIMER) ||
        (other && (s->status == ST(AWAKE) || s->status == ST(CANDIDATE)))) {
        if (other)
            s->phase ^= 1;
        wake(s, p, me, out);
    }
}

/* 2.5, 4.7, 3.2. */
static inline void on_nexttime(struct spirakis_tampakas *s,
                               const struct spirakis_tampakas_params *p,
                               struct spirakis_tampakas_out *out)
{
    if (p->rules != ST(BIT) &&
        (s->status == ST(AWAKE) || s->status == ST(CANDIDATE))) {
        enter_next(s, p, false, out);
    } else if (s->status == ST(NEXT_TIMER) && s->passes) {
        s->passes = 0;
        send(s, p, out, ST(NEXTTIME), 0);
    } else {
        out->fx.notes |= FC_NOTE_DIES;
    }
}

/* 2.2.  The print has no rule for any other status. */
static inline void on_termination(struct spirakis_tampakas *s,
                                  const struct spirakis_tampakas_params *p,
                                  struct spirakis_tampakas_out *out)
{
    if (s->status == ST(ELECTED) || s->status == ST(DEFEATED))
        return;
    if (s->status != ST(AWAKE) && p->reading.termination == ST(TOLD_AWAKE)) {
        out->fx.notes |= FC_NOTE_DIES;
        return;
    }
    become(s, ST(DEFEATED), out);
    send(s, p, out, ST(TERMINATION), 0);
}

static inline void on_message(struct spirakis_tampakas *s,
                              const struct spirakis_tampakas_params *p,
                              const struct fc_anonymous *me,
                              const struct spirakis_tampakas_msg *m,
                              struct spirakis_tampakas_out *out)
{
    switch (m->kind) {
    case ST(WAKEUP):
        on_wakeup(s, p, me, m, out);
        break;
    case ST(CLAIM):
        on_claim(s, p, me, m, out);
        break;
    case ST(NEXTTIME):
        on_nexttime(s, p, out);
        break;
    case ST(TERMINATION):
        on_termination(s, p, out);
        break;
    default:
        break;
    }
}

static inline void on_timeout(struct spirakis_tampakas *s,
                              const struct spirakis_tampakas_params *p,
                              const struct fc_anonymous *me,
                              struct spirakis_tampakas_out *out)
{
    if (s->status == ST(AWAKE) && s->one)
        become_candidate(s, p, out);
    else if (s->status == ST(AWAKE) &&
             (!s->seen || p->reading.window == ST(SLIDING)))
        detect(s, p, me, out); /* 2.6 */
    else if (s->status == ST(CANDIDATE))
        end_period(s, p, me, out);
    else if (s->status == ST(NEXT_TIMER) &&
             p->reading.wake_sender == ST(WAKES_LATER))
        wake(s, p, me, out);
}

FC_API void spirakis_tampakas_step(struct spirakis_tampakas *s,
                                   const struct spirakis_tampakas_params *p,
                                   const struct fc_anonymous *me,
                                   const struct spirakis_tampakas_in *in,
                                   struct spirakis_tampakas_out *out)
{
    switch (in->event.kind) {
    case FC_COMMAND: /* 1.1 */
        if (s->status == ST(SLEEPING)) {
            out->fx.notes |= FC_NOTE_STARTED;
            wake(s, p, me, out);
        }
        break;
    case FC_CHOICE:
        if (s->status == ST(AWAKE))
            on_number(s, p, in->event.value + 1, out);
        else if (s->status == ST(CANDIDATE))
            on_coin(s, p, in->event.value == 1, out);
        break;
    case FC_TIMEOUT:
        on_timeout(s, p, me, out);
        break;
    case FC_MESSAGE:
        on_message(s, p, me, &in->msg, out);
        break;
    default:
        break;
    }
}

FC_API void spirakis_tampakas_view(const struct spirakis_tampakas *s,
                                   const struct fc_anonymous *me,
                                   struct election_view *view)
{
    /* In the eyes of a next-timer nobody can win this phase any more. */
    static const uint8_t roles[] = {
        [ST(SLEEPING)] = ELECTION_ASLEEP,     [ST(AWAKE)] = ELECTION_AWAKE,
        [ST(CANDIDATE)] = ELECTION_CANDIDATE, [ST(NEXT_TIMER)] = ELECTION_LOST,
        [ST(ELECTED)] = ELECTION_LEADER,      [ST(DEFEATED)] = ELECTION_DONE,
    };
    bool over = s->status == ST(ELECTED) || s->status == ST(DEFEATED);

    (void)me;
    *view = (struct election_view){
        .leader = over ? ELECTION_SOMEBODY : FC_NOBODY,
        .role = roles[s->status],
        .rests = s->buffer || s->received,
    };
}

FC_API const char *
spirakis_tampakas_sane(const struct spirakis_tampakas *s,
                       const struct spirakis_tampakas_params *p,
                       const struct fc_anonymous *me)
{
    (void)s;
    (void)p;
    (void)me;
    return NULL;
}

#include "protocols/election/spirakis_tampakas_wire.inc"

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [ST(WAKEUP)] = {"wakeup", "wake-up", FC_CALLS},
    [ST(CLAIM)] = {"claim", "claim", FC_CLAIMS},
    [ST(NEXTTIME)] = {"nexttime", "next", FC_REFUSES},
    [ST(TERMINATION)] = {"termination", "end", FC_TELLS},
};

#define AT(field) offsetof(struct spirakis_tampakas_params, field)
static const struct fc_param params[] = {
    {"rules", FC_PARAM_CHOICE, AT(rules), "repaired",
     "repaired|printed|flush|bit|hop",
     "ours, or Appendix A by the readings below; flush, bit: links without "
     "order; hop: claims count hops"},
    {"k", FC_PARAM_NUMBER, AT(k), "30", "1..64",
     "stages, and coins, of a candidate"},
    {"next-timer-forwards", FC_PARAM_CHOICE, AT(typed.next_timer_passes), "yes",
     "no|detector|yes",
     "3.2: a next-timer passes no next-time on; the first, if it has read none "
     "before; the first"},
    {"wake-sender", FC_PARAM_CHOICE, AT(typed.wake_sender), "next-timer",
     "nobody|detector|next-timer|later",
     "3.3: whose wake-up follows the next-time; later: the detector's, T steps "
     "after it"},
    {"window", FC_PARAM_CHOICE, AT(typed.window), "from-zero",
     "from-zero|sliding",
     "2.6: steps without a claim count from clock 0, or from the last claim"},
    {"stale-claim", FC_PARAM_CHOICE, AT(typed.stale_claim), "after",
     "after|before|absorbed",
     "2.4, 2.7: the claim that makes a next-timer goes on after its next-time, "
     "before it, or not"},
    {"full-buffer", FC_PARAM_CHOICE, AT(typed.full_buffer), "nothing",
     "nothing|detect",
     "4.5, 4.6: a claim meets a full buffer: it vanishes, or proves a rival"},
    {"lost-claim", FC_PARAM_CHOICE, AT(typed.lost_claim), "nothing",
     "nothing|detect",
     "4.6: the own claim is not back in its period: no matter, or a rival"},
    {"termination", FC_PARAM_CHOICE, AT(typed.termination), "awake",
     "awake|all", "2.2: who obeys a termination: awake nodes, or all"},
    {"coins", FC_PARAM_CHOICE, AT(typed.coins), "k", "k|k-1",
     "4.2, 4.3: a coin for the wait after stage k too, or not"},
    {"final-wait", FC_PARAM_CHOICE, AT(typed.final_wait), "steps",
     "steps|time|period",
     "4.8: n*dmax steps, as many as last n*dmax ticks, or a period"},
};

/* The repaired rules are the readings below; flush only wakes later. */
static void choose_reading(struct spirakis_tampakas_params *p)
{
    static const struct spirakis_tampakas_reading repaired = {
        .next_timer_passes = ST(PASS_NONE),
        .wake_sender = ST(WAKES_NEXT_TIMER),
        .window = ST(FROM_ZERO),
        .stale_claim = ST(STALE_ABSORBED),
        .full_buffer = ST(DETECT),
        .lost_claim = ST(DETECT),
        .termination = ST(TOLD_ALL),
        .coins = ST(COINS_K),
        .final_wait = ST(LAST_PERIOD),
    };

    p->reading = p->rules == ST(PRINTED) ? p->typed : repaired;
    if (p->rules == ST(FLUSH))
        p->reading.wake_sender = ST(WAKES_LATER);
}

static uint64_t round_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

/* T = n*ceil((dmax+rmax)/rmin), TO = ceil(T(1+rmax/rmin)), in steps. */
static const char *prepare(void *params_out, const struct fc_world *w)
{
    struct spirakis_tampakas_params *p = params_out;
    const struct fc_bounds *b = &w->bounds;
    uint64_t way = fc_times(w->nodes, b->dmax), stretched;

    choose_reading(p);
    p->period = fc_times(w->nodes, round_up(fc_add(b->dmax, b->rmax), b->rmin));
    stretched = fc_times(p->period, b->rmax);
    if (fc_times(fc_times(stretched, p->k + 4), 400) >= UINT64_C(1) << 62)
        return "200 phases of k + 4 periods do not fit in 62 bits: take fewer "
               "nodes, or narrower bounds";
    p->silence = p->period + round_up(stretched, b->rmin);
    p->last = p->reading.final_wait == ST(LAST_STEPS)  ? way
              : p->reading.final_wait == ST(LAST_TIME) ? round_up(way, b->rmin)
                                                       : p->period;
    return NULL;
}

/* A phase lasts at most k + 2 periods and TO, and two circles to begin and to
 * end it.  Their number has no bound; but each is the last with probability
 * above 1/e, and 200 all fail with less than 10^-39. */
static uint64_t horizon(const void *params_in, const struct fc_world *w)
{
    const struct spirakis_tampakas_params *p = params_in;
    const struct fc_bounds *b = &w->bounds;
    uint64_t steps =
        fc_add(fc_times(p->k + 2u, p->period), fc_add(p->silence, p->last));
    uint64_t circle = fc_times(w->nodes, fc_add(b->dmax, b->rmax));
    uint64_t phase =
        fc_add(fc_times(steps, b->rmax), fc_times(3, fc_add(circle, b->rmax)));

    return fc_times(200, phase);
}

/* Theorem 1, with c = 2.  Its proof counts k messages of each node in each of
 * 4 sorts, and e phases. */
static uint32_t claims(const void *params_in, const struct fc_world *w,
                       struct fc_claim out[FC_CLAIMS_MAX])
{
    const struct spirakis_tampakas_params *p = params_in;
    const double e = 2.718281828459045;
    double messages = 4 * e * (double)w->nodes * (double)p->k;
    uint32_t count = 0;

    if (p->rules == ST(HOP))
        return 0;
    out[count++] =
        (struct fc_claim){FC_COST_MESSAGES, FC_MEAN_AT_MOST, messages, "4enk"};
    if (p->rules != ST(BIT))
        out[count++] = (struct fc_claim){FC_COST_PAPER_BITS, FC_MEAN_AT_MOST,
                                         2 * messages, "4ecnk, c = 2"};
    if (w->bounds.dmax > 0)
        out[count++] =
            (struct fc_claim){FC_COST_TICKS, FC_MEAN_AT_MOST,
                              messages * (double)w->bounds.dmax, "4en dmax k"};
    return count;
}

const struct fc_protocol spirakis_tampakas_protocol = {
    .name = "spirakis-tampakas",
    .title = "Spirakis and Tampakas 1989: no names, coins and timers",
    .idea = "Who drew 1 sends a claim round, and holds back or lets go what "
            "comes by the flip of a coin, so that two find each other out.",
    .assumes = "no names, FIFO links (or rules=flush, bit), one direction; N "
               "and the bounds known; a step reads all that has arrived; errs "
               "with a probability that falls with k",
    .source = "P. Spirakis, B. Tampakas, RAIRO Inf. theor. 23 (1989)",
    .problem = &election_problem,
    .topology = FC_RING,
    .needs = FC_NEEDS_COUNT | FC_NEEDS_FIFO | FC_NEEDS_BOUNDS,
    .anonymous = true,
    .winner = ELECTION_ANYBODY,
    .kinds = kinds,
    .kinds_count = ST(KINDS),
    .params = params,
    .params_count = sizeof params / sizeof params[0],
    .params_size = sizeof(struct spirakis_tampakas_params),
    .state_size = sizeof(struct spirakis_tampakas),
    .msg_size = sizeof(struct spirakis_tampakas_msg),
    .prepare = prepare,
    .horizon = horizon,
    .claims = claims,
};

#endif
