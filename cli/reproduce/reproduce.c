/*
 * reproduce.c - fulcrum reproduce: runs the experiments of the claims, and
 * judges.
 */
#include "cli/reproduce/reproduce.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/claims.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "lab/run/schedule.h"
#include "net/seconds.h"

#define WISHES struct cli_reproduce

static const struct cli_option options[] = {
    {.group = "how much"},
    {"quick", 0, NULL, "one look at each mean: two minutes on two cores",
     AT(quick)},
    {"full", 0, NULL, "also the tries that take long", AT(full)},
    {"claims", 0, "DIR", "those of the .ini files there, not those built in",
     AT(claims), "@files"},
    {"seed", 0, "S", "of all experiments [1]",
     NUMBER(seed, 0, INT64_MAX - UINT32_MAX)},
    {"jobs", 'j', "J", "experiments at once [all cores]",
     NUMBER(jobs, 1, LAB_JOBS_MAX)},
    {.group = "output"},
    {"output", 'o', "DIR",
     "where report.html goes, and where lab.db is kept, with every "
     "experiment that was made; what is there is not made again [nowhere]",
     AT(directory), "@files"},
    {"fresh", 0, NULL, "make all experiments again", AT(fresh)},
    {"diff", 0, "OLD.db", "say which verdicts differ from those there",
     AT(diff), "@files"},
    {"json", 0, NULL, "for programs", AT(json)},
    {0},
};

struct part {
    struct lab_ruling ruling;
    bool done;
};

struct work {
    struct cli_reproduce *wishes;
    struct lab_inquiry inquiry;
    struct lab_schedule schedule; /* parts wait in it, by their number */
    struct part *parts;
    uint32_t count, done, violated;
    uint32_t at; /* the part that is being judged */
    double told;
    bool shown;
};

/* ---- Judging ------------------------------------------------------------- */

/* For lab_inquiry.ask: the part at hand waits for this command. */
static void ask(void *whom, const char *command)
{
    struct work *w = whom;

    lab_schedule_ask(&w->schedule, w->at, command);
}

static void judge(void *whom, uint32_t which)
{
    struct work *w = whom;
    struct part *p = &w->parts[which];
    const struct lab_claim *claim = p->ruling.claim;

    w->at = which;
    lab_ruling_free(&p->ruling);
    p->done = lab_rule(&p->ruling, &w->inquiry, claim);
    w->done += p->done;
    w->violated += p->done && p->ruling.verdict == LAB_VIOLATED;
}

static bool tell(void *whom)
{
    struct work *w = whom;
    const struct lab_claim *c = w->parts[w->at].ruling.claim;
    uint64_t seconds = lab_schedule_left(&w->schedule);

    if (!cli_is_terminal(stderr) || net_seconds() - w->told < 0.1)
        return true;
    w->told = net_seconds();
    w->shown = true;
    fprintf(stderr,
            "\rreproduce  %u of %u  %-20.20s  %u violated  %u of %u  "
            "%" PRIu64 ":%02" PRIu64 " left\033[K",
            w->done, w->count, c->id, w->violated, w->schedule.done,
            w->schedule.count, seconds / 60, seconds % 60);
    return true;
}

static int judge_all(struct work *w)
{
    struct net_why why;

    for (uint32_t i = 0; i < w->count; i++)
        judge(w, i);
    switch (lab_schedule_run(&w->schedule, &why)) {
    case LAB_STOPPED:
        return CLI_INTERRUPTED;
    case LAB_FAILED:
        return cli_refused(&why);
    default:
        return 0;
    }
}

/* ---- From the beginning to the end --------------------------------------- */

static int open_notebook(struct work *w, const char *program)
{
    const struct cli_reproduce *wishes = w->wishes;
    struct net_why why = {0};
    char path[4096], build[LAB_BUILD_SIZE];

    if (wishes->directory) {
        if (mkdir(wishes->directory, 0777) != 0 && errno != EEXIST)
            return cli_fail("cannot make the directory %s: %s",
                            wishes->directory, strerror(errno));
        snprintf(path, sizeof path, "%s/lab.db", wishes->directory);
    }
    if (lab_build_of(program, build, &why))
        w->inquiry.notebook = lab_notebook_open(wishes->directory ? path : NULL,
                                                build, wishes->fresh, &why);
    return w->inquiry.notebook ? 0 : cli_refused(&why);
}

static int begin(struct work *w, const struct lab_claims *claims, int count,
                 char **ids)
{
    struct cli_reproduce *wishes = w->wishes;
    char program[CLI_PROGRAM_SIZE];
    int code = cli_find_program(program);

    if (code)
        return code;
    for (uint32_t i = 0; i < claims->count; i++)
        if (cli_claims_wanted(&claims->claim[i], count, ids))
            w->parts[w->count++].ruling.claim = &claims->claim[i];
    if (!w->count)
        return cli_refuse("no claim begins with '%s'; 'fulcrum claims' lists "
                          "them",
                          ids[0]);
    if (!wishes->jobs)
        wishes->jobs = cli_cores(LAB_JOBS_MAX);
    code = open_notebook(w, program);
    if (code)
        return code;
    w->schedule.notebook = w->inquiry.notebook;
    return lab_workers_here(&w->schedule.workers, program, wishes->jobs)
               ? 0
               : cli_no_memory("the workers");
}

