/*
 * grade.h - fulcrum grade: what was asked for, and how hand-ins are run.
 */
#ifndef CLI_GRADE_H
#define CLI_GRADE_H

#include "cli/cli.h"
#include "cli/grade/judge.h"

/* Limits of one hand-in. */
struct grade_limits {
    uint32_t seconds; /* of the CPU, for each of its commands; 0: as the
                          * exercise says */
    uint32_t memory;  /* MiB, of each of its processes */
    bool trust;       /* run C without a sandbox */
    bool boxed;       /* all that is strange runs in sandboxes, which have
                          * namespaces of processes themselves */
    const char *kit;  /* the folder that C is built with; or NULL */
    int program;      /* the engine, an open file: who runs it may not be
                          * allowed where it lies */
};

struct grade_wishes {
    const char *exercise, *exercises, *student, *term, *gradescope, *solutions;
    bool json, tap, junit, tasks, answers, page;
    uint32_t jobs;
    struct grade_limits limits;
};

/* One thing to be marked: a file, and which of its answers. */
struct grade_hand_in {
    char *path;
    char *text;      /* what was read; NULL: it could not be */
    char *complaint; /* why not */
    char *header;    /* of C: the file of the same name in .h; or NULL */
    uint32_t part;
    json_t *marks; /* what came out; "file" is the path */
};

struct grade_work {
    const struct grade_wishes *wishes;
    const char *student; /* whose all of it is; NULL: it says so itself */
    struct grade_set set;
    struct grade_hand_in *one;
    uint32_t count, room;
};

/* hand_in.c: the files beneath a path, in the order of their names; complains
 * and returns the exit code if there are none. */
int grade_collect(struct grade_work *w, const char *path);
void grade_collected_free(struct grade_work *w);

/* Judges one answer in this process; NULL: a command is to be asked later. */
json_t *grade_one(const struct grade_work *w, const struct grade_hand_in *h,
                  grade_asks *ask, void *whom);
/* The exercise that a hand-in is for, or NULL: it says none that there is. */
struct grade_exercise *grade_exercise_of(const struct grade_work *w,
                                         const struct grade_hand_in *h);

/* Marks for a hand-in of which nothing was judged. */
json_t *grade_refusal(const struct grade_work *w, const struct grade_hand_in *h,
                      const char *why);

/* cells.c: marks all of them, several at once, each in a cell. */
int grade_all(struct grade_work *w);

/* cell.c: a process in namespaces of its own, or under a user of its own, with
 * limits, in a folder of its own. */
struct grade_cell {
    int pid, out; /* 0, -1: none */
    uint32_t slot;
    char folder[64];
    double deadline;
    bool apart; /* it has its own processes: they end with it */
    bool late;  /* it was ended at its deadline */
};
/* Starts `work` there, which writes to the file `out`; false: `why`. */
bool grade_cell_begin(struct grade_cell *cell, uint32_t slot,
                      const struct grade_limits *limits, double seconds,
                      void (*work)(void *whom, int out), void *whom,
                      struct net_why *why);
/* Ends all that runs in it, and removes its folder; the status of its first
 * process. */
int grade_cell_end(struct grade_cell *cell);

/* engine.c: runs commands in a cell; struct grade_engine is `whom`. */
struct grade_engine {
    const struct grade_limits *limits;
    const struct grade_exercise *exercise;
    const struct grade_hand_in *hand_in;
};
bool grade_ask_engine(void *whom, char *const *words,
                      struct grade_reply *reply);
/* Runs a program, an open file or, if that is below 0, the first of its words;
 * they end with NULL. */
void grade_execute(int program, char *const *words, struct grade_reply *reply);

/* sandbox.c: the same for a protocol in C that was handed in. */
bool grade_has_sandbox(void);
bool grade_ask_stranger(struct grade_engine *e, char *const *words,
                        struct grade_reply *reply);

/* Reports, each to standard output; return the exit code. */
int grade_report_table(const struct grade_work *w);
int grade_report_json(const struct grade_work *w);
int grade_report_tap(const struct grade_work *w);
int grade_report_junit(const struct grade_work *w);
/* gradescope.c: DIR/submission becomes DIR/results/results.json. */
int grade_gradescope(struct grade_work *w, const char *folder);

/* sheet.c: the tasks, and with `answers` right answers. */
int grade_sheet(const struct grade_work *w);

/* page.c: one answer, for a page that runs the commands itself. */
int grade_for_page(struct grade_work *w, const char *path);

#endif
