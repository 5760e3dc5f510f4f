/*
 * tree.h - the types of tree.c; the story is in README.md.
 */
#ifndef TREE_H
#define TREE_H

#include "core/fc.h"
#include "core/word.h"
#include "problems/election.h"

enum tree_status {
    TREE_ASLEEP,
    TREE_AWAKE, /* two or more links have not reported */
    TREE_SENT,  /* reported on the last of them, and hears from it next */
    TREE_DONE,
    TREE_LEADER,
};

enum tree_kind {
    TREE_WAKEUP = 1,
    TREE_REPORT,  /* its name is the least on the sender's side */
    TREE_ELECTED, /* its name is the leader's */
    TREE_KINDS,
};

enum { TREE_PORTS_MAX = 64 }; /* links of a node: a bit each in `heard` */

struct tree {
    uint64_t heard; /* links by which a report came, a bit each */
    fc_name least;  /* of the names seen; the leader's, once told */
    uint8_t status; /* enum tree_status */
    uint8_t unused[3];
};
_Static_assert(sizeof(struct tree) == 16, "flat, without padding");

enum tree_wakeup { TREE_OTHERS, TREE_ALL };

struct tree_params {
    uint8_t wakeup;
};

#define tree_msg      fc_word
#define tree_site     fc_joint
#define tree_problem  election
#define tree_topology FC_TREE
#define tree_timers   0
#define tree_traits   FC_NO_TRAITS

FC_PROTOCOL(tree);

#endif
