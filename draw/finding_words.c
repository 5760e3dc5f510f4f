/*
 * finding_words.c - what a run shows, in words; see finding.h.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "draw/finding.h"
#include "draw/svg/pen.h"

/* Adds to a title. */
#define say(out, ...) pen_add(out, FINDING_TITLE_SIZE, __VA_ARGS__)

void finding_number(uint64_t number, char out[40])
{
    char digits[24];
    int count = snprintf(digits, sizeof digits, "%" PRIu64, number);
    size_t used = 0;

    for (int i = 0; i < count; i++) {
        if (count > 4 && i > 0 && (count - i) % 3 == 0) {
            memcpy(out + used, "\u00a0", 2);
            used += 2;
        }
        out[used++] = digits[i];
    }
    out[used] = '\0';
}

void finding_when(const struct trace *t, uint64_t tick,
                  char out[FINDING_WHEN_SIZE])
{
    char number[40];

    finding_number(tick, number);
    snprintf(out, FINDING_WHEN_SIZE, "%s%s",
             finding_untimed(t) ? "step " : "t = ", number);
}

/* A word as long as there is one, then digits. */
static void add_count(char *out, size_t size, uint64_t count)
{
    static const char *const words[] = {
        "No", "One", "Two", "Three", "Four", "Five", "Six",
    };

    if (count < sizeof words / sizeof words[0])
        pen_add(out, size, "%s", words[count]);
    else
        pen_add(out, size, "%" PRIu64, count);
}

void finding_node(const struct trace *t, uint32_t lane,
                  char out[FINDING_NODE_SIZE])
{
    snprintf(out, FINDING_NODE_SIZE, "%s%" PRIu32,
             t->head.names != NULL ? "" : "position ",
             trace_name(&t->head, lane));
}

/* ---- What went wrong ----------------------------------------------------- */

/* "1, 2 and 3" */
static void add_offenders(const struct finding *f, const struct trace *t,
                          char out[FINDING_TITLE_SIZE])
{
    if (t->head.names == NULL)
        say(out, f->offenders_count == 1 ? "position " : "positions ");
    for (uint32_t i = 0; i < f->offenders_count; i++)
        say(out, "%s%" PRIu32,
            i == 0                       ? ""
            : i + 1 < f->offenders_count ? ", "
                                         : " and ",
            trace_name(&t->head, f->offenders[i]));
}

/* "Two leaders at t = 9: 1 and 2" */
static void together_title(const struct finding *f, const struct trace *t,
                           const char *tick, char out[FINDING_TITLE_SIZE])
{
    uint32_t more = f->overlaps_count > 0 ? f->overlaps_count - 1 : 0;

    add_count(out, FINDING_TITLE_SIZE, f->together);
    say(out, " %s at %s", f->blame == BLAME_LEADERS ? "leaders" : "inside",
        tick);
    if (f->together <= 4) {
        say(out, ": ");
        add_offenders(f, t, out);
    }
    if (f->readers > 0)
        say(out, ", %" PRIu32 " of them to read", f->readers);
    if (more == 1)
        say(out, "; once more later");
    else if (more > 1)
        say(out, "; %" PRIu32 " times more later", more);
}

static void waiting_title(const struct finding *f, const struct trace *t,
                          const char *tick, char out[FINDING_TITLE_SIZE])
{
    if (f->together <= 4)
        add_offenders(f, t, out);
    else
        say(out, "%" PRIu32 " %ss", f->together, problem_of(t)->one);
    say(out, " still wait%s when nothing is left to do, at %s",
        f->together == 1 ? "s" : "", tick);
}

static void bad_tokens_title(const struct finding *f, const struct trace *t,
                             const char *tick, char out[FINDING_TITLE_SIZE])
{
    char since[FINDING_WHEN_SIZE];

    if (f->tokens != 1) {
        add_count(out, FINDING_TITLE_SIZE, (uint64_t)f->tokens);
        say(out, " token%s at %s, when the run ends", f->tokens == 0 ? "" : "s",
            tick);
        return;
    }
    finding_when(t, f->one_since, since);
    say(out, "One token only from %s on, and the run ends at %s", since, tick);
}

static void property_title(const struct finding *f, const struct trace *t,
                           const char *tick, char out[FINDING_TITLE_SIZE])
{
    const struct property *property = property_of(f->broken);

    if (f->counts_flying && strcmp(f->broken, "one-token") == 0)
        bad_tokens_title(f, t, tick, out);
    else if (property != NULL && property->does != NULL &&
             f->offenders_count == 1) {
        add_offenders(f, t, out);
        say(out, " %s, at %s", property->does, tick);
    } else if (property != NULL && property->state != NULL)
        say(out, "%s%s %s", property->state,
            f->bad->event == TRACE_NONE && t->quiet
                ? "; nothing is left to do after"
                : " at",
            tick);
    else
        say(out, "%s is violated %sat %s", f->broken,
            f->bad->event == TRACE_NONE ? "when the run ends " : "", tick);
    out[0] = (char)toupper((unsigned char)out[0]);
}

