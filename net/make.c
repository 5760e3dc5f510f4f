/*
 * make.c - see make.h.
 */
#include "net/make.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/params.h"
#include "core/text.h"
#include "core/wait.h"
#include "net/grow.h"
#include "net/maker.h"
#include "net/outside.h"
#include "net/route.h"
#include "net/word.h"

const char net_default_bounds[] = "2:3:1:4";

/* ---- Sentences ----------------------------------------------------------- */

/* ---- Numbers ------------------------------------------------------------- */

static bool add(struct maker *m, uint64_t value, uint32_t line)
{
    if (!net_grow(&m->read, m->count, sizeof *m->read))
        return net_no_memory(m->why, "so many numbers");
    m->read[m->count] = (struct maker_number){value, m->count, line};
    m->count++;
    return true;
}

bool maker_list(struct maker *m, const char *list, const char *what,
                uint64_t least, uint64_t greatest)
{
    char *copy = strdup(list), *rest = copy, *word;
    bool fine = copy || net_no_memory(m->why, what);
    uint64_t value;

    m->count = 0;
    while (fine && (word = strsep(&rest, ",")))
        fine = net_number(word, what, least, greatest, &value, m->why) &&
               add(m, value, 0);
    free(copy);
    return fine;
}

static bool take_line(struct maker *m, const char *path, char *text,
                      uint32_t line, const struct maker_kind *kind)
{
    char *word;
    uint64_t value;

    text[strcspn(text, "#")] = '\0';
    while ((word = strsep(&text, ", \t\r\n"))) {
        if (!*word)
            continue;
        if (!fc_read_number(word, &value) || value < kind->least ||
            value > kind->greatest)
            return net_refuse(
                m->why,
                "%s, line %" PRIu32
                ": '%s' is not %s; write whole numbers from %" PRIu64
                " to %" PRIu64 " with spaces or commas between them",
                path, line, word, kind->one, kind->least, kind->greatest);
        if (m->count == NET_NODES_MAX)
            return net_refuse(m->why,
                              "%s, line %" PRIu32 ": more than %d numbers",
                              path, line, NET_NODES_MAX);
        if (!add(m, value, line))
            return false;
    }
    return true;
}

bool maker_file(struct maker *m, const char *path,
                const struct maker_kind *kind)
{
    size_t size;
    char *text = outside_text(path, OUTSIDE_TEXT_MAX, &size, m->why);
    char *rest = text;
    uint32_t line = 0;
    bool fine = true;

    m->count = 0;
    if (!text) {
        net_add(m->why, "%s", kind->instead);
        return net_where(m->why, "cannot read the %s %s: ", kind->file, path);
    }
    while (fine && rest)
        fine = take_line(m, path, strsep(&rest, "\n"), ++line, kind);
    if (fine && m->count == 0)
        fine = net_refuse(m->why, "%s: there are no numbers in it", path);
    free(text);
    return fine;
}

/* The numbers that were read, to be freed; NULL: refused. */
static uint64_t *values_of(struct maker *m)
{
    uint64_t *values;

    assert(m->count > 0);
    values = malloc(m->count * sizeof *values);
    if (!values)
        (void)net_no_memory(m->why, "so many numbers");
    for (uint32_t i = 0; values && i < m->count; i++)
        values[i] = m->read[i].value;
    return values;
}

/* ---- The protocol and its parameters ------------------------------------- */

const struct fc_protocol *net_choose(const char *name, struct net_why *why)
{
    const struct fc_protocol *found = net_protocol(name);
    const char *near = NULL;
    uint32_t least = UINT32_MAX;

    if (found)
        return found;
    for (uint32_t i = 0; net_types[i]; i++)
        if (net_is_nearer(name, net_types[i]->protocol->name, &least))
            near = net_types[i]->protocol->name;
    if (near)
        (void)net_refuse(why, "no protocol is called '%s'; did you mean '%s'?",
                         name, near);
    else
        (void)net_refuse(
            why, "no protocol is called '%s'; 'fulcrum list' shows them all",
            name);
    return NULL;
}

