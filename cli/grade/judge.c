/*
 * judge.c - see judge.h.
 */
#include "cli/grade/judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Commands ------------------------------------------------------------ */

void grade_words_free(char *words[GRADE_WORDS_MAX])
{
    for (int i = 0; words[i]; i++)
        free(words[i]);
}

static bool add_word(char *words[GRADE_WORDS_MAX], int *count, char *word,
                     struct net_why *why)
{
    if (!word || *count + 1 >= GRADE_WORDS_MAX) {
        free(word);
        return net_refuse(why, "a command has too many words");
    }
    words[(*count)++] = word;
    words[*count] = NULL;
    return true;
}

/* "--fault {each faults}" is said once for each of the answers. */
static bool add_each(char *words[GRADE_WORDS_MAX], int *count,
                     const struct grade_values *v, const char *name,
                     struct net_why *why)
{
    const char *text = grade_value(v, name);
    char *option = *count ? words[*count - 1] : NULL;
    bool fine = text && option, first = true;

    if (!fine)
        return net_refuse(why, "there is no '%s' to say each of", name);
    while (fine && *text) {
        size_t size = strcspn(text, ";");

        if (!first)
            fine = add_word(words, count, strdup(option), why);
        fine = fine && add_word(words, count, strndup(text, size), why);
        first = false;
        text += size;
        text += strspn(text, "; ");
    }
    return fine;
}

/* Each word of the template becomes one word, whatever was answered: an answer
 * cannot add another. */
static bool fill_word(char *words[GRADE_WORDS_MAX], int *count,
                      const struct grade_values *v, const char *template,
                      struct net_why *why)
{
    size_t length = strlen(template);
    char name[64], *word;

    if (strncmp(template, "{each ", 6) == 0 && length < sizeof name) {
        snprintf(name, sizeof name, "%.*s", (int)(length - 7), template + 6);
        return add_each(words, count, v, name, why);
    }
    word = grade_fill(v, template, why);
    return word && add_word(words, count, word, why);
}

/* Blanks within {} do not end a word. */
static void join_formulas(char *text, bool hide)
{
    int depth = 0;

    for (; *text; text++) {
        depth += (*text == '{') - (*text == '}');
        if (depth > 0 && hide && *text == ' ')
            *text = '\x1f';
        if (!hide && *text == '\x1f')
            *text = ' ';
    }
}

static bool add_words(const struct grade_values *v, const char *command,
                      char *words[GRADE_WORDS_MAX], int *count,
                      struct net_why *why)
{
    char *copy = strdup(command), *template[GRADE_WORDS_MAX];
    int found;
    bool fine = copy != NULL;

    if (copy)
        join_formulas(copy, true);
    found = copy ? lab_split(copy, template, GRADE_WORDS_MAX - 4) : -1;
    if (found < 0)
        fine = net_refuse(why, "no command: %.80s", command);
    for (int i = 0; fine && i < found; i++) {
        join_formulas(template[i], false);
        fine = fill_word(words, count, v, template[i], why);
    }
    free(copy);
    return fine;
}

int grade_words(const struct grade_exercise *x, const struct grade_values *v,
                const char *command, char *words[GRADE_WORDS_MAX],
                struct net_why *why)
{
    int count = 0;
    bool game = strncmp(command, "game", 4) == 0 && x->game;
    bool fine = true;

    words[0] = NULL;
    if (game)
        fine = add_word(words, &count, strdup("check"), why) &&
               add_words(v, x->game, words, &count, why);
    fine = fine && add_words(v, command + (game ? 4 : 0), words, &count, why);
    if (fine)
        return count;
    grade_words_free(words);
    return -1;
}

/* As people type it, without the word `but`. */
static char *line_of(char *const *words, const char *but)
{
    struct lab_text t = {0};

    lab_say(&t, "fulcrum");
    for (int i = 0; words[i]; i++)
        if (strcmp(words[i], but) != 0)
            lab_say_word(&t, words[i]);
    return t.text;
}

/* ---- Running ------------------------------------------------------------- */

struct judging {
    const struct grade_job *job;
    struct grade_values values;
    struct net_why why;
    bool waits; /* for what a command says */
    char *run;
};

