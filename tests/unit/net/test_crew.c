/*
 * test_crew.c - threads that share out numbered tasks.
 */
#include "net/crew.h"

#include <sched.h>

#include "tests/unit/kit/test.h"

enum { TASKS = 1000, MEMBERS = 4 };

struct work {
    atomic_uint_fast64_t done[TASKS]; /* relaxed: read when all are joined */
    atomic_uint_fast64_t by[MEMBERS];
    uint64_t last; /* after which a member takes no other */
    atomic_uint_fast64_t looks;
    atomic_bool stop;
};

static bool do_task(void *whom, uint32_t member, uint64_t number)
{
    struct work *w = whom;

    atomic_fetch_add_explicit(&w->done[number], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&w->by[member], 1, memory_order_relaxed);
    return number < w->last;
}

static void look(void *whom, double seconds)
{
    struct work *w = whom;

    assert_true(seconds >= 0);
    w->looks++;
}

static struct net_crew crew_of(struct work *w, uint64_t tasks)
{
    return (struct net_crew){.members = MEMBERS,
                             .tasks = tasks,
                             .task = do_task,
                             .look = look,
                             .whom = w,
                             .stop = &w->stop};
}

/* Every task is done by one member, and their time is added up. */
TEST(test_each_task_is_done_once)
{
    struct work w = {.last = TASKS};
    struct net_crew crew = crew_of(&w, TASKS);
    double seconds = 0;
    uint64_t sum = 0;

    assert_int_equal(net_crew_run(&crew, &seconds), MEMBERS);
    for (uint32_t i = 0; i < TASKS; i++)
        assert_int_equal(w.done[i], 1);
    for (uint32_t i = 0; i < MEMBERS; i++)
        sum += w.by[i];
    assert_int_equal(sum, TASKS);
    assert_true(seconds > 0);
}

static bool wait_for_a_look(void *whom, uint32_t member, uint64_t number)
{
    struct work *w = whom;

    (void)member;
    (void)number;
    while (!atomic_load(&w->looks))
        sched_yield();
    return true;
}

/* The caller looks up while members work. */
TEST(test_the_caller_looks_up)
{
    struct work w = {.last = TASKS};
    struct net_crew crew = crew_of(&w, 1);

    crew.task = wait_for_a_look;
    assert_int_equal(net_crew_run(&crew, NULL), 1);
}

/* Members without a task are not started; without tasks there are none. */
TEST(test_no_more_members_than_tasks)
{
    struct work w = {.last = TASKS};
    struct net_crew crew = crew_of(&w, 2);

    assert_int_equal(net_crew_run(&crew, NULL), 2);
    crew.tasks = 0;
    assert_int_equal(net_crew_run(&crew, NULL), 0);
}

/* A member whose task says so goes; each of them does one task beyond the last
 * that was wanted, at most. */
TEST(test_a_task_ends_its_member)
{
    struct work w = {.last = 10};
    struct net_crew crew = crew_of(&w, TASKS);
    uint64_t sum = 0;

    (void)net_crew_run(&crew, NULL);
    for (uint32_t i = 0; i < TASKS; i++)
        sum += w.done[i];
    assert_int_equal(sum, 10 + MEMBERS);
}

/* Once it is to stop, no task is begun. */
TEST(test_stop_is_heard)
{
    struct work w = {.last = TASKS};
    struct net_crew crew = crew_of(&w, TASKS);

    assert_false(net_crew_stopped(&crew));
    atomic_store(&w.stop, true);
    assert_true(net_crew_stopped(&crew));
    (void)net_crew_run(&crew, NULL);
    for (uint32_t i = 0; i < TASKS; i++)
        assert_int_equal(w.done[i], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_task_is_done_once),
        cmocka_unit_test(test_the_caller_looks_up),
        cmocka_unit_test(test_no_more_members_than_tasks),
        cmocka_unit_test(test_a_task_ends_its_member),
        cmocka_unit_test(test_stop_is_heard),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
