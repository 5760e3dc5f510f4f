/*
 * token.c - one token in the end (see token.h).
 */
#include "problems/token.h"

static const char *const properties[] = {"one-token"};
static const char *const commands[] = {[TOKEN_START] = "wake"};

const struct fc_problem token_problem = {
    .name = "token",
    .properties = properties,
    .properties_count = TOKEN_PROPERTIES,
    .commands = commands,
    .commands_count = FC_COUNT(commands),
    .reached = "one token at",
};

void token_begin(struct token_watch *w, const struct fc_protocol *p,
                 const void *params, const struct fc_world *world)
{
    (void)p;
    (void)params;
    (void)world;
    *w = (struct token_watch){.one_since = FC_NEVER};
}

static void count(struct token_watch *w, uint64_t now)
{
    if (w->flying + w->held != 1)
        w->one_since = FC_NEVER;
    else if (w->one_since == FC_NEVER)
        w->one_since = now;
}

uint32_t token_changed(struct token_watch *w, fc_name id,
                       const struct token_view *before,
                       const struct token_view *after, uint64_t now)
{
    (void)id;
    (void)now; /* token_flying() comes last in every event */
    w->held += after->holds - before->holds;
    return 0;
}

void token_crashed(struct token_watch *w, const struct token_view *view)
{
    w->held -= view->holds;
}

void token_restarted(struct token_watch *w, const struct token_view *view)
{
    w->held += view->holds;
}

void token_flying(struct token_watch *w, int64_t flying, uint64_t now)
{
    w->flying = flying;
    w->last = now;
    count(w, now);
}

uint32_t token_end(struct token_watch *w, bool quiet)
{
    (void)quiet;
    /* One at the last instant may be chance: tokens that come and go for ever
     * are now and then just one. */
    if (w->one_since == FC_NEVER || w->last - w->one_since < w->last / 8)
        w->broken |= TOKEN_ONE;
    return w->broken;
}

void token_outcome(const struct token_watch *w, struct fc_outcome *out)
{
    *out = (struct fc_outcome){.reached_at = w->one_since};
}

void token_show(const struct token_view *view, struct fc_shown *out)
{
    *out = (struct fc_shown){.role = "idle", .rests = view->young};
}
