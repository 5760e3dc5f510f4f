/*
 * series.c - see series.h.
 */
#include "live/rehearse/series.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "net/await.h"

struct crew {
    const struct live_series *series;
    struct live_series_sum *sum;
    pthread_mutex_t lock; /* of all below, and of the sum */
    pthread_cond_t changed;
    uint64_t next; /* the number of the run that nobody has begun */
    uint32_t working;
    bool failed;
};

static double seconds_of(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static bool is_stopped(const struct live_series *s)
{
    return s->stop && atomic_load_explicit(s->stop, memory_order_relaxed);
}

static void add(struct live_rehearsed *to, const struct live_rehearsed *one)
{
    to->at += one->at;
    to->events += one->events;
    to->datagrams += one->datagrams;
    to->entries += one->entries;
    to->lost += one->lost;
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

/* False: there is nothing left to do.  Once a seed has a violation only those
 * below it matter, and they have all been begun. */
static bool take(struct crew *c, uint64_t *run)
{
    const struct live_series *s = c->series;

    if (c->failed || c->sum->violations || c->next >= s->runs || is_stopped(s))
        return false;
    *run = c->next++;
    return true;
}

static void *work(void *whom)
{
    struct crew *c = whom;
    struct live_rehearsal setup = c->series->setup;
    struct live_rehearsed result;
    uint64_t run;

    pthread_mutex_lock(&c->lock);
    while (take(c, &run)) {
        int failed;

        pthread_mutex_unlock(&c->lock);
        setup.seed = c->series->setup.seed + run;
        failed = live_rehearse(&setup, &result);
        pthread_mutex_lock(&c->lock);
        if (failed)
            c->failed = true;
        else
            take_in(c->sum, setup.seed, &result);
    }
    c->working--;
    pthread_cond_signal(&c->changed);
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

/* Waits until all have ended, and tells of it. */
static void watch(struct crew *c, double began)
{
    const struct live_series *s = c->series;

    pthread_mutex_lock(&c->lock);
    while (c->working > 0) {
        net_await(&c->changed, &c->lock);
        if (s->tell)
            s->tell(s->whom, c->sum->runs, c->sum->all.events,
                    seconds_of(CLOCK_MONOTONIC) - began);
    }
    pthread_mutex_unlock(&c->lock);
}

int live_series(const struct live_series *s, struct live_series_sum *sum)
{
    struct crew c = {.series = s, .sum = sum};
    pthread_t *threads = calloc(s->threads, sizeof *threads);
    double began = seconds_of(CLOCK_MONOTONIC);
    double cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    uint32_t started = 0;

    memset(sum, 0, sizeof *sum);
    if (!threads)
        return -1;
    pthread_mutex_init(&c.lock, NULL);
    pthread_cond_init(&c.changed, NULL);
    pthread_mutex_lock(&c.lock);
    while (started < s->threads &&
           pthread_create(&threads[started], NULL, work, &c) == 0)
        started++;
    c.working = started;
    pthread_mutex_unlock(&c.lock);
    watch(&c, began);
    for (uint32_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    pthread_cond_destroy(&c.changed);
    pthread_mutex_destroy(&c.lock);
    free(threads);
    sum->cpu_seconds = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    sum->stopped = is_stopped(s);
    return started == 0 || c.failed ? -1 : 0;
}
