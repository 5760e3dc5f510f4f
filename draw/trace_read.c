/*
 * trace_read.c - reads the file, the head and the end of a trace.
 *
 * The whole file is taken into memory and walked line by line.  Every line is
 * checked for being text before anything looks at it, so that no sentence
 * and no picture can carry a stray byte.  The hash is compared last: a line
 * that is wrong by itself has the better sentence.
 */
#include "draw/reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static const char again[] =
    "record the run again with: fulcrum sim ... --trace";

int reader_refuse(struct reader *r, const char *format, ...)
{
    va_list arguments;
    int used = snprintf(r->error, r->error_size, "%.160s, line %lu: ",
                        r->path, r->line_number);

    if (used < 0 || (size_t)used >= r->error_size)
        return TRACE_BAD;
    va_start(arguments, format);
    vsnprintf(r->error + used, r->error_size - (size_t)used, format,
              arguments);
    va_end(arguments);
    return TRACE_BAD;
}

int reader_no_memory(struct reader *r)
{
    snprintf(r->error, r->error_size,
             "%.160s: not enough memory to read it; draw a shorter run",
             r->path);
    return TRACE_SYSTEM;
}

bool reader_grow(void *array, size_t *room, size_t used, size_t element_size)
{
    size_t wider = *room < 64 ? 64 : *room * 2;
    void *old, *new;

    if (used < *room)
        return true;
    memcpy(&old, array, sizeof old);
    new = realloc(old, wider * element_size);
    if (new == NULL)
        return false;
    memcpy(array, &new, sizeof new);
    *room = wider;
    return true;
}

int reader_violated(struct reader *r, const struct scan *property,
                    uint32_t event, uint32_t lane, uint64_t tick)
{
    struct trace *t = r->t;
    size_t length = (size_t)(property->end - property->at);
    struct trace_violation *v;

    if (length >= TRACE_PROPERTY_MAX)
        return reader_refuse(r, "the property has %zu characters, at most %d "
                             "are allowed; %s", length,
                             TRACE_PROPERTY_MAX - 1, again);
    t->violations_all++;
    if (t->violations_count == TRACE_VIOLATIONS_MAX)
        return 0;
    if (!reader_grow(&t->violations, &r->violations_room, t->violations_count,
                     sizeof *t->violations))
        return reader_no_memory(r);
    v = &t->violations[t->violations_count++];
    *v = (struct trace_violation){.tick = tick, .event = event, .lane = lane};
    memcpy(v->property, property->at, length);
    return 0;
}

/* ---- Lines --------------------------------------------------------------- */

/* The next line: 1, or 0 at the end of the file. */
static int next_line(struct reader *r)
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
    if (!scan_printable(&r->line, &bad))
        return reader_refuse(r, "byte 0x%02x is not printable text in UTF-8 "
                             "with plain line ends; %s", (unsigned char)*bad,
                             again);
    return 1;
}

static int ends_early(struct reader *r, const char *missing)
{
    r->line_number++;
    return reader_refuse(r, "the file ends here without its line \"%s\", so "
                         "the recording is incomplete; %s", missing, again);
}

/* ---- Values of the head -------------------------------------------------- */

static int bad_value(struct reader *r, const char *key,
                     const struct scan *value, const char *expected)
{
    char quoted[SCAN_QUOTE_SIZE];

    scan_quote(value, quoted);
    return reader_refuse(r, "%s is %s, expected %s; %s", key, quoted,
                         expected, again);
}

static int head_number(struct reader *r, const char *key, struct scan value,
                       uint64_t max, uint64_t *number)
{
    struct scan s = value;

    if (scan_number(&s, max, number) && scan_done(&s))
        return 0;
    return bad_value(r, key, &value, "a number that is not too large");
}

static int head_nodes(struct reader *r, struct scan value)
{
    uint64_t nodes;

    if (head_number(r, "nodes", value, TRACE_NODES_MAX, &nodes) < 0)
        return TRACE_BAD;
    if (nodes == 0)
        return bad_value(r, "nodes", &value, "at least 1");
    r->t->nodes = (uint32_t)nodes;
    return 0;
}

static bool bound(struct scan *s, uint64_t *ticks)
{
    if (scan_literal(s, "never")) {
        *ticks = TRACE_NEVER;
        return true;
    }
    return scan_number(s, TRACE_NEVER, ticks);
}

static int head_bounds(struct reader *r, struct scan value)
{
    struct trace_bounds *b = &r->t->bounds;
    struct scan s = value;

    if (bound(&s, &b->rmin) && scan_literal(&s, ":") && bound(&s, &b->rmax) &&
        scan_literal(&s, ":") && bound(&s, &b->dmin) &&
        scan_literal(&s, ":") && bound(&s, &b->dmax) && scan_done(&s) &&
        b->rmin <= b->rmax && b->dmin <= b->dmax)
        return 0;
    return bad_value(r, "bounds", &value, "rmin:rmax:dmin:dmax in ticks");
}

