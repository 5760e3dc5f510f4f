/*
 * test_live_notify.c - what a service manager hears of a node: from the
 * functions, and from a whole daemon in a process of its own.
 */
#include "tests/unit/kit/testing.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/client/client.h"
#include "live/daemon/daemon.h"
#include "live/record/record.h"
#include "live/system/notify.h"

struct manager {
    int fd;
    char folder[32], path[64], heard[1024];
};

/* Listens at a path, or at an abstract name. */
static void open_manager(struct manager *m, bool abstract)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    socklen_t size = sizeof(sa_family_t);

    strcpy(m->folder, "/tmp/fulcrum-notify-XXXXXX");
    assert_non_null(mkdtemp(m->folder));
    snprintf(m->path, sizeof m->path, "%s%s/manager", abstract ? "@" : "",
             m->folder);
    memcpy(address.sun_path, m->path, strlen(m->path));
    if (abstract)
        address.sun_path[0] = '\0';
    size += (socklen_t)strlen(m->path);
    m->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(m->fd, (struct sockaddr *)&address, size), 0);
    assert_int_equal(setenv("NOTIFY_SOCKET", m->path, 1), 0);
}

static void close_manager(struct manager *m)
{
    char path[128];

    (void)unsetenv("NOTIFY_SOCKET");
    close(m->fd);
    (void)unlink(m->path);
    snprintf(path, sizeof path, "%s/one.record", m->folder);
    (void)unlink(path);
    assert_int_equal(rmdir(m->folder), 0);
}

/* The next datagram, or "" after a while. */
static const char *hear(struct manager *m, int ms)
{
    struct pollfd wait = {m->fd, POLLIN, 0};
    ssize_t size = 0;

    if (poll(&wait, 1, ms) > 0)
        size = recv(m->fd, m->heard, sizeof m->heard - 1, 0);
    m->heard[size > 0 ? size : 0] = '\0';
    return m->heard;
}

/* Reads on until something with this text comes. */
static bool hears_of(struct manager *m, const char *text)
{
    while (*hear(m, 5000))
        if (strstr(m->heard, text))
            return true;
    return false;
}

/* Lines reach a path and an abstract name; without one nothing is said. */
TEST(test_lines_arrive)
{
    for (int abstract = 0; abstract < 2; abstract++) {
        struct manager m;

        open_manager(&m, abstract);
        assert_true(live_notify_say("READY=%d", 1));
        assert_string_equal(hear(&m, 1000), "READY=1");
        close_manager(&m);
    }
    assert_false(live_notify_say("READY=1"));
    setenv("NOTIFY_SOCKET", "nonsense", 1);
    assert_false(live_notify_say("READY=1"));
    unsetenv("NOTIFY_SOCKET");
}

/* Signs of life are for the process that they are asked of. */
TEST(test_watchdog_interval)
{
    char own[16];

    snprintf(own, sizeof own, "%d", (int)getpid());
    assert_int_equal(live_notify_interval(), 0);
    setenv("WATCHDOG_USEC", "3000000", 1);
    assert_int_equal(live_notify_interval(), 3000000);
    setenv("WATCHDOG_PID", "1", 1);
    assert_int_equal(live_notify_interval(), 0);
    setenv("WATCHDOG_PID", own, 1);
    assert_int_equal(live_notify_interval(), 3000000);
    setenv("WATCHDOG_USEC", "often", 1);
    assert_int_equal(live_notify_interval(), 0);
    unsetenv("WATCHDOG_USEC");
    unsetenv("WATCHDOG_PID");
}

/* Tells it to stop, when what it says of that has room: it does not wait for a
 * manager that does not read, and this one may have stood still. */
static void stop_daemon(pid_t daemon, struct manager *m)
{
    int status;

    assert_int_equal(kill(daemon, SIGSTOP), 0);
    assert_int_equal(waitpid(daemon, &status, WUNTRACED), daemon);
    assert_true(WIFSTOPPED(status));
    while (*hear(m, 0))
        ;
    assert_int_equal(kill(daemon, SIGTERM), 0);
    assert_int_equal(kill(daemon, SIGCONT), 0);
}

static pid_t start_daemon(struct live_config *config)
{
    struct live_options options = {.create = true};
    struct net_why error;
    pid_t child = fork();

    if (child == 0) {
        setenv("WATCHDOG_USEC", "20000", 1);
        _exit(live_daemon(config, 0, &options, &error) ? 0 : 1);
    }
    return child;
}

/* A daemon is ready when it serves clients, gives signs of life, tells its
 * view and lease in a line, and says that it stops. */
TEST(test_daemon_tells_its_manager)
{
    uint16_t port = (uint16_t)(20000 + getpid() % 10000);
    struct manager m;
    struct live_config config = {
        .first_count = 2,
        .nodes_count = 2,
        .nodes = {{.name = "one", .host = "127.0.0.1", .port = port},
                  {.name = "two",
                   .host = "127.0.0.1",
                   .port = (uint16_t)(port + 1)}},
        .tau = 5000,
        .lease = 400000,
        .kill = 20000,
        .delay = 1000,
    };
    struct live_client client;
    struct net_why error;
    pid_t daemon;
    int status;

    open_manager(&m, false);
    snprintf(config.state, sizeof config.state, "%s", m.folder);
    snprintf(config.socket, sizeof config.socket, "%s/socket", m.folder);
    daemon = start_daemon(&config);
    assert_true(hears_of(&m, "READY=1"));
    assert_int_equal(live_client_open(&client, config.socket, &error), 0);
    live_client_close(&client);
    assert_true(hears_of(&m, "STATUS=view 0, no lease"));
    assert_true(hears_of(&m, "WATCHDOG=1"));
    assert_true(hears_of(&m, "WATCHDOG=1"));
    stop_daemon(daemon, &m);
    assert_true(hears_of(&m, "STOPPING=1"));
    assert_int_equal(waitpid(daemon, &status, 0), daemon);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    close_manager(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_arrive),
        cmocka_unit_test(test_watchdog_interval),
        cmocka_unit_test(test_daemon_tells_its_manager),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
