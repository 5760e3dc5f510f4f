/*
 * solve.c - see solve.h.
 *
 * Where a probability is 0 or 1, or a sum is infinite, is found from the graph
 * alone.  Probabilities: sure.c.  The sum of all runs is infinite where one can
 * stay for ever and add something again and again (gains.c); that of runs that
 * end, at most, where an end is not sure whatever is chosen, and at least,
 * where no choices make it sure.  The rest is worked out one strongly connected
 * component after the other, those first to which others lead; known states
 * belong to none, so that components are no larger than they must be.  A state
 * in no cycle takes one look at its successors, and its fraction is exact if
 * theirs are and if it fits into 64 bits.
 *
 * In a component with cycles the values solve x = F(x), F being the best choice
 * in each state.  Iterating comes closer and closer, and one never knows how
 * close: the common rule, to stop when little changes, may stop anywhere.  So
 * the numbers found are guesses, and the numbers reported are proved.
 *
 *  - Probabilities, and greatest sums, are the least solution, and are iterated
 *    from 0.  For each state the simplest fraction near the guess is taken.  If
 *    these solve x = F(x) exactly, and choices that attain them lead out of the
 *    component for sure, they are the values: at least the least solution, as
 *    they are a solution, and no more, as a run has that value.  (Of the least
 *    probability there is only one solution: a state from which one can stay
 *    for ever has 0, so it is known.)  Bounds, if that fails: from below the
 *    iteration, rounded down at each step; from above any x with F(x) <= x
 *    (D. Park's induction), looked for a little above (as A. Hartmanns and B.
 *    Kaminski do it, CAV 2020), rounded up.  No end components have to be
 *    found: where one can stay for ever, a little above all values is still
 *    such an x.
 *  - Least sums, over choices that surely end: every x with x <= F(x) is a
 *    bound from below, because x <= what such choices add up + x where they
 *    have come after many steps, and in the end that is nowhere.  A solution
 *    that choices attain which lead out for sure is therefore the least sum.
 *    Iterating from 0 would come to less, where one can stay for ever without
 *    adding anything; so it is iterated from above, from the sum of some
 *    choices that end.  Bounds from above: an x with F(x) <= x whose choices
 *    lead out for sure.
 */
#include "check/odds/solve.h"

#include <math.h>

#include "check/odds/sure.h"

/* Iteration ends when a sweep changes no value by more: a probability by so
 * much, or a sum by so much of itself.  Before that once, for a first guess,
 * which is often right. */
#define ENOUGH_ODDS  1e-16
#define ENOUGH_SUMS  1e-15
#define ENOUGH_FIRST 1e-12

/* How often a value is looked at, in all, before one gives up: some seconds for
 * an iteration, and one for a bound. */
enum { LOOKS_MAX = 2000000000, LOOKS_BOUND = 200000000, SWEEPS_LEAST = 50 };
enum { SWEEPS_MAX = 1000000, SWEEPS_BOUND = 20000, SWEEPS_TIGHTER = 1000 };

/* ---- The work ------------------------------------------------------------ */

/* In place of a way: the number of ways that follow, each with its odds and, in
 * sums, its weight.  A single way that adds nothing, as nearly all are, stands
 * alone. */
#define MANY (UINT32_C(1) << 31)

/* The first two places stand for all that is known, and for ends. */
enum { NOTHING_AT, SURELY_AT, UNKNOWN_AT };

/* In place of a place: the sum is infinite. */
#define INFINITE_AT UINT32_MAX

/* The last place of its component; a way leads back to it; it is on the way out
 * of its component. */
enum mark { LAST = 1, LOOPS = 2, OUT = 4 };

/* States that are not known, in the order in which they are worked out: each
 * has a place. */
