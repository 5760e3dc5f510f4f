/*
 * become.h - the process that waits for its lock, and then becomes the command.
 */
#ifndef LIVE_BECOME_H
#define LIVE_BECOME_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* How the caller of this process had its signals: so the command gets them. */
struct live_habits {
    sigset_t mask, ignored;
};

void live_habits_note(struct live_habits *habits);
void live_habits_take_up(const struct live_habits *habits);

/* What starts it, in one piece through a pipe. */
struct live_start {
    uint64_t token;
    uint64_t deadline; /* it does not start after that */
};

struct live_becoming {
    char *const *argv;
    const char *lock; /* its name */
    uint64_t mark;    /* of this run, in the environment of all of it */
    const struct live_habits *habits;
    int start;  /* a struct live_start is read here */
    int failed; /* an errno is written here if it cannot be started */
};

/* In a new process, which becomes the command or exits; it exits as well when
 * no process is left that could start it.  `sheltered`: it can be killed
 * whatever its user, by its cgroup. */
_Noreturn void live_become(const struct live_becoming *how, bool sheltered);

/* The variable that has the marks of all locks that are held around a command,
 * with colons between. */
#define LIVE_MARK "FULCRUM_RUN"
enum { LIVE_MARK_TEXT = 32 };
void live_mark_write(uint64_t mark, char text[LIVE_MARK_TEXT]);

#endif
