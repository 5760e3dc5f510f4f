/*
 * test_live_repair.c - a node whose record is lost asks another, which runs as
 * a daemon in a process of its own.
 */
#include "tests/unit/kit/testing.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/wire.h"
#include "live/common/clock.h"
#include "live/daemon/daemon.h"
#include "live/mode/mode.h"
#include "live/wire/link.h"
#include "protocols/mutex/view_lock/view_lock.h"

enum { OTHER, ME, THIRD, OFF };

static struct live_config config;
static char folder[32];
static struct net_why error;

static int begin(void **state)
{
    uint16_t port = (uint16_t)(20000 + getpid() % 10000);

    (void)state;
    strcpy(folder, "/tmp/fulcrum-repair-XXXXXX");
    assert_non_null(mkdtemp(folder));
    config = (struct live_config){
        .first_count = 2,
        .nodes_count = 2,
        .nodes = {{.name = "other", .host = "127.0.0.1", .port = port},
                  {.name = "me",
                   .host = "127.0.0.1",
                   .port = (uint16_t)(port + 1)},
                  {.name = "third",
                   .host = "127.0.0.1",
                   .port = (uint16_t)(port + 2)},
                  {.name = "off",
                   .host = "127.0.0.1",
                   .port = (uint16_t)(port + 3)}},
        .tau = 5000,
        .lease = 100000,
        .kill = 20000,
        .delay = 1000,
    };
    snprintf(config.state, sizeof config.state, "%s", folder);
    return 0;
}

static int end(void **state)
{
    static const char *const names[] = {
        "me.record",    "other.record",  "other.holders", "other.socket",
        "third.record", "third.holders", "third.socket"};
    char path[64];

    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        (void)unlink(path);
    }
    return rmdir(folder);
}

/* Another node runs, and has voted for this view. */
static pid_t start_node(uint32_t node, uint32_t maxv)
{
    struct live_options options = {0};
    struct live_kept kept = {.starts = 1};
    pid_t child;

    live_mode_proven.remind(&kept, maxv);
    assert_true(live_record_repair(&config, node, &live_mode_proven.payload,
                                   &kept, &error));
    snprintf(config.socket, sizeof config.socket, "%s/%s.socket", folder,
             config.nodes[node].name);
    child = fork();
    if (child == 0)
        _exit(live_daemon(&config, node, &options, &error) ? 0 : 1);
    return child;
}

static pid_t start_other(uint32_t maxv)
{
    return start_node(OTHER, maxv);
}

