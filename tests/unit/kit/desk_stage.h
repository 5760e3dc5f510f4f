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

/* ---- What is done to it, and what it wants ------------------------------- */

static inline const struct live_effect *found(const struct stage *s,
                                              enum live_effect_kind kind)
{
    for (size_t i = 0; i < s->out.count; i++)
        if (s->out.list[i].kind == kind)
            return &s->out.list[i];
    return NULL;
}

/* What the protocol did: by itself, or as it was told. */
static inline void view(struct stage *s, enum live_desk_event event,
                        uint64_t now, enum fc_phase phase, uint64_t token)
{
    step(s, (struct live_desk_in){.event = event,
                                  .now = now,
                                  .lock = LOCK,
                                  .view = {.phase = phase, .token = token}});
}

static inline void client(struct stage *s, enum live_desk_event event,
                          uint64_t now, uint32_t who)
{
    step(s, (struct live_desk_in){.event = event, .now = now, .client = who});
}

static inline bool commands(const struct stage *s, enum live_command what)
{
    const struct live_effect *e = found(s, LIVE_DO_COMMAND);

    return e && e->how == what && e->lock == LOCK;
}

#endif
