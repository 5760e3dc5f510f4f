/*
 * expand.c - everything that can happen in a state (see expand.h).
 *
 * Here: the network without time.  Any message that is first on its link may be
 * read, any running timer may expire, at any moment.
 */
#include "check/model/expand.h"

#include "check/model/judge.h"
#include "check/model/links.h"
#include "check/model/step.h"
#include "check/model/symmetry.h"

/* ---- One successor ------------------------------------------------------- */

/* What the problem remembers after a change of a view. */
struct remembering {
    uint32_t budget, node, view;
    const struct check_spread *base;
};

static uint32_t compute_memory(struct check_model *m, const void *asked)
{
    const struct remembering *r = asked;
    struct net_scene scene;
    struct check_budget b;
    struct net_news news;

    check_look(m, r->base->id, &scene);
    m->type->change(&scene, r->node, check_bytes(&m->views, r->view, NULL),
                    &news);
    memcpy(&b, check_bytes(&m->budgets, r->budget, NULL), sizeof b);
    b.memory = news.memory;
    return check_intern(&m->budgets, &m->memory, &b, sizeof b);
}

static uint32_t remember(struct check_model *m, uint32_t budget, uint32_t node,
                         const struct check_spread *base, uint32_t local)
{
    uint32_t old = check_info_of(m, node, base->id[m->local_at[node]])->view;
    uint32_t new = check_info_of(m, node, local)->view;
    uint64_t question = (uint64_t)budget << 40 | (uint64_t)old << 20 | new;
    const uint32_t *known;

    if (old >> 20 || new >> 20 || budget >> CHECK_BUDGET_BITS) {
        m->refusal = "nodes have more views than fit";
        return budget;
    }
    known = check_recall(&m->budget_memo, question);
    return known
               ? *known
               : check_memoised(m, &m->budget_memo, question, compute_memory,
                                &(struct remembering){budget, node, new, base});
}

static uint32_t budget_number(struct check_model *m,
                              const struct check_budget *b)
{
    struct check_model *home;
    uint32_t number;

    if (check_intern_find(&m->budgets, b, sizeof *b, &number))
        return number;
    home = check_model_enter(m);
    number = check_intern(&home->budgets, &home->memory, b, sizeof *b);
    check_model_leave(m);
    return number;
}

static void put_budget(struct check_model *m, struct check_spread *s,
                       const struct check_budget *b)
{
    check_set(&m->tree, s, m->budget_at, budget_number(m, b));
}

static void spend(struct check_model *m, struct check_spread *s,
                  enum check_move_kind kind)
{
    struct check_budget b = check_budget_of(m, s->id);

    b.crashes = (uint8_t)(b.crashes - (kind == CHECK_CRASH));
    if (kind == CHECK_CRASH && m->setup->notice)
        b.notice = CHECK_NOTICE_DUE;
    if (kind == CHECK_COMMAND) { /* the notice; that crash was the last */
        b.notice = CHECK_NOTICE_GIVEN;
        b.crashes = 0;
    }
    b.losses = (uint8_t)(b.losses - (kind == CHECK_LOSE));
    b.copies = (uint8_t)(b.copies - (kind == CHECK_COPY));
    b.late = (uint8_t)(b.late - (kind == CHECK_DELAY));
    b.pauses = (uint8_t)(b.pauses - (kind == CHECK_PAUSE));
    put_budget(m, s, &b);
}

/* A node has made its first draw. */
static void note_draw(struct check_model *m, struct check_spread *s,
                      const struct check_outcome *o)
{
    struct check_budget b = check_budget_of(m, s->id);

    b.drawn++;
    b.hits = (uint8_t)(b.hits + o->hit);
    put_budget(m, s, &b);
}

/* A node changes sides. */
static void cross_over(struct check_model *m, struct check_spread *s,
                       const struct check_move *move)
{
    struct check_budget b = check_budget_of(m, s->id);

    b.apart ^= (uint16_t)(1u << move->node);
    b.cuts = (uint8_t)(b.cuts - (move->kind == CHECK_CUT));
    if (!b.apart)
        b.apart_ticks = 0;
    put_budget(m, s, &b);
}

/* A tick passes for all; false if it may not. */
static bool pass_tick(struct check_model *m, const struct check_spread *base,
                      struct check_spread *s)
{
    const struct check_setup *setup = m->setup;
    struct check_budget b = check_budget_of(m, base->id);

