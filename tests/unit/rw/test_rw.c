/*
 * test_rw.c - the readers-writers register, one thread at a time: what happens
 * between two statements is decided by a hook, and bytes from outside are what
 * an enemy would put there.
 */
#include "tests/unit/kit/rw_register.h"

/* ---- Reading and writing ------------------------------------------------- */

RW_DEFINE(place, struct pose);

/* A static register needs no call before the first read. */
TEST(test_static_register_is_ready)
{
    struct pose p = pose(1), zero;
    struct rw_writer w;

    memset(&zero, 0, sizeof zero);
    assert_int_equal(rw_read(&place, &p), 1);
    assert_memory_equal(&p, &zero, sizeof zero);
    assert_int_equal(rw_open(&w, &place), RW_OK);
    assert_true(w.pause_ns > 0);
    p = pose(3);
    assert_int_equal(rw_write(&w, &p), RW_OK);
    p = pose(4);
    assert_int_equal(rw_read(&place, &p), 1);
    assert_true(same(&p, 3));
    assert_int_equal(rw_version(&place), 1);
    rw_close(&w);
}

/* Neither a read nor a write touches a byte beside the value. */
TEST(test_nothing_beside_the_value_is_touched)
{
    for (size_t size = 8; size <= 300; size++) {
        struct rw r = {.size = 0};
        struct rw_writer w;
        unsigned char in[302], out[302];

        memset(memory, 0x5a, sizeof memory);
        assert_int_equal(rw_init(&r, memory, rw_size(size), size, &quick),
                         RW_OK);
        assert_int_equal(rw_open(&w, &r), RW_OK);
        for (size_t i = 0; i < sizeof in; i++)
            in[i] = (unsigned char)(7 * i + size);
        memset(out, 0xee, sizeof out);
        assert_int_equal(rw_write(&w, in), RW_OK);
        assert_int_equal(rw_read(&r, out + 1), 1);
        assert_memory_equal(in, out + 1, size);
        assert_int_equal(out[0], 0xee);
        assert_int_equal(out[1 + size], 0xee);
        assert_int_equal(memory[rw_size(size)], 0x5a);
        rw_close(&w);
    }
}

/* What the hook does, and when. */
static struct {
    struct rw_writer *writer;
    int place;
    int times;
    uint32_t number;
} plot;

static void write_at(int place_now)
{
    if (place_now != plot.place || plot.times == 0)
        return;
    struct pose p = pose(plot.number++);

    plot.times--;
    hook = NULL;
    assert_int_equal(rw_write(plot.writer, &p), RW_OK);
    hook = write_at;
}

/* A write anywhere within a read is noticed, and costs one attempt. */
TEST(test_write_within_a_read_is_noticed)
{
    static const int places[] = {RW_AT_READ, RW_AT_LOADED, RW_AT_CHECK};

    for (int i = 0; i < 3; i++) {
        struct rw r = made();
        struct rw_writer w;
        struct pose p;

        assert_int_equal(rw_open(&w, &r), RW_OK);
        for (int times = 1; times <= 3; times++) {
            plot.writer = &w;
            plot.place = places[i];
            plot.times = times;
            plot.number = 10;
            hook = write_at;
            /* With several words, several writes fit into one attempt. */
            int64_t attempts = rw_read(&r, &p);

            hook = NULL;
            assert_in_range(attempts, 2, times + 1);
            assert_true(same(&p, plot.number - 1));
        }
        rw_close(&w);
    }
}

static struct {
    const struct rw *r;
    int tries, refused;
} peek;

static void read_within(int place_now)
{
    struct pose p;

    if (place_now < RW_AT_WRITE || place_now > RW_AT_PUBLISH)
        return;
    hook = NULL;
    peek.tries++;
    peek.refused += !rw_try(peek.r, &p);
    hook = read_within;
}

/* A read wholly within a write is refused, wherever the write has got to. */
TEST(test_read_within_a_write_is_refused)
{
    struct rw r = made();
    struct rw_writer w;
    struct pose p = pose(5);

    assert_int_equal(rw_open(&w, &r), RW_OK);
    peek.r = &r;
    peek.tries = peek.refused = 0;
    hook = read_within;
    assert_int_equal(rw_write(&w, &p), RW_OK);
    hook = NULL;
    assert_int_equal(peek.tries, 2 + 5); /* 37 bytes are 5 words */
    assert_int_equal(peek.refused, peek.tries);
    assert_true(rw_try(&r, &p));
    rw_close(&w);
}

