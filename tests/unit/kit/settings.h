/*
 * settings.h - parameters of a protocol, drawn from its own table: each stays
 * at its default or becomes any value that its form allows.
 */
#ifndef TESTS_SETTINGS_H
#define TESTS_SETTINGS_H

#include <stdio.h>
#include <string.h>

#include "core/fc.h"
#include "tests/unit/kit/test.h"

enum { SETTINGS_MAX = 24, SETTING_SIZE = 64 };

/* As typed: "key=value". */
struct settings {
    char text[SETTINGS_MAX][SETTING_SIZE];
    const char *list[SETTINGS_MAX];
    uint32_t count;
};

/* One word of a form such as "auto|none|1..64". */
static inline void draw_word(char out[SETTING_SIZE], const char *form,
                             struct dice *dice)
{
    uint32_t words = 1;

    for (const char *at = form; *at; at++)
        words += *at == '|';
    for (uint32_t skip = throw_below(dice, words); skip; skip--)
        form = strchr(form, '|') + 1;
    snprintf(out, SETTING_SIZE, "%.*s", (int)strcspn(form, "|"), form);
}

/* A range becomes a small number of it, "exp:B" a base; false: this word wants
 * a file. */
static inline bool draw_value(char out[SETTING_SIZE],
                              const struct fc_param *param, struct dice *dice)
{
    unsigned long long least, greatest;
    char *argument;

    draw_word(out, param->form, dice);
    argument = strchr(out, ':');
    if (sscanf(out, "%llu..%llu", &least, &greatest) == 2)
        snprintf(out, SETTING_SIZE, "%llu",
                 least +
                     throw_below(dice, greatest - least < 20
                                           ? (uint32_t)(greatest - least) + 1
                                           : 20));
    else if (argument && strlen(argument) == 2)
        argument[1] = (char)('1' + throw_below(dice, 3));
    return strcmp(out, "table:FILE") != 0;
}

static inline void draw_settings(struct settings *s,
                                 const struct fc_protocol *p, struct dice *dice)
{
    s->count = 0;
    assert_true(p->params_count <= SETTINGS_MAX);
    for (uint32_t i = 0; i < p->params_count; i++) {
        char value[SETTING_SIZE];

        if (throw_below(dice, 2) || !draw_value(value, &p->params[i], dice))
            continue;
        s->list[s->count] = s->text[s->count];
        assert_in_range(snprintf(s->text[s->count++], SETTING_SIZE,
                                 "%.31s=%.31s", p->params[i].key, value),
                        1, SETTING_SIZE - 1);
    }
}

#endif