    if (setup->cut_max && b.apart && b.apart_ticks++ == setup->cut_max)
        return false;
    if (!check_tick(m, base, 0, m->nodes, s))
        return false;
    b.tick += setup->until != 0;
    if (setup->until || b.apart_ticks)
        put_budget(m, s, &b);
    return true;
}

/* What a move does to the messages in flight, and to the faults that are
 * left. */
static void move_mail(struct check_model *m, const struct check_move *move,
                      struct check_spread *s)
{
    uint32_t place = m->link_at[move->link], content = s->id[place];

    switch ((enum check_move_kind)move->kind) {
    case CHECK_READ:
    case CHECK_MISS:
        check_set(&m->tree, s, place,
                  check_changed(m, content, CHECK_MAIL_TAKE, move->place));
        break;
    case CHECK_LOSE:
        check_set(&m->tree, s, place,
                  check_changed(m, content, CHECK_MAIL_TAKE, move->place));
        spend(m, s, CHECK_LOSE);
        break;
    case CHECK_COPY:
        check_set(&m->tree, s, place,
                  check_changed(m, content, CHECK_MAIL_COPY, move->place));
        spend(m, s, CHECK_COPY);
        break;
    case CHECK_DELAY:
        check_set(&m->tree, s, place,
                  check_changed(m, content, CHECK_MAIL_DELAY, move->place));
        spend(m, s, CHECK_DELAY);
        break;
    case CHECK_CRASH:
    case CHECK_PAUSE:
        spend(m, s, (enum check_move_kind)move->kind);
        break;
    case CHECK_COMMAND:
        if (move->place)
            spend(m, s, CHECK_COMMAND);
        break;
    case CHECK_CUT:
    case CHECK_JOIN:
        cross_over(m, s, move);
        break;
    default:
        break;
    }
}

/* A message leaves the half being expanded. */
static void cross(struct check_model *m, struct check_half *half,
                  uint32_t place, uint32_t msg)
{
    if (half->crossings_count == half->crossings_room) {
        uint32_t room = half->crossings_room ? 2 * half->crossings_room : 256;
        struct check_crossing *list = check_grow(
            &m->memory, half->crossings, half->crossings_room * sizeof *list,
            room * sizeof *list);

        if (!list)
            return;
        half->crossings = list;
        half->crossings_room = room;
    }
    half->crossings[half->crossings_count++] =
        (struct check_crossing){place, msg};
}

static bool is_outside(const struct check_model *m,
                       const struct check_half *half, uint32_t place)
{
    return half && (place < m->left_places) != (half == &m->halves[0]);
}

static inline void act_out(struct check_model *m, struct check_half *half,
                           const struct check_spread *base,
                           const struct check_move *move,
                           const struct check_outcome *outcome,
                           struct check_spread *s)
{
    struct check_outcome o = *outcome; /* interning may move the list */
    struct check_budget budget = {.apart = 0};

    move_mail(m, move, s);
    check_set(&m->tree, s, m->local_at[move->node], o.local);
    if (m->cells_count && check_is_event((enum check_move_kind)move->kind))
        check_set(&m->tree, s, m->cells_at, o.cells);
    if (m->setup->cuts)
        budget = check_budget_of(m, base->id);
    for (uint32_t i = 0; i < o.sends_count; i++) {
        const struct check_send *send = &m->sends[o.sends + i];
        uint32_t link = m->out[move->node][send->port];
        uint32_t place = m->link_at[link];

        if (check_is_apart(&budget, move->node, m->links[link].to))
            continue;
        if (is_outside(m, half, place))
            cross(m, half, place, send->msg);
        else
            check_set(
                &m->tree, s, place,
                check_changed(m, s->id[place], CHECK_MAIL_PUSH, send->msg));
    }
    if (o.range)
        note_draw(m, s, &o);
    if (o.seen && m->remembers && move->kind != CHECK_CRASH)
        check_set(&m->tree, s, m->budget_at,
                  remember(m, s->id[m->budget_at], move->node, base, o.local));
}

/* Whether what is given of first draws can still come true. */
static bool may_come(const struct check_model *m, const struct check_budget *b,
                     const struct check_outcome *o)
{
    uint32_t hits = b->hits + o->hit, left = m->nodes - b->drawn - 1u;

    return hits <= m->setup->given_count &&
           hits + left >= m->setup->given_count;
}

