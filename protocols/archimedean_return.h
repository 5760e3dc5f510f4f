/*
 * archimedean_return.h - how a site of archimedean.c, which includes it, comes
 * back after a crash, and what it says to those who do: rules 10 and 11.
 */
#ifndef ARCHIMEDEAN_RETURN_H
#define ARCHIMEDEAN_RETURN_H

#include "protocols/archimedean_acts.h"

static inline bool comes_back(const struct archimedean *s)
{
    return s->mode == ARCHIMEDEAN_MUTE || s->mode == ARCHIMEDEAN_HELLO;
}

/* Rule 11.  With proven silence a hello is no consent: (1) we come back and say
 * hello twice; (2) the first is answered, and we ask; (3) a peer asks after us
 * and is refused; (4) it reads the second hello. */
static inline void on_hello(struct archimedean *s,
                            const struct archimedean_params *p,
                            const struct fc_member *me, uint32_t from,
                            const struct archimedean_msg *m,
                            struct archimedean_out *out)
{
    bool proven = p->rules == ARCHIMEDEAN_PROVEN;
    bool ahead = competes(s) && less(p, me->nodes, s->hsn, s->osn);

    if (p->restart == ARCHIMEDEAN_INFORMED) {
        see(s, p, me, m->number);
        if (comes_back(s)) {
            fc_set_add(&s->pos, from); /* it has told all that it knows */
            return;
        }
    }
    if (!proven && s->mode == ARCHIMEDEAN_MUTE) {
        out->fx.notes |= FC_NOTE_DIES;
        return;
    }
    send(out, from,
         (struct archimedean_msg){.kind = ARCHIMEDEAN_HREP,
                                  .number = ahead ? s->osn : s->hsn,
                                  .epoch = m->epoch});
    if (!proven || s->tag[from].epoch != m->epoch) {
        forget_tag(s, from);
        fc_set_remove(&s->deferred, from);
        fc_set_remove(&s->owed, from);
    }
    if (!proven && waits(s)) {
        fc_set_add(&s->pos, from);
        settle(s, p, me, out);
    }
}

static inline void take_part(struct archimedean *s, struct archimedean_out *out)
{
    fc_set_clear(&s->pos);
    change_mode(s, ARCHIMEDEAN_IDLE, out);
    out->fx.disarm |= 1u << TIMER;
}

/* Rule 10, from hello on; with proven silence, to those who have not yet
 * replied. */
static inline void say_hello(struct archimedean *s,
                             const struct archimedean_params *p,
                             const struct fc_member *me,
                             struct archimedean_out *out)
{
    struct fc_set others;

    fc_set_others(&others, me->nodes, me->index);
    if (p->rules == ARCHIMEDEAN_PROVEN)
        take_away(&others, &s->pos);
    change_mode(s, ARCHIMEDEAN_HELLO, out);
    if (p->rules == ARCHIMEDEAN_PROVEN && fc_set_empty(&others))
        take_part(s, out);
    else
        send_to(s, p, me, ARCHIMEDEAN_HELLO_MSG, &others, out);
}

static inline void on_hello_reply(struct archimedean *s,
                                  const struct archimedean_params *p,
                                  const struct fc_member *me, uint32_t from,
                                  const struct archimedean_msg *m,
                                  struct archimedean_out *out)
{
    struct fc_set others;

    if (s->mode != ARCHIMEDEAN_HELLO || m->epoch != s->epoch) {
        out->fx.notes |= FC_NOTE_DIES;
        return;
    }
    see(s, p, me, m->number);
    fc_set_others(&others, me->nodes, me->index);
    if (p->restart == ARCHIMEDEAN_INFORMED)
        s->pos = others; /* who takes part knows as much as all together */
    if (p->rules != ARCHIMEDEAN_PROVEN)
        return;
    fc_set_add(&s->pos, from);
    if (fc_set_within(&others, &s->pos))
        take_part(s, out);
}

/* Nobody knows a greater number than all together do, or than one who took part
 * all the time; informed, a site waits for them. */
static inline void on_greeted(struct archimedean *s,
                              const struct archimedean_params *p,
                              const struct fc_member *me,
                              struct archimedean_out *out)
{
    struct fc_set others;

    fc_set_others(&others, me->nodes, me->index);
    if (p->rules == ARCHIMEDEAN_PROVEN || (p->restart == ARCHIMEDEAN_INFORMED &&
                                           !fc_set_within(&others, &s->pos)))
        say_hello(s, p, me, out);
    else
        take_part(s, out);
}

/*
 * A site that was away may have missed requests, and its silence was consent:
 * whether it lost its memory or not, it must learn hsn anew.  With proven
 * silence it has consented to nothing that it does not remember; if it
 * remembers nothing, it draws an epoch to tell its life from an earlier one.
 */
static inline void on_boot(struct archimedean *s,
                           const struct archimedean_params *p,
                           const struct fc_member *me,
                           struct archimedean_out *out)
{
    struct archimedean was = *s;
    bool blank = was.hsn == 0 && was.epoch == 0;
    bool greets = was.mode == ARCHIMEDEAN_HELLO;

    *s = (struct archimedean){
        .record = was.record, .hsn = was.hsn, .epoch = was.epoch};
    if (p->reserves)
        see(s, p, me, s->record.floor);
    out->fx.notes |= FC_NOTE_VIEW;
    if (p->restart == ARCHIMEDEAN_GOES_ON)
        return;
    if (p->rules != ARCHIMEDEAN_PROVEN) {
        change_mode(s, ARCHIMEDEAN_MUTE, out);
        arm(out, TIMER, p->mute_steps);
    } else if (blank) {
        change_mode(s, ARCHIMEDEAN_MUTE, out);
        s->drawing = 1;
        out->fx.choose = p->epochs;
    } else if (greets) {
        say_hello(s, p, me, out);
    }
}

#endif
