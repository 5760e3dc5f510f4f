/*
 * engine.c - commands that judge, run as children of a cell (see grade.h).
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/grade/grade.h"

/* What a command may say, in bytes; more is not read. */
enum { SAID_MAX = 8 << 20, READ_SIZE = 65536 };

struct spout {
    int fd;
    struct lab_text text;
};

static void drain(struct spout *s)
{
    char buffer[READ_SIZE];
    ssize_t got = read(s->fd, buffer, sizeof buffer);

    if (got > 0 && s->text.length + (size_t)got <= SAID_MAX) {
        lab_say(&s->text, "%.*s", (int)got, buffer);
    } else if (got >= 0 || errno != EINTR) {
        close(s->fd);
        s->fd = -1;
    }
}

static void drain_both(struct spout s[2])
{
    while (s[0].fd >= 0 || s[1].fd >= 0) {
        struct pollfd fds[2] = {{s[0].fd, POLLIN, 0}, {s[1].fd, POLLIN, 0}};

        if (poll(fds, 2, -1) < 0 && errno != EINTR)
            return;
        for (int i = 0; i < 2; i++)
            if (s[i].fd >= 0 && fds[i].revents)
                drain(&s[i]);
    }
}

static _Noreturn void become(int program, char *const *words, const int out[2],
                             const int err[2])
{
    int null = open("/dev/null", O_RDONLY);

    if (null >= 0)
        (void)dup2(null, STDIN_FILENO);
    if (dup2(out[1], STDOUT_FILENO) >= 0 && dup2(err[1], STDERR_FILENO) >= 0)
        (void)(program >= 0 ? fexecve(program, words, environ)
                            : execv(words[0], words));
    _exit(127);
}

/* How a command that was ended from outside is told. */
static const char *told(int status)
{
    switch (WTERMSIG(status)) {
    case SIGXCPU:
    case SIGKILL:
        return "it reached its limit of time or memory";
    case SIGXFSZ:
        return "it reached its limit of what may be written";
    default:
        return "it was ended by a signal: a mistake in the program";
    }
}

void grade_execute(int program, char *const *words, struct grade_reply *reply)
{
    struct spout s[2] = {{.fd = -1}, {.fd = -1}};
    int out[2], err[2], status = 0;
    pid_t pid;

    *reply = (struct grade_reply){.code = CLI_SYSTEM};
    if (pipe2(out, O_CLOEXEC) != 0)
        return;
    if (pipe2(err, O_CLOEXEC) != 0) {
        close(out[0]);
        close(out[1]);
        return;
    }
    pid = fork();
    if (pid == 0)
        become(program, words, out, err);
    close(out[1]);
    close(err[1]);
    s[0].fd = out[0];
    s[1].fd = err[0];
    drain_both(s);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    while (waitpid(-1, NULL, WNOHANG) > 0) /* what a sandbox has left */
        ;
    for (int i = 0; i < 2; i++)
        if (s[i].fd >= 0)
            close(s[i].fd);
    if (pid > 0)
        reply->code =
            WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (pid > 0 && !WIFEXITED(status)) {
        free(s[1].text.text);
        s[1].text = (struct lab_text){0};
        lab_say(&s[1].text, "%s", told(status));
    }
    free(s[reply->code > 1 ? 0 : 1].text.text);
    reply->text = s[reply->code > 1 ? 1 : 0].text.text;
    if (!reply->text)
        reply->text = strdup("");
}

bool grade_ask_engine(void *whom, char *const *words, struct grade_reply *reply)
{
    struct grade_engine *e = whom;
    static char name[] = "fulcrum", threads[] = "--threads", one[] = "1";
    char *line[GRADE_WORDS_MAX + 4];
    int count = 0;

    if (!words[0]) {
        *reply = (struct grade_reply){.code = CLI_USAGE};
        return true;
    }
    if (e->exercise && e->exercise->source)
        return grade_ask_stranger(e, words, reply);
    line[count++] = name;
    for (int i = 0; words[i]; i++)
        line[count++] = words[i];
    /* One core for each hand-in, whatever else runs. */
    if (strcmp(words[0], "check") == 0 || strcmp(words[0], "sim") == 0) {
        line[count++] = threads;
        line[count++] = one;
    }
    line[count] = NULL;
    grade_execute(e->limits->program, line, reply);
    return true;
}
