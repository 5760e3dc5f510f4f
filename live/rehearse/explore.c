/*
 * explore.c - see explore.h.
 *
 * There is one world, which is made what it was before an event as often as the
 * event can take another course.  A run is first followed to its end without
 * departures, and then left at its points, the last first: so what departs late
 * meets worlds that were seen, with more departures left.
 */
#include "live/rehearse/explore.h"

#include <stdlib.h>
#include <string.h>

#include "live/rehearse/choice.h"
#include "live/rehearse/seen.h"
#include "live/rehearse/state.h"
#include "net/seconds.h"

/* A world before an event with points. */
struct moment {
    struct tape tape;
    uint64_t number;   /* of its first point */
    uint32_t departed; /* so often before */
    struct point *points;
    uint32_t count, room;
};

/* The moments of one run, from its last departure on. */
struct course {
    struct moment *moments;
    uint32_t count, room;
};

struct search {
    const struct live_exploration *what;
    struct live_explored *result;
    struct live_level *level;
    struct live_rehearsal setup; /* of the world: no faults are drawn */
    struct live_rehearsed told;  /* by the world */
    struct world world;
    struct choices choices;
    struct live_departure wanted[LIVE_DEPARTURES_MAX];
    struct seen seen;
    struct tape tape;
    struct course courses[LIVE_DEPARTURES_MAX + 1];
    bool ended; /* the time of this run is over */
    bool over, failed;
    uint32_t steps; /* since it was last told of */
    double began, next;
};

bool live_smallest_cluster(struct live_config *config, struct net_why *error)
{
    static const char text[] = "[cluster]\n"
                               "key = none\n"
                               "state = /\n"
                               "socket = /%i\n"
                               "generation = 1\n"
                               "lease = 2s\n"
                               "tau = 500ms\n"
                               "silence = 700ms\n"
                               "[node a]\n"
                               "host = 127.0.0.1\n"
                               "port = 7001\n"
                               "[node b]\n"
                               "host = 127.0.0.1\n"
                               "port = 7002\n"
                               "[node w]\n"
                               "host = 127.0.0.1\n"
                               "port = 7003\n"
                               "witness = yes\n";

    return live_config_parse(config, "the cluster", text, strlen(text), error);
}

/* ---- The world ----------------------------------------------------------- */

int explore_begin(struct world *w, const struct live_rehearsal *setup,
                  struct choices *choices, struct live_rehearsed *told)
{
    *w = (struct world){.setup = setup,
                        .result = told,
                        .seed = setup->seed,
                        .choices = choices};
    return world_begin(w);
}

static bool all_were_served(const struct world *w)
{
    live_node_set served = lists_served(w);

    for (uint32_t i = 0; i < w->nodes; i++)
        for (uint32_t k = 0; k < w->setup->clients; k++)
            if (live_has(served, i) &&
                w->machines[i].people[k].served_at < w->calm_at)
                return false;
    return true;
}

bool explore_step(struct world *w)
{
    w->choices->count = 0;
    if (w->calm && all_were_served(w) && lists_at_rest(w))
        return false;
    if (world_step(w))
        return true;
    world_judge(w);
    return false;
}

/* ---- The trail of a run -------------------------------------------------- */

static struct moment *next_moment(struct search *s, struct course *c)
{
    if (c->count == c->room) {
        uint32_t room = c->room ? 2 * c->room : 64;
        struct moment *moments = realloc(c->moments, room * sizeof *moments);

        if (!moments) {
            s->failed = s->over = true;
            return NULL;
        }
        memset(moments + c->room, 0, (room - c->room) * sizeof *moments);
        c->moments = moments;
        c->room = room;
    }
    return &c->moments[c->count];
}

/* The points of the event that has just happened. */
static void keep_points(struct search *s, struct moment *m)
{
    uint32_t count = s->choices.count;

    if (m->room < count) {
        struct point *points = realloc(m->points, count * sizeof *points);

        if (!points) {
            s->failed = s->over = true;
            return;
        }
        m->points = points;
        m->room = count;
    }
    memcpy(m->points, s->choices.points, count * sizeof *m->points);
    m->count = count;
}

