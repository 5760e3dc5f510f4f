/*
 * itai_rodeh_sync.c - election without names by counting pebbles (Itai and
 * Rodeh 1981, synchronous ring).
 *
 * In a ring that keeps time, that nothing comes is information.  All nodes know
 * the number of active nodes: n at first.  In a phase each of the a active
 * nodes is a candidate with probability 1/a, and each candidate sends a pebble,
 * which is one bit, once around the ring.  A phase lasts as long as that takes,
 * so every node has then seen every pebble once, and knows how many candidates
 * there were.  One: it leads, and everybody knows.  None: again.  More: they
 * alone are active in the next phase.  On average there is one candidate in a
 * phase, and less than e phases: O(n) bits and O(n) time.
 *
 * Assumes a unidirectional synchronous ring and n known to all.  start=together
 * is the original, for nodes that all start in the same step.  Otherwise a node
 * that starts wakes the next, and a phase lasts one step longer.  Ends with
 * probability 1 and never errs.
 *
 * From: A. Itai, M. Rodeh, Symmetry breaking in distributive networks, FOCS
 * 1981.  start=any is ours, for what G.N. Frederickson and N. Santoro
 * (Breaking symmetry in synchronous networks, 1986) are quoted for.
 */
#include "protocols/election/itai_rodeh_sync/itai_rodeh_sync.h"

#include "core/network.h"

#define TURN      itai_rodeh_sync
#define TURN_ROLE status
#include "core/turn.inc"

enum {
    ASLEEP = ITAI_RODEH_SYNC_ASLEEP,
    ACTIVE = ITAI_RODEH_SYNC_ACTIVE,
    CANDIDATE = ITAI_RODEH_SYNC_CANDIDATE,
    PASSIVE = ITAI_RODEH_SYNC_PASSIVE,
    LEADER = ITAI_RODEH_SYNC_LEADER,
    DONE = ITAI_RODEH_SYNC_DONE,
    PEBBLE = ITAI_RODEH_SYNC_PEBBLE,
    WAKEUP = ITAI_RODEH_SYNC_WAKEUP,
    ANY = ITAI_RODEH_SYNC_ANY,
};

enum { CLOCK };

/* The clock runs to the last step but one of the lap, so that the node knows
 * which step is the last.  An active node draws as the next event. */
static inline void begin_phase(struct turn *t)
{
    t->s->pause = 0;
    t->s->last = t->p->lap == 1;
    start_timer(t, CLOCK, t->s->last ? 1 : t->p->lap - 1);
    if (t->s->status != ACTIVE)
        return;
    counts(t, ELECTION_PHASE);
    draw(t, t->s->active);
}

/* IS-1: a node that starts is one of n active ones. */
static inline void wake(struct turn *t)
{
    become(t, ACTIVE);
    if (t->p->start == ANY)
        send_on(t, fc_word(WAKEUP, FC_NOBODY)); /* IS-6 */
    t->s->active = t->me->nodes;
    begin_phase(t);
}

/* IS-2: a candidate with probability 1/a, which sends a pebble. */
static inline void on_draw(struct turn *t)
{
    if (t->s->status != ACTIVE || t->event->value != 0)
        return;
    become(t, CANDIDATE);
    send_on(t, fc_word(PEBBLE, FC_NOBODY));
}

/* IS-3: every pebble is counted and passed on; the one that comes after a lap
 * is a candidate's own and ends there.  With start=any another pebble may come
 * in that same step: they are alike, and one of them goes on. */
static inline void on_pebble(struct turn *t)
{
    if (t->s->status == ASLEEP || t->s->status >= LEADER) {
        drop(t);
        return;
    }
    t->s->pebbles++;
    if (t->s->status == CANDIDATE && t->s->last && !t->s->back)
        t->s->back = 1;
    else
        pass_on(t);
}

/* IS-4, IS-5: what the number of pebbles says.  A candidate that saw none has
 * lost its own, which no rule foresees: it goes on. */
