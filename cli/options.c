/*
 * options.c - see options.h.
 */
#include "cli/options.h"

#include <assert.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/paragraph.h"
#include "cli/setup/setup.h"
#include "net/fault_words.h"
#include "net/word.h"

static const struct cli_option help_option = {
    .name = "help", .letter = 'h', .help = "print this and exit"};

static const struct cli_option output_option = {
    .name = "output",
    .letter = 'o',
    .argument = "FILE",
    .help = "write the result there; - is the standard output [-]",
    .values = "@files"};

/* Code of a row for getopt, beyond all letters. */
enum { FIRST_CODE = 256 };

/* ---- The table ----------------------------------------------------------- */

static bool is_known(const struct cli_table *t, const char *name)
{
    for (uint32_t i = 0; i < t->count; i++)
        if (t->rows[i].name && strcmp(t->rows[i].name, name) == 0)
            return true;
    return false;
}

/* A row, completed by the row of the same name in cli_words_options. */
static struct cli_option whole(const struct cli_option *row)
{
    const struct cli_option *like = cli_words_options;
    struct cli_option o = *row;

    if (!row->like || !row->name)
        return o;
    while (!like->name || strcmp(like->name, row->name) != 0)
        like++;
    o = *like;
    o.once = row->once;
    o.help = row->help ? row->help : like->help;
    return o;
}

void cli_options_collect(const struct cli_verb *verb, struct cli_table *t)
{
    t->count = 0;
    for (int i = 0; i < 3 && verb->options[i]; i++) {
        const char *group = NULL;

        for (const struct cli_option *row = verb->options[i];
             row->name || row->letter || row->group; row++) {
            if (row->group)
                group = row->group;
            if (row->group || (row->name && is_known(t, row->name)) ||
                t->count == CLI_OPTIONS_MAX - 2)
                continue;
            t->groups[t->count] = group;
            t->rows[t->count++] = whole(row);
        }
    }
    if (verb->reports) {
        t->groups[t->count] = "output";
        t->rows[t->count++] = output_option;
    }
    t->groups[t->count] = NULL;
    t->rows[t->count++] = help_option;
}

/* ---- Reading ------------------------------------------------------------- */

/* The option most like a word, or NULL if none is like it. */
static const char *find_near(const struct cli_table *t, const char *word)
{
    uint32_t least = UINT32_MAX;
    const char *near = NULL;

    for (uint32_t i = 0; i < t->count; i++) {
        const struct cli_option *row = &t->rows[i];

        if (row->name && *row->help && net_is_nearer(word, row->name, &least))
            near = row->name;
    }
    return near;
}

/* How a fault that is typed as an option is said with --fault; or NULL. */
static const char *find_fault(const struct cli_table *t, const char *word)
{
    bool search = is_known(t, "crashes");

    for (int i = 0; is_known(t, "fault") && i < NET_FAULT_WORDS; i++) {
        const struct net_fault_form *f = &net_fault_forms[i];
        size_t length = strcspn(f->run, " ");

        if (strncmp(word, f->run, length) == 0 &&
            (!word[length] || strcmp(word + length, "s") == 0) &&
            (!search || *f->search))
            return search ? f->search : f->example;
    }
    return NULL;
}

/* What --help is asked of. */
static const char *called(const struct cli_verb *verb)
{
    return verb->asked ? verb->asked : verb->name;
}

static int complain_of_word(const struct cli_verb *verb,
                            const struct cli_table *t, const char *word)
{
    char name[64], could[512] = "";
    const char *near;
    uint32_t count = 0;
    size_t length;

    snprintf(name, sizeof name, "%s", word + strspn(word, "-"));
    name[strcspn(name, "=")] = '\0';
    length = strlen(name);
    for (uint32_t i = 0; i < t->count && length; i++)
        if (t->rows[i].name && *t->rows[i].help &&
            strncmp(t->rows[i].name, name, length) == 0)
            cli_append(could, sizeof could, "%s--%s", count++ ? ", " : "",
                       t->rows[i].name);
    if (count > 1)
        return cli_refuse("--%s may be any of %s; write more of it", name,
                          could);
    near = find_fault(t, name);
    if (near)
        return cli_refuse(
            "there is no option --%s; faults are given as --fault '%s'", name,
            near);
    near = find_near(t, name);
    if (near)
        return cli_refuse("there is no option --%s; did you mean --%s?", name,
                          near);
    return cli_refuse("there is no option --%s; see 'fulcrum %s --help'", name,
                      called(verb));
}

