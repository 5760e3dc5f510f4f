/*
 * expand.c - everything that can happen in a state (see expand.h).
 *
 * Here: the network without time.  Any message that is first on its link may be
 * read, any running timer may expire, at any moment.
 */
#include "check/model/expand.h"

#include "check/model/links.h"
#include "check/model/step.h"

void check_read(struct check_expansion *x, uint32_t link, uint32_t place)
{
    struct check_model *m = x->model;
    uint32_t node = m->links[link].to, count;
    uint32_t local = x->base->id[m->local_at[node]];
    const struct check_mail *mail =
        check_mails(m, x->base->id[m->link_at[link]], &count);
    struct check_move move = {
        .kind = CHECK_READ,
        .node = (uint16_t)node,
        .link = (uint16_t)link,
        .place = (uint16_t)place,
    };

    (void)check_emit(x, move,
                     check_outcomes(m, node, local, CHECK_READ,
                                    m->links[link].comes_by, mail[place].msg));
}

bool check_act(struct check_expansion *x, uint32_t node,
               enum check_move_kind kind, uint32_t what)
{
    uint32_t local = x->base->id[x->model->local_at[node]];
    struct check_move move = {
        .kind = (uint8_t)kind,
        .what = (uint8_t)what,
        .node = (uint16_t)node,
    };

    return check_emit(x, move,
                      check_outcomes(x->model, node, local, kind, what,
                                     check_cells(x->model, x->base->id)));
}

/* ---- The notice of a crash ----------------------------------------------- */

/* Elections begin when a node notices that the leader has failed, and no
 * protocol here says how.  So the checker plays the failure detector: once, at
 * any moment after the last crash, some node that is up is told to start, once
 * more if it has before.  A node that would ignore it, because it leads or is
 * in an election already, is not told; it may be later. */
static void give_notice(struct check_expansion *x, uint32_t node)
{
    struct check_model *m = x->model;
    uint32_t local = x->base->id[m->local_at[node]];
    struct check_move move = {.kind = CHECK_COMMAND,
                              .node = (uint16_t)node,
                              .place = CHECK_BY_DETECTOR};

    (void)check_emit(x, move,
                     check_outcomes(m, node, local, CHECK_COMMAND, 0,
                                    check_cells(m, x->base->id)));
}

static bool notice_is_due(const struct check_expansion *x)
{
    struct check_model *m = x->model;

    if (x->budget.notice != CHECK_NOTICE_DUE)
        return false;
    for (uint32_t i = 0; i < m->nodes; i++) {
        uint32_t local = x->base->id[m->local_at[i]];

        if (!(check_info_of(m, i, local)->head.flags & CHECK_DOWN) &&
            check_outcomes(m, i, local, CHECK_COMMAND, 0,
                           check_cells(m, x->base->id)) != CHECK_NO_OUTCOME)
            return true;
    }
    return false;
}

/* ---- What a node can do, and what can go wrong --------------------------- */

/* An operator may ask for the next list at any node that does not ignore it. */
static void ask_for_list(struct check_expansion *x, uint32_t node)
{
    struct check_model *m = x->model;
    uint32_t local = x->base->id[m->local_at[node]];
    struct check_move move = {.kind = CHECK_COMMAND,
                              .what = (uint8_t)(m->type->protocol->change +
                                                m->setup->changes -
                                                x->budget.changes),
                              .node = (uint16_t)node,
                              .place = CHECK_BY_OPERATOR};
    uint32_t outcome = check_outcomes(m, node, local, CHECK_COMMAND, move.what,
                                      check_cells(m, x->base->id));

    if (outcome != CHECK_NO_OUTCOME && m->outcomes[outcome].obeyed)
        (void)check_emit(x, move, outcome);
}

/* What its application may ask, and what it must. */
void check_ask(struct check_expansion *x, uint32_t node,
               const struct check_info *info)
{
    const struct net_type *type = x->model->type;

    if (x->budget.changes && !(info->head.flags & CHECK_STARTS))
        ask_for_list(x, node);
    if (info->head.flags & (CHECK_STARTS | CHECK_MAY_START))
        (void)check_act(x, node, type->clocked ? CHECK_START : CHECK_COMMAND,
                        0);
    if (info->head.flags & CHECK_STARTS)
        x->out->quiet = false;
    else if (x->budget.notice == CHECK_NOTICE_DUE)
        give_notice(x, node);
    if (!type->repeats || (info->head.flags & CHECK_STARTS))
        return;
    if (info->phase == FC_IDLE && info->head.left) {
        (void)check_act(x, node, CHECK_COMMAND, type->request(false));
        if (x->model->setup->shared)
            (void)check_act(x, node, CHECK_COMMAND, type->request(true));
    } else if (info->phase == FC_INSIDE &&
               check_act(x, node, CHECK_COMMAND, type->farewell())) {
        x->out->quiet = false;
    }
}

/* Messages of a link that differ and may be next: the first, or all where
 * they may overtake. */
bool check_may_be_next(const struct check_model *m,
                       const struct check_mail *mail, uint32_t place)
{
    if (place == 0)
        return true;
    return m->any_order &&
           memcmp(&mail[place], &mail[place - 1], sizeof *mail) != 0;
}

