/*
 * archimedean.c - mutual exclusion where silence is consent (Spirakis and
 * Tampakas 1989, section 2).
 *
 * A site that wants to enter sleeps for a random while, takes a number greater
 * than all it has seen, and asks everybody.  Only sites that want to enter too,
 * and come before it in the order of (number, site), answer: no; and yes when
 * they leave.  A site that has not answered when a window is over has
 * consented.  So an entry that meets nnr refusals costs n-1 + 2 nnr messages.
 *
 * Assumes bounds on steps and delays, and reliable links in any order; with
 * rules=proven only links that deliver what is repeated often enough, because
 * then silence must be proven by frames that name the request.
 *
 * From: P. Spirakis, B. Tampakas, RAIRO ITA 23(1), 1989.  Quotations are from
 * there.  As printed it lets two sites in; the repaired rules are the default,
 * and each gap of the print is a switch (README.md).
 */
#include "protocols/mutex/archimedean/archimedean.h"

#include "protocols/mutex/archimedean/archimedean_acts.inc"
#include "protocols/mutex/archimedean/archimedean_return.inc"
#include "protocols/mutex/archimedean/archimedean_wire.inc"

/* ---- Wanting and waking -------------------------------------------------- */

/* AR-2, except for the number: "send request(osn) to all and start the
 * window". */
static inline void wake(struct turn *t)
{
    struct fc_set asked;

    fill_asked(t->s, t->p, t->me, &asked);
    ask(t, &asked);
    if (t->p->rules == PROVEN)
        settle(t); /* alone in the world */
}

static inline void on_slept(struct turn *t)
{
    if (t->p->number != ARCHIMEDEAN_EARLY)
        choose_number(t);
    if (t->p->number != ARCHIMEDEAN_APART) {
        wake(t);
        return;
    }
    t->s->mode = CHOSEN;
    arm(t, TIMER, 1);
}

static inline void sleep_for(struct turn *t, uint64_t steps)
{
    if (steps > 0)
        arm(t, TIMER, steps);
    else
        on_slept(t);
}

/* predict * delaystep. */
static inline uint64_t shift(const struct archimedean *s,
                             const struct archimedean_params *p,
                             const struct fc_member *me)
{
    switch (p->predict) {
    case ARCHIMEDEAN_PREDICT_LAST:
        return s->last * p->delaystep_steps;
    case ARCHIMEDEAN_PREDICT_N:
        return me->nodes * p->delaystep_steps;
    default:
        return 0;
    }
}

/* "Wait for x steps, selected uniformly randomly between [mindelay +
 * predict*delaystep, mindelay + 2*predict*delaystep]". */
static inline void fall_asleep(struct turn *t)
{
    uint64_t more = shift(t->s, t->p, t->me);

    if (t->p->number == ARCHIMEDEAN_EARLY)
        choose_number(t);
    if (more > 0)
        draw(t, (uint32_t)more + 1);
    else
        sleep_for(t, t->p->mindelay_steps);
}

/* AR-1: want: sleep for a random number of steps; a site that rests falls
 * asleep when its rest is over. */
static inline void on_want(struct turn *t, bool shared)
{
    if (t->s->mode != IDLE)
        return;
    if (t->p->shares)
        t->s->shared = t->p->fixed ? t->me->index >= t->p->writers : shared;
    become(t, SLEEP);
    obeyed(t);
    if (!t->s->rests)
        fall_asleep(t);
}

/* ---- Messages read ------------------------------------------------------- */

/* A repeated request may arrive after a later one. */
static inline bool is_old(const struct archimedean_tag *known,
                          const struct archimedean_msg *m)
{
    return m->epoch == known->epoch &&
           (m->number < known->number ||
            (m->number == known->number && m->round < known->round));
}

/* AR-3: a site that competes with (osn, i) < (k, j) defers j and refuses; all
 * others are silent.  Silence is what the others wait for; with proven silence
 * the next frame says so. */
static inline void on_request(struct turn *t)
{
    uint32_t from = t->event->port;
    const msg *m = t->m;
    bool reads = m->kind == READ;
    bool proven = t->p->rules == PROVEN;
    bool keeps_out = has_priority(t->s, t->p, t->me, m->number, from, reads);
    struct fc_set one = {0};

    see(t, m->number);
    if (proven && is_old(&t->s->tag[from], m)) {
        drop(t);
        return;
    }
    forget_tag(t->s, from);
    fc_set_remove(&t->s->deferred, from);
    if (keeps_out)
        fc_set_add(&t->s->deferred, from);
    if (proven || (keeps_out && t->p->rules != PRINTED)) {
        t->s->tag[from] =
            (struct archimedean_tag){m->number, m->round, m->epoch};
        if (reads)
            fc_set_add(&t->s->reading, from);
    }
    if (keeps_out && (!proven || t->p->hasten)) {
        answer(t, (msg){.kind = NEG,
                        .number = t->s->tag[from].number,
                        .round = t->s->tag[from].round,
                        .epoch = t->s->tag[from].epoch});
        return;
    }
    be_silent(t);
    if (proven) {
        fc_set_add(&one, from);
        owe(t, &one);
    }
}

