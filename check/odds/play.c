/*
 * play.c - a scheduler is followed, with coins from a seed (see strategy.h).
 *
 * Every act of a scheduler is looked up in the model: it must be possible where
 * the scheduler comes to it.  The part of the process that its choices leave is
 * written down first; then runs only go from state to state in that.
 */
#include <math.h>
#include <stdlib.h>

#include "check/odds/expect.h"
#include "check/odds/given.h"
#include "check/odds/strategy.h"
#include "net/grow.h"
#include "net/random.h"

/* A run that is as long as this has no end, for all that is known. */
enum { STEPS_MAX = 10000000 };

struct playing {
    struct check_building b;
    const struct check_scheduler *scheduler;
    uint32_t *act; /* of each state: 1 + its number; 0: none */
    uint32_t *led; /* the number of ways that left it */
    uint32_t act_room, led_room;
    uint8_t *ends; /* of each state: a run can end from there */
    uint32_t line; /* of the act that is refused */
};

/* ---- What the scheduler may do ------------------------------------------- */

static void refuse(struct playing *p, uint32_t line, const char *why)
{
    if (p->b.search.model.refusal)
        return;
    p->b.search.model.refusal = why;
    p->line = line;
}

/* Room for a number of this state; new ones are 0. */
static bool room_for(struct check_memory *m, uint32_t **list, uint32_t *room,
                     uint32_t state)
{
    while (state >= *room) {
        uint32_t before = *room;

        if (!check_make_room(m, list, room, before, sizeof **list))
            return false;
        memset(*list + before, 0, (*room - before) * sizeof **list);
    }
    return true;
}

/* The act of a state, which is made room for; or NULL. */
static const struct check_act *act_of(struct playing *p, uint32_t state)
{
    struct check_memory *m = &p->b.search.model.memory;

    if (!room_for(m, &p->act, &p->act_room, state) ||
        !room_for(m, &p->led, &p->led_room, state))
        return NULL;
    return p->act[state] ? &p->scheduler->acts[p->act[state] - 1] : NULL;
}

static bool chooses(void *whom, uint32_t state, const struct check_move *move)
{
    struct playing *p = whom;
    const struct check_act *act = act_of(p, state);

    if (!act || act->ends)
        return act && !move;
    return move && check_same_action(&act->move, move);
}

static void leads(void *whom, uint32_t state, uint32_t to)
{
    struct playing *p = whom;
    const struct check_act *act = act_of(p, state);
    uint32_t next;

    if (!act)
        return;
    if (p->led[state] == act->nexts_count) {
        refuse(p, act->line, "it can go in more ways than are listed");
        return;
    }
    next = p->scheduler->nexts[act->next + p->led[state]++];
    if (to == CHECK_BAD_END || to == CHECK_GOOD_END) {
        if ((next == CHECK_ACT_BAD) != (to == CHECK_BAD_END) ||
            (next == CHECK_ACT_GOOD) != (to == CHECK_GOOD_END))
            refuse(p, act->line, "the run is over here, and not as listed");
        return;
    }
    (void)act_of(p, to);
    if (p->b.search.model.memory.failed)
        return;
    if (next >= p->scheduler->acts_count)
        refuse(p, act->line, "the run is not over here");
    else if (p->act[to] && p->act[to] != next + 1)
        refuse(p, act->line, "it goes on differently from the same state");
    else
        p->act[to] = next + 1;
}

/* Whether everything that was chosen could be done. */
static bool was_possible(struct playing *p)
{
    for (uint32_t s = 0; s < p->b.states; s++) {
        const struct check_act *act = act_of(p, s);

        if (!act)
            continue;
        if (p->b.first[s] == p->b.first[s + 1])
            refuse(p, act->line,
                   act->ends ? "the run may not end here"
                             : "this cannot happen here");
        else if (p->led[s] != act->nexts_count)
            refuse(p, act->line, "it cannot go in as many ways as are listed");
    }
    return !p->b.search.model.refusal;
}

static bool is_over(uint32_t state)
{
    return state == CHECK_BAD_END || state == CHECK_GOOD_END;
}