/* What the engine said is a value from now on; false: it refused, or it is to
 * be asked later. */
static bool take_reply(struct judging *j, const char *name,
                       struct grade_reply *reply)
{
    bool fine = true;

    if (reply->code > 1) {
        char *colon = reply->text ? strchr(reply->text, ':') : NULL;
        const char *said = reply->text ? reply->text : "";

        if (colon && strncmp(said, "fulcrum", 7) == 0)
            said = colon + 1 + (colon[1] == ' ');
        if (!*said)
            said = "it is too large: not all of it could be looked at";
        net_refuse(&j->why, "%.*s", (int)strcspn(said, "\n"), said);
        fine = false;
    } else if (!grade_set_value(&j->values, name,
                                reply->text ? reply->text : "", true)) {
        fine = net_no_memory(&j->why, "what a command says");
    }
    free(reply->text);
    return fine;
}

/* What is to be typed: "text COMMAND" says text, all others JSON. */
static char *typed(const char *command)
{
    char *line = NULL;

    if (strncmp(command, "text ", 5) == 0)
        return strdup(command + 5);
    if (strcmp(command, "build") == 0)
        return strdup(command);
    return asprintf(&line, "%s --json", command) < 0 ? NULL : line;
}

static bool run(struct judging *j, const char *name, const char *command)
{
    char *words[GRADE_WORDS_MAX], *line = typed(command);
    struct grade_reply reply = {0};
    int count =
        line ? grade_words(j->job->exercise, &j->values, line, words, &j->why)
             : -1;
    bool known;

    free(line);
    if (count < 1)
        return false;
    if (strcmp(words[0], "build") != 0 && !j->run)
        j->run = line_of(words, "--json");
    known = j->job->ask(j->job->whom, words, &reply);
    grade_words_free(words);
    j->waits = !known;
    return known && take_reply(j, name, &reply);
}

/* All commands and conditions; false with an empty reason: one does not
 * hold. */
static bool try_steps(struct judging *j, const struct grade_rule *rule)
{
    j->why.text[0] = '\0';
    for (uint32_t i = 0; i < rule->steps; i++) {
        const struct grade_pair *s = &rule->step[i];
        bool holds = true;

        if (strncmp(s->key, "run ", 4) == 0) {
            if (!run(j, s->key + 4, s->value))
                return false;
        } else if (!grade_holds(&j->values, s->value, &holds, &j->why)) {
            return false;
        }
        if (!holds)
            return false;
    }
    return true;
}

/* The sentence of the file, if it can be filled in; else why the rule could not
 * be tried. */
static char *sentence(struct judging *j, const struct grade_rule *rule,
                      bool held)
{
    const char *text = held ? rule->good : rule->miss;
    struct net_why unfilled;

    if (!held && j->why.text[0]) {
        char *said = NULL;

        if (asprintf(&said, "the engine refuses that: %s", j->why.text) < 0)
            return NULL;
        return said;
    }
    return text ? grade_fill(&j->values, text, &unfilled) : NULL;
}

static bool try_rules(struct judging *j, struct grade_marks *out)
{
    const struct grade_exercise *x = j->job->exercise;
    bool on = true;

    for (uint32_t i = 0; i < x->rules; i++) {
        struct grade_mark *m = &out->mark[i];
        bool held = on && try_steps(j, &x->rule[i]);

        if (j->waits)
            return false;
        m->verdict = !on ? GRADE_UNTRIED : held ? GRADE_HELD : GRADE_MISSED;
        m->says = on ? sentence(j, &x->rule[i], held) : NULL;
        m->rule = grade_fill(&j->values, x->rule[i].says, &j->why);
        out->points += held ? x->rule[i].points : 0;
        on = on && (held || !x->rule[i].must);
    }
    return true;
}

/* ---- The whole ----------------------------------------------------------- */

static bool refuse(struct grade_marks *out, const char *why)
{
    out->refused = strdup(why);
    return true;
}

static char *copy_of(const char *text)
{
    return strdup(text ? text : "");
}

