/*
 * worst_report.c - what fulcrum worst found: the case as a command, the amount
 * beside its bound (see worst.h).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/worst/worst.h"

/* ---- The witness --------------------------------------------------------- */

/* The case as the words of a simulation. */
struct cli_witness {
    struct cli_words words;
    char *names, *wake, *clock, *phases, *delays; /* that they point to */
    char settings[256];
    uint64_t seed;
    char *command; /* "fulcrum sim ..." */
    bool bounded;
    struct fc_claim bound;
    uint32_t broken; /* properties, in this run */
    bool cut;        /* it was stopped by --until */
};

/* What a run has at a place: names even where they do not vary, and phases
 * without whole steps. */
static uint64_t value_at(const struct cli_finding *f, enum lab_part part,
                         uint32_t place)
{
    const struct lab_range *range = f->arena.space.part;
    const uint64_t *genes = f->found.genes;
    const uint64_t *steps = range[LAB_STEPS].count ? genes + range[LAB_STEPS].at
                                                   : f->arena.sims[0].net.steps;
    uint64_t gene = range[part].count ? genes[range[part].at + place] : 0;

    if (part == LAB_NAMES)
        return range[part].count ? f->arena.sorted[gene]
                                 : f->arena.names[place];
    return part == LAB_PHASES ? gene % steps[place] : gene;
}

static uint32_t count_of(const struct cli_finding *f, enum lab_part part)
{
    return part == LAB_NAMES ? f->arena.space.nodes
                             : f->arena.space.part[part].count;
}

/* They as a list behind a word, wakes as NAME@TICK; NULL: no memory. */
static char *list(const struct cli_finding *f, enum lab_part part,
                  const char *head)
{
    const uint64_t *wake = f->found.genes + f->arena.space.part[LAB_WAKES].at;
    bool wakes = part == LAB_WAKES;
    char *text = NULL;
    const char *comma = "";
    size_t size;
    FILE *to = open_memstream(&text, &size);

    if (!to)
        return NULL;
    fputs(head, to);
    for (uint32_t i = 0; i < count_of(f, part); i++) {
        if (wakes && !wake[i])
            continue;
        fprintf(to, "%s%" PRIu64, comma,
                value_at(f, wakes ? LAB_NAMES : part, i));
        if (wakes)
            fprintf(to, "@%" PRIu64, wake[i] - 1);
        comma = ",";
    }
    return fclose(to) == 0 ? text : NULL;
}

static bool all_are(const struct cli_finding *f, enum lab_part part,
                    uint64_t value)
{
    const struct lab_range *r = &f->arena.space.part[part];

    for (uint32_t i = 0; i < r->count; i++)
        if (f->found.genes[r->at + i] != value)
            return false;
    return true;
}

/* Turns the case into words. */
static bool fill_words(struct cli_witness *t, const struct cli_finding *f)
{
    const struct cli_arena *a = &f->arena;
    const struct lab_range *part = a->space.part;
    struct net_words *w = &t->words.net;
    char *rest = t->settings, *word;
    bool fine = true;

    t->words = a->words;
    /* A rule that does not vary stays as it was typed. */
    if (part[LAB_NAMES].count || a->sims[0].net.naming == NET_NAMES_LIST) {
        fine = (t->names = list(f, LAB_NAMES, "")) != NULL;
        w->names = t->names;
        w->nodes = NULL;
    }
    if (part[LAB_WAKES].count && !all_are(f, LAB_WAKES, 1))
        fine &= (w->wake = t->wake = list(f, LAB_WAKES, "")) != NULL;
    if (part[LAB_STEPS].count)
        fine &= (w->clock = t->clock = list(f, LAB_STEPS, "steps:")) != NULL;
    if (part[LAB_PHASES].count && !all_are(f, LAB_PHASES, 0))
        fine &= (w->phases = t->phases = list(f, LAB_PHASES, "")) != NULL;
    if (part[LAB_DELAYS].count)
        fine &= (w->delays = t->delays = list(f, LAB_DELAYS, "")) != NULL;
    if (part[LAB_SETTINGS].count)
        snprintf(t->settings, sizeof t->settings, "%s",
                 a->settings[f->found.genes[part[LAB_SETTINGS].at]]);
    while ((word = strsep(&rest, " ")))
        if (*word)
            t->words.settings[w->settings_count++] = word;
    t->seed = part[LAB_SEED].count ? f->found.genes[part[LAB_SEED].at]
                                   : a->space.seed;
    return fine;
}

