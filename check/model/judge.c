/*
 * judge.c - what a transition broke (see model.h).
 */
#include "check/model/model.h"

static fc_name id_of(const struct check_model *m, uint32_t node)
{
    return m->type->protocol->anonymous ? node + 1 : net_name(&m->names, node);
}

static int64_t tokens_flying(const struct check_model *m,
                             const uint32_t *vector)
{
    int64_t flying = 0;

    for (uint32_t l = 0; l < m->links_count; l++) {
        uint32_t count;
        const struct check_mail *mail =
            check_mails(m, vector[m->link_at[l]], &count);

        for (uint32_t i = 0; i < count; i++) {
            const uint8_t *msg = check_bytes(&m->messages, mail[i].msg, NULL);
            uint32_t kind = m->type->kind(msg);

            flying += m->type->protocol->kinds[kind].meaning == FC_TOKEN;
        }
    }
    return flying;
}

void check_look(const struct check_model *m, const uint32_t *vector,
                struct net_scene *s)
{
    struct check_budget budget = check_budget_of(m, vector);

    s->net = &m->setup->net;
    s->nodes = m->nodes;
    s->memory = budget.memory;
    s->crashed = m->setup->crashes && budget.crashes < m->setup->crashes &&
                 !m->type->inside;
    s->flying = m->type->counts_flying ? tokens_flying(m, vector) : 0;
    for (uint32_t i = 0; i < m->nodes; i++) {
        const struct check_info *info =
            check_info_of(m, i, vector[m->local_at[i]]);
        struct net_actor *a = &s->actor[i];

        a->id = id_of(m, i);
        a->started = (info->head.flags & CHECK_STARTED) != 0;
        /* Where there are guards, a crash ends nothing: the guard does. */
        a->down = (info->head.flags & CHECK_DOWN) && !m->type->inside;
        a->returns = false;
        memcpy(a->view, check_bytes(&m->views, info->view, NULL),
               sizeof a->view);
    }
}

void check_judge_change(struct check_model *m, const uint32_t *before,
                        const struct check_move *move, const uint32_t *after,
                        struct net_news *news)
{
    const struct check_info *old =
        check_info_of(m, move->node, before[m->local_at[move->node]]);
    const struct check_info *new =
        check_info_of(m, move->node, after[m->local_at[move->node]]);
    struct net_scene scene;
    struct net_actor *actor = &scene.actor[move->node];

    *news = (struct net_news){.memory = check_budget_of(m, before).memory};
    if (check_is_event((enum check_move_kind)move->kind) &&
        (old->view != new->view || new->insane ||
         move->kind == CHECK_RESTART)) {
        check_look(m, before, &scene);
        if (move->kind == CHECK_RESTART && !m->type->inside) {
            actor->down = false;
            actor->returns = true;
        }
        m->type->change(&scene, move->node,
                        check_bytes(&m->views, new->view, NULL), news);
        if (new->insane)
            news->broken |= FC_SANE;
        news->broken &= m->setup->properties;
    }
}

void check_judge(struct check_model *m, const uint32_t *before,
                 const struct check_move *move, const uint32_t *after,
                 struct net_news *news)
{
    check_judge_change(m, before, move, after, news);
    if (m->setup->net.predicates)
        news->broken |= check_judge_network(m, after);
}
