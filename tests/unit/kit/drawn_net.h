/*
 * drawn_net.h - a small network for a protocol, with parameters that are drawn
 * from the protocol's own table: each stays at its default or becomes any value
 * that its form allows.
 */
#ifndef TESTS_DRAWN_NET_H
#define TESTS_DRAWN_NET_H

#include <stdio.h>
#include <string.h>

#include "net/make.h"
#include "tests/unit/kit/test.h"

enum { SETTINGS_MAX = 24, SETTING_SIZE = 64 };

/* As typed: "key=value".  Zeroed for each protocol, not for each network: the
 * words of a form take turns, so that all of them are tried. */
struct settings {
    char text[SETTINGS_MAX][SETTING_SIZE];
    const char *list[SETTINGS_MAX];
    uint32_t count;
    uint32_t turn[SETTINGS_MAX];
};

/* The turn's word of a form such as "auto|none|1..64". */
static inline void take_word(char out[SETTING_SIZE], const char *form,
                             uint32_t turn)
{
    uint32_t words = 1;

    for (const char *at = form; *at; at++)
        words += *at == '|';
    for (uint32_t skip = turn % words; skip; skip--)
        form = strchr(form, '|') + 1;
    snprintf(out, SETTING_SIZE, "%.*s", (int)strcspn(form, "|"), form);
}

/* A range becomes a small number of it, "exp:B" a base; false: this word wants
 * a file. */
static inline bool draw_value(char out[SETTING_SIZE],
                              const struct fc_param *param, uint32_t turn,
                              struct dice *dice)
{
    unsigned long long least, greatest;
    char *argument;

    take_word(out, param->form, turn);
    argument = strchr(out, ':');
    if (sscanf(out, "%llu..%llu", &least, &greatest) == 2) {
        unsigned long long some = greatest - least < 20 ? greatest - least : 19;

        snprintf(out, SETTING_SIZE, "%llu",
                 least + throw_below(dice, (uint32_t)some + 1));
    } else if (argument && strlen(argument) == 2) {
        argument[1] = (char)('1' + throw_below(dice, 3));
    }
    return strcmp(out, "table:FILE") != 0;
}

static inline void draw_settings(struct settings *s,
                                 const struct fc_protocol *p, struct dice *dice)
{
    s->count = 0;
    if (p->params_count > SETTINGS_MAX)
        fail_msg("%s has more parameters than SETTINGS_MAX of drawn_net.h",
                 p->name);
    for (uint32_t i = 0; i < p->params_count; i++) {
        char value[SETTING_SIZE], *text = s->text[s->count];
        int size;

        if (throw_below(dice, 2) ||
            !draw_value(value, &p->params[i], s->turn[i]++, dice))
            continue;
        size = snprintf(text, SETTING_SIZE, "%.31s=%.31s", p->params[i].key,
                        value);
        assert_in_range(size, 1, SETTING_SIZE - 1);
        s->list[s->count++] = text;
    }
}

/* Whether there is such a network. */
static inline bool make_net(struct net_made *made, const struct settings *s,
                            const struct fc_protocol *p, uint32_t nodes,
                            const char *names)
{
    static const char *const times[] = {"archimedean", "sync"};

    for (size_t i = 0; i < COUNT(times); i++) {
        char count[16];
        struct net_words words = {.protocol = p->name,
                                  .nodes = count,
                                  .names = names,
                                  .time = times[i],
                                  .settings = s->list,
                                  .settings_count = s->count,
                                  .returns = true};
        struct net_why why;

        snprintf(count, sizeof count, "%u", nodes);
        if (net_make(made, &words, &why)) {
            net_describe(&made->net);
            if (net_prepare(made, &made->net, &why))
                return true;
        }
        net_unmake(made);
        memset(made, 0, sizeof *made);
    }
    return false;
}

/* Two to five nodes, one time in three with the greatest names.  If all that
 * is drawn is refused, the defaults; false: there are none for so many. */
static inline bool draw_net(struct net_made *made, struct settings *s,
                            const struct fc_protocol *p, uint32_t nodes,
                            struct dice *dice)
{
    static const char *const great[] = {
        [2] = "1073741823,1",
        [3] = "1073741822,1073741823,1",
        [4] = "1,1073741823,1073741821,1073741822",
        [5] = "1073741823,7,1073741821,1073741822,1",
    };

    for (int i = 0; i < 8; i++) {
        const char *names = throw_below(dice, 3) ? NULL : great[nodes];

        draw_settings(s, p, dice);
        if (make_net(made, s, p, nodes, names))
            return true;
    }
    s->count = 0;
    return make_net(made, s, p, nodes, NULL);
}

#endif
