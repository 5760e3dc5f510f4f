/*
 * test_live_fence.c - the store that refuses former holders: what it decides,
 * beside others and with foreign files in it.
 */
#include "tests/unit/kit/fence_store.h"

/* ---- What it decides ----------------------------------------------------- */

TEST(test_lower_token_is_refused_and_both_are_named)
{
    assert_int_equal(put("x", 34, "new"), LIVE_FENCE_DONE);
    assert_int_equal(put("x", 33, "late"), LIVE_FENCE_LOW);
    assert_non_null(strstr(error.text, "token 33 is lower than 34"));
    check_content("x", "new");
}

TEST(test_equal_token_is_the_same_holder_again)
{
    assert_int_equal(put("x", 34, "one"), LIVE_FENCE_DONE);
    assert_int_equal(put("x", 34, "two"), LIVE_FENCE_DONE);
    check_content("x", "two");
}

TEST(test_every_name_has_its_own_mark)
{
    assert_int_equal(put("x", 34, "a"), LIVE_FENCE_DONE);
    assert_int_equal(put("y", 3, "b"), LIVE_FENCE_DONE);
    check_content("x", "a");
    check_content("y", "b");
}

TEST(test_greatest_token_is_a_token)
{
    assert_int_equal(put("x", LIVE_FENCE_TOKEN_MAX, "a"), LIVE_FENCE_DONE);
    assert_int_equal(put("x", LIVE_FENCE_TOKEN_MAX - 1, "b"), LIVE_FENCE_LOW);
    assert_int_equal(put("x", LIVE_FENCE_TOKEN_MAX + 1, "c"), LIVE_FENCE_BAD);
    assert_int_equal(put("x", 0, "c"), LIVE_FENCE_BAD);
    check_content("x", "a");
}

/* Otherwise a new holder could read, an old one write, and the new one write
 * what it made of its old reading. */
TEST(test_reading_under_a_token_shuts_out_lower_ones)
{
    char text[SMALL];

    assert_int_equal(put("x", 5, "a"), LIVE_FENCE_DONE);
    assert_int_equal(get("x", 7, text), LIVE_FENCE_DONE);
    assert_string_equal(text, "a");
    assert_int_equal(put("x", 6, "late"), LIVE_FENCE_LOW);
    assert_int_equal(get("y", 7, text), LIVE_FENCE_NOTHING);
    assert_int_equal(put("y", 6, "late"), LIVE_FENCE_LOW);
}

TEST(test_reading_under_a_low_token_or_none_changes_nothing)
{
    char text[SMALL];

    assert_int_equal(put("x", 5, "a"), LIVE_FENCE_DONE);
    assert_int_equal(get("x", 4, text), LIVE_FENCE_DONE);
    assert_int_equal(get("x", 0, text), LIVE_FENCE_DONE);
    assert_int_equal(put("x", 5, "b"), LIVE_FENCE_DONE);
}

TEST(test_names_that_are_none_are_refused)
{
    static const char *const bad[] = {"",    ".",   "..",   ".x",   "a/b", "/a",
                                      "a b", "a\n", "\xff", "../x", "a\\", "*"};
    char name[LIVE_FENCE_NAME_MAX + 2];

    for (size_t i = 0; i < COUNT(bad); i++)
        assert_int_equal(put(bad[i], 1, "x"), LIVE_FENCE_BAD);
    memset(name, 'n', sizeof name);
    name[LIVE_FENCE_NAME_MAX + 1] = 0;
    assert_int_equal(put(name, 1, "x"), LIVE_FENCE_BAD);
    name[LIVE_FENCE_NAME_MAX] = 0;
    assert_int_equal(put(name, 1, "x"), LIVE_FENCE_DONE);
    check_content(name, "x");
}

TEST(test_content_has_a_limit)
{
    struct live_fence fence = opened();
    uint64_t mark;

    assert_int_equal(live_fence_put(&fence, "x", 1, "", LIVE_FENCE_SIZE_MAX + 1,
                                    &mark, &error),
                     LIVE_FENCE_BAD);
    assert_int_equal(live_fence_put(&fence, "x", 1, "", 0, &mark, &error),
                     LIVE_FENCE_DONE);
    live_fence_close(&fence);
    check_content("x", "");
}

/* One that was lost and made anew would have forgotten its marks. */
TEST(test_store_is_made_once_and_never_by_itself)
{
    struct live_fence fence;

    assert_int_equal(live_fence_create(store, &error), LIVE_FENCE_REFUSED);
    assert_non_null(strstr(error.text, "already"));
    remove_store();
    assert_int_equal(live_fence_open(&fence, store, &error),
                     LIVE_FENCE_NOTHING);
    assert_int_not_equal(access(store, F_OK), 0);
    assert_int_equal(mkdir(store, 0700), 0);
    plant("letter", "dear", 4);
    assert_int_equal(live_fence_create(store, &error), LIVE_FENCE_REFUSED);
}

