/*
 * test_property.c - properties as they are typed: their forms, what they may
 * speak of, and where a mistake is pointed at.
 */
#include "lab/formula/property.h"

#include <ctype.h>

#include "protocols/election/chang_roberts/chang_roberts.h"
#include "protocols/election/itai_rodeh/itai_rodeh.h"
#include "protocols/mutex/naimi_trehel/naimi_trehel.h"
#include "tests/unit/kit/test.h"

static struct net net_of(const struct fc_protocol *protocol, enum net_time time)
{
    static uint64_t params[64]; /* nothing here depends on them */

    return (struct net){
        .protocol = protocol,
        .params = params,
        .time = time,
        .world = {.nodes = 3, .initiators = 3, .least = 1, .greatest = 3},
    };
}

static bool read(struct lab_asked *a, const struct net *net, const char *text,
                 struct net_why *why)
{
    memset(a, 0, sizeof *a);
    return lab_property_read(a, net, text, why);
}

/* Each form is about states, steps, or what comes later; of all nodes at once
 * or of each; and fair as the model of time is, if nothing is said. */
TEST(test_forms)
{
    static const struct {
        const char *text, *name, *says;
        enum net_asked_form form;
        enum net_fairness fair, timed;
        uint32_t instances;
    } cases[] = {
        {"always: 1", "property", "always: 1", NET_OF_STATES, 0, 0, 0},
        {" a-1: never : some i: lost(i)", "a-1", "never : some i: lost(i)",
         NET_OF_STATES, 0, 0, 0},
        {"never: some i: lost(i) then leader(i)", "property",
         "never: some i: lost(i) then leader(i)", NET_OF_STEPS, 0, 0, 0},
        {"always: next(N) = N", "property", "always: next(N) = N", NET_OF_STEPS,
         0, 0, 0},
        {"eventually: over", "property", "eventually: over", NET_LEADS_TO,
         NET_FAIR, NET_BY_CHANCE, 1},
        {"every i: lost(i) leads-to done(i)", "property",
         "every i: lost(i) leads-to done(i)", NET_LEADS_TO, NET_FAIR,
         NET_BY_CHANCE, 3},
        {"every i, j: lost(i) leads-to done(j) under chance", "property",
         "every i, j: lost(i) leads-to done(j) under chance", NET_LEADS_TO,
         NET_BY_CHANCE, NET_BY_CHANCE, 9},
        {"(every i: lost(i)) leads-to 1 under no fairness", "property",
         "(every i: lost(i)) leads-to 1 under no fairness", NET_LEADS_TO,
         NET_UNFAIR, NET_UNFAIR, 1},
        {"1 leads-to 1 under fairness", "property",
         "1 leads-to 1 under fairness", NET_LEADS_TO, NET_FAIR, NET_FAIR, 1},
    };
    struct lab_asked *a = calloc(1, sizeof *a);

    assert_non_null(a);
    for (size_t i = 0; i < 2 * COUNT(cases); i++) {
        bool timed = i >= COUNT(cases);
        struct net net =
            net_of(&chang_roberts_protocol, timed ? NET_SYNC : NET_ASYNC);
        const struct net_property *p = &a->asked.property[0];
        size_t k = i % COUNT(cases);
        struct net_why why = {0};

        if (!read(a, &net, cases[k].text, &why))
            fail_msg("%s", why.text);
        assert_string_equal(p->name, cases[k].name);
        assert_string_equal(p->says, cases[k].says);
        assert_int_equal(p->form, cases[k].form);
        assert_int_equal(p->instances, cases[k].instances);
        assert_int_equal(p->fairness, timed ? cases[k].timed : cases[k].fair);
    }
    free(a);
}

/* The mark stands below the character at which it goes wrong, and what is said
 * of it has the nearest word. */
TEST(test_mistakes_are_pointed_at)
{
    static const struct {
        const char *text, *says;
        size_t place;
    } cases[] = {
        {"never: some i: lost(i) then leadr(i)", "did you mean 'leader'?", 28},
        {"alwys: over", "did you mean 'always'?", 0},
        {"always over", "a ':' is missing", 6},
        {"always: ovr", "did you mean 'over'?", 8},
        {"always: leader", "as it is written: 'leader(i)'", 8},
        {"always: leader(1, 2)", "as it is written: 'leader(i)'", 8},
        {"always: leader(3)", "nodes are 0 to N-1", 8},
        {"always: flying(tokn) = 1", "did you mean 'token'?", 15},
        {"always: some i: status(i) = led", "(asleep, relay, ", 28},
        {"always: holds(hop)", "did you mean 'hope'?", 14},
        {"always: some N: lost(N)", "a letter already", 13},
        {"always: some i: some i: lost(i)", "a variable already", 21},
        {"always: count i, j: lost(i)", "count takes one", 18},
        {"always: some i lost(i)", "a ':' is missing", 15},
        {"always: next(next(N))", "one step at a time", 13},
        {"lost(0) then lost(1) leads-to 1", "only always and never", 8},
        {"always: over and next(over)", "is about a state", 0},
        {"lost(0) leads-to", "ends too early", 16},
        {"lost(0) leads to lost(1)", "here stands 'leads-to'", 8},
        {"lost(0)", "are missing here", 7},
        {"1 leads-to 1 under rain", "fairness, chance or", 19},
        {"1 leads-to 1 under no rain", "fairness, chance or", 22},
        {"always: 1 2", "is over here", 10},
        {"elected: always: 1", "of this name already", 0},
        {"a-name-that-is-longer-than-31-is: always: 1", "1 to 31", 0},
        {"always: (1", "before the end", 10},
        {"every i, : lost(i) leads-to 1", "name of a variable", 9},
        {"always: \303\274 = 1", "missing before", 8},
        {"x\303\274: always: 1", "no letter 'x'", 0},
    };
    struct net net = net_of(&chang_roberts_protocol, NET_ASYNC);
    struct lab_asked *a = calloc(1, sizeof *a);

    assert_non_null(a);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct net_why why = {0};
        const char *text, *mark;

        assert_false(read(a, &net, cases[i].text, &why));
        if (!strstr(why.text, cases[i].says))
            fail_msg("%s: %s", cases[i].text, why.text);
        text = strstr(why.text, "\n  ");
        assert_non_null(text);
        mark = strstr(text + 1, "\n  ");
        assert_non_null(mark);
        assert_int_equal(
            strncmp(text + 3, cases[i].text, (size_t)(mark - text) - 3), 0);
        if (strspn(mark + 3, " ") != cases[i].place)
            fail_msg("%s", why.text);
        assert_string_equal(mark + 3 + cases[i].place, "^");
        assert_int_equal(a->asked.count, 0);
    }
    free(a);
}

