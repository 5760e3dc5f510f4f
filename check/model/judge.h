/*
 * judge.h - what a transition broke (judge.c).
 */
#ifndef CHECK_JUDGE_H
#define CHECK_JUDGE_H

#include "check/model/model.h"
#include "net/asked.h"

/* Sets up the scene of a state. */
void check_look(const struct check_model *m, const uint32_t *vector,
                struct net_scene *scene);

/* What the change of one node by a move from `before` broke, of the properties
 * that count. */
void check_judge_change(struct check_model *m, const uint32_t *before,
                        const struct check_move *move, const uint32_t *after,
                        struct net_news *news);

/* The same, and the predicates over the whole network, and what was typed. */
void check_judge(struct check_model *m, const uint32_t *before,
                 const struct check_move *move, const uint32_t *after,
                 struct net_news *news);

/* The predicates over the whole network that do not hold in a state, of those
 * that are judged; as properties. */
uint32_t check_judge_network(struct check_model *m, const uint32_t *vector);

/* The typed properties that a state breaks, and the step to it, unless `move`
 * is NULL; `over`: those that see that nothing more has to happen.  A value
 * that is missing is a refusal. */
uint32_t check_judge_asked(struct check_model *m, const uint32_t *before,
                           const struct check_move *move,
                           const uint32_t *vector, bool over);

/* Where a property of what comes later stands in a state; false: a refusal. */
bool check_stands(struct check_model *m, const uint32_t *vector, bool over,
                  const struct net_property *p, uint32_t instance, bool *wants,
                  bool *gets);

#endif
