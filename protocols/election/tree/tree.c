/*
 * tree.c - election on a tree by saturation, the least name leads.
 *
 * A node that starts wakes the whole tree.  A leaf reports its name to its only
 * neighbour; a node that has heard from all neighbours except one reports the
 * least name it knows to that one.  So the reports close in from the leaves,
 * and exactly two neighbours report to each other: both know the least name of
 * all, and tell the others.  With k nodes that start spontaneously: 3N+k-4
 * messages, for every tree.
 *
 * Assumes a tree, distinct names, reliable links in both directions; any order
 * of messages, no timing at all.  Nobody knows how many there are.  A node has
 * at most TREE_PORTS_MAX links.
 *
 * From: the tree algorithm that the summary of lecture 22 names, as in G. Tel,
 * Introduction to Distributed Algorithms (2000), and, as full saturation, in
 * N. Santoro, Design and Analysis of Distributed Algorithms (2007).
 */
#include "protocols/election/tree/tree.h"

#include "core/network.h"

#define TURN      tree
#define TURN_ROLE status
#include "core/turn.inc"

enum {
    ASLEEP = TREE_ASLEEP,
    AWAKE = TREE_AWAKE,
    SENT = TREE_SENT,
    DONE = TREE_DONE,
    LEADER = TREE_LEADER,
    WAKEUP = TREE_WAKEUP,
    REPORT = TREE_REPORT,
    ELECTED = TREE_ELECTED,
};

static inline uint64_t all_links(const struct fc_joint *me)
{
    return me->ports == TREE_PORTS_MAX ? UINT64_MAX
                                       : (UINT64_C(1) << me->ports) - 1;
}

/* The links by which no report came: one, once its own report went there. */
static inline uint64_t unheard(const struct tree *s, const struct fc_joint *me)
{
    return all_links(me) & ~s->heard;
}

static inline bool at_most_one(uint64_t links)
{
    return (links & (links - 1)) == 0;
}

static inline void send_links(struct turn *t, uint64_t links, msg m)
{
    send_set(t, &(struct fc_set){.word = {links}}, m);
}

/* TR-3, TR-4: all names are in.  Those behind the link that the report took
 * know, or hear it from there. */
static inline void decide(struct turn *t)
{
    become(t, t->s->least == t->me->name ? LEADER : DONE);
    send_links(t, t->s->heard, fc_word(ELECTED, t->s->least));
}

/* TR-2: one neighbour is left: the least name of this side is for it. */
static inline void report_last(struct turn *t)
{
    uint64_t left = unheard(t->s, t->me);

    if (t->s->status != AWAKE || !at_most_one(left))
        return;
    if (left == 0) { /* it has no neighbours at all */
        decide(t);
        return;
    }
    t->s->status = SENT;
    send_to(t, (uint16_t)__builtin_ctzll(left), fc_word(REPORT, t->s->least));
}

/* TR-1: the wave that wakes everybody; the links in `awake` do not need it, but
 * may be told as well. */
static inline void wake(struct turn *t, uint64_t awake)
{
    uint64_t others = t->p->wakeup == TREE_ALL ? 0 : awake;

    become(t, AWAKE);
    t->s->least = t->me->name;
    send_links(t, all_links(t->me) & ~others, fc_word(WAKEUP, FC_NOBODY));
    report_last(t);
}

static inline void on_start(struct turn *t)
{
    if (t->s->status != ASLEEP)
        return;
    obeyed(t);
    wake(t, 0);
}

static inline void on_report(struct turn *t, uint64_t from)
{
    fc_name name = fc_word_name(*t->m);

    if (t->s->status == ASLEEP)
        wake(t, from); /* TR-1: it overtook the wake-up before it */
    if (t->s->status > SENT) {
        drop(t);
        return;
    }
    if (name < t->s->least) {
        t->s->least = name;
        seen(t);
    }
    if (t->s->status == SENT) {
        decide(t); /* TR-3: by the link that its own report took */
        return;
    }
    t->s->heard |= from;
    report_last(t);
}

/* TR-4: noted, and passed on by all links except the one it came by. */
static inline void on_elected(struct turn *t)
{
    if (t->s->status != SENT) {
        drop(t);
        return;
    }
    t->s->least = fc_word_name(*t->m);
    decide(t);
}

static inline void on_message(struct turn *t)
{
    uint64_t from = UINT64_C(1) << t->event->port;

    switch (fc_word_kind(*t->m)) {
    case WAKEUP:
        if (t->s->status == ASLEEP)
            wake(t, from);
        break;
    case REPORT:
        on_report(t, from);
        break;
    default:
        on_elected(t);
        break;
    }
}

FC_STEP(tree)
{
    if (t->event->kind == FC_COMMAND)
        on_start(t);
    else if (t->event->kind == FC_MESSAGE)
        on_message(t);
}

FC_VIEW(tree)
{
    bool told = s->status == DONE || s->status == LEADER;
    uint8_t role = s->least == me->name ? ELECTION_CANDIDATE : ELECTION_LOST;

    if (s->status == ASLEEP)
        role = ELECTION_ASLEEP;
    else if (told)
        role = s->status == LEADER ? ELECTION_LEADER : ELECTION_DONE;
    *view = (struct election_view){
        .leader = told ? s->least : FC_NOBODY,
        .role = role,
    };
}

