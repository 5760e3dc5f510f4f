/*
 * archimedean.h - mutual exclusion where silence is consent (Spirakis and
 * Tampakas 1989, section 2), as printed, repaired, and with proven silence.
 *
 * Rules and idea: the .c file; waits: archimedean_times.c.  Story:
 * README.md. rw_preventive.h is the same protocol with
 * readers.
 */
#ifndef ARCHIMEDEAN_H
#define ARCHIMEDEAN_H

#include "core/set.h"
#include "core/wire.h"
#include "problems/mutex.h"

enum archimedean_mode {
    ARCHIMEDEAN_IDLE,
    ARCHIMEDEAN_SLEEP,
    ARCHIMEDEAN_CHOSEN, /* number=apart: has a number, and still sleeps */
    ARCHIMEDEAN_WINDOW,
    ARCHIMEDEAN_WAIT,
    ARCHIMEDEAN_INSIDE,
    ARCHIMEDEAN_MUTE,
    ARCHIMEDEAN_HELLO,
};

enum archimedean_kind {
    ARCHIMEDEAN_REQ = 1,   /* number, round, epoch of the sender */
    ARCHIMEDEAN_NEG,       /* the request it refuses */
    ARCHIMEDEAN_POS,       /* number and epoch of the request it grants */
    ARCHIMEDEAN_HELLO_MSG, /* epoch; restart=informed: the highest number */
    ARCHIMEDEAN_HREP,      /* number; epoch of the hello it answers */
    ARCHIMEDEAN_FRAME, /* a request of the receiver, and the verdict on it */
    ARCHIMEDEAN_KINDS,
    ARCHIMEDEAN_READ = ARCHIMEDEAN_KINDS, /* a REQ to read: rw_preventive */
    ARCHIMEDEAN_RW_KINDS,
};

struct archimedean_msg {
    uint64_t number;
    uint32_t round;
    uint32_t epoch;
    uint8_t kind;
    uint8_t clear; /* the verdict of a frame */
    uint8_t unused[6];
};
_Static_assert(sizeof(struct archimedean_msg) == 24, "flat, without padding");
enum { archimedean_msg_wire = 1 + 4 + 8 + 4 + 1 };

/* The last request of a peer that was handled (rules=proven), or the one that
 * is deferred (else). */
struct archimedean_tag {
    uint64_t number;
    uint32_t round, epoch;
};

/* What a site keeps over a crash in which it loses the rest. */
struct archimedean_record {
    uint64_t floor; /* none of its own numbers was above it */
};

/* The paper's names, where it has them; nnr is its count of refusals, ppr its
 * count of positive replies, `deferred` its repgiven. */
struct archimedean {
    struct archimedean_record record; /* first: the driver keeps it */
    uint64_t osn, hsn;
    struct fc_set neg, pos; /* sites that refused, that consented */
    struct fc_set deferred;
    struct fc_set reading; /* whose tag is a request to read */
    struct fc_set owed;    /* a frame */
    struct archimedean_tag tag[FC_NODES_MAX];
    uint32_t rnd, epoch;
    uint16_t nnr, ppr;
    uint16_t last;   /* nnr of the entry before, if it is used */
    uint8_t mode;    /* enum archimedean_mode */
    uint8_t shared;  /* its own request is one to read */
    uint8_t fenced;  /* inside, and (osn, site) is a token */
    uint8_t ticking; /* the timer of frames runs */
    uint8_t rests;   /* the window of a request that was given up runs */
    uint8_t unused[5];
};
_Static_assert(sizeof(struct archimedean) ==
                   24 + 5 * sizeof(struct fc_set) +
                       FC_NODES_MAX * sizeof(struct archimedean_tag) + 24,
               "flat, without padding");