/* "On receipt of (negative reply) do nnr <- nnr + 1; on receipt of (positive
 * reply) do ppr <- ppr + 1": whatever they answer.  A site that asks for
 * nothing sets both to 0 before they matter. */
static inline void on_printed_reply(struct turn *t)
{
    if (t->s->mode == IDLE) {
        drop(t);
        return;
    }
    if (t->m->kind == NEG)
        t->s->nnr++;
    else
        t->s->ppr++;
    settle(t);
}

static inline bool is_mine(const struct archimedean *s,
                           const struct archimedean_msg *m)
{
    return m->number == s->osn && m->epoch == s->epoch;
}

/* AR-4: a refusal counts if it is for this request and this round, and its
 * sender has not consented; inside it is an alarm.  With proven silence the
 * round does not matter, because a refusal lets nobody in; and a refusal is not
 * an alarm, because it may just be late. */
static inline void on_refusal(struct turn *t)
{
    uint32_t from = t->event->port;
    const msg *m = t->m;
    bool proven = t->p->rules == PROVEN;
    bool counts = is_mine(t->s, m) && (proven || m->round == t->s->rnd) &&
                  !fc_set_has(&t->s->pos, from);

    if (counts && waits(t->s)) {
        if (t->s->rnd == 0 && !fc_set_has(&t->s->neg, from))
            t->s->nnr++;
        fc_set_add(&t->s->neg, from);
        settle(t);
    } else if (counts && t->s->mode == INSIDE && !proven) {
        leave(t); /* the alarm: a bound was violated */
    } else {
        drop(t);
    }
}

/* AR-5: a positive: its sender consents, for good. */
static inline void on_consent(struct turn *t)
{
    if (!waits(t->s) || !is_mine(t->s, t->m)) {
        drop(t);
        return;
    }
    fc_set_add(&t->s->pos, t->event->port);
    settle(t);
}

static inline void on_frame(struct turn *t)
{
    if (t->m->clear)
        on_consent(t);
    else
        on_refusal(t);
}

/* ---- A step -------------------------------------------------------------- */

/* What was drawn: an epoch, or how long it sleeps. */
static inline void on_choice(struct turn *t)
{
    uint32_t drawn = t->event->value;

    if (t->s->mode == MUTE) {
        t->s->epoch = 1 + drawn;
        say_hello(t);
    } else if (t->s->mode == SLEEP) {
        sleep_for(t, t->p->mindelay_steps + shift(t->s, t->p, t->me) + drawn);
    }
}

/* Only a site that is leaving is idle and has deferred somebody. */
static inline void on_go_on(struct turn *t)
{
    if (t->s->mode == IDLE && !fc_set_empty(&t->s->deferred))
        send_positives(t);
    else
        send_frames(t);
}

/* AR-8: sites that refused and have not consented are asked again, in a new
 * round, with a new window; with proven silence sites that have not yet named
 * the request are asked again before, in the same round. */
static inline void ask_again(struct turn *t)
{
    struct fc_set whom;

    if (t->p->rules == ARCHIMEDEAN_REPAIRED) {
        whom = t->s->neg;
    } else {
        fill_asked(t->s, t->p, t->me, &whom);
    }
    take_away(&whom, &t->s->pos);
    if (t->s->mode == WINDOW) {
        take_away(&whom, &t->s->neg);
    } else {
        t->s->rnd++;
        fc_set_clear(&t->s->neg);
    }
    ask(t, &whom);
}

/* AR-6: in, if all that refused have consented; else wait.  And what follows
 * the wait: a site that gives up on those that refused thinks that they have
 * crashed. */
static inline void on_waited(struct turn *t)
{
    bool window = t->s->mode == WINDOW;
    bool proven = t->p->rules == PROVEN;
    bool gives_up = !window && t->p->giveup_steps != FC_NEVER;

    if ((window && proven) || (!window && !gives_up))
        ask_again(t);
    else if (gives_up || may_enter(t->s, t->p, t->me))
        enter(t);
    else
        begin_wait(t);
}

/* AR-12: the window of a request that was given up is over. */
static inline void on_rested(struct turn *t)
{
    t->s->rests = 0;
    if (t->s->mode == SLEEP)
        fall_asleep(t);
}

