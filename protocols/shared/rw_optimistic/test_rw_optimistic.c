/*
 * test_rw_optimistic.c - the statements of the writer and of the readers, the
 * waits, the problem's judgement, and how many attempts a read takes under
 * every sort of clock.
 *
 * The data of the rules are two words; site 0 writes, site 1 reads.
 */
#include "protocols/shared/rw_optimistic/rw_optimistic.h"
#include "tests/unit/kit/mutexes.h"

static const struct fc_member writer = {0, 3}, reader = {1, 3};
static const struct rw_optimistic_params
    pauses = {.words = 2,
              .pause = 9,
              .least = 5,
              .greatest = 10,
              .waits = RW_OPTIMISTIC_WRITER},
    paper = {.words = 2,
             .pause = 9,
             .least = 5,
             .greatest = 10,
             .waits = RW_OPTIMISTIC_PAPER},
    none = {.words = 2, .waits = RW_OPTIMISTIC_NONE},
    asked = {.words = 2, .pause = 9, .writes = RW_OPTIMISTIC_ASKED},
    swapped = {.words = 2, .pause = 9, .order = RW_OPTIMISTIC_SWAPPED};

static struct rw_optimistic_in event(enum fc_event_kind kind, uint32_t value)
{
    return (struct rw_optimistic_in){
        .event = {.kind = (uint8_t)kind, .value = value}};
}

static struct store_view look(const struct rw_optimistic *s,
                              const struct fc_member *me)
{
    struct store_view view;

    memset(&view, 0xaa, sizeof view);
    rw_optimistic_view(s, me, &view);
    return view;
}

/* A step, twice from copies and over different dirt: the same bytes, and
 * whatever others see is announced. */
static struct rw_optimistic_out step(struct rw_optimistic *s,
                                     const struct rw_optimistic_params *p,
                                     const struct fc_member *me,
                                     struct rw_optimistic_in in)
{
    struct rw_optimistic twin = *s;
    struct rw_optimistic_out out, other;
    struct store_view before = look(s, me), after;

    memset(&out, 0xaa, sizeof out);
    memset(&out.fx, 0, offsetof(struct fc_effects, steps));
    memset(&other, 0x55, sizeof other);
    memset(&other.fx, 0, offsetof(struct fc_effects, steps));
    rw_optimistic_step(s, p, me, &in, &out);
    rw_optimistic_step(&twin, p, me, &in, &other);
    assert_memory_equal(s, &twin, sizeof twin);
    assert_memory_equal(&out.fx, &other.fx, offsetof(struct fc_effects, steps));
    assert_int_equal(out.fx.sends, 0);
    assert_true(out.fx.access != FC_LOAD || out.fx.choose == 0);
    assert_null(rw_optimistic_sane(s, p, me));
    after = look(s, me);
    if (!store_same(&before, &after))
        assert_true(out.fx.notes & FC_NOTE_VIEW);
    return out;
}

static void check_armed(const struct rw_optimistic_out *out, uint64_t steps)
{
    assert_int_equal(out->fx.arm, 1);
    assert_true(out->fx.steps[0] == steps);
}

static void check_stores(const struct rw_optimistic_out *out, uint32_t cell,
                         uint32_t value)
{
    assert_int_equal(out->fx.access, FC_STORE);
    assert_int_equal(out->fx.cell, cell);
    assert_int_equal(out->fx.stored, value);
}

/* ---- The writer ---------------------------------------------------------- */

/* v1, the words, v2: a statement a step, and then the pause. */
TEST(test_writer_counts_writes_and_counts)
{
    static const uint32_t cells[] = {RW_OPTIMISTIC_V1, RW_OPTIMISTIC_DATA,
                                     RW_OPTIMISTIC_DATA + 1, RW_OPTIMISTIC_V2};
    struct rw_optimistic s = {0};
    struct rw_optimistic_out out =
        step(&s, &pauses, &writer, event(FC_COMMAND, 0));

    assert_int_equal(out.fx.notes, FC_NOTE_STARTED | FC_NOTE_VIEW);
    check_armed(&out, 1);
    for (uint32_t number = 1; number <= 3; number++)
        for (uint32_t i = 0; i < COUNT(cells); i++) {
            out = step(&s, &pauses, &writer, event(FC_TIMEOUT, 0));
            check_stores(&out, cells[i], number);
            check_armed(&out, i + 1 < COUNT(cells) ? 1 : pauses.pause);
            assert_int_equal(s.role, number > 1 || i + 1 == COUNT(cells)
                                         ? STORE_IDLE
                                         : STORE_WRITES);
        }
    assert_int_equal(look(&s, &writer).value, 3);
}

