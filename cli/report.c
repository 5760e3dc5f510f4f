/*
 * report.c - the table of a batch of runs (see report.h).
 */
#include "cli/report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cli/cli.h"
#include "problems/election.h"

enum { CELL = 32, NO_COST = -1 };

void cli_report_again(const struct cli_report *r, uint64_t seed, char *buffer,
                      size_t size)
{
    snprintf(buffer, size, "fulcrum sim %s --seed %" PRIu64, r->setup->command,
             seed);
}

uint32_t cli_report_claims(const struct cli_report *r,
                           struct fc_claim claims[FC_CLAIMS_MAX])
{
    const struct fc_protocol *p = r->setup->sim.net.protocol;
    const struct sim_stat *initiators = &r->summary->initiators;
    struct fc_world world = r->setup->sim.net.world;
    uint32_t stated, kept = 0;

    if (!p->claims || !world.bounded)
        return 0;
    if (!p->problem->repeats) /* in those the setup says who takes part */
        world.initiators = (uint32_t)initiators->max;
    stated = p->claims(r->setup->sim.net.params, &world, claims);
    for (uint32_t i = 0; i < stated; i++)
        if (initiators->min == initiators->max ||
            claims[i].relation == FC_AT_MOST || claims[i].relation == FC_BELOW)
            claims[kept++] = claims[i];
    return kept;
}

/* ---- Verdicts ------------------------------------------------------------ */

static const char *relation_sign(enum fc_relation relation)
{
    static const char *const signs[] = {
        [FC_EXACTLY] = "=", [FC_BELOW] = "<", [FC_ON_AVERAGE] = "~"};

    return relation == FC_AT_MOST || relation == FC_MEAN_AT_MOST
               ? cli_at_most()
               : signs[relation];
}

/* A worst-case bound is held against the worst run, an average against the
 * mean, within three standard errors; one run says nothing of an average. */
static bool within(const struct fc_claim *c, const struct sim_stat *s)
{
    double slack = c->value * 1e-12, error;

    switch (c->relation) {
    case FC_EXACTLY:
        return fabs((double)s->min - c->value) <= slack &&
               fabs((double)s->max - c->value) <= slack;
    case FC_AT_MOST:
        return (double)s->max <= c->value + slack;
    case FC_BELOW:
        return (double)s->max < c->value;
    case FC_ON_AVERAGE:
    case FC_MEAN_AT_MOST:
        break;
    }
    error = 3 * sim_stat_sd(s) / sqrt((double)s->count) + slack;
    if (c->relation == FC_MEAN_AT_MOST)
        return sim_stat_mean(s) <= c->value + error;
    return fabs(sim_stat_mean(s) - c->value) <= error;
}

static bool is_of_the_mean(enum fc_relation relation)
{
    return relation == FC_ON_AVERAGE || relation == FC_MEAN_AT_MOST;
}

/* So few or so different values that their mean says nothing. */
static bool too_few(const struct fc_claim *c, const struct sim_stat *s)
{
    return is_of_the_mean(c->relation) &&
           (s->count < 2 ||
            3 * sim_stat_sd(s) / sqrt((double)s->count) > c->value);
}

static void print_claim(const struct fc_claim *c, const struct sim_stat *s)
{
    char value[CELL];
    bool fits = within(c, s);

    printf("  %s %s  %s", relation_sign(c->relation),
           cli_decimal(c->value, value, sizeof value), c->formula);
    if (too_few(c, s))
        printf("  on average");
    else
        cli_print_verdict(fits, fits ? "within" : "beyond");
}

/* ---- Rows ---------------------------------------------------------------- */

/* What the paper states of a cost; the first beside its numbers if there is
 * room, all others below. */
static void print_claims(const struct cli_report *r, int cost,
                         const struct sim_stat *s, bool beside)
{
    struct fc_claim claims[FC_CLAIMS_MAX];
    uint32_t count = s->count ? cli_report_claims(r, claims) : 0;

    for (uint32_t i = 0; i < count; i++) {
        if ((int)claims[i].cost != cost)
            continue;
        if (!beside)
            printf("\n%30s", "");
        print_claim(&claims[i], s);
        beside = false;
    }
    putchar('\n');
}

