/*
 * claim.c - see claim.h.
 */
#include "lab/claim/claim.h"

#include <stdlib.h>
#include <string.h>

#include "lab/formula/ini.h"
#include "net/grow.h"

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

const char *lab_kind_verb(enum lab_kind kind)
{
    return kinds[kind].verb;
}

struct reader {
    struct lab_claims *claims;
    const char *file;
};

static bool take_section(struct reader *r, const struct lab_line *line,
                         struct net_why *why)
{
    struct lab_claims *c = r->claims;
    char *dot = strchr(line->section, '.');

    if (!net_grow(&c->claim, c->count, sizeof *c->claim))
        return net_no_memory(why, "the claims");
    if (dot)
        *dot = '\0';
    for (uint32_t i = 0; i < c->count; i++)
        if (strcmp(c->claim[i].id, line->section) == 0 &&
            strcmp(c->claim[i].part, dot ? dot + 1 : "") == 0)
            return net_refuse(why, "it is there already: %.80s", line->section);
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
                         struct net_why *why)
{
    bool other = strcmp(line->key, "other") == 0;
    struct lab_variant *v = &list->of[list->count];
    char *rest;

    if (list->count == LAB_VARIANTS_MAX)
        return net_refuse(why, "too many lines %.80s", line->key);
    *v = (struct lab_variant){.line = line->number};
    rest = named(line->value, &v->name);
    if (!rest)
        return net_refuse(why, "write NAME: ..., not %.80s", line->value);
    if (other)
        rest = headed(rest, &v->protocol);
    v->text = rest;
    list->count++;
    if (strcmp(line->key, "value") == 0)
        return true;
    return lab_words_add(&v->words, rest) ||
           net_refuse(why, "too many words, or an open quote: %.80s", rest);
}

static bool take_on(struct lab_claim *c, const struct lab_line *line,
                    struct net_why *why)
{
    char *rest = headed(line->value, &c->on.protocol);

    c->on.line = line->number;
    return lab_words_add(&c->on.words, rest) ||
           net_refuse(why, "too many words, or an open quote: %.80s", rest);
}

bool lab_stated_of(const struct lab_stated *s, const char *variant)
{
    return !s->variant || (variant && strcmp(s->variant, variant) == 0);
}

/* "RELATION", or "NAME: RELATION" of one reading or repair. */
static bool take_stated(struct lab_claim *c, const struct lab_line *line,
                        struct net_why *why)
{
    struct lab_stated *s = &c->stated[c->stated_count];
    char *relation;

    if (c->stated_count == LAB_STATED_MAX)
        return net_refuse(why, "too many lines %.80s", line->key);
    *s = (struct lab_stated){.along = "N", .line = line->number};
    c->stated_count++;
    relation = named(line->value, &s->variant);
    return lab_statement_read(&s->relation, relation ? relation : line->value,
                              why);
}

static bool take_try(struct lab_claim *c, const struct lab_line *line,
                     struct net_why *why)
{
    struct lab_stated *s;
    struct lab_try *t;
    const char *kind;
    char *rest;

    if (!c->stated_count)
        return net_refuse(why, "a claim must come before %.80s", line->key);
    s = &c->stated[c->stated_count - 1];
    if (s->tries_count == LAB_TRIES_MAX)
        return net_refuse(why, "too many lines %.80s", line->key);
    t = &s->tries[s->tries_count];
    *t = (struct lab_try){.line = line->number,
                          .full = strcmp(line->key, "more") == 0};
    rest = headed(line->value, &kind);
    while (t->kind < LAB_TRIES && strcmp(kinds[t->kind].word, kind) != 0)
        t->kind++;
    if (t->kind == LAB_TRIES)
        return net_refuse(why,
                          "there are check, exact, all, count, search and "
                          "random, not %.80s",
                          kind);
    s->tries_count++;
    return lab_words_add(&t->words, rest) ||
           net_refuse(why, "too many words, or an open quote: %.80s", rest);
}

static bool take_along(struct lab_claim *c, const struct lab_line *line,
                       struct net_why *why)
{
    if (!c->stated_count)
        return net_refuse(why, "a claim must come before %.80s", line->key);
    c->stated[c->stated_count - 1].along = line->value;
    return true;
}

static bool take_text(struct lab_claim *c, const struct lab_line *line,
                      struct net_why *why)
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
                return net_refuse(why, "a second line %.80s", line->key);
            *texts[i].to = line->value;
            return true;
        }
    return net_refuse(why,
                      "there are place, says, on, reading, repair, other, "
                      "value, claim, along, try, more, argument, undecided "
                      "and note, not %.80s",
                      line->key);
}

static bool take_line(void *whom, const struct lab_line *line,
                      struct net_why *why)
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
                     struct net_why *why)
{
    struct reader r = {c, NULL};
    char *copy = strdup(text), *name = strdup(file);
    char **more = realloc(c->texts, (c->texts_count + 2) * sizeof *more);

    if (!more || !copy || !name) {
        free(copy);
        free(name);
        c->texts = more ? more : c->texts;
        return net_no_memory(why, "the claims");
    }
    c->texts = more;
    c->texts[c->texts_count++] = copy;
    c->texts[c->texts_count++] = name;
    r.file = name;
    return lab_ini_read(copy, take_line, &r, why) ||
           net_where(why, "%s, ", file);
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
