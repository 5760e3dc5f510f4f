/*
 * field.c - see field.h.
 */
#include "net/field.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "net/route.h"

struct text {
    const struct fc_field *field;
    const struct net_place *place;
    char *at;
    size_t used, size;
};

static void say(struct text *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void say(struct text *t, const char *format, ...)
{
    va_list arguments;
    int length;

    if (t->used >= t->size)
        return;
    va_start(arguments, format);
    length = vsnprintf(t->at + t->used, t->size - t->used, format, arguments);
    va_end(arguments);
    t->used += length > 0 ? (size_t)length : 0;
}

/* ---- Values -------------------------------------------------------------- */

static const uint8_t *value_at(const struct fc_field *f, const void *state,
                               uint32_t i)
{
    return (const uint8_t *)state + f->offset + (size_t)i * f->stride;
}

static uint64_t load(const uint8_t *at, size_t size)
{
    uint16_t half;
    uint32_t word;
    uint64_t wide;

    switch (size) {
    case 1:
        return *at;
    case 2:
        memcpy(&half, at, sizeof half);
        return half;
    case 4:
        memcpy(&word, at, sizeof word);
        return word;
    default: /* or a struct fc_set, whose first word this is */
        memcpy(&wide, at, sizeof wide);
        return wide;
    }
}

uint64_t net_field_value(const struct fc_field *f, const void *state,
                         const struct net_place *place, uint32_t i)
{
    _Alignas(max_align_t) uint8_t site[NET_SITE_SIZE];

    if (!f->value)
        return load(value_at(f, state, i), f->size);
    net_type_of(place->net)->site(place, site);
    return f->value(state, place->net->params, site);
}

bool net_field_has(const struct fc_field *f, const void *state, uint32_t bit)
{
    size_t part = f->size < 8 ? f->size : 8;

    return bit < 8u * f->size &&
           (load(value_at(f, state, 0) + bit / 64 * part, part) >> bit % 64 &
            1);
}

uint64_t net_field_count(const struct fc_field *f, const void *state)
{
    return f->form == FC_FIELD_QUEUE
               ? load((const uint8_t *)state + f->used_offset, f->used_size)
               : f->count;
}

int64_t net_field_signed(uint64_t value, size_t size)
{
    return size == 1   ? (int8_t)value
           : size == 2 ? (int16_t)value
           : size == 4 ? (int32_t)value
                       : (int64_t)value;
}

uint32_t net_field_link(const struct net_place *place, uint64_t link)
{
    enum fc_topology topology = place->net->protocol->topology;
    uint32_t nodes = place->net->world.nodes;

    return link >= net_ports(topology, place->graph, nodes, place->node)
               ? place->node
               : net_route(topology, place->graph, nodes, place->node,
                           (uint16_t)link)
                     .to;
}

bool net_field_same(const struct fc_field *f, const void *a, const void *b)
{
    for (uint32_t i = 0; i < f->count; i++)
        if (memcmp(value_at(f, a, i), value_at(f, b, i), f->size) != 0)
            return false;
    return f->form != FC_FIELD_QUEUE ||
           memcmp((const uint8_t *)a + f->used_offset,
                  (const uint8_t *)b + f->used_offset, f->used_size) == 0;
}

/* ---- Text ---------------------------------------------------------------- */

static void say_node(struct text *t, uint64_t node)
{
    const struct net *net = t->place->net;

    if (node >= net->world.nodes)
        say(t, "?%" PRIu64, node);
    else if (net->protocol->anonymous)
        say(t, "%" PRIu64, node);
    else
        say(t, "%" PRIu32, net_name(t->place->names, (uint32_t)node));
}

static void say_link(struct text *t, uint64_t link)
{
    say_node(t, net_field_link(t->place, link));
}

/* The bits that are 1, each as a node, a link or a word. */
static void say_bits(struct text *t, const uint8_t *at)
{
    const struct fc_field *f = t->field;
    const char *comma = "";

    say(t, "{");
    for (uint32_t i = 0; i < 8u * f->size; i++) {
        size_t part = f->size < 8 ? f->size : 8;

        if (!(load(at + i / 64 * part, part) >> i % 64 & 1))
            continue;
        say(t, "%s", comma);
        comma = ", ";
        if (f->kind == FC_FIELD_NODES)
            say_node(t, i);
        else if (f->kind == FC_FIELD_LINKS)
            say_link(t, i);
        else if (i < f->words_count)
            say(t, "%s", f->words[i]);
        else
            say(t, "?%" PRIu32, i);
    }
    say(t, "}");
}

static void say_value(struct text *t, const void *state, uint32_t i)
{
    const struct fc_field *f = t->field;
    uint64_t value = net_field_value(f, state, t->place, i);

    switch ((enum fc_field_kind)f->kind) {
    case FC_FIELD_NUMBER:
    case FC_FIELD_CLOCK:
        say(t, value == FC_NEVER ? "never" : "%" PRIu64, value);
        return;
    case FC_FIELD_SIGNED:
        say(t, "%" PRId64, net_field_signed(value, f->size));
        return;
    case FC_FIELD_YES:
        say(t, value ? "yes" : "no");
        return;
    case FC_FIELD_WORD:
        if (value < f->words_count && f->words[value])
            say(t, "%s", f->words[value]);
        else
            say(t, "?%" PRIu64, value);
        return;
    case FC_FIELD_NAME:
        say(t, value ? "%" PRIu64 : "nobody", value);
        return;
    case FC_FIELD_NODE:
        say_node(t, value);
        return;
    case FC_FIELD_MAYBE:
        if (value)
            say_node(t, value - 1);
        else
            say(t, "nobody");
        return;
    case FC_FIELD_LINK:
        say_link(t, value);
        return;
    case FC_FIELD_FLAGS:
    case FC_FIELD_NODES:
    case FC_FIELD_LINKS:
        say_bits(t, value_at(f, state, i));
        return;
    }
}

static bool is_zero(const uint8_t *at, size_t size)
{
    while (size > 0 && at[size - 1] == 0)
        size--;
    return size == 0;
}

/* The number of values in a row of a square. */
static uint32_t side_of(uint32_t count)
{
    uint32_t side = 1;

    while (side * side < count)
        side++;
    return side;
}

/* One value for each node, or pair of nodes, except those that are 0. */
static void say_each(struct text *t, const void *state)
{
    const struct fc_field *f = t->field;
    uint32_t side = f->form == FC_FIELD_PAIRS ? side_of(f->count) : 1;
    const char *comma = "";

    say(t, "{");
    for (uint32_t i = 0; i < f->count; i++) {
        if (is_zero(value_at(f, state, i), f->size))
            continue;
        say(t, "%s", comma);
        comma = ", ";
        say_node(t, i / side);
        if (f->form == FC_FIELD_PAIRS) {
            say(t, "-");
            say_node(t, i % side);
        }
        say(t, ": ");
        say_value(t, state, i);
    }
    say(t, "}");
}

static void say_list(struct text *t, const void *state)
{
    const struct fc_field *f = t->field;
    uint64_t count = net_field_count(f, state);

    say(t, "[");
    for (uint32_t i = 0; i < count && i < f->count; i++) {
        say(t, i ? ", " : "");
        say_value(t, state, i);
    }
    say(t, "]");
}

size_t net_show_field(const struct fc_field *field, const void *state,
                      const struct net_place *place, char *buffer, size_t size)
{
    struct text t = {field, place, buffer, 0, size};

    assert(size > 3);
    switch ((enum fc_field_form)field->form) {
    case FC_FIELD_ONE:
        say_value(&t, state, 0);
        break;
    case FC_FIELD_LIST:
    case FC_FIELD_QUEUE:
        say_list(&t, state);
        break;
    case FC_FIELD_EACH:
    case FC_FIELD_PAIRS:
        say_each(&t, state);
        break;
    }
    if (t.used < size)
        return t.used;
    memcpy(buffer + size - 4, "...", 4);
    return size - 1;
}