/* Writes the command. */
static bool write_command(struct cli_witness *t)
{
    const char *long_ones[] = {t->names, t->wake, t->clock, t->phases,
                               t->delays};
    size_t size = 2 * (size_t)CLI_COMMAND_SIZE;

    for (size_t i = 0; i < sizeof long_ones / sizeof long_ones[0]; i++)
        size += long_ones[i] ? strlen(long_ones[i]) : 0;
    t->command = malloc(size);
    if (!t->command)
        return false;
    snprintf(t->command, size, "fulcrum sim %s", t->words.net.protocol);
    cli_options_write(cli_words_options, &t->words, t->command, size);
    if (t->seed != 1)
        cli_append(t->command, size, " --seed %" PRIu64, t->seed);
    return true;
}

/* The least that the paper allows for this run. */
static void find_bound(struct cli_witness *t, const struct cli_worst *w,
                       const struct sim_setup *s, const struct sim_result *r)
{
    const struct fc_protocol *p = s->net.protocol;
    struct fc_world world = s->net.world;
    struct fc_claim claims[FC_CLAIMS_MAX];
    uint32_t count;

    if (!p->claims || !world.bounded || s->bits || w->measure.of->cost < 0)
        return;
    if (!p->problem->repeats)
        world.initiators = (uint32_t)r->initiators;
    count = p->claims(s->net.params, &world, claims);
    for (uint32_t i = 0; i < count; i++) {
        const struct fc_claim *c = &claims[i];

        if ((int)c->cost != w->measure.of->cost ||
            (c->relation != FC_EXACTLY &&
             (w->least ||
              (c->relation != FC_AT_MOST && c->relation != FC_BELOW))))
            continue;
        if (t->bounded && t->bound.value <= c->value)
            continue;
        t->bound = *c;
        t->bounded = true;
    }
}

/* Runs the words, as fulcrum sim would. */
static int run_words(struct cli_witness *t, const struct cli_worst *w,
                     const struct cli_finding *f)
{
    struct cli_setup setup;
    struct sim_tally *tally = calloc(1, sizeof *tally);
    struct net_memory memory = {0};
    struct sim_job job = {.seed = t->seed, .memory = &memory, .tally = tally};
    struct sim_result result;
    uint64_t value = 0, expected = cli_worst_value(w, f->found.score);
    int code = cli_setup_begin(&setup, &t->words);

    if (!code && (!tally || sim_run(&setup.sim, &job, &result) != SIM_OK))
        code = cli_no_memory("the run again");
    if (!code && (!w->measure.of->of(&result, tally, w->measure.kind, &value) ||
                  value != expected))
        code = cli_fail("'%s' gives %" PRIu64 ", not %" PRIu64
                        ": a mistake of fulcrum worst, please report it",
                        t->command, value, expected);
    if (!code) {
        find_bound(t, w, &setup.sim, &result);
        t->broken = result.broken;
        t->cut = result.cut;
    }
    cli_setup_free(&setup);
    net_memory_free(&memory);
    free(tally);
    return code;
}

/* Works out the command and runs it, which must give the same amount; complains
 * and returns the exit code if something fails.  To be freed in either case. */
static int begin(struct cli_witness *t, const struct cli_worst *w,
                 const struct cli_finding *f)
{
    memset(t, 0, sizeof *t);
    if (!fill_words(t, f) || !write_command(t))
        return cli_no_memory("the finding");
    return run_words(t, w, f);
}

