/*
 * net.c - <fulcrum/net.h>: remembers words, which net/make.h makes a network
 * of when something runs on it.
 */
#include "api/net.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"

static const char *const keys[API_KEYS] = {
    [API_NODES] = "nodes",       [API_NAMES] = "names",
    [API_TOPOLOGY] = "topology", [API_TIME] = "time",
    [API_BOUNDS] = "bounds",     [API_CLOCK] = "clock",
    [API_PHASES] = "phases",     [API_DELAYS] = "delays",
    [API_LINKS] = "links",       [API_WAKE] = "wake",
    [API_ENTRIES] = "entries",   [API_SECTION] = "section",
    [API_UNTIL] = "until",       [API_THINK] = "think",
    [API_BURST] = "burst",       [API_CRASHES] = "crashes",
    [API_LOSS] = "loss",         [API_DUPLICATE] = "duplicate",
    [API_RESTARTS] = "restarts", [API_STATES] = "states",
    [API_MEMORY] = "memory",     [API_THREADS] = "threads",
    [API_SYMMETRY] = "symmetry", [API_REDUCE] = "reduce",
};

const char *fulcrum_net_protocol(size_t number)
{
    for (size_t i = 0; net_types[i]; i++)
        if (i == number)
            return net_types[i]->protocol->name;
    return NULL;
}

struct fulcrum_net *fulcrum_net_new(const char *protocol)
{
    struct fulcrum_net *net = calloc(1, sizeof *net);

    if (!net || !(net->protocol = strdup(protocol))) {
        free(net);
        return NULL;
    }
    return net;
}

static void free_list(struct api_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        free(list->texts[i]);
    free(list->texts);
}

void fulcrum_net_free(struct fulcrum_net *net)
{
    if (!net)
        return;
    for (int i = 0; i < API_KEYS; i++)
        free(net->said[i]);
    free_list(&net->settings);
    free_list(&net->faults);
    free(net->protocol);
    free(net);
}

const char *fulcrum_net_why(const struct fulcrum_net *net)
{
    return net->why.text;
}

/* The text is now the list's. */
static bool add(struct api_list *list, char *text)
{
    char **grown =
        realloc(list->texts, (list->count + 1) * sizeof *list->texts);

    if (!grown)
        return false;
    list->texts = grown;
    grown[list->count++] = text;
    return true;
}

static int no_memory(struct fulcrum_net *net)
{
    (void)net_no_memory(&net->why, "the network");
    errno = ENOMEM;
    return -1;
}

int fulcrum_net_set(struct fulcrum_net *net, const char *key, const char *value)
{
    bool is_setting = strcmp(key, "set") == 0;
    bool is_listed = is_setting || strcmp(key, "fault") == 0;
    char *text = strdup(value);

    if (text && is_listed &&
        add(is_setting ? &net->settings : &net->faults, text))
        return 0;
    for (int i = 0; text && i < API_KEYS; i++)
        if (strcmp(key, keys[i]) == 0) {
            free(net->said[i]);
            net->said[i] = text;
            return 0;
        }
    free(text);
    if (!text || is_listed)
        return no_memory(net);
    (void)net_refuse(&net->why, "nothing is called '%s' here", key);
    errno = EINVAL;
    return -1;
}

/* Whether these names leave the number of nodes open. */
static bool are_counted(const char *names)
{
    return !names || fc_find_choice("asc|desc|random", names) >= 0;
}

struct net_words api_words(const struct fulcrum_net *net, const char *nodes)
{
    const char *said = net->said[API_NODES];

    if (!said && are_counted(net->said[API_NAMES]))
        said = nodes;
    return (struct net_words){
        .protocol = net->protocol,
        .nodes = said,
        .names = net->said[API_NAMES],
        .topology = net->said[API_TOPOLOGY],
        .time = net->said[API_TIME],
        .bounds = net->said[API_BOUNDS],
        .clock = net->said[API_CLOCK],
        .phases = net->said[API_PHASES],
        .delays = net->said[API_DELAYS],
        .links = net->said[API_LINKS],
        .wake = net->said[API_WAKE],
        .returns = net->said[API_RESTARTS] != NULL,
        .settings = (const char *const *)net->settings.texts,
        .settings_count = net->settings.count,
    };
}

bool api_fits(struct fulcrum_net *net, enum api_key first, enum api_key end,
              const char *tool)
{
    for (enum api_key key = first; key < end; key++)
        if (net->said[key])
            return net_refuse(&net->why, "%s is not for the %s", keys[key],
                              tool);
    return true;
}

bool api_number(struct fulcrum_net *net, enum api_key key, uint64_t least,
                uint64_t most, uint64_t *number)
{
    return !net->said[key] || net_number(net->said[key], keys[key], least, most,
                                         number, &net->why);
}

int api_find_number(const struct api_number *table, const void *result,
                    const char *name, double *value)
{
    uint64_t number;

    while (table->name && strcmp(table->name, name) != 0)
        table++;
    if (!table->name)
        return -1;
    memcpy(&number, (const char *)result + table->offset, sizeof number);
    *value = (double)number;
    return 0;
}

int api_bit(uint32_t set, size_t number)
{
    for (int i = 0; i < 32; i++)
        if (set >> i & 1 && number-- == 0)
            return i;
    return -1;
}
