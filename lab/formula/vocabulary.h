/*
 * vocabulary.h - what typed properties may speak of in a network: the roles of
 * its nodes, the fields of their states, messages under way, predicates.
 */
#ifndef LAB_VOCABULARY_H
#define LAB_VOCABULARY_H

#include "lab/formula/letters.h"
#include "net/asked.h"

enum { LAB_VOCABULARY_MAX = 128 };

struct lab_vocabulary {
    const struct net *net;
    struct lab_function function[LAB_VOCABULARY_MAX];
    char name[LAB_VOCABULARY_MAX][48], form[LAB_VOCABULARY_MAX][64];
    uint32_t count;
    struct lab_letter letters[LAB_LETTERS_MAX];
    const char *kinds[FC_KINDS_MAX];
    const char *predicates[FC_PREDICATES_MAX];
};

/* Of a network that is described and prepared. */
void lab_vocabulary_begin(struct lab_vocabulary *v, const struct net *net);

/* The moments between which a step lies; of one state: the same twice. */
struct lab_step {
    const struct net_moment *now, *next;
};

/* For struct lab_sight, whose `whom` is a struct lab_step. */
bool lab_vocabulary_value(void *whom, const struct lab_function *which,
                          const int64_t *arguments, bool after,
                          struct lab_number *out);

#endif
