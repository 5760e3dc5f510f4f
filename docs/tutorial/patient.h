/*
 * patient.h - election on a ring, large names wait before they ask.
 *
 * The rules and the idea are in patient.c; docs/tutorial.md builds it up.
 */
#ifndef PATIENT_H
#define PATIENT_H

#include "core/fc.h"
#include "core/wait.h"
#include "core/word.h"
#include "problems/election.h"

enum patient_status {
    PATIENT_ASLEEP, /* 0: a node before its first event */
    PATIENT_WAITS,  /* candidate, its token has yet to leave */
    PATIENT_SENT,   /* candidate, its token is in flight */
    PATIENT_LOST,
    PATIENT_LEADER,
    PATIENT_DONE, /* was told who leads */
};

enum patient_kind { PATIENT_TOKEN = 1, PATIENT_ELECTED, PATIENT_KINDS };

struct patient {
    fc_name leader; /* FC_NOBODY until it is known */
    uint8_t status; /* enum patient_status */
    uint8_t unused[3];
};
_Static_assert(sizeof(struct patient) == 8, "flat and without padding");

struct patient_params {
    struct fc_wait wait; /* steps before the token of a name leaves */
};

#define patient_msg      fc_word
#define patient_site     fc_named
#define patient_problem  election
#define patient_topology FC_RING
#define patient_timers   1
#define patient_traits   FC_NO_TRAITS

FC_PROTOCOL(patient);

#endif
