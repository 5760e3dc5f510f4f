/*
 * compare_mutex.c - all mutual exclusion under the same load.
 *
 * Load is the number of sites that compete, each entering again as soon as it
 * has left: one alone, some, all.
 */
#include <inttypes.h>
#include <jansson.h>

#include "cli/cli.h"
#include "cli/compare/contest.h"
#include "problems/mutex.h"

static bool excludes(const struct fc_protocol *p)
{
    return p->problem == &mutex_problem;
}

static void place(const struct contest *c, uint32_t point,
                  struct cli_words *words)
{
    words->competitors = c->number[point];
    if (!words->entries)
        words->entries = "20";
    if (!words->net.bounds && !words->net.time)
        words->net.bounds = "1:1:1000:1000";
}

static double per_entry(const struct cell *cell)
{
    const struct sim_summary *s = &cell->summary;

    return s->entries ? (double)s->messages.sum / (double)s->entries : 0;
}

static double most_per_entry(const struct cell *cell)
{
    return (double)cell->summary.tally.messages.max;
}

/* In units of the longest delay that a message can have. */
static double in_delays(const struct sim_scale *s, uint64_t dmax)
{
    return sim_stat_mean(&s->stat) / (double)(dmax ? dmax : 1);
}

static void print_row(const struct contest *c, const struct row *row)
{
    const struct cell *alone = &row->cells[0];
    const struct cell *full = &row->cells[c->points_count - 1];
    const struct sim_summary *s = &full->summary;
    char few[32], many[32];

    printf("%-19s", row->protocol->name);
    if (alone->refused || full->refused || s->runs == 0) {
        printf(" not run\n");
        return;
    }
    printf(" %8s %8s %7.2f %8.2f %9.2f %6.1f",
           cli_decimal(per_entry(alone), few, sizeof few),
           cli_decimal(per_entry(full), many, sizeof many),
           in_delays(&alone->summary.tally.granting, c->dmax),
           in_delays(&s->tally.granting, c->dmax),
           in_delays(&s->tally.handoff, c->dmax),
           sim_stat_mean(&s->tally.overtaken));
    putchar('\n');
}

/* Per entry; 0 if there were none. */
static double frames(const struct cell *cell)
{
    const struct sim_summary *s = &cell->summary;

    return s->entries ? (double)s->frames.sum / (double)s->entries : 0;
}

/* What the columns have no room for. */
static void print_notes(const struct contest *c, const struct row *row)
{
    const struct cell *alone = &row->cells[0];
    const struct cell *full = &row->cells[c->points_count - 1];
    char few[32], many[32];

    cli_compare_failed(row, alone == full ? full->summary.violated
                                          : alone->summary.violated +
                                                full->summary.violated);
    if (frames(alone) > 0 || frames(full) > 0)
        printf("%s also sends heartbeats: %s and %s an entry\n",
               row->protocol->name, cli_decimal(frames(alone), few, sizeof few),
               cli_decimal(frames(full), many, sizeof many));
}

static void print_survival(const struct row *row)
{
    enum { INDENT = 20 };
    struct paragraph p = paragraph_begin(0, INDENT);

    paragraph_say(&p, "%s", row->protocol->name);
    paragraph_go_to(&p, INDENT);
    paragraph_say(&p, "%s",
                  row->protocol->survives ? row->protocol->survives : "-");
    paragraph_end(&p);
}

