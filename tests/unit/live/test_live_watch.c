/*
 * Watchers of a command: lateness that is noticed, shown to the other, and
 * forgotten.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "live/process/watch.h"

enum {
    START = 1000000,
    KILL = 50000,
    BEAT = KILL / 4,
    HALF = KILL / 2,
    WHILE = 25000000, /* after which lateness is forgotten */
};

struct pair {
    struct live_watch shared;
    struct live_watcher client, guard;
    uint64_t now;
};

static void begin(struct pair *p, uint64_t kill)
{
    *p = (struct pair){.now = START};
    live_watcher_begin(&p->client, &p->shared, LIVE_BY_CLIENT, kill, START);
    live_watcher_begin(&p->guard, &p->shared, LIVE_BY_GUARD, kill, START);
}

/* Both are on time for a while. */
static void pass(struct pair *p, uint64_t time)
{
    uint64_t end = p->now + time;

    while (p->client.next <= end) {
        p->now = p->client.next;
        live_watcher_wake(&p->client, p->now);
        live_watcher_wake(&p->guard, p->now);
    }
}

/* Nobody late: no command is stopped before its deadline. */
static void test_on_time_there_is_no_margin(void **state)
{
    struct pair p;

    (void)state;
    begin(&p, KILL);
    pass(&p, WHILE);
    assert_int_equal(p.client.beat, BEAT);
    assert_int_equal(p.client.count, 0);
    assert_int_equal(live_watcher_margin(&p.client, p.now), 0);
    assert_int_equal(live_watcher_margin(&p.guard, p.now), 0);
}

/* One that is late is covered by the other. */
static void test_one_late_is_covered(void **state)
{
    struct pair p;

    (void)state;
    begin(&p, KILL);
    for (uint64_t end = START + 10 * KILL; p.now < end; p.now = p.guard.next)
        live_watcher_wake(&p.guard, p.now);
    live_watcher_wake(&p.guard, p.now);
    live_watcher_wake(&p.client, p.now);
    assert_int_equal(p.client.count, 1);
    assert_int_equal(live_watcher_margin(&p.client, p.now), 0);
    assert_int_equal(live_watcher_margin(&p.guard, p.now), 0);
}

/* One that is late while the other is not there stops sooner by as much. */
static void test_late_and_alone(void **state)
{
    struct pair p;

    (void)state;
    begin(&p, KILL);
    p.now = START + BEAT + HALF + 1; /* both were stopped; the client is back */
    live_watcher_wake(&p.client, p.now);
    assert_int_equal(p.client.worst, HALF + 1);
    assert_int_equal(live_watcher_margin(&p.client, p.now), 0);
    p.now += HALF; /* for the daemon, which may have been paused as well */
    assert_int_equal(live_watcher_margin(&p.client, p.now), HALF + 1);
}

/* A watcher that is late again and again does not put it off. */
static void test_late_every_time(void **state)
{
    struct pair p;

    (void)state;
    begin(&p, KILL);
    for (int i = 0; i < 4; i++) {
        p.now = p.client.next + 2 * HALF;
        live_watcher_wake(&p.client, p.now);
    }
    assert_int_equal(live_watcher_margin(&p.client, p.now), 2 * HALF);
}

/* What half of the time for killing covers is no lateness. */
static void test_a_little_late_is_fine(void **state)
{
    struct pair p;

    (void)state;
    begin(&p, KILL);
    p.now = START + BEAT + HALF;
    live_watcher_wake(&p.client, p.now);
    assert_int_equal(p.client.count, 0);
    assert_int_equal(live_watcher_margin(&p.client, p.now), 0);
}

/* Both were late: the one that was less so decides, for it will be there. */
static void test_both_late(void **state)
{
    struct pair p;

    (void)state;
    begin(&p, KILL);
    live_watcher_wake(&p.guard, START + BEAT + 30000);
    p.now = START + BEAT + 40000;
    live_watcher_wake(&p.client, p.now);
    p.now += HALF;
    live_watcher_rested(&p.client, p.now);
    live_watcher_rested(&p.guard, p.now);
    live_watcher_wake(&p.client, p.now);
    live_watcher_wake(&p.guard, p.now);
    assert_int_equal(live_watcher_margin(&p.client, p.now), 30000);
    assert_int_equal(live_watcher_margin(&p.guard, p.now), 30000);
    pass(&p, WHILE);
    assert_int_equal(live_watcher_margin(&p.client, p.now), 0);
    assert_int_equal(live_watcher_margin(&p.guard, p.now), 0);
    assert_int_equal(p.client.worst, 40000);
}

/* A watcher that was told to stop was not late. */
static void test_rest_is_no_lateness(void **state)
{
    struct pair p;

    (void)state;
    begin(&p, KILL);
    p.now = START + WHILE;
    live_watcher_rested(&p.client, p.now);
    live_watcher_wake(&p.client, p.now);
    assert_int_equal(p.client.count, 0);
    assert_int_equal(live_watcher_margin(&p.client, p.now), 0);
}

/* Short times are not watched more often than helps; unknown ones never. */
static void test_beats_have_a_limit(void **state)
{
    struct pair p;

    (void)state;
    begin(&p, 1000);
    assert_int_equal(p.client.next, START + 5000);
    begin(&p, 0);
    assert_true(p.client.next == UINT64_MAX);
    live_watcher_wake(&p.client, START + WHILE);
    assert_int_equal(live_watcher_margin(&p.client, START + WHILE), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_on_time_there_is_no_margin),
        cmocka_unit_test(test_one_late_is_covered),
        cmocka_unit_test(test_late_and_alone),
        cmocka_unit_test(test_late_every_time),
        cmocka_unit_test(test_a_little_late_is_fine),
        cmocka_unit_test(test_both_late),
        cmocka_unit_test(test_rest_is_no_lateness),
        cmocka_unit_test(test_beats_have_a_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
