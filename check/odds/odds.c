/*
 * odds.c - see odds.h.
 *
 * Where a probability is 0 or 1 is found from the graph alone (sure.c).  The
 * rest is worked out one strongly connected component after the other, those
 * first to which others lead; known states belong to none, so that components
 * are no larger than they must be.  A state in no cycle takes one look at what
 * it leads to, and its fraction is exact if theirs are and if it fits into 64
 * bits.
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
 *    When the least is asked there is only one solution: a state from which one
 *    can stay for ever has 0, so it is known, and no state of the component.
 *  - Bounds, if that fails: from below what was iterated, rounded down at each
 *    step; from above any x with F(x) <= x (D. Park's induction), looked for a
 *    little above (as A. Hartmanns and B. Kaminski do it, CAV 2020), rounded
 *    up.  No end components have to be found: where one can stay for ever, a
 *    little above all values is still such an x.
 */
#include "check/odds/odds.h"

#include "check/odds/sure.h"

/* Iteration ends when a sweep changes no value by more; and before that once,
 * for a first guess, which is often right. */
#define ENOUGH       1e-16
#define ENOUGH_FIRST 1e-12

enum { SWEEPS_MAX = 100000, SWEEPS_ABOVE = 1000 };

/* ---- The work ------------------------------------------------------------ */

/* In place of a way: so many follow, each with its odds.  A single way that is
 * sure, as nearly all are, stands alone. */
#define MANY (UINT32_C(1) << 31)

/* The first two places stand for all that is known. */
enum { NEVER_AT, SURELY_AT, UNKNOWN_AT };

/* The last place of its component; a way leads back to it; it is on the way out
 * of its component. */
enum mark { LAST = 1, LOOPS = 2, OUT = 4 };

/* States that are not known, in the order in which they are worked out: each
 * has a place. */
struct work {
    uint32_t places;
    bool greatest;
    uint32_t *at;         /* its actions in the list, and one more */
    uint32_t *list;       /* ways, as places */
    size_t length;        /* of the list */
    double *least, *most; /* bounds of its value */
    struct check_fraction *exact;
    uint8_t *mark; /* enum mark */
};

/* What an action is worth, by bounds from one side; ends at the next action. */
static inline const uint32_t *worth(const uint32_t *action, const double *value,
                                    double rounding, double *out)
{
    uint32_t ways = *action++;
    double sum = 0;

    if (ways < MANY) {
        *out = value[ways];
        return action;
    }
    for (ways -= MANY; ways > 0; ways--, action += 2)
        sum += value[action[0]] / action[1];
    sum *= rounding;
    *out = sum < 1 ? sum : 1;
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
    for (ways -= MANY; ways > 0; ways--, action += 2)
        *out = check_plus(*out, w->exact[action[0]], action[1]);
    return action;
}

/* Of the actions of a place. */
static inline double best(const struct work *w, uint32_t place,
                          const double *value, double rounding)
{
    const uint32_t *action = w->list + w->at[place];
    const uint32_t *end = w->list + w->at[place + 1];
    double x = 0, other;

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
    struct check_fraction x, other;

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
    struct check_chance c = check_chance_of(f);

    w->exact[place] = f;
    w->least[place] = c.least;
    w->most[place] = c.most;
}

/* ---- A component with cycles --------------------------------------------- */

/* Its places. */
struct component {
    uint32_t from, to;
};

/* From below, until a sweep changes no value by more than so much. */
static void iterate(struct work *w, const struct component *c, double little)
{
    for (uint32_t sweep = 0; sweep < SWEEPS_MAX; sweep++) {
        double change = 0;

        for (uint32_t i = c->from; i < c->to; i++) {
            double x = best(w, i, w->least, 1 - CHECK_ROUNDING);

            if (x <= w->least[i])
                continue;
            if (x - w->least[i] > change)
                change = x - w->least[i];
            w->least[i] = x;
        }
        if (change < little)
            return;
    }
}

/* From above, a little over what was found; true if that is a bound.  Once it
 * is, every sweep that lowers it leaves a bound. */
