/*
 * grade.c - fulcrum grade: marks for what was handed in.
 */
#include "cli/grade/grade.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WISHES struct grade_wishes

static const struct cli_option options[] = {
    {.group = "exercises"},
    {"exercise", 'e', "KEY",
     "which it is, by key or number [what the hand-in says]", AT(exercise)},
    {"exercises", 0, "PATH",
     "a file NAME.exercise, or a folder of them [those that come with fulcrum]",
     AT(exercises), "@files"},
    {"student", 0, "ID",
     "whose it is: names, numbers and seeds vary with it [what the hand-in "
     "says]",
     AT(student)},
    {"term", 0, "WORD",
     "another word, other tasks for the same students: keep it, it is needed "
     "to grade",
     AT(term)},
    {"tasks", 0, NULL, "print the tasks of a student instead", AT(tasks)},
    {"answers", 0, NULL,
     "print right answers instead, for teachers; to be handed in as they are",
     AT(answers)},
#ifndef FULCRUM_WEB
    {"solutions", 0, "DIR",
     "where these are kept [solutions, beside exercises]", AT(solutions),
     "@files"},
    {.group = "limits"},
    {"jobs", 'j', "J", "hand-ins at once [all cores]", NUMBER(jobs, 1, 64)},
    {"seconds", 0, "S",
     "of the processor for each command, and three times that for a hand-in "
     "[as "
     "the exercise says, or 60]",
     NUMBER(limits.seconds, 1, 3600)},
    {"memory", 0, "MIB", "for each process of a hand-in [2048]",
     NUMBER(limits.memory, 64, 1000000)},
    {"kit", 0, "DIR",
     "what protocols in C are built with [grade-kit, beside this program: "
     "'make "
     "grade-kit']",
     AT(limits.kit), "@files"},
    {"trust", 0, NULL,
     "run C that was handed in although there is no sandbox (bubblewrap)",
     AT(limits.trust)},
    {.group = "output"},
    {"tap", 0, NULL, "a line for each rule, as test tools read it", AT(tap)},
    {"junit", 0, NULL, "as XML, as continuous integration reads it", AT(junit)},
    {"gradescope", 0, "DIR",
     "grade DIR/submission into DIR/results/results.json; DIR is /autograder "
     "there",
     AT(gradescope), "@files"},
#endif
    {"json", 0, NULL, "for programs", AT(json)},
    {"page", 0, NULL, "", AT(page)},
    {0},
};

#ifndef FULCRUM_WEB
/* ---- What comes with fulcrum --------------------------------------------- */

static bool is_there(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0;
}

/* Beside the program in the tree it was built in, or where both were
 * installed; NULL if neither is there. */
static char *find(const char *in_tree, const char *installed)
{
    char program[CLI_PROGRAM_SIZE], path[CLI_PROGRAM_SIZE + 64];
    const char *const places[] = {in_tree, installed};
    char *slash;

    if (cli_find_program(program))
        return NULL;
    slash = strrchr(program, '/');
    if (slash)
        *slash = '\0';
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", program, places[i]);
        if (is_there(path))
            return realpath(path, NULL);
    }
    return NULL;
}

static int open_program(struct grade_limits *l)
{
    char program[CLI_PROGRAM_SIZE];
    int code = cli_find_program(program);

    if (code)
        return code;
    l->program = open(program, O_RDONLY | O_CLOEXEC);
    return l->program < 0
               ? cli_fail("cannot read %s: %s", program, strerror(errno))
               : 0;
}

/* The folder of solutions, where --solutions does not say it. */
static char *beside(const char *exercises)
{
    size_t length = strlen(exercises);
    char *path = NULL;

    if (length > 9 && strcmp(exercises + length - 9, ".exercise") == 0) {
        const char *slash = strrchr(exercises, '/');

        length = slash ? (size_t)(slash - exercises) : 0;
    }
    if (asprintf(&path, "%.*s%ssolutions", (int)length, exercises,
                 length ? "/" : "") < 0)
        return NULL;
    return path;
}

/* ---- Grading ------------------------------------------------------------- */

static int report(const struct grade_work *w)
{
    const struct grade_wishes *wishes = w->wishes;

    return wishes->json    ? grade_report_json(w)
           : wishes->tap   ? grade_report_tap(w)
           : wishes->junit ? grade_report_junit(w)
                           : grade_report_table(w);
}

