/*
 * choose.c - the extreme that is asked of a process, and the choices that
 * attain it (see strategy.h).
 *
 * An action is good enough in a state if it is worth the state's value.  That
 * alone is not enough where one could wait for ever with such actions, and
 * never have what they promise: for greatest probabilities, and for sums, each
 * choice must also lead on towards an end.  Choices are therefore made
 * backwards from the ends: an action that is good enough and may lead to where
 * the choice is made already.
 */
#include <math.h>

#include "check/odds/strategy.h"

#define NOTHING UINT32_MAX

struct choosing {
    struct check_building *building;
    struct check_process p;
    const struct check_aim *aim;
    const struct check_expected *value; /* of each state */
    uint32_t *choice;                   /* the action in each state */
    uint32_t *act; /* 1 + its number, once it is written down */
    struct check_scheduler *out;
};

/* ---- Choices that are good enough ---------------------------------------- */

static bool is_end(uint32_t to)
{
    return to == CHECK_BAD_END || to == CHECK_GOOD_END;
}

/* Where probabilities are asked, an end is worth 1 or 0; sums end with 0. */
static struct check_fraction end_worth(const struct choosing *c, uint32_t to)
{
    return (struct check_fraction){!c->p.weights && to == c->aim->end, 1};
}

static double middle(const struct check_expected *e)
{
    if (e->infinite)
        return HUGE_VAL;
    return isinf(e->value.most) ? e->value.least
                                : (e->value.least + e->value.most) / 2;
}

static double worth(const struct choosing *c, uint32_t action)
{
    double sum = 0;

    for (uint32_t i = c->p.begin[action]; i < c->p.begin[action + 1]; i++) {
        const struct check_way *way = &c->p.ways[i];
        double x = is_end(way->to) ? (double)end_worth(c, way->to).over
                                   : middle(&c->value[way->to]);

        sum += (x + (c->p.weights ? c->p.weights[i] : 0)) / way->odds;
    }
    return sum;
}

static struct check_fraction exact_worth(const struct choosing *c,
                                         uint32_t action)
{
    struct check_fraction sum = {0, 1};

    for (uint32_t i = c->p.begin[action]; i < c->p.begin[action + 1]; i++) {
        const struct check_way *way = &c->p.ways[i];
        struct check_fraction x = end_worth(c, way->to);

        if (!is_end(way->to)) {
            const struct check_expected *e = &c->value[way->to];

            x = (struct check_fraction){e->value.over,
                                        e->infinite ? 0 : e->value.under};
        }
        sum = check_plus(sum, x, way->odds);
        x = (struct check_fraction){c->p.weights ? c->p.weights[i] : 0, 1};
        sum = check_plus(sum, x, way->odds);
    }
    return sum;
}

static bool is_good_enough(const struct choosing *c, uint32_t state,
                           uint32_t action)
{
    const struct check_expected *e = &c->value[state];
    struct check_fraction has = {e->value.over, e->value.under};
    struct check_fraction x =
        has.under ? exact_worth(c, action) : (struct check_fraction){0, 0};
    double off;

    if (x.under)
        return check_compare(x, has) == 0;
    off = worth(c, action) - middle(e);
    return fabs(off) <= 1e-9 * (1 + middle(e));
}

/* ---- Choosing ------------------------------------------------------------ */

/* Whether all choices are equal: the value is the least possible. */
static bool is_indifferent(const struct choosing *c, uint32_t state)
{
    const struct check_expected *e = &c->value[state];

    return c->aim->greatest && !e->infinite && e->value.under &&
           e->value.over == 0;
}

/* Whether an action may lead on: to the end, to where the choice is made, or,
 * with a sum, to where nothing more is added. */
static bool leads_on(const struct choosing *c, uint32_t action)
{
    for (uint32_t i = c->p.begin[action]; i < c->p.begin[action + 1]; i++) {
        uint32_t to = c->p.ways[i].to;

        if (is_end(to) ? c->p.weights || to == c->aim->end
                       : c->choice[to] != NOTHING &&
                             (c->p.weights || !is_indifferent(c, to)))
            return true;
    }
    return false;
}

/* Whether choices need not lead anywhere: staying for ever is as good. */
static bool may_stay(const struct choosing *c)
{
    return !c->p.weights && !c->aim->greatest;
}

static void choose_in(struct choosing *c, uint32_t state)
{
    for (uint32_t a = c->p.first[state]; a < c->p.first[state + 1]; a++)
        if (is_indifferent(c, state) ||
            (is_good_enough(c, state, a) && (may_stay(c) || leads_on(c, a)))) {
            c->choice[state] = a;
            return;
        }
}

/* The last resort, if numbers are too rough: the action that is worth most, or
 * least. */
static void choose_roughly(struct choosing *c, uint32_t state)
{
    uint32_t first = c->p.first[state], best = first;

    for (uint32_t a = first; a < c->p.first[state + 1]; a++)
        if (c->aim->greatest ? worth(c, a) > worth(c, best)
                             : worth(c, a) < worth(c, best))
            best = a;
    if (first < c->p.first[state + 1])
        c->choice[state] = best;
}

