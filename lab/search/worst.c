/*
 * worst.c - see worst.h.
 */
#include "lab/search/worst.h"

#include <stdlib.h>
#include <string.h>

#include "lab/search/crew.h"

enum {
    CHAINS = 8, /* in a generation */
    GENERATIONS = 8,
    ELITE = 4,         /* cases that are kept from one to the next */
    AT_RANDOM = 16,    /* starts, besides families and those given */
    SHRINK_SHARE = 8,  /* of the budget, for making it simpler */
    TASK_CASES = 1024, /* of an exhaustive search, at a time */
};

/* A case and its score. */
struct lot {
    int64_t score;
    uint64_t order; /* of two with the same score the first counts */
    uint64_t *genes;
};

struct chain {
    const struct lot *start; /* NULL: at random */
    struct lot best;
    uint64_t length, key;
    uint32_t heat; /* 256: from the beginning */
};

struct search {
    const struct lab_quest *quest;
    struct lab_crew crew;
    size_t size; /* of a case */
    struct lot elite[ELITE];
    uint32_t elite_count;
    struct lot *starts; /* the best first */
    uint32_t starts_count;
    struct chain chain[CHAINS];
    uint64_t order;
};

static void copy(const struct search *s, struct lot *to, const struct lot *from)
{
    to->score = from->score;
    to->order = from->order;
    memcpy(to->genes, from->genes, s->size);
}

static bool is_enough(const struct lab_quest *q, int64_t score)
{
    return q->has_goal && score > q->goal;
}

/* ---- All cases ----------------------------------------------------------- */

static bool try_cases(struct lab_worker *w, void *whom, uint64_t number)
{
    const struct search *s = whom;
    const struct lab_space *space = s->quest->space;
    uint64_t count = lab_space_numbers(space), at = number * TASK_CASES;
    uint64_t end = at + TASK_CASES < count ? at + TASK_CASES : count;
    int64_t score;

    for (; at < end; at++) {
        if (!lab_space_case(space, at, w->genes))
            continue;
        if (!lab_worker_run(w, w->genes, &score))
            return false;
        /* Tasks are taken in order, so the first of equals comes first. */
        if (score > w->score) {
            w->score = score;
            w->number = at;
        }
    }
    return true;
}

static int try_all(struct search *s, struct lab_found *found)
{
    uint64_t count = lab_space_numbers(s->quest->space), number = UINT64_MAX;
    int failed;

    s->crew.runs = lab_space_count(s->quest->space);
    for (uint32_t i = 0; i < s->crew.count; i++)
        s->crew.workers[i].score = LAB_NONE;
    failed = lab_crew_do(&s->crew, try_cases, s, (count - 1) / TASK_CASES + 1);
    for (uint32_t i = 0; i < s->crew.count; i++) {
        const struct lab_worker *w = &s->crew.workers[i];

        if (w->score > found->score ||
            (w->score != LAB_NONE && w->score == found->score &&
             w->number < number)) {
            found->score = w->score;
            number = w->number;
        }
    }
    (void)lab_space_case(s->quest->space, number == UINT64_MAX ? 0 : number,
                         found->genes);
    found->exhaustive = true;
    return failed;
}

/* ---- Annealing ----------------------------------------------------------- */

/* Whether a loss is taken: with probability about 2^-(loss/heat), by whole
 * numbers only, so that it is the same everywhere. */
static bool takes_loss(struct lab_random *r, uint64_t loss, uint64_t heat)
{
    uint64_t drawn = net_mix(r->state++) | 1;
    uint64_t zeros = (uint64_t)__builtin_clzll(drawn);
    uint64_t fraction = 255 - (drawn << zeros << 1 >> 56);

    return loss < UINT32_MAX && loss * 65536 <= heat * (zeros * 256 + fraction);
}

/* The heat at this moment of a chain, in 256ths: it falls with the square of
 * the runs that are left. */
static uint64_t heat_at(const struct chain *c, int64_t score, uint64_t step)
{
    uint64_t first =
        (uint64_t)(score < 0 ? -score : score) * c->heat / 64 + c->heat;
    uint64_t left = (c->length - step) * 256 / c->length;

    return first * left / 256 * left / 256;
}

static bool anneal(struct lab_worker *w, struct search *s, struct chain *c,
                   struct lab_random *r)
{
    const struct lab_space *space = s->quest->space;
    uint64_t *now = w->best, *next = w->genes;
    int64_t score = c->best.score, changed;

