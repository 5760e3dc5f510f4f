/*
 * property.c - see property.h.
 */
#include "lab/formula/property.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "net/word.h"

struct reading {
    const char *text, *at, *wrong;
    struct lab_asked *all;
    struct lab_property *out;
    struct net_property *property;
    struct net_why *why;
    char variable[LAB_VARIABLES_MAX][NET_ASKED_NAME];
    const char *variables[LAB_VARIABLES_MAX];
};

/* ---- What is wrong, and where -------------------------------------------- */

static bool fail(struct reading *r, const char *place, const char *what)
{
    r->wrong = place;
    return net_refuse(r->why, "%s", what);
}

/* The text in a line, and below it a mark.  A character counts as one place,
 * whatever its bytes. */
static void point_at(struct reading *r)
{
    char line[LAB_PROPERTY_TEXT_MAX + 1], mark[LAB_PROPERTY_TEXT_MAX + 2];
    size_t length = strlen(r->text), places = 0;

    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)r->text[i];

        line[i] = (char)(c < ' ' || c == 127 ? ' ' : c);
        if (r->text + i < r->wrong && (c & 0xc0) != 0x80)
            mark[places++] = ' ';
    }
    line[length] = '\0';
    mark[places++] = '^';
    mark[places] = '\0';
    net_add(r->why, "\n  %s\n  %s", line, mark);
}

/* ---- Words --------------------------------------------------------------- */

static void skip(struct reading *r)
{
    while (isspace((unsigned char)*r->at))
        r->at++;
}

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '-' || c == '_';
}

/* Takes a word, whole; it may have a '-' in it. */
static bool take(struct reading *r, const char *word)
{
    size_t length = strlen(word);

    skip(r);
    if (strncmp(r->at, word, length) != 0 || is_letter(r->at[length]))
        return false;
    r->at += length;
    return true;
}

/* "always:"; the colon may stand apart. */
static bool take_form(struct reading *r, const char *word)
{
    const char *begin = r->at;

    if (take(r, word)) {
        skip(r);
        if (*r->at == ':') {
            r->at++;
            return true;
        }
    }
    r->at = begin;
    return false;
}

enum { FORMS = 3 };
static const char *const forms[FORMS] = {"always", "never", "eventually"};

static bool is_form(const char *word, size_t length)
{
    for (size_t i = 0; i < FORMS; i++)
        if (strlen(forms[i]) == length && strncmp(word, forms[i], length) == 0)
            return true;
    return false;
}

/* ---- Its name ------------------------------------------------------------ */

static bool is_known(const struct reading *r, const char *name)
{
    const struct net_asked *asked = &r->all->asked;
    const struct fc_protocol *p = r->all->words.net->protocol;

    for (uint32_t i = 0; i <= FC_SANE_BIT; i++) {
        const char *known = net_property_name(p, asked, i);

        if (known && strcmp(known, name) == 0)
            return true;
    }
    return false;
}

static bool read_name(struct reading *r)
{
    struct net_property *p = r->property;
    size_t length = 0;

    skip(r);
    while (is_letter(r->at[length]))
        length++;
    if (r->at[length] != ':' || is_form(r->at, length)) {
        uint32_t number = r->all->asked.count + 1;

        snprintf(p->name, sizeof p->name,
                 number > 1 ? "property-%u" : "property", number);
        return true;
    }
    if (length == 0 || length >= sizeof p->name)
        return fail(r, r->at, "a name has 1 to 31 letters, digits and '-'");
    memcpy(p->name, r->at, length);
    p->name[length] = '\0';
    if (is_known(r, p->name))
        return fail(r, r->at, "there is a property of this name already");
    r->at += length + 1;
    return true;
}

/* ---- Formulas ------------------------------------------------------------ */

static bool read_formula(struct reading *r, struct lab_tree *f, bool steps)
{
    struct lab_scope scope = {
        .letters = r->all->words.letters,
        .first = 1,
        .functions = r->all->words.function,
        .functions_count = r->all->words.count,
        .nodes = r->out->nodes,
        .variables = r->variables,
        .variables_count = r->out->bound,
        .steps = steps,
    };

    if (lab_read(f, &scope, &r->at, r->why)) {
        r->property->symmetric &= !f->placed;
        return true;
    }
    r->wrong = r->at;
    return false;
}

