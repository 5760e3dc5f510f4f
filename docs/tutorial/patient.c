/*
 * patient.c - election on a ring, large names wait before they ask.
 *
 * Chang and Roberts with patience: whoever wants to lead first waits, the
 * longer the larger its name, and gives up without a word if the token of a
 * smaller name comes by in the meantime.  The least initiator leads.
 *
 * Assumes a unidirectional ring, distinct names, reliable links in any order.
 * Correct under any timing; bounds on time make it cheap.
 *
 * Ours, for docs/tutorial.md; the numbers in comments are its rules.
 */
#include "protocols/election/patient.h"

enum { TIMER = 0 };

static inline void send(struct patient_out *out, enum patient_kind kind,
                        fc_name name)
{
    out->send[out->fx.sends++] = fc_word(kind, name);
}

/* Whatever the node waited for, it does no longer. */
static inline void become(struct patient *s, enum patient_status status,
                          struct patient_out *out)
{
    if (s->status == PATIENT_WAITS)
        out->fx.disarm = 1u << TIMER;
    s->status = (uint8_t)status;
    out->fx.notes |= FC_NOTE_VIEW;
}

/* 1: a sleeper that is told to start waits for wait(its name) steps. */
static inline void on_start(struct patient *s, const struct patient_params *p,
                            const struct fc_named *me, struct patient_out *out)
{
    uint64_t steps = fc_wait(&p->wait, me->name);

    if (s->status != PATIENT_ASLEEP)
        return;
    become(s, PATIENT_WAITS, out);
    out->fx.arm = 1u << TIMER;
    out->fx.steps[TIMER] = steps ? steps : 1;
    out->fx.notes |= FC_NOTE_STARTED;
}

/* 2: the wait is over, and no smaller name came by: ask. */
static inline void on_timeout(struct patient *s, const struct fc_named *me,
                              struct patient_out *out)
{
    s->status = PATIENT_SENT;
    send(out, PATIENT_TOKEN, me->name);
}

static inline void on_token(struct patient *s, const struct fc_named *me,
                            fc_name q, struct patient_out *out)
{
    bool candidate = s->status == PATIENT_WAITS || s->status == PATIENT_SENT;

    if (candidate && q == me->name) {
        /* 3: my token is back, nobody smaller asks: lead, and say so. */
        become(s, PATIENT_LEADER, out);
        s->leader = me->name;
        send(out, PATIENT_ELECTED, me->name);
    } else if (candidate && q > me->name) {
        out->fx.notes |= FC_NOTE_DIES; /* 4: it cannot win */
    } else if (s->leader != FC_NOBODY) {
        out->fx.notes |= FC_NOTE_DIES; /* 5: too late, overtaken */
    } else {
        /* 6: a smaller name, or I am no candidate: lose, pass it on. */
        if (s->status != PATIENT_LOST)
            become(s, PATIENT_LOST, out);
        send(out, PATIENT_TOKEN, q);
    }
}

/* 7: the news goes round once and ends with the leader. */
static inline void on_elected(struct patient *s, fc_name q,
                              struct patient_out *out)
{
    if (s->leader != FC_NOBODY)
        return;
    become(s, PATIENT_DONE, out);
    s->leader = q;
    send(out, PATIENT_ELECTED, q);
}

FC_API void patient_step(struct patient *s, const struct patient_params *p,
                         const struct fc_named *me, const struct patient_in *in,
                         struct patient_out *out)
{
    if (in->event.kind == FC_COMMAND)
        on_start(s, p, me, out);
    else if (in->event.kind == FC_TIMEOUT)
        on_timeout(s, me, out);
    else if (fc_word_kind(in->msg) == PATIENT_TOKEN)
        on_token(s, me, fc_word_name(in->msg), out);
    else
        on_elected(s, fc_word_name(in->msg), out);
}

FC_API void patient_view(const struct patient *s, const struct fc_named *me,
                         struct election_view *view)
{
    static const uint8_t roles[] = {
        [PATIENT_ASLEEP] = ELECTION_ASLEEP,
        [PATIENT_WAITS] = ELECTION_CANDIDATE,
        [PATIENT_SENT] = ELECTION_CANDIDATE,
        [PATIENT_LOST] = ELECTION_LOST,
        [PATIENT_LEADER] = ELECTION_LEADER,
        [PATIENT_DONE] = ELECTION_DONE,
    };

    (void)me;
    *view = (struct election_view){
        .leader = s->leader,
        .role = roles[s->status],
    };
}

FC_API const char *patient_sane(const struct patient *s,
                                const struct patient_params *p,
                                const struct fc_named *me)
{
    (void)s;
    (void)p;
    (void)me;
    return NULL;
}

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
static uint32_t claims(const void *params_in, const struct fc_world *w,
                       struct fc_claim out[FC_CLAIMS_MAX])
{
    double n = (double)w->nodes, k = (double)w->initiators;

    (void)params_in;
    out[0] =
        (struct fc_claim){FC_COST_MESSAGES, FC_AT_MOST,
                          k * n - k * (k - 1) / 2 + n, "kN - k(k-1)/2 + N"};
    return 1;
}

const struct fc_protocol patient_protocol = {
    .name = "patient",
    .title = "tutorial: Chang and Roberts with patience, least initiator",
    .idea = "A candidate waits the longer the larger its name, and gives up "
            "if a smaller one comes by.",
    .assumes = "distinct names, one direction, any order of messages; N "
               "unknown; any timing",
    .source = "docs/tutorial.md",
    .problem = &election_problem,
    .topology = FC_RING,
    .winner = ELECTION_LEAST_INITIATOR,
    .kinds = kinds,
    .kinds_count = PATIENT_KINDS,
    .params = params,
    .params_count = sizeof params / sizeof params[0],
    .params_size = sizeof(struct patient_params),
    .state_size = sizeof(struct patient),
    .msg_size = sizeof(struct patient_msg),
    .prepare = prepare,
    .horizon = horizon,
    .claims = claims,
};

#endif
