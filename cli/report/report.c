/*
 * report.c - the table of a batch of runs (see report.h).
 */
#include "cli/report/report.h"

#include <inttypes.h>

#include "cli/cli.h"
#include "cli/paragraph.h"
#include "net/asked.h"
#include "net/names.h"
#include "problems/problem.h"

enum { CELL = 32 };

static const char *relation_sign(enum fc_relation relation)
{
    static const char *const signs[] = {
        [FC_EXACTLY] = "=", [FC_BELOW] = "<", [FC_ON_AVERAGE] = "mean ~"};

    if (relation == FC_MEAN_AT_MOST)
        return cli_is_utf8() ? "mean ≤" : "mean <=";
    return relation == FC_AT_MOST ? cli_at_most() : signs[relation];
}

static void print_claim(const struct cli_report *r, const struct fc_claim *c,
                        const struct sim_stat *s)
{
    enum cli_judged judged = cli_report_judge(r, c, s);
    char value[CELL];

    printf("  %s %s  %s", relation_sign(c->relation),
           cli_decimal(c->value, value, sizeof value), c->formula);
    if (judged == CLI_UNFINISHED || judged == CLI_TOO_FEW)
        printf("  %s %s", cli_dash(),
               judged == CLI_TOO_FEW ? "too few runs" : "unfinished");
    else
        cli_print_verdict(judged == CLI_WITHIN,
                          judged == CLI_WITHIN ? "within" : "beyond");
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
        print_claim(r, &claims[i], s);
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

        if (p->kinds[k].meaning == FC_FRAME)
            continue; /* counted apart */

        snprintf(label, sizeof label, "  %s", p->kinds[k].name);
        print_row(r, label, &r->summary->by_kind[k], SIM_NO_COST);
    }
}

static void print_judged(enum cli_judged judged)
{
    if (judged == CLI_UNFINISHED)
        printf("  %s unfinished\n", cli_dash());
    else {
        cli_print_verdict(judged == CLI_WITHIN,
                          judged == CLI_WITHIN ? "right" : "wrong");
        putchar('\n');
    }
}

static void print_chosen(const struct cli_report *r)
{
    const struct sim_summary *s = r->summary;
    const struct fc_protocol *p = r->setup->sim.net.protocol;
    char name[CELL];

    printf("  %-12s %15s", p->problem->chosen.called,
           s->leaders_vary ? "varies"
           : s->leader
               ? cli_grouped(s->leader - p->anonymous, name, sizeof name)
               : "none");
    printf("  = %s", fc_promised(&p->problem->chosen, p));
    print_judged(cli_report_judge_chosen(r));
}

static void print_answer(const struct cli_report *r)
{
    const struct fc_protocol *p = r->setup->sim.net.protocol;
    const char *called = p->problem->answer.called;
    const struct sim_stat *s = &r->summary->answer;
    char text[CELL];

    if (s->count > 1)
        print_spread(called, s);
    else
        printf("  %-14s %13s  = %s", called,
               cli_grouped(s->min, text, sizeof text),
               fc_promised(&p->problem->answer, p));
    print_judged(cli_report_judge_answer(r));
}

static const char *say_time(uint64_t us, char *buffer, size_t size)
{
    if (us < 1000)
        snprintf(buffer, size, "%" PRIu64 " us", us);
    else if (us < 1000000)
        snprintf(buffer, size, "%.4g ms", (double)us / 1e3);
    else
        snprintf(buffer, size, "%.4g s", (double)us / 1e6);
    return buffer;
}

