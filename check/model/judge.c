/*
 * judge.c - what a transition broke (see judge.h).
 */
#include "check/model/judge.h"

#include "check/model/links.h"
#include "net/judge.h"

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

/* ---- The whole network (core/network.h) ---------------------------------- */

enum { FLYING_MAX = 1024 }; /* messages in flight: 24 kB of the stack */

/* A state as predicates and typed properties see it. */
struct whole {
    struct net_place place;
    _Alignas(8) uint8_t locals[CHECK_LOCALS_MAX];
    uint8_t views[CHECK_NODES_MAX][NET_VIEW_SIZE];
    struct fc_flying flying[FLYING_MAX];
    const void *states[CHECK_NODES_MAX];
    fc_name names[CHECK_NODES_MAX];
    bool down[CHECK_NODES_MAX];
    uint32_t first[CHECK_LINKS_MAX + 1];
    struct fc_network all;
    struct net_moment moment;
};

/* The messages in flight, and in a complete network the first message of each
 * link, else NULL; returns their number. */
static uint32_t add_flying(struct check_model *m,
                           const uint32_t *restrict vector,
                           struct fc_flying *restrict out,
                           uint32_t *restrict first)
{
    uint32_t count = 0, pair = 0, nodes = m->nodes, links = m->links_count;

    for (uint32_t l = 0; l < links; l++) {
        const struct check_link *link = &m->links[l];
        uint32_t mails;
        const struct check_mail *mail =
            check_mails(m, vector[m->link_at[l]], &mails);

        while (first && pair <= link->to * nodes + link->from)
            first[pair++] = count;
        if (count + mails > FLYING_MAX) {
            m->refusal = "more than 1024 messages are in flight, too many for "
                         "its predicates: leave them out with --only";
            return 0;
        }
        for (uint32_t i = 0; i < mails; i++)
            out[count++] = (struct fc_flying){
                link->from, link->to, link->comes_by,
                check_bytes(&m->messages, mail[i].msg, NULL)};
    }
    while (first && pair <= nodes * nodes)
        first[pair++] = count;
    return count;
}

__attribute__((always_inline)) static inline void
look_at_whole(struct check_model *m, const uint32_t *restrict vector,
              struct whole *restrict w)
{
    size_t size = (m->local_size + 7) & ~(size_t)7;
    uint32_t nodes = m->nodes;

    w->place = (struct net_place){&m->setup->net, &m->names, &m->graph, 0};
    w->all = net_network(&w->place);
    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t local = vector[m->local_at[i]];

        w->names[i] = net_name(&m->names, i);
        w->down[i] = check_info_of(m, i, local)->head.flags & CHECK_DOWN;
        w->states[i] = w->locals + i * size + sizeof(struct check_head);
        if (w->down[i])
            memset(w->locals + i * size, 0, size);
        else
            check_local_load(m, i, local, w->locals + i * size);
    }
    w->all.state = w->states;
    w->all.name = w->names;
    w->all.down = w->down;
    w->all.together &= m->setup->waking == CHECK_WAKE_LISTED;
    w->all.flying = w->flying;
    if (m->type->protocol->topology == FC_COMPLETE)
        w->all.first = w->first;
    w->all.flying_count =
        add_flying(m, vector, w->flying, w->all.first ? w->first : NULL);
}

uint32_t check_judge_network(struct check_model *m, const uint32_t *vector)
{
    struct whole w;

    look_at_whole(m, vector, &w);
    return net_judge(m->setup->net.predicates, m->type->protocol, &w.all);
}

/* ---- Properties that were typed (net/asked.h) ---------------------------- */

static const struct net_moment *look_at_moment(struct check_model *m,
                                               const uint32_t *vector,
                                               bool over, struct whole *w)
{
    look_at_whole(m, vector, w);
    for (uint32_t i = 0; i < m->nodes; i++)
        memcpy(w->views[i],
               check_bytes(&m->views,
                           check_info_of(m, i, vector[m->local_at[i]])->view,
                           NULL),
               NET_VIEW_SIZE);
    w->moment = (struct net_moment){
        .all = &w->all,
        .type = m->type,
        .fields = m->type->state_fields,
        .views = (const uint8_t(*)[NET_VIEW_SIZE])w->views,
        .over = over,
    };
    return &w->moment;
}

/* Whether a move is a step between two states, as asked.h has it. */
static bool is_step(const struct check_move *move)
{
    return check_is_event((enum check_move_kind)move->kind) ||
           move->kind == CHECK_CRASH || move->kind == CHECK_MISS ||
           move->kind == CHECK_LOSE || move->kind == CHECK_COPY;
}

/* Not inlined: what is judged without it should not make room on the stack for
 * two networks. */
__attribute__((noinline)) uint32_t
check_judge_asked(struct check_model *m, const uint32_t *before,
                  const struct check_move *move, const uint32_t *vector,
                  bool over)
{
    const struct net_asked *asked = net_asked(&m->setup->net);
    const struct net_moment *now = NULL, *next;
    struct whole w, earlier;
    bool failed = false;
    uint32_t broken;

    next = look_at_moment(m, vector, over, &w);
    if (asked->steps && move && is_step(move))
        now = look_at_moment(m, before, false, &earlier);
    broken = net_asked_broken(asked, now, next, &failed);
    if (failed && !m->refusal)
        m->refusal = net_no_value;
    return broken;
}

bool check_stands(struct check_model *m, const uint32_t *vector, bool over,
                  const struct net_property *p, uint32_t instance, bool *wants,
                  bool *gets)
{
    struct whole w;

    if (p->stands(p, instance, look_at_moment(m, vector, over, &w), wants,
                  gets))
        return true;
    m->refusal = net_no_value;
    return false;
}

void check_judge(struct check_model *m, const uint32_t *before,
                 const struct check_move *move, const uint32_t *after,
                 struct net_news *news)
{
    check_judge_change(m, before, move, after, news);
    if (m->setup->net.predicates)
        news->broken |= check_judge_network(m, after);
    if (net_asked(&m->setup->net))
        news->broken |= check_judge_asked(m, before, move, after, false);
}
