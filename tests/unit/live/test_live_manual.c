/*
 * test_live_manual.c - fulcrum.ini(5) and the sample file say what the parser
 * does: every key, its default and its limits.
 *
 * The names of a node's keys are the parser's own, so its file is taken as it
 * is.
 */
#include "live/config/config.c"

#include <stdlib.h>

#include "tests/unit/kit/testing.h"

enum { TEXT_MAX = 65536 };

static const char page_file[] = "man/fulcrum.ini.5";
static const char sample_file[] = "live/fulcrum.ini.sample";
static char page[TEXT_MAX], sample[TEXT_MAX];

static void read_text(const char *path, char text[TEXT_MAX])
{
    FILE *file = fopen(path, "r");
    size_t size;

    if (!file)
        fail_msg("%s: not there; run this from the top of the tree", path);
    size = fread(text, 1, TEXT_MAX - 1, file);
    text[size] = 0;
    fclose(file);
}

static int begin(void **state)
{
    (void)state;
    read_text(page_file, page);
    read_text(sample_file, sample);
    return 0;
}

/* ---- The page ------------------------------------------------------------ */

/* A line of the tables: ".It Cm KEY Ta DEFAULT Ta UNIT Ta LIMITS". */
struct row {
    char start[32], unit[16], limits[64];
};

static bool find_row(const char *key, struct row *row)
{
    char begin_of[64];
    const char *at = page;

    snprintf(begin_of, sizeof begin_of, ".It Cm %s Ta ", key);
    at = strstr(page, begin_of);
    return at && sscanf(at + strlen(begin_of), "%31s Ta %15s Ta %63[^\n]",
                        row->start, row->unit, row->limits) == 3;
}

/* Whether the page has a paragraph about a key. */
static bool is_told(const char *key)
{
    char line[64];

    snprintf(line, sizeof line, "\n.It Cm %s\n", key);
    return strstr(page, line) != NULL;
}

TEST(test_every_key_stands_in_the_page_and_in_the_sample)
{
    struct row row;
    char line[64];

    for (uint32_t i = 0; i < KEYS + NODE_KEYS; i++) {
        const char *key = i < KEYS ? live_config_keys[i] : node_keys[i - KEYS];

        if (!find_row(key, &row))
            fail_msg("%s has no row in %s", key, page_file);
        if (!is_told(key))
            fail_msg("%s is told nothing of in %s", key, page_file);
        snprintf(line, sizeof line, "%s = ", key);
        if (!strstr(sample, line))
            fail_msg("%s is not in %s", key, sample_file);
    }
}

/* ---- The parser ---------------------------------------------------------- */

static const char two_nodes[] = "[node a]\nhost = h\nport = 1\n"
                                "[node b]\nhost = i\nport = 2\n";

/* Parses "[cluster]", some lines, and two nodes; the second has a line more. */
static bool parses(struct live_config *c, const char *lines, const char *more)
{
    char text[1024];
    struct net_why error;
    int size = snprintf(text, sizeof text, "[cluster]\n%s\n%s%s\n", lines,
                        two_nodes, more);

    return live_config_parse(c, "etc/x.ini", text, (size_t)size, &error);
}

static bool is_of_silence(const char *key)
{
    return !strcmp(key, "bounds") || !strcmp(key, "dmax") ||
           !strcmp(key, "step") || !strcmp(key, "window");
}

static const char silent[] =
    "mode = silence\nbounds = hard\ndmax = 5ms\nstep = 10ms\n";

/* A key that is written with its default changes nothing. */
TEST(test_defaults_of_the_page_are_those_of_the_parser)
{
    uint32_t checked = 0;

    for (uint32_t i = 0; i < KEYS; i++) {
        const char *key = live_config_keys[i];
        const char *before = is_of_silence(key) ? silent : "";
        struct live_config without, with;
        char lines[512];
        struct row row;

        assert_true(find_row(key, &row));
        if (strcmp(row.start, "-") == 0)
            continue;
        snprintf(lines, sizeof lines, "%s%s = %s", before, key, row.start);
        assert_true(parses(&without, before, ""));
        if (!parses(&with, lines, ""))
            fail_msg("%s is refused", lines);
        if (memcmp(&with, &without, sizeof with) != 0)
            fail_msg("%s = %s is not the default", key, row.start);
        checked++;
    }
    assert_true(checked >= 11);
}

/* The default of kill goes with the lease. */
TEST(test_kill_is_a_tenth_of_the_lease)
{
    struct live_config c;

    assert_true(parses(&c, "lease = 30s", ""));
    assert_int_equal(c.kill, 3 * SECOND);
}

/* A limit, moved by so much. */
static void move(const char *limit, long by, char moved[32])
{
    char *unit;
    long number = strtol(limit, &unit, 10);

    snprintf(moved, 32, "%ld%s", number + by, unit);
}

