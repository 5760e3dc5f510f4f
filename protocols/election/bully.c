/*
 * bully.c - election in a complete network, the greatest live id leads
 * (Garcia-Molina 1982).
 *
 * Whoever notices that the coordinator has failed asks everybody above it.
 * Those who live answer, which means no, and ask those above them.  Whoever is
 * not answered leads and tells everybody below.  A process that comes back
 * does the same, and so takes over from any lower one.  N dead and i noticing:
 * (N-i)^2 + N-2 messages.
 *
 * Assumes bounds on steps and delays, reliable FIFO links, processes that only
 * halt; everybody knows everybody, and its own place.
 *
 * From: H. Garcia-Molina, IEEE ToC C-31 (1982), in the simpler versions of
 * lectures 16 and 22, which are quoted at the branches.  What they leave open
 * is a switch (docs/protocols/bully.md).
 */
#include "protocols/election/bully.h"

enum { TIMER = 0 };

static inline bool is_highest(const struct fc_member *me)
{
    return me->index + 1 == me->nodes;
}

/* The kind `sending` goes to all above (election) or all below (coordinator).
 * That can be more than fit in one outbox: a choice among one is then how the
 * step goes on. */
static inline void send_on(struct bully *s, const struct fc_member *me,
                           struct bully_out *out)
{
    uint32_t end = s->sending == BULLY_ELECTION ? me->nodes : me->index;
    fc_name name = s->sending == BULLY_COORDINATOR ? s->leader : FC_NOBODY;

    for (; s->next < end; s->next++) {
        if (out->fx.sends == FC_SENDS) {
            out->fx.choose = 1;
            return;
        }
        out->fx.to[out->fx.sends] = s->next;
        out->send[out->fx.sends++] = fc_word(s->sending, name);
    }
    s->sending = 0;
    s->next = 0;
}

static inline void arm(struct bully_out *out, uint64_t steps)
{
    out->fx.arm = 1u << TIMER;
    out->fx.steps[TIMER] = steps;
}

/* "It sends election messages to all threads with a higher priority.  It then
 * awaits an answer message." */
static inline void call_election(struct bully *s, const struct bully_params *p,
                                 const struct fc_member *me,
                                 struct bully_out *out)
{
    s->leader = FC_NOBODY;
    s->status = BULLY_ELECTING;
    s->sending = BULLY_ELECTION;
    s->next = (uint16_t)(me->index + 1);
    arm(out, p->answer_steps);
    out->fx.notes |= FC_NOTE_VIEW;
    send_on(s, me, out);
}

static inline void tell_below(struct bully *s, const struct fc_member *me,
                              struct bully_out *out)
{
    s->sending = BULLY_COORDINATOR;
    s->next = 0;
    send_on(s, me, out);
}

/* "It declares itself the coordinator, and sends a coordinator message to all
 * threads with a lower priority." */
static inline void lead(struct bully *s, const struct fc_member *me,
                        struct bully_out *out)
{
    s->leader = me->index + 1;
    s->status = BULLY_LEADER;
    s->led = 1;
    out->fx.disarm = 1u << TIMER;
    out->fx.notes |= FC_NOTE_VIEW;
    tell_below(s, me, out);
}

/* "A thread begins an election when it notices the coordinator has failed."
 * Who leads, or takes part, notices nothing. */
static inline void on_start(struct bully *s, const struct bully_params *p,
                            const struct fc_member *me, struct bully_out *out)
{
    if (s->status != BULLY_IDLE)
        return;
    out->fx.notes |= FC_NOTE_STARTED;
    call_election(s, p, me, out);
}

/* "When one restarts, it begins an election, unless it knows it has the
 * highest priority, in which case it just sends out coordinator messages."
 * What it knew before may be long out of date. */
static inline void on_boot(struct bully *s, const struct bully_params *p,
                           const struct fc_member *me, struct bully_out *out)
{
    *s = (struct bully){0};
    if (is_highest(me) && p->restart == BULLY_ANNOUNCES)
        lead(s, me, out);
    else
        call_election(s, p, me, out);
}

/* "It sends back an answer message.  It begins another election unless it has
 * already begun one."  A leader has ended the one it began. */
static inline void on_election(struct bully *s, const struct bully_params *p,
                               const struct fc_member *me, uint16_t from,
                               struct bully_out *out)
{
    out->fx.to[0] = from;
    out->send[0] = fc_word(BULLY_ANSWER, FC_NOBODY);
    out->fx.sends = 1;
    if (s->status == BULLY_IDLE || s->status == BULLY_LEADER)
        call_election(s, p, me, out);
}

