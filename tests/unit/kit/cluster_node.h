/*
 * cluster_node.h - a node of words, for what asks and tells one: it has the
 * reports that a test gives it, and notes what it is told.
 *
 * For one test alone: it takes the place of cli/cluster/cluster.c, and of what
 * that needs of the command line.
 */
#ifndef CLUSTER_NODE_H
#define CLUSTER_NODE_H

#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cluster/cluster.h"
#include "tests/unit/kit/test.h"

enum { REPORTS = 16, TEXT = 4096 };

static const char *reports[REPORTS]; /* one after the other; the last stays;
                                       * "": nobody answers */
static size_t reports_read;
static int answer;            /* of an order: an exit code */
static uint32_t tries, early; /* orders; before that many it is too early */
static uint32_t looks;        /* until the time is over */
static struct cluster_order told;
static char told_more[LIVE_REASON_MAX], told_name[LIVE_REASON_MAX];
static char complained[TEXT], *printed;
static struct cluster_wishes options; /* that were typed */

const char *cli_speaker;

int cli_complain(int code, const char *format, ...)
{
    size_t used = strlen(complained);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(complained + used, TEXT - used, format, arguments);
    va_end(arguments);
    used = strlen(complained);
    snprintf(complained + used, TEXT - used, "\n");
    return code;
}

int cli_no_memory(const char *what)
{
    return cli_complain(CLI_SYSTEM, "no memory for %s", what);
}

int cli_number(const char *text, const char *what, uint64_t least,
               uint64_t greatest, uint64_t *out)
{
    char *end;

    *out = strtoull(text, &end, 10);
    if (*end || end == text || *out < least || *out > greatest)
        return cli_complain(CLI_USAGE, "%s is no number", what);
    return 0;
}

const struct cli_option cli_place_options[] = {{0}};

int cli_options_read(const struct cli_verb *verb, void *into, int argc,
                     char **argv)
{
    struct cluster_wishes *w = into;

    (void)verb;
    (void)argc;
    (void)argv;
    *w = options;
    optind = 1;
    return CLI_GO_ON;
}

json_t *cluster_report(const struct cluster_wishes *w, const char *field,
                       int *code)
{
    const char *text = reports[reports_read];
    json_t *report;

    (void)w;
    if (!*text) {
        *code = cli_complain(CLI_NO_NODE, "nobody answers");
        return NULL;
    }
    if (reports_read + 1 < REPORTS && reports[reports_read + 1])
        reports_read++;
    report = json_loads(text, 0, NULL);
    assert_non_null(report);
    assert_non_null(json_object_get(report, field));
    return report;
}

bool cluster_file(const struct cluster_wishes *w, struct live_config *config,
                  const char **path)
{
    struct net_why why;

    *path = w->place.config;
    return *path && live_config_load(config, *path, &why);
}

uint64_t cluster_until(const struct cluster_wishes *w)
{
    return w->wait;
}

bool cluster_is_over(uint64_t until)
{
    (void)until;
    return looks-- == 0;
}

void cluster_progress(struct cluster_progress *p, const char *words)
{
    if (strcmp(p->said, words) == 0)
        return;
    snprintf(p->said, sizeof p->said, "%s", words);
    (void)cli_complain(0, "%s", words);
}

int cluster_try(const struct cluster_wishes *w,
                const struct cluster_order *order, struct live_letter *said)
{
    (void)w;
    told = *order;
    tries++;
    snprintf(told_more, sizeof told_more, "%s", order->more);
    snprintf(told_name, sizeof told_name, "%s", order->name ? order->name : "");
    snprintf(said->reason, sizeof said->reason, "so be it");
    said->kind = LIVE_DONE;
    return tries < early ? CLUSTER_EARLY : answer;
}

int cluster_later(const struct cluster_wishes *w, uint64_t until,
                  const struct live_letter *said,
                  struct cluster_progress *progress)
{
    (void)w;
    (void)until;
    (void)said;
    (void)progress;
    return looks-- ? CLI_FINE : CLUSTER_LATE;
}

void cluster_dump(json_t *out)
{
    json_dumpf(out, stdout, JSON_COMPACT);
    json_decref(out);
}

static int begin(void **state)
{
    (void)state;
    memset(reports, 0, sizeof reports);
    memset(&options, 0, sizeof options);
    reports_read = 0;
    answer = CLI_FINE;
    tries = early = 0;
    looks = 100;
    told = (struct cluster_order){.file = 0};
    told_more[0] = '\0';
    return 0;
}

static int end(void **state)
{
    (void)state;
    free(printed);
    printed = NULL;
    return 0;
}

/* Runs a verb with words; its output is in `printed`, its complaints in
 * `complained`. */
static int run(const struct cli_verb *verb, const char *a, const char *b,
               const char *c)
{
    char words[3][64], *argv[] = {words[0], words[0], words[1], words[2], NULL};
    const char *given[] = {a, b, c};
    FILE *before = stdout;
    size_t size;
    int code, argc = 1;

    for (int i = 0; i < 3 && given[i]; i++, argc++)
        snprintf(words[i], sizeof words[i], "%s", given[i]);
    argv[argc] = NULL;
    complained[0] = '\0';
    end(NULL);
    stdout = open_memstream(&printed, &size);
    code = verb->run(argc, argv);
    fclose(stdout);
    stdout = before;
    return code;
}

static void check_in(const char *text, const char *words)
{
    if (!strstr(text, words))
        fail_msg("not said: %s\nbut:\n%s", words, text);
}

#endif
