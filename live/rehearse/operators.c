/*
 * operators.c - people who change the list of a rehearsed cluster, or its
 * times, while it runs; each at some node, and without asking the others.
 *
 * They do as 'fulcrum cluster' lets them: an order is given where live_lists_
 * can_end() holds (R7), except that now and then it is given all the same, with
 * a node that does not exist: then nothing must begin.
 *
 * What is assumed is what R6a assumes: one machine at a time is lost for good,
 * or has lost its record, of those that are in a list or about to be.
 */
#include "live/rehearse/world.h"

#include <string.h>

enum { WAITING_MAX = 3 }; /* nodes that want to join */

/* What is wished. */
struct wish {
    struct live_lists_view now;
    live_node_set list;
    uint32_t next;
    uint64_t lease, tau;
    bool hasty; /* whether or not it can end */
};

static const char *name_of(const struct world *w, const struct machine *m)
{
    return w->config->nodes[m->id].name;
}

static live_node_set witnesses_of(const struct world *w, live_node_set list)
{
    live_node_set set = 0;

    for (uint32_t i = 0; i < w->nodes; i++)
        if (w->config->nodes[i].witness)
            set |= live_only(i);
    return set & list;
}

/* One of a set, which is not empty. */
static uint32_t one_of(struct world *w, live_node_set set)
{
    for (uint64_t skip = world_draw_below(w, live_size(set)); skip > 0; skip--)
        set &= set - 1;
    return live_least(set);
}

/* ---- Wishes -------------------------------------------------------------- */

/* Nodes that the operator could put into the list. */
static live_node_set guests(const struct world *w, const struct wish *wish)
{
    live_node_set set = 0;

    for (uint32_t i = wish->next; i < w->nodes; i++)
        if (w->machines[i].began)
            set |= live_only(i);
    return live_lists_up(&wish->now, set);
}

static bool admit(struct world *w, struct wish *wish)
{
    live_node_set set = guests(w, wish);
    uint32_t id;

    if (!set)
        return false;
    id = world_chance(w, 3, 4) ? live_least(set) : one_of(w, set);
    wish->list |= live_only(id);
    wish->next = id + 1;
    return true;
}

/* First a machine that is lost. */
static bool dismiss(struct world *w, struct wish *wish)
{
    live_node_set lost = wish->list & lists_troubled(w, 0);
    live_node_set rest = wish->list;

    if (live_size(rest) < 2 || (live_size(rest) < 3 && world_chance(w, 3, 4)))
        return false;
    rest &= ~live_only(one_of(w, lost ? lost : rest));
    if (!(rest & ~witnesses_of(w, rest)))
        return false;
    wish->list = rest;
    return true;
}

static bool retime(struct world *w, struct wish *wish)
{
    const uint64_t usual = w->setup->config->lease;
    const uint64_t leases[] = {usual, usual / 2, usual * 3 / 4, usual * 3 / 2};
    struct live_config wished = *w->setup->config;
    struct net_why why;

    wished.lease = wish->lease = leases[world_draw_below(w, 4)];
    wished.tau = wish->tau = w->setup->config->tau << world_draw_below(w, 2);
    return live_config_times_fit(&wished, &why);
}

/* A list of which too few nodes will ever be there: the change cannot end. */
static void dream(const struct world *w, struct wish *wish)
{
    while (live_size(wish->list) >= LISTS_GHOSTS)
        wish->list &= wish->list - 1;
    for (uint32_t i = 1; i <= LISTS_GHOSTS; i++)
        wish->list |= live_only(w->nodes - i);
    wish->next = w->nodes;
}

static bool think_out(struct world *w, struct wish *wish)
{
    if (wish->hasty) {
        dream(w, wish);
        return true;
    }
    switch (world_draw_below(w, 6)) {
    case 0:
    case 1:
        return admit(w, wish);
    case 2:
        return dismiss(w, wish);
    case 3:
        return retime(w, wish);
    case 4:
        return dismiss(w, wish) && retime(w, wish);
    default:
        return dismiss(w, wish) && admit(w, wish);
    }
}

/* ---- Orders -------------------------------------------------------------- */

/* What the operator sees is checked as 'fulcrum cluster' does it; that no more
 * is lost than R6a bears, only the rehearsal can know. */
static bool is_given(const struct world *w, const struct machine *m,
                     const struct wish *wish)
{
    live_node_set list = wish->list, bad = lists_troubled(w, list);

    if (wish->hasty)
        return upgrade_allows(w, m, wish->now.list) &&
               !live_lists_can_end(&wish->now, list);
    return live_lists_can_end(&wish->now, list) &&
           upgrade_allows(w, m, wish->now.list | list) &&
           live_size(list & ~bad) >= live_size(list) / 2 + 1 &&
           !(list & ~wish->now.list & bad);
}

