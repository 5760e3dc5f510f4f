/*
 * schedule.c - see schedule.h.
 */
#include "lab/run/schedule.h"

#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "net/grow.h"
#include "net/seconds.h"

enum { PATIENCE = 100 }; /* milliseconds */

struct lab_task {
    char *command;
    uint32_t number, tries; /* tries: that were killed */
    double expected;        /* seconds of CPU, by another build, or NaN */
    uint32_t *waiter;       /* those that wait for it */
    uint32_t count;
    struct lab_task *next; /* of those that are to be made again */
};

/* ---- Asking -------------------------------------------------------------- */

static int by_command(const void *a, const void *b)
{
    const struct lab_task *x = a, *y = b;

    return strcmp(x->command, y->command);
}

static struct lab_task *add_task(struct lab_schedule *s, char *command)
{
    struct lab_task *t = calloc(1, sizeof *t);
    bool room = net_grow(&s->task, s->count, sizeof(struct lab_task *));

    if (t)
        *t = (struct lab_task){.command = command, .number = s->count};
    if (!t || !room || !tsearch(t, &s->by_command, by_command)) {
        free(t);
        return NULL;
    }
    s->task[s->count++] = t;
    t->expected = lab_notebook_seconds(s->notebook, command);
    if (isnan(t->expected))
        s->unexpected++;
    else
        s->expected += t->expected;
    return t;
}

/* NULL: no memory. */
static struct lab_task *find_or_add(struct lab_schedule *s, const char *command)
{
    struct lab_task key = {.command = strdup(command)}, **found, *added;

    if (!key.command)
        return NULL;
    found = tfind(&key, &s->by_command, by_command);
    added = found ? NULL : add_task(s, key.command);
    if (!added)
        free(key.command);
    return found ? *found : added;
}

static bool add_waiter(struct lab_schedule *s, struct lab_task *t,
                       uint32_t waiter)
{
    if (!net_grow(&t->waiter, t->count, sizeof *t->waiter))
        return false;
    if (waiter >= s->waiters) {
        uint32_t room = 2 * waiter + 4;
        uint32_t *more = realloc(s->pending, room * sizeof *more);

        if (!more)
            return false;
        memset(more + s->waiters, 0, (room - s->waiters) * sizeof *more);
        s->pending = more;
        s->waiters = room;
    }
    t->waiter[t->count++] = waiter;
    s->pending[waiter]++;
    return true;
}

void lab_schedule_ask(struct lab_schedule *s, uint32_t waiter,
                      const char *command)
{
    struct lab_task *t = find_or_add(s, command);

    s->failed |= !t || !add_waiter(s, t, waiter);
}

/* ---- Making them --------------------------------------------------------- */

/* Tasks that must be made again come first.  The last ones share the cores that
 * are left. */
static bool start_some(struct lab_schedule *s, struct net_why *why)
{
    uint32_t room;

    while ((s->again || s->next < s->count) &&
           (room = s->workers.room(s->workers.whom)) > 0) {
        uint32_t left = s->again_count + s->count - s->next;
        const struct lab_task *t = s->again ? s->again : s->task[s->next];

        if (!s->workers.start(s->workers.whom, t->command, t->number,
                              left < room ? room / left : 1, why))
            return false;
        if (s->again) {
            s->again = t->next;
            s->again_count--;
        } else {
            s->next++;
        }
    }
    return true;
}

/* Tells those that waited for this task alone. */
static void tell_waiters(struct lab_schedule *s, const struct lab_task *t)
{
    if (isnan(t->expected))
        s->unexpected--;
    else
        s->expected -= t->expected;
    for (uint32_t i = 0; i < t->count; i++)
        if (--s->pending[t->waiter[i]] == 0 && s->ready)
            s->ready(s->whom, t->waiter[i]);
}

/* Starts what there is room for, waits for an answer for a moment and writes it
 * down. */
static bool step(struct lab_schedule *s, struct net_why *why)
{
    struct lab_answer answer;
    struct lab_task *task;
    int64_t number;

    if (!start_some(s, why))
        return false;
    number = s->workers.wait(s->workers.whom, PATIENCE, &answer);
    if (number < 0)
        return true;
    task = s->task[number];
    task->tries += answer.end == LAB_KILLED;
    if (answer.end == LAB_LOST ||
        (answer.end == LAB_KILLED && task->tries < LAB_KILLS_MAX)) {
        lab_answer_free(&answer);
        task->next = s->again;
        s->again = task;
        s->again_count++;
        s->repeated++;
        return true;
    }
    s->spent += answer.seconds;
    if (!lab_notebook_add(s->notebook, task->command, &answer, why))
        return false;
    s->done++;
    tell_waiters(s, task);
    return true;
}

enum lab_scheduled lab_schedule_run(struct lab_schedule *s, struct net_why *why)
{
    s->began = net_seconds();
    while (s->done < s->count) {
        if (s->stop && atomic_load_explicit(s->stop, memory_order_relaxed))
            return LAB_STOPPED;
        if (!step(s, why))
            return LAB_FAILED;
        if (s->failed)
            break;
        if (s->look && !s->look(s->whom))
            return LAB_STOPPED;
    }
    if (!s->failed)
        return LAB_ANSWERED;
    net_no_memory(why, "an experiment");
    return LAB_FAILED;
}

uint64_t lab_schedule_left(const struct lab_schedule *s)
{
    double mean = s->spent / (s->done ? s->done : 1);
    double cpu = fmax(s->expected, 0) + s->unexpected * mean;

    return s->spent > 0
               ? (uint64_t)(cpu * (net_seconds() - s->began) / s->spent)
               : 0;
}

void lab_schedule_end(struct lab_schedule *s)
{
    if (s->workers.whom)
        s->workers.end(s->workers.whom);
    for (uint32_t i = 0; i < s->count; i++) {
        (void)tdelete(s->task[i], &s->by_command, by_command);
        free(s->task[i]->command);
        free(s->task[i]->waiter);
        free(s->task[i]);
    }
    free(s->task);
    free(s->pending);
    *s = (struct lab_schedule){0};
}
