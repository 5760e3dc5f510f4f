/*
 * app.c - see app.h.
 */
#include "live/play/app.h"

#include "net/random.h"

static uint64_t draw(struct live_app *c)
{
    return net_draw(c->key, c->node, c->drawn++);
}

static uint64_t think(struct live_app *c, uint64_t now)
{
    return net_duration_draw(&c->work->think, draw(c), now);
}

void live_app_begin(struct live_app *c, const struct net_type *type,
                    const struct net_work *work, uint64_t seed, uint32_t node)
{
    *c = (struct live_app){.work = work,
                           .type = type,
                           .key = net_key(seed, NET_STREAM_WORK),
                           .node = node};
}

void live_app_wake(struct live_app *c)
{
    c->left = c->work->entries ? c->work->entries : 1;
}

uint8_t live_app_ask(struct live_app *c)
{
    uint32_t burst = c->work->burst ? c->work->burst : 1;

    if (c->phase == FC_INSIDE) {
        c->leaves = true;
        return c->type->farewell();
    }
    if (!c->wants) {
        if (c->queue == 0)
            c->queue = c->left < burst ? c->left : burst;
        c->queue--;
        c->wants = true;
        c->shared = draw(c) >> 32 < c->work->shared;
    }
    return c->type->request(c->shared);
}

uint64_t live_app_asked(const struct live_app *c, uint8_t command, bool obeyed)
{
    if (obeyed)
        return 0;
    /* The node is not ready to take part: asked again.  One that was to leave
     * may have been let out in this very step. */
    return command != c->type->farewell() || c->phase == FC_INSIDE;
}

static uint64_t complete(struct live_app *c, uint64_t now)
{
    c->left--;
    if (c->queue > 0)
        return 1;
    return c->left > 0 ? think(c, now) : 0;
}

enum live_came live_app_follow(struct live_app *c, enum fc_phase after,
                               uint64_t now, uint64_t *steps)
{
    enum fc_phase before = (enum fc_phase)c->phase;

    c->phase = (uint8_t)after;
    if (before == after)
        return LIVE_CAME_NOTHING;
    if (c->type->momentary && after == FC_IDLE) {
        c->wants = false;
        *steps = complete(c, now);
        return LIVE_CAME_DONE;
    }
    if (after == FC_INSIDE) {
        c->wants = c->leaves = false;
        *steps = net_duration_draw(&c->work->section, draw(c), now);
        return LIVE_CAME_IN;
    }
    if (before == FC_INSIDE && c->leaves) {
        *steps = complete(c, now);
        return LIVE_CAME_OUT;
    }
    if (after == FC_IDLE) {
        c->wants = false;
        c->queue++;
        *steps = think(c, now);
        return LIVE_CAME_AWAY;
    }
    return LIVE_CAME_NOTHING;
}

uint64_t live_app_resume(struct live_app *c, enum fc_phase phase, uint64_t now)
{
    bool had_begun = c->wants || c->phase == FC_INSIDE;

    c->phase = (uint8_t)phase;
    if (c->left == 0 || phase == FC_WAITING)
        return 0;
    c->wants = c->leaves = false;
    if (phase == FC_INSIDE)
        return 1;
    c->queue += had_begun; /* all over again */
    return think(c, now);
}
