/*
 * setup.c - see setup.h.
 */
#include "cli/setup/setup.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

int cli_refused(const struct net_refusal *refusal)
{
    return cli_complain(refusal->system ? CLI_SYSTEM : CLI_USAGE, "%s",
                        refusal->why);
}

int cli_number(const char *text, const char *what, uint64_t least,
               uint64_t greatest, uint64_t *out)
{
    struct net_refusal refusal = {0};

    return net_number(text, what, least, greatest, out, &refusal)
               ? 0
               : cli_refused(&refusal);
}

int cli_setup_begin(struct cli_setup *s, const struct cli_words *w)
{
    struct net_words words = w->net;
    struct net_refusal refusal = {0};
    int code;

    memset(s, 0, sizeof *s);
    words.settings = w->settings;
    if (!net_make(&s->made, &words, &refusal))
        return cli_refused(&refusal);
    s->sim.net = s->made.net;
    sim_use(&s->sim, sim_find(w->net.protocol));
    if (w->until &&
        cli_number(w->until, "--until", 1, UINT64_C(1) << 62, &s->sim.until))
        return CLI_USAGE;
    if ((code = cli_set_work(s, w)) || (code = cli_set_faults(s, w)))
        return code;
    sim_describe(&s->sim);
    if (!net_prepare(&s->made, &s->sim.net, &refusal))
        return cli_refused(&refusal);
    snprintf(s->command, sizeof s->command, "%s", w->net.protocol);
    cli_options_write(cli_words_options, w, s->command, sizeof s->command);
    return 0;
}

void cli_setup_free(struct cli_setup *s)
{
    net_unmake(&s->made);
    free(s->faults);
}

void cli_print_time(const struct net *net)
{
    static const char *const clocks[] = {"fixed clocks", "drifting clocks",
                                         "adversary", "given steps"};
    const struct fc_bounds *b = &net->world.bounds;

    if (net->time == NET_ARCHIMEDEAN)
        printf(", archimedean %" PRIu64 ":%" PRIu64 ":%" PRIu64 ":%" PRIu64
               ", %s",
               b->rmin, b->rmax, b->dmin, b->dmax, clocks[net->clock]);
    else
        printf(", %s", net->time == NET_SYNC ? "sync" : "async");
}
