/*
 * record_parts.h - shared by the parts of the record: record.c (the file),
 * record_change.c (whether a node may go on with it) and record_slot.c (the
 * bytes of a slot).
 */
#ifndef LIVE_RECORD_PARTS_H
#define LIVE_RECORD_PARTS_H

#include <sys/types.h>

#include "live/record/place.h"
#include "live/record/record.h"

enum {
    RECORD_SLOT_BYTES = 4096, /* no sector, and no page, belongs to both */
    RECORD_PAYLOADS_MAX = 4,  /* modes of one node, one after the other */
};

/* Flags of a slot. */
enum {
    RECORD_DISTRUSTED = 1, /* others knew more than it says (P4) */
    RECORD_STOPPED = 2,    /* the node has stopped in order, and both slots say
                            * the same but for their numbers */
};

/* What one mode has written, and nobody else reads. */
struct record_payload {
    uint16_t mode, version;
    uint32_t size;
    uint8_t bytes[LIVE_PAYLOAD_MAX];
};

struct record_slot {
    uint64_t number;       /* of the write: the greater one counts */
    uint64_t hash;         /* of the configuration */
    uint64_t quiet;        /* the longest Wfull of this generation */
    uint64_t quiet_before; /* the longest of earlier generations; 0: unknown */
    uint32_t generation, node, starts, flags;
    uint8_t outdated_by;     /* P6: a higher generation that was met, or 0 */
    uint8_t stays_from;      /* and one that the operator said was a mistake */
    struct live_place place; /* where it belongs (P7) */
    uint32_t payloads_count;
    struct record_payload payloads[RECORD_PAYLOADS_MAX];
};

enum record_format {
    RECORD_TORN,    /* or damaged, or no slot at all */
    RECORD_NOW,     /* as this program writes it */
    RECORD_EARLIER, /* of an earlier program */
    RECORD_LATER,   /* of a later one: nothing is known but its number */
};

void record_slot_pack(const struct record_slot *slot,
                      uint8_t bytes[RECORD_SLOT_BYTES]);

/* P5, P6: whether a node with this record may start with this configuration;
 * then what follows from the change. */
enum live_record_found record_judge_change(const struct record_slot *slot,
                                           const struct live_config *config,
                                           const char *path,
                                           struct live_record_change *change,
                                           struct net_why *error);

/* The first write is of this configuration. */
void record_take_over(struct record_slot *slot,
                      const struct live_config *config, uint32_t self,
                      struct live_record_change *change);

/* NULL, or why a slot must not be written. */
const char *record_slot_sane(const struct record_slot *slot);

/* From as many bytes of the slot as are there. */
enum record_format record_slot_unpack(struct record_slot *slot,
                                      const uint8_t *bytes, size_t size);

/* Writes the whole of one of the file's slots and waits for the disk; -1 with
 * errno. */
int record_slot_write(int file, uint32_t which, const struct record_slot *slot);

/* The number of its bytes that are there, or -1 with errno. */
ssize_t record_slot_read(int file, uint32_t which,
                         uint8_t bytes[RECORD_SLOT_BYTES]);

#endif
