/*
 * bully.c - election in a complete network, the greatest live id leads
 * (Garcia-Molina 1982).
 *
 * A process that notices that the coordinator has failed asks all those above
 * it.  The live ones answer, which means no, and ask those above them.  A
 * process that gets no answer leads and tells all those below.  A process that
 * comes back does the same, and so takes over from any lower one.  With N dead
 * and i noticing: (N-i)^2 + N-2 messages.
 *
 * Assumes bounds on steps and delays, reliable FIFO links, processes that only
 * halt; everybody knows everybody, and its own place.
 *
 * From: H. Garcia-Molina, IEEE ToC C-31 (1982), in the simpler versions of
 * lectures 16 and 22, which are quoted at the branches.  What they leave open
 * is a switch (README.md).
 */
#include "protocols/election/bully/bully.h"

#define TURN      bully
#define TURN_ROLE status
#include "core/turn.inc"

enum {
    IDLE = BULLY_IDLE,
    ELECTING = BULLY_ELECTING,
    WAITING = BULLY_WAITING,
    LEADER = BULLY_LEADER,
    ELECTION = BULLY_ELECTION,
    ANSWER = BULLY_ANSWER,
    COORDINATOR = BULLY_COORDINATOR,
};

enum { TIMER = 0 };

/* The first of those with the highest priority: the last process, unless there
 * are ties.  Everybody else has a priority of its own. */
static inline uint32_t highest(const struct bully_params *p,
                               const struct fc_member *me)
{
    uint32_t ties = p->ties ? p->ties : 1;

    return ties < me->nodes ? me->nodes - ties : 0;
}

/* Those with a higher priority are from here on... */
static inline uint32_t above(const struct bully_params *p,
                             const struct fc_member *me)
{
    return me->index < highest(p, me) ? me->index + 1 : me->nodes;
}

/* ...and those with a lower one end here. */
static inline uint32_t below(const struct bully_params *p,
                             const struct fc_member *me)
{
    return me->index < highest(p, me) ? me->index : highest(p, me);
}

static inline bool is_highest(const struct turn *t)
{
    return above(t->p, t->me) == t->me->nodes;
}

/* The kind `sending` goes to all above (election) or all below (coordinator).
 * They can be more than fit in one outbox, and more than a set can hold. */
static inline void send_rest(struct turn *t)
{
    uint32_t end =
        t->s->sending == ELECTION ? t->me->nodes : below(t->p, t->me);
    fc_name name = t->s->sending == COORDINATOR ? t->s->leader : FC_NOBODY;

    for (; t->s->next < end; t->s->next++) {
        if (outbox_full(t)) {
            go_on(t);
            return;
        }
        send_to(t, t->s->next, fc_word(t->s->sending, name));
    }
    t->s->sending = 0;
    t->s->next = 0;
}

/* BU-1: "It sends election messages to all threads with a higher priority.  It
 * then awaits an answer message." */
static inline void call_election(struct turn *t)
{
    become(t, ELECTING);
    t->s->leader = FC_NOBODY;
    t->s->sending = ELECTION;
    t->s->next = (uint16_t)above(t->p, t->me);
    start_timer(t, TIMER, t->p->answer_steps);
    send_rest(t);
}

static inline void tell_below(struct turn *t)
{
    t->s->sending = COORDINATOR;
    t->s->next = 0;
    send_rest(t);
}

/* BU-3: "It declares itself the coordinator, and sends a coordinator message to
 * all threads with a lower priority." */
static inline void lead(struct turn *t)
{
    become(t, LEADER);
    t->s->leader = t->me->index + 1;
    t->s->led = 1;
    stop_timer(t, TIMER);
    tell_below(t);
}

/* BU-1: "A thread begins an election when it notices the coordinator has
 * failed."  A process that leads or takes part notices nothing. */
static inline void on_start(struct turn *t)
{
    if (t->s->status != IDLE)
        return;
    obeyed(t);
    call_election(t);
}

/* BU-6: "When one restarts, it begins an election, unless it knows it has the
 * highest priority, in which case it just sends out coordinator messages."
 * What it knew before may be long out of date. */
