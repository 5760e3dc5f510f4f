/*
 * words.c - see words.h.
 */
#include "lab/claim/words.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int lab_split(char *text, char **words, uint32_t most)
{
    uint32_t count = 0;
    char *to = text;

    for (;;) {
        char quote = '\0';

        while (isspace((unsigned char)*text))
            text++;
        if (!*text)
            return (int)count;
        if (count == most)
            return -1;
        words[count++] = to;
        for (; *text && (quote || !isspace((unsigned char)*text)); text++)
            if (quote ? *text == quote : *text == '"' || *text == '\'') {
                if (quote)
                    quote = '\0';
                else
                    quote = *text;
            } else {
                *to++ = *text;
            }
        if (quote)
            return -1;
        text += *text != '\0';
        *to++ = '\0';
    }
}

bool lab_words_set(struct lab_words *w, const char *key, const char *value)
{
    uint32_t i = 0;

    while (i < w->count && strcmp(w->word[i].key, key) != 0)
        i++;
    if (i == LAB_WORDS_MAX)
        return false;
    w->word[i] = (struct lab_word){key, value};
    if (i == w->count)
        w->count++;
    return true;
}

bool lab_words_add(struct lab_words *w, char *text)
{
    char *words[LAB_WORDS_MAX];
    int count = lab_split(text, words, LAB_WORDS_MAX);

    for (int i = 0; i < count; i++) {
        char *equals = strchr(words[i], '=');

        if (equals)
            *equals = '\0';
        if (!lab_words_set(w, words[i], equals ? equals + 1 : NULL))
            return false;
    }
    return count >= 0;
}

const char *lab_words_get(const struct lab_words *w, const char *key)
{
    for (uint32_t i = 0; i < w->count; i++)
        if (strcmp(w->word[i].key, key) == 0)
            return w->word[i].value ? w->word[i].value : "";
    return NULL;
}

void lab_say(struct lab_text *t, const char *format, ...)
{
    va_list ap;
    int more;

    va_start(ap, format);
    more = vsnprintf(NULL, 0, format, ap);
    va_end(ap);
    if (more < 0 || t->failed)
        return;
    if (t->length + (size_t)more + 1 > t->room) {
        size_t room = 2 * (t->length + (size_t)more + 1);
        char *text = realloc(t->text, room);

        t->failed = !text;
        if (!text)
            return;
        t->text = text;
        t->room = room;
    }
    va_start(ap, format);
    vsnprintf(t->text + t->length, t->room - t->length, format, ap);
    va_end(ap);
    t->length += (size_t)more;
}

void lab_say_word(struct lab_text *t, const char *word)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
        "+-_.,:/@=%^";

    if (*word && word[strspn(word, plain)] == '\0')
        lab_say(t, " %s", word);
    else
        lab_say(t, " '%s'", word);
}
