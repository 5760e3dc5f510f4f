/*
 * Processes by their files: signals to a group reach its processes, and nobody
 * when it is gone.  And by /proc: which processes have ended.
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
#include <sys/prctl.h>
#include <sys/resource.h>
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

/* The letter that /proc shows is the state of its first thread. */
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
    /* An empty list is no proof: a hidden process may live. */
    assert_false(live_proc_group_ended(pid));
    close(fd);
}

/* The name of a program may look like anything, also like the end of the file
 * or like a process that has ended. */
static void test_any_name_is_seen(void **state)
{
    static const char *const names[] = {"a\nb", "\n",         "a) Z 1 1 1\nb",
                                        ")",    "(\n) X 0 0", " "};

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct live_proc process;
        int named[2];
        char byte;
        pid_t pid;

        assert_int_equal(pipe(named), 0);
        pid = fork();
        assert_true(pid >= 0);
        if (pid == 0) {
            (void)setpgid(0, 0);
            (void)prctl(PR_SET_NAME, names[i]);
            (void)!write(named[1], "", 1);
            for (;;)
                pause();
        }
        assert_int_equal(read(named[0], &byte, 1), 1);
        assert_true(live_proc_look(pid, &process));
        assert_int_equal(process.parent, getpid());
        assert_int_equal(process.group, pid);
        assert_false(process.ended);
        assert_true(live_proc_group_lives(pid, UINT64_MAX));
        assert_false(live_proc_group_ended(pid));
        assert_int_equal(kill(pid, SIGKILL), 0);
        assert_int_equal(waitpid(pid, NULL, 0), pid);
        close(named[0]);
        close(named[1]);
    }
}

/* Who is there and cannot be read, here for want of files, may live. */
static void test_unreadable_process_counts_as_alive(void **state)
{
    struct rlimit before, few;
    pid_t pid = fork();
    struct live_proc process;
    int room = open("/proc", O_RDONLY | O_DIRECTORY);

    (void)state;
    assert_true(pid >= 0 && room >= 0);
    if (pid == 0) {
        (void)setpgid(0, 0);
        for (;;)
            pause();
    }
    (void)setpgid(pid, pid);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    few = (struct rlimit){(rlim_t)room + 1, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    close(room); /* there is one left: for the list, and none for its members */
    assert_true(live_proc_group_lives(pid, UINT64_MAX));
    assert_false(live_proc_group_ended(pid));
    room = open("/proc", O_RDONLY | O_DIRECTORY);
    assert_false(live_proc_look(pid, &process));
    assert_false(live_proc_is_gone());
    close(room);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_false(live_proc_look(pid, &process));
    assert_true(live_proc_is_gone());
}

/* What is no such text is not guessed at. */
static void test_text_is_whole_or_nothing(void **state)
{
    static const char *const bad[] = {
        "",
        "1",
        "1 (a",
        "1 (a)",
        "1 (a) ",
        "1 (a) S",
        "1 (a) S 1 1",
        "1 (a) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0", /* one is missing */
        "1 (a) S 1 x 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 99 0",
    };
    struct live_proc process;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(live_proc_parse(bad[i], &process));
    assert_true(live_proc_parse("1 (a\nb) S) Z 5 6 1 0 -1 0 0 0 0 0 0 0 0 0 20 "
                                "0 1 0 99 0",
                                &process));
    assert_int_equal(process.parent, 5);
    assert_int_equal(process.group, 6);
    assert_true(process.ended);
    assert_int_equal(process.start, 99);
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
        cmocka_unit_test(test_any_name_is_seen),
        cmocka_unit_test(test_unreadable_process_counts_as_alive),
        cmocka_unit_test(test_text_is_whole_or_nothing),
        cmocka_unit_test(test_leader_of_another_group_is_killed),
    };

    (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
