/*
 * twin.c - see twin.h.
 */
#include "check/browse/twin.h"

#include <stdlib.h>
#include <string.h>

#include "check/browse/browsing.h"
#include "check/model/links.h"

/* What the node sees of a move; events have numbers from here on. */
enum { SEEN = CHECK_SEES_EVENT };

struct arc {
    uint32_t label, to;
};

/* A list of them that grows. */
struct arcs {
    struct arc *list;
    uint32_t count, room;
};

/* One of the networks. */
struct side {
    struct check_browse *browse;
    struct check_numbers at; /* of each state: where its arcs stand, plus 1 */
    struct arcs
        arcs; /* before the labels of a state, their number as a label */
    struct check_numbers marks; /* of states that are in the set at hand */
    struct check_numbers set;   /* the set at hand */
    struct check_intern sets;   /* all of them: states in order */
    struct arcs next;           /* what may be seen next, in order */
};

/* A class of histories: two sets, and how they were met first. */
struct class
{
    uint32_t set[2];
    uint32_t before, label, length;
};

struct twins {
    const struct check_twin_setup *setup;
    struct check_memory memory;
    struct side side[2];
    struct check_intern labels;
    struct check_intern pairs; /* of sets; their numbers stand for classes */
    struct class *classes;
    uint32_t classes_count, classes_room, mark;
    struct check_numbers goals; /* of each label: whether it has the role */
    struct check_numbers word;  /* the history that was looked for */
    uint32_t nowhere;           /* where there is no memory */
    enum check_limit limit;
    const char *refusal;
};

static void add_number(struct twins *t, struct check_numbers *n,
                       uint32_t number)
{
    if (check_make_room(&t->memory, &n->list, &n->room, n->count,
                        sizeof *n->list))
        n->list[n->count++] = number;
}

/* The number at a place of a list that is as long as it must be. */
static uint32_t *entry(struct twins *t, struct check_numbers *n, uint32_t at)
{
    while (n->count <= at && !t->memory.failed)
        add_number(t, n, 0);
    t->nowhere = 0;
    return n->count > at ? &n->list[at] : &t->nowhere;
}

static void add_arc(struct twins *t, struct arcs *a, uint32_t label,
                    uint32_t to)
{
    if (check_make_room(&t->memory, &a->list, &a->room, a->count,
                        sizeof *a->list))
        a->list[a->count++] = (struct arc){label, to};
}

/* ---- What the node sees -------------------------------------------------- */

/* The state of the node as far as it knows it: no ages and lengths. */
static void forget_time(uint8_t *local)
{
    struct check_head *head = (struct check_head *)(void *)local;
    struct check_head known = {
        .left = head->left, .clock = head->clock, .section = head->section};

    memcpy(known.timer, head->timer, sizeof known.timer);
    memcpy(head, &known, sizeof known);
}

/* The event, the message, and the state that it leads to, as bytes. */
static uint32_t label_of(struct twins *t, struct check_model *m,
                         const struct check_spread *base,
                         const struct check_move *move,
                         const struct check_spread *after)
{
    uint32_t node = t->setup->node, label, count;
    bool mail = check_takes_mail((enum check_move_kind)move->kind);
    const uint8_t *msg = NULL;
    size_t msg_size = 0;
    uint8_t *bytes;

    if (mail)
        msg = check_bytes(&m->messages,
                          check_mails(m, base->id[m->link_at[move->link]],
                                      &count)[move->place]
                              .msg,
                          &msg_size);
    bytes = calloc(1, m->local_size + msg_size + 4);
    if (!bytes) {
        t->memory.failed = true;
        return CHECK_SEES_NOTHING;
    }
    check_local_load(m, node, after->id[m->local_at[node]], bytes);
    forget_time(bytes);
    if (mail)
        memcpy(bytes + m->local_size, msg, msg_size);
    bytes[m->local_size + msg_size] = move->kind;
    bytes[m->local_size + msg_size + 1] = move->what;
    bytes[m->local_size + msg_size + 2] =
        mail ? (uint8_t)m->links[move->link].comes_by : 0;
    label = SEEN + check_intern(&t->labels, &t->memory, bytes,
                                m->local_size + msg_size + 4);
    free(bytes);
    return label;
}