static bool room_for_one(struct check_expansion *x)
{
    struct check_nexts *out = x->out;

    if (out->count == out->room) {
        uint32_t room = out->room ? 2 * out->room : 64;
        struct check_next *list =
            check_grow_own(&x->model->memory, out->list,
                           out->room * sizeof *list, room * sizeof *list);

        if (!list)
            return false;
        out->list = list;
        out->room = room;
    }
    return true;
}

static void put(struct check_expansion *x, struct check_spread *s,
                const struct check_move *move, bool seen, bool odd,
                uint32_t crossings)
{
    struct check_model *m = x->model;
    struct check_next *next;

    if (!room_for_one(x))
        return;
    check_finish(m, s);
    next = &x->out->list[x->out->count++];
    next->crossings = crossings;
    next->crossings_count = x->half ? x->half->crossings_count - crossings : 0;
    next->pair = check_pair(&m->tree, s);
    next->hash = check_pair_hash(next->pair);
    next->move = *move;
    next->seen = seen;
    next->odd = odd;
    next->coin = false;
    check_table_prefetch(&m->tree.roots, next->hash);
}

static void copy_spread(const struct check_model *m,
                        const struct check_spread *from,
                        struct check_spread *to)
{
    memcpy(to->id, from->id, m->tree.size * sizeof to->id[0]);
    memset(to->dirty, 0, sizeof to->dirty);
}

bool check_emit(struct check_expansion *x, struct check_move move,
                uint32_t outcome)
{
    uint32_t crossings, first = x->out->count;
    struct check_spread s;

    if (outcome == CHECK_NO_OUTCOME)
        return false;
    for (bool last = false; !last; outcome++) {
        const struct check_outcome *o = &x->model->outcomes[outcome];
        bool seen = o->seen, odd = o->odd;

        last = o->last;
        crossings = x->half ? x->half->crossings_count : 0;
        if (!o->range || may_come(x->model, &x->budget, o)) {
            copy_spread(x->model, x->base, &s);
            act_out(x->model, x->half, x->base, &move, o, &s);
            put(x, &s, &move, seen, odd, crossings);
        }
        move.branch++;
    }
    x->out->gone |= first == x->out->count;
    for (; move.branch > 1 && first < x->out->count; first++)
        x->out->list[first].coin = true;
    return true;
}

/* A move of the network or of time, at which no node acts. */
void check_emit_alone(struct check_expansion *x, struct check_move move)
{
    struct check_spread s;

    copy_spread(x->model, x->base, &s);
    if (move.kind != CHECK_TICK)
        move_mail(x->model, &move, &s);
    else if (!pass_tick(x->model, x->base, &s))
        return;
    put(x, &s, &move, false, false, 0);
}

const struct check_outcome *check_outcome_of(struct check_model *m,
                                             const struct check_spread *base,
                                             const struct check_move *move)
{
    uint32_t local = base->id[m->local_at[move->node]], what = move->what;
    uint32_t msg = check_cells(m, base->id), count, outcome;

    if (move->kind == CHECK_READ) {
        msg = check_mails(m, base->id[m->link_at[move->link]],
                          &count)[move->place]
                  .msg;
        what = m->links[move->link].comes_by;
    }
    outcome = check_outcomes(m, move->node, local,
                             (enum check_move_kind)move->kind, what, msg);
    return outcome == CHECK_NO_OUTCOME ? NULL
                                       : &m->outcomes[outcome + move->branch];
}

void check_apply(struct check_model *m, const struct check_spread *base,
                 const struct check_move *move, struct check_spread *s)
{
    const struct check_outcome *outcome;

    copy_spread(m, base, s);
    if (move->kind == CHECK_TICK) {
        (void)pass_tick(m, base, s);
        return;
    }
    if (move->kind >= CHECK_MISS) {
        move_mail(m, move, s);
        return;
    }
    outcome = check_outcome_of(m, base, move);
    if (outcome)
        act_out(m, NULL, base, move, outcome, s);
}

/* ---- What can happen without time ---------------------------------------- */

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
    struct check_move move = {
        .kind = CHECK_COMMAND, .node = (uint16_t)node, .place = 1};

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

/* What its application may ask, and what it must. */
void check_ask(struct check_expansion *x, uint32_t node,
               const struct check_info *info)
{
    const struct net_type *type = x->model->type;

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
