/*
 * report_json.c - a batch of runs as JSON (see report.h, man fulcrum-sim).
 */
#include <inttypes.h>
#include <string.h>

#include "cli/json.h"
#include "cli/report/report.h"
#include "net/asked.h"
#include "problems/problem.h"

static json_t *json_of_run(const struct cli_report *r, uint64_t run)
{
    char command[CLI_AGAIN_SIZE];

    cli_report_one(r, run, command);
    return json_string(command);
}

/* Which runs have the least and the greatest, if there are several. */
static void add_cases(json_t *o, const struct cli_report *r, uint64_t min_run,
                      uint64_t max_run)
{
    if (r->runs == 1)
        return;
    json_object_set_new(o, "min_case", json_of_run(r, min_run));
    json_object_set_new(o, "max_case", json_of_run(r, max_run));
}

static json_t *json_of_stat(const struct cli_report *r,
                            const struct sim_stat *s)
{
    json_t *out;

    if (s->count == 0)
        return json_null();
    out = json_pack("{s:f,s:o,s:o,s:f}", "mean", sim_stat_mean(s), "min",
                    cli_json_number(s->min), "max", cli_json_number(s->max),
                    "sd", sim_stat_sd(s));
    add_cases(out, r, s->min_run, s->max_run);
    return out;
}

static json_t *json_of_means(const struct sim_means *m)
{
    return json_pack("{s:f,s:f,s:o}", "mean", sim_means_mean(m), "sd",
                     sim_means_sd(m), "runs", cli_json_number(m->near.count));
}

static json_t *json_of_messages(const struct cli_report *r)
{
    const struct fc_protocol *p = r->setup->sim.net.protocol;
    json_t *out = json_of_stat(r, &r->summary->messages);
    json_t *means = json_object(), *kinds = json_object();

    for (uint32_t k = 1; k < p->kinds_count; k++) {
        const struct sim_stat *s = &r->summary->by_kind[k];

        json_object_set_new(means, p->kinds[k].name,
                            json_real(sim_stat_mean(s)));
        json_object_set_new(kinds, p->kinds[k].name, json_of_stat(r, s));
    }
    json_object_set_new(out, "by_kind", means);
    json_object_set_new(out, "kinds", kinds);
    return out;
}

static uint64_t seed_of(const struct cli_report *r, uint64_t run)
{
    return r->seed + (r->cases ? run % r->cases->sim.runs : run);
}

static json_t *json_of_violations(const struct cli_report *r)
{
    json_t *out = json_array();

    for (uint32_t i = 0; i < SIM_PROPERTIES_MAX; i++)
        if (r->summary->broken_runs[i])
            json_array_append_new(
                out,
                json_pack("{s:s,s:o,s:o,s:o}", "property",
                          net_property(&r->setup->sim.net, i), "runs",
                          cli_json_number(r->summary->broken_runs[i]), "seed",
                          cli_json_name(seed_of(r, r->summary->broken_run[i])),
                          "case", json_of_run(r, r->summary->broken_run[i])));
    return out;
}

static json_t *json_of_judged(enum cli_judged judged)
{
    static const char *const words[] = {"within", "beyond", "unfinished",
                                        "too few runs"};

    return json_string(words[judged]);
}

static json_t *json_of_right(enum cli_judged judged)
{
    return json_string(judged == CLI_WITHIN   ? "right"
                       : judged == CLI_BEYOND ? "wrong"
                                              : "unfinished");
}

static json_t *json_of_claims(const struct cli_report *r)
{
    static const char *const costs[] = {
        "messages", "paper_bits",     "end",     "messages_per_entry",
        "refusals", "granting_delay", "attempts"};
    static const char *const relations[] = {"exactly", "at most", "below",
                                            "on average", "mean at most"};
    struct fc_claim claims[FC_CLAIMS_MAX];
    uint32_t count = cli_report_claims(r, claims);
    json_t *out = json_array();

    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(
            out,
            json_pack("{s:s,s:s,s:f,s:s,s:o}", "cost", costs[claims[i].cost],
                      "relation", relations[claims[i].relation], "value",
                      claims[i].value, "formula", claims[i].formula, "verdict",
                      json_of_judged(cli_report_judge(
                          r, &claims[i],
                          sim_summary_cost(r->summary, claims[i].cost)))));
    return out;
}

