/*
 * test_claim.c - claims as data: words, statements, files, and the commands
 * that tries become.
 */
#include "lab/claim/claim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/claim/plan.h"
#include "tests/unit/kit/test.h"

/* ---- Words and commands -------------------------------------------------- */

TEST(test_words)
{
    char text[] = "n=2..5  time=sync fault=\"loss 0.1\" judge n=7";
    char open[] = "a=\"b c";
    char *words[4];
    struct lab_words w = {0}, none = {0};

    assert_true(lab_words_add(&w, text));
    assert_int_equal(w.count, 4);
    assert_string_equal(lab_words_get(&w, "n"), "7");
    assert_string_equal(lab_words_get(&w, "fault"), "loss 0.1");
    assert_string_equal(lab_words_get(&w, "judge"), "");
    assert_null(w.word[3].value);
    assert_null(lab_words_get(&w, "wake"));
    assert_false(lab_words_add(&none, open));
    assert_int_equal(lab_split((char[]){"a b c"}, words, 2), -1);
}

TEST(test_commands)
{
    const char *command = "fulcrum sim x -n 8 --set 'a=b c' --runs 40 --seed 1";
    char *changed;
    uint64_t number;

    assert_true(lab_command_number(command, "--runs", &number));
    assert_int_equal(number, 40);
    assert_false(lab_command_number(command, "--entries", &number));
    changed = lab_command_with_number(command, "-n", 3);
    assert_string_equal(changed,
                        "fulcrum sim x -n 3 --set 'a=b c' --runs 40 --seed 1");
    free(changed);
    changed = lab_command_with(command, "--set", "k=1");
    assert_string_equal(changed,
                        "fulcrum sim x -n 8 --set k=1 --runs 40 --seed 1");
    free(changed);
    changed = lab_command_with(command, "--runs", NULL);
    assert_string_equal(changed, "fulcrum sim x -n 8 --set 'a=b c' --seed 1");
    free(changed);
    changed = lab_command_with(command, "--wake", "first");
    assert_string_equal(
        changed,
        "fulcrum sim x -n 8 --set 'a=b c' --runs 40 --seed 1 --wake first");
    free(changed);
}

/* ---- Statements ---------------------------------------------------------- */

/* Claims may come from anywhere: what they become reads and writes no files. */
TEST(test_commands_without_files)
{
    static const char *const fine[] = {
        "fulcrum sim vitanyi -n 8 --names random:3 --set f=exp:2 --judge",
        "fulcrum sim vitanyi --names 3,1,2 --fault 'crash 1@0' --seed 7",
        "fulcrum check tree -n 2 --topology path --only told-apart",
        "fulcrum check x -n 2 --twin '--given candidates=2' --until 7",
        "fulcrum worst x -n 8 --names equal:1,1 --over names,wake",
    };
    static const char *const wrong[] = {
        "fulcrum sim x --trace a",
        "fulcrum sim x --trace=a",
        "fulcrum sim x --svg a",
        "fulcrum sim x --output a",
        "fulcrum sim x -o a",
        "fulcrum sim x --out a",
        "fulcrum sim x --runs=4",
        "fulcrum sim x --json",
        "fulcrum sim x --records a",
        "fulcrum sim x --replay a",
        "fulcrum sim x --strategy a",
        "fulcrum sim x --faults a",
        "fulcrum worst x --families a",
        "fulcrum sim x --names a",
        "fulcrum sim x --names /etc/passwd",
        "fulcrum sim x --names ascend",
        "fulcrum sim x --topology ./path",
        "fulcrum sim x --set 'x' '--trace=a'",
        "fulcrum sim x --until --fault --trace=a",
        "fulcrum check x --twin '--trace a'",
        "fulcrum check x --twin '--names a'",
        "fulcrum --trace a",
        "fulcrum sim --trace a",
        "fulcrum sim",
        "fulcrum sim x 'a",
    };
    struct net_why why = {0};

    for (size_t i = 0; i < COUNT(fine); i++)
        if (!lab_command_is_harmless(fine[i], &why))
            fail_msg("%s: %s", fine[i], why.text);
    for (size_t i = 0; i < COUNT(wrong); i++)
        if (lab_command_is_harmless(wrong[i], &why))
            fail_msg("%s is let through", wrong[i]);
}

