/*
 * setup.c - see setup.h.
 */
#include "cli/setup/setup.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/setup/setup_parts.h"
#include "cli/words.h"
#include "core/params.h"
#include "core/text.h"
#include "core/wait.h"

static const char default_bounds[] = "2:3:1:4";

int cli_number(const char *text, const char *what, uint64_t least,
               uint64_t greatest, uint64_t *out, const char *verb)
{
    if (fc_read_number(text, out) && *out >= least && *out <= greatest)
        return 0;
    return cli_complain(CLI_USAGE, verb,
                        "%s takes a whole number from %" PRIu64 " to %" PRIu64
                        ", not '%s'",
                        what, least, greatest, text);
}

/* ---- The protocol and its parameters ------------------------------------- */

const struct sim_type *cli_find_protocol(const char *name, const char *verb)
{
    const struct sim_type *type = sim_find(name);
    const char *near = NULL;

    if (type)
        return type;
    for (uint32_t i = 0; sim_types[i]; i++)
        if (cli_distance(name, sim_types[i]->protocol->name) <= 3)
            near = sim_types[i]->protocol->name;
    if (near)
        (void)cli_complain(CLI_USAGE, verb,
                           "no protocol is called '%s'; did you mean '%s'?",
                           name, near);
    else
        (void)cli_complain(CLI_USAGE, verb,
                           "no protocol is called '%s'; 'fulcrum list' shows "
                           "them all",
                           name);
    return NULL;
}

/* Reads a table of waits: one whole number a line for the names 1, 2, ... */
static int load_table(struct cli_setup *s, struct fc_wait *wait,
                      const char *path, const char *verb)
{
    FILE *file = fopen(path, "r");
    uint64_t *table = NULL;
    size_t count = 0, room = 0;
    char line[64];

    if (!file)
        return cli_complain(CLI_SYSTEM, verb, "cannot read the table %s: %s",
                            path, strerror(errno));
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\r\n")] = '\0';
        if (count == room) {
            room = room ? 2 * room : 64;
            table = realloc(table, room * sizeof *table);
            if (!table)
                abort();
        }
        if (!fc_read_number(line, &table[count])) {
            int code = cli_complain(CLI_USAGE, verb,
                                    "%s, line %zu: '%s' is no whole number; "
                                    "write one wait a line",
                                    path, count + 1, line);
            free(table);
            fclose(file);
            return code;
        }
        count++;
    }
    fclose(file);
    if (s->tables_count == CLI_TABLES_MAX) {
        free(table);
        return cli_complain(CLI_USAGE, verb, "too many tables");
    }
    s->tables[s->tables_count++] = table;
    wait->table = table;
    wait->table_count = count;
    return 0;
}

static int complain_of_key(const struct fc_protocol *p, const char *key,
                           const char *verb)
{
    char known[256] = "none";
    size_t used = 0;

    for (uint32_t i = 0; i < p->params_count; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s",
                                 i ? ", " : "", p->params[i].key);
    return cli_complain(CLI_USAGE, verb,
                        "%s has no parameter '%s'; its parameters: %s", p->name,
                        key, known);
}

static int set_one(struct cli_setup *s, const char *word, const char *verb)
{
    const struct fc_protocol *p = s->sim.net.protocol;
    char key[64];
    const char *equals = strchr(word, '='), *file = NULL;
    struct fc_wait *wait = NULL;

    if (!equals || (size_t)(equals - word) >= sizeof key)
        return cli_complain(CLI_USAGE, verb, "--set takes KEY=VALUE, not '%s'",
                            word);
    memcpy(key, word, (size_t)(equals - word));
    key[equals - word] = '\0';
    switch (fc_params_set(p, s->params, key, equals + 1, &file, &wait)) {
    case FC_SET_DONE:
        return 0;
    case FC_SET_NEEDS_FILE:
        return load_table(s, wait, file, verb);
    case FC_SET_NO_KEY:
        return complain_of_key(p, key, verb);
    case FC_SET_BAD_VALUE:
        break;
    }
    return cli_complain(CLI_USAGE, verb, "%s=%s: '%s' is none of %s", key,
                        equals + 1, equals + 1, fc_params_find(p, key)->form);
}

