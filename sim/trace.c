/*
 * trace.c - see trace.h and docs/trace.md.
 *
 * Text is built in a buffer of its own and hashed as it leaves; so a trace
 * that is only wanted for its hash costs no file.
 */
#include "sim/trace.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "problems/election.h"

enum { BUFFER_SIZE = 1 << 16, LINE_MAX_SIZE = 512 };

struct sim_trace {
    FILE *file;
    const struct fc_protocol *protocol;
    const struct sim_setup *setup;
    const struct sim_names *names;
    struct sim_trace_head head;
    uint64_t seed;
    XXH64_state_t hash;
    bool hashing;
    bool open;        /* a line has begun */
    uint32_t stepped; /* nodes whose step has been written */
    size_t used;
    char buffer[BUFFER_SIZE];
};

struct sim_trace *sim_trace_new(FILE *file)
{
    struct sim_trace *t = calloc(1, sizeof *t);

    if (t)
        t->file = file;
    return t;
}

void sim_trace_free(struct sim_trace *t)
{
    free(t);
}

static void flush(struct sim_trace *t)
{
    if (t->hashing)
        XXH64_update(&t->hash, t->buffer, t->used);
    if (t->file)
        (void)fwrite(t->buffer, 1, t->used, t->file); /* ferror() tells */
    t->used = 0;
}

