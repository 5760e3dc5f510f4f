/*
 * spirakis_tampakas.c - election without names on an Archimedean ring
 * (Spirakis and Tampakas 1989).
 *
 * In each phase every node draws a number in 1..n; one that draws 1 sends a
 * claim round the ring.  Claims look alike, so a candidate that gets one cannot
 * know whose it is.  For k periods, each long enough for a full circle, it
 * therefore flips a coin: hold the claim back, or let it go on.  A candidate
 * that holds one and still gets a claim is not alone; then a next-time goes
 * round and everybody draws again.  A candidate that was never contradicted is
 * elected; two are with a probability that falls exponentially in k.
 *
 * Assumes a unidirectional FIFO ring (rules flush and bit: any order), n and
 * the bounds known to all, a step that reads all that has arrived.  Without
 * the bounds nothing is right.
 *
 * From: P. Spirakis, B. Tampakas, Efficient distributed algorithms by using
 * the Archimedean time assumption, RAIRO Theoretical Informatics 23 (1989).
 * ST-2.4 is rule 2.4 of its Appendix A, and so on.  What they leave open is a
 * field of `reading`; README.md lists the readings
 * and tells which of them make the repaired rules.
 */
#include "protocols/election/spirakis_tampakas/spirakis_tampakas.h"

#define TURN spirakis_tampakas
#include "core/turn.inc"

#define ST(name) SPIRAKIS_TAMPAKAS_##name

enum {
    SLEEPING = ST(SLEEPING),
    AWAKE = ST(AWAKE),
    CANDIDATE = ST(CANDIDATE),
    NEXT_TIMER = ST(NEXT_TIMER),
    ELECTED = ST(ELECTED),
    DEFEATED = ST(DEFEATED),
    WAKEUP = ST(WAKEUP),
    CLAIM = ST(CLAIM),
    NEXTTIME = ST(NEXTTIME),
    TERMINATION = ST(TERMINATION),
};

enum { TIMER = 0 };

/* A wake-up or a claim, which rules=bit marks. */
static inline msg marked(const struct turn *t, uint8_t kind)
{
    bool bit = t->p->rules == ST(BIT);

    return (msg){.kind = kind, .phase = (uint8_t)(bit ? 1 + t->s->phase : 0)};
}

static inline void send_claim(struct turn *t, uint32_t hop)
{
    msg claim = marked(t, CLAIM);

    claim.hop = t->p->rules == ST(HOP) ? hop : 0;
    send_on(t, claim);
}

/* Takes on a status with nothing remembered except the phase. */
static inline void turn_into(struct turn *t, uint8_t status)
{
    *t->s = (struct spirakis_tampakas){.status = status,
                                       .phase = t->s->phase,
                                       .number = t->s->number,
                                       .marks = t->s->marks};
    stop_timer(t, TIMER);
    seen(t);
}

/* ---- Phases -------------------------------------------------------------- */

/* Parameter `phases`: the last one is over, and the node stays where it is. */
static inline bool is_last(const struct turn *t)
{
    return t->p->phases && t->s->number == t->p->phases;
}

/* Wake-up-1: "choose a number at random in 1..n, set clock = 0 and send a
 * wake-up".  The number comes as the next event. */
static inline void wake(struct turn *t)
{
    if (is_last(t)) {
        turn_into(t, NEXT_TIMER);
        if (t->p->rules == ST(BIT)) /* there it is what tells the others */
            send_on(t, marked(t, WAKEUP));
        return;
    }
    if (t->p->phases)
        t->s->number++;
    t->s->marks &= ST(STALE);
    turn_into(t, AWAKE);
    counts(t, ELECTION_PHASE);
    send_on(t, marked(t, WAKEUP));
    draw(t, t->me->nodes);
}

/* ST-1.1: a sleeping node wakes up spontaneously. */
static inline void on_start(struct turn *t)
{
    if (t->s->status != SLEEPING)
        return;
    obeyed(t);
    wake(t);
}

