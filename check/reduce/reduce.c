/*
 * reduce.c - partial-order reduction: of moves that do not depend on each
 * other, one order is enough (see docs/check-inside.md).
 *
 * Each move is made by one node.  It changes that node's local state, takes
 * from a link to it and puts messages at the ends of links from it.  So moves
 * of different nodes commute; a move of one can at most give another something
 * new to do, by a message.  The search is for a smallest set of nodes such that
 * what all others do, however long, neither gives the nodes of the set anything
 * new to do nor takes anything from them.  Then each run in which some node of
 * the set moves eventually can be reordered, by swapping it with moves of
 * others, into a run in which it moves first; and it is enough to try the moves
 * of the set.
 *
 * With time.  What is sent is read at a later tick, so at one tick no node has
 * any influence on another; and no tick comes before all have done what they
 * must.  So each node that must do something now is such a set.
 *
 * Without time.  A node that will start does nothing before.  Any other has
 * something new to do when a message comes on a link that was empty; or on any
 * link, where messages may overtake.  So with a node its neighbours on these
 * links are in the set, unless they are down for good, or never send on that
 * link.  The latter cannot be known before the search is over: it is assumed of
 * all links on which there was no message so far, and if there is one after
 * all, the search is done once more, with what is known then.  (That the last
 * search is right: take the shortest run that uses a link unknown to it.  Up to
 * its last move all was as assumed, so that with some moves swapped it is one
 * of the runs that were tried; and the link would be known.)
 *
 * What else must hold, so that nothing is lost:
 *
 *  - Some node of the set must do something: then every run that comes to an
 *    end has a move of the set in it, and all ends are found.
 *  - No move of the set may be seen by a property, so that in a run with moves
 *    swapped the same is seen in the same order.  Of a mutual exclusion they
 *    see the nodes inside, of an election the leaders, and the node that others
 *    take for the leader.  The states of applications (idle, waiting, inside)
 *    are seen too if cycles are looked for: these ask whether a node waits for
 *    ever.  Everything that is judged at an end is in the state.
 *  - A crash need not count as seen, although a node that is down is no longer
 *    inside: moved forward it changes nothing of what comes after both, and
 *    what came before it in the other order is broken without it as well.  A
 *    return does count.
 *  - A copied message goes to the end of its link, as do those that are sent:
 *    these do not commute.  While there may be a copy, all is tried.
 *  - One of these moves must lead further down than where it comes from, or all
 *    are tried (explore.c): otherwise the set could be put before the others
 *    for ever.  From any state one can go down over such moves, and that comes
 *    to an end only where all is tried or where the move wanted is in the set.
 *    It must not be a crash, pause, loss or delay, because their number is
 *    limited, and one that others may need later must not be spent before.
 *    (They depend on each other in no other way: where a run has two of them,
 *    it may have them in either order.)
 */
#include "check/reduce/reduce.h"

#include "check/model/step.h"
#include "check/model/symmetry.h"

struct reducing {
    struct check_model *model;
    const struct check_spread *base;
    const struct check_nexts *nexts;
    uint32_t moves[CHECK_NODES_MAX]; /* successors by each node */
    uint32_t needs[CHECK_NODES_MAX]; /* nodes that could give it more to do */
    uint32_t seen;                   /* nodes whose moves can be seen */
    uint32_t urged;                  /* nodes that must do something */
};

const char *check_irreducible(const struct check_setup *setup)
{
    const struct net_type *type = net_type_of(&setup->net);

    if (type->counts_flying)
        return "its property counts messages in flight, and each move of one "
               "is seen";
    if (setup->net.predicates)
        return "a predicate over the whole network sees every move; leave them "
               "out with --only";
    if (net_asked(&setup->net))
        return "a property that was typed sees every move";
    if (type->protocol->cells)
        return "its nodes share memory, and what one does is seen by all";
    if (setup->notice)
        return "after the notice of a crash there is no other crash: the two "
               "do not commute";
    if (setup->cuts)
        return "a cut comes between what all nodes do";
    return NULL;
}

void check_reducer_begin(struct check_reducer *r, const struct check_model *m)
{
    enum fc_topology topology = m->type->protocol->topology;

    memset(r, 0, sizeof *r);
    if (topology == FC_RING || topology == FC_RING_BOTH) /* all are used */
        memset(r->known, 0xff, sizeof r->known);
}

bool check_reducer_again(struct check_reducer *r)
{
    bool again = false;

    for (uint32_t i = 0; i < CHECK_LINK_WORDS; i++) {
        again |= (r->met[i] & ~r->known[i]) != 0;
        r->known[i] |= r->met[i];
        r->met[i] = 0;
    }
    if (again)
        r->partly = 0;
    return again;
}

/* ---- What can be seen ---------------------------------------------------- */

