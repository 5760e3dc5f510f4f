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
#include "cli/setup/faults.h"
#include "cli/setup/setup.h"
#include "core/text.h"
#include "net/grow.h"
#include "net/outside.h"
#include "net/word.h"

#define ROW(kind, run, search, example) {run, search, example},
const struct cli_fault cli_faults[] = {CLI_FAULTS(ROW, ROW, ROW)};

/* The text that is read, and why it is refused. */
struct reader {
    struct cli_setup *s;
    enum cli_fault_kind kind;
    struct net_why *why;
};

static bool refuse_form(const struct reader *r)
{
    return net_refuse(r->why, "write it as '%s'", cli_faults[r->kind].run);
}

bool cli_read_share(const char *text, net_chance *chance, const char **rest)
{
    char *end;
    double share = strtod(text, &end);

    *rest = end;
    if (end == text || !(share >= 0) || share > 1)
        return false;
    *chance = (net_chance)llround(share * 4294967296.0);
    return true;
}

/* A node, as the simulator calls it: positions count from 0 where there are no
 * names. */
static bool read_node(const struct reader *r, const char *word, fc_name *name)
{
    const struct net *net = &r->s->sim.net;
    bool anonymous = net->protocol->anonymous;
    uint64_t number;

    if (!fc_read_number(word, &number) ||
        (anonymous ? number >= net->world.nodes : !net_is_name(net, number))) {
        net_say_nobody(net, word, r->why->text, sizeof r->why->text);
        return false;
    }
    *name = (fc_name)(number + anonymous);
    return true;
}

static bool add(const struct reader *r, enum net_fault_kind kind,
                const char *word, uint64_t tick, uint64_t ticks)
{
    struct cli_setup *s = r->s;
    fc_name name;

    if (!net_grow(&s->faults, s->sim.faults.count, sizeof *s->faults))
        return net_no_memory(r->why, "the faults");
    if (!read_node(r, word, &name))
        return false;
    s->faults[s->sim.faults.count++] = (struct net_fault){
        .kind = kind,
        .name = name,
        .tick = tick,
        .ticks = ticks,
    };
    s->sim.faults.list = s->faults;
    return true;
}

static bool read_ticks(const struct reader *r, const char *text,
                       uint64_t *ticks)
{
    if (fc_read_number(text, ticks) && *ticks <= NET_TICKS_MAX)
        return true;
    return net_refuse(r->why, "ticks are a whole number up to 2^40, not '%s'",
                      text);
}

/* NAME,NAME@TICK or NAME,NAME@TICK:MORE. */
static bool add_listed(const struct reader *r, const char *text)
{
    static const enum net_fault_kind kinds[] = {
        [CLI_FAULT_CRASH] = NET_FAULT_CRASH,
        [CLI_FAULT_RESTART] = NET_FAULT_RESTART,
        [CLI_FAULT_RESTART_BLANK] = NET_FAULT_RESTART_BLANK,
        [CLI_FAULT_PAUSE] = NET_FAULT_PAUSE,
        [CLI_FAULT_CUT] = NET_FAULT_CUT,
    };
    enum net_fault_kind kind = kinds[r->kind];
    char copy[256], *rest = copy, *at, *more, *word;
    bool spans = kind == NET_FAULT_PAUSE || kind == NET_FAULT_CUT;
    uint64_t tick, second = 0;

    snprintf(copy, sizeof copy, "%s", text);
    at = strchr(copy, '@');
    if (!at)
        return refuse_form(r);
    *at++ = '\0';
    more = strchr(at, ':');
    if (spans != (more != NULL))
        return refuse_form(r);
    if (more)
        *more++ = '\0';
    if (!read_ticks(r, at, &tick) || (more && !read_ticks(r, more, &second)))
        return false;
    if (kind == NET_FAULT_CUT && second <= tick)
        return net_refuse(r->why, "it would end at tick %s, before it begins",
                          more);
    if (kind == NET_FAULT_PAUSE && second == 0)
        return net_refuse(r->why, "a pause takes at least one tick");
    while ((word = strsep(&rest, ","))) {
        if (!add(r, kind, word, tick, kind == NET_FAULT_CUT ? 0 : second))
            return false;
        if (kind == NET_FAULT_CUT && !add(r, NET_FAULT_JOINED, word, second, 0))
            return false;
    }
    return true;
}

