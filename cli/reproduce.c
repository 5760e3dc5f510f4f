/*
 * reproduce.c - fulcrum reproduce: runs the experiments of the claims, and
 * judges.
 */
#include "cli/reproduce.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/claims.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "lab/run/children.h"
#include "lab/run/witness.h"

#define AT(field) .offset = offsetof(struct cli_reproduce, field)

static const struct cli_option options[] = {
    {.group = "how much"},
    {"quick", 0, NULL, "one look at each mean: two minutes on two cores",
     AT(quick)},
    {"full", 0, NULL, "also the tries that take long", AT(full)},
    {"claims", 0, "DIR", "those of the .ini files there, not those built in",
     AT(claims), "@files"},
    {"seed", 0, "S", "of all experiments [1]",
     CLI_NUMBER(struct cli_reproduce, seed, 0, INT64_MAX - UINT32_MAX)},
    {"jobs", 'j', "J", "experiments at once [all cores]",
     CLI_NUMBER(struct cli_reproduce, jobs, 1, LAB_JOBS_MAX)},
    {.group = "output"},
    {"output", 'o', "DIR",
     "where report.html goes, and where lab.db is kept, with every "
     "experiment that was made; what is there is not made again [nowhere]",
     AT(directory), "@files"},
    {"fresh", 0, NULL, "make all experiments again", AT(fresh)},
    {"diff", 0, "OLD.db", "tell which verdicts differ from those there",
     AT(diff), "@files"},
    {"json", 0, NULL, "for programs", AT(json)},
    {0},
};

/* An experiment that somebody waits for. */
struct task {
    char *command;
    uint32_t *parts; /* that wait for it */
    uint32_t count, room;
};

struct part {
    struct lab_ruling ruling;
    uint32_t pending; /* tasks */
    bool done;
};

struct work {
    struct cli_reproduce *wishes;
    struct lab_inquiry inquiry;
    struct lab_children *children;
    struct part *parts;
    uint32_t count, done, violated;
    uint32_t at; /* the part that is being judged */
    struct task **tasks;
    uint32_t tasks_count, tasks_room, next;
    void *by_command; /* a tree of tasks */
    atomic_bool *stop;
    double began;
    bool shown, failed;
};

