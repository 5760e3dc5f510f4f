/*
 * test_live_place.c - a record is used at one place (P7); and what a node that
 * stopped in order leaves, whatever becomes of a part of it.
 */
#include "live/record/place.h"

#include "tests/unit/kit/record_file.h"

/* ---- Places -------------------------------------------------------------- */

TEST(test_places_differ_in_what_is_known_of_both)
{
    const struct live_place here = {1, 2, 3, 4}, unknown = {0};
    const struct live_place others[] = {
        {9, 2, 3, 4}, {1, 9, 3, 4}, {1, 2, 9, 4}, {1, 2, 3, 9}};
    const struct live_place vague[] = {
        {0, 2, 3, 4}, {1, 0, 3, 4}, {1, 2, 0, 4}, {1, 2, 3, 0}};

    assert_null(live_place_differs(&here, &here));
    assert_null(live_place_differs(&here, &unknown));
    assert_null(live_place_differs(&unknown, &here));
    for (size_t i = 0; i < COUNT(others); i++) {
        assert_non_null(live_place_differs(&here, &others[i]));
        assert_non_null(live_place_differs(&others[i], &here));
        assert_null(live_place_differs(&here, &vague[i]));
        assert_null(live_place_differs(&vague[i], &here));
    }
}

/* Whatever the file system is: the file is told from its copy, or nothing is
 * known of either. */
TEST(test_place_is_the_same_when_it_is_looked_at_again)
{
    struct live_place place[2];

    create();
    for (int i = 0; i < 2; i++) {
        int file = open(path, O_RDONLY);

        place[i] = live_place_of(file);
        close(file);
    }
    assert_memory_equal(&place[0], &place[1], sizeof place[0]);
    assert_true(place[0].file);
}

/* ---- One record, one place ----------------------------------------------- */

/* The bytes are the same, and the file is another one: copied, restored from a
 * backup, brought to a new disk. */
static void replace_by_copy(void)
{
    uint8_t bytes[FILE_BYTES];
    char aside[sizeof path + 4];

    load(bytes);
    snprintf(aside, sizeof aside, "%s.it", path);
    assert_int_equal(rename(path, aside), 0);
    store(bytes, sizeof bytes);
    assert_int_equal(unlink(aside), 0);
}

static void check_refused(void)
{
    struct live_record *record;

    assert_int_equal(find(&record), LIVE_RECORD_ELSEWHERE);
    assert_null(record);
    assert_non_null(strstr(error.text, "--moved"));
    assert_non_null(strstr(error.text, "--repair"));
}

static struct live_record *move(void)
{
    struct live_record *record;

    assert_int_equal(live_record_move(&record, &config, ME,
                                      &live_mode_of(&config)->payload, &error),
                     LIVE_RECORD_FINE);
    return record;
}

TEST(test_copy_is_refused_until_it_is_said_to_be_moved)
{
    struct live_record *record;

    create();
    write_votes(3);
    check_values(30, 1);
    replace_by_copy();
    check_refused();
    live_record_close(move()); /* nothing was written: nothing has changed */
    check_refused();
    record = move();
    assert_int_equal(maxv_of(record), 30);
    assert_true(put(record, 30, 2));
    live_record_close(record);
    check_values(30, 2);
}

TEST(test_word_that_it_moved_does_no_harm_where_it_belongs)
{
    struct live_record *record;

    create();
    record = move();
    assert_true(put(record, 10, 2));
    live_record_close(record);
    check_values(10, 2);
}

TEST(test_copy_is_repaired_like_a_record_that_was_set_back)
{
    create();
    write_votes(3);
    replace_by_copy();
    assert_true(repair(500, 7));
    check_values(500, 7);
}

TEST(test_new_record_belongs_where_it_was_made)
{
    create();
    replace_by_copy();
    check_refused();
}

