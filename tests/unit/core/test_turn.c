/*
 * test_turn.c - the words of core/turn.inc refuse what a turn has no room for,
 * in the builds that look; this one looks.
 */
#include "protocols/mutex/ricart_agrawala/ricart_agrawala.h"
#include "tests/unit/kit/test.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef FC_PARANOID
#define FC_PARANOID
#endif
#define TURN ricart_agrawala
#include "core/turn.inc"

static const msg reply = {.kind = RICART_AGRAWALA_REPLY};
static const struct fc_set one = {{1}}, two = {{2}}, nobody = {{0}};

/* Whether a turn in which this is done is stopped. */
static bool stops(void (*act)(struct turn *t))
{
    static const struct rlimit no_core = {0, 0};
    int status;
    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        /* More room than a turn has: only the rule stops it. */
        struct ricart_agrawala_out out[2] = {{.fx = {.sends = 0}}};
        struct turn t = {.out = out};

        signal(SIGILL, SIG_DFL);
        signal(SIGTRAP, SIG_DFL);
        setrlimit(RLIMIT_CORE, &no_core);
        act(&t);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) &&
           (WTERMSIG(status) == SIGILL || WTERMSIG(status) == SIGTRAP);
}

static void fill(struct turn *t)
{
    for (uint16_t i = 0; i < FC_SENDS; i++)
        send_to(t, i, reply);
}

static void overfill(struct turn *t)
{
    fill(t);
    send_all(t, reply);
}

/* Beyond FC_SENDS a message would be written over what follows. */
TEST(test_a_turn_sends_no_more_than_it_has_room_for)
{
    assert_false(stops(fill));
    assert_true(stops(overfill));
}

static void send_one_set(struct turn *t)
{
    send_set(t, &nobody, reply);
    send_set(t, &one, reply);
    send_set(t, &nobody, reply);
    send_to(t, 3, reply);
}

static void send_two_sets(struct turn *t)
{
    send_set(t, &one, reply);
    send_to(t, 3, reply);
    send_set(t, &two, reply);
}

/* There is one set in the effects: both messages would go to the second. */
TEST(test_a_turn_sends_to_one_set)
{
    assert_false(stops(send_one_set));
    assert_true(stops(send_two_sets));
}

static void draw_once(struct turn *t)
{
    draw(t, 2);
}

static void draw_twice(struct turn *t)
{
    draw(t, 2);
    draw(t, 3);
}

static void load_and_draw(struct turn *t)
{
    load(t, 1);
    draw(t, 2);
}

static void store_twice(struct turn *t)
{
    store(t, 1, 5);
    store(t, 2, 5);
}

static void store_and_load(struct turn *t)
{
    store(t, 1, 5);
    load(t, 2);
}

/* There is one number, and one cell. */
TEST(test_a_turn_draws_once_and_has_one_access)
{
    assert_false(stops(draw_once));
    assert_true(stops(draw_twice));
    assert_false(stops(load_and_draw));
    assert_true(stops(store_twice));
    assert_true(stops(store_and_load));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_turn_sends_no_more_than_it_has_room_for),
        cmocka_unit_test(test_a_turn_sends_to_one_set),
        cmocka_unit_test(test_a_turn_draws_once_and_has_one_access),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
