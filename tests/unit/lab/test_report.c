/*
 * test_report.c - the report, from judgements that are made up.
 *
 * With the name of a file in REPORT, the page that most tests look at is kept
 * there, for tests/command/report.sh.
 */
#include "lab/report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/kit/test.h"

#define WITH_BOUND(n, is, claimed)                                             \
    {                                                                          \
        .verdict = (is) <= (claimed) ? LAB_HOLDS : LAB_VIOLATED,               \
        .evidence = LAB_BY_SEARCH, .network = "n=" #n,                         \
        .command = "fulcrum worst vitanyi -n " #n " --json", .field = "value", \
        .x = (n), .measured = (is), .low = (is), .high = (is),                 \
        .bound = (claimed), .runs = 3000                                       \
    }

static struct lab_cell broken[] = {
    WITH_BOUND(8, 34, 40), WITH_BOUND(22, 111, 110), WITH_BOUND(100, 512, 500),
    WITH_BOUND(1000, 4990, 5000), WITH_BOUND(10000, 49990, 50000)};

static struct lab_cell mended[] = {WITH_BOUND(8, 30, 40),
                                   WITH_BOUND(22, 90, 110)};

/* Numbers too long for the margin, and a formula too long for its column. */
static struct lab_cell loose[] = {WITH_BOUND(4, 1e7, 4e7),
                                  WITH_BOUND(6, 15e10, 60e10)};
#define LONG_FORMULA "N*u*(f(l)+1)/m*sum((N*rmax*(f(l)+1)+1)/f(i))*rmax/rmin"

#define WITH_INTERVAL(n, is, claimed, how)                                     \
    {                                                                          \
        .verdict = how, .evidence = LAB_BY_RANDOM, .network = "n=" #n,         \
        .command = "fulcrum sim chang-roberts -n " #n, .field = "messages",    \
        .x = (n), .measured = (is), .low = 0.95 * (is), .high = 1.05 * (is),   \
        .bound = (claimed), .runs = 1000                                       \
    }

static struct lab_cell means[] = {
    WITH_INTERVAL(2, 3.01, 3, LAB_HOLDS),
    WITH_INTERVAL(8, 21.7, 21.743, LAB_HOLDS),
    WITH_INTERVAL(64, 303, 303.6, LAB_HOLDS),
    WITH_INTERVAL(1024, 7690, 7688, LAB_UNDECIDED)};

static struct lab_cell shares[] = {WITH_INTERVAL(2, 0.04, 0.05, LAB_HOLDS),
                                   WITH_INTERVAL(10, 0.84, 0.05, LAB_VIOLATED)};

/* Growth, two networks at each size, and one that ended nowhere. */
static struct lab_cell orders[] = {
    WITH_BOUND(10, 33, 10),           WITH_BOUND(10, 30, 10),
    WITH_BOUND(100, 664, 100),        WITH_BOUND(1000, 9966, 1000),
    WITH_BOUND(10000, 132877, 10000), WITH_BOUND(100000, INFINITY, 100000)};

static struct lab_cell property[] = {
    {.verdict = LAB_VIOLATED,
     .evidence = LAB_BY_EXHAUSTION,
     .network = "n=2 bounds=1:1:0:1",
     .command = "fulcrum check archimedean -n 2",
     .field = "violated",
     .x = 2,
     .measured = 1,
     .low = 1,
     .high = 1,
     .bound = NAN}};

#define CELLS(of) .cells = (of), .count = COUNT(of)

static const struct lab_judgement repaired[] = {
    {.verdict = LAB_VIOLATED,
     .evidence = LAB_BY_SEARCH,
     .reading = "printed",
     .repair = "",
     .relation = "messages <= 5*N",
     CELLS(broken),
     .worst = 1,
     .factor = 111.0 / 110,
     .witness = {"fulcrum sim vitanyi -n 22 --set 'f=exp:2'", "messages.max",
                 "111"}},
    {.verdict = LAB_HOLDS,
     .evidence = LAB_BY_SEARCH,
     .reading = "",
     .repair = "P1",
     .relation = "messages <= 5*N",
     CELLS(mended),
     .worst = 1,
     .factor = 110.0 / 90},
};