/* Whether nodes that are alike may change places: not if a property sees their
 * numbers, or each of them on its own. */
TEST(test_what_is_symmetric)
{
    static const struct {
        const char *text;
        bool ring, complete; /* itai-rodeh, naimi-trehel */
    } cases[] = {
        {"always: 1", true, true},
        {"never: some i, j: i != j and down(i) and down(j)", true, true},
        {"never: some i, j: i < j and down(i) and down(j)", false, false},
        {"always: down(0)", false, false},
        {"never: some i: down(i) and down(mod(i + 1, N))", false, false},
        {"never: some i: i = 1 and down(i)", false, false},
        {"(some i: down(i)) leads-to over", true, true},
        {"every i: down(i) leads-to over", false, false},
        {"always: (count i: down(i)) < 2", true, true},
    };
    static const struct {
        const char *text;
        bool symmetric;
    } fields[] = {
        {"never: some i, j: father(i) = j and father(j) = i", true},
        {"never: some i: father(i) > 1", false},
        {"never: some i: father(i) = nobody and waits(father(i))", true},
        {"never: some i: father(i) = 0", false},
        {"never: some i: token(i) > 0", false},
        {"never: some i: name(i) = 2", false},
        {"never: some i: state.token(i) and waits(i)", true},
        {"always: flying(token) <= 1 and holds(one-token)", true},
    };
    struct net ring = net_of(&itai_rodeh_protocol, NET_ASYNC);
    struct net complete = net_of(&naimi_trehel_protocol, NET_ASYNC);
    struct lab_asked *a = calloc(1, sizeof *a);
    struct net_why why = {0};

    assert_non_null(a);
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_true(read(a, &ring, cases[i].text, &why));
        assert_int_equal(a->asked.property[0].symmetric, cases[i].ring);
        assert_true(read(a, &complete, cases[i].text, &why));
        assert_int_equal(a->asked.property[0].symmetric, cases[i].complete);
    }
    for (size_t i = 0; i < COUNT(fields); i++) {
        if (!read(a, &complete, fields[i].text, &why))
            fail_msg("%s", why.text);
        if (a->asked.property[0].symmetric != fields[i].symmetric)
            fail_msg("%s", fields[i].text);
    }
    free(a);
}

/* At most eight, and with names of their own. */
TEST(test_several)
{
    struct net net = net_of(&chang_roberts_protocol, NET_ASYNC);
    struct lab_asked *a = calloc(1, sizeof *a);
    struct net_why why = {0};
    char large[LAB_PROPERTY_TEXT_MAX + 20];

    assert_non_null(a);
    for (uint32_t i = 0; i < NET_ASKED_MAX; i++)
        assert_true(lab_property_read(
            a, &net, i == 2 ? "always: next(N) = N" : "eventually: over",
            &why));
    assert_true(a->asked.steps && a->asked.leads);
    assert_string_equal(a->asked.property[0].name, "property");
    assert_string_equal(a->asked.property[7].name, "property-8");
    assert_false(lab_property_read(a, &net, "always: 1", &why));
    assert_non_null(strstr(why.text, "at most 8"));
    memset(large, ' ', sizeof large);
    large[sizeof large - 1] = '\0';
    assert_false(read(a, &net, large, &why));
    assert_non_null(strstr(why.text, "at most 300 characters"));
    free(a);
}

/* Whatever is typed, it is a property or a sentence with a mark. */
TEST(test_any_text)
{
    static const char *const words[] = {
        "always: ",   "never: ", "every i: ", "some j: ", "count i: ", "lost",
        "(i)",        "(j) ",    "flying",    "(token",   ", ",        ") ",
        " leads-to ", "next(",   " then ",    "not ",     " and ",     " or ",
        " = ",        "status",  "lost ",     "1",        " + ",       "N",
        "mod(",       " under ", "fairness",  "(",        "over",      "least",
    };
    struct net net = net_of(&chang_roberts_protocol, NET_ASYNC);
    struct lab_asked *a = calloc(1, sizeof *a);
    struct dice d = {11};
    uint32_t fine = 0;

    assert_non_null(a);
    for (uint32_t round = 0; round < rounds(40000); round++) {
        uint32_t count = throw_below(&d, 7);
        struct net_why why = {0};
        char text[128] = "";

        for (uint32_t i = 0; i < count; i++)
            strcat(text, words[throw_below(&d, COUNT(words))]);
        a->asked.count = 0;
        if (lab_property_read(a, &net, text, &why))
            fine++;
        else
            assert_non_null(strstr(why.text, "^"));
    }
    assert_true(fine > 0);
    free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_mistakes_are_pointed_at),
        cmocka_unit_test(test_what_is_symmetric),
        cmocka_unit_test(test_several),
        cmocka_unit_test(test_any_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
