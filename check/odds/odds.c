/*
 * odds.c - see odds.h.
 *
 * Probabilities are worked out one strongly connected component after the
 * other, those first to which others lead.  A state in no cycle takes one look
 * at what it leads to, and its fraction is exact if theirs are and if it fits
 * into 64 bits.
 *
 * In a component with cycles the probabilities are the least solution of x =
 * F(x), F being the best choice in each state.  Iterating from 0 comes closer
 * and closer from below, and one never knows how close: the common rule, to
 * stop when little changes, may stop anywhere.  So the numbers found are
 * guesses, and what is said is proved:
 *
 *  - Fractions: for each state the simplest one near the guess.  If they solve
 *    x = F(x) exactly and are more than the least solution nowhere, they are
 *    it.  They are at least the least solution, because they are a solution.
 *    When the greatest probability is asked, they are no more if choices that
 *    attain them lead out of the component for sure: then a run has that value.
 *    When the least is asked, they are no more if nobody can stay among states
 *    whose value is not 0: then every run has that value, or more.
 *  - Bounds, if that fails: from below what was iterated, rounded down at each
 *    step; from above any x with F(x) <= x (D. Park's induction), looked for a
 *    little above (as A. Hartmanns and B. Kaminski do it, CAV 2020), rounded
 *    up.  No end components have to be found: where one can stay for ever, a
 *    little above all values is still such an x.
 */
#include "check/odds/odds.h"

__extension__ typedef unsigned __int128 wide;

/* Relative errors of a few sums and products stay below this. */
#define ROUNDING 0x1p-48

enum { SWEEPS_MAX = 100000, SWEEPS_ABOVE = 1000 };

/* ---- Fractions ----------------------------------------------------------- */

struct fraction {
    uint64_t over, under; /* in lowest terms; under 0: not known */
};

