/*
 * read_head.c - reads the head of a trace: one key and its value a line.
 *
 * Keys that are not known are ignored, so that an old reader can draw the
 * traces of a newer simulator.
 */
#include "trace/reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int bad_value(struct reader *r, const char *key,
                     const struct scan *value, const char *expected)
{
    char quoted[SCAN_QUOTE_SIZE];

    scan_quote(value, quoted);
    return reader_refuse(r, "%s is %s, expected %s", key, quoted, expected);
}

/* ---- Words --------------------------------------------------------------- */

/* The index of a word of the head in a table, or -1: it is refused, and the
 * others are named. */
static int find_word(struct reader *r, const char *key,
                     const struct scan *value, const char *const *words,
                     unsigned count)
{
    char all[128] = "";
    size_t used = 0;

    for (unsigned i = 0; i < count; i++)
        if (scan_equals(value, words[i]))
            return (int)i;
    for (unsigned i = 0; i < count && used < sizeof all; i++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s",
                                 i == 0           ? ""
                                 : i + 1 == count ? " or "
                                                  : ", ",
                                 words[i]);
    (void)bad_value(r, key, value, all);
    return -1;
}

/* ---- Values of the head -------------------------------------------------- */

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
        return -1;
    if (nodes == 0)
        return bad_value(r, "nodes", &value, "at least 1");
    r->t->head.nodes = (uint32_t)nodes;
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
    struct trace_bounds *b = &r->t->head.bounds;
    struct scan s = value;

    if (bound(&s, &b->rmin) && scan_literal(&s, ":") && bound(&s, &b->rmax) &&
        scan_literal(&s, ":") && bound(&s, &b->dmin) && scan_literal(&s, ":") &&
        bound(&s, &b->dmax) && scan_done(&s) && b->rmin <= b->rmax &&
        b->dmin <= b->dmax)
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
    r->t->head.names = malloc((size_t)count * sizeof *r->t->head.names);
    if (r->t->head.names == NULL)
        return reader_no_memory(r);
    for (uint64_t i = 0; i < count; i++) {
        if ((i > 0 && !scan_literal(&s, ",")) ||
            !scan_number(&s, UINT32_MAX - 1, &name))
            return bad_value(r, "names", &value,
                             "numbers with commas between them");
        r->t->head.names[i] = (uint32_t)name;
    }
    if (!scan_done(&s))
        return bad_value(r, "names", &value,
                         "numbers with commas between them");
    r->names_count = count;
    return 0;
}