static void bad_title(const struct finding *f, const struct trace *t,
                      const char *tick, char out[FINDING_TITLE_SIZE])
{
    if (f->together == 0)
        property_title(f, t, tick, out);
    else if (f->blame == BLAME_WAITING)
        waiting_title(f, t, tick, out);
    else
        together_title(f, t, tick, out);
}

/* Words of the flag; capitals are for the caller. */
static void flag_words(const struct finding *f, char out[FINDING_FLAG_SIZE])
{
    const struct property *property = property_of(f->broken);

    if (f->together > 0) {
        add_count(out, FINDING_FLAG_SIZE, f->together);
        pen_add(out, FINDING_FLAG_SIZE,
                f->blame == BLAME_LEADERS  ? " leaders"
                : f->blame == BLAME_INSIDE ? " inside"
                                           : " left waiting");
    } else if (f->counts_flying && strcmp(f->broken, "one-token") == 0) {
        add_count(out, FINDING_FLAG_SIZE, (uint64_t)f->tokens);
        pen_add(out, FINDING_FLAG_SIZE,
                f->tokens == 0   ? " token"
                : f->tokens == 1 ? " too late"
                                 : " tokens");
    } else if (property != NULL && property->flag != NULL) {
        pen_add(out, FINDING_FLAG_SIZE, "%s", property->flag);
    } else {
        pen_add(out, FINDING_FLAG_SIZE, "%.40s broken", f->broken);
    }
}

void finding_flag(const struct finding *f, char out[FINDING_FLAG_SIZE])
{
    out[0] = '\0';
    if (f->bad == NULL)
        return;
    flag_words(f, out);
    for (char *c = out; *c != '\0'; c++) {
        if (*c == '-')
            *c = ' ';
        else if (*c >= 'a' && *c <= 'z')
            *c = (char)(*c - 'a' + 'A');
    }
}

/* ---- What went well ------------------------------------------------------ */

/* Copies that the network made are not counted: nobody sent them. */
static uint32_t messages_sent(const struct trace *t)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < t->messages_count; i++)
        count += (t->message.flags[i] & TRACE_COPY) == 0;
    return count;
}

/* "48 messages by t = 210", or the other way round: "at t = 210 after 48
 * messages". */
static void add_cost(const struct trace *t, bool time_first,
                     char out[FINDING_TITLE_SIZE])
{
    char end[FINDING_WHEN_SIZE], count[40];
    uint32_t sent = messages_sent(t);
    const char *s = sent == 1 ? "" : "s";

    finding_when(t, t->end_tick, end);
    finding_number(sent, count);
    if (time_first)
        say(out, "%s after %s message%s", end, count, s);
    else
        say(out, "%s message%s by %s", count, s, end);
}

/* Where another node finds out the leader and tells it: which, when. */
static void add_herald(const struct finding *f, const struct trace *t,
                       char out[FINDING_TITLE_SIZE])
{
    char tick[FINDING_WHEN_SIZE], herald[FINDING_NODE_SIZE];

    for (uint32_t i = 0; i < t->messages_count; i++) {
        const struct trace_message one = trace_message_at(t, i), *m = &one;

        if (trace_meaning(t, m) != TRACE_TELLS || m->fields == 0 ||
            t->head.names == NULL ||
            m->field[0] != trace_name(&t->head, f->leader))
            continue;
        if (m->from == f->leader || m->sent >= f->elected)
            return;
        finding_when(t, m->sent, tick);
        finding_node(t, m->from, herald);
        say(out, ", found out by %s at %s", herald, tick);
        return;
    }
}

static void leader_title(const struct finding *f, const struct trace *t,
                         char out[FINDING_TITLE_SIZE])
{
    char tick[FINDING_WHEN_SIZE], leader[FINDING_NODE_SIZE];

    if (f->leader == TRACE_NONE) {
        say(out, "Nobody is elected by ");
    } else {
        finding_when(t, f->elected, tick);
        finding_node(t, f->leader, leader);
        say(out, "%s is elected at %s", leader, tick);
        add_herald(f, t, out);
        say(out, "; %s at ", !t->quiet ? "cut" : "all is over");
    }
    add_cost(t, true, out);
}

