/*
 * test_live_fence_crash.c - no crash, full disk or loss of power makes the
 * store forget a token, or leaves half a content.
 */
#include "tests/unit/kit/fence_store.h"

/* ---- Crashes ------------------------------------------------------------- */

/* Old content under 5, or nothing; then a put under 7 whose step `at` goes
 * wrong.  Returns 0 if there is no such step, DONE_YET if the put was done all
 * the same, or CRASHED. */
static int put_with(enum mishap mishap, uint32_t at, bool first)
{
    pid_t child;
    int status;

    if (!first)
        assert_int_equal(put("x", 5, "old"), LIVE_FENCE_DONE);
    child = fork();
    if (child == 0) {
        enum live_fence_answer answer;

        disk.mishap = mishap;
        disk.at = at;
        answer = put("x", 7, "new");
        /* What is told as done survives the loss of power. */
        if (mishap >= NO_POWER)
            lose();
        if (disk.too_early)
            _exit(3);
        if (disk.steps < at)
            _exit(answer == LIVE_FENCE_DONE ? 0 : 1);
        if (answer == LIVE_FENCE_DONE) /* it was in what is cleared away */
            _exit(DONE_YET);
        _exit(answer == LIVE_FENCE_REFUSED && error.text[0] ? CRASHED : 2);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* After a put that may have gone wrong anywhere. */
static void check_recovered(bool first, bool done)
{
    struct live_fence_entry found;
    char text[SMALL];
    bool is_new;

    if (!only_entry(&found)) {
        assert_true(first && !done);
    } else {
        assert_false(found.damaged);
        assert_true(found.mark == 7 || (!first && found.mark == 5));
        if (found.size >= 0 || !first) {
            assert_int_equal(get("x", 0, text), LIVE_FENCE_DONE);
            is_new = strcmp(text, "new") == 0;
            assert_true(is_new || (!first && strcmp(text, "old") == 0));
            assert_true(!is_new || found.mark == 7);
            assert_true(!done || is_new);
        }
        assert_int_equal(put("x", found.mark - 1, "late"), LIVE_FENCE_LOW);
    }
    assert_int_equal(put("x", 7, "again"), LIVE_FENCE_DONE);
    check_content("x", "again");
    assert_int_equal(put("x", 6, "late"), LIVE_FENCE_LOW);
    assert_true(files_of("x") <= 2); /* and nothing is left of all that */
}

/* Each step of a put, first or second, fails or is the last. */
static void fail_everywhere(enum mishap mishap)
{
    for (int first = 0; first < 2; first++) {
        int how = CRASHED;
        uint32_t at;

        for (at = 1; how != 0; at++) {
            remove_store();
            assert_int_equal(live_fence_create(store, &error), LIVE_FENCE_DONE);
            how = put_with(mishap, at, first);
            assert_true(how == 0 || how == CRASHED || how == DONE_YET);
            check_recovered(first, how != CRASHED);
        }
        assert_true(at > 8); /* it has as many steps, or more */
    }
}

TEST(test_failed_call_leaves_old_or_new)
{
    fail_everywhere(FAILS);
}

TEST(test_killed_writer_leaves_old_or_new)
{
    fail_everywhere(IS_KILLED);
}

/* Of what was not synced a disk may have kept anything. */
TEST(test_loss_of_power_leaves_old_or_new)
{
    fail_everywhere(NO_POWER);
    fail_everywhere(NO_POWER_MADE);
    fail_everywhere(NO_POWER_GONE);
}

/* (1) An entry is appended, and its folder cannot be synced; (2) its holder, or
 * a reader with its token, comes again.  The entry is there, and still may not
 * be on disk. */
TEST(test_entry_of_a_failed_write_is_synced_by_the_next)
{
    char text[SMALL];

    for (uint32_t at = 1; at < 24; at++) {
        disk = (struct disk){.mishap = FAILS, .at = at / 2 + 1};
        (void)put("x", 7 + at, "first");
        disk.at = 0; /* nothing fails any more */
        if (at % 2)
            assert_int_equal(put("x", 7 + at, "second"), LIVE_FENCE_DONE);
        else
            (void)get("x", 7 + at, text);
        assert_false(disk.too_early);
        for (uint32_t i = 0; i < disk.count; i++)
            assert_false(disk.list[i].made &&
                         strchr(strrchr(disk.list[i].path, '/'), '0') ==
                             strrchr(disk.list[i].path, '/') + 1);
    }
}

TEST(test_writes_in_crumbs_are_whole)
{
    disk.crumbs = 1;
    assert_int_equal(put("x", 1234567890123, "a longer content"),
                     LIVE_FENCE_DONE);
    disk.crumbs = 0;
    check_content("x", "a longer content");
    assert_int_equal(put("x", 1234567890122, ""), LIVE_FENCE_LOW);
}

/* A store is one when it is complete, and can be made until then. */
TEST(test_unfinished_start_can_be_repeated)
{
    bool went_wrong = true;

    for (uint32_t at = 1; went_wrong; at++) {
        enum live_fence_answer answer;
        struct live_fence fence;

        remove_store();
        disk = (struct disk){.mishap = FAILS, .at = at};
        answer = live_fence_create(store, &error);
        went_wrong = disk.steps >= at;
        disk = (struct disk){0};
        assert_int_equal(answer,
                         went_wrong ? LIVE_FENCE_REFUSED : LIVE_FENCE_DONE);
        if (live_fence_open(&fence, store, &error) == LIVE_FENCE_DONE)
            live_fence_close(&fence);
        else
            assert_int_equal(live_fence_create(store, &error), LIVE_FENCE_DONE);
        assert_int_equal(put("x", 1, "a"), LIVE_FENCE_DONE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FENCE_TEST(test_failed_call_leaves_old_or_new),
        FENCE_TEST(test_killed_writer_leaves_old_or_new),
        FENCE_TEST(test_loss_of_power_leaves_old_or_new),
        FENCE_TEST(test_entry_of_a_failed_write_is_synced_by_the_next),
        FENCE_TEST(test_writes_in_crumbs_are_whole),
        FENCE_TEST(test_unfinished_start_can_be_repeated),
    };

    return cmocka_run_group_tests_name("live_fence_crash", tests, NULL, NULL);
}