/* A table of waits, for the names 1, 2, ... */
static bool load_table(struct maker *m, struct fc_wait *wait, const char *path)
{
    static const struct maker_kind waits = {"table", "a wait", 0, UINT64_MAX,
                                            ""};
    struct net_made *made = m->made;

    if (made->tables_count == NET_TABLES_MAX)
        return net_refuse(m->why, "too many tables");
    if (!maker_file(m, path, &waits))
        return false;
    wait->table = made->tables[made->tables_count++] = values_of(m);
    wait->table_count = m->count;
    return wait->table != NULL;
}

static bool refuse_key(struct maker *m, const char *key)
{
    const struct fc_protocol *p = m->made->net.protocol;
    char known[256] = "none";
    size_t used = 0;

    for (uint32_t i = 0; i < p->params_count; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s",
                                 i ? ", " : "", p->params[i].key);
    return net_refuse(m->why, "%s has no parameter '%s'; its parameters: %s",
                      p->name, key, known);
}

static bool set_one(struct maker *m, const char *word)
{
    const struct fc_protocol *p = m->made->net.protocol;
    char key[64];
    const char *equals = strchr(word, '='), *file = NULL;
    struct fc_wait *wait = NULL;

    if (!equals || (size_t)(equals - word) >= sizeof key)
        return net_refuse(m->why, "--set takes KEY=VALUE, not '%s'", word);
    memcpy(key, word, (size_t)(equals - word));
    key[equals - word] = '\0';
    switch (fc_params_set(p, m->made->params, key, equals + 1, &file, &wait)) {
    case FC_SET_DONE:
        return true;
    case FC_SET_NEEDS_FILE:
        return load_table(m, wait, file);
    case FC_SET_NO_KEY:
        return refuse_key(m, key);
    case FC_SET_BAD_VALUE:
        break;
    }
    return net_refuse(m->why, "%s=%s: '%s' is not one of %s", key, equals + 1,
                      equals + 1, fc_params_find(p, key)->form);
}

/* The value of a parameter as typed last, or its default. */
static const char *value_of(const struct fc_param *param,
                            const struct net_words *w)
{
    size_t length = strlen(param->key);
    const char *value = param->fallback;

    for (uint32_t i = 0; i < w->settings_count; i++)
        if (!strncmp(w->settings[i], param->key, length) &&
            w->settings[i][length] == '=')
            value = w->settings[i] + length + 1;
    return value;
}

static bool set_params(struct maker *m)
{
    struct net_made *made = m->made;
    const struct fc_protocol *p = made->net.protocol;
    size_t used = 0;

    made->net.params = made->params = calloc(1, p->params_size);
    if (!made->params)
        return net_no_memory(m->why, "the parameters");
    fc_params_default(p, made->params);
    for (uint32_t i = 0; i < m->words->settings_count; i++)
        if (!set_one(m, m->words->settings[i]))
            return false;
    for (uint32_t i = 0; i < p->params_count && used < sizeof made->set; i++)
        used += (size_t)snprintf(made->set + used, sizeof made->set - used,
                                 "%s%s=%s", i ? " " : "", p->params[i].key,
                                 value_of(&p->params[i], m->words));
    return true;
}

const char *net_value_of(const struct net_made *made, const char *key,
                         const char **end)
{
    size_t length = strlen(key);
    const char *at = made->set, *next;

    for (; *at; at = next + (*next == ' ')) {
        next = at + strcspn(at, " ");
        if (!strncmp(at, key, length) && at[length] == '=') {
            *end = next;
            return at + length + 1;
        }
    }
    *end = at;
    return at;
}

uint32_t net_lists_planned(const struct net_made *made)
{
    const struct fc_protocol *p = made->net.protocol;
    const char *end,
        *at = p->changes ? net_value_of(made, p->changes, &end) : "";
    uint32_t count = *at && strncmp(at, "none", 4) != 0;

    for (; count && at < end; at++)
        count += *at == '/';
    return count;
}

bool net_set_again(struct net_made *made, const char *key, const char *value,
                   struct net_why *why)
{
    const struct fc_protocol *p = made->net.protocol;
    const char *file, *end, *before = net_value_of(made, key, &end);
    char set[2 * sizeof made->set];
    struct fc_wait *wait;