/* Whether a formula asks for a function that is written like this. */
static bool speaks_of(const struct lab_tree *f, const char *name)
{
    for (uint32_t i = 0; i < f->count; i++)
        if (f->term[i].own && strcmp(f->term[i].own->name, name) == 0)
            return true;
    return false;
}

static bool read_fairness(struct reading *r)
{
    struct net_property *p = r->property;

    p->fairness =
        r->all->words.net->time == NET_ASYNC ? NET_FAIR : NET_BY_CHANCE;
    if (!take(r, "under"))
        return true;
    if (take(r, "fairness"))
        p->fairness = NET_FAIR;
    else if (take(r, "chance"))
        p->fairness = NET_BY_CHANCE;
    else if (take(r, "no") && take(r, "fairness"))
        p->fairness = NET_UNFAIR;
    else
        return fail(r, r->at,
                    "after 'under' stands fairness, chance or no fairness");
    return true;
}

static bool read_end(struct reading *r)
{
    skip(r);
    if (!*r->at)
        return true;
    return fail(r, r->at,
                r->property->form == NET_LEADS_TO
                    ? "the property is over here; only 'under' may follow"
                    : "the property is over here");
}

/* ---- Judging ------------------------------------------------------------- */

static bool is_true(const struct lab_tree *f, struct lab_step *step,
                    const int64_t *bound, bool *is)
{
    struct lab_sight sight = {lab_vocabulary_value, step};
    struct lab_number value;

    if (!lab_value_of(f, &sight, bound, &value))
        return false;
    *is = !lab_is_zero(&value);
    return true;
}

static bool holds(const struct net_property *p, const struct net_moment *now,
                  const struct net_moment *next, bool *holds)
{
    const struct lab_property *l = p->of;
    struct lab_step step = {now, next};

    if (!is_true(&l->got, &step, NULL, holds))
        return false;
    *holds ^= l->never;
    return true;
}

static bool stands(const struct net_property *p, uint32_t instance,
                   const struct net_moment *now, bool *wants, bool *gets)
{
    const struct lab_property *l = p->of;
    struct lab_step step = {now, now};
    int64_t bound[LAB_VARIABLES_MAX] = {0};

    for (uint32_t i = 0; i < l->bound; i++, instance /= l->nodes)
        bound[i] = instance % l->nodes;
    return (p->at_start || is_true(&l->wanted, &step, bound, wants)) &&
           is_true(&l->got, &step, bound, gets);
}

/* ---- The forms ----------------------------------------------------------- */

static bool read_invariant(struct reading *r, bool never)
{
    struct net_property *p = r->property;

    r->out->never = never;
    p->holds = holds;
    if (!read_formula(r, &r->out->got, true))
        return false;
    p->form = r->out->got.steps ? NET_OF_STEPS : NET_OF_STATES;
    p->sees_end = speaks_of(&r->out->got, "over");
    if (p->sees_end && p->form == NET_OF_STEPS)
        return fail(r, r->text,
                    "'over' is about a state, and next() and 'then' are about "
                    "steps: state two properties");
    return true;
}

static bool read_eventually(struct reading *r)
{
    struct net_property *p = r->property;

    p->form = NET_LEADS_TO;
    p->at_start = true;
    p->instances = 1;
    p->stands = stands;
    return read_formula(r, &r->out->got, false) && read_fairness(r);
}

/* "every i, j:" before what leads to something. */
static bool bind_instances(struct reading *r)
{
    struct lab_property *l = r->out;

    if (!take(r, "every"))
        return true;
    do {
        size_t length = 0;

        skip(r);
        while (isalnum((unsigned char)r->at[length]) || r->at[length] == '_')
            length++;
        if (length == 0 || length >= NET_ASKED_NAME ||
            l->bound == LAB_VARIABLES_MAX)
            return fail(r, r->at, "the name of a variable is missing here");
        memcpy(r->variable[l->bound], r->at, length);
        r->variables[l->bound] = r->variable[l->bound];
        l->bound++;
        r->at += length;
        skip(r);
    } while (*r->at == ',' && r->at++);
    if (*r->at != ':')
        return fail(r, r->at, "a ':' is missing here");
    r->at++;
    return true;
}

