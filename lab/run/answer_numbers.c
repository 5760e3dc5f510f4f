/*
 * answer_numbers.c - see judge.h.
 */
#include "lab/run/judge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *lab_json_at(json_t *json, const char *field)
{
    char part[LAB_FIELD_SIZE];

    while (json && *field) {
        size_t length = strcspn(field, ".");
        json_t *below;

        /* Kinds and values may have dots in their names. */
        if (json_is_object(json) && (below = json_object_get(json, field)))
            return below;
        if (length >= sizeof part)
            return NULL;
        memcpy(part, field, length);
        part[length] = '\0';
        json = json_is_array(json)
                   ? json_array_get(json, strtoul(part, NULL, 10))
                   : json_object_get(json, part);
        field += length;
        field += *field == '.';
    }
    return json;
}

static void find(struct lab_found *f, json_t *json, const char *base,
                 const char *last)
{
    json_t *at;

    snprintf(f->field, sizeof f->field, "%.100s%s%.10s", base, *last ? "." : "",
             last);
    at = lab_json_at(json, f->field);
    f->any = json_is_number(at);
    f->is = f->any ? json_number_value(at) : NAN;
}

static uint64_t whole(json_t *json, const char *field)
{
    json_t *at = lab_json_at(json, field);

    return json_is_integer(at) ? (uint64_t)json_integer_value(at) : 0;
}

/* ---- sim ----------------------------------------------------------------- */

/* granting-delay is granting_delay in the JSON, messages.KIND is
 * messages.kinds.KIND, and what claims call a value stands among `values`. */
static void field_of(json_t *json, const char *quantity, char *out)
{
    char value[LAB_FIELD_SIZE];

    snprintf(value, sizeof value, "values.%.100s", quantity);
    if (lab_json_at(json, value)) {
        snprintf(out, LAB_FIELD_SIZE, "%s", value);
        return;
    }
    if (strncmp(quantity, "messages.", 9) == 0) {
        snprintf(out, LAB_FIELD_SIZE, "messages.kinds.%.90s", quantity + 9);
        return;
    }
    snprintf(out, LAB_FIELD_SIZE, "%.100s",
             strcmp(quantity, "queue") == 0 ? "queue_max" : quantity);
    for (char *c = out; *c; c++)
        if (*c == '-')
            *c = '_';
}

static bool read_amount(struct lab_measured *m, json_t *json,
                        const char *quantity, struct net_why *why)
{
    char base[LAB_FIELD_SIZE], means[LAB_FIELD_SIZE];
    struct lab_found sd = {0};

    field_of(json, quantity, base);
    find(&m->most, json, base, "");
    if (m->most.any) { /* a number: the greatest */
        m->mean = m->least = (struct lab_found){0};
        return true;
    }
    find(&m->least, json, base, "min");
    find(&m->most, json, base, "max");
    snprintf(means, sizeof means, "%.100s.of_runs", base);
    if (!lab_json_at(json, means)) {
        snprintf(means, sizeof means, "%s", base);
        m->low = m->least.is;
        m->high = m->most.is;
    } else {
        m->low = m->high = NAN;
        m->runs = whole(json, "runs");
    }
    find(&m->mean, json, means, "mean");
    find(&sd, json, means, "sd");
    m->sd = sd.is;
    return m->most.any || net_refuse(why, "its JSON has no %.80s", base);
}

/* The number of runs that violate it. */
static void read_violations(struct lab_measured *m, json_t *json,
                            const char *property)
{
    json_t *list = json_object_get(json, "violations"), *one;
    size_t i;

    find(&m->violated, json, "violated", "");
    if (*property) {
        m->violated.is = 0;
        json_array_foreach(list, i, one)
        {
            const char *name =
                json_string_value(json_object_get(one, "property"));

            if (name && strcmp(name, property) == 0) {
                snprintf(m->violated.field, LAB_FIELD_SIZE,
                         "violations.%zu.runs", i);
                m->violated.is = (double)whole(one, "runs");
            }
        }
    }
    m->hits = (uint64_t)m->violated.is;
}

static bool read_sim(struct lab_measured *m, json_t *json, enum lab_kind kind,
                     const struct lab_statement *of, const char *quantity,
                     struct net_why *why)
{
    m->runs = whole(json, "runs");
    /* Where nothing ends, runs that were cut are as they should be. */
    m->unfinished =
        whole(json, "cut") > 0 && whole(json, "ok") < whole(json, "runs");
    m->exhaustive =
        kind == LAB_TRY_ALL
            ? json_is_true(json_object_get(json, "exhaustive"))
            : kind == LAB_TRY_COUNT &&
                  json_array_size(json_object_get(json, "drawn")) == 0;
    m->computed = kind == LAB_TRY_ALL || kind == LAB_TRY_COUNT;
    if (of->left == LAB_PROPERTY || of->left == LAB_FAILS ||
        of->left == LAB_CHANCE) {
        read_violations(m, json, quantity);
        return true;
    }
    return read_amount(m, json, quantity, why);
}

/* ---- check --------------------------------------------------------------- */

