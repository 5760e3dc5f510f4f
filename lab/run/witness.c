/*
 * witness.c - see judge.h.
 */
#include "lab/run/judge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/claim/plan.h"

/* The run at hand, and what makes it one. */
struct hunt {
    struct lab_inquiry *q;
    struct lab_question question;
    char *command;
    char field[LAB_FIELD_SIZE];
};

/* A single run of a statement about each of them can be made smaller; a mean is
 * a matter of many. */
static bool is_about_runs(const struct lab_statement *s)
{
    return !s->order && s->others_count == 0 &&
           (s->left == LAB_EACH || s->left == LAB_PROPERTY ||
            s->left == LAB_MOST || s->left == LAB_LEAST);
}

/* Whether it is violated here as well: 1, 0, or -1 for not known yet. */
static int try_command(struct hunt *h, const char *command)
{
    const struct lab_answer *answer = lab_ask(h->q, command);
    char field[LAB_FIELD_SIZE] = "";
    struct lab_cell cell;

    if (!answer)
        return -1;
    if (!lab_judge_cell(&cell, &h->question, command, answer, NULL, field,
                        NULL) ||
        cell.verdict != LAB_VIOLATED)
        return 0;
    memcpy(h->field, field, sizeof field);
    return 1;
}

/* Takes a changed command if it is violated too; it is freed if not. */
static int take_if(struct hunt *h, char *changed)
{
    int is = changed ? try_command(h, changed) : 0;

    if (is > 0) {
        free(h->command);
        h->command = changed;
    } else {
        free(changed);
    }
    return is;
}

/* The first value of a growing list, below the present one, that will do. */
static bool smaller_number(struct hunt *h, const char *option, uint64_t now)
{
    static const uint64_t list[] = {1,  2,  3,  4,  5,  6,  7,   8,  10,
                                    12, 16, 20, 24, 32, 64, 128, 256};

    for (size_t i = 0; i < sizeof list / sizeof list[0] && list[i] < now; i++) {
        int is;

        if (strcmp(option, "-n") == 0 && list[i] < 2)
            continue;
        is = take_if(h, lab_command_with_number(h->command, option, list[i]));
        if (is != 0)
            return is > 0;
    }
    return true;
}

/* One run of those that were made, by halves. */
static bool single_run(struct hunt *h)
{
    uint64_t runs, seed;

    if (!lab_command_number(h->command, "--runs", &runs) ||
        !lab_command_number(h->command, "--seed", &seed))
        return true;
    while (runs > 1) {
        uint64_t half = runs / 2;
        char *first = lab_command_with_number(h->command, "--runs", half);
        int is = take_if(h, first);

        if (is < 0)
            return false;
        if (is == 0) {
            char *later =
                lab_command_with_number(h->command, "--seed", seed + half);
            char *second =
                later ? lab_command_with_number(later, "--runs", runs - half)
                      : NULL;

            free(later);
            is = take_if(h, second);
            if (is < 0)
                return false;
            if (is == 0)
                return true; /* only together */
            seed += half;
            half = runs - half;
        }
        runs = half;
    }
    return take_if(h, lab_command_with(h->command, "--runs", NULL)) >= 0;
}

/* RMIN:RMAX:DMIN:DMAX behind --bounds; false: there are none. */
static bool read_bounds(const char *command, uint64_t bounds[4])
{
    const char *at = strstr(command, " --bounds ");
    char *end;

    if (!at)
        return false;
    at += 10;
    for (uint32_t i = 0; i < 4; i++) {
        bounds[i] = strtoull(at, &end, 10);
        if (end == at || (i < 3 && *end != ':'))
            return false;
        at = end + 1;
    }
    return true;
}

static bool smaller_delays(struct hunt *h)
{
    uint64_t b[4];

    while (read_bounds(h->command, b) && b[3] > b[2]) {
        char bounds[100];
        int is;

        snprintf(bounds, sizeof bounds,
                 "%" PRIu64 ":%" PRIu64 ":%" PRIu64 ":%" PRIu64, b[0], b[1],
                 b[2], b[2] + (b[3] - b[2]) / 2);
        is = take_if(h, lab_command_with(h->command, "--bounds", bounds));
        if (is <= 0)
            return is == 0;
    }
    return true;
}

/* The run that fulcrum worst found, or that has the extreme of sim --names all,
 * whose field is "messages.max_case" beside "messages.max". */
static bool named_run(struct hunt *h)
{
    static const struct lab_try single = {.kind = LAB_TRY_COUNT};
    const struct lab_answer *answer = lab_ask(h->q, h->command);
    char field[LAB_FIELD_SIZE + 5];
    const char *named;

    if (!answer)
        return false;
    snprintf(field, sizeof field, "%s_case", h->field);
    named = json_string_value(lab_json_at(
        answer->json,
        strcmp(h->field, "value") == 0 ? "witness.command" : field));
    h->question.how = &single;
    return !named || take_if(h, strdup(named)) >= 0;
}

/* False: waiting for an answer. */
static bool shrink(struct hunt *h, enum lab_kind kind)
{
    const struct lab_statement *s = &h->question.stated->relation;
    uint64_t now;

    if (!is_about_runs(s))
        return true;
    if (kind == LAB_TRY_SEARCH || kind == LAB_TRY_ALL)
        return named_run(h);
    if (kind != LAB_TRY_RANDOM)
        return true;
    if (lab_command_number(h->command, "-n", &now) &&
        !smaller_number(h, "-n", now))
        return false;
    if (!single_run(h))
        return false;
    if (lab_command_number(h->command, "--entries", &now) &&
        !smaller_number(h, "--entries", now))
        return false;
    return smaller_delays(h);
}

/* The value in the JSON at the field, as text. */
static char *value_at(const struct lab_answer *answer, const char *field)
{
    return json_dumps(lab_json_at(answer->json, field), JSON_ENCODE_ANY);
}

/* Runs it once more; false: waiting. */
static bool confirm(struct hunt *h, struct lab_judgement *j)
{
    const struct lab_answer *first = lab_ask(h->q, h->command), *second;
    size_t room = strlen(h->command) + sizeof LAB_AGAIN;
    char *again = malloc(room);
    char *value, *repeated;

    if (!first || !again) {
        free(again);
        return false;
    }
    snprintf(again, room, "%s%s", h->command, LAB_AGAIN);
    second = lab_ask(h->q, again);
    free(again);
    if (!second)
        return false;
    value = value_at(first, h->field);
    repeated = value_at(second, h->field);
    if (value && repeated && strcmp(value, repeated) == 0) {
        j->witness =
            (struct lab_witness){strdup(h->command), strdup(h->field), value};
        value = NULL;
    } else {
        j->verdict = LAB_UNDECIDED;
        j->why = "its run does not come out the same again";
    }
    free(value);
    free(repeated);
    return true;
}

void lab_find_witness(struct lab_judgement *j, struct lab_inquiry *q,
                      const struct lab_claim *c, const struct lab_stated *s,
                      const struct lab_variant *v)
{
    const struct lab_cell *cell = &j->cells[j->worst];
    const struct lab_try *how = &s->tries[cell->from];
    struct hunt h = {.q = q, .command = strdup(cell->command)};

    if (!h.command)
        return;
    snprintf(h.field, sizeof h.field, "%s", cell->field);
    h.question = (struct lab_question){
        .claim = c, .stated = s, .how = how, .variant = v, .error = 0.001};
    if (shrink(&h, how->kind))
        (void)confirm(&h, j);
    free(h.command);
}