/* ---- Waiting ------------------------------------------------------------- */

/* Two writes are a pause apart, and a writer that is slow does not wait. */
TEST(test_writer_pauses_between_writes_only)
{
    struct rw_options slow = {RW_WRITER, {500000, 0.5, 0}}; /* 2 ms */
    struct pose p = pose(1);
    struct rw_writer w;
    struct rw r = {.size = 0};

    assert_int_equal(rw_init(&r, memory, sizeof memory, sizeof p, &slow),
                     RW_OK);
    assert_int_equal(rw_open(&w, &r), RW_OK);
    assert_int_equal(w.pause_ns, 2000001);
    rw_write(&w, &p);
    uint64_t ended = w.ended_ns;

    rw_write(&w, &p);
    assert_true(w.ended_ns - ended >= w.pause_ns);
    /* The quickest of many: others may need the processor. */
    uint64_t least = UINT64_MAX;

    for (int i = 0; i < 10; i++) {
        rw_wait_until(w.ended_ns + w.pause_ns + 1000);
        uint64_t began = rw_now_ns();

        rw_write(&w, &p);
        least = w.ended_ns - began < least ? w.ended_ns - began : least;
    }
    assert_true(least < w.pause_ns / 2);
    rw_close(&w);
}

/* The paper lets readers wait as well, between (R+W)/gamma and twice that. */
TEST(test_paper_lets_readers_wait)
{
    struct rw_options paper = {RW_PAPER, {500000, 0.5, 0}};
    struct pose p;
    struct rw r = {.size = 0};

    assert_int_equal(rw_init(&r, memory, sizeof memory, sizeof p, &paper),
                     RW_OK);
    uint64_t began = rw_now_ns();

    assert_int_equal(rw_read(&r, &p), 1);
    assert_true(rw_now_ns() - began >= 2000000);
    for (int i = 0; i < 1000; i++)
        assert_in_range(rw_draw_ns(1000), 1000, 2000);
}

TEST(test_pause_is_two_slow_reads)
{
    struct rw_pace pace = {100, 0.25, 0};

    assert_int_equal(rw_pause_ns(&pace), 801);
    assert_int_equal(rw_attempts_max(&pace), 6);
    pace.gamma = 0.3;
    assert_int_equal(rw_attempts_max(&pace), 6); /* ceil(3.33) + 2 */
    pace.gamma = 1;
    assert_int_equal(rw_attempts_max(&pace), 3);
}

TEST(test_impossible_paces_are_refused)
{
    static const struct rw_pace bad[] = {
        {100, 0, 0}, {100, 1.5, 0}, {100, -1, 0}, {-1, 0.5, 0}, {1e18, 1, 0}};
    struct rw r = {.size = 0};

    for (int i = 0; i < 5; i++) {
        struct rw_options options = {RW_WRITER, bad[i]};

        assert_int_equal(rw_init(&r, memory, sizeof memory, 64, &options),
                         RW_REFUSED);
    }
    struct rw_options strange = {(enum rw_scheme)7, {1, 1, 0}};

    assert_int_equal(rw_init(&r, memory, sizeof memory, 64, &strange),
                     RW_REFUSED);
}

TEST(test_calibration_finds_a_pace)
{
    struct rw r = made();
    struct rw_pace pace;

    rw_calibrate(&r, 500, &pace);
    assert_true(pace.read_ns >= 1);
    assert_true(pace.gamma > 0 && pace.gamma <= 1);
    assert_true(pace.slowest_ns >= pace.read_ns);
    assert_true(rw_pause_ns(&pace) > 0);
}

/* ---- Bytes from outside -------------------------------------------------- */

