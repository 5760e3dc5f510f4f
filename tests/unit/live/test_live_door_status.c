/*
 * test_live_door_status.c - clients that ask for the status: more often than
 * they read, many at once, and beside one that wants a lock.
 */
#include "tests/unit/kit/door_world.h"

#include <errno.h>
#include <sys/resource.h>

enum { MANY = 45, FILES = 192, PART = 4 };

static void ask_status(const struct live_client *c)
{
    const struct live_letter letter = {.kind = LIVE_STATUS};

    assert_int_equal(live_letter_send(c->socket, &letter, NULL, 0, 0), 0);
}

/* The kind of the next letter that has come, 0: none; what came with it. */
static uint8_t take(const struct live_client *c, json_t **report,
                    struct live_letter *letter)
{
    struct live_enclosed e;

    *letter = (struct live_letter){0};
    if (live_letter_receive(c->socket, letter, &e, MSG_DONTWAIT) < 0) {
        assert_int_equal(errno, EAGAIN);
        return 0;
    }
    if (report && e.files[0] >= 0)
        *report = json_loadfd(e.files[0], 0, NULL);
    live_enclosed_drop(&e);
    return letter->kind;
}

static uint32_t count_of(const struct live_client *c, uint8_t kind)
{
    struct live_letter letter;
    uint32_t sum = 0;

    while (take(c, NULL, &letter))
        sum += letter.kind == kind;
    return sum;
}

/* Its asks are not forgotten: when it has read, it gets one that is new. */
TEST(test_a_client_that_does_not_read_has_one_report)
{
    struct world w;
    struct live_client c;
    struct live_letter letter;
    json_t *report = NULL;

    open_world(&w);
    c = client_of(&w);
    for (int i = 0; i < 20; i++) {
        ask_status(&c);
        run(&w, 3);
    }
    run(&w, 60);
    assert_int_equal(take(&c, &report, &letter), LIVE_REPORT);
    assert_string_equal(json_string_value(json_object_get(report, "node")),
                        "one");
    json_decref(report);
    assert_int_equal(take(&c, NULL, &letter), 0);
    run(&w, 60);
    assert_int_equal(count_of(&c, LIVE_REPORT), 1);
    run(&w, 60);
    assert_int_equal(count_of(&c, LIVE_REPORT), 0);
    live_client_close(&c);
    run(&w, 20);
    close_world(&w);
}

/* A client that reads gets one for every ask, though not at once. */
TEST(test_many_that_ask_are_served_in_rounds)
{
    struct world w;
    struct live_client c[MANY];
    uint32_t reports = 0;

    open_world(&w);
    for (uint32_t i = 0; i < MANY; i++)
        c[i] = client_of(&w);
    run(&w, 20);
    for (uint32_t time = 1; time <= 3; time++) {
        for (uint32_t i = 0; i < MANY; i++)
            ask_status(&c[i]);
        for (int wait = 0; wait < 300 && reports < time * MANY; wait++) {
            run(&w, 10);
            for (uint32_t i = 0; i < MANY; i++)
                reports += count_of(&c[i], LIVE_REPORT);
        }
        assert_int_equal(reports, time * MANY);
    }
    for (uint32_t i = 0; i < MANY; i++)
        live_client_close(&c[i]);
    run(&w, 20);
    close_world(&w);
}

/* The system allows as many unread files as a process may have open: most are
 * left for grants. */
TEST(test_unread_reports_leave_files_for_grants)
{
    struct rlimit before, few;
    struct world w;
    struct live_client c[MANY], holder;
    uint32_t reports = 0, refused = 0, most;
    struct live_letter letter;

    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    few = (struct rlimit){FILES, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    open_world(&w);
    most = FILES / PART;
    for (uint32_t i = 0; i < MANY; i++) {
        c[i] = client_of(&w);
        ask_status(&c[i]);
        run(&w, 15);
    }
    holder = client_of(&w);
    ask(&w, &holder, "red", false);
    assert_int_equal(granted(&w, &holder), LIVE_GRANTED);
    for (uint32_t i = 0; i < MANY; i++) {
        uint8_t kind = take(&c[i], NULL, &letter);

        reports += kind == LIVE_REPORT;
        refused += kind == LIVE_REFUSED;
        if (kind == LIVE_REFUSED)
            assert_non_null(strstr(letter.reason, "are unread; end"));
        assert_int_equal(take(&c[i], NULL, &letter), 0);
    }
    assert_int_equal(reports + refused, MANY);
    assert_in_range(reports, 8, most);
    assert_true(refused > 0);
    ask_status(&c[0]); /* now there is room again */
    assert_int_equal(next(&w, &c[0], 1000), LIVE_REPORT);
    for (uint32_t i = 0; i < MANY; i++)
        live_client_close(&c[i]);
    live_client_close(&holder);
    run(&w, 20);
    close_world(&w);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_client_that_does_not_read_has_one_report),
        cmocka_unit_test(test_many_that_ask_are_served_in_rounds),
        cmocka_unit_test(test_unread_reports_leave_files_for_grants),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
