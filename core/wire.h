/*
 * wire.h - numbers as bytes on the wire, least significant byte first.
 *
 * Written out byte by byte, so that it means the same on every machine; the
 * compiler turns each function into one load or store where it can.
 */
#ifndef FC_WIRE_H
#define FC_WIRE_H

#include <stdint.h>

static inline void fc_put32(uint8_t at[4], uint32_t value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
    at[2] = (uint8_t)(value >> 16);
    at[3] = (uint8_t)(value >> 24);
}

static inline uint32_t fc_get32(const uint8_t at[4])
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
           (uint32_t)at[3] << 24;
}

static inline void fc_put16(uint8_t at[2], uint16_t value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
}

static inline uint16_t fc_get16(const uint8_t at[2])
{
    return (uint16_t)(at[0] | at[1] << 8);
}

static inline void fc_put64(uint8_t at[8], uint64_t value)
{
    fc_put32(at, (uint32_t)value);
    fc_put32(at + 4, (uint32_t)(value >> 32));
}

static inline uint64_t fc_get64(const uint8_t at[8])
{
    return (uint64_t)fc_get32(at) | (uint64_t)fc_get32(at + 4) << 32;
}

/* The number of binary digits of a number. */
static inline uint32_t fc_digits(uint64_t number)
{
    return number ? 64u - (uint32_t)__builtin_clzll(number) : 1;
}

/* The number of digits of `name` in dyadic notation (digits 1 and 2: 1, 2, 11,
 * 12, 21, 22, ...): the binary digits of name+1 without the leading one. */
static inline uint32_t fc_dyadic_digits(uint32_t name)
{
    return 31u - (uint32_t)__builtin_clz(name + 1);
}

#endif
