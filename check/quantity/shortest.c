/*
 * shortest.c - the least amount: the shortest path (see weigh.h), by Dijkstra's
 * algorithm.  Of levels, which are not added, it is the path whose highest is
 * lowest, and the same algorithm finds it.
 */
#include "check/quantity/weigh.h"

#define FAR UINT64_MAX

/* A state that was found, and what was added up before it; the heap has the
 * least first.  A state that was found again at less stands in it twice. */
struct found {
    uint64_t value;
    uint32_t state;
};

struct shortest {
    const struct check_part *part;
    const struct check_weighted *graph;
    const uint8_t *begins;
    struct check_memory *memory;
    uint64_t *value; /* of each state */
    struct found *heap;
    uint32_t count, room;
    uint64_t best;
    bool failed;
};

static void put(struct shortest *s, uint32_t state, uint64_t value)
{
    uint32_t at = s->count;

    if (s->failed || value >= s->value[state])
        return;
    if (at == s->room) {
        uint32_t room = s->room ? 2 * s->room : 1024;
        struct found *heap = check_grow(
            s->memory, s->heap, s->room * sizeof *heap, room * sizeof *heap);

        if (!heap) {
            s->failed = true;
            return;
        }
        s->heap = heap;
        s->room = room;
    }
    s->count++;
    s->value[state] = value;
    for (; at > 0 && s->heap[(at - 1) / 2].value > value; at = (at - 1) / 2)
        s->heap[at] = s->heap[(at - 1) / 2];
    s->heap[at] = (struct found){value, state};
}

static struct found take(struct shortest *s)
{
    struct found least = s->heap[0], last = s->heap[--s->count];
    uint32_t at = 0, child;

    for (; (child = 2 * at + 1) < s->count; at = child) {
        if (child + 1 < s->count &&
            s->heap[child + 1].value < s->heap[child].value)
            child++;
        if (s->heap[child].value >= last.value)
            break;
        s->heap[at] = s->heap[child];
    }
    s->heap[at] = last;
    return least;
}

static uint64_t plus(const struct check_part *p, uint64_t value,
                     const struct check_arc *arc)
{
    uint64_t weight = check_part_weight(p, arc);

    if (p->span != CHECK_PEAK)
        return value + weight;
    return value > weight ? value : weight;
}

static void look_at(struct shortest *s, uint32_t state)
{
    const struct check_part *p = s->part;
    uint64_t value = s->value[state];

    if (check_part_rests(p, state) && value < s->best)
        s->best = value;
    for (uint32_t i = s->graph->first[state]; i < s->graph->first[state + 1];
         i++) {
        struct check_arc arc = check_arc_at(s->graph, i);
        uint64_t then = plus(p, value, &arc);

        if (check_part_stops(p, &arc) && then < s->best)
            s->best = then;
        if (check_part_goes_on(p, &arc))
            put(s, arc.to, then);
    }
}

static bool is_begin(const void *whom, uint32_t state)
{
    return ((const struct shortest *)whom)->begins[state] != 0;
}

static bool is_tight(const void *whom, uint32_t state,
                     const struct check_arc *arc)
{
    const struct shortest *s = whom;

    return check_part_goes_on(s->part, arc) &&
           plus(s->part, s->value[state], arc) == s->value[arc->to];
}

static bool is_end(const void *whom, uint32_t state,
                   const struct check_arc *arc)
{
    const struct shortest *s = whom;

    if (!arc)
        return s->value[state] == s->best && check_part_rests(s->part, state);
    return check_part_stops(s->part, arc) &&
           plus(s->part, s->value[state], arc) == s->best;
}

bool check_shortest(const struct check_part *p, const uint8_t *begins,
                    struct check_memory *memory, struct check_amount *out,
                    struct check_track *track)
{
    size_t n = p->graph->states;
    struct shortest s = {.part = p,
                         .graph = p->graph,
                         .begins = begins,
                         .memory = memory,
                         .best = FAR};
    struct check_quest quest = {p->graph, &s, is_begin, is_end, is_tight};

    s.value = check_grow(memory, NULL, 0, n * sizeof *s.value);
    s.failed = !s.value;
    for (uint32_t i = 0; s.value && i < n; i++)
        s.value[i] = FAR;
    for (uint32_t i = 0; s.value && i < n; i++)
        if (begins[i])
            put(&s, i, 0);
    while (s.value && s.count > 0 && !s.failed) {
        struct found next = take(&s);

        if (next.value == s.value[next.state])
            look_at(&s, next.state);
    }
    *out = (struct check_amount){.none = s.best == FAR, .value = s.best};
    if (!s.failed && track && !out->none)
        s.failed = !check_quest(&quest, memory, track);
    check_release(memory, s.value, n * sizeof *s.value);
    check_release(memory, s.heap, s.room * sizeof *s.heap);
    return !s.failed;
}
