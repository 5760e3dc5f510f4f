/*
 * series.c - see series.h.
 */
#include "live/rehearse/series.h"

#include <pthread.h>
#include <string.h>

#include "net/crew.h"

struct work {
    const struct live_series *series;
    struct live_series_sum *sum;
    pthread_mutex_t lock; /* of all below, and of the sum */
    bool failed;
};

static void add(struct live_rehearsed *to, const struct live_rehearsed *one)
{
    to->at += one->at;
    to->events += one->events;
    to->datagrams += one->datagrams;
    to->entries += one->entries;
    to->lost += one->lost;
    to->changes += one->changes;
    for (uint32_t i = 0; i < LIVE_FAULTS; i++)
        to->done[i] += one->done[i];
}

static void take_in(struct live_series_sum *sum, uint64_t seed,
                    const struct live_rehearsed *one)
{
    sum->runs++;
    add(&sum->all, one);
    if (one->broken == LIVE_KEPT)
        return;
    if (sum->violations++ == 0 || seed < sum->seed) {
        sum->seed = seed;
        sum->first = *one;
    }
}

/* Once a seed has a violation only those below it matter, and they have all
 * been begun. */
static bool is_wanted(const struct work *w, uint64_t seed)
{
    return !w->failed && (!w->sum->violations || seed < w->sum->seed);
}

static bool rehearse(void *whom, uint32_t member, uint64_t run)
{
    struct work *w = whom;
    struct live_rehearsal setup = w->series->setup;
    struct live_rehearsed result;
    bool wanted;
    int failed;

    (void)member;
    setup.seed += run;
    pthread_mutex_lock(&w->lock);
    wanted = is_wanted(w, setup.seed);
    pthread_mutex_unlock(&w->lock);
    if (!wanted)
        return false;
    failed = live_rehearse(&setup, &result);
    pthread_mutex_lock(&w->lock);
    if (failed)
        w->failed = true;
    else
        take_in(w->sum, setup.seed, &result);
    pthread_mutex_unlock(&w->lock);
    return !failed;
}

static void look(void *whom, double seconds)
{
    struct work *w = whom;
    const struct live_series *s = w->series;

    if (!s->tell)
        return;
    pthread_mutex_lock(&w->lock);
    s->tell(s->whom, w->sum->runs, w->sum->all.events, seconds);
    pthread_mutex_unlock(&w->lock);
}

int live_series(const struct live_series *s, struct live_series_sum *sum)
{
    struct work work = {s, sum, PTHREAD_MUTEX_INITIALIZER, false};
    const struct net_crew crew = {
        .members = s->threads,
        .tasks = s->runs,
        .task = rehearse,
        .look = look,
        .whom = &work,
        .stop = s->stop,
    };
    uint32_t members;

    memset(sum, 0, sizeof *sum);
    members = net_crew_run(&crew, &sum->cpu_seconds);
    sum->stopped = net_crew_stopped(&crew);
    return (members == 0 && s->runs) || work.failed ? -1 : 0;
}
