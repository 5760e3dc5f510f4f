/*
 * exercise.c - reads an exercise (see exercise.h).
 */
#include "cli/grade/exercise.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lab/claim/words.h"
#include "lab/formula/ini.h"
#include "net/word.h"

struct reading {
    struct grade_exercise *x;
    struct lab_text task;
};

static bool add_pair(struct grade_pair *list, uint32_t *count, uint32_t most,
                     const struct lab_line *line, struct net_why *why)
{
    if (*count == most)
        return net_refuse(why, "[%s] has more than %" PRIu32 " lines",
                          line->section, most);
    list[(*count)++] = (struct grade_pair){line->key, line->value};
    return true;
}

static bool is(const struct lab_line *line, const char *key)
{
    return strcmp(line->key, key) == 0;
}

static bool unknown(const struct lab_line *line, const char *known,
                    struct net_why *why)
{
    return net_refuse(why, "[%s] has no '%s'; it has %s", line->section,
                      line->key, known);
}

static bool take_number(const struct lab_line *line, uint64_t least,
                        uint64_t most, uint32_t *out, struct net_why *why)
{
    uint64_t number;

    if (!net_number(line->value, line->key, least, most, &number, why))
        return false;
    *out = (uint32_t)number;
    return true;
}

/* ---- Sections ------------------------------------------------------------ */

static bool take_head(struct reading *r, const struct lab_line *line,
                      struct net_why *why)
{
    struct grade_exercise *x = r->x;
    const struct {
        const char *key;
        const char **to;
    } texts[] = {{"key", &x->key},         {"title", &x->title},
                 {"minutes", &x->minutes}, {"teaches", &x->teaches},
                 {"asks", &x->asks},       {"command", &x->command}};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (is(line, texts[i].key)) {
            *texts[i].to = line->value;
            return true;
        }
    if (is(line, "number"))
        return take_number(line, 1, 9999, &x->number, why);
    if (is(line, "seconds"))
        return take_number(line, 1, 3600, &x->seconds, why);
    return unknown(line,
                   "key, number, title, minutes, seconds, teaches, asks and "
                   "command",
                   why);
}

/* Lines become one; an empty one begins a paragraph. */
static bool take_task(struct reading *r, const struct lab_line *line,
                      struct net_why *why)
{
    bool begins =
        r->task.length == 0 || r->task.text[r->task.length - 1] == '\n';

    if (!is(line, "text"))
        return unknown(line, "text", why);
    if (*line->value)
        lab_say(&r->task, "%s%s", begins ? "" : " ", line->value);
    else
        lab_say(&r->task, "\n\n");
    return true;
}

static bool take_game(struct reading *r, const struct lab_line *line,
                      struct net_why *why)
{
    if (is(line, "check"))
        r->x->game = line->value;
    else if (is(line, "locked"))
        r->x->locked = line->value;
    else
        return unknown(line, "check and locked", why);
    return true;
}

static bool take_code(struct reading *r, const struct lab_line *line,
                      struct net_why *why)
{
    if (is(line, "file"))
        r->x->source = line->value;
    else if (is(line, "protocol"))
        r->x->room = line->value;
    else
        return unknown(line, "file and protocol", why);
    return true;
}

static bool take_hint(struct reading *r, const struct lab_line *line,
                      struct net_why *why)
{
    struct grade_exercise *x = r->x;

    if (is(line, "cost"))
        return take_number(line, 0, 100, &x->hint_costs, why);
    if (!is(line, "text"))
        return unknown(line, "text and cost", why);
    if (x->hints == GRADE_HINTS_MAX)
        return net_refuse(why, "more than %d hints", GRADE_HINTS_MAX);
    x->hint[x->hints++] = line->value;
    return true;
}

static bool take_rule(struct reading *r, const struct lab_line *line,
                      struct net_why *why)
{
    struct grade_rule *rule = &r->x->rule[r->x->rules - 1];

    if (is(line, "says"))
        rule->says = line->value;
    else if (is(line, "good"))
        rule->good = line->value;
    else if (is(line, "miss"))
        rule->miss = line->value;
    else if (is(line, "points"))
        return take_number(line, 0, 100, &rule->points, why);
    else if (is(line, "must"))
        rule->must = strcmp(line->value, "yes") == 0;
    else if (is(line, "holds") || strncmp(line->key, "run ", 4) == 0)
        return add_pair(rule->step, &rule->steps, GRADE_STEPS_MAX, line, why);
    else
        return unknown(line,
                       "says, points, must, run NAME, holds, good and "
                       "miss",
                       why);
    return true;
}