static int head_steps(struct reader *r, struct scan value)
{
    static const char form[] =
        "length+phase of each node, with commas between them";
    uint64_t count = commas(&value) + 1;
    struct scan s = value;

    if (count > TRACE_NODES_MAX)
        return bad_value(r, "steps", &value, "fewer of them");
    r->t->head.steps = malloc((size_t)count * sizeof *r->t->head.steps);
    if (r->t->head.steps == NULL)
        return reader_no_memory(r);
    for (uint64_t i = 0; i < count; i++) {
        struct trace_step *step = &r->t->head.steps[i];

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
    struct trace_head *h = &r->t->head;
    struct trace_kind *kind = &h->kinds[h->kinds_count];
    struct scan s = value, word, meaning;
    int m;

    if (h->kinds_count == TRACE_KINDS_MAX)
        return reader_refuse(r, "there are more than %d kinds of messages",
                             TRACE_KINDS_MAX);
    if (!scan_until(&s, " ();#", &word) || !scan_literal(&s, " ") ||
        !scan_until(&s, " ", &meaning) || !scan_literal(&s, " ") ||
        scan_done(&s))
        return bad_value(r, "kind", &value, "a word, its meaning, its label");
    m = find_word(r, "the meaning", &meaning, trace_meaning_words,
                  TRACE_MEANINGS);
    if (m < 0)
        return -1;
    for (uint32_t k = 0; k < h->kinds_count; k++)
        if (scan_equals(&word, h->kinds[k].word))
            return bad_value(r, "kind", &word, "one line per kind");
    /* The space behind the word becomes its end; it is parsed already. */
    r->t->text[word.end - r->t->text] = '\0';
    *kind = (struct trace_kind){
        .word = word.at, .label = s.at, .meaning = (enum trace_meaning)m};
    h->kinds_count++;
    return 0;
}

/* What the numbers of a kind are; its line is above. */
static int head_numbers(struct reader *r, struct scan value)
{
    struct trace_head *h = &r->t->head;
    struct scan s = value, word;

    if (!scan_until(&s, " ", &word) || !scan_literal(&s, " ") || scan_done(&s))
        return bad_value(r, "numbers", &value,
                         "a kind of message, and what its numbers are");
    for (uint32_t k = 0; k < h->kinds_count; k++)
        if (scan_equals(&word, h->kinds[k].word)) {
            h->kinds[k].numbers = s.at;
            return 0;
        }
    return bad_value(r, "numbers", &word, "a kind of message");
}

/* A word of the problem's own ends where an event or an effect would. */
static const char own_word_ends[] = " ,;()#";

static int head_own(struct reader *r, const char *key, struct scan value,
                    const char **list, uint32_t *count)
{
    struct scan s = value, word;

    if (!scan_until(&s, own_word_ends, &word) || !scan_done(&s) ||
        *count == TRACE_WORDS_MAX)
        return bad_value(r, key, &value, "one word, in at most eight lines");
    list[(*count)++] = word.at;
    return 0;
}

static int head_role(struct reader *r, struct scan value)
{
    struct trace_head *h = &r->t->head;
    struct scan s = value, word;
    unsigned like = 0;

    if (!scan_until(&s, own_word_ends, &word) || !scan_literal(&s, " ") ||
        h->own_roles_count == TRACE_WORDS_MAX)
        return bad_value(r, "role", &value,
                         "a word and the role it is like, in at most eight "
                         "lines");
    while (like < TRACE_ROLES && !scan_equals(&s, trace_role_word(like)))
        like++;
    if (like == TRACE_ROLES)
        return bad_value(r, "the role it is like", &s,
                         "one that every trace has, such as awake");
    r->t->text[word.end - r->t->text] = '\0';
    h->own_roles[h->own_roles_count++] =
        (struct trace_own_role){word.at, (enum trace_role)like};
    return 0;
}

static int head_topology(struct reader *r, struct scan value)
{
    int shape = find_word(r, "topology", &value, trace_topology_words,
                          TRACE_TOPOLOGIES);

    if (shape < 0)
        return -1;
    r->t->head.topology = (enum trace_topology)shape;
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
    KEY_RETURNS,
    KEY_STEPS,
    KEY_SET,
    KEY_SEED,
    KEY_COMMAND,
    KEY_WINNER,
    KEY_FIRST,
    KEY_SEVERAL, /* those below may be there more than once */
    KEY_KIND = KEY_SEVERAL,
    KEY_NUMBERS,
    KEY_ROLE,
    KEY_FACT,
    KEY_ASKS,
    KEYS,
};

static const char *const key_words[KEYS] = {
    "protocol", "problem", "topology", "time", "bounds",  "nodes",  "names",
    "returns",  "steps",   "set",      "seed", "command", "winner", "first",
    "kind",     "numbers", "role",     "fact", "asks",
};

static int head_value(struct reader *r, enum head_key key, struct scan value)
{
    struct trace_head *h = &r->t->head;

    switch (key) {
    case KEY_PROTOCOL:
        h->protocol = value.at;
        return 0;
    case KEY_PROBLEM:
        h->problem = value.at;
        return 0;
    case KEY_TOPOLOGY:
        return head_topology(r, value);
    case KEY_TIME:
        h->time = value.at;
        h->bounded = scan_equals(&value, "archimedean");
        return 0;
    case KEY_RETURNS:
        h->returns = scan_equals(&value, "yes");
        return 0;
    case KEY_SET:
        h->set = value.at;
        return 0;
    case KEY_COMMAND:
        h->command = value.at;
        return 0;
    case KEY_BOUNDS:
        h->bounds_text = value.at;
        return head_bounds(r, value);
    case KEY_NODES:
        h->nodes_text = value.at;
        return head_nodes(r, value);
    case KEY_NAMES:
        h->names_text = value.at;
        return head_names(r, value);
    case KEY_STEPS:
        return head_steps(r, value);
    case KEY_KIND:
        return head_kind(r, value);
    case KEY_NUMBERS:
        return head_numbers(r, value);
    case KEY_FIRST:
        r->first = value;
        return 0;
    case KEY_ROLE:
        return head_role(r, value);
    case KEY_FACT:
        return head_own(r, "fact", value, h->own_facts, &h->own_facts_count);
    case KEY_ASKS:
        return head_own(r, "asks", value, h->own_asks, &h->own_asks_count);
    case KEY_SEED:
        h->seeded = true;
        return head_number(r, "seed", value, UINT64_MAX, &h->seed);
    case KEY_WINNER:
        return head_number(r, "winner", value, UINT32_MAX, &h->winner);
    default:
        return 0;
    }
}

static int head_line(struct reader *r)
{
    struct scan s = r->line, word;
    unsigned key = 0;

    if (!scan_until(&s, " ", &word))
        return reader_refuse(r, "expected a key and its value, or ----");
    while (key < KEYS && !scan_equals(&word, key_words[key]))
        key++;
    if (key == KEYS)
        return 0;
    if (!scan_literal(&s, " ") && key != KEY_SET)
        return reader_refuse(r, "%s has no value", key_words[key]);
    if (key < KEY_SEVERAL && (r->keys_seen & 1u << key) != 0)
        return reader_refuse(r, "%s appears a second time", key_words[key]);
    r->keys_seen |= 1u << key;
    /* Strings of the head are used in place: terminate them. */
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
    uint32_t nodes = r->t->head.nodes;

    r->by_name = malloc(nodes * sizeof *r->by_name);
    if (r->by_name == NULL)
        return reader_no_memory(r);
    for (uint32_t i = 0; i < nodes; i++)
        r->by_name[i] = (struct reader_name){trace_name(&r->t->head, i), i};
    qsort(r->by_name, nodes, sizeof *r->by_name, compare_names);
    for (uint32_t i = 1; i < nodes; i++)
        if (r->by_name[i - 1].name == r->by_name[i].name)
            return reader_refuse(
                r, "the name %" PRIu32 " appears twice in the head",
                r->by_name[i].name);
    return 0;
}

/* Every node before its first event; older traces do not say so, and there were
 * four problems then. */
static int first_role(struct reader *r)
{
    struct trace_head *h = &r->t->head;
    const struct scan *first = &r->first;

    h->first_role =
        strcmp(h->problem, "election") == 0 ? TRACE_ASLEEP : TRACE_IDLE;
    if (first->at != NULL)
        h->first_role =
            trace_role_called(h, first->at, (size_t)(first->end - first->at));
    return h->first_role != TRACE_ROLES_ALL
               ? 0
               : bad_value(r, "first", first, "a role");
}

/* At the line ----: is everything there, and does it fit together? */
static int end_head(struct reader *r)
{
    struct trace_head *h = &r->t->head;

    for (unsigned key = 0; key < KEY_REQUIRED; key++)
        if ((r->keys_seen & 1u << key) == 0)
            return reader_refuse(r, "the head ends without %s", key_words[key]);
    if (h->names != NULL && r->names_count != h->nodes)
        return reader_refuse(
            r, "the head has %" PRIu32 " nodes but %" PRIu64 " names", h->nodes,
            r->names_count);
    if (h->steps != NULL && r->steps_count != h->nodes)
        return reader_refuse(
            r, "the head has %" PRIu32 " nodes but %" PRIu64 " steps", h->nodes,
            r->steps_count);
    return first_role(r) < 0 ? -1 : sort_names(r);
}

int reader_head(struct reader *r)
{
    struct scan s, word;
    uint64_t version = 0;
    char quoted[SCAN_QUOTE_SIZE];
    int result = reader_next_line(r);

    if (result < 0)
        return result;
    s = r->line;
    if (result == 0 || !scan_literal(&s, "fulcrum-trace "))
        return reader_say(
            r,
            "this is not a trace: it does not begin with \"fulcrum-trace %d\"; "
            "give a file written by fulcrum sim ... --trace",
            TRACE_VERSION);
    word = s;
    scan_quote(&word, quoted);
    if (!scan_number(&s, UINT64_MAX, &version) || !scan_done(&s) ||
        version != TRACE_VERSION)
        return reader_say(r,
                          "version %s of the format is not known, only %d is; "
                          "draw it with the fulcrum that recorded it",
                          quoted, TRACE_VERSION);
    while ((result = reader_next_line(r)) == 1) {
        if (scan_equals(&r->line, "----"))
            return end_head(r);
        if (r->line_number > TRACE_HEAD_MAX)
            return reader_refuse(r,
                                 "the head has more than %d lines, and no line "
                                 "\"----\" ends it",
                                 TRACE_HEAD_MAX);
        result = head_line(r);
        if (result < 0)
            return result;
    }
    return result < 0 ? result : reader_ends_early(r, "----");
}
