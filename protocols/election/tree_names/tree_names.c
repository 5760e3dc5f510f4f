/*
 * tree_names.c - counting and naming with a leader, on a tree without names.
 *
 * A number goes through the tree as a hand along the wall of a maze.  The
 * leader sends 1.  A node that reads its first number takes it for its name and
 * sends the next one by its first other link; when a number comes back from
 * there, it goes on by the next link, and after the last to where the first
 * came from.  The number that comes back to the leader by its last link is the
 * number of nodes, and its own name.  Each link is taken twice: 2(N-1)
 * messages.
 *
 * Assumes a tree with exactly one leader, reliable links in both directions; N
 * unknown, any timing.
 *
 * From: the summary of lecture 22, which says that both can be done; the
 * traversal is in every textbook.
 */
#include "protocols/election/tree_names/tree_names.h"

#include "core/network.h"

#define TURN tree_names
#include "core/turn.inc"

enum { NUMBER = TREE_NAMES_NUMBER };

static inline bool is_parent(const struct turn *t, uint16_t link)
{
    return !t->me->marked && link == t->s->parent;
}

/* TN-3: by the next link; after the last, back to the parent.  The leader's
 * last is the end: the number is N. */
static inline void go_further(struct turn *t, fc_name number)
{
    struct tree_names *s = t->s;

    if (s->next < t->me->ports && is_parent(t, s->next))
        s->next++;
    s->begun = 1;
    if (s->next < t->me->ports)
        send_to(t, s->next++, fc_word(NUMBER, number));
    else if (!t->me->marked)
        send_to(t, s->parent, fc_word(NUMBER, number));
    else
        s->name = number;
    seen(t);
}

/* TN-1: the leader begins with 1; nobody else is asked to. */
static inline void on_start(struct turn *t)
{
    if (!t->me->marked || t->s->begun)
        return;
    obeyed(t);
    go_further(t, 1);
}

/* The link that it sent the number by last, and waits for. */
static inline bool is_awaited(const struct turn *t, uint16_t link)
{
    uint16_t last = t->s->next;

    if (last-- == 0)
        return false;
    if (is_parent(t, last)) {
        if (last == 0)
            return false;
        last--;
    }
    return link == last;
}

static inline void on_number(struct turn *t)
{
    fc_name number = fc_word_name(*t->m);
    struct tree_names *s = t->s;

    if (!t->me->marked && !s->name && number < FC_NAME_MAX) {
        s->name = number; /* TN-2 */
        s->parent = t->event->port;
        go_further(t, number + 1);
    } else if (s->begun && !(t->me->marked && s->name) &&
               number < FC_NAME_MAX && is_awaited(t, t->event->port)) {
        go_further(t, number); /* TN-3 */
    } else {
        drop(t); /* no rule sends it */
    }
}

FC_STEP(tree_names)
{
    if (t->event->kind == FC_COMMAND)
        on_start(t);
    else if (t->event->kind == FC_MESSAGE && fc_word_kind(*t->m) == NUMBER)
        on_number(t);
}

FC_VIEW(tree_names)
{
    *view = (struct election_view){
        .leader = s->begun ? ELECTION_SOMEBODY : FC_NOBODY,
        .answer = s->name,
        .role = !s->begun    ? ELECTION_ASLEEP
                : me->marked ? ELECTION_LEADER
                             : ELECTION_DONE,
    };
}

FC_INVARIANT(tree_names)
{
    if (s->begun > 1 || s->next > me->ports)
        return "flag and link are in range";
    if (s->name > FC_NAME_MAX)
        return "the name is in range";
    if (!s->begun && (s->name || s->next || s->parent))
        return "a node that has read no number knows nothing";
    if (me->marked ? s->parent != 0 : s->parent >= me->ports)
        return "a node except the leader has a parent";
    if (!me->marked && s->begun != (s->name != FC_NOBODY))
        return "a node except the leader sends numbers when it has a name";
    if (me->marked && s->name && s->next < me->ports)
        return "the leader has a name when its last link has been taken";
    return NULL;
}

FC_STATE_FIELDS(tree_names) = {
    FIELD(NUMBER, name),
    FIELD(LINK, parent),
    FIELD(NUMBER, next),
    FIELD(YES, begun),
};

FC_WORD_MESSAGES(tree_names, TREE_NAMES_KINDS, 1u << NUMBER)

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [NUMBER] = {"number", "#", FC_TOKEN},
};

FC_COSTS(tree_names)
{
    out[0] = (struct fc_claim){FC_COST_MESSAGES, FC_EXACTLY,
                               2.0 * (w->nodes - 1), "2(N-1)"};
    return 1;
}

/* ---- The whole network --------------------------------------------------- */

/* While the leader waits there is one number under way, and all below it have
 * been given. */
FC_PREDICATE(tree_names, one_number)
{
    uint32_t given = 0, begun = 0;
    bool over = false;

    for (uint32_t i = 0; i < all->nodes; i++) {
        const struct tree_names *s = FC_STATE(tree_names, all, i);

        given += s->name != FC_NOBODY;
        begun += s->begun;
    }
    over = given == begun; /* also before it has begun */
    if (all->flying_count != !over)
        return false;
    return over || fc_word_name(*FC_FLYING(tree_names, all, 0)) == given + 1;
}

FC_UNUSED static const struct fc_predicate predicates[] = {
    {"one-number",
     "while the leader waits, one number is under way: the next after those "
     "that were given",
     tree_names_one_number, NULL},
};

/* Twice along each link. */
static uint64_t horizon(const void *params_in, const struct fc_world *world)
{
    (void)params_in;
    return fc_times(fc_times(2, world->nodes), fc_hop(world));
}

const struct fc_protocol tree_names_protocol = {
    .name = "tree-names",
    .title = "counting and naming with a leader, on a tree",
    .idea = "A number goes through the whole tree and grows by one at each "
            "node, which keeps it; what comes back is how many there are.",
    .assumes = "one leader, no names, a tree; N unknown; any timing",
    .source = "lecture 22, summary",
    FC_ENTRY(tree_names, kinds),
    FC_PREDICATES(predicates),
    .anonymous = true,
    .marked = true,
    FC_TERMS(tree_names, .winner = ELECTION_ANYBODY, .answer = ELECTION_NAMED),
    .horizon = horizon,
    FC_COSTS_OF(tree_names),
};

#endif