/* "3 sites enter 9 times, never two inside; 48 messages by t = 210" */
static void entries_title(const struct finding *f, const struct trace *t,
                          char out[FINDING_TITLE_SIZE])
{
    const char *one = problem_of(t)->one;
    char times[40], reading[40];

    finding_number(f->alone + f->beside, times);
    finding_number(f->beside, reading);
    if (f->entered == 0)
        say(out, "Nobody enters");
    else if (f->entered < t->head.nodes)
        say(out, "%" PRIu32 " of %" PRIu32 " %ss enter%s", f->entered,
            t->head.nodes, one, f->entered == 1 ? "s" : "");
    else
        say(out, "%" PRIu32 " %s%s", f->entered, one,
            f->entered == 1 ? " enters" : "s enter");
    if (f->alone + f->beside == 1)
        say(out, " once");
    else if (f->entered > 0)
        say(out, " %s times", times);
    if (f->beside > 0)
        say(out, ", %s to read", reading);
    if (f->beside > 0 && f->alone > 0 && f->peak <= 1 && !f->mixed)
        say(out, ", nobody beside a writer");
    else if (f->peak > 1)
        say(out, ", at most %" PRIu32 " inside together", f->peak);
    else if (f->beside == 0 && f->entered > 0)
        say(out, ", never two inside");
    say(out, "; ");
    add_cost(t, false, out);
}

static void tokens_title(const struct finding *f, const struct trace *t,
                         char out[FINDING_TITLE_SIZE])
{
    char tick[FINDING_WHEN_SIZE];

    finding_when(t, f->one_since, tick);
    if (f->counts_flying && f->one_since != TRACE_NEVER)
        say(out, "One token from %s on; ", tick);
    add_cost(t, false, out);
}

/* Readers and writers of something that stands no wait. */
static void accesses_title(const struct finding *f, const struct trace *t,
                           char out[FINDING_TITLE_SIZE])
{
    char writes[40], reads[40], end[FINDING_WHEN_SIZE];

    finding_number(f->alone, writes);
    finding_number(f->beside, reads);
    finding_when(t, t->end_tick, end);
    if (f->alone + f->beside > 0)
        say(out, "%s write%s and %s read%s by %s", writes,
            f->alone == 1 ? "" : "s", reads, f->beside == 1 ? "" : "s", end);
    if (f->attempts > 1)
        say(out, "; %" PRIu32 " attempts at most", f->attempts);
    if (f->alone + f->beside == 0)
        add_cost(t, false, out);
}

void finding_title(const struct finding *f, const struct trace *t,
                   char out[FINDING_TITLE_SIZE])
{
    enum finds finds = problem_of(t)->finds;
    char tick[FINDING_WHEN_SIZE];

    out[0] = '\0';
    if (f->bad != NULL) {
        finding_when(t, f->bad->tick, tick);
        bad_title(f, t, tick, out);
    } else if (f->leader != TRACE_NONE || finds == FINDS_LEADER) {
        leader_title(f, t, out);
    } else if (finds == FINDS_ENTRIES) {
        entries_title(f, t, out);
    } else if (finds == FINDS_TOKENS) {
        tokens_title(f, t, out);
    } else {
        accesses_title(f, t, out);
    }
}

/* ---- Below the title ----------------------------------------------------- */

static const char *time_words(const char *time)
{
    return strcmp(time, "sync") == 0          ? "synchronous"
           : strcmp(time, "async") == 0       ? "asynchronous"
           : strcmp(time, "archimedean") == 0 ? "Archimedean time"
                                              : time;
}

/* Whether this was typed: the command has the word. */
static bool in_command(const struct trace *t, const char *word, size_t length)
{
    for (const char *at = t->head.command; (at = strchr(at, ' ')) != NULL;) {
        at++;
        if (strncmp(at, word, length) == 0 &&
            (at[length] == ' ' || at[length] == '\0'))
            return true;
    }
    return false;
}

/* The parameters; of many, those that the command sets. */
static void add_parameters(const struct trace *t, const char *set,
                           char out[FINDING_SUBTITLE_SIZE])
{
    enum { FEW = 120 };
    const char *word = set, *separator = "";
    bool all = strlen(set) <= FEW;

    while (*word != '\0') {
        size_t length = strcspn(word, " ");

        if (length > 0 && (all || in_command(t, word, length))) {
            pen_add(out, FINDING_SUBTITLE_SIZE, "%s%.*s", separator,
                    length < 160 ? (int)length : 160, word);
            separator = " ";
        }
        word += length;
        word += *word == ' ';
    }
    if (*separator != '\0')
        pen_add(out, FINDING_SUBTITLE_SIZE, ", ");
}

static bool is_from_checker(const struct trace *t)
{
    return strncmp(t->head.command, "fulcrum check", 13) == 0;
}