/* A chance, and what follows it. */
static bool read_chance(const struct reader *r, const char *text,
                        net_chance *chance, const char **rest)
{
    if (cli_read_share(text, chance, rest))
        return true;
    return net_refuse(r->why, "a chance is from 0 to 1, not %s", text);
}

static bool set_chance(const struct reader *r, const char *text,
                       net_chance *chance)
{
    const char *rest;

    return read_chance(r, text, chance, &rest) && (!*rest || refuse_form(r));
}

static bool set_late(const struct reader *r, const char *text)
{
    struct net_faults *f = &r->s->sim.faults;
    const char *rest;

    if (!read_chance(r, text, &f->late, &rest))
        return false;
    if (*rest != ':')
        return refuse_form(r);
    return read_ticks(r, rest + 1, &f->late_ticks) &&
           (f->late_ticks > 0 ||
            net_refuse(r->why, "0 ticks late is not late"));
}

/* NAME#K or NAME#K:TICKS. */
static bool add_strike(const struct reader *r, const char *text)
{
    struct cli_setup *s = r->s;
    bool delays = r->kind == CLI_FAULT_DELAY;
    char copy[256], *number, *ticks;
    struct net_strike strike = {.delay = 0};
    uint64_t k;

    snprintf(copy, sizeof copy, "%s", text);
    number = strchr(copy, '#');
    if (!number)
        return refuse_form(r);
    *number++ = '\0';
    ticks = strchr(number, ':');
    if (delays != (ticks != NULL))
        return refuse_form(r);
    if (ticks)
        *ticks++ = '\0';
    if (!read_node(r, copy, &strike.name))
        return false;
    if (!fc_read_number(number, &k) || k == 0 || k > UINT32_MAX)
        return net_refuse(r->why, "its messages are counted from 1, not '%s'",
                          number);
    strike.number = (uint32_t)k;
    if (delays && !read_ticks(r, ticks, &strike.delay))
        return false;
    if (delays && strike.delay == 0)
        return net_refuse(r->why, "a message takes at least one tick");
    if (!net_grow(&s->strikes, s->sim.faults.strikes_count, sizeof *s->strikes))
        return net_no_memory(r->why, "the faults");
    s->strikes[s->sim.faults.strikes_count++] = strike;
    s->sim.faults.strikes = s->strikes;
    return true;
}

static bool set_crashes(const struct reader *r, const char *text)
{
    struct net_faults *f = &r->s->sim.faults;
    uint64_t count;

    if (!fc_read_number(text, &count) || count == 0 || count > 1000000)
        return net_refuse(r->why, "say how many, from 1 to 1000000, not '%s'",
                          text);
    f->crashes = (uint32_t)count;
    f->blank = r->kind == CLI_FAULT_CRASHES_BLANK;
    return true;
}

enum cli_fault_kind cli_find_fault(const char *what, bool search,
                                   const char **rest, struct net_why *why)
{
    size_t length = strcspn(what, " ");
    uint32_t least = UINT32_MAX;
    char word[64], known[64], near[64] = "", all[512] = "";

    *rest = what + length + strspn(what + length, " ");
    snprintf(word, sizeof word, "%.*s", (int)(length < 63 ? length : 63), what);
    for (int i = 0; i < CLI_FAULT_KINDS; i++) {
        const char *form = search ? cli_faults[i].search : cli_faults[i].run;

        if (!*form)
            continue;
        snprintf(known, sizeof known, "%.*s", (int)strcspn(form, " "), form);
        if (strcmp(known, word) == 0)
            return (enum cli_fault_kind)i;
        if (net_is_nearer(word, known, &least))
            memcpy(near, known, sizeof near);
        cli_append(all, sizeof all, "%s%s", *all ? ", " : "", known);
    }
    net_refuse(why,
               *near ? "there is no fault '%s'; did you mean '%s'?"
                     : "there is no fault '%s'; there are %s",
               word, *near ? near : all);
    return CLI_FAULT_KINDS;
}

