/*
 * test_live_record.c - what a node may not forget, whatever the disk does.
 */
#include "tests/unit/kit/record_file.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* ---- Good days ----------------------------------------------------------- */

TEST(test_new_node_has_voted_for_nothing)
{
    create();
    check_values(0, 0);
}

TEST(test_what_was_written_is_read)
{
    create();
    for (uint32_t votes = 1; votes < 6; votes++) {
        struct live_record *record = reopen();

        assert_true(put(record, 64 * votes, votes));
        assert_int_equal(maxv_of(record), 64 * votes);
        live_record_close(record);
        check_values(64 * votes, votes);
    }
}

/* No room is needed later, so that a full disk stops nobody. */
TEST(test_file_has_its_size_from_the_beginning)
{
    struct stat is;

    create();
    write_votes(5);
    assert_int_equal(stat(path, &is), 0);
    assert_int_equal(is.st_size, FILE_BYTES);
    assert_int_equal(is.st_mode & 07777, 0600);
}

TEST(test_record_never_goes_back)
{
    struct live_record *record;

    create();
    record = reopen();
    assert_true(put(record, 9, 2));
    assert_false(put(record, 8, 2));
    assert_false(put(record, 9, 1));
    assert_true(put(record, 9, 2));
    live_record_close(record);
    check_values(9, 2);
}

TEST(test_second_daemon_of_a_node_is_refused)
{
    struct live_record *record, *other;

    create();
    record = reopen();
    assert_int_equal(find(&other), LIVE_RECORD_LOCKED);
    assert_non_null(strstr(error.text, "already running"));
    assert_null(other);
    assert_false(repair(0, 0));
    live_record_close(record);
    live_record_close(reopen());
}

/* A daemon that dies has the record locked for a moment longer. */
TEST(test_daemon_waits_for_one_that_dies)
{
    int locked[2];
    pid_t dying;
    char byte;

    create();
    assert_int_equal(pipe(locked), 0);
    dying = fork();
    assert_true(dying >= 0);
    if (dying == 0) {
        (void)reopen();
        (void)!write(locked[1], "", 1);
        usleep(100000);
        _exit(0);
    }
    assert_int_equal(read(locked[0], &byte, 1), 1);
    live_record_close(reopen());
    assert_int_equal(waitpid(dying, NULL, 0), dying);
    close(locked[0]);
    close(locked[1]);
}

/* ---- P3: missing and bad are not new ------------------------------------- */

TEST(test_missing_record_is_not_made_by_itself)
{
    struct live_record *record;

    assert_int_equal(find(&record), LIVE_RECORD_MISSING);
    assert_null(record);
    assert_int_equal(access(path, F_OK), -1);
}

TEST(test_node_is_created_once)
{
    create();
    write_votes(3);
    assert_false(live_record_create(&config, ME, &error));
    assert_non_null(strstr(error.text, "created before"));
    check_values(30, 1);
}

/* Also over a bad one: what it promised is not known. */
TEST(test_bad_record_is_not_created_again)
{
    struct live_record *record;

    store((const uint8_t *)"xyz", 3);
    assert_int_equal(find(&record), LIVE_RECORD_BAD);
    assert_false(live_record_create(&config, ME, &error));
    assert_int_equal(find(&record), LIVE_RECORD_BAD);
}

TEST(test_record_of_another_node_is_bad)
{
    struct live_record *record;

    strcpy(config.nodes[2].name, "south");
    assert_true(live_record_create(&config, 2, &error));
    assert_int_equal(find(&record), LIVE_RECORD_BAD);
    assert_non_null(strstr(error.text, "another node"));
}

TEST(test_repair_takes_what_the_others_say)
{
    struct live_record *record;

    assert_true(repair(500, 7));
    check_values(500, 7);
    assert_false(repair(500, 7));
    assert_non_null(strstr(error.text, "nothing to repair"));
    store((const uint8_t *)"xyz", 3);
    assert_int_equal(find(&record), LIVE_RECORD_BAD);
    assert_true(repair(500, 7));
    check_values(500, 7);
}

/* ---- Torn writes --------------------------------------------------------- */

/* A write that stopped after any number of bytes, with what was there before or
 * with anything else behind them: the vote before it is still known. */
