/*
 * test_check_asked.c - properties that were typed, in a search: the shortest
 * run, whatever the threads, and whether states are merged.
 */
#include "check/search/batch.h"
#include "lab/formula/property.h"
#include "tests/unit/kit/checking.h"

static const struct fc_bounds none = {1, 1, 0, 0};

struct question {
    const char *protocol;
    uint32_t n;
    const char *settings, *text;
};

/* The result, with `threads` in batches of a few states. */
static struct check_result ask(const struct question *q, enum net_time time,
                               uint32_t threads, bool symmetry)
{
    struct lab_asked *a = calloc(1, sizeof *a);
    struct check_result r;
    struct net_why why = {0};
    struct search s;

    assert_non_null(a);
    search_open(&s, q->protocol, q->n, time, none, q->settings);
    search_prepare(&s);
    if (!lab_property_read(a, &s.sim.net, q->text, &why))
        fail_msg("%s", why.text);
    s.sim.net.asked = &a->asked;
    s.check.properties = ((UINT32_C(1) << NET_ASKED_MAX) - 1) << NET_ASKED_BIT;
    s.check.threads = threads;
    s.check.batch = threads > 1 ? 8 : 0;
    s.check.symmetry = symmetry;
    r = search_run(&s);
    assert_int_equal(s.check.net.asked->count, 1);
    search_close(&s);
    free(a);
    return r;
}

static const struct {
    struct question of;
    uint32_t moves; /* 0: it holds */
    bool at_end, endless;
    bool alike; /* states may be merged */
} shortest[] = {
    {{"chang-roberts", 4, "", "never: some i: candidate(i) then lost(i)"},
     3,
     false,
     false,
     false},
    {{"chang-roberts", 4, "", "never: some i: lost(i) then leader(i)"},
     0,
     false,
     false,
     false},
    /* The step that breaks it leads to a state that is known. */
    {{"chang-roberts", 2, "",
      "never: asleep(0) and not asleep(1) then not asleep(0)"},
     2,
     false,
     false,
     false},
    {{"chang-roberts", 4, "", "every i: candidate(i) leads-to leader(i)"},
     18,
     true,
     false,
     false},
    {{"chang-roberts-max", 3, "coordinator=forwards", "eventually: over"},
     13,
     false,
     true,
     false},
    {{"itai-rodeh", 3, "rounds=no", "eventually: some i: leader(i)"},
     0,
     false,
     false,
     true},
    {{"itai-rodeh", 3, "rounds=no",
      "eventually: some i: leader(i) under no fairness"},
     12,
     false,
     true,
     true},
    {{"itai-rodeh", 3, "rounds=no",
      "never: some i, j: candidate(i) then lost(i) and candidate(j)"},
     3,
     false,
     false,
     true},
    {{"naimi-trehel", 4, "", "never: some i: waits(i) then inside(i)"},
     3,
     false,
     false,
     true},
    {{"naimi-trehel", 4, "", "(some i: waits(i)) leads-to some i: inside(i)"},
     0,
     false,
     false,
     true},
};

/* Threads and merged states change neither the verdict nor the length. */
TEST(test_the_run_is_the_shortest)
{
    for (size_t i = 0; i < COUNT(shortest); i++)
        for (uint32_t way = 0; way < (shortest[i].alike ? 4 : 2); way++) {
            struct check_result r =
                ask(&shortest[i].of, NET_ASYNC, way & 1 ? 3 : 1, way & 2);

            assert_int_equal(r.verdict,
                             shortest[i].moves ? CHECK_VIOLATED : CHECK_HOLDS);
            if (!(way & 2) || !r.endless) /* a turn may close a cycle */
                assert_int_equal(r.moves_count, shortest[i].moves);
            assert_int_equal(r.at_end, shortest[i].at_end);
            assert_int_equal(r.endless, shortest[i].endless);
            check_free(&r);
        }
}

/* A property without a value ends the search. */
TEST(test_what_cannot_be_judged)
{
    static const struct question bad = {"chang-roberts", 3, "",
                                        "always: 1/flying(token) < 2"};
    struct check_result r = ask(&bad, NET_ASYNC, 1, false);

    assert_int_equal(r.verdict, CHECK_INCOMPLETE);
    assert_int_equal(r.limit, CHECK_REFUSED);
    assert_string_equal(r.refusal, net_no_value);
    check_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_run_is_the_shortest),
        cmocka_unit_test(test_what_cannot_be_judged),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
