/*
 * test_live_formats.c - the bytes of a record, as this program writes them
 * and all before it, to the last one; and what a later program has written.
 */
#include "live/record/place.h"
#include "tests/unit/kit/record_file.h"

enum {
    AT_DIGIT = 5,
    AT_SIZE = 16,
    AT_COUNT = 52,
    AT_PLACE = 72,
    AT_PAYLOADS = 96
};

/* Node 1, generation 1 (the first: none), write 31; maxv 640, start 9, floor
 * 5000. */
/* clang-format off */
static const uint8_t furec2[] = {
    0x46, 0x75, 0x52, 0x65, 0x63, 0x32, 0x0d, 0x0a,
    0x1f, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x67, 0x12, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x01, 0x00, 0x00, 0x00, 0x80, 0x02, 0x00, 0x00,
    0x09, 0x00, 0x00, 0x00, 0x88, 0x13, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x1d, 0x16, 0x97, 0xb0,
};
static const uint8_t furec3[] = {
    0x46, 0x75, 0x52, 0x65, 0x63, 0x33, 0x0d, 0x0a,
    0x1f, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x4d, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x01, 0x00, 0x00, 0x00, 0x80, 0x02, 0x00, 0x00,
    0x09, 0x00, 0x00, 0x00, 0x88, 0x13, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0xa2, 0x86, 0x01, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0xd0, 0x35, 0xe6, 0x2e,
};
static const uint8_t furec4[] = {
    0x46, 0x75, 0x52, 0x65, 0x63, 0x34, 0x0d, 0x0a,
    0x1f, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x58, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x4d, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0xa2, 0x86, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x01, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00,
    0x09, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00,
    0x01, 0x00, 0x01, 0x00, 0x04, 0x00, 0x00, 0x00,
    0x80, 0x02, 0x00, 0x00, 0x02, 0x00, 0x01, 0x00,
    0x08, 0x00, 0x00, 0x00, 0x88, 0x13, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x26, 0x46, 0x19, 0x9f,
};
static const uint8_t furec5[] = {
    0x46, 0x75, 0x52, 0x65, 0x63, 0x35, 0x0d, 0x0a,
    0x1f, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x80, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x4d, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0xa2, 0x86, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x01, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00,
    0x09, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x01, 0x00, 0x01, 0x00, 0x04, 0x00, 0x00, 0x00,
    0x80, 0x02, 0x00, 0x00, 0x02, 0x00, 0x01, 0x00,
    0x08, 0x00, 0x00, 0x00, 0x88, 0x13, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x9b, 0xfa, 0x4b, 0xe6,
};
/* What follows from any of them: write 33, maxv 641, start 10; and Wfull.  The
 * place is still to be filled in. */
static const uint8_t furec6[] = {
    0x46, 0x75, 0x52, 0x65, 0x63, 0x36, 0x0d, 0x0a,
    0x21, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x80, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x4d, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0xa2, 0x86, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x01, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00,
    0x0a, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x01, 0x00, 0x01, 0x00, 0x04, 0x00, 0x00, 0x00,
    0x81, 0x02, 0x00, 0x00, 0x02, 0x00, 0x01, 0x00,
    0x08, 0x00, 0x00, 0x00, 0x88, 0x13, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0xbc, 0x3c, 0x04, 0x56,
};
/* clang-format on */

static const struct {
    const uint8_t *bytes;
    size_t size;
} earlier[] = {{furec2, sizeof furec2},
               {furec3, sizeof furec3},
               {furec4, sizeof furec4},
               {furec5, sizeof furec5}};

/* ---- Files --------------------------------------------------------------- */

/* A file with this as its second slot, and a first one that is not whole. */
static void store_second(const uint8_t *slot, size_t size)
{
    uint8_t bytes[FILE_BYTES] = {0};

    memcpy(bytes + SLOT, slot, size);
    store(bytes, sizeof bytes);
}

/* Makes the crc right, at the end that the slot names. */
static void seal(uint8_t *slot)
{
    uint32_t end = fc_get32(slot + AT_SIZE) - 4;

    fc_put32(slot + end, live_crc(slot, end));
}

static uint64_t floor_in_next_generation(void)
{
    struct live_record *record;
    uint64_t floor;

    config.mode = LIVE_SILENCE;
    config.generation++;
    config.hash++;
    record = reopen();
    floor = fc_get64(live_record_kept(record).bytes);
    live_record_close(record);
    return floor;
}

/* ---- Earlier programs ---------------------------------------------------- */

