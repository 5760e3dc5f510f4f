/*
 * chang_roberts_max.c - election on a ring with participants (Chang and
 * Roberts 1979), greatest name.
 *
 * A message carries the greatest name it has met: whoever takes part for the
 * first time puts its own name in if that is greater, whoever takes part
 * already drops smaller names.  The name that comes back to its owner is the
 * greatest of all; the coordinator then tells everybody.
 *
 * Assumes a unidirectional ring, distinct names, reliable links; no timing.
 *
 * From: E. Chang and R. Roberts, CACM 22 (1979), in the version of lecture 16.
 * The lecture forgets that the coordinator must absorb its own elected
 * message; the literal reading is a switch.
 */
#include "protocols/election/chang_roberts_max.h"

static inline void send(struct chang_roberts_max_out *out,
                        enum chang_roberts_max_kind kind, fc_name name)
{
    out->send[out->fx.sends++] = fc_word(kind, name);
}

static inline bool takes_part(const struct chang_roberts_max *s)
{
    return s->status == CHANG_ROBERTS_MAX_CANDIDATE ||
           s->status == CHANG_ROBERTS_MAX_LOST;
}

static inline void become(struct chang_roberts_max *s, uint8_t status,
                          fc_name leader, struct chang_roberts_max_out *out)
{
    s->status = status;
    s->leader = leader;
    out->fx.notes |= FC_NOTE_VIEW;
}

/* Mark itself as a participant, send its identifier to its neighbour. */
static inline void on_start(struct chang_roberts_max *s,
                            const struct fc_named *me,
                            struct chang_roberts_max_out *out)
{
    if (takes_part(s))
        return;
    become(s, CHANG_ROBERTS_MAX_CANDIDATE, FC_NOBODY, out);
    send(out, CHANG_ROBERTS_MAX_ELECTION, me->name);
    out->fx.notes |= FC_NOTE_STARTED;
}

static inline void on_election(struct chang_roberts_max *s,
                               const struct fc_named *me, fc_name q,
                               struct chang_roberts_max_out *out)
{
    if (q > me->name) {
        /* Greater: mark itself as a participant, forward. */
        if (s->status != CHANG_ROBERTS_MAX_LOST)
            become(s, CHANG_ROBERTS_MAX_LOST, FC_NOBODY, out);
        send(out, CHANG_ROBERTS_MAX_ELECTION, q);
    } else if (q == me->name) {
        /* Its own: non-participant again, coordinator, announce it. */
        become(s, CHANG_ROBERTS_MAX_LEADER, me->name, out);
        send(out, CHANG_ROBERTS_MAX_ELECTED, me->name);
    } else if (!takes_part(s)) {
        /* Smaller: substitute its own identifier and send it on. */
        become(s, CHANG_ROBERTS_MAX_CANDIDATE, FC_NOBODY, out);
        send(out, CHANG_ROBERTS_MAX_ELECTION, me->name);
    } else {
        out->fx.notes |= FC_NOTE_DIES;
    }
}

static inline void on_elected(struct chang_roberts_max *s,
                              const struct chang_roberts_max_params *p,
                              const struct fc_named *me, fc_name q,
                              struct chang_roberts_max_out *out)
{
    if (q == me->name) {
        if (p->forwards) /* as the lecture has it: for ever */
            send(out, CHANG_ROBERTS_MAX_ELECTED, q);
        return;
    }
    become(s, CHANG_ROBERTS_MAX_DONE, q, out);
    send(out, CHANG_ROBERTS_MAX_ELECTED, q);
}

FC_API void chang_roberts_max_step(struct chang_roberts_max *s,
                                   const struct chang_roberts_max_params *p,
                                   const struct fc_named *me,
                                   const struct chang_roberts_max_in *in,
                                   struct chang_roberts_max_out *out)
{
    if (in->event.kind == FC_COMMAND)
        on_start(s, me, out);
    else if (in->event.kind != FC_MESSAGE)
        return;
    else if (fc_word_kind(in->msg) == CHANG_ROBERTS_MAX_ELECTION)
        on_election(s, me, fc_word_name(in->msg), out);
    else
        on_elected(s, p, me, fc_word_name(in->msg), out);
}

FC_API void chang_roberts_max_view(const struct chang_roberts_max *s,
                                   const struct fc_named *me,
                                   struct election_view *view)
{
    static const uint8_t roles[] = {
        [CHANG_ROBERTS_MAX_IDLE] = ELECTION_ASLEEP,
        [CHANG_ROBERTS_MAX_CANDIDATE] = ELECTION_CANDIDATE,
        [CHANG_ROBERTS_MAX_LOST] = ELECTION_LOST,
        [CHANG_ROBERTS_MAX_LEADER] = ELECTION_LEADER,
        [CHANG_ROBERTS_MAX_DONE] = ELECTION_DONE,
    };

    (void)me;
    *view = (struct election_view){
        .leader = s->leader,
        .role = roles[s->status],
    };
}

FC_API const char *
chang_roberts_max_sane(const struct chang_roberts_max *s,
                       const struct chang_roberts_max_params *p,
                       const struct fc_named *me)
{
    (void)s;
    (void)p;
    (void)me;
    return NULL;
}

FC_WORD_MESSAGES(chang_roberts_max, CHANG_ROBERTS_MAX_KINDS,
                 1u << CHANG_ROBERTS_MAX_ELECTION |
                     1u << CHANG_ROBERTS_MAX_ELECTED)

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [CHANG_ROBERTS_MAX_ELECTION] = {"election", "el", FC_CLAIMS},
    [CHANG_ROBERTS_MAX_ELECTED] = {"elected", "elected", FC_TELLS},
};

static const struct fc_param params[] = {
    {"coordinator", FC_PARAM_CHOICE,
     offsetof(struct chang_roberts_max_params, forwards), "absorbs",
     "absorbs|forwards",
     "what becomes of its own elected message: repaired, or as printed"},
};

static uint32_t claims(const void *params_in, const struct fc_world *w,
                       struct fc_claim out[FC_CLAIMS_MAX])
{
    (void)params_in;
    if (w->initiators != 1) /* the lecture counts one election */
        return 0;
    out[0] = (struct fc_claim){FC_COST_MESSAGES, FC_AT_MOST,
                               3 * (double)w->nodes - 1, "3N - 1"};
    return 1;
}

const struct fc_protocol chang_roberts_max_protocol = {
    .name = "chang-roberts-max",
    .title = "Chang and Roberts 1979: participants, greatest name",
    .idea = "A message carries the greatest name it has met; participants drop "
            "smaller ones.",
    .assumes = "distinct names, one direction, FIFO links; N unknown; any "
               "timing",
    .source = "E. Chang, R. Roberts, CACM 22 (1979); lecture 16",
    .problem = &election_problem,
    .topology = FC_RING,
    .needs = FC_NEEDS_FIFO,
    .winner = ELECTION_GREATEST,
    .kinds = kinds,
    .kinds_count = CHANG_ROBERTS_MAX_KINDS,
    .params = params,
    .params_count = sizeof params / sizeof params[0],
    .params_size = sizeof(struct chang_roberts_max_params),
    .state_size = sizeof(struct chang_roberts_max),
    .msg_size = sizeof(struct chang_roberts_max_msg),
    .horizon = election_pipeline_horizon,
    .claims = claims,
};

#endif