static bool take_section(struct reading *r, const struct lab_line *line,
                         struct net_why *why)
{
    static const char *const known[] = {"exercise", "task",   "varies", "game",
                                        "code",     "answer", "hints",  "rule"};

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(line->section, known[i]) == 0) {
            if (strcmp(line->section, "rule") != 0)
                return true;
            if (r->x->rules == GRADE_RULES_MAX)
                return net_refuse(why, "more than %d rules", GRADE_RULES_MAX);
            r->x->rule[r->x->rules++].points = 1;
            return true;
        }
    return net_refuse(why,
                      "there is no section [%s]; there are exercise, task, "
                      "varies, game, code, answer, hints and rule",
                      line->section);
}

static bool take(void *whom, const struct lab_line *line, struct net_why *why)
{
    struct reading *r = whom;
    struct grade_exercise *x = r->x;
    const char *section = line->section;

    if (!line->key)
        return take_section(r, line, why);
    if (strcmp(section, "exercise") == 0)
        return take_head(r, line, why);
    if (strcmp(section, "task") == 0)
        return take_task(r, line, why);
    if (strcmp(section, "game") == 0)
        return take_game(r, line, why);
    if (strcmp(section, "code") == 0)
        return take_code(r, line, why);
    if (strcmp(section, "hints") == 0)
        return take_hint(r, line, why);
    if (strcmp(section, "rule") == 0)
        return take_rule(r, line, why);
    if (strcmp(section, "varies") == 0)
        return add_pair(x->varies, &x->varies_count, GRADE_VARIES_MAX, line,
                        why);
    return add_pair(x->field, &x->fields, GRADE_FIELDS_MAX, line, why);
}

/* ---- The whole ----------------------------------------------------------- */

static bool is_key(const char *text)
{
    return *text && strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-") ==
                        strlen(text);
}

static bool is_whole(struct grade_exercise *x, struct net_why *why)
{
    if (!x->key || !is_key(x->key))
        return net_refuse(why, "[exercise] needs key = one word of small "
                               "letters, by which answers name it");
    if (!x->title || !x->task || !*x->task)
        return net_refuse(why, "[exercise] needs a title, and [task] a text");
    if (!x->source && x->fields == 0)
        return net_refuse(why, "[answer] is missing: NAME = FORM, such as "
                               "names = permutation {ring}");
    if (x->source && (!x->room || !strchr(x->room, '/')))
        return net_refuse(why, "[code] needs protocol = FAMILY/NAME");
    if (x->rules == 0)
        return net_refuse(why, "a [rule] is missing: nothing would be judged");
    for (uint32_t i = 0; i < x->rules; i++) {
        if (!x->rule[i].says || x->rule[i].steps == 0)
            return net_refuse(why,
                              "rule %" PRIu32 " needs says = SENTENCE and "
                              "at least one holds = CONDITION",
                              i + 1);
        x->points += x->rule[i].points;
    }
    if (x->points == 0)
        return net_refuse(why, "all rules together are worth no points");
    return true;
}

struct grade_exercise *grade_exercise_read(char *text, const char *path,
                                           struct net_why *why)
{
    struct grade_exercise *x = calloc(1, sizeof *x);
    struct reading r = {.x = x};
    bool fine;

    if (!x) {
        free(text);
        (void)net_no_memory(why, "the exercise");
        return NULL;
    }
    x->text = text;
    x->path = strdup(path);
    x->seconds = 60;
    fine = lab_ini_read(text, take, &r, why);
    x->task = r.task.text;
    if (fine && is_whole(x, why))
        return x;
    (void)net_where(why, "%s: ", path);
    grade_exercise_free(x);
    return NULL;
}

static bool take_solution(void *whom, const struct lab_line *line,
                          struct net_why *why)
{
    struct grade_exercise *x = whom;

    if (strcmp(line->section, "solution") != 0)
        return net_refuse(why, "a solution has one section, [solution]");
    return !line->key ||
           add_pair(x->answer, &x->answers, GRADE_FIELDS_MAX + GRADE_STEPS_MAX,
                    line, why);
}

bool grade_solution_read(struct grade_exercise *x, char *text,
                         struct net_why *why)
{
    x->solution = text;
    return lab_ini_read(text, take_solution, x, why);
}

void grade_exercise_free(struct grade_exercise *x)
{
    if (!x)
        return;
    free(x->text);
    free(x->solution);
    free(x->path);
    free(x->task);
    free(x);
}
