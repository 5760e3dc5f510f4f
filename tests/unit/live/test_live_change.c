/*
 * test_live_change.c - a record over changes of the configuration (P5), one
 * that has met a higher generation (P6), and one that is not believed any more
 * (P4).
 */
#include "tests/unit/kit/record_file.h"

/* ---- P5: changes of the configuration ------------------------------------ */

/* What a start under this configuration finds of the record. */
static enum live_record_found find_under(uint32_t generation, uint64_t hash,
                                         struct live_record **record)
{
    config.generation = generation;
    config.hash = hash;
    return find(record);
}

/* Another list, mode or time without a higher generation: the majorities of
 * before and after need not meet, and tokens would go back. */
TEST(test_change_without_a_higher_generation_is_refused)
{
    struct live_record *record;

    create();
    write_votes(4);
    assert_int_equal(find_under(1, 78, &record), LIVE_RECORD_OTHER);
    assert_null(record);
    assert_non_null(strstr(error.text, "write generation = 2"));
    assert_int_equal(find_under(1, 77, &record), LIVE_RECORD_FINE);
    live_record_close(record);
}

TEST(test_higher_generation_takes_the_record_over)
{
    struct live_record *record;

    create();
    write_votes(4);
    assert_int_equal(find_under(3, 78, &record), LIVE_RECORD_FINE);
    assert_true(live_record_change(record).changed);
    assert_int_equal(live_record_change(record).generation, 1);
    assert_int_equal(maxv_of(record), 40);
    assert_true(put(record, 41, 2));
    live_record_close(record);
    check_values(41, 2);
    record = reopen();
    assert_false(live_record_change(record).changed);
    live_record_close(record);
}

/* The file of before is still on some machine. */
TEST(test_lower_generation_is_refused)
{
    struct live_record *record;

    config.generation = 5;
    create();
    assert_int_equal(find_under(4, 77, &record), LIVE_RECORD_OTHER);
    assert_non_null(strstr(error.text, "of generation 5"));
    assert_int_equal(find_under(4, 78, &record), LIVE_RECORD_OTHER);
    assert_int_equal(find_under(6, 78, &record), LIVE_RECORD_FINE);
    live_record_close(record);
}

/* Its place in the list may be another one then, too. */
TEST(test_node_may_move_in_the_list)
{
    struct live_record *record;

    strcpy(config.nodes[2].name, "south");
    assert_true(live_record_create(&config, 2, &error));
    assert_int_equal(find_under(2, 78, &record), LIVE_RECORD_FINE);
    assert_true(put(record, 7, 1));
    live_record_close(record);
    check_values(7, 1);
}

/* Replace one of three, as real files: a, b, c become a, b, d. */
TEST(test_replaced_node_needs_a_generation)
{
    static const char list[] = "[cluster]\n%s\n[node a]\nhost=h\nport=1\n"
                               "[node south]\nhost=h\nport=2\n"
                               "[node %s]\nhost=h\nport=3\n";
    static const struct {
        const char *cluster, *third;
        enum live_record_found found;
    } cases[] = {
        {"", "c", LIVE_RECORD_FINE},
        {"", "d", LIVE_RECORD_OTHER},
        {"lease = 3s", "c", LIVE_RECORD_OTHER},
        {"mode=silence\nbounds=hard\ndmax=1ms\nstep=9ms", "c",
         LIVE_RECORD_OTHER},
        {"generation = 2", "d", LIVE_RECORD_FINE},
        {"generation=2\nmode=silence\nbounds=hard\ndmax=1ms\nstep=9ms", "c",
         LIVE_RECORD_FINE},
    };
    char folder[LIVE_PATH_MAX], text[512];

    memcpy(folder, config.state, sizeof folder);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct live_record *record;

        snprintf(text, sizeof text, list, cases[i].cluster, cases[i].third);
        if (!live_config_parse(&config, "c", text, strlen(text), &error))
            fail_msg("%s", error.text);
        memcpy(config.state, folder, sizeof folder);
        if (i == 0)
            create();
        assert_int_equal(find(&record), cases[i].found);
        live_record_close(record);
    }
}

/* Commands of before may run as long as the leases of before. */
TEST(test_shorter_lease_waits_for_the_longer_one)
{
    struct live_record *record;
    uint64_t before = live_config_quiet(&config);

    create();
    config.lease = 30000;
    assert_int_equal(find_under(2, 78, &record), LIVE_RECORD_FINE);
    assert_int_equal(live_record_change(record).wait,
                     before - live_config_quiet(&config));
    live_record_close(record); /* stopped while it waited: nothing written */
    assert_int_equal(find_under(2, 78, &record), LIVE_RECORD_FINE);
    assert_true(live_record_change(record).wait > 0);
    assert_true(put(record, 1, 1));
    live_record_close(record);
    config.lease = 200000;
    assert_int_equal(find_under(3, 79, &record), LIVE_RECORD_FINE);
    assert_true(live_record_change(record).changed);
    assert_int_equal(live_record_change(record).wait, 0);
    live_record_close(record);
}

