/*
 * sums.c - see sums.h.
 *
 * Where a sum is infinite follows from the graph.  Of all runs: where one can
 * stay for ever and add something again and again (gains.c).  Of runs that end,
 * at most: where an end is not sure whatever is chosen; at least: where no
 * choices make it sure (sure.c).  Elsewhere it is finite, and is worked out one
 * component after the other, as in odds.c: what is iterated is a guess, and
 * what is said is proved.  Let F be the best choice in each state.
 *
 *  - Greatest: the sums are the least solution of x = F(x).  A solution in
 *    fractions is it if choices that attain it lead out of the component for
 *    sure: then x is their sum.  Bounds: from below what is iterated from 0,
 *    rounded down; from above any x with F(x) <= x.
 *  - Least, over choices that surely end: every x with x <= F(x) is a bound
 *    from below, because x <= what such choices add up + x where they have come
 *    after many steps, and in the end that is nowhere.  A solution that choices
 *    attain which lead out for sure is therefore the least sum.  Iterating from
 *    0 would come to less, where one can stay for ever without adding anything;
 *    so it is iterated from above, from the sum of some choices that end.
 *    Bounds from above: an x with F(x) <= x whose choices lead out for sure.
 */
#include "check/odds/sums.h"

#include <math.h>

#include "check/odds/gains.h"
#include "check/odds/sure.h"

/* Iteration ends when a sweep changes no value by more, relatively. */
#define ENOUGH 1e-15

/* How often a value is looked at, in all, before one gives up: some seconds for
 * an iteration, and one for a bound. */
enum { LOOKS_MAX = 2000000000, LOOKS_BOUND = 200000000, SWEEPS_LEAST = 50 };
enum { SWEEPS_MAX = 1000000, SWEEPS_BOUND = 20000 };

/* Where runs end. */
enum { END_AT, UNKNOWN_AT };

/* A place is the last of its component; a way leads back to it; it is on the
 * way out of its component. */
enum mark { LAST = 1, LOOPS = 2, OUT = 4 };

/* States with a finite sum, in the order in which they are worked out. */
struct work {
    uint32_t places;
    bool greatest;
    uint32_t *at;   /* its actions in the list, and one more */
    uint32_t *list; /* how many ways; then of each: to, odds, weight */
    size_t length;
    double *least, *most;
    struct check_fraction *exact;
    uint8_t *mark;
};

/* The places of a component. */
struct component {
    uint32_t from, to;
};

static uint32_t sweeps_of(const struct component *c, uint32_t looks)
{
    uint32_t sweeps = looks / (c->to - c->from + 1);

    return sweeps > SWEEPS_LEAST ? sweeps : SWEEPS_LEAST;
}

/* ---- What an action is worth --------------------------------------------- */

/* An action, by bounds from one side; ends at the next one.  What is rounded is
 * an average all the same: it is no more than the greatest of what it is made
 * of, and no less than the least.  Without that, going round where nothing is
 * added would seem to add something, and there would be no bound. */
static inline const uint32_t *worth(const uint32_t *action, const double *value,
                                    double rounding, double *out)
{
    uint32_t ways = *action++;
    double sum = 0, edge = 0;

    for (uint32_t i = 0; i < ways; i++, action += 3) {
        double x = value[action[0]];

        if (action[2])
            x = (x + action[2]) * rounding;
        if (i == 0 || (rounding > 1 ? x > edge : x < edge))
            edge = x;
        sum += x / action[1];
    }
    sum *= rounding;
    *out = ways > 1 && (rounding > 1 ? sum < edge : sum > edge) ? sum : edge;
    return action;
}

static const uint32_t *exact_worth(const struct work *w, const uint32_t *action,
                                   struct check_fraction *out)
{
    *out = (struct check_fraction){0, 1};
    for (uint32_t ways = *action++; ways > 0; ways--, action += 3) {
        struct check_fraction weight = {action[2], 1};

        *out = check_plus(*out, w->exact[action[0]], action[1]);
        if (action[2])
            *out = check_plus(*out, weight, action[1]);
    }
    return action;
}