static int note_verdicts(const struct work *w, const struct cli_rulings *r)
{
    struct lab_noted *all = calloc(r->count + 1, sizeof *all);
    struct net_why why;
    bool fine;

    if (!all)
        return cli_no_memory("the verdicts");
    for (uint32_t i = 0; i < r->count; i++) {
        const struct lab_ruling *is = &r->ruling[i];
        const struct cli_told told = cli_told_of(is);
        const struct lab_judgement *j = told.j;
        const struct lab_cell *c = told.cell;

        all[i] = (struct lab_noted){
            .claim = is->claim->id,
            .part = is->claim->part,
            .verdict = lab_verdict_word(is->verdict),
            .evidence = j ? lab_evidence_word(j->evidence) : "",
            .reading = j ? j->reading : "",
            .repair = j && is->verdict == LAB_REPAIRED
                          ? is->judgements[is->repair].repair
                          : "",
            .measured = c ? c->measured : 0,
            .bound = c ? c->bound : 0,
        };
    }
    fine = lab_notebook_verdicts(w->inquiry.notebook, all, r->count, r->mode,
                                 r->wishes->seed, &why);
    free(all);
    return fine ? 0 : cli_fail("cannot keep the verdicts: %s", why.text);
}

/* What could not be tried is a fault of the claims. */
static int complain_of_tries(const struct cli_rulings *r)
{
    int code = 0;

    for (uint32_t i = 0; i < r->count; i++)
        if (r->ruling[i].why)
            code = cli_refuse(
                "%s, %s: %s", r->ruling[i].claim->file,
                lab_name_of(r->ruling[i].claim->id, r->ruling[i].claim->part)
                    .text,
                r->ruling[i].why);
    return code;
}

static int report(struct work *w)
{
    const struct cli_reproduce *wishes = w->wishes;
    struct cli_rulings r = {
        .wishes = wishes,
        .mode = wishes->quick  ? "quick"
                : wishes->full ? "full"
                               : "normal",
        .ruling = calloc(w->count + 1, sizeof *r.ruling),
        .count = w->count,
    };
    int code = 0;

    if (!r.ruling)
        return cli_no_memory("the verdicts");
    for (uint32_t i = 0; i < w->count; i++) {
        r.ruling[i] = w->parts[i].ruling;
        r.seconds += r.ruling[i].seconds;
    }
    if (!code)
        code = note_verdicts(w, &r);
    if (!code) {
        if (wishes->json)
            cli_reproduce_json(&r);
        else
            cli_reproduce_print(&r);
        if (wishes->directory)
            code = cli_reproduce_html(&r, wishes->directory);
        if (wishes->diff && !code)
            code = cli_reproduce_diff(&r, wishes->diff);
        if (!code)
            code = complain_of_tries(&r);
    }
    free(r.ruling);
    return code;
}

static void end(struct work *w)
{
    for (uint32_t i = 0; i < w->count; i++)
        lab_ruling_free(&w->parts[i].ruling);
    free(w->parts);
    lab_schedule_end(&w->schedule);
    if (w->inquiry.notebook)
        lab_notebook_close(w->inquiry.notebook);
}

static int reproduce(struct cli_reproduce *wishes,
                     const struct lab_claims *claims, int count, char **ids)
{
    struct work w = {
        .wishes = wishes,
        .inquiry = {.full = wishes->full,
                    .looks = wishes->quick ? 1 : LAB_LOOKS,
                    .seed = wishes->seed,
                    .is_option = cli_claims_option,
                    .ask = ask},
        .schedule = {.stop = cli_catch_interrupt(),
                     .ready = judge,
                     .look = tell},
    };
    int code = 0;

    w.inquiry.whom = w.schedule.whom = &w;
    w.parts = calloc(claims->count + 1, sizeof *w.parts);
    code =
        w.parts ? begin(&w, claims, count, ids) : cli_no_memory("the claims");
    if (!code)
        code = judge_all(&w);
    if (w.shown)
        fprintf(stderr, "\r\033[K");
    if (!code)
        code = report(&w);
    if (code == CLI_INTERRUPTED)
        cli_note("stopped; %u of %u parts are judged%s", w.done, w.count,
                 wishes->directory ? ", and the same command goes on here"
                                   : "");
    end(&w);
    return code;
}

static int run_reproduce(int argc, char **argv)
{
    struct cli_reproduce wishes = {.seed = 1};
    struct lab_claims claims = {0};
    int code = cli_options_read(&cli_reproduce, &wishes, argc, argv);

    if (code != CLI_GO_ON)
        return code;
    if (wishes.quick && wishes.full)
        return cli_refuse("--quick or --full, not both");
    code = cli_claims_read(&claims, wishes.claims);
    for (uint32_t i = 0; i < claims.count && !code; i++)
        code = cli_claims_check(&claims.claim[i]);
    if (!code)
        code = reproduce(&wishes, &claims, argc - optind, argv + optind);
    lab_claims_free(&claims);
    return code;
}

const struct cli_verb cli_reproduce = {
    .name = "reproduce",
    .summary = "judge the claims of the papers, by experiments",
    .run = run_reproduce,
    .usage = "[ID|PREFIX...] [OPTIONS]",
    .about =
        "Makes the experiments of every claim, or of those whose id begins "
        "with what is given, each a command of sim, check or worst, and says "
        "of each whether it holds, is loose, is violated, holds after a repair "
        "or is not decided. A violation comes with a command that shows it.",
    .exits = "0 all are judged, 2 wrong usage, or a claim cannot be tried, 3 "
             "a system error, 130 stopped by Ctrl-C.",
    .examples = "fulcrum reproduce --quick\n"
                "fulcrum reproduce v84-linear\n"
                "fulcrum reproduce --full -o results --diff old/lab.db",
    .options = {options},
};