static bool read_leads_to(struct reading *r)
{
    struct net_property *p = r->property;
    struct lab_property *l = r->out;

    p->form = NET_LEADS_TO;
    p->stands = stands;
    if (!bind_instances(r))
        return false;
    p->instances = 1;
    for (uint32_t i = 0; i < l->bound; i++) {
        if (p->instances > NET_ASKED_INSTANCES / l->nodes)
            return fail(r, r->text,
                        "these are more than 4096 instances: take "
                        "fewer nodes or variables");
        p->instances *= l->nodes;
    }
    p->symmetric &= l->bound == 0;
    if (!read_formula(r, &l->wanted, false))
        return false;
    if (!take(r, "leads-to"))
        return fail(r, r->at,
                    *r->at ? "here stands 'leads-to', if no 'always:', "
                             "'never:' or 'eventually:' begins it"
                           : "'leads-to' and what it leads to are missing "
                             "here, or 'always:', 'never:' or 'eventually:' "
                             "before it");
    return read_formula(r, &l->got, false) && read_fairness(r);
}

/* What was taken for a name may be a form that is misspelt. */
static bool is_misspelt(struct reading *r)
{
    const char *name = r->property->name, *near = NULL;
    uint32_t least = UINT32_MAX;

    for (size_t i = 0; i < FORMS; i++)
        if (net_is_nearer(name, forms[i], &least))
            near = forms[i];
    for (size_t i = 0; i < FORMS; i++)
        if (take_form(r, forms[i])) {
            r->at = r->property->says;
            return false;
        }
    if (!near || r->property->says == r->text)
        return false;
    r->wrong = r->text;
    (void)net_refuse(r->why, "there is no form '%s'; did you mean '%s'?", name,
                     near);
    return true;
}

static bool read(struct reading *r)
{
    bool fine;

    if (!read_name(r))
        return false;
    skip(r);
    r->property->says = r->at;
    if (is_misspelt(r))
        return false;
    if (take_form(r, "always"))
        fine = read_invariant(r, false);
    else if (take_form(r, "never"))
        fine = read_invariant(r, true);
    else if (take_form(r, "eventually"))
        fine = read_eventually(r);
    else if (take(r, "always") || take(r, "never") || take(r, "eventually"))
        return fail(r, r->at, "a ':' is missing here");
    else
        fine = read_leads_to(r);
    return fine && read_end(r);
}

bool lab_property_read(struct lab_asked *a, const struct net *net,
                       const char *text, struct net_why *why)
{
    uint32_t number = a->asked.count;
    struct reading r = {.all = a, .why = why};

    if (number == NET_ASKED_MAX)
        return net_refuse(why, "at most %d properties at a time",
                          NET_ASKED_MAX);
    if (strlen(text) > LAB_PROPERTY_TEXT_MAX)
        return net_refuse(why, "a property has at most %d characters",
                          LAB_PROPERTY_TEXT_MAX);
    if (!a->words.net)
        lab_vocabulary_begin(&a->words, net);
    snprintf(a->says[number], sizeof a->says[number], "%s", text);
    r.text = r.at = a->says[number];
    r.out = &a->property[number];
    r.property = &a->asked.property[number];
    *r.out = (struct lab_property){.nodes = net->world.nodes};
    *r.property = (struct net_property){.symmetric = true, .of = r.out};
    if (!read(&r)) {
        point_at(&r);
        return false;
    }
    a->asked.count++;
    a->asked.steps |= r.property->form == NET_OF_STEPS;
    a->asked.leads |= r.property->form == NET_LEADS_TO;
    a->asked.sees_end |= r.property->sees_end;
    return true;
}
