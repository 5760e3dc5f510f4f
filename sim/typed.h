/*
 * typed.h - what the typed engines share and need not be typed.
 */
#ifndef SIM_TYPED_H
#define SIM_TYPED_H

#include "net/names.h"
#include "sim/sim.h"

/* The engines for the number of nodes of a setup. */
static inline const struct sim_type *sim_engines(const struct sim_setup *setup)
{
    const struct sim_type *type = setup->type;

    return type->wide && setup->net.world.nodes > type->most ? type->wide
                                                             : type;
}

/* The tick of the last wake-up that is certain, or may be drawn. */
uint64_t sim_last_wake(const struct sim_setup *setup);

/* The wake-ups of a run.  NULL: the nodes 0..count-1, all at tick 0.  Sets
 * *failed if there is no memory for them. */
const struct net_wake *sim_wakes(const struct sim_setup *setup,
                                 const struct sim_job *job,
                                 const struct net_names *names, uint32_t *count,
                                 bool *failed);

/* The scheduled and drawn faults of one run, by node.  NULL with *count 0:
 * none.  Sets *failed if there is no memory. */
const struct net_fault *sim_faults_begin(const struct sim_setup *setup,
                                         const struct net_names *names,
                                         uint64_t seed,
                                         struct net_memory *memory,
                                         uint32_t *count, bool *failed);

/* Fills in what follows from the rest, the properties that were broken and
 * what came of the run. */
void sim_finish(const struct sim_setup *setup, uint32_t broken,
                const struct fc_outcome *outcome, struct sim_result *result);

/* How far a run has come. */
void sim_report(struct sim_progress *progress, const struct sim_result *result,
                uint64_t tick);

/* ---- A run by pieces: what sim/course.c asks of a typed engine ---------- */

struct sim_hash;

/* Something that a snapshot keeps. */
struct sim_part {
    void *at;
    size_t size;
};

/* The event queue, a timing wheel (sim/engine/wheel.inc). */
struct sim_queue {
    struct net_memory *memory;
    uint64_t *now, *count;
    struct net_chunk **chunk; /* of the list being popped */
    uint32_t *index, *rank;
    uint64_t *set;            /* [WHEEL_LEVELS][WHEEL_WORDS] */
    struct wheel_list *lists; /* [WHEEL_LEVELS][WHEEL_SLOTS][classes] */
    uint32_t classes;
    size_t near_size, far_size; /* of records, in the first level and above */
};

enum { SIM_PARTS_MAX = 12 };
struct sim_insides {
    uint64_t tick, rows; /* as sim_course_tick() and sim_course_lines() say */
    struct sim_queue queue;
    struct sim_part part[SIM_PARTS_MAX]; /* the run itself first */
    uint32_t parts;
};

/* `run` is memory of run_size bytes. */
struct sim_pieces {
    size_t run_size;
    bool (*begin)(void *run, const struct sim_setup *setup,
                  const struct sim_job *job, struct sim_result *result);
    enum sim_status (*go)(void *run, uint64_t rows);
    void (*insides)(void *run, struct sim_insides *out);
    /* The run as a snapshot has it, where it is now in memory. */
    void (*restore)(void *run, const void *saved);
    void (*drop)(void *run);
    const void *(*state)(const void *run, uint32_t node);
    void (*view)(const void *run, uint32_t node, struct fc_shown *out);
    /* All but the queue; and one record of it, of this class. */
    void (*hash)(const void *run, struct sim_hash *h);
    void (*hash_record)(const void *run, uint32_t rank, const void *record,
                        struct sim_hash *h);
};

void sim_hash_bytes(struct sim_hash *h, const void *bytes, size_t size);
void sim_hash_number(struct sim_hash *h, uint64_t number);

#endif
