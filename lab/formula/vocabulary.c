/*
 * vocabulary.c - see vocabulary.h.
 */
#include "lab/formula/vocabulary.h"

#include <stdio.h>
#include <string.h>

#include "lab/formula/terms.h"
#include "net/field.h"

/* What a function tells; its number is this, and below it which of them. */
enum what {
    ROLE = 1 << 16,
    FACT = 2 << 16,
    FIELD = 3 << 16,
    FLYING = 4 << 16,
    FLYING_BETWEEN = 5 << 16,
    HOLDS = 6 << 16,
    RESTS = 7 << 16,
    SHARED = 8 << 16,
    DOWN = 9 << 16,
    NAME = 10 << 16,
    OVER = 11 << 16,
    NOBODY = 12 << 16,
};

/* In place of a node, and of a value that is not there. */
enum { NOT_A_NODE = -1 };

/* ---- What there is ------------------------------------------------------- */

static bool is_taken(const struct lab_vocabulary *v, const char *name)
{
    static const char *const words[] = {"next", "sum",  "over",  "nobody",
                                        "down", "name", "holds", "flying"};

    for (uint32_t i = 0; i < v->count; i++)
        if (strcmp(v->name[i], name) == 0)
            return true;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i], name) == 0)
            return true;
    for (uint32_t i = 0; i < lab_common_count; i++)
        if (strcmp(lab_common[i].name, name) == 0)
            return true;
    return false;
}

/* A function called `name`, written `name` and then `arguments`. */
static void add(struct lab_vocabulary *v, const char *name,
                const char *arguments, struct lab_function f)
{
    uint32_t i = v->count;

    if (i == LAB_VOCABULARY_MAX)
        return;
    snprintf(v->name[i], sizeof v->name[i], "%s", name);
    snprintf(v->form[i], sizeof v->form[i], "%s%s", name, arguments);
    f.name = v->name[i];
    f.form = v->form[i];
    v->function[v->count++] = f;
}

static void add_roles(struct lab_vocabulary *v, const struct net_type *type)
{
    const struct fc_problem *p = v->net->protocol->problem;
    uint8_t view[NET_VIEW_SIZE] = {0};
    struct fc_shown shown;

    for (uint32_t i = 0; i < p->shows_count; i++)
        add(v, p->shows[i], "(i)",
            (struct lab_function){.says = "role of node i",
                                  .arguments = 1,
                                  .nodes = 1,
                                  .which = ROLE + (int)i});
    type->show(view, &shown);
    for (int i = 0; i < FC_FACTS_MAX; i++)
        if (shown.fact[i].word)
            add(v, shown.fact[i].word, "(i)",
                (struct lab_function){.says = "this number in its traces; or 0",
                                      .arguments = 1,
                                      .nodes = 1,
                                      .is_placed = true,
                                      .which = FACT + i});
    add(v, "rests", "(i)",
        (struct lab_function){.says = "something rests at node i",
                              .arguments = 1,
                              .nodes = 1,
                              .which = RESTS});
    if (p->repeats)
        add(v, "shared", "(i)",
            (struct lab_function){.says = "node i is inside beside others",
                                  .arguments = 1,
                                  .nodes = 1,
                                  .which = SHARED});
}

static void add_common(struct lab_vocabulary *v)
{
    add(v, "down", "(i)",
        (struct lab_function){.says = "node i has crashed, and is not back",
                              .arguments = 1,
                              .nodes = 1,
                              .which = DOWN});
    if (!v->net->protocol->anonymous)
        add(v, "name", "(i)",
            (struct lab_function){.says = "name of node i; nodes are 0 to N-1",
                                  .arguments = 1,
                                  .nodes = 1,
                                  .is_placed = true,
                                  .which = NAME});
    add(v, "nobody", "",
        (struct lab_function){.says = "no node, in fields that are one",
                              .is_node = true,
                              .which = NOBODY});
    add(v, "over", "",
        (struct lab_function){.says = "nothing has to happen any more",
                              .which = OVER});
}

/* ---- Fields -------------------------------------------------------------- */

static const char *meaning(const struct fc_field *f)
{
    static const char *const of[] = {
        [FC_FIELD_NUMBER] = "number",
        [FC_FIELD_SIGNED] = "number that may be negative",
        [FC_FIELD_CLOCK] = "time by its clock",
        [FC_FIELD_YES] = "1 or 0",
        [FC_FIELD_WORD] = "a word",
        [FC_FIELD_FLAGS] = "whether it has this flag",
        [FC_FIELD_NAME] = "name of a node, or nobody",
        [FC_FIELD_NODE] = "a node",
        [FC_FIELD_MAYBE] = "a node, or nobody",
        [FC_FIELD_NODES] = "whether node j is among them",
        [FC_FIELD_LINK] = "the node at the end of a link",
        [FC_FIELD_LINKS] = "whether the link to node j is among them",
    };

    return of[f->kind];
}

