/*
 * test_live_cgroup.c - cgroups of commands, where one can be made.
 */
#include "tests/unit/kit/testing.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/process/cgroup.h"

/* Some process that left its session and its parent; its number arrives by the
 * pipe. */
static void run_away(int to)
{
    pid_t child = fork();

    if (child == 0) {
        pid_t self = getpid();

        (void)setsid();
        (void)!write(to, &self, sizeof self);
        for (;;)
            pause();
    }
    for (;;)
        pause();
}

/* All in it die by one write, even those out of session and group; then it is
 * empty, and closing removes it. */
TEST(test_kill_reaches_who_left_the_group)
{
    struct live_cgroup cgroup;
    int pipe_fd[2], copy;
    pid_t child, away;
    char byte[64];

    assert_int_equal(pipe(pipe_fd), 0);
    child = live_cgroup_fork(&cgroup);
    assert_true(child >= 0);
    if (child == 0)
        run_away(pipe_fd[1]);
    if (!live_cgroup_is(&cgroup)) {
        (void)kill(child, SIGKILL);
        (void)waitpid(child, NULL, 0);
        print_message("left out: no cgroup can be made here\n");
        skip();
    }
    assert_int_equal(read(pipe_fd[0], &away, sizeof away), (int)sizeof away);
    assert_false(live_cgroup_is_empty(&cgroup));
    live_cgroup_kill(&cgroup);
    for (int i = 0; i < 5000 && !live_cgroup_is_empty(&cgroup); i++)
        usleep(1000);
    assert_true(live_cgroup_is_empty(&cgroup));
    assert_int_equal(waitpid(child, NULL, 0), child);
    copy = dup(cgroup.events);
    live_cgroup_close(&cgroup);
    assert_false(live_cgroup_is(&cgroup));
    assert_true(pread(copy, byte, sizeof byte, 0) < 0); /* it is not there */
    close(copy);
    close(pipe_fd[0]);
    close(pipe_fd[1]);
}

/* A client that sends files of something else has no cgroup, and they are
 * closed. */
TEST(test_strange_files_are_refused)
{
    const int files[] = {open("/dev/null", O_WRONLY), open("/dev/null", 0)};
    const int half[] = {open("/dev/null", O_WRONLY), -1};
    struct live_cgroup cgroup;

    live_cgroup_adopt(&cgroup, files, getpid());
    assert_false(live_cgroup_is(&cgroup));
    assert_int_equal(fcntl(files[0], F_GETFD), -1);
    assert_int_equal(fcntl(files[1], F_GETFD), -1);
    live_cgroup_adopt(&cgroup, half, getpid());
    assert_false(live_cgroup_is(&cgroup));
    assert_int_equal(fcntl(half[0], F_GETFD), -1);
}

/* A cgroup that is empty for a moment belongs to its client still: another one
 * of this number, which may be in another PID namespace, takes a name of its
 * own, and neither removes this one nor opens it. */
TEST(test_another_of_this_number_leaves_it_alone)
{
    struct live_cgroup first, second;
    pid_t child = live_cgroup_fork(&first), other;
    char byte[64];

    if (child == 0)
        _exit(0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    if (!live_cgroup_is(&first)) {
        print_message("left out: no cgroup can be made here\n");
        skip();
    }
    other = live_cgroup_fork(&second);
    if (other == 0)
        for (;;)
            pause();
    assert_true(live_cgroup_is(&second));
    assert_true(pread(first.events, byte, sizeof byte, 0) > 0);
    assert_true(live_cgroup_is_empty(&first));
    live_cgroup_kill(&first);
    assert_int_equal(waitpid(other, NULL, WNOHANG), 0);
    live_cgroup_kill(&second);
    assert_int_equal(waitpid(other, NULL, 0), other);
    live_cgroup_close(&first);
    live_cgroup_close(&second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kill_reaches_who_left_the_group),
        cmocka_unit_test(test_strange_files_are_refused),
        cmocka_unit_test(test_another_of_this_number_leaves_it_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
