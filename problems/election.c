/*
 * election.c - the properties of an election (see election.h).
 */
#include "problems/election.h"

static const char *const properties[] = {
    "one-leader",    "agreement", "right-leader", "elected",
    "everyone-told", "ends",      "right-answer",
};

static const char *const commands[] = {[ELECTION_START] = "wake"};

static uint32_t becomes_leader(const void *before, const void *after)
{
    const struct election_view *old = before, *new = after;

    return old->role != ELECTION_LEADER && new->role == ELECTION_LEADER;
}

FC_UNUSED static const struct fc_quantity quantities[] = {
    {"leaders", "leaders", "how often a node becomes leader", FC_OVER_RUN, 0,
     becomes_leader},
};

struct election_terms election_terms_of(const struct fc_protocol *p)
{
    const struct election_terms *terms = fc_terms(p, &election_problem);

    return terms ? *terms : (struct election_terms){0};
}

static fc_name expected(const struct fc_protocol *p,
                        const struct fc_world *world)
{
    return election_expected(election_terms_of(p).winner, world);
}

FC_UNUSED static const char *promised(const struct fc_protocol *p)
{
    static const char *const winners[] = {
        [ELECTION_LEAST] = "least name",
        [ELECTION_GREATEST] = "greatest name",
        [ELECTION_LEAST_INITIATOR] = "least initiator",
        [ELECTION_GREATEST_INITIATOR] = "greatest initiator",
        [ELECTION_ANYBODY] = "one of them",
        [ELECTION_GREATEST_ALIVE] = "greatest alive",
    };

    return winners[election_terms_of(p).winner];
}

FC_UNUSED static const char *answers(const struct fc_protocol *p)
{
    static const char *const uses[] = {
        [ELECTION_NO_ANSWER] = NULL,
        [ELECTION_SIZE] = "processors on the ring",
        [ELECTION_SORTED] = "names in order from the leader",
        [ELECTION_NAMED] = "processors, and a name for each",
    };

    return uses[election_terms_of(p).answer];
}

static const char *const roles[] = {
    [ELECTION_ASLEEP] = "asleep",       [ELECTION_DONE] = "done",
    [ELECTION_LOST] = "lost",           [ELECTION_AWAKE] = "awake",
    [ELECTION_CANDIDATE] = "candidate", [ELECTION_LEADER] = "leader",
};

const struct fc_problem election_problem = {
    .name = "election",
    .properties = properties,
    .properties_count = ELECTION_PROPERTIES,
    .ends = ELECTION_ENDS,
    .commands = commands,
    .commands_count = FC_COUNT(commands),
    .first = "asleep",
#ifndef FC_FIRMWARE
    .shows = roles,
    .shows_count = FC_COUNT(roles),
#endif
    .expected = expected,
    .reached = "elected at",
    .goal = "elected",
    FC_CAME_OF(chosen, "leader", promised, ELECTION_RIGHT_LEADER),
    FC_CAME_OF(answer, "answer", answers, ELECTION_RIGHT_ANSWER),
    .relies = "leader",
    .comes = "leads",
    FC_MEASURES(quantities),
};

void election_begin(struct election_watch *w, const struct fc_protocol *p,
                    const void *params, const struct fc_world *world)
{
    struct election_terms terms = election_terms_of(p);

    (void)params;
    *w = (struct election_watch){
        .world = world,
        .winner = terms.winner,
        .answer = terms.answer,
        .nodes = world->nodes,
        .elected_at = FC_NEVER,
    };
}

void election_started(struct election_watch *w, fc_name name)
{
    w->started++;
    if (!w->least_started || name < w->least_started)
        w->least_started = name;
    if (name > w->greatest_started)
        w->greatest_started = name;
}

uint32_t election_changed(struct election_watch *w, fc_name id,
                          const struct election_view *before,
                          const struct election_view *after, uint64_t now)
{
    uint32_t broken = 0;

    if (before->role == ELECTION_LEADER)
        w->leaders--;
    if (after->role == ELECTION_LEADER) {
        w->leaders++;
        if (w->elected_at == FC_NEVER) {
            w->elected_at = now;
            w->leader_id = id;
        }
    }
    if (w->leaders > 1 && !w->changing)
        broken |= ELECTION_ONE_LEADER;

    w->told -= before->leader != FC_NOBODY;
    w->told += after->leader != FC_NOBODY;
    if (after->leader != FC_NOBODY) {
        if (w->leader == FC_NOBODY)
            w->leader = after->leader;
        if (w->leader != after->leader && !w->changing)
            broken |= ELECTION_AGREEMENT;
    }
    broken &= ~w->broken;
    w->broken |= broken;
    return broken;
}

void election_crashed(struct election_watch *w,
                      const struct election_view *view)
{
    w->changing = true;
    w->down++;
    w->leaders -= view->role == ELECTION_LEADER;
    w->told -= view->leader != FC_NOBODY;
}

void election_restarted(struct election_watch *w,
                        const struct election_view *view)
{
    w->down--;
    w->leaders += view->role == ELECTION_LEADER;
    w->told += view->leader != FC_NOBODY;
}

