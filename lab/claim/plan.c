/*
 * plan.c - see plan.h.
 */
#include "lab/claim/plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"

/* ---- The values of a word ------------------------------------------------ */

static bool spread(struct lab_axis *a, const struct lab_word *w,
                   struct net_why *why)
{
    size_t length = w->value ? strlen(w->value) : 0;
    char *text = NULL;

    *a = (struct lab_axis){.key = w->key};
    if (strcmp(w->key, "n") == 0)
        text = lab_unrolled(w->value ? w->value : "");
    else if (length > 1 && w->value[0] == '{' && w->value[length - 1] == '}')
        text = strndup(w->value + 1, length - 2);
    if (text)
        return lab_axis_cut(a, text, ',', why);
    a->value[0] = w->value;
    a->count = 1;
    return true;
}

/* ---- Which words, in which order ----------------------------------------- */

static bool add_words(struct lab_words *to, const struct lab_words *from)
{
    bool fine = true;

    for (uint32_t i = 0; i < from->count && fine; i++)
        fine = lab_words_set(to, from->word[i].key, from->word[i].value);
    return fine;
}

/* Words of the protocol, then of the reading, then of the try. */
static bool gather(struct lab_words *w, const struct lab_planning *of)
{
    bool fine;

    *w = (struct lab_words){0};
    fine = add_words(w, &of->claim->on.words) &&
           (!of->variant || add_words(w, &of->variant->words)) &&
           add_words(w, &of->how->words) &&
           (!of->other || add_words(w, &of->other->words));
    if (of->how->kind == LAB_TRY_RANDOM && !lab_words_get(w, "runs"))
        fine = fine && lab_words_set(w, "runs", "100");
    if (of->how->kind == LAB_TRY_ALL && !lab_words_get(w, "names") &&
        !lab_words_get(w, "wake"))
        fine = fine && lab_words_set(w, "names", "all");
    return fine;
}

/* ---- The command --------------------------------------------------------- */

/* "crash [n]@0": a formula of n in brackets becomes its number. */
static char *filled(const char *value, const char *nodes, struct net_why *why)
{
    struct lab_letter letters[] = {{"n", {0}}, {NULL, {0}}};
    struct lab_text out = {0};
    char formula[64];
    uint64_t n = 0;

    if (nodes && fc_read_number(nodes, &n))
        letters[0].is = lab_whole((int64_t)n);
    else
        letters[0].name = NULL;
    lab_say(&out, "%s", "");
    while (*value) {
        size_t length = strcspn(value, "[");
        struct lab_number is;

        lab_say(&out, "%.*s", (int)length, value);
        value += length;
        if (!*value)
            break;
        length = strcspn(value, "]");
        snprintf(formula, sizeof formula, "%.*s", (int)length - 1, value + 1);
        if (!value[length] || length > sizeof formula ||
            !lab_evaluate(formula, letters, &is, why) || !is.exact ||
            is.bottom != 1) {
            net_refuse(why, "no whole number of nodes: %.80s", value);
            free(out.text);
            return NULL;
        }
        lab_say(&out, "%" PRId64, is.top);
        value += length + 1;
    }
    if (!out.failed)
        return out.text;
    net_no_memory(why, "the commands");
    free(out.text);
    return NULL;
}

/* The value that a word has in a cell, or NULL. */
static const char *value_of(const struct lab_grid *g, uint32_t number,
                            const char *key)
{
    for (uint32_t i = 0; i < g->count; i++)
        if (strcmp(g->axis[i].key, key) == 0)
            return lab_grid_value(g, number, i);
    return NULL;
}

/* If a quantity of records is measured: all that the claim has, so that one
 * experiment answers for all of them. */
static void say_values(struct lab_text *t, const struct lab_planning *of)
{
    const struct lab_variants *values = &of->claim->values;
    bool any = false;

    for (uint32_t i = 0; i < values->count; i++)
        any = any || strcmp(values->of[i].name, of->quantity) == 0;
    for (uint32_t i = 0; i < values->count && any; i++) {
        struct lab_text word = {0};

        lab_say(&word, "%s=%s", values->of[i].name, values->of[i].text);
        lab_say(t, " --value");
        if (!word.failed)
            lab_say_word(t, word.text);
        t->failed |= word.failed;
        free(word.text);
    }
}

/* Whether it is the least that decides, and not the most. */
static bool wants_least(const struct lab_statement *r)
{
    return r->left == LAB_LEAST ||
           (r->left == LAB_EACH &&
            (r->op == LAB_AT_LEAST || r->op == LAB_MORE));
}

static bool say_check(struct lab_text *t, const struct lab_planning *of,
                      struct net_why *why)
{
    const struct lab_statement *r = &of->stated->relation;
    bool exact = of->how->kind == LAB_TRY_EXACT;
    bool most = !wants_least(r);
    bool least = !most || (r->op == LAB_EQUAL && r->left != LAB_MOST);

    if (r->left == LAB_PROPERTY || r->left == LAB_FAILS ||
        r->left == LAB_CHANCE) {
        if (*of->quantity)
            lab_say(t, " --only %s", of->quantity);
        if (exact)
            lab_say(t, " --worst");
        return exact || r->left != LAB_CHANCE ||
               net_refuse(why, "a probability is not tried by check");
    }
    if (exact != (r->left == LAB_MEAN))
        return net_refuse(
            why, "a mean is tried by exact, and nothing else is: %.80s",
            r->text);
    if (exact)
        lab_say(t, " --expect %s", of->quantity);
    else if (most)
        lab_say(t, " --max %s", of->quantity);
    if (!exact && least)
        lab_say(t, " --min %s", of->quantity);
    return true;
}