/* It is told of the next write that ends, wherever the writer is. */
TEST(test_writer_is_asked_while_it_writes)
{
    struct rw_optimistic s = {.number = 7, .busy = 1, .at = 2};
    struct rw_optimistic_out out =
        step(&s, &pauses, &writer, event(FC_COMMAND, 0));

    assert_int_equal(out.fx.arm | out.fx.access, 0);
    assert_int_equal(s.role, STORE_WRITES);
    assert_int_equal(s.at, 2);
    out = step(&s, &pauses, &writer, event(FC_COMMAND, 0));
    assert_int_equal(out.fx.notes, 0);
}

/* Nothing more, until it is asked; and not before its pause is over. */
TEST(test_writer_can_write_only_when_asked)
{
    struct rw_optimistic s = {
        .number = 7, .busy = 1, .at = 3, .role = STORE_WRITES};
    struct rw_optimistic_out out =
        step(&s, &asked, &writer, event(FC_TIMEOUT, 0));

    check_stores(&out, RW_OPTIMISTIC_V2, 7);
    check_armed(&out, asked.pause);
    out = step(&s, &asked, &writer, event(FC_TIMEOUT, 0));
    assert_int_equal(out.fx.arm | out.fx.access, 0);
    assert_int_equal(s.busy, 0);
    s.busy = 1;
    (void)step(&s, &asked, &writer, event(FC_COMMAND, 0));
    out = step(&s, &asked, &writer, event(FC_TIMEOUT, 0));
    check_stores(&out, RW_OPTIMISTIC_V1, 8);
}

/* RW-5: 7 is 13 with a second digit of base 4, and 21 is 51: the first digit
 * has no limit.  v1 from the greatest digit down, v2 from the least up. */
TEST(test_writer_writes_digits)
{
    static const struct rw_optimistic_params two = {
        .words = 1, .pause = 9, .digits = 2, .base = 4};
    static const uint32_t cells[] = {1, 0, 4, 2, 3};

    for (uint32_t number = 7; number <= 21; number += 14) {
        const uint32_t values[] = {number / 4, number % 4, number, number % 4,
                                   number / 4};
        struct rw_optimistic s = {
            .number = number - 1, .busy = 1, .role = STORE_WRITES};

        for (uint32_t i = 0; i < COUNT(cells); i++) {
            struct rw_optimistic_out out =
                step(&s, &two, &writer, event(FC_TIMEOUT, 0));

            check_stores(&out, cells[i], values[i]);
        }
        assert_int_equal(s.role, STORE_IDLE);
    }
}

/* ---- Readers ------------------------------------------------------------- */

/* One attempt: what the loads give is in `values`. */
static struct rw_optimistic_out attempt(struct rw_optimistic *s,
                                        const struct rw_optimistic_params *p,
                                        const uint32_t values[4])
{
    static const uint32_t cells[] = {RW_OPTIMISTIC_V2, RW_OPTIMISTIC_DATA,
                                     RW_OPTIMISTIC_DATA + 1, RW_OPTIMISTIC_V1};
    struct rw_optimistic_out out;

    for (uint32_t i = 0; i < COUNT(cells); i++) {
        uint32_t cell = cells[i];

        if (p->order == RW_OPTIMISTIC_SWAPPED && cell < RW_OPTIMISTIC_DATA)
            cell = 1 - cell;
        out = step(s, p, &reader, event(FC_TIMEOUT, 0));
        assert_int_equal(out.fx.access, FC_LOAD);
        assert_int_equal(out.fx.cell, cell);
        assert_int_equal(out.fx.arm, 0);
        out = step(s, p, &reader, event(FC_LOADED, values[i]));
        if (i < 3)
            check_armed(&out, 1);
    }
    return out;
}

