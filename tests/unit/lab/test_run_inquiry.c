/*
 * test_run_inquiry.c - verdicts, from answers that are made up: what is judged
 * is what was measured, and nothing else.
 */
#include "lab/run/inquiry.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/claim/plan.h"
#include "lab/run/judge.h"
#include "tests/unit/kit/test.h"

/* ---- A world in which everything is known -------------------------------- */

/* messages: 3N, but 5N + 1 in the run with seed 37 if there are at least 4
 * nodes; never with patch=yes.  The mean of `coin` is 2 with a spread that
 * falls with the runs. */
struct world {
    struct lab_inquiry q;
    uint64_t answers;
    bool fickle; /* a second run comes out differently */
};

static uint64_t number_of(const char *command, const char *option,
                          uint64_t otherwise)
{
    uint64_t number;

    return lab_command_number(command, option, &number) ? number : otherwise;
}

static json_t *amount(double mean, uint64_t least, uint64_t most, double sd)
{
    return json_pack("{s:f,s:I,s:I,s:f}", "mean", mean, "min",
                     (json_int_t)least, "max", (json_int_t)most, "sd", sd);
}

static json_t *simulated(const char *command)
{
    uint64_t n = number_of(command, "-n", 8);
    uint64_t runs = number_of(command, "--runs", 1);
    uint64_t seed = number_of(command, "--seed", 1);
    bool patched = strstr(command, "patch=yes");
    bool bad = !patched && n >= 4 && seed <= 37 && 37 < seed + runs;
    double other = strstr(command, " twin ") ? 2.2 : 2;
    json_t *json = json_pack("{s:I,s:I,s:[],s:{s:I}}", "runs", (json_int_t)runs,
                             "violated", (json_int_t)(bad ? 1 : 0),
                             "violations", "letters", "N", (json_int_t)n);

    json_object_set_new(
        json, "messages",
        amount(3.0 * (double)n, 3 * n, bad ? 5 * n + 1 : 3 * n, 0));
    json_object_set_new(json, "coin", amount(other, 0, 4, 1));
    return json;
}

static void answer(void *whom, const char *command)
{
    struct world *w = whom;
    struct lab_answer a = {0};
    struct net_why why = {0};

    w->answers++;
    if (strstr(command, "broken=yes")) {
        a.code = 2;
        a.complaint = strdup("fulcrum sim: there is no broken\n");
    } else {
        a.json = simulated(command);
    }
    if (w->fickle && strstr(command, LAB_AGAIN))
        json_object_set_new(a.json, "messages", amount(0, 0, 0, 0));
    if (!lab_notebook_add(w->q.notebook, command, &a, &why))
        fail_msg("%s", why.text);
}

static bool is_option(const char *verb, const char *name)
{
    (void)verb;
    return strcmp(name, "runs") == 0;
}

static void begin(struct world *w)
{
    struct net_why why = {0};

    *w = (struct world){
        .q = {.notebook = lab_notebook_open(NULL, "1", false, &why),
              .looks = LAB_LOOKS,
              .seed = 1,
              .is_option = is_option,
              .ask = answer}};
    w->q.whom = w;
    assert_non_null(w->q.notebook);
}

/* Judges the one claim of a text, answering until nothing is missing. */
static void rule(struct world *w, struct lab_claims *c, const char *text,
                 struct lab_ruling *r)
{
    struct net_why why = {0};
    char whole[2000];

    snprintf(whole, sizeof whole, "[a]\non = ring\n%s", text);
    *c = (struct lab_claims){0};
    if (!lab_claims_read(c, "some", whole, &why))
        fail_msg("%s", why.text);
    for (int i = 0; i < 100; i++) {
        if (lab_rule(r, &w->q, &c->claim[0]))
            return;
        lab_ruling_free(r);
    }
    fail_msg("it never ends");
}

static void expect(const char *text, enum lab_verdict verdict)
{
    struct lab_claims c;
    struct lab_ruling r;
    struct world w;

    begin(&w);
    rule(&w, &c, text, &r);
    if (r.verdict != verdict)
        fail_msg("%s: %s, not %s", text, lab_verdict_word(r.verdict),
                 lab_verdict_word(verdict));
    lab_ruling_free(&r);
    lab_claims_free(&c);
    lab_notebook_close(w.q.notebook);
}

/* ---- Verdicts ------------------------------------------------------------ */