TEST(test_statements)
{
    static const struct {
        const char *text;
        enum lab_left left;
        enum lab_relation op;
        enum lab_order order;
        const char *quantity, *formula;
    } cases[] = {
        {"messages <= 2*N + 3*N*u/m", LAB_EACH, LAB_AT_MOST, LAB_NO_ORDER,
         "messages", "2*N + 3*N*u/m"},
        {"messages.M == N", LAB_EACH, LAB_EQUAL, LAB_NO_ORDER, "messages.M",
         "N"},
        {"max(granting-delay) >= N", LAB_MOST, LAB_AT_LEAST, LAB_NO_ORDER,
         "granting-delay", "N"},
        {"min(messages) == N-1", LAB_LEAST, LAB_EQUAL, LAB_NO_ORDER, "messages",
         "N-1"},
        {"mean(refusals) < s/2", LAB_MEAN, LAB_LESS, LAB_NO_ORDER, "refusals",
         "s/2"},
        {"P(violated) > 0", LAB_CHANCE, LAB_MORE, LAB_NO_ORDER, "", "0"},
        {"P(one-leader) <= (3/4)^k", LAB_CHANCE, LAB_AT_MOST, LAB_NO_ORDER,
         "one-leader", "(3/4)^k"},
        {"holds", LAB_PROPERTY, LAB_LESS, LAB_NO_ORDER, "", NULL},
        {"not exclusion", LAB_FAILS, LAB_LESS, LAB_NO_ORDER, "exclusion", NULL},
        {"messages in O(N*log2(N))", LAB_EACH, LAB_LESS, LAB_O, "messages",
         "N*log2(N)"},
        {"mean(end) in Theta(N)", LAB_MEAN, LAB_LESS, LAB_THETA, "end", "N"},
    };
    static const struct {
        const char *text, *says;
    } wrong[] = {
        {"messages in o(N)", "an order is O(E) or Theta(E)"},
        {"messages in O(N", "a ')' is missing"},
        {"max(end) in O(N)", "an order is of X or mean(X)"},
        {"2*messages <= N", "not a quantity"},
        {"messages, or so", "it is not a relation"},
        {"mean(end) < mean(end)", "write mean(X of NAME)"},
    };
    struct lab_statement s;
    struct net_why why = {0};

    for (size_t i = 0; i < COUNT(cases); i++) {
        if (!lab_statement_read(&s, cases[i].text, &why))
            fail_msg("%s: %s", cases[i].text, why.text);
        assert_int_equal(s.left, cases[i].left);
        assert_int_equal(s.op, cases[i].op);
        assert_int_equal(s.order, cases[i].order);
        assert_string_equal(s.quantity, cases[i].quantity);
        if (cases[i].formula)
            assert_string_equal(s.formula, cases[i].formula);
        else
            assert_null(s.formula);
        lab_statement_free(&s);
    }
    for (size_t i = 0; i < COUNT(wrong); i++) {
        assert_false(lab_statement_read(&s, wrong[i].text, &why));
        if (!strstr(why.text, wrong[i].says))
            fail_msg("%s: %s", wrong[i].text, why.text);
        lab_statement_free(&s);
    }
}

/* What is measured elsewhere stands in the formula as a letter. */
TEST(test_means_of_others)
{
    struct lab_letter letters[] = {{"@0", lab_whole(6)}, {0}};
    struct lab_number value;
    struct lab_statement s;
    struct net_why why = {0};

    assert_true(lab_statement_read(
        &s, "mean(refusals) <= 1/2 * mean(messages of plain) + 1", &why));
    assert_int_equal(s.others_count, 1);
    assert_string_equal(s.others[0].quantity, "messages");
    assert_string_equal(s.others[0].other, "plain");
    assert_true(lab_evaluate(s.formula, letters, &value, &why));
    assert_int_equal(value.top, 4);
    lab_statement_free(&s);
}

