/*
 * crew.c - see crew.h.
 */
#include "net/crew.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "net/seconds.h"

enum { LOOK_NS = 100 * 1000 * 1000 };

struct member {
    struct shared *shared;
    pthread_t thread;
    uint32_t number;
    double cpu_seconds;
};

struct shared {
    const struct net_crew *crew;
    atomic_uint_fast64_t next; /* relaxed: only a ticket */
    pthread_mutex_t lock;      /* of `working` */
    pthread_cond_t changed;
    uint32_t working;
};

bool net_crew_stopped(const struct net_crew *c)
{
    return c->stop && atomic_load_explicit(c->stop, memory_order_relaxed);
}

static void count_working(struct shared *sh, uint32_t change)
{
    pthread_mutex_lock(&sh->lock);
    sh->working += change;
    pthread_cond_signal(&sh->changed);
    pthread_mutex_unlock(&sh->lock);
}

static void *work(void *argument)
{
    struct member *m = argument;
    struct shared *sh = m->shared;
    const struct net_crew *c = sh->crew;

    while (!net_crew_stopped(c)) {
        uint64_t number =
            atomic_fetch_add_explicit(&sh->next, 1, memory_order_relaxed);

        if (number >= c->tasks || !c->task(c->whom, m->number, number))
            break;
    }
    m->cpu_seconds = net_seconds_of(CLOCK_THREAD_CPUTIME_ID);
    count_working(sh, UINT32_MAX);
    return NULL;
}

/* Waits until the last member is done, and looks up now and then: by a clock
 * that nobody can set.  By the one on the wall, set back by an hour, it would
 * not look up for an hour. */
static void wait_for(struct shared *sh)
{
    const struct net_crew *c = sh->crew;
    double began = net_seconds();

    pthread_mutex_lock(&sh->lock);
    while (sh->working > 0) {
        struct timespec until;

        (void)clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += LOOK_NS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        (void)pthread_cond_clockwait(&sh->changed, &sh->lock, CLOCK_MONOTONIC,
                                     &until);
        if (c->look)
            c->look(c->whom, net_seconds() - began);
    }
    pthread_mutex_unlock(&sh->lock);
}

uint32_t net_crew_run(const struct net_crew *crew, double *cpu_seconds)
{
    struct shared shared = {
        .crew = crew,
        .lock = PTHREAD_MUTEX_INITIALIZER,
        .changed = PTHREAD_COND_INITIALIZER,
    };
    uint32_t wanted =
        crew->members < crew->tasks ? crew->members : (uint32_t)crew->tasks;
    struct member *members = calloc(wanted, sizeof *members);
    uint32_t count = 0;
    int failed = 0;

    for (; members && count < wanted && !failed; count += !failed) {
        struct member *m = &members[count];

        m->shared = &shared;
        m->number = count;
        count_working(&shared, 1);
        failed = pthread_create(&m->thread, NULL, work, m);
        if (failed)
            count_working(&shared, UINT32_MAX);
    }
    wait_for(&shared);
    for (uint32_t i = 0; i < count; i++) {
        pthread_join(members[i].thread, NULL);
        if (cpu_seconds)
            *cpu_seconds += members[i].cpu_seconds;
    }
    free(members);
    if (failed)
        errno = failed;
    return count;
}