    memcpy(now, c->best.genes, s->size);
    /* One that begins at random has made its first run. */
    for (uint64_t i = c->start ? 0 : 1; i < c->length; i++) {
        if (is_enough(s->quest, c->best.score))
            return true;
        memcpy(next, now, s->size);
        lab_space_mutate(space, r, next);
        if (!lab_worker_run(w, next, &changed))
            return false;
        if (changed < score &&
            (changed == LAB_NONE ||
             !takes_loss(r, (uint64_t)score - (uint64_t)changed,
                         heat_at(c, score, i))))
            continue;
        memcpy(now, next, s->size);
        score = changed;
        if (score > c->best.score) {
            c->best.score = score;
            memcpy(c->best.genes, now, s->size);
        }
    }
    return true;
}

static bool run_chain(struct lab_worker *w, void *whom, uint64_t number)
{
    struct search *s = whom;
    struct chain *c = &s->chain[number];
    struct lab_random r = {c->key};
    int64_t score;

    if (c->start) {
        c->best.score = c->start->score;
        memcpy(c->best.genes, c->start->genes, s->size);
    } else {
        lab_space_random(s->quest->space, &r, c->best.genes);
        c->best.score = LAB_NONE;
        if (!lab_worker_run(w, c->best.genes, &score))
            return false;
        c->best.score = score;
    }
    return anneal(w, s, c, &r);
}

