/*
 * claim.c - see claim.h.
 */
#include "lab/claim/claim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/formula/ini.h"

static const struct {
    const char *word, *verb;
} kinds[LAB_TRIES] = {
    [LAB_TRY_CHECK] = {"check", "check"},
    [LAB_TRY_EXACT] = {"exact", "check"},
    [LAB_TRY_ALL] = {"all", "sim"},
    [LAB_TRY_COUNT] = {"count", "sim"},
    [LAB_TRY_SEARCH] = {"search", "worst"},
    [LAB_TRY_RANDOM] = {"random", "sim"},
};

const char *lab_kind_word(enum lab_kind kind)
{
    return kinds[kind].word;
}

const char *lab_kind_verb(enum lab_kind kind)
{
    return kinds[kind].verb;
}

struct reader {
    struct lab_claims *claims;
    const char *file;
};

static bool refuse(char *why, const char *what, const char *where)
{
    snprintf(why, LAB_WHY_SIZE, "%s%.80s", what, where);
    return false;
}

static bool take_section(struct reader *r, const struct lab_line *line,
                         char *why)
{
    struct lab_claims *c = r->claims;
    char *dot = strchr(line->section, '.');

    if (c->count == c->room) {
        uint32_t room = 2 * c->room + 16;
        struct lab_claim *more = realloc(c->claim, room * sizeof *more);

        if (!more)
            return refuse(why, "no memory", "");
        c->claim = more;
        c->room = room;
    }
    if (dot)
        *dot = '\0';
    for (uint32_t i = 0; i < c->count; i++)
        if (strcmp(c->claim[i].id, line->section) == 0 &&
            strcmp(c->claim[i].part, dot ? dot + 1 : "") == 0)
            return refuse(why, "it is there already: ", line->section);
    c->claim[c->count++] = (struct lab_claim){
        .file = r->file,
        .id = line->section,
        .part = dot ? dot + 1 : "",
        .line = line->number,
    };
    return true;
}

/* "NAME: rest"; returns the rest, or NULL. */
static char *named(char *text, const char **name)
{
    char *colon = strchr(text, ':');

    if (!colon)
        return NULL;
    *colon = '\0';
    *name = lab_trimmed(text);
    return lab_trimmed(colon + 1);
}

/* The first word, and the rest behind it. */
static char *headed(char *text, const char **head)
{
    *head = text;
    text += strcspn(text, " \t");
    if (*text)
        *text++ = '\0';
    return lab_trimmed(text);
}

static bool take_variant(struct lab_variants *list, const struct lab_line *line,
                         char *why)
{
    bool other = strcmp(line->key, "other") == 0;
    struct lab_variant *v = &list->of[list->count];
    char *rest;

    if (list->count == LAB_VARIANTS_MAX)
        return refuse(why, "too many lines ", line->key);
    *v = (struct lab_variant){.line = line->number};
    rest = named(line->value, &v->name);
    if (!rest)
        return refuse(why, "write NAME: ..., not ", line->value);
    if (other)
        rest = headed(rest, &v->protocol);
    v->text = rest;
    list->count++;
    if (strcmp(line->key, "value") == 0)
        return true;
    return lab_words_add(&v->words, rest) ||
           refuse(why, "too many words, or an open quote: ", rest);
}

static bool take_on(struct lab_claim *c, const struct lab_line *line, char *why)
{
    char *rest = headed(line->value, &c->on.protocol);

    c->on.line = line->number;
    return lab_words_add(&c->on.words, rest) ||
           refuse(why, "too many words, or an open quote: ", rest);
}

bool lab_stated_of(const struct lab_stated *s, const char *variant)
{
    return !s->variant || (variant && strcmp(s->variant, variant) == 0);
}

/* "RELATION", or "NAME: RELATION" of one reading or repair. */
static bool take_stated(struct lab_claim *c, const struct lab_line *line,
                        char *why)
{
    struct lab_stated *s = &c->stated[c->stated_count];
    char *relation;

    if (c->stated_count == LAB_STATED_MAX)
        return refuse(why, "too many lines ", line->key);
    *s = (struct lab_stated){.along = "N", .line = line->number};
    c->stated_count++;
    relation = named(line->value, &s->variant);
    return lab_statement_read(&s->relation, relation ? relation : line->value,
                              why);
}

