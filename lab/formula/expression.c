/*
 * expression.c - reads formulas (see expression.h).
 *
 * By recursive descent into a list of terms, each after those that it is made
 * of; evaluate.c computes them.  What is wrong is said with the place where it
 * stands.
 */
#include "lab/formula/expression.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "lab/formula/terms.h"
#include "net/word.h"

enum { DEPTH_MAX = 100, NAME_SIZE = 32 };

/* The slot of sum(), beside those of quantifiers. */
enum { SLOT_OF_SUM = LAB_VARIABLES_MAX };

struct reader {
    const char *at;
    const struct lab_scope *scope;
    struct lab_tree *out;
    struct net_why *why;
    const char *wrong; /* where, once it failed */
    char variable[LAB_VARIABLES_MAX][NAME_SIZE];
    uint32_t variables;
    uint32_t depth, sums;
    bool failed, after;
};

static uint16_t fail_at(struct reader *r, const char *place, const char *what,
                        const char *where)
{
    if (!r->failed && where && !*where) {
        net_refuse(r->why, "%s the end", what);
        r->wrong = place;
    } else if (!r->failed) {
        net_refuse(r->why, "%s%s%.40s%s", what, where ? " '" : "",
                   where ? where : "", where ? "'" : "");
        r->wrong = place;
    }
    r->failed = true;
    return 0;
}

static uint16_t fail(struct reader *r, const char *what, const char *where)
{
    return fail_at(r, r->at, what, where);
}

/* ---- Words and signs ----------------------------------------------------- */

static void skip(struct reader *r)
{
    while (isspace((unsigned char)*r->at))
        r->at++;
}

static bool take(struct reader *r, const char *sign)
{
    size_t length = strlen(sign);

    skip(r);
    if (strncmp(r->at, sign, length) != 0)
        return false;
    r->at += length;
    return true;
}

static bool goes_on(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '@';
}

/* The letters from here on that are one name: "a.b" is, where a scope has
 * functions. */
static size_t name_length(const struct reader *r)
{
    const char *at = r->at;

    while (goes_on(*at) || (*at == '.' && r->scope->functions_count &&
                            isalpha((unsigned char)at[1])))
        at++;
    return (size_t)(at - r->at);
}

/* Takes this word, whole. */
static bool take_word(struct reader *r, const char *word)
{
    skip(r);
    if (name_length(r) != strlen(word) ||
        strncmp(r->at, word, strlen(word)) != 0)
        return false;
    r->at += strlen(word);
    return true;
}

static void take_name(struct reader *r, char name[NAME_SIZE])
{
    size_t length = name_length(r);
    size_t kept = length < NAME_SIZE ? length : NAME_SIZE - 1;

    memcpy(name, r->at, kept);
    name[kept] = '\0';
    r->at += length;
}

static bool is_reserved(const char *name)
{
    static const char *const words[] = {"and",   "or",    "not",  "implies",
                                        "some",  "every", "count", "then"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(name, words[i]) == 0)
            return true;
    return false;
}

/* ---- Terms --------------------------------------------------------------- */

static struct lab_term *add(struct reader *r, enum lab_op op, uint16_t *at)
{
    struct lab_term *t = &r->out->term[r->out->count];

    if (r->out->count + 1 >= LAB_TERMS_MAX) {
        *at = fail(r, "it is too long", NULL);
        return t; /* the last one, which nothing leads to */
    }
    *at = (uint16_t)r->out->count++;
    memset(t, 0, sizeof *t);
    t->op = (uint8_t)op;
    return t;
}

static uint16_t constant(struct reader *r, struct lab_number number)
{
    uint16_t at;

    add(r, LAB_NUMBER, &at)->number = number;
    return at;
}

static uint16_t join(struct reader *r, enum lab_op op, uint16_t a, uint16_t b)
{
    uint16_t at;
    struct lab_term *t = add(r, op, &at);

    t->part[0] = a;
    t->part[1] = b;
    /* Nodes that are alike must not be told apart by their numbers. */
    if (op >= LAB_NEGATIVE && op <= LAB_POWER)
        r->out->placed |=
            r->out->term[a].is_node || r->out->term[b].is_node;
    return at;
}

