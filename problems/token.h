/*
 * token.h - the problem: in the end one token goes round, whatever there was
 * at the beginning.
 *
 *   eventually  one-token  exactly one, and for the last eighth of the run;
 *                          such runs do not end by themselves
 */
#ifndef TOKEN_H
#define TOKEN_H

#include "core/fc.h"

enum token_command { TOKEN_START };

struct token_view {
    uint8_t holds; /* tokens at this station, those on the links apart */
    uint8_t young; /* it has just passed one on, and would remove the next */
    uint16_t unused;
};

enum token_property { TOKEN_ONE = 1u << 0 };
enum { TOKEN_PROPERTIES = 1 };

struct token_watch {
    int64_t flying, held;
    uint64_t one_since; /* tick from which on there was just one, or FC_NEVER */
    uint64_t last;      /* tick of the last event */
    uint32_t broken;
};

/* ---- What a driver asks of every problem (see election.h) ---------------- */

#define token_repeats       0 /* no workload */
#define token_counts_tokens 1 /* wants to know how many are under way */
#define token_has_cells     0 /* there is no memory that all share */
#define token_remembers     0 /* views alone tell what is broken */
extern const struct fc_problem token_problem;

void token_begin(struct token_watch *w, const struct fc_protocol *p,
                 const void *params, const struct fc_world *world);

static inline void token_started(struct token_watch *w, fc_name id)
{
    (void)w;
    (void)id;
}

static inline bool token_same(const struct token_view *a,
                              const struct token_view *b)
{
    return a->holds == b->holds;
}

static inline bool token_matters(const struct token_view *a,
                                 const struct token_view *b)
{
    return !token_same(a, b);
}

uint32_t token_changed(struct token_watch *w, fc_name id,
                       const struct token_view *before,
                       const struct token_view *after, uint64_t now);
void token_crashed(struct token_watch *w, const struct token_view *view);
void token_restarted(struct token_watch *w, const struct token_view *view);
static inline void token_returned(struct token_watch *w,
                                  const struct token_view *view)
{
    (void)w; /* its first step told all */
    (void)view;
}

static inline bool token_settles(const struct token_watch *w)
{
    (void)w;
    return false;
}
static inline void token_settled(struct token_watch *w, fc_name id,
                                 const struct token_view *view)
{
    (void)w;
    (void)id;
    (void)view;
}

uint32_t token_end(struct token_watch *w, bool quiet);
void token_outcome(const struct token_watch *w, struct fc_outcome *out);
void token_show(const struct token_view *view, struct fc_shown *out);

/* So many tokens are on the links after what happened at `now`. */
void token_flying(struct token_watch *w, int64_t flying, uint64_t now);

#endif