/* One WHAT. */
static bool take(struct cli_setup *s, const char *what, struct net_why *why)
{
    struct net_faults *f = &s->sim.faults;
    const char *rest;
    struct reader r = {s, cli_find_fault(what, false, &rest, why), why};

    if (r.kind == CLI_FAULT_KINDS)
        return false;
    if (!*rest)
        return refuse_form(&r);
    switch (r.kind) {
    case CLI_FAULT_LOSS:
        return set_chance(&r, rest, &f->loss);
    case CLI_FAULT_DUPLICATE:
        return set_chance(&r, rest, &f->duplicate);
    case CLI_FAULT_REORDER:
        return set_chance(&r, rest, &f->reorder);
    case CLI_FAULT_LATE:
        return set_late(&r, rest);
    case CLI_FAULT_LOSE:
    case CLI_FAULT_DELAY:
        return add_strike(&r, rest);
    case CLI_FAULT_CRASHES:
    case CLI_FAULT_CRASHES_BLANK:
        return set_crashes(&r, rest);
    default:
        return add_listed(&r, rest);
    }
}

static int load(struct cli_setup *s, const char *path)
{
    struct net_why why = {0};
    size_t size;
    char *line, *rest;
    char *text = strcmp(path, "-") == 0
                     ? outside_text_from(stdin, OUTSIDE_HAND_MAX, NULL, NULL,
                                         &size, &why)
                     : outside_text(path, OUTSIDE_HAND_MAX, &size, &why);
    uint32_t number = 0;
    int code = 0;

    if (!text)
        return cli_fail("cannot read the faults %s: %s", path, why.text);
    rest = text;
    while (!code && (line = strsep(&rest, "\n"))) {
        number++;
        line[strcspn(line, "\r")] = '\0';
        if (line[0] && line[0] != '#' && !take(s, line, &why))
            code = cli_complain(why.system ? CLI_SYSTEM : CLI_USAGE,
                                "%s, line %" PRIu32 ": '%s': %s", path, number,
                                line, why.text);
    }
    free(text);
    return code;
}

/* By name, as the simulator looks them up; then by tick, then in the order of
 * enum net_fault_kind. */
static int by_name(const void *a, const void *b)
{
    const struct net_fault *x = a, *y = b;

    if (x->name != y->name)
        return (x->name > y->name) - (x->name < y->name);
    if (x->tick != y->tick)
        return (x->tick > y->tick) - (x->tick < y->tick);
    return (x->kind > y->kind) - (x->kind < y->kind);
}

int cli_set_faults(struct cli_setup *s, const struct cli_words *w)
{
    struct net_why why = {0};

    for (uint32_t i = 0; i < w->faults_count; i++)
        if (!take(s, w->faults[i], &why))
            return cli_complain(why.system ? CLI_SYSTEM : CLI_USAGE,
                                "--fault '%s': %s", w->faults[i], why.text);
    if (w->faults_file) {
        int code = load(s, w->faults_file);

        if (code)
            return code;
    }
    if (s->sim.faults.count)
        qsort(s->faults, s->sim.faults.count, sizeof *s->faults, by_name);
    return 0;
}

void cli_print_faults(const struct cli_words *w)
{
    struct paragraph p;

    if (!w->faults_count && !w->faults_file)
        return;
    p = paragraph_begin(0, 2);
    paragraph_say(&p, "faults:");
    for (uint32_t i = 0; i < w->faults_count; i++)
        paragraph_say(&p, " %s%s", w->faults[i],
                      i + 1 < w->faults_count || w->faults_file ? "," : "");
    if (w->faults_file)
        paragraph_say(&p, " those of %s", w->faults_file);
    paragraph_end(&p);
}
