/*
 * archimedean.c - mutual exclusion where silence is consent (Spirakis and
 * Tampakas 1989, section 2).
 *
 * Whoever wants to enter sleeps for a random while, takes a number greater than
 * all it has seen, and asks everybody.  Only those who want to enter too, and
 * come before it in the order of (number, site), answer: no; and yes when they
 * leave.  Whoever has not answered when a window is over has consented.  So an
 * entry that meets nnr refusals costs n-1 + 2 nnr messages.
 *
 * Assumes bounds on steps and delays, and reliable links in any order; with
 * rules=proven nothing but links that deliver what is repeated often enough,
 * for then silence must be proven by frames that name the request.
 *
 * From: P. Spirakis, B. Tampakas, RAIRO ITA 23(1), 1989.  Quotations are from
 * there.  As printed it lets two sites in; the repaired rules are the default,
 * and each gap of the print is a switch (docs/protocols/archimedean.md).
 */
#include "protocols/mutex/archimedean.h"

#include "protocols/mutex/archimedean_acts.inc"
#include "protocols/mutex/archimedean_return.inc"
#include "protocols/mutex/archimedean_times.h"
#include "protocols/mutex/archimedean_wire.inc"

/* ---- Wanting and waking -------------------------------------------------- */

/* Rule 2, but for the number. */
static inline void wake(struct archimedean *s,
                        const struct archimedean_params *p,
                        const struct fc_member *me, struct archimedean_out *out)
{
    struct fc_set asked;

    fill_asked(s, p, me, &asked);
    ask(s, p, me, &asked, out);
    if (p->rules == ARCHIMEDEAN_PROVEN)
        settle(s, p, me, out); /* alone in the world */
}

static inline void on_slept(struct archimedean *s,
                            const struct archimedean_params *p,
                            const struct fc_member *me,
                            struct archimedean_out *out)
{
    if (p->number != ARCHIMEDEAN_EARLY)
        choose_number(s, p);
    if (p->number != ARCHIMEDEAN_APART) {
        wake(s, p, me, out);
        return;
    }
    s->mode = ARCHIMEDEAN_CHOSEN;
    arm(out, TIMER, 1);
}

static inline void sleep_for(struct archimedean *s,
                             const struct archimedean_params *p,
                             const struct fc_member *me, uint64_t steps,
                             struct archimedean_out *out)
{
    if (steps > 0)
        arm(out, TIMER, steps);
    else
        on_slept(s, p, me, out);
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
static inline void fall_asleep(struct archimedean *s,
                               const struct archimedean_params *p,
                               const struct fc_member *me,
                               struct archimedean_out *out)
{
    uint64_t more = shift(s, p, me);

    if (p->number == ARCHIMEDEAN_EARLY)
        choose_number(s, p);
    if (more > 0)
        out->fx.choose = (uint32_t)more + 1;
    else
        sleep_for(s, p, me, p->mindelay_steps, out);
}

/* Rule 1; who rests falls asleep when that is over. */
static inline void on_want(struct archimedean *s,
                           const struct archimedean_params *p,
                           const struct fc_member *me, bool shared,
                           struct archimedean_out *out)
{
    if (s->mode != ARCHIMEDEAN_IDLE)
        return;
    if (p->shares)
        s->shared = p->fixed ? me->index >= p->writers : shared;
    change_mode(s, ARCHIMEDEAN_SLEEP, out);
    out->fx.notes |= FC_NOTE_STARTED;
    if (!s->rests)
        fall_asleep(s, p, me, out);
}

/* ---- Messages read ------------------------------------------------------- */

/* A repeated request may come after one that followed it. */
static inline bool is_old(const struct archimedean_tag *known,
                          const struct archimedean_msg *m)
{
    return m->epoch == known->epoch &&
           (m->number < known->number ||
            (m->number == known->number && m->round < known->round));
}

/* Rule 3.  Silence is what the others wait for; with proven silence the next
 * frame says so. */
static inline void on_request(struct archimedean *s,
                              const struct archimedean_params *p,
                              const struct fc_member *me, uint32_t from,
                              const struct archimedean_msg *m,
                              struct archimedean_out *out)
{
    bool reads = m->kind == ARCHIMEDEAN_READ;
    bool proven = p->rules == ARCHIMEDEAN_PROVEN;
    bool keeps_out = has_priority(s, p, me, m->number, from, reads);
    struct fc_set one = {0};

