/*
 * cli.h - what the verbs of the command line share.
 *
 * Results go to standard output, complaints and progress to standard error.
 */
#ifndef CLI_H
#define CLI_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/options.h"
#include "net/word.h"

enum cli_exit {
    CLI_FINE = 0,
    CLI_VIOLATED = 1, /* a property failed */
    CLI_USAGE = 2,    /* used wrongly */
    CLI_SYSTEM = 3,   /* the system refused */
    CLI_NO_NODE = 4,  /* no live node answers */
    CLI_INTERRUPTED = 130,
};

/* The verbs, each in the file of its name; NULL ends the list of verbs.c, or
 * of one of the smaller programs in front/. */
extern const struct cli_verb cli_list, cli_sim, cli_check, cli_check_cluster,
    cli_draw, cli_demo, cli_compare, cli_worst, cli_live, cli_keygen, cli_node,
    cli_lock, cli_status, cli_fence, cli_completion, cli_claims, cli_reproduce,
    cli_sweep, cli_plot, cli_web, cli_rehearse, cli_cluster, cli_grade;
extern const struct cli_verb *const cli_verbs[];

/* Becomes the program that has the verb; returns if it is this program's
 * `own`, or if this program has all that there are. */
void cli_hand_over(char **argv, bool own);

/* Says what a word is that is not a verb; false: nobody knows. */
bool cli_explain_word(const char *word);

/* The verb that complains; set before it runs. */
extern const char *cli_speaker;

/* One sentence on standard error: "fulcrum VERB: ...".  Returns `code`, so
 * that a verb can say `return cli_complain(...)`. */
int cli_complain(int code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Complains of it, or that there is no memory for WHAT, "the names".  Return
 * an exit code. */
int cli_refused(const struct net_why *why);
int cli_no_memory(const char *what);
#define cli_refuse(...) cli_complain(CLI_USAGE, __VA_ARGS__)
#define cli_fail(...)   cli_complain(CLI_SYSTEM, __VA_ARGS__)
#define cli_note(...)   (void)cli_complain(CLI_FINE, __VA_ARGS__)

/* Reads a whole number from least to greatest; complains as `what`. */
int cli_number(const char *text, const char *what, uint64_t least,
               uint64_t greatest, uint64_t *out);

/* Appends to a text of `size` bytes, as far as there is room. */
void cli_append(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The cores that this process may use, or `most`. */
uint32_t cli_cores(uint32_t most);

/* Whether two files can be written, either NULL, before hours are spent on
 * what goes there; complains and returns the exit code if not, or if they
 * are one and the same. */
int cli_can_write(const char *a, const char *b);

/* The standard output goes to a file, which is in its place when the verb has
 * ended and there is a result.  Either returns an exit code. */
int cli_output_begin(const char *path);
int cli_output_end(int code);

/* What a terminal can show. */
bool cli_is_utf8(void);
bool cli_has_colour(FILE *stream);
bool cli_is_terminal(FILE *stream); /* one that can rewrite a line */

/* Signs of the verdicts, as the terminal allows. */
const char *cli_tick(void);    /* within */
const char *cli_cross(void);   /* beyond, violated */
const char *cli_at_most(void); /* less or equal */
const char *cli_dash(void);    /* not judged */

/* "  SIGN WORD" on standard output, green or red where there is colour. */
void cli_print_verdict(bool good, const char *word);

/* A whole number in groups of three from 10 000 on; `size` 32 is enough. */
const char *cli_grouped(uint64_t number, char *buffer, size_t size);

/* A number with one decimal, or none if it is whole. */
const char *cli_decimal(double number, char *buffer, size_t size);

/* program.c: the program linked with MPI stands beside this one, and has a
 * longer name. */
#define CLI_PROGRAM_MPI "-mpi"

enum { CLI_PROGRAM_SIZE = 4096 };

/* The path of the command that makes experiments, with room for the suffix;
 * complains and returns the exit code if it is not known. */
int cli_find_program(char program[CLI_PROGRAM_SIZE]);

#endif