/* Spreads numbers over 64 bits, one to one (the last step of splitmix64). */
static uint64_t spread(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Whether each of 1 to n is an answer: up to 64 there is a bit for each.  Above
 * that sums of spread numbers are compared, which agree by chance once in
 * 2^64. */
static void look_at_new_name(struct election_watch *w, fc_name answer)
{
    if (answer > 0 && answer <= 64)
        w->answers_seen |= UINT64_C(1) << (answer - 1);
    w->answers_mix += spread(answer) - spread(w->answered);
}

static bool each_once(const struct election_watch *w)
{
    uint64_t all = w->nodes < 64 ? (UINT64_C(1) << w->nodes) - 1 : UINT64_MAX;

    return w->answers_seen == all && w->answers_mix == 0;
}

/* Clockwise from the leader, answers must be the names in order: around the
 * ring they fall once, at the leader, and in sum they are the same.  With
 * distinct names that is the order. */
static void look_at_answer(struct election_watch *w, fc_name id,
                           const struct election_view *view)
{
    bool leads = view->role == ELECTION_LEADER;

    w->silent += view->answer == 0;
    w->names_sum += id;
    w->answers_sum += view->answer;
    if (leads)
        w->leaders_answer = view->answer;
    if (w->answered++ == 0) {
        w->first_answer = view->answer;
        w->first_leads = leads;
    } else if (view->answer <= w->last_answer) {
        w->descents++;
        w->begins_at_leader = leads;
    }
    w->last_answer = view->answer;
    look_at_new_name(w, view->answer);
}

void election_settled(struct election_watch *w, fc_name id,
                      const struct election_view *view)
{
    look_at_answer(w, id, view);
    if (!w->changing)
        return;
    if (w->greatest_alive == FC_NOBODY)
        w->leader = FC_NOBODY; /* the first node: forget the last leader */
    if (id > w->greatest_alive)
        w->greatest_alive = id;
    if (view->leader == FC_NOBODY)
        return;
    if (w->leader == FC_NOBODY)
        w->leader = view->leader;
    if (w->leader != view->leader)
        w->unsettled = true;
}

static bool wrong_answer(const struct election_watch *w)
{
    uint32_t descents = w->descents;
    bool at_leader = w->begins_at_leader;

    if (w->answer == ELECTION_SIZE)
        return w->leaders_answer != w->nodes;
    if (w->answer == ELECTION_NAMED)
        return w->leaders_answer != w->nodes || !each_once(w);
    if (w->first_answer <= w->last_answer) { /* from the last to the first */
        descents++;
        at_leader = w->first_leads;
    }
    return w->silent || descents != 1 || !at_leader ||
           w->answers_sum != w->names_sum;
}

fc_name election_expected(enum election_winner winner,
                          const struct fc_world *world)
{
    switch (winner) {
    case ELECTION_LEAST:
        return world->least;
    case ELECTION_GREATEST:
        return world->greatest;
    default:
        return FC_NOBODY;
    }
}

/* The node that must have won, now that the run is over; FC_NOBODY: any may
 * have. */
static fc_name rightful(const struct election_watch *w)
{
    switch (w->winner) {
    case ELECTION_LEAST_INITIATOR:
        return w->least_started;
    case ELECTION_GREATEST_INITIATOR:
        return w->greatest_started;
    case ELECTION_GREATEST_ALIVE:
        return w->changing ? w->greatest_alive : w->world->greatest;
    default:
        return election_expected(w->winner, w->world);
    }
}

uint32_t election_end(struct election_watch *w, bool quiet)
{
    uint32_t broken = 0;
    fc_name expected = rightful(w);

    if (expected && w->leader && w->leader != expected)
        broken |= ELECTION_RIGHT_LEADER;
    if (!quiet)
        broken |= ELECTION_ENDS;
    if (w->leaders > 1)
        broken |= ELECTION_ONE_LEADER;
    if (w->unsettled)
        broken |= ELECTION_AGREEMENT;
    if (w->answer != ELECTION_NO_ANSWER && w->started && quiet &&
        wrong_answer(w))
        broken |= ELECTION_RIGHT_ANSWER;
    if (w->started && quiet && w->leaders == 0 && w->down < w->nodes)
        broken |= ELECTION_ELECTED;
    if (w->started && quiet && w->told < w->nodes - w->down)
        broken |= ELECTION_EVERYONE_TOLD;
    broken &= ~w->broken;
    w->broken |= broken;
    return broken;
}

uint64_t election_pipeline_horizon(const void *params,
                                   const struct fc_world *world)
{
    (void)params;
    return fc_times(fc_times(8, world->nodes), fc_hop(world));
}

void election_outcome(const struct election_watch *w, struct fc_outcome *out)
{
    *out = (struct fc_outcome){
        .reached_at = w->elected_at,
        .started = w->started,
        .chosen = w->leader == ELECTION_SOMEBODY ? w->leader_id : w->leader,
        .answer = w->leaders_answer,
    };
}

void election_show(const struct election_view *view, struct fc_shown *out)
{
    *out = (struct fc_shown){
        .role = roles[view->role],
        .rests = view->rests,
        .fact = {{.word = "answers", .number = view->answer},
                 {.word = "knows",
                  .before = ", takes ",
                  .after = " for the leader",
                  .number =
                      view->leader == ELECTION_SOMEBODY ? 0 : view->leader}},
    };
}
