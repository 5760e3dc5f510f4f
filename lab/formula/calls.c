/*
 * calls.c - letters and functions in formulas (see reader.h).
 */
#include <math.h>
#include <string.h>

#include "lab/formula/reader.h"
#include "net/word.h"

/* The name most like this one, of functions and letters; or NULL. */
static const char *find_near(const struct lab_reader *r, const char *name,
                             bool called)
{
    const struct lab_scope *s = r->scope;
    uint32_t least = UINT32_MAX;
    const char *near = NULL;

    for (uint32_t i = 0; i < s->functions_count; i++)
        if (called == (s->functions[i].arguments > 0) &&
            net_is_nearer(name, s->functions[i].name, &least))
            near = s->functions[i].name;
    for (uint32_t i = 0; called && i < lab_common_count; i++)
        if (net_is_nearer(name, lab_common[i].name, &least))
            near = lab_common[i].name;
    for (const struct lab_letter *l = s->letters; !called && l->name; l++)
        if (net_is_nearer(name, l->name, &least))
            near = l->name;
    return near;
}

static uint16_t unknown(struct lab_reader *r, const char *place,
                        const char *name, bool called)
{
    const char *near =
        r->scope->functions_count ? find_near(r, name, called) : NULL;

    (void)lab_fail_at(
        r, place, called ? "there is no function" : "there is no letter", name);
    if (near && r->wrong == place)
        net_add(r->why, "; did you mean '%s'?", near);
    return 0;
}

static bool next_argument(struct lab_reader *r, bool last)
{
    if (!r->failed && !lab_take(r, last ? ")" : ","))
        (void)lab_fail(r, "a ',' or ')' is missing before", r->at);
    return !r->failed;
}

static uint16_t call_common(struct lab_reader *r, uint32_t which)
{
    uint32_t wanted = lab_common[which].arguments;
    uint16_t part[LAB_ARGUMENTS_MAX] = {0}, at;
    struct lab_term *t;

    if (strcmp(lab_common[which].name, "f") == 0 && !r->scope->wait)
        return lab_fail(r, "there is no f here", NULL);
    for (uint32_t i = 0; i < wanted && !r->failed; i++) {
        part[i] = lab_formula_of(r);
        (void)next_argument(r, i + 1 == wanted);
    }
    t = lab_add(r, LAB_CALL, &at);
    t->which = (uint8_t)which;
    memcpy(t->part, part, sizeof part);
    for (uint32_t i = 0; i < wanted; i++)
        r->out->placed |= r->out->term[part[i]].is_node;
    return at;
}

/* A word of a list, as its number there. */
uint16_t lab_word_of(struct lab_reader *r, const struct lab_function *f)
{
    const char *place, *near = NULL, *comma = " (";
    uint32_t least = UINT32_MAX;
    char word[LAB_NAME_SIZE];
    size_t length = 0;

    lab_skip(r);
    place = r->at;
    while (lab_goes_on(*r->at) || *r->at == '-') {
        if (length + 1 < sizeof word)
            word[length++] = *r->at;
        r->at++;
    }
    word[length] = '\0';
    for (uint32_t i = 0; i < f->words_count; i++) {
        if (f->words[i] && strcmp(f->words[i], word) == 0)
            return lab_constant(r, lab_whole(i));
        if (f->words[i] && net_is_nearer(word, f->words[i], &least))
            near = f->words[i];
    }
    (void)lab_fail_at(r, place, "this is none of the words of its list:", word);
    if (r->wrong != place)
        return 0;
    if (near)
        net_add(r->why, "; did you mean '%s'?", near);
    for (uint32_t i = 0; i < f->words_count; i++)
        if (f->words[i]) {
            net_add(r->why, "%s%s", comma, f->words[i]);
            comma = ", ";
        }
    net_add(r->why, ")");
    return 0;
}

static const struct lab_function *
own_called(const struct lab_reader *r, const char *name, uint32_t arguments)
{
    for (uint32_t i = 0; i < r->scope->functions_count; i++) {
        const struct lab_function *f = &r->scope->functions[i];

        if (strcmp(f->name, name) == 0 &&
            (arguments == UINT32_MAX ? f->arguments > 0
                                     : f->arguments == arguments))
            return f;
    }
    return NULL;
}

/* Whether the next argument, of those with this name, is a word of a list. */
static const struct lab_function *worded_at(const struct lab_reader *r,
                                            const char *name, uint32_t argument)
{
    for (uint32_t i = 0; i < r->scope->functions_count; i++) {
        const struct lab_function *f = &r->scope->functions[i];

        if (strcmp(f->name, name) == 0 &&
            ((f->worded == LAB_FIRST_WORD && argument == 0) ||
             (f->worded == LAB_LAST_WORD && argument + 1 == f->arguments)))
            return f;
    }
    return NULL;
}

