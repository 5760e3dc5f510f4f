/*
 * test_firmware_bus.c - the parts of docs/examples/firmware/bus: letters over
 * short frames, whatever comes; the record over torn writes; a board that has
 * lost its record; the clock at its wrap.
 */
#include "protocols/mutex/view_lock/test_view_lock_node.h"

#include "docs/examples/firmware/bus/node.h"

/* ---- A board by hand ----------------------------------------------------- */

enum { SENT_MAX = 256 };

struct board {
    uint32_t clock, until;
    bool on;
    uint32_t frames;
    uint8_t frame[SENT_MAX][BUS_FRAME], size[SENT_MAX];
    uint8_t flash[BOARD_SLOTS][32];
    size_t tears; /* bytes after which a write ends */
};

uint32_t board_clock(struct board *b)
{
    return b->clock;
}

uint32_t board_draw(struct board *b, uint32_t below)
{
    (void)b;
    return below / 2;
}

void board_send(struct board *b, const uint8_t *frame, uint8_t size)
{
    assert_true(b->frames < SENT_MAX);
    memcpy(b->frame[b->frames], frame, size);
    b->size[b->frames++] = size;
}

void board_hold(struct board *b, uint32_t until, bool begins)
{
    b->on |= begins;
    b->until = until;
}

void board_let_go(struct board *b)
{
    b->on = false;
}

void board_read(struct board *b, uint32_t slot, uint8_t *bytes, size_t size)
{
    memcpy(bytes, b->flash[slot], size);
}

bool board_write(struct board *b, uint32_t slot, const uint8_t *bytes,
                 size_t size)
{
    memset(b->flash[slot], 0xff, sizeof b->flash[slot]);
    memcpy(b->flash[slot], bytes, b->tears < size ? b->tears : size);
    return b->tears >= size;
}

static struct board new_board(void)
{
    return (struct board){.clock = UINT32_MAX - 5, .tears = SIZE_MAX};
}

/* The letter that a board has sent, the n-th from 0; its size, or 0. */
static size_t letter_of(const struct board *b, uint32_t which,
                        uint8_t letter[BUS_LETTER])
{
    struct bus_inbox in = {0};

    for (uint32_t i = 0; i < b->frames; i++) {
        size_t size = bus_join(&in, b->frame[i], b->size[i], letter);

        if (size && which-- == 0)
            return size;
    }
    return 0;
}

static void hand_over(struct bus_node *n, uint32_t from, const uint8_t *letter,
                      size_t size)
{
    static uint8_t number;
    struct bus_split split;
    uint8_t frame[BUS_FRAME];

    bus_split(&split, letter, size);
    number++;
    for (uint32_t i = 0; i < bus_frames_of(&split); i++) {
        uint8_t bytes = bus_frame(&split, number, i, frame);

        bus_node_take(n, from, frame, bytes);
    }
}

static const struct view_lock_params params = {.tau = TAU,
                                               .lease = LEASE,
                                               .kill = KILL,
                                               .silence = SILENCE,
                                               .delta = DELTA,
                                               .idle = TAU,
                                               .quiet = QUIET};

/* ---- Letters ------------------------------------------------------------- */

static size_t random_letter(struct dice *d, uint8_t letter[BUS_LETTER])
{
    size_t size = 1 + throw_below(d, BUS_LETTER);

    for (size_t i = 0; i < size; i++)
        letter[i] = throw_below(d, 3) ? 0 : (uint8_t)throw_below(d, 256);
    return size;
}

/* Whatever order its frames come in, and however often. */
TEST(test_a_letter_comes_whole_in_any_order)
{
    struct dice *d = &(struct dice){1};

    for (uint32_t round = 0; round < rounds(1000); round++) {
        uint8_t letter[BUS_LETTER], got[BUS_LETTER], frame[BUS_FRAME];
        size_t size = random_letter(d, letter), whole = 0;
        struct bus_inbox in = {0};
        struct bus_split split;
        uint32_t count, came = 0;

        bus_split(&split, letter, size);
        count = bus_frames_of(&split);
        for (uint32_t turn = 0; turn < 2 * count; turn++) {
            uint32_t i =
                turn < count ? (turn * 7 + round) % count : turn - count;
            uint8_t bytes = bus_frame(&split, 7, i, frame);
            size_t joined = bus_join(&in, frame, bytes, got);

            came += joined > 0;
            whole = joined ? joined : whole;
        }
        assert_int_equal(came, 1);
        assert_int_equal(whole, size);
        assert_memory_equal(got, letter, size);
    }
}

/* A letter that lacks a frame does not come; the next one does; and a frame of
 * the one before does not end it. */