static bool is_seen(const struct reducing *r, const struct check_next *next)
{
    struct check_model *m = r->model;
    uint32_t node = next->move.node;
    const struct check_outcome *outcome;
    const struct check_info *a, *b;

    if (next->move.kind == CHECK_RESTART)
        return true;
    if (!next->seen || next->move.kind == CHECK_CRASH)
        return false;
    outcome = check_outcome_of(m, r->base, &next->move);
    if (!outcome)
        return true;
    a = check_info_of(m, node, r->base->id[m->local_at[node]]);
    b = check_info_of(m, node, outcome->local);
    return (m->setup->cycles && a->phase != b->phase) ||
           m->type->matters(check_bytes(&m->views, a->view, NULL),
                            check_bytes(&m->views, b->view, NULL));
}

/* ---- Nodes that depend on others ----------------------------------------- */

static bool is_gone(const struct reducing *r, uint32_t node)
{
    const struct check_model *m = r->model;
    const struct check_info *info =
        check_info_of(m, node, r->base->id[m->local_at[node]]);

    return (info->head.flags & CHECK_DOWN) &&
           m->setup->back == CHECK_RETURN_NEVER;
}

/* There is a message on a link: also note those that it may be renamed to. */
static void meet(const struct check_model *m, struct check_reducer *known,
                 uint32_t link)
{
    known->met[link / 64] |= UINT64_C(1) << link % 64;
    for (uint32_t i = 1; i < m->namings_count; i++) {
        uint32_t other = check_link_named(m, link, m->namings[i].to);

        known->met[other / 64] |= UINT64_C(1) << other % 64;
    }
}

/* Without time: what a node must do, and which nodes could give it more to
 * do. */
static void look_at_node(struct reducing *r, struct check_reducer *known,
                         uint32_t node)
{
    const struct check_model *m = r->model;
    const struct check_info *info =
        check_info_of(m, node, r->base->id[m->local_at[node]]);
    bool starts = (info->head.flags & CHECK_STARTS) != 0;
    bool urged = starts || info->armed; /* leaving is seen anyway */

    for (uint32_t l = m->first_in[node]; l < m->first_in[node + 1]; l++) {
        uint64_t bit = UINT64_C(1) << l % 64;
        bool empty = r->base->id[m->link_at[l]] == 0;

        urged |= !empty;
        if (!empty)
            meet(m, known, l);
        if (!starts && (empty || m->any_order) &&
            (known->known[l / 64] & bit) && !is_gone(r, m->links[l].from))
            r->needs[node] |= 1u << m->links[l].from;
    }
    if (urged)
        r->urged |= 1u << node;
}

static uint32_t close_set(const struct reducing *r, uint32_t node)
{
    uint32_t set = 1u << node, before;

    do {
        before = set;
        for (uint32_t left = set; left; left &= left - 1)
            set |= r->needs[__builtin_ctz(left)];
    } while (set != before);
    return set;
}

/* The set with the fewest moves, or 0. */
static uint32_t choose(const struct reducing *r)
{
    uint32_t best = 0, best_moves = r->nexts->count;

    for (uint32_t left = r->urged; left; left &= left - 1) {
        uint32_t set = close_set(r, (uint32_t)__builtin_ctz(left)), moves = 0;

        if (set & r->seen)
            continue;
        for (uint32_t in = set; in; in &= in - 1)
            moves += r->moves[__builtin_ctz(in)];
        if (moves > 0 && moves < best_moves) {
            best = set;
            best_moves = moves;
        }
    }
    return best;
}

/* Brings the moves of a set of nodes to the front; the order within stays. */
static uint32_t bring_forward(struct check_nexts *nexts, uint32_t set)
{
    struct check_next *list = nexts->list;
    uint32_t count = 0;

    for (uint32_t i = 0; i < nexts->count; i++) {
        struct check_next next = list[i];

        if (!(set >> next.move.node & 1))
            continue;
        memmove(&list[count + 1], &list[count], (i - count) * sizeof *list);
        list[count++] = next;
    }
    return count;
}

uint32_t check_reduce(struct check_model *m, struct check_reducer *known,
                      uint32_t state, struct check_nexts *nexts)
{
    struct check_spread base;
    struct reducing r = {.model = m, .base = &base, .nexts = nexts};
    uint32_t set;

    /* If time can advance, no node has to do anything. */
    if (nexts->count == 0 ||
        (m->timed && nexts->list[nexts->count - 1].move.kind == CHECK_TICK))
        return nexts->count;
    check_tree_load(&m->tree, state, &base);
    for (uint32_t i = 0; i < m->nodes; i++) {
        if (!m->timed)
            look_at_node(&r, known, i);
        else if (!check_lets_pass(m, &base, i))
            r.urged |= 1u << i;
    }
    if (m->budgeted && check_budget_of(m, base.id).copies)
        return nexts->count;
    for (uint32_t i = 0; i < nexts->count; i++) {
        uint32_t bit = 1u << nexts->list[i].move.node;

        r.moves[nexts->list[i].move.node]++;
        if (!(r.seen & bit) && is_seen(&r, &nexts->list[i]))
            r.seen |= bit;
    }
    set = choose(&r);
    return set ? bring_forward(nexts, set) : nexts->count;
}