/* The seed that was handed in, if one was, must be this student's. */
static bool is_own_seed(const struct grade_job *job, const char *seed,
                        struct net_why *why)
{
    const char *said = grade_said(job->lines, job->part, "seed");

    if (!said || strcmp(said, seed) == 0 || (!*seed && strcmp(said, "-") == 0))
        return true;
    return net_refuse(why,
                      "seed %.20s is not that of student '%.60s', which is %s: "
                      "the answer is to another student's task%s",
                      said, job->student, *seed ? seed : "-",
                      job->term ? ", or to that of another --term" : "");
}

/* A hint costs what the file says; how many were read, the page has said. */
static void take_off_hints(const struct grade_job *job, struct grade_marks *out)
{
    const char *said = grade_said(job->lines, job->part, "hints");
    uint32_t cost;

    out->hints = said ? (uint32_t)strtoul(said, NULL, 10) : 0;
    if (out->hints > job->exercise->hints)
        out->hints = job->exercise->hints;
    cost = out->hints * job->exercise->hint_costs;
    out->points = out->points > cost ? out->points - cost : 0;
}

bool grade_judge(const struct grade_job *job, struct grade_marks *out)
{
    struct judging *j = calloc(1, sizeof *j);
    char seed[GRADE_SEED_SIZE];
    bool known = true;

    grade_seed(job->student, job->term, seed);
    *out = (struct grade_marks){
        .exercise = job->exercise,
        .student = copy_of(job->student),
        .name = copy_of(grade_said(job->lines, job->part, "name")),
        .seed = copy_of(seed)};
    if (!j)
        return refuse(out, "there is no memory for the marks");
    j->job = job;
    if (!is_own_seed(job, seed, &j->why) ||
        !grade_draw(job->exercise, seed, &j->values, &j->why) ||
        !grade_answer_read(job->exercise, job->lines, job->part, &j->values,
                           &j->why)) {
        (void)refuse(out, j->why.text);
    } else {
        known = try_rules(j, out);
        if (known)
            take_off_hints(job, out);
    }
    if (!known)
        grade_marks_free(out);
    else
        out->run = j->run;
    if (!known)
        free(j->run);
    grade_values_free(&j->values);
    free(j);
    return known;
}

void grade_marks_free(struct grade_marks *m)
{
    free(m->student);
    free(m->name);
    free(m->seed);
    free(m->refused);
    free(m->run);
    for (uint32_t i = 0; i < GRADE_RULES_MAX; i++) {
        free(m->mark[i].rule);
        free(m->mark[i].says);
    }
    *m = (struct grade_marks){0};
}

/* ---- Right answers ------------------------------------------------------- */

static bool solve(struct judging *j, struct lab_text *out)
{
    const struct grade_exercise *x = j->job->exercise;

    for (uint32_t i = 0; i < x->answers; i++) {
        const struct grade_pair *p = &x->answer[i];
        char *value;
        bool fine;

        if (strncmp(p->key, "run ", 4) == 0) {
            if (!run(j, p->key + 4, p->value))
                return false;
            continue;
        }
        value = grade_fill(&j->values, p->value, &j->why);
        if (!value)
            return false;
        lab_say(out, "%s = %s\n", p->key, value);
        fine = grade_set_value(&j->values, p->key, value, false);
        free(value);
        if (!fine)
            return net_no_memory(&j->why, "the answer");
    }
    return true;
}

char *grade_solve(const struct grade_job *job, struct net_why *why)
{
    struct judging *j = calloc(1, sizeof *j);
    struct lab_text out = {0};
    char seed[GRADE_SEED_SIZE];
    bool fine;

    if (!j) {
        (void)net_no_memory(why, "the answer");
        return NULL;
    }
    j->job = job;
    grade_seed(job->student, job->term, seed);
    lab_say(&out, "exercise = %s\n", job->exercise->key);
    fine =
        grade_draw(job->exercise, seed, &j->values, &j->why) && solve(j, &out);
    if (!fine) {
        *why = j->why;
        free(out.text);
        out.text = NULL;
    }
    free(j->run);
    grade_values_free(&j->values);
    free(j);
    return out.text;
}
