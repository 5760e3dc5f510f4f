/*
 * contract_words.h - what the contract says to the author of a protocol that
 * does not keep it: the rule and what to do, the event, the state before and
 * after it by its fields, and the run.
 */
#ifndef TESTS_CONTRACT_WORDS_H
#define TESTS_CONTRACT_WORDS_H

#include <stdio.h>

#include "net/field.h"
#include "net/names.h"
#include "tests/unit/kit/test.h"

/* The step that is looked at. */
struct moment {
    const struct net_type *type;
    struct net_place place;
    uint64_t seed;
    const char *set; /* parameters, as typed */
    uint32_t nodes;
    const struct fc_event *event; /* or NULL: between two */
    const uint8_t *msg;           /* that is read, or NULL */
    const uint8_t *before, *after;
    bool astray; /* the event is one that cannot happen */
};

/* A text that grows; what does not fit is left out. */
struct words {
    char text[16384];
    size_t length;
};

__attribute__((format(printf, 2, 3))) static inline void
say(struct words *w, const char *format, ...)
{
    va_list list;
    int size;

    va_start(list, format);
    size = vsnprintf(w->text + w->length, sizeof w->text - w->length, format,
                     list);
    va_end(list);
    if (size > 0)
        w->length += (size_t)size;
    if (w->length >= sizeof w->text)
        w->length = sizeof w->text - 1;
}

static inline void say_bytes(struct words *w, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        say(w, "%s%02x", i ? " " : "", bytes[i]);
}

/* As traces have it: token(7); but any kind is said. */
static inline void say_msg(struct words *w, const struct net_type *t,
                           const void *msg)
{
    const struct fc_protocol *p = t->protocol;
    uint32_t kind = t->kind(msg), count;
    uint64_t fields[FC_FIELDS_MAX];

    if (kind == 0 || kind >= p->kinds_count || !p->kinds[kind].name) {
        say(w, "a message of kind %u", kind);
        return;
    }
    say(w, "%s", p->kinds[kind].name);
    count = t->fields(msg, fields);
    for (uint32_t i = 0; i < count && i < FC_FIELDS_MAX; i++)
        say(w, "%s%llu%s", i ? "," : "(", (unsigned long long)fields[i],
            i + 1 == count ? ")" : "");
}

static inline void say_event(struct words *w, const struct moment *m)
{
    const struct fc_problem *problem = m->type->protocol->problem;

    switch (m->event->kind) {
    case FC_BOOT:
        say(w, "begins, or is back after a crash");
        break;
    case FC_MESSAGE:
        say(w, "reads ");
        say_msg(w, m->type, m->msg);
        say(w, " by link %u", m->event->port);
        break;
    case FC_TIMEOUT:
        say(w, "timer %u expires", m->event->timer);
        break;
    case FC_CHOICE:
        say(w, "draws %u", m->event->value);
        break;
    case FC_COMMAND:
        say(w, "is told: ");
        if (m->astray)
            say(w, "command %u", m->event->command);
        else
            say(w, "%s", problem->commands[m->event->command]);
        break;
    case FC_LOADED:
        say(w, "loads %u", m->event->value);
        break;
    default:
        say(w, "goes on");
    }
    if (m->type->clocked)
        say(w, ", its clock shows %llu", (unsigned long long)m->event->now);
    if (m->astray)
        say(w, " (which cannot happen, and is tried on a copy)");
}

/* All fields of a state; or, with another to compare it with, those that
 * differ there. */
static inline void say_state(struct words *w, const struct moment *m,
                             const uint8_t *state, const uint8_t *then)
{
    char text[NET_FIELD_SIZE];
    const char *comma = "";

    for (uint32_t i = 0; i < m->type->state_fields_count; i++) {
        const struct fc_field *f = &m->type->state_fields[i];

        if (then && net_field_same(f, state, then))
            continue;
        net_show_field(f, then ? then : state, &m->place, text, sizeof text);
        say(w, "%s%s %s", comma, f->name, text);
        comma = ", ";
    }
    if (!*comma)
        say(w, "nothing changes");
}

static inline void say_moment(struct words *w, const struct moment *m)
{
    bool unnamed = m->type->protocol->anonymous ||
                   m->type->protocol->topology == FC_COMPLETE;

    say(w, "\n  node %u", m->place.node);
    if (!unnamed)
        say(w, ", called %u,", net_name(m->place.names, m->place.node));
    say(w, " of %u", m->nodes);
    if (m->event) {
        say(w, " ");
        say_event(w, m);
    }
    if (m->before) {
        say(w, "\n    before: ");
        say_state(w, m, m->before, NULL);
    }
    if (m->after) {
        say(w, "\n    then:   ");
        say_state(w, m, m->before, m->after);
    }
    say(w, "\n  seed %llu of the contract%s%s", (unsigned long long)m->seed,
        *m->set ? ", with " : "", m->set);
}

/* Fails with these words: the protocol and the rule, then the moment. */
#define blame(MOMENT, ...)                                                     \
    do {                                                                       \
        struct words words_ = {.length = 0};                                   \
                                                                               \
        say(&words_, "%s: ", (MOMENT)->type->protocol->name);                  \
        say(&words_, __VA_ARGS__);                                             \
        blame_with(&words_, (MOMENT));                                         \
    } while (0)

/* NULL: at no moment. */
static inline void blame_with(struct words *w, const struct moment *m)
{
    if (m)
        say_moment(w, m);
    fprintf(stderr, "ERROR: %s\n", w->text); /* too long for fail_msg() */
    fail();
}

/* The first byte in which two differ. */
static inline size_t differ_at(const void *a, const void *b, size_t size)
{
    const uint8_t *x = a, *y = b;
    size_t at = 0;

    while (at < size && x[at] == y[at])
        at++;
    return at;
}

/* The field that has this byte of a state. */
static inline const char *field_at(const struct net_type *t, size_t at)
{
    for (uint32_t i = 0; i < t->state_fields_count; i++) {
        const struct fc_field *f = &t->state_fields[i];

        for (uint32_t k = 0; k < f->count; k++)
            if (at - f->offset - k * f->stride < f->size)
                return f->name;
    }
    return "padding";
}

#endif
