/*
 * eager.c - election on a ring: a solution of exercise 9.
 *
 * Every node that starts sends a token with its name.  A candidate drops tokens
 * with larger names; the one whose token comes back leads, and says so.
 *
 * Elects the least initiator on a unidirectional ring with distinct
 * names and reliable links in any order.
 */
#include "protocols/election/eager/eager.h"

#define TURN      eager
#define TURN_ROLE status
#include "core/turn.inc"

enum {
    ASLEEP = EAGER_ASLEEP,
    CANDIDATE = EAGER_CANDIDATE,
    LOST = EAGER_LOST,
    LEADER = EAGER_LEADER,
    DONE = EAGER_DONE,
    TOKEN = EAGER_TOKEN,
    ELECTED = EAGER_ELECTED,
};

static inline void on_start(struct turn *t)
{
    if (t->s->status != ASLEEP)
        return;
    obeyed(t);
    become(t, CANDIDATE);
    send_on(t, fc_word(TOKEN, t->me->name));
}

static inline void on_token(struct turn *t)
{
    fc_name name = fc_word_name(*t->m);

    if (t->s->status == LEADER || t->s->status == DONE) {
        /* (1) The token of 1 overtakes that of 3, and 1 leads; (2) the token of
         * 3 comes by: no candidate is left that would drop it, and it would go
         * round for ever. */
        drop(t);
    } else if (t->s->status != CANDIDATE) {
        /* A node that has passed on a token must not start any more: it might
         * have the least name, and the token's owner leads already. */
        become(t, LOST);
        pass_on(t);
    } else if (name == t->me->name) {
        become(t, LEADER);
        t->s->leader = name;
        send_on(t, fc_word(ELECTED, name));
    } else if (name > t->me->name) {
        drop(t);
    } else {
        become(t, LOST);
        pass_on(t);
    }
}

static inline void on_elected(struct turn *t)
{
    if (t->s->leader != FC_NOBODY)
        return;
    become(t, DONE);
    t->s->leader = fc_word_name(*t->m);
    pass_on(t);
}

FC_STEP(eager)
{
    if (t->event->kind == FC_COMMAND)
        on_start(t);
    else if (t->event->kind == FC_MESSAGE)
        fc_word_kind(*t->m) == TOKEN ? on_token(t) : on_elected(t);
}

FC_VIEW(eager)
{
    static const uint8_t roles[] = {
        [ASLEEP] = ELECTION_ASLEEP, [CANDIDATE] = ELECTION_CANDIDATE,
        [LOST] = ELECTION_LOST,     [LEADER] = ELECTION_LEADER,
        [DONE] = ELECTION_DONE,
    };

    *view = (struct election_view){
        .leader = s->leader,
        .role = roles[s->status],
    };
}

FC_INVARIANT(eager)
{
    if (s->status > DONE)
        return "the status is in range";
    if ((s->leader != FC_NOBODY) != (s->status == LEADER || s->status == DONE))
        return "a node knows a leader exactly when the election is over for it";
    return NULL;
}

FC_STATE_FIELDS(eager) = {
    FIELD(NAME, leader),
    FIELD_WORD(status, "asleep", "candidate", "lost", "leader", "done"),
};

FC_WORD_MESSAGES(eager, EAGER_KINDS, 1u << TOKEN | 1u << ELECTED)

#ifndef FC_TYPED

static const struct fc_message_kind kinds[] = {
    [TOKEN] = {"token", "tok", FC_CLAIMS},
    [ELECTED] = {"elected", "elected", FC_TELLS},
};

const struct fc_protocol eager_protocol = {
    .name = "eager",
    .title = "exercise 9: least initiator, repaired",
    .idea = "Tokens with larger names die at candidates; the least comes back.",
    .assumes = "distinct names, one direction, any order of messages; N "
               "unknown; any timing",
    .source = "docs/exercises/README.md",
    FC_ENTRY(eager, kinds),
    FC_TERMS(eager, .winner = ELECTION_LEAST_INITIATOR),
    .horizon = election_pipeline_horizon,
};

#endif