/* Where the extremes of a quantity stand. */
static bool find_quantity(json_t *json, const char *name, char *base)
{
    json_t *one = json_object_get(json, "quantity");
    json_t *all = json_object_get(json, "quantities");
    size_t i;

    if (one) {
        snprintf(base, LAB_FIELD_SIZE, "quantity");
        return true;
    }
    json_array_foreach(all, i, one)
    {
        const char *is = json_string_value(json_object_get(one, "name"));

        if (is && strcmp(is, name) == 0) {
            snprintf(base, LAB_FIELD_SIZE, "quantities.%zu", i);
            return true;
        }
    }
    return false;
}

static void find_extreme(struct lab_found *f, json_t *json, const char *base,
                         const char *which)
{
    char field[LAB_FIELD_SIZE];

    snprintf(field, sizeof field, "%.60s.%s.unbounded", base, which);
    find(f, json, base, which);
    if (json_is_true(lab_json_at(json, field))) {
        f->any = true;
        f->is = INFINITY;
        snprintf(f->field, sizeof f->field, "%s", field);
        return;
    }
    snprintf(field, sizeof field, "%.60s.%s", base, which);
    find(f, json, field, "value");
}

/* A probability or an expectation: between two numbers that nearly agree. */
static bool read_exact(struct lab_measured *m, json_t *json,
                       const struct lab_statement *of, struct net_why *why)
{
    bool chance = of->left == LAB_CHANCE;
    static const char infinite[] = "expect.max.infinite";

    m->computed = true;
    find(&m->least, json, chance ? "best" : "expect.min", "least");
    find(&m->most, json, chance ? "worst" : "expect.max", "most");
    if (!chance && json_is_true(lab_json_at(json, infinite))) {
        m->most = (struct lab_found){.any = true, .is = INFINITY};
        snprintf(m->most.field, sizeof m->most.field, "%s", infinite);
    }
    m->mean = m->most;
    return m->most.any || net_refuse(why, "nothing was computed");
}

static bool read_check(struct lab_measured *m, json_t *json,
                       const struct lab_statement *of, const char *quantity,
                       bool exact, struct net_why *why)
{
    const char *verdict = json_string_value(json_object_get(json, "verdict"));
    char base[LAB_FIELD_SIZE];

    m->exhaustive = true;
    m->unfinished = !verdict || strcmp(verdict, "incomplete") == 0;
    m->runs = whole(json, "states");
    if (exact)
        return read_exact(m, json, of, why);
    if (of->left == LAB_PROPERTY || of->left == LAB_FAILS) {
        m->violated.any = verdict != NULL;
        m->violated.is = verdict && strcmp(verdict, "violated") == 0;
        snprintf(m->violated.field, LAB_FIELD_SIZE, "verdict");
        m->hits = (uint64_t)m->violated.is;
        return verdict || net_refuse(why, "its JSON has no verdict");
    }
    if (!find_quantity(json, quantity, base))
        return net_refuse(why, "its JSON has no %.80s", quantity);
    find_extreme(&m->most, json, base, "max");
    find_extreme(&m->least, json, base, "min");
    return m->most.any || m->least.any ||
           net_refuse(why, "its JSON has no extreme of %.80s", quantity);
}

/* ---- All ----------------------------------------------------------------- */

bool lab_measured_read(struct lab_measured *m, const struct lab_answer *answer,
                       enum lab_kind kind, const struct lab_statement *of,
                       const char *quantity, struct net_why *why)
{
    *m = (struct lab_measured){.low = NAN, .high = NAN};
    if (!answer->json)
        return net_refuse(why, "%.80s",
                          answer->complaint ? answer->complaint
                                            : "it printed nothing");
    switch (kind) {
    case LAB_TRY_CHECK:
    case LAB_TRY_EXACT:
        return read_check(m, answer->json, of, quantity, kind == LAB_TRY_EXACT,
                          why);
    case LAB_TRY_SEARCH:
        find(&m->most, answer->json, "value", "");
        m->least = m->most;
        m->exhaustive =
            json_is_true(json_object_get(answer->json, "exhaustive"));
        m->runs = whole(answer->json, "tried");
        return m->most.any || net_refuse(why, "its JSON has no value");
    case LAB_TRY_ALL:
    case LAB_TRY_COUNT:
    case LAB_TRY_RANDOM:
    case LAB_TRIES:
        break;
    }
    return read_sim(m, answer->json, kind, of, quantity, why);
}

uint32_t lab_measured_letters(const struct lab_answer *answer,
                              struct lab_letter out[LAB_LETTERS_ROOM])
{
    static const struct lab_letter none = {0};
    json_t *letters = json_object_get(answer->json, "letters"), *is;
    const char *name;
    uint32_t count = 0;

    json_object_foreach(letters, name, is)
    {
        if (count == LAB_LETTERS_ROOM - 1)
            break;
        out[count].name = name;
        if (json_is_integer(is))
            out[count++].is = lab_whole(json_integer_value(is));
        else if (json_is_string(is) &&
                 lab_evaluate(json_string_value(is), &none, &out[count].is,
                              NULL))
            count++;
    }
    out[count].name = NULL;
    return count;
}