static inline void on_number(struct turn *t, uint32_t number)
{
    t->s->one = number == 1;
    if (t->s->one && t->p->phases)
        t->s->marks |= ST(DREW_ONE);
    start_timer(t, TIMER, t->s->one ? t->p->period : t->p->silence);
}

/* Becomes a next-timer (ST-2.4 to ST-2.6, ST-4.4, ST-4.5, ST-4.7) and generates
 * a wake-up (ST-3.3); `detects`: on its own, not because it was told. */
static inline void enter_next(struct turn *t, bool detects)
{
    const struct spirakis_tampakas_reading *r = &t->p->reading;

    turn_into(t, NEXT_TIMER);
    t->s->passes = r->next_timer_passes == ST(PASS_FIRST) ||
                   (r->next_timer_passes == ST(PASS_DETECTOR) && detects);
    send_on(t, (msg){.kind = NEXTTIME});
    if (r->wake_sender == ST(WAKES_NEXT_TIMER) ||
        (r->wake_sender == ST(WAKES_DETECTOR) && detects))
        send_on(t, marked(t, WAKEUP));
    else if (r->wake_sender == ST(WAKES_LATER) && detects)
        start_timer(t, TIMER, t->p->period);
}

/* It is certain that not exactly one node drew 1: a new phase. */
static inline void detect(struct turn *t)
{
    if (t->p->rules == ST(BIT)) {
        t->s->phase ^= 1;
        wake(t);
    } else {
        enter_next(t, true);
    }
}

/* ST-5: the end of it. */
static inline void end_as(struct turn *t, uint8_t status)
{
    turn_into(t, status);
    send_on(t, (msg){.kind = TERMINATION});
}

/* ---- Candidates ---------------------------------------------------------- */

/* ST-2.3, ST-4.1: timer and j are 0, the first period is forwarding. */
static inline void become_candidate(struct turn *t)
{
    turn_into(t, CANDIDATE);
    t->s->sent = 1;
    send_claim(t, 1);
    if (t->p->rules != ST(HOP))
        start_timer(t, TIMER, t->p->period);
}

/* ST-4.8: the wait after the k stages, or none. */
static inline void start_period(struct turn *t)
{
    if (t->s->stage < t->p->k)
        start_timer(t, TIMER, t->p->period);
    else if (t->p->last > 0)
        start_timer(t, TIMER, t->p->last);
    else
        end_as(t, ELECTED);
}

/* ST-4.3, ST-4.6: the claim goes on only from one forwarding period into
 * another.  One that met a full buffer has no rule: it vanishes, and the other
 * stays, or (goes-on) fares as if nothing had come. */
static inline void on_coin(struct turn *t, uint8_t holding)
{
    bool full = t->s->buffer && t->s->received &&
                t->p->reading.full_buffer != ST(GOES_ON);
    bool token = t->s->buffer || t->s->received;
    bool goes = !t->s->holding && !holding && token && !full;

    t->s->holding = holding;
    t->s->buffer = token && !goes;
    t->s->received = 0;
    t->s->sent = goes;
    seen(t);
    if (goes)
        send_claim(t, 1);
    start_period(t);
}

static inline void end_period(struct turn *t)
{
    const struct spirakis_tampakas_reading *r = &t->p->reading;
    bool lost = !t->s->holding && t->s->sent && !t->s->received;

    if (t->p->rules == ST(HOP))
        return;
    if (lost && r->lost_claim == ST(DETECT)) {
        detect(t); /* ST-4: somebody else has it */
        return;
    }
    if (t->s->stage >= t->p->k) {
        end_as(t, ELECTED); /* ST-4.8 */
        return;
    }
    t->s->stage++; /* ST-4.2 */
    if (t->s->stage == t->p->k && r->coins == ST(COINS_K_LESS_1)) {
        t->s->sent = 0;
        start_period(t);
    } else {
        draw(t, 2);
    }
}