/* Of the actions of a place; a place without any is worth 0. */
static double best(const struct work *w, uint32_t place, const double *value,
                   double rounding)
{
    const uint32_t *action = w->list + w->at[place];
    const uint32_t *end = w->list + w->at[place + 1];
    double x = 0, other;

    if (action < end)
        action = worth(action, value, rounding, &x);
    while (action < end) {
        action = worth(action, value, rounding, &other);
        if (w->greatest ? other > x : other < x)
            x = other;
    }
    return x;
}

static struct check_fraction best_exact(const struct work *w, uint32_t place)
{
    const uint32_t *action = w->list + w->at[place];
    const uint32_t *end = w->list + w->at[place + 1];
    struct check_fraction x = {0, 1}, other;

    if (action < end)
        action = exact_worth(w, action, &x);
    while (action < end && x.under) {
        action = exact_worth(w, action, &other);
        if (!other.under || (w->greatest ? check_compare(other, x) > 0
                                         : check_compare(other, x) < 0))
            x = other;
    }
    return x;
}

static void set_exact(struct work *w, uint32_t place, struct check_fraction f)
{
    struct check_chance c = check_number_of(f);

    w->exact[place] = f;
    w->least[place] = c.least;
    w->most[place] = c.most;
}

/* ---- Ways out of a component --------------------------------------------- */

static bool leads_out(const struct work *w, const struct component *c,
                      const uint32_t *action)
{
    for (uint32_t ways = *action++; ways > 0; ways--, action += 3)
        if (*action < c->from || *action >= c->to || w->mark[*action] & OUT)
            return true;
    return false;
}

/* Which actions may be taken on the way out. */
enum taken { ANY, EXACT, BELOW };

/* The first action that may be, and that leads on towards the way out; or
 * NULL. */
static const uint32_t *way_out(const struct work *w, const struct component *c,
                               uint32_t place, enum taken taken)
{
    const uint32_t *action = w->list + w->at[place], *next;

    for (; action < w->list + w->at[place + 1]; action = next) {
        struct check_fraction f;
        double x;

        next = worth(action, w->most, 1 + CHECK_ROUNDING, &x);
        if (!leads_out(w, c, action) ||
            (taken == BELOW && !(x <= w->most[place])))
            continue;
        if (taken == EXACT) {
            (void)exact_worth(w, action, &f);
            if (!f.under || check_compare(f, w->exact[place]) != 0)
                continue;
        }
        return action;
    }
    return NULL;
}

/* Whether such actions lead out of the component from everywhere; `policy` is
 * set to the first such action of each place, if it is asked for. */
static bool gets_out(struct work *w, const struct component *c,
                     enum taken taken, const uint32_t **policy)
{
    uint32_t left = c->to - c->from, before;

    for (uint32_t i = c->from; i < c->to; i++)
        w->mark[i] &= LAST | LOOPS;
    do {
        before = left;
        for (uint32_t i = c->from; i < c->to; i++) {
            const uint32_t *action =
                w->mark[i] & OUT ? NULL : way_out(w, c, i, taken);

            if (!action)
                continue;
            w->mark[i] |= OUT;
            if (policy)
                policy[i - c->from] = action;
            left--;
        }
    } while (left != before && left > 0);
    return left == 0;
}

/* ---- A component with cycles --------------------------------------------- */

static bool is_near(double a, double b)
{
    return a - b <= ENOUGH * b && b - a <= ENOUGH * b;
}

/* From where it is, until nothing changes: `policy`, or the best choices. */
static void iterate(struct work *w, const struct component *c,
                    const uint32_t **policy, double rounding)
{
    uint32_t most = sweeps_of(c, LOOKS_MAX);
    bool changes = true;

    for (uint32_t sweep = 0; changes && sweep < most && sweep < SWEEPS_MAX;
         sweep++) {
        changes = false;
        for (uint32_t i = c->from; i < c->to; i++) {
            double x;

            if (policy)
                (void)worth(policy[i - c->from], w->least, rounding, &x);
            else
                x = best(w, i, w->least, rounding);
            if (w->greatest && x <= w->least[i])
                continue;
            changes |= !is_near(x, w->least[i]);
            w->least[i] = x;
        }
    }
}

