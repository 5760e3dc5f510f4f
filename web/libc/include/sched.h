/*
 * sched.h - one core.
 */
#ifndef WEB_SCHED_H
#define WEB_SCHED_H

#include <stddef.h>

typedef struct {
    unsigned cores;
} cpu_set_t;

#define CPU_ZERO(set)  ((set)->cores = 1)
#define CPU_COUNT(set) ((int)(set)->cores)

int sched_getaffinity(int process, size_t size, cpu_set_t *set);

#endif
