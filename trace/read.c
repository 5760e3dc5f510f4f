/*
 * read.c - reads the file and the end of a trace.
 *
 * The whole file is taken into memory and walked line by line.  Every line is
 * checked for being text before anything looks at it, so that no sentence and
 * no picture can carry a stray byte.  The hash is compared last: a line that is
 * wrong in itself gets the better message.
 */
#include "trace/reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "net/outside.h"

int reader_say(struct reader *r, const char *format, ...)
{
    char what[NET_WHY_SIZE];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    (void)net_refuse(r->why, "%.160s, line %lu: %s", r->path, r->line_number,
                     what);
    return -1;
}

int reader_refuse(struct reader *r, const char *format, ...)
{
    char what[NET_WHY_SIZE];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return reader_say(
        r, "%s; record the run again with: fulcrum sim ... --trace", what);
}

int reader_no_memory(struct reader *r)
{
    (void)net_no_memory(r->why, "the trace");
    return -1;
}

int reader_violated(struct reader *r, const struct scan *property,
                    uint32_t event)
{
    char name[TRACE_PROPERTY_MAX] = "";
    size_t length = (size_t)(property->end - property->at);

    if (length >= sizeof name)
        return reader_refuse(
            r, "the property has %zu characters, at most %d are allowed",
            length, TRACE_PROPERTY_MAX - 1);
    memcpy(name, property->at, length);
    if (r->t->violations_count < TRACE_VIOLATIONS_MAX)
        trace_add_violation(r->t, name, event);
    return 0;
}

/* ---- Lines --------------------------------------------------------------- */

static bool is_line(const struct reader *r, const char *word)
{
    struct scan s = r->line;

    return scan_literal(&s, word);
}

int reader_next_line(struct reader *r)
{
    char *newline;
    const char *bad;

    if (r->next == r->end)
        return 0;
    newline = memchr(r->next, '\n', (size_t)(r->end - r->next));
    r->line_number++;
    r->line.at = r->next;
    r->line.end = newline == NULL ? r->end : newline;
    r->next = newline == NULL ? r->end : newline + 1;
    if (newline == NULL && r->line_number > 1 && !is_line(r, "hash "))
        return reader_refuse(r, "the file ends in the middle of this line, so "
                                "the recording is incomplete");
    if (!scan_printable(&r->line, &bad))
        return reader_refuse(
            r,
            "byte 0x%02x is not printable text in UTF-8 with plain line ends",
            (unsigned char)*bad);
    return 1;
}

int reader_ends_early(struct reader *r, const char *missing)
{
    r->line_number++;
    return reader_refuse(r,
                         "the file ends here without its line \"%s\", so the "
                         "recording is incomplete",
                         missing);
}

/* ---- The end ------------------------------------------------------------- */

static int end_line(struct reader *r)
{
    struct scan s = r->line;
    uint64_t tick;
    bool cut;

    if (!scan_literal(&s, "end ") || !scan_number(&s, TRACE_TICK_MAX, &tick))
        return reader_refuse(
            r, "expected \"end TICK quiet\" or \"end TICK until\"");
    if (tick < r->last_tick)
        return reader_refuse(r,
                             "the run ends at tick %" PRIu64
                             ", before its last event at %" PRIu64 "",
                             tick, r->last_tick);
    cut = scan_literal(&s, " until");
    if ((!cut && !scan_literal(&s, " quiet")) || !scan_done(&s))
        return reader_refuse(r, "expected quiet or until after the tick");
    trace_end(r->t, tick, !cut);
    return 0;
}

static int hash_line(struct reader *r, uint64_t found)
{
    struct scan s = r->line;
    char right[32];

    snprintf(right, sizeof right, "hash %016" PRIx64, found);
    if (!scan_equals(&s, right)) {
        char quoted[SCAN_QUOTE_SIZE];

        scan_quote(&s, quoted);
        return reader_refuse(r,
                             "the trace was changed or damaged: it says %s, "
                             "but its events give \"%s\"",
                             quoted, right);
    }
    if (r->next != r->end) {
        r->line_number++;
        return reader_refuse(r, "there is text after the line \"hash\"");
    }
    return 0;
}