static void print_engine(const struct cli_report *r)
{
    const struct sim_summary *s = r->summary;
    double seconds = (double)s->cpu_ns / 1e9;
    char events[CELL], time[CELL];

    printf("  %-12s %15s  ", "events",
           cli_grouped(s->events, events, sizeof events));
    if (r->live)
        printf("%" PRIu32 " processes, %s, %.2f s CPU",
               r->setup->sim.net.world.nodes,
               say_time(r->live->elapsed, time, sizeof time), seconds);
    else
        printf("%s engine, %.2f s CPU", s->lockstep ? "lockstep" : "general",
               seconds);
    if (seconds > 0.05 && !r->live)
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
    print_share(r, "overtaken", &t->overtaken, SIM_NO_COST);
    printf("  %-15s %12s %11s %13s %13s\n", "ticks of", "mean", "half within",
           "99 % within", "greatest");
    print_scale(r, "granting", &t->granting, FC_COST_GRANTING);
    print_scale(r, "hand-off", &t->handoff, SIM_NO_COST);
    print_scale(r, "attempts", &t->attempts, FC_COST_ATTEMPTS);
    print_count("for no entry", t->unbilled, " messages");
    print_count("torn", t->torn, "");
    print_count("abandoned", t->abandoned, "");
}

/* ---- Formulas ------------------------------------------------------------ */

static void print_values(const struct cli_report *r)
{
    char a[CELL], b[CELL], c[CELL], d[CELL];

    if (r->values->count)
        printf("\n  %-15s %12s %11s %13s %13s\n", "of a record", "mean", "sd",
               "least", "greatest");
    for (uint32_t i = 0; i < r->values->count; i++) {
        const struct lab_value *v = &r->values->list[i];
        const struct lab_value_sum *all = &r->values->sums[i];
        const struct lab_sum *s = &all->records;

        if (s->count)
            printf("  %-14s %13s %11s %13s %13s", v->name,
                   cli_decimal(s->mean, a, sizeof a),
                   cli_decimal(lab_sum_sd(s), b, sizeof b),
                   cli_decimal(s->min, c, sizeof c),
                   cli_decimal(s->max, d, sizeof d));
        else
            printf("  %-14s %13s", v->name, "-");
        if (all->left_out)
            printf("  %" PRIu64 " without", all->left_out);
        putchar('\n');
    }
}

/* ---- The whole ----------------------------------------------------------- */

static void say_wakes(struct paragraph *p, const struct cli_report *r)
{
    static const char *const wakes[] = {
        [NET_WAKE_ALL] = "all awake at 0",
        [NET_WAKE_FIRST] = "the first wakes at 0",
        [NET_WAKE_RANDOM] = "about half wake at random ticks"};
    const struct net *net = &r->setup->sim.net;

    if (r->cases && r->cases->sim.starters)
        paragraph_say(p, ", some wake at 0");
    else if (net->waking == NET_WAKE_SOME)
        paragraph_say(p, ", %" PRIu32 " random ones wake at 0",
                      net->wake_count);
    else if (net->waking == NET_WAKE_LIST)
        paragraph_say(p, ", awake %s", r->words->net.wake);
    else
        paragraph_say(p, ", %s", wakes[net->waking]);
}

static void say_work(struct paragraph *p, const struct cli_report *r)
{
    const struct cli_words *w = r->words;

    if (r->cases && r->cases->sim.starters)
        paragraph_say(p, ", each that starts");
    else if (w->competitors)
        paragraph_say(p, ", each of %s", w->competitors);
    else if (w->net.wake)
        paragraph_say(p, ", awake %s, each", w->net.wake);
    else
        paragraph_say(p, ", each");
    paragraph_say(p, " enters %" PRIu32 " times, %s inside, %s between",
                  r->setup->sim.work.entries, w->section ? w->section : "1",
                  w->think ? w->think : "1");
    if (w->shared)
        paragraph_say(p, ", as a reader with chance %s", w->shared);
}

uint32_t cli_report_names(const struct cli_report *r,
                          fc_name out[CLI_NAMES_MAX])
{
    const struct net *net = &r->setup->sim.net;
    struct net_memory memory = {.segment_bytes = 0};
    struct net_names names;
    uint32_t count = 0;

    if (r->runs > 1 || net->world.nodes > CLI_NAMES_MAX ||
        net->protocol->anonymous || net->protocol->topology == FC_COMPLETE)
        return 0;
    if (net_names_begin(&names, net, r->seed, true, &memory) == 0)
        for (; count < net->world.nodes; count++)
            out[count] = net_name(&names, count);
    net_memory_free(&memory);
    return count;
}

