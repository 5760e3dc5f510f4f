/*
 * drawings.h - diagrams drawn into memory, for the tests of pictures.
 */
#ifndef TESTS_DRAWINGS_H
#define TESTS_DRAWINGS_H

#include "tests/unit/kit/traces.h"

#include "draw/svg/svg.h"
#include "draw/text/text.h"

/* Inlined, gcc takes the memory of a stream for a pointer into the frame. */
#define OWN_FRAME __attribute__((noinline, unused))

/* Draws into memory; the caller frees it. */
OWN_FRAME static char *draw_svg_of(const char *head, const char *body,
                                   uint64_t from, uint64_t to, bool dark)
{
    struct svg_options options = {.from = from, .to = to, .dark = dark};
    struct net_why why = {0};
    char *text = NULL;
    struct svg_size size;
    struct trace t;
    size_t length;
    FILE *file = open_memstream(&text, &length);

    assert_non_null(file);
    read_trace(&t, head, body);
    if (!svg_draw(file, &t, &options, &size, &why))
        fail_msg("%s", why.text);
    assert_int_equal(fclose(file), 0);
    assert_true(size.width >= 640);
    assert_true(size.width <= 2000);
    trace_free(&t);
    return text;
}

static inline unsigned count(const char *text, const char *what)
{
    unsigned found = 0;

    while ((text = strstr(text, what)) != NULL) {
        found++;
        text += strlen(what);
    }
    return found;
}

/* Every tag is closed by its own name, quotes are even, & begins a name. */
static inline void check_well_formed(const char *text)
{
    enum { DEPTH = 16, NAME = 16 };
    char open[DEPTH][NAME];
    unsigned depth = 0;

    for (; *text != '\0'; text++) {
        const char *end;
        char name[NAME] = "";
        unsigned quotes = 0;
        bool closes;

        if (*text == '&')
            assert_true(strcspn(text, ";") < 8);
        if (*text != '<')
            continue;
        end = strchr(text, '>');
        assert_non_null(end);
        for (const char *c = text; c < end; c++)
            quotes += *c == '\'';
        assert_int_equal(quotes % 2, 0);
        closes = text[1] == '/';
        sscanf(text + 1 + closes, "%15[a-zA-Z]", name);
        if (closes) {
            assert_true(depth > 0);
            assert_string_equal(open[--depth], name);
        } else if (end[-1] != '/') {
            assert_true(depth < DEPTH);
            memcpy(open[depth++], name, NAME);
        }
        text = end;
    }
    assert_int_equal(depth, 0);
}

OWN_FRAME static char *draw_text_of(const char *head, const char *body,
                                    uint64_t from, bool ascii)
{
    struct text_options options = {
        .from = from,
        .to = TRACE_NEVER,
        .ascii = ascii,
    };
    struct net_why why = {0};
    char *text = NULL;
    size_t length;
    struct trace t;
    FILE *file = open_memstream(&text, &length);

    assert_non_null(file);
    read_trace(&t, head, body);
    if (!text_draw(file, &t, &options, &why))
        fail_msg("%s", why.text);
    fclose(file);
    trace_free(&t);
    return text;
}

#endif
