/*
 * ring_names.c - counting and naming with a leader, on a ring without names.
 *
 * What an anonymous network cannot do by itself it can do with one leader.  The
 * leader sends the number 1; every other node takes the number that it reads
 * for its name, and sends the next one.  The number that comes back to the
 * leader is the number of nodes, and its own name.  N messages.
 *
 * Assumes a unidirectional ring with exactly one leader, reliable links; N
 * unknown, any timing.
 *
 * From: the summary of lecture 22, which says that both can be done.
 */
#include "protocols/election/ring_names/ring_names.h"

#include "core/network.h"

#define TURN ring_names
#include "core/turn.inc"

enum { NUMBER = RING_NAMES_NUMBER };

/* RN-1: the leader sends 1; nobody else is asked to begin. */
static inline void on_start(struct turn *t)
{
    if (!t->me->marked || t->s->begun)
        return;
    obeyed(t);
    seen(t);
    t->s->begun = 1;
    send_on(t, fc_word(NUMBER, 1));
}

static inline void on_number(struct turn *t)
{
    fc_name number = fc_word_name(*t->m);
    bool back = t->me->marked;

    /* No rule asks for a second name. */
    if (t->s->name || (back && !t->s->begun) || number == FC_NAME_MAX) {
        drop(t);
        return;
    }
    t->s->name = number; /* RN-2, and RN-3: of the leader it is N */
    seen(t);
    if (!back)
        send_on(t, fc_word(NUMBER, number + 1));
}

FC_STEP(ring_names)
{
    if (t->event->kind == FC_COMMAND)
        on_start(t);
    else if (t->event->kind == FC_MESSAGE && fc_word_kind(*t->m) == NUMBER)
        on_number(t);
}

FC_VIEW(ring_names)
{
    bool told = s->begun || s->name;

    election_view_of(view,
                     s->begun  ? ELECTION_LEADER
                     : s->name ? ELECTION_DONE
                               : ELECTION_ASLEEP,
                     told, told ? ELECTION_SOMEBODY : FC_NOBODY);
    view->answer = s->name;
}

FC_INVARIANT(ring_names)
{
    if (s->begun > me->marked)
        return "only the leader begins";
    if (s->name > FC_NAME_MAX)
        return "the name is in range";
    if (me->marked && s->name && !s->begun)
        return "the leader has a name when its number is back";
    return NULL;
}

FC_STATE_FIELDS(ring_names) = {
    FIELD(NUMBER, name),
    FIELD(YES, begun),
};

FC_WORD_MESSAGES(ring_names, RING_NAMES_KINDS, 1u << NUMBER)

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [NUMBER] = {"number", "#", FC_TOKEN},
};

FC_COSTS(ring_names)
{
    out[0] = (struct fc_claim){FC_COST_MESSAGES, FC_EXACTLY, w->nodes, "N"};
    return 1;
}

/* ---- The whole network --------------------------------------------------- */

/* While the leader waits there is one number under way, and all below it have
 * been given. */
FC_PREDICATE(ring_names, one_number)
{
    uint32_t given = 0;
    bool waits = false;

    for (uint32_t i = 0; i < all->nodes; i++) {
        const struct ring_names *s = FC_STATE(ring_names, all, i);

        given += s->name != FC_NOBODY;
        waits |= s->begun && !s->name;
    }
    if (all->flying_count != waits)
        return false;
    return !waits || fc_word_name(*FC_FLYING(ring_names, all, 0)) == given + 1;
}

FC_UNUSED static const struct fc_predicate predicates[] = {
    {"one-number",
     "while the leader waits, one number is under way: the next after those "
     "that were given",
     ring_names_one_number, NULL},
};

const struct fc_protocol ring_names_protocol = {
    .name = "ring-names",
    .title = "counting and naming with a leader, on a ring",
    .idea = "The leader sends 1, every node keeps the number that it reads and "
            "sends the next; what comes back is how many there are.",
    .assumes = "one leader, no names, one direction; N unknown; any timing",
    .source = "lecture 22, summary",
    FC_ENTRY(ring_names, kinds),
    FC_PREDICATES(predicates),
    .anonymous = true,
    .marked = true,
    FC_TERMS(ring_names, .winner = ELECTION_ANYBODY, .answer = ELECTION_NAMED),
    .horizon = election_pipeline_horizon,
    FC_COSTS_OF(ring_names),
};

#endif