/* Of a small ring or tree, where they are not what the command says. */
static void print_names(const struct cli_report *r)
{
    fc_name names[CLI_NAMES_MAX];
    uint32_t count = cli_report_names(r, names);

    if (r->setup->sim.net.naming != NET_NAMES_RANDOM)
        return;
    for (uint32_t i = 0; i < count; i++)
        printf("%s%" PRIu32, i ? "," : ", names ", names[i]);
}

/* How long a tick was, and why. */
static void print_tick(const struct cli_live *l)
{
    struct paragraph p = paragraph_begin(0, 2);
    char a[CELL], b[CELL], c[CELL];

    paragraph_say(&p, "a tick is %s", say_time(l->tick, a, sizeof a));
    if (l->calibrated)
        paragraph_say(&p,
                      ", calibrated: round trips took up to %s, and nodes woke "
                      "up to %s late",
                      say_time(l->round_trip, b, sizeof b),
                      say_time(l->late, c, sizeof c));
    paragraph_end(&p);
}

static void print_head(const struct cli_report *r)
{
    const struct net *net = &r->setup->sim.net;
    struct paragraph p = paragraph_begin(0, 2);
    char nodes[CELL];

    paragraph_say(&p, "%s", net->protocol->name);
    for (uint32_t i = 0; i < r->words->net.settings_count; i++)
        paragraph_say(&p, " %s", r->words->settings[i]);
    paragraph_say(&p, ", %s processors",
                  cli_grouped(net->world.nodes, nodes, sizeof nodes));
    cli_say_time(&p, net);
    if (net->any_order)
        paragraph_say(&p, ", links in any order");
    if (net->protocol->problem->repeats)
        say_work(&p, r);
    else
        say_wakes(&p, r);
    paragraph_end(&p);
    cli_print_faults(r->words);
    if (r->cases) {
        cli_cases_say(r->cases, r->seed);
        if (r->summary->runs < r->runs)
            printf(", %" PRIu64 " runs completed", r->summary->runs);
        printf("\n\n%30s %11s %13s %13s\n", "mean", "sd", "least", "greatest");
    } else if (r->runs == 1) {
        printf("seed %" PRIu64, r->seed);
        print_names(r);
        putchar('\n');
        if (r->live)
            print_tick(r->live);
        printf("\n%30s  paper\n", "measured");
    } else {
        printf("seeds %" PRIu64 " to %" PRIu64 ", %" PRIu64 " runs%s\n\n"
               "%30s %11s %13s %13s\n",
               r->seed, r->seed + r->runs - 1, r->summary->runs,
               r->summary->runs < r->runs ? " completed" : "", "mean", "sd",
               "least", "greatest");
    }
}

/* "3 steps ended late, the worst by 2 ticks (4 ms) at 5" */
static void print_bound(const struct cli_live *l,
                        const struct cli_live_bound *b, const char *one,
                        const char *what, const char *where)
{
    char time[CELL];

    if (b->count)
        printf("bound broken: %" PRIu64 " %s%s %s %" PRIu64
               " tick%s (%s) %s %" PRIu32 "\n",
               b->count, one, b->count == 1 ? "" : "s", what, b->worst,
               b->worst == 1 ? "" : "s",
               say_time(b->worst * l->tick, time, sizeof time), where, b->name);
}

/* Bounds that real time broke, and nodes that died unexpectedly. */
static void print_broken_bounds(const struct cli_report *r)
{
    const struct cli_live *l = r->live;

    print_bound(l, &l->steps, "step", "ended late, the worst by", "at");
    print_bound(l, &l->delays, "message", "took too long, the worst", "from");
    if (l->unasked)
        printf("%s died unexpectedly: %" PRIu32 " process%s\n", cli_cross(),
               l->unasked, l->unasked == 1 ? "" : "es");
}

/* Which assumptions the network and the faults broke, and how often; and which
 * faults there were that the protocol tolerates. */