static bool carry_out(struct world *w, struct machine *m, struct wish *wish)
{
    struct live_roster roster;
    struct net_why error;
    struct live_change change = {
        .list = wish->list,
        .witnesses = witnesses_of(w, wish->list),
        .lease = wish->lease,
        .quiet = live_config_stretch(w->config, wish->lease) + 2,
        .roster = &roster};

    if (!live_roster_make(&roster, w->config, wish->now.list | wish->list,
                          wish->next, wish->tau, &error) ||
        !daemon_change(w, m, &change))
        return false;
    world_story(w, "%s: is asked for the nodes %llx, a lease of %llu us%s",
                name_of(w, m), (unsigned long long)wish->list,
                (unsigned long long)wish->lease,
                wish->hasty ? ", too early" : "");
    w->restless = w->now + 5 * w->config->lease;
    return true;
}

/* Somebody tells a node what he wants. */
static bool order(struct world *w, struct machine *m)
{
    struct wish wish = {.hasty = world_chance(w, 1, 8)};
    const struct live_lists_view *now = &wish.now;

    if (!lists_look(w, m, &wish.now) || now->joint || now->asked ||
        !live_has(now->list & ~now->witnesses, m->id))
        return false;
    wish.list = now->list;
    wish.next = live_lists_next(now, w->setup->config);
    wish.lease = now->lease;
    wish.tau = now->tau;
    return think_out(w, &wish) && is_given(w, m, &wish) &&
           carry_out(w, m, &wish);
}

static bool take_back(struct world *w, struct machine *m)
{
    struct live_lists_view v;

    if (!lists_look(w, m, &v) || !v.asked || v.joint)
        return false;
    world_story(w, "%s: the change is not wished any more", name_of(w, m));
    m->node.mode->kind->withdraw(m->node.mode);
    return true;
}

/* ---- Machines ------------------------------------------------------------ */

static bool start_guest(struct world *w)
{
    uint32_t waiting = 0;
    struct live_lists_view v;

    for (uint32_t i = w->config->first_count; i < w->nodes - LISTS_GHOSTS;
         i++) {
        struct machine *m = &w->machines[i];

        if (!m->began) {
            if (waiting < WAITING_MAX)
                lists_begin(w, m);
            return waiting < WAITING_MAX;
        }
        waiting += lists_look(w, m, &v) && !live_has(v.list, i);
    }
    return false;
}

/* With its disk: it can only be replaced.  Where a change is under way that
 * counts on it, nobody could go on. */
static bool lose(struct world *w, struct machine *m)
{
    struct live_lists_view v;

    if (lists_troubled(w, 0) || w->now < w->restless)
        return false;
    for (uint32_t i = 0; i < w->nodes; i++)
        if (lists_look(w, &w->machines[i], &v) && live_has(v.list, m->id) &&
            live_size(v.list) < 3)
            return false;
    if (!faults_strike(w, LIVE_FAULT_CRASH, m))
        return false;
    world_story(w, "%s: it is lost for good", name_of(w, m));
    m->gone = true;
    return true;
}

bool operators_strike(struct world *w, struct machine *m)
{
    uint32_t other = (uint32_t)world_draw_below(w, w->nodes);
    bool done;

    switch (world_draw_below(w, 12)) {
    case 0:
    case 1:
    case 2:
        return start_guest(w);
    case 3:
        return take_back(w, m);
    case 4:
        return lose(w, m);
    case 5: /* two operators */
        done = order(w, m);
        return order(w, &w->machines[other]) || done;
    default:
        return order(w, m);
    }
}

/* ---- Where all runs are looked at ---------------------------------------- */

static bool think(const struct world *w, const struct machine *m,
                  enum operators_change what, struct wish *wish)
{
    live_node_set witnesses;

    *wish = (struct wish){.next = w->config->first_count};
    if (!lists_look(w, m, &wish->now) || wish->now.number || wish->now.asked ||
        !live_has(wish->now.list & ~wish->now.witnesses, m->id))
        return false;
    wish->list = wish->now.list;
    wish->lease = wish->now.lease;
    wish->tau = wish->now.tau;
    witnesses = wish->now.witnesses;
    if (what == OPERATORS_REPLACE) {
        wish->list = (wish->list & ~witnesses) | live_only(wish->next);
        wish->next++;
        if (!live_lists_up(&wish->now, live_only(wish->next - 1)))
            return false;
    } else if (what == OPERATORS_REMOVE) {
        wish->list = live_only(m->id) | witnesses;
    } else {
        wish->lease = wish->lease * 3 / 4;
    }
    return live_lists_can_end(&wish->now, wish->list);
}

bool operators_may(const struct world *w, const struct machine *m,
                   enum operators_change what)
{
    struct wish wish;

    return w->known && think(w, m, what, &wish);
}

void operators_do(struct world *w, struct machine *m,
                  enum operators_change what)
{
    struct wish wish;

    if (think(w, m, what, &wish))
        (void)carry_out(w, m, &wish);
}
