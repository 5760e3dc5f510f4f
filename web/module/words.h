/*
 * words.h - a command line as the page hands it over: words, each closed by a
 * zero.
 */
#ifndef WEB_WORDS_H
#define WEB_WORDS_H

#include <stddef.h>
#include <string.h>

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
