/*
 * sweep.c - fulcrum sweep: an experiment for every cell of a grid, and a row
 * for each.
 */
#include "cli/sweep/sweep.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/json.h"
#include "cli/progress.h"
#include "lab/mpi/ranks.h"
#include "lab/run/schedule.h"
#include "net/seconds.h"

#define WISHES struct cli_sweep

static const struct cli_option options[] = {
    {.group = "grid"},
    {"grid", 0, "KEY=VALUE,...",
     "the values that KEY takes in turn, with semicolons between them if they "
     "contain commas, and 2..5 for 2,3,4,5; KEY is n, gamma (RMIN/RMAX, which "
     "become those of the bounds), a parameter of the protocol, or an option "
     "of a run; may be repeated",
     MANY(grid)},
    {.group = "runs"},
    {"runs", 0, "R", "how many in each cell [100]",
     NUMBER(runs, 1, UINT32_MAX)},
    {"seed", 0, "S", "of the first run of each cell; the next has S+1 [1]",
     NUMBER(seed, 0, INT64_MAX - UINT32_MAX)},
    {"judge", 0, NULL,
     "judge the whole network after every event, by the predicates that the "
     "protocol states ('fulcrum list PROTOCOL')",
     AT(judge)},
    {"value", 0, "NAME=TABLE:FORMULA",
     "also measure that, as sim does; its column is values_NAME; may be "
     "repeated",
     MANY(values)},
    {"jobs", 'j', "J",
     "experiments at once; under mpirun on each rank [all cores; under mpirun "
     "1]",
     NUMBER(jobs, 1, LAB_JOBS_MAX)},
    {.group = "output"},
    {"output", 'o', "FILE.db",
     "where every cell is kept as soon as it is made; what is there is not "
     "made again [nowhere]",
     AT(file), "@files"},
    {"fresh", 0, NULL, "make all cells again", AT(fresh)},
    {"json", 0, NULL, "for programs", AT(json)},
    {0},
};

struct work {
    const struct cli_sweep *wishes;
    struct cli_cells cells;
    struct lab_swept swept;
    struct lab_notebook *notebook;
    struct lab_schedule schedule; /* cells wait in it, by their number */
    uint32_t found;               /* cells that were there already */
    uint32_t kept;                /* tasks whose rows are written */
    double began, told, written;
    bool shown;
    int code;             /* of writing rows */
    bool on_ranks, begun; /* ranks wait for us to begin, or to leave */
};

/* ---- Rows ---------------------------------------------------------------- */

/* Of all cells that are made: a new reference. */
static json_t *rows_of(const struct work *w)
{
    json_t *rows = json_array();

    for (uint32_t i = 0; i < w->cells.count; i++) {
        const struct lab_answer *a =
            lab_notebook_find(w->notebook, w->cells.command[i]);

        if (a)
            (void)json_array_append_new(
                rows, lab_table_row(&w->swept, i, w->cells.command[i], a));
    }
    return rows;
}

static int write_rows(const struct work *w)
{
    json_t *rows = rows_of(w);
    struct net_why why = {0};
    bool fine = lab_table_write(w->notebook, &w->swept, rows, &why);

    json_decref(rows);
    return fine ? 0 : cli_fail("cannot write the rows: %s", why.text);
}

/* ---- The loop ------------------------------------------------------------ */

static void tell(struct work *w)
{
    uint64_t seconds = (uint64_t)(net_seconds() - w->began);

    w->told = net_seconds();
    if (!cli_is_terminal(stderr))
        return;
    w->shown = true;
    fprintf(stderr,
            "\rsweep %s  %u of %u cells  %" PRIu64 ":%02" PRIu64 "\033[K",
            w->swept.protocol, w->found + w->schedule.done, w->cells.count,
            seconds / 60, seconds % 60);
}

/* Now and then the rows so far are written. */
static bool look(void *whom)
{
    struct work *w = whom;

    if (w->kept < w->schedule.done && net_seconds() - w->written > 1) {
        w->code = write_rows(w);
        w->written = net_seconds();
        w->kept = w->schedule.done;
    }
    if (net_seconds() - w->told > 0.1)
        tell(w);
    return !w->code;
}

static int make_cells(struct work *w)
{
    struct net_why why;

    for (uint32_t i = 0; i < w->cells.count; i++)
        if (lab_notebook_find(w->notebook, w->cells.command[i]))
            w->found++;
        else
            lab_schedule_ask(&w->schedule, i, w->cells.command[i]);
    switch (lab_schedule_run(&w->schedule, &why)) {
    case LAB_STOPPED:
        return w->code ? w->code : CLI_INTERRUPTED;
    case LAB_FAILED:
        return cli_refused(&why);
    default:
        return 0;
    }
}

/* ---- From the beginning to the end --------------------------------------- */

static int begin(struct work *w)
{
    const struct cli_sweep *wishes = w->wishes;
    uint32_t jobs = wishes->jobs  ? wishes->jobs
                    : w->on_ranks ? 1
                                  : cli_cores(LAB_JOBS_MAX);
    struct net_why why = {0};
    char program[CLI_PROGRAM_SIZE], build[LAB_BUILD_SIZE];
    int code = cli_find_program(program);

    if (code)
        return code;
    if (lab_build_of(program, build, &why))
        w->notebook =
            lab_notebook_open(wishes->file, build, wishes->fresh, &why);
    if (!w->notebook)
        return cli_refused(&why);
    w->schedule.notebook = w->notebook;
    w->begun = (w->on_ranks ? lab_workers_ranks : lab_workers_here)(
        &w->schedule.workers, program, jobs);
    return w->begun ? 0 : cli_no_memory("the workers");
}