static inline void candidate_reads_claim(struct turn *t)
{
    const struct spirakis_tampakas_reading *r = &t->p->reading;
    bool over = t->s->stage == t->p->k && r->coins == ST(COINS_K_LESS_1);

    if (t->p->rules == ST(HOP) && t->m->hop == t->me->nodes) {
        end_as(t, ELECTED); /* all the others have passed it on */
    } else if (over && t->p->rules != ST(HOP)) {
        drop(t); /* no period, no rule */
    } else if (t->p->rules == ST(HOP) || t->s->holding || t->s->received ||
               (t->s->buffer && r->full_buffer == ST(DETECT))) {
        detect(t); /* ST-4.4, ST-4.5 */
    } else {
        t->s->received = 1;
        seen(t);
    }
}

/* ---- Messages ------------------------------------------------------------ */

/* ST-2.4: two have drawn 1.  By ST-2.7 it "always forwards" the claim. */
static inline void rival_reads_claim(struct turn *t)
{
    if (t->p->reading.stale_claim == ST(STALE_BEFORE))
        send_claim(t, t->m->hop + 1);
    detect(t);
    if (t->p->reading.stale_claim == ST(STALE_AFTER))
        send_claim(t, t->m->hop + 1);
}

/* ST-2.7; and ST-2.6 is off for good, or counts from the beginning. */
static inline void pass_claim(struct turn *t)
{
    if (t->p->reading.window == ST(SLIDING))
        start_timer(t, TIMER, t->p->silence);
    else if (!t->s->seen)
        stop_timer(t, TIMER);
    t->s->seen = 1;
    send_claim(t, t->m->hop + 1);
}

static inline void on_claim(struct turn *t)
{
    bool old = t->p->rules == ST(BIT) && t->m->phase != 1 + t->s->phase;

    if (t->s->status == AWAKE && t->s->one && !old)
        rival_reads_claim(t);
    else if (t->s->status == AWAKE && !old)
        pass_claim(t);
    else if (t->s->status == CANDIDATE && !old)
        candidate_reads_claim(t);
    else
        drop(t);
}

/* ST-1.2, ST-2.1, ST-3.1.  With a phase bit the other parity is a new phase. */
static inline void on_wakeup(struct turn *t)
{
    bool bit = t->p->rules == ST(BIT) && t->m->phase != 0;
    bool other = bit && t->m->phase != 1 + t->s->phase;

    if (t->s->status == NEXT_TIMER && is_last(t))
        return;
    if (t->s->status == SLEEPING || t->s->status == NEXT_TIMER ||
        (other && (t->s->status == AWAKE || t->s->status == CANDIDATE))) {
        if (other)
            t->s->phase ^= 1;
        wake(t);
    }
}

static inline void on_nexttime(struct turn *t)
{
    if (t->p->rules != ST(BIT) &&
        (t->s->status == AWAKE || t->s->status == CANDIDATE)) {
        enter_next(t, false); /* ST-2.5, ST-4.7 */
    } else if (t->s->status == NEXT_TIMER && t->s->passes) {
        t->s->passes = 0; /* ST-3.2 */
        pass_on(t);
    } else {
        drop(t);
    }
}

/* ST-2.2.  The print has no rule for any other status. */
static inline void on_termination(struct turn *t)
{
    if (t->s->status == ELECTED || t->s->status == DEFEATED)
        return;
    if (t->s->status != AWAKE && t->p->reading.termination == ST(TOLD_AWAKE))
        drop(t);
    else
        end_as(t, DEFEATED);
}

static inline void on_message(struct turn *t)
{
    switch (t->m->kind) {
    case WAKEUP:
        on_wakeup(t);
        break;
    case CLAIM:
        on_claim(t);
        break;
    case NEXTTIME:
        on_nexttime(t);
        break;
    case TERMINATION:
        on_termination(t);
        break;
    default:
        break;
    }
}