/* Marks the states from which an end can be reached. */
static bool find_ends(struct playing *p)
{
    const struct check_building *b = &p->b;
    bool more = true;

    p->ends = check_grow(&p->b.search.model.memory, NULL, 0, b->states);
    while (p->ends && more) {
        more = false;
        for (uint32_t s = b->states; s-- > 0;) {
            bool ends = p->ends[s];

            for (uint32_t i = b->begin[b->first[s]];
                 !ends && i < b->begin[b->first[s + 1]]; i++)
                ends = is_over(b->ways[i].to) || p->ends[b->ways[i].to];
            more |= ends && !p->ends[s];
            p->ends[s] = ends;
        }
    }
    return p->ends != NULL;
}

static bool prepare(struct playing *p, const struct check_setup *setup,
                    const struct check_measure *measure,
                    const struct check_scheduler *scheduler)
{
    struct check_building *b = &p->b;

    p->scheduler = scheduler;
    b->measure = measure;
    b->chooses = chooses;
    b->leads = leads;
    b->whom = p;
    if (!check_build_begin(b, setup))
        return false;
    if (scheduler->first >= b->initial) {
        refuse(p, 0, "there is no initial state of this number");
        return false;
    }
    (void)act_of(p, scheduler->first);
    if (b->search.model.memory.failed)
        return false;
    p->act[scheduler->first] = 1;
    return check_build(b) && was_possible(p) && find_ends(p);
}

static void end(struct playing *p)
{
    struct check_memory *m = &p->b.search.model.memory;

    check_release(m, p->act, p->act_room * sizeof *p->act);
    check_release(m, p->led, p->led_room * sizeof *p->led);
    check_release(m, p->ends, p->b.states);
    check_build_end(&p->b);
}

/* ---- What it attains ----------------------------------------------------- */

static bool compute(struct playing *p, struct check_play *out)
{
    struct check_process q = check_built(&p->b);
    struct check_memory *m = &p->b.search.model.memory;
    uint32_t at = p->scheduler->first;
    size_t size = (at + (size_t)1) * sizeof(struct check_expected);
    struct check_expected *value = check_grow(m, NULL, 0, size);
    struct check_aim aim = {
        .asked = !p->b.measure                 ? CHECK_ODDS
                 : check_adds_up(p->b.measure) ? CHECK_SUM_OF_ALL
                                               : CHECK_SUM_OF_ENDING,
        .end = out->endless_fails ? CHECK_GOOD_END : CHECK_BAD_END,
        .greatest = true};
    bool good = value && check_solve(&q, m, &aim, value, at + 1);

    if (good) {
        out->attains = value[at];
        if (out->endless_fails)
            out->attains.value = check_other(value[at].value);
    }
    check_release(m, value, size);
    return good;
}

/* ---- Runs ---------------------------------------------------------------- */

struct run {
    uint64_t key;
    uint32_t draws; /* so far */
    uint32_t state; /* or where it ended */
    uint64_t amount;
    bool endless;
};

/* Which way an action goes: chance decides, if there are several. */
static uint32_t way_of(const struct playing *p, struct run *r)
{
    uint32_t i = p->b.begin[p->b.first[r->state]];
    uint32_t last = p->b.begin[p->b.first[r->state] + 1] - 1;
    uint64_t draw, part;

    if (i == last)
        return i;
    draw = net_draw(r->key, 0, r->draws++);
    for (; i < last; i++) {
        part = UINT64_MAX / p->b.ways[i].odds;
        if (draw < part)
            break;
        draw -= part;
    }
    return i;
}

/* One step; false: the run is over, or cannot end. */
static bool go_on(const struct playing *p, struct run *r)
{
    uint32_t way;

    r->endless = !p->ends[r->state];
    if (r->endless)
        return false;
    way = way_of(p, r);
    r->state = p->b.ways[way].to;
    r->amount += p->b.measure ? p->b.weights[way] : 0;
    return !is_over(r->state);
}

static void follow(const struct playing *p, uint64_t seed, struct run *r)
{
    uint32_t steps = 0;

    *r = (struct run){.key = net_key(seed, NET_STREAM_CHOICE),
                      .state = p->scheduler->first};
    while (go_on(p, r))
        if (++steps == STEPS_MAX) {
            r->endless = true;
            return;
        }
}

