/*
 * crew.h - threads that share out numbered tasks.
 *
 * Which member does which task is left to chance.  Results that must not depend
 * on the number of threads are told apart by the tasks' numbers.
 */
#ifndef NET_CREW_H
#define NET_CREW_H

#include "net/atomic.h"

#include <stdbool.h>
#include <stdint.h>

struct net_crew {
    uint32_t members; /* at most: no more than there are tasks */
    uint64_t tasks;   /* 0 to tasks-1, begun in this order */
    /* Does a task.  False: this member takes no other one. */
    bool (*task)(void *whom, uint32_t member, uint64_t number);
    /* Called some ten times a second by the thread that called net_crew_run();
     * or NULL. */
    void (*look)(void *whom, double seconds);
    void *whom;
    const atomic_bool *stop; /* set by others: no more tasks; or NULL */
};

bool net_crew_stopped(const struct net_crew *crew);

/* Does the tasks; adds to *cpu_seconds what the members used, unless it is
 * NULL.  Returns the number of members; 0: no memory, or no thread could be
 * started, and errno says why. */
uint32_t net_crew_run(const struct net_crew *crew, double *cpu_seconds);

#endif