/* The value of a parameter as typed last, or its default. */
static const char *value_of(const struct fc_param *param,
                            const struct cli_words *w)
{
    size_t length = strlen(param->key);
    const char *value = param->fallback;

    for (uint32_t i = 0; i < w->settings_count; i++)
        if (!strncmp(w->settings[i], param->key, length) &&
            w->settings[i][length] == '=')
            value = w->settings[i] + length + 1;
    return value;
}

static int set_params(struct cli_setup *s, const struct cli_words *w,
                      const char *verb)
{
    const struct fc_protocol *p = s->sim.net.protocol;
    size_t used = 0;

    s->params = calloc(1, p->params_size);
    if (!s->params)
        return cli_complain(CLI_SYSTEM, verb, "no memory");
    fc_params_default(p, s->params);
    s->sim.net.params = s->params;
    for (uint32_t i = 0; i < w->settings_count; i++) {
        int code = set_one(s, w->settings[i], verb);

        if (code)
            return code;
    }
    for (uint32_t i = 0; i < p->params_count && used < sizeof s->set; i++)
        used += (size_t)snprintf(s->set + used, sizeof s->set - used, "%s%s=%s",
                                 i ? " " : "", p->params[i].key,
                                 value_of(&p->params[i], w));
    return 0;
}

/* ---- Time ---------------------------------------------------------------- */

