/*
 * distance.c - the distance of a violation (see browse.h).
 *
 * Two breadth-first searches backwards over the known states: one from the bad
 * ends, and from the states that a move breaks something in; one from the
 * states that were not looked at.  Neither goes back along a move that breaks
 * something: nothing beyond a violation makes it nearer.
 *
 * A violation beyond a state that was not looked at is at least as far as that
 * state, which may itself be a bad end.  So one that is known is the nearest
 * unless such a state is nearer.
 *
 * Where all is known and nothing breaks, a third search goes back from the runs
 * without end (endless.c).
 */
#include "check/browse/browsing.h"

/* The predecessors of each state, by moves that break nothing. */
struct backwards {
    uint32_t *at; /* the first of each state, and two more */
    uint32_t *list;
    uint32_t *order; /* of a search */
    uint32_t states;
};

static bool has_bad_end(const struct check_browse *b, uint32_t state)
{
    return b->edges.list[b->at[state]] & CHECK_BAD_END;
}

/* Something is broken in the state itself. */
static bool is_bad(const struct check_browse *b, uint32_t state)
{
    return (b->setup.net.predicates && b->predicates[state]) ||
           (b->at[state] != CHECK_UNSEEN && has_bad_end(b, state));
}

static bool has_bad_move(const struct check_browse *b, uint32_t state)
{
    uint32_t count;
    const uint32_t *to;

    if (b->at[state] == CHECK_UNSEEN)
        return false;
    to = check_successors(b, state, &count);
    for (uint32_t i = 0; i < count; i++)
        if (to[i] & CHECK_BREAKS)
            return true;
    return false;
}

/* Lays out the lists of predecessors: counts those of each state two places
 * further on, so that the place to write the next of them ends up as the
 * beginning of the next list. */
static void turn_round(const struct check_browse *b, const struct backwards *w)
{
    uint32_t count;
    const uint32_t *to;

    for (uint32_t from = 0; from < w->states; from++) {
        if (b->at[from] == CHECK_UNSEEN)
            continue;
        to = check_successors(b, from, &count);
        for (uint32_t i = 0; i < count; i++)
            if (!(to[i] & CHECK_BREAKS))
                w->at[to[i] + 2]++;
    }
    for (uint32_t s = 2; s < w->states + 2; s++)
        w->at[s] += w->at[s - 1];
    for (uint32_t from = 0; from < w->states; from++) {
        if (b->at[from] == CHECK_UNSEEN)
            continue;
        to = check_successors(b, from, &count);
        for (uint32_t i = 0; i < count; i++)
            if (!(to[i] & CHECK_BREAKS))
                w->list[w->at[to[i] + 1]++] = from;
    }
}

/* Goes on from the first `count` states of the order. */
static void spread(const struct backwards *w, uint32_t *moves, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t state = w->order[i];

        for (uint32_t e = w->at[state]; e < w->at[state + 1]; e++) {
            uint32_t from = w->list[e];

            if (moves[from] != CHECK_UNSEEN)
                continue;
            moves[from] = moves[state] + 1;
            w->order[count++] = from;
        }
    }
}

static void measure(const struct check_browse *b, const struct backwards *w)
{
    uint32_t *bad = b->to_bad.list, *unknown = b->to_unknown.list, count = 0;

    for (uint32_t s = 0; s < w->states; s++) {
        bad[s] = is_bad(b, s) ? 0 : CHECK_UNSEEN;
        if (bad[s] == 0)
            w->order[count++] = s;
    }
    for (uint32_t s = 0; s < w->states; s++)
        if (bad[s] == CHECK_UNSEEN && has_bad_move(b, s)) {
            bad[s] = 1;
            w->order[count++] = s;
        }
    spread(w, bad, count);
    count = 0;
    for (uint32_t s = 0; s < w->states; s++) {
        unknown[s] = b->at[s] == CHECK_UNSEEN ? 0 : CHECK_UNSEEN;
        if (unknown[s] == 0)
            w->order[count++] = s;
    }
    spread(w, unknown, count);
}

/* The same to runs without end, if they are looked for: `fulcrum check` does so
 * unless the run is cut off at a tick. */
static bool measure_endless(struct check_browse *b, const struct backwards *w)
{
    uint32_t *moves = b->to_endless.list, count = 0;

    for (uint32_t s = 0; s < w->states; s++)
        moves[s] = CHECK_UNSEEN;
    if (!b->setup.cycles || b->setup.until)
        return true;
    if (!check_browse_hunt(b))
        return false;
    for (uint32_t s = 0; s < w->states; s++)
        if (moves[s] == 0)
            w->order[count++] = s;
    spread(w, moves, count);
    return true;
}

