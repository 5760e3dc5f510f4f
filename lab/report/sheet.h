/*
 * sheet.h - how the report looks: light, dark and on paper.
 */
#ifndef LAB_SHEET_H
#define LAB_SHEET_H

#include <stdio.h>

#include "lab/verdict/verdict.h"

/* Writes the element <style>. */
void lab_sheet(FILE *file);

/* Writes the sign of a verdict: each has a shape of its own. */
void lab_sheet_sign(FILE *file, enum lab_verdict verdict);

/* The name that its classes have: "open", "holds", ... */
const char *lab_sheet_class(enum lab_verdict verdict);

#endif
