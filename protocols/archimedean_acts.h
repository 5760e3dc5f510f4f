/*
 * archimedean_acts.h - what a site of archimedean.c does, whatever made it do
 * so: numbers, messages to many, entering and leaving.
 */
#ifndef ARCHIMEDEAN_ACTS_H
#define ARCHIMEDEAN_ACTS_H

#include "protocols/archimedean.h"

/* The first timer: of the sleep, the window, the wait, a section, a restart.
 * The second: of frames. */
enum { TIMER, FRAMES };

static inline void arm(struct archimedean_out *out, uint32_t timer,
                       uint64_t steps)
{
    uint8_t bit = (uint8_t)(1u << timer);

    out->fx.steps[timer] = steps;
    if (steps != FC_NEVER) {
        out->fx.arm |= bit;
        return;
    }
    out->fx.arm &= (uint8_t)~bit;
    out->fx.disarm |= bit;
}

static inline void change_mode(struct archimedean *s, enum archimedean_mode to,
                               struct archimedean_out *out)
{
    s->mode = (uint8_t)to;
    out->fx.notes |= FC_NOTE_VIEW;
}

static inline void send(struct archimedean_out *out, uint32_t to,
                        struct archimedean_msg m)
{
    out->fx.to[out->fx.sends] = (uint16_t)to;
    out->send[out->fx.sends++] = m;
}

/* ---- Numbers ------------------------------------------------------------- */

/* "When making a comparison, the smaller number should be increased by M if
 * the difference is n or more." */
static inline bool less(const struct archimedean_params *p, uint32_t nodes,
                        uint64_t a, uint64_t b)
{
    bool wrapped = p->m && (a < b ? b - a : a - b) >= nodes;

    return wrapped ? a > b : a < b;
}

static inline void see(struct archimedean *s,
                       const struct archimedean_params *p,
                       const struct fc_member *me, uint64_t number)
{
    if (less(p, me->nodes, s->hsn, number))
        s->hsn = number;
}

/* A number is on disk before a message carries it, as one of a whole block. */
static inline void reserve(struct archimedean *s,
                           const struct archimedean_params *p,
                           struct archimedean_out *out)
{
    if (!p->reserves || s->osn <= s->record.floor)
        return;
    s->record.floor = s->osn + p->reserves - 1;
    out->fx.save = 1;
}

/* "osn <- hsn + 1"; and hsn <- osn, which the print leaves out. */
static inline void choose_number(struct archimedean *s,
                                 const struct archimedean_params *p)
{
    s->osn = s->hsn + 1;
    if (p->m)
        s->osn %= p->m;
    if (p->noted == ARCHIMEDEAN_NOTED)
        s->hsn = s->osn;
}

static inline bool competes(const struct archimedean *s)
{
    return s->mode == ARCHIMEDEAN_WINDOW || s->mode == ARCHIMEDEAN_WAIT ||
           s->mode == ARCHIMEDEAN_INSIDE;
}

static inline bool waits(const struct archimedean *s)
{
    return s->mode == ARCHIMEDEAN_WINDOW || s->mode == ARCHIMEDEAN_WAIT;
}

/* "priority": whether the own request keeps out the one of `site`. */
static inline bool has_priority(const struct archimedean *s,
                                const struct archimedean_params *p,
                                const struct fc_member *me, uint64_t number,
                                uint32_t site, bool reads)
{
    if (!competes(s) || (s->shared && reads))
        return false;
    return s->osn == number ? me->index < site
                            : less(p, me->nodes, s->osn, number);
}

/* ---- Messages to many ---------------------------------------------------- */

/* Whom a request is for: everybody; with fixed roles, readers skip readers. */
static inline void fill_asked(const struct archimedean *s,
                              const struct archimedean_params *p,
                              const struct fc_member *me, struct fc_set *asked)
{
    bool skips = s->shared && p->fixed;

    fc_set_others(asked, skips ? p->writers : me->nodes, me->index);
}

static inline void take_away(struct fc_set *from, const struct fc_set *what)
{
    for (uint32_t i = 0; i < FC_SET_WORDS; i++)
        from->word[i] &= ~what->word[i];
}

