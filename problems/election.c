/*
 * election.c - the properties of an election (see election.h).
 */
#include "problems/election.h"

void election_begin(struct election_watch *w, uint32_t nodes)
{
    *w = (struct election_watch){
        .nodes = nodes,
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

void election_settled(struct election_watch *w, fc_name id,
                      const struct election_view *view)
{
    if (w->greatest_alive == FC_NOBODY)
        w->leader = FC_NOBODY; /* the first node: forget who led before */
    if (id > w->greatest_alive)
        w->greatest_alive = id;
    if (view->leader == FC_NOBODY)
        return;
    if (w->leader == FC_NOBODY)
        w->leader = view->leader;
    if (w->leader != view->leader)
        w->unsettled = true;
}

void election_answered(struct election_watch *w, enum election_answer kind,
                       uint32_t distance, fc_name answer, uint64_t sum)
{
    if (kind == ELECTION_SIZE && distance == 0 && answer != w->nodes)
        w->wrong_answer = true;
    if (kind != ELECTION_SORTED)
        return;
    /* Growing, and in sum the same: with distinct names that is the order. */
    if (answer <= w->last_answer)
        w->wrong_answer = true;
    w->last_answer = answer;
    w->answers_sum += answer;
    if (distance + 1 == w->nodes && w->answers_sum != sum)
        w->wrong_answer = true;
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

/* Who must have won, now that the run is over; FC_NOBODY: no matter who. */
static fc_name rightful(const struct election_watch *w,
                        enum election_winner winner,
                        const struct fc_world *world)
{
    switch (winner) {
    case ELECTION_LEAST_INITIATOR:
        return w->least_started;
    case ELECTION_GREATEST_INITIATOR:
        return w->greatest_started;
    case ELECTION_GREATEST_ALIVE:
        return w->changing ? w->greatest_alive : world->greatest;
    default:
        return election_expected(winner, world);
    }
}

uint32_t election_end(struct election_watch *w, enum election_winner winner,
                      const struct fc_world *world, bool quiet)
{
    uint32_t broken = 0;
    fc_name expected = rightful(w, winner, world);

    if (expected && w->leader && w->leader != expected)
        broken |= ELECTION_RIGHT_LEADER;
    if (!quiet)
        broken |= ELECTION_ENDS;
    if (w->leaders > 1)
        broken |= ELECTION_ONE_LEADER;
    if (w->unsettled)
        broken |= ELECTION_AGREEMENT;
    if (w->wrong_answer)
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
    uint64_t u = fc_add(world->bounds.rmax, world->bounds.dmax);

    (void)params;
    return fc_times(fc_times(8, world->nodes), u);
}

const char *election_property_name(enum election_property property)
{
    switch (property) {
    case ELECTION_ONE_LEADER:
        return "one-leader";
    case ELECTION_AGREEMENT:
        return "agreement";
    case ELECTION_RIGHT_LEADER:
        return "right-leader";
    case ELECTION_ELECTED:
        return "elected";
    case ELECTION_EVERYONE_TOLD:
        return "everyone-told";
    case ELECTION_ENDS:
        return "ends";
    case ELECTION_RIGHT_ANSWER:
        return "right-answer";
    }
    return "unknown";
}

const char *election_role_name(enum election_role role)
{
    switch (role) {
    case ELECTION_ASLEEP:
        return "asleep";
    case ELECTION_DONE:
        return "done";
    case ELECTION_LOST:
        return "lost";
    case ELECTION_AWAKE:
        return "awake";
    case ELECTION_CANDIDATE:
        return "candidate";
    case ELECTION_LEADER:
        return "leader";
    }
    return "unknown";
}