static void free_course(struct course *c)
{
    for (uint32_t i = 0; i < c->room; i++) {
        state_tape_free(&c->moments[i].tape);
        free(c->moments[i].points);
    }
    free(c->moments);
}

/* ---- Looking ------------------------------------------------------------- */

static void look_up(struct search *s)
{
    const struct live_exploration *what = s->what;
    double now;

    if (what->stop && atomic_load_explicit(what->stop, memory_order_relaxed)) {
        s->result->end = LIVE_INTERRUPTED;
        s->over = true;
    }
    if (!what->tell || ++s->steps < 1000)
        return;
    s->steps = 0;
    now = net_seconds();
    if (now < s->next)
        return;
    s->next = now + 0.1;
    s->result->seconds = now - s->began;
    s->result->bytes = seen_bytes(&s->seen);
    what->tell(what->whom, s->result);
}

/* Worlds are compared when the time of the run is over; and before something
 * happens to a daemon at a new time, if the run may still depart.  One that may
 * not is sooner followed to the end of its time than compared on the way. */
static bool is_compared(const struct search *s, uint32_t left)
{
    const struct world *w = &s->world;
    const struct event *next = w->queue;

    if (w->calm)
        return !s->ended;
    return left && !s->what->forgets && w->queued && next->at > w->now &&
           next->kind >= EV_GO_ON && next->kind <= EV_LEFT;
}

/* Whether a world need not be looked at, because it was with as many departures
 * left. */
static bool is_known(struct search *s, struct tape *tape, uint32_t left)
{
    struct live_level *level = s->level;
    struct seen_hash hash;
    enum seen_news news;

    if (!is_compared(s, left))
        return false;
    state_save(&s->world, tape);
    hash = seen_hash(tape->bytes, tape->used);
    news = seen_add(&s->seen, hash, s->world.calm ? 0 : left);
    if (s->seen.full) {
        s->result->end = LIVE_NO_ROOM;
        s->over = true;
    }
    level->worlds += news == SEEN_NEVER;
    if (news == SEEN_NEVER && s->world.calm && !s->ended) {
        level->ends++;
        level->sum += hash.low ^ hash.high;
    }
    s->ended = s->world.calm;
    return news == SEEN_ENOUGH;
}

static void take_violation(struct search *s)
{
    struct live_explored *r = s->result;

    r->end = LIVE_VIOLATED;
    r->first = s->told;
    r->first.at = s->world.now;
    r->path_count = s->choices.departed;
    memcpy(r->path, s->choices.path, sizeof r->path);
    s->over = true;
}

/* A run without more departures, from here on; what can be departed from is
 * kept. */
static void follow(struct search *s, struct course *c, uint32_t left)
{
    struct world *w = &s->world;

    c->count = 0;
    s->ended = false;
    s->level->runs++;
    for (bool more = true; more && !s->over;) {
        struct moment *m = left && !w->calm ? next_moment(s, c) : NULL;
        struct tape *tape = m ? &m->tape : &s->tape;

        look_up(s);
        tape->used = 0;
        if (is_known(s, tape, left)) {
            s->level->merged++;
            return;
        }
        if (m && !tape->used)
            state_save(w, tape);
        if (m) {
            m->number = s->choices.number;
            m->departed = s->choices.departed;
        }
        more = explore_step(w);
        if (m && s->choices.count) {
            keep_points(s, m);
            s->level->points += m->count;
            c->count++;
        }
        if (w->failed)
            s->failed = s->over = true;
        if (s->told.broken != LIVE_KEPT)
            take_violation(s);
    }
}

static void depart(struct search *s, struct moment *m, uint32_t i,
                   enum live_departure_kind kind, uint32_t depth,
                   uint32_t left);