static inline struct archimedean_msg
message_to(const struct archimedean *s, const struct archimedean_params *p,
           const struct fc_member *me, uint32_t peer)
{
    const struct archimedean_tag *tag = &s->tag[peer];
    bool reads = fc_set_has(&s->reading, peer);

    switch (s->sending) {
    case ARCHIMEDEAN_NEG:
        return (struct archimedean_msg){.kind = s->sending,
                                        .number = tag->number,
                                        .round = tag->round,
                                        .epoch = tag->epoch};
    case ARCHIMEDEAN_POS:
        return (struct archimedean_msg){
            .kind = s->sending, .number = tag->number, .epoch = tag->epoch};
    case ARCHIMEDEAN_FRAME:
        return (struct archimedean_msg){
            .kind = s->sending,
            .number = tag->number,
            .round = tag->round,
            .epoch = tag->epoch,
            .clear = !has_priority(s, p, me, tag->number, peer, reads)};
    case ARCHIMEDEAN_HELLO_MSG:
        return (struct archimedean_msg){
            .kind = s->sending,
            .number = p->restart == ARCHIMEDEAN_INFORMED ? s->hsn : 0,
            .epoch = s->epoch};
    default:
        return (struct archimedean_msg){.kind = s->sending,
                                        .number = s->osn,
                                        .round = s->rnd,
                                        .epoch = s->epoch};
    }
}

static inline void forget_tag(struct archimedean *s, uint32_t peer)
{
    s->tag[peer] = (struct archimedean_tag){0};
    fc_set_remove(&s->reading, peer);
}

/* What follows the last of them.  The window begins "after the last send". */
static inline void end_sending(struct archimedean *s,
                               const struct archimedean_params *p,
                               struct archimedean_out *out)
{
    bool proven = p->rules == ARCHIMEDEAN_PROVEN;

    switch (s->sending) {
    case ARCHIMEDEAN_POS:
    case ARCHIMEDEAN_FRAME:
        break;
    default:
        arm(out, TIMER, proven ? p->repeat_steps : p->window_steps);
        break;
    }
    s->sending = 0;
}

/* Sends to all that are pending.  If they are more than fit in one outbox, a
 * choice among one is how the step goes on. */
static inline void send_on(struct archimedean *s,
                           const struct archimedean_params *p,
                           const struct fc_member *me,
                           struct archimedean_out *out)
{
    bool keeps =
        s->sending != ARCHIMEDEAN_POS || p->rules == ARCHIMEDEAN_PROVEN;

    while (!fc_set_empty(&s->pending)) {
        uint32_t peer = fc_set_least(&s->pending);

        if (out->fx.sends == FC_SENDS) {
            out->fx.choose = 1;
            return;
        }
        send(out, peer, message_to(s, p, me, peer));
        fc_set_remove(&s->pending, peer);
        if (!keeps)
            forget_tag(s, peer);
    }
    end_sending(s, p, out);
}

/* The same message to all of a set. */
static inline void send_to(struct archimedean *s,
                           const struct archimedean_params *p,
                           const struct fc_member *me, uint8_t kind,
                           const struct fc_set *whom,
                           struct archimedean_out *out)
{
    bool differs = kind == ARCHIMEDEAN_POS || kind == ARCHIMEDEAN_FRAME;

    s->sending = kind;
    if (!differs && fc_set_count(whom) + 1 == me->nodes) {
        send(out, FC_EVERYONE, message_to(s, p, me, me->index));
        end_sending(s, p, out);
        return;
    }
    s->pending = *whom;
    send_on(s, p, me, out);
}

static inline void ask(struct archimedean *s,
                       const struct archimedean_params *p,
                       const struct fc_member *me, const struct fc_set *whom,
                       struct archimedean_out *out)
{
    if (s->mode != ARCHIMEDEAN_WINDOW)
        change_mode(s, ARCHIMEDEAN_WINDOW, out);
    send_to(s, p, me, s->shared ? ARCHIMEDEAN_READ : ARCHIMEDEAN_REQ, whom,
            out);
}

/* ---- Entering and leaving ------------------------------------------------ */

/* Back to where nothing is asked; what is known of others stays. */
static inline void drop_request(struct archimedean *s)
{
    s->osn = 0;
    s->rnd = 0;
    s->nnr = s->ppr = 0;
    s->shared = s->fenced = 0;
    fc_set_clear(&s->neg);
    fc_set_clear(&s->pos);
}

