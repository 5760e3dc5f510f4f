/*
 * expression.c - reads formulas (see expression.h).
 *
 * By recursive descent into a list of terms, each after those that it is made
 * of; evaluate.c computes them.  What is wrong is said with the place where it
 * stands.
 */
#include "lab/formula/expression.h"

#include <ctype.h>
#include <string.h>

#include "lab/formula/reader.h"

enum { DEPTH_MAX = 100 };

static uint16_t primary(struct lab_reader *r);

/* ---- Quantifiers --------------------------------------------------------- */

/* The name of a variable; it must be new. */
static bool bind(struct lab_reader *r)
{
    char name[LAB_NAME_SIZE];
    const char *place;

    lab_skip(r);
    place = r->at;
    if (!isalpha((unsigned char)*r->at))
        return lab_fail(r, "the name of a variable is missing before", r->at);
    lab_take_name(r, name);
    for (const struct lab_letter *l = r->scope->letters; l->name; l++)
        if (strcmp(l->name, name) == 0)
            return lab_fail_at(
                r, place, "it is a letter already, and no variable:", name);
    for (uint32_t i = 0; i < r->variables; i++)
        if (strcmp(r->variable[i], name) == 0)
            return lab_fail_at(r, place, "it is a variable already:", name);
    if (r->variables == LAB_VARIABLES_MAX)
        return lab_fail_at(r, place, "these are too many variables", NULL);
    memcpy(r->variable[r->variables++], name, sizeof name);
    return true;
}

/* One call, or what is in brackets. */
static uint16_t tight(struct lab_reader *r)
{
    return lab_take_word(r, "not") ? lab_join(r, LAB_NOT, tight(r), 0)
                                   : primary(r);
}

/* What is bound first is the outermost. */
static uint16_t quantified(struct lab_reader *r, enum lab_op op)
{
    uint32_t first = r->variables;
    uint16_t body;

    if (!r->scope->nodes)
        return lab_fail(r, "there are no nodes here to speak of", NULL);
    do {
        (void)bind(r);
    } while (!r->failed && lab_take(r, ","));
    if (!r->failed && op == LAB_COUNT && r->variables > first + 1)
        (void)lab_fail(r, "count takes one variable", NULL);
    if (!r->failed && !lab_take(r, ":"))
        (void)lab_fail(r, "a ':' is missing before", r->at);
    if (r->failed)
        return 0;
    body = op == LAB_COUNT ? tight(r) : lab_formula_of(r);
    while (r->variables > first) {
        uint16_t at;
        struct lab_term *t = lab_add(r, op, &at);

        t->which = (uint8_t)--r->variables;
        t->part[0] = body;
        body = at;
    }
    return body;
}

/* ---- Operators, from the tightest to the loosest ------------------------- */

static uint16_t primary(struct lab_reader *r)
{
    uint16_t out;

    if (lab_take(r, "(")) {
        out = lab_formula_of(r);
        return r->failed || lab_take(r, ")")
                   ? out
                   : lab_fail(r, "a ')' is missing before", r->at);
    }
    if (isdigit((unsigned char)*r->at) ||
        (*r->at == '.' && isdigit((unsigned char)r->at[1])))
        return lab_constant(r, lab_literal(r));
    if (lab_take_word(r, "some"))
        return quantified(r, LAB_SOME);
    if (lab_take_word(r, "every"))
        return quantified(r, LAB_EVERY);
    if (lab_take_word(r, "count"))
        return quantified(r, LAB_COUNT);
    if (isalpha((unsigned char)*r->at) || *r->at == '@')
        return lab_word(r);
    return *r->at ? lab_fail(r, "a number or a letter is missing before", r->at)
                  : lab_fail(r, "it ends too early", NULL);
}

static uint16_t signed_power(struct lab_reader *r)
{
    uint16_t out;

    if (r->failed || ++r->depth > DEPTH_MAX)
        return lab_fail(r, "too many brackets", NULL);
    if (lab_take(r, "-")) {
        out = lab_join(r, LAB_NEGATIVE, signed_power(r), 0);
    } else {
        out = primary(r);
        if (!r->failed && lab_take(r, "^"))
            out = lab_join(r, LAB_POWER, out, signed_power(r));
    }
    r->depth--;
    return out;
}

static uint16_t product(struct lab_reader *r)
{
    uint16_t out = signed_power(r);

    while (!r->failed) {
        if (lab_take(r, "*"))
            out = lab_join(r, LAB_TIMES, out, signed_power(r));
        else if (lab_take(r, "/"))
            out = lab_join(r, LAB_OVER, out, signed_power(r));
        else
            break;
    }
    return out;
}