static void free_witness(struct cli_witness *t)
{
    free(t->names);
    free(t->wake);
    free(t->clock);
    free(t->phases);
    free(t->delays);
    free(t->command);
}

/* ---- For people ---------------------------------------------------------- */

static bool is_within(const struct cli_worst *w, const struct fc_claim *c,
                      double value)
{
    double slack = c->value * 1e-12;

    switch (c->relation) {
    case FC_EXACTLY:
        return w->least ? value >= c->value - slack : value <= c->value + slack;
    case FC_BELOW:
        return value < c->value;
    default:
        return value <= c->value + slack;
    }
}

static const char *sign(const struct fc_claim *c)
{
    return c->relation == FC_EXACTLY ? "="
           : c->relation == FC_BELOW ? "<"
                                     : cli_at_most();
}

static void print_head(const struct cli_worst *w, const struct cli_arena *a)
{
    struct paragraph p = paragraph_begin(0, 2);

    paragraph_say(&p, "%s, %" PRIu32 " processors", w->words.net.protocol,
                  a->space.nodes);
    cli_say_time(&p, &a->sims[0].net);
    paragraph_say(&p, ": the %s %s, over %s", w->least ? "fewest" : "most",
                  w->measure.of->what,
                  *a->over ? a->over : "nothing: one case");
    paragraph_end(&p);
}

static void print_amount(const struct cli_worst *w, const struct cli_finding *f,
                         const struct cli_witness *t)
{
    uint64_t value = cli_worst_value(w, f->found.score);
    char text[32];

    printf("  %-14s %13s", w->of, cli_grouped(value, text, sizeof text));
    if (t->bounded) {
        bool within = is_within(w, &t->bound, (double)value);
        bool judged = !within || !t->cut; /* it might have cost more */

        printf("  %s %s  %s", sign(&t->bound),
               cli_decimal(t->bound.value, text, sizeof text),
               t->bound.formula);
        if (judged)
            cli_print_verdict(within, within ? "within" : "beyond");
        else
            printf("  %s unfinished", cli_dash());
    }
    putchar('\n');
    if (w->measure.of->shared)
        printf("  %-14s %13.3f\n", "a processor",
               (double)value / f->arena.space.nodes);
}

static void print_tried(const struct cli_finding *f)
{
    char text[32];

    cli_grouped(f->found.tried, text, sizeof text);
    if (f->found.exhaustive)
        printf("  %-14s %13s  all cases%s\n", "tried", text,
               !f->found.drawn                       ? ""
               : f->arena.space.part[LAB_SEED].count ? " of these seeds"
                                                     : " of this seed");
    else
        printf("  %-14s %13s  cases; %s\n", "tried", text,
               f->found.stopped ? "stopped early" : "there may be worse ones");
}

static void print_again(const struct cli_worst *w)
{
    char command[2 * CLI_COMMAND_SIZE];

    snprintf(command, sizeof command, "fulcrum worst %s",
             w->words.net.protocol);
    cli_options_write(cli_words_options, &w->words, command, sizeof command);
    cli_append(command, sizeof command,
               " --of %s%s%s%s%s%s%s --budget %" PRIu64 " --seed %" PRIu64,
               w->of, w->least ? " --least" : "", w->over ? " --over " : "",
               w->over ? w->over : "", w->than ? " --than '" : "",
               w->than ? w->than : "", w->than ? "'" : "", w->runs, w->seed);
    printf("again: %s%s%s\n", command, w->families_file ? " --families " : "",
           w->families_file ? w->families_file : "");
}

