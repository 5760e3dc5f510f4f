/*
 * desk_stage.h - a desk alone, for its tests, and what it wants done.
 */
#ifndef DESK_STAGE_H
#define DESK_STAGE_H

#include "tests/unit/kit/test.h"

#include "live/desk/desk.h"

enum { K = 100, END = 10000, LOCK = 7, OTHER = 8 };

struct stage {
    struct live_desk desk;
    struct live_effects out;
};

static inline void step(struct stage *s, struct live_desk_in in)
{
    live_effects_clear(&s->out);
    live_desk_step(&s->desk, &in, &s->out);
    assert_null(live_desk_sane(&s->desk));
}

/* A desk whose node is leased until END. */
static inline struct stage *open_stage(void)
{
    static struct stage s;
    const struct live_desk_params params = {.kill = K, .patience = 50};

    live_effects_free(&s.out);
    live_desk_open(&s.desk, &params);
    step(&s, (struct live_desk_in){.event = LIVE_LEASED, .end = END});
    return &s;
}

#endif