/* The fractions next to what was iterated, if they are the solution. */
static bool guess(struct work *w, const struct component *c, double near)
{
    bool right = true, nothing = true;

    for (uint32_t i = c->from; i < c->to && right; i++) {
        double x = w->least[i], scale = x > 1 ? x : 1;

        w->exact[i] = x < 0x1p30 ? check_simplest_near(x, near * scale)
                                 : (struct check_fraction){0, 0};
        right = w->exact[i].under != 0;
        nothing &= w->exact[i].over == 0;
    }
    for (uint32_t i = c->from; i < c->to && right; i++) {
        struct check_fraction x = best_exact(w, i);

        right = x.under && check_compare(x, w->exact[i]) == 0;
    }
    /* Nothing is less than 0. */
    if (right && !(w->greatest && nothing))
        right = gets_out(w, c, EXACT, NULL);
    for (uint32_t i = c->from; i < c->to; i++) {
        if (right)
            set_exact(w, i, w->exact[i]);
        else
            w->exact[i].under = 0;
    }
    return right;
}

/* Sweeps until no value has to be moved outwards; inwards it may be.  True if
 * what is left is a bound. */
static bool bound(struct work *w, const struct component *c, double *value,
                  bool above)
{
    double rounding = above ? 1 + CHECK_ROUNDING : 1 - CHECK_ROUNDING;
    uint32_t most = sweeps_of(c, LOOKS_BOUND);
    bool holds = false;

    for (uint32_t sweep = 0; sweep < most && sweep < SWEEPS_BOUND && !holds;
         sweep++) {
        holds = true;
        for (uint32_t i = c->from; i < c->to; i++) {
            double x = best(w, i, value, rounding);

            if (above ? x > value[i] : x < value[i]) {
                holds = false;
                value[i] = x;
            }
        }
    }
    return holds;
}

static bool bound_above(struct work *w, const struct component *c, double gap)
{
    for (uint32_t i = c->from; i < c->to; i++)
        w->most[i] = w->least[i] * (1 + gap) + gap;
    return bound(w, c, w->most, true) &&
           (w->greatest || gets_out(w, c, BELOW, NULL));
}

static bool bound_below(struct work *w, const struct component *c, double gap,
                        const double *found)
{
    for (uint32_t i = c->from; i < c->to; i++) {
        double x = found[i - c->from] * (1 - gap) - gap;

        w->least[i] = x > 0 ? x : 0;
    }
    return bound(w, c, w->least, false);
}

/* Bounds as near as can be proved. */
static void find_bounds(struct work *w, const struct component *c,
                        double *found)
{
    static const double gaps[] = {1e-12, 1e-10, 1e-8, 1e-6, 1e-4, 1e-2};
    bool above = false, below = w->greatest;

    for (uint32_t i = c->from; i < c->to; i++)
        found[i - c->from] = w->least[i];
    for (uint32_t i = 0; i < sizeof gaps / sizeof gaps[0] && !above; i++)
        above = bound_above(w, c, gaps[i]);
    for (uint32_t i = 0; i < sizeof gaps / sizeof gaps[0] && !below; i++)
        below = bound_below(w, c, gaps[i], found);
    for (uint32_t i = c->from; i < c->to; i++) {
        if (!above)
            w->most[i] = HUGE_VAL;
        if (!below)
            w->least[i] = 0;
    }
}

/* Where least sums are iterated from: what some choices that end add up to. */
static bool begin_above(struct work *w, const struct component *c,
                        const uint32_t **policy)
{
    if (!gets_out(w, c, ANY, policy))
        return false;
    w->greatest = true; /* what one choice adds up to is iterated from 0 */
    iterate(w, c, policy, 1);
    w->greatest = false;
    for (uint32_t i = c->from; i < c->to; i++)
        w->least[i] += w->least[i] * 1e-6;
    return true;
}

