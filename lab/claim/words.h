/*
 * words.h - key=value words, and command lines made of them.
 *
 *     n=2..5 time=sync fault="loss 0.1" judge
 */
#ifndef LAB_WORDS_H
#define LAB_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lab_word {
    const char *key;
    const char *value; /* NULL: a flag */
};

enum { LAB_WORDS_MAX = 24 };

struct lab_words {
    struct lab_word word[LAB_WORDS_MAX];
    uint32_t count;
};

/* Cuts the text into words at blanks that are not in quotes; returns their
 * number, or -1 if there are more than `most` or a quote is open. */
int lab_split(char *text, char **words, uint32_t most);

/* Reads words; the text is cut to pieces.  A key that is there already gets the
 * new value.  False: too many, or an open quote. */
bool lab_words_add(struct lab_words *w, char *text);

/* The value of a key, or NULL. */
const char *lab_words_get(const struct lab_words *w, const char *key);

/* Sets or replaces one; false: too many. */
bool lab_words_set(struct lab_words *w, const char *key, const char *value);

/* A text that grows; `failed`: no memory. */
struct lab_text {
    char *text;
    size_t length, room;
    bool failed;
};

void lab_say(struct lab_text *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Appends " WORD", in quotes if a shell needs them. */
void lab_say_word(struct lab_text *t, const char *word);

#endif
