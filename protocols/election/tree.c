/*
 * tree.c - election on a tree by saturation, the least name leads.
 *
 * Whoever starts wakes the whole tree.  A leaf reports its name to its only
 * neighbour; a node that has heard from all neighbours but one reports the
 * least name it knows to that one.  So the reports close in from the leaves,
 * and exactly two neighbours report to each other: both know the least name of
 * all, and tell the others.  k nodes that start by themselves: 3N+k-4
 * messages, for every tree.
 *
 * Assumes a tree, distinct names, reliable links in both directions; any order
 * of messages, no timing at all.  Nobody knows how many there are.  A node has
 * at most TREE_PORTS_MAX links.
 *
 * From: the tree algorithm that the summary of lecture 22 names, as in G. Tel,
 * Introduction to Distributed Algorithms (2000), and, as full saturation, in
 * N. Santoro, Design and Analysis of Distributed Algorithms (2007).
 */
#include "protocols/election/tree.h"

static inline void send(struct tree_out *out, uint32_t kind, fc_name name,
                        uint32_t link)
{
    out->fx.to[out->fx.sends] = (uint16_t)link;
    out->send[out->fx.sends++] = fc_word(kind, name);
}

/* The links by which no report came. */
static inline uint64_t unheard(const struct tree *s, const struct fc_joint *me)
{
    uint64_t all = me->ports == TREE_PORTS_MAX ? UINT64_MAX
                                               : (UINT64_C(1) << me->ports) - 1;

    return all & ~s->heard;
}

/* All names are in.  Those behind the link know, or hear it from there. */
static inline void decide(struct tree *s, const struct fc_joint *me,
                          struct tree_out *out)
{
    s->status = s->least == me->name ? TREE_LEADER : TREE_DONE;
    s->sending = TREE_ELECTED;
    s->next = 0;
    out->fx.notes |= FC_NOTE_VIEW;
}

/* The kind `sending` goes to all links but one.  That can be more than fit in
 * one outbox: a choice among one is then how the step goes on.  False: it has
 * to. */
static inline bool send_on(struct tree *s, const struct fc_joint *me,
                           struct tree_out *out)
{
    fc_name name = s->sending == TREE_ELECTED ? s->least : FC_NOBODY;

    for (; s->sending && s->next < me->ports; s->next++) {
        if (s->next == s->link)
            continue;
        if (out->fx.sends == FC_SENDS) {
            out->fx.choose = 1;
            return false;
        }
        send(out, s->sending, name, s->next);
    }
    s->sending = 0;
    s->next = 0;
    return true;
}

/* One neighbour is left: the least name of this side is for it. */
static inline void report_last(struct tree *s, const struct fc_joint *me,
                               struct tree_out *out)
{
    uint64_t left = unheard(s, me);

    if (s->status != TREE_AWAKE || (left & (left - 1)) != 0)
        return;
    if (left == 0) { /* it has no neighbours at all */
        decide(s, me, out);
        s->sending = 0;
        return;
    }
    if (out->fx.sends == FC_SENDS) {
        out->fx.choose = 1;
        return;
    }
    s->status = TREE_SENT;
    s->link = (uint8_t)__builtin_ctzll(left);
    send(out, TREE_REPORT, s->least, s->link);
}

static inline void proceed(struct tree *s, const struct fc_joint *me,
                           struct tree_out *out)
{
    if (send_on(s, me, out))
        report_last(s, me, out);
}

/* The wave that wakes everybody; `from` is awake, but may be told as well. */
static inline void wake(struct tree *s, const struct tree_params *p,
                        const struct fc_joint *me, uint32_t from,
                        struct tree_out *out)
{
    s->status = TREE_AWAKE;
    s->least = me->name;
    s->link = p->wakeup == TREE_ALL ? TREE_PORTS_MAX : (uint8_t)from;
    s->sending = TREE_WAKEUP;
    s->next = 0;
    out->fx.notes |= FC_NOTE_VIEW;
    proceed(s, me, out);
}

static inline void on_start(struct tree *s, const struct tree_params *p,
                            const struct fc_joint *me, struct tree_out *out)
{
    if (s->status != TREE_ASLEEP)
        return;
    out->fx.notes |= FC_NOTE_STARTED;
    wake(s, p, me, TREE_PORTS_MAX, out);
}

/* A report can overtake the wake-up before it, and wakes as well. */
static inline void on_report(struct tree *s, const struct tree_params *p,
                             const struct fc_joint *me, uint32_t from,
                             fc_name name, struct tree_out *out)
{
    if (s->status == TREE_ASLEEP)
        wake(s, p, me, from, out);
    if (s->status > TREE_SENT) {
        out->fx.notes |= FC_NOTE_DIES;
        return;
    }
    if (name < s->least) {
        s->least = name;
        out->fx.notes |= FC_NOTE_VIEW;
    }
    if (s->status == TREE_SENT) /* by the link that its own report took */
        decide(s, me, out);
    else
        s->heard |= UINT64_C(1) << from;
    proceed(s, me, out);
}

