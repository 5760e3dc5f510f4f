/*
 * setup_faults.c - what shall go wrong (see setup.h): --fault WHAT, repeated,
 * or --faults FILE with one WHAT a line.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/setup/setup.h"
#include "core/text.h"

static const char forms[] =
    "crash NAME@TICK, restart NAME@TICK, restart-blank NAME@TICK, "
    "pause NAME@TICK:TICKS, cut NAME,...@FROM:TO, loss P, duplicate P, "
    "reorder P, late P:TICKS, crashes COUNT, crashes-blank COUNT";

static int refuse(const char *what)
{
    return cli_refuse("--fault '%s': write one of: %s", what, forms);
}

bool cli_read_share(const char *text, sim_chance *chance, const char **rest)
{
    char *end;
    double share = strtod(text, &end);

    *rest = end;
    if (end == text || !(share >= 0) || share > 1)
        return false;
    *chance = (sim_chance)llround(share * 4294967296.0);
    return true;
}

static bool add(struct cli_setup *s, enum net_fault_kind kind, uint64_t name,
                uint64_t tick, uint64_t ticks)
{
    /* Positions count from 0 where there are no names. */
    bool anonymous = s->sim.net.protocol->anonymous;
    struct sim_fault *grown =
        realloc(s->faults, (s->sim.faults.count + 1) * sizeof *s->faults);

    if (!grown)
        abort();
    s->faults = grown;
    if (anonymous ? name >= s->sim.net.world.nodes
                  : !net_is_name(&s->sim.net, name))
        return false;
    s->faults[s->sim.faults.count++] = (struct sim_fault){
        .kind = kind,
        .name = (fc_name)(name + anonymous),
        .tick = tick,
        .ticks = ticks,
    };
    s->sim.faults.list = s->faults;
    return true;
}

/* NAME,NAME@TICK or NAME,NAME@TICK:MORE. */
static bool add_listed(struct cli_setup *s, enum net_fault_kind kind,
                       const char *text)
{
    char copy[256], *rest = copy, *at, *more, *word;
    bool spans = kind == NET_FAULT_PAUSE || kind == NET_FAULT_CUT;
    uint64_t tick, second = 0, name;

    snprintf(copy, sizeof copy, "%s", text);
    at = strchr(copy, '@');
    if (!at)
        return false;
    *at++ = '\0';
    more = strchr(at, ':');
    if (spans != (more != NULL))
        return false;
    if (more)
        *more++ = '\0';
    if (!fc_read_number(at, &tick) || tick > NET_TICKS_MAX ||
        (more && (!fc_read_number(more, &second) || second > NET_TICKS_MAX)))
        return false;
    if (kind == NET_FAULT_CUT && second <= tick)
        return false;
    if (kind == NET_FAULT_PAUSE && second == 0)
        return false;
    while ((word = strsep(&rest, ","))) {
        if (!fc_read_number(word, &name) ||
            !add(s, kind, name, tick, kind == NET_FAULT_CUT ? 0 : second))
            return false;
        if (kind == NET_FAULT_CUT && !add(s, NET_FAULT_JOINED, name, second, 0))
            return false;
    }
    return true;
}

static bool set_late(struct sim_faults *f, const char *text)
{
    const char *rest;

    return cli_read_share(text, &f->late, &rest) && *rest == ':' &&
           fc_read_number(rest + 1, &f->late_ticks) && f->late_ticks > 0 &&
           f->late_ticks <= NET_TICKS_MAX;
}

static bool set_crashes(struct sim_faults *f, const char *text, bool blank)
{
    uint64_t count;

    if (!fc_read_number(text, &count) || count == 0 || count > 1000000)
        return false;
    f->crashes = (uint32_t)count;
    f->blank = blank;
    return true;
}

static bool set_share(sim_chance *chance, const char *text)
{
    const char *rest;

    return cli_read_share(text, chance, &rest) && !*rest;
}

/* One WHAT of the list above. */
static bool take(struct cli_setup *s, const char *what)
{
    static const struct {
        const char *word;
        enum net_fault_kind kind;
    } listed[] = {
        {"crash ", NET_FAULT_CRASH},
        {"restart ", NET_FAULT_RESTART},
        {"restart-blank ", NET_FAULT_RESTART_BLANK},
        {"pause ", NET_FAULT_PAUSE},
        {"cut ", NET_FAULT_CUT},
    };
    struct sim_faults *f = &s->sim.faults;
    const char *rest;

    for (size_t i = 0; i < sizeof listed / sizeof listed[0]; i++)
        if ((rest = fc_after(what, listed[i].word)))
            return add_listed(s, listed[i].kind, rest);
    if ((rest = fc_after(what, "loss ")))
        return set_share(&f->loss, rest);
    if ((rest = fc_after(what, "duplicate ")))
        return set_share(&f->duplicate, rest);
    if ((rest = fc_after(what, "reorder ")))
        return set_share(&f->reorder, rest);
    if ((rest = fc_after(what, "late ")))
        return set_late(f, rest);
    if ((rest = fc_after(what, "crashes ")))
        return set_crashes(f, rest, false);
    if ((rest = fc_after(what, "crashes-blank ")))
        return set_crashes(f, rest, true);
    return false;
}

static int load(struct cli_setup *s, const char *path)
{
    FILE *file = fopen(path, "r");
    char line[256];
    uint32_t number = 0;
    int code = 0;

    if (!file)
        return cli_fail("cannot read the faults %s: %s", path, strerror(errno));
    while (!code && fgets(line, sizeof line, file)) {
        number++;
        line[strcspn(line, "\r\n")] = '\0';
        if (line[0] && line[0] != '#' && !take(s, line))
            code = cli_refuse("%s, line %" PRIu32 ": '%s' is not one of: %s",
                              path, number, line, forms);
    }
    fclose(file);
    return code;
}

/* By name, as the simulator looks them up; then by tick, then in the order of
 * enum net_fault_kind. */
static int by_name(const void *a, const void *b)
{
    const struct sim_fault *x = a, *y = b;

    if (x->name != y->name)
        return (x->name > y->name) - (x->name < y->name);
    if (x->tick != y->tick)
        return (x->tick > y->tick) - (x->tick < y->tick);
    return (x->kind > y->kind) - (x->kind < y->kind);
}

int cli_set_faults(struct cli_setup *s, const struct cli_words *w)
{
    for (uint32_t i = 0; i < w->faults_count; i++)
        if (!take(s, w->faults[i]))
            return refuse(w->faults[i]);
    if (w->faults_file) {
        int code = load(s, w->faults_file);

        if (code)
            return code;
    }
    if (s->sim.faults.count)
        qsort(s->faults, s->sim.faults.count, sizeof *s->faults, by_name);
    return 0;
}