#define ADD_COUNT(kind, field, key)                                            \
    json_object_set_new(out, key, cli_json_number(s->field));

static json_t *json_of_faults(const struct sim_summary *s)
{
    json_t *out = json_object();

    SIM_MISHAPS(ADD_COUNT)
    return out;
}

static json_t *json_of_broken(const struct cli_report *r)
{
    const char *broken[CLI_BROKEN_MAX];
    uint64_t counts[CLI_WRONGS];
    uint32_t count;

    cli_report_wrongs(r->summary, counts);
    count = cli_broken(&r->setup->sim.net, counts, broken);
    return cli_json_list(broken, count);
}

static json_t *json_of_bounds(const struct fc_bounds *b)
{
    return json_pack("{s:o,s:o,s:o,s:o}", "rmin", cli_json_number(b->rmin),
                     "rmax", cli_json_number(b->rmax), "dmin",
                     cli_json_number(b->dmin), "dmax",
                     cli_json_number(b->dmax));
}

static json_t *json_of_names(const fc_name *names, uint32_t count)
{
    json_t *out = json_array();

    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(out, cli_json_number(names[i]));
    return out;
}

/* Those that started are known only now. */
static json_t *json_of_letters(const struct cli_report *r)
{
    struct net net = r->setup->sim.net;

    if (!net.protocol->problem->repeats)
        net.world.initiators = (uint32_t)r->summary->initiators.max;
    return cli_json_letters(&net);
}

static void add_setup(json_t *o, const struct cli_report *r)
{
    fc_name names[CLI_NAMES_MAX];
    uint32_t count = cli_report_names(r, names);
    const struct sim_setup *s = &r->setup->sim;

    json_object_set_new(o, "protocol", json_string(s->net.protocol->name));
    json_object_set_new(o, "nodes", cli_json_number(s->net.world.nodes));
    json_object_set_new(o, "time", json_string(net_time_words[s->net.time]));
    json_object_set_new(o, "bounds",
                        s->net.world.bounded
                            ? json_of_bounds(&s->net.world.bounds)
                            : json_null());
    json_object_set_new(o, "set", json_string(r->setup->made.set));
    json_object_set_new(o, "seed", cli_json_name(r->seed));
    json_object_set_new(o, "letters", json_of_letters(r));
    if (count)
        json_object_set_new(o, "names", json_of_names(names, count));
}

/* Of the goal the key is the problem's word: "elected_at". */
static void add_quantity(json_t *o, const struct cli_report *r, const char *key,
                         const struct sim_stat *s)
{
    char word[32];

    if (s == &r->summary->reached_at) {
        snprintf(word, sizeof word, "%s",
                 r->setup->sim.net.protocol->problem->reached);
        for (char *c = word; *c; c++)
            if (*c == ' ')
                *c = '_';
        key = word;
    }
    json_object_set_new(o, key,
                        s == &r->summary->messages ? json_of_messages(r)
                                                   : json_of_stat(r, s));
}

#define ADD_QUANTITY(kind, field, key, ...) add_quantity(o, r, key, &s->field);

static json_t *json_of_scale(const struct cli_report *r,
                             const struct sim_scale *s)
{
    json_t *out;

    if (s->stat.count == 0)
        return json_null();
    out = json_pack("{s:f,s:o,s:o,s:o,s:o,s:o,s:f}", "mean",
                    sim_stat_mean(&s->stat), "p50",
                    cli_json_number(sim_scale_percentile(s, 0.5)), "p99",
                    cli_json_number(sim_scale_percentile(s, 0.99)), "p999",
                    cli_json_number(sim_scale_percentile(s, 0.999)), "min",
                    cli_json_number(s->stat.min), "max",
                    cli_json_number(s->stat.max), "sd", sim_stat_sd(&s->stat));
    add_cases(out, r, s->stat.min_run, s->stat.max_run);
    return out;
}