/* RW-5: v2 from the greatest digit down, v1 from the least up, or the other way
 * round; and each digit counts. */
TEST(test_reader_reads_digits)
{
    static const uint32_t cells[2][5] = {{3, 2, 4, 0, 1}, {2, 3, 4, 1, 0}};
    static const uint32_t values[2][5] = {{5, 3, 23, 3, 5}, {3, 5, 23, 5, 3}};

    for (uint32_t wrong = 0; wrong <= 5; wrong++)
        for (uint32_t reversed = 0; reversed < 2; reversed++) {
            const struct rw_optimistic_params two = {.words = 1,
                                                     .digits = 2,
                                                     .base = 4,
                                                     .digit_order =
                                                         (uint8_t)reversed};
            struct rw_optimistic s = {0};

            (void)step(&s, &two, &reader, event(FC_COMMAND, 0));
            for (uint32_t i = 0; i < 5; i++) {
                struct rw_optimistic_out out =
                    step(&s, &two, &reader, event(FC_TIMEOUT, 0));

                assert_int_equal(out.fx.access, FC_LOAD);
                assert_int_equal(out.fx.cell, cells[reversed][i]);
                (void)step(
                    &s, &two, &reader,
                    event(FC_LOADED, values[reversed][i] + (i == wrong)));
            }
            /* The third is the data, which no counter tells. */
            assert_int_equal(s.role, wrong == 5 || wrong == 2 ? STORE_IDLE
                                                              : STORE_READS);
            if (wrong == 5)
                assert_int_equal(s.number, 23);
        }
}

/* v2, the words, v1; it is content if the counters are the same. */
TEST(test_reader_reads_between_the_counters)
{
    const struct rw_optimistic_params *both[] = {&pauses, &swapped};
    const struct rw_optimistic done = {.number = 6, .value = 6, .attempts = 1};

    for (size_t i = 0; i < COUNT(both); i++) {
        struct rw_optimistic s = {0};
        struct rw_optimistic_out out =
            step(&s, both[i], &reader, event(FC_COMMAND, 0));

        check_armed(&out, 1);
        assert_int_equal(look(&s, &reader).role, STORE_READS);
        out = attempt(&s, both[i], (uint32_t[]){6, 6, 6, 6});
        assert_int_equal(out.fx.arm, 0);
        assert_int_equal(out.fx.notes, FC_NOTE_VIEW | FC_NOTE_OWN);
        assert_memory_equal(&done, &s, sizeof s);
        assert_int_equal(look(&s, &reader).value, 6);
    }
}

/* At once, and what it had read is forgotten. */
TEST(test_reader_tries_again)
{
    struct rw_optimistic s = {0};
    struct rw_optimistic_out out;

    (void)step(&s, &none, &reader, event(FC_COMMAND, 0));
    out = attempt(&s, &none, (uint32_t[]){6, 7, 6, 7});
    check_armed(&out, 1);
    assert_int_equal(look(&s, &reader).attempts, 2);
    assert_int_equal(look(&s, &reader).role, STORE_READS);
    out = attempt(&s, &none, (uint32_t[]){7, 7, 7, 7});
    assert_int_equal(out.fx.arm, 0);
    assert_int_equal(look(&s, &reader).attempts, 2);
    assert_int_equal(look(&s, &reader).torn, 0);
    (void)step(&s, &none, &reader, event(FC_COMMAND, 0));
    assert_int_equal(look(&s, &reader).attempts, 1);
}

/* What it then tells of the words it took, so that others can judge. */
TEST(test_torn_read_is_seen)
{
    struct rw_optimistic s = {0};

    (void)step(&s, &swapped, &reader, event(FC_COMMAND, 0));
    (void)attempt(&s, &swapped, (uint32_t[]){6, 6, 7, 6});
    assert_int_equal(look(&s, &reader).torn, 1);
    assert_int_equal(look(&s, &reader).role, STORE_IDLE);
}

