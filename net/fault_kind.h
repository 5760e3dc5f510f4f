/*
 * fault_kind.h - what goes wrong with a node, or is asked of it.
 */
#ifndef NET_FAULT_KIND_H
#define NET_FAULT_KIND_H

enum net_fault_kind {
    NET_FAULT_CRASH,
    NET_FAULT_RESTART,       /* with the state it had */
    NET_FAULT_RESTART_BLANK, /* its memory lost */
    NET_FAULT_PAUSE,
    NET_FAULT_CUT,    /* on the other side of a partition from here on */
    NET_FAULT_JOINED, /* and back */
    NET_FAULT_CHANGE, /* an operator asks for a planned list of nodes */
};

#endif