TEST(test_torn_write_leaves_the_vote_before)
{
    uint8_t before[FILE_BYTES], after[FILE_BYTES], torn[FILE_BYTES];

    create();
    for (uint32_t votes = 3; votes < 5; votes++) {
        size_t at = votes % 2 ? 0 : SLOT;
        struct live_record *record = reopen();

        assert_true(put(record, 10 * votes, 1));
        load(before);
        assert_true(put(record, 10 * votes + 5, 1));
        load(after);
        live_record_close(record);
        if (memcmp(before + at, after + at, SLOT) == 0)
            at = SLOT - at;
        assert_memory_equal(before + (SLOT - at), after + (SLOT - at), SLOT);
        for (size_t cut = 0; cut <= 80; cut++) {
            bool whole;

            memcpy(torn, before, sizeof torn);
            memcpy(torn + at, after + at, cut);
            whole = memcmp(torn + at, after + at, USED) == 0;
            store(torn, sizeof torn);
            check_values(10 * votes + (whole ? 5 : 0), 1);
            memset(torn + at + cut, 0xff, SLOT - cut);
            store(torn, sizeof torn);
            check_values(10 * votes + (cut >= USED ? 5 : 0), 1);
        }
        store(after, sizeof after);
    }
}

/* The end of a file that came out too short, at every byte. */
TEST(test_short_file_is_read_or_bad_but_never_new)
{
    uint8_t bytes[FILE_BYTES];
    struct live_record *record;

    create();
    write_votes(4); /* 40 in one slot, 30 in the other */
    load(bytes);
    for (size_t size = 0; size < FILE_BYTES; size++) {
        enum live_record_found found;

        if (size > 100 && size < SLOT - 50)
            size = SLOT - 50;
        if (size > SLOT + 100)
            break;
        store(bytes, size);
        found = find(&record);
        assert_int_equal(found,
                         size < USED ? LIVE_RECORD_BAD : LIVE_RECORD_FINE);
        if (found == LIVE_RECORD_FINE)
            assert_in_range(maxv_of(record), 30, 40);
        live_record_close(record);
    }
}