static inline void on_elected(struct tree *s, const struct fc_joint *me,
                              fc_name name, struct tree_out *out)
{
    if (s->status != TREE_SENT) {
        out->fx.notes |= FC_NOTE_DIES;
        return;
    }
    s->least = name;
    decide(s, me, out);
    proceed(s, me, out);
}

static inline void on_message(struct tree *s, const struct tree_params *p,
                              const struct fc_joint *me,
                              const struct tree_in *in, struct tree_out *out)
{
    uint32_t from = in->event.port;

    switch (fc_word_kind(in->msg)) {
    case TREE_WAKEUP:
        if (s->status == TREE_ASLEEP)
            wake(s, p, me, from, out);
        break;
    case TREE_REPORT:
        on_report(s, p, me, from, fc_word_name(in->msg), out);
        break;
    default:
        on_elected(s, me, fc_word_name(in->msg), out);
        break;
    }
}

FC_API void tree_step(struct tree *s, const struct tree_params *p,
                      const struct fc_joint *me, const struct tree_in *in,
                      struct tree_out *out)
{
    if (in->event.kind == FC_COMMAND)
        on_start(s, p, me, out);
    else if (in->event.kind == FC_CHOICE)
        proceed(s, me, out);
    else if (in->event.kind == FC_MESSAGE)
        on_message(s, p, me, in, out);
}

FC_API void tree_view(const struct tree *s, const struct fc_joint *me,
                      struct election_view *view)
{
    bool told = s->status == TREE_DONE || s->status == TREE_LEADER;
    uint8_t role = s->least == me->name ? ELECTION_CANDIDATE : ELECTION_LOST;

    if (s->status == TREE_ASLEEP)
        role = ELECTION_ASLEEP;
    else if (told)
        role = s->status == TREE_LEADER ? ELECTION_LEADER : ELECTION_DONE;
    *view = (struct election_view){
        .leader = told ? s->least : FC_NOBODY,
        .role = role,
    };
}

FC_API const char *tree_sane(const struct tree *s, const struct tree_params *p,
                             const struct fc_joint *me)
{
    (void)s;
    (void)p;
    (void)me;
    return NULL;
}

FC_WORD_MESSAGES(tree, TREE_KINDS, 1u << TREE_REPORT | 1u << TREE_ELECTED)

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [TREE_WAKEUP] = {"wakeup", "wake-up", FC_CALLS},
    [TREE_REPORT] = {"report", "least", FC_CLAIMS},
    [TREE_ELECTED] = {"elected", "elected", FC_TELLS},
};

#define AT(field) offsetof(struct tree_params, field)
static const struct fc_param params[] = {
    {"wakeup", FC_PARAM_CHOICE, AT(wakeup), "others", "others|all",
     "whom a woken node wakes: all but who woke it, or (Tel) all"},
};

/* Each node sends one report; each link but that between the two who reported
 * to each other carries elected once; wake-ups go by every link in both
 * directions, or by one less for everybody who was woken. */
static uint32_t claims(const void *params_in, const struct fc_world *w,
                       struct fc_claim out[FC_CLAIMS_MAX])
{
    const struct tree_params *p = params_in;
    double n = (double)w->nodes, k = (double)w->initiators;

    if (w->nodes < 2 || k < 1)
        return 0;
    if (p->wakeup == TREE_ALL)
        out[0] = (struct fc_claim){FC_COST_MESSAGES, FC_EXACTLY, 4 * n - 4,
                                   "4N - 4"};
    else if (w->initiators == 1)
        out[0] = (struct fc_claim){FC_COST_MESSAGES, FC_EXACTLY, 3 * n - 3,
                                   "3N - 3"};
    else /* some of the k may be woken before they start */
        out[0] = (struct fc_claim){FC_COST_MESSAGES, FC_AT_MOST, 3 * n + k - 4,
                                   "3N + k - 4"};
    return 1;
}

const struct fc_protocol tree_protocol = {
    .name = "tree",
    .title = "Tree algorithm (saturation): least name",
    .idea = "Reports close in from the leaves until two neighbours report to "
            "each other: they know the least name of all.",
    .assumes = "a tree, at most 64 links a node, distinct names, any order of "
               "messages; N unknown; any timing",
    .source = "lecture 22, summary; G. Tel 2000; N. Santoro 2007",
    .problem = &election_problem,
    .topology = FC_TREE,
    .winner = ELECTION_LEAST,
    .kinds = kinds,
    .kinds_count = TREE_KINDS,
    .params = params,
    .params_count = sizeof params / sizeof params[0],
    .params_size = sizeof(struct tree_params),
    .state_size = sizeof(struct tree),
    .msg_size = sizeof(struct tree_msg),
    .horizon = election_pipeline_horizon,
    .claims = claims,
};

#endif
