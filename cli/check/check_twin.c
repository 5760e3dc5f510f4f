/*
 * check_twin.c - fulcrum check --twin: whether a node can tell two networks
 * apart (see check.h, docs/check.md).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/check/check.h"
#include "cli/cli.h"
#include "cli/picture.h"
#include "cli/progress.h"
#include "lab/claim/words.h"

static const char property[] = CLI_TOLD_APART;

enum { WORDS_MAX = 256 };

/* The other network, and what came out. */
struct pair {
    const struct cli_check *here;
    struct cli_check *there;
    struct check_twin_setup setup;
    struct check_twin found;
    char *words;       /* of its command */
    const char *comes; /* what the node does when it has the role */
};

/* ---- The other network --------------------------------------------------- */

static int find_role(struct pair *p)
{
    const struct fc_problem *problem = p->here->check.net.protocol->problem;

    p->setup.role = problem->relies;
    p->comes = problem->comes;
    if (problem->relies)
        return 0;
    return cli_refuse("--twin is for elections and mutual exclusion: of %s it "
                      "is not known when a node relies on what it has seen",
                      p->here->words.net.protocol);
}

static int refuse_mixture(const struct cli_check *c)
{
    if (c->worst || c->expect || c->wanted_count)
        return cli_refuse("--twin compares what a node sees: leave out "
                          "--worst, --expect, --max and --min");
    if (c->all_names)
        return cli_refuse("--twin is for one placement of names at a time");
    if (c->check.reduce || c->check.symmetry)
        return cli_refuse("--twin needs all states as they are: leave out "
                          "--reduce and --symmetry");
    return 0;
}

/* The words of the command that was typed, with the words of --twin in the
 * place of the option; returns their number, or -1. */
static int split(struct pair *p, char **words)
{
    const char *twin = p->here->twin;
    size_t size = strlen(p->here->command) + 1;
    int count, more, at = 0;

    p->words = malloc(size + strlen(twin) + 1);
    if (!p->words || strchr(twin, '\''))
        return -1;
    memcpy(p->words, p->here->command, size);
    memcpy(p->words + size, twin, strlen(twin) + 1);
    count = lab_split(p->words, words, WORDS_MAX);
    while (at < count && strcmp(words[at], "--twin") != 0)
        at++;
    if (at + 1 >= count)
        return -1;
    count -= 2;
    memmove(words + at, words + at + 2, (size_t)(count - at) * sizeof *words);
    more = lab_split(p->words + size, words + count,
                     (uint32_t)(WORDS_MAX - count));
    words[count + (more > 0 ? more : 0)] = NULL;
    return more < 0 ? -1 : count + more;
}

static int read_other(struct pair *p)
{
    char *words[WORDS_MAX + 1];
    struct cli_check *c = p->there;
    int count = split(p, words), code;

    if (!p->words)
        return cli_no_memory("the options of --twin");
    if (count < 0)
        return cli_refuse("--twin %s: it is too long, a quote is open, or it "
                          "has single quotes",
                          p->here->twin);
    code = cli_check_read(c, count - 1, words + 1);
    if (code > 0)
        return code;
    if (code != CLI_GO_ON || c->json || c->trace || c->svg)
        return cli_refuse("--twin %s: only options of the network may differ",
                          p->here->twin);
    c->twin = p->here->twin; /* --only may name what it is about */
    code = cli_check_prepare(c);
    c->twin = NULL;
    if (!code)
        code = refuse_mixture(c);
    return code ? code : cli_check_is_given(c);
}

static int open_both(struct pair *p)
{
    const struct check_setup *setups[] = {&p->here->check, &p->there->check};
    const char *why = NULL;

    for (int i = 0; i < 2; i++) {
        p->setup.network[i] = check_browse_open(setups[i], &why);
        if (!p->setup.network[i])
            return cli_fail("--twin: %s", why);
    }
    p->setup.states_max = p->here->check.states_max;
    p->setup.memory_max = p->here->check.memory_max;
    p->setup.stop = cli_catch_interrupt();
    return 0;
}

/* ---- Reporting ----------------------------------------------------------- */

static enum check_verdict verdict_of(const struct check_twin *t)
{
    return t->limit   ? CHECK_INCOMPLETE
           : t->apart ? CHECK_HOLDS
                      : CHECK_VIOLATED;
}

static bool is_timed(const struct pair *p)
{
    return p->here->check.net.time != NET_ASYNC;
}

/* What the node sees, by its own steps: a line for each event. */
static char *tell(const struct pair *p)
{
    const struct check_twin_run *r = &p->found.run[0];
    struct lab_text text = {0};
    uint32_t steps = 0;

    lab_say(&text, "%s", "");
    for (uint32_t i = 0; i < r->moves_count; i++) {
        char label[CHECK_LABEL_SIZE] = "";

        steps += r->sights[i] == CHECK_SEES_STEP;
        if (r->sights[i] != CHECK_SEES_EVENT)
            continue;
        (void)check_browse_label(p->setup.network[0], r->states[i], r->moves[i],
                                 label, sizeof label);
        if (is_timed(p))
            lab_say(&text, "%6" PRIu32, steps);
        lab_say(&text, "  %s\n", label);
    }
    return text.text;
}

static json_t *lines_of(char *story)
{
    json_t *list = json_array();
    char *line;

    while (story && (line = strsep(&story, "\n")))
        if (*line)
            json_array_append_new(list, json_string(line + strspn(line, " ")));
    return list;
}

