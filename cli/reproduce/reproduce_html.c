/*
 * reproduce_html.c - the verdicts as a page, with the counterexamples drawn.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/reproduce/reproduce.h"
#include "draw/output.h"

/* A larger picture shows nothing, and makes the page slow. */
enum { DIAGRAM_MAX = 200000, WORDS_MAX = 120 };

/* Runs a command of ours without a word; false: it could not be started. */
static bool run_quietly(char **argv)
{
    posix_spawn_file_actions_t actions;
    pid_t child = 0;
    int status = posix_spawn_file_actions_init(&actions);

    if (status != 0)
        return false;
    for (int fd = 0; fd < 3 && status == 0; fd++)
        status = posix_spawn_file_actions_addopen(&actions, fd, "/dev/null",
                                                  O_RDWR, 0);
    if (status == 0)
        status = posix_spawn(&child, "/proc/self/exe", &actions, NULL, argv,
                             environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    if (status != 0)
        return false;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return true;
}

/* The text of a small file, or NULL. */
static char *read_small(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = file ? malloc(DIAGRAM_MAX + 1) : NULL;
    size_t length = text ? fread(text, 1, DIAGRAM_MAX + 1, file) : 0;

    if (file)
        (void)fclose(file);
    if (length == 0 || length > DIAGRAM_MAX) {
        free(text);
        return NULL;
    }
    text[length] = '\0';
    return text;
}

/* The witness, run once more and drawn; NULL: it is not a run, or too large. */
static char *diagram_of(const struct lab_witness *w, const char *path)
{
    static char svg[] = "--svg";
    char *argv[WORDS_MAX + 3], *words, *file, *text = NULL;
    int count;

    if (!w->command || strncmp(w->command, "fulcrum worst", 13) == 0)
        return NULL;
    words = strdup(w->command);
    file = strdup(path);
    count = words && file ? lab_split(words, argv, WORDS_MAX) : -1;
    if (count > 1) {
        argv[count++] = svg;
        argv[count++] = file;
        argv[count] = NULL;
        if (run_quietly(argv))
            text = read_small(path);
        (void)unlink(path);
    }
    free(words);
    free(file);
    return text;
}

struct lab_reported cli_reproduce_part(const struct lab_ruling *r)
{
    const struct lab_claim *c = r->claim;

    return (struct lab_reported){
        .id = c->id,
        .part = c->part,
        .place = c->place,
        .says = c->says ? c->says : "",
        .argument = c->argument,
        .along = c->stated_count ? c->stated[0].along : NULL,
        .verdict = r->verdict,
        .judgements = r->judgements,
        .count = r->count,
        .told = r->told,
        .repair = r->repair,
        .why = r->why ? r->why : c->undecided,
        .seconds = r->seconds,
    };
}

static void write_page(FILE *file, const struct cli_rulings *r,
                       const struct lab_reported *parts)
{
    char command[128];
    const struct lab_report report = {
        .version = FULCRUM_VERSION,
        .command = command,
        .mode = r->mode,
        .seed = r->wishes->seed,
        .seconds = r->seconds,
        .parts = parts,
        .count = r->count,
    };

    snprintf(command, sizeof command, "fulcrum reproduce%s --seed %" PRIu64,
             r->wishes->quick  ? " --quick"
             : r->wishes->full ? " --full"
                               : "",
             r->wishes->seed);
    lab_report_html(file, &report);
}

/* Parts as they are reported; the caller frees `drawn` afterwards. */
static void fill_in(const struct cli_rulings *r, struct lab_reported *parts,
                    char **drawn, const char *picture)
{
    for (uint32_t i = 0; i < r->count; i++) {
        const struct lab_ruling *of = &r->ruling[i];

        if (of->count)
            drawn[i] = diagram_of(&of->judgements[of->told].witness, picture);
        parts[i] = cli_reproduce_part(of);
        parts[i].diagram = drawn[i];
    }
}

int cli_reproduce_html(const struct cli_rulings *r, const char *directory)
{
    struct lab_reported *parts = calloc(r->count + 1, sizeof *parts);
    char **drawn = calloc(r->count + 1, sizeof *drawn);
    char path[4096], picture[4096];
    struct output_file out = {0};
    struct net_why why;
    FILE *file = NULL;
    int code = 0;

    (void)net_no_memory(&why, "the report");
    snprintf(path, sizeof path, "%s/report.html", directory);
    snprintf(picture, sizeof picture, "%s/witness.%ld.svg", directory,
             (long)getpid());
    if (parts && drawn) {
        fill_in(r, parts, drawn, picture);
        file = output_open(&out, path, &why);
    }
    if (file)
        write_page(file, r, parts);
    if (!file || !output_commit(&out, &why))
        code = cli_refused(&why);
    for (uint32_t i = 0; drawn && i < r->count; i++)
        free(drawn[i]);
    free(drawn);
    free(parts);
    return code;
}
