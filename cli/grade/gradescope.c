/*
 * gradescope.c - as an autograder of Gradescope: DIR/submission is what was
 * handed in, DIR/submission_metadata.json says by whom, and
 * DIR/results/results.json is what it shows (see grade.h).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/grade/grade.h"
#include "draw/output.h"
#include "net/outside.h"

enum { PATH_SIZE = 4096 };

static const char *text_of(const json_t *o, const char *key)
{
    const char *text = json_string_value(json_object_get(o, key));

    return text ? text : "";
}

/* The address of the first of those who handed it in, up to its @, which is
 * what a student calls himself; NULL: the file does not say. */
static char *student_of(const char *folder)
{
    char path[PATH_SIZE], *text;
    json_t *all;
    const char *address;
    char *id = NULL;
    size_t size;
    struct net_why why;

    snprintf(path, sizeof path, "%s/submission_metadata.json", folder);
    text = outside_text(path, OUTSIDE_HAND_MAX, &size, &why);
    all = text ? json_loads(text, 0, NULL) : NULL;
    address =
        text_of(json_array_get(json_object_get(all, "users"), 0), "email");
    if (*address)
        id = strndup(address, strcspn(address, "@"));
    json_decref(all);
    free(text);
    return id;
}

static json_t *test_of(const json_t *m, const json_t *rule)
{
    char name[512];
    bool held = strcmp(text_of(rule, "verdict"), "held") == 0;
    const json_t *points = json_object_get(rule, "points");
    const json_t *of = json_object_get(rule, "of");

    snprintf(name, sizeof name, "%s: %s", text_of(m, "title"),
             text_of(rule, "rule"));
    return json_pack("{s:s,s:s,s:I,s:I,s:s}", "name", name, "status",
                     held ? "passed" : "failed", "score",
                     json_integer_value(points), "max_score",
                     json_integer_value(of), "output", text_of(rule, "says"));
}

static json_t *refused_test(const json_t *m)
{
    const char *title = text_of(m, "title");

    return json_pack("{s:s,s:s,s:I,s:I,s:s}", "name",
                     *title ? title : text_of(m, "file"), "status", "failed",
                     "score", (json_int_t)0, "max_score",
                     json_integer_value(json_object_get(m, "of")), "output",
                     text_of(m, "refused"));
}

static json_t *results_of(const struct grade_work *w)
{
    json_t *tests = json_array();
    json_int_t score = 0;
    const json_t *r;
    size_t k;

    for (uint32_t i = 0; i < w->count; i++) {
        const json_t *m = w->one[i].marks;

        score += json_integer_value(json_object_get(m, "points"));
        if (*text_of(m, "refused"))
            (void)json_array_append_new(tests, refused_test(m));
        json_array_foreach(json_object_get(m, "rules"), k, r)
        {
            (void)json_array_append_new(tests, test_of(m, r));
        }
    }
    return json_pack("{s:I,s:s,s:s,s:o}", "score", score, "visibility",
                     "visible", "stdout_visibility", "hidden", "tests", tests);
}

static int write_results(const struct grade_work *w, const char *folder)
{
    char path[PATH_SIZE];
    struct output_file out;
    struct net_why why;
    json_t *results = results_of(w);
    FILE *file;
    bool fine;

    snprintf(path, sizeof path, "%s/results", folder);
    if (mkdir(path, 0755) != 0 && errno != EEXIST)
        return cli_fail("cannot make %s: %s", path, strerror(errno));
    snprintf(path, sizeof path, "%s/results/results.json", folder);
    file = output_open(&out, path, &why);
    fine = file && json_dumpf(results, file, JSON_INDENT(2)) == 0;
    if (file && !fine)
        output_abort(&out);
    fine = fine && output_commit(&out, &why);
    json_decref(results);
    return fine ? CLI_FINE : cli_refused(&why);
}

int grade_gradescope(struct grade_work *w, const char *folder)
{
    char path[PATH_SIZE], *id = student_of(folder);
    int code;

    if (!w->student)
        w->student = id;
    snprintf(path, sizeof path, "%s/submission", folder);
    code = grade_collect(w, path);
    if (!code)
        code = grade_all(w);
    if (!code)
        code = write_results(w, folder);
    if (w->student == id)
        w->student = NULL;
    free(id);
    return code;
}
