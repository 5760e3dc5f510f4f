/*
 * reproduce.h - what the files of fulcrum reproduce share.
 */
#ifndef CLI_REPRODUCE_H
#define CLI_REPRODUCE_H

#include "lab/report/report.h"
#include "lab/run/inquiry.h"

/* What was asked for. */
struct cli_reproduce {
    const char *claims, *directory, *diff;
    bool quick, full, fresh, json;
    uint32_t jobs;
    uint64_t seed;
};

/* A verdict of each part, in the order of the files. */
struct cli_rulings {
    const struct cli_reproduce *wishes;
    const char *mode; /* "quick", "normal" or "full" */
    struct lab_ruling *ruling;
    uint32_t count;
    double seconds; /* of CPU */
};

/* The judgement that is told, and the cell of it; either may be missing. */
struct cli_told {
    const struct lab_judgement *j;
    const struct lab_cell *cell;
};
struct cli_told cli_told_of(const struct lab_ruling *r);

/* A line for each part, and the number of each verdict. */
void cli_reproduce_print(const struct cli_rulings *r);

/* For programs. */
void cli_reproduce_json(const struct cli_rulings *r);

/* A part of a claim as reports see it; its texts belong to the ruling. */
struct lab_reported cli_reproduce_part(const struct lab_ruling *r);

/* The page DIRECTORY/report.html, with the counterexamples drawn; returns the
 * exit code. */
int cli_reproduce_html(const struct cli_rulings *r, const char *directory);

/* What changed since another notebook; returns the exit code. */
int cli_reproduce_diff(const struct cli_rulings *r, const char *path);

#endif
