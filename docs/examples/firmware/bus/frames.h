/*
 * frames.h - letters of any length over a bus of short frames: split by the
 * sender, put together by the receiver.
 *
 * A frame is the number of its letter, its place in it (the top bit says that
 * it is the last), and up to 6 bytes of it on classic CAN, 62 on CAN-FD.  The
 * parts come from the letter's size, its sum (CRC-32), and its bytes without
 * those that are zero: of most numbers of 64 bits that leaves two to five.
 *
 * Frames may be lost, doubled and out of order: a letter comes whole or not at
 * all, which is to a protocol that bears loss as if it had been lost.  Sums
 * find accidents, not forgers: every board on the bus is trusted.
 */
#ifndef BUS_FRAMES_H
#define BUS_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocols/mutex/view_lock/view_lock.h"

#ifndef BUS_FRAME
#define BUS_FRAME 8 /* bytes of a frame; CAN-FD: 64 */
#endif

enum {
    BUS_HEAD = 2,
    BUS_ROOM = BUS_FRAME - BUS_HEAD,
    BUS_LAST = 0x80,
    BUS_LATE = 3, /* letters back: such a frame is late, not a new start */

    /* The longest letter (node.c): a frame of view-lock, with what it echoes of
     * each of the others; or a new view. */
    BUS_ECHOED = 3 + (int)VIEW_LOCK_FRAME_WIRE + 16 * (VIEW_LOCK_NODES - 1),
    BUS_NEWVIEW = 3 + (int)VIEW_LOCK_NEWVIEW_WIRE,
    BUS_LETTER =
        (int)BUS_ECHOED > (int)BUS_NEWVIEW ? (int)BUS_ECHOED : (int)BUS_NEWVIEW,
    /* Its size, its sum, and a byte for every eight, if none of them is zero */
    BUS_SPLIT = 6 + BUS_LETTER + (BUS_LETTER + 7) / 8,
    BUS_FRAMES = (BUS_SPLIT + BUS_ROOM - 1) / BUS_ROOM,
};
_Static_assert(BUS_FRAMES <= 128, "a place in a letter has seven bits");

/* A letter ready to be split. */
struct bus_split {
    uint8_t bytes[BUS_SPLIT];
    uint16_t size;
};

/* What has come of the newest letter of one sender. */
struct bus_inbox {
    uint8_t bytes[BUS_FRAMES * BUS_ROOM];
    uint8_t got[BUS_FRAMES];
    uint8_t number;
    bool open, whole;
    uint8_t frames; /* number of frames, or 0: the last has not come */
};

/* Numbers in letters and records: the least significant byte first. */
static inline void bus_put(uint8_t *to, uint64_t value, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

static inline uint64_t bus_get(const uint8_t *from, uint32_t bytes)
{
    uint64_t value = 0;

    for (uint32_t i = 0; i < bytes; i++)
        value |= (uint64_t)from[i] << 8 * i;
    return value;
}

uint32_t bus_sum(const uint8_t *bytes, size_t size);

/* Leaves out the zeros; `size` is at most BUS_LETTER. */
void bus_split(struct bus_split *out, const uint8_t *letter, size_t size);

/* The number of frames that it takes. */
uint32_t bus_frames_of(const struct bus_split *s);

/* Frame i of letter `number`; returns its bytes. */
uint8_t bus_frame(const struct bus_split *s, uint8_t number, uint32_t i,
                  uint8_t frame[BUS_FRAME]);

/* Takes a frame, whatever is in it; returns the size of the letter if it is
 * whole now, else 0. */
size_t bus_join(struct bus_inbox *in, const uint8_t *frame, size_t size,
                uint8_t letter[BUS_LETTER]);

#endif