/* 2 if cells were refused, 1 if a property failed in one. */
static int outcome(json_t *rows)
{
    const char *said = "";
    int code = CLI_FINE;
    json_t *row;
    size_t i;

    json_array_foreach(rows, i, row)
    {
        json_int_t is = json_integer_value(json_object_get(row, "code"));
        const char *why = json_string_value(json_object_get(row, "complaint"));

        if (!why && is <= CLI_VIOLATED) {
            code = code ? code : (int)is;
            continue;
        }
        code = is == CLI_SYSTEM || is >= 128 ? CLI_SYSTEM : CLI_USAGE;
        why = why ? why : "killed each time that it was tried";
        if (strcmp(why, said) != 0)
            cli_note("%s: %.*s",
                     json_string_value(json_object_get(row, "command")),
                     (int)strcspn(why, "\n"), why);
        said = why;
    }
    return code;
}

/* Seeds are numbers in the table, and text for programs. */
static void name_seeds(json_t *rows)
{
    size_t i;
    json_t *row, *seed;

    json_array_foreach(rows, i, row)
    {
        seed = json_object_get(row, "seed");
        if (json_is_integer(seed))
            (void)json_object_set_new(
                row, "seed", cli_json_name((uint64_t)json_integer_value(seed)));
    }
}

static int report(const struct work *w)
{
    json_t *rows = rows_of(w);
    int code = outcome(rows);

    if (w->wishes->json)
        name_seeds(rows);
    if (w->wishes->json)
        cli_json_print(json_pack("{s:s,s:s,s:s,s:I,s:I,s:O}", "command",
                                 w->swept.command, "protocol",
                                 w->swept.protocol, "version", w->swept.version,
                                 "made", (json_int_t)w->schedule.done,
                                 "repeated", (json_int_t)w->schedule.repeated,
                                 "rows", rows),
                       JSON_REAL_PRECISION(12));
    else
        cli_sweep_print(&w->swept, rows);
    json_decref(rows);
    return code;
}

static int sweep(struct work *w)
{
    int code = begin(w), written;

    if (!code)
        code = make_cells(w);
    if (w->shown)
        fprintf(stderr, "\r\033[K");
    if (!code || code == CLI_INTERRUPTED) {
        written = write_rows(w);
        code = written ? written : code;
    }
    if (!code)
        code = report(w);
    if (code == CLI_INTERRUPTED)
        cli_note("stopped; %u of %u cells are made%s",
                 w->found + w->schedule.done, w->cells.count,
                 w->wishes->file ? ", and the same command goes on" : "");
    lab_schedule_end(&w->schedule);
    if (w->notebook)
        lab_notebook_close(w->notebook);
    return code;
}

/* The command as typed; NULL: no memory. */
static char *typed(int argc, char **argv)
{
    struct lab_text t = {0};

    lab_say(&t, "fulcrum");
    for (int i = 0; i < argc; i++)
        lab_say_word(&t, argv[i]);
    return t.text;
}

static int sweep_typed(struct work *w, struct cli_sweep *wishes,
                       const char *command)
{
    int code = cli_cells_make(&w->cells, wishes);

    if (code)
        return code;
    w->swept = (struct lab_swept){
        .command = command,
        .protocol = wishes->words.net.protocol,
        .version = FULCRUM_VERSION,
        .grid = &w->cells.grid,
    };
    w->schedule.stop = cli_catch_interrupt();
    w->schedule.look = look;
    w->schedule.whom = w;
    w->began = net_seconds();
    return sweep(w);
}

static int run_sweep(int argc, char **argv)
{
    struct cli_sweep wishes = {.seed = 1, .runs = 100};
    struct work w = {.wishes = &wishes, .on_ranks = cli_is_under_mpirun()};
    char *command = typed(argc, argv);
    int code = w.on_ranks ? cli_join_ranks(argc, argv) : 0;

    if (code) {
        free(command);
        return code;
    }
    code = cli_options_read(&cli_sweep, &wishes, argc, argv);
    if (code == CLI_GO_ON)
        code = cli_one_protocol(argc - optind, argv + optind,
                                &wishes.words.net.protocol);
    if (!code && wishes.words.net.protocol)
        code = command ? sweep_typed(&w, &wishes, command)
                       : cli_no_memory("the command");
    if (w.on_ranks && !w.begun)
        lab_ranks_leave();
    cli_cells_free(&w.cells);
    free(command);
    return code;
}

const struct cli_verb cli_sweep = {
    .name = "sweep",
    .summary = "runs for every combination of values, into a table",
    .run = run_sweep,
    .usage = "PROTOCOL --grid KEY=VALUE,... [-o FILE.db] [OPTIONS]",
    .about =
        "Makes an experiment for every combination of the values of the grid, "
        "each a 'fulcrum sim', on all cores, or on all ranks of mpirun. Each "
        "becomes a row with the values, the numbers and the command. What was "
        "interrupted goes on with the same command; 'fulcrum plot FILE.db' "
        "draws it.",
    .exits = "0 all properties held, 1 one failed in some cell, 2 wrong usage, "
             "or a cell was refused, 3 a system error, 130 stopped by Ctrl-C.",
    .examples =
        "fulcrum sweep vitanyi --grid n=10,100,1000 --grid gamma=1,1/2,1/4 "
        "-o v.db\n"
        "fulcrum sweep ricart-agrawala --grid n=4..16 --grid think=1,100 "
        "--entries 50\n"
        "mpirun -n 64 fulcrum sweep chang-roberts --grid n=1000,1000000 -o "
        "c.db",
    .options = {options, cli_words_options},
};