static void play_all(struct playing *p, uint64_t seed, uint64_t runs,
                     struct check_play *out)
{
    double squares = 0;

    for (uint64_t i = 0; i < runs; i++) {
        struct run r;
        double off;

        if (i % 256 == 0 && p->b.setup.stop &&
            atomic_load_explicit(p->b.setup.stop, memory_order_relaxed)) {
            out->limit = CHECK_STOPPED;
            break;
        }
        follow(p, seed + i, &r);
        out->runs++;
        out->endless += r.endless;
        out->failed +=
            r.endless ? out->endless_fails : r.state == CHECK_BAD_END;
        if (r.endless)
            continue;
        off = (double)r.amount - out->mean;
        out->mean += off / (double)(out->runs - out->endless);
        squares += off * ((double)r.amount - out->mean);
    }
    if (out->runs - out->endless > 1)
        out->deviation = sqrt(squares / (double)(out->runs - out->endless - 1));
}

void check_play(const struct check_setup *setup,
                const struct check_measure *measure,
                const struct check_scheduler *scheduler, uint64_t seed,
                uint64_t runs, struct check_play *out)
{
    struct playing *p = calloc(1, sizeof *p);

    memset(out, 0, sizeof *out);
    out->endless_fails = !measure && check_endless_breaks(setup);
    if (!p) {
        out->limit = CHECK_MEMORY;
        return;
    }
    if (!prepare(p, setup, measure, scheduler) || !compute(p, out)) {
        out->limit = check_build_limit(&p->b, &out->refusal);
        out->line = p->line;
    } else {
        play_all(p, seed, runs, out);
    }
    end(p);
    free(p);
}

/* ---- One run, to be told ------------------------------------------------- */

/* The move by which a run goes from its state to the next. */
static bool find_move(struct playing *p, uint32_t state, uint32_t way,
                      struct check_result *run)
{
    struct check_search *s = &p->b.search;
    const struct check_act *act = act_of(p, state);
    uint32_t at = p->b.begin[p->b.first[state]];
    struct check_spread base;

    if (act->ends) {
        run->at_end = true;
        return true;
    }
    if (!check_visit(s, state))
        return false;
    check_tree_load(&s->model.tree, state, &base);
    for (uint32_t i = 0; i < s->nexts.count; i++) {
        const struct check_next *next = &s->nexts.list[i];
        uint32_t times = 1;

        if (!check_same_action(&act->move, &next->move))
            continue;
        if (next->coin) {
            const struct check_outcome *o =
                check_outcome_of(&s->model, &base, &next->move);
            struct check_budget budget = check_budget_of(&s->model, base.id);

            if (o->range)
                times = check_given_odds(&s->model, &budget, o).times;
        }
        if (way >= at + times) {
            at += times;
            continue;
        }
        run->moves[run->moves_count++] = next->move;
        return true;
    }
    return false;
}

static bool tell(struct playing *p, uint64_t seed, struct check_result *run)
{
    struct run r = {.key = net_key(seed, NET_STREAM_CHOICE),
                    .state = p->scheduler->first};
    bool on = true, good = true;

    run->first = r.state;
    while (on && good && run->moves_count < STEPS_MAX) {
        uint32_t state = r.state;
        struct run ahead = r;

        if (!net_grow(&run->moves, run->moves_count, sizeof *run->moves))
            return false;
        on = go_on(p, &r);
        if (!r.endless)
            good = find_move(p, state, way_of(p, &ahead), run);
    }
    run->endless = r.endless;
    return good;
}

bool check_play_once(const struct check_setup *setup,
                     const struct check_measure *measure,
                     const struct check_scheduler *scheduler, uint64_t seed,
                     struct check_result *run)
{
    struct playing *p = calloc(1, sizeof *p);
    bool good;

    memset(run, 0, sizeof *run);
    if (!p)
        return false;
    good = prepare(p, setup, measure, scheduler) && tell(p, seed, run);
    if (!good)
        check_free(run);
    end(p);
    free(p);
    return good;
}
