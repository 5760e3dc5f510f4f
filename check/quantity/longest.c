/*
 * longest.c - the greatest amount: the longest path (see weigh.h).
 *
 * Weights are not negative.  A strongly connected component with an arc of
 * positive weight inside has no greatest amount: the run may go round it as
 * often as it likes.  In all others a run gains nothing by going round, so that
 * the component is like a single state; and between components there are no
 * cycles, so that what follows is known when a component is complete.
 */
#include "check/quantity/weigh.h"
#include "check/search/components.h"

#define NONE    UINT64_MAX /* no amount from here on */
#define ENDLESS (UINT64_MAX - 1)

struct longest {
    const struct check_part *part;
    const struct check_weighted *graph;
    const uint8_t *begins;
    uint64_t *value;     /* that can still be added from a state on */
    uint32_t *component; /* of a state; 0: not complete */
    uint32_t components;
    uint64_t best;
};

static uint64_t more(uint64_t a, uint64_t b)
{
    if (a == NONE || b == NONE)
        return a == NONE ? b : a;
    return a > b ? a : b;
}

static uint64_t plus(uint64_t value, uint32_t weight)
{
    return value >= ENDLESS ? value : value + weight;
}

static uint32_t next_of(void *whom, uint32_t state, uint32_t *at)
{
    const struct longest *l = whom;
    uint32_t i;

    while ((i = l->graph->first[state] + *at) < l->graph->first[state + 1]) {
        struct check_arc arc = check_arc_at(l->graph, i);

        ++*at;
        if (!l->component[arc.to] && check_part_goes_on(l->part, &arc))
            return arc.to;
    }
    return CHECK_NO_STATE;
}

/* What a member of the component that is being completed can add; `turns` if an
 * arc inside has weight. */
static uint64_t weigh_member(const struct longest *l, uint32_t state,
                             bool *turns)
{
    const struct check_part *p = l->part;
    uint64_t value = check_part_rests(p, state) ? 0 : NONE;

    for (uint32_t i = l->graph->first[state]; i < l->graph->first[state + 1];
         i++) {
        struct check_arc arc = check_arc_at(l->graph, i);
        uint32_t weight = check_part_weight(p, &arc);

        if (check_part_stops(p, &arc))
            value = more(value, weight);
        if (!check_part_goes_on(p, &arc))
            continue;
        if (l->component[arc.to] == l->components)
            *turns |= weight > 0;
        else
            value = more(value, plus(l->value[arc.to], weight));
    }
    return value;
}

static void complete(void *whom, const uint32_t *states, uint32_t count)
{
    struct longest *l = whom;
    uint64_t value = NONE;
    bool turns = false;

    l->components++;
    for (uint32_t i = 0; i < count; i++)
        l->component[states[i]] = l->components;
    for (uint32_t i = 0; i < count; i++)
        value = more(value, weigh_member(l, states[i], &turns));
    for (uint32_t i = 0; i < count; i++)
        l->value[states[i]] = turns ? ENDLESS : value;
}

/* ---- The path ------------------------------------------------------------ */

static bool is_begin(const void *whom, uint32_t state)
{
    const struct longest *l = whom;

    return l->begins[state] && l->value[state] == l->best;
}

/* Nothing is lost by this arc. */
static bool is_tight(const void *whom, uint32_t state,
                     const struct check_arc *arc)
{
    const struct longest *l = whom;

    return check_part_goes_on(l->part, arc) && l->value[arc->to] != NONE &&
           plus(l->value[arc->to], check_part_weight(l->part, arc)) ==
               l->value[state];
}

static bool is_end(const void *whom, uint32_t state,
                   const struct check_arc *arc)
{
    const struct longest *l = whom;

    if (!arc)
        return l->value[state] == 0 && check_part_rests(l->part, state);
    return check_part_stops(l->part, arc) &&
           check_part_weight(l->part, arc) == l->value[state];
}

/* The run can come back after this arc, which adds something. */
static bool is_turn(const void *whom, uint32_t state,
                    const struct check_arc *arc)
{
    const struct longest *l = whom;

    return arc && check_part_goes_on(l->part, arc) &&
           l->component[arc->to] == l->component[state] &&
           check_part_weight(l->part, arc) > 0;
}

/* Back from one state to another. */
struct way_back {
    const struct longest *longest;
    uint32_t from, to;
};

static bool is_from(const void *whom, uint32_t state)
{
    return ((const struct way_back *)whom)->from == state;
}

static bool is_to(const void *whom, uint32_t state, const struct check_arc *arc)
{
    return !arc && ((const struct way_back *)whom)->to == state;
}

static bool is_on(const void *whom, uint32_t state, const struct check_arc *arc)
{
    (void)state;
    return check_part_goes_on(((const struct way_back *)whom)->longest->part,
                              arc);
}

static bool write_down(struct longest *l, struct check_memory *memory,
                       struct check_track *track)
{
    struct check_quest quest = {l->graph, l, is_begin, is_end, is_tight};
    struct way_back back = {.longest = l};

    if (l->best != ENDLESS)
        return check_quest(&quest, memory, track);
    quest.ends = is_turn;
    if (!check_quest(&quest, memory, track))
        return false;
    track->loop_at = track->count - 1;
    back.from = check_track_end(l->graph, track);
    back.to = track->first;
    if (track->loop_at > 0)
        back.to = l->graph->to[track->arcs[track->loop_at - 1]];
    quest = (struct check_quest){l->graph, &back, is_from, is_to, is_on};
    return check_quest(&quest, memory, track);
}

bool check_longest(const struct check_part *p, const uint8_t *begins,
                   struct check_memory *memory, struct check_amount *out,
                   struct check_track *track)
{
    size_t n = p->graph->states;
    struct longest l = {.part = p, .graph = p->graph, .begins = begins};
    struct check_components c = {.memory = memory,
                                 .states = p->graph->states,
                                 .next = next_of,
                                 .complete = complete,
                                 .whom = &l};
    bool good;

    l.value = check_grow(memory, NULL, 0, n * sizeof *l.value);
    l.component = check_grow(memory, NULL, 0, n * sizeof *l.component);
    good = check_components_begin(&c) && l.value && l.component;
    l.best = NONE;
    for (uint32_t i = 0; good && i < n; i++) {
        if (!begins[i])
            continue;
        check_components_from(&c, i);
        good = !c.stopped;
        l.best = more(l.best, l.value[i]);
    }
    check_components_end(&c);
    *out = (struct check_amount){.none = l.best == NONE,
                                 .unbounded = l.best == ENDLESS,
                                 .value = l.best};
    if (good && track && !out->none)
        good = write_down(&l, memory, track);
    check_release(memory, l.value, n * sizeof *l.value);
    check_release(memory, l.component, n * sizeof *l.component);
    return good;
}