/* After `end`: violations, then the hash. */
static int closing_line(struct reader *r)
{
    struct scan s = r->line;

    if (!scan_literal(&s, "violated ") || scan_done(&s))
        return reader_refuse(r, "after the line \"end\" there can only be "
                                "\"violated PROPERTY\" and \"hash\"");
    return reader_violated(r, &s, TRACE_NONE);
}

static int read_body(struct reader *r)
{
    const char *start = r->next;
    bool ended = false;
    int result;

    r->t->body = start;
    r->t->body_line = (uint32_t)r->line_number + 1;
    while ((result = reader_next_line(r)) == 1) {
        if (ended && is_line(r, "hash"))
            return hash_line(r, XXH64(start, (size_t)(r->line.at - start), 0));
        if (ended)
            result = closing_line(r);
        else if ((ended = is_line(r, "end")))
            result = end_line(r);
        else
            result = reader_event(r);
        if (result == 0 && r->t->full)
            result = reader_no_memory(r);
        if (result < 0)
            return result;
    }
    return result < 0 ? result : reader_ends_early(r, ended ? "hash" : "end");
}

/* ---- The file ------------------------------------------------------------ */

/* Takes over `text`, which ends with a zero that `size` does not count. */
static bool parse(struct trace *t, const char *path, char *text, size_t size,
                  struct net_why *why)
{
    struct reader r = {.t = t, .path = path, .why = why};
    int result;

    trace_open(t, "", "");
    t->text = r.next = text;
    r.end = text + size;
    result = reader_head(&r);
    if (result == 0)
        trace_begin(t);
    if (result == 0)
        result = read_body(&r);
    free(r.by_name);
    if (result < 0)
        trace_free(t);
    return result == 0;
}

bool trace_parse(struct trace *t, const char *path, const char *bytes,
                 size_t size, struct net_why *why)
{
    char *text = size < TRACE_BYTES_MAX ? malloc(size + 1) : NULL;

    if (text == NULL)
        return net_no_memory(why, "the trace");
    if (size > 0)
        memcpy(text, bytes, size);
    text[size] = '\0';
    return parse(t, path, text, size, why);
}

/* A trace is refused by its first lines, before the rest is read. */
struct first_lines {
    const char *path;
    struct net_why *why;
    int result;
};

/* The whole lines of these bytes, as far as they get by themselves: only a line
 * that is followed by others is judged. */
static bool begins_well(void *whom, const char *text, size_t size)
{
    struct first_lines *first = whom;
    size_t whole = size;
    bool lines = memchr(text, '\n', size) != NULL;
    struct trace t;
    struct reader r = {.t = &t, .path = first->path, .why = first->why};

    while (lines && text[whole - 1] != '\n')
        whole--;
    trace_open(&t, "", "");
    t.text = r.next = malloc(whole + 1);
    if (!t.text) {
        first->result = reader_no_memory(&r);
        return false;
    }
    memcpy(t.text, text, whole);
    t.text[whole] = '\0';
    r.end = t.text + whole;
    first->result = reader_head(&r);
    if (first->result < 0 && lines && r.next == r.end)
        first->result = 0; /* it may go on */
    free(r.by_name);
    trace_free(&t);
    return first->result >= 0;
}

static bool cannot_read(const struct first_lines *first, int number)
{
    if (number == ECANCELED)
        return false;
    net_add(first->why, "; %s",
            number == EFBIG    ? "draw a shorter run"
            : number == EILSEQ ? "give a file written by fulcrum sim --trace"
                               : "check its name and permissions");
    return net_where(first->why, "cannot read %.160s: ", first->path);
}

bool trace_read(struct trace *t, const char *path, struct net_why *why)
{
    bool standard = strcmp(path, "-") == 0;
    /* cppcheck-suppress ctuuninitvar ; it is written, not read */
    struct first_lines first = {standard ? "standard input" : path, why, 0};
    FILE *file = standard ? stdin : fopen(path, "r");
    char *text = NULL;
    size_t size = 0;
    int number;

    if (file)
        text = outside_text_from(file, TRACE_BYTES_MAX, begins_well, &first,
                                 &size, why);
    else
        (void)net_fail(why, "%s", strerror(errno));
    number = errno;
    if (file && !standard)
        fclose(file);
    if (!text)
        return cannot_read(&first, number);
    return parse(t, first.path, text, size, why);
}
