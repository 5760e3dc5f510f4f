/*
 * report.h - the verdicts as one page that needs no network: HTML.
 *
 * A headline that counts them, one table, and for each part of a claim what was
 * found, with a plot, a diagram of the counterexample and the command that
 * shows it again.  Nothing is computed here: words, numbers and pictures come
 * from the judgements.
 */
#ifndef LAB_REPORT_H
#define LAB_REPORT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lab/verdict/verdict.h"

/* A part of a claim.  Texts may be NULL where it says so. */
struct lab_reported {
    const char *id, *part; /* part: "" if there is one */
    const char *place, *says;
    const char *argument; /* where it is proved, or NULL */
    const char *along;    /* the letter of lab_cell.x; NULL: N */
    enum lab_verdict verdict;
    const struct lab_judgement *judgements; /* may be none */
    uint32_t count;
    uint32_t told;       /* the judgement that decides */
    uint32_t repair;     /* with LAB_REPAIRED: the one that holds */
    const char *why;     /* undecided: the reason; or NULL */
    const char *diagram; /* a whole SVG file; or NULL */
    double seconds;
};

struct lab_report {
    const char *version;
    const char *command; /* that makes this report */
    const char *mode;    /* "quick", ... */
    uint64_t seed;
    double seconds;
    const struct lab_reported *parts; /* parts of a claim side by side */
    uint32_t count;
};

/* Writes the page; errors of the file are the caller's. */
void lab_report_html(FILE *file, const struct lab_report *report);

/* ---- Parts of the page (figure.c, sheet.c) ------------------------------- */

/* Whether there is something to draw: numbers at two sizes. */
bool lab_figure_is_worth(const struct lab_judgement *j);

/* Draws it, with a line above that says what y is. */
void lab_figure_draw(FILE *file, const struct lab_judgement *j,
                     const char *along, const char *title);

/* Writes the element <style>. */
void lab_sheet(FILE *file);

/* Writes the sign of a verdict: each has a shape of its own. */
void lab_sheet_sign(FILE *file, enum lab_verdict verdict);

/* The name that its classes have: "open", "holds", ... */
const char *lab_sheet_class(enum lab_verdict verdict);

/* ---- Verdicts and numbers in words (wording.c) --------------------------- */

enum { LAB_WORDING_SIZE = 400 };

/* "Six", "six", and figures from 13 on. */
void lab_word_count(char *out, size_t size, uint32_t count, bool capital);

/* "1 204 113", "0.625", "without bound"; nothing for an unknown number. */
void lab_word_number(char *out, size_t size, double number);

/* "holds after repair". */
const char *lab_word_verdict(enum lab_verdict verdict);

/* What the paper says: "at most 5*N". */
void lab_word_claimed(char *out, size_t size, const struct lab_judgement *j);

/* What was measured: "34 at n=8", "constant 2.5". */
void lab_word_measured(char *out, size_t size, const struct lab_judgement *j);

/* What was found, as a heading: "Messages: 111 at n=22; claimed: at most
 * 110". */
void lab_word_finding(char *out, size_t size, const struct lab_reported *r);

#endif