/* Whether the node's step ends at this state, where steps are counted by
 * ticks. */
static bool step_ends(const struct check_model *m, uint32_t node,
                      const struct check_spread *s)
{
    const struct check_info *info =
        check_info_of(m, node, s->id[m->local_at[node]]);

    return m->uniform && !(info->head.flags & CHECK_DOWN) &&
           info->head.age == info->head.length;
}

/* Whether it has the role that is looked for. */
static bool is_there(const struct twins *t, const struct check_model *m,
                     const struct check_spread *s)
{
    uint32_t node = t->setup->node;
    const struct check_info *info =
        check_info_of(m, node, s->id[m->local_at[node]]);
    struct fc_shown shown;

    m->type->show(check_bytes(&m->views, info->view, NULL), &shown);
    return strcmp(shown.role, t->setup->role) == 0;
}

static uint32_t see(struct twins *t, struct side *s, uint32_t state,
                    const struct check_enabled *e)
{
    struct check_model *m = &s->browse->model;
    struct check_spread base, after;
    uint32_t label;

    check_tree_load(&m->tree, e->to, &after);
    if (e->move.kind == CHECK_TICK)
        return m->timed && step_ends(m, t->setup->node, &after)
                   ? CHECK_SEES_STEP
                   : CHECK_SEES_NOTHING;
    if (e->move.node != t->setup->node || (e->traits & CHECK_MOVE_FAULT) ||
        e->move.kind == CHECK_MISS)
        return CHECK_SEES_NOTHING;
    check_tree_load(&m->tree, state, &base);
    label = label_of(t, m, &base, &e->move, &after);
    *entry(t, &t->goals, label) |= is_there(t, m, &after);
    return label;
}

/* ---- States and sets of them --------------------------------------------- */

/* The arcs of a state, in the order of its moves; NULL: that failed. */
static const struct arc *arcs_of(struct twins *t, struct side *s,
                                 uint32_t state, uint32_t *count)
{
    uint32_t begin = *entry(t, &s->at, state);

    *count = 0;
    if (!begin) {
        const struct check_enabled *moves =
            check_browse_moves(s->browse, state, count);

        if (!moves) {
            t->limit = CHECK_REFUSED;
            t->refusal = check_browse_why(s->browse);
            return NULL;
        }
        begin = s->arcs.count + 1;
        add_arc(t, &s->arcs, *count, 0);
        for (uint32_t i = 0; i < *count; i++)
            add_arc(t, &s->arcs, see(t, s, state, &moves[i]), moves[i].to);
        *entry(t, &s->at, state) = begin;
    }
    if (t->memory.failed)
        return NULL;
    *count = s->arcs.list[begin - 1].label;
    return &s->arcs.list[begin];
}

static void put(struct twins *t, struct side *s, uint32_t state)
{
    uint32_t *mark = entry(t, &s->marks, state);

    if (*mark == t->mark)
        return;
    *mark = t->mark;
    add_number(t, &s->set, state);
}