bool finding_untimed(const struct trace *t)
{
    return is_from_checker(t) && strcmp(t->head.time, "async") == 0;
}

/* What went wrong with nodes and messages, counted. */
static void add_faults(const struct trace *t, char out[FINDING_SUBTITLE_SIZE])
{
    enum { CRASH, RESTART, PAUSE, CUT, LOSS, COPY, LATE, FAULTS };
    static const char *const words[FAULTS][2] = {
        {"crash", "crashes"},
        {"restart", "restarts"},
        {"pause", "pauses"},
        {"node cut off", "nodes cut off"},
        {"message lost", "messages lost"},
        {"duplicate", "duplicates"},
        {"message late", "messages late"},
    };
    uint32_t counts[FAULTS] = {0};

    for (uint32_t i = 0; i < t->faults_count; i++) {
        counts[t->faults[i].kind == TRACE_FAULT_DOWN    ? CRASH
               : t->faults[i].kind == TRACE_FAULT_PAUSE ? PAUSE
                                                        : CUT]++;
        counts[RESTART] += t->faults[i].kind == TRACE_FAULT_DOWN &&
                           t->faults[i].to != TRACE_NEVER;
    }
    for (uint32_t i = 0; i < t->messages_count; i++) {
        const struct trace_message one = trace_message_at(t, i), *m = &one;

        counts[LOSS] += (m->flags & TRACE_STRAY) != 0;
        counts[COPY] += (m->flags & TRACE_COPY) != 0;
        counts[LATE] += trace_late_from(t, m) != TRACE_NEVER;
    }
    for (unsigned i = 0; i < FAULTS; i++)
        if (counts[i] > 0)
            pen_add(out, FINDING_SUBTITLE_SIZE, ", %" PRIu32 " %s", counts[i],
                    words[i][counts[i] > 1]);
}

void finding_subtitle(const struct trace *t, const char *set,
                      char out[FINDING_SUBTITLE_SIZE])
{
    static const char *const shapes[TRACE_TOPOLOGIES] = {
        "ring",
        "ring, both ways",
        "complete graph",
        "tree",
    };
    char count[40];

    out[0] = '\0';
    finding_number(t->head.nodes, count);
    pen_add(out, FINDING_SUBTITLE_SIZE, "%.60s, ", t->head.protocol);
    add_parameters(t, set, out);
    pen_add(out, FINDING_SUBTITLE_SIZE, "%s %s%s, %s, %.40s", count,
            problem_of(t)->one, t->head.nodes == 1 ? "" : "s",
            shapes[t->head.topology], time_words(t->head.time));
    if (t->head.seeded && !is_from_checker(t))
        pen_add(out, FINDING_SUBTITLE_SIZE, ", seed %" PRIu64, t->head.seed);
    add_faults(t, out);
}

static void add_subscript(char *out, uint64_t number)
{
    char digits[24];

    snprintf(digits, sizeof digits, "%" PRIu64, number);
    for (const char *d = digits; *d != '\0'; d++)
        pen_add(out, FINDING_LABEL_SIZE, "\xe2\x82%c", 0x80 + (*d - '0'));
}

/* A list of which only the beginning is written. */
static bool is_cut(const struct trace *t, const struct trace_message *m)
{
    const char *numbers = t->head.kinds[m->kind].numbers;

    return numbers != NULL && strstr(numbers, "\u2026") != NULL &&
           m->fields == TRACE_FIELDS_MAX && t->head.nodes > TRACE_FIELDS_MAX;
}

void finding_label(const struct trace *t, const struct trace_message *m,
                   bool ascii, char out[FINDING_LABEL_SIZE])
{
    const char *label = t->head.kinds[m->kind].label;

    out[0] = '\0';
    pen_add(out, FINDING_LABEL_SIZE, "%.40s", label);
    if (m->fields == 1 && strlen(label) <= 3 && !ascii) {
        add_subscript(out, m->field[0]);
        return;
    }
    for (uint8_t i = 0; i < m->fields; i++)
        pen_add(out, FINDING_LABEL_SIZE, "%c%" PRIu64, i == 0 ? '(' : ',',
                m->field[i]);
    if (m->fields > 0)
        pen_add(out, FINDING_LABEL_SIZE, "%s)",
                !is_cut(t, m) ? ""
                : ascii       ? ",..."
                              : ",\u2026");
}

bool finding_nothing(const struct trace *t, uint64_t from, struct net_why *why)
{
    return net_refuse(why,
                      "there is nothing to draw from tick %" PRIu64
                      " on, the run ends at %" PRIu64
                      "; choose --from and --to inside it",
                      from, t->end_tick);
}
