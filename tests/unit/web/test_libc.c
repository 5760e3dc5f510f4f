/*
 * The libc of the page beside the libc of this machine: each of its files is
 * included here under other names, and both are asked the same.
 */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <cmocka.h>

#include "tests/unit/kit/test.h"

/* ---- Ours, under other names --------------------------------------------- */

#define malloc      web_malloc
#define calloc      web_calloc
#define realloc     web_realloc
#define free        web_free
#define qsort       web_qsort
#define bsearch     web_bsearch
#define strtoull    web_strtoull
#define strtoul     web_strtoul
#define strtod      web_strtod
#define llabs       web_llabs
#define snprintf    web_snprintf
#define vsnprintf   web_vsnprintf
#define asprintf    web_asprintf
#define getopt_long web_getopt_long
#define optarg      web_optarg
#define optind      web_optind
#define opterr      web_opterr
#define optopt      web_optopt
void *web_malloc(size_t size);
void web_free(void *p);
int web_snprintf(char *text, size_t size, const char *format, ...);
#include "web/libc/decimal.c"
#include "web/libc/format.c"
#include "web/libc/sort.c"
#undef BASE
#include "web/libc/getopt.c"
#include "web/libc/number.c"
#define __multi3      web_multi3
#define __ashlti3     web_ashlti3
#define __lshrti3     web_lshrti3
#define __udivti3     web_udivti3
#define __umodti3     web_umodti3
#define __divti3      web_divti3
#define __modti3      web_modti3
#define __floatuntidf web_floatuntidf
#define __floattidf   web_floattidf
#include "web/libc/memory.c"
#include "web/libc/wide.c"
#undef malloc
#undef calloc
#undef realloc
#undef free
#undef qsort
#undef bsearch
#undef strtoull
#undef strtoul
#undef strtod
#undef llabs
#undef snprintf
#undef vsnprintf
#undef asprintf
#undef getopt_long
#undef optarg
#undef optind
#undef opterr
#undef optopt

/* ---- Random -------------------------------------------------------------- */

static uint64_t seed = 1;

static uint64_t draw(void)
{
    uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Of any size: as many bits as chance wants. */
static uint64_t draw_bits(void)
{
    return draw() >> draw() % 64;
}

static double draw_double(void)
{
    double value;
    uint64_t bits = draw();

    switch (draw() % 4) {
    case 0:
        return (double)(int64_t)draw_bits() / 1000;
    case 1:
        return (double)draw_bits();
    case 2: /* a tie of decimals, often */
        return (double)(draw() % 20000) / 16;
    default:
        memcpy(&value, &bits, sizeof value);
        return value;
    }
}

/* ---- Numbers as text ----------------------------------------------------- */

static void test_whole_numbers_are_printed_as_here(void **state)
{
    static const char *const formats[] = {
        "%llu",  "%lld",  "%20lld|", "%-20lld|",  "%020lld",
        "%+lld", "% lld", "%.5lld",  "%10.5lld|", "%llx",
        "%#llx", "%llX",  "%#llo",   "%llo"};

    (void)state;
    for (uint32_t i = 0; i < rounds(20000); i++) {
        const char *format = formats[i % (sizeof formats / sizeof *formats)];
        long long value = (long long)draw_bits() * (i % 3 ? 1 : -1);
        char here[64], there[64];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(there, sizeof there, format, value);
        web_snprintf(here, sizeof here, format, value);
#pragma GCC diagnostic pop
        assert_string_equal(here, there);
    }
}

static void test_doubles_are_printed_as_here(void **state)
{
    static const char *const formats[] = {
        "%f",    "%.0f",    "%.1f",  "%.3g", "%g",      "%e",
        "%.17g", "%.12g",   "%#g",   "%G",   "%12.2f|", "%-12.3e|",
        "%+.2f", "%012.1f", "%#.0f", "%.20f"};

    (void)state;
    for (uint32_t i = 0; i < rounds(20000); i++) {
        const char *format = formats[i % (sizeof formats / sizeof *formats)];
        static char here[2048], there[2048];
        double value = draw_double();

        if (isnan(value))
            continue; /* whose sign nobody prints on purpose */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(there, sizeof there, format, value);
        web_snprintf(here, sizeof here, format, value);
#pragma GCC diagnostic pop
        assert_string_equal(here, there);
    }
}

static void test_words_are_printed_as_here(void **state)
{
    char here[64], there[64];
    int length;

    (void)state;
    length = web_snprintf(here, 8, "%s and %s", "this", "that");
    assert_int_equal(length, 13);
    assert_string_equal(here, "this an");
    snprintf(there, sizeof there, "%-5s|%5s|%.2s|%*s|%-*s|%c|%5c|%%|%hhu|%hd",
             "ab", "cd", "efg", 4, "h", 4, "i", 'j', 'k', (unsigned char)44,
             (short)-5);
    web_snprintf(here, sizeof here, "%-5s|%5s|%.2s|%*s|%-*s|%c|%5c|%%|%hhu|%hd",
                 "ab", "cd", "efg", 4, "h", 4, "i", 'j', 'k', (unsigned char)44,
                 (short)-5);
    assert_string_equal(here, there);
    web_snprintf(here, sizeof here, "%zu %zd %jd %td %f %F %g", (size_t)1,
                 (ptrdiff_t)-2, (intmax_t)3, (ptrdiff_t)4, INFINITY, -INFINITY,
                 0.0);
    assert_string_equal(here, "1 -2 3 4 inf -INF 0");
}

/* ---- Text as numbers ----------------------------------------------------- */

static void test_doubles_are_read_as_here(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < rounds(20000); i++) {
        char text[64], *here_end, *there_end;
        double here, there;

        switch (i % 3) {
        case 0:
            snprintf(text, sizeof text, "%.*g", (int)(draw() % 20) + 1,
                     draw_double());
            break;
        case 1:
            snprintf(text, sizeof text, " -%" PRIu64 ".%" PRIu64 "e%d+",
                     draw_bits(), draw_bits(), (int)(draw() % 700) - 350);
            break;
        default: /* half way between two, or near it */
            snprintf(text, sizeof text, "%.*e", 20 + (int)(draw() % 10),
                     ldexp((double)(draw() >> 11) + 0.5, (int)(draw() % 80)));
        }
        here = web_strtod(text, &here_end);
        there = strtod(text, &there_end);
        assert_ptr_equal(here_end, there_end);
        if (!isnan(there))
            assert_memory_equal(&here, &there, sizeof here);
    }
}