static inline void on_timeout(struct turn *t)
{
    if (t->s->status == AWAKE && t->s->one)
        become_candidate(t);
    else if (t->s->status == AWAKE &&
             (!t->s->seen || t->p->reading.window == ST(SLIDING)))
        detect(t); /* ST-2.6 */
    else if (t->s->status == CANDIDATE)
        end_period(t);
    else if (t->s->status == NEXT_TIMER &&
             t->p->reading.wake_sender == ST(WAKES_LATER))
        wake(t);
}

#include "protocols/election/spirakis_tampakas/spirakis_tampakas_phases.inc"

FC_STEP(spirakis_tampakas)
{
    struct spirakis_tampakas before = *t->s;

    switch (t->event->kind) {
    case FC_COMMAND:
        on_start(t);
        break;
    case FC_CHOICE:
        if (t->s->status == AWAKE)
            on_number(t, t->event->value + 1);
        else if (t->s->status == CANDIDATE)
            on_coin(t, t->event->value == 1);
        break;
    case FC_TIMEOUT:
        on_timeout(t);
        break;
    case FC_MESSAGE:
        on_message(t);
        break;
    default:
        break;
    }
    if (t->p->phases)
        note_phase(t, &before);
}

FC_VIEW(spirakis_tampakas)
{
    /* In the eyes of a next-timer nobody can win this phase any more. */
    static const uint8_t roles[] = {
        [ST(SLEEPING)] = ELECTION_ASLEEP,     [ST(AWAKE)] = ELECTION_AWAKE,
        [ST(CANDIDATE)] = ELECTION_CANDIDATE, [ST(NEXT_TIMER)] = ELECTION_LOST,
        [ST(ELECTED)] = ELECTION_LEADER,      [ST(DEFEATED)] = ELECTION_DONE,
    };
    bool over = s->status == ST(ELECTED) || s->status == ST(DEFEATED);

    *view = (struct election_view){
        .leader = over ? ELECTION_SOMEBODY : FC_NOBODY,
        .role = roles[s->status],
        .rests = s->buffer || s->received,
    };
}

FC_INVARIANT(spirakis_tampakas)
{
    bool claims_here = s->holding || s->buffer || s->received || s->sent;

    if (s->status > DEFEATED || s->received > 1 || s->phase > 1)
        return "status, counts and parity are in range";
    if (s->phase && p->rules != ST(BIT))
        return "phases have a parity only where messages tell it";
    if ((s->one || s->seen) && (s->status != AWAKE || (s->one && s->seen)))
        return "only a node that is awake drew 1 or has seen a claim, not both";
    if ((s->number || s->marks) && !p->phases)
        return "phases are counted only where they are judged";
    if (s->passes && s->status != NEXT_TIMER)
        return "only a next-timer will pass a next-time on";
    if ((claims_here || s->stage) && s->status != CANDIDATE)
        return "only a candidate has stages and claims";
    if (s->stage > p->k || (s->holding && s->stage == 0))
        return "there are k stages, and the first period is forwarding";
    if (s->holding && (s->received || s->sent))
        return "a candidate that holds has sent nothing and takes nothing";
    if (s->sent && s->buffer)
        return "a claim that left is not in the buffer";
    return NULL;
}

#include "protocols/election/spirakis_tampakas/spirakis_tampakas_fields.inc"
#include "protocols/election/spirakis_tampakas/spirakis_tampakas_wire.inc"

FC_QUANTITIES(spirakis_tampakas) = {
    ELECTION_PHASES,
    {"spread", "ticks", "between the first and the last start of a phase",
     FC_APART, ELECTION_PHASE, NULL},
};

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [ST(WAKEUP)] = {"wakeup", "wake-up", FC_CALLS},
    [ST(CLAIM)] = {"claim", "claim", FC_CLAIMS},
    [ST(NEXTTIME)] = {"nexttime", "next", FC_REFUSES},
    [ST(TERMINATION)] = {"termination", "end", FC_TELLS},
};