TEST(test_a_letter_that_lacks_a_frame_is_lost)
{
    struct dice *d = &(struct dice){1};

    for (uint32_t round = 0; round < rounds(1000); round++) {
        uint8_t letter[BUS_LETTER], got[BUS_LETTER], frame[BUS_FRAME];
        size_t size = random_letter(d, letter), joined = 0;
        struct bus_inbox in = {0};
        struct bus_split split;
        uint32_t count, missing;

        bus_split(&split, letter, size);
        count = bus_frames_of(&split);
        missing = throw_below(d, count);
        for (uint32_t i = 0; i < count; i++)
            if (i != missing)
                assert_int_equal(
                    bus_join(&in, frame, bus_frame(&split, 255, i, frame), got),
                    0);
        for (uint32_t i = 0; i < count; i++) {
            joined = bus_join(&in, frame, bus_frame(&split, 0, i, frame), got);
            if (i + 1 < count) {
                uint8_t late = bus_frame(&split, 255, missing, frame);

                assert_int_equal(bus_join(&in, frame, late, got), 0);
            }
        }
        assert_int_equal(joined, size);
    }
}

/* A board that starts anew may begin with any number. */
TEST(test_letters_of_a_new_start_are_taken)
{
    uint8_t letter[BUS_LETTER] = {1, 2, 3}, got[BUS_LETTER], frame[BUS_FRAME];
    struct bus_split split;

    bus_split(&split, letter, 3);
    assert_int_equal(bus_frames_of(&split), 2);
    for (uint32_t number = 0; number < 253; number++) {
        struct bus_inbox in = {0};

        for (uint32_t i = 0; i < 2; i++)
            (void)bus_join(&in, frame, bus_frame(&split, 0, i, frame), got);
        for (uint32_t i = 0; i < 2; i++)
            if (bus_join(&in, frame,
                         bus_frame(&split, (uint8_t)number, i, frame), got))
                assert_true(number > 0);
        assert_int_equal(in.number, number);
        assert_true(in.whole);
    }
}

/* A change of one bit of any frame: the sum tells. */
TEST(test_a_damaged_letter_does_not_come)
{
    struct dice *d = &(struct dice){1};

    for (uint32_t round = 0; round < rounds(1000); round++) {
        uint8_t letter[BUS_LETTER], got[BUS_LETTER], frame[BUS_FRAME];
        size_t size = random_letter(d, letter);
        struct bus_inbox in = {0};
        struct bus_split split;
        uint32_t count;

        bus_split(&split, letter, size);
        count = bus_frames_of(&split);
        split.bytes[throw_below(d, split.size)] ^=
            (uint8_t)(1u << throw_below(d, 8));
        for (uint32_t i = 0; i < count; i++)
            if (bus_join(&in, frame, bus_frame(&split, 1, i, frame), got))
                assert_memory_equal(got, letter, size);
    }
}

/* ---- A node -------------------------------------------------------------- */

/* What differs for each, the echoes, does not make two letters of a frame. */
TEST(test_a_frame_to_all_is_one_letter)
{
    struct board b = new_board();
    struct bus_node n = {0};
    uint8_t letter[BUS_LETTER];

    assert_true(bus_node_begin_flash(&b));
    bus_node_start(&n, &b, (struct fc_member){ME, NODES}, &params);
    assert_int_equal(n.standing, BUS_MEMBER);
    n.state.peer[PEER].echo_inc = 5;
    n.state.peer[OTHER].echo_inc = 6;
    n.state.peer[OTHER].echo_stamp = 70;
    b.clock += TAU;
    b.frames = 0;
    bus_node_run(&n);
    assert_int_equal(letter_of(&b, 0, letter),
                     BUS_LETTER_HEAD + VIEW_LOCK_FRAME_WIRE + 2 * 16);
    assert_int_equal(letter_of(&b, 1, letter), 0);
    (void)letter_of(&b, 0, letter);
    assert_int_equal(
        bus_get(letter + BUS_LETTER_HEAD + VIEW_LOCK_FRAME_WIRE, 8), 5);
    assert_int_equal(
        bus_get(letter + BUS_LETTER_HEAD + VIEW_LOCK_FRAME_WIRE + 24, 8), 70);
}

