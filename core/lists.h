/*
 * lists.h - lists of nodes as people type them: those among whom a cluster
 * agrees, now and later.
 *
 *     1,2,3w:9/1,2      two lists; node 3 is marked, and the first list has a
 *                       number beside it
 *     none              no list
 */
#ifndef FC_LISTS_H
#define FC_LISTS_H

#include "core/fc.h"

enum { FC_LISTS_MAX = 4, FC_LIST_NODES_MAX = 64 };

struct fc_list {
    uint64_t nodes, marked; /* by index, a bit each: node 1 is bit 0 */
    uint32_t number;        /* 0: none */
    uint32_t unused;
};

struct fc_lists {
    uint32_t count;
    uint32_t unused;
    struct fc_list list[FC_LISTS_MAX];
};

/* Reads all of `text`; false if it is not of this form, or too many. */
FC_EXTERN bool fc_lists_read(struct fc_lists *lists, const char *text);

#endif