/* ---- Files --------------------------------------------------------------- */

static const char some[] = "# a remark\n"
                           "[id.a]\n"
                           "place = page 1\n"
                           "says = few = enough: #X\n"
                           "on = vitanyi f=exp:2 wake=all\n"
                           "reading = printed: first-wait=one\n"
                           "repair = P1: first-wait=f\n"
                           "other = plain: chang-roberts announce=no\n"
                           "other = fast: vitanyi f=const:1\n"
                           "value = share: entry: refusals/awake\n"
                           "claim = messages <= N\n"
                           "try = random n=2..3,8 runs=20 f={exp:2,pow:2}\n"
                           "more = search n=4 budget=10\n"
                           "claim = P1: mean(end) in O(N)\n"
                           "along = u\n"
                           "try = count n=10 protocol={lelann,peterson}\n"
                           "[id.b]\n"
                           "undecided = it needs a clock\n";

TEST(test_a_file)
{
    struct lab_claims c = {0};
    const struct lab_claim *a;
    struct net_why why = {0};

    if (!lab_claims_read(&c, "some", some, &why))
        fail_msg("%s", why.text);
    assert_int_equal(c.count, 2);
    a = &c.claim[0];
    assert_string_equal(a->id, "id");
    assert_string_equal(a->part, "a");
    assert_string_equal(a->says, "few = enough: #X");
    assert_string_equal(a->on.protocol, "vitanyi");
    assert_string_equal(a->readings.of[0].name, "printed");
    assert_string_equal(a->repairs.of[0].words.word[0].value, "f");
    assert_string_equal(a->others.of[0].protocol, "chang-roberts");
    assert_string_equal(a->values.of[0].text, "entry: refusals/awake");
    assert_int_equal(a->stated_count, 2);
    assert_int_equal(a->stated[0].tries_count, 2);
    assert_false(a->stated[0].tries[0].full);
    assert_true(a->stated[0].tries[1].full);
    assert_int_equal(a->stated[0].tries[1].kind, LAB_TRY_SEARCH);
    assert_int_equal(a->stated[0].tries[1].line, 13);
    assert_string_equal(a->stated[0].along, "N");
    assert_string_equal(a->stated[1].along, "u");
    assert_string_equal(a->stated[1].relation.text, "mean(end) in O(N)");
    assert_true(lab_stated_of(&a->stated[0], NULL));
    assert_true(lab_stated_of(&a->stated[0], "printed"));
    assert_false(lab_stated_of(&a->stated[1], NULL));
    assert_false(lab_stated_of(&a->stated[1], "printed"));
    assert_true(lab_stated_of(&a->stated[1], "P1"));
    assert_string_equal(c.claim[1].undecided, "it needs a clock");
    lab_claims_free(&c);
}

TEST(test_files_that_are_refused)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"[a]\ncolour = red\n", "some, line 2: there are place, says"},
        {"[a]\ntry = random n=2\n", "line 2: a claim must come before try"},
        {"[a]\nalong = N\n", "line 2: a claim must come before along"},
        {"[a]\nclaim = messages <= N\ntry = guess n=2\n",
         "line 3: there are check, exact, all, count, search and random"},
        {"[a]\nclaim = messages <= N\ntry = random fault=\"loss\n",
         "line 3: too many words, or an open quote"},
        {"[a]\nreading = first-wait=f\n", "line 2: write NAME: ..."},
        {"[a]\n[b]\n[a]\n", "line 3: it is there already: a"},
        {"[a]\nsays = x\nsays = y\n", "line 3: a second line says"},
    };
    struct net_why why = {0};

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct lab_claims c = {0};

        assert_false(lab_claims_read(&c, "some", cases[i].text, &why));
        if (!strstr(why.text, cases[i].says))
            fail_msg("%s: %s", cases[i].text, why.text);
        lab_claims_free(&c);
    }
}

/* ---- Plans --------------------------------------------------------------- */