static void print_spread(const char *label, const struct sim_stat *s)
{
    char a[CELL], b[CELL], c[CELL], d[CELL];

    printf("  %-14s %13s %11s %13s %13s", label,
           cli_decimal(sim_stat_mean(s), a, sizeof a),
           cli_decimal(sim_stat_sd(s), b, sizeof b),
           cli_grouped(s->min, c, sizeof c), cli_grouped(s->max, d, sizeof d));
}

/* One number if there was one run; else mean, sd, least, greatest. */
static void print_row(const struct cli_report *r, const char *label,
                      const struct sim_stat *s, int cost)
{
    char number[CELL];

    if (s->count < 2)
        printf("  %-14s %13s", label,
               s->count ? cli_grouped(s->min, number, sizeof number) : "-");
    else
        print_spread(label, s);
    print_claims(r, cost, s, s->count < 2);
}

static void print_kinds(const struct cli_report *r)
{
    const struct fc_protocol *p = r->setup->sim.net.protocol;

    for (uint32_t k = 1; k < p->kinds_count; k++) {
        char label[CELL];

        snprintf(label, sizeof label, "  %s", p->kinds[k].name);
        print_row(r, label, &r->summary->by_kind[k], NO_COST);
    }
}

static uint64_t runs_that_broke(const struct sim_summary *s,
                                enum election_property property)
{
    return s->broken_runs[__builtin_ctz((unsigned)property)];
}

static void print_leader(const struct cli_report *r)
{
    static const char *const rules[] = {
        [ELECTION_LEAST] = "least name",
        [ELECTION_GREATEST] = "greatest name",
        [ELECTION_LEAST_INITIATOR] = "least initiator",
        [ELECTION_GREATEST_INITIATOR] = "greatest initiator",
        [ELECTION_ANYBODY] = "one of them",
        [ELECTION_GREATEST_ALIVE] = "greatest alive",
    };
    const struct sim_summary *s = r->summary;
    bool anonymous = r->setup->sim.net.protocol->anonymous;
    bool none = !s->leaders_vary && s->leader == FC_NOBODY;
    bool wrong = runs_that_broke(s, ELECTION_RIGHT_LEADER) > 0 || none;
    char name[CELL];

    if (s->leaders_vary)
        printf("  %-12s %15s", "leader", "varies");
    else
        printf("  %-12s %15s", "leader",
               s->leader ? cli_grouped(s->leader - anonymous, name, sizeof name)
                         : "none");
    printf("  = %s", rules[r->setup->sim.net.protocol->promise]);
    cli_print_verdict(!wrong, wrong ? "wrong" : "right");
    putchar('\n');
}

static void print_engine(const struct cli_report *r)
{
    const struct sim_summary *s = r->summary;
    double seconds = (double)s->cpu_ns / 1e9;
    char events[CELL];

    printf("  %-12s %15s  %s engine, %.2f s CPU", "events",
           cli_grouped(s->events, events, sizeof events),
           s->lockstep ? "lockstep" : "general", seconds);
    if (seconds > 0.05)
        printf(", %.1f M/s, %.1f bytes a node",
               (double)s->events / seconds / 1e6,
               (double)s->bytes / (double)r->setup->sim.net.world.nodes);
    putchar('\n');
    if (r->hash)
        printf("  %-11s %016" PRIx64 "\n", "trace hash", s->hash);
}

/* ---- Entries ------------------------------------------------------------- */