static inline void judge(struct turn *t, uint32_t pebbles)
{
    bool candidate = t->s->status == CANDIDATE;

    if (pebbles == 1) {
        *t->s = (struct itai_rodeh_sync){0};
        become(t, candidate ? LEADER : DONE);
    } else if (candidate) {
        become(t, ACTIVE);
    } else if (pebbles > 1 && t->s->status == ACTIVE) {
        become(t, PASSIVE);
    }
    if (pebbles > 1)
        t->s->active = pebbles;
}

/* Messages come before timers within a step: pebbles of the last step of the
 * lap are counted, and then the phase is over.  IS-6: with start=any the next
 * one begins a step later, because pebbles of this phase come up to a lap after
 * its beginning here, and pebbles of the next from its beginning on. */
static inline void on_clock(struct turn *t)
{
    uint32_t pebbles = t->s->pebbles;

    if (t->s->status == ASLEEP || t->s->status >= LEADER)
        return;
    if (t->s->pause) {
        begin_phase(t);
        return;
    }
    if (!t->s->last) {
        t->s->last = 1;
        start_timer(t, CLOCK, 1);
        return;
    }
    t->s->last = t->s->back = 0;
    t->s->pebbles = 0;
    judge(t, pebbles);
    if (t->s->status >= LEADER)
        return;
    t->s->pause = t->p->start == ANY;
    if (t->s->pause)
        start_timer(t, CLOCK, 1);
    else
        begin_phase(t);
}

FC_STEP(itai_rodeh_sync)
{
    switch (t->event->kind) {
    case FC_COMMAND:
        if (t->s->status == ASLEEP) {
            obeyed(t);
            wake(t);
        }
        break;
    case FC_CHOICE:
        on_draw(t);
        break;
    case FC_TIMEOUT:
        on_clock(t);
        break;
    case FC_MESSAGE:
        if (fc_word_kind(*t->m) == PEBBLE)
            on_pebble(t);
        else if (fc_word_kind(*t->m) == WAKEUP && t->s->status == ASLEEP)
            wake(t); /* IS-6 */
        break;
    default:
        break;
    }
}

FC_VIEW(itai_rodeh_sync)
{
    static const uint8_t roles[] = {
        [ASLEEP] = ELECTION_ASLEEP,       [ACTIVE] = ELECTION_AWAKE,
        [CANDIDATE] = ELECTION_CANDIDATE, [PASSIVE] = ELECTION_LOST,
        [LEADER] = ELECTION_LEADER,       [DONE] = ELECTION_DONE,
    };
    bool over = s->status >= LEADER;

    *view = (struct election_view){
        .leader = over ? ELECTION_SOMEBODY : FC_NOBODY,
        .role = roles[s->status],
    };
}

FC_INVARIANT(itai_rodeh_sync)
{
    bool running = s->status != ASLEEP && s->status < LEADER;

    if (s->status > DONE || s->back > 1 || s->last > 1 || s->pause > 1)
        return "status and flags are in range";
    if (!running && (s->active || s->pebbles || s->back || s->last || s->pause))
        return "only a node that takes part remembers anything";
    if (running && s->active == 0)
        return "a node that takes part knows of active nodes";
    if (s->pause && (s->last || s->status == CANDIDATE))
        return "between two phases there are no candidates";
    if (s->back && !(s->status == CANDIDATE && s->last && s->pebbles))
        return "what is back was sent, and comes in the last step";
    return NULL;
}

FC_STATE_FIELDS(itai_rodeh_sync) = {
    FIELD(NUMBER, active),
    FIELD(NUMBER, pebbles),
    FIELD_WORD(status, "asleep", "active", "candidate", "passive", "leader",
               "done"),
    FIELD(YES, back),
    FIELD(YES, last),
    FIELD(YES, pause),
};

FC_WORD_MESSAGES(itai_rodeh_sync, ITAI_RODEH_SYNC_KINDS, 0)

FC_QUANTITIES(itai_rodeh_sync) = {ELECTION_PHASES};

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [PEBBLE] = {"pebble", "o", FC_CLAIMS},
    [WAKEUP] = {"wakeup", "wake", FC_CALLS},
};