static bool is_option(const char *verb, const char *name)
{
    (void)verb;
    return strcmp(name, "runs") == 0 || strcmp(name, "wake") == 0 ||
           strcmp(name, "budget") == 0 || strcmp(name, "fault") == 0 ||
           strcmp(name, "names") == 0;
}

static void plan(struct lab_plan *p, const struct lab_claim *c, uint32_t stated,
                 uint32_t how, const struct lab_variant *v,
                 const struct lab_variant *other)
{
    const struct lab_planning of = {
        .claim = c,
        .stated = &c->stated[stated],
        .how = &c->stated[stated].tries[how],
        .variant = v,
        .other = other,
        .quantity = c->stated[stated].relation.quantity,
        .seed = 5,
        .is_option = is_option,
    };
    struct net_why why = {0};

    if (!lab_plan_make(p, &of, &why))
        fail_msg("%s", why.text);
}

TEST(test_cells_are_commands)
{
    struct lab_claims c = {0};
    struct net_why why = {0};
    const struct lab_claim *a;
    struct lab_plan p;

    assert_true(lab_claims_read(&c, "some", some, &why));
    a = &c.claim[0];
    plan(&p, a, 0, 0, &a->readings.of[0], NULL);
    assert_int_equal(p.count, 6);
    assert_string_equal(p.cell[0].network, "f=exp:2 n=2");
    assert_string_equal(p.cell[0].command,
                        "fulcrum sim vitanyi --set f=exp:2 --wake all --set "
                        "first-wait=one -n 2 --runs 20 --seed 5");
    assert_string_equal(p.cell[5].network, "f=pow:2 n=8");
    lab_plan_free(&p);
    plan(&p, a, 0, 1, NULL, NULL);
    assert_int_equal(p.count, 1);
    assert_string_equal(p.cell[0].command,
                        "fulcrum worst vitanyi --set f=exp:2 --wake all -n 4 "
                        "--budget 10 --of messages --seed 5");
    lab_plan_free(&p);
    /* A try may be of other protocols than the claim. */
    plan(&p, a, 1, 0, NULL, NULL);
    assert_int_equal(p.count, 2);
    assert_string_equal(p.cell[1].network, "n=10 protocol=peterson");
    assert_string_equal(p.cell[1].command,
                        "fulcrum sim peterson --set f=exp:2 --wake all -n 10 "
                        "--seed 5");
    lab_plan_free(&p);
    /* The other protocol has as many cells, and parameters of its own. */
    plan(&p, a, 0, 0, &a->readings.of[0], &a->others.of[0]);
    assert_int_equal(p.count, 6);
    assert_string_equal(p.cell[0].command,
                        "fulcrum sim chang-roberts --wake all -n 2 --runs 20 "
                        "--set announce=no --seed 5");
    lab_plan_free(&p);
    /* The same protocol keeps what it is not told otherwise. */
    plan(&p, a, 1, 0, &a->readings.of[0], &a->others.of[1]);
    assert_string_equal(p.cell[0].command,
                        "fulcrum sim vitanyi --set f=const:1 --wake all --set "
                        "first-wait=one -n 10 --seed 5");
    lab_plan_free(&p);
    lab_claims_free(&c);
}

