/*
 * memory.c - see memory.h.
 */
#include "check/store/memory.h"

#include <assert.h>
#include <stdlib.h>

void *check_grow_own(struct check_memory *m, void *old, size_t old_size,
                     size_t size)
{
    void *block;

    assert(old_size <= m->used);
    if (m->limit && m->used - old_size + size > m->limit) {
        m->failed = true;
        return NULL;
    }
    block = old ? realloc(old, size) : calloc(1, size);
    if (!block) {
        m->failed = true;
        return NULL;
    }
    m->used += size - old_size;
    if (m->used > m->most)
        m->most = m->used;
    return block;
}

void *check_grow(struct check_memory *m, void *old, size_t old_size,
                 size_t size)
{
    if (m->steady || m->home) {
        m->failed = true;
        return NULL;
    }
    m->moves++;
    return check_grow_own(m, old, old_size, size);
}

void check_release(struct check_memory *m, void *old, size_t old_size)
{
    free(old);
    if (!old)
        return;
    assert(old_size <= m->used);
    m->used -= old_size;
}

const char *check_memory_sane(const struct check_memory *m)
{
    if (m->used > m->most)
        return "no more is used than was used at most";
    if (m->limit && m->used > m->limit)
        return "no more is used than may be";
    return NULL;
}

bool check_make_room(struct check_memory *m, void *list, uint32_t *room,
                     uint32_t count, size_t size)
{
    uint32_t more = *room ? 2 * *room : 1024;
    void **at = list, *block;

    if (count < *room)
        return true;
    block = *room > UINT32_MAX / 2
                ? NULL
                : check_grow(m, *at, *room * size, more * size);
    if (!block) {
        m->failed = true;
        return false;
    }
    *at = block;
    *room = more;
    return true;
}
