/*
 * track.c - shortest paths by some arcs of a graph (see weigh.h).
 */
#include <stdlib.h>

#include "check/quantity/weigh.h"
#include "net/grow.h"

bool check_track_add(struct check_track *track, uint32_t arc)
{
    if (!net_grow(&track->arcs, track->count, sizeof *track->arcs))
        return false;
    track->arcs[track->count++] = arc;
    return true;
}

uint32_t check_track_end(const struct check_weighted *g,
                         const struct check_track *track)
{
    return track->count ? g->to[track->arcs[track->count - 1]] : track->first;
}

/* A state that was met: from which, and by which arc; NOWHERE: first. */
struct step {
    uint32_t state, before, arc;
};

#define NOWHERE UINT32_MAX

struct walk {
    const struct check_quest *quest;
    struct step *steps; /* in the order in which they were met */
    uint8_t *met;       /* of each state */
    uint32_t count;
};

static void meet(struct walk *w, uint32_t state, uint32_t before, uint32_t arc)
{
    if (w->met[state])
        return;
    w->met[state] = 1;
    w->steps[w->count++] = (struct step){state, before, arc};
}

/* The way to a step, and one arc more if there is one. */
static bool write_down(const struct walk *w, uint32_t at, uint32_t last,
                       struct check_track *track)
{
    uint32_t length = 0, from = at, begin = track->count;

    for (; w->steps[from].before != NOWHERE; from = w->steps[from].before)
        length++;
    if (!track->count)
        track->first = w->steps[from].state;
    for (uint32_t i = 0; i < length; i++)
        if (!check_track_add(track, 0))
            return false;
    for (from = at; length > 0; from = w->steps[from].before)
        track->arcs[begin + --length] = w->steps[from].arc;
    return last == NOWHERE || check_track_add(track, last);
}

/* Where the walk may end: in a step, and by which arc; false: not here. */
static bool ends_at(const struct check_quest *q, uint32_t state, uint32_t *last)
{
    const struct check_weighted *g = q->graph;

    *last = NOWHERE;
    if (q->ends(q->whom, state, NULL))
        return true;
    for (uint32_t i = g->first[state]; i < g->first[state + 1]; i++) {
        struct check_arc arc = check_arc_at(g, i);

        if (q->ends(q->whom, state, &arc)) {
            *last = i;
            return true;
        }
    }
    return false;
}

static bool search(struct walk *w, struct check_track *track)
{
    const struct check_quest *q = w->quest;
    const struct check_weighted *g = q->graph;
    uint32_t last;

    for (uint32_t state = 0; state < g->states; state++)
        if (q->from(q->whom, state))
            meet(w, state, NOWHERE, NOWHERE);
    for (uint32_t at = 0; at < w->count; at++) {
        uint32_t state = w->steps[at].state;

        if (ends_at(q, state, &last))
            return write_down(w, at, last, track);
        for (uint32_t i = g->first[state]; i < g->first[state + 1]; i++) {
            struct check_arc arc = check_arc_at(g, i);

            if (q->takes(q->whom, state, &arc))
                meet(w, arc.to, at, i);
        }
    }
    return false;
}

bool check_quest(const struct check_quest *q, struct check_memory *memory,
                 struct check_track *track)
{
    size_t states = q->graph->states;
    struct walk w = {.quest = q};
    bool found = false;

    w.steps = check_grow(memory, NULL, 0, states * sizeof *w.steps);
    w.met = check_grow(memory, NULL, 0, states);
    if (w.steps && w.met)
        found = search(&w, track);
    check_release(memory, w.steps, states * sizeof *w.steps);
    check_release(memory, w.met, states);
    return found;
}
