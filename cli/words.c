/*
 * words.c - see words.h.
 */
#include "cli/words.h"

#include <stddef.h>
#include <string.h>

#include "cli/cli.h"

struct word {
    const char *option;
    size_t offset; /* of a const char * in struct cli_words */
};

#define AT(field) offsetof(struct cli_words, field)

/* In the order in which a command is written. */
static const struct word words[] = {
    {"nodes", AT(nodes)},
    {"names", AT(names)},
    {"topology", AT(topology)},
    {"time", AT(time)},
    {"bounds", AT(bounds)},
    {"clock", AT(clock)},
    {"links", AT(links)},
    {"wake", AT(wake)},
    {"competitors", AT(competitors)},
    {"entries", AT(entries)},
    {"section", AT(section)},
    {"think", AT(think)},
    {"burst", AT(burst)},
    {"shared", AT(shared)},
    {"until", AT(until)},
    {"faults", AT(faults_file)},
};
enum { WORDS = sizeof words / sizeof words[0] };

/* Those that may be repeated. */
enum { OPTION_SET = CLI_WORD_FIRST + WORDS, OPTION_FAULT };

void cli_words_options(const struct option *own,
                       struct option all[CLI_OPTIONS_MAX])
{
    size_t count = 0;

    for (; own[count].name; count++)
        all[count] = own[count];
    for (int i = 0; i < WORDS; i++)
        all[count++] = (struct option){words[i].option, required_argument, NULL,
                                       CLI_WORD_FIRST + i};
    all[count++] = (struct option){"set", required_argument, NULL, OPTION_SET};
    all[count++] =
        (struct option){"fault", required_argument, NULL, OPTION_FAULT};
    all[count] = (struct option){NULL, 0, NULL, 0};
}

static int repeat(const char **list, uint32_t *count, const char *argument,
                  const char *advice, const char *verb)
{
    if (*count == CLI_SETTINGS_MAX)
        return cli_complain(CLI_USAGE, verb, "%s", advice);
    list[(*count)++] = argument;
    return 0;
}

int cli_words_take(struct cli_words *w, int option, const char *argument,
                   const char *verb)
{
    if (option == 'n')
        option = CLI_WORD_FIRST;
    if (option == OPTION_SET)
        return repeat(w->settings, &w->settings_count, argument,
                      "--set at most 16 times", verb);
    if (option == OPTION_FAULT)
        return repeat(w->faults, &w->faults_count, argument,
                      "--fault at most 16 times; use --faults FILE", verb);
    if (option < CLI_WORD_FIRST || option >= CLI_WORD_FIRST + WORDS)
        return CLI_USAGE; /* getopt has complained */
    memcpy((char *)w + words[option - CLI_WORD_FIRST].offset, &argument,
           sizeof argument);
    return 0;
}
_Static_assert(CLI_SETTINGS_MAX == 16, "as the complaints say");

void cli_words_help(void)
{
    printf(
        "network\n"
        "  -n, --nodes N      how many processors, 2 to 1000000000\n"
        "  --names HOW        asc, desc or random, each with :FIRST for the\n"
        "                     least name, a list clockwise: 3,1,2, or a file\n"
        "                     of names [random]\n"
        "  --topology TREE    path, star, binary, random or a file with the\n"
        "                     parent of each node [random]\n"
        "  --wake WHO         all, first, random, random:K, or NAME@TICK,...\n"
        "                     [all]\n"
        "  --links ORDER      fifo, or any: messages may overtake [fifo]\n"
        "work (mutual exclusion)\n"
        "  --entries E        how often each site enters [10]\n"
        "  --section STEPS    how long it stays inside: 15, uniform:1:10 or\n"
        "                     exp:200, in own steps [1]\n"
        "  --think STEPS      how long before it wants to enter again [1]\n"
        "  --burst B          local clients that come together [1]\n"
        "  --competitors S    only S sites, drawn, take part [all]\n"
        "  --shared P         the chance that a request is a reader's [0]\n"
        "time\n"
        "  --time MODEL       sync, archimedean or async [sync]\n"
        "  --bounds RMIN:RMAX:DMIN:DMAX\n"
        "                     ticks of a step and of a delay [2:3:1:4]\n"
        "  --clock HOW        fixed, drift, adversary, or steps:LIST for the\n"
        "                     ticks of each node's step, within the bounds\n"
        "                     if some are given [fixed]\n"
        "  --until TICKS      stop there at the latest\n"
        "faults\n"
        "  --fault WHAT       crash NAME@TICK, restart NAME@TICK,\n"
        "                     restart-blank NAME@TICK, pause NAME@TICK:TICKS,\n"
        "                     cut NAME,...@FROM:TO, loss P, duplicate P,\n"
        "                     reorder P, late P:TICKS, crashes COUNT,\n"
        "                     crashes-blank COUNT; may be repeated\n"
        "  --faults FILE      the same, one a line\n");
}

void cli_words_write(const struct cli_words *w, char *buffer, size_t size)
{
    size_t used = strlen(buffer);

    for (int i = 0; i < WORDS && used < size; i++) {
        const char *value;

        memcpy(&value, (const char *)w + words[i].offset, sizeof value);
        if (value)
            used += (size_t)snprintf(buffer + used, size - used, " %s%s %s",
                                     i ? "--" : "-", i ? words[i].option : "n",
                                     value);
    }
    for (uint32_t i = 0; i < w->settings_count && used < size; i++)
        used += (size_t)snprintf(buffer + used, size - used, " --set %s",
                                 w->settings[i]);
    for (uint32_t i = 0; i < w->faults_count && used < size; i++)
        used += (size_t)snprintf(buffer + used, size - used, " --fault '%s'",
                                 w->faults[i]);
}
