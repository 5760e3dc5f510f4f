/*
 * sim_strategy.c - fulcrum sim --strategy: schedulers that the checker has
 * written down are played, with coins from the seed (docs/check-numbers.md).
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/check/check.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "cli/sim/sim.h"
#include "lab/claim/words.h"
#include "net/outside.h"

/* Of the normal distribution: 99.9 % are within this number of deviations. */
static const double deviations = 3.2905267314919255;

enum { WORDS_MAX = 256 };

struct show {
    const struct cli_strategy *wishes;
    struct check_strategy plan;
    struct cli_check *check; /* of the command in the file */
    char words[CHECK_STRATEGY_COMMAND];
    struct check_play play[2];
};

/* What came of the runs of one scheduler. */
struct finding {
    double found, from, to;
    bool within;
};

/* ---- The command in the file --------------------------------------------- */

static int refuse_command(const struct show *s)
{
    return cli_refuse("%s, line 2: this is not a command of fulcrum check "
                      "with --worst or --expect",
                      s->wishes->path);
}

static int read_command(struct show *s)
{
    char *words[WORDS_MAX + 1];
    int count, code;

    snprintf(s->words, sizeof s->words, "%s", s->plan.command);
    count = lab_split(s->words, words, WORDS_MAX);
    if (count < 3 || strcmp(words[0], "fulcrum") != 0 ||
        strcmp(words[1], "check") != 0)
        return refuse_command(s);
    words[count] = NULL;
    code = cli_check_read(s->check, count - 1, words + 1);
    if (code != CLI_GO_ON)
        return code ? code : refuse_command(s);
    if (s->check->worst == (s->check->expect != NULL))
        return refuse_command(s);
    code = cli_check_prepare(s->check);
    return code ? code : cli_check_is_given(s->check);
}

static int read_file(struct show *s)
{
    const char *path = s->wishes->path, *why;
    struct net_why unread;
    size_t size;
    char *text = outside_text(path, OUTSIDE_TEXT_MAX, &size, &unread);
    uint32_t line;

    if (!text)
        return cli_fail("cannot read %s: %s", path, unread.text);
    why = check_strategy_read(&s->plan, text, &line);
    free(text);
    return why ? cli_refuse("%s, line %" PRIu32 ": %s", path, line, why) : 0;
}

/* ---- Playing ------------------------------------------------------------- */

static const struct check_measure *measure_of(const struct show *s)
{
    return s->check->expect ? &s->check->expected_of : NULL;
}

static int play(struct show *s, uint32_t which)
{
    struct check_play *p = &s->play[which];

    check_play(&s->check->check, measure_of(s), &s->plan.scheduler[which],
               s->wishes->seed, s->wishes->runs, p);
    if (p->limit == CHECK_REFUSED && p->line)
        return cli_refuse("%s, line %" PRIu32 ": %s", s->wishes->path, p->line,
                          p->refusal);
    if (p->limit == CHECK_REFUSED)
        return cli_refuse("%s: %s", s->wishes->path, p->refusal);
    if (p->limit != CHECK_NO_LIMIT && p->limit != CHECK_STOPPED)
        return cli_fail("%s: %s", s->wishes->path,
                        cli_check_limit(p->limit, NULL));
    if (p->limit == CHECK_STOPPED && p->runs == 0)
        return cli_complain(CLI_INTERRUPTED,
                            "stopped before the first run was complete");
    return 0;
}

/* The frequency with its interval (E. B. Wilson, 1927). */
static struct finding judge_frequency(const struct check_play *p)
{
    double n = (double)p->runs, f = (double)p->failed / n;
    double z = deviations * deviations / n;
    double middle = (f + z / 2) / (1 + z);
    double half = deviations * sqrt(f * (1 - f) / n + z / (4 * n)) / (1 + z);

    return (struct finding){f, middle - half, middle + half, false};
}

static struct finding judge_mean(const struct check_play *p)
{
    uint64_t ended = p->runs - p->endless;
    double half = ended ? deviations * p->deviation / sqrt((double)ended) : 0;

    return (struct finding){p->mean, p->mean - half, p->mean + half, false};
}

static struct finding judge(const struct show *s, uint32_t which)
{
    const struct check_play *p = &s->play[which];
    const struct check_chance *value = &p->attains.value;
    struct finding f = s->check->expect ? judge_mean(p) : judge_frequency(p);
    double rounding = (1 + f.found) * 1e-12;

    f.within = !p->attains.infinite && value->least <= f.to + rounding &&
               value->most >= f.from - rounding;
    return f;
}

/* ---- Reporting ----------------------------------------------------------- */

