/*
 * sim.h - the simulator: one protocol, one network, one seed, one result.
 *
 * Checks the properties of the problem while it runs and counts messages, bits
 * and ticks.  The chaos it makes: steps and delays anywhere within the bounds
 * (or heavy-tailed without bounds), phases, order of messages, wake-ups,
 * placement of names; and on request the faults of docs/faults.md.  The same
 * setup and seed give the same result on every machine, compiler and number of
 * threads.
 *
 * Order of events.  At one tick come first the faults, then the application's
 * commands, arriving messages, nodes that read what waited for their step, then
 * timers; among equals, what was scheduled first comes first.
 */
#ifndef SIM_H
#define SIM_H

#include "net/atomic.h"
#include "net/fault.h"
#include "net/memory.h"
#include "net/net.h"
#include "net/work.h"
#include "problems/problem.h"
#include "sim/quantity.h"

struct sim_type;
struct trace_listener;
struct sim_tally;
struct sim_records;
struct sim_pieces;

struct sim_setup {
    const struct sim_type *type; /* of net.protocol */
    struct net net;
    uint64_t until; /* last tick, or 0: the protocol's horizon */
    uint64_t bits;  /* ticks that a link is busy with each bit, as the papers
                     * count; 0: it carries whole messages, any number */
    struct net_faults faults;
    struct net_work work; /* in problems where applications ask for more */
    bool general;         /* never the lockstep engine: for comparing the two */
    bool by_ticks;        /* in lockstep, never by windows: the same */
};

#define SIM_FIELD(kind, field, ...) uint64_t field;
struct sim_result {
    uint64_t seed;
    /* Frames only say "I am alive"; end is the tick at which the last message
     * was read; reached_at is fc_outcome's. */
    SIM_QUANTITIES(SIM_FIELD)
    uint64_t by_kind[FC_KINDS_MAX];
    uint64_t hash;   /* of the trace, if there was one */
    uint32_t broken; /* properties, as the problem counts them */
    fc_name leader;  /* or FC_NOBODY */
    bool cut;        /* stopped at `until`, with something left to do */
    bool lockstep;   /* which engine ran... */
    bool by_ticks;   /* ...this one tick by tick */
    bool coins;      /* nodes tossed some */
};

/* The progress of a run, written by it now and then, read by others; and the
 * request to stop, written by others. */
struct sim_progress {
    atomic_uint_fast64_t events; /* relaxed: a number to look at, no more */
    atomic_uint_fast64_t messages;
    atomic_uint_fast64_t tick;
    atomic_bool stop; /* relaxed: a run may see it late */
};

enum sim_status {
    SIM_OK,
    SIM_STOPPED,   /* by progress->stop; the result is void */
    SIM_NO_MEMORY, /* the result is void */
    SIM_UNFIT,     /* lockstep only: this run needs the general engine */
    SIM_PAUSED,    /* by pieces only: see course.h */
};

/* Everything one run needs, besides its setup. */
struct sim_job {
    uint64_t seed;
    struct net_memory *memory;
    struct sim_progress *progress; /* or NULL */
    struct trace_listener *trace;  /* or NULL */
    struct sim_tally *tally;       /* to be added to; or NULL */
    struct sim_records *records;   /* to be filled, with a tally; or NULL */
};

/* The typed engines of one protocol. */
struct sim_type {
    const struct fc_protocol *protocol;
    enum sim_status (*run)(const struct sim_setup *, const struct sim_job *,
                           struct sim_result *);
    enum sim_status (*lockstep)(const struct sim_setup *,
                                const struct sim_job *, struct sim_result *);
    const struct sim_pieces *pieces; /* the general engine, by pieces */
    uint32_t node_bytes; /* that the general engine allocates for a node */
    /* The same in lockstep; 0: it does not take this run. */
    uint32_t (*lockstep_node)(const struct sim_setup *);
    const struct sim_type
        *wide; /* for more than `most` nodes; NULL: this one */
    uint32_t most;
};

/* All protocols; ends with a null pointer. */
extern const struct sim_type *const sim_types[];

/* The protocol of this name, or NULL. */
const struct sim_type *sim_find(const char *name);

/* Sets the protocol to run. */
void sim_use(struct sim_setup *setup, const struct sim_type *type);

/* Fills net.world for the names, wakes and bounds given.  Call before the
 * parameters are prepared. */
void sim_describe(struct sim_setup *setup);

/* What of a run of this setup is drawn from its seed, besides coins: a bit for
 * each word of sim_drawn_words. */
enum { SIM_DRAWN = 8 };
extern const char *const sim_drawn_words[SIM_DRAWN];
uint32_t sim_drawn(const struct sim_setup *setup);

/* The last tick of a run of this setup. */
uint64_t sim_last_tick(const struct sim_setup *setup);

/* The bytes that a run takes at least; told: as a trace, or in records.
 * *lockstep: in which engine. */
uint64_t sim_least_bytes(const struct sim_setup *setup, bool told,
                         bool *lockstep);

/* One run, on the fastest engine that fits it. */
enum sim_status sim_run(const struct sim_setup *setup,
                        const struct sim_job *job, struct sim_result *result);

#endif
