/*
 * test_live_asked.c - which client has a lock, which is ahead in line, by what
 * the others asked.
 */
#include "live/mode/asked.h"

#include "tests/unit/kit/testing.h"

enum { LOCK = 7, OTHER = 7 + 256, VIEW = 64, A = 1, B = 2, C = 4, D = 8 };

static struct live_asked *asked;

static int begin(void **state)
{
    (void)state;
    asked = live_asked_open();
    return !asked;
}

static int end(void **state)
{
    (void)state;
    live_asked_close(asked);
    return 0;
}

static void asks(uint32_t from, uint32_t number, bool shared)
{
    live_asked_note(asked, &(struct live_asked_request){.lock = LOCK,
                                                        .view = VIEW,
                                                        .number = number,
                                                        .from = from,
                                                        .shared = shared});
}

static live_node_set first(live_node_set set)
{
    return live_asked_first(asked, LOCK, VIEW, set);
}

TEST(test_least_number_is_first)
{
    asks(0, 9, false);
    asks(1, 5, false);
    asks(2, 5, false);
    asks(3, 7, false);
    assert_int_equal(first(A | B | C | D), B);
    assert_int_equal(first(A | C | D), C);
    assert_int_equal(first(A), A);
    assert_int_equal(first(0), 0);
    asks(1, 10, false); /* it has left, and asks again */
    assert_int_equal(first(A | B), A);
}

/* It holds the lock since before this view, or by consents it has kept. */
TEST(test_who_asked_nobody_is_first)
{
    asks(0, 3, false);
    asks(2, 4, false);
    assert_int_equal(first(A | B | C), B);
    assert_int_equal(first(A | B | C | D), 0);
}

TEST(test_the_last_nodes_count_as_well)
{
    const live_node_set all = live_only(0) | live_only(32) | live_only(63);

    asks(0, 9, false);
    asks(32, 8, true);
    asks(63, 7, true);
    assert_int_equal(first(all), live_only(32) | live_only(63));
    assert_int_equal(first(live_only(0) | live_only(31)), live_only(31));
}

TEST(test_readers_are_first_together)
{
    asks(0, 3, true);
    asks(1, 4, true);
    asks(2, 5, false);
    asks(3, 6, true);
    assert_int_equal(first(A | B | C | D), A | B);
    assert_int_equal(first(C | D), C);
    asks(0, 7, false);
    assert_int_equal(first(A | B), B);
}

/* Of another view, or of another lock that has the same place. */
TEST(test_what_is_not_known_is_not_said)
{
    asks(0, 3, false);
    asks(1, 4, false);
    assert_int_equal(live_asked_first(asked, LOCK, VIEW + 64, A | B), 0);
    assert_int_equal(live_asked_first(asked, OTHER, VIEW, A | B), 0);
    assert_int_equal(live_asked_first(NULL, LOCK, VIEW, A | B), 0);
    live_asked_note(asked, &(struct live_asked_request){
                               .lock = OTHER, .view = VIEW, .number = 8});
    assert_int_equal(first(A | B), 0);
    live_asked_note(NULL, &(struct live_asked_request){.lock = LOCK});
    live_asked_note(asked,
                    &(struct live_asked_request){.lock = LOCK, .from = 99});
}

#define ASKED_TEST(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ASKED_TEST(test_least_number_is_first),
        ASKED_TEST(test_who_asked_nobody_is_first),
        ASKED_TEST(test_the_last_nodes_count_as_well),
        ASKED_TEST(test_readers_are_first_together),
        ASKED_TEST(test_what_is_not_known_is_not_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