static uint16_t formula(struct reader *r);
static uint16_t primary(struct reader *r);

/* Exact, with a fraction and all, while it fits. */
static struct lab_number literal(struct reader *r)
{
    struct lab_number out = lab_whole(0), ten = lab_whole(10);
    struct lab_number scale = lab_whole(1);
    bool behind = false;

    for (; isdigit((unsigned char)*r->at) || (*r->at == '.' && !behind);
         r->at++) {
        if (*r->at == '.') {
            behind = true;
            continue;
        }
        out = lab_plus(lab_times(out, ten), lab_whole(*r->at - '0'));
        if (behind)
            scale = lab_times(scale, ten);
    }
    return lab_times(out, lab_inverse(scale));
}

/* ---- Functions ----------------------------------------------------------- */

/* The name most like this one, of functions and letters; or NULL. */
static const char *find_near(const struct reader *r, const char *name,
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

static uint16_t unknown(struct reader *r, const char *place, const char *name,
                        bool called)
{
    const char *near = r->scope->functions_count
                           ? find_near(r, name, called)
                           : NULL;

    (void)fail_at(r, place,
                  called ? "there is no function" : "there is no letter", name);
    if (near && r->wrong == place)
        net_add(r->why, "; did you mean '%s'?", near);
    return 0;
}

static bool next_argument(struct reader *r, bool last)
{
    if (!r->failed && !take(r, last ? ")" : ","))
        (void)fail(r, "a ',' or ')' is missing before", r->at);
    return !r->failed;
}

static uint16_t call_common(struct reader *r, uint32_t which)
{
    uint32_t wanted = lab_common[which].arguments;
    uint16_t part[LAB_ARGUMENTS_MAX] = {0}, at;
    struct lab_term *t;

    if (strcmp(lab_common[which].name, "f") == 0 && !r->scope->wait)
        return fail(r, "there is no f here", NULL);
    for (uint32_t i = 0; i < wanted && !r->failed; i++) {
        part[i] = formula(r);
        (void)next_argument(r, i + 1 == wanted);
    }
    t = add(r, LAB_CALL, &at);
    t->which = (uint8_t)which;
    memcpy(t->part, part, sizeof part);
    for (uint32_t i = 0; i < wanted; i++)
        r->out->placed |= r->out->term[part[i]].is_node;
    return at;
}

/* A word of a list, as its number there. */
static uint16_t word_of(struct reader *r, const struct lab_function *f)
{
    const char *place, *near = NULL, *comma = " (";
    uint32_t least = UINT32_MAX;
    char word[NAME_SIZE];
    size_t length = 0;

    skip(r);
    place = r->at;
    while (goes_on(*r->at) || *r->at == '-') {
        if (length + 1 < sizeof word)
            word[length++] = *r->at;
        r->at++;
    }
    word[length] = '\0';
    for (uint32_t i = 0; i < f->words_count; i++) {
        if (f->words[i] && strcmp(f->words[i], word) == 0)
            return constant(r, lab_whole(i));
        if (f->words[i] && net_is_nearer(word, f->words[i], &least))
            near = f->words[i];
    }
    (void)fail_at(r, place, "this is none of the words of its list:",
                  word);
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

static const struct lab_function *own_called(const struct reader *r,
                                             const char *name,
                                             uint32_t arguments)
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
static const struct lab_function *worded_at(const struct reader *r,
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

static void note_places(struct reader *r, const char *place,
                        const struct lab_function *f, const uint16_t *part)
{
    for (uint32_t i = 0; i < f->arguments; i++) {
        const struct lab_term *t = &r->out->term[part[i]];
        bool node = t->is_node;

        if ((f->nodes >> i & 1) && t->op == LAB_NUMBER &&
            !(t->number.value >= 0 &&
              t->number.value < (double)r->scope->nodes))
            (void)fail_at(r, place, "nodes are 0 to N-1 here, in", f->form);

        /* A node by its number, or a number that is not for a node. */
        r->out->placed |= ((f->nodes >> i & 1) != 0) != node &&
                          ((f->nodes >> i & 1) != 0 || node);
    }
    r->out->placed |= f->is_placed;
}

static uint16_t call_own(struct reader *r, const char *place, const char *name)
{
    uint16_t part[LAB_ARGUMENTS_MAX] = {0}, at;
    const struct lab_function *f;
    struct lab_term *t;
    uint32_t count = 0;

    for (bool more = true; more && !r->failed;) {
        f = worded_at(r, name, count);
        if (count == LAB_ARGUMENTS_MAX)
            return fail(r, "these are too many arguments", NULL);
        part[count++] = f ? word_of(r, f) : formula(r);
        more = !r->failed && take(r, ",");
    }
    if (!r->failed && !take(r, ")"))
        return fail(r, "a ',' or ')' is missing before", r->at);
    if (r->failed)
        return 0;
    f = own_called(r, name, count);
    if (!f) {
        f = own_called(r, name, UINT32_MAX);
        return fail_at(r, place, "this is not as it is written:", f->form);
    }
    note_places(r, place, f, part);
    t = add(r, LAB_OWN, &at);
    t->own = f;
    t->is_node = f->is_node;
    memcpy(t->part, part, sizeof part);
    return at;
}

/* What is in brackets is read once, and computed for each name. */
static uint16_t sum_over_names(struct reader *r)
{
    uint16_t at, body;
    struct lab_term *t;

    if (r->scope->last < r->scope->first)
        return fail(r, "there are no names to add up over", NULL);
    r->sums++;
    body = formula(r);
    r->sums--;
    if (!r->failed && !take(r, ")"))
        return fail(r, "a ')' is missing before", r->at);
    t = add(r, LAB_SUM, &at);
    t->which = SLOT_OF_SUM;
    t->part[0] = body;
    return at;
}

static uint16_t after(struct reader *r, uint16_t (*what)(struct reader *r),
                      const char *place)
{
    uint16_t at, body;

    if (!r->scope->steps)
        return fail_at(r, place,
                       "only always and never speak of a step, by next() and "
                       "then",
                       NULL);
    if (r->after)
        return fail_at(r, place, "there is one step at a time: no next() "
                                 "within next() or after then",
                       NULL);
    r->after = true;
    body = what(r);
    r->after = false;
    r->out->steps = true;
    add(r, LAB_NEXT, &at)->part[0] = body;
    return at;
}

static uint16_t letter(struct reader *r, const char *place, const char *name)
{
    uint16_t at;
    const struct lab_function *own;
    struct lab_term *t;

    if (r->sums && strcmp(name, "i") == 0) {
        add(r, LAB_VARIABLE, &at)->which = SLOT_OF_SUM;
        return at;
    }
    for (uint32_t i = r->variables; i-- > 0;)
        if (strcmp(r->variable[i], name) == 0) {
            t = add(r, LAB_VARIABLE, &at);
            t->which = (uint8_t)i;
            t->is_node = true;
            return at;
        }
    for (const struct lab_letter *l = r->scope->letters; l->name; l++)
        if (strcmp(l->name, name) == 0)
            return constant(r, l->is);
    if ((own = own_called(r, name, 0))) {
        t = add(r, LAB_OWN, &at);
        t->own = own;
        t->is_node = own->is_node;
        r->out->placed |= own->is_placed;
        return at;
    }
    if (strcmp(name, "e") == 0)
        return constant(r, lab_inexact(exp(1)));
    if ((own = own_called(r, name, UINT32_MAX)))
        return fail_at(r, place, "this is not as it is written:", own->form);
    return unknown(r, place, name, false);
}

/* A letter, or a function of what follows in brackets. */
static uint16_t word(struct reader *r)
{
    const char *place = r->at;
    char name[NAME_SIZE];
    uint16_t body;

    take_name(r, name);
    if (is_reserved(name)) {
        r->at = place;
        return fail(r, "a number or a letter is missing before", r->at);
    }
    if (!take(r, "("))
        return letter(r, place, name);
    if (strcmp(name, "sum") == 0)
        return sum_over_names(r);
    if (strcmp(name, "next") == 0 && r->scope->functions_count) {
        body = after(r, formula, place);
        return r->failed || take(r, ")")
                   ? body
                   : fail(r, "a ')' is missing before", r->at);
    }
    if (own_called(r, name, UINT32_MAX))
        return call_own(r, place, name);
    for (uint32_t i = 0; i < lab_common_count; i++)
        if (strcmp(lab_common[i].name, name) == 0)
            return call_common(r, i);
    return unknown(r, place, name, true);
}

/* ---- Quantifiers --------------------------------------------------------- */

/* The name of a variable; it must be new. */
static bool bind(struct reader *r)
{
    char name[NAME_SIZE];
    const char *place;

    skip(r);
    place = r->at;
    if (!isalpha((unsigned char)*r->at))
        return fail(r, "the name of a variable is missing before", r->at);
    take_name(r, name);
    for (const struct lab_letter *l = r->scope->letters; l->name; l++)
        if (strcmp(l->name, name) == 0)
            return fail_at(r, place, "it is a letter already, and no variable:",
                           name);
    for (uint32_t i = 0; i < r->variables; i++)
        if (strcmp(r->variable[i], name) == 0)
            return fail_at(r, place, "it is a variable already:", name);
    if (r->variables == LAB_VARIABLES_MAX)
        return fail_at(r, place, "these are too many variables", NULL);
    memcpy(r->variable[r->variables++], name, sizeof name);
    return true;
}

/* One call, or what is in brackets. */
static uint16_t tight(struct reader *r)
{
    return take_word(r, "not") ? join(r, LAB_NOT, tight(r), 0) : primary(r);
}

/* What is bound first is the outermost. */
static uint16_t quantified(struct reader *r, enum lab_op op)
{
    uint32_t first = r->variables;
    uint16_t body;

    if (!r->scope->nodes)
        return fail(r, "there are no nodes here to speak of", NULL);
    do {
        (void)bind(r);
    } while (!r->failed && take(r, ","));
    if (!r->failed && op == LAB_COUNT && r->variables > first + 1)
        (void)fail(r, "count takes one variable", NULL);
    if (!r->failed && !take(r, ":"))
        (void)fail(r, "a ':' is missing before", r->at);
    if (r->failed)
        return 0;
    body = op == LAB_COUNT ? tight(r) : formula(r);
    while (r->variables > first) {
        uint16_t at;
        struct lab_term *t = add(r, op, &at);

        t->which = (uint8_t)--r->variables;
        t->part[0] = body;
        body = at;
    }
    return body;
}

/* ---- Operators, from the tightest to the loosest ------------------------- */

static uint16_t primary(struct reader *r)
{
    uint16_t out;

    if (take(r, "(")) {
        out = formula(r);
        return r->failed || take(r, ")")
                   ? out
                   : fail(r, "a ')' is missing before", r->at);
    }
    if (isdigit((unsigned char)*r->at) ||
        (*r->at == '.' && isdigit((unsigned char)r->at[1])))
        return constant(r, literal(r));
    if (take_word(r, "some"))
        return quantified(r, LAB_SOME);
    if (take_word(r, "every"))
        return quantified(r, LAB_EVERY);
    if (take_word(r, "count"))
        return quantified(r, LAB_COUNT);
    if (isalpha((unsigned char)*r->at) || *r->at == '@')
        return word(r);
    return *r->at ? fail(r, "a number or a letter is missing before", r->at)
                  : fail(r, "it ends too early", NULL);
}

static uint16_t signed_power(struct reader *r)
{
    uint16_t out;

    if (r->failed || ++r->depth > DEPTH_MAX)
        return fail(r, "too many brackets", NULL);
    if (take(r, "-")) {
        out = join(r, LAB_NEGATIVE, signed_power(r), 0);
    } else {
        out = primary(r);
        if (!r->failed && take(r, "^"))
            out = join(r, LAB_POWER, out, signed_power(r));
    }
    r->depth--;
    return out;
}

static uint16_t product(struct reader *r)
{
    uint16_t out = signed_power(r);

    while (!r->failed) {
        if (take(r, "*"))
            out = join(r, LAB_TIMES, out, signed_power(r));
        else if (take(r, "/"))
            out = join(r, LAB_OVER, out, signed_power(r));
        else
            break;
    }
    return out;
}

static uint16_t sum(struct reader *r)
{
    uint16_t out = product(r);

    while (!r->failed) {
        if (take(r, "+"))
            out = join(r, LAB_PLUS, out, product(r));
        else if (take(r, "-"))
            out = join(r, LAB_MINUS, out, product(r));
        else
            break;
    }
    return out;
}

/* What a function is compared with whose values are words. */
static uint16_t other_side(struct reader *r, uint16_t left)
{
    const struct lab_term *t = &r->out->term[left];
    const char *begin;

    skip(r);
    begin = r->at;
    if (t->op == LAB_OWN && t->own->worded == LAB_VALUE_WORD &&
        isalpha((unsigned char)*begin)) {
        r->at += name_length(r);
        skip(r);
        if (*r->at != '(') {
            r->at = begin;
            return word_of(r, t->own);
        }
        r->at = begin;
    }
    return sum(r);
}

static uint16_t comparison(struct reader *r)
{
    static const char *const signs[LAB_SIGNS] = {
        [LAB_AT_MOST] = "<=", [LAB_AT_LEAST] = ">=", [LAB_DIFFERS] = "!=",
        [LAB_LESS] = "<",     [LAB_MORE] = ">",      [LAB_SAME] = "=",
    };
    uint16_t left = sum(r), right;

    for (uint8_t i = 0; i < LAB_SIGNS && !r->failed; i++)
        if (take(r, signs[i])) {
            bool one, other, whether = i == LAB_SAME || i == LAB_DIFFERS;

            right = other_side(r, left);
            one = r->out->term[left].is_node;
            other = r->out->term[right].is_node;
            r->out->placed |= whether ? one != other : one || other;
            left = join(r, LAB_COMPARED, left, right);
            r->out->term[left].which = i;
            break;
        }
    return left;
}

static uint16_t negation(struct reader *r)
{
    uint16_t out;

    if (!take_word(r, "not"))
        return comparison(r);
    if (r->failed || ++r->depth > DEPTH_MAX)
        return fail(r, "too many brackets", NULL);
    out = join(r, LAB_NOT, negation(r), 0);
    r->depth--;
    return out;
}

static uint16_t conjunction(struct reader *r)
{
    uint16_t out = negation(r);

    while (!r->failed && take_word(r, "and"))
        out = join(r, LAB_AND, out, negation(r));
    return out;
}

static uint16_t disjunction(struct reader *r)
{
    uint16_t out = conjunction(r);

    while (!r->failed && take_word(r, "or"))
        out = join(r, LAB_OR, out, conjunction(r));
    return out;
}

static uint16_t implication(struct reader *r)
{
    uint16_t out = disjunction(r);

    if (r->failed || !take_word(r, "implies"))
        return out;
    if (++r->depth > DEPTH_MAX)
        return fail(r, "too many brackets", NULL);
    out = join(r, LAB_IMPLIES, out, implication(r));
    r->depth--;
    return out;
}

static uint16_t formula(struct reader *r)
{
    uint16_t out = implication(r);
    const char *place;

    skip(r);
    place = r->at;
    if (r->failed || !r->scope->functions_count || !take_word(r, "then"))
        return out;
    return join(r, LAB_AND, out, after(r, implication, place));
}

/* ---- All of it ----------------------------------------------------------- */

bool lab_read(struct lab_tree *f, const struct lab_scope *scope,
              const char **text, struct net_why *why)
{
    struct reader r = {.at = *text, .scope = scope, .out = f};

    r.why = why;
    f->count = 0;
    f->term[0] = (struct lab_term){.op = LAB_NUMBER}; /* of what failed */
    f->nodes = scope->nodes;
    f->steps = f->placed = false;
    for (uint32_t i = 0; i < scope->variables_count; i++)
        memcpy(r.variable[r.variables++], scope->variables[i],
               strlen(scope->variables[i]) + 1);
    f->root = formula(&r);
    skip(&r);
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