TEST(test_the_bound_decides)
{
    expect("claim = messages <= 3*N\ntry = random n=2,3 runs=9\n", LAB_HOLDS);
    expect("claim = messages <= 6*N\ntry = random n=2,3 runs=9\n", LAB_LOOSE);
    expect("claim = messages < 6*N\ntry = random n=2,3 runs=9\n", LAB_HOLDS);
    expect("claim = messages < 3*N\ntry = random n=2,3 runs=9\n", LAB_VIOLATED);
    expect("claim = messages == 3*N\ntry = count n=2..9\n", LAB_HOLDS);
    expect("claim = messages == 3*N\ntry = random n=8 runs=99\n", LAB_VIOLATED);
    expect("claim = messages >= 3*N\ntry = random n=8 runs=99\n", LAB_HOLDS);
}

/* An argument is the evidence only of what the measurements agree with. */
TEST(test_an_argument)
{
    static const struct {
        const char *claim;
        enum lab_verdict verdict;
        enum lab_evidence evidence;
    } cases[] = {
        {"messages == 3*N", LAB_HOLDS, LAB_BY_ARGUMENT},
        {"messages < 3*N", LAB_VIOLATED, LAB_BY_EXACT},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct lab_claims c;
        struct lab_ruling r;
        struct world w;
        char text[100];

        snprintf(text, sizeof text,
                 "argument = docs/lab.md#b\nclaim = %s\ntry = count n=2\n",
                 cases[i].claim);
        begin(&w);
        rule(&w, &c, text, &r);
        assert_int_equal(r.verdict, cases[i].verdict);
        assert_int_equal(r.judgements[0].evidence, cases[i].evidence);
        lab_ruling_free(&r);
        lab_claims_free(&c);
        lab_notebook_close(w.q.notebook);
    }
}

/* One bad cell violates a range. */
TEST(test_every_cell_counts)
{
    struct lab_claims c;
    struct lab_ruling r;
    struct world w;

    begin(&w);
    rule(&w, &c, "claim = messages <= 5*N\ntry = random n=2,3,4,9 runs=99\n",
         &r);
    assert_int_equal(r.verdict, LAB_VIOLATED);
    assert_int_equal(r.judgements[0].count, 4);
    assert_int_equal(r.judgements[0].cells[0].verdict, LAB_HOLDS);
    assert_int_equal(r.judgements[0].cells[3].verdict, LAB_VIOLATED);
    assert_int_equal(r.judgements[0].worst, 2); /* the smallest network */
    lab_ruling_free(&r);
    lab_claims_free(&c);
    lab_notebook_close(w.q.notebook);
}

/* What was not found may exist, unless all was tried. */
TEST(test_extremes_that_are_reached)
{
    expect("claim = max(messages) == 3*N\ntry = count n=3\n", LAB_HOLDS);
    expect("claim = max(messages) == 4*N\ntry = count n=3\n", LAB_VIOLATED);
    expect("claim = max(messages) == 4*N\ntry = random n=3\n", LAB_UNDECIDED);
    expect("claim = max(messages) == 2*N\ntry = random n=3\n", LAB_VIOLATED);
    expect("claim = min(messages) == 3*N\ntry = count n=3\n", LAB_HOLDS);
    expect("claim = min(messages) == 2*N\ntry = random n=3\n", LAB_UNDECIDED);
}

TEST(test_properties)
{
    expect("claim = holds\ntry = random n=3 runs=99\n", LAB_HOLDS);
    expect("claim = holds\ntry = random n=4 runs=99\n", LAB_VIOLATED);
    expect("claim = not leader\ntry = random n=4 runs=99\n", LAB_UNDECIDED);
    expect("claim = P(violated) <= 1/4\ntry = random n=4 runs=900\n",
           LAB_LOOSE);
    expect("claim = P(violated) >= 1/4\ntry = random n=4 runs=900\n",
           LAB_VIOLATED);
}

/* ---- Means --------------------------------------------------------------- */

/* Looks follow each other until the interval leaves the bound; one that is
 * hurried takes the first. */
