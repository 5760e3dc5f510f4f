/*
 * answer.c - see answer.h.
 */
#include "cli/grade/answer.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/formula/ini.h"
#include "net/word.h"

enum { KEY_MAX = 40, READ_MAX = 80 };

/* A key: small letters, without what makes a list or a remark of the line. */
static bool read_key(char *key)
{
    for (char *c = key; *c; c++) {
        *c = (char)tolower((unsigned char)*c);
        if (!isalnum((unsigned char)*c) && !strchr("-_ ", *c))
            return false;
    }
    return *key && strlen(key) < KEY_MAX;
}

static bool read_line(char *text, struct grade_line *line)
{
    char *at, *key = text + strspn(text, " \t-*>#/`|");

    at = key + strcspn(key, "=:");
    if (!*at)
        return false;
    line->value = lab_trimmed(at + 1 + (at[0] == ':' && at[1] == '='));
    *at = '\0';
    for (char *end = at; end > key && strchr("*_` ", end[-1]); end--)
        end[-1] = '\0';
    line->key = key;
    return read_key(line->key);
}

void grade_lines_read(struct grade_lines *l, char *text, uint32_t rows)
{
    uint32_t number = 0;
    char *row;

    l->count = 0;
    if (strncmp(text, "\xef\xbb\xbf", 3) == 0) /* as Windows begins a text */
        text += 3;
    if (!strchr(text, '\n')) /* as old Macs end their lines */
        for (char *c = text; *c; c++)
            if (*c == '\r')
                *c = '\n';
    while (number < rows && l->count < GRADE_LINES_MAX &&
           (row = strsep(&text, "\n"))) {
        l->line[l->count].number = ++number;
        l->count += read_line(row, &l->line[l->count]);
    }
}

uint32_t grade_parts(const struct grade_lines *l,
                     struct grade_part part[GRADE_PARTS_MAX])
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < l->count; i++)
        if (strcmp(l->line[i].key, "exercise") == 0 &&
            count < GRADE_PARTS_MAX) {
            if (count)
                part[count - 1].to = i;
            part[count++] = (struct grade_part){l->line[i].value, i, l->count};
        }
    if (count == 0)
        part[count++] = (struct grade_part){NULL, 0, l->count};
    return count;
}

/* The first line of this key in the part, from `from` on; or NULL. */
static const struct grade_line *find(const struct grade_lines *l, uint32_t from,
                                     uint32_t to, const char *key)
{
    for (uint32_t i = from; i < to; i++)
        if (strcmp(l->line[i].key, key) == 0)
            return &l->line[i];
    return NULL;
}

const char *grade_said(const struct grade_lines *l,
                       const struct grade_part *part, const char *key)
{
    const struct grade_line *line = find(l, part->from, part->to, key);
    uint32_t first = 0;

    while (first < l->count && strcmp(l->line[first].key, "exercise") != 0)
        first++;
    if (!line)
        line = find(l, 0, first, key);
    return line ? line->value : NULL;
}

/* ---- Fields -------------------------------------------------------------- */

/* "move" for "moves": where there is a line for each. */
static bool is_key_of(const char *key, const char *field, bool repeats)
{
    size_t length = strlen(field);

    return strcmp(key, field) == 0 ||
           (repeats && length > 1 && field[length - 1] == 's' &&
            strlen(key) == length - 1 && strncmp(key, field, length - 1) == 0);
}

static bool missing(const struct grade_lines *l, const struct grade_part *part,
                    const char *field, const char *wanted, struct net_why *why)
{
    const struct grade_line *near = NULL;
    uint32_t least = UINT32_MAX;

    for (uint32_t i = part->from; i < part->to; i++)
        if (net_is_nearer(l->line[i].key, field, &least))
            near = &l->line[i];
    net_refuse(why, "there is no line '%s = ...'; wanted is %s", field, wanted);
    if (near)
        net_add(why, "; did you mean '%s' in line %" PRIu32 "?", near->key,
                near->number);
    return false;
}

/* All lines of a field that may have several, as one, with semicolons. */
static char *collect(const struct grade_lines *l, const struct grade_part *part,
                     const char *field, uint32_t *first)
{
    struct lab_text t = {0};

    for (uint32_t i = part->from; i < part->to; i++)
        if (is_key_of(l->line[i].key, field, true)) {
            if (!t.length)
                *first = l->line[i].number;
            lab_say(&t, "%s%s", t.length ? "; " : "", l->line[i].value);
        }
    return t.text;
}

/* The only line of a field. */
static char *only(const struct grade_lines *l, const struct grade_part *part,
                  const char *field, uint32_t *first, struct net_why *why)
{
    const struct grade_line *line = find(l, part->from, part->to, field);
    const struct grade_line *again;

    if (!line)
        return NULL;
    again = find(l, (uint32_t)(line - l->line) + 1, part->to, field);
    if (again && strcmp(again->value, line->value) != 0) {
        net_refuse(why,
                   "%s is said twice, in lines %" PRIu32 " and %" PRIu32
                   "; leave one of them",
                   field, line->number, again->number);
        return NULL;
    }
    *first = line->number;
    return strdup(line->value);
}

static bool take_field(const struct grade_lines *l,
                       const struct grade_part *part, const char *field,
                       const char *form, struct grade_values *v,
                       struct net_why *why)
{
    bool repeats = grade_form_repeats(form), fine;
    char wanted[512], *typed, *value;
    uint32_t line = 0;

    why->text[0] = '\0';
    typed = repeats ? collect(l, part, field, &line)
                    : only(l, part, field, &line, why);
    value = grade_form(form, typed ? typed : "", wanted, sizeof wanted);
    fine = typed && value && grade_set_value(v, field, value, false);
    if (!typed && !why->text[0])
        (void)missing(l, part, field, wanted, why);
    else if (typed && !value)
        net_refuse(why,
                   "line %" PRIu32 ": %s was read as '%.*s%s'; wanted is %s",
                   line, field, READ_MAX, typed,
                   strlen(typed) > READ_MAX ? "..." : "", wanted);
    free(typed);
    free(value);
    return fine;
}

bool grade_answer_read(const struct grade_exercise *x,
                       const struct grade_lines *l,
                       const struct grade_part *part, struct grade_values *v,
                       struct net_why *why)
{
    for (uint32_t i = 0; i < x->fields; i++) {
        char *form = grade_fill(v, x->field[i].value, why);
        bool fine = form && take_field(l, part, x->field[i].key, form, v, why);

        free(form);
        if (!fine)
            return false;
    }
    return true;
}
