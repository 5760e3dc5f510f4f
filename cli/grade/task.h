/*
 * task.h - an exercise as one student gets it: what is drawn for this student,
 * and the text with it.
 */
#ifndef GRADE_TASK_H
#define GRADE_TASK_H

#include "cli/grade/exercise.h"
#include "cli/grade/value.h"

enum { GRADE_SEED_SIZE = 17 };

/* The seed of a student, 16 digits, from the ID and a word of the lecturer for
 * this term; capitals and blanks around do not matter.  "" for nobody. */
void grade_seed(const char *student, const char *term,
                char seed[GRADE_SEED_SIZE]);

/* Draws what varies.  Nobody gets the first of all that could be drawn, the
 * exercise as the lecture shows it. */
bool grade_draw(const struct grade_exercise *x, const char *seed,
                struct grade_values *out, struct net_why *why);

#endif