static void test_odd_texts_are_read_as_here(void **state)
{
    static const char *const texts[] = {"",
                                        "x",
                                        ".",
                                        "-",
                                        "1e",
                                        "1e+",
                                        ".5",
                                        "5.",
                                        "+3",
                                        "inf",
                                        "-INFx",
                                        "nan",
                                        "1e400",
                                        "1e-400",
                                        "0",
                                        "-0",
                                        "0x10",
                                        "0x",
                                        "010",
                                        "99999999999999999999",
                                        "-1",
                                        " 7",
                                        "1..2",
                                        "0.000",
                                        "4.9e-324",
                                        "2.4e-324",
                                        "1.7976931348623159e308"};

    (void)state;
    for (uint32_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *here_end, *there_end;
        double here = web_strtod(texts[i], &here_end);
        double there = strtod(texts[i], &there_end);

        if (strncmp(texts[i], "0x", 2) != 0) { /* no hexadecimal doubles */
            assert_ptr_equal(here_end, there_end);
            assert_true(isnan(there) || here == there);
        }
        for (int base = 0; base <= 16; base += base ? 6 : 10) {
            assert_true(web_strtoull(texts[i], &here_end, base) ==
                        strtoull(texts[i], &there_end, base));
            assert_ptr_equal(here_end, there_end);
        }
    }
}

/* ---- Memory -------------------------------------------------------------- */

/* Blocks keep their bytes, whatever happens around them; and when all are gone,
 * nothing is lost. */
static void test_memory_is_kept_and_joined(void **state)
{
    enum { BLOCKS = 64 };
    uint8_t *block[BLOCKS] = {NULL};
    size_t size[BLOCKS] = {0};
    void *most;

    (void)state;
    for (uint32_t i = 0; i < rounds(100000); i++) {
        uint32_t b = (uint32_t)(draw() % BLOCKS);
        size_t wanted = (size_t)(draw() % (i % 50 ? 500 : 100000));
        uint8_t *p;

        for (size_t k = 0; k < size[b]; k++)
            assert_int_equal(block[b][k], b);
        if (draw() % 3 == 0) {
            web_free(block[b]);
            block[b] = NULL;
            size[b] = 0;
            continue;
        }
        p = web_realloc(block[b], wanted);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % 16, 0);
        for (size_t k = 0; k < size[b] && k < wanted; k++)
            assert_int_equal(p[k], b);
        memset(p, (int)b, wanted);
        block[b] = p;
        size[b] = wanted;
    }
    for (uint32_t b = 0; b < BLOCKS; b++)
        web_free(block[b]);
    most = web_malloc((size_t)(heap_end - first_byte) - sizeof(struct block));
    assert_non_null(most);
    assert_ptr_equal(most, (char *)first_byte + sizeof(struct block));
    web_free(most);
    assert_null(web_malloc(sizeof arena));
    assert_null(web_malloc(SIZE_MAX));
    assert_null(web_calloc(SIZE_MAX / 2, 3));
}

/* ---- Sorting ------------------------------------------------------------- */

struct item {
    uint32_t key, place;
};

static int by_key(const void *a, const void *b)
{
    const struct item *x = a, *y = b;

    return (x->key > y->key) - (x->key < y->key);
}