enum archimedean_rules {
    ARCHIMEDEAN_PRINTED,
    ARCHIMEDEAN_REPAIRED,
    ARCHIMEDEAN_PROVEN,
};
/* The switches; 0 is always "as the rules have it". */
enum archimedean_number {
    ARCHIMEDEAN_EARLY = 1, /* chosen before the sleep: the print */
    ARCHIMEDEAN_APART,     /* after it, but a step before it ends */
    ARCHIMEDEAN_ATOMIC,    /* in the step that ends it */
};
enum archimedean_noted { ARCHIMEDEAN_NOT_NOTED = 1, ARCHIMEDEAN_NOTED };
enum archimedean_restart {
    ARCHIMEDEAN_GOES_ON = 1,
    ARCHIMEDEAN_REJOINS,  /* listens, asks, and waits for a window */
    ARCHIMEDEAN_INFORMED, /* the same, until somebody knows the last number */
};
enum archimedean_predict {
    ARCHIMEDEAN_PREDICT_LAST,
    ARCHIMEDEAN_PREDICT_N,
    ARCHIMEDEAN_PREDICT_0,
};
enum archimedean_frames { ARCHIMEDEAN_NEEDED, ARCHIMEDEAN_ALWAYS };

/* What was set, and what follows from it: see archimedean_times.c. */
struct archimedean_params {
    /* Own steps; FC_NEVER: this is not done. */
    uint64_t window_steps, poll_steps, longest_steps, giveup_steps, mute_steps,
        repeat_steps, mindelay_steps, delaystep_steps;
    struct fc_either window, poll, longest, giveup, repeat, mindelay, delaystep,
        modulus, wraps_at, block, writers_set;
    uint32_t m;        /* the modulus, or 0 */
    uint32_t wrap;     /* numbers so far apart have wrapped; 0: n */
    uint32_t reserves; /* numbers at a time that are kept over a crash, or 0 */
    uint32_t c, tau, epochs, writers;
    uint8_t rules, predict, frames, hasten;
    uint8_t number_set, noted_set, restart_set; /* as typed */
    uint8_t number, noted, restart;             /* as used */
    uint8_t shares; /* there are readers: rw_preventive */
    uint8_t fixed;  /* they are the sites from `writers` on */
};

/* Besides the problem's own. */
enum archimedean_command {
    ARCHIMEDEAN_GIVE_UP = MUTEX_LEAVE + 1, /* it asks, waits, or sleeps */
};

/* The record is the highest number that it may have used. */
#define archimedean_site     fc_member
#define archimedean_problem  mutex
#define archimedean_topology FC_COMPLETE
#define archimedean_timers   2
#define archimedean_traits   (FC_DURABLE | FC_MEASURED)

/* The same, where there are readers. */
FC_API int archimedean_unpack_any(struct archimedean_msg *m,
                                  const uint8_t *wire, size_t size);

FC_PROTOCOL(archimedean);

/* What holds of all sites together: archimedean_network.inc. */
enum { ARCHIMEDEAN_PREDICATES = 6 };
extern const struct fc_predicate archimedean_predicates[ARCHIMEDEAN_PREDICATES];

/* ---- How long sites wait, and their parameters (archimedean_times.c) ----- */

/* Resolves switches and works out all waits; refuses with a sentence. */
FC_EXTERN const char *archimedean_prepare(void *params,
                                          const struct fc_world *world);

FC_EXTERN uint64_t archimedean_horizon(const void *params,
                                       const struct fc_world *world);

FC_EXTERN uint32_t archimedean_needs(const void *params);
FC_EXTERN bool archimedean_wraps(const void *params);

/* The kinds and the parameters; those that only rw_preventive has are last. */
enum { ARCHIMEDEAN_PARAMS = 20, ARCHIMEDEAN_RW_PARAMS = 21 };
extern const struct fc_message_kind archimedean_kinds[ARCHIMEDEAN_RW_KINDS];
extern const struct fc_param archimedean_list[ARCHIMEDEAN_RW_PARAMS];

#endif
