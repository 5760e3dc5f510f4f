/*
 * check_faults.c - --fault for a search (see check.h): the words of the
 * simulator.  A search tries every moment and every message, so it is told how
 * many there are at most, and to which nodes it may happen; no chance, no tick.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/check/check.h"
#include "cli/cli.h"
#include "core/text.h"

enum { MOST = 200, MOST_TICKS = 10000 };

static const struct form {
    const char *word, *rest;
    /* What follows the word: names, then ticks; a count; ticks. */
    enum what { NODES, COUNT, TICKS, NOTHING } what;
    size_t offset, ticks; /* in struct check_setup; ticks 0: none */
    const char *restarts;
} forms[] = {
#define AT(field) offsetof(struct check_setup, field)
    {"crash", "[NAME,...]", NODES, AT(crashes), 0, NULL},
    {"crashes", "COUNT", COUNT, AT(crashes), 0, "same"},
    {"crashes-blank", "COUNT", COUNT, AT(crashes), 0, "blank"},
    {"restart", "", NOTHING, 0, 0, "same"},
    {"restart-blank", "", NOTHING, 0, 0, "blank"},
    {"pause", "[NAME,...][:TICKS]", NODES, AT(pauses), AT(pause_max), NULL},
    {"cut", "[NAME,...][:TICKS]", NODES, AT(cuts), AT(cut_max), NULL},
    {"loss", "[COUNT]", COUNT, AT(losses), 0, NULL},
    {"duplicate", "[COUNT]", COUNT, AT(copies), 0, NULL},
    {"late", "TICKS", TICKS, AT(late_ticks), 0, NULL},
    {"reorder", "", NOTHING, 0, 0, NULL},
};
enum { FORMS = sizeof forms / sizeof forms[0] };

static uint32_t *field(struct cli_check *c, size_t offset)
{
    return (uint32_t *)(void *)((char *)&c->check + offset);
}

static int refuse(const struct form *f, const char *what)
{
    return cli_refuse(
        "--fault '%s': write it as '%s%s%s'; a search tries every "
        "moment and every message, so it takes neither a tick "
        "nor a chance",
        what, f->word, *f->rest ? " " : "", f->rest);
}

static int refuse_word(const char *what, const char *word)
{
    uint32_t least = UINT32_MAX;
    const char *near = NULL;
    char all[256] = "";

    for (size_t i = 0; i < FORMS; i++) {
        size_t used = strlen(all);

        if (net_is_nearer(word, forms[i].word, &least))
            near = forms[i].word;
        snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "",
                 forms[i].word);
    }
    if (near)
        return cli_refuse("--fault '%s': there is no fault '%s'; did you mean "
                          "'%s'?",
                          what, word, near);
    return cli_refuse("--fault '%s': there is no fault '%s'; there are %s",
                      what, word, all);
}

/* [NAME,...][:TICKS]: as many times as there are names, to these nodes. */
static int add_nodes(struct cli_check *c, const struct form *f,
                     const char *what, const char *rest)
{
    const char *colon = strchr(rest, ':');
    size_t length = colon ? (size_t)(colon - rest) : strlen(rest);
    size_t used = strlen(c->struck);
    uint64_t ticks = 0;

    if (rest[strspn(rest, "0123456789,:")] || (colon && !f->ticks) ||
        (colon && (!fc_read_number(colon + 1, &ticks) || ticks < 1 ||
                   ticks > MOST_TICKS)))
        return refuse(f, what);
    if (length && c->victims && c->victims != c->struck)
        return cli_refuse("--fault '%s' and --victims both say to which nodes "
                          "it happens; give one",
                          what);
    if (length) {
        snprintf(c->struck + used, sizeof c->struck - used, "%s%.*s",
                 used ? "," : "", (int)length, rest);
        c->victims = c->struck;
    }
    *field(c, f->offset) += 1;
    for (size_t i = 0; i < length; i++)
        *field(c, f->offset) += rest[i] == ',';
    if (colon)
        *field(c, f->ticks) = (uint32_t)ticks;
    return 0;
}

static int add_number(struct cli_check *c, const struct form *f,
                      const char *what, const char *rest)
{
    uint64_t number = 1;

    if ((*rest || f->rest[0] != '[') &&
        (!fc_read_number(rest, &number) || number < 1 ||
         number > (f->what == COUNT ? MOST : MOST_TICKS)))
        return refuse(f, what);
    *field(c, f->offset) = (uint32_t)number;
    return 0;
}

static int add(struct cli_check *c, const char *what)
{
    const struct form *f = NULL;
    size_t length = strcspn(what, " ");
    const char *rest = what + length + strspn(what + length, " ");
    char word[64];
    int code = 0;

    snprintf(word, sizeof word, "%.*s", (int)(length < 63 ? length : 63), what);
    for (size_t i = 0; i < FORMS; i++)
        if (strcmp(forms[i].word, word) == 0)
            f = &forms[i];
    if (!f)
        return refuse_word(what, word);
    if (f->what == NODES)
        code = add_nodes(c, f, what, rest);
    else if (f->what != NOTHING)
        code = add_number(c, f, what, rest);
    else if (*rest)
        code = refuse(f, what);
    else if (!f->restarts)
        c->words.links = "any";
    if (f->restarts)
        c->restarts = f->restarts;
    return code;
}

int cli_check_faults(struct cli_check *c)
{
    int code = 0;

    for (uint32_t i = 0; i < c->faults_count && !code; i++)
        code = add(c, c->faults[i]);
    return code;
}
