/*
 * The hunt for what is left of a command (rule K8): it finds whoever is of the
 * command, wherever that went, and touches nobody else.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "live/process/become.h"
#include "live/process/hunt.h"
#include "live/process/proc.h"

/* Of this run: another one beside it hunts, too. */
static uint64_t own_mark(void)
{
    return (uint64_t)getpid() << 32 | 0x89abcdef;
}

/* A text with the mark in it, until the next one. */
static const char *marks(const char *format)
{
    static char text[64];
    char own[LIVE_MARK_TEXT];

    live_mark_write(own_mark(), own);
    snprintf(text, sizeof text, format, own);
    return text;
}

/* Runs a line of shell in a session of its own, with these marks or none;
 * returns when it has said a word on its file 3. */
static pid_t run_with(const char *marks, const char *line)
{
    int ready[2];
    char byte;
    pid_t pid;

    assert_int_equal(pipe(ready), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        (void)setsid();
        (void)dup2(ready[1], 3);
        if (marks)
            (void)setenv(LIVE_MARK, marks, 1);
        else
            (void)unsetenv(LIVE_MARK);
        (void)execl("/bin/sh", "sh", "-c", line, (char *)NULL);
        _exit(127);
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    return pid;
}

#define SLEEPS "echo >&3; exec 3>&-; exec sleep 60"

static bool is_alive(pid_t pid)
{
    struct live_proc process;

    return live_proc_look(pid, &process) && !process.ended;
}

static void end(pid_t pid)
{
    (void)kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* The quarry of a command whose first process has been waited for. */
static struct live_quarry quarry_of(uint64_t mark)
{
    pid_t leader = run_with(NULL, SLEEPS);
    struct live_quarry q = {.leader = leader,
                            .born = live_proc_started(leader),
                            .mark = mark,
                            .user = geteuid()};

    end(leader);
    return q;
}

static void hunt_down(const struct live_quarry *q)
{
    struct live_prey prey = {0};
    int tries = 0;

    while (live_hunt(q, &prey) != 0) {
        assert_true(tries++ < 1000);
        usleep(1000);
    }
    live_prey_forget(&prey);
}

static void hunt_nobody(const struct live_quarry *q)
{
    struct live_prey prey = {0};

    assert_int_equal(live_hunt(q, &prey), 0);
    assert_null(prey.of);
}

static void test_mark_is_found_and_no_other(void **state)
{
    struct live_quarry q = quarry_of(own_mark());
    pid_t own = run_with(marks("%s"), SLEEPS);
    pid_t inner =
        run_with(marks("00000000000000aa:%s:00000000000000bb"), SLEEPS);
    const pid_t others[] = {run_with(NULL, SLEEPS), run_with("", SLEEPS),
                            run_with(marks("%.15se"), SLEEPS),
                            run_with(marks("%s0"), SLEEPS),
                            run_with(marks("%.15s"), SLEEPS)};

    (void)state;
    hunt_down(&q);
    assert_false(is_alive(own) || is_alive(inner));
    end(own);
    end(inner);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_true(is_alive(others[i]));
        end(others[i]);
    }
}

static void test_without_a_mark_nobody_is_marked(void **state)
{
    struct live_quarry q = quarry_of(0);
    pid_t other = run_with("0000000000000000", SLEEPS);

    (void)state;
    hunt_nobody(&q);
    assert_true(is_alive(other));
    end(other);
}

/* What had its environment cleared is known by its parent, or by who leads its
 * session; all are stopped before that parent dies. */
static void test_families_are_followed(void **state)
{
    struct live_quarry q = quarry_of(own_mark());
    pid_t parent = run_with(
        marks("%s"), "env -i setsid sh -c 'sleep 61 & sleep 62 & echo >&3; "
                     "exec 3>&-; wait' & exec 3>&-; wait");
    int left = 0;

    (void)state;
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    hunt_down(&q);
    end(parent);
    /* The three others are ours by now, and have been killed. */
    for (int status; waitpid(-1, &status, WNOHANG) > 0; left++)
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    assert_int_equal(left, 3);
}

/* A guard is older than its command, if the clock has ticked between. */
static void test_children_of_the_guard_are_found(void **state)
{
    struct live_quarry q = quarry_of(own_mark());
    pid_t guard = run_with(NULL, "sleep 0.05; setsid sleep 60 & echo >&3; "
                                 "exec 3>&-; wait; exec sleep 60");
    char path[64], line[LIVE_PROC_LINE];
    pid_t child = 0;

    (void)state;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)guard,
             (int)guard);
    while (child == 0 && live_proc_line(path, "", line))
        child = (pid_t)strtol(line, NULL, 10);
    q.born = live_proc_started(child);
    q.guard = guard;
    q.guard_born = live_proc_started(guard) + 1; /* of another life */
    assert_true(q.guard_born <= q.born);
    hunt_nobody(&q);
    assert_true(is_alive(child));
    q.guard_born--;
    hunt_down(&q);
    assert_false(is_alive(child));
    assert_true(is_alive(guard));
    end(guard);
}

