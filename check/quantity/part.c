/*
 * part.c - the amount of one part of the graph, and the whole run that has it
 * (see weigh.h).
 */
#include <stdlib.h>

#include "check/quantity/weigh.h"

/* Where a part begins: where runs do, or where a node begins to wait. */
static void find_begins(const struct check_part *p, uint8_t *begins)
{
    const struct check_weighted *g = p->graph;

    for (uint32_t state = 0; state < g->states; state++)
        begins[state] = !check_part_waits(p) && state < g->initial;
    for (uint32_t state = 0; check_part_waits(p) && state < g->states; state++)
        for (uint32_t i = g->first[state];
             !check_part_has(p, state) && i < g->first[state + 1]; i++)
            begins[g->to[i]] |= check_part_has(p, g->to[i]);
}

static bool is_initial(const void *whom, uint32_t state)
{
    return state < ((const struct check_part *)whom)->graph->initial;
}

static bool any_arc(const void *whom, uint32_t state,
                    const struct check_arc *arc)
{
    (void)whom;
    (void)state;
    (void)arc;
    return true;
}

/* A node enters without having waited. */
static bool enters_at_once(const void *whom, uint32_t state,
                           const struct check_arc *arc)
{
    const struct check_part *p = whom;

    return arc && !check_part_has(p, state) && check_part_stops(p, arc);
}

static bool any_enters_at_once(const struct check_part *p)
{
    const struct check_weighted *g = p->graph;

    for (uint32_t state = 0; state < g->states; state++)
        for (uint32_t i = g->first[state]; i < g->first[state + 1]; i++) {
            struct check_arc arc = check_arc_at(g, i);

            if (enters_at_once(p, state, &arc))
                return true;
        }
    return false;
}

/* A state at which one track is joined to another. */
struct joint {
    struct check_part part; /* first: is_initial() is told of it */
    uint32_t state;
};

static bool begins_there(const void *whom, uint32_t state,
                         const struct check_arc *arc)
{
    const struct joint *b = whom;

    return arc && arc->to == b->state && !check_part_has(&b->part, state);
}

/* Puts before a track how the run comes to where the track begins. */
static bool lead_there(const struct check_part *p, struct check_memory *memory,
                       struct check_track *track)
{
    struct joint there = {*p, track->first};
    struct check_quest quest = {p->graph, &there, is_initial, begins_there,
                                any_arc};
    struct check_track whole = {.first = 0};
    bool good = check_quest(&quest, memory, &whole);

    whole.loop_at = whole.count + track->loop_at;
    for (uint32_t i = 0; good && i < track->count; i++)
        good = check_track_add(&whole, track->arcs[i]);
    free(track->arcs);
    *track = whole;
    return good;
}

static bool is_there(const void *whom, uint32_t state)
{
    return state == ((const struct joint *)whom)->state;
}

static bool ends_run(const void *whom, uint32_t state,
                     const struct check_arc *arc)
{
    const struct joint *b = whom;

    return !arc && (b->part.graph->marks[state] & CHECK_RUN_ENDS);
}

/* A run that has the greatest amount goes on to its end, if it can: nothing
 * more is added. */
static void finish(const struct check_part *p, struct check_memory *memory,
                   struct check_track *track)
{
    struct joint there = {*p, check_track_end(p->graph, track)};
    struct check_quest quest = {p->graph, &there, is_there, ends_run, any_arc};

    (void)check_quest(&quest, memory, track);
}

/* A level that is wanted. */
struct peak {
    struct check_part part; /* first: is_initial() is told of it */
    uint64_t value;
};

static bool is_peak(const void *whom, uint32_t state,
                    const struct check_arc *arc)
{
    const struct peak *peak = whom;

    (void)state;
    return arc ? check_part_weight(&peak->part, arc) == peak->value
               : peak->value == 0;
}

/* The highest level of all is the level of some arc. */
static bool find_peak(const struct check_part *p, struct check_memory *memory,
                      struct check_amount *out, struct check_track *track)
{
    const struct check_weighted *g = p->graph;
    struct peak peak = {.part = *p};
    struct check_quest quest = {g, &peak, is_initial, is_peak, any_arc};

    for (uint32_t i = 0; i < g->first[g->states]; i++) {
        struct check_arc arc = check_arc_at(g, i);
        uint32_t level = check_part_weight(p, &arc);

        if (level > peak.value)
            peak.value = level;
    }
    *out = (struct check_amount){.value = peak.value};
    return !track || check_quest(&quest, memory, track);
}

static bool find_path(const struct check_part *p, struct check_memory *memory,
                      struct check_amount *out, struct check_track *track)
{
    uint8_t *begins = check_grow(memory, NULL, 0, p->graph->states);
    bool good = false;

    if (begins) {
        find_begins(p, begins);
        good = (p->greatest ? check_longest : check_shortest)(p, begins, memory,
                                                              out, track);
    }
    check_release(memory, begins, p->graph->states);
    return good;
}

/* The amount of a wait; an entry without one has the amount 0. */
static bool find_wait(const struct check_part *p, struct check_memory *memory,
                      struct check_amount *out, struct check_track *track)
{
    struct check_quest quest = {p->graph, p, is_initial, enters_at_once,
                                any_arc};

    if (!find_path(p, memory, out, track))
        return false;
    if ((out->none || (!p->greatest && out->value > 0)) &&
        any_enters_at_once(p)) {
        *out = (struct check_amount){.value = 0};
        if (track)
            track->count = 0;
        return !track || check_quest(&quest, memory, track);
    }
    return !track || out->none || lead_there(p, memory, track);
}

bool check_amount(const struct check_part *p, struct check_memory *memory,
                  struct check_amount *out, struct check_track *track)
{
    if (check_part_waits(p))
        return find_wait(p, memory, out, track);
    if (!(p->span == CHECK_PEAK && p->greatest ? find_peak : find_path)(
            p, memory, out, track))
        return false;
    if (track && (p->span == CHECK_WHOLE || p->span == CHECK_PEAK) &&
        p->greatest && !out->unbounded)
        finish(p, memory, track);
    return true;
}