/* ---- P6: a higher generation was met ------------------------------------- */

static void outdate(uint32_t generation)
{
    struct live_record *record = reopen();

    assert_true(live_record_outdate(record, generation, &error));
    live_record_close(record);
}

static bool stay(void)
{
    return live_record_stay(&config, ME, &live_mode_of(&config)->payload,
                            &error);
}

/* However often it is started, and though one of its slots is damaged. */
TEST(test_outdated_node_starts_with_that_generation)
{
    uint8_t bytes[FILE_BYTES];
    struct live_record *record;

    create();
    write_votes(4);
    outdate(3);
    for (uint32_t generation = 1; generation < 3; generation++) {
        assert_int_equal(find_under(generation, 76 + generation, &record),
                         LIVE_RECORD_OUTDATED);
        assert_non_null(strstr(error.text, "file of generation 3"));
        assert_non_null(strstr(error.text, "--stay"));
        assert_false(repair(50, 9));
    }
    load(bytes);
    for (size_t slot = 0; slot < FILE_BYTES; slot += SLOT) {
        uint8_t torn[FILE_BYTES];

        memcpy(torn, bytes, sizeof torn);
        torn[slot + 30] ^= 1;
        store(torn, sizeof torn);
        assert_int_equal(find_under(1, 77, &record), LIVE_RECORD_OUTDATED);
    }
    assert_int_equal(find_under(3, 79, &record), LIVE_RECORD_FINE);
    assert_true(put(record, 41, 2));
    live_record_close(record);
    check_values(41, 2);
}

TEST(test_stay_refuses_one_generation)
{
    struct live_record *record;

    create();
    write_votes(4);
    assert_false(stay());
    assert_non_null(strstr(error.text, "without --stay"));
    outdate(20);
    assert_true(stay());
    for (uint32_t starts = 2; starts < 4; starts++) {
        record = reopen();
        assert_int_equal(live_record_change(record).stays_from, 20);
        assert_int_equal(maxv_of(record), 40);
        assert_true(put(record, 40, starts));
        live_record_close(record);
    }
    outdate(21);
    assert_int_equal(find_under(1, 77, &record), LIVE_RECORD_OUTDATED);
    assert_int_equal(find_under(21, 97, &record), LIVE_RECORD_FINE);
    assert_int_equal(live_record_change(record).stays_from, 0);
    live_record_close(record);
}

/* As long as any lease of before. */
TEST(test_longest_quiet_time_is_remembered)
{
    struct live_record *record;
    uint64_t longest = live_config_quiet(&config);

    create();
    config.lease = 1000;
    for (uint32_t generation = 2; generation < 5; generation++) {
        assert_int_equal(find_under(generation, 76 + generation, &record),
                         LIVE_RECORD_FINE);
        assert_int_equal(live_record_change(record).quiet, longest);
        assert_true(put(record, 1, generation));
        live_record_close(record);
    }
}

/* ---- Times that change within a generation ------------------------------- */

/* The longest lease of a generation is outwaited by the next one, whatever its
 * file said, and whatever was kept after it. */
TEST(test_longest_quiet_time_of_a_generation_is_kept)
{
    struct live_kept kept = kept_of(7, 1);
    struct live_record *record;
    uint64_t quiet = live_config_quiet(&config);

    create();
    record = reopen();
    assert_true(live_record_kept(record).quiet == 0);
    kept.quiet = quiet - 1; /* shorter than the file says */
    assert_true(live_record_write(record, &kept, &error));
    assert_true(live_record_kept(record).quiet == 0);
    kept.quiet = quiet + 900;
    assert_true(live_record_write(record, &kept, &error));
    kept.quiet = quiet + 300;
    assert_true(live_record_write(record, &kept, &error));
    assert_true(put(record, 8, 2));
    assert_true(live_record_kept(record).quiet == quiet + 900);
    live_record_close(record);
    record = reopen(); /* of the same generation */
    assert_false(live_record_change(record).changed);
    assert_true(live_record_kept(record).quiet == quiet + 900);
    assert_true(live_record_change(record).quiet == quiet + 900);
    assert_true(put(record, 9, 3));
    live_record_close(record);
    assert_int_equal(find_under(2, 78, &record), LIVE_RECORD_FINE);
    assert_true(live_record_change(record).wait == 900);
    assert_true(live_record_change(record).quiet == quiet + 900);
    assert_true(live_record_kept(record).quiet == 0); /* none of this one */
    assert_true(put(record, 10, 4));
    live_record_close(record);
    assert_int_equal(find_under(3, 79, &record), LIVE_RECORD_FINE);
    assert_true(live_record_change(record).wait == 0);
    assert_true(live_record_change(record).quiet == quiet + 900);
    live_record_close(record);
}