static int set_bounds(struct cli_setup *s, const char *text, const char *verb)
{
    struct fc_bounds *b = &s->sim.net.world.bounds;
    uint64_t *parts[] = {&b->rmin, &b->rmax, &b->dmin, &b->dmax};
    char copy[128], *rest = copy;
    const char *what = NULL;

    snprintf(copy, sizeof copy, "%s", text);
    for (int i = 0; i < 4; i++) {
        char *word = strsep(&rest, ":");

        if (!word || !fc_read_number(word, parts[i]) ||
            *parts[i] > CLI_TICKS_MAX)
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
        return 0;
    return cli_complain(CLI_USAGE, verb,
                        "--bounds %s: %s; write RMIN:RMAX:DMIN:DMAX in ticks, "
                        "such as %s",
                        text, what, default_bounds);
}

static int set_clock(struct cli_setup *s, const char *word, const char *verb)
{
    int choice = fc_find_choice("fixed|drift|adversary", word);
    const char *list = fc_after(word, "steps:");
    uint32_t count;

    if (choice >= 0) {
        s->sim.net.clock = (enum net_clock)choice;
        return 0;
    }
    if (!list)
        return cli_complain(CLI_USAGE, verb,
                            "--clock %s: choose fixed, drift, adversary or "
                            "steps:LIST",
                            word);
    if (cli_read_list(list, "a step in --clock", CLI_TICKS_MAX, &s->steps,
                      &count, verb))
        return CLI_USAGE;
    if (count != s->sim.net.world.nodes)
        return cli_complain(CLI_USAGE, verb,
                            "--clock steps: lists %" PRIu32 " steps for "
                            "%" PRIu32 " processors; give one each, clockwise",
                            count, s->sim.net.world.nodes);
    s->sim.net.clock = NET_CLOCK_LIST;
    s->sim.net.steps = s->steps;
    return 0;
}

static int set_time(struct cli_setup *s, const struct cli_words *w,
                    const char *verb)
{
    const char *word = w->time;
    int choice;

    if (!word)
        word = w->bounds || w->clock ? "archimedean" : "sync";
    choice = fc_find_choice("sync|archimedean|async", word);
    if (choice < 0)
        return cli_complain(CLI_USAGE, verb,
                            "--time %s: choose sync, archimedean or async",
                            word);
    s->sim.net.time = (enum net_time)choice;
    if (s->sim.net.time != NET_ARCHIMEDEAN && (w->bounds || w->clock))
        return cli_complain(CLI_USAGE, verb,
                            "--bounds and --clock belong to --time "
                            "archimedean, not to %s",
                            word);
    if (s->sim.net.time == NET_ARCHIMEDEAN &&
        set_bounds(s, w->bounds ? w->bounds : default_bounds, verb))
        return CLI_USAGE;
    if (w->clock && set_clock(s, w->clock, verb))
        return CLI_USAGE;
    if (w->links) {
        choice = fc_find_choice("fifo|any", w->links);
        if (choice < 0)
            return cli_complain(CLI_USAGE, verb,
                                "--links %s: choose fifo or any", w->links);
        s->sim.net.any_order = choice == 1;
    }
    if (w->until)
        return cli_number(w->until, "--until", 1, UINT64_C(1) << 62,
                          &s->sim.until, verb);
    return 0;
}

/* ---- All of it ----------------------------------------------------------- */

int cli_setup_begin(struct cli_setup *s, const struct cli_words *w,
                    const char *verb)
{
    const struct sim_type *type;
    const struct fc_protocol *p;
    const char *why;
    int code;

    memset(s, 0, sizeof *s);
    s->sim.net.first_name = 1;
    s->sim.net.returns = w->returns;
    type = cli_find_protocol(w->protocol, verb);
    if (!type)
        return CLI_USAGE;
    sim_use(&s->sim, type);
    p = s->sim.net.protocol;
    if ((code = cli_set_names(s, w, verb)) ||
        (code = cli_set_topology(s, w, verb)) ||
        (code = set_time(s, w, verb)) || (code = cli_set_wakes(s, w, verb)) ||
        (code = cli_set_work(s, w, verb)) ||
        (code = cli_set_faults(s, w, verb)) || (code = set_params(s, w, verb)))
        return code;
    sim_describe(&s->sim);
    why = p->prepare ? p->prepare(s->params, &s->sim.net.world) : NULL;
    if (why)
        return cli_complain(CLI_USAGE, verb, "%s: %s", p->name, why);
    snprintf(s->command, sizeof s->command, "%s", w->protocol);
    cli_words_write(w, s->command, sizeof s->command);
    return 0;
}

void cli_setup_free(struct cli_setup *s)
{
    free(s->params);
    free(s->names);
    free(s->steps);
    free(s->wakes);
    free(s->parents);
    free(s->faults);
    for (uint32_t i = 0; i < s->tables_count; i++)
        free(s->tables[i]);
}

static void describe_wakes(const struct cli_setup *s, const struct cli_words *w,
                           char *buffer, size_t size)
{
    switch (s->sim.net.waking) {
    case NET_WAKE_ALL:
        snprintf(buffer, size, "all awake at 0");
        break;
    case NET_WAKE_FIRST:
        snprintf(buffer, size, "the first wakes at 0");
        break;
    case NET_WAKE_RANDOM:
        snprintf(buffer, size, "about half wake at random ticks");
        break;
    case NET_WAKE_SOME:
        snprintf(buffer, size, "%" PRIu32 " random ones wake at 0",
                 s->sim.net.wake_count);
        break;
    case NET_WAKE_LIST:
        snprintf(buffer, size, "awake %s", w->wake);
        break;
    }
}

static void describe_work(const struct cli_setup *s, const struct cli_words *w,
                          char *buffer, size_t size)
{
    char who[64] = "each";

    if (w->competitors)
        snprintf(who, sizeof who, "each of %.20s", w->competitors);
    else if (w->wake)
        snprintf(who, sizeof who, "awake %.40s, each", w->wake);
    snprintf(buffer, size, "%s enters %" PRIu32 " times, %s inside, %s between",
             who, s->sim.work.entries, w->section ? w->section : "1",
             w->think ? w->think : "1");
}

void cli_setup_describe(const struct cli_setup *s, const struct cli_words *w,
                        char *buffer, size_t size)
{
    static const char *const clocks[] = {"fixed clocks", "drifting clocks",
                                         "adversary", "given steps"};
    const struct fc_bounds *b = &s->sim.net.world.bounds;
    char nodes[32], wakes[192], time[160];

    if (s->sim.net.protocol->problem->repeats)
        describe_work(s, w, wakes, sizeof wakes);
    else
        describe_wakes(s, w, wakes, sizeof wakes);
    if (s->sim.net.time == NET_ARCHIMEDEAN)
        snprintf(time, sizeof time,
                 "archimedean %" PRIu64 ":%" PRIu64 ":%" PRIu64 ":%" PRIu64
                 ", %s",
                 b->rmin, b->rmax, b->dmin, b->dmax, clocks[s->sim.net.clock]);
    else
        snprintf(time, sizeof time, "%s",
                 s->sim.net.time == NET_SYNC ? "sync" : "async");
    snprintf(buffer, size, "%s processors, %s%s, %s",
             cli_grouped(s->sim.net.world.nodes, nodes, sizeof nodes), time,
             s->sim.net.any_order ? ", links in any order" : "", wakes);
}
