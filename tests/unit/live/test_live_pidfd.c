/*
 * Processes by their files: signals to a group reach who is in it, and nobody
 * when it is gone.  And by /proc: who has ended.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "live/process/proc.h"

/* A leader that sleeps, or has a member of its group do so and ends. */
static pid_t leader(bool ends, pid_t *member)
{
    int ready[2];
    pid_t pid, child = 0;

    assert_int_equal(pipe(ready), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        (void)setpgid(0, 0);
        child = fork();
        if (child != 0)
            (void)!write(ready[1], &child, sizeof child);
        if (child != 0 && ends)
            _exit(0);
        for (;;)
            pause();
    }
    assert_int_equal(read(ready[0], &child, sizeof child), sizeof child);
    close(ready[0]);
    close(ready[1]);
    *member = child;
    return pid;
}

/* The number is that of the process until somebody has waited for it. */
static void test_number_is_known_until_reaped(void **state)
{
    pid_t member, pid = leader(false, &member);
    int fd = live_pidfd_open(pid);

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(live_pidfd_pid(fd), pid);
    assert_false(live_pidfd_is_dead(fd));
    assert_false(live_pidfd_is_reaped(fd));
    assert_int_equal(live_pidfd_signal_group(fd, pid, SIGKILL), 0);
    while (!live_pidfd_is_dead(fd))
        usleep(1000);
    assert_false(live_pidfd_is_reaped(fd));
    assert_int_equal(live_pidfd_pid(fd), pid);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_true(live_pidfd_is_reaped(fd));
    assert_int_equal(live_pidfd_pid(fd), 0);
    assert_int_equal(waitpid(member, NULL, 0), member);
    close(fd);
}

/* A group without its leader is still found, and one without anybody is not. */
static void test_group_outlives_its_leader(void **state)
{
    pid_t member, pid = leader(true, &member);
    int fd = live_pidfd_open(pid), status = 0;

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_int_equal(live_pidfd_signal_group(fd, pid, 0), 0);
    assert_int_equal(live_pidfd_signal_group(fd, pid, SIGTERM), 0);
    assert_int_equal(waitpid(member, &status, 0), member);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(live_pidfd_signal_group(fd, pid, SIGTERM), -1);
    assert_int_equal(errno, ESRCH);
    close(fd);
}

/* A file that is no pidfd names nobody. */
static void test_other_files_name_nobody(void **state)
{
    int ends[2];

    (void)state;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(live_pidfd_pid(ends[0]), 0);
    assert_int_equal(live_pidfd_pid(-1), 0);
    assert_int_equal(live_pidfd_signal_group(ends[0], getpid(), 0), -1);
    close(ends[0]);
    close(ends[1]);
}

static void *stays(void *arg)
{
    (void)arg;
    for (;;)
        pause();
    return NULL;
}

/* The letter of its state that /proc shows is that of its first thread. */
static bool looks_like_a_zombie(pid_t pid)
{
    char path[64], line[LIVE_PROC_LINE];
    const char *state;

    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    state = live_proc_line(path, "State:", line);
    return state && state[1] == 'Z';
}

/* A process whose first thread has ended lives on in the others. */
static void test_first_thread_is_not_the_process(void **state)
{
    pid_t pid = fork();
    struct live_proc process;
    int fd;

    (void)state;
    assert_true(pid >= 0);
    if (pid == 0) {
        pthread_t thread;

        (void)setpgid(0, 0);
        if (pthread_create(&thread, NULL, stays, NULL))
            _exit(1);
        pthread_exit(NULL);
    }
    fd = live_pidfd_open(pid);
    while (!looks_like_a_zombie(pid))
        usleep(1000);
    assert_true(live_proc_look(pid, &process));
    assert_false(process.ended);
    assert_true(live_proc_group_lives(pid, UINT64_MAX));
    assert_false(live_pidfd_is_dead(fd));
    assert_int_equal(live_pidfd_signal_group(fd, pid, SIGKILL), 0);
    while (!live_pidfd_is_dead(fd))
        usleep(1000);
    assert_true(live_proc_look(pid, &process));
    assert_true(process.ended);
    assert_false(live_proc_group_lives(pid, UINT64_MAX));
    assert_true(live_proc_group_ended(pid));
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    /* Nobody who shows up is no proof: who is hidden may live. */
    assert_false(live_proc_group_ended(pid));
    close(fd);
}

/* A leader that goes to the group of its child; nobody stays in its own. */
static pid_t fork_that_moves(void)
{
    pid_t pid = fork(), child;

    if (pid != 0)
        return pid;
    (void)setpgid(0, 0);
    child = fork();
    if (child == 0)
        (void)setpgid(0, 0);
    while (child > 0 && setpgid(0, child)) /* once there is such a group */
        usleep(1000);
    for (;;)
        pause();
}

/* It is killed in whatever group it is. */
static void test_leader_of_another_group_is_killed(void **state)
{
    pid_t pid = fork_that_moves(), group;
    int fd;

    (void)state;
    assert_true(pid > 0);
    fd = live_pidfd_open(pid);
    while ((group = getpgid(pid)) == getpgrp() || group == pid)
        usleep(1000);
    assert_int_equal(live_pidfd_signal_group(fd, pid, 0), 0);
    assert_int_equal(live_pidfd_signal_group(fd, pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_int_equal(live_pidfd_signal_group(fd, pid, SIGKILL), -1);
    assert_int_equal(errno, ESRCH);
    assert_int_equal(kill(-group, SIGKILL), 0);
    assert_int_equal(waitpid(group, NULL, 0), group);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_number_is_known_until_reaped),
        cmocka_unit_test(test_group_outlives_its_leader),
        cmocka_unit_test(test_other_files_name_nobody),
        cmocka_unit_test(test_first_thread_is_not_the_process),
        cmocka_unit_test(test_leader_of_another_group_is_killed),
    };

    (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