/* Each part of the place counts; and so does none. */
TEST(test_record_of_another_machine_is_refused)
{
    enum { AT_SIZE = 16 };
    static const size_t part_at[] = {72, 80, 88, 92};

    create();
    for (size_t i = 0; i < COUNT(part_at); i++) {
        uint8_t bytes[FILE_BYTES];
        struct live_record *record;
        uint32_t was;

        load(bytes);
        was = fc_get32(bytes + part_at[i]);
        for (size_t at = 0; at < FILE_BYTES; at += SLOT) {
            uint32_t end = fc_get32(bytes + at + AT_SIZE) - 4;

            fc_put32(bytes + at + part_at[i], was ^ 1u << 31);
            fc_put32(bytes + at + end, live_crc(bytes + at, end));
        }
        store(bytes, sizeof bytes);
        if (was) {
            check_refused();
            record = move();
        } else {
            record = reopen();
        }
        assert_true(put(record, 10, 1));
        assert_true(put(record, 10, 1));
        live_record_close(record);
        check_values(10, 1);
    }
}

/* ---- An orderly stop ----------------------------------------------------- */

static void damage(size_t at, bool *known)
{
    uint8_t bytes[FILE_BYTES];
    struct live_record *record;

    load(bytes);
    bytes[at + 30] ^= 1;
    store(bytes, sizeof bytes);
    record = reopen();
    *known = live_record_damaged(record);
    live_record_close(record);
}

static void stop(void)
{
    struct live_record *record = reopen();

    assert_true(live_record_stop(record, &error));
    live_record_close(record);
}

TEST(test_damage_while_the_node_is_off_takes_no_vote)
{
    for (size_t at = 0; at < FILE_BYTES; at += SLOT)
        for (uint32_t votes = 4; votes < 6; votes++) {
            struct live_record *record;
            bool known;

            create();
            write_votes(votes);
            stop();
            check_values(10 * votes, 1);
            damage(at, &known);
            assert_true(known);
            check_values(10 * votes, 1);
            record = reopen();
            assert_true(put(record, 10 * votes + 5, 2));
            live_record_close(record);
            check_values(10 * votes + 5, 2);
            assert_int_equal(unlink(path), 0);
        }
}

/* Then the newest slot may be one that was being written. */
TEST(test_mark_of_a_stop_is_gone_with_the_next_start)
{
    struct live_record *record;
    uint8_t bytes[FILE_BYTES];
    bool known;

    create();
    write_votes(4);
    stop();
    record = reopen();
    assert_true(put(record, 45, 2));
    assert_true(put(record, 55, 2));
    live_record_close(record);
    load(bytes);
    damage(0, &known);
    assert_false(known);
    store(bytes, sizeof bytes);
    damage(SLOT, &known);
    assert_false(known);
}

TEST(test_stop_leaves_what_was_noted_against_the_record)
{
    struct live_record *record;

    create();
    record = reopen();
    assert_true(live_record_distrust(record, &error));
    assert_true(live_record_stop(record, &error));
    live_record_close(record);
    assert_int_equal(find(&record), LIVE_RECORD_SET_BACK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RECORD_TEST(test_places_differ_in_what_is_known_of_both),
        RECORD_TEST(test_place_is_the_same_when_it_is_looked_at_again),
        RECORD_TEST(test_copy_is_refused_until_it_is_said_to_be_moved),
        RECORD_TEST(test_word_that_it_moved_does_no_harm_where_it_belongs),
        RECORD_TEST(test_copy_is_repaired_like_a_record_that_was_set_back),
        RECORD_TEST(test_new_record_belongs_where_it_was_made),
        RECORD_TEST(test_record_of_another_machine_is_refused),
        RECORD_TEST(test_damage_while_the_node_is_off_takes_no_vote),
        RECORD_TEST(test_mark_of_a_stop_is_gone_with_the_next_start),
        RECORD_TEST(test_stop_leaves_what_was_noted_against_the_record),
    };

    return cmocka_run_group_tests_name("live_place", tests, NULL, NULL);
}
