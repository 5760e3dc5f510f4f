/*
 * exercise.h - an exercise as data: what is asked, what varies with the
 * student, the form of an answer, and the rules that judge it.
 *
 * One file each (docs/exercises/format.md says how they are written).  The page
 * and the command read the same file, here.
 */
#ifndef GRADE_EXERCISE_H
#define GRADE_EXERCISE_H

#include <stdbool.h>
#include <stdint.h>

#include "net/why.h"

enum {
    GRADE_VARIES_MAX = 12,
    GRADE_FIELDS_MAX = 6,
    GRADE_RULES_MAX = 10,
    GRADE_STEPS_MAX = 16,
    GRADE_HINTS_MAX = 8,
    GRADE_SET_MAX = 200, /* exercises in a folder */
};

/* KEY = VALUE, in the text of its file. */
struct grade_pair {
    const char *key, *value;
};

/* Commands to run and conditions, in their order; what is said if all hold, and
 * if one does not. */
struct grade_rule {
    const char *says, *good, *miss;
    struct grade_pair step[GRADE_STEPS_MAX];
    uint32_t steps, points;
    bool must; /* if it fails, those below it are not tried */
};

struct grade_exercise {
    char *text; /* that all others point into */
    char *path;
    char *solution; /* the text of its solution; or NULL */
    const char *key, *title, *minutes, *teaches, *asks;
    const char *command; /* to begin with; or NULL */
    const char *game;    /* the words of a game of the checker; or NULL */
    const char *locked;  /* what the page does not show in this game; or NULL */
    const char *source;  /* the file of C that is handed in; or NULL */
    const char *room;    /* the folder of that protocol: election/eager */
    char *task;          /* the text, lines joined */
    struct grade_pair varies[GRADE_VARIES_MAX];
    struct grade_pair field[GRADE_FIELDS_MAX]; /* with its form */
    struct grade_pair answer[GRADE_FIELDS_MAX + GRADE_STEPS_MAX];
    const char *hint[GRADE_HINTS_MAX];
    struct grade_rule rule[GRADE_RULES_MAX];
    uint32_t varies_count, fields, answers, hints, rules;
    uint32_t number, points, hint_costs, seconds;
};

/* All exercises, in the order of their numbers. */
struct grade_set {
    struct grade_exercise *one[GRADE_SET_MAX];
    uint32_t count;
};

/* Reads one from the text of its file, which it owns then; NULL: `why` says
 * what is wrong, and in which line. */
struct grade_exercise *grade_exercise_read(char *text, const char *path,
                                           struct net_why *why);
void grade_exercise_free(struct grade_exercise *x);

/* Adds its solution, a file apart, so that it can be handed out without: a
 * section [solution] with run NAME = COMMAND, and NAME = ANSWER. */
bool grade_solution_read(struct grade_exercise *x, char *text,
                         struct net_why *why);

/* Reads a file, or all files of a folder that end in .exercise. */
bool grade_set_read(struct grade_set *set, const char *path,
                    struct net_why *why);
void grade_set_free(struct grade_set *set);

/* By its key or its number, as people type them; NULL: there is none. */
struct grade_exercise *grade_set_find(const struct grade_set *set,
                                      const char *name);

#endif
