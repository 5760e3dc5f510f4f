/*
 * test_client.c - what fulcrum_lock(3) promises to programs: threads, fork,
 * loss, a node that goes, one that does not accept.
 *
 * The node leaves the page alone when a lock is released, as one of 0.4.0 does:
 * the library must not depend on that.
 */
#include "live/client/client.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/kit/client_node.h"
#include "tests/unit/kit/test.h"

enum { LOOKERS = 3 };

/* Whoever listens does so as this user; -1: as it is. */
static uid_t listens_as = (uid_t)-1;

int getsockopt(int file, int level, int name, void *restrict value,
               socklen_t *restrict size)
{
    long result = syscall(SYS_getsockopt, file, level, name, value, size);

    if (result == 0 && name == SO_PEERCRED && listens_as != (uid_t)-1)
        ((struct ucred *)value)->uid = listens_as;
    return (int)result;
}

struct world {
    char path[64];
    struct net_why error;
    pid_t node;
    struct live_client client;
};

/* A node that listens, and has not begun to accept. */
static void open_node(struct world *w)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

    memset(w, 0, sizeof *w);
    snprintf(w->path, sizeof w->path, "/tmp/fulcrum-client-%d", (int)getpid());
    (void)unlink(w->path);
    memcpy(address.sun_path, w->path, sizeof w->path);
    assert_int_equal(
        bind(listener, (const struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(listener, 2), 0);
    w->node = fork();
    if (w->node == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        serve(listener);
    }
    close(listener);
}

static void open_world(struct world *w)
{
    open_node(w);
    assert_int_equal(live_client_open(&w->client, w->path, &w->error), 0);
}

static void close_node(struct world *w)
{
    (void)kill(w->node, SIGKILL);
    assert_int_equal(waitpid(w->node, NULL, 0), w->node);
    (void)unlink(w->path);
}

static void close_world(struct world *w)
{
    live_client_close(&w->client);
    close_node(w);
}

static int ask(struct world *w, const char *name)
{
    return live_client_ask(&w->client, name, false, -1, UINT64_MAX, &w->error);
}

/* The next letter; 0: none. */
static uint8_t next(struct world *w)
{
    struct live_letter letter = {0};

    return live_client_next(&w->client, &letter, &w->error) ? 0 : letter.kind;
}

static void take(struct world *w, const char *name)
{
    assert_int_equal(ask(w, name), 0);
    assert_int_equal(next(w), LIVE_GRANTED);
    assert_true(live_client_holds(&w->client));
}

static void give_back(struct world *w)
{
    assert_int_equal(live_client_release(&w->client, &w->error), 0);
    assert_false(live_client_holds(&w->client));
}

/* ---- Threads ------------------------------------------------------------- */

struct look {
    struct world *w;
    _Atomic bool over, wrong;
    _Atomic uint32_t seen[2]; /* how often it was held, and was not */
};

static void *look(void *at)
{
    struct look *l = at;
    const struct live_client *c = &l->w->client;

    while (!atomic_load(&l->over)) {
        bool holds = live_client_holds(c);

        if (live_client_spent(c) ||
            live_client_deadline(c) > live_now() + 100 * (uint64_t)SECOND)
            atomic_store(&l->wrong, true);
        atomic_fetch_add(&l->seen[holds], 1);
    }
    return NULL;
}

/* Threads may look while another takes and releases: they see both, and the
 * page that they look at does not go away. */
TEST(test_threads_look)
{
    struct world w;
    struct look l = {.w = &w};
    pthread_t threads[LOOKERS];
    const uint32_t turns = is_sanitized() ? 300 : 3000;

    open_world(&w);
    for (int i = 0; i < LOOKERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, look, &l), 0);
    for (uint32_t i = 0; i < turns || !l.seen[0] || !l.seen[1]; i++) {
        take(&w, "plain");
        give_back(&w);
    }
    atomic_store(&l.over, true);
    for (int i = 0; i < LOOKERS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_false(l.wrong);
    close_world(&w);
}

/* What the handler looks at, and what it saw. */
static struct {
    const struct live_client *client;
    _Atomic uint32_t seen[2];
} handled;

static void look_from_handler(int signal)
{
    (void)signal;
    atomic_fetch_add(&handled.seen[live_client_holds(handled.client)], 1);
}

/* So may a signal handler, wherever it interrupts. */
TEST(test_a_signal_handler_looks)
{
    struct sigaction action = {.sa_handler = look_from_handler,
                               .sa_flags = SA_RESTART};
    const struct itimerval often = {{0, 100}, {0, 100}}, never = {0};
    struct world w;

    open_world(&w);
    handled.client = &w.client;
    assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
    assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
    for (int i = 0; i < 300 || !handled.seen[0] || !handled.seen[1]; i++) {
        take(&w, "plain");
        give_back(&w);
    }
    assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
    close_world(&w);
}

struct wait {
    struct world *w;
    _Atomic bool begun;
    uint8_t kind;
};

static void *wait_for_letter(void *at)
{
    struct wait *wait = at;
    struct live_letter letter = {0};
    struct net_why error;

    atomic_store(&wait->begun, true);
    if (live_client_next(&wait->w->client, &letter, &error) == 0)
        wait->kind = letter.kind;
    return NULL;
}

/* One thread waits for the loss, another releases: both are told. */
TEST(test_a_release_while_another_thread_waits)
{
    struct world w;

    open_world(&w);
    for (int i = 0; i < 100; i++) {
        struct wait wait = {.w = &w};
        pthread_t thread;

        take(&w, "plain");
        assert_int_equal(pthread_create(&thread, NULL, wait_for_letter, &wait),
                         0);
        while (!atomic_load(&wait.begun))
            (void)sched_yield();
        give_back(&w);
        /* If the release was first to read, the other still waits. */
        assert_int_equal(ask(&w, "plain"), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
        if (wait.kind == LIVE_RELEASED)
            assert_int_equal(next(&w), LIVE_GRANTED);
        else
            assert_int_equal(wait.kind, LIVE_GRANTED);
        assert_true(live_client_holds(&w.client));
        give_back(&w);
    }
    close_world(&w);
}

/* ---- Fork ---------------------------------------------------------------- */

/* What a forked child finds; 0: as promised. */
static int try_in_child(struct world *w)
{
    struct live_client *c = &w->client;
    struct live_letter letter;

    if (live_client_holds(c) || live_client_deadline(c) != 0)
        return 1;
    if (live_client_release(c, &w->error) != -1 || errno != EPERM ||
        !strstr(w->error.text, "forked"))
        return 2;
    if (ask(w, "plain") != -1 || errno != EPERM)
        return 3;
    if (live_client_next(c, &letter, &w->error) != -1 || errno != EPERM)
        return 4;
    if (live_client_status(c, &w->error) != -1 || errno != EPERM)
        return 5;
    live_client_close(c);
    if (c->socket >= 0 || live_client_holds(c))
        return 6;
    /* A connection of its own works. */
    if (live_client_open(c, w->path, &w->error))
        return 7;
    take(w, "plain");
    live_client_close(c);
    return 0;
}

/* A forked child neither holds nor releases, whatever it does; its parent goes
 * on holding. */
TEST(test_a_forked_child_has_nothing)
{
    struct world w;
    pid_t child;
    int status;

    open_world(&w);
    take(&w, "plain");
    child = fork();
    if (child == 0)
        _exit(try_in_child(&w));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_true(live_client_holds(&w.client));
    assert_int_equal(ask(&w, "plain"), -1); /* the node has not been asked */
    assert_int_equal(errno, EBUSY);
    give_back(&w);
    take(&w, "plain");
    close_world(&w);
}

/* A connection lasts as long as some process has it: a child that lives on
 * keeps the lock of its parent, unless it executes a program. */
TEST(test_a_child_keeps_a_connection)
{
    struct world w;
    struct live_client c;
    int hold[2];
    pid_t parent;

    open_world(&w);
    assert_int_equal(pipe(hold), 0);
    parent = fork();
    if (parent == 0) {
        assert_int_equal(live_client_open(&c, w.path, &w.error), 0);
        if (!(fcntl(c.socket, F_GETFD) & FD_CLOEXEC))
            _exit(1);
        if (fork() == 0) { /* lives until the pipe is closed */
            close(hold[1]);
            (void)!read(hold[0], w.error.text, 1);
        }
        _exit(0);
    }
    assert_int_equal(waitpid(parent, NULL, 0), parent);
    take(&w, "plain");
    assert_int_equal(w.client.token, 2);
    close(hold[1]);
    do {
        give_back(&w);
        take(&w, "plain");
    } while (w.client.token != 1);
    close(hold[0]);
    close_world(&w);
}

/* ---- Loss, and asking again ---------------------------------------------- */

/* Asking twice costs nothing: the lock is not lost. */
TEST(test_asking_twice)
{
    struct world w;

    open_world(&w);
    take(&w, "plain");
    assert_int_equal(ask(&w, "another"), -1);
    assert_int_equal(errno, EBUSY);
    assert_non_null(strstr(w.error.text, "release that first"));
    assert_true(live_client_holds(&w.client));
    give_back(&w);
    assert_int_equal(ask(&w, "never"), 0);
    assert_int_equal(ask(&w, "never"), -1); /* it waits */
    assert_int_equal(errno, EBUSY);
    give_back(&w); /* it waits no longer */
    assert_int_equal(ask(&w, "refused"), 0);
    assert_int_equal(next(&w), LIVE_REFUSED);
    take(&w, "plain"); /* without a release: there is nothing to be released */
    give_back(&w);
    give_back(&w); /* nor here */
    close_world(&w);
}

/* After a loss: release, then ask. */
TEST(test_after_a_loss)
{
    struct world w;

    open_world(&w);
    assert_int_equal(ask(&w, "lost"), 0);
    assert_int_equal(next(&w), LIVE_GRANTED);
    assert_int_equal(next(&w), LIVE_LOST);
    assert_false(live_client_holds(&w.client));
    assert_int_equal(ask(&w, "plain"), -1);
    assert_int_equal(errno, EBUSY);
    give_back(&w);
    take(&w, "plain");
    close_world(&w);
}

/* A deadline that passes is a loss, whether a letter comes or not. */
TEST(test_a_deadline_that_passes)
{
    struct world w;

    open_world(&w);
    take(&w, "short");
    while (live_now() < live_client_deadline(&w.client))
        (void)sched_yield();
    assert_false(live_client_holds(&w.client));
    assert_true(live_client_spent(&w.client)); /* it is not given any more */
    give_back(&w);
    assert_false(live_client_spent(&w.client));
    take(&w, "plain");
    close_world(&w);
}

/* The node is gone: a grant is good until its deadline, nothing else works any
 * more, and another connection does. */
TEST(test_a_node_that_is_gone)
{
    struct world w;
    siginfo_t end;

    open_world(&w);
    take(&w, "gone");
    assert_int_equal(next(&w), 0);
    assert_int_equal(errno, ECONNRESET);
    assert_non_null(strstr(w.error.text, "open another connection"));
    assert_true(live_client_holds(&w.client));
    assert_int_equal(ask(&w, "plain"), -1);
    assert_int_equal(errno, ECONNRESET);
    assert_non_null(strstr(w.error.text, "open another connection"));
    assert_int_equal(live_client_release(&w.client, &w.error), -1);
    assert_int_equal(errno, ECONNRESET);
    assert_false(live_client_holds(&w.client));
    live_client_close(&w.client);
    assert_int_equal(live_client_open(&w.client, w.path, &w.error), 0);
    take(&w, "plain");
    (void)kill(w.node, SIGKILL);
    assert_int_equal(waitid(P_PID, (id_t)w.node, &end, WEXITED | WNOWAIT), 0);
    assert_int_equal(next(&w), 0);
    assert_int_equal(errno, ECONNRESET);
    live_client_close(&w.client);
    assert_int_equal(live_client_open(&w.client, w.path, &w.error), -1);
    assert_int_equal(errno, ECONNREFUSED);
    assert_int_equal(unlink(w.path), 0);
    assert_int_equal(live_client_open(&w.client, w.path, &w.error), -1);
    assert_int_equal(errno, ENOENT);
    assert_false(live_client_holds(&w.client));
    close_world(&w);
}

/* K7: whoever says who holds a lock is root, this user, or the one that was
 * named: anybody else could pretend to be a node. */
TEST(test_a_node_of_another_user)
{
    const uid_t another = geteuid() + 1;
    struct world w;

    open_world(&w);
    live_client_close(&w.client);
    listens_as = another;
    assert_int_equal(live_client_open(&w.client, w.path, &w.error), -1);
    assert_int_equal(errno, EPERM);
    assert_non_null(strstr(w.error.text, "neither root nor you"));
    assert_int_equal(live_client_open_of(&w.client, w.path, another, &w.error),
                     0);
    live_client_close(&w.client);
    listens_as = 0;
    assert_int_equal(live_client_open(&w.client, w.path, &w.error), 0);
    listens_as = (uid_t)-1;
    close_world(&w);
}

/* A status is for a connection that has nothing else to do. */
TEST(test_status_beside_a_lock)
{
    struct world w;
    int file;

    open_world(&w);
    file = live_client_status(&w.client, &w.error);
    assert_true(file >= 0);
    close(file);
    take(&w, "plain");
    assert_int_equal(live_client_status(&w.client, &w.error), -1);
    assert_int_equal(errno, EBUSY);
    assert_true(live_client_holds(&w.client));
    give_back(&w);
    close_world(&w);
}

/* ---- Waiting ------------------------------------------------------------- */

static void on_alarm(int signal)
{
    (void)signal;
}

/* A signal ends a wait if that was wished, and the wait can go on. */
TEST(test_a_wait_that_is_interrupted)
{
    struct sigaction action = {.sa_handler = on_alarm};
    const struct itimerval soon = {{0, 0}, {0, 20000}};
    struct world w;

    open_world(&w);
    assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
    w.client.interruptible = true;
    assert_int_equal(ask(&w, "never"), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(setitimer(ITIMER_REAL, &soon, NULL), 0);
        assert_int_equal(next(&w), 0);
        assert_int_equal(errno, EINTR);
    }
    give_back(&w);
    take(&w, "plain");
    close_world(&w);
}

/* The others are not. */
TEST(test_a_wait_that_is_not_interrupted)
{
    struct sigaction action = {.sa_handler = on_alarm};
    const struct itimerval soon = {{0, 0}, {0, 20000}};
    struct world w;
    struct pollfd none = {-1, 0, 0};

    open_world(&w);
    assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
    assert_int_equal(kill(w.node, SIGSTOP), 0);
    assert_int_equal(ask(&w, "plain"), 0);
    assert_int_equal(setitimer(ITIMER_REAL, &soon, NULL), 0);
    if (fork() == 0) { /* goes on when the signal has come */
        (void)poll(&none, 1, 200);
        _exit(kill(w.node, SIGCONT));
    }
    assert_int_equal(next(&w), LIVE_GRANTED);
    (void)wait(NULL);
    close_world(&w);
}

/* A node that is stopped does not accept for ever: that is said, in time. */
TEST(test_a_full_queue)
{
    struct world w;
    struct live_client many[CLIENTS];
    uint64_t before;
    int count = 0;

    open_node(&w);
    assert_int_equal(kill(w.node, SIGSTOP), 0);
    while (count < CLIENTS &&
           live_client_open_within(&many[count], w.path, 0, 0, &w.error) == 0)
        count++;
    assert_true(count < CLIENTS);
    assert_int_equal(errno, EAGAIN);
    assert_non_null(strstr(w.error.text, "takes no more clients"));
    before = live_now();
    assert_int_equal(live_client_open(&w.client, w.path, &w.error), -1);
    assert_int_equal(errno, EAGAIN);
    assert_true(live_now() - before >= 2 * SECOND);
    assert_int_equal(kill(w.node, SIGCONT), 0);
    assert_int_equal(live_client_open(&w.client, w.path, &w.error), 0);
    take(&w, "plain");
    while (count > 0)
        live_client_close(&many[--count]);
    close_world(&w);
}

/* ---- The node of this machine -------------------------------------------- */

TEST(test_the_node_of_this_machine)
{
    struct world w;

    open_node(&w);
    assert_int_equal(setenv("FULCRUM_SOCKET", w.path, 1), 0);
    assert_int_equal(live_client_open(&w.client, NULL, &w.error), 0);
    take(&w, "plain");
    assert_int_equal(unsetenv("FULCRUM_SOCKET"), 0);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_look),
        cmocka_unit_test(test_a_signal_handler_looks),
        cmocka_unit_test(test_a_release_while_another_thread_waits),
        cmocka_unit_test(test_a_forked_child_has_nothing),
        cmocka_unit_test(test_a_child_keeps_a_connection),
        cmocka_unit_test(test_asking_twice),
        cmocka_unit_test(test_after_a_loss),
        cmocka_unit_test(test_a_deadline_that_passes),
        cmocka_unit_test(test_a_node_that_is_gone),
        cmocka_unit_test(test_a_node_of_another_user),
        cmocka_unit_test(test_status_beside_a_lock),
        cmocka_unit_test(test_a_wait_that_is_interrupted),
        cmocka_unit_test(test_a_wait_that_is_not_interrupted),
        cmocka_unit_test(test_a_full_queue),
        cmocka_unit_test(test_the_node_of_this_machine),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
