/*
 * patient.c - election on a ring, large names wait before they ask.
 *
 * Chang and Roberts with patience: a node that wants to lead first waits, the
 * longer the larger its name, and gives up silently if the token of a smaller
 * name comes by in the meantime.  The least initiator leads.
 *
 * Assumes a unidirectional ring, distinct names, reliable links in any order.
 * Correct under any timing; bounds on time make it cheap.
 *
 * Ours, for docs/tutorial.md; PA-1 to PA-7 are its rules.
 */
#include "protocols/election/patient/patient.h"

#include "core/network.h"

#define TURN      patient
#define TURN_ROLE status
#include "core/turn.inc"

enum {
    ASLEEP = PATIENT_ASLEEP,
    WAITS = PATIENT_WAITS,
    SENT = PATIENT_SENT,
    LOST = PATIENT_LOST,
    LEADER = PATIENT_LEADER,
    DONE = PATIENT_DONE,
    TOKEN = PATIENT_TOKEN,
    ELECTED = PATIENT_ELECTED,
};

enum { TIMER = 0 };

/* The node stops waiting, if it was. */
static inline void end_as(struct turn *t, uint8_t status)
{
    if (t->s->status == WAITS)
        stop_timer(t, TIMER);
    become(t, status);
}

/* PA-1: a sleeper that is told to start waits for wait(its name) steps. */
static inline void on_start(struct turn *t)
{
    uint64_t steps = fc_wait(&t->p->wait, t->me->name);

    if (t->s->status != ASLEEP)
        return;
    obeyed(t);
    become(t, WAITS);
    start_timer(t, TIMER, steps ? steps : 1);
}

/* PA-2: the wait is over, and no smaller name came by: ask. */
static inline void on_timeout(struct turn *t)
{
    if (t->s->status != WAITS)
        return;
    t->s->status = SENT;
    send_on(t, fc_word(TOKEN, t->me->name));
}

static inline void on_token(struct turn *t)
{
    fc_name q = fc_word_name(*t->m);
    bool candidate = t->s->status == WAITS || t->s->status == SENT;

    if (candidate && q == t->me->name) {
        /* PA-3: my token is back, nobody smaller asks: lead, and say so. */
        end_as(t, LEADER);
        t->s->leader = q;
        send_on(t, fc_word(ELECTED, q));
    } else if (candidate && q > t->me->name) {
        drop(t); /* PA-4: it cannot win */
    } else if (t->s->leader != FC_NOBODY) {
        drop(t); /* PA-5: too late, overtaken */
    } else {
        /* PA-6: a smaller name, or not a candidate: lose, pass it on. */
        if (t->s->status != LOST)
            end_as(t, LOST);
        pass_on(t);
    }
}

/* PA-7: the news goes round once and ends with the leader. */
static inline void on_elected(struct turn *t)
{
    if (t->s->leader != FC_NOBODY)
        return;
    end_as(t, DONE);
    t->s->leader = fc_word_name(*t->m);
    pass_on(t);
}

FC_STEP(patient)
{
    switch (t->event->kind) {
    case FC_COMMAND:
        on_start(t);
        break;
    case FC_TIMEOUT:
        on_timeout(t);
        break;
    case FC_MESSAGE:
        fc_word_kind(*t->m) == TOKEN ? on_token(t) : on_elected(t);
        break;
    default:
        break;
    }
}

FC_VIEW(patient)
{
    static const uint8_t roles[] = {
        [PATIENT_ASLEEP] = ELECTION_ASLEEP,
        [PATIENT_WAITS] = ELECTION_CANDIDATE,
        [PATIENT_SENT] = ELECTION_CANDIDATE,
        [PATIENT_LOST] = ELECTION_LOST,
        [PATIENT_LEADER] = ELECTION_LEADER,
        [PATIENT_DONE] = ELECTION_DONE,
    };

    *view = (struct election_view){
        .leader = s->leader,
        .role = roles[s->status],
    };
}

FC_INVARIANT(patient)
{
    if (s->status > DONE)
        return "the status is in range";
    if ((s->leader != FC_NOBODY) != (s->status == LEADER || s->status == DONE))
        return "a node knows a leader exactly when the election is over for it";
    if (s->status == LEADER && s->leader != me->name)
        return "the leader names itself as leader";
    return NULL;
}

FC_STATE_FIELDS(patient) = {
    FIELD(NAME, leader),
    FIELD_WORD(status, "asleep", "waits", "sent", "lost", "leader", "done"),
};

FC_WORD_MESSAGES(patient, PATIENT_KINDS,
                 1u << PATIENT_TOKEN | 1u << PATIENT_ELECTED)

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [PATIENT_TOKEN] = {"token", "tok", FC_CLAIMS},
    [PATIENT_ELECTED] = {"elected", "elected", FC_TELLS},
};

static const struct fc_param params[] = {
    {"wait", FC_PARAM_WAIT, offsetof(struct patient_params, wait), "pow:1",
     "const:C|pow:E|exp:B|exp:auto|scaled:C|minimal|table:FILE",
     "steps that a candidate named i waits: C, i^E, B^i, ... (as f of "
     "vitanyi)"},
};

/* Every run is over by then: the longest wait, then tokens that never rest. */
static uint64_t horizon(const void *params_in, const struct fc_world *world)
{
    const struct patient_params *p = params_in;
    uint64_t wait = fc_wait(&p->wait, world->greatest);

    return fc_add(fc_times(fc_add(wait, 1), world->bounds.rmax),
                  election_pipeline_horizon(NULL, world));
}

static const char *prepare(void *params_out, const struct fc_world *world)
{
    struct patient_params *p = params_out;
    const char *why = fc_wait_prepare(&p->wait, world);

    if (why)
        return why;
    if (horizon(p, world) >= UINT64_C(1) << 62)
        return "the greatest name waits longer than 62 bits of ticks: take "
               "smaller names, or a wait that grows more slowly";
    return NULL;
}

/* No worse than Chang and Roberts, whatever the waits. */
FC_COSTS(patient)
{
    double n = (double)w->nodes, k = (double)w->initiators;

    out[0] =
        (struct fc_claim){FC_COST_MESSAGES, FC_AT_MOST,
                          k * n - k * (k - 1) / 2 + n, "kN - k(k-1)/2 + N"};
    return 1;
}

/* Over the whole network: a leader's token came round behind all others. */
FC_PREDICATE(patient, alone)
{
    uint32_t leaders = 0;

    for (uint32_t i = 0; i < all->nodes; i++)
        leaders += FC_STATE(patient, all, i)->status == LEADER;
    return leaders == 0 || !all->fifo || fc_count_words(all, TOKEN) == 0;
}

FC_UNUSED static const struct fc_predicate predicates[] = {
    {"alone", "on FIFO links no token is under way once a node leads",
     patient_alone, NULL},
};

const struct fc_protocol patient_protocol = {
    .name = "patient",
    .title = "tutorial: Chang and Roberts with patience, least initiator",
    .idea = "A candidate waits the longer the larger its name, and gives up "
            "if a smaller one comes by.",
    .assumes = "distinct names, one direction, any order of messages; N "
               "unknown; any timing",
    .source = "docs/tutorial.md",
    FC_ENTRY(patient, kinds),
    FC_PREDICATES(predicates),
    FC_TERMS(patient, .winner = ELECTION_LEAST_INITIATOR),
    FC_PARAMS(params),
    .prepare = prepare,
    .horizon = horizon,
    FC_COSTS_OF(patient),
};

#endif
