/*
 * replay.c - fulcrum sim --replay FILE: every event of a trace once more.
 */
#include "cli/replay.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/setup/setup.h"
#include "trace/read.h"
#include "trace/replay.h"

/* The head of a trace, as words of a command line. */
struct head {
    struct cli_words words;
    char value[10][512]; /* protocol, nodes, names and so on */
    char clock[512];     /* from the lengths of steps */
    char *set;
};

enum {
    PROTOCOL,
    NODES,
    NAMES,
    TIME,
    BOUNDS,
    SET,
    COMMAND,
    TOPOLOGY,
    STEPS,
    RETURNS,
};

static void take_line(struct head *h, const char *line, size_t length)
{
    static const char *const keys[] = {
        "protocol ", "nodes ",   "names ",    "time ",  "bounds ",
        "set ",      "command ", "topology ", "steps ", "returns "};

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        size_t key = strlen(keys[i]);

        if (length > key && strncmp(line, keys[i], key) == 0)
            snprintf(h->value[i], sizeof h->value[i], "%.*s",
                     (int)(length - key), line + key);
    }
}

/* The tree of a run stands only in its command. */
static const char *tree_of(struct head *h)
{
    char *at = strstr(h->value[COMMAND], "--topology ");

    if (!at)
        return strstr(h->value[COMMAND], "fulcrum check") ? "path" : "random";
    at += strlen("--topology ");
    at[strcspn(at, " ")] = '\0';
    return at;
}

/* The lengths of steps, without phases, as --clock takes them. */
static const char *clock_of(struct head *h)
{
    const char *from = h->value[STEPS];
    size_t used = (size_t)snprintf(h->clock, sizeof h->clock, "steps:");

    if (!*from)
        return NULL; /* they change */
    for (bool length = true; *from && used + 1 < sizeof h->clock; from++) {
        length = *from == ',' || (length && *from != '+');
        if (length)
            h->clock[used++] = *from;
    }
    h->clock[used] = '\0';
    return h->clock;
}

static void make_words(struct head *h)
{
    struct cli_words *w = &h->words;
    char *rest = h->value[SET], *word;
    bool ring = strncmp(h->value[TOPOLOGY], "ring", 4) == 0;
    bool tree = strcmp(h->value[TOPOLOGY], "tree") == 0;

    w->protocol = h->value[PROTOCOL];
    w->nodes = h->value[NODES];
    w->returns = strcmp(h->value[RETURNS], "yes") == 0;
    if (h->value[NAMES][0] && (ring || tree))
        w->names = h->value[NAMES];
    w->time = h->value[TIME];
    if (strcmp(w->time, "archimedean") == 0) {
        w->bounds = h->value[BOUNDS];
        w->clock = clock_of(h);
    }
    if (tree)
        w->topology = tree_of(h);
    while ((word = strsep(&rest, " ")))
        if (*word && w->settings_count < CLI_SETTINGS_MAX)
            w->settings[w->settings_count++] = word;
}

/* Finds the line "----", and what stands before it; NULL if there is none. */
static const char *read_head(struct head *h, const char *text, uint32_t *line)
{
    *line = 1;
    for (; *text; ++*line) {
        size_t length = strcspn(text, "\n");

        if (length == 4 && strncmp(text, "----", 4) == 0)
            return text;
        take_line(h, text, length);
        text += length + (text[length] == '\n');
    }
    return NULL;
}

static int load(const char *path, char **text, const char *verb)
{
    FILE *file = fopen(path, "r");
    struct trace trace;
    char error[512];
    size_t size = 0;
    FILE *to;
    int c;

    if (!file)
        return cli_complain(CLI_SYSTEM, verb, "cannot read %s: %s", path,
                            strerror(errno));
    to = open_memstream(text, &size);
    while (to && (c = fgetc(file)) != EOF)
        fputc(c, to);
    fclose(file);
    if (!to || fclose(to) != 0)
        return cli_complain(CLI_SYSTEM, verb, "no memory for %s", path);
    /* Whether it is whole, and a trace at all, the reader of pictures knows. */
    if (trace_parse(&trace, path, *text, size, error, sizeof error) < 0)
        return cli_complain(CLI_USAGE, verb, "%s", error);
    trace_free(&trace);
    return 0;
}

static int say(enum trace_replayed how, struct trace_replay *r,
               const char *path, const struct fc_problem *problem,
               const char *verb)
{
    int code = CLI_FINE;

    switch (how) {
    case TRACE_REPLAY_SAME:
        printf("%s: %" PRIu32 " events, each as written\n", path, r->events);
        for (uint32_t i = 0; i < problem->properties_count; i++)
            if (r->broken >> i & 1) {
                printf("%s violated: %s, line %" PRIu32 "\n", cli_cross(),
                       problem->properties[i], r->broken_at);
                code = CLI_VIOLATED;
            }
        break;
    case TRACE_REPLAY_DIFFERS:
        printf("%s, line %" PRIu32 ": it goes another way\n  then: %s\n"
               "  now:  %s\n",
               path, r->line, r->then, r->now);
        code = CLI_VIOLATED;
        break;
    case TRACE_REPLAY_UNREADABLE:
        return cli_complain(CLI_USAGE, verb, "%s, line %" PRIu32 ": %s", path,
                            r->line, r->what);
    case TRACE_REPLAY_NO_MEMORY:
        return cli_complain(CLI_SYSTEM, verb, "no memory");
    }
    free(r->then);
    free(r->now);
    return cli_flush(verb, code);
}

static int replay(const char *path, const char *text, struct head *h,
                  const char *verb)
{
    struct cli_setup setup;
    struct trace_replay result;
    const struct net_type *type;
    uint32_t line;
    const char *body = read_head(h, text, &line);
    int code;

    if (!body)
        return cli_complain(CLI_USAGE, verb, "%s: it has no body", path);
    make_words(h);
    code = cli_setup_begin(&setup, &h->words, verb);
    if (!code) {
        type = net_find(setup.sim.net.protocol);
        if (setup.sim.net.world.nodes > type->nodes_max)
            code = cli_complain(CLI_USAGE, verb,
                                "%s: only runs of at most %" PRIu32
                                " nodes are replayed",
                                path, type->nodes_max);
        else if (type->clocked && setup.sim.net.time == NET_ARCHIMEDEAN &&
                 !h->words.clock)
            code = cli_complain(CLI_USAGE, verb,
                                "%s: its nodes read clocks, and how fast those "
                                "were does not stand there",
                                path);
        else
            code = say(trace_replay(&setup.sim.net, body, line, &result),
                       &result, path, setup.sim.net.protocol->problem, verb);
    }
    cli_setup_free(&setup);
    return code;
}

int cli_replay(const char *path, const char *verb)
{
    struct head *h = calloc(1, sizeof *h);
    char *text = NULL;
    int code = h ? load(path, &text, verb)
                 : cli_complain(CLI_SYSTEM, verb, "no memory");

    if (!code && text)
        code = replay(path, text, h, verb);
    free(text);
    free(h);
    return code;
}