static int by_score(const void *a, const void *b)
{
    const struct lot *x = a, *y = b;

    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* Keeps the best of the elite and of what has just been found, each once. */
static void select_elite(struct search *s)
{
    for (uint32_t i = 0; i < CHAINS; i++) {
        struct lot *new = &s->chain[i].best, *last;
        bool known = new->score == LAB_NONE;

        for (uint32_t j = 0; j < s->elite_count && !known; j++)
            known = memcmp(s->elite[j].genes, new->genes, s->size) == 0;
        if (known)
            continue;
        new->order = s->order++;
        last = &s->elite[s->elite_count < ELITE ? s->elite_count : ELITE - 1];
        if (s->elite_count < ELITE)
            s->elite_count++;
        else if (by_score(new, last) > 0)
            continue;
        copy(s, last, new);
        qsort(s->elite, s->elite_count, sizeof *s->elite, by_score);
    }
}

/* With what each chain of a generation begins. */
static void begin_chains(struct search *s, uint32_t generation, uint64_t length)
{
    /* The best only climbs. */
    static const uint32_t heats[ELITE] = {0, 4, 16, 64};

    for (uint32_t i = 0; i < CHAINS; i++) {
        struct chain *c = &s->chain[i];
        uint32_t start = generation ? 6 + 2 * (generation - 1) + i - 4 : i;

        c->length = length;
        c->key = net_mix(net_mix(s->quest->seed) +
                         ((uint64_t)generation * CHAINS + i + 1));
        c->start = NULL;
        c->heat = 256;
        c->best.score = LAB_NONE;
        if (generation && i < ELITE && i < s->elite_count) {
            c->start = &s->elite[i];
            c->heat = heats[i];
        } else if (i < 6 && start < s->starts_count) {
            c->start = &s->starts[start];
            c->heat = 64;
        }
    }
}

static int search_some(struct search *s)
{
    uint64_t used = lab_crew_runs(&s->crew);
    uint64_t kept = s->quest->budget / SHRINK_SHARE;
    uint64_t left =
        s->quest->budget > used + kept ? s->quest->budget - used - kept : 0;
    /* If there are few, in one generation. */
    uint32_t generations = left < CHAINS * GENERATIONS ? 1 : GENERATIONS;
    uint64_t length = left / CHAINS / generations;

    for (uint32_t g = 0; g < generations && length; g++) {
        if (s->elite_count && is_enough(s->quest, s->elite[0].score))
            return 0;
        begin_chains(s, g, length);
        if (lab_crew_do(&s->crew, run_chain, s, CHAINS) != 0)
            return -1;
        select_elite(s);
        if (lab_crew_stopped(&s->crew))
            return 0;
    }
    return 0;
}

/* ---- Starts -------------------------------------------------------------- */

static bool run_start(struct lab_worker *w, void *whom, uint64_t number)
{
    struct search *s = whom;

    s->starts[number].score = LAB_NONE;
    return lab_worker_run(w, s->starts[number].genes, &s->starts[number].score);
}

/* Families that have no value here are left out. */
static uint32_t fill_starts(struct search *s)
{
    const struct lab_quest *q = s->quest;
    struct lab_random r = {net_mix(q->seed)};
    uint32_t count = 0;

    for (; count < q->starts_count; count++)
        memcpy(s->starts[count].genes,
               q->starts + (size_t)count * q->space->genes, s->size);
    for (uint32_t i = 0; i < q->families->count; i++)
        count += lab_space_family(q->space, &q->families->family[i],
                                  s->starts[count].genes, NULL);
    for (uint32_t i = 0; i < AT_RANDOM; i++)
        lab_space_random(q->space, &r, s->starts[count++].genes);
    return count;
}

static int try_starts(struct search *s)
{
    int failed;

    s->starts_count = fill_starts(s);
    if (s->starts_count > s->quest->budget)
        s->starts_count = (uint32_t)s->quest->budget;
    for (uint32_t i = 0; i < s->starts_count; i++) {
        s->starts[i].score = LAB_NONE;
        s->starts[i].order = s->order++;
    }
    failed = lab_crew_do(&s->crew, run_start, s, s->starts_count);
    qsort(s->starts, s->starts_count, sizeof *s->starts, by_score);
    for (uint32_t i = 0; i < ELITE && i < s->starts_count; i++)
        if (s->starts[i].score != LAB_NONE)
            copy(s, &s->elite[s->elite_count++], &s->starts[i]);
    return failed;
}

/* ---- The whole ----------------------------------------------------------- */

/* All cases that a search keeps, in one piece; NULL: no memory. */
static uint64_t *allot(struct search *s)
{
    const struct lab_quest *q = s->quest;
    uint32_t starts = q->starts_count + q->families->count + AT_RANDOM;
    size_t genes = q->space->genes + 1;
    uint64_t *all = calloc((starts + ELITE + CHAINS) * genes, sizeof *all);
    uint64_t *next = all;

    s->starts = calloc(starts, sizeof *s->starts);
    if (!all || !s->starts) {
        free(all);
        return NULL;
    }
    for (uint32_t i = 0; i < starts; i++, next += genes)
        s->starts[i].genes = next;
    for (uint32_t i = 0; i < ELITE; i++, next += genes)
        s->elite[i].genes = next;
    for (uint32_t i = 0; i < CHAINS; i++, next += genes)
        s->chain[i].best.genes = next;
    return all;
}

static int anneal_all(struct search *s, struct lab_found *found)
{
    uint64_t *all = allot(s);
    int failed = all ? try_starts(s) : -1;

    if (!failed)
        failed = search_some(s);
    if (all && s->elite_count) {
        found->score = s->elite[0].score;
        memcpy(found->genes, s->elite[0].genes, s->size);
    }
    free(s->starts);
    free(all);
    return failed;
}

static bool fits(const struct lab_quest *q)
{
    return lab_space_count(q->space) <= q->budget &&
           lab_space_numbers(q->space) != FC_NEVER;
}

int lab_worst(const struct lab_quest *q, struct lab_found *found)
{
    struct search s = {.quest = q, .size = q->space->genes * sizeof(uint64_t)};
    uint64_t cases;
    int failed;

    *found = (struct lab_found){.score = LAB_NONE};
    found->genes = calloc(q->space->genes + 1, sizeof *found->genes);
    failed = lab_crew_begin(&s.crew, q) != 0 || !found->genes ? -1 : 0;
    if (!failed)
        failed = fits(q) ? try_all(&s, found) : anneal_all(&s, found);
    cases = lab_crew_runs(&s.crew);
    if (!failed && found->score != LAB_NONE)
        lab_shrink(&s.crew.workers[0], q->budget / SHRINK_SHARE, found);
    found->stopped = lab_crew_stopped(&s.crew);
    found->no_memory =
        atomic_load_explicit(&s.crew.failed, memory_order_relaxed);
    for (uint32_t i = 0; i < s.crew.count; i++) {
        found->tried += s.crew.workers[i].trial.runs;
        found->events += s.crew.workers[i].trial.events;
        found->drawn |= s.crew.workers[i].trial.drawn;
    }
    if (found->stopped || found->no_memory)
        found->exhaustive = false;
    if (found->exhaustive) /* what made it simpler is none of them */
        found->tried = cases;
    lab_crew_end(&s.crew);
    return failed;
}