static void stop(pid_t child)
{
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static struct view_lock_record read_record(void)
{
    struct live_record *record;
    struct live_kept kept;

    assert_int_equal(live_record_open(&record, &config, ME,
                                      &live_mode_proven.payload, &error),
                     LIVE_RECORD_FINE);
    kept = live_record_kept(record);
    live_record_close(record);
    return (struct view_lock_record){.maxv = fc_get32(kept.bytes),
                                     .starts = kept.starts};
}

static void ignore(void *whom, uint32_t from, const uint8_t *bytes, size_t size)
{
    (void)whom;
    (void)from;
    (void)bytes;
    (void)size;
}

/* The other node meets this life of ours. */
static void be_met(uint64_t life)
{
    uv_loop_t loop;
    struct live_links *links;

    assert_int_equal(uv_loop_init(&loop), 0);
    links = live_links_open(&loop, &config, ME, life, ignore, NULL, &error);
    assert_non_null(links);
    while (live_links_counts(links, OTHER)->received == 0)
        (void)uv_run(&loop, UV_RUN_ONCE);
    live_links_close(links);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
}

/* The second of the day, with its thousandths, at which a line of the log says
 * this. */
static double logged_at(FILE *log, const char *what)
{
    char line[512];
    int hours, minutes;
    double seconds;

    rewind(log);
    while (fgets(line, sizeof line, log))
        if (strstr(line, what)) {
            assert_int_equal(
                sscanf(line, "%*s %d:%d:%lf", &hours, &minutes, &seconds), 3);
            return 3600 * hours + 60 * minutes + seconds;
        }
    fail_msg("the log does not say: %s", what);
    return 0;
}

/* The highest view of the others is taken over, and from the last answer on the
 * wait is for as long as a lease may last by any clock: long enough here to be
 * told from a machine that is busy. */
TEST(test_record_is_not_below_the_others)
{
    pid_t other;
    int errors = dup(STDERR_FILENO);
    FILE *log = tmpfile();
    double waited;

    config.lease = 1500000;
    other = start_other(12345 << VIEW_LOCK_ID_BITS);
    assert_non_null(log);
    assert_true(dup2(fileno(log), STDERR_FILENO) >= 0);
    assert_true(live_repair(&config, ME, 0, &error));
    assert_true(dup2(errors, STDERR_FILENO) >= 0);
    (void)close(errors);
    waited = logged_at(log, "has a new record") -
             logged_at(log, "all have answered");
    if (waited < 0)
        waited += 24 * 3600; /* midnight has passed */
    /* Times of the log are cut to thousandths. */
    assert_true(waited * 1000 + 1 >= (double)live_config_quiet(&config) / 1000);
    (void)fclose(log);
    assert_true(read_record().maxv >= 12345 << VIEW_LOCK_ID_BITS);
    assert_false(live_repair(&config, ME, 0, &error));
    assert_non_null(strstr(error.text, "nothing to repair"));
    stop(other);
}

/* A file that is no record. */
static void damage_record(void)
{
    char path[64];
    FILE *file;

    snprintf(path, sizeof path, "%s/me.record", folder);
    file = fopen(path, "we");
    assert_non_null(file);
    for (int i = 0; i < 8192; i++)
        assert_int_equal(fputc(0, file), 0);
    assert_int_equal(fclose(file), 0);
}

/* A bad record is replaced, too.  The number of the next start is above all
 * that the others have met: higher ones are tried until they listen. */
TEST(test_start_is_above_those_that_were_met)
{
    const uint32_t met = (1u << 17) + 5;
    pid_t other = start_other(64);

    be_met(met);
    damage_record();
    assert_true(live_repair(&config, ME, 0, &error));
    assert_true(read_record().starts > met);
    stop(other);
}

/* Once somebody listens: if the machine stands still the time may be over
 * before that, and the signal would end the test. */
static void interrupt(int number)
{
    struct sigaction listener;

    (void)number;
    (void)sigaction(SIGTERM, NULL, &listener);
    if (listener.sa_handler == SIG_DFL)
        (void)ualarm(400000, 0);
    else
        (void)kill(getpid(), SIGTERM);
}

/* As long as one does not answer nothing is written. */
TEST(test_one_that_is_silent_is_awaited)
{
    char path[64];

    (void)signal(SIGALRM, interrupt);
    (void)ualarm(400000, 0);
    assert_false(live_repair(&config, ME, 0, &error));
    assert_non_null(strstr(error.text, "before all others had answered"));
    snprintf(path, sizeof path, "%s/me.record", folder);
    assert_int_equal(access(path, F_OK), -1);
}

/* Of the voters of a view other than this node, one at least must answer. */
TEST(test_some_may_be_off_if_one_is_left_that_knows)
{
    static const uint32_t may_lack[] = {0, 0, 0, 0, 1, 1, 2, 2, 3, 3};

    for (uint32_t n = 1; n < COUNT(may_lack); n++)
        assert_int_equal(live_record_may_lack(n), may_lack[n]);
    assert_false(live_repair(&config, ME, 1u << OTHER, &error));
    assert_non_null(strstr(error.text, "of 2 nodes 0 may be left out"));
}

/* One that is off need not answer, and is not off if it does.  What it has met
 * of this node nobody tells: the next start is far above what the others know.
 */
TEST(test_one_that_is_off)
{
    pid_t other, third;

    config.nodes_count = config.first_count = 4;
    other = start_node(OTHER, 64);
    third = start_node(THIRD, 128);
    assert_false(live_repair(&config, ME, 1u << OTHER, &error));
    assert_non_null(strstr(error.text, "node 'other' answers, and is not off"));
    assert_true(live_repair(&config, ME, 1u << OFF, &error));
    assert_true(read_record().maxv >= 128);
    assert_true(read_record().starts > 1 << 16);
    stop(other);
    stop(third);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            test_some_may_be_off_if_one_is_left_that_knows, begin, end),
        cmocka_unit_test_setup_teardown(test_record_is_not_below_the_others,
                                        begin, end),
        cmocka_unit_test_setup_teardown(test_start_is_above_those_that_were_met,
                                        begin, end),
        cmocka_unit_test_setup_teardown(test_one_that_is_silent_is_awaited,
                                        begin, end),
        cmocka_unit_test_setup_teardown(test_one_that_is_off, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
