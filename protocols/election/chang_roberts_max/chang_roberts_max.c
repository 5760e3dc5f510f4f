/*
 * chang_roberts_max.c - election on a ring with participants (Chang and
 * Roberts 1979), greatest name.
 *
 * A message carries the greatest name it has met: a node that takes part for
 * the first time puts its own name in if that is greater, and one that takes
 * part already drops smaller names.  The name that comes back to its owner is
 * the greatest of all; the coordinator then tells everybody.
 *
 * Assumes a unidirectional ring, distinct names, reliable links; no timing.
 *
 * From: E. Chang and R. Roberts, CACM 22 (1979), in the version of lecture 16.
 * The lecture forgets that the coordinator must absorb its own elected
 * message; the literal reading is a switch.
 */
#include "protocols/election/chang_roberts_max/chang_roberts_max.h"

#include "core/network.h"

#define TURN      chang_roberts_max
#define TURN_ROLE status
#include "core/turn.inc"

enum {
    CANDIDATE = CHANG_ROBERTS_MAX_CANDIDATE,
    LOST = CHANG_ROBERTS_MAX_LOST,
    LEADER = CHANG_ROBERTS_MAX_LEADER,
    DONE = CHANG_ROBERTS_MAX_DONE,
    ELECTION = CHANG_ROBERTS_MAX_ELECTION,
    ELECTED = CHANG_ROBERTS_MAX_ELECTED,
};

static inline bool takes_part(const struct turn *t)
{
    return t->s->status == CANDIDATE || t->s->status == LOST;
}

static inline void take_part(struct turn *t, uint8_t status)
{
    become(t, status);
    t->s->leader = FC_NOBODY;
}

static inline void run_for_it(struct turn *t)
{
    take_part(t, CANDIDATE);
    send_on(t, fc_word(ELECTION, t->me->name));
}

/* CM-1: mark itself as a participant, send its identifier to its neighbour. */
static inline void on_start(struct turn *t)
{
    if (takes_part(t))
        return;
    obeyed(t);
    run_for_it(t);
}

static inline void on_election(struct turn *t)
{
    fc_name q = fc_word_name(*t->m);

    if (q > t->me->name) {
        /* CM-2: greater: mark itself as a participant, forward. */
        if (t->s->status != LOST)
            take_part(t, LOST);
        pass_on(t);
    } else if (q == t->me->name) {
        /* CM-4: its own: non-participant again, coordinator, announce it. */
        become(t, LEADER);
        t->s->leader = q;
        send_on(t, fc_word(ELECTED, q));
    } else if (!takes_part(t)) {
        run_for_it(t); /* CM-3: smaller: substitute its own identifier */
    } else {
        drop(t); /* CM-3: a participant does not forward it */
    }
}

static inline void on_elected(struct turn *t)
{
    fc_name q = fc_word_name(*t->m);

    if (q != t->me->name) {
        /* CM-5: non-participant, note the coordinator, forward. */
        become(t, DONE);
        t->s->leader = q;
        pass_on(t);
    } else if (t->p->forwards) { /* as the lecture has it: for ever */
        pass_on(t);
    } /* CM-6: the coordinator absorbs its own */
}

FC_STEP(chang_roberts_max)
{
    if (t->event->kind == FC_COMMAND)
        on_start(t);
    else if (t->event->kind == FC_MESSAGE)
        fc_word_kind(*t->m) == ELECTION ? on_election(t) : on_elected(t);
}

FC_VIEW(chang_roberts_max)
{
    static const uint8_t roles[] = {
        [CHANG_ROBERTS_MAX_IDLE] = ELECTION_ASLEEP,
        [CANDIDATE] = ELECTION_CANDIDATE,
        [LOST] = ELECTION_LOST,
        [LEADER] = ELECTION_LEADER,
        [DONE] = ELECTION_DONE,
    };

    *view = (struct election_view){
        .leader = s->leader,
        .role = roles[s->status],
    };
}

FC_INVARIANT(chang_roberts_max)
{
    if (s->status > DONE)
        return "the status is in range";
    if ((s->leader != FC_NOBODY) != (s->status == LEADER || s->status == DONE))
        return "a node knows a leader exactly when the election is over for it";
    if ((s->leader == me->name) != (s->status == LEADER))
        return "exactly the leader names itself as leader";
    return NULL;
}

FC_STATE_FIELDS(chang_roberts_max) = {
    FIELD(NAME, leader),
    FIELD_WORD(status, "idle", "candidate", "lost", "leader", "done"),
};

FC_WORD_MESSAGES(chang_roberts_max, CHANG_ROBERTS_MAX_KINDS,
                 1u << ELECTION | 1u << ELECTED)

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [ELECTION] = {"election", "el", FC_CLAIMS},
    [ELECTED] = {"elected", "elected", FC_TELLS},
};

static const struct fc_param params[] = {
    {"coordinator", FC_PARAM_CHOICE, AT(forwards), "absorbs",
     "absorbs|forwards",
     "what becomes of its own elected message: repaired, or as printed"},
};

FC_COSTS(chang_roberts_max)
{
    if (w->initiators != 1) /* the lecture counts one election */
        return 0;
    out[0] = (struct fc_claim){FC_COST_MESSAGES, FC_AT_MOST,
                               3 * (double)w->nodes - 1, "3N - 1"};
    return 1;
}

/* ---- The whole network --------------------------------------------------- */

/* While no election is over. */
FC_PREDICATE(chang_roberts_max, greatest_survives)
{
    uint32_t greatest = all->nodes;

    for (uint32_t i = 0; i < all->nodes; i++) {
        const struct chang_roberts_max *s = FC_STATE(chang_roberts_max, all, i);

        if (s->status == LEADER || s->status == DONE)
            return true;
        if (s->status == CANDIDATE &&
            (greatest == all->nodes || all->name[i] > all->name[greatest]))
            greatest = i;
    }
    return greatest == all->nodes ||
           fc_count_named(all, ELECTION, all->name[greatest]) == 1;
}

FC_UNUSED static const struct fc_predicate predicates[] = {
    {"greatest-survives",
     "before any node leads, the name of the greatest candidate is under way, "
     "once",
     chang_roberts_max_greatest_survives, NULL},
};

const struct fc_protocol chang_roberts_max_protocol = {
    .name = "chang-roberts-max",
    .title = "Chang and Roberts 1979: participants, greatest name",
    .idea = "A message carries the greatest name it has met; participants drop "
            "smaller ones.",
    .assumes = "distinct names, one direction, FIFO links; N unknown; any "
               "timing",
    .source = "E. Chang, R. Roberts, CACM 22 (1979); lecture 16",
    FC_ENTRY(chang_roberts_max, kinds),
    FC_PREDICATES(predicates),
    .needs = FC_NEEDS_FIFO,
    FC_TERMS(chang_roberts_max, .winner = ELECTION_GREATEST),
    FC_PARAMS(params),
    .horizon = election_pipeline_horizon,
    FC_COSTS_OF(chang_roberts_max),
};

#endif