static bool takes(const char *key, const char *value)
{
    struct live_config c;
    char lines[512];

    if (!strcmp(key, "port") || !strcmp(key, "id")) {
        snprintf(lines, sizeof lines, "[node c]\nhost = j\n%s%s = %s",
                 !strcmp(key, "id") ? "port = 1\n" : "", key, value);
        return parses(&c, "", lines);
    }
    snprintf(lines, sizeof lines, "%s%s%s = %s",
             is_of_silence(key) ? "mode = silence\n" : "",
             is_of_silence(key) ? "bounds = hard\nlease = 1000s\nkill = 1ms\n"
             : !strcmp(key, "tau") || !strcmp(key, "kill") ? "lease = 1000s\n"
                                                           : "",
             key, value);
    if (!strcmp(key, "dmax"))
        strcat(lines, "\nstep = 1ms");
    if (!strcmp(key, "step"))
        strcat(lines, "\ndmax = 1ms");
    return parses(&c, lines, "");
}

TEST(test_limits_of_the_page_are_those_of_the_parser)
{
    static const char *const keys[] = {"generation", "tau",  "kill", "spread",
                                       "dmax",       "step", "port", "id"};
    char low[32], high[32], beyond[32];
    struct row row;

    for (size_t i = 0; i < COUNT(keys); i++) {
        assert_true(find_row(keys[i], &row));
        assert_int_equal(sscanf(row.limits, "%31[0-9a-z]..%31s", low, high), 2);
        if (!takes(keys[i], low) || !takes(keys[i], high))
            fail_msg("%s = %s or %s is refused", keys[i], low, high);
        move(low, -1, beyond);
        if (takes(keys[i], beyond))
            fail_msg("%s = %s is taken", keys[i], beyond);
        move(high, 1, beyond);
        if (takes(keys[i], beyond))
            fail_msg("%s = %s is taken", keys[i], beyond);
    }
    assert_false(takes("lease", "1001s")); /* any time */
    assert_true(takes("lease", "1000s"));
}

/* ---- Examples ------------------------------------------------------------ */

/* The example of the page is one. */
TEST(test_example_of_the_page_is_taken)
{
    char *from = strstr(page, ".Bd -literal"), *to;
    struct net_why error;
    struct live_config c;

    assert_non_null(from);
    from = strchr(from, '\n') + 1;
    to = strstr(from, ".Ed");
    if (!live_config_parse(&c, "x", from, (size_t)(to - from), &error))
        fail_msg("%s", error.text);
    assert_int_equal(c.nodes_count, 3);
}

/* Uncomments lines with a sign before a key, and leaves out one line. */
static void uncomment(const char *sign, const char *without,
                      char text[TEXT_MAX])
{
    char copy[TEXT_MAX], *rest = copy, *line;

    memcpy(copy, text, TEXT_MAX);
    *text = 0;
    while ((line = strsep(&rest, "\n"))) {
        size_t skip = strncmp(line, sign, strlen(sign)) == 0 ? strlen(sign) : 0;

        if (without && strcmp(line, without) == 0)
            continue;
        strcat(text, line + skip);
        strcat(text, "\n");
    }
}

static struct live_config parse_sample(const char *text)
{
    struct net_why error;
    struct live_config c;

    if (!live_config_parse(&c, "etc/fulcrum.ini", text, strlen(text), &error))
        fail_msg("%s", error.text);
    return c;
}

TEST(test_sample_is_taken_as_it_is_and_with_all_that_it_shows)
{
    struct live_config plain, full;
    char text[TEXT_MAX];

    plain = parse_sample(sample);
    assert_int_equal(plain.nodes_count, 3);
    memcpy(text, sample, TEXT_MAX);
    uncomment(";", NULL, text);
    assert_int_equal(strstr(text, "\n;") == NULL, true);
    full = parse_sample(text);
    assert_memory_equal(&full, &plain, sizeof full); /* they are the defaults */
    uncomment("#;", "mode = proven", text);
    full = parse_sample(text);
    assert_int_equal(full.mode, LIVE_SILENCE);
    assert_string_equal(full.user, "fulcrum");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(
            test_every_key_stands_in_the_page_and_in_the_sample, begin),
        cmocka_unit_test_setup(
            test_defaults_of_the_page_are_those_of_the_parser, begin),
        cmocka_unit_test_setup(test_kill_is_a_tenth_of_the_lease, begin),
        cmocka_unit_test_setup(test_limits_of_the_page_are_those_of_the_parser,
                               begin),
        cmocka_unit_test_setup(test_example_of_the_page_is_taken, begin),
        cmocka_unit_test_setup(
            test_sample_is_taken_as_it_is_and_with_all_that_it_shows, begin),
    };

    return cmocka_run_group_tests_name("live_manual", tests, NULL, NULL);
}