/* Any one bit of the newest slot: it is told, and the other one counts. */
TEST(test_flipped_bit_is_noticed)
{
    uint8_t bytes[FILE_BYTES];

    create();
    write_votes(4);
    load(bytes);
    for (size_t bit = 0; bit < 8 * USED; bit++)
        for (size_t at = 0; at < FILE_BYTES; at += SLOT) {
            struct live_record *record;

            bytes[at + bit / 8] ^= (uint8_t)(1u << bit % 8);
            store(bytes, sizeof bytes);
            record = reopen();
            assert_in_range(maxv_of(record), 30, 40);
            live_record_close(record);
            bytes[at + bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
}

TEST(test_both_slots_damaged_is_bad)
{
    uint8_t bytes[FILE_BYTES];
    struct live_record *record;

    create();
    write_votes(4);
    load(bytes);
    bytes[30] ^= 1;
    bytes[SLOT + 30] ^= 1;
    store(bytes, sizeof bytes);
    assert_int_equal(find(&record), LIVE_RECORD_BAD);
    assert_non_null(strstr(error.text, "repaired"));
}

/* ---- A disk that refuses ------------------------------------------------- */

/* In a child, for the limit counts for a whole process. */
static int in_child(int (*act)(void), rlim_t bytes_max)
{
    pid_t child = fork();
    int status;

    if (child == 0) {
        const struct rlimit limit = {bytes_max, bytes_max};

        signal(SIGXFSZ, SIG_IGN);
        _exit(setrlimit(RLIMIT_FSIZE, &limit) == 0 ? act() : 99);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int try_creating(void)
{
    return !live_record_create(&config, ME, &error) ? 1 : 0;
}

/* 0: written; 1: refused, and all is as it was; 2: it forgot. */
static int try_voting(void)
{
    struct live_record *record;

    for (uint32_t i = 0; i < 2; i++) {
        uint32_t before;

        if (find(&record) != LIVE_RECORD_FINE)
            return 2;
        before = maxv_of(record);
        if (!put(record, before + 100, 1)) {
            uint32_t now = maxv_of(record);

            live_record_close(record);
            return error.text[0] && now == before ? 1 : 2;
        }
        live_record_close(record);
    }
    return 0;
}

TEST(test_full_disk_refuses_to_create_and_leaves_nothing)
{
    static const rlim_t rooms[] = {0, 1, USED, SLOT - 1, SLOT, FILE_BYTES - 1};

    for (size_t i = 0; i < COUNT(rooms); i++) {
        struct live_record *record;

        assert_int_equal(in_child(try_creating, rooms[i]), 1);
        assert_int_equal(find(&record), LIVE_RECORD_MISSING);
    }
    assert_int_equal(in_child(try_creating, FILE_BYTES), 0);
    check_values(0, 0);
}

TEST(test_full_disk_refuses_a_vote_and_forgets_nothing)
{
    static const rlim_t rooms[] = {0, 1, USED, SLOT - 1, SLOT, FILE_BYTES - 1};

    create();
    write_votes(4);
    for (size_t i = 0; i < COUNT(rooms); i++) {
        struct live_record *record;
        uint32_t before;

        record = reopen();
        before = maxv_of(record);
        live_record_close(record);
        assert_int_equal(in_child(try_voting, rooms[i]), 1);
        record = reopen();
        assert_true(maxv_of(record) >= before);
        live_record_close(record);
    }
    assert_int_equal(in_child(try_voting, FILE_BYTES), 0);
}

/* The same call works once there is room. */
TEST(test_refused_vote_can_be_tried_again)
{
    struct rlimit old, none = {0, RLIM_INFINITY};
    struct live_record *record;

    create();
    write_votes(2);
    record = reopen();
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    none.rlim_max = old.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    assert_false(put(record, 99, 1));
    assert_false(put(record, 99, 1));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_int_equal(maxv_of(record), 20);
    assert_true(put(record, 99, 1));
    live_record_close(record);
    check_values(99, 1);
}

/* A folder whose disk does not keep what was made in it. */
static bool forgetful;

int fsync(int file)
{
    struct stat is;

    if (forgetful && fstat(file, &is) == 0 && S_ISDIR(is.st_mode)) {
        errno = EIO;
        return -1;
    }
    return (int)syscall(SYS_fsync, file);
}

TEST(test_record_that_may_vanish_is_not_left_behind)
{
    struct live_record *record;

    forgetful = true;
    assert_false(live_record_create(&config, ME, &error));
    forgetful = false;
    assert_non_null(strstr(error.text, "Input/output error"));
    assert_int_equal(find(&record), LIVE_RECORD_MISSING);
    create();
}

/* ---- Killed at any time -------------------------------------------------- */

/* A child votes as fast as it can and says so after each vote; whenever it is
 * killed, no vote that it told of is lost.  The first one is not killed before
 * it has told of a vote: on a busy machine that takes a while. */
TEST(test_killed_writer_loses_no_vote_that_it_told_of)
{
    struct dice dice = {5};
    uint32_t told = 0;

    create();
    for (uint32_t round = 0; round < rounds(30); round++) {
        int pipes[2];
        uint32_t vote;
        pid_t child;

        assert_int_equal(pipe(pipes), 0);
        child = fork();
        if (child == 0) {
            struct live_record *record;

            if (find(&record) != LIVE_RECORD_FINE)
                _exit(1);
            for (vote = maxv_of(record) + 1;; vote++)
                if (!put(record, vote, 1) ||
                    write(pipes[1], &vote, sizeof vote) != sizeof vote)
                    _exit(1);
        }
        close(pipes[1]);
        if (round == 0)
            assert_int_equal(read(pipes[0], &told, sizeof told), sizeof told);
        usleep(1000 + throw_below(&dice, 15000));
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        while (read(pipes[0], &vote, sizeof vote) == sizeof vote)
            told = vote;
        close(pipes[0]);
        struct live_record *record = reopen();

        assert_in_range(maxv_of(record), told, told + 1);
        told = maxv_of(record);
        live_record_close(record);
    }
    assert_true(told > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RECORD_TEST(test_new_node_has_voted_for_nothing),
        RECORD_TEST(test_what_was_written_is_read),
        RECORD_TEST(test_file_has_its_size_from_the_beginning),
        RECORD_TEST(test_record_never_goes_back),
        RECORD_TEST(test_second_daemon_of_a_node_is_refused),
        RECORD_TEST(test_daemon_waits_for_one_that_dies),
        RECORD_TEST(test_missing_record_is_not_made_by_itself),
        RECORD_TEST(test_node_is_created_once),
        RECORD_TEST(test_bad_record_is_not_created_again),
        RECORD_TEST(test_record_of_another_node_is_bad),
        RECORD_TEST(test_repair_takes_what_the_others_say),
        RECORD_TEST(test_torn_write_leaves_the_vote_before),
        RECORD_TEST(test_short_file_is_read_or_bad_but_never_new),
        RECORD_TEST(test_flipped_bit_is_noticed),
        RECORD_TEST(test_both_slots_damaged_is_bad),
        RECORD_TEST(test_full_disk_refuses_to_create_and_leaves_nothing),
        RECORD_TEST(test_full_disk_refuses_a_vote_and_forgets_nothing),
        RECORD_TEST(test_refused_vote_can_be_tried_again),
        RECORD_TEST(test_record_that_may_vanish_is_not_left_behind),
        RECORD_TEST(test_killed_writer_loses_no_vote_that_it_told_of),
    };

    return cmocka_run_group_tests_name("live_record", tests, NULL, NULL);
}