struct work {
    uint32_t places;
    bool greatest, sums;
    uint32_t *at;         /* its actions in the list, and one more */
    uint32_t *list;       /* ways, as places */
    size_t length;        /* of the list */
    double *least, *most; /* bounds of its value */
    struct check_fraction *exact;
    uint8_t *mark; /* enum mark */
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

/* Values are iterated from 0, and only grow. */
static bool grows(const struct work *w)
{
    return w->greatest || !w->sums;
}

/* More than this no value is, as far as is known beforehand. */
static double ceiling(const struct work *w)
{
    return w->sums ? HUGE_VAL : 1;
}

/* ---- What an action is worth --------------------------------------------- */

/* An action, by bounds from one side; ends at the next one.  A rounded average
 * is still an average: no more than the greatest of its parts, and no less than
 * the least.  Without that, going round where nothing is added to a sum would
 * seem to add something, and there would be no bound. */
static inline const uint32_t *worth(bool sums, const uint32_t *action,
                                    const double *value, double rounding,
                                    double *out)
{
    uint32_t ways = *action++;
    double sum = 0, edge = rounding > 1;

    if (ways < MANY) {
        *out = value[ways];
        return action;
    }
    ways -= MANY;
    for (uint32_t i = 0; i < ways; i++, action += sums ? 3 : 2) {
        double x = value[action[0]];

        if (sums) {
            if (action[2])
                x = (x + action[2]) * rounding;
            if (i == 0 || (rounding > 1 ? x > edge : x < edge))
                edge = x;
        }
        sum += x / action[1];
    }
    sum *= rounding;
    *out = ways > 1 && (rounding > 1 ? sum < edge : sum > edge) ? sum : edge;
    return action;
}

static const uint32_t *exact_worth(const struct work *w, const uint32_t *action,
                                   struct check_fraction *out)
{
    uint32_t ways = *action++;