static inline void on_timeout(struct turn *t)
{
    if (t->s->rests) {
        on_rested(t);
        return;
    }
    switch (t->s->mode) {
    case SLEEP:
        on_slept(t);
        break;
    case CHOSEN:
        wake(t);
        break;
    case WINDOW:
    case WAIT:
        on_waited(t);
        break;
    case INSIDE:
        leave(t); /* AR-9: longer than the longest section */
        break;
    case MUTE:
        say_hello(t);
        break;
    case HELLO:
        on_greeted(t);
        break;
    default:
        break;
    }
}

/* The frame timer: a frame to each site to which one is owed, or to
 * everybody. */
static inline void on_beat(struct turn *t)
{
    if (t->p->frames == ARCHIMEDEAN_ALWAYS) {
        fc_set_others(&t->s->owed, t->me->nodes, t->me->index);
        arm(t, FRAMES, t->p->tau);
    }
    send_frames(t);
}

static inline void on_message(struct turn *t)
{
    switch (t->m->kind) {
    case REQ:
    case READ:
        on_request(t);
        break;
    case NEG:
        if (t->p->rules == PRINTED)
            on_printed_reply(t);
        else
            on_refusal(t);
        break;
    case POS:
        if (t->p->rules == PRINTED)
            on_printed_reply(t);
        else
            on_consent(t);
        break;
    case FRAME:
        on_frame(t);
        break;
    case HREP:
        on_hello_reply(t);
        break;
    default:
        on_hello(t);
        break;
    }
}

/* AR-12: a site that gives up leaves before it was in: sites that it has
 * refused are free, and what others still send it is for a number that is no
 * longer its own.  It rests if its window runs. */
static inline void on_command(struct turn *t)
{
    uint8_t command = t->event->command;
    bool tries = waits(t->s) || t->s->mode == SLEEP || t->s->mode == CHOSEN;

    switch (command) {
    case MUTEX_WANT:
    case MUTEX_WANT_SHARED:
        on_want(t, command == MUTEX_WANT_SHARED);
        break;
    default:
        if (command == MUTEX_LEAVE ? t->s->mode != INSIDE : !tries)
            break;
        obeyed(t);
        leave(t);
        break;
    }
}

FC_STEP(archimedean)
{
    switch (t->event->kind) {
    case FC_BOOT:
        on_boot(t);
        break;
    case FC_MESSAGE:
        on_message(t);
        break;
    case FC_TIMEOUT:
        if (t->event->timer == FRAMES)
            on_beat(t);
        else
            on_timeout(t);
        break;
    case FC_CHOICE:
        on_choice(t);
        break;
    case FC_GO_ON:
        on_go_on(t);
        break;
    default:
        on_command(t);
        break;
    }
    reserve(t);
    if (t->p->rules == PROVEN && t->p->frames == ARCHIMEDEAN_ALWAYS &&
        !t->s->ticking) {
        t->s->ticking = 1;
        arm(t, FRAMES, t->p->tau);
    }
}

FC_VIEW(archimedean)
{
    static const uint8_t roles[] = {
        [IDLE] = MUTEX_IDLE,   [SLEEP] = MUTEX_SLEEPS, [CHOSEN] = MUTEX_SLEEPS,
        [WINDOW] = MUTEX_ASKS, [WAIT] = MUTEX_WAITS,   [INSIDE] = MUTEX_INSIDE,
        [MUTE] = MUTEX_MUTE,   [HELLO] = MUTEX_MUTE,
    };

    *view = (struct mutex_view){
        .role = roles[s->mode],
        .shared = s->shared,
        .token = s->fenced ? mutex_token(s->osn, me->index) : 0,
    };
}

/* Whether the request of a site, which has one or none, is as its mode says. */
static inline const char *sane_request(const struct archimedean *s,
                                       const struct archimedean_params *p,
                                       const struct fc_member *me)
{
    bool printed = p->rules == PRINTED;
    bool inside = s->mode == INSIDE;

    if (s->mode == IDLE && (s->osn || s->rnd || s->shared ||
                            !fc_set_empty(&s->neg) || !fc_set_empty(&s->pos)))
        return "an idle site has no request";
    if (s->shared && !p->shares)
        return "a request is one to read only where there are readers";
    if (p->noted == ARCHIMEDEAN_NOTED && !p->m && s->osn > s->hsn)
        return "its own number is not above the highest seen";
    if (p->reserves && s->osn > s->record.floor)
        return "no number is used that is not reserved";
    if (s->fenced != (inside && !printed && !p->m))
        return "exactly a site that is inside has a token";
    if (inside && !printed && p->giveup_steps == FC_NEVER &&
        !may_enter(s, p, me))
        return "no site is inside against a refusal";
    return NULL;
}