    see(s, p, me, m->number);
    if (proven && is_old(&s->tag[from], m)) {
        out->fx.notes |= FC_NOTE_DIES;
        return;
    }
    forget_tag(s, from);
    fc_set_remove(&s->deferred, from);
    if (keeps_out)
        fc_set_add(&s->deferred, from);
    if (proven || (keeps_out && p->rules != ARCHIMEDEAN_PRINTED)) {
        s->tag[from] = (struct archimedean_tag){m->number, m->round, m->epoch};
        if (reads)
            fc_set_add(&s->reading, from);
    }
    if (keeps_out && (!proven || p->hasten)) {
        s->sending = ARCHIMEDEAN_NEG;
        send(out, from, message_to(s, p, me, from));
        s->sending = 0;
        return;
    }
    out->fx.notes |= FC_NOTE_SILENT;
    if (proven) {
        fc_set_add(&one, from);
        owe(s, p, &one, out);
    }
}

/* "On receipt of (negative reply) do nnr <- nnr + 1; on receipt of (positive
 * reply) do ppr <- ppr + 1": whatever they answer.  Who asks for nothing sets
 * both to 0 before they matter. */
static inline void on_printed_reply(struct archimedean *s,
                                    const struct archimedean_params *p,
                                    const struct fc_member *me,
                                    const struct archimedean_msg *m,
                                    struct archimedean_out *out)
{
    if (s->mode == ARCHIMEDEAN_IDLE) {
        out->fx.notes |= FC_NOTE_DIES;
        return;
    }
    if (m->kind == ARCHIMEDEAN_NEG)
        s->nnr++;
    else
        s->ppr++;
    settle(s, p, me, out);
}

static inline bool is_mine(const struct archimedean *s,
                           const struct archimedean_msg *m)
{
    return m->number == s->osn && m->epoch == s->epoch;
}

/* Rule 4.  With proven silence the round does not matter, for a refusal lets
 * nobody in, and is no alarm, for what is late is late. */
static inline void on_refusal(struct archimedean *s,
                              const struct archimedean_params *p,
                              const struct fc_member *me, uint32_t from,
                              const struct archimedean_msg *m,
                              struct archimedean_out *out)
{
    bool proven = p->rules == ARCHIMEDEAN_PROVEN;
    bool counts = is_mine(s, m) && (proven || m->round == s->rnd) &&
                  !fc_set_has(&s->pos, from);

    if (counts && waits(s)) {
        if (s->rnd == 0 && !fc_set_has(&s->neg, from))
            s->nnr++;
        fc_set_add(&s->neg, from);
        settle(s, p, me, out);
    } else if (counts && s->mode == ARCHIMEDEAN_INSIDE && !proven) {
        leave(s, p, me, out); /* the alarm: a bound was violated */
    } else {
        out->fx.notes |= FC_NOTE_DIES;
    }
}

/* Rule 5. */
static inline void on_consent(struct archimedean *s,
                              const struct archimedean_params *p,
                              const struct fc_member *me, uint32_t from,
                              const struct archimedean_msg *m,
                              struct archimedean_out *out)
{
    if (!waits(s) || !is_mine(s, m)) {
        out->fx.notes |= FC_NOTE_DIES;
        return;
    }
    fc_set_add(&s->pos, from);
    settle(s, p, me, out);
}

static inline void on_frame(struct archimedean *s,
                            const struct archimedean_params *p,
                            const struct fc_member *me, uint32_t from,
                            const struct archimedean_msg *m,
                            struct archimedean_out *out)
{
    if (m->clear)
        on_consent(s, p, me, from, m, out);
    else
        on_refusal(s, p, me, from, m, out);
}

/* ---- A step -------------------------------------------------------------- */

static inline void on_choice(struct archimedean *s,
                             const struct archimedean_params *p,
                             const struct fc_member *me, uint32_t value,
                             struct archimedean_out *out)
{
    if (s->sending) {
        send_on(s, p, me, out);
    } else if (s->drawing) {
        s->drawing = 0;
        s->epoch = 1 + value;
        say_hello(s, p, me, out);
    } else if (s->mode == ARCHIMEDEAN_SLEEP) {
        sleep_for(s, p, me, p->mindelay_steps + shift(s, p, me) + value, out);
    }
}

/* Rule 8; with proven silence those who have not yet named the request are
 * asked again before, in the same round. */
static inline void ask_again(struct archimedean *s,
                             const struct archimedean_params *p,
                             const struct fc_member *me,
                             struct archimedean_out *out)
{
    struct fc_set whom;