static uint64_t commas(const struct scan *s)
{
    uint64_t count = 0;

    for (const char *at = s->at; at < s->end; at++)
        count += *at == ',';
    return count;
}

static int head_names(struct reader *r, struct scan value)
{
    uint64_t count = commas(&value) + 1, name;
    struct scan s = value;

    if (count > TRACE_NODES_MAX)
        return bad_value(r, "names", &value, "fewer of them");
    r->t->names = malloc(count * sizeof *r->t->names);
    if (r->t->names == NULL)
        return reader_no_memory(r);
    for (uint64_t i = 0; i < count; i++) {
        if ((i > 0 && !scan_literal(&s, ",")) ||
            !scan_number(&s, UINT32_MAX - 1, &name))
            return bad_value(r, "names", &value,
                             "numbers with commas between them");
        r->t->names[i] = (uint32_t)name;
    }
    if (!scan_done(&s))
        return bad_value(r, "names", &value,
                         "numbers with commas between them");
    r->names_count = count;
    return 0;
}

static int head_steps(struct reader *r, struct scan value)
{
    static const char form[] = "length+phase of each node, with commas "
                               "between them";
    uint64_t count = commas(&value) + 1;
    struct scan s = value;

    if (count > TRACE_NODES_MAX)
        return bad_value(r, "steps", &value, "fewer of them");
    r->t->steps = malloc(count * sizeof *r->t->steps);
    if (r->t->steps == NULL)
        return reader_no_memory(r);
    for (uint64_t i = 0; i < count; i++) {
        struct trace_step *step = &r->t->steps[i];

        if ((i > 0 && !scan_literal(&s, ",")) ||
            !scan_number(&s, TRACE_TICK_MAX, &step->length) ||
            step->length == 0 || !scan_literal(&s, "+") ||
            !scan_number(&s, TRACE_TICK_MAX, &step->phase))
            return bad_value(r, "steps", &value, form);
    }
    if (!scan_done(&s))
        return bad_value(r, "steps", &value, form);
    r->steps_count = count;
    return 0;
}

static int head_kind(struct reader *r, struct scan value)
{
    static const char *const meanings[TRACE_MEANINGS] = {
        "asks", "claims", "grants", "refuses",
        "calls", "tells", "token", "frame",
    };
    struct trace *t = r->t;
    struct trace_kind *kind = &t->kinds[t->kinds_count];
    struct scan s = value, word, meaning;
    unsigned m = 0;

    if (t->kinds_count == TRACE_KINDS_MAX)
        return reader_refuse(r, "there are more than %d kinds of messages; %s",
                             TRACE_KINDS_MAX, again);
    if (!scan_until(&s, " ();#", &word) || !scan_literal(&s, " ") ||
        !scan_until(&s, " ", &meaning) || !scan_literal(&s, " ") ||
        scan_done(&s))
        return bad_value(r, "kind", &value, "a word, its meaning, its label");
    while (m < TRACE_MEANINGS && !scan_equals(&meaning, meanings[m]))
        m++;
    if (m == TRACE_MEANINGS)
        return bad_value(r, "the meaning", &meaning, "asks, claims, grants, "
                         "refuses, calls, tells, token or frame");
    for (uint32_t k = 0; k < t->kinds_count; k++)
        if (scan_equals(&word, t->kinds[k].word))
            return bad_value(r, "kind", &word, "one line per kind");
    /* The space behind the word becomes its end; it is parsed already. */
    t->text[word.end - t->text] = '\0';
    *kind = (struct trace_kind){.word = word.at, .label = s.at, .meaning = m};
    t->kinds_count++;
    return 0;
}

/* ---- The head ------------------------------------------------------------ */

enum head_key {
    KEY_PROTOCOL,
    KEY_PROBLEM,
    KEY_TOPOLOGY,
    KEY_TIME,
    KEY_BOUNDS,
    KEY_NODES,
    KEY_REQUIRED, /* those above must be there */
    KEY_NAMES = KEY_REQUIRED,
    KEY_STEPS,
    KEY_SET,
    KEY_SEED,
    KEY_COMMAND,
    KEY_WINNER,
    KEY_KIND,
    KEYS,
};

static const char *const key_words[KEYS] = {
    "protocol", "problem", "topology", "time", "bounds", "nodes", "names",
    "steps", "set", "seed", "command", "winner", "kind",
};