static void choose(struct choosing *c)
{
    bool more;

    for (uint32_t s = 0; s < c->p.states; s++)
        c->choice[s] = NOTHING;
    for (uint32_t s = 0; s < c->p.states; s++)
        if (is_indifferent(c, s))
            choose_in(c, s);
    do {
        more = false;
        for (uint32_t s = c->p.states; s-- > 0;) {
            if (c->choice[s] != NOTHING || c->value[s].infinite)
                continue;
            choose_in(c, s);
            more |= c->choice[s] != NOTHING;
        }
    } while (more);
    for (uint32_t s = 0; s < c->p.states; s++)
        if (c->choice[s] == NOTHING)
            choose_roughly(c, s);
}

/* ---- Writing down -------------------------------------------------------- */

/* The act of a state, which is put in the list if it is new. */
static uint32_t act_of(struct choosing *c, uint32_t state)
{
    struct check_act act = {.line = state};

    if (!c->act[state] && check_scheduler_add(c->out, &act))
        c->act[state] = c->out->acts_count;
    return c->act[state] - 1;
}

static void add_next(struct choosing *c, uint32_t to)
{
    uint32_t next = to == CHECK_BAD_END    ? CHECK_ACT_BAD
                    : to == CHECK_GOOD_END ? CHECK_ACT_GOOD
                                           : act_of(c, to);

    (void)check_scheduler_lead(c->out, next);
}

/* What the choice in a state is, as a move. */
static bool write_act(struct choosing *c, uint32_t number)
{
    struct check_building *b = c->building;
    struct check_search *s = &b->search;
    uint32_t state = c->out->acts[number].line, ordinal, action = NOTHING;
    struct check_act act = {.ends = true, .next = c->out->nexts_count};
    struct check_spread base;

    ordinal = c->choice[state] - c->p.first[state];
    if (!check_visit(s, state))
        return false;
    check_tree_load(&s->model.tree, state, &base);
    for (uint32_t i = 0; i < s->nexts.count; i++) {
        const struct check_next *next = &s->nexts.list[i];
        uint32_t weight = 0;

        if (i == 0 || !check_same_action(&next->move, &next[-1].move))
            action++;
        if (action != ordinal || c->choice[state] == NOTHING)
            continue;
        if (act.ends)
            act.move = next->move;
        act.ends = false;
        add_next(c, check_lead(b, &base, next, &weight));
    }
    act.nexts_count = c->out->nexts_count - act.next;
    c->out->acts[number] = act;
    return !c->out->failed && !s->model.memory.failed;
}

/* What the choices attain is worked out once more, from what was written
 * down. */
static bool judge(struct choosing *c)
{
    struct check_play play;

    check_play(&c->building->setup, c->building->measure, c->out, 0, 0, &play);
    if (play.limit != CHECK_NO_LIMIT) {
        c->building->search.model.refusal = play.refusal;
        c->building->scratch.limit = play.limit;
        return false;
    }
    c->out->attains = play.attains;
    return true;
}

static bool attain(struct check_building *b, const struct check_aim *aim,
                   const struct check_expected *value, uint32_t initial,
                   struct check_scheduler *out)
{
    struct check_memory *m = &b->search.model.memory;
    size_t size = b->states * sizeof(uint32_t);
    struct choosing c = {.building = b,
                         .p = check_built(b),
                         .aim = aim,
                         .value = value,
                         .out = out};
    bool good;

    c.choice = check_grow(m, NULL, 0, size);
    c.act = check_grow(m, NULL, 0, size);
    good = c.choice && c.act;
    out->first = initial;
    if (good) {
        choose(&c);
        (void)act_of(&c, initial);
    }
    for (uint32_t i = 0; good && i < out->acts_count; i++)
        good = write_act(&c, i);
    check_release(m, c.choice, size);
    check_release(m, c.act, size);
    out->known = good && judge(&c);
    return out->known;
}

/* ---- Asking -------------------------------------------------------------- */

static bool is_more(const struct check_expected *a,
                    const struct check_expected *b)
{
    if (a->infinite || b->infinite)
        return a->infinite && !b->infinite;
    return check_less(&b->value, &a->value);
}

bool check_answer(struct check_building *b, const struct check_aim *aim,
                  struct check_expected *out, struct check_scheduler *attains)
{
    struct check_memory *memory = &b->search.model.memory;
    struct check_process p = check_built(b);
    uint32_t wanted = attains ? b->states : b->initial, at = 0;
    size_t size = wanted * sizeof(struct check_expected);
    struct check_expected *value = check_grow(memory, NULL, 0, size);
    bool good = value && check_solve(&p, memory, aim, value, wanted);

    for (uint32_t i = 1; good && i < b->initial; i++)
        if (aim->greatest ? is_more(&value[i], &value[at])
                          : is_more(&value[at], &value[i]))
            at = i;
    if (good)
        *out = value[at];
    if (good && attains && !out->infinite)
        good = attain(b, aim, value, at, attains);
    check_release(memory, value, size);
    return good;
}
