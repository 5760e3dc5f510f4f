/*
 * components.c - see components.h.
 *
 * Tarjan's search (1972) in the form of D. Pearce (2016): a state is put on the
 * stack when it is left, not when it is entered.  So it is on the path or on
 * the stack, never on both; and of what a state of a component leads to, most
 * stands before it.  Numbers that are worked out in this order travel far in
 * one sweep.
 */
#include "check/search/components.h"

struct check_on_path {
    uint32_t state;
    uint32_t low; /* when the earliest state was met that it reaches */
    uint32_t at;  /* among its successors */
};

static size_t size_of_met(const struct check_components *c)
{
    return ((size_t)c->states + 1) * sizeof *c->met; /* never nothing */
}

bool check_components_begin(struct check_components *c)
{
    c->met = check_grow(c->memory, NULL, 0, size_of_met(c));
    return c->met != NULL;
}

void check_components_end(struct check_components *c)
{
    check_release(c->memory, c->met, size_of_met(c));
    check_release(c->memory, c->path, c->path_room * sizeof *c->path);
    check_release(c->memory, c->left, c->left_room * sizeof *c->left);
}

/* Room for one more in a list, which never has more than all states. */
static bool room_for(struct check_components *c, void *list, uint32_t *room,
                     uint32_t count, size_t size)
{
    uint32_t more = *room < 512 ? 1024 : 2 * *room;
    void **at = list, *block;

    if (count < *room)
        return true;
    if (more > c->states || *room > UINT32_MAX / 2)
        more = c->states;
    block = check_grow(c->memory, *at, *room * size, more * size);
    if (!block) {
        c->stopped = true;
        return false;
    }
    *at = block;
    *room = more;
    return true;
}

static void enter(struct check_components *c, uint32_t state)
{
    if (!room_for(c, &c->path, &c->path_room, c->path_count, sizeof *c->path))
        return;
    c->met[state] = ++c->met_count;
    c->path[c->path_count++] =
        (struct check_on_path){.state = state, .low = c->met_count};
}

/* All that the last state of the path leads to has been met.  If it reaches
 * nothing earlier, its component is itself and what was left since it was met.
 */
static void leave(struct check_components *c)
{
    struct check_on_path last = c->path[--c->path_count];
    uint32_t met = c->met[last.state], since = c->left_count;

    if (!room_for(c, &c->left, &c->left_room, c->left_count, sizeof *c->left))
        return;
    c->left[c->left_count++] = last.state;
    if (c->path_count > 0 && last.low < c->path[c->path_count - 1].low)
        c->path[c->path_count - 1].low = last.low;
    if (last.low != met)
        return;
    while (since > 0 && c->met[c->left[since - 1]] > met)
        since--;
    for (uint32_t i = since; i < c->left_count; i++)
        c->met[c->left[i]] = UINT32_MAX;
    c->complete(c->whom, c->left + since, c->left_count - since);
    c->left_count = since;
}

void check_components_from(struct check_components *c, uint32_t state)
{
    if (!c->met[state])
        enter(c, state);
    while (c->path_count > 0 && !c->stopped) {
        struct check_on_path *last = &c->path[c->path_count - 1];
        uint32_t to = c->next(c->whom, last->state, &last->at);

        if (to == CHECK_NO_STATE)
            leave(c);
        else if (!c->met[to])
            enter(c, to);
        else if (c->met[to] < last->low)
            last->low = c->met[to];
    }
}
