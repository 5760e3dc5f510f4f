/*
 * setup_faults.c - what shall go wrong (see setup.h): --fault WHAT, repeated,
 * or --faults FILE with one WHAT a line.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/setup/setup.h"
#include "core/text.h"
#include "net/outside.h"

/* Every fault that can be asked for, with what follows its word. */
static const struct form {
    const char *word, *rest;
    enum what { LISTED, CHANCE, LATE, STRIKE, CRASHES } what;
    enum net_fault_kind kind;
} forms[] = {
    {"crash", "NAME@TICK", LISTED, NET_FAULT_CRASH},
    {"restart", "NAME@TICK", LISTED, NET_FAULT_RESTART},
    {"restart-blank", "NAME@TICK", LISTED, NET_FAULT_RESTART_BLANK},
    {"pause", "NAME@TICK:TICKS", LISTED, NET_FAULT_PAUSE},
    {"cut", "NAME,...@FROM:TO", LISTED, NET_FAULT_CUT},
    {"loss", "P", CHANCE, 0},
    {"duplicate", "P", CHANCE, 0},
    {"reorder", "P", CHANCE, 0},
    {"late", "P:TICKS", LATE, 0},
    {"lose", "NAME#K", STRIKE, 0},
    {"delay", "NAME#K:TICKS", STRIKE, 0},
    {"crashes", "COUNT", CRASHES, 0},
    {"crashes-blank", "COUNT", CRASHES, 0},
};
enum { FORMS = sizeof forms / sizeof forms[0] };

/* What is read, and why it cannot be. */
struct reader {
    struct cli_setup *s;
    const struct form *form;
    char why[512];
};

__attribute__((format(printf, 2, 3))) static bool
refuse(struct reader *r, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(r->why, sizeof r->why, format, arguments);
    va_end(arguments);
    return false;
}