/* "If an answer message does arrive, it waits a certain time for a coordinator
 * message."  The first answer counts; one that comes too late is no use. */
static inline void on_answer(struct bully *s, const struct bully_params *p,
                             struct bully_out *out)
{
    if (s->status != BULLY_ELECTING) {
        if (s->status != BULLY_WAITING)
            out->fx.notes |= FC_NOTE_DIES;
        return;
    }
    s->status = BULLY_WAITING;
    arm(out, p->coordinator_steps);
    out->fx.notes |= FC_NOTE_VIEW;
}

/* "If a thread receives a coordinator message, it accepts the new
 * coordinator."
 *
 * Why one that led should pass it on: (1) N-1 is about to lead when N comes
 * back; (2) N sends coordinator(N) to all below; (3) N-1 has not read it,
 * leads, and sends coordinator(N-1); (4) somebody below reads (2) before (3),
 * and follows N-1 for good.  If N-1 passes (2) on, that is the last that
 * anybody hears of it, on links that keep the order. */
static inline void on_coordinator(struct bully *s, const struct bully_params *p,
                                  const struct fc_member *me, fc_name name,
                                  struct bully_out *out)
{
    bool news = s->leader != name;

    s->leader = name;
    s->status = BULLY_IDLE;
    out->fx.disarm = 1u << TIMER;
    out->fx.notes |= FC_NOTE_VIEW;
    if (s->led && news && p->overruled == BULLY_TELLS)
        tell_below(s, me, out);
}

static inline void on_message(struct bully *s, const struct bully_params *p,
                              const struct fc_member *me,
                              const struct bully_in *in, struct bully_out *out)
{
    switch (fc_word_kind(in->msg)) {
    case BULLY_ELECTION:
        on_election(s, p, me, in->event.port, out);
        break;
    case BULLY_ANSWER:
        on_answer(s, p, out);
        break;
    default:
        on_coordinator(s, p, me, fc_word_name(in->msg), out);
        break;
    }
}

/* "If none arrives within a certain time": no answer, and it leads; no
 * coordinator, and "it begins another election". */
static inline void on_timeout(struct bully *s, const struct bully_params *p,
                              const struct fc_member *me, struct bully_out *out)
{
    if (s->status == BULLY_ELECTING)
        lead(s, me, out);
    else if (s->status == BULLY_WAITING)
        call_election(s, p, me, out);
}

FC_API void bully_step(struct bully *s, const struct bully_params *p,
                       const struct fc_member *me, const struct bully_in *in,
                       struct bully_out *out)
{
    switch (in->event.kind) {
    case FC_BOOT:
        on_boot(s, p, me, out);
        break;
    case FC_MESSAGE:
        on_message(s, p, me, in, out);
        break;
    case FC_TIMEOUT:
        on_timeout(s, p, me, out);
        break;
    case FC_CHOICE:
        if (s->sending)
            send_on(s, me, out);
        break;
    case FC_COMMAND:
        on_start(s, p, me, out);
        break;
    default:
        break;
    }
}

FC_API void bully_view(const struct bully *s, const struct fc_member *me,
                       struct election_view *view)
{
    static const uint8_t roles[] = {
        [BULLY_IDLE] = ELECTION_DONE,
        [BULLY_ELECTING] = ELECTION_CANDIDATE,
        [BULLY_WAITING] = ELECTION_LOST,
        [BULLY_LEADER] = ELECTION_LEADER,
    };
    bool asleep = s->status == BULLY_IDLE && s->leader == FC_NOBODY;

    (void)me;
    *view = (struct election_view){
        .leader = s->leader,
        .role = asleep ? ELECTION_ASLEEP : roles[s->status],
    };
}

FC_API const char *bully_sane(const struct bully *s,
                              const struct bully_params *p,
                              const struct fc_member *me)
{
    (void)s;
    (void)p;
    (void)me;
    return NULL;
}

FC_WORD_MESSAGES(bully, BULLY_KINDS, 1u << BULLY_COORDINATOR)

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [BULLY_ELECTION] = {"election", "election", FC_CALLS},
    [BULLY_ANSWER] = {"answer", "answer", FC_REFUSES},
    [BULLY_COORDINATOR] = {"coordinator", "coordinator", FC_TELLS},
};