static bool say_measured(struct lab_text *t, const struct lab_planning *of,
                         struct net_why *why)
{
    const struct lab_statement *r = &of->stated->relation;
    enum lab_kind kind = of->how->kind;

    if (kind == LAB_TRY_CHECK || kind == LAB_TRY_EXACT)
        return say_check(t, of, why);
    if (kind != LAB_TRY_SEARCH) {
        say_values(t, of);
        return true;
    }
    if (r->left != LAB_EACH && r->left != LAB_MOST && r->left != LAB_LEAST)
        return net_refuse(
            why, "a search is for the most or the least, not %.80s", r->text);
    lab_say(t, " --of %s%s", of->quantity, wants_least(r) ? " --least" : "");
    return true;
}

/* Words that say something of the experiment, and stand in no command. */
static bool is_silent(const char *key)
{
    return strcmp(key, "protocol") == 0 || strncmp(key, "let.", 4) == 0;
}

static bool is_parameter(const struct lab_planning *of, const char *key)
{
    return strcmp(key, "n") != 0 &&
           !of->is_option(lab_kind_verb(of->how->kind), key);
}

/* A parameter that the other protocol, which is planned, does not have: it has
 * the cells of the first, but is not told the parameter.  The same protocol
 * with other parameters keeps all that are not given again. */
static bool is_foreign(const struct lab_planning *of, const char *key)
{
    return of->other &&
           strcmp(of->other->protocol, of->claim->on.protocol) != 0 &&
           is_parameter(of, key) && !lab_words_get(&of->other->words, key);
}

static void say_axis(struct lab_text *t, const struct lab_planning *of,
                     const char *key, const char *value)
{
    if (!is_silent(key) && !is_foreign(of, key))
        lab_say_option(t, key, value, is_parameter(of, key));
}

/* The protocol of the claim, unless the try names others: protocol={a,b}. */
static const char *protocol_of(const struct lab_planning *of,
                               const struct lab_grid *g, uint32_t number)
{
    const char *named = value_of(g, number, "protocol");

    if (of->other)
        return of->other->protocol;
    return named ? named : of->claim->on.protocol;
}

/* One cell: the values with these numbers. */
static bool say_cell(struct lab_planned *cell, const struct lab_planning *of,
                     const struct lab_grid *g, uint32_t number,
                     struct net_why *why)
{
    struct lab_text network = {0}, command = {0};
    const char *nodes = value_of(g, number, "n");
    bool fine = true;

    lab_say(&command, "fulcrum %s %s", lab_kind_verb(of->how->kind),
            protocol_of(of, g, number));
    lab_say(&network, "%s", "");
    for (uint32_t i = 0; i < g->count && fine; i++) {
        const struct lab_axis *a = &g->axis[i];
        const char *raw = lab_grid_value(g, number, i);
        char *value = raw ? filled(raw, nodes, why) : NULL;

        fine = !raw || value;
        if (!fine)
            break;
        say_axis(&command, of, a->key, value);
        if (a->count > 1 || strcmp(a->key, "n") == 0)
            lab_say(&network, "%s%s=%s", network.length ? " " : "", a->key,
                    value ? value : "");
        free(value);
    }
    fine = fine && say_measured(&command, of, why);
    if (of->how->kind != LAB_TRY_CHECK && of->how->kind != LAB_TRY_EXACT)
        lab_say(&command, " --seed %" PRIu64, of->seed);
    cell->network = network.text;
    cell->command = command.text;
    if (network.failed || command.failed)
        return net_no_memory(why, "the commands");
    return fine && lab_command_is_harmless(command.text, why);
}

static bool say_cells(struct lab_plan *p, const struct lab_planning *of,
                      const struct lab_grid *g, struct net_why *why)
{
    uint32_t cells = lab_grid_cells(g);
    bool fine = true;

    if (!cells)
        return net_refuse(why, "too many cells");
    p->cell = calloc(cells, sizeof *p->cell);
    if (!p->cell)
        return net_no_memory(why, "the commands");
    for (uint32_t i = 0; i < cells && fine; i++)
        fine = say_cell(&p->cell[p->count++], of, g, i, why);
    return fine;
}

bool lab_plan_make(struct lab_plan *p, const struct lab_planning *of,
                   struct net_why *why)
{
    struct lab_words words;
    struct lab_grid *g = calloc(1, sizeof *g);
    bool fine = g && gather(&words, of);

    *p = (struct lab_plan){0};
    if (!fine)
        (void)(g ? net_refuse(why, "too many words")
                 : net_no_memory(why, "a grid"));
    for (uint32_t i = 0; fine && i < words.count; i++)
        fine = spread(&g->axis[g->count++], &words.word[i], why);
    fine = fine && say_cells(p, of, g, why);
    if (g)
        lab_grid_free(g);
    free(g);
    return fine;
}

void lab_plan_free(struct lab_plan *p)
{
    for (uint32_t i = 0; i < p->count; i++) {
        free(p->cell[i].network);
        free(p->cell[i].command);
    }
    free(p->cell);
    *p = (struct lab_plan){0};
}
