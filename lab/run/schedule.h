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

#include "lab/run/notebook.h"
#include "net/atomic.h"

/* ---- Who makes experiments: children, or the ranks of an MPI job --------- */

struct lab_workers {
    void *whom;
    /* The threads that could be given more work. */
    uint32_t (*room)(void *whom);
    /* Starts "fulcrum VERB ..." with --json on `threads` threads.  False: the
     * system refuses, and `why` says so. */
    bool (*start)(void *whom, const char *command, uint32_t number,
                  uint32_t threads, struct net_why *why);
    /* Waits for one to end, for at most `milliseconds`.  Returns its number, or
     * -1. */
    int64_t (*wait)(void *whom, int milliseconds, struct lab_answer *answer);
    /* Ends those that are still running. */
    void (*end)(void *whom);
};

/* children.c: children of this process, up to `jobs` threads at once, of which
 * a child has at least one; false: no memory.  Those that still run at the end
 * are ended. */
enum { LAB_JOBS_MAX = 256 };
bool lab_workers_here(struct lab_workers *w, const char *program,
                      uint32_t jobs);
bool lab_children_running(const void *whom);

/* ---- The schedule -------------------------------------------------------- */

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
