/*
 * view_lock_table.c - the entry of view_lock.c in the table of protocols, and
 * its timers as they follow from the bounds.
 */
#include "protocols/mutex/view_lock/view_lock.h"

static const struct fc_message_kind kinds[] = {
    [VIEW_LOCK_FRAME] = {"frame", "frame", FC_FRAME},
    [VIEW_LOCK_PROPOSE] = {"propose", "propose", FC_CALLS},
    [VIEW_LOCK_VOTE] = {"vote", "vote", FC_TELLS},
    [VIEW_LOCK_REFUSE] = {"refuse", "no", FC_REFUSES},
    [VIEW_LOCK_NEWVIEW] = {"newview", "view", FC_TELLS},
    [VIEW_LOCK_REQUEST] = {"request", "REQ", FC_ASKS},
    [VIEW_LOCK_CLEAR] = {"clear", "clear", FC_GRANTS},
};

#define AT(field) offsetof(struct view_lock_params, field)
static const struct fc_param params[] = {
    {"tau", FC_PARAM_NUMBER, AT(tau), "0", "0..1000000000",
     "steps between frames; 0: a delay"},
    {"lease", FC_PARAM_NUMBER, AT(lease), "0", "0..1000000000",
     "T, steps of a lease; 0: five frames may be lost in a row"},
    {"kill", FC_PARAM_NUMBER, AT(kill), "0", "0..1000000000",
     "K, steps before the end of the lease at which a holder is stopped"},
    {"silence", FC_PARAM_NUMBER, AT(silence), "0", "0..1000000000",
     "S, steps after which a silent node is suspected; 0: as long as those "
     "left out must be outwaited"},
    {"delta", FC_PARAM_NUMBER, AT(delta), "0", "0..1000000000",
     "steps that the next in rank lets pass; 0: a round trip, and two frames "
     "for retransmissions"},
    {"idle", FC_PARAM_NUMBER, AT(idle), "0", "0..1000000000",
     "steps between frames while nobody holds or wants the lock; 0: a fifth of "
     "the lease"},
    {"list", FC_PARAM_LISTS, AT(first), "none", "none|NODE[w],...",
     "the nodes that agree at first, w: a witness; none: all of them"},
    {"changes", FC_PARAM_LISTS, AT(wishes), "none",
     "none|NODE[w],...[:LEASE]/...",
     "lists that are asked for while it runs, and their T"},
    {"joins", FC_PARAM_LISTS, AT(joins), "none", "none|NODE,...",
     "nodes that have no record when they start, and join; a node of the list "
     "has one at its first start"},
    {"without", FC_PARAM_CHOICE, AT(without), "nothing",
     "nothing|P1|P2|F1|F2|F3|F4|L2|L3|L4|L5|L6|V2|V3|V4|K4|R1|R1-sync|R1-at|"
     "R2|R2-old|R2-lease|R2-quiet|R2-base|R2-prev|R2a|R3|R4|R4-wait|R5|R5-"
     "quiet|R6|R6-joins|R6a|R7",
     "a safety rule to leave out, to see what it is for"},
};
#undef AT

/* Steps of the fastest clock in a number of ticks. */
static uint64_t steps_in(uint64_t ticks, const struct fc_world *w)
{
    return ticks / w->bounds.rmin + 1;
}

/* ceil(steps / gamma): as many steps of another clock, if that one is the
 * fastest and this the slowest. */
static uint64_t stretched(uint64_t steps, const struct fc_world *w)
{
    return (fc_times(steps, w->bounds.rmax) + w->bounds.rmin - 1) /
           w->bounds.rmin;
}

/* Wfull of a lease.  Two intervals are measured, the age in a vote and the
 * quiet time, and a clock that is read rounded down loses up to a step in
 * each. */
static uint64_t quiet_of(uint64_t lease, const struct fc_world *w)
{
    return stretched(lease, w) + 2;
}

