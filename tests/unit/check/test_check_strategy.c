/*
 * test_check_strategy.c - schedulers that attain what is worked out: written
 * down, read again, and played.
 */
#include "tests/unit/kit/checking.h"

#include <math.h>

#include "check/odds/expect.h"
#include "check/odds/strategy.h"
#include "problems/election.h"
#include "tests/unit/kit/processes.h"

static const struct fc_bounds none = {1, 1, 0, 0};

static void is_near(double found, double x, double off)
{
    assert_true(fabs(found - x) <= off);
}

static void is(struct check_expected e, uint64_t over, uint64_t under)
{
    double x = (double)over / (double)under;

    assert_false(e.infinite);
    assert_int_equal(e.value.over, over);
    assert_int_equal(e.value.under, under);
    assert_true(e.value.least <= x && x <= e.value.most);
}

static void give(struct search *s, uint32_t draw, uint32_t count)
{
    s->check.given_draw = draw;
    s->check.given_count = count;
}

static struct check_measure measure(const struct search *s, const char *name)
{
    struct check_measure m;

    assert_null(check_measure(&s->check, name, &m));
    return m;
}

/* A search of some variety, whose schedulers are written down. */
struct staged {
    uint32_t n;
    struct fc_bounds bounds;
    const char *settings, *expects;
    uint32_t draw, count, properties;
};

static const struct staged staged[] = {
    {2, {1, 2, 0, 1}, "k=1", NULL, 0, 0, ELECTION_ONE_LEADER},
    {2, {1, 2, 0, 1}, "k=2", NULL, 1, 2, ELECTION_ONE_LEADER},
    {2, {1, 1, 0, 1}, "k=1 rules=printed", NULL, 0, 0, ELECTION_ENDS},
    {2, {1, 2, 0, 1}, "k=1", "messages", 0, 0, 0},
    {2, {1, 2, 0, 1}, "k=1", "end", 1, 1, 0},
    {3, {1, 1, 0, 1}, "k=1 rules=hop", "elected-at", 1, 2, 0},
};

static void stage(struct search *s, const struct staged *t,
                  struct check_measure *m, struct check_scheduler *out,
                  struct check_expected value[2])
{
    struct check_expect e;
    struct check_expect w;

    search_open(s, "spirakis-tampakas", t->n, NET_ARCHIMEDEAN, t->bounds,
                t->settings);
    s->sim.net.clock = NET_CLOCK_DRIFT;
    give(s, t->draw, t->count);
    s->check.properties = t->properties;
    search_prepare(s);
    memset(out, 0, 2 * sizeof *out);
    if (t->expects) {
        *m = measure(s, t->expects);
        check_expect(&s->check, m, &e, out);
        assert_int_equal(e.limit, CHECK_NO_LIMIT);
        value[0] = e.most;
        value[1] = e.least;
        return;
    }
    check_expect(&s->check, NULL, &w, out);
    assert_int_equal(w.limit, CHECK_NO_LIMIT);
    value[0] = w.most;
    value[1] = w.least;
}

/* What a scheduler attains is worked out from what it does: it is the extreme;
 * and playing it comes near. */
TEST(test_schedulers_attain_what_is_said)
{
    for (size_t i = 0; i < COUNT(staged); i++) {
        const struct staged *t = &staged[i];
        struct check_scheduler attains[2];
        struct check_expected value[2];
        struct check_measure m;
        struct search s;

        stage(&s, t, &m, attains, value);
        for (uint32_t k = 0; k < 2; k++) {
            const struct check_chance *v = &value[k].value;
            double x = (double)v->over / (double)v->under, half;
            enum { RUNS = 20000 };
            struct check_play p;

            assert_int_equal(attains[k].known, !value[k].infinite);
            if (value[k].infinite)
                continue;
            assert_true(v->under != 0);
            assert_int_equal(attains[k].attains.value.over, v->over);
            assert_int_equal(attains[k].attains.value.under, v->under);
            check_play(&s.check, t->expects ? &m : NULL, &attains[k], 1, RUNS,
                       &p);
            assert_int_equal(p.limit, CHECK_NO_LIMIT);
            assert_int_equal(p.runs, RUNS);
            half =
                4 * (t->expects ? p.deviation : sqrt(x * (1 - x))) / sqrt(RUNS);
            is_near(t->expects ? p.mean : (double)p.failed / RUNS, x,
                    half + 1e-9);
        }
        check_scheduler_free(&attains[0]);
        check_scheduler_free(&attains[1]);
        search_close(&s);
    }
}

