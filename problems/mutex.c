/*
 * mutex.c - the properties of mutual exclusion (see mutex.h).
 */
#include "problems/mutex.h"

static const char *const properties[] = {"exclusion", "token-grows",
                                         "everyone-enters", "ends"};
static const char *const commands[] = {
    [MUTEX_WANT] = "want",
    [MUTEX_WANT_SHARED] = "want-shared",
    [MUTEX_LEAVE] = "leave",
};

static uint32_t enters(const void *before, const void *after)
{
    const struct mutex_view *old = before, *new = after;

    return old->role != MUTEX_INSIDE && new->role == MUTEX_INSIDE;
}

FC_UNUSED static const struct fc_quantity quantities[] = {
    {"entries", "entries", "entries of all nodes", FC_OVER_RUN, 0, enters},
};

static const char *const roles[] = {MUTEX_ROLES};

const struct fc_problem mutex_problem = {
    .name = "mutex",
    .properties = properties,
    .properties_count = MUTEX_PROPERTIES,
    .ends = MUTEX_ENDS,
    .commands = commands,
    .commands_count = FC_COUNT(commands),
#ifndef FC_FIRMWARE
    .shows = roles,
    .shows_count = FC_COUNT(roles),
#endif
    .reached = "first entry at",
    .relies = "inside",
    .comes = "enters",
    .repeats = true,
    FC_MEASURES(quantities),
};

struct mutex_terms mutex_terms_of(const struct fc_protocol *p)
{
    const struct mutex_terms *terms = fc_terms(p, &mutex_problem);

    return terms ? *terms : (struct mutex_terms){0};
}

void mutex_begin(struct mutex_watch *w, const struct fc_protocol *p,
                 const void *params, const struct fc_world *world)
{
    struct mutex_terms terms = mutex_terms_of(p);

    (void)world;
    *w = (struct mutex_watch){
        .capacity = terms.capacity ? terms.capacity(params) : 1,
        .first_at = FC_NEVER,
    };
}

static bool waits(const struct mutex_view *view)
{
    return mutex_phase(view) == FC_WAITING;
}

static bool inside(const struct mutex_view *view)
{
    return view->role == MUTEX_INSIDE;
}

static void count(struct mutex_watch *w, const struct mutex_view *view,
                  uint32_t by)
{
    if (inside(view) && view->shared)
        w->readers += by;
    else if (inside(view))
        w->writers += by;
    else if (waits(view))
        w->waiting += by;
}

/* A site enters: the forbidden pairs that this makes. */
static uint64_t conflicts(const struct mutex_watch *w,
                          const struct mutex_view *view)
{
    uint32_t beside = w->writers;

    if (view->shared)
        return beside;
    beside = beside < w->capacity ? 0 : beside - w->capacity + 1;
    return beside + w->readers;
}

static uint32_t enter(struct mutex_watch *w, const struct mutex_view *view,
                      uint64_t now)
{
    uint64_t pairs = conflicts(w, view);
    uint32_t broken = pairs ? MUTEX_EXCLUSION : 0;

    w->overlaps += pairs;
    if (w->first_at == FC_NEVER)
        w->first_at = now;
    if (view->token && !view->shared) {
        if (view->token <= w->token)
            broken |= MUTEX_TOKEN_GROWS;
        else
            w->token = view->token;
    }
    return broken;
}

uint32_t mutex_changed(struct mutex_watch *w, fc_name id,
                       const struct mutex_view *before,
                       const struct mutex_view *after, uint64_t now)
{
    uint32_t broken = 0;

    (void)id;
    count(w, before, UINT32_MAX); /* one less */
    if (inside(after) && !inside(before))
        broken = enter(w, after, now);
    count(w, after, 1);
    broken &= ~w->broken;
    w->broken |= broken;
    return broken;
}

void mutex_crashed(struct mutex_watch *w, const struct mutex_view *view)
{
    count(w, view, UINT32_MAX);
}

void mutex_restarted(struct mutex_watch *w, const struct mutex_view *view)
{
    count(w, view, 1);
}

void mutex_returned(struct mutex_watch *w, const struct mutex_view *view)
{
    uint64_t pairs;

    count(w, view, UINT32_MAX);
    pairs = inside(view) ? conflicts(w, view) : 0;
    count(w, view, 1);
    w->overlaps += pairs;
    if (pairs)
        w->broken |= MUTEX_EXCLUSION;
}

uint32_t mutex_end(struct mutex_watch *w, bool quiet)
{
    uint32_t broken = 0;

    if (!quiet)
        broken |= MUTEX_ENDS;
    else if (w->waiting > 0)
        broken |= MUTEX_EVERYONE_ENTERS;
    broken &= ~w->broken;
    w->broken |= broken;
    return broken;
}

void mutex_outcome(const struct mutex_watch *w, struct fc_outcome *out)
{
    *out = (struct fc_outcome){
        .reached_at = w->first_at,
        .overlaps = w->overlaps,
    };
}

uint64_t mutex_horizon(const void *params, const struct fc_world *world)
{
    (void)params;
    return fc_times(fc_times(16, world->nodes), fc_hop(world));
}

const char *mutex_fits(void *params, const struct fc_world *world)
{
    static const char too_many[] =
        "a site keeps a note of every other: use at most " FC_QUOTE(
            FC_NODES_MAX) " nodes";

    (void)params;
    return world->nodes > FC_NODES_MAX ? too_many : NULL;
}

void mutex_show(const struct mutex_view *view, struct fc_shown *out)
{
    *out = (struct fc_shown){
        .role = roles[view->role],
        .shared = view->shared && inside(view),
        .fact = {{.word = "token",
                  .before = " with token ",
                  .after = "",
                  .number = inside(view) ? view->token : 0}},
    };
}