static wide divisor(wide a, wide b)
{
    while (b) {
        wide rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

static struct fraction lowest(wide over, wide under)
{
    struct fraction f = {0, 0};
    wide d;

    if (over == 0)
        return (struct fraction){0, 1};
    d = divisor(under, over);
    over /= d;
    under /= d;
    if (under <= UINT64_MAX && over <= UINT64_MAX)
        f = (struct fraction){(uint64_t)over, (uint64_t)under};
    return f;
}

/* sum + f/odds; probabilities, so that the sum is 1 at most. */
static struct fraction plus(struct fraction sum, struct fraction f,
                            uint32_t odds)
{
    struct fraction part = {0, 0};

    if (f.under)
        part = odds == 1 ? f : lowest(f.over, (wide)f.under * odds);
    if (!part.under || !sum.under)
        return (struct fraction){0, 0};
    if (part.over == 0)
        return sum;
    if (sum.over == 0)
        return part;
    return lowest((wide)sum.over * part.under + (wide)part.over * sum.under,
                  (wide)sum.under * part.under);
}

/* a < b: negative; a = b: 0. */
static int compare(struct fraction a, struct fraction b)
{
    wide x = (wide)a.over * b.under, y = (wide)b.over * a.under;

    return (x > y) - (x < y);
}

static struct check_chance chance_of(struct fraction f)
{
    double x = (double)f.over / (double)f.under;
    struct check_chance c = {.over = f.over, .under = f.under};

    c.least = f.over == f.under ? 1 : x * (1 - ROUNDING);
    c.most = x * (1 + ROUNDING) < 1 ? x * (1 + ROUNDING) : 1;
    return c;
}

static struct fraction fraction_of(const struct check_chance *c)
{
    return (struct fraction){c->over, c->under};
}

/* The first convergent of x's continued fraction that is as near as asked. */
static struct fraction simplest_near(double x, double near)
{
    uint64_t over[2] = {0, 1}, under[2] = {1, 0};
    double rest = x;

    for (uint32_t i = 0; i < 40; i++) {
        uint64_t a, p, q;
        double off;

        if (rest > 1e15)
            break;
        a = (uint64_t)rest;
        p = a * over[1] + over[0];
        q = a * under[1] + under[0];
        if (q > (UINT64_C(1) << 31))
            break;
        over[0] = over[1];
        over[1] = p;
        under[0] = under[1];
        under[1] = q;
        off = (double)p / (double)q - x;
        if (off <= near && off >= -near)
            return (struct fraction){p, q};
        if (rest - (double)a <= 0)
            break;
        rest = 1 / (rest - (double)a);
    }
    return (struct fraction){0, 0};
}

bool check_less(const struct check_chance *a, const struct check_chance *b)
{
    return a->under && b->under ? compare(fraction_of(a), fraction_of(b)) < 0
                                : a->least + a->most < b->least + b->most;
}

struct check_chance check_other(struct check_chance a)
{
    struct check_chance other = {.least = 1 - a.most, .most = 1 - a.least};

    return a.under ? chance_of((struct fraction){a.under - a.over, a.under})
                   : other;
}

/* ---- The work ------------------------------------------------------------ */

struct work {
    const struct check_process *p;
    struct check_chance *value;
    uint32_t end;
    bool greatest;
    /* Components: states in the order in which they are complete. */
    uint32_t *order, *met, *low, *stack, *next;
    uint32_t order_count, met_count, stack_count;
    uint32_t *mark;         /* scratch, one per state of the component */
    uint32_t *component_of; /* 1 + number of the component; 0: none yet */
    uint32_t components;
};

static struct check_chance value_at(const struct work *w, uint32_t to)
{
    if (to == CHECK_BAD_END || to == CHECK_GOOD_END)
        return chance_of((struct fraction){to == w->end, 1});
    return w->value[to];
}

/* What an action is worth. */
static double least_of(const struct work *w, uint32_t action)
{
    double sum = 0;

    for (uint32_t i = w->p->begin[action]; i < w->p->begin[action + 1]; i++)
        sum += value_at(w, w->p->ways[i].to).least / w->p->ways[i].odds;
    return sum * (1 - ROUNDING);
}

static double most_of(const struct work *w, uint32_t action)
{
    double sum = 0;

    for (uint32_t i = w->p->begin[action]; i < w->p->begin[action + 1]; i++)
        sum += value_at(w, w->p->ways[i].to).most / w->p->ways[i].odds;
    sum *= 1 + ROUNDING;
    return sum < 1 ? sum : 1;
}

static struct fraction exact_of(const struct work *w, uint32_t action)
{
    struct fraction sum = {0, 1};

    for (uint32_t i = w->p->begin[action]; i < w->p->begin[action + 1]; i++) {
        struct check_chance c = value_at(w, w->p->ways[i].to);

        sum = plus(sum, fraction_of(&c), w->p->ways[i].odds);
    }
    return sum;
}

/* Of the actions of a state, by one of these measures. */
static double best(const struct work *w, uint32_t state,
                   double (*of)(const struct work *, uint32_t))
{
    uint32_t first = w->p->first[state], last = w->p->first[state + 1];
    double x = first < last ? of(w, first) : 0;

    for (uint32_t a = first + 1; a < last; a++) {
        double other = of(w, a);

        if (w->greatest ? other > x : other < x)
            x = other;
    }
    return x;
}

static struct fraction best_exact(const struct work *w, uint32_t state)
{
    uint32_t first = w->p->first[state], last = w->p->first[state + 1];
    struct fraction x = {0, 1};

    for (uint32_t a = first; a < last; a++) {
        struct fraction other = exact_of(w, a);

        if (!other.under)
            return other;
        if (a == first ||
            (w->greatest ? compare(other, x) > 0 : compare(other, x) < 0))
            x = other;
    }
    return x;
}

/* ---- A component with cycles --------------------------------------------- */

struct component {
    const uint32_t *states;
    uint32_t count, number;
};

static bool is_inside(const struct work *w, const struct component *c,
                      uint32_t to)
{
    return to != CHECK_BAD_END && to != CHECK_GOOD_END &&
           w->component_of[to] == c->number;
}

/* From below, until it hardly changes. */
static void iterate(struct work *w, const struct component *c)
{
    for (uint32_t sweep = 0; sweep < SWEEPS_MAX; sweep++) {
        double change = 0;

        for (uint32_t i = 0; i < c->count; i++) {
            struct check_chance *v = &w->value[c->states[i]];
            double x = best(w, c->states[i], least_of);

            if (x <= v->least)
                continue;
            if (x - v->least > change)
                change = x - v->least;
            v->least = x;
        }
        if (change < 1e-16)
            return;
    }
}

/* From above, a little over what was found; true if that is a bound. */
static bool bound_above(struct work *w, const struct component *c, double gap)
{
    for (uint32_t i = 0; i < c->count; i++) {
        struct check_chance *v = &w->value[c->states[i]];

        v->most = v->least + gap < 1 ? v->least + gap : 1;
    }
    for (uint32_t sweep = 0; sweep < SWEEPS_ABOVE; sweep++) {
        bool holds = true;

        for (uint32_t i = 0; i < c->count; i++) {
            struct check_chance *v = &w->value[c->states[i]];
            double x = best(w, c->states[i], most_of);

            if (x <= v->most)
                v->most = x; /* what was read is no less than its value now */
            else
                holds = false;
        }
        if (holds)
            return true;
    }
    return false;
}

static bool is_zero(const struct work *w, uint32_t state)
{
    return w->value[state].over == 0;
}

/* Whether the action leads on towards the way out: out at once, or to a state
 * that is marked. */
static bool leads_out(const struct work *w, const struct component *c,
                      uint32_t action)
{
    for (uint32_t i = w->p->begin[action]; i < w->p->begin[action + 1]; i++) {
        uint32_t to = w->p->ways[i].to;

        if (!is_inside(w, c, to) || is_zero(w, to) || w->mark[to])
            return true;
    }
    return false;
}

/* Whether choices that attain the fractions lead out of the component. */
static bool is_attained(struct work *w, const struct component *c)
{
    uint32_t left = 0, before;

    for (uint32_t i = 0; i < c->count; i++) {
        w->mark[c->states[i]] = is_zero(w, c->states[i]);
        left += !is_zero(w, c->states[i]);
    }
    do {
        before = left;
        for (uint32_t i = 0; i < c->count; i++) {
            uint32_t s = c->states[i];

            for (uint32_t a = w->p->first[s];
                 !w->mark[s] && a < w->p->first[s + 1]; a++)
                if (compare(exact_of(w, a), fraction_of(&w->value[s])) == 0 &&
                    leads_out(w, c, a)) {
                    w->mark[s] = 1;
                    left--;
                }
        }
    } while (left != before);
    return left == 0;
}

/* Whether an action may stay among marked states for sure. */
static bool stays(const struct work *w, const struct component *c,
                  uint32_t action)
{
    for (uint32_t i = w->p->begin[action]; i < w->p->begin[action + 1]; i++)
        if (!is_inside(w, c, w->p->ways[i].to) || !w->mark[w->p->ways[i].to])
            return false;
    return true;
}

/* Whether nobody can stay for ever among states whose value is not 0. */
static bool is_left(struct work *w, const struct component *c)
{
    uint32_t left = 0, before;

    for (uint32_t i = 0; i < c->count; i++) {
        w->mark[c->states[i]] = !is_zero(w, c->states[i]);
        left += w->mark[c->states[i]];
    }
    do {
        before = left;
        for (uint32_t i = 0; i < c->count; i++) {
            uint32_t s = c->states[i], a = w->p->first[s];

            while (a < w->p->first[s + 1] && !stays(w, c, a))
                a++;
            if (w->mark[s] && a == w->p->first[s + 1]) {
                w->mark[s] = 0;
                left--;
            }
        }
    } while (left != before);
    return left == 0;
}

/* The fractions next to what was iterated, if they are the solution. */
static bool guess(struct work *w, const struct component *c, double near)
{
    bool right = true;

    for (uint32_t i = 0; i < c->count && right; i++) {
        struct check_chance *v = &w->value[c->states[i]];
        struct fraction f = simplest_near(v->least, near);

        v->over = f.over;
        v->under = f.under;
        right = f.under != 0 && f.over <= f.under;
    }
    for (uint32_t i = 0; i < c->count && right; i++) {
        struct fraction x = best_exact(w, c->states[i]);

        right =
            x.under && compare(x, fraction_of(&w->value[c->states[i]])) == 0;
    }
    if (right)
        right = w->greatest ? is_attained(w, c) : is_left(w, c);
    for (uint32_t i = 0; i < c->count; i++) {
        struct check_chance *v = &w->value[c->states[i]];

        if (right)
            *v = chance_of(fraction_of(v));
        else
            v->under = 0;
    }
    return right;
}

static void solve(struct work *w, const struct component *c)
{
    static const double gaps[] = {1e-12, 1e-10, 1e-8, 1e-6, 1e-4};

    for (uint32_t i = 0; i < c->count; i++)
        w->value[c->states[i]] = (struct check_chance){.most = 1};
    iterate(w, c);
    if (guess(w, c, 1e-12) || guess(w, c, 1e-9))
        return;
    for (uint32_t i = 0; i < sizeof gaps / sizeof gaps[0]; i++)
        if (bound_above(w, c, gaps[i]))
            return;
    for (uint32_t i = 0; i < c->count; i++)
        w->value[c->states[i]].most = 1;
}

/* A state in no cycle. */
static void look_once(struct work *w, uint32_t state)
{
    struct fraction f = best_exact(w, state);

    if (f.under)
        w->value[state] = chance_of(f);
    else
        w->value[state] = (struct check_chance){
            .least = best(w, state, least_of), .most = best(w, state, most_of)};
}

/* ---- Components (Tarjan 1972) -------------------------------------------- */

static bool has_cycle(const struct work *w, uint32_t state)
{
    const struct check_process *p = w->p;

    for (uint32_t i = p->begin[p->first[state]];
         i < p->begin[p->first[state + 1]]; i++)
        if (p->ways[i].to == state)
            return true;
    return false;
}

/* All states of the component entered at `state` are on the stack. */
static void complete(struct work *w, uint32_t state)
{
    struct component c = {.states = w->order + w->order_count,
                          .number = ++w->components};
    uint32_t top;

    do {
        top = w->stack[--w->stack_count];
        w->component_of[top] = c.number;
        w->order[w->order_count++] = top;
        c.count++;
    } while (top != state);
    if (c.count == 1 && !has_cycle(w, state))
        look_once(w, state);
    else
        solve(w, &c);
}

static void enter(struct work *w, uint32_t state)
{
    w->met[state] = w->low[state] = ++w->met_count;
    w->next[state] = w->p->begin[w->p->first[state]];
    w->stack[w->stack_count++] = state;
}

/* Depth first from a state. */
static void descend(struct work *w, uint32_t root, uint32_t *way)
{
    uint32_t deep = 0;

    enter(w, root);
    way[deep++] = root;
    while (deep > 0) {
        uint32_t s = way[deep - 1], to;

        if (w->next[s] == w->p->begin[w->p->first[s + 1]]) {
            deep--;
            if (deep > 0 && w->low[s] < w->low[way[deep - 1]])
                w->low[way[deep - 1]] = w->low[s];
            if (w->low[s] == w->met[s])
                complete(w, s);
            continue;
        }
        to = w->p->ways[w->next[s]++].to;
        if (to == CHECK_BAD_END || to == CHECK_GOOD_END || w->component_of[to])
            continue;
        if (w->met[to]) {
            if (w->met[to] < w->low[s])
                w->low[s] = w->met[to];
            continue;
        }
        enter(w, to);
        way[deep++] = to;
    }
}

bool check_odds(const struct check_process *p, struct check_memory *memory,
                uint32_t end, bool greatest, struct check_chance *out)
{
    enum { LISTS = 8 };
    size_t size = (p->states + 1) * sizeof(uint32_t);
    struct work w = {.p = p, .value = out, .end = end, .greatest = greatest};
    uint32_t *list[LISTS];
    bool all = true;

    for (uint32_t i = 0; i < LISTS; i++) {
        list[i] = check_grow(memory, NULL, 0, size);
        all &= list[i] != NULL;
    }
    w.order = list[0];
    w.met = list[1];
    w.low = list[2];
    w.stack = list[3];
    w.next = list[4];
    w.mark = list[5];
    w.component_of = list[6];
    for (uint32_t s = 0; all && s < p->states; s++)
        if (!w.met[s])
            descend(&w, s, list[7]);
    for (uint32_t i = 0; i < LISTS; i++)
        check_release(memory, list[i], size);
    return all;
}
