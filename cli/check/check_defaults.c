/*
 * check_defaults.c - what a search takes where nothing was said (see check.h):
 * three nodes, the time that the protocol assumes, and parameters with which it
 * has finitely many states.
 */
#include <string.h>

#include "cli/check/check.h"
#include "cli/cli.h"

/* How the parameter of KEY=VALUE was set, or NULL. */
static const char *setting_of(const struct cli_check *c, const char *setting)
{
    size_t key = strcspn(setting, "=") + 1;
    const char *found = NULL;

    for (uint32_t i = 0; i < c->words.net.settings_count; i++)
        if (strncmp(c->words.settings[i], setting, key) == 0)
            found = c->words.settings[i];
    return found;
}

/* Whether its numbers are kept modulo something. */
static bool wraps(const struct cli_check *c)
{
    const char *modulus = setting_of(c, "modulus=");

    return modulus && strcmp(modulus, "modulus=none") != 0;
}

/* What the protocol needs, with the parameters that were given; those that are
 * wrong are refused later. */
static uint32_t needs_of(const struct cli_check *c)
{
    struct net_words words = {.protocol = c->words.net.protocol,
                              .nodes = "3",
                              .settings = c->words.settings,
                              .settings_count = c->words.net.settings_count};
    struct net_why why;
    struct net_made made;
    uint32_t needs = net_make(&made, &words, &why) ? net_needs(&made.net) : 0;

    net_unmake(&made);
    return needs;
}

/* Steps of one tick, and two delays: the smallest search with time in which one
 * message overtakes another. */
static void take_time(struct cli_check *c, const struct fc_search *s)
{
    uint32_t needs = needs_of(c);

    if (s->time || s->bounds) {
        c->words.net.time = s->time;
        c->words.net.bounds = s->bounds;
        if (!c->check.until)
            c->check.until = s->until;
    } else if (needs & FC_NEEDS_UNISON) {
        c->words.net.time = "sync";
    } else if (needs & FC_NEEDS_TIME) {
        c->words.net.bounds = "1:1:1:2";
    }
}

void cli_check_defaults(struct cli_check *c)
{
    static const struct fc_search usual;
    const struct fc_protocol *p = net_protocol(c->words.net.protocol);
    const struct fc_search *s = p && p->search ? p->search : &usual;
    bool limited =
        c->check.depth_max || c->check.states_max || c->words.net.links;
    const char *given = s->set ? setting_of(c, s->set) : NULL;

    if (!c->words.net.nodes && cli_counts_names(c->words.net.names))
        c->words.net.nodes = "3";
    if (!c->words.net.time && !c->words.net.bounds && !c->words.net.clock)
        take_time(c, s);
    if (!s->set || limited)
        return;
    if (!given && c->words.net.settings_count < CLI_REPEATS_MAX)
        c->words.settings[c->words.net.settings_count++] = s->set;
    else if (given && strcmp(given, s->set) != 0 && !wraps(c))
        cli_note("with %s %s grows for ever, and so does this search; say "
                 "--set %s, or limit it with --depth or --states",
                 given, s->grows, s->set);
}
