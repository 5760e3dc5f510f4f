/*
 * judge_json.c - tasks and marks for programs and the page (see judge.h).
 */
#include <stdlib.h>
#include <string.h>

#include "cli/grade/judge.h"
#include "cli/json.h"

static json_t *texts(const char *const *list, uint32_t count)
{
    return cli_json_list(list, count);
}

/* The words of a command; null if there is none. */
static json_t *words_of(const struct grade_exercise *x,
                        const struct grade_values *v, const char *command,
                        struct net_why *why)
{
    char *words[GRADE_WORDS_MAX];
    int count = command ? grade_words(x, v, command, words, why) : -1;
    json_t *list;

    if (count < 0)
        return json_null();
    list = texts((const char *const *)words, (uint32_t)count);
    grade_words_free(words);
    return list;
}

/* Name, form, and the sentence that says what is wanted. */
static json_t *fields_of(const struct grade_exercise *x,
                         const struct grade_values *v, struct net_why *why)
{
    json_t *list = json_array();
    char wanted[512];

    for (uint32_t i = 0; i < x->fields; i++) {
        char *form = grade_fill(v, x->field[i].value, why);

        free(grade_form(form ? form : "", "", wanted, sizeof wanted));
        json_array_append_new(
            list, json_pack("{s:s,s:s,s:s}", "name", x->field[i].key, "form",
                            form ? form : "", "wanted", wanted));
        free(form);
    }
    return list;
}

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

json_t *grade_task_json(const struct grade_exercise *x, const char *student,
                        const char *term, struct net_why *why)
{
    struct grade_values v = {.count = 0};
    char seed[GRADE_SEED_SIZE];
    char *task = NULL;
    json_t *o = NULL;

    grade_seed(student, term, seed);
    why->text[0] = '\0';
    if (grade_draw(x, seed, &v, why))
        task = grade_fill(&v, x->task, why);
    if (task)
        o = json_pack(
            "{s:s,s:i,s:s,s:s,s:s,s:s,s:s,s:i,s:i,s:o,s:b,s:s,s:s,s:s}", "key",
            x->key, "number", (int)x->number, "title", x->title, "task", task,
            "minutes", or_empty(x->minutes), "teaches", or_empty(x->teaches),
            "asks", or_empty(x->asks), "points", (int)x->points, "hintCosts",
            (int)x->hint_costs, "hints", texts(x->hint, x->hints), "varies",
            x->varies_count > 0, "locked", or_empty(x->locked), "source",
            or_empty(x->source), "seed", seed);
    if (o) {
        json_object_set_new(o, "fields", fields_of(x, &v, why));
        json_object_set_new(o, "game",
                            words_of(x, &v, x->game ? "game" : NULL, why));
        json_object_set_new(o, "command", words_of(x, &v, x->command, why));
    }
    free(task);
    grade_values_free(&v);
    if (o && why->text[0]) {
        json_decref(o);
        o = NULL;
    }
    if (!o)
        (void)net_where(why, "%s: ", x->path);
    return o;
}

/* The bytes of the character that begins here, if it is one of UTF-8 that can
 * be shown; else 0. */
static size_t character(const unsigned char *c)
{
    size_t more = *c >= 0xf0 && *c < 0xf5   ? 3
                  : *c >= 0xe0 && *c < 0xf0 ? 2
                  : *c >= 0xc2 && *c < 0xe0 ? 1
                                            : 0;

    if (*c < 0x80)
        return *c >= ' ' && *c != 0x7f;
    for (size_t i = 1; i <= more; i++)
        if ((c[i] & 0xc0) != 0x80)
            return 0;
    if ((*c == 0xe0 && c[1] < 0xa0) || (*c == 0xed && c[1] >= 0xa0) ||
        (*c == 0xf0 && c[1] < 0x90) || (*c == 0xf4 && c[1] >= 0x90) ||
        (*c == 0xc2 && c[1] < 0xa0))
        return 0;
    return more ? more + 1 : 0;
}

json_t *grade_shown(const char *text)
{
    char *copy = strdup(or_empty(text));
    json_t *string;

    for (char *c = copy; c && *c;) {
        size_t size = character((const unsigned char *)c);

        if (size == 0)
            *c = '?';
        c += size ? size : 1;
    }
    string = json_string(copy ? copy : "");
    free(copy);
    return string;
}

json_t *grade_marks_json(const struct grade_marks *m)
{
    static const char *const words[] = {"held", "missed", "untried"};
    const struct grade_exercise *x = m->exercise;
    json_t *rules = json_array();
    bool solved = x && !m->refused;

    for (uint32_t i = 0; x && !m->refused && i < x->rules; i++) {
        const struct grade_mark *mark = &m->mark[i];
        bool held = mark->verdict == GRADE_HELD;

        solved = solved && held;
        json_array_append_new(
            rules,
            json_pack("{s:o,s:s,s:o,s:i,s:i}", "rule",
                      grade_shown(mark->rule ? mark->rule : x->rule[i].says),
                      "verdict", words[mark->verdict], "says",
                      grade_shown(mark->says), "points",
                      held ? (int)x->rule[i].points : 0, "of",
                      (int)x->rule[i].points));
    }
    return json_pack(
        "{s:o,s:o,s:s,s:s,s:i,s:b,s:i,s:i,s:i,s:o,s:o,s:o}", "student",
        grade_shown(m->student), "name", grade_shown(m->name), "exercise",
        x ? x->key : "", "title", x ? x->title : "", "number",
        x ? (int)x->number : 0, "solved", solved, "points", (int)m->points,
        "of", x ? (int)x->points : 0, "hints", (int)m->hints, "refused",
        grade_shown(m->refused), "run", grade_shown(m->run), "rules", rules);
}