static bool bound_above(struct work *w, const struct component *c, double gap)
{
    bool holds = false;

    for (uint32_t i = c->from; i < c->to; i++)
        w->most[i] = w->least[i] + gap < 1 ? w->least[i] + gap : 1;
    for (uint32_t sweep = 0; sweep < SWEEPS_ABOVE; sweep++) {
        double change = 0;

        holds = true;
        for (uint32_t i = c->from; i < c->to; i++) {
            double x = best(w, i, w->most, 1 + CHECK_ROUNDING);

            if (x > w->most[i])
                holds = false;
            else if (w->most[i] - x > change)
                change = w->most[i] - x;
            if (x < w->most[i])
                w->most[i] =
                    x; /* what was read is no less than its value now */
        }
        if (holds && change < ENOUGH)
            break;
    }
    return holds;
}

/* Whether the action leads on towards the way out: out at once, or to a place
 * that is marked. */
static bool leads_out(const struct work *w, const struct component *c,
                      const uint32_t *action)
{
    uint32_t ways = *action < MANY ? 1 : *action++ - MANY;

    for (uint32_t i = 0; i < ways; i++, action += 2)
        if (*action < c->from || *action >= c->to || w->mark[*action] & OUT)
            return true;
    return false;
}

/* Whether a choice that attains the fraction leads on towards the way out. */
static bool has_way_out(const struct work *w, const struct component *c,
                        uint32_t place)
{
    const uint32_t *action = w->list + w->at[place];

    while (action < w->list + w->at[place + 1]) {
        struct check_fraction f;
        const uint32_t *next = exact_worth(w, action, &f);

        if (check_compare(f, w->exact[place]) == 0 && leads_out(w, c, action))
            return true;
        action = next;
    }
    return false;
}

/* Whether choices that attain the fractions lead out of the component. */
static bool is_attained(struct work *w, const struct component *c)
{
    uint32_t left = c->to - c->from, before;

    for (uint32_t i = c->from; i < c->to; i++)
        w->mark[i] &= LAST | LOOPS;
    do {
        before = left;
        for (uint32_t i = c->from; i < c->to; i++)
            if (!(w->mark[i] & OUT) && has_way_out(w, c, i)) {
                w->mark[i] |= OUT;
                left--;
            }
    } while (left != before && left > 0);
    return left == 0;
}

/* The fractions next to what was iterated, if they are the solution. */
static bool guess(struct work *w, const struct component *c, double near)
{
    bool right = true;

    for (uint32_t i = c->from; i < c->to && right; i++) {
        struct check_fraction f = check_simplest_near(w->least[i], near);

        w->exact[i] = f;
        right = f.under != 0 && f.over <= f.under;
    }
    for (uint32_t i = c->from; i < c->to && right; i++) {
        struct check_fraction x = best_exact(w, i);

        right = x.under && check_compare(x, w->exact[i]) == 0;
    }
    if (right && w->greatest)
        right = is_attained(w, c);
    for (uint32_t i = c->from; i < c->to; i++) {
        if (right)
            set_exact(w, i, w->exact[i]);
        else
            w->exact[i].under = 0;
    }
    return right;
}