static bool refuse_form(struct reader *r)
{
    return refuse(r, "write it as '%s %s'", r->form->word, r->form->rest);
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
static bool read_node(struct reader *r, const char *word, fc_name *name)
{
    const struct net *net = &r->s->sim.net;
    bool anonymous = net->protocol->anonymous;
    uint64_t number;

    if (!fc_read_number(word, &number) ||
        (anonymous ? number >= net->world.nodes : !net_is_name(net, number))) {
        net_say_nobody(net, word, r->why, sizeof r->why);
        return false;
    }
    *name = (fc_name)(number + anonymous);
    return true;
}

static bool add(struct reader *r, enum net_fault_kind kind, const char *word,
                uint64_t tick, uint64_t ticks)
{
    struct cli_setup *s = r->s;
    struct net_fault *grown =
        realloc(s->faults, (s->sim.faults.count + 1) * sizeof *s->faults);
    fc_name name;

    if (!grown)
        cli_no_memory();
    s->faults = grown;
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

static bool read_ticks(struct reader *r, const char *text, uint64_t *ticks)
{
    if (fc_read_number(text, ticks) && *ticks <= NET_TICKS_MAX)
        return true;
    return refuse(r, "ticks are a whole number up to 2^40, not '%s'", text);
}

/* NAME,NAME@TICK or NAME,NAME@TICK:MORE. */
static bool add_listed(struct reader *r, const char *text)
{
    enum net_fault_kind kind = r->form->kind;
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
        return refuse(r, "it would end at tick %s, before it begins", more);
    if (kind == NET_FAULT_PAUSE && second == 0)
        return refuse(r, "a pause takes at least one tick");
    while ((word = strsep(&rest, ","))) {
        if (!add(r, kind, word, tick, kind == NET_FAULT_CUT ? 0 : second))
            return false;
        if (kind == NET_FAULT_CUT && !add(r, NET_FAULT_JOINED, word, second, 0))
            return false;
    }
    return true;
}

/* A chance, and what follows it. */
static bool read_chance(struct reader *r, const char *text, net_chance *chance,
                        const char **rest)
{
    if (cli_read_share(text, chance, rest))
        return true;
    return refuse(r, "a chance is from 0 to 1, not %s", text);
}

static bool set_chance(struct reader *r, const char *text)
{
    struct net_faults *f = &r->s->sim.faults;
    net_chance *chance = r->form->word[0] == 'l'   ? &f->loss
                         : r->form->word[0] == 'd' ? &f->duplicate
                                                   : &f->reorder;
    const char *rest;

    return read_chance(r, text, chance, &rest) && (!*rest || refuse_form(r));
}

static bool set_late(struct reader *r, const char *text)
{
    struct net_faults *f = &r->s->sim.faults;
    const char *rest;

    if (!read_chance(r, text, &f->late, &rest))
        return false;
    if (*rest != ':')
        return refuse_form(r);
    return read_ticks(r, rest + 1, &f->late_ticks) &&
           (f->late_ticks > 0 || refuse(r, "0 ticks late is not late"));
}

/* NAME#K or NAME#K:TICKS. */
static bool add_strike(struct reader *r, const char *text)
{
    struct cli_setup *s = r->s;
    bool delays = r->form->word[0] == 'd';
    char copy[256], *number, *ticks;
    struct net_strike strike = {.delay = 0}, *grown;
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
        return refuse(r, "its messages are counted from 1, not '%s'", number);
    strike.number = (uint32_t)k;
    if (delays && !read_ticks(r, ticks, &strike.delay))
        return false;
    if (delays && strike.delay == 0)
        return refuse(r, "a message takes at least one tick");
    grown = realloc(s->strikes,
                    (s->sim.faults.strikes_count + 1) * sizeof *s->strikes);
    if (!grown)
        cli_no_memory();
    s->strikes = grown;
    s->strikes[s->sim.faults.strikes_count++] = strike;
    s->sim.faults.strikes = s->strikes;
    return true;
}

static bool set_crashes(struct reader *r, const char *text)
{
    struct net_faults *f = &r->s->sim.faults;
    uint64_t count;

    if (!fc_read_number(text, &count) || count == 0 || count > 1000000)
        return refuse(r, "say how many, from 1 to 1000000, not '%s'", text);
    f->crashes = (uint32_t)count;
    f->blank = strcmp(r->form->word, "crashes-blank") == 0;
    return true;
}

/* There is no such fault: which was meant, or which there are. */
static bool refuse_word(struct reader *r, const char *word)
{
    uint32_t least = UINT32_MAX;
    const char *near = NULL;
    size_t used;

    for (size_t i = 0; i < FORMS; i++)
        if (net_is_nearer(word, forms[i].word, &least))
            near = forms[i].word;
    if (near)
        return refuse(r, "there is no fault '%s'; did you mean '%s'?", word,
                      near);
    (void)refuse(r, "there is no fault '%s'; there are", word);
    for (size_t i = 0; i < FORMS && (used = strlen(r->why)) < sizeof r->why;
         i++)
        snprintf(r->why + used, sizeof r->why - used, "%s %s", i ? "," : "",
                 forms[i].word);
    return false;
}

/* One WHAT of the list above. */
static bool take(struct reader *r, const char *what)
{
    size_t length = strcspn(what, " ");
    const char *rest = what + length + strspn(what + length, " ");
    char word[64];

    snprintf(word, sizeof word, "%.*s", (int)(length < 63 ? length : 63), what);
    r->form = NULL;
    for (size_t i = 0; i < FORMS; i++)
        if (strcmp(forms[i].word, word) == 0)
            r->form = &forms[i];
    if (!r->form)
        return refuse_word(r, word);
    if (!*rest)
        return refuse_form(r);
    switch (r->form->what) {
    case LISTED:
        return add_listed(r, rest);
    case CHANCE:
        return set_chance(r, rest);
    case LATE:
        return set_late(r, rest);
    case STRIKE:
        return add_strike(r, rest);
    case CRASHES:
        return set_crashes(r, rest);
    }
    return false;
}

static int load(struct cli_setup *s, const char *path)
{
    struct reader reader = {.s = s};
    size_t size;
    char why[OUTSIDE_WHY], *line, *rest;
    char *text =
        strcmp(path, "-") == 0
            ? outside_text_from(stdin, OUTSIDE_HAND_MAX, NULL, NULL, &size)
            : outside_text(path, OUTSIDE_HAND_MAX, &size);
    uint32_t number = 0;
    int code = 0;

    if (!text)
        return cli_fail("cannot read the faults %s: %s", path,
                        outside_text_why(errno, OUTSIDE_HAND_MAX, why));
    rest = text;
    while (!code && (line = strsep(&rest, "\n"))) {
        number++;
        line[strcspn(line, "\r")] = '\0';
        if (line[0] && line[0] != '#' && !take(&reader, line))
            code = cli_refuse("%s, line %" PRIu32 ": '%s': %s", path, number,
                              line, reader.why);
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
    struct reader reader = {.s = s};

    for (uint32_t i = 0; i < w->faults_count; i++)
        if (!take(&reader, w->faults[i]))
            return cli_refuse("--fault '%s': %s", w->faults[i], reader.why);
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