/* ---- Modes --------------------------------------------------------------- */

/* What mode silence keeps. */
static bool put_floor(struct live_record *record, uint64_t floor,
                      uint32_t starts)
{
    struct live_kept kept = {.starts = starts, .size = 8};

    fc_put64(kept.bytes, floor);
    return live_record_write(record, &kept, &error);
}

static uint64_t floor_of(const struct live_record *record)
{
    return fc_get64(live_record_kept(record).bytes);
}

/* A node of this mode, in a generation of its own. */
static struct live_record *reopen_as(enum live_mode_name mode,
                                     uint32_t generation)
{
    config.mode = mode;
    config.generation = generation;
    config.hash = 77 + generation;
    return reopen();
}

/* There and back again: starts are counted on, and what each mode has promised
 * is what it finds. */
TEST(test_modes_leave_each_others_payloads_alone)
{
    struct live_record *record;

    create();
    write_votes(4);
    record = reopen_as(LIVE_SILENCE, 2);
    assert_int_equal(live_record_kept(record).starts, 1);
    assert_true(floor_of(record) == 0); /* and not a view */
    assert_true(put_floor(record, UINT64_C(1) << 40, 2));
    assert_false(put_floor(record, 7, 2));
    live_record_close(record);
    record = reopen_as(LIVE_PROVEN, 3);
    assert_int_equal(live_record_kept(record).starts, 2);
    assert_int_equal(maxv_of(record), 40);
    assert_false(put(record, 39, 3));
    assert_true(put(record, 41, 3));
    live_record_close(record);
    record = reopen_as(LIVE_SILENCE, 4);
    assert_true(floor_of(record) == UINT64_C(1) << 40);
    assert_false(put_floor(record, 7, 4));
    assert_true(put_floor(record, UINT64_C(1) << 40, 3));
    live_record_close(record);
}

/* A lost record is a new one: of an earlier mode nothing is left, and by its
 * generation nothing is lost. */
TEST(test_repaired_record_has_the_payload_of_its_mode_alone)
{
    struct live_record *record;

    config.mode = LIVE_SILENCE;
    create();
    record = reopen();
    assert_true(put_floor(record, 5000, 3));
    live_record_close(record);
    store((const uint8_t *)"xyz", 3);
    config.mode = LIVE_PROVEN;
    assert_true(repair(640, 9));
    check_values(640, 9);
    record = reopen_as(LIVE_SILENCE, 5);
    assert_true(floor_of(record) == 0);
    assert_int_equal(live_record_kept(record).starts, 9);
    live_record_close(record);
}

/* ---- P4: a record that is not believed any more -------------------------- */

TEST(test_distrusted_record_is_refused_until_repaired)
{
    struct live_record *record;
    uint8_t bytes[FILE_BYTES];

    create();
    write_votes(4);
    record = reopen();
    assert_true(live_record_distrust(record, &error));
    live_record_close(record);
    for (uint32_t start = 0; start < 5; start++) {
        assert_int_equal(find(&record), LIVE_RECORD_SET_BACK);
        assert_non_null(strstr(error.text, "--repair"));
    }
    assert_int_equal(find_under(2, 78, &record), LIVE_RECORD_SET_BACK);
    load(bytes); /* also if one of the slots is lost */
    bytes[30] ^= 1;
    store(bytes, sizeof bytes);
    assert_int_equal(find(&record), LIVE_RECORD_SET_BACK);
    assert_false(live_record_create(&config, ME, &error));
    assert_true(repair(500, 7));
    check_values(500, 7);
}

/* A first start that failed leaves nothing behind. */
TEST(test_discarded_record_is_gone)
{
    struct live_record *record;

    create();
    live_record_discard(&config, ME);
    assert_int_equal(find(&record), LIVE_RECORD_MISSING);
    create();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RECORD_TEST(test_change_without_a_higher_generation_is_refused),
        RECORD_TEST(test_higher_generation_takes_the_record_over),
        RECORD_TEST(test_lower_generation_is_refused),
        RECORD_TEST(test_node_may_move_in_the_list),
        RECORD_TEST(test_replaced_node_needs_a_generation),
        RECORD_TEST(test_shorter_lease_waits_for_the_longer_one),
        RECORD_TEST(test_outdated_node_starts_with_that_generation),
        RECORD_TEST(test_stay_refuses_one_generation),
        RECORD_TEST(test_longest_quiet_time_is_remembered),
        RECORD_TEST(test_longest_quiet_time_of_a_generation_is_kept),
        RECORD_TEST(test_modes_leave_each_others_payloads_alone),
        RECORD_TEST(test_repaired_record_has_the_payload_of_its_mode_alone),
        RECORD_TEST(test_distrusted_record_is_refused_until_repaired),
        RECORD_TEST(test_discarded_record_is_gone),
    };

    return cmocka_run_group_tests_name("live_change", tests, NULL, NULL);
}