    if (!*before ||
        fc_params_set(p, made->params, key, value, &file, &wait) != FC_SET_DONE)
        return net_refuse(why, "%s=%s: it is not of the form %s", key, value,
                          fc_params_find(p, key)->form);
    snprintf(set, sizeof set, "%.*s%s%s", (int)(before - made->set), made->set,
             value, end);
    if (strlen(set) >= sizeof made->set)
        return net_refuse(why, "the parameters are too long together");
    memcpy(made->set, set, strlen(set) + 1);
    return true;
}

/* ---- Time ---------------------------------------------------------------- */

static bool set_bounds(struct maker *m, const char *text)
{
    struct fc_bounds *b = &m->made->net.world.bounds;
    uint64_t *parts[] = {&b->rmin, &b->rmax, &b->dmin, &b->dmax};
    char copy[128], *rest = copy;
    const char *what = NULL;

    snprintf(copy, sizeof copy, "%s", text);
    for (int i = 0; i < 4; i++) {
        char *word = strsep(&rest, ":");

        if (!word || !fc_read_number(word, parts[i]) ||
            *parts[i] > NET_TICKS_MAX)
            what = "it is not four whole numbers up to 2^40";
    }
    if (rest)
        what = "it is not four whole numbers up to 2^40";
    else if (!what && b->rmin == 0)
        what = "rmin is 0, but a step takes at least one tick";
    else if (!what && b->rmin > b->rmax)
        what = "rmin is above rmax";
    else if (!what && b->dmin > b->dmax)
        what = "dmin is above dmax";
    if (!what)
        return true;
    return net_refuse(
        m->why,
        "--bounds %s: %s; write RMIN:RMAX:DMIN:DMAX in ticks, such as %s", text,
        what, net_default_bounds);
}

/* Nodes know the bounds, whatever steps and delays are given one by one: these
 * do not narrow them. */
static bool refuse_bound(struct maker *m, const char *option, const char *what,
                         uint64_t ticks)
{
    return net_refuse(
        m->why, "%s: a %s of %" PRIu64 " ticks is not within --bounds %s%s",
        option, what, ticks,
        m->words->bounds ? m->words->bounds : net_default_bounds,
        m->words->bounds ? ""
                         : ", the default; say --bounds "
                           "RMIN:RMAX:DMIN:DMAX");
}

/* Whether an option listed as many numbers as there are nodes. */
static bool is_one_each(struct maker *m, const char *option, const char *what)
{
    uint32_t nodes = m->made->net.world.nodes;

    return m->count == nodes ||
           net_refuse(m->why,
                      "%s lists %" PRIu32 " %s for %" PRIu32
                      " processors; give one each, clockwise",
                      option, m->count, what, nodes);
}

static bool fit_steps(struct maker *m)
{
    struct net *net = &m->made->net;
    const struct fc_bounds *b = &net->world.bounds;

    for (uint32_t i = 0; i < net->world.nodes; i++)
        if (net->steps[i] < b->rmin || net->steps[i] > b->rmax)
            return refuse_bound(m, "--clock steps", "step", net->steps[i]);
    return true;
}

static bool set_clock(struct maker *m, const char *word)
{
    struct net *net = &m->made->net;
    int choice = fc_find_choice("fixed|drift|adversary", word);
    const char *list = fc_after(word, "steps:");

    if (choice >= 0) {
        net->clock = (enum net_clock)choice;
        return true;
    }
    if (!list)
        return net_refuse(
            m->why, "--clock %s: choose fixed, drift, adversary or steps:LIST",
            word);
    if (!maker_list(m, list, "a step in --clock", 1, NET_TICKS_MAX) ||
        !is_one_each(m, "--clock steps:", "steps"))
        return false;
    net->clock = NET_CLOCK_LIST;
    net->steps = m->made->steps = values_of(m);
    return net->steps && fit_steps(m);
}

static bool set_phases(struct maker *m, const char *list)
{
    struct net *net = &m->made->net;

    if (net->clock != NET_CLOCK_LIST)
        return net_refuse(m->why,
                          "--phases goes with --clock steps:LIST, which "
                          "says how long steps are");
    if (!maker_list(m, list, "a phase in --phases", 0, NET_TICKS_MAX) ||
        !is_one_each(m, "--phases", "phases"))
        return false;
    net->phases = m->made->phases = values_of(m);
    for (uint32_t i = 0; net->phases && i < m->count; i++)
        if (net->phases[i] >= net->steps[i])
            return net_refuse(m->why,
                              "--phases: the first step of a processor ends "
                              "before tick %" PRIu64
                              ", its length, not at %" PRIu64,
                              net->steps[i], net->phases[i]);
    return net->phases != NULL;
}