static bool is_set(const struct fc_field *f)
{
    return f->kind == FC_FIELD_NODES || f->kind == FC_FIELD_LINKS;
}

/* Fields of one set, or of one value for each place; sets by node, or lists of
 * sets, would need one argument more, and there are none. */
static void add_field(struct lab_vocabulary *v, const struct fc_field *field,
                      uint32_t i, bool any_place)
{
    static const char *const forms[] = {
        [FC_FIELD_ONE] = "(i)",          [FC_FIELD_LIST] = "(i, place)",
        [FC_FIELD_QUEUE] = "(i, place)", [FC_FIELD_EACH] = "(i, j)",
        [FC_FIELD_PAIRS] = "(i, j, k)",
    };
    bool number = field->kind == FC_FIELD_NUMBER ||
                  field->kind == FC_FIELD_SIGNED ||
                  field->kind == FC_FIELD_CLOCK;
    struct lab_function f = {
        .says = meaning(field),
        .arguments = field->form == FC_FIELD_ONE     ? 1
                     : field->form == FC_FIELD_PAIRS ? 3
                                                     : 2,
        .nodes = field->form == FC_FIELD_EACH    ? 3
                 : field->form == FC_FIELD_PAIRS ? 7
                                                 : 1,
        .is_node = field->kind == FC_FIELD_NODE ||
                   field->kind == FC_FIELD_MAYBE ||
                   field->kind == FC_FIELD_LINK,
        .is_placed = field->kind == FC_FIELD_NAME || (number && !any_place),
        .which = FIELD + (int)i,
    };
    const char *form = forms[field->form];
    char name[48];

    if (field->form != FC_FIELD_ONE &&
        (is_set(field) || field->kind == FC_FIELD_FLAGS))
        return;
    if (is_set(field)) {
        f.arguments = 2;
        f.nodes = 3;
        form = "(i, j)";
    }
    if (field->kind == FC_FIELD_FLAGS || field->kind == FC_FIELD_WORD) {
        bool flags = field->kind == FC_FIELD_FLAGS;

        f.worded = flags ? LAB_LAST_WORD : LAB_VALUE_WORD;
        f.words = field->words;
        f.words_count = field->words_count;
        f.arguments += flags;
        form = flags ? "(i, WORD)" : form;
    }
    snprintf(name, sizeof name, "%s%s",
             is_taken(v, field->name) ? "state." : "", field->name);
    add(v, name, form, f);
}

/* ---- Messages and predicates --------------------------------------------- */

static void add_messages(struct lab_vocabulary *v)
{
    const struct fc_protocol *p = v->net->protocol;
    struct lab_function f = {
        .says = "messages of this kind under way",
        .arguments = 1,
        .worded = LAB_FIRST_WORD,
        .words = v->kinds,
        .words_count = p->kinds_count,
        .which = FLYING,
    };

    for (uint32_t i = 1; i < p->kinds_count; i++)
        v->kinds[i] = p->kinds[i].name;
    if (p->kinds_count < 2)
        return;
    add(v, "flying", "(KIND)", f);
    f.says = "those of them from node i to node j";
    f.arguments = 3;
    f.nodes = 6;
    f.which = FLYING_BETWEEN;
    add(v, "flying", "(KIND, i, j)", f);
}

static void add_predicates(struct lab_vocabulary *v)
{
    const struct fc_protocol *p = v->net->protocol;

    for (uint32_t i = 0; i < p->predicates_count; i++)
        v->predicates[i] = p->predicates[i].name;
    if (p->predicates_count)
        add(v, "holds", "(PREDICATE)",
            (struct lab_function){
                .says = "a predicate over the whole network holds",
                .arguments = 1,
                .worded = LAB_FIRST_WORD,
                .words = v->predicates,
                .words_count = p->predicates_count,
                .which = HOLDS});
}

void lab_vocabulary_begin(struct lab_vocabulary *v, const struct net *net)
{
    const struct net_type *type = net_type_of(net);

    memset(v, 0, sizeof *v);
    v->net = net;
    (void)lab_letters(net, v->letters);
    add_roles(v, type);
    add_common(v);
    add_messages(v);
    add_predicates(v);
    for (uint32_t i = 0; i < type->state_fields_count; i++)
        add_field(v, &type->state_fields[i], i, net->protocol->anonymous);
}

/* ---- Values -------------------------------------------------------------- */

/* A node that is down shows nothing, except what goes on without it: where a
 * guard ends a section, the section lasts until then. */
