/*
 * strategy.h - what a scheduler does that makes a probability or an expected
 * amount extreme; as a file, and played.
 *
 * A scheduler is a list of acts.  Each is what happens next in one state, and
 * where it goes on from there, for every way in which coins can fall.  So a
 * scheduler is a program of its own: it goes from act to act, and never looks
 * at a state.
 */
#ifndef CHECK_STRATEGY_H
#define CHECK_STRATEGY_H

#include <stdio.h>

#include "check/odds/expect.h"
#include "check/odds/process.h"

/* In place of an act: the run is over, badly or well. */
#define CHECK_ACT_BAD  UINT32_MAX
#define CHECK_ACT_GOOD (UINT32_MAX - 1)

struct check_act {
    struct check_move move;
    bool ends;                  /* the run ends here instead */
    uint32_t next, nexts_count; /* the acts that follow, by how coins fall */
    uint32_t line;              /* of the file */
};

struct check_scheduler {
    bool known;
    uint32_t first;         /* the number of the initial state */
    struct check_act *acts; /* the first is where it begins */
    uint32_t *nexts;
    uint32_t acts_count, nexts_count;
    bool failed; /* there was no memory */
    /* The probability of failing, or the expected amount, that it attains. */
    struct check_expected attains;
};

/* One act more, and where the last one leads; false if there is no memory. */
bool check_scheduler_add(struct check_scheduler *s,
                         const struct check_act *act);
bool check_scheduler_lead(struct check_scheduler *s, uint32_t next);
void check_scheduler_free(struct check_scheduler *s);

/* The requested number, at the extreme of all states in which runs begin; with
 * `attains`, also choices that attain it, and their number.  For those the
 * model must still be there.  False: the building says why. */
bool check_answer(struct check_building *b, const struct check_aim *aim,
                  struct check_expected *out, struct check_scheduler *attains);

/* ---- As a file ----------------------------------------------------------- */

enum { CHECK_STRATEGY_COMMAND = 4096 };

struct check_strategy {
    char command[CHECK_STRATEGY_COMMAND]; /* "fulcrum check ..." */
    struct check_scheduler scheduler[2];  /* of the greatest, of the least */
};

void check_strategy_write(const struct check_strategy *s, FILE *out);

/* Reads a text, which is cut to pieces.  Returns NULL, or a sentence that names
 * the line and its mistake. */
const char *check_strategy_read(struct check_strategy *s, char *text,
                                uint32_t *line);
void check_strategy_free(struct check_strategy *s);

/* ---- Played -------------------------------------------------------------- */

struct check_play {
    enum check_limit limit;
    const char *refusal;            /* CHECK_REFUSED: a sentence... */
    uint32_t line;                  /* ...about this line; 0: about none */
    uint64_t runs, failed, endless; /* endless: given up, or known to be */
    double mean, deviation;         /* of the amounts of runs that ended */
    bool endless_fails;             /* they count as failed */
    struct check_expected attains;  /* worked out from the acts */
};

/* Follows a scheduler `runs` times, with coins from these seeds.  With a
 * measure, runs have amounts; without, violations end them. */
void check_play(const struct check_setup *setup,
                const struct check_measure *measure,
                const struct check_scheduler *scheduler, uint64_t seed,
                uint64_t runs, struct check_play *out);

/* The run of one seed, to be told: its moves, freed by check_free().  False if
 * there is no memory, or the scheduler is refused as above. */
bool check_play_once(const struct check_setup *setup,
                     const struct check_measure *measure,
                     const struct check_scheduler *scheduler, uint64_t seed,
                     struct check_result *run);

#endif