static void print_scale(const struct cli_report *r, const char *label,
                        const struct sim_scale *s, int cost)
{
    char a[CELL], b[CELL], c[CELL], d[CELL];

    if (s->stat.count == 0)
        return;
    printf("  %-14s %13s %11s %13s %13s", label,
           cli_decimal(sim_stat_mean(&s->stat), a, sizeof a),
           cli_grouped(sim_scale_percentile(s, 0.5), b, sizeof b),
           cli_grouped(sim_scale_percentile(s, 0.99), c, sizeof c),
           cli_grouped(s->stat.max, d, sizeof d));
    print_claims(r, cost, &s->stat, false);
}

/* Mean and extremes over all entries, however many runs there were. */
static void print_share(const struct cli_report *r, const char *label,
                        const struct sim_stat *s, int cost)
{
    if (s->count == 0)
        return;
    print_spread(label, s);
    print_claims(r, cost, s, false);
}

static void print_count(const char *label, uint64_t count, const char *unit)
{
    char text[CELL];

    if (count)
        printf("  %-14s %13s%s\n", label, cli_grouped(count, text, sizeof text),
               unit);
}

static void print_entries(const struct cli_report *r)
{
    const struct sim_summary *s = r->summary;
    const struct sim_tally *t = &s->tally;
    char entries[CELL];

    printf("\n  %-14s %13s", "entries",
           cli_grouped(s->entries, entries, sizeof entries));
    if (s->end.sum)
        printf("  %.1f in 1000 ticks",
               1000.0 * (double)s->entries / (double)s->end.sum);
    printf("\n\n  %-15s %12s %11s %13s %13s\n", "of an entry", "mean", "sd",
           "least", "greatest");
    print_share(r, "messages", &t->messages, FC_COST_PER_ENTRY);
    print_share(r, "refusals", &t->refusals, FC_COST_REFUSALS);
    print_share(r, "overtaken", &t->overtaken, NO_COST);
    printf("  %-15s %12s %11s %13s %13s\n", "ticks of", "mean", "half within",
           "99 % within", "greatest");
    print_scale(r, "granting", &t->granting, FC_COST_GRANTING);
    print_scale(r, "hand-off", &t->handoff, NO_COST);
    print_scale(r, "attempts", &t->attempts, FC_COST_ATTEMPTS);
    print_count("for no entry", t->unbilled, " messages");
    print_count("torn", t->torn, "");
    print_count("abandoned", t->abandoned, "");
}

/* ---- The whole ----------------------------------------------------------- */

static void print_wakes(const struct cli_report *r)
{
    static const char *const wakes[] = {
        [NET_WAKE_ALL] = "all awake at 0",
        [NET_WAKE_FIRST] = "the first wakes at 0",
        [NET_WAKE_RANDOM] = "about half wake at random ticks"};
    const struct net *net = &r->setup->sim.net;

    if (net->waking == NET_WAKE_SOME)
        printf(", %" PRIu32 " random ones wake at 0\n", net->wake_count);
    else if (net->waking == NET_WAKE_LIST)
        printf(", awake %s\n", r->words->net.wake);
    else
        printf(", %s\n", wakes[net->waking]);
}

static void print_work(const struct cli_report *r)
{
    const struct cli_words *w = r->words;

    if (w->competitors)
        printf(", each of %s", w->competitors);
    else if (w->net.wake)
        printf(", awake %s, each", w->net.wake);
    else
        printf(", each");
    printf(" enters %" PRIu32 " times, %s inside, %s between\n",
           r->setup->sim.work.entries, w->section ? w->section : "1",
           w->think ? w->think : "1");
}

static void print_head(const struct cli_report *r)
{
    const struct net *net = &r->setup->sim.net;
    char nodes[CELL];

    printf("%s", net->protocol->name);
    for (uint32_t i = 0; i < r->words->net.settings_count; i++)
        printf(" %s", r->words->settings[i]);
    printf(", %s processors",
           cli_grouped(net->world.nodes, nodes, sizeof nodes));
    cli_print_time(net);
    if (net->any_order)
        printf(", links in any order");
    if (net->protocol->problem->repeats)
        print_work(r);
    else
        print_wakes(r);
    if (r->runs == 1)
        printf("seed %" PRIu64 "\n\n%30s  paper\n", r->seed, "measured");
    else
        printf("seeds %" PRIu64 " to %" PRIu64 ", %" PRIu64 " runs%s\n\n"
               "%30s %11s %13s %13s\n",
               r->seed, r->seed + r->runs - 1, r->summary->runs,
               r->summary->runs < r->runs ? " completed" : "", "mean", "sd",
               "least", "greatest");
}