static void test_equals_keep_their_order(void **state)
{
    struct item list[300], wanted = {.key = 7};
    const struct item *found;

    (void)state;
    for (uint32_t n = 0; n < 300; n += 1 + n / 10) {
        for (uint32_t i = 0; i < n; i++)
            list[i] = (struct item){(uint32_t)(draw() % 20), i};
        web_qsort(list, n, sizeof *list, by_key);
        for (uint32_t i = 1; i < n; i++)
            assert_true(list[i - 1].key < list[i].key ||
                        (list[i - 1].key == list[i].key &&
                         list[i - 1].place < list[i].place));
    }
    found = web_bsearch(&wanted, list, 250, sizeof *list, by_key);
    assert_non_null(found);
    assert_int_equal(found->key, 7);
    wanted.key = 99;
    assert_null(web_bsearch(&wanted, list, 250, sizeof *list, by_key));
}

/* ---- 128 bits ------------------------------------------------------------ */

static void test_wide_arithmetic_is_that_of_the_compiler(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < rounds(20000); i++) {
        u128 a = ((u128)draw_bits() << 64 | draw()) >> draw() % 128;
        u128 b = ((u128)draw_bits() << 64 | draw()) >> draw() % 128;
        int by = (int)(draw() % 128);

        if (b == 0)
            b = 1;
        assert_true(web_multi3(a, b) == a * b);
        assert_true(web_udivti3(a, b) == a / b);
        assert_true(web_umodti3(a, b) == a % b);
        assert_true(web_divti3(-(i128)(a >> 1), (i128)(b >> 1 | 1)) ==
                    -(i128)(a >> 1) / (i128)(b >> 1 | 1));
        assert_true(web_modti3(-(i128)(a >> 1), (i128)(b >> 1 | 1)) ==
                    -(i128)(a >> 1) % (i128)(b >> 1 | 1));
        assert_true(web_ashlti3(a, by) == a << by);
        assert_true(web_lshrti3(a, by) == a >> by);
        assert_true(web_floatuntidf(a) == (double)a);
        assert_true(web_floattidf((i128)a) == (double)(i128)a);
    }
}

/* ---- Options ------------------------------------------------------------- */

static const struct option known[] = {{"nodes", required_argument, NULL, 'n'},
                                      {"note", no_argument, NULL, 2},
                                      {"states", optional_argument, NULL, 3},
                                      {"seed", required_argument, NULL, 4},
                                      {NULL, 0, NULL, 0}};

typedef int getopt_fn(int, char *const *, const char *, const struct option *,
                      int *);

/* What a parser makes of a line, as text. */
static void parse(getopt_fn *next, int *at, char **argument, int *unknown,
                  int count, char **line, char *said, size_t size)
{
    size_t used = 0;
    int c;

    *at = 0;
    while ((c = next(count, line, ":n:vo::", known, NULL)) != -1) {
        used += (size_t)snprintf(said + used, size - used, "%d(%s)", c,
                                 *argument ? *argument : "");
        if (c == '?' || c == ':')
            used += (size_t)snprintf(said + used, size - used, "[%d %s]",
                                     *unknown, line[*at - 1]);
    }
    for (int i = *at; i < count; i++)
        used += (size_t)snprintf(said + used, size - used, " %s", line[i]);
}

static void test_options_are_read_as_here(void **state)
{
    static char *const words[] = {
        "-n",         "5",    "--nodes", "--nodes=7", "-v",
        "-vn3",       "word", "--no",    "--not",     "--states",
        "--states=2", "--se", "--zebra", "--",        "-",
        "-x",         "-o",   "-o5",     "--note=1",  "-vxv"};

    (void)state;
    for (uint32_t i = 0; i < rounds(20000); i++) {
        int count = 1 + (int)(draw() % 7);
        char *here[9] = {"fulcrum"}, *there[9] = {"fulcrum"};
        char here_said[512] = "", there_said[512] = "";

        for (int k = 1; k < count; k++)
            here[k] = there[k] = words[draw() % (sizeof words / sizeof *words)];
        parse(web_getopt_long, &web_optind, &web_optarg, &web_optopt, count,
              here, here_said, sizeof here_said);
        opterr = 0;
        parse(getopt_long, &optind, &optarg, &optopt, count, there, there_said,
              sizeof there_said);
        assert_string_equal(here_said, there_said);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_numbers_are_printed_as_here),
        cmocka_unit_test(test_doubles_are_printed_as_here),
        cmocka_unit_test(test_words_are_printed_as_here),
        cmocka_unit_test(test_doubles_are_read_as_here),
        cmocka_unit_test(test_odd_texts_are_read_as_here),
        cmocka_unit_test(test_memory_is_kept_and_joined),
        cmocka_unit_test(test_equals_keep_their_order),
        cmocka_unit_test(test_wide_arithmetic_is_that_of_the_compiler),
        cmocka_unit_test(test_options_are_read_as_here),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