static void solve(struct work *w, const struct component *c)
{
    static const double gaps[] = {1e-12, 1e-10, 1e-8, 1e-6, 1e-4};

    for (uint32_t i = c->from; i < c->to; i++) {
        w->least[i] = 0;
        w->most[i] = 1;
    }
    iterate(w, c, ENOUGH_FIRST);
    if (guess(w, c, 1e-9))
        return;
    iterate(w, c, ENOUGH);
    if (guess(w, c, 1e-12) || guess(w, c, 1e-9))
        return;
    for (uint32_t i = 0; i < sizeof gaps / sizeof gaps[0]; i++)
        if (bound_above(w, c, gaps[i]))
            return;
    for (uint32_t i = c->from; i < c->to; i++)
        w->most[i] = 1;
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

static void work_out(struct work *w)
{
    struct component c = {.from = UNKNOWN_AT};

    set_exact(w, NEVER_AT, (struct check_fraction){0, 1});
    set_exact(w, SURELY_AT, (struct check_fraction){1, 1});
    for (; c.from < w->places; c.from = c.to) {
        c.to = c.from + 1;
        while (!(w->mark[c.to - 1] & LAST))
            c.to++;
        if (c.to == c.from + 1 && !(w->mark[c.from] & LOOPS))
            look_once(w, c.from);
        else
            solve(w, &c);
    }
}

/* ---- States get their places --------------------------------------------- */

struct placing {
    struct work work;
    struct check_memory *memory;
    struct check_components components;
    uint32_t end;
    uint8_t *known;
    uint32_t *place; /* of each state */
};

static uint32_t place_at(const struct placing *g, uint32_t to)
{
    if (to == CHECK_BAD_END || to == CHECK_GOOD_END)
        return to == g->end ? SURELY_AT : NEVER_AT;
    return g->place[to];
}

static void place_component(void *whom, const uint32_t *states, uint32_t count)
{
    struct placing *g = whom;

    for (uint32_t i = 0; i < count; i++)
        g->place[states[i]] = g->work.places++;
    g->work.mark[g->work.places - 1] = LAST;
}

/* Writes down the ways of a state, and if there is no list yet, how long they
 * are. */
static void write_state(struct placing *g, uint32_t state)
{
    const struct check_process *p = g->components.p;
    struct work *w = &g->work;

    for (uint32_t a = p->first[state]; a < p->first[state + 1]; a++) {
        uint32_t i = p->begin[a], ways = p->begin[a + 1] - i;
        bool sure = ways == 1 && p->ways[i].odds == 1;

        if (!w->list) {
            w->length += sure ? 1 : 1 + 2 * (size_t)ways;
            continue;
        }
        if (!sure)
            w->list[w->length++] = MANY + ways;
        for (; i < p->begin[a + 1]; i++) {
            uint32_t to = place_at(g, p->ways[i].to);

            if (to == g->place[state])
                w->mark[to] |= LOOPS;
            w->list[w->length++] = to;
            if (!sure)
                w->list[w->length++] = p->ways[i].odds;
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

/* Finds what is known and gives places to the rest.  False: no memory. */
static bool find_places(struct placing *g, const struct check_process *p)
{
    struct work *w = &g->work;
    uint32_t unknown = 0;

    g->known = check_grow(g->memory, NULL, 0, p->states + 1);
    g->place = check_grow(g->memory, NULL, 0, p->states * sizeof *g->place);
    if (!check_components_open(&g->components, p, g->known, g->memory) ||
        !g->known || !g->place)
        return false;
    check_sure(&g->components, g->known, g->end, w->greatest);
    for (uint32_t s = 0; s < p->states; s++) {
        g->place[s] = g->known[s] == CHECK_SURELY ? SURELY_AT : NEVER_AT;
        unknown += !g->known[s];
    }
    w->mark = check_grow(g->memory, NULL, 0, unknown + UNKNOWN_AT);
    w->places = UNKNOWN_AT;
    if (!w->mark)
        return false;
    check_components(&g->components, place_component, g);
    check_components_trim(&g->components, g->memory);
    return true;
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
    check_components_close(&g->components, m);
    w->least = check_grow(m, NULL, 0, places * sizeof *w->least);
    w->most = check_grow(m, NULL, 0, places * sizeof *w->most);
    w->exact = check_grow(m, NULL, 0, places * sizeof *w->exact);
    return w->least && w->most && w->exact;
}

static void end_placing(struct placing *g, uint32_t states, uint32_t places)
{
    struct check_memory *m = g->memory;
    struct work *w = &g->work;
    size_t count = w->places;

    check_components_close(&g->components, m);
    check_release(m, g->known, states + 1);
    check_release(m, g->place, states * sizeof *g->place);
    check_release(m, w->mark, places);
    check_release(m, w->at, (count + 1) * sizeof *w->at);
    check_release(m, w->list, (w->length + 1) * sizeof *w->list);
    check_release(m, w->least, count * sizeof *w->least);
    check_release(m, w->most, count * sizeof *w->most);
    check_release(m, w->exact, count * sizeof *w->exact);
}

bool check_odds(const struct check_process *p, struct check_memory *memory,
                uint32_t end, bool greatest, struct check_chance *out,
                uint32_t wanted)
{
    struct placing g = {
        .work.greatest = greatest, .memory = memory, .end = end};
    const struct work *w = &g.work;
    bool done = find_places(&g, p) && write_down(&g);

    if (done)
        work_out(&g.work);
    for (uint32_t s = 0; done && s < wanted; s++) {
        uint32_t i = g.place[s];

        out[s] = (struct check_chance){w->least[i], w->most[i],
                                       w->exact[i].over, w->exact[i].under};
    }
    end_placing(&g, p->states, w->places);
    return done;
}
