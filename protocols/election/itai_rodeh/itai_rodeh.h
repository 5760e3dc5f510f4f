/*
 * itai_rodeh.h - the types of itai_rodeh.c; the story is in README.md.
 */
#ifndef ITAI_RODEH_H
#define ITAI_RODEH_H

#include "core/fc.h"
#include "core/wire.h"
#include "problems/election.h"

enum itai_rodeh_status {
    ITAI_RODEH_ASLEEP,
    ITAI_RODEH_ACTIVE,
    ITAI_RODEH_PASSIVE,
    ITAI_RODEH_LEADER,
    ITAI_RODEH_DONE,
};

enum itai_rodeh_kind {
    ITAI_RODEH_TOKEN = 1,
    ITAI_RODEH_ELECTED,
    ITAI_RODEH_KINDS,
};

/* Fields that a status does not use are 0 in it. */
struct itai_rodeh {
    uint32_t round; /* active: from 1 */
    uint32_t id;    /* active: drawn in 1..n for this round */
    uint8_t status; /* enum itai_rodeh_status */
    uint8_t unused[3];
};
_Static_assert(sizeof(struct itai_rodeh) == 12, "flat, without padding");

struct itai_rodeh_msg {
    uint32_t round; /* 0: the messages of this run carry none */
    uint32_t id;
    uint32_t hop;
    uint8_t kind;   /* `elected` is a kind and no more */
    uint8_t unique; /* the bit: nobody with the same id has passed it on */
    uint16_t unused;
};
_Static_assert(sizeof(struct itai_rodeh_msg) == 16, "flat, without padding");
enum { itai_rodeh_msg_wire = 1 + 4 + 4 + 4 };

struct itai_rodeh_params {
    uint8_t rounds; /* 0: messages carry no round */
};

#define itai_rodeh_site     fc_anonymous
#define itai_rodeh_problem  election
#define itai_rodeh_topology FC_RING
#define itai_rodeh_timers   0
#define itai_rodeh_traits   FC_MEASURED

FC_PROTOCOL(itai_rodeh);

#endif