static uint16_t sum(struct lab_reader *r)
{
    uint16_t out = product(r);

    while (!r->failed) {
        if (lab_take(r, "+"))
            out = lab_join(r, LAB_PLUS, out, product(r));
        else if (lab_take(r, "-"))
            out = lab_join(r, LAB_MINUS, out, product(r));
        else
            break;
    }
    return out;
}

/* What a function is compared with whose values are words. */
static uint16_t other_side(struct lab_reader *r, uint16_t left)
{
    const struct lab_term *t = &r->out->term[left];
    const char *begin;

    lab_skip(r);
    begin = r->at;
    if (t->op == LAB_OWN && t->own->worded == LAB_VALUE_WORD &&
        isalpha((unsigned char)*begin)) {
        r->at += lab_name_length(r);
        lab_skip(r);
        if (*r->at != '(') {
            r->at = begin;
            return lab_word_of(r, t->own);
        }
        r->at = begin;
    }
    return sum(r);
}

static uint16_t comparison(struct lab_reader *r)
{
    static const char *const signs[LAB_SIGNS] = {
        [LAB_AT_MOST] = "<=", [LAB_AT_LEAST] = ">=", [LAB_DIFFERS] = "!=",
        [LAB_LESS] = "<",     [LAB_MORE] = ">",      [LAB_SAME] = "=",
    };
    uint16_t left = sum(r), right;

    for (uint8_t i = 0; i < LAB_SIGNS && !r->failed; i++)
        if (lab_take(r, signs[i])) {
            bool one, other, whether = i == LAB_SAME || i == LAB_DIFFERS;

            right = other_side(r, left);
            one = r->out->term[left].is_node;
            other = r->out->term[right].is_node;
            r->out->placed |= whether ? one != other : one || other;
            left = lab_join(r, LAB_COMPARED, left, right);
            r->out->term[left].which = i;
            break;
        }
    return left;
}

static uint16_t negation(struct lab_reader *r)
{
    uint16_t out;

    if (!lab_take_word(r, "not"))
        return comparison(r);
    if (r->failed || ++r->depth > DEPTH_MAX)
        return lab_fail(r, "too many brackets", NULL);
    out = lab_join(r, LAB_NOT, negation(r), 0);
    r->depth--;
    return out;
}

static uint16_t conjunction(struct lab_reader *r)
{
    uint16_t out = negation(r);

    while (!r->failed && lab_take_word(r, "and"))
        out = lab_join(r, LAB_AND, out, negation(r));
    return out;
}

static uint16_t disjunction(struct lab_reader *r)
{
    uint16_t out = conjunction(r);

    while (!r->failed && lab_take_word(r, "or"))
        out = lab_join(r, LAB_OR, out, conjunction(r));
    return out;
}

static uint16_t implication(struct lab_reader *r)
{
    uint16_t out = disjunction(r);

    if (r->failed || !lab_take_word(r, "implies"))
        return out;
    if (++r->depth > DEPTH_MAX)
        return lab_fail(r, "too many brackets", NULL);
    out = lab_join(r, LAB_IMPLIES, out, implication(r));
    r->depth--;
    return out;
}

uint16_t lab_formula_of(struct lab_reader *r)
{
    uint16_t out = implication(r);
    const char *place;

    lab_skip(r);
    place = r->at;
    if (r->failed || !r->scope->functions_count || !lab_take_word(r, "then"))
        return out;
    return lab_join(r, LAB_AND, out, lab_after(r, implication, place));
}

/* ---- All of it ----------------------------------------------------------- */

bool lab_read(struct lab_tree *f, const struct lab_scope *scope,
              const char **text, struct net_why *why)
{
    struct lab_reader r = {.at = *text, .scope = scope, .out = f};

    r.why = why;
    f->count = 0;
    f->term[0] = (struct lab_term){.op = LAB_NUMBER}; /* of what failed */
    f->nodes = scope->nodes;
    f->steps = f->placed = false;
    for (uint32_t i = 0; i < scope->variables_count; i++)
        memcpy(r.variable[r.variables++], scope->variables[i],
               strlen(scope->variables[i]) + 1);
    f->root = lab_formula_of(&r);
    lab_skip(&r);
    *text = r.failed ? r.wrong : r.at;
    return !r.failed;
}

bool lab_evaluate_in(const struct lab_scope *scope, const char *text,
                     struct lab_number *out, struct net_why *why)
{
    struct lab_tree f;

    *out = lab_whole(0);
    if (!lab_read(&f, scope, &text, why))
        return false;
    if (*text)
        return net_refuse(why, "what is '%.40s'", text);
    return lab_compute(&f, scope, NULL, NULL, out, why);
}

bool lab_evaluate(const char *text, const struct lab_letter *letters,
                  struct lab_number *out, struct net_why *why)
{
    const struct lab_scope scope = {.letters = letters, .first = 1};

    return lab_evaluate_in(&scope, text, out, why);
}
