/*
 * tree_names.h - the types of tree_names.c; the story is in README.md.
 */
#ifndef TREE_NAMES_H
#define TREE_NAMES_H

#include "core/fc.h"
#include "core/word.h"
#include "problems/election.h"

enum tree_names_kind { TREE_NAMES_NUMBER = 1, TREE_NAMES_KINDS };

struct tree_names {
    fc_name name;    /* that it was given; FC_NOBODY: none yet */
    uint16_t parent; /* not the leader: the link of the first number */
    uint16_t next;   /* the first link that the number has yet to take */
    uint8_t begun;   /* it has sent a number: by the link before `next`, not
                      * counting that to the parent */
    uint8_t unused[3];
};
_Static_assert(sizeof(struct tree_names) == 12, "flat, without padding");

#define tree_names_msg      fc_word
#define tree_names_params   fc_no_params
#define tree_names_site     fc_marked
#define tree_names_problem  election
#define tree_names_topology FC_TREE
#define tree_names_timers   0
#define tree_names_traits   FC_NO_TRAITS

FC_PROTOCOL(tree_names);

#endif