static void solve(struct work *w, const struct component *c,
                  const uint32_t **policy, double *found)
{
    for (uint32_t i = c->from; i < c->to; i++) {
        w->least[i] = 0;
        w->most[i] = HUGE_VAL;
    }
    if (!w->greatest && !begin_above(w, c, policy))
        return;
    iterate(w, c, NULL, w->greatest ? 1 - CHECK_ROUNDING : 1);
    if (!guess(w, c, 1e-11) && !guess(w, c, 1e-9))
        find_bounds(w, c, found);
}

/* A state in no cycle. */
static void look_once(struct work *w, uint32_t place)
{
    struct check_fraction f = best_exact(w, place);

    if (f.under) {
        set_exact(w, place, f);
        return;
    }
    w->exact[place] = f;
    w->least[place] = best(w, place, w->least, 1 - CHECK_ROUNDING);
    w->most[place] = best(w, place, w->most, 1 + CHECK_ROUNDING);
}

/* The greatest component; 0: there are no cycles. */
static uint32_t longest(const struct work *w)
{
    uint32_t most = 0;

    for (uint32_t from = UNKNOWN_AT, i = from; i < w->places; i++)
        if (w->mark[i] & LAST) {
            if ((i > from || w->mark[i] & LOOPS) && i + 1 - from > most)
                most = i + 1 - from;
            from = i + 1;
        }
    return most;
}

static bool work_out(struct work *w, struct check_memory *m)
{
    struct component c = {.from = UNKNOWN_AT};
    size_t most = longest(w);
    const uint32_t **policy =
        check_grow(m, NULL, 0, (most + 1) * sizeof *policy);
    double *found = check_grow(m, NULL, 0, (most + 1) * sizeof *found);

    set_exact(w, END_AT, (struct check_fraction){0, 1});
    for (; policy && found && c.from < w->places; c.from = c.to) {
        c.to = c.from + 1;
        while (!(w->mark[c.to - 1] & LAST))
            c.to++;
        if (c.to == c.from + 1 && !(w->mark[c.from] & LOOPS))
            look_once(w, c.from);
        else
            solve(w, &c, policy, found);
    }
    check_release(m, policy, (most + 1) * sizeof *policy);
    check_release(m, found, (most + 1) * sizeof *found);
    return !m->failed;
}

/* ---- States get their places --------------------------------------------- */

struct placing {
    struct work work;
    const struct check_process *p;
    struct check_memory *memory;
    struct check_components components;
    uint8_t *infinite; /* of each state */
    uint32_t *place;
};

static bool is_end(uint32_t to)
{
    return to == CHECK_BAD_END || to == CHECK_GOOD_END;
}

static void place_component(void *whom, const uint32_t *states, uint32_t count)
{
    struct placing *g = whom;

    for (uint32_t i = 0; i < count; i++)
        g->place[states[i]] = g->work.places++;
    g->work.mark[g->work.places - 1] = LAST;
}

/* Whether an action leads to no infinite sum. */
static bool is_finite(const struct placing *g, uint32_t action)
{
    for (uint32_t i = g->p->begin[action]; i < g->p->begin[action + 1]; i++)
        if (!is_end(g->p->ways[i].to) && g->infinite[g->p->ways[i].to])
            return false;
    return true;
}

/* Writes down the ways of a state, and if there is no list yet, how long they
 * are. */
static void write_state(struct placing *g, uint32_t state)
{
    const struct check_process *p = g->p;
    struct work *w = &g->work;

    for (uint32_t a = p->first[state]; a < p->first[state + 1]; a++) {
        uint32_t ways = p->begin[a + 1] - p->begin[a];

        if (!is_finite(g, a))
            continue;
        if (!w->list) {
            w->length += 1 + 3 * (size_t)ways;
            continue;
        }
        w->list[w->length++] = ways;
        for (uint32_t i = p->begin[a]; i < p->begin[a + 1]; i++) {
            uint32_t to = p->ways[i].to;

            to = is_end(to) ? END_AT : g->place[to];
            if (to == g->place[state])
                w->mark[to] |= LOOPS;
            w->list[w->length++] = to;
            w->list[w->length++] = p->ways[i].odds;
            w->list[w->length++] = p->weights[i];
        }
    }
}

