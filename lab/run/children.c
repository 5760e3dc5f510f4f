/*
 * children.c - experiments as child processes, several at once (see
 * schedule.h).
 */
#include "lab/run/schedule.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab/claim/words.h"

enum { ARGUMENTS_MAX = 120, OUT = 0, ERR = 1, READ_SIZE = 65536 };

/* What a child prints. */
struct spout {
    int fd; /* -1: closed */
    struct lab_text text;
};

struct child {
    pid_t pid; /* 0: none */
    uint32_t number, threads;
    struct spout spout[2];
};

struct children {
    char *program;
    uint32_t jobs;
    struct child child[LAB_JOBS_MAX];
};

static void close_spouts(struct child *k)
{
    for (int i = 0; i < 2; i++) {
        if (k->spout[i].fd >= 0)
            close(k->spout[i].fd);
        free(k->spout[i].text.text);
    }
    *k = (struct child){0};
}

static void end(void *whom)
{
    struct children *c = whom;

    for (uint32_t i = 0; i < c->jobs; i++)
        if (c->child[i].pid) {
            (void)kill(c->child[i].pid, SIGKILL);
            (void)waitpid(c->child[i].pid, NULL, 0);
            close_spouts(&c->child[i]);
        }
    free(c->program);
    free(c);
}

static uint32_t room(void *whom)
{
    const struct children *c = whom;
    uint32_t left = c->jobs;

    for (uint32_t i = 0; i < c->jobs; i++)
        left -= c->child[i].threads;
    return left;
}

bool lab_children_running(const void *whom)
{
    const struct children *c = whom;

    for (uint32_t i = 0; i < c->jobs; i++)
        if (c->child[i].pid)
            return true;
    return false;
}

/* ---- Starting ------------------------------------------------------------ */

/* In a group of its own, because Ctrl-C is for the parent, which ends its
 * children; and without the signals that the parent may have blocked. */
static bool spawn(const char *program, char **argv, int out, int err,
                  pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t apart;
    sigset_t none;
    int status = posix_spawnattr_init(&apart);

    (void)sigemptyset(&none);
    if (status == 0)
        status = posix_spawnattr_setsigmask(&apart, &none);
    if (status == 0)
        status = posix_spawnattr_setflags(&apart, POSIX_SPAWN_SETPGROUP |
                                                      POSIX_SPAWN_SETSIGMASK);
    if (status == 0)
        status = posix_spawn_file_actions_init(&actions);
    if (status != 0)
        return false;
    status = posix_spawn_file_actions_adddup2(&actions, out, 1);
    if (status == 0)
        status = posix_spawn_file_actions_adddup2(&actions, err, 2);
    if (status == 0)
        status = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null",
                                                  O_RDONLY, 0);
    if (status == 0)
        status = posix_spawn(pid, program, &actions, &apart, argv, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    (void)posix_spawnattr_destroy(&apart);
    errno = status;
    return status == 0;
}

/* A pipe whose ends no other child keeps open. */
static bool open_pipe(int pair[2])
{
    return pipe2(pair, O_CLOEXEC) == 0;
}

static bool launch(struct children *c, struct child *k, char **argv)
{
    int out[2], err[2];
    bool fine;

    if (!open_pipe(out))
        return false;
    if (!open_pipe(err)) {
        close(out[0]);
        close(out[1]);
        return false;
    }
    fine = spawn(c->program, argv, out[1], err[1], &k->pid);
    close(out[1]);
    close(err[1]);
    if (!fine) {
        close(out[0]);
        close(err[0]);
        k->pid = 0;
        return false;
    }
    k->spout[OUT].fd = out[0];
    k->spout[ERR].fd = err[0];
    return true;
}

static bool start(void *whom, const char *command, uint32_t number,
                  uint32_t threads, struct net_why *why)
{
    struct children *c = whom;
    static char json[] = "--json", option[] = "--threads";
    char *argv[ARGUMENTS_MAX + 4], *text = strdup(command), on[12];
    char *again = text ? strstr(text, LAB_AGAIN) : NULL;
    struct child *k = c->child;
    int count;
    bool fine;

    if (again)
        *again = '\0';
    count = text ? lab_split(text, argv, ARGUMENTS_MAX) : -1;
    while (k->pid)
        k++;
    if (count < 2) {
        net_refuse(why, "no command: %.100s", command);
        free(text);
        return false;
    }
    snprintf(on, sizeof on, "%u", threads);
    argv[count++] = json;
    argv[count++] = option;
    argv[count++] = on;
    argv[count] = NULL;
    *k = (struct child){.number = number, .threads = threads};
    fine = launch(c, k, argv);
    if (!fine) {
        k->threads = 0;
        net_fail(why, "cannot start %.100s: %s", c->program, strerror(errno));
    }
    free(text);
    return fine;
}

/* ---- Waiting ------------------------------------------------------------- */

static void drain(struct spout *s)
{
    char buffer[READ_SIZE];
    ssize_t got = read(s->fd, buffer, sizeof buffer);

    if (got > 0) {
        lab_say(&s->text, "%.*s", (int)got, buffer);
    } else if (got == 0 || errno != EINTR) {
        close(s->fd);
        s->fd = -1;
    }
}

/* Both spouts are dry: it has ended, or is about to. */
static void collect(struct child *k, struct lab_answer *answer)
{
    struct rusage usage = {0};
    int status = 0;

    while (wait4(k->pid, &status, 0, &usage) < 0 && errno == EINTR)
        ;
    *answer = (struct lab_answer){
        .code =
            WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
        .end = WIFEXITED(status) ? LAB_ENDED : LAB_KILLED,
        .seconds =
            (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
            1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec),
    };
    if (k->spout[OUT].text.length)
        answer->json = json_loads(k->spout[OUT].text.text, 0, NULL);
    if (k->spout[ERR].text.length)
        answer->complaint = strdup(k->spout[ERR].text.text);
    close_spouts(k);
}

static int64_t wait_for(void *whom, int milliseconds, struct lab_answer *answer)
{
    struct children *c = whom;
    struct pollfd fds[2 * LAB_JOBS_MAX];
    struct spout *spouts[2 * LAB_JOBS_MAX];
    nfds_t count = 0;

    for (uint32_t i = 0; i < c->jobs; i++)
        for (int k = 0; k < 2 && c->child[i].pid; k++)
            if (c->child[i].spout[k].fd >= 0) {
                spouts[count] = &c->child[i].spout[k];
                fds[count++] =
                    (struct pollfd){c->child[i].spout[k].fd, POLLIN, 0};
            }
    if (count && poll(fds, count, milliseconds) > 0)
        for (nfds_t i = 0; i < count; i++)
            if (fds[i].revents)
                drain(spouts[i]);
    for (uint32_t i = 0; i < c->jobs; i++) {
        struct child *k = &c->child[i];

        if (k->pid && k->spout[OUT].fd < 0 && k->spout[ERR].fd < 0) {
            uint32_t number = k->number;

            collect(k, answer);
            return number;
        }
    }
    return -1;
}

bool lab_workers_here(struct lab_workers *w, const char *program, uint32_t jobs)
{
    struct children *c = calloc(1, sizeof *c);

    *w = (struct lab_workers){
        .room = room, .start = start, .wait = wait_for, .end = end};
    if (!c || !(c->program = strdup(program))) {
        free(c);
        return false;
    }
    c->jobs = jobs < LAB_JOBS_MAX ? jobs : LAB_JOBS_MAX;
    w->whom = c;
    return true;
}