static void show(const struct net_moment *m, uint32_t node,
                 struct fc_shown *shown)
{
    uint8_t view[NET_VIEW_SIZE];

    *shown = (struct fc_shown){.role = ""};
    if (m->all->down[node] && !m->type->inside)
        return;
    net_moment_view(m, node, view);
    m->type->show(view, shown);
}

static int64_t fitting(uint64_t value)
{
    return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

static bool has_link(const struct net_place *place, const struct fc_field *f,
                     const void *state, uint32_t node)
{
    for (uint32_t link = 0; link < 8u * f->size; link++)
        if (net_field_has(f, state, link) &&
            net_field_link(place, link) == node)
            return true;
    return false;
}

/* A value that is a number; a list has nobody beyond its end. */
static int64_t number_of(const struct fc_field *f, const void *state,
                         const struct net_place *place, uint32_t i)
{
    uint64_t value = net_field_value(f, state, place, i);

    switch ((enum fc_field_kind)f->kind) {
    case FC_FIELD_SIGNED:
        return net_field_signed(value, f->size);
    case FC_FIELD_YES:
        return value != 0;
    case FC_FIELD_NAME:
        return value ? fitting(value) : NOT_A_NODE;
    case FC_FIELD_MAYBE:
        return value ? fitting(value - 1) : NOT_A_NODE;
    case FC_FIELD_LINK:
        return net_field_link(place, value);
    default:
        return fitting(value);
    }
}

static bool field_value(const struct net_moment *m, uint32_t which,
                        const int64_t *a, int64_t *out)
{
    const struct fc_field *f = &m->fields[which];
    struct net_place place = *(const struct net_place *)m->all->place;
    const void *state = m->all->state[a[0]];
    uint32_t side = 1;
    uint64_t i = 0;

    place.node = (uint32_t)a[0];
    if (f->kind == FC_FIELD_NODES || f->kind == FC_FIELD_FLAGS) {
        *out = net_field_has(f, state, (uint32_t)a[1]);
        return true;
    }
    if (f->kind == FC_FIELD_LINKS) {
        *out = has_link(&place, f, state, (uint32_t)a[1]);
        return true;
    }
    while (f->form == FC_FIELD_PAIRS && side * side < f->count)
        side++;
    if (f->form == FC_FIELD_PAIRS)
        i = (uint64_t)a[1] * side + (uint64_t)a[2];
    else if (f->form != FC_FIELD_ONE)
        i = (uint64_t)a[1];
    if (i >= f->count || i >= net_field_count(f, state)) {
        *out = NOT_A_NODE;
        return f->form == FC_FIELD_QUEUE || f->form == FC_FIELD_LIST;
    }
    *out = number_of(f, state, &place, (uint32_t)i);
    return true;
}

static int64_t count_flying(const struct net_moment *m, const int64_t *a,
                            bool between)
{
    const struct fc_network *all = m->all;
    int64_t count = 0;

    for (uint32_t i = 0; i < all->flying_count; i++) {
        const struct fc_flying *f = &all->flying[i];

        if (between && (f->from != a[1] || f->to != a[2]))
            continue;
        count += m->type->kind(f->msg) == a[0];
    }
    return count;
}

bool lab_vocabulary_value(void *whom, const struct lab_function *f,
                          const int64_t *a, bool after, struct lab_number *out)
{
    const struct lab_step *step = whom;
    const struct net_moment *m = after ? step->next : step->now;
    const struct fc_protocol *p = m->type->protocol;
    uint32_t which = (uint32_t)f->which & 0xffff;
    struct fc_shown shown;
    int64_t is = 0;

    switch ((enum what)(f->which & ~0xffff)) {
    case ROLE:
        show(m, (uint32_t)a[0], &shown);
        is = strcmp(shown.role, p->problem->shows[which]) == 0;
        break;
    case FACT:
        show(m, (uint32_t)a[0], &shown);
        is = fitting(shown.fact[which].number);
        break;
    case RESTS:
        show(m, (uint32_t)a[0], &shown);
        is = shown.rests;
        break;
    case SHARED:
        show(m, (uint32_t)a[0], &shown);
        is = shown.shared;
        break;
    case FIELD:
        if (!field_value(m, which, a, &is))
            return false;
        break;
    case FLYING:
    case FLYING_BETWEEN:
        is = count_flying(m, a, f->which == FLYING_BETWEEN);
        break;
    case HOLDS:
        is = p->predicates[a[0]].holds(m->all);
        break;
    case DOWN:
        is = m->all->down[a[0]];
        break;
    case NAME:
        is = (int64_t)m->all->name[a[0]];
        break;
    case OVER:
        is = m->over;
        break;
    case NOBODY:
        is = NOT_A_NODE;
        break;
    }
    *out = lab_whole(is);
    return true;
}