static void print_faults(const struct cli_report *r)
{
    static const uint64_t none[CLI_WRONGS];
    const struct net *net = &r->setup->sim.net;
    const char *broken[CLI_BROKEN_MAX];
    uint64_t counts[CLI_WRONGS];
    uint32_t count = cli_broken(net, none, broken);

    for (uint32_t i = 0; i < count; i++)
        printf("assumption broken: %s\n", broken[i]);
    cli_report_wrongs(r->summary, counts);
    for (uint32_t i = 0; i < CLI_WRONGS; i++) {
        const struct cli_wrong_words *w = &cli_wrongs[i];

        if (!counts[i])
            continue;
        if (net->protocol->bears & w->bears)
            printf("tolerated: %s (%" PRIu64 ")\n", w->what, counts[i]);
        else
            printf("assumption broken: %s (%s: %" PRIu64 ")\n", w->assumption,
                   w->what, counts[i]);
    }
}

static void print_end(const struct cli_report *r)
{
    const struct fc_problem *p = r->setup->sim.net.protocol->problem;
    const struct sim_summary *s = r->summary;
    uint64_t runs = r->cases ? r->cases->sim.runs : r->runs;
    char again[CLI_AGAIN_SIZE];

    if (r->live)
        print_broken_bounds(r);
    print_faults(r);
    cli_report_again(r, again);
    for (uint32_t i = 0; i < SIM_PROPERTIES_MAX; i++) {
        if (!s->broken_runs[i])
            continue;
        cli_report_one(r, s->broken_run[i], again);
        printf("%s violated %s in %" PRIu64 " of %" PRIu64 " runs", cli_cross(),
               net_property(&r->setup->sim.net, i), s->broken_runs[i], s->runs);
        if (!r->cases)
            printf(", first with seed %" PRIu64, r->seed + s->broken_run[i]);
        putchar('\n');
    }
    if (s->cut && !r->setup->sim.until && !p->ends)
        printf("%s runs for ever: watched up to tick %" PRIu64 "\n",
               r->setup->sim.net.protocol->name, sim_last_tick(&r->setup->sim));
    else if (s->cut)
        printf("unfinished: stopped at tick %" PRIu64 " in %" PRIu64
               " of %" PRIu64 " runs\n",
               sim_last_tick(&r->setup->sim), s->cut, s->runs);
    if (s->violated)
        printf("again: %s --trace run.trace\n", again);
    else
        printf("again: %s%s%.*" PRIu64 "\n", again, runs > 1 ? " --runs " : "",
               runs > 1 ? 1 : 0, runs > 1 ? runs : 0);
}

/* What the letters of the formulas stand for, and what the paper's values leave
 * out. */
static void print_letters(const struct cli_report *r)
{
    const struct fc_protocol *p = r->setup->sim.net.protocol;
    struct fc_claim claims[FC_CLAIMS_MAX];
    struct paragraph text;

    if (!p->letters || cli_report_claims(r, claims) == 0)
        return;
    putchar('\n');
    text = paragraph_begin(2, 2);
    paragraph_say(&text, "%s", p->letters);
    if (p->caveat)
        paragraph_say(&text, "; %s", p->caveat);
    paragraph_end(&text);
}

static void print_quantity(const struct cli_report *r, const char *label,
                           const struct sim_stat *s, int cost)
{
    if (s == &r->summary->frames && !s->sum)
        return;
    if (s == &r->summary->reached_at)
        label = r->setup->sim.net.protocol->problem->reached;
    print_row(r, label, s, cost);
    if (s == &r->summary->messages)
        print_kinds(r);
}

#define PRINT(kind, field, key, label, cost, ...)                              \
    print_quantity(r, label, &s->field, cost);

void cli_report_table(const struct cli_report *r)
{
    const struct fc_protocol *p = r->setup->sim.net.protocol;
    const struct sim_summary *s = r->summary;

    print_head(r);
    SIM_COSTS(PRINT)
    SIM_TIMES(PRINT)
    if (fc_promised(&p->problem->chosen, p))
        print_chosen(r);
    if (fc_promised(&p->problem->answer, p))
        print_answer(r);
    if (p->problem->repeats)
        print_entries(r);
    print_values(r);
    print_engine(r);
    print_letters(r);
    putchar('\n');
    print_end(r);
}
