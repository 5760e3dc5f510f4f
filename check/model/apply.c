/*
 * apply.c - one successor: what a move makes of a state (see expand.h).
 */
#include "check/model/expand.h"

#include "check/model/judge.h"
#include "check/model/links.h"
#include "check/model/step.h"
#include "check/model/symmetry.h"

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
    b.changes = (uint8_t)(b.changes - (kind == CHECK_COMMAND));
    b.losses = (uint8_t)(b.losses - (kind == CHECK_LOSE));
    b.copies = (uint8_t)(b.copies - (kind == CHECK_COPY));
    b.late = (uint8_t)(b.late - (kind == CHECK_DELAY));
    b.pauses = (uint8_t)(b.pauses - (kind == CHECK_PAUSE));
    put_budget(m, s, &b);
}

/* A node is told of the last crash. */
static void give_notice(struct check_model *m, struct check_spread *s)
{
    struct check_budget b = check_budget_of(m, s->id);

    b.notice = CHECK_NOTICE_GIVEN;
    b.crashes = 0;
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
        if (move->place == CHECK_BY_DETECTOR)
            give_notice(m, s);
        else if (move->place == CHECK_BY_OPERATOR)
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

/* Whether the condition on first draws can still come true. */
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
