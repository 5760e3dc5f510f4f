/*
 * workers.c - see workers.h.
 */
#include "lab/run/workers.h"

#include "lab/run/children.h"

static uint32_t room_here(void *whom)
{
    return lab_children_room(whom);
}

static bool start_here(void *whom, const char *command, uint32_t number,
                       uint32_t threads, struct net_why *why)
{
    return lab_children_start(whom, command, number, threads, why);
}

static int64_t wait_here(void *whom, int milliseconds,
                         struct lab_answer *answer)
{
    return lab_children_wait(whom, milliseconds, answer);
}

static void end_here(void *whom)
{
    lab_children_end(whom);
}

bool lab_workers_here(struct lab_workers *w, const char *program, uint32_t jobs)
{
    *w = (struct lab_workers){
        .whom = lab_children_begin(program, jobs),
        .room = room_here,
        .start = start_here,
        .wait = wait_here,
        .end = end_here,
    };
    return w->whom != NULL;
}
