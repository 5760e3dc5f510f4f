/*
 * echo.c - election on a tree by waves of which the least survives.
 *
 * A node that starts sends a wave with its name to all neighbours.  A wave runs
 * out to the leaves and comes back as an echo; a node takes part only in the
 * wave with the least name it has seen.  So one wave comes back from
 * everywhere, and its starter, the least initiator, leads.
 *
 * Assumes a tree, distinct names, reliable links in any order.
 *
 * After the echo algorithm with extinction (E. J. H. Chang 1982), for
 * docs/tutorial/tree.md; EC-1 to EC-6 are its rules.
 */
#include "protocols/election/echo/echo.h"

#define TURN      echo
#define TURN_ROLE status
#include "core/turn.inc"

enum {
    ASLEEP = ECHO_ASLEEP,
    AWAKE = ECHO_AWAKE,
    LEADER = ECHO_LEADER,
    DONE = ECHO_DONE,
    WAVE = ECHO_WAVE,
    ELECTED = ECHO_ELECTED,
};

static inline uint64_t bit(uint32_t link)
{
    return UINT64_C(1) << link;
}

static inline uint64_t all_links(const struct fc_joint *me)
{
    return me->ports == 64 ? UINT64_MAX : bit(me->ports) - 1;
}

static inline void send_links(struct turn *t, uint64_t links, msg m)
{
    send_set(t, &(struct fc_set){.word = {links}}, m);
}

/* EC-4, EC-5: once the wave has come by all links, the echo goes to the parent;
 * the node whose own wave it is leads. */
static inline void when_all_heard(struct turn *t)
{
    struct echo *s = t->s;

    if (s->heard != all_links(t->me))
        return;
    if (s->parent) {
        send_to(t, (uint16_t)(s->parent - 1), fc_word(WAVE, s->wave));
    } else {
        become(t, LEADER);
        send_links(t, all_links(t->me), fc_word(ELECTED, s->wave));
    }
}

/* EC-1, EC-2: takes part in a wave, and sends it out by the other links. */
static inline void join(struct turn *t, fc_name wave, uint64_t from)
{
    t->s->wave = wave;
    t->s->heard = from;
    t->s->parent = from ? (uint8_t)(t->event->port + 1) : 0;
    become(t, AWAKE);
    send_links(t, all_links(t->me) & ~from, fc_word(WAVE, wave));
    when_all_heard(t);
}

static inline void on_start(struct turn *t)
{
    if (t->s->status != ASLEEP)
        return;
    obeyed(t);
    join(t, t->me->name, 0);
}

static inline void on_wave(struct turn *t, uint64_t from)
{
    fc_name wave = fc_word_name(*t->m);
    uint8_t status = t->s->status;

    if (status == ASLEEP || (status == AWAKE && wave < t->s->wave)) {
        join(t, wave, from);
    } else if (status != AWAKE || wave != t->s->wave || t->s->heard & from) {
        drop(t); /* EC-3: it cannot win, or is a copy */
    } else {
        t->s->heard |= from;
        when_all_heard(t);
    }
}

/* EC-6: noted, and passed on away from the leader. */
static inline void on_elected(struct turn *t, uint64_t from)
{
    if (t->s->status != AWAKE)
        return;
    t->s->wave = fc_word_name(*t->m);
    become(t, DONE);
    send_links(t, all_links(t->me) & ~from, *t->m);
}

FC_STEP(echo)
{
    uint64_t from = bit(t->event->port % 64u);

    if (t->event->kind == FC_COMMAND)
        on_start(t);
    else if (t->event->kind == FC_MESSAGE && fc_word_kind(*t->m) == WAVE)
        on_wave(t, from);
    else if (t->event->kind == FC_MESSAGE)
        on_elected(t, from);
}

FC_VIEW(echo)
{
    bool own = s->wave == me->name;

    election_view_of(view,
                     s->status == ASLEEP   ? ELECTION_ASLEEP
                     : s->status == LEADER ? ELECTION_LEADER
                     : own                 ? ELECTION_CANDIDATE
                                           : ELECTION_LOST,
                     s->status >= LEADER, s->wave);
}

FC_INVARIANT(echo)
{
    if (s->status > DONE)
        return "the status is in range";
    if ((s->status == ASLEEP) != (s->wave == FC_NOBODY))
        return "a node has seen no wave exactly while it sleeps";
    if (s->parent > me->ports || s->heard & ~all_links(me))
        return "waves come by links";
    if (s->status == LEADER && s->wave != me->name)
        return "the leader's wave is its own";
    return NULL;
}

FC_STATE_FIELDS(echo) = {
    FIELD(LINKS, heard),
    FIELD(NAME, wave),
    FIELD(NUMBER, parent),
    FIELD_WORD(status, "asleep", "awake", "leader", "done"),
};

FC_WORD_MESSAGES(echo, ECHO_KINDS, 1u << WAVE | 1u << ELECTED)

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [WAVE] = {"wave", "wave", FC_CLAIMS},
    [ELECTED] = {"elected", "elected", FC_TELLS},
};

/* A wave takes every link at most twice, the news once. */
FC_COSTS(echo)
{
    double links = (double)w->nodes - 1, k = (double)w->initiators;

    out[0] = (struct fc_claim){FC_COST_MESSAGES, FC_AT_MOST,
                               2 * k * links + links, "(2k + 1)(N - 1)"};
    if (w->initiators == 1)
        out[0].relation = FC_EXACTLY;
    return 1;
}

const struct fc_protocol echo_protocol = {
    .name = "echo",
    .title = "tutorial: waves and echoes on a tree, least initiator",
    .idea = "A wave runs out to the leaves and back; the least name survives.",
    .assumes = "a tree, distinct names, any order of messages; N unknown; any "
               "timing",
    .source = "docs/tutorial/tree.md",
    FC_ENTRY(echo, kinds),
    FC_TERMS(echo, .winner = ELECTION_LEAST_INITIATOR),
    .horizon = election_pipeline_horizon,
    FC_COSTS_OF(echo),
};

#endif