static int by_number(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* The set at hand, with all states that follow unseen, gets a number.  A node
 * that has seen nothing sleeps, and counts no steps. */
static uint32_t close_set(struct twins *t, struct side *s, bool asleep)
{
    for (uint32_t i = 0; i < s->set.count && !t->memory.failed; i++) {
        uint32_t count;
        const struct arc *a = arcs_of(t, s, s->set.list[i], &count);

        for (uint32_t k = 0; a && k < count; k++)
            if (a[k].label == CHECK_SEES_NOTHING ||
                (asleep && a[k].label == CHECK_SEES_STEP))
                put(t, s, a[k].to);
    }
    if (t->memory.failed || t->limit)
        return 0;
    if (s->set.count)
        qsort(s->set.list, s->set.count, sizeof *s->set.list, by_number);
    return check_intern(&s->sets, &t->memory, s->set.list,
                        s->set.count * sizeof *s->set.list);
}

static int by_label(const void *a, const void *b)
{
    const struct arc *x = a, *y = b;
    int order = (x->label > y->label) - (x->label < y->label);

    return order ? order : (x->to > y->to) - (x->to < y->to);
}

/* What can be seen next in a set, and where it leads to. */
static void look_ahead(struct twins *t, struct side *s, uint32_t set,
                       bool asleep)
{
    size_t size;
    const uint8_t *bytes = check_bytes(&s->sets, set, &size);

    s->next.count = 0;
    for (size_t i = 0; i < size; i += sizeof(uint32_t)) {
        const struct arc *a;
        uint32_t state, count;

        memcpy(&state, bytes + i, sizeof state);
        a = arcs_of(t, s, state, &count);
        for (uint32_t k = 0; a && k < count; k++)
            if (a[k].label >= (asleep ? SEEN : CHECK_SEES_STEP))
                add_arc(t, &s->next, a[k].label, a[k].to);
    }
    if (s->next.count)
        qsort(s->next.list, s->next.count, sizeof *s->next.list, by_label);
}

/* The set that a label leads to; *at goes on to the next. */
static uint32_t follow(struct twins *t, struct side *s, uint32_t *at)
{
    uint32_t label = s->next.list[*at].label;

    t->mark++;
    s->set.count = 0;
    for (; *at < s->next.count && s->next.list[*at].label == label; ++*at)
        put(t, s, s->next.list[*at].to);
    return close_set(t, s, false);
}

/* ---- Histories ----------------------------------------------------------- */

static void add_class(struct twins *t, const uint32_t set[2], uint32_t before,
                      uint32_t label)
{
    uint32_t number = check_intern(&t->pairs, &t->memory, set, 2 * sizeof *set);

    /* A pair may have a number and no class: where there was memory for the one
     * and not for the other, or its sets are not whole. */
    if (t->memory.failed || t->limit || number < t->classes_count ||
        !check_make_room(&t->memory, &t->classes, &t->classes_room, number,
                         sizeof *t->classes))
        return;
    t->classes[number] = (struct class){
        .set = {set[0], set[1]},
        .before = before,
        .label = label,
        .length = number ? t->classes[before].length + 1 : 0,
    };
    t->classes_count = number + 1;
}

static void begin(struct twins *t)
{
    uint32_t set[2];

    for (uint32_t i = 0; i < 2; i++) {
        t->side[i].browse = t->setup->network[i];
        t->mark++;
        for (uint32_t k = 0; k < check_browse_initial(t->side[i].browse); k++)
            put(t, &t->side[i], k);
        set[i] = close_set(t, &t->side[i], true);
    }
    add_class(t, set, 0, 0);
}

static uint64_t states_of(const struct side *s)
{
    return s->browse->model.tree.roots.count;
}

static uint64_t bytes_of(const struct twins *t)
{
    return t->memory.used + t->side[0].browse->model.memory.used +
           t->side[1].browse->model.memory.used;
}

static bool may_go_on(struct twins *t)
{
    const struct check_twin_setup *s = t->setup;

    if (!t->limit &&
        (t->memory.failed || (s->memory_max && bytes_of(t) > s->memory_max)))
        t->limit = CHECK_MEMORY;
    else if (s->states_max &&
             states_of(&t->side[0]) + states_of(&t->side[1]) > s->states_max)
        t->limit = CHECK_STATES;
    else if (s->stop && atomic_load_explicit(s->stop, memory_order_relaxed))
        t->limit = CHECK_STOPPED;
    return !t->limit;
}

/* What the node has seen in a history of this class, and then this. */
static void spell(struct twins *t, uint32_t class, uint32_t label)
{
    uint32_t length = t->classes[class].length + 1;

    *entry(t, &t->word, length - 1) = label;
    for (uint32_t i = length - 1; i > 0; i--) {
        *entry(t, &t->word, i - 1) = t->classes[class].label;
        class = t->classes[class].before;
    }
}

/* All that both networks let the node see next.  Returns whether it gets there
 * by that, and spells the history. */
static bool go_on(struct twins *t, uint32_t class)
{
    const struct class from = t->classes[class];
    struct side *a = &t->side[0], *b = &t->side[1];
    uint32_t i = 0, k = 0, set[2];

    look_ahead(t, a, from.set[0], class == 0);
    look_ahead(t, b, from.set[1], class == 0);
    while (i < a->next.count && k < b->next.count && may_go_on(t)) {
        uint32_t label = a->next.list[i].label, other = b->next.list[k].label;

        if (label < other) {
            i++;
        } else if (other < label) {
            k++;
        } else {
            set[0] = follow(t, a, &i);
            set[1] = follow(t, b, &k);
            add_class(t, set, class, label);
            if (*entry(t, &t->goals, label)) {
                spell(t, class, label);
                return may_go_on(t);
            }
        }
    }
    return false;
}

/* ---- A run with that history --------------------------------------------- */

/* A state, and how much of the history was seen before; how it was met. */
struct stop {
    uint32_t before, index;
    uint8_t sight;
};

struct journey {
    struct check_intern places; /* two numbers: the state, what was seen */
    struct stop *stops;
    uint32_t stops_room;
};

static void arrive(struct twins *t, struct journey *j, uint32_t state,
                   uint32_t seen, struct stop how)
{
    const uint32_t place[2] = {state, seen};
    uint32_t known = j->places.count;
    uint32_t number = check_intern(&j->places, &t->memory, place, sizeof place);

    if (!t->memory.failed && number == known &&
        check_make_room(&t->memory, &j->stops, &j->stops_room, number,
                        sizeof *j->stops))
        j->stops[number] = how;
}

/* Goes on from a stop by unseen moves, and by the next one that is seen. */
static void depart(struct twins *t, struct journey *j, struct side *s,
                   uint32_t from, const uint32_t place[2])
{
    uint32_t count, seen = place[1];
    const struct arc *a = arcs_of(t, s, place[0], &count);

    for (uint32_t i = 0; a && i < count; i++) {
        bool silent = a[i].label == CHECK_SEES_NOTHING ||
                      (seen == 0 && a[i].label == CHECK_SEES_STEP);
        struct stop how = {from, i, CHECK_SEES_NOTHING};

        if (!silent && a[i].label != t->word.list[seen])
            continue;
        if (!silent)
            how.sight = a[i].label < SEEN ? CHECK_SEES_STEP : CHECK_SEES_EVENT;
        arrive(t, j, a[i].to, seen + !silent, how);
    }
}

static bool write_run(struct twins *t, const struct journey *j, uint32_t end,
                      struct check_twin_run *out)
{
    uint32_t count = 0, place[2], at = end;

    for (; j->stops[at].before != at; at = j->stops[at].before)
        count++;
    memcpy(&out->first, check_bytes(&j->places, at, NULL), sizeof out->first);
    out->moves_count = count;
    out->moves = calloc(count + 1U, sizeof *out->moves);
    out->states = calloc(count + 1U, sizeof *out->states);
    out->sights = calloc(count + 1U, sizeof *out->sights);
    if (!out->moves || !out->states || !out->sights) {
        t->memory.failed = true;
        return false;
    }
    for (at = end; count-- > 0; at = j->stops[at].before) {
        memcpy(place, check_bytes(&j->places, j->stops[at].before, NULL),
               sizeof place);
        out->moves[count] = j->stops[at].index;
        out->states[count] = place[0];
        out->sights[count] = j->stops[at].sight;
    }
    return true;
}

/* A shortest run of a network with the history that was spelt. */
static void find_run(struct twins *t, struct side *s,
                     struct check_twin_run *out)
{
    struct journey j = {.stops = NULL};
    bool found = false;

    for (uint32_t i = 0; i < check_browse_initial(s->browse); i++)
        arrive(t, &j, i, 0, (struct stop){i, 0, CHECK_SEES_NOTHING});
    for (uint32_t at = 0; at < j.places.count && !found && may_go_on(t); at++) {
        uint32_t place[2];

        memcpy(place, check_bytes(&j.places, at, NULL), sizeof place);
        found = place[1] == t->word.count;
        if (found)
            (void)write_run(t, &j, at, out);
        else
            depart(t, &j, s, at, place);
    }
    check_intern_free(&j.places, &t->memory);
    check_release(&t->memory, j.stops, j.stops_room * sizeof *j.stops);
}

/* Whether the node comes to the role at all. */
static bool can_get_there(struct twins *t, struct side *s)
{
    t->mark++;
    s->set.count = 0;
    for (uint32_t i = 0; i < check_browse_initial(s->browse); i++)
        put(t, s, i);
    for (uint32_t i = 0; i < s->set.count && may_go_on(t); i++) {
        uint32_t count;
        const struct arc *a = arcs_of(t, s, s->set.list[i], &count);

        for (uint32_t k = 0; a && k < count; k++) {
            if (a[k].label >= SEEN && *entry(t, &t->goals, a[k].label))
                return true;
            put(t, s, a[k].to);
        }
    }
    return false;
}

/* ---- All of it ----------------------------------------------------------- */

static void drop(struct twins *t, struct check_numbers *n)
{
    check_release(&t->memory, n->list, n->room * sizeof *n->list);
}

static void end(struct twins *t)
{
    for (uint32_t i = 0; i < 2; i++) {
        struct side *s = &t->side[i];

        drop(t, &s->at);
        drop(t, &s->marks);
        drop(t, &s->set);
        check_intern_free(&s->sets, &t->memory);
        check_release(&t->memory, s->arcs.list,
                      s->arcs.room * sizeof *s->arcs.list);
        check_release(&t->memory, s->next.list,
                      s->next.room * sizeof *s->next.list);
    }
    drop(t, &t->goals);
    drop(t, &t->word);
    check_intern_free(&t->labels, &t->memory);
    check_intern_free(&t->pairs, &t->memory);
    check_release(&t->memory, t->classes, t->classes_room * sizeof *t->classes);
}

void check_twin(const struct check_twin_setup *setup, struct check_twin *out)
{
    struct twins t = {.setup = setup};
    bool alike = false;

    *out = (struct check_twin){0};
    begin(&t);
    for (uint32_t at = 0; at < t.classes_count && !alike && may_go_on(&t); at++)
        alike = go_on(&t, at);
    for (uint32_t i = 0; i < 2 && alike; i++)
        find_run(&t, &t.side[i], &out->run[i]);
    out->reached = alike || can_get_there(&t, &t.side[0]);
    (void)may_go_on(&t);
    out->limit = t.limit;
    out->refusal = t.refusal;
    out->apart = !alike && !t.limit;
    out->histories = t.classes_count;
    out->seen = alike             ? t.word.count
                : t.classes_count ? t.classes[t.classes_count - 1].length
                                  : 0;
    for (uint32_t i = 0; i < 2; i++)
        out->states[i] = states_of(&t.side[i]);
    end(&t);
}

void check_twin_free(struct check_twin *t)
{
    for (uint32_t i = 0; i < 2; i++) {
        free(t->run[i].moves);
        free(t->run[i].states);
        free(t->run[i].sights);
    }
    *t = (struct check_twin){0};
}
