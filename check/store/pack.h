/*
 * pack.h - bytes that are mostly zero, in less room.
 *
 * A protocol's state has room for the largest network, and numbers that are
 * small in fields that are wide; a network that is checked has a few nodes.  So
 * of some thousand bytes all but a few dozen are zero, and these are left out.
 *
 * Strings of the same size are equal when packed exactly if they are equal, and
 * none is a prefix of another.
 */
#ifndef CHECK_PACK_H
#define CHECK_PACK_H

#include <stddef.h>
#include <stdint.h>

/* Room that a string of this size may take when nothing in it is zero. */
#define CHECK_PACKED_MAX(size) ((size) + (size) / 4 + 16)

/* Returns the number of bytes that it takes. */
size_t check_pack(const uint8_t *bytes, size_t size, uint8_t *packed);

/* The string of `size` bytes as it was. */
void check_unpack(const uint8_t *packed, uint8_t *bytes, size_t size);

#endif