static inline void enter(struct archimedean *s,
                         const struct archimedean_params *p,
                         struct archimedean_out *out)
{
    s->fenced = p->rules != ARCHIMEDEAN_PRINTED && !p->m;
    change_mode(s, ARCHIMEDEAN_INSIDE, out);
    arm(out, TIMER, p->longest_steps);
}

/* A frame for somebody leaves with the next beat of the timer of frames. */
static inline void owe(struct archimedean *s,
                       const struct archimedean_params *p,
                       const struct fc_set *whom, struct archimedean_out *out)
{
    if (p->frames == ARCHIMEDEAN_ALWAYS)
        return; /* it comes anyway */
    for (uint32_t i = 0; i < FC_SET_WORDS; i++)
        s->owed.word[i] |= whom->word[i];
    if (s->ticking || fc_set_empty(&s->owed))
        return;
    s->ticking = 1;
    arm(out, FRAMES, p->tau);
}

/* Whether a request is out whose window runs: silence is not yet consent. */
static inline bool in_window(const struct archimedean *s,
                             const struct archimedean_params *p)
{
    return s->mode == ARCHIMEDEAN_WINDOW && p->rules != ARCHIMEDEAN_PROVEN;
}

/* Rule 9, and rule 12: who gives up within its window rests until that would
 * have been over.  Else several requests of it could stand in one queue, and
 * the windows of others would be too short. */
static inline void leave(struct archimedean *s,
                         const struct archimedean_params *p,
                         const struct fc_member *me,
                         struct archimedean_out *out)
{
    struct fc_set freed = s->deferred;

    s->rests |= in_window(s, p);
    s->last = p->predict == ARCHIMEDEAN_PREDICT_LAST ? s->nnr : 0;
    drop_request(s);
    fc_set_clear(&s->deferred);
    change_mode(s, ARCHIMEDEAN_IDLE, out);
    if (!s->rests)
        out->fx.disarm |= 1u << TIMER;
    if (p->rules == ARCHIMEDEAN_PROVEN && !p->hasten)
        owe(s, p, &freed, out);
    else
        send_to(s, p, me, ARCHIMEDEAN_POS, &freed, out);
}

/* "Wait until ppr = nnr", of the print; all refusals withdrawn; everybody's
 * consent. */
static inline bool may_enter(const struct archimedean *s,
                             const struct archimedean_params *p,
                             const struct fc_member *me)
{
    struct fc_set asked;

    switch (p->rules) {
    case ARCHIMEDEAN_PRINTED:
        return s->ppr == s->nnr;
    case ARCHIMEDEAN_REPAIRED:
        return fc_set_within(&s->neg, &s->pos);
    default:
        fill_asked(s, p, me, &asked);
        return fc_set_within(&asked, &s->pos);
    }
}

/* Whether every silence has been explained (proven). */
static inline bool all_named(const struct archimedean *s,
                             const struct archimedean_params *p,
                             const struct fc_member *me)
{
    struct fc_set rest;

    fill_asked(s, p, me, &rest);
    take_away(&rest, &s->pos);
    return fc_set_within(&rest, &s->neg);
}

static inline void begin_wait(struct archimedean *s,
                              const struct archimedean_params *p,
                              struct archimedean_out *out)
{
    change_mode(s, ARCHIMEDEAN_WAIT, out);
    arm(out, TIMER,
        p->giveup_steps != FC_NEVER ? p->giveup_steps : p->poll_steps);
}

/* Rule 7; with proven silence there is no window to wait for. */
static inline void settle(struct archimedean *s,
                          const struct archimedean_params *p,
                          const struct fc_member *me,
                          struct archimedean_out *out)
{
    bool proven = p->rules == ARCHIMEDEAN_PROVEN;

    if (!waits(s) || (s->mode == ARCHIMEDEAN_WINDOW && !proven))
        return;
    if (may_enter(s, p, me))
        enter(s, p, out);
    else if (s->mode == ARCHIMEDEAN_WINDOW && all_named(s, p, me))
        begin_wait(s, p, out);
}

#endif
