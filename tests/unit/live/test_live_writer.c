/*
 * test_live_writer.c - a loop with real-time priority and a thread without: the
 * thread that has written the record is not kept from saying so.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/common/clock.h"
#include "live/mode/mode.h"
#include "live/record/writer.h"

#include "tests/unit/kit/testing.h"

enum { WRITES = 8, CANNOT = 77 };

struct world {
    uv_loop_t loop;
    struct live_writer *writer;
    struct live_kept kept;
    uint32_t done;
};

static void written(void *whom, const struct live_kept *kept, const char *error)
{
    struct world *w = whom;

    (void)kept;
    if (error)
        _exit(1);
    w->kept.starts++;
    if (++w->done < WRITES)
        live_writer_write(w->writer, &w->kept);
    else
        live_writer_close(w->writer);
}

/* In a process of its own, on one processor, before all others. */
static void write_before_all(void)
{
    static const char text[] = "[cluster]\nstate = .\n[node a]\nhost = h\n"
                               "port = 1\n[node b]\nhost = i\nport = 2\n";
    struct sched_param first = {.sched_priority = 1};
    static struct live_config config;
    struct live_record *record;
    struct world w = {.done = 0};
    struct net_why error;
    cpu_set_t one;

    CPU_ZERO(&one);
    CPU_SET((size_t)sched_getcpu(), &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0 ||
        sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &first) != 0)
        _exit(CANNOT);
    (void)alarm(60);
    if (!live_config_parse(&config, "x", text, sizeof text - 1, &error) ||
        !live_record_create(&config, 0, &error) ||
        live_record_open(&record, &config, 0, &live_mode_proven.payload,
                         &error) != LIVE_RECORD_FINE ||
        uv_loop_init(&w.loop) != 0 ||
        !(w.writer = live_writer_open(&w.loop, record, written, &w, &error))) {
        fprintf(stderr, "%s\n", error.text);
        _exit(1);
    }
    w.kept = live_record_kept(record);
    live_writer_write(w.writer, &w.kept);
    (void)uv_run(&w.loop, UV_RUN_DEFAULT);
    _exit(w.done == WRITES ? 0 : 1);
}

TEST(test_loop_before_all_others_does_not_keep_its_writer_waiting)
{
    char folder[] = "/tmp/fulcrum-writer-XXXXXX", command[64];
    struct rusage used;
    pid_t child;
    int status;

    assert_non_null(mkdtemp(folder));
    child = fork();
    if (child == 0) {
        if (chdir(folder) != 0)
            _exit(1);
        write_before_all();
    }
    assert_int_equal(wait4(child, &status, 0, &used), child);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == CANNOT)
        skip();
    assert_int_equal(WEXITSTATUS(status), 0);
    /* Whoever waits by working does so for most of a second, each time. */
    assert_true(used.ru_utime.tv_sec == 0 && used.ru_utime.tv_usec < 500000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            test_loop_before_all_others_does_not_keep_its_writer_waiting),
    };

    return cmocka_run_group_tests_name("live_writer", tests, NULL, NULL);
}
