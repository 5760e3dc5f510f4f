/*
 * make_names.c - the names of the nodes, and which of them wake (see maker.h).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "net/maker.h"

/* ---- Names --------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    const struct maker_number *x = a, *y = b;

    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static bool refuse_duplicates(struct maker *m)
{
    qsort(m->read, m->count, sizeof *m->read, by_name);
    for (uint32_t i = 1; i < m->count; i++) {
        const struct maker_number *p = &m->read[i];
        char where[200] = "--names";

        if (p->value != p[-1].value)
            continue;
        if (p->line)
            snprintf(where, sizeof where, "%.160s, line %" PRIu32,
                     m->words->names, p->line);
        return net_refuse(m->why,
                          "%s: %" PRIu64 " stands twice; names must differ",
                          where, p->value);
    }
    return true;
}

static bool place_names(struct maker *m)
{
    struct net_made *made = m->made;
    uint32_t nodes = made->net.world.nodes;

    if (nodes && nodes != m->count)
        return net_refuse(m->why,
                          "--names lists %" PRIu32
                          " names, but -n says %" PRIu32 "; leave out -n",
                          m->count, nodes);
    if (m->count < 2)
        return net_refuse(m->why, "--names lists one name; a ring has at least "
                                  "two (or did you mean asc, desc or random?)");
    made->names = calloc(m->count, sizeof *made->names);
    if (!made->names)
        return net_no_memory(m->why, "the names");
    for (uint32_t i = 0; i < m->count; i++)
        made->names[i] = (fc_name)m->read[i].value;
    made->net.names = made->names;
    made->net.naming = NET_NAMES_LIST;
    made->net.world.nodes = m->count;
    return made->net.equal || refuse_duplicates(m);
}

/* A list begins with a digit or a comma; what does not is a file.  Names in a
 * list may be equal if it says so: that breaks what elections assume. */
static bool list_names(struct maker *m, const char *word)
{
    static const struct maker_kind names = {
        "names", "a name", 1, FC_NAME_MAX,
        "; or choose asc, desc, random or a list: 3,1,2"};
    const char *equal = fc_after(word, "equal:");

    m->made->net.equal = equal != NULL;
    word = equal ? equal : word;
    return (equal || !*word || strchr("0123456789,", *word)
                ? maker_list(m, word, "a name in --names", 1, FC_NAME_MAX)
                : maker_file(m, word, &names)) &&
           place_names(m);
}

bool maker_names(struct maker *m)
{
    static const struct {
        const char *word;
        enum net_naming naming;
    } forms[] = {{"asc", NET_NAMES_ASCENDING},
                 {"desc", NET_NAMES_DESCENDING},
                 {"random", NET_NAMES_RANDOM}};
    const struct net_words *w = m->words;
    struct net *net = &m->made->net;
    const struct fc_protocol *p = net->protocol;
    bool nameless = p->anonymous || p->topology == FC_COMPLETE;
    const char *word = w->names ? w->names : nameless ? "asc" : "random";
    const char *rest;
    uint64_t nodes = 0, first = 1;

    if (nameless && w->names)
        return net_refuse(m->why, "%s takes no --names: %s", p->name,
                          p->anonymous ? "its nodes have none"
                                       : "they are 1 to N");
    if (w->nodes && !net_number(w->nodes, "-n, the number of processors,", 2,
                                NET_NODES_MAX, &nodes, m->why))
        return false;
    net->world.nodes = (uint32_t)nodes;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        rest = fc_after(word, forms[i].word);
        if (!rest || (*rest && *rest != ':'))
            continue;
        if (!nodes)
            return net_refuse(m->why, "how many processors? Say -n N, or list "
                                      "their names: --names 3,1,2");
        net->naming = forms[i].naming;
        if (*rest && !net_number(rest + 1, "the first name in --names", 1,
                                 FC_NAME_MAX - nodes + 1, &first, m->why))
            return false;
        net->first_name = (fc_name)first;
        return true;
    }
    rest = fc_after(word, "all");
    if (rest && (!*rest || *rest == ':'))
        return net_refuse(m->why,
                          "--names %s: every placement is tried by "
                          "fulcrum sim and fulcrum check alone",
                          word);
    return list_names(m, word);
}