static const struct fc_param params[] = {
    {"rules", FC_PARAM_CHOICE, AT(rules), "repaired",
     "repaired|printed|flush|bit|hop",
     "ours, or Appendix A by the readings below; flush, bit: links without "
     "order; hop: claims count hops"},
    {"k", FC_PARAM_NUMBER, AT(k), "30", "1..64",
     "stages, and coins, of a candidate"},
    {"phases", FC_PARAM_NUMBER, AT(phases), "0", "0..200",
     "the last phase that is begun, if not 0: then phases are judged, too"},
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
     "nothing|detect|goes-on",
     "4.5, 4.6: a claim meets a full buffer: it vanishes and the other stays, "
     "proves a rival, or vanishes and the other goes on"},
    {"lost-claim", FC_PARAM_CHOICE, AT(typed.lost_claim), "nothing",
     "nothing|detect",
     "4.6: its own claim is not back in its period: no matter, or a rival"},
    {"termination", FC_PARAM_CHOICE, AT(typed.termination), "awake",
     "awake|all", "2.2: which nodes obey a termination: awake ones, or all"},
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

/* T = n*ceil((dmax+rmax)/rmin), TO = ceil(T(1+rmax/rmin)), in steps. */
static const char *prepare(void *params_out, const struct fc_world *w)
{
    struct spirakis_tampakas_params *p = params_out;
    const struct fc_bounds *b = &w->bounds;
    uint64_t way = fc_times(w->nodes, b->dmax), stretched;

    choose_reading(p);
    p->period =
        fc_times(w->nodes, fc_divide_up(fc_add(b->dmax, b->rmax), b->rmin));
    stretched = fc_times(p->period, b->rmax);
    if (fc_times(fc_times(stretched, p->k + 4), 400) >= UINT64_C(1) << 62)
        return "200 phases of k + 4 periods do not fit in 62 bits: take fewer "
               "nodes, or narrower bounds";
    p->silence = p->period + fc_divide_up(stretched, b->rmin);
    p->last = p->reading.final_wait == ST(LAST_STEPS) ? way
              : p->reading.final_wait == ST(LAST_TIME)
                  ? fc_divide_up(way, b->rmin)
                  : p->period;
    return NULL;
}

/* A phase lasts at most k + 2 periods and TO, and two circles to begin and to
 * end it.  Their number is unbounded; but each is the last with probability
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
FC_COSTS(spirakis_tampakas)
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

static uint32_t needs_with(const void *params_in)
{
    const struct spirakis_tampakas_params *p = params_in;
    bool ordered = p->rules != SPIRAKIS_TAMPAKAS_FLUSH &&
                   p->rules != SPIRAKIS_TAMPAKAS_BIT;

    return FC_NEEDS_COUNT | FC_NEEDS_BOUNDS | FC_NEEDS_TIME |
           (ordered ? FC_NEEDS_FIFO : 0);
}

const struct fc_protocol spirakis_tampakas_protocol = {
    .name = "spirakis-tampakas",
    .title = "Spirakis and Tampakas 1989: no names, coins and timers",
    .idea = "A node that drew 1 sends a claim round, and holds back or lets go "
            "what comes by the flip of a coin, so that two rivals find each "
            "other out.",
    .assumes = "no names, FIFO links (or rules=flush, bit), one direction; N "
               "and the bounds known; a step reads all that has arrived; errs "
               "with a probability that falls with k",
    .source = "P. Spirakis, B. Tampakas, RAIRO Inf. theor. 23 (1989)",
    FC_ENTRY(spirakis_tampakas, kinds),
    .errs = "with a probability that falls with k",
    .needs = FC_NEEDS_COUNT | FC_NEEDS_FIFO | FC_NEEDS_BOUNDS | FC_NEEDS_TIME,
    .needs_with = needs_with,
    .anonymous = true,
    .lot = {1, "candidates"},
    FC_TERMS(spirakis_tampakas, .winner = ELECTION_ANYBODY),
    FC_PARAMS(params),
    .prepare = prepare,
    .horizon = horizon,
    FC_COSTS_OF(spirakis_tampakas),
    FC_PREDICATES(predicates),
    .unjudged = counts_no_phases,
};

#endif
