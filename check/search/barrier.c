/*
 * barrier.c - see barrier.h.
 *
 * A round is short, often less than a millisecond, and being woken takes a good
 * part of that: so members spin for a while before they sleep.  They do not
 * where there are more of them than cores, because then they would only keep
 * others from working.
 */
#include "check/search/barrier.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "net/seconds.h"

enum { LOOKS = 1000 }; /* some 20 microseconds */

struct member {
    struct check_barrier *barrier;
    uint32_t index;
    pthread_t thread;
};

struct check_barrier {
    pthread_mutex_t lock;
    pthread_cond_t begins, ends;
    void (*work)(void *whom, uint32_t member);
    void *whom;
    bool over;
    atomic_uint round; /* members that have begun */
    atomic_uint busy;  /* members at work, except the first */
    uint32_t looks;
    uint32_t count;
    struct member members[];
};

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static unsigned current(const struct check_barrier *c)
{
    /* Acquire: what the round is about was written before; pairs with the
     * release in begin(). */
    return atomic_load_explicit(&c->round, memory_order_acquire);
}

static bool all_done(const struct check_barrier *c)
{
    /* Acquire: what they did in it; pairs with the release in finish(). */
    return atomic_load_explicit(&c->busy, memory_order_acquire) == 0;
}

static void wait_for_round(struct check_barrier *c, unsigned seen)
{
    for (uint32_t i = 0; i < c->looks && current(c) == seen; i++)
        relax();
    if (current(c) != seen)
        return;
    pthread_mutex_lock(&c->lock);
    while (current(c) == seen)
        pthread_cond_wait(&c->begins, &c->lock);
    pthread_mutex_unlock(&c->lock);
}

static void finish(struct check_barrier *c)
{
    /* Release: pairs with all_done().  Acquire: the last to finish hands on
     * what the others did. */
    if (atomic_fetch_sub_explicit(&c->busy, 1, memory_order_acq_rel) != 1)
        return;
    pthread_mutex_lock(&c->lock);
    pthread_cond_signal(&c->ends);
    pthread_mutex_unlock(&c->lock);
}

static void *serve(void *whom)
{
    const struct member *m = whom;
    struct check_barrier *c = m->barrier;

    for (unsigned seen = 0;; seen++) {
        wait_for_round(c, seen);
        if (c->over)
            return NULL;
        c->work(c->whom, m->index);
        finish(c);
    }
}

static void begin(struct check_barrier *c)
{
    /* Relaxed: the round, which is published below, comes after it. */
    atomic_store_explicit(&c->busy, c->count - 1, memory_order_relaxed);
    pthread_mutex_lock(&c->lock);
    atomic_fetch_add_explicit(&c->round, 1, memory_order_release);
    pthread_cond_broadcast(&c->begins);
    pthread_mutex_unlock(&c->lock);
}

void check_barrier_run(struct check_barrier *c,
                       void (*work)(void *whom, uint32_t member), void *whom)
{
    c->work = work;
    c->whom = whom;
    begin(c);
    work(whom, 0);
    for (uint32_t i = 0; i < c->looks && !all_done(c); i++)
        relax();
    if (all_done(c))
        return;
    pthread_mutex_lock(&c->lock);
    while (!all_done(c))
        pthread_cond_wait(&c->ends, &c->lock);
    pthread_mutex_unlock(&c->lock);
}

static uint32_t cores(void)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    return (uint32_t)CPU_COUNT(&set);
}

struct check_barrier *check_barrier_open(uint32_t wanted)
{
    struct check_barrier *c =
        calloc(1, sizeof *c + wanted * sizeof(struct member));

    if (!c)
        return NULL;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->begins, NULL);
    pthread_cond_init(&c->ends, NULL);
    c->looks = wanted <= cores() ? LOOKS : 0;
    for (c->count = 1; c->count < wanted; c->count++) {
        struct member *m = &c->members[c->count];

        m->barrier = c;
        m->index = c->count;
        if (pthread_create(&m->thread, NULL, serve, m) != 0)
            break;
    }
    if (c->count > 1)
        return c;
    check_barrier_close(c);
    return NULL;
}

void check_barrier_close(struct check_barrier *c)
{
    if (!c)
        return;
    c->over = true;
    begin(c);
    for (uint32_t i = 1; i < c->count; i++)
        pthread_join(c->members[i].thread, NULL);
    pthread_cond_destroy(&c->begins);
    pthread_cond_destroy(&c->ends);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

uint32_t check_barrier_count(const struct check_barrier *c)
{
    return c->count;
}

double check_barrier_seconds(const struct check_barrier *c)
{
    double sum = 0;

    for (uint32_t i = 1; i < c->count; i++) {
        clockid_t clock;

        if (pthread_getcpuclockid(c->members[i].thread, &clock) == 0)
            sum += net_seconds_of(clock);
    }
    return sum;
}
