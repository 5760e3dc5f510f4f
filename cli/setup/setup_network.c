/*
 * setup_network.c - who is there, how they are linked, who wakes (see
 * setup.h).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/setup/setup_parts.h"
#include "core/text.h"
#include "net/graph.h"

/* ---- Names --------------------------------------------------------------- */

struct placed {
    fc_name name;
    uint32_t position;
};

static int by_name(const void *a, const void *b)
{
    fc_name x = ((const struct placed *)a)->name;
    fc_name y = ((const struct placed *)b)->name;

    return (x > y) - (x < y);
}

static int refuse_duplicates(const fc_name *names, uint32_t count,
                             const char *verb)
{
    struct placed *sorted = calloc(count + 1, sizeof *sorted);
    int code = 0;

    if (!sorted)
        return cli_complain(CLI_SYSTEM, verb, "no memory for the names");
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = (struct placed){names[i], i};
    qsort(sorted, count, sizeof *sorted, by_name);
    for (uint32_t i = 1; i < count && !code; i++)
        if (sorted[i].name == sorted[i - 1].name)
            code = cli_complain(CLI_USAGE, verb,
                                "--names: %" PRIu32 " stands twice; names "
                                "must differ",
                                sorted[i].name);
    free(sorted);
    return code;
}

/* How many words a list has, and its numbers, each at most `greatest`.  Words
 * are cut at commas. */
int cli_read_list(const char *list, const char *what, uint64_t greatest,
                  uint64_t **out, uint32_t *count, const char *verb)
{
    char *copy = strdup(list), *rest = copy, *word;
    size_t room = strlen(list) / 2 + 2;
    int code = 0;

    *count = 0;
    *out = malloc(room * sizeof **out);
    if (!copy || !*out) {
        free(copy);
        return cli_complain(CLI_SYSTEM, verb, "no memory for %s", what);
    }
    while (!code && (word = strsep(&rest, ",")))
        code = cli_number(word, what, 1, greatest, &(*out)[(*count)++], verb);
    free(copy);
    return code;
}

static int list_names(struct cli_setup *s, const char *list, const char *verb)
{
    uint64_t *numbers = NULL;
    uint32_t count = 0;
    int code = cli_read_list(list, "a name in --names", FC_NAME_MAX, &numbers,
                             &count, verb);

    if (!code && s->sim.net.world.nodes && s->sim.net.world.nodes != count)
        code = cli_complain(CLI_USAGE, verb,
                            "--names lists %" PRIu32 " names, but -n says "
                            "%" PRIu32 "; leave out -n",
                            count, s->sim.net.world.nodes);
    if (!code && count < 2)
        code = cli_complain(CLI_USAGE, verb,
                            "--names lists one name; a ring has at least two "
                            "(or did you mean asc, desc or random?)");
    if (!code) {
        s->names = calloc(count + 1, sizeof *s->names);
        if (!s->names)
            abort();
        for (uint32_t i = 0; i < count; i++)
            s->names[i] = (fc_name)numbers[i];
        s->sim.net.names = s->names;
        s->sim.net.naming = NET_NAMES_LIST;
        s->sim.net.world.nodes = count;
        code = refuse_duplicates(s->names, count, verb);
    }
    free(numbers);
    return code;
}

int cli_set_names(struct cli_setup *s, const struct cli_words *w,
                  const char *verb)
{
    static const struct {
        const char *word;
        enum net_naming naming;
    } forms[] = {{"asc", NET_NAMES_ASCENDING},
                 {"desc", NET_NAMES_DESCENDING},
                 {"random", NET_NAMES_RANDOM}};
    const struct fc_protocol *p = s->sim.net.protocol;
    bool nameless = p->anonymous || p->topology == FC_COMPLETE;
    const char *word = w->names ? w->names : nameless ? "asc" : "random";
    const char *rest;
    uint64_t nodes = 0, first = 1;

    if (nameless && w->names)
        return cli_complain(CLI_USAGE, verb, "%s takes no --names: %s", p->name,
                            p->anonymous ? "its nodes have none"
                                         : "they are 1 to N");

    if (w->nodes && cli_number(w->nodes, "-n, the number of processors,", 2,
                               NET_NODES_MAX, &nodes, verb))
        return CLI_USAGE;
    s->sim.net.world.nodes = (uint32_t)nodes;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        rest = fc_after(word, forms[i].word);
        if (!rest || (*rest && *rest != ':'))
            continue;
        if (!nodes)
            return cli_complain(CLI_USAGE, verb,
                                "how many processors? Say -n N, or list their "
                                "names: --names 3,1,2");
        if (*rest && cli_number(rest + 1, "the first name in --names", 1,
                                FC_NAME_MAX - nodes + 1, &first, verb))
            return CLI_USAGE;
        s->sim.net.naming = forms[i].naming;
        s->sim.net.first_name = (fc_name)first;
        return 0;
    }
    return list_names(s, word, verb);
}

/* ---- Trees --------------------------------------------------------------- */

/* How many links a node may have. */
static uint32_t links_max(const struct cli_setup *s)
{
    uint32_t most = s->sim.net.protocol->links_max;

    return most ? most : NET_PORTS_MAX;
}

/* Reads a tree: one line for each node but the first, with the position of its
 * parent, which stands before it. */
