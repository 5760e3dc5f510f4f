/*
 * crc.h - the sum that tells a torn or damaged file: CRC-32 as in Ethernet.
 */
#ifndef LIVE_CRC_H
#define LIVE_CRC_H

#include <stddef.h>
#include <stdint.h>

static inline uint32_t live_crc(const void *bytes, size_t size)
{
    const uint8_t *byte = bytes;
    uint32_t crc = UINT32_MAX;

    for (size_t i = 0; i < size; i++) {
        crc ^= byte[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0xedb88320) : 0);
    }
    return ~crc;
}

#endif
