/*
 * 10.c - baton, tolerating copies of messages: a solution of exercise 10.
 *
 * The site that has the baton may enter.  The registrar, site 0, knows only the
 * last in line, and every site only the one after it: a site that asks is
 * announced by the registrar to the one that was last before, and gets the
 * baton from there.  An unused baton stays where it is, and its site enters
 * without a message.
 *
 * A copy is told from the first by a number.  A site counts its requests, and
 * the registrar remembers the last of each; who comes next is told to a site
 * once for each of its requests; and the number of entries on the baton has
 * grown whenever it comes back.
 *
 * Assumes links in any order that lose nothing; sites that do not crash.
 *
 * After docs/tutorial/mutex.md; BA-1 to BA-5 are its rules.
 */
#include "protocols/mutex/baton/baton.h"

#define TURN baton
#include "core/turn.inc"

enum { REGISTRAR = 0 };
enum { ASK = BATON_ASK, NEXT = BATON_NEXT, BATON = BATON_BATON };

/* Site 0 has the baton in its zero state, the others do not. */
static inline bool is_here(const struct baton *s, const struct fc_member *me)
{
    return s->moved != (me->index == REGISTRAR);
}

static inline void enter(struct turn *t)
{
    t->s->number++;
    become(t, MUTEX_INSIDE);
}

/* The baton goes to the next in line, if it is here and unused. */
static inline void hand_over(struct turn *t)
{
    struct baton *s = t->s;

    if (!is_here(s, t->me) || s->role == MUTEX_INSIDE || s->next == 0)
        return;
    send_to(t, (uint16_t)(s->next - 1),
            (msg){.kind = BATON, .number = s->number});
    s->handed = s->number;
    s->number = 0;
    s->next = 0;
    s->moved = !s->moved;
}

/* BA-3: it comes after this site, and gets the baton at once or later. */
static inline void on_next(struct turn *t, uint16_t site)
{
    t->s->next = (uint16_t)(site + 1);
    t->s->told = t->s->asked + 1;
    hand_over(t);
}

/* BA-2: the registrar tells the last in line who comes after it. */
static inline void on_ask(struct turn *t, uint16_t from, uint64_t number)
{
    uint16_t last = t->s->last;
    uint64_t request = t->s->asks[last];

    t->s->last = from;
    t->s->asks[from] = number;
    if (last == REGISTRAR)
        on_next(t, from);
    else
        send_to(t, last, (msg){.kind = NEXT, .number = request, .site = from});
}

/* BA-1: enter if the baton is here; otherwise ask the registrar, which asks
 * itself without a message. */
static inline void on_want(struct turn *t)
{
    if (t->s->role != MUTEX_IDLE)
        return;
    obeyed(t);
    if (is_here(t->s, t->me)) {
        enter(t);
        return;
    }
    become(t, MUTEX_WAITS);
    t->s->asked++;
    if (t->me->index == REGISTRAR)
        on_ask(t, REGISTRAR, t->s->asked);
    else
        send_to(t, REGISTRAR, (msg){.kind = ASK, .number = t->s->asked});
}

/* BA-4: enter. */
static inline void on_baton(struct turn *t)
{
    t->s->number = t->m->number;
    t->s->moved = !t->s->moved;
    enter(t);
}

/* BA-5: leave, and hand the baton over. */
static inline void on_leave(struct turn *t)
{
    if (t->s->role != MUTEX_INSIDE)
        return;
    obeyed(t);
    become(t, MUTEX_IDLE);
    hand_over(t);
}

static inline bool is_new(const struct turn *t)
{
    const struct baton *s = t->s;
    const msg *m = t->m;

    switch (m->kind) {
    case ASK:
        return t->me->index == REGISTRAR && m->number > s->asks[t->event->port];
    case NEXT:
        return m->number == s->asked && s->told <= s->asked &&
               m->site != t->me->index;
    default:
        return s->role == MUTEX_WAITS && m->number >= s->handed;
    }
}

/* Copies are dropped, and what no site of a sound network sends. */
static inline void on_message(struct turn *t)
{
    const msg *m = t->m;

    if (!is_new(t))
        drop(t);
    else if (m->kind == ASK)
        on_ask(t, t->event->port, m->number);
    else if (m->kind == NEXT)
        on_next(t, m->site);
    else
        on_baton(t);
}

FC_STEP(baton)
{
    if (t->event->kind == FC_MESSAGE)
        on_message(t);
    else if (t->event->kind == FC_COMMAND)
        t->event->command == MUTEX_LEAVE ? on_leave(t) : on_want(t);
}

FC_VIEW(baton)
{
    *view = mutex_seen(s->role, s->number, 0);
}

FC_INVARIANT(baton)
{
    bool here = is_here(s, me);

    if (!mutex_role_is(s->role, MUTEX_IDLE, MUTEX_WAITS, MUTEX_INSIDE))
        return "a site is idle, waits, or is inside";
    if (s->role != MUTEX_IDLE && here != (s->role == MUTEX_INSIDE))
        return "a site that wants in is inside exactly if the baton is here";
    if (!here && s->number)
        return "a site counts entries only while the baton is here";
    if (s->next && s->next - 1u == me->index)
        return "no site comes after itself";
    return NULL;
}

FC_STATE_FIELDS(baton) = {
    FIELD(NUMBER, number), FIELD(NUMBER, handed),         FIELD(NUMBER, asked),
    FIELD(NUMBER, told),   FIELD_EACH(NUMBER, asks),      FIELD(MAYBE, next),
    FIELD(NODE, last),     FIELD_WORD(role, MUTEX_ROLES), FIELD(YES, moved),
};

FC_STAMP_MESSAGES(baton, BATON_KINDS, 1u << ASK | 1u << NEXT | 1u << BATON, 0,
                  1u << NEXT)

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [ASK] = {"ask", "ask", FC_ASKS},
    [NEXT] = {"next", "next", FC_TELLS},
    [BATON] = {"baton", "baton", FC_TOKEN},
};

/* Ask, next and baton; nothing if the baton is here already. */
static uint32_t claims(const void *params, const struct fc_world *world,
                       struct fc_claim out[FC_CLAIMS_MAX])
{
    (void)params;
    (void)world;
    out[0] = (struct fc_claim){FC_COST_PER_ENTRY, FC_MEAN_AT_MOST, 3, "3"};
    return 1;
}

const struct fc_protocol baton_protocol = {
    .name = "baton",
    .title = "exercise 10: a queue that nobody knows whole",
    .idea = "The registrar knows the last in line, every site the next one.",
    .assumes = "links in any order that lose nothing; no crashes, no bounds",
    .survives = "any delay, copies; no crash",
    .bears = FC_BEARS_DELAY | FC_BEARS_PAUSES | FC_BEARS_COPIES,
    .source = "docs/exercises/README.md",
    FC_ENTRY(baton, kinds),
    .prepare = mutex_fits,
    .horizon = mutex_horizon,
    .claims = claims,
};

#endif