static void write_all(struct placing *g)
{
    struct work *w = &g->work;

    w->length = 0;
    for (uint32_t i = UNKNOWN_AT; i < w->places; i++) {
        w->at[i] = (uint32_t)w->length;
        write_state(g, g->components.order[i - UNKNOWN_AT]);
    }
    w->at[w->places] = (uint32_t)w->length;
}

/* Where sums are infinite. */
static bool find_infinite(struct placing *g, enum check_runs runs)
{
    if (runs == CHECK_RUNS_ALL)
        return check_gains(g->p, g->memory, g->infinite);
    check_sure(&g->components, g->infinite, CHECK_GOOD_END, !g->work.greatest);
    for (uint32_t s = 0; s < g->p->states; s++)
        g->infinite[s] = g->infinite[s] != CHECK_SURELY;
    return true;
}

static bool find_places(struct placing *g, enum check_runs runs)
{
    const struct check_process *p = g->p;
    struct check_memory *m = g->memory;
    struct work *w = &g->work;

    g->infinite = check_grow(m, NULL, 0, p->states + 1);
    g->place = check_grow(m, NULL, 0, p->states * sizeof *g->place);
    if (!check_components_open(&g->components, p, g->infinite, m) ||
        !g->infinite || !g->place || !find_infinite(g, runs))
        return false;
    w->places = UNKNOWN_AT;
    w->mark = check_grow(m, NULL, 0, p->states + UNKNOWN_AT);
    w->at = check_grow(m, NULL, 0,
                       ((size_t)p->states + UNKNOWN_AT + 1) * sizeof *w->at);
    if (!w->mark || !w->at)
        return false;
    check_components(&g->components, place_component, g);
    check_components_trim(&g->components, m);
    return true;
}

static bool write_down(struct placing *g)
{
    struct check_memory *m = g->memory;
    struct work *w = &g->work;
    size_t places = w->places;

    write_all(g);
    if (w->length > UINT32_MAX) {
        m->failed = true;
        return false;
    }
    w->list = check_grow(m, NULL, 0, (w->length + 1) * sizeof *w->list);
    if (!w->list)
        return false;
    write_all(g);
    w->least = check_grow(m, NULL, 0, places * sizeof *w->least);
    w->most = check_grow(m, NULL, 0, places * sizeof *w->most);
    w->exact = check_grow(m, NULL, 0, places * sizeof *w->exact);
    return w->least && w->most && w->exact;
}

static void end_placing(struct placing *g)
{
    struct check_memory *m = g->memory;
    struct work *w = &g->work;
    size_t states = g->p->states, places = w->places;

    check_components_close(&g->components, m);
    check_release(m, g->infinite, states + 1);
    check_release(m, g->place, states * sizeof *g->place);
    check_release(m, w->mark, states + UNKNOWN_AT);
    check_release(m, w->at, (states + UNKNOWN_AT + 1) * sizeof *w->at);
    check_release(m, w->list, (w->length + 1) * sizeof *w->list);
    check_release(m, w->least, places * sizeof *w->least);
    check_release(m, w->most, places * sizeof *w->most);
    check_release(m, w->exact, places * sizeof *w->exact);
}

bool check_sums(const struct check_process *p, struct check_memory *memory,
                enum check_runs runs, bool greatest, struct check_expected *out,
                uint32_t wanted)
{
    struct placing g = {.work.greatest = greatest, .p = p, .memory = memory};
    const struct work *w = &g.work;
    bool done = find_places(&g, runs) && write_down(&g);

    done = done && work_out(&g.work, memory);
    for (uint32_t s = 0; done && s < wanted; s++) {
        uint32_t i = g.place[s];

        out[s] = (struct check_expected){.infinite = g.infinite[s] != 0};
        if (!out[s].infinite)
            out[s].value = (struct check_chance){
                w->least[i], w->most[i], w->exact[i].over, w->exact[i].under};
    }
    end_placing(&g);
    return done;
}
