/*
 * setup_cases.c - see setup_cases.h.
 */
#include "cli/setup/setup_cases.h"

#include <inttypes.h>
#include <string.h>

#include "cli/cli.h"
#include "core/text.h"

bool cli_cases_read(struct cli_cases *c, const struct cli_words *typed,
                    struct cli_words *plain)
{
    const char *rest =
        typed->net.names ? fc_after(typed->net.names, "all") : NULL;

    *c = (struct cli_cases){.words = *typed};
    *plain = *typed;
    if (rest && (!*rest || *rest == ':') &&
        strlen(rest) < sizeof c->names - 4) {
        snprintf(c->names, sizeof c->names, "asc%s", rest);
        plain->net.names = c->names;
        c->sim.placements = true;
    }
    if (typed->net.wake && strcmp(typed->net.wake, "sets") == 0) {
        plain->net.wake = NULL;
        c->sim.starters = true;
    }
    return c->sim.placements || c->sim.starters;
}

static void sort_names(struct cli_cases *c, const struct net *net)
{
    bool listed = net->naming == NET_NAMES_LIST;

    for (uint32_t i = 0; i < c->sim.nodes; i++) {
        fc_name name = listed ? net->names[i] : net->first_name + i;
        uint32_t at = i;

        for (; at > 0 && c->sorted[at - 1] > name; at--)
            c->sorted[at] = c->sorted[at - 1];
        c->sorted[at] = name;
    }
    c->sim.names = c->sorted;
}

int cli_cases_begin(struct cli_cases *c, const struct cli_setup *setup,
                    uint64_t runs)
{
    const struct net *net = &setup->sim.net;
    uint32_t nodes = net->world.nodes;

    if (c->sim.placements && nodes > SIM_PLACED_MAX)
        return cli_refuse("--names all: %" PRIu32 " names have too many "
                          "placements; it takes at most %d processors",
                          nodes, SIM_PLACED_MAX);
    if (c->sim.starters && nodes > SIM_STARTERS_MAX)
        return cli_refuse("--wake sets: %" PRIu32 " processors have too many "
                          "sets; it takes at most %d",
                          nodes, SIM_STARTERS_MAX);
    if (c->sim.starters && c->words.competitors)
        return cli_refuse("--competitors and --wake both say which sites take "
                          "part; give one");
    c->sim.nodes = nodes;
    c->sim.runs = runs;
    sort_names(c, net);
    if (cli_cases_runs(c) > UINT32_MAX)
        return cli_refuse("%" PRIu64 " cases with %" PRIu64
                          " runs each are too many; take fewer processors",
                          cli_cases_runs(c) / runs, runs);
    return 0;
}

uint64_t cli_cases_runs(const struct cli_cases *c)
{
    return sim_placements_count(&c->sim) * sim_starters_count(&c->sim) *
           c->sim.runs;
}

void cli_cases_say(const struct cli_cases *c, uint64_t seed)
{
    if (c->sim.placements)
        printf("all %" PRIu64 " placements", sim_placements_count(&c->sim));
    if (c->sim.starters)
        printf("%sall %" PRIu64 " sets of starters",
               c->sim.placements ? " with " : "", sim_starters_count(&c->sim));
    if (c->sim.runs > 1)
        printf(", each with seeds %" PRIu64 " to %" PRIu64, seed,
               seed + c->sim.runs - 1);
    else
        printf(", seed %" PRIu64, seed);
}

void cli_case_words(struct cli_case *out, const struct cli_cases *c,
                    uint64_t number)
{
    struct sim_case one;

    sim_case_find(&one, &c->sim, number);
    out->words = c->words;
    out->names[0] = out->wake[0] = '\0';
    for (uint32_t i = 0; c->sim.placements && i < c->sim.nodes; i++)
        cli_append(out->names, sizeof out->names, "%s%" PRIu32, i ? "," : "",
                   one.names[i]);
    if (c->sim.placements) {
        out->words.net.names = out->names;
        out->words.net.nodes = NULL;
    }
    for (uint32_t i = 0; i < one.wakes_count; i++)
        cli_append(out->wake, sizeof out->wake, "%s%" PRIu32 "@0", i ? "," : "",
                   one.wakes[i].name);
    if (c->sim.starters)
        out->words.net.wake = out->wake;
}