bool net_is_name(const struct net *net, uint64_t name)
{
    if (net->naming != NET_NAMES_LIST)
        return name >= net->first_name &&
               name - net->first_name < net->world.nodes;
    for (uint32_t i = 0; i < net->world.nodes; i++)
        if (net->names[i] == name)
            return true;
    return false;
}

void net_say_nobody(const struct net *net, const char *name, char *out,
                    size_t size)
{
    enum { FEW = 16 };
    uint32_t nodes = net->world.nodes;
    uint32_t first = net->protocol->anonymous ? 0 : net->first_name;
    int used;

    if (net->naming != NET_NAMES_LIST || nodes > FEW) {
        snprintf(out, size,
                 "nobody is called '%s'; the %s are %" PRIu32 " to %" PRIu32
                 "%s",
                 name, net->protocol->anonymous ? "positions" : "names", first,
                 first + nodes - 1,
                 net->naming == NET_NAMES_LIST ? ", not all of them" : "");
        return;
    }
    used = snprintf(out, size, "nobody is called '%s'; the names are ", name);
    for (uint32_t i = 0; i < nodes && used >= 0 && (size_t)used < size; i++)
        used += snprintf(out + used, size - (size_t)used, "%s%" PRIu32,
                         i ? "," : "", net->names[i]);
}

/* ---- Wake-ups ------------------------------------------------------------ */

static int by_wake(const void *a, const void *b)
{
    const struct net_wake *x = a, *y = b;

    if (x->name != y->name)
        return (x->name > y->name) - (x->name < y->name);
    return (x->tick > y->tick) - (x->tick < y->tick);
}

/* NAME@TICK */
static bool take_wake(struct maker *m, char *word, struct net_wake *wake)
{
    char *tick = strchr(word, '@'), why[256];
    uint64_t name = 0, at = 0;

    if (tick)
        *tick++ = '\0';
    if (!tick || !fc_read_number(word, &name) || !fc_read_number(tick, &at) ||
        at > NET_TICKS_MAX)
        return net_refuse(m->why,
                          "--wake %s: choose all, first, random, random:K, "
                          "or NAME@TICK,NAME@TICK,...",
                          m->words->wake);
    if (!net_is_name(&m->made->net, name)) {
        net_say_nobody(&m->made->net, word, why, sizeof why);
        return net_refuse(m->why, "--wake: %s", why);
    }
    *wake = (struct net_wake){.name = (fc_name)name, .tick = at};
    return true;
}

static bool list_wakes(struct maker *m, const char *list)
{
    struct net *net = &m->made->net;
    char *copy = strdup(list), *rest = copy, *word;
    struct net_wake *wakes = calloc(strlen(list) / 2 + 2, sizeof *wakes);
    bool fine = true;

    m->made->wakes = wakes;
    if (!copy || !wakes) {
        free(copy);
        return net_no_memory(m->why, "--wake");
    }
    while (fine && (word = strsep(&rest, ",")))
        fine = take_wake(m, word, &wakes[net->wake_count++]);
    free(copy);
    if (!fine)
        return false;
    qsort(wakes, net->wake_count, sizeof *wakes, by_wake);
    net->waking = NET_WAKE_LIST;
    net->wakes = wakes;
    return true;
}

bool maker_wakes(struct maker *m)
{
    struct net *net = &m->made->net;
    const char *word = m->words->wake ? m->words->wake : "all";
    int choice = fc_find_choice("all|first|random", word);
    const char *some = fc_after(word, "random:");
    uint64_t count;

    if (choice >= 0) {
        net->waking = (enum net_waking)choice;
        return true;
    }
    if (fc_same(word, "sets"))
        return net_refuse(m->why,
                          "--wake sets: every set of starters is tried by "
                          "fulcrum sim alone");
    if (!some)
        return list_wakes(m, word);
    if (!net_number(some, "K in --wake random:K", 1, net->world.nodes, &count,
                    m->why))
        return false;
    net->waking = NET_WAKE_SOME;
    net->wake_count = (uint32_t)count;
    return true;
}