static inline void on_boot(struct turn *t)
{
    *t->s = (struct bully){0};
    if (is_highest(t) && t->p->restart == BULLY_ANNOUNCES)
        lead(t);
    else
        call_election(t);
}

/* BU-2: "It sends back an answer message.  It begins another election unless it
 * has already begun one."  A leader has ended the one it began. */
static inline void on_election(struct turn *t)
{
    answer(t, fc_word(ANSWER, FC_NOBODY));
    if (t->s->status == IDLE || t->s->status == LEADER)
        call_election(t);
}

/* BU-4: "If an answer message does arrive, it waits a certain time for a
 * coordinator message."  The first answer counts; one that comes too late is
 * useless. */
static inline void on_answer(struct turn *t)
{
    if (t->s->status == ELECTING) {
        become(t, WAITING);
        start_timer(t, TIMER, t->p->coordinator_steps);
    } else if (t->s->status != WAITING) {
        drop(t);
    }
}

/* BU-5: "If a thread receives a coordinator message, it accepts the new
 * coordinator."
 *
 * Why a process that led should pass it on: (1) N-1 is about to lead when N
 * comes back; (2) N sends coordinator(N) to all below; (3) N-1 has not read it,
 * leads, and sends coordinator(N-1); (4) a process below reads (2) before (3),
 * and follows N-1 for good.  If N-1 passes (2) on, that is the last that anyone
 * hears of it, on links that keep the order. */
static inline void on_coordinator(struct turn *t)
{
    fc_name name = fc_word_name(*t->m);
    bool news = t->s->leader != name;

    become(t, IDLE);
    t->s->leader = name;
    stop_timer(t, TIMER);
    if (t->s->led && news && t->p->overruled == BULLY_TELLS)
        tell_below(t);
}

static inline void on_message(struct turn *t)
{
    if (fc_word_kind(*t->m) == ELECTION)
        on_election(t);
    else if (fc_word_kind(*t->m) == ANSWER)
        on_answer(t);
    else
        on_coordinator(t);
}

/* "If none arrives within a certain time": no answer, and it leads (BU-3); no
 * coordinator, and "it begins another election" (BU-4). */
static inline void on_timeout(struct turn *t)
{
    if (t->s->status == ELECTING)
        lead(t);
    else if (t->s->status == WAITING)
        call_election(t);
}

FC_STEP(bully)
{
    switch (t->event->kind) {
    case FC_BOOT:
        on_boot(t);
        break;
    case FC_MESSAGE:
        on_message(t);
        break;
    case FC_TIMEOUT:
        on_timeout(t);
        break;
    case FC_GO_ON:
        if (t->s->sending)
            send_rest(t);
        break;
    case FC_COMMAND:
        on_start(t);
        break;
    default:
        break;
    }
}

FC_VIEW(bully)
{
    static const uint8_t roles[] = {
        [IDLE] = ELECTION_DONE,
        [ELECTING] = ELECTION_CANDIDATE,
        [WAITING] = ELECTION_LOST,
        [LEADER] = ELECTION_LEADER,
    };
    bool asleep = s->status == IDLE && s->leader == FC_NOBODY;

    *view = (struct election_view){
        .leader = s->leader,
        .role = asleep ? ELECTION_ASLEEP : roles[s->status],
    };
}

FC_INVARIANT(bully)
{
    if (s->status > LEADER || s->led > 1)
        return "status and flags are in range";
    if (s->leader > me->nodes)
        return "the leader is one of the processes";
    if ((s->status == ELECTING || s->status == WAITING) && s->leader)
        return "a process in an election names no leader";
    if (s->status == LEADER && (!s->led || s->leader != me->index + 1))
        return "a leader names itself, and has led";
    if (s->sending == 0
            ? s->next != 0
            : s->next > (s->sending == ELECTION ? me->nodes : below(p, me)))
        return "messages go to those above, or to those below";
    return NULL;
}

FC_STATE_FIELDS(bully) = {
    FIELD(MAYBE, leader),
    FIELD(NUMBER, next),
    FIELD_WORD(sending, "nothing", "election", "answer", "coordinator"),
    FIELD_WORD(status, "idle", "electing", "waiting", "leader"),
    FIELD(YES, led),
};

