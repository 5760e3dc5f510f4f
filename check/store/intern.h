/*
 * intern.h - a number for every string of bytes that occurs.
 *
 * Local states, messages and contents of links are few, and states are made of
 * them over and over: the rest of the checker handles their numbers.
 *
 * Any number of threads may look while one adds a string.
 */
#ifndef CHECK_INTERN_H
#define CHECK_INTERN_H

#include <stdatomic.h>

#include "check/store/memory.h"

struct check_intern {
    uint8_t *bytes;
    size_t used, bytes_room;
    uint64_t *ends; /* of each string, in `bytes` */
    uint32_t count, room;
    _Atomic uint32_t *slots; /* 1 + number */
    uint32_t slots_count;
};

/* Whether a string has a number, and which. */
bool check_intern_find(const struct check_intern *t, const void *bytes,
                       size_t size, uint32_t *number);

/* The number of a string, which is added if it is new; 0 if there is no
 * memory. */
uint32_t check_intern(struct check_intern *t, struct check_memory *m,
                      const void *bytes, size_t size);

/* The string itself; stays where it is until the next is added. */
static inline const uint8_t *check_bytes(const struct check_intern *t,
                                         uint32_t number, size_t *size)
{
    uint64_t begin = number ? t->ends[number - 1] : 0;

    if (size)
        *size = (size_t)(t->ends[number] - begin);
    return t->bytes + begin;
}

/* NULL, or the rule that a table breaks to which nobody adds now. */
const char *check_intern_sane(const struct check_intern *t);

void check_intern_free(struct check_intern *t, struct check_memory *m);

#endif