    if (p->rules == ARCHIMEDEAN_REPAIRED) {
        whom = s->neg;
    } else {
        fill_asked(s, p, me, &whom);
    }
    take_away(&whom, &s->pos);
    if (s->mode == ARCHIMEDEAN_WINDOW) {
        take_away(&whom, &s->neg);
    } else {
        s->rnd++;
        fc_set_clear(&s->neg);
    }
    ask(s, p, me, &whom, out);
}

/* Rule 6, and what follows the wait: who gives up on those who refused thinks
 * that they have crashed. */
static inline void on_waited(struct archimedean *s,
                             const struct archimedean_params *p,
                             const struct fc_member *me,
                             struct archimedean_out *out)
{
    bool window = s->mode == ARCHIMEDEAN_WINDOW;
    bool proven = p->rules == ARCHIMEDEAN_PROVEN;
    bool gives_up = !window && p->giveup_steps != FC_NEVER;

    if ((window && proven) || (!window && !gives_up))
        ask_again(s, p, me, out);
    else if (gives_up || may_enter(s, p, me))
        enter(s, p, out);
    else
        begin_wait(s, p, out);
}

/* Rule 12: the window of a request that was given up is over. */
static inline void on_rested(struct archimedean *s,
                             const struct archimedean_params *p,
                             const struct fc_member *me,
                             struct archimedean_out *out)
{
    s->rests = 0;
    if (s->mode == ARCHIMEDEAN_SLEEP)
        fall_asleep(s, p, me, out);
}

static inline void on_timeout(struct archimedean *s,
                              const struct archimedean_params *p,
                              const struct fc_member *me,
                              struct archimedean_out *out)
{
    if (s->rests) {
        on_rested(s, p, me, out);
        return;
    }
    switch (s->mode) {
    case ARCHIMEDEAN_SLEEP:
        on_slept(s, p, me, out);
        break;
    case ARCHIMEDEAN_CHOSEN:
        wake(s, p, me, out);
        break;
    case ARCHIMEDEAN_WINDOW:
    case ARCHIMEDEAN_WAIT:
        on_waited(s, p, me, out);
        break;
    case ARCHIMEDEAN_INSIDE:
        leave(s, p, me, out); /* longer than the longest section */
        break;
    case ARCHIMEDEAN_MUTE:
        say_hello(s, p, me, out);
        break;
    case ARCHIMEDEAN_HELLO:
        on_greeted(s, p, me, out);
        break;
    default:
        break;
    }
}

/* The beat of the frames: to those whom one is owed, or to everybody. */
static inline void on_beat(struct archimedean *s,
                           const struct archimedean_params *p,
                           const struct fc_member *me,
                           struct archimedean_out *out)
{
    struct fc_set whom = s->owed;

    if (p->frames == ARCHIMEDEAN_ALWAYS) {
        fc_set_others(&whom, me->nodes, me->index);
        arm(out, FRAMES, p->tau);
    } else {
        s->ticking = 0;
    }
    fc_set_clear(&s->owed);
    send_to(s, p, me, ARCHIMEDEAN_FRAME, &whom, out);
}

static inline void on_message(struct archimedean *s,
                              const struct archimedean_params *p,
                              const struct fc_member *me,
                              const struct archimedean_in *in,
                              struct archimedean_out *out)
{
    const struct archimedean_msg *m = &in->msg;
    uint32_t from = in->event.port;

    switch (m->kind) {
    case ARCHIMEDEAN_REQ:
    case ARCHIMEDEAN_READ:
        on_request(s, p, me, from, m, out);
        break;
    case ARCHIMEDEAN_NEG:
        if (p->rules == ARCHIMEDEAN_PRINTED)
            on_printed_reply(s, p, me, m, out);
        else
            on_refusal(s, p, me, from, m, out);
        break;
    case ARCHIMEDEAN_POS:
        if (p->rules == ARCHIMEDEAN_PRINTED)
            on_printed_reply(s, p, me, m, out);
        else
            on_consent(s, p, me, from, m, out);
        break;
    case ARCHIMEDEAN_FRAME:
        on_frame(s, p, me, from, m, out);
        break;
    case ARCHIMEDEAN_HREP:
        on_hello_reply(s, p, me, from, m, out);
        break;
    default:
        on_hello(s, p, me, from, m, out);
        break;
    }
}

/* Who gives up leaves before it was in: whoever it has refused is free, and
 * what others still send it is for a number that is not its own any more.  It
 * rests if its window runs. */
static inline void on_command(struct archimedean *s,
                              const struct archimedean_params *p,
                              const struct fc_member *me, uint8_t command,
                              struct archimedean_out *out)
{
    bool tries = waits(s) || s->mode == ARCHIMEDEAN_SLEEP ||
                 s->mode == ARCHIMEDEAN_CHOSEN;