static void print_sizes(const struct cli_worst *w,
                        const struct cli_finding *all, uint32_t count)
{
    char value[32], than[32], tried[32];

    printf("  %8s %13s %13s %13s  tried\n", "N", w->of, "than", "a processor");
    for (uint32_t i = 0; i < count; i++) {
        const struct cli_finding *f = &all[i];
        bool none = f->found.score == LAB_NONE;
        uint64_t amount = none ? 0 : cli_worst_value(w, f->found.score);

        printf("  %8" PRIu32 " %13s %13s %13.3f  %s%s", f->arena.space.nodes,
               none ? "-" : cli_grouped(amount, value, sizeof value),
               cli_decimal(f->than.value, than, sizeof than),
               (double)amount / f->arena.space.nodes,
               f->found.exhaustive ? "all " : "",
               cli_grouped(f->found.tried, tried, sizeof tried));
        if (f->exceeds)
            printf("  %s %s", cli_cross(), w->least ? "below" : "beyond");
        putchar('\n');
    }
    putchar('\n');
}

static void print_chosen(const struct cli_worst *w, const struct cli_finding *f,
                         const struct cli_witness *t)
{
    const struct fc_protocol *protocol = f->arena.sims[0].net.protocol;

    print_amount(w, f, t);
    print_tried(f);
    for (uint32_t i = 0; i <= FC_SANE_BIT; i++)
        if (t->broken >> i & 1)
            printf("%s violated in this run: %s\n", cli_cross(),
                   fc_property(protocol, i));
    printf("\nwitness: %s\n", t->command);
}

/* ---- For programs -------------------------------------------------------- */

/* Adds a part that the run has. */
static void add_part(json_t *o, const char *key, const struct cli_finding *f,
                     enum lab_part part)
{
    json_t *all = json_array();

    for (uint32_t i = 0; i < count_of(f, part); i++)
        json_array_append_new(all, cli_json_number(value_at(f, part, i)));
    if (json_array_size(all))
        json_object_set(o, key, all);
    json_decref(all);
}

static json_t *wakes_json(const struct cli_finding *f)
{
    const struct lab_range *r = &f->arena.space.part[LAB_WAKES];
    json_t *list = json_array();

    for (uint32_t i = 0; i < r->count; i++)
        if (f->found.genes[r->at + i])
            json_array_append_new(
                list,
                json_pack("{s:o,s:o}", "name",
                          cli_json_number(value_at(f, LAB_NAMES, i)), "tick",
                          cli_json_number(f->found.genes[r->at + i] - 1)));
    return list;
}

static json_t *witness_json(const struct cli_finding *f,
                            const struct cli_witness *t)
{
    const struct lab_range *part = f->arena.space.part;
    const struct fc_protocol *protocol = f->arena.sims[0].net.protocol;
    json_t *o = json_pack("{s:s}", "command", t->command);
    json_t *broken = json_array();

    if (t->names)
        add_part(o, "names", f, LAB_NAMES);
    if (part[LAB_WAKES].count)
        json_object_set_new(o, "wake", wakes_json(f));
    add_part(o, "steps", f, LAB_STEPS);
    add_part(o, "phases", f, LAB_PHASES);
    add_part(o, "delays", f, LAB_DELAYS);
    if (part[LAB_SETTINGS].count)
        json_object_set_new(
            o, "settings",
            json_string(
                f->arena.settings[f->found.genes[part[LAB_SETTINGS].at]]));
    json_object_set_new(o, "seed", cli_json_name(t->seed));
    for (uint32_t i = 0; i <= FC_SANE_BIT; i++)
        if (t->broken >> i & 1)
            json_array_append_new(broken,
                                  json_string(fc_property(protocol, i)));
    json_object_set_new(o, "violated", broken);
    return o;
}