/* Amounts of single entries, and of whole runs. */
static json_t *json_of_entries(const struct cli_report *r,
                               enum sim_tallied which)
{
    const struct sim_tally *t = &r->summary->tally;
    const struct sim_means *runs = &t->of_runs[which];
    const struct sim_scale *const scales[SIM_TALLIED] = {
        [SIM_GRANTING] = &t->granting,
        [SIM_HANDOFF] = &t->handoff,
        [SIM_ATTEMPTS] = &t->attempts,
    };
    json_t *out = scales[which] ? json_of_scale(r, scales[which])
                                : json_of_stat(r, sim_tally_stat(t, which));

    if (runs->near.count)
        json_object_set_new(out, "of_runs", json_of_means(runs));
    return out;
}

/* Whether a property of this name held in every run, or null if the problem
 * has none. */
static json_t *json_of_property(const struct cli_report *r, const char *name)
{
    const struct fc_problem *p = r->setup->sim.net.protocol->problem;

    for (uint32_t i = 0; i < p->properties_count; i++)
        if (strcmp(p->properties[i], name) == 0)
            return json_boolean(r->summary->broken_runs[i] == 0);
    return json_null();
}

/* What the entries cost, in problems with a workload. */
static void add_entries(json_t *o, const struct cli_report *r)
{
    const struct sim_summary *s = r->summary;
    const struct sim_tally *t = &s->tally;
    double ticks = (double)s->end.sum;

    json_object_set_new(o, "entries", cli_json_number(s->entries));
    json_object_set_new(o, "messages_per_entry",
                        json_of_entries(r, SIM_MESSAGES));
    json_object_set_new(o, "messages_for_no_entry",
                        cli_json_number(t->unbilled));
    json_object_set_new(o, "refusals", json_of_entries(r, SIM_REFUSALS));
    json_object_set_new(o, "granting_delay", json_of_entries(r, SIM_GRANTING));
    json_object_set_new(o, "handoff", json_of_entries(r, SIM_HANDOFF));
    json_object_set_new(o, "overtaken", json_of_entries(r, SIM_OVERTAKEN));
    json_object_set_new(o, "overlaps", cli_json_number(s->overlaps));
    json_object_set_new(o, "token_monotone",
                        json_of_property(r, "token-grows"));
    json_object_set_new(o, "abandoned", cli_json_number(t->abandoned));
    json_object_set_new(o, "attempts", json_of_entries(r, SIM_ATTEMPTS));
    json_object_set_new(o, "torn", cli_json_number(t->torn));
    json_object_set_new(o, "entries_per_tick",
                        json_real(ticks > 0 ? (double)s->entries / ticks : 0));
}

static json_t *json_of_value(const struct cli_report *r,
                             const struct lab_value_sum *v)
{
    const struct lab_sum *s = &v->records;
    json_t *out;

    out = json_pack("{s:o,s:o}", "count", cli_json_number(s->count), "left_out",
                    cli_json_number(v->left_out));
    if (s->count == 0)
        return out;
    json_object_set_new(out, "mean", json_real(s->mean));
    json_object_set_new(out, "min", json_real(s->min));
    json_object_set_new(out, "max", json_real(s->max));
    json_object_set_new(out, "sd", json_real(lab_sum_sd(s)));
    json_object_set_new(out, "of_runs",
                        json_pack("{s:f,s:f,s:o}", "mean", v->runs.mean, "sd",
                                  lab_sum_sd(&v->runs), "runs",
                                  cli_json_number(v->runs.count)));
    add_cases(out, r, s->min_run, s->max_run);
    return out;
}

static json_t *json_of_values(const struct cli_report *r)
{
    json_t *out = json_object();

    for (uint32_t i = 0; i < r->values->count; i++)
        json_object_set_new(out, r->values->list[i].name,
                            json_of_value(r, &r->values->sums[i]));
    return out;
}

/* What of each run comes from its seed. */
static json_t *json_of_drawn(const struct cli_report *r)
{
    uint32_t drawn = sim_drawn(&r->setup->sim);
    json_t *out = json_array();

    for (uint32_t i = 0; i < SIM_DRAWN; i++)
        if (drawn >> i & 1)
            json_array_append_new(out, json_string(sim_drawn_words[i]));
    if (r->summary->coins)
        json_array_append_new(out, json_string("coins"));
    return out;
}