TEST(test_earlier_formats_are_read)
{
    for (size_t i = 0; i < COUNT(earlier); i++) {
        struct live_record *record;

        store_second(earlier[i].bytes, earlier[i].size);
        check_values(640, 9);
        record = reopen();
        assert_int_equal(live_record_change(record).changed, i == 0);
        assert_int_equal(live_record_change(record).generation, 0);
        live_record_close(record);
        assert_true(floor_in_next_generation() == 5000);
        config.mode = LIVE_PROVEN;
        config.generation--;
        config.hash--;
    }
}

TEST(test_damaged_slot_of_an_earlier_program_is_bad)
{
    for (size_t i = 0; i < COUNT(earlier); i++)
        for (size_t at = 0; at < earlier[i].size; at++) {
            uint8_t slot[SLOT] = {0};
            struct live_record *record;

            memcpy(slot, earlier[i].bytes, earlier[i].size);
            slot[at] ^= 0x10;
            store_second(slot, sizeof slot);
            assert_int_equal(find(&record), LIVE_RECORD_BAD);
        }
}

/* The slot that is expected, with the place that the file has. */
static void check_slot(const uint8_t *slot)
{
    uint8_t expected[sizeof furec6];
    int file = open(path, O_RDONLY);
    struct live_place here = live_place_of(file);

    close(file);
    memcpy(expected, furec6, sizeof expected);
    fc_put64(expected + AT_PLACE, here.machine);
    fc_put64(expected + AT_PLACE + 8, here.volume);
    fc_put32(expected + AT_PLACE + 16, here.file);
    fc_put32(expected + AT_PLACE + 20, here.born);
    seal(expected);
    assert_memory_equal(slot, expected, sizeof expected);
}

/* An earlier program takes what it does not know for torn: if it found a slot
 * of its own it would forget what was written since. */
TEST(test_first_write_leaves_no_slot_to_an_earlier_program)
{
    for (size_t i = 0; i < COUNT(earlier); i++) {
        uint8_t bytes[FILE_BYTES];
        struct live_record *record;

        store_second(earlier[i].bytes, earlier[i].size);
        record = reopen();
        assert_true(put(record, 641, 10));
        live_record_close(record);
        load(bytes);
        assert_memory_equal(bytes, furec6, AT_DIGIT + 1);
        check_slot(bytes + SLOT);
        check_values(641, 10);
    }
}

/* Whichever of the two writes is cut short, and wherever. */
TEST(test_takeover_that_is_cut_short_forgets_nothing)
{
    uint8_t after[FILE_BYTES], torn[FILE_BYTES] = {0};
    struct live_record *record;

    store_second(furec3, sizeof furec3);
    record = reopen();
    assert_true(put(record, 641, 10));
    live_record_close(record);
    load(after);
    memcpy(torn + SLOT, furec3, sizeof furec3);
    for (size_t at = 0; at < FILE_BYTES; at += SLOT)
        for (size_t cut = 0; cut <= sizeof furec6; cut++) {
            bool whole;

            memcpy(torn + at, after + at, cut);
            /* The rest may be there without being written: the last byte of a
             * crc is what was there before in one of 256 places. */
            whole = at && !memcmp(torn + at, after + at, sizeof furec6);
            store(torn, sizeof torn);
            check_values(whole ? 641 : 640, whole ? 10 : 9);
        }
}

/* ---- This one ------------------------------------------------------------ */

TEST(test_this_format_is_read)
{
    store_second(furec6, sizeof furec6);
    check_values(641, 10);
    assert_true(floor_in_next_generation() == 5000);
}

/* A payload may be as long as most of a slot, and then short again. */
static bool follows_any(const uint8_t *next, uint32_t next_size,
                        const uint8_t *before, uint32_t before_size)
{
    (void)next_size;
    (void)before_size;
    return next[0] >= before[0];
}

static const struct live_payload any_size = {LIVE_PAYLOAD_PROVEN, 1, 4,
                                             LIVE_PAYLOAD_MAX, follows_any};

static struct live_record *reopen_any(void)
{
    struct live_record *record;

    assert_int_equal(live_record_open(&record, &config, ME, &any_size, &error),
                     LIVE_RECORD_FINE);
    return record;
}

/* A payload of this size, all its bytes such. */
static struct live_kept filled(uint32_t size, uint8_t byte)
{
    struct live_kept kept = {.starts = 10, .size = size};

    memset(kept.bytes, byte, size < LIVE_PAYLOAD_MAX ? size : LIVE_PAYLOAD_MAX);
    return kept;
}