static void print(const struct contest *c)
{
    uint32_t last = c->points_count - 1;

    printf("mutual exclusion of %" PRIu32 " sites, %" PRIu64
           " run%s each, seeds from %" PRIu64 "\n",
           c->nodes, c->runs_count, c->runs_count > 1 ? "s" : "",
           c->first_seed);
    cli_print_faults(&c->words);
    printf("delays in units of d = %" PRIu64 " ticks\n\n", c->dmax);
    printf("%-19s %17s %16s %9s %6s\n", "", "messages an entry",
           "delay of entry", "hand-off", "over-");
    printf("%-19s %8" PRIu32 " %8" PRIu32 " %7" PRIu32 " %7" PRIu32 " %9" PRIu32
           " %6s\n",
           "competitors", c->points[0], c->points[last], c->points[0],
           c->points[last], c->points[last], "taken");
    for (uint32_t i = 0; i < c->rows_count; i++)
        print_row(c, &c->rows[i]);
    printf("\n%-19s survives\n", "");
    for (uint32_t i = 0; i < c->rows_count; i++)
        print_survival(&c->rows[i]);
    putchar('\n');
    for (uint32_t i = 0; i < c->rows_count; i++)
        print_notes(c, &c->rows[i]);
}

static json_t *to_json(const struct contest *c, const struct row *row,
                       uint32_t point)
{
    const struct sim_summary *s = &row->cells[point].summary;
    const struct sim_tally *t = &s->tally;

    return json_pack(
        "{s:s,s:I,s:I,s:I,s:I,s:I,s:f,s:f,s:f,s:f,s:I,s:f,s:f,s:I,s:I,s:s}",
        "protocol", row->protocol->name, "nodes", (json_int_t)c->nodes,
        "competitors", (json_int_t)c->points[point], "runs",
        (json_int_t)s->runs, "violated", (json_int_t)s->violated, "entries",
        (json_int_t)s->entries, "messages_per_entry",
        per_entry(&row->cells[point]), "frames_per_entry",
        frames(&row->cells[point]), "refusals_mean",
        sim_stat_mean(&t->refusals), "granting_delay_mean",
        sim_stat_mean(&t->granting.stat), "granting_delay_p99",
        (json_int_t)sim_scale_percentile(&t->granting, 0.99), "handoff_mean",
        sim_stat_mean(&t->handoff.stat), "overtaken_mean",
        sim_stat_mean(&t->overtaken), "overtaken_max",
        (json_int_t)t->overtaken.max, "state_bytes",
        (json_int_t)row->protocol->state_size, "survives",
        row->protocol->survives ? row->protocol->survives : "");
}

static void entitle(const struct contest *c, char *title, char *subtitle,
                    size_t size, struct plot *plot)
{
    uint32_t last = c->points_count - 1;

    snprintf(title, size,
             "%s needs fewest: %.1f messages an entry when %" PRIu32
             " of %" PRIu32 " compete",
             c->rows[0].protocol->name, per_entry(&c->rows[0].cells[last]),
             c->points[last], c->nodes);
    snprintf(subtitle, size,
             "Mutual exclusion of %" PRIu32 " sites, %" PRIu64
             " run%s each, seeds from %" PRIu64,
             c->nodes, c->runs_count, c->runs_count > 1 ? "s" : "",
             c->first_seed);
    plot->x_label = "sites that compete (logarithmic)";
    plot->y_label = "messages an entry (logarithmic)";
}

const struct discipline cli_compare_mutex = {
    .problem = "mutex",
    .judge = "ricart-agrawala",
    .runs = 10,
    .form =
        {
            .name = "compare",
            .asked = "compare mutex",
            .usage = "mutex -n N [OPTIONS]",
            .about =
                "Runs every mutual exclusion protocol on the same sites, 2 to "
                "256, under the same load and prints one table: messages an "
                "entry, and how long it took, in units of a message's delay; "
                "sorted by messages at the greatest load. Without --runs it "
                "tries 10 seeds, and without bounds it takes "
                "--bounds 1:1:1000:1000.",
            .examples = "fulcrum compare mutex -n 16 --load 1,2,4,8,16 --svg "
                        "mutexes.svg",
            .options = CLI_COMPARE_OPTIONS,
            .reports = true,
        },
    .takes = excludes,
    .place = place,
    .cost = per_entry,
    .greatest = most_per_entry,
    .claimed = FC_COST_PER_ENTRY,
    .print = print,
    .to_json = to_json,
    .entitle = entitle,
};