static int head_value(struct reader *r, enum head_key key, struct scan value)
{
    struct trace *t = r->t;

    switch (key) {
    case KEY_PROTOCOL: t->protocol = value.at; return 0;
    case KEY_PROBLEM: t->problem = value.at; return 0;
    case KEY_TOPOLOGY: t->topology = value.at; return 0;
    case KEY_TIME: t->time = value.at; return 0;
    case KEY_SET: t->set = value.at; return 0;
    case KEY_COMMAND: t->command = value.at; return 0;
    case KEY_BOUNDS: return head_bounds(r, value);
    case KEY_NODES: return head_nodes(r, value);
    case KEY_NAMES: return head_names(r, value);
    case KEY_STEPS: return head_steps(r, value);
    case KEY_KIND: return head_kind(r, value);
    case KEY_SEED:
        t->seeded = true;
        return head_number(r, "seed", value, UINT64_MAX, &t->seed);
    case KEY_WINNER:
        return head_number(r, "winner", value, UINT32_MAX, &t->winner);
    default: return 0;
    }
}

static int head_line(struct reader *r)
{
    struct scan s = r->line, word;
    unsigned key = 0;

    if (!scan_until(&s, " ", &word))
        return reader_refuse(r, "expected a key and its value, or ----; %s",
                             again);
    while (key < KEYS && !scan_equals(&word, key_words[key]))
        key++;
    if (key == KEYS)
        return 0;
    if (!scan_literal(&s, " ") && key != KEY_SET)
        return reader_refuse(r, "%s has no value; %s", key_words[key], again);
    if (key != KEY_KIND && (r->keys_seen & 1u << key) != 0)
        return reader_refuse(r, "%s stands here a second time; %s",
                             key_words[key], again);
    r->keys_seen |= 1u << key;
    /* Strings of the head are used where they stand: close them. */
    r->t->text[s.end - r->t->text] = '\0';
    return head_value(r, (enum head_key)key, s);
}

static int compare_names(const void *a, const void *b)
{
    const struct reader_name *x = a, *y = b;

    return x->name < y->name ? -1 : x->name > y->name;
}

/* Names must differ, or events could not say whose they are. */
static int sort_names(struct reader *r)
{
    uint32_t nodes = r->t->nodes;

    r->by_name = malloc(nodes * sizeof *r->by_name);
    if (r->by_name == NULL)
        return reader_no_memory(r);
    for (uint32_t i = 0; i < nodes; i++)
        r->by_name[i] = (struct reader_name){trace_name(r->t, i), i};
    qsort(r->by_name, nodes, sizeof *r->by_name, compare_names);
    for (uint32_t i = 1; i < nodes; i++)
        if (r->by_name[i - 1].name == r->by_name[i].name)
            return reader_refuse(r, "the name %" PRIu32 " stands twice in "
                                 "the head; %s", r->by_name[i].name, again);
    return 0;
}

/* At the line ----: is everything there, and does it fit together? */
static int end_head(struct reader *r)
{
    const struct trace *t = r->t;

    for (unsigned key = 0; key < KEY_REQUIRED; key++)
        if ((r->keys_seen & 1u << key) == 0)
            return reader_refuse(r, "the head ends without %s; %s",
                                 key_words[key], again);
    if (t->names != NULL && r->names_count != t->nodes)
        return reader_refuse(r, "the head has %" PRIu32 " nodes but %" PRIu64
                             " names; %s", t->nodes, r->names_count, again);
    if (t->steps != NULL && r->steps_count != t->nodes)
        return reader_refuse(r, "the head has %" PRIu32 " nodes but %" PRIu64
                             " steps; %s", t->nodes, r->steps_count, again);
    r->lanes = calloc(t->nodes, sizeof *r->lanes);
    if (r->lanes == NULL)
        return reader_no_memory(r);
    for (uint32_t i = 0; i < t->nodes; i++)
        r->lanes[i].message = TRACE_NONE;
    return sort_names(r);
}

static int read_head(struct reader *r)
{
    struct scan s, word;
    uint64_t version = 0;
    char quoted[SCAN_QUOTE_SIZE];
    int result = next_line(r);

    if (result < 0)
        return result;
    s = r->line;
    if (result == 0 || !scan_literal(&s, "fulcrum-trace "))
        return reader_refuse(r, "this is not a trace: it does not begin with "
                             "\"fulcrum-trace %d\"; give a file written by "
                             "fulcrum sim ... --trace", TRACE_VERSION);
    word = s;
    scan_quote(&word, quoted);
    if (!scan_number(&s, UINT64_MAX, &version) || !scan_done(&s) ||
        version != TRACE_VERSION)
        return reader_refuse(r, "version %s of the format is not known, only "
                             "%d is; draw it with the fulcrum that recorded "
                             "it", quoted, TRACE_VERSION);
    while ((result = next_line(r)) == 1) {
        if (scan_equals(&r->line, "----"))
            return end_head(r);
        result = head_line(r);
        if (result < 0)
            return result;
    }
    return result < 0 ? result : ends_early(r, "----");
}