/* A frame that echoes a stamp of the future would be a lease without end. */
TEST(test_a_stamp_of_the_future_is_refused)
{
    struct board b = new_board();
    struct bus_node n = {0};
    uint8_t letter[BUS_LETTER] = {BUS_MESSAGE, 1u << ME};
    struct view_lock_msg m = frame_of(0, 1, 0);

    assert_true(bus_node_begin_flash(&b));
    bus_node_start(&n, &b, (struct fc_member){ME, NODES}, &params);
    (void)view_lock_pack(&m, letter + BUS_LETTER_HEAD);
    bus_put(letter + BUS_LETTER_HEAD + VIEW_LOCK_FRAME_WIRE, n.state.inc, 8);
    bus_put(letter + BUS_LETTER_HEAD + VIEW_LOCK_FRAME_WIRE + 8, n.now + 1, 8);
    hand_over(&n, PEER, letter, BUS_LETTER_HEAD + VIEW_LOCK_FRAME_WIRE + 16);
    assert_int_equal(n.state.peer[PEER].heard_at, 0);
    bus_put(letter + BUS_LETTER_HEAD + VIEW_LOCK_FRAME_WIRE + 8, n.now, 8);
    hand_over(&n, PEER, letter, BUS_LETTER_HEAD + VIEW_LOCK_FRAME_WIRE + 16);
    assert_int_equal(n.state.peer[PEER].heard_at, n.now);
    assert_int_equal(n.state.peer[PEER].acked, n.now);
}

/* Any frames, and letters of any bytes whose sums are right. */
TEST(test_hostile_bytes_do_no_harm)
{
    struct dice *d = &(struct dice){1};
    struct board b = new_board();
    struct bus_node n = {0};

    assert_true(bus_node_begin_flash(&b));
    bus_node_start(&n, &b, (struct fc_member){ME, NODES}, &params);
    for (uint32_t round = 0; round < rounds(100000); round++) {
        uint8_t letter[BUS_LETTER], frame[BUS_FRAME];
        size_t size = random_letter(d, letter);

        b.frames = 0;
        b.clock += throw_below(d, 3);
        for (uint32_t i = 0; i < BUS_FRAME; i++)
            frame[i] = (uint8_t)throw_below(d, 256);
        bus_node_take(&n, throw_below(d, 4), frame,
                      throw_below(d, BUS_FRAME + 1));
        letter[0] = (uint8_t)(1 + throw_below(d, 3));
        letter[1] = (uint8_t)throw_below(d, 8);
        letter[2] = 0;
        letter[BUS_LETTER_HEAD] = (uint8_t)throw_below(d, VIEW_LOCK_KINDS + 1);
        letter[BUS_LETTER_HEAD + 1] &= 63;
        hand_over(&n, throw_below(d, 4), letter, size);
        bus_node_run(&n);
        assert_null(n.broken);
    }
}

/* ---- The record ---------------------------------------------------------- */

/* Wherever the power fails, the record is the one before or the one after. */
TEST(test_a_torn_write_leaves_the_older_record)
{
    for (size_t tears = 0; tears <= 20; tears++) {
        struct board b = new_board();
        struct bus_record r = {0}, again = {0};
        struct view_lock_record older = {.maxv = 64, .starts = 1};
        struct view_lock_record newer = {.maxv = 129, .starts = 2}, found;

        assert_true(bus_record_write(&r, &b, &older));
        b.tears = tears;
        assert_int_equal(bus_record_write(&r, &b, &newer), tears == 20);
        assert_true(bus_record_read(&again, &b, &found));
        assert_int_equal(found.maxv, tears == 20 ? 129 : 64);
        /* The next write does not tear what is left. */
        b.tears = 0;
        assert_false(bus_record_write(&again, &b, &newer));
        assert_true(bus_record_read(&again, &b, &found));
        assert_int_equal(found.maxv, tears == 20 ? 129 : 64);
    }
}

/* A board whose record cannot be written lets go, and says nothing. */
TEST(test_flash_that_fails_ends_it)
{
    struct board b = new_board();
    struct bus_node n = {0};

    assert_true(bus_node_begin_flash(&b));
    b.on = true;
    b.tears = 3;
    bus_node_start(&n, &b, (struct fc_member){ME, NODES}, &params);
    assert_int_equal(n.standing, BUS_BROKEN);
    assert_false(b.on);
    assert_int_equal(b.frames, 0);
}

static void tells(struct bus_node *n, uint32_t from, uint32_t question,
                  uint32_t maxv, uint32_t inc)
{
    uint8_t letter[BUS_TELL_SIZE] = {BUS_TELL, 1u << ME};

    bus_put(letter + BUS_LETTER_HEAD, question, 4);
    bus_put(letter + BUS_LETTER_HEAD + 4, maxv, 4);
    bus_put(letter + BUS_LETTER_HEAD + 8, inc, 4);
    hand_over(n, from, letter, sizeof letter);
}

