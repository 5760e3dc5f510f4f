/*
 * spirakis_tampakas.h - the types of spirakis_tampakas.c; the story is in
 * README.md.
 */
#ifndef SPIRAKIS_TAMPAKAS_H
#define SPIRAKIS_TAMPAKAS_H

#include "core/fc.h"
#include "core/wire.h"
#include "problems/election.h"

enum spirakis_tampakas_status {
    SPIRAKIS_TAMPAKAS_SLEEPING,
    SPIRAKIS_TAMPAKAS_AWAKE,
    SPIRAKIS_TAMPAKAS_CANDIDATE,
    SPIRAKIS_TAMPAKAS_NEXT_TIMER,
    SPIRAKIS_TAMPAKAS_ELECTED,
    SPIRAKIS_TAMPAKAS_DEFEATED,
};

/* Facts about a phase that are kept so that it can be judged. */
enum spirakis_tampakas_mark {
    SPIRAKIS_TAMPAKAS_DREW_ONE = 1, /* in this phase */
    SPIRAKIS_TAMPAKAS_EXPIRED = 2,  /* it gave the phase up by ST-2.6 */
    SPIRAKIS_TAMPAKAS_STALE = 4, /* a message of an old phase had an effect */
};

enum spirakis_tampakas_kind {
    SPIRAKIS_TAMPAKAS_WAKEUP = 1,
    SPIRAKIS_TAMPAKAS_CLAIM,
    SPIRAKIS_TAMPAKAS_NEXTTIME,
    SPIRAKIS_TAMPAKAS_TERMINATION,
    SPIRAKIS_TAMPAKAS_KINDS,
};

/* Fields that a status does not use are 0 in it. */
struct spirakis_tampakas {
    uint8_t status;   /* enum spirakis_tampakas_status */
    uint8_t one;      /* awake: the number drawn is 1 */
    uint8_t seen;     /* awake: a claim has passed in this phase */
    uint8_t passes;   /* next-timer: will pass on one next-time */
    uint8_t stage;    /* candidate: j, 0..k */
    uint8_t holding;  /* candidate: else it is forwarding */
    uint8_t buffer;   /* candidate: a claim put aside */
    uint8_t received; /* candidate: claims of this period, 0 or 1 */
    uint8_t sent;     /* candidate: a claim left as this period began */
    uint8_t phase;    /* rules=bit: its parity */
    uint8_t number;   /* with parameter phases: of its phase, from 1 on; rules
                       * look at it only to stop */
    uint8_t marks;    /* the same, but no rule looks at them: see below */
};
_Static_assert(sizeof(struct spirakis_tampakas) == 12, "no padding");

/* Four kinds and nothing else, except in two of the variants. */
struct spirakis_tampakas_msg {
    uint8_t kind;
    uint8_t phase;  /* rules=bit, wake-up and claim: 1 + parity; else 0 */
    uint8_t number; /* with parameter phases: of the phase it belongs to */
    uint8_t unused;
    uint32_t hop; /* rules=hop, claim: how many hops; else 0 */
};
_Static_assert(sizeof(struct spirakis_tampakas_msg) == 8, "no padding");
enum { spirakis_tampakas_msg_wire = 1 + 4 + 1 };

enum spirakis_tampakas_rules {
    SPIRAKIS_TAMPAKAS_REPAIRED,
    SPIRAKIS_TAMPAKAS_PRINTED,
    SPIRAKIS_TAMPAKAS_FLUSH,
    SPIRAKIS_TAMPAKAS_BIT,
    SPIRAKIS_TAMPAKAS_HOP,
};

/* What Appendix A leaves open, a switch each. */
enum { /* 3.2: a next-timer reads a next-time */
       SPIRAKIS_TAMPAKAS_PASS_NONE,
       SPIRAKIS_TAMPAKAS_PASS_DETECTOR,
       SPIRAKIS_TAMPAKAS_PASS_FIRST,
};
enum { /* 3.3: who generates the wake-up */
       SPIRAKIS_TAMPAKAS_WAKES_NOBODY,
       SPIRAKIS_TAMPAKAS_WAKES_DETECTOR,
       SPIRAKIS_TAMPAKAS_WAKES_NEXT_TIMER,
       SPIRAKIS_TAMPAKAS_WAKES_LATER,
};
enum { /* 2.6: no claim for TO steps */
       SPIRAKIS_TAMPAKAS_FROM_ZERO,
       SPIRAKIS_TAMPAKAS_SLIDING,
};
enum { /* 2.4 with 2.7: the claim that ends the phase */
       SPIRAKIS_TAMPAKAS_STALE_AFTER,
       SPIRAKIS_TAMPAKAS_STALE_BEFORE,
       SPIRAKIS_TAMPAKAS_STALE_ABSORBED,
};
enum { /* 4.5, 4.6: a claim in place of a rule */
       SPIRAKIS_TAMPAKAS_NOTHING,
       SPIRAKIS_TAMPAKAS_DETECT,
       SPIRAKIS_TAMPAKAS_GOES_ON, /* full-buffer: the claim that was there */
};
enum { /* 2.2: which nodes obey a termination */
       SPIRAKIS_TAMPAKAS_TOLD_AWAKE,
       SPIRAKIS_TAMPAKAS_TOLD_ALL,
};
enum { /* 4.2, 4.3: how many coins */
       SPIRAKIS_TAMPAKAS_COINS_K,
       SPIRAKIS_TAMPAKAS_COINS_K_LESS_1,
};
enum { /* 4.8: n*dmax steps */
       SPIRAKIS_TAMPAKAS_LAST_STEPS,
       SPIRAKIS_TAMPAKAS_LAST_TIME,
       SPIRAKIS_TAMPAKAS_LAST_PERIOD,
};

struct spirakis_tampakas_reading {
    uint8_t next_timer_passes;
    uint8_t wake_sender;
    uint8_t window;
    uint8_t stale_claim;
    uint8_t full_buffer;
    uint8_t lost_claim;
    uint8_t termination;
    uint8_t coins;
    uint8_t final_wait;
};

/* prepare() works out all from `reading` on down; the rules look at nothing
 * else except k and whether rules=bit or rules=hop. */
struct spirakis_tampakas_params {
    uint32_t k;
    uint32_t phases; /* the limit of phases, which are judged; 0: no limit */
    uint8_t rules;   /* enum spirakis_tampakas_rules */
    struct spirakis_tampakas_reading typed; /* what rules=printed goes by */
    struct spirakis_tampakas_reading reading;
    uint64_t period;  /* T, in steps */
    uint64_t silence; /* TO */
    uint64_t last;    /* from j = k until elected */
};

#define spirakis_tampakas_site     fc_anonymous
#define spirakis_tampakas_problem  election
#define spirakis_tampakas_topology FC_RING
#define spirakis_tampakas_timers   1
#define spirakis_tampakas_traits   (FC_READS_ALL | FC_MEASURED)

FC_PROTOCOL(spirakis_tampakas);

#endif