TEST(test_size_of_a_payload_may_change)
{
    static const uint32_t sizes[] = {4, 33, 512, LIVE_PAYLOAD_MAX, 5, 700, 4};

    store_second(furec6, sizeof furec6); /* with one of mode silence */
    for (uint32_t i = 0; i < COUNT(sizes); i++) {
        struct live_record *record = reopen_any();
        struct live_kept kept = filled(sizes[i], (uint8_t)(0x82 + i)), found;

        assert_true(live_record_write(record, &kept, &error));
        live_record_close(record);
        record = reopen_any();
        found = live_record_kept(record);
        assert_memory_equal(&found, &kept, sizeof kept);
        live_record_close(record);
    }
    assert_true(floor_in_next_generation() == 5000);
}

TEST(test_size_that_a_mode_does_not_have_is_refused)
{
    static const uint32_t sizes[] = {0, 3, LIVE_PAYLOAD_MAX + 1};
    struct live_kept kept = filled(LIVE_PAYLOAD_MAX, 0x90);
    struct live_record *record;

    store_second(furec6, sizeof furec6);
    record = reopen_any();
    for (uint32_t i = 0; i < COUNT(sizes); i++) {
        struct live_kept wrong = filled(sizes[i], 0x91);

        assert_false(live_record_write(record, &wrong, &error));
        assert_non_null(strstr(error.text, "as many bytes as it says"));
    }
    assert_true(live_record_write(record, &kept, &error));
    live_record_close(record);
    assert_int_equal(find(&record), LIVE_RECORD_BAD); /* by mode proven's */
    unlink(path);
    kept.size = 3;
    assert_false(live_record_repair(&config, ME, &any_size, &kept, &error));
    kept.size = 600;
    assert_true(live_record_repair(&config, ME, &any_size, &kept, &error));
    record = reopen_any();
    assert_int_equal(live_record_kept(record).size, 600);
    live_record_close(record);
}

/* Cut short in any of its sectors, a long one leaves the one before it. */
TEST(test_long_payload_that_is_cut_short_is_torn)
{
    uint8_t before[FILE_BYTES], after[FILE_BYTES], torn[FILE_BYTES];
    struct live_kept first = filled(2000, 1), next = filled(3000, 2);
    struct live_record *record;

    create();
    record = reopen_any();
    assert_true(live_record_write(record, &first, &error));
    load(before);
    assert_true(live_record_write(record, &next, &error));
    load(after);
    live_record_close(record);
    for (size_t slot = 0; slot < FILE_BYTES; slot += SLOT) {
        if (memcmp(before + slot, after + slot, SLOT) == 0)
            continue;
        for (size_t cut = 0; cut < 3000; cut += 97) { /* bytes, or sectors */
            memcpy(torn, before, sizeof torn);
            memcpy(torn + slot, after + slot, cut);
            store(torn, sizeof torn);
            record = reopen_any();
            assert_int_equal(live_record_kept(record).bytes[0], 1);
            live_record_close(record);
            memcpy(torn, after, sizeof torn);
            memcpy(torn + slot, before + slot, cut);
            store(torn, sizeof torn);
            record = reopen_any();
            assert_int_equal(live_record_kept(record).bytes[0], cut ? 1 : 2);
            live_record_close(record);
        }
    }
}

/* The crc is right, and what it covers is not. */
TEST(test_slot_that_contradicts_itself_is_bad)
{
    static const struct {
        size_t at;
        uint8_t byte;
    } cases[] = {
        {AT_SIZE, 127},         /* ends within a payload */
        {AT_SIZE, 129},         /* and behind the last one */
        {AT_SIZE, 99},          /* within the head */
        {AT_COUNT, 1},          /* fewer than there are */
        {AT_COUNT, 3},          /* more */
        {AT_COUNT, 5},          /* more than can be */
        {AT_PAYLOADS, 2},       /* two of one mode */
        {AT_PAYLOADS + 2, 0},   /* no version */
        {AT_PAYLOADS + 4, 16},  /* of this mode, and of another size */
        {AT_PAYLOADS + 4, 200}, /* larger than any */
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        uint8_t slot[SLOT] = {0};
        struct live_record *record;

        memcpy(slot, furec6, sizeof furec6);
        slot[cases[i].at] = cases[i].byte;
        seal(slot);
        store_second(slot, sizeof slot);
        assert_int_equal(find(&record), LIVE_RECORD_BAD);
        assert_non_null(strstr(error.text, "--repair"));
    }
}

/* ---- Later programs ------------------------------------------------------ */

static void check_later(void)
{
    uint8_t before[FILE_BYTES], after[FILE_BYTES];
    struct live_record *record;

    load(before);
    assert_int_equal(find(&record), LIVE_RECORD_LATER);
    assert_null(record);
    assert_non_null(strstr(error.text, "start the node with that version"));
    assert_false(repair(700, 20));
    assert_non_null(strstr(error.text, "later version"));
    assert_false(live_record_create(&config, ME, &error));
    load(after);
    assert_memory_equal(before, after, sizeof before);
}