/* Parameters and starters belong to the case that was found. */
static json_t *letters_json(const struct cli_finding *f)
{
    const struct lab_range *settings = &f->arena.space.part[LAB_SETTINGS];
    const struct lab_range *wakes = &f->arena.space.part[LAB_WAKES];
    bool some = f->found.score != LAB_NONE;
    struct net net =
        f->arena
            .sims[some && settings->count ? f->found.genes[settings->at] : 0]
            .net;

    if (some && wakes->count)
        net.world.initiators = 0;
    for (uint32_t i = 0; some && i < wakes->count; i++)
        net.world.initiators += f->found.genes[wakes->at + i] != 0;
    return cli_json_letters(&net);
}

/* The report of one size, whether or not it is shown in full. */
static void add_found(json_t *o, const struct cli_worst *w,
                      const struct cli_finding *f)
{
    json_object_set_new(o, "nodes", cli_json_number(f->arena.space.nodes));
    json_object_set_new(o, "letters", letters_json(f));
    json_object_set_new(
        o, "value",
        f->found.score == LAB_NONE
            ? json_null()
            : cli_json_number(cli_worst_value(w, f->found.score)));
    json_object_set_new(o, "exhaustive",
                        json_boolean(f->found.exhaustive && !f->found.drawn));
    json_object_set_new(o, "tried", cli_json_number(f->found.tried));
    if (f->found.stopped)
        json_object_set_new(o, "stopped", json_true());
    if (w->than) {
        json_object_set_new(o, "than", json_real(f->than.value));
        json_object_set_new(o, "exceeds", json_boolean(f->exceeds));
    }
}

static json_t *bound_json(const struct cli_worst *w,
                          const struct cli_finding *f,
                          const struct cli_witness *t)
{
    static const char *const relations[] = {
        [FC_EXACTLY] = "=", [FC_AT_MOST] = "<=", [FC_BELOW] = "<"};
    bool within;

    if (!t->bounded)
        return json_null();
    within =
        is_within(w, &t->bound, (double)cli_worst_value(w, f->found.score));
    return json_pack("{s:f,s:s,s:s,s:o}", "value", t->bound.value, "relation",
                     relations[t->bound.relation], "formula", t->bound.formula,
                     "within",
                     within && t->cut ? json_null() : json_boolean(within));
}

static void report_json(const struct cli_worst *w,
                        const struct cli_finding *all, uint32_t count,
                        const struct cli_finding *chosen,
                        const struct cli_witness *t)
{
    json_t *o =
        json_pack("{s:s,s:s,s:b,s:s}", "protocol", w->words.net.protocol, "of",
                  w->of, "least", w->least, "over", all[0].arena.over);
    json_t *sizes = json_array();

    json_object_set_new(o, "seed", cli_json_name(w->seed));
    json_object_set_new(o, "budget", cli_json_number(w->runs));
    if (chosen) {
        add_found(o, w, chosen);
        json_object_set_new(o, "bound", bound_json(w, chosen, t));
        json_object_set_new(o, "witness", witness_json(chosen, t));
    } else {
        json_object_set_new(o, "value", json_null());
        json_object_set_new(o, "witness", json_null());
    }
    for (uint32_t i = 0; w->than && i < count; i++) {
        json_t *size = json_object();

        add_found(size, w, &all[i]);
        json_array_append_new(sizes, size);
    }
    if (w->than)
        json_object_set(o, "sizes", sizes);
    json_decref(sizes);
    cli_json_print(o, 0);
}

int cli_worst_report(const struct cli_worst *w, const struct cli_finding *all,
                     uint32_t count, const struct cli_finding *chosen)
{
    struct cli_witness witness = {0};
    int code = chosen ? begin(&witness, w, chosen) : 0;

    if (!code && w->json) {
        report_json(w, all, count, chosen, &witness);
    } else if (!code) {
        print_head(w, chosen ? &chosen->arena : &all[0].arena);
        putchar('\n');
        if (w->than)
            print_sizes(w, all, count);
        if (chosen)
            print_chosen(w, chosen, &witness);
        else
            printf("%s was found\n",
                   w->than ? "no such size" : "no run that comes to that");
        print_again(w);
    }
    free_witness(&witness);
    return code;
}