static void say(struct sim_trace *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void say(struct sim_trace *t, const char *format, ...)
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
static void say_text(struct sim_trace *t, const char *text)
{
    for (size_t length = strlen(text); length > 0;) {
        size_t part = length < LINE_MAX_SIZE / 2 ? length : LINE_MAX_SIZE / 2;

        say(t, "%.*s", (int)part, text);
        text += part;
        length -= part;
    }
}

/* ---- Head ---------------------------------------------------------------- */

void sim_trace_head(struct sim_trace *t, const struct sim_trace_head *head)
{
    t->head = *head;
}

void sim_trace_begin(struct sim_trace *t, const struct sim_setup *setup,
                     const struct sim_names *names, uint64_t seed)
{
    static const char *const times[] = {"sync", "archimedean", "async"};
    static const char *const topologies[] = {"ring", "ring-both", "complete",
                                             "tree"};
    const struct fc_bounds *b = &setup->world.bounds;

    t->setup = setup;
    t->protocol = setup->type->protocol;
    t->names = names;
    t->seed = seed;
    t->hashing = t->open = false;
    t->used = 0;
    t->stepped = 0;
    say(t, "fulcrum-trace 1\nprotocol %s\nproblem %s\ntopology %s\n",
        t->protocol->name, t->protocol->problem->name,
        topologies[t->protocol->topology]);
    say(t, "time %s\n", times[setup->time]);
    say(t, "bounds %" PRIu64 ":%" PRIu64 ":%" PRIu64 ":%" PRIu64 "\n", b->rmin,
        b->rmax, b->dmin, b->dmax);
    if (setup->world.returns)
        say(t, "returns yes\n");
    say(t, "nodes %" PRIu32 "\n", setup->world.nodes);
    for (uint32_t i = 0; i < setup->world.nodes && !t->protocol->anonymous; i++)
        say(t, "%s%" PRIu32, i ? "," : "names ", sim_name(names, i));
    if (!t->protocol->anonymous)
        say(t, "\n");
}

void sim_trace_step(struct sim_trace *t, uint32_t node, uint64_t ticks,
                    uint64_t phase)
{
    bool changes =
        t->setup->time == SIM_ASYNC || (t->setup->time == SIM_ARCHIMEDEAN &&
                                        t->setup->clock == SIM_CLOCK_DRIFT);

    if (changes)
        return;
    say(t, "%s%" PRIu64 "+%" PRIu64, node ? "," : "steps ", ticks, phase);
    t->stepped++;
}

void sim_trace_body(struct sim_trace *t)
{
    static const char *const meanings[] = {
        [FC_ASKS] = "asks",     [FC_CLAIMS] = "claims",
        [FC_GRANTS] = "grants", [FC_REFUSES] = "refuses",
        [FC_CALLS] = "calls",   [FC_TELLS] = "tells",
        [FC_TOKEN] = "token",   [FC_FRAME] = "frame",
    };
    fc_name winner =
        t->protocol->problem == &election_problem
            ? election_expected((enum election_winner)t->protocol->winner,
                                &t->setup->world)
            : FC_NOBODY;

    if (t->stepped)
        say(t, "\n");
    say(t, "set ");
    say_text(t, t->head.set ? t->head.set : "");
    say(t, "\nseed %" PRIu64 "\ncommand ", t->seed);
    say_text(t, t->head.command ? t->head.command : "");
    say(t, "\n");
    for (uint32_t k = 1; k < t->protocol->kinds_count; k++) {
        const struct fc_message_kind *kind = &t->protocol->kinds[k];

        say(t, "kind %s %s %s\n", kind->name, meanings[kind->meaning],
            kind->label);
    }
    if (winner != FC_NOBODY)
        say(t, "winner %" PRIu32 "\n", winner);
    say(t, "----\n");
    flush(t);
    XXH64_reset(&t->hash, 0);
    t->hashing = true;
}

/* ---- Events -------------------------------------------------------------- */

/* How a trace calls a node: its name; its index where it has none. */
static uint32_t called(const struct sim_trace *t, uint32_t node)
{
    return t->protocol->anonymous ? node : sim_name(t->names, node);
}

static void begin_line(struct sim_trace *t, uint64_t tick, uint32_t node)
{
    say(t, "%s%" PRIu64 " %" PRIu32 " ", t->open ? "\n" : "", tick,
        called(t, node));
    t->open = true;
}

static void say_message(struct sim_trace *t, uint32_t id, uint32_t kind,
                        const uint64_t *fields, uint32_t count)
{
    say(t, "#%" PRIu32 " %s", id, t->protocol->kinds[kind].name);
    for (uint32_t i = 0; i < count; i++)
        say(t, "%s%" PRIu64, i ? "," : "(", fields[i]);
    if (count)
        say(t, ")");
}

void sim_trace_command(struct sim_trace *t, uint64_t tick, uint32_t node,
                       uint8_t command)
{
    begin_line(t, tick, node);
    say(t, "%s", t->protocol->problem->commands[command]);
}

void sim_trace_stopped(struct sim_trace *t, uint64_t tick, uint32_t node)
{
    begin_line(t, tick, node);
    say(t, "stopped; is idle");
}

void sim_trace_start(struct sim_trace *t, uint64_t tick, uint32_t node)
{
    begin_line(t, tick, node);
    say(t, "wake");
}

void sim_trace_timeout(struct sim_trace *t, uint64_t tick, uint32_t node,
                       uint32_t timer)
{
    begin_line(t, tick, node);
    say(t, "timeout %" PRIu32, timer);
}

void sim_trace_read(struct sim_trace *t, uint64_t tick, uint32_t node,
                    uint32_t id, uint32_t kind, const uint64_t *fields,
                    uint32_t count)
{
    begin_line(t, tick, node);
    say(t, "read ");
    say_message(t, id, kind, fields, count);
}

void sim_trace_misses(struct sim_trace *t, uint64_t tick, uint32_t node,
                      uint32_t id, uint32_t kind, const uint64_t *fields,
                      uint32_t count)
{
    begin_line(t, tick, node);
    say(t, "misses ");
    say_message(t, id, kind, fields, count);
}

void sim_trace_fault(struct sim_trace *t, uint64_t tick,
                     const struct sim_fault *fault)
{
    static const char *const words[] = {
        [SIM_FAULT_CRASH] = "crash",
        [SIM_FAULT_RESTART] = "restart",
        [SIM_FAULT_RESTART_BLANK] = "restart, blank",
        [SIM_FAULT_PAUSE] = "pause",
        [SIM_FAULT_CUT] = "cut",
        [SIM_FAULT_JOINED] = "joined",
    };

    begin_line(t, tick, fault->node);
    say(t, "%s", words[fault->kind]);
    if (fault->kind == SIM_FAULT_PAUSE)
        say(t, " %" PRIu64, fault->ticks);
}

/* ---- Effects ------------------------------------------------------------- */

void sim_trace_send(struct sim_trace *t, uint32_t id, uint32_t kind,
                    const uint64_t *fields, uint32_t count, uint32_t to,
                    uint64_t arrives, bool copy)
{
    say(t, "; send ");
    say_message(t, id, kind, fields, count);
    say(t, " to %" PRIu32, called(t, to));
    if (arrives == FC_NEVER)
        say(t, " lost");
    else
        say(t, " arrives %" PRIu64 "%s", arrives, copy ? ", copy" : "");
}

void sim_trace_choice(struct sim_trace *t, uint32_t value, uint32_t range)
{
    if (range == 1)
        return; /* no choice: the step only goes on */
    say(t, "; chooses %" PRIu32 " of %" PRIu32, value, range);
}

void sim_trace_notes(struct sim_trace *t, uint32_t notes)
{
    if (notes & FC_NOTE_DIES)
        say(t, "; dies");
    if (notes & FC_NOTE_SILENT)
        say(t, "; silent");
}

void sim_trace_arm(struct sim_trace *t, uint32_t timer, uint64_t steps)
{
    if (steps == FC_NEVER)
        say(t, "; arm %" PRIu32 " never", timer);
    else
        say(t, "; arm %" PRIu32 " %" PRIu64, timer, steps);
}

void sim_trace_stop(struct sim_trace *t, uint32_t timer)
{
    say(t, "; stop %" PRIu32, timer);
}

void sim_trace_view(struct sim_trace *t, const struct fc_shown *before,
                    const struct fc_shown *after)
{
    if (before->role != after->role || before->rests != after->rests)
        say(t, "; is %s%s%s", after->role, after->rests ? ", rests" : "",
            after->shared ? ", shared" : "");
    if (after->answer && before->answer != after->answer)
        say(t, "; answers %" PRIu64, after->answer);
    if (after->leader && before->leader != after->leader)
        say(t, "; knows %" PRIu64, after->leader);
    if (after->token && before->token != after->token)
        say(t, "; token %" PRIu64, after->token);
}

void sim_trace_broken(struct sim_trace *t, uint32_t properties)
{
    const struct fc_problem *p = t->protocol->problem;

    for (uint32_t i = 0; i < p->properties_count; i++)
        if (properties & 1u << i)
            say(t, "; violated %s", p->properties[i]);
}

uint64_t sim_trace_end(struct sim_trace *t, uint64_t tick, bool quiet,
                       uint32_t broken)
{
    const struct fc_problem *p = t->protocol->problem;
    uint64_t hash;

    say(t, "%send %" PRIu64 " %s\n", t->open ? "\n" : "", tick,
        quiet ? "quiet" : "until");
    for (uint32_t i = 0; i < p->properties_count; i++)
        if (broken & 1u << i)
            say(t, "violated %s\n", p->properties[i]);
    flush(t);
    hash = XXH64_digest(&t->hash);
    t->hashing = false;
    say(t, "hash %016" PRIx64 "\n", hash);
    flush(t);
    return hash;
}
