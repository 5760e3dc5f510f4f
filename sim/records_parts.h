/*
 * records_parts.h - what the files of records share: records.c (what happens in
 * a run) and records_tables.c (its tables).
 */
#ifndef SIM_RECORDS_PARTS_H
#define SIM_RECORDS_PARTS_H

#include "sim/records.h"

/* Facts about a node besides its entry. */
struct sim_recorded {
    uint64_t id; /* as people call it */
    uint64_t step;
    uint64_t passes, bits; /* of messages with its name */
    uint64_t woke, first; /* ticks of its first message, of one with its name */
    uint64_t refusals;    /* that its last entry met */
    size_t entry;         /* 1 + the present one, or 0 */
    uint32_t overtakes;   /* while another waits */
    uint32_t entries;
    uint32_t phase; /* from 1 on, or 0 */
    bool drawn;     /* in this phase */
};

struct sim_phase {
    uint64_t first, last; /* ticks at which nodes begin it */
    uint64_t bits;
    uint32_t starts, candidates;
    uint32_t *sent; /* messages, by node and kind; kept for the next run */
    size_t sent_room;
};

/* The array, with room for one more behind `count`.  If there is no memory it
 * is as it was, and r->failed. */
void *sim_records_roomy(struct sim_records *r, void *array, size_t *room,
                        size_t count, size_t size);

/* The node of this name, or NULL. */
struct sim_recorded *sim_records_find(struct sim_records *r, uint64_t id);

/* What a protocol counts as its phases, or NULL; whether its messages carry
 * names. */
const struct fc_quantity *sim_records_phases_of(const struct fc_protocol *p);
bool sim_records_carry_names(const struct fc_protocol *p);

#endif