static const struct lab_judgement is_loose[] = {
    {.verdict = LAB_LOOSE,
     .evidence = LAB_BY_EXHAUSTION,
     .reading = "",
     .repair = "",
     .relation = "messages <= " LONG_FORMULA,
     CELLS(loose),
     .factor = 4}};

static const struct lab_judgement straddles[] = {
    {.verdict = LAB_UNDECIDED,
     .evidence = LAB_BY_RANDOM,
     .reading = "",
     .repair = "",
     .relation = "mean(messages) == N*H(N)",
     CELLS(means),
     .worst = 3,
     .factor = NAN,
     .why = "the interval straddles the bound"}};

static const struct lab_judgement chance[] = {
    {.verdict = LAB_VIOLATED,
     .evidence = LAB_BY_RANDOM,
     .reading = "",
     .repair = "",
     .relation = "P(exclusion) <= 1/20",
     CELLS(shares),
     .worst = 1,
     .factor = 16.8}};

static const struct lab_judgement growing[] = {{.verdict = LAB_VIOLATED,
                                                .evidence = LAB_BY_EXACT,
                                                .reading = "",
                                                .repair = "",
                                                .relation = "messages in O(N)",
                                                CELLS(orders),
                                                .worst = 4,
                                                .factor = NAN,
                                                .growth = "grows as 1 log2 N"}};

/* A word that does not fit on a phone. */
#define LONG_LIST                                                              \
    "50,49,48,47,46,45,44,43,42,41,40,39,38,37,36,35,34,33,32,31,30,29,28,27," \
    "26,25,24,23,22,21,20,19,18,17,16,15,14,13,12,11,10,9,8,7,6,5,4,3,2,1"

static const struct lab_judgement excludes[] = {
    {.verdict = LAB_VIOLATED,
     .evidence = LAB_BY_EXHAUSTION,
     .reading = "stale <number> & \"sleep\"",
     .repair = "",
     .relation = "exclusion",
     CELLS(property),
     .factor = NAN,
     .witness = {"fulcrum check archimedean -n 2 --names " LONG_LIST,
                 "violated", "true"}}};

static const struct lab_judgement holds[] = {{.verdict = LAB_HOLDS,
                                              .evidence = LAB_BY_SEARCH,
                                              .reading = "",
                                              .repair = "",
                                              .relation = "messages <= 5*N",
                                              CELLS(mended),
                                              .worst = 1,
                                              .factor = 110.0 / 90}};

static const char diagram[] =
    "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 400 60'>"
    "<style>p{display:none}</style><rect width='400' height='60' "
    "fill='#123F9A'/></svg>";

#define PART(name, letter, how, text, of)                                      \
    {                                                                          \
        .id = (name), .part = (letter), .place = "section 3, below (2)",       \
        .says = (text), .verdict = (how), .judgements = (of),                  \
        .count = COUNT(of), .seconds = 0.25                                    \
    }

static const struct lab_reported parts[] = {
    {.id = "st89-mutex-safe",
     .part = "",
     .place = "2.2, p. 116",
     .says = "never two sites inside <script>alert(1)</script> & 'so on'",
     .verdict = LAB_VIOLATED,
     .judgements = excludes,
     .count = 1,
     .diagram = diagram,
     .seconds = 1.5},
    PART("st89-chance", "a", LAB_VIOLATED, "it fails once in 20 runs", chance),
    PART("st89-chance", "b", LAB_UNDECIDED, "the mean is N*H(N)", straddles),
    {.id = "v84-linear",
     .part = "",
     .place = "section 3",
     .says = "at most 5N passes",
     .along = "N",
     .argument = "protocols/election/vitanyi/README.md#five",
     .verdict = LAB_REPAIRED,
     .judgements = repaired,
     .count = 2,
     .told = 0,
     .repair = 1,
     .seconds = 125},
    PART("v84-order", "", LAB_VIOLATED, "the number of passes is O(N)",
         growing),
    PART("l16-loose", "", LAB_LOOSE, "at most 10N messages", is_loose),
    PART("l16-holds", "", LAB_HOLDS, "at most 5N messages", holds),
    {.id = "l22-open",
     .part = "",
     .says = "all systems",
     .verdict = LAB_UNDECIDED,
     .why = "it speaks of all protocols"},
};