/* Faults of the messages on a link, and of its receiver. */
void check_go_wrong(struct check_expansion *x, uint32_t node)
{
    struct check_model *m = x->model;
    const struct check_info *info =
        check_info_of(m, node, x->base->id[m->local_at[node]]);
    bool down = (info->head.flags & CHECK_DOWN) != 0;

    if (!down && x->budget.crashes && (m->setup->victims >> node & 1))
        (void)check_act(x, node, CHECK_CRASH, 0);
    if (down && m->setup->back != CHECK_RETURN_NEVER)
        (void)check_act(x, node, CHECK_RESTART, 0);
    for (uint32_t l = m->first_in[node]; l < m->first_in[node + 1]; l++) {
        uint32_t content = x->base->id[m->link_at[l]], count;

        (void)check_mails(m, content, &count);
        for (uint32_t i = 0; i < count; i++) {
            struct check_move move = {.node = (uint16_t)node,
                                      .link = (uint16_t)l,
                                      .place = (uint16_t)i};
            struct check_mail mail = check_mails(m, content, &count)[i];
            bool next =
                check_may_be_next(m, check_mails(m, content, &count), i);

            move.kind = CHECK_LOSE;
            if (x->budget.losses)
                check_emit_alone(x, move);
            move.kind = CHECK_COPY;
            if (x->budget.copies)
                check_emit_alone(x, move);
            move.kind = CHECK_DELAY;
            if (x->budget.late && !mail.late)
                check_emit_alone(x, move);
            move.kind = CHECK_MISS;
            if (down && next && (!m->timed || mail.age >= m->dmin))
                check_emit_alone(x, move);
        }
    }
}

/* Partitions begin and end between ticks, as in the simulator. */
static void expand_cuts(struct check_expansion *x)
{
    const struct check_model *m = x->model;
    uint32_t all = (1u << m->nodes) - 1, apart = x->budget.apart;

    for (uint32_t i = 0; i < m->nodes && m->uniform; i++) {
        uint32_t local = x->base->id[m->local_at[i]];
        const struct check_head *head = &check_info_of(m, i, local)->head;

        if (m->timed && head->age == 0 && !(head->flags & CHECK_DOWN))
            return;
    }
    for (uint32_t i = 0; i < m->nodes; i++) {
        struct check_move move = {.kind = CHECK_JOIN, .node = (uint16_t)i};

        if (!(apart >> i & 1)) {
            move.kind = CHECK_CUT;
            if (!x->budget.cuts || (apart | 1u << i) == all ||
                !(m->setup->victims >> i & 1))
                continue;
        }
        check_emit_alone(x, move);
    }
}

static void expand_node(struct check_expansion *x, uint32_t node)
{
    struct check_model *m = x->model;
    const struct check_info *in =
        check_info_of(m, node, x->base->id[m->local_at[node]]);
    struct check_info info = *in; /* may move when steps are computed */

    if (m->budgeted)
        check_go_wrong(x, node);
    if (info.head.flags & CHECK_DOWN) {
        for (uint32_t l = m->first_in[node]; l < m->first_in[node + 1]; l++)
            if (x->base->id[m->link_at[l]])
                x->out->quiet = false;
        return;
    }
    check_ask(x, node, &info);
    if (info.head.flags & CHECK_STARTS)
        return;
    for (uint32_t l = m->first_in[node]; l < m->first_in[node + 1]; l++) {
        uint32_t content = x->base->id[m->link_at[l]], count;

        if (content == 0)
            continue;
        x->out->quiet = false;
        (void)check_mails(m, content, &count);
        for (uint32_t i = 0; i < (m->any_order ? count : 1); i++)
            if (check_may_be_next(m, check_mails(m, content, &count), i))
                check_read(x, l, i);
    }
    for (uint32_t armed = info.armed; armed; armed &= armed - 1) {
        x->out->quiet = false;
        (void)check_act(x, node, CHECK_TIMEOUT, (uint32_t)__builtin_ctz(armed));
    }
}

void check_expand_nodes(struct check_expansion *x)
{
    for (uint32_t i = x->first_node; i < x->last_node; i++)
        if (x->model->timed)
            check_expand_timed(x, i);
        else
            expand_node(x, i);
    if (x->model->timed) {
        check_foresee(x);
        x->out->quiet = !x->busy;
    }
}

void check_expand(struct check_model *m, uint32_t state,
                  struct check_nexts *out)
{
    struct check_move tick = {.kind = CHECK_TICK};
    struct check_spread base;
    struct check_expansion x = {
        .model = m, .base = &base, .out = out, .last_node = m->nodes};

    out->count = 0;
    out->quiet = true;
    out->noticed = out->last = out->gone = false;
    if (m->halved) {
        check_expand_halves(m, state, out);
        return;
    }
    check_tree_load(&m->tree, state, &base);
    x.budget = check_budget_of(m, base.id);
    if (x.budget.tick < m->setup->faults_from)
        x.budget = (struct check_budget){.tick = x.budget.tick,
                                         .drawn = x.budget.drawn,
                                         .hits = x.budget.hits};
    check_expand_nodes(&x);
    out->noticed = notice_is_due(&x);
    if (out->noticed)
        out->quiet = false;
    if (m->setup->cuts)
        expand_cuts(&x);
    if (x.budget.apart || !check_has_come(m, &x.budget))
        out->quiet = false;
    out->last = m->setup->until && x.budget.tick == m->setup->until;
    if (m->timed &&
        (x.busy || x.open || out->noticed || m->setup->faults_from) &&
        !out->last)
        check_emit_alone(&x, tick);
}