#define AT(field) offsetof(struct bully_params, field)
static const struct fc_param params[] = {
    {"timeout", FC_PARAM_CHOICE, AT(timeout), "auto", "auto|half|long",
     "both timeouts: as the bounds demand, half, or twice as long"},
    {"restart", FC_PARAM_CHOICE, AT(restart), "announce", "announce|election",
     "the highest one when it comes back: leads at once, or calls an election"},
    {"overruled", FC_PARAM_CHOICE, AT(overruled), "yields", "yields|tells",
     "one that led and hears of a higher one: yields, or tells those below"},
};

static uint64_t hop(const struct fc_world *w)
{
    return fc_add(w->bounds.rmax, w->bounds.dmax);
}

/* How many steps last at least so many ticks. */
static uint64_t steps_of(uint64_t ticks, uint64_t rmin)
{
    return ticks / rmin + (ticks % rmin != 0);
}

/*
 * A message is read within u = dmax + rmax of being sent, and an answer is
 * sent in the step that reads the question: 2u for both.  A timer of T steps
 * runs for T rmin at least, so T = 2u/rmin; what has arrived is read before a
 * timer is tested.
 *
 * The greatest live process reads the question of whoever waits within u,
 * leads T steps, at most T rmax, later unless it did before, and is heard of
 * within another u.
 */
static const char *prepare(void *params_out, const struct fc_world *world)
{
    struct bully_params *p = params_out;
    uint64_t rmin = world->bounds.rmin, round = fc_times(2, hop(world));
    uint64_t answer = steps_of(round, rmin);
    uint64_t ticks = fc_add(fc_times(answer, world->bounds.rmax), round);

    if (world->nodes > FC_EVERYONE)
        return "links are counted in 16 bits: take at most 65535 nodes";
    if (fc_times(ticks, world->bounds.rmax) >= UINT64_C(1) << 60)
        return "the timeouts do not fit in 60 bits: take smaller bounds, or "
               "bounds that are closer together";
    p->answer_steps = answer;
    p->coordinator_steps = steps_of(ticks, rmin);
    if (p->timeout == BULLY_HALF) {
        p->answer_steps = steps_of(p->answer_steps, 2);
        p->coordinator_steps = steps_of(p->coordinator_steps, 2);
    } else if (p->timeout == BULLY_LONG) {
        p->answer_steps *= 2;
        p->coordinator_steps *= 2;
    }
    return NULL;
}

/* Both timeouts and a few messages for one attempt; an attempt fails only if
 * somebody crashes within it, and who is down long enough is not waited for:
 * N attempts, and as many after restarts. */
static uint64_t horizon(const void *params_in, const struct fc_world *w)
{
    const struct bully_params *p = params_in;
    uint64_t waits = fc_add(p->answer_steps, p->coordinator_steps);
    uint64_t attempt =
        fc_add(fc_times(waits, w->bounds.rmax), fc_times(4, hop(w)));

    return fc_times(fc_times(2, fc_add(w->nodes, 1)), attempt);
}

/* With timeouts as the bounds demand, one that notices is worst if it is the
 * least: everybody asks all above, all of them answer, one tells. */
static uint32_t claims(const void *params_in, const struct fc_world *w,
                       struct fc_claim out[FC_CLAIMS_MAX])
{
    const struct bully_params *p = params_in;
    double n = (double)w->nodes;

    if (w->initiators != 1 || p->timeout == BULLY_HALF)
        return 0;
    out[0] =
        (struct fc_claim){FC_COST_MESSAGES, FC_AT_MOST, n * n - 1, "N^2 - 1"};
    return 1;
}

const struct fc_protocol bully_protocol = {
    .name = "bully",
    .title = "Garcia-Molina 1982: bully, greatest live id",
    .idea = "Ask everybody above; whoever is not answered in time leads, and "
            "tells everybody below.",
    .assumes = "everybody is linked with everybody; bounds on steps and "
               "delays; reliable FIFO links; processes halt and may come back",
    .source = "H. Garcia-Molina, IEEE ToC C-31 (1982); lectures 16 and 22",
    .problem = &election_problem,
    .topology = FC_COMPLETE,
    .bears = FC_BEARS_CRASHES,
    .winner = ELECTION_GREATEST_ALIVE,
    .kinds = kinds,
    .kinds_count = BULLY_KINDS,
    .params = params,
    .params_count = sizeof params / sizeof params[0],
    .params_size = sizeof(struct bully_params),
    .state_size = sizeof(struct bully),
    .msg_size = sizeof(struct bully_msg),
    .prepare = prepare,
    .horizon = horizon,
    .claims = claims,
};

#endif
