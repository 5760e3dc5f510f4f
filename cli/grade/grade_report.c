/*
 * grade_report.c - marks as a table, JSON, TAP and JUnit (see grade.h).
 */
#include <stdlib.h>
#include <string.h>

#include "cli/grade/grade.h"
#include "cli/json.h"

static const char *text_of(const json_t *o, const char *key)
{
    const char *text = json_string_value(json_object_get(o, key));

    return text ? text : "";
}

static int number_of(const json_t *o, const char *key)
{
    return (int)json_integer_value(json_object_get(o, key));
}

static bool is_solved(const json_t *o)
{
    return json_is_true(json_object_get(o, "solved"));
}

static int code_of(const struct grade_work *w)
{
    for (uint32_t i = 0; i < w->count; i++)
        if (!is_solved(w->one[i].marks))
            return CLI_VIOLATED;
    return CLI_FINE;
}

/* ---- The table ----------------------------------------------------------- */

static const char *student_of(const json_t *m)
{
    return *text_of(m, "student") ? text_of(m, "student") : "-";
}

static int wide(const struct grade_work *w, const char *(*of)(const json_t *m),
                int least, int most)
{
    for (uint32_t i = 0; i < w->count; i++) {
        int length = (int)strlen(of(w->one[i].marks));

        least = length > least ? length : least;
    }
    return least < most ? least : most;
}

static const char *exercise_of(const json_t *m)
{
    return *text_of(m, "exercise") ? text_of(m, "exercise") : "-";
}

/* What did not hold, below the line of the hand-in. */
static void say_misses(const json_t *m)
{
    const json_t *rules = json_object_get(m, "rules"), *r;
    size_t i;

    if (*text_of(m, "refused"))
        printf("    %s %s\n", cli_cross(), text_of(m, "refused"));
    json_array_foreach(rules, i, r)
    {
        const char *says = text_of(r, "says");

        if (strcmp(text_of(r, "verdict"), "missed") == 0)
            printf("    %s %s%s%s\n", cli_cross(), text_of(r, "rule"),
                   *says ? ": " : "", says);
    }
}

int grade_report_table(const struct grade_work *w)
{
    int a = wide(w, student_of, 7, 24), b = wide(w, exercise_of, 8, 24);
    uint32_t solved = 0;

    printf("%-*s  %-*s  points     file\n", a, "student", b, "exercise");
    for (uint32_t i = 0; i < w->count; i++) {
        const json_t *m = w->one[i].marks;

        solved += is_solved(m);
        printf("%-*.*s  %-*.*s  %2d of %2d  %s  %s\n", a, a, student_of(m), b,
               b, exercise_of(m), number_of(m, "points"), number_of(m, "of"),
               is_solved(m) ? cli_tick() : cli_cross(), text_of(m, "file"));
        say_misses(m);
    }
    printf("\n%u of %u solved\n", solved, w->count);
    return code_of(w);
}

/* ---- For programs -------------------------------------------------------- */

int grade_report_json(const struct grade_work *w)
{
    json_t *all = json_array();
    int code = code_of(w);

    for (uint32_t i = 0; i < w->count; i++)
        (void)json_array_append(all, w->one[i].marks);
    cli_json_print(
        json_pack("{s:s,s:o}", "version", FULCRUM_VERSION, "hand_ins", all), 0);
    return code;
}

int grade_report_tap(const struct grade_work *w)
{
    uint32_t count = 0;
    const json_t *r;
    size_t k;

    for (uint32_t i = 0; i < w->count; i++) {
        const json_t *m = w->one[i].marks;

        if (*text_of(m, "refused"))
            printf("not ok %u - %s %s\n# %s\n", ++count, text_of(m, "file"),
                   text_of(m, "exercise"), text_of(m, "refused"));
        json_array_foreach(json_object_get(m, "rules"), k, r)
        {
            const char *says = text_of(r, "says");
            bool held = strcmp(text_of(r, "verdict"), "held") == 0;

            printf("%s %u - %s %s: %s\n%s%s%s", held ? "ok" : "not ok", ++count,
                   text_of(m, "file"), text_of(m, "exercise"),
                   text_of(r, "rule"), *says ? "# " : "", says,
                   *says ? "\n" : "");
        }
    }
    printf("1..%u\n", count);
    return code_of(w);
}

/* Within an attribute of XML; bytes that XML has no way to say are left out. */
static void say_xml(const char *text)
{
    for (; *text; text++) {
        const char *at = strchr("&<>\"", *text);

        if (at)
            printf("&#%d;", *text);
        else if ((unsigned char)*text >= ' ')
            putchar(*text);
    }
}

static void say_case(const json_t *m, const char *rule, const char *missed)
{
    printf("    <testcase classname=\"");
    say_xml(student_of(m));
    printf("\" name=\"");
    say_xml(exercise_of(m));
    printf(": ");
    say_xml(rule);
    if (missed) {
        printf("\"><failure message=\"");
        say_xml(missed);
        puts("\"/></testcase>");
    } else {
        puts("\"/>");
    }
}

/* Why a rule does not hold; NULL: it does. */
static const char *missed(const json_t *rule)
{
    const char *verdict = text_of(rule, "verdict");
    const char *says = text_of(rule, "says");

    return strcmp(verdict, "held") == 0 ? NULL : *says ? says : verdict;
}

int grade_report_junit(const struct grade_work *w)
{
    const json_t *r;
    size_t k;

    puts("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>");
    for (uint32_t i = 0; i < w->count; i++) {
        const json_t *m = w->one[i].marks, *rules = json_object_get(m, "rules");
        size_t failures = *text_of(m, "refused") ? 1 : 0;
        size_t all = failures + json_array_size(rules);

        json_array_foreach(rules, k, r)
        {
            failures += strcmp(text_of(r, "verdict"), "held") != 0;
        }
        printf("  <testsuite name=\"");
        say_xml(text_of(m, "file"));
        printf("\" tests=\"%zu\" failures=\"%zu\">\n", all, failures);
        if (*text_of(m, "refused"))
            say_case(m, "it can be judged", text_of(m, "refused"));
        json_array_foreach(rules, k, r)
        {
            say_case(m, text_of(r, "rule"), missed(r));
        }
        puts("  </testsuite>");
    }
    puts("</testsuites>");
    return code_of(w);
}