static char *page_of(const struct lab_reported *of, uint32_t count)
{
    const struct lab_report report = {
        .version = "0.4.0",
        .command = "fulcrum reproduce --quick",
        .mode = "quick",
        .seed = 7,
        .seconds = 108.4,
        .parts = of,
        .count = count,
    };
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);

    assert_non_null(file);
    lab_report_html(file, &report);
    assert_int_equal(fclose(file), 0);
    return text;
}

static void assert_has(const char *page, const char *text)
{
    if (strstr(page, text) == NULL)
        fail_msg("the page does not have: %s", text);
}

static void assert_lacks(const char *page, const char *text)
{
    if (strstr(page, text) != NULL)
        fail_msg("the page has: %s", text);
}

/* Elements that are opened are closed, in the right order. */
static void assert_well_formed(const char *page)
{
    char open[64][16];
    uint32_t depth = 0;

    for (const char *at = strchr(page, '<'); at; at = strchr(at, '<')) {
        size_t length = strcspn(at, ">");
        bool ends = at[1] == '/';
        char name[16] = "";

        sscanf(at + (ends ? 2 : 1), "%15[a-z0-9]", name);
        at += length;
        if (strcmp(name, "") == 0 || strcmp(name, "meta") == 0 ||
            strcmp(name, "br") == 0 || strcmp(name, "img") == 0 ||
            at[-1] == '/')
            continue;
        if (!ends) {
            assert_in_range(depth, 0, 63);
            strcpy(open[depth++], name);
            continue;
        }
        assert_in_range(depth, 1, 64);
        assert_string_equal(open[--depth], name);
    }
    assert_int_equal(depth, 0);
}

TEST(test_page)
{
    char *page = page_of(parts, COUNT(parts));
    const char *keep = getenv("REPORT");

    if (keep) {
        FILE *file = fopen(keep, "w");

        assert_non_null(file);
        assert_true(fputs(page, file) >= 0);
        assert_int_equal(fclose(file), 0);
    }
    assert_well_formed(page);
    assert_has(page, "<h1>One of eight parts of seven claims holds as "
                     "printed.<br>Three are violated; one holds after a "
                     "repair.</h1>");
    assert_has(page, "One holds with room to spare. Two are not decided.");
    assert_has(page, "quick run · seed 7 · 1 min 48 s of CPU · version 0.4.0");
    assert_has(page, "<b class='num'>3</b> violated");
    for (size_t i = 0; i < COUNT(parts); i++) {
        char name[64];

        snprintf(name, sizeof name, "href='#%s%s%s'", parts[i].id,
                 *parts[i].part ? "." : "", parts[i].part);
        assert_has(page, name);
        snprintf(name, sizeof name, "id='%s%s%s'", parts[i].id,
                 *parts[i].part ? "." : "", parts[i].part);
        assert_has(page, name);
    }
    free(page);
}

/* Papers are heads of groups, once each and in order. */
TEST(test_groups)
{
    static const char *const papers[] = {"Spirakis and Tampakas 1989",
                                         "Vitányi 1984", "Lecture 16",
                                         "Lecture 22"};
    char *page = page_of(parts, COUNT(parts));
    const char *at = page;

    for (size_t i = 0; i < COUNT(papers); i++) {
        at = strstr(at, papers[i]);
        assert_non_null(at);
        assert_null(strstr(at + 1, papers[i]));
    }
    free(page);
}

/* Whatever the claims say, it is text. */
TEST(test_text_is_escaped)
{
    char *page = page_of(parts, COUNT(parts));

    assert_lacks(page, "<script");
    assert_lacks(page, "stale <number>");
    assert_has(page, "&lt;script&gt;alert(1)&lt;/script&gt; &amp; "
                     "&#39;so on&#39;");
    assert_has(page, "stale &lt;number&gt; &amp; &quot;sleep&quot;");
    /* Nothing is fetched, and a picture keeps its rules to itself. */
    assert_lacks(page, "http");
    assert_lacks(page, "p{display:none}");
    assert_has(page, "src='data:image/svg+xml;base64,PHN2ZyB4bWxucz0naHR0cDov");
    free(page);
}