static json_t *json_of_bound(const struct cli_live_bound *b)
{
    return json_pack("{s:o,s:o,s:o}", "broken", cli_json_number(b->count),
                     "worst_ticks", cli_json_number(b->worst), "node",
                     b->count ? cli_json_number(b->name) : json_null());
}

/* What only a run of processes has. */
static json_t *json_of_live(const struct cli_live *l)
{
    json_t *out = json_pack(
        "{s:o,s:b,s:o,s:o,s:o,s:o}", "tick_us", cli_json_number(l->tick),
        "calibrated", l->calibrated, "elapsed_us", cli_json_number(l->elapsed),
        "died_unasked", cli_json_number(l->unasked), "steps",
        json_of_bound(&l->steps), "delays", json_of_bound(&l->delays));

    if (l->calibrated) {
        json_object_set_new(out, "round_trip_us",
                            cli_json_number(l->round_trip));
        json_object_set_new(out, "late_us", cli_json_number(l->late));
    }
    return out;
}

static void add_results(json_t *o, const struct cli_report *r)
{
    const struct sim_summary *s = r->summary;
    const struct fc_protocol *p = r->setup->sim.net.protocol;
    double seconds = (double)s->cpu_ns / 1e9;

    json_object_set_new(o, "runs", cli_json_number(s->runs));
    if (r->cases)
        json_object_set_new(o, "exhaustive", json_boolean(cli_report_exact(r)));
    json_object_set_new(o, "drawn", json_of_drawn(r));
    json_object_set_new(o, "ok", cli_json_number(s->ok));
    json_object_set_new(o, "violated", cli_json_number(s->violated));
    json_object_set_new(o, "violations", json_of_violations(r));
    json_object_set_new(o, "cut", cli_json_number(s->cut));
    json_object_set_new(o, "leader",
                        s->leader ? cli_json_number(s->leader - p->anonymous)
                                  : json_null());
    if (fc_promised(&p->problem->chosen, p)) {
        json_object_set_new(o, "leader_verdict",
                            json_of_right(cli_report_judge_chosen(r)));
        json_object_set_new(o, "initiators", json_of_stat(r, &s->initiators));
    }
    SIM_COSTS(ADD_QUANTITY)
    SIM_TIMES(ADD_QUANTITY)
    if (fc_promised(&p->problem->answer, p)) {
        json_object_set_new(o, "answer", json_of_stat(r, &s->answer));
        json_object_set_new(o, "answer_verdict",
                            json_of_right(cli_report_judge_answer(r)));
    }
    if (p->problem->repeats)
        add_entries(o, r);
    if (r->values->count)
        json_object_set_new(o, "values", json_of_values(r));
    json_object_set_new(o, "queue_max", cli_json_number(s->queue_max));
    json_object_set_new(o, "faults", json_of_faults(s));
    json_object_set_new(o, "assumptions_broken", json_of_broken(r));
    json_object_set_new(o, "claims", json_of_claims(r));
    json_object_set_new(o, "events", cli_json_number(s->events));
    json_object_set_new(o, "cpu_s", json_real(seconds));
    json_object_set_new(
        o, "events_per_s",
        json_real(seconds > 0 ? (double)s->events / seconds : 0));
    json_object_set_new(
        o, "bytes_per_node",
        json_real((double)s->bytes / (double)r->setup->sim.net.world.nodes));
    json_object_set_new(o, "engine",
                        json_string(r->live       ? "processes"
                                    : s->lockstep ? "lockstep"
                                                  : "general"));
    if (r->live)
        json_object_set_new(o, "live", json_of_live(r->live));
    if (r->hash) {
        char text[24];

        snprintf(text, sizeof text, "%016" PRIx64, s->hash);
        json_object_set_new(o, "trace_hash", json_string(text));
    }
}

void cli_report_json(const struct cli_report *r)
{
    json_t *o = json_object();
    char again[CLI_AGAIN_SIZE];

    add_setup(o, r);
    add_results(o, r);
    cli_report_again(r, again);
    json_object_set_new(o, "command", json_string(again));
    cli_json_print(o, JSON_REAL_PRECISION(12));
}