/* No process that is older than the command belongs to it. */
static void test_elders_are_left_alone(void **state)
{
    struct live_quarry q = quarry_of(own_mark());
    pid_t elder = run_with(marks("%s"), SLEEPS);

    (void)state;
    q.born = live_proc_started(elder) + 1;
    hunt_nobody(&q);
    assert_true(is_alive(elder));
    end(elder);
}

/* Of another user it does not look at the environment, and kills nobody. */
static void test_other_users_are_left_alone(void **state)
{
    struct live_quarry q = quarry_of(own_mark());
    pid_t other = run_with(marks("%s"), SLEEPS);

    (void)state;
    q.user = geteuid() + 1;
    hunt_nobody(&q);
    assert_true(is_alive(other));
    q.anybody = true;
    hunt_down(&q);
    assert_false(is_alive(other));
    end(other);
}

/* A process that multiplies is stopped first, so that none is born
 * meanwhile. */
static void test_who_multiplies_is_caught(void **state)
{
    struct live_quarry q = quarry_of(own_mark());
    pid_t parent = run_with(
        marks("%s"), "echo >&3; exec 3>&-; "
                     "while :; do env -i setsid sleep 60 & sleep 0.001; done");

    (void)state;
    usleep(100000);
    hunt_down(&q);
    end(parent);
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ;
    assert_int_equal(errno, ECHILD); /* no process is left alive */
}

/* Who was found once is of the command until it is dead: also if nothing shows
 * that any more, as its parents are dead already. */
static void test_who_was_found_is_remembered(void **state)
{
    pid_t found = run_with(NULL, SLEEPS);
    struct live_quarry q = {.leader = found,
                            .born = live_proc_started(found),
                            .user = geteuid() + 1}; /* so it is not killed */
    struct live_prey prey = {0};

    (void)state;
    assert_int_equal(live_hunt(&q, &prey), 1);
    q.leader = getpid(); /* of which it is not */
    assert_int_equal(live_hunt(&q, &prey), 1);
    assert_true(is_alive(found));
    end(found);
    assert_int_equal(live_hunt(&q, &prey), 0);
    assert_null(prey.of);
}

static void *wait_for_a_child(void *ready)
{
    if (vfork() == 0) {
        (void)!write(*(int *)ready, "", 1);
        (void)pause();
        _exit(0);
    }
    return NULL;
}

/* A thread that waits for the child of a vfork() cannot be stopped, although
 * the first thread of its process is. */
static void test_all_threads_must_stand_still(void **state)
{
    int ready[2], tries = 0;
    struct live_proc seen = {0};
    pthread_t thread;
    char byte;
    pid_t pid;

    (void)state;
    assert_int_equal(pipe(ready), 0);
    pid = fork();
    if (pid == 0) {
        (void)setsid();
        if (pthread_create(&thread, NULL, wait_for_a_child, &ready[1]))
            _exit(1);
        for (;;)
            (void)pause();
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(kill(pid, SIGSTOP), 0);
    while (!seen.stopped) {
        assert_true(tries++ < 1000);
        usleep(1000);
        assert_true(live_proc_look(pid, &seen));
    }
    assert_false(live_proc_stands_still(pid, &seen));
    assert_int_equal(kill(-pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    close(ready[0]);
    close(ready[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mark_is_found_and_no_other),
        cmocka_unit_test(test_without_a_mark_nobody_is_marked),
        cmocka_unit_test(test_families_are_followed),
        cmocka_unit_test(test_children_of_the_guard_are_found),
        cmocka_unit_test(test_elders_are_left_alone),
        cmocka_unit_test(test_other_users_are_left_alone),
        cmocka_unit_test(test_who_multiplies_is_caught),
        cmocka_unit_test(test_who_was_found_is_remembered),
        cmocka_unit_test(test_all_threads_must_stand_still),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