/* What the statement needs is asked for. */
TEST(test_what_is_measured)
{
    static const struct {
        const char *claim, *how, *ends;
    } cases[] = {
        {"messages <= N", "check n=2", " --max messages"},
        {"messages >= N", "check n=2", " --min messages"},
        {"messages == N", "check n=2", " --max messages --min messages"},
        {"max(messages) == N", "check n=2", " --max messages"},
        {"max(messages) >= N", "check n=2", " --max messages"},
        {"min(messages) == N", "check n=2", " --min messages"},
        {"min(messages) <= N", "check n=2", " --min messages"},
        {"exclusion", "check n=2", " --only exclusion"},
        {"holds", "check n=2", " -n 2"},
        {"P(one-leader) <= 1/4", "exact n=2", " --only one-leader --worst"},
        {"mean(messages) <= N", "exact n=2", " --expect messages"},
        {"min(messages) == N", "search n=2", " --of messages --least --seed 5"},
        {"messages > N", "search n=2", " --of messages --least --seed 5"},
        {"max(messages) > N", "search n=2", " --of messages --seed 5"},
        {"mean(share) <= 1", "random n=2",
         " --runs 100 --value 'share=entry: x/y' --value 'x=entry: x' --seed "
         "5"},
        {"messages <= N", "all n=2", " --names all --seed 5"},
        {"holds", "random n=2 fault=\"crash 2@5; restart 2@9\"",
         " --fault 'crash 2@5' --fault 'restart 2@9' --runs 100 --seed 5"},
        {"holds", "random n=7 fault=\"crash [n]@5\" wake=[n-1]@0,1@[2*n]",
         "fulcrum sim vitanyi -n 7 --fault 'crash 7@5' --wake 6@0,1@14 --runs "
         "100 --seed 5"},
        {"holds", "check n=2 protocol={lelann,tree} only=ends",
         "fulcrum check lelann -n 2 --set only=ends"},
    };
    struct net_why why = {0};
    char text[400];

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct lab_claims c = {0};
        struct lab_plan p;
        const char *is, *ends = cases[i].ends;

        snprintf(
            text, sizeof text,
            "[a]\non = vitanyi\nvalue = share: entry: x/y\nvalue = x: entry: "
            "x\nclaim = "
            "%s\ntry = %s\n",
            cases[i].claim, cases[i].how);
        if (!lab_claims_read(&c, "some", text, &why))
            fail_msg("%s", why.text);
        plan(&p, &c.claim[0], 0, 0, NULL, NULL);
        is = p.cell[0].command;
        if (strlen(is) < strlen(ends) ||
            strcmp(is + strlen(is) - strlen(ends), ends) != 0)
            fail_msg("%s: %s", cases[i].claim, is);
        lab_plan_free(&p);
        lab_claims_free(&c);
    }
}

TEST(test_tries_that_cannot_be)
{
    static const struct {
        const char *claim, *how, *says;
    } cases[] = {
        {"P(violated) <= 1", "check n=2", "a probability is not tried by"},
        {"mean(end) <= 1", "check n=2", "a mean is tried by exact"},
        {"messages <= 1", "exact n=2", "a mean is tried by exact"},
        {"mean(end) <= 1", "search n=2", "a search is for the most"},
        {"end <= 1",
         "random n=1..200 f={1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,"
         "16,17,18,19,20,21,22,23}",
         "too many cells"},
        {"end <= 1", "random n=3 wake=[n/2]@0", "no whole number of nodes"},
        {"end <= 1", "random n=3 wake=[n@0", "no whole number of nodes"},
        {"end <= 1", "random n=3 wake=[N]@0", "no whole number of nodes"},
        {"end <= 1", "random wake=[n]@0", "no whole number of nodes"},
    };
    struct net_why why = {0};
    char text[400];

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct lab_claims c = {0};
        struct lab_plan p;
        struct lab_planning of = {.seed = 1, .is_option = is_option};

        snprintf(text, sizeof text, "[a]\non = vitanyi\nclaim = %s\ntry = %s\n",
                 cases[i].claim, cases[i].how);
        assert_true(lab_claims_read(&c, "some", text, &why));
        of.claim = &c.claim[0];
        of.stated = &of.claim->stated[0];
        of.how = &of.stated->tries[0];
        of.quantity = of.stated->relation.quantity;
        assert_false(lab_plan_make(&p, &of, &why));
        if (!strstr(why.text, cases[i].says))
            fail_msg("%s: %s", cases[i].claim, why.text);
        lab_plan_free(&p);
        lab_claims_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_commands),
        cmocka_unit_test(test_commands_without_files),
        cmocka_unit_test(test_statements),
        cmocka_unit_test(test_means_of_others),
        cmocka_unit_test(test_a_file),
        cmocka_unit_test(test_files_that_are_refused),
        cmocka_unit_test(test_cells_are_commands),
        cmocka_unit_test(test_what_is_measured),
        cmocka_unit_test(test_tries_that_cannot_be),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