/* Says what getopt did not understand. */
static int complain(const struct cli_verb *verb, const struct cli_table *t,
                    int option, const char *word)
{
    const struct cli_option *row =
        optopt >= FIRST_CODE ? &t->rows[optopt - FIRST_CODE] : NULL;
    char letter[2] = {(char)optopt};

    if (!row && !optopt)
        return complain_of_word(verb, t, word);
    if (!row && option == '?')
        return cli_refuse("there is no option -%c; see 'fulcrum %s --help'",
                          optopt, called(verb));
    return cli_refuse(option == ':'
                          ? "%s%s needs a value; see 'fulcrum %s --help'"
                          : "%s%s takes no value; see 'fulcrum %s --help'",
                      row ? "--" : "-", row ? row->name : letter, called(verb));
}

static int take_seconds(const struct cli_option *o, uint64_t *time,
                        const char *argument)
{
    char *end;
    double us = 1e6 * strtod(argument, &end);

    if (end == argument || *end || !(us >= (double)o->least) ||
        us > (double)o->most)
        return cli_refuse("--%s takes seconds, such as 2.5%s, not '%s'",
                          o->name, o->least ? ", and more than 0" : "",
                          argument);
    *time = (uint64_t)(us + 0.5);
    return 0;
}

static int take_number(const struct cli_option *o, void *place,
                       const char *argument)
{
    uint64_t number;
    char what[64];

    snprintf(what, sizeof what, "--%s", o->name);
    if (cli_number(argument, what, o->least, o->most, &number))
        return CLI_USAGE;
    if (o->wide)
        *(uint64_t *)place = number;
    else
        *(uint32_t *)place = (uint32_t)number;
    return 0;
}

static int take(const struct cli_option *o, void *into, const char *argument)
{
    void *place = (char *)into + o->offset;
    uint32_t *count;

    if (!o->argument) {
        *(bool *)place = true;
        return 0;
    }
    if (o->optional && !argument)
        argument = "";
    assert(argument);
    if (o->seconds)
        return take_seconds(o, place, argument);
    if (o->most)
        return take_number(o, place, argument);
    if (!o->count) {
        *(const char **)place = argument;
        return 0;
    }
    count = (void *)((char *)into + o->count);
    if (*count == CLI_REPEATS_MAX)
        return cli_refuse("--%s at most %d times", o->name, CLI_REPEATS_MAX);
    ((const char **)place)[(*count)++] = argument;
    return 0;
}

/* For getopt_long. */
static void describe(const struct cli_verb *verb, const struct cli_table *t,
                     struct option all[CLI_OPTIONS_MAX + 1],
                     char letters[3 * CLI_OPTIONS_MAX])
{
    char *end = stpcpy(letters, verb->command ? "-:" : ":");
    uint32_t count = 0;

    for (uint32_t i = 0; i < t->count; i++) {
        const struct cli_option *o = &t->rows[i];

        if (o->name)
            all[count++] = (struct option){o->name,
                                           o->optional   ? optional_argument
                                           : o->argument ? required_argument
                                                         : no_argument,
                                           NULL, FIRST_CODE + (int)i};
        if (o->letter)
            *end++ = o->letter;
        if (o->letter && o->argument)
            *end++ = ':';
    }
    all[count] = (struct option){NULL, 0, NULL, 0};
    *end = '\0';
}

static const struct cli_option *find(const struct cli_table *t, int option)
{
    if (option >= FIRST_CODE)
        return &t->rows[option - FIRST_CODE];
    for (uint32_t i = 0; i < t->count; i++)
        if (t->rows[i].letter == option)
            return &t->rows[i];
    return NULL;
}

/* The argument of an option that may leave it out, if it stands apart. */
static char *argument_apart(const struct cli_option *o, int argc, char **argv)
{
    char *word = optind < argc ? argv[optind] : NULL;

    if (!o->apart || !word || *word == '-' ||
        (!word[strcspn(word, " :")] && strcmp(word, "help") != 0))
        return NULL;
    optind++;
    return word;
}

int cli_options_read(const struct cli_verb *verb, void *into, int argc,
                     char **argv)
{
    struct cli_table table;
    struct option all[CLI_OPTIONS_MAX + 1];
    char letters[3 * CLI_OPTIONS_MAX], *first = NULL;
    const struct cli_option *help, *out;
    const char *output = NULL;
    int option, code;

    cli_options_collect(verb, &table);
    help = &table.rows[table.count - 1]; /* there, and the output before it */
    out = verb->reports ? help - 1 : NULL;
    describe(verb, &table, all, letters);
    optind = opterr = 0;
    while ((option = getopt_long(argc, argv, letters, all, NULL)) != -1) {
        const struct cli_option *o = find(&table, option);

        if (option == 1 && !first) { /* only where a command is to come */
            first = optarg;
            continue;
        }
        if (option == 1) {
            optind--;
            break;
        }
        if (!o)
            return complain(verb, &table, option, argv[optind - 1]);
        if (o == help) {
            cli_options_help(verb);
            return CLI_FINE;
        }
        if (!optarg)
            optarg = argument_apart(o, argc, argv);
        if (o == out)
            output = optarg;
        else if ((code = take(o, into, optarg)))
            return code;
    }
    if (output && (code = cli_output_begin(output)))
        return code;
    if (first)
        argv[--optind] = first; /* before the command, after the options */
    return CLI_GO_ON;
}