/* All runs that depart at a point of this event, from the first on. */
static void branch(struct search *s, struct moment *m, uint32_t first,
                   uint32_t depth, uint32_t left)
{
    for (uint32_t i = first; i < m->count; i++)
        for (uint32_t k = 0; k < m->points[i].count && !s->over; k++)
            depart(s, m, i, (enum live_departure_kind)m->points[i].options[k],
                   depth, left);
}

static void explore(struct search *s, uint32_t depth, uint32_t left)
{
    struct course *c = &s->courses[depth];

    if (s->over)
        return;
    follow(s, c, left);
    for (uint32_t k = c->count; k-- > 0 && !s->over;)
        branch(s, &c->moments[k], 0, depth, left);
}

/* All runs that depart at the i-th point of an event in this way, and perhaps
 * at later ones. */
static void depart(struct search *s, struct moment *m, uint32_t i,
                   enum live_departure_kind kind, uint32_t depth, uint32_t left)
{
    struct moment here = {.number = m->number, .departed = m->departed};

    s->wanted[depth] =
        (struct live_departure){.number = m->number + i, .kind = kind};
    s->choices.wanted_count = depth + 1;
    s->choices.number = m->number;
    s->choices.departed = m->departed;
    state_load(&s->world, &m->tape);
    (void)explore_step(&s->world);
    if (s->told.broken != LIVE_KEPT)
        take_violation(s);
    if (left > 1)
        keep_points(s, &here);
    explore(s, depth + 1, left - 1);
    here.tape = m->tape;
    if (left > 1)
        branch(s, &here, i + 1, depth + 1, left - 1);
    free(here.points);
}

/* ---- The whole ----------------------------------------------------------- */

static void explore_all(struct search *s)
{
    struct tape root = {0};

    state_save(&s->world, &root);
    for (uint32_t d = 0; d <= s->what->departures && !s->over; d++) {
        s->result->departures = d;
        s->level = &s->result->levels[d];
        s->choices.number = s->choices.departed = s->choices.wanted_count = 0;
        seen_clear(&s->seen);
        state_load(&s->world, &root);
        explore(s, 0, d);
    }
    state_tape_free(&root);
}

int live_explore(const struct live_exploration *what,
                 struct live_explored *result)
{
    struct search *s = calloc(1, sizeof *s);
    double cpu = net_seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    bool failed;

    *result = (struct live_explored){.end = LIVE_EXPLORED};
    if (!s)
        return -1;
    s->what = what;
    s->result = result;
    s->setup = what->setup;
    s->setup.faults = 0;
    s->setup.log = false;
    s->choices.faults = what->setup.faults;
    s->choices.wanted = s->wanted;
    s->seen.bytes_max = what->memory;
    s->began = s->next = net_seconds();
    s->failed = explore_begin(&s->world, &s->setup, &s->choices, &s->told) != 0;
    if (!s->failed) {
        explore_all(s);
        world_end(&s->world);
    }
    result->bytes = seen_bytes(&s->seen);
    for (uint32_t i = 0; i <= LIVE_DEPARTURES_MAX; i++)
        free_course(&s->courses[i]);
    seen_free(&s->seen);
    state_tape_free(&s->tape);
    result->seconds = net_seconds() - s->began;
    result->cpu_seconds = net_seconds_of(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    failed = s->failed;
    free(s);
    return failed ? -1 : 0;
}

int live_replay(const struct live_rehearsal *setup,
                const struct live_departure *path, uint32_t count,
                struct live_rehearsed *result)
{
    struct choices *choices = calloc(1, sizeof *choices);
    struct live_rehearsal calm = *setup;
    struct world w;
    int departed;

    memset(result, 0, sizeof *result);
    if (!choices)
        return -1;
    calm.faults = 0;
    choices->faults = setup->faults;
    choices->wanted = path;
    choices->wanted_count = count;
    if (explore_begin(&w, &calm, choices, result)) {
        free(choices);
        return -1;
    }
    while (explore_step(&w))
        continue;
    result->at = w.now;
    departed = (int)choices->departed;
    world_end(&w);
    free(choices);
    return w.failed ? -1 : departed;
}
