/*
 * paragraph.c - see paragraph.h.
 */
#include "cli/paragraph.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { SAID_MAX = 1024, PROSE_MAX = 80 };

uint32_t paragraph_columns(void)
{
    enum { NARROWEST = 40, USUAL = 80, WIDEST = 1000 };
    const char *given = getenv("COLUMNS");
    unsigned long columns = given ? strtoul(given, NULL, 10) : 0;
    struct winsize size;

    if (!columns && isatty(STDOUT_FILENO) &&
        ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
        columns = size.ws_col;
    return !columns              ? USUAL
           : columns < NARROWEST ? NARROWEST
           : columns > WIDEST    ? WIDEST
                                 : (uint32_t)columns;
}

/* Leaves room for a comma and the like. */
static uint32_t width(void)
{
    uint32_t columns = paragraph_columns();

    return (columns < PROSE_MAX ? columns : PROSE_MAX) - 2;
}

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
    uint32_t wide = 0;

    for (size_t i = 0; i < size; i++)
        wide += is_odd(word[i]) ? 4 : (word[i] & 0xc0) != 0x80;
    return wide;
}

static void print_word(struct paragraph *p, const char *word, size_t size,
                       bool apart)
{
    uint32_t wide = width_of(word, size);

    if (apart && p->column + 1 + wide > width()) {
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
    p->column += wide;
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
