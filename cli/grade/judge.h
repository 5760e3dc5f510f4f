/*
 * judge.h - marks: the rules of an exercise, tried on an answer by asking the
 * engine.  Nothing that was handed in is believed; it is only ever run.
 */
#ifndef GRADE_JUDGE_H
#define GRADE_JUDGE_H

#include <jansson.h>

#include "cli/grade/answer.h"
#include "cli/grade/task.h"

/* What a command has said. */
struct grade_reply {
    int code;   /* its exit code; 128 and more: it was ended */
    char *text; /* its output, or its complaint if the code is above 1 */
};

enum { GRADE_WORDS_MAX = 80 };

/* Runs "fulcrum WORDS", or knows what it has said.  False: it will be known
 * later, and the judge is asked again then. */
typedef bool grade_asks(void *whom, char *const *words,
                        struct grade_reply *reply);

enum grade_verdict { GRADE_HELD, GRADE_MISSED, GRADE_UNTRIED };

struct grade_mark {
    enum grade_verdict verdict;
    char *rule; /* its sentence, filled in */
    char *says; /* what was found; NULL: nothing more than that */
};

/* What came out for one answer to one exercise. */
struct grade_marks {
    const struct grade_exercise *exercise; /* NULL: there is none */
    char *student, *name, *seed;           /* as handed in */
    char *refused;                         /* why nothing was judged; or NULL */
    struct grade_mark mark[GRADE_RULES_MAX];
    uint32_t points, hints;
    char *run; /* the first command that was run; or NULL */
};
void grade_marks_free(struct grade_marks *m);

/* One answer to be judged. */
struct grade_job {
    const struct grade_exercise *exercise;
    const struct grade_lines *lines;
    const struct grade_part *part;
    const char *student, *term; /* student: "" for nobody */
    grade_asks *ask;
    void *whom;
};

/* Judges it; false: a command's output is not known yet, and what is there of
 * the marks is freed. */
bool grade_judge(const struct grade_job *job, struct grade_marks *out);

/* Fills in a right answer for this student, as a text to be handed in; NULL:
 * `why` says why there is none. */
char *grade_solve(const struct grade_job *job, struct net_why *why);

/* The words of a command of an exercise; their number, or -1 and `why`.  `text`
 * keeps them. */
int grade_words(const struct grade_exercise *x, const struct grade_values *v,
                const char *command, char *words[GRADE_WORDS_MAX],
                struct net_why *why);
void grade_words_free(char *words[GRADE_WORDS_MAX]);

/* The task and the marks, for programs and the page. */
json_t *grade_task_json(const struct grade_exercise *x, const char *student,
                        const char *term, struct net_why *why);
json_t *grade_marks_json(const struct grade_marks *m);

/* A text that has something of a hand-in in it: what JSON cannot have, or would
 * move the cursor of a terminal, is a question mark. */
json_t *grade_shown(const char *text);

#endif
