/*
 * write.c - see write.h and docs/trace.md.
 *
 * Text is built in a buffer of its own and hashed as it leaves; so a trace that
 * is wanted only for its hash costs no file.
 */
#include "trace/write.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "problems/election.h"

enum { BUFFER_SIZE = 1 << 16, LINE_MAX_SIZE = 512 };

struct trace_writer {
    FILE *file;
    const struct fc_protocol *protocol;
    const struct net *net;
    const struct net_names *names;
    struct trace_head head;
    uint64_t seed;
    XXH64_state_t hash;
    bool hashing;
    bool open;        /* a line has begun */
    uint32_t stepped; /* nodes whose step has been written */
    size_t used;
    char buffer[BUFFER_SIZE];
};

struct trace_writer *trace_writer_new(FILE *file)
{
    struct trace_writer *t = calloc(1, sizeof *t);

    if (t)
        t->file = file;
    return t;
}

void trace_writer_free(struct trace_writer *t)
{
    free(t);
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
static void put(struct trace_writer *t, const char *text)
{
    for (size_t length = strlen(text), part; length > 0; length -= part) {
        if (t->used == BUFFER_SIZE)
            flush(t);
        part = BUFFER_SIZE - t->used < length ? BUFFER_SIZE - t->used : length;
        memcpy(t->buffer + t->used, text, part);
        t->used += part;
        text += part;
    }
}

/* A number after a word.  Every event has several: printf() would take as long
 * as the simulation. */
static void put_number(struct trace_writer *t, const char *word,
                       uint64_t number)
{
    char digits[21], *first = digits + sizeof digits - 1;

    *first = 0;
    do
        *--first = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    put(t, word);
    put(t, first);
}

/* ---- Head ---------------------------------------------------------------- */

void trace_write_head(struct trace_writer *t, const struct trace_head *head)
{
    t->head = *head;
}

void trace_write_begin(struct trace_writer *t, const struct net *net,
                       const struct net_names *names, uint64_t seed)
{
    static const char *const times[] = {"sync", "archimedean", "async"};
    static const char *const topologies[] = {"ring", "ring-both", "complete",
                                             "tree"};
    const struct fc_bounds *b = &net->world.bounds;

    t->net = net;
    t->protocol = net->protocol;
    t->names = names;
    t->seed = seed;
    t->hashing = t->open = false;
    t->used = 0;
    t->stepped = 0;
    say(t, "fulcrum-trace 1\nprotocol %s\nproblem %s\ntopology %s\n",
        t->protocol->name, t->protocol->problem->name,
        topologies[t->protocol->topology]);
    say(t, "time %s\n", times[net->time]);
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

void trace_write_step(struct trace_writer *t, uint32_t node, uint64_t ticks,
                      uint64_t phase)
{
    bool changes =
        t->net->time == NET_ASYNC ||
        (t->net->time == NET_ARCHIMEDEAN && t->net->clock == NET_CLOCK_DRIFT);

    if (changes)
        return;
    say(t, "%s%" PRIu64 "+%" PRIu64, node ? "," : "steps ", ticks, phase);
    t->stepped++;
}

void trace_write_body(struct trace_writer *t)
{
    static const char *const meanings[] = {
        [FC_ASKS] = "asks",     [FC_CLAIMS] = "claims",
        [FC_GRANTS] = "grants", [FC_REFUSES] = "refuses",
        [FC_CALLS] = "calls",   [FC_TELLS] = "tells",
        [FC_TOKEN] = "token",   [FC_FRAME] = "frame",
    };
    fc_name winner =
        t->protocol->problem == &election_problem
            ? election_expected((enum election_winner)t->protocol->promise,
                                &t->net->world)
            : FC_NOBODY;

    if (t->stepped)
        put(t, "\n");
    put(t, "set ");
    put(t, t->head.set ? t->head.set : "");
    say(t, "\nseed %" PRIu64 "\ncommand ", t->seed);
    put(t, t->head.command ? t->head.command : "");
    put(t, "\n");
    for (uint32_t k = 1; k < t->protocol->kinds_count; k++) {
        const struct fc_message_kind *kind = &t->protocol->kinds[k];

        say(t, "kind %s %s %s\n", kind->name, meanings[kind->meaning],
            kind->label);
    }
    if (winner != FC_NOBODY)
        say(t, "winner %" PRIu32 "\n", winner);
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

static void begin_line(struct trace_writer *t, uint64_t tick, uint32_t node)
{
    put_number(t, t->open ? "\n" : "", tick);
    put_number(t, " ", called(t, node));
    put(t, " ");
    t->open = true;
}

static void say_message(struct trace_writer *t, uint32_t id, uint32_t kind,
                        const uint64_t *fields, uint32_t count)
{
    put_number(t, "#", id);
    put(t, " ");
    put(t, t->protocol->kinds[kind].name);
    for (uint32_t i = 0; i < count; i++)
        put_number(t, i ? "," : "(", fields[i]);
    if (count)
        put(t, ")");
}

void trace_write_command(struct trace_writer *t, uint64_t tick, uint32_t node,
                         uint8_t command)
{
    begin_line(t, tick, node);
    put(t, t->protocol->problem->commands[command]);
}

void trace_write_stopped(struct trace_writer *t, uint64_t tick, uint32_t node)
{
    begin_line(t, tick, node);
    put(t, "stopped; is idle");
}

void trace_write_start(struct trace_writer *t, uint64_t tick, uint32_t node)
{
    begin_line(t, tick, node);
    put(t, "wake");
}

void trace_write_timeout(struct trace_writer *t, uint64_t tick, uint32_t node,
                         uint32_t timer)
{
    begin_line(t, tick, node);
    put_number(t, "timeout ", timer);
}

void trace_write_read(struct trace_writer *t, uint64_t tick, uint32_t node,
                      bool missed, uint32_t id, uint32_t kind,
                      const uint64_t *fields, uint32_t count)
{
    begin_line(t, tick, node);
    put(t, missed ? "misses " : "read ");
    say_message(t, id, kind, fields, count);
}

void trace_write_fault(struct trace_writer *t, uint64_t tick, uint32_t node,
                       enum net_fault_kind kind, uint64_t ticks)
{
    static const char *const words[] = {
        [NET_FAULT_CRASH] = "crash",
        [NET_FAULT_RESTART] = "restart",
        [NET_FAULT_RESTART_BLANK] = "restart, blank",
        [NET_FAULT_PAUSE] = "pause",
        [NET_FAULT_CUT] = "cut",
        [NET_FAULT_JOINED] = "joined",
    };

    begin_line(t, tick, node);
    put(t, words[kind]);
    if (kind == NET_FAULT_PAUSE)
        put_number(t, " ", ticks);
}

/* ---- Effects ------------------------------------------------------------- */

void trace_write_send(struct trace_writer *t, uint32_t id, uint32_t kind,
                      const uint64_t *fields, uint32_t count, uint32_t to,
                      uint64_t arrives, bool copy)
{
    put(t, "; send ");
    say_message(t, id, kind, fields, count);
    put_number(t, " to ", called(t, to));
    if (arrives == FC_NEVER) {
        put(t, " lost");
        return;
    }
    put_number(t, " arrives ", arrives);
    if (copy)
        put(t, ", copy");
}

void trace_write_choice(struct trace_writer *t, uint32_t value, uint32_t range)
{
    if (range == 1)
        return; /* no choice: the step only goes on */
    put_number(t, "; chooses ", value);
    put_number(t, " of ", range);
}

void trace_write_notes(struct trace_writer *t, uint32_t notes)
{
    if (notes & FC_NOTE_DIES)
        put(t, "; dies");
    if (notes & FC_NOTE_SILENT)
        put(t, "; silent");
}

void trace_write_arm(struct trace_writer *t, uint32_t timer, uint64_t steps)
{
    put_number(t, "; arm ", timer);
    if (steps == FC_NEVER)
        put(t, " never");
    else
        put_number(t, " ", steps);
}

void trace_write_stop(struct trace_writer *t, uint32_t timer)
{
    put_number(t, "; stop ", timer);
}

void trace_write_view(struct trace_writer *t, const struct fc_shown *before,
                      const struct fc_shown *after)
{
    if (before->role != after->role || before->rests != after->rests) {
        put(t, "; is ");
        put(t, after->role);
        put(t, after->rests ? ", rests" : "");
        put(t, after->shared ? ", shared" : "");
    }
    for (uint32_t i = 0; i < FC_FACTS_MAX; i++)
        if (after->fact[i].number &&
            before->fact[i].number != after->fact[i].number) {
            put(t, "; ");
            put(t, after->fact[i].word);
            put_number(t, " ", after->fact[i].number);
        }
}

void trace_write_broken(struct trace_writer *t, uint32_t properties)
{
    const struct fc_protocol *p = t->protocol;

    for (uint32_t i = 0; i <= FC_SANE_BIT; i++)
        if (properties >> i & 1)
            say(t, "; violated %s", fc_property(p, i));
}

uint64_t trace_write_end(struct trace_writer *t, uint64_t tick, bool quiet,
                         uint32_t broken)
{
    const struct fc_protocol *p = t->protocol;
    uint64_t hash;

    say(t, "%send %" PRIu64 " %s\n", t->open ? "\n" : "", tick,
        quiet ? "quiet" : "until");
    for (uint32_t i = 0; i <= FC_SANE_BIT; i++)
        if (broken >> i & 1)
            say(t, "violated %s\n", fc_property(p, i));
    flush(t);
    hash = XXH64_digest(&t->hash);
    t->hashing = false;
    say(t, "hash %016" PRIx64 "\n", hash);
    flush(t);
    return hash;
}