/* Before each attempt and each write, from least to greatest. */
TEST(test_paper_waits_before_each_access)
{
    struct rw_optimistic s = {0}, w = {0};
    struct rw_optimistic_out out;

    out = step(&s, &paper, &reader, event(FC_COMMAND, 0));
    assert_int_equal(out.fx.choose, 6);
    assert_int_equal(out.fx.arm, 0);
    out = step(&s, &paper, &reader, event(FC_CHOICE, 5));
    check_armed(&out, 10);
    out = attempt(&s, &paper, (uint32_t[]){6, 7, 6, 7});
    assert_int_equal(out.fx.choose, 6);
    out = step(&s, &paper, &reader, event(FC_CHOICE, 0));
    check_armed(&out, 5);
    out = step(&w, &paper, &writer, event(FC_COMMAND, 0));
    assert_int_equal(out.fx.choose, 6);
    for (int i = 0; i < 4; i++)
        out = step(&w, &paper, &writer, event(FC_TIMEOUT, 0));
    check_stores(&out, RW_OPTIMISTIC_V2, 1);
    assert_int_equal(out.fx.choose, 6);
    assert_int_equal(out.fx.arm, 0);
}

/* Nobody can have sent anything. */
TEST(test_every_message_is_refused)
{
    struct dice dice = {3};
    struct rw_optimistic_msg m;

    for (uint32_t i = 0; i < 10000; i++) {
        uint8_t wire[24];
        size_t size = throw_below(&dice, 24);

        for (size_t j = 0; j < size; j++)
            wire[j] = (uint8_t)throw_dice(&dice);
        assert_int_equal(rw_optimistic_unpack(&m, wire, size), -1);
    }
}

/* ---- The problem --------------------------------------------------------- */

TEST(test_problem_judges_reads)
{
    struct store_view idle = {0}, reads = {.role = STORE_READS};
    struct store_view good = {.attempts = 1, .value = 3}, bad = good;
    struct store_watch w;
    struct fc_outcome outcome;

    bad.torn = 1;
    store_begin(&w, NULL, NULL, NULL);
    assert_int_equal(store_changed(&w, 2, &idle, &reads, 5), 0);
    assert_int_equal(w.waiting, 1);
    assert_int_equal(store_changed(&w, 2, &reads, &good, 9), 0);
    assert_int_equal(w.waiting, 0);
    (void)store_changed(&w, 2, &good, &reads, 10);
    assert_int_equal(store_changed(&w, 2, &reads, &bad, 12),
                     STORE_NO_TORN_READ);
    (void)store_changed(&w, 2, &bad, &reads, 13);
    assert_int_equal(store_changed(&w, 2, &reads, &bad, 14), 0); /* once */
    store_outcome(&w, &outcome);
    assert_true(outcome.reached_at == 9);
    assert_int_equal(store_end(&w, true), 0);
}

TEST(test_problem_knows_who_waits)
{
    struct store_view idle = {0}, reads = {.role = STORE_READS};
    struct store_watch w;

    store_begin(&w, NULL, NULL, NULL);
    (void)store_changed(&w, 2, &idle, &reads, 5);
    store_crashed(&w, &reads);
    assert_int_equal(store_end(&w, true), 0);
    store_restarted(&w, &reads);
    assert_int_equal(store_end(&w, true), STORE_EVERYONE_READS);
    assert_int_equal(store_end(&w, false), STORE_ENDS);
    assert_int_equal(w.broken, STORE_EVERYONE_READS | STORE_ENDS);
}

/* ---- Waits --------------------------------------------------------------- */

