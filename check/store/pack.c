/*
 * pack.c - see pack.h.
 *
 * A string is blocks of eight words of eight bytes.  Of each block there is a
 * byte that says which words are not zero, then of each such word a byte that
 * says which of its bytes are not, then these bytes.  A block that is all zero
 * stands for the zero blocks after it, too: the next byte counts them.
 */
#include "check/store/pack.h"

#include <string.h>

enum { WORD = 8, BLOCK = 64, RUN_MAX = UINT8_MAX };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The words of a block that are not zero, a bit each. */
static uint32_t words_of(const uint8_t *block, size_t size)
{
    uint32_t which = 0;

    for (size_t at = 0; at < size; at += WORD) {
        uint64_t word = 0;

        if (size - at >= WORD)
            memcpy(&word, block + at, WORD);
        else
            memcpy(&word, block + at, size - at);
        which |= (uint32_t)(word != 0) << at / WORD;
    }
    return which;
}

static uint8_t *pack_word(const uint8_t *word, size_t size, uint8_t *packed)
{
    uint8_t *which = packed++;

    *which = 0;
    for (size_t i = 0; i < size; i++)
        if (word[i]) {
            *which |= (uint8_t)(1u << i);
            *packed++ = word[i];
        }
    return packed;
}

static uint8_t *pack_block(const uint8_t *block, size_t size, uint32_t which,
                           uint8_t *packed)
{
    *packed++ = (uint8_t)which;
    for (; which; which &= which - 1) {
        size_t at = WORD * (size_t)__builtin_ctz(which);

        packed = pack_word(block + at, least(WORD, size - at), packed);
    }
    return packed;
}

size_t check_pack(const uint8_t *bytes, size_t size, uint8_t *packed)
{
    uint8_t *begin = packed;
    size_t at = 0;

    while (at < size) {
        uint32_t which = words_of(bytes + at, least(BLOCK, size - at)), run = 0;

        if (which) {
            packed =
                pack_block(bytes + at, least(BLOCK, size - at), which, packed);
            at += BLOCK;
            continue;
        }
        for (at += BLOCK; at < size && run < RUN_MAX; at += BLOCK, run++)
            if (words_of(bytes + at, least(BLOCK, size - at)))
                break;
        *packed++ = 0;
        *packed++ = (uint8_t)run;
    }
    return (size_t)(packed - begin);
}

void check_unpack(const uint8_t *packed, uint8_t *bytes, size_t size)
{
    memset(bytes, 0, size);
    for (size_t at = 0; at < size; at += BLOCK) {
        uint32_t words = *packed++;

        if (!words)
            at += BLOCK * (size_t)*packed++;
        for (; words; words &= words - 1) {
            uint8_t *word = bytes + at + WORD * (size_t)__builtin_ctz(words);

            for (uint32_t which = *packed++; which; which &= which - 1)
                word[__builtin_ctz(which)] = *packed++;
        }
    }
}
