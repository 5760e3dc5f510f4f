/*
 * maker.h - what the parts of the constructor share: make.c has the protocol,
 * its parameters and time, make_names.c the names and who wakes, make_tree.c
 * how nodes are linked.
 */
#ifndef NET_MAKER_H
#define NET_MAKER_H

#include "net/make.h"

struct maker {
    struct net_made *made;
    const struct net_words *words;
    struct net_refusal *refusal;
};

/* Each makes its part; false: refused. */
bool maker_names(struct maker *m);
bool maker_wakes(struct maker *m);
bool maker_topology(struct maker *m);

/* Writes the sentence and returns false: the words are wrong, or the system
 * would not give what is needed. */
__attribute__((format(printf, 2, 3))) bool
maker_refuse(struct net_refusal *refusal, const char *format, ...);
__attribute__((format(printf, 2, 3))) bool
maker_fail(struct net_refusal *refusal, const char *format, ...);

/* The numbers of a list "3,1,2", each from 1 to `greatest`; refused as `what`.
 * *out is to be freed. */
bool maker_list(struct maker *m, const char *list, const char *what,
                uint64_t greatest, uint64_t **out, uint32_t *count);

#endif
