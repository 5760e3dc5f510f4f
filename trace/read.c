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
    va_list arguments;
    int used = snprintf(r->error, r->error_size, "%.160s, line %lu: ", r->path,
                        r->line_number);

    if (used < 0 || (size_t)used >= r->error_size)
        return TRACE_BAD;
    va_start(arguments, format);
    vsnprintf(r->error + used, r->error_size - (size_t)used, format, arguments);
    va_end(arguments);
    return TRACE_BAD;
}

int reader_refuse(struct reader *r, const char *format, ...)
{
    char what[TRACE_ERROR_SIZE];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return reader_say(
        r, "%s; record the run again with: fulcrum sim ... --trace", what);
}

int reader_no_memory(struct reader *r)
{
    snprintf(r->error, r->error_size,
             "%.160s: not enough memory to read it; draw a shorter run",
             r->path);
    return TRACE_SYSTEM;
}

void *reader_grow(bool *full, void *array, size_t *room, size_t used,
                  size_t element_size)
{
    size_t wider = *room < 64 ? 64 : *room * 2;
    void *grown;

    if (used < *room)
        return array;
    grown = realloc(array, wider * element_size);
    if (grown == NULL) {
        *full = true;
        return array;
    }
    *room = wider;
    return grown;
}

int reader_violated(struct reader *r, const struct scan *property,
                    uint32_t event, uint32_t lane, uint64_t tick)
{
    struct trace *t = r->t;
    size_t length = (size_t)(property->end - property->at);
    struct trace_violation *v;

    if (length >= TRACE_PROPERTY_MAX)
        return reader_refuse(
            r, "the property has %zu characters, at most %d are allowed",
            length, TRACE_PROPERTY_MAX - 1);
    t->violations_all++;
    if (t->violations_count == TRACE_VIOLATIONS_MAX)
        return 0;
    t->violations = reader_grow(&r->full, t->violations, &r->violations_room,
                                t->violations_count, sizeof *t->violations);
    if (r->full)
        return reader_no_memory(r);
    v = &t->violations[t->violations_count++];
    *v = (struct trace_violation){.tick = tick, .event = event, .lane = lane};
    memcpy(v->property, property->at, length);
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

    if (!scan_literal(&s, "end ") ||
        !scan_number(&s, TRACE_TICK_MAX, &r->t->end_tick))
        return reader_refuse(
            r, "expected \"end TICK quiet\" or \"end TICK until\"");
    if (r->t->end_tick < r->last_tick)
        return reader_refuse(r,
                             "the run ends at tick %" PRIu64
                             ", before its last event at %" PRIu64 "",
                             r->t->end_tick, r->last_tick);
    r->t->cut = scan_literal(&s, " until");
    if ((!r->t->cut && !scan_literal(&s, " quiet")) || !scan_done(&s))
        return reader_refuse(r, "expected quiet or until after the tick");
    return reader_finish_spans(r);
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
    return reader_violated(r, &s, TRACE_NONE, TRACE_NONE, r->t->end_tick);
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
        if (result < 0)
            return result;
    }
    return result < 0 ? result : reader_ends_early(r, ended ? "hash" : "end");
}

/* ---- The file ------------------------------------------------------------ */

/* What a reader alone needs. */
static void reader_end(struct reader *r)
{
    free(r->by_name);
    free(r->lanes);
    free(r->spans);
}

/* Takes over `text`, which ends with a zero that `size` does not count. */
static int parse(struct trace *t, const char *path, char *text, size_t size,
                 char *error, size_t error_size)
{
    struct reader r = {.t = t, .path = path, .error_size = error_size};
    int result;

    *t = (struct trace){.set = "", .command = "", .seed = 1};
    t->text = r.next = text;
    r.end = text + size;
    r.error = error;
    result = reader_head(&r);
    if (result == 0)
        result = read_body(&r);
    reader_end(&r);
    if (result < 0)
        trace_free(t);
    return result;
}

int trace_parse(struct trace *t, const char *path, const char *bytes,
                size_t size, char *error, size_t error_size)
{
    char *text;

    *t = (struct trace){0};
    text = size < TRACE_BYTES_MAX ? malloc(size + 1) : NULL;
    if (text == NULL) {
        snprintf(error, error_size,
                 "%.160s: not enough memory to read it; draw a shorter run",
                 path);
        return TRACE_SYSTEM;
    }
    if (size > 0)
        memcpy(text, bytes, size);
    text[size] = '\0';
    return parse(t, path, text, size, error, error_size);
}

/* A trace is refused by its first lines, before the rest is read. */
struct first_lines {
    const char *path;
    char *error;
    size_t error_size;
    int result;
};

/* The whole lines of these bytes, as far as they get by themselves: only a line
 * that is followed by others is judged. */
static bool begins_well(void *whom, const char *text, size_t size)
{
    struct first_lines *first = whom;
    size_t whole = size;
    bool lines = memchr(text, '\n', size) != NULL;
    struct trace t = {.set = "", .command = "", .seed = 1};
    struct reader r = {.t = &t,
                       .path = first->path,
                       .error = first->error,
                       .error_size = first->error_size};

    while (lines && text[whole - 1] != '\n')
        whole--;
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
    reader_end(&r);
    trace_free(&t);
    return first->result >= 0;
}

static int cannot_read(const struct first_lines *first, int number)
{
    char why[OUTSIDE_WHY];

    if (number == ECANCELED)
        return first->result;
    snprintf(first->error, first->error_size, "cannot read %.160s: %s; %s",
             first->path, outside_text_why(number, TRACE_BYTES_MAX, why),
             number == EFBIG    ? "draw a shorter run"
             : number == EILSEQ ? "give a file written by fulcrum sim --trace"
                                : "check its name and permissions");
    return TRACE_SYSTEM;
}

int trace_read(struct trace *t, const char *path, char *error,
               size_t error_size)
{
    bool standard = strcmp(path, "-") == 0;
    struct first_lines first = {standard ? "standard input" : path, error,
                                error_size, 0};
    FILE *file = standard ? stdin : fopen(path, "r");
    char *text = NULL;
    size_t size = 0;
    int number = errno;

    *t = (struct trace){0};
    if (file != NULL) {
        text = outside_text_from(file, TRACE_BYTES_MAX, begins_well, &first,
                                 &size);
        number = errno;
        if (!standard)
            fclose(file);
    }
    if (text == NULL)
        return cannot_read(&first, number);
    return parse(t, first.path, text, size, error, error_size);
}

void trace_free(struct trace *t)
{
    free(t->names);
    free(t->steps);
    free(t->events);
    free(t->messages);
    free(t->spans);
    free(t->first_span);
    free(t->faults);
    free(t->choices);
    free(t->timers);
    free(t->facts);
    free(t->violations);
    free(t->text);
    *t = (struct trace){0};
}

uint32_t trace_name(const struct trace *t, uint32_t lane)
{
    return t->names != NULL ? t->names[lane] : lane;
}

uint64_t trace_late_from(const struct trace *t, const struct trace_message *m)
{
    /* However short the delay, nothing is read in the tick of its sending. */
    uint64_t most = t->bounds.dmax > 1 ? t->bounds.dmax : 1;

    if (!t->bounded || m->arrives == TRACE_NEVER ||
        m->arrives - m->sent <= most)
        return TRACE_NEVER;
    return m->sent + most;
}

enum trace_meaning trace_meaning(const struct trace *t,
                                 const struct trace_message *m)
{
    return t->kinds[m->kind].meaning;
}
