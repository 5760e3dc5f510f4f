/*
 * write.c - see write.h and docs/trace.md.
 *
 * Text is built in a buffer of its own and hashed as it leaves; so a trace that
 * is wanted only for its hash costs no file.
 */
#include "trace/write.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "net/asked.h"
#include "net/names.h"
#include "problems/problem.h"
#include "trace/head.h"

enum { BUFFER_SIZE = 1 << 16, LINE_MAX_SIZE = 512 };

struct trace_writer {
    struct trace_listener listener;
    FILE *file;
    const struct net *net;
    const struct net_names *names;
    const char *set, *command;
    uint64_t seed;
    XXH64_state_t hash;
    bool hashing;
    bool open;        /* a line has begun */
    uint32_t stepped; /* nodes whose step has been written */
    size_t used;
    char buffer[BUFFER_SIZE];
};

static const struct trace_callbacks callbacks;

static struct trace_writer *writer(struct trace_listener *l)
{
    assert(l->callbacks == &callbacks);
    return (struct trace_writer *)(void *)l;
}

struct trace_listener *trace_writer_new(FILE *file)
{
    struct trace_writer *t = calloc(1, sizeof *t);

    if (!t)
        return NULL;
    t->listener.callbacks = &callbacks;
    t->file = file;
    return &t->listener;
}

void trace_writer_free(struct trace_listener *l)
{
    free(l);
}

static void flush(struct trace_writer *t)
{
    if (t->hashing)
        XXH64_update(&t->hash, t->buffer, t->used);
    if (t->file)
        (void)fwrite(t->buffer, 1, t->used, t->file); /* ferror() tells */
    t->used = 0;
}

