/*
 * compare_election.c - all elections on the same rings.
 */
#include <inttypes.h>
#include <jansson.h>

#include "cli/cli.h"
#include "cli/compare/contest.h"
#include "problems/election.h"

static bool is_on_ring(const struct fc_protocol *p)
{
    return p->problem == &election_problem &&
           election_terms_of(p).answer == ELECTION_NO_ANSWER &&
           (p->topology == FC_RING || p->topology == FC_RING_BOTH);
}

static void place(const struct contest *c, uint32_t point,
                  struct cli_words *words)
{
    words->net.nodes = c->number[point];
}

static double messages(const struct cell *cell)
{
    return sim_stat_mean(&cell->summary.messages);
}

static double most_messages(const struct cell *cell)
{
    return (double)cell->summary.messages.max;
}

/* In few letters, which legend() explains. */
static void print_needs(const struct fc_protocol *p)
{
    printf(" %s%s%s%s%s", p->anonymous ? "" : " id",
           p->needs & FC_NEEDS_COUNT ? " n" : "",
           p->needs & FC_NEEDS_FIFO ? " fifo" : "",
           p->needs & FC_NEEDS_BOUNDS ? " time" : "",
           p->topology == FC_RING_BOTH ? " 2way" : "");
}

static void print_legend(void)
{
    struct paragraph p = paragraph_begin(0, 2);

    paragraph_say(&p, "needs: id distinct names, n how many there are, fifo "
                      "links that keep the order, time bounds on steps and "
                      "delays, 2way links in both directions");
    paragraph_end(&p);
}

static void print_row(const struct row *row, uint32_t point)
{
    const struct sim_summary *s = &row->cells[point].summary;
    char mean[32], most[32], bits[32], ticks[32];

    printf("%-19s", row->protocol->name);
    if (row->cells[point].refused || s->runs == 0) {
        printf(" not run\n");
        return;
    }
    printf(" %9s %9s %9s %8s %5zu",
           cli_decimal(sim_stat_mean(&s->messages), mean, sizeof mean),
           cli_grouped(s->messages.max, most, sizeof most),
           cli_decimal(sim_stat_mean(&s->paper_bits), bits, sizeof bits),
           cli_decimal(sim_stat_mean(&s->end), ticks, sizeof ticks),
           row->protocol->state_size);
    print_needs(row->protocol);
    putchar('\n');
}

static void print_size(const struct contest *c, uint32_t point)
{
    printf("elections on the same rings of %" PRIu32 ", %" PRIu64
           " run%s each, seeds from %" PRIu64 "\n",
           c->points[point], c->runs_count, c->runs_count > 1 ? "s" : "",
           c->first_seed);
    cli_print_faults(&c->words);
    printf("\n%-19s %9s %9s %9s %8s %5s  %s\n", "", "messages", "", "paper",
           "ticks", "state", "needs");
    printf("%-19s %9s %9s %9s %8s %5s\n", "", "mean", "greatest", "bits",
           "mean", "bytes");
    for (uint32_t i = 0; i < c->rows_count; i++)
        print_row(&c->rows[i], point);
    for (uint32_t i = 0; i < c->rows_count; i++)
        cli_compare_failed(&c->rows[i],
                           c->rows[i].cells[point].summary.violated);
    putchar('\n');
}

static void print(const struct contest *c)
{
    for (uint32_t s = 0; s < c->points_count; s++)
        print_size(c, s);
    print_legend();
}

static json_t *to_json(const struct contest *c, const struct row *row,
                       uint32_t point)
{
    const struct sim_summary *s = &row->cells[point].summary;

    return json_pack(
        "{s:s,s:I,s:I,s:I,s:f,s:I,s:f,s:f,s:I,s:b,s:b,s:b,s:b,s:b}", "protocol",
        row->protocol->name, "nodes", (json_int_t)c->points[point], "runs",
        (json_int_t)s->runs, "violated", (json_int_t)s->violated,
        "messages_mean", sim_stat_mean(&s->messages), "messages_max",
        (json_int_t)s->messages.max, "paper_bits_mean",
        sim_stat_mean(&s->paper_bits), "end_mean", sim_stat_mean(&s->end),
        "state_bytes", (json_int_t)row->protocol->state_size, "needs_names",
        !row->protocol->anonymous, "needs_n",
        (row->protocol->needs & FC_NEEDS_COUNT) != 0, "needs_fifo",
        (row->protocol->needs & FC_NEEDS_FIFO) != 0, "needs_bounds",
        (row->protocol->needs & FC_NEEDS_BOUNDS) != 0, "two_way",
        row->protocol->topology == FC_RING_BOTH);
}

/* The finding: which protocol needs least on the largest ring.  Rows are
 * sorted. */
static void entitle(const struct contest *c, char *title, char *subtitle,
                    size_t size, struct plot *plot)
{
    uint32_t last = c->points_count - 1;

    snprintf(title, size,
             "%s needs fewest: %.1f messages a processor at %" PRIu32,
             c->rows[0].protocol->name,
             messages(&c->rows[0].cells[last]) / (double)c->points[last],
             c->points[last]);
    snprintf(subtitle, size,
             "Elections on the same rings, %" PRIu64 " run%s each, seeds from "
             "%" PRIu64,
             c->runs_count, c->runs_count > 1 ? "s" : "", c->first_seed);
    plot->x_label = "processors (logarithmic)";
    plot->y_label = "messages a processor (logarithmic)";
}

const struct discipline cli_compare_election = {
    .problem = "election",
    .judge = "chang-roberts",
    .runs = 100,
    .form =
        {
            .name = "compare",
            .asked = "compare election",
            .usage = "election -n N[,N...] [OPTIONS]",
            .about =
                "Runs every election that works on a ring on the same rings "
                "and prints a table for each size, sorted by messages at the "
                "last. Without --runs it tries 100 placements of names.",
            .examples =
                "fulcrum compare election -n 10,100,1000 --svg elections.svg",
            .options = CLI_COMPARE_OPTIONS,
            .reports = true,
            .hides = "work (mutual exclusion)",
        },
    .takes = is_on_ring,
    .place = place,
    .cost = messages,
    .greatest = most_messages,
    .claimed = FC_COST_MESSAGES,
    .share = true,
    .print = print,
    .to_json = to_json,
    .entitle = entitle,
};