TEST(test_evidence_is_shown)
{
    char *page = page_of(parts, COUNT(parts));

    assert_has(page, "<pre>fulcrum sim vitanyi -n 22 --set "
                     "&#39;f=exp:2&#39; --json</pre>");
    assert_has(page, "<code>messages.max</code> = 111");
    assert_has(
        page,
        "Proved for all sizes: protocols/election/vitanyi/README.md#five.");
    assert_has(page, "It holds in 3 of 5 networks.");
    assert_has(page, "2 min 5 s of CPU, version 0.4.0.");
    assert_has(page, "repair P1");
    assert_has(page, "<p class='yl'>messages, divided by N</p>");
    free(page);
}

static void assert_finding(uint32_t part, const char *wanted)
{
    char is[LAB_WORDING_SIZE];

    lab_word_finding(is, sizeof is, &parts[part]);
    assert_string_equal(is, wanted);
}

static void assert_words(const struct lab_judgement *j, const char *claimed,
                         const char *measured)
{
    char is[LAB_WORDING_SIZE];

    lab_word_claimed(is, sizeof is, j);
    assert_string_equal(is, claimed);
    lab_word_measured(is, sizeof is, j);
    assert_string_equal(is, measured);
}

/* The two columns of the table. */
TEST(test_columns)
{
    struct lab_cell nothing = mended[0];
    struct lab_judgement j = holds[0];

    assert_words(&excludes[0], "exclusion always",
                 "fails at n=2 bounds=1:1:0:1");
    assert_words(&chance[0], "at most 1/20", "84 % (79.8 % to 88.2 %) at n=10");
    assert_words(&growing[0], "O(N)", "grows as 1 log2 N");
    assert_words(&j, "at most 5*N", "90 at n=22");
    j.relation = "messages == 5*N";
    assert_words(&j, "exactly 5*N", "in all 2 networks");
    j.relation = "holds";
    assert_words(&j, "always", "in all 2 networks");
    j.relation = "not exclusion";
    assert_words(&j, "exclusion fails", "fails at n=22");
    j.verdict = LAB_VIOLATED;
    assert_words(&j, "exclusion fails", "in all 2 networks");
    j.relation = "messages in Theta(N)";
    j.growth = "constant 5";
    assert_words(&j, "Θ(N)", "constant 5");
    j.growth = NULL;
    j.relation = "mean(messages) < mean(messages of CR)";
    assert_words(&j, "less than mean(messages of CR)", "90 at n=22");
    /* An experiment that could not be made says nothing. */
    nothing.measured = NAN;
    j.cells = &nothing;
    j.count = 1;
    j.worst = 0;
    assert_words(&j, "less than mean(messages of CR)", "");
}

/* The heading says what was found. */
TEST(test_findings)
{
    assert_finding(0, "Exclusion is violated at n=2 bounds=1:1:0:1");
    assert_finding(1, "Runs that violate exclusion: 84 % at n=10; claimed: at "
                      "most 5 %");
    assert_finding(2, "Not decided: the interval straddles the bound");
    assert_finding(3, "Messages: 111 at n=22; claimed: at most 110; with P1 it "
                      "holds");
    assert_finding(4, "Messages not in O(N): grows as 1 log2 N");
    assert_finding(5, "Messages: at most " LONG_FORMULA
                      " in all 2 networks; loose by a "
                      "factor of 4");
    assert_finding(6, "Messages: at most 5*N in all 2 networks; closest at "
                      "n=22: 90 against 110");
    assert_finding(7, "Not decided: it speaks of all protocols");
}

TEST(test_numbers)
{
    static const struct {
        double number;
        const char *words;
    } cases[] = {
        {0, "0"},
        {1234, "1234"},
        {12345, "12\u202f345"},
        {-123456, "-123\u202f456"},
        {1204113, "1\u202f204\u202f113"},
        {0.625, "0.625"},
        {36472.25, "36\u202f472"},
        {NAN, ""},
        {INFINITY, "without bound"},
    };
    char words[64];

    for (size_t i = 0; i < COUNT(cases); i++) {
        lab_word_number(words, sizeof words, cases[i].number);
        assert_string_equal(words, cases[i].words);
    }
    lab_word_count(words, sizeof words, 12, true);
    assert_string_equal(words, "Twelve");
    lab_word_count(words, sizeof words, 13, true);
    assert_string_equal(words, "13");
}