FC_WORD_MESSAGES(bully, BULLY_KINDS, 1u << COORDINATOR)

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [ELECTION] = {"election", "election", FC_CALLS},
    [ANSWER] = {"answer", "answer", FC_REFUSES},
    [COORDINATOR] = {"coordinator", "coordinator", FC_TELLS},
};

static const struct fc_param params[] = {
    {"timeout", FC_PARAM_CHOICE, AT(timeout), "auto", "auto|half|long",
     "both timeouts: as the bounds demand, half, or twice as long"},
    {"restart", FC_PARAM_CHOICE, AT(restart), "announce", "announce|election",
     "the highest one when it comes back: leads at once, or calls an election"},
    {"overruled", FC_PARAM_CHOICE, AT(overruled), "yields", "yields|tells",
     "one that led and hears of a higher one: yields, or tells those below"},
    {"ties", FC_PARAM_NUMBER, AT(ties), "1", "1..64",
     "so many of the highest have one priority; more than 1 is against the "
     "assumption"},
};

/*
 * A message is read within u = dmax + rmax of being sent, and an answer is
 * sent in the step that reads the question: 2u for both.  A timer of T steps
 * runs for T rmin at least, so T = 2u/rmin; what has arrived is read before a
 * timer is tested.
 *
 * The greatest live process reads the question of a waiting one within u, leads
 * T steps (at most T rmax ticks) later unless it did before, and is heard of
 * within another u.
 */
static const char *prepare(void *params_out, const struct fc_world *world)
{
    struct bully_params *p = params_out;
    uint64_t rmin = world->bounds.rmin, round = fc_times(2, fc_hop(world));
    uint64_t answer = fc_divide_up(round, rmin);
    uint64_t ticks = fc_add(fc_times(answer, world->bounds.rmax), round);

    if (world->nodes > FC_EVERYONE)
        return "links are counted in 16 bits: take at most 65535 nodes";
    if (fc_times(ticks, world->bounds.rmax) >= UINT64_C(1) << 60)
        return "the timeouts do not fit in 60 bits: take smaller bounds, or "
               "bounds that are closer together";
    p->answer_steps = answer;
    p->coordinator_steps = fc_divide_up(ticks, rmin);
    if (p->timeout == BULLY_HALF) {
        p->answer_steps = fc_divide_up(p->answer_steps, 2);
        p->coordinator_steps = fc_divide_up(p->coordinator_steps, 2);
    } else if (p->timeout == BULLY_LONG) {
        p->answer_steps *= 2;
        p->coordinator_steps *= 2;
    }
    return NULL;
}

/* Both timeouts and a few messages for one attempt; an attempt fails only if a
 * process crashes within it, and one that is down long enough is not waited
 * for: N attempts, and as many after restarts. */
static uint64_t horizon(const void *params_in, const struct fc_world *w)
{
    const struct bully_params *p = params_in;
    uint64_t waits = fc_add(p->answer_steps, p->coordinator_steps);
    uint64_t attempt =
        fc_add(fc_times(waits, w->bounds.rmax), fc_times(4, fc_hop(w)));

    return fc_times(fc_times(2, fc_add(w->nodes, 1)), attempt);
}

/* With timeouts as the bounds demand, the worst process to notice is the least:
 * everybody asks all above, all of them answer, one tells. */
FC_COSTS(bully)
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
    .idea = "Ask everybody above; a process that gets no answer in time leads, "
            "and tells everybody below.",
    .assumes = "everybody is linked with everybody; bounds on steps and "
               "delays; reliable FIFO links; processes halt and may come back",
    .source = "H. Garcia-Molina, IEEE ToC C-31 (1982); lectures 16 and 22",
    FC_ENTRY(bully, kinds),
    .needs = FC_NEEDS_FIFO | FC_NEEDS_BOUNDS | FC_NEEDS_TIME,
    .bears = FC_BEARS_CRASHES,
    FC_TERMS(bully, .winner = ELECTION_GREATEST_ALIVE),
    FC_PARAMS(params),
    .prepare = prepare,
    .horizon = horizon,
    FC_COSTS_OF(bully),
};

#endif