static const char *const titles[] = {"at most", "at least"};
static const char *const keys[] = {"max", "min"};

static void report(const struct show *s, uint32_t which)
{
    const struct check_play *p = &s->play[which];
    struct finding f = judge(s, which);
    char runs[32];

    printf("\nthe scheduler of \"%s\"\n", titles[which]);
    if (p->attains.infinite)
        printf("  %-12s %14s\n", "attains", "infinite");
    else
        cli_report_chance("attains", &p->attains.value);
    printf("  %-12s %14s\n", "runs", cli_grouped(p->runs, runs, sizeof runs));
    if (p->endless)
        printf("  %-12s %14s  %s\n", "without end",
               cli_grouped(p->endless, runs, sizeof runs),
               s->check->expect   ? "not in the mean"
               : p->endless_fails ? "they count as failed"
                                  : "they did not fail");
    printf("  %-12s %14.10f  99.9 %% interval %.10f to %.10f\n",
           s->check->expect ? "mean" : "frequency", f.found, f.from, f.to);
    cli_print_verdict(f.within, f.within ? "within" : "not within");
    printf("\n");
}

static void report_table(const struct show *s)
{
    printf("played: %s\n", s->plan.command);
    if (s->check->expect)
        printf("expected %s%s%s\n", s->check->expected_of.name,
               s->check->given ? "; given " : "",
               s->check->given ? s->check->given : "");
    else
        cli_report_failing(s->check, check_endless_breaks(&s->check->check));
    for (uint32_t i = 0; i < 2; i++)
        if (s->plan.scheduler[i].known)
            report(s, i);
    printf("\nagain: fulcrum sim --strategy %s --seed %" PRIu64
           " --runs %" PRIu64 "\n",
           s->wishes->path, s->wishes->seed, s->wishes->runs);
}

static void report_json(const struct show *s)
{
    json_t *json =
        json_pack("{s:s, s:s, s:o, s:s*}", "strategy", s->wishes->path,
                  "command", s->plan.command, "seed",
                  cli_json_name(s->wishes->seed), "given", s->check->given);

    for (uint32_t i = 0; i < 2; i++) {
        struct finding f;

        if (!s->plan.scheduler[i].known)
            continue;
        f = judge(s, i);
        json_object_set_new(
            json, keys[i],
            json_pack("{s:o, s:o, s:o, s:f, s:[f, f], s:b}", "attains",
                      cli_expected_json(&s->play[i].attains), "runs",
                      cli_json_number(s->play[i].runs), "endless",
                      cli_json_number(s->play[i].endless),
                      s->check->expect ? "mean" : "frequency", f.found,
                      "interval", f.from, f.to, "within", f.within));
    }
    cli_json_print(json, 0);
}

/* The run of the first seed, by the first scheduler. */
static int write_run(const struct show *s)
{
    uint32_t which = s->plan.scheduler[0].known ? 0 : 1;
    struct check_result run;
    int code;

    if (!s->check->trace && !s->check->svg)
        return 0;
    if (!check_play_once(&s->check->check, measure_of(s),
                         &s->plan.scheduler[which], s->wishes->seed, &run))
        return cli_no_memory("the trace");
    code = cli_check_write(s->check, &run);
    check_free(&run);
    return code;
}

static int show(struct show *s)
{
    int code = read_file(s);

    if (!code)
        code = read_command(s);
    s->check->trace = s->wishes->trace;
    s->check->svg = s->wishes->svg;
    s->check->check.stop = cli_catch_interrupt();
    for (uint32_t i = 0; i < 2 && !code; i++)
        if (s->plan.scheduler[i].known)
            code = play(s, i);
    if (!code)
        code = write_run(s);
    if (code)
        return code;
    if (s->wishes->json)
        report_json(s);
    else
        report_table(s);
    for (uint32_t i = 0; i < 2 && !code; i++) {
        if (s->plan.scheduler[i].known && !judge(s, i).within)
            code = CLI_VIOLATED;
        if (s->play[i].limit == CHECK_STOPPED)
            code = CLI_INTERRUPTED;
    }
    return code;
}

int cli_play_strategy(const struct cli_strategy *wishes)
{
    struct show *s = calloc(1, sizeof *s);
    int code;

    if (!s)
        return cli_no_memory("the strategy");
    s->wishes = wishes;
    s->check = calloc(1, sizeof *s->check);
    if (s->check) {
        code = show(s);
        net_unmake(&s->check->made);
    } else {
        code = cli_no_memory("the strategy");
    }
    check_strategy_free(&s->plan);
    free(s->check);
    free(s);
    return code;
}