TEST(test_later_format_is_refused_if_it_counts)
{
    uint8_t bytes[FILE_BYTES] = {0};

    memcpy(bytes, furec3, sizeof furec3); /* write 31, before 33 */
    memcpy(bytes + SLOT, furec6, sizeof furec6);
    bytes[SLOT + AT_DIGIT] = '7';
    store(bytes, sizeof bytes); /* its crc is wrong: a torn write */
    check_values(640, 9);
    bytes[SLOT + AT_COUNT] = 255; /* nobody knows what that means there */
    seal(bytes + SLOT);
    store(bytes, sizeof bytes);
    check_later();
    bytes[SLOT + 8] = 30;
    seal(bytes + SLOT);
    store(bytes, sizeof bytes);
    check_values(640, 9);
}

TEST(test_later_payload_is_refused_by_its_mode)
{
    uint8_t slot[sizeof furec6];

    memcpy(slot, furec6, sizeof slot);
    slot[AT_PAYLOADS + 2] = 2;
    seal(slot);
    store_second(slot, sizeof slot);
    check_later();
}

/* Nor is it repaired by a program that does not know what it promises. */
TEST(test_later_payload_is_refused_if_it_was_set_back_too)
{
    uint8_t slot[sizeof furec6];

    memcpy(slot, furec6, sizeof slot);
    slot[AT_PAYLOADS + 2] = 2;
    slot[20] = 1; /* the flag */
    seal(slot);
    store_second(slot, sizeof slot);
    check_later();
}

/* A payload of another mode, of any version, or of a mode of which nothing is
 * known: it is there afterwards, byte for byte. */
TEST(test_payload_of_another_mode_is_carried_along)
{
    for (uint8_t mode = 1; mode < 8; mode += 6) {
        uint8_t bytes[FILE_BYTES], slot[sizeof furec6];
        struct live_kept kept;
        struct live_record *record;

        memcpy(slot, furec6, sizeof slot);
        slot[AT_PAYLOADS] = mode;
        slot[AT_PAYLOADS + 2] = 9;
        seal(slot);
        store_second(slot, sizeof slot);
        config.mode = LIVE_SILENCE;
        record = reopen();
        kept = live_record_kept(record);
        assert_int_equal(kept.starts, 10);
        for (uint64_t floor = 6000; floor < 6003; floor++) {
            fc_put64(kept.bytes, floor);
            assert_true(live_record_write(record, &kept, &error));
        }
        live_record_close(record);
        load(bytes);
        for (size_t at = 0; at < FILE_BYTES; at += SLOT)
            assert_memory_equal(bytes + at + AT_PAYLOADS, slot + AT_PAYLOADS,
                                12);
        assert_int_equal(fc_get64(bytes + AT_PAYLOADS + 20), 6002);
    }
}

/* As many modes as there is room for, and none is this one. */
TEST(test_record_full_of_other_modes_is_refused)
{
    uint8_t slot[SLOT] = {0};

    memcpy(slot, furec6, AT_PAYLOADS);
    fc_put32(slot + AT_COUNT, 4);
    for (uint8_t i = 0; i < 4; i++)
        slot[AT_PAYLOADS + 8 * i] = (uint8_t)(10 + i);
    fc_put32(slot + AT_SIZE, AT_PAYLOADS + 32 + 4);
    seal(slot);
    store_second(slot, sizeof slot);
    check_later();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RECORD_TEST(test_earlier_formats_are_read),
        RECORD_TEST(test_damaged_slot_of_an_earlier_program_is_bad),
        RECORD_TEST(test_first_write_leaves_no_slot_to_an_earlier_program),
        RECORD_TEST(test_takeover_that_is_cut_short_forgets_nothing),
        RECORD_TEST(test_this_format_is_read),
        RECORD_TEST(test_size_of_a_payload_may_change),
        RECORD_TEST(test_size_that_a_mode_does_not_have_is_refused),
        RECORD_TEST(test_long_payload_that_is_cut_short_is_torn),
        RECORD_TEST(test_slot_that_contradicts_itself_is_bad),
        RECORD_TEST(test_later_format_is_refused_if_it_counts),
        RECORD_TEST(test_later_payload_is_refused_by_its_mode),
        RECORD_TEST(test_later_payload_is_refused_if_it_was_set_back_too),
        RECORD_TEST(test_payload_of_another_mode_is_carried_along),
        RECORD_TEST(test_record_full_of_other_modes_is_refused),
    };

    return cmocka_run_group_tests_name("live_formats", tests, NULL, NULL);
}