FC_INVARIANT(archimedean)
{
    struct fc_set others;

    fc_set_others(&others, me->nodes, me->index);
    if (s->mode > HELLO || s->shared > 1 || s->fenced > 1 || s->ticking > 1 ||
        s->rests > 1)
        return "mode and flags are in range";
    if (!fc_set_within(&s->neg, &others) || !fc_set_within(&s->pos, &others) ||
        !fc_set_within(&s->deferred, &others) ||
        !fc_set_within(&s->owed, &others))
        return "a site does not deal with itself";
    if (!fc_set_empty(&s->deferred) && !competes(s) &&
        s->mode != IDLE) /* idle: it leaves, and tells them */
        return "only a site that competes has deferred others";
    if (s->rests && s->mode != IDLE && s->mode != SLEEP)
        return "no request is out while the one before it rests";
    if (s->ticking ? p->rules != PROVEN : !fc_set_empty(&s->owed))
        return "frames are owed only while their timer runs";
    return sane_request(s, p, me);
}

FC_STATE_FIELDS(archimedean) = {
    FIELD_AS("floor", NUMBER, record.floor, NULL),
    FIELD(NUMBER, osn),
    FIELD(NUMBER, hsn),
    FIELD(NODES, neg),
    FIELD(NODES, pos),
    FIELD(NODES, deferred),
    FIELD(NODES, reading),
    FIELD(NODES, owed),
    FIELD_EACH_IN(NUMBER, tag, number),
    FIELD_EACH_IN(NUMBER, tag, round),
    FIELD_EACH_IN(NUMBER, tag, epoch),
    FIELD(NUMBER, rnd),
    FIELD(NUMBER, epoch),
    FIELD(NUMBER, nnr),
    FIELD(NUMBER, ppr),
    FIELD(NUMBER, last),
    FIELD_WORD(mode, "idle", "sleep", "chosen", "window", "wait", "inside",
               "mute", "hello"),
    FIELD(YES, shared),
    FIELD(YES, fenced),
    FIELD(YES, ticking),
    FIELD(YES, rests),
};

MUTEX_QUEUE(archimedean, fc_set_count(&s->deferred));

#ifndef FC_TYPED

#include "protocols/mutex/archimedean/archimedean_network.inc"

/* Lemmas 1 and 2, and the two bounds on D; s sites compete, all if nobody
 * counted them. */
FC_COSTS(archimedean)
{
    const struct archimedean_params *p = params_in;
    double n = w->nodes, s = w->initiators ? w->initiators : w->nodes;
    double gamma = (double)w->bounds.rmin / (double)w->bounds.rmax;
    double nnr = s / 2 / (1 + gamma), dmax = (double)w->bounds.dmax;
    double mindelay = (double)p->mindelay_steps * (double)w->bounds.rmax;

    if (!w->bounded)
        return 0;
    out[0] =
        (struct fc_claim){FC_COST_PER_ENTRY, FC_AT_MOST, 3 * (n - 1), "3(n-1)"};
    out[1] = (struct fc_claim){FC_COST_PER_ENTRY, FC_ON_AVERAGE, n - 1 + nnr,
                               "n-1 + s/2/(1+g)"};
    out[2] =
        (struct fc_claim){FC_COST_REFUSALS, FC_ON_AVERAGE, nnr, "s/2/(1+g)"};
    out[3] = (struct fc_claim){FC_COST_GRANTING, FC_AT_MOST,
                               2 * dmax + 2 * (n - 1) * mindelay,
                               "2dmax + 2(n-1)mindelay"};
    out[4] = (struct fc_claim){FC_COST_GRANTING, FC_MEAN_AT_MOST,
                               2 * dmax + nnr * mindelay,
                               "2dmax + s/2/(1+g) mindelay"};
    return 5;
}

const struct fc_protocol archimedean_protocol = {
    .name = "archimedean",
    .title = "Spirakis, Tampakas 1989",
    .idea = "sleep, ask everybody, and take silence for consent: only sites "
            "before you answer",
    .assumes = "bounds on steps and delays, reliable links in any order; "
               "rules=proven: no bounds",
    .survives = "crashes and restarts; not a broken bound",
    .bears = FC_BEARS_CRASHES,
    .source = "P. Spirakis, B. Tampakas, RAIRO ITA 23(1), 1989, section 2",
    FC_ENTRY_OF(archimedean, archimedean_kinds, ARCHIMEDEAN_KINDS),
    FC_PREDICATES(archimedean_predicates),
    .needs = FC_NEEDS_BOUNDS | FC_NEEDS_TIME,
    .needs_with = archimedean_needs,
    .letters =
        "n sites, s of them compete, g = rmin/rmax, mindelay the shortest "
        "sleep in ticks",
    .caveat = "the formulas with s, and those of the granting delay, leave out "
              "how long sites stay inside and think: docs/protocols/"
              "archimedean.md, Cost",
    .params = archimedean_list,
    .params_count = ARCHIMEDEAN_PARAMS,
    .prepare = archimedean_prepare,
    .horizon = archimedean_horizon,
    .wraps = archimedean_wraps,
    FC_COSTS_OF(archimedean),
};

#endif