FC_INVARIANT(tree)
{
    uint64_t left = unheard(s, me);

    if (s->status > LEADER)
        return "the status is in range";
    if (s->heard & ~all_links(me))
        return "reports come by links";
    if (s->status == ASLEEP ? s->heard != 0 || s->least != FC_NOBODY
                            : s->least == FC_NOBODY)
        return "a node knows no name exactly while it sleeps, and a sleeper "
               "has heard nothing";
    if ((s->status == AWAKE || s->status == SENT) && s->least > me->name)
        return "no node reports a name above its own";
    if (s->status == AWAKE && at_most_one(left))
        return "a node that is awake and has not reported waits for two or "
               "more";
    if (s->status >= SENT && (!at_most_one(left) || (!left && me->ports)))
        return "a node that has reported waits, or has waited, for one";
    if (s->status >= DONE && (s->status == LEADER) != (s->least == me->name))
        return "exactly the leader names itself as leader";
    return NULL;
}

FC_STATE_FIELDS(tree) = {
    FIELD(LINKS, heard),
    FIELD(NAME, least),
    FIELD_WORD(status, "asleep", "awake", "sent", "done", "leader"),
};

FC_WORD_MESSAGES(tree, TREE_KINDS, 1u << REPORT | 1u << ELECTED)

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [WAKEUP] = {"wakeup", "wake-up", FC_CALLS},
    [REPORT] = {"report", "least", FC_CLAIMS},
    [ELECTED] = {"elected", "elected", FC_TELLS},
};

static const struct fc_param params[] = {
    {"wakeup", FC_PARAM_CHOICE, AT(wakeup), "others", "others|all",
     "whom a woken node wakes: all except the node that woke it, or (Tel) all"},
};

/* Each node sends one report; each link except that between the two that
 * reported to each other carries elected once; wake-ups go by every link in
 * both directions, or by one less for every node that was woken. */
FC_COSTS(tree)
{
    const struct tree_params *p = params_in;
    double n = (double)w->nodes, k = (double)w->initiators;

    if (w->nodes < 2 || k < 1)
        return 0;
    if (p->wakeup == TREE_ALL)
        out[0] = (struct fc_claim){FC_COST_MESSAGES, FC_EXACTLY, 4 * n - 4,
                                   "4N - 4"};
    else if (w->initiators == 1)
        out[0] = (struct fc_claim){FC_COST_MESSAGES, FC_EXACTLY, 3 * n - 3,
                                   "3N - 3"};
    else /* some of the k may be woken before they start */
        out[0] = (struct fc_claim){FC_COST_MESSAGES, FC_AT_MOST, 3 * n + k - 4,
                                   "3N + k - 4"};
    return 1;
}

/* ---- The whole network --------------------------------------------------- */

static uint32_t links_of(const struct fc_network *all, uint32_t node)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < all->nodes; i++)
        count += all->link(all, node, i) != FC_EVERYONE;
    return count;
}

/* The link by which a node reported, or FC_EVERYONE. */
static uint32_t reported_by(const struct fc_network *all, uint32_t node)
{
    const struct tree *s = FC_STATE(tree, all, node);
    struct fc_joint me = {.ports = links_of(all, node)};
    uint64_t left = unheard(s, &me);

    return s->status < SENT || !left ? FC_EVERYONE
                                     : (uint32_t)__builtin_ctzll(left);
}

/* Of each report, from the moment it is sent: it is under way, was heard, or
 * met the reader's own, which then knew all names. */
FC_PREDICATE(tree, reports)
{
    for (uint32_t i = 0; i < all->nodes; i++)
        for (uint32_t j = 0; j < all->nodes; j++) {
            uint32_t there = all->link(all, i, j), back = all->link(all, j, i);
            const struct tree *s = FC_STATE(tree, all, j);
            uint32_t count = 0;

            if (there == FC_EVERYONE)
                continue;
            for (uint32_t k = 0; k < all->flying_count; k++)
                count += all->flying[k].from == i && all->flying[k].to == j &&
                         fc_word_kind(*FC_FLYING(tree, all, k)) == REPORT;
            count += (uint32_t)(s->heard >> back & 1);
            count += s->status >= DONE && reported_by(all, j) == back &&
                     reported_by(all, i) == there;
            if (count != (reported_by(all, i) == there))
                return false;
        }
    return true;
}

FC_UNUSED static const struct fc_predicate predicates[] = {
    {"reports",
     "the report of a node is under way, was heard, or met that of its reader",
     tree_reports, NULL},
};

const struct fc_protocol tree_protocol = {
    .name = "tree",
    .title = "Tree algorithm (saturation): least name",
    .idea = "Reports close in from the leaves until two neighbours report to "
            "each other: they know the least name of all.",
    .assumes = "a tree, at most 64 links a node, distinct names, any order of "
               "messages; N unknown; any timing",
    .source = "lecture 22, summary; G. Tel 2000; N. Santoro 2007",
    FC_ENTRY(tree, kinds),
    FC_PREDICATES(predicates),
    FC_TERMS(tree, .winner = ELECTION_LEAST),
    FC_PARAMS(params),
    .horizon = election_pipeline_horizon,
    FC_COSTS_OF(tree),
};

#endif
