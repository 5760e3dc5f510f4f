/*
 * wording.h - verdicts and numbers in words.
 */
#ifndef LAB_WORDING_H
#define LAB_WORDING_H

#include <stddef.h>

#include "lab/report/report.h"

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