TEST(test_waits_follow_from_the_bounds)
{
    const struct fc_protocol *p = sim_find("rw-optimistic")->protocol;
    struct rw_optimistic_params params = {.words = 4};
    struct fc_world world = {
        .nodes = 3, .bounds = {2, 3, 0, 0}, .bounded = true};
    struct fc_claim claims[FC_CLAIMS_MAX];

    assert_null(p->prepare(&params, &world)); /* R = W = 6 */
    assert_int_equal(params.least, 18);
    assert_int_equal(params.greatest, 36);
    assert_int_equal(params.pause, 18);
    assert_int_equal(p->cells(&params), 6);
    assert_int_equal(p->claims(&params, &world, claims), 1);
    assert_true(claims[0].value == 4); /* ceil(3/2) + 2 */
    params.waits = RW_OPTIMISTIC_PAPER;
    assert_int_equal(p->claims(&params, &world, claims), 1);
    assert_true(claims[0].value == 4); /* 2 * 3/2 + 1 */
    world.bounds.rmin = 7;
    world.bounds.rmax = 9;
    assert_null(p->prepare(&params, &world)); /* 12 * 9/7 = 15.4 */
    assert_int_equal(params.least, 16);
    assert_int_equal(params.greatest, 30);
    world.bounds.rmax = UINT64_C(1) << 40;
    assert_non_null(p->prepare(&params, &world));
}

/* ---- Runs ---------------------------------------------------------------- */

/* `words` of data, waits, clock, bounds: what comes of many reads. */
static struct sim_tally *try_reads(const char *words, const char *waits,
                                   const char *order, enum net_clock clock,
                                   struct fc_bounds bounds, uint32_t nodes,
                                   uint32_t runs, uint32_t *broken)
{
    static struct mutex_lab lab;

    mutex_open(&lab, "rw-optimistic", nodes);
    mutex_set(&lab, "words", words);
    mutex_set(&lab, "waits", waits);
    mutex_set(&lab, "order", order);
    mutex_bounds(&lab, bounds);
    lab.setup.net.clock = clock;
    lab.setup.work.entries = 20;
    *broken = 0;
    for (uint64_t seed = 1; seed <= runs; seed++)
        *broken |= mutex_run(&lab, seed).broken;
    mutex_close(&lab);
    return &lab.tally;
}

static const struct fc_bounds some_bounds[] = {
    {1, 1, 0, 0},     {1, 2, 0, 0},     {2, 3, 0, 0},   {1, 10, 0, 0},
    {100, 300, 0, 0}, {100, 800, 0, 0}, {50, 99, 0, 0},
};
static const enum net_clock clocks[] = {NET_CLOCK_FIXED, NET_CLOCK_DRIFT,
                                        NET_CLOCK_ADVERSARY};
static const char *const sizes[] = {"1", "4", "31"};

/* Whatever the clocks do: no torn read, and no more attempts than the bound. */
TEST(test_pausing_writer_bounds_the_attempts)
{
    uint32_t tight = 0;

    for (size_t b = 0; b < COUNT(some_bounds); b++)
        for (size_t c = 0; c < COUNT(clocks); c++)
            for (size_t w = 0; w < COUNT(sizes); w++) {
                struct fc_bounds bounds = some_bounds[b];
                uint64_t bound =
                    (bounds.rmax + bounds.rmin - 1) / bounds.rmin + 2;
                uint32_t broken;
                struct sim_tally *t =
                    try_reads(sizes[w], "writer", "right", clocks[c], bounds, 4,
                              rounds(15), &broken);

                assert_int_equal(broken, 0);
                assert_true(t->torn == 0);
                assert_true(t->attempts.stat.count == 3 * 20 * rounds(15));
                assert_true(t->attempts.stat.max <= bound);
                tight += t->attempts.stat.max == bound;
            }
    assert_true(tight > 5);
}

/* With the paper's waits no read is torn either; its mean holds if the clocks
 * know nothing of the draws. */
TEST(test_paper_waits_keep_its_mean)
{
    for (size_t b = 0; b < COUNT(some_bounds); b++)
        for (int drift = 0; drift < 2; drift++) {
            struct fc_bounds bounds = some_bounds[b];
            double mean = 2 * (double)bounds.rmax / (double)bounds.rmin + 1;
            uint32_t broken;
            struct sim_tally *t =
                try_reads("4", "paper", "right",
                          drift ? NET_CLOCK_DRIFT : NET_CLOCK_FIXED, bounds, 4,
                          rounds(30), &broken);

            assert_int_equal(broken, 0);
            assert_true(t->torn == 0);
            assert_true(sim_stat_mean(&t->attempts.stat) <= mean);
        }
}

