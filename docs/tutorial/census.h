/*
 * census.h - election on a ring whose tokens count it.
 *
 * The rules are in census.c; docs/tutorial/message.md builds it up.
 */
#ifndef CENSUS_H
#define CENSUS_H

#include "core/fc.h"
#include "core/wire.h"
#include "problems/election.h"

enum census_status {
    CENSUS_ASLEEP, /* 0: a node before its first event */
    CENSUS_CANDIDATE,
    CENSUS_LOST,
    CENSUS_LEADER,
    CENSUS_DONE, /* was told who leads, and how many there are */
};

enum census_kind { CENSUS_TOKEN = 1, CENSUS_ELECTED, CENSUS_KINDS };

struct census {
    fc_name leader; /* FC_NOBODY until it is known */
    uint32_t size;  /* of the ring, once the leader is known */
    uint8_t status; /* enum census_status */
    uint8_t unused[3];
};
_Static_assert(sizeof(struct census) == 12, "flat and without padding");

struct census_msg {
    fc_name name;   /* whose token it is; of `elected`: who leads */
    uint32_t count; /* hops so far, this one included; or the size */
    uint8_t kind;   /* enum census_kind; 0: no message */
    uint8_t unused[3];
};
_Static_assert(sizeof(struct census_msg) == 12, "flat and without padding");
enum { census_msg_wire = 1 + 4 + 4 }; /* kind, name, count */

#define census_params   fc_no_params
#define census_site     fc_named
#define census_problem  election
#define census_topology FC_RING
#define census_timers   0
#define census_traits   FC_NO_TRAITS

FC_PROTOCOL(census);

#endif
