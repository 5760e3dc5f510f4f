/*
 * store.c - the properties of reading while another writes (see store.h).
 */
#include "problems/store.h"

static const char *const properties[] = {"no-torn-read", "everyone-reads",
                                         "ends"};
static const char *const commands[] = {[STORE_DO] = "want"};

static const char *const roles[] = {STORE_ROLES};

const struct fc_problem store_problem = {
    .name = "store",
    .properties = properties,
    .properties_count = STORE_PROPERTIES,
    .ends = STORE_ENDS,
    .commands = commands,
    .commands_count = FC_COUNT(commands),
#ifndef FC_FIRMWARE
    .shows = roles,
    .shows_count = FC_COUNT(roles),
#endif
    .reached = "first read at",
    .repeats = true,
};

void store_begin(struct store_watch *w, const struct fc_protocol *p,
                 const void *params, const struct fc_world *world)
{
    (void)p;
    (void)params;
    (void)world;
    *w = (struct store_watch){.first_at = FC_NEVER};
}

static bool waits(const struct store_view *view)
{
    return view->role != STORE_IDLE;
}

uint32_t store_changed(struct store_watch *w, fc_name id,
                       const struct store_view *before,
                       const struct store_view *after, uint64_t now)
{
    uint32_t broken = 0;

    (void)id;
    w->waiting += (uint32_t)waits(after) - (uint32_t)waits(before);
    if (before->role == STORE_READS && !waits(after)) {
        if (w->first_at == FC_NEVER)
            w->first_at = now;
        if (after->torn)
            broken = STORE_NO_TORN_READ;
    }
    broken &= ~w->broken;
    w->broken |= broken;
    return broken;
}

void store_crashed(struct store_watch *w, const struct store_view *view)
{
    w->waiting -= waits(view);
}

void store_restarted(struct store_watch *w, const struct store_view *view)
{
    w->waiting += waits(view);
}

uint32_t store_end(struct store_watch *w, bool quiet)
{
    uint32_t broken = 0;

    if (!quiet)
        broken |= STORE_ENDS;
    else if (w->waiting > 0)
        broken |= STORE_EVERYONE_READS;
    broken &= ~w->broken;
    w->broken |= broken;
    return broken;
}

void store_outcome(const struct store_watch *w, struct fc_outcome *out)
{
    *out = (struct fc_outcome){.reached_at = w->first_at};
}

void store_show(const struct store_view *view, struct fc_shown *out)
{
    *out = (struct fc_shown){.role = roles[view->role]};
}