/* An adversary that sees the draws makes far more of it than the paper's mean,
 * as soon as gamma is a half or less. */
LONG_TEST(test_paper_waits_fail_an_adversary)
{
    static const struct fc_bounds bounds[] = {
        {100, 200, 0, 0}, {100, 400, 0, 0}, {100, 800, 0, 0}};

    for (size_t b = 0; b < COUNT(bounds); b++) {
        double mean = 2 * (double)bounds[b].rmax / (double)bounds[b].rmin + 1;
        uint32_t broken;
        struct sim_tally *t =
            try_reads("4", "paper", "right", NET_CLOCK_ADVERSARY, bounds[b], 2,
                      is_sanitized() ? 3 : 30, &broken);

        assert_int_equal(broken, 0);
        assert_true(t->torn == 0);
        assert_true(sim_stat_mean(&t->attempts.stat) > mean);
        if (b > 0)
            assert_true(sim_stat_mean(&t->attempts.stat) > 3 * mean);
    }
}

/* A writer that never pauses lets nobody read, in lockstep for ever. */
TEST(test_readers_starve_without_waits)
{
    uint32_t broken;
    struct sim_tally *t =
        try_reads("4", "none", "right", NET_CLOCK_FIXED,
                  (struct fc_bounds){1, 1, 0, 0}, 3, 1, &broken);

    assert_int_equal(broken, STORE_ENDS);
    assert_true(t->attempts.stat.count == 0);
    assert_true(t->torn == 0);
}

/* Words of several writes are taken for one, if speeds change meanwhile. */
TEST(test_swapped_counters_tear)
{
    static const char *const waits[] = {"none", "paper", "writer"};

    for (size_t i = 0; i < COUNT(waits); i++) {
        uint32_t broken;
        struct sim_tally *t =
            try_reads("4", waits[i], "swapped", NET_CLOCK_DRIFT,
                      (struct fc_bounds){1, 9, 0, 0}, 4, 60, &broken);

        assert_true(broken & STORE_NO_TORN_READ);
        assert_true(t->torn > 0);
    }
}

/* A writer that is only asked ends by itself, and so does the run. */
TEST(test_asked_writer_lets_the_run_end)
{
    static struct mutex_lab lab;
    struct sim_result r;

    mutex_open(&lab, "rw-optimistic", 5);
    mutex_set(&lab, "writes", "asked");
    lab.setup.work.entries = 7;
    r = mutex_run(&lab, 1);
    assert_int_equal(r.broken, 0);
    assert_true(r.entries == 35);
    mutex_close(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_writer_writes_digits),
        cmocka_unit_test(test_reader_reads_digits),
        cmocka_unit_test(test_writer_counts_writes_and_counts),
        cmocka_unit_test(test_writer_is_asked_while_it_writes),
        cmocka_unit_test(test_writer_can_write_only_when_asked),
        cmocka_unit_test(test_reader_reads_between_the_counters),
        cmocka_unit_test(test_reader_tries_again),
        cmocka_unit_test(test_torn_read_is_seen),
        cmocka_unit_test(test_paper_waits_before_each_access),
        cmocka_unit_test(test_every_message_is_refused),
        cmocka_unit_test(test_problem_judges_reads),
        cmocka_unit_test(test_problem_knows_who_waits),
        cmocka_unit_test(test_waits_follow_from_the_bounds),
        cmocka_unit_test(test_pausing_writer_bounds_the_attempts),
        cmocka_unit_test(test_paper_waits_keep_its_mean),
        cmocka_unit_test(test_paper_waits_fail_an_adversary),
        cmocka_unit_test(test_readers_starve_without_waits),
        cmocka_unit_test(test_swapped_counters_tear),
        cmocka_unit_test(test_asked_writer_lets_the_run_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
