/*
 * options.h - the options of a verb, each said once.
 *
 * A verb is a constant with its tables of options.  From them come
 * getopt_long, --help, the command that does the same again, completion by a
 * shell (completion.c), and what the manual is compared with.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One option.  Its value goes to `offset` in the structure that the verb reads
 * its options into: a bool if it takes no argument, a number if it has a
 * `most`, else the text as typed.  A row with a `group` alone is a heading for
 * the rows below it; the same heading may come again.  A row of zeros ends a
 * table. */
struct cli_option {
    const char *name;     /* as in --name; NULL: there is only a letter */
    char letter;          /* as in -n; 0: none */
    const char *argument; /* how --help calls it; NULL: takes none */
    const char *help;     /* "": neither shown nor completed */
    size_t offset;
    const char *values; /* what completes it: see completion.c */
    uint64_t least, most;
    bool wide;     /* the number is a uint64_t, not a uint32_t */
    bool seconds;  /* it is typed in seconds, and kept in microseconds */
    size_t count;  /* may be repeated: offset of a uint32_t; the texts are an
                   * array of CLI_REPEATS_MAX */
    bool optional; /* the argument may be left out, and is typed as
                    * --name=ARGUMENT; without it the text is "" */
    bool apart;    /* and a next word that has a blank or a colon in it, or is
                    * "help", is the argument all the same: no operand does */
    bool once;     /* not part of the command that does the same again */
    bool like;     /* all but `once` and the help, if there is one, is as in the
                    * row of that name of cli_words_options */
    const char *group;
};

enum { CLI_REPEATS_MAX = 16, CLI_OPTIONS_MAX = 64 };

/* As in cli_words_options, but for the help; with NULL that, too. */
#define LIKE(text) .help = (text), .like = true
/* For the end of a row: where its value goes.  A file says before its table
 * what the rows are read into: #define WISHES struct wishes. */
#define AT(field) .offset = offsetof(WISHES, field)
/* One that may be repeated; there is a FIELD_count. */
#define MANY(field) AT(field), .count = offsetof(WISHES, field##_count)
/* A number from `from` to `to`. */
#define NUMBER(field, from, to)                                                \
    AT(field), .wide = sizeof(((WISHES *)0)->field) == sizeof(uint64_t),       \
               .least = (from), .most = (to)
/* A time in seconds with a fraction; it goes to a uint64_t. */
#define SECONDS(field, from)                                                   \
    NUMBER(field, from, UINT64_C(1000000000000000)), .seconds = true

struct cli_verb {
    const char *name;
    const char *asked;   /* what --help is asked of, if not of the name alone */
    const char *summary; /* for 'fulcrum help'; NULL: not listed */
    int (*run)(int argc, char **argv);
    const char *usage; /* what follows the name, a line for each form */
    const char *about, *exits;
    const char *examples;                /* a command a line */
    const struct cli_option *options[3]; /* of two rows with the same name the
                                          * first counts */
    const char *hides;                   /* a group that --help leaves out */
    const char *operands[2]; /* what completes the words between options */
    bool reports;            /* -o FILE says where its result goes */
    bool command; /* the second of them is a command, and ends the options */
    /* Other forms, with options of their own, by the word that comes first;
     * ended by zeros. */
    const struct cli_part *parts;
};

struct cli_part {
    const char *word;
    const struct cli_verb *verb;
};

/* Reads the options into a structure of the verb, and answers --help.  Returns
 * CLI_GO_ON with optind at the first operand, or an exit code. */
enum { CLI_GO_ON = -1 };
int cli_options_read(const struct cli_verb *verb, void *into, int argc,
                     char **argv);

/* Appends the options of a table that were given, for a command that does the
 * same again. */
void cli_options_write(const struct cli_option *table, const void *from,
                       char *buffer, size_t size);

/* All options of a verb, with the group of each. */
struct cli_table {
    struct cli_option rows[CLI_OPTIONS_MAX];
    const char *groups[CLI_OPTIONS_MAX];
    uint32_t count;
};
void cli_options_collect(const struct cli_verb *verb, struct cli_table *table);

/* "fulcrum VERB --help". */
void cli_options_help(const struct cli_verb *verb);

#endif
