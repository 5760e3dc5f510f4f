/*
 * check_faults.c - --fault for a search (see check.h): the words of the
 * simulator.  A search tries every moment and every message, so it is told the
 * greatest number of faults and the nodes that they may hit; no chance, no
 * tick.
 */
#include <stdio.h>
#include <string.h>

#include "cli/check/check.h"
#include "cli/cli.h"
#include "core/lists.h"
#include "core/text.h"
#include "net/fault_words.h"

enum { MOST = 200, MOST_TICKS = 10000 };

#define WISHES struct check_setup

static const struct effect {
    /* What follows the word: names, then ticks; a count; ticks; a list of
     * nodes. */
    enum what { NOTHING, NODES, COUNT, TICKS, LIST } what;
    size_t offset, ticks; /* in struct check_setup; ticks 0: none */
    const char *restarts;
} effects[] = {
    [NET_WORD_CRASH] = {NODES, AT(crashes)},
    [NET_WORD_CRASHES] = {COUNT, AT(crashes), .restarts = "same"},
    [NET_WORD_CRASHES_BLANK] = {COUNT, AT(crashes), .restarts = "blank"},
    [NET_WORD_RESTART] = {.restarts = "same"},
    [NET_WORD_RESTART_BLANK] = {.restarts = "blank"},
    [NET_WORD_PAUSE] = {NODES, AT(pauses),
                        .ticks = offsetof(WISHES, pause_max)},
    [NET_WORD_CUT] = {NODES, AT(cuts), .ticks = offsetof(WISHES, cut_max)},
    [NET_WORD_LOSS] = {COUNT, AT(losses)},
    [NET_WORD_DUPLICATE] = {COUNT, AT(copies)},
    [NET_WORD_LATE] = {TICKS, AT(late_ticks)},
    [NET_WORD_REORDER] = {.what = NOTHING},
    [NET_WORD_CHANGE] = {.what = LIST},
};

/* What was typed, of which the word is known. */
struct typed {
    const char *what, *rest, *form;
    const struct effect *effect;
};

static uint32_t *field(struct cli_check *c, size_t offset)
{
    return (uint32_t *)(void *)((char *)&c->check + offset);
}

static int refuse(const struct typed *t)
{
    return cli_refuse("--fault '%s': write it as '%s'; a search tries every "
                      "moment and every message, so it takes neither a tick "
                      "nor a chance",
                      t->what, t->form);
}

/* [NAME,...][:TICKS]: as many times as there are names, to these nodes. */
static int add_nodes(struct cli_check *c, const struct typed *t)
{
    const struct effect *f = t->effect;
    const char *rest = t->rest, *colon = strchr(rest, ':');
    size_t length = colon ? (size_t)(colon - rest) : strlen(rest);
    uint64_t ticks = 0;

    if (rest[strspn(rest, "0123456789,:")] || (colon && !f->ticks) ||
        (colon && (!fc_read_number(colon + 1, &ticks) || ticks < 1 ||
                   ticks > MOST_TICKS)))
        return refuse(t);
    if (length && c->victims && c->victims != c->struck)
        return cli_refuse("--fault '%s' and --victims both say to which nodes "
                          "it happens; give one",
                          t->what);
    if (length) {
        cli_append(c->struck, sizeof c->struck, "%s%.*s", *c->struck ? "," : "",
                   (int)length, rest);
        c->victims = c->struck;
    }
    *field(c, f->offset) += 1;
    for (size_t i = 0; i < length; i++)
        *field(c, f->offset) += rest[i] == ',';
    if (colon)
        *field(c, f->ticks) = (uint32_t)ticks;
    return 0;
}

static int add_number(struct cli_check *c, const struct typed *t)
{
    bool optional = strchr(t->form, '[') != NULL;
    uint64_t number = 1;

    if ((*t->rest || !optional) &&
        (!fc_read_number(t->rest, &number) || number < 1 ||
         number > (t->effect->what == COUNT ? MOST : MOST_TICKS)))
        return refuse(t);
    *field(c, t->effect->offset) = (uint32_t)number;
    return 0;
}

/* One of the lists that the protocol's parameter says, as `--set changes=...`
 * does. */
static int add_list(struct cli_check *c, const struct typed *t)
{
    const struct fc_protocol *p = net_protocol(c->words.net.protocol);
    uint32_t *count = &c->words.net.settings_count, number, at = *count;
    const char *before = "";
    char lists[sizeof c->lists - 64];
    struct net_why why = {0};
    size_t key;

    if (!p)
        return 0; /* refused when the network is made */
    key = p->changes ? strlen(p->changes) : 0;
    for (uint32_t i = 0; i < *count; i++)
        if (!strncmp(c->words.settings[i], p->changes ? p->changes : "", key) &&
            c->words.settings[i][key] == '=') {
            before = c->words.settings[i] + key + 1;
            at = i;
        }
    if (!net_add_list(p, before, t->rest, lists, sizeof lists, &number, &why))
        return cli_refuse("--fault '%s': %s", t->what, why.text);
    if (at == CLI_REPEATS_MAX)
        return cli_refuse("--fault '%s': leave out a --set, there are %d",
                          t->what, CLI_REPEATS_MAX);
    snprintf(c->lists, sizeof c->lists, "%s=%s", p->changes, lists);
    c->words.settings[at] = c->lists;
    *count += at == *count;
    c->check.changes = number + 1;
    return 0;
}

static int add(struct cli_check *c, const char *what)
{
    struct net_why why = {0};
    struct typed t = {.what = what};
    enum net_fault_word kind = net_find_fault(what, true, &t.rest, &why);
    int code = 0;

    if (kind == NET_FAULT_WORDS)
        return cli_refuse("--fault '%s': %s", what, why.text);
    t.form = net_fault_forms[kind].search;
    t.effect = &effects[kind];
    if (t.effect->what == LIST)
        code = *t.rest ? add_list(c, &t) : refuse(&t);
    else if (t.effect->what == NODES)
        code = add_nodes(c, &t);
    else if (t.effect->what != NOTHING)
        code = add_number(c, &t);
    else if (*t.rest)
        code = refuse(&t);
    else if (kind == NET_WORD_REORDER)
        c->words.net.links = "any";
    if (t.effect->restarts)
        c->restarts = t.effect->restarts;
    return code;
}

int cli_check_faults(struct cli_check *c)
{
    int code = 0;

    for (uint32_t i = 0; i < c->words.faults_count && !code; i++)
        code = add(c, c->words.faults[i]);
    return code;
}