static const struct fc_param params[] = {
    {"start", FC_PARAM_CHOICE, AT(start), "any", "any|together",
     "some start and wake the others, or all start in the same step"},
};

/* A message can be read in the first step that ends after it was sent and not
 * before it arrives. */
static const char *prepare(void *params_out, const struct fc_world *world)
{
    struct itai_rodeh_sync_params *p = params_out;
    uint64_t step = world->bounds.rmin, delay = world->bounds.dmax;
    uint64_t hop = delay > step ? (delay + step - 1) / step : 1;

    p->lap = fc_times(world->nodes, hop);
    return NULL;
}

/* A phase of a active nodes is the last with probability (1 - 1/a)^(a-1), which
 * is above 1/e: 200 phases all fail with less than 10^-39. */
static uint64_t horizon(const void *params_in, const struct fc_world *world)
{
    const struct itai_rodeh_sync_params *p = params_in;

    return fc_times(fc_times(200, fc_add(p->lap, 2)), world->bounds.rmax);
}

/* A phase has one candidate on average, and fails with less than 1 - 1/e.
 * start=any: the wake-ups, and a step more of each phase. */
FC_COSTS(itai_rodeh_sync)
{
    const struct itai_rodeh_sync_params *p = params_in;
    const double e = 2.718281828459045;
    bool any = p->start == ANY;
    double bits = w->nodes * (e + any);
    double steps = (double)p->lap * (e + any) + (any ? e : 0);

    out[0] = (struct fc_claim){FC_COST_MESSAGES, FC_MEAN_AT_MOST, bits,
                               any ? "(e+1)n" : "e n"};
    out[1] = (struct fc_claim){FC_COST_PAPER_BITS, FC_MEAN_AT_MOST, bits,
                               any ? "(e+1)n" : "e n"};
    out[2] = (struct fc_claim){FC_COST_TICKS, FC_MEAN_AT_MOST,
                               steps * (double)w->bounds.rmax,
                               any ? "e(n+1)+n" : "e n"};
    return 3;
}

/* ---- The whole network --------------------------------------------------- */

FC_PREDICATE(itai_rodeh_sync, pebbles)
{
    uint32_t pebbles = 0, candidates = 0;

    for (uint32_t i = 0; i < all->nodes; i++) {
        const struct itai_rodeh_sync *s = FC_STATE(itai_rodeh_sync, all, i);

        candidates += s->status == CANDIDATE && !s->back;
    }
    for (uint32_t i = 0; i < all->flying_count; i++)
        pebbles += fc_word_kind(*FC_FLYING(itai_rodeh_sync, all, i)) == PEBBLE;
    return pebbles == candidates;
}

FC_UNUSED static const struct fc_predicate predicates[] = {
    {"pebbles",
     "as many pebbles are under way as there are candidates whose own is not "
     "back",
     itai_rodeh_sync_pebbles, NULL},
};

const struct fc_protocol itai_rodeh_sync_protocol = {
    .name = "itai-rodeh-sync",
    .title = "Itai and Rodeh 1981: no names, pebbles in a synchronous ring",
    .idea = "Each of the active nodes is a candidate with chance 1/active and "
            "sends one bit round; a lap later all know how many there were.",
    .assumes = "no names, one direction, synchronous; N known",
    .source = "A. Itai, M. Rodeh, FOCS 1981",
    FC_ENTRY(itai_rodeh_sync, kinds),
    FC_PREDICATES(predicates),
    .needs = FC_NEEDS_COUNT | FC_NEEDS_FIFO | FC_NEEDS_BOUNDS | FC_NEEDS_TIME |
             FC_NEEDS_UNISON,
    .anonymous = true,
    .lot = {1, "candidates"},
    FC_TERMS(itai_rodeh_sync, .winner = ELECTION_ANYBODY),
    FC_PARAMS(params),
    .prepare = prepare,
    .horizon = horizon,
    FC_COSTS_OF(itai_rodeh_sync),
};

#endif
