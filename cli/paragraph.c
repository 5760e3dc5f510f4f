/*
 * paragraph.c - see paragraph.h.
 */
#include "cli/paragraph.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum {
    WIDTH = 78, /* leaves room for a comma and the like */
    SAID_MAX = 1024,
};

struct paragraph paragraph_begin(uint32_t first, uint32_t indent)
{
    printf("%*s", (int)first, "");
    return (struct paragraph){first, indent};
}

static bool is_odd(char c)
{
    return (unsigned char)c < 0x20 || c == 0x7f;
}

/* Columns of a word: bytes that go on with a letter of UTF-8 take none. */
static uint32_t width_of(const char *word, size_t size)
{
    uint32_t width = 0;

    for (size_t i = 0; i < size; i++)
        width += is_odd(word[i]) ? 4 : (word[i] & 0xc0) != 0x80;
    return width;
}

static void print_word(struct paragraph *p, const char *word, size_t size,
                       bool apart)
{
    uint32_t width = width_of(word, size);

    if (apart && p->column + 1 + width > WIDTH) {
        printf("\n%*s", (int)p->indent, "");
        p->column = p->indent;
    } else if (apart) {
        putchar(' ');
        p->column++;
    }
    for (size_t i = 0; i < size; i++)
        if (is_odd(word[i]))
            printf("\\x%02x", (unsigned char)word[i]);
        else
            putchar(word[i]);
    p->column += width;
}

void paragraph_say(struct paragraph *p, const char *format, ...)
{
    char said[SAID_MAX];
    const char *at = said;
    bool apart = false;
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(said, sizeof said, format, arguments);
    va_end(arguments);
    while (*at) {
        size_t size = strcspn(at, " ");

        if (size > 0)
            print_word(p, at, size, apart);
        at += size;
        apart = *at == ' ';
        at += apart;
    }
}

void paragraph_go_to(struct paragraph *p, uint32_t column)
{
    uint32_t spaces = p->column < column ? column - p->column : 1;

    printf("%*s", (int)spaces, "");
    p->column += spaces;
}

void paragraph_end(struct paragraph *p)
{
    putchar('\n');
    p->column = 0;
}
