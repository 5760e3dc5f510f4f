/*
 * test_live_delay.c - delays of frames, by clocks that were never set to each
 * other.
 */
#include "tests/unit/kit/testing.h"

#include "live/mode/delay.h"

enum { TAU = 10000, LIMIT = 5000 };

/* Frames from `from` on, each with this delay; the peer's clock is far from
 * ours, ahead or behind. */
static uint64_t arrive(struct live_delay *d, uint64_t from, int64_t offset,
                       int frames, uint64_t delay)
{
    for (int i = 0; i < frames; i++, from += TAU)
        live_delay_take(d, LIMIT, 1, from + delay, from + (uint64_t)offset,
                        from > TAU ? from - TAU : 0);
    return from;
}

/* What all frames have in common cannot be seen; what one has more can, and is
 * late beyond the limit. */
TEST(test_a_late_frame_is_noticed)
{
    static const int64_t offsets[] = {0, -900000000, 900000000};

    for (size_t i = 0; i < COUNT(offsets); i++) {
        struct live_delay d = {0};
        uint64_t now = arrive(&d, UINT64_C(5000000000), offsets[i], 100, 700);

        assert_int_equal(d.last, 0);
        assert_int_equal(d.late, 0);
        now = arrive(&d, now, offsets[i], 1, 700 + LIMIT);
        assert_int_equal(d.last, LIMIT);
        assert_int_equal(d.late, 0);
        now = arrive(&d, now, offsets[i], 1, 701 + LIMIT);
        assert_int_equal(d.late, 1);
        assert_int_equal(d.greatest, LIMIT + 1);
        (void)arrive(&d, now, offsets[i], 1, 700);
        assert_int_equal(d.last, 0);
        assert_true(d.mean > 0 && d.mean < LIMIT);
    }
}

/* The round trip is the shortest of the last seconds. */
TEST(test_round_trip)
{
    struct live_delay d = {0};
    uint64_t now = arrive(&d, 50000000, 0, 10, 300);

    assert_int_equal(d.round, TAU + 300);
    now = arrive(&d, now, 0, 100, 900);
    assert_int_equal(d.round, TAU + 300);
    (void)arrive(&d, now, 0, 500, 900);
    assert_int_equal(d.round, TAU + 900);
}

/* Clocks that run apart, as quartzes do, make no frame late: the quickest one
 * is forgotten after a few seconds. */
TEST(test_drift_is_no_delay)
{
    struct live_delay d = {0};
    uint64_t now = UINT64_C(7000000000);

    for (int i = 0; i < 60000; i++, now += TAU) /* 200 millionths, 10 minutes */
        live_delay_take(&d, LIMIT, 1, now, now - now / 5000, 0);
    assert_int_equal(d.late, 0);
    assert_true(d.greatest < 1000);
    assert_int_equal(d.frames, 60000);
}

/* A peer that was started again may have another clock; after a long silence
 * nothing of before counts. */
TEST(test_another_life_begins_anew)
{
    struct live_delay d = {0};

    (void)arrive(&d, 90000000, 0, 10, 100);
    live_delay_take(&d, LIMIT, 2, 95000000, 1000, 0);
    assert_int_equal(d.frames, 1);
    assert_int_equal(d.last, 0);
    live_delay_take(&d, LIMIT, 2, 195000000, 100000000, 0);
    assert_int_equal(d.last, 0);
    assert_int_equal(d.late, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_late_frame_is_noticed),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_drift_is_no_delay),
        cmocka_unit_test(test_another_life_begins_anew),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
