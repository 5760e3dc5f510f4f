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

static inline void check_same_messages(const struct trace *a,
                                       const struct trace *b)
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

static inline void check_same_lists(const struct trace *a,
                                    const struct trace *b)
{
    assert_int_equal(a->violations_count, b->violations_count);
    SAME(a, b, violations, a->violations_count);
    for (uint32_t i = 0; i < a->violations_count; i++)
        assert_string_equal(a->properties[a->violations[i].property],
                            b->properties[b->violations[i].property]);
    assert_int_equal(a->faults_count, b->faults_count);
    for (uint32_t i = 0; i < a->faults_count; i++) {
        const struct trace_fault *f = &a->faults[i], *g = &b->faults[i];

        assert_true(f->from == g->from && f->to == g->to &&
                    f->until == g->until && f->ticks == g->ticks &&
                    f->lane == g->lane && f->begins == g->begins &&
                    f->ends == g->ends && f->kind == g->kind &&
                    f->blank == g->blank);
    }
    assert_int_equal(a->choices_count, b->choices_count);
    SAME(a, b, choices, a->choices_count);
    assert_int_equal(a->timers_count, b->timers_count);
    for (uint32_t i = 0; i < a->timers_count; i++)
        assert_true(a->timers[i].event == b->timers[i].event &&
                    a->timers[i].timer == b->timers[i].timer &&
                    a->timers[i].steps == b->timers[i].steps &&
                    a->timers[i].stops == b->timers[i].stops);
    assert_int_equal(a->passed_count, b->passed_count);
    for (uint32_t i = 0; i < a->passed_count; i++)
        assert_true(a->passed[i].event == b->passed[i].event &&
                    a->passed[i].role == b->passed[i].role &&
                    a->passed[i].rests == b->passed[i].rests);
    assert_int_equal(a->facts_count, b->facts_count);
    for (uint32_t i = 0; i < a->facts_count; i++)
        assert_true(a->facts[i].event == b->facts[i].event &&
                    a->facts[i].fact == b->facts[i].fact &&
                    a->facts[i].number == b->facts[i].number);
}

/* All of it but what a file alone has. */
static inline void check_same_head(const struct trace_head *a,
                                   const struct trace_head *b)
{
    assert_string_equal(a->protocol, b->protocol);
    assert_string_equal(a->problem, b->problem);
    assert_string_equal(a->time, b->time);
    assert_true(a->first_role == b->first_role && a->topology == b->topology &&
                a->bounded == b->bounded && a->returns == b->returns &&
                a->seed == b->seed && a->nodes == b->nodes);
    assert_memory_equal(&a->bounds, &b->bounds, sizeof a->bounds);
    assert_true(!a->names == !b->names && !a->steps == !b->steps);
    if (a->names)
        SAME(a, b, names, a->nodes);
    if (a->steps)
        SAME(a, b, steps, a->nodes);
    assert_int_equal(a->kinds_count, b->kinds_count);
    for (uint32_t i = 0; i < a->kinds_count; i++) {
        assert_string_equal(a->kinds[i].word, b->kinds[i].word);
        assert_string_equal(a->kinds[i].label, b->kinds[i].label);
        assert_int_equal(a->kinds[i].meaning, b->kinds[i].meaning);
        assert_true(!a->kinds[i].numbers == !b->kinds[i].numbers);
    }
    assert_int_equal(a->own_roles_count, b->own_roles_count);
    assert_int_equal(a->own_facts_count, b->own_facts_count);
    assert_int_equal(a->own_asks_count, b->own_asks_count);
}

static inline void check_same(const struct trace *a, const struct trace *b)
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