TEST(test_looks)
{
    static const char text[] =
        "claim = mean(coin) <= 2.1\ntry = random n=3 runs=400\n";
    struct lab_claims c;
    struct lab_ruling r;
    struct world w;

    expect(text, LAB_HOLDS);
    begin(&w);
    w.q.looks = 1;
    rule(&w, &c, text, &r);
    assert_int_equal(r.verdict, LAB_UNDECIDED);
    assert_int_equal(w.answers, 1);
    lab_ruling_free(&r);
    lab_claims_free(&c);
    w.q.looks = LAB_LOOKS;
    rule(&w, &c, text, &r);
    assert_int_equal(r.verdict, LAB_HOLDS);
    assert_true(w.answers > 1); /* the first look was remembered */
    assert_true(r.judgements[0].cells[0].runs > 400);
    lab_ruling_free(&r);
    lab_claims_free(&c);
    lab_notebook_close(w.q.notebook);
    expect("claim = mean(coin) <= 1.9\ntry = random n=3 runs=400\n",
           LAB_VIOLATED);
    /* At the bound itself nothing is decided. */
    expect("claim = mean(coin) <= 2\ntry = random n=3 runs=400\n",
           LAB_UNDECIDED);
}

TEST(test_two_protocols)
{
    expect("other = b: twin\n"
           "claim = mean(coin) < mean(coin of b)\n"
           "try = random n=3 runs=4000\n",
           LAB_HOLDS);
    expect("other = b: twin\n"
           "claim = mean(coin) > mean(coin of b)\n"
           "try = random n=3 runs=4000\n",
           LAB_VIOLATED);
    expect("other = b: twin\n"
           "claim = mean(coin) < mean(coin of b) / 2\n"
           "try = random n=3 runs=4000\n",
           LAB_VIOLATED);
}

/* ---- Readings, repairs, witnesses ---------------------------------------- */

/* What only --full tries does not make a claim undecided without it. */
TEST(test_more_is_left_out)
{
    expect("claim = messages <= 3*N\ntry = random n=2 runs=9\n"
           "claim = messages <= 2*N\nmore = random n=2 runs=9\n",
           LAB_HOLDS);
}

/* A reading may give a letter of the formula its value. */
TEST(test_a_reading_has_letters)
{
    expect("reading = four: let.a=4\nreading = three: let.a=3\n"
           "claim = messages == a*N\ntry = random n=2 runs=9\n",
           LAB_HOLDS);
    expect("reading = four: let.a=4\n"
           "claim = messages == a*N\ntry = random n=2 runs=9\n",
           LAB_VIOLATED);
}

/* One in 99 runs errs, here and there: not less, and not twice as often. */
TEST(test_a_share_beside_another)
{
    expect("other = patched: ring patch=yes\n"
           "claim = P(violated) <= P(violated of patched) + 1/2\n"
           "try = random n=4 runs=900\n",
           LAB_HOLDS);
    expect("other = patched: ring patch=yes\n"
           "claim = P(violated) > P(violated of patched) + 1/2\n"
           "try = random n=4 runs=900\n",
           LAB_VIOLATED);
}

TEST(test_readings_and_repairs)
{
    static const char *const bound = "claim = messages <= 4*N\n"
                                     "try = random n=8 runs=99\n";
    struct lab_claims c;
    struct lab_ruling r;
    struct world w;
    char text[400];

    snprintf(text, sizeof text,
             "reading = one: patch=no\nreading = two: patch=yes\n%s", bound);
    begin(&w);
    rule(&w, &c, text, &r);
    assert_int_equal(r.verdict, LAB_LOOSE);
    assert_string_equal(r.judgements[r.told].reading, "two");
    assert_int_equal(r.count, 2); /* both are shown */
    assert_int_equal(r.judgements[0].verdict, LAB_VIOLATED);
    lab_ruling_free(&r);
    lab_claims_free(&c);
    snprintf(text, sizeof text,
             "reading = one: patch=no\nrepair = A: patch=none\n"
             "repair = B: patch=yes\n%s",
             bound);
    rule(&w, &c, text, &r);
    assert_int_equal(r.verdict, LAB_REPAIRED);
    assert_string_equal(r.judgements[r.repair].repair, "B");
    assert_non_null(r.judgements[r.told].witness.command);
    lab_ruling_free(&r);
    lab_claims_free(&c);
    lab_notebook_close(w.q.notebook);
}