/* ---- The end ------------------------------------------------------------- */

static bool is_line(const struct reader *r, const char *word)
{
    struct scan s = r->line;

    return scan_literal(&s, word);
}

static int end_line(struct reader *r)
{
    struct scan s = r->line;

    if (!scan_literal(&s, "end ") ||
        !scan_number(&s, TRACE_TICK_MAX, &r->t->end_tick))
        return reader_refuse(r, "expected \"end TICK quiet\" or \"end TICK "
                             "until\"; %s", again);
    if (r->t->end_tick < r->last_tick)
        return reader_refuse(r, "the run ends at tick %" PRIu64 ", before "
                             "its last event at %" PRIu64 "; %s",
                             r->t->end_tick, r->last_tick, again);
    r->t->cut = scan_literal(&s, " until");
    if ((!r->t->cut && !scan_literal(&s, " quiet")) || !scan_done(&s))
        return reader_refuse(r, "expected quiet or until after the tick; %s",
                             again);
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
        return reader_refuse(r, "the trace was changed or damaged: it says "
                             "%s, but its events give \"%s\"; %s", quoted,
                             right, again);
    }
    if (r->next != r->end) {
        r->line_number++;
        return reader_refuse(r, "there is text after the line \"hash\"; "
                             "remove it or %s", again);
    }
    return 0;
}

/* After `end`: violations, then the hash. */
static int closing_line(struct reader *r)
{
    struct scan s = r->line;

    if (!scan_literal(&s, "violated ") || scan_done(&s))
        return reader_refuse(r, "after the line \"end\" there can only be "
                             "\"violated PROPERTY\" and \"hash\"; %s", again);
    return reader_violated(r, &s, TRACE_NONE, TRACE_NONE, r->t->end_tick);
}

static int read_body(struct reader *r)
{
    const char *start = r->next;
    bool ended = false;
    int result;

    while ((result = next_line(r)) == 1) {
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
    return result < 0 ? result : ends_early(r, ended ? "hash" : "end");
}

/* ---- The file ------------------------------------------------------------ */

/* Takes over `text`, which ends with a zero that `size` does not count. */
static int parse(struct trace *t, const char *path, char *text, size_t size,
                 char *error, size_t error_size)
{
    struct reader r = {
        .t = t, .path = path, .next = text, .end = text + size,
        .error = error, .error_size = error_size,
    };
    int result;

    *t = (struct trace){.text = text, .set = "", .command = ""};
    result = read_head(&r);
    if (result == 0)
        result = read_body(&r);
    free(r.by_name);
    free(r.lanes);
    free(r.spans);
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
        snprintf(error, error_size, "%.160s: not enough memory to read it; "
                 "draw a shorter run", path);
        return TRACE_SYSTEM;
    }
    if (size > 0)
        memcpy(text, bytes, size);
    text[size] = '\0';
    return parse(t, path, text, size, error, error_size);
}

/* Everything a file has, a zero behind it; or NULL and errno. */
static char *slurp(FILE *file, size_t *size)
{
    char *text = NULL;
    size_t room = 0;

    *size = 0;
    for (;;) {
        if (!reader_grow(&text, &room, *size + 1, 1))
            break;
        *size += fread(text + *size, 1, room - 1 - *size, file);
        if (ferror(file))
            break;
        if (feof(file)) {
            text[*size] = '\0';
            return text;
        }
        if (*size >= TRACE_BYTES_MAX) {
            errno = EFBIG;
            break;
        }
    }
    free(text);
    return NULL;
}

int trace_read(struct trace *t, const char *path, char *error,
               size_t error_size)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;

    *t = (struct trace){0};
    errno = file == NULL ? errno : 0;
    if (file != NULL)
        text = slurp(file, &size);
    if (text == NULL) {
        snprintf(error, error_size, "cannot read %.160s: %s; %s", path,
                 strerror(errno), errno == EFBIG
                 ? "draw a shorter run" : "check its name and permissions");
        if (file != NULL)
            fclose(file);
        return TRACE_SYSTEM;
    }
    fclose(file);
    return parse(t, path, text, size, error, error_size);
}

void trace_free(struct trace *t)
{
    free(t->names);
    free(t->steps);
    free(t->events);
    free(t->messages);
    free(t->spans);
    free(t->first_span);
    free(t->violations);
    free(t->text);
    *t = (struct trace){0};
}

uint32_t trace_name(const struct trace *t, uint32_t lane)
{
    return t->names != NULL ? t->names[lane] : lane;
}

enum trace_meaning trace_meaning(const struct trace *t,
                                 const struct trace_message *m)
{
    return t->kinds[m->kind].meaning;
}
