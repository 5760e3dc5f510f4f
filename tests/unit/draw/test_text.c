/*
 * test_text.c - the little reading of text, and parameters from text.
 */
#include "tests/unit/kit/testing.h"

#include "core/text.h"

/* Equal to the last character, and no further. */
TEST(test_same)
{
    assert_true(fc_same("", ""));
    assert_true(fc_same("abc", "abc"));
    assert_false(fc_same("abc", "abd"));
    assert_false(fc_same("abc", "ab"));
    assert_false(fc_same("ab", "abc"));
    assert_false(fc_same("", "a"));
    assert_false(fc_same("a", ""));
}

/* What follows a prefix, be it nothing. */
TEST(test_after)
{
    assert_string_equal(fc_after("exp:2", "exp:"), "2");
    assert_string_equal(fc_after("exp:", "exp:"), "");
    assert_string_equal(fc_after("exp:", ""), "exp:");
    assert_null(fc_after("exp", "exp:"));
    assert_null(fc_after("pow:2", "exp:"));
    assert_null(fc_after("", "e"));
}

/* Digits alone, all of the text, and no more than fits. */
TEST(test_numbers)
{
    static const struct {
        const char *text;
        uint64_t number;
    } good[] = {
        {"0", 0},
        {"7", 7},
        {"007", 7},
        {"18446744073709551615", UINT64_MAX},
        {"18446744073709551614", UINT64_MAX - 1},
        {"00018446744073709551615", UINT64_MAX},
    };
    static const char *const bad[] = {"",
                                      " 1",
                                      "1 ",
                                      "-1",
                                      "+1",
                                      "0x10",
                                      "1e3",
                                      "1.",
                                      "1.0",
                                      "one",
                                      "1,0",
                                      "18446744073709551616",
                                      "18446744073709551620",
                                      "99999999999999999999",
                                      "184467440737095516150"};
    uint64_t number;

    for (size_t i = 0; i < COUNT(good); i++) {
        number = 42;
        assert_true(fc_read_number(good[i].text, &number));
        assert_true(number == good[i].number);
    }
    for (size_t i = 0; i < COUNT(bad); i++) {
        number = 42;
        assert_false(fc_read_number(bad[i], &number));
        assert_true(number == 42);
    }
}

/* Decimals in thousandths. */
TEST(test_thousandths)
{
    static const struct {
        const char *text;
        uint64_t number;
    } cases[] = {
        {"0", 0},
        {"1", 1000},
        {"1.5", 1500},
        {"2.25", 2250},
        {"0.001", 1},
        {"1.000", 1000},
        {"999.999", 999999},
        {"18446744073709550.999", UINT64_C(18446744073709550999)},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        uint64_t number = 42;

        assert_true(fc_read_thousandths(cases[i].text, &number));
        assert_true(number == cases[i].number);
    }
}

/* At most three places, a digit before the point, and nothing around. */
TEST(test_thousandths_refused)
{
    static const char *const texts[] = {
        "",     ".5",   "1.0000", "1.2345", "1..2",
        "1.5x", "-1.5", "+1",     " 1",     "1.5 ",
        "1,5",  "1.5.", "x",      "1e3",    "18446744073709551"};

    for (size_t i = 0; i < COUNT(texts); i++) {
        uint64_t number = 42;

        assert_false(fc_read_thousandths(texts[i], &number));
        assert_true(number == 42);
    }
}

/* Whole words among the alternatives. */
TEST(test_choices)
{
    assert_int_equal(fc_find_choice("one|f", "one"), 0);
    assert_int_equal(fc_find_choice("one|f", "f"), 1);
    assert_int_equal(fc_find_choice("filters|forwards|stops", "stops"), 2);
    assert_int_equal(fc_find_choice("a|ab|abc", "ab"), 1);
    assert_int_equal(fc_find_choice("a|ab|abc", "abc"), 2);
    assert_int_equal(fc_find_choice("a|ab|abc", "abcd"), -1);
    assert_int_equal(fc_find_choice("one|f", "on"), -1);
    assert_int_equal(fc_find_choice("one|f", "ones"), -1);
    assert_int_equal(fc_find_choice("one|f", ""), -1);
    assert_int_equal(fc_find_choice("", ""), -1);
    assert_int_equal(fc_find_choice("one", "two"), -1);
}

