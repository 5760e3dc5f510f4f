/*
 * test_live_log.c - a log that nobody reads stops nobody; and when somebody
 * reads again, lines are whole and the gap is told.
 */
#include "tests/unit/kit/testing.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "live/system/log.h"

enum { LINES = 5000 };

/* Reads what is there; true if some of it says so. */
static bool read_all(int from, char *text, size_t room, size_t *size)
{
    ssize_t got;

    (void)fcntl(from, F_SETFL, O_NONBLOCK);
    while (*size + 1 < room &&
           (got = read(from, text + *size, room - 1 - *size)) > 0)
        *size += (size_t)got;
    text[*size] = '\0';
    return *size > 0;
}

/* Standard error is `to` meanwhile, which nobody reads. */
static void log_to(int to, int from)
{
    static char text[1 << 20];
    int before = dup(STDERR_FILENO);
    size_t size = 0;
    unsigned next = 0, number, gaps = 0;

    live_log_name("one");
    (void)alarm(20); /* one that waits for its reader waits for ever */
    assert_true(dup2(to, STDERR_FILENO) >= 0);
    for (int i = 0; i < LINES; i++)
        live_log("line %d", i);
    for (int i = 0; i < 100; i++) {
        (void)read_all(from, text, sizeof text, &size);
        live_log_flush();
    }
    live_log("line %d", LINES);
    (void)read_all(from, text, sizeof text, &size);
    (void)dup2(before, STDERR_FILENO);
    close(before);
    (void)alarm(0);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        const char *said = strstr(line, " one: ");

        assert_non_null(said);
        if (sscanf(said, " one: line %u", &number) == 1) {
            assert_int_equal(number, next);
            next++;
        } else {
            assert_int_equal(
                sscanf(said, " one: %u lines were dropped here", &number), 1);
            next += number;
            gaps++;
        }
    }
    assert_int_equal(next, LINES + 1);
    assert_int_equal(gaps, 1);
}

TEST(test_a_pipe_that_nobody_reads)
{
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    log_to(ends[1], ends[0]);
    close(ends[0]);
    close(ends[1]);
}

/* As under a service manager. */
TEST(test_a_socket_that_nobody_reads)
{
    int ends[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    log_to(ends[1], ends[0]);
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_pipe_that_nobody_reads),
        cmocka_unit_test(test_a_socket_that_nobody_reads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
