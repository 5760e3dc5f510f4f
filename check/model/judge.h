/*
 * judge.h - what a transition broke (judge.c).
 */
#ifndef CHECK_JUDGE_H
#define CHECK_JUDGE_H

#include "check/model/model.h"

/* Sets up the scene of a state. */
void check_look(const struct check_model *m, const uint32_t *vector,
                struct net_scene *scene);

/* What the change of one node by a move from `before` broke, of the properties
 * that count. */
void check_judge_change(struct check_model *m, const uint32_t *before,
                        const struct check_move *move, const uint32_t *after,
                        struct net_news *news);

/* The same, and the predicates over the whole network. */
void check_judge(struct check_model *m, const uint32_t *before,
                 const struct check_move *move, const uint32_t *after,
                 struct net_news *news);

/* The predicates over the whole network that do not hold in a state, of those
 * that are judged; as properties. */
uint32_t check_judge_network(struct check_model *m, const uint32_t *vector);

#endif