/* The form lists alternatives; a list of them is none. */
TEST(test_choices_do_not_span_alternatives)
{
    assert_int_equal(fc_find_choice("one|f", "one|f"), -1);
    assert_int_equal(fc_find_choice("a|b|c", "b|c"), -1);
}

/* ---- Parameters ---------------------------------------------------------- */

/* Every default is one that can be typed. */
TEST(test_defaults_of_all_protocols_are_accepted)
{
    for (uint32_t i = 0; sim_types[i]; i++) {
        const struct fc_protocol *p = sim_types[i]->protocol;

        for (uint32_t j = 0; j < p->params_count; j++) {
            struct lab lab;

            lab_open(&lab, p->name, 2);
            lab_set(&lab, p->params[j].key, p->params[j].fallback);
            assert_ptr_equal(fc_params_find(p, p->params[j].key),
                             &p->params[j]);
        }
    }
}

/* As printed: f = 2^i, the first wait 1, no repairs. */
TEST(test_vitanyi_defaults_are_as_printed)
{
    struct vitanyi_params p;

    memset(&p, 0xff, sizeof p);
    fc_params_default(&vitanyi_protocol, &p);
    assert_int_equal(p.f.family, FC_WAIT_EXP);
    assert_int_equal(p.f.argument, 2000);
    assert_int_equal(p.first_wait, VITANYI_FIRST_ONE);
    assert_int_equal(p.wakeup_counts + p.winner_guard + p.any_order, 0);
}

/* What cannot be set is refused, and nothing is changed. */
TEST(test_refused_parameters_change_nothing)
{
    static const struct {
        const char *key, *value;
        enum fc_set_result why;
    } cases[] = {
        {"speed", "1", FC_SET_NO_KEY},
        {"", "1", FC_SET_NO_KEY},
        {"f", "exp:0.5", FC_SET_BAD_VALUE},
        {"f", "const:0", FC_SET_BAD_VALUE},
        {"f", "cosnt:1", FC_SET_BAD_VALUE},
        {"f", "table:", FC_SET_BAD_VALUE},
        {"f", "pow:x", FC_SET_BAD_VALUE},
        {"first-wait", "two", FC_SET_BAD_VALUE},
        {"links", "", FC_SET_BAD_VALUE},
    };
    struct vitanyi_params p, before;
    const char *file = NULL;
    struct fc_wait *wait = NULL;

    fc_params_default(&vitanyi_protocol, &p);
    memcpy(&before, &p, sizeof p);
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(fc_params_set(&vitanyi_protocol, &p, cases[i].key,
                                       cases[i].value, &file, &wait),
                         cases[i].why);
        assert_memory_equal(&p, &before, sizeof p);
        assert_null(file);
    }
}

/* The caller must load the file, into this wait. */
TEST(test_tables_are_loaded_by_the_caller)
{
    struct vitanyi_params p;
    const char *file = NULL;
    struct fc_wait *wait = NULL;

    fc_params_default(&vitanyi_protocol, &p);
    assert_int_equal(fc_params_set(&vitanyi_protocol, &p, "f",
                                   "table:/tmp/f.txt", &file, &wait),
                     FC_SET_NEEDS_FILE);
    assert_string_equal(file, "/tmp/f.txt");
    assert_ptr_equal(wait, &p.f);
    assert_int_equal(p.f.family, FC_WAIT_TABLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same),
        cmocka_unit_test(test_after),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_thousandths),
        cmocka_unit_test(test_thousandths_refused),
        cmocka_unit_test(test_choices),
        cmocka_unit_test(test_choices_do_not_span_alternatives),
        cmocka_unit_test(test_defaults_of_all_protocols_are_accepted),
        cmocka_unit_test(test_vitanyi_defaults_are_as_printed),
        cmocka_unit_test(test_refused_parameters_change_nothing),
        cmocka_unit_test(test_tables_are_loaded_by_the_caller),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
