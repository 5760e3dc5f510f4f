/*
 * head.c - see head.h.
 *
 * A problem that is not in the format's tables (docs/trace.md) has roles, facts
 * and commands of its own.  The head of a trace declares them, and says of each
 * role which of the format's roles it is drawn like.
 */
#include "trace/head.h"

#include <stdlib.h>
#include <string.h>

#include "net/names.h"
#include "problems/problem.h"

const char *const trace_meaning_words[TRACE_MEANINGS] = {
    [TRACE_ASKS] = "asks",     [TRACE_CLAIMS] = "claims",
    [TRACE_GRANTS] = "grants", [TRACE_REFUSES] = "refuses",
    [TRACE_CALLS] = "calls",   [TRACE_TELLS] = "tells",
    [TRACE_TOKEN] = "token",   [TRACE_FRAME] = "frame",
};

const char *const trace_topology_words[TRACE_TOPOLOGIES] = {
    [TRACE_RING] = "ring",
    [TRACE_RING_BOTH] = "ring-both",
    [TRACE_COMPLETE] = "complete",
    [TRACE_TREE] = "tree",
};

/* The meanings of messages and the topologies, in the order of their
 * enumerators. */
_Static_assert((int)TRACE_ASKS == (int)FC_ASKS &&
                   (int)TRACE_CLAIMS == (int)FC_CLAIMS &&
                   (int)TRACE_GRANTS == (int)FC_GRANTS &&
                   (int)TRACE_REFUSES == (int)FC_REFUSES &&
                   (int)TRACE_CALLS == (int)FC_CALLS &&
                   (int)TRACE_TELLS == (int)FC_TELLS &&
                   (int)TRACE_TOKEN == (int)FC_TOKEN &&
                   (int)TRACE_FRAME == (int)FC_FRAME,
               "one table of words");
_Static_assert((int)TRACE_RING == (int)FC_RING &&
                   (int)TRACE_RING_BOTH == (int)FC_RING_BOTH &&
                   (int)TRACE_COMPLETE == (int)FC_COMPLETE &&
                   (int)TRACE_TREE == (int)FC_TREE,
               "one table of words");
_Static_assert(TRACE_NEVER == FC_NEVER, "one word for it");

/* ---- Nodes --------------------------------------------------------------- */

uint32_t trace_name(const struct trace_head *h, uint32_t lane)
{
    return h->names != NULL ? h->names[lane] : lane;
}

/* ---- Roles --------------------------------------------------------------- */

const char *trace_role_word(enum trace_role role)
{
    static const char *const words[TRACE_ROLES_ALL] = {
        [TRACE_ASLEEP] = "asleep",       [TRACE_AWAKE] = "awake",
        [TRACE_CANDIDATE] = "candidate", [TRACE_LOST] = "lost",
        [TRACE_LEADER] = "leader",       [TRACE_DONE] = "done",
        [TRACE_IDLE] = "idle",           [TRACE_SLEEPING] = "sleeps",
        [TRACE_ASKING] = "asks",         [TRACE_WAITING] = "waits",
        [TRACE_INSIDE] = "inside",       [TRACE_MUTE] = "mute",
        [TRACE_READING] = "reads",       [TRACE_WRITING] = "writes",
    };

    return words[role];
}

const char *trace_role_said(const struct trace_head *h, enum trace_role role)
{
    return role < TRACE_OWN ? trace_role_word(role)
                            : h->own_roles[role - TRACE_OWN].word;
}

enum trace_role trace_role_like(const struct trace_head *h,
                                enum trace_role role)
{
    return role < TRACE_OWN ? role : h->own_roles[role - TRACE_OWN].like;
}

enum trace_role trace_role_called(const struct trace_head *h, const char *word,
                                  size_t length)
{
    for (unsigned role = 0; role < TRACE_OWN + h->own_roles_count; role++) {
        const char *other = trace_role_said(h, (enum trace_role)role);

        if (other && *other == *word && strncmp(other, word, length) == 0 &&
            !other[length])
            return (enum trace_role)role;
    }
    return TRACE_ROLES_ALL;
}

/* ---- Facts and commands -------------------------------------------------- */