static int load_parents(struct cli_setup *s, const char *path, const char *verb)
{
    FILE *file = fopen(path, "r");
    uint32_t node = 0, n = s->sim.net.world.nodes;
    uint32_t *links = calloc(n, sizeof *links);
    char line[64];
    int code = 0;

    s->parents = calloc(n, sizeof *s->parents);
    if (!file)
        code = cli_complain(CLI_SYSTEM, verb, "cannot read the tree %s: %s",
                            path, strerror(errno));
    while (!code && links && s->parents && fgets(line, sizeof line, file)) {
        uint64_t parent;

        line[strcspn(line, "\r\n")] = '\0';
        if (++node >= n || !fc_read_number(line, &parent) || parent >= node ||
            ++links[parent] > links_max(s) || ++links[node] > links_max(s))
            code = cli_complain(
                CLI_USAGE, verb,
                "%s, line %" PRIu32 ": '%s' is no parent of node %" PRIu32
                "; write a position before it, with at most %" PRIu32
                " links each",
                path, node, line, node, links_max(s));
        else
            s->parents[node] = (uint32_t)parent;
    }
    if (!code && node + 1 != n)
        code = cli_complain(CLI_USAGE, verb,
                            "%s has %" PRIu32 " lines, but a tree of %" PRIu32
                            " nodes has %" PRIu32,
                            path, node, n, n - 1);
    if (file)
        fclose(file);
    free(links);
    s->sim.net.tree = NET_TREE_LIST;
    s->sim.net.parents = s->parents;
    return code;
}

int cli_set_topology(struct cli_setup *s, const struct cli_words *w,
                     const char *verb)
{
    enum fc_topology topology = s->sim.net.protocol->topology;
    uint32_t n = s->sim.net.world.nodes;
    int choice;

    if (topology == FC_COMPLETE && n > 4096)
        return cli_complain(CLI_USAGE, verb,
                            "%s runs on complete networks of up to 4096 nodes",
                            w->protocol);
    if (topology != FC_TREE) {
        if (w->topology)
            return cli_complain(CLI_USAGE, verb,
                                "--topology is for protocols on trees; %s has "
                                "its own",
                                w->protocol);
        return 0;
    }
    choice = fc_find_choice("path|star|binary|random",
                            w->topology ? w->topology : "random");
    if (choice < 0)
        return load_parents(s, w->topology, verb);
    s->sim.net.tree = (enum net_tree)choice;
    if (s->sim.net.tree == NET_TREE_STAR && n > links_max(s) + 1)
        return cli_complain(CLI_USAGE, verb,
                            "a star of %" PRIu32 " nodes has too many links at "
                            "its centre: %" PRIu32 " at most",
                            n, links_max(s));
    return 0;
}

/* ---- Wake-ups ------------------------------------------------------------ */

static int by_wake(const void *a, const void *b)
{
    const struct net_wake *x = a, *y = b;

    if (x->name != y->name)
        return (x->name > y->name) - (x->name < y->name);
    return (x->tick > y->tick) - (x->tick < y->tick);
}

bool cli_is_name(const struct cli_setup *s, uint64_t name)
{
    if (s->sim.net.naming != NET_NAMES_LIST)
        return name >= s->sim.net.first_name &&
               name - s->sim.net.first_name < s->sim.net.world.nodes;
    for (uint32_t i = 0; i < s->sim.net.world.nodes; i++)
        if (s->names[i] == name)
            return true;
    return false;
}

/* NAME@TICK,NAME@TICK,... */
static int list_wakes(struct cli_setup *s, const char *list, const char *verb)
{
    char *copy = strdup(list), *rest = copy, *word;
    uint32_t count = 0;
    int code = 0;

    s->wakes = calloc(strlen(list) / 2 + 2, sizeof *s->wakes);
    if (!copy || !s->wakes)
        abort();
    while (!code && (word = strsep(&rest, ","))) {
        char *tick = strchr(word, '@');
        uint64_t name = 0, at = 0;

        if (tick)
            *tick++ = '\0';
        if (!tick || !fc_read_number(word, &name) ||
            !fc_read_number(tick, &at) || at > CLI_TICKS_MAX)
            code = cli_complain(CLI_USAGE, verb,
                                "--wake %s: choose all, first, random, "
                                "random:K, or NAME@TICK,NAME@TICK,...",
                                list);
        else if (!cli_is_name(s, name))
            code = cli_complain(CLI_USAGE, verb,
                                "--wake: nobody is called %" PRIu64, name);
        s->wakes[count++] =
            (struct net_wake){.name = (fc_name)name, .tick = at};
    }
    free(copy);
    qsort(s->wakes, count, sizeof *s->wakes, by_wake);
    s->sim.net.waking = NET_WAKE_LIST;
    s->sim.net.wakes = s->wakes;
    s->sim.net.wake_count = count;
    return code;
}

int cli_set_wakes(struct cli_setup *s, const struct cli_words *w,
                  const char *verb)
{
    const char *word = w->wake ? w->wake : "all";
    int choice = fc_find_choice("all|first|random", word);
    const char *some = fc_after(word, "random:");
    uint64_t count;

    if (choice >= 0) {
        s->sim.net.waking = (enum net_waking)choice;
        return 0;
    }
    if (!some)
        return list_wakes(s, word, verb);
    if (cli_number(some, "K in --wake random:K", 1, s->sim.net.world.nodes,
                   &count, verb))
        return CLI_USAGE;
    s->sim.net.waking = NET_WAKE_SOME;
    s->sim.net.wake_count = (uint32_t)count;
    return 0;
}