static bool fit_delays(struct maker *m)
{
    const struct fc_bounds *b = &m->made->net.world.bounds;

    for (uint32_t i = 0; i < m->count; i++) {
        uint64_t delay = m->made->delays[i];

        if (delay < b->dmin || delay > b->dmax)
            return refuse_bound(m, "--delays", "delay", delay);
    }
    return true;
}

static bool set_delays(struct maker *m, const char *list)
{
    static const char *const orders[] = {
        [FC_RING] = "one each, clockwise",
        [FC_RING_BOTH] = "two each, clockwise: to the next, to the one before",
        [FC_COMPLETE] = "those of 1 to 2, 3, ..., then those of 2, and so on",
        [FC_TREE] = "those of each node, in the order of its links",
    };
    struct net *net = &m->made->net;
    enum fc_topology topology = net->protocol->topology;
    uint64_t links = net_links(topology, net->world.nodes);

    if (!maker_list(m, list, "a delay in --delays", 0, NET_TICKS_MAX))
        return false;
    if (m->count != links)
        return net_refuse(m->why,
                          "--delays lists %" PRIu32 " delays for %" PRIu64
                          " links; give %s",
                          m->count, links, orders[topology]);
    net->delays = m->made->delays = values_of(m);
    return net->delays && fit_delays(m);
}

static bool set_time(struct maker *m)
{
    const struct net_words *w = m->words;
    struct net *net = &m->made->net;
    const char *word = w->time;
    int choice;

    if (!word)
        word = w->bounds || w->clock || w->delays ? "archimedean" : "sync";
    choice = fc_find_choice("sync|archimedean|async", word);
    if (choice < 0)
        return net_refuse(m->why,
                          "--time %s: choose sync, archimedean or async", word);
    net->time = (enum net_time)choice;
    if (net->time != NET_ARCHIMEDEAN && (w->bounds || w->clock || w->delays))
        return net_refuse(m->why,
                          "--bounds, --clock and --delays belong to --time "
                          "archimedean, not to %s",
                          word);
    if (net->time == NET_ARCHIMEDEAN &&
        !set_bounds(m, w->bounds ? w->bounds : net_default_bounds))
        return false;
    if ((w->clock && !set_clock(m, w->clock)) ||
        (w->phases && !set_phases(m, w->phases)) ||
        (w->delays && !set_delays(m, w->delays)))
        return false;
    choice = fc_find_choice("fifo|any", w->links ? w->links : "fifo");
    if (choice < 0)
        return net_refuse(m->why, "--links %s: choose fifo or any", w->links);
    net->any_order = choice == 1;
    return true;
}

/* ---- All of it ----------------------------------------------------------- */

bool net_make(struct net_made *made, const struct net_words *words,
              struct net_why *why)
{
    struct maker m = {.made = made, .words = words, .why = why};
    bool fine;

    memset(made, 0, sizeof *made);
    made->net.first_name = 1;
    made->net.returns = words->returns;
    made->net.protocol = net_choose(words->protocol, why);
    fine = made->net.protocol && maker_names(&m) && maker_topology(&m) &&
           set_time(&m) && maker_wakes(&m) && set_params(&m);
    free(m.read);
    return fine;
}

bool net_prepare(const struct net_made *made, const struct net *net,
                 struct net_why *why)
{
    const struct fc_protocol *p = net->protocol;
    const char *bad = p->prepare ? p->prepare(made->params, &net->world) : NULL;

    return !bad || net_refuse(why, "%s: %s", p->name, bad);
}

void net_unmake(struct net_made *made)
{
    free(made->params);
    free(made->names);
    free(made->steps);
    free(made->phases);
    free(made->delays);
    free(made->wakes);
    free(made->parents);
    free(made->faults);
    free(made->strikes);
    for (uint32_t i = 0; i < made->tables_count; i++)
        free(made->tables[i]);
}