TEST(test_attach_refuses_what_is_no_register)
{
    struct rw r = made();
    size_t size = sizeof(struct pose);

    assert_int_equal(rw_attach(&r, memory, sizeof memory, size), RW_OK);
    assert_int_equal(rw_attach(&r, memory, sizeof memory, size + 1), RW_SIZE);
    assert_int_equal(rw_attach(&r, memory, rw_size(size) - 1, size), RW_SMALL);
    assert_int_equal(rw_attach(&r, memory + 8, 2048, size), RW_UNALIGNED);
    assert_int_equal(rw_attach(&r, NULL, 4096, size), RW_SMALL);
    assert_int_equal(rw_attach(&r, memory, sizeof memory, 7), RW_REFUSED);
    assert_int_equal(rw_size(7), 0);
    assert_int_equal(rw_size(SIZE_MAX), 0);
    assert_int_equal(rw_size(8), 104);
    assert_int_equal(rw_size(9), 112);

    struct rw_head *h = (struct rw_head *)(void *)memory;

    atomic_store(&h->scheme, 3);
    assert_int_equal(rw_attach(&r, memory, sizeof memory, size), RW_CORRUPT);
    atomic_store(&h->scheme, 0);
    atomic_store(&h->rest, RW_REST_MAX + 1);
    assert_int_equal(rw_attach(&r, memory, sizeof memory, size), RW_CORRUPT);
    atomic_store(&h->layout, 2);
    assert_int_equal(rw_attach(&r, memory, sizeof memory, size), RW_VERSION);
    atomic_store(&h->magic, RW_MAGIC + 1);
    assert_int_equal(rw_attach(&r, memory, sizeof memory, size), RW_FOREIGN);
    atomic_store(&h->magic, 0);
    assert_int_equal(rw_attach(&r, memory, sizeof memory, size), RW_UNREADY);
}

/* Counters near their end, or out of order, are nobody's work. */
TEST(test_impossible_counters_are_refused)
{
    static const uint64_t bad[][2] = {
        {3, 4}, {RW_COUNT_MAX, 0}, {UINT64_MAX, UINT64_MAX}};

    for (int i = 0; i < 3; i++) {
        struct rw r = made();
        struct rw_writer w;

        atomic_store(&r.head->v1, bad[i][0]);
        atomic_store(&r.head->v2, bad[i][1]);
        assert_int_equal(rw_open(&w, &r), RW_CORRUPT);
        assert_int_equal(atomic_load(&r.head->owner), 0);
    }
}

static uint64_t next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return *state >> 11;
}

/* An enemy writes anything anywhere after the reader has attached: the reader
 * returns, and touches nothing outside. */
TEST(test_hostile_bytes_do_no_harm)
{
    uint64_t dice = 5;

    for (int round = 0; round < 300; round++) {
        struct rw r = made(), other = r;
        unsigned char out[sizeof(struct pose) + 2];
        struct rw_writer w;

        for (uint64_t n = next(&dice) % 12; n > 0; n--)
            memory[next(&dice) % rw_size(sizeof(struct pose))] =
                (char)next(&dice);
        memset(out, 0xee, sizeof out);
        int64_t n = rw_read_until(&r, out + 1, rw_now_ns() + 200000);

        assert_true(n == 1 || n == RW_DEAD || n == RW_TIMEOUT);
        assert_int_equal(out[0], 0xee);
        assert_int_equal(out[sizeof out - 1], 0xee);
        if (rw_attach(&other, memory, sizeof memory, sizeof(struct pose)) ==
                RW_OK &&
            rw_open(&w, &other) == RW_OK)
            rw_close(&w);
    }
}

TEST(test_every_status_has_its_sentence)
{
    for (int64_t i = 0; i >= -14; i--)
        for (int64_t k = 0; k > i; k--)
            assert_string_not_equal(rw_strerror(i), rw_strerror(k));
    assert_string_equal(rw_strerror(-15), "no such status");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_static_register_is_ready),
        cmocka_unit_test(test_nothing_beside_the_value_is_touched),
        cmocka_unit_test(test_write_within_a_read_is_noticed),
        cmocka_unit_test(test_read_within_a_write_is_refused),
        cmocka_unit_test(test_writer_pauses_between_writes_only),
        cmocka_unit_test(test_paper_lets_readers_wait),
        cmocka_unit_test(test_pause_is_two_slow_reads),
        cmocka_unit_test(test_impossible_paces_are_refused),
        cmocka_unit_test(test_calibration_finds_a_pace),
        cmocka_unit_test(test_attach_refuses_what_is_no_register),
        cmocka_unit_test(test_impossible_counters_are_refused),
        cmocka_unit_test(test_hostile_bytes_do_no_harm),
        cmocka_unit_test(test_every_status_has_its_sentence),
    };

    alarm(120); /* a reader that spins for ever is a failure, too */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