/* Fewer nodes, and one run of a hundred. */
TEST(test_the_smallest_witness)
{
    static const char text[] =
        "claim = messages <= 4*N\ntry = random n=64 runs=100\n";
    const struct lab_witness *is;
    struct lab_claims c;
    struct lab_ruling r;
    struct world w;

    begin(&w);
    rule(&w, &c, text, &r);
    is = &r.judgements[0].witness;
    assert_string_equal(is->command, "fulcrum sim ring -n 4 --seed 37");
    assert_string_equal(is->field, "messages.max");
    assert_string_equal(is->value, "21");
    lab_ruling_free(&r);
    lab_claims_free(&c);
    lab_notebook_close(w.q.notebook);
    /* One that does not repeat is none. */
    begin(&w);
    w.fickle = true;
    rule(&w, &c, text, &r);
    assert_int_equal(r.verdict, LAB_UNDECIDED);
    assert_null(r.judgements[0].witness.command);
    lab_ruling_free(&r);
    lab_claims_free(&c);
    lab_notebook_close(w.q.notebook);
}

TEST(test_what_cannot_be_tried)
{
    struct lab_claims c;
    struct lab_ruling r;
    struct world w;

    begin(&w);
    rule(&w, &c, "claim = messages <= 4*N\ntry = random n=3 broken=yes\n", &r);
    assert_int_equal(r.verdict, LAB_UNDECIDED);
    assert_non_null(strstr(r.why, "there is no broken"));
    lab_ruling_free(&r);
    lab_claims_free(&c);
    rule(&w, &c, "claim = messages <= 4*z\ntry = random n=3\n", &r);
    assert_non_null(strstr(r.why, "there is no letter 'z'"));
    lab_ruling_free(&r);
    lab_claims_free(&c);
    rule(&w, &c, "claim = colour <= 4\ntry = random n=3\n", &r);
    assert_non_null(strstr(r.why, "its JSON has no colour"));
    lab_ruling_free(&r);
    lab_claims_free(&c);
    rule(&w, &c, "undecided = it is too hard\n", &r);
    assert_int_equal(r.verdict, LAB_UNDECIDED);
    lab_ruling_free(&r);
    lab_claims_free(&c);
    lab_notebook_close(w.q.notebook);
}

/* What is in the notebook is not asked for again, unless it is of another
 * version. */
TEST(test_a_notebook_is_kept)
{
    static const char text[] =
        "claim = messages <= 3*N\ntry = random n=2,3 runs=9\n";
    struct net_why why = {0};
    char path[] = "/tmp/notebook.XXXXXX", other[40];
    static const char *const versions[] = {"1", "1", "2"};
    static const uint64_t asked[] = {2, 0, 2};
    struct lab_claims c;
    struct lab_ruling r;
    struct world w;

    assert_true(mkdtemp(path) != NULL);
    snprintf(other, sizeof other, "%s/lab.db", path);
    for (int i = 0; i < 3; i++) {
        begin(&w);
        lab_notebook_close(w.q.notebook);
        w.q.notebook = lab_notebook_open(other, versions[i], false, &why);
        assert_non_null(w.q.notebook);
        rule(&w, &c, text, &r);
        assert_int_equal(w.answers, asked[i]);
        assert_int_equal(r.verdict, LAB_HOLDS);
        /* What a command took does not depend on the build. */
        assert_true(lab_notebook_seconds(
                        w.q.notebook, r.judgements[0].cells[0].command) >= 0);
        assert_true(isnan(lab_notebook_seconds(w.q.notebook, "nothing")));
        lab_ruling_free(&r);
        lab_claims_free(&c);
        lab_notebook_close(w.q.notebook);
    }
    assert_null(lab_notebook_open("/nowhere/at/all", "1", false, &why));
    assert_non_null(strstr(why.text, "unable to open"));
    remove(other);
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_bound_decides),
        cmocka_unit_test(test_an_argument),
        cmocka_unit_test(test_every_cell_counts),
        cmocka_unit_test(test_extremes_that_are_reached),
        cmocka_unit_test(test_properties),
        cmocka_unit_test(test_looks),
        cmocka_unit_test(test_two_protocols),
        cmocka_unit_test(test_more_is_left_out),
        cmocka_unit_test(test_a_reading_has_letters),
        cmocka_unit_test(test_a_share_beside_another),
        cmocka_unit_test(test_readings_and_repairs),
        cmocka_unit_test(test_the_smallest_witness),
        cmocka_unit_test(test_what_cannot_be_tried),
        cmocka_unit_test(test_a_notebook_is_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
