/*
 * scale.c - what a transition adds to a quantity (see weigh.h).
 */
#include "check/model/judge.h"
#include "check/quantity/weigh.h"

static uint32_t compute_level(const struct check_weighing *w)
{
    const struct check_model *m = w->model;
    _Alignas(8) uint8_t local[CHECK_LOCAL_MAX];

    check_local_load(m, w->move->node, w->outcome->local, local);
    return w->measure->own->amount(NULL, local + sizeof(struct check_head));
}

uint32_t check_level(const struct check_weighing *w)
{
    struct check_model *m = w->scale->model;
    struct check_levels *levels =
        &w->scale->levels[m->alike ? 0 : w->move->node];
    uint32_t local = w->outcome->local;

    if (local >= levels->room) {
        uint32_t room = (uint32_t)check_more(local);
        uint32_t *of = check_grow(&m->memory, levels->of,
                                  levels->room * sizeof *of, room * sizeof *of);

        if (!of)
            return 0;
        memset(of + levels->room, 0, (room - levels->room) * sizeof *of);
        levels->of = of;
        levels->room = room;
    }
    if (!levels->of[local])
        levels->of[local] = 1 + compute_level(w);
    return levels->of[local] - 1;
}

void check_scale_free(struct check_scale *s)
{
    for (uint32_t i = 0; i < CHECK_NODES_MAX; i++)
        check_release(&s->model->memory, s->levels[i].of,
                      s->levels[i].room * sizeof *s->levels[i].of);
}

static bool reaches_goal(struct check_model *m, const struct check_spread *base,
                         const struct check_move *move)
{
    struct check_spread after;
    struct net_news news;

    check_apply(m, base, move, &after);
    check_judge(m, base->id, move, after.id, &news);
    return news.reached;
}

/* Whether the node that acts does what the quantity waits for. */
static bool is_done(const struct check_weighing *w)
{
    const struct check_model *m = w->model;

    if (w->measure->span == CHECK_FURTHEST || w->measure->span == CHECK_APART)
        return check_counts(w->outcome, w->measure->own);
    if (m->type->momentary)
        return w->before->phase == FC_WAITING && w->after->phase == FC_IDLE &&
               check_is_event((enum check_move_kind)w->move->kind);
    return w->before->phase != FC_INSIDE && w->after->phase == FC_INSIDE;
}

uint32_t check_weigh(struct check_scale *s, const struct check_spread *base,
                     const struct check_next *next)
{
    const struct check_move *move = &next->move;
    const struct check_quantity *of = s->measure->of;
    struct check_model *m = s->model;
    bool acts = move->kind < CHECK_MISS && move->kind != CHECK_TICK;
    struct check_weighing w = {.scale = s,
                               .model = m,
                               .measure = s->measure,
                               .base = base,
                               .move = move};
    uint32_t weight, marks = move->kind != CHECK_TICK ? CHECK_ARC_EVENT : 0;

    if (acts)
        w.outcome = check_outcome_of(m, base, move);
    if (w.outcome) {
        w.before =
            check_info_of(m, move->node, base->id[m->local_at[move->node]]);
        w.after = check_info_of(m, move->node, w.outcome->local);
        marks |= (move->node + 1u) | (is_done(&w) ? CHECK_ARC_DONE : 0);
    }
    weight = of->weight ? of->weight(&w) : 0;
    if (weight > CHECK_WEIGHT_MAX)
        m->refusal = "a step adds more than can be counted";
    if (s->measure->span == CHECK_TO_GOAL && next->seen &&
        reaches_goal(m, base, move))
        marks |= CHECK_ARC_GOAL;
    return weight << 8 | marks;
}