    if (ways < MANY) {
        *out = w->exact[ways];
        return action;
    }
    *out = (struct check_fraction){0, 1};
    for (ways -= MANY; ways > 0; ways--, action += w->sums ? 3 : 2) {
        *out = check_plus(*out, w->exact[action[0]], action[1]);
        if (w->sums && action[2])
            *out = check_plus(*out, (struct check_fraction){action[2], 1},
                              action[1]);
    }
    return action;
}

/* Of the actions of a place; a place without any is worth 0. */
static inline double best(const struct work *w, uint32_t place,
                          const double *value, double rounding)
{
    const uint32_t *action = w->list + w->at[place];
    const uint32_t *end = w->list + w->at[place + 1];
    double x = 0, other;

    if (action < end)
        action = worth(w->sums, action, value, rounding, &x);
    while (action < end) {
        action = worth(w->sums, action, value, rounding, &other);
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
    struct check_chance c = w->sums ? check_number_of(f) : check_chance_of(f);

    w->exact[place] = f;
    w->least[place] = c.least;
    w->most[place] = c.most;
}

/* ---- Ways out of a component --------------------------------------------- */

static bool leads_out(const struct work *w, const struct component *c,
                      const uint32_t *action)
{
    uint32_t ways = *action < MANY ? 1 : *action++ - MANY;

    for (; ways > 0; ways--, action += w->sums ? 3 : 2)
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

        next = worth(w->sums, action, w->most, 1 + CHECK_ROUNDING, &x);
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

/* From where it is, until a sweep changes no value by more than so much:
 * `policy`, or the best choices. */
static void iterate(struct work *w, const struct component *c,
                    const uint32_t **policy, bool up, double rounding,
                    double little)
{
    uint32_t most = sweeps_of(c, LOOKS_MAX);
    bool changes = true;

    for (uint32_t sweep = 0; changes && sweep < most && sweep < SWEEPS_MAX;
         sweep++) {
        changes = false;
        for (uint32_t i = c->from; i < c->to; i++) {
            double x, was = w->least[i];

            if (policy)
                (void)worth(w->sums, policy[i - c->from], w->least, rounding,
                            &x);
            else
                x = best(w, i, w->least, rounding);
            if (up && x <= was)
                continue;
            changes = changes || fabs(x - was) > little * (w->sums ? was : 1);
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
 * the values are a bound then. */
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

/* From above a bound of the least solution; a sweep that lowers it leaves
 * one. */
static void tighten(struct work *w, const struct component *c)
{
    double change = 1;

    for (uint32_t sweep = 0; sweep < SWEEPS_TIGHTER && change > ENOUGH_ODDS;
         sweep++) {
        change = 0;
        for (uint32_t i = c->from; i < c->to; i++) {
            double x = best(w, i, w->most, 1 + CHECK_ROUNDING);

            if (x >= w->most[i])
                continue;
            if (w->most[i] - x > change)
                change = w->most[i] - x;
            w->most[i] = x;
        }
    }
}

static bool bound_above(struct work *w, const struct component *c, double gap)
{
    for (uint32_t i = c->from; i < c->to; i++) {
        double x = w->least[i] * (1 + gap) + gap;

        w->most[i] = x < ceiling(w) ? x : ceiling(w);
    }
    if (!bound(w, c, w->most, true) ||
        (!w->greatest && !gets_out(w, c, BELOW, NULL)))
        return false;
    if (!w->sums)
        tighten(w, c);
    return true;
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
    bool above = false, below = grows(w);

    for (uint32_t i = c->from; i < c->to && !below; i++)
        found[i - c->from] = w->least[i];
    for (uint32_t i = 0; i < sizeof gaps / sizeof gaps[0] && !above; i++)
        above = bound_above(w, c, gaps[i]);
    for (uint32_t i = 0; i < sizeof gaps / sizeof gaps[0] && !below; i++)
        below = bound_below(w, c, gaps[i], found);
    for (uint32_t i = c->from; i < c->to; i++) {
        if (!above)
            w->most[i] = ceiling(w);
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
    iterate(w, c, policy, true, 1, ENOUGH_SUMS);
    for (uint32_t i = c->from; i < c->to; i++)
        w->least[i] += w->least[i] * 1e-6;
    return true;
}

static void solve(struct work *w, const struct component *c,
                  const uint32_t **policy, double *found)
{
    double rounding = grows(w) ? 1 - CHECK_ROUNDING : 1;

    for (uint32_t i = c->from; i < c->to; i++) {
        w->least[i] = 0;
        w->most[i] = ceiling(w);
    }
    if (!grows(w) && !begin_above(w, c, policy))
        return;
    iterate(w, c, NULL, grows(w), rounding, ENOUGH_FIRST);
    if (guess(w, c, 1e-9))
        return;
    iterate(w, c, NULL, grows(w), rounding,
            w->sums ? ENOUGH_SUMS : ENOUGH_ODDS);
    if (!guess(w, c, 1e-12) && !guess(w, c, 1e-11) && !guess(w, c, 1e-9))
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

/* False: no memory. */
static bool solve_all(struct work *w, struct check_memory *m)
{
    struct component c = {.from = UNKNOWN_AT};
    size_t most = grows(w) ? 1 : longest(w) + (size_t)1;
    const uint32_t **policy = check_grow(m, NULL, 0, most * sizeof *policy);
    double *found = check_grow(m, NULL, 0, most * sizeof *found);

    set_exact(w, NOTHING_AT, (struct check_fraction){0, 1});
    set_exact(w, SURELY_AT, (struct check_fraction){1, 1});
    for (; !m->failed && c.from < w->places; c.from = c.to) {
        c.to = c.from + 1;
        while (!(w->mark[c.to - 1] & LAST))
            c.to++;
        if (c.to == c.from + 1 && !(w->mark[c.from] & LOOPS))
            look_once(w, c.from);
        else
            solve(w, &c, policy, found);
    }
    check_release(m, policy, most * sizeof *policy);
    check_release(m, found, most * sizeof *found);
    return !m->failed;
}

/* ---- States get their places --------------------------------------------- */

struct placing {
    struct work work;
    const struct check_process *p;
    const struct check_aim *aim;
    struct check_memory *memory;
    uint8_t *known;  /* of each state: it is in no component */
    uint32_t *place; /* of each state */
    uint32_t *order; /* the states of places, from UNKNOWN_AT on */
    uint32_t unknown;
};

static uint32_t place_at(const struct placing *g, uint32_t to)
{
    if (to == CHECK_BAD_END || to == CHECK_GOOD_END)
        return !g->work.sums && to == g->aim->end ? SURELY_AT : NOTHING_AT;
    return g->place[to];
}

static void place_component(void *whom, const uint32_t *states, uint32_t count)
{
    struct placing *g = whom;

    for (uint32_t i = 0; i < count; i++) {
        g->order[g->work.places - UNKNOWN_AT] = states[i];
        g->place[states[i]] = g->work.places++;
    }
    g->work.mark[g->work.places - 1] = LAST;
}

/* Whether an action leads to no infinite sum. */
static bool is_finite(const struct placing *g, uint32_t action)
{
    for (uint32_t i = g->p->begin[action]; i < g->p->begin[action + 1]; i++)
        if (place_at(g, g->p->ways[i].to) == INFINITE_AT)
            return false;
    return true;
}

/* Writes down the ways of an action, and if there is no list yet, how long they
 * are. */
static void write_action(struct placing *g, uint32_t state, uint32_t action)
{
    const struct check_process *p = g->p;
    struct work *w = &g->work;
    uint32_t i = p->begin[action], end = p->begin[action + 1], ways = end - i;
    bool alone =
        ways == 1 && p->ways[i].odds == 1 && !(w->sums && p->weights[i] > 0);

    if (!w->list) {
        w->length += alone ? 1 : 1 + (w->sums ? 3 : 2) * (size_t)ways;
        return;
    }
    if (!alone)
        w->list[w->length++] = MANY + ways;
    for (; i < end; i++) {
        uint32_t to = place_at(g, p->ways[i].to);

        if (to == g->place[state])
            w->mark[to] |= LOOPS;
        w->list[w->length++] = to;
        if (alone)
            continue;
        w->list[w->length++] = p->ways[i].odds;
        if (w->sums)
            w->list[w->length++] = p->weights[i];
    }
}

static void write_all(struct placing *g)
{
    struct work *w = &g->work;

    w->length = 0;
    for (uint32_t i = UNKNOWN_AT; i < w->places; i++) {
        uint32_t state = g->order[i - UNKNOWN_AT];

        w->at[i] = (uint32_t)w->length;
        for (uint32_t a = g->p->first[state]; a < g->p->first[state + 1]; a++)
            if (!w->sums || is_finite(g, a))
                write_action(g, state, a);
    }
    w->at[w->places] = (uint32_t)w->length;
}

/* Finds what the graph alone says, as places.  False: no memory. */
static bool find_known(struct placing *g)
{
    const struct check_aim *aim = g->aim;
    bool all = aim->asked == CHECK_SUM_OF_ALL, sums = g->work.sums;

    if (all ? !check_gains(g->p, g->memory, g->known)
            : !check_sure(g->p, g->memory, g->known,
                          sums ? CHECK_GOOD_END : aim->end,
                          sums ? !aim->greatest : aim->greatest))
        return false;
    for (uint32_t s = 0; s < g->p->states; s++) {
        if (sums && !all)
            g->known[s] = g->known[s] != CHECK_SURELY;
        g->place[s] = sums                          ? INFINITE_AT
                      : g->known[s] == CHECK_SURELY ? SURELY_AT
                                                    : NOTHING_AT;
        g->unknown += !g->known[s];
    }
    return true;
}

/* Gives places to the rest. */
static bool find_places(struct placing *g)
{
    struct check_memory *m = g->memory;
    struct work *w = &g->work;

    g->known = check_grow(m, NULL, 0, g->p->states + (size_t)1);
    g->place = check_grow(m, NULL, 0, g->p->states * sizeof *g->place);
    if (!g->known || !g->place || !find_known(g))
        return false;
    w->mark = check_grow(m, NULL, 0, g->unknown + (size_t)UNKNOWN_AT);
    g->order =
        check_grow(m, NULL, 0, (g->unknown + (size_t)1) * sizeof *g->order);
    w->places = UNKNOWN_AT;
    return w->mark && g->order &&
           check_process_components(g->p, g->known, m, place_component, g);
}

static void forget_order(struct placing *g)
{
    check_release(g->memory, g->order,
                  (g->unknown + (size_t)1) * sizeof *g->order);
    g->order = NULL;
}

/* Room for all that is said of places, and the list of their ways. */
static bool write_down(struct placing *g)
{
    struct check_memory *m = g->memory;
    struct work *w = &g->work;
    size_t places = w->places;

    w->at = check_grow(m, NULL, 0, (places + 1) * sizeof *w->at);
    if (!w->at)
        return false;
    write_all(g);
    if (w->length > UINT32_MAX || places > MANY) {
        m->failed = true;
        return false;
    }
    w->list = check_grow(m, NULL, 0, (w->length + 1) * sizeof *w->list);
    if (!w->list)
        return false;
    write_all(g);
    forget_order(g);
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

    forget_order(g);
    check_release(m, g->known, states + 1);
    check_release(m, g->place, states * sizeof *g->place);
    check_release(m, w->mark, g->unknown + (size_t)UNKNOWN_AT);
    check_release(m, w->at, (places + 1) * sizeof *w->at);
    check_release(m, w->list, (w->length + 1) * sizeof *w->list);
    check_release(m, w->least, places * sizeof *w->least);
    check_release(m, w->most, places * sizeof *w->most);
    check_release(m, w->exact, places * sizeof *w->exact);
}

bool check_solve(const struct check_process *p, struct check_memory *memory,
                 const struct check_aim *aim, struct check_expected *out,
                 uint32_t wanted)
{
    struct placing g = {
        .work = {.greatest = aim->greatest, .sums = aim->asked != CHECK_ODDS},
        .p = p,
        .aim = aim,
        .memory = memory};
    const struct work *w = &g.work;
    bool done = find_places(&g) && write_down(&g) && solve_all(&g.work, memory);

    for (uint32_t s = 0; done && s < wanted; s++) {
        uint32_t i = g.place[s];

        out[s] = (struct check_expected){.infinite = i == INFINITE_AT};
        if (!out[s].infinite)
            out[s].value = (struct check_chance){
                w->least[i], w->most[i], w->exact[i].over, w->exact[i].under};
    }
    end_placing(&g);
    return done;
}
