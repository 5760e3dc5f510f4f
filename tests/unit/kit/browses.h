/*
 * browses.h - what the tests of the graph of states by hand share: a row as a
 * graph, walks through it, and runs that are written down and read again.
 */
#ifndef BROWSES_H
#define BROWSES_H

#include "check/browse/browse.h"
#include "tests/unit/kit/rows.h"
#include "trace/replay.h"

static inline struct check_browse *open_row(const struct row *r)
{
    const char *why = NULL;
    struct check_browse *b = check_browse_open(&r->check, &why);

    if (!b)
        fail_msg("%s: %s", r->text, why);
    return b;
}

static inline struct check_distance distance(struct check_browse *b,
                                             uint32_t state)
{
    struct check_distance d;

    assert_true(check_browse_distance(b, state, &d));
    return d;
}

static inline uint64_t dice(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state >> 11;
}

/* A walk, ahead of the search and beyond violations. */
static inline void walk(struct check_browse *b, uint64_t seed,
                        struct check_run_by_hand *run, uint32_t *moves,
                        uint32_t most)
{
    uint64_t random = seed * 2654435761u + 88172645463325252u;
    uint32_t state, count;

    *run = (struct check_run_by_hand){
        .first = (uint32_t)(dice(&random) % check_browse_initial(b)),
        .moves = moves,
    };
    state = run->first;
    while (run->moves_count < most) {
        const struct check_enabled *enabled =
            check_browse_moves(b, state, &count);

        assert_non_null(enabled);
        if (count == 0)
            break;
        moves[run->moves_count] = (uint32_t)(dice(&random) % count);
        state = enabled[moves[run->moves_count++]].to;
    }
}

/* ---- Runs ---------------------------------------------------------------- */

/* A run as a trace; to be freed. */
static inline char *write_down(const struct row *r, struct check_browse *b,
                               const struct check_run_by_hand *run)
{
    char command[sizeof r->text + 16], *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    struct trace_listener *trace = trace_writer_new(file);

    snprintf(command, sizeof command, "fulcrum check %s", r->text);
    trace_write_head(trace, r->made.set, command);
    assert_true(check_browse_trace(b, run, trace));
    trace_writer_free(trace);
    fclose(file);
    return text;
}

/* Leaves of a trace what happened, without effects and numbers of messages:
 * which of equal messages was copied or lost makes no difference. */
static inline void leave_events(char *text)
{
    char *to = text, *from = strstr(text, "\n----\n");

    for (; from && strncmp(from, "\nhash", 5) != 0; from = strchr(from, '\n')) {
        *to++ = *from++;
        for (; !strchr(";\n", *from); from++) {
            if (*from == '#')
                from += strspn(from, "#0123456789");
            *to++ = *from;
        }
    }
    *to = '\0';
}

/* Whether a trace leaves nothing open: which message is copied or delayed and
 * when, when a step ends in which nothing is done. */
static inline bool all_is_told(const struct check_setup *c)
{
    return !c->copies && !c->late_ticks && !c->pauses && !c->notice &&
           c->net.clock != NET_CLOCK_DRIFT;
}

/* What is written is a run of the network, breaks what it says, and leads back
 * to moves with the same events. */
static inline void check_trace_of(const struct row *r, struct check_browse *b,
                                  const struct check_run_by_hand *run,
                                  uint32_t broken)
{
    struct net_why why = {0};
    char *text = write_down(r, b, run), *again;
    struct check_run_by_hand found;
    struct trace_replay replay;
    struct net_made made;
    uint32_t end, end_again;
    struct trace t;

    if (!trace_parse(&t, "run", text, strlen(text), &why))
        fail_msg("%s: %s", r->text, why.text);
    if (!trace_network(&t, &made, &why))
        fail_msg("%s: %s", r->text, why.text);
    if (trace_replay(&made.net, &t, &replay) != TRACE_REPLAY_SAME)
        fail_msg("%s: line %u: %s\n%s\n%s", r->text, replay.line,
                 replay.what ? replay.what : "differs", replay.then,
                 replay.now);
    if ((replay.broken & broken) != broken)
        fail_msg("%s: replayed, it breaks %x, not %x", r->text, replay.broken,
                 broken);
    if (!check_browse_match(b, &t, &found))
        fail_msg("%s: %s\n%s", r->text, check_browse_why(b), text);
    again = write_down(r, b, &found);
    leave_events(again);
    leave_events(text);
    if (strcmp(again, text) != 0)
        fail_msg("%s: %s\nis not%s", r->text, again, text);
    assert_true(check_browse_follow(b, run, &end, NULL) &&
                check_browse_follow(b, &found, &end_again, NULL));
    if (all_is_told(&r->check))
        assert_int_equal(end, end_again);
    net_unmake(&made);
    trace_free(&t);
    free(text);
    free(again);
}

#endif