const char *trace_fact_word(enum trace_fact fact)
{
    static const char *const words[TRACE_FACTS] = {
        [TRACE_ANSWERS] = "answers",
        [TRACE_KNOWS] = "knows",
        [TRACE_HAS_TOKEN] = "token",
    };

    return words[fact];
}

static const char *const asks[] = {
    [TRACE_WAKE] = "wake",
    [TRACE_WANT] = "want",
    [TRACE_WANT_SHARED] = "want-shared",
    [TRACE_LEAVE] = "leave",
};
enum { ASKS = sizeof asks / sizeof asks[0] };

enum trace_what trace_asked(const char *word)
{
    for (unsigned i = 0; i < ASKS; i++)
        if (strcmp(asks[i], word) == 0)
            return (enum trace_what)i;
    return TRACE_ASKED;
}

const char *trace_asked_word(const struct trace_head *h, enum trace_what what,
                             uint32_t asked)
{
    if (what == TRACE_ASKED)
        return h->own_asks[asked];
    return (int)what < ASKS ? asks[what] : NULL;
}

/* ---- Of a run that begins ------------------------------------------------ */

static void take_kinds(struct trace_head *h, const struct fc_protocol *p)
{
    h->kinds_count = 0;
    for (uint32_t k = 1; k < p->kinds_count; k++)
        h->kinds[h->kinds_count++] = (struct trace_kind){
            .word = p->kinds[k].name,
            .label = p->kinds[k].label,
            .meaning = (enum trace_meaning)p->kinds[k].meaning,
            .numbers = p->numbers ? p->numbers[k] : NULL,
        };
}

/* The words of a problem that the format does not have. */
static void take_words(struct trace_head *h, const struct fc_protocol *protocol)
{
    const struct fc_problem *p = protocol->problem;
    const char *first = p->first ? p->first : trace_role_word(TRACE_IDLE);

    h->own_roles_count = h->own_facts_count = h->own_asks_count = 0;
    for (const struct fc_own_role *own = p->roles; own && own->word; own++) {
        enum trace_role like =
            trace_role_called(h, own->like, strlen(own->like));

        h->own_roles[h->own_roles_count++] =
            (struct trace_own_role){own->word, like};
    }
    for (const char *const *fact = p->facts; fact && *fact; fact++)
        h->own_facts[h->own_facts_count++] = *fact;
    for (uint32_t i = 0; i < p->commands_count; i++)
        if (trace_asked(p->commands[i]) == TRACE_ASKED)
            h->own_asks[h->own_asks_count++] = p->commands[i];
    for (uint32_t i = 0; protocol->change && i < FC_LISTS_MAX; i++)
        h->own_asks[h->own_asks_count++] =
            fc_command_word(protocol, (uint8_t)(protocol->change + i));
    h->first_role = trace_role_called(h, first, strlen(first));
}

bool trace_steps_stay(const struct net *net)
{
    return net->time != NET_ASYNC &&
           (net->time != NET_ARCHIMEDEAN || net->clock != NET_CLOCK_DRIFT);
}

bool trace_head_of(struct trace_head *h, const struct net *net,
                   const struct net_names *names, uint64_t seed)
{
    const struct fc_protocol *p = net->protocol;
    const struct fc_bounds *b = &net->world.bounds;
    uint32_t nodes = net->world.nodes;

    trace_head_free(h);
    h->protocol = p->name;
    h->problem = p->problem->name;
    h->topology = (enum trace_topology)p->topology;
    h->time = net_time_words[net->time];
    h->bounded = net->time == NET_ARCHIMEDEAN;
    h->returns = net->world.returns;
    h->bounds = (struct trace_bounds){b->rmin, b->rmax, b->dmin, b->dmax};
    h->seed = seed;
    h->seeded = true;
    h->nodes = nodes;
    take_kinds(h, p);
    take_words(h, p);
    if (!net_nameless(net))
        h->names = malloc(nodes * sizeof *h->names);
    for (uint32_t i = 0; h->names && i < nodes; i++)
        h->names[i] = net_name(names, i);
    if (trace_steps_stay(net))
        h->steps = calloc(nodes, sizeof *h->steps);
    return (h->names || net_nameless(net)) &&
           (h->steps || !trace_steps_stay(net));
}

void trace_head_free(struct trace_head *h)
{
    free(h->names);
    free(h->steps);
    h->names = NULL;
    h->steps = NULL;
}
