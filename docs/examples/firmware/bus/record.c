/*
 * record.c - see record.h.
 *
 * A slot is five words, the least significant byte first: a word that says what
 * it is, the number of the writing, the record, and the sum of these.
 */
#include "record.h"

#include "frames.h"

enum { WORDS = 5, SLOT = 4 * WORDS };
#define IS_RECORD UINT32_C(0x314c5646) /* "FVL1" */

/* Word i of a slot. */
static uint32_t word(const uint8_t *slot, uint32_t i)
{
    return (uint32_t)bus_get(slot + 4 * i, 4);
}

bool bus_record_read(struct bus_record *r, struct board *b,
                     struct view_lock_record *kept)
{
    bool found = false;

    for (uint32_t slot = 0; slot < BOARD_SLOTS; slot++) {
        uint8_t bytes[SLOT];

        board_read(b, slot, bytes, sizeof bytes);
        if (word(bytes, 0) != IS_RECORD ||
            word(bytes, WORDS - 1) != bus_sum(bytes, SLOT - 4) ||
            word(bytes, 1) % BOARD_SLOTS != slot ||
            (found && word(bytes, 1) < r->writes))
            continue;
        found = true;
        r->writes = word(bytes, 1);
        kept->maxv = word(bytes, 2);
        kept->starts = word(bytes, 3);
    }
    return found;
}

bool bus_record_write(struct bus_record *r, struct board *b,
                      const struct view_lock_record *kept)
{
    uint32_t slot = (r->writes + 1) % BOARD_SLOTS;
    uint8_t bytes[SLOT], again[SLOT];

    bus_put(bytes, IS_RECORD, 4);
    bus_put(bytes + 4, r->writes + 1, 4);
    bus_put(bytes + 8, kept->maxv, 4);
    bus_put(bytes + 12, kept->starts, 4);
    bus_put(bytes + SLOT - 4, bus_sum(bytes, SLOT - 4), 4);
    if (!board_write(b, slot, bytes, SLOT))
        return false;
    board_read(b, slot, again, SLOT);
    if (__builtin_memcmp(bytes, again, SLOT) != 0)
        return false;
    r->writes++;
    return true;
}