static bool room_for(struct check_browse *b, struct check_numbers *n,
                     uint32_t count)
{
    uint32_t *list;

    if (count <= n->room)
        return true;
    list = check_grow(&b->model.memory, n->list, n->room * sizeof *list,
                      (count + count / 2) * sizeof *list);
    if (!list)
        return false;
    n->list = list;
    n->room = count + count / 2;
    return true;
}

/* Brings the distances up to date. */
static bool compute(struct check_browse *b)
{
    struct check_memory *m = &b->model.memory;
    struct backwards w = {.states = b->numbered};
    size_t at = (w.states + (size_t)2) * sizeof *w.at,
           order = w.states * sizeof *w.order;
    size_t list = (b->edges.count + (size_t)1) * sizeof *w.list;

    if (!b->stale)
        return true;
    m->limit = 0;
    w.at = check_grow(m, NULL, 0, at);
    w.order = check_grow(m, NULL, 0, order);
    w.list = check_grow(m, NULL, 0, list);
    if (w.at && w.order && w.list && room_for(b, &b->to_bad, w.states) &&
        room_for(b, &b->to_unknown, w.states) &&
        room_for(b, &b->to_endless, w.states)) {
        turn_round(b, &w);
        measure(b, &w);
        b->stale = !measure_endless(b, &w);
    }
    check_release(m, w.at, at);
    check_release(m, w.order, order);
    check_release(m, w.list, list);
    return check_browse_sound(b);
}

static bool prepare(struct check_browse *b, uint32_t state)
{
    b->model.memory.limit = 0;
    return check_browse_visit(b, state) && compute(b);
}

bool check_browse_distance(struct check_browse *b, uint32_t state,
                           struct check_distance *out)
{
    uint32_t bad, unknown;

    if (!prepare(b, state))
        return false;
    bad = b->to_bad.list[state];
    unknown = b->to_unknown.list[state];
    if (bad != CHECK_UNSEEN)
        *out = (struct check_distance){
            bad <= unknown ? CHECK_EXACTLY : CHECK_AT_MOST, bad};
    else if (unknown != CHECK_UNSEEN) /* at least 1: the state was looked at */
        *out = (struct check_distance){CHECK_NOT_WITHIN, unknown - 1};
    else if (b->to_endless.list[state] != CHECK_UNSEEN)
        *out =
            (struct check_distance){CHECK_ENDLESS, b->to_endless.list[state]};
    else
        *out = (struct check_distance){CHECK_SAFE, 0};
    return true;
}

/* An empty list, which is not NULL. */
static bool begin_list(struct check_browse *b, struct check_numbers *n,
                       uint32_t *count)
{
    *count = n->count = 0;
    return room_for(b, n, 1) || check_browse_sound(b);
}

/* A run without end is all that can happen to this state. */
static bool leads_to_endless(const struct check_browse *b, uint32_t state)
{
    return b->to_bad.list[state] == CHECK_UNSEEN &&
           b->to_unknown.list[state] == CHECK_UNSEEN &&
           b->to_endless.list[state] != CHECK_UNSEEN;
}

/* Whether this successor is on a shortest way; on a run without end, whether it
 * stays there. */
static bool is_nearer(const struct check_browse *b, uint32_t state, uint32_t to)
{
    uint32_t here = b->to_bad.list[state];

    if (leads_to_endless(b, state)) {
        here = b->to_endless.list[state];
        return b->to_endless.list[to] == (here > 0 ? here - 1 : 0);
    }
    return here != CHECK_UNSEEN && here > 0 &&
           (to & CHECK_BREAKS ? here == 1 : b->to_bad.list[to] == here - 1);
}

/* Something bad is known to be ahead. */
static bool is_on_its_way(const struct check_browse *b, uint32_t state)
{
    uint32_t moves = leads_to_endless(b, state) ? b->to_endless.list[state]
                                                : b->to_bad.list[state];

    return moves != CHECK_UNSEEN && moves > 0;
}

const uint32_t *check_browse_way(struct check_browse *b, uint32_t state,
                                 uint32_t *count)
{
    bool breaks = false;

    if (!begin_list(b, &b->way, count) || !prepare(b, state))
        return NULL;
    while (!breaks && is_on_its_way(b, state)) {
        uint32_t moves, i = 0;
        const uint32_t *to = check_successors(b, state, &moves);

        while (!is_nearer(b, state, to[i]))
            i++;
        if (!check_browse_add(b, &b->way, i)) {
            (void)check_browse_sound(b);
            return NULL;
        }
        breaks = (to[i] & CHECK_BREAKS) != 0;
        state = to[i] & ~CHECK_BREAKS;
    }
    *count = b->way.count;
    return b->way.list;
}
