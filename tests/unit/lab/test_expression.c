/*
 * test_expression.c - formulas: values, exactness, and what is refused.
 */
#include "lab/formula/expression.h"

#include <math.h>
#include <string.h>

#include "tests/unit/kit/test.h"

static const struct lab_letter none[] = {{0}};

static struct lab_number value_of(const char *text,
                                  const struct lab_letter *letters)
{
    struct lab_number out;
    struct net_why why = {0};

    if (!lab_evaluate(text, letters, &out, &why))
        fail_msg("%s: %s", text, why.text);
    return out;
}

/* Fractions are exact, whatever the order of operations. */
TEST(test_values)
{
    static const struct {
        const char *text;
        int64_t top, bottom;
    } cases[] = {
        {"1", 1, 1},
        {" 2 + 3 * 4 ", 14, 1},
        {"(2+3)*4", 20, 1},
        {"10 - 4 - 3", 3, 1},
        {"12/4/3", 1, 1},
        {"2^3^2", 512, 1},
        {"-2^2", -4, 1},
        {"(-2)^2", 4, 1},
        {"2^-3", 1, 8},
        {"2*-3", -6, 1},
        {"1/3 + 1/6", 1, 2},
        {"3*(11/10)*100", 330, 1},
        {"0.1 + 0.2", 3, 10},
        {".5", 1, 2},
        {"floor(7/2)", 3, 1},
        {"floor(-7/2)", -4, 1},
        {"ceil(7/2)", 4, 1},
        {"ceil(-7/2)", -3, 1},
        {"log2(1024)", 10, 1},
        {"log2(1)", 0, 1},
        {"H(1)", 1, 1},
        {"H(4)", 25, 12},
        {"H(0)", 0, 1},
        {"min(3,2)", 2, 1},
        {"max(3,2)", 3, 1},
        {"mod(7,3)", 1, 1},
        {"mod(-1,5)", 4, 1},
        {"mod(7/2,1)", 1, 2},
        {"mirror(0)", 0, 1},
        {"mirror(1)", 1, 2},
        {"mirror(6)", 3, 8},
        {"if(1 < 2, 5, 6)", 5, 1},
        {"if(2 <= 1, 5, 6)", 6, 1},
        {"1/3 = 2/6", 1, 1},
        {"1/3 != 2/6", 0, 1},
        {"3 >= 3", 1, 1},
        {"3 > 3", 0, 1},
        {"1 and 0 or 1", 1, 1},
        {"1 or 1 and 0", 1, 1},
        {"not 0 and 2", 1, 1},
        {"not 1 = 2", 1, 1},
        {"0 implies 1/0", 1, 1}, /* what is not needed is not computed */
        {"1 implies 0 implies 0", 1, 1},
        {"if(1, 2, 1/2) + 1", 3, 1},
        {"9223372036854775807", INT64_MAX, 1},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct lab_number is = value_of(cases[i].text, none);

        if (!is.exact || is.top != cases[i].top || is.bottom != cases[i].bottom)
            fail_msg("%s is %lld/%lld", cases[i].text, (long long)is.top,
                     (long long)is.bottom);
    }
}

TEST(test_letters)
{
    const struct lab_letter letters[] = {
        {"N", lab_whole(22)}, {"u", lab_whole(11)}, {"m", lab_whole(10)}, {0}};
    struct lab_number is = value_of("2*N + 3*N*u/m", letters);

    assert_true(is.exact);
    assert_int_equal(is.top, 583); /* 116.6 */
    assert_int_equal(is.bottom, 5);
}

/* What does not fit is floating point and says so. */
TEST(test_beyond_exactness)
{
    static const struct {
        const char *text;
        double near;
    } cases[] = {
        {"2^100", 0x1p100},
        {"2^0.5", 1.41421356237309505},
        {"log2(3)", 1.58496250072116},
        {"H(100)", 5.18737751763962},
        {"H(2000000)", 15.085873653425},
        {"9223372036854775807 + 1", 0x1p63},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct lab_number is = value_of(cases[i].text, none);

        assert_false(is.exact);
        assert_true(fabs(is.value / cases[i].near - 1) < 1e-12);
    }
}

TEST(test_comparison)
{
    struct lab_number third = lab_quotient(1, 3), same = lab_quotient(-2, -6);
    struct lab_number more = lab_quotient(333333333333334, 1000000000000000);
    struct lab_number root = value_of("2^0.5", none);
    struct lab_number square = value_of("2^0.5 * 2^0.5", none);
    struct lab_number two = lab_whole(2);
    int64_t whole;

    assert_int_equal(lab_compare(&third, &same), 0);
    assert_int_equal(lab_compare(&third, &more), -1);
    assert_int_equal(lab_compare(&more, &third), 1);
    assert_int_equal(lab_compare(&square, &two), 0); /* nearly is enough */
    assert_int_equal(lab_compare(&root, &two), -1);
    assert_true(lab_floor(&root, &whole));
    assert_int_equal(whole, 1);
    root.value = 1e30;
    assert_false(lab_floor(&root, &whole));
}

TEST(test_what_is_refused)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "ends too early"},
        {"1 +", "ends too early"},
        {"1 2", "what is '2'"},
        {"(1", "a ')' is missing"},
        {"x", "no letter 'x'"},
        {"sin(1)", "no function 'sin'"},
        {"min(1)", "a ',' or ')' is missing"},
        {"1/0", "division by 0"},
        {"0^-1", "division by 0"},
        {"mod(1,0)", "division by 0"},
        {"log2(0)", "log2 of what"},
        {"H(1/2)", "H takes a whole"},
        {"mirror(-1)", "mirror takes a whole"},
        {"floor(2^200)", "too large"},
        {"10^400", "too large"},
        {"*3", "missing before '*3'"},
        {"1 and", "ends too early"},
        {"and", "missing before 'and'"},
        {"1 then 2", "what is 'then 2'"},
        {"f(1)", "there is no f here"},
        {"some i: 1", "no nodes here"},
    };
    struct net_why why = {0};
    char deep[400];
    struct lab_number out;

    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_false(lab_evaluate(cases[i].text, none, &out, &why));
        if (!strstr(why.text, cases[i].says))
            fail_msg("%s: %s", cases[i].text, why.text);
    }
    memset(deep, '(', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    assert_false(lab_evaluate(deep, none, &out, &why));
    assert_non_null(strstr(why.text, "too many brackets"));
    memset(deep, '-', sizeof deep - 1);
    assert_false(lab_evaluate(deep, none, &out, &why));
}

/* Whatever is typed, there is a value or a sentence. */
TEST(test_any_text)
{
    static const char letters[] =
        "0123456789.+-*/^()<>=!, NHlog2floormod,if not and or:some";
    struct dice d = {7};

    for (uint32_t round = 0; round < rounds(300000); round++) {
        struct net_why why = {0};
        char text[24];
        uint32_t length = throw_below(&d, sizeof text);
        struct lab_number out;

        for (uint32_t i = 0; i < length; i++)
            text[i] = letters[throw_below(&d, sizeof letters - 1)];
        text[length < sizeof text ? length : 0] = '\0';
        if (lab_evaluate(text, none, &out, &why))
            assert_true(isfinite(out.value));
        else
            assert_true(*why.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_letters),
        cmocka_unit_test(test_beyond_exactness),
        cmocka_unit_test(test_comparison),
        cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_any_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
