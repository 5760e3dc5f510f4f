/*
 * tasks.h - commands whose answers are wanted: workers make them, and they go
 * into a notebook as they come.
 *
 * A task that was killed says nothing of its command, and is made again; one
 * that is killed each time keeps that as its answer.  What was lost with the
 * rank that made it is made again however often that happens.
 */
#ifndef LAB_TASKS_H
#define LAB_TASKS_H

#include "lab/run/workers.h"

enum { LAB_KILLS_MAX = 3 };

struct lab_task {
    char *command;
    uint32_t tries; /* that were killed */
    bool done;
};

struct lab_tasks {
    struct lab_notebook *notebook;
    struct lab_workers workers;
    struct lab_task *task;
    uint32_t count, room, next;
    uint32_t done;
    uint32_t *again; /* those that are to be made again; as much room */
    uint32_t again_count;
    uint32_t repeated;
};

/* Adds a command; false: no memory. */
bool lab_tasks_add(struct lab_tasks *t, const char *command);

/* Starts what there is room for, waits for an answer for at most so many
 * milliseconds and writes it down.  Returns the number of its task,
 * LAB_NO_ANSWER, or LAB_FAILED and `why`. */
enum { LAB_NO_ANSWER = -1, LAB_FAILED = -2 };
int64_t lab_tasks_step(struct lab_tasks *t, int milliseconds,
                       struct net_why *why);

/* Ends the workers and forgets all tasks; the notebook stays. */
void lab_tasks_end(struct lab_tasks *t);

#endif
