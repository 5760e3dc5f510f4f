/*
 * same_columns.h - whether two records of runs are the same.
 */
#ifndef TESTS_SAME_COLUMNS_H
#define TESTS_SAME_COLUMNS_H

#include "tests/unit/kit/test.h"
#include "trace/columns.h"

#define SAME(a, b, array, count)                                               \
    assert_memory_equal((a)->array, (b)->array,                                \
                        (size_t)(count) * sizeof *(a)->array)

static inline void check_same_messages(const struct trace_columns *a,
                                       const struct trace_columns *b)
{
    uint32_t n = a->messages_count;

    assert_int_equal(n, b->messages_count);
    SAME(&a->message, &b->message, arrives, n);
    SAME(&a->message, &b->message, by, n);
    SAME(&a->message, &b->message, read, n);
    SAME(&a->message, &b->message, to, n);
    SAME(&a->message, &b->message, field_at, n);
    SAME(&a->message, &b->message, kind, n);
    SAME(&a->message, &b->message, flags, n);
    SAME(&a->message, &b->message, count, n);
    assert_int_equal(a->fields_count, b->fields_count);
    SAME(a, b, fields, a->fields_count);
}

static inline void check_same_lists(const struct trace_columns *a,
                                    const struct trace_columns *b)
{
    assert_int_equal(a->violations_count, b->violations_count);
    SAME(a, b, violations, a->violations_count);
    for (uint32_t i = 0; i < a->violations_count; i++)
        assert_string_equal(a->properties[a->violations[i].property],
                            b->properties[b->violations[i].property]);
    assert_int_equal(a->faults_count, b->faults_count);
    for (uint32_t i = 0; i < a->faults_count; i++) {
        const struct trace_fault_row *f = &a->faults[i], *g = &b->faults[i];

        assert_true(f->from == g->from && f->to == g->to &&
                    f->until == g->until && f->lane == g->lane &&
                    f->begins == g->begins && f->ends == g->ends &&
                    f->kind == g->kind && f->blank == g->blank);
    }
    assert_int_equal(a->choices_count, b->choices_count);
    SAME(a, b, choices, a->choices_count);
    assert_int_equal(a->timers_count, b->timers_count);
    for (uint32_t i = 0; i < a->timers_count; i++)
        assert_true(a->timers[i].event == b->timers[i].event &&
                    a->timers[i].timer == b->timers[i].timer &&
                    a->timers[i].steps == b->timers[i].steps);
    assert_int_equal(a->facts_count, b->facts_count);
    for (uint32_t i = 0; i < a->facts_count; i++)
        assert_true(a->facts[i].event == b->facts[i].event &&
                    a->facts[i].fact == b->facts[i].fact &&
                    a->facts[i].number == b->facts[i].number);
}

static inline void check_same(const struct trace_columns *a,
                              const struct trace_columns *b)
{
    uint32_t n = a->events_count;

    assert_int_equal(n, b->events_count);
    SAME(&a->event, &b->event, tick, n);
    SAME(&a->event, &b->event, lane, n);
    SAME(&a->event, &b->event, message, n);
    SAME(&a->event, &b->event, sent, n + 1);
    SAME(&a->event, &b->event, what, n);
    SAME(&a->event, &b->event, role, n);
    SAME(&a->event, &b->event, timer, n);
    SAME(&a->event, &b->event, flags, n);
    check_same_messages(a, b);
    check_same_lists(a, b);
    assert_true(a->ended == b->ended && a->quiet == b->quiet &&
                a->end_tick == b->end_tick);
}

#endif
