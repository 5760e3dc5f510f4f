/*
 * notebook.h - what has been asked and answered: experiments in SQLite.
 *
 * An experiment is a command line; its answer is the JSON that the command
 * prints.  Answers of one version of fulcrum are kept, so that what was
 * interrupted goes on where it stopped.
 */
#ifndef LAB_NOTEBOOK_H
#define LAB_NOTEBOOK_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "lab/formula/expression.h"

/* Which program made an experiment.  While people work on a protocol
 * its version stays the same, and its answers do not: they are kept under the
 * version and a hash of the program, "0.3.0+94a3f0c2d1e5b678".  False: it
 * cannot be read, and `why` says so. */
enum { LAB_BUILD_SIZE = 64 };
bool lab_build_of(const char *program, char build[LAB_BUILD_SIZE],
                  struct net_why *why);

enum lab_end {
    LAB_ENDED,
    LAB_KILLED, /* by a signal */
    LAB_LOST,   /* with the rank that made it */
};

struct lab_answer {
    json_t *json;    /* NULL: it printed none */
    char *complaint; /* what it said on standard error; NULL: nothing */
    int code;        /* with which it ended */
    double seconds;  /* of CPU */
    enum lab_end end;
};

void lab_answer_free(struct lab_answer *a);

/* Behind a command: its second answer, from another run. */
#define LAB_AGAIN " #again"

struct lab_notebook;

/* NULL: it cannot be opened, and `why` says so.  Without a path it is kept in
 * memory.  `fresh`: forget the answers of this version. */
struct lab_notebook *lab_notebook_open(const char *path, const char *version,
                                       bool fresh, struct net_why *why);
void lab_notebook_close(struct lab_notebook *n);

/* The answer, which stays where it is; NULL: there is none yet. */
const struct lab_answer *lab_notebook_find(struct lab_notebook *n,
                                           const char *command);

/* The CPU seconds that a command took, in any build, or NaN. */
double lab_notebook_seconds(struct lab_notebook *n, const char *command);

/* Takes an answer over, and writes it down before it returns; one without a
 * result is remembered, but not written.  False: it could not be written. */
bool lab_notebook_add(struct lab_notebook *n, const char *command,
                      struct lab_answer *answer, struct net_why *why);

/* The database, for tables made of answers. */
struct sqlite3 *lab_notebook_database(struct lab_notebook *n);

/* A verdict, for --diff. */
struct lab_noted {
    const char *claim, *part, *verdict, *evidence, *reading, *repair;
    double measured, bound;
};
/* The verdicts of a run take the place of those before. */
bool lab_notebook_verdicts(struct lab_notebook *n, const struct lab_noted *of,
                           uint32_t count, const char *mode, uint64_t seed,
                           struct net_why *why);

/* Tells the verdicts of another notebook; false: it cannot be read, or not to
 * its end, whatever was told before. */
bool lab_notebook_tell(const char *path,
                       void (*tell)(void *whom, const struct lab_noted *is),
                       void *whom, struct net_why *why);

#endif
