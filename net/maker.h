/*
 * maker.h - what the parts of the constructor share: make.c has the protocol,
 * its parameters and time, make_names.c the names and the wake-ups,
 * make_tree.c how nodes are linked.
 */
#ifndef NET_MAKER_H
#define NET_MAKER_H

#include "net/make.h"

/* A number that was read; line: of its file, or 0 in a list. */
struct maker_number {
    uint64_t value;
    uint32_t place, line;
};

struct maker {
    struct net_made *made;
    const struct net_words *words;
    struct net_why *why;
    struct maker_number *read; /* by maker_list() or maker_file() */
    uint32_t count;
};

/* Each makes its part; false: refused. */
bool maker_names(struct maker *m);
bool maker_wakes(struct maker *m);
bool maker_topology(struct maker *m);

/* What the numbers of a file are. */
struct maker_kind {
    const char *file, *one; /* "names", "a name" */
    uint64_t least, greatest;
    const char *instead; /* of a file that cannot be read */
};

/* Read numbers, which replace those read before: of a list "3,1,2", each from
 * `least` to `greatest`, refused as `what`; or of a file, with spaces, commas
 * or lines between them, and comments from # on. */
bool maker_list(struct maker *m, const char *list, const char *what,
                uint64_t least, uint64_t greatest);
bool maker_file(struct maker *m, const char *path,
                const struct maker_kind *kind);

#endif
