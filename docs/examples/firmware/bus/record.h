/*
 * record.h - the record of a node in two slots of flash, written in turn: what
 * a power cut tears is the newer one, and the other still tells what was
 * promised before.  The promise that was torn has not left the board.
 */
#ifndef BUS_RECORD_H
#define BUS_RECORD_H

#include "board.h"
#include "protocols/mutex/view_lock/view_lock.h"

/* The slots as they were read. */
struct bus_record {
    uint32_t writes; /* the number of the newest, which is in slot writes % 2 */
};

/* Reads the newest that is whole; false: none is. */
bool bus_record_read(struct bus_record *r, struct board *b,
                     struct view_lock_record *kept);

/* Writes it, and reads it again; false: it is not there. */
bool bus_record_write(struct bus_record *r, struct board *b,
                      const struct view_lock_record *kept);

#endif
