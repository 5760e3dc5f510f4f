/*
 * network.c - the network of a trace, from the words of its head (see
 * replay.h).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/replay.h"

enum { SETTINGS_MAX = 64 };

static char *copy_word(const char *at)
{
    return strndup(at, strcspn(at, " "));
}

/* Only the command tells the tree of a run. */
static char *tree_of(const struct trace *t)
{
    static const char option[] = "--topology ";
    const char *at = strstr(t->head.command, option);

    if (at)
        return copy_word(at + strlen(option));
    return strdup(strstr(t->head.command, "fulcrum check") ? "path" : "random");
}

/* Only the command tells names that are equal: the head has none then.  NULL if
 * they differ. */
static const char *equal_names(const struct trace *t)
{
    static const char option[] = "--names ";
    const char *at = strstr(t->head.command, "--names equal:");

    return at && !t->head.names_text ? at + strlen(option) : NULL;
}

/* The lengths of steps, without phases, as --clock takes them. */
static char *clock_of(const struct trace *t)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    for (uint32_t i = 0; to && i < t->head.nodes; i++)
        fprintf(to, "%s%" PRIu64, i ? "," : "steps:", t->head.steps[i].length);
    if (to && fclose(to) == 0)
        return text;
    free(text);
    return NULL;
}

/* What cannot be replayed: the run is too large, or the trace does not say
 * enough. */
static bool fits(const struct trace *t, const struct net *net,
                 struct net_why *why)
{
    const struct net_type *type = net_find(net->protocol);

    if (net->world.nodes > type->nodes_max)
        return net_refuse(why,
                          "only runs of at most %" PRIu32 " nodes are replayed",
                          type->nodes_max);
    if (type->clocked && net->time == NET_ARCHIMEDEAN && !t->head.steps)
        return net_refuse(
            why, "its nodes read clocks, and the trace does not say how fast "
                 "they were");
    return true;
}

/* Makes the network from these words, and all that must be known before it
 * runs. */
static bool complete(const struct trace *t, const struct net_words *words,
                     struct net_made *made, struct net_why *why)
{
    if (!net_make(made, words, why))
        return false;
    net_describe(&made->net);
    return net_prepare(made, &made->net, why) && fits(t, &made->net, why);
}

bool trace_network(const struct trace *t, struct net_made *made,
                   struct net_why *why)
{
    bool branches = t->head.topology == TRACE_TREE,
         ticks = t->head.bounded && t->head.steps;
    char *tree = branches ? tree_of(t) : NULL,
         *clock = ticks ? clock_of(t) : NULL;
    const char *equal = equal_names(t);
    char *names = equal ? copy_word(equal) : NULL;
    char *set = strdup(t->head.set), *rest = set, *word;
    const char *settings[SETTINGS_MAX];
    struct net_words words = {
        .protocol = t->head.protocol,
        .nodes = t->head.nodes_text,
        .names = t->head.topology == TRACE_COMPLETE ? NULL
                 : equal                            ? names
                                                    : t->head.names_text,
        .topology = tree,
        .time = t->head.time,
        .bounds = t->head.bounded ? t->head.bounds_text : NULL,
        .clock = clock,
        .settings = settings,
        .returns = t->head.returns,
    };
    bool fine =
        set && !branches == !tree && !ticks == !clock && !equal == !names;

    *made = (struct net_made){.tables_count = 0};
    (void)net_no_memory(why, "the network of the trace");
    while ((word = strsep(&rest, " ")))
        if (*word && words.settings_count < SETTINGS_MAX)
            settings[words.settings_count++] = word;
    fine = fine && complete(t, &words, made, why);
    free(set);
    free(names);
    free(clock);
    free(tree);
    return fine;
}

uint32_t trace_predicates(const struct trace *t, const struct net *net)
{
    const struct fc_protocol *p = net->protocol;
    uint32_t predicates = net->predicates;

    for (uint32_t i = 0; i < p->predicates_count; i++)
        for (uint32_t k = 0; k < t->violations_count; k++)
            if (strcmp(trace_violated(t, &t->violations[k]),
                       p->predicates[i].name) == 0)
                predicates |= UINT32_C(1) << i;
    return predicates;
}
