/*
 * test_live_relay.c - the bad network of other tests is as bad as it says.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/kit/testing.h"

enum { LONG_MS = 20000 };

static char program[PATH_MAX];
static int from, to; /* sockets at both ends */
static uint16_t entry, outlet;
static pid_t relay;
static FILE *said;
static int orders; /* it reads them */

static uint64_t now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_BOOTTIME, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static int open_port(uint16_t *port)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    int file = socket(AF_INET, SOCK_DGRAM, 0);

    assert_int_equal(bind(file, (struct sockaddr *)&at, size), 0);
    assert_int_equal(getsockname(file, (struct sockaddr *)&at, &size), 0);
    *port = ntohs(at.sin_port);
    return file;
}

/* Starts it between two ports, and waits for its first line. */
static void start(const char *what, const char *value, const char *seed)
{
    char path[32], line[128];
    int pipes[2], input[2];

    snprintf(path, sizeof path, "%u:%u", entry, outlet);
    assert_int_equal(pipe(pipes), 0);
    assert_int_equal(pipe2(input, O_CLOEXEC), 0);
    relay = fork();
    if (relay == 0) {
        dup2(pipes[1], STDOUT_FILENO);
        dup2(input[0], STDIN_FILENO);
        execl(program, program, "--control", "--seed", seed, what, value, path,
              (char *)NULL);
        _exit(127);
    }
    close(pipes[1]);
    close(input[0]);
    orders = input[1];
    said = fdopen(pipes[0], "r");
    assert_non_null(said);
    assert_non_null(fgets(line, sizeof line, said));
    assert_int_equal(strncmp(line, "seed=", 5), 0);
    assert_int_equal(strncmp(line + 5, seed, strlen(seed)), 0);
}

static void send_number(uint32_t number)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons(entry),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

    assert_int_equal(sendto(from, &number, sizeof number, 0,
                            (struct sockaddr *)&at, sizeof at),
                     sizeof number);
}

/* The next number, if there is one before the time is over. */
static bool receive(uint32_t *number, int ms)
{
    struct timeval wait = {ms / 1000, ms % 1000 * 1000};

    setsockopt(to, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
    return recv(to, number, sizeof *number, 0) == (ssize_t)sizeof *number;
}

/* As many as must come, however long the machine stands still; and no more. */
static void receive_all(uint32_t *numbers, uint32_t count)
{
    uint32_t more;

    for (uint32_t i = 0; i < count; i++)
        assert_true(receive(&numbers[i], LONG_MS));
    assert_false(receive(&more, 100));
}

static int begin(void **state)
{
    int file = open_port(&entry);

    (void)state;
    from = open_port(&outlet);
    to = open_port(&outlet);
    close(file);
    return access(program, X_OK);
}

/* Stops it; it tells its counts and ends well. */
static int end(void **state)
{
    char line[256];
    int status = 1;

    (void)state;
    kill(relay, SIGTERM);
    waitpid(relay, &status, 0);
    if (!fgets(line, sizeof line, said) || strncmp(line, "sent=", 5) != 0)
        status = 1;
    (void)fclose(said);
    close(orders);
    close(from);
    close(to);
    return status;
}

TEST(test_relay_passes_on_in_order_without_mishaps)
{
    uint32_t numbers[100];

    start("--loss", "0", "1");
    for (uint32_t i = 0; i < 100; i++)
        send_number(i);
    receive_all(numbers, 100);
    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(numbers[i], i);
}

TEST(test_relay_delays)
{
    uint64_t before;
    uint32_t number;

    start("--delay", "50000:60000", "2");
    before = now_us();
    send_number(7);
    assert_true(receive(&number, LONG_MS));
    assert_true(now_us() - before >= 50000);
}

/* How many numbers come before this one, which is sent until it comes. */
static uint32_t receive_until(uint32_t last)
{
    uint32_t number, count = 0;

    for (uint32_t tries = 0; tries < 200; tries++) {
        send_number(last);
        while (receive(&number, 100)) {
            if (number == last)
                return count;
            count += number < 1000;
        }
    }
    fail_msg("%u never came", last);
    return 0;
}

/* What comes comes in order: when a number is there, those before it are there
 * or lost. */
TEST(test_relay_loses)
{
    uint32_t count = 0;

    start("--loss", "30", "3");
    for (uint32_t i = 0; i < 1000; i++) {
        send_number(i);
        if (i % 100 == 99)
            count += receive_until(1000 + i);
    }
    assert_in_range(count, 620, 780);
}

TEST(test_relay_doubles)
{
    uint32_t numbers[200];

    start("--duplicate", "100", "4");
    for (uint32_t i = 0; i < 100; i++)
        send_number(i);
    receive_all(numbers, 200);
}

TEST(test_relay_reorders)
{
    uint32_t numbers[100], backwards = 0;

    start("--reorder", "50", "5");
    for (uint32_t i = 0; i < 100; i++)
        send_number(i);
    receive_all(numbers, 100);
    for (uint32_t i = 1; i < 100; i++)
        backwards += numbers[i] < numbers[i - 1];
    assert_true(backwards > 5);
}

/* Whether numbers get through; a signal may need a while to arrive. */
static bool becomes(bool open)
{
    uint32_t number;

    for (uint32_t tries = 0; tries < 50; tries++) {
        send_number(tries);
        if (receive(&number, 100) == open)
            return true;
    }
    return false;
}

TEST(test_relay_is_cut_and_healed)
{
    start("--loss", "0", "6");
    assert_true(becomes(true));
    kill(relay, SIGUSR1);
    assert_true(becomes(false));
    kill(relay, SIGUSR2);
    assert_true(becomes(true));
}

static void order(const char *text)
{
    assert_int_equal(write(orders, text, strlen(text)), strlen(text));
}

/* Orders come as they come: in pieces, or several at once. */
TEST(test_relay_obeys)
{
    char line[64];

    start("--loss", "100", "7");
    assert_true(becomes(false));
    order("loss");
    order(" 0\n");
    assert_true(becomes(true));
    snprintf(line, sizeof line, "delay 0:10\ncut %u\n", entry);
    order(line);
    assert_true(becomes(false));
    order("heal\n");
    assert_true(becomes(true));
    close(orders); /* the giver of orders is gone: it goes on */
    orders = -1;
    assert_true(becomes(true));
}

static int find_relay(void **state)
{
    char self[PATH_MAX] = {0};

    (void)state;
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
        return -1;
    snprintf(program, sizeof program, "%.*s/../fulcrum-relay", PATH_MAX - 32,
             dirname(self));
    return 0;
}

#define RELAY_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RELAY_TEST(test_relay_passes_on_in_order_without_mishaps),
        RELAY_TEST(test_relay_delays),
        RELAY_TEST(test_relay_loses),
        RELAY_TEST(test_relay_doubles),
        RELAY_TEST(test_relay_reorders),
        RELAY_TEST(test_relay_is_cut_and_healed),
        RELAY_TEST(test_relay_obeys),
    };

    return cmocka_run_group_tests_name("live_relay", tests, find_relay, NULL);
}