/* ---- The command that does it again -------------------------------------- */

struct command {
    char *text;
    size_t used, size;
};

/* An argument, in quotes if a shell would not leave it as it is. */
static void add(struct command *c, const struct cli_option *o,
                const char *argument)
{
    const char *quote =
        argument[strcspn(argument, " \t\"$&()*;<>?[]\\`{|}~#!")] ? "'" : "";
    char letter[2] = {o->letter};

    if (c->used < c->size)
        c->used += (size_t)snprintf(
            c->text + c->used, c->size - c->used, " %s%s%s%s%s%s",
            o->letter ? "-" : "--", o->letter ? letter : o->name,
            *argument ? " " : "", quote, argument, quote);
}

void cli_options_write(const struct cli_option *table, const void *from,
                       char *buffer, size_t size)
{
    struct command c = {buffer, strlen(buffer), size};

    for (; table->name || table->letter || table->group; table++) {
        const struct cli_option row = whole(table), *o = &row;
        const void *place = (const char *)from + o->offset;
        const char *const *text = place;
        char digits[24];

        if (o->once || o->group)
            continue;
        if (!o->argument) {
            if (*(const bool *)place)
                add(&c, o, "");
        } else if (o->most) {
            uint64_t number =
                o->wide ? *(const uint64_t *)place : *(const uint32_t *)place;

            if (o->seconds)
                snprintf(digits, sizeof digits, "%.12g", (double)number / 1e6);
            else
                snprintf(digits, sizeof digits, "%" PRIu64, number);
            if (number)
                add(&c, o, digits);
        } else if (o->count) {
            const void *count = (const char *)from + o->count;

            for (uint32_t i = 0; i < *(const uint32_t *)count; i++)
                add(&c, o, text[i]);
        } else if (*text) {
            add(&c, o, *text);
        }
    }
}

/* ---- Help ---------------------------------------------------------------- */

enum { INDENT = 21 };

static void help_on_option(const struct cli_option *o)
{
    struct paragraph p = paragraph_begin(2, INDENT);

    if (o->letter)
        paragraph_say(&p, "-%c%s", o->letter, o->name ? "," : "");
    if (o->name)
        paragraph_say(&p, "%s--%s", o->letter ? " " : "", o->name);
    if (o->argument)
        paragraph_say(&p, o->optional ? "[=%s]" : " %s", o->argument);
    if (p.column >= INDENT) {
        paragraph_end(&p);
        p = paragraph_begin(INDENT, INDENT);
    } else {
        paragraph_go_to(&p, INDENT);
    }
    paragraph_say(&p, "%s", o->help);
    paragraph_end(&p);
}

static bool is_same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* One group, where it is first named. */
static void help_on_group(const struct cli_verb *verb,
                          const struct cli_table *t, uint32_t first)
{
    const char *group = t->groups[first];

    for (uint32_t i = 0; i < first; i++)
        if (is_same(t->groups[i], group))
            return;
    if (group && is_same(group, verb->hides))
        return;
    if (group)
        printf("%s\n", group);
    for (uint32_t i = first; i < t->count; i++)
        if (is_same(t->groups[i], group) && *t->rows[i].help)
            help_on_option(&t->rows[i]);
}

/* Lines, the first after one head, and all others after another. */
static void print_lines(const char *first, const char *next, const char *lines)
{
    while (*lines) {
        int length = (int)strcspn(lines, "\n");

        printf("%s%.*s\n", first, length, lines);
        first = next;
        lines += length + (lines[length] == '\n');
    }
}

static void print_paragraph(const char *head, const char *text)
{
    struct paragraph p = paragraph_begin(0, (uint32_t)strlen(head));

    paragraph_say(&p, "%s%s", head, text);
    paragraph_end(&p);
}

void cli_options_help(const struct cli_verb *verb)
{
    struct cli_table table;
    char head[64], next[64];

    snprintf(head, sizeof head, "usage: fulcrum %s ", verb->name);
    snprintf(next, sizeof next, "       fulcrum %s ", verb->name);
    print_lines(head, next, verb->usage);
    putchar('\n');
    print_paragraph("", verb->about);
    putchar('\n');
    cli_options_collect(verb, &table);
    for (uint32_t i = 0; i < table.count; i++)
        help_on_group(verb, &table, i);
    putchar('\n');
    if (verb->exits) {
        print_paragraph("Exit: ", verb->exits);
        putchar('\n');
    }
    print_lines(strchr(verb->examples, '\n') ? "Examples: " : "Example: ",
                "          ", verb->examples);
}