static bool take_try(struct lab_claim *c, const struct lab_line *line,
                     char *why)
{
    struct lab_stated *s;
    struct lab_try *t;
    const char *kind;
    char *rest;

    if (!c->stated_count)
        return refuse(why, "a claim must come before ", line->key);
    s = &c->stated[c->stated_count - 1];
    if (s->tries_count == LAB_TRIES_MAX)
        return refuse(why, "too many lines ", line->key);
    t = &s->tries[s->tries_count];
    *t = (struct lab_try){.line = line->number,
                          .full = strcmp(line->key, "more") == 0};
    rest = headed(line->value, &kind);
    while (t->kind < LAB_TRIES && strcmp(kinds[t->kind].word, kind) != 0)
        t->kind++;
    if (t->kind == LAB_TRIES)
        return refuse(why,
                      "there are check, exact, all, count, search and "
                      "random, not ",
                      kind);
    s->tries_count++;
    return lab_words_add(&t->words, rest) ||
           refuse(why, "too many words, or an open quote: ", rest);
}

static bool take_along(struct lab_claim *c, const struct lab_line *line,
                       char *why)
{
    if (!c->stated_count)
        return refuse(why, "a claim must come before ", line->key);
    c->stated[c->stated_count - 1].along = line->value;
    return true;
}

static bool take_text(struct lab_claim *c, const struct lab_line *line,
                      char *why)
{
    const struct {
        const char *key;
        const char **to;
    } texts[] = {{"place", &c->place},
                 {"says", &c->says},
                 {"note", &c->note},
                 {"argument", &c->argument},
                 {"undecided", &c->undecided}};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (strcmp(texts[i].key, line->key) == 0) {
            if (*texts[i].to)
                return refuse(why, "a second line ", line->key);
            *texts[i].to = line->value;
            return true;
        }
    return refuse(why,
                  "there are place, says, on, reading, repair, other, "
                  "value, claim, along, try, more, argument, undecided "
                  "and note, not ",
                  line->key);
}

static bool take_line(void *whom, const struct lab_line *line, char *why)
{
    struct reader *r = whom;
    struct lab_claim *c;
    const char *key = line->key;

    if (!key)
        return take_section(r, line, why);
    c = &r->claims->claim[r->claims->count - 1];
    if (strcmp(key, "on") == 0)
        return take_on(c, line, why);
    if (strcmp(key, "reading") == 0)
        return take_variant(&c->readings, line, why);
    if (strcmp(key, "repair") == 0)
        return take_variant(&c->repairs, line, why);
    if (strcmp(key, "other") == 0)
        return take_variant(&c->others, line, why);
    if (strcmp(key, "value") == 0)
        return take_variant(&c->values, line, why);
    if (strcmp(key, "claim") == 0)
        return take_stated(c, line, why);
    if (strcmp(key, "along") == 0)
        return take_along(c, line, why);
    if (strcmp(key, "try") == 0 || strcmp(key, "more") == 0)
        return take_try(c, line, why);
    return take_text(c, line, why);
}

bool lab_claims_read(struct lab_claims *c, const char *file, const char *text,
                     char why[LAB_WHY_SIZE])
{
    struct reader r = {c, NULL};
    char *copy = strdup(text), *name = strdup(file);
    char **more = realloc(c->texts, (c->texts_count + 2) * sizeof *more);
    char reason[LAB_WHY_SIZE];

    if (!more || !copy || !name) {
        free(copy);
        free(name);
        c->texts = more ? more : c->texts;
        return refuse(why, "no memory", "");
    }
    c->texts = more;
    c->texts[c->texts_count++] = copy;
    c->texts[c->texts_count++] = name;
    r.file = name;
    if (lab_ini_read(copy, take_line, &r, reason))
        return true;
    snprintf(why, LAB_WHY_SIZE, "%.40s, %.150s", file, reason);
    return false;
}

void lab_claims_free(struct lab_claims *c)
{
    for (uint32_t i = 0; i < c->count; i++)
        for (uint32_t k = 0; k < c->claim[i].stated_count; k++)
            lab_statement_free(&c->claim[i].stated[k].relation);
    for (uint32_t i = 0; i < c->texts_count; i++)
        free(c->texts[i]);
    free(c->texts);
    free(c->claim);
}
