/*
 * test_take.c - <fulcrum/lock.h>: the simple way, and the loop of letters.
 * What threads, a fork and a loss do is tested below, in test_client.c.
 */
#include "include/fulcrum/lock.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "tests/unit/kit/client_node.h"
#include "tests/unit/kit/test.h"

static char path[64];
static pid_t node;

/* A node of this machine, found by FULCRUM_SOCKET. */
static int open_node(void **state)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

    (void)state;
    snprintf(path, sizeof path, "/tmp/fulcrum-take-%d", (int)getpid());
    (void)unlink(path);
    memcpy(address.sun_path, path, sizeof path);
    assert_int_equal(
        bind(listener, (const struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(listener, 2), 0);
    assert_int_equal(setenv("FULCRUM_SOCKET", path, 1), 0);
    node = fork();
    if (node == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        serve(listener);
    }
    close(listener);
    return 0;
}

static int close_node(void **state)
{
    (void)state;
    (void)kill(node, SIGKILL);
    assert_int_equal(waitpid(node, NULL, 0), node);
    return unlink(path);
}

/* Held from taking to dropping, which gives it back: the next one has it. */
TEST(test_take_and_drop)
{
    struct fulcrum_lock *held;

    for (int i = 0; i < 3; i++) {
        assert_int_equal(fulcrum_take("plain", FULCRUM_FOREVER, &held), 0);
        assert_true(fulcrum_holds(held));
        assert_true(fulcrum_deadline(held) > live_now());
        assert_int_equal(fulcrum_token(held), 1); /* one connection */
        assert_int_equal(fulcrum_drop(held), 0);
    }
    assert_int_equal(fulcrum_drop(NULL), 0);
}

/* What is refused is not held, and has a reason and a sentence. */
TEST(test_take_is_refused)
{
    struct fulcrum_lock *held = (void *)&path;

    assert_int_equal(fulcrum_take("refused", 0, &held), -1);
    assert_int_equal(errno, ECANCELED);
    assert_null(held);
    assert_int_equal(fulcrum_take("", 0, &held), -1);
    assert_int_equal(errno, EINVAL);
    assert_non_null(strstr(fulcrum_why(), "a lock's name"));
    assert_int_equal(fulcrum_take("gone", 0, &held), 0);
    assert_int_equal(fulcrum_drop(held), -1);
    assert_int_equal(errno, ECONNRESET);
    (void)setenv("FULCRUM_SOCKET", "/nowhere", 1);
    assert_int_equal(fulcrum_take("plain", 0, &held), -1);
    assert_int_equal(errno, ENOENT);
    assert_non_null(strstr(fulcrum_why(), "/nowhere"));
    (void)setenv("FULCRUM_SOCKET", path, 1);
}

static void handle(int signal)
{
    (void)signal;
}

/* Ctrl-C ends a wait, if its handler does not restart calls; nothing is
 * held. */
TEST(test_a_signal_ends_take)
{
    struct sigaction action = {.sa_handler = handle};
    const struct itimerval soon = {{0, 10000}, {0, 10000}}, never = {0};
    struct fulcrum_lock *held;

    assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
    assert_int_equal(setitimer(ITIMER_REAL, &soon, NULL), 0);
    assert_int_equal(fulcrum_take("never", FULCRUM_FOREVER, &held), -1);
    assert_int_equal(errno, EINTR);
    assert_null(held);
    assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
}

/* A child that is forked holds nothing, and dropping there leaves the parent's
 * lock alone. */
TEST(test_take_before_a_fork)
{
    struct fulcrum_lock *held;
    pid_t child;
    int status;

    assert_int_equal(fulcrum_take("plain", 0, &held), 0);
    child = fork();
    if (child == 0)
        _exit(fulcrum_holds(held) || fulcrum_drop(held) != -1 ||
              errno != EPERM);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_true(fulcrum_holds(held));
    assert_int_equal(fulcrum_drop(held), 0);
}

/* Letters come with what they say. */
TEST(test_letters)
{
    struct fulcrum_lock *lock = fulcrum_lock_open(NULL);
    uint64_t within = 9;
    int file;

    assert_non_null(lock);
    assert_int_equal(fulcrum_token(lock), 0);
    file = fulcrum_lock_status(lock);
    assert_true(file >= 0);
    close(file);
    assert_int_equal(fulcrum_lock_ask(lock, "refused", false, -1, 0), 0);
    assert_int_equal(fulcrum_lock_next(lock, &within), FULCRUM_REFUSED);
    assert_int_equal(within, 9);
    assert_int_equal(fulcrum_lock_ask(lock, "lost", true, -1, 0), 0);
    assert_int_equal(fulcrum_lock_next(lock, NULL), FULCRUM_GRANTED);
    assert_int_equal(fulcrum_lock_next(lock, NULL), FULCRUM_LOST);
    assert_false(fulcrum_holds(lock));
    assert_int_equal(fulcrum_lock_ask(lock, "plain", false, -1, 0), -1);
    assert_int_equal(errno, EBUSY);
    assert_int_equal(fulcrum_lock_release(lock), 0);
    assert_int_equal(fulcrum_lock_ask(lock, "plain", false, -1, 0), 0);
    assert_int_equal(fulcrum_lock_next(lock, NULL), FULCRUM_GRANTED);
    assert_false(fulcrum_lock_spent(lock));
    fulcrum_lock_close(lock);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_take_and_drop),
        cmocka_unit_test(test_take_is_refused),
        cmocka_unit_test(test_a_signal_ends_take),
        cmocka_unit_test(test_take_before_a_fork),
        cmocka_unit_test(test_letters),
    };

    return cmocka_run_group_tests(tests, open_node, close_node);
}