static char *write_text(struct check_strategy *plan, size_t *size)
{
    char *text = NULL;
    FILE *file = open_memstream(&text, size);

    assert_non_null(file);
    check_strategy_write(plan, file);
    fclose(file);
    return text;
}

static const char *read_text(struct check_strategy *plan, const char *text,
                             size_t size, uint32_t *line)
{
    char *copy = strndup(text, size);
    const char *why;

    assert_non_null(copy);
    why = check_strategy_read(plan, copy, line);
    free(copy);
    return why;
}

/* What is read again is what was written; and whatever a file says, it is
 * refused with a sentence or played. */
TEST(test_files)
{
    struct check_strategy plan = {.command = "fulcrum check"}, again;
    struct check_expected value[2];
    struct check_measure m;
    struct check_play p;
    uint32_t line, refused = 0, played = 0;
    uint64_t seed = 7;
    struct search s;
    size_t size, size_again;
    char *text, *copy;

    stage(&s, &staged[1], &m, plan.scheduler, value);
    text = write_text(&plan, &size);
    assert_null(read_text(&again, text, size, &line));
    copy = write_text(&again, &size_again);
    /* Values are not read: they are worked out. */
    assert_int_equal(plan.scheduler[0].acts_count,
                     again.scheduler[0].acts_count);
    assert_non_null(strstr(copy, "\n0 command 0 0 > 1\n"));
    check_play(&s.check, NULL, &again.scheduler[0], 1, 0, &p);
    assert_int_equal(p.attains.value.over, value[0].value.over);
    check_strategy_free(&again);
    free(copy);
    for (uint32_t round = 0; round < 200; round++) {
        copy = malloc(size);
        memcpy(copy, text, size);
        for (uint32_t i = 1 + draw(&seed, 3); i > 0; i--)
            copy[draw(&seed, (uint32_t)size)] =
                "0123456789 >\nabdeimort"[draw(&seed, 22)];
        if (!read_text(&again, copy, size, &line)) {
            for (uint32_t k = 0; k < 2; k++) {
                if (!again.scheduler[k].known)
                    continue;
                check_play(&s.check, NULL, &again.scheduler[k], 1, 10, &p);
                assert_true(p.limit == CHECK_NO_LIMIT ||
                            (p.limit == CHECK_REFUSED && p.refusal));
                refused += p.limit == CHECK_REFUSED;
                played += p.limit == CHECK_NO_LIMIT;
            }
        } else {
            assert_true(line > 0);
            refused++;
        }
        check_strategy_free(&again);
        free(copy);
    }
    assert_true(refused > 60 && played > 5);
    free(text);
    check_strategy_free(&plan);
    search_close(&s);
}

/* A reader that is never told to read attempts nothing, however long one waits
 * for the best moment: choices must lead somewhere.  The writer goes on for
 * ever, but the run is over when the read is. */
TEST(test_waiting_for_the_best_moment)
{
    struct check_scheduler attains[2] = {{.known = false}};
    struct check_expect e;
    struct check_measure m;
    struct search s;

    search_open(&s, "rw-optimistic", 2, NET_ARCHIMEDEAN, none,
                "words=1 waits=paper writes=always modulus=4");
    search_prepare(&s);
    m = measure(&s, "attempts");
    check_expect(&s.check, &m, &e, attains);
    assert_int_equal(e.limit, CHECK_NO_LIMIT);
    assert_false(e.most.infinite || e.least.infinite);
    assert_true(e.most.value.least > 2.6253 && e.most.value.most < 2.6254);
    is_near(attains[0].attains.value.least, e.most.value.most, 1e-6);
    is(e.least, 1, 1);
    is(attains[1].attains, 1, 1);
    check_scheduler_free(&attains[0]);
    check_scheduler_free(&attains[1]);
    search_close(&s);
}

/* The run of a seed, as moves: it can be told, and ends as it was played. */
TEST(test_one_run_is_told)
{
    struct check_scheduler attains[2];
    struct check_expected value[2];
    struct check_measure m;
    struct check_result run;
    struct search s;

    stage(&s, &staged[0], &m, attains, value);
    for (uint64_t seed = 1; seed < 20; seed++) {
        struct check_play p;

        check_play(&s.check, NULL, &attains[0], seed, 1, &p);
        assert_true(check_play_once(&s.check, NULL, &attains[0], seed, &run));
        assert_true(run.moves_count > 4);
        assert_int_equal(run.at_end, p.failed == 0);
        check_free(&run);
    }
    check_scheduler_free(&attains[0]);
    check_scheduler_free(&attains[1]);
    search_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_schedulers_attain_what_is_said),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_waiting_for_the_best_moment),
        cmocka_unit_test(test_one_run_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
