/*
 * setup_faults.c - what shall go wrong (see setup.h): --fault WHAT, repeated,
 * or --faults FILE with one WHAT a line.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/setup/setup.h"
#include "net/fault_words.h"
#include "net/outside.h"

static int load(struct cli_setup *s, const char *path)
{
    struct net_why why = {0};
    size_t size;
    char *line, *rest;
    char *text = strcmp(path, "-") == 0
                     ? outside_text_from(stdin, OUTSIDE_HAND_MAX, NULL, NULL,
                                         &size, &why)
                     : outside_text(path, OUTSIDE_HAND_MAX, &size, &why);
    uint32_t number = 0;
    int code = 0;

    if (!text)
        return cli_fail("cannot read the faults %s: %s", path, why.text);
    rest = text;
    while (!code && (line = strsep(&rest, "\n"))) {
        number++;
        line[strcspn(line, "\r")] = '\0';
        if (line[0] && line[0] != '#' &&
            !net_read_fault(&s->made, &s->sim.faults, line, &why))
            code = cli_complain(why.system ? CLI_SYSTEM : CLI_USAGE,
                                "%s, line %" PRIu32 ": '%s': %s", path, number,
                                line, why.text);
    }
    free(text);
    return code;
}

int cli_set_faults(struct cli_setup *s, const struct cli_words *w)
{
    struct net_why why = {0};
    int code;

    for (uint32_t i = 0; i < w->faults_count; i++)
        if (!net_read_fault(&s->made, &s->sim.faults, w->faults[i], &why))
            return cli_complain(why.system ? CLI_SYSTEM : CLI_USAGE,
                                "--fault '%s': %s", w->faults[i], why.text);
    code = w->faults_file ? load(s, w->faults_file) : 0;
    if (s->sim.faults.count)
        net_sort_faults(&s->made, &s->sim.faults);
    return code;
}

void cli_print_faults(const struct cli_words *w)
{
    struct paragraph p;

    if (!w->faults_count && !w->faults_file)
        return;
    p = paragraph_begin(0, 2);
    paragraph_say(&p, "faults:");
    for (uint32_t i = 0; i < w->faults_count; i++)
        paragraph_say(&p, " %s%s", w->faults[i],
                      i + 1 < w->faults_count || w->faults_file ? "," : "");
    if (w->faults_file)
        paragraph_say(&p, " those of %s", w->faults_file);
    paragraph_end(&p);
}
