/*
 * rehearse.h - a whole cluster in virtual time: the daemons' own code, links
 * without their cipher, records, clients, guards and commands, with every fault
 * drawn from a seed.
 *
 * The assumptions are those of real life: clock rates differ by at most
 * `spread`; a clock that is read goes on while its machine sleeps; of daemon,
 * client and guard of a holder one runs, or the whole machine stands still,
 * with the command; when it goes on, killers are woken first.  A record that
 * was set back is met by a node that knows better (P4).  In mode silence,
 * besides: a packet that is not lost arrives within dmax, and of four in a row
 * one is not.
 */
#ifndef LIVE_REHEARSE_H
#define LIVE_REHEARSE_H

#include "live/config/config.h"

enum live_fault {
    LIVE_FAULT_KILL,       /* a daemon, which comes back */
    LIVE_FAULT_CRASH,      /* a whole machine; writes that were not synced are
                         * there or not */
    LIVE_FAULT_FREEZE,     /* a daemon, a client, a guard, a command */
    LIVE_FAULT_SLEEP,      /* a whole machine */
    LIVE_FAULT_STALL,      /* a daemon, before something it was about to do */
    LIVE_FAULT_CUT,        /* links, one way or both, in any pattern */
    LIVE_FAULT_FLAP,       /* the same, in another pattern every moment */
    LIVE_FAULT_LOSS,       /* packets are lost, copied, late, out of order */
    LIVE_FAULT_DISK,       /* writing takes long, or fails */
    LIVE_FAULT_OLD,        /* a record that was set back */
    LIVE_FAULT_LOST,       /* a record that is missing, and is repaired */
    LIVE_FAULT_CLOCK,      /* rates change, within the spread */
    LIVE_FAULT_CLIENT,     /* a client or a guard is killed */
    LIVE_FAULT_STOP,       /* a daemon is stopped in order, and started again */
    LIVE_FAULT_GENERATION, /* a node gets a file of a higher generation, with
                            * another list: only if it is asked for */
    LIVE_FAULT_CHANGE,     /* an operator asks for another list, or other times,
                        * while all run: only if it is asked for */
    LIVE_FAULT_KEY,        /* the key is exchanged: only if it is asked for */
    LIVE_FAULT_UPGRADE,    /* nodes of earlier releases are brought to this one:
                         * only if it is asked for */
    LIVE_FAULTS,
};

extern const char *const live_fault_names[LIVE_FAULTS];

/* Rules that can be left out: of the protocol, of the desk, or of the machine
 * around them. */
struct live_left_out {
    uint8_t protocol; /* enum view_lock_without */
    uint8_t desk;     /* enum live_desk_without */
    uint8_t machine;  /* enum live_machine_without */
    uint8_t silence;  /* enum live_silence_without */
};
enum live_machine_without {
    LIVE_MACHINE_WHOLE,
    LIVE_WITHOUT_P1,     /* a record is said to be on disk before it is */
    LIVE_WITHOUT_P3,     /* a record that is missing is made anew */
    LIVE_WITHOUT_P4,     /* a record that was set back is not noticed */
    LIVE_WITHOUT_P6,     /* a node of another generation is not noticed */
    LIVE_WITHOUT_VACATE, /* a new view does not wait until holders are dead */
    LIVE_WITHOUT_GUARD,  /* there is none */
    LIVE_WITHOUT_CLIENT, /* the client does not stop its command in time */
    LIVE_WITHOUT_START,  /* a command starts however late it is */
    LIVE_WITHOUT_R8,     /* a key is dropped though others need it */
    LIVE_WITHOUT_R9,     /* a change begins though not all can read it */
    LIVE_WITHOUT_FLOOR,  /* a started node knows nothing of its numbers */
};

/* The rule of this name in this mode; false: there is none. */
bool live_left_out_find(struct live_left_out *out, const char *name,
                        enum live_mode_name mode);
/* The i-th of the names in this mode, or NULL. */
const char *live_left_out_name(uint32_t i, enum live_mode_name mode);

/* Faults that a mode promises to survive, and those that it cannot meet at
 * all. */
uint32_t live_faults_assumed(enum live_mode_name mode);
uint32_t live_faults_unknown(enum live_mode_name mode);
/* And those that happen only if they are asked for. */
uint32_t live_faults_asked(void);

/* The faults of a set under which a list cannot change while nodes run: packets
 * do not arrive, or nodes do not hear them. */
uint32_t live_faults_deaf(uint32_t faults);

struct live_rehearsal {
    const struct live_config *config;
    uint64_t seed;
    uint64_t time;    /* of one run: microseconds */
    uint32_t clients; /* at each node */
    uint32_t locks;
    uint32_t faults; /* a set of enum live_fault */
    uint64_t every;  /* greatest time from fault to fault: microseconds */
    struct live_left_out without;
    bool grace; /* K8: holders are told to end; some do */
    bool log;   /* what happens, a line each, on standard output */
};

enum live_broken_promise {
    LIVE_KEPT,
    LIVE_TWO_INSIDE,
    LIVE_WITHOUT_LEASE,
    LIVE_TOKEN_BACK,
    LIVE_BEYOND_DEADLINE,
    LIVE_NOT_SERVED,   /* after everything was healed */
    LIVE_NODE_BROKE,   /* for no reason that was done to it */
    LIVE_HELD_OUTSIDE, /* by a node that is in no list any more */
    LIVE_NOT_CHANGED,  /* a change has begun, and does not end */
};

struct live_rehearsed {
    enum live_broken_promise broken;
    uint64_t at; /* when, or the whole time */
    char why[256];
    uint64_t events, datagrams, entries, lost;
    uint64_t changes; /* of the list, that have ended */
    uint64_t done[LIVE_FAULTS];
};

/* -1: there is no memory. */
int live_rehearse(const struct live_rehearsal *setup,
                  struct live_rehearsed *result);

#endif
