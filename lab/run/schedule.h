/*
 * schedule.h - commands whose answers are wanted: workers make them, and they
 * go into a notebook as they come.
 *
 * Commands are asked for by numbered waiters: the parts of claims, or the cells
 * of a sweep.  A command is made once, however many wait for it; a waiter is
 * told when it waits for nothing any more, and may ask again.
 *
 * A task that was killed says nothing of its command, and is made again; one
 * that is killed each time keeps that as its answer.  What was lost with the
 * rank that made it is made again however often that happens.
 */
#ifndef LAB_SCHEDULE_H
#define LAB_SCHEDULE_H

#include "lab/run/workers.h"
#include "net/atomic.h"

enum { LAB_KILLS_MAX = 3 };

struct lab_task;

struct lab_schedule {
    struct lab_notebook *notebook;
    struct lab_workers workers;
    const atomic_bool *stop; /* set by others: wait no more; or NULL */
    /* This waiter has all that it asked for; or NULL. */
    void (*ready)(void *whom, uint32_t waiter);
    /* Called some ten times a second, and after each answer.  False: that is
     * enough. */
    bool (*look)(void *whom);
    void *whom;
    /* The rest is the schedule's. */
    struct lab_task **task;
    uint32_t count, next;
    uint32_t done;
    struct lab_task *again; /* those that are to be made again */
    uint32_t again_count;
    uint32_t repeated;
    void *by_command;  /* a tree of them */
    uint32_t *pending; /* tasks, by waiter */
    uint32_t waiters;
    double began, spent; /* spent: seconds of CPU, on those that are done */
    double expected;     /* on those that are not, where it is known */
    uint32_t unexpected; /* tasks whose cost is not known */
    bool failed;         /* no memory for a task */
};

/* The waiter waits for the answer to this command.  That there is no memory is
 * told by lab_schedule_run(). */
void lab_schedule_ask(struct lab_schedule *s, uint32_t waiter,
                      const char *command);

/* Goes on until all answers are there.  LAB_FAILED: `why` says why. */
enum lab_scheduled { LAB_ANSWERED, LAB_STOPPED, LAB_FAILED };
enum lab_scheduled lab_schedule_run(struct lab_schedule *s,
                                    struct net_why *why);

/* The seconds that are left: the time that commands took in another build, or
 * the mean of those that are done, at the speed so far.  Commands that will be
 * asked for later are not known. */
uint64_t lab_schedule_left(const struct lab_schedule *s);

/* Ends the workers and forgets all tasks; the notebook stays. */
void lab_schedule_end(struct lab_schedule *s);

#endif