/* The lists that were typed. */
static const char *prepare_lists(struct view_lock_params *p,
                                 const struct fc_world *w)
{
    uint64_t all = UINT64_MAX >> (64 - w->nodes);

    if (p->first.count > 1)
        return "there is one list at first; those that follow are 'changes'";
    if (p->first.count) {
        const struct fc_list *l = &p->first.list[0];

        if (l->nodes & ~all || l->number)
            return "'list' names a node that there is not, or a lease";
        p->list = (view_lock_nodes)l->nodes;
        p->witnesses = (view_lock_nodes)l->marked;
    }
    if (p->joins.count > 1 || (p->joins.list[0].nodes & ~all) ||
        p->joins.list[0].marked || p->joins.list[0].number)
        return "'joins' is one list of nodes that there are, such as 3,4";
    for (uint32_t i = 0; i < p->wishes.count; i++) {
        const struct fc_list *l = &p->wishes.list[i];

        if (l->nodes & ~all)
            return "a change names a node that there is not: raise -n";
        if (l->number && l->number <= p->kill)
            return "kill must be below every lease";
        p->plan[i] =
            (struct view_lock_plan){.lease = l->number ? l->number : p->lease,
                                    .list = (view_lock_nodes)l->nodes,
                                    .witnesses = (view_lock_nodes)l->marked};
        p->plan[i].quiet = quiet_of(p->plan[i].lease, w);
        p->changes = 1;
    }
    return NULL;
}

#define TEXT_OF(number) #number
#define TEXT(number)    TEXT_OF(number)
#define NODES_TEXT      TEXT(VIEW_LOCK_NODES_MAX)

static const char *prepare(void *params_in, const struct fc_world *w)
{
    struct view_lock_params *p = params_in;
    uint64_t trip = steps_in(fc_add(w->bounds.dmax, w->bounds.rmax), w);
    uint64_t tau = p->tau ? p->tau : trip, lease, silence, delta, quiet;

    if (w->nodes > VIEW_LOCK_NODES_MAX)
        return "a cluster has at most " NODES_TEXT " nodes: take fewer";
    lease =
        p->lease ? p->lease : fc_add(stretched(fc_times(7, tau), w), 2 * trip);
    quiet = quiet_of(lease, w);
    silence = p->silence ? p->silence : quiet;
    /* Room for a round trip, and for two more if something is lost. */
    delta = p->delta ? p->delta : fc_add(2 * trip, fc_times(2, tau));
    if (p->kill >= lease)
        return "kill must be below lease: nobody would have time to hold";
    if (lease > UINT32_MAX || silence > UINT32_MAX || delta > UINT32_MAX ||
        tau > UINT32_MAX)
        return "the bounds are too wide for the timers";
    p->tau = (uint32_t)tau;
    p->lease = (uint32_t)lease;
    p->silence = (uint32_t)silence;
    p->delta = (uint32_t)delta;
    p->quiet = quiet;
    if (!p->idle)
        p->idle = p->lease / 5;
    if (p->idle < p->tau)
        p->idle = p->tau;
    return prepare_lists(p, w);
}

/* For one entry there may be a change of view for every node, and each takes
 * some silence and some quiet time. */
static uint64_t horizon(const void *params_in, const struct fc_world *w)
{
    const struct view_lock_params *p = params_in;
    uint64_t change = fc_add(fc_times(4, p->quiet),
                             fc_times(32, fc_add(p->silence, p->delta)));

    return fc_times(fc_times(w->nodes, change), w->bounds.rmax);
}

/* Frames go on for ever. */
static bool restless(const void *params_in)
{
    (void)params_in;
    return true;
}

const struct fc_protocol view_lock_protocol = {
    .name = "view-lock",
    .title = "the live lock: views, node leases, consents, tokens",
    .idea = "Inside a view ask everybody; a majority makes the view, and a "
            "node left out of it has surely stopped.",
    .assumes = "a majority up and linked, for progress; for safety only the "
               "ratio of clock rates",
    .survives = "loss, delay, pauses, crashes, partitions",
    .bears = FC_BEARS_ALL,
    FC_TERMS(view_lock, .shares = MUTEX_SHARES_ON_REQUEST),
    .source = "Ricart, Agrawala 1981; Carvalho, Roucairol 1983; Gray, Cheriton "
              "1989; Lamport 1998",
    FC_ENTRY(view_lock, kinds),
    FC_NUMBERS([VIEW_LOCK_VOTE] = "view, number",
               [VIEW_LOCK_NEWVIEW] = "view, number",
               [VIEW_LOCK_REQUEST] = "view, number",
               [VIEW_LOCK_CLEAR] = "view, number"),
    /* Its nodes read clocks: there must be a last tick. */
    FC_SEARCH(.time = "sync", .until = 30),
    FC_PARAMS(params),
    .prepare = prepare,
    .horizon = horizon,
    .restless = restless,
    .changes = "changes",
    .change = VIEW_LOCK_CHANGE,
};