static void note_places(struct lab_reader *r, const char *place,
                        const struct lab_function *f, const uint16_t *part)
{
    for (uint32_t i = 0; i < f->arguments; i++) {
        const struct lab_term *t = &r->out->term[part[i]];
        bool node = t->is_node;

        if ((f->nodes >> i & 1) && t->op == LAB_NUMBER &&
            !(t->number.value >= 0 &&
              t->number.value < (double)r->scope->nodes))
            (void)lab_fail_at(r, place, "nodes are 0 to N-1 here, in", f->form);

        /* A node by its number, or a number that is not for a node. */
        r->out->placed |= ((f->nodes >> i & 1) != 0) != node &&
                          ((f->nodes >> i & 1) != 0 || node);
    }
    r->out->placed |= f->is_placed;
}

static uint16_t call_own(struct lab_reader *r, const char *place,
                         const char *name)
{
    uint16_t part[LAB_ARGUMENTS_MAX] = {0}, at;
    const struct lab_function *f;
    struct lab_term *t;
    uint32_t count = 0;

    for (bool more = true; more && !r->failed;) {
        f = worded_at(r, name, count);
        if (count == LAB_ARGUMENTS_MAX)
            return lab_fail(r, "these are too many arguments", NULL);
        part[count++] = f ? lab_word_of(r, f) : lab_formula_of(r);
        more = !r->failed && lab_take(r, ",");
    }
    if (!r->failed && !lab_take(r, ")"))
        return lab_fail(r, "a ',' or ')' is missing before", r->at);
    if (r->failed)
        return 0;
    f = own_called(r, name, count);
    if (!f) {
        f = own_called(r, name, UINT32_MAX);
        return lab_fail_at(r, place, "this is not as it is written:", f->form);
    }
    note_places(r, place, f, part);
    t = lab_add(r, LAB_OWN, &at);
    t->own = f;
    t->is_node = f->is_node;
    memcpy(t->part, part, sizeof part);
    return at;
}

/* What is in brackets is read once, and computed for each name. */
static uint16_t sum_over_names(struct lab_reader *r)
{
    uint16_t at, body;
    struct lab_term *t;

    if (r->scope->last < r->scope->first)
        return lab_fail(r, "there are no names to add up over", NULL);
    r->sums++;
    body = lab_formula_of(r);
    r->sums--;
    if (!r->failed && !lab_take(r, ")"))
        return lab_fail(r, "a ')' is missing before", r->at);
    t = lab_add(r, LAB_SUM, &at);
    t->which = LAB_SLOT_OF_SUM;
    t->part[0] = body;
    return at;
}

uint16_t lab_after(struct lab_reader *r, uint16_t (*what)(struct lab_reader *r),
                   const char *place)
{
    uint16_t at, body;

    if (!r->scope->steps)
        return lab_fail_at(
            r, place,
            "only always and never speak of a step, by next() and "
            "then",
            NULL);
    if (r->after)
        return lab_fail_at(r, place,
                           "there is one step at a time: no next() "
                           "within next() or after then",
                           NULL);
    r->after = true;
    body = what(r);
    r->after = false;
    r->out->steps = true;
    lab_add(r, LAB_NEXT, &at)->part[0] = body;
    return at;
}

static uint16_t letter(struct lab_reader *r, const char *place,
                       const char *name)
{
    uint16_t at;
    const struct lab_function *own;
    struct lab_term *t;

    if (r->sums && strcmp(name, "i") == 0) {
        lab_add(r, LAB_VARIABLE, &at)->which = LAB_SLOT_OF_SUM;
        return at;
    }
    for (uint32_t i = r->variables; i-- > 0;)
        if (strcmp(r->variable[i], name) == 0) {
            t = lab_add(r, LAB_VARIABLE, &at);
            t->which = (uint8_t)i;
            t->is_node = true;
            return at;
        }
    for (const struct lab_letter *l = r->scope->letters; l->name; l++)
        if (strcmp(l->name, name) == 0)
            return lab_constant(r, l->is);
    if ((own = own_called(r, name, 0))) {
        t = lab_add(r, LAB_OWN, &at);
        t->own = own;
        t->is_node = own->is_node;
        r->out->placed |= own->is_placed;
        return at;
    }
    if (strcmp(name, "e") == 0)
        return lab_constant(r, lab_inexact(exp(1)));
    if ((own = own_called(r, name, UINT32_MAX)))
        return lab_fail_at(r, place,
                           "this is not as it is written:", own->form);
    return unknown(r, place, name, false);
}

/* A letter, or a function of what follows in brackets. */
uint16_t lab_word(struct lab_reader *r)
{
    const char *place = r->at;
    char name[LAB_NAME_SIZE];
    uint16_t body;

    lab_take_name(r, name);
    if (lab_is_reserved(name)) {
        r->at = place;
        return lab_fail(r, "a number or a letter is missing before", r->at);
    }
    if (!lab_take(r, "("))
        return letter(r, place, name);
    if (strcmp(name, "sum") == 0)
        return sum_over_names(r);
    if (strcmp(name, "next") == 0 && r->scope->functions_count) {
        body = lab_after(r, lab_formula_of, place);
        return r->failed || lab_take(r, ")")
                   ? body
                   : lab_fail(r, "a ')' is missing before", r->at);
    }
    if (own_called(r, name, UINT32_MAX))
        return call_own(r, place, name);
    for (uint32_t i = 0; i < lab_common_count; i++)
        if (strcmp(lab_common[i].name, name) == 0)
            return call_common(r, i);
    return unknown(r, place, name, true);
}
