/*
 * state_fields.h - whether the table of a protocol names its state: every byte
 * once, except padding, which is always 0.
 */
#ifndef TESTS_STATE_FIELDS_H
#define TESTS_STATE_FIELDS_H

#include <stdlib.h>
#include <string.h>

#include "net/field.h"
#include "tests/unit/kit/test.h"

/* The alignment of a value: that of a number, or of the words of a set. */
static inline size_t field_alignment(const struct fc_field *f)
{
    return f->size < 8 ? f->size : 8;
}

static inline bool is_field_size(const struct fc_field *f)
{
    bool number = f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8;

    return number ||
           (f->kind == FC_FIELD_NODES && f->size == sizeof(struct fc_set));
}

static inline void check_field(const struct net_type *t,
                               const struct fc_field *f)
{
    bool worded = f->kind == FC_FIELD_WORD || f->kind == FC_FIELD_FLAGS;

    if (!f->name || !*f->name)
        fail_msg("%s: a field of the state has no name", t->protocol->name);
    for (const struct fc_field *g = t->state_fields; g < f; g++)
        if (strcmp(f->name, g->name) == 0)
            fail_msg("%s: two fields are called %s", t->protocol->name,
                     f->name);
    if (!is_field_size(f) || worded != (f->words_count > 0) || f->count == 0 ||
        (f->form == FC_FIELD_ONE) != (f->count == 1))
        fail_msg("%s: the kind of %s does not suit its type", t->protocol->name,
                 f->name);
}

/* Puts 1 into bytes that a field has, and 0 into the others; returns the
 * alignment of the state. */
static inline size_t mark_fields(const struct net_type *t, uint8_t *marks)
{
    size_t greatest = 1;

    memset(marks, 0, t->state_size);
    for (uint32_t i = 0; i < t->state_fields_count; i++) {
        const struct fc_field *f = &t->state_fields[i];
        size_t alignment = field_alignment(f);

        check_field(t, f);
        if (alignment > greatest)
            greatest = alignment;
        for (size_t k = 0; k < (size_t)f->count * f->size; k++) {
            size_t at = f->offset + k / f->size * f->stride + k % f->size;

            if (at >= t->state_size)
                fail_msg("%s: %s reaches beyond the state", t->protocol->name,
                         f->name);
            if (marks[at])
                fail_msg("%s: %s overlaps another field", t->protocol->name,
                         f->name);
            marks[at] = 1;
        }
    }
    return greatest;
}

/* Fails if anything but padding has no name: a gap is smaller than the
 * alignment of the state. */
static inline void check_state_fields(const struct net_type *t, uint8_t *marks)
{
    size_t alignment = mark_fields(t, marks), gap = 0;

    for (size_t at = 0; at < t->state_size; at++) {
        gap = marks[at] ? 0 : gap + 1;
        if (gap >= alignment)
            fail_msg("%s: bytes %zu to %zu of the state have no name",
                     t->protocol->name, at + 1 - gap, at);
    }
}

/* Fails if a state has something in bytes without a name. */
static inline void check_padding(const struct net_type *t, const uint8_t *marks,
                                 const uint8_t *state)
{
    for (size_t at = 0; at < t->state_size; at++)
        if (!marks[at] && state[at])
            fail_msg("%s: byte %zu of the state has no name, and is used",
                     t->protocol->name, at);
}

/* Fails if a value has no word, or is a node that does not exist. */
static inline void check_shown(const struct net_place *place,
                               const struct net_type *t, const uint8_t *state)
{
    char text[NET_FIELD_SIZE];

    for (uint32_t i = 0; i < t->state_fields_count; i++) {
        size_t length = net_show_field(&t->state_fields[i], state, place, text,
                                       sizeof text);

        assert_int_equal(length, strlen(text));
        if (length == 0 || strchr(text, '?'))
            fail_msg("%s: %s is '%s'", t->protocol->name,
                     t->state_fields[i].name, text);
    }
}

#endif