/* ---- Others at the same time --------------------------------------------- */

/* The room is that of two contents while one is written, and no more. */
TEST(test_old_entries_are_removed)
{
    for (uint64_t i = 1; i <= 50; i++)
        assert_int_equal(put("x", i / 2 + 1, "a"), LIVE_FENCE_DONE);
    assert_true(files_of("x") <= 2); /* the entry, and that there were others */
}

/* In a process of its own: every third token, each content its token. */
static void write_tokens(uint32_t first, uint32_t most)
{
    struct live_fence fence = opened();
    char text[32];

    for (uint64_t token = first; token <= most; token += 3) {
        uint64_t mark;
        int size = snprintf(text, sizeof text, "%" PRIu64, token);

        if (live_fence_put(&fence, "x", token, text, (size_t)size, &mark,
                           &error) > LIVE_FENCE_LOW)
            _exit(1);
    }
    _exit(0);
}

TEST(test_many_writers_leave_the_content_of_the_highest_token)
{
    const uint32_t most = 300;
    uint64_t seen = 0;
    uint32_t writers = 3;
    char text[SMALL], last[32];
    int status;

    for (uint32_t i = 1; i <= writers; i++)
        if (fork() == 0)
            write_tokens(i, most);
    while (writers > 0) {
        if (get("x", 0, text) == LIVE_FENCE_DONE) {
            uint64_t now = strtoull(text, NULL, 10);

            assert_true(now >= seen);
            seen = now;
        }
        if (seen % 7 == 0) /* readers with tokens are in between */
            (void)get("x", seen + 1, text);
        if (waitpid(-1, &status, WNOHANG) > 0) {
            assert_int_equal(status, 0);
            writers--;
        }
    }
    snprintf(last, sizeof last, "%" PRIu32, most);
    check_content("x", last);
}

/* ---- Foreign files ------------------------------------------------------- */

static int mkdir_of(const char *name)
{
    char path[PATH_MAX], inside[SMALL];

    snprintf(inside, sizeof inside, "names/%s", name);
    in_store(inside, path);
    return mkdir(path, 0700);
}

static void remove_name(const char *name)
{
    char command[SMALL];

    snprintf(command, sizeof command, "rm -r '%s/names/%s'", store, name);
    assert_int_equal(system(command), 0);
}

/* Nothing can be done under this name, and the list says so. */
static void check_damaged(void)
{
    struct live_fence_entry found;
    char text[SMALL];

    assert_int_equal(put("x", LIVE_FENCE_TOKEN_MAX, "a"), LIVE_FENCE_DAMAGED);
    assert_int_equal(get("x", 0, text), LIVE_FENCE_DAMAGED);
    assert_true(only_entry(&found));
    assert_true(found.damaged);
}

TEST(test_entry_that_is_none_is_never_taken_for_a_low_one)
{
    static const struct {
        const char *bytes;
        size_t size;
    } bad[] = {
        {"", 0},
        {"\n", 1},
        {"3 5 1\na", 7},
        {"3 5 1 00000000\na", 16},
        {"3 -5 1 00000000\na", 17},
        {"3 99999999999999999999 1 00000000\na", 35},
        {"\0\0\0\0", 4},
        {"five", 4},
    };

    for (size_t i = 0; i < COUNT(bad); i++) {
        assert_int_equal(mkdir_of("x"), 0);
        plant(entry("x", 3), bad[i].bytes, bad[i].size);
        check_damaged();
        remove_name("x");
    }
}

