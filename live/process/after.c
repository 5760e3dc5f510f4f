/*
 * after.c - see after.h.
 */
#include "live/process/after.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/process/command.h"

static void set(const char *name, uint64_t number)
{
    char text[32];

    snprintf(text, sizeof text, "%" PRIu64, number);
    (void)setenv(name, text, 1);
}

/* As a shell has it. */
static uint64_t shell_status(int status)
{
    return (uint64_t)(WIFEXITED(status) ? WEXITSTATUS(status)
                                        : 128 + WTERMSIG(status));
}

static _Noreturn void run(const struct live_after *after, int status,
                          const char *how)
{
    static const char failed[] = "fulcrum lock: --after: there is no /bin/sh\n";

    (void)setenv("FULCRUM_LOCK", after->lock, 1);
    (void)setenv("FULCRUM_AFTER", how, 1);
    (void)unsetenv("FULCRUM_DEADLINE");
    (void)unsetenv("FULCRUM_STATUS");
    set("FULCRUM_TOKEN", after->token);
    if (status != -1)
        set("FULCRUM_STATUS", shell_status(status));
    live_habits_take_up(after->habits);
    (void)execl("/bin/sh", "sh", "-c", after->line, (char *)NULL);
    (void)!write(STDERR_FILENO, failed, sizeof failed - 1);
    _exit(127);
}

pid_t live_after_start(const struct live_after *after, pid_t group, int status)
{
    pid_t child = fork();

    if (child != 0)
        return child;
    /* The group is there as long as its leader is not waited for. */
    if (setpgid(0, group) && group) {
        (void)setpgid(0, 0);
        run(after, status, "lost"); /* nobody could stop it in time */
    }
    run(after, status, group ? "held" : "lost");
}
