/*
 * memory.h - the checker's memory: counted, and never more than allowed.
 *
 * Whoever runs out sets `failed` and goes on with nonsense; the explorer looks
 * at the flag before it believes anything.  So the tables need no error path,
 * and a search that ran out of memory is incomplete, never wrong.
 */
#ifndef CHECK_MEMORY_H
#define CHECK_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct check_memory {
    uint64_t used, most, limit; /* bytes; limit 0: what the system gives */
    bool failed;
};

/* A block of `size` bytes with the contents of `old`; all zero if that is
 * NULL.  NULL if there is no memory: then `old` is as it was. */
void *check_grow(struct check_memory *m, void *old, size_t old_size,
                 size_t size);

void check_release(struct check_memory *m, void *old, size_t old_size);

#endif