static char *figure_of(const struct lab_judgement *j)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);

    assert_non_null(file);
    lab_figure_draw(file, j, "N", "title");
    assert_int_equal(fclose(file), 0);
    return text;
}

static uint32_t count_of(const char *text, const char *what)
{
    uint32_t count = 0;

    for (; (text = strstr(text, what)) != NULL; text++)
        count++;
    return count;
}

/* Marks have shapes: triangles, dots, crosses through what violates. */
TEST(test_figures)
{
    char *figure = figure_of(&repaired[0]);
    struct lab_judgement j;

    assert_int_equal(count_of(figure, "mark open"), 5);
    assert_int_equal(count_of(figure, "badline"), 2);
    assert_int_equal(count_of(figure, "class='bound'"), 1);
    assert_int_equal(count_of(figure, "class='joined'"), 1);
    assert_has(figure, "paper: at most");
    assert_has(figure, "N, logarithmic");
    assert_has(figure, "viewBox='0 0 760 292'");
    free(figure);
    figure = figure_of(&straddles[0]);
    assert_int_equal(count_of(figure, "class='reach'"), 4);
    assert_has(figure, "bar: its interval");
    free(figure);
    figure = figure_of(&chance[0]);
    assert_has(figure, ">100 %</text>");
    free(figure);
    /* Points at the same size are not joined; what has no bound has no line. */
    figure = figure_of(&growing[0]);
    assert_int_equal(count_of(figure, "mark open"), 5);
    assert_int_equal(count_of(figure, "badline"), 0);
    assert_int_equal(count_of(figure, "class='joined'"), 0);
    assert_int_equal(count_of(figure, "class='bound'"), 0);
    assert_has(figure, "divided by the formula");
    assert_lacks(figure, "nan");
    free(figure);
    assert_false(lab_figure_is_worth(&excludes[0]));
    /* Whether something is violated is not a number. */
    j = growing[0];
    assert_true(lab_figure_is_worth(&j));
    j.relation = "exclusion";
    assert_false(lab_figure_is_worth(&j));
    assert_true(lab_figure_is_worth(&growing[0]));
}

/* Where bounds differ at one size, each has a tick. */
TEST(test_bounds_that_differ)
{
    struct lab_cell cells[] = {WITH_BOUND(4, 1, 2), WITH_BOUND(4, 1, 3),
                               WITH_BOUND(8, 0, 2)};
    struct lab_judgement j = holds[0];
    char *figure;

    j.cells = cells;
    j.count = COUNT(cells);
    figure = figure_of(&j);
    assert_int_equal(count_of(figure, "class='boundtick'"), 3);
    assert_int_equal(count_of(figure, "class='bound'"), 0);
    free(figure);
}

/* A figure has room for some hundred points, and takes every second or third
 * of more. */
TEST(test_many_cells)
{
    enum { MANY = 1001 };
    struct lab_cell *cells = calloc(MANY, sizeof *cells);
    struct lab_judgement j = holds[0];
    char *figure, *page;
    struct lab_reported part = parts[6];

    assert_non_null(cells);
    for (uint32_t i = 0; i < MANY; i++) {
        cells[i] = mended[0];
        cells[i].x = i + 2;
    }
    j.cells = cells;
    j.count = MANY;
    part.judgements = &j;
    figure = figure_of(&j);
    assert_in_range(count_of(figure, "mark open"), 300, 400);
    page = page_of(&part, 1);
    assert_well_formed(page);
    assert_has(page, "<h1>One of one claim holds as printed.<br>None is "
                     "violated.</h1>");
    assert_has(page, "the first 60 of 1001 networks");
    free(page);
    free(figure);
    free(cells);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_page),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_text_is_escaped),
        cmocka_unit_test(test_evidence_is_shown),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_findings),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_figures),
        cmocka_unit_test(test_bounds_that_differ),
        cmocka_unit_test(test_many_cells),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