static void report_json(const struct pair *p, char *story)
{
    const struct check_twin *f = &p->found;
    enum check_verdict verdict = verdict_of(f);
    const struct cli_check *here = p->here, *there = p->there;
    json_t *json = json_pack(
        "{s:s, s:s, s:s*, s:i, s:o, s:o, s:i, s:b, s:s*, s:s}", "protocol",
        here->words.net.protocol, "verdict", cli_check_verdict(verdict),
        "property", verdict == CHECK_VIOLATED ? property : NULL, "nodes",
        (int)here->check.net.world.nodes, "states",
        cli_json_number(f->states[0] + f->states[1]), "histories",
        cli_json_number(f->histories), "seen", (int)f->seen, "reached",
        f->reached, "limit",
        f->limit ? cli_check_limit(f->limit, f->refusal) : NULL, "command",
        here->command);

    json_object_set_new(json, "letters", cli_json_letters(&here->check.net));
    json_object_set_new(json, "twin",
                        json_pack("{s:s, s:i, s:o}", "options", here->twin,
                                  "nodes", (int)there->check.net.world.nodes,
                                  "states", cli_json_number(f->states[1])));
    if (verdict == CHECK_VIOLATED)
        json_object_set_new(json, "history", lines_of(story));
    cli_json_print(json, 0);
}

static void report_table(const struct pair *p, char *story)
{
    const struct check_twin *f = &p->found;
    char number[32];

    cli_check_describe(p->here);
    printf("beside: %s\n\n", p->here->twin);
    for (int i = 0; i < 2; i++)
        printf("  %-12s %14s\n", i ? "and there" : "states",
               cli_grouped(f->states[i], number, sizeof number));
    printf("  %-12s %14s  that both allow\n\n", "histories",
           cli_grouped(f->histories, number, sizeof number));
    switch (verdict_of(f)) {
    case CHECK_HOLDS:
        printf("%s holds: %s\n  no history by which the first node %s is "
               "possible in "
               "both\n",
               cli_tick(), property, p->comes);
        if (!f->reached)
            printf("  warning: here it never %s, so this result is vacuous\n",
                   p->comes);
        break;
    case CHECK_VIOLATED:
        printf("%s violated: %s\n  the first node %s in both by the same "
               "history%s:\n\n",
               cli_cross(), property, p->comes,
               is_timed(p) ? "; by its own steps" : "");
        cli_check_print(story);
        printf("\n");
        break;
    case CHECK_INCOMPLETE:
        printf("? incomplete: %s\n", cli_check_limit(f->limit, f->refusal));
    }
    printf("again: %s%s\n", p->here->command,
           verdict_of(f) == CHECK_VIOLATED && !p->here->trace
               ? " --trace run.trace"
               : "");
}

/* A run to a file, and its diagram. */
static int write_run(const struct pair *p, uint32_t which, const char *trace,
                     const char *svg)
{
    const struct cli_check *c = which ? p->there : p->here;
    const struct check_twin_run *r = &p->found.run[which];
    const struct check_run_by_hand run = {r->first, r->moves, r->moves_count};
    struct cli_picture picture;
    int code = cli_picture_begin(&picture, trace, svg, c->made.set, c->command);

    if (code)
        return code;
    if (check_browse_trace(p->setup.network[which], &run, picture.trace))
        return cli_picture_end(&picture);
    cli_picture_abort(&picture);
    return cli_fail("%s", check_browse_why(p->setup.network[which]));
}

/* FILE and FILE.twin. */
static int write_files(const struct pair *p)
{
    char names[2][4096];
    const char *given[] = {p->here->trace, p->here->svg};
    int code;

    if (verdict_of(&p->found) != CHECK_VIOLATED || (!given[0] && !given[1]))
        return 0;
    for (int i = 0; i < 2; i++)
        snprintf(names[i], sizeof names[i], "%s.twin",
                 given[i] ? given[i] : "");
    code = write_run(p, 0, given[0], given[1]);
    return code ? code
                : write_run(p, 1, given[0] ? names[0] : NULL,
                            given[1] ? names[1] : NULL);
}

static int compare(struct pair *p)
{
    enum check_verdict verdict;
    char *story;
    int code = open_both(p);

    if (code)
        return code;
    check_twin(&p->setup, &p->found);
    verdict = verdict_of(&p->found);
    code = write_files(p);
    if (code)
        return code;
    story = verdict == CHECK_VIOLATED ? tell(p) : NULL;
    if (p->here->json)
        report_json(p, story);
    else
        report_table(p, story);
    free(story);
    return verdict == CHECK_VIOLATED         ? CLI_VIOLATED
           : verdict == CHECK_HOLDS          ? CLI_FINE
           : p->found.limit == CHECK_STOPPED ? CLI_INTERRUPTED
                                             : CLI_SYSTEM;
}

int cli_check_twin(struct cli_check *c)
{
    struct pair p = {.here = c, .there = calloc(1, sizeof *p.there)};
    int code;

    if (!p.there)
        return cli_no_memory("a second network");
    code = refuse_mixture(c);
    if (!code)
        code = find_role(&p);
    if (!code) {
        code = read_other(&p);
        if (!code)
            code = compare(&p);
        net_unmake(&p.there->made);
    }
    check_twin_free(&p.found);
    for (int i = 0; i < 2; i++)
        if (p.setup.network[i])
            check_browse_close(p.setup.network[i]);
    free(p.words);
    free(p.there);
    return code;
}
