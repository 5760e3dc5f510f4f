/*
 * rows.h - a search of facts.txt, "holds chang-roberts -n 3", for tests that go
 * through them.  Of --names all, the first placement.
 */
#ifndef ROWS_H
#define ROWS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/check.h"
#include "core/text.h"
#include "net/judge.h"
#include "net/make.h"
#include "tests/unit/kit/test.h"

enum { ROW_WORDS = 64 };

struct row {
    char text[512]; /* as it stands there, without the verdict */
    bool holds;
    struct net_made made;
    struct check_setup check;
};

struct row_reading {
    char copy[512];
    struct net_words words;
    const char *settings[ROW_WORDS];
    const char *wake, *victims, *only;
};

static inline uint32_t row_nodes(const struct row *r, const char *list)
{
    struct net_memory memory = {.segment_bytes = 0};
    const struct net *net = &r->made.net;
    struct net_names names;
    char copy[256], *rest = copy, *word;
    uint32_t nodes = 0;

    snprintf(copy, sizeof copy, "%s", list);
    assert_int_equal(net_names_begin(&names, net, 1, true, &memory), 0);
    while ((word = strsep(&rest, ",")))
        for (uint32_t i = 0; i < net->world.nodes; i++)
            if (net_name(&names, i) == strtoul(word, NULL, 10))
                nodes |= UINT32_C(1) << i;
    net_memory_free(&memory);
    return nodes;
}

static inline uint32_t row_properties(const struct row *r, const char *list)
{
    const struct fc_protocol *p = r->made.net.protocol;
    char copy[256], *rest = copy, *word;
    uint32_t chosen = 0;

    snprintf(copy, sizeof copy, "%s", list);
    while ((word = strsep(&rest, ",")))
        for (uint32_t i = 0; i <= FC_SANE_BIT; i++)
            if (fc_property(p, i) && strcmp(word, fc_property(p, i)) == 0)
                chosen |= UINT32_C(1) << i;
    assert_int_not_equal(chosen, 0);
    return chosen;
}

/* An option and its value; false: it takes none. */
static inline bool row_option(struct row *r, struct row_reading *w,
                              const char *option, const char *value)
{
    struct check_setup *c = &r->check;
    const struct {
        const char *option;
        const char **text;
        uint32_t *number;
    } known[] = {
        {"-n", &w->words.nodes, NULL},
        {"--names", &w->words.names, NULL},
        {"--topology", &w->words.topology, NULL},
        {"--time", &w->words.time, NULL},
        {"--bounds", &w->words.bounds, NULL},
        {"--clock", &w->words.clock, NULL},
        {"--links", &w->words.links, NULL},
        {"--wake", &w->wake, NULL},
        {"--victims", &w->victims, NULL},
        {"--only", &w->only, NULL},
        {"--section", NULL, &c->section},
        {"--crashes", NULL, &c->crashes},
        {"--loss", NULL, &c->losses},
        {"--duplicate", NULL, &c->copies},
        {"--late", NULL, &c->late_ticks},
        {"--changes", NULL, &c->changes},
        {"--pauses", NULL, &c->pauses},
        {"--pause-max", NULL, &c->pause_max},
        {"--cuts", NULL, &c->cuts},
        {"--cut-max", NULL, &c->cut_max},
        {"--until", NULL, &c->until},
        {"--faults-from", NULL, &c->faults_from},
    };

    for (size_t i = 0; i < COUNT(known); i++) {
        if (strcmp(known[i].option, option) != 0)
            continue;
        if (known[i].text)
            *known[i].text = value;
        else
            *known[i].number = (uint32_t)strtoul(value, NULL, 10);
        return true;
    }
    if (strcmp(option, "--set") == 0) {
        w->settings[w->words.settings_count++] = value;
    } else if (strcmp(option, "--entries") == 0) {
        c->entries = strcmp(value, "any") == 0
                         ? CHECK_ENTRIES_ANY
                         : (uint32_t)strtoul(value, NULL, 10);
    } else if (strcmp(option, "--restarts") == 0) {
        c->back =
            strcmp(value, "same") == 0 ? CHECK_RETURN_SAME : CHECK_RETURN_BLANK;
    } else {
        c->notice |= strcmp(option, "--notice") == 0;
        c->shared |= strcmp(option, "--shared") == 0;
        c->reduce |= strcmp(option, "--reduce") == 0;
        assert_true(c->notice || c->shared || c->reduce ||
                    strcmp(option, "--symmetry") == 0);
        return false;
    }
    return true;
}

/* The network, in the time that the protocol needs where none is given. */
static inline void row_network(struct row *r, struct row_reading *w)
{
    const struct fc_protocol *p = net_protocol(w->words.protocol);
    struct net_why why = {0};

    assert_non_null(p);
    if (w->words.names && strcmp(w->words.names, "all") == 0)
        w->words.names = NULL;
    if (!w->words.names && !p->anonymous && p->topology != FC_COMPLETE)
        w->words.names = "asc";
    if (!w->words.topology && p->topology == FC_TREE)
        w->words.topology = "path";
    w->words.settings = w->settings;
    w->words.returns = r->check.back != CHECK_RETURN_NEVER;
    if (!w->words.time && !w->words.bounds && !w->words.clock) {
        uint32_t needs;

        if (!net_make(&r->made, &w->words, &why))
            fail_msg("%s: %s", r->text, why.text);
        needs = net_needs(&r->made.net);
        net_unmake(&r->made);
        if (needs & FC_NEEDS_TIME && !(needs & FC_NEEDS_UNISON))
            w->words.bounds = "1:1:1:2";
        else
            w->words.time = needs & FC_NEEDS_UNISON ? "sync" : "async";
    }
    if (!net_make(&r->made, &w->words, &why))
        fail_msg("%s: %s", r->text, why.text);
    net_describe(&r->made.net);
    assert_true(net_prepare(&r->made, &r->made.net, &why));
}

/* Reads a line; false if it is not a command. */
static inline bool row_open(struct row *r, const char *line)
{
    struct row_reading w = {.words.settings_count = 0};
    char *rest = w.copy, *word;
    const char *verdict;

    memset(r, 0, sizeof *r);
    snprintf(w.copy, sizeof w.copy, "%.*s", (int)strcspn(line, "\n"), line);
    verdict = strsep(&rest, " ");
    r->holds = strcmp(verdict, "holds") == 0;
    if (!r->holds && strcmp(verdict, "violated") != 0)
        return false;
    snprintf(r->text, sizeof r->text, "%s", rest);
    r->check = (struct check_setup){.entries = 1, .section = 1};
    w.words.protocol = strsep(&rest, " ");
    while ((word = strsep(&rest, " "))) {
        const char *value = rest ? rest : "";
        char *end = rest ? strchr(rest, ' ') : NULL;

        if (end && value[0] != '-')
            *end = '\0';
        if (row_option(r, &w, word, value))
            rest = end ? end + 1 : NULL;
    }
    row_network(r, &w);
    r->check.properties = ~UINT32_C(0);
    r->check.listed = r->check.victims = ~UINT32_C(0);
    if (w.wake && strcmp(w.wake, "any") == 0)
        r->check.waking = CHECK_WAKE_ANY;
    else if (w.wake)
        r->check.listed = row_nodes(r, w.wake);
    if (w.victims)
        r->check.victims = row_nodes(r, w.victims);
    if (w.only)
        r->check.properties = row_properties(r, w.only);
    r->check.net = r->made.net;
    return true;
}

static inline void row_close(struct row *r)
{
    net_unmake(&r->made);
}

#endif