    switch (command) {
    case MUTEX_WANT:
    case MUTEX_WANT_SHARED:
        on_want(s, p, me, command == MUTEX_WANT_SHARED, out);
        break;
    default:
        if (command == MUTEX_LEAVE ? s->mode != ARCHIMEDEAN_INSIDE : !tries)
            break;
        out->fx.notes |= FC_NOTE_STARTED;
        leave(s, p, me, out);
        break;
    }
}

FC_API void archimedean_step(struct archimedean *s,
                             const struct archimedean_params *p,
                             const struct fc_member *me,
                             const struct archimedean_in *in,
                             struct archimedean_out *out)
{
    switch (in->event.kind) {
    case FC_BOOT:
        on_boot(s, p, me, out);
        break;
    case FC_MESSAGE:
        on_message(s, p, me, in, out);
        break;
    case FC_TIMEOUT:
        if (in->event.timer == FRAMES)
            on_beat(s, p, me, out);
        else
            on_timeout(s, p, me, out);
        break;
    case FC_CHOICE:
        on_choice(s, p, me, in->event.value, out);
        break;
    default:
        on_command(s, p, me, in->event.command, out);
        break;
    }
    reserve(s, p, out);
    if (p->rules == ARCHIMEDEAN_PROVEN && p->frames == ARCHIMEDEAN_ALWAYS &&
        !s->ticking) {
        s->ticking = 1;
        arm(out, FRAMES, p->tau);
    }
}

FC_API void archimedean_view(const struct archimedean *s,
                             const struct fc_member *me,
                             struct mutex_view *view)
{
    static const uint8_t roles[] = {
        [ARCHIMEDEAN_IDLE] = MUTEX_IDLE,
        [ARCHIMEDEAN_SLEEP] = MUTEX_SLEEPS,
        [ARCHIMEDEAN_CHOSEN] = MUTEX_SLEEPS,
        [ARCHIMEDEAN_WINDOW] = MUTEX_ASKS,
        [ARCHIMEDEAN_WAIT] = MUTEX_WAITS,
        [ARCHIMEDEAN_INSIDE] = MUTEX_INSIDE,
        [ARCHIMEDEAN_MUTE] = MUTEX_MUTE,
        [ARCHIMEDEAN_HELLO] = MUTEX_MUTE,
    };

    *view = (struct mutex_view){
        .role = roles[s->mode],
        .shared = s->shared,
        .token = s->fenced ? mutex_token(s->osn, me->index) : 0,
    };
}

FC_API const char *archimedean_sane(const struct archimedean *s,
                                    const struct archimedean_params *p,
                                    const struct fc_member *me)
{
    (void)s;
    (void)p;
    (void)me;
    return NULL;
}

#ifndef FC_TYPED

const struct fc_protocol archimedean_protocol = {
    .name = "archimedean",
    .title = "Spirakis, Tampakas 1989",
    .idea = "sleep, ask everybody, and take silence for consent: only who is "
            "before you answers",
    .assumes = "bounds on steps and delays, reliable links in any order; "
               "rules=proven: no bounds",
    .survives = "death and restart; not a broken bound",
    .bears = FC_BEARS_CRASHES,
    .source = "P. Spirakis, B. Tampakas, RAIRO ITA 23(1), 1989, section 2",
    .problem = &mutex_problem,
    .topology = FC_COMPLETE,
    .needs = FC_NEEDS_BOUNDS,
    .kinds = archimedean_kinds,
    .kinds_count = ARCHIMEDEAN_KINDS,
    .params = archimedean_list,
    .params_count = ARCHIMEDEAN_PARAMS,
    .params_size = sizeof(struct archimedean_params),
    .state_size = sizeof(struct archimedean),
    .msg_size = sizeof(struct archimedean_msg),
    .prepare = archimedean_prepare,
    .horizon = archimedean_horizon,
    .claims = archimedean_claims,
};

#endif