static void say(struct trace_writer *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void say(struct trace_writer *t, const char *format, ...)
{
    va_list arguments;
    int length;

    if (BUFFER_SIZE - t->used < LINE_MAX_SIZE)
        flush(t);
    va_start(arguments, format);
    length = vsnprintf(t->buffer + t->used, LINE_MAX_SIZE, format, arguments);
    va_end(arguments);
    if (length > 0)
        t->used +=
            (size_t)length < LINE_MAX_SIZE ? (size_t)length : LINE_MAX_SIZE - 1;
}

/* Text of any length, as it is. */
static void put_text(struct trace_writer *t, const char *text, size_t length)
{
    for (size_t part; length > 0; length -= part) {
        if (t->used == BUFFER_SIZE)
            flush(t);
        part = BUFFER_SIZE - t->used < length ? BUFFER_SIZE - t->used : length;
        memcpy(t->buffer + t->used, text, part);
        t->used += part;
        text += part;
    }
}

/* Most words are constant, and so is their length. */
static inline void put(struct trace_writer *t, const char *text)
{
    put_text(t, text, strlen(text));
}

/* Every event has several numbers: printf() would take as long as the
 * simulation. */
static void put_digits(struct trace_writer *t, uint64_t number)
{
    char digits[20], *end = digits + sizeof digits, *first = end;

    do
        *--first = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    put_text(t, first, (size_t)(end - first));
}

/* A number after a word. */
static inline void put_number(struct trace_writer *t, const char *word,
                              uint64_t number)
{
    put(t, word);
    put_digits(t, number);
}

/* ---- Head ---------------------------------------------------------------- */

void trace_write_head(struct trace_listener *l, const char *set,
                      const char *command)
{
    writer(l)->set = set;
    writer(l)->command = command;
}

static void begin(struct trace_listener *l, const struct net *net,
                  const struct net_names *names, uint64_t seed)
{
    struct trace_writer *t = writer(l);
    const struct fc_protocol *p = l->protocol;
    const struct fc_bounds *b = &net->world.bounds;

    t->net = net;
    t->names = names;
    t->seed = seed;
    t->hashing = t->open = false;
    t->used = 0;
    t->stepped = 0;
    say(t, "fulcrum-trace 1\nprotocol %s\nproblem %s\ntopology %s\n", p->name,
        p->problem->name, trace_topology_words[p->topology]);
    say(t, "time %s\n", net_time_words[net->time]);
    say(t, "bounds %" PRIu64 ":%" PRIu64 ":%" PRIu64 ":%" PRIu64 "\n", b->rmin,
        b->rmax, b->dmin, b->dmax);
    if (net->world.returns)
        put(t, "returns yes\n");
    say(t, "nodes %" PRIu32 "\n", net->world.nodes);
    for (uint32_t i = 0; i < net->world.nodes && !net_nameless(net); i++)
        say(t, "%s%" PRIu32, i ? "," : "names ", net_name(names, i));
    if (!net_nameless(net))
        put(t, "\n");
}

static void step(struct trace_listener *l, uint32_t node, uint64_t ticks,
                 uint64_t phase)
{
    struct trace_writer *t = writer(l);

    if (!trace_steps_stay(t->net))
        return;
    say(t, "%s%" PRIu64 "+%" PRIu64, node ? "," : "steps ", ticks, phase);
    t->stepped++;
}

/* The words of a problem that the format does not have. */
static void own_words(struct trace_writer *t,
                      const struct fc_protocol *protocol)
{
    const struct fc_problem *problem = protocol->problem;

    for (const struct fc_own_role *own = problem->roles; own && own->word;
         own++)
        say(t, "role %s %s\n", own->word, own->like);
    if (problem->roles && problem->first)
        say(t, "first %s\n", problem->first);
    for (const char *const *fact = problem->facts; fact && *fact; fact++)
        say(t, "fact %s\n", *fact);
    for (uint32_t i = 0; i < problem->commands_count; i++)
        if (trace_asked(problem->commands[i]) == TRACE_ASKED)
            say(t, "asks %s\n", problem->commands[i]);
    for (uint32_t i = 0; protocol->change && i < FC_LISTS_MAX; i++)
        say(t, "asks %s\n",
            fc_command_word(protocol, (uint8_t)(protocol->change + i)));
}

static void body(struct trace_listener *l)
{
    struct trace_writer *t = writer(l);
    const struct fc_protocol *p = l->protocol;
    fc_name winner = p->problem->expected
                         ? p->problem->expected(p, &t->net->world)
                         : FC_NOBODY;

    if (t->stepped)
        put(t, "\n");
    put(t, "set ");
    put(t, t->set ? t->set : "");
    say(t, "\nseed %" PRIu64 "\ncommand ", t->seed);
    put(t, t->command ? t->command : "");
    put(t, "\n");
    for (uint32_t k = 1; k < p->kinds_count; k++) {
        const struct fc_message_kind *kind = &p->kinds[k];

        say(t, "kind %s %s %s\n", kind->name,
            trace_meaning_words[kind->meaning], kind->label);
    }
    for (uint32_t k = 1; p->numbers && k < p->kinds_count; k++)
        if (p->numbers[k])
            say(t, "numbers %s %s\n", p->kinds[k].name, p->numbers[k]);
    if (winner != FC_NOBODY)
        say(t, "winner %" PRIu32 "\n", winner);
    own_words(t, p);
    put(t, "----\n");
    flush(t);
    XXH64_reset(&t->hash, 0);
    t->hashing = true;
}

/* ---- Events -------------------------------------------------------------- */

/* What a trace calls a node: its name; its index where that does not tell. */
static uint32_t called(const struct trace_writer *t, uint32_t node)
{
    return net_nameless(t->net) ? node : net_name(t->names, node);
}

static void say_message(struct trace_writer *t,
                        const struct trace_content *content)
{
    put_number(t, "#", content->id);
    put(t, " ");
    put(t, t->listener.protocol->kinds[content->kind].name);
    for (uint32_t i = 0; i < content->count; i++)
        put_number(t, i ? "," : "(", content->fields[i]);
    if (content->count)
        put(t, ")");
}

static void event(struct trace_listener *l, const struct trace_happening *h)
{
    struct trace_writer *t = writer(l);

    put_number(t, t->open ? "\n" : "", h->tick);
    put_number(t, " ", called(t, h->node));
    put(t, " ");
    put(t, h->word);
    t->open = true;
    if (h->what == TRACE_READ || h->what == TRACE_MISSES) {
        put(t, " ");
        say_message(t, &h->content);
    } else if (h->what == TRACE_TIMEOUT) {
        put_number(t, " ", h->timer);
    } else if (h->what == TRACE_PAUSE) {
        put_number(t, " ", h->ticks);
    }
}

/* ---- Effects ------------------------------------------------------------- */

static void send(struct trace_listener *l, const struct trace_content *content,
                 uint32_t to, uint64_t arrives, bool copy)
{
    struct trace_writer *t = writer(l);

    put(t, "; send ");
    say_message(t, content);
    put_number(t, " to ", called(t, to));
    if (arrives == FC_NEVER) {
        put(t, " lost");
        return;
    }
    put_number(t, " arrives ", arrives);
    if (copy)
        put(t, ", copy");
}

static void choice(struct trace_listener *l, uint32_t value, uint32_t range)
{
    put_number(writer(l), "; chooses ", value);
    put_number(writer(l), " of ", range);
}

static void notes(struct trace_listener *l, uint32_t bits)
{
    if (bits & FC_NOTE_DIES)
        put(writer(l), "; dies");
    if (bits & FC_NOTE_SILENT)
        put(writer(l), "; silent");
}

static void arm(struct trace_listener *l, uint32_t timer, uint64_t steps)
{
    struct trace_writer *t = writer(l);

    put_number(t, "; arm ", timer);
    if (steps == FC_NEVER)
        put(t, " never");
    else
        put_number(t, " ", steps);
}

static void stop(struct trace_listener *l, uint32_t timer)
{
    put_number(writer(l), "; stop ", timer);
}

static void turn(struct trace_listener *l, const struct fc_shown *after)
{
    struct trace_writer *t = writer(l);

    put(t, "; is ");
    put(t, after->role);
    put(t, after->rests ? ", rests" : "");
    put(t, after->shared ? ", shared" : "");
}

static void fact(struct trace_listener *l, const struct fc_fact *known)
{
    struct trace_writer *t = writer(l);

    put(t, "; ");
    put(t, known->word);
    put_number(t, " ", known->number);
}

static void broken(struct trace_listener *l, uint32_t properties)
{
    struct trace_writer *t = writer(l);

    for (uint32_t i = 0; i <= FC_SANE_BIT; i++)
        if (properties >> i & 1)
            say(t, "; violated %s",
                net_property_name(l->protocol, l->asked, i));
}

static uint64_t end(struct trace_listener *l, uint64_t tick, bool quiet,
                    uint32_t properties)
{
    struct trace_writer *t = writer(l);
    uint64_t hash;

    say(t, "%send %" PRIu64 " %s\n", t->open ? "\n" : "", tick,
        quiet ? "quiet" : "until");
    for (uint32_t i = 0; i <= FC_SANE_BIT; i++)
        if (properties >> i & 1)
            say(t, "violated %s\n",
                net_property_name(l->protocol, l->asked, i));
    flush(t);
    hash = XXH64_digest(&t->hash);
    t->hashing = false;
    say(t, "hash %016" PRIx64 "\n", hash);
    flush(t);
    return hash;
}

static const struct trace_callbacks callbacks = {
    .begin = begin,
    .step = step,
    .body = body,
    .event = event,
    .send = send,
    .choice = choice,
    .arm = arm,
    .stop = stop,
    .notes = notes,
    .turn = turn,
    .fact = fact,
    .broken = broken,
    .end = end,
};