/* Which assumptions the faults broke, and how often; and which faults
 * there were that the protocol tolerates. */
static void print_faults(const struct cli_report *r)
{
    const struct sim_summary *s = r->summary;
    const struct {
        uint64_t count;
        const char *what, *assumption;
        enum fc_bears bears;
    } faults[] = {
        {s->lost, "messages lost", "reliable links", FC_BEARS_LOSS},
        {s->copied, "messages doubled", "each message once", FC_BEARS_COPIES},
        {s->reordered, "messages out of order", "FIFO links",
         FC_BEARS_DISORDER},
        {s->late, "messages late", "delays up to dmax", FC_BEARS_DELAY},
        {s->pauses, "pauses", "steps up to rmax", FC_BEARS_PAUSES},
        {s->crashes, "crashes", "nodes that do not crash", FC_BEARS_CRASHES},
        {s->cuts, "nodes cut off", "a connected network", FC_BEARS_CUTS},
    };
    uint32_t bears = r->setup->sim.net.protocol->bears;

    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        if (!faults[i].count)
            continue;
        if (bears & faults[i].bears)
            printf("tolerated: %s (%" PRIu64 ")\n", faults[i].what,
                   faults[i].count);
        else
            printf("assumption broken: %s (%s: %" PRIu64 ")\n",
                   faults[i].assumption, faults[i].what, faults[i].count);
    }
}

static void print_end(const struct cli_report *r)
{
    const struct fc_problem *p = r->setup->sim.net.protocol->problem;
    const struct sim_summary *s = r->summary;
    uint64_t again_seed = r->seed;
    char again[CLI_COMMAND_SIZE + 64];

    print_faults(r);
    for (uint32_t i = 0; i < p->properties_count; i++) {
        if (!s->broken_runs[i])
            continue;
        again_seed = s->broken_seed[i];
        printf("%s violated %s in %" PRIu64 " of %" PRIu64
               " runs, first with seed %" PRIu64 "\n",
               cli_cross(), p->properties[i], s->broken_runs[i], s->runs,
               s->broken_seed[i]);
    }
    if (s->cut)
        printf("stopped at tick %" PRIu64 " in %" PRIu64 " of %" PRIu64
               " runs, with something left to do\n",
               sim_last_tick(&r->setup->sim), s->cut, s->runs);
    cli_report_again(r, again_seed, again, sizeof again);
    if (s->violated)
        printf("again: %s --trace run.trace\n", again);
    else
        printf("again: %s%s%.*" PRIu64 "\n", again,
               r->runs > 1 ? " --runs " : "", r->runs > 1 ? 1 : 0,
               r->runs > 1 ? r->runs : 0);
}

void cli_report_table(const struct cli_report *r)
{
    const struct fc_protocol *p = r->setup->sim.net.protocol;
    const struct sim_summary *s = r->summary;

    print_head(r);
    print_row(r, "messages", &s->messages, FC_COST_MESSAGES);
    print_kinds(r);
    print_row(r, "paper bits", &s->paper_bits, FC_COST_PAPER_BITS);
    print_row(r, "wire bits", &s->wire_bits, NO_COST);
    print_row(r, "ticks", &s->end, FC_COST_TICKS);
    print_row(r, p->problem->reached, &s->reached_at, NO_COST);
    if (p->problem == &election_problem)
        print_leader(r);
    if (p->use)
        print_row(r, "answer", &s->answer, NO_COST);
    if (p->problem->repeats)
        print_entries(r);
    print_engine(r);
    putchar('\n');
    print_end(r);
}
