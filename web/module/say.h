/*
 * say.h - the words that the module is given, and its answers: JSON as text,
 * which stays until the next one.
 */
#ifndef WEB_SAY_H
#define WEB_SAY_H

#include <jansson.h>
#include <string.h>

#include "core/field.h"
#include "net/site.h"

/* The text of a value, which is freed. */
const char *web_say(json_t *value);

/* A refusal: {"refused": sentence}. */
const char *web_refuse(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* The fields of a local state, [{name, value, before}]: before is null where
 * `before` is NULL or has the same. */
json_t *web_fields(const struct net_place *place, const void *before,
                   const void *after);

/* The names of properties, a bit each. */
json_t *web_properties(const struct fc_protocol *p, uint32_t broken);

/* ---- A command line ------------------------------------------------------ */

/* As the page hands it over: words, each closed by a zero. */
enum { WEB_WORDS_MAX = 512 };

struct web_words {
    char *word[WEB_WORDS_MAX + 1];
    int count;
};

static inline void web_split(struct web_words *w, char *words, size_t size)
{
    w->count = 0;
    for (size_t at = 0; at < size && w->count < WEB_WORDS_MAX;
         at += strlen(words + at) + 1)
        w->word[w->count++] = words + at;
    w->word[w->count] = NULL;
}

#endif
