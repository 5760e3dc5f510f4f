/*
 * report_judge.c - what a batch of runs says of the claims of its paper, and
 * the commands that show it again (see report.h).
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "cli/report/report.h"
#include "problems/problem.h"

static const char *verb_of(const struct cli_report *r)
{
    return r->live ? "live" : "sim";
}

void cli_report_again(const struct cli_report *r, char buffer[CLI_AGAIN_SIZE])
{
    snprintf(buffer, CLI_AGAIN_SIZE, "fulcrum %s %s --seed %" PRIu64,
             verb_of(r), r->setup->command, r->seed);
}

void cli_report_one(const struct cli_report *r, uint64_t run,
                    char buffer[CLI_AGAIN_SIZE])
{
    char command[CLI_COMMAND_SIZE];
    struct cli_case one;

    if (!r->cases) {
        snprintf(buffer, CLI_AGAIN_SIZE, "fulcrum %s %s --seed %" PRIu64,
                 verb_of(r), r->setup->command, r->seed + run);
        return;
    }
    cli_case_words(&one, r->cases, run / r->cases->sim.runs);
    cli_words_write(&one.words, command, sizeof command);
    snprintf(buffer, CLI_AGAIN_SIZE, "fulcrum sim %s%s --seed %" PRIu64,
             command, r->more, r->seed + run % r->cases->sim.runs);
}

bool cli_report_exact(const struct cli_report *r)
{
    return r->cases && r->summary->runs == r->runs && !r->summary->coins &&
           !sim_drawn(&r->setup->sim);
}

uint32_t cli_report_claims(const struct cli_report *r,
                           struct fc_claim claims[FC_CLAIMS_MAX])
{
    const struct fc_protocol *p = r->setup->sim.net.protocol;
    const struct sim_stat *initiators = &r->summary->initiators;
    bool same = initiators->min == initiators->max &&
                !(r->cases && r->cases->sim.starters);
    struct fc_world world = r->setup->sim.net.world;
    uint32_t stated, kept = 0;

    if (!p->claims || !world.bounded || r->setup->sim.bits)
        return 0;
    if (!p->problem->repeats) /* there the setup names the starters */
        world.initiators = (uint32_t)initiators->max;
    stated = p->claims(r->setup->sim.net.params, &world, claims);
    for (uint32_t i = 0; i < stated; i++)
        if (same || claims[i].relation == FC_AT_MOST ||
            claims[i].relation == FC_BELOW)
            claims[kept++] = claims[i];
    return kept;
}

void cli_report_wrongs(const struct sim_summary *s, uint64_t counts[CLI_WRONGS])
{
    counts[CLI_LOST] = s->lost;
    counts[CLI_COPIED] = s->copied;
    counts[CLI_REORDERED] = s->reordered;
    counts[CLI_LATE] = s->late;
    counts[CLI_PAUSED] = s->pauses;
    counts[CLI_CRASHED] = s->crashes;
    counts[CLI_CUT] = s->cuts;
}

/* ---- Verdicts ------------------------------------------------------------ */

/* A worst-case bound is held against the worst run, an average against the
 * mean, within three standard errors; one run says nothing of an average, and
 * all cases say it exactly. */
static bool within(const struct cli_report *r, const struct fc_claim *c,
                   const struct sim_stat *s)
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
    error = cli_report_exact(r)
                ? c->value * 1e-9
                : 3 * sim_stat_sd(s) / sqrt((double)s->count) + slack;
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

enum cli_judged cli_report_judge(const struct cli_report *r,
                                 const struct fc_claim *c,
                                 const struct sim_stat *s)
{
    if (!cli_report_exact(r) && too_few(c, s))
        return CLI_TOO_FEW;
    if (!within(r, c, s) && !(r->summary->cut && c->relation == FC_EXACTLY))
        return CLI_BEYOND;
    /* What was not over when the run was stopped might have cost more. */
    return r->summary->cut ? CLI_UNFINISHED : CLI_WITHIN;
}

/* Whether some run broke the property that this came out right. */
static bool came_out_wrong(const struct sim_summary *s,
                           const struct fc_came_of *part)
{
    return part->right && s->broken_runs[__builtin_ctz(part->right)] > 0;
}

enum cli_judged cli_report_judge_chosen(const struct cli_report *r)
{
    const struct sim_summary *s = r->summary;

    if (came_out_wrong(s, &r->setup->sim.net.protocol->problem->chosen))
        return CLI_BEYOND;
    if (!s->leaders_vary && s->leader == FC_NOBODY)
        return s->cut ? CLI_UNFINISHED : CLI_BEYOND;
    return s->cut && s->reached_at.count < s->runs ? CLI_UNFINISHED
                                                   : CLI_WITHIN;
}

enum cli_judged cli_report_judge_answer(const struct cli_report *r)
{
    if (came_out_wrong(r->summary,
                       &r->setup->sim.net.protocol->problem->answer))
        return CLI_BEYOND;
    return r->summary->cut ? CLI_UNFINISHED : CLI_WITHIN;
}
