/*
 * rw_optimistic.h - the types of rw_optimistic.c; the story is in README.md.
 */
#ifndef RW_OPTIMISTIC_H
#define RW_OPTIMISTIC_H

#include "core/stamp.h"
#include "problems/store.h"

/* Nobody sends anything. */
enum { RW_OPTIMISTIC_KINDS = 1 };

/* The shared memory: two counters, and then the words of the data.  Counters of
 * several digits take as many cells each, the least digit first. */
enum rw_optimistic_cell {
    RW_OPTIMISTIC_V1,
    RW_OPTIMISTIC_V2,
    RW_OPTIMISTIC_DATA
};

struct rw_optimistic {
    uint32_t number;   /* of the current write, or of the last; as a reader: the
                        * counter as it was before the data */
    uint32_t value;    /* a reader's: the first word that it read */
    uint32_t attempts; /* to read, this time */
    uint16_t at;       /* the next statement, from 0 on */
    uint8_t role;      /* enum store_role, as the application sees it */
    uint8_t busy;      /* a statement, or the wait before it, is to come */
    uint8_t mixed;     /* a reader's: the words it read are not all equal */
    uint8_t differs;   /* a reader's: the counters are not equal */
    uint8_t unused[2];
};
_Static_assert(sizeof(struct rw_optimistic) == 20, "flat, without padding");

enum rw_optimistic_waits {
    RW_OPTIMISTIC_WRITER,
    RW_OPTIMISTIC_PAPER,
    RW_OPTIMISTIC_NONE,
};
enum rw_optimistic_order { RW_OPTIMISTIC_RIGHT, RW_OPTIMISTIC_SWAPPED };
enum rw_optimistic_writes { RW_OPTIMISTIC_ALWAYS, RW_OPTIMISTIC_ASKED };

struct rw_optimistic_params {
    uint32_t words;           /* B, of the data */
    uint32_t least, greatest; /* prepared: steps of the paper's waits */
    uint32_t pause;           /* prepared: steps of the writer after a write */
    struct fc_either modulus; /* of the counters */
    uint32_t digits;          /* of a counter, a cell each; 0 is 1 */
    uint32_t base; /* of all digits but the first, which has no limit */
    uint8_t waits, order, writes, digit_order;
};

#define rw_optimistic_msg      fc_stamp
#define rw_optimistic_site     fc_member
#define rw_optimistic_problem  store
#define rw_optimistic_topology FC_COMPLETE
#define rw_optimistic_timers   1
#define rw_optimistic_traits   (FC_COUNTS | FC_MEASURED)

FC_PROTOCOL(rw_optimistic);
FC_FORGETS(rw_optimistic);

#endif
