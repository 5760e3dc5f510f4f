/*
 * tasks.c - see tasks.h.
 */
#include "lab/run/tasks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool grow(struct lab_tasks *t)
{
    uint32_t room = 2 * t->room + 64;
    struct lab_task *task = realloc(t->task, room * sizeof *task);
    uint32_t *again;

    if (!task)
        return false;
    t->task = task;
    again = realloc(t->again, room * sizeof *again);
    if (!again)
        return false;
    t->again = again;
    t->room = room;
    return true;
}

bool lab_tasks_add(struct lab_tasks *t, const char *command)
{
    char *copy;

    if (t->count == t->room && !grow(t))
        return false;
    copy = strdup(command);
    if (copy)
        t->task[t->count++] = (struct lab_task){.command = copy};
    return copy != NULL;
}

/* Those that are to be made again come first.  The last ones share what is left
 * of the cores. */
static bool start_some(struct lab_tasks *t, struct net_why *why)
{
    uint32_t room;

    while ((t->again_count || t->next < t->count) &&
           (room = t->workers.room(t->workers.whom)) > 0) {
        uint32_t left = t->again_count + t->count - t->next;
        uint32_t number =
            t->again_count ? t->again[t->again_count - 1] : t->next;

        if (!t->workers.start(t->workers.whom, t->task[number].command, number,
                              left < room ? room / left : 1, why))
            return false;
        if (t->again_count)
            t->again_count--;
        else
            t->next++;
    }
    return true;
}

int64_t lab_tasks_step(struct lab_tasks *t, int milliseconds,
                       struct net_why *why)
{
    struct lab_answer answer;
    struct lab_task *task;
    int64_t number;

    if (!start_some(t, why))
        return LAB_FAILED;
    number = t->workers.wait(t->workers.whom, milliseconds, &answer);
    if (number < 0)
        return LAB_NO_ANSWER;
    task = &t->task[number];
    task->tries += answer.end == LAB_KILLED;
    if (answer.end == LAB_LOST ||
        (answer.end == LAB_KILLED && task->tries < LAB_KILLS_MAX)) {
        lab_answer_free(&answer);
        t->again[t->again_count++] = (uint32_t)number;
        t->repeated++;
        return LAB_NO_ANSWER;
    }
    if (!lab_notebook_add(t->notebook, task->command, &answer, why))
        return LAB_FAILED;
    task->done = true;
    t->done++;
    return number;
}

void lab_tasks_end(struct lab_tasks *t)
{
    if (t->workers.whom)
        t->workers.end(t->workers.whom);
    for (uint32_t i = 0; i < t->count; i++)
        free(t->task[i].command);
    free(t->task);
    free(t->again);
    *t = (struct lab_tasks){0};
}