/* Of the mark, that is; what a content is made of is its holder's matter. */
TEST(test_every_flipped_bit_of_a_mark_is_noticed)
{
    unsigned char line[SMALL];
    char path[PATH_MAX];
    ssize_t size;
    int file;

    assert_int_equal(put("x", 4294967301, "a"), LIVE_FENCE_DONE);
    in_store(entry("x", 1), path);
    file = open(path, O_RDONLY);
    size = read(file, line, sizeof line);
    close(file);
    assert_true(size > 12);
    for (ssize_t bit = 0; bit < 8 * (size - 1); bit++) {
        line[bit / 8] ^= (unsigned char)(1u << bit % 8);
        plant(entry("x", 1), line, (size_t)size);
        check_damaged();
        line[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    plant(entry("x", 1), line, (size_t)size - 1);
    check_damaged();
    line[size] = '\n';
    plant(entry("x", 1), line, (size_t)size + 1);
    check_damaged();
}

TEST(test_entry_of_another_name_or_number_is_noticed)
{
    char from[PATH_MAX], to[PATH_MAX];

    assert_int_equal(put("y", 3, "a"), LIVE_FENCE_DONE);
    assert_int_equal(mkdir_of("x"), 0);
    in_store(entry("y", 1), from);
    in_store(entry("x", 1), to);
    assert_int_equal(rename(from, to), 0);
    remove_name("y");
    check_damaged();
    remove_name("x");
    assert_int_equal(put("x", 3, "a"), LIVE_FENCE_DONE);
    in_store(entry("x", 1), from);
    in_store(entry("x", 2), to);
    assert_int_equal(rename(from, to), 0);
    check_damaged();
}

/* What was written once is never forgotten, unless somebody removed it. */
TEST(test_missing_entries_are_damage)
{
    char path[PATH_MAX];

    assert_int_equal(put("x", 3, "a"), LIVE_FENCE_DONE);
    assert_int_equal(put("x", 4, "b"), LIVE_FENCE_DONE);
    in_store(entry("x", 2), path);
    assert_int_equal(unlink(path), 0);
    check_damaged();
    assert_non_null(strstr(error.text, "missing"));
}

TEST(test_entries_that_are_no_files_are_not_read)
{
    char path[PATH_MAX];

    assert_int_equal(mkdir_of("x"), 0);
    in_store(entry("x", 1), path);
    assert_int_equal(symlink("/dev/zero", path), 0);
    check_damaged();
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0); /* nobody waits for a writer */
    check_damaged();
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    check_damaged();
}

TEST(test_links_in_the_store_are_not_followed)
{
    char victim[PATH_MAX], link[PATH_MAX], text[SMALL] = "";
    int file;

    in_store("victim", victim);
    plant("victim", "mine", 4);
    in_store("names/x", link);
    assert_int_equal(symlink(store, link), 0);
    check_damaged();
    assert_int_equal(unlink(link), 0);
    assert_int_equal(put("x", 5, "a"), LIVE_FENCE_DONE);
    in_store("names/x/used", link);
    assert_int_equal(symlink(victim, link), 0);
    assert_int_equal(put("x", 6, "b"), LIVE_FENCE_DONE);
    check_content("x", "b");
    file = open(victim, O_RDONLY);
    memset(text, 0, sizeof text);
    assert_int_equal(read(file, text, SMALL - 1), 4);
    close(file);
    assert_string_equal(text, "mine");
}

/* Its writers take a lock that those of this one would not know of. */
TEST(test_store_of_an_earlier_format_is_refused_with_a_remedy)
{
    struct live_fence fence;
    char path[PATH_MAX];

    in_store("names", path);
    assert_int_equal(rmdir(path), 0);
    in_store("marks", path);
    assert_int_equal(mkdir(path, 0700), 0);
    in_store("files", path);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(live_fence_open(&fence, store, &error),
                     LIVE_FENCE_REFUSED);
    assert_non_null(strstr(error.text, "earlier"));
    assert_int_equal(live_fence_create(store, &error), LIVE_FENCE_REFUSED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FENCE_TEST(test_lower_token_is_refused_and_both_are_named),
        FENCE_TEST(test_equal_token_is_the_same_holder_again),
        FENCE_TEST(test_every_name_has_its_own_mark),
        FENCE_TEST(test_greatest_token_is_a_token),
        FENCE_TEST(test_reading_under_a_token_shuts_out_lower_ones),
        FENCE_TEST(test_reading_under_a_low_token_or_none_changes_nothing),
        FENCE_TEST(test_names_that_are_none_are_refused),
        FENCE_TEST(test_content_has_a_limit),
        FENCE_TEST(test_store_is_made_once_and_never_by_itself),
        FENCE_TEST(test_old_entries_are_removed),
        FENCE_TEST(test_many_writers_leave_the_content_of_the_highest_token),
        FENCE_TEST(test_entry_that_is_none_is_never_taken_for_a_low_one),
        FENCE_TEST(test_every_flipped_bit_of_a_mark_is_noticed),
        FENCE_TEST(test_entry_of_another_name_or_number_is_noticed),
        FENCE_TEST(test_missing_entries_are_damage),
        FENCE_TEST(test_entries_that_are_no_files_are_not_read),
        FENCE_TEST(test_links_in_the_store_are_not_followed),
        FENCE_TEST(test_store_of_an_earlier_format_is_refused_with_a_remedy),
    };

    return cmocka_run_group_tests_name("live_fence", tests, NULL, NULL);
}