/* It asks all, takes the highest, and waits until no lease is left. */
TEST(test_a_board_without_a_record_asks_all_others)
{
    struct board b = new_board();
    struct bus_node n = {0};

    bus_node_start(&n, &b, (struct fc_member){ME, NODES}, &params);
    assert_int_equal(n.standing, BUS_STRANGER);
    bus_node_run(&n);
    assert_true(b.frames > 0);
    tells(&n, PEER, n.question, 640, 3);
    tells(&n, OTHER, n.question + 1, 9999, 9); /* asked by an earlier life */
    b.clock += QUIET;
    bus_node_run(&n);
    assert_int_equal(n.standing, BUS_STRANGER);
    tells(&n, OTHER, n.question, 577, 7);
    b.clock += QUIET - 1;
    bus_node_run(&n);
    assert_int_equal(n.standing, BUS_STRANGER);
    b.clock += 1;
    bus_node_run(&n);
    assert_int_equal(n.standing, BUS_MEMBER);
    assert_int_equal(n.state.record.maxv, 640);
    assert_int_equal(n.state.record.starts, 8); /* above all that were met */
}

/* A member answers with what is in its flash, and with the life it has met. */
TEST(test_a_member_answers_a_stranger)
{
    struct board b = new_board();
    struct bus_node n = {0};
    uint8_t letter[BUS_LETTER] = {BUS_ASK, 1u << ME, 0, 1, 2, 3, 4};

    assert_true(bus_node_begin_flash(&b));
    bus_node_start(&n, &b, (struct fc_member){ME, NODES}, &params);
    n.state.record.maxv = 640;
    n.state.peer[PEER].inc = 4;
    b.frames = 0;
    hand_over(&n, PEER, letter, BUS_ASK_SIZE);
    assert_int_equal(letter_of(&b, 0, letter), BUS_TELL_SIZE);
    assert_int_equal(letter[1], 1u << PEER);
    assert_int_equal(bus_get(letter + BUS_LETTER_HEAD, 4), 0x04030201);
    assert_int_equal(bus_get(letter + BUS_LETTER_HEAD + 4, 4), 640);
    assert_int_equal(bus_get(letter + BUS_LETTER_HEAD + 8, 4), 4);
}

/* ---- The clock ----------------------------------------------------------- */

TEST(test_a_counter_that_wraps_is_a_clock_that_does_not)
{
    struct fc_counter c = {0};

    assert_int_equal(fc_counter_read(&c, UINT32_MAX - 1), 1);
    assert_int_equal(fc_counter_read(&c, UINT32_MAX), 2);
    assert_int_equal(fc_counter_read(&c, 3), 6);
    assert_int_equal(fc_counter_read(&c, 1), 6); /* read earlier, told later */
    assert_int_equal(fc_counter_read(&c, 3), 6);
    assert_true(fc_counter_read(&c, 3u + INT32_MAX) == 6ull + INT32_MAX);
    assert_true(fc_counter_read(&c, 1) == 4 + (UINT64_C(1) << 32));
}

/* A holder that is cut off while its counter wraps. */
static uint8_t role_after_wrap(bool wraps)
{
    struct fc_counter clock = {0};
    struct bench b = member(VIEW_LOCK_WHOLE);
    uint32_t counter = UINT32_MAX - LEASE / 2;

    clock.now = clock.last = counter;
    b.now = clock.now;
    reads(&b, PEER, frame_of(VIEW, 2, 0));
    times_out(&b);
    reads(&b, PEER, frame_of(VIEW, 3, b.now));
    commands(&b, MUTEX_WANT);
    reads(&b, PEER, clear_of(VIEW, 1));
    reads(&b, OTHER, clear_of(VIEW, 1));
    assert_int_equal(role(&b), MUTEX_INSIDE);
    for (uint32_t i = 0; i < 20 * LEASE / TAU; i++) {
        counter += TAU;
        b.now = fc_counter_read(&clock, counter);
        if (wraps)
            b.now = counter;
        times_out(&b);
    }
    return role(&b);
}

TEST(test_a_holder_that_is_cut_off_lets_go_at_the_wrap)
{
    assert_int_equal(role_after_wrap(false), MUTEX_IDLE);
    assert_int_equal(role_after_wrap(true), MUTEX_INSIDE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_letter_comes_whole_in_any_order),
        cmocka_unit_test(test_a_letter_that_lacks_a_frame_is_lost),
        cmocka_unit_test(test_letters_of_a_new_start_are_taken),
        cmocka_unit_test(test_a_damaged_letter_does_not_come),
        cmocka_unit_test(test_a_frame_to_all_is_one_letter),
        cmocka_unit_test(test_a_stamp_of_the_future_is_refused),
        cmocka_unit_test(test_hostile_bytes_do_no_harm),
        cmocka_unit_test(test_a_torn_write_leaves_the_older_record),
        cmocka_unit_test(test_flash_that_fails_ends_it),
        cmocka_unit_test(test_a_board_without_a_record_asks_all_others),
        cmocka_unit_test(test_a_member_answers_a_stranger),
        cmocka_unit_test(test_a_counter_that_wraps_is_a_clock_that_does_not),
        cmocka_unit_test(test_a_holder_that_is_cut_off_lets_go_at_the_wrap),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
