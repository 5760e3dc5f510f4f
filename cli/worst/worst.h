/*
 * worst.h - what the parts of fulcrum worst share: worst.c has the verb,
 * worst_space.c says what varies, worst_report.c tells what was found.
 */
#ifndef CLI_WORST_H
#define CLI_WORST_H

#include "cli/json.h"
#include "cli/setup/setup.h"
#include "lab/search/worst.h"

/* What was asked for. */
struct cli_worst {
    struct cli_words words; /* first: see setup.h */
    const char *of, *over, *budget, *than, *families_file;
    bool least, json;
    uint64_t seed;
    uint32_t threads;

    struct lab_families families;
    struct lab_measure measure;
    uint64_t runs; /* the budget; 0: `seconds` are given */
    double seconds;
};

/* The networks of one size: the setups among which parameters choose, and what
 * else varies. */
struct cli_arena {
    char nodes[16]; /* as --nodes takes it */
    struct cli_words words;
    struct cli_setup *setups;
    struct sim_setup *sims; /* of the setups */
    char (*settings)[256];  /* of each, as --set takes them, with blanks */
    uint32_t count;
    fc_name *names; /* at each place, as it is set up */
    fc_name *sorted;
    uint32_t *ranks;
    struct lab_space space;
    char over[256]; /* for people */
};

/* What was found among them. */
struct cli_finding {
    struct cli_arena arena;
    struct lab_found found;
    struct lab_number than; /* if that was asked for */
    bool exceeds;
};

/* `nodes`: their number; 0: as typed.  Complains and returns the exit code; to
 * be freed in either case. */
int cli_arena_begin(struct cli_arena *a, const struct cli_worst *w,
                    uint32_t nodes);
void cli_arena_free(struct cli_arena *a);

/* An amount, from its score. */
static inline uint64_t cli_worst_value(const struct cli_worst *w, int64_t score)
{
    return (uint64_t)(w->least ? -score : score);
}

/* The whole report; findings by size if there are several, `chosen` the one to
 * be shown with its witness, or NULL. */
int cli_worst_report(const struct cli_worst *w, const struct cli_finding *all,
                     uint32_t count, const struct cli_finding *chosen);

#endif
