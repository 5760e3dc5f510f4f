/*
 * symmetry.h - states that differ in names alone (reduce/symmetry.c).
 */
#ifndef CHECK_SYMMETRY_H
#define CHECK_SYMMETRY_H

#include "check/model/model.h"

/* Finds the symmetries that may be used; false with `refusal` set if there are
 * none. */
bool check_symmetry_begin(struct check_model *m);

/* How far a ring has to be turned to become its representative, and turning
 * it. */
uint32_t check_rotation(const struct check_model *m, const uint32_t *vector);
void check_rotate(const struct check_model *m, struct check_spread *s,
                  uint32_t by);

/* The same of namings. */
uint32_t check_best_naming(struct check_model *m, const uint32_t *vector);
void check_rename(struct check_model *m, struct check_spread *s,
                  uint32_t naming);

/* The name of a link of a complete network if its ends have these names. */
static inline uint32_t check_link_named(const struct check_model *m,
                                        uint32_t link, const uint16_t *to)
{
    return m->out[to[m->links[link].from]][to[m->links[link].to]];
}

/* A vector is complete: folds it, or its representative. */
void check_finish(struct check_model *m, struct check_spread *s);

#endif
