/*
 * sheet.c - the tasks of a student, and for teachers the answers (see grade.h).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/grade/grade.h"
#include "cli/json.h"
#include "cli/paragraph.h"
#include "net/outside.h"

static bool is_wanted(const struct grade_work *w,
                      const struct grade_exercise *x)
{
    return !w->wishes->exercise ||
           grade_set_find(&w->set, w->wishes->exercise) == x;
}

static const char *student_of(const struct grade_work *w)
{
    return w->wishes->student ? w->wishes->student : "";
}

/* ---- Tasks --------------------------------------------------------------- */

static void say_words(const char *head, const json_t *words)
{
    struct lab_text t = {0};

    if (json_array_size(words) == 0)
        return;
    for (size_t i = 0; i < json_array_size(words); i++)
        lab_say_word(&t, json_string_value(json_array_get(words, i)));
    printf("    %sfulcrum%s\n", head, t.text);
    free(t.text);
}

static const char *text_of(const json_t *o, const char *key)
{
    return json_string_value(json_object_get(o, key));
}

static void say_paragraphs(const char *text)
{
    while (*text) {
        size_t size = strcspn(text, "\n");
        struct paragraph p = paragraph_begin(0, 0);

        if (size) {
            paragraph_say(&p, "%.*s", (int)size, text);
            paragraph_end(&p);
        } else {
            putchar('\n');
        }
        text += size + (text[size] == '\n');
    }
}

static void say_task(const json_t *o, const char *student)
{
    const json_t *fields = json_object_get(o, "fields");
    json_int_t number = json_integer_value(json_object_get(o, "number"));
    json_int_t points = json_integer_value(json_object_get(o, "points"));

    if (number)
        printf("%d. ", (int)number);
    printf("%s (%s, %d point%s)\n\n", text_of(o, "title"), text_of(o, "key"),
           (int)points, points == 1 ? "" : "s");
    say_paragraphs(text_of(o, "task"));
    putchar('\n');
    say_words("", json_object_get(o, "command"));
    say_words("", json_object_get(o, "game"));
    printf("\nHand in%s\n\n", *text_of(o, "source") ? " a file:" : ":");
    if (*text_of(o, "source"))
        printf("    %s\n", text_of(o, "source"));
    else
        printf("    exercise = %s\n", text_of(o, "key"));
    if (*student)
        printf("    student = %s\n", student);
    for (size_t i = 0; i < json_array_size(fields); i++) {
        const json_t *f = json_array_get(fields, i);

        printf("    %s = ...   (%s)\n", text_of(f, "name"),
               text_of(f, "wanted"));
    }
}

static int tasks(const struct grade_work *w)
{
    json_t *all = json_array();
    struct net_why why = {0};
    const char *said = "";

    for (uint32_t i = 0; i < w->set.count; i++) {
        json_t *o = is_wanted(w, w->set.one[i])
                        ? grade_task_json(w->set.one[i], student_of(w),
                                          w->wishes->term, &why)
                        : NULL;

        if (why.text[0]) {
            json_decref(all);
            return cli_refused(&why);
        }
        if (o && !w->wishes->json) {
            fputs(said, stdout);
            say_task(o, student_of(w));
            said = "\n\n";
        }
        if (o)
            json_array_append_new(all, o);
    }
    if (w->wishes->json)
        cli_json_print(all, 0);
    else
        json_decref(all);
    return CLI_FINE;
}

/* ---- Answers ------------------------------------------------------------- */

static int read_solution(const struct grade_work *w, struct grade_exercise *x)
{
    struct net_why why = {0};
    char path[4096];
    size_t size;
    char *text;

    snprintf(path, sizeof path, "%s/%s.solution", w->wishes->solutions, x->key);
    errno = 0;
    text = outside_text(path, OUTSIDE_HAND_MAX, &size, &why);
    if (!text && errno == ENOENT)
        return CLI_GO_ON;
    if (!text)
        return cli_refused(&why);
    if (grade_solution_read(x, text, &why))
        return 0;
    (void)net_where(&why, "%s: ", path);
    return cli_refused(&why);
}

/* In the form that it would be handed in. */
static int answer(const struct grade_work *w, struct grade_exercise *x)
{
    struct grade_engine engine = {&w->wishes->limits, NULL, NULL};
    struct grade_job job = {.exercise = x,
                            .student = student_of(w),
                            .term = w->wishes->term,
                            .ask = grade_ask_engine,
                            .whom = &engine};
    struct net_why why = {0};
    int code = read_solution(w, x);
    char *text;

    if (code == CLI_GO_ON) {
        printf("# %s: %s\n", x->key,
               x->source ? "the answer is a protocol in C"
                         : "there is no solution of it");
        return 0;
    }
    text = code ? NULL : grade_solve(&job, &why);
    if (code)
        return code;
    if (!text) {
        (void)net_where(&why, "%s: ", x->key);
        return cli_refused(&why);
    }
    printf("# %s%s%s\n%s", x->title, x->asks ? " Ask: " : "",
           x->asks ? x->asks : "", text);
    free(text);
    return 0;
}

int grade_sheet(const struct grade_work *w)
{
    const char *said = "";
    int code = 0;

    if (w->wishes->tasks)
        return tasks(w);
    if (*student_of(w))
        printf("student = %s\n\n", student_of(w));
    for (uint32_t i = 0; i < w->set.count && !code; i++)
        if (is_wanted(w, w->set.one[i])) {
            fputs(said, stdout);
            said = "\n";
            code = answer(w, w->set.one[i]);
        }
    return code;
}