static int grade_files(struct grade_work *w, char **paths, int count)
{
    int code = 0;

    if (w->wishes->gradescope)
        return grade_gradescope(w, w->wishes->gradescope);
    if (count == 0)
        return cli_refuse("name the files or folders to be graded; 'fulcrum "
                          "grade --tasks' prints what is asked");
    for (int i = 0; i < count && !code; i++)
        code = grade_collect(w, paths[i]);
    if (!code)
        code = grade_all(w);
    return code ? code : report(w);
}

static int with_places(struct grade_work *w, struct grade_wishes *wishes,
                       char **paths, int count)
{
    char *set = wishes->exercises
                    ? strdup(wishes->exercises)
                    : find("../docs/exercises", "../../share/doc/fulcrum/docs/"
                                                "exercises");
    char *kit = wishes->limits.kit ? realpath(wishes->limits.kit, NULL)
                                   : find("grade-kit", "grade-kit");
    char *solutions = set && !wishes->solutions ? beside(set) : NULL;
    struct net_why why = {0};
    int code = open_program(&wishes->limits);

    wishes->limits.kit = kit;
    if (solutions)
        wishes->solutions = solutions;
    if (!code && !set)
        code = cli_fail("there are no exercises beside this program; say "
                        "--exercises PATH");
    if (!code && !grade_set_read(&w->set, set, &why))
        code = cli_refused(&why);
    if (!code && wishes->exercise && !grade_set_find(&w->set, wishes->exercise))
        code = cli_refuse("there is no exercise '%s' in %s", wishes->exercise,
                          set);
    if (!code && wishes->page)
        code = count == 1 ? grade_for_page(w, paths[0])
                          : cli_refuse("--page takes one file");
    else if (!code)
        code = wishes->tasks || wishes->answers ? grade_sheet(w)
                                                : grade_files(w, paths, count);
    free(set);
    free(kit);
    free(solutions);
    return code;
}
#else
/* A page has its exercise in a file, and no others. */
static int with_places(struct grade_work *w, struct grade_wishes *wishes,
                       char **paths, int count)
{
    struct net_why why = {0};
    json_t *task;

    if (!wishes->exercises || !grade_set_read(&w->set, wishes->exercises, &why))
        return why.text[0] ? cli_refused(&why) : cli_refuse("no exercise");
    if (!wishes->tasks)
        return count == 1 ? grade_for_page(w, paths[0]) : cli_refuse("no file");
    task =
        grade_task_json(w->set.one[0], wishes->student ? wishes->student : "",
                        wishes->term, &why);
    if (!task)
        return cli_refused(&why);
    (void)json_dumpf(task, stdout, JSON_COMPACT);
    json_decref(task);
    return CLI_FINE;
}
#endif

static int run_grade(int argc, char **argv)
{
    struct grade_wishes wishes = {.limits = {.memory = 2048, .program = -1}};
    struct grade_work w = {.wishes = &wishes};
    int code = cli_options_read(&cli_grade, &wishes, argc, argv);

    if (code != CLI_GO_ON)
        return code;
    w.student = wishes.student;
    code = with_places(&w, &wishes, argv + optind, argc - optind);
    grade_collected_free(&w);
    return code;
}

const struct cli_verb cli_grade = {
    .name = "grade",
    .summary = "mark exercises that were handed in",
    .run = run_grade,
    .usage = "[OPTIONS] FILE|DIR...\n--tasks|--answers [OPTIONS]",
    .about =
        "Marks answers to exercises: files that the page exports, texts with "
        "lines KEY = VALUE, and protocols in C. Nothing in them is believed: "
        "every answer is run. Each is judged in a folder and in namespaces of "
        "its own, or as a user of its own, with limits of time, memory, "
        "processes and files; C only in a sandbox. All cores are used, and the "
        "marks do not depend on the order.",
    .exits = "0 all are solved, 1 some are not, 2 wrong usage, 3 a system "
             "error, 130 stopped by Ctrl-C.",
    .examples = "fulcrum grade hand-ins/\n"
                "fulcrum grade --tasks --exercise 2 --student ada\n"
                "fulcrum grade --exercises mine.exercise --json answer.txt",
    .options = {options},
    .reports = true,
    .operands = {"@files"},
};