static double now(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- Tasks --------------------------------------------------------------- */

static int by_command(const void *a, const void *b)
{
    const struct task *x = a, *y = b;

    return strcmp(x->command, y->command);
}

static struct task *new_task(struct work *w, const char *command)
{
    struct task *t = calloc(1, sizeof *t);

    if (w->tasks_count == w->tasks_room) {
        uint32_t room = 2 * w->tasks_room + 64;
        struct task **more = realloc(w->tasks, room * sizeof(struct task *));

        if (!more) {
            free(t);
            return NULL;
        }
        w->tasks = more;
        w->tasks_room = room;
    }
    if (!t || !(t->command = strdup(command)) ||
        !tsearch(t, &w->by_command, by_command)) {
        free(t ? t->command : NULL);
        free(t);
        return NULL;
    }
    w->tasks[w->tasks_count++] = t;
    return t;
}

/* For lab_inquiry.ask: the part at hand waits for this command. */
static void ask(void *whom, const char *command)
{
    struct work *w = whom;
    char *text = strdup(command);
    const struct task key = {.command = text};
    struct task *const *found =
        text ? tfind(&key, &w->by_command, by_command) : NULL;
    struct task *t = found ? *found : new_task(w, command);

    free(text);
    if (t && t->count == t->room) {
        uint32_t room = 2 * t->room + 2;
        uint32_t *more = realloc(t->parts, room * sizeof *more);

        if (more) {
            t->parts = more;
            t->room = room;
        }
    }
    if (!t || t->count == t->room) {
        w->failed = true;
        return;
    }
    if (t->count && t->parts[t->count - 1] == w->at)
        return;
    t->parts[t->count++] = w->at;
    w->parts[w->at].pending++;
}

static void judge(struct work *w, uint32_t which)
{
    struct part *p = &w->parts[which];
    const struct lab_claim *claim = p->ruling.claim;

    w->at = which;
    lab_ruling_free(&p->ruling);
    p->done = lab_rule(&p->ruling, &w->inquiry, claim);
    w->done += p->done;
    w->violated += p->done && p->ruling.verdict == LAB_VIOLATED;
}

/* ---- The loop ------------------------------------------------------------ */

static void tell(struct work *w)
{
    const struct lab_claim *c = w->parts[w->at].ruling.claim;
    uint64_t seconds = (uint64_t)(now() - w->began);

    if (!cli_is_terminal(stderr))
        return;
    w->shown = true;
    fprintf(stderr,
            "\rreproduce  %u of %u  %-24.24s  %u violated  %u experiments  "
            "%" PRIu64 ":%02" PRIu64 "\033[K",
            w->done, w->count, c->id, w->violated, w->next, seconds / 60,
            seconds % 60);
}

static int start_some(struct work *w)
{
    char why[LAB_WHY_SIZE];

    while (w->next < w->tasks_count && lab_children_room(w->children)) {
        char *command = strdup(w->tasks[w->next]->command);
        char *again = command ? strstr(command, LAB_AGAIN) : NULL;
        bool fine;

        if (again)
            *again = '\0';
        snprintf(why, sizeof why, "no memory");
        fine = command &&
               lab_children_start(w->children, command, w->next, 1, why);
        free(command);
        if (!fine)
            return cli_fail("%s", why);
        w->next++;
    }
    return 0;
}

static int take_answer(struct work *w, uint32_t number,
                       struct lab_answer *answer)
{
    struct task *t = w->tasks[number];
    char why[LAB_WHY_SIZE];

    if (!lab_notebook_add(w->inquiry.notebook, t->command, answer, why))
        return cli_fail("cannot keep a result: %s", why);
    for (uint32_t i = 0; i < t->count; i++)
        if (--w->parts[t->parts[i]].pending == 0)
            judge(w, t->parts[i]);
    t->count = 0;
    return 0;
}

static int loop(struct work *w)
{
    enum { PATIENCE = 100 }; /* milliseconds */
    struct lab_answer answer;
    double told = 0;
    int code = 0;

    for (uint32_t i = 0; i < w->count; i++)
        judge(w, i);
    while (!code && w->done < w->count) {
        int64_t number;

        if (atomic_load_explicit(w->stop, memory_order_relaxed))
            return CLI_INTERRUPTED;
        code = w->failed ? cli_fail("no memory") : start_some(w);
        if (code)
            break;
        number = lab_children_wait(w->children, PATIENCE, &answer);
        if (number >= 0)
            code = take_answer(w, (uint32_t)number, &answer);
        if (now() - told > 0.1) {
            tell(w);
            told = now();
        }
    }
    return code;
}

/* ---- From the beginning to the end --------------------------------------- */

static int open_notebook(struct work *w)
{
    const struct cli_reproduce *wishes = w->wishes;
    char path[4096], why[LAB_WHY_SIZE];

    if (wishes->directory) {
        if (mkdir(wishes->directory, 0777) != 0 && errno != EEXIST)
            return cli_fail("cannot make the directory %s: %s",
                            wishes->directory, strerror(errno));
        snprintf(path, sizeof path, "%s/lab.db", wishes->directory);
    }
    w->inquiry.notebook = lab_notebook_open(
        wishes->directory ? path : NULL, FULCRUM_VERSION, wishes->fresh, why);
    return w->inquiry.notebook ? 0 : cli_fail("%s", why);
}

static int begin(struct work *w, const struct lab_claims *claims, int count,
                 char **ids)
{
    struct cli_reproduce *wishes = w->wishes;
    char program[4096];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int code;

    if (length < 0)
        return cli_fail("cannot find myself: %s", strerror(errno));
    program[length] = '\0';
    for (uint32_t i = 0; i < claims->count; i++)
        if (cli_claims_wanted(&claims->claim[i], count, ids))
            w->parts[w->count++].ruling.claim = &claims->claim[i];
    if (!w->count)
        return cli_refuse("no claim begins with '%s'; 'fulcrum claims' lists "
                          "them",
                          ids[0]);
    if (!wishes->jobs)
        wishes->jobs = cores > 0 ? (uint32_t)cores : 1;
    code = open_notebook(w);
    if (code)
        return code;
    w->children = lab_children_begin(program, wishes->jobs);
    return w->children ? 0 : cli_fail("no memory");
}

static int note_verdicts(const struct work *w, const struct cli_rulings *r)
{
    struct lab_noted *all = calloc(r->count, sizeof *all);
    char why[LAB_WHY_SIZE] = "no memory";
    bool fine = all != NULL;

    for (uint32_t i = 0; i < r->count && fine; i++) {
        const struct lab_ruling *is = &r->ruling[i];
        const struct lab_judgement *j =
            is->count ? &is->judgements[is->told] : NULL;
        const struct lab_cell *c = j && j->count ? &j->cells[j->worst] : NULL;

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
    fine = fine && lab_notebook_verdicts(w->inquiry.notebook, all, r->count,
                                         r->mode, r->wishes->seed, why);
    free(all);
    return fine ? 0 : cli_fail("cannot keep the verdicts: %s", why);
}

/* What could not be tried is a fault of the claims. */
static int complain_of_tries(const struct cli_rulings *r)
{
    int code = 0;

    for (uint32_t i = 0; i < r->count; i++)
        if (r->ruling[i].why)
            code = cli_refuse("%s, %s%s%s: %s", r->ruling[i].claim->file,
                              r->ruling[i].claim->id,
                              *r->ruling[i].claim->part ? "." : "",
                              r->ruling[i].claim->part, r->ruling[i].why);
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
        .ruling = calloc(w->count, sizeof *r.ruling),
        .count = w->count,
    };
    int code = r.ruling ? 0 : cli_fail("no memory");

    for (uint32_t i = 0; i < w->count && !code; i++) {
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
    if (w->children)
        lab_children_end(w->children);
    for (uint32_t i = 0; i < w->count; i++)
        lab_ruling_free(&w->parts[i].ruling);
    for (uint32_t i = 0; i < w->tasks_count; i++) {
        (void)tdelete(w->tasks[i], &w->by_command, by_command);
        free(w->tasks[i]->command);
        free(w->tasks[i]->parts);
        free(w->tasks[i]);
    }
    free(w->tasks);
    free(w->parts);
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
        .stop = cli_catch_interrupt(),
        .began = now(),
    };
    int code = 0;

    w.inquiry.whom = &w;
    w.parts = calloc(claims->count, sizeof *w.parts);
    code = w.parts ? begin(&w, claims, count, ids) : cli_fail("no memory");
    if (!code)
        code = loop(&w);
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
        code = cli_claims_check(&claims.claim[i], wishes.claims);
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
    .exits = "0 all are judged, 2 used wrongly, or a claim cannot be tried, 3 "
             "the system refused, 130 stopped by Ctrl-C.",
    .examples = "fulcrum reproduce --quick\n"
                "fulcrum reproduce v84-linear\n"
                "fulcrum reproduce --full -o results --diff old/lab.db",
    .options = {options},
};
