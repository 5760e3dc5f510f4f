/*
 * sent.h - what traces say of messages and faults, for the tests of faults.
 */
#ifndef TESTS_SENT_H
#define TESTS_SENT_H

#include <stdio.h>
#include <stdlib.h>

#include "core/text.h"
#include "sim/typed.h"
#include "tests/unit/kit/testing.h"
#include "trace/write.h"

/* A run and its trace: the text, which the caller frees, or only its hash. */
static inline struct sim_result traced_run(const struct sim_setup *setup,
                                           uint64_t seed,
                                           struct net_memory *memory,
                                           char **text)
{
    size_t size = 0;
    FILE *file = text ? open_memstream(text, &size) : NULL;
    struct sim_job job = {
        .seed = seed, .memory = memory, .trace = trace_writer_new(file)};
    struct sim_result result;

    assert_int_equal(sim_run(setup, &job, &result), SIM_OK);
    trace_writer_free(job.trace);
    if (file)
        fclose(file);
    return result;
}

enum { SENDS_MAX = 1 << 17 };

/* Messages of a trace, by id. */
struct sent {
    uint64_t tick, arrives, field;
    uint64_t read; /* tick, or FC_NEVER */
    uint32_t from, to;
    bool lost, copy, open; /* open: neither read nor missed so far */
};

static struct sent sent[SENDS_MAX];
static uint32_t sent_count;

static inline uint64_t number(const char **text)
{
    char *rest;
    uint64_t value = strtoull(*text, &rest, 10);

    assert_true(rest != *text);
    *text = rest;
    return value;
}

/* "ID KIND(FIELD) to NODE lost", or "arrives TICK", or "arrives TICK, copy". */
static inline const char *take_send(const char *text, uint64_t tick,
                                    uint32_t from)
{
    struct sent m = {.tick = tick, .from = from, .read = FC_NEVER};
    const char *field, *rest;

    assert_true(number(&text) == sent_count);
    assert_true(sent_count < SENDS_MAX);
    field = strpbrk(text + 1, " (");
    if (*field == '(' && ++field)
        m.field = number(&field);
    text = strstr(field, " to ") + 4;
    m.to = (uint32_t)number(&text);
    if ((rest = fc_after(text, " arrives "))) {
        m.arrives = number(&rest);
        m.copy = strncmp(rest, ", copy", 6) == 0;
        m.open = true;
    } else {
        rest = fc_after(text, " lost");
        assert_non_null(rest);
        m.lost = true;
    }
    sent[sent_count++] = m;
    return rest;
}

/* Goes through the body of a trace, which is cut up: on_line() for each line,
 * its sends in sent[].  Returns the line of the end. */
static inline const char *each_line(char *text, void *whom,
                                    void (*on_line)(void *whom, uint64_t tick,
                                                    uint32_t node,
                                                    const char *what))
{
    char *next = strstr(text, "----\n");

    assert_non_null(next);
    sent_count = 0;
    for (next += 5; strncmp(next, "end ", 4) != 0;) {
        const char *line = next, *at, *id;
        uint64_t tick;
        uint32_t node;

        next = strchr(next, '\n');
        assert_non_null(next);
        *next++ = '\0';
        tick = number(&line);
        node = (uint32_t)number(&line);
        on_line(whom, tick, node, line + 1);
        if ((id = fc_after(line, " read #"))) {
            uint64_t which = number(&id);

            assert_true(which < sent_count && sent[which].open);
            sent[which].open = false;
            sent[which].read = tick;
        }
        for (at = line; (at = strstr(at, "; send #"));)
            at = take_send(at + 8, tick, node);
    }
    return next;
}

#endif
